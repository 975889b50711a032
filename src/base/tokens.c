/* SPDX-License-Identifier: Apache-2.0 */
#include "base/tokens.h"

/*
 * The next number of either kind, [0] of those that tide_owner_new() gives and [1] of threads'. A
 * token is its number and its kind in the lowest bit: at least 2, since numbers start at 1, and
 * below 2^63 for longer than any machine lasts. Relaxed: a token says nothing about other memory.
 */
static uint64_t next[2] = {1, 1};

static tide_owner take(unsigned kind)
{
    return __atomic_fetch_add(&next[kind], 1, __ATOMIC_RELAXED) << 1 | kind;
}

tide_owner tide_owner_new(void)
{
    return take(0);
}

tide_owner tide_token_for_thread(void)
{
    return take(1);
}

bool tide_token_exists(tide_owner token)
{
    return token >= 2 && token >> 1 < __atomic_load_n(&next[token & 1], __ATOMIC_RELAXED);
}
