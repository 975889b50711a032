/* SPDX-License-Identifier: Apache-2.0 */
/* Mapped files when memory runs out, when the system refuses, and when the arena closes in the
 * middle: a refused call leaves no mapping and no longer file behind. */
#include "test.h"

#include "child.h"
#include "failing.h"
#include "files.h"

#define MADE 5000u
#define END  9000u /* of mappings that extend the file */

static tide_arena arena;
static tide_shared_arena shared;
static test_file file;
static tide_segment segment;

static int open_all(void **state)
{
    (void)state;
    file = make_file(MADE);
    segment = canary_segment();
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_shared_open(&shared));
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    system_refuses = (failing_system){.unmap = 0};
    if (tide_arena_is_alive(&arena))
        assert_ok(tide_arena_close(&arena));
    if (tide_shared_is_alive(shared))
        assert_ok(tide_shared_close(shared));
    assert_int_equal(file_mappings(&file), 0);
    drop_file(&file);
    return 0;
}

static tide_status map_confined(void)
{
    return tide_arena_map(&arena, file.descriptor, TIDE_MAP_READ_WRITE, 0, END, &segment);
}

static tide_status map_shared(void)
{
    return tide_shared_map(shared, file.descriptor, TIDE_MAP_READ_WRITE, 0, END, &segment);
}

static tide_status (*const kinds[])(void) = {map_confined, map_shared};

static void assert_nothing_has_happened(void)
{
    assert_true(is_canary(&segment));
    assert_int_equal(file_mappings(&file), 0);
    assert_int_equal(file_size(&file), MADE);
    assert_true(file_is_untouched(&file, 0, MADE));
}

/* ------------------------------------------------------------------------------- memory */

static void map_with_every_allocation_failing(tide_status (*map)(void), bool once)
{
    for (long n = 0;; n++) {
        assert_true(n < 20);
        if (once)
            failing_only(n);
        else
            failing_from(n);
        tide_status status = map();
        if (failing_stop() == 0) {
            assert_int_equal(status, TIDE_OK);
            break;
        }
        assert_refused(TIDE_OUT_OF_MEMORY, status);
        assert_error_names("map: ");
        assert_nothing_has_happened();
    }
    assert_int_equal(file_size(&file), END);
    assert_shows_file(&segment, 0, MADE);
}

/* Cells are taken from what the process has made before, so that arenas are opened until there is
 * none left. */
static void every_allocation_of_a_map_may_fail(void **state)
{
    (void)state;
    static tide_arena ballast[4096];
    static size_t count;
    for (size_t i = 0; i < 4; i++) {
        tide_pool_statistics now = {.struct_size = sizeof now};
        assert_ok(tide_pool_statistics_get(&now));
        for (size_t idle = now.cells - now.open_arenas; idle > 0; idle--) {
            assert_true(count < COUNT_OF(ballast));
            assert_ok(tide_arena_open(&ballast[count]));
            assert_non_null(tide_arena_allocate(&ballast[count++], 8, 8));
        }
        map_with_every_allocation_failing(kinds[i % 2], i >= 2);
        assert_ok(tide_arena_close(&arena));
        assert_ok(tide_shared_close(shared));
        assert_ok(tide_arena_open(&arena));
        assert_ok(tide_shared_open(&shared));
        assert_int_equal(ftruncate(file.descriptor, MADE), 0);
        segment = canary_segment();
    }
    while (count > 0)
        assert_ok(tide_arena_close(&ballast[--count]));
}

static void a_mapping_that_cannot_be_undone_is_reported_instead(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        failing_only(1); /* the chunk's header, or the confined arena's own */
        system_refuses.unmap = ENOMEM;
        assert_refused(TIDE_IO, kinds[i]());
        failing_stop();
        assert_error_names("refuses to unmap what was mapped before: OUT_OF_MEMORY");
        system_refuses.reserve = ENOSPC;
        system_refuses.unmap = ENOMEM;
        assert_refused(TIDE_IO, kinds[i]());
        assert_error_names("refuses to unmap what was mapped before: IO");
    }
    assert_true(is_canary(&segment));
    assert_int_equal(file_size(&file), MADE);
    char line[512];
    FILE *maps = fopen("/proc/self/maps", "r");
    assert_non_null(maps);
    while (fgets(line, sizeof line, maps) != NULL) {
        unsigned long start;
        unsigned long end;
        if (strstr(line, file.path) != NULL && sscanf(line, "%lx-%lx", &start, &end) == 2)
            assert_int_equal(munmap((void *)start, end - start), 0);
    }
    fclose(maps);
}

static void child_without_address_space(void)
{
    const size_t size = (size_t)1 << 40;
    const struct rlimit limit = {(rlim_t)1 << 32, (rlim_t)1 << 32};
    (void)open_all(NULL);
    assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
    assert_refused(TIDE_OUT_OF_MEMORY,
                   tide_arena_map(&arena, file.descriptor, TIDE_MAP_READ_WRITE, 0, size, &segment));
    assert_error_names(strerror(ENOMEM));
    assert_refused(TIDE_OUT_OF_MEMORY, tide_shared_map(shared, file.descriptor, TIDE_MAP_PRIVATE,
                                                       4097, size, &segment));
    assert_nothing_has_happened();
    (void)close_all(NULL);
    puts("refused");
}

/* Sanitizers need more addresses than that for themselves. */
static void no_room_for_the_mapping_is_out_of_memory_and_does_not_extend_the_file(void **state)
{
    (void)state;
    skip_under_checker();
    child_result result = child_run("--child", "limited", NULL);
    if (!child_exited(&result, 0))
        fprintf(stderr, "%s%s", result.output, result.error);
    assert_true(child_exited(&result, 0));
    assert_string_equal(result.output, "refused\n");
}

/* ------------------------------------------------------------------------------- extending */

static void a_full_disk_refuses_the_call_and_leaves_nothing(void **state)
{
    (void)state;
    static const int errors[] = {ENOSPC, EFBIG, EDQUOT, EIO};
    for (size_t i = 0; i < COUNT_OF(errors); i++) {
        for (size_t j = 0; j < COUNT_OF(kinds); j++) {
            system_refuses.reserve = errors[i];
            assert_refused(TIDE_IO, kinds[j]());
            assert_error_names(strerror(errors[i]));
            assert_nothing_has_happened();
        }
    }
    assert_ok(map_confined());
    assert_ok(map_shared());
}

/* The mapping is taken out again from where it lies, behind what the arena has. */
static void a_refused_extension_leaves_the_arenas_other_mappings(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        tide_segment other;
        if (i == 1)
            assert_non_null(tide_shared_allocate(shared, 100, 8));
        assert_ok(tide_shared_map(shared, file.descriptor, TIDE_MAP_READ_ONLY, i, 10, &other));
        system_refuses.reserve = ENOSPC;
        assert_refused(TIDE_IO, map_shared());
        assert_shows_file(&other, i, MADE);
    }
    assert_true(is_canary(&segment));
}

static void an_interrupted_extension_is_asked_for_again(void **state)
{
    (void)state;
    system_refuses.reserve = EINTR;
    assert_ok(map_confined());
    assert_int_equal(file_size(&file), END);
}

static void where_the_file_system_cannot_reserve_the_file_is_extended_all_the_same(void **state)
{
    (void)state;
    static const int errors[] = {EOPNOTSUPP, ENOSYS};
    for (size_t i = 0; i < COUNT_OF(errors); i++) {
        assert_int_equal(ftruncate(file.descriptor, MADE), 0);
        system_refuses.reserve = errors[i];
        assert_ok(map_confined());
        assert_int_equal(file_size(&file), END);
        assert_shows_file(&segment, 0, MADE);
        assert_ok(tide_arena_reset(&arena));
    }
}

static void grow_by_another(const char *call)
{
    if (strcmp(call, "fallocate") == 0)
        assert_int_equal(ftruncate(file.descriptor, 3 * END), 0);
}

static void what_somebody_else_adds_meanwhile_is_not_cut_off(void **state)
{
    (void)state;
    system_refuses.before = grow_by_another;
    assert_ok(map_confined());
    assert_int_equal(file_size(&file), 3 * END);
}

/* ------------------------------------------------------------------------------- closing
 * meanwhile */

static const char *close_before;

static void close_now(const char *call)
{
    if (close_before == NULL || strcmp(call, close_before) != 0)
        return;
    close_before = NULL;
    assert_ok(tide_shared_close(shared));
}

static void a_close_before_the_file_is_mapped_refuses_the_call(void **state)
{
    (void)state;
    system_refuses.before = close_now;
    close_before = "mmap";
    assert_refused(TIDE_CLOSED, map_shared());
    assert_error_names("map: ");
    assert_null(close_before);
    assert_nothing_has_happened();
}

static void a_close_while_the_file_is_extended_is_one_after_the_call(void **state)
{
    (void)state;
    system_refuses.before = close_now;
    close_before = "fallocate";
    assert_ok(map_shared());
    assert_null(close_before);
    assert_int_equal(file_mappings(&file), 0);
    assert_refused(TIDE_CLOSED, tide_load_u8(&segment, 0, &(uint8_t){0}));
}

static void a_close_while_extending_is_refused_unmaps_once(void **state)
{
    (void)state;
    system_refuses.before = close_now;
    close_before = "fallocate";
    system_refuses.reserve = ENOSPC;
    assert_refused(TIDE_IO, map_shared());
    assert_false(tide_shared_is_alive(shared));
    assert_nothing_has_happened();
}

/* ------------------------------------------------------------------------------- unmapping */

static tide_status close_to_mark(void)
{
    tide_arena other;
    tide_mark_point mark = tide_mark();
    assert_ok(tide_arena_open(&other));
    assert_ok(tide_arena_map(&other, file.descriptor, TIDE_MAP_READ_ONLY, 0, MADE, &segment));
    system_refuses.unmap = ENOMEM;
    return tide_close_to(mark);
}

static tide_status close_confined(void)
{
    assert_ok(map_confined());
    system_refuses.unmap = ENOMEM;
    return tide_arena_close(&arena);
}

static tide_status reset_confined(void)
{
    assert_ok(tide_arena_open(&arena));
    assert_ok(map_confined());
    system_refuses.unmap = ENOMEM;
    return tide_arena_reset(&arena);
}

static tide_status close_it_shared(void)
{
    assert_ok(map_shared());
    system_refuses.unmap = ENOMEM;
    return tide_shared_close(shared);
}

static tide_status reset_shared(void)
{
    assert_ok(tide_shared_open(&shared));
    assert_ok(map_shared());
    system_refuses.unmap = ENOMEM;
    return tide_shared_reset(&shared);
}

static tide_status release_counted(void)
{
    tide_shared_arena counted;
    assert_ok(tide_counted_open(&counted));
    assert_ok(tide_shared_map(counted, file.descriptor, TIDE_MAP_READ_ONLY, 0, MADE, &segment));
    system_refuses.unmap = ENOMEM;
    return tide_counted_release(counted);
}

static void a_refusal_to_unmap_is_reported_by_whatever_ends_the_arena(void **state)
{
    (void)state;
    static tide_status (*const ends[])(void) = {close_confined,  reset_confined, close_to_mark,
                                                close_it_shared, reset_shared,   release_counted};
    for (size_t i = 0; i < COUNT_OF(ends); i++) {
        assert_refused(TIDE_CLEANUP_FAILED, ends[i]());
        assert_error_names("mapped file");
        assert_refused(TIDE_CLOSED, tide_load_u8(&segment, 0, &(uint8_t){0}));
        size_t size = tide_segment_size(&segment);
        assert_int_equal(munmap(tide_segment_address(&segment), size), 0);
        assert_int_equal(file_mappings(&file), 0);
    }
}

/* ------------------------------------------------------------------------------- forcing */

static void what_the_system_could_not_write_back_is_reported(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        assert_ok(kinds[i]());
        system_refuses.sync = EIO;
        assert_refused(TIDE_IO, tide_segment_force(&segment));
        assert_error_names("force: ");
        assert_error_names(strerror(EIO));
        assert_ok(tide_segment_force(&segment));
    }
}

static tide_status closed_with;

static void try_to_close(const char *call)
{
    if (strcmp(call, "msync") == 0)
        closed_with = tide_shared_close(shared);
}

static void an_arena_is_busy_while_its_bytes_are_written_back(void **state)
{
    (void)state;
    assert_ok(map_shared());
    system_refuses.before = try_to_close;
    assert_ok(tide_segment_force(&segment));
    assert_int_equal(closed_with, TIDE_BUSY);
    assert_true(tide_shared_is_alive(shared));
    assert_ok(tide_shared_close(shared));
}

static tide_shared_arena counted_arena;

static void release_it(const char *call)
{
    if (strcmp(call, "msync") == 0)
        assert_ok(tide_counted_release(counted_arena));
}

static const char *fail_to_clean(void *context)
{
    (void)context;
    return "it failed";
}

static void a_force_that_is_left_with_the_last_reference_closes_the_arena(void **state)
{
    (void)state;
    for (int error = 0; error <= EIO; error += EIO) {
        assert_ok(tide_counted_open(&counted_arena));
        assert_ok(tide_shared_attach(counted_arena, fail_to_clean, NULL));
        assert_ok(tide_shared_map(counted_arena, file.descriptor, TIDE_MAP_READ_WRITE, 0, MADE,
                                  &segment));
        system_refuses.before = release_it;
        system_refuses.sync = error;
        assert_refused(error == 0 ? TIDE_CLEANUP_FAILED : TIDE_IO, tide_segment_force(&segment));
        assert_error_names(error == 0 ? "it failed" : strerror(error));
        assert_false(tide_shared_is_alive(counted_arena));
        assert_int_equal(file_mappings(&file), 0);
    }
}

int main(int count, char **arguments)
{
    if (count == 3 && strcmp(arguments[1], "--child") == 0) {
        child_without_address_space();
        return 0;
    }
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_all, close_all)
    const struct CMUnitTest tests[] = {
        TEST(every_allocation_of_a_map_may_fail),
        TEST(a_mapping_that_cannot_be_undone_is_reported_instead),
        TEST(no_room_for_the_mapping_is_out_of_memory_and_does_not_extend_the_file),
        TEST(a_full_disk_refuses_the_call_and_leaves_nothing),
        TEST(a_refused_extension_leaves_the_arenas_other_mappings),
        TEST(an_interrupted_extension_is_asked_for_again),
        TEST(where_the_file_system_cannot_reserve_the_file_is_extended_all_the_same),
        TEST(what_somebody_else_adds_meanwhile_is_not_cut_off),
        TEST(a_close_before_the_file_is_mapped_refuses_the_call),
        TEST(a_close_while_the_file_is_extended_is_one_after_the_call),
        TEST(a_close_while_extending_is_refused_unmaps_once),
        TEST(a_refusal_to_unmap_is_reported_by_whatever_ends_the_arena),
        TEST(what_the_system_could_not_write_back_is_reported),
        TEST(an_arena_is_busy_while_its_bytes_are_written_back),
        TEST(a_force_that_is_left_with_the_last_reference_closes_the_arena),
    };
    return cmocka_run_group_tests_name("mapping-failure", tests, NULL, NULL);
}
