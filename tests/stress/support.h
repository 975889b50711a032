/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the stress tests share. cmocka's own assertions jump back to the frame of the test, which
 * only the main thread on its own stack may do; CHECK may fail on any thread, in any fiber and in a
 * forked child: it says where on stderr and aborts.
 */
#ifndef TIDEPOOL_TESTS_STRESS_SUPPORT_H
#define TIDEPOOL_TESTS_STRESS_SUPPORT_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tidepool/tidepool.h>

#if defined(__SANITIZE_THREAD__)
#define STRESS_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define STRESS_TSAN 1
#endif
#endif
#ifndef STRESS_TSAN
#define STRESS_TSAN 0
#endif

#if defined(__SANITIZE_ADDRESS__)
#define STRESS_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define STRESS_ASAN 1
#endif
#endif
#ifndef STRESS_ASAN
#define STRESS_ASAN 0
#endif

_Noreturn void stress_fail(const char *file, int line, const char *what);
_Noreturn void stress_fail_status(const char *file, int line, const char *call, tide_status got,
                                  tide_status expected);

#define CHECK(condition) ((condition) ? (void)0 : stress_fail(__FILE__, __LINE__, #condition))

#define CHECK_STATUS(expected, call)                                         \
    do {                                                                     \
        tide_status got_ = (call);                                           \
        if (got_ != (expected))                                              \
            stress_fail_status(__FILE__, __LINE__, #call, got_, (expected)); \
    } while (0)

#define CHECK_OK(call) CHECK_STATUS(TIDE_OK, call)

/* `count`, or less where every step costs more: under a checker, or by TIDE_STRESS_DIVISOR. */
unsigned long stress_count(unsigned long count);

/* `count` processes, which cost more than steps do: fewer only by a divisor above 100. */
unsigned long stress_processes(unsigned long count);

/* A pseudo-random sequence of each caller's own (xorshift); never seed it with 0. */
uint64_t stress_random(uint64_t *state);
static inline size_t stress_below(uint64_t *state, size_t limit)
{
    return (size_t)(stress_random(state) % limit);
}

pthread_t stress_start(void *(*body)(void *argument), void *argument);
void stress_join(pthread_t thread);
/* Starts a thread and waits for its end. */
void stress_on_thread(void *(*body)(void *argument), void *argument);

bool stress_all_bytes(const void *block, size_t size, unsigned char value);

tide_pool_statistics stress_statistics(void);

/* Forks; the child runs `body` and ends with status 0, and must. */
void stress_in_child(void (*body)(void *argument), void *argument);

/* Runs a program to its end, its stderr in `output` (terminated). Its status as from waitpid(). */
int stress_run(const char *const arguments[], char *output, size_t output_size);

/* One of every kind of work an arena can do, on the calling thread. */
void stress_use_everything(void);

#endif
