/* SPDX-License-Identifier: Apache-2.0 */
/* What there is to measure: benches, their cases, and who takes part in each. The names are those
 * of the JSON rows. */
#ifndef TIDEPOOL_TOOLS_BENCH_PLAN_H
#define TIDEPOOL_TOOLS_BENCH_PLAN_H

#include <stdbool.h>
#include <stddef.h>

/* A process has one malloc: each allocator has a worker process of its own. What brings no malloc
 * of its own runs in the one of the C library. */
typedef enum bench_process {
    BENCH_GLIBC,
    BENCH_MIMALLOC,
    BENCH_JEMALLOC,
    BENCH_TCMALLOC,
    BENCH_PROCESSES
} bench_process;

typedef enum bench_family { BENCH_OTHER, BENCH_MALLOC, BENCH_CALLOC } bench_family;

typedef struct bench_contender {
    const char *name;
    bench_process process;
    const char *loops; /* what the worker calls it */
    bench_family family;
    unsigned benches; /* a bit for each plan it takes part in: 1 << its index */
} bench_contender;

typedef struct bench_plan {
    const char *name;
    const char *title;        /* of its table */
    const char *const *cases; /* ends with NULL */
} bench_plan;

/* One case of one contender, and what was measured. */
typedef struct bench_row {
    const bench_plan *plan;
    const char *name; /* the case */
    const bench_contender *contender;
    double *samples; /* nanoseconds an operation, one for each round; NULL when missing */
    size_t count;
    double median, low, high;
    char missing[160]; /* why there is nothing; empty when it was measured */
    bool again;        /* to be measured once more */
} bench_row;

typedef struct bench_rows {
    bench_row *row; /* the rows of one case lie together */
    size_t count;
} bench_rows;

extern const bench_plan bench_plans[];
extern const size_t bench_plan_count;
extern const bench_contender bench_contenders[];
extern const size_t bench_contender_count;

const bench_plan *bench_plan_find(const char *name, size_t length);

/* Whether the case leaves memory uninitialised. */
bool bench_case_is_uninitialized(const char *name);

/* The rows of the plans whose bit is set in `wanted`, none measured yet; false: out of memory. */
bool bench_rows_make(bench_rows *rows, unsigned wanted);
void bench_rows_free(bench_rows *rows);

/* NULL when there is no such row among those asked for. */
const bench_row *bench_rows_find(const bench_rows *rows, const char *bench, const char *name,
                                 const char *contender);

#endif
