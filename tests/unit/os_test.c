/* SPDX-License-Identifier: Apache-2.0 */
/* What the library asks of the operating system. */
#include "test.h"

#include <errno.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/os.h"
#include "child.h"

/* In place of the C library's: a signal comes in between as often as told. */
static int interruptions;

ssize_t writev(int file, const struct iovec *parts, int count)
{
    if (interruptions > 0) {
        interruptions--;
        errno = EINTR;
        return -1;
    }
    return syscall(SYS_writev, file, parts, count);
}

static void a_variable_that_is_not_set_is_null(void **state)
{
    (void)state;
    assert_int_equal(setenv("OS_TEST_VARIABLE", "value", 1), 0);
    assert_string_equal(tide_os_environment("OS_TEST_VARIABLE"), "value");
    assert_int_equal(unsetenv("OS_TEST_VARIABLE"), 0);
    assert_null(tide_os_environment("OS_TEST_VARIABLE"));
}

static void a_complaint_is_one_line_on_stderr(void **state)
{
    (void)state;
    child_result result = child_run("--child", "complain", NULL);
    assert_true(child_exited(&result, 0));
    assert_string_equal(result.error, "first\nsecond\n");
}

static void a_complaint_that_a_signal_interrupts_is_made_all_the_same(void **state)
{
    (void)state;
    child_result result = child_run("--child", "complain-interrupted", NULL);
    assert_true(child_exited(&result, 0));
    assert_string_equal(result.error, "at last\n");
}

static void a_complaint_keeps_errno_even_when_nobody_can_hear_it(void **state)
{
    (void)state;
    child_result result = child_run("--child", "complain-to-nobody", NULL);
    assert_true(child_exited(&result, 0));
    assert_string_equal(result.output, "kept\n");
}

static int at_fork[3];

static void before_fork(void)
{
    at_fork[0]++;
}

static void after_fork_in_parent(void)
{
    at_fork[1]++;
}

static void after_fork_in_child(void)
{
    at_fork[2]++;
}

static void fork_handlers_run_on_both_sides(void **state)
{
    (void)state;
    assert_true(tide_os_at_fork(before_fork, after_fork_in_parent, after_fork_in_child));
    int status;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(at_fork[0] == 1 && at_fork[1] == 0 && at_fork[2] == 1 ? 0 : 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(at_fork[0], 1);
    assert_int_equal(at_fork[1], 1);
    assert_int_equal(at_fork[2], 0);
}

static void an_exit_callback_runs_at_exit(void **state)
{
    (void)state;
    child_result result = child_run("--child", "at-exit", NULL);
    assert_true(child_exited(&result, 0));
    assert_string_equal(result.output, "main ends\ncallback\n");
}

static int ended[2];

static void count_end(void *value)
{
    (*(int *)value)++;
}

static void arm(void *value)
{
    if (!tide_os_thread_exit_arm(value))
        abort();
}

static void do_not_arm(void *value)
{
    (void)value;
}

static void a_thread_that_armed_is_noticed_when_it_ends(void **state)
{
    (void)state;
    assert_true(tide_os_thread_exit_init(count_end));
    on_new_thread(arm, &ended[0]);
    on_new_thread(arm, &ended[1]);
    on_new_thread(arm, &ended[0]);
    on_new_thread(do_not_arm, NULL);
    assert_int_equal(ended[0], 2);
    assert_int_equal(ended[1], 1);
}

static void no_room_for_a_key_is_reported(void **state)
{
    (void)state;
    child_result result = child_run("--child", "no-keys", NULL);
    assert_true(child_exited(&result, 0));
    assert_string_equal(result.output, "no room\n");
}

/* ----------------------------------------------------------------------------- children */

static void child_complain(void)
{
    tide_os_complain("first");
    tide_os_complain("second");
}

static void child_complain_interrupted(void)
{
    interruptions = 3;
    tide_os_complain("at last");
}

static void child_complain_to_nobody(void)
{
    close(STDERR_FILENO);
    errno = ERANGE;
    tide_os_complain("nobody hears it");
    puts(errno == ERANGE ? "kept" : "lost");
}

static void say_callback(void)
{
    puts("callback");
}

static void child_at_exit(void)
{
    if (tide_os_at_exit(say_callback))
        puts("main ends");
}

static void child_no_keys(void)
{
    pthread_key_t key;
    while (pthread_key_create(&key, NULL) == 0)
        ;
    puts(tide_os_thread_exit_init(count_end) ? "room" : "no room");
}

static int run_child(const char *name)
{
    const struct {
        const char *name;
        void (*deed)(void);
    } deeds[] = {
        {"complain", child_complain},
        {"complain-interrupted", child_complain_interrupted},
        {"complain-to-nobody", child_complain_to_nobody},
        {"at-exit", child_at_exit},
        {"no-keys", child_no_keys},
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
        cmocka_unit_test(a_variable_that_is_not_set_is_null),
        cmocka_unit_test(a_complaint_is_one_line_on_stderr),
        cmocka_unit_test(a_complaint_that_a_signal_interrupts_is_made_all_the_same),
        cmocka_unit_test(a_complaint_keeps_errno_even_when_nobody_can_hear_it),
        cmocka_unit_test(fork_handlers_run_on_both_sides),
        cmocka_unit_test(an_exit_callback_runs_at_exit),
        cmocka_unit_test(a_thread_that_armed_is_noticed_when_it_ends),
        cmocka_unit_test(no_room_for_a_key_is_reported),
    };
    return cmocka_run_group_tests_name("os", tests, NULL, NULL);
}
