/* SPDX-License-Identifier: Apache-2.0 */
/**
 * tide_mapping: a file as a segment.
 *
 * A mapped file is a segment of an arena: it lives until the arena closes, whatever happens to the
 * descriptor meanwhile, and all that segments can do, it can.
 *
 *     tide_segment log;
 *     int descriptor = open("server.log", O_RDONLY);
 *     tide_status status = tide_arena_map(&arena, descriptor, TIDE_MAP_READ_ONLY, 0, size, &log);
 *     close(descriptor);                      // the mapping does not need it
 *     if (status != TIDE_OK)
 *         fprintf(stderr, "%s\n", tide_last_error_text());
 *
 *     | mode       | descriptor open for | a shorter file | writes                               |
 *     |------------|---------------------|----------------|--------------------------------------|
 *     | READ_ONLY  | reading             | IO             | READ_ONLY: a read-only segment       |
 *     | READ_WRITE | reading and writing | is extended    | reach the file and who maps it so    |
 *     | PRIVATE    | reading and writing | is extended    | stay in this mapping                 |
 *
 * Any offset will do: the segment's address is as far into a page as the offset is. A file that
 * ends before the mapping does is extended with zeros up to the mapping's end, also for a size of
 * 0, for which nothing is mapped; its disk space is taken as it is written. A file that has become
 * longer meanwhile is not cut. A refused call has not extended the file.
 *
 * The end is that of the arena: close, reset and tide_close_to() unmap, after all cleanups, which
 * still see the bytes; a reset keeps no mapping. Closing a shared or counted arena with mapped
 * files waits until nobody reads, as one with cleanups does, so that a program that has closed the
 * arena may do with the file what it likes. A mapping that the system refuses to unmap is reported
 * by the close: CLEANUP_FAILED, the arena is closed. Mapped bytes are no memory of the arena's:
 * they don't count as used, its manager is not asked for them, and an arena that wipes leaves the
 * file as it is (private writes are in pages that the system clears before it gives them to
 * anybody). The child of a fork has the mappings too, and unmaps them when it closes the arena
 * there.
 *
 * A file that somebody truncates loses the pages behind its new end in every mapping: a touch there
 * raises SIGBUS, and a bulk operation may end half-way. Map what nobody truncates.
 *
 *     | call                                     | threads                                       |
 *     |------------------------------------------|-----------------------------------------------|
 *     | tide_arena_map                           | the owner                                     |
 *     | tide_shared_map                          | any                                           |
 *     | tide_segment_force                       | as the segment's scope allows                 |
 */
#ifndef TIDEPOOL_MAPPING_H
#define TIDEPOOL_MAPPING_H

#include "arena.h"
#include "shared.h"

TIDE_BEGIN_DECLS

/** What may be done with a mapping, and where it goes. */
typedef enum tide_map_mode {
    TIDE_MAP_READ_ONLY = 0,  /**< the descriptor must be open for reading */
    TIDE_MAP_READ_WRITE = 1, /**< … for reading and writing */
    TIDE_MAP_PRIVATE = 2     /**< … for reading and writing, since the file may be extended */
} tide_map_mode;

/**
 * `size` bytes of the file at `offset`, as a segment of the arena. In this order:
 *
 *     - INVALID_ARGUMENT for a NULL argument or a mode that is none;
 *     - INVALID_ARGUMENT, WRONG_OWNER, CLOSED of the arena;
 *     - INVALID_ARGUMENT for an offset, size or sum above PTRDIFF_MAX;
 *     - IO for a descriptor that is closed, of no regular file, or not open for what the mode
 *     needs;
 *     - IO for a read-only range that is not all inside the file;
 *     - OUT_OF_MEMORY when there is no room for the mapping, IO when the system refuses it
 *     otherwise;
 *     - OUT_OF_MEMORY for the library's own records;
 *     - IO when the system refuses to extend the file.
 *
 * Where the system refuses, its own words are in the last error. Cost: a few system calls; pages
 * are read when they are touched. (As JDK FileChannel.map.)
 */
TIDE_API TIDE_MUST_USE tide_status tide_arena_map(tide_arena *arena, int descriptor,
                                                  tide_map_mode mode, size_t offset, size_t size,
                                                  tide_segment *segment);

/** The same as a segment of a shared, counted or global arena; what the global arena maps stays.
 *  When another thread closes the arena meanwhile, the call is refused with CLOSED, also after IO
 *  and OUT_OF_MEMORY, or has been made just before the close. */
TIDE_API TIDE_MUST_USE tide_status tide_shared_map(tide_shared_arena arena, int descriptor,
                                                   tide_map_mode mode, size_t offset, size_t size,
                                                   tide_segment *segment);

/**
 * Writes what was changed in these bytes back to the file, and returns when it is there; with them
 * goes the rest of their pages. A slice will do, or a read-only view; a mapping that is read-only
 * or private has nothing to write. After tide_segment_resize() a segment is no longer mapped. In
 * this order: INVALID_ARGUMENT for NULL or a zeroed segment; UNSUPPORTED for one that is not
 * mapped; WRONG_OWNER, CLOSED, EXHAUSTED of its scope; IO, with the system's own words. The memory
 * stays while the call lasts: closing the arena meanwhile is BUSY, and of a counted one whose last
 * reference is released meanwhile this is the call that closes it, and reports that. (As JDK
 * MemorySegment.force.)
 */
TIDE_API TIDE_MUST_USE tide_status tide_segment_force(const tide_segment *segment);

TIDE_END_DECLS

#endif
