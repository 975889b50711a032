/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"

#include <stdarg.h>
#include <string.h>

#include "base/error_text.h"
#include "base/settings.h"
#include "base/text.h"
#include "base/thread_local.h"

#define NAME_BYTES    32
#define MESSAGE_BYTES 127

/* What a thread remembers of its newest refusal: what the sentence is made of, copied where it may
 * be gone when somebody asks, but not the sentence. */
typedef struct last_error {
    tide_status status;
    bool text_made; /* `text` has the sentence of this refusal; then it is not NULL */
    bool plain;     /* `format` is the text itself: there are no numbers */
    const char *operation;
    const char *format;
    uint64_t numbers[TIDE_ERROR_NUMBERS];
    const char *kind;
    const void *address;
    char name[NAME_BYTES];        /* empty: the object has none */
    struct tide_error_text *text; /* the thread's room for sentences; NULL: it has none yet */
} last_error;

/* Every thread of a process has this, also one that never uses the library; and a library
 * that is loaded late gets its static thread-locals out of a small reserve that it shares
 * with all others. */
_Static_assert(sizeof(last_error) <= 128, "the last error takes too much static TLS");

static TIDE_THREAD_LOCAL last_error last;

static const char *const status_names[TIDE_STATUS_COUNT] = {
    [TIDE_OK] = "OK",
    [TIDE_INVALID_ARGUMENT] = "INVALID_ARGUMENT",
    [TIDE_OUT_OF_BOUNDS] = "OUT_OF_BOUNDS",
    [TIDE_MISALIGNED] = "MISALIGNED",
    [TIDE_READ_ONLY] = "READ_ONLY",
    [TIDE_WRONG_OWNER] = "WRONG_OWNER",
    [TIDE_CLOSED] = "CLOSED",
    [TIDE_BUSY] = "BUSY",
    [TIDE_OUT_OF_MEMORY] = "OUT_OF_MEMORY",
    [TIDE_LIMIT_EXCEEDED] = "LIMIT_EXCEEDED",
    [TIDE_EXHAUSTED] = "EXHAUSTED",
    [TIDE_LEAKED] = "LEAKED",
    [TIDE_CLEANUP_FAILED] = "CLEANUP_FAILED",
    [TIDE_DIFFERENT_ROOT] = "DIFFERENT_ROOT",
    [TIDE_UNSUPPORTED] = "UNSUPPORTED",
    [TIDE_UNAVAILABLE] = "UNAVAILABLE",
    [TIDE_IO] = "IO",
    [TIDE_VETOED] = "VETOED",
};

const char *tide_status_name(tide_status status)
{
    return (unsigned)status < TIDE_STATUS_COUNT ? status_names[status] : "UNKNOWN";
}

bool tide_status_is_fault(tide_status status)
{
    switch (status) {
    case TIDE_INVALID_ARGUMENT:
    case TIDE_OUT_OF_BOUNDS:
    case TIDE_MISALIGNED:
    case TIDE_READ_ONLY:
    case TIDE_WRONG_OWNER:
    case TIDE_CLOSED:
    case TIDE_DIFFERENT_ROOT:
    case TIDE_UNSUPPORTED:
        return true;
    default:
        return false;
    }
}

/* Bytes of the text, at most `most`, and then without a character of UTF-8 that was cut. */
static size_t length_within(const char *text, size_t most)
{
    size_t length = tide_bounded_length(text, most);
    while (length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80)
        length--;
    return length;
}

/* Adds to a text of TIDE_ERROR_TEXT_BYTES at `length`, cut at its end; returns the new length. */
TIDE_PRINTF(3, 4) static size_t append(char *text, size_t length, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int wanted = vsnprintf(text + length, TIDE_ERROR_TEXT_BYTES - length, format, arguments);
    va_end(arguments);
    size_t end = length + (size_t)wanted;
    return end < TIDE_ERROR_TEXT_BYTES ? end : TIDE_ERROR_TEXT_BYTES - 1;
}

static void append_object(char *text, size_t length)
{
    if (last.kind == NULL || (last.name[0] == '\0' && last.address == NULL))
        return;
    length = append(text, length, " (%s", last.kind);
    if (last.name[0] != '\0')
        length = append(text, length, " \"%s\"", last.name);
    if (last.address != NULL)
        length = append(text, length, " at %p", last.address);
    append(text, length, ")");
}

static void make_text(char *text, const char *message)
{
    const uint64_t *n = last.numbers;
    size_t length = append(text, 0, "%s%s", last.operation, last.format[0] == ' ' ? "" : ": ");
    length = last.plain ? append(text, length, "%s", last.format)
                        : append(text, length, last.format, n[0], n[1], n[2], n[3], n[4]);
    append_object(text, append(text, length, "%s", message));
}

/* The sentence in the thread's room for it; false when it has none and gets none. */
static bool keep_text(const char *message)
{
    if (last.text == NULL)
        last.text = tide_error_text_take(&last.text);
    if (last.text == NULL)
        return false;
    make_text(last.text->bytes, message);
    last.text_made = true;
    return true;
}

static void remember(tide_status status, const char *operation, tide_object object,
                     const char *format, const uint64_t *numbers)
{
    last.status = status;
    last.text_made = false;
    last.operation = operation;
    last.format = format;
    last.plain = numbers == NULL;
    if (numbers != NULL)
        memcpy(last.numbers, numbers, sizeof last.numbers);
    last.kind = object.kind;
    last.address = object.address;
    size_t length = object.name != NULL ? length_within(object.name, NAME_BYTES - 1) : 0;
    memcpy(last.name, object.name != NULL ? object.name : "", length);
    last.name[length] = '\0';
}

static tide_status raise_or_return(tide_status status)
{
    if (tide_status_is_fault(status) && tide_settings_get()->faults_abort)
        tide_fault_raise();
    return status;
}

tide_status tide_error_note(tide_status status, const char *operation, tide_object object,
                            const char *format, const uint64_t *numbers)
{
    remember(status, operation, object, format, numbers);
    return raise_or_return(status);
}

tide_status tide_error_note_end(tide_status status, const char *operation, tide_object object,
                                const char *format, const uint64_t *numbers)
{
    remember(status, operation, object, format, numbers);
    return status;
}

/* The message is the caller's and may be gone soon, so the text is made at once: that needs no room
 * for the message besides. It may be this very text: of a cleanup that returned
 * tide_last_error_text(). */
tide_status tide_error_note_message(tide_status status, const char *operation, tide_object object,
                                    const char *format, const uint64_t *numbers,
                                    const char *message)
{
    char copy[MESSAGE_BYTES + 1] = "";
    memcpy(copy, message, length_within(message, MESSAGE_BYTES));
    remember(status, operation, object, format, numbers);
    (void)keep_text(copy); /* no room: then the message is lost, and nothing else */
    return raise_or_return(status);
}

tide_status tide_last_error(void)
{
    return last.status;
}

const char *tide_last_error_operation(void)
{
    return last.operation;
}

const char *tide_last_error_text(void)
{
    if (last.status == TIDE_OK)
        return "";
    /* The room goes when the thread ends; a destructor that runs later may ask again. */
    if ((last.text_made && last.text != NULL) || keep_text(""))
        return last.text->bytes;
    return last.plain ? last.format : tide_status_name(last.status);
}

const char *tide_error_text_for_fault(char *text)
{
    if (last.text_made)
        memcpy(text, last.text->bytes, TIDE_ERROR_TEXT_BYTES);
    else
        make_text(text, "");
    return text;
}
