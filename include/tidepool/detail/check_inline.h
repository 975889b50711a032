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
TIDE_HELPER bool tide_session_(const tide_segment *segment, const tide_thread *thread)
{
    const tide_cell *cell = segment->cell_;
    return tide_relaxed_(&cell->owner) == thread->owner &&
           (tide_relaxed_(&cell->epoch) ^ segment->epoch_) <= 1;
}

/* Orders the thread's own memory accesses as far as the compiler goes; what the processor reorders
 * is put right by the closer, who makes every thread pass a barrier before he looks. */
TIDE_HELPER void tide_compiler_barrier_(void)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/*
 * The end of a read section that tide_section_enter_() began. The release pairs with the closer's
 * acquire: who sees the thread outside sees its accesses done.
 */
TIDE_HELPER void tide_section_leave_(tide_thread *thread)
{
    __atomic_store_n(&thread->reading, 0, __ATOMIC_RELEASE);
}

/*
 * Begins a read section when the segment's scope is shared and alive: until it ends, the memory
 * stays. False, and no section begun: the slow path must decide (stale, confined to another, the
 * thread has no block yet or is inside a section already, or the system has no barrier for all
 * threads).
 *
 * The closer moves the epoch, makes all threads pass a barrier, and then looks at `reading`. If
 * this thread's store comes before its barrier, the closer sees it and waits; if it comes after, so
 * does the load of the epoch, which sees that it has moved. A stamp of the phase that the closer
 * began is not waited for: acquire, so who has seen that phase sees the epoch that moved before it.
 */
TIDE_HELPER bool tide_section_enter_(const tide_segment *segment, tide_thread *thread)
{
    const tide_cell *cell = segment->cell_;
    uint64_t phase = __atomic_load_n(&thread->phase, __ATOMIC_ACQUIRE);
    if (tide_relaxed_(&cell->owner) != TIDE_OWNER_ANYONE || phase == 0 ||
        tide_relaxed_(&thread->reading) != 0)
        return false;
    tide_relaxed_store_(&thread->reading, phase);
    tide_compiler_barrier_();
    if (TIDE_LIKELY(((tide_relaxed_(&cell->epoch) ^ segment->epoch_) & TIDE_SHARED_EPOCH) <= 1))
        return true;
    tide_section_leave_(thread);
    return false;
}

TIDE_END_DECLS

#endif
