/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of shared, counted and global arenas: one chunk after the other, under the cell's lock
 * bit. */
#include <string.h>

#include "base/checked.h"
#include "base/checker.h"
#include "base/settings.h"
#include "lifetime/arena.h"
#include "lifetime/cells.h"
#include "lifetime/chunk.h"
#include "lifetime/retire.h"
#include "lifetime/shared.h"
#include "lifetime/thread.h"
#include <tidepool/bytes.h>

static tide_chunk_request request_for(const tide_cell *cell, size_t size, size_t alignment,
                                      bool zeroed)
{
    const tide_settings *settings = tide_settings_get();
    const tide_extra *extra = tide_extra_of(cell);
    const tide_chunk *front = tide_cell_chunks(cell);
    tide_chunk_request request = {
        .size = size == 0 ? 1 : size,
        .alignment = alignment,
        .zeroed = zeroed,
        .shared = true,
        .row_min = extra != NULL ? extra->chunk_min : settings->chunk_min,
        .row_max = extra != NULL ? extra->chunk_max : settings->chunk_max,
        .manager = extra != NULL ? extra->manager : NULL,
    };
    if (front != NULL)
        request.last = tide_chunk_row_below(tide_chunk_payload(front), request.row_max);
    return request;
}

/* The newest chunk of the row stays in front: a block of its own goes behind it. */
static void link_chunk(tide_cell *cell, tide_chunk *chunk, size_t row_max)
{
    tide_chunk *front = tide_cell_chunks(cell);
    if (front != NULL && tide_chunk_payload(chunk) > row_max) {
        chunk->next = front->next;
        front->next = chunk;
    } else {
        chunk->next = front;
        tide_cell_set_chunks(cell, chunk);
    }
}

/* From a chunk that a reset kept. */
static void *serve_from_spare(tide_cell *cell, const tide_chunk_request *request)
{
    tide_extra *extra = tide_extra_of(cell);
    size_t need;
    if (extra == NULL || !tide_checked_add(request->size, request->alignment, &need))
        return NULL;
    tide_chunk *chunk = tide_extra_take_spare(extra, need);
    if (chunk == NULL)
        return NULL;
    link_chunk(cell, chunk, request->row_max);
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
    *request = request_for(cell, size, alignment, zeroed);
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
        link_chunk(cell, chunk, request.row_max);
        served = tide_chunk_carve(chunk, size, alignment, zeroed);
        tide_shared_unlock(arena);
    }
    *block = served;
    return TIDE_OK;
}

static tide_status check_request(tide_shared_arena arena, size_t size, size_t alignment,
                                 const char *operation)
{
    if (size > PTRDIFF_MAX)
        return TIDE_ERROR(TIDE_INVALID_ARGUMENT, operation, tide_shared_object(arena),
                          "a size of %" PRIu64 " bytes: the largest is %" PRIu64, size,
                          (uint64_t)PTRDIFF_MAX);
    if (!tide_is_alignment(alignment))
        return TIDE_ERROR(TIDE_INVALID_ARGUMENT, operation, tide_shared_object(arena),
                          "an alignment of %" PRIu64 ": it must be a power of two up to 2^62",
                          alignment);
    return TIDE_OK;
}

static tide_status allocate(tide_shared_arena arena, size_t size, size_t alignment, bool zeroed,
                            void **block)
{
    tide_status status = check_request(arena, size, alignment, "allocate");
    if (status == TIDE_OK)
        status = tide_shared_serve(arena, size, alignment, zeroed, "allocate", block);
    return status;
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
    size_t used = 0;
    if (tide_shared_check(arena, "used") != TIDE_OK || !tide_shared_lock(arena)) {
        (void)tide_shared_check(arena, "used");
        tide_fault_raise();
    }
    for (const tide_chunk *chunk = tide_cell_chunks(arena.cell_); chunk != NULL;
         chunk = chunk->next)
        used += (size_t)(chunk->bump - chunk->start);
    tide_shared_unlock(arena);
    return used;
}

/* The newest allocation of the newest chunk ends at its bump; a block of size 0 takes a byte, which
 * is not the caller's. True when it could be done. */
static bool move_end(tide_chunk *chunk, char *block, size_t old_size, size_t new_size)
{
    size_t new_taken = new_size == 0 ? 1 : new_size;
    if (chunk == NULL || chunk->bump == chunk->start ||
        block + (old_size == 0 ? 1 : old_size) != chunk->bump ||
        new_taken > (size_t)(chunk->limit - block))
        return false;
    char *old_end = chunk->bump;
    bool has_memory = tide_chunk_has_memory(chunk);
    if (new_size > old_size) {
        if (has_memory) {
            tide_checker_allow_defined(block + old_size, new_size - old_size);
            memset(block + old_size, 0, (size_t)(old_end - block) - old_size);
        }
        tide_chunk_clear_to(chunk, block + new_taken);
    } else if (new_size < old_size) {
        if (has_memory) {
            tide_bytes_wipe(block + new_size, 0, old_size - new_size);
            tide_checker_forbid(block + new_size, old_size - new_size);
        }
        chunk->bump = block + new_taken;
    }
    return true;
}

tide_status tide_shared_extend(tide_shared_arena arena, void *block, size_t old_size,
                               size_t new_size)
{
    tide_object object = tide_shared_object(arena);
    tide_status status =
        check_request(arena, new_size > old_size ? new_size : old_size, 1, "extend");
    if (status == TIDE_OK)
        status = tide_shared_check(arena, "extend");
    if (status != TIDE_OK)
        return status;
    if (block == NULL)
        return TIDE_ERROR_PLAIN(TIDE_INVALID_ARGUMENT, "extend", object, "no block: NULL");
    if (!tide_shared_lock(arena))
        return tide_shared_check(arena, "extend");
    bool moved = move_end(tide_cell_chunks(arena.cell_), block, old_size, new_size);
    tide_shared_unlock(arena);
    if (moved)
        return TIDE_OK;
    return TIDE_ERROR(TIDE_EXHAUSTED, "extend", object,
                      "the block of %" PRIu64 " bytes at 0x%" PRIx64
                      " is not the newest, or there is no room for %" PRIu64 " bytes",
                      old_size, (uint64_t)(uintptr_t)block, new_size);
}
