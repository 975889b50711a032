/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay.h"

/* Numbers are small: a trace with a larger one is a broken trace. */
#define NUMBER_LIMIT ((json_int_t)1 << 20)

void *replay_memory(size_t size)
{
    void *block = calloc(size == 0 ? 1 : size, 1);
    if (block == NULL) {
        fprintf(stderr, "tide-replay: no memory for %zu bytes\n", size);
        exit(2);
    }
    return block;
}

void *replay_memory_grow(void *block, size_t size)
{
    void *grown = realloc(block, size);
    if (grown == NULL) {
        fprintf(stderr, "tide-replay: no memory for %zu bytes\n", size);
        exit(2);
    }
    return grown;
}

static void *entry_at(const replay_table *table, const json_t *number)
{
    size_t index = (size_t)json_integer_value(number);
    return index < table->count ? table->entries[index] : NULL;
}

static bool is_number(replay_trace *replay, const replay_table *table, const json_t *number)
{
    if (json_is_integer(number) && json_integer_value(number) >= 0 &&
        json_integer_value(number) < NUMBER_LIMIT)
        return true;
    replay_problem(replay, "a number that is none names a %s", table->noun);
    return false;
}

void *replay_table_find(replay_trace *replay, const replay_table *table, const json_t *number)
{
    if (!is_number(replay, table, number))
        return NULL;
    void *entry = entry_at(table, number);
    if (entry == NULL)
        replay_problem(replay, "no %s %d", table->noun, (int)json_integer_value(number));
    return entry;
}

bool replay_table_is_new(replay_trace *replay, const replay_table *table, const json_t *number,
                         bool null_is_fine)
{
    if (json_is_null(number) && null_is_fine)
        return true;
    if (!is_number(replay, table, number))
        return false;
    if (entry_at(table, number) == NULL)
        return true;
    replay_problem(replay, "a second %s %d", table->noun, (int)json_integer_value(number));
    return false;
}

void replay_table_put(replay_table *table, const json_t *number, void *entry)
{
    if (json_is_null(number)) {
        free(entry);
        return;
    }
    size_t index = (size_t)json_integer_value(number);
    if (index >= table->count) {
        size_t count = 2 * index + 16;
        table->entries = replay_memory_grow(table->entries, count * sizeof *table->entries);
        memset(table->entries + table->count, 0, (count - table->count) * sizeof *table->entries);
        table->count = count;
    }
    table->entries[index] = entry;
}

static void table_free(replay_table *table)
{
    for (size_t i = 0; i < table->count; i++)
        free(table->entries[i]);
    free(table->entries);
}

void replay_allocation_add(replay_trace *replay, const replay_arena *arena, const void *address)
{
    if (replay->allocation_count == replay->allocation_room) {
        replay->allocation_room = 2 * replay->allocation_room + 16;
        replay->allocations = replay_memory_grow(
            replay->allocations, replay->allocation_room * sizeof *replay->allocations);
    }
    replay->allocations[replay->allocation_count++] = (replay_allocation){arena, address};
}

bool replay_allocation_is_new(const replay_trace *replay, const void *address)
{
    for (size_t i = 0; i < replay->allocation_count; i++) {
        if (replay->allocations[i].address == address)
            return false;
    }
    return true;
}

void replay_allocations_drop(replay_trace *replay, const replay_arena *arena)
{
    size_t kept = 0;
    for (size_t i = 0; i < replay->allocation_count; i++) {
        if (replay->allocations[i].arena != arena)
            replay->allocations[kept++] = replay->allocations[i];
    }
    replay->allocation_count = kept;
}

void replay_entities_begin(replay_trace *replay)
{
    replay->arenas.noun = "arena";
    replay->segments.noun = "segment";
    replay->cleanups.noun = "cleanup";
    replay->holds.noun = "hold";
    replay->carvers.noun = "allocator";
    replay->files.noun = "file";
}

static void release_hold(void *context)
{
    replay_ignore(tide_hold_release(context));
}

/* A counted arena ends with its one reference. */
static void close_arena(void *context)
{
    replay_arena *arena = context;
    replay_ignore(arena->kind == COUNTED ? tide_counted_release(arena->shared) : kind_close(arena));
}

size_t replay_entities_end(replay_trace *replay)
{
    size_t left = 0;
    for (size_t i = replay->holds.count; i-- > 0;) {
        replay_hold *hold = replay->holds.entries[i];
        if (hold != NULL && hold->arena->open)
            crew_run(&replay->crew, hold->thread, release_hold, &hold->hold);
    }
    for (size_t i = replay->arenas.count; i-- > 0;) {
        replay_arena *arena = replay->arenas.entries[i];
        if (arena == NULL)
            continue;
        if (arena->open) {
            left += arena->kind == CONFINED || arena->kind == SHARED;
            crew_run(&replay->crew, arena->opener, close_arena, arena);
        }
        json_decref(arena->ran);
        json_decref(arena->failed);
        json_decref(arena->saw);
        json_decref(arena->tried);
    }
    table_free(&replay->arenas);
    table_free(&replay->segments);
    table_free(&replay->cleanups);
    table_free(&replay->holds);
    table_free(&replay->carvers);
    replay_files_end(replay);
    table_free(&replay->files);
    free(replay->allocations);
    return left;
}
