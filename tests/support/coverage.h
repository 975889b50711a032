/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a process has executed is written down by exit(). One that is to end by _exit() or abort()
 * does it before, or its lines would count as never run. Does nothing but in the coverage build.
 */
#ifndef TIDEPOOL_TESTS_COVERAGE_H
#define TIDEPOOL_TESTS_COVERAGE_H

#ifdef TIDE_COVERAGE

#include <signal.h>

void __gcov_dump(void);

static inline __attribute__((unused)) void coverage_keep(void)
{
    __gcov_dump();
}

/* abort() goes on when the handler returns: the process dies by the signal all the same. */
static inline void coverage_keep_in_handler_(int number)
{
    (void)number;
    __gcov_dump();
}

static inline __attribute__((unused)) void coverage_keep_at_abort(void)
{
    (void)signal(SIGABRT, coverage_keep_in_handler_);
}

#else

static inline __attribute__((unused)) void coverage_keep(void)
{
}

static inline __attribute__((unused)) void coverage_keep_at_abort(void)
{
}

#endif

#endif
