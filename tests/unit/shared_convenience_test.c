/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays, strings, copies and formatting in shared, counted and global arenas. */
#include "test.h"

/* ------------------------------------------------------------------------------- the kinds */

static tide_shared_arena open_shared(void)
{
    tide_shared_arena arena;
    assert_ok(tide_shared_open(&arena));
    return arena;
}

static tide_shared_arena open_counted(void)
{
    tide_shared_arena arena;
    assert_ok(tide_counted_open(&arena));
    return arena;
}

static void close_shared(tide_shared_arena arena)
{
    assert_ok(tide_shared_close(arena));
}

static void release_counted(tide_shared_arena arena)
{
    assert_ok(tide_counted_release(arena));
}

static void leave_open(tide_shared_arena arena)
{
    assert_true(tide_shared_is_alive(arena));
}

static const struct kind {
    tide_shared_arena (*open)(void);
    void (*end)(tide_shared_arena arena);
} kinds[] = {
    {open_shared, close_shared},
    {open_counted, release_counted},
    {tide_global_arena, leave_open},
};

static void with_each_kind(void (*body)(tide_shared_arena arena))
{
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        tide_shared_arena arena = kinds[i].open();
        body(arena);
        kinds[i].end(arena);
    }
}

/* ------------------------------------------------------------------------------- what they give */

static void copy_strings(tide_shared_arena arena)
{
    char text[] = "anemone";
    char *copy = tide_shared_strdup(arena, text);
    text[0] = 'x';
    assert_string_equal(copy, "anemone");
    assert_string_equal(tide_shared_strdup(arena, ""), "");
    assert_string_equal(tide_shared_strndup(arena, "anemone", 3), "ane");
    assert_string_equal(tide_shared_strndup(arena, "anemone", 7), "anemone");
    assert_string_equal(tide_shared_strndup(arena, "anemone", SIZE_MAX), "anemone");
    assert_string_equal(tide_shared_strndup(arena, "anemone", 0), "");
    const char unterminated[3] = {'a', 'b', 'c'};
    assert_string_equal(tide_shared_strndup(arena, unterminated, 3), "abc");
}

static void strings_are_copied(void **state)
{
    (void)state;
    with_each_kind(copy_strings);
}

static TIDE_PRINTF(2, 3) char *print_list(tide_shared_arena arena, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = tide_shared_vprintf(arena, format, arguments);
    va_end(arguments);
    return text;
}

static void format_text(tide_shared_arena arena)
{
    assert_string_equal(tide_shared_printf(arena, "%d %s", 7, "words"), "7 words");
    assert_string_equal(tide_shared_printf(arena, "%s", ""), "");
    assert_string_equal(print_list(arena, "%05d|%s", 42, "end"), "00042|end");
    for (int length = 1; length < 3000; length += 61) {
        char *text = tide_shared_printf(arena, "%0*d", length, 1);
        assert_int_equal(strlen(text), (size_t)length);
        assert_true(all_bytes_are(text, '0', (size_t)length - 1));
        assert_int_equal(text[length - 1], '1');
    }
    char *longest = tide_shared_printf(arena, "%0100000d", 1);
    assert_int_equal(strlen(longest), 100000);
}

static void text_is_formatted_whatever_its_length(void **state)
{
    (void)state;
    with_each_kind(format_text);
}

static void copy_bytes(tide_shared_arena arena)
{
    uint64_t *numbers = tide_shared_allocate_array(arena, 1000, sizeof *numbers, 8);
    assert_zeroed(numbers, 8000);
    for (size_t i = 0; i < 1000; i++)
        numbers[i] = i;
    uint64_t *copy = tide_shared_memdup(arena, numbers, 8000, 64);
    assert_aligned(copy, 64);
    assert_memory_equal(copy, numbers, 8000);
}

static void arrays_are_zeroed_and_bytes_copied(void **state)
{
    (void)state;
    with_each_kind(copy_bytes);
}

static void ask_for_nothing(tide_shared_arena arena)
{
    const void *blocks[] = {
        tide_shared_allocate_array(arena, 0, 8, 8), tide_shared_allocate_array(arena, 8, 0, 8),
        tide_shared_memdup(arena, NULL, 0, 1),      tide_shared_memdup(arena, "x", 0, 1),
        tide_shared_strndup(arena, "x", 0),
    };
    for (size_t i = 0; i < COUNT_OF(blocks); i++) {
        assert_non_null(blocks[i]);
        for (size_t j = 0; j < i; j++)
            assert_ptr_not_equal(blocks[i], blocks[j]);
    }
}

static void zero_lengths_have_addresses_of_their_own(void **state)
{
    (void)state;
    with_each_kind(ask_for_nothing);
}

/* ------------------------------------------------------------------------------- misuse */

static void misuse(tide_shared_arena arena)
{
    static const size_t huge[] = HUGE_SIZES;
    for (size_t i = 0; i < COUNT_OF(huge); i++) {
        assert_fault(TIDE_INVALID_ARGUMENT,
                     tide_shared_allocate_array(arena, opaque(huge[i]), 1, 1));
        assert_fault(TIDE_INVALID_ARGUMENT,
                     tide_shared_allocate_array(arena, 2, opaque(huge[i]), 1));
        assert_fault(TIDE_INVALID_ARGUMENT, tide_shared_memdup(arena, "x", opaque(huge[i]), 1));
    }
    assert_fault(TIDE_INVALID_ARGUMENT,
                 tide_shared_allocate_array(arena, opaque((size_t)1 << 32), (size_t)1 << 32, 8));
    assert_fault(TIDE_INVALID_ARGUMENT, tide_shared_allocate_array(arena, 1, 8, opaque(3)));
    assert_fault(TIDE_INVALID_ARGUMENT, tide_shared_memdup(arena, "x", 1, opaque(0)));
    const char *volatile none = NULL; /* a constant one the compiler would warn about */
    assert_fault(TIDE_INVALID_ARGUMENT, tide_shared_memdup(arena, none, 1, 1));
    assert_fault(TIDE_INVALID_ARGUMENT, tide_shared_strdup(arena, none));
    assert_fault(TIDE_INVALID_ARGUMENT, tide_shared_strndup(arena, none, 1));
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-security"
    assert_fault(TIDE_INVALID_ARGUMENT, tide_shared_printf(arena, none));
#pragma GCC diagnostic pop
}

static void bad_requests_are_faults(void **state)
{
    (void)state;
    with_each_kind(misuse);
}

static void call_each(tide_shared_arena arena, tide_status expected)
{
    assert_fault(expected, tide_shared_allocate_array(arena, 2, 8, 8));
    assert_fault(expected, tide_shared_strdup(arena, "x"));
    assert_fault(expected, tide_shared_strndup(arena, "x", 1));
    assert_fault(expected, tide_shared_memdup(arena, "x", 1, 1));
    assert_fault(expected, tide_shared_printf(arena, "%d", 1));
    assert_fault(expected, print_list(arena, "%d", 1));
}

static void a_closed_or_zeroed_arena_is_a_fault(void **state)
{
    (void)state;
    call_each((tide_shared_arena){0}, TIDE_INVALID_ARGUMENT);
    tide_shared_arena shared = open_shared();
    tide_shared_arena counted = open_counted();
    close_shared(shared);
    release_counted(counted);
    call_each(shared, TIDE_CLOSED);
    call_each(counted, TIDE_CLOSED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings_are_copied),
        cmocka_unit_test(text_is_formatted_whatever_its_length),
        cmocka_unit_test(arrays_are_zeroed_and_bytes_copied),
        cmocka_unit_test(zero_lengths_have_addresses_of_their_own),
        cmocka_unit_test(bad_requests_are_faults),
        cmocka_unit_test(a_closed_or_zeroed_arena_is_a_fault),
    };
    return cmocka_run_group_tests_name("shared convenience", tests, NULL, NULL);
}
