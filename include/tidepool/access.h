/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Scalar access: one checked value at a time.
 *
 * For each type T of the table there are four verbs in four forms:
 *
 *     | T   | C type   | T   | C type   | T    | C type  |
 *     |-----|----------|-----|----------|------|---------|
 *     | i8  | int8_t   | i32 | int32_t  | f32  | float   |
 *     | u8  | uint8_t  | u32 | uint32_t | f64  | double  |
 *     | i16 | int16_t  | i64 | int64_t  | bool | bool    |
 *     | u16 | uint16_t | u64 | uint64_t | ptr  | void *  |
 *
 *     T           tide_get_T     (segment, offset)             faults
 *     void        tide_set_T     (segment, offset, value)      faults
 *     tide_status tide_load_T    (segment, offset, T *value)   returns what is wrong
 *     tide_status tide_store_T   (segment, offset, value)      returns what is wrong
 *
 *     …_T         at a byte offset, native order, aligned
 *     …_T_as      takes a tide_layout (bytes.h) after the offset: byte order, TIDE_UNALIGNED
 *     …_T_at      at an index: the offset is index × sizeof(T), checked for overflow
 *     …_T_at_as   both
 *
 * get and set are for offsets that the program knows to be right: what is wrong goes to the fault
 * handler. load and store are for offsets that come from data: what is wrong is returned, in the
 * text of the last error too.
 *
 *     for (size_t i = 0; i < count; i++)
 *         sum += tide_get_f64_at(&column, i);
 *
 *     uint16_t length;
 *     if (tide_load_u16_as(&packet, offset, TIDE_BIG_ENDIAN | TIDE_UNALIGNED, &length) != TIDE_OK)
 *         return reject(tide_last_error_text());
 *
 * Checks, in this order: READ_ONLY (writes) → OUT_OF_BOUNDS → MISALIGNED → WRONG_OWNER → CLOSED. A
 * NULL segment, a NULL place for the value or a layout that is none is INVALID_ARGUMENT before all
 * of them. Floats are moved as bits, NaN payloads and all. Any non-zero byte reads as true; true is
 * written as 1. TIDE_UNCHECKED, defined before the first include, compiles the checks of this
 * header out of the inlined functions; those of bulk.h stay, and with TIDE_NO_INLINE, where nothing
 * is inlined, all of them.
 *
 * Threads: as the segment's scope allows: the owner's only, for a confined arena.
 * Cost: about a nanosecond.
 */
#ifndef TIDEPOOL_ACCESS_H
#define TIDEPOOL_ACCESS_H

#include "bytes.h"
#include "segment.h"

TIDE_BEGIN_DECLS

/* The types, once: name, C type, the unsigned type of its size, bits. */
#define TIDE_SCALARS_(X)       \
    X(i8, int8_t, uint8_t)     \
    X(u8, uint8_t, uint8_t)    \
    X(i16, int16_t, uint16_t)  \
    X(u16, uint16_t, uint16_t) \
    X(i32, int32_t, uint32_t)  \
    X(u32, uint32_t, uint32_t) \
    X(i64, int64_t, uint64_t)  \
    X(u64, uint64_t, uint64_t) \
    X(f32, float, uint32_t)    \
    X(f64, double, uint64_t)   \
    X(bool, bool, uint8_t)     \
    X(ptr, void *, uintptr_t)

#define TIDE_DECLARE_SCALAR_(T, type, bits)                                                    \
    TIDE_INLINE type tide_get_##T(const tide_segment *segment, size_t offset);                 \
    TIDE_INLINE type tide_get_##T##_as(const tide_segment *segment, size_t offset,             \
                                       tide_layout layout);                                    \
    TIDE_INLINE type tide_get_##T##_at(const tide_segment *segment, size_t index);             \
    TIDE_INLINE type tide_get_##T##_at_as(const tide_segment *segment, size_t index,           \
                                          tide_layout layout);                                 \
    TIDE_INLINE void tide_set_##T(const tide_segment *segment, size_t offset, type value);     \
    TIDE_INLINE void tide_set_##T##_as(const tide_segment *segment, size_t offset,             \
                                       tide_layout layout, type value);                        \
    TIDE_INLINE void tide_set_##T##_at(const tide_segment *segment, size_t index, type value); \
    TIDE_INLINE void tide_set_##T##_at_as(const tide_segment *segment, size_t index,           \
                                          tide_layout layout, type value);                     \
    TIDE_INLINE TIDE_MUST_USE tide_status tide_load_##T(const tide_segment *segment,           \
                                                        size_t offset, type *value);           \
    TIDE_INLINE TIDE_MUST_USE tide_status tide_load_##T##_as(                                  \
        const tide_segment *segment, size_t offset, tide_layout layout, type *value);          \
    TIDE_INLINE TIDE_MUST_USE tide_status tide_load_##T##_at(const tide_segment *segment,      \
                                                             size_t index, type *value);       \
    TIDE_INLINE TIDE_MUST_USE tide_status tide_load_##T##_at_as(                               \
        const tide_segment *segment, size_t index, tide_layout layout, type *value);           \
    TIDE_INLINE TIDE_MUST_USE tide_status tide_store_##T(const tide_segment *segment,          \
                                                         size_t offset, type value);           \
    TIDE_INLINE TIDE_MUST_USE tide_status tide_store_##T##_as(                                 \
        const tide_segment *segment, size_t offset, tide_layout layout, type value);           \
    TIDE_INLINE TIDE_MUST_USE tide_status tide_store_##T##_at(const tide_segment *segment,     \
                                                              size_t index, type value);       \
    TIDE_INLINE TIDE_MUST_USE tide_status tide_store_##T##_at_as(                              \
        const tide_segment *segment, size_t index, tide_layout layout, type value);

TIDE_SCALARS_(TIDE_DECLARE_SCALAR_)

TIDE_END_DECLS

#ifndef TIDE_NO_INLINE
#include "detail/access_inline.h"
#endif

#endif
