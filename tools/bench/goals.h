/* SPDX-License-Identifier: Apache-2.0 */
/* What must be reached, and whether it was. */
#ifndef TIDEPOOL_TOOLS_BENCH_GOALS_H
#define TIDEPOOL_TOOLS_BENCH_GOALS_H

#include "plan.h"

typedef enum bench_verdict {
    BENCH_MET,     /* the whole interval is within the goal */
    BENCH_MISSED,  /* the whole interval is outside */
    BENCH_UNCLEAR, /* the goal lies in the interval */
    BENCH_UNKNOWN  /* a row is missing */
} bench_verdict;

/* Against which time a goal is measured, all in the same case unless it says otherwise. */
typedef enum bench_rival {
    BENCH_BEST_CALLOC, /* the fastest of the four */
    BENCH_BEST_MALLOC,
    BENCH_NAMED, /* `rival_name`, in `rival_case` if that is not NULL */
} bench_rival;

typedef struct bench_goal {
    const char *bench;
    const char *name; /* the case */
    const char *contender;
    bench_rival rival;
    const char *rival_name;
    const char *rival_case;
    double limit; /* times the rival's time, at most */
} bench_goal;

extern const bench_goal bench_goals[];
extern const size_t bench_goal_count;

typedef struct bench_ratio {
    const bench_row *row;   /* NULL: missing */
    const bench_row *rival; /* NULL: missing */
    double median, low, high;
} bench_ratio;

/* The fastest contender of the family in a case, by its median; NULL when one is missing: then
 * nobody knows the fastest. */
const bench_row *bench_best(const bench_rows *rows, const char *bench, const char *name,
                            bench_family family);

/* The median of the ratios of each round, with its interval; false: out of memory, or a missing
 * row. */
bool bench_ratio_of(const bench_row *row, const bench_row *rival, bench_ratio *ratio);

bench_verdict bench_judge(const bench_rows *rows, const bench_goal *goal, bench_ratio *ratio);

/* Marks the rows that are to be measured again, so that goals that are unclear may become clear;
 * returns how many goals that are. */
size_t bench_mark_unclear(bench_rows *rows);

/* Whether the goal's bench is among those measured. */
bool bench_goal_applies(const bench_rows *rows, const bench_goal *goal);

#endif
