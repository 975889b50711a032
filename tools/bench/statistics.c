/* SPDX-License-Identifier: Apache-2.0 */
#include "statistics.h"

#include <stdlib.h>

static int compare_doubles(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/*
 * How many samples may be left out at each end: the number of samples below the true median is
 * binomial (count, 1/2), so the largest rank r with P(fewer than r below) <= 2.5 %; its mirror
 * image is the upper end. With fewer than 6 samples that is the whole range.
 */
static size_t tail_rank(size_t count)
{
    double probability = 1; /* of exactly `below` samples, times 2^count: scaled along the way */
    double scale = 1;
    for (size_t i = 0; i < count; i++)
        scale /= 2; /* up to a thousand samples fit a double's exponent */
    double cumulated = 0;
    size_t below = 0;
    while (below < count / 2) {
        cumulated += probability * scale;
        if (cumulated > 0.025)
            break;
        probability = probability * (double)(count - below) / (double)(below + 1);
        below++;
    }
    return below;
}

bench_interval bench_median(double *samples, size_t count)
{
    qsort(samples, count, sizeof samples[0], compare_doubles);
    bench_interval interval;
    interval.median =
        count % 2 == 1 ? samples[count / 2] : (samples[count / 2 - 1] + samples[count / 2]) / 2;
    size_t tail = tail_rank(count);
    if (tail > 0)
        tail--; /* the r-th smallest, counted from 1, is the lower end */
    interval.low = samples[tail];
    interval.high = samples[count - 1 - tail];
    return interval;
}
