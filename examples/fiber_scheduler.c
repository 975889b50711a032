/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fibers that move between threads, and take their arenas along. Each fiber is an owner; the
 * scheduler makes a fiber's token current when it switches to it, and that is all there is to it.
 *
 * Each round is a thread of its own, which runs every fiber for one step and ends. So a fiber goes
 * on on a new thread after each step, with its arena open all the time.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <tidepool/tidepool.h>
#include <ucontext.h>

enum { FIBERS = 4, STEPS = 6, STACK = 64 * 1024 };

typedef struct fiber {
    ucontext_t context;
    tide_owner owner;
    int number;
    bool done;
    bool good;
    _Alignas(16) char stack[STACK];
} fiber;

static fiber fibers[FIBERS];
static ucontext_t worker; /* where the running fiber goes back to; one thread runs at a time */
static fiber *running;

static void yield(void)
{
    swapcontext(&running->context, &worker);
}

/* What a fiber does: a line that grows by a word a step, in an arena of its own. */
static void live(void)
{
    fiber *self = running;
    tide_arena arena;
    tide_segment total;
    char *line = NULL;
    if (tide_arena_open(&arena) == TIDE_OK &&
        tide_arena_segment(&arena, sizeof(uint64_t), 8, &total) == TIDE_OK)
        line = tide_arena_printf(&arena, "fiber %d:", self->number);

    for (int step = 1; step <= STEPS && line != NULL; step++) {
        yield(); /* and go on on the next thread */
        line = tide_arena_printf(&arena, "%s %d", line, step * self->number);
        tide_set_u64(&total, 0, tide_get_u64(&total, 0) + (uint64_t)(step * self->number));
    }

    if (line != NULL) {
        puts(line);
        self->good = tide_get_u64(&total, 0) == 21 * (uint64_t)self->number &&
                     tide_arena_close(&arena) == TIDE_OK;
    }
    self->done = true;
    yield();
}

/* Every fiber that is not done runs for one step, here. */
static void *run_a_round(void *unused)
{
    (void)unused;
    for (int i = 0; i < FIBERS; i++) {
        if (fibers[i].done)
            continue;
        running = &fibers[i];
        tide_owner before = tide_owner_set(running->owner);
        swapcontext(&worker, &running->context);
        tide_owner_set(before);
    }
    return NULL;
}

static bool create(fiber *born, int number)
{
    born->number = number;
    born->owner = tide_owner_new();
    if (getcontext(&born->context) != 0)
        return false;
    born->context.uc_stack.ss_sp = born->stack;
    born->context.uc_stack.ss_size = STACK;
    makecontext(&born->context, live, 0);
    return true;
}

int main(void)
{
    for (int i = 0; i < FIBERS; i++)
        if (!create(&fibers[i], i + 1))
            return 1;

    for (int round = 0; round <= STEPS; round++) {
        pthread_t thread; /* a new one each round: the one before has ended, its fibers live on */
        if (pthread_create(&thread, NULL, run_a_round, NULL) != 0 ||
            pthread_join(thread, NULL) != 0)
            return 1;
    }

    for (int i = 0; i < FIBERS; i++)
        if (!fibers[i].done || !fibers[i].good)
            return 1;
    return 0;
}
