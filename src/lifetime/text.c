/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text in segments. The segment is looked at inside a section only, and nothing else is done there:
 * an error is noted (its fault may jump away) and memory is allocated (by a manager that may call
 * anything) outside. What lies in the segment may so have changed between two looks, and with
 * shared memory also within one; no look trusts the size that another one found.
 */
#include <tidepool/text.h>

#include <string.h>

#include "base/error.h"
#include "lifetime/arena.h"
#include "lifetime/check.h"
#include "lifetime/grace.h"
#include "lifetime/segment.h"
#include "lifetime/shared.h"
#include "memory/charset.h"
#include "memory/transcode.h"

#define READ     "read text"
#define WRITE    "write text"
#define ALLOCATE "allocate text"

/* So often text may grow while it is read. */
#define LOOKS 8u

static tide_status check_segment(const tide_segment *segment, const char *operation)
{
    tide_status status = tide_check_segment(segment, operation);
    /* The analyzer must see that NULL is never OK. */
    return segment != NULL ? status : TIDE_INVALID_ARGUMENT;
}

static tide_status check_place(const void *place, tide_object object, const char *operation)
{
    if (place != NULL)
        return TIDE_OK;
    return TIDE_ERROR_PLAIN(TIDE_INVALID_ARGUMENT, operation, object,
                            "no place for the result: NULL");
}

static size_t size_of(const tide_segment *segment)
{
    return (size_t)tide_extent_size_(segment->extent_);
}

static tide_status check_offset(const tide_segment *segment, size_t offset, const char *operation)
{
    if (offset <= size_of(segment))
        return TIDE_OK;
    return TIDE_ERROR(TIDE_OUT_OF_BOUNDS, operation, tide_segment_object(segment),
                      " at %" PRIu64 " in a segment of %" PRIu64 " bytes", offset,
                      size_of(segment));
}

/* ------------------------------------------------------------------------------- reading */

/* Text to be read. */
typedef struct place {
    const tide_segment *segment;
    size_t offset;
    tide_charset charset;
} place;

/* What a look at it has found. */
typedef struct look {
    bool ends;     /* there is a terminator inside the segment */
    bool read;     /* the text is in the target */
    size_t length; /* of the text as UTF-8 */
} look;

static tide_status check_source(const place *source)
{
    tide_status status = check_segment(source->segment, READ);
    if (status == TIDE_OK)
        status = tide_text_check_charset(source->charset, READ);
    return status;
}

/* Reads the text if there is room for it, and measures it if not; NULL has room for nothing, not
 * even for an empty text. Notes WRONG_OWNER and CLOSED. */
static tide_status take_look(const place *source, char *to, size_t room, look *found)
{
    tide_section section;
    tide_status status = tide_section_open(source->segment, READ, &section);
    if (status != TIDE_OK)
        return status;
    const tide_segment *segment = source->segment;
    size_t left = size_of(segment) - source->offset;
    size_t size = 0;
    const char *from = left != 0 ? segment->base_ + source->offset : NULL;
    *found = (look){false, false, 0};
    found->ends = tide_text_find_end(from, left, tide_charset_unit(source->charset), &size);
    if (found->ends && to != NULL)
        found->read =
            tide_transcode(source->charset, TIDE_UTF8, from, size, to, room, &found->length);
    else if (found->ends)
        found->length = tide_transcode_size(source->charset, TIDE_UTF8, from, size);
    tide_section_close(&section);
    return TIDE_OK;
}

static tide_status no_terminator(const place *source)
{
    return TIDE_ERROR(TIDE_OUT_OF_BOUNDS, READ, tide_segment_object(source->segment),
                      "no terminator of %" PRIu64 " bytes from %" PRIu64
                      " on in a segment of %" PRIu64 " bytes",
                      tide_charset_unit(source->charset), source->offset, size_of(source->segment));
}

static tide_status keeps_growing(const place *source)
{
    return TIDE_ERROR(TIDE_EXHAUSTED, READ, tide_segment_object(source->segment),
                      "the text at %" PRIu64 " grew while it was read, %" PRIu64 " times in a row",
                      source->offset, (uint64_t)LOOKS);
}

/* Any charset, anything wrong. */
static TIDE_SLOW tide_status read_slowly(const place *source, char *to, size_t capacity,
                                         size_t *length)
{
    tide_status status = check_source(source);
    if (status == TIDE_OK)
        status = tide_text_check_target(to, capacity, READ);
    if (status == TIDE_OK)
        status = check_offset(source->segment, source->offset, READ);
    look found = {false, false, 0};
    for (unsigned looks = 0; status == TIDE_OK && !found.read; looks++) {
        if (looks == LOOKS)
            return keeps_growing(source);
        status = take_look(source, capacity != 0 ? to : NULL, capacity - 1, &found);
        if (status == TIDE_OK && !found.ends)
            return no_terminator(source);
        if (status == TIDE_OK && !found.read && found.length >= capacity)
            return TIDE_ERROR(TIDE_EXHAUSTED, READ, tide_segment_object(source->segment),
                              "text and NUL become %" PRIu64 " bytes: there is room for %" PRIu64,
                              found.length + 1, capacity);
    }
    if (status != TIDE_OK)
        return status;
    to[found.length] = '\0';
    *length = found.length;
    return TIDE_OK;
}

/* Whether nothing is wrong so far, and units are bytes. */
static bool is_read_of_bytes(const tide_segment *segment, size_t offset, tide_charset charset,
                             const char *to)
{
    return segment != NULL && segment->cell_ != NULL && tide_charset_is_valid(charset) &&
           tide_charset_unit(charset) == 1 && to != NULL && offset < size_of(segment);
}

tide_status tide_text_read(const tide_segment *segment, size_t offset, tide_charset charset,
                           char *to, size_t capacity, size_t *length)
{
    size_t found = 0;
    bool read = false;
    tide_status status = TIDE_OK;
    if (TIDE_LIKELY(is_read_of_bytes(segment, offset, charset, to))) {
        tide_section section;
        status = tide_section_open(segment, READ, &section);
        if (status != TIDE_OK)
            return status;
        read = tide_text_copy_ascii(segment->base_ + offset, size_of(segment) - offset, to,
                                    capacity, &found);
        tide_section_close(&section);
    }
    if (TIDE_UNLIKELY(!read)) {
        const place source = {segment, offset, charset};
        status = read_slowly(&source, to, capacity, &found);
    }
    if (status == TIDE_OK && length != NULL)
        *length = found;
    return status;
}

/* Room in the arena, checked anew each time: a manager's callback may have closed it. */
static tide_status make_room(tide_arena *arena, size_t size, char **room)
{
    void *block = NULL;
    tide_status status = tide_arena_check(arena, READ);
    if (status == TIDE_OK)
        status = tide_arena_serve(arena, size, 1, false, READ, &block);
    *room = block;
    return status;
}

/* Measures, makes room, and reads if the text still fits. */
static tide_status read_into(const place *source, tide_arena *arena, char **text, size_t *length)
{
    char *room = NULL;
    size_t size = 0;
    look found;
    for (unsigned looks = 0;; looks++) {
        tide_status status = take_look(source, room, size, &found);
        if (status != TIDE_OK)
            return status;
        if (!found.ends)
            return no_terminator(source);
        if (found.read)
            break;
        if (looks == LOOKS)
            return keeps_growing(source);
        size = found.length;
        status = make_room(arena, size + 1, &room);
        if (status != TIDE_OK)
            return status;
    }
    room[found.length] = '\0';
    *text = room;
    *length = found.length;
    return TIDE_OK;
}

tide_status tide_text_read_into(const tide_segment *segment, size_t offset, tide_charset charset,
                                tide_arena *arena, char **text, size_t *length)
{
    const place source = {segment, offset, charset};
    size_t found = 0;
    tide_status status = check_source(&source);
    if (status == TIDE_OK && arena == NULL)
        status = tide_arena_check(arena, READ);
    if (status == TIDE_OK)
        status = check_place(text, tide_segment_object(segment), READ);
    if (status == TIDE_OK)
        status = check_offset(segment, offset, READ);
    if (status == TIDE_OK)
        status = read_into(&source, arena, text, &found);
    if (status == TIDE_OK && length != NULL)
        *length = found;
    return status;
}

/* ------------------------------------------------------------------------------- writing */

/* Writes what has room, and a terminator behind it. */
static bool write_text(char *to, size_t size, const char *text, size_t length, tide_charset charset)
{
    size_t unit = tide_charset_unit(charset);
    size_t written;
    bool all = tide_transcode_bounded(TIDE_UTF8, charset, text, length, to, size - unit, &written);
    memset(to + written, 0, unit);
    return all;
}

static tide_status does_not_fit(const tide_segment *segment, size_t offset, size_t needed)
{
    return TIDE_ERROR(TIDE_OUT_OF_BOUNDS, WRITE, tide_segment_object(segment),
                      " of %" PRIu64 " bytes at %" PRIu64 " in a segment of %" PRIu64 " bytes",
                      needed, offset, size_of(segment));
}

/* Whether text and terminator fit; `size` gets what they take at most. */
static tide_status check_fit(const tide_segment *segment, size_t offset, const char *text,
                             size_t length, tide_charset charset, size_t *size)
{
    size_t room = size_of(segment) - offset;
    size_t unit = tide_charset_unit(charset);
    *size = room;
    if (room >= unit && length <= (room - unit) / TIDE_TRANSCODE_GROWTH)
        return TIDE_OK;
    size_t needed = tide_transcode_size(TIDE_UTF8, charset, text, length) + unit;
    if (needed > room)
        return does_not_fit(segment, offset, needed);
    *size = needed;
    return TIDE_OK;
}

tide_status tide_text_write(const tide_segment *segment, size_t offset, const char *text,
                            size_t length, tide_charset charset)
{
    size_t size = 0;
    tide_section section;
    tide_status status = check_segment(segment, WRITE);
    if (status == TIDE_OK)
        status = tide_text_check_charset(charset, WRITE);
    if (status == TIDE_OK)
        status = tide_text_check_length(text, &length, WRITE);
    if (status == TIDE_OK)
        status = tide_check_writable(segment, WRITE);
    if (status == TIDE_OK)
        status = check_offset(segment, offset, WRITE);
    if (status == TIDE_OK)
        status = check_fit(segment, offset, text, length, charset, &size);
    if (status == TIDE_OK)
        status = tide_section_open(segment, WRITE, &section);
    if (status != TIDE_OK)
        return status;
    bool all = write_text(segment->base_ + offset, size, text, length, charset);
    tide_section_close(&section);
    /* Only when the caller's text has changed under the call. */
    return all ? TIDE_OK : does_not_fit(segment, offset, size + 1);
}

/* What text in a new segment takes; checks everything but the arena. */
static tide_status measure(const char *text, size_t *length, tide_charset charset,
                           const tide_segment *segment, size_t *size)
{
    TIDE_TRY(tide_text_check_charset(charset, ALLOCATE));
    TIDE_TRY(tide_text_check_length(text, length, ALLOCATE));
    TIDE_TRY(check_place(segment, TIDE_NO_OBJECT, ALLOCATE));
    *size = tide_transcode_size(TIDE_UTF8, charset, text, *length) + tide_charset_unit(charset);
    return TIDE_OK;
}

tide_status tide_arena_text(tide_arena *arena, const char *text, size_t length,
                            tide_charset charset, tide_segment *segment)
{
    void *block = NULL;
    size_t size = 0;
    TIDE_TRY(measure(text, &length, charset, segment, &size));
    TIDE_TRY(tide_arena_check(arena, ALLOCATE));
    TIDE_TRY(tide_arena_serve(arena, size, tide_charset_unit(charset), false, ALLOCATE, &block));
    (void)write_text(block, size, text, length, charset);
    tide_cell *cell = tide_arena_cell(arena);
    *segment = (tide_segment){block, size, cell, tide_relaxed_(&cell->epoch)};
    return TIDE_OK;
}

/* In a section: the arena may close before its memory is filled. */
tide_status tide_shared_text(tide_shared_arena arena, const char *text, size_t length,
                             tide_charset charset, tide_segment *segment)
{
    void *block = NULL;
    size_t size = 0;
    tide_section section;
    TIDE_TRY(measure(text, &length, charset, segment, &size));
    TIDE_TRY(tide_shared_serve(arena, size, tide_charset_unit(charset), false, ALLOCATE, &block));
    tide_segment made = {block, size, arena.cell_, arena.epoch_};
    TIDE_TRY(tide_section_open(&made, ALLOCATE, &section));
    (void)write_text(block, size, text, length, charset);
    tide_section_close(&section);
    *segment = made;
    return TIDE_OK;
}
