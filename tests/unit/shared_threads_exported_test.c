/* SPDX-License-Identifier: Apache-2.0 */
/* Several threads, through the exported functions instead of the inlined ones: the same tests
 * again. */
#define TIDE_NO_INLINE
#include "shared_threads_test.c" /* NOLINT(bugprone-suspicious-include) */
