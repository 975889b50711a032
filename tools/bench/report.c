/* SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

#include <string.h>

#include "goals.h"

#define NAME_WIDTH  18
#define TIME_WIDTH  8
#define RATIO_WIDTH 22

static const char *const verdict_names[] = {
    [BENCH_MET] = "met",
    [BENCH_MISSED] = "MISSED",
    [BENCH_UNCLEAR] = "unclear",
    [BENCH_UNKNOWN] = "unknown",
};

/* Three digits that mean something; wide ones need no fraction. */
static int decimals(double time)
{
    if (time < 10)
        return 2;
    return time < 1000 ? 1 : 0;
}

static void print_time(FILE *file, int width, const bench_row *row)
{
    if (row == NULL)
        fprintf(file, "%*s", width, "-");
    else if (row->missing[0] != '\0')
        fprintf(file, "%*s", width, "missing");
    else
        fprintf(file, "%*.*f", width, decimals(row->median), row->median);
}

static bool is_measured(const bench_rows *rows, const bench_plan *plan)
{
    for (size_t i = 0; i < rows->count; i++)
        if (rows->row[i].plan == plan)
            return true;
    return false;
}

static bool has_contender(const bench_rows *rows, const bench_plan *plan, bool uninitialized,
                          const char *contender)
{
    for (const char *const *name = plan->cases; *name != NULL; name++)
        if (bench_case_is_uninitialized(*name) == uninitialized &&
            bench_rows_find(rows, plan->name, *name, contender) != NULL)
            return true;
    return false;
}

/* One table: the cases of a plan that clear memory, or those that don't. */
static void print_table(FILE *file, const bench_rows *rows, const bench_plan *plan,
                        bool uninitialized)
{
    size_t cases = 0, longest = 0;
    for (const char *const *name = plan->cases; *name != NULL; name++)
        if (bench_case_is_uninitialized(*name) == uninitialized) {
            size_t length = strcspn(*name, "-");
            longest = length > longest ? length : longest;
            cases++;
        }
    if (cases == 0)
        return;
    int width = longest + 2 > TIME_WIDTH ? (int)longest + 2 : TIME_WIDTH;
    fprintf(file, "%s: %s%s; ns\n%-*s", plan->name, plan->title,
            uninitialized ? ", uninitialised" : "", NAME_WIDTH, "");
    for (const char *const *name = plan->cases; *name != NULL; name++)
        if (bench_case_is_uninitialized(*name) == uninitialized)
            fprintf(file, "%*.*s", width, (int)strcspn(*name, "-"), *name);
    fputc('\n', file);
    for (size_t i = 0; i < bench_contender_count; i++) {
        const char *contender = bench_contenders[i].name;
        if (!has_contender(rows, plan, uninitialized, contender))
            continue;
        fprintf(file, "%-*s", NAME_WIDTH, contender);
        for (const char *const *name = plan->cases; *name != NULL; name++)
            if (bench_case_is_uninitialized(*name) == uninitialized)
                print_time(file, width, bench_rows_find(rows, plan->name, *name, contender));
        fputc('\n', file);
    }
    fputc('\n', file);
}

void bench_report_times(FILE *file, const bench_rows *rows)
{
    for (size_t i = 0; i < bench_plan_count; i++) {
        if (!is_measured(rows, &bench_plans[i]))
            continue;
        print_table(file, rows, &bench_plans[i], false);
        print_table(file, rows, &bench_plans[i], true);
    }
}

static void print_ratio(FILE *file, const bench_row *row, const bench_row *rival, bool named)
{
    char text[64] = "-";
    bench_ratio ratio;
    if (bench_ratio_of(row, rival, &ratio))
        snprintf(text, sizeof text, named ? "%.3f %s" : "%.3f", ratio.median,
                 rival->contender->name);
    fprintf(file, "  %-*s", named ? RATIO_WIDTH : 7, text);
}

/* The worst verdict of the goals of tidepool's inlined form in this case. */
static const char *case_verdict(const bench_rows *rows, const bench_plan *plan, const char *name)
{
    bool any = false;
    bench_verdict worst = BENCH_MET;
    static const int badness[] = {
        [BENCH_MET] = 0, [BENCH_UNCLEAR] = 1, [BENCH_UNKNOWN] = 2, [BENCH_MISSED] = 3};
    for (size_t i = 0; i < bench_goal_count; i++) {
        const bench_goal *goal = &bench_goals[i];
        if (strcmp(goal->bench, plan->name) != 0 || strcmp(goal->name, name) != 0 ||
            strcmp(goal->contender, "tidepool") != 0)
            continue;
        bench_ratio ratio;
        bench_verdict verdict = bench_judge(rows, goal, &ratio);
        if (badness[verdict] > badness[worst])
            worst = verdict;
        any = true;
    }
    return any ? verdict_names[worst] : "-";
}

void bench_report_ratios(FILE *file, const bench_rows *rows)
{
    fprintf(file, "tidepool's time as a part of another's, medians of the rounds' ratios\n");
    fprintf(file, "%-21s%*s  %-*s  %-*s  %-7s  %-7s  %s\n", "", TIME_WIDTH, "ns", RATIO_WIDTH,
            "of the best calloc", RATIO_WIDTH, "of the best malloc", "glibc's", "glibc's", "goals");
    fprintf(file, "%-21s%*s  %-*s  %-*s  %-7s  %-7s\n", "", TIME_WIDTH, "", RATIO_WIDTH, "",
            RATIO_WIDTH, "", "calloc", "malloc");
    for (size_t i = 0; i < bench_plan_count; i++) {
        const bench_plan *plan = &bench_plans[i];
        if (!is_measured(rows, plan))
            continue;
        for (const char *const *name = plan->cases; *name != NULL; name++) {
            const bench_row *row = bench_rows_find(rows, plan->name, *name, "tidepool");
            fprintf(file, "%-8s%-13s", plan->name, *name);
            print_time(file, TIME_WIDTH, row);
            print_ratio(file, row, bench_best(rows, plan->name, *name, BENCH_CALLOC), true);
            print_ratio(file, row, bench_best(rows, plan->name, *name, BENCH_MALLOC), true);
            print_ratio(file, row, bench_rows_find(rows, plan->name, *name, "glibc-calloc"), false);
            print_ratio(file, row, bench_rows_find(rows, plan->name, *name, "glibc-malloc"), false);
            fprintf(file, "  %s\n", case_verdict(rows, plan, *name));
        }
    }
    fputc('\n', file);
}

static void describe_rival(const bench_goal *goal, const bench_ratio *ratio, char text[64])
{
    const char *found = ratio->rival != NULL ? ratio->rival->contender->name : "missing";
    if (goal->rival == BENCH_BEST_CALLOC)
        snprintf(text, 64, "best calloc: %s", found);
    else if (goal->rival == BENCH_BEST_MALLOC)
        snprintf(text, 64, "best malloc: %s", found);
    else if (goal->rival_case != NULL)
        snprintf(text, 64, "%s, %s", goal->rival_name, goal->rival_case);
    else
        snprintf(text, 64, "%s", goal->rival_name);
}

bench_tally bench_report_goals(FILE *file, const bench_rows *rows)
{
    size_t counts[BENCH_UNKNOWN + 1] = {0};
    fprintf(file, "%-8s%-13s%-19s%-30s%7s  %-17s%-7s%s\n", "goal", "", "", "against", "ratio",
            "95 % interval", "limit", "verdict");
    for (size_t i = 0; i < bench_goal_count; i++) {
        const bench_goal *goal = &bench_goals[i];
        if (!bench_goal_applies(rows, goal))
            continue;
        bench_ratio ratio;
        char rival[64], found[48] = "      -";
        bench_verdict verdict = bench_judge(rows, goal, &ratio);
        counts[verdict]++;
        describe_rival(goal, &ratio, rival);
        if (verdict != BENCH_UNKNOWN)
            snprintf(found, sizeof found, "%7.3f  %.3f - %.3f", ratio.median, ratio.low,
                     ratio.high);
        fprintf(file, "%-8s%-13s%-19s%-30s%-24s  %-7.2f%s\n", goal->bench, goal->name,
                goal->contender, rival, found, goal->limit, verdict_names[verdict]);
    }
    bench_tally tally = {counts[BENCH_MET], counts[BENCH_MISSED], counts[BENCH_UNCLEAR],
                         counts[BENCH_UNKNOWN]};
    fprintf(file, "goals: %zu met, %zu missed, %zu unclear, %zu unknown\n", tally.met, tally.missed,
            tally.unclear, tally.unknown);
    return tally;
}

size_t bench_report_missing(FILE *file, const bench_rows *rows)
{
    size_t total = 0;
    for (size_t i = 0; i < bench_contender_count; i++) {
        size_t missing = 0;
        const char *why = NULL;
        for (size_t k = 0; k < rows->count; k++) {
            const bench_row *row = &rows->row[k];
            if (row->contender != &bench_contenders[i] || row->missing[0] == '\0')
                continue;
            if (missing++ == 0)
                why = row->missing;
        }
        if (missing > 0)
            fprintf(file, "missing: %s in %zu cases: %s\n", bench_contenders[i].name, missing, why);
        total += missing;
    }
    return total;
}
