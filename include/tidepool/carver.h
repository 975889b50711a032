/* SPDX-License-Identifier: Apache-2.0 */
/**
 * tide_carver: allocation inside a segment.
 *
 * A slicing carver hands out one slice after the other, by a pointer that only grows; a prefix
 * carver hands out the same start again and again, for a scratch area that each request may
 * overwrite.
 *
 *     tide_carver carver;
 *     tide_segment name, list;
 *     if (tide_carver_slicing(&page, &carver) != TIDE_OK ||
 *         tide_carver_allocate(&carver, 20, 1, &name) != TIDE_OK ||
 *         tide_carver_allocate(&carver, 8 * count, 8, &list) != TIDE_OK)
 *         return reject(tide_last_error_text());   // TIDE_EXHAUSTED: the page is full
 *
 * A carver is a plain struct of the caller's, and copying it copies its position. It works on a
 * closed segment too: only access to what it hands out is checked. Nothing is cleared. (As JDK
 * SegmentAllocator.slicingAllocator and prefixAllocator.)
 *
 * Threads: any, one at a time for one carver.
 */
#ifndef TIDEPOOL_CARVER_H
#define TIDEPOOL_CARVER_H

#include "segment.h"

TIDE_BEGIN_DECLS

/** An allocator inside a segment. Its fields are read through functions. A zeroed one is none. */
typedef struct tide_carver {
    tide_segment base_; /* never read-only */
    size_t used_;       /* at most the size of base_; always 0 in a prefix carver */
    bool is_prefix_;
} tide_carver;

/** A carver that hands out successive slices of `segment`. INVALID_ARGUMENT for NULL or a zeroed
 *  segment; READ_ONLY. */
TIDE_API TIDE_MUST_USE tide_status tide_carver_slicing(const tide_segment *segment,
                                                       tide_carver *carver);

/** A carver that hands out the start of `segment`, each time. Statuses as above. */
TIDE_API TIDE_MUST_USE tide_status tide_carver_prefix(const tide_segment *segment,
                                                      tide_carver *carver);

/**
 * A slice of `size` bytes whose address is a multiple of `alignment`. A slicing carver skips bytes
 * to get there; a prefix carver can't. In this order: INVALID_ARGUMENT (NULL, a zeroed carver, a
 * size above PTRDIFF_MAX, an alignment that is no power of two up to 2^62); EXHAUSTED: what is left
 * doesn't hold it; MISALIGNED: the start of a prefix carver's segment is no such address. A refused
 * call leaves the position where it was.
 */
TIDE_API TIDE_MUST_USE tide_status tide_carver_allocate(tide_carver *carver, size_t size,
                                                        size_t alignment, tide_segment *segment);

/** Bytes handed out so far, with the skipped ones: where a slicing carver goes on. 0 for a prefix
 *  carver, and for NULL. */
TIDE_API size_t tide_carver_used(const tide_carver *carver);

TIDE_END_DECLS

#endif
