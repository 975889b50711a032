/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fast path of atomic.h: the checks that nearly always pass, then the operation, in a read
 * section when the scope is shared. What fails them goes to tide_atomic_slow_(), which looks again
 * in the order of the contract and makes the operation itself where it may.
 */
#ifndef TIDEPOOL_DETAIL_ATOMIC_INLINE_H
#define TIDEPOOL_DETAIL_ATOMIC_INLINE_H

#include "access_inline.h"

TIDE_BEGIN_DECLS

/* What to do: in a word with the size of the scalar in its low byte. */
#define TIDE_ATOMIC_GET_                   0u
#define TIDE_ATOMIC_SET_                   1u
#define TIDE_ATOMIC_EXCHANGE_              2u
#define TIDE_ATOMIC_COMPARE_EXCHANGE_      3u
#define TIDE_ATOMIC_FETCH_ADD_             4u
#define TIDE_ATOMIC_FETCH_AND_             5u
#define TIDE_ATOMIC_FETCH_OR_              6u
#define TIDE_ATOMIC_FETCH_XOR_             7u
#define TIDE_ATOMIC_WORD_(operation, size) ((operation) << 8 | (unsigned)(size))

/* Makes the operation after all, with the bits of the values, and stores those of what it has
 * found; or returns the fault, noted in the last error. NULL for `found`: the caller was given no
 * place. */
TIDE_API TIDE_SLOW tide_status tide_atomic_slow_(const tide_segment *segment, size_t offset,
                                                 unsigned word, uint64_t value, uint64_t expected,
                                                 uint64_t *found);
/* The same for the forms without a status: hands the fault to the handler and does not
 * return then. */
TIDE_API TIDE_SLOW void tide_atomic_or_fault_(const tide_segment *segment, size_t offset,
                                              unsigned word, uint64_t value, uint64_t expected,
                                              uint64_t *found);

/* The memory may have been written as any type. */
typedef uint32_t tide_atomic_uint32_t_ __attribute__((may_alias));
typedef uint64_t tide_atomic_uint64_t_ __attribute__((may_alias));
typedef uintptr_t tide_atomic_uintptr_t_ __attribute__((may_alias));

/*
 * gcc (12 is one) makes a compare-exchange loop of a fetch-and, -or or -xor whose result is used,
 * and may give the result the register of the operand, which the loop reads again behind it: wrong
 * code, as in `v = __atomic_fetch_or(p, v, …)`. An operand that is needed afterwards has a register
 * of its own.
 */
#if defined(__clang__)
#define TIDE_ATOMIC_KEEP_(operand) ((void)0)
#else
#define TIDE_ATOMIC_KEEP_(operand) __asm__ volatile("" : : "g"(operand))
#endif

/* The operation at an address that is aligned; returns what was there before. A compare-exchange
 * has exchanged when that is what was expected. With a constant operation, one instruction or a
 * loop of a few. */
#define TIDE_DEFINE_ATOMIC_MAKE_(bits)                                                         \
    TIDE_HELPER bits tide_atomic_make_##bits##_(void *address, unsigned operation, bits value, \
                                                bits expected)                                 \
    {                                                                                          \
        tide_atomic_##bits##_ *place = (tide_atomic_##bits##_ *)address;                       \
        tide_atomic_##bits##_ found = expected;                                                \
        switch (operation) {                                                                   \
        case TIDE_ATOMIC_GET_:                                                                 \
            found = __atomic_load_n(place, __ATOMIC_SEQ_CST);                                  \
            break;                                                                             \
        case TIDE_ATOMIC_SET_:                                                                 \
            __atomic_store_n(place, value, __ATOMIC_SEQ_CST);                                  \
            break;                                                                             \
        case TIDE_ATOMIC_EXCHANGE_:                                                            \
            found = __atomic_exchange_n(place, value, __ATOMIC_SEQ_CST);                       \
            break;                                                                             \
        case TIDE_ATOMIC_COMPARE_EXCHANGE_:                                                    \
            (void)__atomic_compare_exchange_n(place, &found, value, false, __ATOMIC_SEQ_CST,   \
                                              __ATOMIC_SEQ_CST);                               \
            break;                                                                             \
        case TIDE_ATOMIC_FETCH_ADD_:                                                           \
            found = __atomic_fetch_add(place, value, __ATOMIC_SEQ_CST);                        \
            break;                                                                             \
        case TIDE_ATOMIC_FETCH_AND_:                                                           \
            found = __atomic_fetch_and(place, value, __ATOMIC_SEQ_CST);                        \
            break;                                                                             \
        case TIDE_ATOMIC_FETCH_OR_:                                                            \
            found = __atomic_fetch_or(place, value, __ATOMIC_SEQ_CST);                         \
            break;                                                                             \
        default:                                                                               \
            found = __atomic_fetch_xor(place, value, __ATOMIC_SEQ_CST);                        \
            break;                                                                             \
        }                                                                                      \
        TIDE_ATOMIC_KEEP_(value);                                                              \
        return found;                                                                          \
    }

/* One operation: true when it was made, false when the slow path must decide. */
#ifdef TIDE_UNCHECKED
#define TIDE_DEFINE_ATOMIC_TRY_(bits)                                                             \
    TIDE_HELPER bool tide_atomic_try_##bits##_(const tide_segment *segment, size_t offset,        \
                                               unsigned operation, bits value, bits expected,     \
                                               bits *found)                                       \
    {                                                                                             \
        *found = tide_atomic_make_##bits##_(segment->base_ + offset, operation, value, expected); \
        return true;                                                                              \
    }
#else
#define TIDE_DEFINE_ATOMIC_TRY_(bits)                                                           \
    TIDE_HELPER bool tide_atomic_try_##bits##_(const tide_segment *segment, size_t offset,      \
                                               unsigned operation, bits value, bits expected,   \
                                               bits *found)                                     \
    {                                                                                           \
        const unsigned access = operation == TIDE_ATOMIC_GET_ ? 0 : TIDE_ACCESS_WRITE_;         \
        if (TIDE_UNLIKELY(                                                                      \
                !tide_access_fits_(segment, offset, sizeof(bits), TIDE_NATIVE_ENDIAN, access))) \
            return false;                                                                       \
        char *address = segment->base_ + offset;                                                \
        tide_thread *thread = tide_thread_self_();                                              \
        if (TIDE_LIKELY(tide_session_(segment, thread))) {                                      \
            *found = tide_atomic_make_##bits##_(address, operation, value, expected);           \
            return true;                                                                        \
        }                                                                                       \
        if (!tide_section_enter_(segment, thread))                                              \
            return false;                                                                       \
        *found = tide_atomic_make_##bits##_(address, operation, value, expected);               \
        tide_section_leave_(thread);                                                            \
        return true;                                                                            \
    }
#endif

#define TIDE_DEFINE_ATOMIC_BITS_(bits) \
    TIDE_DEFINE_ATOMIC_MAKE_(bits)     \
    TIDE_DEFINE_ATOMIC_TRY_(bits)
TIDE_DEFINE_ATOMIC_BITS_(uint32_t)
TIDE_DEFINE_ATOMIC_BITS_(uint64_t)
TIDE_DEFINE_ATOMIC_BITS_(uintptr_t)

/* Any operation on the bits of a type: what was there before, and as a status with a place for it,
 * which is NULL when the caller was given none. What the slow path is shown has its address taken,
 * and so is never the value itself. */
#define TIDE_DEFINE_ATOMIC_FORMS_(T, bits)                                                         \
    TIDE_HELPER bits tide_atomic_##T##_any_(const tide_segment *segment, size_t offset,            \
                                            unsigned operation, bits value, bits expected)         \
    {                                                                                              \
        bits found;                                                                                \
        if (TIDE_UNLIKELY(!tide_atomic_try_##bits##_(segment, offset, operation, value, expected,  \
                                                     &found))) {                                   \
            uint64_t late = 0;                                                                     \
            tide_atomic_or_fault_(segment, offset, TIDE_ATOMIC_WORD_(operation, sizeof(bits)),     \
                                  value, expected, &late);                                         \
            found = (bits)late;                                                                    \
        }                                                                                          \
        return found;                                                                              \
    }                                                                                              \
    TIDE_HELPER tide_status tide_atomic_try_##T##_any_(const tide_segment *segment, size_t offset, \
                                                       unsigned operation, bits value,             \
                                                       bits expected, bits *result)                \
    {                                                                                              \
        bits found;                                                                                \
        if (TIDE_UNLIKELY(result == NULL ||                                                        \
                          !tide_atomic_try_##bits##_(segment, offset, operation, value, expected,  \
                                                     &found))) {                                   \
            uint64_t late = 0;                                                                     \
            tide_status status =                                                                   \
                tide_atomic_slow_(segment, offset, TIDE_ATOMIC_WORD_(operation, sizeof(bits)),     \
                                  value, expected, result != NULL ? &late : NULL);                 \
            if (status != TIDE_OK)                                                                 \
                return status;                                                                     \
            found = (bits)late;                                                                    \
        }                                                                                          \
        *result = found;                                                                           \
        return TIDE_OK;                                                                            \
    }

/* The public functions that give back what was there before. */
#define TIDE_DEFINE_ATOMIC_BEFORE_(T, type, bits, verb, operation)                                \
    TIDE_INLINE type tide_atomic_##verb##_##T(const tide_segment *segment, size_t offset,         \
                                              type value)                                         \
    {                                                                                             \
        return tide_scalar_from_##T##_(                                                           \
            tide_atomic_##T##_any_(segment, offset, operation, tide_scalar_to_##T##_(value), 0)); \
    }                                                                                             \
    TIDE_INLINE tide_status tide_atomic_try_##verb##_##T(const tide_segment *segment,             \
                                                         size_t offset, type value, type *before) \
    {                                                                                             \
        bits found = 0;                                                                           \
        tide_status status =                                                                      \
            tide_atomic_try_##T##_any_(segment, offset, operation, tide_scalar_to_##T##_(value),  \
                                       0, before != NULL ? &found : NULL);                        \
        if (status == TIDE_OK)                                                                    \
            *before = tide_scalar_from_##T##_(found);                                             \
        return status;                                                                            \
    }

#define TIDE_DEFINE_ATOMIC_(T, type, bits)                                                        \
    TIDE_DEFINE_ATOMIC_FORMS_(T, bits)                                                            \
    TIDE_INLINE type tide_atomic_get_##T(const tide_segment *segment, size_t offset)              \
    {                                                                                             \
        return tide_scalar_from_##T##_(                                                           \
            tide_atomic_##T##_any_(segment, offset, TIDE_ATOMIC_GET_, 0, 0));                     \
    }                                                                                             \
    TIDE_INLINE tide_status tide_atomic_try_get_##T(const tide_segment *segment, size_t offset,   \
                                                    type *value)                                  \
    {                                                                                             \
        bits found = 0;                                                                           \
        tide_status status = tide_atomic_try_##T##_any_(segment, offset, TIDE_ATOMIC_GET_, 0, 0,  \
                                                        value != NULL ? &found : NULL);           \
        if (status == TIDE_OK)                                                                    \
            *value = tide_scalar_from_##T##_(found);                                              \
        return status;                                                                            \
    }                                                                                             \
    TIDE_INLINE void tide_atomic_set_##T(const tide_segment *segment, size_t offset, type value)  \
    {                                                                                             \
        (void)tide_atomic_##T##_any_(segment, offset, TIDE_ATOMIC_SET_,                           \
                                     tide_scalar_to_##T##_(value), 0);                            \
    }                                                                                             \
    TIDE_INLINE tide_status tide_atomic_try_set_##T(const tide_segment *segment, size_t offset,   \
                                                    type value)                                   \
    {                                                                                             \
        bits found;                                                                               \
        return tide_atomic_try_##T##_any_(segment, offset, TIDE_ATOMIC_SET_,                      \
                                          tide_scalar_to_##T##_(value), 0, &found);               \
    }                                                                                             \
    TIDE_DEFINE_ATOMIC_BEFORE_(T, type, bits, exchange, TIDE_ATOMIC_EXCHANGE_)                    \
    TIDE_INLINE bool tide_atomic_compare_exchange_##T(const tide_segment *segment, size_t offset, \
                                                      type *expected, type value)                 \
    {                                                                                             \
        if (TIDE_UNLIKELY(expected == NULL)) {                                                    \
            tide_atomic_or_fault_(segment, offset,                                                \
                                  TIDE_ATOMIC_WORD_(TIDE_ATOMIC_COMPARE_EXCHANGE_, sizeof(bits)), \
                                  tide_scalar_to_##T##_(value), 0, NULL);                         \
            return false;                                                                         \
        }                                                                                         \
        bits wanted = tide_scalar_to_##T##_(*expected);                                           \
        bits found = tide_atomic_##T##_any_(segment, offset, TIDE_ATOMIC_COMPARE_EXCHANGE_,       \
                                            tide_scalar_to_##T##_(value), wanted);                \
        if (found != wanted)                                                                      \
            *expected = tide_scalar_from_##T##_(found);                                           \
        return found == wanted;                                                                   \
    }                                                                                             \
    TIDE_INLINE tide_status tide_atomic_try_compare_exchange_##T(                                 \
        const tide_segment *segment, size_t offset, type *expected, type value, bool *exchanged)  \
    {                                                                                             \
        bits found = 0;                                                                           \
        bits wanted = expected != NULL ? tide_scalar_to_##T##_(*expected) : 0;                    \
        tide_status status = tide_atomic_try_##T##_any_(                                          \
            segment, offset, TIDE_ATOMIC_COMPARE_EXCHANGE_, tide_scalar_to_##T##_(value), wanted, \
            expected != NULL && exchanged != NULL ? &found : NULL);                               \
        if (status != TIDE_OK)                                                                    \
            return status;                                                                        \
        if (found != wanted)                                                                      \
            *expected = tide_scalar_from_##T##_(found);                                           \
        *exchanged = found == wanted;                                                             \
        return TIDE_OK;                                                                           \
    }

#define TIDE_DEFINE_ATOMIC_INTEGER_(T, type, bits)                               \
    TIDE_DEFINE_ATOMIC_BEFORE_(T, type, bits, fetch_add, TIDE_ATOMIC_FETCH_ADD_) \
    TIDE_DEFINE_ATOMIC_BEFORE_(T, type, bits, fetch_and, TIDE_ATOMIC_FETCH_AND_) \
    TIDE_DEFINE_ATOMIC_BEFORE_(T, type, bits, fetch_or, TIDE_ATOMIC_FETCH_OR_)   \
    TIDE_DEFINE_ATOMIC_BEFORE_(T, type, bits, fetch_xor, TIDE_ATOMIC_FETCH_XOR_)

TIDE_ATOMICS_(TIDE_DEFINE_ATOMIC_)
TIDE_ATOMIC_INTEGERS_(TIDE_DEFINE_ATOMIC_INTEGER_)

TIDE_END_DECLS

#endif
