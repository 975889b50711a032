/* SPDX-License-Identifier: Apache-2.0 */
/* Arenas through the exported functions instead of the inlined ones: the same tests again. */
#define TIDE_NO_INLINE
#include "arena_test.c" /* NOLINT(bugprone-suspicious-include) */
