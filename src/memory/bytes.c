/* SPDX-License-Identifier: Apache-2.0 */
#include <tidepool/bytes.h>

/* So much is compared at a time: enough for the C library's speed, and little to look at again when
 * it differs. */
#define BLOCK_BYTES 16384u

/* No more than this is looked through word by word. */
#define SHORT_BYTES 128u

static size_t first_different_byte(uint64_t difference)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return (size_t)__builtin_ctzll(difference) / 8;
#else
    return (size_t)__builtin_clzll(difference) / 8;
#endif
}

/* Where two ranges of `size` bytes, which do differ, first do. */
static size_t first_difference(const char *a, const char *b, size_t size)
{
    size_t offset = 0;
    while (size - offset > SHORT_BYTES) { /* the first difference is within [offset, size) */
        size_t half = (size - offset) / 2;
        if (memcmp(a + offset, b + offset, half) == 0)
            offset += half;
        else
            size = offset + half;
    }
    for (; size - offset >= sizeof(uint64_t); offset += sizeof(uint64_t)) {
        uint64_t difference = tide_bytes_get_u64(a + offset, TIDE_NATIVE_ENDIAN) ^
                              tide_bytes_get_u64(b + offset, TIDE_NATIVE_ENDIAN);
        if (difference != 0)
            return offset + first_different_byte(difference);
    }
    while (a[offset] == b[offset])
        offset++;
    return offset;
}

size_t tide_bytes_mismatch(const void *a, const void *b, size_t size)
{
    const char *left = a;
    const char *right = b;
    for (size_t equal = 0; equal < size; equal += BLOCK_BYTES) {
        size_t block = size - equal < BLOCK_BYTES ? size - equal : BLOCK_BYTES;
        if (memcmp(left + equal, right + equal, block) != 0)
            return equal + first_difference(left + equal, right + equal, block);
    }
    return size;
}

void tide_bytes_wipe(void *address, int value, size_t size)
{
    if (size != 0)
        memset(address, value, size);
    /* Somebody might look: the compiler can't know that nobody does. */
    __asm__ volatile("" : : "r"(address) : "memory");
}
