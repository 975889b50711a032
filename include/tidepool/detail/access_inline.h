/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fast path of access.h: the checks that nearly always pass, then the access, in a read section
 * when the scope is shared. What fails them goes to tide_access_slow_(), which looks again in the
 * order of the contract and makes the access itself where it may.
 */
#ifndef TIDEPOOL_DETAIL_ACCESS_INLINE_H
#define TIDEPOOL_DETAIL_ACCESS_INLINE_H

#include "check_inline.h"

TIDE_BEGIN_DECLS

/* What an access is: its size in the low byte, its layout in the next, and these. */
#define TIDE_ACCESS_WRITE_ (1u << 16)
#define TIDE_ACCESS_INDEX_ (1u << 17)

/* Makes the access after all, between memory and the bits of a value, or returns the fault, noted
 * in the last error. */
TIDE_API TIDE_SLOW tide_status tide_access_slow_(const tide_segment *segment, size_t position,
                                                 unsigned access, void *bits);
/* The same for get and set: hands the fault to the handler and does not return then. */
TIDE_API TIDE_SLOW void tide_access_or_fault_(const tide_segment *segment, size_t position,
                                              unsigned access, void *bits);

/* Everything but owner and liveness. */
TIDE_HELPER bool tide_access_fits_(const tide_segment *segment, size_t position, size_t size,
                                   tide_layout layout, unsigned access)
{
    if (segment == NULL || !tide_layout_is_valid(layout))
        return false;
    uint64_t extent = segment->extent_;
    if ((access & TIDE_ACCESS_WRITE_) != 0 && (extent & TIDE_EXTENT_READ_ONLY) != 0)
        return false;
    extent = tide_extent_size_(extent);
    uintptr_t address = (uintptr_t)segment->base_;
    if ((access & TIDE_ACCESS_INDEX_) != 0) {
        if (position >= extent / size) /* and so index × size is inside, and no overflow */
            return false;
    } else {
        if (extent < size || position > extent - size)
            return false;
        address += position;
    }
    return (layout & TIDE_UNALIGNED) != 0 || (address & (size - 1)) == 0;
}

TIDE_HELPER char *tide_access_address_(const tide_segment *segment, size_t position, size_t size,
                                       unsigned access)
{
    return segment->base_ + ((access & TIDE_ACCESS_INDEX_) != 0 ? position * size : position);
}

TIDE_HELPER unsigned tide_access_word_(size_t size, tide_layout layout, unsigned access)
{
    return (unsigned)size | (layout > 255u ? 255u : layout) << 8 | access;
}

/* The bytes of a scalar, in memory order or swapped. */
TIDE_HELPER uint8_t tide_scalar_get_uint8_t_(const void *address, tide_layout layout)
{
    (void)layout;
    return *(const uint8_t *)address;
}
TIDE_HELPER uint16_t tide_scalar_get_uint16_t_(const void *address, tide_layout layout)
{
    return tide_bytes_get_u16(address, layout);
}
TIDE_HELPER uint32_t tide_scalar_get_uint32_t_(const void *address, tide_layout layout)
{
    return tide_bytes_get_u32(address, layout);
}
TIDE_HELPER uint64_t tide_scalar_get_uint64_t_(const void *address, tide_layout layout)
{
    return tide_bytes_get_u64(address, layout);
}
TIDE_HELPER uintptr_t tide_scalar_get_uintptr_t_(const void *address, tide_layout layout)
{
    return sizeof(uintptr_t) == 8 ? (uintptr_t)tide_bytes_get_u64(address, layout)
                                  : (uintptr_t)tide_bytes_get_u32(address, layout);
}
TIDE_HELPER void tide_scalar_put_uint8_t_(void *address, tide_layout layout, uint8_t value)
{
    (void)layout;
    *(uint8_t *)address = value;
}
TIDE_HELPER void tide_scalar_put_uint16_t_(void *address, tide_layout layout, uint16_t value)
{
    tide_bytes_put_u16(address, layout, value);
}
TIDE_HELPER void tide_scalar_put_uint32_t_(void *address, tide_layout layout, uint32_t value)
{
    tide_bytes_put_u32(address, layout, value);
}
TIDE_HELPER void tide_scalar_put_uint64_t_(void *address, tide_layout layout, uint64_t value)
{
    tide_bytes_put_u64(address, layout, value);
}
TIDE_HELPER void tide_scalar_put_uintptr_t_(void *address, tide_layout layout, uintptr_t value)
{
    if (sizeof(uintptr_t) == 8)
        tide_bytes_put_u64(address, layout, (uint64_t)value);
    else
        tide_bytes_put_u32(address, layout, (uint32_t)value);
}

/* One access by its size: true when it was made, false when the slow path must decide. */
#ifdef TIDE_UNCHECKED
#define TIDE_DEFINE_ACCESS_(bits)                                                                \
    TIDE_HELPER bool tide_fetch_##bits##_(const tide_segment *segment, size_t position,          \
                                          tide_layout layout, unsigned access, bits *raw)        \
    {                                                                                            \
        *raw = tide_scalar_get_##bits##_(                                                        \
            tide_access_address_(segment, position, sizeof(bits), access), layout);              \
        return true;                                                                             \
    }                                                                                            \
    TIDE_HELPER bool tide_place_##bits##_(const tide_segment *segment, size_t position,          \
                                          tide_layout layout, unsigned access, bits raw)         \
    {                                                                                            \
        tide_scalar_put_##bits##_(tide_access_address_(segment, position, sizeof(bits), access), \
                                  layout, raw);                                                  \
        return true;                                                                             \
    }
#else
#define TIDE_DEFINE_ACCESS_(bits)                                                               \
    TIDE_HELPER bool tide_fetch_##bits##_(const tide_segment *segment, size_t position,         \
                                          tide_layout layout, unsigned access, bits *raw)       \
    {                                                                                           \
        if (TIDE_UNLIKELY(!tide_access_fits_(segment, position, sizeof(bits), layout, access))) \
            return false;                                                                       \
        const char *address = tide_access_address_(segment, position, sizeof(bits), access);    \
        tide_thread *thread = tide_thread_self_();                                              \
        if (TIDE_LIKELY(tide_session_(segment, thread))) {                                      \
            *raw = tide_scalar_get_##bits##_(address, layout);                                  \
            return true;                                                                        \
        }                                                                                       \
        if (!tide_section_enter_(segment, thread))                                              \
            return false;                                                                       \
        *raw = tide_scalar_get_##bits##_(address, layout);                                      \
        tide_section_leave_(thread);                                                            \
        return true;                                                                            \
    }                                                                                           \
    TIDE_HELPER bool tide_place_##bits##_(const tide_segment *segment, size_t position,         \
                                          tide_layout layout, unsigned access, bits raw)        \
    {                                                                                           \
        if (TIDE_UNLIKELY(!tide_access_fits_(segment, position, sizeof(bits), layout, access))) \
            return false;                                                                       \
        char *address = tide_access_address_(segment, position, sizeof(bits), access);          \
        tide_thread *thread = tide_thread_self_();                                              \
        if (TIDE_LIKELY(tide_session_(segment, thread))) {                                      \
            tide_scalar_put_##bits##_(address, layout, raw);                                    \
            return true;                                                                        \
        }                                                                                       \
        if (!tide_section_enter_(segment, thread))                                              \
            return false;                                                                       \
        tide_scalar_put_##bits##_(address, layout, raw);                                        \
        tide_section_leave_(thread);                                                            \
        return true;                                                                            \
    }
#endif
TIDE_DEFINE_ACCESS_(uint8_t)
TIDE_DEFINE_ACCESS_(uint16_t)
TIDE_DEFINE_ACCESS_(uint32_t)
TIDE_DEFINE_ACCESS_(uint64_t)
TIDE_DEFINE_ACCESS_(uintptr_t)

/* A value as the bits of its type, and back: by memcpy, so that no NaN is touched; a bool by value.
 */
#define TIDE_DEFINE_BITS_(T, type, bits)               \
    TIDE_HELPER type tide_scalar_from_##T##_(bits raw) \
    {                                                  \
        type value;                                    \
        memcpy(&value, &raw, sizeof value);            \
        return value;                                  \
    }                                                  \
    TIDE_HELPER bits tide_scalar_to_##T##_(type value) \
    {                                                  \
        bits raw;                                      \
        memcpy(&raw, &value, sizeof raw);              \
        return raw;                                    \
    }
#define TIDE_SCALARS_BY_BITS_(X) \
    X(i8, int8_t, uint8_t)       \
    X(u8, uint8_t, uint8_t)      \
    X(i16, int16_t, uint16_t)    \
    X(u16, uint16_t, uint16_t)   \
    X(i32, int32_t, uint32_t)    \
    X(u32, uint32_t, uint32_t)   \
    X(i64, int64_t, uint64_t)    \
    X(u64, uint64_t, uint64_t)   \
    X(f32, float, uint32_t) X(f64, double, uint64_t) X(ptr, void *, uintptr_t)
TIDE_SCALARS_BY_BITS_(TIDE_DEFINE_BITS_)
TIDE_HELPER bool tide_scalar_from_bool_(uint8_t raw)
{
    return raw != 0;
}
TIDE_HELPER uint8_t tide_scalar_to_bool_(bool value)
{
    return value ? 1 : 0;
}

/* What the slow path is shown has its address taken, and so is never the value itself. */
#define TIDE_DEFINE_SCALAR_(T, type, bits)                                                         \
    TIDE_HELPER type tide_get_##T##_any_(const tide_segment *segment, size_t position,             \
                                         tide_layout layout, unsigned access)                      \
    {                                                                                              \
        bits raw;                                                                                  \
        if (TIDE_UNLIKELY(!tide_fetch_##bits##_(segment, position, layout, access, &raw))) {       \
            bits found = 0;                                                                        \
            tide_access_or_fault_(segment, position,                                               \
                                  tide_access_word_(sizeof(bits), layout, access), &found);        \
            raw = found;                                                                           \
        }                                                                                          \
        return tide_scalar_from_##T##_(raw);                                                       \
    }                                                                                              \
    TIDE_HELPER void tide_set_##T##_any_(const tide_segment *segment, size_t position,             \
                                         tide_layout layout, type value, unsigned access)          \
    {                                                                                              \
        bits raw = tide_scalar_to_##T##_(value);                                                   \
        access |= TIDE_ACCESS_WRITE_;                                                              \
        if (TIDE_UNLIKELY(!tide_place_##bits##_(segment, position, layout, access, raw))) {        \
            bits given = raw;                                                                      \
            tide_access_or_fault_(segment, position,                                               \
                                  tide_access_word_(sizeof(bits), layout, access), &given);        \
        }                                                                                          \
    }                                                                                              \
    TIDE_HELPER tide_status tide_load_##T##_any_(const tide_segment *segment, size_t position,     \
                                                 tide_layout layout, type *value, unsigned access) \
    {                                                                                              \
        bits raw;                                                                                  \
        if (TIDE_UNLIKELY(value == NULL ||                                                         \
                          !tide_fetch_##bits##_(segment, position, layout, access, &raw))) {       \
            bits found = 0;                                                                        \
            tide_status status = tide_access_slow_(                                                \
                segment, position, tide_access_word_(sizeof(bits), layout, access),                \
                value != NULL ? &found : NULL);                                                    \
            if (status != TIDE_OK)                                                                 \
                return status;                                                                     \
            raw = found;                                                                           \
        }                                                                                          \
        *value = tide_scalar_from_##T##_(raw);                                                     \
        return TIDE_OK;                                                                            \
    }                                                                                              \
    TIDE_HELPER tide_status tide_store_##T##_any_(const tide_segment *segment, size_t position,    \
                                                  tide_layout layout, type value, unsigned access) \
    {                                                                                              \
        bits raw = tide_scalar_to_##T##_(value);                                                   \
        access |= TIDE_ACCESS_WRITE_;                                                              \
        if (TIDE_UNLIKELY(!tide_place_##bits##_(segment, position, layout, access, raw))) {        \
            bits given = raw;                                                                      \
            return tide_access_slow_(segment, position,                                            \
                                     tide_access_word_(sizeof(bits), layout, access), &given);     \
        }                                                                                          \
        return TIDE_OK;                                                                            \
    }                                                                                              \
    TIDE_DEFINE_FORMS_(tide_get_##T, tide_set_##T, tide_load_##T, tide_store_##T, type, , offset,  \
                       0u)                                                                         \
    TIDE_DEFINE_FORMS_(tide_get_##T, tide_set_##T, tide_load_##T, tide_store_##T, type, _at,       \
                       index, TIDE_ACCESS_INDEX_)

/* The names come pasted: a bare `bool` would be expanded on its way in. */
#define TIDE_DEFINE_FORMS_(get, set, load, store, type, form, position, access)                   \
    TIDE_INLINE type get##form(const tide_segment *segment, size_t position)                      \
    {                                                                                             \
        return get##_any_(segment, position, TIDE_NATIVE_ENDIAN, access);                         \
    }                                                                                             \
    TIDE_INLINE type get##form##_as(const tide_segment *segment, size_t position,                 \
                                    tide_layout layout)                                           \
    {                                                                                             \
        return get##_any_(segment, position, layout, access);                                     \
    }                                                                                             \
    TIDE_INLINE void set##form(const tide_segment *segment, size_t position, type value)          \
    {                                                                                             \
        set##_any_(segment, position, TIDE_NATIVE_ENDIAN, value, access);                         \
    }                                                                                             \
    TIDE_INLINE void set##form##_as(const tide_segment *segment, size_t position,                 \
                                    tide_layout layout, type value)                               \
    {                                                                                             \
        set##_any_(segment, position, layout, value, access);                                     \
    }                                                                                             \
    TIDE_INLINE tide_status load##form(const tide_segment *segment, size_t position, type *value) \
    {                                                                                             \
        return load##_any_(segment, position, TIDE_NATIVE_ENDIAN, value, access);                 \
    }                                                                                             \
    TIDE_INLINE tide_status load##form##_as(const tide_segment *segment, size_t position,         \
                                            tide_layout layout, type *value)                      \
    {                                                                                             \
        return load##_any_(segment, position, layout, value, access);                             \
    }                                                                                             \
    TIDE_INLINE tide_status store##form(const tide_segment *segment, size_t position, type value) \
    {                                                                                             \
        return store##_any_(segment, position, TIDE_NATIVE_ENDIAN, value, access);                \
    }                                                                                             \
    TIDE_INLINE tide_status store##form##_as(const tide_segment *segment, size_t position,        \
                                             tide_layout layout, type value)                      \
    {                                                                                             \
        return store##_any_(segment, position, layout, value, access);                            \
    }

TIDE_SCALARS_(TIDE_DEFINE_SCALAR_)

TIDE_END_DECLS

#endif
