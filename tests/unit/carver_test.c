/* SPDX-License-Identifier: Apache-2.0 */
/* Carvers: successive slices, or the same start, of a segment. */
#include "test.h"

#include "scopes.h"

static const tide_segment zeroed_segment;
static const tide_carver zeroed_carver;
static _Alignas(64) unsigned char memory[256];

static tide_carver slicing_over(size_t offset, size_t size)
{
    const tide_segment segment = segment_over(memory + offset, size);
    tide_carver carver;
    assert_ok(tide_carver_slicing(&segment, &carver));
    return carver;
}

static tide_carver prefix_over(size_t offset, size_t size)
{
    const tide_segment segment = segment_over(memory + offset, size);
    tide_carver carver;
    assert_ok(tide_carver_prefix(&segment, &carver));
    return carver;
}

/* The refusal leaves position and result alone. */
static void refuse(tide_status status, tide_carver *carver, size_t size, size_t alignment)
{
    tide_segment slice = canary_segment();
    const tide_carver before = carver != NULL ? *carver : zeroed_carver;
    assert_refused(status, tide_carver_allocate(carver, size, alignment, &slice));
    assert_true(is_canary(&slice));
    if (carver == NULL)
        return;
    assert_int_equal(tide_carver_used(carver), before.used_);
    assert_int_equal(carver->is_prefix_, before.is_prefix_);
    assert_memory_equal(&carver->base_, &before.base_, sizeof before.base_);
}

/* The carver's next slice lies so far into the memory. */
static void expect(tide_carver *carver, size_t size, size_t alignment, size_t place)
{
    tide_segment slice;
    assert_ok(tide_carver_allocate(carver, size, alignment, &slice));
    assert_ptr_equal(tide_segment_address(&slice), memory + place);
    assert_int_equal(tide_segment_size(&slice), size);
}

/* ------------------------------------------------------------------------------- slicing */

static void slices_follow_each_other_up_to_the_very_end(void **state)
{
    (void)state;
    tide_carver carver = slicing_over(1, 10);
    assert_int_equal(tide_carver_used(&carver), 0);
    expect(&carver, 3, 1, 1);
    expect(&carver, 0, 1, 4);
    expect(&carver, 7, 1, 4);
    assert_int_equal(tide_carver_used(&carver), 10);
    expect(&carver, 0, 1, 11);
    refuse(TIDE_EXHAUSTED, &carver, 1, 1);
    assert_int_equal(tide_carver_used(&carver), 10);
}

/* Against a model, over every start, size and alignment. */
static void slices_skip_to_the_absolute_alignment(void **state)
{
    (void)state;
    for (size_t start = 0; start < 16; start++) {
        for (size_t alignment = 1; alignment <= 64; alignment *= 2) {
            tide_carver carver = slicing_over(start, 200);
            size_t place = start;
            for (size_t size = 0; size < 40; size += 3) {
                const size_t aligned = (place + alignment - 1) / alignment * alignment;
                if (aligned + size > start + 200) {
                    refuse(TIDE_EXHAUSTED, &carver, size, alignment);
                    continue;
                }
                expect(&carver, size, alignment, aligned);
                place = aligned + size;
                assert_int_equal(tide_carver_used(&carver), place - start);
            }
        }
    }
}

static void a_refused_request_leaves_room_for_a_smaller_one(void **state)
{
    (void)state;
    tide_carver carver = slicing_over(0, 20);
    expect(&carver, 9, 1, 0);
    refuse(TIDE_EXHAUSTED, &carver, 12, 1);
    refuse(TIDE_EXHAUSTED, &carver, 5, 16);
    refuse(TIDE_EXHAUSTED, &carver, 0, 32);
    expect(&carver, 4, 16, 16);
    refuse(TIDE_EXHAUSTED, &carver, 1, 1);
}

static void a_copy_of_a_carver_goes_on_from_the_same_position(void **state)
{
    (void)state;
    tide_carver carver = slicing_over(0, 20);
    expect(&carver, 8, 8, 0);
    tide_carver copy = carver;
    expect(&copy, 4, 4, 8);
    expect(&carver, 4, 4, 8);
}

static void huge_requests_are_exhausted_and_huge_segments_have_an_end(void **state)
{
    (void)state;
    tide_carver carver = slicing_over(0, 64), large = slicing_over(0, PTRDIFF_MAX);
    tide_carver high, odd;
    tide_segment top = tide_segment_of_address((const void *)(UINTPTR_MAX - 9)), slice;
    refuse(TIDE_EXHAUSTED, &carver, PTRDIFF_MAX, 1);
    refuse(TIDE_EXHAUSTED, &carver, (size_t)1 << 62, (size_t)1 << 62);
    refuse(TIDE_EXHAUSTED, &carver, 1, (size_t)1 << 62);
    assert_ok(tide_carver_allocate(&large, PTRDIFF_MAX - 1, 1, &slice));
    refuse(TIDE_EXHAUSTED, &large, 2, 1);
    assert_ok(tide_carver_allocate(&large, 1, 1, &slice));
    assert_int_equal(tide_carver_used(&large), PTRDIFF_MAX);
    /* Addresses that end with the address space */
    assert_ok(tide_segment_resize(&top, 9, &top));
    assert_ok(tide_carver_slicing(&top, &high));
    assert_ok(tide_carver_allocate(&high, 1, 8, &slice));
    assert_int_equal(tide_carver_used(&high), 3);
    refuse(TIDE_EXHAUSTED, &high, 1, 8);
    odd = high;
    refuse(TIDE_EXHAUSTED, &odd, 7, 1);
}

/* ------------------------------------------------------------------------------- prefix */

static void a_prefix_carver_always_gives_the_start(void **state)
{
    (void)state;
    tide_carver carver = prefix_over(8, 20);
    for (size_t size = 0; size <= 20; size++) {
        expect(&carver, size, 8, 8);
        assert_int_equal(tide_carver_used(&carver), 0);
    }
    refuse(TIDE_EXHAUSTED, &carver, 21, 1);
    refuse(TIDE_EXHAUSTED, &carver, PTRDIFF_MAX, 1);
    expect(&carver, 20, 1, 8);
}

static void a_prefix_carver_cannot_skip_to_an_alignment(void **state)
{
    (void)state;
    for (size_t start = 0; start < 32; start++) {
        tide_carver carver = prefix_over(start, 20);
        for (size_t alignment = 1; alignment <= 32; alignment *= 2) {
            if (start % alignment == 0)
                expect(&carver, 4, alignment, start);
            else
                refuse(TIDE_MISALIGNED, &carver, 4, alignment);
            refuse(TIDE_EXHAUSTED, &carver, 21, alignment); /* told first */
        }
    }
}

/* ------------------------------------------------------------------------------- arguments */

static void what_is_no_size_and_no_alignment_is_invalid_before_all_else(void **state)
{
    (void)state;
    static const size_t sizes[] = HUGE_SIZES;
    static const size_t alignments[] = {0, 3, 24, SIZE_MAX, PTRDIFF_MAX, (size_t)PTRDIFF_MAX + 1};
    tide_carver carvers[] = {slicing_over(1, 20), prefix_over(1, 20), slicing_over(0, 0)};
    for (size_t c = 0; c < COUNT_OF(carvers); c++) {
        for (size_t i = 0; i < COUNT_OF(sizes); i++)
            refuse(TIDE_INVALID_ARGUMENT, &carvers[c], sizes[i], 1);
        for (size_t i = 0; i < COUNT_OF(alignments); i++) {
            refuse(TIDE_INVALID_ARGUMENT, &carvers[c], 4, alignments[i]);
            refuse(TIDE_INVALID_ARGUMENT, &carvers[c], 400, alignments[i]);
        }
    }
}

static void no_carver_and_no_place_are_invalid(void **state)
{
    (void)state;
    tide_carver none = zeroed_carver, carver = slicing_over(0, 64);
    refuse(TIDE_INVALID_ARGUMENT, NULL, 1, 1);
    refuse(TIDE_INVALID_ARGUMENT, &none, 0, 1);
    assert_refused(TIDE_INVALID_ARGUMENT, tide_carver_allocate(&carver, 1, 1, NULL));
    assert_int_equal(tide_carver_used(&carver), 0);
    assert_int_equal(tide_carver_used(NULL), 0);
    assert_int_equal(tide_carver_used(&none), 0);
}

static void a_carver_needs_a_segment_that_can_be_written(void **state)
{
    (void)state;
    typedef tide_status maker(const tide_segment *segment, tide_carver *carver);
    static maker *const makers[] = {tide_carver_slicing, tide_carver_prefix};
    const tide_segment segment = segment_over(memory, 64), view = read_only_of(segment);
    for (size_t i = 0; i < COUNT_OF(makers); i++) {
        tide_carver carver;
        memset(&carver, 0x5A, sizeof carver);
        assert_refused(TIDE_READ_ONLY, makers[i](&view, &carver));
        assert_refused(TIDE_INVALID_ARGUMENT, makers[i](NULL, &carver));
        assert_refused(TIDE_INVALID_ARGUMENT, makers[i](&zeroed_segment, &carver));
        assert_refused(TIDE_INVALID_ARGUMENT, makers[i](&segment, NULL));
        assert_refused(TIDE_INVALID_ARGUMENT, makers[i](&view, NULL));
        assert_true(all_bytes_are(&carver, 0x5A, sizeof carver));
    }
}

/* ------------------------------------------------------------------------------- scopes */

static void work_as_stranger(void *context)
{
    tide_segment slice;
    tide_carver carver;
    const tide_segment *segment = (const tide_segment *)context;
    assert_ok(tide_carver_slicing(segment, &carver));
    assert_ok(tide_carver_allocate(&carver, 8, 8, &slice));
    assert_refused(TIDE_WRONG_OWNER, tide_store_u8(&slice, 0, 1));
}

static void only_access_to_a_slice_is_checked(void **state)
{
    (void)state;
    for_each_scope_kind(kind)
    {
        scoped it;
        tide_carver slicing, prefix;
        tide_segment slice, start;
        open_scoped(&it, kind, 64, 8);
        if (kind == CONFINED)
            on_new_thread(work_as_stranger, &it.segment);
        assert_ok(tide_carver_slicing(&it.segment, &slicing));
        assert_ok(tide_carver_prefix(&it.segment, &prefix));
        assert_ok(end_scoped(&it));
        assert_ok(tide_carver_allocate(&slicing, 8, 8, &slice));
        assert_ok(tide_carver_allocate(&prefix, 8, 8, &start));
        assert_true(tide_segment_same_scope(&slice, &it.segment));
        assert_true(tide_segment_same_scope(&start, &it.segment));
        const tide_status status = can_end(kind) ? TIDE_CLOSED : TIDE_OK;
        assert_status(status, tide_store_u8(&slice, 0, 1));
        assert_status(status, tide_store_u8(&start, 0, 1));
        assert_ok(tide_carver_slicing(&it.segment, &slicing));
    }
}

static void nothing_is_cleared(void **state)
{
    (void)state;
    tide_carver carver = slicing_over(0, 64);
    tide_segment slice;
    memset(memory, 0xEE, 64);
    assert_ok(tide_carver_allocate(&carver, 64, 8, &slice));
    assert_true(all_bytes_are(memory, 0xEE, 64));
}

static void slices_inherit_what_the_segment_is(void **state)
{
    (void)state;
    tide_segment mapped = segment_over(memory, 64), slice;
    tide_carver carver;
    mapped.epoch_ |= 1;
    assert_true(tide_segment_is_mapped(&mapped));
    assert_ok(tide_carver_slicing(&mapped, &carver));
    assert_ok(tide_carver_allocate(&carver, 8, 8, &slice));
    assert_true(tide_segment_is_mapped(&slice));
    assert_false(tide_segment_is_read_only(&slice));
}

static void the_text_names_the_numbers(void **state)
{
    (void)state;
    tide_carver carver = slicing_over(0, 20);
    expect(&carver, 8, 8, 0);
    refuse(TIDE_EXHAUSTED, &carver, 13, 4);
    assert_error_names("carve");
    assert_error_names("no 13 bytes at a multiple of 4 in the 12 bytes that are left");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slices_follow_each_other_up_to_the_very_end),
        cmocka_unit_test(slices_skip_to_the_absolute_alignment),
        cmocka_unit_test(a_refused_request_leaves_room_for_a_smaller_one),
        cmocka_unit_test(a_copy_of_a_carver_goes_on_from_the_same_position),
        cmocka_unit_test(huge_requests_are_exhausted_and_huge_segments_have_an_end),
        cmocka_unit_test(a_prefix_carver_always_gives_the_start),
        cmocka_unit_test(a_prefix_carver_cannot_skip_to_an_alignment),
        cmocka_unit_test(what_is_no_size_and_no_alignment_is_invalid_before_all_else),
        cmocka_unit_test(no_carver_and_no_place_are_invalid),
        cmocka_unit_test(a_carver_needs_a_segment_that_can_be_written),
        cmocka_unit_test(only_access_to_a_slice_is_checked),
        cmocka_unit_test(nothing_is_cleared),
        cmocka_unit_test(slices_inherit_what_the_segment_is),
        cmocka_unit_test(the_text_names_the_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
