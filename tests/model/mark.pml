/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who may close or report an arena while its cell goes to a new owner, as a Promela model for spin.
 *
 * The cell was CLOSER's, whose arena is closed. A TAKER takes it, as tide_cell_take_() does:
 * `owner`, then `mark`; closes, and takes it again; in the end it may hand its arena over to
 * CLOSER, which is `owner` and then the mark that no tide_close_to() reaches. CLOSER looks at the
 * cell meanwhile, as select_cell() does and is_lost() too: `mark`, then `owner`, under the lock.
 *
 * Checked, over all interleavings: CLOSER never takes for its own an arena that it did not open.
 *
 * The store of a mark is a release, the look at it an acquire: without, processors may let the two
 * stores, or the two loads, change places. RELAXED_STORE and RELAXED_LOAD do so; run-model expects
 * spin to find an error then. EARLY_MARK and EARLY_LOOK have the wrong order, UNLOCKED_HAND_OVER
 * lets the two stores of a hand-over be seen one by one.
 */

#define CLOSER 1
#define TAKER  2

#define IDLE 0
#define NONE 1 /* TIDE_MARK_NONE */
#define WORD 5 /* later than CLOSER's mark */

byte owner = CLOSER;
byte mark = IDLE;
bool locked = false;

inline lock()
{
    atomic {
        !locked;
        locked = true
    }
}

inline unlock()
{
    locked = false
}

inline take()
{
#ifdef EARLY_MARK
    mark = WORD;
    owner = TAKER;
#else
    if
    :: owner = TAKER; mark = WORD
#ifdef RELAXED_STORE
    :: mark = WORD; owner = TAKER
#endif
    fi
#endif
}

inline hand_over()
{
#ifndef UNLOCKED_HAND_OVER
    lock();
#endif
    owner = CLOSER;
    mark = NONE;
#ifndef UNLOCKED_HAND_OVER
    unlock();
#endif
}

inline look()
{
#ifdef EARLY_LOOK
    seen_owner = owner;
    seen_mark = mark;
#else
    if
    :: seen_mark = mark; seen_owner = owner
#ifdef RELAXED_LOAD
    :: seen_owner = owner; seen_mark = mark
#endif
    fi
#endif
}

proctype taker()
{
    byte round = 0;
    do
    :: round < 3 ->
        round++;
        take();
        if
        :: mark = IDLE
        :: hand_over();
            break
        fi
    :: else -> break
    od
}

proctype closer()
{
    byte seen_mark, seen_owner;
    byte tries = 0;
    do
    :: tries < 4 ->
        lock();
        look();
        unlock();
        assert(!(seen_owner == CLOSER && seen_mark > NONE));
        tries++
    :: else -> break
    od
}

init
{
    atomic {
        run taker();
        run closer()
    }
}
