/* SPDX-License-Identifier: Apache-2.0 */
/* The C library's memory. It keeps no statistics: a count that all threads share would cost more
 * than malloc does. */
#define _POSIX_C_SOURCE 200809L
#include <tidepool/manager.h>

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"

/* No program has more addresses. The C library would say so too, but what may stand in its place, a
 * sanitizer or valgrind, ends a program that asks for so much. */
#define ADDRESSES ((size_t)1 << 48)

static bool can_exist(size_t size, size_t alignment)
{
    size_t padded;
    return tide_checked_add(size, alignment, &padded) && padded <= ADDRESSES;
}

static void *allocate_aligned(size_t size, size_t alignment)
{
    void *block;
    return posix_memalign(&block, alignment, size) == 0 ? block : NULL;
}

static void *system_allocate(void *context, size_t size, size_t alignment, unsigned request)
{
    (void)context;
    bool zeroed = (request & TIDE_REQUEST_ZEROED) != 0;
    if (!can_exist(size, alignment))
        return NULL;
    if (alignment <= alignof(max_align_t))
        return zeroed ? calloc(1, size) : malloc(size);
    void *block = allocate_aligned(size, alignment);
    if (block != NULL && zeroed)
        memset(block, 0, size);
    return block;
}

static tide_status system_free(void *context, void *block, size_t size, size_t alignment)
{
    (void)context;
    (void)size;
    (void)alignment;
    free(block);
    return TIDE_OK;
}

/* realloc() keeps no more than the alignment that every block has. */
static void *system_reallocate(void *context, void *block, size_t old_size, size_t new_size,
                               size_t alignment)
{
    (void)context;
    if (!can_exist(new_size, alignment))
        return NULL;
    if (alignment <= alignof(max_align_t))
        return realloc(block, new_size);
    void *moved = allocate_aligned(new_size, alignment);
    if (moved != NULL) {
        memcpy(moved, block, old_size < new_size ? old_size : new_size);
        free(block);
    }
    return moved;
}

const tide_manager *tide_manager_system(void)
{
    static const tide_manager manager = {
        .struct_size = sizeof manager,
        .name = "system",
        .allocate = system_allocate,
        .free = system_free,
        .reallocate = system_reallocate,
    };
    return &manager;
}
