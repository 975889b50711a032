/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chunks: the memory of an arena beyond its pool.
 *
 * The row of chunk sizes is chunk_min, twice that, … chunk_max, counted in bytes of payload. Only
 * chunks of the system manager and of a size of the row are ever cached. A thread's idle chunks,
 * the home chunk included, hold at most TIDEPOOL_CHUNK_CACHE bytes.
 *
 * The home slot keeps the chunk given back last, if it has TIDEPOOL_CHUNK_READY bytes; the one
 * before goes to the cache, and what is too much then goes to its manager, the largest first: small
 * chunks cost little to keep, and small nested arenas must not come to a malloc each. So a chunk
 * that was far larger than what its arena took of it goes itself when the others leave it no room;
 * one that was needed makes the others go. While an arena has the home chunk, chunks that come back
 * are cached, and the slow path serves nested arenas from there; an outer arena that stays open for
 * long loses the slot to them.
 */
#ifndef TIDEPOOL_LIFETIME_CHUNK_H
#define TIDEPOOL_LIFETIME_CHUNK_H

#include <tidepool/arena.h>

#define TIDE_CHUNK_RED_ZONE 64u /* between allocations, and behind the last, under a checker */

struct tide_home_thread;

/* The system manager, without a word in the last error: the caller knows what was wanted. */
void *tide_system_allocate(size_t size, size_t alignment, unsigned request);
void tide_system_free(void *block, size_t size, size_t alignment);

/* What an arena wants of a chunk. A size is at most PTRDIFF_MAX and an alignment at most 2^62, so
 * their sum, with header and red zone, always fits. */
_Static_assert(SIZE_MAX - PTRDIFF_MAX > ((size_t)1 << 62) + 4096, "no sum of a request overflows");
typedef struct tide_chunk_request {
    size_t size;      /* bytes, at least 1 */
    size_t alignment; /* a power of two */
    bool zeroed;
    bool shared; /* for a shared arena, which leaves the home chunk to its thread */
    size_t last; /* payload of the arena's newest chunk of the row; 0: it has none */
    size_t row_min;
    size_t row_max;
    const tide_manager *manager; /* NULL: the system's */
} tide_chunk_request;

/* A chunk that holds the request, in use and empty (bump at start); NULL when there is none,
 * nothing noted. `thread` is the calling one. */
tide_chunk *tide_chunk_obtain(struct tide_home_thread *thread, const tide_chunk_request *request);

/*
 * A chunk around memory that is there already and that nothing is allocated from: a mapped file. It
 * has no payload, bump, limit and start are one; so its bytes count nowhere, no checker hears of
 * them, and nobody clears, wipes or keeps them. `manager` gets `size` bytes at `start` back when
 * the chunk is given back. NULL when there is no memory for the header.
 */
tide_chunk *tide_chunk_wrap(const tide_manager *manager, void *start, size_t size);

/* Whether an idle chunk of this kind may be kept: of the system's and of a size of the row. */
bool tide_chunk_is_cacheable(const tide_chunk *chunk);
/* An idle chunk of the calling thread, in use, its first `size` bytes handed out, cleared if asked;
 * NULL when none will do. Only in ready mode; it holds to the bounds of the knobs. */
tide_chunk *tide_chunk_take_idle(struct tide_home_thread *thread, size_t size, bool zeroed);

/* Takes a chunk back: to the calling thread's home slot if it is the one there, into the calling
 * thread's cache, or to its manager, whose status it returns (OK otherwise). Its bytes are nobody's
 * from here on. `thread` may be NULL: there is no block, and nothing to keep it in. */
tide_status tide_chunk_give_back(struct tide_home_thread *thread, tide_chunk *chunk);

/* Serves a request from the chunk's free bytes, cleared if asked; NULL when they don't suffice. */
void *tide_chunk_carve(tide_chunk *chunk, size_t size, size_t alignment, bool zeroed);

/* A block of the caller's that is to have another size. One of size 0 has an address of its own,
 * and so takes a byte, which is not the caller's. */
typedef struct tide_resizing {
    char *start;
    size_t old_size;
    size_t new_size;
    char *old_end; /* of what it takes */
    char *new_end;
} tide_resizing;

static inline tide_resizing tide_resizing_of(char *start, size_t old_size, size_t new_size)
{
    return (tide_resizing){start, old_size, new_size, start + (old_size == 0 ? 1 : old_size),
                           start + (new_size == 0 ? 1 : new_size)};
}

/* Makes the block's new bytes the caller's, those up to old_end zero, or takes back and wipes those
 * that it no longer has. Without memory behind it there is nothing to do. */
void tide_resizing_bytes(const tide_resizing *block, bool has_memory);

/* Moves the end of what is handed out; what is new is zero. */
void tide_chunk_move_end(tide_chunk *chunk, char *end);

/* Clears [bump, end) of the chunk as far as it isn't zero, and counts it as handed out. */
void tide_chunk_clear_to(tide_chunk *chunk, char *end);

/* Whether the program may touch the chunk's bytes (not with the null manager). */
bool tide_chunk_has_memory(const tide_chunk *chunk);

/* The home chunk, which an arena has, is an ordinary chunk from here on. */
void tide_chunk_detach_home(struct tide_home_thread *thread);

/* Frees the calling thread's idle chunks; returns their payload in bytes. */
size_t tide_chunks_trim(struct tide_home_thread *thread);

/* The largest size of the row that a payload reaches. 0 where there is none: above the row, a block
 * of its own, and for a mapped file, which has no payload. Where a chunk could not be had, an
 * arena's newest may have the exact size of a request. */
static inline size_t tide_chunk_row_below(size_t payload, size_t row_max)
{
    if (payload == 0 || payload > row_max)
        return 0;
    return (size_t)1 << (63 - __builtin_clzll(payload));
}

/* Bytes of payload. */
static inline size_t tide_chunk_payload(const tide_chunk *chunk)
{
    return (size_t)(chunk->limit - chunk->start);
}

/* Whether it is one of tide_chunk_wrap(). */
static inline bool tide_chunk_is_wrapped(const tide_chunk *chunk)
{
    return chunk->limit == chunk->start;
}

#endif
