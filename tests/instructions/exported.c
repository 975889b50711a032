/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled with TIDE_NO_INLINE: every step is a call of an exported function. */
#ifndef TIDE_NO_INLINE
#error "compile this file with TIDE_NO_INLINE"
#endif

#include "cycles.h"

#include <stdlib.h>
#include <tidepool/tidepool.h>

void tide_cycle_exported(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        tide_arena arena;
        if (tide_arena_open(&arena) != TIDE_OK)
            abort();
        void *block = tide_arena_allocate(&arena, 8, 8);
        if (block == NULL)
            abort();
        tide_cycle_escape(block);
        if (tide_arena_close(&arena) != TIDE_OK)
            abort();
    }
}

void tide_cycle_open_allocate(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        tide_arena arena;
        void *block = tide_arena_open_allocate(&arena, 8, 8);
        if (block == NULL)
            abort();
        tide_cycle_escape(block);
        if (tide_arena_close(&arena) != TIDE_OK)
            abort();
    }
}
