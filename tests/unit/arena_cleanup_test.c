/* SPDX-License-Identifier: Apache-2.0 */
/* Cleanups: what runs when an arena closes, in which order, and what it may do. */
#include "test.h"

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

static int forget(void **state)
{
    (void)state;
    ran[0] = '\0';
    return 0;
}

static void cleanups_run_last_in_first_out(void **state)
{
    (void)state;
    tide_arena arena;
    char letters[] = "abcdefghijklmnopqrstuvwxyz";
    assert_ok(tide_arena_open(&arena));
    for (size_t i = 0; i < 26; i++)
        assert_ok(tide_arena_attach(&arena, note, &letters[i]));
    assert_string_equal(ran, "");
    assert_ok(tide_arena_close(&arena));
    assert_string_equal(ran, "zyxwvutsrqponmlkjihgfedcba");
}

static void a_cleanup_runs_once(void **state)
{
    (void)state;
    tide_arena arena;
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_arena_attach(&arena, note, context_of("a")));
    assert_ok(tide_arena_close(&arena));
    assert_ok(tide_arena_open(&arena));
    assert_non_null(tide_arena_allocate(&arena, 8, 8));
    assert_ok(tide_arena_close(&arena));
    assert_string_equal(ran, "a");
}

static void the_same_cleanup_can_be_attached_twice(void **state)
{
    (void)state;
    tide_arena arena;
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_arena_attach(&arena, note, context_of("a")));
    assert_ok(tide_arena_attach(&arena, note, context_of("a")));
    assert_ok(tide_arena_close(&arena));
    assert_string_equal(ran, "aa");
}

static void reset_runs_the_cleanups_and_forgets_them(void **state)
{
    (void)state;
    tide_arena arena;
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_arena_attach(&arena, note, context_of("a")));
    assert_ok(tide_arena_attach(&arena, note, context_of("b")));
    assert_ok(tide_arena_reset(&arena));
    assert_string_equal(ran, "ba");
    assert_ok(tide_arena_attach(&arena, note, context_of("c")));
    assert_ok(tide_arena_close(&arena));
    assert_string_equal(ran, "bac");
}

static void a_busy_close_runs_no_cleanup(void **state)
{
    (void)state;
    tide_arena arena;
    tide_hold hold;
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_arena_attach(&arena, note, context_of("a")));
    assert_ok(tide_arena_hold(&arena, &hold));
    assert_refused(TIDE_BUSY, tide_arena_close(&arena));
    assert_refused(TIDE_BUSY, tide_arena_reset(&arena));
    assert_string_equal(ran, "");
    assert_ok(tide_arena_attach(&arena, note, context_of("b")));
    assert_ok(tide_hold_release(&hold));
    assert_ok(tide_arena_close(&arena));
    assert_string_equal(ran, "ba");
}

static void deleting_runs_the_cleanups(void **state)
{
    (void)state;
    tide_arena *arena = tide_arena_new(NULL);
    assert_ok(tide_arena_attach(arena, note, context_of("a")));
    assert_ok(tide_arena_delete(arena));
    assert_string_equal(ran, "a");
}

/* ------------------------------------------------------------------------------- memory */

typedef struct remembered {
    unsigned char *blocks[4];
    size_t sizes[4];
} remembered;

static const char *find_memory_intact(void *context)
{
    const remembered *memory = (const remembered *)context;
    for (size_t i = 0; i < COUNT_OF(memory->blocks); i++)
        assert_true(all_bytes_are(memory->blocks[i], 0x70 + (int)i, memory->sizes[i]));
    ran_append('m');
    return NULL;
}

static void every_cleanup_finds_all_memory_of_the_arena_intact(void **state)
{
    (void)state;
    for (int policy = TIDE_ZERO_DEFAULT; policy <= TIDE_ZERO_WIPE; policy++) {
        tide_arena arena;
        tide_arena_options options = TIDE_ARENA_OPTIONS_INIT;
        options.zero = (tide_zero_policy)policy;
        remembered memory = {.sizes = {40, 3000, 100000, 24}};
        forget(NULL);
        assert_ok(tide_arena_open_with(&arena, &options));
        assert_ok(tide_arena_attach(&arena, find_memory_intact, &memory));
        for (size_t i = 0; i < COUNT_OF(memory.blocks); i++) {
            memory.blocks[i] = (unsigned char *)tide_arena_allocate(&arena, memory.sizes[i], 8);
            assert_non_null(memory.blocks[i]);
            memset(memory.blocks[i], 0x70 + (int)i, memory.sizes[i]);
            assert_ok(tide_arena_attach(&arena, find_memory_intact, &memory));
        }
        assert_ok(tide_arena_close(&arena));
        assert_string_equal(ran, "mmmmm");
    }
}

static const char *return_context(void *context)
{
    return (const char *)context;
}

static void a_cleanups_context_may_lie_in_the_arena(void **state)
{
    (void)state;
    tide_arena arena;
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_arena_attach(&arena, note, tide_arena_strdup(&arena, "pool")));
    assert_non_null(tide_arena_allocate(&arena, 64, 8));
    assert_ok(tide_arena_attach(&arena, note, tide_arena_strdup(&arena, "chunk")));
    assert_ok(tide_arena_close(&arena));
    assert_string_equal(ran, "cp");
}

static void a_cleanup_can_be_attached_to_an_arena_that_never_allocates(void **state)
{
    (void)state;
    tide_arena arena;
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_arena_attach(&arena, note, context_of("a")));
    assert_int_equal(tide_arena_used(&arena), 0);
    assert_ok(tide_arena_close(&arena));
    assert_string_equal(ran, "a");
}

static void many_cleanups_leave_the_pool_to_the_program(void **state)
{
    (void)state;
    skip_under_checker();
    tide_arena arena;
    assert_ok(tide_arena_open(&arena));
    unsigned char *block = (unsigned char *)tide_arena_allocate(&arena, 8, 8);
    for (int i = 0; i < 1000; i++)
        assert_ok(tide_arena_attach(&arena, return_context, NULL));
    assert_ptr_equal(tide_arena_allocate(&arena, 8, 8), block + 8);
    assert_int_equal(tide_arena_used(&arena), 16);
    assert_ok(tide_arena_close(&arena));
}

/* ------------------------------------------------------------------------------- failing */

static void a_failing_cleanup_stops_neither_the_others_nor_the_close(void **state)
{
    (void)state;
    tide_arena arena;
    tide_segment segment;
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_arena_segment(&arena, 8, 8, &segment));
    assert_ok(tide_arena_attach(&arena, note, context_of("a")));
    assert_ok(tide_arena_attach(&arena, report_failure, context_of("bad second")));
    assert_ok(tide_arena_attach(&arena, note, context_of("c")));
    assert_ok(tide_arena_attach(&arena, report_failure, context_of("dire first")));
    assert_ok(tide_arena_attach(&arena, note, context_of("e")));
    assert_refused(TIDE_CLEANUP_FAILED, tide_arena_close(&arena));
    assert_error_names("dire first");
    assert_error_names("2");
    assert_null(strstr(tide_last_error_text(), "bad second"));
    assert_string_equal(ran, "edcba");
    assert_false(tide_arena_is_alive(&arena));
    assert_refused(TIDE_CLOSED, tide_store_u8(&segment, 0, 1));
    assert_refused(TIDE_CLOSED, tide_arena_close(&arena));
}

static void a_reset_whose_cleanup_fails_leaves_the_arena_open_and_empty(void **state)
{
    (void)state;
    tide_arena arena;
    assert_ok(tide_arena_open(&arena));
    unsigned char *block = (unsigned char *)tide_arena_allocate(&arena, 64, 8);
    memset(block, 7, 64);
    assert_ok(tide_arena_attach(&arena, report_failure, context_of("broken")));
    assert_refused(TIDE_CLEANUP_FAILED, tide_arena_reset(&arena));
    assert_error_names("broken");
    assert_true(tide_arena_is_alive(&arena));
    assert_int_equal(tide_arena_used(&arena), 0);
    assert_zeroed(tide_arena_allocate(&arena, 64, 8), 64);
    assert_ok(tide_arena_close(&arena));
    assert_string_equal(ran, "b");
}

static void deleting_with_a_failing_cleanup_reports_it(void **state)
{
    (void)state;
    tide_arena *arena = tide_arena_new(NULL);
    assert_ok(tide_arena_attach(arena, report_failure, context_of("broken")));
    assert_refused(TIDE_CLEANUP_FAILED, tide_arena_delete(arena));
    assert_error_names("broken");
}

static void a_very_long_message_is_cut_not_overrun(void **state)
{
    (void)state;
    static char message[5000];
    tide_arena arena;
    memset(message, 'x', sizeof message - 1);
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_arena_attach(&arena, return_context, message));
    assert_refused(TIDE_CLEANUP_FAILED, tide_arena_close(&arena));
    assert_error_names("xxxxxxxxxxxxxxxx");
}

static const char *fail_inside(void *context)
{
    (void)context;
    assert_refused(TIDE_INVALID_ARGUMENT, tide_arena_close(NULL));
    return NULL;
}

static void what_fails_inside_a_cleanup_does_not_fail_the_close(void **state)
{
    (void)state;
    tide_arena arena;
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_arena_attach(&arena, fail_inside, NULL));
    assert_ok(tide_arena_close(&arena));
}

static void the_first_message_stands_although_a_later_cleanup_fails_calls(void **state)
{
    (void)state;
    tide_arena arena;
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_arena_attach(&arena, fail_inside, NULL));
    assert_ok(tide_arena_attach(&arena, report_failure, context_of("the first")));
    assert_refused(TIDE_CLEANUP_FAILED, tide_arena_close(&arena));
    assert_error_names("the first");
}

/* ------------------------------------------------------------------------------- its own arena */

typedef struct own_arena {
    tide_arena *arena;
    tide_segment segment;
    tide_scope scope;
} own_arena;

static const char *try_everything(void *context)
{
    own_arena *own = (own_arena *)context;
    tide_arena *arena = own->arena;
    tide_segment segment = canary_segment();
    tide_hold hold;
    ran_append('t');

    assert_false(tide_arena_is_alive(arena));
    assert_false(tide_scope_is_alive(own->scope));
    assert_fault(TIDE_CLOSED, tide_arena_allocate(arena, 8, 8));
    assert_fault(TIDE_CLOSED, tide_arena_allocate(arena, 5000, 8));
    assert_fault(TIDE_CLOSED, tide_arena_allocate_uninitialized(arena, 8, 8));
    assert_fault(TIDE_CLOSED, tide_arena_strdup(arena, "text"));
    assert_fault(TIDE_CLOSED, tide_arena_used(arena));
    assert_fault(TIDE_CLOSED, tide_arena_scope(arena));
    assert_refused(TIDE_CLOSED, tide_arena_segment(arena, 8, 8, &segment));
    assert_refused(TIDE_CLOSED, tide_arena_attach(arena, note, context_of("x")));
    assert_refused(TIDE_CLOSED,
                   tide_segment_attach(&own->segment, 8, arena, note, context_of("x"), &segment));
    assert_refused(TIDE_CLOSED, tide_arena_close(arena));
    assert_refused(TIDE_CLOSED, tide_arena_reset(arena));
    assert_refused(TIDE_CLOSED, tide_arena_hold(arena, &hold));
    assert_refused(TIDE_CLOSED, tide_scope_hold(own->scope, &hold));
    assert_refused(TIDE_CLOSED, tide_arena_hand_over(arena, tide_owner_current()));
    assert_refused(TIDE_CLOSED, tide_store_u8(&own->segment, 0, 1));
    assert_fault(TIDE_CLOSED, tide_get_u8(&own->segment, 0));
    assert_refused(TIDE_CLOSED, tide_segment_fill(&own->segment, 1));
    assert_true(is_canary(&segment));
    return NULL;
}

static void inside_a_cleanup_its_own_arena_is_closed(void **state)
{
    (void)state;
    tide_arena arena;
    own_arena own = {.arena = &arena};
    for (int round = 0; round < 2; round++) {
        forget(NULL);
        assert_ok(tide_arena_open(&arena));
        assert_ok(tide_arena_segment(&arena, 8, 8, &own.segment));
        own.scope = tide_arena_scope(&arena);
        assert_ok(tide_arena_attach(&arena, note, context_of("a")));
        assert_ok(tide_arena_attach(&arena, try_everything, &own));
        assert_ok(tide_arena_attach(&arena, note, context_of("b")));
        assert_ok(round == 0 ? tide_arena_close(&arena) : tide_arena_reset(&arena));
        assert_string_equal(ran, "bta");
        assert_int_equal(tide_arena_is_alive(&arena), round == 1);
    }
    assert_ok(tide_arena_close(&arena));
}

static const char *delete_own_arena(void *context)
{
    ran_append('d');
    assert_refused(TIDE_CLOSED, tide_arena_delete((tide_arena *)context));
    return NULL;
}

static void a_cleanup_cannot_delete_its_own_arena(void **state)
{
    (void)state;
    tide_arena *arena = tide_arena_new(NULL);
    assert_ok(tide_arena_attach(arena, note, context_of("a")));
    assert_ok(tide_arena_attach(arena, delete_own_arena, arena));
    assert_ok(tide_arena_delete(arena));
    assert_string_equal(ran, "da");
}

/* ------------------------------------------------------------------------------- other arenas */

static const char *use_another_arena(void *context)
{
    tide_arena *other = (tide_arena *)context;
    tide_arena nested;
    unsigned char *first = (unsigned char *)tide_arena_allocate(other, 16, 8);
    assert_zeroed(first, 16);
    memset(first, 7, 16);
    assert_ok(tide_arena_open(&nested));
    unsigned char *second = (unsigned char *)tide_arena_allocate(&nested, 64, 8);
    assert_zeroed(second, 64);
    memset(second, 8, 64);
    assert_non_null(tide_arena_allocate(&nested, 9000, 8));
    assert_true(all_bytes_are(first, 7, 16));
    assert_ok(tide_arena_attach(&nested, note, context_of("n")));
    assert_ok(tide_arena_close(&nested));
    assert_ok(tide_arena_attach(other, note, context_of("o")));
    return NULL;
}

static void a_cleanup_may_use_and_open_other_arenas(void **state)
{
    (void)state;
    tide_arena arena, other;
    assert_ok(tide_arena_open(&other));
    assert_ok(tide_arena_open(&arena));
    unsigned char *block = (unsigned char *)tide_arena_allocate(&arena, 64, 8);
    memset(block, 9, 64);
    assert_ok(tide_arena_attach(&arena, use_another_arena, &other));
    assert_ok(tide_arena_close(&arena));
    assert_string_equal(ran, "n");
    assert_ok(tide_arena_close(&other));
    assert_string_equal(ran, "no");
}

static const char *close_another_arena(void *context)
{
    assert_ok(tide_arena_close((tide_arena *)context));
    return NULL;
}

static void a_cleanup_may_close_other_arenas(void **state)
{
    (void)state;
    tide_arena arenas[4];
    for (size_t i = 0; i < COUNT_OF(arenas); i++) {
        assert_ok(tide_arena_open(&arenas[i]));
        assert_zeroed(tide_arena_allocate(&arenas[i], 64, 8), 64);
        if (i > 0)
            assert_ok(tide_arena_attach(&arenas[i], close_another_arena, &arenas[i - 1]));
        assert_ok(tide_arena_attach(&arenas[i], note, context_of(&"abcd"[i])));
    }
    assert_ok(tide_arena_close(&arenas[3]));
    assert_string_equal(ran, "dcba");
    for (size_t i = 0; i < COUNT_OF(arenas); i++)
        assert_false(tide_arena_is_alive(&arenas[i]));
}

static const char *write_to_another_segment(void *context)
{
    tide_set_u64((const tide_segment *)context, 0, 99);
    return NULL;
}

static void a_cleanup_may_write_to_another_arenas_segment(void **state)
{
    (void)state;
    tide_arena arena, other;
    tide_segment segment;
    assert_ok(tide_arena_open(&other));
    assert_ok(tide_arena_segment(&other, 8, 8, &segment));
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_arena_attach(&arena, write_to_another_segment, &segment));
    assert_ok(tide_arena_close(&arena));
    assert_int_equal(tide_get_u64(&segment, 0), 99);
    assert_ok(tide_arena_close(&other));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(cleanups_run_last_in_first_out, forget),
        cmocka_unit_test_setup(a_cleanup_runs_once, forget),
        cmocka_unit_test_setup(the_same_cleanup_can_be_attached_twice, forget),
        cmocka_unit_test_setup(reset_runs_the_cleanups_and_forgets_them, forget),
        cmocka_unit_test_setup(a_busy_close_runs_no_cleanup, forget),
        cmocka_unit_test_setup(deleting_runs_the_cleanups, forget),
        cmocka_unit_test_setup(every_cleanup_finds_all_memory_of_the_arena_intact, forget),
        cmocka_unit_test_setup(a_cleanups_context_may_lie_in_the_arena, forget),
        cmocka_unit_test_setup(a_cleanup_can_be_attached_to_an_arena_that_never_allocates, forget),
        cmocka_unit_test_setup(many_cleanups_leave_the_pool_to_the_program, forget),
        cmocka_unit_test_setup(a_failing_cleanup_stops_neither_the_others_nor_the_close, forget),
        cmocka_unit_test_setup(a_reset_whose_cleanup_fails_leaves_the_arena_open_and_empty, forget),
        cmocka_unit_test_setup(deleting_with_a_failing_cleanup_reports_it, forget),
        cmocka_unit_test_setup(a_very_long_message_is_cut_not_overrun, forget),
        cmocka_unit_test_setup(what_fails_inside_a_cleanup_does_not_fail_the_close, forget),
        cmocka_unit_test_setup(the_first_message_stands_although_a_later_cleanup_fails_calls,
                               forget),
        cmocka_unit_test_setup(inside_a_cleanup_its_own_arena_is_closed, forget),
        cmocka_unit_test_setup(a_cleanup_cannot_delete_its_own_arena, forget),
        cmocka_unit_test_setup(a_cleanup_may_use_and_open_other_arenas, forget),
        cmocka_unit_test_setup(a_cleanup_may_close_other_arenas, forget),
        cmocka_unit_test_setup(a_cleanup_may_write_to_another_arenas_segment, forget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
