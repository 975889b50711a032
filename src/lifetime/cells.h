/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scope cells: where they come from, who has them, and the process-wide list of idle ones.
 *
 * A cell and its pool of 64 bytes are one block of 128 bytes in type-stable memory: slabs that grow
 * by pages and are never freed. An idle cell is in exactly one place: a thread's home slot, a
 * thread's idle array, or the process-wide list. One lock guards the slabs, that list and the
 * register of threads (thread.h); it is taken on misses only.
 */
#ifndef TIDEPOOL_LIFETIME_CELLS_H
#define TIDEPOOL_LIFETIME_CELLS_H

#include <tidepool/arena.h>

/* The mark word of a cell whose arena no mark can reach: handed over, or being closed. And one that
 * no arena has: no mark and no thread has that number. */
#define TIDE_MARK_NONE    TIDE_STATE_EMPTY
#define TIDE_MARK_NOBODYS (UINT64_C(1) << TIDE_MARK_SHIFT | TIDE_STATE_EMPTY)

/* Pools that are not the 64 bytes of the block lie apart; the block's bytes then say where. */
typedef struct tide_pool_apart {
    char *start;
} tide_pool_apart;

struct tide_home_thread;

/* The process-wide lock. Nothing is called under it but what this folder's headers say. */
void tide_cells_lock(void);
void tide_cells_unlock(void);

/* An idle cell with a clear pool and nothing else; NULL when there is no memory. Takes the lock. */
tide_cell *tide_cell_obtain(void);

/* Puts an idle cell on the process-wide list; a pool that lies apart is freed. Takes the lock. */
void tide_cell_surrender(tide_cell *cell);

/* The first byte of the cell's pool; its size is the knob's. NULL when there are no pools. */
char *tide_cell_pool(const tide_cell *cell);

/* Makes extra of the cell valid, and the inline close leave it alone. */
void tide_cell_make_cold(tide_cell *cell);

/* The chunks of a taken cell, newest first; NULL: none. */
static inline tide_chunk *tide_cell_chunks(const tide_cell *cell)
{
    return (cell->mark & TIDE_MARK_CHUNKS) != 0 ? cell->chunks : NULL;
}

/* The mark word, for a thread that has neither taken the cell nor ordered itself with the one that
 * has. Pairs with every store of a mark that is not 0: who sees the mark sees its owner, so the
 * mark is looked at first, then the owner. */
static inline uint64_t tide_cell_mark(const tide_cell *cell)
{
    return __atomic_load_n(&cell->mark, __ATOMIC_ACQUIRE);
}

/* Gives a taken cell another mark word. */
static inline void tide_cell_set_mark(tide_cell *cell, uint64_t word)
{
    __atomic_store_n(&cell->mark, word | (cell->mark & TIDE_MARK_CHUNKS), __ATOMIC_RELEASE);
}

static inline void tide_cell_set_chunks(tide_cell *cell, tide_chunk *chunks)
{
    uint64_t rest = cell->mark & ~TIDE_MARK_CHUNKS;
    cell->chunks = chunks;
    __atomic_store_n(&cell->mark, chunks != NULL ? rest | TIDE_MARK_CHUNKS : rest,
                     __ATOMIC_RELEASE);
}

/* Sets a bit of special, TIDE_CELL_HEAP or TIDE_CELL_CHUNKS. */
void tide_cell_note(tide_cell *cell, uint64_t bit);

/* One more hold, or one less; the caller has checked that there is room, or a hold. */
void tide_cell_add_hold(tide_cell *cell);
void tide_cell_drop_hold(tide_cell *cell);

/* The cell is the owner's from its present epoch on. */
void tide_cell_set_owner(tide_cell *cell, tide_owner owner);

/* Whether it is `arena` that has the cell. */
static inline bool tide_cell_is_of(const tide_cell *cell, const tide_arena *arena)
{
    return (cell->arena & ~TIDE_ARENA_COLD) == (uint64_t)(uintptr_t)arena;
}

/* Whether it is open as well: a struct may have been left behind by tide_close_to(), or put
 * back. */
static inline bool tide_cell_serves(const tide_cell *cell, const tide_arena *arena)
{
    return tide_cell_is_of(cell, arena) && cell->mark != 0;
}

/* Calls visit for every cell ever made, under the lock. The callback may not take it. */
void tide_cells_visit(void (*visit)(tide_cell *cell, void *context), void *context);

/* In a fork's child, the lock held by the forking thread: every idle cell that is not the calling
 * thread's goes to the process-wide list, whoever had it. */
void tide_cells_adopt(const struct tide_home_thread *survivor);

/* The cell of the global scope, which never closes: TIDE_GLOBAL_EPOCH for ever. */
extern tide_cell tide_cell_global;

/* Whether several threads may use the scope. */
static inline bool tide_cell_is_shared(const tide_cell *cell)
{
    return tide_relaxed_(&cell->owner) == TIDE_OWNER_ANYONE;
}

/* The cell's present epoch, of either kind. */
static inline uint64_t tide_cell_epoch(const tide_cell *cell)
{
    uint64_t word = tide_relaxed_(&cell->epoch);
    return tide_cell_is_shared(cell) ? word & TIDE_SHARED_EPOCH : word;
}

/* A taken cell is nobody's and has nothing again. */
static inline void tide_cell_forget(tide_cell *cell)
{
    cell->special = 0;
    cell->arena = 0;
    cell->chunks = NULL;
    tide_relaxed_store_(&cell->mark, 0);
}

/* Owner, then liveness, of a scope for the calling thread; notes what is wrong for `operation`. */
tide_status tide_scope_check(tide_cell *cell, uint64_t epoch, const char *operation);

/* The same without noting. */
tide_status tide_scope_status(const tide_cell *cell, uint64_t epoch);

#endif
