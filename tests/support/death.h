/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Death cases: deeds that must end the process, each in a process of its own.
 *
 *     static const death_case cases[] = {
 *         {.name = "abort_says_so", .deed = abort_now, .dies = DEATH_BY_ABORT,
 *          .says = {"tidepool: "}},
 *     };
 *     int main(int count, char **arguments)
 *     {
 *         return death_main(cases, sizeof cases / sizeof cases[0], count, arguments);
 *     }
 *
 * The program prints the names of its cases with --list. With a name it runs that case: exit status
 * 0 only if the deed's process died as expected and said what was expected on stderr.
 */
#ifndef TIDEPOOL_TESTS_DEATH_H
#define TIDEPOOL_TESTS_DEATH_H

#include "child.h"
#include "coverage.h"

#include <signal.h>
#include <stdbool.h>

/* How a deed ends: an exit status from 0 on, or by abort(). */
#define DEATH_BY_ABORT (-SIGABRT)

#define DEATH_TEXTS 6

typedef struct death_case {
    const char *name;
    void (*deed)(void);
    int dies;                      /* an exit status, or minus a signal */
    const char *says[DEATH_TEXTS]; /* each must be in what it wrote to stderr */
    const char *not_says;          /* must not be there; or NULL */
    const char *environment[4];    /* "NAME=value", NULL at the end */
} death_case;

static inline bool death_is_as_expected_(const death_case *one, const child_result *result)
{
    bool as_expected = true;
    if (one->dies >= 0 ? !child_exited(result, one->dies)
                       : !WIFSIGNALED(result->status) || WTERMSIG(result->status) != -one->dies) {
        fprintf(stderr, "%s: wait status 0x%x, expected %s %d\n", one->name,
                (unsigned)result->status, one->dies >= 0 ? "exit" : "signal", abs(one->dies));
        as_expected = false;
    }
    for (size_t i = 0; i < DEATH_TEXTS && one->says[i] != NULL; i++) {
        if (strstr(result->error, one->says[i]) == NULL) {
            fprintf(stderr, "%s: stderr lacks \"%s\"\n", one->name, one->says[i]);
            as_expected = false;
        }
    }
    if (one->not_says != NULL && strstr(result->error, one->not_says) != NULL) {
        fprintf(stderr, "%s: stderr has \"%s\"\n", one->name, one->not_says);
        as_expected = false;
    }
    if (!as_expected)
        fprintf(stderr, "%s: stderr was:\n%s", one->name, result->error);
    return as_expected;
}

static inline __attribute__((unused)) int death_main(const death_case *cases, size_t case_count,
                                                     int argument_count, char **arguments)
{
    if (argument_count == 2 && strcmp(arguments[1], "--list") == 0) {
        for (size_t i = 0; i < case_count; i++)
            printf("%s\n", cases[i].name);
        return 0;
    }
    bool do_it = argument_count == 3 && strcmp(arguments[1], "--deed") == 0;
    const char *name = do_it ? arguments[2] : argument_count == 2 ? arguments[1] : "";
    for (size_t i = 0; i < case_count; i++) {
        if (strcmp(cases[i].name, name) != 0)
            continue;
        if (do_it) {
            coverage_keep_at_abort();
            cases[i].deed();
            return 0;
        }
        child_result result = child_run("--deed", name, cases[i].environment);
        return death_is_as_expected_(&cases[i], &result) ? 0 : 1;
    }
    fprintf(stderr, "usage: %s --list | NAME\n", arguments[0]);
    return 2;
}

#endif
