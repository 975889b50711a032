/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Allocation beyond the fast path.
 *
 * An arena allocates from a *window*: zeroed bytes between bump_ and an end. It starts as the pool.
 * What doesn't fit goes to the newest chunk and leaves the window alone; an arena that has already
 * taken WINDOW_FROM bytes from the chunk so is one of many small allocations, and the window moves
 * to the chunk, where the inline path serves it again.
 */
#include <string.h>

#include "base/checked.h"
#include "base/checker.h"
#include "base/settings.h"
#include "lifetime/arena.h"
#include "lifetime/cells.h"
#include "lifetime/check.h"
#include "lifetime/chunk.h"
#include <tidepool/bytes.h>

#define WINDOW_SMALL 64u  /* requests up to this may move the window */
#define WINDOW_FROM  512u /* … once the chunk has served so many bytes */
#define WINDOW_BYTES 512u

/* The object is looked up only for a refusal. */
static tide_status check_request(const tide_arena *arena, size_t size, size_t alignment,
                                 const char *operation)
{
    if (size <= PTRDIFF_MAX && tide_is_alignment(alignment))
        return TIDE_OK;
    tide_object object = tide_arena_object(arena);
    TIDE_TRY(tide_check_size(object, size, operation));
    return tide_check_alignment(object, alignment, operation);
}

/* Under a checker a pool serves one allocation, so that what lies behind it is off limits. */
static void *serve_from_window(tide_arena *arena, tide_cell *cell, size_t size, size_t alignment,
                               bool zeroed)
{
    char *bump = arena->bump_;
    size_t taken = size == 0 ? 1 : size;
    size_t room = (size_t)(tide_arena_window_end(arena, cell) - bump);
    size_t padding = -(uintptr_t)bump & (alignment - 1);
    bool watched = tide_settings_get()->watched;
    if (padding > room || taken > room - padding || (watched && bump != tide_cell_pool(cell)))
        return NULL;
    if (watched && zeroed)
        tide_checker_allow_defined(bump + padding, size);
    else if (watched)
        tide_checker_allow_undefined(bump + padding, size);
    tide_arena_set_bump(arena, bump + padding + taken);
    return bump + padding;
}

/* Moves the window to the chunk, or further along it; false when `need` bytes are not to be had. */
static bool move_window(tide_arena *arena, tide_chunk *chunk, size_t need)
{
    bool continues = (arena->state_ & TIDE_STATE_WINDOW) != 0 && arena->end_ == chunk->bump;
    char *start = continues ? arena->bump_ : chunk->bump;
    size_t room = (size_t)(chunk->limit - start);
    if (room < need)
        return false;
    tide_chunk_clear_to(chunk, start + (room < WINDOW_BYTES ? room : WINDOW_BYTES));
    arena->bump_ = start;
    arena->end_ = chunk->bump;
    tide_arena_set_state(arena, arena->state_ | TIDE_STATE_WINDOW);
    return true;
}

static bool wants_window(const tide_chunk *chunk, size_t size, size_t alignment)
{
    return size <= WINDOW_SMALL && alignment <= WINDOW_SMALL &&
           (size_t)(chunk->bump - chunk->start) >= WINDOW_FROM && tide_chunk_has_memory(chunk) &&
           tide_settings_get()->ready;
}

static void *serve_from_chunk(tide_arena *arena, tide_cell *cell, size_t size, size_t alignment,
                              bool zeroed)
{
    tide_chunk *chunk = tide_cell_chunks(cell);
    if (chunk == NULL)
        return NULL;
    if (wants_window(chunk, size, alignment) && move_window(arena, chunk, size + alignment))
        return serve_from_window(arena, cell, size, alignment, zeroed);
    return tide_chunk_carve(chunk, size, alignment, zeroed);
}

void tide_cell_link_chunk(tide_cell *cell, tide_chunk *chunk, size_t row_max)
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

tide_chunk_request tide_cell_request(const tide_cell *cell, size_t size, size_t alignment,
                                     bool zeroed)
{
    const tide_extra *extra = tide_extra_of(cell);
    const tide_settings *settings = tide_settings_get();
    const tide_chunk *front = tide_cell_chunks(cell);
    tide_chunk_request request = {
        .size = size == 0 ? 1 : size,
        .alignment = alignment,
        .zeroed = zeroed,
        .shared = tide_cell_is_shared(cell),
        .row_min = extra != NULL ? extra->chunk_min : settings->chunk_min,
        .row_max = extra != NULL ? extra->chunk_max : settings->chunk_max,
        .manager = extra != NULL ? extra->manager : NULL,
    };
    if (front != NULL)
        request.last = tide_chunk_row_below(tide_chunk_payload(front), request.row_max);
    return request;
}

/* A first chunk that is the home chunk stays known as that. */
static void link_chunk(tide_arena *arena, tide_cell *cell, tide_chunk *chunk, size_t row_max)
{
    const tide_thread *thread = tide_thread_self_();
    if (tide_cell_chunks(cell) == NULL && cell->special == 0 && chunk == thread->home_chunk) {
        chunk->next = NULL;
        tide_cell_set_chunks(cell, chunk);
        tide_arena_set_state(arena, arena->state_ | TIDE_STATE_CHUNK);
        return;
    }
    tide_cell_note(cell, TIDE_CELL_CHUNKS);
    tide_cell_link_chunk(cell, chunk, row_max);
}

static void *serve_from_new_chunk(tide_arena *arena, tide_cell *cell, size_t size, size_t alignment,
                                  bool zeroed)
{
    tide_extra *extra = tide_extra_of(cell);
    tide_chunk_request request = tide_cell_request(cell, size, alignment, zeroed);
    tide_chunk *chunk = NULL;
    if (extra != NULL)
        chunk = tide_extra_take_spare(extra, request.size + alignment);
    if (chunk == NULL)
        chunk = tide_chunk_obtain(tide_thread_current(), &request);
    if (chunk == NULL)
        return NULL;
    link_chunk(arena, cell, chunk, request.row_max);
    return tide_chunk_carve(chunk, size, alignment, zeroed);
}

static tide_status no_room(const tide_arena *arena, const tide_cell *cell, size_t size,
                           size_t alignment, const char *operation)
{
    const tide_extra *extra = tide_extra_of(cell);
    if (extra == NULL || extra->manager == NULL)
        return TIDE_ERROR(TIDE_OUT_OF_MEMORY, operation, tide_arena_object(arena),
                          "the manager system has no %" PRIu64 " bytes at a multiple of %" PRIu64,
                          size, alignment);
    tide_object manager = {"manager", extra->manager, extra->manager->name};
    return TIDE_ERROR(TIDE_OUT_OF_MEMORY, operation, manager,
                      "no %" PRIu64 " bytes at a multiple of %" PRIu64, size, alignment);
}

tide_status tide_arena_serve(tide_arena *arena, size_t size, size_t alignment, bool zeroed,
                             const char *operation, void **block)
{
    tide_cell *cell = tide_arena_take_cell(arena);
    if (cell == NULL)
        return tide_arena_no_memory(arena, operation);
    void *served = serve_from_window(arena, cell, size, alignment, zeroed);
    if (served == NULL)
        served = serve_from_chunk(arena, cell, size, alignment, zeroed);
    if (served == NULL)
        served = serve_from_new_chunk(arena, cell, size, alignment, zeroed);
    if (served == NULL)
        return no_room(arena, cell, size, alignment, operation);
    *block = served;
    return TIDE_OK;
}

static tide_status allocate(tide_arena *arena, size_t size, size_t alignment, unsigned flags,
                            void **block)
{
    tide_status status = check_request(arena, size, alignment, "allocate");
    if (status == TIDE_OK)
        status = tide_arena_check(arena, "allocate");
    if (status == TIDE_OK)
        status = tide_arena_serve(arena, size, alignment, (flags & TIDE_SLOW_ZEROED_) != 0,
                                  "allocate", block);
    return status;
}

/* A pool for one nested arena more than the thread has pools ready, or the inline path would have
 * taken one: from the process-wide list. */
static void *serve_first(tide_arena *arena, uint64_t owner, size_t size)
{
    tide_cell *cell = tide_cell_obtain();
    if (cell == NULL)
        return NULL;
    tide_cell_set_owner(cell, owner);
    tide_cell_take_(cell, arena, arena->state_, 0);
    char *pool = ((tide_block *)(void *)cell)->pool;
    arena->bump_ = pool + size;
    return pool;
}

/* A block that no pool holds, while an outer arena has the home chunk: from another idle one. */
static void *serve_first_large(tide_arena *arena, tide_home_thread *thread, size_t size,
                               bool zeroed)
{
    tide_chunk *chunk = tide_chunk_take_idle(thread, size, zeroed);
    if (chunk == NULL)
        return NULL;
    tide_cell *cell = tide_thread_take_cell(thread);
    if (cell == NULL) {
        (void)tide_chunk_give_back(thread, chunk);
        return NULL;
    }
    tide_cell_take_(cell, arena, arena->state_ | TIDE_MARK_CHUNKS, TIDE_STATE_CHUNK);
    cell->chunks = chunk;
    arena->bump_ = ((tide_block *)(void *)cell)->pool;
    return chunk->start;
}

static void *serve_first_quickly(tide_arena *arena, size_t size, bool zeroed)
{
    tide_home_thread *thread = tide_thread_current();
    if (size > TIDE_POOL_BYTES)
        return serve_first_large(arena, thread, size, zeroed);
    return size != 0 ? serve_first(arena, thread->fast.owner, size) : NULL;
}

/* What is common enough on the slow path to go straight: one more nested arena, and more from an
 * arena's chunk. NULL: everything else, faults included. */
static inline void *serve_quickly(tide_arena *arena, size_t size, size_t alignment, bool zeroed)
{
    const tide_thread *thread = tide_thread_self_();
    if (arena == NULL || alignment - 1 >= WINDOW_SMALL || (alignment & (alignment - 1)) != 0 ||
        !tide_thread_has_home(thread))
        return NULL;
    uint64_t state = tide_relaxed_(&arena->state_);
    if (state == thread->word) /* open, empty, mine: see tide_arena_try_() */
        return serve_first_quickly(arena, size, zeroed);
    if ((state & TIDE_STATE_EMPTY) != 0 || tide_relaxed_(&arena->owner_) != thread->owner)
        return NULL;
    const tide_cell *cell = tide_arena_cell(arena);
    if (!tide_cell_is_of(cell, arena) || tide_cell_chunks(cell) == NULL || size <= WINDOW_SMALL)
        return NULL;
    return tide_chunk_carve(tide_cell_chunks(cell), size, alignment, zeroed);
}

static __attribute__((noinline)) void *serve_or_raise(tide_arena *arena, size_t size,
                                                      size_t alignment, unsigned flags)
{
    void *block = NULL;
    tide_status status = allocate(arena, size, alignment, flags, &block);
    if (tide_status_is_fault(status))
        tide_fault_raise();
    return block;
}

void *tide_arena_allocate_slow_(tide_arena *arena, size_t size, size_t alignment, unsigned flags)
{
    void *block = serve_quickly(arena, size, alignment, (flags & TIDE_SLOW_ZEROED_) != 0);
    return block != NULL ? block : serve_or_raise(arena, size, alignment, flags);
}

tide_status tide_arena_segment_slow_(tide_arena *arena, size_t size, size_t alignment,
                                     unsigned flags, tide_segment *segment)
{
    void *block = NULL;
    if (segment == NULL)
        return TIDE_ERROR_PLAIN(TIDE_INVALID_ARGUMENT, "allocate", tide_arena_object(arena),
                                "no place for the segment: NULL");
    tide_status status = allocate(arena, size, alignment, flags, &block);
    if (status != TIDE_OK)
        return status;
    tide_cell *cell = tide_arena_cell(arena);
    *segment = (tide_segment){block, size, cell, tide_relaxed_(&cell->epoch)};
    return TIDE_OK;
}

void *tide_arena_open_allocate(tide_arena *arena, size_t size, size_t alignment)
{
    if (tide_arena_open(arena) != TIDE_OK) {
        if (arena == NULL)
            tide_fault_raise();
        return NULL;
    }
    void *block = tide_arena_allocate(arena, size, alignment);
    if (block == NULL)
        (void)tide_arena_close_slow_(arena); /* it keeps the allocation's last error */
    return block;
}

/* Where an allocation that ends at `end` lies: in the window, in the newest chunk, or nowhere that
 * can grow. Where a chunk starts, what lies below it ends. */
typedef struct growth {
    char *limit;       /* it may grow up to here; NULL: nowhere */
    tide_chunk *chunk; /* NULL: in the window */
} growth;

static growth find_growth(const tide_arena *arena, const tide_cell *cell, const char *end)
{
    if (end == arena->bump_)
        return (growth){tide_arena_window_end(arena, cell), NULL};
    tide_chunk *chunk = tide_cell_chunks(cell);
    bool is_window_end = (arena->state_ & TIDE_STATE_WINDOW) != 0 && arena->end_ == end;
    if (chunk != NULL && end == chunk->bump && end != chunk->start && !is_window_end)
        return (growth){chunk->limit, chunk};
    return (growth){NULL, NULL};
}

tide_status tide_arena_extend(tide_arena *arena, void *block, size_t old_size, size_t new_size)
{
    tide_status status =
        check_request(arena, new_size > old_size ? new_size : old_size, 1, "extend");
    if (status == TIDE_OK)
        status = tide_arena_check(arena, "extend");
    if (status != TIDE_OK)
        return status;
    tide_object object = tide_arena_object(arena);
    if (block == NULL)
        return TIDE_ERROR_PLAIN(TIDE_INVALID_ARGUMENT, "extend", object, "no block: NULL");
    char *start = block;
    const tide_resizing change = tide_resizing_of(block, old_size, new_size);
    tide_cell *cell = tide_arena_cell(arena);
    growth place = {NULL, NULL};
    if (cell != NULL) {
        tide_arena_settle(arena, cell);
        place = find_growth(arena, cell, change.old_end);
    }
    if (place.limit == NULL)
        return TIDE_ERROR(TIDE_EXHAUSTED, "extend", object,
                          "the block of %" PRIu64 " bytes at 0x%" PRIx64 " is not the newest",
                          old_size, (uint64_t)(uintptr_t)block);
    if (new_size > (size_t)(place.limit - start))
        return TIDE_ERROR(TIDE_EXHAUSTED, "extend", object,
                          "%" PRIu64 " bytes wanted, there is room for %" PRIu64, new_size,
                          (uint64_t)(place.limit - start));
    tide_resizing_bytes(&change, place.chunk == NULL || tide_chunk_has_memory(place.chunk));
    if (place.chunk != NULL)
        tide_chunk_move_end(place.chunk, change.new_end);
    else
        tide_arena_set_bump(arena, change.new_end);
    return TIDE_OK;
}

size_t tide_cell_used_of_chunks(const tide_cell *cell)
{
    size_t used = 0;
    for (const tide_chunk *chunk = tide_cell_chunks(cell); chunk != NULL; chunk = chunk->next)
        used += (size_t)(chunk->bump - chunk->start);
    return used;
}

size_t tide_arena_used(const tide_arena *arena)
{
    if (tide_arena_check(arena, "used") != TIDE_OK)
        tide_fault_raise();
    const tide_cell *cell = tide_arena_cell(arena);
    if (cell == NULL)
        return 0;
    size_t chunks = tide_cell_used_of_chunks(cell);
    if ((arena->state_ & TIDE_STATE_FRESH) != 0)
        return chunks;
    const char *pool = tide_cell_pool(cell);
    if (tide_arena_window_is_pool(arena))
        return chunks + (pool != NULL ? (size_t)(arena->bump_ - pool) : 0);
    /* The window is part of the chunk; what lay unused in the pool counts as padding. */
    size_t unused = (size_t)(tide_arena_window_end(arena, cell) - arena->bump_);
    return chunks - unused + tide_settings_get()->pool_size;
}
