/* SPDX-License-Identifier: Apache-2.0 */
/* How an arena is opened: name, wiping, chunk bounds, manager. */
#include "test.h"

#include "counting_manager.h"

static counting_manager counting;

static int start_counting(void **state)
{
    (void)state;
    counting_manager_init(&counting);
    return 0;
}

static tide_arena_options counted_options(void)
{
    tide_arena_options options = TIDE_ARENA_OPTIONS_INIT;
    options.manager = &counting.table;
    return options;
}

/* ------------------------------------------------------------------------------- bad options */

static void assert_options_are_refused(const tide_arena_options *options)
{
    tide_arena arena;
    memset(&arena, 0x5A, sizeof arena);
    assert_refused(TIDE_INVALID_ARGUMENT, tide_arena_open_with(&arena, options));
    assert_true(all_bytes_are(&arena, 0x5A, sizeof arena));
    if (options != NULL)
        assert_fault(TIDE_INVALID_ARGUMENT, tide_arena_new(options));
}

static void the_default_options_open_an_arena(void **state)
{
    (void)state;
    tide_arena arena;
    tide_arena_options options = TIDE_ARENA_OPTIONS_INIT;
    assert_ok(tide_arena_open_with(&arena, &options));
    assert_true(tide_arena_is_alive(&arena));
    assert_int_equal(tide_arena_used(&arena), 0);
    assert_zeroed(tide_arena_allocate(&arena, 64, 8), 64);
    assert_zeroed(tide_arena_allocate(&arena, 5000, 8), 5000);
    assert_ok(tide_arena_close(&arena));
}

static void options_must_be_there_and_of_a_known_size(void **state)
{
    (void)state;
    tide_arena_options options = TIDE_ARENA_OPTIONS_INIT;
    assert_options_are_refused(NULL);
    const size_t strange[] = {0, 1, sizeof options - 1, sizeof options + 1, SIZE_MAX};
    for (size_t i = 0; i < COUNT_OF(strange); i++) {
        options.struct_size = strange[i];
        assert_options_are_refused(&options);
    }
}

static void chunk_bounds_must_be_powers_of_two_in_range_and_in_order(void **state)
{
    (void)state;
    static const size_t bad[][2] = {
        {1, 0},
        {512, 0},
        {1023, 0},
        {1025, 0},
        {3000, 0},
        {(size_t)1 << 31, 0},
        {SIZE_MAX, 0},
        {(size_t)1 << 63, 0},
        {0, 1},
        {0, 512},
        {0, 3000},
        {0, (size_t)1 << 31},
        {0, SIZE_MAX},
        {8192, 4096},
        {(size_t)1 << 30, 1024},
    };
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        tide_arena_options options = TIDE_ARENA_OPTIONS_INIT;
        options.chunk_min = bad[i][0];
        options.chunk_max = bad[i][1];
        assert_options_are_refused(&options);
    }
}

static void chunk_bounds_at_their_limits_are_accepted(void **state)
{
    (void)state;
    static const size_t good[][2] = {
        {1024, 1024}, {1024, (size_t)1 << 30}, {4096, 4096}, {0, 1024}, {1024, 0}};
    for (size_t i = 0; i < COUNT_OF(good); i++) {
        tide_arena arena;
        tide_arena_options options = TIDE_ARENA_OPTIONS_INIT;
        options.chunk_min = good[i][0];
        options.chunk_max = good[i][1];
        assert_ok(tide_arena_open_with(&arena, &options));
        assert_zeroed(tide_arena_allocate(&arena, 2000, 8), 2000);
        assert_ok(tide_arena_close(&arena));
    }
}

static void an_unknown_policy_is_refused(void **state)
{
    (void)state;
    tide_arena_options options = TIDE_ARENA_OPTIONS_INIT;
    const int unknown = 2;
    static_assert(sizeof unknown == sizeof options.zero, "an enumeration is an int");
    memcpy(&options.zero, &unknown, sizeof unknown);
    assert_options_are_refused(&options);
}

static void a_manager_that_is_none_is_refused(void **state)
{
    (void)state;
    tide_arena_options options = counted_options();
    counting.table.allocate = NULL;
    assert_options_are_refused(&options);
    start_counting(NULL);
    counting.table.free = NULL;
    assert_options_are_refused(&options);
    start_counting(NULL);
    counting.table.struct_size = 8;
    assert_options_are_refused(&options);
    start_counting(NULL);
    counting.table.name = NULL;
    assert_options_are_refused(&options);
    assert_int_equal(counting.asked, 0);
}

/* ------------------------------------------------------------------------------- name */

static void the_name_is_copied_and_appears_in_messages(void **state)
{
    (void)state;
    tide_arena arena;
    tide_hold hold;
    char name[] = "index builder";
    tide_arena_options options = TIDE_ARENA_OPTIONS_INIT;
    options.name = name;
    assert_ok(tide_arena_open_with(&arena, &options));
    memset(name, 'x', sizeof name - 1);
    assert_ok(tide_arena_hold(&arena, &hold));
    assert_refused(TIDE_BUSY, tide_arena_close(&arena));
    assert_error_names("index builder");
    assert_ok(tide_hold_release(&hold));
    assert_ok(tide_arena_close(&arena));
}

static void a_long_name_is_cut_after_31_bytes(void **state)
{
    (void)state;
    tide_arena arena;
    tide_hold hold;
    tide_arena_options options = TIDE_ARENA_OPTIONS_INIT;
    options.name = "0123456789012345678901234567890EXCESS";
    assert_ok(tide_arena_open_with(&arena, &options));
    assert_ok(tide_arena_hold(&arena, &hold));
    assert_refused(TIDE_BUSY, tide_arena_close(&arena));
    assert_error_names("0123456789012345678901234567890");
    assert_null(strstr(tide_last_error_text(), "0E"));
    assert_ok(tide_hold_release(&hold));
    assert_ok(tide_arena_close(&arena));
}

static void a_name_survives_a_reset(void **state)
{
    (void)state;
    tide_arena arena;
    tide_hold hold;
    tide_arena_options options = TIDE_ARENA_OPTIONS_INIT;
    options.name = "keeper";
    assert_ok(tide_arena_open_with(&arena, &options));
    assert_ok(tide_arena_reset(&arena));
    assert_ok(tide_arena_hold(&arena, &hold));
    assert_refused(TIDE_BUSY, tide_arena_close(&arena));
    assert_error_names("keeper");
    assert_ok(tide_hold_release(&hold));
    assert_ok(tide_arena_close(&arena));
}

/* ------------------------------------------------------------------------------- wiping */

#define SECRET 0x5E

/* Fills everything that an arena can be made to hand out with the secret. */
static void spread_secret(tide_arena *arena)
{
    const size_t lengths[] = {5, 64, 65, 900, 1500, 5000, 65536, 204800};
    for (size_t i = 0; i < COUNT_OF(lengths); i++) {
        void *block = i % 2 == 0 ? tide_arena_allocate(arena, lengths[i], 8)
                                 : tide_arena_allocate_uninitialized(arena, lengths[i], 8);
        assert_non_null(block);
        memset(block, SECRET, lengths[i]);
    }
    unsigned char *shrunk = (unsigned char *)tide_arena_allocate(arena, 700, 8);
    memset(shrunk, SECRET, 700);
    assert_ok(tide_arena_extend(arena, shrunk, 700, 3));
}

static void wiping_overwrites_everything_before_the_manager_gets_it_back(void **state)
{
    (void)state;
    tide_arena arena;
    tide_arena_options options = counted_options();
    options.zero = TIDE_ZERO_WIPE;
    counting.secret = SECRET;
    assert_ok(tide_arena_open_with(&arena, &options));
    spread_secret(&arena);
    assert_ok(tide_arena_close(&arena));
    assert_true(counting.freed > 0);
    assert_false(counting.secret_seen);
    assert_true(counting_manager_is_balanced(&counting));
}

static void without_wiping_the_manager_sees_what_was_there(void **state)
{
    (void)state;
    tide_arena arena;
    tide_arena_options options = counted_options();
    counting.secret = SECRET;
    assert_ok(tide_arena_open_with(&arena, &options));
    spread_secret(&arena);
    assert_ok(tide_arena_close(&arena));
    assert_true(counting.secret_seen); /* and so the test before this one can fail */
}

static void wiping_reaches_every_way_an_arena_ends(void **state)
{
    (void)state;
    for (int way = 0; way < 3; way++) {
        start_counting(NULL);
        counting.secret = SECRET;
        tide_arena arena;
        tide_arena_options options = counted_options();
        options.zero = TIDE_ZERO_WIPE;
        tide_mark_point mark = tide_mark();
        tide_arena *heap = way == 1 ? tide_arena_new(&options) : NULL;
        assert_int_equal(heap != NULL, way == 1);
        if (heap == NULL)
            assert_ok(tide_arena_open_with(&arena, &options));
        spread_secret(heap != NULL ? heap : &arena);
        if (way == 0) { /* reset, then an end with nothing left to wipe */
            assert_ok(tide_arena_reset(&arena));
            assert_ok(tide_arena_close(&arena));
        } else if (way == 1) {
            assert_ok(tide_arena_delete(heap));
        } else {
            assert_ok(tide_close_to(mark));
        }
        assert_false(counting.secret_seen);
        assert_true(counting.freed > 0);
        assert_true(counting_manager_is_balanced(&counting));
    }
}

static void a_wiping_arena_never_shows_its_old_bytes_to_the_next(void **state)
{
    (void)state;
    skip_under_checker(); /* it reads what nobody has written */
    tide_arena_options options = TIDE_ARENA_OPTIONS_INIT;
    options.zero = TIDE_ZERO_WIPE;
    for (size_t size = 100; size <= 60000; size = size * 5 / 2) {
        tide_arena arena;
        assert_ok(tide_arena_open_with(&arena, &options));
        void *block = tide_arena_allocate_uninitialized(&arena, size, 8);
        memset(block, SECRET, size);
        assert_ok(tide_arena_close(&arena));
        assert_ok(tide_arena_open(&arena));
        block = tide_arena_allocate_uninitialized(&arena, size, 8);
        const unsigned char *bytes = (const unsigned char *)block;
        size_t seen = 0;
        for (size_t i = 0; i < size; i++)
            seen += bytes[i] == SECRET;
        assert_int_equal(seen, 0);
        assert_ok(tide_arena_close(&arena));
    }
}

static void reset_wipes_before_the_memory_is_handed_out_again(void **state)
{
    (void)state;
    skip_under_checker(); /* it reads what nobody has written */
    tide_arena arena;
    tide_arena_options options = TIDE_ARENA_OPTIONS_INIT;
    options.zero = TIDE_ZERO_WIPE;
    assert_ok(tide_arena_open_with(&arena, &options));
    memset(tide_arena_allocate(&arena, 900, 8), SECRET, 900);
    memset(tide_arena_allocate(&arena, 60, 8), SECRET, 60);
    assert_ok(tide_arena_reset(&arena));
    const unsigned char *chunk =
        (const unsigned char *)tide_arena_allocate_uninitialized(&arena, 900, 8);
    const unsigned char *pool =
        (const unsigned char *)tide_arena_allocate_uninitialized(&arena, 60, 8);
    for (size_t i = 0; i < 900; i++)
        assert_int_not_equal(chunk[i], SECRET);
    for (size_t i = 0; i < 60; i++)
        assert_int_not_equal(pool[i], SECRET);
    assert_ok(tide_arena_close(&arena));
}

/* ------------------------------------------------------------------------------- chunks */

static void chunks_stay_between_the_bounds_and_larger_requests_get_their_own(void **state)
{
    (void)state;
    skip_under_checker();
    tide_arena arena;
    tide_arena_options options = counted_options();
    options.chunk_min = 4096;
    options.chunk_max = 16384;
    const size_t overhead = 256;
    assert_ok(tide_arena_open_with(&arena, &options));
    for (int i = 0; i < 500; i++)
        assert_non_null(tide_arena_allocate(&arena, 100, 4));
    assert_true(counting.asked >= 3 && counting.asked <= 14);
    for (size_t i = 0; i < counting.asked; i++) {
        assert_true(counting.asked_sizes[i] >= 4096);
        assert_true(counting.asked_sizes[i] <= 16384 + overhead);
    }
    size_t before = counting.asked;
    assert_non_null(tide_arena_allocate(&arena, 100000, 8));
    assert_int_equal(counting.asked, before + 1);
    assert_true(counting.asked_sizes[before] >= 100000);
    assert_true(counting.asked_sizes[before] <= 100000 + overhead);
    assert_ok(tide_arena_close(&arena));
    assert_true(counting_manager_is_balanced(&counting));
}

static void an_arena_that_fits_its_pool_asks_no_manager(void **state)
{
    (void)state;
    skip_under_checker();
    tide_arena arena;
    tide_arena_options options = counted_options();
    assert_ok(tide_arena_open_with(&arena, &options));
    for (int i = 0; i < 8; i++)
        assert_non_null(tide_arena_allocate(&arena, 8, 8));
    assert_int_equal(counting.asked, 0);
    assert_non_null(tide_arena_allocate(&arena, 8, 8));
    assert_int_equal(counting.asked, 1);
    assert_ok(tide_arena_close(&arena));
    assert_true(counting_manager_is_balanced(&counting));
}

static void where_a_chunk_cannot_be_had_the_exact_size_is_tried(void **state)
{
    (void)state;
    tide_arena arena;
    tide_arena_options options = counted_options();
    counting.refuse_above = 5300; /* less than the 8 KiB chunk that would hold the request */
    assert_ok(tide_arena_open_with(&arena, &options));
    unsigned char *block = (unsigned char *)tide_arena_allocate(&arena, 5000, 8);
    assert_non_null(block);
    assert_zeroed(block, 5000);
    memset(block, 1, 5000);
    assert_int_equal(counting.asked, 2);
    assert_true(counting.asked_sizes[0] > counting.asked_sizes[1]);
    assert_true(counting.asked_sizes[1] >= 5000);
    assert_ok(tide_arena_close(&arena));
    assert_true(counting_manager_is_balanced(&counting));
}

static void a_manager_without_memory_leaves_the_arena_unharmed(void **state)
{
    (void)state;
    tide_arena arena;
    tide_segment segment = canary_segment();
    tide_arena_options options = counted_options();
    counting.refuse_above = 0;
    assert_ok(tide_arena_open_with(&arena, &options));
    unsigned char *block = (unsigned char *)tide_arena_allocate(&arena, 8, 8);
    *block = 7;
    assert_out_of_memory(tide_arena_allocate(&arena, 5000, 8));
    assert_error_names("5000");
    assert_refused(TIDE_OUT_OF_MEMORY, tide_arena_segment(&arena, 5000, 8, &segment));
    assert_true(is_canary(&segment));
    assert_out_of_memory(tide_arena_strndup(&arena,
                                            "a string that is longer than the pool has "
                                            "room for, by a few more letters",
                                            1000));
    assert_int_equal(*block, 7);
    assert_int_equal(tide_arena_used(&arena), 8);
    counting.refuse_above = SIZE_MAX;
    assert_zeroed(tide_arena_allocate(&arena, 5000, 8), 5000);
    assert_ok(tide_arena_close(&arena));
    assert_true(counting_manager_is_balanced(&counting));
}

static void numbers_that_no_call_accepts_never_reach_the_manager(void **state)
{
    (void)state;
    const size_t huge[] = HUGE_SIZES;
    tide_arena arena;
    tide_segment segment;
    tide_arena_options options = counted_options();
    assert_ok(tide_arena_open_with(&arena, &options));
    for (size_t i = 0; i < COUNT_OF(huge); i++) {
        assert_refused(TIDE_INVALID_ARGUMENT,
                       tide_arena_segment(&arena, opaque(huge[i]), 8, &segment));
        assert_fault(TIDE_INVALID_ARGUMENT, tide_arena_allocate_array(&arena, huge[i], 2, 8));
    }
    assert_refused(TIDE_INVALID_ARGUMENT, tide_arena_segment(&arena, 5000, opaque(3), &segment));
    assert_int_equal(counting.asked, 0);
    assert_ok(tide_arena_close(&arena));
}

static void every_request_is_legal_and_every_block_comes_back_as_it_was_given(void **state)
{
    (void)state;
    tide_arena_options options = counted_options();
    for (size_t alignment = 1; alignment <= 65536; alignment *= 4) {
        tide_arena arena;
        assert_ok(tide_arena_open_with(&arena, &options));
        for (size_t size = 1; size <= 200000; size = size * 3 + 1) {
            unsigned char *block = (unsigned char *)tide_arena_allocate(&arena, size, alignment);
            assert_non_null(block);
            assert_aligned(block, alignment);
            assert_zeroed(block, size); /* although this manager's own memory is not */
            memset(block, 0xAB, size);
        }
        assert_ok(tide_arena_close(&arena));
        assert_true(counting_manager_is_balanced(&counting));
    }
}

static void the_programs_own_manager_gets_its_chunks_at_close_not_at_reset(void **state)
{
    (void)state;
    tide_arena arena;
    tide_arena_options options = counted_options();
    assert_ok(tide_arena_open_with(&arena, &options));
    assert_non_null(tide_arena_allocate(&arena, 5000, 8));
    size_t asked = counting.asked;
    for (int i = 0; i < 10; i++) {
        assert_ok(tide_arena_reset(&arena));
        assert_zeroed(tide_arena_allocate(&arena, 5000, 8), 5000);
        memset(tide_arena_allocate(&arena, 64, 8), 1, 64);
    }
    assert_int_equal(counting.asked, asked);
    assert_int_equal(counting.freed, 0);
    assert_ok(tide_arena_close(&arena));
    assert_true(counting_manager_is_balanced(&counting));
    assert_int_equal(counting.freed, asked);
}

static void a_manager_that_refuses_a_chunk_fails_like_a_cleanup(void **state)
{
    (void)state;
    tide_arena arena;
    tide_arena_options options = counted_options();
    assert_ok(tide_arena_open_with(&arena, &options));
    assert_non_null(tide_arena_allocate(&arena, 5000, 8));
    assert_non_null(tide_arena_allocate(&arena, 50000, 8));
    counting.free_status = TIDE_IO;
    assert_status(TIDE_CLEANUP_FAILED, tide_arena_close(&arena));
    assert_non_null(strstr(tide_last_error_text(), "closed: IO (manager \"counting\")"));
    assert_false(tide_arena_is_alive(&arena));
    assert_refused(TIDE_CLOSED, tide_arena_close(&arena));
    assert_true(counting_manager_is_balanced(&counting));
}

static const char *break_down(void *context)
{
    (void)context;
    return "broken";
}

static void a_failing_cleanup_is_reported_before_a_failing_free(void **state)
{
    (void)state;
    tide_arena arena;
    tide_arena_options options = counted_options();
    assert_ok(tide_arena_open_with(&arena, &options));
    assert_non_null(tide_arena_allocate(&arena, 5000, 8));
    assert_ok(tide_arena_attach(&arena, break_down, NULL));
    counting.free_status = TIDE_IO;
    assert_refused(TIDE_CLEANUP_FAILED, tide_arena_close(&arena));
    assert_error_names("broken");
    assert_true(counting_manager_is_balanced(&counting));
}

static void an_arena_on_the_null_manager_has_addresses_and_books(void **state)
{
    (void)state;
    tide_arena arena;
    tide_arena_options options = TIDE_ARENA_OPTIONS_INIT;
    tide_manager_statistics before = {.struct_size = sizeof before};
    tide_manager_statistics after = {.struct_size = sizeof after};
    options.manager = tide_manager_null();
    assert_ok(tide_manager_statistics_get(tide_manager_null(), &before));
    assert_ok(tide_arena_open_with(&arena, &options));
    char *first = (char *)tide_arena_allocate_uninitialized(&arena, 1000000, 64);
    char *second = (char *)tide_arena_allocate(&arena, 2000000, 4096);
    assert_non_null(first);
    assert_non_null(second);
    assert_aligned(first, 64);
    assert_aligned(second, 4096);
    assert_true(second >= first + 1000000 || first >= second + 2000000);
    assert_int_equal(tide_arena_used(&arena), 3000000);
    assert_ok(tide_manager_statistics_get(tide_manager_null(), &after));
    assert_true(after.used >= before.used + 3000000);
    assert_out_of_memory(tide_arena_allocate(&arena, (size_t)1 << 47, 1));
    assert_ok(tide_arena_reset(&arena));
    assert_non_null(tide_arena_allocate(&arena, 3000, 8));
    assert_ok(tide_arena_close(&arena));
    assert_ok(tide_manager_statistics_get(tide_manager_null(), &after));
    assert_int_equal(after.used, before.used);
}

static void a_wiping_arena_on_the_null_manager_touches_nothing(void **state)
{
    (void)state;
    tide_arena arena;
    tide_arena_options options = TIDE_ARENA_OPTIONS_INIT;
    options.manager = tide_manager_null();
    options.zero = TIDE_ZERO_WIPE;
    assert_ok(tide_arena_open_with(&arena, &options));
    assert_non_null(tide_arena_allocate(&arena, 1000, 8));
    assert_non_null(tide_arena_allocate(&arena, 1000000, 8));
    assert_ok(tide_arena_close(&arena));
}

static void the_system_manager_may_be_named(void **state)
{
    (void)state;
    tide_arena arena;
    tide_arena_options options = TIDE_ARENA_OPTIONS_INIT;
    options.manager = tide_manager_system();
    assert_ok(tide_arena_open_with(&arena, &options));
    assert_zeroed(tide_arena_allocate(&arena, 5000, 8), 5000);
    assert_ok(tide_arena_close(&arena));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_default_options_open_an_arena),
        cmocka_unit_test(options_must_be_there_and_of_a_known_size),
        cmocka_unit_test(chunk_bounds_must_be_powers_of_two_in_range_and_in_order),
        cmocka_unit_test(chunk_bounds_at_their_limits_are_accepted),
        cmocka_unit_test(an_unknown_policy_is_refused),
        cmocka_unit_test_setup(a_manager_that_is_none_is_refused, start_counting),
        cmocka_unit_test(the_name_is_copied_and_appears_in_messages),
        cmocka_unit_test(a_long_name_is_cut_after_31_bytes),
        cmocka_unit_test(a_name_survives_a_reset),
        cmocka_unit_test_setup(wiping_overwrites_everything_before_the_manager_gets_it_back,
                               start_counting),
        cmocka_unit_test_setup(without_wiping_the_manager_sees_what_was_there, start_counting),
        cmocka_unit_test_setup(wiping_reaches_every_way_an_arena_ends, start_counting),
        cmocka_unit_test(a_wiping_arena_never_shows_its_old_bytes_to_the_next),
        cmocka_unit_test(reset_wipes_before_the_memory_is_handed_out_again),
        cmocka_unit_test_setup(chunks_stay_between_the_bounds_and_larger_requests_get_their_own,
                               start_counting),
        cmocka_unit_test_setup(an_arena_that_fits_its_pool_asks_no_manager, start_counting),
        cmocka_unit_test_setup(where_a_chunk_cannot_be_had_the_exact_size_is_tried, start_counting),
        cmocka_unit_test_setup(a_manager_without_memory_leaves_the_arena_unharmed, start_counting),
        cmocka_unit_test_setup(numbers_that_no_call_accepts_never_reach_the_manager,
                               start_counting),
        cmocka_unit_test_setup(every_request_is_legal_and_every_block_comes_back_as_it_was_given,
                               start_counting),
        cmocka_unit_test_setup(the_programs_own_manager_gets_its_chunks_at_close_not_at_reset,
                               start_counting),
        cmocka_unit_test_setup(a_manager_that_refuses_a_chunk_fails_like_a_cleanup, start_counting),
        cmocka_unit_test_setup(a_failing_cleanup_is_reported_before_a_failing_free, start_counting),
        cmocka_unit_test(an_arena_on_the_null_manager_has_addresses_and_books),
        cmocka_unit_test(a_wiping_arena_on_the_null_manager_touches_nothing),
        cmocka_unit_test(the_system_manager_may_be_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
