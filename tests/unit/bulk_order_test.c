/* SPDX-License-Identifier: Apache-2.0 */
/* Bulk operations with several things wrong at once: which is told first, for no bytes too, and
 * that nothing has been written. */
#include "test.h"

/* Segments of 64 bytes of every state. `…_view` are read-only views. */
static tide_owner own, other;
static tide_arena open_arena, closed_arena, foreign_arena;
static tide_segment open, open_view, closed, closed_view, foreign, foreign_view;
static unsigned char buffer[64];

static tide_segment filled(tide_arena *arena)
{
    tide_segment segment;
    assert_ok(tide_arena_open(arena));
    assert_ok(tide_arena_segment(arena, 64, 8, &segment));
    assert_ok(tide_segment_fill(&segment, 0x77));
    return segment;
}

static int set_up(void **state)
{
    (void)state;
    own = tide_owner_current();
    other = tide_owner_new();
    open = filled(&open_arena);
    closed = filled(&closed_arena);
    tide_owner_set(other);
    foreign = filled(&foreign_arena);
    tide_owner_set(own);
    assert_ok(tide_arena_close(&closed_arena));
    open_view = read_only_of(open);
    closed_view = read_only_of(closed);
    foreign_view = read_only_of(foreign);
    memset(buffer, 0x11, sizeof buffer);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    bool unharmed = all_bytes_are(tide_segment_address(&open), 0x77, 64) &&
                    all_bytes_are(tide_segment_address(&foreign), 0x77, 64) &&
                    all_bytes_are(buffer, 0x11, sizeof buffer);
    assert_ok(tide_arena_close(&open_arena));
    tide_owner_set(other);
    assert_ok(tide_arena_close(&foreign_arena));
    tide_owner_set(own);
    return unharmed ? 0 : -1;
}

static void read_tells_bounds_then_owner_then_liveness(void **state)
{
    (void)state;
    for (size_t size = 0; size <= 8; size += 8) {
        assert_refused(TIDE_OUT_OF_BOUNDS, tide_segment_read(&foreign, 65, buffer, size));
        assert_refused(TIDE_OUT_OF_BOUNDS, tide_segment_read(&closed, 65, buffer, size));
        assert_refused(TIDE_WRONG_OWNER, tide_segment_read(&foreign, 0, buffer, size));
        assert_refused(TIDE_WRONG_OWNER, tide_segment_read(&foreign_view, 0, buffer, size));
        assert_refused(TIDE_CLOSED, tide_segment_read(&closed, 0, buffer, size));
        assert_refused(TIDE_CLOSED, tide_segment_read(&closed_view, 0, buffer, size));
    }
    assert_refused(TIDE_CLOSED, tide_segment_read(&closed, 64, NULL, 0));
}

static void write_tells_read_only_then_bounds_then_owner_then_liveness(void **state)
{
    (void)state;
    for (size_t size = 0; size <= 8; size += 8) {
        assert_refused(TIDE_READ_ONLY, tide_segment_write(&open_view, 0, buffer, size));
        assert_refused(TIDE_READ_ONLY, tide_segment_write(&open_view, 65, buffer, size));
        assert_refused(TIDE_READ_ONLY, tide_segment_write(&foreign_view, 65, buffer, size));
        assert_refused(TIDE_READ_ONLY, tide_segment_write(&closed_view, 0, buffer, size));
        assert_refused(TIDE_OUT_OF_BOUNDS, tide_segment_write(&foreign, 65, buffer, size));
        assert_refused(TIDE_OUT_OF_BOUNDS, tide_segment_write(&closed, 65, buffer, size));
        assert_refused(TIDE_WRONG_OWNER, tide_segment_write(&foreign, 0, buffer, size));
        assert_refused(TIDE_CLOSED, tide_segment_write(&closed, 0, buffer, size));
    }
    assert_refused(TIDE_CLOSED, tide_segment_write(&closed, 64, NULL, 0));
}

static void fill_tells_read_only_then_owner_then_liveness(void **state)
{
    (void)state;
    tide_segment empty, view;
    assert_refused(TIDE_READ_ONLY, tide_segment_fill(&open_view, 1));
    assert_refused(TIDE_READ_ONLY, tide_segment_fill(&foreign_view, 1));
    assert_refused(TIDE_READ_ONLY, tide_segment_fill(&closed_view, 1));
    assert_refused(TIDE_WRONG_OWNER, tide_segment_fill(&foreign, 1));
    assert_refused(TIDE_CLOSED, tide_segment_fill(&closed, 1));
    assert_ok(tide_segment_slice(&foreign, 8, 0, &empty));
    assert_refused(TIDE_WRONG_OWNER, tide_segment_fill(&empty, 1));
    assert_ok(tide_segment_slice(&closed, 8, 0, &empty));
    assert_refused(TIDE_CLOSED, tide_segment_fill(&empty, 1));
    assert_ok(tide_segment_read_only(&empty, &view));
    assert_refused(TIDE_READ_ONLY, tide_segment_fill(&view, 1));
    assert_error_names("fill: the segment of ");
}

static void copy_tells_the_sources_bounds_then_read_only_then_the_targets_bounds(void **state)
{
    (void)state;
    for (size_t size = 0; size <= 8; size += 8) {
        assert_refused(TIDE_OUT_OF_BOUNDS, tide_segment_copy(&open, 65, &open_view, 65, size));
        assert_refused(TIDE_OUT_OF_BOUNDS, tide_segment_copy(&closed, 65, &closed_view, 0, size));
        assert_refused(TIDE_READ_ONLY, tide_segment_copy(&open, 0, &open_view, 65, size));
        assert_refused(TIDE_READ_ONLY, tide_segment_copy(&closed, 0, &closed_view, 65, size));
        assert_refused(TIDE_READ_ONLY, tide_segment_copy(&foreign, 0, &open_view, 0, size));
        assert_refused(TIDE_OUT_OF_BOUNDS, tide_segment_copy(&foreign, 0, &open, 65, size));
        assert_refused(TIDE_OUT_OF_BOUNDS, tide_segment_copy(&closed, 0, &foreign, 65, size));
    }
}

static void copy_tells_the_sources_session_before_the_targets(void **state)
{
    (void)state;
    for (size_t size = 0; size <= 8; size += 8) {
        assert_refused(TIDE_WRONG_OWNER, tide_segment_copy(&foreign, 0, &open, 0, size));
        assert_refused(TIDE_CLOSED, tide_segment_copy(&closed, 0, &open, 0, size));
        assert_refused(TIDE_WRONG_OWNER, tide_segment_copy(&open, 0, &foreign, 0, size));
        assert_refused(TIDE_CLOSED, tide_segment_copy(&open, 0, &closed, 0, size));
        assert_refused(TIDE_CLOSED, tide_segment_copy(&closed, 0, &foreign, 0, size));
        assert_refused(TIDE_WRONG_OWNER, tide_segment_copy(&foreign, 0, &closed, 0, size));
    }
}

static void mismatch_tells_both_bounds_then_the_firsts_session_then_the_seconds(void **state)
{
    (void)state;
    int64_t found = 5;
    for (size_t size = 0; size <= 8; size += 8) {
        assert_refused(TIDE_OUT_OF_BOUNDS,
                       tide_segment_mismatch(&foreign, 65, 65 + size, &closed, 0, size, &found));
        assert_refused(TIDE_OUT_OF_BOUNDS,
                       tide_segment_mismatch(&foreign, 0, size, &closed, 65, 65 + size, &found));
        assert_refused(TIDE_OUT_OF_BOUNDS,
                       tide_segment_mismatch(&closed, 0, size, &open, 3, 2, &found));
        assert_refused(TIDE_WRONG_OWNER,
                       tide_segment_mismatch(&foreign, 0, size, &closed, 0, size, &found));
        assert_refused(TIDE_CLOSED,
                       tide_segment_mismatch(&closed, 0, size, &foreign, 0, size, &found));
        assert_refused(TIDE_WRONG_OWNER,
                       tide_segment_mismatch(&open, 0, size, &foreign, 0, size, &found));
        assert_refused(TIDE_CLOSED,
                       tide_segment_mismatch(&open, 0, size, &closed, 0, size, &found));
        assert_refused(TIDE_CLOSED, tide_segment_mismatch(&open, 0, 8, &closed, 0, size, &found));
    }
    assert_int_equal(found, 5);
}

static void read_only_does_not_matter_to_mismatch(void **state)
{
    (void)state;
    int64_t found = 5;
    assert_ok(tide_segment_mismatch(&open_view, 0, 64, &open, 0, 64, &found));
    assert_int_equal(found, -1);
}

static void work_as_stranger(void *context)
{
    (void)context;
    int64_t found = 5;
    assert_refused(TIDE_WRONG_OWNER, tide_segment_read(&open, 0, buffer, 8));
    assert_refused(TIDE_WRONG_OWNER, tide_segment_write(&open, 0, buffer, 8));
    assert_refused(TIDE_WRONG_OWNER, tide_segment_fill(&open, 1));
    assert_refused(TIDE_WRONG_OWNER, tide_segment_copy(&open, 0, &open, 8, 8));
    assert_refused(TIDE_WRONG_OWNER, tide_segment_mismatch(&open, 0, 8, &open, 8, 16, &found));
    assert_int_equal(found, 5);
}

static void a_thread_that_never_used_the_library_is_a_stranger(void **state)
{
    (void)state;
    on_new_thread(work_as_stranger, NULL);
}

static void a_closed_segment_does_not_reach_the_arena_that_has_its_memory_now(void **state)
{
    (void)state;
    tide_arena arena;
    tide_segment fresh;
    int64_t found = 5;
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_arena_segment(&arena, 64, 8, &fresh));
    assert_ptr_equal(tide_segment_address(&fresh), tide_segment_address(&closed));
    assert_ok(tide_segment_fill(&fresh, 0x22));
    assert_refused(TIDE_CLOSED, tide_segment_fill(&closed, 1));
    assert_refused(TIDE_CLOSED, tide_segment_write(&closed, 0, buffer, 8));
    assert_refused(TIDE_CLOSED, tide_segment_read(&closed, 0, buffer, 8));
    assert_refused(TIDE_CLOSED, tide_segment_copy(&fresh, 0, &closed, 0, 8));
    assert_refused(TIDE_CLOSED, tide_segment_copy(&closed, 0, &fresh, 0, 8));
    assert_refused(TIDE_CLOSED, tide_segment_mismatch(&fresh, 0, 8, &closed, 0, 8, &found));
    assert_true(all_bytes_are(tide_segment_address(&fresh), 0x22, 64));
    assert_ok(tide_arena_close(&arena));
}

#define with_segments(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_segments(read_tells_bounds_then_owner_then_liveness),
        with_segments(write_tells_read_only_then_bounds_then_owner_then_liveness),
        with_segments(fill_tells_read_only_then_owner_then_liveness),
        with_segments(copy_tells_the_sources_bounds_then_read_only_then_the_targets_bounds),
        with_segments(copy_tells_the_sources_session_before_the_targets),
        with_segments(mismatch_tells_both_bounds_then_the_firsts_session_then_the_seconds),
        with_segments(read_only_does_not_matter_to_mismatch),
        with_segments(a_thread_that_never_used_the_library_is_a_stranger),
        with_segments(a_closed_segment_does_not_reach_the_arena_that_has_its_memory_now),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
