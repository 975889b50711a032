/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mapped files. A mapping is a chunk of its arena that nothing is allocated from, and whose manager
 * unmaps it: so it ends as all memory of the arena does, after the cleanups and, where several
 * threads read, after a grace period.
 *
 * A refused call has not extended the file. So extending comes last, when everything else that can
 * be refused has been had: the system maps pages that the file does not have yet.
 */
#include <tidepool/mapping.h>

#include <errno.h>

#include "base/error.h"
#include "base/os.h"
#include "lifetime/arena.h"
#include "lifetime/cells.h"
#include "lifetime/check.h"
#include "lifetime/chunk.h"
#include "lifetime/segment.h"
#include "lifetime/shared.h"

/* What a call asks for. */
typedef struct request {
    tide_object arena; /* as errors name it */
    int descriptor;
    tide_map_mode mode;
    size_t offset; /* of the file; with size at most PTRDIFF_MAX once it is checked */
    size_t size;
} request;

/* What it has got so far. */
typedef struct mapping {
    tide_chunk *chunk; /* from the page of the offset on; NULL: there are no bytes to map */
    bool is_short;     /* the file ends before the mapping does, and is to be extended */
} mapping;

static tide_status unmap(void *context, void *start, size_t size, size_t alignment)
{
    (void)context;
    (void)alignment;
    return tide_os_unmap(start, size) == 0 ? TIDE_OK : TIDE_IO;
}

/* Who gets the pages back; nobody asks it for any. */
static const tide_manager pages = {
    .struct_size = sizeof pages,
    .name = "mapped file",
    .flags = TIDE_MANAGER_PAGED,
    .free = unmap,
};

/* How far into its page the first byte lies. */
static size_t lead(const request *wanted)
{
    return wanted->offset & (tide_os_page_size() - 1);
}

/* Notes in the system's own words what it has refused. */
static tide_status refuse(const request *wanted, tide_status status, int error)
{
    const char *words = tide_os_error_text(error);
    if (wanted->descriptor < 0)
        return tide_error_note_message(status, "map", wanted->arena, "no descriptor: ", NULL,
                                       words);
    return tide_error_note_message(status, "map", wanted->arena,
                                   "%" PRIu64 " bytes at %" PRIu64
                                   " of the file with descriptor %" PRIu64 ": ",
                                   (const uint64_t[TIDE_ERROR_NUMBERS]){
                                       wanted->size, wanted->offset, (uint64_t)wanted->descriptor},
                                   words);
}

/* Notes that a call which is refused with `status` could not unmap what it had mapped either. */
static tide_status stuck(const request *wanted, tide_status status)
{
    return tide_error_note_message(TIDE_IO, "map", wanted->arena,
                                   "the system refuses to unmap what was mapped before: ", NULL,
                                   tide_status_name(status));
}

static tide_status check_arguments(const request *wanted, const tide_segment *segment)
{
    if (segment == NULL)
        return TIDE_ERROR_PLAIN(TIDE_INVALID_ARGUMENT, "map", wanted->arena,
                                "no place for the segment: NULL");
    if ((unsigned)wanted->mode > TIDE_MAP_PRIVATE)
        return TIDE_ERROR(TIDE_INVALID_ARGUMENT, "map", wanted->arena, "no such mode: %" PRIu64,
                          (uint64_t)wanted->mode);
    return TIDE_OK;
}

static tide_status check_range(const request *wanted)
{
    if (wanted->offset <= PTRDIFF_MAX && wanted->size <= PTRDIFF_MAX - wanted->offset)
        return TIDE_OK;
    return TIDE_ERROR(TIDE_INVALID_ARGUMENT, "map", wanted->arena,
                      "%" PRIu64 " bytes at %" PRIu64 " of a file: the largest end is %" PRIu64,
                      wanted->size, wanted->offset, (uint64_t)PTRDIFF_MAX);
}

static tide_status look_at_file(const request *wanted, mapping *made)
{
    bool writing = wanted->mode != TIDE_MAP_READ_ONLY;
    uint64_t file_size = 0;
    int error = tide_os_file_size(wanted->descriptor, writing, &file_size);
    if (error != 0)
        return refuse(wanted, TIDE_IO, error);
    made->is_short = wanted->offset + wanted->size > file_size;
    if (!made->is_short || writing)
        return TIDE_OK;
    return TIDE_ERROR(TIDE_IO, "map", wanted->arena,
                      "%" PRIu64 " bytes at %" PRIu64 " of a file of %" PRIu64
                      " bytes, which a read-only mapping does not extend",
                      wanted->size, wanted->offset, file_size);
}

static tide_status map_pages(const request *wanted, mapping *made)
{
    void *start = NULL;
    size_t size = lead(wanted) + wanted->size;
    made->chunk = NULL;
    if (wanted->size == 0)
        return TIDE_OK;
    int error =
        tide_os_map(wanted->descriptor, wanted->offset - lead(wanted), size,
                    wanted->mode != TIDE_MAP_READ_ONLY, wanted->mode != TIDE_MAP_PRIVATE, &start);
    if (error != 0)
        return refuse(wanted, error == ENOMEM ? TIDE_OUT_OF_MEMORY : TIDE_IO, error);
    made->chunk = tide_chunk_wrap(&pages, start, size);
    if (made->chunk != NULL)
        return TIDE_OK;
    tide_status status = refuse(wanted, TIDE_OUT_OF_MEMORY, ENOMEM);
    return tide_os_unmap(start, size) == 0 ? status : stuck(wanted, status);
}

/* Everything that can be refused but the arena's own part and the extension. */
static tide_status prepare(const request *wanted, mapping *made)
{
    tide_status status = check_range(wanted);
    if (status == TIDE_OK)
        status = look_at_file(wanted, made);
    if (status == TIDE_OK)
        status = map_pages(wanted, made);
    return status;
}

static tide_status extend(const request *wanted, const mapping *made)
{
    int error = 0;
    if (made->is_short)
        error = tide_os_file_extend(wanted->descriptor, wanted->offset + wanted->size);
    return error == 0 ? TIDE_OK : refuse(wanted, TIDE_IO, error);
}

/* Ends a call that is refused with `status`, noted. */
static tide_status undo(const request *wanted, const mapping *made, tide_status status)
{
    if (made->chunk == NULL || tide_chunk_give_back(NULL, made->chunk) == TIDE_OK)
        return status;
    return stuck(wanted, status);
}

/* Behind the newest chunk, which is the one that is allocated from. */
static void link_mapping(tide_cell *cell, const mapping *made)
{
    tide_chunk *front = tide_cell_chunks(cell);
    if (made->chunk == NULL)
        return;
    tide_cell_note(cell, TIDE_CELL_CHUNKS | TIDE_CELL_MAPPED);
    if (front == NULL) {
        tide_cell_set_chunks(cell, made->chunk);
    } else {
        made->chunk->next = front->next;
        front->next = made->chunk;
    }
}

static void unlink_mapping(tide_cell *cell, const mapping *made)
{
    tide_chunk *chunk = tide_cell_chunks(cell);
    if (chunk == made->chunk) {
        tide_cell_set_chunks(cell, chunk->next);
        return;
    }
    while (chunk->next != made->chunk)
        chunk = chunk->next;
    chunk->next = made->chunk->next;
}

/* One of no bytes has an address that is as far into a page too, where nobody has anything. */
static tide_segment segment_of(const request *wanted, const mapping *made, tide_cell *cell,
                               uint64_t epoch)
{
    uintptr_t start =
        made->chunk != NULL ? (uintptr_t)made->chunk->start : (uintptr_t)tide_os_page_size();
    uint64_t read_only = wanted->mode == TIDE_MAP_READ_ONLY ? TIDE_EXTENT_READ_ONLY : 0;
    return (tide_segment){(char *)(start + lead(wanted)), wanted->size | read_only, cell,
                          epoch | TIDE_EPOCH_MAPPED};
}

tide_status tide_arena_map(tide_arena *arena, int descriptor, tide_map_mode mode, size_t offset,
                           size_t size, tide_segment *segment)
{
    const request wanted = {tide_arena_object(arena), descriptor, mode, offset, size};
    mapping made = {NULL, false};
    tide_status status = check_arguments(&wanted, segment);
    if (status == TIDE_OK)
        status = tide_arena_check(arena, "map");
    if (status == TIDE_OK)
        status = prepare(&wanted, &made);
    if (status != TIDE_OK)
        return status;
    tide_cell *cell = tide_arena_take_cell(arena);
    if (cell == NULL)
        return undo(&wanted, &made, tide_arena_no_memory(arena, "map"));
    status = extend(&wanted, &made);
    if (status != TIDE_OK)
        return undo(&wanted, &made, status);
    link_mapping(cell, &made);
    *segment = segment_of(&wanted, &made, cell, tide_relaxed_(&cell->epoch));
    return TIDE_OK;
}

/* Adds it to the arena unless that has closed meanwhile. */
static tide_status link_shared(tide_shared_arena arena, const mapping *made)
{
    if (made->chunk == NULL)
        return TIDE_OK;
    if (!tide_shared_lock(arena))
        return tide_shared_check(arena, "map");
    link_mapping(arena.cell_, made);
    tide_shared_unlock(arena);
    return TIDE_OK;
}

/* Takes it out of the arena again; false when that has closed meanwhile: its closer unmaps it. */
static bool unlink_shared(tide_shared_arena arena, const mapping *made)
{
    if (made->chunk == NULL || !tide_shared_lock(arena))
        return false;
    unlink_mapping(arena.cell_, made);
    tide_shared_unlock(arena);
    return true;
}

/* The arena may close at any moment. A close before the mapping is linked refuses the call, so only
 * then is the file extended; a close after it is one after the call. */
tide_status tide_shared_map(tide_shared_arena arena, int descriptor, tide_map_mode mode,
                            size_t offset, size_t size, tide_segment *segment)
{
    const request wanted = {tide_shared_object(arena), descriptor, mode, offset, size};
    mapping made = {NULL, false};
    tide_status status = check_arguments(&wanted, segment);
    if (status == TIDE_OK)
        status = tide_shared_check(arena, "map");
    if (status == TIDE_OK)
        status = prepare(&wanted, &made);
    if (status != TIDE_OK)
        return status;
    const tide_segment mapped = segment_of(&wanted, &made, arena.cell_, arena.epoch_);
    status = link_shared(arena, &made);
    if (status != TIDE_OK)
        return undo(&wanted, &made, status);
    status = extend(&wanted, &made);
    if (status == TIDE_OK)
        *segment = mapped;
    else if (unlink_shared(arena, &made))
        status = undo(&wanted, &made, status);
    return status;
}

static int sync_pages(const tide_segment *segment)
{
    uintptr_t base = (uintptr_t)segment->base_;
    uintptr_t start = base & ~(uintptr_t)(tide_os_page_size() - 1);
    size_t size = tide_extent_size_(segment->extent_);
    return size == 0 ? 0 : tide_os_sync((void *)start, base - start + size);
}

/* Nobody but this call's own thread could close a confined arena. */
tide_status tide_segment_force(const tide_segment *segment)
{
    TIDE_TRY(tide_check_segment(segment, "force"));
    if (!tide_segment_is_mapped(segment))
        return TIDE_ERROR_PLAIN(TIDE_UNSUPPORTED, "force", tide_segment_object(segment),
                                "the segment is not mapped from a file");
    tide_hold hold = {tide_segment_scope(segment)};
    bool is_shared = tide_cell_is_shared(segment->cell_);
    tide_status status = is_shared ? tide_shared_add_hold(hold.scope_, "force")
                                   : tide_scope_check(segment->cell_, hold.scope_.epoch_, "force");
    if (status != TIDE_OK)
        return status;
    int error = sync_pages(segment);
    if (is_shared)
        status = tide_shared_drop_hold(&hold);
    if (error == 0)
        return status;
    return tide_error_note_message(TIDE_IO, "force", tide_segment_object(segment),
                                   "the system could not write %" PRIu64 " bytes back: ",
                                   (const uint64_t[TIDE_ERROR_NUMBERS]){tide_segment_size(segment)},
                                   tide_os_error_text(error));
}
