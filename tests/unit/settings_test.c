/* SPDX-License-Identifier: Apache-2.0 */
/* The knobs: what the environment may say, and what becomes of what it may not. */
#include "test.h"

#include <sys/auxv.h>
#include <sys/stat.h>

#include <tidepool/config.h>

#include "base/checker.h"
#include "base/settings.h"
#include "child.h"

/* Takes the first knob before main() when the environment asks for it. */
static char from_constructor[16];

__attribute__((constructor)) static void read_a_knob_early(void)
{
    tide_knob knob = {.struct_size = sizeof knob};
    if (getenv("SETTINGS_TEST_EARLY") != NULL && tide_knob_at(0, &knob) == TIDE_OK)
        snprintf(from_constructor, sizeof from_constructor, "%s", knob.value);
}

/* ----------------------------------------------------------------------------- children */

/* One line a knob: NAME=value (source). */
static void print_knobs(void)
{
    tide_knob knob = {.struct_size = sizeof knob};
    for (size_t i = 0; tide_knob_at(i, &knob) == TIDE_OK; i++)
        printf("%s=%s (%s)\n", knob.name, knob.value, knob.source);
    const tide_settings *now = tide_settings_get();
    printf("%zu %u %d %zu %zu %zu %zu %d %d %zu %zu %d\n", now->pool_size,
           (unsigned)now->pool_count, now->pooling, now->chunk_min, now->chunk_max,
           now->chunk_cache, now->chunk_ready, now->faults_abort, now->exit_report,
           now->retire_blocks, now->retire_bytes, now->barrier);
}

static pthread_barrier_t start;

static void *read_on_time(void *argument)
{
    (void)argument;
    pthread_barrier_wait(&start);
    return (void *)(uintptr_t)tide_settings_get()->pool_size;
}

static void read_from_many_threads(void)
{
    enum { THREADS = 8 };
    pthread_t threads[THREADS];
    pthread_barrier_init(&start, NULL, THREADS);
    for (size_t i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, read_on_time, NULL) != 0)
            abort();
    for (size_t i = 0; i < THREADS; i++) {
        void *size;
        pthread_join(threads[i], &size);
        printf("%zu\n", (size_t)(uintptr_t)size);
    }
}

static int run_child(const char *name)
{
    if (strcmp(name, "knobs") == 0)
        print_knobs();
    else if (strcmp(name, "threads") == 0)
        read_from_many_threads();
    else if (strcmp(name, "watched") == 0)
        printf("%d\n", tide_checker_watches_memory());
    else if (strcmp(name, "early") == 0)
        printf("%s\n", from_constructor);
    else if (strcmp(name, "secure") == 0)
        printf("%lu %s %zu\n", getauxval(AT_SECURE), getenv("TIDEPOOL_POOL_SIZE"),
               tide_settings_get()->pool_size);
    return 0;
}

static child_result run_with(const char *variable)
{
    return child_run("--child", "knobs", (const char *const[]){variable, NULL});
}

/* ----------------------------------------------------------------------------- tests */

static void without_an_environment_every_knob_has_its_default(void **state)
{
    (void)state;
    /* A child of this process may be without the checker that this process has. */
    bool watched = child_run("--child", "watched", NULL).output[0] == '1';
    child_result result = child_run("--child", "knobs", NULL);
    assert_true(child_exited(&result, 0));
    assert_string_equal(result.error, "");
    assert_string_equal(result.output, watched
                                           ? "TIDEPOOL_POOL_SIZE=64 (default)\n"
                                             "TIDEPOOL_POOL_COUNT=4 (default)\n"
                                             "TIDEPOOL_POOLING=off (checker)\n"
                                             "TIDEPOOL_CHUNK_MIN=1024 (default)\n"
                                             "TIDEPOOL_CHUNK_MAX=65536 (default)\n"
                                             "TIDEPOOL_CHUNK_CACHE=65536 (default)\n"
                                             "TIDEPOOL_CHUNK_READY=4096 (default)\n"
                                             "TIDEPOOL_FAULTS=return (default)\n"
                                             "TIDEPOOL_EXIT_REPORT=on (default)\n"
                                             "TIDEPOOL_RETIRE_BLOCKS=1024 (default)\n"
                                             "TIDEPOOL_RETIRE_BYTES=1048576 (default)\n"
                                             "TIDEPOOL_BARRIER=membarrier (default)\n"
                                             "64 4 0 1024 65536 65536 4096 0 1 1024 1048576 1\n"
                                           : "TIDEPOOL_POOL_SIZE=64 (default)\n"
                                             "TIDEPOOL_POOL_COUNT=4 (default)\n"
                                             "TIDEPOOL_POOLING=on (default)\n"
                                             "TIDEPOOL_CHUNK_MIN=1024 (default)\n"
                                             "TIDEPOOL_CHUNK_MAX=65536 (default)\n"
                                             "TIDEPOOL_CHUNK_CACHE=65536 (default)\n"
                                             "TIDEPOOL_CHUNK_READY=4096 (default)\n"
                                             "TIDEPOOL_FAULTS=return (default)\n"
                                             "TIDEPOOL_EXIT_REPORT=on (default)\n"
                                             "TIDEPOOL_RETIRE_BLOCKS=1024 (default)\n"
                                             "TIDEPOOL_RETIRE_BYTES=1048576 (default)\n"
                                             "TIDEPOOL_BARRIER=membarrier (default)\n"
                                             "64 4 1 1024 65536 65536 4096 0 1 1024 1048576 1\n");
}

static void every_knob_can_be_set(void **state)
{
    (void)state;
    child_result result = child_run(
        "--child", "knobs",
        (const char *const[]){"TIDEPOOL_POOL_SIZE=256", "TIDEPOOL_POOL_COUNT=8",
                              "TIDEPOOL_POOLING=off", "TIDEPOOL_CHUNK_MIN=2048",
                              "TIDEPOOL_CHUNK_MAX=131072", "TIDEPOOL_CHUNK_CACHE=12345",
                              "TIDEPOOL_CHUNK_READY=8192", "TIDEPOOL_FAULTS=abort",
                              "TIDEPOOL_EXIT_REPORT=off", "TIDEPOOL_RETIRE_BLOCKS=17",
                              "TIDEPOOL_RETIRE_BYTES=54321", "TIDEPOOL_BARRIER=fences", NULL});
    assert_string_equal(result.error, "");
    assert_string_equal(result.output, "TIDEPOOL_POOL_SIZE=256 (environment)\n"
                                       "TIDEPOOL_POOL_COUNT=8 (environment)\n"
                                       "TIDEPOOL_POOLING=off (environment)\n"
                                       "TIDEPOOL_CHUNK_MIN=2048 (environment)\n"
                                       "TIDEPOOL_CHUNK_MAX=131072 (environment)\n"
                                       "TIDEPOOL_CHUNK_CACHE=12345 (environment)\n"
                                       "TIDEPOOL_CHUNK_READY=8192 (environment)\n"
                                       "TIDEPOOL_FAULTS=abort (environment)\n"
                                       "TIDEPOOL_EXIT_REPORT=off (environment)\n"
                                       "TIDEPOOL_RETIRE_BLOCKS=17 (environment)\n"
                                       "TIDEPOOL_RETIRE_BYTES=54321 (environment)\n"
                                       "TIDEPOOL_BARRIER=fences (environment)\n"
                                       "256 8 0 2048 131072 12345 8192 1 0 17 54321 0\n");
}

static void the_bounds_themselves_can_be_set(void **state)
{
    (void)state;
    const char *const good[] = {
        "TIDEPOOL_POOL_SIZE=0",
        "TIDEPOOL_POOL_SIZE=8",
        "TIDEPOOL_POOL_SIZE=1048576",
        "TIDEPOOL_POOL_SIZE=00064",
        "TIDEPOOL_POOL_COUNT=1",
        "TIDEPOOL_POOL_COUNT=2",
        "TIDEPOOL_POOL_COUNT=4",
        "TIDEPOOL_CHUNK_MIN=1024",
        "TIDEPOOL_CHUNK_MIN=65536",
        "TIDEPOOL_CHUNK_MAX=1024",
        "TIDEPOOL_CHUNK_MAX=1048576",
        "TIDEPOOL_CHUNK_CACHE=0",
        "TIDEPOOL_CHUNK_CACHE=67108864",
        "TIDEPOOL_FAULTS=return",
        "TIDEPOOL_EXIT_REPORT=on",
        "TIDEPOOL_RETIRE_BLOCKS=0",
        "TIDEPOOL_RETIRE_BLOCKS=1048576",
        "TIDEPOOL_RETIRE_BYTES=0",
        "TIDEPOOL_RETIRE_BYTES=1073741824",
        "TIDEPOOL_BARRIER=membarrier",
    };
    for (size_t i = 0; i < COUNT_OF(good); i++) {
        child_result result = run_with(good[i]);
        char name[40];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(good[i], "="), good[i]);
        const char *line = strstr(result.output, name);
        assert_string_equal(result.error, "");
        assert_non_null(line);
        assert_memory_equal(strchr(line, '('), "(environment)", 13);
    }
}

static void what_cannot_be_used_is_warned_about_once_with_the_good_values(void **state)
{
    (void)state;
    const struct {
        const char *variable;
        const char *warning;
    } rows[] = {
        {"TIDEPOOL_POOL_SIZE=", "tidepool: TIDEPOOL_POOL_SIZE=\"\" cannot be used (good: 0, or a "
                                "power of two from 8 to 1048576); using 64\n"},
        {"TIDEPOOL_POOL_SIZE=garbage",
         "tidepool: TIDEPOOL_POOL_SIZE=\"garbage\" cannot be used (good: 0, or a power of two from "
         "8 to 1048576); using 64\n"},
        {"TIDEPOOL_POOL_COUNT=3",
         "tidepool: TIDEPOOL_POOL_COUNT=\"3\" cannot be used (good: 1, 2, 4, 8); using 4\n"},
        {"TIDEPOOL_POOLING=yes",
         "tidepool: TIDEPOOL_POOLING=\"yes\" cannot be used (good: on, off); using on\n"},
        {"TIDEPOOL_CHUNK_MIN=512",
         "tidepool: TIDEPOOL_CHUNK_MIN=\"512\" cannot be used (good: a power of two from 1024 to "
         "TIDEPOOL_CHUNK_MAX); using 1024\n"},
        {"TIDEPOOL_CHUNK_MAX=2097152",
         "tidepool: TIDEPOOL_CHUNK_MAX=\"2097152\" cannot be used (good: a power of two from "
         "TIDEPOOL_CHUNK_MIN to 1048576); using 65536\n"},
        {"TIDEPOOL_CHUNK_CACHE=67108865",
         "tidepool: TIDEPOOL_CHUNK_CACHE=\"67108865\" cannot be used (good: 0 to 67108864); using "
         "65536\n"},
        {"TIDEPOOL_CHUNK_READY=512",
         "tidepool: TIDEPOOL_CHUNK_READY=\"512\" cannot be used (good: a power of two from 1024 to "
         "1048576); using 4096\n"},
        {"TIDEPOOL_FAULTS=ABORT", "tidepool: TIDEPOOL_FAULTS=\"ABORT\" cannot be used (good: "
                                  "return, abort); using return\n"},
        {"TIDEPOOL_EXIT_REPORT=1",
         "tidepool: TIDEPOOL_EXIT_REPORT=\"1\" cannot be used (good: on, off); using on\n"},
        {"TIDEPOOL_RETIRE_BLOCKS=all", "tidepool: TIDEPOOL_RETIRE_BLOCKS=\"all\" cannot be used "
                                       "(good: 0 to 1048576); using 1024\n"},
        {"TIDEPOOL_RETIRE_BYTES=1073741825",
         "tidepool: TIDEPOOL_RETIRE_BYTES=\"1073741825\" cannot be used (good: 0 to 1073741824); "
         "using 1048576\n"},
        {"TIDEPOOL_BARRIER=on", "tidepool: TIDEPOOL_BARRIER=\"on\" cannot be used (good: "
                                "membarrier, fences); using membarrier\n"},
    };
    child_result untouched = child_run("--child", "knobs", NULL);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        child_result result = run_with(rows[i].variable);
        assert_true(child_exited(&result, 0));
        assert_string_equal(result.error, rows[i].warning);
        assert_string_equal(result.output, untouched.output);
    }
}

static void numbers_are_plain_decimal_and_fit(void **state)
{
    (void)state;
    const char *const bad[] = {
        "TIDEPOOL_POOL_SIZE=-64",
        "TIDEPOOL_POOL_SIZE=+64",
        "TIDEPOOL_POOL_SIZE= 64",
        "TIDEPOOL_POOL_SIZE=64 ",
        "TIDEPOOL_POOL_SIZE=64K",
        "TIDEPOOL_POOL_SIZE=0x40",
        "TIDEPOOL_POOL_SIZE=6.4e1",
        "TIDEPOOL_POOL_SIZE=4",
        "TIDEPOOL_POOL_SIZE=63",
        "TIDEPOOL_POOL_SIZE=2097152",
        "TIDEPOOL_POOL_SIZE=9223372036854775807",
        "TIDEPOOL_POOL_SIZE=18446744073709551615",
        "TIDEPOOL_POOL_SIZE=18446744073709551616",
        "TIDEPOOL_POOL_SIZE=18446744073709551680", /* 64 once wrapped */
        "TIDEPOOL_POOL_SIZE=184467440737095516160000000000000064",
        "TIDEPOOL_POOL_SIZE=\xD9\xA6\xD9\xA4", /* digits, but not these */
        "TIDEPOOL_POOL_COUNT=0",
        "TIDEPOOL_POOL_COUNT=16",
        "TIDEPOOL_POOL_COUNT=4294967300", /* 4 in 32 bits */
        "TIDEPOOL_CHUNK_MIN=1025",
        "TIDEPOOL_CHUNK_CACHE=-1",
        "TIDEPOOL_RETIRE_BLOCKS=-1",
        "TIDEPOOL_RETIRE_BLOCKS=1048577",
        "TIDEPOOL_RETIRE_BYTES=1073741825",
        "TIDEPOOL_RETIRE_BYTES=1M",
        "TIDEPOOL_BARRIER=fence",
        "TIDEPOOL_BARRIER=off",
        "TIDEPOOL_CHUNK_READY=5000",
        "TIDEPOOL_CHUNK_READY=2097152",
    };
    child_result untouched = child_run("--child", "knobs", NULL);
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        child_result result = run_with(bad[i]);
        assert_contains(result.error, "cannot be used (good: ");
        assert_string_equal(result.output, untouched.output);
    }
}

static void the_smallest_chunk_is_no_larger_than_the_largest(void **state)
{
    (void)state;
    child_result result = child_run(
        "--child", "knobs",
        (const char *const[]){"TIDEPOOL_CHUNK_MIN=131072", "TIDEPOOL_CHUNK_MAX=131072", NULL});
    assert_string_equal(result.error, "");
    assert_contains(result.output, " 131072 131072 65536 ");
    result = run_with("TIDEPOOL_CHUNK_MIN=131072"); /* above the default of the largest */
    assert_contains(result.error, "TIDEPOOL_CHUNK_MIN=\"131072\" cannot be used");
    assert_contains(result.output, " 1024 65536 65536 ");
    result = child_run(
        "--child", "knobs",
        (const char *const[]){"TIDEPOOL_CHUNK_MIN=4096", "TIDEPOOL_CHUNK_MAX=2048", NULL});
    assert_contains(result.error, "TIDEPOOL_CHUNK_MIN=\"4096\" cannot be used");
    assert_contains(result.output, " 1024 2048 65536 ");
    result =
        child_run("--child", "knobs",
                  (const char *const[]){"TIDEPOOL_CHUNK_MIN=4096", "TIDEPOOL_CHUNK_MAX=7", NULL});
    assert_contains(result.error, "TIDEPOOL_CHUNK_MAX=\"7\" cannot be used");
    assert_contains(result.output, " 4096 65536 65536 ");
}

static void the_ready_chunk_is_no_larger_than_chunks_and_cache_allow(void **state)
{
    (void)state;
    const struct {
        const char *variables[3];
        const char *ready; /* what is in force, and who set it */
    } rows[] = {
        {{"TIDEPOOL_CHUNK_MAX=1024"}, "1024 (default)"},
        {{"TIDEPOOL_CHUNK_MAX=2048", "TIDEPOOL_CHUNK_READY=8192"}, "2048 (environment)"},
        {{"TIDEPOOL_CHUNK_READY=131072"}, "65536 (environment)"},
        {{"TIDEPOOL_CHUNK_MAX=131072", "TIDEPOOL_CHUNK_READY=131072"}, "65536 (environment)"},
        {{"TIDEPOOL_CHUNK_CACHE=3000"}, "2048 (default)"},
        {{"TIDEPOOL_CHUNK_CACHE=0"}, "1024 (default)"},
        {{"TIDEPOOL_CHUNK_READY=1024"}, "1024 (environment)"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char line[80];
        child_result result = child_run("--child", "knobs", rows[i].variables);
        snprintf(line, sizeof line, "TIDEPOOL_CHUNK_READY=%s\n", rows[i].ready);
        assert_string_equal(result.error, "");
        assert_contains(result.output, line);
    }
}

static void a_long_or_unprintable_value_is_shown_cut_and_masked(void **state)
{
    (void)state;
    child_result result =
        run_with("TIDEPOOL_POOLING=0123456789012345678901234567890123456789012345678901234567890");
    assert_contains(result.error, "=\"01234567890123456789012345678901...\" cannot");
    result = run_with("TIDEPOOL_POOLING=01234567890123456789012345678901");
    assert_contains(result.error, "=\"01234567890123456789012345678901\" cannot");
    result = run_with("TIDEPOOL_POOLING=a\033[2Jb\nc\177\200");
    assert_contains(result.error, "=\"a?[2Jb?c??\" cannot");
}

static void every_bad_knob_is_warned_about(void **state)
{
    (void)state;
    child_result result =
        child_run("--child", "knobs",
                  (const char *const[]){"TIDEPOOL_POOL_SIZE=x", "TIDEPOOL_FAULTS=x",
                                        "TIDEPOOL_CHUNK_MIN=x", NULL});
    size_t lines = 0;
    for (const char *at = result.error; (at = strchr(at, '\n')) != NULL; at++)
        lines++;
    assert_int_equal(lines, 3);
    assert_contains(result.error, "TIDEPOOL_POOL_SIZE");
    assert_contains(result.error, "TIDEPOOL_FAULTS");
    assert_contains(result.error, "TIDEPOOL_CHUNK_MIN");
}

static void threads_that_come_at_once_read_once(void **state)
{
    (void)state;
    child_result result =
        child_run("--child", "threads",
                  (const char *const[]){"TIDEPOOL_POOL_SIZE=128", "TIDEPOOL_POOL_COUNT=x", NULL});
    assert_string_equal(result.output, "128\n128\n128\n128\n128\n128\n128\n128\n");
    assert_non_null(strchr(result.error, '\n'));
    assert_null(strchr(strchr(result.error, '\n') + 1, '\n'));
}

static void a_constructor_may_be_the_first_to_read(void **state)
{
    (void)state;
    child_result result =
        child_run("--child", "early",
                  (const char *const[]){"TIDEPOOL_POOL_SIZE=512", "SETTINGS_TEST_EARLY=1", NULL});
    assert_string_equal(result.output, "512\n");
}

static void the_environment_is_read_once(void **state)
{
    (void)state;
    size_t before = tide_settings_get()->pool_size;
    assert_int_equal(setenv("TIDEPOOL_POOL_SIZE", before == 256 ? "128" : "256", 1), 0);
    assert_int_equal(tide_settings_get()->pool_size, before);
    assert_int_equal(unsetenv("TIDEPOOL_POOL_SIZE"), 0);
}

static bool copy_program(int to)
{
    char buffer[65536];
    FILE *from = fopen("/proc/self/exe", "rb");
    size_t got;
    bool whole = from != NULL;
    while (whole && (got = fread(buffer, 1, sizeof buffer, from)) != 0)
        whole = write(to, buffer, got) == (ssize_t)got;
    if (from != NULL)
        fclose(from);
    return whole;
}

static void a_set_user_id_program_ignores_the_environment(void **state)
{
    (void)state;
    if (geteuid() != 0)
        skip(); /* only root can make a program of somebody else's */
    char path[] = "/var/tmp/tidepool-settings-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    bool made = copy_program(file) && fchown(file, 65534, 65534) == 0 && fchmod(file, 04755) == 0;
    close(file);
    char command[200];
    char text[100] = "";
    snprintf(command, sizeof command, "TIDEPOOL_POOL_SIZE=128 %s --child secure", path);
    FILE *output = popen(command, "r");
    assert_non_null(output);
    text[fread(text, 1, sizeof text - 1, output)] = '\0';
    pclose(output);
    unlink(path);
    if (!made || text[0] != '1')
        skip(); /* the file system has no such programs, or the sanitizer wants none */
    assert_string_equal(text, "1 128 64\n");
}

static void a_knob_says_all_about_itself(void **state)
{
    (void)state;
    tide_knob knob = {.struct_size = sizeof knob};
    size_t count = 0;
    for (; tide_knob_at(count, &knob) == TIDE_OK; count++) {
        assert_int_equal(knob.struct_size, sizeof knob);
        assert_memory_equal(knob.name, "TIDEPOOL_", 9);
        assert_true(strlen(knob.value) > 0 && strlen(knob.initial) > 0 && strlen(knob.good) > 0 &&
                    strlen(knob.meaning) > 0 && strlen(knob.source) > 0);
    }
    assert_int_equal(count, 12);
}

static void there_is_no_knob_behind_the_last(void **state)
{
    (void)state;
    const size_t indexes[] = {12, 13, PTRDIFF_MAX, SIZE_MAX};
    for (size_t i = 0; i < COUNT_OF(indexes); i++) {
        tide_knob knob = {.struct_size = sizeof knob, .name = "untouched"};
        assert_refused(TIDE_INVALID_ARGUMENT, tide_knob_at(indexes[i], &knob));
        assert_string_equal(knob.name, "untouched");
    }
    assert_string_equal(tide_last_error_text(),
                        "knob: index 18446744073709551615, there are 12 knobs");
}

static void a_knob_needs_a_place_of_known_size(void **state)
{
    (void)state;
    assert_refused(TIDE_INVALID_ARGUMENT, tide_knob_at(0, NULL));
    assert_string_equal(tide_last_error_text(), "knob: the place to fill is NULL");
    const size_t sizes[] = {0, 8, sizeof(tide_knob) - 1, sizeof(tide_knob) + 8, SIZE_MAX};
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        tide_knob knob = {.struct_size = sizes[i], .name = "untouched"};
        assert_refused(TIDE_INVALID_ARGUMENT, tide_knob_at(0, &knob));
        assert_error_names("struct_size");
        assert_string_equal(knob.name, "untouched");
    }
}

static void the_version_is_the_headers(void **state)
{
    (void)state;
    char version[40];
    snprintf(version, sizeof version, "%d.%d.%d", TIDE_VERSION_MAJOR, TIDE_VERSION_MINOR,
             TIDE_VERSION_PATCH);
    assert_string_equal(tide_version(), TIDE_VERSION_STRING);
    assert_string_equal(tide_version(), version);
}

int main(int count, char **arguments)
{
    if (count == 3 && strcmp(arguments[1], "--child") == 0)
        return run_child(arguments[2]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_an_environment_every_knob_has_its_default),
        cmocka_unit_test(every_knob_can_be_set),
        cmocka_unit_test(the_bounds_themselves_can_be_set),
        cmocka_unit_test(what_cannot_be_used_is_warned_about_once_with_the_good_values),
        cmocka_unit_test(numbers_are_plain_decimal_and_fit),
        cmocka_unit_test(the_smallest_chunk_is_no_larger_than_the_largest),
        cmocka_unit_test(the_ready_chunk_is_no_larger_than_chunks_and_cache_allow),
        cmocka_unit_test(a_long_or_unprintable_value_is_shown_cut_and_masked),
        cmocka_unit_test(every_bad_knob_is_warned_about),
        cmocka_unit_test(threads_that_come_at_once_read_once),
        cmocka_unit_test(a_constructor_may_be_the_first_to_read),
        cmocka_unit_test(the_environment_is_read_once),
        cmocka_unit_test(a_set_user_id_program_ignores_the_environment),
        cmocka_unit_test(a_knob_says_all_about_itself),
        cmocka_unit_test(there_is_no_knob_behind_the_last),
        cmocka_unit_test(a_knob_needs_a_place_of_known_size),
        cmocka_unit_test(the_version_is_the_headers),
    };
    return cmocka_run_group_tests_name("settings", tests, NULL, NULL);
}
