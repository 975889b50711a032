/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The contenders: each is a set of loops that do the same work in its own way. A loop runs `count`
 * operations and nothing else, so that whoever calls it can time them; what a contender keeps from
 * one operation to the next (an obstack, a parent pool) is made at its first call.
 *
 * What all loops share: the block's address escapes and one byte of it is written, so that no
 * compiler may drop the pair of calls; a refused allocation ends the process. Sizes are run-time
 * values. malloc, calloc, free and every other library function are called as an ordinary program
 * calls them, through the linkage table; only exported.c is compiled with -fno-plt.
 */
#ifndef TIDEPOOL_BENCH_LOOPS_H
#define TIDEPOOL_BENCH_LOOPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BENCH_ALIGNMENT   16u /* what malloc gives */
#define BENCH_NEST_DEPTH  ((size_t)5)
#define BENCH_NEST_BLOCKS ((size_t)4) /* longs in each nested lifetime */

/* NULL where the contender has nothing to show. */
typedef struct bench_loops {
    const char *name;
    void (*empty)(size_t count); /* a lifetime in which nothing is allocated; malloc: one byte */
    void (*zeroed)(size_t size, size_t count);
    void (*uninitialized)(size_t size, size_t count);
    void (*nested)(size_t count);
    void (*string)(const char *text, size_t size, size_t count); /* `size` with the terminator */
    void (*sequential)(size_t count);                            /* one operation is one element */
    void (*random)(size_t count);
    void (*finish)(void); /* gives back what an open arena of it keeps from the other contenders */
} bench_loops;

extern const bench_loops bench_tidepool;
extern const bench_loops bench_exported;
extern const bench_loops bench_malloc;
extern const bench_loops bench_calloc;
extern const bench_loops bench_bespoke_pool;
extern const bench_loops bench_bespoke_clearing;
extern const bench_loops bench_memset;
extern const bench_loops bench_raw;
extern const bench_loops bench_obstack;
extern const bench_loops bench_pmr;
#ifdef BENCH_HAVE_TALLOC
extern const bench_loops bench_talloc;
#endif
#ifdef BENCH_HAVE_APR
extern const bench_loops bench_apr;
#endif

/* Ends the process: a refused allocation in a benchmark is no result. */
#ifdef __cplusplus
[[noreturn]]
#else
_Noreturn
#endif
void bench_refused(void);

/* strlen behind a call that the compiler can't see into: the program's own C function that some
 * runtime calls with a temporary string. */
size_t bench_string_length(const char *text);

/* Makes the block's content observable and writes to it. */
static inline __attribute__((always_inline)) void bench_touch(void *block)
{
    if (block == NULL)
        bench_refused();
    __asm__ volatile("" : : "r"(block) : "memory");
    *(volatile char *)block = 1;
}

/* Lets the address of something on the stack escape. */
static inline __attribute__((always_inline)) void bench_escape(void *address)
{
    __asm__ volatile("" : : "r"(address) : "memory");
}

#ifdef __cplusplus
}
#endif

#endif
