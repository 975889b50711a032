/* SPDX-License-Identifier: Apache-2.0 */
/* Where the sentences of last errors are kept: each thread's own, given back when it ends, and what
 * is left of them where there is no memory. */
#include "test.h"

#include <limits.h>

#include "base/error.h"
#include "base/error_text.h"
#include "child.h"
#define FAILING_ONLY_MEMORY /* giving a room back is no allocation */
#include "failing.h"

enum { CROWD = 40 }; /* more than the library has rooms of its own */

typedef struct crowd {
    pthread_barrier_t barrier;
    void (*body)(size_t number);
} crowd;

typedef struct member {
    crowd *crowd;
    size_t number;
} member;

static void fail_numbered(size_t number)
{
    (void)TIDE_ERROR(TIDE_EXHAUSTED, "count", TIDE_NO_OBJECT, "number %" PRIu64, number);
}

static void expect_numbered(size_t number)
{
    char expected[64];
    snprintf(expected, sizeof expected, "count: number %zu", number);
    if (strcmp(tide_last_error_text(), expected) != 0)
        abort();
}

static void *join_in(void *argument)
{
    const member *it = argument;
    pthread_barrier_wait(&it->crowd->barrier);
    it->crowd->body(it->number);
    pthread_barrier_wait(&it->crowd->barrier);
    return NULL;
}

/* All at once, so that each has a text while all others have theirs. */
static void as_crowd(void (*body)(size_t number))
{
    crowd all = {.body = body};
    pthread_t threads[CROWD];
    member members[CROWD];
    assert_int_equal(pthread_barrier_init(&all.barrier, NULL, CROWD), 0);
    for (size_t i = 0; i < CROWD; i++) {
        members[i] = (member){&all, i};
        assert_int_equal(pthread_create(&threads[i], NULL, join_in, &members[i]), 0);
    }
    for (size_t i = 0; i < CROWD; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    pthread_barrier_destroy(&all.barrier);
}

static void ask_and_ask_again(size_t number)
{
    fail_numbered(number);
    expect_numbered(number);
    for (size_t i = 0; i < 100; i++) {
        fail_numbered(number + i);
        expect_numbered(number + i);
        expect_numbered(number + i);
    }
}

static void each_thread_has_a_text_of_its_own(void **state)
{
    (void)state;
    as_crowd(ask_and_ask_again);
}

static void ask_without_memory(size_t number)
{
    failing_from(0);
    fail_numbered(number);
    expect_numbered(number);
    if (failing_stop() != 0)
        abort();
}

static void a_thread_that_ends_leaves_its_room_to_others(void **state)
{
    (void)state;
    as_crowd(ask_and_ask_again);
    as_crowd(ask_without_memory);
}

/* The rooms are used up, and there is no memory for another. */
static void be_short_of_rooms(void)
{
    tide_error_text *holder = NULL;
    failing_from(0);
    while (tide_error_text_take(&holder) != NULL)
        continue;
    assert_true(failing_stop() != 0);
    failing_from(0);
}

static void expect_the_short_of_it(void *context)
{
    (void)context;
    be_short_of_rooms();
    fail_numbered(7);
    assert_string_equal(tide_last_error_text(), "EXHAUSTED");
    (void)TIDE_ERROR_PLAIN(TIDE_OUT_OF_MEMORY, "open", TIDE_NO_OBJECT, "no memory for it");
    assert_string_equal(tide_last_error_text(), "no memory for it");
    (void)tide_error_note_message(TIDE_CLEANUP_FAILED, "close", TIDE_NO_OBJECT, "%" PRIu64 ": ",
                                  (const uint64_t[TIDE_ERROR_NUMBERS]){1}, "disk full");
    assert_int_equal(tide_last_error(), TIDE_CLEANUP_FAILED);
    assert_string_equal(tide_last_error_text(), "CLEANUP_FAILED");
    (void)failing_stop();
    assert_string_equal(tide_last_error_text(), "close: 1: ");
    fail_numbered(8);
    expect_numbered(8);
}

static void expect_a_whole_fault(void *context)
{
    (void)context;
    be_short_of_rooms();
    (void)TIDE_ERROR(TIDE_CLOSED, "read", TIDE_NO_OBJECT, "number %" PRIu64, UINT64_C(7));
    assert_fault_by(TIDE_CLOSED, tide_fault_raise());
    assert_string_equal(caught.text, "read: number 7");
    (void)failing_stop();
}

/* ------------------------------------------------------------------------------- the end of
 * threads */

static pthread_key_t late;
static char late_text[64];

static void ask_late(void *value)
{
    (void)value;
    snprintf(late_text, sizeof late_text, "%s", tide_last_error_text());
}

static void leave_it_to_the_destructor(void *context)
{
    (void)context;
    fail_numbered(9);
    expect_numbered(9);
    pthread_setspecific(late, &late);
}

/* Its key is younger than the library's, so it runs behind it. */
static void a_destructor_may_still_ask(void **state)
{
    (void)state;
    fail_numbered(1);
    expect_numbered(1);
    assert_int_equal(pthread_key_create(&late, ask_late), 0);
    on_new_thread(leave_it_to_the_destructor, NULL);
    assert_int_equal(pthread_key_delete(late), 0);
    assert_string_equal(late_text, "count: number 9");
}

static void ask_once(void *context)
{
    fail_numbered((size_t)(uintptr_t)context);
    expect_numbered((size_t)(uintptr_t)context);
}

enum { OWN_ROOMS = 8 }; /* those that a thread may have without a key, and take with it */

static void ask_and_get_the_short_of_it(void *context)
{
    (void)context;
    fail_numbered(7);
    assert_string_equal(tide_last_error_text(), "EXHAUSTED");
    assert_string_equal(tide_last_error_text(), "EXHAUSTED");
}

static size_t free_keys(void)
{
    static pthread_key_t keys[PTHREAD_KEYS_MAX];
    size_t count = 0;
    while (count < PTHREAD_KEYS_MAX && pthread_key_create(&keys[count], NULL) == 0)
        count++;
    for (size_t i = 0; i < count; i++)
        pthread_key_delete(keys[i]);
    return count;
}

static void let_another_ask(void)
{
    on_new_thread(ask_once, (void *)(uintptr_t)5);
}

/* The other's key is the first. */
static int make_two_keys_at_once(void)
{
    size_t before = free_keys();
    failing_meanwhile = let_another_ask;
    ask_once((void *)(uintptr_t)6);
    assert_null(failing_meanwhile);
    assert_int_equal(free_keys(), before - 1);
    let_another_ask();
    puts("whole");
    return 0;
}

/* A process of its own: the library must not have its key yet. */
static int be_without_keys(void)
{
    static pthread_key_t keys[PTHREAD_KEYS_MAX];
    size_t count = 0;
    while (count < PTHREAD_KEYS_MAX && pthread_key_create(&keys[count], NULL) == 0)
        count++;
    for (size_t i = 0; i < OWN_ROOMS; i++)
        on_new_thread(ask_once, (void *)(uintptr_t)i);
    on_new_thread(ask_and_get_the_short_of_it, NULL);
    while (count > 0)
        pthread_key_delete(keys[--count]);
    for (size_t i = 0; i < 3 * CROWD; i++)
        on_new_thread(ask_once, (void *)(uintptr_t)i);
    puts("whole");
    return 0;
}

static int be_child(const char *name)
{
    setenv("CMOCKA_TEST_ABORT", "1", 1); /* a check that fails says so at once */
    if (strcmp(name, "keys") == 0)
        return be_without_keys();
    if (strcmp(name, "two keys") == 0)
        return make_two_keys_at_once();
    on_new_thread(strcmp(name, "short") == 0 ? expect_the_short_of_it : expect_a_whole_fault, NULL);
    puts("whole");
    return 0;
}

static void assert_child_is_content(const char *name)
{
    child_result result = child_run("--child", name, NULL);
    assert_string_equal(result.error, "");
    assert_true(child_exited(&result, 0));
    assert_string_equal(result.output, "whole\n");
}

static void without_memory_a_text_is_short_and_later_whole(void **state)
{
    (void)state;
    assert_child_is_content("short");
}

static void the_text_of_a_fault_is_whole_without_memory(void **state)
{
    (void)state;
    assert_child_is_content("fault");
}

static void a_thread_key_is_wanted_but_not_needed(void **state)
{
    (void)state;
    assert_child_is_content("keys");
}

static void of_two_keys_that_threads_make_at_once_one_is_kept(void **state)
{
    (void)state;
    assert_child_is_content("two keys");
}

int main(int count, char **arguments)
{
    if (count == 3 && strcmp(arguments[1], "--child") == 0)
        return be_child(arguments[2]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_thread_has_a_text_of_its_own),
        cmocka_unit_test(a_thread_that_ends_leaves_its_room_to_others),
        cmocka_unit_test(a_destructor_may_still_ask),
        cmocka_unit_test(without_memory_a_text_is_short_and_later_whole),
        cmocka_unit_test(the_text_of_a_fault_is_whole_without_memory),
        cmocka_unit_test(a_thread_key_is_wanted_but_not_needed),
        cmocka_unit_test(of_two_keys_that_threads_make_at_once_one_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
