/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How cells go from thread to thread without an atomic on the fast path, as a Promela model for
 * spin.
 *
 * One cell starts as the home cell of thread HOME, which looks at the cell's plain fields whenever
 * it opens an arena. An arena that has the cell may leave the thread: with its fiber, or handed
 * over. Thread OTHER goes on with it, closes it, or gives it back. Idle cells go through OTHER's
 * array and the process-wide list, and HOME may end at any time. The rule that makes this safe: a
 * thread lets go of a home cell that is taken before its owner, or the arena's, changes. The names
 * are those of src/lifetime/thread.c; a home chunk is let go of in the same way.
 *
 * Checked, over all interleavings:
 *   - one arena at a time has the cell, and finds its pool clear;
 *   - an idle cell is in one place: home slot, OTHER's array, or the process-wide list;
 *   - when all threads have ended, the cell is on the list, unless an arena still has it;
 *   - no data race: whoever touches the cell's plain fields or its pool has seen, by the lock or by
 *     the scheduler's own ordering, all that others did to them before.
 *
 * The last one needs more than spin's interleavings. `version` counts the accesses to the cell; a
 * thread's `view` is the newest one that happens before its next step. Letting the lock go leaves
 * the view with the lock, taking it fetches the view from there, and so does a fiber's way through
 * the scheduler. To touch the cell with a view that isn't the newest is a race.
 *
 * Each macro below breaks one rule; run-model expects spin to find an error then:
 *   KEEP_AT_SWITCH     the thread keeps the taken home cell when its owner changes
 *   KEEP_AT_HAND_OVER  … when it hands over the arena that has it
 *   LATE_SWITCH        … until the scheduler has got the fiber
 *   UNORDERED_SWITCH   the scheduler moves a fiber without ordering the two threads
 *   UNLOCKED_LIST      the process-wide list is used without the lock
 *   EARLY_LIST         a cell is put on the list before its pool is clear
 *   EXIT_TAKEN         a thread that ends puts its home cell on the list though an arena has it
 */

#define HOME  0
#define OTHER 1

#define ROUNDS 3

#define MAX(a, b) ((a) > (b) -> (a) : (b))

/* The cell; all plain fields. `taken` stands for `mark`. */
bool taken = false;
bool pool_is_dirty = false;
byte version = 0;

byte view[2];

/* Where the cell is. */
bool in_home_slot = true; /* only HOME uses it; an arena may have the cell at the same time */
bool in_array = false;    /* only OTHER uses it */
bool on_list = false;     /* under the lock */

bool locked = false;
byte lock_view = 0;

byte arenas = 0; /* that have the cell */
byte ended = 0;  /* threads */
bool lost = false;

/* The scheduler, or whoever orders the two threads of a hand-over. What it carries is the view. */
chan there = [1] of {byte};
chan back = [1] of {byte};

inline touch(me)
{
    d_step {
        assert(view[me] == version); /* else a data race */
        version++;
        view[me] = version;
    }
}

inline lock(me)
{
#ifdef UNLOCKED_LIST
    skip
#else
    atomic {
        !locked;
        locked = true;
        view[me] = MAX(view[me], lock_view);
    }
#endif
}

inline unlock(me)
{
#ifdef UNLOCKED_LIST
    skip
#else
    d_step {
        locked = false;
        lock_view = view[me];
    }
#endif
}

inline send(me, to)
{
#ifdef UNORDERED_SWITCH
    to!0;
#else
    to!view[me];
#endif
}

inline take(me)
{
    d_step {
        touch(me);
        assert(!taken && !pool_is_dirty);
        taken = true;
        arenas++;
        assert(arenas == 1);
        pool_is_dirty = true;
    }
}

inline retire(me)
{
    touch(me);
    pool_is_dirty = false;
    d_step {
        touch(me);
        taken = false;
        arenas--;
    }
}

/* tide_cell_surrender() */
inline surrender(me)
{
    lock(me);
    touch(me); /* next_free */
    assert(!on_list && !in_array && !in_home_slot);
    on_list = true;
    unlock(me);
}

/* tide_cell_obtain() */
inline obtain(me, found)
{
    lock(me);
    found = on_list;
    if
    :: found ->
        touch(me);
        on_list = false
    :: else -> skip
    fi;
    unlock(me);
}

inline close_elsewhere(me)
{
#ifdef EARLY_LIST
    surrender(me);
    retire(me)
#else
    retire(me);
    if
    :: me == OTHER ->
        assert(!in_array);
        in_array = true
    :: surrender(me) /* the array is full */
    fi
#endif
}

inline switch_away()
{
    if
    ::
#ifndef KEEP_AT_SWITCH
#ifndef LATE_SWITCH
        in_home_slot = false; /* tide_thread_detach_home() */
#endif
#endif
        send(HOME, there);
#ifdef LATE_SWITCH
        in_home_slot = false
#endif
    ::
#ifndef KEEP_AT_HAND_OVER
        in_home_slot = false;
#endif
        send(HOME, there)
    fi
}

proctype home_thread()
{
    byte round = 0;
    byte brought;
    bool found;
    do
    :: round < ROUNDS && in_home_slot ->
        round++;
        touch(HOME); /* is the home cell idle? */
        if
        :: taken -> skip /* another cell serves */
        :: else ->
            take(HOME);
            if
            :: retire(HOME)
            :: switch_away()
            :: lost = true; /* it stays open for ever */
                break
            fi
        fi
    :: round < ROUNDS && !in_home_slot ->
        round++;
        obtain(HOME, found);
        if
        :: found -> in_home_slot = true /* settle() */
        :: else -> skip
        fi
    :: back?brought ->
        view[HOME] = MAX(view[HOME], brought);
        touch(HOME);
        retire(HOME);
        if
        :: in_home_slot -> skip
        :: else -> surrender(HOME)
        fi
    :: empty(back) -> break
    od;

    /* leave() */
    if
    :: in_home_slot ->
        touch(HOME);
        in_home_slot = false;
        if
#ifdef EXIT_TAKEN
        :: true -> surrender(HOME)
#else
        :: !taken -> surrender(HOME)
        :: else -> skip
#endif
        fi
    :: else -> skip
    fi;
    ended++
}

proctype other_thread()
{
    byte round = 0;
    byte brought;
    bool found;
    do
    :: there?brought ->
        view[OTHER] = MAX(view[OTHER], brought);
        touch(OTHER); /* the fiber goes on with its arena */
        if
        :: close_elsewhere(OTHER)
        :: send(OTHER, back)
        :: lost = true /* the fiber never ends */
        fi
    :: round < ROUNDS && in_array ->
        round++;
        in_array = false;
        take(OTHER);
        close_elsewhere(OTHER)
    :: round < ROUNDS && !in_array ->
        round++;
        obtain(OTHER, found);
        if
        :: found ->
            take(OTHER);
            close_elsewhere(OTHER)
        :: else -> skip
        fi
    :: ended == 1 && empty(there) -> break
    od;

    if
    :: in_array ->
        in_array = false;
        surrender(OTHER)
    :: else -> skip
    fi;
    ended++
}

init
{
    atomic {
        run home_thread();
        run other_thread()
    }
    ended == 2;
    assert(lost || nempty(back) || (arenas == 0 && !taken && on_list && !in_array))
}
