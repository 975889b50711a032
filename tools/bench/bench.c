/* SPDX-License-Identifier: Apache-2.0 */
/* `tidepool bench`: its options and its exit status. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* getopt_long */
#endif
#include "bench.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "goals.h"
#include "json.h"
#include "measure.h"
#include "report.h"

enum { EXIT_MEASURED = 0, EXIT_NOT_MEASURED = 1, EXIT_USAGE = 2, EXIT_UNCLEAR = 3 };

typedef struct bench_options {
    bool quick, check, list, help;
    const char *json;
    unsigned wanted; /* a bit for each plan */
} bench_options;

static void print_usage(FILE *file)
{
    fputs(
        "usage: tidepool bench [--quick] [--check] [--json FILE] [--only NAME,...] [--list]\n"
        "\n"
        "Measures tidepool against other allocators, all in one run, and prints the times in\n"
        "nanoseconds, the ratios and whether the goals are met. What is unclear is measured once\n"
        "more, in more rounds.\n"
        "\n"
        "  --quick        fewer and shorter rounds, none of them for what is unclear\n"
        "  --check        exit status 1 also when a goal is missed, 3 when one stays unclear\n"
        "  --json FILE    replace FILE by an array of the measured rows\n"
        "  --only NAMES   only these benches, separated by commas\n"
        "  --list         print bench, case and contender of each row, measure nothing\n"
        "\n"
        "Exit status: 0 when every row was measured, 1 when one could not be, 2 for bad usage.\n",
        file);
}

static bool parse_only(const char *names, unsigned *wanted)
{
    *wanted = 0;
    for (const char *name = names;; name++) {
        size_t length = strcspn(name, ",");
        const bench_plan *plan = bench_plan_find(name, length);
        if (plan == NULL) {
            fprintf(stderr, "tidepool bench: there is no bench '%.*s'; there are:", (int)length,
                    name);
            for (size_t i = 0; i < bench_plan_count; i++)
                fprintf(stderr, " %s", bench_plans[i].name);
            fputc('\n', stderr);
            return false;
        }
        *wanted |= 1u << (plan - bench_plans);
        name += length;
        if (*name == '\0')
            return true;
    }
}

static bool parse_options(int argc, char **argv, bench_options *options)
{
    static const struct option known[] = {
        {"quick", no_argument, NULL, 'q'},
        {"check", no_argument, NULL, 'c'},
        {"json", required_argument, NULL, 'j'},
        {"only", required_argument, NULL, 'o'},
        {"list", no_argument, NULL, 'l'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    *options = (bench_options){.wanted = (1u << bench_plan_count) - 1};
    optind = 0; /* the command may have looked at its own options before */
    int option;
    while ((option = getopt_long(argc, argv, "", known, NULL)) != -1) {
        switch (option) {
        case 'q':
            options->quick = true;
            break;
        case 'c':
            options->check = true;
            break;
        case 'l':
            options->list = true;
            break;
        case 'h':
            options->help = true;
            break;
        case 'j':
            options->json = optarg;
            break;
        case 'o':
            if (!parse_only(optarg, &options->wanted))
                return false;
            break;
        default:
            print_usage(stderr);
            return false;
        }
    }
    if (optind < argc) {
        fprintf(stderr, "tidepool bench: unexpected argument '%s'\n", argv[optind]);
        print_usage(stderr);
        return false;
    }
    return true;
}

static void list_rows(const bench_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++)
        printf("%s %s %s\n", rows->row[i].plan->name, rows->row[i].name,
               rows->row[i].contender->name);
}

static bool measure(bench_rows *rows, const bench_options *options)
{
    if (options->quick)
        return bench_measure(rows, &bench_effort_quick);
    if (!bench_measure(rows, &bench_effort_full))
        return false;
    size_t unclear = bench_mark_unclear(rows);
    if (unclear == 0)
        return true;
    printf("unclear after the first rounds, and measured again: %zu goals\n\n", unclear);
    return bench_measure_again(rows, &bench_effort_full);
}

static int check(const bench_tally *goals)
{
    if (goals->missed > 0 || goals->unknown > 0)
        return EXIT_NOT_MEASURED;
    return goals->unclear > 0 ? EXIT_UNCLEAR : EXIT_MEASURED;
}

static int measure_and_report(bench_rows *rows, const bench_options *options)
{
    if (!measure(rows, options)) {
        fputs("tidepool bench: out of memory\n", stderr);
        return EXIT_NOT_MEASURED;
    }
    bench_report_times(stdout, rows);
    bench_report_ratios(stdout, rows);
    bench_tally goals = bench_report_goals(stdout, rows);
    size_t missing = bench_report_missing(stdout, rows);
    if (fflush(stdout) != 0 || (options->json != NULL && !bench_json_write(rows, options->json))) {
        fprintf(stderr, "tidepool bench: can't write the results: %s\n", strerror(errno));
        return EXIT_NOT_MEASURED;
    }
    if (missing > 0) {
        fprintf(stderr, "tidepool bench: %zu of %zu rows could not be measured\n", missing,
                rows->count);
        return EXIT_NOT_MEASURED;
    }
    return options->check ? check(&goals) : EXIT_MEASURED;
}

int tide_bench_main(int argc, char **argv)
{
    bench_options options;
    if (!parse_options(argc, argv, &options))
        return EXIT_USAGE;
    if (options.help) {
        print_usage(stdout);
        return EXIT_MEASURED;
    }
    bench_rows rows;
    if (!bench_rows_make(&rows, options.wanted)) {
        fputs("tidepool bench: out of memory\n", stderr);
        return EXIT_NOT_MEASURED;
    }
    int status = EXIT_MEASURED;
    if (options.list)
        list_rows(&rows);
    else
        status = measure_and_report(&rows, &options);
    bench_rows_free(&rows);
    return status;
}
