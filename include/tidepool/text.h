/* SPDX-License-Identifier: Apache-2.0 */
/**
 * tide_text: text in memory that another program laid out.
 *
 * In a segment text lies in one of the charsets of charset.h, ended by a terminator of the
 * charset's unit: one, two or four zero bytes. On the C side it is UTF-8.
 *
 *     tide_segment name;
 *     if (tide_arena_text(&arena, "Łódź", TIDE_TEXT_LENGTH, TIDE_UTF16LE, &name) != TIDE_OK)
 *         return -1;
 *     call_native(tide_segment_address(&name));
 *
 *     char *answer;
 *     if (tide_text_read_into(&reply, 8, TIDE_LATIN1, &arena, &answer, NULL) != TIDE_OK)
 *         return reject(tide_last_error_text());
 *
 * What is malformed is replaced and never refused, as charset.h says. Text that contains NUL is
 * written with it, and then read up to it.
 *
 * Memory that another thread writes meanwhile is read as a mixture; it is still UTF-8, and nothing
 * outside segment and target is touched. Text that grows between being measured and being read is
 * looked at again; when it has done so eight times in a row it is EXHAUSTED, and what is in the
 * target is no text.
 *
 *     | call                         | threads                                  |
 *     |------------------------------|------------------------------------------|
 *     | tide_text_read, _write       | as the segment's scope allows            |
 *     | tide_text_read_into          | as the segment's scope and arena allow   |
 *     | tide_arena_text              | as the arena allows                      |
 */
#ifndef TIDEPOOL_TEXT_H
#define TIDEPOOL_TEXT_H

#include "charset.h"
#include "segment.h"

TIDE_BEGIN_DECLS

/**
 * The text from `offset` up to the first whole terminator at offset + k × unit, which needs no
 * alignment, as UTF-8 with a NUL. `length` gets its bytes without the NUL, and may be NULL. In this
 * order: INVALID_ARGUMENT for NULL or a zeroed segment, for what is no charset, for a NULL target
 * of more than 0 bytes; OUT_OF_BOUNDS of the offset; WRONG_OWNER, CLOSED; OUT_OF_BOUNDS when there
 * is no terminator inside the segment; EXHAUSTED, with both sizes in the text, when `capacity`
 * doesn't hold text and NUL: nothing is written then. Nothing beyond the page in which the
 * terminator ends is touched, so the segment may be larger than the memory behind it. (As JDK
 * MemorySegment.getString.)
 */
TIDE_API TIDE_MUST_USE tide_status tide_text_read(const tide_segment *segment, size_t offset,
                                                  tide_charset charset, char *to, size_t capacity,
                                                  size_t *length);

struct tide_arena;

/**
 * The same into memory of a confined arena: `text` gets where it is. What is wrong with the arena,
 * INVALID_ARGUMENT, WRONG_OWNER or CLOSED, comes after what is wrong with the segment (but for
 * NULL), OUT_OF_MEMORY last. The arena's manager is called outside the segment's scope; what was
 * allocated for text that then could not be read stays with the arena.
 */
TIDE_API TIDE_MUST_USE tide_status tide_text_read_into(const tide_segment *segment, size_t offset,
                                                       tide_charset charset,
                                                       struct tide_arena *arena, char **text,
                                                       size_t *length);

/**
 * Writes `length` bytes of UTF-8, or those up to the first NUL (TIDE_TEXT_LENGTH), in `charset` at
 * `offset`, and a terminator. They must not lie in the memory that is written. In this order:
 * INVALID_ARGUMENT for NULL or a zeroed segment, for what is no charset, for a NULL text of more
 * than 0 bytes, for a length above PTRDIFF_MAX; READ_ONLY; OUT_OF_BOUNDS when text and terminator
 * don't fit; WRONG_OWNER; CLOSED. A refused write has written nothing. (As JDK
 * MemorySegment.setString.)
 */
TIDE_API TIDE_MUST_USE tide_status tide_text_write(const tide_segment *segment, size_t offset,
                                                   const char *text, size_t length,
                                                   tide_charset charset);

/**
 * A segment of the arena that holds text and terminator, and no more; aligned to the charset's
 * unit. INVALID_ARGUMENT; WRONG_OWNER, CLOSED of the arena; OUT_OF_MEMORY. (As JDK
 * SegmentAllocator.allocateFrom.)
 */
TIDE_API TIDE_MUST_USE tide_status tide_arena_text(struct tide_arena *arena, const char *text,
                                                   size_t length, tide_charset charset,
                                                   tide_segment *segment);

TIDE_END_DECLS

#endif
