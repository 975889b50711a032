/* SPDX-License-Identifier: Apache-2.0 */
/* Shared arenas used by several threads at once: allocation, closing, and reading meanwhile. */
#include "test.h"

#include <sched.h>

static tide_shared_arena open_arena(void)
{
    tide_shared_arena arena;
    assert_ok(tide_shared_open(&arena));
    return arena;
}

static const char *count_one(void *counter)
{
    ++*(int *)counter;
    return NULL;
}

static void use_and_close(void *handle)
{
    tide_shared_arena arena = *(tide_shared_arena *)handle;
    assert_zeroed(tide_shared_allocate(arena, 100, 8), 100);
    assert_true(tide_shared_is_alive(arena));
    assert_ok(tide_shared_close(arena));
}

static void any_thread_allocates_and_closes(void **state)
{
    (void)state;
    int ended = 0;
    tide_shared_arena arena = open_arena();
    assert_ok(tide_shared_attach(arena, count_one, &ended));
    on_new_thread(use_and_close, &arena);
    assert_int_equal(ended, 1);
    assert_refused(TIDE_CLOSED, tide_shared_close(arena));
}

enum { CREW = 4, BLOCKS = 400 };

static struct {
    tide_shared_arena arena;
    unsigned char *blocks[CREW][BLOCKS];
    size_t ended;
    size_t closers;
} crew;

static const char *count_ended(void *unused)
{
    (void)unused;
    __atomic_add_fetch(&crew.ended, 1, __ATOMIC_RELAXED);
    return NULL;
}

static void *fill_blocks(void *argument)
{
    size_t number = (size_t)(uintptr_t)argument;
    for (size_t i = 0; i < BLOCKS; i++) {
        size_t length = 1 + i * 7 % 300;
        unsigned char *block = tide_shared_allocate(crew.arena, length, 1);
        assert_zeroed(block, length);
        memset(block, (int)(number + 1), length);
        crew.blocks[number][i] = block;
        if (i % 100 == 0)
            assert_ok(tide_shared_attach(crew.arena, count_ended, NULL));
    }
    return NULL;
}

static void run_crew(void *(*body)(void *argument))
{
    pthread_t threads[CREW];
    for (size_t i = 0; i < CREW; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, body, (void *)(uintptr_t)i), 0);
    for (size_t i = 0; i < CREW; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
}

static void threads_that_allocate_at_once_get_memory_of_their_own(void **state)
{
    (void)state;
    crew.ended = 0;
    crew.arena = open_arena();
    run_crew(fill_blocks);
    for (size_t number = 0; number < CREW; number++) {
        for (size_t i = 0; i < BLOCKS; i++)
            assert_true(all_bytes_are(crew.blocks[number][i], (int)(number + 1), 1 + i * 7 % 300));
    }
    assert_ok(tide_shared_close(crew.arena));
    assert_int_equal(crew.ended, CREW * BLOCKS / 100);
}

static void *close_at_once(void *unused)
{
    tide_status status = tide_shared_close(crew.arena);
    (void)unused;
    if (status == TIDE_OK)
        __atomic_add_fetch(&crew.closers, 1, __ATOMIC_RELAXED);
    else
        assert_int_equal(status, TIDE_CLOSED);
    return NULL;
}

static void of_closers_that_come_at_once_one_closes(void **state)
{
    (void)state;
    for (int i = 0; i < 100; i++) {
        crew.arena = open_arena();
        crew.closers = crew.ended = 0;
        assert_ok(tide_shared_attach(crew.arena, count_ended, NULL));
        run_crew(close_at_once);
        assert_int_equal(crew.closers, 1);
        assert_int_equal(crew.ended, 1);
    }
}

static tide_segment watched;

/* Every value it sees is of the one arena: the memory is not given to another under its eyes. */
static void *read_until_closed(void *unused)
{
    uint64_t value;
    tide_status status;
    (void)unused;
    while ((status = tide_load_u64(&watched, 8, &value)) == TIDE_OK)
        assert_int_equal(value, UINT64_C(0x1122334455667788));
    assert_int_equal(status, TIDE_CLOSED);
    return NULL;
}

static void a_reader_sees_its_own_arena_or_closed(void **state)
{
    (void)state;
    for (int i = 0; i < 50; i++) {
        tide_shared_arena arena = open_arena();
        pthread_t readers[2];
        assert_ok(tide_shared_segment(arena, 64, 8, &watched));
        tide_set_u64(&watched, 8, UINT64_C(0x1122334455667788));
        for (size_t j = 0; j < 2; j++)
            assert_int_equal(pthread_create(&readers[j], NULL, read_until_closed, NULL), 0);
        assert_ok(tide_shared_close(arena));
        tide_shared_arena next = open_arena();
        memset(tide_shared_allocate(next, 64, 8), 0xFF, 64);
        for (size_t j = 0; j < 2; j++)
            assert_int_equal(pthread_join(readers[j], NULL), 0);
        assert_ok(tide_shared_close(next));
    }
}

static size_t allocated;

static void *allocate_until_closed(void *unused)
{
    tide_segment segment;
    tide_status status;
    (void)unused;
    while ((status = tide_shared_segment(crew.arena, 3000, 8, &segment)) == TIDE_OK)
        __atomic_add_fetch(&allocated, 1, __ATOMIC_RELAXED);
    assert_int_equal(status, TIDE_CLOSED);
    return NULL;
}

static void a_close_in_the_middle_of_allocations_ends_them(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        pthread_t threads[2];
        allocated = 0;
        crew.arena = open_arena();
        for (size_t j = 0; j < 2; j++)
            assert_int_equal(pthread_create(&threads[j], NULL, allocate_until_closed, NULL), 0);
        while (__atomic_load_n(&allocated, __ATOMIC_RELAXED) < 5)
            sched_yield();
        assert_ok(tide_shared_close(crew.arena));
        for (size_t j = 0; j < 2; j++)
            assert_int_equal(pthread_join(threads[j], NULL), 0);
    }
}

static void *hold_until_closed(void *unused)
{
    tide_hold hold;
    tide_status status;
    (void)unused;
    while ((status = tide_shared_hold(crew.arena, &hold)) == TIDE_OK) {
        assert_true(tide_shared_is_alive(crew.arena)); /* whoever has a hold finds it open */
        assert_ok(tide_hold_release(&hold));
    }
    assert_int_equal(status, TIDE_CLOSED);
    return NULL;
}

static void a_hold_and_a_close_exclude_each_other(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        pthread_t threads[2];
        tide_status status;
        crew.arena = open_arena();
        for (size_t j = 0; j < 2; j++)
            assert_int_equal(pthread_create(&threads[j], NULL, hold_until_closed, NULL), 0);
        while ((status = tide_shared_close(crew.arena)) == TIDE_BUSY)
            sched_yield();
        assert_int_equal(status, TIDE_OK);
        for (size_t j = 0; j < 2; j++)
            assert_int_equal(pthread_join(threads[j], NULL), 0);
    }
}

static int report_at_once(void **state)
{
    (void)state;
    setenv("CMOCKA_TEST_ABORT", "1", 1); /* checks run on other threads: they must say so at once */
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_thread_allocates_and_closes),
        cmocka_unit_test(threads_that_allocate_at_once_get_memory_of_their_own),
        cmocka_unit_test(of_closers_that_come_at_once_one_closes),
        cmocka_unit_test(a_reader_sees_its_own_arena_or_closed),
        cmocka_unit_test(a_close_in_the_middle_of_allocations_ends_them),
        cmocka_unit_test(a_hold_and_a_close_exclude_each_other),
    };
    return cmocka_run_group_tests_name("shared threads", tests, report_at_once, NULL);
}
