/* SPDX-License-Identifier: Apache-2.0 */
/* Where text ends. */
#include <string.h>

#include "memory/transcode.h"
#include <tidepool/bytes.h>

#define WORD sizeof(uint64_t)

TIDE_HELPER bool is_zero_unit(const char *at, size_t unit)
{
    return (unit == 2 ? tide_bytes_get_u16(at, TIDE_NATIVE_ENDIAN)
                      : tide_bytes_get_u32(at, TIDE_NATIVE_ENDIAN)) == 0;
}

/* The first zero unit from `at` on, before `end`, which is whole units further. */
TIDE_HELPER const char *find_by_units(const char *at, const char *end, size_t unit)
{
    while (at != end && !is_zero_unit(at, unit))
        at += unit;
    return at;
}

/*
 * The same where units are aligned: an aligned word holds whole units and lies in one page, so it
 * may be read when any of it is there; what a checker thinks of the bytes behind a terminator is
 * beside the point. A unit is zero when taking 1 from it borrows into its highest bit, which was
 * clear.
 */
__attribute__((no_sanitize_address)) static const char *find_by_words(const char *at,
                                                                      const char *end, size_t unit)
{
    const uint64_t ones = unit == 2 ? UINT64_C(0x0001000100010001) : UINT64_C(0x0000000100000001);
    const uint64_t tops = ones << (unit * 8 - 1);
    for (; (size_t)(end - at) >= WORD; at += WORD) {
        uint64_t word;
        memcpy(&word, at, WORD);
        if (((word - ones) & ~word & tops) != 0)
            break;
    }
    return at;
}

/* Units of two or four bytes, whole ones only. */
TIDE_HELPER const char *find_wide(const char *from, const char *end, size_t unit)
{
    const char *at = from;
    if ((uintptr_t)from % unit == 0) {
        size_t before = -(uintptr_t)from % WORD;
        if (before < (size_t)(end - from)) {
            at = find_by_units(from, from + before, unit);
            if (at != from + before)
                return at;
            at = find_by_words(at, end, unit);
        }
    }
    return find_by_units(at, end, unit);
}

bool tide_text_find_end(const void *from, size_t size, size_t unit, size_t *end)
{
    if (size < unit) /* there may be no address at all */
        return false;
    const char *start = from;
    const char *limit = start + size / unit * unit;
    const char *found = NULL;
    if (unit == 1)
        found = memchr(start, '\0', size);
    else
        found = unit == 2 ? find_wide(start, limit, 2) : find_wide(start, limit, 4);
    if (found == NULL || found == limit)
        return false;
    *end = (size_t)(found - start);
    return true;
}
