/* SPDX-License-Identifier: Apache-2.0 */
/* Marks: closing every arena that was opened since, without touching the frames they lay in. */
#include "test.h"

#include "counting_manager.h"

static char ran[64];

static const char *note(void *context)
{
    size_t length = strlen(ran);
    assert_true(length + 1 < sizeof ran);
    ran[length] = *(const char *)context;
    ran[length + 1] = '\0';
    return NULL;
}

static const char *report_failure(void *context)
{
    note(context);
    return (const char *)context;
}

static int forget(void **state)
{
    (void)state;
    ran[0] = '\0';
    return 0;
}

static size_t open_arenas(void)
{
    tide_pool_statistics statistics = {.struct_size = sizeof statistics};
    assert_ok(tide_pool_statistics_get(&statistics));
    return statistics.open_arenas;
}

/* What a test keeps of an arena whose frame is gone. */
typedef struct left_behind {
    tide_segment segment;
    tide_scope scope;
} left_behind;

static jmp_buf frame;

static void jump_out(void)
{
    longjmp(frame, 1);
}

static void (*volatile leave)(void) = jump_out;

/* Opens arenas in frames of their own, `depth` deep, and jumps out of the deepest. */
static void descend_and_jump(left_behind *left, size_t depth)
{
    tide_arena arena;
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_arena_segment(&arena, 32, 8, &left->segment));
    assert_non_null(tide_arena_allocate(&arena, 32, 8));
    assert_non_null(tide_arena_allocate(&arena, 3000, 8));
    left->scope = tide_arena_scope(&arena);
    assert_ok(tide_arena_attach(&arena, note, context_of(&"0123456789"[depth])));
    if (depth == 1)
        leave();
    else
        descend_and_jump(left + 1, depth - 1);
    assert_ok(tide_arena_close(&arena));
}

static void arenas_left_by_longjmp_are_closed(void **state)
{
    (void)state;
    static left_behind left[5];
    size_t before = open_arenas();
    tide_mark_point mark = tide_mark();
    if (setjmp(frame) == 0)
        descend_and_jump(left, 5);
    assert_int_equal(open_arenas(), before + 5);
    assert_ok(tide_close_to(mark));
    assert_int_equal(open_arenas(), before);
    assert_string_equal(ran, "12345");
    for (size_t i = 0; i < COUNT_OF(left); i++) {
        assert_false(tide_scope_is_alive(left[i].scope));
        assert_refused(TIDE_CLOSED, tide_store_u8(&left[i].segment, 0, 1));
    }
    for (size_t i = 0; i < 8; i++) { /* and their pools are clear and in use again */
        tide_arena arena;
        assert_ok(tide_arena_open(&arena));
        assert_zeroed(tide_arena_allocate(&arena, 64, 8), 64);
        assert_ok(tide_arena_close(&arena));
    }
}

static void a_fault_handler_may_jump_out_through_open_arenas(void **state)
{
    (void)state;
    tide_mark_point mark = tide_mark();
    tide_arena arenas[5];
    for (size_t i = 0; i < COUNT_OF(arenas); i++) {
        assert_ok(tide_arena_open(&arenas[i]));
        memset(tide_arena_allocate(&arenas[i], 64, 8), 7, 64);
    }
    tide_segment segment;
    assert_ok(tide_arena_segment(&arenas[4], 64, 8, &segment));
    assert_fault(TIDE_OUT_OF_BOUNDS, tide_get_u32(&segment, 64));
    assert_ok(tide_close_to(mark));
    assert_refused(TIDE_CLOSED, tide_store_u8(&segment, 0, 1));
}

static void nothing_to_close_is_ok(void **state)
{
    (void)state;
    tide_mark_point mark = tide_mark();
    assert_ok(tide_close_to(mark));
    assert_ok(tide_close_to(mark));
    tide_arena arena;
    assert_ok(tide_arena_open(&arena)); /* takes nothing */
    assert_ok(tide_close_to(mark));
}

static void arenas_from_before_the_mark_stay_open(void **state)
{
    (void)state;
    tide_arena before, since;
    assert_ok(tide_arena_open(&before));
    unsigned char *block = (unsigned char *)tide_arena_allocate(&before, 16, 8);
    memset(block, 7, 16);
    assert_ok(tide_arena_attach(&before, note, context_of("b")));
    tide_mark_point mark = tide_mark();
    assert_ok(tide_arena_open(&since));
    assert_non_null(tide_arena_allocate(&since, 16, 8));
    assert_ok(tide_arena_attach(&since, note, context_of("s")));
    assert_ok(tide_close_to(mark));
    assert_string_equal(ran, "s");
    assert_true(tide_arena_is_alive(&before));
    assert_true(all_bytes_are(block, 7, 16));
    assert_non_null(tide_arena_allocate(&before, 16, 8));
    assert_ok(tide_arena_close(&before));
    assert_string_equal(ran, "sb");
}

static void an_arena_opened_before_the_mark_but_first_used_after_it_stays_open(void **state)
{
    (void)state;
    tide_arena before;
    assert_ok(tide_arena_open(&before));
    tide_mark_point mark = tide_mark();
    unsigned char *block = (unsigned char *)tide_arena_allocate(&before, 16, 8);
    memset(block, 7, 16);
    assert_ok(tide_arena_attach(&before, note, context_of("b")));
    assert_ok(tide_close_to(mark));
    assert_string_equal(ran, "");
    assert_true(tide_arena_is_alive(&before));
    assert_true(all_bytes_are(block, 7, 16));
    assert_ok(tide_arena_close(&before));
}

static void arenas_closed_in_the_ordinary_way_are_not_closed_again(void **state)
{
    (void)state;
    tide_arena first, second;
    tide_mark_point mark = tide_mark();
    assert_ok(tide_arena_open(&first));
    assert_ok(tide_arena_open(&second));
    assert_ok(tide_arena_attach(&first, note, context_of("1")));
    assert_ok(tide_arena_attach(&second, note, context_of("2")));
    assert_ok(tide_arena_close(&first));
    assert_ok(tide_close_to(mark));
    assert_string_equal(ran, "12");
}

static void marks_nest(void **state)
{
    (void)state;
    tide_arena arenas[3];
    tide_mark_point marks[3];
    for (size_t i = 0; i < 3; i++) {
        marks[i] = tide_mark();
        assert_ok(tide_arena_open(&arenas[i]));
        assert_ok(tide_arena_attach(&arenas[i], note, context_of(&"123"[i])));
    }
    assert_ok(tide_close_to(marks[2]));
    assert_string_equal(ran, "3");
    assert_true(tide_arena_is_alive(&arenas[1]));
    assert_ok(tide_close_to(marks[0]));
    assert_string_equal(ran, "321");
    assert_ok(tide_close_to(marks[1]));
    assert_string_equal(ran, "321");
}

static void a_mark_can_be_closed_to_again_and_again(void **state)
{
    (void)state;
    tide_mark_point mark = tide_mark();
    for (int round = 0; round < 10; round++) {
        tide_arena arena;
        assert_ok(tide_arena_open(&arena));
        assert_ok(tide_arena_attach(&arena, note, context_of("r")));
        assert_ok(tide_close_to(mark));
    }
    assert_string_equal(ran, "rrrrrrrrrr");
}

static void an_arena_opened_between_two_marks_survives_the_inner(void **state)
{
    (void)state;
    tide_arena arena;
    tide_mark_point outer = tide_mark();
    assert_ok(tide_arena_open(&arena));
    tide_mark_point inner = tide_mark();
    assert_non_null(tide_arena_allocate(&arena, 8, 8));
    assert_ok(tide_close_to(inner));
    assert_true(tide_arena_is_alive(&arena));
    assert_non_null(tide_arena_allocate(&arena, 8, 8));
    tide_scope scope = tide_arena_scope(&arena);
    assert_ok(tide_close_to(outer));
    assert_false(tide_scope_is_alive(scope));
}

static void a_reset_does_not_move_an_arena_behind_a_mark(void **state)
{
    (void)state;
    tide_arena used, empty;
    assert_ok(tide_arena_open(&used));
    assert_ok(tide_arena_open(&empty));
    assert_non_null(tide_arena_allocate(&used, 8, 8));
    tide_mark_point mark = tide_mark();
    assert_ok(tide_arena_reset(&used));
    assert_ok(tide_arena_reset(&empty));
    assert_non_null(tide_arena_allocate(&used, 8, 8));
    assert_non_null(tide_arena_allocate(&empty, 8, 8));
    assert_ok(tide_close_to(mark));
    assert_ok(tide_arena_close(&used));
    assert_ok(tide_arena_close(&empty));
}

static void an_arena_that_was_reset_is_closed_to_the_mark_before_its_opening(void **state)
{
    (void)state;
    tide_arena used, empty;
    tide_mark_point outer = tide_mark();
    assert_ok(tide_arena_open(&used));
    assert_ok(tide_arena_open(&empty));
    assert_ok(tide_arena_attach(&used, note, context_of("u")));
    (void)tide_mark();
    assert_ok(tide_arena_reset(&used));
    assert_ok(tide_arena_reset(&empty));
    assert_ok(tide_arena_attach(&used, note, context_of("v")));
    assert_ok(tide_arena_attach(&empty, note, context_of("e")));
    assert_ok(tide_close_to(outer));
    assert_string_equal(ran, "uev");
}

/* ------------------------------------------------------------------------------- cleanups */

static void cleanups_run_across_arenas_last_registered_first(void **state)
{
    (void)state;
    tide_arena a, b, c;
    tide_mark_point mark = tide_mark();
    assert_ok(tide_arena_open(&a));
    assert_ok(tide_arena_open(&b));
    assert_ok(tide_arena_open(&c));
    assert_ok(tide_arena_attach(&b, note, context_of("1")));
    assert_ok(tide_arena_attach(&a, note, context_of("2")));
    assert_ok(tide_arena_attach(&c, note, context_of("3")));
    assert_ok(tide_arena_attach(&a, note, context_of("4")));
    assert_ok(tide_arena_attach(&b, note, context_of("5")));
    assert_ok(tide_arena_attach(&b, note, context_of("6")));
    assert_ok(tide_arena_attach(&c, note, context_of("7")));
    assert_ok(tide_close_to(mark));
    assert_string_equal(ran, "7654321");
}

typedef struct two_blocks {
    unsigned char *blocks[4];
    size_t sizes[4];
} two_blocks;

static const char *find_all_intact(void *context)
{
    const two_blocks *memory = (const two_blocks *)context;
    for (size_t i = 0; i < COUNT_OF(memory->blocks); i++)
        assert_true(all_bytes_are(memory->blocks[i], 7, memory->sizes[i]));
    return note(context_of("m"));
}

static void every_cleanup_finds_the_memory_of_all_the_arenas_intact(void **state)
{
    (void)state;
    tide_arena arenas[2];
    two_blocks memory = {.sizes = {48, 3000, 48, 100000}};
    tide_mark_point mark = tide_mark();
    for (size_t i = 0; i < 2; i++) {
        assert_ok(tide_arena_open(&arenas[i]));
        assert_ok(tide_arena_attach(&arenas[i], find_all_intact, &memory));
        for (size_t j = 2 * i; j < 2 * i + 2; j++) {
            memory.blocks[j] = (unsigned char *)tide_arena_allocate(&arenas[i], memory.sizes[j], 8);
            memset(memory.blocks[j], 7, memory.sizes[j]);
        }
    }
    assert_ok(tide_arena_attach(&arenas[0], find_all_intact, &memory));
    assert_ok(tide_close_to(mark));
    assert_string_equal(ran, "mmm");
}

static tide_segment segments_of_both[2];

static const char *find_both_closed(void *context)
{
    assert_refused(TIDE_CLOSED, tide_store_u8(&segments_of_both[0], 0, 1));
    assert_refused(TIDE_CLOSED, tide_store_u8(&segments_of_both[1], 0, 1));
    return note(context);
}

static void every_arena_is_closed_before_the_first_cleanup_runs(void **state)
{
    (void)state;
    tide_arena arenas[2];
    tide_mark_point mark = tide_mark();
    for (size_t i = 0; i < 2; i++) {
        assert_ok(tide_arena_open(&arenas[i]));
        assert_ok(tide_arena_segment(&arenas[i], 8, 8, &segments_of_both[i]));
        assert_ok(tide_arena_attach(&arenas[i], find_both_closed, context_of("c")));
    }
    assert_ok(tide_close_to(mark));
    assert_string_equal(ran, "cc");
}

static void failing_cleanups_are_counted_across_arenas_and_the_first_is_quoted(void **state)
{
    (void)state;
    tide_arena a, b;
    tide_mark_point mark = tide_mark();
    assert_ok(tide_arena_open(&a));
    assert_ok(tide_arena_open(&b));
    assert_ok(tide_arena_attach(&a, report_failure, context_of("x last")));
    assert_ok(tide_arena_attach(&b, report_failure, context_of("y middle")));
    assert_ok(tide_arena_attach(&a, note, context_of("n")));
    assert_ok(tide_arena_attach(&a, report_failure, context_of("z first")));
    assert_refused(TIDE_CLEANUP_FAILED, tide_close_to(mark));
    assert_string_equal(ran, "znyx");
    assert_error_names("z first");
    assert_error_names("3");
}

/* ------------------------------------------------------------------------------- holds */

static void holds_on_the_closed_arenas_end(void **state)
{
    (void)state;
    tide_arena arena;
    tide_hold hold;
    tide_mark_point mark = tide_mark();
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_arena_hold(&arena, &hold));
    assert_ok(tide_close_to(mark));
    assert_refused(TIDE_CLOSED, tide_hold_release(&hold));
    assert_ok(tide_arena_open(&arena)); /* whoever has the cell next starts without holds */
    assert_non_null(tide_arena_allocate(&arena, 8, 8));
    assert_ok(tide_arena_close(&arena));
}

/* ------------------------------------------------------------------------------- owners */

static void another_owners_arenas_stay_open(void **state)
{
    (void)state;
    tide_arena mine, theirs;
    tide_owner other = tide_owner_new();
    tide_mark_point mark = tide_mark();
    assert_ok(tide_arena_open(&mine));
    tide_scope my_scope = tide_arena_scope(&mine);
    tide_owner own = tide_owner_set(other);
    assert_ok(tide_arena_open(&theirs));
    unsigned char *block = (unsigned char *)tide_arena_allocate(&theirs, 8, 8);
    *block = 7;
    tide_owner_set(own);
    assert_ok(tide_close_to(mark));
    assert_false(tide_scope_is_alive(my_scope));
    assert_true(tide_arena_is_alive(&theirs));
    tide_owner_set(other);
    assert_int_equal(*block, 7);
    assert_ok(tide_arena_close(&theirs));
    tide_owner_set(own);
}

static void an_arena_handed_over_since_the_mark_stays_open(void **state)
{
    (void)state;
    tide_arena arena;
    tide_owner other = tide_owner_new();
    tide_mark_point mark = tide_mark();
    assert_ok(tide_arena_open(&arena));
    assert_non_null(tide_arena_allocate(&arena, 8, 8));
    assert_ok(tide_arena_hand_over(&arena, other));
    assert_ok(tide_close_to(mark));
    assert_true(tide_arena_is_alive(&arena));
    tide_owner own = tide_owner_set(other);
    assert_ok(tide_arena_close(&arena));
    tide_owner_set(own);
}

static void close_to_foreign_mark(void *context)
{
    assert_refused(TIDE_WRONG_OWNER, tide_close_to(*(const tide_mark_point *)context));
}

static void a_mark_of_another_owner_is_refused(void **state)
{
    (void)state;
    tide_arena arena;
    tide_mark_point mark = tide_mark();
    assert_ok(tide_arena_open(&arena));
    assert_non_null(tide_arena_allocate(&arena, 8, 8));
    on_new_thread(close_to_foreign_mark, &mark);
    tide_owner own = tide_owner_set(tide_owner_new());
    close_to_foreign_mark(&mark);
    tide_owner_set(own);
    tide_scope scope = tide_arena_scope(&arena);
    assert_true(tide_scope_is_alive(scope));
    assert_ok(tide_close_to(mark));
    assert_false(tide_scope_is_alive(scope));
}

static void a_zeroed_mark_is_refused(void **state)
{
    (void)state;
    tide_mark_point none;
    memset(&none, 0, sizeof none);
    assert_refused(TIDE_INVALID_ARGUMENT, tide_close_to(none));
}

static tide_owner fiber_owner;

/* A fiber marks on one thread and comes back to close on another. */
static void mark_as_fiber(void *context)
{
    tide_owner own = tide_owner_set(fiber_owner);
    *(tide_mark_point *)context = tide_mark();
    tide_owner_set(own);
}

static void a_mark_follows_its_owner_to_another_thread(void **state)
{
    (void)state;
    tide_mark_point mark;
    tide_arena arena;
    fiber_owner = tide_owner_new();
    on_new_thread(mark_as_fiber, &mark);
    tide_owner own = tide_owner_set(fiber_owner);
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_arena_attach(&arena, note, context_of("f")));
    assert_ok(tide_close_to(mark));
    assert_string_equal(ran, "f");
    tide_owner_set(own);
}

static void mark_first_thing_on_a_thread(void *context)
{
    tide_arena arena;
    tide_mark_point mark = tide_mark();
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_arena_attach(&arena, note, context));
    assert_ok(tide_close_to(mark));
}

static void marking_may_be_a_threads_first_call(void **state)
{
    (void)state;
    on_new_thread(mark_first_thing_on_a_thread, context_of("t"));
    assert_string_equal(ran, "t");
}

/* ------------------------------------------------------------------------------- afterwards */

static void a_struct_whose_arena_was_closed_to_a_mark_does_nothing_any_more(void **state)
{
    (void)state;
    tide_arena arena, next;
    tide_segment segment = canary_segment();
    tide_mark_point mark = tide_mark();
    assert_ok(tide_arena_open(&arena));
    assert_non_null(tide_arena_allocate(&arena, 8, 8));
    assert_ok(tide_close_to(mark));
    for (int i = 0; i < 2; i++) {
        assert_int_not_equal(tide_arena_segment(&arena, 8, 8, &segment), TIDE_OK);
        assert_int_not_equal(tide_arena_attach(&arena, note, context_of("x")), TIDE_OK);
        assert_int_not_equal(tide_arena_close(&arena), TIDE_OK);
        assert_true(is_canary(&segment));
        if (i == 0) {
            assert_ok(tide_arena_open(&next)); /* takes the cell that the dead one had */
            memset(tide_arena_allocate(&next, 64, 8), 7, 64);
        }
    }
    assert_ok(tide_arena_close(&next));
}

static void a_struct_whose_arena_was_closed_to_a_mark_is_not_alive(void **state)
{
    (void)state;
    tide_arena arena;
    tide_mark_point mark = tide_mark();
    assert_ok(tide_arena_open(&arena));
    assert_non_null(tide_arena_allocate(&arena, 8, 8));
    assert_ok(tide_close_to(mark));
    assert_false(tide_arena_is_alive(&arena));
}

static void an_arena_on_the_heap_that_was_closed_to_a_mark_can_be_deleted(void **state)
{
    (void)state;
    tide_mark_point mark = tide_mark();
    tide_arena *arena = tide_arena_new(NULL);
    assert_ok(tide_arena_attach(arena, note, context_of("h")));
    assert_ok(tide_close_to(mark));
    assert_string_equal(ran, "h");
    assert_ok(tide_arena_delete(arena));
    assert_string_equal(ran, "h");
}

static void chunks_go_back_to_the_programs_own_manager(void **state)
{
    (void)state;
    static counting_manager counting;
    counting_manager_init(&counting);
    tide_arena arena;
    tide_arena_options options = TIDE_ARENA_OPTIONS_INIT;
    options.manager = &counting.table;
    tide_mark_point mark = tide_mark();
    assert_ok(tide_arena_open_with(&arena, &options));
    assert_non_null(tide_arena_allocate(&arena, 3000, 8));
    assert_non_null(tide_arena_allocate(&arena, 300000, 8));
    assert_int_equal(counting.out, 2);
    assert_ok(tide_close_to(mark));
    assert_true(counting_manager_is_balanced(&counting));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(arenas_left_by_longjmp_are_closed, forget),
        cmocka_unit_test_setup(a_fault_handler_may_jump_out_through_open_arenas, forget),
        cmocka_unit_test_setup(nothing_to_close_is_ok, forget),
        cmocka_unit_test_setup(arenas_from_before_the_mark_stay_open, forget),
        cmocka_unit_test_setup(an_arena_opened_before_the_mark_but_first_used_after_it_stays_open,
                               forget),
        cmocka_unit_test_setup(arenas_closed_in_the_ordinary_way_are_not_closed_again, forget),
        cmocka_unit_test_setup(marks_nest, forget),
        cmocka_unit_test_setup(a_mark_can_be_closed_to_again_and_again, forget),
        cmocka_unit_test_setup(an_arena_opened_between_two_marks_survives_the_inner, forget),
        cmocka_unit_test_setup(a_reset_does_not_move_an_arena_behind_a_mark, forget),
        cmocka_unit_test_setup(an_arena_that_was_reset_is_closed_to_the_mark_before_its_opening,
                               forget),
        cmocka_unit_test_setup(cleanups_run_across_arenas_last_registered_first, forget),
        cmocka_unit_test_setup(every_cleanup_finds_the_memory_of_all_the_arenas_intact, forget),
        cmocka_unit_test_setup(every_arena_is_closed_before_the_first_cleanup_runs, forget),
        cmocka_unit_test_setup(failing_cleanups_are_counted_across_arenas_and_the_first_is_quoted,
                               forget),
        cmocka_unit_test_setup(holds_on_the_closed_arenas_end, forget),
        cmocka_unit_test_setup(another_owners_arenas_stay_open, forget),
        cmocka_unit_test_setup(an_arena_handed_over_since_the_mark_stays_open, forget),
        cmocka_unit_test_setup(a_mark_of_another_owner_is_refused, forget),
        cmocka_unit_test_setup(a_zeroed_mark_is_refused, forget),
        cmocka_unit_test_setup(a_mark_follows_its_owner_to_another_thread, forget),
        cmocka_unit_test_setup(marking_may_be_a_threads_first_call, forget),
        cmocka_unit_test_setup(a_struct_whose_arena_was_closed_to_a_mark_does_nothing_any_more,
                               forget),
        cmocka_unit_test_setup(a_struct_whose_arena_was_closed_to_a_mark_is_not_alive, forget),
        cmocka_unit_test_setup(an_arena_on_the_heap_that_was_closed_to_a_mark_can_be_deleted,
                               forget),
        cmocka_unit_test_setup(chunks_go_back_to_the_programs_own_manager, forget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
