/* SPDX-License-Identifier: Apache-2.0 */
/* Spans: checked once, then raw memory that stays while the hold lasts. */
#include "test.h"

#include "lifetime/cells.h"
#include "scopes.h"

static const tide_segment zeroed_segment;
static _Alignas(64) unsigned char memory[128];

/* ------------------------------------------------------------------------------- both forms */

typedef struct request {
    const tide_segment *segment;
    size_t offset;
    size_t size;
    size_t alignment;
    tide_hold *hold;
} request;

static tide_status take(const request *it, tide_span *span)
{
    return tide_segment_span(it->segment, it->offset, it->size, it->alignment, it->hold, span);
}

static tide_status take_const(const request *it, tide_const_span *span)
{
    return tide_segment_const_span(it->segment, it->offset, it->size, it->alignment, it->hold,
                                   span);
}

/* `reads` is what a span to read only is refused with. Neither touches span or hold. */
static void refuse(tide_status reads, tide_status writes, request it)
{
    tide_hold hold;
    tide_span span;
    tide_const_span const_span;
    memset(&hold, 0x5A, sizeof hold);
    memset(&span, 0x5A, sizeof span);
    memset(&const_span, 0x5A, sizeof const_span);
    if (it.hold != NULL)
        it.hold = &hold;
    assert_refused(writes, take(&it, &span));
    assert_refused(reads, take_const(&it, &const_span));
    assert_true(all_bytes_are(&hold, 0x5A, sizeof hold));
    assert_true(all_bytes_are(&span, 0x5A, sizeof span));
    assert_true(all_bytes_are(&const_span, 0x5A, sizeof const_span));
}

static void refuse_both(tide_status status, request it)
{
    refuse(status, status, it);
}

/* ------------------------------------------------------------------------------- good spans */

static void a_span_is_the_address_and_the_size_that_were_asked_for(void **state)
{
    (void)state;
    for_each_scope_kind(kind)
    {
        scoped it;
        open_scoped(&it, kind, 64, 8);
        for (size_t offset = 0; offset <= 64; offset += 8) {
            for (size_t size = 0; size <= 64 - offset; size += 4) {
                tide_hold hold;
                tide_span span;
                tide_const_span view;
                const request wanted = {&it.segment, offset, size, 8, &hold};
                assert_ok(take(&wanted, &span));
                assert_ok(tide_hold_release(&hold));
                assert_ok(take_const(&wanted, &view));
                assert_ok(tide_hold_release(&hold));
                assert_ptr_equal(span.address, (char *)tide_segment_address(&it.segment) + offset);
                assert_ptr_equal(view.address, span.address);
                assert_int_equal(span.size, size);
                assert_int_equal(view.size, size);
            }
        }
        assert_ok(end_scoped(&it));
    }
}

static void what_is_written_through_a_span_is_in_the_segment(void **state)
{
    (void)state;
    scoped it;
    tide_span span;
    open_scoped(&it, CONFINED, 64, 8);
    assert_ok(tide_segment_span(&it.segment, 16, 32, 8, NULL, &span));
    memset(span.address, 7, span.size);
    assert_int_equal(tide_get_u8(&it.segment, 15), 0);
    assert_int_equal(tide_get_u8(&it.segment, 16), 7);
    assert_int_equal(tide_get_u8(&it.segment, 47), 7);
    assert_int_equal(tide_get_u8(&it.segment, 48), 0);
    assert_ok(end_scoped(&it));
}

static void a_read_only_view_gives_a_span_to_read(void **state)
{
    (void)state;
    const tide_segment view = read_only_of(segment_over(memory, 64));
    tide_const_span span;
    assert_ok(tide_segment_const_span(&view, 8, 16, 8, NULL, &span));
    assert_ptr_equal(span.address, memory + 8);
}

/* ------------------------------------------------------------------------------- holds */

static void the_hold_keeps_the_arena_open_until_it_is_released(void **state)
{
    (void)state;
    for (scope_kind kind = CONFINED; kind <= SHARED; kind++) {
        scoped it;
        tide_hold first, second;
        tide_span span;
        tide_const_span view;
        open_scoped(&it, kind, 64, 8);
        assert_ok(tide_segment_span(&it.segment, 0, 64, 8, &first, &span));
        assert_ok(tide_segment_const_span(&it.segment, 0, 0, 8, &second, &view));
        assert_refused(TIDE_BUSY, end_scoped(&it));
        assert_ok(tide_hold_release(&first));
        assert_refused(TIDE_BUSY, end_scoped(&it));
        assert_ok(tide_hold_release(&second));
        assert_refused(TIDE_INVALID_ARGUMENT, tide_hold_release(&second));
        assert_ok(end_scoped(&it));
    }
}

static void the_hold_is_a_reference_of_a_counted_arena(void **state)
{
    (void)state;
    scoped it;
    tide_hold hold;
    tide_span span;
    open_scoped(&it, COUNTED, 64, 8);
    assert_ok(tide_segment_span(&it.segment, 0, 64, 8, &hold, &span));
    assert_ok(end_scoped(&it));
    memset(span.address, 3, span.size);
    assert_true(tide_shared_is_alive(it.shared));
    assert_ok(tide_hold_release(&hold));
    assert_false(tide_shared_is_alive(it.shared));
}

static void only_a_shared_scope_needs_the_hold(void **state)
{
    (void)state;
    for_each_scope_kind(kind)
    {
        scoped it;
        tide_span span;
        tide_const_span view;
        open_scoped(&it, kind, 64, 8);
        if (kind == CONFINED || kind == GLOBAL) {
            assert_ok(tide_segment_span(&it.segment, 0, 64, 8, NULL, &span));
            assert_ok(tide_segment_const_span(&it.segment, 0, 64, 8, NULL, &view));
            assert_ptr_equal(span.address, view.address);
        } else {
            refuse_both(TIDE_INVALID_ARGUMENT, (request){&it.segment, 0, 64, 8, NULL});
        }
        assert_ok(end_scoped(&it)); /* no hold was taken */
    }
}

static void a_hold_on_the_global_scope_is_released_like_any_other(void **state)
{
    (void)state;
    const tide_segment segment = segment_over(memory, 64);
    tide_hold hold;
    tide_span span;
    assert_ok(tide_segment_span(&segment, 0, 64, 8, &hold, &span));
    assert_ok(tide_hold_release(&hold));
    assert_refused(TIDE_INVALID_ARGUMENT, tide_hold_release(&hold));
}

static void use_from_another_thread(void *context)
{
    const tide_segment *segment = (const tide_segment *)context;
    tide_hold hold;
    tide_span span;
    assert_ok(tide_segment_span(segment, 0, 64, 8, &hold, &span));
    memset(span.address, 9, span.size);
    assert_ok(tide_hold_release(&hold));
}

static void any_thread_takes_spans_of_what_is_shared(void **state)
{
    (void)state;
    for (scope_kind kind = SHARED; kind < SCOPE_KINDS; kind++) {
        scoped it;
        open_scoped(&it, kind, 64, 8);
        on_new_thread(use_from_another_thread, &it.segment);
        assert_true(all_bytes_are(tide_segment_address(&it.segment), 9, 64));
        assert_ok(end_scoped(&it));
    }
}

/* The count of holds, set as if all of them were out. */
static void no_more_holds_than_can_be_counted(void **state)
{
    (void)state;
    for (scope_kind kind = CONFINED; kind <= COUNTED; kind++) {
        scoped it;
        open_scoped(&it, kind, 64, 8);
        tide_cell *cell = it.segment.cell_;
        uint64_t *word = kind == CONFINED ? &cell->special : &cell->epoch;
        const uint64_t before = *word;
        *word |= kind == CONFINED ? ~(TIDE_CELL_HOLD - 1) : ~(TIDE_SHARED_HOLD - 1);
        refuse_both(TIDE_EXHAUSTED, (request){&it.segment, 0, 64, 8, &(tide_hold){{NULL, 0}}});
        *word = before;
        assert_ok(end_scoped(&it));
    }
}

/* ------------------------------------------------------------------------------- refused */

static void no_segment_no_place_and_no_alignment_are_invalid_before_all_else(void **state)
{
    (void)state;
    static const size_t alignments[] = {
        0, 3, 6, 12, SIZE_MAX, (size_t)PTRDIFF_MAX + 1, PTRDIFF_MAX, (size_t)PTRDIFF_MAX - 1};
    tide_hold hold;
    tide_span span;
    const tide_segment segment = segment_over(memory, 64), view = read_only_of(segment);
    refuse_both(TIDE_INVALID_ARGUMENT, (request){NULL, 0, 8, 8, &hold});
    refuse_both(TIDE_INVALID_ARGUMENT, (request){&zeroed_segment, 0, 0, 1, &hold});
    refuse_both(TIDE_INVALID_ARGUMENT, (request){&zeroed_segment, 0, 0, 1, NULL});
    assert_refused(TIDE_INVALID_ARGUMENT, tide_segment_span(&view, 65, 1, 8, &hold, NULL));
    assert_refused(TIDE_INVALID_ARGUMENT, tide_segment_const_span(&view, 65, 1, 8, &hold, NULL));
    assert_refused(TIDE_INVALID_ARGUMENT, tide_segment_span(NULL, 0, 0, 1, NULL, &span));
    for (size_t i = 0; i < COUNT_OF(alignments); i++) {
        refuse_both(TIDE_INVALID_ARGUMENT, (request){&segment, 0, 8, alignments[i], &hold});
        refuse_both(TIDE_INVALID_ARGUMENT, (request){&view, SIZE_MAX, 8, alignments[i], NULL});
    }
}

static void a_range_outside_is_out_of_bounds(void **state)
{
    (void)state;
    static const size_t ranges[][2] = {{0, 65},
                                       {64, 1},
                                       {65, 0},
                                       {1, 64},
                                       {0, SIZE_MAX},
                                       {SIZE_MAX, 0},
                                       {SIZE_MAX, 1},
                                       {SIZE_MAX, SIZE_MAX},
                                       {8, (size_t)-8},
                                       {(size_t)-8, 8},
                                       {PTRDIFF_MAX, 1},
                                       {0, (size_t)PTRDIFF_MAX + 1},
                                       {(size_t)PTRDIFF_MAX + 1, 0},
                                       {(size_t)1 << 62, (size_t)1 << 62},
                                       {0, (size_t)PTRDIFF_MAX - 1}};
    const tide_segment segment = segment_over(memory, 64);
    tide_hold hold;
    for (size_t i = 0; i < COUNT_OF(ranges); i++) {
        refuse_both(TIDE_OUT_OF_BOUNDS, (request){&segment, ranges[i][0], ranges[i][1], 8, &hold});
        refuse_both(TIDE_OUT_OF_BOUNDS, (request){&segment, ranges[i][0], ranges[i][1], 1, NULL});
    }
}

static void the_address_must_be_a_multiple_of_the_alignment(void **state)
{
    (void)state;
    const tide_segment segment = segment_over(memory, 128);
    for (size_t alignment = 1; alignment <= 64; alignment *= 2) {
        for (size_t offset = 0; offset <= 128; offset++) {
            tide_span span;
            const request wanted = {&segment, offset, 0, alignment, NULL};
            if (offset % alignment == 0)
                assert_ok(take(&wanted, &span));
            else
                refuse_both(TIDE_MISALIGNED, wanted);
        }
    }
    refuse_both(TIDE_MISALIGNED, (request){&segment, 1, 8, (size_t)1 << 62, NULL});
    refuse_both(TIDE_OUT_OF_BOUNDS, (request){&segment, 1, 128, (size_t)1 << 62, NULL});
}

static void refuse_in_order(const tide_segment *segment, tide_status session)
{
    tide_hold hold;
    const tide_segment view = read_only_of(*segment);
    refuse(TIDE_OUT_OF_BOUNDS, TIDE_READ_ONLY, (request){&view, 65, 0, 8, &hold});
    refuse(TIDE_MISALIGNED, TIDE_READ_ONLY, (request){&view, 1, 8, 8, &hold});
    refuse(session, TIDE_READ_ONLY, (request){&view, 0, 8, 8, &hold});
    refuse_both(TIDE_OUT_OF_BOUNDS, (request){segment, 1, 64, 8, &hold});
    refuse_both(TIDE_MISALIGNED, (request){segment, 1, 8, 8, &hold});
    refuse_both(TIDE_MISALIGNED, (request){segment, 1, 0, 8, &hold});
    refuse_both(session, (request){segment, 0, 64, 8, &hold});
    refuse_both(session, (request){segment, 64, 0, 8, &hold});
}

static void refuse_as_stranger(void *context)
{
    refuse_in_order((const tide_segment *)context, TIDE_WRONG_OWNER);
    refuse_both(TIDE_WRONG_OWNER, (request){(const tide_segment *)context, 0, 8, 8, NULL});
}

static void
read_only_comes_before_bounds_before_alignment_before_owner_before_liveness(void **state)
{
    (void)state;
    for (scope_kind kind = CONFINED; kind <= COUNTED; kind++) {
        scoped it;
        open_scoped(&it, kind, 64, 8);
        if (kind == CONFINED) {
            const tide_owner own = tide_owner_set(tide_owner_new());
            refuse_as_stranger(&it.segment);
            tide_owner_set(own);
            on_new_thread(refuse_as_stranger, &it.segment);
        }
        assert_ok(end_scoped(&it)); /* nothing refused has taken a hold */
        refuse_in_order(&it.segment, TIDE_CLOSED);
    }
}

static void the_text_names_the_numbers(void **state)
{
    (void)state;
    const tide_segment segment = segment_over(memory, 64);
    tide_span span;
    assert_refused(TIDE_OUT_OF_BOUNDS, tide_segment_span(&segment, 60, 16, 4, NULL, &span));
    assert_error_names("span of 16 bytes at 60 in a segment of 64 bytes");
    assert_refused(TIDE_MISALIGNED, tide_segment_span(&segment, 4, 16, 32, NULL, &span));
    assert_error_names("span at 4");
    assert_error_names("no multiple of 32");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_span_is_the_address_and_the_size_that_were_asked_for),
        cmocka_unit_test(what_is_written_through_a_span_is_in_the_segment),
        cmocka_unit_test(a_read_only_view_gives_a_span_to_read),
        cmocka_unit_test(the_hold_keeps_the_arena_open_until_it_is_released),
        cmocka_unit_test(the_hold_is_a_reference_of_a_counted_arena),
        cmocka_unit_test(only_a_shared_scope_needs_the_hold),
        cmocka_unit_test(a_hold_on_the_global_scope_is_released_like_any_other),
        cmocka_unit_test(any_thread_takes_spans_of_what_is_shared),
        cmocka_unit_test(no_more_holds_than_can_be_counted),
        cmocka_unit_test(no_segment_no_place_and_no_alignment_are_invalid_before_all_else),
        cmocka_unit_test(a_range_outside_is_out_of_bounds),
        cmocka_unit_test(the_address_must_be_a_multiple_of_the_alignment),
        cmocka_unit_test(
            read_only_comes_before_bounds_before_alignment_before_owner_before_liveness),
        cmocka_unit_test(the_text_names_the_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
