/* SPDX-License-Identifier: Apache-2.0 */
/* Conveniences of an arena: typed objects, copies, formatted text, growth in place, bytes used. */
#include "test.h"

#include <errno.h>
#include <sys/resource.h>
#include <wchar.h>

typedef struct point {
    double x;
    double y;
    char tag;
} point;

static tide_arena arena;

static int open_arena(void **state)
{
    (void)state;
    return tide_arena_open(&arena) == TIDE_OK ? 0 : -1;
}

static int close_arena(void **state)
{
    (void)state;
    return tide_arena_close(&arena) == TIDE_OK ? 0 : -1;
}

/* ------------------------------------------------------------------------------- typed */

static void make_gives_one_zeroed_object_of_a_type(void **state)
{
    (void)state;
    assert_non_null(tide_arena_allocate(&arena, 1, 1));
    point *one = tide_arena_make(&arena, point);
    assert_non_null(one);
    assert_aligned(one, alignof(point));
    assert_zeroed(one, sizeof(point));
}

static void make_array_gives_that_many(void **state)
{
    (void)state;
    assert_non_null(tide_arena_allocate(&arena, 1, 1));
    point *many = tide_arena_make_array(&arena, point, 100);
    assert_non_null(many);
    assert_aligned(many, alignof(point));
    assert_zeroed(many, 100 * sizeof(point));
    memset(many, 1, 100 * sizeof(point));
}

static void an_array_of_nothing_has_an_address_of_its_own(void **state)
{
    (void)state;
    void *none = tide_arena_make_array(&arena, point, 0);
    void *empty = tide_arena_allocate_array(&arena, 10, 0, 8);
    assert_non_null(none);
    assert_non_null(empty);
    assert_ptr_not_equal(none, empty);
    assert_non_null(tide_arena_allocate_array(&arena, SIZE_MAX, 0, 8));
}

static void an_array_needs_a_good_alignment(void **state)
{
    (void)state;
    assert_fault(TIDE_INVALID_ARGUMENT, tide_arena_allocate_array(&arena, 2, 8, 0));
    assert_fault(TIDE_INVALID_ARGUMENT, tide_arena_allocate_array(&arena, 2, 8, 24));
    assert_fault(TIDE_INVALID_ARGUMENT, tide_arena_allocate_array(&arena, 2, 8, (size_t)1 << 63));
}

/* ------------------------------------------------------------------------------- copies */

static void strdup_copies_a_string_of_any_length(void **state)
{
    (void)state;
    static char text[70001];
    const size_t lengths[] = {0, 1, 5, 63, 64, 65, 451, 5000, 70000};
    for (size_t i = 0; i < COUNT_OF(lengths); i++) {
        memset(text, 'a' + (int)i, lengths[i]);
        text[lengths[i]] = '\0';
        char *copy = tide_arena_strdup(&arena, text);
        assert_non_null(copy);
        assert_ptr_not_equal(copy, text);
        assert_int_equal(strlen(copy), lengths[i]);
        assert_string_equal(copy, text);
    }
}

static void strndup_copies_at_most_the_limit_and_always_terminates(void **state)
{
    (void)state;
    assert_string_equal(tide_arena_strndup(&arena, "tidepool", 4), "tide");
    assert_string_equal(tide_arena_strndup(&arena, "tidepool", 0), "");
    assert_string_equal(tide_arena_strndup(&arena, "tidepool", 8), "tidepool");
    assert_string_equal(tide_arena_strndup(&arena, "tidepool", 9), "tidepool");
    assert_string_equal(tide_arena_strndup(&arena, "tidepool", 1000), "tidepool");
}

static void strndup_never_reads_beyond_the_limit(void **state)
{
    (void)state;
    const char unterminated[4] = {'t', 'i', 'd', 'e'};
    assert_string_equal(tide_arena_strndup(&arena, unterminated, sizeof unterminated), "tide");
}

static void strndup_stops_at_the_terminator_also_with_the_largest_limit(void **state)
{
    (void)state;
    assert_string_equal(tide_arena_strndup(&arena, "tide", (size_t)PTRDIFF_MAX), "tide");
    assert_string_equal(tide_arena_strndup(&arena, "ti\0de", 5), "ti");
}

static void memdup_copies_bytes_at_an_alignment(void **state)
{
    (void)state;
    static char bytes[5000];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)(i * 31 % 251);
    for (size_t size = 1; size <= sizeof bytes; size *= 3) {
        for (size_t alignment = 1; alignment <= 256; alignment *= 4) {
            void *copy = tide_arena_memdup(&arena, bytes, size, alignment);
            assert_non_null(copy);
            assert_aligned(copy, alignment);
            assert_memory_equal(copy, bytes, size);
        }
    }
}

static void memdup_of_no_bytes_needs_no_source(void **state)
{
    (void)state;
    void *first = tide_arena_memdup(&arena, NULL, 0, 8);
    void *second = tide_arena_memdup(&arena, "x", 0, 8);
    assert_non_null(first);
    assert_non_null(second);
    assert_ptr_not_equal(first, second);
}

static void a_null_source_is_a_fault(void **state)
{
    (void)state;
    const char *nothing = NULL;
    assert_fault(TIDE_INVALID_ARGUMENT, tide_arena_strdup(&arena, nothing));
    assert_fault(TIDE_INVALID_ARGUMENT, tide_arena_strndup(&arena, nothing, 4));
    assert_fault(TIDE_INVALID_ARGUMENT, tide_arena_memdup(&arena, nothing, 1, 1));
    assert_int_equal(tide_arena_used(&arena), 0);
}

static void memdup_refuses_bad_numbers_before_it_reads(void **state)
{
    (void)state;
    const size_t huge[] = HUGE_SIZES;
    for (size_t i = 0; i < COUNT_OF(huge); i++)
        assert_fault(TIDE_INVALID_ARGUMENT, tide_arena_memdup(&arena, "x", opaque(huge[i]), 1));
    assert_fault(TIDE_INVALID_ARGUMENT, tide_arena_memdup(&arena, "x", 1, 0));
    assert_fault(TIDE_INVALID_ARGUMENT, tide_arena_memdup(&arena, "x", 1, 3));
    assert_out_of_memory(tide_arena_memdup(&arena, "x", opaque((size_t)1 << 62), 1));
    assert_int_equal(tide_arena_used(&arena), 0);
}

/* ------------------------------------------------------------------------------- text */

static void printf_formats_into_the_arena(void **state)
{
    (void)state;
    assert_string_equal(tide_arena_printf(&arena, "%s/%d", "tide", 42), "tide/42");
    assert_string_equal(tide_arena_printf(&arena, "%s", ""), "");
}

static void printf_of_any_length_is_complete(void **state)
{
    (void)state;
    for (int length = 1; length < 20000; length = length * 2 + 1) {
        char *text = tide_arena_printf(&arena, "%0*d", length, 7);
        assert_non_null(text);
        assert_int_equal(strlen(text), length);
        assert_int_equal(text[0], length == 1 ? '7' : '0');
        assert_int_equal(text[length - 1], '7');
    }
}

static void printf_fills_a_pool_to_its_last_byte(void **state)
{
    (void)state;
    for (int length = 60; length <= 66; length++) {
        tide_arena fresh;
        assert_ok(tide_arena_open(&fresh));
        char *text = tide_arena_printf(&fresh, "%0*d", length, 7);
        assert_int_equal(strlen(text), length);
        char *next = (char *)tide_arena_allocate(&fresh, 8, 1);
        memset(next, 1, 8);
        assert_int_equal(strlen(text), length);
        assert_ok(tide_arena_close(&fresh));
    }
}

static TIDE_PRINTF(1, 2) char *format(const char *format_text, ...)
{
    va_list arguments;
    va_start(arguments, format_text);
    char *text = tide_arena_vprintf(&arena, format_text, arguments);
    va_end(arguments);
    return text;
}

static void vprintf_takes_an_argument_list_and_may_need_it_twice(void **state)
{
    (void)state;
    assert_string_equal(format("%d %s %.1f", 1, "two", 3.0), "1 two 3.0");
    char *text = format("%200d|%s", 5, "end");
    assert_int_equal(strlen(text), 204);
    assert_string_equal(text + 199, "5|end");
}

static void a_null_format_is_a_fault(void **state)
{
    (void)state;
    const char *volatile nothing = NULL;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-security"
    assert_fault(TIDE_INVALID_ARGUMENT, tide_arena_printf(&arena, nothing));
#pragma GCC diagnostic pop
}

static void text_that_the_c_library_refuses_is_a_fault(void **state)
{
    (void)state;
    const wchar_t strange[] = {0x4E2D, 0}; /* not to be had in the C locale */
    size_t used = tide_arena_used(&arena);
    assert_fault(TIDE_INVALID_ARGUMENT, tide_arena_printf(&arena, "%ls", strange));
    assert_int_equal(tide_arena_used(&arena), used);
    assert_string_equal(tide_arena_printf(&arena, "%s", "fine"), "fine");
}

/* ------------------------------------------------------------------------------- growth */

static void text_that_the_c_library_has_no_memory_for_is_out_of_memory(void **state)
{
    (void)state;
    skip_under_checker(); /* they map more than the limit lets them */
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    const struct rlimit none = {4096, before.rlim_max};
    errno = EDOM;
    assert_int_equal(setrlimit(RLIMIT_AS, &none), 0);
    char *text = tide_arena_printf(&arena, "%.*f", 100000000, 1.0);
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    assert_out_of_memory(text);
    assert_error_names("printf: ");
    assert_int_equal(errno, EDOM);
    assert_string_equal(tide_arena_printf(&arena, "%.1f", 1.0), "1.0");
}

static void text_beyond_the_c_librarys_longest_is_out_of_memory(void **state)
{
    (void)state;
    static char too_wide[] = "%2147483648d"; /* no literal: the compiler would refuse it */
    assert_out_of_memory(tide_arena_printf(&arena, too_wide, 1));
    assert_error_names("2147483647");
    assert_string_equal(tide_arena_printf(&arena, "%s", "fine"), "fine");
}

#define STACK_BYTES ((size_t)1 << 18)

static const char secret[] = "what nobody may find later";

/* Far down its stack, so that nothing overwrites by chance what it leaves there. */
static __attribute__((noinline)) void print_secret(tide_arena *wiping, size_t depth)
{
    volatile char space[1024];
    space[depth % sizeof space] = 0;
    if (depth > 0)
        print_secret(wiping, depth - 1);
    else
        assert_non_null(tide_arena_printf(wiping, "%s!", secret));
    space[0] = space[depth % sizeof space];
}

static void *print_and_wipe(void *context)
{
    tide_arena wiping;
    tide_arena_options options = TIDE_ARENA_OPTIONS_INIT;
    options.zero = TIDE_ZERO_WIPE;
    assert_ok(tide_arena_open_with(&wiping, &options));
    print_secret(&wiping, 32);
    assert_ok(tide_arena_close(&wiping));
    return context;
}

static void an_arena_that_wipes_leaves_no_text_on_the_stack(void **state)
{
    (void)state;
    skip_under_checker(); /* ASan keeps locals elsewhere */
    static char stack[STACK_BYTES] __attribute__((aligned(4096)));
    pthread_attr_t attributes;
    pthread_t thread;
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstack(&attributes, stack, sizeof stack), 0);
    assert_int_equal(pthread_create(&thread, &attributes, print_and_wipe, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&attributes);
    for (size_t i = 0; i + sizeof secret <= sizeof stack; i++)
        assert_int_not_equal(memcmp(&stack[i], secret, sizeof secret - 1), 0);
}

static void the_newest_allocation_grows_in_place_and_new_bytes_are_zero(void **state)
{
    (void)state;
    unsigned char *block = (unsigned char *)tide_arena_allocate(&arena, 8, 8);
    memset(block, 7, 8);
    for (size_t size = 8; size < 64; size += 4) {
        assert_ok(tide_arena_extend(&arena, block, size, size + 4));
        assert_true(all_bytes_are(block, 7, size));
        assert_zeroed(block + size, 4);
        memset(block, 7, size + 4);
    }
    assert_int_equal(tide_arena_used(&arena), 64);
}

static void growth_beyond_the_room_is_exhausted_and_changes_nothing(void **state)
{
    (void)state;
    unsigned char *block = (unsigned char *)tide_arena_allocate(&arena, 8, 8);
    memset(block, 7, 8);
    assert_refused(TIDE_EXHAUSTED, tide_arena_extend(&arena, block, 8, 65));
    assert_refused(TIDE_EXHAUSTED, tide_arena_extend(&arena, block, 8, (size_t)PTRDIFF_MAX));
    assert_refused(TIDE_EXHAUSTED, tide_arena_extend(&arena, block, 8, (size_t)1 << 62));
    assert_int_equal(tide_arena_used(&arena), 8);
    assert_true(all_bytes_are(block, 7, 8));
    assert_ok(tide_arena_extend(&arena, block, 8, 64));
}

static void an_older_allocation_does_not_grow(void **state)
{
    (void)state;
    skip_under_checker();
    unsigned char *old = (unsigned char *)tide_arena_allocate(&arena, 8, 8);
    unsigned char *newest = (unsigned char *)tide_arena_allocate(&arena, 8, 8);
    memset(newest, 7, 8);
    assert_refused(TIDE_EXHAUSTED, tide_arena_extend(&arena, old, 8, 9));
    assert_refused(TIDE_EXHAUSTED, tide_arena_extend(&arena, old, 8, 16));
    assert_true(all_bytes_are(newest, 7, 8));
    assert_ok(tide_arena_extend(&arena, newest, 8, 16));
}

static void a_block_in_a_chunk_grows_and_new_bytes_are_zero_also_in_used_memory(void **state)
{
    (void)state;
    for (int round = 0; round < 3; round++) {
        tide_arena fresh;
        assert_ok(tide_arena_open(&fresh));
        unsigned char *block = (unsigned char *)tide_arena_allocate_uninitialized(&fresh, 200, 8);
        memset(block, 0xAB, 200);
        assert_ok(tide_arena_extend(&fresh, block, 200, 900));
        assert_true(all_bytes_are(block, 0xAB, 200));
        assert_zeroed(block + 200, 700);
        memset(block, 0xAB, 900);
        assert_ok(tide_arena_close(&fresh));
    }
}

static void the_newest_allocation_shrinks_and_what_it_gave_back_is_zero_again(void **state)
{
    (void)state;
    const size_t lengths[] = {60, 900};
    for (size_t i = 0; i < COUNT_OF(lengths); i++) {
        tide_arena fresh;
        assert_ok(tide_arena_open(&fresh));
        unsigned char *block = (unsigned char *)tide_arena_allocate(&fresh, lengths[i], 8);
        memset(block, 0xAB, lengths[i]);
        assert_ok(tide_arena_extend(&fresh, block, lengths[i], 8));
        assert_int_equal(tide_arena_used(&fresh), 8);
        unsigned char *next = (unsigned char *)tide_arena_allocate(&fresh, 40, 8);
        assert_zeroed(next, 40);
        assert_true(all_bytes_are(block, 0xAB, 8));
        assert_ok(tide_arena_extend(&fresh, next, 40, 48));
        assert_zeroed(next, 48);
        assert_ok(tide_arena_close(&fresh));
    }
}

static void growing_by_nothing_is_ok(void **state)
{
    (void)state;
    void *block = tide_arena_allocate(&arena, 16, 8);
    assert_ok(tide_arena_extend(&arena, block, 16, 16));
    assert_int_equal(tide_arena_used(&arena), 16);
}

/* A block of no bytes has an address of its own, whose byte it may have shared with an
 * older life. */
static void a_block_of_nothing_grows_into_zeros_also_in_used_memory(void **state)
{
    (void)state;
    for (int round = 0; round < 3; round++) {
        for (size_t before = 0; before < 2; before++) { /* in the pool, and in a chunk */
            tide_arena fresh;
            assert_ok(tide_arena_open(&fresh));
            if (before != 0)
                assert_non_null(tide_arena_allocate(&fresh, 64, 8));
            unsigned char *block = (unsigned char *)tide_arena_allocate_uninitialized(&fresh, 0, 1);
            assert_ok(tide_arena_extend(&fresh, block, 0, 0));
            assert_ok(tide_arena_extend(&fresh, block, 0, 50));
            assert_zeroed(block, 50);
            memset(block, 0xAB, 50);
            assert_ok(tide_arena_close(&fresh));
        }
    }
}

static void a_block_that_has_shrunk_to_nothing_keeps_its_address_and_not_its_bytes(void **state)
{
    (void)state;
    const size_t lengths[] = {60, 900};
    for (size_t i = 0; i < COUNT_OF(lengths); i++) {
        tide_arena fresh;
        assert_ok(tide_arena_open(&fresh));
        unsigned char *block = (unsigned char *)tide_arena_allocate(&fresh, lengths[i], 1);
        memset(block, 0xAB, lengths[i]);
        assert_ok(tide_arena_extend(&fresh, block, lengths[i], 0));
        assert_int_equal(tide_arena_used(&fresh), 1);
        assert_ok(tide_arena_extend(&fresh, block, 0, lengths[i]));
        assert_zeroed(block, lengths[i]);
        assert_ok(tide_arena_extend(&fresh, block, lengths[i], 0));
        assert_ptr_not_equal(tide_arena_allocate(&fresh, 8, 1), block);
        assert_ok(tide_arena_close(&fresh));
    }
}

/* The zeroed bytes that small allocations come from end somewhere in the chunk, too. */
static void a_block_whose_size_is_told_wrong_does_not_grow(void **state)
{
    (void)state;
    unsigned char *newest = NULL;
    for (size_t i = 0; i < 150; i++)
        newest = (unsigned char *)tide_arena_allocate(&arena, 8, 8);
    memset(newest, 7, 8);
    size_t used = tide_arena_used(&arena);
    for (size_t told = 0; told < 2000; told++) {
        if (told != 8)
            assert_refused(TIDE_EXHAUSTED, tide_arena_extend(&arena, newest, told, told + 8));
    }
    assert_int_equal(tide_arena_used(&arena), used);
    assert_true(all_bytes_are(newest, 7, 8));
    assert_ok(tide_arena_extend(&arena, newest, 8, 16));
    assert_zeroed(newest + 8, 8);
}

static void extend_refuses_null_and_negative_numbers(void **state)
{
    (void)state;
    const size_t huge[] = HUGE_SIZES;
    void *block = tide_arena_allocate(&arena, 16, 8);
    assert_refused(TIDE_INVALID_ARGUMENT, tide_arena_extend(&arena, NULL, 0, 16));
    for (size_t i = 0; i < COUNT_OF(huge); i++)
        assert_refused(TIDE_INVALID_ARGUMENT, tide_arena_extend(&arena, block, 16, huge[i]));
    assert_int_equal(tide_arena_used(&arena), 16);
}

static void a_block_that_is_not_the_arenas_is_not_grown(void **state)
{
    (void)state;
    char foreign[64];
    unsigned char *block = (unsigned char *)tide_arena_allocate(&arena, 16, 8);
    assert_int_not_equal(tide_arena_extend(&arena, foreign, 16, 17), TIDE_OK);
    assert_int_not_equal(tide_arena_extend(&arena, block, 15, 17), TIDE_OK);
    assert_int_not_equal(tide_arena_extend(&arena, block + 1, 16, 17), TIDE_OK);
    assert_int_not_equal(tide_arena_extend(&arena, block, (size_t)-16, 17), TIDE_OK);
    assert_int_equal(tide_arena_used(&arena), 16);
}

static void an_empty_arena_has_no_newest_allocation(void **state)
{
    (void)state;
    char foreign[64];
    assert_refused(TIDE_EXHAUSTED, tide_arena_extend(&arena, foreign, 8, 16));
}

/* ------------------------------------------------------------------------------- bytes used */

static void used_counts_what_was_handed_out_with_its_padding(void **state)
{
    (void)state;
    skip_under_checker();
    assert_non_null(tide_arena_allocate(&arena, 5, 1));
    assert_int_equal(tide_arena_used(&arena), 5);
    assert_non_null(tide_arena_allocate(&arena, 8, 8));
    assert_int_equal(tide_arena_used(&arena), 16);
    assert_non_null(tide_arena_allocate(&arena, 1000, 1));
    assert_int_equal(tide_arena_used(&arena), 1016);
    assert_non_null(tide_arena_allocate(&arena, 100000, 1));
    assert_int_equal(tide_arena_used(&arena), 101016);
    assert_non_null(tide_arena_allocate(&arena, 48, 1));
    assert_int_equal(tide_arena_used(&arena), 101064);
}

static void used_counts_across_many_chunks(void **state)
{
    (void)state;
    skip_under_checker();
    for (size_t i = 1; i <= 500; i++) {
        assert_non_null(tide_arena_allocate(&arena, 333, 1));
        assert_int_equal(tide_arena_used(&arena), i * 333);
    }
}

static void used_counts_many_small_allocations_one_by_one(void **state)
{
    (void)state;
    skip_under_checker();
    for (size_t i = 1; i <= 300; i++) {
        assert_non_null(tide_arena_allocate(&arena, 8, 8));
        assert_int_equal(tide_arena_used(&arena), i * 8);
    }
}

static void used_is_not_moved_by_a_refused_request(void **state)
{
    (void)state;
    assert_non_null(tide_arena_allocate(&arena, 32, 1));
    assert_out_of_memory(tide_arena_allocate(&arena, opaque((size_t)1 << 62), 1));
    assert_fault(TIDE_INVALID_ARGUMENT, tide_arena_allocate(&arena, 8, opaque(3)));
    assert_int_equal(tide_arena_used(&arena), 32);
}

#define with_arena(test) cmocka_unit_test_setup_teardown(test, open_arena, close_arena)

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_arena(make_gives_one_zeroed_object_of_a_type),
        with_arena(make_array_gives_that_many),
        with_arena(an_array_of_nothing_has_an_address_of_its_own),
        with_arena(an_array_needs_a_good_alignment),
        with_arena(strdup_copies_a_string_of_any_length),
        with_arena(strndup_copies_at_most_the_limit_and_always_terminates),
        with_arena(strndup_never_reads_beyond_the_limit),
        with_arena(strndup_stops_at_the_terminator_also_with_the_largest_limit),
        with_arena(memdup_copies_bytes_at_an_alignment),
        with_arena(memdup_of_no_bytes_needs_no_source),
        with_arena(a_null_source_is_a_fault),
        with_arena(memdup_refuses_bad_numbers_before_it_reads),
        with_arena(printf_formats_into_the_arena),
        with_arena(printf_of_any_length_is_complete),
        with_arena(printf_fills_a_pool_to_its_last_byte),
        with_arena(vprintf_takes_an_argument_list_and_may_need_it_twice),
        with_arena(a_null_format_is_a_fault),
        with_arena(text_that_the_c_library_refuses_is_a_fault),
        with_arena(text_that_the_c_library_has_no_memory_for_is_out_of_memory),
        with_arena(text_beyond_the_c_librarys_longest_is_out_of_memory),
        cmocka_unit_test(an_arena_that_wipes_leaves_no_text_on_the_stack),
        with_arena(the_newest_allocation_grows_in_place_and_new_bytes_are_zero),
        with_arena(growth_beyond_the_room_is_exhausted_and_changes_nothing),
        with_arena(an_older_allocation_does_not_grow),
        with_arena(a_block_in_a_chunk_grows_and_new_bytes_are_zero_also_in_used_memory),
        with_arena(the_newest_allocation_shrinks_and_what_it_gave_back_is_zero_again),
        with_arena(growing_by_nothing_is_ok),
        cmocka_unit_test(a_block_of_nothing_grows_into_zeros_also_in_used_memory),
        cmocka_unit_test(a_block_that_has_shrunk_to_nothing_keeps_its_address_and_not_its_bytes),
        with_arena(a_block_whose_size_is_told_wrong_does_not_grow),
        with_arena(extend_refuses_null_and_negative_numbers),
        with_arena(a_block_that_is_not_the_arenas_is_not_grown),
        with_arena(an_empty_arena_has_no_newest_allocation),
        with_arena(used_counts_what_was_handed_out_with_its_padding),
        with_arena(used_counts_across_many_chunks),
        with_arena(used_counts_many_small_allocations_one_by_one),
        with_arena(used_is_not_moved_by_a_refused_request),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
