/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The structures that the inlined functions share with the library: cell, chunk and thread block.
 * They are part of the binary interface under the name layout2: a program compiled for another
 * layout refers to a symbol that this library does not have, and the loader refuses it. (What calls
 * instead of inlining: see TIDE_OF_LAYOUT_.)
 *
 * Which fields several threads may touch: a stranger may read owner, epoch, since and mark of a
 * cell, and owner_ and state_ of an arena, at any moment, to be told that it is wrong. Those are
 * atomics, relaxed but for the mark and the owner of a cell that is taken; the one thread that may
 * write them reads them as it likes. Everything else belongs to the owner of the arena that has the
 * cell or chunk, or, while it is idle, to the thread in whose block it lies. The home cell of a
 * thread belongs to the thread's current owner, idle or taken: a thread that changes its owner
 * first lets go of a home cell that is taken (tide_owner_set). A thread's `reading` and `phase` are
 * between it and the closers of shared scopes (grace.h of the library).
 */
#ifndef TIDEPOOL_DETAIL_LAYOUT_H
#define TIDEPOOL_DETAIL_LAYOUT_H

#include "platform.h"

TIDE_BEGIN_DECLS

#define TIDE_POOL_BYTES 64u
#define TIDE_IDLE_SLOTS 8u

/* arena.owner_, and the current token of a thread that has no block yet */
#define TIDE_OWNER_NOBODY UINT64_C(1)
/* cell.owner of shared, counted and global scopes, for ever: no token is that large */
#define TIDE_OWNER_ANYONE (~UINT64_C(0))

/* arena.state_: while EMPTY the mark word, then cell and flags, at last closed. Odd: no cell. */
#define TIDE_STATE_EMPTY  UINT64_C(1) /* nothing taken: the rest is a mark number */
#define TIDE_STATE_WINDOW UINT64_C(2) /* end_ is valid; else the window ends with the pool */
#define TIDE_STATE_CHUNK  UINT64_C(4) /* the cell's chunks are one; the home chunk of the thread? */
#define TIDE_STATE_FRESH  UINT64_C(8) /* nothing taken from the pool; bump_ is not valid */
#define TIDE_STATE_CELL   (~UINT64_C(63))
#define TIDE_STATE_CLOSED (~UINT64_C(0))
#define TIDE_STATE_ENDING (~UINT64_C(2)) /* closed to everyone, and its cleanups are running */

/* cell.mark: 0 while the cell is idle, else the mark word its arena began with. */
#define TIDE_MARK_CHUNKS UINT64_C(2) /* in it: `chunks` is valid */
#define TIDE_MARK_SHIFT  2

/* cell.arena: the address of an arena, and whether close must do more than the inline path can. */
#define TIDE_ARENA_COLD UINT64_C(1) /* `special` is not 0: the slow path looks */

/* cell.special */
#define TIDE_CELL_COLD   UINT64_C(1) /* extra is valid */
#define TIDE_CELL_HEAP   UINT64_C(2) /* the arena's struct outlives the frames that used it */
#define TIDE_CELL_CHUNKS UINT64_C(4) /* it has other chunks than just the home chunk */
#define TIDE_CELL_MAPPED UINT64_C(8) /* … and among them mapped files; never without _CHUNKS */
#define TIDE_CELL_HOLD   (UINT64_C(1) << 32) /* one hold, counted in the upper half */

/*
 * cell.epoch of a scope that several threads use: epoch, lock and count in one word, changed by
 * compare-exchange only, so that a stale handle never changes a bit of the cell's next user. The
 * epoch says whether it is counted; like every epoch it leaves the lowest bit to the segments.
 */
#define TIDE_SHARED_EPOCH   ((UINT64_C(1) << 40) - 1)
#define TIDE_SHARED_COUNTED UINT64_C(2)         /* in the epoch: open while its count is not 0 */
#define TIDE_SHARED_STEP    UINT64_C(4)         /* from one use of the cell to the next */
#define TIDE_SHARED_LOCK    (UINT64_C(1) << 40) /* somebody allocates: the rest is his */
#define TIDE_SHARED_HOLD    (UINT64_C(1) << 41) /* one hold or reference, counted above the lock */

/* One scope's cell, a cache line. Cells lie in type-stable memory: never freed, reused with a new
 * epoch, so that a stale reference reads a cell and not garbage. Cells of shared scopes have slabs
 * of their own: a cell's kind never changes. */
typedef struct tide_cell {
    uint64_t epoch; /* even; moves on at each close; 0 never; of shared scopes TIDE_SHARED_… */
    uint64_t mark;  /* 0: idle */
    uint64_t owner; /* the token that took it last */
    uint64_t since; /* the epoch at which that owner took it */
    uint64_t arena; /* the arena that took it last, and TIDE_ARENA_… */
    uint64_t special;
    union {
        struct tide_chunk *chunks;   /* newest first; valid with TIDE_MARK_CHUNKS */
        struct tide_cell *next_free; /* while it is in the process-wide list */
    };
    struct tide_extra *extra; /* cleanups, options, spare chunks, or NULL; valid with _COLD */
} tide_cell;

/* A cell and its pool: 128 bytes. With pools of another size the pool lies apart. */
typedef struct tide_block {
    tide_cell cell;
    char pool[TIDE_POOL_BYTES];
} __attribute__((aligned(64))) tide_block;

struct tide_manager;

/* A chunk's header. Chunks of the system manager have their payload 64 bytes behind it; those of
 * another manager, and blocks of their own, have it where `start` says. */
typedef struct tide_chunk {
    char *bump;  /* next free byte; NULL: idle */
    char *limit; /* end of the payload */
    char *dirty; /* from here to the limit every byte is zero; the limit in a home chunk */
    char *start; /* of the payload */
    struct tide_chunk *next;
    const struct tide_manager *manager; /* whose memory it is; NULL: the system's, header and all */
    size_t size;                        /* bytes asked of the manager */
    uint64_t alignment_log2;            /* asked of the manager */
} tide_chunk;

/* A thread's block. The first line is all that the inlined functions of arenas read and write, the
 * last one all that those of access do; closers look at the last one of every thread. */
typedef struct tide_thread {
    uint64_t owner;  /* the current token */
    uint64_t word;   /* what an opened arena's state_ starts as: a mark number that no other thread
                        has, EMPTY; a new one with each mark and each change of the owner */
    tide_cell *home; /* taken first; never NULL: a cell that is always taken when there is none */
    tide_chunk *home_chunk; /* never NULL: a chunk that is always taken when there is none */
    uint64_t chunk_room;    /* bytes of home_chunk's payload; 0 when there is none */
    uint32_t idle_count;
    uint32_t idle_limit;
    uint64_t reserved[2];
    tide_cell *idle[TIDE_IDLE_SLOTS];
    uint64_t reading __attribute__((aligned(64))); /* 0: outside any read section; else the phase in
                                                      which the outermost one began */
    uint64_t phase; /* what a section that begins now is stamped with; 0: the slow path begins it */
} __attribute__((aligned(64))) tide_thread;

/*
 * The calling thread's block: never NULL. A fiber may go on on another thread after any call, so
 * the address of the thread-local must not be kept over one; compilers do keep it. What is in reach
 * to keep here is the variable's offset from the thread pointer, which is the same in all threads:
 * the access itself is relative to the segment register and volatile. For gcc it is the variable's
 * own type that says so, since gcc never forms the address where the segment register will do, and
 * loads the offset once where it would spell out the load for each assembly statement; a test looks
 * at what it makes of this. For the others, and where a sanitizer's instrumentation does form the
 * address, two assembly statements say it. Elsewhere (musl refuses to load a library with static
 * thread-locals; other processors) an exported function reads the thread-local.
 */
#if defined(__GLIBC__) && defined(__x86_64__) && defined(__LP64__)
#define TIDE_STATIC_TLS_ 1
TIDE_API extern __thread tide_thread *volatile tide_thread_layout2_
    __attribute__((tls_model("initial-exec")));
TIDE_HELPER tide_thread *tide_thread_self_(void)
{
#if defined(__clang__) || defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
    uint64_t offset;
    tide_thread *thread;
    __asm__("movq tide_thread_layout2_@gottpoff(%%rip), %0" : "=r"(offset));
    __asm__ volatile("movq %%fs:(%1), %0" : "=r"(thread) : "r"(offset));
    return thread;
#else
    return tide_thread_layout2_;
#endif
}
#else
#define TIDE_STATIC_TLS_ 0
TIDE_API __attribute__((returns_nonnull)) tide_thread *tide_thread_self_layout2_(void);
TIDE_HELPER tide_thread *tide_thread_self_(void)
{
    return tide_thread_self_layout2_();
}
#endif

TIDE_HELPER uint64_t tide_relaxed_(const uint64_t *word)
{
    return __atomic_load_n(word, __ATOMIC_RELAXED);
}

TIDE_HELPER void tide_relaxed_store_(uint64_t *word, uint64_t value)
{
    __atomic_store_n(word, value, __ATOMIC_RELAXED);
}

TIDE_END_DECLS

#endif
