/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fast path of arena.h: a ready pool or a ready chunk, or else the slow path, which is always
 * correct. Loads and stores are what the time goes to: open copies two words, a first allocation
 * writes three, close seven lines and words, and nothing is written that already has its value.
 */
#ifndef TIDEPOOL_DETAIL_ARENA_INLINE_H
#define TIDEPOOL_DETAIL_ARENA_INLINE_H

#include <string.h>

#include "layout.h"

TIDE_BEGIN_DECLS

#define TIDE_SLOW_ZEROED_ 1u /* `flags` of the slow allocations */

TIDE_API TIDE_COLD tide_status tide_arena_open_slow_(tide_arena *arena);
TIDE_API TIDE_SLOW void *tide_arena_allocate_slow_(tide_arena *arena, size_t size, size_t alignment,
                                                   unsigned flags);
TIDE_API TIDE_SLOW tide_status tide_arena_segment_slow_(tide_arena *arena, size_t size,
                                                        size_t alignment, unsigned flags,
                                                        tide_segment *segment);
TIDE_API TIDE_SLOW tide_status tide_arena_close_slow_(tide_arena *arena);

/* Exported functions keep their common path free of what the large one needs saved. */
#ifdef TIDE_BUILD_EXPORTS
#define TIDE_CHUNK_HELPER static __attribute__((noinline))
#else
#define TIDE_CHUNK_HELPER TIDE_HELPER
#endif

/* Four 16-byte stores on any machine with them; never a call, which would cost saved registers. */
typedef uint64_t tide_pair_ __attribute__((vector_size(16), may_alias));

TIDE_HELPER void tide_clear_line_(char *line)
{
    tide_pair_ *pairs = (tide_pair_ *)(void *)line;
    const tide_pair_ zero = {0, 0};
    pairs[0] = zero;
    pairs[1] = zero;
    pairs[2] = zero;
    pairs[3] = zero;
}

/* Clears at least `size` bytes and at most to the end of the last one's line. */
TIDE_HELPER void tide_clear_lines_(char *start, size_t size)
{
    if (size > 256) {
        memset(start, 0, size);
        return;
    }
    char *end = start + size;
    do {
        tide_clear_line_(start);
        start += 64;
        __asm__("" : "+r"(start)); /* or the loop becomes a call of memset */
    } while (start < end);
}

/* Gives an idle cell of the arena's owner to an arena that has none; `word` is the arena's state_.
 */
TIDE_HELPER void tide_cell_take_(tide_cell *cell, tide_arena *arena, uint64_t word, uint64_t flags)
{
    uint64_t address = (uint64_t)(uintptr_t)arena;
    /* Release: another thread that sees the mark sees the owner too. */
    __atomic_store_n(&cell->mark, word, __ATOMIC_RELEASE);
    if (cell->arena != address)
        cell->arena = address;
    tide_relaxed_store_(&arena->state_, (uint64_t)(uintptr_t)cell | flags);
}

/* An idle cell from the thread's array, made the owner's; NULL when it is empty. */
TIDE_HELPER tide_cell *tide_idle_pop_(tide_thread *thread, uint64_t owner)
{
    uint32_t count = thread->idle_count;
    if (count == 0)
        return NULL;
    thread->idle_count = --count;
    tide_cell *cell = thread->idle[count];
    if (cell->owner != owner) {
        tide_relaxed_store_(&cell->since, cell->epoch);
        /* Pairs with tide_scope_status(): who sees the new owner sees since when. */
        __atomic_store_n(&cell->owner, owner, __ATOMIC_RELEASE);
    }
    return cell;
}

/* The home cell, or one from the array; NULL: neither is idle. */
TIDE_HELPER tide_cell *tide_ready_cell_(tide_thread *thread)
{
    tide_cell *cell = thread->home;
    if (TIDE_UNLIKELY(cell->mark != 0))
        cell = tide_idle_pop_(thread, thread->owner);
    return cell;
}

/* An arena's first allocation when no pool can hold it: from the ready chunk. */
TIDE_CHUNK_HELPER void *tide_arena_first_large_(tide_arena *arena, uint64_t word,
                                                tide_thread *thread, size_t size, bool zeroed)
{
    tide_chunk *chunk = thread->home_chunk;
    if (size - 1 >= thread->chunk_room || chunk->bump != NULL)
        return NULL;
    tide_cell *cell = tide_ready_cell_(thread);
    if (cell == NULL)
        return NULL;
    tide_cell_take_(cell, arena, word | TIDE_MARK_CHUNKS, TIDE_STATE_CHUNK | TIDE_STATE_FRESH);
    if (cell->chunks != chunk)
        cell->chunks = chunk;
    char *payload = (char *)(chunk + 1);
    chunk->bump = payload + size;
    if (zeroed)
        tide_clear_lines_(payload, size);
    return payload;
}

/* An arena's first allocation. NULL: the slow path must serve it. */
TIDE_HELPER void *tide_arena_first_(tide_arena *arena, uint64_t word, tide_thread *thread,
                                    size_t size, bool zeroed)
{
    if (TIDE_UNLIKELY(size - 1 >= TIDE_POOL_BYTES))
        return tide_arena_first_large_(arena, word, thread, size, zeroed);
    tide_cell *cell = tide_ready_cell_(thread);
    if (TIDE_UNLIKELY(cell == NULL))
        return NULL;
    tide_cell_take_(cell, arena, word, 0);
    char *pool = ((tide_block *)(void *)cell)->pool;
    arena->bump_ = pool + size;
    return pool;
}

/* A window is smaller than this, so that no sum below overflows. */
#define TIDE_WINDOW_MOST_ ((size_t)1 << 30)

/* More from an arena's window. NULL: the slow path must serve it. */
TIDE_HELPER void *tide_arena_next_(tide_arena *arena, tide_thread *thread, uint64_t state,
                                   size_t size, size_t alignment)
{
    if (TIDE_UNLIKELY(tide_relaxed_(&arena->owner_) != thread->owner) ||
        (state & (TIDE_STATE_EMPTY | TIDE_STATE_FRESH)) != 0 || size - 1 >= TIDE_WINDOW_MOST_)
        return NULL;
    tide_cell *cell = (tide_cell *)(uintptr_t)(state & TIDE_STATE_CELL);
    char *end = ((tide_block *)(void *)cell)->pool + TIDE_POOL_BYTES;
    if (TIDE_UNLIKELY((state & TIDE_STATE_WINDOW) != 0))
        end = arena->end_;
    char *block = (char *)(((uintptr_t)arena->bump_ + alignment - 1) & -(uintptr_t)alignment);
    if (TIDE_UNLIKELY((cell->arena ^ (uint64_t)(uintptr_t)arena) > TIDE_ARENA_COLD) ||
        (uintptr_t)block + size > (uintptr_t)end)
        return NULL;
    if (block == NULL)
        __builtin_unreachable(); /* spares the caller's test */
    arena->bump_ = block + size;
    return block;
}

/* NULL: the slow path must serve it. A thread's word is nobody else's, so that an arena in whose
 * state_ it stands is open, empty and the current owner's. */
TIDE_HELPER void *tide_arena_try_(tide_arena *arena, size_t size, size_t alignment, bool zeroed)
{
    tide_thread *thread = tide_thread_self_();
    if (arena == NULL || alignment - 1 >= 64 || (alignment & (alignment - 1)) != 0)
        return NULL;
    uint64_t state = tide_relaxed_(&arena->state_);
    if (TIDE_LIKELY(state == thread->word))
        return tide_arena_first_(arena, state, thread, size, zeroed);
    return tide_arena_next_(arena, thread, state, size, alignment);
}

/* Moves an epoch on, one addition where the processor adds to memory: every look meanwhile sees
 * the old one or the new. */
TIDE_HELPER void tide_epoch_advance_(uint64_t *epoch)
{
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
    __asm__("addq $2, %0" : "+m"(*epoch));
#else
    tide_relaxed_store_(epoch, *epoch + 2);
#endif
}

/* The end of a scope's use of its cell. Every segment is dead before the pool is clear; who is told
 * so is the owner itself, in its own order, or a stranger who may not read anyway. */
TIDE_HELPER void tide_cell_retire_(tide_cell *cell, tide_arena *arena, bool pool_was_used)
{
    tide_epoch_advance_(&cell->epoch);
    tide_relaxed_store_(&cell->mark, 0);
    if (pool_was_used)
        tide_clear_line_(((tide_block *)(void *)cell)->pool);
    tide_relaxed_store_(&arena->state_, TIDE_STATE_CLOSED);
}

/* Closing an arena that took nothing, whose cell is not the home cell, or with more than a pool or
 * the ready chunk just taken. */
TIDE_CHUNK_HELPER tide_status tide_arena_close_other_(tide_arena *arena, tide_thread *thread,
                                                      uint64_t state)
{
    if (state == thread->word) {
        tide_relaxed_store_(&arena->state_, TIDE_STATE_CLOSED);
        return TIDE_OK;
    }
    if ((state & TIDE_STATE_EMPTY) != 0 ||
        TIDE_UNLIKELY(tide_relaxed_(&arena->owner_) != thread->owner))
        return tide_arena_close_slow_(arena);
    tide_cell *cell = (tide_cell *)(uintptr_t)(state & TIDE_STATE_CELL);
    bool is_home = cell == thread->home;
    uint32_t count = thread->idle_count;
    if (cell->arena != (uint64_t)(uintptr_t)arena || (!is_home && count >= thread->idle_limit))
        return tide_arena_close_slow_(arena);
    if ((state & TIDE_STATE_CHUNK) != 0) {
        if (cell->chunks != thread->home_chunk)
            return tide_arena_close_slow_(arena);
        cell->chunks->bump = NULL;
    }
    tide_cell_retire_(cell, arena, (state & TIDE_STATE_FRESH) == 0);
    if (!is_home) {
        thread->idle[count] = cell;
        thread->idle_count = count + 1;
    }
    return TIDE_OK;
}

TIDE_INLINE tide_status tide_arena_open(tide_arena *arena)
{
    tide_thread *thread = tide_thread_self_();
    if (arena == NULL || TIDE_UNLIKELY(thread->owner == TIDE_OWNER_NOBODY))
        return tide_arena_open_slow_(arena);
    tide_relaxed_store_(&arena->owner_, thread->owner);
    tide_relaxed_store_(&arena->state_, thread->word);
    return TIDE_OK;
}

TIDE_INLINE void *tide_arena_allocate(tide_arena *arena, size_t size, size_t alignment)
{
    void *block = tide_arena_try_(arena, size, alignment, true);
    if (TIDE_LIKELY(block != NULL))
        return block;
    return tide_arena_allocate_slow_(arena, size, alignment, TIDE_SLOW_ZEROED_);
}

TIDE_INLINE void *tide_arena_allocate_uninitialized(tide_arena *arena, size_t size,
                                                    size_t alignment)
{
    void *block = tide_arena_try_(arena, size, alignment, false);
    if (TIDE_LIKELY(block != NULL))
        return block;
    return tide_arena_allocate_slow_(arena, size, alignment, 0);
}

TIDE_HELPER tide_status tide_arena_segment_any_(tide_arena *arena, size_t size, size_t alignment,
                                                unsigned flags, tide_segment *segment)
{
    char *block = NULL;
    if (segment != NULL)
        block = (char *)tide_arena_try_(arena, size, alignment, (flags & TIDE_SLOW_ZEROED_) != 0);
    if (TIDE_UNLIKELY(block == NULL))
        return tide_arena_segment_slow_(arena, size, alignment, flags, segment);
    tide_cell *cell = (tide_cell *)(uintptr_t)(arena->state_ & TIDE_STATE_CELL);
    segment->base_ = block;
    segment->extent_ = size;
    segment->cell_ = cell;
    segment->epoch_ = tide_relaxed_(&cell->epoch);
    return TIDE_OK;
}

TIDE_INLINE tide_status tide_arena_segment(tide_arena *arena, size_t size, size_t alignment,
                                           tide_segment *segment)
{
    return tide_arena_segment_any_(arena, size, alignment, TIDE_SLOW_ZEROED_, segment);
}

TIDE_INLINE tide_status tide_arena_segment_uninitialized(tide_arena *arena, size_t size,
                                                         size_t alignment, tide_segment *segment)
{
    return tide_arena_segment_any_(arena, size, alignment, 0, segment);
}

/* An arena that names the thread's home cell and that the cell names, is open, the current owner's,
 * and no copy: the home cell is the current owner's, and no closed arena names a cell. */
TIDE_INLINE tide_status tide_arena_close(tide_arena *arena)
{
    tide_thread *thread = tide_thread_self_();
    if (arena == NULL)
        return tide_arena_close_slow_(arena);
    uint64_t state = tide_relaxed_(&arena->state_);
    tide_cell *cell = thread->home;
    uint64_t beyond = state ^ (uint64_t)(uintptr_t)cell; /* 0: the home cell and its pool */
    if (TIDE_UNLIKELY(beyond != 0)) {
        if (beyond != (TIDE_STATE_CHUNK | TIDE_STATE_FRESH))
            return tide_arena_close_other_(arena, thread, state);
    }
    if (TIDE_UNLIKELY(cell->arena != (uint64_t)(uintptr_t)arena))
        return tide_arena_close_slow_(arena);
    if (beyond != 0) /* a thread lets go of the home cell and the home chunk together */
        thread->home_chunk->bump = NULL;
    tide_cell_retire_(cell, arena, beyond == 0);
    return TIDE_OK;
}

TIDE_END_DECLS

#endif
