/* SPDX-License-Identifier: Apache-2.0 */
/* Arenas, their cleanups and holds, and allocation. */
#include <stdlib.h>
#include <string.h>

#include "outcome.h"
#include "replay.h"
#include "values.h"

typedef enum cleanup_attempt {
    ATTEMPT_NOTHING,
    ATTEMPT_ALLOC,
    ATTEMPT_CLOSE,
    ATTEMPT_GET,
    ATTEMPT_CLEANUP
} cleanup_attempt;

typedef struct replay_cleanup {
    json_int_t number;
    replay_arena *arena;
    bool fails;
    bool reads;
    tide_segment read; /* what it reads */
    cleanup_attempt attempt;
    tide_segment own; /* of its arena, at least a byte, for ATTEMPT_GET */
    char message[48];
} replay_cleanup;

/* In the order of replay_kind. */
static const char *const kinds[] = {"confined", "shared", "auto", "global"};

static replay_kind argument_kind(replay_trace *replay, const json_t *line)
{
    const char *name = argument_text(replay, line, "kind");
    for (unsigned kind = CONFINED; kind <= GLOBAL; kind++) {
        if (strcmp(kinds[kind], name) == 0)
            return (replay_kind)kind;
    }
    replay_problem(replay, "unknown arena kind \"%s\"", name);
    replay->stopped = true;
    return CONFINED;
}

json_t *operation_open(replay_trace *replay, const json_t *line)
{
    replay_kind kind = argument_kind(replay, line);
    const json_t *number = argument_any(replay, line, "arena");
    if (!replay_table_is_new(replay, &replay->arenas, number, false) || replay_has_problem(replay))
        return NULL;
    replay_arena *arena = replay_memory(sizeof *arena);
    arena->kind = kind;
    tide_status status = kind_open(arena);
    arena->open = status == TIDE_OK;
    arena->opener = replay->thread;
    arena->ran = json_array();
    arena->failed = json_array();
    arena->saw = json_object();
    arena->tried = json_object();
    replay_table_put(&replay->arenas, number, arena);
    return outcome_of(status);
}

/* What the cleanups of the arena have done goes into the outcome, also when none should have. */
static void outcome_add_cleanups(json_t *outcome, const replay_arena *arena, bool closed)
{
    if (closed || json_array_size(arena->ran) != 0)
        json_object_set_new(outcome, "cleanups", json_copy(arena->ran));
    if (json_array_size(arena->failed) != 0)
        json_object_set_new(outcome, "failed", json_copy(arena->failed));
    if (json_object_size(arena->saw) != 0)
        json_object_set_new(outcome, "saw", json_copy(arena->saw));
    if (json_object_size(arena->tried) != 0)
        json_object_set_new(outcome, "tried", json_copy(arena->tried));
    json_array_clear(arena->ran);
    json_array_clear(arena->failed);
    json_object_clear(arena->saw);
    json_object_clear(arena->tried);
}

json_t *operation_close(replay_trace *replay, const json_t *line)
{
    replay_arena *arena = argument_arena(replay, line);
    if (replay_has_problem(replay))
        return NULL;
    tide_status status = kind_close(arena);
    bool closed = status == TIDE_OK || status == TIDE_CLEANUP_FAILED;
    if (closed) {
        arena->open = false;
        replay_allocations_drop(replay, arena);
    }
    json_t *outcome = outcome_of(status);
    outcome_add_cleanups(outcome, arena, closed);
    return outcome;
}

json_t *operation_alive(replay_trace *replay, const json_t *line)
{
    replay_arena *arena = argument_arena(replay, line);
    if (replay_has_problem(replay))
        return NULL;
    json_t *outcome = outcome_of(TIDE_OK);
    json_object_set_new(outcome, "value", json_boolean(kind_is_alive(arena)));
    return outcome;
}

static cleanup_attempt attempt_of(replay_trace *replay, const json_t *line)
{
    if (json_object_get(line, "tries") == NULL)
        return ATTEMPT_NOTHING;
    const char *name = argument_text(replay, line, "tries");
    if (strcmp(name, "alloc") == 0)
        return ATTEMPT_ALLOC;
    if (strcmp(name, "close") == 0)
        return ATTEMPT_CLOSE;
    if (strcmp(name, "get") == 0)
        return ATTEMPT_GET;
    if (strcmp(name, "cleanup") == 0)
        return ATTEMPT_CLEANUP;
    replay_problem(replay, "unknown attempt \"%s\"", name);
    return ATTEMPT_NOTHING;
}

static const char *cleanup_nothing(void *context)
{
    (void)context;
    return NULL;
}

static tide_status make_attempt(replay_cleanup *cleanup)
{
    tide_segment segment;
    uint8_t byte;
    switch (cleanup->attempt) {
    case ATTEMPT_ALLOC:
        return kind_segment(cleanup->arena, 8, 8, &segment);
    case ATTEMPT_CLOSE:
        return kind_close(cleanup->arena);
    case ATTEMPT_GET:
        return tide_load_u8(&cleanup->own, 0, &byte);
    case ATTEMPT_CLEANUP:
        return kind_attach(cleanup->arena, cleanup_nothing, NULL);
    case ATTEMPT_NOTHING:
        break;
    }
    return TIDE_OK;
}

const char *replay_cleanup_run(void *context)
{
    replay_cleanup *cleanup = context;
    replay_arena *arena = cleanup->arena;
    char key[24];
    snprintf(key, sizeof key, "%lld", (long long)cleanup->number);
    json_array_append_new(arena->ran, json_integer(cleanup->number));
    if (cleanup->reads)
        json_object_set_new(arena->saw, key,
                            value_of_bytes(tide_segment_address(&cleanup->read),
                                           tide_segment_size(&cleanup->read)));
    if (cleanup->attempt != ATTEMPT_NOTHING)
        json_object_set_new(arena->tried, key, json_string(outcome_kind(make_attempt(cleanup))));
    if (!cleanup->fails)
        return NULL;
    json_array_append_new(arena->failed, json_integer(cleanup->number));
    snprintf(cleanup->message, sizeof cleanup->message, "cleanup %s fails", key);
    return cleanup->message;
}

replay_cleanup *replay_cleanup_new(replay_trace *replay, const json_t *line, replay_arena *arena,
                                   const char *number_name)
{
    const json_t *number = argument_any(replay, line, number_name);
    cleanup_attempt attempt = attempt_of(replay, line);
    bool fails = argument_flag(replay, line, "fails");
    const tide_segment *read = NULL;
    if (json_object_get(line, "reads") != NULL) {
        read = argument_segment(replay, line, "reads");
        if (read == NULL)
            replay_problem(replay, "a cleanup can't read no segment");
    }
    if (!replay_table_is_new(replay, &replay->cleanups, number, false) ||
        replay_has_problem(replay))
        return NULL;
    replay_cleanup *cleanup = replay_memory(sizeof *cleanup);
    cleanup->number = json_integer_value(number);
    cleanup->arena = arena;
    cleanup->fails = fails;
    cleanup->reads = read != NULL;
    if (read != NULL)
        cleanup->read = *read;
    cleanup->attempt = attempt;
    replay_table_put(&replay->cleanups, number, cleanup);
    return cleanup;
}

/* The format doesn't say what a `get` gets: the first segment that the arena has given. An
 * arena need not have given one; then a byte of the replayer's own is made to die with it. */
static void find_own_segment(replay_trace *replay, replay_cleanup *cleanup)
{
    static char byte;
    replay_arena *arena = cleanup->arena;
    if (arena->has_segment) {
        cleanup->own = arena->segment;
        return;
    }
    tide_segment bare = tide_segment_of_address(&byte);
    if (kind_attach_segment(arena, &bare, 1, NULL, NULL, &cleanup->own) != TIDE_OK)
        replay_problem(replay, "no segment of the arena for \"get\"");
}

json_t *operation_cleanup(replay_trace *replay, const json_t *line)
{
    replay_arena *arena = argument_arena(replay, line);
    replay_cleanup *cleanup = replay_cleanup_new(replay, line, arena, "id");
    if (cleanup == NULL || replay_has_problem(replay))
        return NULL;
    tide_status status = kind_attach(arena, replay_cleanup_run, cleanup);
    if (status == TIDE_OK && cleanup->attempt == ATTEMPT_GET)
        find_own_segment(replay, cleanup);
    return replay_has_problem(replay) ? NULL : outcome_of(status);
}

json_t *operation_hold(replay_trace *replay, const json_t *line)
{
    replay_arena *arena = argument_arena(replay, line);
    const json_t *number = argument_any(replay, line, "id");
    if (!replay_table_is_new(replay, &replay->holds, number, false) || replay_has_problem(replay))
        return NULL;
    replay_hold *hold = replay_memory(sizeof *hold);
    hold->arena = arena;
    hold->thread = replay->thread;
    tide_status status = kind_hold(arena, &hold->hold);
    replay_table_put(&replay->holds, number, hold);
    return outcome_of(status);
}

json_t *operation_unhold(replay_trace *replay, const json_t *line)
{
    replay_hold *hold = replay_table_find(replay, &replay->holds, argument_any(replay, line, "id"));
    if (replay_has_problem(replay))
        return NULL;
    return outcome_of(tide_hold_release(&hold->hold));
}

static bool is_zero(const unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != 0)
            return false;
    }
    return true;
}

json_t *operation_alloc(replay_trace *replay, const json_t *line)
{
    replay_arena *arena = argument_arena(replay, line);
    size_t size = argument_size(replay, line, "size");
    size_t alignment = argument_size(replay, line, "align");
    if (!argument_is_new_segment(replay, line, "seg") || replay_has_problem(replay))
        return NULL;
    tide_segment segment;
    tide_status status = kind_segment(arena, size, alignment, &segment);
    json_t *outcome = outcome_of_segment(replay, status, &segment, json_object_get(line, "seg"));
    if (status != TIDE_OK)
        return outcome;
    if (size != 0 && !arena->has_segment) {
        arena->has_segment = true;
        arena->segment = segment;
    }
    const unsigned char *address = tide_segment_address(&segment);
    json_object_set_new(outcome, "aligned", json_boolean((uintptr_t)address % alignment == 0));
    if (size <= 4096)
        json_object_set_new(outcome, "zeroed", json_boolean(is_zero(address, size)));
    if (size == 0)
        json_object_set_new(
            outcome, "distinct",
            json_boolean(address != NULL && replay_allocation_is_new(replay, address)));
    replay_allocation_add(replay, arena, address);
    return outcome;
}
