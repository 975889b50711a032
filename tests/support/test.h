/* SPDX-License-Identifier: Apache-2.0 */
/* What every unit test starts from: cmocka, the library, and checks in the library's own terms.
 * Include it first. Tests of the public headers are compiled as C++ too (tests/cxx). */
#ifndef TIDEPOOL_TESTS_TEST_H
#define TIDEPOOL_TESTS_TEST_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif

#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tidepool/tidepool.h>

TIDE_BEGIN_DECLS /* cmocka's header has none of its own */
#include <cmocka.h>
TIDE_END_DECLS

/* assert_fault() calls setjmp() in the test itself. Nothing is changed between the two returns, so
 * what gcc fears for the test's variables cannot happen. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wclobbered"
#endif

/* Requests that no machine can serve must be refused by the sanitizers' malloc, not fatal. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) && !defined(__SANITIZE_ADDRESS__)
#define __SANITIZE_ADDRESS__ 1
#endif
#if __has_feature(thread_sanitizer) && !defined(__SANITIZE_THREAD__)
#define __SANITIZE_THREAD__ 1
#endif
#endif
TIDE_BEGIN_DECLS
#ifdef __SANITIZE_ADDRESS__
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}
#endif
#ifdef __SANITIZE_THREAD__
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "allocator_may_return_null=1:die_after_fork=0";
}
#endif
TIDE_END_DECLS

#define TEST_HELPER static inline __attribute__((unused))

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* The numbers that tell careless arithmetic from careful: what a negative number becomes, and what
 * wraps when something is added to it or when it is multiplied. */
#define HUGE_SIZES                                                                                \
    {                                                                                             \
        (size_t) PTRDIFF_MAX + 1, (size_t)PTRDIFF_MAX + 2, SIZE_MAX - 63, SIZE_MAX - 1, SIZE_MAX, \
            (size_t)-8                                                                            \
    }

/* ----------------------------------------------------------------------------- statuses */

TEST_HELPER void assert_status_(tide_status expected, tide_status actual, const char *expression,
                                const char *file, int line)
{
    if (actual == expected)
        return;
    fprintf(stderr, "%s:%d: %s is %s, not %s (last error: %s)\n", file, line, expression,
            tide_status_name(actual), tide_status_name(expected), tide_last_error_text());
    _fail(file, line);
}

#define assert_status(expected, expression) \
    assert_status_((expected), (expression), #expression, __FILE__, __LINE__)
#define assert_ok(expression) assert_status(TIDE_OK, expression)

TEST_HELPER void assert_last_error_(tide_status expected, const char *expression, const char *file,
                                    int line)
{
    assert_status_(expected, tide_last_error(), expression, file, line);
    if (tide_last_error_text()[0] == '\0') {
        fprintf(stderr, "%s:%d: %s left no text\n", file, line, expression);
        _fail(file, line);
    }
}

/* The call returns `expected` and has left it in the last error, with a text. */
#define assert_refused(expected, expression)                                             \
    do {                                                                                 \
        assert_status_((expected), (expression), #expression, __FILE__, __LINE__);       \
        assert_last_error_((expected), #expression " (last error)", __FILE__, __LINE__); \
    } while (0)

/* The call returns NULL for want of memory. */
#define assert_out_of_memory(expression)                                                         \
    do {                                                                                         \
        assert_null(expression);                                                                 \
        assert_last_error_(TIDE_OUT_OF_MEMORY, #expression " (last error)", __FILE__, __LINE__); \
    } while (0)

TEST_HELPER void assert_contains_(const char *text, const char *part, const char *file, int line)
{
    if (strstr(text, part) != NULL)
        return;
    fprintf(stderr, "%s:%d: \"%s\" does not contain \"%s\"\n", file, line, text, part);
    _fail(file, line);
}

#define assert_contains(text, part) assert_contains_((text), (part), __FILE__, __LINE__)
#define assert_error_names(part)    assert_contains(tide_last_error_text(), (part))

/* ----------------------------------------------------------------------------- faults */

typedef struct caught_fault {
    jmp_buf frame;
    bool expected;
    tide_status status;
    char operation[64];
    char text[512];
} caught_fault;

static __thread caught_fault caught __attribute__((unused));

TEST_HELPER void catch_fault_(const tide_fault *fault)
{
    if (!caught.expected) {
        fprintf(stderr, "unexpected fault: %s\n", fault->text);
        abort();
    }
    caught.expected = false;
    caught.status = fault->status;
    snprintf(caught.operation, sizeof caught.operation, "%s", fault->operation);
    snprintf(caught.text, sizeof caught.text, "%s", fault->text);
    longjmp(caught.frame, 1);
}

/* The statement hands a fault of this status to the fault handler. */
#define assert_fault_by(expected_status, statement)                                            \
    do {                                                                                       \
        tide_fault_handler before_ = tide_fault_handler_set(catch_fault_);                     \
        if (setjmp(caught.frame) == 0) {                                                       \
            caught.expected = true;                                                            \
            statement;                                                                         \
            caught.expected = false;                                                           \
            tide_fault_handler_set(before_);                                                   \
            fprintf(stderr, "%s:%d: no fault: %s\n", __FILE__, __LINE__, #statement);          \
            _fail(__FILE__, __LINE__);                                                         \
        }                                                                                      \
        tide_fault_handler_set(before_);                                                       \
        assert_status_((expected_status), caught.status, #statement " (fault)", __FILE__,      \
                       __LINE__);                                                              \
        assert_last_error_((expected_status), #statement " (last error)", __FILE__, __LINE__); \
    } while (0)

/* The same for an expression whose value must not be ignored. */
#define assert_fault(expected_status, expression) \
    assert_fault_by(expected_status, {            \
        __typeof__(expression) value_;            \
        value_ = (expression);                    \
        (void)value_;                             \
    })

#define assert_fault_names(part) assert_contains(caught.text, (part))

/* ----------------------------------------------------------------------------- threads */

typedef struct thread_task {
    void (*body)(void *context);
    void *context;
} thread_task;

TEST_HELPER void *thread_task_run_(void *argument)
{
    const thread_task *task = (const thread_task *)argument;
    task->body(task->context);
    return NULL;
}

/* Runs `body` on a thread that has never used the library, to its end. A check that fails there
 * ends the process. */
TEST_HELPER void on_new_thread(void (*body)(void *context), void *context)
{
    pthread_t thread;
    thread_task task = {body, context};
    assert_int_equal(pthread_create(&thread, NULL, thread_task_run_, &task), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

/* ----------------------------------------------------------------------------- memory */

TEST_HELPER bool all_bytes_are(const void *address, int value, size_t size)
{
    const unsigned char *bytes = (const unsigned char *)address;
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != (unsigned char)value)
            return false;
    }
    return true;
}

#define assert_zeroed(address, size)       assert_true(all_bytes_are((address), 0, (size)))
#define assert_aligned(address, alignment) assert_int_equal((uintptr_t)(address) % (alignment), 0)

/* For tests that say where allocations lie or what is kept ready: a memory checker puts red zones
 * between allocations and keeps nothing ready. */
#define skip_under_checker()                     \
    do {                                         \
        if (strcmp(tide_checker(), "none") != 0) \
            skip();                              \
    } while (0)

/* A string as the context of a callback that does not write to it. */
TEST_HELPER void *context_of(const char *text)
{
    return (void *)(uintptr_t)text;
}

/* A value that the compiler knows nothing of. */
TEST_HELPER size_t opaque(size_t value)
{
    volatile size_t hidden = value;
    return hidden;
}

/* A segment that no call may change, and whether none did. */
TEST_HELPER tide_segment canary_segment(void)
{
    tide_segment segment;
    memset(&segment, 0x5A, sizeof segment);
    return segment;
}

TEST_HELPER bool is_canary(const tide_segment *segment)
{
    return all_bytes_are(segment, 0x5A, sizeof *segment);
}

/* A segment of plain memory: it belongs to no arena. */
TEST_HELPER tide_segment segment_over(void *address, size_t size)
{
    tide_segment segment = tide_segment_of_address(address);
    assert_ok(tide_segment_resize(&segment, size, &segment));
    return segment;
}

TEST_HELPER tide_segment read_only_of(tide_segment segment)
{
    assert_ok(tide_segment_read_only(&segment, &segment));
    return segment;
}

#endif
