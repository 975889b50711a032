/* SPDX-License-Identifier: Apache-2.0 */
/* Every atomic operation on every type, in both forms, behind two function pointers for
 * each type. */
#ifndef TIDEPOOL_TESTS_ATOMICS_H
#define TIDEPOOL_TESTS_ATOMICS_H

#include "test.h"

typedef enum atomic_operation {
    GET,
    SET,
    EXCHANGE,
    COMPARE_EXCHANGE,
    FETCH_ADD,
    FETCH_AND,
    FETCH_OR,
    FETCH_XOR,
    ATOMIC_OPERATIONS
} atomic_operation;

/* Arguments and results as bits. */
typedef struct atomic_call {
    atomic_operation operation;
    uint64_t value;
    uint64_t expected; /* in and out */
    uint64_t result;   /* what was before; SET and COMPARE_EXCHANGE leave it alone */
    bool exchanged;    /* by COMPARE_EXCHANGE */
} atomic_call;

typedef struct atomic_type {
    const char *name;
    size_t size;
    unsigned operations; /* the first so many */
    void (*call)(const tide_segment *segment, size_t offset, atomic_call *call);
    tide_status (*attempt)(const tide_segment *segment, size_t offset, atomic_call *call);
    void (*no_places)(const tide_segment *segment, size_t offset);
} atomic_type;

#define EACH_ATOMIC_INTEGER(X) \
    X(i32, int32_t, uint32_t)  \
    X(u32, uint32_t, uint32_t) \
    X(i64, int64_t, uint64_t)  \
    X(u64, uint64_t, uint64_t)

#define DEFINE_ATOMIC_COMMON(T, type, bits)                                                        \
    TEST_HELPER void atomic_call_common_##T(const tide_segment *segment, size_t offset,            \
                                            atomic_call *call)                                     \
    {                                                                                              \
        type value = (type)(uintptr_t)call->value;                                                 \
        type expected = (type)(uintptr_t)call->expected;                                           \
        if (call->operation == GET) {                                                              \
            call->result = (bits)tide_atomic_get_##T(segment, offset);                             \
        } else if (call->operation == SET) {                                                       \
            tide_atomic_set_##T(segment, offset, value);                                           \
        } else if (call->operation == EXCHANGE) {                                                  \
            call->result = (bits)tide_atomic_exchange_##T(segment, offset, value);                 \
        } else {                                                                                   \
            call->exchanged = tide_atomic_compare_exchange_##T(segment, offset, &expected, value); \
            call->expected = (bits)expected;                                                       \
        }                                                                                          \
    }                                                                                              \
    TEST_HELPER tide_status atomic_attempt_common_##T(const tide_segment *segment, size_t offset,  \
                                                      atomic_call *call)                           \
    {                                                                                              \
        type value = (type)(uintptr_t)call->value;                                                 \
        type expected = (type)(uintptr_t)call->expected;                                           \
        type result = (type)(uintptr_t)call->result;                                               \
        tide_status status;                                                                        \
        if (call->operation == GET)                                                                \
            status = tide_atomic_try_get_##T(segment, offset, &result);                            \
        else if (call->operation == SET)                                                           \
            status = tide_atomic_try_set_##T(segment, offset, value);                              \
        else if (call->operation == EXCHANGE)                                                      \
            status = tide_atomic_try_exchange_##T(segment, offset, value, &result);                \
        else                                                                                       \
            status = tide_atomic_try_compare_exchange_##T(segment, offset, &expected, value,       \
                                                          &call->exchanged);                       \
        call->expected = (bits)expected;                                                           \
        call->result = (bits)result;                                                               \
        return status;                                                                             \
    }                                                                                              \
    TEST_HELPER void atomic_no_places_common_##T(const tide_segment *segment, size_t offset)       \
    {                                                                                              \
        type expected = (type)0;                                                                   \
        bool exchanged = true;                                                                     \
        assert_refused(TIDE_INVALID_ARGUMENT, tide_atomic_try_get_##T(segment, offset, NULL));     \
        assert_refused(TIDE_INVALID_ARGUMENT,                                                      \
                       tide_atomic_try_exchange_##T(segment, offset, (type)1, NULL));              \
        assert_refused(TIDE_INVALID_ARGUMENT, tide_atomic_try_compare_exchange_##T(                \
                                                  segment, offset, NULL, (type)1, &exchanged));    \
        assert_refused(TIDE_INVALID_ARGUMENT, tide_atomic_try_compare_exchange_##T(                \
                                                  segment, offset, &expected, (type)1, NULL));     \
        assert_fault(TIDE_INVALID_ARGUMENT,                                                        \
                     tide_atomic_compare_exchange_##T(segment, offset, NULL, (type)1));            \
        assert_true(exchanged &&expected == (type)0);                                              \
    }

#define DEFINE_ATOMIC_INTEGER(T, type, bits)                                               \
    TEST_HELPER void atomic_call_##T(const tide_segment *segment, size_t offset,           \
                                     atomic_call *call)                                    \
    {                                                                                      \
        type value = (type)call->value;                                                    \
        if (call->operation == FETCH_ADD)                                                  \
            call->result = (bits)tide_atomic_fetch_add_##T(segment, offset, value);        \
        else if (call->operation == FETCH_AND)                                             \
            call->result = (bits)tide_atomic_fetch_and_##T(segment, offset, value);        \
        else if (call->operation == FETCH_OR)                                              \
            call->result = (bits)tide_atomic_fetch_or_##T(segment, offset, value);         \
        else if (call->operation == FETCH_XOR)                                             \
            call->result = (bits)tide_atomic_fetch_xor_##T(segment, offset, value);        \
        else                                                                               \
            atomic_call_common_##T(segment, offset, call);                                 \
    }                                                                                      \
    TEST_HELPER tide_status atomic_attempt_##T(const tide_segment *segment, size_t offset, \
                                               atomic_call *call)                          \
    {                                                                                      \
        type value = (type)call->value;                                                    \
        type result = (type)call->result;                                                  \
        tide_status status;                                                                \
        if (call->operation == FETCH_ADD)                                                  \
            status = tide_atomic_try_fetch_add_##T(segment, offset, value, &result);       \
        else if (call->operation == FETCH_AND)                                             \
            status = tide_atomic_try_fetch_and_##T(segment, offset, value, &result);       \
        else if (call->operation == FETCH_OR)                                              \
            status = tide_atomic_try_fetch_or_##T(segment, offset, value, &result);        \
        else if (call->operation == FETCH_XOR)                                             \
            status = tide_atomic_try_fetch_xor_##T(segment, offset, value, &result);       \
        else                                                                               \
            return atomic_attempt_common_##T(segment, offset, call);                       \
        call->result = (bits)result;                                                       \
        return status;                                                                     \
    }                                                                                      \
    TEST_HELPER void atomic_no_places_##T(const tide_segment *segment, size_t offset)      \
    {                                                                                      \
        atomic_no_places_common_##T(segment, offset);                                      \
        assert_refused(TIDE_INVALID_ARGUMENT,                                              \
                       tide_atomic_try_fetch_add_##T(segment, offset, (type)1, NULL));     \
        assert_refused(TIDE_INVALID_ARGUMENT,                                              \
                       tide_atomic_try_fetch_and_##T(segment, offset, (type)1, NULL));     \
        assert_refused(TIDE_INVALID_ARGUMENT,                                              \
                       tide_atomic_try_fetch_or_##T(segment, offset, (type)1, NULL));      \
        assert_refused(TIDE_INVALID_ARGUMENT,                                              \
                       tide_atomic_try_fetch_xor_##T(segment, offset, (type)1, NULL));     \
    }

EACH_ATOMIC_INTEGER(DEFINE_ATOMIC_COMMON)
DEFINE_ATOMIC_COMMON(ptr, void *, uintptr_t)
EACH_ATOMIC_INTEGER(DEFINE_ATOMIC_INTEGER)

#define ATOMIC_ENTRY(T, type, bits) \
    {#T,                            \
     sizeof(bits),                  \
     ATOMIC_OPERATIONS,             \
     atomic_call_##T,               \
     atomic_attempt_##T,            \
     atomic_no_places_##T},

static const atomic_type atomic_types[] = {
    EACH_ATOMIC_INTEGER(ATOMIC_ENTRY){"ptr", sizeof(void *), FETCH_ADD, atomic_call_common_ptr,
                                      atomic_attempt_common_ptr, atomic_no_places_common_ptr},
};

#define for_each_atomic_type(one) \
    for (const atomic_type *one = atomic_types; one < atomic_types + COUNT_OF(atomic_types); one++)

#endif
