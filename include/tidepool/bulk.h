/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Bulk operations: many bytes behind one check.
 *
 * Each call checks once and then runs at the C library's speed. A call that fails has written
 * nothing. Zero lengths are checked like any other.
 *
 *     if (tide_segment_write(&record, 0, name, name_length) != TIDE_OK ||
 *         tide_segment_copy(&record, 0, &page, slot * 64, 64) != TIDE_OK)
 *         return -1;
 *
 * A length, offset or range that is above PTRDIFF_MAX, or whose sum overflows, is OUT_OF_BOUNDS. A
 * NULL or zeroed segment, and NULL bytes with a size above 0, are INVALID_ARGUMENT before all else.
 *
 * Threads: as the segments' scopes allow.
 */
#ifndef TIDEPOOL_BULK_H
#define TIDEPOOL_BULK_H

#include "bytes.h"
#include "segment.h"

TIDE_BEGIN_DECLS

struct tide_arena;

/** Copies `size` bytes at `offset` out to `to`. OUT_OF_BOUNDS → WRONG_OWNER → CLOSED. */
TIDE_INLINE TIDE_MUST_USE tide_status tide_segment_read(const tide_segment *segment, size_t offset,
                                                        void *to, size_t size);

/** Copies `size` bytes from `from` in at `offset`. READ_ONLY → OUT_OF_BOUNDS → WRONG_OWNER →
 *  CLOSED. */
TIDE_INLINE TIDE_MUST_USE tide_status tide_segment_write(const tide_segment *segment, size_t offset,
                                                         const void *from, size_t size);

/** Sets every byte of the segment. READ_ONLY → WRONG_OWNER → CLOSED, for an empty one too. */
TIDE_INLINE TIDE_MUST_USE tide_status tide_segment_fill(const tide_segment *segment, uint8_t value);

/**
 * Copies `size` bytes as if through a temporary, overlapping or not. The source's OUT_OF_BOUNDS →
 * the target's READ_ONLY → its OUT_OF_BOUNDS → the source's WRONG_OWNER, CLOSED → the target's.
 */
TIDE_INLINE TIDE_MUST_USE tide_status tide_segment_copy(const tide_segment *source,
                                                        size_t source_offset,
                                                        const tide_segment *target,
                                                        size_t target_offset, size_t size);

/**
 * Where bytes [a_from, a_to) of `a` and [b_from, b_to) of `b` first differ, as an offset from the
 * starts of the ranges: the shorter length when one is a prefix of the other, -1 when they are
 * equal. OUT_OF_BOUNDS of a, then of b (from > to is too) → WRONG_OWNER, CLOSED of a, then of b.
 */
TIDE_INLINE TIDE_MUST_USE tide_status tide_segment_mismatch(const tide_segment *a, size_t a_from,
                                                            size_t a_to, const tide_segment *b,
                                                            size_t b_from, size_t b_to,
                                                            int64_t *difference);

/*
 * Elements: scalars of 1, 2, 4 or 8 bytes, one behind the other, in the byte order that their
 * layout says (bytes.h) and, unless it says TIDE_UNALIGNED, at an address that is a multiple of
 * their size. An element size or a layout that is none is INVALID_ARGUMENT before all else.
 */

/**
 * Copies `count` elements as if through a temporary, overlapping or not, and swaps the bytes of
 * each when the byte orders of the two layouts differ. In this order: INVALID_ARGUMENT;
 * OUT_OF_BOUNDS for a count above PTRDIFF_MAX; INVALID_ARGUMENT when the two element sizes differ;
 * the source's MISALIGNED → the target's MISALIGNED → the source's OUT_OF_BOUNDS, also when count ×
 * size overflows → the target's READ_ONLY → its OUT_OF_BOUNDS → the source's WRONG_OWNER, CLOSED →
 * the target's. (As JDK MemorySegment.copy with element layouts.)
 */
TIDE_API TIDE_MUST_USE tide_status tide_segment_copy_elements(
    const tide_segment *source, tide_layout source_layout, size_t source_element_size,
    size_t source_offset, const tide_segment *target, tide_layout target_layout,
    size_t target_element_size, size_t target_offset, size_t count);

/**
 * How many elements the segment is: element i is its slice at i × element_size. In this order:
 * INVALID_ARGUMENT (a NULL place for the count too); MISALIGNED; INVALID_ARGUMENT when the
 * segment's size is no multiple of the element's. Any thread, closed too. (As JDK
 * MemorySegment.elements.)
 */
TIDE_API TIDE_MUST_USE tide_status tide_segment_elements(const tide_segment *segment,
                                                         tide_layout layout, size_t element_size,
                                                         size_t *count);

/**
 * Copies the whole segment to an array of elements in native order at `to`, which has room for
 * `capacity` of them. `count` gets how many they are, and may be NULL. In this order:
 * INVALID_ARGUMENT (a NULL `to` with a capacity above 0 too), and when the segment's size is no
 * multiple of the element's; MISALIGNED; WRONG_OWNER; CLOSED, for an empty segment too; EXHAUSTED,
 * with both numbers in the text, when `capacity` is too small. (As JDK MemorySegment.toArray.)
 */
TIDE_API TIDE_MUST_USE tide_status tide_segment_to_array(const tide_segment *segment,
                                                         tide_layout layout, size_t element_size,
                                                         void *to, size_t capacity, size_t *count);

/**
 * A segment of the arena that holds `count` elements, given in native order, in the order of
 * `layout`; aligned to the element whatever the layout says. In this order: INVALID_ARGUMENT (NULL
 * elements with a count above 0, count × size above PTRDIFF_MAX, a NULL place for the segment, an
 * arena that is none); WRONG_OWNER, CLOSED of the arena; OUT_OF_MEMORY. tide_shared_array() of
 * shared.h is the same for the other arenas. (As JDK SegmentAllocator.allocateFrom.)
 */
TIDE_API TIDE_MUST_USE tide_status tide_arena_array(struct tide_arena *arena, tide_layout layout,
                                                    size_t element_size, const void *elements,
                                                    size_t count, tide_segment *segment);

TIDE_END_DECLS

#ifndef TIDE_NO_INLINE
#include "detail/bulk_inline.h"
#endif

#endif
