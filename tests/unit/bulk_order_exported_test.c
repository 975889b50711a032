/* SPDX-License-Identifier: Apache-2.0 */
/* Refused bulk operations through the exported functions instead of the inlined ones: the same
 * tests again. */
#define TIDE_NO_INLINE
#include "bulk_order_test.c" /* NOLINT(bugprone-suspicious-include) */
