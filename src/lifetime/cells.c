/* SPDX-License-Identifier: Apache-2.0 */
#include "lifetime/cells.h"

#include <string.h>

#include "base/checker.h"
#include "base/error.h"
#include "base/lock.h"
#include "base/settings.h"
#include "lifetime/chunk.h"
#include "lifetime/retire.h"
#include "lifetime/thread.h"
#include "lifetime/word.h"
#include <tidepool/manager.h>

/* A slab's first block is its header. */
_Static_assert(TIDE_PLAIN_POOL_SIZE == TIDE_POOL_BYTES, "the inline path knows the default size");

typedef struct tide_slab {
    struct tide_slab *next;
    size_t blocks; /* header included */
} tide_slab;

#define SLAB_ALIGNMENT 4096u
#define SLAB_FIRST     4096u
#define SLAB_LARGEST   65536u

/* Bytes behind a pool that lies apart, which a memory checker keeps off limits. */
#define RED_ZONE 64u

static tide_lock lock;
static tide_slab *slabs;      /* newest first */
static tide_cell *free_cells; /* idle, newest first */

tide_cell tide_cell_global = {
    .epoch = TIDE_GLOBAL_EPOCH, .mark = TIDE_MARK_NONE, .owner = TIDE_OWNER_ANYONE};

void tide_cells_lock(void)
{
    tide_lock_take(&lock);
}

void tide_cells_unlock(void)
{
    tide_lock_leave(&lock);
}

static tide_block *slab_blocks(tide_slab *slab)
{
    return (tide_block *)(void *)slab;
}

/* Under the lock. Cells start at epoch 2: 0 is nobody's, and the lowest bit is the segments'. */
static void grow(void)
{
    size_t size = SLAB_FIRST;
    if (slabs != NULL)
        size = slabs->blocks * sizeof(tide_block) * 2;
    if (size > SLAB_LARGEST)
        size = SLAB_LARGEST;
    tide_slab *slab = tide_system_allocate(size, SLAB_ALIGNMENT, TIDE_REQUEST_ZEROED);
    if (slab == NULL)
        return;
    slab->blocks = size / sizeof(tide_block);
    slab->next = slabs;
    slabs = slab;
    for (size_t i = slab->blocks - 1; i > 0; i--) {
        tide_cell *cell = &slab_blocks(slab)[i].cell;
        cell->epoch = 2;
        cell->next_free = free_cells;
        free_cells = cell;
    }
}

static tide_pool_apart *pool_apart(const tide_cell *cell)
{
    return (tide_pool_apart *)(void *)((tide_block *)(void *)(uintptr_t)cell)->pool;
}

char *tide_cell_pool(const tide_cell *cell)
{
    const tide_settings *settings = tide_settings_get();
    if (settings->pool_size == 0)
        return NULL;
    if (settings->pools_apart)
        return pool_apart(cell)->start;
    return ((tide_block *)(void *)(uintptr_t)cell)->pool;
}

static bool make_pool_apart(tide_cell *cell)
{
    size_t size = tide_settings_get()->pool_size + RED_ZONE;
    char *start = tide_system_allocate(size, TIDE_POOL_BYTES, TIDE_REQUEST_ZEROED);
    if (start == NULL)
        return false;
    tide_checker_forbid(start, size);
    pool_apart(cell)->start = start;
    return true;
}

/* The slot is empty before the pool is free: a fork's child may look in between. */
static void free_pool_apart(tide_cell *cell)
{
    size_t size = tide_settings_get()->pool_size + RED_ZONE;
    char *start = pool_apart(cell)->start;
    __atomic_store_n(&pool_apart(cell)->start, NULL, __ATOMIC_RELEASE);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    tide_checker_allow_undefined(start, size);
    tide_system_free(start, size, TIDE_POOL_BYTES);
}

/* How far the list is searched for a cell that no other owner had. */
#define SEARCH_DEPTH 16u

/* Under the lock: the link to a cell, or to the end of an empty list. While there is a choice, a
 * cell that this owner had last or nobody yet: so older segments of other owners are told exactly
 * what they are. */
static tide_cell **choose(void)
{
    uint64_t owner = tide_thread_self_()->owner;
    tide_cell **link = &free_cells;
    for (uint32_t i = 0; i < SEARCH_DEPTH && *link != NULL; i++) {
        if ((*link)->owner == owner || (*link)->owner == 0)
            return link;
        link = &(*link)->next_free;
    }
    return &free_cells;
}

static tide_cell *pop_free(void)
{
    tide_cells_lock();
    if (free_cells == NULL)
        grow();
    tide_cell **link = choose();
    tide_cell *cell = *link;
    if (cell != NULL)
        *link = cell->next_free;
    tide_cells_unlock();
    return cell;
}

static void push_free(tide_cell *cell)
{
    tide_cells_lock();
    cell->next_free = free_cells;
    free_cells = cell;
    tide_cells_unlock();
}

tide_cell *tide_cell_obtain(void)
{
    tide_cell *cell = pop_free();
    if (cell == NULL)
        return NULL;
    tide_checker_acquire(cell);
    if (tide_settings_get()->pools_apart && !make_pool_apart(cell)) {
        push_free(cell);
        return NULL;
    }
    return cell;
}

void tide_cell_surrender(tide_cell *cell)
{
    if (tide_settings_get()->pools_apart)
        free_pool_apart(cell);
    tide_checker_release(cell);
    push_free(cell);
}

/* The bit in `arena` is what the inline close sees of `special`. */
static void note_special(tide_cell *cell)
{
    if (cell->special != 0)
        cell->arena |= TIDE_ARENA_COLD;
    else
        cell->arena &= ~TIDE_ARENA_COLD;
}

void tide_cell_make_cold(tide_cell *cell)
{
    if ((cell->special & TIDE_CELL_COLD) != 0)
        return;
    cell->extra = NULL;
    cell->special |= TIDE_CELL_COLD;
    note_special(cell);
}

void tide_cell_note(tide_cell *cell, uint64_t bit)
{
    cell->special |= bit;
    note_special(cell);
}

void tide_cell_add_hold(tide_cell *cell)
{
    cell->special += TIDE_CELL_HOLD;
    note_special(cell);
}

void tide_cell_drop_hold(tide_cell *cell)
{
    cell->special -= TIDE_CELL_HOLD;
    note_special(cell);
}

void tide_cell_set_owner(tide_cell *cell, tide_owner owner)
{
    if (cell->owner == owner)
        return;
    tide_relaxed_store_(&cell->since, cell->epoch);
    __atomic_store_n(&cell->owner, owner, __ATOMIC_RELEASE); /* see tide_scope_status() */
}

void tide_cells_visit(void (*visit)(tide_cell *cell, void *context), void *context)
{
    tide_cells_lock();
    for (tide_slab *slab = slabs; slab != NULL; slab = slab->next) {
        for (size_t i = 1; i < slab->blocks; i++)
            visit(&slab_blocks(slab)[i].cell, context);
    }
    tide_cells_unlock();
}

static bool is_among(const tide_cell *cell, tide_cell *const *cells, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (cells[i] == cell)
            return true;
    }
    return false;
}

static bool survivor_has(const tide_home_thread *survivor, const tide_cell *cell)
{
    return cell == survivor->fast.home ||
           is_among(cell, survivor->fast.idle, survivor->fast.idle_count) ||
           is_among(cell, survivor->kept, survivor->kept_count);
}

/* A vanished thread may have been between any two stores, so its slots say nothing; the cells do:
 * one without a mark is idle, whatever list it was on its way to. Its pool may have been half
 * cleared. */
void tide_cells_adopt(const tide_home_thread *survivor)
{
    free_cells = NULL;
    for (tide_slab *slab = slabs; slab != NULL; slab = slab->next) {
        for (size_t i = 1; i < slab->blocks; i++) {
            tide_cell *cell = &slab_blocks(slab)[i].cell;
            if (cell->mark != 0 || survivor_has(survivor, cell))
                continue;
            cell->epoch += 2;
            cell->special = 0;
            cell->arena = 0;
            if (!tide_settings_get()->pools_apart)
                tide_clear_line_(slab_blocks(slab)[i].pool);
            else if (pool_apart(cell)->start != NULL)
                free_pool_apart(cell);
            cell->next_free = free_cells;
            free_cells = cell;
        }
    }
}

/* The cell says who took it last and since which epoch. A segment from before that belonged to
 * somebody the cell no longer knows: it is CLOSED to everyone. */
tide_status tide_scope_status(const tide_cell *cell, uint64_t epoch)
{
    tide_thread_return();
    uint64_t now = tide_relaxed_(&cell->epoch);
    /* Pairs with the release store of each new owner: who sees it sees since when. */
    uint64_t owner = __atomic_load_n(&cell->owner, __ATOMIC_ACQUIRE);
    if (owner == TIDE_OWNER_ANYONE)
        return tide_word_epoch(now) == epoch ? TIDE_OK : TIDE_CLOSED;
    bool mine = owner == tide_thread_self_()->owner;
    if (now == epoch)
        return mine ? TIDE_OK : TIDE_WRONG_OWNER;
    return !mine && epoch >= tide_relaxed_(&cell->since) ? TIDE_WRONG_OWNER : TIDE_CLOSED;
}

tide_status tide_scope_check(tide_cell *cell, uint64_t epoch, const char *operation)
{
    tide_object object = {"scope", cell, NULL};
    if (cell == NULL)
        return TIDE_ERROR_PLAIN(TIDE_INVALID_ARGUMENT, operation, object,
                                "no scope: it was zeroed or never made");
    tide_status status = tide_scope_status(cell, epoch);
    if (status == TIDE_WRONG_OWNER)
        return TIDE_ERROR(status, operation, object,
                          "owned by token %" PRIu64 ", the current one is %" PRIu64,
                          tide_relaxed_(&cell->owner), tide_thread_self_()->owner);
    if (status == TIDE_CLOSED)
        return TIDE_ERROR(status, operation, object,
                          "closed: of epoch %" PRIu64 ", its cell is at epoch %" PRIu64, epoch,
                          tide_cell_epoch(cell));
    return status;
}
