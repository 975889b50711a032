/* SPDX-License-Identifier: Apache-2.0 */
/* `talloc`: a context of its own for each lifetime, freed with everything in it. */
#include <string.h>
#include <talloc.h>

#include "loops.h"

static void *new_context(void)
{
    void *context = talloc_new(NULL);
    if (context == NULL)
        bench_refused();
    return context;
}

static void empty(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        void *context = new_context();
        bench_escape(context);
        talloc_free(context);
    }
}

static void zeroed(size_t size, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        void *context = new_context();
        bench_touch(talloc_zero_size(context, size));
        talloc_free(context);
    }
}

static void uninitialized(size_t size, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        void *context = new_context();
        bench_touch(talloc_size(context, size));
        talloc_free(context);
    }
}

static void nested(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        void *contexts[BENCH_NEST_DEPTH];
        for (size_t depth = 0; depth < BENCH_NEST_DEPTH; depth++) {
            contexts[depth] = new_context();
            for (size_t block = 0; block < BENCH_NEST_BLOCKS; block++)
                bench_touch(talloc_zero_size(contexts[depth], sizeof(long)));
        }
        for (size_t depth = BENCH_NEST_DEPTH; depth-- > 0;)
            talloc_free(contexts[depth]);
    }
}

static void string(const char *text, size_t size, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        void *context = new_context();
        char *copy = talloc_memdup(context, text, size);
        if (copy == NULL || bench_string_length(copy) != size - 1)
            bench_refused();
        talloc_free(context);
    }
}

const bench_loops bench_talloc = {
    .name = "talloc",
    .empty = empty,
    .zeroed = zeroed,
    .uninitialized = uninitialized,
    .nested = nested,
    .string = string,
};
