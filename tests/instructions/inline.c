/* SPDX-License-Identifier: Apache-2.0 */
#include "cycles.h"

#include <stdlib.h>
#include <tidepool/tidepool.h>

void tide_cycle_loop_alone(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char place[sizeof(tide_arena)];
        tide_cycle_escape(place);
    }
}

void tide_cycle_inline(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        tide_arena arena;
        if (tide_arena_open(&arena) != TIDE_OK)
            abort();
        tide_cycle_escape(&arena);
        void *block = tide_arena_allocate(&arena, 8, 8);
        if (block == NULL)
            abort();
        tide_cycle_escape(block);
        if (tide_arena_close(&arena) != TIDE_OK)
            abort();
    }
}

void tide_cycle_nothing(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        tide_arena arena;
        if (tide_arena_open(&arena) != TIDE_OK)
            abort();
        tide_cycle_escape(&arena);
        if (tide_arena_close(&arena) != TIDE_OK)
            abort();
    }
}
