/* SPDX-License-Identifier: Apache-2.0 */
/* Segments as arrays: element copies, and arrays from and to plain memory. */
#include <string.h>

#include "base/checked.h"
#include "lifetime/arena.h"
#include "lifetime/check.h"
#include "lifetime/grace.h"
#include "lifetime/shared.h"
#include "memory/swap.h"
#include <tidepool/bulk.h>

static tide_status check_element(tide_object object, tide_layout layout, size_t element_size,
                                 const char *operation)
{
    if (!tide_layout_is_valid(layout))
        return TIDE_ERROR(TIDE_INVALID_ARGUMENT, operation, object, "no such layout: %" PRIu64,
                          (uint64_t)layout);
    if (element_size != 1 && element_size != 2 && element_size != 4 && element_size != 8)
        return TIDE_ERROR(TIDE_INVALID_ARGUMENT, operation, object,
                          "an element of %" PRIu64 " bytes: it must be 1, 2, 4 or 8", element_size);
    return TIDE_OK;
}

static tide_status check_aligned(const tide_segment *segment, size_t offset, tide_layout layout,
                                 size_t element_size, const char *operation)
{
    if ((layout & TIDE_UNALIGNED) != 0)
        return TIDE_OK;
    return tide_check_aligned(segment, offset, element_size, operation);
}

static tide_status check_multiple(const tide_segment *segment, size_t element_size,
                                  const char *operation)
{
    size_t size = tide_extent_size_(segment->extent_);
    if ((size & (element_size - 1)) == 0)
        return TIDE_OK;
    return TIDE_ERROR(TIDE_INVALID_ARGUMENT, operation, tide_segment_object(segment),
                      "a segment of %" PRIu64 " bytes: no multiple of %" PRIu64, size,
                      element_size);
}

static tide_status check_range(const tide_segment *segment, size_t offset, size_t count,
                               size_t element_size)
{
    size_t extent = tide_extent_size_(segment->extent_);
    if (offset <= extent && count <= (extent - offset) / element_size)
        return TIDE_OK;
    return TIDE_ERROR(TIDE_OUT_OF_BOUNDS, "copy", tide_segment_object(segment),
                      " of %" PRIu64 " elements of %" PRIu64 " bytes at %" PRIu64
                      " in a segment of %" PRIu64 " bytes",
                      count, element_size, offset, extent);
}

static tide_status check_count(size_t count)
{
    if (count <= PTRDIFF_MAX)
        return TIDE_OK;
    return TIDE_ERROR(TIDE_OUT_OF_BOUNDS, "copy", TIDE_NO_OBJECT,
                      " of %" PRIu64 " elements: the most are %" PRIu64, count,
                      (uint64_t)PTRDIFF_MAX);
}

static tide_status check_same_size(size_t source_size, size_t target_size)
{
    if (source_size == target_size)
        return TIDE_OK;
    return TIDE_ERROR(TIDE_INVALID_ARGUMENT, "copy", TIDE_NO_OBJECT,
                      "elements of %" PRIu64 " bytes to elements of %" PRIu64, source_size,
                      target_size);
}

/* As if through a temporary. */
static void copy_bytes(void *to, const void *from, size_t size, size_t element_size, bool swaps)
{
    if (swaps)
        tide_bytes_copy_swapped(to, from, size, element_size);
    else if (size != 0)
        memmove(to, from, size);
}

tide_status tide_segment_copy_elements(const tide_segment *source, tide_layout source_layout,
                                       size_t source_element_size, size_t source_offset,
                                       const tide_segment *target, tide_layout target_layout,
                                       size_t target_element_size, size_t target_offset,
                                       size_t count)
{
    const size_t element_size = source_element_size;
    tide_section_pair sections;
    TIDE_TRY(tide_check_segment(source, "copy"));
    TIDE_TRY(tide_check_segment(target, "copy"));
    TIDE_TRY(check_element(tide_segment_object(source), source_layout, element_size, "copy"));
    TIDE_TRY(
        check_element(tide_segment_object(target), target_layout, target_element_size, "copy"));
    TIDE_TRY(check_count(count));
    TIDE_TRY(check_same_size(element_size, target_element_size));
    TIDE_TRY(check_aligned(source, source_offset, source_layout, element_size, "copy"));
    TIDE_TRY(check_aligned(target, target_offset, target_layout, element_size, "copy"));
    TIDE_TRY(check_range(source, source_offset, count, element_size));
    TIDE_TRY(tide_check_writable(target, "copy"));
    TIDE_TRY(check_range(target, target_offset, count, element_size));
    TIDE_TRY(tide_section_open_both(source, target, "copy", &sections));
    copy_bytes(target->base_ + target_offset, source->base_ + source_offset, count * element_size,
               element_size, tide_layout_swaps(source_layout) != tide_layout_swaps(target_layout));
    tide_section_close_both(&sections);
    return TIDE_OK;
}

tide_status tide_segment_elements(const tide_segment *segment, tide_layout layout,
                                  size_t element_size, size_t *count)
{
    TIDE_TRY(tide_check_segment(segment, "elements"));
    TIDE_TRY(tide_check_place(segment, count, "elements"));
    TIDE_TRY(check_element(tide_segment_object(segment), layout, element_size, "elements"));
    TIDE_TRY(check_aligned(segment, 0, layout, element_size, "elements"));
    TIDE_TRY(check_multiple(segment, element_size, "elements"));
    *count = tide_extent_size_(segment->extent_) / element_size;
    return TIDE_OK;
}

tide_status tide_segment_to_array(const tide_segment *segment, tide_layout layout,
                                  size_t element_size, void *to, size_t capacity, size_t *count)
{
    tide_section section;
    TIDE_TRY(tide_check_segment(segment, "to array"));
    TIDE_TRY(check_element(tide_segment_object(segment), layout, element_size, "to array"));
    TIDE_TRY(tide_check_bytes(segment, to, capacity, "to array"));
    TIDE_TRY(check_multiple(segment, element_size, "to array"));
    TIDE_TRY(check_aligned(segment, 0, layout, element_size, "to array"));
    TIDE_TRY(tide_section_open(segment, "to array", &section));
    size_t size = tide_extent_size_(segment->extent_);
    bool fits = size / element_size <= capacity;
    if (fits)
        copy_bytes(to, segment->base_, size, element_size, tide_layout_swaps(layout));
    tide_section_close(&section);
    if (!fits)
        return TIDE_ERROR(TIDE_EXHAUSTED, "to array", tide_segment_object(segment),
                          "%" PRIu64 " elements, and room for %" PRIu64, size / element_size,
                          capacity);
    if (count != NULL)
        *count = size / element_size;
    return TIDE_OK;
}

/* An array of plain memory that is to become a segment. */
typedef struct array {
    tide_layout layout; /* of the segment */
    size_t element_size;
    const void *elements;
    size_t count;
} array;

static tide_status check_array(const array *wanted, const tide_segment *segment, tide_object object,
                               size_t *size)
{
    if (segment == NULL)
        return TIDE_ERROR_PLAIN(TIDE_INVALID_ARGUMENT, "array", object,
                                "no place for the segment: NULL");
    TIDE_TRY(check_element(object, wanted->layout, wanted->element_size, "array"));
    if (wanted->elements == NULL && wanted->count != 0)
        return TIDE_ERROR(TIDE_INVALID_ARGUMENT, "array", object,
                          " of %" PRIu64 " elements: their address is NULL", wanted->count);
    if (!tide_checked_multiply(wanted->count, wanted->element_size, size) || *size > PTRDIFF_MAX)
        return TIDE_ERROR(TIDE_INVALID_ARGUMENT, "array", object,
                          " of %" PRIu64 " elements of %" PRIu64
                          " bytes: the largest is of %" PRIu64 " bytes",
                          wanted->count, wanted->element_size, (uint64_t)PTRDIFF_MAX);
    return TIDE_OK;
}

/* In a section: a shared arena may be closed before its memory is filled. */
static tide_status fill(const tide_segment *made, const array *wanted)
{
    tide_section section;
    TIDE_TRY(tide_section_open(made, "array", &section));
    copy_bytes(made->base_, wanted->elements, tide_extent_size_(made->extent_),
               wanted->element_size, tide_layout_swaps(wanted->layout));
    tide_section_close(&section);
    return TIDE_OK;
}

tide_status tide_arena_array(tide_arena *arena, tide_layout layout, size_t element_size,
                             const void *elements, size_t count, tide_segment *segment)
{
    const array wanted = {layout, element_size, elements, count};
    tide_segment made;
    size_t size = 0;
    TIDE_TRY(check_array(&wanted, segment, tide_arena_object(arena), &size));
    TIDE_TRY(tide_arena_segment_uninitialized(arena, size, element_size, &made));
    TIDE_TRY(fill(&made, &wanted));
    *segment = made;
    return TIDE_OK;
}

tide_status tide_shared_array(tide_shared_arena arena, tide_layout layout, size_t element_size,
                              const void *elements, size_t count, tide_segment *segment)
{
    const array wanted = {layout, element_size, elements, count};
    tide_segment made;
    size_t size = 0;
    TIDE_TRY(check_array(&wanted, segment, tide_shared_object(arena), &size));
    TIDE_TRY(tide_shared_segment_uninitialized(arena, size, element_size, &made));
    TIDE_TRY(fill(&made, &wanted));
    *segment = made;
    return TIDE_OK;
}
