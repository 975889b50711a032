/* SPDX-License-Identifier: Apache-2.0 */
/* A library without a sanitizer in a program with one: what AddressSanitizer brings along is played
 * by this file. */
#include "test.h"

#include <tidepool/config.h>

#include "base/checker.h"
#include "base/settings.h"
#include "child.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)

int main(void)
{
    puts("the sanitizer itself is there: checker_test.c asks it");
    return 0;
}

#else

typedef struct heard {
    const volatile void *address;
    size_t size;
    size_t calls;
} heard;

static heard poisoned;
static heard unpoisoned;

void __asan_poison_memory_region(const volatile void *address, size_t size);
void __asan_unpoison_memory_region(const volatile void *address, size_t size);

void __asan_poison_memory_region(const volatile void *address, size_t size)
{
    poisoned = (heard){address, size, poisoned.calls + 1};
}

void __asan_unpoison_memory_region(const volatile void *address, size_t size)
{
    unpoisoned = (heard){address, size, unpoisoned.calls + 1};
}

static void the_sanitizer_is_found_at_run_time(void **state)
{
    (void)state;
    assert_string_equal(tide_checker(), "AddressSanitizer");
    assert_true(tide_checker_watches_memory());
}

static void it_is_told_of_every_change(void **state)
{
    (void)state;
    char memory[64] = "";
    poisoned = unpoisoned = (heard){NULL, 0, 0};
    tide_checker_forbid(memory + 8, 40);
    assert_ptr_equal(poisoned.address, memory + 8);
    assert_int_equal(poisoned.size, 40);
    assert_int_equal(unpoisoned.calls, 0);
    tide_checker_allow_defined(memory + 16, 24);
    assert_ptr_equal(unpoisoned.address, memory + 16);
    assert_int_equal(unpoisoned.size, 24);
    tide_checker_allow_undefined(memory + 24, 8);
    assert_ptr_equal(unpoisoned.address, memory + 24);
    assert_int_equal(unpoisoned.size, 8);
    assert_int_equal(poisoned.calls, 1);
    assert_int_equal(unpoisoned.calls, 2);
}

static void nothing_is_kept_ready_under_a_checker(void **state)
{
    (void)state;
    child_result result =
        child_run("--child", "pooling", (const char *const[]){"TIDEPOOL_POOLING=on", NULL});
    assert_string_equal(result.output, "0 off checker on\n");
    result = child_run("--child", "pooling", NULL);
    assert_string_equal(result.output, "0 off checker on\n");
    result = child_run("--child", "pooling", (const char *const[]){"TIDEPOOL_POOLING=off", NULL});
    assert_string_equal(result.output, "0 off environment on\n");
}

int main(int count, char **arguments)
{
    if (count == 3 && strcmp(arguments[1], "--child") == 0) {
        tide_knob knob = {.struct_size = sizeof knob};
        bool found = tide_knob_at(2, &knob) == TIDE_OK;
        if (found)
            printf("%d %s %s %s\n", tide_settings_get()->pooling, knob.value, knob.source,
                   knob.initial);
        return !found;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sanitizer_is_found_at_run_time),
        cmocka_unit_test(it_is_told_of_every_change),
        cmocka_unit_test(nothing_is_kept_ready_under_a_checker),
    };
    return cmocka_run_group_tests_name("checker-address", tests, NULL, NULL);
}

#endif
