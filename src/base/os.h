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

/* Waits a moment for another thread, longer with each look: first it spins, then gives way, then
 * sleeps for up to a millisecond. */
void tide_os_wait_a_little(uint32_t looks);

/* Makes every running thread of the process pass a memory barrier before it returns. Prepare says
 * whether the system can; it is called again in a fork's child. */
bool tide_os_barrier_prepare(void);
void tide_os_barrier(void);

/* The system's number of the calling thread. */
uint64_t tide_os_thread_number(void);

/* Registers for the process; false when there is no room for the handlers. */
bool tide_os_at_fork(void (*prepare)(void), void (*parent)(void), void (*child)(void));
bool tide_os_at_exit(void (*callback)(void));

/* `callback(value)` when a thread for which tide_os_thread_exit_arm(value) was called ends. One
 * callback per process: initialising it again, on several threads at once even, changes nothing.
 * Both return false when the system has no room: the same call may succeed later. */
bool tide_os_thread_exit_init(void (*callback)(void *value));
bool tide_os_thread_exit_arm(void *value);

/*
 * Files and their mappings. What the system refuses comes back as its error number of <errno.h>, 0
 * when it did not.
 */

/* Its own words for one. */
const char *tide_os_error_text(int error);

/* Bytes of a page, a power of two. */
size_t tide_os_page_size(void);

/* The size of the regular file behind a descriptor that is open for reading, and with `writing` for
 * writing too. EBADF; EISDIR for a directory, ENODEV for what else is no file; EACCES. */
int tide_os_file_size(int descriptor, bool writing, uint64_t *size);

/* Makes a shorter file `size` bytes long, at least 1, the new ones zero. A file that is as long by
 * now stays as it is. */
int tide_os_file_extend(int descriptor, uint64_t size);

/* Maps `size` bytes, at least 1, of the file at `offset`, a multiple of the page size; they
 * need not be there yet. With `shared` they are the file's, else copies of it. ENOMEM: no
 * room for them. */
int tide_os_map(int descriptor, uint64_t offset, size_t size, bool writable, bool shared,
                void **start);
int tide_os_unmap(void *start, size_t size);

/* Returns when the file has what was written to these mapped bytes; `start` is a page's. */
int tide_os_sync(void *start, size_t size);

#endif
