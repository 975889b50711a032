/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Atomic access: scalars that several threads change.
 *
 * For each T of i32 (int32_t), u32, i64, u64 and ptr (void *), at a byte offset that must be aligned
 * to the type; native order; sequentially consistent. As in access.h there is a form that hands what
 * is wrong to the fault handler, and one that returns it:
 *
 *     T           tide_atomic_get_T          (segment, offset)
 *     void        tide_atomic_set_T          (segment, offset, value)
 *     T           tide_atomic_exchange_T     (segment, offset, value)            → the value before
 *     bool        tide_atomic_compare_exchange_T (segment, offset, T *expected, value)
 *     T           tide_atomic_fetch_add_T    (segment, offset, value)            → the value before
 *     T           tide_atomic_fetch_and_T, tide_atomic_fetch_or_T, tide_atomic_fetch_xor_T
 *
 *     tide_status tide_atomic_try_…_T        the same, the result through a last argument
 *
 * Additions wrap around. compare_exchange stores `value` when `*expected` is found, and otherwise
 * stores what is found in `*expected`. There is no arithmetic on pointers: ptr has get, set, exchange
 * and compare_exchange.
 *
 *     tide_atomic_fetch_add_u64(&counters, slot * 8, 1);
 *
 * Checks: as scalar access, with the same order and statuses; every operation but get is a write.
 * (What the JDK's var handles do; floats, small integers and weaker orders are left to raw C.)
 *
 * Threads: as the segment's scope allows.
 */
#ifndef TIDEPOOL_ATOMIC_H
#define TIDEPOOL_ATOMIC_H

#include "segment.h"

TIDE_BEGIN_DECLS

/* Declarations come from X-macros, as in access.h. */

TIDE_END_DECLS

#endif
