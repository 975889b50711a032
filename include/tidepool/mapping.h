/* SPDX-License-Identifier: Apache-2.0 */
/**
 * tide_mapping: a file as a segment.
 *
 * A mapped file is a segment of an arena: it lives until the arena closes, whatever happens to the
 * descriptor meanwhile, and all that segments can do, it can.
 *
 *     tide_segment log;
 *     int descriptor = open("server.log", O_RDONLY);
 *     if (descriptor < 0 || tide_arena_map(&arena, descriptor, TIDE_MAP_READ_ONLY, 0, size, &log) != TIDE_OK)
 *         return -1;
 *     close(descriptor);
 *
 * The offset need not be a multiple of anything: the segment's address is as far into a page as the
 * offset is. A read-only mapping gives a read-only segment and must lie inside the file: IO. The other
 * two extend a shorter file with zeros up to the mapping's end, also for a size of 0; what is written
 * through READ_WRITE reaches the file and everybody who maps it so, what is written through PRIVATE
 * stays in that mapping. A refused call has not extended the file.
 *
 * A file that somebody else truncates takes the pages behind its new end away from every mapping: a
 * touch there raises SIGBUS, and a bulk operation may end half-way. Map what nobody truncates.
 *
 * Threads: as the arena allows; tide_segment_force() as the segment's scope allows.
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
 * `size` bytes of the file at `offset`, as a segment of the arena. In this order: INVALID_ARGUMENT for
 * a NULL argument or a mode that is none; WRONG_OWNER, CLOSED of the arena; INVALID_ARGUMENT for an
 * offset, size or sum above PTRDIFF_MAX; IO, with the system's own words, when the system refuses the
 * descriptor or the range; OUT_OF_MEMORY. (As JDK FileChannel.map.)
 */
TIDE_API TIDE_MUST_USE tide_status tide_arena_map(tide_arena *arena, int descriptor,
                                                  tide_map_mode mode, size_t offset, size_t size,
                                                  tide_segment *segment);

/** The same as a segment of a shared, counted or global arena. */
TIDE_API TIDE_MUST_USE tide_status tide_shared_map(tide_shared_arena arena, int descriptor,
                                                   tide_map_mode mode, size_t offset, size_t size,
                                                   tide_segment *segment);

/**
 * Writes what was changed in these bytes back to the file, and returns when it is there. A slice of a
 * mapping will do, a read-only one too. In this order: UNSUPPORTED for a segment that is not mapped;
 * WRONG_OWNER, CLOSED; IO. The memory stays while the call lasts; closing the arena meanwhile is BUSY.
 */
TIDE_API TIDE_MUST_USE tide_status tide_segment_force(const tide_segment *segment);

TIDE_END_DECLS

#endif
