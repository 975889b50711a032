/* SPDX-License-Identifier: Apache-2.0 */
/* The slow paths of arenas, and what they share. */
#ifndef TIDEPOOL_LIFETIME_ARENA_H
#define TIDEPOOL_LIFETIME_ARENA_H

#include <tidepool/arena.h>

#include "base/error.h"
#include "base/settings.h"
#include "lifetime/cells.h"
#include "lifetime/chunk.h"
#include "lifetime/extra.h"
#include "lifetime/thread.h"

/* The arena as an error names it. */
tide_object tide_arena_object(const tide_arena *arena);

/* The arena's cell, or NULL while it has taken none. */
static inline tide_cell *tide_arena_cell(const tide_arena *arena)
{
    if ((arena->state_ & TIDE_STATE_EMPTY) != 0)
        return NULL;
    return (tide_cell *)(uintptr_t)(arena->state_ & TIDE_STATE_CELL);
}

/* The flags of an arena with a cell, or the cell with them. */
static inline void tide_arena_set_state(tide_arena *arena, uint64_t state)
{
    tide_relaxed_store_(&arena->state_, state);
}

/* Whether it is closed; any thread may ask. */
static inline bool tide_arena_is_closed(const tide_arena *arena)
{
    uint64_t state = tide_relaxed_(&arena->state_);
    return state == TIDE_STATE_CLOSED || state == TIDE_STATE_ENDING;
}

/* What tide_arena_check() has found suspicious: INVALID_ARGUMENT, WRONG_OWNER or CLOSED, noted for
 * `operation`, or OK after all. */
tide_status tide_arena_find_fault(const tide_arena *arena, const char *operation);

/* OK when the calling owner may use the arena now; a block-less thread's token owns nothing. */
static inline tide_status tide_arena_check(const tide_arena *arena, const char *operation)
{
    if (arena != NULL && tide_relaxed_(&arena->owner_) == tide_thread_self_()->owner &&
        !tide_arena_is_closed(arena) && tide_thread_current() != NULL) {
        const tide_cell *cell = tide_arena_cell(arena);
        if (cell == NULL || tide_cell_serves(cell, arena))
            return TIDE_OK;
    }
    return tide_arena_find_fault(arena, operation);
}

/* The arena's cell, taken if need be; NULL, nothing noted, when there is no memory. The arena has
 * passed tide_arena_check(). */
tide_cell *tide_arena_take_cell(tide_arena *arena);

/* Notes that there was no memory for the library's own structures. */
tide_status tide_arena_no_memory(const tide_arena *arena, const char *operation);

/* Whether the window lies in the pool. Out of ready mode it always does: there the inline path
 * is shown an empty one, end_ at bump_. */
static inline bool tide_arena_window_is_pool(const tide_arena *arena)
{
    return (arena->state_ & TIDE_STATE_WINDOW) == 0 || !tide_settings_get()->ready;
}

/* The window's true end. */
static inline char *tide_arena_window_end(const tide_arena *arena, const tide_cell *cell)
{
    if ((arena->state_ & TIDE_STATE_WINDOW) == 0)
        return ((tide_block *)(void *)(uintptr_t)cell)->pool + TIDE_POOL_BYTES;
    if (tide_settings_get()->ready)
        return arena->end_;
    const char *pool = tide_cell_pool(cell);
    return pool != NULL ? (char *)(uintptr_t)pool + tide_settings_get()->pool_size : arena->bump_;
}

/* Makes bump_ valid where the inline path left it out. */
static inline void tide_arena_settle(tide_arena *arena, tide_cell *cell)
{
    if ((arena->state_ & TIDE_STATE_FRESH) == 0)
        return;
    arena->bump_ = ((tide_block *)(void *)cell)->pool;
    tide_arena_set_state(arena, arena->state_ & ~TIDE_STATE_FRESH);
}

/* Moves the window's next free byte. */
static inline void tide_arena_set_bump(tide_arena *arena, char *bump)
{
    arena->bump_ = bump;
    if (!tide_settings_get()->ready)
        arena->end_ = bump;
}

/* Serves any request of an arena that has passed its checks but those of size and alignment. */
tide_status tide_arena_serve(tide_arena *arena, size_t size, size_t alignment, bool zeroed,
                             const char *operation, void **block);

/* What an arena with this cell asks of a chunk for a request that its own chunks don't hold. */
tide_chunk_request tide_cell_request(const tide_cell *cell, size_t size, size_t alignment,
                                     bool zeroed);

/* Adds a chunk. The newest of the row stays in front: a block of its own goes behind it. */
void tide_cell_link_chunk(tide_cell *cell, tide_chunk *chunk, size_t row_max);

/* Bytes handed out of its chunks, with their padding. */
size_t tide_cell_used_of_chunks(const tide_cell *cell);

/* The end of a cell's memory, in the order of the contract, after its epoch has moved on: cleanups
 * run, wiping, chunks back. `pool_used` is how much of the pool was handed out at most. */
void tide_cell_clear_pool(tide_cell *cell, size_t pool_used);
void tide_cell_wipe(const tide_cell *cell);
void tide_cell_wipe_chunks(const tide_cell *cell);
void tide_cell_drop_chunks(tide_cell *cell, tide_ending *ending);

/* A reset: the row's chunks stay with the cell, empty; the others go. */
void tide_cell_keep_chunks(tide_cell *cell, tide_ending *ending);

/* What close, reset and close-to report. */
tide_status tide_ending_report(const tide_ending *ending, const char *operation,
                               tide_object object);

#endif
