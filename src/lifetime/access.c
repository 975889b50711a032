/* SPDX-License-Identifier: Apache-2.0 */
/* The slow path of scalar access: says what is wrong, in the order of the contract. */
#include <tidepool/access.h>

#include "base/error.h"
#include "lifetime/cells.h"
#include "lifetime/segment.h"
#include <tidepool/detail/check_inline.h>

typedef struct access {
    size_t size;
    tide_layout layout;
    bool writes;
    bool by_index;
    const char *operation;
} access;

static access decode(unsigned word)
{
    bool writes = (word & TIDE_ACCESS_WRITE_) != 0;
    return (access){word & 0xff, (word >> 8) & 0xff, writes, (word & TIDE_ACCESS_INDEX_) != 0,
                    writes ? "write" : "read"};
}

static tide_status check_arguments(const tide_segment *segment, const access *wanted,
                                   const void *value)
{
    if (segment == NULL || segment->cell_ == NULL)
        return TIDE_ERROR_PLAIN(TIDE_INVALID_ARGUMENT, wanted->operation, TIDE_NO_OBJECT,
                                "no segment: NULL, or zeroed");
    if (!tide_layout_is_valid(wanted->layout))
        return TIDE_ERROR(TIDE_INVALID_ARGUMENT, wanted->operation, tide_segment_object(segment),
                          "no such layout: %" PRIu64, (uint64_t)wanted->layout);
    if (value == NULL)
        return TIDE_ERROR_PLAIN(TIDE_INVALID_ARGUMENT, wanted->operation,
                                tide_segment_object(segment), "no place for the value: NULL");
    return TIDE_OK;
}

static tide_status check_bounds(const tide_segment *segment, size_t position, const access *wanted)
{
    size_t extent = tide_extent_size_(segment->extent_);
    if (wanted->by_index && position >= extent / wanted->size)
        return TIDE_ERROR(TIDE_OUT_OF_BOUNDS, wanted->operation, tide_segment_object(segment),
                          " of %" PRIu64 " bytes at index %" PRIu64 " in a segment of %" PRIu64
                          " bytes",
                          wanted->size, position, extent);
    if (!wanted->by_index && (extent < wanted->size || position > extent - wanted->size))
        return TIDE_ERROR(TIDE_OUT_OF_BOUNDS, wanted->operation, tide_segment_object(segment),
                          " of %" PRIu64 " bytes at %" PRIu64 " in a segment of %" PRIu64 " bytes",
                          wanted->size, position, extent);
    return TIDE_OK;
}

static tide_status check_alignment(const tide_segment *segment, size_t position,
                                   const access *wanted)
{
    size_t offset = wanted->by_index ? position * wanted->size : position;
    uintptr_t address = (uintptr_t)segment->base_ + offset;
    if ((wanted->layout & TIDE_UNALIGNED) != 0 || (address & (wanted->size - 1)) == 0)
        return TIDE_OK;
    return TIDE_ERROR(TIDE_MISALIGNED, wanted->operation, tide_segment_object(segment),
                      " of %" PRIu64 " bytes at %" PRIu64 ", which is the address 0x%" PRIx64
                      ": no multiple of %" PRIu64,
                      wanted->size, offset, (uint64_t)address, wanted->size);
}

tide_status tide_access_check_(const tide_segment *segment, size_t position, unsigned word,
                               void *value)
{
    access wanted = decode(word);
    tide_status status = check_arguments(segment, &wanted, value);
    if (status != TIDE_OK)
        return status;
    if (wanted.writes && (segment->extent_ & TIDE_EXTENT_READ_ONLY) != 0)
        return TIDE_ERROR(TIDE_READ_ONLY, wanted.operation, tide_segment_object(segment),
                          " of %" PRIu64 " bytes at %" PRIu64 " in a read-only segment",
                          wanted.size, position);
    status = check_bounds(segment, position, &wanted);
    if (status == TIDE_OK)
        status = check_alignment(segment, position, &wanted);
    if (status == TIDE_OK)
        status = tide_scope_check(segment->cell_, segment->epoch_ & ~TIDE_EPOCH_MAPPED,
                                  wanted.operation);
    return status;
}

void tide_access_fault_(const tide_segment *segment, size_t position, unsigned word)
{
    static char there_is_a_value;
    if (tide_access_check_(segment, position, word, &there_is_a_value) != TIDE_OK)
        tide_fault_raise();
}
