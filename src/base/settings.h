/* SPDX-License-Identifier: Apache-2.0 */
/* The knobs of config.h as the library reads them. */
#ifndef TIDEPOOL_BASE_SETTINGS_H
#define TIDEPOOL_BASE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The pool size that the inline path knows; the default. */
#define TIDE_PLAIN_POOL_SIZE 64u

typedef struct tide_settings {
    size_t pool_size; /* bytes; 0: no pools */
    uint32_t pool_count;
    bool pooling;     /* false: the inline path finds nothing ready (also under a checker) */
    size_t chunk_min; /* bytes, powers of two */
    size_t chunk_max;
    size_t chunk_cache; /* bytes */
    size_t chunk_ready; /* bytes, a power of two, at most chunk_max */
    bool faults_abort;
    bool exit_report;
    size_t retire_blocks; /* closed shared arenas whose memory the process keeps, and their bytes */
    size_t retire_bytes;
    bool barrier; /* ask the system for a barrier of all threads */
    /* What follows from those, and from who watches. */
    bool watched;     /* a checker watches memory */
    bool pools_apart; /* there are pools, and they don't lie in their cells' blocks */
    bool ready;       /* the inline path may find things ready */
} tide_settings;

extern tide_settings tide_settings_in_force;
extern uint32_t tide_settings_known; /* stored 1 with release, once, behind the settings */

const tide_settings *tide_settings_read(void);

/* Reads the environment at the first call, from whichever thread. Never fails, never changes. */
static inline const tide_settings *tide_settings_get(void)
{
    if (__builtin_expect(__atomic_load_n(&tide_settings_known, __ATOMIC_ACQUIRE) != 0, 1))
        return &tide_settings_in_force;
    return tide_settings_read();
}

#endif
