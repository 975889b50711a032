/* SPDX-License-Identifier: Apache-2.0 */
/* Every function of shared.h with every handle that is wrong, every kind that it is not for, and
 * every argument that is none. What is refused changes nothing. */
#include "test.h"

/* ------------------------------------------------------------------------------- handles */

static tide_shared_arena zeroed_handle(void)
{
    return (tide_shared_arena){0};
}

static tide_shared_arena open_shared(void)
{
    tide_shared_arena arena;
    assert_ok(tide_shared_open(&arena));
    return arena;
}

static tide_shared_arena open_counted(void)
{
    tide_shared_arena arena;
    assert_ok(tide_counted_open(&arena));
    return arena;
}

static tide_shared_arena closed_shared(void)
{
    tide_shared_arena arena = open_shared();
    assert_ok(tide_shared_close(arena));
    return arena;
}

static tide_shared_arena closed_counted(void)
{
    tide_shared_arena arena = open_counted();
    assert_ok(tide_counted_release(arena));
    return arena;
}

/* Open arenas, of which one has the cell of a stale handle. */
#define OTHERS 8
static tide_shared_arena others[OTHERS];

static const char *nothing(void *context)
{
    (void)context;
    return NULL;
}

/* A cleanup makes the close wait, so that the cell is free at once for one of the next arenas. */
static tide_shared_arena stale(bool counted, bool next_counted)
{
    tide_shared_arena arena = counted ? open_counted() : open_shared();
    assert_ok(tide_shared_attach(arena, nothing, NULL));
    assert_ok(counted ? tide_counted_release(arena) : tide_shared_close(arena));
    for (size_t i = 0; i < OTHERS; i++)
        others[i] = next_counted ? open_counted() : open_shared();
    return arena;
}

static void check_others(tide_shared_arena arena, bool counted)
{
    bool same_cell = false;
    for (size_t i = 0; i < OTHERS; i++) {
        assert_true(tide_shared_is_alive(others[i]));
        assert_int_equal(tide_shared_used(others[i]), 0);
        same_cell |= others[i].cell_ == arena.cell_;
        if (counted) { /* one reference as before: it is the last */
            assert_ok(tide_counted_release(others[i]));
            assert_false(tide_shared_is_alive(others[i]));
        } else { /* and no hold */
            assert_ok(tide_shared_close(others[i]));
        }
    }
    assert_true(same_cell);
}

/* ------------------------------------------------------------------------------- every function */

static char outside[16];

/* Calls that return a status, but for those that tell kinds apart. */
static void expect_of_common_calls(tide_shared_arena arena, tide_status expected)
{
    tide_segment segment = canary_segment();
    tide_hold hold;
    const tide_segment address = tide_segment_of_address(outside);
    memset(&hold, 0x5A, sizeof hold);
    assert_refused(expected, tide_shared_segment(arena, 8, 8, &segment));
    assert_refused(expected, tide_shared_segment(arena, 0, 1, &segment));
    assert_refused(expected, tide_shared_segment_uninitialized(arena, 8, 8, &segment));
    assert_refused(expected, tide_shared_attach(arena, nothing, NULL));
    assert_refused(expected, tide_shared_extend(arena, outside, 8, 16));
    assert_refused(expected, tide_shared_hold(arena, &hold));
    assert_refused(expected, tide_scope_hold(tide_shared_scope(arena), &hold));
    assert_refused(expected,
                   tide_segment_attach_shared(&address, 16, arena, nothing, NULL, &segment));
    assert_refused(expected, tide_segment_attach_shared(&address, 16, arena, NULL, NULL, &segment));
    assert_true(is_canary(&segment));
    assert_true(all_bytes_are(&hold, 0x5A, sizeof hold));

    assert_fault(expected, tide_shared_allocate(arena, 8, 8));
    assert_fault(expected, tide_shared_allocate(arena, 0, 1));
    assert_fault(expected, tide_shared_allocate_uninitialized(arena, 8, 8));
    assert_fault(expected, tide_shared_used(arena));
    assert_false(tide_shared_is_alive(arena));
    assert_false(tide_scope_is_alive(tide_shared_scope(arena)));
}

static void expect_of_ends(tide_shared_arena arena, tide_status of_close, tide_status of_retain)
{
    tide_shared_arena copy = arena;
    assert_refused(of_close, tide_shared_close(arena));
    assert_refused(of_close, tide_shared_reset(&copy));
    assert_refused(of_retain, tide_counted_retain(arena));
    assert_refused(of_retain, tide_counted_release(arena));
    assert_memory_equal(&copy, &arena, sizeof copy);
}

static void a_zeroed_handle_is_an_invalid_argument(void **state)
{
    (void)state;
    tide_scope scope = tide_shared_scope(zeroed_handle());
    assert_true(tide_scope_equal(scope, (tide_scope){0}));
    expect_of_common_calls(zeroed_handle(), TIDE_INVALID_ARGUMENT);
    expect_of_ends(zeroed_handle(), TIDE_INVALID_ARGUMENT, TIDE_INVALID_ARGUMENT);
}

static void a_closed_shared_arena_is_closed_to_every_call(void **state)
{
    (void)state;
    tide_shared_arena arena = closed_shared();
    expect_of_common_calls(arena, TIDE_CLOSED);
    assert_refused(TIDE_CLOSED, tide_shared_close(arena));
    assert_refused(TIDE_CLOSED, tide_shared_reset(&arena));
}

static void a_closed_counted_arena_is_closed_to_every_call(void **state)
{
    (void)state;
    tide_shared_arena arena = closed_counted();
    expect_of_common_calls(arena, TIDE_CLOSED);
    assert_refused(TIDE_CLOSED, tide_counted_retain(arena));
    assert_refused(TIDE_CLOSED, tide_counted_release(arena));
}

static void a_scope_of_a_closed_arena_is_still_its_own(void **state)
{
    (void)state;
    tide_shared_arena arena = open_shared();
    tide_scope scope = tide_shared_scope(arena);
    assert_ok(tide_shared_close(arena));
    assert_true(tide_scope_equal(scope, tide_shared_scope(arena)));
}

static void a_stale_handle_never_reaches_the_next_arena_of_its_cell(void **state)
{
    (void)state;
    for (int kinds = 0; kinds < 4; kinds++) {
        bool counted = (kinds & 1) != 0, next_counted = (kinds & 2) != 0;
        tide_shared_arena arena = stale(counted, next_counted);
        for (int i = 0; i < 3; i++) {
            expect_of_common_calls(arena, TIDE_CLOSED);
            if (counted) {
                assert_refused(TIDE_CLOSED, tide_counted_retain(arena));
                assert_refused(TIDE_CLOSED, tide_counted_release(arena));
            } else {
                assert_refused(TIDE_CLOSED, tide_shared_close(arena));
                assert_refused(TIDE_CLOSED, tide_shared_reset(&arena));
            }
        }
        check_others(arena, next_counted);
    }
}

/* ------------------------------------------------------------------------------- kinds */

static void only_counted_arenas_are_retained_and_released(void **state)
{
    (void)state;
    tide_shared_arena arena = open_shared();
    assert_refused(TIDE_UNSUPPORTED, tide_counted_retain(arena));
    assert_refused(TIDE_UNSUPPORTED, tide_counted_release(arena));
    assert_true(tide_shared_is_alive(arena));
    assert_ok(tide_shared_close(arena));
    assert_refused(TIDE_UNSUPPORTED, tide_counted_retain(tide_global_arena()));
    assert_refused(TIDE_UNSUPPORTED, tide_counted_release(tide_global_arena()));
}

static void only_shared_arenas_are_closed_and_reset(void **state)
{
    (void)state;
    tide_shared_arena arena = open_counted();
    expect_of_ends(tide_global_arena(), TIDE_UNSUPPORTED, TIDE_UNSUPPORTED);
    tide_shared_arena copy = arena;
    assert_refused(TIDE_UNSUPPORTED, tide_shared_close(arena));
    assert_refused(TIDE_UNSUPPORTED, tide_shared_reset(&copy));
    assert_memory_equal(&copy, &arena, sizeof copy);
    assert_true(tide_shared_is_alive(arena));
    assert_ok(tide_counted_release(arena));
}

/* ------------------------------------------------------------------------------- arguments */

static void expect_bad_arguments(tide_shared_arena arena)
{
    static const size_t huge[] = HUGE_SIZES;
    static const size_t alignments[] = {0,  3,  6,        24,           48,
                                        65, 96, SIZE_MAX, SIZE_MAX - 1, (size_t)1 << 63};
    tide_segment segment = canary_segment();
    const tide_segment address = tide_segment_of_address(outside);
    char *block = tide_shared_allocate(arena, 8, 8);
    for (size_t i = 0; i < COUNT_OF(huge); i++) {
        size_t size = opaque(huge[i]);
        assert_fault(TIDE_INVALID_ARGUMENT, tide_shared_allocate(arena, size, 8));
        assert_fault(TIDE_INVALID_ARGUMENT, tide_shared_allocate_uninitialized(arena, size, 8));
        assert_refused(TIDE_INVALID_ARGUMENT, tide_shared_segment(arena, size, 8, &segment));
        assert_refused(TIDE_INVALID_ARGUMENT,
                       tide_shared_segment_uninitialized(arena, size, 8, &segment));
        assert_refused(TIDE_INVALID_ARGUMENT, tide_shared_extend(arena, block, 8, size));
        assert_refused(TIDE_INVALID_ARGUMENT,
                       tide_segment_attach_shared(&address, size, arena, NULL, NULL, &segment));
    }
    for (size_t i = 0; i < COUNT_OF(alignments); i++) {
        size_t alignment = opaque(alignments[i]);
        assert_fault(TIDE_INVALID_ARGUMENT, tide_shared_allocate(arena, 8, alignment));
        assert_fault(TIDE_INVALID_ARGUMENT,
                     tide_shared_allocate_uninitialized(arena, 8, alignment));
        assert_refused(TIDE_INVALID_ARGUMENT, tide_shared_segment(arena, 8, alignment, &segment));
        assert_refused(TIDE_INVALID_ARGUMENT,
                       tide_shared_segment_uninitialized(arena, 8, alignment, &segment));
    }
    assert_true(is_canary(&segment));
    assert_refused(TIDE_INVALID_ARGUMENT, tide_shared_segment(arena, 8, 8, NULL));
    assert_refused(TIDE_INVALID_ARGUMENT, tide_shared_segment_uninitialized(arena, 8, 8, NULL));
    assert_refused(TIDE_INVALID_ARGUMENT, tide_shared_attach(arena, NULL, NULL));
    assert_refused(TIDE_INVALID_ARGUMENT, tide_shared_hold(arena, NULL));
    assert_refused(TIDE_INVALID_ARGUMENT, tide_shared_extend(arena, NULL, 0, 8));

    const tide_segment none = {0};
    assert_refused(TIDE_INVALID_ARGUMENT,
                   tide_segment_attach_shared(NULL, 8, arena, nothing, NULL, &segment));
    assert_refused(TIDE_INVALID_ARGUMENT,
                   tide_segment_attach_shared(&none, 8, arena, nothing, NULL, &segment));
    assert_refused(TIDE_INVALID_ARGUMENT,
                   tide_segment_attach_shared(&address, 8, arena, nothing, NULL, NULL));
    assert_true(is_canary(&segment));
    assert_ok(tide_shared_extend(arena, block, 8, 16)); /* and nothing was taken */
}

static void bad_arguments_are_refused_by_every_kind(void **state)
{
    (void)state;
    tide_shared_arena shared = open_shared();
    tide_shared_arena counted = open_counted();
    expect_bad_arguments(shared);
    expect_bad_arguments(counted);
    expect_bad_arguments(tide_global_arena());
    assert_ok(tide_shared_close(shared));
    assert_ok(tide_counted_release(counted));
}

static void sizes_that_cannot_be_had_are_out_of_memory(void **state)
{
    (void)state;
    tide_segment segment = canary_segment();
    tide_shared_arena arena = open_shared();
    assert_out_of_memory(tide_shared_allocate(arena, (size_t)PTRDIFF_MAX, 8));
    assert_out_of_memory(tide_shared_allocate(arena, (size_t)PTRDIFF_MAX, (size_t)1 << 62));
    assert_out_of_memory(tide_shared_allocate_uninitialized(arena, 8, (size_t)1 << 62));
    assert_refused(TIDE_OUT_OF_MEMORY, tide_shared_segment(arena, (size_t)1 << 60, 8, &segment));
    assert_refused(TIDE_OUT_OF_MEMORY,
                   tide_shared_segment_uninitialized(arena, (size_t)PTRDIFF_MAX, 1, &segment));
    assert_true(is_canary(&segment));
    assert_int_equal(tide_shared_used(arena), 0);
    assert_zeroed(tide_shared_allocate(arena, 100, 8), 100);
    assert_ok(tide_shared_close(arena));
}

static void handles_need_a_place(void **state)
{
    (void)state;
    assert_refused(TIDE_INVALID_ARGUMENT, tide_shared_open(NULL));
    assert_refused(TIDE_INVALID_ARGUMENT, tide_counted_open(NULL));
    assert_refused(TIDE_INVALID_ARGUMENT, tide_shared_reset(NULL));
}

/* A confined arena's scope in the shape of a handle is no shared arena. */
static void a_confined_scope_is_no_shared_arena(void **state)
{
    (void)state;
    tide_arena confined;
    assert_ok(tide_arena_open(&confined));
    tide_scope scope = tide_arena_scope(&confined);
    tide_shared_arena forged;
    memcpy(&forged, &scope, sizeof forged);
    tide_segment segment = canary_segment();
    assert_refused(TIDE_INVALID_ARGUMENT, tide_shared_segment(forged, 8, 8, &segment));
    assert_refused(TIDE_INVALID_ARGUMENT, tide_shared_attach(forged, nothing, NULL));
    expect_of_ends(forged, TIDE_INVALID_ARGUMENT, TIDE_INVALID_ARGUMENT);
    assert_true(is_canary(&segment));
    assert_ok(tide_arena_close(&confined));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_zeroed_handle_is_an_invalid_argument),
        cmocka_unit_test(a_closed_shared_arena_is_closed_to_every_call),
        cmocka_unit_test(a_closed_counted_arena_is_closed_to_every_call),
        cmocka_unit_test(a_scope_of_a_closed_arena_is_still_its_own),
        cmocka_unit_test(a_stale_handle_never_reaches_the_next_arena_of_its_cell),
        cmocka_unit_test(only_counted_arenas_are_retained_and_released),
        cmocka_unit_test(only_shared_arenas_are_closed_and_reset),
        cmocka_unit_test(bad_arguments_are_refused_by_every_kind),
        cmocka_unit_test(sizes_that_cannot_be_had_are_out_of_memory),
        cmocka_unit_test(handles_need_a_place),
        cmocka_unit_test(a_confined_scope_is_no_shared_arena),
    };
    return cmocka_run_group_tests_name("shared misuse", tests, NULL, NULL);
}
