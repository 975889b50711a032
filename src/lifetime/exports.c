/* SPDX-License-Identifier: Apache-2.0 */
/* The one definition of each inline function that the library exports: for function pointers, for
 * dlsym, and for languages that can't read headers. */
#define TIDE_BUILD_EXPORTS 1

#include <tidepool/tidepool.h>

/* The second names of TIDE_OF_LAYOUT_. */
#define ALIAS(name) TIDE_API extern __typeof__(name) name##_layout2_ __attribute__((alias(#name)))

ALIAS(tide_arena_open);
ALIAS(tide_arena_allocate);
ALIAS(tide_arena_allocate_uninitialized);
ALIAS(tide_arena_segment);
ALIAS(tide_arena_segment_uninitialized);
ALIAS(tide_arena_close);
