/* SPDX-License-Identifier: Apache-2.0 */
/* Atomic access with its checks compiled out: it works, and nothing looks at the segment's
 * state. */
#define TIDE_UNCHECKED
#include "test.h"

#include "scopes.h"

static void operations_work_in_every_kind_of_scope(void **state)
{
    (void)state;
    for_each_scope_kind(kind)
    {
        scoped it;
        uint32_t before = 0;
        bool exchanged = false;
        int64_t expected = 5;
        open_scoped(&it, kind, 24, 8);
        tide_atomic_set_i64(&it.segment, 8, 3);
        assert_int_equal(tide_atomic_fetch_add_i64(&it.segment, 8, -5), 3);
        assert_false(tide_atomic_compare_exchange_i64(&it.segment, 8, &expected, 7));
        assert_int_equal(expected, -2);
        assert_ok(tide_atomic_try_compare_exchange_i64(&it.segment, 8, &expected, 7, &exchanged));
        assert_true(exchanged);
        assert_ok(tide_atomic_try_exchange_u32(&it.segment, 8, 9, &before));
        assert_int_equal(before, 7);
        assert_int_equal(tide_atomic_get_u64(&it.segment, 8), 9);
        assert_ok(end_scoped(&it));
    }
}

static void nobody_looks_at_read_only_or_bounds(void **state)
{
    (void)state;
    uint64_t words[4] = {0};
    const tide_segment view = read_only_of(segment_over(words, 8));
    assert_ok(tide_atomic_try_set_u64(&view, 0, 5));
    assert_int_equal(words[0], 5);
    tide_atomic_set_ptr(&view, 24, words);
    assert_ptr_equal(tide_atomic_get_ptr(&view, 24), words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_work_in_every_kind_of_scope),
        cmocka_unit_test(nobody_looks_at_read_only_or_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
