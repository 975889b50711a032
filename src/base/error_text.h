/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Room for the sentences of last errors: one for each thread that has asked for a sentence, taken
 * at the first and given back when the thread ends.
 *
 * A thread-local of that size would be in every thread of the process. Rooms are never freed but
 * reused, so a list of them needs no lock, and a fork can't catch it locked; its child does without
 * those of the threads that it doesn't have. The first few are the library's own, so that programs
 * with few threads get their sentences also when there is no memory.
 */
#ifndef TIDEPOOL_BASE_ERROR_TEXT_H
#define TIDEPOOL_BASE_ERROR_TEXT_H

#include <stdint.h>

#define TIDE_ERROR_TEXT_BYTES 320u

typedef struct tide_error_text {
    struct tide_error_text *next; /* never changes once the room is in the list */
    struct tide_error_text *
        *holder;    /* whose it is: the thread's variable; only that thread looks */
    uint32_t taken; /* atomic: 1 while a thread has it */
    char bytes[TIDE_ERROR_TEXT_BYTES];
} tide_error_text;

/* Room for the calling thread, or NULL when there is none. At the end of the thread it goes back
 * and `*holder`, a thread-local of the caller's, becomes NULL. */
tide_error_text *tide_error_text_take(tide_error_text **holder);

#endif
