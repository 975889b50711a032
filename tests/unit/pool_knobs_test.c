/* SPDX-License-Identifier: Apache-2.0 */
/* The knobs of pools and chunks: every good value works, every bad one means the default and is
 * warned about once. Each value is tried in a process of its own. */
#include "test.h"

#include "child.h"

/* ------------------------------------------------------------------------------- the child */

static const char *knob_value(const char *name)
{
    tide_knob knob = {.struct_size = sizeof knob};
    for (size_t i = 0; tide_knob_at(i, &knob) == TIDE_OK; i++) {
        if (strcmp(knob.name, name) == 0)
            return knob.value;
    }
    return "none";
}

/* Nested arenas of every size: isolated, aligned, zeroed, and zeroed again when they come back. */
static void work(void *context)
{
    (void)context;
    static const size_t lengths[] = {0,  1,   5,    8,    9,    16,   63,    64,
                                     65, 100, 1000, 1024, 1025, 4096, 65536, 200000};
    enum { COUNT = 10 };
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < COUNT_OF(lengths); i++) {
            tide_arena arenas[COUNT];
            unsigned char *blocks[COUNT];
            for (size_t j = 0; j < COUNT; j++) {
                assert_ok(tide_arena_open(&arenas[j]));
                assert_non_null(tide_arena_allocate(&arenas[j], 1, 1));
                blocks[j] = (unsigned char *)tide_arena_allocate(&arenas[j], lengths[i], 32);
                assert_non_null(blocks[j]);
                assert_aligned(blocks[j], 32);
                assert_zeroed(blocks[j], lengths[i]);
                memset(blocks[j], (int)j + 1, lengths[i]);
                memset(tide_arena_allocate(&arenas[j], 8, 8), (int)j + 1, 8);
            }
            for (size_t j = 0; j < COUNT; j++) {
                size_t victim = j * 3 % COUNT;
                assert_true(all_bytes_are(blocks[victim], (int)victim + 1, lengths[i]));
                assert_ok(tide_arena_close(&arenas[victim]));
            }
        }
    }
}

/* Owners that take turns on a thread: each finds its own, and not what another has left. */
static size_t turns_of_fibers(void)
{
    size_t turns = 0;
    tide_owner fibers[3] = {tide_owner_new(), tide_owner_new(), tide_owner_new()};
    tide_segment stale[COUNT_OF(fibers)];
    tide_owner own = tide_owner_current();
    for (size_t i = 0; i < 4 * COUNT_OF(fibers); i++) {
        size_t turn = i % COUNT_OF(fibers);
        tide_arena arena;
        tide_owner_set(fibers[turn]);
        if (i != turn)
            assert_refused(TIDE_CLOSED, tide_store_u8(&stale[turn], 0, 1));
        assert_ok(tide_arena_open(&arena));
        assert_ok(tide_arena_segment(&arena, 20, 4, &stale[turn]));
        assert_zeroed(tide_segment_address(&stale[turn]), 20);
        assert_ok(tide_segment_fill(&stale[turn], 0xAB));
        assert_ok(tide_arena_close(&arena));
        turns++;
    }
    tide_owner_set(own);
    return turns;
}

/* How many bytes the pool of a fresh arena serves one after the other. */
static size_t served_by_pool(void)
{
    tide_arena arena;
    assert_ok(tide_arena_open(&arena));
    const char *first = (const char *)tide_arena_allocate(&arena, 8, 8);
    size_t served = 8;
    if (tide_arena_extend(&arena, (void *)(size_t)first, 8, 8) != TIDE_OK)
        return 0;
    while (served < 4096 &&
           tide_arena_extend(&arena, (void *)(size_t)first, served, served + 8) == TIDE_OK)
        served += 8;
    assert_ok(tide_arena_close(&arena));
    return served;
}

static int be_child(const char *knob)
{
    setenv("CMOCKA_TEST_ABORT", "1", 1); /* a check that fails says so at once */
    size_t turns = turns_of_fibers();
    work(NULL);
    on_new_thread(work, NULL);
    tide_pool_statistics statistics = {.struct_size = sizeof statistics};
    assert_ok(tide_pool_statistics_get(&statistics));
    printf("value=%s\n", knob_value(knob));
    printf("turns=%zu\n", turns);
    printf("served=%zu\n", served_by_pool());
    printf("idle=%zu\n", statistics.idle_pools);
    printf("cached=%zu\n", statistics.cached_chunk_bytes);
    fflush(stdout);
    return 0;
}

/* ------------------------------------------------------------------------------- the tests */

static child_result with_value(const char *knob, const char *value)
{
    char variable[256];
    snprintf(variable, sizeof variable, "%s=%s", knob, value);
    const char *const environment[] = {variable, NULL};
    child_result result = child_run("--child", knob, environment);
    if (!child_exited(&result, 0)) {
        print_error("%s: wait status 0x%x\n%s", variable, (unsigned)result.status, result.error);
        fail();
    }
    return result;
}

static void assert_value_is_taken(const char *knob, const char *value)
{
    char line[256];
    child_result result = with_value(knob, value);
    snprintf(line, sizeof line, "value=%s\n", value);
    assert_contains(result.output, line);
    assert_contains(result.output, "turns=12\n");
    assert_string_equal(result.error, "");
}

static void assert_value_means_the_default(const char *knob, const char *value, const char *initial)
{
    char line[256];
    child_result result = with_value(knob, value);
    snprintf(line, sizeof line, "value=%s\n", initial);
    assert_contains(result.output, line);
    assert_contains(result.error, knob);
    const char *first = strstr(result.error, "tidepool: ");
    assert_non_null(first);
    assert_null(strstr(first + 1, "tidepool: ")); /* once */
}

static const char *const never_numbers[] = {"",
                                            " ",
                                            "x",
                                            "64x",
                                            "0x40",
                                            "-1",
                                            "+64",
                                            "64 ",
                                            " 64",
                                            "6.4",
                                            "1e3",
                                            "18446744073709551616",
                                            "18446744073709551680", /* 2^64 + 64 */
                                            "99999999999999999999999999",
                                            "-64"};

static void every_pool_size_works(void **state)
{
    (void)state;
    static const char *const good[] = {"0",   "8",    "16",   "32",    "64",     "128",
                                       "512", "1024", "4096", "65536", "1048576"};
    for (size_t i = 0; i < COUNT_OF(good); i++)
        assert_value_is_taken("TIDEPOOL_POOL_SIZE", good[i]);
}

static void a_bad_pool_size_means_64(void **state)
{
    (void)state;
    static const char *const bad[] = {"1", "4", "7", "9", "63", "65", "100", "1048577", "2097152"};
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        assert_value_means_the_default("TIDEPOOL_POOL_SIZE", bad[i], "64");
    for (size_t i = 0; i < COUNT_OF(never_numbers); i++)
        assert_value_means_the_default("TIDEPOOL_POOL_SIZE", never_numbers[i], "64");
}

static void the_pool_serves_its_size(void **state)
{
    (void)state;
    skip_under_checker();
    assert_contains(with_value("TIDEPOOL_POOL_SIZE", "8").output, "served=8\n");
    assert_contains(with_value("TIDEPOOL_POOL_SIZE", "16").output, "served=16\n");
    assert_contains(with_value("TIDEPOOL_POOL_SIZE", "64").output, "served=64\n");
    assert_contains(with_value("TIDEPOOL_POOL_SIZE", "256").output, "served=256\n");
    assert_contains(with_value("TIDEPOOL_POOL_SIZE", "1024").output, "served=1024\n");
    assert_contains(with_value("TIDEPOOL_POOL_SIZE", "63").output, "served=64\n");
    assert_contains(with_value("TIDEPOOL_POOLING", "off").output, "served=64\n");
}

static void every_pool_count_works_and_bounds_the_idle_pools(void **state)
{
    (void)state;
    static const char *const good[] = {"1", "2", "4", "8"};
    for (size_t i = 0; i < COUNT_OF(good); i++) {
        char line[32];
        assert_value_is_taken("TIDEPOOL_POOL_COUNT", good[i]);
        snprintf(line, sizeof line, "idle=%s\n", good[i]);
        assert_contains(with_value("TIDEPOOL_POOL_COUNT", good[i]).output, line);
    }
}

static void a_bad_pool_count_means_4(void **state)
{
    (void)state;
    static const char *const bad[] = {"0", "3", "5", "7", "9", "16", "1000000"};
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        assert_value_means_the_default("TIDEPOOL_POOL_COUNT", bad[i], "4");
    for (size_t i = 0; i < COUNT_OF(never_numbers); i++)
        assert_value_means_the_default("TIDEPOOL_POOL_COUNT", never_numbers[i], "4");
}

static void pooling_can_be_switched_off_and_everything_still_works(void **state)
{
    (void)state;
    skip_under_checker(); /* it switches pooling off itself */
    assert_value_is_taken("TIDEPOOL_POOLING", "on");
    assert_value_is_taken("TIDEPOOL_POOLING", "off");
    assert_value_means_the_default("TIDEPOOL_POOLING", "maybe", "on");
    assert_value_means_the_default("TIDEPOOL_POOLING", "OFF", "on");
    assert_value_means_the_default("TIDEPOOL_POOLING", "0", "on");
    assert_value_means_the_default("TIDEPOOL_POOLING", "", "on");
}

static void every_chunk_bound_works(void **state)
{
    (void)state;
    assert_value_is_taken("TIDEPOOL_CHUNK_MIN", "1024");
    assert_value_is_taken("TIDEPOOL_CHUNK_MIN", "16384");
    assert_value_is_taken("TIDEPOOL_CHUNK_MIN", "65536");
    assert_value_is_taken("TIDEPOOL_CHUNK_MAX", "1024");
    assert_value_is_taken("TIDEPOOL_CHUNK_MAX", "8192");
    assert_value_is_taken("TIDEPOOL_CHUNK_MAX", "1048576");
}

static void bad_chunk_bounds_mean_the_default(void **state)
{
    (void)state;
    static const char *const bad[] = {"0", "1", "512", "1000", "1025", "3000", "2097152"};
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        assert_value_means_the_default("TIDEPOOL_CHUNK_MIN", bad[i], "1024");
        assert_value_means_the_default("TIDEPOOL_CHUNK_MAX", bad[i], "65536");
    }
    for (size_t i = 0; i < COUNT_OF(never_numbers); i++) {
        assert_value_means_the_default("TIDEPOOL_CHUNK_MIN", never_numbers[i], "1024");
        assert_value_means_the_default("TIDEPOOL_CHUNK_MAX", never_numbers[i], "65536");
    }
}

static void the_chunk_cache_can_be_any_size_and_0_keeps_nothing(void **state)
{
    (void)state;
    assert_value_is_taken("TIDEPOOL_CHUNK_CACHE", "0");
    assert_value_is_taken("TIDEPOOL_CHUNK_CACHE", "1");
    assert_value_is_taken("TIDEPOOL_CHUNK_CACHE", "5000");
    assert_value_is_taken("TIDEPOOL_CHUNK_CACHE", "67108864");
    assert_contains(with_value("TIDEPOOL_CHUNK_CACHE", "0").output, "cached=0\n");
    assert_value_means_the_default("TIDEPOOL_CHUNK_CACHE", "67108865", "65536");
    for (size_t i = 0; i < COUNT_OF(never_numbers); i++)
        assert_value_means_the_default("TIDEPOOL_CHUNK_CACHE", never_numbers[i], "65536");
}

int main(int count, char **arguments)
{
    if (count == 3 && strcmp(arguments[1], "--child") == 0)
        return be_child(arguments[2]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pool_size_works),
        cmocka_unit_test(a_bad_pool_size_means_64),
        cmocka_unit_test(the_pool_serves_its_size),
        cmocka_unit_test(every_pool_count_works_and_bounds_the_idle_pools),
        cmocka_unit_test(a_bad_pool_count_means_4),
        cmocka_unit_test(pooling_can_be_switched_off_and_everything_still_works),
        cmocka_unit_test(every_chunk_bound_works),
        cmocka_unit_test(bad_chunk_bounds_mean_the_default),
        cmocka_unit_test(the_chunk_cache_can_be_any_size_and_0_keeps_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
