/* SPDX-License-Identifier: Apache-2.0 */
/* The checks that scalar and bulk access share. */
#ifndef TIDEPOOL_DETAIL_CHECK_INLINE_H
#define TIDEPOOL_DETAIL_CHECK_INLINE_H

#include "../segment.h"
#include "layout.h"

TIDE_BEGIN_DECLS

#define TIDE_EXTENT_READ_ONLY (UINT64_C(1) << 63)
#define TIDE_EPOCH_MAPPED     UINT64_C(1)

TIDE_HELPER uint64_t tide_extent_size_(uint64_t extent)
{
    return extent & ~TIDE_EXTENT_READ_ONLY;
}

/* Whether the calling thread owns the segment's scope and it is alive. */
TIDE_HELPER bool tide_session_(const tide_segment *segment)
{
    const tide_cell *cell = segment->cell_;
    return tide_relaxed_(&cell->owner) == tide_thread_self_()->owner &&
           (tide_relaxed_(&cell->epoch) ^ segment->epoch_) <= 1;
}

TIDE_END_DECLS

#endif
