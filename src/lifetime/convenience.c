/* SPDX-License-Identifier: Apache-2.0 */
/* Copies, arrays and formatted text in an arena. */
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "base/text.h"
#include "lifetime/arena.h"

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

/* A text of at most this is formatted once, on the stack. */
#define SHORT_TEXT 256u

char *tide_arena_vprintf(tide_arena *arena, const char *format, va_list arguments)
{
    if (format == NULL)
        refuse_format(arena, "no format: NULL");
    char text[SHORT_TEXT];
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(text, sizeof text, format, arguments);
    char *result = NULL;
    if (length >= 0 && (size_t)length < sizeof text) {
        result = copy_text(arena, text, (size_t)length);
    } else if (length >= 0) {
        result = tide_arena_allocate_uninitialized(arena, (size_t)length + 1, 1);
        if (result != NULL)
            (void)vsnprintf(result, (size_t)length + 1, format, again);
    }
    va_end(again);
    if (length < 0)
        refuse_format(arena, "the C library refuses the format");
    return result;
}

char *tide_arena_printf(tide_arena *arena, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *result = tide_arena_vprintf(arena, format, arguments);
    va_end(arguments);
    return result;
}
