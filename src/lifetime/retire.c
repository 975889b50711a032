/* SPDX-License-Identifier: Apache-2.0 */
#include "lifetime/retire.h"

#include <stdio.h>

#include "base/lock.h"
#include "base/os.h"
#include "base/settings.h"
#include "lifetime/arena.h"
#include "lifetime/cells.h"
#include "lifetime/chunk.h"
#include "lifetime/extra.h"
#include "lifetime/grace.h"
#include "lifetime/thread.h"
#include "lifetime/word.h"

/* A slab's first cell is its header. */
typedef struct slab {
    struct slab *next;
    size_t cells; /* header included */
} slab;

#define SLAB_ALIGNMENT 4096u
#define SLAB_FIRST     4096u
#define SLAB_LARGEST   65536u

/* Cells linked by `since`, which shared scopes don't use. */
typedef struct list {
    tide_cell *first;
    tide_cell *last; /* valid when first is not NULL */
    size_t count;
    size_t bytes; /* of their chunks' payload */
} list;

/* All of this is guarded by the lock. */
static tide_lock lock;
static slab *slabs;       /* newest first */
static list free_cells;   /* without memory */
static list ready;        /* with one chunk each */
static list retired;      /* … that a grace period makes ready */
static list retired_rest; /* with memory that goes back to where it came from */
static bool is_passing;   /* a thread waits for a grace period for these: */
static list passing;
static list passing_rest;

static tide_cell *next_of(const tide_cell *cell)
{
    return (tide_cell *)(uintptr_t)cell->since;
}

static void push(list *to, tide_cell *cell, size_t bytes)
{
    cell->since = (uint64_t)(uintptr_t)to->first;
    if (to->first == NULL)
        to->last = cell;
    to->first = cell;
    to->count++;
    to->bytes += bytes;
}

static size_t bytes_of(const tide_cell *cell)
{
    size_t bytes = 0;
    for (const tide_chunk *chunk = tide_cell_chunks(cell); chunk != NULL; chunk = chunk->next)
        bytes += tide_chunk_payload(chunk);
    const tide_extra *extra = tide_extra_of(cell);
    for (const tide_chunk *chunk = extra != NULL ? extra->spare : NULL; chunk != NULL;
         chunk = chunk->next)
        bytes += tide_chunk_payload(chunk);
    return bytes;
}

/* The first cell of a list, or NULL. */
static tide_cell *pop(list *from)
{
    tide_cell *cell = from->first;
    if (cell == NULL)
        return NULL;
    from->first = next_of(cell);
    from->count--;
    from->bytes -= bytes_of(cell);
    return cell;
}

/* Puts all of one list in front of another. */
static void splice(list *to, list *from)
{
    if (from->first == NULL)
        return;
    from->last->since = (uint64_t)(uintptr_t)to->first;
    if (to->first == NULL)
        to->last = from->last;
    to->first = from->first;
    to->count += from->count;
    to->bytes += from->bytes;
    *from = (list){NULL, NULL, 0, 0};
}

static tide_cell *cells_of(slab *of)
{
    return (tide_cell *)(void *)of;
}

static void grow(void)
{
    size_t size = SLAB_FIRST;
    if (slabs != NULL)
        size = slabs->cells * sizeof(tide_cell) * 2;
    if (size > SLAB_LARGEST)
        size = SLAB_LARGEST;
    slab *made = tide_system_allocate(size, SLAB_ALIGNMENT, TIDE_REQUEST_ZEROED);
    if (made == NULL)
        return;
    made->cells = size / sizeof(tide_cell);
    made->next = slabs;
    slabs = made;
    for (size_t i = made->cells - 1; i > 0; i--) {
        tide_cell *cell = &cells_of(made)[i];
        cell->epoch = TIDE_SHARED_STEP;
        cell->owner = TIDE_OWNER_ANYONE;
        push(&free_cells, cell, 0);
    }
}

tide_cell *tide_shared_cell_take(void)
{
    tide_lock_take(&lock);
    tide_cell *cell = pop(&ready);
    if (cell == NULL) {
        if (free_cells.first == NULL)
            grow();
        cell = pop(&free_cells);
    }
    tide_lock_leave(&lock);
    if (cell == NULL)
        return NULL;
    tide_chunk *chunk = tide_cell_chunks(cell);
    if (chunk != NULL)
        chunk->bump = chunk->start;
    return cell;
}

/* A cell whose epochs are used up reads as epoch 0 and is never used again. */
static void forget_or_free(tide_cell *cell)
{
    if (tide_word_epoch(tide_relaxed_(&cell->epoch)) != 0)
        push(&free_cells, cell, 0);
}

void tide_shared_cell_give(tide_cell *cell)
{
    tide_lock_take(&lock);
    forget_or_free(cell);
    tide_lock_leave(&lock);
}

/* Whether the cell, its readers gone, can serve the next arena as it is. */
static bool can_be_ready(const tide_cell *cell)
{
    const tide_chunk *chunk = tide_cell_chunks(cell);
    const tide_settings *settings = tide_settings_get();
    return settings->ready && cell->special == 0 && chunk != NULL && chunk->next == NULL &&
           tide_chunk_is_cacheable(chunk) && tide_word_epoch(tide_relaxed_(&cell->epoch)) != 0;
}

/* Whoever could report it has long returned. */
static void complain(const tide_ending *ending)
{
    char line[160];
    if (ending->manager_status == TIDE_OK)
        return;
    (void)snprintf(line, sizeof line,
                   "tidepool: the manager %s refused to take back a chunk of a closed arena: %s",
                   ending->manager_name, tide_status_name(ending->manager_status));
    tide_os_complain(line);
}

/* Gives a cell's memory back and the cell to the free ones. No lock is held: managers are
 * called. */
static void release(tide_cell *cell)
{
    tide_ending ending = {0};
    tide_cell_drop_chunks(cell, &ending);
    tide_cell_forget(cell);
    tide_shared_cell_give(cell);
    complain(&ending);
}

/* Releases every cell of a list that others may add to meanwhile; says how many bytes. */
static size_t release_all(list *from)
{
    size_t bytes = 0;
    for (;;) {
        tide_lock_take(&lock);
        size_t before = from->bytes;
        tide_cell *cell = pop(from);
        bytes += before - from->bytes;
        tide_lock_leave(&lock);
        if (cell == NULL)
            return bytes;
        release(cell);
    }
}

/* One grace period for everything retired so far, or the rest of the one that another thread waits
 * for. */
static bool pass(bool patience, size_t *freed)
{
    tide_lock_take(&lock);
    if (is_passing) {
        tide_lock_leave(&lock);
        tide_os_wait_a_little(0);
        return patience;
    }
    is_passing = true;
    splice(&passing, &retired);
    splice(&passing_rest, &retired_rest);
    tide_lock_leave(&lock);
    bool passed = tide_grace_wait(patience);
    tide_lock_take(&lock);
    if (passed) {
        splice(&ready, &passing);
    } else {
        splice(&retired, &passing);
        splice(&retired_rest, &passing_rest);
    }
    list mine = {NULL, NULL, 0, 0}; /* a manager that gets its chunks back may come here again */
    splice(&mine, &passing_rest);
    is_passing = false;
    tide_lock_leave(&lock);
    *freed += release_all(&mine);
    return passed;
}

static bool fits(size_t bytes)
{
    const tide_settings *settings = tide_settings_get();
    size_t count =
        ready.count + retired.count + retired_rest.count + passing.count + passing_rest.count;
    size_t held =
        ready.bytes + retired.bytes + retired_rest.bytes + passing.bytes + passing_rest.bytes;
    return count < settings->retire_blocks && bytes <= settings->retire_bytes &&
           held <= settings->retire_bytes - bytes;
}

/* Makes room for one more: a ready one goes, or a grace period passes. The lock is left for
 * that. */
static void make_room(void)
{
    tide_cell *cell = pop(&ready);
    size_t freed = 0;
    tide_lock_leave(&lock);
    if (cell != NULL)
        release(cell);
    else
        (void)pass(true, &freed);
    tide_lock_take(&lock);
}

static bool is_empty(void)
{
    return ready.count + retired.count + retired_rest.count == 0 && !is_passing;
}

void tide_retire(tide_cell *cell)
{
    size_t bytes = bytes_of(cell);
    bool simple = can_be_ready(cell);
    tide_lock_take(&lock);
    while (!fits(bytes) && !is_empty())
        make_room();
    if (fits(bytes)) {
        push(simple ? &retired : &retired_rest, cell, bytes);
        tide_lock_leave(&lock);
        return;
    }
    tide_lock_leave(&lock);
    (void)tide_grace_wait(true);
    release(cell);
}

size_t tide_retire_drain(bool patience)
{
    size_t freed = 0;
    for (;;) {
        tide_lock_take(&lock);
        bool waits = retired.first != NULL || retired_rest.first != NULL || is_passing;
        tide_lock_leave(&lock);
        if (!waits || !pass(patience, &freed))
            break;
    }
    return freed + release_all(&ready);
}

tide_retired_figures tide_retired_now(void)
{
    tide_lock_take(&lock);
    tide_retired_figures figures = {
        .retired = retired.count + retired_rest.count + passing.count + passing_rest.count,
        .retired_bytes = retired.bytes + retired_rest.bytes + passing.bytes + passing_rest.bytes,
        .ready = ready.count,
        .ready_bytes = ready.bytes,
    };
    tide_lock_leave(&lock);
    return figures;
}

static void visit_all(void (*visit)(tide_cell *cell, void *context), void *context)
{
    for (slab *each = slabs; each != NULL; each = each->next) {
        for (size_t i = 1; i < each->cells; i++)
            visit(&cells_of(each)[i], context);
    }
}

void tide_shared_cells_visit(void (*visit)(tide_cell *cell, void *context), void *context)
{
    tide_lock_take(&lock);
    visit_all(visit, context);
    tide_lock_leave(&lock);
}

static void lock_cell(tide_cell *cell, void *context)
{
    (void)context;
    tide_word_lock_any(&cell->epoch);
}

static void unlock_cell(tide_cell *cell, void *context)
{
    (void)context;
    tide_word_unlock(&cell->epoch);
}

/* A closed cell is locked like an open one: while the lists are, nobody opens it. */
void tide_retire_fork_prepare(void)
{
    tide_lock_take(&lock);
    visit_all(lock_cell, NULL);
    tide_word_lock_any(&tide_cell_global.epoch);
}

void tide_retire_fork_parent(void)
{
    tide_word_unlock(&tide_cell_global.epoch);
    visit_all(unlock_cell, NULL);
    tide_lock_leave(&lock);
}

/* A grace period that a vanished thread waited for begins anew. */
void tide_retire_fork_child(void)
{
    splice(&retired, &passing);
    splice(&retired_rest, &passing_rest);
    is_passing = false;
    tide_retire_fork_parent();
}
