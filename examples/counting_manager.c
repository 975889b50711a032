/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A manager of the program's own: it counts what is out and refuses what exceeds a budget. An arena
 * that is given it takes its chunks from there, and gives them all back when it closes.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <tidepool/tidepool.h>

typedef struct budget {
    size_t limit;
    atomic_size_t used; /* operations may be called from any thread */
    atomic_size_t refusals;
} budget;

static void *budget_allocate(void *context, size_t size, size_t alignment, unsigned request)
{
    budget *self = context;
    if (atomic_fetch_add(&self->used, size) + size <= self->limit) {
        void *block = tide_manager_allocate(tide_manager_system(), size, alignment, request);
        if (block != NULL)
            return block;
    }
    atomic_fetch_sub(&self->used, size);
    atomic_fetch_add(&self->refusals, 1);
    return NULL;
}

static tide_status budget_free(void *context, void *block, size_t size, size_t alignment)
{
    budget *self = context;
    tide_status status = tide_manager_free(tide_manager_system(), block, size, alignment);
    if (status == TIDE_OK)
        atomic_fetch_sub(&self->used, size);
    return status;
}

static void budget_statistics(void *context, tide_manager_statistics *statistics)
{
    budget *self = context;
    statistics->used = atomic_load(&self->used);
    statistics->committed = statistics->used;
    statistics->failures = atomic_load(&self->refusals);
}

int main(void)
{
    budget books = {.limit = 100000};
    const tide_manager manager = {
        .struct_size = sizeof manager,
        .name = "budget",
        .context = &books,
        .allocate = budget_allocate,
        .free = budget_free,
        .statistics = budget_statistics,
    };
    if (tide_manager_check(&manager) != TIDE_OK)
        return 1;

    tide_arena_options options = TIDE_ARENA_OPTIONS_INIT;
    options.name = "import";
    options.manager = &manager;
    tide_arena arena;
    if (tide_arena_open_with(&arena, &options) != TIDE_OK)
        return 1;

    /* Takes what the budget has, and then fails as any memory does: the arena is unharmed. */
    size_t blocks = 0;
    char *newest = NULL, *block;
    while ((block = tide_arena_allocate(&arena, 1000, 8)) != NULL) {
        newest = block;
        blocks++;
    }
    if (newest == NULL || tide_last_error() != TIDE_OUT_OF_MEMORY)
        return 1;
    newest[999] = 1;
    printf("%zu blocks of 1000 bytes, then: %s\n", blocks, tide_last_error_text());

    tide_manager_statistics statistics = {.struct_size = sizeof statistics};
    if (tide_manager_statistics_get(&manager, &statistics) != TIDE_OK)
        return 1;
    if (statistics.used > books.limit || statistics.used < blocks * 1000 ||
        statistics.failures == 0)
        return 1;

    if (tide_arena_close(&arena) != TIDE_OK)
        return 1;
    return atomic_load(&books.used) == 0 ? 0 : 1;
}
