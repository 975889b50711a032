/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Everything goes through code points: one is taken from the source, and put into the target. The
 * loop is written once and compiled for each pair of families, whose differences then are
 * constants; runs of ASCII, most of what text is made of, take a way of their own.
 */
#include "memory/transcode.h"

#include <string.h>

#include "memory/charset.h"
#include <tidepool/bytes.h>

#define REPLACEMENT 0xFFFDu

#define HIGH_BITS UINT64_C(0x8080808080808080)

/* What charsets have in common. */
typedef enum family { BYTES, UTF8, UTF16, UTF32 } family;

typedef struct form {
    family family;
    tide_layout order;
    uint32_t last; /* the highest code point it can express */
} form;

static const form forms[] = {
    [TIDE_UTF8] = {UTF8, TIDE_NATIVE_ENDIAN, 0x10FFFF},
    [TIDE_UTF16LE] = {UTF16, TIDE_LITTLE_ENDIAN, 0x10FFFF},
    [TIDE_UTF16BE] = {UTF16, TIDE_BIG_ENDIAN, 0x10FFFF},
    [TIDE_UTF32LE] = {UTF32, TIDE_LITTLE_ENDIAN, 0x10FFFF},
    [TIDE_UTF32BE] = {UTF32, TIDE_BIG_ENDIAN, 0x10FFFF},
    [TIDE_LATIN1] = {BYTES, TIDE_NATIVE_ENDIAN, 0xFF},
    [TIDE_ASCII] = {BYTES, TIDE_NATIVE_ENDIAN, 0x7F},
};

/* ------------------------------------------------------------------------- one character */

typedef struct character {
    uint32_t point;
    uint32_t size; /* bytes it takes in the source */
} character;

static character malformed(size_t size)
{
    return (character){REPLACEMENT, (uint32_t)size};
}

/* The rows of Unicode's table 3-7: how many bytes follow, and where the first of them may lie. */
static character next_of_utf8(const unsigned char *at, size_t left)
{
    uint32_t lead = at[0];
    if (lead < 0x80)
        return (character){lead, 1};
    if (lead < 0xC2 || lead > 0xF4)
        return malformed(1);
    uint32_t more = lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
    uint32_t low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    uint32_t high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    uint32_t point = lead & (0x3Fu >> more);
    for (uint32_t i = 1; i <= more; i++) {
        if (i == left)
            return malformed(i);
        uint32_t byte = at[i];
        if (byte < low || byte > high)
            return malformed(i);
        point = point << 6 | (byte & 0x3F);
        low = 0x80;
        high = 0xBF;
    }
    return (character){point, more + 1};
}

static bool is_surrogate(uint32_t point)
{
    return (point & 0xFFFFF800u) == 0xD800;
}

static character next_of_utf16(const unsigned char *at, size_t left, tide_layout order)
{
    if (left < 2)
        return malformed(left);
    uint32_t unit = tide_bytes_get_u16(at, order);
    if (!is_surrogate(unit))
        return (character){unit, 2};
    if (unit < 0xDC00 && left >= 4) {
        uint32_t second = tide_bytes_get_u16(at + 2, order);
        if ((second & 0xFC00) == 0xDC00)
            return (character){0x10000 + ((unit & 0x3FF) << 10 | (second & 0x3FF)), 4};
    }
    return malformed(2);
}

static character next_of_utf32(const unsigned char *at, size_t left, tide_layout order)
{
    if (left < 4)
        return malformed(left);
    uint32_t point = tide_bytes_get_u32(at, order);
    if (point > 0x10FFFF || is_surrogate(point))
        return malformed(4);
    return (character){point, 4};
}

TIDE_HELPER character next_of(form source, const unsigned char *at, size_t left)
{
    switch (source.family) {
    case UTF16:
        return next_of_utf16(at, left, source.order);
    case UTF32:
        return next_of_utf32(at, left, source.order);
    case UTF8:
        return next_of_utf8(at, left);
    default:
        return *at <= source.last ? (character){*at, 1} : malformed(1);
    }
}

/* Bytes that a code point takes in the target. */
TIDE_HELPER size_t size_in(form target, uint32_t point)
{
    switch (target.family) {
    case UTF16:
        return point < 0x10000 ? 2 : 4;
    case UTF32:
        return 4;
    case UTF8:
        return point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    default:
        return 1;
    }
}

static void put_in_utf8(unsigned char *to, uint32_t point, size_t size)
{
    static const unsigned char leads[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = size - 1; i > 0; i--) {
        to[i] = (unsigned char)(0x80 | (point & 0x3F));
        point >>= 6;
    }
    to[0] = (unsigned char)(leads[size] | point);
}

static void put_in_utf16(unsigned char *to, tide_layout order, uint32_t point)
{
    if (point < 0x10000) {
        tide_bytes_put_u16(to, order, (uint16_t)point);
        return;
    }
    tide_bytes_put_u16(to, order, (uint16_t)(0xD800 | (point - 0x10000) >> 10));
    tide_bytes_put_u16(to + 2, order, (uint16_t)(0xDC00 | (point & 0x3FF)));
}

TIDE_HELPER void put_in(form target, unsigned char *to, uint32_t point, size_t size)
{
    switch (target.family) {
    case UTF16:
        put_in_utf16(to, target.order, point);
        break;
    case UTF32:
        tide_bytes_put_u32(to, target.order, point);
        break;
    case UTF8:
        put_in_utf8(to, point, size);
        break;
    default:
        to[0] = point <= target.last ? (unsigned char)point : '?';
    }
}

/* ------------------------------------------------------------------------- ASCII, by the word */

#define WORD sizeof(uint64_t)

/* What every machine has registers for. */
typedef uint64_t vector __attribute__((vector_size(2 * WORD)));

/* Whether all is ASCII: `width` bytes up to twice that many, as two words that overlap. */
TIDE_HELPER bool pass_two_words(bool writes, unsigned char *to, const unsigned char *from,
                                size_t size, size_t width)
{
    uint64_t first = 0, last = 0;
    memcpy(&first, from, width);
    memcpy(&last, from + size - width, width);
    if (((first | last) & HIGH_BITS) != 0)
        return false;
    if (writes) {
        memcpy(to, &first, width);
        memcpy(to + size - width, &last, width);
    }
    return true;
}

/* Less than a vector: all of it when it is ASCII, else less. */
TIDE_HELPER size_t pass_short_ascii(bool writes, unsigned char *to, const unsigned char *from,
                                    size_t size)
{
    if (size >= WORD)
        return pass_two_words(writes, to, from, size, WORD) ? size : 0;
    if (size >= WORD / 2)
        return pass_two_words(writes, to, from, size, WORD / 2) ? size : 0;
    size_t done = 0;
    for (; done < size; done++) {
        unsigned char byte = from[done];
        if (byte >= 0x80)
            break;
        if (writes)
            to[done] = byte;
    }
    return done;
}

TIDE_HELPER vector vector_at(const unsigned char *from)
{
    vector part;
    memcpy(&part, from, sizeof part);
    return part;
}

TIDE_HELPER bool is_ascii(vector part)
{
    return ((part[0] | part[1]) & HIGH_BITS) == 0;
}

#define BLOCK (4 * sizeof(vector))

TIDE_HELPER bool pass_block(bool writes, unsigned char *to, const unsigned char *from)
{
    const vector parts[] = {vector_at(from), vector_at(from + sizeof(vector)),
                            vector_at(from + 2 * sizeof(vector)),
                            vector_at(from + 3 * sizeof(vector))};
    if (!is_ascii(parts[0] | parts[1] | parts[2] | parts[3]))
        return false;
    for (size_t i = 0; writes && i < 4; i++)
        memcpy(to + i * sizeof(vector), &parts[i], sizeof(vector));
    return true;
}

/*
 * Passes over ASCII up to the first vector that isn't all ASCII, and returns how many bytes those
 * are; copies them when it `writes`. A text that ends in the middle of a vector has a last one that
 * overlaps the one before.
 */
TIDE_HELPER size_t pass_ascii(bool writes, unsigned char *to, const unsigned char *from,
                              size_t size)
{
    if (size < sizeof(vector))
        return pass_short_ascii(writes, to, from, size);
    size_t done = 0;
    while (size - done >= BLOCK && pass_block(writes, writes ? to + done : NULL, from + done))
        done += BLOCK;
    while (done < size) {
        size_t at = size - done >= sizeof(vector) ? done : size - sizeof(vector);
        vector part = vector_at(from + at);
        if (!is_ascii(part))
            break;
        if (writes)
            memcpy(to + at, &part, sizeof part);
        done = at + sizeof part;
    }
    return done;
}

/* A word of units of two or four bytes: how many there are, and where in each the byte lies that
 * ASCII is in. Words are taken with the first byte as the lowest. */
TIDE_HELPER size_t wide_count(form wide)
{
    return wide.family == UTF16 ? 4 : 2;
}

TIDE_HELPER unsigned wide_shift(form wide)
{
    return wide.order != TIDE_BIG_ENDIAN ? 0 : wide.family == UTF16 ? 8 : 24;
}

TIDE_HELPER uint64_t spread(form wide, uint64_t bytes)
{
    if (wide.family == UTF32)
        return (bytes | bytes << 24) & UINT64_C(0x000000FF000000FF);
    bytes = (bytes | bytes << 16) & UINT64_C(0x0000FFFF0000FFFF);
    return (bytes | bytes << 8) & UINT64_C(0x00FF00FF00FF00FF);
}

TIDE_HELPER uint64_t gather(form wide, uint64_t word)
{
    if (wide.family == UTF32)
        return word | word >> 24;
    word |= word >> 8;
    return (word & 0xFFFF) | (word >> 16 & 0xFFFF0000);
}

/* As many ASCII bytes as a word has units: false when they are not all ASCII. */
TIDE_HELPER bool widen_ascii(form wide, bool writes, unsigned char *to, const unsigned char *from)
{
    uint64_t bytes = wide.family == UTF16 ? tide_bytes_get_u32(from, TIDE_LITTLE_ENDIAN)
                                          : tide_bytes_get_u16(from, TIDE_LITTLE_ENDIAN);
    if ((bytes & HIGH_BITS) != 0)
        return false;
    if (writes)
        tide_bytes_put_u64(to, TIDE_LITTLE_ENDIAN, spread(wide, bytes) << wide_shift(wide));
    return true;
}

TIDE_HELPER bool narrow_ascii(form wide, bool writes, unsigned char *to, const unsigned char *from)
{
    uint64_t word = tide_bytes_get_u64(from, TIDE_LITTLE_ENDIAN);
    if ((word & ~(spread(wide, 0x7F7F7F7F) << wide_shift(wide))) != 0)
        return false;
    uint64_t bytes = gather(wide, word >> wide_shift(wide));
    if (writes && wide.family == UTF16)
        tide_bytes_put_u32(to, TIDE_LITTLE_ENDIAN, (uint32_t)bytes);
    else if (writes)
        tide_bytes_put_u16(to, TIDE_LITTLE_ENDIAN, (uint16_t)bytes);
    return true;
}

/* ------------------------------------------------------------------------- the loops */

/* Where a conversion stands. */
typedef struct progress {
    size_t taken;   /* bytes of the source */
    size_t written; /* bytes of the target, or that would be */
} progress;

/* Takes ASCII as long as it comes by the word and there is room; only measures it unless it
 * `writes`. */
TIDE_HELPER void take_ascii(form source, form target, const unsigned char *from, size_t size,
                            bool writes, unsigned char *to, size_t capacity, progress *at)
{
    bool widens = target.family == UTF16 || target.family == UTF32;
    bool narrows = source.family == UTF16 || source.family == UTF32;
    if (!widens && !narrows) {
        size_t left = size - at->taken;
        size_t room = capacity - at->written;
        size_t passed = pass_ascii(writes, writes ? to + at->written : NULL, from + at->taken,
                                   left < room ? left : room);
        at->taken += passed;
        at->written += passed;
        return;
    }
    size_t step_from = narrows ? WORD : wide_count(target);
    size_t step_to = widens ? WORD : wide_count(source);
    while (size - at->taken >= step_from && capacity - at->written >= step_to) {
        unsigned char *place = writes ? to + at->written : NULL;
        if (!(widens ? widen_ascii(target, writes, place, from + at->taken)
                     : narrow_ascii(source, writes, place, from + at->taken)))
            break;
        at->taken += step_from;
        at->written += step_to;
    }
}

/* By the word while it is ASCII; after anything else one by one, until ASCII comes again. */
TIDE_HELPER progress convert(form source, form target, const unsigned char *from, size_t size,
                             bool writes, unsigned char *to, size_t capacity)
{
    progress at = {0, 0};
    for (;;) {
        take_ascii(source, target, from, size, writes, to, capacity, &at);
        uint32_t point = REPLACEMENT;
        do {
            if (at.taken == size)
                return at;
            character next = next_of(source, from + at.taken, size - at.taken);
            point = next.point;
            size_t needed = size_in(target, point);
            if (needed > capacity - at.written)
                return at;
            if (writes)
                put_in(target, to + at.written, point, needed);
            at.taken += next.size;
            at.written += needed;
        } while (point >= 0x80);
    }
}

/* The pairs of families that there are; each call becomes a loop of its own, since the assignments
 * make the family a constant. */
TIDE_HELPER progress convert_any(form source, form target, const unsigned char *from, size_t size,
                                 bool writes, unsigned char *to, size_t capacity)
{
    static const form utf8 = {UTF8, TIDE_NATIVE_ENDIAN, 0x10FFFF};
    switch (source.family) {
    case BYTES:
        source.family = BYTES;
        return convert(source, utf8, from, size, writes, to, capacity);
    case UTF16:
        source.family = UTF16;
        return convert(source, utf8, from, size, writes, to, capacity);
    case UTF32:
        source.family = UTF32;
        return convert(source, utf8, from, size, writes, to, capacity);
    default:
        break;
    }
    switch (target.family) {
    case BYTES:
        target.family = BYTES;
        return convert(utf8, target, from, size, writes, to, capacity);
    case UTF16:
        target.family = UTF16;
        return convert(utf8, target, from, size, writes, to, capacity);
    case UTF32:
        target.family = UTF32;
        return convert(utf8, target, from, size, writes, to, capacity);
    default:
        return convert(utf8, utf8, from, size, writes, to, capacity);
    }
}

size_t tide_transcode_size(tide_charset source, tide_charset target, const void *from, size_t size)
{
    if (size == 0) /* then there may be no source */
        return 0;
    return convert_any(forms[source], forms[target], from, size, false, NULL, SIZE_MAX).written;
}

bool tide_transcode_bounded(tide_charset source, tide_charset target, const void *from, size_t size,
                            void *to, size_t capacity, size_t *written)
{
    progress end = {0, 0};
    if (size != 0 && capacity != 0) /* else there may be no source, or no target */
        end = convert_any(forms[source], forms[target], from, size, true, to, capacity);
    *written = end.written;
    return end.taken == size;
}

bool tide_transcode(tide_charset source, tide_charset target, const void *from, size_t size,
                    void *to, size_t capacity, size_t *needed)
{
    if (size > capacity / TIDE_TRANSCODE_GROWTH) {
        *needed = tide_transcode_size(source, target, from, size);
        if (*needed > capacity)
            return false;
    }
    return tide_transcode_bounded(source, target, from, size, to, capacity, needed);
}

bool tide_text_copy_ascii(const void *from, size_t size, void *to, size_t capacity, size_t *length)
{
    const unsigned char *end = memchr(from, '\0', size);
    size_t found = end != NULL ? (size_t)(end - (const unsigned char *)from) : SIZE_MAX;
    if (found >= capacity)
        return false;
    /* Where any text of this size has room, what is not ASCII after all may be found out late. */
    bool fits = found < capacity / TIDE_TRANSCODE_GROWTH;
    if ((!fits && pass_ascii(false, NULL, from, found) != found) ||
        pass_ascii(true, to, from, found) != found)
        return false;
    ((char *)to)[found] = '\0';
    *length = found;
    return true;
}
