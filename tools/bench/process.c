/* SPDX-License-Identifier: Apache-2.0 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* pipe2, sched_getaffinity, environ */
#endif
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ANSWER_TIMEOUT_MS 120000
#define CANDIDATES        3
#define PATH_BYTES        4096

/* By soname, so that the loader finds it where the system keeps it; and what the file's name must
 * have in it, so that a library which the loader could not preload is noticed. */
typedef struct bench_allocator {
    const char *name;
    const char *file;
    const char *sonames[CANDIDATES + 1];
} bench_allocator;

static const bench_allocator allocators[BENCH_PROCESSES] = {
    [BENCH_GLIBC] = {"the C library's malloc", "libc.so", {NULL}},
    [BENCH_MIMALLOC] = {"mimalloc",
                        "libmimalloc",
                        {"libmimalloc.so.2", "libmimalloc.so.3", "libmimalloc.so", NULL}},
    [BENCH_JEMALLOC] = {"jemalloc", "libjemalloc", {"libjemalloc.so.2", "libjemalloc.so", NULL}},
    [BENCH_TCMALLOC] = {"tcmalloc",
                        "libtcmalloc_minimal",
                        {"libtcmalloc_minimal.so.4", "libtcmalloc_minimal.so", NULL}},
};

/* The worker lies at a fixed place relative to the command, in a build as in an installation. */
static bool find_worker(char path[PATH_BYTES])
{
    static const char relative[] = "libexec/tidepool/tidepool-bench-worker";
    ssize_t length = readlink("/proc/self/exe", path, PATH_BYTES - sizeof relative - 1);
    if (length <= 0)
        return false;
    path[length] = '\0';
    for (int level = 0; level < 2; level++) { /* the file's name, then bin */
        char *slash = strrchr(path, '/');
        if (slash == NULL)
            return false;
        *slash = '\0';
    }
    strcat(path, "/");
    strcat(path, relative);
    return access(path, X_OK) == 0;
}

/* The highest processor that this process may use: the lowest has the interrupts. */
static size_t choose_cpu(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 0;
    for (size_t cpu = CPU_SETSIZE - 1; cpu > 0; cpu--)
        if (CPU_ISSET(cpu, &set))
            return cpu;
    return 0;
}

/* The environment with LD_PRELOAD set to `soname`, or without one. To be freed; its strings are the
 * environment's own and `preload`. */
static char **make_environment(const char *soname, char *preload, size_t preload_bytes)
{
    static const char variable[] = "LD_PRELOAD=";
    size_t count = 0;
    while (environ[count] != NULL)
        count++;
    char **made = calloc(count + 2, sizeof made[0]);
    if (made == NULL)
        return NULL;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (strncmp(environ[i], variable, sizeof variable - 1) != 0)
            made[kept++] = environ[i];
    if (soname != NULL) {
        snprintf(preload, preload_bytes, "%s%s", variable, soname);
        made[kept] = preload;
    }
    return made;
}

static void close_pair(const int pair[2])
{
    close(pair[0]);
    close(pair[1]);
}

/* Starts the program between two pipes; an error number when it can't be. While `trying`, what the
 * loader says of a library that it doesn't find is not for the user. */
static int spawn_between(char *path, const char *soname, bool trying, const int requests[2],
                         const int answers[2], pid_t *pid)
{
    char cpu[24], preload[128];
    snprintf(cpu, sizeof cpu, "%zu", choose_cpu());
    char option[] = "--cpu";
    char *arguments[] = {path, option, cpu, NULL};
    char **environment = make_environment(soname, preload, sizeof preload);
    if (environment == NULL)
        return ENOMEM;
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error == 0) {
        error = posix_spawn_file_actions_adddup2(&actions, requests[0], STDIN_FILENO);
        if (error == 0)
            error = posix_spawn_file_actions_adddup2(&actions, answers[1], STDOUT_FILENO);
        if (error == 0 && trying)
            error =
                posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
        if (error == 0)
            error = posix_spawn(pid, path, &actions, NULL, arguments, environment);
        posix_spawn_file_actions_destroy(&actions);
    }
    free(environment);
    return error;
}

static int spawn(bench_worker *worker, char *path, const char *soname, bool trying)
{
    int requests[2], answers[2];
    if (pipe2(requests, O_CLOEXEC) != 0)
        return errno;
    if (pipe2(answers, O_CLOEXEC) != 0) {
        int error = errno;
        close_pair(requests);
        return error;
    }
    int error = spawn_between(path, soname, trying, requests, answers, &worker->pid);
    close(requests[0]);
    close(answers[1]);
    worker->requests = error == 0 ? fdopen(requests[1], "w") : NULL;
    worker->answers = error == 0 ? fdopen(answers[0], "r") : NULL;
    if (worker->requests == NULL)
        close(requests[1]);
    if (worker->answers == NULL)
        close(answers[0]);
    if (error != 0)
        worker->pid = 0;
    return error;
}

/* Ends the worker: it leaves at the end of its input; one that hangs is killed. */
static void stop(bench_worker *worker, bool hanging, int *ended)
{
    *ended = 0;
    if (worker->pid == 0)
        return;
    if (hanging)
        kill(worker->pid, SIGKILL);
    if (worker->requests != NULL)
        fclose(worker->requests);
    if (worker->answers != NULL)
        fclose(worker->answers);
    while (waitpid(worker->pid, ended, 0) < 0 && errno == EINTR) {
    }
    worker->pid = 0;
    worker->requests = NULL;
    worker->answers = NULL;
}

static bool read_line(bench_worker *worker, char *line, size_t bytes, bool *hanging)
{
    *hanging = false;
    if (worker->answers == NULL)
        return false;
    struct pollfd readable = {.fd = fileno(worker->answers), .events = POLLIN};
    int ready;
    do {
        ready = poll(&readable, 1, ANSWER_TIMEOUT_MS);
    } while (ready < 0 && errno == EINTR);
    *hanging = ready == 0;
    if (ready <= 0 || fgets(line, (int)bytes, worker->answers) == NULL)
        return false;
    line[strcspn(line, "\n")] = '\0';
    return true;
}

/* Whether the worker's first line says that its malloc is the one we want. */
static bool has_malloc(bench_worker *worker, const bench_allocator *allocator)
{
    char line[PATH_BYTES];
    bool hanging;
    if (!read_line(worker, line, sizeof line, &hanging) || strncmp(line, "malloc ", 7) != 0)
        return false;
    const char *slash = strrchr(line, '/');
    const char *file = slash != NULL ? slash + 1 : line + 7;
    return strncmp(file, allocator->file, strlen(allocator->file)) == 0;
}

/* True when the worker runs with the allocator that it should. */
static bool try_allocator(bench_worker *worker, char *path, const bench_allocator *allocator,
                          const char *soname)
{
    for (int trying = soname != NULL ? 1 : 0; trying >= 0; trying--) {
        int ended;
        int error = spawn(worker, path, soname, trying != 0);
        if (error != 0) {
            snprintf(worker->missing, sizeof worker->missing, "its process can't be started: %s",
                     strerror(error));
            return false;
        }
        if (!has_malloc(worker, allocator)) {
            stop(worker, true, &ended);
            return false;
        }
        if (trying != 0)
            stop(worker, false, &ended);
    }
    return true;
}

static void start(bench_worker *worker, char *path, const bench_allocator *allocator)
{
    snprintf(worker->missing, sizeof worker->missing, "%s can't be preloaded: is it installed?",
             allocator->name);
    if (allocator->sonames[0] == NULL) {
        snprintf(worker->missing, sizeof worker->missing, "the worker does not run with %s",
                 allocator->name);
        if (try_allocator(worker, path, allocator, NULL))
            worker->missing[0] = '\0';
        return;
    }
    for (const char *const *soname = allocator->sonames; *soname != NULL; soname++)
        if (try_allocator(worker, path, allocator, *soname)) {
            worker->missing[0] = '\0';
            return;
        }
}

void bench_workers_start(bench_worker workers[BENCH_PROCESSES])
{
    char path[PATH_BYTES];
    bool found = find_worker(path);
    signal(SIGPIPE, SIG_IGN); /* a worker that ended is noticed by its answer */
    for (int i = 0; i < BENCH_PROCESSES; i++) {
        workers[i] = (bench_worker){0};
        if (found)
            start(&workers[i], path, &allocators[i]);
        else
            snprintf(workers[i].missing, sizeof workers[i].missing,
                     "tidepool-bench-worker is not beside this command");
    }
}

void bench_workers_stop(bench_worker workers[BENCH_PROCESSES])
{
    int ended;
    for (int i = 0; i < BENCH_PROCESSES; i++)
        stop(&workers[i], false, &ended);
}

static void note_end(bench_worker *worker, bool hanging)
{
    int ended;
    stop(worker, hanging, &ended);
    if (hanging)
        snprintf(worker->missing, sizeof worker->missing, "the worker did not answer");
    else if (WIFSIGNALED(ended))
        snprintf(worker->missing, sizeof worker->missing, "the worker ended by signal %d",
                 WTERMSIG(ended));
    else
        snprintf(worker->missing, sizeof worker->missing, "the worker ended with status %d",
                 WEXITSTATUS(ended));
}

double bench_worker_run(bench_worker *worker, bench_row *row, unsigned bursts, unsigned nanoseconds)
{
    char line[PATH_BYTES];
    bool hanging = false;
    if (worker->pid != 0) {
        fprintf(worker->requests, "run %s %s %s %u %u\n", row->plan->name, row->name,
                row->contender->loops, bursts, nanoseconds);
        if (fflush(worker->requests) != 0 || !read_line(worker, line, sizeof line, &hanging))
            note_end(worker, hanging);
    }
    if (worker->pid == 0) {
        snprintf(row->missing, sizeof row->missing, "%s", worker->missing);
        return -1;
    }
    double result;
    if (sscanf(line, "ns %lf", &result) == 1 && result >= 0)
        return result;
    const char *why = strchr(line, ' ');
    snprintf(row->missing, sizeof row->missing, "%.100s", why != NULL ? why + 1 : line);
    return -1;
}
