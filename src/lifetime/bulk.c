/* SPDX-License-Identifier: Apache-2.0 */
/* The slow path of bulk access: the checks in the order of the contract, then the work. */
#include <tidepool/bulk.h>

#include "base/error.h"
#include "lifetime/grace.h"
#include "lifetime/segment.h"
#include <tidepool/bytes.h>

static tide_status check_segment(const tide_segment *segment, const char *operation)
{
    if (segment != NULL && segment->cell_ != NULL)
        return TIDE_OK;
    return TIDE_ERROR_PLAIN(TIDE_INVALID_ARGUMENT, operation, TIDE_NO_OBJECT,
                            "no segment: NULL, or zeroed");
}

static tide_status check_bytes(const tide_segment *segment, const void *bytes, size_t size,
                               const char *operation)
{
    if (bytes != NULL || size == 0)
        return TIDE_OK;
    return TIDE_ERROR(TIDE_INVALID_ARGUMENT, operation, tide_segment_object(segment),
                      " of %" PRIu64 " bytes: their address is NULL", size);
}

static tide_status check_writable(const tide_segment *segment, const char *operation)
{
    if ((segment->extent_ & TIDE_EXTENT_READ_ONLY) == 0)
        return TIDE_OK;
    return TIDE_ERROR_PLAIN(TIDE_READ_ONLY, operation, tide_segment_object(segment),
                            "a read-only segment");
}

static tide_status check_range(const tide_segment *segment, size_t offset, size_t size,
                               const char *operation)
{
    size_t extent = tide_extent_size_(segment->extent_);
    if (offset <= extent && size <= extent - offset)
        return TIDE_OK;
    return TIDE_ERROR(TIDE_OUT_OF_BOUNDS, operation, tide_segment_object(segment),
                      " of %" PRIu64 " bytes at %" PRIu64 " in a segment of %" PRIu64 " bytes",
                      size, offset, extent);
}

/* The sections of an operation on two segments, the second inside the first. */
typedef struct tide_section_pair {
    tide_section first;
    tide_section second;
} tide_section_pair;

static tide_status open_both(const tide_segment *first, const tide_segment *second,
                             const char *operation, tide_section_pair *pair)
{
    tide_status status = tide_section_open(first, operation, &pair->first);
    if (status != TIDE_OK || tide_section_try(second, &pair->second))
        return status;
    tide_section_close(&pair->first);
    return tide_section_refuse(second, operation);
}

static void close_both(const tide_section_pair *pair)
{
    tide_section_close(&pair->second);
    tide_section_close(&pair->first);
}

/* The first refusal of a list, evaluated in order. */
#define TRY(check)                     \
    do {                               \
        tide_status refusal = (check); \
        if (refusal != TIDE_OK)        \
            return refusal;            \
    } while (0)

tide_status tide_segment_read_slow_(const tide_segment *segment, size_t offset, void *to,
                                    size_t size)
{
    TRY(check_segment(segment, "read"));
    TRY(check_bytes(segment, to, size, "read"));
    TRY(check_range(segment, offset, size, "read"));
    tide_section section;
    TRY(tide_section_open(segment, "read", &section));
    if (size != 0)
        memmove(to, segment->base_ + offset, size);
    tide_section_close(&section);
    return TIDE_OK;
}

tide_status tide_segment_write_slow_(const tide_segment *segment, size_t offset, const void *from,
                                     size_t size)
{
    TRY(check_segment(segment, "write"));
    TRY(check_bytes(segment, from, size, "write"));
    TRY(check_writable(segment, "write"));
    TRY(check_range(segment, offset, size, "write"));
    tide_section section;
    TRY(tide_section_open(segment, "write", &section));
    if (size != 0)
        memmove(segment->base_ + offset, from, size);
    tide_section_close(&section);
    return TIDE_OK;
}

tide_status tide_segment_fill_slow_(const tide_segment *segment, uint8_t value)
{
    TRY(check_segment(segment, "fill"));
    TRY(check_writable(segment, "fill"));
    tide_section section;
    TRY(tide_section_open(segment, "fill", &section));
    size_t size = tide_extent_size_(segment->extent_);
    if (size != 0)
        memset(segment->base_, value, size);
    tide_section_close(&section);
    return TIDE_OK;
}

tide_status tide_segment_copy_slow_(const tide_segment *source, size_t source_offset,
                                    const tide_segment *target, size_t target_offset, size_t size)
{
    TRY(check_segment(source, "copy"));
    TRY(check_segment(target, "copy"));
    TRY(check_range(source, source_offset, size, "copy"));
    TRY(check_writable(target, "copy"));
    TRY(check_range(target, target_offset, size, "copy"));
    tide_section_pair sections;
    TRY(open_both(source, target, "copy", &sections));
    if (size != 0)
        memmove(target->base_ + target_offset, source->base_ + source_offset, size);
    close_both(&sections);
    return TIDE_OK;
}

static tide_status check_between(const tide_segment *segment, size_t from, size_t to)
{
    if (from > to)
        return TIDE_ERROR(TIDE_OUT_OF_BOUNDS, "mismatch", tide_segment_object(segment),
                          "a range from %" PRIu64 " to %" PRIu64 " in a segment of %" PRIu64
                          " bytes",
                          from, to, tide_extent_size_(segment->extent_));
    return check_range(segment, from, to - from, "mismatch");
}

tide_status tide_segment_mismatch_slow_(const tide_segment *a, size_t a_from, size_t a_to,
                                        const tide_segment *b, size_t b_from, size_t b_to,
                                        int64_t *difference)
{
    TRY(check_segment(a, "mismatch"));
    TRY(check_segment(b, "mismatch"));
    TRY(check_bytes(a, difference, 1, "mismatch"));
    TRY(check_between(a, a_from, a_to));
    TRY(check_between(b, b_from, b_to));
    tide_section_pair sections;
    TRY(open_both(a, b, "mismatch", &sections));
    size_t a_size = a_to - a_from;
    size_t b_size = b_to - b_from;
    size_t shorter = a_size < b_size ? a_size : b_size;
    size_t same = 0;
    if (shorter != 0)
        same = tide_bytes_mismatch(a->base_ + a_from, b->base_ + b_from, shorter);
    close_both(&sections);
    *difference = same == shorter && a_size == b_size ? -1 : (int64_t)same;
    return TIDE_OK;
}
