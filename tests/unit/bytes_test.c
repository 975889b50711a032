/* SPDX-License-Identifier: Apache-2.0 */
/* Scalars in raw memory, mismatch and wipe. */
#include "test.h"

static const tide_layout layouts[] = {TIDE_NATIVE_ENDIAN,
                                      TIDE_LITTLE_ENDIAN,
                                      TIDE_BIG_ENDIAN,
                                      TIDE_UNALIGNED,
                                      TIDE_LITTLE_ENDIAN | TIDE_UNALIGNED,
                                      TIDE_BIG_ENDIAN | TIDE_UNALIGNED};

static void a_layout_has_at_most_one_byte_order_and_known_flags(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(layouts); i++)
        assert_true(tide_layout_is_valid(layouts[i]));
    const tide_layout bad[] = {3, 7, 8, 12, 16, UINT32_MAX};
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        assert_false(tide_layout_is_valid(bad[i]));
}

static void a_big_endian_scalar_has_its_most_significant_byte_first(void **state)
{
    (void)state;
    unsigned char bytes[9] = {0};
    for (size_t at = 0; at < 2; at++) { /* aligned or not */
        tide_bytes_put_u16(bytes + at, TIDE_BIG_ENDIAN, 0x0102);
        assert_memory_equal(bytes + at, "\x01\x02", 2);
        assert_int_equal(tide_bytes_get_u16(bytes + at, TIDE_BIG_ENDIAN), 0x0102);
        tide_bytes_put_u32(bytes + at, TIDE_BIG_ENDIAN, 0x01020304);
        assert_memory_equal(bytes + at, "\x01\x02\x03\x04", 4);
        assert_int_equal(tide_bytes_get_u32(bytes + at, TIDE_BIG_ENDIAN), 0x01020304);
        tide_bytes_put_u64(bytes + at, TIDE_BIG_ENDIAN, UINT64_C(0x0102030405060708));
        assert_memory_equal(bytes + at, "\x01\x02\x03\x04\x05\x06\x07\x08", 8);
        assert_true(tide_bytes_get_u64(bytes + at, TIDE_BIG_ENDIAN) ==
                    UINT64_C(0x0102030405060708));
    }
}

static void a_little_endian_scalar_has_its_least_significant_byte_first(void **state)
{
    (void)state;
    unsigned char bytes[9] = {0};
    for (size_t at = 0; at < 2; at++) {
        tide_bytes_put_u16(bytes + at, TIDE_LITTLE_ENDIAN, 0x0102);
        assert_memory_equal(bytes + at, "\x02\x01", 2);
        assert_int_equal(tide_bytes_get_u16(bytes + at, TIDE_LITTLE_ENDIAN), 0x0102);
        tide_bytes_put_u32(bytes + at, TIDE_LITTLE_ENDIAN, 0x01020304);
        assert_memory_equal(bytes + at, "\x04\x03\x02\x01", 4);
        assert_int_equal(tide_bytes_get_u32(bytes + at, TIDE_LITTLE_ENDIAN), 0x01020304);
        tide_bytes_put_u64(bytes + at, TIDE_LITTLE_ENDIAN, UINT64_C(0x0102030405060708));
        assert_memory_equal(bytes + at, "\x08\x07\x06\x05\x04\x03\x02\x01", 8);
        assert_true(tide_bytes_get_u64(bytes + at, TIDE_LITTLE_ENDIAN) ==
                    UINT64_C(0x0102030405060708));
    }
}

static void the_native_order_is_the_machine_s_own(void **state)
{
    (void)state;
    uint64_t value = UINT64_C(0x0102030405060708);
    assert_true(tide_bytes_get_u64(&value, TIDE_NATIVE_ENDIAN) == value);
    assert_false(tide_layout_swaps(TIDE_NATIVE_ENDIAN));
    assert_true(tide_layout_swaps(TIDE_BIG_ENDIAN) != tide_layout_swaps(TIDE_LITTLE_ENDIAN));
}

/* Two copies of the same `size` bytes, at addresses that are differently aligned. */
typedef struct twins {
    unsigned char *a;
    unsigned char *b;
    unsigned char *memory[2];
} twins;

static twins make_twins(size_t size)
{
    twins both = {.memory = {(unsigned char *)malloc(size + 1), (unsigned char *)malloc(size + 4)}};
    assert_non_null(both.memory[0]);
    assert_non_null(both.memory[1]);
    both.a = both.memory[0] + 1;
    both.b = both.memory[1] + 4;
    for (size_t i = 0; i < size; i++)
        both.a[i] = both.b[i] = (unsigned char)(i * 7 + i / 251);
    return both;
}

static void free_twins(twins both)
{
    free(both.memory[0]);
    free(both.memory[1]);
}

static void equal_ranges_mismatch_at_their_size(void **state)
{
    (void)state;
    const size_t sizes[] = {0,   1,    7,    8,     9,     63,    64,    65,
                            255, 4095, 4096, 16383, 16384, 16385, 65536, 100001};
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        twins both = make_twins(sizes[i]);
        assert_int_equal(tide_bytes_mismatch(both.a, both.b, sizes[i]), sizes[i]);
        assert_int_equal(tide_bytes_mismatch(both.a, both.a, sizes[i]), sizes[i]);
        free_twins(both);
    }
}

static void a_difference_is_found_at_every_place_of_a_short_range(void **state)
{
    (void)state;
    enum { LONGEST = 200 };
    twins both = make_twins(LONGEST);
    for (size_t size = 1; size <= LONGEST; size++)
        for (size_t at = 0; at < size; at++) {
            both.b[at] ^= 0x80;
            assert_int_equal(tide_bytes_mismatch(both.a, both.b, size), at);
            both.b[at] ^= 0x80;
        }
    free_twins(both);
}

static void a_difference_is_found_at_every_place_of_a_long_range(void **state)
{
    (void)state;
    enum { SIZE = 40000 };
    twins both = make_twins(SIZE);
    for (size_t at = 0; at < SIZE; at++) {
        both.a[at] ^= 1;
        assert_int_equal(tide_bytes_mismatch(both.a, both.b, SIZE), at);
        both.a[at] ^= 1;
    }
    free_twins(both);
}

static void the_first_of_several_differences_counts(void **state)
{
    (void)state;
    enum { SIZE = 40000 };
    twins both = make_twins(SIZE);
    size_t first = SIZE;
    for (size_t step = 1; step <= SIZE; step += step / 3 + 1) {
        first = SIZE - step;
        both.b[first] ^= 0xFF;
        assert_int_equal(tide_bytes_mismatch(both.a, both.b, SIZE), first);
        assert_int_equal(tide_bytes_mismatch(both.b, both.a, SIZE), first);
        assert_int_equal(tide_bytes_mismatch(both.a, both.b, first), first);
    }
    free_twins(both);
}

static void ranges_of_no_bytes_are_equal_wherever_they_are(void **state)
{
    (void)state;
    assert_int_equal(tide_bytes_mismatch(NULL, NULL, 0), 0);
    assert_int_equal(tide_bytes_mismatch("a", "b", 0), 0);
}

static void wiping_fills_exactly_the_range(void **state)
{
    (void)state;
    const size_t sizes[] = {0, 1, 7, 8, 64, 65, 4096};
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        unsigned char bytes[4098];
        memset(bytes, 0x11, sizeof bytes);
        tide_bytes_wipe(bytes + 1, 0xAB, sizes[i]);
        assert_int_equal(bytes[0], 0x11);
        assert_true(all_bytes_are(bytes + 1, 0xAB, sizes[i]));
        assert_int_equal(bytes[1 + sizes[i]], 0x11);
    }
    tide_bytes_wipe(NULL, 0, 0);
}

static void wiping_takes_the_lowest_byte_of_the_value(void **state)
{
    (void)state;
    unsigned char bytes[16] = {0};
    tide_bytes_wipe(bytes, 0x1FF, sizeof bytes);
    assert_true(all_bytes_are(bytes, 0xFF, sizeof bytes));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_layout_has_at_most_one_byte_order_and_known_flags),
        cmocka_unit_test(a_big_endian_scalar_has_its_most_significant_byte_first),
        cmocka_unit_test(a_little_endian_scalar_has_its_least_significant_byte_first),
        cmocka_unit_test(the_native_order_is_the_machine_s_own),
        cmocka_unit_test(equal_ranges_mismatch_at_their_size),
        cmocka_unit_test(a_difference_is_found_at_every_place_of_a_short_range),
        cmocka_unit_test(a_difference_is_found_at_every_place_of_a_long_range),
        cmocka_unit_test(the_first_of_several_differences_counts),
        cmocka_unit_test(ranges_of_no_bytes_are_equal_wherever_they_are),
        cmocka_unit_test(wiping_fills_exactly_the_range),
        cmocka_unit_test(wiping_takes_the_lowest_byte_of_the_value),
    };
    return cmocka_run_group_tests_name("bytes", tests, NULL, NULL);
}
