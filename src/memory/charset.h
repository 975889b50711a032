/* SPDX-License-Identifier: Apache-2.0 */
/* What every function that takes text checks first. What is right passes in line. */
#ifndef TIDEPOOL_MEMORY_CHARSET_H
#define TIDEPOOL_MEMORY_CHARSET_H

#include <string.h>

#include <tidepool/charset.h>

static inline bool tide_charset_is_valid(tide_charset charset)
{
    return (unsigned)charset <= TIDE_ASCII;
}

/* Of a charset. */
static inline size_t tide_charset_unit(tide_charset charset)
{
    static const unsigned char units[] = {
        [TIDE_UTF8] = 1,    [TIDE_UTF16LE] = 2, [TIDE_UTF16BE] = 2, [TIDE_UTF32LE] = 4,
        [TIDE_UTF32BE] = 4, [TIDE_LATIN1] = 1,  [TIDE_ASCII] = 1,
    };
    return units[charset];
}

/* The refusals of the checks below. */
TIDE_COLD tide_status tide_charset_refuse(tide_charset charset, const char *operation);
TIDE_COLD tide_status tide_text_refuse_source(const void *from, size_t size, const char *operation);
TIDE_COLD tide_status tide_text_refuse_target(size_t capacity, const char *operation);

/* INVALID_ARGUMENT for what is no charset. */
static inline tide_status tide_text_check_charset(tide_charset charset, const char *operation)
{
    return tide_charset_is_valid(charset) ? TIDE_OK : tide_charset_refuse(charset, operation);
}

/* INVALID_ARGUMENT for NULL with a size above 0, and for a size that is none. */
static inline tide_status tide_text_check_source(const void *from, size_t size,
                                                 const char *operation)
{
    if ((from != NULL || size == 0) && size <= PTRDIFF_MAX)
        return TIDE_OK;
    return tide_text_refuse_source(from, size, operation);
}

/* The same for UTF-8, where TIDE_TEXT_LENGTH becomes the length. */
static inline tide_status tide_text_check_length(const char *text, size_t *length,
                                                 const char *operation)
{
    if (text != NULL && *length == TIDE_TEXT_LENGTH)
        *length = strlen(text);
    return tide_text_check_source(text, *length, operation);
}

/* INVALID_ARGUMENT for NULL with a size above 0. */
static inline tide_status tide_text_check_target(const void *to, size_t capacity,
                                                 const char *operation)
{
    return to != NULL || capacity == 0 ? TIDE_OK : tide_text_refuse_target(capacity, operation);
}

#endif
