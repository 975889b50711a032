/* SPDX-License-Identifier: Apache-2.0 */
/* The slow path of scalar access: says what is wrong, in the order of the contract, or makes the
 * access where the inline path can't begin a read section. */
#include <tidepool/access.h>

#include <string.h>

#include "base/error.h"
#include "lifetime/grace.h"
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

static tide_status check(const tide_segment *segment, size_t position, const access *wanted,
                         const void *bits)
{
    tide_status status = check_arguments(segment, wanted, bits);
    if (status != TIDE_OK)
        return status;
    if (wanted->writes && (segment->extent_ & TIDE_EXTENT_READ_ONLY) != 0)
        return TIDE_ERROR(TIDE_READ_ONLY, wanted->operation, tide_segment_object(segment),
                          " of %" PRIu64 " bytes at %" PRIu64 " in a read-only segment",
                          wanted->size, position);
    status = check_bounds(segment, position, wanted);
    return status == TIDE_OK ? check_alignment(segment, position, wanted) : status;
}

/* Copies a scalar's bytes, in one piece where the address is aligned: other threads may look. */
static void move(char *to, const char *from, size_t size)
{
    switch (size) {
    case 1:
        *to = *from;
        break;
    case 2:
        memcpy(to, from, 2);
        break;
    case 4:
        memcpy(to, from, 4);
        break;
    default:
        memcpy(to, from, 8);
        break;
    }
}

static void swap(char *bytes, size_t size)
{
    for (size_t i = 0; i < size / 2; i++) {
        char low = bytes[i];
        bytes[i] = bytes[size - 1 - i];
        bytes[size - 1 - i] = low;
    }
}

static void make_access(const tide_segment *segment, size_t position, const access *wanted,
                        void *bits)
{
    char bytes[8];
    bool swaps = tide_layout_swaps(wanted->layout);
    char *address = segment->base_ + (wanted->by_index ? position * wanted->size : position);
    if (wanted->writes) {
        move(bytes, bits, wanted->size);
        if (swaps)
            swap(bytes, wanted->size);
        move(address, bytes, wanted->size);
    } else {
        move(bytes, address, wanted->size);
        if (swaps)
            swap(bytes, wanted->size);
        move(bits, bytes, wanted->size);
    }
}

tide_status tide_access_slow_(const tide_segment *segment, size_t position, unsigned word,
                              void *bits)
{
    access wanted = decode(word);
    tide_section section;
    tide_status status = check(segment, position, &wanted, bits);
    if (status == TIDE_OK)
        status = tide_section_open(segment, wanted.operation, &section);
    if (status != TIDE_OK)
        return status;
    make_access(segment, position, &wanted, bits);
    tide_section_close(&section);
    return TIDE_OK;
}

void tide_access_or_fault_(const tide_segment *segment, size_t position, unsigned word, void *bits)
{
    if (tide_access_slow_(segment, position, word, bits) != TIDE_OK)
        tide_fault_raise();
}
