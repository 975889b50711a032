/* SPDX-License-Identifier: Apache-2.0 */
/* The memory that a thread keeps ready: figures, trimming, and what threads leave behind. */
#include "test.h"

#include "child.h"
#include "counting_manager.h"

static tide_pool_statistics statistics_now(void)
{
    tide_pool_statistics statistics = {.struct_size = sizeof statistics};
    assert_ok(tide_pool_statistics_get(&statistics));
    assert_int_equal(statistics.struct_size, sizeof statistics);
    return statistics;
}

static void statistics_refuse_null_and_unknown_sizes(void **state)
{
    (void)state;
    tide_pool_statistics statistics;
    const size_t strange[] = {0, 8, sizeof statistics - 1, sizeof statistics + 1, SIZE_MAX};
    assert_refused(TIDE_INVALID_ARGUMENT, tide_pool_statistics_get(NULL));
    for (size_t i = 0; i < COUNT_OF(strange); i++) {
        memset(&statistics, 0x5A, sizeof statistics);
        statistics.struct_size = strange[i];
        assert_refused(TIDE_INVALID_ARGUMENT, tide_pool_statistics_get(&statistics));
        assert_true(all_bytes_are((char *)&statistics + sizeof(size_t), 0x5A,
                                  sizeof statistics - sizeof(size_t)));
    }
}

static void an_arena_counts_as_open_from_its_first_allocation_to_its_close(void **state)
{
    (void)state;
    tide_arena arenas[6];
    size_t before = statistics_now().open_arenas;
    for (size_t i = 0; i < COUNT_OF(arenas); i++)
        assert_ok(tide_arena_open(&arenas[i]));
    assert_int_equal(statistics_now().open_arenas, before);
    for (size_t i = 0; i < COUNT_OF(arenas); i++) {
        assert_non_null(tide_arena_allocate(&arenas[i], 8, 8));
        assert_int_equal(statistics_now().open_arenas, before + i + 1);
    }
    assert_true(statistics_now().cells >= statistics_now().open_arenas);
    for (size_t i = 0; i < COUNT_OF(arenas); i++) {
        assert_ok(tide_arena_close(&arenas[i]));
        assert_int_equal(statistics_now().open_arenas, before + COUNT_OF(arenas) - i - 1);
    }
}

static void a_thread_keeps_at_most_four_idle_pools(void **state)
{
    (void)state;
    tide_arena arenas[10];
    for (size_t i = 0; i < COUNT_OF(arenas); i++) {
        assert_ok(tide_arena_open(&arenas[i]));
        assert_non_null(tide_arena_allocate(&arenas[i], 8, 8));
    }
    assert_int_equal(statistics_now().idle_pools, 0);
    for (size_t i = 0; i < COUNT_OF(arenas); i++) {
        assert_ok(tide_arena_close(&arenas[i]));
        assert_true(statistics_now().idle_pools <= 4);
    }
    assert_int_equal(statistics_now().idle_pools, 4);
    assert_ok(tide_arena_open(&arenas[0]));
    assert_non_null(tide_arena_allocate(&arenas[0], 8, 8));
    assert_int_equal(statistics_now().idle_pools, 3);
    assert_ok(tide_arena_close(&arenas[0]));
}

static void cells_are_reused_not_made_anew(void **state)
{
    (void)state;
    tide_arena arenas[10];
    size_t cells = 0;
    for (int round = 0; round < 100; round++) {
        for (size_t i = 0; i < COUNT_OF(arenas); i++) {
            assert_ok(tide_arena_open(&arenas[i]));
            assert_non_null(tide_arena_allocate(&arenas[i], 8, 8));
        }
        if (round == 0)
            cells = statistics_now().cells;
        for (size_t i = 0; i < COUNT_OF(arenas); i++)
            assert_ok(tide_arena_close(&arenas[i]));
    }
    assert_int_equal(statistics_now().cells, cells);
}

/* ------------------------------------------------------------------------------- chunks */

static void use_chunks(size_t size)
{
    tide_arena arena;
    assert_ok(tide_arena_open(&arena));
    unsigned char *block = (unsigned char *)tide_arena_allocate(&arena, size, 8);
    assert_zeroed(block, size);
    memset(block, 0xAB, size);
    assert_ok(tide_arena_close(&arena));
}

static void trim_gives_the_idle_chunks_back_and_says_how_much(void **state)
{
    (void)state;
    (void)tide_trim();
    assert_int_equal(statistics_now().cached_chunk_bytes, 0);
    use_chunks(3000);
    size_t cached = statistics_now().cached_chunk_bytes;
    assert_true(cached >= 3000);
    assert_int_equal(tide_trim(), cached);
    assert_int_equal(statistics_now().cached_chunk_bytes, 0);
    assert_int_equal(tide_trim(), 0);
    use_chunks(3000);
}

static void trim_leaves_open_arenas_alone(void **state)
{
    (void)state;
    tide_arena arena;
    assert_ok(tide_arena_open(&arena));
    unsigned char *block = (unsigned char *)tide_arena_allocate(&arena, 3000, 8);
    memset(block, 7, 3000);
    (void)tide_trim();
    assert_true(all_bytes_are(block, 7, 3000));
    assert_ok(tide_arena_reset(&arena));
    (void)tide_trim();
    assert_zeroed(tide_arena_allocate(&arena, 3000, 8), 3000);
    assert_ok(tide_arena_close(&arena));
}

static void trim_first_thing_on_a_thread(void *context)
{
    *(size_t *)context = tide_trim();
}

static void a_thread_that_has_nothing_can_trim(void **state)
{
    (void)state;
    size_t bytes = 1;
    on_new_thread(trim_first_thing_on_a_thread, &bytes);
    assert_int_equal(bytes, 0);
}

static void a_thread_keeps_a_bounded_amount_of_idle_chunks(void **state)
{
    (void)state;
    for (size_t size = 100; size <= 1000000; size *= 3) {
        use_chunks(size);
        assert_true(statistics_now().cached_chunk_bytes <= 65536);
    }
    tide_arena arena;
    assert_ok(tide_arena_open(&arena));
    for (int i = 0; i < 100; i++)
        assert_non_null(tide_arena_allocate(&arena, 3000, 8));
    assert_ok(tide_arena_close(&arena));
    assert_true(statistics_now().cached_chunk_bytes <= 65536);
}

static void chunks_of_the_programs_own_manager_are_never_kept(void **state)
{
    (void)state;
    static counting_manager counting;
    counting_manager_init(&counting);
    tide_arena arena;
    tide_arena_options options = TIDE_ARENA_OPTIONS_INIT;
    options.manager = &counting.table;
    (void)tide_trim();
    assert_ok(tide_arena_open_with(&arena, &options));
    assert_non_null(tide_arena_allocate(&arena, 3000, 8));
    assert_ok(tide_arena_close(&arena));
    assert_int_equal(statistics_now().cached_chunk_bytes, 0);
    assert_true(counting_manager_is_balanced(&counting));
    use_chunks(3000);
    assert_int_equal(counting.asked, 1);
}

/* ------------------------------------------------------------------------------- threads */

static void count_threads(void *context)
{
    use_chunks(8);
    *(size_t *)context = statistics_now().threads;
}

static void a_thread_counts_while_it_has_a_block(void **state)
{
    (void)state;
    size_t before, during;
    assert_true(tide_owner_current() != 0);
    before = statistics_now().threads;
    assert_true(before >= 1);
    on_new_thread(count_threads, &during);
    assert_int_equal(during, before + 1);
    assert_int_equal(statistics_now().threads, before);
}

static tide_arena lost;

static void lose_an_arena(void *context)
{
    tide_arena_options options = TIDE_ARENA_OPTIONS_INIT;
    options.name = (const char *)context;
    assert_ok(tide_arena_open_with(&lost, &options));
    memset(tide_arena_allocate(&lost, 64, 8), 7, 64);
}

static void what_a_thread_leaves_open_is_counted_and_survives(void **state)
{
    (void)state;
    tide_pool_statistics before = statistics_now();
    on_new_thread(lose_an_arena, context_of("left open on purpose"));
    tide_pool_statistics after = statistics_now();
    assert_int_equal(after.open_arenas, before.open_arenas + 1);
    assert_int_equal(after.lost_arenas, before.lost_arenas + 1);
    assert_true(tide_arena_is_alive(&lost));
    assert_refused(TIDE_WRONG_OWNER, tide_arena_close(&lost));
}

typedef struct fibers_arena {
    tide_owner fiber;
    tide_arena arena;
} fibers_arena;

static void open_as_fiber(void *context)
{
    fibers_arena *it = (fibers_arena *)context;
    tide_owner own = tide_owner_set(it->fiber);
    assert_ok(tide_arena_open(&it->arena));
    assert_non_null(tide_arena_allocate(&it->arena, 8, 8));
    tide_owner_set(own);
}

static void a_fibers_arena_is_not_lost_with_the_thread_it_was_opened_on(void **state)
{
    (void)state;
    fibers_arena it = {.fiber = tide_owner_new()};
    tide_pool_statistics before = statistics_now();
    on_new_thread(open_as_fiber, &it);
    assert_int_equal(statistics_now().open_arenas, before.open_arenas + 1);
    assert_int_equal(statistics_now().lost_arenas, before.lost_arenas);
    tide_owner own = tide_owner_set(it.fiber);
    assert_ok(tide_arena_close(&it.arena));
    tide_owner_set(own);
    assert_int_equal(statistics_now().open_arenas, before.open_arenas);
}

static void an_exit_report_names_what_ended_threads_left_open(void **state)
{
    (void)state;
    child_result result = child_run("--child", "lose", NULL);
    assert_true(child_exited(&result, 0));
    assert_contains(result.error, "forgotten");
    const char *const switched_on[] = {"TIDEPOOL_EXIT_REPORT=on", NULL};
    result = child_run("--child", "lose", switched_on);
    assert_true(child_exited(&result, 0));
    assert_contains(result.error, "forgotten");
}

static void the_exit_report_can_be_switched_off(void **state)
{
    (void)state;
    const char *const switched_off[] = {"TIDEPOOL_EXIT_REPORT=off", NULL};
    child_result result = child_run("--child", "lose", switched_off);
    assert_true(child_exited(&result, 0));
    assert_null(strstr(result.error, "forgotten"));
}

static void an_exit_report_leaves_out_a_name_that_is_not_there(void **state)
{
    (void)state;
    child_result result = child_run("--child", "lose-nameless", NULL);
    assert_true(child_exited(&result, 0));
    assert_contains(result.error, "the arena at 0x");
}

static void a_forks_child_does_not_report_what_is_its_parents(void **state)
{
    (void)state;
    child_result result = child_run("--child", "fork-close", NULL);
    assert_true(child_exited(&result, 0));
    assert_null(strstr(result.error, "left open"));
}

static void a_forks_child_reports_what_its_own_threads_left_open(void **state)
{
    (void)state;
    child_result result = child_run("--child", "fork-lose", NULL);
    assert_true(child_exited(&result, 0));
    assert_contains(result.error, "forgotten");
    assert_null(strstr(result.error, "parent's"));
}

static void a_process_that_closes_everything_has_nothing_to_report(void **state)
{
    (void)state;
    child_result result = child_run("--child", "close", NULL);
    assert_true(child_exited(&result, 0));
    assert_string_equal(result.error, "");
}

/* ------------------------------------------------------------------------------- children */

static int be_child(char *name);

static void close_everything(void *context)
{
    (void)context;
    use_chunks(8);
    use_chunks(3000);
    fibers_arena it = {.fiber = tide_owner_new()};
    open_as_fiber(&it);
    tide_owner own = tide_owner_set(it.fiber);
    assert_ok(tide_arena_close(&it.arena));
    tide_owner_set(own);
}

/* Forks while this thread has an arena open; an earlier one has ended and left one too. */
static void fork_with_arenas_open(void *context)
{
    static tide_arena open;
    assert_ok(tide_arena_open(&open));
    assert_non_null(tide_arena_allocate(&open, 8, 8));
    int status;
    pid_t child = fork();
    if (child == 0)
        exit(be_child((char *)context));
    assert_int_equal(waitpid(child, &status, 0), child);
    _exit(status == 0 ? 0 : 1); /* without a report of its own */
}

static void hold_an_arena_and_fork(void *context)
{
    static tide_arena open;
    assert_ok(tide_arena_open(&open));
    assert_non_null(tide_arena_allocate(&open, 8, 8));
    on_new_thread(fork_with_arenas_open, context);
}

static int be_child(char *name)
{
    setenv("CMOCKA_TEST_ABORT", "1", 1); /* a check that fails says so at once */
    if (strncmp(name, "fork-", 5) == 0) {
        on_new_thread(lose_an_arena, context_of("parent's"));
        hold_an_arena_and_fork(name + 5);
    } else if (strcmp(name, "lose-nameless") == 0) {
        on_new_thread(lose_an_arena, NULL);
    } else if (strcmp(name, "lose") == 0) {
        on_new_thread(lose_an_arena, context_of("forgotten"));
    } else {
        on_new_thread(close_everything, NULL);
    }
    return 0;
}

int main(int count, char **arguments)
{
    if (count == 3 && strcmp(arguments[1], "--child") == 0)
        return be_child(arguments[2]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statistics_refuse_null_and_unknown_sizes),
        cmocka_unit_test(an_arena_counts_as_open_from_its_first_allocation_to_its_close),
        cmocka_unit_test(a_thread_keeps_at_most_four_idle_pools),
        cmocka_unit_test(cells_are_reused_not_made_anew),
        cmocka_unit_test(trim_gives_the_idle_chunks_back_and_says_how_much),
        cmocka_unit_test(trim_leaves_open_arenas_alone),
        cmocka_unit_test(a_thread_that_has_nothing_can_trim),
        cmocka_unit_test(a_thread_keeps_a_bounded_amount_of_idle_chunks),
        cmocka_unit_test(chunks_of_the_programs_own_manager_are_never_kept),
        cmocka_unit_test(a_thread_counts_while_it_has_a_block),
        cmocka_unit_test(what_a_thread_leaves_open_is_counted_and_survives),
        cmocka_unit_test(a_fibers_arena_is_not_lost_with_the_thread_it_was_opened_on),
        cmocka_unit_test(an_exit_report_names_what_ended_threads_left_open),
        cmocka_unit_test(the_exit_report_can_be_switched_off),
        cmocka_unit_test(an_exit_report_leaves_out_a_name_that_is_not_there),
        cmocka_unit_test(a_forks_child_does_not_report_what_is_its_parents),
        cmocka_unit_test(a_forks_child_reports_what_its_own_threads_left_open),
        cmocka_unit_test(a_process_that_closes_everything_has_nothing_to_report),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
