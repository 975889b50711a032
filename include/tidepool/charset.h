/* SPDX-License-Identifier: Apache-2.0 */
/**
 * tide_charset: UTF-8 into the charset of another program, and back.
 *
 * On the C side text is UTF-8 with a length, and may contain NUL. In memory that another program
 * laid out it lies in one of seven charsets, in whole *units* of one, two or four bytes. These
 * functions convert between plain memory and plain memory; text.h has those for segments.
 *
 *     size_t size;
 *     if (tide_text_encode("Łódź", TIDE_TEXT_LENGTH, TIDE_UTF16LE, buffer, sizeof buffer, &size) !=
 *         TIDE_OK)
 *         return reject(tide_last_error_text());
 *     write(file, buffer, size);
 *
 * What is malformed is replaced, in either direction, and never refused: U+FFFD stands for each
 * maximal part of a character, or for a unit that is part of none (Unicode's recommendation,
 * chapter 3.9). That is one for the UTF-8 bytes F0 9F 98, two for C0 80, three for ED A0 80; one
 * for an unpaired surrogate in UTF-16, for a unit of UTF-32 that is no code point, for a byte of
 * ASCII from 0x80 on; and one for a last unit that is cut short. What a charset cannot express,
 * U+FFFD included, is written as '?'. Nothing else is changed: no byte order mark is added or taken
 * away, and well-formed text in UTF-8, UTF-16 and UTF-32 goes round.
 *
 * Every function is refused with INVALID_ARGUMENT for what is no charset, for a NULL text, source
 * or target of more than 0 bytes, for no place for the result, and for a length above PTRDIFF_MAX
 * that is not TIDE_TEXT_LENGTH. Source and target must not overlap. The cost is linear; runs of
 * ASCII go several bytes at a time. No terminator is looked for, nor written.
 *
 * Threads: any; the memory is plain, as in memcpy().
 */
#ifndef TIDEPOOL_CHARSET_H
#define TIDEPOOL_CHARSET_H

#include "status.h"

TIDE_BEGIN_DECLS

/** How text lies in memory. The values are part of the ABI and never change. */
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

/** As the length of UTF-8: it ends before its first NUL. */
#define TIDE_TEXT_LENGTH SIZE_MAX

/** Bytes of the charset's unit, and so of its terminator: 1, 2 or 4; 0 for what is no charset. */
TIDE_API size_t tide_text_unit(tide_charset charset);

/** Bytes that `length` bytes of UTF-8 take in `charset`. INVALID_ARGUMENT. */
TIDE_API TIDE_MUST_USE tide_status tide_text_encoded_size(const char *text, size_t length,
                                                          tide_charset charset, size_t *size);

/**
 * Writes `length` bytes of UTF-8 in `charset`, and stores how many bytes that took.
 * INVALID_ARGUMENT; EXHAUSTED, with both sizes in the text, when `capacity` doesn't hold it:
 * nothing is written then. A capacity of four times the length always does.
 */
TIDE_API TIDE_MUST_USE tide_status tide_text_encode(const char *text, size_t length,
                                                    tide_charset charset, void *to, size_t capacity,
                                                    size_t *size);

/** Bytes of UTF-8 that `size` bytes of text in `charset` become. INVALID_ARGUMENT. */
TIDE_API TIDE_MUST_USE tide_status tide_text_decoded_size(const void *from, size_t size,
                                                          tide_charset charset, size_t *length);

/** Writes them as UTF-8, and stores how many bytes that took. Statuses as tide_text_encode(); a
 *  capacity of three times the size always does. */
TIDE_API TIDE_MUST_USE tide_status tide_text_decode(const void *from, size_t size,
                                                    tide_charset charset, char *to, size_t capacity,
                                                    size_t *length);

TIDE_END_DECLS

#endif
