/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A lock for sections of a few loads and stores. Taking it is one exchange, leaving it one store:
 * half of what a mutex costs. Who finds it taken backs off, doubling, and then gives way, so a
 * preempted holder is waited for without burning its processor.
 *
 * The exchange acquires what the store releases: each section sees all of those before it. A
 * process with one thread takes the lock by a plain store: no other thread can be made inside a
 * section.
 */
#ifndef TIDEPOOL_BASE_LOCK_H
#define TIDEPOOL_BASE_LOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/assert.h"
#include "base/os.h"
#include "base/thread_local.h"

typedef struct tide_lock {
    uint32_t taken;
} tide_lock;

void tide_lock_wait(tide_lock *lock);

/* One pause of a loop that waits for another thread: longer each time, then the processor is given
 * away. `pauses` starts at 0. */
void tide_back_off(uint32_t *pauses);
/* How many locks the calling thread holds; only debug builds count. */
extern TIDE_THREAD_LOCAL uint32_t tide_locks_held;

static inline void tide_lock_count(uint32_t change)
{
#ifdef TIDE_DEBUG
    tide_locks_held += change;
#else
    (void)change;
#endif
}

/* Stands before every call out of the library: cleanups, managers of the program's own, the fault
 * handler. */
static inline void tide_assert_unlocked(void)
{
    TIDE_ASSERT(tide_locks_held == 0);
}

static inline bool tide_lock_try(tide_lock *lock)
{
    return __atomic_exchange_n(&lock->taken, 1, __ATOMIC_ACQUIRE) == 0;
}

static inline void tide_lock_take(tide_lock *lock)
{
    tide_lock_count(1);
    if (tide_os_is_alone())
        __atomic_store_n(&lock->taken, 1, __ATOMIC_RELAXED);
    else if (__builtin_expect(!tide_lock_try(lock), 0))
        tide_lock_wait(lock);
}

static inline void tide_lock_leave(tide_lock *lock)
{
    __atomic_store_n(&lock->taken, 0, __ATOMIC_RELEASE);
    tide_lock_count((uint32_t)-1);
}

#endif
