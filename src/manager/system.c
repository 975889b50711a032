/* SPDX-License-Identifier: Apache-2.0 */
/* The C library's memory. It keeps no statistics: a count that all threads share would cost more
 * than malloc does. */
#define _POSIX_C_SOURCE 200809L
#include <tidepool/manager.h>

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"

static void *allocate_aligned(size_t size, size_t alignment)
{
    size_t padded;
    void *block;
    if (!tide_checked_add(size, alignment, &padded) || padded > PTRDIFF_MAX ||
        posix_memalign(&block, alignment, size) != 0)
        return NULL;
    return block;
}

static void *system_allocate(void *context, size_t size, size_t alignment, unsigned request)
{
    (void)context;
    bool zeroed = (request & TIDE_REQUEST_ZEROED) != 0;
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
