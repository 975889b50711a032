/* SPDX-License-Identifier: Apache-2.0 */
#include "lifetime/arena.h"

#include <string.h>

#include "base/assert.h"
#include "base/checker.h"
#include "base/settings.h"
#include "base/tokens.h"
#include "lifetime/cells.h"
#include "lifetime/chunk.h"
#include "lifetime/valid.h"
#include <tidepool/bytes.h>

static tide_owner owner_of(const tide_arena *arena)
{
    return tide_relaxed_(&arena->owner_);
}

/* Only the owner of an open arena may look for its name: for everyone else it may be changing. */
tide_object tide_arena_object(const tide_arena *arena)
{
    tide_object object = {"arena", arena, NULL};
    if (arena == NULL || owner_of(arena) != tide_thread_self_()->owner ||
        tide_arena_is_closed(arena))
        return object;
    tide_cell *cell = tide_arena_cell(arena);
    if (cell == NULL || !tide_cell_serves(cell, arena))
        return object;
    tide_extra *extra = tide_extra_of(cell);
    if (extra != NULL && extra->name[0] != '\0')
        object.name = extra->name;
    return object;
}

tide_status tide_arena_find_fault(const tide_arena *arena, const char *operation)
{
    tide_object object = {"arena", arena, NULL};
    if (arena == NULL)
        return TIDE_ERROR_PLAIN(TIDE_INVALID_ARGUMENT, operation, TIDE_NO_OBJECT, "no arena: NULL");
    tide_thread_return();
    tide_owner owner = owner_of(arena);
    if (!tide_token_exists(owner))
        return TIDE_ERROR(TIDE_INVALID_ARGUMENT, operation, object,
                          "never opened, or overwritten: its owner reads as %" PRIu64, owner);
    if (owner != tide_thread_self_()->owner)
        return TIDE_ERROR(TIDE_WRONG_OWNER, operation, object,
                          "owned by token %" PRIu64 ", the current one is %" PRIu64, owner,
                          tide_thread_self_()->owner);
    if (tide_arena_is_closed(arena))
        return TIDE_ERROR_PLAIN(TIDE_CLOSED, operation, object,
                                arena->state_ == TIDE_STATE_ENDING
                                    ? "the arena is being closed, an open one is wanted"
                                    : "the arena is closed, an open one is wanted");
    const tide_cell *cell = tide_arena_cell(arena);
    if (cell == NULL || tide_cell_serves(cell, arena)) /* the thread's block was only missing */
        return TIDE_OK;
    if (tide_cell_is_of(cell, arena) || tide_cell_is_of(cell, NULL))
        return TIDE_ERROR_PLAIN(TIDE_CLOSED, operation, object,
                                "the arena was closed to a mark, an open one is wanted");
    return TIDE_ERROR(TIDE_INVALID_ARGUMENT, operation, object,
                      "a copied or moved arena: its memory belongs to the one at 0x%" PRIx64,
                      cell->arena & ~TIDE_ARENA_COLD);
}

tide_status tide_arena_no_memory(const tide_arena *arena, const char *operation)
{
    return TIDE_ERROR_PLAIN(TIDE_OUT_OF_MEMORY, operation, tide_arena_object(arena),
                            "no memory for the library's own records");
}

/* Puts an arena that has just taken its cell, or was reset, at the start of the pool. */
static void start_window(tide_arena *arena, tide_cell *cell)
{
    uint64_t state = (uint64_t)(uintptr_t)cell;
    if (cell->special == 0 && tide_cell_chunks(cell) != NULL)
        state |= TIDE_STATE_CHUNK;
    if (!tide_settings_get()->ready)
        state |= TIDE_STATE_WINDOW;
    tide_arena_set_state(arena, state);
    char *pool = tide_cell_pool(cell);
    tide_arena_set_bump(arena, pool != NULL ? pool : ((tide_block *)(void *)cell)->pool);
}

tide_cell *tide_arena_take_cell(tide_arena *arena)
{
    TIDE_ASSERT(tide_arena_is_valid(arena));
    tide_cell *cell = tide_arena_cell(arena);
    if (cell != NULL) {
        tide_arena_settle(arena, cell);
        return cell;
    }
    tide_home_thread *thread = tide_thread_current();
    cell = tide_thread_take_cell(thread);
    if (cell == NULL)
        return NULL;
    tide_cell_take_(cell, arena, arena->state_, 0);
    start_window(arena, cell);
    if (!tide_settings_get()->ready)
        tide_cell_make_cold(cell);
    return cell;
}

tide_status tide_arena_open_slow_(tide_arena *arena)
{
    if (arena == NULL)
        return TIDE_ERROR_PLAIN(TIDE_INVALID_ARGUMENT, "open", TIDE_NO_OBJECT, "no arena: NULL");
    const tide_home_thread *thread = tide_thread_enter("open");
    if (thread == NULL)
        return TIDE_OUT_OF_MEMORY;
    tide_relaxed_store_(&arena->owner_, thread->fast.owner);
    tide_arena_set_state(arena, thread->fast.word);
    return TIDE_OK;
}

void tide_cell_clear_pool(tide_cell *cell, size_t pool_used)
{
    char *pool = tide_cell_pool(cell);
    if (!tide_settings_get()->pools_apart) {
        tide_clear_line_(((tide_block *)(void *)cell)->pool);
    } else {
        tide_checker_allow_defined(pool, pool_used);
        memset(pool, 0, pool_used);
        tide_checker_forbid(pool, tide_settings_get()->pool_size);
    }
}

static void wipe(char *start, size_t size)
{
    tide_checker_allow_undefined(start, size);
    tide_bytes_wipe(start, 0, size);
}

void tide_cell_wipe_chunks(const tide_cell *cell)
{
    for (tide_chunk *chunk = tide_cell_chunks(cell); chunk != NULL; chunk = chunk->next) {
        if (tide_chunk_has_memory(chunk))
            wipe(chunk->start, (size_t)(chunk->bump - chunk->start));
    }
}

void tide_cell_wipe(const tide_cell *cell)
{
    char *pool = tide_cell_pool(cell);
    if (pool != NULL)
        wipe(pool, tide_settings_get()->pool_size);
    tide_cell_wipe_chunks(cell);
}

static void drop(tide_chunk *chunk, tide_ending *ending)
{
    tide_home_thread *thread = tide_thread_current();
    while (chunk != NULL) {
        tide_chunk *next = chunk->next;
        const tide_manager *manager = chunk->manager;
        tide_status status = tide_chunk_give_back(thread, chunk);
        if (status != TIDE_OK && ending->manager_status == TIDE_OK) {
            ending->manager_status = status;
            ending->manager_name = manager->name;
        }
        chunk = next;
    }
}

void tide_cell_drop_chunks(tide_cell *cell, tide_ending *ending)
{
    tide_extra *extra = tide_extra_of(cell);
    if (extra != NULL)
        drop(extra->spare, ending);
    drop(tide_cell_chunks(cell), ending);
    if (extra == NULL)
        return;
    cell->extra = NULL; /* first: a fork's child may look at a cell of a thread that is here */
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    tide_extra_free(extra);
}

tide_status tide_ending_report(const tide_ending *ending, const char *operation, tide_object object)
{
    if (ending->failures != 0)
        return tide_error_note_message(TIDE_CLEANUP_FAILED, operation, object,
                                       "cleanups that failed: %" PRIu64 ", the first with: ",
                                       (const uint64_t[TIDE_ERROR_NUMBERS]){ending->failures},
                                       ending->first_message);
    if (ending->manager_status != TIDE_OK) {
        tide_object manager = {"manager", NULL, ending->manager_name};
        return tide_error_note_message(
            TIDE_CLEANUP_FAILED, operation, manager,
            "a manager refused to take a chunk back; the arena is closed: ", NULL,
            tide_status_name(ending->manager_status));
    }
    return TIDE_OK;
}

/* Asked only where pools lie apart, and there the window never leaves the pool. */
static size_t pool_used(const tide_arena *arena, const tide_cell *cell)
{
    const char *pool = tide_cell_pool(cell);
    return pool != NULL ? (size_t)(arena->bump_ - pool) : 0;
}

/* From here on every segment is dead, and the arena closed to everyone, its cleanups included; no
 * mark reaches it, since a cleanup may close to one. */
static void end_lifetime(tide_arena *arena, tide_cell *cell)
{
    tide_cell_set_mark(cell, TIDE_MARK_NONE);
    tide_epoch_advance_(&cell->epoch);
    tide_arena_set_state(arena, TIDE_STATE_ENDING);
}

static tide_status check_close(tide_arena *arena, const char *operation)
{
    tide_status status = tide_arena_check(arena, operation);
    if (status != TIDE_OK)
        return status;
    const tide_cell *cell = tide_arena_cell(arena);
    if (cell != NULL && cell->special >= TIDE_CELL_HOLD)
        return TIDE_ERROR(TIDE_BUSY, operation, tide_arena_object(arena),
                          "held; holds that are out: %" PRIu64, cell->special / TIDE_CELL_HOLD);
    TIDE_ASSERT(tide_arena_is_valid(arena));
    return TIDE_OK;
}

/* An arena with nothing but memory of the system's. Its pool is in its cell's block: with pools
 * elsewhere, or none, every cell that is taken is cold. */
static tide_status close_plain(tide_arena *arena, tide_cell *cell)
{
    tide_chunk *chunk = tide_cell_chunks(cell);
    tide_home_thread *thread = tide_thread_current();
    end_lifetime(arena, cell);
    while (chunk != NULL) {
        tide_chunk *next = chunk->next;
        (void)tide_chunk_give_back(thread, chunk);
        chunk = next;
    }
    tide_clear_line_(((tide_block *)(void *)cell)->pool);
    tide_thread_give_cell(thread, cell);
    tide_arena_set_state(arena, TIDE_STATE_CLOSED);
    return TIDE_OK;
}

/* A nested arena beyond the pools the thread keeps, or one whose chunk is not the home chunk. With
 * no bit beside its address the cell has at most one chunk, of the system's. */
static bool close_quickly(tide_arena *arena)
{
    if (arena == NULL || tide_relaxed_(&arena->owner_) != tide_thread_self_()->owner ||
        !tide_thread_has_home(tide_thread_self_()))
        return false;
    tide_cell *cell = tide_arena_cell(arena); /* none: closed ones, too */
    if (cell == NULL || cell->arena != (uint64_t)(uintptr_t)arena)
        return false;
    tide_home_thread *thread = tide_thread_current();
    tide_chunk *chunk = tide_cell_chunks(cell);
    tide_cell_retire_(cell, arena, (arena->state_ & TIDE_STATE_FRESH) == 0);
    if (chunk != NULL)
        (void)tide_chunk_give_back(thread, chunk);
    tide_thread_give_cell(thread, cell);
    return true;
}

static __attribute__((noinline)) tide_status close_fully(tide_arena *arena)
{
    tide_status status = check_close(arena, "close");
    if (status != TIDE_OK)
        return status;
    tide_cell *cell = tide_arena_cell(arena);
    if (cell == NULL) {
        tide_arena_set_state(arena, TIDE_STATE_CLOSED);
        return TIDE_OK;
    }
    if ((cell->special & ~TIDE_CELL_CHUNKS) == 0)
        return close_plain(arena, cell);
    tide_ending ending = {0};
    tide_object object = tide_arena_object(arena);
    char name[TIDE_NAME_BYTES]; /* the object's goes with the extra */
    if (object.name != NULL)
        object.name = memcpy(name, object.name, sizeof name);
    end_lifetime(arena, cell);
    tide_cleanups_run(tide_extra_of(cell), &ending);
    if (tide_cell_is_wiped(cell))
        tide_cell_wipe(cell);
    tide_cell_drop_chunks(cell, &ending);
    tide_cell_clear_pool(cell, pool_used(arena, cell));
    tide_thread_give_cell(tide_thread_current(), cell);
    tide_arena_set_state(arena, TIDE_STATE_CLOSED);
    return tide_ending_report(&ending, "close", object);
}

tide_status tide_arena_close_slow_(tide_arena *arena)
{
    return close_quickly(arena) ? TIDE_OK : close_fully(arena);
}

/* The row's chunks stay, empty; the newest is used first, the others wait in the extra.
 * Where there is no memory for one, they go. So do mapped files, which hold nothing that
 * could be used again. */
void tide_cell_keep_chunks(tide_cell *cell, tide_ending *ending)
{
    size_t row_max = tide_settings_get()->chunk_max;
    tide_extra *extra = tide_extra_of(cell);
    if (extra != NULL)
        row_max = extra->chunk_max;
    tide_chunk *kept = NULL;
    tide_chunk *next;
    for (tide_chunk *chunk = tide_cell_chunks(cell); chunk != NULL; chunk = next) {
        next = chunk->next;
        chunk->next = NULL;
        if (tide_chunk_payload(chunk) > row_max || tide_chunk_is_wrapped(chunk)) {
            drop(chunk, ending);
            continue;
        }
        chunk->bump = chunk->start;
        if (tide_chunk_has_memory(chunk))
            tide_checker_forbid(chunk->start, tide_chunk_payload(chunk));
        if (kept == NULL) {
            kept = chunk;
        } else if ((extra = tide_extra_obtain(cell)) != NULL) {
            chunk->next = extra->spare;
            extra->spare = chunk;
        } else {
            drop(chunk, ending);
        }
    }
    tide_cell_set_chunks(cell, kept);
    cell->special &= ~TIDE_CELL_MAPPED;
}

tide_status tide_arena_reset(tide_arena *arena)
{
    tide_status status = check_close(arena, "reset");
    if (status != TIDE_OK)
        return status;
    tide_cell *cell = tide_arena_cell(arena);
    if (cell == NULL)
        return TIDE_OK;
    tide_ending ending = {0};
    uint64_t opened = cell->mark & ~TIDE_MARK_CHUNKS;
    end_lifetime(arena, cell);
    tide_cleanups_run(tide_extra_of(cell), &ending);
    if (tide_cell_is_wiped(cell))
        tide_cell_wipe(cell);
    tide_cell_clear_pool(cell, pool_used(arena, cell));
    tide_cell_keep_chunks(cell, &ending);
    tide_cell_set_mark(cell, opened);
    start_window(arena, cell);
    TIDE_ASSERT(tide_arena_is_valid(arena));
    return tide_ending_report(&ending, "reset", tide_arena_object(arena));
}

bool tide_arena_is_alive(const tide_arena *arena)
{
    if (arena == NULL || tide_arena_is_closed(arena) || !tide_token_exists(owner_of(arena)))
        return false;
    if (owner_of(arena) != tide_thread_self_()->owner)
        return true;
    /* Its owner may look closer: a longjmp may leave a struct whose arena was closed to a mark. */
    const tide_cell *cell = tide_arena_cell(arena);
    return cell == NULL || tide_cell_serves(cell, arena);
}

tide_status tide_arena_hand_over(tide_arena *arena, tide_owner to)
{
    if (!tide_token_exists(to))
        return TIDE_ERROR(TIDE_INVALID_ARGUMENT, "hand over", tide_arena_object(arena),
                          "no such owner token: %" PRIu64, to);
    tide_status status = tide_arena_check(arena, "hand over");
    if (status != TIDE_OK)
        return status;
    tide_cell *cell = tide_arena_cell(arena);
    if (cell == NULL) {
        tide_arena_set_state(arena, TIDE_MARK_NONE);
    } else {
        tide_home_thread *thread = tide_thread_current();
        if (cell == thread->fast.home || tide_cell_chunks(cell) != NULL) {
            tide_thread_detach_home(thread);
            tide_thread_find_home(thread);
        }
        tide_cell_set_mark(cell, TIDE_MARK_NONE); /* before its new owner may look: see mark.c */
        tide_cell_set_owner(cell, to);
    }
    tide_relaxed_store_(&arena->owner_, to);
    return TIDE_OK;
}

tide_status tide_arena_attach(tide_arena *arena, tide_cleanup cleanup, void *context)
{
    if (cleanup == NULL)
        return TIDE_ERROR_PLAIN(TIDE_INVALID_ARGUMENT, "attach", tide_arena_object(arena),
                                "no cleanup: NULL");
    tide_status status = tide_arena_check(arena, "attach");
    if (status != TIDE_OK)
        return status;
    tide_cell *cell = tide_arena_take_cell(arena);
    tide_extra *extra = cell != NULL ? tide_extra_obtain(cell) : NULL;
    if (extra == NULL || !tide_cleanup_push(extra, cleanup, context))
        return tide_arena_no_memory(arena, "attach");
    return TIDE_OK;
}
