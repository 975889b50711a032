/* SPDX-License-Identifier: Apache-2.0 */
#include "lifetime/check.h"

#include "base/checked.h"

tide_status tide_check_segment(const tide_segment *segment, const char *operation)
{
    if (segment != NULL && segment->cell_ != NULL)
        return TIDE_OK;
    return TIDE_ERROR_PLAIN(TIDE_INVALID_ARGUMENT, operation, TIDE_NO_OBJECT,
                            "no segment: NULL, or zeroed");
}

tide_status tide_check_place(const tide_segment *segment, const void *place, const char *operation)
{
    if (place != NULL)
        return TIDE_OK;
    return TIDE_ERROR_PLAIN(TIDE_INVALID_ARGUMENT, operation, tide_segment_object(segment),
                            "no place for the result: NULL");
}

tide_status tide_check_bytes(const tide_segment *segment, const void *bytes, size_t size,
                             const char *operation)
{
    if (bytes != NULL || size == 0)
        return TIDE_OK;
    return TIDE_ERROR(TIDE_INVALID_ARGUMENT, operation, tide_segment_object(segment),
                      " of %" PRIu64 " bytes: their address is NULL", size);
}

tide_status tide_check_struct_size(tide_object object, size_t size, size_t known,
                                   const char *operation)
{
    if (size == known)
        return TIDE_OK;
    return TIDE_ERROR(TIDE_INVALID_ARGUMENT, operation, object,
                      "a struct_size of %" PRIu64 ": this library knows %" PRIu64, size, known);
}

tide_status tide_check_size(tide_object object, size_t size, const char *operation)
{
    if (size <= PTRDIFF_MAX)
        return TIDE_OK;
    return TIDE_ERROR(TIDE_INVALID_ARGUMENT, operation, object,
                      "a size of %" PRIu64 " bytes: the largest is %" PRIu64, size,
                      (uint64_t)PTRDIFF_MAX);
}

tide_status tide_check_alignment(tide_object object, size_t alignment, const char *operation)
{
    if (tide_is_alignment(alignment))
        return TIDE_OK;
    return TIDE_ERROR(TIDE_INVALID_ARGUMENT, operation, object,
                      "an alignment of %" PRIu64 ": it must be a power of two up to 2^62",
                      alignment);
}

tide_status tide_check_writable(const tide_segment *segment, const char *operation)
{
    if ((segment->extent_ & TIDE_EXTENT_READ_ONLY) == 0)
        return TIDE_OK;
    return TIDE_ERROR(TIDE_READ_ONLY, operation, tide_segment_object(segment),
                      "the segment of %" PRIu64 " bytes is read-only, a writable one is wanted",
                      tide_extent_size_(segment->extent_));
}

tide_status tide_check_range(const tide_segment *segment, size_t offset, size_t size,
                             const char *operation)
{
    size_t extent = tide_extent_size_(segment->extent_);
    if (offset <= extent && size <= extent - offset)
        return TIDE_OK;
    return TIDE_ERROR(TIDE_OUT_OF_BOUNDS, operation, tide_segment_object(segment),
                      " of %" PRIu64 " bytes at %" PRIu64 " in a segment of %" PRIu64 " bytes",
                      size, offset, extent);
}

tide_status tide_check_aligned(const tide_segment *segment, size_t offset, size_t alignment,
                               const char *operation)
{
    uintptr_t address = (uintptr_t)segment->base_ + offset;
    if ((address & (alignment - 1)) == 0)
        return TIDE_OK;
    return TIDE_ERROR(TIDE_MISALIGNED, operation, tide_segment_object(segment),
                      " at %" PRIu64 ", which is the address 0x%" PRIx64
                      ": no multiple of %" PRIu64,
                      offset, (uint64_t)address, alignment);
}
