/* SPDX-License-Identifier: Apache-2.0 */
/* `memset`: the floor under everything that hands out zeroed memory: the C library clears a block
 * that is there already. */
#include <string.h>

#include "loops.h"

#define LARGEST 65536u

static _Alignas(64) char block[LARGEST];

static void zeroed(size_t size, size_t count)
{
    if (size > LARGEST)
        bench_refused();
    for (size_t i = 0; i < count; i++) {
        memset(block, 0, size);
        bench_touch(block);
    }
}

const bench_loops bench_memset = {.name = "memset", .zeroed = zeroed};
