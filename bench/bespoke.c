/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `bespoke-pool` and `bespoke-clearing`: what a C programmer writes by hand when malloc is too
 * slow. A thread-local stack of bytes: a lifetime notes where it is, and its end goes back there.
 * It knows no owner, no stale pointer and no fallback: whoever asks for more than there is gets
 * NULL. The clearing one zeroes what was used when a lifetime ends, so that every block starts
 * zeroed, as tidepool's do.
 */
#include <string.h>

#include "loops.h"

#define STACK_BYTES ((size_t)128 * 1024)

static _Thread_local struct {
    size_t used;
    _Alignas(64) char bytes[STACK_BYTES];
} stack;

static inline __attribute__((always_inline)) void *take(size_t size, size_t alignment)
{
    size_t start = (stack.used + alignment - 1) & ~(alignment - 1);
    if (size > STACK_BYTES - start)
        return NULL;
    stack.used = start + size;
    return stack.bytes + start;
}

static inline __attribute__((always_inline)) void release(size_t mark, bool clearing)
{
    if (clearing)
        memset(stack.bytes + mark, 0, stack.used - mark);
    stack.used = mark;
}

static inline __attribute__((always_inline)) void one(size_t size, size_t count, bool clearing)
{
    for (size_t i = 0; i < count; i++) {
        size_t mark = stack.used;
        bench_touch(take(size, BENCH_ALIGNMENT));
        release(mark, clearing);
    }
}

static inline __attribute__((always_inline)) void nest(size_t count, bool clearing)
{
    for (size_t i = 0; i < count; i++) {
        size_t marks[BENCH_NEST_DEPTH];
        for (size_t depth = 0; depth < BENCH_NEST_DEPTH; depth++) {
            marks[depth] = stack.used;
            for (size_t block = 0; block < BENCH_NEST_BLOCKS; block++)
                bench_touch(take(sizeof(long), sizeof(long)));
        }
        for (size_t depth = BENCH_NEST_DEPTH; depth-- > 0;)
            release(marks[depth], clearing);
    }
}

static inline __attribute__((always_inline)) void measure(const char *text, size_t size,
                                                          size_t count, bool clearing)
{
    for (size_t i = 0; i < count; i++) {
        size_t mark = stack.used;
        char *copy = take(size, 1);
        if (copy == NULL)
            bench_refused();
        memcpy(copy, text, size);
        if (bench_string_length(copy) != size - 1)
            bench_refused();
        release(mark, clearing);
    }
}

static void pool_empty(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t mark = stack.used;
        bench_escape(&mark);
        release(mark, false);
    }
}

static void pool_sized(size_t size, size_t count)
{
    one(size, count, false);
}

static void pool_nested(size_t count)
{
    nest(count, false);
}

static void pool_string(const char *text, size_t size, size_t count)
{
    measure(text, size, count, false);
}

static void clearing_empty(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t mark = stack.used;
        bench_escape(&mark);
        release(mark, true);
    }
}

static void clearing_sized(size_t size, size_t count)
{
    one(size, count, true);
}

static void clearing_nested(size_t count)
{
    nest(count, true);
}

static void clearing_string(const char *text, size_t size, size_t count)
{
    measure(text, size, count, true);
}

const bench_loops bench_bespoke_pool = {
    .name = "bespoke-pool",
    .empty = pool_empty,
    .zeroed = pool_sized,
    .uninitialized = pool_sized,
    .nested = pool_nested,
    .string = pool_string,
};

const bench_loops bench_bespoke_clearing = {
    .name = "bespoke-clearing",
    .empty = clearing_empty,
    .zeroed = clearing_sized,
    .uninitialized = clearing_sized,
    .nested = clearing_nested,
    .string = clearing_string,
};
