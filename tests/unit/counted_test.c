/* SPDX-License-Identifier: Apache-2.0 */
/* Counted arenas: references and holds, the call that drops the last one, and what it reports. */
#include "test.h"

#include <sched.h>

#include "lifetime/word.h"

static tide_shared_arena open_counted(void)
{
    tide_shared_arena arena;
    assert_ok(tide_counted_open(&arena));
    return arena;
}

static const char *count_one(void *counter)
{
    __atomic_add_fetch((int *)counter, 1, __ATOMIC_RELAXED);
    return NULL;
}

static const char *fail_to_end(void *context)
{
    (void)context;
    return "would not end";
}

/* ------------------------------------------------------------------------------- references */

static void the_first_reference_is_the_openers(void **state)
{
    (void)state;
    int ended = 0;
    tide_shared_arena arena = open_counted();
    assert_true(tide_shared_is_alive(arena));
    assert_ok(tide_shared_attach(arena, count_one, &ended));
    assert_ok(tide_counted_release(arena));
    assert_int_equal(ended, 1);
    assert_false(tide_shared_is_alive(arena));
}

static void the_call_that_drops_the_last_reference_closes(void **state)
{
    (void)state;
    int ended = 0;
    tide_segment segment;
    uint64_t value;
    tide_shared_arena arena = open_counted();
    assert_ok(tide_shared_segment(arena, 64, 8, &segment));
    assert_ok(tide_shared_attach(arena, count_one, &ended));
    for (int i = 0; i < 5; i++)
        assert_ok(tide_counted_retain(arena));
    for (int i = 0; i < 5; i++) {
        assert_ok(tide_counted_release(arena));
        assert_true(tide_shared_is_alive(arena));
        tide_set_u64(&segment, 0, (uint64_t)i);
    }
    assert_int_equal(ended, 0);
    assert_ok(tide_counted_release(arena));
    assert_int_equal(ended, 1);
    assert_refused(TIDE_CLOSED, tide_load_u64(&segment, 0, &value));
}

static void the_dead_are_not_revived(void **state)
{
    (void)state;
    tide_shared_arena arena = open_counted();
    assert_ok(tide_counted_release(arena));
    for (int i = 0; i < 3; i++) {
        assert_refused(TIDE_CLOSED, tide_counted_retain(arena));
        assert_refused(TIDE_CLOSED, tide_counted_release(arena));
        assert_false(tide_shared_is_alive(arena));
    }
    tide_shared_arena next = open_counted(); /* perhaps with the same cell */
    assert_refused(TIDE_CLOSED, tide_counted_retain(arena));
    assert_ok(tide_counted_release(next));
    assert_false(tide_shared_is_alive(next));
}

static void memory_is_zeroed_whoever_had_it_before(void **state)
{
    (void)state;
    for (int i = 0; i < 2500; i++) {
        tide_shared_arena arena = open_counted();
        unsigned char *block = tide_shared_allocate(arena, 600, 8);
        assert_zeroed(block, 600);
        memset(block, 0xFF, 600);
        assert_ok(tide_counted_release(arena));
    }
}

/* ------------------------------------------------------------------------------- holds */

static void a_hold_is_a_reference(void **state)
{
    (void)state;
    int ended = 0;
    tide_hold hold;
    tide_shared_arena arena = open_counted();
    assert_ok(tide_shared_attach(arena, count_one, &ended));
    assert_ok(tide_shared_hold(arena, &hold));
    assert_ok(tide_counted_release(arena)); /* the opener's: the hold keeps it open */
    assert_true(tide_shared_is_alive(arena));
    assert_non_null(tide_shared_allocate(arena, 100, 8));
    assert_int_equal(ended, 0);
    assert_ok(tide_hold_release(&hold)); /* and ends it */
    assert_int_equal(ended, 1);
    assert_false(tide_shared_is_alive(arena));
    assert_refused(TIDE_INVALID_ARGUMENT, tide_hold_release(&hold));
    assert_refused(TIDE_CLOSED, tide_shared_hold(arena, &hold));
}

static void holds_and_references_mix_in_any_order(void **state)
{
    (void)state;
    int ended = 0;
    tide_hold first, second;
    tide_shared_arena arena = open_counted();
    assert_ok(tide_shared_attach(arena, count_one, &ended));
    assert_ok(tide_shared_hold(arena, &first));
    assert_ok(tide_counted_retain(arena));
    assert_ok(tide_scope_hold(tide_shared_scope(arena), &second));
    assert_ok(tide_hold_release(&first));
    assert_ok(tide_counted_release(arena));
    assert_ok(tide_counted_release(arena));
    assert_true(tide_shared_is_alive(arena));
    assert_ok(tide_counted_retain(arena)); /* by whoever knows that the second hold is out */
    assert_ok(tide_hold_release(&second));
    assert_int_equal(ended, 0);
    assert_ok(tide_counted_release(arena));
    assert_int_equal(ended, 1);
}

static void a_copy_of_a_hold_is_closed_once_the_arena_has_ended(void **state)
{
    (void)state;
    tide_hold hold;
    tide_shared_arena arena = open_counted();
    assert_ok(tide_shared_hold(arena, &hold));
    tide_hold copy = hold;
    assert_ok(tide_counted_release(arena));
    assert_ok(tide_hold_release(&hold));
    assert_refused(TIDE_CLOSED, tide_hold_release(&copy));
}

/* ------------------------------------------------------------------------------- what it
 * reports */

static void the_last_release_reports_what_cleanups_say(void **state)
{
    (void)state;
    tide_shared_arena arena = open_counted();
    assert_ok(tide_shared_attach(arena, fail_to_end, NULL));
    assert_ok(tide_counted_retain(arena));
    assert_ok(tide_counted_release(arena));
    assert_refused(TIDE_CLEANUP_FAILED, tide_counted_release(arena));
    assert_error_names("would not end");
    assert_refused(TIDE_CLOSED, tide_counted_release(arena));
}

static void the_last_hold_reports_what_cleanups_say_and_is_cleared(void **state)
{
    (void)state;
    tide_hold hold;
    tide_shared_arena arena = open_counted();
    assert_ok(tide_shared_attach(arena, fail_to_end, NULL));
    assert_ok(tide_shared_hold(arena, &hold));
    assert_ok(tide_counted_release(arena));
    assert_refused(TIDE_CLEANUP_FAILED, tide_hold_release(&hold));
    assert_false(tide_shared_is_alive(arena));
    assert_refused(TIDE_INVALID_ARGUMENT, tide_hold_release(&hold));
}

static tide_shared_arena under_cleanup;
static tide_hold hold_under_cleanup;

static const char *release_in_cleanup(void *context)
{
    (void)context;
    assert_refused(TIDE_CLOSED, tide_counted_release(under_cleanup));
    assert_refused(TIDE_CLOSED, tide_counted_retain(under_cleanup));
    assert_refused(TIDE_INVALID_ARGUMENT, tide_hold_release(&hold_under_cleanup));
    return NULL;
}

static void to_a_cleanup_the_arena_is_closed_and_its_last_hold_cleared(void **state)
{
    (void)state;
    under_cleanup = open_counted();
    assert_ok(tide_shared_attach(under_cleanup, release_in_cleanup, NULL));
    assert_ok(tide_shared_hold(under_cleanup, &hold_under_cleanup));
    assert_ok(tide_counted_release(under_cleanup));
    assert_ok(tide_hold_release(&hold_under_cleanup));
}

/* ------------------------------------------------------------------------------- numbers */

#define MOST ((UINT64_C(1) << 23) - 1)

/* As if that many references and holds were out. */
static void set_count(tide_shared_arena arena, uint64_t count)
{
    __atomic_store_n(&arena.cell_->epoch, arena.epoch_ | count * TIDE_SHARED_HOLD,
                     __ATOMIC_RELEASE);
}

static uint64_t count_of(tide_shared_arena arena)
{
    return tide_word_count(__atomic_load_n(&arena.cell_->epoch, __ATOMIC_ACQUIRE));
}

static void references_and_holds_are_counted_together(void **state)
{
    (void)state;
    tide_hold hold;
    tide_shared_arena arena = open_counted();
    assert_int_equal(count_of(arena), 1);
    assert_ok(tide_counted_retain(arena));
    assert_ok(tide_shared_hold(arena, &hold));
    assert_int_equal(count_of(arena), 3);
    assert_ok(tide_hold_release(&hold));
    assert_ok(tide_counted_release(arena));
    assert_int_equal(count_of(arena), 1);
    assert_ok(tide_counted_release(arena));
}

static void a_full_count_is_exhausted(void **state)
{
    (void)state;
    tide_hold hold, none;
    memset(&none, 0x5A, sizeof none);
    tide_shared_arena arena = open_counted();
    set_count(arena, MOST - 1);
    assert_ok(tide_shared_hold(arena, &hold));
    assert_refused(TIDE_EXHAUSTED, tide_counted_retain(arena));
    assert_refused(TIDE_EXHAUSTED, tide_shared_hold(arena, &none));
    assert_refused(TIDE_EXHAUSTED, tide_scope_hold(tide_shared_scope(arena), &none));
    assert_true(all_bytes_are(&none, 0x5A, sizeof none));
    assert_int_equal(count_of(arena), MOST);
    assert_true(tide_shared_is_alive(arena));
    assert_non_null(tide_shared_allocate(arena, 8, 8));
    assert_ok(tide_hold_release(&hold));
    assert_ok(tide_counted_retain(arena));
    set_count(arena, 1);
    assert_ok(tide_counted_release(arena));
}

static void a_full_count_of_a_shared_arena_is_exhausted(void **state)
{
    (void)state;
    tide_hold hold;
    tide_shared_arena arena;
    assert_ok(tide_shared_open(&arena));
    set_count(arena, MOST);
    assert_refused(TIDE_EXHAUSTED, tide_shared_hold(arena, &hold));
    assert_refused(TIDE_BUSY, tide_shared_close(arena));
    assert_error_names("8388607");
    set_count(arena, 0);
    assert_ok(tide_shared_hold(arena, &hold));
    assert_ok(tide_hold_release(&hold));
    assert_ok(tide_shared_close(arena));
}

#define LAST_EPOCH (TIDE_SHARED_EPOCH & ~(TIDE_SHARED_STEP - 1))

static void a_cell_whose_epochs_are_used_up_is_never_used_again(void **state)
{
    (void)state;
    tide_shared_arena arena, first;
    assert_ok(tide_shared_open(&arena));
    first = arena;
    arena.epoch_ = LAST_EPOCH; /* as if it had been used that often */
    set_count(arena, 0);
    assert_refused(TIDE_CLOSED, tide_shared_close(first));
    assert_true(tide_shared_is_alive(arena));
    tide_shared_arena copy = arena;
    assert_refused(TIDE_EXHAUSTED, tide_shared_reset(&arena));
    assert_memory_equal(&copy, &arena, sizeof copy);
    assert_zeroed(tide_shared_allocate(arena, 100, 8), 100);
    assert_ok(tide_shared_close(arena));
    assert_refused(TIDE_CLOSED, tide_shared_close(arena));
    for (int i = 0; i < 3000; i++) {
        tide_shared_arena other;
        assert_ok(tide_shared_open(&other));
        assert_ptr_not_equal(other.cell_, arena.cell_);
        assert_non_null(tide_shared_allocate(other, 8, 8));
        assert_ok(tide_shared_close(other));
    }
    assert_false(tide_shared_is_alive(arena));
}

static void a_counted_arena_ends_with_the_last_epoch_too(void **state)
{
    (void)state;
    int ended = 0;
    tide_shared_arena arena = open_counted();
    arena.epoch_ = LAST_EPOCH | TIDE_SHARED_COUNTED;
    set_count(arena, 1);
    assert_ok(tide_shared_attach(arena, count_one, &ended));
    assert_ok(tide_counted_retain(arena));
    assert_ok(tide_counted_release(arena));
    assert_ok(tide_counted_release(arena));
    assert_int_equal(ended, 1);
    assert_refused(TIDE_CLOSED, tide_counted_retain(arena));
}

/* ------------------------------------------------------------------------------- threads */

enum { CREW = 4, TURNS = 2000 };

static struct {
    tide_shared_arena arena;
    int ended;
} crew;

static void *retain_and_release(void *unused)
{
    (void)unused;
    for (int i = 0; i < TURNS; i++) {
        tide_hold hold;
        assert_ok(tide_counted_retain(crew.arena));
        assert_ok(tide_shared_hold(crew.arena, &hold));
        assert_ok(tide_counted_release(crew.arena));
        assert_int_equal(__atomic_load_n(&crew.ended, __ATOMIC_RELAXED), 0);
        assert_ok(tide_hold_release(&hold));
    }
    assert_ok(tide_counted_release(crew.arena)); /* the one that main() made for this thread */
    return NULL;
}

static void run_crew(void *(*body)(void *argument))
{
    pthread_t threads[CREW];
    for (size_t i = 0; i < CREW; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, body, NULL), 0);
    for (size_t i = 0; i < CREW; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
}

static void threads_that_count_at_once_end_it_once(void **state)
{
    (void)state;
    for (int i = 0; i < 10; i++) {
        crew.ended = 0;
        crew.arena = open_counted();
        assert_ok(tide_shared_attach(crew.arena, count_one, &crew.ended));
        for (int j = 1; j < CREW; j++)
            assert_ok(tide_counted_retain(crew.arena));
        run_crew(retain_and_release);
        assert_int_equal(crew.ended, 1);
        assert_false(tide_shared_is_alive(crew.arena));
    }
}

/* Nobody vouches for the arena: a thread that comes late is told so. */
static void *try_to_retain(void *unused)
{
    tide_status status;
    (void)unused;
    while ((status = tide_counted_retain(crew.arena)) == TIDE_OK) {
        assert_true(tide_shared_is_alive(crew.arena));
        assert_ok(tide_counted_release(crew.arena));
        sched_yield();
    }
    assert_int_equal(status, TIDE_CLOSED);
    return NULL;
}

static void a_retain_and_the_last_release_exclude_each_other(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        pthread_t threads[2];
        crew.ended = 0;
        crew.arena = open_counted();
        assert_ok(tide_shared_attach(crew.arena, count_one, &crew.ended));
        for (size_t j = 0; j < 2; j++)
            assert_int_equal(pthread_create(&threads[j], NULL, try_to_retain, NULL), 0);
        assert_ok(tide_counted_release(crew.arena));
        for (size_t j = 0; j < 2; j++)
            assert_int_equal(pthread_join(threads[j], NULL), 0);
        assert_int_equal(crew.ended, 1);
    }
}

static int report_at_once(void **state)
{
    (void)state;
    setenv("CMOCKA_TEST_ABORT", "1", 1); /* checks run on other threads: they must say so at once */
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_reference_is_the_openers),
        cmocka_unit_test(the_call_that_drops_the_last_reference_closes),
        cmocka_unit_test(the_dead_are_not_revived),
        cmocka_unit_test(memory_is_zeroed_whoever_had_it_before),
        cmocka_unit_test(a_hold_is_a_reference),
        cmocka_unit_test(holds_and_references_mix_in_any_order),
        cmocka_unit_test(a_copy_of_a_hold_is_closed_once_the_arena_has_ended),
        cmocka_unit_test(the_last_release_reports_what_cleanups_say),
        cmocka_unit_test(the_last_hold_reports_what_cleanups_say_and_is_cleared),
        cmocka_unit_test(to_a_cleanup_the_arena_is_closed_and_its_last_hold_cleared),
        cmocka_unit_test(references_and_holds_are_counted_together),
        cmocka_unit_test(a_full_count_is_exhausted),
        cmocka_unit_test(a_full_count_of_a_shared_arena_is_exhausted),
        cmocka_unit_test(a_cell_whose_epochs_are_used_up_is_never_used_again),
        cmocka_unit_test(a_counted_arena_ends_with_the_last_epoch_too),
        cmocka_unit_test(threads_that_count_at_once_end_it_once),
        cmocka_unit_test(a_retain_and_the_last_release_exclude_each_other),
    };
    return cmocka_run_group_tests_name("counted", tests, report_at_once, NULL);
}
