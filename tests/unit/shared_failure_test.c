/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The 1st, 2nd, … n-th allocation fails, for every function of shared.h and grace.h that may need
 * memory, until the function needs no more. A function that fails leaves the arena as it was; it is
 * called again with memory to be had and must succeed.
 *
 * Each attempt runs on a thread of its own, which has nothing ready, with nothing kept of arenas
 * that have closed.
 */
#include "test.h"

#include "failing.h"

/* ------------------------------------------------------------------------------- attempts */

/* What a function did. */
typedef enum outcome { DONE, OUT_OF_MEMORY, WRONG } outcome;

static outcome by_status(tide_status status)
{
    return status == TIDE_OK ? DONE : status == TIDE_OUT_OF_MEMORY ? OUT_OF_MEMORY : WRONG;
}

static outcome by_success(bool success)
{
    return success ? DONE : tide_last_error() == TIDE_OUT_OF_MEMORY ? OUT_OF_MEMORY : WRONG;
}

/* One function under test. `prepare` runs before memory fails, `undo` after it has succeeded. */
typedef struct operation {
    const char *name;
    void (*prepare)(void);
    outcome (*attempt)(void);
    void (*unchanged)(void); /* asserts that a failed attempt has changed nothing */
    void (*undo)(void);
} operation;

static tide_shared_arena arena;
static tide_segment segment;
static tide_hold hold;
static unsigned char *block;
static int cleanups_run;
static char outside[16];

static const char *count_run(void *context)
{
    (void)context;
    cleanups_run++;
    return NULL;
}

static void nothing(void)
{
}

/* No arena, and none made. */
static void forget(void)
{
    memset(&arena, 0x5A, sizeof arena);
}

static void still_forgotten(void)
{
    assert_true(all_bytes_are(&arena, 0x5A, sizeof arena));
}

/* An arena that has taken nothing. */
static void open_empty(void)
{
    assert_ok(tide_shared_open(&arena));
    segment = canary_segment();
    cleanups_run = 0;
}

static void still_empty(void)
{
    assert_true(tide_shared_is_alive(arena));
    assert_int_equal(tide_shared_used(arena), 0);
    assert_true(is_canary(&segment));
}

static void close_it(void)
{
    assert_ok(tide_shared_close(arena));
}

static void release_it(void)
{
    assert_ok(tide_counted_release(arena));
    assert_false(tide_shared_is_alive(arena));
}

/* An arena whose one chunk is full, with one cleanup; closing it runs the cleanup. */
static void open_full(void)
{
    open_empty();
    block = tide_shared_allocate(arena, 1024, 8);
    memset(block, 7, 1024);
    assert_ok(tide_shared_attach(arena, count_run, NULL));
}

static void still_full(void)
{
    assert_true(tide_shared_is_alive(arena));
    assert_int_equal(tide_shared_used(arena), 1024);
    assert_true(all_bytes_are(block, 7, 1024));
    assert_true(is_canary(&segment));
    assert_int_equal(cleanups_run, 0);
}

static void close_full(void)
{
    assert_true(all_bytes_are(block, 7, 1024));
    assert_ok(tide_shared_close(arena));
    assert_int_equal(cleanups_run, 1);
}

/* ------------------------------------------------------------------------------- operations */

static outcome open_it(void)
{
    return by_status(tide_shared_open(&arena));
}

static outcome open_counted(void)
{
    return by_status(tide_counted_open(&arena));
}

static tide_arena_options some_options(void)
{
    tide_arena_options options = TIDE_ARENA_OPTIONS_INIT;
    options.name = "options";
    options.zero = TIDE_ZERO_WIPE;
    return options;
}

static outcome open_with_options(void)
{
    tide_arena_options options = some_options();
    return by_status(tide_shared_open_with(&arena, &options));
}

static outcome open_counted_with_options(void)
{
    tide_arena_options options = some_options();
    return by_status(tide_counted_open_with(&arena, &options));
}

static outcome allocate_small(void)
{
    unsigned char *small = tide_shared_allocate(arena, 8, 8);
    assert_true(small == NULL || all_bytes_are(small, 0, 8));
    return by_success(small != NULL);
}

static outcome allocate_large(void)
{
    unsigned char *large = tide_shared_allocate(arena, 3000, 8);
    assert_true(large == NULL || all_bytes_are(large, 0, 3000));
    return by_success(large != NULL);
}

static outcome allocate_huge(void)
{
    return by_success(tide_shared_allocate(arena, 300000, 4096) != NULL);
}

static outcome allocate_uninitialized(void)
{
    return by_success(tide_shared_allocate_uninitialized(arena, 3000, 8) != NULL);
}

static outcome allocate_globally(void)
{
    return by_success(tide_shared_allocate(tide_global_arena(), 100000, 8) != NULL);
}

static outcome make_segment(void)
{
    return by_status(tide_shared_segment(arena, 3000, 8, &segment));
}

static outcome make_segment_uninitialized(void)
{
    return by_status(tide_shared_segment_uninitialized(arena, 3000, 8, &segment));
}

static outcome attach_cleanup(void)
{
    return by_status(tide_shared_attach(arena, count_run, NULL));
}

static void close_and_expect_one_cleanup(void)
{
    assert_ok(tide_shared_close(arena));
    assert_int_equal(cleanups_run, 1);
}

/* A batch of cleanups is full: the next one needs another. */
static void open_with_many_cleanups(void)
{
    open_empty();
    for (int i = 0; i < 6; i++)
        assert_ok(tide_shared_attach(arena, count_run, NULL));
}

static void close_and_expect_seven_cleanups(void)
{
    assert_ok(tide_shared_close(arena));
    assert_int_equal(cleanups_run, 7);
}

static outcome attach_segment(void)
{
    const tide_segment bare = tide_segment_of_address(outside);
    return by_status(
        tide_segment_attach_shared(&bare, sizeof outside, arena, count_run, NULL, &segment));
}

static outcome attach_segment_without_cleanup(void)
{
    const tide_segment bare = tide_segment_of_address(outside);
    return by_status(
        tide_segment_attach_shared(&bare, sizeof outside, arena, NULL, NULL, &segment));
}

static outcome take_hold(void)
{
    return by_status(tide_shared_hold(arena, &hold));
}

static void release_hold_and_close(void)
{
    assert_ok(tide_hold_release(&hold));
    assert_ok(tide_shared_close(arena));
}

static outcome extend(void)
{
    return by_status(tide_shared_extend(arena, block, 8, 16));
}

static void open_small(void)
{
    open_empty();
    block = tide_shared_allocate(arena, 8, 8);
}

/* An arena of several chunks, which a reset keeps if it has memory to note them. */
static void open_with_chunks(void)
{
    open_empty();
    for (int i = 0; i < 3; i++)
        assert_non_null(tide_shared_allocate(arena, 3000, 8));
    assert_non_null(tide_shared_allocate(arena, 300000, 8));
}

static outcome reset(void)
{
    outcome done = by_status(tide_shared_reset(&arena));
    assert_true(tide_shared_is_alive(arena));
    assert_int_equal(tide_shared_used(arena), 0);
    return done;
}

static outcome close_chunks(void)
{
    return by_status(tide_shared_close(arena));
}

static outcome read_it(void)
{
    uint8_t byte = 1;
    outcome done = by_status(tide_load_u8(&segment, 0, &byte));
    assert_true(done != DONE || byte == 0);
    return done;
}

static void open_with_segment(void)
{
    open_empty();
    assert_ok(tide_shared_segment(arena, 8, 8, &segment));
}

static outcome get_statistics(void)
{
    tide_grace_statistics statistics = {.struct_size = sizeof statistics};
    return by_status(tide_grace_statistics_get(&statistics));
}

static const operation operations[] = {
    {"open", forget, open_it, still_forgotten, close_it},
    {"open_with", forget, open_with_options, still_forgotten, close_it},
    {"counted_open", forget, open_counted, still_forgotten, release_it},
    {"counted_open_with", forget, open_counted_with_options, still_forgotten, release_it},
    {"allocate small", open_empty, allocate_small, still_empty, close_it},
    {"allocate large", open_empty, allocate_large, still_empty, close_it},
    {"allocate huge", open_empty, allocate_huge, still_empty, close_it},
    {"allocate small, chunk full", open_full, allocate_small, still_full, close_full},
    {"allocate large, chunk full", open_full, allocate_large, still_full, close_full},
    {"allocate huge, chunk full", open_full, allocate_huge, still_full, close_full},
    {"allocate_uninitialized", open_full, allocate_uninitialized, still_full, close_full},
    {"allocate, global", nothing, allocate_globally, nothing, nothing},
    {"segment", open_empty, make_segment, still_empty, close_it},
    {"segment, chunk full", open_full, make_segment, still_full, close_full},
    {"segment_uninitialized", open_full, make_segment_uninitialized, still_full, close_full},
    {"attach", open_empty, attach_cleanup, still_empty, close_and_expect_one_cleanup},
    {"attach, another batch", open_with_many_cleanups, attach_cleanup, still_empty,
     close_and_expect_seven_cleanups},
    {"attach_shared", open_empty, attach_segment, still_empty, close_and_expect_one_cleanup},
    {"attach_shared, no cleanup", open_empty, attach_segment_without_cleanup, still_empty,
     close_it},
    {"hold", open_empty, take_hold, still_empty, release_hold_and_close},
    {"extend", open_small, extend, nothing, close_it},
    {"reset", open_with_chunks, reset, nothing, close_it},
    {"close", open_with_chunks, close_chunks, nothing, nothing},
    {"close with cleanups", open_full, close_chunks, nothing, nothing},
    {"load", open_with_segment, read_it, nothing, close_it},
    {"statistics", nothing, get_statistics, nothing, nothing},
};

/* ------------------------------------------------------------------------------- the loop */

typedef struct try_out {
    const operation *operation;
    long n;
    bool once;
    long failures; /* that were injected */
    outcome outcome;
} try_out;

static void try_on_this_thread(void *context)
{
    try_out *it = (try_out *)context;
    const operation *tested = it->operation;
    tested->prepare();
    if (it->once)
        failing_only(it->n);
    else
        failing_from(it->n);
    it->outcome = tested->attempt();
    it->failures = failing_stop();
    if (it->outcome == OUT_OF_MEMORY) {
        assert_int_equal(tide_last_error(), TIDE_OUT_OF_MEMORY);
        assert_true(tide_last_error_text()[0] != '\0');
        tested->unchanged();
        assert_int_equal(tested->attempt(), DONE);
    }
    tested->undo();
}

static void try_every_n(const operation *tested, bool once)
{
    for (long n = 0;; n++) {
        try_out it = {.operation = tested, .n = n, .once = once};
        (void)tide_trim();
        on_new_thread(try_on_this_thread, &it);
        if (it.outcome == WRONG || (it.failures == 0 && it.outcome != DONE) || n > 100) {
            print_error("%s, allocation %ld fails%s: outcome %d after %ld failures\n", tested->name,
                        n, once ? " alone" : " and all behind it", (int)it.outcome, it.failures);
            fail();
        }
        if (it.failures == 0)
            break;
    }
}

static int report_at_once(void **state)
{
    (void)state;
    setenv("CMOCKA_TEST_ABORT", "1", 1); /* checks run on other threads: they must say so at once */
    return 0;
}

static void every_allocation_may_fail_and_all_behind_it(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(operations); i++)
        try_every_n(&operations[i], false);
}

static void every_allocation_may_fail_alone(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(operations); i++)
        try_every_n(&operations[i], true);
}

static tide_shared_arena ballast[20000];
static size_t ballast_count;

/* Arenas of both kinds in turn, as many as there is memory for. */
static tide_status open_ballast(void)
{
    tide_status status = TIDE_OK;
    while (status == TIDE_OK) {
        assert_true(ballast_count < COUNT_OF(ballast));
        tide_shared_arena *place = &ballast[ballast_count];
        status = ballast_count % 2 == 0 ? tide_shared_open(place) : tide_counted_open(place);
        if (status == TIDE_OK)
            ballast_count++;
    }
    return status;
}

static void open_finds_no_memory_for_its_records_and_then_finds_it(void **state)
{
    (void)state;
    (void)tide_trim();
    for (int refusals = 0; refusals < 4; refusals++) {
        failing_from(0);
        tide_status status = open_ballast();
        failing_stop();
        assert_int_equal(status, TIDE_OUT_OF_MEMORY);
        assert_int_equal(tide_last_error(), TIDE_OUT_OF_MEMORY);
        assert_ok(tide_shared_open(&arena));
        assert_non_null(tide_shared_allocate(arena, 100, 8));
        assert_ok(tide_shared_close(arena));
    }
    for (size_t i = 0; i < ballast_count; i++)
        assert_ok(i % 2 == 0 ? tide_shared_close(ballast[i]) : tide_counted_release(ballast[i]));
}

/* A thread's first call may find no memory for the thread's block: it reads, holds and closes all
 * the same. */
static void use_without_a_block(void *unused)
{
    (void)unused;
    uint64_t value = 0;
    failing_from(0);
    tide_status loaded = tide_load_u64(&segment, 0, &value);
    tide_status stored = tide_store_u64(&segment, 0, value + 1);
    tide_status held = tide_shared_hold(arena, &hold);
    tide_status released = tide_hold_release(&hold);
    unsigned char *small = tide_shared_allocate(arena, 8, 8);
    tide_status closed = tide_shared_close(arena);
    failing_stop();
    assert_int_equal(loaded, TIDE_OK);
    assert_int_equal(value, 41);
    assert_int_equal(stored, TIDE_OK);
    assert_int_equal(held, TIDE_OK);
    assert_int_equal(released, TIDE_OK);
    assert_non_null(small); /* the chunk had room */
    assert_int_equal(closed, TIDE_OK);
    assert_int_equal(cleanups_run, 1);
    assert_status(TIDE_CLOSED, tide_load_u64(&segment, 0, &value));
}

static void a_thread_without_a_block_uses_a_shared_arena_all_the_same(void **state)
{
    (void)state;
    open_empty();
    assert_ok(tide_shared_segment(arena, 8, 8, &segment));
    assert_ok(tide_shared_attach(arena, count_run, NULL));
    tide_set_u64(&segment, 0, 41);
    on_new_thread(use_without_a_block, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_may_fail_and_all_behind_it),
        cmocka_unit_test(every_allocation_may_fail_alone),
        cmocka_unit_test(open_finds_no_memory_for_its_records_and_then_finds_it),
        cmocka_unit_test(a_thread_without_a_block_uses_a_shared_arena_all_the_same),
    };
    return cmocka_run_group_tests_name("shared failure", tests, report_at_once, NULL);
}
