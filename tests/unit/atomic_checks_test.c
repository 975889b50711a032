/* SPDX-License-Identifier: Apache-2.0 */
/* Atomic access that is refused: by which check, in which order, in both forms of every operation
 * on every type, and always with nothing changed. */
#include "test.h"

#include "atomics.h"
#include "scopes.h"

static _Alignas(16) unsigned char memory[64];
static const tide_segment zeroed_segment;

static int fill_memory(void **state)
{
    (void)state;
    memset(memory, 0xC3, sizeof memory);
    return 0;
}

static int memory_is_as_it_was(void **state)
{
    (void)state;
    return all_bytes_are(memory, 0xC3, sizeof memory) ? 0 : -1;
}

/* ------------------------------------------------------------------------------- both forms */

static void assert_untouched(const atomic_call *call)
{
    assert_int_equal(call->result, 0x5A5A5A5A);
    assert_int_equal(call->expected, 0x33333333);
    assert_true(call->exchanged);
}

static void refuse_one(const atomic_type *type, tide_status status, const tide_segment *segment,
                       size_t offset, atomic_operation operation)
{
    atomic_call call = {.operation = operation,
                        .value = 0x11111111,
                        .expected = 0x33333333,
                        .result = 0x5A5A5A5A,
                        .exchanged = true};
    assert_fault_by(status, type->call(segment, offset, &call));
    assert_untouched(&call);
    assert_refused(status, type->attempt(segment, offset, &call));
    assert_untouched(&call);
}

/* `reads` is what a get is refused with, `writes` what all the others are. */
static void refuse(const atomic_type *type, tide_status reads, tide_status writes,
                   const tide_segment *segment, size_t offset)
{
    refuse_one(type, reads, segment, offset, GET);
    for (unsigned operation = SET; operation < type->operations; operation++)
        refuse_one(type, writes, segment, offset, (atomic_operation)operation);
}

static void refuse_all(tide_status status, const tide_segment *segment, size_t offset)
{
    for_each_atomic_type(type) refuse(type, status, status, segment, offset);
}

/* ------------------------------------------------------------------------------- one thing
 * wrong */

static void an_offset_must_leave_room_for_the_whole_scalar(void **state)
{
    (void)state;
    const tide_segment segment = segment_over(memory, 64);
    for_each_atomic_type(type)
    {
        for (size_t offset = 64 - type->size + 1; offset <= 72; offset++)
            refuse(type, TIDE_OUT_OF_BOUNDS, TIDE_OUT_OF_BOUNDS, &segment, offset);
    }
}

static void a_negative_or_huge_offset_is_out_of_bounds(void **state)
{
    (void)state;
    const tide_segment segment = segment_over(memory, 64);
    const tide_segment largest = segment_over(memory, (size_t)PTRDIFF_MAX);
    const size_t offsets[] = {SIZE_MAX,
                              SIZE_MAX - 1,
                              SIZE_MAX - 3,
                              SIZE_MAX - 7,
                              (size_t)PTRDIFF_MAX - 3,
                              (size_t)PTRDIFF_MAX - 1,
                              (size_t)PTRDIFF_MAX,
                              (size_t)PTRDIFF_MAX + 1,
                              (size_t)PTRDIFF_MAX + 2};
    refuse_all(TIDE_OUT_OF_BOUNDS, &segment, (size_t)1 << 62);
    for (size_t i = 0; i < COUNT_OF(offsets); i++) {
        refuse_all(TIDE_OUT_OF_BOUNDS, &segment, offsets[i]);
        if (offsets[i] != (size_t)PTRDIFF_MAX - 3)
            refuse_all(TIDE_OUT_OF_BOUNDS, &largest, offsets[i]);
    }
}

static void a_segment_smaller_than_the_scalar_has_no_room(void **state)
{
    (void)state;
    for_each_atomic_type(type)
    {
        for (size_t size = 0; size < type->size; size++) {
            const tide_segment segment = segment_over(memory, size);
            refuse(type, TIDE_OUT_OF_BOUNDS, TIDE_OUT_OF_BOUNDS, &segment, 0);
            refuse(type, TIDE_OUT_OF_BOUNDS, TIDE_OUT_OF_BOUNDS, &segment, SIZE_MAX);
        }
    }
}

static void natural_alignment_of_the_address_is_demanded(void **state)
{
    (void)state;
    for_each_atomic_type(type)
    {
        for (size_t shift = 0; shift < 8; shift++) {
            const tide_segment segment = segment_over(memory + shift, 48);
            for (size_t offset = 0; offset < 8; offset++) {
                if ((shift + offset) % type->size != 0)
                    refuse(type, TIDE_MISALIGNED, TIDE_MISALIGNED, &segment, offset);
            }
        }
    }
}

static void only_get_is_no_write(void **state)
{
    (void)state;
    for_each_scope_kind(kind)
    {
        scoped it;
        open_scoped(&it, kind, 64, 8);
        const tide_segment view = read_only_of(it.segment);
        for_each_atomic_type(type)
        {
            atomic_call get = {.operation = GET};
            type->call(&view, 8, &get);
            assert_ok(type->attempt(&view, 8, &get));
            for (unsigned operation = SET; operation < type->operations; operation++)
                refuse_one(type, TIDE_READ_ONLY, &view, 8, (atomic_operation)operation);
        }
        assert_zeroed(tide_segment_address(&it.segment), 64);
        assert_ok(end_scoped(&it));
    }
}

static void no_segment_is_invalid(void **state)
{
    (void)state;
    refuse_all(TIDE_INVALID_ARGUMENT, NULL, 0);
    refuse_all(TIDE_INVALID_ARGUMENT, NULL, SIZE_MAX);
    refuse_all(TIDE_INVALID_ARGUMENT, &zeroed_segment, 0);
    refuse_all(TIDE_INVALID_ARGUMENT, &zeroed_segment, 3);
}

static void no_place_is_invalid_before_all_else(void **state)
{
    (void)state;
    const tide_segment segment = segment_over(memory, 64), view = read_only_of(segment);
    for_each_atomic_type(type)
    {
        type->no_places(&segment, 0);
        type->no_places(&segment, 3);
        type->no_places(&view, 0);
        type->no_places(&view, SIZE_MAX);
        type->no_places(NULL, 0);
    }
}

/* ------------------------------------------------------------------------------- order */

/* Two views of 48 bytes of the scope that begin at an odd address. */
static void refuse_in_order(const tide_segment *odd, tide_status session)
{
    const tide_segment view = read_only_of(*odd);
    for_each_atomic_type(type)
    {
        refuse(type, TIDE_OUT_OF_BOUNDS, TIDE_READ_ONLY, &view, SIZE_MAX);
        refuse(type, TIDE_OUT_OF_BOUNDS, TIDE_READ_ONLY, &view, 48);
        refuse(type, TIDE_MISALIGNED, TIDE_READ_ONLY, &view, 0);
        refuse(type, session, TIDE_READ_ONLY, &view, 7);
        refuse(type, TIDE_OUT_OF_BOUNDS, TIDE_OUT_OF_BOUNDS, odd, 48);
        refuse(type, TIDE_OUT_OF_BOUNDS, TIDE_OUT_OF_BOUNDS, odd, SIZE_MAX);
        refuse(type, TIDE_MISALIGNED, TIDE_MISALIGNED, odd, 0);
        refuse(type, session, session, odd, 7);
    }
}

static void refuse_as_stranger(void *context)
{
    refuse_in_order((const tide_segment *)context, TIDE_WRONG_OWNER);
}

static void
read_only_comes_before_bounds_before_alignment_before_owner_before_liveness(void **state)
{
    (void)state;
    for_each_scope_kind(kind)
    {
        scoped it;
        tide_segment odd;
        open_scoped(&it, kind, 64, 8);
        assert_ok(tide_segment_slice(&it.segment, 1, 48, &odd));
        if (kind == CONFINED) {
            const tide_owner own = tide_owner_set(tide_owner_new());
            refuse_in_order(&odd, TIDE_WRONG_OWNER);
            tide_owner_set(own);
            on_new_thread(refuse_as_stranger, &odd);
        }
        assert_zeroed(tide_segment_address(&it.segment), 64);
        assert_ok(end_scoped(&it));
        if (can_end(kind))
            refuse_in_order(&odd, TIDE_CLOSED);
    }
}

static void a_closed_segment_does_not_reach_the_arena_that_has_its_memory_now(void **state)
{
    (void)state;
    tide_arena arena;
    tide_segment old, fresh;
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_arena_segment(&arena, 64, 8, &old));
    assert_ok(tide_arena_close(&arena));
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_arena_segment(&arena, 64, 8, &fresh));
    refuse_all(TIDE_CLOSED, &old, 0);
    assert_zeroed(tide_segment_address(&fresh), 64);
    assert_ok(tide_arena_close(&arena));
}

/* ------------------------------------------------------------------------------- faults */

static tide_shared_arena to_close;
static jmp_buf frame;

static void close_and_jump(const tide_fault *fault)
{
    (void)fault;
    assert_ok(tide_shared_close(to_close));
    longjmp(frame, 1);
}

static void the_fault_handler_is_called_outside_any_section(void **state)
{
    (void)state;
    tide_segment segment;
    assert_ok(tide_shared_open(&to_close));
    assert_ok(tide_shared_segment(to_close, 64, 8, &segment));
    const tide_fault_handler before = tide_fault_handler_set(close_and_jump);
    if (setjmp(frame) == 0) {
        tide_atomic_set_u32(&segment, 62, 1);
        fail();
    }
    tide_fault_handler_set(before);
    assert_false(tide_shared_is_alive(to_close));
}

static void the_text_names_the_operation_and_the_numbers(void **state)
{
    (void)state;
    static const char *const names[] = {"atomic read",      "atomic write", "exchange",
                                        "compare-exchange", "fetch-add",    "fetch-and",
                                        "fetch-or",         "fetch-xor"};
    const tide_segment segment = segment_over(memory, 64);
    const atomic_type *type = &atomic_types[0];
    for (unsigned operation = 0; operation < type->operations; operation++) {
        char text[64];
        snprintf(text, sizeof text, "%s of 4 bytes at 62 in a segment of 64 bytes",
                 names[operation]);
        refuse_one(type, TIDE_OUT_OF_BOUNDS, &segment, 62, (atomic_operation)operation);
        assert_error_names(text);
        assert_fault_names(text);
        assert_string_equal(caught.operation, names[operation]);
        refuse_one(type, TIDE_MISALIGNED, &segment, 6, (atomic_operation)operation);
        assert_error_names(names[operation]);
        assert_error_names("no multiple of 4");
    }
}

/* A thread that has used the library takes the inline path. */
static int use_the_library(void **state)
{
    (void)state;
    scoped it;
    open_scoped(&it, SHARED, 64, 8);
    tide_set_u8(&it.segment, 0, 1);
    assert_ok(end_scoped(&it));
    return 0;
}

#define with_memory(test) cmocka_unit_test_setup_teardown(test, fill_memory, memory_is_as_it_was)

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_memory(an_offset_must_leave_room_for_the_whole_scalar),
        with_memory(a_negative_or_huge_offset_is_out_of_bounds),
        with_memory(a_segment_smaller_than_the_scalar_has_no_room),
        with_memory(natural_alignment_of_the_address_is_demanded),
        with_memory(only_get_is_no_write),
        with_memory(no_segment_is_invalid),
        with_memory(no_place_is_invalid_before_all_else),
        with_memory(read_only_comes_before_bounds_before_alignment_before_owner_before_liveness),
        with_memory(a_closed_segment_does_not_reach_the_arena_that_has_its_memory_now),
        with_memory(the_fault_handler_is_called_outside_any_section),
        with_memory(the_text_names_the_operation_and_the_numbers),
    };
    return cmocka_run_group_tests(tests, use_the_library, NULL);
}
