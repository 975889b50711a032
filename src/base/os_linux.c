/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "base/os.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

const char *tide_os_environment(const char *name)
{
    return secure_getenv(name);
}

/* One system call for text and newline, so that lines of several threads don't mix. */
void tide_os_complain(const char *line)
{
    int saved = errno;
    struct iovec parts[2] = {{(void *)(uintptr_t)line, strlen(line)},
                             {(void *)(uintptr_t) "\n", 1}};
    ssize_t written;
    do
        written = writev(STDERR_FILENO, parts, 2);
    while (written < 0 && errno == EINTR);
    errno = saved;
}

void tide_os_give_way(void)
{
    (void)sched_yield();
}

#define LOOKS_SPINNING 16u
#define LOOKS_YIELDING 64u
#define NAP_LONGEST    1000000L /* ns */

void tide_os_wait_a_little(uint32_t looks)
{
    if (looks < LOOKS_SPINNING) {
        for (uint32_t i = 0; i < (UINT32_C(8) << (looks / 4)); i++)
            __asm__ volatile("" ::: "memory");
    } else if (looks < LOOKS_YIELDING) {
        (void)sched_yield();
    } else {
        long nap = (long)(looks - LOOKS_YIELDING + 1) * 10000;
        struct timespec time = {0, nap < NAP_LONGEST ? nap : NAP_LONGEST};
        (void)nanosleep(&time, NULL);
    }
}

bool tide_os_barrier_prepare(void)
{
    long commands = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);
    return commands >= 0 && (commands & MEMBARRIER_CMD_PRIVATE_EXPEDITED) != 0 &&
           syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

/* It cannot fail once it is registered. */
void tide_os_barrier(void)
{
    (void)syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
}

uint64_t tide_os_thread_number(void)
{
    return (uint64_t)syscall(SYS_gettid);
}

bool tide_os_at_fork(void (*prepare)(void), void (*parent)(void), void (*child)(void))
{
    return pthread_atfork(prepare, parent, child) == 0;
}

bool tide_os_at_exit(void (*callback)(void))
{
    return atexit(callback) == 0;
}

/* Written by tide_os_thread_exit_init(), before any thread arms. */
static pthread_key_t exit_key;

bool tide_os_thread_exit_init(void (*callback)(void *value))
{
    return pthread_key_create(&exit_key, callback) == 0;
}

bool tide_os_thread_exit_arm(void *value)
{
    return pthread_setspecific(exit_key, value) == 0;
}
