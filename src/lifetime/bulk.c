/* SPDX-License-Identifier: Apache-2.0 */
/* The slow path of bulk access: the checks in the order of the contract, then the work. */
#include <tidepool/bulk.h>

#include "lifetime/check.h"
#include "lifetime/grace.h"
#include <tidepool/bytes.h>

tide_status tide_segment_read_slow_(const tide_segment *segment, size_t offset, void *to,
                                    size_t size)
{
    TIDE_TRY(tide_check_segment(segment, "read"));
    TIDE_TRY(tide_check_bytes(segment, to, size, "read"));
    TIDE_TRY(tide_check_range(segment, offset, size, "read"));
    tide_section section;
    TIDE_TRY(tide_section_open(segment, "read", &section));
    if (size != 0)
        memmove(to, segment->base_ + offset, size);
    tide_section_close(&section);
    return TIDE_OK;
}

tide_status tide_segment_write_slow_(const tide_segment *segment, size_t offset, const void *from,
                                     size_t size)
{
    TIDE_TRY(tide_check_segment(segment, "write"));
    TIDE_TRY(tide_check_bytes(segment, from, size, "write"));
    TIDE_TRY(tide_check_writable(segment, "write"));
    TIDE_TRY(tide_check_range(segment, offset, size, "write"));
    tide_section section;
    TIDE_TRY(tide_section_open(segment, "write", &section));
    if (size != 0)
        memmove(segment->base_ + offset, from, size);
    tide_section_close(&section);
    return TIDE_OK;
}

tide_status tide_segment_fill_slow_(const tide_segment *segment, uint8_t value)
{
    TIDE_TRY(tide_check_segment(segment, "fill"));
    TIDE_TRY(tide_check_writable(segment, "fill"));
    tide_section section;
    TIDE_TRY(tide_section_open(segment, "fill", &section));
    size_t size = tide_extent_size_(segment->extent_);
    if (size != 0)
        memset(segment->base_, value, size);
    tide_section_close(&section);
    return TIDE_OK;
}

tide_status tide_segment_copy_slow_(const tide_segment *source, size_t source_offset,
                                    const tide_segment *target, size_t target_offset, size_t size)
{
    TIDE_TRY(tide_check_segment(source, "copy"));
    TIDE_TRY(tide_check_segment(target, "copy"));
    TIDE_TRY(tide_check_range(source, source_offset, size, "copy"));
    TIDE_TRY(tide_check_writable(target, "copy"));
    TIDE_TRY(tide_check_range(target, target_offset, size, "copy"));
    tide_section_pair sections;
    TIDE_TRY(tide_section_open_both(source, target, "copy", &sections));
    if (size != 0)
        memmove(target->base_ + target_offset, source->base_ + source_offset, size);
    tide_section_close_both(&sections);
    return TIDE_OK;
}

static tide_status check_between(const tide_segment *segment, size_t from, size_t to)
{
    if (from > to)
        return TIDE_ERROR(TIDE_OUT_OF_BOUNDS, "mismatch", tide_segment_object(segment),
                          "a range from %" PRIu64 " to %" PRIu64 " in a segment of %" PRIu64
                          " bytes",
                          from, to, tide_extent_size_(segment->extent_));
    return tide_check_range(segment, from, to - from, "mismatch");
}

tide_status tide_segment_mismatch_slow_(const tide_segment *a, size_t a_from, size_t a_to,
                                        const tide_segment *b, size_t b_from, size_t b_to,
                                        int64_t *difference)
{
    TIDE_TRY(tide_check_segment(a, "mismatch"));
    TIDE_TRY(tide_check_segment(b, "mismatch"));
    TIDE_TRY(tide_check_bytes(a, difference, 1, "mismatch"));
    TIDE_TRY(check_between(a, a_from, a_to));
    TIDE_TRY(check_between(b, b_from, b_to));
    tide_section_pair sections;
    TIDE_TRY(tide_section_open_both(a, b, "mismatch", &sections));
    size_t a_size = a_to - a_from;
    size_t b_size = b_to - b_from;
    size_t shorter = a_size < b_size ? a_size : b_size;
    size_t same = 0;
    if (shorter != 0)
        same = tide_bytes_mismatch(a->base_ + a_from, b->base_ + b_from, shorter);
    tide_section_close_both(&sections);
    *difference = same == shorter && a_size == b_size ? -1 : (int64_t)same;
    return TIDE_OK;
}
