/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic that notices when it does not fit. */
#include "test.h"

#include "base/checked.h"

static void a_sum_that_fits_is_stored(void **state)
{
    (void)state;
    size_t result = 7;
    assert_true(tide_checked_add(opaque(2), 3, &result));
    assert_int_equal(result, 5);
    assert_true(tide_checked_add(opaque(SIZE_MAX - 1), 1, &result));
    assert_true(result == SIZE_MAX);
    assert_true(tide_checked_add(opaque(0), 0, &result));
    assert_int_equal(result, 0);
}

static void a_sum_that_does_not_fit_leaves_the_result_alone(void **state)
{
    (void)state;
    size_t result = 7;
    assert_false(tide_checked_add(opaque(SIZE_MAX), 1, &result));
    assert_false(tide_checked_add(opaque(1), SIZE_MAX, &result));
    assert_false(tide_checked_add(opaque(SIZE_MAX / 2 + 1), SIZE_MAX / 2 + 1, &result));
    assert_int_equal(result, 7);
}

static void a_product_that_fits_is_stored(void **state)
{
    (void)state;
    size_t result = 7;
    assert_true(tide_checked_multiply(opaque(6), 7, &result));
    assert_int_equal(result, 42);
    assert_true(tide_checked_multiply(opaque(SIZE_MAX), 1, &result));
    assert_true(result == SIZE_MAX);
    assert_true(tide_checked_multiply(opaque(SIZE_MAX), 0, &result));
    assert_int_equal(result, 0);
}

static void a_product_that_does_not_fit_leaves_the_result_alone(void **state)
{
    (void)state;
    size_t result = 7;
    assert_false(tide_checked_multiply(opaque(SIZE_MAX), 2, &result));
    assert_false(tide_checked_multiply(opaque((size_t)1 << 32), (size_t)1 << 32, &result));
    assert_int_equal(result, 7);
}

static void alignments_are_the_powers_of_two_up_to_2_62(void **state)
{
    (void)state;
    for (unsigned bit = 0; bit < 63; bit++)
        assert_true(tide_is_alignment((size_t)1 << bit));
    const size_t bad[] = {0, 3, 5, 6, 7, 24, ((size_t)1 << 62) + 1, (size_t)1 << 63, SIZE_MAX};
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        assert_false(tide_is_alignment(bad[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sum_that_fits_is_stored),
        cmocka_unit_test(a_sum_that_does_not_fit_leaves_the_result_alone),
        cmocka_unit_test(a_product_that_fits_is_stored),
        cmocka_unit_test(a_product_that_does_not_fit_leaves_the_result_alone),
        cmocka_unit_test(alignments_are_the_powers_of_two_up_to_2_62),
    };
    return cmocka_run_group_tests_name("checked", tests, NULL, NULL);
}
