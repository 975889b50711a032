/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The word of a cell that several threads count: epoch, lock bit and count, see TIDE_SHARED_… in
 * detail/layout.h. Every change is a compare-exchange that has seen the epoch it is meant for, so a
 * stale handle changes nothing; the lock bit and the count of a closed scope are 0.
 *
 * The lock bit guards what else is in the cell: its chunks and its extra. Taking it acquires what
 * leaving it released. Closing is the exchange that moves the epoch: it needs the lock bit clear
 * and the count 0 (or 1, for the last reference), so it acquires what the last allocation released.
 */
#ifndef TIDEPOOL_LIFETIME_WORD_H
#define TIDEPOOL_LIFETIME_WORD_H

#include "base/lock.h"
#include "base/os.h"
#include <tidepool/detail/layout.h>

static inline uint64_t tide_word_epoch(uint64_t word)
{
    return word & TIDE_SHARED_EPOCH;
}

/* Whether the scope of that epoch is open. Nobody's is 0: a cell whose epochs are used up
 * reads so. */
static inline bool tide_word_is_of(uint64_t word, uint64_t epoch)
{
    return tide_word_epoch(word) == epoch && epoch != 0;
}

static inline uint64_t tide_word_count(uint64_t word)
{
    return word / TIDE_SHARED_HOLD;
}

static inline bool tide_word_is_locked(uint64_t word)
{
    return (word & TIDE_SHARED_LOCK) != 0;
}

/* What the word of an open scope becomes when it closes: the next epoch, of no kind yet; 0 when
 * there is none left. */
static inline uint64_t tide_word_next(uint64_t word)
{
    uint64_t next = (tide_word_epoch(word) & ~TIDE_SHARED_COUNTED) + TIDE_SHARED_STEP;
    return next > TIDE_SHARED_EPOCH ? 0 : next;
}

/* Changes *word from `*seen`; false with the present word in *seen when it is another by now. */
static inline bool tide_word_change(uint64_t *word, uint64_t *seen, uint64_t to)
{
    return __atomic_compare_exchange_n(word, seen, to, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

/* Takes the lock bit, whatever the epoch. */
static inline void tide_word_lock_any(uint64_t *word)
{
    uint32_t pauses = 0;
    uint64_t seen = tide_relaxed_(word);
    while (tide_word_is_locked(seen) || !tide_word_change(word, &seen, seen | TIDE_SHARED_LOCK)) {
        if (tide_word_is_locked(seen)) {
            tide_back_off(&pauses);
            seen = tide_relaxed_(word);
        }
    }
}

/* Takes the lock bit of an open scope; false when it is not of that epoch. */
static inline bool tide_word_lock(uint64_t *word, uint64_t epoch)
{
    uint32_t pauses = 0;
    uint64_t seen = tide_relaxed_(word);
    for (;;) {
        if (!tide_word_is_of(seen, epoch))
            return false;
        if (tide_word_is_locked(seen)) {
            tide_back_off(&pauses);
            seen = tide_relaxed_(word);
        } else if (tide_word_change(word, &seen, seen | TIDE_SHARED_LOCK)) {
            return true;
        }
    }
}

static inline void tide_word_unlock(uint64_t *word)
{
    (void)__atomic_fetch_and(word, ~TIDE_SHARED_LOCK, __ATOMIC_RELEASE);
}

#endif
