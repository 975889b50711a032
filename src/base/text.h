/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TIDEPOOL_BASE_TEXT_H
#define TIDEPOOL_BASE_TEXT_H

#include <string.h>

/* The length of a string, at most `limit`: nothing behind that is read. */
static inline size_t tide_bounded_length(const char *string, size_t limit)
{
    const char *end = (const char *)memchr(string, '\0', limit);
    return end != NULL ? (size_t)(end - string) : limit;
}

#endif
