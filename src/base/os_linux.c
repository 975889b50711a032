/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "base/os.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
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

/* The kernel's numbers; its header is not where every C library looks. */
enum {
    BARRIER_QUERY = 0,
    BARRIER_PRIVATE_EXPEDITED = 1 << 3,
    BARRIER_REGISTER_PRIVATE_EXPEDITED = 1 << 4
};

bool tide_os_barrier_prepare(void)
{
    long commands = syscall(SYS_membarrier, BARRIER_QUERY, 0, 0);
    return commands >= 0 && (commands & BARRIER_PRIVATE_EXPEDITED) != 0 &&
           syscall(SYS_membarrier, BARRIER_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

/* It cannot fail once it is registered. */
void tide_os_barrier(void)
{
    (void)syscall(SYS_membarrier, BARRIER_PRIVATE_EXPEDITED, 0, 0);
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

/* Only for numbers that the system does not know could this text be another thread's too. */
const char *tide_os_error_text(int error)
{
    return strerror(error);
}

size_t tide_os_page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

int tide_os_file_size(int descriptor, bool writing, uint64_t *size)
{
    struct stat about;
    int flags = fcntl(descriptor, F_GETFL);
    if (flags < 0 || fstat(descriptor, &about) != 0)
        return errno;
    if ((flags & O_PATH) != 0)
        return EBADF; /* it stands for a name */
    if (!S_ISREG(about.st_mode))
        return S_ISDIR(about.st_mode) ? EISDIR : ENODEV;
    int access = flags & (O_RDONLY | O_WRONLY | O_RDWR);
    if (access != O_RDWR && (access != O_RDONLY || writing))
        return EACCES;
    *size = (uint64_t)about.st_size;
    return 0;
}

/*
 * ftruncate() would cut off what somebody else has added since the size was looked at, perhaps from
 * under another mapping. Asking for room for the last byte only ever makes a file longer, and
 * leaves a hole before it. Where the file system can't do that, ftruncate() has to.
 */
int tide_os_file_extend(int descriptor, uint64_t size)
{
    int result;
    do
        result = fallocate(descriptor, 0, (off_t)(size - 1), 1);
    while (result != 0 && errno == EINTR);
    if (result != 0 && (errno == EOPNOTSUPP || errno == ENOSYS))
        result = ftruncate(descriptor, (off_t)size);
    return result == 0 ? 0 : errno;
}

int tide_os_map(int descriptor, uint64_t offset, size_t size, bool writable, bool shared,
                void **start)
{
    int protection = PROT_READ | (writable ? PROT_WRITE : 0);
    void *mapped =
        mmap(NULL, size, protection, shared ? MAP_SHARED : MAP_PRIVATE, descriptor, (off_t)offset);
    if (mapped == MAP_FAILED)
        return errno;
    *start = mapped;
    return 0;
}

int tide_os_unmap(void *start, size_t size)
{
    return munmap(start, size) == 0 ? 0 : errno;
}

int tide_os_sync(void *start, size_t size)
{
    return msync(start, size, MS_SYNC) == 0 ? 0 : errno;
}
