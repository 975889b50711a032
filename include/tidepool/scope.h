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
 * How a scope ends depends on its arena: a confined one's owner closes it (arena.h), anybody closes
 * a shared one, the last reference ends a counted one, and the global one never ends (shared.h). A
 * hold of a counted arena is a reference, so releasing it may be what closes the arena.
 *
 *   | scope of                     | alive, equal, accessible-by | hold, release of a hold        |
 *   |------------------------------|-----------------------------|--------------------------------|
 *   | a confined arena             | any thread                  | its owner                      |
 *   | a shared arena               | any thread                  | any thread                     |
 *   | a counted arena              | any thread                  | any thread; it counts as a     |
 *   |                              |                             | reference, the last one closes |
 *   | the global arena, an address | any thread                  | any thread, no effect          |
 *
 * A hold of a shared or counted arena may be taken on one thread and released on another.
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

/** The scope of the global arena and of everything that has no arena: always alive, accessible to
 *  everyone. */
TIDE_API tide_scope tide_scope_global(void);

/** Whether the scope has not been closed. Any thread; never fails. */
TIDE_API bool tide_scope_is_alive(tide_scope scope);

/** Whether both are the same lifetime, closed or not. Two zeroed scopes are equal. */
TIDE_API bool tide_scope_equal(tide_scope a, tide_scope b);

/**
 * Whether `owner` may use what belongs to the scope; liveness plays no part (as JDK
 * MemorySegment.isAccessibleBy). Any owner may where the arena is not a confined one. For a
 * confined scope whose cell has gone to another owner since: false.
 */
TIDE_API bool tide_scope_is_accessible_by(tide_scope scope, tide_owner owner);

/**
 * Takes a hold: until it is released, closing the arena is BUSY, and a counted arena does not end.
 * INVALID_ARGUMENT (a NULL argument or a zeroed scope), WRONG_OWNER, CLOSED, EXHAUSTED when 2^32 -
 * 1 holds of a confined arena, or 2^23 - 1 holds and references of another, are out.
 */
TIDE_API TIDE_MUST_USE tide_status tide_scope_hold(tide_scope scope, tide_hold *hold);

/**
 * Ends a hold and clears it. INVALID_ARGUMENT for NULL, a cleared hold, or a copy when no hold of
 * its scope is out; WRONG_OWNER; CLOSED when tide_close_to() ended the arena and its holds, or for
 * a copy when the arena has ended since. The last reference of a counted arena closes it, and what
 * that reports is returned, as by tide_counted_release(): after CLEANUP_FAILED the hold is cleared
 * and the arena closed; BUSY, from inside an access of the calling thread, has changed nothing.
 */
TIDE_API TIDE_MUST_USE tide_status tide_hold_release(tide_hold *hold);

TIDE_END_DECLS

#endif
