/* SPDX-License-Identifier: Apache-2.0 */
/* Fork: the child has the forking thread and its arenas, and everything works there. */
#include "support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "lifetime/thread.h"

#if STRESS_TSAN
/* The checker would end a child that starts threads. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "die_after_fork=0";
}
#endif

static const char *count_cleanup(void *counter)
{
    ++*(unsigned *)counter;
    return NULL;
}

static void *use_on_a_thread(void *argument)
{
    (void)argument;
    stress_use_everything();
    return NULL;
}

/* ThreadSanitizer has no threads in a child whose parent had several: it takes a new one for the
 * one that had its id before. */
static void use_on_a_thread_of_the_child(void)
{
    if (!STRESS_TSAN)
        stress_on_thread(use_on_a_thread, NULL);
}

/* --- the forking thread's own arenas --- */

#define KEPT 7u

typedef struct kept {
    tide_arena arenas[KEPT];
    tide_segment segments[KEPT];
    tide_hold hold;
    unsigned cleaned;
    tide_owner owner;
} kept;

static void open_kept(kept *all)
{
    static const size_t sizes[KEPT] = {20, 64, 100, 4000, 30, 300000, 5};
    *all = (kept){.owner = tide_owner_current()};
    for (size_t i = 0; i < KEPT; i++) {
        CHECK_OK(tide_arena_open(&all->arenas[i]));
        CHECK_OK(tide_arena_segment(&all->arenas[i], sizes[i], 8, &all->segments[i]));
        CHECK_OK(tide_segment_fill(&all->segments[i], (uint8_t)(i + 1)));
        CHECK_OK(tide_arena_attach(&all->arenas[i], count_cleanup, &all->cleaned));
    }
    CHECK_OK(tide_arena_hold(&all->arenas[1], &all->hold));
}

static void use_and_close_kept(kept *all)
{
    CHECK(tide_owner_current() == all->owner);
    CHECK_STATUS(TIDE_BUSY, tide_arena_close(&all->arenas[1]));
    CHECK_OK(tide_hold_release(&all->hold));
    for (size_t i = 0; i < KEPT; i++) {
        size_t size = tide_segment_size(&all->segments[i]);
        CHECK(tide_get_u8(&all->segments[i], size - 1) == i + 1);
        CHECK(stress_all_bytes(tide_segment_address(&all->segments[i]), size, (uint8_t)(i + 1)));
        char *more = tide_arena_allocate(&all->arenas[i], 70, 8);
        CHECK(more != NULL && stress_all_bytes(more, 70, 0));
    }
    for (size_t i = 0; i < KEPT; i++) {
        CHECK_OK(tide_arena_close(&all->arenas[i]));
        CHECK(all->cleaned == i + 1);
        CHECK_STATUS(TIDE_CLOSED, tide_segment_fill(&all->segments[i], 0));
    }
}

static void child_of_kept(void *argument)
{
    use_and_close_kept(argument);
    for (size_t i = 0; i < 20; i++)
        stress_use_everything();
    use_on_a_thread_of_the_child();
    CHECK(stress_statistics().open_arenas == 0);
}

static void a_child_keeps_the_arenas_of_the_thread_that_forked(void **state)
{
    (void)state;
    kept all;
    open_kept(&all);
    stress_in_child(child_of_kept, &all);
    use_and_close_kept(&all); /* the parent's are untouched */
}

static void *fork_on_this_thread(void *argument)
{
    a_child_keeps_the_arenas_of_the_thread_that_forked(argument);
    return NULL;
}

static void any_thread_may_fork(void **state)
{
    (void)state;
    stress_on_thread(fork_on_this_thread, NULL);
}

static void grandchild(void *argument)
{
    stress_in_child(child_of_kept, argument);
    child_of_kept(argument);
}

static void a_child_may_fork_again(void **state)
{
    (void)state;
    kept all;
    open_kept(&all);
    stress_in_child(grandchild, &all);
    use_and_close_kept(&all);
}

/* --- what the threads had that are not in the child --- */

#define OTHERS       3u
#define SIMULTANEOUS 6u

typedef struct others {
    pthread_barrier_t parked, leave;
    tide_owner fiber;
    tide_arena of_fiber; /* opened by the first of them, under the fiber's token */
    size_t cells;
} others;

static others vanished;

static void *park_with_an_arena_open(void *argument)
{
    const bool first = argument == &vanished;
    tide_arena arenas[SIMULTANEOUS];
    for (size_t i = 0; i < SIMULTANEOUS; i++) {
        CHECK_OK(tide_arena_open(&arenas[i]));
        CHECK(tide_arena_allocate(&arenas[i], 40, 8) != NULL);
    }
    for (size_t i = 1; i < SIMULTANEOUS; i++)
        CHECK_OK(tide_arena_close(&arenas[i]));
    if (first) {
        tide_owner own = tide_owner_set(vanished.fiber);
        CHECK_OK(tide_arena_open(&vanished.of_fiber));
        char *bytes = tide_arena_allocate(&vanished.of_fiber, 60, 8);
        CHECK(bytes != NULL);
        memset(bytes, 0x42, 60);
        CHECK(tide_owner_set(own) == vanished.fiber);
    }
    pthread_barrier_wait(&vanished.parked);
    pthread_barrier_wait(&vanished.leave);
    CHECK_OK(tide_arena_close(&arenas[0]));
    if (first) {
        tide_owner own = tide_owner_set(vanished.fiber);
        CHECK_OK(tide_arena_close(&vanished.of_fiber));
        CHECK(tide_owner_set(own) == vanished.fiber);
    }
    return NULL;
}

static void child_without_the_others(void *argument)
{
    (void)argument;
    tide_pool_statistics at_start = stress_statistics();
    CHECK(at_start.threads == 1);
    CHECK(at_start.lost_arenas == OTHERS);
    CHECK(at_start.open_arenas == OTHERS + 1);

    /* The fiber was no thread's own: who takes up its token has its arena. */
    tide_owner own = tide_owner_set(vanished.fiber);
    char *more = tide_arena_allocate(&vanished.of_fiber, 100, 8);
    CHECK(more != NULL && stress_all_bytes(more, 100, 0));
    CHECK_OK(tide_arena_close(&vanished.of_fiber));
    CHECK(tide_owner_set(own) == vanished.fiber);

    /* Every idle cell is this thread's to use, and clear, before a new one is made. */
    size_t idle = at_start.cells - OTHERS;
    CHECK(idle >= OTHERS * (SIMULTANEOUS - 1) + 1);
    tide_arena *arenas = calloc(idle, sizeof *arenas);
    CHECK(arenas != NULL);
    for (size_t i = 0; i < idle; i++) {
        CHECK_OK(tide_arena_open(&arenas[i]));
        char *bytes = tide_arena_allocate(&arenas[i], 64, 8);
        CHECK(bytes != NULL && stress_all_bytes(bytes, 64, 0));
        memset(bytes, 0x66, 64);
    }
    CHECK(stress_statistics().cells == at_start.cells);
    for (size_t i = 0; i < idle; i++)
        CHECK_OK(tide_arena_close(&arenas[i]));
    free(arenas);
    CHECK(stress_statistics().open_arenas == OTHERS);
    use_on_a_thread_of_the_child();
}

static void
a_child_reuses_what_vanished_threads_had_idle_and_counts_their_arenas_as_lost(void **state)
{
    (void)state;
    CHECK(pthread_barrier_init(&vanished.parked, NULL, OTHERS + 1) == 0);
    CHECK(pthread_barrier_init(&vanished.leave, NULL, OTHERS + 1) == 0);
    vanished.fiber = tide_owner_new();
    assert_int_not_equal(tide_owner_current(), 0);
    pthread_t threads[OTHERS];
    for (size_t i = 0; i < OTHERS; i++)
        threads[i] = stress_start(park_with_an_arena_open, i == 0 ? &vanished : NULL);
    pthread_barrier_wait(&vanished.parked);
    stress_in_child(child_without_the_others, NULL);
    pthread_barrier_wait(&vanished.leave);
    for (size_t i = 0; i < OTHERS; i++)
        stress_join(threads[i]);
    tide_pool_statistics after = stress_statistics();
    assert_int_equal(after.open_arenas, 0);
    assert_int_equal(after.lost_arenas, 0);
    pthread_barrier_destroy(&vanished.parked);
    pthread_barrier_destroy(&vanished.leave);
}

/* --- idle chunks of threads that are not in the child --- */

typedef struct keeper {
    pthread_barrier_t parked, leave;
    bool in_the_middle; /* of a change of its lists */
} keeper;

static void *park_with_idle_chunks(void *argument)
{
    keeper *self = argument;
    tide_arena arena;
    CHECK_OK(tide_arena_open(&arena));
    CHECK(tide_arena_allocate(&arena, 20000, 8) != NULL);
    CHECK(tide_arena_allocate(&arena, 20000, 8) != NULL);
    CHECK_OK(tide_arena_close(&arena));
    CHECK(stress_statistics().cached_chunk_bytes >= 40000);
    tide_home_thread *thread = tide_thread_current();
    thread->mutating = self->in_the_middle;
    pthread_barrier_wait(&self->parked);
    pthread_barrier_wait(&self->leave);
    thread->mutating = 0;
    return NULL;
}

static void child_of_a_keeper(void *argument)
{
    const keeper *vanished_keeper = argument;
    CHECK(stress_statistics().threads == 1);
    size_t cached = stress_statistics().cached_chunk_bytes;
    if (vanished_keeper->in_the_middle)
        CHECK(cached == 0);
    else
        CHECK(cached >= 40000 && tide_trim() == cached);
    stress_use_everything();
}

static void *fork_with_nothing_kept(void *argument)
{
    CHECK(tide_owner_current() != 0);
    stress_in_child(child_of_a_keeper, argument);
    return NULL;
}

static void child_of_a_newcomer(void *argument)
{
    (void)argument;
    CHECK(stress_statistics().threads == 0);
    stress_use_everything();
    CHECK(stress_statistics().threads == 1);
    use_on_a_thread_of_the_child();
}

static void *fork_as_a_newcomer(void *argument)
{
    stress_in_child(child_of_a_newcomer, argument);
    return NULL;
}

static void fork_beside(keeper *other, void *(*fork_it)(void *))
{
    (void)tide_trim(); /* this thread vanishes, too */
    CHECK(pthread_barrier_init(&other->parked, NULL, 2) == 0);
    CHECK(pthread_barrier_init(&other->leave, NULL, 2) == 0);
    pthread_t thread = stress_start(park_with_idle_chunks, other);
    pthread_barrier_wait(&other->parked);
    stress_on_thread(fork_it, other);
    pthread_barrier_wait(&other->leave);
    stress_join(thread);
    pthread_barrier_destroy(&other->parked);
    pthread_barrier_destroy(&other->leave);
}

static void a_child_has_the_idle_chunks_of_vanished_threads(void **state)
{
    (void)state;
    keeper other = {.in_the_middle = false};
    fork_beside(&other, fork_with_nothing_kept);
}

static void a_child_leaves_lists_alone_that_a_vanished_thread_was_changing(void **state)
{
    (void)state;
    keeper other = {.in_the_middle = true};
    fork_beside(&other, fork_with_nothing_kept);
}

static void a_thread_that_has_never_used_the_library_may_fork_beside_others_that_have(void **state)
{
    (void)state;
    keeper other = {.in_the_middle = false};
    fork_beside(&other, fork_as_a_newcomer);
}

/* --- fork in the middle of other threads' work --- */

static atomic_bool enough;

static void *allocate_without_end(void *argument)
{
    uint64_t random = (uintptr_t)argument;
    while (!atomic_load_explicit(&enough, memory_order_relaxed)) {
        tide_arena arenas[6];
        for (size_t i = 0; i < 6; i++) {
            size_t size = stress_below(&random, i == 5 ? 20000 : 90);
            CHECK_OK(tide_arena_open(&arenas[i]));
            char *bytes = tide_arena_allocate(&arenas[i], size, 8);
            CHECK(bytes != NULL && stress_all_bytes(bytes, size, 0));
            memset(bytes, 0x5A, size);
        }
        for (size_t i = 0; i < 6; i++)
            CHECK_OK(tide_arena_close(&arenas[(i * 5 + 1) % 6]));
        if (stress_below(&random, 64) == 0)
            stress_use_everything();
        if (stress_below(&random, 64) == 0)
            (void)tide_trim();
    }
    return NULL;
}

static void child_of_a_busy_process(void *argument)
{
    (void)argument;
    stress_use_everything();
    /* More arenas at once than are cached: what vanished threads had half done shows up here. */
    tide_arena arenas[200];
    for (size_t i = 0; i < 200; i++) {
        CHECK_OK(tide_arena_open(&arenas[i]));
        char *bytes = tide_arena_allocate(&arenas[i], 64, 8);
        CHECK(bytes != NULL && stress_all_bytes(bytes, 64, 0));
        memset(bytes, 0x99, 64);
    }
    for (size_t i = 0; i < 200; i++)
        CHECK_OK(tide_arena_close(&arenas[i]));
    tide_pool_statistics statistics = stress_statistics();
    CHECK(statistics.threads == 1);
    /* Not all that is open is lost: some of it was on its way to an owner that is no thread. */
    CHECK(statistics.open_arenas >= statistics.lost_arenas);
    use_on_a_thread_of_the_child();
    _exit(0); /* at once: lines that others counted during the fork don't add up */
}

static void a_process_forks_often_while_three_threads_allocate(void **state)
{
    (void)state;
    /* The sanitizers' own allocators don't survive it: a vanished thread may hold their locks. */
    if (STRESS_ASAN || STRESS_TSAN)
        skip();
    pthread_t threads[3];
    atomic_store(&enough, false);
    for (uintptr_t i = 0; i < 3; i++)
        threads[i] = stress_start(allocate_without_end, (void *)(i + 1));
    size_t forks = stress_processes(200);
    for (size_t i = 0; i < forks; i++)
        stress_in_child(child_of_a_busy_process, NULL);
    atomic_store(&enough, true);
    for (size_t i = 0; i < 3; i++)
        stress_join(threads[i]);
    assert_int_equal(stress_statistics().open_arenas, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_child_keeps_the_arenas_of_the_thread_that_forked),
        cmocka_unit_test(any_thread_may_fork),
        cmocka_unit_test(a_child_may_fork_again),
        cmocka_unit_test(
            a_child_reuses_what_vanished_threads_had_idle_and_counts_their_arenas_as_lost),
        cmocka_unit_test(a_child_has_the_idle_chunks_of_vanished_threads),
        cmocka_unit_test(a_child_leaves_lists_alone_that_a_vanished_thread_was_changing),
        cmocka_unit_test(a_thread_that_has_never_used_the_library_may_fork_beside_others_that_have),
        cmocka_unit_test(a_process_forks_often_while_three_threads_allocate),
    };
    return cmocka_run_group_tests_name("fork", tests, NULL, NULL);
}
