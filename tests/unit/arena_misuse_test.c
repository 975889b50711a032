/* SPDX-License-Identifier: Apache-2.0 */
/* Structs that are no arena of the caller's: null, copied, moved, zeroed, never opened, foreign. */
#include "test.h"

#include <tidepool/detail/layout.h>

static const char *no_cleanup(void *context)
{
    (void)context;
    return NULL;
}

/* Every call on an arena that is none, or not the caller's, is refused with the same status, and
 * changes nothing outside. */
static void assert_every_call_is_refused(tide_status status, tide_arena *arena)
{
    tide_segment segment = canary_segment();
    tide_segment plain = tide_segment_of_address(&segment);
    tide_hold hold;
    char text[] = "text", *copy = text;
    const tide_segment string = segment_over(text, sizeof text);
    memset(&hold, 0x5A, sizeof hold);

    assert_fault(status, tide_arena_allocate(arena, 8, 8));
    assert_fault(status, tide_arena_allocate(arena, 0, 1));
    assert_fault(status, tide_arena_allocate(arena, 1000, 8));
    assert_fault(status, tide_arena_allocate_uninitialized(arena, 8, 8));
    assert_fault(status, tide_arena_allocate_array(arena, 4, 8, 8));
    assert_fault(status, tide_arena_strdup(arena, text));
    assert_fault(status, tide_arena_strndup(arena, text, 2));
    assert_fault(status, tide_arena_memdup(arena, text, 2, 1));
    assert_fault(status, tide_arena_printf(arena, "%d", 1));
    assert_fault(status, tide_arena_used(arena));
    assert_fault(status, tide_arena_scope(arena));
    assert_refused(status, tide_arena_segment(arena, 8, 8, &segment));
    assert_refused(status, tide_arena_segment(arena, 0, 1, &segment));
    assert_refused(status, tide_arena_segment_uninitialized(arena, 1000, 8, &segment));
    assert_refused(status, tide_arena_extend(arena, text, 4, 5));
    assert_refused(status, tide_arena_attach(arena, no_cleanup, NULL));
    assert_refused(status, tide_segment_attach(&plain, 4, arena, NULL, NULL, &segment));
    assert_refused(status, tide_segment_attach(&plain, 4, arena, no_cleanup, NULL, &segment));
    assert_refused(status, tide_arena_text(arena, text, 4, TIDE_UTF8, &segment));
    assert_refused(status, tide_text_read_into(&string, 0, TIDE_UTF8, arena, &copy, NULL));
    assert_refused(status, tide_arena_hold(arena, &hold));
    assert_refused(status, tide_arena_hand_over(arena, tide_owner_current()));
    assert_refused(status, tide_arena_reset(arena));
    assert_refused(status, tide_arena_close(arena));

    assert_true(is_canary(&segment));
    assert_true(all_bytes_are(&hold, 0x5A, sizeof hold));
    assert_string_equal(text, "text");
    assert_ptr_equal(copy, text);
}

static void null_is_no_arena(void **state)
{
    (void)state;
    assert_refused(TIDE_INVALID_ARGUMENT, tide_arena_open(NULL));
    assert_refused(TIDE_INVALID_ARGUMENT, tide_arena_open_with(NULL, NULL));
    const tide_arena_options options = TIDE_ARENA_OPTIONS_INIT;
    assert_refused(TIDE_INVALID_ARGUMENT, tide_arena_open_with(NULL, &options));
    assert_error_names("no arena");
    assert_fault(TIDE_INVALID_ARGUMENT, tide_arena_open_allocate(NULL, 8, 8));
    assert_false(tide_arena_is_alive(NULL));
    assert_every_call_is_refused(TIDE_INVALID_ARGUMENT, NULL);
}

static void a_zeroed_struct_is_no_arena(void **state)
{
    (void)state;
    tide_arena arena;
    memset(&arena, 0, sizeof arena);
    assert_false(tide_arena_is_alive(&arena));
    assert_every_call_is_refused(TIDE_INVALID_ARGUMENT, &arena);
    assert_refused(TIDE_INVALID_ARGUMENT, tide_arena_delete(&arena));
    assert_zeroed(&arena, sizeof arena);
}

static void never_opened_memory_is_no_arena(void **state)
{
    (void)state;
    const int patterns[] = {0x5A, 0x5B, 0xA5, 0xFF, 0x7F, 0x80};
    for (size_t i = 0; i < COUNT_OF(patterns); i++) {
        tide_arena arena;
        memset(&arena, patterns[i], sizeof arena);
        assert_false(tide_arena_is_alive(&arena));
        assert_every_call_is_refused(TIDE_INVALID_ARGUMENT, &arena);
        assert_true(all_bytes_are(&arena, patterns[i], sizeof arena));
    }
}

static void a_copy_is_no_arena_once_the_original_has_taken_memory(void **state)
{
    (void)state;
    tide_arena arena, copy;
    for (size_t size = 8; size <= 8000; size *= 10) { /* a pool, a chunk */
        assert_ok(tide_arena_open(&arena));
        unsigned char *block = (unsigned char *)tide_arena_allocate(&arena, size, 1);
        memset(block, 7, size);
        size_t used = tide_arena_used(&arena);
        memcpy(&copy, &arena, sizeof copy);
        assert_every_call_is_refused(TIDE_INVALID_ARGUMENT, &copy);
        assert_true(tide_arena_is_alive(&arena));
        assert_true(all_bytes_are(block, 7, size));
        assert_int_equal(tide_arena_used(&arena), used);
        assert_ok(tide_arena_close(&arena));
    }
}

static void a_moved_arena_is_none(void **state)
{
    (void)state;
    tide_arena arena, moved;
    assert_ok(tide_arena_open(&arena));
    assert_non_null(tide_arena_allocate(&arena, 8, 8));
    memmove(&moved, &arena, sizeof moved);
    memset(&arena, 0, sizeof arena);
    assert_every_call_is_refused(TIDE_INVALID_ARGUMENT, &moved);
    memmove(&arena, &moved, sizeof arena); /* back where it was opened, it is one again */
    assert_non_null(tide_arena_allocate(&arena, 8, 8));
    assert_ok(tide_arena_close(&arena));
}

static void a_copy_is_no_arena_when_the_original_is_closed_and_its_memory_in_use_again(void **state)
{
    (void)state;
    tide_arena arena, copy, next;
    assert_ok(tide_arena_open(&arena));
    assert_non_null(tide_arena_allocate(&arena, 8, 8));
    memcpy(&copy, &arena, sizeof copy);
    assert_ok(tide_arena_close(&arena));
    assert_every_call_is_refused(TIDE_INVALID_ARGUMENT, &copy);
    assert_ok(tide_arena_open(&next));
    unsigned char *block = (unsigned char *)tide_arena_allocate(&next, 64, 8);
    memset(block, 7, 64);
    assert_every_call_is_refused(TIDE_INVALID_ARGUMENT, &copy);
    assert_true(all_bytes_are(block, 7, 64));
    assert_ok(tide_arena_close(&next));
}

static void a_copy_of_an_arena_that_has_taken_nothing_is_an_empty_arena_of_its_own(void **state)
{
    (void)state;
    tide_arena arena, copy;
    assert_ok(tide_arena_open(&arena));
    memcpy(&copy, &arena, sizeof copy);
    unsigned char *first = (unsigned char *)tide_arena_allocate(&arena, 64, 8);
    unsigned char *second = (unsigned char *)tide_arena_allocate(&copy, 64, 8);
    assert_ptr_not_equal(first, second);
    memset(first, 7, 64);
    assert_zeroed(second, 64);
    assert_ok(tide_arena_close(&copy));
    assert_true(tide_arena_is_alive(&arena));
    assert_true(all_bytes_are(first, 7, 64));
    assert_ok(tide_arena_close(&arena));
}

static void a_struct_put_back_after_its_close_is_closed(void **state)
{
    (void)state;
    tide_arena arena, before;
    assert_ok(tide_arena_open(&arena));
    assert_non_null(tide_arena_allocate(&arena, 8, 8));
    memcpy(&before, &arena, sizeof before);
    assert_ok(tide_arena_close(&arena));
    memcpy(&arena, &before, sizeof before);
    assert_false(tide_arena_is_alive(&arena));
    assert_fault(TIDE_CLOSED, tide_arena_allocate(&arena, 1000, 8));
    assert_fault(TIDE_CLOSED, tide_arena_used(&arena));
    assert_refused(TIDE_CLOSED, tide_arena_attach(&arena, no_cleanup, NULL));
    assert_refused(TIDE_CLOSED, tide_arena_reset(&arena));
}

static void a_stranger_gets_wrong_owner_and_harms_nothing(void **state)
{
    (void)state;
    for (size_t size = 0; size <= 1000; size = size * 10 + 10) {
        tide_arena arena;
        unsigned char *block = NULL;
        assert_ok(tide_arena_open(&arena));
        if (size != 0) {
            block = (unsigned char *)tide_arena_allocate(&arena, size, 8);
            memset(block, 7, size);
        }
        tide_owner own = tide_owner_set(tide_owner_new());
        assert_every_call_is_refused(TIDE_WRONG_OWNER, &arena);
        assert_true(tide_arena_is_alive(&arena));
        tide_owner_set(own);
        assert_true(tide_arena_is_alive(&arena));
        assert_true(block == NULL || all_bytes_are(block, 7, size));
        assert_non_null(tide_arena_allocate(&arena, 8, 8));
        assert_ok(tide_arena_close(&arena));
    }
}

static void misuse_as_stranger(void *context)
{
    tide_arena *arena = (tide_arena *)context;
    assert_true(tide_arena_is_alive(arena));
    assert_every_call_is_refused(TIDE_WRONG_OWNER, arena);
    assert_true(tide_arena_is_alive(arena));
}

static void another_thread_gets_wrong_owner_even_on_its_first_call(void **state)
{
    (void)state;
    tide_arena arena;
    assert_ok(tide_arena_open(&arena));
    on_new_thread(misuse_as_stranger, &arena);
    assert_non_null(tide_arena_allocate(&arena, 8, 8));
    on_new_thread(misuse_as_stranger, &arena);
    assert_ok(tide_arena_close(&arena));
}

static void misuse_beside_an_arena_of_its_own(void *context)
{
    tide_arena own;
    assert_ok(tide_arena_open(&own));
    assert_non_null(tide_arena_allocate(&own, 8, 8));
    assert_every_call_is_refused(TIDE_WRONG_OWNER, (tide_arena *)context);
    assert_ok(tide_arena_close(&own));
    assert_every_call_is_refused(TIDE_WRONG_OWNER, (tide_arena *)context);
}

static void a_stranger_with_arenas_of_its_own_gets_wrong_owner_too(void **state)
{
    (void)state;
    tide_arena arena;
    assert_ok(tide_arena_open(&arena));
    unsigned char *block = (unsigned char *)tide_arena_allocate(&arena, 1000, 8);
    memset(block, 0x5A, 1000);
    on_new_thread(misuse_beside_an_arena_of_its_own, &arena);
    assert_true(all_bytes_are(block, 0x5A, 1000));
    assert_ok(tide_arena_close(&arena));
}

static void misuse_closed_as_stranger(void *context)
{
    tide_arena *arena = (tide_arena *)context;
    assert_false(tide_arena_is_alive(arena));
    assert_every_call_is_refused(TIDE_WRONG_OWNER, arena);
}

static void a_stranger_gets_wrong_owner_for_a_closed_arena_too(void **state)
{
    (void)state;
    tide_arena arena;
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_arena_close(&arena));
    on_new_thread(misuse_closed_as_stranger, &arena);
    assert_ok(tide_arena_open(&arena));
    assert_non_null(tide_arena_allocate(&arena, 8, 8));
    assert_ok(tide_arena_close(&arena));
    on_new_thread(misuse_closed_as_stranger, &arena);
}

static void delete_as_stranger(void *context)
{
    assert_refused(TIDE_WRONG_OWNER, tide_arena_delete((tide_arena *)context));
}

static void a_stranger_cannot_delete_an_arena(void **state)
{
    (void)state;
    tide_arena *arena = tide_arena_new(NULL);
    assert_non_null(tide_arena_allocate(arena, 8, 8));
    on_new_thread(delete_as_stranger, arena);
    assert_true(tide_arena_is_alive(arena));
    assert_ok(tide_arena_delete(arena));
}

static void an_open_arena_on_the_stack_is_not_deleted(void **state)
{
    (void)state;
    tide_arena empty, used;
    assert_ok(tide_arena_open(&empty));
    assert_ok(tide_arena_open(&used));
    unsigned char *block = (unsigned char *)tide_arena_allocate(&used, 8, 8);
    assert_non_null(block);
    *block = 7;
    assert_refused(TIDE_INVALID_ARGUMENT, tide_arena_delete(&empty));
    assert_refused(TIDE_INVALID_ARGUMENT, tide_arena_delete(&used));
    assert_error_names("delete: tide_arena_new() did not open it");
    assert_true(tide_arena_is_alive(&empty));
    assert_int_equal(*block, 7);
    assert_ok(tide_arena_close(&empty));
    assert_ok(tide_arena_close(&used));
}

static void a_refusal_of_a_closed_arena_says_what_was_wanted(void **state)
{
    (void)state;
    tide_arena arena;
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_arena_close(&arena));
    assert_refused(TIDE_CLOSED, tide_arena_close(&arena));
    assert_error_names("close: the arena is closed, an open one is wanted (arena at ");
}

static void a_null_place_for_the_segment_is_invalid_before_all_else(void **state)
{
    (void)state;
    tide_arena arena;
    assert_ok(tide_arena_open(&arena));
    assert_refused(TIDE_INVALID_ARGUMENT, tide_arena_segment(&arena, 8, 8, NULL));
    assert_refused(TIDE_INVALID_ARGUMENT, tide_arena_segment_uninitialized(&arena, 8, 8, NULL));
    assert_int_equal(tide_arena_used(&arena), 0);
    assert_ok(tide_arena_close(&arena));
}

static void a_null_cleanup_is_invalid(void **state)
{
    (void)state;
    tide_arena arena;
    assert_ok(tide_arena_open(&arena));
    assert_refused(TIDE_INVALID_ARGUMENT, tide_arena_attach(&arena, NULL, NULL));
    assert_ok(tide_arena_close(&arena));
}

static void a_refusal_names_operation_and_arena(void **state)
{
    (void)state;
    tide_arena arena;
    tide_arena_options options = TIDE_ARENA_OPTIONS_INIT;
    options.name = "parser";
    assert_ok(tide_arena_open_with(&arena, &options));
    tide_owner own = tide_owner_set(tide_owner_new());
    assert_refused(TIDE_WRONG_OWNER, tide_arena_close(&arena));
    assert_error_names("close");
    assert_error_names("arena");
    assert_fault(TIDE_WRONG_OWNER, tide_arena_allocate(&arena, 24, 8));
    assert_fault_names("arena");
    tide_owner_set(own);
    assert_ok(tide_arena_close(&arena));
    assert_refused(TIDE_CLOSED, tide_arena_close(&arena));
    assert_error_names("close");
}

/* The size is looked at first; whose arena it is decides what the message may look at. */
static void a_bad_request_names_the_arena_to_its_owner_alone(void **state)
{
    (void)state;
    tide_arena arena, copy;
    tide_arena_options options = TIDE_ARENA_OPTIONS_INIT;
    options.name = "diary";
    const size_t negative = opaque((size_t)-1);
    assert_ok(tide_arena_open_with(&arena, &options));
    memcpy(&copy, &arena, sizeof copy);
    assert_fault(TIDE_INVALID_ARGUMENT, tide_arena_allocate(&arena, negative, 8));
    assert_fault_names("diary");
    assert_fault(TIDE_INVALID_ARGUMENT, tide_arena_allocate(&copy, negative, 8));
    assert_null(strstr(caught.text, "diary"));
    tide_owner own = tide_owner_set(tide_owner_new());
    assert_fault(TIDE_INVALID_ARGUMENT, tide_arena_allocate(&arena, negative, 8));
    assert_null(strstr(caught.text, "diary"));
    tide_owner_set(own);
    assert_ok(tide_arena_close(&arena));
    assert_fault(TIDE_INVALID_ARGUMENT, tide_arena_allocate(&arena, negative, 8));
    assert_null(strstr(caught.text, "diary"));
}

static void use_what_looks_like_a_newcomers(void *context)
{
    (void)context;
    tide_arena arena;
    memset(&arena, 0, sizeof arena);
    arena.owner_ = TIDE_OWNER_NOBODY;
    arena.state_ = TIDE_STATE_EMPTY;
    assert_fault(TIDE_INVALID_ARGUMENT, tide_arena_allocate(&arena, 8, 8));
    assert_fault(TIDE_INVALID_ARGUMENT, tide_arena_used(&arena));
    assert_refused(TIDE_INVALID_ARGUMENT, tide_arena_attach(&arena, no_cleanup, NULL));
    assert_refused(TIDE_INVALID_ARGUMENT, tide_arena_reset(&arena));
}

/* Threads that have never used the library share a token, and it owns nothing. */
static void a_thread_that_is_nobody_yet_owns_no_arena(void **state)
{
    (void)state;
    on_new_thread(use_what_looks_like_a_newcomers, NULL);
}

/* The second arena's cell is not the thread's home cell. */
static void a_copy_of_a_nested_arena_cannot_close(void **state)
{
    (void)state;
    tide_arena outer, nested, copy;
    assert_ok(tide_arena_open(&outer));
    assert_non_null(tide_arena_allocate(&outer, 8, 8));
    assert_ok(tide_arena_open(&nested));
    assert_non_null(tide_arena_allocate(&nested, 8, 8));
    memcpy(&copy, &nested, sizeof copy);
    assert_int_equal(tide_arena_close(&copy), TIDE_INVALID_ARGUMENT);
    assert_ok(tide_arena_close(&nested));
    assert_ok(tide_arena_close(&outer));
    /* Once more, now that the nested arena's cell comes from the thread's array. */
    assert_ok(tide_arena_open(&outer));
    assert_non_null(tide_arena_allocate(&outer, 8, 8));
    assert_ok(tide_arena_open(&nested));
    assert_non_null(tide_arena_allocate(&nested, 8, 8));
    memcpy(&copy, &nested, sizeof copy);
    assert_int_equal(tide_arena_close(&copy), TIDE_INVALID_ARGUMENT);
    assert_ok(tide_arena_close(&nested));
    assert_ok(tide_arena_close(&outer));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(null_is_no_arena),
        cmocka_unit_test(a_zeroed_struct_is_no_arena),
        cmocka_unit_test(never_opened_memory_is_no_arena),
        cmocka_unit_test(a_copy_is_no_arena_once_the_original_has_taken_memory),
        cmocka_unit_test(a_moved_arena_is_none),
        cmocka_unit_test(
            a_copy_is_no_arena_when_the_original_is_closed_and_its_memory_in_use_again),
        cmocka_unit_test(a_copy_of_an_arena_that_has_taken_nothing_is_an_empty_arena_of_its_own),
        cmocka_unit_test(a_struct_put_back_after_its_close_is_closed),
        cmocka_unit_test(a_stranger_gets_wrong_owner_and_harms_nothing),
        cmocka_unit_test(another_thread_gets_wrong_owner_even_on_its_first_call),
        cmocka_unit_test(a_stranger_with_arenas_of_its_own_gets_wrong_owner_too),
        cmocka_unit_test(a_stranger_gets_wrong_owner_for_a_closed_arena_too),
        cmocka_unit_test(a_stranger_cannot_delete_an_arena),
        cmocka_unit_test(an_open_arena_on_the_stack_is_not_deleted),
        cmocka_unit_test(a_refusal_of_a_closed_arena_says_what_was_wanted),
        cmocka_unit_test(a_null_place_for_the_segment_is_invalid_before_all_else),
        cmocka_unit_test(a_null_cleanup_is_invalid),
        cmocka_unit_test(a_refusal_names_operation_and_arena),
        cmocka_unit_test(a_bad_request_names_the_arena_to_its_owner_alone),
        cmocka_unit_test(a_thread_that_is_nobody_yet_owns_no_arena),
        cmocka_unit_test(a_copy_of_a_nested_arena_cannot_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
