/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes the calling thread's n-th allocation fail: malloc, calloc, realloc, posix_memalign and mmap
 * alike, and the C library's calls that keep something for later, and so need memory too; and what
 * else the system does for the library. For tests linked with --wrap of those calls; include it in
 * one file of the program.
 *
 *     for (long n = 0;; n++) {
 *         failing_from(n);
 *         bool done = operation();
 *         if (failing_stop() == 0)
 *             break;                   // nothing was refused: every allocation has had its turn
 *         ... check `done` and the state ...
 *     }
 *
 * The countdown is the thread's own, so threads don't disturb each other, and only calls from the
 * program and the library itself are counted, not the C library's own.
 *
 * Besides, as long as `failing_step` names one of the steps of base/os.h that need the C library's
 * memory, that one fails.
 */
#ifndef TIDEPOOL_TESTS_FAILING_H
#define TIDEPOOL_TESTS_FAILING_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/types.h>

#include <tidepool/tidepool.h>

typedef struct failing_state {
    long left;     /* allocations that still succeed; below 0: not armed */
    bool once;     /* only one fails, the next ones succeed again */
    long failures; /* refused since it was armed */
} failing_state;

static __thread failing_state failing = {-1, false, 0};

/* From the n-th allocation on, counted from 0, all fail. */
static inline __attribute__((unused)) void failing_from(long n)
{
    failing = (failing_state){n, false, 0};
}

/* Only the n-th allocation fails. */
static inline __attribute__((unused)) void failing_only(long n)
{
    failing = (failing_state){n, true, 0};
}

/* Allocations succeed again; how many have failed. */
static inline __attribute__((unused)) long failing_stop(void)
{
    long failures = failing.failures;
    failing = (failing_state){-1, false, 0};
    return failures;
}

/* What the system refuses besides: the next call fails with that error number, 0: it is made.
 * `before` is called before each of them, and before mmap. */
typedef struct failing_system {
    int unmap;
    int reserve; /* fallocate */
    int sync;
    void (*before)(const char *call);
} failing_system;

static __thread failing_system system_refuses;

static bool refused_now(int *error)
{
    errno = *error;
    *error = 0;
    return errno != 0;
}

static void call_before(const char *call)
{
    void (*before)(const char *) = system_refuses.before;
    if (before != NULL)
        before(call);
}

static bool failing_now(void)
{
    if (failing.left < 0)
        return false;
    if (failing.left > 0) {
        failing.left--;
        return false;
    }
    if (failing.once)
        failing.left = -1;
    failing.failures++;
    errno = ENOMEM;
    return true;
}

typedef enum failing_os_step {
    FAILING_NOTHING,
    FAILING_AT_FORK,
    FAILING_AT_EXIT,
    FAILING_ARM
} failing_os_step;

static failing_os_step failing_step = FAILING_NOTHING;

TIDE_BEGIN_DECLS

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
int __real_posix_memalign(void **block, size_t alignment, size_t size);
void *__real_mmap(void *address, size_t size, int protection, int flags, int file, off_t offset);

int __real_munmap(void *address, size_t size);
int __real_fallocate(int file, int mode, off_t offset, off_t size);
int __real_msync(void *address, size_t size, int flags);
bool __real_tide_os_at_fork(void (*prepare)(void), void (*parent)(void), void (*child)(void));
bool __real_tide_os_at_exit(void (*callback)(void));
bool __real_tide_os_thread_exit_arm(void *value);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
int __wrap_posix_memalign(void **block, size_t alignment, size_t size);
void *__wrap_mmap(void *address, size_t size, int protection, int flags, int file, off_t offset);
int __wrap_munmap(void *address, size_t size);
int __wrap_fallocate(int file, int mode, off_t offset, off_t size);
int __wrap_msync(void *address, size_t size, int flags);
bool __wrap_tide_os_at_fork(void (*prepare)(void), void (*parent)(void), void (*child)(void));
bool __wrap_tide_os_at_exit(void (*callback)(void));
bool __wrap_tide_os_thread_exit_arm(void *value);

void *__wrap_malloc(size_t size)
{
    return failing_now() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return failing_now() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *block, size_t size)
{
    return failing_now() ? NULL : __real_realloc(block, size);
}

int __wrap_posix_memalign(void **block, size_t alignment, size_t size)
{
    return failing_now() ? ENOMEM : __real_posix_memalign(block, alignment, size);
}

void *__wrap_mmap(void *address, size_t size, int protection, int flags, int file, off_t offset)
{
    call_before("mmap");
    return failing_now() ? MAP_FAILED : __real_mmap(address, size, protection, flags, file, offset);
}

int __wrap_munmap(void *address, size_t size)
{
    call_before("munmap");
    return refused_now(&system_refuses.unmap) ? -1 : __real_munmap(address, size);
}

int __wrap_fallocate(int file, int mode, off_t offset, off_t size)
{
    call_before("fallocate");
    return refused_now(&system_refuses.reserve) ? -1 : __real_fallocate(file, mode, offset, size);
}

int __wrap_msync(void *address, size_t size, int flags)
{
    call_before("msync");
    return refused_now(&system_refuses.sync) ? -1 : __real_msync(address, size, flags);
}

/* A test that counts allocations alone defines FAILING_ONLY_MEMORY: these always get
 * through then. */
static inline bool failing_call_now(void)
{
#ifdef FAILING_ONLY_MEMORY
    return false;
#else
    return failing_now();
#endif
}

int __real_pthread_key_create(pthread_key_t *key, void (*destructor)(void *));
int __real_pthread_setspecific(pthread_key_t key, const void *value);
int __real_pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void));
int __real_atexit(void (*callback)(void));

int __wrap_pthread_key_create(pthread_key_t *key, void (*destructor)(void *));
int __wrap_pthread_setspecific(pthread_key_t key, const void *value);
int __wrap_pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void));
int __wrap_atexit(void (*callback)(void));

/* Called once, within the next pthread_key_create() of this thread, behind the key: what another
 * thread does then. */
static __thread void (*failing_meanwhile)(void);

int __wrap_pthread_key_create(pthread_key_t *key, void (*destructor)(void *))
{
    if (failing_call_now())
        return EAGAIN;
    int result = __real_pthread_key_create(key, destructor);
    void (*meanwhile)(void) = failing_meanwhile;
    failing_meanwhile = NULL;
    if (meanwhile != NULL)
        meanwhile();
    return result;
}

int __wrap_pthread_setspecific(pthread_key_t key, const void *value)
{
    return failing_call_now() ? ENOMEM : __real_pthread_setspecific(key, value);
}

int __wrap_pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void))
{
    return failing_call_now() ? ENOMEM : __real_pthread_atfork(prepare, parent, child);
}

int __wrap_atexit(void (*callback)(void))
{
    return failing_call_now() ? -1 : __real_atexit(callback);
}

bool __wrap_tide_os_at_fork(void (*prepare)(void), void (*parent)(void), void (*child)(void))
{
    return failing_step != FAILING_AT_FORK && __real_tide_os_at_fork(prepare, parent, child);
}

bool __wrap_tide_os_at_exit(void (*callback)(void))
{
    return failing_step != FAILING_AT_EXIT && __real_tide_os_at_exit(callback);
}

bool __wrap_tide_os_thread_exit_arm(void *value)
{
    return failing_step != FAILING_ARM && __real_tide_os_thread_exit_arm(value);
}

TIDE_END_DECLS

#endif
