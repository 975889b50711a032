/* SPDX-License-Identifier: Apache-2.0 */
/**
 * tide_pool: the small memory every thread keeps ready, and what can be asked of it.
 *
 * A thread that has used an arena keeps up to TIDEPOOL_POOL_COUNT idle pools of TIDEPOOL_POOL_SIZE
 * bytes. An arena's first small allocation takes one away, so nested arenas never share; close
 * clears it and gives it to the closing thread. Bigger requests come from chunks of 1, 2, 4 … 64
 * KiB, of which a thread keeps at most TIDEPOOL_CHUNK_CACHE bytes. Nothing here needs to be called:
 * it is for programs that want memory back, or figures.
 *
 *     tide_pool_statistics statistics = {.struct_size = sizeof statistics};
 *     if (tide_pool_statistics_get(&statistics) == TIDE_OK && statistics.lost_arenas != 0)
 *         fprintf(stderr, "%zu arenas leaked by ended threads\n", statistics.lost_arenas);
 *
 * Threads: any; what is a thread's own is the calling thread's.
 */
#ifndef TIDEPOOL_POOL_H
#define TIDEPOOL_POOL_H

#include "status.h"

TIDE_BEGIN_DECLS

/** Figures of the pools; taken one by one, so under other threads' work they may be a moment old.
 */
typedef struct tide_pool_statistics {
    size_t struct_size; /**< set it to sizeof(tide_pool_statistics) before the call */
    size_t threads;     /**< threads that have a block */
    size_t cells;       /**< cells ever made, each with its pool; they are reused, never freed */
    size_t open_arenas; /**< arenas that hold a cell now */
    size_t lost_arenas; /**< of those, the ones whose own thread has ended */
    size_t idle_pools;  /**< in the calling thread's cache */
    size_t cached_chunk_bytes; /**< idle chunks of the calling thread */
} tide_pool_statistics;

/** Fills `statistics`. Walks all cells: not for a hot path. INVALID_ARGUMENT for NULL or an unknown
 *  struct_size. */
TIDE_API TIDE_MUST_USE tide_status tide_pool_statistics_get(tide_pool_statistics *statistics);

/** Gives the calling thread's idle chunks back to their manager, and, after a grace period
 *  (grace.h), what closed shared arenas left in the process; returns how many bytes. */
TIDE_API size_t tide_trim(void);

TIDE_END_DECLS

#endif
