/* SPDX-License-Identifier: Apache-2.0 */
/* Copies, arrays and formatted text in an arena. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "base/text.h"
#include "lifetime/arena.h"
#include "lifetime/shared.h"
#include <tidepool/bytes.h>

/* An arena of either kind: the confined one, or where that is NULL the other. */
typedef struct place {
    tide_arena *confined;
    tide_shared_arena shared;
    bool is_shared;
} place;

static place in_confined(tide_arena *arena)
{
    return (place){arena, {NULL, 0}, false};
}

static place in_shared(tide_shared_arena arena)
{
    return (place){NULL, arena, true};
}

static tide_object object_of(place where)
{
    return where.is_shared ? tide_shared_object(where.shared) : tide_arena_object(where.confined);
}

static void *allocate(place where, size_t size, size_t alignment)
{
    return where.is_shared ? tide_shared_allocate_uninitialized(where.shared, size, alignment)
                           : tide_arena_allocate_uninitialized(where.confined, size, alignment);
}

static size_t multiply(place where, size_t count, size_t size)
{
    size_t total;
    if (tide_checked_multiply(count, size, &total))
        return total;
    (void)TIDE_ERROR(TIDE_INVALID_ARGUMENT, "allocate", object_of(where),
                     "%" PRIu64 " elements of %" PRIu64 " bytes overflow", count, size);
    tide_fault_raise();
}

void *tide_arena_allocate_array(tide_arena *arena, size_t count, size_t size, size_t alignment)
{
    return tide_arena_allocate(arena, multiply(in_confined(arena), count, size), alignment);
}

void *tide_shared_allocate_array(tide_shared_arena arena, size_t count, size_t size,
                                 size_t alignment)
{
    return tide_shared_allocate(arena, multiply(in_shared(arena), count, size), alignment);
}

static void require(place where, const void *source, const char *what)
{
    if (source != NULL)
        return;
    (void)TIDE_ERROR_PLAIN(TIDE_INVALID_ARGUMENT, "copy", object_of(where), what);
    tide_fault_raise();
}

static char *copy_text(place where, const char *string, size_t length)
{
    char *copy = allocate(where, length + 1, 1);
    if (copy == NULL)
        return NULL;
    memcpy(copy, string, length);
    copy[length] = '\0';
    return copy;
}

static char *copy_string(place where, const char *string)
{
    require(where, string, "no string: NULL");
    return copy_text(where, string, strlen(string));
}

static char *copy_start(place where, const char *string, size_t limit)
{
    require(where, string, "no string: NULL");
    return copy_text(where, string, tide_bounded_length(string, limit));
}

static void *copy_bytes(place where, const void *source, size_t size, size_t alignment)
{
    if (size != 0)
        require(where, source, "no bytes: NULL");
    void *copy = allocate(where, size, alignment);
    if (copy != NULL && size != 0)
        memcpy(copy, source, size);
    return copy;
}

char *tide_arena_strdup(tide_arena *arena, const char *string)
{
    return copy_string(in_confined(arena), string);
}

char *tide_shared_strdup(tide_shared_arena arena, const char *string)
{
    return copy_string(in_shared(arena), string);
}

char *tide_arena_strndup(tide_arena *arena, const char *string, size_t limit)
{
    return copy_start(in_confined(arena), string, limit);
}

char *tide_shared_strndup(tide_shared_arena arena, const char *string, size_t limit)
{
    return copy_start(in_shared(arena), string, limit);
}

void *tide_arena_memdup(tide_arena *arena, const void *source, size_t size, size_t alignment)
{
    return copy_bytes(in_confined(arena), source, size, alignment);
}

void *tide_shared_memdup(tide_shared_arena arena, const void *source, size_t size, size_t alignment)
{
    return copy_bytes(in_shared(arena), source, size, alignment);
}

static void refuse_format(place where, const char *text)
{
    (void)TIDE_ERROR_PLAIN(TIDE_INVALID_ARGUMENT, "printf", object_of(where), text);
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
static void refuse_text(place where, int error)
{
    if (error == ENOMEM)
        (void)TIDE_ERROR_PLAIN(TIDE_OUT_OF_MEMORY, "printf", object_of(where),
                               "the C library has no memory to format with");
    else if (error == EOVERFLOW)
        (void)TIDE_ERROR(TIDE_OUT_OF_MEMORY, "printf", object_of(where),
                         "a text of more than %" PRIu64 " bytes, the C library's most",
                         (uint64_t)INT_MAX);
    else
        refuse_format(where, "the C library refuses the format");
}

/* A text of at most this is formatted once, on the stack. */
#define SHORT_TEXT 256u

/* Whether text on the stack must not stay there. */
static bool wipes(place where)
{
    if (!where.is_shared) {
        const tide_cell *cell = tide_arena_cell(where.confined);
        return cell != NULL && tide_cell_is_wiped(cell);
    }
    if (!tide_shared_lock(where.shared))
        return true;
    bool wiped = tide_cell_is_wiped(where.shared.cell_);
    tide_shared_unlock(where.shared);
    return wiped;
}

static tide_status check(place where)
{
    return where.is_shared ? tide_shared_check(where.shared, "printf")
                           : tide_arena_check(where.confined, "printf");
}

TIDE_PRINTF(2, 0) static char *print(place where, const char *format, va_list arguments)
{
    if (format == NULL)
        refuse_format(where, "no format: NULL");
    if (check(where) != TIDE_OK)
        tide_fault_raise();
    char text[SHORT_TEXT];
    int error;
    va_list again;
    va_copy(again, arguments);
    int length = format_text(text, sizeof text, format, arguments, &error);
    char *result = NULL;
    if (length >= 0 && (size_t)length < sizeof text) {
        result = copy_text(where, text, (size_t)length);
    } else if (length >= 0) {
        result = allocate(where, (size_t)length + 1, 1);
        if (result != NULL)
            length = format_text(result, (size_t)length + 1, format, again, &error);
    }
    va_end(again);
    if (wipes(where))
        tide_bytes_wipe(text, 0, sizeof text);
    if (length >= 0)
        return result;
    refuse_text(where, error);
    return NULL;
}

char *tide_arena_vprintf(tide_arena *arena, const char *format, va_list arguments)
{
    return print(in_confined(arena), format, arguments);
}

char *tide_arena_printf(tide_arena *arena, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *result = print(in_confined(arena), format, arguments);
    va_end(arguments);
    return result;
}

char *tide_shared_vprintf(tide_shared_arena arena, const char *format, va_list arguments)
{
    return print(in_shared(arena), format, arguments);
}

char *tide_shared_printf(tide_shared_arena arena, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *result = print(in_shared(arena), format, arguments);
    va_end(arguments);
    return result;
}
