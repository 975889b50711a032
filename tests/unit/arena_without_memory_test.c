/* SPDX-License-Identifier: Apache-2.0 */
/* Arenas on the null manager: what lies in a chunk has an address and no memory, and whatever the
 * arena does, it must not touch it. A touch ends the process. */
#include "test.h"

static tide_arena arena;

static int open_without_memory(void **state)
{
    (void)state;
    tide_arena_options options = TIDE_ARENA_OPTIONS_INIT;
    options.manager = tide_manager_null();
    return tide_arena_open_with(&arena, &options) == TIDE_OK ? 0 : -1;
}

static int close_it(void **state)
{
    (void)state;
    return tide_arena_close(&arena) == TIDE_OK ? 0 : -1;
}

/* With memory, small requests behind so much would be served from bytes cleared beforehand. */
static void many_small_requests_get_distinct_addresses(void **state)
{
    (void)state;
    assert_non_null(tide_arena_allocate(&arena, 64, 8)); /* the pool, which is memory */
    uintptr_t end = 0;
    for (size_t i = 0; i < 300; i++) {
        uintptr_t block = (uintptr_t)tide_arena_allocate(&arena, 24, 8);
        assert_aligned(block, 8);
        assert_true(i == 0 || block >= end || block + 24 <= end);
        end = block + 24;
    }
    assert_true(tide_arena_used(&arena) >= 64 + 300 * 24);
}

static void a_block_grows_and_shrinks_where_it_lies(void **state)
{
    (void)state;
    char *block = (char *)tide_arena_allocate(&arena, 600, 8);
    assert_ok(tide_arena_extend(&arena, block, 600, 900));
    assert_int_equal(tide_arena_used(&arena), 900);
    assert_ok(tide_arena_extend(&arena, block, 900, 0));
    assert_int_equal(tide_arena_used(&arena), 1);
    assert_ok(tide_arena_extend(&arena, block, 0, 700));
    assert_int_equal(tide_arena_used(&arena), 700);
}

static void a_reset_hands_the_same_addresses_out_again(void **state)
{
    (void)state;
    tide_manager_statistics before = {.struct_size = sizeof before};
    tide_manager_statistics after = {.struct_size = sizeof after};
    char *first = (char *)tide_arena_allocate(&arena, 3000, 8);
    assert_ok(tide_manager_statistics_get(tide_manager_null(), &before));
    assert_ok(tide_arena_reset(&arena));
    assert_ptr_equal(tide_arena_allocate(&arena, 3000, 8), first);
    assert_ok(tide_manager_statistics_get(tide_manager_null(), &after));
    assert_int_equal(after.allocations, before.allocations);
    assert_int_equal(after.used, before.used);
}

#define without_memory(test) cmocka_unit_test_setup_teardown(test, open_without_memory, close_it)

int main(void)
{
    const struct CMUnitTest tests[] = {
        without_memory(many_small_requests_get_distinct_addresses),
        without_memory(a_block_grows_and_shrinks_where_it_lies),
        without_memory(a_reset_hands_the_same_addresses_out_again),
    };
    return cmocka_run_group_tests_name("arena-without-memory", tests, NULL, NULL);
}
