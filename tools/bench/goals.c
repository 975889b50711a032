/* SPDX-License-Identifier: Apache-2.0 */
#include "goals.h"

#include <stdlib.h>
#include <string.h>

#include "statistics.h"

#define CALLOC(bench, name, contender, limit)                        \
    {                                                                \
        bench, name, contender, BENCH_BEST_CALLOC, NULL, NULL, limit \
    }
#define MALLOC(bench, name, contender, limit)                        \
    {                                                                \
        bench, name, contender, BENCH_BEST_MALLOC, NULL, NULL, limit \
    }
#define NAMED(bench, name, contender, rival, limit)             \
    {                                                           \
        bench, name, contender, BENCH_NAMED, rival, NULL, limit \
    }

/* One small zeroed block, inlined and through exported functions. */
#define SMALL(name)                                                                       \
    CALLOC("scratch", name, "tidepool", 0.35), MALLOC("scratch", name, "tidepool", 0.60), \
        NAMED("scratch", name, "tidepool", "glibc-calloc", 0.20),                         \
        NAMED("scratch", name, "tidepool", "glibc-malloc", 0.33),                         \
        CALLOC("scratch", name, "tidepool-exported", 0.85),                               \
        NAMED("scratch", name, "tidepool-exported", "glibc-calloc", 0.50)

#define STRING(name)                                             \
    NAMED("strlen", name, "tidepool", "bespoke-clearing", 1.10), \
        NAMED("strlen", name, "tidepool", "bespoke-pool", 1.35)

const bench_goal bench_goals[] = {
    MALLOC("scratch", "0", "tidepool", 0.25),
    SMALL("5"),
    SMALL("20"),
    SMALL("64"),
    {"scratch", "65", "tidepool", BENCH_NAMED, "tidepool", "64", 1.80},
    CALLOC("scratch", "100", "tidepool", 0.65),
    CALLOC("scratch", "200", "tidepool", 0.65),
    CALLOC("scratch", "451", "tidepool", 0.75),
    CALLOC("scratch", "500", "tidepool", 0.75),
    CALLOC("scratch", "1000", "tidepool", 1.00),
    CALLOC("scratch", "2000", "tidepool", 1.00),
    CALLOC("scratch", "4096", "tidepool", 0.97),
    MALLOC("scratch", "100-uninit", "tidepool", 0.75),
    MALLOC("scratch", "200-uninit", "tidepool", 0.75),
    MALLOC("scratch", "451-uninit", "tidepool", 0.75),
    MALLOC("scratch", "500-uninit", "tidepool", 0.75),
    MALLOC("scratch", "1000-uninit", "tidepool", 0.75),
    MALLOC("scratch", "2000-uninit", "tidepool", 0.75),
    MALLOC("scratch", "4096-uninit", "tidepool", 0.75),
    CALLOC("nested", "5x4", "tidepool", 0.40),
    NAMED("nested", "5x4", "tidepool", "glibc-calloc", 0.20),
    STRING("5"),
    STRING("20"),
    STRING("100"),
    STRING("451"),
    NAMED("access", "sequential", "tidepool", "raw", 4.50),
    NAMED("access", "random", "tidepool", "raw", 4.50),
};
const size_t bench_goal_count = sizeof bench_goals / sizeof bench_goals[0];

const bench_row *bench_best(const bench_rows *rows, const char *bench, const char *name,
                            bench_family family)
{
    const bench_row *best = NULL;
    for (size_t i = 0; i < bench_contender_count; i++) {
        if (bench_contenders[i].family != family)
            continue;
        const bench_row *row = bench_rows_find(rows, bench, name, bench_contenders[i].name);
        if (row == NULL || row->missing[0] != '\0')
            return NULL;
        if (best == NULL || row->median < best->median)
            best = row;
    }
    return best;
}

bool bench_ratio_of(const bench_row *row, const bench_row *rival, bench_ratio *ratio)
{
    *ratio = (bench_ratio){.row = row, .rival = rival};
    if (row == NULL || rival == NULL || row->missing[0] != '\0' || rival->missing[0] != '\0')
        return false;
    double *ratios = calloc(row->count + 1, sizeof ratios[0]);
    if (ratios == NULL)
        return false;
    for (size_t i = 0; i < row->count; i++)
        ratios[i] = row->samples[i] / rival->samples[i];
    bench_interval interval = bench_median(ratios, row->count);
    ratio->median = interval.median;
    ratio->low = interval.low;
    ratio->high = interval.high;
    free(ratios);
    return true;
}

bench_verdict bench_judge(const bench_rows *rows, const bench_goal *goal, bench_ratio *ratio)
{
    const bench_row *row = bench_rows_find(rows, goal->bench, goal->name, goal->contender);
    const bench_row *rival;
    if (goal->rival == BENCH_NAMED)
        rival = bench_rows_find(rows, goal->bench,
                                goal->rival_case != NULL ? goal->rival_case : goal->name,
                                goal->rival_name);
    else
        rival = bench_best(rows, goal->bench, goal->name,
                           goal->rival == BENCH_BEST_CALLOC ? BENCH_CALLOC : BENCH_MALLOC);
    if (!bench_ratio_of(row, rival, ratio))
        return BENCH_UNKNOWN;
    if (ratio->high <= goal->limit)
        return BENCH_MET;
    return ratio->low > goal->limit ? BENCH_MISSED : BENCH_UNCLEAR;
}

bool bench_goal_applies(const bench_rows *rows, const bench_goal *goal)
{
    return bench_rows_find(rows, goal->bench, goal->name, goal->contender) != NULL;
}

/* Every contender of the case: which of them is the best may change. True: some were not marked
 * yet. */
static bool mark_case(bench_rows *rows, const char *bench, const char *name)
{
    bool changed = false;
    for (size_t i = 0; i < rows->count; i++) {
        bench_row *row = &rows->row[i];
        if (!row->again && strcmp(row->plan->name, bench) == 0 && strcmp(row->name, name) == 0)
            row->again = changed = true;
    }
    return changed;
}

static bool is_marked(const bench_rows *rows, const char *bench, const char *name)
{
    for (size_t i = 0; i < rows->count; i++)
        if (rows->row[i].again && strcmp(rows->row[i].plan->name, bench) == 0 &&
            strcmp(rows->row[i].name, name) == 0)
            return true;
    return false;
}

/* A goal between two cases compares rounds that were measured together: both or none. */
static bool mark_other_cases(bench_rows *rows)
{
    bool changed = false;
    for (size_t i = 0; i < bench_goal_count; i++) {
        const bench_goal *goal = &bench_goals[i];
        if (goal->rival_case == NULL)
            continue;
        if (is_marked(rows, goal->bench, goal->name))
            changed = mark_case(rows, goal->bench, goal->rival_case) || changed;
        if (is_marked(rows, goal->bench, goal->rival_case))
            changed = mark_case(rows, goal->bench, goal->name) || changed;
    }
    return changed;
}

size_t bench_mark_unclear(bench_rows *rows)
{
    size_t unclear = 0;
    for (size_t i = 0; i < bench_goal_count; i++) {
        bench_ratio ratio;
        if (!bench_goal_applies(rows, &bench_goals[i]) ||
            bench_judge(rows, &bench_goals[i], &ratio) != BENCH_UNCLEAR)
            continue;
        (void)mark_case(rows, bench_goals[i].bench, bench_goals[i].name);
        unclear++;
    }
    while (mark_other_cases(rows))
        continue;
    return unclear;
}
