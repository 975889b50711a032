/* SPDX-License-Identifier: Apache-2.0 */
/* Medians with an interval. */
#ifndef TIDEPOOL_TOOLS_BENCH_STATISTICS_H
#define TIDEPOOL_TOOLS_BENCH_STATISTICS_H

#include <stddef.h>

typedef struct bench_interval {
    double median, low, high;
} bench_interval;

/* The median of `count` samples, at least one, and between which two of them the true one lies with
 * a confidence of 95 % or more, whatever the samples' distribution. Sorts the samples. */
bench_interval bench_median(double *samples, size_t count);

#endif
