/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `access`: one checked get per element against the same loop over a raw pointer. The build turns
 * vectorisation off for this file: a sum over raw memory would be vectorised, which says what the
 * checks prevent and nothing of what one check costs. Integers, since a sum of doubles waits for
 * its own additions and would hide the checks.
 */
#include "access.h"

#include <tidepool/tidepool.h>

#include "loops.h"

#define ELEMENTS 4096u /* 16 KiB of values and 8 KiB of indexes: both in a cache of 32 KiB */

static tide_arena arena;
static tide_segment values;
static uint16_t indexes[ELEMENTS];

static bool ready;

static void prepare(void)
{
    if (ready)
        return;
    ready = true;
    if (tide_arena_open(&arena) != TIDE_OK ||
        tide_arena_segment(&arena, ELEMENTS * sizeof(int32_t), 64, &values) != TIDE_OK)
        bench_refused();
    for (size_t i = 0; i < ELEMENTS; i++) {
        tide_set_i32_at(&values, i, (int32_t)(i * 7 % 1000));
        indexes[i] = (uint16_t)i;
    }
    uint32_t state = 12345; /* a fixed shuffle: every run reads in the same order */
    for (size_t i = ELEMENTS - 1; i > 0; i--) {
        state = state * 1664525u + 1013904223u;
        size_t other = (state >> 8) % (i + 1);
        uint16_t kept = indexes[i];
        indexes[i] = indexes[other];
        indexes[other] = kept;
    }
}

/* An arena that stayed open would have the pool and the chunk that the thread keeps ready. */
void bench_access_finish(void)
{
    if (ready && tide_arena_close(&arena) != TIDE_OK)
        bench_refused();
    ready = false;
}

static void consume(uint32_t sum)
{
    __asm__ volatile("" : : "r"(sum) : "memory");
}

typedef void (*bench_pass)(size_t elements);

static void run_passes(bench_pass pass, size_t count)
{
    prepare();
    while (count > 0) {
        size_t elements = count < ELEMENTS ? count : ELEMENTS;
        pass(elements);
        count -= elements;
    }
}

static __attribute__((noinline)) void checked_sequential(size_t elements)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < elements; i++)
        sum += (uint32_t)tide_get_i32_at(&values, i);
    consume(sum);
}

static __attribute__((noinline)) void checked_random(size_t elements)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < elements; i++)
        sum += (uint32_t)tide_get_i32_at(&values, indexes[i]);
    consume(sum);
}

static __attribute__((noinline)) void raw_sequential(size_t elements)
{
    const int32_t *raw = tide_segment_address(&values);
    uint32_t sum = 0;
    for (size_t i = 0; i < elements; i++)
        sum += (uint32_t)raw[i];
    consume(sum);
}

static __attribute__((noinline)) void raw_random(size_t elements)
{
    const int32_t *raw = tide_segment_address(&values);
    uint32_t sum = 0;
    for (size_t i = 0; i < elements; i++)
        sum += (uint32_t)raw[indexes[i]];
    consume(sum);
}

void bench_checked_sequential(size_t count)
{
    run_passes(checked_sequential, count);
}

void bench_checked_random(size_t count)
{
    run_passes(checked_random, count);
}

static void bench_raw_sequential(size_t count)
{
    run_passes(raw_sequential, count);
}

static void bench_raw_random(size_t count)
{
    run_passes(raw_random, count);
}

const bench_loops bench_raw = {
    .name = "raw",
    .sequential = bench_raw_sequential,
    .random = bench_raw_random,
    .finish = bench_access_finish,
};
