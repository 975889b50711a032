/* SPDX-License-Identifier: Apache-2.0 */
#include <tidepool/bytes.h>

/* So much is compared at a time: enough for the C library's speed, and little to look at again when
 * it differs. */
#define BLOCK_BYTES 16384u
#define WORDS_BYTES 64u

/* Where two ranges of at most WORDS_BYTES, which do differ, first do. */
static size_t first_difference(const char *a, const char *b)
{
    size_t offset = 0;
    while (a[offset] == b[offset])
        offset++;
    return offset;
}

size_t tide_bytes_mismatch(const void *a, const void *b, size_t size)
{
    const char *left = a;
    const char *right = b;
    size_t equal = 0;
    size_t block = 0; /* of the bytes behind the equal ones */
    while (equal < size) {
        block = size - equal < BLOCK_BYTES ? size - equal : BLOCK_BYTES;
        if (memcmp(left + equal, right + equal, block) != 0)
            break;
        equal += block;
    }
    if (equal == size)
        return size;
    /* The block differs: halve it until what is left is quickly looked through. */
    while (block > WORDS_BYTES) {
        size_t half = block / 2;
        if (memcmp(left + equal, right + equal, half) == 0) {
            equal += half;
            block -= half;
        } else {
            block = half;
        }
    }
    return equal + first_difference(left + equal, right + equal);
}

void tide_bytes_wipe(void *address, int value, size_t size)
{
    if (size != 0)
        memset(address, value, size);
    /* Somebody might look: the compiler can't know that nobody does. */
    __asm__ volatile("" : : "r"(address) : "memory");
}
