/* SPDX-License-Identifier: Apache-2.0 */
#include <tidepool/carver.h>

#include "lifetime/check.h"

static tide_status make(const tide_segment *segment, bool is_prefix, tide_carver *carver)
{
    TIDE_TRY(tide_check_segment(segment, "carver"));
    TIDE_TRY(tide_check_place(segment, carver, "carver"));
    TIDE_TRY(tide_check_writable(segment, "carver"));
    *carver = (tide_carver){*segment, 0, is_prefix};
    return TIDE_OK;
}

tide_status tide_carver_slicing(const tide_segment *segment, tide_carver *carver)
{
    return make(segment, false, carver);
}

tide_status tide_carver_prefix(const tide_segment *segment, tide_carver *carver)
{
    return make(segment, true, carver);
}

static tide_status check(const tide_carver *carver, size_t size, size_t alignment,
                         const tide_segment *segment)
{
    if (carver == NULL || carver->base_.cell_ == NULL)
        return TIDE_ERROR_PLAIN(TIDE_INVALID_ARGUMENT, "carve", TIDE_NO_OBJECT,
                                "no carver: NULL, or zeroed");
    TIDE_TRY(tide_check_place(&carver->base_, segment, "carve"));
    tide_object object = tide_segment_object(&carver->base_);
    TIDE_TRY(tide_check_size(object, size, "carve"));
    return tide_check_alignment(object, alignment, "carve");
}

/* Bytes from the carver's position to the next multiple of `alignment`; a prefix carver has to
 * start where it stands. */
static size_t padding_for(const tide_carver *carver, size_t alignment)
{
    uintptr_t address = (uintptr_t)carver->base_.base_ + carver->used_;
    return carver->is_prefix_ ? 0 : -address & (alignment - 1);
}

tide_status tide_carver_allocate(tide_carver *carver, size_t size, size_t alignment,
                                 tide_segment *segment)
{
    TIDE_TRY(check(carver, size, alignment, segment));
    const tide_segment *base = &carver->base_;
    size_t left = tide_extent_size_(base->extent_) - carver->used_;
    size_t padding = padding_for(carver, alignment);
    if (padding > left || size > left - padding)
        return TIDE_ERROR(TIDE_EXHAUSTED, "carve", tide_segment_object(base),
                          "no %" PRIu64 " bytes at a multiple of %" PRIu64 " in the %" PRIu64
                          " bytes that are left",
                          size, alignment, left);
    size_t start = carver->used_ + padding;
    TIDE_TRY(tide_check_aligned(base, start, alignment, "carve"));
    if (!carver->is_prefix_)
        carver->used_ = start + size;
    *segment = (tide_segment){base->base_ + start, size, base->cell_, base->epoch_};
    return TIDE_OK;
}

size_t tide_carver_used(const tide_carver *carver)
{
    return carver != NULL ? carver->used_ : 0;
}
