/* SPDX-License-Identifier: Apache-2.0 */
/* What an operation came to: {"ok":true, ...} or {"error":KIND, ...}. */
#ifndef OUTCOME_H
#define OUTCOME_H

#include <jansson.h>
#include <stdbool.h>
#include <tidepool/status.h>

/* The outcome of a call that returned `status`; the caller adds its results. */
json_t *outcome_of(tide_status status);

/* The kind of a status, as a trace names it; the status's own name where no trace has one. */
const char *outcome_kind(tide_status status);

/* Whether both say the same. Every field counts, in any order; kinds that mean one status are the
 * same, and so are a number and its decimal string. */
bool outcome_equal(const json_t *expected, const json_t *got);

#endif
