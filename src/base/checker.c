/* SPDX-License-Identifier: Apache-2.0 */
#include "base/checker.h"

#include <tidepool/config.h>

#ifndef TIDE_HAVE_VALGRIND
#if __has_include(<valgrind/memcheck.h>)
#define TIDE_HAVE_VALGRIND 1
#else
#define TIDE_HAVE_VALGRIND 0
#endif
#endif

#if TIDE_HAVE_VALGRIND
#include <valgrind/memcheck.h>
#else
#define VALGRIND_MAKE_MEM_NOACCESS(address, size)  0
#define VALGRIND_MAKE_MEM_DEFINED(address, size)   0
#define VALGRIND_MAKE_MEM_UNDEFINED(address, size) 0
#endif

/* The sanitizers' published interface. The references are weak: they are there when the program
 * was built with the sanitizer, however the library was built. */
void __asan_poison_memory_region(const volatile void *address, size_t size) __attribute__((weak));
void __asan_unpoison_memory_region(const volatile void *address, size_t size) __attribute__((weak));
void __tsan_acquire(void *address) __attribute__((weak));
void __tsan_release(void *address) __attribute__((weak));

/* Memcheck alone answers its requests with something else than 0: valgrind's other tools, which
 * count or trace, get the program as it runs without them. */
static bool memcheck_is_there(void)
{
    char probe = 0;
    (void)probe;
    return VALGRIND_MAKE_MEM_DEFINED(&probe, sizeof probe) != 0;
}

const char *tide_checker(void)
{
    if (__asan_poison_memory_region != NULL)
        return "AddressSanitizer";
    if (memcheck_is_there())
        return "valgrind";
    return __tsan_acquire != NULL ? "ThreadSanitizer" : "none";
}

bool tide_checker_watches_memory(void)
{
    return __asan_poison_memory_region != NULL || memcheck_is_there();
}

void tide_checker_tell_forbidden(const void *address, size_t size)
{
    if (__asan_poison_memory_region != NULL)
        __asan_poison_memory_region(address, size);
    (void)VALGRIND_MAKE_MEM_NOACCESS(address, size);
}

void tide_checker_tell_defined(const void *address, size_t size)
{
    if (__asan_unpoison_memory_region != NULL)
        __asan_unpoison_memory_region(address, size);
    (void)VALGRIND_MAKE_MEM_DEFINED(address, size);
}

void tide_checker_tell_undefined(const void *address, size_t size)
{
    if (__asan_unpoison_memory_region != NULL)
        __asan_unpoison_memory_region(address, size);
    (void)VALGRIND_MAKE_MEM_UNDEFINED(address, size);
}

void tide_checker_release(const void *address)
{
    if (__tsan_release != NULL)
        __tsan_release((void *)(uintptr_t)address);
}

void tide_checker_acquire(const void *address)
{
    if (__tsan_acquire != NULL)
        __tsan_acquire((void *)(uintptr_t)address);
}
