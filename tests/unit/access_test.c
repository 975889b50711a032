/* SPDX-License-Identifier: Apache-2.0 */
/* Scalar access that is in order: every type, byte order, alignment and form moves exactly its bits
 * and no others. What is refused is in access_checks_test.c. */
#include "test.h"

/* name, type, bytes */
#define EACH_SCALAR(X)  \
    X(i8, int8_t, 1)    \
    X(u8, uint8_t, 1)   \
    X(i16, int16_t, 2)  \
    X(u16, uint16_t, 2) \
    X(i32, int32_t, 4)  \
    X(u32, uint32_t, 4) \
    X(i64, int64_t, 8)  \
    X(u64, uint64_t, 8) \
    X(f32, float, 4)    \
    X(f64, double, 8)   \
    X(ptr, void *, 8)

/* Bit patterns; a type takes as many of the lowest bits as it has. Among them are, for the floats:
 * infinities, quiet and signalling NaNs with payloads, negative zero, subnormals. */
static const uint64_t patterns[] = {
    0,
    1,
    0x7F,
    0x80,
    0xFF,
    UINT64_C(0x0102030405060708),
    UINT64_C(0xFEDCBA9876543210),
    UINT64_C(0x8000000080000000),
    UINT64_C(0x7FFFFFFF7FFFFFFF),
    UINT64_MAX,
    UINT64_C(0x7FF0000000000000),
    UINT64_C(0xFFF0000000000000),
    UINT64_C(0x7FF0000000000001),
    UINT64_C(0x7FF8DEADBEEF1234),
    UINT64_C(0xFFF4000000C0FFEE),
    UINT64_C(0x000000007F800000),
    UINT64_C(0x00000000FF800001),
    UINT64_C(0x000000007FA0BEEF),
    UINT64_C(0x00000000FFC12345),
    UINT64_C(0x8000000000000000),
    UINT64_C(0x0000000000000003),
};

static const tide_layout layouts[] = {
    TIDE_NATIVE_ENDIAN,
    TIDE_LITTLE_ENDIAN,
    TIDE_BIG_ENDIAN,
    TIDE_NATIVE_ENDIAN | TIDE_UNALIGNED,
    TIDE_LITTLE_ENDIAN | TIDE_UNALIGNED,
    TIDE_BIG_ENDIAN | TIDE_UNALIGNED,
};

#define ROOM  64
#define CLEAN 0xC3

alignas(16) static unsigned char memory[ROOM];
static unsigned char expected[ROOM];

/* What `size` bytes of `bits` look like in memory, worked out byte by byte. */
static void lay_out(unsigned char *to, uint64_t bits, size_t size, tide_layout layout)
{
    const uint16_t probe = 1;
    bool machine_is_little = *(const unsigned char *)&probe == 1;
    bool little = (layout & TIDE_LITTLE_ENDIAN) != 0 ||
                  ((layout & TIDE_BIG_ENDIAN) == 0 && machine_is_little);
    for (size_t i = 0; i < size; i++) {
        size_t shift = 8 * (little ? i : size - 1 - i);
        to[i] = (unsigned char)(bits >> shift);
    }
}

static void clean(void)
{
    memset(memory, CLEAN, sizeof memory);
    memset(expected, CLEAN, sizeof expected);
}

static void assert_memory_as_expected(void)
{
    assert_memory_equal(memory, expected, sizeof memory);
}

/* The forms that take a layout, at a byte offset and at an index, in a segment that starts `shift`
 * bytes off. */
#define DEFINE_LAYOUT_TEST(T, type, size)                                                     \
    static void check_##T##_in(tide_layout layout, uint64_t bits, size_t shift, size_t index) \
    {                                                                                         \
        tide_segment segment = segment_over(memory + shift, ROOM - 16);                       \
        const tide_segment view = read_only_of(segment);                                      \
        const size_t offset = index * (size);                                                 \
        type value;                                                                           \
        type got;                                                                             \
        unsigned char raw[size];                                                              \
        lay_out(raw, bits, size, TIDE_NATIVE_ENDIAN);                                         \
        memcpy(&value, raw, size);                                                            \
        clean();                                                                              \
        lay_out(expected + shift + offset, bits, size, layout);                               \
        tide_set_##T##_as(&segment, offset, layout, value);                                   \
        assert_memory_as_expected();                                                          \
        memset(memory, CLEAN, sizeof memory);                                                 \
        tide_set_##T##_at_as(&segment, index, layout, value);                                 \
        assert_memory_as_expected();                                                          \
        memset(memory, CLEAN, sizeof memory);                                                 \
        assert_ok(tide_store_##T##_as(&segment, offset, layout, value));                      \
        assert_memory_as_expected();                                                          \
        memset(memory, CLEAN, sizeof memory);                                                 \
        assert_ok(tide_store_##T##_at_as(&segment, index, layout, value));                    \
        assert_memory_as_expected();                                                          \
        got = tide_get_##T##_as(&view, offset, layout);                                       \
        assert_memory_equal(&got, raw, size);                                                 \
        got = tide_get_##T##_at_as(&view, index, layout);                                     \
        assert_memory_equal(&got, raw, size);                                                 \
        memset(&got, 0x11, size);                                                             \
        assert_ok(tide_load_##T##_as(&view, offset, layout, &got));                           \
        assert_memory_equal(&got, raw, size);                                                 \
        memset(&got, 0x11, size);                                                             \
        assert_ok(tide_load_##T##_at_as(&view, index, layout, &got));                         \
        assert_memory_equal(&got, raw, size);                                                 \
        assert_memory_as_expected();                                                          \
    }                                                                                         \
    static void T##_moves_its_bits_in_every_order_at_every_address(void **state)              \
    {                                                                                         \
        (void)state;                                                                          \
        for (size_t i = 0; i < COUNT_OF(layouts); i++) {                                      \
            for (size_t j = 0; j < COUNT_OF(patterns); j++) {                                 \
                const bool unaligned = (layouts[i] & TIDE_UNALIGNED) != 0;                    \
                for (size_t shift = 0; shift < 16; shift += unaligned ? 1 : (size)) {         \
                    check_##T##_in(layouts[i], patterns[j], shift, 0);                        \
                    check_##T##_in(layouts[i], patterns[j], shift, 3);                        \
                    check_##T##_in(layouts[i], patterns[j], shift, (ROOM - 16) / (size)-1);   \
                }                                                                             \
            }                                                                                 \
        }                                                                                     \
    }

/* The forms without a layout: native and aligned. */
#define DEFINE_NATIVE_TEST(T, type, size)                               \
    static void T##_moves_its_bits_in_native_order(void **state)        \
    {                                                                   \
        (void)state;                                                    \
        for (size_t j = 0; j < COUNT_OF(patterns); j++) {               \
            for (size_t index = 0; index < ROOM / (size); index++) {    \
                tide_segment segment = segment_over(memory, ROOM);      \
                const tide_segment view = read_only_of(segment);        \
                const size_t offset = index * (size);                   \
                type value;                                             \
                type got;                                               \
                unsigned char raw[size];                                \
                lay_out(raw, patterns[j], size, TIDE_NATIVE_ENDIAN);    \
                memcpy(&value, raw, size);                              \
                clean();                                                \
                memcpy(expected + offset, raw, size);                   \
                tide_set_##T(&segment, offset, value);                  \
                assert_memory_as_expected();                            \
                memset(memory, CLEAN, sizeof memory);                   \
                tide_set_##T##_at(&segment, index, value);              \
                assert_memory_as_expected();                            \
                memset(memory, CLEAN, sizeof memory);                   \
                assert_ok(tide_store_##T(&segment, offset, value));     \
                assert_memory_as_expected();                            \
                memset(memory, CLEAN, sizeof memory);                   \
                assert_ok(tide_store_##T##_at(&segment, index, value)); \
                assert_memory_as_expected();                            \
                got = tide_get_##T(&view, offset);                      \
                assert_memory_equal(&got, raw, size);                   \
                got = tide_get_##T##_at(&view, index);                  \
                assert_memory_equal(&got, raw, size);                   \
                memset(&got, 0x11, size);                               \
                assert_ok(tide_load_##T(&view, offset, &got));          \
                assert_memory_equal(&got, raw, size);                   \
                memset(&got, 0x11, size);                               \
                assert_ok(tide_load_##T##_at(&view, index, &got));      \
                assert_memory_equal(&got, raw, size);                   \
            }                                                           \
        }                                                               \
    }

EACH_SCALAR(DEFINE_LAYOUT_TEST)
EACH_SCALAR(DEFINE_NATIVE_TEST)

/* ------------------------------------------------------------------------------- bool */

static void any_byte_but_zero_reads_as_true(void **state)
{
    (void)state;
    tide_segment segment = segment_over(memory, ROOM);
    for (int byte = 0; byte <= 0xFF; byte++) {
        memory[5] = (unsigned char)byte;
        const bool truth = byte != 0;
        assert_true(tide_get_bool(&segment, 5) == truth);
        assert_true(tide_get_bool_at(&segment, 5) == truth);
        for (size_t i = 0; i < COUNT_OF(layouts); i++) {
            bool value = !truth;
            assert_true(tide_get_bool_as(&segment, 5, layouts[i]) == truth);
            assert_true(tide_get_bool_at_as(&segment, 5, layouts[i]) == truth);
            assert_ok(tide_load_bool_as(&segment, 5, layouts[i], &value));
            assert_true(value == truth);
            value = !truth;
            assert_ok(tide_load_bool_at_as(&segment, 5, layouts[i], &value));
            assert_true(value == truth);
        }
        bool value = !truth;
        assert_ok(tide_load_bool(&segment, 5, &value));
        assert_true(value == truth);
        value = !truth;
        assert_ok(tide_load_bool_at(&segment, 5, &value));
        assert_true(value == truth);
        assert_int_equal(memory[5], byte);
    }
}

static void true_is_written_as_one_and_false_as_zero(void **state)
{
    (void)state;
    tide_segment segment = segment_over(memory, ROOM);
    for (int truth = 0; truth <= 1; truth++) {
        const bool value = truth != 0;
        clean();
        memset(expected + 8, truth, 4);
        tide_set_bool(&segment, 8, value);
        tide_set_bool_at(&segment, 9, value);
        assert_ok(tide_store_bool(&segment, 10, value));
        assert_ok(tide_store_bool_at(&segment, 11, value));
        assert_memory_as_expected();
        for (size_t i = 0; i < COUNT_OF(layouts); i++) {
            memset(memory + 8, CLEAN, 4);
            tide_set_bool_as(&segment, 8, layouts[i], value);
            tide_set_bool_at_as(&segment, 9, layouts[i], value);
            assert_ok(tide_store_bool_as(&segment, 10, layouts[i], value));
            assert_ok(tide_store_bool_at_as(&segment, 11, layouts[i], value));
            assert_memory_as_expected();
        }
    }
}

/* ------------------------------------------------------------------------------- in an arena */

static void values_in_an_arena_go_round(void **state)
{
    (void)state;
    for (size_t size = 64; size <= 6400; size *= 100) {
        tide_arena arena;
        tide_segment segment;
        assert_ok(tide_arena_open(&arena));
        assert_ok(tide_arena_segment(&arena, size, 8, &segment));
        for (size_t i = 0; i < size / 8; i++)
            tide_set_f64_at(&segment, i, (double)i * 0.5);
        double sum = 0;
        const size_t elements = size / 8;
        for (size_t i = 0; i < elements; i++)
            sum += tide_get_f64_at(&segment, i);
        const double count = (double)elements;
        assert_true(sum == count * (count - 1) / 4);
        assert_ok(tide_arena_close(&arena));
    }
}

static void a_pointer_stored_is_the_pointer_loaded(void **state)
{
    (void)state;
    tide_segment segment = segment_over(memory, ROOM);
    void *got = NULL;
    tide_set_ptr(&segment, 8, memory);
    assert_ptr_equal(tide_get_ptr(&segment, 8), memory);
    assert_ok(tide_load_ptr_at(&segment, 1, &got));
    assert_ptr_equal(got, memory);
    assert_ok(tide_store_ptr(&segment, 8, NULL));
    assert_null(tide_get_ptr(&segment, 8));
}

#define LAYOUT_ENTRY(T, type, size) \
    cmocka_unit_test(T##_moves_its_bits_in_every_order_at_every_address),
#define NATIVE_ENTRY(T, type, size) cmocka_unit_test(T##_moves_its_bits_in_native_order),

int main(void)
{
    const struct CMUnitTest tests[] = {
        EACH_SCALAR(LAYOUT_ENTRY) EACH_SCALAR(NATIVE_ENTRY)
            cmocka_unit_test(any_byte_but_zero_reads_as_true),
        cmocka_unit_test(true_is_written_as_one_and_false_as_zero),
        cmocka_unit_test(values_in_an_arena_go_round),
        cmocka_unit_test(a_pointer_stored_is_the_pointer_loaded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
