/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the structures of this floor keep what their fields promise. Debug builds ask, by
 * TIDE_ASSERT() where a slow path begins or ends; other builds don't have these functions. */
#ifndef TIDEPOOL_LIFETIME_VALID_H
#define TIDEPOOL_LIFETIME_VALID_H

#include "lifetime/thread.h"

/* A cell that is idle, or that an arena of the calling owner has. */
bool tide_cell_is_valid(const tide_cell *cell);

/* A chunk, in use or idle. */
bool tide_chunk_is_valid(const tide_chunk *chunk);

/* The calling thread's block. */
bool tide_home_thread_is_valid(const tide_home_thread *thread);

/* An open arena of the calling owner: its state, its cell, its window and its chunks. */
bool tide_arena_is_valid(const tide_arena *arena);

#endif
