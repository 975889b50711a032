/* SPDX-License-Identifier: Apache-2.0 */
/* Text in segments: written, read, allocated, and the edges of a segment. */
#include "test.h"

#include <sys/mman.h>
#include <unistd.h>

static const tide_charset charsets[] = {TIDE_UTF8,    TIDE_UTF16LE, TIDE_UTF16BE, TIDE_UTF32LE,
                                        TIDE_UTF32BE, TIDE_LATIN1,  TIDE_ASCII};

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

/* Memory whose end is followed by a page that nobody may touch. */
#define PLAIN ((size_t)8192)
static unsigned char *plain;

static int map_plain(void **state)
{
    (void)state;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char *start =
        mmap(NULL, PLAIN + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(start != MAP_FAILED);
    assert_int_equal(mprotect(start + PLAIN, page, PROT_NONE), 0);
    plain = start;
    return 0;
}

static int unmap_plain(void **state)
{
    (void)state;
    return munmap(plain, PLAIN + (size_t)sysconf(_SC_PAGESIZE));
}

/* The last `size` bytes before that page. */
static tide_segment last_bytes(size_t size)
{
    memset(plain, 0xEE, PLAIN);
    return segment_over(plain + PLAIN - size, size);
}

static void assert_reads(const tide_segment *segment, size_t offset, tide_charset charset,
                         const char *expected, size_t expected_length)
{
    char text[512];
    size_t length = SIZE_MAX;
    char *block = NULL;
    for (size_t extra = 0; extra < 400; extra += 399) { /* with just enough room, and with plenty */
        memset(text, 0x5A, sizeof text);
        assert_ok(
            tide_text_read(segment, offset, charset, text, expected_length + 1 + extra, &length));
        assert_int_equal(length, expected_length);
        assert_memory_equal(text, expected, expected_length);
        assert_int_equal(text[length], '\0');
        assert_true(all_bytes_are(text + length + 1, 0x5A, sizeof text - length - 1));
    }
    length = SIZE_MAX;
    assert_ok(tide_text_read_into(segment, offset, charset, &arena, &block, &length));
    assert_int_equal(length, expected_length);
    assert_memory_equal(block, expected, expected_length);
    assert_int_equal(block[length], '\0');
}

/* ------------------------------------------------------------------------------- goes round */

static const char *const samples[] = {
    "",
    "a",
    "abc",
    "seven b",
    "eight by",
    "nine byte",
    "a sentence of more than thirty-two bytes, in ASCII",
    "Łódź, Škofja Loka, Θεσσαλονίκη",
    "日本語のテキスト",
    "one \xF0\x9F\x98\x80 and two \xF4\x8F\xBF\xBF",
    "\xEF\xBB\xBFleading U+FEFF",
};

static void text_goes_round_in_every_charset_at_any_address(void **state)
{
    (void)state;
    unsigned char *memory = plain;
    for (size_t i = 0; i < COUNT_OF(samples); i++) {
        for (size_t k = 0; k < 5; k++) { /* those that have every character */
            for (size_t offset = 0; offset < 9; offset++) {
                const tide_segment segment = segment_over(memory, 300);
                memset(memory, 0xEE, 301);
                assert_ok(
                    tide_text_write(&segment, offset, samples[i], TIDE_TEXT_LENGTH, charsets[k]));
                assert_reads(&segment, offset, charsets[k], samples[i], strlen(samples[i]));
                size_t size = 0;
                assert_ok(tide_text_encoded_size(samples[i], TIDE_TEXT_LENGTH, charsets[k], &size));
                const size_t end = offset + size + tide_text_unit(charsets[k]);
                assert_true(all_bytes_are(memory, 0xEE, offset));
                assert_zeroed(memory + offset + size, end - offset - size);
                assert_true(all_bytes_are(memory + end, 0xEE, 301 - end));
            }
        }
    }
}

static void what_a_charset_lacks_is_written_as_a_question_mark(void **state)
{
    (void)state;
    const tide_segment segment = segment_over(plain, 100);
    assert_ok(tide_text_write(&segment, 0, "Øre: 12 €", TIDE_TEXT_LENGTH, TIDE_LATIN1));
    assert_reads(&segment, 0, TIDE_LATIN1, "Øre: 12 ?", 10);
    assert_ok(tide_text_write(&segment, 0, "Øre: 12 €", TIDE_TEXT_LENGTH, TIDE_ASCII));
    assert_reads(&segment, 0, TIDE_ASCII, "?re: 12 ?", 9);
}

static void malformed_text_in_a_segment_is_replaced(void **state)
{
    (void)state;
    tide_segment segment = last_bytes(10);
    memcpy(tide_segment_address(&segment), "a\xF0\x9F\x98z\xC0\x80\x80 ", 10);
    assert_reads(&segment, 0, TIDE_UTF8, "a\xEF\xBF\xBDz\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD ", 15);
    assert_reads(&segment, 5, TIDE_ASCII, "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD ", 10);
    memcpy(tide_segment_address(&segment), "\0a\xD8\0\0b\xDC\0\0\0", 10);
    assert_reads(&segment, 0, TIDE_UTF16BE, "a\xEF\xBF\xBD\x62\xEF\xBF\xBD", 8);
}

static void nul_inside_text_is_written_and_ends_what_is_read(void **state)
{
    (void)state;
    const tide_segment segment = segment_over(plain, 64);
    memset(plain, 0xEE, 64);
    assert_ok(tide_text_write(&segment, 0, "ab\0cd", 5, TIDE_UTF16BE));
    assert_memory_equal(plain, "\0a\0b\0\0\0c\0d\0\0\xEE", 13);
    assert_reads(&segment, 0, TIDE_UTF16BE, "ab", 2);
    assert_reads(&segment, 6, TIDE_UTF16BE, "cd", 2);
    assert_ok(tide_text_write(&segment, 0, "ab\0cd", TIDE_TEXT_LENGTH, TIDE_UTF16BE));
    assert_memory_equal(plain, "\0a\0b\0\0\0c\0d", 10);
    assert_ok(tide_text_write(&segment, 20, NULL, 0, TIDE_UTF32LE));
    assert_zeroed(plain + 20, 4);
}

static void the_length_need_not_be_asked_for(void **state)
{
    (void)state;
    const tide_segment segment = segment_over(plain, 64);
    assert_ok(tide_text_write(&segment, 0, "text", TIDE_TEXT_LENGTH, TIDE_UTF8));
    char text[5];
    char *block = NULL;
    assert_ok(tide_text_read(&segment, 0, TIDE_UTF8, text, sizeof text, NULL));
    assert_string_equal(text, "text");
    assert_ok(tide_text_read_into(&segment, 0, TIDE_UTF8, &arena, &block, NULL));
    assert_string_equal(block, "text");
}

/* ------------------------------------------------------------------------------- in an arena */

static void an_arena_s_text_is_a_segment_of_text_and_terminator(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(samples); i++) {
        for (size_t k = 0; k < COUNT_OF(charsets); k++) {
            const size_t unit = tide_text_unit(charsets[k]);
            unsigned char encoded[300];
            size_t size = 0;
            tide_segment segment;
            assert_non_null(tide_arena_allocate(&arena, 1, 1)); /* the next address is odd */
            assert_ok(tide_arena_text(&arena, samples[i], TIDE_TEXT_LENGTH, charsets[k], &segment));
            assert_ok(tide_text_encode(samples[i], TIDE_TEXT_LENGTH, charsets[k], encoded,
                                       sizeof encoded, &size));
            const unsigned char *bytes = tide_segment_address(&segment);
            assert_int_equal(tide_segment_size(&segment), size + unit);
            assert_aligned(bytes, unit);
            assert_memory_equal(bytes, encoded, size);
            assert_zeroed(bytes + size, unit);
            assert_false(tide_segment_is_read_only(&segment));
            assert_ok(tide_text_write(&segment, 0, "", 0, charsets[k]));
        }
    }
}

static void long_text_goes_through_an_arena(void **state)
{
    (void)state;
    enum { LONG = 200000 };
    char *text = malloc(LONG + 1);
    assert_non_null(text);
    for (size_t i = 0; i < LONG; i += 4)
        memcpy(text + i, i % 5 == 0 ? "\xF0\x9F\x98\x80" : i % 3 == 0 ? "\xC3\xA9zz" : "abcd", 4);
    text[LONG] = '\0';
    for (size_t k = 0; k < 5; k++) {
        tide_segment segment;
        char *back = NULL;
        size_t length = 0;
        assert_ok(tide_arena_text(&arena, text, LONG, charsets[k], &segment));
        assert_ok(tide_text_read_into(&segment, 0, charsets[k], &arena, &back, &length));
        assert_int_equal(length, LONG);
        assert_memory_equal(back, text, LONG + 1);
    }
    free(text);
}

static void a_segment_of_text_dies_with_its_arena(void **state)
{
    (void)state;
    tide_arena inner;
    tide_segment segment;
    char text[8] = "before";
    assert_ok(tide_arena_open(&inner));
    assert_ok(tide_arena_text(&inner, "text", TIDE_TEXT_LENGTH, TIDE_UTF8, &segment));
    assert_ok(tide_text_read(&segment, 0, TIDE_UTF8, text, sizeof text, NULL));
    assert_ok(tide_arena_close(&inner));
    assert_refused(TIDE_CLOSED, tide_text_read(&segment, 0, TIDE_UTF8, text, sizeof text, NULL));
    assert_refused(TIDE_CLOSED, tide_text_write(&segment, 0, "", 0, TIDE_UTF8));
    assert_string_equal(text, "text");
}

/* ------------------------------------------------------------------------------- the edges */

static void text_may_end_where_its_segment_ends(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT_OF(charsets); k++) {
        const size_t unit = tide_text_unit(charsets[k]);
        for (size_t count = 0; count < 40; count++) {
            const char *text = "0123456789abcdefghijklmnopqrstuvwxyz+-*/";
            const size_t size = (count + 1) * unit;
            for (size_t shift = 0; shift < 3; shift++) { /* aligned for its unit, and not */
                const tide_segment segment = last_bytes(size + shift);
                assert_ok(tide_text_write(&segment, shift, text, count, charsets[k]));
                assert_reads(&segment, shift, charsets[k], text, count);
                assert_true(all_bytes_are(plain, 0xEE, PLAIN - size));
                tide_segment shorter;
                assert_ok(tide_segment_slice(&segment, 0, size + shift - 1, &shorter));
                assert_refused(TIDE_OUT_OF_BOUNDS,
                               tide_text_write(&shorter, shift, text, count, charsets[k]));
            }
        }
    }
}

static void without_a_whole_terminator_there_is_no_text(void **state)
{
    (void)state;
    char text[300], *block = NULL;
    memset(text, 0x5A, sizeof text);
    for (size_t k = 0; k < COUNT_OF(charsets); k++) {
        const size_t unit = tide_text_unit(charsets[k]);
        for (size_t size = 0; size < 70; size++) {
            for (size_t zeros = 0; zeros < unit && zeros <= size; zeros++) {
                const tide_segment segment = last_bytes(size);
                memset(plain + PLAIN - zeros, 0, zeros);
                assert_refused(TIDE_OUT_OF_BOUNDS,
                               tide_text_read(&segment, 0, charsets[k], text, sizeof text, NULL));
                assert_refused(TIDE_OUT_OF_BOUNDS,
                               tide_text_read_into(&segment, 0, charsets[k], &arena, &block, NULL));
                assert_refused(TIDE_OUT_OF_BOUNDS, tide_text_read(&segment, size, charsets[k], text,
                                                                  sizeof text, NULL));
            }
        }
    }
    assert_null(block);
    assert_true(all_bytes_are(text, 0x5A, sizeof text));
    assert_error_names("no terminator of 1 bytes");
}

/* Zero bytes that straddle two units, at every place of a machine word. */
static void zeros_across_units_are_no_terminator(void **state)
{
    (void)state;
    for (size_t unit = 2; unit <= 4; unit += 2) {
        const tide_charset charset = unit == 2 ? TIDE_UTF16BE : TIDE_UTF32LE;
        for (size_t count = 2; count < 20; count++) {
            for (size_t at = 1; at < count * unit - unit; at++) {
                const tide_segment segment = last_bytes((count + 1) * unit);
                unsigned char *bytes = tide_segment_address(&segment);
                memset(bytes, 1, count * unit);
                memset(bytes + count * unit, 0, unit);
                memset(bytes + at, 0, unit);
                char text[100];
                size_t length = 0, expected = 0;
                const size_t end = at % unit == 0 ? at : count * unit;
                assert_ok(tide_text_read(&segment, 0, charset, text, sizeof text, &length));
                assert_ok(tide_text_decoded_size(bytes, end, charset, &expected));
                assert_int_equal(length, expected);
            }
        }
    }
}

static void a_terminator_with_a_zero_next_to_it_is_found_in_any_word(void **state)
{
    (void)state;
    for (size_t k = 1; k < 5; k++) {
        const size_t unit = tide_text_unit(charsets[k]);
        for (size_t count = 0; count < 20; count++) {
            const tide_segment segment = last_bytes((count + 3) * unit + 3);
            unsigned char *bytes = tide_segment_address(&segment);
            const tide_layout order = k % 2 == 1
                                          ? TIDE_LITTLE_ENDIAN
                                          : TIDE_BIG_ENDIAN; /* as the table of charsets has */
            for (size_t i = 0; i < count; i++) { /* 0x0001, 0x0100: half of each is zero */
                if (unit == 2)
                    tide_bytes_put_u16(bytes + i * unit, order, i % 2 == 0 ? 0x0001 : 0x0100);
                else
                    tide_bytes_put_u32(bytes + i * unit, order, i % 2 == 0 ? 0x0001 : 0x10000);
            }
            memset(bytes + count * unit, 0, 3 * unit);
            size_t length = 0, expected = 0;
            char text[100];
            assert_ok(tide_text_read(&segment, 0, charsets[k], text, sizeof text, &length));
            assert_ok(tide_text_decoded_size(bytes, count * unit, charsets[k], &expected));
            assert_int_equal(length, expected);
        }
    }
}

/* As a C program does with a string of which it knows the address only. */
static void a_segment_may_claim_more_than_there_is(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT_OF(charsets); k++) {
        for (size_t count = 0; count < 20; count++) {
            const size_t size = (count + 1) * tide_text_unit(charsets[k]);
            for (size_t shift = 0; shift < 2; shift++) {
                tide_segment segment = last_bytes(size + shift);
                assert_ok(tide_text_write(&segment, 0, "aaaaaaaaaaaaaaaaaaaa", count, charsets[k]));
                assert_ok(tide_segment_resize(&segment, PTRDIFF_MAX, &segment));
                assert_reads(&segment, 0, charsets[k], "aaaaaaaaaaaaaaaaaaaa", count);
            }
        }
    }
}

static void a_write_that_does_not_fit_writes_nothing(void **state)
{
    (void)state;
    static const char text[] = "Smørrebrød \xF0\x9F\x98\x80";
    for (size_t k = 0; k < COUNT_OF(charsets); k++) {
        size_t size = 0;
        assert_ok(tide_text_encoded_size(text, sizeof text - 1, charsets[k], &size));
        size += tide_text_unit(charsets[k]);
        for (size_t room = 0; room < size; room++) {
            const tide_segment segment = last_bytes(room + 3);
            assert_refused(TIDE_OUT_OF_BOUNDS,
                           tide_text_write(&segment, 3, text, TIDE_TEXT_LENGTH, charsets[k]));
            assert_true(all_bytes_are(plain, 0xEE, PLAIN));
        }
        const tide_segment segment = last_bytes(size + 3);
        assert_ok(tide_text_write(&segment, 3, text, TIDE_TEXT_LENGTH, charsets[k]));
    }
    const tide_segment segment = last_bytes(8);
    assert_refused(TIDE_OUT_OF_BOUNDS, tide_text_write(&segment, 2, "abc", 3, TIDE_UTF16LE));
    assert_error_names("write text of 8 bytes at 2 in a segment of 8 bytes");
}

static void text_that_does_not_fit_the_target_is_not_read(void **state)
{
    (void)state;
    const tide_segment segment = last_bytes(64);
    assert_ok(tide_text_write(&segment, 0, "5 €", TIDE_TEXT_LENGTH, TIDE_UTF16LE));
    char text[8];
    size_t length = 7;
    memset(text, 0x5A, sizeof text);
    for (size_t capacity = 0; capacity < 6; capacity++)
        assert_refused(TIDE_EXHAUSTED,
                       tide_text_read(&segment, 0, TIDE_UTF16LE, text, capacity, &length));
    assert_error_names("6 bytes");
    assert_error_names("room for 5");
    assert_refused(TIDE_EXHAUSTED, tide_text_read(&segment, 0, TIDE_UTF16LE, NULL, 0, &length));
    assert_refused(TIDE_EXHAUSTED, tide_text_read(&segment, 6, TIDE_UTF16LE, text, 0, &length));
    assert_true(all_bytes_are(text, 0x5A, sizeof text));
    assert_int_equal(length, 7);
    assert_ok(tide_text_read(&segment, 0, TIDE_UTF16LE, text, 6, &length));
    assert_ok(tide_text_read(&segment, 0, TIDE_UTF16LE, text, SIZE_MAX, &length));
    assert_int_equal(length, 5);
}

/* Text that begins as ASCII, has room as it lies there, and none as it is read. */
static void text_that_grows_on_its_way_is_not_read_in_part(void **state)
{
    (void)state;
    for (size_t count = 0; count < 100; count++) {
        const tide_segment segment = last_bytes(count + 2);
        char *bytes = tide_segment_address(&segment);
        char text[110];
        memset(bytes, 'a', count);
        memcpy(bytes + count, "\xFF", 2);
        memset(text, 0x5A, sizeof text);
        for (size_t capacity = count; capacity < count + 4; capacity++)
            assert_refused(TIDE_EXHAUSTED,
                           tide_text_read(&segment, 0, TIDE_UTF8, text, capacity, NULL));
        assert_true(all_bytes_are(text, 0x5A, sizeof text));
        assert_ok(tide_text_read(&segment, 0, TIDE_UTF8, text, count + 4, NULL));
        assert_memory_equal(text + count, "\xEF\xBF\xBD", 4);
        assert_true(all_bytes_are(text + count + 4, 0x5A, sizeof text - count - 4));
    }
}

#define TEXT_TEST(name) cmocka_unit_test_setup_teardown(name, open_arena, close_arena)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEXT_TEST(text_goes_round_in_every_charset_at_any_address),
        TEXT_TEST(what_a_charset_lacks_is_written_as_a_question_mark),
        TEXT_TEST(malformed_text_in_a_segment_is_replaced),
        TEXT_TEST(nul_inside_text_is_written_and_ends_what_is_read),
        TEXT_TEST(the_length_need_not_be_asked_for),
        TEXT_TEST(an_arena_s_text_is_a_segment_of_text_and_terminator),
        TEXT_TEST(long_text_goes_through_an_arena),
        TEXT_TEST(a_segment_of_text_dies_with_its_arena),
        TEXT_TEST(text_may_end_where_its_segment_ends),
        TEXT_TEST(without_a_whole_terminator_there_is_no_text),
        TEXT_TEST(zeros_across_units_are_no_terminator),
        TEXT_TEST(a_terminator_with_a_zero_next_to_it_is_found_in_any_word),
        TEXT_TEST(a_segment_may_claim_more_than_there_is),
        TEXT_TEST(a_write_that_does_not_fit_writes_nothing),
        TEXT_TEST(text_that_does_not_fit_the_target_is_not_read),
        TEXT_TEST(text_that_grows_on_its_way_is_not_read_in_part),
    };
    return cmocka_run_group_tests(tests, map_plain, unmap_plain);
}
