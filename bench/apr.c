/* SPDX-License-Identifier: Apache-2.0 */
/* `apr`: a pool for each lifetime, below a pool and an allocator of the thread's own (the fast way:
 * the process-wide allocator takes a lock). */
#include <apr_general.h>
#include <apr_pools.h>
#include <string.h>

#include "loops.h"

static apr_pool_t *thread_pool(void)
{
    static apr_pool_t *parent;
    if (parent != NULL)
        return parent;
    apr_allocator_t *allocator;
    if (apr_initialize() != APR_SUCCESS || apr_allocator_create(&allocator) != APR_SUCCESS ||
        apr_pool_create_ex(&parent, NULL, NULL, allocator) != APR_SUCCESS)
        bench_refused();
    return parent;
}

static apr_pool_t *new_pool(apr_pool_t *parent)
{
    apr_pool_t *pool;
    if (apr_pool_create(&pool, parent) != APR_SUCCESS)
        bench_refused();
    return pool;
}

static void empty(size_t count)
{
    apr_pool_t *parent = thread_pool();
    for (size_t i = 0; i < count; i++) {
        apr_pool_t *pool = new_pool(parent);
        bench_escape(pool);
        apr_pool_destroy(pool);
    }
}

static void zeroed(size_t size, size_t count)
{
    apr_pool_t *parent = thread_pool();
    for (size_t i = 0; i < count; i++) {
        apr_pool_t *pool = new_pool(parent);
        bench_touch(apr_pcalloc(pool, size));
        apr_pool_destroy(pool);
    }
}

static void uninitialized(size_t size, size_t count)
{
    apr_pool_t *parent = thread_pool();
    for (size_t i = 0; i < count; i++) {
        apr_pool_t *pool = new_pool(parent);
        bench_touch(apr_palloc(pool, size));
        apr_pool_destroy(pool);
    }
}

static void nested(size_t count)
{
    apr_pool_t *parent = thread_pool();
    for (size_t i = 0; i < count; i++) {
        apr_pool_t *pools[BENCH_NEST_DEPTH];
        for (size_t depth = 0; depth < BENCH_NEST_DEPTH; depth++) {
            pools[depth] = new_pool(parent);
            for (size_t block = 0; block < BENCH_NEST_BLOCKS; block++)
                bench_touch(apr_pcalloc(pools[depth], sizeof(long)));
        }
        for (size_t depth = BENCH_NEST_DEPTH; depth-- > 0;)
            apr_pool_destroy(pools[depth]);
    }
}

static void string(const char *text, size_t size, size_t count)
{
    apr_pool_t *parent = thread_pool();
    for (size_t i = 0; i < count; i++) {
        apr_pool_t *pool = new_pool(parent);
        char *copy = apr_palloc(pool, size);
        if (copy == NULL)
            bench_refused();
        memcpy(copy, text, size);
        if (bench_string_length(copy) != size - 1)
            bench_refused();
        apr_pool_destroy(pool);
    }
}

const bench_loops bench_apr = {
    .name = "apr",
    .empty = empty,
    .zeroed = zeroed,
    .uninitialized = uninitialized,
    .nested = nested,
    .string = string,
};
