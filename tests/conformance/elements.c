/* SPDX-License-Identifier: Apache-2.0 */
/* Segments as arrays. */
#include <stdlib.h>

#include "outcome.h"
#include "replay.h"
#include "values.h"

json_t *operation_alloc_from_array(replay_trace *replay, const json_t *line)
{
    replay_arena *arena = argument_arena(replay, line);
    const scalar_type *type = argument_type_named(replay, line, "type");
    tide_layout layout = argument_order_named(replay, line, "order");
    const json_t *values = argument_any(replay, line, "values");
    if (!json_is_array(values))
        replay_problem(replay, "field \"values\" is not an array");
    if (!argument_is_new_segment(replay, line, "seg") || replay_has_problem(replay))
        return NULL;
    size_t count = json_array_size(values);
    size_t size = scalar_type_size(type);
    char *elements = replay_memory(count * size);
    for (size_t i = 0; i < count; i++)
        scalar_parse_element(replay, type, json_array_get(values, i), elements + i * size);
    json_t *outcome = NULL;
    if (!replay_has_problem(replay)) {
        tide_segment segment;
        tide_status status = kind_array(arena, layout, size, elements, count, &segment);
        outcome = outcome_of_new_segment(replay, status, &segment, json_object_get(line, "seg"));
    }
    free(elements);
    return outcome;
}

json_t *operation_elements(replay_trace *replay, const json_t *line)
{
    const tide_segment *segment = argument_segment(replay, line, "seg");
    const scalar_type *type = argument_type_named(replay, line, "type");
    tide_layout layout = argument_bool(replay, line, "aligned") ? 0 : TIDE_UNALIGNED;
    if (replay_has_problem(replay))
        return NULL;
    size_t count;
    tide_status status = tide_segment_elements(segment, layout, scalar_type_size(type), &count);
    json_t *outcome = outcome_of(status);
    if (status == TIDE_OK)
        json_object_set_new(outcome, "count", value_of_int64((int64_t)count));
    return outcome;
}

/* No segment of a trace whose elements can be read is larger. */
#define LARGEST_ARRAY ((size_t)1 << 28)

json_t *operation_to_array(replay_trace *replay, const json_t *line)
{
    const tide_segment *segment = argument_segment(replay, line, "seg");
    const scalar_type *type = argument_type_named(replay, line, "type");
    tide_layout layout = argument_layout(replay, line);
    if (replay_has_problem(replay))
        return NULL;
    size_t size = scalar_type_size(type);
    size_t room = tide_segment_size(segment) > LARGEST_ARRAY ? 0 : tide_segment_size(segment);
    char *elements = replay_memory(room);
    size_t count = 0;
    tide_status status =
        tide_segment_to_array(segment, layout, size, elements, room / size, &count);
    json_t *outcome = outcome_of(status);
    if (status == TIDE_OK) {
        json_t *values = json_array();
        for (size_t i = 0; i < count; i++)
            json_array_append_new(values, scalar_print_element(type, elements + i * size));
        json_object_set_new(outcome, "values", values);
    }
    free(elements);
    return outcome;
}

json_t *operation_copy_elements(replay_trace *replay, const json_t *line)
{
    const tide_segment *source = argument_segment(replay, line, "src");
    const tide_segment *target = argument_segment(replay, line, "dst");
    const scalar_type *source_type = argument_type_named(replay, line, "src_type");
    const scalar_type *target_type = argument_type_named(replay, line, "dst_type");
    tide_layout aligned = argument_bool(replay, line, "aligned") ? 0 : TIDE_UNALIGNED;
    tide_layout source_layout = argument_order_named(replay, line, "src_order") | aligned;
    tide_layout target_layout = argument_order_named(replay, line, "dst_order") | aligned;
    size_t source_offset = argument_size(replay, line, "src_off");
    size_t target_offset = argument_size(replay, line, "dst_off");
    size_t count = argument_size(replay, line, "count");
    if (replay_has_problem(replay))
        return NULL;
    return outcome_of(tide_segment_copy_elements(
        source, source_layout, scalar_type_size(source_type), source_offset, target, target_layout,
        scalar_type_size(target_type), target_offset, count));
}
