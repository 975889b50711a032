/* SPDX-License-Identifier: Apache-2.0 */
/* Fibers that move between threads with their arenas open. Built at -O3 by both compilers: nothing
 * may keep a thread's address over a switch. */
#include "fiber.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char *count_cleanup(void *counter)
{
    ++*(unsigned *)counter;
    return NULL;
}

static void *resume_on_thread(void *argument)
{
    fiber_resume(argument);
    return NULL;
}

/* --- opened on one thread, closed on another, the first gone --- */

#define NESTED 8u

static const size_t nested_sizes[NESTED] = {20, 64, 0, 100, 3000, 30000, 200000, 8};

static void open_here_close_there(fiber *self)
{
    tide_arena arenas[NESTED];
    tide_segment segments[NESTED];
    tide_hold hold;
    unsigned cleaned = 0;
    for (size_t i = 0; i < NESTED; i++) {
        CHECK_OK(tide_arena_open(&arenas[i]));
        CHECK_OK(tide_arena_segment(&arenas[i], nested_sizes[i], 8, &segments[i]));
        CHECK_OK(tide_segment_fill(&segments[i], (uint8_t)(i + 1)));
        CHECK_OK(tide_arena_attach(&arenas[i], count_cleanup, &cleaned));
    }
    CHECK_OK(tide_arena_hold(&arenas[3], &hold));

    fiber_yield(self); /* the thread of the lines above ends */

    CHECK_STATUS(TIDE_BUSY, tide_arena_close(&arenas[3]));
    CHECK_OK(tide_hold_release(&hold));
    for (size_t i = 0; i < NESTED; i++) {
        size_t size = tide_segment_size(&segments[i]);
        CHECK(stress_all_bytes(tide_segment_address(&segments[i]), size, (uint8_t)(i + 1)));
        if (size != 0)
            CHECK(tide_get_u8(&segments[i], size - 1) == i + 1);
        char *more = tide_arena_allocate(&arenas[i], 48, 16);
        CHECK(more != NULL && stress_all_bytes(more, 48, 0));
        memset(more, 0xCC, 48);
        CHECK(stress_all_bytes(tide_segment_address(&segments[i]), size, (uint8_t)(i + 1)));
    }
    static const size_t order[NESTED] = {7, 0, 3, 1, 6, 2, 5, 4};
    for (size_t i = 0; i < NESTED; i++) {
        CHECK_OK(tide_arena_close(&arenas[order[i]]));
        CHECK(cleaned == i + 1);
        CHECK_STATUS(TIDE_CLOSED, tide_segment_fill(&segments[order[i]], 0));
    }

    fiber_yield(self); /* and so does this one */

    for (size_t i = 0; i < NESTED; i++) {
        CHECK_STATUS(TIDE_CLOSED, tide_segment_fill(&segments[i], 0));
        CHECK_OK(tide_arena_open(&arenas[i]));
        char *block = tide_arena_allocate(&arenas[i], nested_sizes[i], 8);
        CHECK(block != NULL && stress_all_bytes(block, nested_sizes[i], 0));
    }
    for (size_t i = 0; i < NESTED; i++)
        CHECK_OK(tide_arena_close(&arenas[i]));
}

static void arenas_follow_their_fiber_when_the_thread_that_opened_them_has_ended(void **state)
{
    (void)state;
    tide_pool_statistics before = stress_statistics();
    unsigned long count = stress_count(1000);
    size_t cells = 0;
    for (unsigned long i = 0; i < count; i++) {
        fiber *one = fiber_new(open_here_close_there, NULL);
        stress_on_thread(resume_on_thread, one);
        CHECK(!one->done);
        CHECK(stress_statistics().open_arenas == before.open_arenas + NESTED);
        CHECK(stress_statistics().lost_arenas == before.lost_arenas);
        stress_on_thread(resume_on_thread, one);
        CHECK(stress_statistics().open_arenas == before.open_arenas);
        stress_on_thread(resume_on_thread, one);
        CHECK(one->done);
        fiber_delete(one);
        if (i == 0)
            cells = stress_statistics().cells;
    }
    assert_int_equal(stress_statistics().cells, cells);
    assert_int_equal(stress_statistics().threads, before.threads);
}

/* --- the thread ends before it takes its own token back --- */

typedef struct moved {
    tide_owner owner;
    tide_arena arenas[3];
    tide_segment segments[3];
} moved;

static void *open_and_end_under_the_token(void *argument)
{
    moved *self = argument;
    tide_arena own;
    CHECK_OK(tide_arena_open(&own)); /* makes a home chunk */
    CHECK(tide_arena_allocate(&own, 3000, 8) != NULL);
    CHECK_OK(tide_arena_close(&own));
    CHECK(tide_owner_set(self->owner) != 0);
    for (size_t i = 0; i < 3; i++) {
        CHECK_OK(tide_arena_open(&self->arenas[i]));
        CHECK_OK(tide_arena_segment(&self->arenas[i], i == 0 ? 2000 : 32, 8, &self->segments[i]));
        CHECK_OK(tide_segment_fill(&self->segments[i], 0x55));
    }
    return NULL;
}

static void *close_under_the_token(void *argument)
{
    moved *self = argument;
    CHECK(tide_owner_set(self->owner) != 0);
    for (size_t i = 0; i < 3; i++) {
        CHECK(tide_get_u8(&self->segments[i], 31) == 0x55);
        CHECK(tide_arena_allocate(&self->arenas[i], 100, 8) != NULL);
    }
    for (size_t i = 0; i < 3; i++)
        CHECK_OK(tide_arena_close(&self->arenas[i]));
    return NULL;
}

static void a_thread_may_end_with_a_fibers_token_current(void **state)
{
    (void)state;
    tide_pool_statistics settled = {0};
    for (unsigned long i = 0; i < stress_count(500) + 2; i++) {
        moved arenas = {.owner = tide_owner_new()};
        stress_on_thread(open_and_end_under_the_token, &arenas);
        assert_int_equal(stress_statistics().lost_arenas, 0);
        stress_on_thread(close_under_the_token, &arenas);
        if (i == 1)
            settled = stress_statistics();
    }
    tide_pool_statistics after = stress_statistics();
    assert_int_equal(after.cells, settled.cells);
    assert_int_equal(after.threads, settled.threads);
    assert_int_equal(after.open_arenas, settled.open_arenas);
}

/* --- the home cell and the home chunk come back from elsewhere --- */

typedef struct relay {
    pthread_mutex_t lock; /* guards `ready` */
    pthread_cond_t changed;
    fiber *ready;
    bool ended;
} relay;

static void *close_elsewhere(void *argument)
{
    relay *self = argument;
    for (;;) {
        pthread_mutex_lock(&self->lock);
        while (self->ready == NULL && !self->ended)
            pthread_cond_wait(&self->changed, &self->lock);
        fiber *one = self->ready;
        self->ready = NULL;
        pthread_cond_signal(&self->changed);
        pthread_mutex_unlock(&self->lock);
        if (one == NULL)
            return NULL;
        fiber_resume(one);
        CHECK(one->done);
        fiber_delete(one);
    }
}

static void take_what_the_thread_has_ready(fiber *self)
{
    size_t size = *(const size_t *)self->argument;
    tide_arena arena;
    CHECK_OK(tide_arena_open(&arena));
    char *block = tide_arena_allocate(&arena, size, 8);
    CHECK(block != NULL && stress_all_bytes(block, size, 0));
    memset(block, 0x77, size);
    fiber_yield(self);
    char *more = tide_arena_allocate(&arena, size, 8);
    CHECK(more != NULL && stress_all_bytes(more, size, 0));
    memset(more, 0x77, size);
    CHECK(stress_all_bytes(block, size, 0x77));
    CHECK_OK(tide_arena_close(&arena));
}

static void a_thread_works_on_while_its_home_cell_is_closed_elsewhere(void **state)
{
    (void)state;
    static const size_t sizes[] = {20, 100, 3000, 40};
    relay between = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, false};
    pthread_t other = stress_start(close_elsewhere, &between);
    unsigned long count = stress_count(15000);
    for (unsigned long i = 0; i < count; i++) {
        size_t size = sizes[i % 4];
        fiber *one = fiber_new(take_what_the_thread_has_ready, &(size_t){size});
        fiber_resume(one);
        pthread_mutex_lock(&between.lock);
        while (between.ready != NULL)
            pthread_cond_wait(&between.changed, &between.lock);
        one->argument = NULL;
        between.ready = one;
        pthread_cond_signal(&between.changed);
        pthread_mutex_unlock(&between.lock);
        for (size_t k = 0; k < 30; k++) {
            tide_arena arena;
            CHECK_OK(tide_arena_open(&arena));
            char *block = tide_arena_allocate(&arena, size, 8);
            CHECK(block != NULL && stress_all_bytes(block, size, 0));
            memset(block, 0x33, size);
            CHECK(stress_all_bytes(block, size, 0x33));
            CHECK_OK(tide_arena_close(&arena));
        }
    }
    pthread_mutex_lock(&between.lock);
    between.ended = true;
    pthread_cond_signal(&between.changed);
    pthread_mutex_unlock(&between.lock);
    stress_join(other);
}

/* The thread's first chunk becomes its home chunk, the fiber takes that, and the thread ends. */
static void *hand_over_and_end(void *argument)
{
    fiber *_Atomic *handed = argument;
    static const size_t size = 3000;
    tide_arena arena;
    CHECK_OK(tide_arena_open(&arena));
    CHECK(tide_arena_allocate(&arena, size, 8) != NULL);
    CHECK_OK(tide_arena_close(&arena));
    fiber *one = fiber_new(take_what_the_thread_has_ready, (void *)(uintptr_t)&size);
    fiber_resume(one);
    atomic_store_explicit(handed, one, memory_order_release);
    return NULL;
}

static void a_thread_ends_while_its_home_cell_and_chunk_are_closed_elsewhere(void **state)
{
    (void)state;
    tide_pool_statistics settled = {0};
    unsigned long count = stress_count(8000);
    for (unsigned long i = 0; i < count + 10; i++) {
        fiber *_Atomic handed = NULL;
        fiber *one;
        pthread_t thread = stress_start(hand_over_and_end, &handed);
        while ((one = atomic_load_explicit(&handed, memory_order_acquire)) == NULL)
            sched_yield();
        fiber_resume(one);
        CHECK(one->done);
        fiber_delete(one);
        tide_arena arenas[3];
        for (size_t k = 0; k < 3; k++) {
            CHECK_OK(tide_arena_open(&arenas[k]));
            char *block = tide_arena_allocate(&arenas[k], 3500, 8);
            CHECK(block != NULL && stress_all_bytes(block, 3500, 0));
            memset(block, (int)(k + 1), 3500);
        }
        stress_join(thread);
        for (size_t k = 0; k < 3; k++)
            CHECK_OK(tide_arena_close(&arenas[k]));
        if (i == 9)
            settled = stress_statistics();
    }
    tide_pool_statistics after = stress_statistics();
    assert_int_equal(after.open_arenas, settled.open_arenas);
    assert_int_equal(after.threads, settled.threads);
    assert_int_equal(after.cells, settled.cells);
}

/* --- many fibers over a few threads --- */

#define FIBERS  96u
#define WORKERS 4u
#define DEPTH   6u
#define BLOCKS  12u

typedef struct block {
    unsigned char *start;
    size_t size;
} block;

/* One arena of a fiber and what the fiber knows of it. */
typedef struct pond {
    tide_arena arena;
    block blocks[BLOCKS];
    size_t count;
    tide_segment segment;
    tide_hold hold;
    bool held;
    unsigned attached;
    unsigned *cleaned;
} pond;

typedef struct hopper {
    uint64_t random;
    unsigned char colour;
    unsigned cleaned, attached;
    unsigned long steps;
    pond ponds[DEPTH];
    size_t depth;
    tide_segment stale;
} hopper;

static void pond_fill(hopper *self, pond *into)
{
    if (into->count == BLOCKS)
        return;
    size_t size = stress_below(&self->random, 50);
    size_t kind = stress_below(&self->random, 12);
    if (kind == 0)
        size = stress_below(&self->random, 100000);
    else if (kind < 4)
        size = stress_below(&self->random, 3000);
    block *made = &into->blocks[into->count++];
    made->size = size;
    if (kind % 2 == 0) {
        made->start = tide_arena_allocate(&into->arena, size, 8);
        CHECK(made->start != NULL && stress_all_bytes(made->start, size, 0));
    } else {
        made->start = tide_arena_allocate_uninitialized(&into->arena, size, 1);
        CHECK(made->start != NULL);
    }
    memset(made->start, self->colour, size);
}

static void pond_check(const hopper *self, const pond *one)
{
    for (size_t i = 0; i < one->count; i++)
        CHECK(stress_all_bytes(one->blocks[i].start, one->blocks[i].size, self->colour));
    CHECK(tide_get_u64(&one->segment, 0) == (uintptr_t)one);
}

static void pond_start(pond *one)
{
    one->count = 0;
    one->held = false;
    CHECK_OK(tide_arena_segment(&one->arena, 8, 8, &one->segment));
    CHECK(tide_get_u64(&one->segment, 0) == 0);
    tide_set_u64(&one->segment, 0, (uintptr_t)one);
}

/* Before the arena is closed or reset. */
static void pond_drain(hopper *self, pond *one)
{
    pond_check(self, one);
    if (one->held) {
        CHECK_STATUS(TIDE_BUSY, tide_arena_close(&one->arena));
        CHECK_OK(tide_hold_release(&one->hold));
    }
    self->stale = one->segment;
}

/* The step is inline in the fiber's body, between two switches. */
static inline __attribute__((always_inline)) void hop_step(hopper *self)
{
    size_t top = self->depth;
    pond *one = top == 0 ? NULL : &self->ponds[stress_below(&self->random, top)];
    size_t kind = stress_below(&self->random, 16);
    if (one == NULL || (kind < 4 && top < DEPTH)) {
        one = &self->ponds[self->depth++];
        CHECK_OK(tide_arena_open(&one->arena));
        pond_start(one);
    } else if (kind < 10) {
        pond_fill(self, one);
    } else if (kind == 10) {
        CHECK_OK(tide_arena_attach(&one->arena, count_cleanup, &self->cleaned));
        self->attached++;
    } else if (kind == 11 && !one->held) {
        CHECK_OK(tide_arena_hold(&one->arena, &one->hold));
        one->held = true;
    } else if (kind == 12) {
        pond_drain(self, one);
        CHECK_OK(tide_arena_reset(&one->arena));
        pond_start(one);
    } else if (kind == 13 && self->stale.cell_ != NULL) {
        CHECK_STATUS(TIDE_CLOSED, tide_store_u8(&self->stale, 0, 1));
    } else {
        one = &self->ponds[--self->depth];
        pond_drain(self, one);
        CHECK_OK(tide_arena_close(&one->arena));
    }
}

static void hop(fiber *self)
{
    hopper *state = self->argument;
    while (state->steps > 0) {
        state->steps--;
        hop_step(state);
        if (stress_below(&state->random, 3) != 0)
            continue;
        tide_arena over_the_switch;
        CHECK_OK(tide_arena_open(&over_the_switch));
        char *before = tide_arena_allocate(&over_the_switch, 24, 8);
        CHECK(before != NULL && stress_all_bytes(before, 24, 0));
        memset(before, state->colour, 24);
        fiber_yield(self);
        char *after = tide_arena_allocate(&over_the_switch, 24, 8);
        CHECK(after != NULL && stress_all_bytes(after, 24, 0));
        CHECK(stress_all_bytes(before, 24, state->colour));
        CHECK_OK(tide_arena_close(&over_the_switch));
    }
    while (state->depth > 0) {
        pond *one = &state->ponds[--state->depth];
        pond_drain(state, one);
        CHECK_OK(tide_arena_close(&one->arena));
        fiber_yield(self);
    }
    CHECK(state->cleaned == state->attached);
}

/* Fibers that wait for a thread. */
typedef struct scheduler {
    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t changed;
    fiber *waiting[FIBERS];
    size_t count;
    size_t unfinished;
    uint64_t random;
} scheduler;

static fiber *scheduler_take(scheduler *from)
{
    fiber *taken = NULL;
    pthread_mutex_lock(&from->lock);
    while (from->count == 0 && from->unfinished > 0)
        pthread_cond_wait(&from->changed, &from->lock);
    if (from->count > 0) {
        size_t place = stress_below(&from->random, from->count);
        taken = from->waiting[place];
        from->waiting[place] = from->waiting[--from->count];
    }
    pthread_mutex_unlock(&from->lock);
    return taken;
}

static void scheduler_give(scheduler *to, fiber *one)
{
    pthread_mutex_lock(&to->lock);
    if (one->done)
        to->unfinished--;
    else
        to->waiting[to->count++] = one;
    pthread_cond_broadcast(&to->changed);
    pthread_mutex_unlock(&to->lock);
}

/* A thread that runs fibers for a while, has arenas of its own, and ends with others in its cells.
 */
static void *run_fibers(void *argument)
{
    scheduler *from = argument;
    for (size_t turns = 0; turns < 300; turns++) {
        fiber *one = scheduler_take(from);
        if (one == NULL)
            break;
        tide_arena own;
        CHECK_OK(tide_arena_open(&own));
        size_t size = turns % 3 == 0 ? 200 : 16;
        char *bytes = tide_arena_allocate(&own, size, 8);
        CHECK(bytes != NULL && stress_all_bytes(bytes, size, 0));
        memset(bytes, 0xFF, size);
        fiber_resume(one);
        CHECK(stress_all_bytes(bytes, size, 0xFF));
        CHECK_OK(tide_arena_close(&own));
        scheduler_give(from, one);
    }
    return NULL;
}

static void fibers_hop_over_a_few_threads_with_nested_arenas(void **state)
{
    (void)state;
    static hopper hoppers[FIBERS];
    tide_pool_statistics before = stress_statistics();
    scheduler fibers = {.lock = PTHREAD_MUTEX_INITIALIZER,
                        .changed = PTHREAD_COND_INITIALIZER,
                        .unfinished = FIBERS,
                        .random = 362436069};
    fiber *all[FIBERS];
    for (size_t i = 0; i < FIBERS; i++) {
        hoppers[i] = (hopper){
            .random = 521288629 + i, .colour = (unsigned char)(i + 1), .steps = stress_count(6000)};
        all[i] = fiber_new(hop, &hoppers[i]);
        fibers.waiting[fibers.count++] = all[i];
    }
    pthread_t threads[WORKERS];
    for (size_t i = 0; i < WORKERS; i++)
        threads[i] = stress_start(run_fibers, &fibers);
    for (size_t turn = 0;; turn = (turn + 1) % WORKERS) {
        stress_join(threads[turn]);
        pthread_mutex_lock(&fibers.lock);
        bool finished = fibers.unfinished == 0;
        pthread_mutex_unlock(&fibers.lock);
        if (finished) {
            for (size_t i = 1; i < WORKERS; i++)
                stress_join(threads[(turn + i) % WORKERS]);
            break;
        }
        threads[turn] = stress_start(run_fibers, &fibers);
    }
    for (size_t i = 0; i < FIBERS; i++)
        fiber_delete(all[i]);
    tide_pool_statistics after = stress_statistics();
    assert_int_equal(after.open_arenas, before.open_arenas);
    assert_int_equal(after.lost_arenas, before.lost_arenas);
    assert_int_equal(after.threads, before.threads);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arenas_follow_their_fiber_when_the_thread_that_opened_them_has_ended),
        cmocka_unit_test(a_thread_may_end_with_a_fibers_token_current),
        cmocka_unit_test(a_thread_works_on_while_its_home_cell_is_closed_elsewhere),
        cmocka_unit_test(a_thread_ends_while_its_home_cell_and_chunk_are_closed_elsewhere),
        cmocka_unit_test(fibers_hop_over_a_few_threads_with_nested_arenas),
    };
    return cmocka_run_group_tests_name("fibers", tests, NULL, NULL);
}
