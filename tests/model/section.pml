/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a closer of a shared scope knows that nobody reads its memory, as a Promela model for spin.
 *
 * Two readers make accesses as tide_section_enter_() and tide_section_leave_() do: load the phase,
 * store it in `reading`, load the epoch, access, store 0. One closer ends the scope, as in grace.c:
 * move the epoch, begin a phase, make every thread pass a barrier, look at `reading`, free.
 *
 * What a processor may do is in it as far as it matters: a reader's stores wait in its buffer, in
 * order, until they reach memory at a moment of their own or at a barrier; and its loads of phase
 * and epoch may be made in either order, unless the first is an acquire.
 *
 * Checked, over all interleavings: no access to memory that was freed; and every closer that waits
 * gets on once the readers have left (no invalid end state), also while they begin new sections.
 *
 * Each macro breaks one rule; run-model expects spin to find an error then:
 *   NO_BARRIER      the closer looks without making the readers pass a barrier
 *   LATE_EPOCH      the epoch moves after the look
 *   EARLY_LEAVE     a section ends before its access
 *   RELAXED_PHASE   the epoch may be loaded before the phase
 *   YOUNG_IGNORED   a stamp of the phase before the new one is not waited for
 */

#define READERS 2
#define ACCESSES 2

bool moved = false; /* the epoch */
bool freed = false;
byte phase = 1;
byte reading[READERS];

/* A reader's stores on their way: the stamp, then the 0 of its end. 255: none. */
#define NONE 255
byte first[READERS];
byte second[READERS];

inline drain(who)
{
    d_step {
        if
        :: first[who] != NONE ->
            reading[who] = first[who];
            first[who] = second[who];
            second[who] = NONE
        :: else
        fi
    }
}

inline store(who, value)
{
    atomic {
        if
        :: first[who] == NONE -> first[who] = value
        :: first[who] != NONE && second[who] == NONE -> second[who] = value
        :: else -> drain(who); second[who] = value
        fi
    }
}

/* A store may reach memory at any time. */
proctype buffer(byte who)
{
end:
    do
    :: first[who] != NONE -> drain(who)
    od
}

proctype reader(byte who)
{
    byte stamp, made = 0;
    bool was_moved;
    do
    :: made < ACCESSES ->
        if
        :: stamp = phase; store(who, stamp); was_moved = moved
#ifdef RELAXED_PHASE
        :: was_moved = moved; stamp = phase; store(who, stamp)
#endif
        fi;
#ifdef EARLY_LEAVE
        store(who, 0);
#endif
        if
        :: !was_moved -> assert(!freed) /* the access */
        :: else
        fi;
#ifndef EARLY_LEAVE
        store(who, 0);
#endif
        made++
    :: else -> break
    od
}

proctype closer()
{
    byte begun, who;
#ifndef LATE_EPOCH
    moved = true;
#endif
    phase = phase + 1;
    begun = phase;
#ifdef YOUNG_IGNORED
    begun = begun - 1;
#endif
#ifndef NO_BARRIER
    who = 0;
    do
    :: who < READERS -> atomic { drain(who); drain(who); who++ }
    :: else -> break
    od;
#endif
    who = 0;
    do
    :: who < READERS ->
        (reading[who] == 0 || reading[who] >= begun);
        who++
    :: else -> break
    od;
    freed = true;
#ifdef LATE_EPOCH
    moved = true
#endif
}

init
{
    byte who = 0;
    atomic {
        do
        :: who < READERS ->
            first[who] = NONE;
            second[who] = NONE;
            run buffer(who);
            run reader(who);
            who++
        :: else -> break
        od;
        run closer()
    }
}
