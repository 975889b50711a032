/* SPDX-License-Identifier: Apache-2.0 */
/**
 * tide_span: a stretch of memory that was checked once.
 *
 * A span is a raw address and a length in bytes: a loop over it is a loop over an array, and runs
 * as fast as one.
 *
 *     tide_const_span span;
 *     tide_hold hold;
 *     const size_t size = count * sizeof(double), alignment = sizeof(double);
 *     if (tide_segment_const_span(&column, 0, size, alignment, &hold, &span) != TIDE_OK)
 *         return reject(tide_last_error_text());
 *     const double *values = span.address;
 *     for (size_t i = 0; i < count; i++)
 *         sum += values[i];
 *     if (tide_hold_release(&hold) != TIDE_OK)
 *         return -1;
 *
 * How long it is good, and what keeps it so:
 *
 *     | segment of           | the hold         | the span is good                                |
 *     |----------------------|------------------|-------------------------------------------------|
 *     | a confined arena     | may be NULL      | with it: until it is released; without: until   |
 *     |                      |                  | the owner's next call that could close the arena|
 *     | a shared or counted  | must be given    | until it is released                            |
 *     | arena                |                  |                                                 |
 *     | the global scope     | may be NULL      | for ever                                        |
 *
 * Whoever gives a place for a hold releases it, whatever the scope: closing the arena is BUSY
 * meanwhile (scope.h). What is written through a span is plain memory access, as by the program
 * itself.
 *
 * Threads: as the segment's scope allows: the owner's only, for a confined arena.
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
 * `size` bytes at `offset`, to be read and written, at an address that is a multiple of
 * `alignment`. In this order: INVALID_ARGUMENT (a NULL or zeroed segment, a NULL place for the
 * span, no place for a hold that must be given, an alignment that is no power of two up to 2^62);
 * READ_ONLY; OUT_OF_BOUNDS; MISALIGNED; WRONG_OWNER; CLOSED; EXHAUSTED, when no more holds can be
 * counted. A size of 0 is checked like any other. A refused call has taken no hold.
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
