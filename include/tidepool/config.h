/* SPDX-License-Identifier: Apache-2.0 */
/**
 * tide_knob: what can be set, to what it is set, and who set it.
 *
 * The environment is read once, at the library's first use, and never in a set-user-id program. A
 * value that can't be used is warned about once on stderr, with the list of good ones, and means
 * the default. The environment can make checks stricter, never laxer. (Switching the exit report
 * off is no exception: it reports, and nothing is refused or let pass because of it. The figures of
 * pool.h stay.)
 *
 *   | variable             | good values              | default | meaning                        |
 *   |----------------------|--------------------------|---------|--------------------------------|
 *   | TIDEPOOL_POOL_SIZE   | 0, or a power of two     | 64      | bytes of a thread's pools; 0:  |
 *   |                      | from 8 to 1048576        |         | none; other sizes than 64 are  |
 *   |                      |                          |         | dear, see below                |
 *   | TIDEPOOL_POOL_COUNT  | 1, 2, 4, 8               | 4       | idle pools a thread keeps      |
 *   | TIDEPOOL_POOLING     | on, off                  | on      | off: no pool or chunk is kept  |
 *   |                      |                          |         | ready for the inline path      |
 *   | TIDEPOOL_CHUNK_MIN   | a power of two from 1024 | 1024    | bytes of the smallest chunk    |
 *   |                      | to CHUNK_MAX             |         |                                |
 *   | TIDEPOOL_CHUNK_MAX   | a power of two from      | 65536   | bytes of the largest chunk     |
 *   |                      | CHUNK_MIN to 1048576     |         |                                |
 *   | TIDEPOOL_CHUNK_CACHE | 0 to 67108864            | 65536   | bytes of idle chunks that a    |
 *   |                      |                          |         | thread keeps                   |
 *   | TIDEPOOL_CHUNK_READY | a power of two from 1024 | 4096    | bytes of the chunk kept ready  |
 *   |                      | to 1048576               |         | for the inline path, at least; |
 *   |                      |                          |         | no more than fits CHUNK_MAX    |
 *   |                      |                          |         | and CHUNK_CACHE                |
 *   | TIDEPOOL_FAULTS      | return, abort            | return  | abort: a fault that would be   |
 *   |                      |                          |         | returned goes to the handler   |
 *   | TIDEPOOL_EXIT_REPORT | on, off                  | on      | name at exit the arenas that   |
 *   |                      |                          |         | ended threads left open        |
 *   | TIDEPOOL_RETIRE_BLOCKS | 0 to 1048576           | 1024    | closed shared arenas whose     |
 *   |                      |                          |         | memory waits or is kept ready  |
 *   | TIDEPOOL_RETIRE_BYTES | 0 to 1073741824         | 1048576 | bytes of that memory           |
 *   | TIDEPOOL_BARRIER     | membarrier, fences       | membarrier | fences: readers pay what    |
 *   |                      |                          |         | closers else ask the kernel    |
 *   |                      |                          |         | for (grace.h)                  |
 *
 * The inline path knows pools of 64 bytes. With any other TIDEPOOL_POOL_SIZE, 0 included, every
 * allocation and close takes the slow path, and no chunk is kept ready either: an arena with one
 * block of 20 or 200 bytes then takes some 60 to 80 ns instead of 3 to 5. What is bought with that
 * is one pool for more of what an arena allocates, or none.
 *
 * `tidepool info` prints them all.
 *
 *     tide_knob knob = {.struct_size = sizeof knob};
 *     for (size_t i = 0; tide_knob_at(i, &knob) == TIDE_OK; i++)
 *         printf("%s=%s (%s)\n", knob.name, knob.value, knob.source);
 *
 * Threads: any.
 */
#ifndef TIDEPOOL_CONFIG_H
#define TIDEPOOL_CONFIG_H

#include "status.h"

#define TIDE_VERSION_MAJOR  0
#define TIDE_VERSION_MINOR  1
#define TIDE_VERSION_PATCH  0
#define TIDE_VERSION_STRING "0.1.0"

TIDE_BEGIN_DECLS

/** One knob; every string lives as long as the library. */
typedef struct tide_knob {
    size_t struct_size;  /**< set it to sizeof(tide_knob) before the call */
    const char *name;    /**< the environment variable */
    const char *value;   /**< what is in force */
    const char *initial; /**< the default */
    const char *source;  /**< "default", "environment", or "checker" (set by a memory checker) */
    const char *good;    /**< the values that can be set, in words */
    const char *meaning; /**< one line */
} tide_knob;

/**
 * Fills `knob` with the knob at `index`, counted from 0. INVALID_ARGUMENT when there is none at
 * that index (which never goes to the fault handler: it ends a loop), when `knob` is NULL or
 * when its struct_size is not one this library knows.
 */
TIDE_API TIDE_MUST_USE tide_status tide_knob_at(size_t index, tide_knob *knob);

/** The version of the library in use, such as "0.1.0"; TIDE_VERSION_STRING is the headers'. */
TIDE_API const char *tide_version(void);

/**
 * What watches this process: "none", "AddressSanitizer", "valgrind" (its memcheck) or
 * "ThreadSanitizer". Under the first two every allocation is made by the slow path and idle memory
 * is marked as off limits.
 */
TIDE_API const char *tide_checker(void);

TIDE_END_DECLS

#endif
