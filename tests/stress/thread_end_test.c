/* SPDX-License-Identifier: Apache-2.0 */
/* How threads and processes end and begin: with arenas open, in destructors, in handlers, before
 * main, and several at once. This process itself never uses the library before it forks: each child
 * makes the library's first use. */
#include "support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char output[65536];

static void run_ending_child(const char *mode)
{
    const char *const arguments[] = {ENDING_CHILD, mode, NULL};
    int status = stress_run(arguments, output, sizeof output);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fail_msg("ending_child %s: status %d, stderr:\n%s", mode, status, output);
}

static size_t lines_with(const char *text)
{
    size_t lines = 0;
    for (const char *line = output; *line != 0;) {
        size_t length = strcspn(line, "\n");
        const char *found = strstr(line, text);
        if (found != NULL && found < line + length)
            lines++;
        line += length + (line[length] == '\n');
    }
    return lines;
}

static void arenas_that_ended_threads_left_open_are_named_at_exit(void **state)
{
    (void)state;
    run_ending_child("lost");
    if (lines_with("tidepool:") != 3 || lines_with("left-behind") != 2)
        fail_msg("not three lines, two of them with the name:\n%s", output);
}

static void of_many_arenas_the_first_16_are_named_and_the_others_counted(void **state)
{
    (void)state;
    run_ending_child("many");
    if (lines_with("tidepool:") != 17 || lines_with("left open by a thread") != 16 ||
        lines_with("and 4 more arenas") != 1)
        fail_msg("not 16 lines and one for the other 4:\n%s", output);
}

static void the_report_at_exit_can_be_turned_off(void **state)
{
    (void)state;
    assert_int_equal(setenv("TIDEPOOL_EXIT_REPORT", "off", 1), 0);
    run_ending_child("lost");
    assert_int_equal(unsetenv("TIDEPOOL_EXIT_REPORT"), 0);
    assert_string_equal(output, "");
}

static void arenas_that_somebody_took_up_and_closed_are_not_reported(void **state)
{
    (void)state;
    run_ending_child("adopted");
    assert_string_equal(output, "");
}

static void what_the_exiting_thread_has_open_is_not_lost(void **state)
{
    (void)state;
    run_ending_child("own");
    assert_string_equal(output, "");
}

static void a_fibers_arenas_are_not_lost_with_the_thread(void **state)
{
    (void)state;
    run_ending_child("fiber");
    assert_string_equal(output, "");
}

static void destructors_of_thread_specific_data_use_arenas(void **state)
{
    (void)state;
    run_ending_child("keys");
    assert_string_equal(output, "");
}

static void exit_handlers_use_and_close_arenas(void **state)
{
    (void)state;
    run_ending_child("atexit");
    assert_string_equal(output, "");
    run_ending_child("exit-on-thread");
    assert_string_equal(output, "");
}

static void constructors_use_arenas_before_the_library_s_own_have_run(void **state)
{
    (void)state;
    const char *const arguments[] = {EARLY_CHILD, NULL};
    int status = stress_run(arguments, output, sizeof output);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fail_msg("early_child: status %d, stderr:\n%s", status, output);
}

/* --- several threads make the first call at once --- */

#define STARTERS 6u

static pthread_barrier_t start_line;
static tide_owner tokens[STARTERS];

static void first_call(size_t kind)
{
    tide_arena arena;
    tide_arena_options options = TIDE_ARENA_OPTIONS_INIT;
    switch (kind) {
    case 0:
        CHECK_OK(tide_arena_open(&arena));
        CHECK(tide_arena_allocate(&arena, 20, 8) != NULL);
        CHECK_OK(tide_arena_close(&arena));
        break;
    case 1:
        CHECK(tide_owner_current() != 0);
        break;
    case 2:
        CHECK_OK(tide_arena_open_with(&arena, &options));
        CHECK(tide_arena_allocate(&arena, 2000, 8) != NULL);
        CHECK_OK(tide_arena_close(&arena));
        break;
    case 3:
        (void)stress_statistics();
        break;
    case 4:
        CHECK_OK(tide_close_to(tide_mark()));
        break;
    default: {
        tide_knob knob = {.struct_size = sizeof knob};
        CHECK_OK(tide_knob_at(0, &knob));
        break;
    }
    }
}

static void *start_at_once(void *argument)
{
    size_t index = (size_t)((tide_owner *)argument - tokens);
    pthread_barrier_wait(&start_line);
    first_call(index % STARTERS);
    tokens[index] = tide_owner_current();
    stress_use_everything();
    return NULL;
}

static void start_all(void *argument)
{
    (void)argument;
    CHECK(pthread_barrier_init(&start_line, NULL, STARTERS) == 0);
    pthread_t threads[STARTERS];
    for (size_t i = 0; i < STARTERS; i++)
        threads[i] = stress_start(start_at_once, &tokens[i]);
    for (size_t i = 0; i < STARTERS; i++)
        stress_join(threads[i]);
    for (size_t i = 0; i < STARTERS; i++) {
        CHECK(tokens[i] > 1);
        for (size_t k = 0; k < i; k++)
            CHECK(tokens[i] != tokens[k]);
    }
    CHECK(stress_statistics().open_arenas == 0);
    CHECK(stress_statistics().threads <= 1);
}

static void threads_may_make_the_first_call_at_once(void **state)
{
    (void)state;
    size_t processes = stress_processes(STRESS_TSAN ? 10 : 100);
    for (size_t i = 0; i < processes; i++)
        stress_in_child(start_all, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arenas_that_ended_threads_left_open_are_named_at_exit),
        cmocka_unit_test(of_many_arenas_the_first_16_are_named_and_the_others_counted),
        cmocka_unit_test(the_report_at_exit_can_be_turned_off),
        cmocka_unit_test(arenas_that_somebody_took_up_and_closed_are_not_reported),
        cmocka_unit_test(what_the_exiting_thread_has_open_is_not_lost),
        cmocka_unit_test(a_fibers_arenas_are_not_lost_with_the_thread),
        cmocka_unit_test(destructors_of_thread_specific_data_use_arenas),
        cmocka_unit_test(exit_handlers_use_and_close_arenas),
        cmocka_unit_test(constructors_use_arenas_before_the_library_s_own_have_run),
        cmocka_unit_test(threads_may_make_the_first_call_at_once),
    };
    return cmocka_run_group_tests_name("ends and beginnings", tests, NULL, NULL);
}
