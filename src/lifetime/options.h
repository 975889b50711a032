/* SPDX-License-Identifier: Apache-2.0 */
/* The options of arenas of every kind. */
#ifndef TIDEPOOL_LIFETIME_OPTIONS_H
#define TIDEPOOL_LIFETIME_OPTIONS_H

#include "lifetime/extra.h"

/* INVALID_ARGUMENT, noted, for options that are out of their range. */
tide_status tide_options_check(const tide_arena_options *options);

/* Copies good options into a cell's extra. */
void tide_options_apply(const tide_arena_options *options, tide_extra *extra);

#endif
