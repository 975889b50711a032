/* SPDX-License-Identifier: Apache-2.0 */
/* Refused scalar access through the exported functions instead of the inlined ones: the same tests
 * again. */
#define TIDE_NO_INLINE
#include "access_checks_test.c" /* NOLINT(bugprone-suspicious-include) */
