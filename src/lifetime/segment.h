/* SPDX-License-Identifier: Apache-2.0 */
/* What the slow paths of segments, scalar access and bulk access share. */
#ifndef TIDEPOOL_LIFETIME_SEGMENT_H
#define TIDEPOOL_LIFETIME_SEGMENT_H

#include "base/error.h"
#include <tidepool/detail/check_inline.h>

/* The segment as an error names it. */
static inline tide_object tide_segment_object(const tide_segment *segment)
{
    return (tide_object){"segment", segment->base_, NULL};
}

/* The epoch of its scope that it was made at. */
static inline uint64_t tide_segment_epoch(const tide_segment *segment)
{
    return segment->epoch_ & ~TIDE_EPOCH_MAPPED;
}

#endif
