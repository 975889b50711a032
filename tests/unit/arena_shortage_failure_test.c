/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where memory for one thing only is lacking: what goes on without it, and that what was handed
 * back on the way is nobody's twice. arena_failure_test.c tries every function; here are the states
 * that it doesn't come by.
 */
#include "test.h"

#include "child.h"
#include "failing.h"

static tide_pool_statistics statistics_now(void)
{
    tide_pool_statistics statistics = {.struct_size = sizeof statistics};
    assert_ok(tide_pool_statistics_get(&statistics));
    return statistics;
}

/* ------------------------------------------------------------------------------- pools */

/* Opens arenas until every cell of the process is taken, the thread's own included. */
static size_t take_all_cells(tide_arena *arenas, size_t room)
{
    size_t count = 0;
    for (size_t idle = statistics_now().cells - statistics_now().open_arenas; idle > 0; idle--) {
        assert_true(count < room);
        assert_ok(tide_arena_open(&arenas[count]));
        assert_non_null(tide_arena_allocate(&arenas[count], 8, 8));
        count++;
    }
    return count;
}

static void close_all(tide_arena *arenas, size_t count)
{
    while (count-- > 0)
        assert_ok(tide_arena_close(&arenas[count]));
}

static void a_nested_arena_that_gets_no_pool_may_try_again(void **state)
{
    (void)state;
    static tide_arena arenas[256];
    tide_arena nested;
    assert_ok(tide_arena_open(&nested));
    assert_non_null(tide_arena_allocate(&nested, 8, 8));
    assert_ok(tide_arena_close(&nested));
    size_t count = take_all_cells(arenas, COUNT_OF(arenas));
    assert_ok(tide_arena_open(&nested));
    failing_from(0);
    assert_out_of_memory(tide_arena_allocate(&nested, 8, 8));
    assert_true(failing_stop() > 0);
    assert_int_equal(tide_arena_used(&nested), 0);
    assert_zeroed(tide_arena_allocate(&nested, 8, 8), 8);
    assert_ok(tide_arena_close(&nested));
    close_all(arenas, count);
}

/* The idle chunk is found first, then there is no cell to go with it. */
static void a_nested_arena_that_gets_no_cell_leaves_the_chunk_to_others(void **state)
{
    (void)state;
    static tide_arena arenas[256];
    tide_arena outer, nested;
    assert_ok(tide_arena_open(&outer));
    assert_non_null(tide_arena_allocate(&outer, 3000, 8));
    assert_ok(tide_arena_open(&nested));
    assert_non_null(tide_arena_allocate(&nested, 3000, 8));
    assert_ok(tide_arena_close(&nested));
    size_t count = take_all_cells(arenas, COUNT_OF(arenas));
    size_t cached = statistics_now().cached_chunk_bytes;
    assert_true(cached > 0);
    assert_ok(tide_arena_open(&nested));
    failing_from(0);
    assert_out_of_memory(tide_arena_allocate(&nested, 3000, 8));
    assert_true(failing_stop() > 0);
    assert_int_equal(statistics_now().cached_chunk_bytes, cached);
    assert_zeroed(tide_arena_allocate(&nested, 3000, 8), 3000);
    assert_true(statistics_now().cached_chunk_bytes < cached);
    assert_ok(tide_arena_close(&nested));
    close_all(arenas, count);
    assert_ok(tide_arena_close(&outer));
}

/* The pool that the failed call took and gave back is the thread's, also where the thread keeps as
 * many as it may: it must not be in two places. */
static void a_failed_call_gives_its_pool_back_to_one_place(void **state)
{
    (void)state;
    enum { NESTED = 12 };
    tide_arena arenas[NESTED], failed;
    unsigned char *blocks[NESTED];
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < NESTED; i++) {
            assert_ok(tide_arena_open(&arenas[i]));
            blocks[i] = (unsigned char *)tide_arena_allocate(&arenas[i], 64, 8);
            assert_zeroed(blocks[i], 64);
            memset(blocks[i], (int)i + 1, 64);
            for (size_t j = 0; j < i; j++)
                assert_ptr_not_equal(blocks[j], blocks[i]);
        }
        for (size_t i = 0; i < NESTED; i++)
            assert_true(all_bytes_are(blocks[i], (int)i + 1, 64));
        close_all(arenas, NESTED);
        failing_from(0);
        assert_out_of_memory(tide_arena_open_allocate(&failed, 300000, 8));
        assert_true(failing_stop() > 0);
        assert_false(tide_arena_is_alive(&failed));
    }
}

/* ------------------------------------------------------------------------------- chunks */

static const char *do_nothing(void *context)
{
    (void)context;
    return NULL;
}

/* The chunks that a reset keeps need a record; without one the newest stays alone. */
static void a_reset_without_memory_for_its_records_lets_chunks_go(void **state)
{
    (void)state;
    tide_arena arena;
    assert_ok(tide_arena_open(&arena));
    for (size_t i = 0; i < 40; i++)
        memset(tide_arena_allocate(&arena, 3000, 8), 0xAB, 3000);
    failing_from(0);
    assert_ok(tide_arena_reset(&arena));
    if (strcmp(tide_checker(), "none") == 0)
        assert_true(failing_stop() > 0);
    failing_stop();
    assert_int_equal(tide_arena_used(&arena), 0);
    for (size_t i = 0; i < 40; i++)
        assert_zeroed(tide_arena_allocate(&arena, 3000, 8), 3000);
    assert_ok(tide_arena_attach(&arena, do_nothing, NULL));
    assert_ok(tide_arena_close(&arena));
}

static char reserve[8192] __attribute__((aligned(64)));
static int reserve_out;

static void *reserve_allocate(void *context, size_t size, size_t alignment, unsigned request)
{
    (void)context;
    if (reserve_out != 0 || size > sizeof reserve || alignment > 64)
        return NULL;
    reserve_out++;
    return (request & TIDE_REQUEST_ZEROED) != 0 ? memset(reserve, 0, size) : reserve;
}

static tide_status reserve_free(void *context, void *block, size_t size, size_t alignment)
{
    (void)context;
    (void)size;
    (void)alignment;
    reserve_out -= block == reserve;
    return TIDE_OK;
}

/* A chunk of the program's own manager has its header from the system. */
static void a_chunk_without_memory_for_its_header_is_not_asked_for(void **state)
{
    (void)state;
    static const tide_manager manager = {
        .struct_size = sizeof manager,
        .name = "reserve",
        .allocate = reserve_allocate,
        .free = reserve_free,
    };
    tide_arena_options options = TIDE_ARENA_OPTIONS_INIT;
    options.manager = &manager;
    tide_arena arena;
    assert_ok(tide_arena_open_with(&arena, &options));
    failing_from(0);
    assert_out_of_memory(tide_arena_allocate(&arena, 3000, 8));
    assert_true(failing_stop() > 0);
    assert_int_equal(reserve_out, 0);
    assert_zeroed(tide_arena_allocate(&arena, 3000, 8), 3000);
    assert_int_equal(reserve_out, 1);
    assert_ok(tide_arena_close(&arena));
    assert_int_equal(reserve_out, 0);
}

/* ------------------------------------------------------------------------------- first use */

static void lose_an_arena(void *context)
{
    tide_arena *lost = (tide_arena *)context;
    assert_ok(tide_arena_open(lost));
    assert_non_null(tide_arena_allocate(lost, 8, 8));
}

/* Handlers that were registered twice would deadlock at the fork, and report twice at exit. */
static int first_use(long n)
{
    static tide_arena arena, lost;
    int status;
    setenv("CMOCKA_TEST_ABORT", "1", 1); /* a check that fails says so at once */
    memset(&arena, 0x5A, sizeof arena);
    failing_from(n);
    tide_status opened = tide_arena_open(&arena);
    failing_stop();
    if (opened != TIDE_OK)
        assert_true(all_bytes_are(&arena, 0x5A, sizeof arena));
    printf("%s, %s\n", tide_status_name(opened), tide_status_name(tide_arena_open(&arena)));
    fflush(stdout);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(60); /* a deadlock becomes a failure */
        assert_zeroed(tide_arena_allocate(&arena, 1000, 8), 1000);
        _exit(tide_arena_close(&arena) == TIDE_OK ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_ok(tide_arena_close(&arena));
    on_new_thread(lose_an_arena, &lost);
    return 0;
}

/* Before the library is loaded, whose constructor registers its handlers for forks. */
__attribute__((constructor(101))) static void refuse_at_load(void)
{
    if (getenv("REFUSE_AT_LOAD") != NULL)
        failing_from(0);
}

static void assert_first_use(const char *n, bool refused_at_load, const char *output)
{
    const char *const environment[] = {"REFUSE_AT_LOAD=1", NULL};
    child_result result = child_run("--child", n, refused_at_load ? environment : NULL);
    assert_true(child_exited(&result, 0));
    assert_string_equal(result.output, output);
    const char *line = strstr(result.error, "left open by a thread that ended");
    assert_non_null(line);
    assert_null(strstr(line + 1, "left open by a thread that ended"));
}

static void a_process_whose_first_call_found_no_room_may_try_again(void **state)
{
    (void)state;
    assert_first_use("0", false, "OUT_OF_MEMORY, OK\n"); /* a key, to notice ends of threads */
    assert_first_use("1", false, "OUT_OF_MEMORY, OK\n"); /* the report at exit */
    assert_first_use("2", false, "OUT_OF_MEMORY, OK\n"); /* the thread's block */
    assert_first_use("3", false, "OUT_OF_MEMORY, OK\n"); /* the key's value */
    assert_first_use("4", false, "OK, OK\n");
}

static void
handlers_for_forks_that_found_no_room_at_load_are_registered_by_the_first_call(void **state)
{
    (void)state;
    assert_first_use("1", true, "OUT_OF_MEMORY, OK\n");
    assert_first_use("5", true, "OK, OK\n");
}

int main(int count, char **arguments)
{
    if (count == 3 && strcmp(arguments[1], "--child") == 0)
        return first_use(strtol(arguments[2], NULL, 10));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_nested_arena_that_gets_no_pool_may_try_again),
        cmocka_unit_test(a_nested_arena_that_gets_no_cell_leaves_the_chunk_to_others),
        cmocka_unit_test(a_failed_call_gives_its_pool_back_to_one_place),
        cmocka_unit_test(a_reset_without_memory_for_its_records_lets_chunks_go),
        cmocka_unit_test(a_chunk_without_memory_for_its_header_is_not_asked_for),
        cmocka_unit_test(a_process_whose_first_call_found_no_room_may_try_again),
        cmocka_unit_test(
            handlers_for_forks_that_found_no_room_at_load_are_registered_by_the_first_call),
    };
    return cmocka_run_group_tests_name("arena-shortage", tests, NULL, NULL);
}
