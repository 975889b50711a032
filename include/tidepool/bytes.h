/* SPDX-License-Identifier: Apache-2.0 */
/**
 * tide_layout: how a scalar lies in memory, and the bytes under the checks.
 *
 * A layout is a byte order and whether the address must be aligned to the type. It is a set of
 * flags; with a constant layout everything here compiles to one or two instructions.
 *
 *     uint32_t length = tide_bytes_get_u32(packet + 2, TIDE_BIG_ENDIAN);
 *     tide_bytes_put_u16(packet, TIDE_BIG_ENDIAN, 80);
 *
 * These functions check nothing and take any address: they are the floor on which the checked
 * access of access.h stands, and the right tool behind a check made once.
 *
 * Threads: plain memory accesses, as by the program itself.
 */
#ifndef TIDEPOOL_BYTES_H
#define TIDEPOOL_BYTES_H

#include <string.h>

#include "detail/platform.h"

TIDE_BEGIN_DECLS

/** A set of the flags below. */
typedef unsigned tide_layout;

#define TIDE_NATIVE_ENDIAN 0u /**< the machine's own byte order; the default */
#define TIDE_LITTLE_ENDIAN 1u /**< least significant byte first */
#define TIDE_BIG_ENDIAN    2u /**< most significant byte first */
#define TIDE_UNALIGNED     4u /**< any address will do; else natural alignment is demanded */

/** Whether `layout` is a set of these flags with at most one byte order. */
TIDE_HELPER bool tide_layout_is_valid(tide_layout layout)
{
    return layout <= (TIDE_UNALIGNED | TIDE_BIG_ENDIAN) && (layout & 3u) != 3u;
}

/** Whether a scalar in `layout` must be byte-swapped on this machine. */
TIDE_HELPER bool tide_layout_swaps(tide_layout layout)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return (layout & TIDE_BIG_ENDIAN) != 0;
#else
    return (layout & TIDE_LITTLE_ENDIAN) != 0;
#endif
}

#define TIDE_BYTES_ACCESS_(bits)                                                               \
    TIDE_HELPER uint##bits##_t tide_bytes_get_u##bits(const void *address, tide_layout layout) \
    {                                                                                          \
        uint##bits##_t value;                                                                  \
        memcpy(&value, address, sizeof value);                                                 \
        return tide_layout_swaps(layout) ? __builtin_bswap##bits(value) : value;               \
    }                                                                                          \
    TIDE_HELPER void tide_bytes_put_u##bits(void *address, tide_layout layout,                 \
                                            uint##bits##_t value)                              \
    {                                                                                          \
        if (tide_layout_swaps(layout))                                                         \
            value = __builtin_bswap##bits(value);                                              \
        memcpy(address, &value, sizeof value);                                                 \
    }

/** tide_bytes_get_u16, _u32, _u64 and tide_bytes_put_u16, _u32, _u64: any address, any order. */
TIDE_BYTES_ACCESS_(16)
TIDE_BYTES_ACCESS_(32)
TIDE_BYTES_ACCESS_(64)

/**
 * Where two ranges of `size` bytes first differ: the offset, or `size` when they are equal. Runs at
 * the speed of memcmp.
 */
TIDE_API size_t tide_bytes_mismatch(const void *a, const void *b, size_t size);

/**
 * Fills `size` bytes with `value` in a way that the compiler cannot drop, for memory that is about
 * to be given away.
 */
TIDE_API void tide_bytes_wipe(void *address, int value, size_t size);

TIDE_END_DECLS

#endif
