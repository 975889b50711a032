/* SPDX-License-Identifier: Apache-2.0 */
/* `malloc` and `calloc` of whichever allocator the process was started with. calloc stays calloc
 * where nothing need be zeroed, and malloc doesn't zero where the others do: each is what it is, in
 * every case. */
#include <stdlib.h>
#include <string.h>

#include "loops.h"

#define NEST_TOTAL (BENCH_NEST_DEPTH * BENCH_NEST_BLOCKS)

static void malloc_sized(size_t size, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        void *block = malloc(size);
        bench_touch(block);
        free(block);
    }
}

static void malloc_empty(size_t count)
{
    malloc_sized(1, count);
}

static void malloc_nested(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        void *blocks[NEST_TOTAL];
        for (size_t block = 0; block < NEST_TOTAL; block++) {
            blocks[block] = malloc(sizeof(long));
            bench_touch(blocks[block]);
        }
        for (size_t block = NEST_TOTAL; block-- > 0;)
            free(blocks[block]);
    }
}

static void malloc_string(const char *text, size_t size, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char *copy = malloc(size);
        if (copy == NULL)
            bench_refused();
        memcpy(copy, text, size);
        if (bench_string_length(copy) != size - 1)
            bench_refused();
        free(copy);
    }
}

static void calloc_sized(size_t size, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        void *block = calloc(1, size);
        bench_touch(block);
        free(block);
    }
}

static void calloc_empty(size_t count)
{
    calloc_sized(1, count);
}

static void calloc_nested(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        void *blocks[NEST_TOTAL];
        for (size_t block = 0; block < NEST_TOTAL; block++) {
            blocks[block] = calloc(1, sizeof(long));
            bench_touch(blocks[block]);
        }
        for (size_t block = NEST_TOTAL; block-- > 0;)
            free(blocks[block]);
    }
}

static void calloc_string(const char *text, size_t size, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char *copy = calloc(1, size);
        if (copy == NULL)
            bench_refused();
        memcpy(copy, text, size);
        if (bench_string_length(copy) != size - 1)
            bench_refused();
        free(copy);
    }
}

const bench_loops bench_malloc = {
    .name = "malloc",
    .empty = malloc_empty,
    .zeroed = malloc_sized,
    .uninitialized = malloc_sized,
    .nested = malloc_nested,
    .string = malloc_string,
};

const bench_loops bench_calloc = {
    .name = "calloc",
    .empty = calloc_empty,
    .zeroed = calloc_sized,
    .uninitialized = calloc_sized,
    .nested = calloc_nested,
    .string = calloc_string,
};
