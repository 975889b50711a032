/* SPDX-License-Identifier: Apache-2.0 */
/* The knobs of config.h as the library reads them. */
#ifndef TIDEPOOL_BASE_SETTINGS_H
#define TIDEPOOL_BASE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tide_settings {
    size_t pool_size; /* bytes; 0: no pools */
    uint32_t pool_count;
    bool pooling;     /* false: the inline path finds nothing ready (also under a checker) */
    size_t chunk_min; /* bytes, powers of two */
    size_t chunk_max;
    size_t chunk_cache; /* bytes */
    bool faults_abort;
    bool exit_report;
} tide_settings;

/* Reads the environment at the first call, from whichever thread. Never fails, never changes. */
const tide_settings *tide_settings_get(void);

#endif
