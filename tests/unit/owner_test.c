/* SPDX-License-Identifier: Apache-2.0 */
/* Owner tokens: who a thread is, to the arenas that it opens. */
#include "test.h"

static void a_new_token_is_never_0_and_never_given_twice(void **state)
{
    (void)state;
    tide_owner tokens[64];
    for (size_t i = 0; i < COUNT_OF(tokens); i++) {
        tokens[i] = tide_owner_new();
        assert_int_not_equal(tokens[i], 0);
        assert_int_not_equal(tokens[i], tide_owner_current());
        for (size_t j = 0; j < i; j++)
            assert_int_not_equal(tokens[i], tokens[j]);
    }
}

static void a_thread_keeps_its_own_token(void **state)
{
    (void)state;
    tide_owner first = tide_owner_current();
    assert_int_not_equal(first, 0);
    assert_int_equal(tide_owner_current(), first);
}

static void note_current_owner(void *context)
{
    *(tide_owner *)context = tide_owner_current();
}

static void no_two_threads_share_a_token_not_even_one_after_the_other(void **state)
{
    (void)state;
    tide_owner tokens[9] = {tide_owner_current()};
    for (size_t i = 1; i < COUNT_OF(tokens); i++) {
        on_new_thread(note_current_owner, &tokens[i]);
        assert_int_not_equal(tokens[i], 0);
        for (size_t j = 0; j < i; j++)
            assert_int_not_equal(tokens[i], tokens[j]);
    }
}

static void setting_a_token_makes_it_current_and_returns_the_one_before(void **state)
{
    (void)state;
    tide_owner own = tide_owner_current();
    tide_owner fiber = tide_owner_new();
    assert_int_equal(tide_owner_set(fiber), own);
    assert_int_equal(tide_owner_current(), fiber);
    assert_int_equal(tide_owner_set(own), fiber);
    assert_int_equal(tide_owner_current(), own);
}

static void setting_the_current_token_again_changes_nothing(void **state)
{
    (void)state;
    tide_owner own = tide_owner_current();
    assert_int_equal(tide_owner_set(own), own);
    assert_int_equal(tide_owner_current(), own);
}

static void set_first_thing_on_a_thread(void *context)
{
    tide_owner *tokens = (tide_owner *)context;
    tokens[1] = tide_owner_set(tokens[0]);
    tokens[2] = tide_owner_current();
    tokens[3] = tide_owner_set(tokens[1]);
}

static void setting_may_be_a_threads_first_call(void **state)
{
    (void)state;
    tide_owner tokens[4] = {tide_owner_new()};
    on_new_thread(set_first_thing_on_a_thread, tokens);
    assert_int_not_equal(tokens[1], 0); /* the thread's own */
    assert_int_not_equal(tokens[1], tide_owner_current());
    assert_int_equal(tokens[2], tokens[0]);
    assert_int_equal(tokens[3], tokens[0]);
}

static void a_token_that_nobody_ever_had_is_a_fault(void **state)
{
    (void)state;
    tide_owner own = tide_owner_current();
    const tide_owner strange[] = {0, UINT64_C(1) << 62, UINT64_C(1) << 63, own | UINT64_C(1) << 63,
                                  UINT64_MAX};
    for (size_t i = 0; i < COUNT_OF(strange); i++) {
        assert_fault(TIDE_INVALID_ARGUMENT, tide_owner_set(strange[i]));
        assert_int_equal(tide_owner_current(), own);
    }
}

static void an_arena_belongs_to_the_token_that_was_current_when_it_was_opened(void **state)
{
    (void)state;
    tide_owner fiber = tide_owner_new();
    tide_owner own = tide_owner_set(fiber);
    tide_arena arena;
    tide_segment segment;
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_arena_segment(&arena, 16, 8, &segment));
    tide_owner_set(own);
    assert_refused(TIDE_WRONG_OWNER, tide_arena_close(&arena));
    assert_refused(TIDE_WRONG_OWNER, tide_store_u8(&segment, 0, 1));
    tide_owner_set(fiber);
    assert_ok(tide_store_u8(&segment, 0, 1));
    assert_ok(tide_arena_close(&arena));
    tide_owner_set(own);
}

typedef struct travelling_fiber {
    tide_owner owner;
    tide_arena arena;
    tide_segment segment;
} travelling_fiber;

static void open_as_fiber(void *context)
{
    travelling_fiber *fiber = (travelling_fiber *)context;
    tide_owner before = tide_owner_set(fiber->owner);
    assert_ok(tide_arena_open(&fiber->arena));
    assert_ok(tide_arena_segment(&fiber->arena, 8, 8, &fiber->segment));
    tide_set_u64(&fiber->segment, 0, 42);
    tide_owner_set(before);
}

static void close_as_fiber(void *context)
{
    travelling_fiber *fiber = (travelling_fiber *)context;
    tide_owner before = tide_owner_set(fiber->owner);
    assert_int_equal(tide_get_u64(&fiber->segment, 0), 42);
    assert_non_null(tide_arena_allocate(&fiber->arena, 500, 1));
    assert_ok(tide_arena_close(&fiber->arena));
    assert_refused(TIDE_CLOSED, tide_store_u64(&fiber->segment, 0, 1));
    tide_owner_set(before);
}

static void an_arena_follows_its_token_to_another_thread_after_its_first_has_exited(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        travelling_fiber fiber = {.owner = tide_owner_new()};
        on_new_thread(open_as_fiber, &fiber);
        on_new_thread(close_as_fiber, &fiber);
        assert_false(tide_arena_is_alive(&fiber.arena));
    }
}

static void a_fiber_may_close_on_a_thread_that_has_never_used_the_library(void **state)
{
    (void)state;
    travelling_fiber fiber = {.owner = tide_owner_new()};
    open_as_fiber(&fiber);
    on_new_thread(close_as_fiber, &fiber);
    assert_false(tide_arena_is_alive(&fiber.arena));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_token_is_never_0_and_never_given_twice),
        cmocka_unit_test(a_thread_keeps_its_own_token),
        cmocka_unit_test(no_two_threads_share_a_token_not_even_one_after_the_other),
        cmocka_unit_test(setting_a_token_makes_it_current_and_returns_the_one_before),
        cmocka_unit_test(setting_the_current_token_again_changes_nothing),
        cmocka_unit_test(setting_may_be_a_threads_first_call),
        cmocka_unit_test(a_token_that_nobody_ever_had_is_a_fault),
        cmocka_unit_test(an_arena_belongs_to_the_token_that_was_current_when_it_was_opened),
        cmocka_unit_test(an_arena_follows_its_token_to_another_thread_after_its_first_has_exited),
        cmocka_unit_test(a_fiber_may_close_on_a_thread_that_has_never_used_the_library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
