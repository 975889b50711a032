/* SPDX-License-Identifier: Apache-2.0 */
/* Text. */
#include <stdlib.h>
#include <string.h>

#include "outcome.h"
#include "replay.h"
#include "values.h"

static tide_charset argument_charset(replay_trace *replay, const json_t *line)
{
    static const struct {
        const char *name;
        tide_charset charset;
    } charsets[] = {
        {"utf8", TIDE_UTF8},       {"utf16le", TIDE_UTF16LE}, {"utf16be", TIDE_UTF16BE},
        {"utf32le", TIDE_UTF32LE}, {"utf32be", TIDE_UTF32BE}, {"latin1", TIDE_LATIN1},
        {"ascii", TIDE_ASCII},
    };
    const char *name = argument_text(replay, line, "charset");
    for (size_t i = 0; i < sizeof charsets / sizeof charsets[0]; i++) {
        if (strcmp(charsets[i].name, name) == 0)
            return charsets[i].charset;
    }
    replay_problem(replay, "unknown charset \"%s\"", name);
    return TIDE_UTF8;
}

/* The text as UTF-8, U+0000 included; null is a null pointer. */
static const char *argument_string(replay_trace *replay, const json_t *line, size_t *length)
{
    const json_t *text = argument_any(replay, line, "text");
    *length = json_string_length(text);
    if (!json_is_string(text) && !json_is_null(text))
        replay_problem(replay, "field \"text\" is not a string");
    return json_string_value(text);
}

json_t *operation_alloc_from_string(replay_trace *replay, const json_t *line)
{
    size_t length;
    replay_arena *arena = argument_arena(replay, line);
    const char *text = argument_string(replay, line, &length);
    tide_charset charset = argument_charset(replay, line);
    if (!argument_is_new_segment(replay, line, "seg") || replay_has_problem(replay))
        return NULL;
    tide_segment segment;
    tide_status status =
        kind_text(arena, text, text == NULL ? TIDE_TEXT_LENGTH : length, charset, &segment);
    return outcome_of_new_segment(replay, status, &segment, json_object_get(line, "seg"));
}

json_t *operation_set_string(replay_trace *replay, const json_t *line)
{
    size_t length;
    const tide_segment *segment = argument_segment(replay, line, "seg");
    size_t offset = argument_size(replay, line, "offset");
    const char *text = argument_string(replay, line, &length);
    tide_charset charset = argument_charset(replay, line);
    if (replay_has_problem(replay))
        return NULL;
    return outcome_of(
        tide_text_write(segment, offset, text, text == NULL ? TIDE_TEXT_LENGTH : length, charset));
}

/* A byte becomes three of UTF-8 at most; no text of a trace that can be read is longer. */
static size_t room_for_text(const tide_segment *segment)
{
    const size_t largest = (size_t)1 << 24;
    size_t size = tide_segment_size(segment);
    return size > largest ? largest : 3 * size + 1;
}

/* That something was replaced is the trace's remark: the text itself tells. */
json_t *operation_get_string(replay_trace *replay, const json_t *line)
{
    const tide_segment *segment = argument_segment(replay, line, "seg");
    size_t offset = argument_size(replay, line, "offset");
    tide_charset charset = argument_charset(replay, line);
    if (replay_has_problem(replay))
        return NULL;
    size_t room = room_for_text(segment);
    char *text = replay_memory(room);
    size_t length = 0;
    tide_status status = tide_text_read(segment, offset, charset, text, room, &length);
    json_t *outcome = outcome_of(status);
    if (status == TIDE_OK) {
        const json_t *remark = json_object_get(json_object_get(line, "expect"), "replaced");
        json_object_set_new(outcome, "text", json_stringn(text, length));
        if (remark != NULL && strstr(text, "\xEF\xBF\xBD") != NULL)
            json_object_set_new(outcome, "replaced", json_true());
    }
    free(text);
    return outcome;
}
