/* SPDX-License-Identifier: Apache-2.0 */
/* What only some arenas have: cleanups, options, chunks kept over a reset. Hangs on the cell and
 * not on the arena, since tide_close_to() ends arenas whose frames are gone. */
#ifndef TIDEPOOL_LIFETIME_EXTRA_H
#define TIDEPOOL_LIFETIME_EXTRA_H

#include <tidepool/arena.h>

#define TIDE_CLEANUPS_FIRST 6u
#define TIDE_CLEANUPS_BATCH 62u
#define TIDE_NAME_BYTES     32u /* of an arena's name, with its terminator */

typedef struct tide_cleanup_entry {
    tide_cleanup run;
    void *context;
    uint64_t serial; /* order of registration, over all arenas of the process */
} tide_cleanup_entry;

typedef struct tide_cleanup_batch {
    struct tide_cleanup_batch *older;
    uint32_t count;
    uint32_t capacity;
    tide_cleanup_entry entries[];
} tide_cleanup_batch;

typedef struct tide_extra {
    tide_cleanup_batch *newest;  /* NULL: no cleanups */
    tide_chunk *spare;           /* empty chunks that a reset kept */
    const tide_manager *manager; /* NULL: the system's */
    size_t chunk_min;
    size_t chunk_max;
    tide_zero_policy zero;
    char name[TIDE_NAME_BYTES]; /* "" when it has none */
} tide_extra;

/* What went wrong while an arena ended. */
typedef struct tide_ending {
    uint64_t failures;          /* cleanups */
    char first_message[128];    /* of those, cut; "" when none failed */
    tide_status manager_status; /* the first that was not OK */
    const char *manager_name;   /* NULL: none refused */
} tide_ending;

/* The cell's extra, made if need be with the default options; NULL when there is no memory. */
tide_extra *tide_extra_obtain(tide_cell *cell);

/* The cell's extra, or NULL. */
tide_extra *tide_extra_of(const tide_cell *cell);

/* A kept chunk that surely holds `need` bytes, taken out of the spare ones, or NULL. */
tide_chunk *tide_extra_take_spare(tide_extra *extra, size_t need);

/* Whether what its arena hands out is overwritten at the end. */
bool tide_cell_is_wiped(const tide_cell *cell);

void tide_extra_free(tide_extra *extra);

/* Registers a cleanup; false when there is no memory. */
bool tide_cleanup_push(tide_extra *extra, tide_cleanup run, void *context);

/* The serial of the newest cleanup, 0 when there is none. */
uint64_t tide_cleanup_newest(const tide_extra *extra);

/* Takes the newest cleanup out and runs it. */
void tide_cleanup_run_newest(tide_extra *extra, tide_ending *ending);

/* Runs all of them, the last registered first. */
void tide_cleanups_run(tide_extra *extra, tide_ending *ending);

#endif
