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
