/* SPDX-License-Identifier: Apache-2.0 */
/* Owner tokens: numbers that are never used twice. The lowest bit tells a thread's own token (1)
 * from one that tide_owner_new() gave (0), so that a report knows what an ended thread left behind.
 */
#ifndef TIDEPOOL_BASE_TOKENS_H
#define TIDEPOOL_BASE_TOKENS_H

#include <stdbool.h>
#include <tidepool/owner.h>

tide_owner tide_token_for_thread(void);

/* Whether the token has ever been given to anybody. */
bool tide_token_exists(tide_owner token);

static inline bool tide_token_is_threads(tide_owner token)
{
    return (token & 1) != 0;
}

#endif
