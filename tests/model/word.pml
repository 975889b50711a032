/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The word of a cell that several threads count, as a Promela model for spin: src/lifetime/word.h
 * and shared.c. Epoch, lock bit and count are one word, changed by compare-exchange only.
 *
 * A scope is used by a holder (hold, look, release), an allocator (lock bit, change the cell's
 * plain content, unlock), two that close it, and one that has a handle of it and comes late: by
 * then the cell may serve its next user, who is modelled as well. In the counted form the last
 * reference closes.
 *
 * Checked, over all interleavings:
 *   - a hold that was given keeps its scope open until it is released;
 *   - one of the two closers ends the scope, not both;
 *   - nobody closes while somebody allocates, and one allocates at a time;
 *   - a handle of the old scope changes nothing of the next user's: not the count, not the lock
 *   bit.
 *
 * Each macro breaks one rule; run-model expects spin to find an error then:
 *   BLIND_HOLD      a hold is an addition that doesn't compare the epoch
 *   BLIND_CLOSE     close doesn't compare the count
 *   BLIND_LOCK      close doesn't compare the lock bit
 *   BLIND_RELEASE   a late release subtracts without comparing the epoch
 */

#define FIRST 1 /* the epoch of the scope that all know */

byte epoch = FIRST;
byte count = 0;
bool locked = false;

byte allocating = 0;
byte held = 0;   /* holds of the first scope that were given and not released */
byte ends = 0;   /* how often the first scope ended */
bool next_open = false;
byte next_holds = 0;

/* One compare-exchange each. */
inline try_hold(scope, given)
{
    atomic {
        if
#ifdef BLIND_HOLD
        :: true -> count++; given = true
#else
        :: epoch == scope -> count++; given = true
        :: else -> given = false
#endif
        fi;
        if
        :: given && epoch == FIRST -> held++
        :: else
        fi
    }
}

inline release(scope)
{
    atomic {
#ifdef BLIND_RELEASE
        count--;
        if
        :: epoch == scope && scope == FIRST -> held--
        :: else
        fi
#else
        if
        :: epoch == scope && count > 0 ->
            count--;
            if
            :: scope == FIRST -> held--
            :: else
            fi
        :: else
        fi
#endif
    }
}

/* Whether it has ended the scope of that epoch. */
inline try_close(scope, ended)
{
    atomic {
        if
        :: (epoch == scope
#ifndef BLIND_CLOSE
            && count == 0
#endif
#ifndef BLIND_LOCK
            && !locked
#endif
            ) ->
            assert(scope != FIRST || held == 0);
            assert(allocating == 0);
            epoch = epoch + 1;
            ended = true
        :: else -> ended = false
        fi;
        if
        :: ended && scope == FIRST -> ends++
        :: else
        fi
    }
}

proctype holder()
{
    bool given = false;
    byte tries = 0;
    do
    :: tries < 2 ->
        try_hold(FIRST, given);
        if
        :: given ->
            assert(epoch == FIRST); /* whatever is done with the memory meanwhile */
            release(FIRST)
        :: else
        fi;
        tries++
    :: else -> break
    od
}

proctype allocator()
{
    bool mine = false;
    atomic {
        if
        :: epoch == FIRST && !locked -> locked = true; mine = true
        :: else
        fi
    };
    if
    :: mine ->
        allocating++;
        assert(allocating == 1 && epoch == FIRST);
        allocating--;
        locked = false
    :: else
    fi
}

proctype closer()
{
    bool ended = false;
    do
    :: epoch == FIRST -> try_close(FIRST, ended)
    :: else -> break
    od
}

/* Has released its hold already, and does so again; then tries to hold what is closed. */
proctype late()
{
    bool given = false;
    (epoch != FIRST);
    release(FIRST);
    try_hold(FIRST, given);
    assert(!given)
}

/* Opens the cell again, holds it once and closes it. */
proctype next_user()
{
    bool given = false, ended = false;
    byte mine;
    (epoch != FIRST);
    mine = epoch;
    assert(ends == 1 && !locked && count == 0);
    try_hold(mine, given);
    assert(given && count == 1);
    assert(count == 1);
    release(mine);
    assert(count == 0);
    try_close(mine, ended);
    assert(ended)
}

init
{
    atomic {
        run holder();
        run allocator();
        run allocator();
        run closer();
        run closer();
        run late();
        run next_user()
    }
}
