/* SPDX-License-Identifier: Apache-2.0 */
/* `tidepool-exported`: the same, each step a call of an exported function, as from another
 * language. TIDE_NO_INLINE is set for this file by the build. */
#ifndef TIDE_NO_INLINE
#error "this file measures the exported functions: compile it with TIDE_NO_INLINE"
#endif

#include "tidepool_loops.h"

const bench_loops bench_exported = {
    .name = "tidepool-exported",
    .empty = empty,
    .zeroed = zeroed,
    .uninitialized = uninitialized,
    .nested = nested,
    .string = string,
};
