/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The 1st, 2nd, … n-th allocation fails, for every function of arenas, scopes, segments and owners
 * that may need memory, until the function needs no more. A function that fails leaves the arena as
 * it was; it is called again with memory to be had and must succeed.
 *
 * Each attempt runs on a thread of its own, which has nothing ready, while no idle cell is left.
 */
#include "test.h"

#include "failing.h"

/* ------------------------------------------------------------------------------- attempts */

/* What a function did. */
typedef enum outcome { DONE, OUT_OF_MEMORY, WRONG } outcome;

static outcome by_status(tide_status status)
{
    return status == TIDE_OK ? DONE : status == TIDE_OUT_OF_MEMORY ? OUT_OF_MEMORY : WRONG;
}

static outcome by_success(bool success)
{
    return success ? DONE : tide_last_error() == TIDE_OUT_OF_MEMORY ? OUT_OF_MEMORY : WRONG;
}

/* One function under test. `prepare` runs before memory fails, `undo` after it has succeeded. */
typedef struct operation {
    const char *name;
    void (*prepare)(void);
    outcome (*attempt)(void);
    void (*unchanged)(void); /* asserts that a failed attempt has changed nothing */
    void (*undo)(void);
} operation;

static tide_arena arena;
static tide_arena *heap_arena;
static tide_segment segment;
static tide_hold hold;
static unsigned char *block;
static int cleanups_run;
static char outside[16];

static const char *count_run(void *context)
{
    (void)context;
    cleanups_run++;
    return NULL;
}

static void nothing(void)
{
}

/* An arena that has taken nothing. */
static void open_empty(void)
{
    assert_ok(tide_arena_open(&arena));
    segment = canary_segment();
    cleanups_run = 0;
}

static void still_empty(void)
{
    assert_true(tide_arena_is_alive(&arena));
    assert_int_equal(tide_arena_used(&arena), 0);
    assert_true(is_canary(&segment));
}

static void close_it(void)
{
    assert_ok(tide_arena_close(&arena));
}

/* An arena whose pool is full, with one cleanup. */
static void open_full(void)
{
    open_empty();
    block = (unsigned char *)tide_arena_allocate(&arena, 64, 8);
    memset(block, 7, 64);
    assert_ok(tide_arena_attach(&arena, count_run, NULL));
}

static void still_full(void)
{
    assert_true(tide_arena_is_alive(&arena));
    assert_int_equal(tide_arena_used(&arena), 64);
    assert_true(all_bytes_are(block, 7, 64));
    assert_true(is_canary(&segment));
}

static void close_full(void)
{
    assert_true(all_bytes_are(block, 7, 64));
    assert_ok(tide_arena_close(&arena));
    assert_int_equal(cleanups_run, 1);
}

/* ------------------------------------------------------------------------------- operations */

static outcome current_owner(void)
{
    return by_success(tide_owner_current() != 0);
}

static tide_owner a_token, token_before;

static void make_token(void)
{
    a_token = tide_owner_new();
}

static outcome set_owner(void)
{
    token_before = tide_owner_set(a_token);
    return by_success(token_before != 0);
}

static void set_owner_back(void)
{
    assert_int_equal(tide_owner_set(token_before), a_token);
}

static outcome open_it(void)
{
    return by_status(tide_arena_open(&arena));
}

static outcome open_with_options(void)
{
    tide_arena_options options = TIDE_ARENA_OPTIONS_INIT;
    options.name = "options";
    options.zero = TIDE_ZERO_WIPE;
    return by_status(tide_arena_open_with(&arena, &options));
}

static outcome make_heap_arena(void)
{
    heap_arena = tide_arena_new(NULL);
    return by_success(heap_arena != NULL);
}

static outcome make_heap_arena_with_options(void)
{
    tide_arena_options options = TIDE_ARENA_OPTIONS_INIT;
    options.name = "options";
    heap_arena = tide_arena_new(&options);
    return by_success(heap_arena != NULL);
}

static void delete_heap_arena(void)
{
    assert_ok(tide_arena_delete(heap_arena));
}

static outcome open_and_allocate(void)
{
    return by_success(tide_arena_open_allocate(&arena, 500, 8) != NULL);
}

static outcome allocate_small(void)
{
    unsigned char *small = (unsigned char *)tide_arena_allocate(&arena, 8, 8);
    assert_true(small == NULL || all_bytes_are(small, 0, 8));
    return by_success(small != NULL);
}

static outcome allocate_large(void)
{
    unsigned char *large = (unsigned char *)tide_arena_allocate(&arena, 3000, 8);
    assert_true(large == NULL || all_bytes_are(large, 0, 3000));
    return by_success(large != NULL);
}

static outcome allocate_huge(void)
{
    return by_success(tide_arena_allocate(&arena, 300000, 4096) != NULL);
}

static outcome allocate_uninitialized(void)
{
    return by_success(tide_arena_allocate_uninitialized(&arena, 3000, 8) != NULL);
}

static outcome make_segment(void)
{
    return by_status(tide_arena_segment(&arena, 3000, 8, &segment));
}

static outcome make_segment_uninitialized(void)
{
    return by_status(tide_arena_segment_uninitialized(&arena, 3000, 8, &segment));
}

static outcome allocate_array(void)
{
    return by_success(tide_arena_allocate_array(&arena, 100, 30, 8) != NULL);
}

static outcome duplicate_string(void)
{
    static char text[1000];
    memset(text, 'x', sizeof text - 1);
    return by_success(tide_arena_strdup(&arena, text) != NULL);
}

static outcome duplicate_part_of_string(void)
{
    static char text[1000];
    memset(text, 'x', sizeof text - 1);
    return by_success(tide_arena_strndup(&arena, text, 500) != NULL);
}

static outcome duplicate_memory(void)
{
    static const char bytes[1000] = {0};
    return by_success(tide_arena_memdup(&arena, bytes, sizeof bytes, 16) != NULL);
}

static outcome print(void)
{
    return by_success(tide_arena_printf(&arena, "%01000d", 1) != NULL);
}

static TIDE_PRINTF(1, 2) outcome print_list(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = tide_arena_vprintf(&arena, format, arguments);
    va_end(arguments);
    return by_success(text != NULL);
}

static outcome print_through_list(void)
{
    return print_list("%01000d|%s", 1, "end");
}

static outcome attach_cleanup(void)
{
    return by_status(tide_arena_attach(&arena, count_run, NULL));
}

static void close_and_expect_one_cleanup(void)
{
    assert_ok(tide_arena_close(&arena));
    assert_int_equal(cleanups_run, 1);
}

static void open_full_without_cleanup(void)
{
    open_empty();
    block = (unsigned char *)tide_arena_allocate(&arena, 64, 8);
    memset(block, 7, 64);
}

static outcome attach_segment(void)
{
    const tide_segment bare = tide_segment_of_address(outside);
    return by_status(tide_segment_attach(&bare, sizeof outside, &arena, count_run, NULL, &segment));
}

static outcome attach_segment_without_cleanup(void)
{
    const tide_segment bare = tide_segment_of_address(outside);
    return by_status(tide_segment_attach(&bare, sizeof outside, &arena, NULL, NULL, &segment));
}

static outcome take_scope(void)
{
    return by_success(tide_arena_scope(&arena).cell_ != NULL);
}

static outcome take_hold(void)
{
    return by_status(tide_arena_hold(&arena, &hold));
}

static void release_hold_and_close(void)
{
    assert_ok(tide_hold_release(&hold));
    assert_ok(tide_arena_close(&arena));
}

static outcome hand_over(void)
{
    make_token();
    return by_status(tide_arena_hand_over(&arena, a_token));
}

static void close_as_heir(void)
{
    token_before = tide_owner_set(a_token);
    assert_ok(tide_arena_close(&arena));
    tide_owner_set(token_before);
}

static tide_mark_point mark;

static outcome set_mark(void)
{
    mark = tide_mark();
    static const tide_mark_point none = {0};
    return by_success(memcmp(&mark, &none, sizeof none) != 0);
}

static void zeroed_mark_is_refused(void)
{
    assert_status(TIDE_INVALID_ARGUMENT, tide_close_to(mark));
}

static void close_to_mark(void)
{
    assert_ok(tide_close_to(mark));
}

static void open_since_mark(void)
{
    mark = tide_mark();
    open_full();
    assert_non_null(tide_arena_allocate(&arena, 3000, 8));
}

static void marked_still_open(void)
{
    assert_int_equal(cleanups_run, 0);
}

static outcome close_to(void)
{
    return by_status(tide_close_to(mark));
}

static void one_cleanup_has_run(void)
{
    assert_int_equal(cleanups_run, 1);
}

static void open_with_chunk(void)
{
    open_full_without_cleanup();
    assert_non_null(tide_arena_allocate(&arena, 3000, 8));
}

static void still_with_chunk(void)
{
    assert_true(tide_arena_is_alive(&arena));
    assert_int_equal(tide_arena_used(&arena), 3064);
}

static outcome reset(void)
{
    return by_status(tide_arena_reset(&arena));
}

static outcome close_chunk(void)
{
    return by_status(tide_arena_close(&arena));
}

static outcome get_statistics(void)
{
    tide_pool_statistics statistics = {.struct_size = sizeof statistics};
    return by_status(tide_pool_statistics_get(&statistics));
}

static const operation operations[] = {
    {"owner_current", nothing, current_owner, nothing, nothing},
    {"owner_set", make_token, set_owner, nothing, set_owner_back},
    {"open", nothing, open_it, nothing, close_it},
    {"open_with", nothing, open_with_options, nothing, close_it},
    {"new", nothing, make_heap_arena, nothing, delete_heap_arena},
    {"new with options", nothing, make_heap_arena_with_options, nothing, delete_heap_arena},
    {"open_allocate", nothing, open_and_allocate, nothing, close_it},
    {"allocate small", open_empty, allocate_small, still_empty, close_it},
    {"allocate large", open_empty, allocate_large, still_empty, close_it},
    {"allocate huge", open_empty, allocate_huge, still_empty, close_it},
    {"allocate small, pool full", open_full, allocate_small, still_full, close_full},
    {"allocate large, pool full", open_full, allocate_large, still_full, close_full},
    {"allocate huge, pool full", open_full, allocate_huge, still_full, close_full},
    {"allocate_uninitialized", open_empty, allocate_uninitialized, still_empty, close_it},
    {"allocate_uninitialized, full", open_full, allocate_uninitialized, still_full, close_full},
    {"segment", open_empty, make_segment, still_empty, close_it},
    {"segment, pool full", open_full, make_segment, still_full, close_full},
    {"segment_uninitialized", open_empty, make_segment_uninitialized, still_empty, close_it},
    {"allocate_array", open_full, allocate_array, still_full, close_full},
    {"strdup", open_full, duplicate_string, still_full, close_full},
    {"strndup", open_full, duplicate_part_of_string, still_full, close_full},
    {"memdup", open_full, duplicate_memory, still_full, close_full},
    {"printf", open_full, print, still_full, close_full},
    {"vprintf", open_full, print_through_list, still_full, close_full},
    {"printf, empty", open_empty, print, still_empty, close_it},
    {"attach", open_empty, attach_cleanup, still_empty, close_and_expect_one_cleanup},
    {"attach, full", open_full_without_cleanup, attach_cleanup, still_full,
     close_and_expect_one_cleanup},
    {"segment_attach", open_empty, attach_segment, still_empty, close_and_expect_one_cleanup},
    {"segment_attach, no cleanup", open_empty, attach_segment_without_cleanup, still_empty,
     close_it},
    {"scope", open_empty, take_scope, still_empty, close_it},
    {"hold", open_empty, take_hold, still_empty, release_hold_and_close},
    {"hand_over", open_empty, hand_over, still_empty, close_as_heir},
    {"mark", nothing, set_mark, zeroed_mark_is_refused, close_to_mark},
    {"close_to", open_since_mark, close_to, marked_still_open, one_cleanup_has_run},
    {"reset", open_with_chunk, reset, still_with_chunk, close_it},
    {"close", open_with_chunk, close_chunk, still_with_chunk, nothing},
    {"statistics", nothing, get_statistics, nothing, nothing},
};

/* ------------------------------------------------------------------------------- the loop */

typedef struct try_out {
    const operation *tested;
    long n;
    bool once;
    long failures; /* that were injected */
    outcome result;
} try_out;

/* Opens arenas until every cell of the process is taken, so that the next one must be made. They
 * stay open: what is made at once grows, and so does the ballast. */
static void use_up_idle_cells(void)
{
    static tide_arena ballast[1 << 18];
    static size_t count;
    tide_pool_statistics now = {.struct_size = sizeof now};
    assert_ok(tide_pool_statistics_get(&now));
    for (size_t idle = now.cells - now.open_arenas; idle > 0; idle--) {
        assert_true(count < COUNT_OF(ballast));
        assert_ok(tide_arena_open(&ballast[count]));
        assert_non_null(tide_arena_allocate(&ballast[count], 8, 8));
        count++;
    }
    assert_ok(tide_pool_statistics_get(&now));
    assert_int_equal(now.cells, now.open_arenas);
}

static void try_on_this_thread(void *context)
{
    try_out *it = (try_out *)context;
    const operation *tested = it->tested;
    tested->prepare();
    if (it->once)
        failing_only(it->n);
    else
        failing_from(it->n);
    it->result = tested->attempt();
    it->failures = failing_stop();
    if (it->result == OUT_OF_MEMORY) {
        assert_int_equal(tide_last_error(), TIDE_OUT_OF_MEMORY);
        assert_true(tide_last_error_text()[0] != '\0');
        tested->unchanged();
        assert_int_equal(tested->attempt(), DONE);
    }
    tested->undo();
}

static void try_every_n(const operation *tested, bool once)
{
    for (long n = 0;; n++) {
        try_out it = {.tested = tested, .n = n, .once = once};
        use_up_idle_cells();
        on_new_thread(try_on_this_thread, &it);
        if (it.result == WRONG || (it.failures == 0 && it.result != DONE) || n > 100) {
            print_error("%s, allocation %ld fails%s: outcome %d after %ld failures\n", tested->name,
                        n, once ? " alone" : " and all behind it", (int)it.result, it.failures);
            fail();
        }
        if (it.failures == 0)
            break;
    }
}

static int report_at_once(void **state)
{
    (void)state;
    setenv("CMOCKA_TEST_ABORT", "1", 1); /* checks run on other threads: they must say so at once */
    return 0;
}

static void every_allocation_may_fail_and_all_behind_it(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(operations); i++)
        try_every_n(&operations[i], false);
}

static void every_allocation_may_fail_alone(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(operations); i++)
        try_every_n(&operations[i], true);
}

/* ------------------------------------------------------------------------------- first use */

static void use_without_memory(void *context)
{
    (void)context;
    tide_arena first;
    memset(&first, 0x5A, sizeof first);
    failing_from(0);
    tide_status opened = tide_arena_open(&first);
    tide_owner owner = tide_owner_current();
    failing_stop();
    if (opened == TIDE_OUT_OF_MEMORY) {
        assert_true(all_bytes_are(&first, 0x5A, sizeof first));
        assert_int_equal(owner, 0);
    }
    assert_ok(tide_arena_open(&first)); /* and the thread is as good as new */
    assert_zeroed(tide_arena_allocate(&first, 64, 8), 64);
    assert_ok(tide_arena_close(&first));
    assert_true(tide_owner_current() != 0);
}

static void a_thread_whose_first_call_found_no_memory_may_try_again(void **state)
{
    (void)state;
    for (int i = 0; i < 50; i++)
        on_new_thread(use_without_memory, NULL);
}

static void work_in_what_is_ready(void *context)
{
    (void)context;
    tide_arena ready;
    for (int round = 0; round < 3; round++) {
        failing_from(round == 0 ? 1000000 : 0);
        assert_ok(tide_arena_open(&ready));
        assert_zeroed(tide_arena_allocate(&ready, 64, 8), 64);
        assert_zeroed(tide_arena_allocate(&ready, 1000, 8), 1000);
        assert_ok(tide_arena_close(&ready));
        assert_int_equal(failing_stop(), 0);
    }
}

static void a_thread_that_has_worked_once_needs_no_memory_for_the_same_again(void **state)
{
    (void)state;
    on_new_thread(work_in_what_is_ready, NULL);
}

static void get_exact_size(void *context)
{
    (void)context;
    assert_ok(tide_arena_open(&arena));
    assert_non_null(tide_arena_allocate(&arena, 8, 8));
    failing_only(0);
    unsigned char *exact = (unsigned char *)tide_arena_allocate(&arena, 3000, 8);
    assert_int_equal(failing_stop(), 1);
    assert_non_null(exact);
    assert_zeroed(exact, 3000);
    assert_ok(tide_arena_close(&arena));
}

static void where_a_chunk_cannot_be_had_the_exact_size_is_tried(void **state)
{
    (void)state;
    on_new_thread(get_exact_size, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_may_fail_and_all_behind_it),
        cmocka_unit_test(every_allocation_may_fail_alone),
        cmocka_unit_test(a_thread_whose_first_call_found_no_memory_may_try_again),
        cmocka_unit_test(a_thread_that_has_worked_once_needs_no_memory_for_the_same_again),
        cmocka_unit_test(where_a_chunk_cannot_be_had_the_exact_size_is_tried),
    };
    return cmocka_run_group_tests(tests, report_at_once, NULL);
}
