/* SPDX-License-Identifier: Apache-2.0 */
/**
 * tide_shared_arena: a lifetime and its memory that several threads use.
 *
 * A shared arena is a handle of 16 bytes, copied freely; any thread may allocate from it, read and
 * write its segments, attach cleanups and close it.
 *
 *     tide_shared_arena batch;
 *     tide_segment rows;
 *     if (tide_shared_open(&batch) != TIDE_OK ||
 *         tide_shared_segment(batch, 64 * 1024, 64, &rows) != TIDE_OK)
 *         return -1;
 *     hand_to_workers(rows);                  // they read and write it
 *     ...
 *     if (tide_shared_close(batch) == TIDE_BUSY)
 *         return try_again_later();           // somebody holds it
 *
 * Three kinds share the handle and, but for their end, every function:
 *
 *     - *shared*: somebody closes it;
 *     - *counted*: opened with one reference, closed by the call that drops the last one;
 *     - *global*: never closes; what is allocated there stays.
 *
 * Closing never frees memory under a thread that is reading it: the close that comes in the middle
 * of an access through a segment waits for that one access, or leaves the memory to a later call
 * that does (grace.h); every access that begins after the close is refused with CLOSED. A raw
 * address has no such protection: who passes one on takes a hold first (scope.h), and close is BUSY
 * meanwhile. A handle whose arena has closed stays recognisable for ever, also when its cell serves
 * another one.
 *
 *     | call                                      | shared | counted | global      | threads |
 *     |-------------------------------------------|--------|---------|-------------|---------|
 *     | allocate, segment, attach, scope, hold    | yes    | yes     | yes         | any     |
 *     | close, reset                              | yes    | UNSUPPORTED           | any     |
 *     | retain, release                           | UNSUPPORTED | yes | UNSUPPORTED | any    |
 *     | alive                                     | yes    | yes     | yes         | any     |
 *
 * Every call returns INVALID_ARGUMENT for a zeroed handle, then UNSUPPORTED for a kind that has no
 * such operation, then CLOSED for an arena that has closed;
 * calls that return a pointer hand those to the fault handler. Allocation costs one lock of the
 * arena's own. Read arena.h for what allocation, conveniences and cleanups promise: it is the same.
 */
#ifndef TIDEPOOL_SHARED_H
#define TIDEPOOL_SHARED_H

#include "arena.h"
#include "bytes.h"
#include "charset.h"

TIDE_BEGIN_DECLS

/** A handle. A zeroed one is no arena. */
typedef struct tide_shared_arena {
    struct tide_cell *cell_;
    uint64_t epoch_;
} tide_shared_arena;

/** Opens a shared arena. OUT_OF_MEMORY; INVALID_ARGUMENT for NULL. */
TIDE_API TIDE_MUST_USE tide_status tide_shared_open(tide_shared_arena *arena);

/** The same with options: INVALID_ARGUMENT as tide_arena_open_with(). One that wipes waits for a
 *  grace period of its own when it closes. */
TIDE_API TIDE_MUST_USE tide_status tide_shared_open_with(tide_shared_arena *arena,
                                                         const tide_arena_options *options);

/** Opens a counted arena, its one reference the caller's. Statuses as above. (What the JDK's
 *  Arena.ofAuto leaves to its collector.) */
TIDE_API TIDE_MUST_USE tide_status tide_counted_open(tide_shared_arena *arena);
TIDE_API TIDE_MUST_USE tide_status tide_counted_open_with(tide_shared_arena *arena,
                                                          const tide_arena_options *options);

/** The one global arena. Never fails. (As JDK Arena.global.) */
TIDE_API tide_shared_arena tide_global_arena(void);

/**
 * Ends the lifetime: every segment is dead before any memory moves. UNSUPPORTED for a counted or
 * the global arena; CLOSED; BUSY while a hold is out, or from inside an access of the calling
 * thread: the arena stays open. With cleanups or mapped files it waits until nobody reads, runs
 * them, strictly last-in first-out, and frees and unmaps; CLEANUP_FAILED as tide_arena_close().
 * Without, the memory is freed by a later call, together with that of others. (As JDK Arena.close
 * of a shared arena.) Cost: some 20 ns; the call that finds the bound of grace.h reached pays a
 * grace period.
 */
TIDE_API TIDE_MUST_USE tide_status tide_shared_close(tide_shared_arena arena);

/** Close and open again in one, chunks kept, and the handle the new arena's; other copies of it are
 *  CLOSED. Waits for a grace period. Statuses as tide_shared_close(): after CLEANUP_FAILED the
 *  arena is open and empty all the same. EXHAUSTED, the arena unharmed, after 2^38 closes of its
 *  cell. */
TIDE_API TIDE_MUST_USE tide_status tide_shared_reset(tide_shared_arena *arena);

/** One more reference. UNSUPPORTED unless it is counted; CLOSED, for ever, once the last is gone;
 *  EXHAUSTED when 2^23 - 1 references and holds are out. */
TIDE_API TIDE_MUST_USE tide_status tide_counted_retain(tide_shared_arena arena);

/** One reference less. The call that drops the last one closes: statuses as tide_shared_close().
 *  From inside an access of the calling thread that call is BUSY, and has dropped nothing. */
TIDE_API TIDE_MUST_USE tide_status tide_counted_release(tide_shared_arena arena);

/** Whether it is open. Never fails; false for a zeroed handle. */
TIDE_API bool tide_shared_is_alive(tide_shared_arena arena);

/** Its scope; of a zeroed handle a zeroed one. Never fails, also when it is closed. */
TIDE_API tide_scope tide_shared_scope(tide_shared_arena arena);

/** tide_scope_hold() of its scope: a hold of a counted arena is a reference. */
TIDE_API TIDE_MUST_USE tide_status tide_shared_hold(tide_shared_arena arena, tide_hold *hold);

/** As the functions of arena.h with these names; array as tide_arena_array() of bulk.h. */
TIDE_API TIDE_MUST_USE void *tide_shared_allocate(tide_shared_arena arena, size_t size,
                                                  size_t alignment);
TIDE_API TIDE_MUST_USE void *tide_shared_allocate_uninitialized(tide_shared_arena arena,
                                                                size_t size, size_t alignment);
TIDE_API TIDE_MUST_USE void *tide_shared_allocate_array(tide_shared_arena arena, size_t count,
                                                        size_t size, size_t alignment);
TIDE_API TIDE_MUST_USE tide_status tide_shared_segment(tide_shared_arena arena, size_t size,
                                                       size_t alignment, tide_segment *segment);
TIDE_API TIDE_MUST_USE tide_status tide_shared_segment_uninitialized(tide_shared_arena arena,
                                                                     size_t size, size_t alignment,
                                                                     tide_segment *segment);
TIDE_API TIDE_MUST_USE tide_status tide_shared_array(tide_shared_arena arena, tide_layout layout,
                                                     size_t element_size, const void *elements,
                                                     size_t count, tide_segment *segment);
TIDE_API TIDE_MUST_USE char *tide_shared_strdup(tide_shared_arena arena, const char *string);
TIDE_API TIDE_MUST_USE char *tide_shared_strndup(tide_shared_arena arena, const char *string,
                                                 size_t limit);
TIDE_API TIDE_MUST_USE void *tide_shared_memdup(tide_shared_arena arena, const void *source,
                                                size_t size, size_t alignment);
TIDE_API TIDE_MUST_USE char *tide_shared_printf(tide_shared_arena arena, const char *format, ...)
    TIDE_PRINTF(2, 3);
TIDE_API TIDE_MUST_USE char *tide_shared_vprintf(tide_shared_arena arena, const char *format,
                                                 va_list arguments) TIDE_PRINTF(2, 0);
TIDE_API TIDE_MUST_USE tide_status tide_shared_extend(tide_shared_arena arena, void *block,
                                                      size_t old_size, size_t new_size);
TIDE_API size_t tide_shared_used(tide_shared_arena arena);

/** As tide_arena_text(). */
TIDE_API TIDE_MUST_USE tide_status tide_shared_text(tide_shared_arena arena, const char *text,
                                                    size_t length, tide_charset charset,
                                                    tide_segment *segment);

/** As tide_arena_attach(). On the global arena it is accepted and never run. */
TIDE_API TIDE_MUST_USE tide_status tide_shared_attach(tide_shared_arena arena, tide_cleanup cleanup,
                                                      void *context);

/** As tide_segment_attach(), to an arena of this kind. */
TIDE_API TIDE_MUST_USE tide_status tide_segment_attach_shared(const tide_segment *segment,
                                                              size_t size, tide_shared_arena arena,
                                                              tide_cleanup cleanup, void *context,
                                                              tide_segment *attached);

TIDE_END_DECLS

#endif
