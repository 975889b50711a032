/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "base/os.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
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

bool tide_os_at_fork(void (*prepare)(void), void (*parent)(void), void (*child)(void))
{
    return pthread_atfork(prepare, parent, child) == 0;
}

bool tide_os_at_exit(void (*callback)(void))
{
    return atexit(callback) == 0;
}

/* The key plus 1; 0: none yet. Released by the thread that made it, acquired by those that arm. */
static uint64_t exit_key;

bool tide_os_thread_exit_init(void (*callback)(void *value))
{
    if (__atomic_load_n(&exit_key, __ATOMIC_ACQUIRE) != 0)
        return true;
    pthread_key_t key;
    if (pthread_key_create(&key, callback) != 0)
        return false;
    uint64_t none = 0;
    if (!__atomic_compare_exchange_n(&exit_key, &none, (uint64_t)key + 1, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE))
        (void)pthread_key_delete(key); /* another thread was faster */
    return true;
}

bool tide_os_thread_exit_arm(void *value)
{
    uint64_t key = __atomic_load_n(&exit_key, __ATOMIC_ACQUIRE);
    return pthread_setspecific((pthread_key_t)(key - 1), value) == 0;
}
