/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "replay.h"
#include "values.h"

static const json_t *expected_a(replay_trace *replay, const char *name, const char *what)
{
    replay_problem(replay, "field \"%s\" is not %s", name, what);
    return NULL;
}

const json_t *argument_any(replay_trace *replay, const json_t *line, const char *name)
{
    const json_t *value = json_object_get(line, name);
    if (value == NULL)
        replay_problem(replay, "field \"%s\" is missing", name);
    return value;
}

const char *argument_text(replay_trace *replay, const json_t *line, const char *name)
{
    const json_t *value = argument_any(replay, line, name);
    if (json_is_string(value))
        return json_string_value(value);
    expected_a(replay, name, "a string");
    return "";
}

bool argument_bool(replay_trace *replay, const json_t *line, const char *name)
{
    const json_t *value = argument_any(replay, line, name);
    if (!json_is_boolean(value))
        expected_a(replay, name, "true or false");
    return json_is_true(value);
}

bool argument_flag(replay_trace *replay, const json_t *line, const char *name)
{
    return json_object_get(line, name) != NULL && argument_bool(replay, line, name);
}

/* As a caller in C would pass it: what is negative becomes huge. */
size_t argument_size(replay_trace *replay, const json_t *line, const char *name)
{
    int64_t number = 0;
    if (!value_to_int64(argument_any(replay, line, name), &number))
        expected_a(replay, name, "a number of 64 bits");
    return (size_t)number;
}

uint8_t argument_byte(replay_trace *replay, const json_t *line, const char *name)
{
    const json_t *value = argument_any(replay, line, name);
    if (!json_is_integer(value) || json_integer_value(value) < 0 || json_integer_value(value) > 255)
        expected_a(replay, name, "a byte");
    return (uint8_t)json_integer_value(value);
}

uint64_t argument_bits(replay_trace *replay, const json_t *line, const char *name, unsigned digits)
{
    uint64_t bits = 0;
    if (!value_to_bits(argument_any(replay, line, name), digits, &bits))
        expected_a(replay, name, "a hexadecimal number of its type");
    return bits;
}

/* The traces were made on a little-endian machine: there, native is little. */
tide_layout argument_order_named(replay_trace *replay, const json_t *line, const char *name)
{
    const char *order = argument_text(replay, line, name);
    if (strcmp(order, "le") == 0)
        return TIDE_LITTLE_ENDIAN;
    if (strcmp(order, "be") == 0 || strcmp(order, "swapped") == 0)
        return TIDE_BIG_ENDIAN;
    if (strcmp(order, "native") != 0)
        expected_a(replay, name, "le, be, native or swapped");
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return TIDE_NATIVE_ENDIAN;
#else
    return TIDE_LITTLE_ENDIAN;
#endif
}

tide_layout argument_layout(replay_trace *replay, const json_t *line)
{
    tide_layout layout = argument_bool(replay, line, "aligned") ? 0 : TIDE_UNALIGNED;
    return layout | argument_order_named(replay, line, "order");
}

replay_arena *argument_arena(replay_trace *replay, const json_t *line)
{
    return replay_table_find(replay, &replay->arenas, argument_any(replay, line, "arena"));
}

const tide_segment *argument_segment(replay_trace *replay, const json_t *line, const char *name)
{
    const json_t *number = argument_any(replay, line, name);
    if (json_is_null(number))
        return NULL;
    return replay_table_find(replay, &replay->segments, number);
}

bool argument_is_new_segment(replay_trace *replay, const json_t *line, const char *name)
{
    return replay_table_is_new(replay, &replay->segments, argument_any(replay, line, name), true);
}
