/* SPDX-License-Identifier: Apache-2.0 */
/* Atomic access: what each operation does to each type, in every kind of scope. */
#include "test.h"

#include "atomics.h"
#include "scopes.h"

static const uint64_t patterns[] = {
    0,
    1,
    2,
    0x7F,
    0x80,
    0x7FFFFFFF,
    0x80000000,
    0xFFFFFFFF,
    UINT64_C(0x100000000),
    UINT64_C(0x123456789ABCDEF0),
    (uint64_t)INT64_MAX,
    (uint64_t)INT64_MIN,
    UINT64_MAX - 1,
    UINT64_MAX,
};

static uint64_t cut(uint64_t bits, size_t size)
{
    return size == 4 ? (uint32_t)bits : bits;
}

static uint64_t read_raw(const tide_segment *segment, size_t offset, size_t size)
{
    const char *address = (const char *)tide_segment_address(segment) + offset;
    uint32_t half;
    uint64_t whole;
    memcpy(&half, address, sizeof half);
    memcpy(&whole, address, sizeof whole);
    return size == 4 ? half : whole;
}

static void write_raw(const tide_segment *segment, size_t offset, size_t size, uint64_t bits)
{
    char *address = (char *)tide_segment_address(segment) + offset;
    const uint32_t half = (uint32_t)bits;
    memcpy(address, size == 4 ? (const void *)&half : (const void *)&bits, size);
}

/* What the memory holds after the operation. */
static uint64_t model(uint64_t before, const atomic_call *call)
{
    switch (call->operation) {
    case GET:
        return before;
    case COMPARE_EXCHANGE:
        return before == call->expected ? call->value : before;
    case FETCH_ADD:
        return before + call->value;
    case FETCH_AND:
        return before & call->value;
    case FETCH_OR:
        return before | call->value;
    case FETCH_XOR:
        return before ^ call->value;
    default:
        return call->value;
    }
}

static bool gives_back(atomic_operation operation)
{
    return operation != SET && operation != COMPARE_EXCHANGE;
}

/* One call, at offset 8 of a segment of 24 bytes. */
static void try_call(const atomic_type *type, const tide_segment *segment, uint64_t before,
                     atomic_call call, bool faulting)
{
    const atomic_call given = call;
    memset(tide_segment_address(segment), 0xA5, 24);
    write_raw(segment, 8, type->size, before);
    if (faulting)
        type->call(segment, 8, &call);
    else
        assert_ok(type->attempt(segment, 8, &call));
    assert_int_equal(read_raw(segment, 8, type->size), cut(model(before, &given), type->size));
    assert_true(all_bytes_are(tide_segment_address(segment), 0xA5, 8));
    assert_true(all_bytes_are((char *)tide_segment_address(segment) + 8 + type->size, 0xA5,
                              24 - 8 - type->size));
    if (gives_back(given.operation))
        assert_int_equal(call.result, before);
    if (given.operation == COMPARE_EXCHANGE) {
        assert_int_equal(call.exchanged, before == given.expected);
        assert_int_equal(call.expected, before);
    }
}

static void try_everything(const tide_segment *segment)
{
    for_each_atomic_type(type)
    {
        for (unsigned operation = 0; operation < type->operations; operation++) {
            for (size_t i = 0; i < COUNT_OF(patterns) * COUNT_OF(patterns); i++) {
                const uint64_t before = cut(patterns[i % COUNT_OF(patterns)], type->size);
                atomic_call call = {.operation = (atomic_operation)operation,
                                    .value = cut(patterns[i / COUNT_OF(patterns)], type->size),
                                    .expected = before};
                try_call(type, segment, before, call, true);
                try_call(type, segment, before, call, false);
                call.expected = cut(before ^ UINT64_C(0x8000000080000000), type->size);
                try_call(type, segment, before, call, true);
                try_call(type, segment, before, call, false);
            }
        }
    }
}

static void each_operation_does_what_it_says_in_every_kind_of_scope(void **state)
{
    (void)state;
    for_each_scope_kind(kind)
    {
        scoped it;
        open_scoped(&it, kind, 24, 8);
        try_everything(&it.segment);
        assert_ok(end_scoped(&it));
    }
}

typedef struct first_call {
    const atomic_type *type;
    const tide_segment *segment;
    unsigned operation;
    bool faulting;
} first_call;

static void make_first_call(void *context)
{
    const first_call *it = (const first_call *)context;
    const uint64_t before =
        UINT64_C(0x0000000F000000F0) & (it->type->size == 4 ? 0xFF : UINT64_MAX);
    const atomic_call call = {
        .operation = (atomic_operation)it->operation, .value = 0x3C, .expected = before};
    try_call(it->type, it->segment, before, call, it->faulting);
}

/* Such a thread has no section ready, so that the slow path makes the operation. */
static void a_thread_that_never_used_the_library_may_operate_on_what_is_shared(void **state)
{
    (void)state;
    for (scope_kind kind = SHARED; kind < SCOPE_KINDS; kind++) {
        scoped it;
        open_scoped(&it, kind, 24, 8);
        for_each_atomic_type(type)
        {
            for (unsigned operation = 0; operation < type->operations; operation++) {
                first_call call = {type, &it.segment, operation, true};
                on_new_thread(make_first_call, &call);
                call.faulting = false;
                on_new_thread(make_first_call, &call);
            }
        }
        assert_ok(end_scoped(&it));
    }
}

/* The operand is needed no more once the result is there: a compiler may want one register for
 * both. */
#define DEFINE_CHAIN(T, type, verb)                                                 \
    static __attribute__((noinline))                                                \
    type chain_##verb##_##T(const tide_segment *segment, type value, size_t length) \
    {                                                                               \
        while (length-- > 0)                                                        \
            value = tide_atomic_fetch_##verb##_##T(segment, 8, value);              \
        return value;                                                               \
    }
#define DEFINE_CHAINS(T, type, bits) \
    DEFINE_CHAIN(T, type, add)       \
    DEFINE_CHAIN(T, type, and)       \
    DEFINE_CHAIN(T, type, or)        \
    DEFINE_CHAIN(T, type, xor)
EACH_ATOMIC_INTEGER(DEFINE_CHAINS)

#define TRY_CHAIN(T, type, verb, operator)                                       \
    for (size_t length = 0; length < 5; length++) {                              \
        type value = (type)0x0F0F, memory = (type)0x3333;                        \
        tide_atomic_set_##T(segment, 8, memory);                                 \
        const type last = chain_##verb##_##T(segment, value, length);            \
        for (size_t i = 0; i < length; i++) {                                    \
            const type before = memory;                                          \
            memory = memory operator value;                                      \
            value = before;                                                      \
        }                                                                        \
        assert_true(last == value && tide_atomic_get_##T(segment, 8) == memory); \
    }
#define TRY_CHAINS(T, type, bits) \
    TRY_CHAIN(T, type, add, +)    \
    TRY_CHAIN(T, type, and, &)    \
    TRY_CHAIN(T, type, or, |)     \
    TRY_CHAIN(T, type, xor, ^)

static void a_result_may_take_the_place_of_its_operand(void **state)
{
    (void)state;
    for_each_scope_kind(kind)
    {
        scoped it;
        open_scoped(&it, kind, 24, 8);
        const tide_segment *segment = &it.segment;
        EACH_ATOMIC_INTEGER(TRY_CHAINS)
        assert_ok(end_scoped(&it));
    }
}

static void additions_wrap_around(void **state)
{
    (void)state;
    uint64_t words[2] = {0};
    const tide_segment segment = segment_over(words, sizeof words);
    tide_atomic_set_i32(&segment, 0, INT32_MAX);
    assert_int_equal(tide_atomic_fetch_add_i32(&segment, 0, 1), INT32_MAX);
    assert_int_equal(tide_atomic_get_i32(&segment, 0), INT32_MIN);
    tide_atomic_set_i64(&segment, 8, INT64_MIN);
    assert_true(tide_atomic_fetch_add_i64(&segment, 8, -1) == INT64_MIN);
    assert_true(tide_atomic_get_i64(&segment, 8) == INT64_MAX);
    tide_atomic_set_u32(&segment, 0, UINT32_MAX);
    assert_int_equal(tide_atomic_fetch_add_u32(&segment, 0, 2), UINT32_MAX);
    assert_int_equal(tide_atomic_get_u32(&segment, 0), 1);
    assert_int_equal(((const uint32_t *)words)[1], 0); /* and carry nothing over */
}

static void a_compare_exchange_that_fails_says_what_it_has_found(void **state)
{
    (void)state;
    uint64_t words[2] = {0};
    const tide_segment segment = segment_over(words, sizeof words);
    int a, b;
    void *expected = &a;
    bool exchanged = true;
    assert_false(tide_atomic_compare_exchange_ptr(&segment, 8, &expected, &b));
    assert_null(expected);
    assert_true(tide_atomic_compare_exchange_ptr(&segment, 8, &expected, &b));
    assert_null(expected);
    assert_ok(tide_atomic_try_compare_exchange_ptr(&segment, 8, &expected, &a, &exchanged));
    assert_false(exchanged);
    assert_ptr_equal(expected, &b);
    assert_ok(tide_atomic_try_compare_exchange_ptr(&segment, 8, &expected, &a, &exchanged));
    assert_true(exchanged);
    assert_ptr_equal(tide_atomic_get_ptr(&segment, 8), &a);
}

static void an_expected_value_may_lie_in_the_memory_that_is_changed(void **state)
{
    (void)state;
    uint64_t words[2] = {7, 0};
    const tide_segment segment = segment_over(words, sizeof words);
    assert_true(tide_atomic_compare_exchange_u64(&segment, 0, &words[0], 9));
    assert_int_equal(words[0], 9);
}

static void a_read_only_view_may_be_read(void **state)
{
    (void)state;
    uint64_t words[1] = {UINT64_C(0xFFFFFFFF00000005)};
    const tide_segment view = read_only_of(segment_over(words, sizeof words));
    for_each_atomic_type(type)
    {
        atomic_call call = {.operation = GET};
        type->call(&view, 0, &call);
        assert_int_equal(call.result, cut(words[0], type->size));
        call.result = 0;
        assert_ok(type->attempt(&view, 0, &call));
        assert_int_equal(call.result, cut(words[0], type->size));
    }
}

static void an_operation_inside_a_hold_is_no_different(void **state)
{
    (void)state;
    for_each_scope_kind(kind)
    {
        scoped it;
        tide_hold hold;
        open_scoped(&it, kind, 24, 8);
        assert_ok(tide_scope_hold(tide_segment_scope(&it.segment), &hold));
        assert_int_equal(tide_atomic_fetch_or_u32(&it.segment, 4, 6), 0);
        assert_int_equal(tide_atomic_fetch_xor_u32(&it.segment, 4, 3), 6);
        assert_int_equal(tide_atomic_fetch_and_u32(&it.segment, 4, 1), 5);
        assert_int_equal(tide_atomic_get_u32(&it.segment, 4), 1);
        assert_ok(tide_hold_release(&hold));
        assert_ok(end_scoped(&it));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_operation_does_what_it_says_in_every_kind_of_scope),
        cmocka_unit_test(a_thread_that_never_used_the_library_may_operate_on_what_is_shared),
        cmocka_unit_test(a_result_may_take_the_place_of_its_operand),
        cmocka_unit_test(additions_wrap_around),
        cmocka_unit_test(a_compare_exchange_that_fails_says_what_it_has_found),
        cmocka_unit_test(an_expected_value_may_lie_in_the_memory_that_is_changed),
        cmocka_unit_test(a_read_only_view_may_be_read),
        cmocka_unit_test(an_operation_inside_a_hold_is_no_different),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
