/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The list of closed shared scopes that wait for a grace period, as a Promela model for spin:
 * src/lifetime/retire.c.
 *
 * Closers retire one cell each; the one that finds the bound reached moves everything retired to
 * `passing`, waits for a grace period without the lock, and makes it ready. A thread that ends
 * drains the list without patience: it gives up on a reader that stays. A reader makes two sections
 * one after the other; a cell that closes while it is inside one may be read until that one ends:
 * it is *risky*.
 *
 * Checked, over all interleavings:
 *   - a cell is in one list at a time and none is lost;
 *   - no risky cell is made ready;
 *   - not more than the bound are retired, passing and ready together;
 *   - nobody waits for ever (no invalid end state).
 *
 * Each macro breaks one rule; run-model expects spin to find an error then:
 *   NO_GRACE       what is passing is made ready at once
 *   TWO_PASSINGS   a thread with nothing to pass doesn't say that it waits
 *   KEEP_PASSING   a drain that gave up does not put back what was passing
 *   LATE_BOUND     the bound is looked at without the lock
 */

#define CELLS 3
#define BOUND 2

bool locked = false;

bool inside = true; /* the reader, */
byte section = 1;   /* in its section of this number */

bool under_way = false; /* a thread waits for a grace period */
byte retired = 0; /* lengths of the lists, under the lock */
byte passing = 0;
byte ready = 0;
byte retired_risky = 0; /* how many in them are risky */
byte passing_risky = 0;
byte given = 0; /* cells that were freed */

inline lock() { atomic { !locked -> locked = true } }
inline unlock() { locked = false }

inline check_bound() { assert(retired + passing + ready <= BOUND) }

/* One grace period for everything retired; `patient` waits for the reader. */
inline pass(patient, passed)
{
    lock();
    if
    :: (under_way
#ifdef TWO_PASSINGS
        && passing != 0 /* nothing of one's own is no reason to take another's */
#endif
       ) ->
        unlock();
        if
        :: patient -> passed = true; (!under_way)
        :: else -> passed = false
        fi
    :: else ->
        atomic {
            under_way = true;
            passing = passing + retired;
            passing_risky = passing_risky + retired_risky;
            retired = 0;
            retired_risky = 0
        };
        unlock();
#ifdef NO_GRACE
        passed = true;
#else
        begun = section;
        if
        :: patient -> (!inside || section != begun); passed = true
        :: !patient ->
            if
            :: !inside || section != begun -> passed = true
            :: inside && section == begun -> passed = false
            fi
        fi;
#endif
        lock();
        if
        :: passed ->
            assert(passing_risky == 0);
            atomic { ready = ready + passing; passing = 0; under_way = false }
        :: else ->
            under_way = false;
#ifndef KEEP_PASSING
            atomic {
                retired = retired + passing;
                retired_risky = retired_risky + passing_risky;
                passing = 0;
                passing_risky = 0
            }
#endif
            skip
        fi;
        unlock()
    fi
}

proctype closer()
{
    bool passed, risky;
    byte begun;
    byte when;
    atomic { risky = inside; when = section }; /* the epoch moves */
#ifdef LATE_BOUND
    if
    :: retired + passing + ready < BOUND -> lock()
    :: else -> lock();
#else
    lock();
    if
    :: retired + passing + ready < BOUND -> skip
    :: else ->
#endif
        do
        :: retired + passing + ready < BOUND -> break
        :: else ->
            if
            :: ready != 0 -> atomic { ready--; given++ }; unlock(); lock()
            :: else -> unlock(); pass(true, passed); lock()
            fi
        od
    fi;
    atomic {
        retired++;
        if
        :: risky && inside && section == when -> retired_risky++
        :: else
        fi
    };
    check_bound();
    unlock()
}

proctype leaver()
{
    bool passed;
    byte begun;
    pass(false, passed);
    lock();
    atomic { given = given + ready; ready = 0 };
    unlock()
}

inline leave_section() { atomic { inside = false; retired_risky = 0; passing_risky = 0 } }

proctype reader()
{
    leave_section();
    atomic { section++; inside = true };
    leave_section()
}

init
{
    byte i = 0;
    atomic {
        do
        :: i < CELLS -> run closer(); i++
        :: else -> break
        od;
        run leaver();
        run reader()
    };
    (_nr_pr == 1);
    assert(retired + passing + ready + given == CELLS);
    assert(passing == 0)
}
