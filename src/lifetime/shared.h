/* SPDX-License-Identifier: Apache-2.0 */
/* What the scopes that several threads use share with the rest of the floor. */
#ifndef TIDEPOOL_LIFETIME_SHARED_H
#define TIDEPOOL_LIFETIME_SHARED_H

#include "base/error.h"
#include <tidepool/shared.h>

/* One hold of an open scope more; CLOSED or EXHAUSTED, noted for `operation`. */
tide_status tide_shared_add_hold(tide_scope scope, const char *operation);

/* Ends a hold, and clears it as soon as it has ended; of a counted scope it may be the last
 * reference. INVALID_ARGUMENT when no hold is out, CLOSED, BUSY, or what closing reports. */
tide_status tide_shared_drop_hold(tide_hold *hold);

/* INVALID_ARGUMENT or CLOSED, noted, for a handle of no open arena. */
tide_status tide_shared_check(tide_shared_arena arena, const char *operation);

/* The arena as an error names it. */
static inline tide_object tide_shared_object(tide_shared_arena arena)
{
    return (tide_object){"arena", arena.cell_, NULL};
}

/* The same with the name that its options gave it, copied to `name`, of TIDE_NAME_BYTES, while it
 * is open. */
tide_object tide_shared_named(tide_shared_arena arena, char *name);

/* Opens the cell's lock bit for its handle: whoever has it may use the cell's chunks and
 * extra. False, nothing noted, when the arena is closed. Nothing of the program's may be
 * called meanwhile. */
bool tide_shared_lock(tide_shared_arena arena);
void tide_shared_unlock(tide_shared_arena arena);

/* Serves a request whose size and alignment are good. INVALID_ARGUMENT, CLOSED, OUT_OF_MEMORY,
 * noted. */
tide_status tide_shared_serve(tide_shared_arena arena, size_t size, size_t alignment, bool zeroed,
                              const char *operation, void **block);

#endif
