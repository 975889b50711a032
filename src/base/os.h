/* SPDX-License-Identifier: Apache-2.0 */
/* The operating system, as far as the library needs it. os_linux.c is the only file that includes
 * system headers beyond C11 and pthread. */
#ifndef TIDEPOOL_BASE_OS_H
#define TIDEPOOL_BASE_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The environment variable, or NULL: also for every variable in a set-user-id program. */
const char *tide_os_environment(const char *name);

/* One line to stderr, unbuffered, errno kept. */
void tide_os_complain(const char *line);

/* Whether the process has no other thread and so none can come while the caller makes no call:
 * glibc keeps note of it; without that, false. */
extern char __libc_single_threaded __attribute__((weak));
static inline bool tide_os_is_alone(void)
{
    return &__libc_single_threaded != NULL && __libc_single_threaded != 0;
}

/* Lets another thread run that wants to. */
void tide_os_give_way(void);

/* Registers for the process; false when there is no room for the handlers. */
bool tide_os_at_fork(void (*prepare)(void), void (*parent)(void), void (*child)(void));
bool tide_os_at_exit(void (*callback)(void));

/* `callback(value)` when a thread for which tide_os_thread_exit_arm(value) was called ends. One
 * callback per process: initialising it again, on several threads at once even, changes nothing.
 * Both return false when the system has no room: the same call may succeed later. */
bool tide_os_thread_exit_init(void (*callback)(void *value));
bool tide_os_thread_exit_arm(void *value);

#endif
