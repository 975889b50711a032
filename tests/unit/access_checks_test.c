/* SPDX-License-Identifier: Apache-2.0 */
/* Scalar access that is refused: by which check, in which order, in every form of every type, and
 * always with nothing changed. */
#include "test.h"

#define EACH_SCALAR(X)  \
    X(i8, int8_t, 1)    \
    X(u8, uint8_t, 1)   \
    X(i16, int16_t, 2)  \
    X(u16, uint16_t, 2) \
    X(i32, int32_t, 4)  \
    X(u32, uint32_t, 4) \
    X(i64, int64_t, 8)  \
    X(u64, uint64_t, 8) \
    X(f32, float, 4)    \
    X(f64, double, 8)   \
    X(bool, bool, 1)    \
    X(ptr, void *, 8)

/* Each of these makes one access in every form there is, and wants the same refusal from all. */
#define DEFINE_REFUSALS(T, type, size)                                                            \
    static void refuse_reads_##T(tide_status status, const tide_segment *segment, size_t offset,  \
                                 tide_layout layout)                                              \
    {                                                                                             \
        type value;                                                                               \
        memset(&value, 0x5A, sizeof value);                                                       \
        assert_fault(status, tide_get_##T##_as(segment, offset, layout));                         \
        assert_refused(status, tide_load_##T##_as(segment, offset, layout, &value));              \
        if (layout == TIDE_NATIVE_ENDIAN) {                                                       \
            assert_fault(status, tide_get_##T(segment, offset));                                  \
            assert_refused(status, tide_load_##T(segment, offset, &value));                       \
        }                                                                                         \
        assert_true(all_bytes_are(&value, 0x5A, sizeof value));                                   \
    }                                                                                             \
    static void refuse_reads_##T##_at(tide_status status, const tide_segment *segment,            \
                                      size_t index, tide_layout layout)                           \
    {                                                                                             \
        type value;                                                                               \
        memset(&value, 0x5A, sizeof value);                                                       \
        assert_fault(status, tide_get_##T##_at_as(segment, index, layout));                       \
        assert_refused(status, tide_load_##T##_at_as(segment, index, layout, &value));            \
        if (layout == TIDE_NATIVE_ENDIAN) {                                                       \
            assert_fault(status, tide_get_##T##_at(segment, index));                              \
            assert_refused(status, tide_load_##T##_at(segment, index, &value));                   \
        }                                                                                         \
        assert_true(all_bytes_are(&value, 0x5A, sizeof value));                                   \
    }                                                                                             \
    static void refuse_writes_##T(tide_status status, const tide_segment *segment, size_t offset, \
                                  tide_layout layout)                                             \
    {                                                                                             \
        assert_fault_by(status, tide_set_##T##_as(segment, offset, layout, (type)0));             \
        assert_refused(status, tide_store_##T##_as(segment, offset, layout, (type)0));            \
        if (layout == TIDE_NATIVE_ENDIAN) {                                                       \
            assert_fault_by(status, tide_set_##T(segment, offset, (type)0));                      \
            assert_refused(status, tide_store_##T(segment, offset, (type)0));                     \
        }                                                                                         \
    }                                                                                             \
    static void refuse_writes_##T##_at(tide_status status, const tide_segment *segment,           \
                                       size_t index, tide_layout layout)                          \
    {                                                                                             \
        assert_fault_by(status, tide_set_##T##_at_as(segment, index, layout, (type)0));           \
        assert_refused(status, tide_store_##T##_at_as(segment, index, layout, (type)0));          \
        if (layout == TIDE_NATIVE_ENDIAN) {                                                       \
            assert_fault_by(status, tide_set_##T##_at(segment, index, (type)0));                  \
            assert_refused(status, tide_store_##T##_at(segment, index, (type)0));                 \
        }                                                                                         \
    }                                                                                             \
    static void refuse_no_place_##T(const tide_segment *segment, size_t offset)                   \
    {                                                                                             \
        const tide_layout layout = TIDE_BIG_ENDIAN;                                               \
        assert_refused(TIDE_INVALID_ARGUMENT, tide_load_##T(segment, offset, NULL));              \
        assert_refused(TIDE_INVALID_ARGUMENT, tide_load_##T##_at(segment, offset, NULL));         \
        assert_refused(TIDE_INVALID_ARGUMENT, tide_load_##T##_as(segment, offset, layout, NULL)); \
        assert_refused(TIDE_INVALID_ARGUMENT,                                                     \
                       tide_load_##T##_at_as(segment, offset, layout, NULL));                     \
    }

EACH_SCALAR(DEFINE_REFUSALS)

typedef void refusal(tide_status status, const tide_segment *segment, size_t position,
                     tide_layout layout);

typedef struct scalar {
    size_t size;
    refusal *reads;
    refusal *reads_at;
    refusal *writes;
    refusal *writes_at;
    void (*no_place)(const tide_segment *segment, size_t offset);
} scalar;

#define SCALAR_ENTRY(T, type, size) \
    {size,                          \
     refuse_reads_##T,              \
     refuse_reads_##T##_at,         \
     refuse_writes_##T,             \
     refuse_writes_##T##_at,        \
     refuse_no_place_##T},

static const scalar scalars[] = {EACH_SCALAR(SCALAR_ENTRY)};

#define for_each_scalar(one) \
    for (const scalar *one = scalars; one < scalars + COUNT_OF(scalars); one++)

static const tide_layout unaligned_layouts[] = {
    TIDE_NATIVE_ENDIAN | TIDE_UNALIGNED,
    TIDE_LITTLE_ENDIAN | TIDE_UNALIGNED,
    TIDE_BIG_ENDIAN | TIDE_UNALIGNED,
};

static const tide_layout no_layouts[] = {3u, 7u, 8u, 11u, 16u, 255u, 256u, 257u, 65536u, ~0u};

static const tide_segment zeroed_segment = {0};
alignas(16) static unsigned char memory[64];

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

static void refuse_both(const scalar *one, tide_status status, const tide_segment *segment,
                        size_t offset, tide_layout layout)
{
    one->reads(status, segment, offset, layout);
    one->writes(status, segment, offset, layout);
}

static void refuse_both_at(const scalar *one, tide_status status, const tide_segment *segment,
                           size_t index, tide_layout layout)
{
    one->reads_at(status, segment, index, layout);
    one->writes_at(status, segment, index, layout);
}

/* ------------------------------------------------------------------------------- bounds */

static void an_offset_must_leave_room_for_the_whole_scalar(void **state)
{
    (void)state;
    tide_segment segment = segment_over(memory, 64);
    for_each_scalar(one)
    {
        for (size_t offset = 64 - one->size + 1; offset <= 72; offset++) {
            refuse_both(one, TIDE_OUT_OF_BOUNDS, &segment, offset, TIDE_NATIVE_ENDIAN);
            refuse_both(one, TIDE_OUT_OF_BOUNDS, &segment, offset,
                        TIDE_BIG_ENDIAN | TIDE_UNALIGNED);
        }
    }
}

static void a_negative_or_huge_offset_is_out_of_bounds(void **state)
{
    (void)state;
    tide_segment segment = segment_over(memory, 64);
    const size_t offsets[] = {SIZE_MAX,
                              SIZE_MAX - 1,
                              SIZE_MAX - 6,
                              SIZE_MAX - 7,
                              SIZE_MAX - 63,
                              (size_t)PTRDIFF_MAX - 7,
                              (size_t)PTRDIFF_MAX,
                              (size_t)PTRDIFF_MAX + 1,
                              (size_t)1 << 62};
    for_each_scalar(one)
    {
        for (size_t i = 0; i < COUNT_OF(offsets); i++) {
            refuse_both(one, TIDE_OUT_OF_BOUNDS, &segment, offsets[i], TIDE_NATIVE_ENDIAN);
            refuse_both(one, TIDE_OUT_OF_BOUNDS, &segment, offsets[i],
                        TIDE_LITTLE_ENDIAN | TIDE_UNALIGNED);
        }
    }
}

static void an_index_whose_product_wraps_around_is_out_of_bounds(void **state)
{
    (void)state;
    tide_segment segment = segment_over(memory, 64);
    for_each_scalar(one)
    {
        const size_t indexes[] = {64 / one->size,
                                  64 / one->size + 1,
                                  SIZE_MAX / one->size,
                                  SIZE_MAX / one->size + 1, /* 0 when it wraps */
                                  SIZE_MAX / one->size + 2,
                                  (size_t)1 << 61,
                                  (size_t)1 << 62,
                                  (size_t)1 << 63,
                                  (size_t)PTRDIFF_MAX,
                                  (size_t)PTRDIFF_MAX + 1,
                                  SIZE_MAX};
        for (size_t i = 0; i < COUNT_OF(indexes); i++) {
            if (indexes[i] < 64 / one->size)
                continue; /* for a byte, SIZE_MAX / 1 + 1 is 0 */
            refuse_both_at(one, TIDE_OUT_OF_BOUNDS, &segment, indexes[i], TIDE_NATIVE_ENDIAN);
            refuse_both_at(one, TIDE_OUT_OF_BOUNDS, &segment, indexes[i],
                           TIDE_BIG_ENDIAN | TIDE_UNALIGNED);
        }
    }
}

static void a_segment_smaller_than_the_scalar_has_no_room_anywhere(void **state)
{
    (void)state;
    for_each_scalar(one)
    {
        for (size_t size = 0; size < one->size; size++) {
            tide_segment segment = segment_over(memory, size);
            for (size_t offset = 0; offset <= one->size; offset++)
                refuse_both(one, TIDE_OUT_OF_BOUNDS, &segment, offset, TIDE_NATIVE_ENDIAN);
            refuse_both(one, TIDE_OUT_OF_BOUNDS, &segment, SIZE_MAX, TIDE_NATIVE_ENDIAN);
            refuse_both_at(one, TIDE_OUT_OF_BOUNDS, &segment, 0, TIDE_NATIVE_ENDIAN);
            refuse_both_at(one, TIDE_OUT_OF_BOUNDS, &segment, SIZE_MAX, TIDE_NATIVE_ENDIAN);
        }
    }
}

static void a_part_of_a_scalar_at_the_end_has_no_index(void **state)
{
    (void)state;
    for_each_scalar(one)
    {
        if (one->size == 1)
            continue;
        tide_segment segment = segment_over(memory, 64 - 1);
        refuse_both_at(one, TIDE_OUT_OF_BOUNDS, &segment, 64 / one->size - 1, TIDE_NATIVE_ENDIAN);
    }
}

static void the_largest_segment_has_an_end_too(void **state)
{
    (void)state;
    tide_segment segment = segment_over(memory, (size_t)PTRDIFF_MAX);
    for_each_scalar(one)
    {
        refuse_both(one, TIDE_OUT_OF_BOUNDS, &segment, (size_t)PTRDIFF_MAX - one->size + 1,
                    TIDE_NATIVE_ENDIAN);
        refuse_both(one, TIDE_OUT_OF_BOUNDS, &segment, SIZE_MAX, TIDE_NATIVE_ENDIAN);
        refuse_both_at(one, TIDE_OUT_OF_BOUNDS, &segment, (size_t)PTRDIFF_MAX / one->size,
                       TIDE_NATIVE_ENDIAN);
    }
}

/* ------------------------------------------------------------------------------- alignment */

static void natural_alignment_of_the_address_is_demanded_unless_unaligned_is_said(void **state)
{
    (void)state;
    for_each_scalar(one)
    {
        for (size_t shift = 0; shift < 8; shift++) {
            tide_segment segment = segment_over(memory + shift, 48);
            for (size_t offset = 0; offset < 8; offset++) {
                if ((shift + offset) % one->size == 0)
                    continue;
                refuse_both(one, TIDE_MISALIGNED, &segment, offset, TIDE_NATIVE_ENDIAN);
                refuse_both(one, TIDE_MISALIGNED, &segment, offset, TIDE_LITTLE_ENDIAN);
                refuse_both(one, TIDE_MISALIGNED, &segment, offset, TIDE_BIG_ENDIAN);
            }
            if (shift % one->size != 0) {
                refuse_both_at(one, TIDE_MISALIGNED, &segment, 0, TIDE_NATIVE_ENDIAN);
                refuse_both_at(one, TIDE_MISALIGNED, &segment, 2, TIDE_BIG_ENDIAN);
            }
        }
    }
}

/* ------------------------------------------------------------------------------- arguments */

static void no_segment_is_invalid(void **state)
{
    (void)state;
    for_each_scalar(one)
    {
        refuse_both(one, TIDE_INVALID_ARGUMENT, NULL, 0, TIDE_NATIVE_ENDIAN);
        refuse_both(one, TIDE_INVALID_ARGUMENT, NULL, SIZE_MAX, TIDE_BIG_ENDIAN);
        refuse_both_at(one, TIDE_INVALID_ARGUMENT, NULL, 0, TIDE_NATIVE_ENDIAN);
        refuse_both(one, TIDE_INVALID_ARGUMENT, &zeroed_segment, 0, TIDE_NATIVE_ENDIAN);
        refuse_both_at(one, TIDE_INVALID_ARGUMENT, &zeroed_segment, 1, TIDE_NATIVE_ENDIAN);
    }
}

static void a_layout_that_is_none_is_invalid_before_all_else(void **state)
{
    (void)state;
    tide_arena arena;
    tide_segment segment, closed;
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_arena_segment(&arena, 64, 8, &closed));
    closed = read_only_of(closed);
    assert_ok(tide_arena_close(&arena));
    segment = segment_over(memory, 64);
    for_each_scalar(one)
    {
        for (size_t i = 0; i < COUNT_OF(no_layouts); i++) {
            refuse_both(one, TIDE_INVALID_ARGUMENT, &segment, 0, no_layouts[i]);
            refuse_both_at(one, TIDE_INVALID_ARGUMENT, &segment, 0, no_layouts[i]);
            refuse_both(one, TIDE_INVALID_ARGUMENT, &closed, SIZE_MAX, no_layouts[i]);
            refuse_both_at(one, TIDE_INVALID_ARGUMENT, &closed, SIZE_MAX, no_layouts[i]);
        }
    }
}

static void no_place_for_the_value_is_invalid_before_all_else(void **state)
{
    (void)state;
    tide_arena arena;
    tide_segment segment = segment_over(memory, 64), closed;
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_arena_segment(&arena, 64, 8, &closed));
    assert_ok(tide_arena_close(&arena));
    for_each_scalar(one)
    {
        one->no_place(&segment, 0);
        one->no_place(&segment, 3);
        one->no_place(&segment, SIZE_MAX);
        one->no_place(&closed, 0);
        one->no_place(NULL, 0);
    }
}

/* ------------------------------------------------------------------------------- order */

/* A read-only and a writable view of 48 misaligned bytes of an arena. */
typedef struct crooked {
    tide_arena arena;
    tide_segment writable;
    tide_segment read_only;
} crooked;

static void open_crooked(crooked *it)
{
    assert_ok(tide_arena_open(&it->arena));
    assert_ok(tide_arena_segment(&it->arena, 64, 8, &it->writable));
    assert_ok(tide_segment_slice(&it->writable, 1, 48, &it->writable));
    it->read_only = read_only_of(it->writable);
}

/* What is wrong with the session is only told when nothing else is. */
static void refuse_in_order(const crooked *it, tide_status session)
{
    for_each_scalar(one)
    {
        const tide_status crooked_status = one->size == 1 ? session : TIDE_MISALIGNED;
        one->writes(TIDE_READ_ONLY, &it->read_only, SIZE_MAX, TIDE_NATIVE_ENDIAN);
        one->writes(TIDE_READ_ONLY, &it->read_only, 0, TIDE_NATIVE_ENDIAN);
        one->writes(TIDE_READ_ONLY, &it->read_only, 0, TIDE_BIG_ENDIAN | TIDE_UNALIGNED);
        one->writes_at(TIDE_READ_ONLY, &it->read_only, SIZE_MAX, TIDE_NATIVE_ENDIAN);
        one->writes_at(TIDE_READ_ONLY, &it->read_only, 0, TIDE_BIG_ENDIAN);

        refuse_both(one, TIDE_OUT_OF_BOUNDS, &it->writable, 48, TIDE_NATIVE_ENDIAN);
        refuse_both_at(one, TIDE_OUT_OF_BOUNDS, &it->writable, 48, TIDE_NATIVE_ENDIAN);
        one->reads(TIDE_OUT_OF_BOUNDS, &it->read_only, 48, TIDE_BIG_ENDIAN);

        refuse_both(one, crooked_status, &it->writable, 0, TIDE_NATIVE_ENDIAN);
        refuse_both_at(one, crooked_status, &it->writable, 1, TIDE_BIG_ENDIAN);
        one->reads(crooked_status, &it->read_only, 0, TIDE_NATIVE_ENDIAN);

        refuse_both(one, session, &it->writable, 7, TIDE_NATIVE_ENDIAN);
        for (size_t i = 0; i < COUNT_OF(unaligned_layouts); i++) {
            refuse_both(one, session, &it->writable, 0, unaligned_layouts[i]);
            refuse_both_at(one, session, &it->writable, 1, unaligned_layouts[i]);
            one->reads(session, &it->read_only, 0, unaligned_layouts[i]);
        }
    }
}

static void
read_only_comes_before_bounds_before_alignment_before_owner_before_liveness(void **state)
{
    (void)state;
    crooked it;
    open_crooked(&it);
    tide_owner own = tide_owner_set(tide_owner_new());
    refuse_in_order(&it, TIDE_WRONG_OWNER);
    tide_owner_set(own);
    assert_ok(tide_arena_close(&it.arena));
    refuse_in_order(&it, TIDE_CLOSED);
}

static void access_as_stranger(void *context)
{
    refuse_in_order((const crooked *)context, TIDE_WRONG_OWNER);
}

static void a_thread_that_never_used_the_library_is_a_stranger(void **state)
{
    (void)state;
    crooked it;
    open_crooked(&it);
    on_new_thread(access_as_stranger, &it);
    assert_ok(tide_arena_close(&it.arena));
    on_new_thread(access_as_stranger, &it);
}

static void a_read_only_view_may_be_read(void **state)
{
    (void)state;
    const tide_segment view = read_only_of(segment_over(memory, 64));
    assert_int_equal(tide_get_u8(&view, 0), 0xC3);
    assert_true(tide_get_u64_at(&view, 7) == UINT64_C(0xC3C3C3C3C3C3C3C3));
}

/* ------------------------------------------------------------------------------- texts */

static void the_text_names_the_numbers_on_both_sides(void **state)
{
    (void)state;
    tide_segment segment = segment_over(memory, 64);
    tide_segment view = read_only_of(segment);
    uint32_t value;
    assert_refused(TIDE_OUT_OF_BOUNDS, tide_load_u32(&segment, 62, &value));
    assert_error_names("read of 4 bytes at 62 in a segment of 64 bytes");
    assert_fault(TIDE_OUT_OF_BOUNDS, tide_get_u32(&segment, 62));
    assert_fault_names("read of 4 bytes at 62 in a segment of 64 bytes");
    assert_string_equal(caught.operation, "read");
    assert_fault_by(TIDE_OUT_OF_BOUNDS, tide_set_u64(&segment, 57, 0));
    assert_fault_names("write of 8 bytes at 57");
    assert_string_equal(caught.operation, "write");
    assert_refused(TIDE_OUT_OF_BOUNDS, tide_store_u16_at(&segment, 40, 0));
    assert_error_names("40");
    assert_error_names("64");
    assert_refused(TIDE_OUT_OF_BOUNDS, tide_load_u32(&segment, SIZE_MAX, &value));
    assert_error_names("18446744073709551615");
    assert_refused(TIDE_MISALIGNED, tide_load_u32(&segment, 6, &value));
    assert_error_names("4");
    assert_error_names("6");
    assert_refused(TIDE_READ_ONLY, tide_store_u32(&view, 8, 0));
    assert_error_names("write of 4 bytes at 8");
    assert_error_names("read-only");
}

#define with_memory(test) cmocka_unit_test_setup_teardown(test, fill_memory, memory_is_as_it_was)

static void an_invalid_layout_of_a_good_access_is_invalid(void **state)
{
    (void)state;
    static const tide_layout wrong_layouts[] = {3u, 7u, 8u, 12u, 256u, ~0u};
    tide_arena arena;
    tide_segment segment;
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_arena_segment(&arena, 64, 8, &segment));
    for (size_t i = 0; i < COUNT_OF(wrong_layouts); i++) {
        uint32_t value = 0;
        assert_int_equal(tide_load_u32_as(&segment, 8, wrong_layouts[i], &value),
                         TIDE_INVALID_ARGUMENT);
        assert_int_equal(tide_store_u32_at_as(&segment, 2, wrong_layouts[i], 1),
                         TIDE_INVALID_ARGUMENT);
    }
    assert_ok(tide_arena_close(&arena));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_memory(an_offset_must_leave_room_for_the_whole_scalar),
        with_memory(a_negative_or_huge_offset_is_out_of_bounds),
        with_memory(an_index_whose_product_wraps_around_is_out_of_bounds),
        with_memory(a_segment_smaller_than_the_scalar_has_no_room_anywhere),
        with_memory(a_part_of_a_scalar_at_the_end_has_no_index),
        with_memory(the_largest_segment_has_an_end_too),
        with_memory(natural_alignment_of_the_address_is_demanded_unless_unaligned_is_said),
        with_memory(no_segment_is_invalid),
        with_memory(a_layout_that_is_none_is_invalid_before_all_else),
        with_memory(no_place_for_the_value_is_invalid_before_all_else),
        with_memory(read_only_comes_before_bounds_before_alignment_before_owner_before_liveness),
        with_memory(a_thread_that_never_used_the_library_is_a_stranger),
        with_memory(a_read_only_view_may_be_read),
        with_memory(the_text_names_the_numbers_on_both_sides),
        cmocka_unit_test(an_invalid_layout_of_a_good_access_is_invalid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
