/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Addresses without memory. They lie where no processor the library runs on lets a program map
 * anything unless it insists: outside x86-64's 47 (and all but asked-for 57) bits, in aarch64's
 * kernel half. So nothing is reserved, and a limit on address space, valgrind or a sanitizer have
 * nothing to refuse.
 */
#include <tidepool/manager.h>

#include "base/checked.h"

_Static_assert(sizeof(uintptr_t) == 8, "the range needs 64-bit addresses");

#define RANGE_START (UINT64_C(1) << 55)
#define RANGE_END   (RANGE_START + (UINT64_C(1) << 46))

/* Everything below, and nothing above, has been given. Relaxed, like the figures: there is no
 * memory whose content one thread could have to see of another. */
static uint64_t position = RANGE_START;

static struct {
    uint64_t used;
    uint64_t allocations;
    uint64_t frees;
    uint64_t failures;
} figures;

static void add(uint64_t *figure, uint64_t amount)
{
    __atomic_fetch_add(figure, amount, __ATOMIC_RELAXED);
}

static void *null_allocate(void *context, size_t size, size_t alignment, unsigned request)
{
    (void)context;
    (void)request;
    uint64_t before = __atomic_load_n(&position, __ATOMIC_RELAXED);
    uint64_t start;
    do {
        start = (before + alignment - 1) & ~(alignment - 1);
        if (start >= RANGE_END || size > RANGE_END - start) {
            add(&figures.failures, 1);
            return NULL;
        }
    } while (!__atomic_compare_exchange_n(&position, &before, start + size, true, __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED));
    add(&figures.used, size);
    add(&figures.allocations, 1);
    return (void *)start;
}

static tide_status null_free(void *context, void *block, size_t size, size_t alignment)
{
    (void)context;
    uint64_t start = (uintptr_t)block;
    uint64_t end = __atomic_load_n(&position, __ATOMIC_RELAXED);
    if (start < RANGE_START || start >= end || size > end - start || start % alignment != 0)
        return TIDE_INVALID_ARGUMENT;
    /* More than is out can't come back: one of the frees was wrong. */
    uint64_t used = __atomic_load_n(&figures.used, __ATOMIC_RELAXED);
    do {
        if (size > used)
            return TIDE_INVALID_ARGUMENT;
    } while (!__atomic_compare_exchange_n(&figures.used, &used, used - size, true, __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED));
    add(&figures.frees, 1);
    /* The newest block's addresses serve again, so that giving and taking can go on for ever. Two
     * frees in a row can't both see their block as the newest, and nothing lives above it. */
    uint64_t newest = start + size;
    __atomic_compare_exchange_n(&position, &newest, start, false, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
    return TIDE_OK;
}

static void null_statistics(void *context, tide_manager_statistics *statistics)
{
    (void)context;
    statistics->used = __atomic_load_n(&figures.used, __ATOMIC_RELAXED);
    statistics->allocations = __atomic_load_n(&figures.allocations, __ATOMIC_RELAXED);
    statistics->frees = __atomic_load_n(&figures.frees, __ATOMIC_RELAXED);
    statistics->failures = __atomic_load_n(&figures.failures, __ATOMIC_RELAXED);
}

const tide_manager *tide_manager_null(void)
{
    static const tide_manager manager = {
        .struct_size = sizeof manager,
        .name = "null",
        .flags = TIDE_MANAGER_NO_MEMORY,
        .allocate = null_allocate,
        .free = null_free,
        .statistics = null_statistics,
    };
    return &manager;
}
