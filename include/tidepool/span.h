/* SPDX-License-Identifier: Apache-2.0 */
/**
 * tide_span: a stretch of memory that was checked once.
 *
 * A span is a raw address and a length in elements: a loop over it is a loop over an array, and runs
 * as fast as one.
 *
 *     tide_span span;
 *     if (tide_segment_span(&column, 0, count * sizeof(double), sizeof(double), &hold, &span) != TIDE_OK)
 *         return reject(tide_last_error_text());
 *     const double *values = span.address;
 *     for (size_t i = 0; i < count; i++)
 *         sum += values[i];
 *     if (tide_hold_release(&hold) != TIDE_OK)
 *         return -1;
 *
 * How long it is good: one of a confined arena until the owner's next call that could close the arena;
 * one of a shared or counted arena while the hold that the call took lasts; one of the global scope for
 * ever.
 *
 * Threads: as the segment's scope allows.
 */
#ifndef TIDEPOOL_SPAN_H
#define TIDEPOOL_SPAN_H

#include "segment.h"

TIDE_BEGIN_DECLS

/** Raw memory. */
typedef struct tide_span {
    void *address;
    size_t size; /**< bytes */
} tide_span;

/** The same, not to be written. */
typedef struct tide_const_span {
    const void *address;
    size_t size; /**< bytes */
} tide_const_span;

/**
 * `size` bytes at `offset`, to be read and written, and a hold on the segment's scope, which the
 * caller releases. `hold` may be NULL when the scope is confined or global; for a shared or counted
 * one that is INVALID_ARGUMENT. In this order: INVALID_ARGUMENT (`alignment` is no power of two up to
 * 2^62); READ_ONLY; OUT_OF_BOUNDS; MISALIGNED; WRONG_OWNER; CLOSED; EXHAUSTED, when no more holds
 * can be counted.
 */
TIDE_API TIDE_MUST_USE tide_status tide_segment_span(const tide_segment *segment, size_t offset,
                                                     size_t size, size_t alignment, tide_hold *hold,
                                                     tide_span *span);

/** The same to read only: statuses as above but for READ_ONLY. */
TIDE_API TIDE_MUST_USE tide_status tide_segment_const_span(const tide_segment *segment,
                                                           size_t offset, size_t size,
                                                           size_t alignment, tide_hold *hold,
                                                           tide_const_span *span);

TIDE_END_DECLS

#endif
