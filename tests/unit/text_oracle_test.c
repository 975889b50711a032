/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text against ICU, another implementation of the same rules: random bytes, and valid text with
 * something done to it. Where the two take something differently on purpose, the model here says
 * so.
 */
#include "test.h"

#include <unicode/ucnv.h>
#include <unicode/ucnv_cb.h>

typedef struct pair {
    tide_charset charset;
    const char *name;
    UConverter *converter;
} pair;

static pair pairs[] = {
    {TIDE_UTF8, "UTF-8", NULL},       {TIDE_UTF16LE, "UTF-16LE", NULL},
    {TIDE_UTF16BE, "UTF-16BE", NULL}, {TIDE_UTF32LE, "UTF-32LE", NULL},
    {TIDE_UTF32BE, "UTF-32BE", NULL}, {TIDE_LATIN1, "ISO-8859-1", NULL},
    {TIDE_ASCII, "US-ASCII", NULL},
};

/* '?' for whatever the charset lacks; by itself ICU drops what is invisible. */
static void substitute(const void *context, UConverterFromUnicodeArgs *arguments,
                       const UChar *units, int32_t length, UChar32 point,
                       UConverterCallbackReason reason, UErrorCode *error)
{
    (void)context, (void)units, (void)length, (void)point;
    if (reason > UCNV_IRREGULAR) /* nothing is wrong */
        return;
    *error = U_ZERO_ERROR;
    ucnv_cbFromUWriteSub(arguments, 0, error);
}

static int open_converters(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(pairs); i++) {
        UErrorCode error = U_ZERO_ERROR;
        pairs[i].converter = ucnv_open(pairs[i].name, &error);
        assert_true(U_SUCCESS(error));
        if (pairs[i].charset != TIDE_LATIN1 && pairs[i].charset != TIDE_ASCII)
            continue;
        ucnv_setSubstChars(pairs[i].converter, "?", 1, &error);
        ucnv_setFromUCallBack(pairs[i].converter, substitute, NULL, NULL, NULL, &error);
        assert_true(U_SUCCESS(error));
    }
    return 0;
}

static int close_converters(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(pairs); i++)
        ucnv_close(pairs[i].converter);
    return 0;
}

/* ------------------------------------------------------------------------------- the oracle */

enum { MOST = 160 }; /* bytes of an input */

/* The bytes in another charset, U+FFFD for what is malformed. */
static size_t icu_convert(const pair *source, const pair *target, const unsigned char *from,
                          size_t size, char *to, size_t capacity)
{
    UChar middle[4 * MOST];
    UErrorCode error = U_ZERO_ERROR;
    const int32_t count = ucnv_toUChars(source->converter, middle, COUNT_OF(middle),
                                        (const char *)from, (int32_t)size, &error);
    assert_true(U_SUCCESS(error));
    const int32_t length =
        ucnv_fromUChars(target->converter, to, (int32_t)capacity, middle, count, &error);
    assert_true(U_SUCCESS(error));
    return (size_t)length;
}

static void explain(const char *what, const pair *of, const void *from, size_t size)
{
    const unsigned char *bytes = from;
    fprintf(stderr, "%s %s differs for:", what, of->name);
    for (size_t i = 0; i < size; i++)
        fprintf(stderr, " %02x", bytes[i]);
    fprintf(stderr, "\n");
}

static void assert_decodes_as_icu(const pair *source, const unsigned char *from, size_t size)
{
    char expected[4 * MOST], text[4 * MOST];
    size_t length = 0, measured = 0;
    /* ICU takes a last high surrogate and half a unit behind it as one; here the half is
     * one more. */
    const size_t whole = size / tide_text_unit(source->charset) * tide_text_unit(source->charset);
    size_t expected_length = icu_convert(source, &pairs[0], from, whole, expected, sizeof expected);
    if (whole != size) {
        memcpy(expected + expected_length, "\xEF\xBF\xBD", 3);
        expected_length += 3;
    }
    assert_ok(tide_text_decoded_size(from, size, source->charset, &measured));
    assert_ok(tide_text_decode(from, size, source->charset, text, expected_length, &length));
    if (measured != expected_length || length != expected_length ||
        memcmp(text, expected, length) != 0) {
        explain("decoding", source, from, size);
        fail();
    }
}

static void assert_encodes_as_icu(const pair *target, const unsigned char *text, size_t length)
{
    char expected[8 * MOST], encoded[8 * MOST];
    size_t size = 0, measured = 0;
    const size_t expected_size =
        icu_convert(&pairs[0], target, text, length, expected, sizeof expected);
    assert_ok(tide_text_encoded_size((const char *)text, length, target->charset, &measured));
    assert_ok(tide_text_encode((const char *)text, length, target->charset, encoded, sizeof encoded,
                               &size));
    if (measured != expected_size || size != expected_size ||
        memcmp(encoded, expected, size) != 0) {
        explain("encoding", target, text, length);
        fail();
    }
}

/* ------------------------------------------------------------------------------- inputs */

static uint64_t seed;

/* xorshift64*: the same numbers on every machine. */
static uint32_t draw(uint32_t below)
{
    seed ^= seed >> 12;
    seed ^= seed << 25;
    seed ^= seed >> 27;
    return (uint32_t)((seed * UINT64_C(0x2545F4914F6CDD1D)) >> 33) % below;
}

/* Bytes that matter to UTF-8: each row of its table begins and ends with one. */
static const unsigned char telling[] = {0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0,
                                        0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF, 0xF0,
                                        0xF1, 0xF3, 0xF4, 0xF5, 0xFF, 0xD7, 0xD8, 0xDB, 0xDC, 0x10};

static size_t draw_bytes(unsigned char *to)
{
    const size_t size = draw(24);
    for (size_t i = 0; i < size; i++)
        to[i] = draw(4) == 0 ? (unsigned char)draw(256) : telling[draw(COUNT_OF(telling))];
    return size;
}

static uint32_t draw_point(void)
{
    static const uint32_t edges[] = {0x00,   0x7F,   0x80,   0x7FF,  0x800,   0xD7FF,
                                     0xE000, 0xFEFF, 0xFFFD, 0xFFFF, 0x10000, 0x10FFFF};
    const uint32_t ranges[] = {0x80, 0x80, 0x80, 0x800, 0xD800, 0x110000};
    if (draw(4) == 0)
        return edges[draw(COUNT_OF(edges))];
    const uint32_t point = draw(ranges[draw(COUNT_OF(ranges))]);
    return point >= 0xD800 && point <= 0xDFFF ? 0x3042 : point;
}

/* Valid text, some of it with long runs of ASCII, in the charset of `target`. */
static size_t draw_text(const pair *target, unsigned char *to)
{
    UChar middle[48];
    int32_t count = 0;
    const int32_t most = (int32_t)draw(38);
    const bool plain = draw(2) == 0;
    while (count < most) {
        const uint32_t point = plain && draw(16) != 0 ? 0x20 + draw(0x5F) : draw_point();
        if (point >= 0x10000)
            middle[count++] = (UChar)(0xD7C0 + (point >> 10));
        middle[count++] = (UChar)(point >= 0x10000 ? 0xDC00 + (point & 0x3FF) : point);
    }
    UErrorCode error = U_ZERO_ERROR;
    const int32_t size =
        ucnv_fromUChars(target->converter, (char *)to, MOST, middle, count, &error);
    assert_true(U_SUCCESS(error));
    return (size_t)size;
}

/* One of the things that go wrong: a byte changed, lost, twice there, or the end. */
static size_t damage(unsigned char *text, size_t size)
{
    if (size == 0)
        return 0;
    const size_t at = draw((uint32_t)size);
    switch (draw(5)) {
    case 0:
        text[at] = (unsigned char)draw(256);
        return size;
    case 1:
        text[at] = telling[draw(COUNT_OF(telling))];
        return size;
    case 2:
        memmove(text + at, text + at + 1, size - at - 1);
        return size - 1;
    case 3:
        if (size == MOST)
            return size;
        memmove(text + at + 1, text + at, size - at);
        return size + 1;
    default:
        return at;
    }
}

/* ------------------------------------------------------------------------------- tests */

enum { ROUNDS = 30000 };

static void random_bytes_decode_as_in_icu(void **state)
{
    (void)state;
    unsigned char bytes[MOST];
    seed = 0x74696465;
    for (int i = 0; i < ROUNDS; i++) {
        const size_t size = draw_bytes(bytes);
        for (size_t k = 0; k < COUNT_OF(pairs); k++)
            assert_decodes_as_icu(&pairs[k], bytes, size);
    }
}

static void random_bytes_encode_as_in_icu(void **state)
{
    (void)state;
    unsigned char bytes[MOST];
    seed = 0x706f6f6c;
    for (int i = 0; i < ROUNDS; i++) {
        const size_t size = draw_bytes(bytes);
        for (size_t k = 0; k < COUNT_OF(pairs); k++)
            assert_encodes_as_icu(&pairs[k], bytes, size);
    }
}

static void damaged_text_decodes_as_in_icu(void **state)
{
    (void)state;
    unsigned char text[MOST];
    seed = 0x65626221;
    for (int i = 0; i < ROUNDS; i++) {
        const pair *source = &pairs[(size_t)i % COUNT_OF(pairs)];
        size_t size = draw_text(source, text);
        assert_decodes_as_icu(source, text, size);
        for (uint32_t hits = draw(4); hits > 0; hits--)
            size = damage(text, size);
        assert_decodes_as_icu(source, text, size);
    }
}

static void damaged_text_encodes_as_in_icu(void **state)
{
    (void)state;
    unsigned char text[MOST];
    seed = 0x666c6f77;
    for (int i = 0; i < ROUNDS; i++) {
        size_t size = draw_text(&pairs[0], text);
        assert_encodes_as_icu(&pairs[(size_t)i % COUNT_OF(pairs)], text, size);
        for (uint32_t hits = draw(4); hits > 0; hits--)
            size = damage(text, size);
        for (size_t k = 0; k < COUNT_OF(pairs); k++)
            assert_encodes_as_icu(&pairs[k], text, size);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_bytes_decode_as_in_icu),
        cmocka_unit_test(random_bytes_encode_as_in_icu),
        cmocka_unit_test(damaged_text_decodes_as_in_icu),
        cmocka_unit_test(damaged_text_encodes_as_in_icu),
    };
    return cmocka_run_group_tests(tests, open_converters, close_converters);
}
