/* SPDX-License-Identifier: Apache-2.0 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* fileno */
#endif
#include "measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "process.h"
#include "statistics.h"

#define MORE_ROUNDS 4u

const bench_effort bench_effort_full = {
    .generations = 5, .rounds = 21, .bursts = 21, .nanoseconds = 40000};
const bench_effort bench_effort_quick = {
    .generations = 3, .rounds = 11, .bursts = 9, .nanoseconds = 20000};

static void show_progress(unsigned done, unsigned total)
{
    if (isatty(STDERR_FILENO) != 1)
        return;
    fprintf(stderr, done < total ? "\rround %u of %u" : "\r\033[K", done + 1, total);
}

static void measure_row(bench_worker *workers, bench_row *row, const bench_effort *effort)
{
    if (row->missing[0] != '\0')
        return;
    double result = bench_worker_run(&workers[row->contender->process], row, effort->bursts,
                                     effort->nanoseconds);
    if (row->missing[0] == '\0')
        row->samples[row->count++] = result;
}

static size_t end_of_case(const bench_rows *rows, size_t first)
{
    size_t end = first + 1;
    while (end < rows->count && rows->row[end].plan == rows->row[first].plan &&
           strcmp(rows->row[end].name, rows->row[first].name) == 0)
        end++;
    return end;
}

/*
 * The contenders of a case follow each other within milliseconds, so that a machine that changes
 * its speed changes it for all; another one begins in each round, and every other round goes
 * backwards, so that none always has the same one before it.
 */
static void measure_round(bench_worker *workers, bench_rows *rows, const bench_effort *effort,
                          unsigned round)
{
    for (size_t first = 0, end; first < rows->count; first = end) {
        end = end_of_case(rows, first);
        size_t count = end - first;
        for (size_t i = 0; i < count; i++) {
            size_t turn = (i + round) % count;
            measure_row(workers, &rows->row[first + (round % 2 == 0 ? turn : count - 1 - turn)],
                        effort);
        }
    }
}

static bool summarize(bench_rows *rows, unsigned rounds)
{
    double *sorted = calloc(rounds, sizeof sorted[0]);
    if (sorted == NULL)
        return false;
    for (size_t i = 0; i < rows->count; i++) {
        bench_row *row = &rows->row[i];
        if (row->missing[0] != '\0')
            continue;
        memcpy(sorted, row->samples, row->count * sizeof sorted[0]);
        bench_interval interval = bench_median(sorted, row->count);
        row->median = interval.median;
        row->low = interval.low;
        row->high = interval.high;
    }
    free(sorted);
    return true;
}

static bool make_room(bench_rows *rows, unsigned rounds)
{
    for (size_t i = 0; i < rows->count; i++) {
        bench_row *row = &rows->row[i];
        double *samples = realloc(row->samples, rounds * sizeof row->samples[0]);
        if (samples == NULL)
            return false;
        row->samples = samples;
        row->count = 0;
    }
    return true;
}

bool bench_measure(bench_rows *rows, const bench_effort *effort)
{
    unsigned total = effort->generations * effort->rounds;
    if (!make_room(rows, total))
        return false;
    for (unsigned generation = 0; generation < effort->generations; generation++) {
        bench_worker workers[BENCH_PROCESSES];
        bench_workers_start(workers);
        for (unsigned i = 0; i < effort->rounds; i++) {
            unsigned round = generation * effort->rounds + i;
            show_progress(round, total);
            measure_round(workers, rows, effort, round);
        }
        bench_workers_stop(workers);
    }
    show_progress(total, total);
    return summarize(rows, total);
}

/* How many more rounds, at most MORE_ROUNDS times as many, so that a part takes no longer
 * than all. */
static unsigned rounds_for(const bench_effort *effort, size_t part, size_t all)
{
    size_t times = all / part;
    return effort->rounds * (unsigned)(times > MORE_ROUNDS ? MORE_ROUNDS : times);
}

bool bench_measure_again(bench_rows *rows, const bench_effort *effort)
{
    bench_rows some = {calloc(rows->count + 1, sizeof some.row[0]), 0};
    if (some.row == NULL)
        return false;
    for (size_t i = 0; i < rows->count; i++)
        if (rows->row[i].again)
            some.row[some.count++] = rows->row[i];
    bool measured = true;
    if (some.count > 0) {
        bench_effort more = *effort;
        more.rounds = rounds_for(effort, some.count, rows->count);
        measured = bench_measure(&some, &more);
    }
    /* The samples may have moved, whether there was memory or not. */
    for (size_t i = 0, next = 0; i < rows->count; i++)
        if (rows->row[i].again) {
            rows->row[i] = some.row[next++];
            rows->row[i].again = false;
        }
    free(some.row);
    return measured;
}
