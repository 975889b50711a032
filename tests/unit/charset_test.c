/* SPDX-License-Identifier: Apache-2.0 */
/* Text between plain memory and plain memory: every code point in every charset, every kind of
 * malformed text, and misuse. */
#include "test.h"

static const tide_charset charsets[] = {TIDE_UTF8,    TIDE_UTF16LE, TIDE_UTF16BE, TIDE_UTF32LE,
                                        TIDE_UTF32BE, TIDE_LATIN1,  TIDE_ASCII};

/* A text, and its bytes, which may contain NUL. */
#define BYTES(literal) (literal), sizeof(literal) - 1

/* ------------------------------------------------------------------------------- by the book */

/* The bytes of one code point, written down from the definitions of the charsets. */
static size_t expected_bytes(uint32_t point, tide_charset charset, unsigned char *to)
{
    const uint32_t high = 0xD800 + ((point - 0x10000) >> 10), low = 0xDC00 + (point & 0x3FF);
    size_t size = 0;
    switch (charset) {
    case TIDE_UTF16LE:
    case TIDE_UTF16BE:
        for (int i = 0; i < (point < 0x10000 ? 1 : 2); i++) {
            const uint32_t unit = point < 0x10000 ? point : i == 0 ? high : low;
            const bool little = charset == TIDE_UTF16LE;
            to[size++] = (unsigned char)(little ? unit : unit >> 8);
            to[size++] = (unsigned char)(little ? unit >> 8 : unit);
        }
        return size;
    case TIDE_UTF32LE:
        for (unsigned shift = 0; shift < 32; shift += 8)
            to[size++] = (unsigned char)(point >> shift);
        return size;
    case TIDE_UTF32BE:
        for (unsigned shift = 32; shift > 0; shift -= 8)
            to[size++] = (unsigned char)(point >> (shift - 8));
        return size;
    case TIDE_LATIN1:
        to[0] = (unsigned char)(point <= 0xFF ? point : '?');
        return 1;
    case TIDE_ASCII:
        to[0] = (unsigned char)(point <= 0x7F ? point : '?');
        return 1;
    default:
        break;
    }
    if (point < 0x80) {
        to[size++] = (unsigned char)point;
    } else if (point < 0x800) {
        to[size++] = (unsigned char)(0xC0 | point >> 6);
        to[size++] = (unsigned char)(0x80 | (point & 0x3F));
    } else if (point < 0x10000) {
        to[size++] = (unsigned char)(0xE0 | point >> 12);
        to[size++] = (unsigned char)(0x80 | (point >> 6 & 0x3F));
        to[size++] = (unsigned char)(0x80 | (point & 0x3F));
    } else {
        to[size++] = (unsigned char)(0xF0 | point >> 18);
        to[size++] = (unsigned char)(0x80 | (point >> 12 & 0x3F));
        to[size++] = (unsigned char)(0x80 | (point >> 6 & 0x3F));
        to[size++] = (unsigned char)(0x80 | (point & 0x3F));
    }
    return size;
}

static bool is_code_point(uint32_t point)
{
    return point <= 0x10FFFF && (point < 0xD800 || point > 0xDFFF);
}

static bool can_express(tide_charset charset, uint32_t point)
{
    return point <= (charset == TIDE_LATIN1 ? 0xFFu : charset == TIDE_ASCII ? 0x7Fu : 0x10FFFFu);
}

#define POINTS ((size_t)0x110000)

/* All code points, `step` apart, one after the other. */
static size_t all_points(uint32_t step, tide_charset charset, unsigned char *to)
{
    size_t size = 0;
    for (uint32_t point = 0; point < POINTS; point += step) {
        if (is_code_point(point))
            size += expected_bytes(point, charset, to + size);
    }
    return size;
}

static void *room_for(size_t size)
{
    void *room = malloc(size);
    assert_non_null(room);
    return room;
}

static void every_code_point_gets_its_bytes_in_every_charset(void **state)
{
    (void)state;
    unsigned char *text = room_for(4 * POINTS), *expected = room_for(4 * POINTS);
    unsigned char *encoded = room_for(4 * POINTS);
    const size_t length = all_points(1, TIDE_UTF8, text);
    for (size_t i = 0; i < COUNT_OF(charsets); i++) {
        const size_t size = all_points(1, charsets[i], expected);
        size_t measured = 0, written = 0;
        assert_ok(tide_text_encoded_size((char *)text, length, charsets[i], &measured));
        assert_int_equal(measured, size);
        assert_ok(
            tide_text_encode((char *)text, length, charsets[i], encoded, 4 * POINTS, &written));
        assert_int_equal(written, size);
        assert_memory_equal(encoded, expected, size);
    }
    free(encoded);
    free(expected);
    free(text);
}

static void every_code_point_comes_back_from_every_charset_that_has_it(void **state)
{
    (void)state;
    unsigned char *text = room_for(4 * POINTS), *encoded = room_for(4 * POINTS);
    char *back = room_for(4 * POINTS);
    for (size_t i = 0; i < COUNT_OF(charsets); i++) {
        size_t length = 0, size = 0, measured = 0, read = 0;
        for (uint32_t point = 0; point < POINTS && can_express(charsets[i], point); point++) {
            if (is_code_point(point)) {
                length += expected_bytes(point, TIDE_UTF8, text + length);
                size += expected_bytes(point, charsets[i], encoded + size);
            }
        }
        assert_ok(tide_text_decoded_size(encoded, size, charsets[i], &measured));
        assert_int_equal(measured, length);
        assert_ok(tide_text_decode(encoded, size, charsets[i], back, 4 * POINTS, &read));
        assert_int_equal(read, length);
        assert_memory_equal(back, text, length);
    }
    free(back);
    free(encoded);
    free(text);
}

/* Alone, no run of ASCII and no neighbour can help or hide anything. */
static void every_code_point_goes_round_alone(void **state)
{
    (void)state;
    for (uint32_t point = 0; point < POINTS; point += 1 + point / 0x3000) {
        if (!is_code_point(point))
            continue;
        unsigned char text[4], expected[4], encoded[5];
        char back[5];
        const size_t length = expected_bytes(point, TIDE_UTF8, text);
        for (size_t i = 0; i < COUNT_OF(charsets); i++) {
            const size_t size = expected_bytes(point, charsets[i], expected);
            size_t written = 0, read = 0;
            assert_ok(tide_text_encode((char *)text, length, charsets[i], encoded, size, &written));
            assert_int_equal(written, size);
            assert_memory_equal(encoded, expected, size);
            if (!can_express(charsets[i], point))
                continue;
            assert_ok(tide_text_decode(encoded, size, charsets[i], back, length, &read));
            assert_int_equal(read, length);
            assert_memory_equal(back, text, length);
        }
    }
}

/* Runs of ASCII are taken by the word: one character that is none, at every place of one, and ends
 * at every distance from a word's. */
static void runs_of_ascii_end_where_they_end(void **state)
{
    (void)state;
    enum { MOST = 80 };
    static const uint32_t strangers[] = {0x80, 0xE9, 0x7FF, 0x20AC, 0xFEFF, 0x1F600};
    unsigned char text[MOST + 4], expected[4 * MOST + 4], encoded[4 * MOST + 4];
    char back[MOST + 4];
    for (size_t i = 0; i < COUNT_OF(charsets); i++) {
        for (size_t count = 0; count < MOST; count++) {
            for (size_t at = 0; at <= count; at++) { /* at == count: ASCII only */
                const uint32_t stranger = strangers[(count + at) % COUNT_OF(strangers)];
                size_t length = 0, size = 0, written = 0, read = 0;
                for (size_t k = 0; k < count; k++) {
                    const uint32_t point = k == at ? stranger : 0x21 + (uint32_t)k;
                    length += expected_bytes(point, TIDE_UTF8, text + length);
                    size += expected_bytes(point, charsets[i], expected + size);
                }
                memset(encoded, 0xEE, sizeof encoded);
                assert_ok(
                    tide_text_encode((char *)text, length, charsets[i], encoded, size, &written));
                assert_int_equal(written, size);
                assert_memory_equal(encoded, expected, size);
                assert_true(all_bytes_are(encoded + size, 0xEE, sizeof encoded - size));
                if (at != count && !can_express(charsets[i], stranger))
                    continue;
                memset(back, 0xEE, sizeof back);
                assert_ok(tide_text_decode(expected, size, charsets[i], back, length, &read));
                assert_int_equal(read, length);
                assert_memory_equal(back, text, length);
                assert_true(all_bytes_are(back + length, 0xEE, sizeof back - length));
            }
        }
    }
}

/* ------------------------------------------------------------------------------- malformed */

/* What `from` becomes as UTF-8, where R stands for U+FFFD. */
static void assert_becomes(const void *from, size_t size, tide_charset charset,
                           const char *expected)
{
    char text[256], read[256];
    size_t length = 0, measured = 0, written = 0;
    for (; *expected != '\0'; expected++) {
        if (*expected == 'R') {
            memcpy(text + length, "\xEF\xBF\xBD", 3);
            length += 3;
        } else {
            text[length++] = *expected;
        }
    }
    assert_ok(tide_text_decoded_size(from, size, charset, &measured));
    assert_int_equal(measured, length);
    assert_ok(tide_text_decode(from, size, charset, read, length, &written));
    assert_int_equal(written, length);
    assert_memory_equal(read, text, length);
    assert_ok(tide_text_decode(from, size, charset, read, sizeof read, &written));
    assert_int_equal(written, length);
    assert_memory_equal(read, text, length);
}

typedef struct malformed {
    const char *bytes;
    size_t size;
    const char *expected;
} malformed;

static const malformed malformed_utf8[] = {
    /* the examples of the standard: tables 3-8, 3-9, 3-10, 3-11, and its paragraph on the matter */
    {BYTES("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41"), "RRRRRRRRA"},
    {BYTES("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41"), "RRRRRRRRA"},
    {BYTES("\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42"), "RRRRRARRB"},
    {BYTES("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41"), "RRRRA"},
    {BYTES("\x61\xF1\x80\x80\xE1\x80\xC2\x62\x80\x63\x80\xBF\x64"), "aRRRbRcRRd"},
    {BYTES("\xF0\x9F\x98"), "R"},
    {BYTES("\xC0\x80"), "RR"},
    {BYTES("\xED\xA0\x80"), "RRR"},
    /* a lead alone, at the end and before something else */
    {BYTES("\xC2"), "R"},
    {BYTES("\xC2\x41"), "RA"},
    {BYTES("\xC2\xC2"), "RR"},
    {BYTES("\xDF\x7F"), "R\x7F"},
    {BYTES("\xE0"), "R"},
    {BYTES("\xE0\xA0"), "R"},
    {BYTES("\xE0\xA0\x41"), "RA"},
    {BYTES("\xEF\xBF"), "R"},
    {BYTES("\xEF\xBF\xC2"), "RR"},
    {BYTES("\xF0"), "R"},
    {BYTES("\xF0\x90"), "R"},
    {BYTES("\xF0\x90\x80"), "R"},
    {BYTES("\xF0\x90\x80\x41"), "RA"},
    {BYTES("\xF4\x8F\xBF"), "R"},
    {BYTES("\xF4\x8F\xBF\xF4"), "RR"},
    /* overlong */
    {BYTES("\xC1\xBF"), "RR"},
    {BYTES("\xE0\x9F\xBF"), "RRR"},
    {BYTES("\xF0\x8F\xBF\xBF"), "RRRR"},
    /* surrogates, in pairs too */
    {BYTES("\xED\xBF\xBF"), "RRR"},
    {BYTES("\xED\xA0\xBD\xED\xB8\x80"), "RRRRRR"},
    /* above U+10FFFF */
    {BYTES("\xF4\x90\x80\x80"), "RRRR"},
    {BYTES("\xF5\x80\x80\x80"), "RRRR"},
    {BYTES("\xF8\x88\x80\x80\x80"), "RRRRR"},
    {BYTES("\xFC\x84\x80\x80\x80\x80"), "RRRRRR"},
    {BYTES("\xFE\xFF"), "RR"},
    /* what follows is missing */
    {BYTES("\x80"), "R"},
    {BYTES("\xBF\xBF\xBF"), "RRR"},
    {BYTES("A\x80Z"), "ARZ"},
};

static void malformed_utf8_is_replaced_by_maximal_parts(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(malformed_utf8); i++)
        assert_becomes(malformed_utf8[i].bytes, malformed_utf8[i].size, TIDE_UTF8,
                       malformed_utf8[i].expected);
}

static void nul_cuts_a_character_short_and_stays(void **state)
{
    (void)state;
    char text[4];
    size_t length = 0;
    assert_ok(tide_text_decode(BYTES("\xE2\x82\0"), TIDE_UTF8, text, 4, &length));
    assert_int_equal(length, 4);
    assert_memory_equal(text, "\xEF\xBF\xBD\0", 4);
}

/* The rows of table 3-7: which second bytes a lead may have. */
static void second_bytes(unsigned lead, unsigned *low, unsigned *high)
{
    *low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    *high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (lead < 0xC2 || lead > 0xF4)
        *high = *low - 1;
}

/* With an A behind, a pair is one character, the beginning of one, or two bytes that are each on
 * their own. */
static void every_pair_of_bytes_is_judged_by_the_table(void **state)
{
    (void)state;
    for (unsigned lead = 0x80; lead <= 0xFF; lead++) {
        unsigned low, high;
        second_bytes(lead, &low, &high);
        for (unsigned second = 0x01; second <= 0xFF; second++) {
            const char pair[] = {(char)lead, (char)second, 'A', '\0'};
            const char second_alone[] = {'R', (char)second, 'A', '\0'};
            const char *expected = "RRA";
            if (second >= low && second <= high)
                expected = lead < 0xE0 ? pair : "RA";
            else if (second < 0x80)
                expected = second_alone;
            if (second != 'R') /* which means U+FFFD to assert_becomes() */
                assert_becomes(pair, 3, TIDE_UTF8, expected);
        }
    }
}

static const malformed malformed_utf16be[] = {
    {BYTES("\xD8\x00"), "R"},
    {BYTES("\xDC\x00"), "R"},
    {BYTES("\xDF\xFF\xDB\xFF"), "RR"},
    {BYTES("\xD8\x00\x00\x41"), "RA"},
    {BYTES("\xD8\x00\xD8\x00\xDC\x00"), "R\xF0\x90\x80\x80"},
    {BYTES("\xD8\x3D\xDE\x00\xDE\x00"), "\xF0\x9F\x98\x80R"},
    {BYTES("\xDB\xFF\xDF\xFF"), "\xF4\x8F\xBF\xBF"},
    {BYTES("\xD7\xFF\xE0\x00"), "\xED\x9F\xBF\xEE\x80\x80"},
    {BYTES("\xD8\x00\xE0\x00"), "R\xEE\x80\x80"},
    {BYTES("\x00"), "R"},
    {BYTES("\x00\x41\x00"), "AR"},
    {BYTES("\xD8\x00\xDC"), "RR"},
    {BYTES("\xFE\xFF\x00\x41\xFF\xFE"), "\xEF\xBB\xBF\x41\xEF\xBF\xBE"},
};

static const malformed malformed_utf32be[] = {
    {BYTES("\x00\x11\x00\x00"), "R"},
    {BYTES("\x00\x10\xFF\xFF"), "\xF4\x8F\xBF\xBF"},
    {BYTES("\x00\x00\xD8\x00\x00\x00\xDF\xFF"), "RR"},
    {BYTES("\x00\x00\xD8\x3D\x00\x00\xDE\x00\x00\x00\x00\x41"), "RRA"},
    {BYTES("\xFF\xFF\xFF\xFF\x00\x00\x00\x41"), "RA"},
    {BYTES("\x80\x00\x00\x41"), "R"},
    {BYTES("\x01\x00\x00\x41"), "R"},
    {BYTES("\x00"), "R"},
    {BYTES("\x00\x00\x00"), "R"},
    {BYTES("\x00\x00\x00\x41\x00\x00\x00"), "AR"},
    {BYTES("\x00\x00\xFE\xFF"), "\xEF\xBB\xBF"},
};

/* Each unit of `size` bytes turned round; what is left of one as it is. */
static void swap_units(const malformed *from, size_t unit, unsigned char *to)
{
    for (size_t i = 0; i < from->size; i++) {
        const size_t start = i / unit * unit;
        const size_t at = start + unit <= from->size ? start + unit - 1 - (i - start) : i;
        to[at] = (unsigned char)from->bytes[i];
    }
}

static void malformed_units_are_replaced_one_by_one(void **state)
{
    (void)state;
    unsigned char swapped[16];
    for (size_t i = 0; i < COUNT_OF(malformed_utf16be); i++) {
        const malformed *sample = &malformed_utf16be[i];
        assert_becomes(sample->bytes, sample->size, TIDE_UTF16BE, sample->expected);
        swap_units(sample, 2, swapped);
        assert_becomes(swapped, sample->size, TIDE_UTF16LE, sample->expected);
    }
    for (size_t i = 0; i < COUNT_OF(malformed_utf32be); i++) {
        const malformed *sample = &malformed_utf32be[i];
        assert_becomes(sample->bytes, sample->size, TIDE_UTF32BE, sample->expected);
        swap_units(sample, 4, swapped);
        assert_becomes(swapped, sample->size, TIDE_UTF32LE, sample->expected);
    }
    assert_becomes("a\x80\xFFz", 4, TIDE_ASCII, "aRRz");
    assert_becomes("a\x80\xFFz", 4, TIDE_LATIN1, "a\xC2\x80\xC3\xBFz");
}

static void malformed_text_is_replaced_on_its_way_out_too(void **state)
{
    (void)state;
    static const struct {
        tide_charset charset;
        const char *bytes;
        size_t size;
    } samples[] = {
        {TIDE_UTF8, BYTES("a\xEF\xBF\xBDz\xEF\xBF\xBD\xEF\xBF\xBD")},
        {TIDE_UTF16BE, BYTES("\0a\xFF\xFD\0z\xFF\xFD\xFF\xFD")},
        {TIDE_UTF16LE, BYTES("a\0\xFD\xFFz\0\xFD\xFF\xFD\xFF")},
        {TIDE_UTF32BE, BYTES("\0\0\0a\0\0\xFF\xFD\0\0\0z\0\0\xFF\xFD\0\0\xFF\xFD")},
        {TIDE_UTF32LE, BYTES("a\0\0\0\xFD\xFF\0\0z\0\0\0\xFD\xFF\0\0\xFD\xFF\0\0")},
        {TIDE_LATIN1, BYTES("a?z??")},
        {TIDE_ASCII, BYTES("a?z??")},
    };
    static const char text[] = "a\xF0\x9F\x98z\xC0\x80";
    unsigned char encoded[32];
    size_t size = 0;
    for (size_t i = 0; i < COUNT_OF(samples); i++) {
        assert_ok(tide_text_encode(text, sizeof text - 1, samples[i].charset, encoded,
                                   samples[i].size, &size));
        assert_int_equal(size, samples[i].size);
        assert_memory_equal(encoded, samples[i].bytes, size);
    }
}

/* ------------------------------------------------------------------------------- lengths */

static void a_unit_is_as_wide_as_its_charset_s_terminator(void **state)
{
    (void)state;
    static const size_t units[] = {1, 2, 2, 4, 4, 1, 1};
    for (size_t i = 0; i < COUNT_OF(charsets); i++)
        assert_int_equal(tide_text_unit(charsets[i]), units[i]);
    assert_int_equal(tide_text_unit((tide_charset)opaque(7)), 0);
    assert_int_equal(tide_text_unit((tide_charset)opaque(UINT32_MAX)), 0);
}

static void text_may_contain_nul_or_end_before_it(void **state)
{
    (void)state;
    static const char text[] = "ab\0cd";
    unsigned char encoded[16];
    size_t size = 0;
    assert_ok(tide_text_encode(text, 5, TIDE_UTF16BE, encoded, sizeof encoded, &size));
    assert_int_equal(size, 10);
    assert_memory_equal(encoded, "\0a\0b\0\0\0c\0d", 10);
    assert_ok(tide_text_encode(text, TIDE_TEXT_LENGTH, TIDE_UTF16BE, encoded, 16, &size));
    assert_int_equal(size, 4);
    assert_ok(tide_text_encoded_size(text, TIDE_TEXT_LENGTH, TIDE_UTF32LE, &size));
    assert_int_equal(size, 8);
    char back[8];
    assert_ok(tide_text_decode("a\0b", 3, TIDE_LATIN1, back, sizeof back, &size));
    assert_int_equal(size, 3);
    assert_memory_equal(back, "a\0b", 3);
}

static void no_text_needs_no_address(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(charsets); i++) {
        size_t size = 7;
        assert_ok(tide_text_encoded_size(NULL, 0, charsets[i], &size));
        assert_int_equal(size, 0);
        size = 7;
        assert_ok(tide_text_encode(NULL, 0, charsets[i], NULL, 0, &size));
        assert_int_equal(size, 0);
        size = 7;
        assert_ok(tide_text_decoded_size(NULL, 0, charsets[i], &size));
        assert_int_equal(size, 0);
        size = 7;
        assert_ok(tide_text_decode(NULL, 0, charsets[i], NULL, 0, &size));
        assert_int_equal(size, 0);
    }
}

static void what_does_not_fit_is_refused_and_writes_nothing(void **state)
{
    (void)state;
    static const char text[] = "Smørrebrød, 12 €, \xF0\x9F\x98\x80";
    unsigned char encoded[128], back[128];
    for (size_t i = 0; i < COUNT_OF(charsets); i++) {
        size_t size = 0, length = 0, untouched = 7;
        assert_ok(tide_text_encode(text, sizeof text - 1, charsets[i], encoded, 128, &size));
        assert_ok(tide_text_decoded_size(encoded, size, charsets[i], &length));
        for (size_t capacity = 0; capacity < size; capacity++) {
            memset(back, 0xEE, sizeof back);
            assert_refused(TIDE_EXHAUSTED, tide_text_encode(text, sizeof text - 1, charsets[i],
                                                            back, capacity, &untouched));
            assert_true(all_bytes_are(back, 0xEE, sizeof back));
        }
        for (size_t capacity = 0; capacity < length; capacity++) {
            memset(back, 0xEE, sizeof back);
            assert_refused(TIDE_EXHAUSTED, tide_text_decode(encoded, size, charsets[i],
                                                            (char *)back, capacity, &untouched));
            assert_true(all_bytes_are(back, 0xEE, sizeof back));
        }
        assert_int_equal(untouched, 7);
    }
    size_t size;
    assert_refused(TIDE_EXHAUSTED, tide_text_encode("abc", 3, TIDE_UTF16LE, NULL, 0, &size));
    assert_refused(TIDE_EXHAUSTED, tide_text_encode("abc", 3, TIDE_UTF16LE, back, 5, &size));
    assert_error_names("encode");
    assert_error_names("6 bytes");
    assert_error_names("5");
}

/* ------------------------------------------------------------------------------- misuse */

static void what_is_no_charset_is_invalid(void **state)
{
    (void)state;
    char buffer[8];
    size_t size = 7;
    const size_t numbers[] = {7, 8, 255, INT32_MAX, UINT32_MAX};
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        const tide_charset none = (tide_charset)opaque(numbers[i]);
        assert_refused(TIDE_INVALID_ARGUMENT, tide_text_encoded_size("a", 1, none, &size));
        assert_refused(TIDE_INVALID_ARGUMENT, tide_text_encode("a", 1, none, buffer, 8, &size));
        assert_refused(TIDE_INVALID_ARGUMENT, tide_text_decoded_size("a", 1, none, &size));
        assert_refused(TIDE_INVALID_ARGUMENT, tide_text_decode("a", 1, none, buffer, 8, &size));
    }
    assert_int_equal(size, 7);
}

static void null_is_invalid(void **state)
{
    (void)state;
    char buffer[8];
    size_t size = 7;
    const size_t lengths[] = {1, 1000, TIDE_TEXT_LENGTH};
    for (size_t i = 0; i < COUNT_OF(lengths); i++) {
        const size_t length = opaque(lengths[i]);
        assert_refused(TIDE_INVALID_ARGUMENT,
                       tide_text_encoded_size(NULL, length, TIDE_ASCII, &size));
        assert_refused(TIDE_INVALID_ARGUMENT,
                       tide_text_encode(NULL, length, TIDE_ASCII, buffer, 8, &size));
        assert_refused(TIDE_INVALID_ARGUMENT,
                       tide_text_decoded_size(NULL, length, TIDE_ASCII, &size));
        assert_refused(TIDE_INVALID_ARGUMENT,
                       tide_text_decode(NULL, length, TIDE_ASCII, buffer, 8, &size));
    }
    assert_refused(TIDE_INVALID_ARGUMENT, tide_text_encode("", 0, TIDE_ASCII, NULL, 1, &size));
    assert_refused(TIDE_INVALID_ARGUMENT, tide_text_decode("", 0, TIDE_ASCII, NULL, 1, &size));
    assert_refused(TIDE_INVALID_ARGUMENT, tide_text_encoded_size("a", 1, TIDE_ASCII, NULL));
    assert_refused(TIDE_INVALID_ARGUMENT, tide_text_encode("a", 1, TIDE_ASCII, buffer, 8, NULL));
    assert_refused(TIDE_INVALID_ARGUMENT, tide_text_decoded_size("a", 1, TIDE_ASCII, NULL));
    assert_refused(TIDE_INVALID_ARGUMENT, tide_text_decode("a", 1, TIDE_ASCII, buffer, 8, NULL));
    assert_int_equal(size, 7);
}

static void a_length_that_was_negative_is_invalid(void **state)
{
    (void)state;
    char buffer[8];
    size_t size = 7;
    const size_t sizes[] = HUGE_SIZES;
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        const size_t length = opaque(sizes[i]);
        assert_refused(TIDE_INVALID_ARGUMENT,
                       tide_text_decoded_size("a", length, TIDE_UTF8, &size));
        assert_refused(TIDE_INVALID_ARGUMENT,
                       tide_text_decode("a", length, TIDE_UTF8, buffer, 8, &size));
        if (length == TIDE_TEXT_LENGTH)
            continue;
        assert_refused(TIDE_INVALID_ARGUMENT,
                       tide_text_encoded_size("a", length, TIDE_UTF8, &size));
        assert_refused(TIDE_INVALID_ARGUMENT,
                       tide_text_encode("a", length, TIDE_UTF8, buffer, 8, &size));
    }
    assert_int_equal(size, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_point_gets_its_bytes_in_every_charset),
        cmocka_unit_test(every_code_point_comes_back_from_every_charset_that_has_it),
        cmocka_unit_test(every_code_point_goes_round_alone),
        cmocka_unit_test(runs_of_ascii_end_where_they_end),
        cmocka_unit_test(malformed_utf8_is_replaced_by_maximal_parts),
        cmocka_unit_test(nul_cuts_a_character_short_and_stays),
        cmocka_unit_test(every_pair_of_bytes_is_judged_by_the_table),
        cmocka_unit_test(malformed_units_are_replaced_one_by_one),
        cmocka_unit_test(malformed_text_is_replaced_on_its_way_out_too),
        cmocka_unit_test(a_unit_is_as_wide_as_its_charset_s_terminator),
        cmocka_unit_test(text_may_contain_nul_or_end_before_it),
        cmocka_unit_test(no_text_needs_no_address),
        cmocka_unit_test(what_does_not_fit_is_refused_and_writes_nothing),
        cmocka_unit_test(what_is_no_charset_is_invalid),
        cmocka_unit_test(null_is_invalid),
        cmocka_unit_test(a_length_that_was_negative_is_invalid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
