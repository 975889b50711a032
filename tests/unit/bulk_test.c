/* SPDX-License-Identifier: Apache-2.0 */
/* Bulk operations: read, write, fill, copy and mismatch, in order and refused. */
#include "test.h"

static const tide_segment zeroed_segment = {0};

static unsigned char memory[512];
static unsigned char before[512];

/* Distinct bytes, and a record of them. */
static int fill_memory(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof memory; i++)
        memory[i] = (unsigned char)(i * 31 % 251);
    memcpy(before, memory, sizeof memory);
    return 0;
}

static bool memory_is_as_before(void)
{
    return memcmp(memory, before, sizeof memory) == 0;
}

static tide_segment part(size_t offset, size_t size)
{
    return segment_over(memory + offset, size);
}

/* Ranges that lie outside a segment of 64 bytes. */
static const size_t bad_ranges[][2] = {
    {0, 65},
    {1, 64},
    {64, 1},
    {65, 0},
    {60, 16},
    {0, SIZE_MAX},
    {1, SIZE_MAX},
    {SIZE_MAX, 0},
    {SIZE_MAX, 1},
    {SIZE_MAX, 2},
    {SIZE_MAX - 1, 2},
    {SIZE_MAX, SIZE_MAX},
    {8, (size_t)-8},
    {(size_t)-8, 8},
    {(size_t)-8, 16},
    {(size_t)PTRDIFF_MAX, 1},
    {(size_t)PTRDIFF_MAX + 1, 0},
    {0, (size_t)PTRDIFF_MAX + 1},
    {(size_t)PTRDIFF_MAX + 1, (size_t)PTRDIFF_MAX + 1},
    {(size_t)1 << 62, (size_t)1 << 62},
    {(size_t)1 << 63, (size_t)1 << 63},
};

/* ------------------------------------------------------------------------------- read, write */

static void read_copies_out_and_write_copies_in(void **state)
{
    (void)state;
    tide_segment segment = part(0, 300);
    unsigned char buffer[302];
    for (size_t size = 0; size <= 300; size = size * 2 + 1) {
        for (size_t offset = 0; offset + size <= 300; offset += 37) {
            memset(buffer, 0xEE, sizeof buffer);
            assert_ok(tide_segment_read(&segment, offset, buffer + 1, size));
            assert_int_equal(buffer[0], 0xEE);
            assert_int_equal(buffer[size + 1], 0xEE);
            assert_memory_equal(buffer + 1, before + offset, size);
            for (size_t i = 0; i < size; i++)
                buffer[1 + i] ^= 0xFF;
            assert_ok(tide_segment_write(&segment, offset, buffer + 1, size));
            assert_memory_equal(memory + offset, buffer + 1, size);
            assert_memory_equal(memory, before, offset);
            assert_memory_equal(memory + offset + size, before + offset + size,
                                sizeof memory - offset - size);
            fill_memory(NULL);
        }
    }
}

static void reading_from_a_read_only_view_is_fine(void **state)
{
    (void)state;
    const tide_segment view = read_only_of(part(0, 64));
    unsigned char buffer[64];
    assert_ok(tide_segment_read(&view, 0, buffer, sizeof buffer));
    assert_memory_equal(buffer, before, sizeof buffer);
}

static void the_end_of_a_segment_has_room_for_nothing(void **state)
{
    (void)state;
    tide_segment segment = part(0, 64), empty = part(0, 0);
    char byte = 7;
    assert_ok(tide_segment_read(&segment, 64, &byte, 0));
    assert_ok(tide_segment_write(&segment, 64, &byte, 0));
    assert_ok(tide_segment_read(&empty, 0, &byte, 0));
    assert_ok(tide_segment_write(&empty, 0, &byte, 0));
    assert_int_equal(byte, 7);
    assert_true(memory_is_as_before());
}

static void no_bytes_need_no_address(void **state)
{
    (void)state;
    tide_segment segment = part(0, 64);
    assert_ok(tide_segment_read(&segment, 3, NULL, 0));
    assert_ok(tide_segment_write(&segment, 3, NULL, 0));
}

static void null_bytes_with_a_size_are_invalid_before_all_else(void **state)
{
    (void)state;
    tide_segment segment = part(0, 64), view = read_only_of(segment);
    for (size_t size = 1; size < 1000; size *= 10) {
        assert_refused(TIDE_INVALID_ARGUMENT, tide_segment_read(&segment, 0, NULL, opaque(size)));
        assert_refused(TIDE_INVALID_ARGUMENT, tide_segment_write(&segment, 0, NULL, opaque(size)));
        assert_refused(TIDE_INVALID_ARGUMENT, tide_segment_write(&view, 70, NULL, opaque(size)));
    }
    assert_true(memory_is_as_before());
}

static void reading_and_writing_outside_is_out_of_bounds(void **state)
{
    (void)state;
    tide_segment segment = part(0, 64);
    unsigned char buffer[64];
    memset(buffer, 0xEE, sizeof buffer);
    for (size_t i = 0; i < COUNT_OF(bad_ranges); i++) {
        const size_t offset = opaque(bad_ranges[i][0]), size = opaque(bad_ranges[i][1]);
        assert_refused(TIDE_OUT_OF_BOUNDS, tide_segment_read(&segment, offset, buffer, size));
        assert_refused(TIDE_OUT_OF_BOUNDS, tide_segment_write(&segment, offset, buffer, size));
    }
    assert_true(all_bytes_are(buffer, 0xEE, sizeof buffer));
    assert_true(memory_is_as_before());
}

static void a_refused_read_names_its_numbers(void **state)
{
    (void)state;
    tide_segment segment = part(0, 64);
    unsigned char buffer[16];
    assert_refused(TIDE_OUT_OF_BOUNDS, tide_segment_read(&segment, 60, buffer, 16));
    assert_error_names("read");
    assert_error_names("16 bytes at 60");
    assert_error_names("64 bytes");
    assert_refused(TIDE_OUT_OF_BOUNDS, tide_segment_write(&segment, 60, buffer, 16));
    assert_error_names("write");
}

/* ------------------------------------------------------------------------------- fill */

static void fill_sets_every_byte_and_no_other(void **state)
{
    (void)state;
    for (size_t size = 0; size < 300; size = size * 2 + 1) {
        for (unsigned value = 0; value <= 0xFF; value += 0x55) {
            tide_segment segment = part(100, size);
            fill_memory(NULL);
            assert_ok(tide_segment_fill(&segment, (uint8_t)value));
            assert_true(all_bytes_are(memory + 100, (int)value, size));
            assert_memory_equal(memory, before, 100);
            assert_memory_equal(memory + 100 + size, before + 100 + size,
                                sizeof memory - 100 - size);
        }
    }
}

/* ------------------------------------------------------------------------------- copy */

static void copy_moves_bytes_between_segments(void **state)
{
    (void)state;
    tide_segment source = part(0, 100), target = part(200, 100);
    assert_ok(tide_segment_copy(&source, 10, &target, 20, 30));
    assert_memory_equal(memory + 220, before + 10, 30);
    assert_memory_equal(memory, before, 220);
    assert_memory_equal(memory + 250, before + 250, sizeof memory - 250);
}

static void copy_behaves_as_if_through_a_temporary_however_the_ranges_overlap(void **state)
{
    (void)state;
    for (size_t size = 0; size <= 200; size = size * 2 + 1) {
        for (size_t from = 0; from <= 120; from += 15) {
            for (size_t to = 0; to <= 120; to += 20) {
                fill_memory(NULL);
                tide_segment source = part(from, 300), target = part(to, 300);
                assert_ok(tide_segment_copy(&source, 7, &target, 5, size));
                assert_memory_equal(memory + to + 5, before + from + 7, size);
                assert_memory_equal(memory, before, to + 5);
                assert_memory_equal(memory + to + 5 + size, before + to + 5 + size,
                                    sizeof memory - to - 5 - size);
            }
        }
    }
}

static void copy_from_a_read_only_view_and_within_one_segment_is_fine(void **state)
{
    (void)state;
    tide_segment segment = part(0, 100), view = read_only_of(segment);
    assert_ok(tide_segment_copy(&view, 0, &segment, 50, 50));
    assert_memory_equal(memory + 50, before, 50);
    assert_ok(tide_segment_copy(&segment, 3, &segment, 3, 90));
    assert_ok(tide_segment_copy(&segment, 100, &segment, 100, 0));
}

static void copying_outside_either_segment_is_out_of_bounds(void **state)
{
    (void)state;
    tide_segment small = part(0, 64), large = part(100, 400);
    for (size_t i = 0; i < COUNT_OF(bad_ranges); i++) {
        const size_t offset = opaque(bad_ranges[i][0]), size = opaque(bad_ranges[i][1]);
        assert_refused(TIDE_OUT_OF_BOUNDS, tide_segment_copy(&small, offset, &large, 0, size));
        assert_refused(TIDE_OUT_OF_BOUNDS, tide_segment_copy(&large, 0, &small, offset, size));
        assert_refused(TIDE_OUT_OF_BOUNDS, tide_segment_copy(&small, offset, &small, offset, size));
    }
    assert_true(memory_is_as_before());
}

/* ------------------------------------------------------------------------------- mismatch */

static void mismatch_finds_the_first_difference(void **state)
{
    (void)state;
    for (size_t size = 1; size <= 200; size = size * 2 + 1) {
        for (size_t difference = 0; difference < size; difference += 1 + size / 9) {
            int64_t found = -2;
            memcpy(memory + 300, memory + 3, size);
            memory[300 + difference] ^= 0x80;
            if (difference + 1 < size)
                memory[300 + size - 1] ^= 1;
            tide_segment a = part(3, size), b = part(300, size);
            assert_ok(tide_segment_mismatch(&a, 0, size, &b, 0, size, &found));
            assert_int_equal(found, difference);
            fill_memory(NULL);
        }
    }
}

static void equal_ranges_are_minus_one_apart(void **state)
{
    (void)state;
    int64_t found = 5;
    tide_segment a = part(0, 200), b = part(100, 200);
    memcpy(memory + 100, memory, 100);
    assert_ok(tide_segment_mismatch(&a, 0, 100, &b, 0, 100, &found));
    assert_int_equal(found, -1);
    found = 5;
    assert_ok(tide_segment_mismatch(&a, 7, 7, &b, 200, 200, &found));
    assert_int_equal(found, -1);
    found = 5;
    assert_ok(tide_segment_mismatch(&a, 0, 200, &a, 0, 200, &found));
    assert_int_equal(found, -1);
}

static void a_prefix_differs_at_its_end(void **state)
{
    (void)state;
    int64_t found = -2;
    tide_segment a = part(0, 200), b = part(200, 200);
    memcpy(memory + 200, memory, 200);
    assert_ok(tide_segment_mismatch(&a, 0, 100, &b, 0, 60, &found));
    assert_int_equal(found, 60);
    assert_ok(tide_segment_mismatch(&a, 0, 60, &b, 0, 100, &found));
    assert_int_equal(found, 60);
    assert_ok(tide_segment_mismatch(&a, 5, 5, &b, 0, 100, &found));
    assert_int_equal(found, 0);
    memory[210] ^= 1;
    assert_ok(tide_segment_mismatch(&a, 0, 100, &b, 0, 60, &found));
    assert_int_equal(found, 10);
    assert_ok(tide_segment_mismatch(&a, 8, 100, &b, 8, 60, &found));
    assert_int_equal(found, 2);
}

static void a_range_outside_or_backwards_is_out_of_bounds(void **state)
{
    (void)state;
    static const size_t bad[][2] = {{0, 65},
                                    {65, 65},
                                    {1, 0},
                                    {64, 63},
                                    {SIZE_MAX, 0},
                                    {0, SIZE_MAX},
                                    {SIZE_MAX, SIZE_MAX},
                                    {(size_t)PTRDIFF_MAX + 1, (size_t)PTRDIFF_MAX + 1},
                                    {(size_t)1 << 62, 1},
                                    {SIZE_MAX, 8}};
    int64_t found = 5;
    tide_segment a = part(0, 64), b = part(100, 64);
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        const size_t from = opaque(bad[i][0]), to = opaque(bad[i][1]);
        assert_refused(TIDE_OUT_OF_BOUNDS, tide_segment_mismatch(&a, from, to, &b, 0, 8, &found));
        assert_refused(TIDE_OUT_OF_BOUNDS, tide_segment_mismatch(&a, 0, 8, &b, from, to, &found));
        assert_refused(TIDE_OUT_OF_BOUNDS,
                       tide_segment_mismatch(&a, from, to, &b, from, to, &found));
    }
    assert_int_equal(found, 5);
}

/* ------------------------------------------------------------------------------- arguments */

static void null_and_zeroed_segments_are_invalid_before_all_else(void **state)
{
    (void)state;
    const tide_segment *const bad[] = {NULL, &zeroed_segment};
    tide_segment good = part(0, 64);
    unsigned char buffer[8] = {0};
    int64_t found = 5;
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        for (size_t size = 0; size <= 8; size += 8) {
            assert_refused(TIDE_INVALID_ARGUMENT, tide_segment_read(bad[i], 0, buffer, size));
            assert_refused(TIDE_INVALID_ARGUMENT, tide_segment_write(bad[i], 0, buffer, size));
            assert_refused(TIDE_INVALID_ARGUMENT, tide_segment_copy(bad[i], 0, &good, 0, size));
            assert_refused(TIDE_INVALID_ARGUMENT, tide_segment_copy(&good, 0, bad[i], 0, size));
            assert_refused(TIDE_INVALID_ARGUMENT, tide_segment_copy(&good, 99, bad[i], 0, size));
            assert_refused(TIDE_INVALID_ARGUMENT,
                           tide_segment_mismatch(bad[i], 0, size, &good, 0, size, &found));
            assert_refused(TIDE_INVALID_ARGUMENT,
                           tide_segment_mismatch(&good, 0, size, bad[i], 0, size, &found));
        }
        assert_refused(TIDE_INVALID_ARGUMENT, tide_segment_fill(bad[i], 1));
    }
    assert_refused(TIDE_INVALID_ARGUMENT, tide_segment_mismatch(&good, 0, 8, &good, 0, 8, NULL));
    assert_int_equal(found, 5);
    assert_true(memory_is_as_before());
}

#define with_memory(test) cmocka_unit_test_setup(test, fill_memory)

/* Longer than what the inline form compares in one go. */
static void long_equal_ranges_have_no_mismatch(void **state)
{
    (void)state;
    tide_arena arena;
    tide_segment a, b;
    int64_t difference = 0;
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_arena_segment(&arena, 100000, 8, &a));
    assert_ok(tide_arena_segment(&arena, 100000, 8, &b));
    assert_ok(tide_segment_mismatch(&a, 0, 100000, &b, 0, 100000, &difference));
    assert_int_equal(difference, -1);
    tide_set_u8(&b, 99999, 1);
    assert_ok(tide_segment_mismatch(&a, 0, 100000, &b, 0, 100000, &difference));
    assert_int_equal(difference, 99999);
    assert_ok(tide_arena_close(&arena));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_memory(read_copies_out_and_write_copies_in),
        with_memory(reading_from_a_read_only_view_is_fine),
        with_memory(the_end_of_a_segment_has_room_for_nothing),
        with_memory(no_bytes_need_no_address),
        with_memory(null_bytes_with_a_size_are_invalid_before_all_else),
        with_memory(reading_and_writing_outside_is_out_of_bounds),
        with_memory(a_refused_read_names_its_numbers),
        with_memory(fill_sets_every_byte_and_no_other),
        with_memory(copy_moves_bytes_between_segments),
        with_memory(copy_behaves_as_if_through_a_temporary_however_the_ranges_overlap),
        with_memory(copy_from_a_read_only_view_and_within_one_segment_is_fine),
        with_memory(copying_outside_either_segment_is_out_of_bounds),
        with_memory(mismatch_finds_the_first_difference),
        with_memory(equal_ranges_are_minus_one_apart),
        with_memory(a_prefix_differs_at_its_end),
        with_memory(a_range_outside_or_backwards_is_out_of_bounds),
        with_memory(null_and_zeroed_segments_are_invalid_before_all_else),
        cmocka_unit_test(long_equal_ranges_have_no_mismatch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
