/* SPDX-License-Identifier: Apache-2.0 */
/* Handing an arena over to another owner, where it lies. */
#include "test.h"

typedef struct shared_view {
    tide_arena *arena;
    tide_segment segment;
    tide_owner owner;
    tide_hold hold;
} shared_view;

static char ran[16];

static const char *note(void *context)
{
    strcat(ran, (const char *)context);
    return NULL;
}

static void the_new_owner_takes_over_and_the_old_one_is_a_stranger(void **state)
{
    (void)state;
    tide_arena arena;
    tide_segment segment;
    tide_owner heir = tide_owner_new();
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_arena_segment(&arena, 16, 8, &segment));
    tide_set_u64(&segment, 0, 42);
    assert_ok(tide_arena_hand_over(&arena, heir));
    assert_refused(TIDE_WRONG_OWNER, tide_store_u64(&segment, 0, 1));
    assert_refused(TIDE_WRONG_OWNER, tide_arena_close(&arena));
    assert_fault(TIDE_WRONG_OWNER, tide_arena_allocate(&arena, 8, 8));
    assert_refused(TIDE_WRONG_OWNER, tide_arena_hand_over(&arena, tide_owner_current()));
    assert_false(tide_segment_is_accessible_by(&segment, tide_owner_current()));
    assert_true(tide_segment_is_accessible_by(&segment, heir));
    assert_true(tide_arena_is_alive(&arena));

    tide_owner own = tide_owner_set(heir);
    assert_int_equal(tide_get_u64(&segment, 0), 42);
    assert_non_null(tide_arena_allocate(&arena, 48, 8));
    assert_non_null(tide_arena_allocate(&arena, 5000, 8));
    assert_ok(tide_arena_close(&arena));
    assert_refused(TIDE_CLOSED, tide_store_u64(&segment, 0, 1));
    tide_owner_set(own);
}

static void an_empty_arena_can_be_handed_over(void **state)
{
    (void)state;
    tide_arena arena;
    tide_owner heir = tide_owner_new();
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_arena_hand_over(&arena, heir));
    assert_refused(TIDE_WRONG_OWNER, tide_arena_close(&arena));
    tide_owner own = tide_owner_set(heir);
    assert_zeroed(tide_arena_allocate(&arena, 8, 8), 8);
    assert_ok(tide_arena_close(&arena));
    tide_owner_set(own);
}

static void handing_over_to_oneself_changes_nothing(void **state)
{
    (void)state;
    tide_arena arena;
    tide_segment segment;
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_arena_segment(&arena, 16, 8, &segment));
    assert_ok(tide_arena_hand_over(&arena, tide_owner_current()));
    assert_ok(tide_store_u8(&segment, 0, 1));
    assert_ok(tide_arena_close(&arena));
}

static void the_heir_must_exist(void **state)
{
    (void)state;
    tide_arena arena;
    tide_owner own = tide_owner_current();
    const tide_owner strange[] = {0, UINT64_C(1) << 62, UINT64_C(1) << 63, UINT64_MAX,
                                  own | UINT64_C(1) << 63};
    assert_ok(tide_arena_open(&arena));
    for (int taken = 0; taken < 2; taken++) {
        for (size_t i = 0; i < COUNT_OF(strange); i++)
            assert_refused(TIDE_INVALID_ARGUMENT, tide_arena_hand_over(&arena, strange[i]));
        assert_non_null(tide_arena_allocate(&arena, 8, 8));
    }
    assert_ok(tide_arena_close(&arena));
}

static void close_on_another_thread(void *context)
{
    shared_view *view = (shared_view *)context;
    tide_owner own = tide_owner_set(view->owner);
    assert_int_equal(tide_get_u64(&view->segment, 0), 42);
    assert_int_equal(tide_arena_used(view->arena), 5016);
    assert_zeroed(tide_arena_allocate(view->arena, 40, 8), 40);
    assert_ok(tide_hold_release(&view->hold));
    assert_ok(tide_arena_close(view->arena));
    tide_owner_set(own);
}

static void memory_cleanups_and_holds_go_along_to_another_thread(void **state)
{
    (void)state;
    tide_arena arena;
    shared_view view = {.arena = &arena, .owner = tide_owner_new()};
    ran[0] = '\0';
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_arena_segment(&arena, 16, 8, &view.segment));
    tide_set_u64(&view.segment, 0, 42);
    assert_non_null(tide_arena_allocate(&arena, 5000, 8));
    assert_ok(tide_arena_attach(&arena, note, context_of("a")));
    assert_ok(tide_arena_attach(&arena, note, context_of("b")));
    assert_ok(tide_arena_hold(&arena, &view.hold));
    assert_ok(tide_arena_hand_over(&arena, view.owner));
    on_new_thread(close_on_another_thread, &view);
    assert_string_equal(ran, "ba");
    assert_false(tide_arena_is_alive(&arena));
}

typedef struct handed_back {
    tide_arena arena;
    tide_owner to;
} handed_back;

static void open_and_hand_over(void *context)
{
    handed_back *gift = (handed_back *)context;
    assert_ok(tide_arena_open(&gift->arena));
    memset(tide_arena_allocate(&gift->arena, 64, 8), 7, 64);
    memset(tide_arena_allocate(&gift->arena, 3000, 8), 7, 3000);
    assert_ok(tide_arena_hand_over(&gift->arena, gift->to));
}

static void an_arena_outlives_the_thread_that_opened_it_when_it_was_handed_over(void **state)
{
    (void)state;
    handed_back gifts[5];
    for (size_t i = 0; i < COUNT_OF(gifts); i++) {
        gifts[i].to = tide_owner_current();
        on_new_thread(open_and_hand_over, &gifts[i]);
        assert_true(tide_arena_is_alive(&gifts[i].arena));
        assert_int_equal(tide_arena_used(&gifts[i].arena), 3064);
    }
    for (size_t i = 0; i < COUNT_OF(gifts); i++)
        assert_ok(tide_arena_close(&gifts[i].arena));
    for (size_t i = 0; i < COUNT_OF(gifts); i++) { /* the pools are this thread's now, and clear */
        assert_ok(tide_arena_open(&gifts[i].arena));
        assert_zeroed(tide_arena_allocate(&gifts[i].arena, 64, 8), 64);
    }
    for (size_t i = 0; i < COUNT_OF(gifts); i++)
        assert_ok(tide_arena_close(&gifts[i].arena));
}

/* ------------------------------------------------------------------------------- stale segments */

static void store_as_stranger(void *context)
{
    shared_view *view = (shared_view *)context;
    assert_refused(TIDE_WRONG_OWNER, tide_store_u8(&view->segment, 0, 1));
    assert_fault(TIDE_WRONG_OWNER, tide_get_u8(&view->segment, 0));
}

static void a_stale_segment_is_closed_to_its_owner_and_foreign_to_a_stranger(void **state)
{
    (void)state;
    tide_arena arena;
    shared_view view = {.arena = &arena};
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_arena_segment(&arena, 16, 8, &view.segment));
    on_new_thread(store_as_stranger, &view);
    assert_ok(tide_arena_close(&arena));
    on_new_thread(store_as_stranger, &view);
    assert_refused(TIDE_CLOSED, tide_store_u8(&view.segment, 0, 1));
    assert_ok(tide_arena_open(&arena)); /* takes the same cell */
    assert_non_null(tide_arena_allocate(&arena, 8, 8));
    assert_refused(TIDE_CLOSED, tide_store_u8(&view.segment, 0, 1));
    on_new_thread(store_as_stranger, &view);
    assert_ok(tide_arena_close(&arena));
}

static void a_stale_segment_is_closed_to_its_owner_and_to_whoever_has_the_cell_now(void **state)
{
    (void)state;
    tide_arena arena;
    tide_segment stale, fresh;
    tide_owner heir = tide_owner_new();
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_arena_segment(&arena, 16, 8, &stale));
    assert_ok(tide_arena_close(&arena));
    tide_owner own = tide_owner_set(heir);
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_arena_segment(&arena, 16, 8, &fresh));
    assert_ptr_equal(tide_segment_address(&fresh), tide_segment_address(&stale));
    assert_refused(TIDE_CLOSED, tide_store_u8(&stale, 0, 1));
    assert_ok(tide_store_u8(&fresh, 0, 7));
    tide_owner_set(own);
    assert_refused(TIDE_CLOSED, tide_store_u8(&stale, 0, 1));
    assert_refused(TIDE_WRONG_OWNER, tide_store_u8(&fresh, 0, 1));
    tide_owner_set(heir);
    assert_int_equal(tide_get_u8(&fresh, 0), 7);
    assert_ok(tide_arena_close(&arena));
    tide_owner_set(own);
}

static void a_stale_segment_from_before_a_handover_is_closed_to_the_heir_only(void **state)
{
    (void)state;
    tide_arena arena;
    tide_segment segment;
    tide_owner heir = tide_owner_new();
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_arena_segment(&arena, 16, 8, &segment));
    assert_ok(tide_arena_hand_over(&arena, heir));
    tide_owner own = tide_owner_set(heir);
    assert_ok(tide_store_u8(&segment, 0, 1));
    assert_ok(tide_arena_close(&arena));
    assert_refused(TIDE_CLOSED, tide_store_u8(&segment, 0, 1));
    tide_owner_set(own);
    assert_refused(TIDE_WRONG_OWNER, tide_store_u8(&segment, 0, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_new_owner_takes_over_and_the_old_one_is_a_stranger),
        cmocka_unit_test(an_empty_arena_can_be_handed_over),
        cmocka_unit_test(handing_over_to_oneself_changes_nothing),
        cmocka_unit_test(the_heir_must_exist),
        cmocka_unit_test(memory_cleanups_and_holds_go_along_to_another_thread),
        cmocka_unit_test(an_arena_outlives_the_thread_that_opened_it_when_it_was_handed_over),
        cmocka_unit_test(a_stale_segment_is_closed_to_its_owner_and_foreign_to_a_stranger),
        cmocka_unit_test(a_stale_segment_is_closed_to_its_owner_and_to_whoever_has_the_cell_now),
        cmocka_unit_test(a_stale_segment_from_before_a_handover_is_closed_to_the_heir_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
