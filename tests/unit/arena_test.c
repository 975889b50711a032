/* SPDX-License-Identifier: Apache-2.0 */
/* Confined arenas: open, allocate, close, reset, and the numbers that can be asked for. */
#include "test.h"

#define KIB ((size_t)1024)

/* ------------------------------------------------------------------------------- opening */

static void an_opened_arena_is_alive_and_has_handed_out_nothing(void **state)
{
    (void)state;
    tide_arena arena;
    assert_ok(tide_arena_open(&arena));
    assert_true(tide_arena_is_alive(&arena));
    assert_int_equal(tide_arena_used(&arena), 0);
    assert_ok(tide_arena_close(&arena));
    assert_false(tide_arena_is_alive(&arena));
}

static void what_the_struct_held_before_plays_no_part(void **state)
{
    (void)state;
    tide_arena arena;
    for (int pattern = 0; pattern <= 0xFF; pattern += 0x33) {
        memset(&arena, pattern, sizeof arena);
        assert_ok(tide_arena_open(&arena));
        assert_non_null(tide_arena_allocate(&arena, 8, 8));
        assert_ok(tide_arena_close(&arena));
    }
}

static void a_closed_arena_can_be_opened_again(void **state)
{
    (void)state;
    tide_arena arena;
    for (int i = 0; i < 100; i++) {
        assert_ok(tide_arena_open(&arena));
        assert_zeroed(tide_arena_allocate(&arena, 40, 8), 40);
        assert_ok(tide_arena_close(&arena));
    }
}

static void opening_and_allocating_can_be_one_call(void **state)
{
    (void)state;
    tide_arena arena;
    memset(&arena, 0x5A, sizeof arena);
    unsigned char *block = (unsigned char *)tide_arena_open_allocate(&arena, 20, 16);
    assert_non_null(block);
    assert_aligned(block, 16);
    assert_zeroed(block, 20);
    assert_true(tide_arena_is_alive(&arena));
    assert_ok(tide_arena_close(&arena));
}

static void open_allocate_leaves_the_arena_closed_when_it_fails(void **state)
{
    (void)state;
    tide_arena arena;
    memset(&arena, 0x5A, sizeof arena);
    assert_out_of_memory(tide_arena_open_allocate(&arena, (size_t)1 << 62, 1));
    assert_false(tide_arena_is_alive(&arena));
    assert_refused(TIDE_CLOSED, tide_arena_close(&arena));
}

static void an_arena_fits_in_64_bytes_and_a_segment_in_32(void **state)
{
    (void)state;
    assert_true(sizeof(tide_arena) <= 64);
    assert_int_equal(sizeof(tide_segment), 32);
    assert_int_equal(sizeof(tide_scope), 16);
}

/* ------------------------------------------------------------------------------- allocating */

static const size_t sizes[] = {
    1,        2,    7,    8,       9,        16,       31,           63,
    64,       65,   100,  200,     451,      500,      1000,         1024,
    1025,     2000, 4096, 8 * KIB, 20 * KIB, 64 * KIB, 64 * KIB + 1, 100 * KIB,
    300 * KIB};

static void every_size_is_zeroed_also_after_it_has_been_dirtied(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        for (int round = 0; round < 3; round++) {
            tide_arena arena;
            assert_ok(tide_arena_open(&arena));
            unsigned char *block = (unsigned char *)tide_arena_allocate(&arena, sizes[i], 1);
            assert_non_null(block);
            assert_zeroed(block, sizes[i]);
            memset(block, 0xAB, sizes[i]);
            assert_ok(tide_arena_close(&arena));
        }
    }
}

static void uninitialized_memory_can_be_written_everywhere(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        tide_arena arena;
        assert_ok(tide_arena_open(&arena));
        unsigned char *block =
            (unsigned char *)tide_arena_allocate_uninitialized(&arena, sizes[i], 1);
        assert_non_null(block);
        memset(block, 0xAB, sizes[i]);
        assert_true(all_bytes_are(block, 0xAB, sizes[i]));
        assert_ok(tide_arena_close(&arena));
    }
}

static void zeroed_after_uninitialized_in_the_same_memory_is_zero(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        tide_arena arena;
        assert_ok(tide_arena_open(&arena));
        unsigned char *dirty =
            (unsigned char *)tide_arena_allocate_uninitialized(&arena, sizes[i], 1);
        assert_non_null(dirty);
        memset(dirty, 0xCD, sizes[i]);
        assert_ok(tide_arena_close(&arena));
        assert_ok(tide_arena_open(&arena));
        unsigned char *first = (unsigned char *)tide_arena_allocate(&arena, sizes[i] / 2, 1);
        unsigned char *second = (unsigned char *)tide_arena_allocate(&arena, sizes[i], 1);
        assert_zeroed(first, sizes[i] / 2);
        assert_zeroed(second, sizes[i]);
        assert_ok(tide_arena_close(&arena));
    }
}

static void live_allocations_never_overlap(void **state)
{
    (void)state;
    enum { COUNT = 600 };
    static unsigned char *blocks[COUNT];
    static size_t lengths[COUNT];
    tide_arena arena;
    assert_ok(tide_arena_open(&arena));
    uint32_t random = 12345;
    for (size_t i = 0; i < COUNT; i++) {
        random = random * 1664525u + 1013904223u;
        lengths[i] = (random >> 16) % (i % 7 == 0 ? 5000 : 90);
        size_t alignment = (size_t)1 << (random >> 8) % 7;
        blocks[i] =
            (unsigned char *)(i % 2 == 0 ? tide_arena_allocate(&arena, lengths[i], alignment)
                                         : tide_arena_allocate_uninitialized(&arena, lengths[i],
                                                                             alignment));
        assert_non_null(blocks[i]);
        assert_aligned(blocks[i], alignment);
        if (i % 2 == 0)
            assert_zeroed(blocks[i], lengths[i]);
        memset(blocks[i], (int)(i & 0xFF), lengths[i]);
    }
    for (size_t i = 0; i < COUNT; i++)
        assert_true(all_bytes_are(blocks[i], (int)(i & 0xFF), lengths[i]));
    assert_ok(tide_arena_close(&arena));
}

static void zero_bytes_have_an_address_of_their_own(void **state)
{
    (void)state;
    enum { COUNT = 200 };
    char *blocks[COUNT];
    tide_arena arena, other;
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_arena_open(&other));
    for (size_t i = 0; i < COUNT; i++) {
        size_t size = i % 4 == 3 ? 8 : 0;
        blocks[i] = (char *)tide_arena_allocate(i % 3 == 0 ? &other : &arena, size, 1);
        assert_non_null(blocks[i]);
        for (size_t j = 0; j < i; j++)
            assert_ptr_not_equal(blocks[i], blocks[j]);
    }
    assert_ok(tide_arena_close(&other));
    assert_ok(tide_arena_close(&arena));
}

static void zero_bytes_are_aligned_too(void **state)
{
    (void)state;
    tide_arena arena;
    assert_ok(tide_arena_open(&arena));
    for (size_t alignment = 1; alignment <= 4096; alignment *= 2) {
        void *block = tide_arena_allocate(&arena, 0, alignment);
        assert_non_null(block);
        assert_aligned(block, alignment);
        assert_non_null(tide_arena_allocate(&arena, 1, 1));
    }
    assert_ok(tide_arena_close(&arena));
}

static void every_alignment_is_met(void **state)
{
    (void)state;
    for (size_t alignment = 1; alignment <= 1024 * KIB; alignment *= 2) {
        for (size_t i = 0; i < COUNT_OF(sizes); i += 5) {
            tide_arena arena;
            assert_ok(tide_arena_open(&arena));
            assert_non_null(tide_arena_allocate(&arena, 3, 1));
            unsigned char *block =
                (unsigned char *)tide_arena_allocate(&arena, sizes[i], alignment);
            assert_non_null(block);
            assert_aligned(block, alignment);
            assert_zeroed(block, sizes[i]);
            memset(block, 0xAB, sizes[i]);
            block = (unsigned char *)tide_arena_allocate_uninitialized(&arena, 5, alignment);
            assert_non_null(block);
            assert_aligned(block, alignment);
            assert_ok(tide_arena_close(&arena));
        }
    }
}

static void a_segment_covers_exactly_what_was_asked_for(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        tide_arena arena;
        tide_segment zeroed, raw;
        assert_ok(tide_arena_open(&arena));
        assert_ok(tide_arena_segment(&arena, sizes[i], 8, &zeroed));
        assert_ok(tide_arena_segment_uninitialized(&arena, sizes[i], 8, &raw));
        assert_int_equal(tide_segment_size(&zeroed), sizes[i]);
        assert_int_equal(tide_segment_size(&raw), sizes[i]);
        assert_zeroed(tide_segment_address(&zeroed), sizes[i]);
        assert_false(tide_segment_is_read_only(&zeroed));
        assert_false(tide_segment_is_mapped(&zeroed));
        assert_ok(tide_segment_fill(&zeroed, 1));
        assert_ok(tide_segment_fill(&raw, 2));
        assert_true(all_bytes_are(tide_segment_address(&zeroed), 1, sizes[i]));
        assert_refused(TIDE_OUT_OF_BOUNDS, tide_store_u8(&zeroed, sizes[i], 1));
        assert_ok(tide_arena_close(&arena));
        assert_refused(TIDE_CLOSED, tide_store_u8(&zeroed, 0, 1));
        assert_refused(TIDE_CLOSED, tide_store_u8(&raw, 0, 1));
    }
}

static void a_segment_of_zero_bytes_is_a_segment(void **state)
{
    (void)state;
    tide_arena arena;
    tide_segment segment;
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_arena_segment(&arena, 0, 1, &segment));
    assert_int_equal(tide_segment_size(&segment), 0);
    assert_non_null(tide_segment_address(&segment));
    assert_ok(tide_segment_fill(&segment, 1));
    assert_refused(TIDE_OUT_OF_BOUNDS, tide_store_u8(&segment, 0, 1));
    assert_ok(tide_arena_close(&arena));
    assert_refused(TIDE_CLOSED, tide_segment_fill(&segment, 1));
}

/* ------------------------------------------------------------------------------- numbers */

static void a_size_above_ptrdiff_max_is_invalid(void **state)
{
    (void)state;
    const size_t huge[] = HUGE_SIZES;
    tide_arena arena;
    tide_segment segment = canary_segment();
    assert_ok(tide_arena_open(&arena));
    for (size_t i = 0; i < COUNT_OF(huge); i++) {
        size_t size = opaque(huge[i]);
        assert_fault(TIDE_INVALID_ARGUMENT, tide_arena_allocate(&arena, size, 1));
        assert_fault(TIDE_INVALID_ARGUMENT, tide_arena_allocate_uninitialized(&arena, size, 1));
        assert_refused(TIDE_INVALID_ARGUMENT, tide_arena_segment(&arena, size, 1, &segment));
        assert_refused(TIDE_INVALID_ARGUMENT,
                       tide_arena_segment_uninitialized(&arena, size, 1, &segment));
        char number[32];
        snprintf(number, sizeof number, "%zu", size);
        assert_error_names(number);
    }
    assert_true(is_canary(&segment));
    assert_int_equal(tide_arena_used(&arena), 0);
    assert_ok(tide_arena_close(&arena));
}

static void a_legal_size_that_cannot_be_had_is_out_of_memory(void **state)
{
    (void)state;
    const size_t large[] = {(size_t)PTRDIFF_MAX, (size_t)PTRDIFF_MAX - 1, (size_t)PTRDIFF_MAX - 64,
                            (size_t)1 << 62, (size_t)1 << 60};
    tide_arena arena;
    tide_segment segment = canary_segment();
    assert_ok(tide_arena_open(&arena));
    unsigned char *before = (unsigned char *)tide_arena_allocate(&arena, 8, 8);
    *before = 7;
    for (size_t i = 0; i < COUNT_OF(large); i++) {
        size_t size = opaque(large[i]);
        for (size_t alignment = 1; alignment <= 4096; alignment *= 64) {
            assert_out_of_memory(tide_arena_allocate(&arena, size, alignment));
            assert_out_of_memory(tide_arena_allocate_uninitialized(&arena, size, alignment));
            assert_refused(TIDE_OUT_OF_MEMORY,
                           tide_arena_segment(&arena, size, alignment, &segment));
        }
        char number[32];
        snprintf(number, sizeof number, "%zu", size);
        assert_error_names(number);
    }
    assert_true(is_canary(&segment));
    assert_int_equal(*before, 7);
    assert_int_equal(tide_arena_used(&arena), 8);
    assert_zeroed(tide_arena_allocate(&arena, 8, 8), 8);
    assert_ok(tide_arena_close(&arena));
}

static void an_alignment_must_be_a_power_of_two_up_to_2_to_the_62(void **state)
{
    (void)state;
    const size_t bad[] = {0,
                          3,
                          5,
                          6,
                          7,
                          12,
                          63,
                          65,
                          96,
                          1000,
                          ((size_t)1 << 62) + 1,
                          (size_t)3 << 61,
                          (size_t)1 << 63,
                          SIZE_MAX};
    tide_arena arena;
    tide_segment segment = canary_segment();
    assert_ok(tide_arena_open(&arena));
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        size_t alignment = opaque(bad[i]);
        const size_t lengths[] = {0, 8, 100, (size_t)1 << 62};
        for (size_t j = 0; j < COUNT_OF(lengths); j++) {
            size_t size = opaque(lengths[j]);
            assert_fault(TIDE_INVALID_ARGUMENT, tide_arena_allocate(&arena, size, alignment));
            assert_fault(TIDE_INVALID_ARGUMENT,
                         tide_arena_allocate_uninitialized(&arena, size, alignment));
            assert_refused(TIDE_INVALID_ARGUMENT,
                           tide_arena_segment(&arena, size, alignment, &segment));
        }
        char number[32];
        snprintf(number, sizeof number, "%zu", alignment);
        assert_error_names(number);
    }
    assert_true(is_canary(&segment));
    assert_ok(tide_arena_close(&arena));
}

static void an_alignment_that_cannot_be_had_is_out_of_memory(void **state)
{
    (void)state;
    tide_arena arena;
    assert_ok(tide_arena_open(&arena));
    for (unsigned shift = 60; shift <= 62; shift++) {
        assert_out_of_memory(tide_arena_allocate(&arena, opaque(0), (size_t)1 << shift));
        assert_out_of_memory(tide_arena_allocate(&arena, opaque(8), (size_t)1 << shift));
        assert_out_of_memory(
            tide_arena_allocate(&arena, opaque((size_t)PTRDIFF_MAX), (size_t)1 << shift));
    }
    assert_non_null(tide_arena_allocate(&arena, 8, 8));
    assert_ok(tide_arena_close(&arena));
}

static void a_count_times_size_that_overflows_is_invalid(void **state)
{
    (void)state;
    static const size_t pairs[][2] = {
        {SIZE_MAX, 2},
        {2, SIZE_MAX},
        {(size_t)1 << 32, (size_t)1 << 32},
        {((size_t)1 << 61) + 1, 8},
        {SIZE_MAX, SIZE_MAX},
        {(size_t)1 << 62, 2},
        {(size_t)1 << 63, 1},
        {1, (size_t)PTRDIFF_MAX + 1},
        {(size_t)1 << 62, 4},
    };
    tide_arena arena;
    assert_ok(tide_arena_open(&arena));
    for (size_t i = 0; i < COUNT_OF(pairs); i++) {
        assert_fault(TIDE_INVALID_ARGUMENT,
                     tide_arena_allocate_array(&arena, pairs[i][0], pairs[i][1], 1));
    }
    assert_out_of_memory(tide_arena_allocate_array(&arena, (size_t)1 << 31, (size_t)1 << 31, 8));
    assert_int_equal(tide_arena_used(&arena), 0);
    assert_ok(tide_arena_close(&arena));
}

/* ------------------------------------------------------------------------------- closing */

static void a_closed_arena_does_nothing_any_more(void **state)
{
    (void)state;
    for (int taken = 0; taken < 3; taken++) { /* nothing, a pool, a chunk as well */
        tide_arena arena;
        tide_segment segment = canary_segment();
        assert_ok(tide_arena_open(&arena));
        if (taken > 0)
            assert_non_null(tide_arena_allocate(&arena, taken == 1 ? 8 : 1000, 8));
        assert_ok(tide_arena_close(&arena));
        for (int i = 0; i < 2; i++) {
            assert_refused(TIDE_CLOSED, tide_arena_close(&arena));
            assert_refused(TIDE_CLOSED, tide_arena_reset(&arena));
            assert_fault(TIDE_CLOSED, tide_arena_allocate(&arena, 8, 8));
            assert_fault(TIDE_CLOSED, tide_arena_allocate(&arena, 0, 1));
            assert_fault(TIDE_CLOSED, tide_arena_allocate_uninitialized(&arena, 8, 8));
            assert_refused(TIDE_CLOSED, tide_arena_segment(&arena, 8, 8, &segment));
            assert_refused(TIDE_CLOSED, tide_arena_segment_uninitialized(&arena, 8, 8, &segment));
            assert_refused(TIDE_CLOSED, tide_arena_hand_over(&arena, tide_owner_current()));
            assert_fault(TIDE_CLOSED, tide_arena_used(&arena));
        }
        assert_true(is_canary(&segment));
    }
}

static void a_bad_argument_is_noticed_before_a_closed_arena(void **state)
{
    (void)state;
    tide_arena arena;
    tide_segment segment = canary_segment();
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_arena_close(&arena));
    assert_refused(TIDE_INVALID_ARGUMENT,
                   tide_arena_segment(&arena, opaque(SIZE_MAX), 8, &segment));
    assert_refused(TIDE_INVALID_ARGUMENT, tide_arena_segment(&arena, 8, opaque(3), &segment));
    assert_fault(TIDE_INVALID_ARGUMENT, tide_arena_allocate(&arena, opaque(SIZE_MAX), 8));
    assert_refused(TIDE_CLOSED, tide_arena_segment(&arena, (size_t)1 << 62, 8, &segment));
    assert_true(is_canary(&segment));
}

static void reset_ends_every_segment_and_hands_out_zeroed_memory_again(void **state)
{
    (void)state;
    tide_arena arena;
    assert_ok(tide_arena_open(&arena));
    for (size_t round = 0; round < 20; round++) {
        tide_segment small, large;
        assert_ok(tide_arena_segment(&arena, 64, 8, &small));
        assert_ok(tide_arena_segment(&arena, 3000, 8, &large));
        assert_zeroed(tide_segment_address(&small), 64);
        assert_zeroed(tide_segment_address(&large), 3000);
        assert_ok(tide_segment_fill(&small, 0xAB));
        assert_ok(tide_segment_fill(&large, 0xAB));
        assert_true(tide_arena_used(&arena) >= 3064);
        assert_ok(tide_arena_reset(&arena));
        assert_true(tide_arena_is_alive(&arena));
        assert_int_equal(tide_arena_used(&arena), 0);
        assert_refused(TIDE_CLOSED, tide_store_u8(&small, 0, 1));
        assert_refused(TIDE_CLOSED, tide_store_u8(&large, 0, 1));
    }
    assert_ok(tide_arena_close(&arena));
}

static void an_empty_arena_can_be_reset(void **state)
{
    (void)state;
    tide_arena arena;
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_arena_reset(&arena));
    assert_ok(tide_arena_reset(&arena));
    assert_non_null(tide_arena_allocate(&arena, 8, 8));
    assert_ok(tide_arena_close(&arena));
}

static void arenas_close_in_any_order(void **state)
{
    (void)state;
    enum { COUNT = 8 };
    for (size_t step = 1; step < COUNT; step += 2) {
        tide_arena arenas[COUNT];
        unsigned char *blocks[COUNT];
        for (size_t i = 0; i < COUNT; i++) {
            assert_ok(tide_arena_open(&arenas[i]));
            blocks[i] = (unsigned char *)tide_arena_allocate(&arenas[i], 64, 8);
            assert_zeroed(blocks[i], 64);
            memset(blocks[i], (int)i + 1, 64);
        }
        for (size_t i = 0; i < COUNT; i++) {
            size_t victim = i * step % COUNT;
            assert_true(all_bytes_are(blocks[victim], (int)victim + 1, 64));
            assert_ok(tide_arena_close(&arenas[victim]));
        }
    }
}

/* ------------------------------------------------------------------------------- on the heap */

static void an_arena_on_the_heap_is_made_open_and_deleted(void **state)
{
    (void)state;
    tide_arena *arena = tide_arena_new(NULL);
    assert_non_null(arena);
    assert_true(tide_arena_is_alive(arena));
    assert_zeroed(tide_arena_allocate(arena, 100, 8), 100);
    assert_ok(tide_arena_delete(arena));
}

static void a_closed_arena_on_the_heap_can_be_deleted_and_opened_again(void **state)
{
    (void)state;
    tide_arena *arena = tide_arena_new(NULL);
    assert_ok(tide_arena_close(arena));
    assert_ok(tide_arena_open(arena));
    assert_non_null(tide_arena_allocate(arena, 8, 8));
    assert_ok(tide_arena_close(arena));
    assert_ok(tide_arena_delete(arena));
}

static void deleting_nothing_is_ok(void **state)
{
    (void)state;
    assert_ok(tide_arena_delete(NULL));
}

static void a_held_arena_is_not_deleted(void **state)
{
    (void)state;
    tide_arena *arena = tide_arena_new(NULL);
    tide_hold hold;
    assert_ok(tide_arena_hold(arena, &hold));
    assert_refused(TIDE_BUSY, tide_arena_delete(arena));
    assert_true(tide_arena_is_alive(arena));
    assert_non_null(tide_arena_allocate(arena, 8, 8));
    assert_ok(tide_hold_release(&hold));
    assert_ok(tide_arena_delete(arena));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_opened_arena_is_alive_and_has_handed_out_nothing),
        cmocka_unit_test(what_the_struct_held_before_plays_no_part),
        cmocka_unit_test(a_closed_arena_can_be_opened_again),
        cmocka_unit_test(opening_and_allocating_can_be_one_call),
        cmocka_unit_test(open_allocate_leaves_the_arena_closed_when_it_fails),
        cmocka_unit_test(an_arena_fits_in_64_bytes_and_a_segment_in_32),
        cmocka_unit_test(every_size_is_zeroed_also_after_it_has_been_dirtied),
        cmocka_unit_test(uninitialized_memory_can_be_written_everywhere),
        cmocka_unit_test(zeroed_after_uninitialized_in_the_same_memory_is_zero),
        cmocka_unit_test(live_allocations_never_overlap),
        cmocka_unit_test(zero_bytes_have_an_address_of_their_own),
        cmocka_unit_test(zero_bytes_are_aligned_too),
        cmocka_unit_test(every_alignment_is_met),
        cmocka_unit_test(a_segment_covers_exactly_what_was_asked_for),
        cmocka_unit_test(a_segment_of_zero_bytes_is_a_segment),
        cmocka_unit_test(a_size_above_ptrdiff_max_is_invalid),
        cmocka_unit_test(a_legal_size_that_cannot_be_had_is_out_of_memory),
        cmocka_unit_test(an_alignment_must_be_a_power_of_two_up_to_2_to_the_62),
        cmocka_unit_test(an_alignment_that_cannot_be_had_is_out_of_memory),
        cmocka_unit_test(a_count_times_size_that_overflows_is_invalid),
        cmocka_unit_test(a_closed_arena_does_nothing_any_more),
        cmocka_unit_test(a_bad_argument_is_noticed_before_a_closed_arena),
        cmocka_unit_test(reset_ends_every_segment_and_hands_out_zeroed_memory_again),
        cmocka_unit_test(an_empty_arena_can_be_reset),
        cmocka_unit_test(arenas_close_in_any_order),
        cmocka_unit_test(an_arena_on_the_heap_is_made_open_and_deleted),
        cmocka_unit_test(a_closed_arena_on_the_heap_can_be_deleted_and_opened_again),
        cmocka_unit_test(deleting_nothing_is_ok),
        cmocka_unit_test(a_held_arena_is_not_deleted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
