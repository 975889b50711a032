/* SPDX-License-Identifier: Apache-2.0 */
/* Grace periods: who is waited for, what waits, how much of it, and what the statistics say. */
#include "test.h"

#include <sched.h>

#include "base/os.h"
#include "child.h"
#include "lifetime/grace.h"

static tide_grace_statistics figures(void)
{
    tide_grace_statistics statistics = {.struct_size = sizeof statistics};
    assert_ok(tide_grace_statistics_get(&statistics));
    return statistics;
}

static tide_shared_arena open_arena(void)
{
    tide_shared_arena arena;
    assert_ok(tide_shared_open(&arena));
    return arena;
}

static void retire_some(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        tide_shared_arena arena = open_arena();
        assert_non_null(tide_shared_allocate(arena, 1000, 8));
        assert_ok(tide_shared_close(arena));
    }
}

static void open_and_leave(void *unused)
{
    (void)unused;
    tide_owner_current();
    retire_some(3);
}

static const char *count_one(void *counter)
{
    __atomic_add_fetch((int *)counter, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

static int load(const int *counter)
{
    return __atomic_load_n(counter, __ATOMIC_SEQ_CST);
}

/* ------------------------------------------------------------------------------- a reader */

/* A thread that stays in the middle of a checked access until it is told to leave. */
typedef struct reader_thread {
    pthread_t thread;
    tide_segment segment;
    uint64_t number; /* of the thread, in the system */
    int inside;
    int leave;
} reader_thread;

static void *read_for_long(void *argument)
{
    reader_thread *self = (reader_thread *)argument;
    tide_section section;
    assert_ok(tide_section_open(&self->segment, "read", &section));
    self->number = tide_os_thread_number();
    __atomic_store_n(&self->inside, 1, __ATOMIC_SEQ_CST);
    while (load(&self->leave) == 0)
        sched_yield();
    /* What it reads is what was there when it began. */
    assert_int_equal(*(const uint64_t *)tide_segment_address(&self->segment),
                     UINT64_C(0x1122334455667788));
    tide_section_close(&section);
    return NULL;
}

static void start_reader(reader_thread *self, tide_shared_arena arena)
{
    *self = (reader_thread){.number = 0};
    assert_ok(tide_shared_segment(arena, 64, 8, &self->segment));
    tide_set_u64(&self->segment, 0, UINT64_C(0x1122334455667788));
    assert_int_equal(pthread_create(&self->thread, NULL, read_for_long, self), 0);
    while (load(&self->inside) == 0)
        sched_yield();
}

static void stop_reader(reader_thread *self)
{
    __atomic_store_n(&self->leave, 1, __ATOMIC_SEQ_CST);
    assert_int_equal(pthread_join(self->thread, NULL), 0);
}

/* A thread that closes, and says when it is back. */
typedef struct closer_thread {
    pthread_t thread;
    tide_shared_arena arena;
    tide_status (*close)(tide_shared_arena *arena);
    tide_status status;
    int back;
} closer_thread;

static void *close_it(void *argument)
{
    closer_thread *self = (closer_thread *)argument;
    self->status = self->close(&self->arena);
    __atomic_store_n(&self->back, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

static void start_closer(closer_thread *self, tide_shared_arena arena,
                         tide_status (*close)(tide_shared_arena *arena))
{
    *self = (closer_thread){.arena = arena, .close = close};
    assert_int_equal(pthread_create(&self->thread, NULL, close_it, self), 0);
}

static tide_status by_close(tide_shared_arena *arena)
{
    return tide_shared_close(*arena);
}

static tide_status by_release(tide_shared_arena *arena)
{
    return tide_counted_release(*arena);
}

/* Until somebody waits for one of these threads, by what the statistics say. */
static void wait_until_stuck(uint64_t number, uint64_t or_number)
{
    tide_grace_statistics now;
    do {
        sched_yield();
        now = figures();
    } while (now.stuck_thread != number && now.stuck_thread != or_number);
    assert_true(now.closers >= 1);
}

/* ------------------------------------------------------------------------------- waiting */

static void
an_end_waits_for_the_reader_before_cleanups_run(tide_shared_arena arena,
                                                tide_status (*close)(tide_shared_arena *))
{
    int ended = 0;
    reader_thread reader;
    closer_thread closer;
    uint64_t value;
    uint64_t before = figures().periods;
    assert_ok(tide_shared_attach(arena, count_one, &ended));
    start_reader(&reader, arena);
    start_closer(&closer, arena, close);
    wait_until_stuck(reader.number, reader.number);
    assert_int_equal(load(&ended), 0);
    assert_int_equal(load(&closer.back), 0);
    assert_false(tide_shared_is_alive(arena)); /* to everyone who comes now */
    assert_refused(TIDE_CLOSED, tide_load_u64(&reader.segment, 0, &value));
    assert_refused(TIDE_CLOSED, tide_shared_attach(arena, count_one, &ended));
    stop_reader(&reader);
    assert_int_equal(pthread_join(closer.thread, NULL), 0);
    assert_int_equal(closer.status, TIDE_OK);
    assert_int_equal(ended, 1);
    assert_true(figures().periods > before);
    assert_int_equal(figures().closers, 0);
    assert_int_equal(figures().stuck_thread, 0);
}

static void a_close_with_cleanups_waits_for_the_reader_and_names_it(void **state)
{
    (void)state;
    an_end_waits_for_the_reader_before_cleanups_run(open_arena(), by_close);
}

static void the_last_release_with_cleanups_waits_too(void **state)
{
    (void)state;
    tide_shared_arena arena;
    assert_ok(tide_counted_open(&arena));
    an_end_waits_for_the_reader_before_cleanups_run(arena, by_release);
}

static void a_reset_waits_for_the_reader(void **state)
{
    (void)state;
    reader_thread reader;
    closer_thread closer;
    tide_shared_arena arena = open_arena();
    start_reader(&reader, arena);
    start_closer(&closer, arena, tide_shared_reset);
    wait_until_stuck(reader.number, reader.number);
    assert_int_equal(load(&closer.back), 0);
    assert_false(tide_shared_is_alive(arena));
    stop_reader(&reader);
    assert_int_equal(pthread_join(closer.thread, NULL), 0);
    assert_int_equal(closer.status, TIDE_OK);
    assert_true(tide_shared_is_alive(closer.arena));
    assert_ok(tide_shared_close(closer.arena));
}

static void a_wiping_close_waits_for_the_reader(void **state)
{
    (void)state;
    reader_thread reader;
    closer_thread closer;
    tide_shared_arena arena;
    tide_arena_options options = TIDE_ARENA_OPTIONS_INIT;
    options.zero = TIDE_ZERO_WIPE;
    assert_ok(tide_shared_open_with(&arena, &options));
    start_reader(&reader, arena);
    start_closer(&closer, arena, by_close);
    wait_until_stuck(reader.number, reader.number);
    assert_int_equal(load(&closer.back), 0);
    stop_reader(&reader);
    assert_int_equal(pthread_join(closer.thread, NULL), 0);
    assert_int_equal(closer.status, TIDE_OK);
}

static void a_close_without_cleanups_leaves_the_memory_to_the_reader(void **state)
{
    (void)state;
    reader_thread reader;
    (void)tide_trim();
    tide_shared_arena open = open_arena(); /* so that no close is the last one */
    tide_shared_arena arena = open_arena();
    start_reader(&reader, arena);
    tide_grace_statistics before = figures();
    assert_ok(tide_shared_close(arena)); /* at once */
    tide_grace_statistics after = figures();
    assert_int_equal(after.retired_arenas, before.retired_arenas + 1);
    assert_true(after.retired_bytes >= before.retired_bytes + 64);
    for (int i = 0; i < 20; i++) { /* nobody gets it meanwhile; the reader checks its bytes */
        tide_shared_arena next = open_arena();
        memset(tide_shared_allocate(next, 64, 8), 0xFF, 64);
        assert_ok(tide_shared_close(next));
    }
    stop_reader(&reader);
    assert_ok(tide_shared_close(open));
}

static void a_reader_of_another_arena_that_began_later_is_not_waited_for(void **state)
{
    (void)state;
    reader_thread early, late;
    closer_thread closer;
    int ended = 0;
    tide_shared_arena arena = open_arena();
    tide_shared_arena other = open_arena();
    assert_ok(tide_shared_attach(arena, count_one, &ended));
    start_reader(&early, arena);
    start_closer(&closer, arena, by_close);
    wait_until_stuck(early.number, early.number);
    start_reader(&late, other); /* in a section that began after the close */
    stop_reader(&early);
    assert_int_equal(pthread_join(closer.thread, NULL), 0);
    assert_int_equal(ended, 1);
    stop_reader(&late);
    assert_ok(tide_shared_close(other));
}

static void whoever_is_waited_for_is_named_as_long_as_it_lasts(void **state)
{
    (void)state;
    reader_thread first, second;
    closer_thread closer;
    int ended = 0;
    tide_shared_arena arena = open_arena();
    assert_ok(tide_shared_attach(arena, count_one, &ended));
    start_reader(&first, arena);
    start_reader(&second, arena);
    start_closer(&closer, arena, by_close);
    wait_until_stuck(first.number, second.number);
    bool is_first = figures().stuck_thread == first.number;
    stop_reader(is_first ? &first : &second);
    uint64_t left = is_first ? second.number : first.number;
    wait_until_stuck(left, left);
    on_new_thread(open_and_leave, NULL); /* waits for it too, but not for long */
    wait_until_stuck(left, left);
    stop_reader(is_first ? &second : &first);
    assert_int_equal(pthread_join(closer.thread, NULL), 0);
    assert_int_equal(ended, 1);
}

/* ------------------------------------------------------------------------------- own section */

static void an_end_inside_the_callers_own_access_is_busy(void **state)
{
    (void)state;
    tide_section section;
    tide_segment segment;
    tide_hold hold;
    int ended = 0;
    tide_shared_arena shared = open_arena();
    tide_shared_arena counted, closed = open_arena();
    assert_ok(tide_shared_close(closed));
    assert_ok(tide_counted_open(&counted));
    assert_ok(tide_shared_attach(shared, count_one, &ended));
    assert_ok(tide_shared_attach(counted, count_one, &ended));
    assert_ok(tide_shared_segment(shared, 8, 8, &segment));
    assert_false(tide_section_is_inside());
    assert_ok(tide_section_open(&segment, "read", &section));
    assert_true(tide_section_is_inside());

    assert_refused(TIDE_BUSY, tide_shared_close(shared));
    assert_refused(TIDE_BUSY, tide_shared_reset(&shared));
    assert_refused(TIDE_CLOSED, tide_shared_close(closed));
    assert_ok(tide_counted_retain(counted));
    assert_ok(tide_counted_release(counted)); /* not the last one: why not */
    assert_refused(TIDE_BUSY, tide_counted_release(counted));
    assert_ok(tide_shared_hold(counted, &hold));
    assert_ok(tide_counted_release(counted));
    assert_refused(TIDE_BUSY, tide_hold_release(&hold));
    assert_true(tide_shared_is_alive(shared));
    assert_true(tide_shared_is_alive(counted));
    assert_int_equal(ended, 0);

    tide_section_close(&section);
    assert_false(tide_section_is_inside());
    assert_ok(tide_shared_close(shared));
    assert_ok(tide_hold_release(&hold)); /* nothing had been dropped */
    assert_int_equal(ended, 2);
}

static void a_nested_access_ends_with_the_outermost(void **state)
{
    (void)state;
    tide_section outer, inner;
    tide_segment segment;
    tide_shared_arena arena = open_arena();
    assert_ok(tide_shared_segment(arena, 8, 8, &segment));
    assert_ok(tide_section_open(&segment, "read", &outer));
    assert_ok(tide_section_open(&segment, "read", &inner));
    tide_set_u64(&segment, 0, 5); /* a nested one of the inlined kind */
    assert_true(tide_section_is_inside());
    tide_section_close(&inner);
    assert_true(tide_section_is_inside());
    assert_refused(TIDE_BUSY, tide_shared_close(arena));
    tide_section_close(&outer);
    assert_false(tide_section_is_inside());
    assert_ok(tide_shared_close(arena));
    assert_refused(TIDE_CLOSED, tide_section_open(&segment, "read", &outer));
    assert_false(tide_section_is_inside());
}

/* ------------------------------------------------------------------------------- retired memory */

static void a_trim_gives_back_what_closed_arenas_left(void **state)
{
    (void)state;
    tide_shared_arena open = open_arena(); /* so that no close is the last one */
    (void)tide_trim();
    retire_some(10);
    tide_shared_arena large = open_arena();
    assert_non_null(tide_shared_allocate(large, 100000, 8));
    assert_ok(tide_shared_close(large));
    tide_grace_statistics before = figures();
    assert_int_equal(before.retired_arenas + before.ready_arenas, 11);
    assert_true(before.retired_bytes + before.ready_bytes >= 110000);
    assert_true(tide_trim() >= 110000);
    tide_grace_statistics after = figures();
    assert_int_equal(after.retired_arenas + after.ready_arenas, 0);
    assert_int_equal(after.retired_bytes + after.ready_bytes, 0);
    assert_ok(tide_shared_close(open));
}

/* Chunks that a reset kept are the arena's memory, too. */
static void every_chunk_of_a_closed_arena_is_counted(void **state)
{
    (void)state;
    tide_shared_arena open = open_arena(); /* so that no close is the last one */
    tide_shared_arena arena = open_arena();
    (void)tide_trim();
    for (int i = 0; i < 3; i++)
        assert_non_null(tide_shared_allocate(arena, 60000, 8));
    assert_ok(tide_shared_reset(&arena));
    assert_ok(tide_shared_close(arena));
    tide_grace_statistics now = figures();
    assert_true(now.retired_bytes + now.ready_bytes >= 180000);
    assert_true(tide_trim() >= 180000);
    assert_ok(tide_shared_close(open));
}

static void the_end_of_a_thread_gives_it_back_too(void **state)
{
    (void)state;
    retire_some(10);
    on_new_thread(open_and_leave, NULL);
    tide_grace_statistics after = figures();
    assert_int_equal(after.retired_arenas + after.ready_arenas, 0);
    assert_int_equal(after.retired_bytes + after.ready_bytes, 0);
}

static void the_end_of_a_thread_waits_for_no_reader(void **state)
{
    (void)state;
    reader_thread reader;
    tide_shared_arena arena = open_arena();
    start_reader(&reader, arena);
    assert_ok(tide_shared_close(arena));
    on_new_thread(open_and_leave, NULL); /* the reader stays: it must come back all the same */
    assert_true(figures().retired_arenas >= 1);
    stop_reader(&reader);
}

static void a_trim_waits_for_no_reader(void **state)
{
    (void)state;
    reader_thread reader;
    tide_shared_arena arena = open_arena();
    start_reader(&reader, arena);
    assert_ok(tide_shared_close(arena));
    (void)tide_trim(); /* the reader stays: it must come back all the same */
    assert_true(figures().retired_arenas >= 1);
    stop_reader(&reader);
    (void)tide_trim();
    assert_int_equal(figures().retired_arenas, 0);
}

/* Manager callbacks may call anything: a trim, and closes of other arenas. */
static size_t trims;

static void *allocate_plainly(void *context, size_t size, size_t alignment, unsigned request)
{
    (void)context;
    return tide_manager_allocate(tide_manager_system(), size, alignment, request);
}

static tide_status free_and_trim(void *context, void *block, size_t size, size_t alignment)
{
    (void)context;
    tide_status status = tide_manager_free(tide_manager_system(), block, size, alignment);
    retire_some(1);
    (void)tide_trim();
    trims++;
    return status;
}

static void a_manager_may_trim_while_it_gets_memory_back(void **state)
{
    (void)state;
    static const tide_manager manager = {.struct_size = sizeof manager,
                                         .name = "trimming",
                                         .allocate = allocate_plainly,
                                         .free = free_and_trim};
    tide_arena_options options = TIDE_ARENA_OPTIONS_INIT;
    options.manager = &manager;
    for (int i = 0; i < 5; i++) {
        tide_shared_arena arena;
        assert_ok(tide_shared_open_with(&arena, &options));
        assert_non_null(tide_shared_allocate(arena, 100, 8));
        assert_ok(tide_shared_close(arena));
    }
    (void)tide_trim();
    assert_int_equal(trims, 5);
}

/* ------------------------------------------------------------------------------- statistics */

static void statistics_need_a_place_of_known_size(void **state)
{
    (void)state;
    assert_refused(TIDE_INVALID_ARGUMENT, tide_grace_statistics_get(NULL));
    const size_t sizes[] = {0, 8, sizeof(tide_grace_statistics) - 1,
                            sizeof(tide_grace_statistics) + 8, SIZE_MAX};
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        tide_grace_statistics statistics = {.struct_size = sizes[i], .periods = 77};
        assert_refused(TIDE_INVALID_ARGUMENT, tide_grace_statistics_get(&statistics));
        assert_int_equal(statistics.periods, 77);
    }
}

static void the_barrier_is_named(void **state)
{
    (void)state;
    const char *wanted = getenv("TIDEPOOL_BARRIER");
    tide_grace_statistics now = figures();
    assert_int_equal(now.struct_size, sizeof now);
    if (wanted != NULL && strcmp(wanted, "fences") == 0)
        assert_string_equal(now.barrier, "fences");
    else
        assert_true(strcmp(now.barrier, "membarrier") == 0 || strcmp(now.barrier, "fences") == 0);
}

/* ------------------------------------------------------------------------------- the bounds */

/* What waits or is kept ready never exceeds either bound, whatever is closed. */
static int be_child(const char *bounds)
{
    unsigned long blocks, bytes;
    setenv("CMOCKA_TEST_ABORT", "1", 1); /* a check that fails says so at once */
    if (sscanf(bounds, "%lu,%lu", &blocks, &bytes) != 2)
        return 99;
    static const size_t lengths[] = {0, 10, 1000, 1024, 3000, 70000, 0, 2000000, 5};
    for (size_t round = 0; round < 5; round++) {
        for (size_t i = 0; i < COUNT_OF(lengths); i++) {
            tide_shared_arena arena = open_arena();
            unsigned char *block = tide_shared_allocate(arena, lengths[i], 8);
            assert_zeroed(block, lengths[i]);
            memset(block, 0xFF, lengths[i]);
            if (i % 2 == 1)
                assert_non_null(tide_shared_allocate(arena, 1500, 8));
            assert_ok(tide_shared_close(arena));
            tide_grace_statistics now = figures();
            assert_true(now.retired_arenas + now.ready_arenas <= blocks);
            assert_true(now.retired_bytes + now.ready_bytes <= bytes);
        }
        assert_ok(tide_shared_close(open_arena())); /* one that never had memory */
    }
    printf("periods: %d\n", figures().periods != 0);
    fflush(stdout);
    return 0;
}

static child_result run_with_bounds(const char *blocks, const char *bytes)
{
    char knobs[2][64], barrier[64], both[64];
    const char *wanted = getenv("TIDEPOOL_BARRIER"); /* the child starts with a clean environment */
    snprintf(knobs[0], sizeof knobs[0], "TIDEPOOL_RETIRE_BLOCKS=%s", blocks);
    snprintf(knobs[1], sizeof knobs[1], "TIDEPOOL_RETIRE_BYTES=%s", bytes);
    snprintf(barrier, sizeof barrier, "TIDEPOOL_BARRIER=%s",
             wanted != NULL ? wanted : "membarrier");
    snprintf(both, sizeof both, "%s,%s", blocks, bytes);
    return child_run("--child", both, (const char *const[]){knobs[0], knobs[1], barrier, NULL});
}

static void what_waits_keeps_to_the_bounds(void **state)
{
    (void)state;
    static const char *const bounds[][2] = {
        {"0", "0"},     {"0", "1048576"},    {"1", "1048576"},
        {"1024", "0"},  {"2", "4096"},       {"1024", "1"},
        {"3", "65536"}, {"1024", "1048576"}, {"1048576", "1073741824"},
    };
    for (size_t i = 0; i < COUNT_OF(bounds); i++) {
        child_result result = run_with_bounds(bounds[i][0], bounds[i][1]);
        if (!child_exited(&result, 0))
            print_error("%s blocks, %s bytes:\n%s", bounds[i][0], bounds[i][1], result.error);
        assert_true(child_exited(&result, 0));
        assert_string_equal(result.error, "");
        if (strcmp(bounds[i][0], "0") == 0) /* each close waits for its own */
            assert_string_equal(result.output, "periods: 1\n");
    }
}

int main(int count, char **arguments)
{
    if (count == 3 && strcmp(arguments[1], "--child") == 0)
        return be_child(arguments[2]);
    setenv("CMOCKA_TEST_ABORT", "1", 1); /* checks run on other threads: they must say so at once */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_close_with_cleanups_waits_for_the_reader_and_names_it),
        cmocka_unit_test(the_last_release_with_cleanups_waits_too),
        cmocka_unit_test(a_reset_waits_for_the_reader),
        cmocka_unit_test(a_wiping_close_waits_for_the_reader),
        cmocka_unit_test(a_close_without_cleanups_leaves_the_memory_to_the_reader),
        cmocka_unit_test(a_reader_of_another_arena_that_began_later_is_not_waited_for),
        cmocka_unit_test(an_end_inside_the_callers_own_access_is_busy),
        cmocka_unit_test(a_nested_access_ends_with_the_outermost),
        cmocka_unit_test(statistics_need_a_place_of_known_size),
        cmocka_unit_test(the_barrier_is_named),
        cmocka_unit_test(what_waits_keeps_to_the_bounds),
        cmocka_unit_test(the_end_of_a_thread_gives_it_back_too),
        cmocka_unit_test(the_end_of_a_thread_waits_for_no_reader),
        cmocka_unit_test(a_trim_gives_back_what_closed_arenas_left),
        cmocka_unit_test(a_trim_waits_for_no_reader),
        cmocka_unit_test(every_chunk_of_a_closed_arena_is_counted),
        cmocka_unit_test(whoever_is_waited_for_is_named_as_long_as_it_lasts),
        cmocka_unit_test(a_manager_may_trim_while_it_gets_memory_back),
    };
    return cmocka_run_group_tests_name("grace", tests, NULL, NULL);
}
