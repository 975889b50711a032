/* SPDX-License-Identifier: Apache-2.0 */
/* Copies, arrays and formatted text in an arena. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "base/text.h"
#include "lifetime/arena.h"
#include <tidepool/bytes.h>

void *tide_arena_allocate_array(tide_arena *arena, size_t count, size_t size, size_t alignment)
{
    size_t total;
    if (!tide_checked_multiply(count, size, &total)) {
        (void)TIDE_ERROR(TIDE_INVALID_ARGUMENT, "allocate", tide_arena_object(arena),
                         "%" PRIu64 " elements of %" PRIu64 " bytes overflow", count, size);
        tide_fault_raise();
    }
    return tide_arena_allocate(arena, total, alignment);
}

static void require(const tide_arena *arena, const void *source, const char *what)
{
    if (source != NULL)
        return;
    (void)TIDE_ERROR_PLAIN(TIDE_INVALID_ARGUMENT, "copy", tide_arena_object(arena), what);
    tide_fault_raise();
}

static char *copy_text(tide_arena *arena, const char *string, size_t length)
{
    char *copy = tide_arena_allocate_uninitialized(arena, length + 1, 1);
    if (copy == NULL)
        return NULL;
    memcpy(copy, string, length);
    copy[length] = '\0';
    return copy;
}

char *tide_arena_strdup(tide_arena *arena, const char *string)
{
    require(arena, string, "no string: NULL");
    return copy_text(arena, string, strlen(string));
}

char *tide_arena_strndup(tide_arena *arena, const char *string, size_t limit)
{
    require(arena, string, "no string: NULL");
    return copy_text(arena, string, tide_bounded_length(string, limit));
}

void *tide_arena_memdup(tide_arena *arena, const void *source, size_t size, size_t alignment)
{
    if (size != 0)
        require(arena, source, "no bytes: NULL");
    void *copy = tide_arena_allocate_uninitialized(arena, size, alignment);
    if (copy != NULL && size != 0)
        memcpy(copy, source, size);
    return copy;
}

static void refuse_format(const tide_arena *arena, const char *text)
{
    (void)TIDE_ERROR_PLAIN(TIDE_INVALID_ARGUMENT, "printf", tide_arena_object(arena), text);
    tide_fault_raise();
}

/* The length of the text. Below 0, `error` says why: the C library had no memory, the text is
 * longer than it can make, or the format is wrong. */
TIDE_PRINTF(3, 0)
static int format_text(char *text, size_t size, const char *format, va_list arguments, int *error)
{
    int before = errno;
    errno = 0;
    int length = vsnprintf(text, size, format, arguments);
    *error = errno;
    errno = before;
    return length;
}

/* What a length below 0 comes to. */
static void refuse_text(const tide_arena *arena, int error)
{
    if (error == ENOMEM)
        (void)TIDE_ERROR_PLAIN(TIDE_OUT_OF_MEMORY, "printf", tide_arena_object(arena),
                               "the C library has no memory to format with");
    else if (error == EOVERFLOW)
        (void)TIDE_ERROR(TIDE_OUT_OF_MEMORY, "printf", tide_arena_object(arena),
                         "a text of more than %" PRIu64 " bytes, the C library's most",
                         (uint64_t)INT_MAX);
    else
        refuse_format(arena, "the C library refuses the format");
}

/* A text of at most this is formatted once, on the stack. */
#define SHORT_TEXT 256u

char *tide_arena_vprintf(tide_arena *arena, const char *format, va_list arguments)
{
    if (format == NULL)
        refuse_format(arena, "no format: NULL");
    if (tide_arena_check(arena, "printf") != TIDE_OK)
        tide_fault_raise();
    char text[SHORT_TEXT];
    int error;
    va_list again;
    va_copy(again, arguments);
    int length = format_text(text, sizeof text, format, arguments, &error);
    char *result = NULL;
    if (length >= 0 && (size_t)length < sizeof text) {
        result = copy_text(arena, text, (size_t)length);
    } else if (length >= 0) {
        result = tide_arena_allocate_uninitialized(arena, (size_t)length + 1, 1);
        if (result != NULL)
            length = format_text(result, (size_t)length + 1, format, again, &error);
    }
    va_end(again);
    const tide_cell *cell = tide_arena_cell(arena);
    if (cell != NULL && tide_cell_is_wiped(cell))
        tide_bytes_wipe(text, 0, sizeof text);
    if (length >= 0)
        return result;
    refuse_text(arena, error);
    return NULL;
}

char *tide_arena_printf(tide_arena *arena, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *result = tide_arena_vprintf(arena, format, arguments);
    va_end(arguments);
    return result;
}
