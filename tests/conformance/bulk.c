/* SPDX-License-Identifier: Apache-2.0 */
/* Many bytes at a time. */
#include <stdlib.h>

#include "outcome.h"
#include "replay.h"
#include "values.h"

/* Room for what a read of `size` bytes may deliver. No segment of a trace that can be read is
 * larger than this: a larger read is refused before a byte moves, so a byte of room will do. */
static unsigned char *room_for(size_t size)
{
    const size_t largest = (size_t)1 << 28;
    return replay_memory(size > largest ? 1 : size);
}

json_t *operation_read(replay_trace *replay, const json_t *line)
{
    const tide_segment *segment = argument_segment(replay, line, "seg");
    size_t offset = argument_size(replay, line, "offset");
    size_t size = argument_size(replay, line, "size");
    if (replay_has_problem(replay))
        return NULL;
    unsigned char *bytes = room_for(size);
    tide_status status = tide_segment_read(segment, offset, bytes, size);
    json_t *outcome = outcome_of(status);
    if (status == TIDE_OK)
        json_object_set_new(outcome, "bytes", value_of_bytes(bytes, size));
    free(bytes);
    return outcome;
}

json_t *operation_write(replay_trace *replay, const json_t *line)
{
    const tide_segment *segment = argument_segment(replay, line, "seg");
    size_t offset = argument_size(replay, line, "offset");
    unsigned char *bytes = NULL;
    size_t size = 0;
    if (!value_to_bytes(argument_any(replay, line, "bytes"), &bytes, &size))
        replay_problem(replay, "field \"bytes\" is not lower-case hexadecimal");
    json_t *outcome = NULL;
    if (!replay_has_problem(replay))
        outcome = outcome_of(tide_segment_write(segment, offset, bytes, size));
    free(bytes);
    return outcome;
}

json_t *operation_hash(replay_trace *replay, const json_t *line)
{
    const tide_segment *segment = argument_segment(replay, line, "seg");
    if (replay_has_problem(replay))
        return NULL;
    size_t size = tide_segment_size(segment);
    unsigned char *bytes = room_for(size);
    tide_status status = tide_segment_read(segment, 0, bytes, size);
    json_t *outcome = outcome_of(status);
    if (status == TIDE_OK)
        json_object_set_new(outcome, "value", value_of_hash(bytes, size));
    free(bytes);
    return outcome;
}

json_t *operation_fill(replay_trace *replay, const json_t *line)
{
    const tide_segment *segment = argument_segment(replay, line, "seg");
    uint8_t value = argument_byte(replay, line, "value");
    if (replay_has_problem(replay))
        return NULL;
    return outcome_of(tide_segment_fill(segment, value));
}

json_t *operation_copy(replay_trace *replay, const json_t *line)
{
    const tide_segment *source = argument_segment(replay, line, "src");
    size_t source_offset = argument_size(replay, line, "src_off");
    const tide_segment *target = argument_segment(replay, line, "dst");
    size_t target_offset = argument_size(replay, line, "dst_off");
    size_t size = argument_size(replay, line, "bytes");
    if (replay_has_problem(replay))
        return NULL;
    return outcome_of(tide_segment_copy(source, source_offset, target, target_offset, size));
}

json_t *operation_mismatch(replay_trace *replay, const json_t *line)
{
    const tide_segment *a = argument_segment(replay, line, "a");
    size_t a_from = argument_size(replay, line, "a_from");
    size_t a_to = argument_size(replay, line, "a_to");
    const tide_segment *b = argument_segment(replay, line, "b");
    size_t b_from = argument_size(replay, line, "b_from");
    size_t b_to = argument_size(replay, line, "b_to");
    if (replay_has_problem(replay))
        return NULL;
    int64_t difference;
    tide_status status = tide_segment_mismatch(a, a_from, a_to, b, b_from, b_to, &difference);
    json_t *outcome = outcome_of(status);
    if (status == TIDE_OK)
        json_object_set_new(outcome, "value", value_of_int64(difference));
    return outcome;
}
