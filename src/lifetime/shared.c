/* SPDX-License-Identifier: Apache-2.0 */
/* The lifetime of shared, counted and global arenas. */
#include "lifetime/shared.h"

#include <string.h>

#include "lifetime/arena.h"
#include "lifetime/cells.h"
#include "lifetime/chunk.h"
#include "lifetime/grace.h"
#include "lifetime/options.h"
#include "lifetime/retire.h"
#include "lifetime/thread.h"
#include "lifetime/word.h"

static bool is_counted(tide_shared_arena arena)
{
    return (arena.epoch_ & TIDE_SHARED_COUNTED) != 0;
}

static bool is_global(tide_shared_arena arena)
{
    return arena.cell_ == &tide_cell_global;
}

static tide_status closed(tide_shared_arena arena, const char *operation)
{
    return TIDE_ERROR(TIDE_CLOSED, operation, tide_shared_object(arena),
                      "closed: of epoch %" PRIu64 ", its cell is at epoch %" PRIu64, arena.epoch_,
                      tide_cell_epoch(arena.cell_));
}

static tide_status check_handle(tide_shared_arena arena, const char *operation)
{
    if (arena.cell_ != NULL && tide_cell_is_shared(arena.cell_))
        return TIDE_OK;
    return TIDE_ERROR_PLAIN(TIDE_INVALID_ARGUMENT, operation, tide_shared_object(arena),
                            "no shared arena: its handle was zeroed or never made");
}

tide_status tide_shared_check(tide_shared_arena arena, const char *operation)
{
    tide_status status = check_handle(arena, operation);
    if (status == TIDE_OK && !tide_word_is_of(tide_relaxed_(&arena.cell_->epoch), arena.epoch_))
        status = closed(arena, operation);
    return status;
}

tide_object tide_shared_named(tide_shared_arena arena, char *name)
{
    tide_object object = tide_shared_object(arena);
    if (arena.cell_ == NULL || !tide_shared_lock(arena))
        return object;
    const tide_extra *extra = tide_extra_of(arena.cell_);
    if (extra != NULL && extra->name[0] != '\0')
        object.name = memcpy(name, extra->name, TIDE_NAME_BYTES);
    tide_shared_unlock(arena);
    return object;
}

bool tide_shared_lock(tide_shared_arena arena)
{
    return tide_word_lock(&arena.cell_->epoch, arena.epoch_);
}

void tide_shared_unlock(tide_shared_arena arena)
{
    tide_word_unlock(&arena.cell_->epoch);
}

tide_shared_arena tide_global_arena(void)
{
    return (tide_shared_arena){&tide_cell_global, TIDE_GLOBAL_EPOCH};
}

static tide_status no_memory(void)
{
    return TIDE_ERROR_PLAIN(TIDE_OUT_OF_MEMORY, "open", TIDE_NO_OBJECT,
                            "no memory for the arena's records");
}

/* Makes a closed cell's next scope a counted one with one reference. A fork may have the
 * lock bit. */
static void count_first(uint64_t *word)
{
    uint64_t seen = tide_relaxed_(word);
    while (!tide_word_change(word, &seen, (seen | TIDE_SHARED_COUNTED) + TIDE_SHARED_HOLD))
        continue;
}

/* Until the handle is returned nobody else can have it, so the cell is the caller's. */
static tide_status open_any(tide_shared_arena *arena, const tide_arena_options *options,
                            uint64_t counted)
{
    if (arena == NULL)
        return TIDE_ERROR_PLAIN(TIDE_INVALID_ARGUMENT, "open", TIDE_NO_OBJECT,
                                "no place for the handle: NULL");
    tide_cell *cell = tide_shared_cell_take();
    if (cell == NULL)
        return no_memory();
    if (options != NULL) {
        tide_extra *extra = tide_extra_obtain(cell);
        if (extra == NULL) {
            tide_retire(cell);
            return no_memory();
        }
        tide_chunk *chunk = tide_cell_chunks(cell); /* of a ready cell: the system's */
        if (chunk != NULL)
            (void)tide_chunk_give_back(tide_thread_current(), chunk);
        tide_cell_set_chunks(cell, NULL);
        tide_options_apply(options, extra);
    }
    tide_cell_set_mark(cell, TIDE_MARK_NONE);
    if (counted != 0)
        count_first(&cell->epoch);
    *arena = (tide_shared_arena){cell, tide_cell_epoch(cell)};
    return TIDE_OK;
}

tide_status tide_shared_open(tide_shared_arena *arena)
{
    return open_any(arena, NULL, 0);
}

tide_status tide_shared_open_with(tide_shared_arena *arena, const tide_arena_options *options)
{
    tide_status status = tide_options_check(options);
    return status == TIDE_OK ? open_any(arena, options, 0) : status;
}

tide_status tide_counted_open(tide_shared_arena *arena)
{
    return open_any(arena, NULL, TIDE_SHARED_COUNTED);
}

tide_status tide_counted_open_with(tide_shared_arena *arena, const tide_arena_options *options)
{
    tide_status status = tide_options_check(options);
    return status == TIDE_OK ? open_any(arena, options, TIDE_SHARED_COUNTED) : status;
}

bool tide_shared_is_alive(tide_shared_arena arena)
{
    return tide_scope_is_alive(tide_shared_scope(arena));
}

tide_scope tide_shared_scope(tide_shared_arena arena)
{
    return (tide_scope){arena.cell_, arena.epoch_};
}

tide_status tide_shared_hold(tide_shared_arena arena, tide_hold *hold)
{
    return tide_scope_hold(tide_shared_scope(arena), hold);
}

static tide_status add_count(tide_shared_arena arena, const char *operation)
{
    uint64_t *word = &arena.cell_->epoch;
    uint64_t seen = tide_relaxed_(word);
    do {
        if (!tide_word_is_of(seen, arena.epoch_))
            return closed(arena, operation);
        if (seen > UINT64_MAX - TIDE_SHARED_HOLD)
            return TIDE_ERROR(TIDE_EXHAUSTED, operation, tide_shared_object(arena),
                              "holds and references that are out: %" PRIu64, tide_word_count(seen));
    } while (!tide_word_change(word, &seen, seen + TIDE_SHARED_HOLD));
    return TIDE_OK;
}

/* The global scope can be held, but nothing comes of it. */
tide_status tide_shared_add_hold(tide_scope scope, const char *operation)
{
    tide_shared_arena arena = {scope.cell_, scope.epoch_};
    return is_global(arena) ? TIDE_OK : add_count(arena, operation);
}

/*
 * Whether the end of a scope has a grace period of its own, instead of sharing one with others
 * later. Cleanups and wiping are part of the close. So is unmapping: a program that closes an arena
 * means to have its files back, to truncate, replace or map them otherwise, and in the retire list
 * a mapping would keep them for nobody knows how long. Nor could that list's bound count it: a
 * mapping takes addresses and pages of the file, not memory, so by its size one large file would
 * flush everybody's memory, and by nothing a thousand of them could wait. Against two system calls
 * for each mapping the wait weighs little. And the close can still say that the system refused to
 * unmap.
 */
static bool ends_alone(const tide_cell *cell)
{
    const tide_extra *extra = tide_extra_of(cell);
    return (extra != NULL && extra->newest != NULL) || tide_cell_is_wiped(cell) ||
           (cell->special & TIDE_CELL_MAPPED) != 0;
}

/* What is left to do once the epoch has moved on. */
static tide_status finish(tide_cell *cell, const char *operation)
{
    if (!ends_alone(cell)) {
        tide_retire(cell);
        return TIDE_OK;
    }
    tide_extra *extra = tide_extra_of(cell);
    tide_ending ending = {0};
    tide_object object = {"arena", cell, NULL};
    char name[TIDE_NAME_BYTES]; /* the object's goes with the extra */
    if (extra != NULL && extra->name[0] != '\0')
        object.name = memcpy(name, extra->name, sizeof name);
    (void)tide_grace_wait(true);
    tide_cleanups_run(extra, &ending);
    if (tide_cell_is_wiped(cell))
        tide_cell_wipe_chunks(cell);
    tide_cell_drop_chunks(cell, &ending);
    tide_cell_forget(cell);
    tide_shared_cell_give(cell);
    return tide_ending_report(&ending, operation, object);
}

static tide_status inside(tide_shared_arena arena, const char *operation)
{
    return TIDE_ERROR_PLAIN(TIDE_BUSY, operation, tide_shared_object(arena),
                            "the calling thread is inside a checked access");
}

typedef enum outcome { ENDED, STALE, COUNTED_OTHERWISE } outcome;

/*
 * Moves the epoch on when `count` holds and references are out and nobody allocates. The exchange
 * is what decides between closing and one more hold, and between the last of two releases; acquire:
 * it sees what the last allocation made of the cell. `seen` gets the word that decided.
 */
static outcome try_end(tide_shared_arena arena, uint64_t count, uint64_t *seen)
{
    uint64_t *word = &arena.cell_->epoch;
    uint32_t pauses = 0;
    *seen = tide_relaxed_(word);
    for (;;) {
        if (!tide_word_is_of(*seen, arena.epoch_))
            return STALE;
        if (tide_word_count(*seen) != count)
            return COUNTED_OTHERWISE;
        if (tide_word_is_locked(*seen)) {
            tide_back_off(&pauses);
            *seen = tide_relaxed_(word);
        } else if (tide_word_change(word, seen, tide_word_next(*seen))) {
            return ENDED;
        }
    }
}

static tide_status end(tide_shared_arena arena, const char *operation)
{
    char name[TIDE_NAME_BYTES];
    uint64_t seen;
    switch (try_end(arena, 0, &seen)) {
    case ENDED:
        return TIDE_OK;
    case STALE:
        return closed(arena, operation);
    default:
        return TIDE_ERROR(TIDE_BUSY, operation, tide_shared_named(arena, name),
                          "held; holds that are out: %" PRIu64, tide_word_count(seen));
    }
}

/* The kind first: what never closes so is never told that it is closed. */
static tide_status check_end(tide_shared_arena arena, const char *operation)
{
    tide_status status = check_handle(arena, operation);
    if (status != TIDE_OK)
        return status;
    if (is_global(arena) || is_counted(arena))
        return TIDE_ERROR_PLAIN(TIDE_UNSUPPORTED, operation, tide_shared_object(arena),
                                is_global(arena)
                                    ? "the global arena never closes"
                                    : "a counted arena closes with its last reference");
    if (tide_section_is_inside() && tide_shared_is_alive(arena))
        return inside(arena, operation);
    return end(arena, operation);
}

tide_status tide_shared_close(tide_shared_arena arena)
{
    tide_status status = check_end(arena, "close");
    return status == TIDE_OK ? finish(arena.cell_, "close") : status;
}

/* Between the end of the old epoch and the return of the new one nobody has a handle. */
tide_status tide_shared_reset(tide_shared_arena *arena)
{
    if (arena == NULL)
        return check_handle((tide_shared_arena){NULL, 0}, "reset");
    if (arena->cell_ != NULL && tide_shared_is_alive(*arena) && tide_word_next(arena->epoch_) == 0)
        return TIDE_ERROR_PLAIN(TIDE_EXHAUSTED, "reset", tide_shared_object(*arena),
                                "the epochs of its cell are used up: close it and open another");
    tide_status status = check_end(*arena, "reset");
    if (status != TIDE_OK)
        return status;
    tide_cell *cell = arena->cell_;
    tide_extra *extra = tide_extra_of(cell);
    tide_ending ending = {0};
    (void)tide_grace_wait(true);
    tide_cleanups_run(extra, &ending);
    if (tide_cell_is_wiped(cell))
        tide_cell_wipe_chunks(cell);
    tide_cell_keep_chunks(cell, &ending);
    arena->epoch_ = tide_cell_epoch(cell);
    return tide_ending_report(&ending, "reset", tide_shared_object(*arena));
}

static tide_status check_counted(tide_shared_arena arena, const char *operation)
{
    tide_status status = check_handle(arena, operation);
    if (status != TIDE_OK || is_counted(arena))
        return status;
    return TIDE_ERROR_PLAIN(TIDE_UNSUPPORTED, operation, tide_shared_object(arena),
                            "the arena is not a counted one");
}

tide_status tide_counted_retain(tide_shared_arena arena)
{
    tide_status status = check_counted(arena, "retain");
    return status == TIDE_OK ? add_count(arena, "retain") : status;
}

/* Ends a counted scope whose last reference this is; false when somebody has retained it meanwhile,
 * or released his. */
static bool end_last(tide_shared_arena arena)
{
    uint64_t seen;
    return try_end(arena, 1, &seen) == ENDED;
}

/* One hold or reference less; the last reference of a counted scope ends it. `hold`, if any, is
 * cleared as soon as it is over: cleanups may look at it. */
static tide_status drop(tide_shared_arena arena, tide_hold *hold, const char *operation)
{
    uint64_t *word = &arena.cell_->epoch;
    bool last;
    for (;;) {
        uint64_t seen = tide_relaxed_(word);
        if (!tide_word_is_of(seen, arena.epoch_))
            return closed(arena, operation);
        if (tide_word_count(seen) == 0)
            return TIDE_ERROR_PLAIN(TIDE_INVALID_ARGUMENT, operation, tide_shared_object(arena),
                                    "no hold of this scope is out: it was a copy");
        last = is_counted(arena) && tide_word_count(seen) == 1;
        if (last && tide_section_is_inside())
            return inside(arena, operation);
        if (last ? end_last(arena) : tide_word_change(word, &seen, seen - TIDE_SHARED_HOLD))
            break;
    }
    if (hold != NULL)
        *hold = (tide_hold){{NULL, 0}};
    return last ? finish(arena.cell_, operation) : TIDE_OK;
}

tide_status tide_counted_release(tide_shared_arena arena)
{
    tide_status status = check_counted(arena, "release");
    return status == TIDE_OK ? drop(arena, NULL, "release") : status;
}

tide_status tide_shared_drop_hold(tide_hold *hold)
{
    tide_shared_arena arena = {hold->scope_.cell_, hold->scope_.epoch_};
    if (!is_global(arena))
        return drop(arena, hold, "release");
    *hold = (tide_hold){{NULL, 0}};
    return TIDE_OK;
}
