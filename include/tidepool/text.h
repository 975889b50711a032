/* SPDX-License-Identifier: Apache-2.0 */
/**
 * tide_charset: text in memory that another program laid out.
 *
 * On the C side text is UTF-8 with a length, and may contain NUL. In memory it lies in one of seven
 * charsets, ended by a terminator of the charset's unit: one, two or four zero bytes.
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
 * What is malformed is replaced and never refused: by U+FFFD on the way in, once for each maximal
 * valid prefix or bad unit (Unicode's recommendation, chapter 3.9): one for the UTF-8 bytes F0 9F
 * 98, two for C0 80, three for ED A0 80; one for an unpaired surrogate, for an UTF-32 unit that is
 * no code point, for an ASCII byte from 0x80 on. What a charset cannot express is written as '?'.
 * Nothing is dropped and no byte order mark is added: text goes round, a leading U+FEFF included.
 *
 *     | call                                       | memory it touches | threads                  |
 *     |--------------------------------------------|-------------------|--------------------------|
 *     | tide_text_encode, _decode, …_size, _length | plain             | any                      |
 *     | tide_text_read, _read_into, _write         | a segment         | as its scope allows      |
 *     | tide_arena_text                            | an arena          | as the arena allows      |
 */
#ifndef TIDEPOOL_TEXT_H
#define TIDEPOOL_TEXT_H

#include "segment.h"

TIDE_BEGIN_DECLS

/** How text lies in memory. */
typedef enum tide_charset {
    TIDE_UTF8 = 0,
    TIDE_UTF16LE = 1,
    TIDE_UTF16BE = 2,
    TIDE_UTF32LE = 3,
    TIDE_UTF32BE = 4,
    TIDE_LATIN1 = 5, /**< ISO 8859-1: a byte is its code point */
    TIDE_ASCII = 6
} tide_charset;

/** UTF-16 and UTF-32 in the machine's own order. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define TIDE_UTF16 TIDE_UTF16LE
#define TIDE_UTF32 TIDE_UTF32LE
#else
#define TIDE_UTF16 TIDE_UTF16BE
#define TIDE_UTF32 TIDE_UTF32BE
#endif

/** As a length: the text ends before its first NUL. */
#define TIDE_TEXT_LENGTH SIZE_MAX

/** Bytes of the charset's unit, and so of its terminator: 1, 2 or 4; 0 for what is no charset. */
TIDE_API size_t tide_text_unit(tide_charset charset);

/**
 * Bytes that `length` bytes of UTF-8 take in `charset`, without a terminator. INVALID_ARGUMENT for a
 * NULL text (with a length above 0), a length above PTRDIFF_MAX that is not TIDE_TEXT_LENGTH, what is
 * no charset; OUT_OF_BOUNDS when the result exceeds PTRDIFF_MAX.
 */
TIDE_API TIDE_MUST_USE tide_status tide_text_encoded_size(const char *text, size_t length,
                                                          tide_charset charset, size_t *size);

/**
 * Writes the text in `charset`, without a terminator, and stores how many bytes that took. Statuses
 * as above; OUT_OF_BOUNDS when `capacity` doesn't hold it: nothing is written then.
 */
TIDE_API TIDE_MUST_USE tide_status tide_text_encode(const char *text, size_t length,
                                                    tide_charset charset, void *to, size_t capacity,
                                                    size_t *size);

/** Bytes of UTF-8 that `size` bytes of text in `charset` become; `size` is cut to whole units but
 *  for a last bad one. */
TIDE_API TIDE_MUST_USE tide_status tide_text_decoded_size(const void *from, size_t size,
                                                          tide_charset charset, size_t *length);

/** Writes them as UTF-8, without a terminator. Statuses as tide_text_encode(). */
TIDE_API TIDE_MUST_USE tide_status tide_text_decode(const void *from, size_t size,
                                                    tide_charset charset, char *to, size_t capacity,
                                                    size_t *length);

/**
 * The text from `offset` up to the first whole terminator unit at offset + k × unit, which needs no
 * alignment, as UTF-8 with a NUL. `length` gets its bytes without the NUL, and may be NULL. In this
 * order: INVALID_ARGUMENT; OUT_OF_BOUNDS of the offset; WRONG_OWNER, CLOSED; OUT_OF_BOUNDS when
 * there is no terminator inside the segment; EXHAUSTED, with both sizes in the text, when `capacity`
 * doesn't hold the result. (As JDK MemorySegment.getString.)
 */
TIDE_API TIDE_MUST_USE tide_status tide_text_read(const tide_segment *segment, size_t offset,
                                                  tide_charset charset, char *to, size_t capacity,
                                                  size_t *length);

struct tide_arena;

/** The same into memory of a confined arena: `text` gets where it is. OUT_OF_MEMORY, and the arena's
 *  own WRONG_OWNER and CLOSED, come last. */
TIDE_API TIDE_MUST_USE tide_status tide_text_read_into(const tide_segment *segment, size_t offset,
                                                       tide_charset charset,
                                                       struct tide_arena *arena, char **text,
                                                       size_t *length);

/**
 * Writes the text and its terminator at `offset`. In this order: INVALID_ARGUMENT; READ_ONLY;
 * OUT_OF_BOUNDS when text and terminator don't fit; WRONG_OWNER; CLOSED. A refused write has written
 * nothing. (As JDK MemorySegment.setString.)
 */
TIDE_API TIDE_MUST_USE tide_status tide_text_write(const tide_segment *segment, size_t offset,
                                                   const char *text, size_t length,
                                                   tide_charset charset);

/** A segment of the arena, alignment 1, that holds text and terminator. INVALID_ARGUMENT;
 *  WRONG_OWNER, CLOSED of the arena; OUT_OF_MEMORY. (As JDK SegmentAllocator.allocateFrom.) */
TIDE_API TIDE_MUST_USE tide_status tide_arena_text(struct tide_arena *arena, const char *text,
                                                   size_t length, tide_charset charset,
                                                   tide_segment *segment);

TIDE_END_DECLS

#endif
