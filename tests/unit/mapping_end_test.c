/* SPDX-License-Identifier: Apache-2.0 */
/* The end of mapped files: whatever ends the arena unmaps them, after its cleanups. */
#include "test.h"

#include <sys/wait.h>

#include "child.h"
#include "counting_manager.h"
#include "files.h"

#define MADE 10000u

static test_file file;

static int make_it(void **state)
{
    (void)state;
    file = make_file(MADE);
    return 0;
}

static int drop_it(void **state)
{
    (void)state;
    assert_int_equal(file_mappings(&file), 0);
    drop_file(&file);
    return 0;
}

static tide_segment map(tide_arena *arena, tide_map_mode mode)
{
    tide_segment segment;
    assert_ok(tide_arena_map(arena, file.descriptor, mode, 10, 9000, &segment));
    assert_int_equal(file_mappings(&file), 1);
    return segment;
}

static void assert_is_over(const tide_segment *segment)
{
    assert_refused(TIDE_CLOSED, tide_load_u8(segment, 0, &(uint8_t){0}));
    assert_int_equal(file_mappings(&file), 0);
}

static void close_unmaps(void **state)
{
    (void)state;
    tide_arena arena;
    assert_ok(tide_arena_open(&arena));
    tide_segment segment = map(&arena, TIDE_MAP_READ_ONLY);
    assert_true(is_mapped(tide_segment_address(&segment)));
    assert_ok(tide_arena_close(&arena));
    assert_false(is_mapped(tide_segment_address(&segment)));
    assert_is_over(&segment);
}

/* What else the arena has decides how it is closed: nothing, its pool, the ready chunk, many
 * chunks; taken before the mapping or after it. */
static void close_unmaps_whatever_else_the_arena_has(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 20, 100, 3000, 70000};
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        for (size_t j = 0; j < COUNT_OF(sizes); j++) {
            tide_arena arena;
            assert_ok(tide_arena_open(&arena));
            if (sizes[i] != 0)
                assert_non_null(tide_arena_allocate(&arena, sizes[i], 8));
            tide_segment segment = map(&arena, TIDE_MAP_READ_WRITE);
            if (sizes[j] != 0)
                assert_zeroed(tide_arena_allocate(&arena, sizes[j], 8), sizes[j]);
            assert_ok(tide_arena_close(&arena));
            assert_is_over(&segment);
        }
    }
}

static void nested_arenas_unmap_their_own(void **state)
{
    (void)state;
    enum { DEPTH = 12 }; /* more than a thread keeps pools for */
    tide_arena arenas[DEPTH];
    tide_segment segments[DEPTH];
    for (size_t i = 0; i < DEPTH; i++) {
        assert_ok(tide_arena_open(&arenas[i]));
        assert_ok(
            tide_arena_map(&arenas[i], file.descriptor, TIDE_MAP_READ_ONLY, i, 9000, &segments[i]));
    }
    for (size_t i = 0; i < DEPTH; i++) {
        size_t of = (i * 5 + 3) % DEPTH;
        assert_shows_file(&segments[of], of, MADE);
        assert_ok(tide_arena_close(&arenas[of]));
        assert_refused(TIDE_CLOSED, tide_load_u8(&segments[of], 0, &(uint8_t){0}));
    }
}

static void reset_unmaps_and_keeps_chunks(void **state)
{
    (void)state;
    tide_arena arena;
    assert_ok(tide_arena_open(&arena));
    for (size_t round = 0; round < 5; round++) {
        char *block = tide_arena_allocate(&arena, 3000, 8);
        tide_segment segment = map(&arena, TIDE_MAP_READ_WRITE);
        assert_zeroed(block, 3000);
        memset(block, 0xEE, 3000);
        assert_ok(tide_arena_reset(&arena));
        assert_is_over(&segment);
        assert_int_equal(tide_arena_used(&arena), 0);
    }
    tide_segment last = map(&arena, TIDE_MAP_READ_ONLY);
    assert_shows_file(&last, 10, MADE);
    assert_ok(tide_arena_close(&arena));
}

static void closing_to_a_mark_unmaps(void **state)
{
    (void)state;
    tide_mark_point mark = tide_mark();
    tide_arena outer;
    tide_arena inner;
    assert_ok(tide_arena_open(&outer));
    assert_ok(tide_arena_open(&inner));
    tide_segment first = map(&outer, TIDE_MAP_READ_ONLY);
    tide_segment second;
    assert_ok(tide_arena_map(&inner, file.descriptor, TIDE_MAP_PRIVATE, 0, 1, &second));
    assert_ok(tide_close_to(mark));
    assert_is_over(&first);
    assert_is_over(&second);
}

static void deleting_an_arena_on_the_heap_unmaps(void **state)
{
    (void)state;
    tide_arena *arena = tide_arena_new(NULL);
    assert_non_null(arena);
    tide_segment segment = map(arena, TIDE_MAP_READ_ONLY);
    assert_ok(tide_arena_delete(arena));
    assert_is_over(&segment);
}

static void a_held_arena_stays_mapped(void **state)
{
    (void)state;
    tide_arena arena;
    tide_hold hold;
    assert_ok(tide_arena_open(&arena));
    tide_segment segment = map(&arena, TIDE_MAP_READ_ONLY);
    assert_ok(tide_arena_hold(&arena, &hold));
    assert_refused(TIDE_BUSY, tide_arena_close(&arena));
    assert_refused(TIDE_BUSY, tide_arena_reset(&arena));
    assert_shows_file(&segment, 10, MADE);
    assert_ok(tide_hold_release(&hold));
    assert_ok(tide_arena_close(&arena));
}

static void close_as_heir(void *context)
{
    tide_owner *heir = context;
    tide_owner_set(heir[0]);
    assert_ok(tide_arena_close((tide_arena *)(uintptr_t)heir[1]));
}

static void an_heir_unmaps(void **state)
{
    (void)state;
    tide_arena arena;
    assert_ok(tide_arena_open(&arena));
    tide_segment segment = map(&arena, TIDE_MAP_READ_ONLY);
    tide_owner heir[] = {tide_owner_new(), (tide_owner)(uintptr_t)&arena};
    assert_ok(tide_arena_hand_over(&arena, heir[0]));
    on_new_thread(close_as_heir, heir);
    assert_int_equal(file_mappings(&file), 0);
    assert_refused(TIDE_WRONG_OWNER, tide_load_u8(&segment, 0, &(uint8_t){0}));
}

/* ------------------------------------------------------------------------------- cleanups */

typedef struct witness {
    const unsigned char *address;
    bool saw;
    const char *message;
} witness;

static const char *look(void *context)
{
    witness *self = context;
    self->saw = true;
    for (size_t i = 0; i < 9000; i++)
        self->saw &= self->address[i] == file_pattern(10 + i);
    return self->message;
}

/* Registered before the mapping, and after it. */
static void cleanups_see_the_mapped_bytes(void **state)
{
    (void)state;
    tide_arena arena;
    witness witnesses[2] = {{NULL, false, NULL}, {NULL, false, NULL}};
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_arena_attach(&arena, look, &witnesses[0]));
    tide_segment segment = map(&arena, TIDE_MAP_READ_ONLY);
    witnesses[0].address = witnesses[1].address = tide_segment_address(&segment);
    assert_ok(tide_arena_attach(&arena, look, &witnesses[1]));
    assert_ok(tide_arena_close(&arena));
    assert_true(witnesses[0].saw);
    assert_true(witnesses[1].saw);
    assert_is_over(&segment);
}

static void a_failing_cleanup_does_not_keep_a_file_mapped(void **state)
{
    (void)state;
    tide_arena arena;
    witness failing = {NULL, false, "it failed"};
    assert_ok(tide_arena_open(&arena));
    tide_segment segment = map(&arena, TIDE_MAP_READ_ONLY);
    failing.address = tide_segment_address(&segment);
    assert_ok(tide_arena_attach(&arena, look, &failing));
    assert_refused(TIDE_CLEANUP_FAILED, tide_arena_reset(&arena));
    assert_is_over(&segment);
    segment = map(&arena, TIDE_MAP_READ_ONLY);
    assert_ok(tide_arena_attach(&arena, look, &failing));
    failing.address = tide_segment_address(&segment);
    assert_refused(TIDE_CLEANUP_FAILED, tide_arena_close(&arena));
    assert_true(failing.saw);
    assert_is_over(&segment);
}

static const char *map_at_the_end(void *context)
{
    tide_segment segment;
    tide_status status =
        tide_arena_map(context, file.descriptor, TIDE_MAP_READ_WRITE, 0, 2 * MADE, &segment);
    return status == TIDE_CLOSED ? NULL : "it could map";
}

static void a_cleanup_cannot_map_into_its_own_arena(void **state)
{
    (void)state;
    tide_arena arena;
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_arena_attach(&arena, map_at_the_end, &arena));
    assert_ok(tide_arena_close(&arena));
    assert_int_equal(file_size(&file), MADE);
}

/* ------------------------------------------------------------------------------- options */

static void an_arena_that_wipes_leaves_the_file_as_it_is(void **state)
{
    (void)state;
    tide_arena_options options = TIDE_ARENA_OPTIONS_INIT;
    options.zero = TIDE_ZERO_WIPE;
    tide_arena arena;
    assert_ok(tide_arena_open_with(&arena, &options));
    for (size_t m = 0; m < COUNT_OF(every_mode); m++) {
        assert_non_null(tide_arena_allocate(&arena, 3000, 8));
        map(&arena, every_mode[m]);
        assert_ok(tide_arena_reset(&arena));
        assert_true(file_is_untouched(&file, 0, MADE));
    }
    map(&arena, TIDE_MAP_READ_WRITE);
    assert_ok(tide_arena_close(&arena));
    assert_true(file_is_untouched(&file, 0, MADE));
}

static void a_manager_of_the_program_is_not_asked_for_mapped_bytes(void **state)
{
    (void)state;
    counting_manager manager;
    counting_manager_init(&manager);
    tide_arena_options options = TIDE_ARENA_OPTIONS_INIT;
    options.manager = &manager.table;
    tide_arena arena;
    assert_ok(tide_arena_open_with(&arena, &options));
    tide_segment segment = map(&arena, TIDE_MAP_READ_WRITE);
    assert_int_equal(manager.asked, 0);
    assert_non_null(tide_arena_allocate(&arena, 3000, 8));
    assert_int_equal(manager.asked, 1);
    assert_ok(tide_arena_close(&arena));
    assert_is_over(&segment);
    assert_true(counting_manager_is_balanced(&manager));
}

/* ------------------------------------------------------------------------------- processes */

static void a_forks_child_has_the_mapping_and_unmaps_it_for_itself(void **state)
{
    (void)state;
    tide_arena arena;
    assert_ok(tide_arena_open(&arena));
    tide_segment segment = map(&arena, TIDE_MAP_READ_WRITE);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        tide_set_u8(&segment, 0, 0x42);
        bool right = tide_get_u8(&segment, 1) == file_pattern(11);
        right &= tide_arena_close(&arena) == TIDE_OK && file_mappings(&file) == 0;
        _exit(right ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(tide_get_u8(&segment, 0), 0x42);
    assert_ok(tide_arena_close(&arena));
}

static void the_same_is_true_however_pools_are_kept(void **state)
{
    (void)state;
    static const char *const settings[] = {"TIDEPOOL_POOLING=off", "TIDEPOOL_POOL_SIZE=0",
                                           "TIDEPOOL_POOL_SIZE=1024", "TIDEPOOL_CHUNK_CACHE=0"};
    for (size_t i = 0; i < COUNT_OF(settings); i++) {
        child_result result = child_run("--child", "all", (const char *const[]){settings[i], NULL});
        if (!child_exited(&result, 0))
            fprintf(stderr, "%s:\n%s%s", settings[i], result.output, result.error);
        assert_true(child_exited(&result, 0));
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_it, drop_it)

int main(int count, char **arguments)
{
    (void)arguments;
    const struct CMUnitTest tests[] = {
        TEST(close_unmaps),
        TEST(close_unmaps_whatever_else_the_arena_has),
        TEST(nested_arenas_unmap_their_own),
        TEST(reset_unmaps_and_keeps_chunks),
        TEST(closing_to_a_mark_unmaps),
        TEST(deleting_an_arena_on_the_heap_unmaps),
        TEST(a_held_arena_stays_mapped),
        TEST(an_heir_unmaps),
        TEST(cleanups_see_the_mapped_bytes),
        TEST(a_failing_cleanup_does_not_keep_a_file_mapped),
        TEST(a_cleanup_cannot_map_into_its_own_arena),
        TEST(an_arena_that_wipes_leaves_the_file_as_it_is),
        TEST(a_manager_of_the_program_is_not_asked_for_mapped_bytes),
        TEST(a_forks_child_has_the_mapping_and_unmaps_it_for_itself),
    };
    const struct CMUnitTest variants[] = {
        cmocka_unit_test(the_same_is_true_however_pools_are_kept),
    };
    int failed = cmocka_run_group_tests_name("mapping-end", tests, NULL, NULL);
    if (count == 1)
        failed += cmocka_run_group_tests_name("mapping-end, variants", variants, NULL, NULL);
    return failed;
}
