/* SPDX-License-Identifier: Apache-2.0 */
/**
 * tide_scope: a lifetime. tide_hold: what keeps one open.
 *
 * A scope is alive or closed. It is known by a cell and the cell's epoch: cells are reused, epochs
 * are not, so a reference to a scope that has ended is recognised for ever. A scope is a value of
 * 16 bytes, copied freely.
 *
 * A hold keeps a scope open across a call that must not find its memory gone:
 *
 *     tide_hold hold;
 *     if (tide_scope_hold(tide_segment_scope(&buffer), &hold) == TIDE_OK) {
 *         native_call(address, size);         // tide_arena_close() would say TIDE_BUSY
 *         status = tide_hold_release(&hold);
 *     }
 *
 *     | scope of           | alive, equal, accessible-by | hold, release of a hold |
 *     |--------------------|-----------------------------|-------------------------|
 *     | a confined arena   | any thread                  | its owner               |
 *     | a bare address     | any thread                  | any thread, no effect   |
 */
#ifndef TIDEPOOL_SCOPE_H
#define TIDEPOOL_SCOPE_H

#include "owner.h"

TIDE_BEGIN_DECLS

struct tide_cell;

/** A lifetime. A zeroed one is no scope: INVALID_ARGUMENT where a status is returned, else dead. */
typedef struct tide_scope {
    struct tide_cell *cell_;
    uint64_t epoch_;
} tide_scope;

/** A cleanup (arena.h). It returns NULL, or a message (good until close returns) that says what
 *  failed. It may call anything, but must not throw or jump out; its own arena is CLOSED to it. */
typedef const char *(*tide_cleanup)(void *context);

/** One hold. Release it exactly once; releasing it clears it. Copies of it don't count. */
typedef struct tide_hold {
    tide_scope scope_;
} tide_hold;

/** The scope of everything that has no arena: always alive, accessible to everyone. */
TIDE_API tide_scope tide_scope_global(void);

/** Whether the scope has not been closed. Any thread; never fails. */
TIDE_API bool tide_scope_is_alive(tide_scope scope);

/** Whether both are the same lifetime, closed or not. Two zeroed scopes are equal. */
TIDE_API bool tide_scope_equal(tide_scope a, tide_scope b);

/**
 * Whether `owner` may use what belongs to the scope; liveness plays no part (as JDK
 * MemorySegment.isAccessibleBy). For a scope whose cell has gone to another owner since: false.
 */
TIDE_API bool tide_scope_is_accessible_by(tide_scope scope, tide_owner owner);

/**
 * Takes a hold: until it is released, closing the arena is BUSY. INVALID_ARGUMENT (a NULL argument
 * or a zeroed scope), WRONG_OWNER, CLOSED, EXHAUSTED when 2^32 - 1 holds are out.
 */
TIDE_API TIDE_MUST_USE tide_status tide_scope_hold(tide_scope scope, tide_hold *hold);

/**
 * Ends a hold and clears it. INVALID_ARGUMENT for NULL, a cleared hold, or a copy when no hold of
 * its scope is out; WRONG_OWNER; CLOSED when tide_close_to() ended the arena and its holds.
 */
TIDE_API TIDE_MUST_USE tide_status tide_hold_release(tide_hold *hold);

TIDE_END_DECLS

#endif
