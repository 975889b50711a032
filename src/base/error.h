/* SPDX-License-Identifier: Apache-2.0 */
/* How the library reports: every refusal goes through tide_error_note(), nothing else sets the last
 * error. Noting copies a few words; the sentence is made only when somebody asks. */
#ifndef TIDEPOOL_BASE_ERROR_H
#define TIDEPOOL_BASE_ERROR_H

#include <inttypes.h>
#include <stdio.h>

#include <tidepool/fault.h>

/* What a refusal is about. `name` is copied, up to 31 bytes; NULL where there is none. */
typedef struct tide_object {
    const char *kind; /* "arena", "segment", "manager"; a literal */
    const void *address;
    const char *name;
} tide_object;

#define TIDE_NO_OBJECT ((tide_object){NULL, NULL, NULL})

/* Up to this many numbers in one sentence. */
#define TIDE_ERROR_NUMBERS 5

/*
 * Notes a refusal in the thread's last error and returns `status`. `operation` and `format` are
 * literals, or strings that never go away; the format takes uint64_t only, by PRIu64 or PRIx64. The
 * sentence is the operation, ": ", what the format makes of the numbers, and the object in
 * brackets: `close: 2 holds are out (arena "parser" at 0x7ffd…)`. A format that begins with a space
 * goes on from the operation without the colon: " of 4 bytes at 62 …". With TIDEPOOL_FAULTS=abort a
 * fault goes to the handler instead of coming back.
 */
#define TIDE_ERROR(status, operation, object, format, ...)      \
    ((void)sizeof(printf((format), __VA_ARGS__)),               \
     tide_error_note((status), (operation), (object), (format), \
                     (const uint64_t[TIDE_ERROR_NUMBERS]){__VA_ARGS__}))
#define TIDE_ERROR_PLAIN(status, operation, object, text) \
    tide_error_note((status), (operation), (object), (text), NULL)

tide_status tide_error_note(tide_status status, const char *operation, tide_object object,
                            const char *format, const uint64_t *numbers);

/* The same for what comes back also with TIDEPOOL_FAULTS=abort: the answer that a correct loop ends
 * with (there is no knob at that index), and what a manager reports of an old block when the new
 * one stands, since the fault handler is called with nothing changed. */
tide_status tide_error_note_end(tide_status status, const char *operation, tide_object object,
                                const char *format, const uint64_t *numbers);

/* The same with a sentence that exists already (a cleanup's message); copied, up to 127 bytes, and
 * put behind what the format makes of the numbers. */
tide_status tide_error_note_message(tide_status status, const char *operation, tide_object object,
                                    const char *format, const uint64_t *numbers,
                                    const char *message);

/* The operation of the thread's last error; NULL when there has been none. */
const char *tide_last_error_operation(void);

/* Writes the sentence of the thread's last error, which is a fault, to `text`, of
 * TIDE_ERROR_TEXT_BYTES. */
const char *tide_error_text_for_fault(char *text);

/* Hands the thread's last error, which is a fault, to the fault handler. */
_Noreturn void tide_fault_raise(void);

#endif
