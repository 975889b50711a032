/* SPDX-License-Identifier: Apache-2.0 */
/* Allocators inside a segment. */
#include <stdlib.h>

#include "outcome.h"
#include "replay.h"
#include "values.h"

typedef tide_status carver_make(const tide_segment *segment, tide_carver *carver);

static json_t *make_carver(replay_trace *replay, const json_t *line, carver_make *make)
{
    const tide_segment *segment = argument_segment(replay, line, "seg");
    const json_t *number = argument_any(replay, line, "id");
    if (!replay_table_is_new(replay, &replay->carvers, number, true) || replay_has_problem(replay))
        return NULL;
    tide_carver *carver = replay_memory(sizeof *carver);
    tide_status status = make(segment, carver);
    replay_table_put(&replay->carvers, number, carver);
    return outcome_of(status);
}

json_t *operation_slicing_allocator(replay_trace *replay, const json_t *line)
{
    return make_carver(replay, line, tide_carver_slicing);
}

json_t *operation_prefix_allocator(replay_trace *replay, const json_t *line)
{
    return make_carver(replay, line, tide_carver_prefix);
}

json_t *operation_carver_alloc(replay_trace *replay, const json_t *line)
{
    tide_carver *carver =
        replay_table_find(replay, &replay->carvers, argument_any(replay, line, "id"));
    size_t size = argument_size(replay, line, "size");
    size_t alignment = argument_size(replay, line, "align");
    if (!argument_is_new_segment(replay, line, "seg") || replay_has_problem(replay))
        return NULL;
    tide_segment segment;
    tide_status status = tide_carver_allocate(carver, size, alignment, &segment);
    json_t *outcome = outcome_of_segment(replay, status, &segment, json_object_get(line, "seg"));
    if (status == TIDE_OK)
        json_object_set_new(
            outcome, "offset",
            value_of_int64((int64_t)((const char *)tide_segment_address(&segment) -
                                     (const char *)tide_segment_address(&carver->base_))));
    return outcome;
}
