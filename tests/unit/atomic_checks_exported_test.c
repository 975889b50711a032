/* SPDX-License-Identifier: Apache-2.0 */
/* Refused atomic access through the exported functions instead of the inlined ones: the same tests
 * again. */
#define TIDE_NO_INLINE
#include "atomic_checks_test.c" /* NOLINT(bugprone-suspicious-include) */
