/* SPDX-License-Identifier: Apache-2.0 */
/* One trace: read its lines, carry each out, compare. */
#include "replay.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "outcome.h"

void replay_problem(replay_trace *replay, const char *format, ...)
{
    if (replay_has_problem(replay))
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(replay->problem, sizeof replay->problem, format, arguments);
    va_end(arguments);
}

/* A problem after which no line of the trace means anything. */
#define STOP(replay, ...) ((replay)->stopped = true, replay_problem((replay), __VA_ARGS__))

static void print_problem(replay_trace *replay)
{
    printf("%s:%zu: %s\n", replay->file, replay->line, replay->problem);
    replay->problem[0] = '\0';
    replay->failed = true;
}

static void print_mismatch(replay_trace *replay, const json_t *expected, const json_t *got)
{
    const size_t flags = JSON_COMPACT | JSON_ENSURE_ASCII | JSON_ENCODE_ANY;
    char *expected_text = json_dumps(expected, flags);
    char *got_text = json_dumps(got, flags);
    printf("%s:%zu: expected %s got %s\n", replay->file, replay->line, expected_text, got_text);
    free(expected_text);
    free(got_text);
    replay->failed = true;
}

/* Whether the list of fields has the name; `optional` says whether a "?" stands behind it. */
static bool fields_have(const char *fields, const char *name, size_t length)
{
    while (*fields != '\0') {
        size_t field = strcspn(fields, "? ");
        if (field == length && memcmp(fields, name, length) == 0)
            return true;
        fields += field;
        fields += strspn(fields, "? ");
    }
    return false;
}

/* Exactly the fields of the list, in any order. */
static void check_fields(replay_trace *replay, const json_t *line, const char *fields)
{
    const char *name;
    const json_t *value;
    json_object_foreach((json_t *)line, name, value)
    {
        if (!fields_have(fields, name, strlen(name)))
            replay_problem(replay, "unknown field \"%s\"", name);
    }
    while (*fields != '\0') {
        int length = (int)strcspn(fields, "? ");
        char required[32];
        snprintf(required, sizeof required, "%.*s", length, fields);
        fields += length;
        if (*fields != '?')
            argument_any(replay, line, required);
        fields += strspn(fields, "? ");
    }
}

static unsigned argument_thread(replay_trace *replay, const json_t *line, const char *name)
{
    const json_t *value = argument_any(replay, line, name);
    if (json_is_integer(value) && json_integer_value(value) >= 0 &&
        json_integer_value(value) < CREW_SIZE)
        return (unsigned)json_integer_value(value);
    replay_problem(replay, "field \"%s\" is not a thread, 0 to %u", name, CREW_SIZE - 1);
    return 0;
}

/* The line's operation, all around it checked; NULL when it can't be carried out. */
static const replay_operation *check_operation(replay_trace *replay, const json_t *line)
{
    const char *name = argument_text(replay, line, "op");
    const replay_operation *operation = replay_operation_find(name);
    if (operation == NULL) {
        STOP(replay, "unknown operation \"%s\"", name);
        return NULL;
    }
    if (operation->run == NULL) {
        STOP(replay, "not supported yet: %s", name);
        return NULL;
    }
    char fields[128];
    snprintf(fields, sizeof fields, "op thread expect deviation? %s", operation->fields);
    check_fields(replay, line, fields);
    replay->thread = argument_thread(replay, line, "thread");
    if (!json_is_object(argument_any(replay, line, "expect")))
        replay_problem(replay, "field \"expect\" is not an object");
    if (json_object_get(line, "deviation") != NULL)
        argument_text(replay, line, "deviation");
    if (json_object_get(line, "target") != NULL && !replay_has_problem(replay)) {
        unsigned target = argument_thread(replay, line, "target");
        replay->target = crew_token(&replay->crew, target);
    }
    return replay_has_problem(replay) ? NULL : operation;
}

typedef struct replay_turn {
    replay_trace *replay;
    const replay_operation *operation;
    const json_t *line;
    json_t *outcome;
} replay_turn;

static void take_turn(void *context)
{
    replay_turn *turn = context;
    turn->outcome = turn->operation->run(turn->replay, turn->line);
}

/* Whether the outcome was compared. */
static bool replay_operation_line(replay_trace *replay, const json_t *line)
{
    replay_turn turn = {replay, check_operation(replay, line), line, NULL};
    if (turn.operation != NULL)
        crew_run(&replay->crew, replay->thread, take_turn, &turn);
    if (turn.outcome == NULL || replay_has_problem(replay)) {
        json_decref(turn.outcome);
        print_problem(replay);
        return false;
    }
    const json_t *expected = json_object_get(line, "expect");
    if (!outcome_equal(expected, turn.outcome))
        print_mismatch(replay, expected, turn.outcome);
    json_decref(turn.outcome);
    return true;
}

static void check_header(replay_trace *replay, const json_t *line)
{
    const char *trace = argument_text(replay, line, "trace");
    if (strcmp(trace, "arrow") == 0)
        replay_problem(replay, "not supported yet: arrow traces");
    else if (strcmp(trace, "ffm") != 0)
        replay_problem(replay, "unknown kind of trace \"%s\"", trace);
    check_fields(replay, line, "trace version seed profile");
    if (json_integer_value(argument_any(replay, line, "version")) != 1)
        replay_problem(replay, "not version 1 of the format");
    argument_text(replay, line, "profile");
    if (replay_has_problem(replay)) {
        print_problem(replay);
        replay->stopped = true;
    }
}

static json_t *parse_line(replay_trace *replay, const char *text, size_t length)
{
    json_error_t error;
    json_t *line = json_loadb(text, length, JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES, &error);
    if (!json_is_object(line)) {
        json_decref(line);
        STOP(replay, "not a JSON object: %s", line == NULL ? error.text : "something else");
        print_problem(replay);
        return NULL;
    }
    return line;
}

static void replay_lines(replay_trace *replay, FILE *stream, size_t *lines_compared)
{
    char *text = NULL;
    size_t room = 0;
    ssize_t length;
    while (!replay->stopped && (length = getline(&text, &room, stream)) >= 0) {
        replay->line++;
        json_t *line = parse_line(replay, text, (size_t)length);
        if (line == NULL)
            break;
        if (replay->line == 1)
            check_header(replay, line);
        else if (replay_operation_line(replay, line))
            ++*lines_compared;
        json_decref(line);
    }
    free(text);
    if (ferror(stream) || replay->line == 0) {
        replay_problem(replay, ferror(stream) ? "can't be read" : "empty");
        print_problem(replay);
    }
}

bool replay_file(const char *file, size_t *lines_compared)
{
    FILE *stream = fopen(file, "r");
    if (stream == NULL) {
        printf("%s:0: can't be opened: %s\n", file, strerror(errno));
        return false;
    }
    replay_trace replay = {.file = file};
    crew_begin(&replay.crew);
    replay_entities_begin(&replay);
    replay_lines(&replay, stream, lines_compared);
    size_t left = replay_entities_end(&replay);
    if (left != 0 && !replay.failed) {
        replay_problem(&replay, "arenas left open: %zu", left);
        print_problem(&replay);
    }
    crew_end(&replay.crew);
    fclose(stream);
    return !replay.failed;
}
