/* SPDX-License-Identifier: Apache-2.0 */
/* The 1st, 2nd, … n-th allocation fails while an array becomes a segment of an arena: nothing has
 * been made, and the same call succeeds when there is memory again. Each attempt runs on a thread
 * of its own, which has nothing ready. */
#include "test.h"

#include "failing.h"
#include "scopes.h"

#define LARGE 3000u /* needs a chunk, which only the global arena may have already */

typedef struct attempt {
    scope_kind kind;
    size_t count; /* elements of 4 bytes */
    long n;
    bool once;
    long failures;
} attempt;

static const uint32_t elements[LARGE] = {1, 2, 3};

static tide_status make_array(scoped *it, size_t count, tide_segment *segment)
{
    if (it->kind == CONFINED)
        return tide_arena_array(&it->confined, TIDE_BIG_ENDIAN, 4, elements, count, segment);
    return tide_shared_array(it->shared, TIDE_BIG_ENDIAN, 4, elements, count, segment);
}

static void open_arena(scoped *it, scope_kind kind)
{
    it->kind = kind;
    it->shared = tide_global_arena();
    if (kind == CONFINED)
        assert_ok(tide_arena_open(&it->confined));
    else if (kind == SHARED)
        assert_ok(tide_shared_open(&it->shared));
    else if (kind == COUNTED)
        assert_ok(tide_counted_open(&it->shared));
}

static void assert_made(const tide_segment *segment, size_t count)
{
    assert_int_equal(tide_segment_size(segment), 4 * count);
    assert_int_equal(tide_get_u32_as(segment, 4, TIDE_BIG_ENDIAN), 2);
}

static void try_out(void *context)
{
    attempt *it = (attempt *)context;
    scoped arena;
    tide_segment segment = canary_segment();
    open_arena(&arena, it->kind);
    if (it->once)
        failing_only(it->n);
    else
        failing_from(it->n);
    tide_status status = make_array(&arena, it->count, &segment);
    it->failures = failing_stop();
    if (status != TIDE_OK) {
        assert_refused(TIDE_OUT_OF_MEMORY, status);
        assert_true(it->failures > 0);
        assert_true(is_canary(&segment));
        assert_ok(make_array(&arena, it->count, &segment));
    }
    assert_made(&segment, it->count);
    assert_ok(end_scoped(&arena));
}

static long try_every_n(scope_kind kind, size_t count, bool once)
{
    long failed = 0;
    for (long n = 0;; n++) {
        attempt it = {.kind = kind, .count = count, .n = n, .once = once};
        on_new_thread(try_out, &it);
        if (it.failures == 0)
            return failed;
        failed++;
        assert_true(n < 100);
    }
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    for_each_scope_kind(kind)
    {
        for (unsigned once = 0; once < 2; once++) {
            (void)try_every_n(kind, 3, once != 0);
            assert_true(try_every_n(kind, LARGE, once != 0) > 0 || kind == GLOBAL);
        }
    }
}

static int report_at_once(void **state)
{
    (void)state;
    setenv("CMOCKA_TEST_ABORT", "1", 1); /* checks run on other threads: they must say so at once */
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, report_at_once, NULL);
}
