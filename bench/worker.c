/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The process that runs contenders for `tidepool bench`. There is one for each allocator, since a
 * process has one malloc; the command keeps them alive and asks them in turn.
 *
 *     tidepool-bench-worker [--cpu N]
 *
 * First it says which file its malloc is in: "malloc PATH". Then it reads requests and answers each
 * with one line:
 *
 *     run BENCH CASE LOOPS BURSTS NANOSECONDS
 *         -> "ns MEDIAN"      nanoseconds an operation, the median of BURSTS bursts that take about
 *                             NANOSECONDS each
 *         -> "missing WHY"    the worker was built without it
 *         -> "error WHY"
 *
 * The end of its input ends it.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr, sched_setaffinity */
#endif
#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "loops.h"

#define LINE_BYTES   256
#define BURSTS_MAX   1001
#define ROWS_MAX     512 /* of one worker */
#define STRING_BYTES 4096
#define COUNT_MAX    ((size_t)1 << 30)

static const bench_loops *const contenders[] = {
    &bench_tidepool,     &bench_exported,         &bench_malloc, &bench_calloc, &bench_obstack,
    &bench_bespoke_pool, &bench_bespoke_clearing, &bench_memset, &bench_raw,    &bench_pmr,
#ifdef BENCH_HAVE_TALLOC
    &bench_talloc,
#endif
#ifdef BENCH_HAVE_APR
    &bench_apr,
#endif
};

/* What a request names. */
typedef enum work_kind {
    WORK_EMPTY,
    WORK_ZEROED,
    WORK_UNINITIALIZED,
    WORK_NESTED,
    WORK_STRING,
    WORK_SEQUENTIAL,
    WORK_RANDOM
} work_kind;

typedef struct bench_work {
    work_kind kind;
    size_t size;
    const bench_loops *loops;
} bench_work;

/* How many operations fill a burst, found once for each row of this process. */
typedef struct bench_row {
    char key[LINE_BYTES];
    size_t count;
} bench_row;

static bench_row rows[ROWS_MAX];
static size_t row_count;

void bench_refused(void)
{
    fputs("tidepool-bench-worker: a contender's call failed\n", stderr);
    abort();
}

__attribute__((noinline)) size_t bench_string_length(const char *text)
{
    __asm__ volatile("" : "+r"(text) : : "memory");
    return strlen(text);
}

static const char *test_string(size_t length)
{
    static char text[STRING_BYTES];
    if (length >= sizeof text)
        bench_refused();
    memset(text, 'x', length);
    text[length] = '\0';
    return text;
}

/* False when the contender has no such loop. */
static bool run_loop(const bench_work *work, const char *text, size_t count)
{
    const bench_loops *loops = work->loops;
    switch (work->kind) {
    case WORK_EMPTY:
        if (loops->empty == NULL)
            return false;
        loops->empty(count);
        return true;
    case WORK_ZEROED:
        if (loops->zeroed == NULL)
            return false;
        loops->zeroed(work->size, count);
        return true;
    case WORK_UNINITIALIZED:
        if (loops->uninitialized == NULL)
            return false;
        loops->uninitialized(work->size, count);
        return true;
    case WORK_NESTED:
        if (loops->nested == NULL)
            return false;
        loops->nested(count);
        return true;
    case WORK_STRING:
        if (loops->string == NULL)
            return false;
        loops->string(text, work->size + 1, count);
        return true;
    case WORK_SEQUENTIAL:
        if (loops->sequential == NULL)
            return false;
        loops->sequential(count);
        return true;
    case WORK_RANDOM:
        if (loops->random == NULL)
            return false;
        loops->random(count);
        return true;
    }
    return false;
}

/* Nanoseconds of one burst. */
static double time_burst(const bench_work *work, const char *text, size_t count)
{
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    run_loop(work, text, count);
    clock_gettime(CLOCK_MONOTONIC, &end);
    return (double)(end.tv_sec - start.tv_sec) * 1e9 + (double)(end.tv_nsec - start.tv_nsec);
}

/* The least of a few: one that was interrupted says nothing of the work. */
static double time_least(const bench_work *work, const char *text, size_t count)
{
    double least = time_burst(work, text, count);
    for (int i = 1; i < 4; i++) {
        double taken = time_burst(work, text, count);
        if (taken < least)
            least = taken;
    }
    return least;
}

/* The first call makes what the contender keeps and touches its pages: not counted. */
static size_t calibrate(const bench_work *work, const char *text, double burst)
{
    run_loop(work, text, 16);
    size_t count = 16;
    double taken = time_least(work, text, count);
    while (taken < burst / 2 && count < COUNT_MAX) {
        count *= 2;
        taken = time_least(work, text, count);
    }
    double fitting = (double)count * burst / (taken > 1 ? taken : 1);
    return fitting < 1 ? 1 : (size_t)fitting;
}

static bench_row *find_row(const char *key)
{
    for (size_t i = 0; i < row_count; i++)
        if (strcmp(rows[i].key, key) == 0)
            return &rows[i];
    if (row_count == ROWS_MAX)
        return NULL;
    bench_row *made = &rows[row_count++];
    snprintf(made->key, sizeof made->key, "%s", key);
    return made;
}

static int compare_doubles(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* The burst before the measured ones fills the caches that another process has just used. */
static double measure(const bench_work *work, const char *text, size_t count, size_t bursts)
{
    static double samples[BURSTS_MAX];
    run_loop(work, text, count);
    for (size_t i = 0; i < bursts; i++)
        samples[i] = time_burst(work, text, count) / (double)count;
    qsort(samples, bursts, sizeof samples[0], compare_doubles);
    return samples[bursts / 2];
}

/* "20", "20-uninit" and "0" of scratch. */
static bool parse_scratch(const char *name, bench_work *work)
{
    char *end;
    errno = 0;
    work->size = strtoul(name, &end, 10);
    if (errno != 0 || end == name)
        return false;
    if (strcmp(end, "-uninit") == 0)
        work->kind = WORK_UNINITIALIZED;
    else if (*end == '\0')
        work->kind = work->size == 0 ? WORK_EMPTY : WORK_ZEROED;
    else
        return false;
    return true;
}

static bool parse_work(const char *bench, const char *name, bench_work *work)
{
    if (strcmp(bench, "scratch") == 0)
        return parse_scratch(name, work);
    if (strcmp(bench, "nested") == 0) {
        work->kind = WORK_NESTED;
        return strcmp(name, "5x4") == 0;
    }
    if (strcmp(bench, "strlen") == 0) {
        char *end;
        work->kind = WORK_STRING;
        work->size = strtoul(name, &end, 10);
        return end != name && *end == '\0' && work->size < STRING_BYTES;
    }
    if (strcmp(bench, "access") == 0) {
        work->kind = strcmp(name, "random") == 0 ? WORK_RANDOM : WORK_SEQUENTIAL;
        return work->kind == WORK_RANDOM || strcmp(name, "sequential") == 0;
    }
    return false;
}

static const bench_loops *find_loops(const char *name)
{
    for (size_t i = 0; i < sizeof contenders / sizeof contenders[0]; i++)
        if (strcmp(contenders[i]->name, name) == 0)
            return contenders[i];
    return NULL;
}

static void answer(const char *line)
{
    char bench[32], name[32], loops[32];
    size_t bursts;
    double burst;
    bench_work work = {0};
    if (sscanf(line, "run %31s %31s %31s %zu %lf", bench, name, loops, &bursts, &burst) != 5 ||
        bursts == 0 || bursts > BURSTS_MAX || !(burst >= 1) || !parse_work(bench, name, &work)) {
        puts("error the worker does not know this request");
        return;
    }
    work.loops = find_loops(loops);
    if (work.loops == NULL) {
        puts("missing the worker was built without it");
        return;
    }
    const char *text = work.kind == WORK_STRING ? test_string(work.size) : NULL;
    if (!run_loop(&work, text, 0)) {
        puts("error the contender has no such loop");
        return;
    }
    char key[LINE_BYTES];
    snprintf(key, sizeof key, "%s %s %s", bench, name, loops);
    bench_row *row = find_row(key);
    if (row == NULL) {
        puts("error too many rows");
        return;
    }
    if (row->count == 0)
        row->count = calibrate(&work, text, burst);
    double median = measure(&work, text, row->count, bursts);
    if (work.loops->finish != NULL)
        work.loops->finish();
    printf("ns %.5f\n", median);
}

/* All workers share one processor, so that all meet the same one. A refusal only costs precision.
 */
static void pin_to_cpu(const char *number)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(strtoul(number, NULL, 10), &set);
    (void)sched_setaffinity(0, sizeof set, &set);
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--cpu") == 0) {
        pin_to_cpu(argv[2]);
    } else if (argc != 1) {
        fputs("usage: tidepool-bench-worker [--cpu N]\n", stderr);
        return 2;
    }
    Dl_info where = {0};
    void *symbol = dlsym(RTLD_DEFAULT, "malloc");
    if (symbol == NULL || dladdr(symbol, &where) == 0 || where.dli_fname == NULL)
        where.dli_fname = "unknown";
    printf("malloc %s\n", where.dli_fname);
    char line[LINE_BYTES];
    while (fflush(stdout) == 0 && fgets(line, sizeof line, stdin) != NULL)
        answer(line);
    return 0;
}
