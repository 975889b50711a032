/* SPDX-License-Identifier: Apache-2.0 */
/**
 * tide_segment: a checked view of memory.
 *
 * A segment is an address, a size, whether it may be written, and the scope whose end kills it: a
 * value of 32 bytes, copied freely, sliced without allocation. Every access through it is checked
 * (access.h, bulk.h), in release builds too.
 *
 *     tide_segment packet, header;
 *     if (tide_arena_segment(&arena, 1500, 8, &packet) != TIDE_OK ||
 *         tide_segment_slice(&packet, 0, 20, &header) != TIDE_OK)
 *         return -1;
 *     tide_set_u16_as(&header, 2, TIDE_BIG_ENDIAN, 1500);
 *
 * A function that makes a segment stores it through its last argument only when it returns OK; that
 * argument may be the segment it is made from. A NULL or zeroed segment is INVALID_ARGUMENT.
 *
 *     | call                                             | any thread, closed too | owner, open  |
 *     |--------------------------------------------------|------------------------|--------------|
 *     | size, address, info, is-read-only, is-mapped,    | yes                    |              |
 *     | scope, is-accessible-by, slice, read-only,       |                        |              |
 *     | overlap, equality                                |                        |              |
 *     | resize                                           |                        | of its scope |
 *     | attach                                           |                        | of the arena |
 *
 * Segments of shared, counted and global arenas (shared.h) are every thread's: there, "owner" is
 * any thread, also for access. tide_segment_attach_shared() attaches to such an arena.
 */
#ifndef TIDEPOOL_SEGMENT_H
#define TIDEPOOL_SEGMENT_H

#include "scope.h"

TIDE_BEGIN_DECLS

struct tide_arena;

/** A view. Its fields are read through functions. */
typedef struct tide_segment {
    char *base_;
    uint64_t extent_; /* size in bytes; the top bit: read-only */
    struct tide_cell *cell_;
    uint64_t epoch_; /* of the cell when it was made; the lowest bit: mapped from a file */
} tide_segment;

/** Where two segments share bytes. */
typedef struct tide_overlap {
    bool exists;
    size_t offset; /**< from the start of the first segment; 0 when there is none */
    size_t size;   /**< bytes; 0 for an empty segment strictly inside the other */
} tide_overlap;

/** What a segment is, at one look. */
typedef struct tide_segment_information {
    size_t struct_size; /**< set it to sizeof(tide_segment_information) before the call */
    void *address;
    size_t size;
    bool read_only;
    bool mapped;
    bool alive;
} tide_segment_information;

/**
 * The segment of a bare address: size 0, global scope. Any access is out of bounds until
 * tide_segment_resize() or tide_segment_attach() gives it a size. Any address, NULL included.
 */
TIDE_API tide_segment tide_segment_of_address(const void *address);

/** Size in bytes; 0 for NULL. */
TIDE_API size_t tide_segment_size(const tide_segment *segment);

/** The raw address: what is done through it is the caller's own risk. NULL for NULL. */
TIDE_API void *tide_segment_address(const tide_segment *segment);

TIDE_API bool tide_segment_is_read_only(const tide_segment *segment);
TIDE_API bool tide_segment_is_mapped(const tide_segment *segment);

/** The scope whose end kills it; a zeroed scope for NULL. */
TIDE_API tide_scope tide_segment_scope(const tide_segment *segment);

/** Whether `owner` may access it; liveness plays no part. False for NULL. */
TIDE_API bool tide_segment_is_accessible_by(const tide_segment *segment, tide_owner owner);

/** Fills `information`. INVALID_ARGUMENT for NULL or an unknown struct_size. */
TIDE_API TIDE_MUST_USE tide_status tide_segment_info(const tide_segment *segment,
                                                     tide_segment_information *information);

/** `size` bytes from `offset` on. OUT_OF_BOUNDS. Scope, read-only and mapped are inherited. */
TIDE_API TIDE_MUST_USE tide_status tide_segment_slice(const tide_segment *segment, size_t offset,
                                                      size_t size, tide_segment *slice);

/** Everything from `offset` on. OUT_OF_BOUNDS. */
TIDE_API TIDE_MUST_USE tide_status tide_segment_slice_from(const tide_segment *segment,
                                                           size_t offset, tide_segment *slice);

/** A slice that must start at a multiple of `alignment`. In this order: OUT_OF_BOUNDS,
 *  INVALID_ARGUMENT for an alignment that is no power of two up to 2^62, MISALIGNED. */
TIDE_API TIDE_MUST_USE tide_status tide_segment_slice_aligned(const tide_segment *segment,
                                                              size_t offset, size_t size,
                                                              size_t alignment,
                                                              tide_segment *slice);

/** The same view, not to be written through. */
TIDE_API TIDE_MUST_USE tide_status tide_segment_read_only(const tide_segment *segment,
                                                          tide_segment *view);

/** Where `a` and `b` share bytes: a.start < b.end and b.start < a.end. INVALID_ARGUMENT for NULL.
 */
TIDE_API TIDE_MUST_USE tide_status tide_segment_overlap(const tide_segment *a,
                                                        const tide_segment *b,
                                                        tide_overlap *overlap);

/** Whether both start at the same address; size, scope and read-only don't count. False for NULL.
 */
TIDE_API bool tide_segment_same_address(const tide_segment *a, const tide_segment *b);

/** Whether both belong to the same scope. False for NULL. */
TIDE_API bool tide_segment_same_scope(const tide_segment *a, const tide_segment *b);

/**
 * The same address with any size up to PTRDIFF_MAX: the caller vouches for the memory. Keeps scope
 * and read-only, loses mapped. INVALID_ARGUMENT for a larger size, then WRONG_OWNER, CLOSED of its
 * own scope. (As JDK MemorySegment.reinterpret.)
 */
TIDE_API TIDE_MUST_USE tide_status tide_segment_resize(const tide_segment *segment, size_t size,
                                                       tide_segment *resized);

/**
 * The same address with any size, in `arena`'s scope; the old scope is not checked, and the memory
 * stays with whoever has it. `cleanup`, if not NULL, is registered as by tide_arena_attach().
 * INVALID_ARGUMENT; WRONG_OWNER, CLOSED of the arena; OUT_OF_MEMORY.
 */
TIDE_API TIDE_MUST_USE tide_status tide_segment_attach(const tide_segment *segment, size_t size,
                                                       struct tide_arena *arena,
                                                       tide_cleanup cleanup, void *context,
                                                       tide_segment *attached);

TIDE_END_DECLS

#endif
