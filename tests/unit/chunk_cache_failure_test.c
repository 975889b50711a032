/* SPDX-License-Identifier: Apache-2.0 */
/* The chunks that a thread keeps: which one is ready, which ones go when they are too many, and
 * that nested arenas find theirs without asking the system. */
#include "test.h"

#include "child.h"
#include "failing.h"
#include "lifetime/chunk.h"
#include "lifetime/thread.h"

#define KIB   ((size_t)1024)
#define BOUND (64 * KIB)

static size_t idle_bytes(void)
{
    tide_pool_statistics statistics = {.struct_size = sizeof statistics};
    assert_ok(tide_pool_statistics_get(&statistics));
    assert_true(statistics.cached_chunk_bytes <= BOUND);
    return statistics.cached_chunk_bytes;
}

static void *open_and_take(tide_arena *arena, size_t size)
{
    assert_ok(tide_arena_open(arena));
    void *block = tide_arena_allocate_uninitialized(arena, size, 8);
    assert_non_null(block);
    memset(block, 0xA5, size);
    return block;
}

static void one_arena(size_t size)
{
    tide_arena arena;
    open_and_take(&arena, size);
    assert_ok(tide_arena_close(&arena));
}

static void two_nested_arenas(size_t outer, size_t inner)
{
    tide_arena arena;
    unsigned char *block = open_and_take(&arena, outer);
    one_arena(inner);
    assert_true(all_bytes_are(block, 0xA5, outer));
    assert_ok(tide_arena_close(&arena));
}

/* Bytes of the chunk that the inline path finds ready; 0: it finds none. */
static size_t ready_bytes(void)
{
    const tide_thread *thread = tide_thread_self_();
    return thread->home_chunk->bump == NULL ? thread->chunk_room : 0;
}

/* ----------------------------------------------------------------------------- which is ready */

static void the_chunk_given_back_last_is_the_ready_one(void **state)
{
    (void)state;
    skip_under_checker();
    tide_arena first, second;
    (void)tide_trim();
    one_arena(200);
    assert_int_equal(ready_bytes(), 4 * KIB);
    open_and_take(&first, 200);
    open_and_take(&second, 5000);
    assert_int_equal(ready_bytes(), 0);
    assert_ok(tide_arena_close(&first));
    assert_int_equal(ready_bytes(), 4 * KIB);
    assert_ok(tide_arena_close(&second));
    assert_int_equal(ready_bytes(), 8 * KIB);
    open_and_take(&first, 200);
    open_and_take(&second, 200);
    assert_ok(tide_arena_close(&first));
    assert_ok(tide_arena_close(&second));
    assert_int_equal(ready_bytes(), 4 * KIB);
    assert_int_equal(idle_bytes(), 12 * KIB);
}

static void a_chunk_below_the_least_is_kept_but_never_ready(void **state)
{
    (void)state;
    skip_under_checker();
    tide_arena arena;
    tide_arena_options options = TIDE_ARENA_OPTIONS_INIT;
    options.chunk_max = 1024;
    (void)tide_trim();
    assert_ok(tide_arena_open_with(&arena, &options));
    assert_non_null(tide_arena_allocate(&arena, 200, 8));
    assert_ok(tide_arena_close(&arena));
    assert_int_equal(idle_bytes(), 1 * KIB);
    assert_int_equal(ready_bytes(), 0);
}

static void an_arena_that_stays_open_loses_the_slot_to_those_inside(void **state)
{
    (void)state;
    skip_under_checker();
    tide_arena outer;
    (void)tide_trim();
    one_arena(200);
    unsigned char *block = open_and_take(&outer, 200);
    assert_int_equal(ready_bytes(), 0);
    for (int i = 0; i < 100; i++)
        one_arena(200);
    assert_int_equal(ready_bytes(), 4 * KIB);
    assert_true(all_bytes_are(block, 0xA5, 200));
    unsigned char *more = tide_arena_allocate(&outer, 300, 8);
    assert_zeroed(more, 300);
    assert_int_equal(tide_arena_used(&outer), 500);
    assert_ok(tide_arena_close(&outer));
    assert_refused(TIDE_CLOSED, tide_arena_close(&outer));
    assert_int_equal(ready_bytes(), 4 * KIB);
    assert_int_equal(idle_bytes(), 8 * KIB);
}

/* ----------------------------------------------------------------------------- which go */

static void expect_no_malloc(void (*body)(size_t, size_t), size_t outer, size_t inner)
{
    for (int i = 0; i < 40; i++)
        body(outer, inner);
    failing_from(0);
    for (int i = 0; i < 100; i++)
        body(outer, inner);
    assert_int_equal(failing_stop(), 0);
    (void)idle_bytes();
}

static void nested_arenas_find_their_chunks_also_after_a_large_one(void **state)
{
    (void)state;
    skip_under_checker();
    const size_t before[] = {200, 5000, 60000, 100000};
    for (size_t i = 0; i < COUNT_OF(before); i++) {
        (void)tide_trim();
        one_arena(before[i]);
        expect_no_malloc(two_nested_arenas, 200, 200);
        one_arena(before[i]);
        expect_no_malloc(two_nested_arenas, 5000, 200);
        expect_no_malloc(two_nested_arenas, 200, 5000);
    }
}

static void inside_of_a(size_t size, size_t outer)
{
    (void)outer;
    one_arena(size);
}

static void arenas_in_one_that_has_all_the_cache_may_hold_find_theirs(void **state)
{
    (void)state;
    skip_under_checker();
    tide_arena outer;
    (void)tide_trim();
    one_arena(60000);
    unsigned char *block = open_and_take(&outer, 60000);
    expect_no_malloc(inside_of_a, 200, 0);
    expect_no_malloc(two_nested_arenas, 200, 5000);
    assert_true(all_bytes_are(block, 0xA5, 60000));
    assert_ok(tide_arena_close(&outer));
    assert_true(idle_bytes() != 0);
}

static void a_large_chunk_that_is_needed_makes_small_ones_go(void **state)
{
    (void)state;
    skip_under_checker();
    (void)tide_trim();
    for (int i = 0; i < 10; i++)
        two_nested_arenas(200, 5000);
    expect_no_malloc(inside_of_a, 60000, 0);
    assert_int_equal(ready_bytes(), 64 * KIB);
}

static void a_large_chunk_that_was_not_needed_goes_itself(void **state)
{
    (void)state;
    skip_under_checker();
    tide_arena outer;
    (void)tide_trim();
    one_arena(60000);
    open_and_take(&outer, 200); /* from the 64 KiB that are ready */
    one_arena(200);
    assert_ok(tide_arena_close(&outer));
    assert_int_equal(ready_bytes(), 4 * KIB);
    assert_int_equal(idle_bytes(), 4 * KIB);
}

/* ----------------------------------------------------------------------------- what holds on it */

/* The chunk of a nested arena comes and goes by a short way of its own: it must see all the others
 * see. */
static void a_nested_arenas_chunk_is_guarded_as_any(void **state)
{
    (void)state;
    tide_arena outer, inner;
    tide_segment segment;
    tide_hold hold;
    one_arena(200);
    for (int i = 0; i < 3; i++) {
        open_and_take(&outer, 200);
        open_and_take(&inner, 300);
        assert_ok(tide_arena_segment(&inner, 100, 8, &segment));
        assert_zeroed(tide_arena_allocate(&inner, 1000, 8), 1000);
        tide_arena copy = inner;
        assert_refused(TIDE_INVALID_ARGUMENT, tide_arena_close(&copy));
        assert_ok(tide_scope_hold(tide_arena_scope(&inner), &hold));
        assert_refused(TIDE_BUSY, tide_arena_close(&inner));
        assert_ok(tide_hold_release(&hold));
        tide_owner own = tide_owner_set(tide_owner_new());
        assert_refused(TIDE_WRONG_OWNER, tide_arena_close(&inner));
        tide_owner_set(own);
        assert_ok(tide_arena_close(&inner));
        assert_refused(TIDE_CLOSED, tide_arena_close(&inner));
        assert_refused(TIDE_CLOSED, tide_scope_hold(tide_segment_scope(&segment), &hold));
        assert_ok(tide_arena_open(&inner));
        assert_zeroed(tide_arena_allocate(&inner, 300, 8), 300);
        assert_ok(tide_arena_close(&inner));
        assert_ok(tide_arena_close(&outer));
    }
}

/* The next number of a sequence that is the same in each run. */
static uint32_t next_random(uint32_t *random)
{
    *random = *random * 1664525 + 1013904223;
    return *random >> 8;
}

typedef struct live_arena {
    tide_arena arena;
    unsigned char *block; /* NULL: the arena is closed */
    size_t size;
} live_arena;

static void change_one(live_arena *it, uint32_t *random, int value)
{
    static const size_t sizes[] = {8, 64, 65, 200, 1000, 5000, 20000, 60000, 100000};
    if (it->block != NULL) {
        assert_true(all_bytes_are(it->block, value, it->size));
        it->block = NULL;
        if (next_random(random) % 8 != 0) {
            assert_ok(tide_arena_close(&it->arena));
            return;
        }
        assert_ok(tide_arena_reset(&it->arena));
    } else {
        assert_ok(tide_arena_open(&it->arena));
    }
    it->size = sizes[next_random(random) % COUNT_OF(sizes)];
    if (next_random(random) % 2 == 0) {
        it->block = tide_arena_allocate(&it->arena, it->size, 16);
        assert_zeroed(it->block, it->size);
    } else {
        it->block = tide_arena_allocate_uninitialized(&it->arena, it->size, 16);
    }
    assert_aligned(it->block, 16);
    memset(it->block, value, it->size);
}

static void arenas_in_any_order_keep_to_their_own_memory_and_to_the_bound(void **state)
{
    (void)state;
    enum { ARENAS = 12, STEPS = 20000 };
    static live_arena arenas[ARENAS];
    uint32_t random = 1;
    for (int step = 0; step < STEPS; step++) {
        size_t which = next_random(&random) % ARENAS;
        change_one(&arenas[which], &random, (int)which + 1);
        if (step % 16 == 0)
            (void)idle_bytes();
    }
    for (size_t i = 0; i < ARENAS; i++) {
        if (arenas[i].block != NULL)
            assert_ok(tide_arena_close(&arenas[i].arena));
    }
    (void)idle_bytes();
}

/* ----------------------------------------------------------------------------- its knob */

static void the_least_size_of_the_ready_chunk_is_a_knob(void **state)
{
    (void)state;
    skip_under_checker();
    const struct {
        const char *variables[3];
        const char *output;
    } rows[] = {
        {{NULL}, "4096 4096\n"},
        {{"TIDEPOOL_CHUNK_READY=1024"}, "1024 1024\n"},
        {{"TIDEPOOL_CHUNK_READY=32768"}, "32768 32768\n"},
        {{"TIDEPOOL_CHUNK_MAX=1024"}, "1024 1024\n"},
        {{"TIDEPOOL_CHUNK_CACHE=3000"}, "2048 2048\n"},
        {{"TIDEPOOL_CHUNK_CACHE=0"}, "0 0\n"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        child_result result = child_run("--child", "ready", rows[i].variables);
        assert_string_equal(result.error, "");
        assert_string_equal(result.output, rows[i].output);
    }
}

int main(int count, char **arguments)
{
    if (count == 3 && strcmp(arguments[1], "--child") == 0) {
        setenv("CMOCKA_TEST_ABORT", "1", 1); /* a check that fails says so at once */
        one_arena(200);
        printf("%zu %zu\n", ready_bytes(), idle_bytes());
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_chunk_given_back_last_is_the_ready_one),
        cmocka_unit_test(a_chunk_below_the_least_is_kept_but_never_ready),
        cmocka_unit_test(an_arena_that_stays_open_loses_the_slot_to_those_inside),
        cmocka_unit_test(nested_arenas_find_their_chunks_also_after_a_large_one),
        cmocka_unit_test(arenas_in_one_that_has_all_the_cache_may_hold_find_theirs),
        cmocka_unit_test(a_large_chunk_that_is_needed_makes_small_ones_go),
        cmocka_unit_test(a_large_chunk_that_was_not_needed_goes_itself),
        cmocka_unit_test(a_nested_arenas_chunk_is_guarded_as_any),
        cmocka_unit_test(arenas_in_any_order_keep_to_their_own_memory_and_to_the_bound),
        cmocka_unit_test(the_least_size_of_the_ready_chunk_is_a_knob),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
