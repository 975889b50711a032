/* SPDX-License-Identifier: Apache-2.0 */
/**
 * tide_arena: a lifetime plus the memory that dies with it.
 *
 * A confined arena belongs to one owner (owner.h), lives on the caller's stack, and serves scratch
 * memory faster than malloc: opening it, one small allocation and closing it are inlined and touch
 * no lock.
 *
 *     tide_arena scratch;
 *     if (tide_arena_open(&scratch) != TIDE_OK)
 *         return -1;
 *     char *path = tide_arena_printf(&scratch, "%s/%s", directory, name);
 *     int result = path != NULL ? load(path) : -1;
 *     if (tide_arena_close(&scratch) != TIDE_OK)
 *         return -1;
 *
 * The struct stays where it was opened. Once it has taken memory, a copied or moved one is
 * recognised, as is a zeroed or never opened one: INVALID_ARGUMENT. (A copy of an arena that has
 * taken nothing yet is an empty arena of its own.) tide_arena_new() puts one on the heap.
 *
 *     | call                                        | owner | other threads               |
 *     |---------------------------------------------|-------|-----------------------------|
 *     | tide_arena_open, _open_with, _new           | becomes the owner | -               |
 *     | tide_arena_is_alive                         | yes   | yes                         |
 *     | everything else                             | yes   | WRONG_OWNER, nothing harmed |
 *
 * A call that returns a pointer reports OUT_OF_MEMORY as NULL and hands the rest (INVALID_ARGUMENT,
 * WRONG_OWNER, CLOSED) to the fault handler; a call that returns a status returns them all.
 *
 * Memory: what fits comes from a pool of 64 bytes that the thread keeps ready; what doesn't comes
 * from chunks of 1, 2, 4 … 64 KiB: an idle one that is large enough, or a new one, the smallest
 * that holds the request and is at least as large as the arena's last, an arena's first at least 4
 * KiB (the thread may keep that ready later); only what exceeds the largest chunk gets a block of
 * its own. Where a chunk can't be had, the exact size is tried. What doesn't fit the pool leaves it
 * alone, until the arena has taken 512 bytes of a chunk for small requests: from then on those come
 * from the chunk, as fast as from the pool, and what is left of the pool is given up. An arena that
 * never allocates costs nothing.
 */
#ifndef TIDEPOOL_ARENA_H
#define TIDEPOOL_ARENA_H

#include <stdarg.h>

#include "manager.h"
#include "owner.h"
#include "segment.h"

TIDE_BEGIN_DECLS

/** A confined arena. Its fields are the library's own. */
typedef struct tide_arena {
    uint64_t owner_; /* the owner's token */
    uint64_t state_; /* TIDE_STATE_… of detail/layout.h: nothing taken, a cell, or closed */
    char *bump_;     /* next free byte of the window; valid with a cell, unless FRESH */
    char *end_;      /* end of the window; valid with WINDOW */
} tide_arena;

/** What happens to memory at close. */
typedef enum tide_zero_policy {
    TIDE_ZERO_DEFAULT = 0, /**< pools are cleared, chunks when they are next handed out zeroed */
    TIDE_ZERO_WIPE = 1     /**< everything handed out is overwritten before it can reach a cache */
} tide_zero_policy;

/** How to open an arena. Start from TIDE_ARENA_OPTIONS_INIT. */
typedef struct tide_arena_options {
    size_t struct_size; /**< sizeof(tide_arena_options) */
    const char *name;   /**< for messages and reports; copied, up to 31 bytes; or NULL */
    tide_zero_policy zero;
    size_t chunk_min; /**< bytes, a power of two from 1024 to 2^30; 0: the knob's, or chunk_max
                           where that is smaller */
    size_t chunk_max; /**< bytes, a power of two from chunk_min to 2^30; 0: the knob's, or chunk_min
                           where that is larger */
    const tide_manager *manager; /**< where chunks come from; it must outlive the arena; NULL: the
                                      system. A table of the program's own gets its chunks back at
                                      close: they are never cached */
} tide_arena_options;

#define TIDE_ARENA_OPTIONS_INIT                                         \
    {                                                                   \
        sizeof(tide_arena_options), NULL, TIDE_ZERO_DEFAULT, 0, 0, NULL \
    }

/**
 * Opens an arena for the current owner. After the thread's first, this takes no memory, no lock and
 * no system call. The thread's first open gives it its block: OUT_OF_MEMORY if there is none.
 * INVALID_ARGUMENT for NULL. What the struct held before plays no part: opening an open arena loses
 * what it held.
 */
TIDE_INLINE TIDE_MUST_USE tide_status tide_arena_open(tide_arena *arena)
    TIDE_OF_LAYOUT_(tide_arena_open);

/**
 * Opens an arena with options; takes its cell at once. OUT_OF_MEMORY; INVALID_ARGUMENT for NULL or
 * an option that is out of its range, or a manager that tide_manager_check() refuses.
 */
TIDE_API TIDE_MUST_USE tide_status tide_arena_open_with(tide_arena *arena,
                                                        const tide_arena_options *options);

/** An open arena on the heap, for owners without a stack frame of their own; NULL when there is no
 *  memory. `options` may be NULL. */
TIDE_API TIDE_MUST_USE tide_arena *tide_arena_new(const tide_arena_options *options);

/**
 * Closes the arena, unless it is closed already, and frees the struct of tide_arena_new(). BUSY,
 * WRONG_OWNER, INVALID_ARGUMENT, and CLOSED inside one of its own cleanups: nothing has happened.
 * OK and CLEANUP_FAILED: the struct is gone. NULL is OK and does nothing.
 *
 * An open arena that another function opened, one on the stack or opened anew by tide_arena_open(),
 * is INVALID_ARGUMENT. A closed one can't be told from one of tide_arena_new(): only the struct is
 * left then, and must come from there.
 */
TIDE_API TIDE_MUST_USE tide_status tide_arena_delete(tide_arena *arena);

/**
 * `size` zeroed bytes at a multiple of `alignment`, good until the arena closes. A size of 0 gives
 * an address that is unlike every other live allocation's. NULL: OUT_OF_MEMORY, the arena unharmed.
 * Faults: INVALID_ARGUMENT (a size above PTRDIFF_MAX, an alignment that is no power of two up to
 * 2^62, an arena that is none), WRONG_OWNER, CLOSED (also inside a cleanup).
 * Cost: a few nanoseconds; from 65 bytes on, plus the clearing.
 */
TIDE_INLINE TIDE_MUST_USE void *tide_arena_allocate(tide_arena *arena, size_t size,
                                                    size_t alignment)
    TIDE_OF_LAYOUT_(tide_arena_allocate);

/** The same without clearing: above the pool's size it may show bytes of closed arenas, as malloc
 *  does. */
TIDE_INLINE TIDE_MUST_USE void *tide_arena_allocate_uninitialized(tide_arena *arena, size_t size,
                                                                  size_t alignment)
    TIDE_OF_LAYOUT_(tide_arena_allocate_uninitialized);

/** tide_arena_open() and tide_arena_allocate() in one call, for callers that can't inline. NULL:
 *  the struct is as it was (open failed), or closed (there was no memory). A fault handler that
 *  jumps out of the allocation leaves it open. */
TIDE_API TIDE_MUST_USE void *tide_arena_open_allocate(tide_arena *arena, size_t size,
                                                      size_t alignment);

/** A zeroed segment of the arena, by the rules of tide_arena_allocate(); every refusal is returned:
 *  INVALID_ARGUMENT, WRONG_OWNER, CLOSED, OUT_OF_MEMORY. */
TIDE_INLINE TIDE_MUST_USE tide_status tide_arena_segment(tide_arena *arena, size_t size,
                                                         size_t alignment, tide_segment *segment)
    TIDE_OF_LAYOUT_(tide_arena_segment);

/** The same without clearing. */
TIDE_INLINE TIDE_MUST_USE tide_status tide_arena_segment_uninitialized(tide_arena *arena,
                                                                       size_t size,
                                                                       size_t alignment,
                                                                       tide_segment *segment)
    TIDE_OF_LAYOUT_(tide_arena_segment_uninitialized);

/**
 * Zeroed room for `count` elements of `size` bytes. A product that overflows is INVALID_ARGUMENT
 * and never reaches a manager; everything else as tide_arena_allocate().
 */
TIDE_API TIDE_MUST_USE void *tide_arena_allocate_array(tide_arena *arena, size_t count, size_t size,
                                                       size_t alignment);

/** One zeroed object, or `count` of them, of a type: `point *p = tide_arena_make(&arena, point);`
 */
#ifdef __cplusplus
#define TIDE_ALIGNOF_(type) alignof(type)
#else
#define TIDE_ALIGNOF_(type) _Alignof(type)
#endif
#define tide_arena_make(arena, type) \
    ((type *)tide_arena_allocate((arena), sizeof(type), TIDE_ALIGNOF_(type)))
#define tide_arena_make_array(arena, type, count) \
    ((type *)tide_arena_allocate_array((arena), (count), sizeof(type), TIDE_ALIGNOF_(type)))

/** Copies of a string, of at most `limit` bytes of one (always terminated), of `size` bytes. A NULL
 *  source is a fault, but for a size of 0. */
TIDE_API TIDE_MUST_USE char *tide_arena_strdup(tide_arena *arena, const char *string);
TIDE_API TIDE_MUST_USE char *tide_arena_strndup(tide_arena *arena, const char *string,
                                                size_t limit);
TIDE_API TIDE_MUST_USE void *tide_arena_memdup(tide_arena *arena, const void *source, size_t size,
                                               size_t alignment);

/** Formats into the arena as printf does. NULL: OUT_OF_MEMORY, also when it is the C library that
 *  has no memory to format with, or can't make so long a text (INT_MAX bytes, as a width too). A
 *  format the C library refuses is a fault (INVALID_ARGUMENT). An arena that wipes leaves no part
 *  of the text on the stack. */
TIDE_API TIDE_MUST_USE char *tide_arena_printf(tide_arena *arena, const char *format, ...)
    TIDE_PRINTF(2, 3);
TIDE_API TIDE_MUST_USE char *tide_arena_vprintf(tide_arena *arena, const char *format,
                                                va_list arguments) TIDE_PRINTF(2, 0);

/**
 * Grows or shrinks the newest allocation of the arena's pool or of its newest chunk where it lies:
 * `block` as it was returned and its `old_size`. New bytes are zero. EXHAUSTED when it is not the
 * newest there, or there is no room behind it: nothing has changed then, and a copy is the caller's
 * next step. INVALID_ARGUMENT, WRONG_OWNER, CLOSED.
 */
TIDE_API TIDE_MUST_USE tide_status tide_arena_extend(tide_arena *arena, void *block,
                                                     size_t old_size, size_t new_size);

/** Bytes handed out since it was opened or reset, with their padding. Faults: INVALID_ARGUMENT,
 *  WRONG_OWNER, CLOSED. */
TIDE_API size_t tide_arena_used(const tide_arena *arena);

/**
 * Registers a cleanup (a tide_cleanup of scope.h): close runs them strictly last-in first-out, all
 * of them, before any memory of the arena is released, cleared or reused. INVALID_ARGUMENT,
 * WRONG_OWNER, CLOSED, OUT_OF_MEMORY.
 */
TIDE_API TIDE_MUST_USE tide_status tide_arena_attach(tide_arena *arena, tide_cleanup cleanup,
                                                     void *context);

/**
 * Ends the lifetime: every segment of it is dead before any memory moves. Not idempotent.
 * WRONG_OWNER, CLOSED, INVALID_ARGUMENT; BUSY while a hold is out, the arena stays open and usable;
 * CLEANUP_FAILED with the first message and the count in the last error, the arena is closed. A
 * manager of the program's own that refuses a chunk makes it CLEANUP_FAILED too, with the manager's
 * name and status in the text, and so does the system when it refuses to unmap a file (mapping.h):
 * the arena is closed all the same.
 */
TIDE_INLINE TIDE_MUST_USE tide_status tide_arena_close(tide_arena *arena)
    TIDE_OF_LAYOUT_(tide_arena_close);

/**
 * Close and open again in one, chunks kept: statuses as tide_arena_close(). After CLEANUP_FAILED
 * the arena is open and empty all the same. For tide_close_to() it was opened when it was first: a
 * reset does not move it behind a mark.
 */
TIDE_API TIDE_MUST_USE tide_status tide_arena_reset(tide_arena *arena);

/** Whether it is open. Any thread, as long as the struct lives; never fails; false for NULL and for
 *  what was never opened. */
TIDE_API bool tide_arena_is_alive(const tide_arena *arena);

/** The arena's scope; takes its cell. A zeroed scope with the last error when there is no memory;
 *  faults: INVALID_ARGUMENT, WRONG_OWNER, CLOSED. */
TIDE_API tide_scope tide_arena_scope(tide_arena *arena);

/** tide_scope_hold() of the arena's scope; OUT_OF_MEMORY too. */
TIDE_API TIDE_MUST_USE tide_status tide_arena_hold(tide_arena *arena, tide_hold *hold);

/**
 * Gives the arena, where it lies, to another owner. The caller orders the two threads. `to` must be
 * a token that exists: INVALID_ARGUMENT; WRONG_OWNER, CLOSED, OUT_OF_MEMORY. Holds stay.
 */
TIDE_API TIDE_MUST_USE tide_status tide_arena_hand_over(tide_arena *arena, tide_owner to);

/** A point in the current owner's life; see tide_close_to(). */
typedef struct tide_mark_point {
    tide_owner owner_;
    uint64_t number_;
} tide_mark_point;

/**
 * Marks this point. Marks nest. Never fails but for memory on a thread's first call: the mark is
 * zeroed then, and tide_close_to() of it INVALID_ARGUMENT.
 *
 *     tide_mark_point mark = tide_mark();
 *     if (setjmp(frame) == 0)
 *         parse(input);                       // opens arenas, may longjmp out
 *     if (tide_close_to(mark) != TIDE_OK) …
 */
TIDE_API tide_mark_point tide_mark(void);

/**
 * Closes every arena that the current owner opened since the mark and that took its cell (by an
 * allocation, a segment, a hold, a cleanup, tide_arena_scope() or options), without touching the
 * frames they lay in: first all their cleanups, the last registered first, then their memory. Holds
 * on them end: the frames that took them are gone. OK also when there was nothing to close;
 * WRONG_OWNER when the mark is another owner's; INVALID_ARGUMENT for a zeroed mark; CLEANUP_FAILED
 * as tide_arena_close(). Walks all cells of the process: for the exceptional path.
 */
TIDE_API TIDE_MUST_USE tide_status tide_close_to(tide_mark_point mark);

TIDE_END_DECLS

#ifndef TIDE_NO_INLINE
#include "detail/arena_inline.h"
#endif

#endif
