/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who may close or report an arena while its cell goes to a new owner, as a Promela model for spin.
 *
 * The cell was CLOSER's, whose arena is closed. A TAKER takes it, as tide_cell_take_() does:
 * `owner`, then `mark`; closes, and takes it again; in the end it may hand its arena over to
 * CLOSER: first the mark that no tide_close_to() reaches, then `owner`. CLOSER looks at the cell
 * meanwhile, as is_meant() does: `mark`, then `owner`, then `mark` once more.
 *
 * Checked, over all interleavings: CLOSER never takes for its own an arena that it did not open.
 *
 * The stores are releases, the first two looks acquires: without, processors may let two stores, or
 * two loads, change places. RELAXED_TAKE, RELAXED_HAND_OVER and RELAXED_LOAD do so; run-model
 * expects spin to find an error then. ONE_LOOK leaves out the second look at the mark.
 */

#define CLOSER 1
#define TAKER  2

#define IDLE 0
#define NONE 1 /* TIDE_MARK_NONE */
#define WORD 5 /* later than CLOSER's mark */

byte owner = CLOSER;
byte mark = IDLE;

inline take()
{
    if
    :: owner = TAKER; mark = WORD
#ifdef RELAXED_TAKE
    :: mark = WORD; owner = TAKER
#endif
    fi
}

inline hand_over()
{
    if
    :: mark = NONE; owner = CLOSER
#ifdef RELAXED_HAND_OVER
    :: owner = CLOSER; mark = NONE
#endif
    fi
}

inline look()
{
    if
    :: first_mark = mark; seen_owner = owner
#ifdef RELAXED_LOAD
    :: seen_owner = owner; first_mark = mark
#endif
    fi;
#ifdef ONE_LOOK
    second_mark = first_mark
#else
    second_mark = mark
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
    byte first_mark, seen_owner, second_mark;
    byte tries = 0;
    do
    :: tries < 4 ->
        look();
        assert(!(seen_owner == CLOSER && first_mark > NONE && second_mark == first_mark));
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
