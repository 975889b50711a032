/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs this very program again as a child process, with arguments and environment of its own: the
 * library reads the environment once, and a process can die but once.
 *
 *     child_result result = child_run("--child", "report", (const char *const[]){
 *                                         "TIDEPOOL_POOL_SIZE=63", NULL});
 *     ... result.status, result.error ...
 */
#ifndef TIDEPOOL_TESTS_CHILD_H
#define TIDEPOOL_TESTS_CHILD_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a child left behind. Longer output is cut. */
typedef struct child_result {
    int status; /* as by waitpid() */
    char output[16384];
    char error[16384];
} child_result;

static inline void child_fail_(const char *what)
{
    perror(what);
    abort();
}

static inline void child_read_(FILE *file, char *text, size_t size)
{
    rewind(file);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
}

/* Every variable of the library that the caller's environment may have is taken out first. */
static inline void child_environment_(const char *const *environment)
{
    extern char **environ;
    char **kept = environ;
    for (char **variable = environ; *variable != NULL; variable++) {
        if (strncmp(*variable, "TIDEPOOL_", 9) != 0)
            *kept++ = *variable;
    }
    *kept = NULL;
    for (; environment != NULL && *environment != NULL; environment++) {
        if (putenv((char *)(size_t)*environment) != 0)
            child_fail_("putenv");
    }
}

/* `environment`: "NAME=value" strings, NULL at the end, or NULL. */
static inline __attribute__((unused)) child_result child_run(const char *verb, const char *name,
                                                             const char *const *environment)
{
    child_result result;
    FILE *output = tmpfile();
    FILE *error = tmpfile();
    if (output == NULL || error == NULL)
        child_fail_("tmpfile");
    fflush(NULL);
    pid_t child = fork();
    if (child < 0)
        child_fail_("fork");
    if (child == 0) {
        const struct rlimit no_core = {0, 0};
        setrlimit(RLIMIT_CORE, &no_core);
        child_environment_(environment);
        if (dup2(fileno(output), STDOUT_FILENO) < 0 || dup2(fileno(error), STDERR_FILENO) < 0)
            _exit(126);
        /* The name, not the link: under valgrind the link itself leads to valgrind. */
        char self[4096] = "";
        if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
            _exit(125);
        execl(self, "test", verb, name, (char *)NULL);
        _exit(127);
    }
    if (waitpid(child, &result.status, 0) != child)
        child_fail_("waitpid");
    child_read_(output, result.output, sizeof result.output);
    child_read_(error, result.error, sizeof result.error);
    return result;
}

static inline __attribute__((unused)) bool child_exited(const child_result *result, int code)
{
    return WIFEXITED(result->status) && WEXITSTATUS(result->status) == code;
}

#endif
