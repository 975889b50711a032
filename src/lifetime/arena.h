/* SPDX-License-Identifier: Apache-2.0 */
/* The slow paths of arenas, and what they share. */
#ifndef TIDEPOOL_LIFETIME_ARENA_H
#define TIDEPOOL_LIFETIME_ARENA_H

#include <tidepool/arena.h>

#include "base/error.h"
#include "lifetime/extra.h"
#include "lifetime/thread.h"

/* The arena as an error names it. */
tide_object tide_arena_object(const tide_arena *arena);

/* INVALID_ARGUMENT, WRONG_OWNER or CLOSED unless the calling owner may use the arena now. */
tide_status tide_arena_check(const tide_arena *arena, const char *operation);

/* The arena's cell, or NULL while it has taken none. */
tide_cell *tide_arena_cell(const tide_arena *arena);

/* The arena's cell, taken if need be; NULL, nothing noted, when there is no memory. The arena has
 * passed tide_arena_check(). */
tide_cell *tide_arena_take_cell(tide_arena *arena);

/* Notes that there was no memory for the library's own structures. */
tide_status tide_arena_no_memory(const tide_arena *arena, const char *operation);

/* The window's true end, also where the inline path is shown an empty one. */
char *tide_arena_window_end(const tide_arena *arena, const tide_cell *cell);

/* Whether the window still lies in the pool. */
bool tide_arena_window_is_pool(const tide_arena *arena, const tide_cell *cell);

/* Moves the window's next free byte. */
void tide_arena_set_bump(tide_arena *arena, char *bump);

/* The arena's newest chunk, or NULL. */
tide_chunk *tide_cell_chunks(const tide_cell *cell);

/* Serves any request of an arena that has passed its checks but those of size and alignment. */
tide_status tide_arena_serve(tide_arena *arena, size_t size, size_t alignment, bool zeroed,
                             const char *operation, void **block);

/* The end of a cell's memory, in the order of the contract, after its epoch has moved on: cleanups
 * run, wiping, chunks back. `pool_used` is how much of the pool was handed out at most. */
void tide_cell_clear_pool(tide_cell *cell, size_t pool_used);
void tide_cell_wipe(tide_cell *cell);
void tide_cell_drop_chunks(tide_cell *cell, tide_ending *ending);

/* What close, reset and close-to report. */
tide_status tide_ending_report(const tide_ending *ending, const char *operation,
                               tide_object object);

#endif
