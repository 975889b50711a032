/* SPDX-License-Identifier: Apache-2.0 */
#include <tidepool/span.h>

#include "lifetime/cells.h"
#include "lifetime/check.h"

/* Nobody's close has to be kept off: the owner's own, or nobody's at all. */
static bool needs_no_hold(const tide_segment *segment)
{
    return segment->cell_ == &tide_cell_global || !tide_cell_is_shared(segment->cell_);
}

static tide_status check_hold(const tide_segment *segment, const tide_hold *hold)
{
    if (hold != NULL || needs_no_hold(segment))
        return TIDE_OK;
    return TIDE_ERROR_PLAIN(TIDE_INVALID_ARGUMENT, "span", tide_segment_object(segment),
                            "no place for the hold that a shared scope needs: NULL");
}

/* Owner and liveness, and the hold if one is wanted. */
static tide_status enter(const tide_segment *segment, tide_hold *hold)
{
    tide_scope scope = tide_segment_scope(segment);
    TIDE_TRY(tide_scope_check(scope.cell_, scope.epoch_, "span"));
    return hold != NULL ? tide_scope_hold(scope, hold) : TIDE_OK;
}

static tide_status take(const tide_segment *segment, size_t offset, size_t size, size_t alignment,
                        bool writes, tide_hold *hold, const void *span)
{
    TIDE_TRY(tide_check_segment(segment, "span"));
    TIDE_TRY(tide_check_place(segment, span, "span"));
    TIDE_TRY(check_hold(segment, hold));
    TIDE_TRY(tide_check_alignment(tide_segment_object(segment), alignment, "span"));
    if (writes)
        TIDE_TRY(tide_check_writable(segment, "span"));
    TIDE_TRY(tide_check_range(segment, offset, size, "span"));
    TIDE_TRY(tide_check_aligned(segment, offset, alignment, "span"));
    return enter(segment, hold);
}

tide_status tide_segment_span(const tide_segment *segment, size_t offset, size_t size,
                              size_t alignment, tide_hold *hold, tide_span *span)
{
    TIDE_TRY(take(segment, offset, size, alignment, true, hold, span));
    *span = (tide_span){segment->base_ + offset, size};
    return TIDE_OK;
}

tide_status tide_segment_const_span(const tide_segment *segment, size_t offset, size_t size,
                                    size_t alignment, tide_hold *hold, tide_const_span *span)
{
    TIDE_TRY(take(segment, offset, size, alignment, false, hold, span));
    *span = (tide_const_span){segment->base_ + offset, size};
    return TIDE_OK;
}
