/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts the instructions of the fast path and compares them with a record.
 *
 *     instructions RECORD            fails when a count exceeds its record by more than a tenth
 *     instructions --record RECORD   writes the record
 *
 * A child process runs a loop while its parent lets it go one instruction at a time. (Under
 * valgrind the library would take its slow path, so that valgrind sees every allocation.)
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "cycles.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#define ITERATIONS ((size_t)100)
#define WARM_UP    ((size_t)64)

typedef void (*cycle_loop)(size_t count);

typedef struct cycle {
    const char *name;
    cycle_loop loop;
} cycle;

static const cycle cycles[] = {
    {"inline", tide_cycle_inline},
    {"nothing-allocated", tide_cycle_nothing},
    {"exported", tide_cycle_exported},
    {"exported-open-allocate", tide_cycle_open_allocate},
};

enum { CYCLES = sizeof cycles / sizeof cycles[0] };

static _Noreturn void give_up(const char *what)
{
    fprintf(stderr, "instructions: %s: %s\n", what, strerror(errno));
    exit(2);
}

/* Stops before and behind what is to be counted. */
static _Noreturn void run_child(cycle_loop loop, size_t count)
{
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
        _exit(3);
    loop(WARM_UP);
    raise(SIGSTOP);
    loop(count);
    raise(SIGSTOP);
    _exit(0);
}

/* Waits until the child stops, and returns by which signal. */
static int wait_for_stop(pid_t child)
{
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            give_up("wait");
    if (!WIFSTOPPED(status)) {
        fputs("instructions: the counted process ended: may processes be traced here?\n", stderr);
        exit(2);
    }
    return WSTOPSIG(status);
}

/* Instructions between the two stops. */
static long count_between(cycle_loop loop, size_t count)
{
    pid_t child = fork();
    if (child < 0)
        give_up("fork");
    if (child == 0)
        run_child(loop, count);
    while (wait_for_stop(child) != SIGSTOP)
        if (ptrace(PTRACE_CONT, child, NULL, NULL) != 0)
            give_up("continue");
    long steps = 0;
    do {
        if (ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) != 0)
            give_up("single step");
        steps++;
    } while (wait_for_stop(child) == SIGTRAP);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    return steps;
}

/* Of one iteration; what the call of the loop takes is in both counts. */
static double count_loop(cycle_loop loop)
{
    long once = count_between(loop, ITERATIONS), twice = count_between(loop, 2 * ITERATIONS);
    return (double)(twice - once) / (double)ITERATIONS;
}

static bool write_record(const char *path, const double counts[CYCLES])
{
    FILE *file = fopen(path, "w");
    if (file == NULL)
        return false;
    fputs("# SPDX-License-Identifier: Apache-2.0\n"
          "# Instructions of open + allocate 8 bytes + close: gcc 12, -O2, x86-64.\n"
          "# Written by `instructions --record`.\n",
          file);
    for (int i = 0; i < CYCLES; i++)
        fprintf(file, "%s %.0f\n", cycles[i].name, counts[i]);
    return fclose(file) == 0;
}

/* The recorded count of a name; 0 when there is none. */
static long read_record(const char *path, const char *name)
{
    FILE *file = fopen(path, "r");
    if (file == NULL)
        give_up(path);
    char line[128], found[64];
    long count, result = 0;
    while (fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "%63s %ld", found, &count) == 2 && strcmp(found, name) == 0)
            result = count;
    fclose(file);
    return result;
}

static bool compare(const char *path, const double counts[CYCLES])
{
    bool good = true;
    for (int i = 0; i < CYCLES; i++) {
        long recorded = read_record(path, cycles[i].name);
        double most = (double)recorded * 1.1;
        bool within = recorded > 0 && counts[i] > 0 && counts[i] <= most;
        printf("%-24s%8.2f instructions, recorded %ld, at most %.1f: %s\n", cycles[i].name,
               counts[i], recorded, most, within ? "good" : "NOT GOOD");
        good = good && within;
    }
    return good;
}

int main(int argc, char **argv)
{
    bool recording = argc == 3 && strcmp(argv[1], "--record") == 0;
    if (argc != 2 && !recording) {
        fputs("usage: instructions [--record] RECORD\n", stderr);
        return 2;
    }
    const char *path = argv[argc - 1];
    double counts[CYCLES], alone = count_loop(tide_cycle_loop_alone);
    for (int i = 0; i < CYCLES; i++)
        counts[i] = count_loop(cycles[i].loop) - alone;
    if (!recording)
        return compare(path, counts) ? 0 : 1;
    if (!write_record(path, counts))
        give_up(path);
    return 0;
}
