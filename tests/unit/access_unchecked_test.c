/* SPDX-License-Identifier: Apache-2.0 */
/* Scalar access with its checks compiled out: values go round, and nothing looks at the segment's
 * state. */
#define TIDE_UNCHECKED
#include "test.h"

static void values_go_round(void **state)
{
    (void)state;
    uint64_t words[4] = {0};
    tide_segment segment = segment_over(words, sizeof words);
    int16_t value = 0;
    tide_set_u32_as(&segment, 3, TIDE_BIG_ENDIAN | TIDE_UNALIGNED, 0x01020304);
    assert_int_equal(((unsigned char *)words)[3], 1);
    assert_int_equal(tide_get_u32_as(&segment, 3, TIDE_BIG_ENDIAN | TIDE_UNALIGNED), 0x01020304);
    assert_ok(tide_store_i16_at(&segment, 9, -7));
    assert_ok(tide_load_i16(&segment, 18, &value));
    assert_int_equal(value, -7);
}

static void nobody_looks_at_read_only_or_bounds(void **state)
{
    (void)state;
    uint64_t words[4] = {0};
    tide_segment view = read_only_of(segment_over(words, 8));
    assert_ok(tide_store_u64(&view, 0, 5));
    assert_int_equal(words[0], 5);
    tide_set_u64_at(&view, 3, 6);
    assert_int_equal(words[3], 6);
}

static void bulk_operations_are_still_checked(void **state)
{
    (void)state;
    uint64_t words[4] = {0};
    tide_segment segment = segment_over(words, 8);
    assert_refused(TIDE_OUT_OF_BOUNDS, tide_segment_write(&segment, 8, "x", 1));
    assert_int_equal(words[1], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_go_round),
        cmocka_unit_test(nobody_looks_at_read_only_or_bounds),
        cmocka_unit_test(bulk_operations_are_still_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
