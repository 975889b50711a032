/* SPDX-License-Identifier: Apache-2.0 */
/* Misused arenas through the exported functions instead of the inlined ones: the same tests
 * again. */
#define TIDE_NO_INLINE
#include "arena_misuse_test.c" /* NOLINT(bugprone-suspicious-include) */
