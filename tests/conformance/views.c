/* SPDX-License-Identifier: Apache-2.0 */
/* What makes segments from segments, and what asks about them. */
#include "outcome.h"
#include "replay.h"
#include "values.h"

json_t *outcome_of_segment(replay_trace *replay, tide_status status, const tide_segment *segment,
                           const json_t *number)
{
    json_t *outcome = outcome_of(status);
    if (status != TIDE_OK)
        return outcome;
    json_object_set_new(outcome, "size", value_of_int64((int64_t)tide_segment_size(segment)));
    tide_segment *entry = replay_memory(sizeof *entry);
    *entry = *segment;
    replay_table_put(&replay->segments, number, entry);
    return outcome;
}

json_t *outcome_of_new_segment(replay_trace *replay, tide_status status,
                               const tide_segment *segment, const json_t *number)
{
    json_t *outcome = outcome_of_segment(replay, status, segment, number);
    if (status == TIDE_OK)
        json_object_set_new(
            outcome, "bytes",
            value_of_bytes(tide_segment_address(segment), tide_segment_size(segment)));
    return outcome;
}

json_t *operation_of_address(replay_trace *replay, const json_t *line)
{
    uint64_t address = argument_bits(replay, line, "value", 16);
    if (!argument_is_new_segment(replay, line, "id") || replay_has_problem(replay))
        return NULL;
    tide_segment segment = tide_segment_of_address((const void *)(uintptr_t)address);
    return outcome_of_segment(replay, TIDE_OK, &segment, json_object_get(line, "id"));
}

json_t *operation_slice(replay_trace *replay, const json_t *line)
{
    bool sized = json_object_get(line, "size") != NULL;
    bool aligned = json_object_get(line, "align") != NULL;
    const tide_segment *segment = argument_segment(replay, line, "seg");
    size_t offset = argument_size(replay, line, "offset");
    size_t size = sized ? argument_size(replay, line, "size") : 0;
    size_t alignment = aligned ? argument_size(replay, line, "align") : 0;
    if (aligned && !sized)
        replay_problem(replay, "no call slices with an alignment and without a size");
    if (!argument_is_new_segment(replay, line, "id") || replay_has_problem(replay))
        return NULL;
    tide_segment slice;
    tide_status status;
    if (aligned)
        status = tide_segment_slice_aligned(segment, offset, size, alignment, &slice);
    else if (sized)
        status = tide_segment_slice(segment, offset, size, &slice);
    else
        status = tide_segment_slice_from(segment, offset, &slice);
    return outcome_of_segment(replay, status, &slice, json_object_get(line, "id"));
}

json_t *operation_read_only(replay_trace *replay, const json_t *line)
{
    const tide_segment *segment = argument_segment(replay, line, "seg");
    if (!argument_is_new_segment(replay, line, "id") || replay_has_problem(replay))
        return NULL;
    tide_segment view;
    tide_status status = tide_segment_read_only(segment, &view);
    return outcome_of_segment(replay, status, &view, json_object_get(line, "id"));
}

json_t *operation_reinterpret(replay_trace *replay, const json_t *line)
{
    const tide_segment *segment = argument_segment(replay, line, "seg");
    size_t size = argument_size(replay, line, "size");
    replay_arena *arena = NULL;
    struct replay_cleanup *cleanup = NULL;
    if (json_object_get(line, "arena") != NULL)
        arena = argument_arena(replay, line);
    if (!argument_is_new_segment(replay, line, "id"))
        return NULL;
    if (json_object_get(line, "cleanup") != NULL) {
        if (arena == NULL)
            replay_problem(replay, "a cleanup needs an arena");
        cleanup = replay_cleanup_new(replay, line, arena, "cleanup");
    } else if (json_object_get(line, "fails") != NULL) {
        replay_problem(replay, "no cleanup that could fail");
    }
    if (replay_has_problem(replay))
        return NULL;
    tide_segment made;
    tide_status status;
    if (arena == NULL)
        status = tide_segment_resize(segment, size, &made);
    else
        status = kind_attach_segment(arena, segment, size,
                                     cleanup == NULL ? NULL : replay_cleanup_run, cleanup, &made);
    return outcome_of_segment(replay, status, &made, json_object_get(line, "id"));
}

json_t *operation_info(replay_trace *replay, const json_t *line)
{
    const tide_segment *segment = argument_segment(replay, line, "seg");
    if (replay_has_problem(replay))
        return NULL;
    tide_segment_information information = {.struct_size = sizeof information};
    tide_status status = tide_segment_info(segment, &information);
    json_t *outcome = outcome_of(status);
    if (status == TIDE_OK) {
        json_object_set_new(outcome, "size", value_of_int64((int64_t)information.size));
        json_object_set_new(outcome, "read_only", json_boolean(information.read_only));
        json_object_set_new(outcome, "mapped", json_boolean(information.mapped));
    }
    return outcome;
}

json_t *operation_overlap(replay_trace *replay, const json_t *line)
{
    const tide_segment *a = argument_segment(replay, line, "a");
    const tide_segment *b = argument_segment(replay, line, "b");
    if (replay_has_problem(replay))
        return NULL;
    tide_overlap overlap;
    tide_status status = tide_segment_overlap(a, b, &overlap);
    json_t *outcome = outcome_of(status);
    if (status == TIDE_OK && !overlap.exists) {
        json_object_set_new(outcome, "value", json_null());
    } else if (status == TIDE_OK) {
        json_object_set_new(outcome, "offset", value_of_int64((int64_t)overlap.offset));
        json_object_set_new(outcome, "size", value_of_int64((int64_t)overlap.size));
    }
    return outcome;
}

static json_t *outcome_of_answer(bool answer)
{
    json_t *outcome = outcome_of(TIDE_OK);
    json_object_set_new(outcome, "value", json_boolean(answer));
    return outcome;
}

json_t *operation_segment_equal(replay_trace *replay, const json_t *line)
{
    const tide_segment *a = argument_segment(replay, line, "a");
    const tide_segment *b = argument_segment(replay, line, "b");
    if (replay_has_problem(replay))
        return NULL;
    return outcome_of_answer(tide_segment_same_address(a, b));
}

json_t *operation_scope_equal(replay_trace *replay, const json_t *line)
{
    const tide_segment *a = argument_segment(replay, line, "a");
    const tide_segment *b = argument_segment(replay, line, "b");
    if (replay_has_problem(replay))
        return NULL;
    return outcome_of_answer(tide_segment_same_scope(a, b));
}

json_t *operation_is_accessible_by(replay_trace *replay, const json_t *line)
{
    const tide_segment *segment = argument_segment(replay, line, "seg");
    if (replay_has_problem(replay))
        return NULL;
    return outcome_of_answer(tide_segment_is_accessible_by(segment, replay->target));
}
