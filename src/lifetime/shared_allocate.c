/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of shared, counted and global arenas: one chunk after the other, under the cell's lock
 * bit. */
#include "lifetime/arena.h"
#include "lifetime/cells.h"
#include "lifetime/check.h"
#include "lifetime/chunk.h"
#include "lifetime/retire.h"
#include "lifetime/shared.h"
#include "lifetime/thread.h"

/* From a chunk that a reset kept. */
static void *serve_from_spare(tide_cell *cell, const tide_chunk_request *request)
{
    tide_extra *extra = tide_extra_of(cell);
    if (extra == NULL)
        return NULL;
    tide_chunk *chunk = tide_extra_take_spare(extra, request->size + request->alignment);
    if (chunk == NULL)
        return NULL;
    tide_cell_link_chunk(cell, chunk, request->row_max);
    return tide_chunk_carve(chunk, request->size, request->alignment, request->zeroed);
}

/* From what the arena has; else `request` says what it needs. The lock bit is the caller's. */
static void *serve_from_cell(tide_cell *cell, size_t size, size_t alignment, bool zeroed,
                             tide_chunk_request *request)
{
    tide_chunk *front = tide_cell_chunks(cell);
    void *block = front != NULL ? tide_chunk_carve(front, size, alignment, zeroed) : NULL;
    if (block != NULL)
        return block;
    *request = tide_cell_request(cell, size, alignment, zeroed);
    return serve_from_spare(cell, request);
}

static tide_status no_room(tide_shared_arena arena, const tide_chunk_request *request,
                           const char *operation)
{
    char name[TIDE_NAME_BYTES];
    tide_object object = tide_shared_named(arena, name);
    if (request->manager != NULL)
        object = (tide_object){"manager", request->manager, request->manager->name};
    return TIDE_ERROR(TIDE_OUT_OF_MEMORY, operation, object,
                      "no %" PRIu64 " bytes at a multiple of %" PRIu64, request->size,
                      request->alignment);
}

/* A manager is asked with no lock held; the arena may close meanwhile. */
tide_status tide_shared_serve(tide_shared_arena arena, size_t size, size_t alignment, bool zeroed,
                              const char *operation, void **block)
{
    tide_chunk_request request;
    tide_status status = tide_shared_check(arena, operation);
    if (status != TIDE_OK)
        return status;
    tide_cell *cell = arena.cell_;
    if (!tide_shared_lock(arena))
        return tide_shared_check(arena, operation);
    void *served = serve_from_cell(cell, size, alignment, zeroed, &request);
    tide_shared_unlock(arena);
    if (served == NULL) {
        tide_home_thread *thread = tide_thread_enter_quietly();
        tide_chunk *chunk = tide_chunk_obtain(thread, &request);
        if (chunk == NULL)
            return no_room(arena, &request, operation);
        if (!tide_shared_lock(arena)) {
            (void)tide_chunk_give_back(thread, chunk);
            return tide_shared_check(arena, operation);
        }
        tide_cell_link_chunk(cell, chunk, request.row_max);
        served = tide_chunk_carve(chunk, size, alignment, zeroed);
        tide_shared_unlock(arena);
    }
    *block = served;
    return TIDE_OK;
}

static tide_status allocate(tide_shared_arena arena, size_t size, size_t alignment, bool zeroed,
                            void **block)
{
    tide_object object = tide_shared_object(arena);
    TIDE_TRY(tide_check_size(object, size, "allocate"));
    TIDE_TRY(tide_check_alignment(object, alignment, "allocate"));
    return tide_shared_serve(arena, size, alignment, zeroed, "allocate", block);
}

static void *allocate_or_fault(tide_shared_arena arena, size_t size, size_t alignment, bool zeroed)
{
    void *block = NULL;
    if (tide_status_is_fault(allocate(arena, size, alignment, zeroed, &block)))
        tide_fault_raise();
    return block;
}

void *tide_shared_allocate(tide_shared_arena arena, size_t size, size_t alignment)
{
    return allocate_or_fault(arena, size, alignment, true);
}

void *tide_shared_allocate_uninitialized(tide_shared_arena arena, size_t size, size_t alignment)
{
    return allocate_or_fault(arena, size, alignment, false);
}

static tide_status make_segment(tide_shared_arena arena, size_t size, size_t alignment, bool zeroed,
                                tide_segment *segment)
{
    void *block = NULL;
    if (segment == NULL)
        return TIDE_ERROR_PLAIN(TIDE_INVALID_ARGUMENT, "allocate", tide_shared_object(arena),
                                "no place for the segment: NULL");
    tide_status status = allocate(arena, size, alignment, zeroed, &block);
    if (status == TIDE_OK)
        *segment = (tide_segment){block, size, arena.cell_, arena.epoch_};
    return status;
}

tide_status tide_shared_segment(tide_shared_arena arena, size_t size, size_t alignment,
                                tide_segment *segment)
{
    return make_segment(arena, size, alignment, true, segment);
}

tide_status tide_shared_segment_uninitialized(tide_shared_arena arena, size_t size,
                                              size_t alignment, tide_segment *segment)
{
    return make_segment(arena, size, alignment, false, segment);
}

tide_status tide_shared_attach(tide_shared_arena arena, tide_cleanup cleanup, void *context)
{
    if (cleanup == NULL)
        return TIDE_ERROR_PLAIN(TIDE_INVALID_ARGUMENT, "attach", tide_shared_object(arena),
                                "no cleanup: NULL");
    tide_status status = tide_shared_check(arena, "attach");
    if (status != TIDE_OK || arena.cell_ == &tide_cell_global)
        return status;
    if (!tide_shared_lock(arena))
        return tide_shared_check(arena, "attach");
    tide_extra *extra = tide_extra_obtain(arena.cell_);
    bool attached = extra != NULL && tide_cleanup_push(extra, cleanup, context);
    tide_shared_unlock(arena);
    if (attached)
        return TIDE_OK;
    return TIDE_ERROR_PLAIN(TIDE_OUT_OF_MEMORY, "attach", tide_shared_object(arena),
                            "no memory for the library's own records");
}

size_t tide_shared_used(tide_shared_arena arena)
{
    if (tide_shared_check(arena, "used") != TIDE_OK || !tide_shared_lock(arena)) {
        (void)tide_shared_check(arena, "used");
        tide_fault_raise();
    }
    size_t used = tide_cell_used_of_chunks(arena.cell_);
    tide_shared_unlock(arena);
    return used;
}

/* The newest allocation of the newest chunk ends at its bump. True when it could be done. */
static bool move_end(tide_chunk *chunk, const tide_resizing *change)
{
    if (chunk == NULL || chunk->bump == chunk->start || change->old_end != chunk->bump ||
        (size_t)(change->new_end - change->start) > (size_t)(chunk->limit - change->start))
        return false;
    tide_resizing_bytes(change, tide_chunk_has_memory(chunk));
    tide_chunk_move_end(chunk, change->new_end);
    return true;
}

tide_status tide_shared_extend(tide_shared_arena arena, void *block, size_t old_size,
                               size_t new_size)
{
    tide_object object = tide_shared_object(arena);
    TIDE_TRY(tide_check_size(object, new_size > old_size ? new_size : old_size, "extend"));
    TIDE_TRY(tide_shared_check(arena, "extend"));
    if (block == NULL)
        return TIDE_ERROR_PLAIN(TIDE_INVALID_ARGUMENT, "extend", object, "no block: NULL");
    if (!tide_shared_lock(arena))
        return tide_shared_check(arena, "extend");
    const tide_resizing change = tide_resizing_of(block, old_size, new_size);
    bool moved = move_end(tide_cell_chunks(arena.cell_), &change);
    tide_shared_unlock(arena);
    if (moved)
        return TIDE_OK;
    return TIDE_ERROR(TIDE_EXHAUSTED, "extend", object,
                      "the block of %" PRIu64 " bytes at 0x%" PRIx64
                      " is not the newest, or there is no room for %" PRIu64 " bytes",
                      old_size, (uint64_t)(uintptr_t)block, new_size);
}
