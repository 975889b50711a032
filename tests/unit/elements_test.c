/* SPDX-License-Identifier: Apache-2.0 */
/* Element copies against a naive model; arrays from and to plain memory. */
#include "test.h"

#include "memory/swap.h"
#include "scopes.h"

#define SIZE 320u

static const size_t element_sizes[] = {1, 2, 4, 8};
static const tide_layout orders[] = {TIDE_NATIVE_ENDIAN, TIDE_LITTLE_ENDIAN, TIDE_BIG_ENDIAN};

static void make_bytes(unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(i * 31 % 251);
}

static bool is_big(tide_layout layout)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return (layout & TIDE_BIG_ENDIAN) != 0;
#else
    return (layout & TIDE_LITTLE_ENDIAN) == 0;
#endif
}

/* Byte by byte, through a temporary. */
static void model_copy(unsigned char *to, const unsigned char *from, size_t count,
                       size_t element_size, bool swaps)
{
    static unsigned char temporary[1 << 16];
    memcpy(temporary, from, count * element_size);
    for (size_t i = 0; i < count * element_size; i++) {
        const size_t element = i - i % element_size, place = i % element_size;
        to[i] = temporary[element + (swaps ? element_size - 1 - place : place)];
    }
}

/* ------------------------------------------------------------------------------- copy */

typedef struct copy {
    const tide_segment *segment; /* source and target, of SIZE bytes */
    tide_layout from_layout;
    tide_layout to_layout;
    size_t element_size;
    size_t from;
    size_t to;
    size_t count;
} copy;

static void try_copy(const copy *it)
{
    unsigned char expected[SIZE], *bytes = tide_segment_address(it->segment);
    make_bytes(bytes, SIZE);
    make_bytes(expected, SIZE);
    model_copy(expected + it->to, expected + it->from, it->count, it->element_size,
               is_big(it->from_layout) != is_big(it->to_layout));
    assert_ok(tide_segment_copy_elements(it->segment, it->from_layout, it->element_size, it->from,
                                         it->segment, it->to_layout, it->element_size, it->to,
                                         it->count));
    assert_memory_equal(bytes, expected, SIZE);
}

/* Every distance from touching to the same, at every alignment of the source. */
static void try_every_distance(copy it)
{
    static const size_t counts[] = {0, 1, 2, 3, 7};
    for (size_t c = 0; c < COUNT_OF(counts); c++) {
        it.count = counts[c];
        for (it.from = 120; it.from < 128; it.from++) {
            const size_t apart = it.count * it.element_size + 1;
            for (it.to = it.from - apart; it.to <= it.from + apart; it.to++) {
                const bool aligned = (it.from | it.to) % it.element_size == 0;
                if (aligned)
                    try_copy(&it);
                copy unaligned = it;
                unaligned.from_layout |= TIDE_UNALIGNED;
                unaligned.to_layout |= TIDE_UNALIGNED;
                try_copy(&unaligned);
            }
        }
    }
}

static void elements_are_copied_as_if_through_a_temporary_and_swapped_between_orders(void **state)
{
    (void)state;
    scoped it;
    open_scoped(&it, CONFINED, SIZE, 8);
    for (size_t s = 0; s < COUNT_OF(element_sizes); s++) {
        for (size_t from = 0; from < COUNT_OF(orders); from++) {
            for (size_t to = 0; to < COUNT_OF(orders); to++)
                try_every_distance(
                    (copy){&it.segment, orders[from], orders[to], element_sizes[s], 0, 0, 0});
        }
    }
    assert_ok(end_scoped(&it));
}

static void copies_work_in_every_kind_of_scope_and_between_them(void **state)
{
    (void)state;
    for_each_scope_kind(from)
    {
        for_each_scope_kind(to)
        {
            scoped source, target;
            unsigned char expected[64] = {0};
            open_scoped(&source, from, 64, 8);
            open_scoped(&target, to, 64, 8);
            make_bytes(tide_segment_address(&source.segment), 64);
            model_copy(expected + 16, tide_segment_address(&source.segment), 5, 8, true);
            const tide_segment view = read_only_of(source.segment);
            assert_ok(tide_segment_copy_elements(&view, TIDE_LITTLE_ENDIAN, 8, 0, &target.segment,
                                                 TIDE_BIG_ENDIAN, 8, 16, 5));
            assert_memory_equal(tide_segment_address(&target.segment), expected, 64);
            assert_ok(end_scoped(&source));
            assert_ok(end_scoped(&target));
        }
    }
}

/* Long enough for vectors, their heads and their tails. */
static void long_copies_are_swapped_to_the_last_element(void **state)
{
    (void)state;
    static const size_t distances[] = {0, 1, 2, 3, 4, 7, 8, 15, 16, 31, 64, 100, 2048, 4095, 4096};
    static unsigned char bytes[3 * 8192], expected[3 * 8192];
    for (size_t s = 1; s < COUNT_OF(element_sizes); s++) {
        for (size_t count = 61; count <= 4096 / element_sizes[s]; count += 300 / element_sizes[s]) {
            for (size_t d = 0; d < 2 * COUNT_OF(distances); d++) {
                const size_t distance = distances[d / 2], size = count * element_sizes[s];
                const size_t from = 8192, to = d % 2 == 0 ? from + distance : from - distance;
                make_bytes(bytes, sizeof bytes);
                make_bytes(expected, sizeof expected);
                model_copy(expected + to, expected + from, count, element_sizes[s], true);
                tide_bytes_copy_swapped(bytes + to, bytes + from, size, element_sizes[s]);
                assert_memory_equal(bytes, expected, sizeof bytes);
            }
        }
    }
}

static void one_side_may_be_unaligned_alone(void **state)
{
    (void)state;
    static const tide_layout loose = TIDE_UNALIGNED;
    scoped it;
    open_scoped(&it, CONFINED, SIZE, 8);
    try_copy(&(copy){&it.segment, loose, 0, 8, 3, 64, 4});
    try_copy(&(copy){&it.segment, 0, loose, 8, 64, 3, 4});
    assert_refused(TIDE_MISALIGNED,
                   tide_segment_copy_elements(&it.segment, 0, 8, 3, &it.segment, loose, 8, 64, 4));
    assert_refused(TIDE_MISALIGNED,
                   tide_segment_copy_elements(&it.segment, loose, 8, 64, &it.segment, 0, 8, 3, 4));
    assert_ok(end_scoped(&it));
}

/* ------------------------------------------------------------------------------- elements */

static void a_segment_is_so_many_elements(void **state)
{
    (void)state;
    static _Alignas(8) unsigned char bytes[64];
    for (size_t s = 0; s < COUNT_OF(element_sizes); s++) {
        for (size_t start = 0; start < 8; start++) {
            for (size_t size = 0; size <= 40; size++) {
                const tide_segment segment = segment_over(bytes + start, size);
                const bool aligned = start % element_sizes[s] == 0;
                const bool whole = size % element_sizes[s] == 0;
                size_t count = 1234;
                const tide_status loose = whole ? TIDE_OK : TIDE_INVALID_ARGUMENT;
                const tide_status strict = aligned ? loose : TIDE_MISALIGNED;
                assert_status(strict, tide_segment_elements(&segment, 0, element_sizes[s], &count));
                assert_int_equal(count, strict == TIDE_OK ? size / element_sizes[s] : 1234);
                count = 1234;
                assert_status(loose,
                              tide_segment_elements(&segment, TIDE_BIG_ENDIAN | TIDE_UNALIGNED,
                                                    element_sizes[s], &count));
                assert_int_equal(count, loose == TIDE_OK ? size / element_sizes[s] : 1234);
            }
        }
    }
}

static void count_as_stranger(void *context)
{
    size_t count = 0;
    assert_ok(tide_segment_elements((const tide_segment *)context, 0, 8, &count));
    assert_int_equal(count, 8);
}

static void elements_of_a_closed_or_foreign_segment_can_be_counted(void **state)
{
    (void)state;
    for_each_scope_kind(kind)
    {
        scoped it;
        open_scoped(&it, kind, 64, 8);
        on_new_thread(count_as_stranger, &it.segment);
        assert_ok(end_scoped(&it));
        count_as_stranger(&it.segment);
    }
    tide_segment largest = segment_over(&(char){0}, (size_t)PTRDIFF_MAX - 7);
    size_t count = 0;
    assert_ok(tide_segment_elements(&largest, TIDE_UNALIGNED, 8, &count));
    assert_int_equal(count, (size_t)PTRDIFF_MAX / 8);
}

/* ------------------------------------------------------------------------------- to array */

static void a_segment_becomes_an_array_in_native_order(void **state)
{
    (void)state;
    for_each_scope_kind(kind)
    {
        scoped it;
        open_scoped(&it, kind, 72, 8);
        make_bytes(tide_segment_address(&it.segment), 72);
        for (size_t s = 0; s < COUNT_OF(element_sizes); s++) {
            for (size_t o = 0; o < COUNT_OF(orders); o++) {
                for (size_t start = 0; start < 9; start++) {
                    const size_t element_size = element_sizes[s], size = 24;
                    unsigned char expected[66], array[66];
                    tide_segment part;
                    size_t count = 1234;
                    memset(expected, 0xEE, sizeof expected);
                    memset(array, 0xEE, sizeof array);
                    assert_ok(tide_segment_slice(&it.segment, start, size, &part));
                    model_copy(expected + 1, tide_segment_address(&part), size / element_size,
                               element_size, is_big(orders[o]) != is_big(TIDE_NATIVE_ENDIAN));
                    assert_ok(tide_segment_to_array(&part, orders[o] | TIDE_UNALIGNED, element_size,
                                                    array + 1, size / element_size, &count));
                    assert_memory_equal(array, expected, sizeof array);
                    assert_int_equal(count, size / element_size);
                    memset(array, 0xEE, sizeof array);
                    if (start % element_size == 0) {
                        assert_ok(tide_segment_to_array(&part, orders[o], element_size, array + 1,
                                                        size, NULL));
                        assert_memory_equal(array, expected, sizeof array);
                    }
                }
            }
        }
        assert_ok(end_scoped(&it));
    }
}

static void an_empty_segment_is_an_empty_array(void **state)
{
    (void)state;
    char byte = 7;
    size_t count = 1234;
    const tide_segment empty = segment_over(&byte, 0);
    assert_ok(tide_segment_to_array(&empty, TIDE_UNALIGNED, 8, NULL, 0, &count));
    assert_int_equal(count, 0);
    assert_ok(tide_segment_to_array(&empty, TIDE_UNALIGNED, 8, &byte, SIZE_MAX, NULL));
    assert_int_equal(byte, 7);
}

static void too_small_an_array_is_exhausted_and_untouched(void **state)
{
    (void)state;
    scoped it;
    for_each_scope_kind(kind)
    {
        uint32_t array[8];
        size_t count = 1234;
        open_scoped(&it, kind, 32, 8);
        memset(array, 0xEE, sizeof array);
        for (size_t capacity = 0; capacity < 8; capacity++) {
            assert_refused(TIDE_EXHAUSTED, tide_segment_to_array(&it.segment, TIDE_BIG_ENDIAN, 4,
                                                                 array, capacity, &count));
            assert_true(all_bytes_are(array, 0xEE, sizeof array));
        }
        assert_error_names("8 elements, and room for 7");
        assert_refused(TIDE_EXHAUSTED, tide_segment_to_array(&it.segment, 0, 4, NULL, 0, &count));
        assert_int_equal(count, 1234);
        assert_ok(end_scoped(&it)); /* no section is left open */
    }
}

/* ------------------------------------------------------------------------------- arena arrays */

static tide_status make_array(scoped *it, tide_layout layout, size_t element_size,
                              const void *elements, size_t count, tide_segment *segment)
{
    if (it->kind == CONFINED)
        return tide_arena_array(&it->confined, layout, element_size, elements, count, segment);
    return tide_shared_array(it->shared, layout, element_size, elements, count, segment);
}

static void an_arena_makes_a_segment_of_an_array(void **state)
{
    (void)state;
    unsigned char elements[4000], expected[4000];
    make_bytes(elements, sizeof elements);
    for_each_scope_kind(kind)
    {
        scoped it;
        open_scoped(&it, kind, 1, 1);
        for (size_t s = 0; s < COUNT_OF(element_sizes); s++) {
            for (size_t i = 0; i < 2 * COUNT_OF(orders); i++) {
                const tide_layout layout = orders[i / 2] | (i % 2 != 0 ? TIDE_UNALIGNED : 0);
                const bool swaps = is_big(layout) != is_big(TIDE_NATIVE_ENDIAN);
                for (size_t count = 0; count <= 4000 / element_sizes[s]; count = count * 3 + 1) {
                    const size_t size = count * element_sizes[s];
                    tide_segment made;
                    model_copy(expected, elements, count, element_sizes[s], swaps);
                    assert_ok(make_array(&it, layout, element_sizes[s], elements, count, &made));
                    assert_int_equal(tide_segment_size(&made), size);
                    assert_aligned(tide_segment_address(&made), element_sizes[s]);
                    assert_memory_equal(tide_segment_address(&made), expected, size);
                    assert_true(tide_segment_same_scope(&made, &it.segment));
                    assert_false(tide_segment_is_read_only(&made));
                }
            }
        }
        assert_ok(end_scoped(&it));
    }
}

static void no_elements_need_no_address(void **state)
{
    (void)state;
    for_each_scope_kind(kind)
    {
        scoped it;
        tide_segment first, second;
        open_scoped(&it, kind, 1, 1);
        assert_ok(make_array(&it, TIDE_BIG_ENDIAN, 8, NULL, 0, &first));
        assert_ok(make_array(&it, TIDE_BIG_ENDIAN, 8, NULL, 0, &second));
        assert_int_equal(tide_segment_size(&first), 0);
        assert_false(tide_segment_same_address(&first, &second));
        assert_ok(end_scoped(&it));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_are_copied_as_if_through_a_temporary_and_swapped_between_orders),
        cmocka_unit_test(copies_work_in_every_kind_of_scope_and_between_them),
        cmocka_unit_test(long_copies_are_swapped_to_the_last_element),
        cmocka_unit_test(one_side_may_be_unaligned_alone),
        cmocka_unit_test(a_segment_is_so_many_elements),
        cmocka_unit_test(elements_of_a_closed_or_foreign_segment_can_be_counted),
        cmocka_unit_test(a_segment_becomes_an_array_in_native_order),
        cmocka_unit_test(an_empty_segment_is_an_empty_array),
        cmocka_unit_test(too_small_an_array_is_exhausted_and_untouched),
        cmocka_unit_test(an_arena_makes_a_segment_of_an_array),
        cmocka_unit_test(no_elements_need_no_address),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
