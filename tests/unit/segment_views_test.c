/* SPDX-License-Identifier: Apache-2.0 */
/* Views of segments: slices, read-only views, overlap, equality. All are legal from any thread and
 * on closed segments. */
#include "test.h"

static const tide_segment zeroed_segment = {0};
alignas(64) static unsigned char memory[256];

static tide_segment part(size_t offset, size_t size)
{
    return segment_over(memory + offset, size);
}

/* ------------------------------------------------------------------------------- slices */

static void a_slice_is_a_part_of_the_same_memory(void **state)
{
    (void)state;
    tide_segment whole = part(0, 64), slice;
    assert_ok(tide_segment_slice(&whole, 10, 20, &slice));
    assert_int_equal(tide_segment_size(&slice), 20);
    assert_ptr_equal(tide_segment_address(&slice), memory + 10);
    assert_true(tide_segment_same_scope(&slice, &whole));
    assert_ok(tide_store_u8(&slice, 19, 77));
    assert_int_equal(memory[29], 77);
    assert_refused(TIDE_OUT_OF_BOUNDS, tide_store_u8(&slice, 20, 1));
}

static void a_slice_may_be_everything_or_empty_anywhere_up_to_the_end(void **state)
{
    (void)state;
    tide_segment whole = part(0, 64), slice;
    assert_ok(tide_segment_slice(&whole, 0, 64, &slice));
    assert_int_equal(tide_segment_size(&slice), 64);
    for (size_t offset = 0; offset <= 64; offset++) {
        assert_ok(tide_segment_slice(&whole, offset, 0, &slice));
        assert_int_equal(tide_segment_size(&slice), 0);
        assert_ptr_equal(tide_segment_address(&slice), memory + offset);
        assert_ok(tide_segment_slice_from(&whole, offset, &slice));
        assert_int_equal(tide_segment_size(&slice), 64 - offset);
        assert_ptr_equal(tide_segment_address(&slice), memory + offset);
    }
}

static void a_slice_outside_its_segment_is_out_of_bounds(void **state)
{
    (void)state;
    static const size_t bad[][2] = {
        {0, 65},
        {1, 64},
        {64, 1},
        {65, 0},
        {60, 16},
        {SIZE_MAX, 0},
        {SIZE_MAX, 1},
        {SIZE_MAX, 2},
        {SIZE_MAX, SIZE_MAX},
        {0, SIZE_MAX},
        {1, SIZE_MAX},
        {32, SIZE_MAX - 31},
        {(size_t)PTRDIFF_MAX, 1},
        {(size_t)PTRDIFF_MAX + 1, 0},
        {(size_t)PTRDIFF_MAX + 1, (size_t)PTRDIFF_MAX + 1},
        {(size_t)1 << 62, (size_t)1 << 62},
        {8, (size_t)-8},
        {(size_t)-8, 8},
    };
    tide_segment whole = part(0, 64), slice = canary_segment();
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        assert_refused(TIDE_OUT_OF_BOUNDS,
                       tide_segment_slice(&whole, bad[i][0], bad[i][1], &slice));
        assert_refused(TIDE_OUT_OF_BOUNDS,
                       tide_segment_slice_aligned(&whole, bad[i][0], bad[i][1], 1, &slice));
        if (bad[i][0] > 64)
            assert_refused(TIDE_OUT_OF_BOUNDS, tide_segment_slice_from(&whole, bad[i][0], &slice));
    }
    assert_true(is_canary(&slice));
}

static void a_refused_slice_says_which_numbers_it_compared(void **state)
{
    (void)state;
    tide_segment whole = part(0, 64), slice;
    assert_refused(TIDE_OUT_OF_BOUNDS, tide_segment_slice(&whole, 60, 16, &slice));
    assert_error_names("slice");
    assert_error_names("16 bytes at 60");
    assert_error_names("64 bytes");
}

static void slices_of_slices_stay_inside(void **state)
{
    (void)state;
    tide_segment segment = part(0, 256);
    size_t offset = 0;
    while (tide_segment_size(&segment) > 10) {
        size_t size = tide_segment_size(&segment);
        assert_refused(TIDE_OUT_OF_BOUNDS, tide_segment_slice(&segment, 3, size - 2, &segment));
        assert_ok(tide_segment_slice(&segment, 3, size - 6, &segment));
        offset += 3;
        assert_ptr_equal(tide_segment_address(&segment), memory + offset);
        assert_int_equal(tide_segment_size(&segment), size - 6);
    }
}

static void the_largest_segment_is_sliced_without_overflow(void **state)
{
    (void)state;
    tide_segment huge = part(0, (size_t)PTRDIFF_MAX), slice;
    assert_ok(tide_segment_slice(&huge, (size_t)PTRDIFF_MAX, 0, &slice));
    assert_ok(tide_segment_slice(&huge, (size_t)PTRDIFF_MAX - 8, 8, &slice));
    assert_refused(TIDE_OUT_OF_BOUNDS,
                   tide_segment_slice(&huge, (size_t)PTRDIFF_MAX - 8, 9, &slice));
    assert_refused(TIDE_OUT_OF_BOUNDS,
                   tide_segment_slice(&huge, (size_t)PTRDIFF_MAX, SIZE_MAX, &slice));
}

static void an_aligned_slice_must_start_at_a_multiple(void **state)
{
    (void)state;
    tide_segment whole = part(0, 128), slice;
    for (size_t alignment = 1; alignment <= 64; alignment *= 2) {
        for (size_t offset = 0; offset <= 64; offset++) {
            slice = canary_segment();
            if (offset % alignment == 0) {
                assert_ok(tide_segment_slice_aligned(&whole, offset, 5, alignment, &slice));
                assert_ptr_equal(tide_segment_address(&slice), memory + offset);
                assert_int_equal(tide_segment_size(&slice), 5);
            } else {
                assert_refused(TIDE_MISALIGNED,
                               tide_segment_slice_aligned(&whole, offset, 5, alignment, &slice));
                assert_true(is_canary(&slice));
            }
        }
    }
    assert_refused(TIDE_MISALIGNED,
                   tide_segment_slice_aligned(&whole, 1, 0, (size_t)1 << 62, &slice));
}

static void what_counts_is_the_address_not_the_offset(void **state)
{
    (void)state;
    tide_segment odd = part(1, 64), slice;
    assert_refused(TIDE_MISALIGNED, tide_segment_slice_aligned(&odd, 8, 8, 8, &slice));
    assert_ok(tide_segment_slice_aligned(&odd, 7, 8, 8, &slice));
}

static void an_aligned_slice_checks_bounds_then_the_alignment_itself_then_the_address(void **state)
{
    (void)state;
    const size_t bad[] = {0, 3, 6, 12, ((size_t)1 << 62) + 1, (size_t)1 << 63, SIZE_MAX};
    tide_segment whole = part(0, 64), slice = canary_segment();
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        assert_refused(TIDE_OUT_OF_BOUNDS,
                       tide_segment_slice_aligned(&whole, 65, 1, bad[i], &slice));
        assert_refused(TIDE_INVALID_ARGUMENT,
                       tide_segment_slice_aligned(&whole, 1, 1, bad[i], &slice));
        assert_refused(TIDE_INVALID_ARGUMENT,
                       tide_segment_slice_aligned(&whole, 0, 1, bad[i], &slice));
    }
    assert_refused(TIDE_OUT_OF_BOUNDS, tide_segment_slice_aligned(&whole, 61, 8, 8, &slice));
    assert_refused(TIDE_MISALIGNED, tide_segment_slice_aligned(&whole, 1, 8, 8, &slice));
    assert_error_names("8");
    assert_true(is_canary(&slice));
}

/* ------------------------------------------------------------------------------- read-only */

static void a_read_only_view_is_read_through_but_not_written(void **state)
{
    (void)state;
    tide_segment whole = part(0, 64), view;
    memory[5] = 42;
    assert_ok(tide_segment_read_only(&whole, &view));
    assert_true(tide_segment_is_read_only(&view));
    assert_false(tide_segment_is_read_only(&whole));
    assert_int_equal(tide_segment_size(&view), 64);
    assert_true(tide_segment_same_address(&view, &whole));
    assert_int_equal(tide_get_u8(&view, 5), 42);
    assert_refused(TIDE_READ_ONLY, tide_store_u8(&view, 5, 1));
    assert_refused(TIDE_READ_ONLY, tide_segment_write(&view, 0, "x", 1));
    assert_refused(TIDE_READ_ONLY, tide_segment_fill(&view, 0));
    assert_int_equal(memory[5], 42);
    assert_ok(tide_store_u8(&whole, 5, 1));
}

static void read_only_is_inherited_and_never_lost(void **state)
{
    (void)state;
    tide_segment view = read_only_of(part(0, 64)), other;
    assert_ok(tide_segment_slice(&view, 0, 8, &other));
    assert_true(tide_segment_is_read_only(&other));
    assert_ok(tide_segment_slice_from(&view, 8, &other));
    assert_true(tide_segment_is_read_only(&other));
    assert_ok(tide_segment_slice_aligned(&view, 8, 8, 8, &other));
    assert_true(tide_segment_is_read_only(&other));
    assert_ok(tide_segment_read_only(&view, &other));
    assert_true(tide_segment_is_read_only(&other));
    assert_ok(tide_segment_resize(&view, 100, &other));
    assert_true(tide_segment_is_read_only(&other));
    assert_int_equal(tide_segment_size(&other), 100);
}

static void a_view_may_replace_its_source(void **state)
{
    (void)state;
    tide_segment segment = part(0, 64);
    assert_ok(tide_segment_slice(&segment, 8, 40, &segment));
    assert_ok(tide_segment_slice_from(&segment, 8, &segment));
    assert_ok(tide_segment_slice_aligned(&segment, 16, 8, 8, &segment));
    assert_ok(tide_segment_read_only(&segment, &segment));
    assert_ptr_equal(tide_segment_address(&segment), memory + 32);
    assert_int_equal(tide_segment_size(&segment), 8);
    assert_true(tide_segment_is_read_only(&segment));
}

/* ------------------------------------------------------------------------------- overlap */

static void assert_overlap(size_t a_offset, size_t a_size, size_t b_offset, size_t b_size,
                           bool exists, size_t offset, size_t size)
{
    tide_segment a = part(a_offset, a_size), b = part(b_offset, b_size);
    tide_overlap overlap;
    memset(&overlap, 0x5A, sizeof overlap);
    assert_ok(tide_segment_overlap(&a, &b, &overlap));
    assert_int_equal(overlap.exists, exists);
    assert_int_equal(overlap.offset, offset);
    assert_int_equal(overlap.size, size);
}

static void overlap_is_told_from_the_start_of_the_first(void **state)
{
    (void)state;
    assert_overlap(0, 64, 0, 64, true, 0, 64);   /* the same */
    assert_overlap(0, 64, 16, 16, true, 16, 16); /* b inside a */
    assert_overlap(16, 16, 0, 64, true, 0, 16);  /* a inside b */
    assert_overlap(0, 32, 16, 32, true, 16, 16); /* b starts inside a and ends behind it */
    assert_overlap(16, 32, 0, 32, true, 0, 16);  /* a starts inside b */
    assert_overlap(0, 32, 31, 100, true, 31, 1); /* the last byte */
    assert_overlap(10, 32, 10, 5, true, 0, 5);
    assert_overlap(10, 5, 10, 32, true, 0, 5);
}

static void neighbours_and_strangers_do_not_overlap(void **state)
{
    (void)state;
    assert_overlap(0, 32, 32, 32, false, 0, 0);
    assert_overlap(32, 32, 0, 32, false, 0, 0);
    assert_overlap(0, 8, 100, 8, false, 0, 0);
    assert_overlap(100, 8, 0, 8, false, 0, 0);
}

static void an_empty_segment_overlaps_only_what_it_is_strictly_inside_of(void **state)
{
    (void)state;
    assert_overlap(0, 32, 16, 0, true, 16, 0);
    assert_overlap(16, 0, 0, 32, true, 0, 0);
    assert_overlap(0, 32, 0, 0, false, 0, 0);
    assert_overlap(0, 32, 32, 0, false, 0, 0);
    assert_overlap(0, 0, 0, 32, false, 0, 0);
    assert_overlap(32, 0, 0, 32, false, 0, 0);
    assert_overlap(8, 0, 8, 0, false, 0, 0);
}

static void segments_at_the_end_of_the_address_space_overlap_rightly(void **state)
{
    (void)state;
    tide_segment high = tide_segment_of_address((const void *)(UINTPTR_MAX - 15)), low = part(0, 8);
    tide_overlap overlap;
    assert_ok(tide_segment_resize(&high, 16, &high)); /* its end is beyond the last address */
    assert_ok(tide_segment_overlap(&high, &high, &overlap));
    assert_true(overlap.exists);
    assert_int_equal(overlap.size, 16);
    assert_ok(tide_segment_overlap(&high, &low, &overlap));
    assert_false(overlap.exists);
}

static void overlap_refuses_null_and_leaves_its_output(void **state)
{
    (void)state;
    tide_segment segment = part(0, 8);
    tide_overlap overlap;
    memset(&overlap, 0x5A, sizeof overlap);
    assert_refused(TIDE_INVALID_ARGUMENT, tide_segment_overlap(NULL, &segment, &overlap));
    assert_refused(TIDE_INVALID_ARGUMENT, tide_segment_overlap(&segment, NULL, &overlap));
    assert_refused(TIDE_INVALID_ARGUMENT, tide_segment_overlap(&segment, &segment, NULL));
    assert_refused(TIDE_INVALID_ARGUMENT,
                   tide_segment_overlap(&zeroed_segment, &segment, &overlap));
    assert_refused(TIDE_INVALID_ARGUMENT,
                   tide_segment_overlap(&segment, &zeroed_segment, &overlap));
    assert_true(all_bytes_are(&overlap, 0x5A, sizeof overlap));
}

/* ------------------------------------------------------------------------------- equality */

static void same_address_ignores_size_scope_and_read_only(void **state)
{
    (void)state;
    tide_segment a = part(8, 8), longer = part(8, 16), other = part(9, 8);
    tide_segment view = read_only_of(a);
    assert_true(tide_segment_same_address(&a, &a));
    assert_true(tide_segment_same_address(&a, &longer));
    assert_true(tide_segment_same_address(&a, &view));
    assert_false(tide_segment_same_address(&a, &other));
    assert_false(tide_segment_same_address(&a, NULL));
    assert_false(tide_segment_same_address(NULL, &a));
    assert_false(tide_segment_same_address(NULL, NULL));
}

static void same_scope_tells_arenas_and_their_reuses_apart(void **state)
{
    (void)state;
    tide_arena first, second;
    tide_segment a, a_slice, b, global = part(0, 8);
    assert_ok(tide_arena_open(&first));
    assert_ok(tide_arena_open(&second));
    assert_ok(tide_arena_segment(&first, 16, 8, &a));
    assert_ok(tide_arena_segment(&second, 16, 8, &b));
    assert_ok(tide_segment_slice(&a, 8, 8, &a_slice));
    assert_true(tide_segment_same_scope(&a, &a_slice));
    assert_false(tide_segment_same_scope(&a, &b));
    assert_false(tide_segment_same_scope(&a, &global));
    assert_true(tide_segment_same_scope(&global, &global));
    assert_false(tide_segment_same_scope(&a, NULL));
    assert_false(tide_segment_same_scope(NULL, &a));
    assert_false(tide_segment_same_scope(NULL, NULL));
    assert_ok(tide_arena_close(&first));
    assert_true(tide_segment_same_scope(&a, &a_slice));
    assert_ok(tide_arena_open(&first));
    assert_ok(tide_arena_segment(&first, 16, 8, &b));
    assert_false(tide_segment_same_scope(&a, &b));
    assert_ok(tide_arena_close(&first));
    assert_ok(tide_arena_close(&second));
}

static void a_mapped_segment_has_the_scope_of_its_resized_self(void **state)
{
    (void)state;
    tide_segment mapped = part(0, 8), plain = part(0, 8);
    mapped.epoch_ |= 1; /* as if mapped from a file */
    assert_true(tide_segment_same_scope(&mapped, &plain));
    assert_true(tide_scope_equal(tide_segment_scope(&mapped), tide_segment_scope(&plain)));
    assert_true(tide_scope_is_alive(tide_segment_scope(&mapped)));
}

/* ------------------------------------------------------------------------------- threads */

static void view_as_stranger(void *context)
{
    const tide_segment *segment = (const tide_segment *)context;
    tide_segment view;
    tide_overlap overlap;
    tide_segment_information information = {.struct_size = sizeof information};
    assert_ok(tide_segment_slice(segment, 8, 8, &view));
    assert_ok(tide_segment_slice_from(segment, 8, &view));
    assert_ok(tide_segment_slice_aligned(segment, 8, 8, 8, &view));
    assert_ok(tide_segment_read_only(segment, &view));
    assert_ok(tide_segment_overlap(segment, &view, &overlap));
    assert_ok(tide_segment_info(segment, &information));
    assert_true(tide_segment_same_address(segment, &view));
    assert_true(tide_segment_same_scope(segment, &view));
    assert_refused(TIDE_OUT_OF_BOUNDS, tide_segment_slice(segment, 65, 0, &view));
}

static void views_are_legal_from_any_thread_and_on_closed_segments(void **state)
{
    (void)state;
    tide_arena arena;
    tide_segment segment;
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_arena_segment(&arena, 64, 8, &segment));
    on_new_thread(view_as_stranger, &segment);
    assert_ok(tide_arena_close(&arena));
    view_as_stranger(&segment);
    on_new_thread(view_as_stranger, &segment);
}

static void a_view_of_a_closed_segment_is_closed(void **state)
{
    (void)state;
    tide_arena arena;
    tide_segment segment, slice;
    uint8_t value = 7;
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_arena_segment(&arena, 64, 8, &segment));
    assert_ok(tide_arena_close(&arena));
    assert_ok(tide_segment_slice(&segment, 8, 8, &slice));
    assert_refused(TIDE_CLOSED, tide_load_u8(&slice, 0, &value));
    assert_refused(TIDE_OUT_OF_BOUNDS, tide_load_u8(&slice, 8, &value));
    assert_int_equal(value, 7);
}

static void null_and_zeroed_segments_are_refused_everywhere(void **state)
{
    (void)state;
    const tide_segment *const bad[] = {NULL, &zeroed_segment};
    tide_segment good = part(0, 8), view = canary_segment();
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        assert_refused(TIDE_INVALID_ARGUMENT, tide_segment_slice(bad[i], 0, 0, &view));
        assert_refused(TIDE_INVALID_ARGUMENT, tide_segment_slice(bad[i], 1, 1, &view));
        assert_refused(TIDE_INVALID_ARGUMENT, tide_segment_slice_from(bad[i], 0, &view));
        assert_refused(TIDE_INVALID_ARGUMENT, tide_segment_slice_aligned(bad[i], 0, 0, 1, &view));
        assert_refused(TIDE_INVALID_ARGUMENT, tide_segment_read_only(bad[i], &view));
    }
    assert_true(is_canary(&view));
    assert_refused(TIDE_INVALID_ARGUMENT, tide_segment_slice(&good, 0, 0, NULL));
    assert_refused(TIDE_INVALID_ARGUMENT, tide_segment_slice_from(&good, 0, NULL));
    assert_refused(TIDE_INVALID_ARGUMENT, tide_segment_slice_aligned(&good, 0, 0, 1, NULL));
    assert_refused(TIDE_INVALID_ARGUMENT, tide_segment_read_only(&good, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slice_is_a_part_of_the_same_memory),
        cmocka_unit_test(a_slice_may_be_everything_or_empty_anywhere_up_to_the_end),
        cmocka_unit_test(a_slice_outside_its_segment_is_out_of_bounds),
        cmocka_unit_test(a_refused_slice_says_which_numbers_it_compared),
        cmocka_unit_test(slices_of_slices_stay_inside),
        cmocka_unit_test(the_largest_segment_is_sliced_without_overflow),
        cmocka_unit_test(an_aligned_slice_must_start_at_a_multiple),
        cmocka_unit_test(what_counts_is_the_address_not_the_offset),
        cmocka_unit_test(an_aligned_slice_checks_bounds_then_the_alignment_itself_then_the_address),
        cmocka_unit_test(a_read_only_view_is_read_through_but_not_written),
        cmocka_unit_test(read_only_is_inherited_and_never_lost),
        cmocka_unit_test(a_view_may_replace_its_source),
        cmocka_unit_test(overlap_is_told_from_the_start_of_the_first),
        cmocka_unit_test(neighbours_and_strangers_do_not_overlap),
        cmocka_unit_test(an_empty_segment_overlaps_only_what_it_is_strictly_inside_of),
        cmocka_unit_test(segments_at_the_end_of_the_address_space_overlap_rightly),
        cmocka_unit_test(overlap_refuses_null_and_leaves_its_output),
        cmocka_unit_test(same_address_ignores_size_scope_and_read_only),
        cmocka_unit_test(same_scope_tells_arenas_and_their_reuses_apart),
        cmocka_unit_test(a_mapped_segment_has_the_scope_of_its_resized_self),
        cmocka_unit_test(views_are_legal_from_any_thread_and_on_closed_segments),
        cmocka_unit_test(a_view_of_a_closed_segment_is_closed),
        cmocka_unit_test(null_and_zeroed_segments_are_refused_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
