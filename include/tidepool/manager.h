/* SPDX-License-Identifier: Apache-2.0 */
/**
 * tide_manager: where memory comes from.
 *
 * A manager is a table of operations and a context. Two are built in: `system`, the C library, and
 * `null`, which hands out addresses without memory behind them, for measuring what everything else
 * costs. A program may bring its own; this one counts what is out:
 *
 *     static void *counted_allocate(void *context, size_t size, size_t alignment, unsigned request)
 *     {
 *         void *block = tide_manager_allocate(tide_manager_system(), size, alignment, request);
 *         if (block != NULL)
 *             *(size_t *)context += size;
 *         return block;
 *     }
 *
 *     static tide_status counted_free(void *context, void *block, size_t size, size_t alignment)
 *     {
 *         *(size_t *)context -= size;
 *         return tide_manager_free(tide_manager_system(), block, size, alignment);
 *     }
 *
 *     static size_t out;
 *     static const tide_manager counted = {
 *         .struct_size = sizeof counted,
 *         .name = "counted",
 *         .context = &out,
 *         .allocate = counted_allocate,
 *         .free = counted_free,
 *     };
 *
 * Size and alignment come with every call, so a manager needs no headers. Sizes are at least 1 and
 * at most PTRDIFF_MAX, alignments are powers of two; the library checks both before it asks.
 *
 * Threads: a manager's operations may be called from any thread, several at once, with no lock of
 * the library held. They may call anything, must not throw or jump out, and must not use the arena
 * for which they were called.
 */
#ifndef TIDEPOOL_MANAGER_H
#define TIDEPOOL_MANAGER_H

#include "status.h"

TIDE_BEGIN_DECLS

/** What an allocation may ask for: flags of `request`. */
#define TIDE_REQUEST_ZEROED 1u /**< every byte of the block must read as zero */

/** What is true of all memory of a manager: its `flags`. */
#define TIDE_MANAGER_ZEROED    1u /**< every fresh block is zero, asked for or not */
#define TIDE_MANAGER_PAGED     2u /**< blocks are whole pages of their own */
#define TIDE_MANAGER_NO_MEMORY 4u /**< addresses only: nobody may read or write there */

/** What a manager says of itself; figures it does not keep are 0. Sizes are in bytes. */
typedef struct tide_manager_statistics {
    size_t struct_size; /**< set it to sizeof(tide_manager_statistics) before the call */
    uint64_t used;      /**< asked for by its users and not given back */
    uint64_t cached;    /**< kept for the next request */
    uint64_t committed; /**< taken from the system */
    uint64_t allocations;
    uint64_t frees;
    uint64_t failures;
} tide_manager_statistics;

/**
 * The operations. `allocate` and `free` are required; NULL elsewhere means what the field says.
 * Later releases append fields: struct_size says which of them a table has.
 */
typedef struct tide_manager {
    size_t struct_size; /**< sizeof(tide_manager) where the table was compiled */
    const char *name;   /**< for messages; required */
    unsigned flags;     /**< TIDE_MANAGER_… */
    void *context;      /**< handed to every operation */

    /** A block of `size` bytes at a multiple of `alignment`, or NULL when there is none. */
    void *(*allocate)(void *context, size_t size, size_t alignment, unsigned request);

    /** Takes back a block with the size and alignment it has. Its status is never dropped. */
    tide_status (*free)(void *context, void *block, size_t size, size_t alignment);

    /**
     * Grows or shrinks a block, content kept, moving it if it must; NULL, the old block untouched,
     * when it can't. NULL table entry: allocate, copy, free.
     */
    void *(*reallocate)(void *context, void *block, size_t old_size, size_t new_size,
                        size_t alignment);

    /** What a request of `size` really gets, at least `size`. NULL: exactly `size`. */
    size_t (*good_size)(void *context, size_t size, size_t alignment);

    /** What a block of this size really has room for. NULL: exactly `size`. */
    size_t (*usable_size)(void *context, const void *block, size_t size, size_t alignment);

    /** Gives idle memory back to the system and says how many bytes. NULL: 0. */
    size_t (*trim)(void *context);

    /** Fills everything after struct_size. NULL: all 0. */
    void (*statistics)(void *context, tide_manager_statistics *statistics);
} tide_manager;

/** The C library: malloc, calloc, posix_memalign, free. It keeps no statistics: counting would cost
 *  every thread an atomic addition. */
TIDE_API const tide_manager *tide_manager_system(void);

/**
 * Addresses without memory: distinct, aligned as asked, and never mapped, so that a touch traps. It
 * counts, gives the newest block's addresses again when that is freed, and refuses with NULL what
 * exceeds its address range (2^46 bytes in all). It keeps no list: a free of an address it never
 * gave, or of more bytes than are out, is INVALID_ARGUMENT; a second free of the same block is not
 * told.
 */
TIDE_API const tide_manager *tide_manager_null(void);

/**
 * INVALID_ARGUMENT, with what is wrong in the last error, unless the table has a struct_size this
 * library knows, a name, known flags and both required operations.
 */
TIDE_API TIDE_MUST_USE tide_status tide_manager_check(const tide_manager *manager);

/**
 * A block of `size` bytes (0 counts as 1) at a multiple of `alignment`, by `manager`. NULL with the
 * reason in the last error: INVALID_ARGUMENT (a bad table, a size above PTRDIFF_MAX, an alignment
 * that is no power of two up to 2^62, an unknown request) or OUT_OF_MEMORY, naming manager and
 * size.
 */
TIDE_API TIDE_MUST_USE void *tide_manager_allocate(const tide_manager *manager, size_t size,
                                                   size_t alignment, unsigned request);

/** Gives a block back with the size and alignment it was asked for with, and reports the manager's
 *  own status. INVALID_ARGUMENT for what tide_manager_allocate() would refuse, NULL or not; else a
 *  NULL block is OK and does nothing. */
TIDE_API TIDE_MUST_USE tide_status tide_manager_free(const tide_manager *manager, void *block,
                                                     size_t size, size_t alignment);

/**
 * Changes the size of `*block`, content kept, and stores where it is now. INVALID_ARGUMENT (a NULL
 * block too), OUT_OF_MEMORY: the old block is untouched and `*block` its address. A table without
 * reallocate has one status more, what its free reports of the old block: the content has moved by
 * then, `*block` is another address, and the old block is the manager's matter. So where a free may
 * fail, `*block` says which it was: changed, or not.
 */
TIDE_API TIDE_MUST_USE tide_status tide_manager_reallocate(const tide_manager *manager,
                                                           void **block, size_t old_size,
                                                           size_t new_size, size_t alignment);

/** What a request of `size` really gets; 0, with the last error, for what is INVALID_ARGUMENT. */
TIDE_API size_t tide_manager_good_size(const tide_manager *manager, size_t size, size_t alignment);

/** What the block really has room for; 0, with the last error, for what is INVALID_ARGUMENT. */
TIDE_API size_t tide_manager_usable_size(const tide_manager *manager, const void *block,
                                         size_t size, size_t alignment);

/** Gives idle memory of the manager back to the system and says how many bytes; 0, with the last
 *  error, for a table that is INVALID_ARGUMENT. */
TIDE_API size_t tide_manager_trim(const tide_manager *manager);

/** Fills `statistics`. INVALID_ARGUMENT for a bad table or an unknown struct_size. */
TIDE_API TIDE_MUST_USE tide_status tide_manager_statistics_get(const tide_manager *manager,
                                                               tide_manager_statistics *statistics);

TIDE_END_DECLS

#endif
