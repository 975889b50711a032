/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread's block: its token, its ready pool and chunk, its idle cells and chunks.
 *
 * A thread that has none points to the start block, whose token is nobody's and which has nothing
 * ready, so that every inline path falls through to the slow one. The first slow call makes the
 * block; a destructor of the thread takes it apart; a later destructor of the same thread that uses
 * an arena makes another, with the same token.
 */
#ifndef TIDEPOOL_LIFETIME_THREAD_H
#define TIDEPOOL_LIFETIME_THREAD_H

#include <tidepool/arena.h>

#define TIDE_CHUNK_ROW_LOG2 10u /* cached[0] holds chunks of 1 KiB */
#define TIDE_CHUNK_ROWS     11u /* … cached[10] those of 1 MiB */

typedef struct tide_home_thread {
    tide_thread fast;    /* what the inlined functions see; must be first */
    tide_owner own;      /* the thread's own token */
    uint32_t kept_limit; /* idle cells kept out of the inline path's reach: 0 in ready mode */
    uint32_t kept_count;
    uint32_t mutating; /* the lists below are in flux: a fork's child must not trust them */
    uint32_t passed;   /* chunks cached while an arena had the home chunk; see chunk.c */
    tide_cell *kept[TIDE_IDLE_SLOTS];
    size_t cached_bytes;                 /* payload of cached chunks and of the home chunk */
    tide_chunk *cached[TIDE_CHUNK_ROWS]; /* idle chunks by payload, linked by next */
    uint64_t number;                     /* the system's, for reports */
    struct tide_home_thread *next;       /* register of all threads; under the lock of cells.h */
    struct tide_home_thread *previous;
} tide_home_thread;

/* What a thread that has used an arena keeps: its block and the pools that it keeps by default. */
_Static_assert(sizeof(tide_home_thread) + 4 * sizeof(tide_block) <= 1024,
               "an idle thread costs more than 1 KiB");

/* The calling thread's block, made by the first call; NULL, OUT_OF_MEMORY noted for `operation`,
 * when it can't be. A later call may have more luck. */
tide_home_thread *tide_thread_enter(const char *operation);

/* The same without a word. */
tide_home_thread *tide_thread_enter_quietly(void);

/* Makes a block for a thread that had one and has ended it: destructors of the program's own may
 * run after the library's. Nothing for a thread that never had one, or without memory. */
void tide_thread_return(void);

/* All threads that have a block, under the lock of cells.h. */
extern tide_home_thread *tide_threads;

/* What a thread without a block points to, and what a slot holds that has nothing: always taken. */
extern tide_home_thread tide_start_thread;
extern tide_cell tide_no_cell;
extern tide_chunk tide_no_chunk;

/* The calling thread's block, or NULL. */
static inline tide_home_thread *tide_thread_current(void)
{
    tide_thread *thread = tide_thread_self_();
    return thread == &tide_start_thread.fast ? NULL : (tide_home_thread *)(void *)thread;
}

/* An idle cell, its pool clear: the home cell, one from the array, or a new one; NULL without
 * memory. The caller takes it at once. */
tide_cell *tide_thread_take_cell(tide_home_thread *thread);

/* Takes a cell back whose pool is clear and whose epoch has moved on: into its home slot, into the
 * calling thread's array, or to the process-wide list. */
void tide_thread_give_cell(tide_home_thread *thread, tide_cell *cell);

/* Lets go of the home cell and the home chunk if an arena has them: they are ordinary ones from
 * here on. Called before the thread's owner, or that arena's, changes. */
void tide_thread_detach_home(tide_home_thread *thread);

/* Makes an idle cell that the current owner had last the home cell, and no other owner's. */
void tide_thread_find_home(tide_home_thread *thread);

/* Whether the thread has a home cell, idle or taken. */
static inline bool tide_thread_has_home(const tide_thread *thread)
{
    return thread->home != &tide_no_cell;
}

/* Under the lock: whether a living thread has this token, as its own or as the current one; how
 * many threads there are. */
bool tide_thread_token_lives(tide_owner own);

/* In a fork's child, under the lock: whether the token was a thread's own that the fork left behind
 * in the parent, or that had ended before. */
bool tide_thread_token_is_inherited(tide_owner own);
size_t tide_thread_count(void);

/* A mark number that the process has not used before; they grow. */
uint64_t tide_mark_next(void);

static inline uint64_t tide_mark_word(uint64_t number)
{
    return number << TIDE_MARK_SHIFT | TIDE_STATE_EMPTY;
}

#endif
