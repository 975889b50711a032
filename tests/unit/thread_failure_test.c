/* SPDX-License-Identifier: Apache-2.0 */
/* A thread's first call when the process lacks what its first block needs. Each lack is a refusal
 * that passes: what was refused is granted as soon as it is to be had. */
#include "test.h"

#include "child.h"
#include "failing.h"

static void assert_first_calls_are_refused(const char *cause)
{
    tide_arena arena;
    assert_refused(TIDE_OUT_OF_MEMORY, tide_arena_open(&arena));
    assert_error_names("open");
    assert_error_names(cause);
    assert_null(tide_arena_new(NULL));
    assert_int_equal(tide_owner_current(), 0);
    assert_int_equal(tide_last_error(), TIDE_OUT_OF_MEMORY);
    assert_error_names(cause);
    assert_refused(TIDE_INVALID_ARGUMENT, tide_close_to(tide_mark()));
}

static void use_an_arena(void *context)
{
    (void)context;
    tide_arena arena;
    assert_ok(tide_arena_open(&arena));
    assert_non_null(tide_arena_allocate(&arena, 100, 8));
    assert_ok(tide_arena_close(&arena));
}

/* ------------------------------------------------------------------------------- children */

static void first_calls_without_a_key(void *context)
{
    (void)context;
    static pthread_key_t keys[1 << 16];
    size_t count = 0;
    while (pthread_key_create(&keys[count], NULL) == 0)
        assert_true(++count < COUNT_OF(keys));
    assert_first_calls_are_refused("key");
    while (count > 0)
        assert_int_equal(pthread_key_delete(keys[--count]), 0);
    use_an_arena(NULL);
    on_new_thread(use_an_arena, NULL);
}

/* The library registers its handler when it is loaded, which comes after this. */
__attribute__((constructor(101))) static void fail_while_loading(void)
{
    if (getenv("FAIL_WHILE_LOADING") != NULL)
        failing_step = FAILING_AT_FORK;
}

static void first_calls_without_a_fork_handler(void *context)
{
    (void)context;
    assert_int_equal(failing_step, FAILING_AT_FORK);
    assert_first_calls_are_refused("fork");
    failing_step = FAILING_NOTHING;
    use_an_arena(NULL);
    on_new_thread(use_an_arena, NULL);
    pid_t child = fork(); /* the handler is there, once */
    if (child == 0) {
        use_an_arena(NULL);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void first_calls_without_a_note(void *context)
{
    (void)context;
    failing_step = FAILING_ARM;
    assert_first_calls_are_refused("end");
    failing_step = FAILING_NOTHING;
    use_an_arena(NULL);
}

static void lose_an_arena(void *context)
{
    (void)context;
    static tide_arena lost;
    assert_ok(tide_arena_open(&lost));
    assert_non_null(tide_arena_allocate(&lost, 8, 8));
}

/* The report is registered by the first thread that can, and once. */
static void first_calls_without_a_report(void *context)
{
    (void)context;
    failing_step = FAILING_AT_EXIT;
    use_an_arena(NULL);
    failing_step = FAILING_NOTHING;
    on_new_thread(lose_an_arena, NULL);
    on_new_thread(use_an_arena, NULL);
}

static const struct {
    const char *name;
    void (*body)(void *context);
} children[] = {
    {"key", first_calls_without_a_key},
    {"fork", first_calls_without_a_fork_handler},
    {"note", first_calls_without_a_note},
    {"report", first_calls_without_a_report},
};

static int be_child(const char *name)
{
    setenv("CMOCKA_TEST_ABORT", "1", 1); /* a check that fails says so at once */
    for (size_t i = 0; i < COUNT_OF(children); i++) {
        if (strcmp(name, children[i].name) == 0)
            children[i].body(NULL);
    }
    return 0;
}

/* ------------------------------------------------------------------------------- the tests */

static void assert_child_is_content(const char *name)
{
    static const char *const while_loading[] = {"FAIL_WHILE_LOADING=1", NULL};
    child_result result =
        child_run("--child", name, strcmp(name, "fork") == 0 ? while_loading : NULL);
    if (!child_exited(&result, 0))
        fail_msg("%s: status 0x%x\n%s", name, (unsigned)result.status, result.error);
}

static void a_process_without_a_key_left_is_refused_until_one_is_free(void **state)
{
    (void)state;
    assert_child_is_content("key");
}

static void a_fork_handler_that_is_refused_is_asked_for_again(void **state)
{
    (void)state;
    assert_child_is_content("fork");
}

static void a_thread_whose_end_cannot_be_noted_is_refused_until_it_can(void **state)
{
    (void)state;
    assert_child_is_content("note");
}

static void a_report_that_cannot_be_registered_stops_nobody_and_is_tried_again(void **state)
{
    (void)state;
    child_result result = child_run("--child", "report", NULL);
    assert_true(child_exited(&result, 0));
    assert_contains(result.error, "was left open");
    assert_null(strstr(strstr(result.error, "was left open") + 1, "was left open"));
}

int main(int count, char **arguments)
{
    if (count == 3 && strcmp(arguments[1], "--child") == 0)
        return be_child(arguments[2]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_process_without_a_key_left_is_refused_until_one_is_free),
        cmocka_unit_test(a_fork_handler_that_is_refused_is_asked_for_again),
        cmocka_unit_test(a_thread_whose_end_cannot_be_noted_is_refused_until_it_can),
        cmocka_unit_test(a_report_that_cannot_be_registered_stops_nobody_and_is_tried_again),
    };
    return cmocka_run_group_tests_name("thread-failure", tests, NULL, NULL);
}
