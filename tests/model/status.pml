/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a stale segment is told while its cell goes to a new owner, as a Promela model for spin.
 *
 * A segment was made by MAKER at epoch 2 and its arena is closed. Two other threads take the cell
 * one after the other, each as tide_cell_take_() does: `since`, then `owner`. MAKER and a STRANGER
 * try the segment meanwhile, as tide_scope_status() does: `epoch`, `owner`, then `since`.
 *
 * Checked, over all interleavings:
 *   - nobody gets OK;
 *   - MAKER gets CLOSED, never WRONG_OWNER;
 *   - once the STRANGER has got CLOSED, it never gets WRONG_OWNER again.
 *
 * The taker's store of owner is a release, the reader's load of it an acquire: without, processors
 * may let the two stores, or the two loads, change places. RELAXED_STORE and RELAXED_LOAD do so;
 * run-model expects spin to find an error then. EARLY_OWNER writes them in the wrong order.
 */

#define MAKER    1
#define STRANGER 2
#define TAKER    3 /* and 4 */

#define MADE 2 /* the segment's epoch */

mtype = {ok, wrong_owner, closed};

byte epoch = MADE + 2;
byte owner = MAKER;
byte since = MADE;

inline take(me)
{
#ifdef EARLY_OWNER
    owner = me;
    since = epoch;
#else
    if
    :: since = epoch; owner = me
#ifdef RELAXED_STORE
    :: owner = me; since = epoch
#endif
    fi
#endif
}

inline status_of(me, status)
{
    now = epoch;
    if
    :: seen_owner = owner; seen_since = since
#ifdef RELAXED_LOAD
    :: seen_since = since; seen_owner = owner
#endif
    fi;
    if
    :: now == MADE && seen_owner == me -> status = ok
    :: now == MADE && seen_owner != me -> status = wrong_owner
    :: now != MADE && seen_owner != me && MADE >= seen_since -> status = wrong_owner
    :: else -> status = closed
    fi
}

proctype takers()
{
    take(TAKER);
    epoch = epoch + 2;
    take(TAKER + 1);
    epoch = epoch + 2
}

proctype maker()
{
    byte now, seen_owner, seen_since;
    mtype status;
    byte tries = 0;
    do
    :: tries < 3 ->
        status_of(MAKER, status);
        assert(status == closed);
        tries++
    :: else -> break
    od
}

proctype stranger()
{
    byte now, seen_owner, seen_since;
    mtype status;
    bool was_closed = false;
    byte tries = 0;
    do
    :: tries < 3 ->
        status_of(STRANGER, status);
        assert(status == closed || (status == wrong_owner && !was_closed));
        was_closed = (status == closed);
        tries++
    :: else -> break
    od
}

init
{
    atomic {
        run takers();
        run maker();
        run stranger()
    }
}
