/* SPDX-License-Identifier: Apache-2.0 */
/* One value at a time, by offset and by index. Values move as bits. */
#include <string.h>

#include "outcome.h"
#include "replay.h"
#include "values.h"

/* A value of any type of the format: its bits in the low bytes. */
typedef uint64_t scalar_bits;

struct scalar_type {
    const char *name;
    size_t size;
    tide_status (*load)(const tide_segment *segment, size_t offset, tide_layout layout,
                        scalar_bits *bits);
    tide_status (*load_at)(const tide_segment *segment, size_t index, tide_layout layout,
                           scalar_bits *bits);
    tide_status (*store)(const tide_segment *segment, size_t offset, tide_layout layout,
                         scalar_bits bits);
    tide_status (*store_at)(const tide_segment *segment, size_t index, tide_layout layout,
                            scalar_bits bits);
    scalar_bits (*parse)(replay_trace *replay, const json_t *line);
    json_t *(*print)(scalar_bits bits);
};

static scalar_bits parse_integer(replay_trace *replay, const json_t *line, json_int_t limit)
{
    const json_t *value = argument_any(replay, line, "value");
    json_int_t number = json_integer_value(value);
    if (!json_is_integer(value) || number < -limit || number >= limit)
        replay_problem(replay, "field \"value\" is not an integer of its type");
    return (scalar_bits)number;
}

static scalar_bits parse_i8(replay_trace *replay, const json_t *line)
{
    return parse_integer(replay, line, INT8_MAX + 1);
}

static scalar_bits parse_i16(replay_trace *replay, const json_t *line)
{
    return parse_integer(replay, line, INT16_MAX + 1);
}

static scalar_bits parse_i32(replay_trace *replay, const json_t *line)
{
    return parse_integer(replay, line, (json_int_t)INT32_MAX + 1);
}

static scalar_bits parse_i64(replay_trace *replay, const json_t *line)
{
    if (!json_is_string(argument_any(replay, line, "value")))
        replay_problem(replay, "field \"value\" is not a decimal string");
    return (scalar_bits)argument_size(replay, line, "value");
}

static scalar_bits parse_f32(replay_trace *replay, const json_t *line)
{
    return argument_bits(replay, line, "value", 8);
}

static scalar_bits parse_f64(replay_trace *replay, const json_t *line)
{
    return argument_bits(replay, line, "value", 16);
}

static scalar_bits parse_boolean(replay_trace *replay, const json_t *line)
{
    return argument_bool(replay, line, "value");
}

static scalar_bits parse_addr(replay_trace *replay, const json_t *line)
{
    return argument_bits(replay, line, "value", 16);
}

static json_t *print_i8(scalar_bits bits)
{
    return json_integer((int8_t)bits);
}

static json_t *print_i16(scalar_bits bits)
{
    return json_integer((int16_t)bits);
}

static json_t *print_i32(scalar_bits bits)
{
    return json_integer((int32_t)bits);
}

static json_t *print_i64(scalar_bits bits)
{
    return value_of_decimal((int64_t)bits);
}

static json_t *print_f32(scalar_bits bits)
{
    return value_of_bits(bits, 8);
}

static json_t *print_f64(scalar_bits bits)
{
    return value_of_bits(bits, 16);
}

static json_t *print_boolean(scalar_bits bits)
{
    return json_boolean(bits != 0);
}

static json_t *print_addr(scalar_bits bits)
{
    return value_of_bits(bits, 16);
}

/* Our name, the library's name, the C type, the unsigned type of its size. The library's name comes
 * as a suffix: a bare `bool` would be expanded on its way in. */
#define SCALAR_TYPES(X)               \
    X(i8, _i8, int8_t, uint8_t)       \
    X(i16, _i16, int16_t, uint16_t)   \
    X(i32, _i32, int32_t, uint32_t)   \
    X(i64, _i64, int64_t, uint64_t)   \
    X(f32, _f32, float, uint32_t)     \
    X(f64, _f64, double, uint64_t)    \
    X(boolean, _bool, _Bool, uint8_t) \
    X(addr, _ptr, void *, uintptr_t)

#define SCALAR_FORM(name, form, load_call, store_call, type, unsigned_type)             \
    static tide_status load_##name##form(const tide_segment *segment, size_t position,  \
                                         tide_layout layout, scalar_bits *bits)         \
    {                                                                                   \
        type value = 0;                                                                 \
        unsigned_type raw;                                                              \
        tide_status status = load_call(segment, position, layout, &value);              \
        if (status == TIDE_OK) {                                                        \
            memcpy(&raw, &value, sizeof raw);                                           \
            *bits = raw;                                                                \
        }                                                                               \
        return status;                                                                  \
    }                                                                                   \
    static tide_status store_##name##form(const tide_segment *segment, size_t position, \
                                          tide_layout layout, scalar_bits bits)         \
    {                                                                                   \
        unsigned_type raw = (unsigned_type)bits;                                        \
        type value;                                                                     \
        memcpy(&value, &raw, sizeof value);                                             \
        return store_call(segment, position, layout, value);                            \
    }

#define SCALAR_CALLS(name, suffix, type, unsigned_type)                                       \
    SCALAR_FORM(name, , tide_load##suffix##_as, tide_store##suffix##_as, type, unsigned_type) \
    SCALAR_FORM(name, _at, tide_load##suffix##_at_as, tide_store##suffix##_at_as, type,       \
                unsigned_type)

SCALAR_TYPES(SCALAR_CALLS)

#define SCALAR_ROW(text, name, size)                                                              \
    {                                                                                             \
        text, size, load_##name, load_##name##_at, store_##name, store_##name##_at, parse_##name, \
            print_##name                                                                          \
    }

static const scalar_type scalar_types[] = {
    SCALAR_ROW("i8", i8, 1),        SCALAR_ROW("i16", i16, 2),   SCALAR_ROW("i32", i32, 4),
    SCALAR_ROW("i64", i64, 8),      SCALAR_ROW("f32", f32, 4),   SCALAR_ROW("f64", f64, 8),
    SCALAR_ROW("bool", boolean, 1), SCALAR_ROW("addr", addr, 8),
};

const scalar_type *argument_type_named(replay_trace *replay, const json_t *line, const char *field)
{
    const char *name = argument_text(replay, line, field);
    for (size_t i = 0; i < sizeof scalar_types / sizeof scalar_types[0]; i++) {
        if (strcmp(scalar_types[i].name, name) == 0)
            return &scalar_types[i];
    }
    replay_problem(replay, "unknown type \"%s\"", name);
    return NULL;
}

static const scalar_type *argument_type(replay_trace *replay, const json_t *line)
{
    return argument_type_named(replay, line, "type");
}

size_t scalar_type_size(const scalar_type *type)
{
    return type->size;
}

/* The bits of a type of fewer than 8 bytes are the low ones. */
static void put_bits(void *at, size_t size, scalar_bits bits)
{
    const uint8_t of_1 = (uint8_t)bits;
    const uint16_t of_2 = (uint16_t)bits;
    const uint32_t of_4 = (uint32_t)bits;
    const void *const from[] = {NULL, &of_1, &of_2, NULL, &of_4, NULL, NULL, NULL, &bits};
    memcpy(at, from[size], size);
}

static scalar_bits get_bits(const void *at, size_t size)
{
    uint8_t of_1;
    uint16_t of_2;
    uint32_t of_4;
    scalar_bits bits;
    switch (size) {
    case 1:
        memcpy(&of_1, at, size);
        return of_1;
    case 2:
        memcpy(&of_2, at, size);
        return of_2;
    case 4:
        memcpy(&of_4, at, size);
        return of_4;
    default:
        memcpy(&bits, at, size);
        return bits;
    }
}

void scalar_parse_element(replay_trace *replay, const scalar_type *type, const json_t *value,
                          void *at)
{
    json_t *line = json_pack("{s:O}", "value", value);
    put_bits(at, type->size, type->parse(replay, line));
    json_decref(line);
}

json_t *scalar_print_element(const scalar_type *type, const void *at)
{
    return type->print(get_bits(at, type->size));
}

/* By offset, or by index where that is the position's name. */
static json_t *get_scalar(replay_trace *replay, const json_t *line, const char *position_name,
                          bool by_index)
{
    const tide_segment *segment = argument_segment(replay, line, "seg");
    const scalar_type *type = argument_type(replay, line);
    tide_layout layout = argument_layout(replay, line);
    size_t position = argument_size(replay, line, position_name);
    if (replay_has_problem(replay))
        return NULL;
    scalar_bits bits = 0;
    tide_status status = (by_index ? type->load_at : type->load)(segment, position, layout, &bits);
    json_t *outcome = outcome_of(status);
    if (status == TIDE_OK)
        json_object_set_new(outcome, "value", type->print(bits));
    return outcome;
}

static json_t *set_scalar(replay_trace *replay, const json_t *line, const char *position_name,
                          bool by_index)
{
    const tide_segment *segment = argument_segment(replay, line, "seg");
    const scalar_type *type = argument_type(replay, line);
    tide_layout layout = argument_layout(replay, line);
    size_t position = argument_size(replay, line, position_name);
    scalar_bits bits = type == NULL ? 0 : type->parse(replay, line);
    if (replay_has_problem(replay))
        return NULL;
    return outcome_of((by_index ? type->store_at : type->store)(segment, position, layout, bits));
}

json_t *operation_get(replay_trace *replay, const json_t *line)
{
    return get_scalar(replay, line, "offset", false);
}

json_t *operation_set(replay_trace *replay, const json_t *line)
{
    return set_scalar(replay, line, "offset", false);
}

json_t *operation_get_at_index(replay_trace *replay, const json_t *line)
{
    return get_scalar(replay, line, "index", true);
}

json_t *operation_set_at_index(replay_trace *replay, const json_t *line)
{
    return set_scalar(replay, line, "index", true);
}
