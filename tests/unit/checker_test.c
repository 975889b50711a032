/* SPDX-License-Identifier: Apache-2.0 */
/* The façade for memory checkers, with the one that this program was built with, or none. */
#include "test.h"

#include <tidepool/config.h>

#include "base/checker.h"
#include "child.h"

#if defined(__SANITIZE_ADDRESS__)
#define BUILT_WITH "AddressSanitizer"
int __asan_address_is_poisoned(const volatile void *address);
#elif defined(__SANITIZE_THREAD__)
#define BUILT_WITH "ThreadSanitizer"
#else
#define BUILT_WITH "none"
#endif

#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#else
#define VALGRIND_GET_VBITS(address, bits, size) (*(bits)*0)
#endif

/* Memcheck's word for "not to be touched". */
#define UNADDRESSABLE 3

/* Whether the checker that is there, if any, lets nobody touch the byte. */
static bool is_forbidden(const char *address)
{
#ifdef __SANITIZE_ADDRESS__
    return __asan_address_is_poisoned(address) != 0;
#else
    char bits = 0;
    return VALGRIND_GET_VBITS(address, &bits, 1) == UNADDRESSABLE && bits == 0;
#endif
}

static bool is_undefined(const char *address)
{
    char bits = 0;
    (void)VALGRIND_GET_VBITS(address, &bits, 1);
    return bits != 0;
}

static bool under_valgrind(void)
{
    return strcmp(tide_checker(), "valgrind") == 0;
}

static void the_checker_is_the_one_that_is_there(void **state)
{
    (void)state;
    if (!under_valgrind())
        assert_string_equal(tide_checker(), BUILT_WITH);
    assert_int_equal(tide_checker_watches_memory(),
                     under_valgrind() || strcmp(BUILT_WITH, "AddressSanitizer") == 0);
}

/* Changes of one block: forbidden, undefined, defined; 1 for each that went wrong. */
static int misjudged(void)
{
    int wrong = 0;
    bool watched = tide_checker_watches_memory();
    char *block = calloc(1, 64);
    if (block == NULL)
        return 1;
    tide_checker_forbid(block, 64);
    wrong += is_forbidden(block) != watched;
    wrong += is_forbidden(block + 63) != watched;
    tide_checker_allow_undefined(block, 16);
    wrong += is_forbidden(block) || is_undefined(block) != under_valgrind();
    wrong += is_forbidden(block + 16) != watched;
    tide_checker_allow_defined(block, 64);
    wrong += is_forbidden(block) || is_undefined(block) || is_forbidden(block + 63);
    free(block);
    return wrong;
}

static void memory_is_forbidden_and_allowed_again(void **state)
{
    (void)state;
    assert_int_equal(misjudged(), 0);
}

static int shared_number;

static void write_and_release(void *context)
{
    (void)context;
    shared_number = 7;
    tide_checker_release(&shared_number);
}

static void release_and_acquire_are_harmless_without_a_checker(void **state)
{
    (void)state;
    on_new_thread(write_and_release, NULL);
    tide_checker_acquire(&shared_number);
    assert_int_equal(shared_number, 7);
}

/* Runs this program's child under a tool of valgrind; false when there is none. */
static bool run_under(const char *tool, char *output, size_t size)
{
    char command[300];
    snprintf(command, sizeof command,
             "valgrind -q --tool=%s --log-file=/dev/null %s /proc/%ld/exe --child report 2>&1",
             tool, strcmp(tool, "callgrind") == 0 ? "--callgrind-out-file=/dev/null" : "",
             (long)getpid());
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    output[fread(output, 1, size - 1, pipe)] = '\0';
    return pclose(pipe) == 0;
}

/* Some versions can't read the debug information of some compilers, and give up. */
static bool valgrind_can_run_this(void)
{
    char output[200];
    return strcmp(BUILT_WITH, "none") == 0 && !under_valgrind() &&
           run_under("none", output, sizeof output);
}

static void memcheck_is_noticed_and_told(void **state)
{
    (void)state;
    char output[200];
    if (!valgrind_can_run_this())
        skip();
    assert_true(run_under("memcheck", output, sizeof output));
    assert_string_equal(output, "valgrind 1, 0 misjudged\n");
}

static void valgrind_s_other_tools_watch_no_memory(void **state)
{
    (void)state;
    char output[200];
    if (!valgrind_can_run_this())
        skip();
    assert_true(run_under("callgrind", output, sizeof output));
    assert_string_equal(output, "none 0, 0 misjudged\n");
}

int main(int count, char **arguments)
{
    if (count == 3 && strcmp(arguments[1], "--child") == 0) {
        printf("%s %d, ", tide_checker(), tide_checker_watches_memory());
        printf("%d misjudged\n", misjudged());
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_checker_is_the_one_that_is_there),
        cmocka_unit_test(memory_is_forbidden_and_allowed_again),
        cmocka_unit_test(release_and_acquire_are_harmless_without_a_checker),
        cmocka_unit_test(memcheck_is_noticed_and_told),
        cmocka_unit_test(valgrind_s_other_tools_watch_no_memory),
    };
    return cmocka_run_group_tests_name("checker", tests, NULL, NULL);
}
