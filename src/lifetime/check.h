/* SPDX-License-Identifier: Apache-2.0 */
/* What may refuse an operation on a segment before its scope is looked at. Each check notes what is
 * wrong for `operation`; each operation makes them in the order of its contract. */
#ifndef TIDEPOOL_LIFETIME_CHECK_H
#define TIDEPOOL_LIFETIME_CHECK_H

#include "base/error.h"
#include "lifetime/segment.h"

/* Returns the first refusal of a list of checks, evaluated in order. */
#define TIDE_TRY(check)                \
    do {                               \
        tide_status refusal = (check); \
        if (refusal != TIDE_OK)        \
            return refusal;            \
    } while (0)

/* INVALID_ARGUMENT for NULL or a zeroed one. */
tide_status tide_check_segment(const tide_segment *segment, const char *operation);

/* INVALID_ARGUMENT for a NULL place for a result. */
tide_status tide_check_place(const tide_segment *segment, const void *place, const char *operation);

/* INVALID_ARGUMENT for NULL bytes that are more than none. */
tide_status tide_check_bytes(const tide_segment *segment, const void *bytes, size_t size,
                             const char *operation);

/* INVALID_ARGUMENT when a structure of the program's says another size than this library's. */
tide_status tide_check_struct_size(tide_object object, size_t size, size_t known,
                                   const char *operation);

/* INVALID_ARGUMENT for a requested size above PTRDIFF_MAX. */
tide_status tide_check_size(tide_object object, size_t size, const char *operation);

/* INVALID_ARGUMENT unless it is a power of two up to 2^62. */
tide_status tide_check_alignment(tide_object object, size_t alignment, const char *operation);

/* READ_ONLY. */
tide_status tide_check_writable(const tide_segment *segment, const char *operation);

/* OUT_OF_BOUNDS unless `size` bytes at `offset` are inside. */
tide_status tide_check_range(const tide_segment *segment, size_t offset, size_t size,
                             const char *operation);

/* MISALIGNED unless the address at `offset`, which may be anything, is a multiple of
 * `alignment`. */
tide_status tide_check_aligned(const tide_segment *segment, size_t offset, size_t alignment,
                               const char *operation);

#endif
