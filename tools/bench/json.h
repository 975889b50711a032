/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TIDEPOOL_TOOLS_BENCH_JSON_H
#define TIDEPOOL_TOOLS_BENCH_JSON_H

#include "plan.h"

/* Replaces the file by an array of one object for each measured row, or leaves it as it was and
 * returns false with errno set. */
bool bench_json_write(const bench_rows *rows, const char *path);

#endif
