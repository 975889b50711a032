/* SPDX-License-Identifier: Apache-2.0 */
/* Arenas with options, and arenas on the heap. */
#include <string.h>

#include "base/settings.h"
#include "base/text.h"
#include "lifetime/arena.h"
#include "lifetime/cells.h"
#include "lifetime/check.h"
#include "lifetime/chunk.h"
#include "lifetime/options.h"

#define CHUNK_SMALLEST ((size_t)1024)
#define CHUNK_LARGEST  ((size_t)1 << 30)

static bool is_row_size(size_t size)
{
    return size >= CHUNK_SMALLEST && size <= CHUNK_LARGEST && (size & (size - 1)) == 0;
}

/* The bounds in force: one that is not given is the knob's, widened to where the other one lies. */
static void chunk_bounds(const tide_arena_options *options, size_t *least, size_t *most)
{
    const tide_settings *settings = tide_settings_get();
    *least = options->chunk_min != 0 ? options->chunk_min : settings->chunk_min;
    *most = options->chunk_max != 0 ? options->chunk_max : settings->chunk_max;
    if (options->chunk_max == 0 && *most < *least)
        *most = *least;
    if (options->chunk_min == 0 && *least > *most)
        *least = *most;
}

tide_status tide_options_check(const tide_arena_options *options)
{
    tide_object object = {"options", options, NULL};
    if (options == NULL)
        return TIDE_ERROR_PLAIN(TIDE_INVALID_ARGUMENT, "open", TIDE_NO_OBJECT, "no options: NULL");
    TIDE_TRY(tide_check_struct_size(object, options->struct_size, sizeof *options, "open"));
    if (options->zero != TIDE_ZERO_DEFAULT && options->zero != TIDE_ZERO_WIPE)
        return TIDE_ERROR(TIDE_INVALID_ARGUMENT, "open", object, "no such zero policy: %" PRIu64,
                          (uint64_t)options->zero);
    size_t least;
    size_t most;
    chunk_bounds(options, &least, &most);
    if (!is_row_size(least) || !is_row_size(most) || least > most)
        return TIDE_ERROR(TIDE_INVALID_ARGUMENT, "open", object,
                          "chunks of %" PRIu64 " to %" PRIu64
                          " bytes: both must be powers of two from %" PRIu64 " to %" PRIu64
                          ", the smaller first",
                          least, most, (uint64_t)CHUNK_SMALLEST, (uint64_t)CHUNK_LARGEST);
    return options->manager != NULL ? tide_manager_check(options->manager) : TIDE_OK;
}

void tide_options_apply(const tide_arena_options *options, tide_extra *extra)
{
    chunk_bounds(options, &extra->chunk_min, &extra->chunk_max);
    extra->zero = options->zero;
    if (options->manager != tide_manager_system())
        extra->manager = options->manager;
    if (options->name == NULL)
        return;
    size_t length = tide_bounded_length(options->name, sizeof extra->name - 1);
    memcpy(extra->name, options->name, length);
    extra->name[length] = '\0';
}

tide_status tide_arena_open_with(tide_arena *arena, const tide_arena_options *options)
{
    tide_status status = tide_options_check(options);
    if (status != TIDE_OK)
        return status;
    if (arena == NULL)
        return tide_arena_open_slow_(arena);
    tide_arena before; /* a call that fails leaves what it was given as it was */
    memcpy(&before, arena, sizeof before);
    status = tide_arena_open(arena);
    if (status != TIDE_OK)
        return status;
    tide_cell *cell = tide_arena_take_cell(arena);
    tide_extra *extra = cell != NULL ? tide_extra_obtain(cell) : NULL;
    if (extra == NULL) {
        (void)tide_arena_close_slow_(arena);
        memcpy(arena, &before, sizeof before);
        return tide_arena_no_memory(NULL, "open");
    }
    tide_options_apply(options, extra);
    return TIDE_OK;
}

/* It takes its cell at once, so that the cell can tell where the arena lies. */
static tide_status open_on_heap(tide_arena *arena, const tide_arena_options *options)
{
    tide_status status =
        options != NULL ? tide_arena_open_with(arena, options) : tide_arena_open(arena);
    if (status != TIDE_OK)
        return status;
    tide_cell *cell = tide_arena_take_cell(arena);
    if (cell == NULL)
        return tide_arena_no_memory(NULL, "new");
    tide_cell_note(cell, TIDE_CELL_HEAP);
    return TIDE_OK;
}

/* Refused before there is anything that a fault handler could leave behind. */
tide_arena *tide_arena_new(const tide_arena_options *options)
{
    if (options != NULL && tide_options_check(options) != TIDE_OK)
        tide_fault_raise();
    tide_arena *arena = tide_system_allocate(sizeof *arena, _Alignof(tide_arena), 0);
    if (arena == NULL) {
        (void)TIDE_ERROR_PLAIN(TIDE_OUT_OF_MEMORY, "new", TIDE_NO_OBJECT,
                               "no memory for an arena on the heap");
        return NULL;
    }
    tide_status status = open_on_heap(arena, options);
    if (status == TIDE_OK)
        return arena;
    tide_system_free(arena, sizeof *arena, _Alignof(tide_arena));
    return NULL;
}

/* A struct whose arena is closed, its cleanups done, and was the current owner's: only memory. */
static bool is_over(const tide_arena *arena)
{
    tide_thread_return();
    return tide_relaxed_(&arena->owner_) == tide_thread_self_()->owner &&
           tide_relaxed_(&arena->state_) == TIDE_STATE_CLOSED;
}

static tide_status close_on_heap(tide_arena *arena)
{
    tide_status status = tide_arena_check(arena, "delete");
    if (status != TIDE_OK)
        return status;
    const tide_cell *cell = tide_arena_cell(arena);
    if (cell == NULL || (cell->special & TIDE_CELL_HEAP) == 0)
        return TIDE_ERROR_PLAIN(TIDE_INVALID_ARGUMENT, "delete", tide_arena_object(arena),
                                "tide_arena_new() did not open it: close it");
    return tide_arena_close_slow_(arena);
}

tide_status tide_arena_delete(tide_arena *arena)
{
    if (arena == NULL)
        return TIDE_OK;
    tide_status status = TIDE_OK;
    if (!is_over(arena))
        status = close_on_heap(arena);
    if (is_over(arena))
        tide_system_free(arena, sizeof *arena, _Alignof(tide_arena));
    return status;
}
