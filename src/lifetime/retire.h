/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cells of shared scopes, and the memory of those that closed.
 *
 * A cell of this kind is in one of four states: open; *retired*: closed, its memory may still be
 * read;
 * *ready*: past its grace period, its one chunk kept for the next arena; *free*: closed, without
 * memory. Retired and ready ones together keep to the knobs' bounds (TIDEPOOL_RETIRE_BLOCKS,
 * TIDEPOOL_RETIRE_BYTES). One lock guards the slabs and the lists; an open cell is not in any, and
 * what it has is guarded by the lock bit in its own word, which is never waited for with this lock
 * held but by a fork.
 */
#ifndef TIDEPOOL_LIFETIME_RETIRE_H
#define TIDEPOOL_LIFETIME_RETIRE_H

#include <tidepool/arena.h>

/* The epoch of the global scope, which never moves. */
#define TIDE_GLOBAL_EPOCH TIDE_SHARED_STEP

typedef struct tide_retired_figures {
    size_t retired;
    size_t retired_bytes;
    size_t ready;
    size_t ready_bytes;
} tide_retired_figures;

/* A closed cell that is nobody's, with a chunk or without; NULL when there is no memory. */
tide_cell *tide_shared_cell_take(void);

/* Puts back a closed cell that has no memory and that no reader can be reading. */
void tide_shared_cell_give(tide_cell *cell);

/* Leaves the memory of a cell whose epoch has moved on to a grace period. The caller is in no
 * section and holds no lock; the call waits for a period when the bound is reached. */
void tide_retire(tide_cell *cell);

/* Frees everything retired, after a grace period, and everything ready; says how many bytes. With
 * `patience` false a reader that stays is not waited for: then retired memory stays too. */
size_t tide_retire_drain(bool patience);

tide_retired_figures tide_retired_now(void);

/* Calls visit for every cell of a shared scope ever made, under the lock. */
void tide_shared_cells_visit(void (*visit)(tide_cell *cell, void *context), void *context);

/* Around a fork: every lock of this file, and of every cell, is the forking thread's meanwhile. */
void tide_retire_fork_prepare(void);
void tide_retire_fork_parent(void);
void tide_retire_fork_child(void);

#endif
