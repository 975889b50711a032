/* SPDX-License-Identifier: Apache-2.0 */
/* What a mapped file shows, and where its writes go. */
#include "test.h"

#include "files.h"

#define MADE 12289u /* bytes: a byte behind three pages */

static tide_arena arena;
static test_file file;

static int open_all(void **state)
{
    (void)state;
    file = make_file(MADE);
    assert_ok(tide_arena_open(&arena));
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    assert_ok(tide_arena_close(&arena));
    assert_int_equal(file_mappings(&file), 0);
    drop_file(&file);
    return 0;
}

static tide_segment map(tide_map_mode mode, size_t offset, size_t size)
{
    tide_segment segment = canary_segment();
    assert_ok(tide_arena_map(&arena, file.descriptor, mode, offset, size, &segment));
    return segment;
}

static void any_part_of_a_file_can_be_mapped_in_any_mode(void **state)
{
    (void)state;
    static const size_t offsets[] = {0, 1, 63, 4095, 4096, 4097, 8191, 8192, 12287, 12288, MADE};
    static const size_t sizes[] = {0, 1, 2, 4095, 4096, 4097, 8192, 12288, MADE};
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (size_t m = 0; m < COUNT_OF(every_mode); m++) {
        for (size_t i = 0; i < COUNT_OF(offsets); i++) {
            for (size_t j = 0; j < COUNT_OF(sizes); j++) {
                if (offsets[i] + sizes[j] > MADE)
                    continue;
                tide_segment segment = map(every_mode[m], offsets[i], sizes[j]);
                assert_int_equal(tide_segment_size(&segment), sizes[j]);
                assert_int_equal((uintptr_t)tide_segment_address(&segment) % page,
                                 offsets[i] % page);
                assert_non_null(tide_segment_address(&segment));
                assert_shows_file(&segment, offsets[i], MADE);
            }
            assert_ok(tide_arena_reset(&arena));
        }
    }
    assert_int_equal(file_size(&file), MADE);
    assert_true(file_is_untouched(&file, 0, MADE));
}

static void a_mapping_says_what_it_is(void **state)
{
    (void)state;
    for (size_t m = 0; m < COUNT_OF(every_mode); m++) {
        const tide_segment segment = map(every_mode[m], 10, 100);
        tide_segment_information about = {.struct_size = sizeof about};
        assert_ok(tide_segment_info(&segment, &about));
        assert_true(about.mapped);
        assert_true(about.alive);
        assert_int_equal(about.size, 100);
        assert_int_equal(about.read_only, every_mode[m] == TIDE_MAP_READ_ONLY);
        assert_true(tide_scope_equal(tide_segment_scope(&segment), tide_arena_scope(&arena)));
    }
}

static void slices_and_views_of_a_mapping_are_mapped_and_resized_ones_are_not(void **state)
{
    (void)state;
    const tide_segment whole = map(TIDE_MAP_READ_WRITE, 0, 5000);
    tide_segment slice;
    tide_segment other;
    assert_ok(tide_segment_slice(&whole, 4000, 500, &slice));
    assert_true(tide_segment_is_mapped(&slice));
    assert_shows_file(&slice, 4000, MADE);
    other = read_only_of(slice);
    assert_true(tide_segment_is_mapped(&other));
    assert_ok(tide_segment_resize(&slice, 600, &other));
    assert_false(tide_segment_is_mapped(&other));
    assert_shows_file(&other, 4000, MADE);
    assert_ok(tide_segment_attach(&slice, 500, &arena, NULL, NULL, &other));
    assert_false(tide_segment_is_mapped(&other));
    assert_ok(tide_arena_segment(&arena, 500, 1, &other));
    assert_false(tide_segment_is_mapped(&other));
}

static void the_descriptor_may_be_closed(void **state)
{
    (void)state;
    int descriptor = open_again(&file, O_RDONLY);
    tide_segment segment;
    assert_ok(tide_arena_map(&arena, descriptor, TIDE_MAP_READ_ONLY, 1, 5000, &segment));
    assert_int_equal(close(descriptor), 0);
    assert_shows_file(&segment, 1, MADE);
}

/* ------------------------------------------------------------------------------- extension */

static void a_shorter_file_is_extended_with_zeros_up_to_the_end_of_the_mapping(void **state)
{
    (void)state;
    static const struct {
        size_t offset, size;
    } ranges[] = {{MADE, 1},  {MADE - 1, 2}, {0, MADE + 1}, {MADE + 4096, 0},
                  {20000, 1}, {20480, 0},    {20479, 4097}, {0, 20480}};
    static const tide_map_mode writing[] = {TIDE_MAP_READ_WRITE, TIDE_MAP_PRIVATE};
    for (size_t m = 0; m < COUNT_OF(writing); m++) {
        for (size_t i = 0; i < COUNT_OF(ranges); i++) {
            size_t end = ranges[i].offset + ranges[i].size;
            assert_int_equal(ftruncate(file.descriptor, MADE), 0);
            tide_segment segment = map(writing[m], ranges[i].offset, ranges[i].size);
            assert_int_equal(file_size(&file), end);
            assert_shows_file(&segment, ranges[i].offset, MADE);
            for (size_t place = MADE; place < end; place++)
                assert_int_equal(file_byte(&file, place), 0);
            assert_true(file_is_untouched(&file, 0, MADE));
            assert_ok(tide_arena_reset(&arena));
        }
    }
}

static void a_longer_file_keeps_its_length(void **state)
{
    (void)state;
    for (size_t m = 0; m < COUNT_OF(every_mode); m++) {
        map(every_mode[m], 0, 0);
        map(every_mode[m], 0, 4096);
        map(every_mode[m], MADE, 0);
        assert_int_equal(file_size(&file), MADE);
    }
}

static void an_empty_file_can_be_mapped(void **state)
{
    (void)state;
    assert_int_equal(ftruncate(file.descriptor, 0), 0);
    for (size_t m = 0; m < COUNT_OF(every_mode); m++)
        map(every_mode[m], 0, 0);
    assert_int_equal(file_size(&file), 0);
    tide_segment one = map(TIDE_MAP_READ_WRITE, 0, 1);
    assert_int_equal(tide_get_u8(&one, 0), 0);
}

/* Far behind what 32 bits count; only what is written takes space. */
static void a_far_offset_makes_a_sparse_file(void **state)
{
    (void)state;
    const size_t far = ((size_t)1 << 32) + 4097;
    tide_segment segment = map(TIDE_MAP_READ_WRITE, far, 100);
    struct stat about;
    tide_set_u8(&segment, 99, 42);
    assert_int_equal(file_size(&file), far + 100);
    assert_int_equal(file_byte(&file, far + 99), 42);
    assert_int_equal(fstat(file.descriptor, &about), 0);
    assert_true((size_t)about.st_blocks * 512 < (size_t)1 << 30);
}

/* ------------------------------------------------------------------------------- writes */

static void what_is_written_reaches_the_file_and_all_who_map_it(void **state)
{
    (void)state;
    tide_segment written = map(TIDE_MAP_READ_WRITE, 4000, 1000);
    tide_segment writable = map(TIDE_MAP_READ_WRITE, 4500, 100);
    tide_segment readable = map(TIDE_MAP_READ_ONLY, 0, MADE);
    assert_ok(tide_segment_fill(&written, 0xEE));
    assert_int_equal(tide_get_u8(&writable, 0), 0xEE);
    assert_int_equal(tide_get_u8(&readable, 4999), 0xEE);
    assert_int_equal(file_byte(&file, 4000), 0xEE);
    assert_int_equal(file_byte(&file, 4999), 0xEE);
    assert_true(file_is_untouched(&file, 0, 4000));
    assert_true(file_is_untouched(&file, 5000, MADE));

    const unsigned char byte = 0x77;
    assert_int_equal(pwrite(file.descriptor, &byte, 1, 4600), 1);
    assert_int_equal(tide_get_u8(&written, 600), 0x77);
}

static void private_writes_stay_in_their_mapping(void **state)
{
    (void)state;
    tide_segment mine = map(TIDE_MAP_PRIVATE, 100, 8000);
    tide_segment other = map(TIDE_MAP_PRIVATE, 100, 8000);
    assert_ok(tide_segment_fill(&mine, 0xEE));
    assert_int_equal(tide_get_u8(&mine, 7999), 0xEE);
    assert_shows_file(&other, 100, MADE);
    assert_true(file_is_untouched(&file, 0, MADE));
}

static void a_read_only_mapping_cannot_be_written(void **state)
{
    (void)state;
    tide_segment segment = map(TIDE_MAP_READ_ONLY, 0, 100);
    assert_refused(TIDE_READ_ONLY, tide_store_u8(&segment, 0, 1));
    assert_refused(TIDE_READ_ONLY, tide_segment_fill(&segment, 1));
    assert_refused(TIDE_OUT_OF_BOUNDS, tide_load_u8(&segment, 100, &(uint8_t){0}));
}

/* ------------------------------------------------------------------------------- no bytes */

static void a_mapping_of_no_bytes_is_a_mapped_segment_that_takes_no_mapping(void **state)
{
    (void)state;
    for (size_t m = 0; m < COUNT_OF(every_mode); m++) {
        tide_segment segment = map(every_mode[m], 4099, 0);
        assert_true(tide_segment_is_mapped(&segment));
        assert_int_equal((uintptr_t)tide_segment_address(&segment) % 4096, 3);
        assert_refused(TIDE_OUT_OF_BOUNDS, tide_load_u8(&segment, 0, &(uint8_t){0}));
        assert_ok(tide_segment_read(&segment, 0, NULL, 0));
        assert_ok(tide_segment_force(&segment));
    }
    assert_int_equal(file_mappings(&file), 0);
}

/* ------------------------------------------------------------------------------- the arena */

static bool is_inside(const void *address, const tide_segment *segment)
{
    const char *base = tide_segment_address(segment);
    return (const char *)address >= base &&
           (const char *)address < base + tide_segment_size(segment);
}

/* Small ones, of which the window moves to a chunk, chunks of the row, and blocks of their own. */
static void an_arena_never_allocates_from_a_mapping(void **state)
{
    (void)state;
    static const size_t sizes[] = {8, 64, 65, 500, 3000, 40000, 200000};
    tide_segment mapped[COUNT_OF(sizes)];
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        mapped[i] = map(TIDE_MAP_READ_WRITE, 0, MADE);
        for (size_t j = 0; j < 40; j++) {
            char *block = tide_arena_allocate(&arena, sizes[i], 8);
            assert_zeroed(block, sizes[i]);
            memset(block, 0xEE, sizes[i]);
            for (size_t k = 0; k <= i; k++)
                assert_false(is_inside(block, &mapped[k]));
        }
    }
    assert_true(file_is_untouched(&file, 0, MADE));
    assert_shows_file(&mapped[0], 0, MADE);
}

static void mapped_bytes_are_not_used_ones(void **state)
{
    (void)state;
    map(TIDE_MAP_READ_ONLY, 0, MADE);
    assert_int_equal(tide_arena_used(&arena), 0);
    assert_non_null(tide_arena_allocate(&arena, 24, 8));
    assert_non_null(tide_arena_allocate(&arena, 2000, 8));
    size_t used = tide_arena_used(&arena);
    map(TIDE_MAP_READ_ONLY, 0, MADE);
    assert_int_equal(tide_arena_used(&arena), used);
}

static void the_newest_allocation_still_grows_behind_a_mapping(void **state)
{
    (void)state;
    skip_under_checker();
    char *block = tide_arena_allocate(&arena, 1000, 8);
    map(TIDE_MAP_READ_ONLY, 0, MADE);
    assert_ok(tide_arena_extend(&arena, block, 1000, 1500));
    assert_zeroed(block, 1500);
}

/* Gives one block, which ends where the mapping starts. */
static void *allocate_below(void *context, size_t size, size_t alignment, unsigned request)
{
    (void)alignment;
    (void)request;
    char *block = (char *)context - size;
    void *placed = mmap(block, size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    return placed == block ? placed : NULL;
}

static tide_status free_below(void *context, void *block, size_t size, size_t alignment)
{
    (void)context;
    (void)alignment;
    return munmap(block, size) == 0 ? TIDE_OK : TIDE_INVALID_ARGUMENT;
}

static tide_manager below = {
    .struct_size = sizeof below, .name = "below", .allocate = allocate_below, .free = free_below};

/* The file is large, so that it is mapped where nothing lies below. */
static void a_block_that_ends_where_a_mapping_starts_is_not_taken_for_part_of_it(void **state)
{
    (void)state;
    const size_t size = (size_t)1 << 20;
    tide_arena_options options = TIDE_ARENA_OPTIONS_INIT;
    options.manager = &below;
    tide_arena confined;
    tide_shared_arena shared;
    tide_segment segment;
    assert_ok(tide_arena_open_with(&confined, &options));
    assert_ok(tide_shared_open_with(&shared, &options));

    assert_ok(tide_arena_map(&confined, file.descriptor, TIDE_MAP_READ_WRITE, 0, (size_t)1 << 30,
                             &segment));
    below.context = tide_segment_address(&segment);
    char *block = tide_arena_allocate_uninitialized(&confined, size, 8);
    if (block != NULL) {
        assert_ptr_equal(block + size, below.context);
        assert_refused(TIDE_EXHAUSTED, tide_arena_extend(&confined, block, size, size - 100));
    }
    assert_ok(tide_arena_close(&confined));

    assert_ok(tide_shared_map(shared, file.descriptor, TIDE_MAP_READ_WRITE, 0, (size_t)1 << 30,
                              &segment));
    below.context = tide_segment_address(&segment);
    block = tide_shared_allocate_uninitialized(shared, size, 8);
    if (block != NULL)
        assert_refused(TIDE_EXHAUSTED, tide_shared_extend(shared, block, size, size - 100));
    assert_ok(tide_shared_close(shared));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_all, close_all)
    const struct CMUnitTest tests[] = {
        TEST(any_part_of_a_file_can_be_mapped_in_any_mode),
        TEST(a_mapping_says_what_it_is),
        TEST(slices_and_views_of_a_mapping_are_mapped_and_resized_ones_are_not),
        TEST(the_descriptor_may_be_closed),
        TEST(a_shorter_file_is_extended_with_zeros_up_to_the_end_of_the_mapping),
        TEST(a_longer_file_keeps_its_length),
        TEST(an_empty_file_can_be_mapped),
        TEST(a_far_offset_makes_a_sparse_file),
        TEST(what_is_written_reaches_the_file_and_all_who_map_it),
        TEST(private_writes_stay_in_their_mapping),
        TEST(a_read_only_mapping_cannot_be_written),
        TEST(a_mapping_of_no_bytes_is_a_mapped_segment_that_takes_no_mapping),
        TEST(an_arena_never_allocates_from_a_mapping),
        TEST(mapped_bytes_are_not_used_ones),
        TEST(the_newest_allocation_still_grows_behind_a_mapping),
        TEST(a_block_that_ends_where_a_mapping_starts_is_not_taken_for_part_of_it),
    };
    return cmocka_run_group_tests_name("mapping", tests, NULL, NULL);
}
