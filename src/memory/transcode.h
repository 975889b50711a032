/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine under charset.h: UTF-8 into a charset, or a charset into UTF-8, unchecked. One of
 * `source` and `target` is TIDE_UTF8, and both are charsets. Each byte of the source is read once
 * in a pass, so that what another thread writes meanwhile may change the result but not its form.
 */
#ifndef TIDEPOOL_MEMORY_TRANSCODE_H
#define TIDEPOOL_MEMORY_TRANSCODE_H

#include <tidepool/charset.h>

/* No conversion makes more bytes of its source than so many times. No address space has room for a
 * source of which this overflows. */
#define TIDE_TRANSCODE_GROWTH 4u
_Static_assert(SIZE_MAX >= UINT64_MAX, "sizes of text are not checked for overflow");

/* How many bytes the source becomes. */
size_t tide_transcode_size(tide_charset source, tide_charset target, const void *from, size_t size);

/* Writes as long as there is room, whole characters only, and stores how many bytes that took.
 * Returns whether that is all of the source. */
bool tide_transcode_bounded(tide_charset source, tide_charset target, const void *from, size_t size,
                            void *to, size_t capacity, size_t *written);

/* Writes all or nothing; `needed` gets how many bytes that takes. It may have written what is not
 * all when the source has grown since it was measured: then there is room for `needed`. */
bool tide_transcode(tide_charset source, tide_charset target, const void *from, size_t size,
                    void *to, size_t capacity, size_t *needed);

/* The common case at once: copies a text that is all ASCII, and its terminator of one byte. Returns
 * whether that is what there is, with room for it; if not, nothing is written but by a source that
 * changes meanwhile. */
bool tide_text_copy_ascii(const void *from, size_t size, void *to, size_t capacity, size_t *length);

/* Bytes before the first whole zero unit at k × unit; false when there is none. It touches nothing
 * beyond the page in which that unit ends. */
bool tide_text_find_end(const void *from, size_t size, size_t unit, size_t *end);

#endif
