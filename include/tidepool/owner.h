/* SPDX-License-Identifier: Apache-2.0 */
/**
 * tide_owner: who a confined arena belongs to. (Arenas of shared.h belong to every thread.)
 *
 * An owner token is a number that is never used twice. Every thread has one of its own from its
 * first use of the library on; a scheduler that moves fibers between threads gives each fiber a
 * token and makes it current when it switches to the fiber, so the fiber's arenas follow it:
 *
 *     fiber->owner = tide_owner_new();
 *     ...
 *     tide_owner before = tide_owner_set(fiber->owner);
 *     switch_to(fiber);
 *     tide_owner_set(before);
 *
 * Rules: one token is current on one thread at a time (debug builds check it); whoever moves a
 * fiber orders the two threads, as any scheduler does.
 *
 * Threads: every function may be called from any thread and concerns the calling thread.
 */
#ifndef TIDEPOOL_OWNER_H
#define TIDEPOOL_OWNER_H

#include "status.h"

TIDE_BEGIN_DECLS

/** An owner token. 0 is no owner. */
typedef uint64_t tide_owner;

/** A token that nobody had before. Never fails, costs one atomic addition, never runs out. */
TIDE_API tide_owner tide_owner_new(void);

/**
 * The calling thread's current token. The first call on a thread gives the thread its block; 0
 * with TIDE_OUT_OF_MEMORY in the last error if there is no memory for it.
 */
TIDE_API tide_owner tide_owner_current(void);

/**
 * Makes `token` the calling thread's current one and returns the token that was current before.
 * A token that tide_owner_new() never gave and no thread has is a fault (INVALID_ARGUMENT). 0 with
 * TIDE_OUT_OF_MEMORY in the last error if this was the thread's first call and there is no memory
 * for its block; nothing has changed then.
 */
TIDE_API tide_owner tide_owner_set(tide_owner token);

TIDE_END_DECLS

#endif
