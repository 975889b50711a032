/* SPDX-License-Identifier: Apache-2.0 */
/* Loops that a compiler makes vectors of: over ranges that are disjoint, or the same. */
#include "memory/swap.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define DEFINE_SWAP(bits)                                                                      \
    static void copy_swapped_##bits(char *restrict to, const char *restrict from, size_t size) \
    {                                                                                          \
        for (size_t i = 0; i < size; i += sizeof(uint##bits##_t)) {                            \
            uint##bits##_t element;                                                            \
            memcpy(&element, from + i, sizeof element);                                        \
            element = __builtin_bswap##bits(element);                                          \
            memcpy(to + i, &element, sizeof element);                                          \
        }                                                                                      \
    }                                                                                          \
    static void swap_in_place_##bits(char *bytes, size_t size)                                 \
    {                                                                                          \
        for (size_t i = 0; i < size; i += sizeof(uint##bits##_t)) {                            \
            uint##bits##_t element;                                                            \
            memcpy(&element, bytes + i, sizeof element);                                       \
            element = __builtin_bswap##bits(element);                                          \
            memcpy(bytes + i, &element, sizeof element);                                       \
        }                                                                                      \
    }
DEFINE_SWAP(16)
DEFINE_SWAP(32)
DEFINE_SWAP(64)

static void copy_swapped(char *to, const char *from, size_t size, size_t element_size)
{
    switch (element_size) {
    case 2:
        copy_swapped_16(to, from, size);
        break;
    case 4:
        copy_swapped_32(to, from, size);
        break;
    default:
        copy_swapped_64(to, from, size);
        break;
    }
}

static void swap_in_place(char *bytes, size_t size, size_t element_size)
{
    switch (element_size) {
    case 2:
        swap_in_place_16(bytes, size);
        break;
    case 4:
        swap_in_place_32(bytes, size);
        break;
    default:
        swap_in_place_64(bytes, size);
        break;
    }
}

static bool overlap(const void *a, const void *b, size_t size)
{
    return (uintptr_t)a - (uintptr_t)b < size || (uintptr_t)b - (uintptr_t)a < size;
}

void tide_bytes_copy_swapped(void *to, const void *from, size_t size, size_t element_size)
{
    if (size == 0)
        return;
    if (element_size > 1 && !overlap(to, from, size)) {
        copy_swapped(to, from, size, element_size);
        return;
    }
    if (to != from)
        memmove(to, from, size);
    if (element_size > 1)
        swap_in_place(to, size, element_size);
}
