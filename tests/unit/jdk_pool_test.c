/* SPDX-License-Identifier: Apache-2.0 */
/* What the JDK's tests promise of small confined arenas served from a thread's pools. */
#include "test.h"

#define POOL 64

static unsigned char *allocate(tide_arena *arena, size_t size)
{
    unsigned char *block = (unsigned char *)tide_arena_allocate(arena, size, 1);
    assert_non_null(block);
    return block;
}

static void the_same_memory_is_used_again(void **state)
{
    (void)state;
    tide_arena arena;
    unsigned char *first = NULL;
    for (int i = 0; i < 100; i++) {
        assert_ok(tide_arena_open(&arena));
        unsigned char *block = allocate(&arena, 16);
        if (i == 0)
            first = block;
        assert_ptr_equal(block, first);
        assert_ok(tide_arena_close(&arena));
    }
}

static void memory_is_zero_again_for_every_size_up_to_the_pool_and_one_beyond(void **state)
{
    (void)state;
    for (size_t size = 0; size <= POOL + 1; size++) {
        for (int round = 0; round < 3; round++) {
            tide_arena arena;
            assert_ok(tide_arena_open(&arena));
            unsigned char *block = allocate(&arena, size);
            assert_zeroed(block, size);
            memset(block, 0xFF, size);
            assert_ok(tide_arena_close(&arena));
        }
    }
}

static void memory_is_zero_again_whatever_was_written_through_several_allocations(void **state)
{
    (void)state;
    for (size_t piece = 1; piece <= POOL; piece++) {
        tide_arena arena;
        for (int round = 0; round < 2; round++) {
            assert_ok(tide_arena_open(&arena));
            for (size_t used = 0; used + piece <= POOL; used += piece) {
                unsigned char *block = allocate(&arena, piece);
                assert_zeroed(block, piece);
                memset(block, 0xFF, piece);
            }
            assert_ok(tide_arena_close(&arena));
        }
    }
}

static void a_segment_sees_zero_on_reuse_through_checked_access(void **state)
{
    (void)state;
    for (int round = 0; round < 3; round++) {
        tide_arena arena;
        tide_segment segment;
        assert_ok(tide_arena_open(&arena));
        assert_ok(tide_arena_segment(&arena, POOL, 8, &segment));
        for (size_t i = 0; i < POOL / 8; i++) {
            assert_int_equal(tide_get_i64_at(&segment, i), 0);
            tide_set_i64_at(&segment, i, -1);
        }
        assert_ok(tide_arena_close(&arena));
    }
}

static void arenas_may_close_out_of_order(void **state)
{
    (void)state;
    tide_arena first, second;
    for (int round = 0; round < 10; round++) {
        assert_ok(tide_arena_open(&first));
        unsigned char *a = allocate(&first, POOL);
        assert_ok(tide_arena_open(&second));
        unsigned char *b = allocate(&second, POOL);
        assert_zeroed(a, POOL);
        assert_zeroed(b, POOL);
        assert_true(a + POOL <= b || b + POOL <= a);
        memset(a, 1, POOL);
        memset(b, 2, POOL);
        assert_ok(tide_arena_close(&first));
        assert_true(all_bytes_are(b, 2, POOL));
        assert_ok(tide_arena_open(&first));
        unsigned char *c = allocate(&first, POOL);
        assert_zeroed(c, POOL);
        assert_true(c + POOL <= b || b + POOL <= c);
        memset(c, 3, POOL);
        assert_true(all_bytes_are(b, 2, POOL));
        assert_ok(tide_arena_close(&second));
        assert_true(all_bytes_are(c, 3, POOL));
        assert_ok(tide_arena_close(&first));
    }
}

static void arenas_that_use_the_same_memory_one_after_the_other_have_distinct_scopes(void **state)
{
    (void)state;
    tide_arena arena;
    tide_segment before, after;
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_arena_segment(&arena, 16, 8, &before));
    assert_ok(tide_arena_close(&arena));
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_arena_segment(&arena, 16, 8, &after));
    assert_true(tide_segment_same_address(&before, &after));
    assert_false(tide_segment_same_scope(&before, &after));
    assert_false(tide_scope_is_alive(tide_segment_scope(&before)));
    assert_refused(TIDE_CLOSED, tide_store_u8(&before, 0, 1));
    assert_ok(tide_store_u8(&after, 0, 1));
    assert_ok(tide_arena_close(&arena));
}

static void what_does_not_fit_leaves_the_pools_pointer_where_it_was(void **state)
{
    (void)state;
    skip_under_checker();
    static const size_t large[] = {POOL + 1, 100, 1000, 5000, 100000};
    for (size_t i = 0; i < COUNT_OF(large); i++) {
        for (size_t used = 0; used < POOL; used += 8) {
            tide_arena arena;
            unsigned char *pool = NULL, *next = NULL;
            assert_ok(tide_arena_open(&arena));
            for (size_t done = 0; done < used; done += 8) {
                next = allocate(&arena, 8);
                pool = pool == NULL ? next : pool;
            }
            assert_non_null(allocate(&arena, large[i]));
            if (used > 0) {
                next = allocate(&arena, 8);
                assert_ptr_equal(next, pool + used);
                assert_zeroed(next, 8);
            }
            assert_ok(tide_arena_close(&arena));
        }
    }
}

static void what_no_longer_fits_leaves_the_rest_of_the_pool_to_smaller_requests(void **state)
{
    (void)state;
    skip_under_checker();
    tide_arena arena;
    assert_ok(tide_arena_open(&arena));
    unsigned char *pool = allocate(&arena, 40);
    unsigned char *outside = allocate(&arena, 30);
    assert_true(outside >= pool + POOL || outside + 30 <= pool);
    assert_ptr_equal(allocate(&arena, 16), pool + 40);
    outside = allocate(&arena, 10);
    assert_true(outside >= pool + POOL || outside + 10 <= pool);
    assert_ptr_equal(allocate(&arena, 8), pool + 56);
    assert_ok(tide_arena_close(&arena));
}

static void more_nested_arenas_than_pools_all_work_and_close_in_any_order(void **state)
{
    (void)state;
    enum { COUNT = 20 };
    for (size_t step = 1; step < COUNT; step += 6) { /* 1, 7, 13, 19: each visits all */
        tide_arena arenas[COUNT];
        unsigned char *blocks[COUNT];
        for (size_t i = 0; i < COUNT; i++) {
            assert_ok(tide_arena_open(&arenas[i]));
            blocks[i] = allocate(&arenas[i], POOL);
            assert_zeroed(blocks[i], POOL);
            memset(blocks[i], (int)i + 1, POOL);
            assert_zeroed(allocate(&arenas[i], 100), 100);
        }
        for (size_t i = 0; i < COUNT; i++) {
            size_t victim = i * step % COUNT;
            assert_true(all_bytes_are(blocks[victim], (int)victim + 1, POOL));
            assert_ok(tide_arena_close(&arenas[victim]));
        }
    }
}

static void pools_handed_back_beyond_the_cache_are_clear_when_they_come_again(void **state)
{
    (void)state;
    enum { COUNT = 12 };
    for (int round = 0; round < 5; round++) {
        tide_arena arenas[COUNT];
        for (size_t i = 0; i < COUNT; i++) {
            assert_ok(tide_arena_open(&arenas[i]));
            unsigned char *block = allocate(&arenas[i], POOL);
            assert_zeroed(block, POOL);
            memset(block, 0xFF, POOL);
        }
        for (size_t i = 0; i < COUNT; i++)
            assert_ok(tide_arena_close(&arenas[i]));
    }
}

/* ------------------------------------------------------------------------------- threads */

static void use_many_pools(void *context)
{
    tide_arena arenas[6];
    (void)context;
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < COUNT_OF(arenas); i++) {
            assert_ok(tide_arena_open(&arenas[i]));
            unsigned char *block = allocate(&arenas[i], POOL);
            assert_zeroed(block, POOL);
            memset(block, 0xFF, POOL);
        }
        for (size_t i = 0; i < COUNT_OF(arenas); i++)
            assert_ok(tide_arena_close(&arenas[i]));
    }
}

static tide_pool_statistics statistics_now(void)
{
    tide_pool_statistics statistics = {.struct_size = sizeof statistics};
    assert_ok(tide_pool_statistics_get(&statistics));
    return statistics;
}

static void what_an_ended_thread_kept_idle_is_used_by_the_next(void **state)
{
    (void)state;
    on_new_thread(use_many_pools, NULL);
    tide_pool_statistics before = statistics_now();
    for (int i = 0; i < 200; i++)
        on_new_thread(use_many_pools, NULL);
    tide_pool_statistics after = statistics_now();
    assert_int_equal(after.cells, before.cells);
    assert_int_equal(after.open_arenas, before.open_arenas);
    assert_int_equal(after.lost_arenas, before.lost_arenas);
}

typedef struct left_open {
    tide_arena arena;
    tide_owner fiber;
    unsigned char *block;
} left_open;

static void leave_open(void *context)
{
    left_open *left = (left_open *)context;
    tide_owner own = tide_owner_set(left->fiber);
    assert_ok(tide_arena_open(&left->arena));
    left->block = allocate(&left->arena, POOL);
    memset(left->block, 7, POOL);
    tide_owner_set(own);
}

static void a_thread_that_ends_frees_nothing_of_what_an_open_arena_holds(void **state)
{
    (void)state;
    left_open left = {.fiber = tide_owner_new()};
    on_new_thread(leave_open, &left);
    for (int i = 0; i < 10; i++)
        on_new_thread(use_many_pools, NULL);
    use_many_pools(NULL);
    assert_true(all_bytes_are(left.block, 7, POOL));
    tide_owner own = tide_owner_set(left.fiber);
    assert_ok(tide_arena_close(&left.arena));
    tide_owner_set(own);
    use_many_pools(NULL);
}

/* ------------------------------------------------------------------------------- close */

static const char *find_pool_intact(void *context)
{
    assert_true(all_bytes_are(context, 0x42, POOL));
    return NULL;
}

static const char *find_pool_clear_of_others(void *context)
{
    (void)context;
    tide_arena arena;
    assert_ok(tide_arena_open(&arena));
    unsigned char *block = allocate(&arena, POOL);
    assert_zeroed(block, POOL);
    memset(block, 0x13, POOL);
    assert_ok(tide_arena_close(&arena));
    return NULL;
}

static void cleanups_run_before_the_pool_is_cleared_or_given_back(void **state)
{
    (void)state;
    tide_arena arena;
    assert_ok(tide_arena_open(&arena));
    unsigned char *block = allocate(&arena, POOL);
    memset(block, 0x42, POOL);
    assert_ok(tide_arena_attach(&arena, find_pool_intact, block));
    assert_ok(tide_arena_attach(&arena, find_pool_clear_of_others, NULL));
    assert_ok(tide_arena_attach(&arena, find_pool_intact, block));
    assert_ok(tide_arena_close(&arena));
    assert_ok(tide_arena_open(&arena));
    assert_zeroed(allocate(&arena, POOL), POOL);
    assert_ok(tide_arena_close(&arena));
}

static void a_second_close_does_not_give_the_pool_back_twice(void **state)
{
    (void)state;
    tide_arena arena, first, second, third;
    assert_ok(tide_arena_open(&arena));
    assert_non_null(allocate(&arena, POOL));
    assert_ok(tide_arena_close(&arena));
    for (int i = 0; i < 5; i++)
        assert_refused(TIDE_CLOSED, tide_arena_close(&arena));
    assert_ok(tide_arena_open(&first));
    assert_ok(tide_arena_open(&second));
    assert_ok(tide_arena_open(&third));
    unsigned char *a = allocate(&first, POOL);
    memset(a, 1, POOL);
    unsigned char *b = allocate(&second, POOL);
    assert_zeroed(b, POOL);
    memset(b, 2, POOL);
    assert_refused(TIDE_CLOSED, tide_arena_close(&arena));
    unsigned char *c = allocate(&third, POOL);
    assert_zeroed(c, POOL);
    memset(c, 3, POOL);
    assert_true(all_bytes_are(a, 1, POOL));
    assert_true(all_bytes_are(b, 2, POOL));
    assert_ok(tide_arena_close(&first));
    assert_ok(tide_arena_close(&second));
    assert_ok(tide_arena_close(&third));
}

static void a_refused_close_does_not_give_the_pool_back(void **state)
{
    (void)state;
    tide_arena arena, other;
    tide_hold hold;
    assert_ok(tide_arena_open(&arena));
    unsigned char *block = allocate(&arena, POOL);
    memset(block, 1, POOL);
    assert_ok(tide_arena_hold(&arena, &hold));
    assert_refused(TIDE_BUSY, tide_arena_close(&arena));
    tide_owner own = tide_owner_set(tide_owner_new());
    assert_refused(TIDE_WRONG_OWNER, tide_arena_close(&arena));
    tide_owner_set(own);
    assert_ok(tide_arena_open(&other));
    assert_zeroed(allocate(&other, POOL), POOL);
    assert_true(all_bytes_are(block, 1, POOL));
    assert_ok(tide_arena_close(&other));
    assert_ok(tide_hold_release(&hold));
    assert_ok(tide_arena_close(&arena));
}

static void bytes_outside_the_arena_are_never_cleared(void **state)
{
    (void)state;
    tide_arena inner, outer;
    assert_ok(tide_arena_open(&outer));
    unsigned char *block = allocate(&outer, POOL);
    memset(block, 0x42, POOL);
    for (size_t size = 0; size <= POOL + 1; size++) {
        assert_ok(tide_arena_open(&inner));
        memset(allocate(&inner, size), 0xFF, size);
        assert_ok(tide_arena_close(&inner));
        assert_true(all_bytes_are(block, 0x42, POOL));
    }
    assert_ok(tide_arena_close(&outer));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_memory_is_used_again),
        cmocka_unit_test(memory_is_zero_again_for_every_size_up_to_the_pool_and_one_beyond),
        cmocka_unit_test(memory_is_zero_again_whatever_was_written_through_several_allocations),
        cmocka_unit_test(a_segment_sees_zero_on_reuse_through_checked_access),
        cmocka_unit_test(arenas_may_close_out_of_order),
        cmocka_unit_test(arenas_that_use_the_same_memory_one_after_the_other_have_distinct_scopes),
        cmocka_unit_test(what_does_not_fit_leaves_the_pools_pointer_where_it_was),
        cmocka_unit_test(what_no_longer_fits_leaves_the_rest_of_the_pool_to_smaller_requests),
        cmocka_unit_test(more_nested_arenas_than_pools_all_work_and_close_in_any_order),
        cmocka_unit_test(pools_handed_back_beyond_the_cache_are_clear_when_they_come_again),
        cmocka_unit_test(what_an_ended_thread_kept_idle_is_used_by_the_next),
        cmocka_unit_test(a_thread_that_ends_frees_nothing_of_what_an_open_arena_holds),
        cmocka_unit_test(cleanups_run_before_the_pool_is_cleared_or_given_back),
        cmocka_unit_test(a_second_close_does_not_give_the_pool_back_twice),
        cmocka_unit_test(a_refused_close_does_not_give_the_pool_back),
        cmocka_unit_test(bytes_outside_the_arena_are_never_cleared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
