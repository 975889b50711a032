/* SPDX-License-Identifier: Apache-2.0 */
/* Stale references under reuse: cells and pools go from arena to arena and from thread to thread,
 * and no segment of an arena that is gone ever gets through again. */
#include "support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <tidepool/detail/layout.h>

#define THREADS 4u
#define NESTING 6u
#define RING    64u
#define BOARD   256u

/* A segment whose arena is closed, and who made it. */
typedef struct reference {
    tide_segment segment;
    tide_owner maker;
    tide_status last; /* what it got last from the holder of this reference */
} reference;

/* Where threads leave references for each other. The lock guards the entries. */
static struct {
    pthread_mutex_t lock;
    reference entries[BOARD];
    size_t filled;
} board = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* What DESIGN's rule says at rest: the cell remembers who took it last and since which epoch. */
static tide_status status_at_rest(const tide_segment *segment, tide_owner self)
{
    uint64_t made = segment->epoch_ & ~UINT64_C(1);
    if (made < segment->cell_->since)
        return TIDE_CLOSED;
    return segment->cell_->owner == self ? TIDE_CLOSED : TIDE_WRONG_OWNER;
}

/* One access through a stale segment, of a kind chosen by `kind`; `live` is the caller's own. */
static tide_status try_stale(const tide_segment *stale, const tide_segment *live, size_t kind)
{
    uint64_t word = UINT64_C(0xDEADDEADDEADDEAD);
    int64_t difference;
    tide_hold hold;
    tide_segment made;
    switch (kind) {
    case 0:
        return tide_load_u64_as(stale, 0, TIDE_UNALIGNED, &word);
    case 1:
        return tide_store_u64_as(stale, 0, TIDE_UNALIGNED, word);
    case 2:
        return tide_store_u8(stale, 0, 0xEE);
    case 3:
        return tide_segment_read(stale, 0, &word, sizeof word);
    case 4:
        return tide_segment_write(stale, 0, &word, sizeof word);
    case 5:
        return tide_segment_fill(stale, 0xEE);
    case 6:
        return tide_segment_copy(stale, 0, live, 0, 8);
    case 7:
        return tide_segment_copy(live, 0, stale, 0, 8);
    case 8:
        return tide_segment_mismatch(stale, 0, 8, live, 0, 8, &difference);
    case 9:
        return tide_scope_hold(tide_segment_scope(stale), &hold);
    default:
        return tide_segment_resize(stale, 1, &made);
    }
}

#define STALE_KINDS 11u

static void try_own(const reference *own, const tide_segment *live, uint64_t *random)
{
    CHECK_STATUS(TIDE_CLOSED, try_stale(&own->segment, live, stress_below(random, STALE_KINDS)));
    CHECK(!tide_scope_is_alive(tide_segment_scope(&own->segment)));
}

/* Another thread may take the cell at this moment; but once it is CLOSED, it is for ever. */
static void try_foreign(reference *foreign, const tide_segment *live, tide_owner self,
                        uint64_t *random)
{
    tide_status status = try_stale(&foreign->segment, live, stress_below(random, STALE_KINDS));
    if (foreign->maker == self || foreign->last == TIDE_CLOSED)
        CHECK_STATUS(TIDE_CLOSED, status);
    else if (status != TIDE_WRONG_OWNER)
        CHECK_STATUS(TIDE_CLOSED, status);
    foreign->last = status;
    CHECK(!tide_scope_is_alive(tide_segment_scope(&foreign->segment)));
}

static void swap_with_board(const reference *own, reference *foreign, uint64_t *random)
{
    CHECK(pthread_mutex_lock(&board.lock) == 0);
    size_t place = stress_below(random, BOARD);
    if (place >= board.filled)
        place = board.filled < BOARD ? board.filled++ : place;
    reference taken = board.entries[place];
    board.entries[place] = *own;
    CHECK(pthread_mutex_unlock(&board.lock) == 0);
    if (taken.maker != 0) {
        *foreign = taken;
        foreign->last = TIDE_WRONG_OWNER;
    }
}

typedef struct worker {
    uint64_t random;
    unsigned long rounds;
    unsigned long arenas, tries;
    reference own[RING];
    reference foreign[RING];
    size_t own_count;
} worker;

static void one_round(worker *self, tide_owner token)
{
    tide_arena arenas[NESTING];
    tide_segment live[NESTING];
    bool open[NESTING];
    size_t depth = 1 + stress_below(&self->random, NESTING);
    for (size_t i = 0; i < depth; i++) {
        size_t size = 8 + stress_below(&self->random, 57);
        if (stress_below(&self->random, 8) == 0)
            size = 8 + stress_below(&self->random, 6000);
        CHECK_OK(tide_arena_open(&arenas[i]));
        CHECK_OK(tide_arena_segment(&arenas[i], size, 8, &live[i]));
        CHECK(tide_get_u64(&live[i], 0) == 0);
        tide_set_u64(&live[i], 0, (uintptr_t)&live[i]);
        open[i] = true;
    }
    for (size_t i = 0; i < 4 && i < self->own_count; i++)
        try_own(&self->own[stress_below(&self->random, RING) % self->own_count], &live[0],
                &self->random);
    for (size_t i = 0; i < 4; i++) {
        reference *foreign = &self->foreign[stress_below(&self->random, RING)];
        if (foreign->maker != 0)
            try_foreign(foreign, &live[0], token, &self->random);
    }
    tide_set_u64(&live[0], 0, (uintptr_t)&live[0]); /* the copies wrote nothing, but may one day */
    for (size_t left = depth; left > 0;) {
        size_t i = stress_below(&self->random, depth);
        if (!open[i])
            continue;
        CHECK(tide_get_u64(&live[i], 0) == (uintptr_t)&live[i]);
        CHECK_OK(tide_arena_close(&arenas[i]));
        open[i] = false;
        left--;
        reference gone = {live[i], token, TIDE_CLOSED};
        self->own[self->own_count < RING ? self->own_count++ : stress_below(&self->random, RING)] =
            gone;
        if (stress_below(&self->random, 16) == 0)
            swap_with_board(&gone, &self->foreign[stress_below(&self->random, RING)],
                            &self->random);
    }
    self->arenas += depth;
    self->tries += 8;
}

static void *churn(void *argument)
{
    worker *self = argument;
    tide_owner token = tide_owner_current();
    /* What the thread before had in hand is another owner's now. */
    for (size_t i = 0; i < self->own_count; i++) {
        self->foreign[i] = self->own[i];
        self->foreign[i].last = TIDE_WRONG_OWNER;
    }
    self->own_count = 0;
    for (unsigned long i = 0; i < self->rounds; i++)
        one_round(self, token);
    return NULL;
}

static void millions_of_arenas_let_no_stale_segment_through(void **state)
{
    (void)state;
    enum { GENERATIONS = 8 };
    worker *workers = calloc(THREADS, sizeof *workers);
    assert_non_null(workers);
    for (size_t i = 0; i < THREADS; i++) {
        workers[i].random = 88172645463325252u + i;
        workers[i].rounds = stress_count(100000);
    }
    for (size_t generation = 0; generation < GENERATIONS; generation++) {
        pthread_t threads[THREADS];
        for (size_t i = 0; i < THREADS; i++)
            threads[i] = stress_start(churn, &workers[i]);
        for (size_t i = 0; i < THREADS; i++)
            stress_join(threads[i]);
    }
    unsigned long arenas = 0, tries = 0;
    for (size_t i = 0; i < THREADS; i++) {
        arenas += workers[i].arenas;
        tries += workers[i].tries;
    }
    print_message("%lu arenas, %lu stale accesses\n", arenas, tries);
    assert_true(arenas >= workers[0].rounds * THREADS * GENERATIONS);

    /* Now that nobody works, the answer is exact. */
    tide_arena arena;
    tide_segment live;
    CHECK_OK(tide_arena_open(&arena));
    CHECK_OK(tide_arena_segment(&arena, 64, 8, &live));
    assert_true(board.filled > 0);
    for (size_t i = 0; i < board.filled; i++) {
        const tide_segment *stale = &board.entries[i].segment;
        tide_status expected = status_at_rest(stale, tide_owner_current());
        for (size_t kind = 0; kind < STALE_KINDS; kind++)
            CHECK_STATUS(expected, try_stale(stale, &live, kind));
    }
    CHECK_OK(tide_arena_close(&arena));
    free(workers);
}

/* One thread after the other has the same cell. */

static void *make_stale(void *argument)
{
    reference *made = argument;
    tide_arena arena;
    made->maker = tide_owner_current();
    CHECK_OK(tide_arena_open(&arena));
    CHECK_OK(tide_arena_segment(&arena, 40, 8, &made->segment));
    CHECK_OK(tide_arena_close(&arena));
    CHECK_STATUS(TIDE_CLOSED, tide_store_u8(&made->segment, 0, 1));
    return NULL;
}

typedef struct successor {
    const reference *stale;
    pthread_barrier_t has_the_cell, was_looked_at;
} successor;

/* Opens arenas until one has the stale segment's cell, and keeps it while others look. */
static void *take_the_cell(void *argument)
{
    enum { ARENAS = 1024 };
    successor *self = argument;
    tide_arena *arenas = calloc(ARENAS, sizeof *arenas);
    CHECK(arenas != NULL);
    size_t count = 0;
    tide_segment live;
    do {
        CHECK(count < ARENAS);
        CHECK_OK(tide_arena_open(&arenas[count]));
        CHECK_OK(tide_arena_segment(&arenas[count], 40, 8, &live));
        count++;
    } while (live.cell_ != self->stale->segment.cell_);
    CHECK_STATUS(TIDE_CLOSED, tide_store_u8(&self->stale->segment, 0, 1));
    pthread_barrier_wait(&self->has_the_cell);
    pthread_barrier_wait(&self->was_looked_at);
    CHECK(stress_all_bytes(tide_segment_address(&live), 40, 0));
    for (size_t i = 0; i < count; i++)
        CHECK_OK(tide_arena_close(&arenas[i]));
    CHECK_STATUS(TIDE_CLOSED, tide_store_u8(&self->stale->segment, 0, 1));
    free(arenas);
    return NULL;
}

static void *expect_closed(void *argument)
{
    CHECK_STATUS(TIDE_CLOSED, tide_store_u8(&((reference *)argument)->segment, 0, 1));
    return NULL;
}

static void a_stale_segment_is_a_strangers_until_its_cell_has_a_new_owner(void **state)
{
    (void)state;
    reference stale;
    stress_on_thread(make_stale, &stale);
    CHECK_STATUS(TIDE_WRONG_OWNER, tide_store_u8(&stale.segment, 0, 1));

    successor next = {.stale = &stale};
    CHECK(pthread_barrier_init(&next.has_the_cell, NULL, 2) == 0);
    CHECK(pthread_barrier_init(&next.was_looked_at, NULL, 2) == 0);
    pthread_t thread = stress_start(take_the_cell, &next);
    pthread_barrier_wait(&next.has_the_cell);
    CHECK_STATUS(TIDE_CLOSED, tide_store_u8(&stale.segment, 0, 1));
    tide_owner own = tide_owner_set(stale.maker); /* the owner that made it, on another thread */
    CHECK_STATUS(TIDE_CLOSED, tide_store_u8(&stale.segment, 0, 1));
    CHECK(tide_owner_set(own) == stale.maker);
    stress_on_thread(expect_closed, &stale);
    assert_false(tide_segment_is_accessible_by(&stale.segment, own));
    assert_false(tide_segment_is_accessible_by(&stale.segment, stale.maker));
    pthread_barrier_wait(&next.was_looked_at);
    stress_join(thread);
    CHECK_STATUS(TIDE_CLOSED, tide_store_u8(&stale.segment, 0, 1));
    stress_on_thread(expect_closed, &stale);
    pthread_barrier_destroy(&next.has_the_cell);
    pthread_barrier_destroy(&next.was_looked_at);
}

/* The same cell and the same owner, epoch after epoch. */
static void the_same_pool_reused_a_million_times_never_revives_the_first_segment(void **state)
{
    (void)state;
    tide_arena arena;
    tide_segment first, live;
    CHECK_OK(tide_arena_open(&arena));
    CHECK_OK(tide_arena_segment(&arena, 8, 8, &first));
    CHECK_OK(tide_arena_close(&arena));
    unsigned long count = stress_count(1000000);
    for (unsigned long i = 0; i < count; i++) {
        CHECK_OK(tide_arena_open(&arena));
        CHECK_OK(tide_arena_segment(&arena, 8, 8, &live));
        CHECK(live.cell_ == first.cell_);
        CHECK_STATUS(TIDE_CLOSED, tide_store_u64(&first, 0, 1));
        CHECK(tide_get_u64(&live, 0) == 0);
        CHECK_OK(tide_arena_close(&arena));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stale_segment_is_a_strangers_until_its_cell_has_a_new_owner),
        cmocka_unit_test(the_same_pool_reused_a_million_times_never_revives_the_first_segment),
        cmocka_unit_test(millions_of_arenas_let_no_stale_segment_through),
    };
    return cmocka_run_group_tests_name("stale references", tests, NULL, NULL);
}
