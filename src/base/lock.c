/* SPDX-License-Identifier: Apache-2.0 */
#include "base/lock.h"

#define PAUSES_FIRST 8u
#define PAUSES_MOST  512u

#ifdef TIDE_DEBUG
TIDE_THREAD_LOCAL uint32_t tide_locks_held;
#endif

static void pause_for(uint32_t pauses)
{
    while (pauses-- != 0) {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#else
        __asm__ volatile("" ::: "memory");
#endif
    }
}

void tide_back_off(uint32_t *pauses)
{
    if (*pauses == 0)
        *pauses = PAUSES_FIRST;
    pause_for(*pauses);
    if (*pauses < PAUSES_MOST)
        *pauses *= 2;
    else
        tide_os_give_way();
}

/* Looks before it tries: an exchange takes the line away from the holder. That the try fails all
 * the same takes a third thread in between, which no test can order. */
void tide_lock_wait(tide_lock *lock)
{
    uint32_t pauses = 0;
    while (__atomic_load_n(&lock->taken, __ATOMIC_RELAXED) != 0 || !tide_lock_try(lock))
        tide_back_off(&pauses);
}
