/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of 32-bit integers that lie in one confined segment, all in the first-level cache. */
#ifndef TIDEPOOL_BENCH_ACCESS_H
#define TIDEPOOL_BENCH_ACCESS_H

#include <stddef.h>

void bench_checked_sequential(size_t count);
void bench_checked_random(size_t count);
void bench_access_finish(void);

#endif
