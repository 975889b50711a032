/* SPDX-License-Identifier: Apache-2.0 */
/* The checks; the work is transcode.c's. */
#include "memory/charset.h"

#include "base/error.h"
#include "memory/transcode.h"

size_t tide_text_unit(tide_charset charset)
{
    return tide_charset_is_valid(charset) ? tide_charset_unit(charset) : 0;
}

tide_status tide_charset_refuse(tide_charset charset, const char *operation)
{
    return TIDE_ERROR(TIDE_INVALID_ARGUMENT, operation, TIDE_NO_OBJECT,
                      "no charset has the number %" PRIu64, (uint64_t)charset);
}

tide_status tide_text_refuse_source(const void *from, size_t size, const char *operation)
{
    if (from == NULL)
        return TIDE_ERROR_PLAIN(TIDE_INVALID_ARGUMENT, operation, TIDE_NO_OBJECT, "no text: NULL");
    return TIDE_ERROR(TIDE_INVALID_ARGUMENT, operation, TIDE_NO_OBJECT,
                      "a length of %" PRIu64 " bytes: the largest is %" PRIu64, size,
                      (uint64_t)PTRDIFF_MAX);
}

tide_status tide_text_refuse_target(size_t capacity, const char *operation)
{
    return TIDE_ERROR(TIDE_INVALID_ARGUMENT, operation, TIDE_NO_OBJECT,
                      "no target for up to %" PRIu64 " bytes: NULL", capacity);
}

static tide_status check_result(const size_t *result, const char *operation)
{
    if (result != NULL)
        return TIDE_OK;
    return TIDE_ERROR_PLAIN(TIDE_INVALID_ARGUMENT, operation, TIDE_NO_OBJECT,
                            "no place for the size: NULL");
}

/* Source and length have been checked. */
static tide_status convert(tide_charset source, tide_charset target, const void *from, size_t size,
                           void *to, size_t capacity, size_t *result, const char *operation)
{
    tide_status status = tide_text_check_target(to, capacity, operation);
    if (status == TIDE_OK)
        status = check_result(result, operation);
    if (status != TIDE_OK)
        return status;
    size_t needed;
    if (!tide_transcode(source, target, from, size, to, capacity, &needed))
        return TIDE_ERROR(TIDE_EXHAUSTED, operation, TIDE_NO_OBJECT,
                          "the text becomes %" PRIu64 " bytes: there is room for %" PRIu64, needed,
                          capacity);
    *result = needed;
    return TIDE_OK;
}

tide_status tide_text_encoded_size(const char *text, size_t length, tide_charset charset,
                                   size_t *size)
{
    tide_status status = tide_text_check_charset(charset, "encode");
    if (status == TIDE_OK)
        status = tide_text_check_length(text, &length, "encode");
    if (status == TIDE_OK)
        status = check_result(size, "encode");
    if (status == TIDE_OK)
        *size = tide_transcode_size(TIDE_UTF8, charset, text, length);
    return status;
}

tide_status tide_text_encode(const char *text, size_t length, tide_charset charset, void *to,
                             size_t capacity, size_t *size)
{
    tide_status status = tide_text_check_charset(charset, "encode");
    if (status == TIDE_OK)
        status = tide_text_check_length(text, &length, "encode");
    if (status == TIDE_OK)
        status = convert(TIDE_UTF8, charset, text, length, to, capacity, size, "encode");
    return status;
}

tide_status tide_text_decoded_size(const void *from, size_t size, tide_charset charset,
                                   size_t *length)
{
    tide_status status = tide_text_check_charset(charset, "decode");
    if (status == TIDE_OK)
        status = tide_text_check_source(from, size, "decode");
    if (status == TIDE_OK)
        status = check_result(length, "decode");
    if (status == TIDE_OK)
        *length = tide_transcode_size(charset, TIDE_UTF8, from, size);
    return status;
}

tide_status tide_text_decode(const void *from, size_t size, tide_charset charset, char *to,
                             size_t capacity, size_t *length)
{
    tide_status status = tide_text_check_charset(charset, "decode");
    if (status == TIDE_OK)
        status = tide_text_check_source(from, size, "decode");
    if (status == TIDE_OK)
        status = convert(charset, TIDE_UTF8, from, size, to, capacity, length, "decode");
    return status;
}
