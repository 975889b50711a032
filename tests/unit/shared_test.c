/* SPDX-License-Identifier: Apache-2.0 */
/* Shared and global arenas: memory, segments, close, reset and holds. */
#include "test.h"

static tide_shared_arena open_arena(void)
{
    tide_shared_arena arena;
    assert_ok(tide_shared_open(&arena));
    return arena;
}

/* ------------------------------------------------------------------------------- life */

static void an_open_arena_is_alive_and_empty(void **state)
{
    (void)state;
    tide_shared_arena arena = open_arena();
    assert_true(tide_shared_is_alive(arena));
    assert_true(tide_scope_is_alive(tide_shared_scope(arena)));
    assert_int_equal(tide_shared_used(arena), 0);
    assert_ok(tide_shared_close(arena));
    assert_false(tide_shared_is_alive(arena));
    assert_false(tide_scope_is_alive(tide_shared_scope(arena)));
}

static void a_handle_is_copied_freely(void **state)
{
    (void)state;
    tide_shared_arena arena = open_arena();
    tide_shared_arena copy = arena;
    assert_non_null(tide_shared_allocate(copy, 8, 8));
    assert_true(tide_scope_equal(tide_shared_scope(arena), tide_shared_scope(copy)));
    assert_ok(tide_shared_close(copy));
    assert_false(tide_shared_is_alive(arena));
    assert_refused(TIDE_CLOSED, tide_shared_close(arena));
}

static void a_handle_is_16_bytes(void **state)
{
    (void)state;
    assert_int_equal(sizeof(tide_shared_arena), 16);
}

static void two_arenas_have_two_scopes(void **state)
{
    (void)state;
    tide_shared_arena a = open_arena();
    tide_shared_arena b = open_arena();
    assert_false(tide_scope_equal(tide_shared_scope(a), tide_shared_scope(b)));
    assert_ok(tide_shared_close(a));
    assert_true(tide_shared_is_alive(b));
    assert_ok(tide_shared_close(b));
}

/* ------------------------------------------------------------------------------- memory */

static const size_t lengths[] = {0,    1,    7,    8,     63,    64,    65,    1000,
                                 1023, 1024, 4096, 10000, 65536, 65537, 300000};

static void memory_is_zeroed_and_aligned(void **state)
{
    (void)state;
    tide_shared_arena arena = open_arena();
    for (size_t i = 0; i < COUNT_OF(lengths); i++) {
        for (size_t alignment = 1; alignment <= 8192; alignment *= 2) {
            unsigned char *block = tide_shared_allocate(arena, lengths[i], alignment);
            assert_non_null(block);
            assert_aligned(block, alignment);
            assert_zeroed(block, lengths[i]);
            memset(block, 0xA5, lengths[i]);
        }
    }
    assert_ok(tide_shared_close(arena));
}

/* Each block is filled with its number; all numbers are still there when the last one is filled. */
static void allocations_do_not_overlap(void **state)
{
    (void)state;
    enum { COUNT = 200 };
    unsigned char *blocks[COUNT];
    tide_shared_arena arena = open_arena();
    for (size_t i = 0; i < COUNT; i++) {
        size_t length = lengths[i % 12];
        blocks[i] = i % 2 == 0 ? tide_shared_allocate(arena, length, 1)
                               : tide_shared_allocate_uninitialized(arena, length, 16);
        assert_non_null(blocks[i]);
        memset(blocks[i], (int)i, length);
    }
    for (size_t i = 0; i < COUNT; i++)
        assert_true(all_bytes_are(blocks[i], (int)i, lengths[i % 12]));
    assert_ok(tide_shared_close(arena));
}

static void zero_lengths_have_addresses_of_their_own(void **state)
{
    (void)state;
    enum { COUNT = 50 };
    void *blocks[COUNT];
    tide_shared_arena arena = open_arena();
    for (size_t i = 0; i < COUNT; i++) {
        blocks[i] = i % 3 != 0 ? tide_shared_allocate(arena, 0, 1)
                               : tide_shared_allocate_uninitialized(arena, 0, 1);
        assert_non_null(blocks[i]);
        for (size_t j = 0; j < i; j++)
            assert_ptr_not_equal(blocks[i], blocks[j]);
    }
    assert_ok(tide_shared_close(arena));
}

/* More arenas than the process keeps closed ones, each leaving bytes behind. */
static void memory_that_comes_back_is_zeroed_again(void **state)
{
    (void)state;
    for (int i = 0; i < 3000; i++) {
        tide_shared_arena arena = open_arena();
        size_t length = 1 + (size_t)(i % 5) * 700;
        unsigned char *first = tide_shared_allocate(arena, length, 8);
        unsigned char *second = tide_shared_allocate(arena, 100, 1);
        assert_zeroed(first, length);
        assert_zeroed(second, 100);
        memset(first, 0xFF, length);
        memset(second, 0xFF, 100);
        assert_ok(tide_shared_close(arena));
    }
}

static void blocks_beyond_the_largest_chunk_leave_it_alone(void **state)
{
    (void)state;
    tide_shared_arena arena = open_arena();
    unsigned char *small = tide_shared_allocate(arena, 100, 8);
    unsigned char *large = tide_shared_allocate(arena, 1000000, 4096);
    unsigned char *next = tide_shared_allocate(arena, 100, 8);
    assert_non_null(small);
    assert_aligned(large, 4096);
    assert_zeroed(large, 1000000);
    memset(large, 1, 1000000);
    assert_zeroed(small, 100);
    assert_zeroed(next, 100);
    if (strcmp(tide_checker(), "none") == 0)
        assert_true(next > small && next < small + 1024); /* still from the chunk of the first */
    assert_ok(tide_shared_close(arena));
}

static void used_counts_what_was_handed_out(void **state)
{
    (void)state;
    skip_under_checker();
    tide_shared_arena arena = open_arena();
    assert_non_null(tide_shared_allocate(arena, 100, 8));
    assert_int_equal(tide_shared_used(arena), 100);
    assert_non_null(tide_shared_allocate(arena, 8, 64));
    assert_int_equal(tide_shared_used(arena), 136); /* padding too */
    assert_non_null(tide_shared_allocate(arena, 300000, 8));
    assert_int_equal(tide_shared_used(arena), 300136);
    assert_ok(tide_shared_reset(&arena));
    assert_int_equal(tide_shared_used(arena), 0);
    assert_ok(tide_shared_close(arena));
}

static void the_newest_allocation_grows_and_shrinks_in_place(void **state)
{
    (void)state;
    tide_shared_arena arena = open_arena();
    unsigned char *block = tide_shared_allocate_uninitialized(arena, 10, 8);
    memset(block, 7, 10);
    assert_ok(tide_shared_extend(arena, block, 10, 500));
    assert_true(all_bytes_are(block, 7, 10));
    assert_zeroed(block + 10, 490);
    memset(block, 8, 500);
    assert_ok(tide_shared_extend(arena, block, 500, 100));
    assert_ok(tide_shared_extend(arena, block, 100, 300));
    assert_true(all_bytes_are(block, 8, 100));
    assert_zeroed(block + 100, 200);
    assert_ok(tide_shared_close(arena));
}

static void what_grows_from_nothing_is_zeroed(void **state)
{
    (void)state;
    tide_shared_arena arena = open_arena();
    unsigned char *block = tide_shared_allocate(arena, 300, 8);
    memset(block, 7, 300);
    assert_ok(tide_shared_extend(arena, block, 300, 0));
    assert_ok(tide_shared_extend(arena, block, 0, 20));
    assert_zeroed(block, 20);
    assert_ok(tide_shared_close(arena));
}

static void what_is_not_the_newest_or_has_no_room_does_not_grow(void **state)
{
    (void)state;
    tide_shared_arena arena = open_arena();
    char *older = tide_shared_allocate(arena, 10, 8);
    char *newer = tide_shared_allocate(arena, 10, 8);
    assert_refused(TIDE_EXHAUSTED, tide_shared_extend(arena, older, 10, 20));
    assert_refused(TIDE_EXHAUSTED, tide_shared_extend(arena, newer, 9, 20));
    assert_refused(TIDE_EXHAUSTED, tide_shared_extend(arena, newer, 10, 100000));
    assert_ok(tide_shared_extend(arena, newer, 10, 20)); /* nothing has changed */
    assert_ok(tide_shared_close(arena));
}

/* ------------------------------------------------------------------------------- segments */

static void segments_are_read_and_written(void **state)
{
    (void)state;
    tide_shared_arena arena = open_arena();
    tide_segment zeroed, bare, slice;
    uint64_t value;
    assert_ok(tide_shared_segment(arena, 5000, 64, &zeroed));
    assert_ok(tide_shared_segment_uninitialized(arena, 256, 8, &bare));
    assert_int_equal(tide_segment_size(&zeroed), 5000);
    assert_aligned(tide_segment_address(&zeroed), 64);
    assert_zeroed(tide_segment_address(&zeroed), 5000);
    assert_true(tide_scope_equal(tide_segment_scope(&zeroed), tide_shared_scope(arena)));

    tide_set_u64(&zeroed, 8, 42);
    assert_int_equal(tide_get_u64_at(&zeroed, 1), 42);
    assert_ok(tide_segment_slice(&zeroed, 8, 8, &slice));
    assert_ok(tide_load_u64(&slice, 0, &value));
    assert_int_equal(value, 42);
    assert_ok(tide_segment_fill(&bare, 3));
    assert_ok(tide_segment_copy(&bare, 0, &zeroed, 100, 256));
    int64_t difference;
    assert_ok(tide_segment_mismatch(&bare, 0, 256, &zeroed, 100, 356, &difference));
    assert_int_equal(difference, -1);
    assert_int_equal(tide_get_u8(&zeroed, 355), 3);

    assert_ok(tide_shared_close(arena));
    value = 1;
    assert_refused(TIDE_CLOSED, tide_load_u64(&slice, 0, &value));
    assert_refused(TIDE_CLOSED, tide_store_u64(&zeroed, 0, 1));
    assert_refused(TIDE_CLOSED, tide_segment_fill(&bare, 3));
    assert_int_equal(value, 1);
    assert_fault(TIDE_CLOSED, tide_get_u8(&bare, 0));
}

static void any_owner_may_access_a_segment(void **state)
{
    (void)state;
    tide_shared_arena arena = open_arena();
    tide_segment segment;
    assert_ok(tide_shared_segment(arena, 8, 8, &segment));
    assert_true(tide_segment_is_accessible_by(&segment, tide_owner_current()));
    assert_true(tide_segment_is_accessible_by(&segment, tide_owner_new()));
    tide_owner before = tide_owner_set(tide_owner_new());
    tide_set_u64(&segment, 0, 5);
    assert_non_null(tide_shared_allocate(arena, 8, 8));
    tide_owner_set(before);
    assert_int_equal(tide_get_u64(&segment, 0), 5);
    assert_ok(tide_shared_close(arena));
}

static const char *count_one(void *counter)
{
    ++*(int *)counter;
    return NULL;
}

static void foreign_memory_can_be_attached(void **state)
{
    (void)state;
    int ended = 0;
    char outside[32] = "outside";
    tide_shared_arena arena = open_arena();
    const tide_segment address = tide_segment_of_address(outside);
    tide_segment with, without;
    assert_ok(tide_segment_attach_shared(&address, 32, arena, count_one, &ended, &with));
    assert_ok(tide_segment_attach_shared(&address, 32, arena, NULL, NULL, &without));
    assert_int_equal(tide_get_u8(&with, 0), 'o');
    assert_true(tide_segment_same_scope(&with, &without));
    tide_segment view = read_only_of(with);
    assert_ok(tide_segment_attach_shared(&view, 16, arena, NULL, NULL, &view));
    assert_true(tide_segment_is_read_only(&view));
    assert_int_equal(tide_segment_size(&view), 16);
    assert_int_equal(ended, 0);
    assert_ok(tide_shared_close(arena));
    assert_int_equal(ended, 1);
    uint8_t byte;
    assert_refused(TIDE_CLOSED, tide_load_u8(&with, 0, &byte));
    assert_refused(TIDE_CLOSED, tide_load_u8(&without, 0, &byte));
}

/* ------------------------------------------------------------------------------- global */

static void the_global_arena_lives_for_ever(void **state)
{
    (void)state;
    static int ended;
    tide_shared_arena global = tide_global_arena();
    tide_segment segment;
    tide_hold hold;
    assert_true(tide_shared_is_alive(global));
    assert_true(tide_scope_equal(tide_shared_scope(global), tide_scope_global()));
    unsigned char *block = tide_shared_allocate(global, 3000, 32);
    assert_aligned(block, 32);
    assert_zeroed(block, 3000);
    assert_ok(tide_shared_segment(global, 64, 8, &segment));
    tide_set_u64(&segment, 0, 9);
    assert_int_equal(tide_get_u64(&segment, 0), 9);
    assert_ok(tide_shared_attach(global, count_one, &ended));
    assert_ok(tide_shared_hold(global, &hold));
    assert_refused(TIDE_UNSUPPORTED, tide_shared_close(global));
    assert_refused(TIDE_UNSUPPORTED, tide_shared_reset(&global));
    assert_ok(tide_hold_release(&hold));
    assert_refused(TIDE_INVALID_ARGUMENT, tide_hold_release(&hold));
    assert_true(tide_shared_is_alive(global));
    assert_int_equal(ended, 0);
    assert_true(tide_shared_used(global) >= 3064);
}

/* ------------------------------------------------------------------------------- reset */

static void reset_ends_what_was_and_begins_anew(void **state)
{
    (void)state;
    tide_shared_arena arena = open_arena();
    tide_shared_arena copy = arena;
    tide_segment old, new;
    uint8_t byte;
    int ended = 0;
    assert_ok(tide_shared_segment(arena, 2000, 8, &old));
    assert_ok(tide_segment_fill(&old, 0xFF));
    assert_ok(tide_shared_attach(arena, count_one, &ended));
    assert_ok(tide_shared_reset(&arena));
    assert_int_equal(ended, 1);
    assert_true(tide_shared_is_alive(arena));
    assert_false(tide_shared_is_alive(copy));
    assert_refused(TIDE_CLOSED, tide_shared_close(copy));
    assert_refused(TIDE_CLOSED, tide_load_u8(&old, 0, &byte));
    assert_ok(tide_shared_segment(arena, 2000, 8, &new));
    assert_zeroed(tide_segment_address(&new), 2000);
    if (strcmp(tide_checker(), "none") == 0)
        assert_true(tide_segment_same_address(&old, &new)); /* the chunk was kept */
    assert_ok(tide_shared_close(arena));
    assert_int_equal(ended, 1);
}

static void reset_keeps_every_chunk_of_the_row(void **state)
{
    (void)state;
    tide_shared_arena arena = open_arena();
    for (int round = 0; round < 5; round++) {
        for (size_t i = 0; i < 100; i++) {
            unsigned char *block = tide_shared_allocate(arena, 900, 8);
            assert_zeroed(block, 900);
            memset(block, 0xEE, 900);
        }
        unsigned char *large = tide_shared_allocate(arena, 200000, 8);
        assert_zeroed(large, 200000);
        memset(large, 0xEE, 200000);
        assert_ok(tide_shared_reset(&arena));
        assert_int_equal(tide_shared_used(arena), 0);
    }
    assert_ok(tide_shared_close(arena));
}

/* ------------------------------------------------------------------------------- holds */

static void release_there(void *hold)
{
    assert_ok(tide_hold_release((tide_hold *)hold));
}

static void a_held_arena_stays_open_and_usable(void **state)
{
    (void)state;
    tide_shared_arena arena = open_arena();
    tide_hold first, second;
    assert_ok(tide_shared_hold(arena, &first));
    assert_ok(tide_scope_hold(tide_shared_scope(arena), &second));
    assert_refused(TIDE_BUSY, tide_shared_close(arena));
    assert_error_names("2");
    assert_refused(TIDE_BUSY, tide_shared_reset(&arena));
    assert_true(tide_shared_is_alive(arena));
    assert_non_null(tide_shared_allocate(arena, 100, 8));
    assert_ok(tide_hold_release(&first));
    assert_refused(TIDE_INVALID_ARGUMENT, tide_hold_release(&first));
    assert_refused(TIDE_BUSY, tide_shared_close(arena));
    on_new_thread(release_there, &second);
    assert_ok(tide_shared_close(arena));
}

static void a_copy_of_the_last_hold_is_refused(void **state)
{
    (void)state;
    tide_shared_arena arena = open_arena();
    tide_hold hold;
    assert_ok(tide_shared_hold(arena, &hold));
    tide_hold copy = hold;
    assert_ok(tide_hold_release(&hold));
    assert_refused(TIDE_INVALID_ARGUMENT, tide_hold_release(&copy));
    assert_ok(tide_shared_close(arena));
    assert_refused(TIDE_CLOSED, tide_hold_release(&copy));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_open_arena_is_alive_and_empty),
        cmocka_unit_test(a_handle_is_copied_freely),
        cmocka_unit_test(a_handle_is_16_bytes),
        cmocka_unit_test(two_arenas_have_two_scopes),
        cmocka_unit_test(memory_is_zeroed_and_aligned),
        cmocka_unit_test(allocations_do_not_overlap),
        cmocka_unit_test(zero_lengths_have_addresses_of_their_own),
        cmocka_unit_test(memory_that_comes_back_is_zeroed_again),
        cmocka_unit_test(blocks_beyond_the_largest_chunk_leave_it_alone),
        cmocka_unit_test(used_counts_what_was_handed_out),
        cmocka_unit_test(the_newest_allocation_grows_and_shrinks_in_place),
        cmocka_unit_test(what_grows_from_nothing_is_zeroed),
        cmocka_unit_test(what_is_not_the_newest_or_has_no_room_does_not_grow),
        cmocka_unit_test(segments_are_read_and_written),
        cmocka_unit_test(any_owner_may_access_a_segment),
        cmocka_unit_test(foreign_memory_can_be_attached),
        cmocka_unit_test(the_global_arena_lives_for_ever),
        cmocka_unit_test(reset_ends_what_was_and_begins_anew),
        cmocka_unit_test(reset_keeps_every_chunk_of_the_row),
        cmocka_unit_test(a_held_arena_stays_open_and_usable),
        cmocka_unit_test(a_copy_of_the_last_hold_is_refused),
    };
    return cmocka_run_group_tests_name("shared", tests, NULL, NULL);
}
