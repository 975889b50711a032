/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared and counted arenas under fire: threads use a segment by every kind of access while another
 * closes it; handles of arenas that are gone are tried on cells that serve others by now.
 */
#include "support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define READERS 10u
#define SLOT    64u              /* bytes of the segment that one reader writes */
#define FIXED   (READERS * SLOT) /* from here on nobody writes but the opener */
#define BYTES   (FIXED + 1024u)

/* ----------------------------------------------------------------------- closing under readers */

static struct {
    pthread_barrier_t start;
    pthread_barrier_t end;
    tide_segment segment;
    uint64_t pattern;
    bool over;
} game;

typedef struct reader {
    size_t number;
    uint64_t random;
    tide_shared_arena own; /* what it copies to and compares with */
    tide_segment scratch;
} reader;

static bool is_pattern(const void *bytes)
{
    uint64_t words[4];
    memcpy(words, bytes, sizeof words);
    for (size_t i = 0; i < 4; i++) {
        if (words[i] != game.pattern)
            return false;
    }
    return true;
}

static tide_status read_fixed(const reader *self, size_t kind, size_t offset)
{
    uint64_t words[4] = {game.pattern, game.pattern, game.pattern, game.pattern};
    int64_t difference = -1;
    tide_status status = TIDE_OK;
    switch (kind) {
    case 0:
        status = tide_load_u64(&game.segment, offset, &words[0]);
        break;
    case 1:
        status = tide_segment_read(&game.segment, offset, words, sizeof words);
        break;
    case 2:
        status = tide_segment_copy(&game.segment, offset, &self->scratch, 0, sizeof words);
        if (status == TIDE_OK)
            CHECK_OK(tide_segment_read(&self->scratch, 0, words, sizeof words));
        break;
    case 3:
        CHECK_OK(tide_segment_write(&self->scratch, 0, words, sizeof words));
        status = tide_segment_mismatch(&game.segment, offset, offset + sizeof words, &self->scratch,
                                       0, sizeof words, &difference);
        CHECK(difference == -1);
        break;
    case 4:
        status = tide_atomic_try_get_u64(&game.segment, offset, &words[0]);
        break;
    default: {
        tide_hold hold;
        tide_const_span span;
        status = tide_segment_const_span(&game.segment, offset, sizeof words, 8, &hold, &span);
        if (status == TIDE_OK) {
            memcpy(words, span.address, sizeof words);
            CHECK_OK(tide_hold_release(&hold));
        }
        break;
    }
    }
    CHECK(is_pattern(words));
    return status;
}

static tide_status write_slot(const reader *self, size_t kind)
{
    tide_segment slot;
    uint64_t before;
    CHECK_OK(tide_segment_slice(&game.segment, self->number * SLOT, SLOT, &slot));
    switch (kind) {
    case 0:
        return tide_store_u32_as(&slot, 4, TIDE_BIG_ENDIAN, 7);
    case 1:
        return tide_segment_fill(&slot, 9);
    case 2:
        return tide_segment_copy(&self->scratch, 0, &slot, 0, 32);
    default:
        return tide_atomic_try_fetch_add_u64(&slot, 8, 1, &before);
    }
}

/* Until it is refused; then once more, since what is closed stays closed. */
static void use_until_closed(reader *self)
{
    tide_status status;
    do {
        size_t kind = stress_below(&self->random, 10);
        size_t offset = FIXED + 8 * stress_below(&self->random, 100);
        status = kind < 6 ? read_fixed(self, kind, offset) : write_slot(self, kind - 6);
    } while (status == TIDE_OK);
    CHECK(status == TIDE_CLOSED);
    CHECK_STATUS(TIDE_CLOSED, read_fixed(self, 0, FIXED));
    CHECK_STATUS(TIDE_CLOSED, write_slot(self, 1));
}

static void *read_games(void *argument)
{
    reader *self = (reader *)argument;
    CHECK_OK(tide_shared_open(&self->own));
    CHECK_OK(tide_shared_segment(self->own, 64, 8, &self->scratch));
    for (;;) {
        pthread_barrier_wait(&game.start);
        if (game.over)
            break;
        use_until_closed(self);
        pthread_barrier_wait(&game.end);
    }
    CHECK_OK(tide_shared_close(self->own));
    return NULL;
}

/* Nobody is inside any more: what is left is as it was, and may be overwritten. */
static const char *overwrite(void *context)
{
    char *bytes = (char *)context;
    CHECK(is_pattern(bytes + FIXED));
    memset(bytes, 0xEE, BYTES);
    return NULL;
}

static void wait_a_random_while(uint64_t *random)
{
    volatile size_t steps = stress_below(random, 3000);
    while (steps > 0)
        steps--;
}

/* BUSY while a reader holds it. */
static void close_or_release(tide_shared_arena arena, bool counted)
{
    tide_status status;
    do
        status = counted ? tide_counted_release(arena) : tide_shared_close(arena);
    while (status == TIDE_BUSY);
    CHECK(status == TIDE_OK);
}

static void play(uint64_t *random, size_t round)
{
    tide_shared_arena arena;
    bool counted = round % 3 == 2;
    CHECK_OK(counted ? tide_counted_open(&arena) : tide_shared_open(&arena));
    CHECK_OK(tide_shared_segment(arena, BYTES, 8, &game.segment));
    game.pattern = round * UINT64_C(0x9E3779B97F4A7C15);
    for (size_t i = 0; i < BYTES / 8; i++)
        tide_set_u64_at(&game.segment, i, game.pattern);
    if (round % 2 == 0)
        CHECK_OK(tide_shared_attach(arena, overwrite, tide_segment_address(&game.segment)));
    pthread_barrier_wait(&game.start);
    wait_a_random_while(random);
    close_or_release(arena, counted);
    /* The next user of the memory, while readers are still being refused. */
    CHECK_OK(tide_shared_open(&arena));
    memset(tide_shared_allocate(arena, BYTES, 8), 0xDD, BYTES);
    CHECK_OK(tide_shared_close(arena));
    pthread_barrier_wait(&game.end);
}

static void no_reader_sees_anything_but_the_truth_or_closed(void **state)
{
    (void)state;
    pthread_t threads[READERS];
    reader readers[READERS];
    uint64_t random = 77;
    pthread_barrier_init(&game.start, NULL, READERS + 1);
    pthread_barrier_init(&game.end, NULL, READERS + 1);
    game.over = false;
    for (size_t i = 0; i < READERS; i++) {
        readers[i] = (reader){.number = i, .random = 1 + i};
        threads[i] = stress_start(read_games, &readers[i]);
    }
    unsigned long rounds = stress_count(2000);
    for (size_t round = 1; round <= rounds; round++)
        play(&random, round);
    game.over = true;
    pthread_barrier_wait(&game.start);
    for (size_t i = 0; i < READERS; i++)
        stress_join(threads[i]);
    pthread_barrier_destroy(&game.start);
    pthread_barrier_destroy(&game.end);
}

/* ------------------------------------------------------------------------- stale handles */

#define THREADS 4u
#define BOARD   64u

/* Handles of arenas that are closed or soon will be; cells are reused all the time. The lock guards
 * the entries. */
static struct {
    pthread_mutex_t lock;
    tide_shared_arena entries[BOARD];
} board = {.lock = PTHREAD_MUTEX_INITIALIZER};

static tide_shared_arena from_board(size_t at, const tide_shared_arena *left)
{
    pthread_mutex_lock(&board.lock);
    tide_shared_arena found = board.entries[at];
    if (left != NULL)
        board.entries[at] = *left;
    pthread_mutex_unlock(&board.lock);
    return found;
}

static void try_stale(tide_shared_arena stale, size_t kind)
{
    tide_hold hold = {{stale.cell_, stale.epoch_}};
    void *block = NULL;
    tide_segment segment;
    (void)block;
    switch (kind) {
    case 0:
        CHECK_STATUS(TIDE_CLOSED, tide_shared_hold(stale, &hold));
        break;
    case 1:
        CHECK_STATUS(TIDE_CLOSED, tide_hold_release(&hold));
        break;
    case 2:
        CHECK_STATUS(TIDE_CLOSED, tide_counted_retain(stale));
        break;
    case 3:
        CHECK_STATUS(TIDE_CLOSED, tide_counted_release(stale));
        break;
    case 4:
        CHECK_STATUS(TIDE_CLOSED, tide_shared_segment(stale, 8, 8, &segment));
        break;
    default:
        CHECK(!tide_shared_is_alive(stale));
        break;
    }
}

/* Opens and closes arenas of its own, which nobody holds: each close is OK. */
static void *reuse_cells(void *argument)
{
    uint64_t random = (uint64_t)(uintptr_t)argument;
    unsigned long rounds = stress_count(200000);
    for (unsigned long i = 0; i < rounds; i++) {
        tide_shared_arena arena;
        CHECK_OK(tide_counted_open(&arena));
        CHECK_OK(tide_counted_retain(arena));
        for (size_t tries = 0; tries < 4; tries++) {
            tide_shared_arena stale = from_board(stress_below(&random, BOARD), NULL);
            if (stale.cell_ != NULL)
                try_stale(stale, stress_below(&random, 6));
        }
        CHECK_OK(tide_counted_release(arena));
        CHECK(tide_shared_is_alive(arena));
        CHECK_OK(tide_counted_release(arena));
        CHECK(!tide_shared_is_alive(arena));
        (void)from_board(stress_below(&random, BOARD), &arena);
    }
    return NULL;
}

static void a_stale_handle_never_touches_the_next_user_of_its_cell(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++)
        threads[i] = stress_start(reuse_cells, (void *)(uintptr_t)(i + 1));
    for (size_t i = 0; i < THREADS; i++)
        stress_join(threads[i]);
}

/* ------------------------------------------------------------------------- last releases */

static void *drop_one(void *argument)
{
    CHECK_OK(tide_counted_release(*(const tide_shared_arena *)argument));
    return NULL;
}

static const char *count_end(void *context)
{
    (void)__atomic_add_fetch((unsigned *)context, 1, __ATOMIC_RELAXED);
    return NULL;
}

static void one_of_many_last_releases_closes(void **state)
{
    (void)state;
    for (unsigned long round = 0; round < stress_count(300); round++) {
        tide_shared_arena arena;
        pthread_t threads[THREADS];
        unsigned ends = 0;
        CHECK_OK(tide_counted_open(&arena));
        CHECK_OK(tide_shared_attach(arena, count_end, &ends));
        for (size_t i = 1; i < THREADS; i++)
            CHECK_OK(tide_counted_retain(arena));
        for (size_t i = 0; i < THREADS; i++)
            threads[i] = stress_start(drop_one, &arena);
        for (size_t i = 0; i < THREADS; i++)
            stress_join(threads[i]);
        CHECK(ends == 1);
        CHECK(!tide_shared_is_alive(arena));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_reader_sees_anything_but_the_truth_or_closed),
        cmocka_unit_test(a_stale_handle_never_touches_the_next_user_of_its_cell),
        cmocka_unit_test(one_of_many_last_releases_closes),
    };
    return cmocka_run_group_tests_name("shared", tests, NULL, NULL);
}
