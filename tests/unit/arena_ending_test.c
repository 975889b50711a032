/* SPDX-License-Identifier: Apache-2.0 */
/* Ends that cross each other: marks inside cleanups and managers, hand-overs and strangers,
 * destructors that run late, handlers of a fork. */
#include "test.h"

#include <sys/wait.h>
#include <unistd.h>

#include "child.h"

static tide_mark_point mark;
static int runs;

static const char *count_run(void *context)
{
    (void)context;
    runs++;
    return NULL;
}

static const char *close_to_the_mark(void *context)
{
    runs++;
    *(tide_status *)context = tide_close_to(mark);
    return NULL;
}

/* Each of the arenas gets a pool of its own: no cell was given back twice. */
static void expect_pools_apart(void)
{
    tide_arena arenas[4];
    char *pools[COUNT_OF(arenas)];
    for (size_t i = 0; i < COUNT_OF(arenas); i++) {
        assert_ok(tide_arena_open(&arenas[i]));
        pools[i] = (char *)tide_arena_allocate(&arenas[i], 64, 64);
        for (size_t j = 0; j < i; j++)
            assert_ptr_not_equal(pools[i], pools[j]);
    }
    for (size_t i = COUNT_OF(arenas); i-- > 0;)
        assert_ok(tide_arena_close(&arenas[i]));
}

static void closing_to_a_mark_inside_a_cleanup_leaves_the_closing_arena_alone(void **state)
{
    (void)state;
    for (int resets = 0; resets < 2; resets++) {
        tide_arena arena;
        tide_status status = TIDE_BUSY;
        runs = 0;
        mark = tide_mark();
        assert_ok(tide_arena_open(&arena));
        assert_ok(tide_arena_attach(&arena, count_run, NULL));
        assert_ok(tide_arena_attach(&arena, close_to_the_mark, &status));
        assert_non_null(tide_arena_allocate(&arena, 5000, 8));
        if (resets)
            assert_ok(tide_arena_reset(&arena));
        assert_ok(tide_arena_close(&arena));
        assert_ok(status);
        assert_int_equal(runs, 2);
        expect_pools_apart();
    }
}

static tide_status in_free(void *context, void *block, size_t size, size_t alignment)
{
    (void)context;
    assert_ok(tide_close_to(mark));
    return tide_manager_free(tide_manager_system(), block, size, alignment);
}

static void *in_allocate(void *context, size_t size, size_t alignment, unsigned request)
{
    (void)context;
    return tide_manager_allocate(tide_manager_system(), size, alignment, request);
}

static void closing_to_a_mark_inside_a_managers_free_does_too(void **state)
{
    (void)state;
    static const tide_manager manager = {
        .struct_size = sizeof manager, .name = "marking", .allocate = in_allocate, .free = in_free};
    tide_arena_options options = TIDE_ARENA_OPTIONS_INIT;
    tide_arena arena;
    options.manager = &manager;
    mark = tide_mark();
    assert_ok(tide_arena_open_with(&arena, &options));
    for (int i = 0; i < 3; i++)
        assert_non_null(tide_arena_allocate(&arena, 100000, 8));
    assert_ok(tide_arena_close(&arena));
    expect_pools_apart();
}

typedef struct attempts {
    tide_arena *arena;
    tide_status allocated;
    tide_status attached;
    tide_status closed;
} attempts;

static const char *try_own_arena(void *context)
{
    attempts *tried = (attempts *)context;
    tide_segment segment;
    tried->allocated = tide_arena_segment(tried->arena, 8, 8, &segment);
    tried->attached = tide_arena_attach(tried->arena, count_run, NULL);
    tried->closed = tide_arena_close(tried->arena);
    return NULL;
}

static void an_arena_that_is_closed_to_a_mark_is_closed_to_its_cleanups(void **state)
{
    (void)state;
    tide_arena arena;
    attempts tried = {.arena = &arena};
    mark = tide_mark();
    assert_ok(tide_arena_open(&arena));
    assert_non_null(tide_arena_allocate(&arena, 8, 8));
    assert_ok(tide_arena_attach(&arena, try_own_arena, &tried));
    assert_ok(tide_close_to(mark));
    assert_status(TIDE_CLOSED, tried.allocated);
    assert_status(TIDE_CLOSED, tried.attached);
    assert_status(TIDE_CLOSED, tried.closed);
    assert_refused(TIDE_CLOSED, tide_arena_close(&arena));
    assert_false(tide_arena_is_alive(&arena));
}

/* ----------------------------------------------------------------------------- strangers */

static void close_as_stranger(void *context)
{
    assert_refused(TIDE_WRONG_OWNER, tide_arena_close((tide_arena *)context));
    assert_refused(TIDE_WRONG_OWNER, tide_arena_reset((tide_arena *)context));
}

static void a_thread_that_never_used_the_library_cannot_close_what_was_handed_over(void **state)
{
    (void)state;
    tide_arena arena;
    tide_owner fiber = tide_owner_new();
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_arena_hand_over(&arena, fiber));
    on_new_thread(close_as_stranger, &arena);
    tide_owner before = tide_owner_set(fiber);
    assert_ok(tide_arena_close(&arena));
    tide_owner_set(before);
}

/* ----------------------------------------------------------------------------- late destructors */

typedef struct late {
    tide_arena *arena;
    tide_segment segment;
    tide_hold hold;
    tide_mark_point mark;
    uint8_t byte;
    bool done;
} late;

static pthread_key_t late_key;

static void end_late(void *context)
{
    late *left = (late *)context;
    assert_ok(tide_load_u8(&left->segment, 0, &left->byte));
    assert_ok(tide_hold_release(&left->hold));
    assert_ok(tide_close_to(left->mark));
    assert_ok(tide_arena_delete(left->arena));
    left->done = true;
}

/* The library's own key is there by then, so that its destructor runs first. */
static void leave_things_to_a_destructor(void *context)
{
    late *left = (late *)context;
    (void)tide_owner_current();
    assert_int_equal(pthread_key_create(&late_key, end_late), 0);
    left->arena = tide_arena_new(NULL);
    assert_non_null(left->arena);
    assert_ok(tide_arena_segment(left->arena, 8, 8, &left->segment));
    tide_set_u8(&left->segment, 0, 7);
    assert_ok(tide_arena_hold(left->arena, &left->hold));
    left->mark = tide_mark();
    assert_int_equal(pthread_setspecific(late_key, left), 0);
}

/* Opened by a thread whose block is gone when they are next used. */
static void close_late(void *context)
{
    tide_arena *left = (tide_arena *)context;
    if (tide_arena_is_alive(&left[0])) { /* the first round: there is no block */
        assert_zeroed(tide_arena_allocate(&left[0], 100, 8), 100);
        assert_ok(tide_arena_close(&left[0]));
        assert_int_equal(pthread_setspecific(late_key, left), 0);
        return; /* the library's destructor comes again, and then this one */
    }
    assert_ok(tide_arena_close(&left[1]));
}

static void leave_arenas_to_a_destructor(void *context)
{
    tide_arena *left = (tide_arena *)context;
    (void)tide_owner_current();
    assert_int_equal(pthread_key_create(&late_key, close_late), 0);
    assert_ok(tide_arena_open(&left[0]));
    assert_non_null(tide_arena_allocate(&left[0], 20, 8));
    assert_ok(tide_arena_open(&left[1])); /* it has taken nothing */
    assert_int_equal(pthread_setspecific(late_key, left), 0);
}

static void a_destructor_that_runs_after_the_librarys_may_use_and_close_arenas(void **state)
{
    (void)state;
    static tide_arena left[2];
    tide_pool_statistics before = {.struct_size = sizeof before};
    tide_pool_statistics after = {.struct_size = sizeof after};
    assert_ok(tide_pool_statistics_get(&before));
    on_new_thread(leave_arenas_to_a_destructor, left);
    assert_false(tide_arena_is_alive(&left[0]));
    assert_false(tide_arena_is_alive(&left[1]));
    assert_ok(tide_pool_statistics_get(&after));
    assert_int_equal(after.open_arenas, before.open_arenas);
    assert_int_equal(after.threads, before.threads);
    assert_int_equal(pthread_key_delete(late_key), 0);
}

static void a_destructor_that_runs_after_the_librarys_is_still_the_owner(void **state)
{
    (void)state;
    late left = {.done = false};
    on_new_thread(leave_things_to_a_destructor, &left);
    assert_true(left.done);
    assert_int_equal(left.byte, 7);
    assert_int_equal(pthread_key_delete(late_key), 0);
}

/* ----------------------------------------------------------------------------- faults and forks */

static char first_text[512];
static char second_text[512];
static jmp_buf after_fault;

static void fail_inside(const tide_fault *fault)
{
    snprintf(first_text, sizeof first_text, "%s", fault->text);
    tide_segment none = {NULL, 0, NULL, 0};
    tide_segment slice;
    (void)!tide_segment_slice(&none, 1, 2, &slice);
    (void)tide_last_error_text();
    snprintf(second_text, sizeof second_text, "%s", fault->text);
    longjmp(after_fault, 1);
}

static void the_text_of_a_fault_outlives_failures_of_its_handler(void **state)
{
    (void)state;
    char bytes[8] = {0};
    tide_segment segment = segment_over(bytes, sizeof bytes);
    tide_fault_handler before = tide_fault_handler_set(fail_inside);
    if (setjmp(after_fault) == 0)
        (void)tide_get_u8(&segment, opaque(8));
    tide_fault_handler_set(before);
    assert_contains(first_text, "read of 1 bytes at 8");
    assert_string_equal(first_text, second_text);
}

/* More arenas than a thread has pools ready, as a program's handlers of a fork may need. */
static void nest_deeply(void)
{
    tide_arena arenas[12];
    for (size_t i = 0; i < COUNT_OF(arenas); i++) {
        assert_ok(tide_arena_open(&arenas[i]));
        assert_non_null(tide_arena_allocate(&arenas[i], 8, 8));
    }
    for (size_t i = COUNT_OF(arenas); i-- > 0;)
        assert_ok(tide_arena_close(&arenas[i]));
}

static void *wait_for_ever(void *context)
{
    for (;;)
        pause();
    return context;
}

/* Its handlers come before the library's first call, and a second thread makes locks real ones. */
static int be_a_forker(void)
{
    pthread_t thread;
    if (pthread_atfork(nest_deeply, nest_deeply, nest_deeply) != 0 ||
        pthread_create(&thread, NULL, wait_for_ever, NULL) != 0)
        return 1;
    alarm(60); /* a deadlock ends */
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    int status;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
        return 1;
    puts("forked");
    return 0;
}

static void handlers_of_a_fork_may_use_arenas(void **state)
{
    (void)state;
    child_result result = child_run("--child", "forker", NULL);
    assert_string_equal(result.error, "");
    assert_string_equal(result.output, "forked\n");
    assert_true(child_exited(&result, 0));
}

int main(int count, char **arguments)
{
    if (count == 3 && strcmp(arguments[1], "--child") == 0)
        return be_a_forker();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closing_to_a_mark_inside_a_cleanup_leaves_the_closing_arena_alone),
        cmocka_unit_test(closing_to_a_mark_inside_a_managers_free_does_too),
        cmocka_unit_test(an_arena_that_is_closed_to_a_mark_is_closed_to_its_cleanups),
        cmocka_unit_test(a_thread_that_never_used_the_library_cannot_close_what_was_handed_over),
        cmocka_unit_test(a_destructor_that_runs_after_the_librarys_is_still_the_owner),
        cmocka_unit_test(a_destructor_that_runs_after_the_librarys_may_use_and_close_arenas),
        cmocka_unit_test(the_text_of_a_fault_outlives_failures_of_its_handler),
        cmocka_unit_test(handlers_of_a_fork_may_use_arenas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
