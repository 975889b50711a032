/* SPDX-License-Identifier: Apache-2.0 */
/* `tidepool`: confined arenas as a C program uses them, inlined, the arena's address escaping. */
#include "access.h"
#include "tidepool_loops.h"

const bench_loops bench_tidepool = {
    .name = "tidepool",
    .empty = empty,
    .zeroed = zeroed,
    .uninitialized = uninitialized,
    .nested = nested,
    .string = string,
    .sequential = bench_checked_sequential,
    .random = bench_checked_random,
    .finish = bench_access_finish,
};
