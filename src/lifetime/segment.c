/* SPDX-License-Identifier: Apache-2.0 */
#include <tidepool/segment.h>

#include "base/error.h"
#include "lifetime/arena.h"
#include "lifetime/cells.h"
#include "lifetime/check.h"
#include "lifetime/retire.h"
#include "lifetime/segment.h"
#include "lifetime/shared.h"
#include <tidepool/detail/check_inline.h>

/* What a view inherits of the extent. */
static uint64_t read_only_bit(const tide_segment *segment)
{
    return segment->extent_ & TIDE_EXTENT_READ_ONLY;
}

tide_segment tide_segment_of_address(const void *address)
{
    return (tide_segment){(char *)(uintptr_t)address, 0, &tide_cell_global, TIDE_GLOBAL_EPOCH};
}

size_t tide_segment_size(const tide_segment *segment)
{
    return segment != NULL ? tide_extent_size_(segment->extent_) : 0;
}

void *tide_segment_address(const tide_segment *segment)
{
    return segment != NULL ? segment->base_ : NULL;
}

bool tide_segment_is_read_only(const tide_segment *segment)
{
    return segment != NULL && read_only_bit(segment) != 0;
}

bool tide_segment_is_mapped(const tide_segment *segment)
{
    return segment != NULL && (segment->epoch_ & TIDE_EPOCH_MAPPED) != 0;
}

tide_scope tide_segment_scope(const tide_segment *segment)
{
    if (segment == NULL)
        return (tide_scope){NULL, 0};
    return (tide_scope){segment->cell_, tide_segment_epoch(segment)};
}

bool tide_segment_is_accessible_by(const tide_segment *segment, tide_owner owner)
{
    return tide_scope_is_accessible_by(tide_segment_scope(segment), owner);
}

tide_status tide_segment_info(const tide_segment *segment, tide_segment_information *information)
{
    TIDE_TRY(tide_check_segment(segment, "info"));
    if (information == NULL)
        return TIDE_ERROR_PLAIN(TIDE_INVALID_ARGUMENT, "info", tide_segment_object(segment),
                                "no place for the information: NULL");
    TIDE_TRY(tide_check_struct_size(tide_segment_object(segment), information->struct_size,
                                    sizeof *information, "info"));
    information->address = segment->base_;
    information->size = tide_segment_size(segment);
    information->read_only = tide_segment_is_read_only(segment);
    information->mapped = tide_segment_is_mapped(segment);
    information->alive = tide_scope_is_alive(tide_segment_scope(segment));
    return TIDE_OK;
}

static tide_status out_of_bounds(const tide_segment *segment, const char *operation, size_t offset,
                                 size_t size)
{
    return TIDE_ERROR(TIDE_OUT_OF_BOUNDS, operation, tide_segment_object(segment),
                      "%" PRIu64 " bytes at %" PRIu64 " of a segment of %" PRIu64 " bytes", size,
                      offset, tide_segment_size(segment));
}

tide_status tide_segment_slice(const tide_segment *segment, size_t offset, size_t size,
                               tide_segment *slice)
{
    TIDE_TRY(tide_check_segment(segment, "slice"));
    TIDE_TRY(tide_check_place(segment, slice, "slice"));
    size_t whole = tide_segment_size(segment);
    if (offset > whole || size > whole - offset)
        return out_of_bounds(segment, "slice", offset, size);
    *slice = (tide_segment){segment->base_ + offset, size | read_only_bit(segment), segment->cell_,
                            segment->epoch_};
    return TIDE_OK;
}

tide_status tide_segment_slice_from(const tide_segment *segment, size_t offset, tide_segment *slice)
{
    size_t whole = tide_segment_size(segment);
    return tide_segment_slice(segment, offset, offset < whole ? whole - offset : 0, slice);
}

tide_status tide_segment_slice_aligned(const tide_segment *segment, size_t offset, size_t size,
                                       size_t alignment, tide_segment *slice)
{
    tide_segment part = {NULL, 0, NULL, 0};
    TIDE_TRY(tide_check_segment(segment, "slice"));
    TIDE_TRY(tide_check_place(segment, slice, "slice"));
    tide_status status = tide_segment_slice(segment, offset, size, &part);
    if (status != TIDE_OK)
        return status;
    TIDE_TRY(tide_check_alignment(tide_segment_object(segment), alignment, "slice"));
    if (((uintptr_t)part.base_ & (alignment - 1)) != 0)
        return TIDE_ERROR(TIDE_MISALIGNED, "slice", tide_segment_object(segment),
                          "the address 0x%" PRIx64 " at offset %" PRIu64
                          " is no multiple of %" PRIu64,
                          (uint64_t)(uintptr_t)part.base_, offset, alignment);
    *slice = part;
    return TIDE_OK;
}

tide_status tide_segment_read_only(const tide_segment *segment, tide_segment *view)
{
    TIDE_TRY(tide_check_segment(segment, "read-only"));
    TIDE_TRY(tide_check_place(segment, view, "read-only"));
    *view = *segment;
    view->extent_ |= TIDE_EXTENT_READ_ONLY;
    return TIDE_OK;
}

tide_status tide_segment_overlap(const tide_segment *a, const tide_segment *b,
                                 tide_overlap *overlap)
{
    TIDE_TRY(tide_check_segment(a, "overlap"));
    TIDE_TRY(tide_check_segment(b, "overlap"));
    TIDE_TRY(tide_check_place(a, overlap, "overlap"));
    /* As numbers, from the lower start on: a resized segment may end beyond the address space. */
    uintptr_t a_start = (uintptr_t)a->base_;
    uintptr_t b_start = (uintptr_t)b->base_;
    size_t a_size = tide_segment_size(a);
    size_t b_size = tide_segment_size(b);
    tide_overlap found = {false, 0, 0};
    if (a_start <= b_start) {
        size_t distance = b_start - a_start;
        found.exists = distance < a_size && (distance != 0 || b_size != 0);
        found.offset = distance;
        found.size = b_size < a_size - distance ? b_size : a_size - distance;
    } else {
        size_t distance = a_start - b_start;
        found.exists = distance < b_size;
        found.size = a_size < b_size - distance ? a_size : b_size - distance;
    }
    *overlap = found.exists ? found : (tide_overlap){false, 0, 0};
    return TIDE_OK;
}

bool tide_segment_same_address(const tide_segment *a, const tide_segment *b)
{
    return a != NULL && b != NULL && a->base_ == b->base_;
}

bool tide_segment_same_scope(const tide_segment *a, const tide_segment *b)
{
    return a != NULL && b != NULL && tide_scope_equal(tide_segment_scope(a), tide_segment_scope(b));
}

tide_status tide_segment_resize(const tide_segment *segment, size_t size, tide_segment *resized)
{
    TIDE_TRY(tide_check_segment(segment, "resize"));
    TIDE_TRY(tide_check_place(segment, resized, "resize"));
    tide_status status = tide_check_size(tide_segment_object(segment), size, "resize");
    if (status == TIDE_OK)
        status = tide_scope_check(segment->cell_, tide_segment_epoch(segment), "resize");
    if (status != TIDE_OK)
        return status;
    *resized = (tide_segment){segment->base_, size | read_only_bit(segment), segment->cell_,
                              tide_segment_epoch(segment)};
    return TIDE_OK;
}

tide_status tide_segment_attach(const tide_segment *segment, size_t size, tide_arena *arena,
                                tide_cleanup cleanup, void *context, tide_segment *attached)
{
    TIDE_TRY(tide_check_segment(segment, "attach"));
    TIDE_TRY(tide_check_place(segment, attached, "attach"));
    tide_status status = tide_check_size(tide_segment_object(segment), size, "attach");
    if (status == TIDE_OK)
        status = tide_arena_check(arena, "attach");
    if (status != TIDE_OK)
        return status;
    const tide_cell *cell = tide_arena_take_cell(arena);
    if (cell == NULL)
        return tide_arena_no_memory(arena, "attach");
    if (cleanup != NULL)
        status = tide_arena_attach(arena, cleanup, context);
    if (status != TIDE_OK)
        return status;
    *attached = (tide_segment){segment->base_, size | read_only_bit(segment),
                               (tide_cell *)(uintptr_t)cell, tide_relaxed_(&cell->epoch)};
    return TIDE_OK;
}

tide_status tide_segment_attach_shared(const tide_segment *segment, size_t size,
                                       tide_shared_arena arena, tide_cleanup cleanup, void *context,
                                       tide_segment *attached)
{
    TIDE_TRY(tide_check_segment(segment, "attach"));
    TIDE_TRY(tide_check_place(segment, attached, "attach"));
    tide_status status = tide_check_size(tide_segment_object(segment), size, "attach");
    if (status == TIDE_OK)
        status = tide_shared_check(arena, "attach");
    if (status == TIDE_OK && cleanup != NULL)
        status = tide_shared_attach(arena, cleanup, context);
    if (status != TIDE_OK)
        return status;
    *attached =
        (tide_segment){segment->base_, size | read_only_bit(segment), arena.cell_, arena.epoch_};
    return TIDE_OK;
}
