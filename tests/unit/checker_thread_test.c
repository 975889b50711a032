/* SPDX-License-Identifier: Apache-2.0 */
/* A library without a sanitizer in a program with one: what ThreadSanitizer brings along is played
 * by this file. */
#include "test.h"

#include <tidepool/config.h>

#include "base/checker.h"
#include "base/settings.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)

int main(void)
{
    puts("the sanitizer itself is there: checker_test.c asks it");
    return 0;
}

#else

static void *acquired;
static void *released;

void __tsan_acquire(void *address);
void __tsan_release(void *address);

void __tsan_acquire(void *address)
{
    acquired = address;
}

void __tsan_release(void *address)
{
    released = address;
}

static void it_is_named_but_watches_no_memory(void **state)
{
    (void)state;
    if (strcmp(tide_checker(), "valgrind") == 0)
        skip();
    assert_string_equal(tide_checker(), "ThreadSanitizer");
    assert_false(tide_checker_watches_memory());
    assert_true(tide_settings_get()->pooling);
}

static void it_is_told_of_release_and_acquire(void **state)
{
    (void)state;
    int here = 0;
    int there = 0;
    tide_checker_release(&here);
    assert_ptr_equal(released, &here);
    assert_null(acquired);
    tide_checker_acquire(&there);
    assert_ptr_equal(acquired, &there);
    assert_ptr_equal(released, &here);
}

int main(void)
{
    unsetenv("TIDEPOOL_POOLING");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_named_but_watches_no_memory),
        cmocka_unit_test(it_is_told_of_release_and_acquire),
    };
    return cmocka_run_group_tests_name("checker-thread", tests, NULL, NULL);
}

#endif
