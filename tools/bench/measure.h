/* SPDX-License-Identifier: Apache-2.0 */
/* The rounds: every contender of every case in each, one after the other. */
#ifndef TIDEPOOL_TOOLS_BENCH_MEASURE_H
#define TIDEPOOL_TOOLS_BENCH_MEASURE_H

#include "plan.h"

typedef struct bench_effort {
    unsigned
        generations; /* how often the workers are started anew: luck with addresses evens out */
    unsigned rounds; /* of each generation */
    unsigned bursts; /* of each row in each round */
    unsigned nanoseconds; /* of each burst */
} bench_effort;

extern const bench_effort bench_effort_full;
extern const bench_effort bench_effort_quick;

/*
 * Measures the rows marked `again` once more, in rounds of their own and four times as many where
 * that takes no longer than all rows did; what was measured before counts no more. The rows of a
 * case must be marked together, and those of cases whose times are compared. False: out of memory.
 */
bool bench_measure_again(bench_rows *rows, const bench_effort *effort);

/* Measures all rows; what could not be measured says why. False: out of memory. */
bool bench_measure(bench_rows *rows, const bench_effort *effort);

#endif
