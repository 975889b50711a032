/* SPDX-License-Identifier: Apache-2.0 */
/* The fault handler: who gets a fault, with what, and what happens when it comes back. */
#include "test.h"

#include <signal.h>

#include "base/error.h"
#include "child.h"

static sigjmp_buf aborted;

static void leave_abort(int number)
{
    (void)number;
    siglongjmp(aborted, 1);
}

/* The statement ends in abort(). It goes on in this process, so that what it executed counts as
 * covered. */
#define assert_aborts(statement)                              \
    do {                                                      \
        struct sigaction leave = {.sa_handler = leave_abort}; \
        struct sigaction before;                              \
        sigaction(SIGABRT, &leave, &before);                  \
        bool came_back = false;                               \
        if (sigsetjmp(aborted, 1) == 0) {                     \
            statement;                                        \
            came_back = true;                                 \
        }                                                     \
        sigaction(SIGABRT, &before, NULL);                    \
        assert_false(came_back);                              \
    } while (0)

static struct {
    int calls;
    tide_fault fault;
    char text[400];
} seen;

static void record_and_return(const tide_fault *fault)
{
    seen.calls++;
    seen.fault = *fault;
    snprintf(seen.text, sizeof seen.text, "%s", fault->text);
}

static void another_handler(const tide_fault *fault)
{
    record_and_return(fault);
}

static void note_a_fault(void)
{
    (void)TIDE_ERROR(TIDE_OUT_OF_BOUNDS, "read", TIDE_NO_OBJECT,
                     " of %" PRIu64 " bytes at %" PRIu64 " in a segment of %" PRIu64 " bytes",
                     UINT64_C(4), UINT64_C(62), UINT64_C(64));
}

static void setting_a_handler_returns_the_one_before(void **state)
{
    (void)state;
    assert_null(tide_fault_handler_set(record_and_return));
    assert_true(tide_fault_handler_set(another_handler) == record_and_return);
    assert_true(tide_fault_handler_set(NULL) == another_handler);
    assert_null(tide_fault_handler_set(NULL));
}

static void the_handler_gets_status_operation_and_sentence(void **state)
{
    (void)state;
    tide_fault_handler_set(record_and_return);
    seen.calls = 0;
    note_a_fault();
    assert_aborts(tide_fault_raise());
    tide_fault_handler_set(NULL);
    assert_int_equal(seen.calls, 1);
    assert_int_equal(seen.fault.struct_size, sizeof(tide_fault));
    assert_int_equal(seen.fault.status, TIDE_OUT_OF_BOUNDS);
    assert_string_equal(seen.fault.operation, "read");
    assert_string_equal(seen.text, "read of 4 bytes at 62 in a segment of 64 bytes");
}

static void a_handler_may_jump_away_and_the_next_fault_finds_it_again(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        assert_fault_by(TIDE_OUT_OF_BOUNDS, {
            note_a_fault();
            tide_fault_raise();
        });
        assert_fault_names("62 in a segment of 64");
    }
}

static void the_default_handler_says_it_on_stderr_and_aborts(void **state)
{
    (void)state;
    FILE *file = tmpfile();
    char text[256];
    assert_non_null(file);
    note_a_fault();
    fflush(stderr);
    int saved = dup(STDERR_FILENO);
    assert_int_equal(dup2(fileno(file), STDERR_FILENO), STDERR_FILENO);
    assert_aborts(tide_fault_raise());
    assert_int_equal(dup2(saved, STDERR_FILENO), STDERR_FILENO);
    close(saved);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(
        text, "tidepool: OUT_OF_BOUNDS: read of 4 bytes at 62 in a segment of 64 bytes\n");
}

/* What the children of the tests below do. */

static void child_invalid_argument(void)
{
    tide_status status = tide_manager_check(NULL);
    printf("%s came back\n", tide_status_name(status));
}

static void child_failure(void)
{
    printf("%s came back\n",
           tide_status_name(TIDE_ERROR_PLAIN(TIDE_BUSY, "close", TIDE_NO_OBJECT, "held")));
}

static void child_last_knob(void)
{
    size_t index = 0;
    tide_knob knob = {.struct_size = sizeof knob};
    while (tide_knob_at(index, &knob) == TIDE_OK)
        index++;
    printf("%s after %zu knobs\n", tide_status_name(tide_last_error()), index);
}

static void exit_with_7(const tide_fault *fault)
{
    printf("%s: %s\n", tide_status_name(fault->status), fault->operation);
    exit(7);
}

static void child_handler(void)
{
    tide_fault_handler_set(exit_with_7);
    child_invalid_argument();
}

static void child_message(void)
{
    tide_fault_handler_set(exit_with_7);
    (void)tide_error_note_message(TIDE_CLOSED, "close", TIDE_NO_OBJECT, "", NULL, "x");
}

static void a_returned_fault_aborts_when_the_environment_says_so(void **state)
{
    (void)state;
    child_result result = child_run("--child", "invalid-argument",
                                    (const char *const[]){"TIDEPOOL_FAULTS=abort", NULL});
    assert_false(child_exited(&result, 0));
    assert_contains(result.error, "tidepool: INVALID_ARGUMENT: check: the manager's table is NULL");
    assert_string_equal(result.output, "");
}

static void a_returned_fault_comes_back_by_default(void **state)
{
    (void)state;
    child_result result = child_run("--child", "invalid-argument", NULL);
    assert_true(child_exited(&result, 0));
    assert_string_equal(result.output, "INVALID_ARGUMENT came back\n");
    assert_string_equal(result.error, "");
}

static void a_failure_comes_back_whatever_the_environment_says(void **state)
{
    (void)state;
    child_result result =
        child_run("--child", "failure", (const char *const[]){"TIDEPOOL_FAULTS=abort", NULL});
    assert_true(child_exited(&result, 0));
    assert_string_equal(result.output, "BUSY came back\n");
}

static void a_returned_fault_goes_to_the_program_s_own_handler(void **state)
{
    (void)state;
    child_result result =
        child_run("--child", "handler", (const char *const[]){"TIDEPOOL_FAULTS=abort", NULL});
    assert_true(child_exited(&result, 7));
    assert_string_equal(result.output, "INVALID_ARGUMENT: check\n");
    result = child_run("--child", "message", (const char *const[]){"TIDEPOOL_FAULTS=abort", NULL});
    assert_true(child_exited(&result, 7));
    assert_string_equal(result.output, "CLOSED: close\n");
}

static void going_through_all_knobs_is_no_fault(void **state)
{
    (void)state;
    child_result result =
        child_run("--child", "last-knob", (const char *const[]){"TIDEPOOL_FAULTS=abort", NULL});
    assert_true(child_exited(&result, 0));
    assert_string_equal(result.output, "INVALID_ARGUMENT after 12 knobs\n");
}

static int run_child(const char *name)
{
    const struct {
        const char *name;
        void (*deed)(void);
    } deeds[] = {
        {"invalid-argument", child_invalid_argument},
        {"failure", child_failure},
        {"last-knob", child_last_knob},
        {"handler", child_handler},
        {"message", child_message},
    };
    for (size_t i = 0; i < COUNT_OF(deeds); i++) {
        if (strcmp(deeds[i].name, name) == 0) {
            deeds[i].deed();
            return 0;
        }
    }
    return 99;
}

int main(int count, char **arguments)
{
    if (count == 3 && strcmp(arguments[1], "--child") == 0)
        return run_child(arguments[2]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(setting_a_handler_returns_the_one_before),
        cmocka_unit_test(the_handler_gets_status_operation_and_sentence),
        cmocka_unit_test(a_handler_may_jump_away_and_the_next_fault_finds_it_again),
        cmocka_unit_test(the_default_handler_says_it_on_stderr_and_aborts),
        cmocka_unit_test(a_returned_fault_aborts_when_the_environment_says_so),
        cmocka_unit_test(a_returned_fault_comes_back_by_default),
        cmocka_unit_test(a_failure_comes_back_whatever_the_environment_says),
        cmocka_unit_test(a_returned_fault_goes_to_the_program_s_own_handler),
        cmocka_unit_test(going_through_all_knobs_is_no_fault),
    };
    return cmocka_run_group_tests_name("fault", tests, NULL, NULL);
}
