/* SPDX-License-Identifier: Apache-2.0 */
/* The worker processes: one for each allocator, asked over a pair of pipes. */
#ifndef TIDEPOOL_TOOLS_BENCH_PROCESS_H
#define TIDEPOOL_TOOLS_BENCH_PROCESS_H

#include <stdio.h>
#include <sys/types.h>

#include "plan.h"

typedef struct bench_worker {
    pid_t pid; /* 0: there is none, and `missing` says why */
    FILE *requests;
    FILE *answers;
    char missing[160];
} bench_worker;

/* Starts the workers of all allocators. What can't be started is noted in its `missing`. */
void bench_workers_start(bench_worker workers[BENCH_PROCESSES]);
void bench_workers_stop(bench_worker workers[BENCH_PROCESSES]);

/*
 * Nanoseconds an operation of this row, from `bursts` bursts of about `nanoseconds` each; a
 * negative number when there is none, and the row's `missing` says why then.
 */
double bench_worker_run(bench_worker *worker, bench_row *row, unsigned bursts,
                        unsigned nanoseconds);

#endif
