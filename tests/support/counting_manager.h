/* SPDX-License-Identifier: Apache-2.0 */
/* A manager of the program's own that keeps a record of each block, and can be told to refuse. */
#ifndef TIDEPOOL_TESTS_COUNTING_MANAGER_H
#define TIDEPOOL_TESTS_COUNTING_MANAGER_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <tidepool/manager.h>

#define COUNTING_BLOCKS 256

typedef struct counting_block {
    unsigned char *address;
    size_t size;
    size_t alignment;
} counting_block;

typedef struct counting_manager {
    tide_manager table;
    counting_block blocks[COUNTING_BLOCKS]; /* those that are out */
    size_t out;                             /* how many */
    size_t asked;                           /* requests, refused ones too */
    size_t asked_sizes[COUNTING_BLOCKS];
    size_t freed;
    size_t unknown;          /* frees of what it never gave, or with another size or alignment */
    size_t refuse_above;     /* requests for more bytes get NULL */
    tide_status free_status; /* what every free reports */
    int secret;              /* a byte value that no freed block may contain; below 0: none */
    bool secret_seen;
} counting_manager;

static inline void *counting_allocate_(void *context, size_t size, size_t alignment,
                                       unsigned request)
{
    counting_manager *self = (counting_manager *)context;
    if (self->asked < COUNTING_BLOCKS)
        self->asked_sizes[self->asked] = size;
    self->asked++;
    if (size > self->refuse_above || self->out == COUNTING_BLOCKS)
        return NULL;
    void *block = NULL;
    if (posix_memalign(&block, alignment < sizeof(void *) ? sizeof(void *) : alignment, size) != 0)
        return NULL;
    memset(block, (request & TIDE_REQUEST_ZEROED) != 0 ? 0 : 0xEE, size);
    self->blocks[self->out++] = (counting_block){(unsigned char *)block, size, alignment};
    return block;
}

static inline tide_status counting_free_(void *context, void *block, size_t size, size_t alignment)
{
    counting_manager *self = (counting_manager *)context;
    for (size_t i = 0; i < self->out; i++) {
        if (self->blocks[i].address != block)
            continue;
        if (self->blocks[i].size != size || self->blocks[i].alignment != alignment)
            self->unknown++;
        if (self->secret >= 0 && memchr(block, self->secret, size) != NULL)
            self->secret_seen = true;
        self->blocks[i] = self->blocks[--self->out];
        self->freed++;
        free(block);
        return self->free_status;
    }
    self->unknown++;
    return TIDE_INVALID_ARGUMENT;
}

static inline __attribute__((unused)) void counting_manager_init(counting_manager *self)
{
    *self = (counting_manager){
        .table = {.struct_size = sizeof(tide_manager),
                  .name = "counting",
                  .context = self,
                  .allocate = counting_allocate_,
                  .free = counting_free_},
        .refuse_above = SIZE_MAX,
        .free_status = TIDE_OK,
        .secret = -1,
    };
}

/* Everything that was given has come back, as it was given. */
static inline __attribute__((unused)) bool
counting_manager_is_balanced(const counting_manager *self)
{
    return self->out == 0 && self->unknown == 0;
}

#endif
