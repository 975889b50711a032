/* SPDX-License-Identifier: Apache-2.0 */
/* A process that uses the library before main(): from .preinit_array, before any constructor of any
 * library has run, and from constructors. What is opened there is closed in main and at exit. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

static tide_arena arenas[3];
static char *bytes[3];

static void open_one(size_t index)
{
    size_t size = 30 + 200 * index;
    CHECK_OK(tide_arena_open(&arenas[index]));
    bytes[index] = tide_arena_allocate(&arenas[index], size, 8);
    CHECK(bytes[index] != NULL && stress_all_bytes(bytes[index], size, 0));
    memset(bytes[index], (int)(index + 1), size);
}

static void close_one(size_t index)
{
    CHECK(stress_all_bytes(bytes[index], 30 + 200 * index, (unsigned char)(index + 1)));
    CHECK_OK(tide_arena_close(&arenas[index]));
}

/* Sanitizers start from .preinit_array too; nothing may use the library before they have. */
#if !STRESS_ASAN && !STRESS_TSAN
static void before_constructors(int count, char **arguments, char **environment)
{
    (void)count;
    (void)arguments;
    (void)environment;
    open_one(0);
}

__attribute__((section(".preinit_array"),
               used)) static void (*const preinit)(int, char **, char **) = before_constructors;
#else
__attribute__((constructor(101))) static void before_constructors(void)
{
    open_one(0);
}
#endif

__attribute__((constructor(102))) static void early_constructor(void)
{
    open_one(1);
}

static void *use_on_a_thread(void *argument)
{
    (void)argument;
    stress_use_everything();
    return NULL;
}

__attribute__((constructor)) static void late_constructor(void)
{
    open_one(2);
    stress_on_thread(use_on_a_thread, NULL);
}

__attribute__((destructor)) static void late_destructor(void)
{
    close_one(1);
    stress_use_everything();
}

static void at_exit(void)
{
    close_one(2);
}

int main(void)
{
    CHECK(atexit(at_exit) == 0);
    close_one(0);
    stress_use_everything();
    CHECK(stress_statistics().lost_arenas == 0);
    return 0;
}
