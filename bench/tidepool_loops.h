/* SPDX-License-Identifier: Apache-2.0 */
/* tidepool's loops, compiled twice: inlined (tidepool.c), and with prototypes only, so that every
 * step is a call of an exported function (exported.c). */
#include <string.h>

#include <tidepool/tidepool.h>

#include "loops.h"

static inline __attribute__((always_inline)) void open_arena(tide_arena *arena)
{
    if (tide_arena_open(arena) != TIDE_OK)
        bench_refused();
    bench_escape(arena);
}

static inline __attribute__((always_inline)) void close_arena(tide_arena *arena)
{
    if (tide_arena_close(arena) != TIDE_OK)
        bench_refused();
}

static void empty(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        tide_arena arena;
        open_arena(&arena);
        close_arena(&arena);
    }
}

static void zeroed(size_t size, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        tide_arena arena;
        open_arena(&arena);
        bench_touch(tide_arena_allocate(&arena, size, BENCH_ALIGNMENT));
        close_arena(&arena);
    }
}

static void uninitialized(size_t size, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        tide_arena arena;
        open_arena(&arena);
        bench_touch(tide_arena_allocate_uninitialized(&arena, size, BENCH_ALIGNMENT));
        close_arena(&arena);
    }
}

static void nested(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        tide_arena arenas[BENCH_NEST_DEPTH];
        for (size_t depth = 0; depth < BENCH_NEST_DEPTH; depth++) {
            open_arena(&arenas[depth]);
            for (size_t block = 0; block < BENCH_NEST_BLOCKS; block++)
                bench_touch(tide_arena_allocate(&arenas[depth], sizeof(long), sizeof(long)));
        }
        for (size_t depth = BENCH_NEST_DEPTH; depth-- > 0;)
            close_arena(&arenas[depth]);
    }
}

static void string(const char *text, size_t size, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        tide_arena arena;
        open_arena(&arena);
        char *copy = tide_arena_allocate_uninitialized(&arena, size, 1);
        if (copy == NULL)
            bench_refused();
        memcpy(copy, text, size);
        if (bench_string_length(copy) != size - 1)
            bench_refused();
        close_arena(&arena);
    }
}
