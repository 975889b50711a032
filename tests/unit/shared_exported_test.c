/* SPDX-License-Identifier: Apache-2.0 */
/* Shared arenas through the exported functions instead of the inlined ones: the same tests
 * again. */
#define TIDE_NO_INLINE
#include "shared_test.c" /* NOLINT(bugprone-suspicious-include) */
