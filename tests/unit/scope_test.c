/* SPDX-License-Identifier: Apache-2.0 */
/* Scopes and holds: lifetimes, and what keeps one open. */
#include "test.h"

static const tide_scope no_scope = {0};
static const tide_hold no_hold = {0};

static bool is_cleared(const tide_hold *hold)
{
    return memcmp(hold, &no_hold, sizeof no_hold) == 0;
}

static bool is_none(tide_scope scope)
{
    return memcmp(&scope, &no_scope, sizeof no_scope) == 0;
}

/* ------------------------------------------------------------------------------- lifetimes */

static void a_scope_is_alive_until_its_arena_closes(void **state)
{
    (void)state;
    tide_arena arena;
    assert_ok(tide_arena_open(&arena));
    tide_scope scope = tide_arena_scope(&arena);
    assert_true(tide_scope_is_alive(scope));
    assert_ok(tide_arena_close(&arena));
    assert_false(tide_scope_is_alive(scope));
}

static void a_scope_that_has_ended_never_comes_alive_again(void **state)
{
    (void)state;
    tide_arena arena;
    assert_ok(tide_arena_open(&arena));
    tide_scope ended = tide_arena_scope(&arena);
    assert_ok(tide_arena_close(&arena));
    for (int i = 0; i < 1000; i++) {
        assert_ok(tide_arena_open(&arena));
        tide_scope scope = tide_arena_scope(&arena);
        assert_true(tide_scope_is_alive(scope));
        assert_false(tide_scope_is_alive(ended));
        assert_false(tide_scope_equal(scope, ended));
        assert_ok(tide_arena_close(&arena));
    }
}

static void a_zeroed_scope_is_dead_and_accessible_to_nobody(void **state)
{
    (void)state;
    assert_false(tide_scope_is_alive(no_scope));
    assert_false(tide_scope_is_accessible_by(no_scope, tide_owner_current()));
    assert_true(tide_scope_equal(no_scope, no_scope));
    assert_false(tide_scope_equal(no_scope, tide_scope_global()));
}

static void the_global_scope_is_alive_and_accessible_to_everyone(void **state)
{
    (void)state;
    assert_true(tide_scope_is_alive(tide_scope_global()));
    assert_true(tide_scope_equal(tide_scope_global(), tide_scope_global()));
    assert_true(tide_scope_is_accessible_by(tide_scope_global(), tide_owner_current()));
    assert_true(tide_scope_is_accessible_by(tide_scope_global(), tide_owner_new()));
}

static void arenas_open_at_once_have_scopes_of_their_own(void **state)
{
    (void)state;
    tide_arena arenas[6];
    tide_scope scopes[6];
    for (size_t i = 0; i < COUNT_OF(arenas); i++) {
        assert_ok(tide_arena_open(&arenas[i]));
        scopes[i] = tide_arena_scope(&arenas[i]);
        assert_true(tide_scope_equal(scopes[i], tide_arena_scope(&arenas[i])));
        assert_false(tide_scope_equal(scopes[i], tide_scope_global()));
        for (size_t j = 0; j < i; j++)
            assert_false(tide_scope_equal(scopes[i], scopes[j]));
    }
    for (size_t i = 0; i < COUNT_OF(arenas); i++)
        assert_ok(tide_arena_close(&arenas[i]));
}

static void closed_scopes_are_still_told_apart(void **state)
{
    (void)state;
    tide_arena arena;
    tide_scope scopes[2];
    for (size_t i = 0; i < 2; i++) {
        assert_ok(tide_arena_open(&arena));
        scopes[i] = tide_arena_scope(&arena);
        assert_ok(tide_arena_close(&arena));
    }
    assert_true(tide_scope_equal(scopes[0], scopes[0]));
    assert_false(tide_scope_equal(scopes[0], scopes[1]));
}

static void a_segment_has_its_arenas_scope(void **state)
{
    (void)state;
    tide_arena arena;
    tide_segment segment;
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_arena_segment(&arena, 8, 8, &segment));
    assert_true(tide_scope_equal(tide_segment_scope(&segment), tide_arena_scope(&arena)));
    assert_ok(tide_arena_close(&arena));
}

static void reset_ends_the_scope(void **state)
{
    (void)state;
    tide_arena arena;
    assert_ok(tide_arena_open(&arena));
    tide_scope before = tide_arena_scope(&arena);
    assert_ok(tide_arena_reset(&arena));
    assert_false(tide_scope_is_alive(before));
    tide_scope after = tide_arena_scope(&arena);
    assert_true(tide_scope_is_alive(after));
    assert_false(tide_scope_equal(before, after));
    assert_ok(tide_arena_close(&arena));
}

/* Another thread's view of a scope. */
typedef struct foreign_view {
    tide_scope scope;
    bool alive;
    bool accessible;
    bool equal;
} foreign_view;

static void look_at_scope(void *context)
{
    foreign_view *view = (foreign_view *)context;
    view->alive = tide_scope_is_alive(view->scope);
    view->accessible = tide_scope_is_accessible_by(view->scope, tide_owner_current());
    view->equal = tide_scope_equal(view->scope, view->scope);
}

static void another_thread_sees_whether_a_scope_is_alive_but_has_no_access(void **state)
{
    (void)state;
    tide_arena arena;
    assert_ok(tide_arena_open(&arena));
    foreign_view view = {.scope = tide_arena_scope(&arena)};
    on_new_thread(look_at_scope, &view);
    assert_true(view.alive);
    assert_false(view.accessible);
    assert_true(view.equal);
    assert_ok(tide_arena_close(&arena));
    on_new_thread(look_at_scope, &view);
    assert_false(view.alive);
}

static void liveness_plays_no_part_in_who_may_access(void **state)
{
    (void)state;
    tide_arena arena;
    assert_ok(tide_arena_open(&arena));
    tide_scope scope = tide_arena_scope(&arena);
    tide_owner own = tide_owner_current();
    tide_owner other = tide_owner_new();
    assert_true(tide_scope_is_accessible_by(scope, own));
    assert_false(tide_scope_is_accessible_by(scope, other));
    assert_false(tide_scope_is_accessible_by(scope, 0));
    assert_ok(tide_arena_close(&arena));
    assert_true(tide_scope_is_accessible_by(scope, own));
    assert_false(tide_scope_is_accessible_by(scope, other));
}

static void a_scope_whose_cell_went_to_another_owner_is_accessible_to_neither(void **state)
{
    (void)state;
    tide_arena arena;
    tide_owner own = tide_owner_current();
    tide_owner heir = tide_owner_new();
    assert_ok(tide_arena_open(&arena));
    tide_scope scope = tide_arena_scope(&arena);
    assert_ok(tide_arena_close(&arena));
    tide_owner_set(heir);
    assert_ok(tide_arena_open(&arena));
    tide_scope reused = tide_arena_scope(&arena);
    assert_ptr_equal(reused.cell_, scope.cell_);
    assert_false(tide_scope_is_accessible_by(scope, own));
    assert_false(tide_scope_is_accessible_by(scope, heir));
    assert_true(tide_scope_is_accessible_by(reused, heir));
    assert_false(tide_scope_is_accessible_by(reused, own));
    assert_ok(tide_arena_close(&arena));
    tide_owner_set(own);
}

/* ------------------------------------------------------------------------------- holds */

static void a_hold_keeps_the_arena_open_and_usable_until_it_is_released(void **state)
{
    (void)state;
    tide_arena arena;
    tide_hold hold;
    assert_ok(tide_arena_open(&arena));
    unsigned char *block = (unsigned char *)tide_arena_allocate(&arena, 8, 1);
    *block = 7;
    assert_ok(tide_scope_hold(tide_arena_scope(&arena), &hold));
    assert_refused(TIDE_BUSY, tide_arena_close(&arena));
    assert_refused(TIDE_BUSY, tide_arena_reset(&arena));
    assert_true(tide_arena_is_alive(&arena));
    assert_int_equal(*block, 7);
    assert_non_null(tide_arena_allocate(&arena, 8, 8));
    assert_non_null(tide_arena_allocate(&arena, 1000, 8));
    assert_ok(tide_hold_release(&hold));
    assert_ok(tide_arena_close(&arena));
}

static void an_empty_arena_can_be_held(void **state)
{
    (void)state;
    tide_arena arena;
    tide_hold hold;
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_arena_hold(&arena, &hold));
    assert_refused(TIDE_BUSY, tide_arena_close(&arena));
    assert_ok(tide_hold_release(&hold));
    assert_ok(tide_arena_close(&arena));
}

static void every_hold_counts(void **state)
{
    (void)state;
    tide_arena arena;
    tide_hold holds[10];
    assert_ok(tide_arena_open(&arena));
    for (size_t i = 0; i < COUNT_OF(holds); i++)
        assert_ok(tide_arena_hold(&arena, &holds[i]));
    for (size_t i = 0; i < COUNT_OF(holds); i++) {
        assert_refused(TIDE_BUSY, tide_arena_close(&arena));
        assert_ok(tide_hold_release(&holds[(i + 3) % COUNT_OF(holds)]));
    }
    assert_ok(tide_arena_close(&arena));
}

static void releasing_a_hold_clears_it_and_a_second_release_is_refused(void **state)
{
    (void)state;
    tide_arena arena;
    tide_hold hold;
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_arena_hold(&arena, &hold));
    assert_false(is_cleared(&hold));
    assert_ok(tide_hold_release(&hold));
    assert_true(is_cleared(&hold));
    assert_refused(TIDE_INVALID_ARGUMENT, tide_hold_release(&hold));
    assert_ok(tide_arena_close(&arena));
}

static void a_copy_of_a_hold_releases_nothing_when_none_is_out(void **state)
{
    (void)state;
    tide_arena arena;
    tide_hold hold;
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_arena_hold(&arena, &hold));
    tide_hold copy = hold;
    assert_ok(tide_hold_release(&hold));
    assert_refused(TIDE_INVALID_ARGUMENT, tide_hold_release(&copy));
    assert_ok(tide_arena_close(&arena));
}

static void a_copy_of_a_hold_does_not_touch_the_cells_next_arena(void **state)
{
    (void)state;
    tide_arena arena;
    tide_hold hold, next;
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_arena_hold(&arena, &hold));
    tide_hold copy = hold;
    assert_ok(tide_hold_release(&hold));
    assert_ok(tide_arena_close(&arena));
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_arena_hold(&arena, &next));
    assert_int_not_equal(tide_hold_release(&copy), TIDE_OK);
    assert_refused(TIDE_BUSY, tide_arena_close(&arena));
    assert_ok(tide_hold_release(&next));
    assert_ok(tide_arena_close(&arena));
}

static void null_arguments_and_zeroed_scopes_are_refused(void **state)
{
    (void)state;
    tide_arena arena;
    tide_hold hold;
    memset(&hold, 0x5A, sizeof hold);
    assert_ok(tide_arena_open(&arena));
    assert_refused(TIDE_INVALID_ARGUMENT, tide_scope_hold(tide_arena_scope(&arena), NULL));
    assert_refused(TIDE_INVALID_ARGUMENT, tide_scope_hold(no_scope, &hold));
    assert_refused(TIDE_INVALID_ARGUMENT, tide_scope_hold(no_scope, NULL));
    assert_refused(TIDE_INVALID_ARGUMENT, tide_arena_hold(&arena, NULL));
    assert_refused(TIDE_INVALID_ARGUMENT, tide_arena_hold(NULL, &hold));
    assert_refused(TIDE_INVALID_ARGUMENT, tide_hold_release(NULL));
    assert_true(all_bytes_are(&hold, 0x5A, sizeof hold));
    assert_ok(tide_arena_close(&arena)); /* and so none of them has taken a hold */
}

static void a_closed_scope_cannot_be_held(void **state)
{
    (void)state;
    tide_arena arena;
    tide_hold hold;
    memset(&hold, 0x5A, sizeof hold);
    assert_ok(tide_arena_open(&arena));
    tide_scope scope = tide_arena_scope(&arena);
    assert_ok(tide_arena_close(&arena));
    assert_refused(TIDE_CLOSED, tide_scope_hold(scope, &hold));
    assert_refused(TIDE_CLOSED, tide_arena_hold(&arena, &hold));
    assert_ok(tide_arena_open(&arena));
    assert_non_null(tide_arena_allocate(&arena, 8, 8));
    assert_refused(TIDE_CLOSED, tide_scope_hold(scope, &hold));
    assert_true(all_bytes_are(&hold, 0x5A, sizeof hold));
    assert_ok(tide_arena_close(&arena));
}

/* What another thread gets when it tries to hold and to release. */
typedef struct foreign_hold {
    tide_arena *arena;
    tide_scope scope;
    tide_hold own;
    tide_hold *taken;
    tide_status hold_scope;
    tide_status hold_arena;
    tide_status release;
} foreign_hold;

static void try_to_hold(void *context)
{
    foreign_hold *attempt = (foreign_hold *)context;
    attempt->hold_scope = tide_scope_hold(attempt->scope, &attempt->own);
    attempt->hold_arena = tide_arena_hold(attempt->arena, &attempt->own);
    attempt->release = tide_hold_release(attempt->taken);
}

static void only_the_owner_holds_and_releases(void **state)
{
    (void)state;
    tide_arena arena;
    tide_hold hold;
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_arena_hold(&arena, &hold));
    foreign_hold attempt = {.arena = &arena, .scope = tide_arena_scope(&arena), .taken = &hold};
    on_new_thread(try_to_hold, &attempt);
    assert_status(TIDE_WRONG_OWNER, attempt.hold_scope);
    assert_status(TIDE_WRONG_OWNER, attempt.hold_arena);
    assert_status(TIDE_WRONG_OWNER, attempt.release);
    assert_true(is_cleared(&attempt.own));
    assert_false(is_cleared(&hold));
    assert_refused(TIDE_BUSY, tide_arena_close(&arena));
    assert_ok(tide_hold_release(&hold));
    assert_ok(tide_arena_close(&arena));
}

static void hold_global_scope(void *context)
{
    tide_hold *hold = (tide_hold *)context;
    assert_ok(tide_scope_hold(tide_scope_global(), hold));
}

static void a_hold_of_the_global_scope_works_from_any_thread(void **state)
{
    (void)state;
    tide_hold hold;
    on_new_thread(hold_global_scope, &hold);
    assert_ok(tide_hold_release(&hold));
    assert_true(is_cleared(&hold));
    assert_refused(TIDE_INVALID_ARGUMENT, tide_hold_release(&hold));
    assert_true(tide_scope_is_alive(tide_scope_global()));
}

static void more_than_2_to_the_32_holds_are_refused(void **state)
{
    (void)state;
    tide_arena arena;
    tide_hold hold, last, refused;
    memset(&refused, 0x5A, sizeof refused);
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_arena_hold(&arena, &hold));
    /* As if 2^32 - 3 more had been taken: counting up to there would take a minute. */
    struct tide_cell *cell = tide_arena_scope(&arena).cell_;
    const uint64_t more = (UINT64_C(0xFFFFFFFF) - 2) * TIDE_CELL_HOLD;
    cell->special += more;
    assert_ok(tide_arena_hold(&arena, &last));
    assert_refused(TIDE_EXHAUSTED, tide_arena_hold(&arena, &refused));
    assert_refused(TIDE_EXHAUSTED, tide_scope_hold(tide_arena_scope(&arena), &refused));
    assert_true(all_bytes_are(&refused, 0x5A, sizeof refused));
    assert_ok(tide_hold_release(&last));
    assert_ok(tide_arena_hold(&arena, &last));
    assert_ok(tide_hold_release(&last));
    cell->special -= more;
    assert_ok(tide_hold_release(&hold));
    assert_ok(tide_arena_close(&arena));
}

static void a_busy_close_says_how_many_holds_are_out_and_of_what(void **state)
{
    (void)state;
    tide_arena arena;
    tide_hold holds[3];
    tide_arena_options options = TIDE_ARENA_OPTIONS_INIT;
    options.name = "request";
    assert_ok(tide_arena_open_with(&arena, &options));
    for (size_t i = 0; i < COUNT_OF(holds); i++)
        assert_ok(tide_arena_hold(&arena, &holds[i]));
    assert_refused(TIDE_BUSY, tide_arena_close(&arena));
    assert_error_names("close");
    assert_error_names("request");
    assert_error_names("3");
    for (size_t i = 0; i < COUNT_OF(holds); i++)
        assert_ok(tide_hold_release(&holds[i]));
    assert_ok(tide_arena_close(&arena));
}

static void the_scope_of_a_null_or_foreign_or_closed_arena_is_a_fault(void **state)
{
    (void)state;
    tide_arena arena;
    assert_fault(TIDE_INVALID_ARGUMENT, tide_arena_scope(NULL));
    assert_ok(tide_arena_open(&arena));
    tide_owner own = tide_owner_set(tide_owner_new());
    assert_fault(TIDE_WRONG_OWNER, tide_arena_scope(&arena));
    tide_owner_set(own);
    assert_ok(tide_arena_close(&arena));
    assert_fault(TIDE_CLOSED, tide_arena_scope(&arena));
}

static void the_scope_of_no_segment_is_no_scope(void **state)
{
    (void)state;
    assert_true(is_none(tide_segment_scope(NULL)));
}

static void leave_a_segment_behind(void *context)
{
    tide_arena arena;
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_arena_segment(&arena, 8, 8, (tide_segment *)context));
    assert_ok(tide_arena_close(&arena));
}

/* The cell comes out of the process-wide list, not out of this thread's array. */
static void an_ended_threads_cell_is_not_the_next_owners_for_older_segments(void **state)
{
    (void)state;
    enum { MOST = 64 };
    static tide_arena arenas[MOST];
    tide_segment old, segment;
    on_new_thread(leave_a_segment_behind, &old);
    size_t opened = 0;
    bool found = false;
    while (!found && opened < MOST) {
        assert_ok(tide_arena_open(&arenas[opened]));
        assert_ok(tide_arena_segment(&arenas[opened++], 8, 8, &segment));
        found = segment.cell_ == old.cell_;
    }
    assert_true(found);
    assert_false(tide_segment_is_accessible_by(&old, tide_owner_current()));
    while (opened > 0)
        assert_ok(tide_arena_close(&arenas[--opened]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scope_is_alive_until_its_arena_closes),
        cmocka_unit_test(a_scope_that_has_ended_never_comes_alive_again),
        cmocka_unit_test(a_zeroed_scope_is_dead_and_accessible_to_nobody),
        cmocka_unit_test(the_global_scope_is_alive_and_accessible_to_everyone),
        cmocka_unit_test(arenas_open_at_once_have_scopes_of_their_own),
        cmocka_unit_test(closed_scopes_are_still_told_apart),
        cmocka_unit_test(a_segment_has_its_arenas_scope),
        cmocka_unit_test(reset_ends_the_scope),
        cmocka_unit_test(another_thread_sees_whether_a_scope_is_alive_but_has_no_access),
        cmocka_unit_test(liveness_plays_no_part_in_who_may_access),
        cmocka_unit_test(a_scope_whose_cell_went_to_another_owner_is_accessible_to_neither),
        cmocka_unit_test(a_hold_keeps_the_arena_open_and_usable_until_it_is_released),
        cmocka_unit_test(an_empty_arena_can_be_held),
        cmocka_unit_test(every_hold_counts),
        cmocka_unit_test(releasing_a_hold_clears_it_and_a_second_release_is_refused),
        cmocka_unit_test(a_copy_of_a_hold_releases_nothing_when_none_is_out),
        cmocka_unit_test(a_copy_of_a_hold_does_not_touch_the_cells_next_arena),
        cmocka_unit_test(null_arguments_and_zeroed_scopes_are_refused),
        cmocka_unit_test(a_closed_scope_cannot_be_held),
        cmocka_unit_test(only_the_owner_holds_and_releases),
        cmocka_unit_test(a_hold_of_the_global_scope_works_from_any_thread),
        cmocka_unit_test(more_than_2_to_the_32_holds_are_refused),
        cmocka_unit_test(a_busy_close_says_how_many_holds_are_out_and_of_what),
        cmocka_unit_test(the_scope_of_a_null_or_foreign_or_closed_arena_is_a_fault),
        cmocka_unit_test(the_scope_of_no_segment_is_no_scope),
        cmocka_unit_test(an_ended_threads_cell_is_not_the_next_owners_for_older_segments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
