/* SPDX-License-Identifier: Apache-2.0 */
#include "lifetime/valid.h"

#ifdef TIDE_DEBUG

#include "lifetime/arena.h"
#include "lifetime/cells.h"
#include "lifetime/chunk.h"

static bool is_between(const char *start, const char *place, const char *limit)
{
    return (uintptr_t)start <= (uintptr_t)place && (uintptr_t)place <= (uintptr_t)limit;
}

bool tide_cell_is_valid(const tide_cell *cell)
{
    if (cell->epoch == 0 || cell->epoch % 2 != 0 || cell->since > cell->epoch)
        return false;
    if (((cell->arena & TIDE_ARENA_COLD) != 0) != (cell->special != 0))
        return false;
    return cell->mark == 0 ? cell->special == 0 : (cell->mark & TIDE_STATE_EMPTY) != 0;
}

bool tide_chunk_is_valid(const tide_chunk *chunk)
{
    return is_between(chunk->start, chunk->dirty, chunk->limit) &&
           (chunk->bump == NULL || is_between(chunk->start, chunk->bump, chunk->limit)) &&
           chunk->size >= tide_chunk_payload(chunk) && chunk->alignment_log2 < 64;
}

static bool are_idle(tide_cell *const *cells, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (cells[i]->mark != 0 || !tide_cell_is_valid(cells[i]))
            return false;
    }
    return true;
}

/* The payload of all the cached chunks, each of which must be idle. */
static bool add_up(const tide_home_thread *thread, size_t *bytes)
{
    for (uint32_t row = 0; row < TIDE_CHUNK_ROWS; row++) {
        for (const tide_chunk *chunk = thread->cached[row]; chunk != NULL; chunk = chunk->next) {
            if (chunk->bump != NULL || !tide_chunk_is_valid(chunk))
                return false;
            *bytes += tide_chunk_payload(chunk);
        }
    }
    return true;
}

bool tide_home_thread_is_valid(const tide_home_thread *thread)
{
    const tide_thread *fast = &thread->fast;
    if (fast->idle_count > fast->idle_limit || fast->idle_limit > TIDE_IDLE_SLOTS ||
        thread->kept_count > thread->kept_limit || thread->kept_limit > TIDE_IDLE_SLOTS ||
        (fast->word & TIDE_STATE_EMPTY) == 0 || thread->mutating != 0)
        return false;
    bool has_chunk = fast->home_chunk != &tide_no_chunk;
    if (fast->chunk_room != (has_chunk ? tide_chunk_payload(fast->home_chunk) : 0))
        return false;
    size_t bytes = fast->chunk_room;
    return are_idle(fast->idle, fast->idle_count) && are_idle(thread->kept, thread->kept_count) &&
           add_up(thread, &bytes) && thread->cached_bytes == bytes;
}

static bool window_is_valid(const tide_arena *arena, const tide_cell *cell)
{
    if ((arena->state_ & TIDE_STATE_FRESH) != 0)
        return true;
    const char *end = tide_arena_window_end(arena, cell);
    const char *start = tide_cell_pool(cell);
    if (start == NULL)
        start = arena->bump_; /* no pool, no window */
    if (!tide_arena_window_is_pool(arena)) {
        const tide_chunk *chunk = tide_cell_chunks(cell);
        while (chunk != NULL && !is_between(chunk->start, end, chunk->limit))
            chunk = chunk->next;
        if (chunk == NULL)
            return false;
        start = chunk->start;
    }
    return is_between(start, arena->bump_, end);
}

bool tide_arena_is_valid(const tide_arena *arena)
{
    const tide_cell *cell = tide_arena_cell(arena);
    if (cell == NULL)
        return true; /* a mark word; the rest of the structure means nothing */
    if (cell->mark == 0 || !tide_cell_serves(cell, arena) || !tide_cell_is_valid(cell))
        return false;
    for (const tide_chunk *chunk = tide_cell_chunks(cell); chunk != NULL; chunk = chunk->next) {
        if (chunk->bump == NULL || !tide_chunk_is_valid(chunk))
            return false;
    }
    return window_is_valid(arena, cell);
}

#endif
