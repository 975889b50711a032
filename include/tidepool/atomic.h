/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Atomic access: scalars that several threads change.
 *
 * For each T of the table, at a byte offset that must be aligned to the type, in native order:
 *
 *     | T   | C type   | T   | C type   |
 *     |-----|----------|-----|----------|
 *     | i32 | int32_t  | i64 | int64_t  |
 *     | u32 | uint32_t | u64 | uint64_t |
 *     | ptr | void *   |     |          |
 *
 *     T    tide_atomic_get_T              (segment, offset)
 *     void tide_atomic_set_T              (segment, offset, value)
 *     T    tide_atomic_exchange_T         (segment, offset, value)           the value before
 *     bool tide_atomic_compare_exchange_T (segment, offset, T *expected, value)
 *     T    tide_atomic_fetch_add_T        (segment, offset, value)           the value before
 *     T    tide_atomic_fetch_and_T, tide_atomic_fetch_or_T, tide_atomic_fetch_xor_T
 *
 * These are for offsets that the program knows to be right: what is wrong goes to the fault
 * handler. For offsets that come from data each of them has a second form that returns what is
 * wrong, and stores the result through a last argument when it is OK:
 *
 *     tide_status tide_atomic_try_get_T              (segment, offset, T *value)
 *     tide_status tide_atomic_try_set_T              (segment, offset, value)
 *     tide_status tide_atomic_try_exchange_T         (segment, offset, value, T *before)
 *     tide_status tide_atomic_try_compare_exchange_T (segment, offset, T *expected, value,
 *                                                     bool *exchanged)
 *     tide_status tide_atomic_try_fetch_add_T        (segment, offset, value, T *before), …
 *
 * Additions wrap around. compare_exchange stores `value` when it finds `*expected`; otherwise it
 * stores what it has found in `*expected`, and never without cause. There is no arithmetic on
 * pointers: ptr has get, set, exchange and compare_exchange.
 *
 *     tide_atomic_fetch_add_u64(&counters, slot * 8, 1);
 *
 * Every operation is one indivisible step to all who look, in one order that all agree on
 * (sequentially consistent): other threads by these functions or by the raw address, and other
 * processes that map the same file. It is so in a confined arena too. (What the JDK's var handles
 * do; floats, small integers and weaker orders are left to C's own atomics behind a span.h.)
 *
 * Checks, in this order: READ_ONLY (everything but get) → OUT_OF_BOUNDS → MISALIGNED → WRONG_OWNER
 * → CLOSED. A NULL or zeroed segment and a NULL place for a result or an expected value are
 * INVALID_ARGUMENT before all of them. A refused operation has changed nothing. TIDE_UNCHECKED
 * compiles these checks out as it does those of access.h.
 *
 * Threads: as the segment's scope allows: the owner's only, for a confined arena.
 * Cost: the processor's own, and about a nanosecond.
 */
#ifndef TIDEPOOL_ATOMIC_H
#define TIDEPOOL_ATOMIC_H

#include "access.h"

TIDE_BEGIN_DECLS

/* The types, once: name, C type, the unsigned type of its size. */
#define TIDE_ATOMIC_INTEGERS_(X) \
    X(i32, int32_t, uint32_t)    \
    X(u32, uint32_t, uint32_t)   \
    X(i64, int64_t, uint64_t)    \
    X(u64, uint64_t, uint64_t)
#define TIDE_ATOMICS_(X)     \
    TIDE_ATOMIC_INTEGERS_(X) \
    X(ptr, void *, uintptr_t)

#define TIDE_DECLARE_ATOMIC_(T, type, bits)                                                       \
    TIDE_INLINE type tide_atomic_get_##T(const tide_segment *segment, size_t offset);             \
    TIDE_INLINE void tide_atomic_set_##T(const tide_segment *segment, size_t offset, type value); \
    TIDE_INLINE type tide_atomic_exchange_##T(const tide_segment *segment, size_t offset,         \
                                              type value);                                        \
    TIDE_INLINE bool tide_atomic_compare_exchange_##T(const tide_segment *segment, size_t offset, \
                                                      type *expected, type value);                \
    TIDE_INLINE TIDE_MUST_USE tide_status tide_atomic_try_get_##T(const tide_segment *segment,    \
                                                                  size_t offset, type *value);    \
    TIDE_INLINE TIDE_MUST_USE tide_status tide_atomic_try_set_##T(const tide_segment *segment,    \
                                                                  size_t offset, type value);     \
    TIDE_INLINE TIDE_MUST_USE tide_status tide_atomic_try_exchange_##T(                           \
        const tide_segment *segment, size_t offset, type value, type *before);                    \
    TIDE_INLINE TIDE_MUST_USE tide_status tide_atomic_try_compare_exchange_##T(                   \
        const tide_segment *segment, size_t offset, type *expected, type value, bool *exchanged);

#define TIDE_DECLARE_FETCH_(T, type, verb)                                                \
    TIDE_INLINE type tide_atomic_##verb##_##T(const tide_segment *segment, size_t offset, \
                                              type value);                                \
    TIDE_INLINE TIDE_MUST_USE tide_status tide_atomic_try_##verb##_##T(                   \
        const tide_segment *segment, size_t offset, type value, type *before);
#define TIDE_DECLARE_ATOMIC_INTEGER_(T, type, bits) \
    TIDE_DECLARE_FETCH_(T, type, fetch_add)         \
    TIDE_DECLARE_FETCH_(T, type, fetch_and)         \
    TIDE_DECLARE_FETCH_(T, type, fetch_or)          \
    TIDE_DECLARE_FETCH_(T, type, fetch_xor)

TIDE_ATOMICS_(TIDE_DECLARE_ATOMIC_)
TIDE_ATOMIC_INTEGERS_(TIDE_DECLARE_ATOMIC_INTEGER_)

TIDE_END_DECLS

#ifndef TIDE_NO_INLINE
#include "detail/atomic_inline.h"
#endif

#endif
