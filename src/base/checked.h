/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic that notices. Each returns whether the result fits; if not, `*result` is untouched. */
#ifndef TIDEPOOL_BASE_CHECKED_H
#define TIDEPOOL_BASE_CHECKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool tide_checked_add(size_t a, size_t b, size_t *result)
{
    size_t sum;
    if (__builtin_add_overflow(a, b, &sum))
        return false;
    *result = sum;
    return true;
}

static inline bool tide_checked_multiply(size_t a, size_t b, size_t *result)
{
    size_t product;
    if (__builtin_mul_overflow(a, b, &product))
        return false;
    *result = product;
    return true;
}

/* A power of two up to 2^62. */
static inline bool tide_is_alignment(size_t alignment)
{
    return alignment != 0 && (alignment & (alignment - 1)) == 0 && alignment <= (size_t)1 << 62;
}

#endif
