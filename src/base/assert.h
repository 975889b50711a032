/* SPDX-License-Identifier: Apache-2.0 */
/* What debug builds check of the library itself. Elsewhere a condition is compiled and not
 * evaluated.
 */
#ifndef TIDEPOOL_BASE_ASSERT_H
#define TIDEPOOL_BASE_ASSERT_H

#ifdef TIDE_DEBUG
#define TIDE_ASSERT(condition) ((condition) ? (void)0 : tide_assertion_failed(#condition))
#else
#define TIDE_ASSERT(condition) ((void)sizeof((condition) ? 1 : 0))
#endif

/* Names the condition on stderr and aborts. */
_Noreturn void tide_assertion_failed(const char *condition);

#endif
