/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TIDEPOOL_TOOLS_BENCH_REPORT_H
#define TIDEPOOL_TOOLS_BENCH_REPORT_H

#include <stdio.h>

#include "plan.h"

/* The times of all contenders, a table for each bench. */
void bench_report_times(FILE *file, const bench_rows *rows);

/* tidepool against the best of the allocators and against the C library, a line for each case. */
void bench_report_ratios(FILE *file, const bench_rows *rows);

/* How many goals came to which verdict. */
typedef struct bench_tally {
    size_t met, missed, unclear, unknown;
} bench_tally;

/* The goals with their verdicts. */
bench_tally bench_report_goals(FILE *file, const bench_rows *rows);

/* What could not be measured and why; returns how many rows. */
size_t bench_report_missing(FILE *file, const bench_rows *rows);

#endif
