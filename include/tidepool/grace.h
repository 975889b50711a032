/* SPDX-License-Identifier: Apache-2.0 */
/**
 * tide_grace_statistics: what closing shared arenas waits for.
 *
 * Memory of a closed shared arena is given back when every checked access that may have begun
 * before the close is over: a *grace period*. Closed arenas without cleanups and mapped files wait
 * for it together, at most TIDEPOOL_RETIRE_BLOCKS of them and TIDEPOOL_RETIRE_BYTES bytes in the
 * process, so that one period serves many; the close that finds the bound reached waits for it.
 * Nothing here needs to be called: it is for programs that want to know what their memory waits
 * for.
 *
 *     tide_grace_statistics statistics = {.struct_size = sizeof statistics};
 *     if (tide_grace_statistics_get(&statistics) == TIDE_OK && statistics.stuck_thread != 0)
 *         fprintf(stderr, "closers wait for thread %" PRIu64 "\n", statistics.stuck_thread);
 *
 * Threads: any.
 */
#ifndef TIDEPOOL_GRACE_H
#define TIDEPOOL_GRACE_H

#include "status.h"

TIDE_BEGIN_DECLS

/** Figures of the process; taken one by one, so under other threads' work a moment old. */
typedef struct tide_grace_statistics {
    size_t struct_size; /**< set it to sizeof(tide_grace_statistics) before the call */
    uint64_t periods;   /**< grace periods that have passed */
    uint64_t closers;   /**< threads that wait for one now */
    uint64_t
        stuck_thread; /**< the system's number of the reader that one of them waits for; 0: none */
    size_t retired_arenas; /**< closed arenas whose memory waits for a period */
    size_t retired_bytes;  /**< their memory */
    size_t ready_arenas;   /**< closed arenas past theirs, kept with their memory for reuse */
    size_t ready_bytes;    /**< their memory */
    const char *barrier;   /**< "membarrier", or "fences" where the kernel has none */
} tide_grace_statistics;

/** Fills `statistics`. INVALID_ARGUMENT for NULL or an unknown struct_size. */
TIDE_API TIDE_MUST_USE tide_status tide_grace_statistics_get(tide_grace_statistics *statistics);

TIDE_END_DECLS

#endif
