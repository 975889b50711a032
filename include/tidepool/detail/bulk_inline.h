/* SPDX-License-Identifier: Apache-2.0 */
/* The fast path of bulk.h: the checks that nearly always pass, then the C library. What fails them
 * goes to the slow form, which looks again in the order of the contract and does the work itself
 * where it may: in a read section, for scopes that several threads use. */
#ifndef TIDEPOOL_DETAIL_BULK_INLINE_H
#define TIDEPOOL_DETAIL_BULK_INLINE_H

#include <string.h>

#include "../bytes.h"
#include "check_inline.h"

TIDE_BEGIN_DECLS

TIDE_API TIDE_SLOW tide_status tide_segment_read_slow_(const tide_segment *segment, size_t offset,
                                                       void *to, size_t size);
TIDE_API TIDE_SLOW tide_status tide_segment_write_slow_(const tide_segment *segment, size_t offset,
                                                        const void *from, size_t size);
TIDE_API TIDE_SLOW tide_status tide_segment_fill_slow_(const tide_segment *segment, uint8_t value);
TIDE_API TIDE_SLOW tide_status tide_segment_copy_slow_(const tide_segment *source,
                                                       size_t source_offset,
                                                       const tide_segment *target,
                                                       size_t target_offset, size_t size);
TIDE_API TIDE_SLOW tide_status tide_segment_mismatch_slow_(const tide_segment *a, size_t a_from,
                                                           size_t a_to, const tide_segment *b,
                                                           size_t b_from, size_t b_to,
                                                           int64_t *difference);

/* Up to so many bytes, equal ranges are told by one call of memcmp. */
#define TIDE_MISMATCH_ONCE_ 4096u

/* Non-empty, inside the segment, and the segment is the caller's and alive. */
TIDE_HELPER bool tide_range_is_good_(const tide_segment *segment, size_t offset, size_t size,
                                     bool write)
{
    if (segment == NULL)
        return false;
    uint64_t extent = segment->extent_;
    if (write && (extent & TIDE_EXTENT_READ_ONLY) != 0)
        return false;
    extent = tide_extent_size_(extent);
    return size - 1 < extent && offset <= extent - size &&
           tide_session_(segment, tide_thread_self_());
}

TIDE_INLINE tide_status tide_segment_read(const tide_segment *segment, size_t offset, void *to,
                                          size_t size)
{
    if (TIDE_UNLIKELY(to == NULL || !tide_range_is_good_(segment, offset, size, false)))
        return tide_segment_read_slow_(segment, offset, to, size);
    memmove(to, segment->base_ + offset, size);
    return TIDE_OK;
}

TIDE_INLINE tide_status tide_segment_write(const tide_segment *segment, size_t offset,
                                           const void *from, size_t size)
{
    if (TIDE_UNLIKELY(from == NULL || !tide_range_is_good_(segment, offset, size, true)))
        return tide_segment_write_slow_(segment, offset, from, size);
    memmove(segment->base_ + offset, from, size);
    return TIDE_OK;
}

TIDE_INLINE tide_status tide_segment_fill(const tide_segment *segment, uint8_t value)
{
    if (TIDE_UNLIKELY(segment == NULL ||
                      !tide_range_is_good_(segment, 0, tide_extent_size_(segment->extent_), true)))
        return tide_segment_fill_slow_(segment, value);
    memset(segment->base_, value, tide_extent_size_(segment->extent_));
    return TIDE_OK;
}

TIDE_INLINE tide_status tide_segment_copy(const tide_segment *source, size_t source_offset,
                                          const tide_segment *target, size_t target_offset,
                                          size_t size)
{
    if (TIDE_UNLIKELY(!tide_range_is_good_(source, source_offset, size, false) ||
                      !tide_range_is_good_(target, target_offset, size, true)))
        return tide_segment_copy_slow_(source, source_offset, target, target_offset, size);
    memmove(target->base_ + target_offset, source->base_ + source_offset, size);
    return TIDE_OK;
}

TIDE_INLINE tide_status tide_segment_mismatch(const tide_segment *a, size_t a_from, size_t a_to,
                                              const tide_segment *b, size_t b_from, size_t b_to,
                                              int64_t *difference)
{
    size_t size = a_to - a_from;
    if (TIDE_UNLIKELY(difference == NULL || a_to < a_from || b_to < b_from ||
                      size != b_to - b_from || !tide_range_is_good_(a, a_from, size, false) ||
                      !tide_range_is_good_(b, b_from, size, false)))
        return tide_segment_mismatch_slow_(a, a_from, a_to, b, b_from, b_to, difference);
    const char *a_start = a->base_ + a_from;
    const char *b_start = b->base_ + b_from;
    if (size <= TIDE_MISMATCH_ONCE_ && memcmp(a_start, b_start, size) == 0) {
        *difference = -1;
        return TIDE_OK;
    }
    size_t same = tide_bytes_mismatch(a_start, b_start, size);
    *difference = same == size ? -1 : (int64_t)same;
    return TIDE_OK;
}

TIDE_END_DECLS

#endif
