/* SPDX-License-Identifier: Apache-2.0 */
/* Cleanups of shared and counted arenas, and the options they are opened with. */
#include "test.h"

#include "counting_manager.h"

/* A record of what ran. */
static char ran[64];

static void ran_append(char what)
{
    size_t length = strlen(ran);
    assert_true(length + 1 < sizeof ran);
    ran[length] = what;
    ran[length + 1] = '\0';
}

static const char *note(void *context)
{
    ran_append(*(const char *)context);
    return NULL;
}

/* Fails with the text it is given; notes the text's first letter. */
static const char *report_failure(void *context)
{
    const char *message = (const char *)context;
    ran_append(message[0]);
    return message;
}

/* ------------------------------------------------------------------------------- both kinds */

static tide_status end(tide_shared_arena arena, bool counted)
{
    return counted ? tide_counted_release(arena) : tide_shared_close(arena);
}

static tide_shared_arena open_with(bool counted, const tide_arena_options *options)
{
    tide_shared_arena arena;
    if (options == NULL)
        assert_ok(counted ? tide_counted_open(&arena) : tide_shared_open(&arena));
    else
        assert_ok(counted ? tide_counted_open_with(&arena, options)
                          : tide_shared_open_with(&arena, options));
    return arena;
}

/* Each test of a body is one for shared and one for counted arenas. */
static void with_both(void (*body)(bool counted))
{
    for (int counted = 0; counted < 2; counted++) {
        ran[0] = '\0';
        body(counted != 0);
    }
}

#define TEST_BOTH(name, body)      \
    static void name(void **state) \
    {                              \
        (void)state;               \
        with_both(body);           \
    }

/* ------------------------------------------------------------------------------- order */

static void attach_26(bool counted)
{
    char letters[] = "abcdefghijklmnopqrstuvwxyz";
    tide_shared_arena arena = open_with(counted, NULL);
    for (size_t i = 0; i < 26; i++)
        assert_ok(tide_shared_attach(arena, note, &letters[i]));
    assert_string_equal(ran, "");
    assert_ok(end(arena, counted));
    assert_string_equal(ran, "zyxwvutsrqponmlkjihgfedcba");
    assert_refused(TIDE_CLOSED, tide_shared_attach(arena, note, letters));
}
TEST_BOTH(cleanups_run_last_in_first_out, attach_26)

static void fail_twice(bool counted)
{
    char first[] = "first to fail";
    tide_shared_arena arena = open_with(counted, NULL);
    assert_ok(tide_shared_attach(arena, note, "a"));
    assert_ok(tide_shared_attach(arena, report_failure, "second to fail"));
    assert_ok(tide_shared_attach(arena, note, "b"));
    assert_ok(tide_shared_attach(arena, report_failure, first));
    assert_refused(TIDE_CLEANUP_FAILED, end(arena, counted));
    assert_error_names("first to fail");
    assert_error_names("2");
    assert_string_equal(ran, "fbsa");
    assert_false(tide_shared_is_alive(arena));
}
TEST_BOTH(a_cleanup_that_fails_does_not_stop_the_others, fail_twice)

static void reset_runs_cleanups_once_and_the_arena_is_open_whatever_they_say(void **state)
{
    (void)state;
    ran[0] = '\0';
    tide_shared_arena arena = open_with(false, NULL);
    assert_ok(tide_shared_attach(arena, note, "a"));
    assert_ok(tide_shared_attach(arena, report_failure, "no"));
    assert_non_null(tide_shared_allocate(arena, 3000, 8));
    assert_refused(TIDE_CLEANUP_FAILED, tide_shared_reset(&arena));
    assert_error_names("no");
    assert_string_equal(ran, "na");
    assert_true(tide_shared_is_alive(arena));
    assert_int_equal(tide_shared_used(arena), 0);
    assert_zeroed(tide_shared_allocate(arena, 3000, 8), 3000);
    assert_ok(tide_shared_close(arena));
    assert_string_equal(ran, "na");
}

/* ------------------------------------------------------------------------------- in a cleanup */

static struct {
    tide_shared_arena arena;
    tide_segment segment;
    const char *text;
} seen;

static const char *look_around(void *context)
{
    uint8_t byte;
    (void)context;
    assert_string_equal(seen.text, "still here"); /* the memory is */
    assert_false(tide_shared_is_alive(seen.arena));
    assert_refused(TIDE_CLOSED, tide_load_u8(&seen.segment, 0, &byte));
    assert_refused(TIDE_CLOSED, tide_shared_segment(seen.arena, 8, 8, &seen.segment));
    assert_refused(TIDE_CLOSED, tide_shared_attach(seen.arena, note, "x"));
    tide_hold hold;
    assert_refused(TIDE_CLOSED, tide_shared_hold(seen.arena, &hold));
    assert_fault(TIDE_CLOSED, tide_shared_allocate(seen.arena, 8, 8));
    ran_append('l');
    return NULL;
}

static const char *end_again(void *counted)
{
    assert_refused(TIDE_CLOSED, end(seen.arena, *(const bool *)counted));
    ran_append('e');
    return NULL;
}

/* Arenas of its own it may open, allocate from, and close: with cleanups, too. */
static const char *use_another(void *context)
{
    tide_shared_arena other = open_with(false, NULL);
    (void)context;
    assert_zeroed(tide_shared_allocate(other, 5000, 8), 5000);
    assert_ok(tide_shared_attach(other, note, "o"));
    assert_ok(tide_shared_close(other));
    return NULL;
}

static void look_from_inside(bool counted)
{
    seen.arena = open_with(counted, NULL);
    assert_ok(tide_shared_segment(seen.arena, 64, 8, &seen.segment));
    char *text = tide_shared_allocate(seen.arena, 11, 1);
    memcpy(text, "still here", 11);
    seen.text = text;
    assert_ok(tide_shared_attach(seen.arena, use_another, NULL));
    assert_ok(tide_shared_attach(seen.arena, end_again, &counted));
    assert_ok(tide_shared_attach(seen.arena, look_around, NULL));
    assert_ok(end(seen.arena, counted));
    assert_string_equal(ran, "leo");
}
TEST_BOTH(to_a_cleanup_its_own_arena_is_closed_and_its_memory_still_there, look_from_inside)

/* ------------------------------------------------------------------------------- options */

static void assert_options_are_refused(const tide_arena_options *options)
{
    tide_shared_arena arena;
    memset(&arena, 0x5A, sizeof arena);
    assert_refused(TIDE_INVALID_ARGUMENT, tide_shared_open_with(&arena, options));
    assert_refused(TIDE_INVALID_ARGUMENT, tide_counted_open_with(&arena, options));
    assert_true(all_bytes_are(&arena, 0x5A, sizeof arena));
}

static void options_are_those_of_a_confined_arena(void **state)
{
    (void)state;
    counting_manager counting;
    counting_manager_init(&counting);
    assert_options_are_refused(NULL);
    tide_arena_options options = TIDE_ARENA_OPTIONS_INIT;
    options.struct_size = 8;
    assert_options_are_refused(&options);
    options = (tide_arena_options)TIDE_ARENA_OPTIONS_INIT;
    options.chunk_min = 3000;
    assert_options_are_refused(&options);
    options = (tide_arena_options)TIDE_ARENA_OPTIONS_INIT;
    options.chunk_max = 512;
    assert_options_are_refused(&options);
    options = (tide_arena_options)TIDE_ARENA_OPTIONS_INIT;
    options.zero = (tide_zero_policy)2;
    assert_options_are_refused(&options);
    options = (tide_arena_options)TIDE_ARENA_OPTIONS_INIT;
    counting.table.free = NULL;
    options.manager = &counting.table;
    assert_options_are_refused(&options);
    options = (tide_arena_options)TIDE_ARENA_OPTIONS_INIT;
    assert_refused(TIDE_INVALID_ARGUMENT, tide_shared_open_with(NULL, &options));
    assert_refused(TIDE_INVALID_ARGUMENT, tide_counted_open_with(NULL, &options));
}

static void name_it(bool counted)
{
    char name[] = "index builder";
    tide_arena_options options = TIDE_ARENA_OPTIONS_INIT;
    options.name = name;
    tide_shared_arena arena = open_with(counted, &options);
    memset(name, 'x', sizeof name - 1);
    assert_ok(tide_shared_attach(arena, report_failure, "no"));
    assert_refused(TIDE_CLEANUP_FAILED, end(arena, counted));
    assert_error_names("index builder");
}
TEST_BOTH(the_name_is_copied_and_appears_when_cleanups_fail, name_it)

static void the_name_appears_in_messages_of_an_open_arena(void **state)
{
    (void)state;
    tide_hold hold;
    tide_arena_options options = TIDE_ARENA_OPTIONS_INIT;
    options.name = "index builder";
    tide_shared_arena arena = open_with(false, &options);
    assert_ok(tide_shared_hold(arena, &hold));
    assert_refused(TIDE_BUSY, tide_shared_close(arena));
    assert_error_names("index builder");
    assert_ok(tide_hold_release(&hold));
    assert_ok(tide_shared_close(arena));
}

/* Shared arenas whose memory the process keeps for the next one, as many as it ever does. */
static void fill_what_is_kept_ready(void)
{
    for (int i = 0; i < 3000; i++) {
        tide_shared_arena arena = open_with(false, NULL);
        assert_non_null(tide_shared_allocate(arena, 2000, 8));
        assert_ok(tide_shared_close(arena));
    }
}

static void draw_from_a_manager(bool counted)
{
    counting_manager counting;
    counting_manager_init(&counting);
    fill_what_is_kept_ready();
    tide_arena_options options = TIDE_ARENA_OPTIONS_INIT;
    options.manager = &counting.table;
    tide_shared_arena arena = open_with(counted, &options);
    assert_zeroed(tide_shared_allocate(arena, 100, 8), 100);
    assert_zeroed(tide_shared_allocate(arena, 5000, 8), 5000);
    assert_zeroed(tide_shared_allocate(arena, 200000, 4096), 200000);
    assert_int_equal(counting.asked, 3);
    assert_ok(tide_shared_attach(arena, note, "a")); /* so that the close waits and gives it back */
    assert_ok(end(arena, counted));
    assert_true(counting_manager_is_balanced(&counting));
    assert_int_equal(counting.freed, 3);
    assert_string_equal(ran, "a");
}
TEST_BOTH(every_chunk_comes_from_the_manager_and_goes_back, draw_from_a_manager)

static void a_manager_gets_its_chunks_back_by_a_trim_at_the_latest(void **state)
{
    (void)state;
    static counting_manager counting; /* what trim leaves, a later call gives back */
    counting_manager_init(&counting);
    (void)tide_trim();
    tide_arena_options options = TIDE_ARENA_OPTIONS_INIT;
    options.manager = &counting.table;
    for (int i = 0; i < 5; i++) {
        tide_shared_arena arena = open_with(false, &options);
        assert_non_null(tide_shared_allocate(arena, 100, 8));
        assert_ok(tide_shared_close(arena));
    }
    (void)tide_trim();
    assert_true(counting_manager_is_balanced(&counting));
}

static void a_manager_that_refuses_is_out_of_memory_and_named(void **state)
{
    (void)state;
    counting_manager counting;
    counting_manager_init(&counting);
    tide_arena_options options = TIDE_ARENA_OPTIONS_INIT;
    options.manager = &counting.table;
    tide_shared_arena arena = open_with(false, &options);
    unsigned char *block = tide_shared_allocate(arena, 100, 8);
    memset(block, 1, 100);
    counting.refuse_above = 0;
    tide_segment segment = canary_segment();
    assert_out_of_memory(tide_shared_allocate(arena, 5000, 8));
    assert_error_names("counting");
    assert_refused(TIDE_OUT_OF_MEMORY, tide_shared_segment(arena, 5000, 8, &segment));
    assert_true(is_canary(&segment));
    assert_int_equal(tide_shared_used(arena), 100);
    counting.refuse_above = SIZE_MAX;
    assert_non_null(tide_shared_allocate(arena, 5000, 8));
    assert_true(all_bytes_are(block, 1, 100));
    counting.free_status = TIDE_IO;
    assert_ok(tide_shared_attach(arena, note, "a"));
    assert_refused(TIDE_CLEANUP_FAILED, tide_shared_close(arena));
    assert_false(tide_shared_is_alive(arena));
    assert_true(counting_manager_is_balanced(&counting));
}

static void bound_the_chunks(bool counted)
{
    counting_manager counting;
    counting_manager_init(&counting);
    tide_arena_options options = TIDE_ARENA_OPTIONS_INIT;
    options.manager = &counting.table;
    options.chunk_min = 4096;
    options.chunk_max = 8192;
    tide_shared_arena arena = open_with(counted, &options);
    for (int i = 0; i < 40; i++)
        assert_non_null(tide_shared_allocate(arena, 1000, 8));
    assert_non_null(tide_shared_allocate(arena, 8193, 8));
    assert_int_equal(counting.asked_sizes[0], 4096);
    for (size_t i = 0; i < counting.asked; i++)
        assert_true(counting.asked_sizes[i] == 4096 || counting.asked_sizes[i] == 8192 ||
                    i == counting.asked - 1);
    assert_ok(tide_shared_attach(arena, note, "a"));
    assert_ok(end(arena, counted));
    assert_true(counting_manager_is_balanced(&counting));
}
TEST_BOTH(chunks_keep_to_their_bounds, bound_the_chunks)

#define SECRET 0x5E

static void spread_secret(tide_shared_arena arena)
{
    const size_t sizes[] = {5, 64, 65, 900, 1500, 5000, 64 * 1024, 200 * 1024};
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        void *block = i % 2 == 0 ? tide_shared_allocate(arena, sizes[i], 8)
                                 : tide_shared_allocate_uninitialized(arena, sizes[i], 8);
        assert_non_null(block);
        memset(block, SECRET, sizes[i]);
    }
    unsigned char *shrunk = tide_shared_allocate(arena, 700, 8);
    memset(shrunk, SECRET, 700);
    assert_ok(tide_shared_extend(arena, shrunk, 700, 3));
}

static void wipe_at_the_end(bool counted)
{
    counting_manager counting;
    counting_manager_init(&counting);
    counting.secret = SECRET;
    tide_arena_options options = TIDE_ARENA_OPTIONS_INIT;
    options.manager = &counting.table;
    options.zero = TIDE_ZERO_WIPE;
    tide_shared_arena arena = open_with(counted, &options);
    spread_secret(arena);
    if (!counted) {
        assert_ok(tide_shared_reset(&arena));
        spread_secret(arena);
    }
    assert_ok(end(arena, counted)); /* it waits for a period of its own: all is back */
    assert_true(counting_manager_is_balanced(&counting));
    assert_false(counting.secret_seen);
}
TEST_BOTH(wiping_overwrites_everything_before_the_manager_gets_it_back, wipe_at_the_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cleanups_run_last_in_first_out),
        cmocka_unit_test(a_cleanup_that_fails_does_not_stop_the_others),
        cmocka_unit_test(reset_runs_cleanups_once_and_the_arena_is_open_whatever_they_say),
        cmocka_unit_test(to_a_cleanup_its_own_arena_is_closed_and_its_memory_still_there),
        cmocka_unit_test(options_are_those_of_a_confined_arena),
        cmocka_unit_test(the_name_is_copied_and_appears_when_cleanups_fail),
        cmocka_unit_test(the_name_appears_in_messages_of_an_open_arena),
        cmocka_unit_test(every_chunk_comes_from_the_manager_and_goes_back),
        cmocka_unit_test(a_manager_gets_its_chunks_back_by_a_trim_at_the_latest),
        cmocka_unit_test(a_manager_that_refuses_is_out_of_memory_and_named),
        cmocka_unit_test(chunks_keep_to_their_bounds),
        cmocka_unit_test(wiping_overwrites_everything_before_the_manager_gets_it_back),
    };
    return cmocka_run_group_tests_name("shared cleanup", tests, NULL, NULL);
}
