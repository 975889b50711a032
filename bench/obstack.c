/* SPDX-License-Identifier: Apache-2.0 */
/* `obstack`: the C library's stack of objects, one for the thread's life; a lifetime ends by
 * freeing its first object. What must be zeroed is zeroed by hand. */
#include <obstack.h>
#include <stdlib.h>
#include <string.h>

#include "loops.h"

#define obstack_chunk_alloc malloc
#define obstack_chunk_free  free

static struct obstack *thread_obstack(void)
{
    static struct obstack stack;
    static bool ready;
    if (!ready) {
        obstack_init(&stack);
        ready = true;
    }
    return &stack;
}

static void empty(size_t count)
{
    struct obstack *stack = thread_obstack();
    for (size_t i = 0; i < count; i++) {
        void *mark = obstack_alloc(stack, 0);
        bench_escape(mark);
        obstack_free(stack, mark);
    }
}

static void zeroed(size_t size, size_t count)
{
    struct obstack *stack = thread_obstack();
    for (size_t i = 0; i < count; i++) {
        void *block = obstack_alloc(stack, (int)size);
        memset(block, 0, size);
        bench_touch(block);
        obstack_free(stack, block);
    }
}

static void uninitialized(size_t size, size_t count)
{
    struct obstack *stack = thread_obstack();
    for (size_t i = 0; i < count; i++) {
        void *block = obstack_alloc(stack, (int)size);
        bench_touch(block);
        obstack_free(stack, block);
    }
}

static void nested(size_t count)
{
    struct obstack *stack = thread_obstack();
    for (size_t i = 0; i < count; i++) {
        void *marks[BENCH_NEST_DEPTH];
        for (size_t depth = 0; depth < BENCH_NEST_DEPTH; depth++)
            for (size_t block = 0; block < BENCH_NEST_BLOCKS; block++) {
                long *value = obstack_alloc(stack, (int)sizeof(long));
                *value = 0;
                bench_touch(value);
                if (block == 0)
                    marks[depth] = value;
            }
        for (size_t depth = BENCH_NEST_DEPTH; depth-- > 0;)
            obstack_free(stack, marks[depth]);
    }
}

static void string(const char *text, size_t size, size_t count)
{
    struct obstack *stack = thread_obstack();
    for (size_t i = 0; i < count; i++) {
        char *copy = obstack_alloc(stack, (int)size);
        memcpy(copy, text, size);
        if (bench_string_length(copy) != size - 1)
            bench_refused();
        obstack_free(stack, copy);
    }
}

const bench_loops bench_obstack = {
    .name = "obstack",
    .empty = empty,
    .zeroed = zeroed,
    .uninitialized = uninitialized,
    .nested = nested,
    .string = string,
};
