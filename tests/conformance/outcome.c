/* SPDX-License-Identifier: Apache-2.0 */
#include "outcome.h"

#include <string.h>

#include "values.h"

/* The one table. A status that has several kinds is printed as the first of them. */
static const struct {
    tide_status status;
    const char *kind;
} kinds[] = {
    {TIDE_INVALID_ARGUMENT, "invalid_argument"},
    {TIDE_INVALID_ARGUMENT, "null_argument"},
    {TIDE_INVALID_ARGUMENT, "reused"},
    {TIDE_OUT_OF_BOUNDS, "bounds"},
    {TIDE_MISALIGNED, "misaligned"},
    {TIDE_READ_ONLY, "read_only"},
    {TIDE_WRONG_OWNER, "wrong_thread"},
    {TIDE_CLOSED, "closed"},
    {TIDE_CLOSED, "released"},
    {TIDE_CLOSED, "refcount"},
    {TIDE_BUSY, "busy"},
    {TIDE_OUT_OF_MEMORY, "out_of_memory"},
    {TIDE_LIMIT_EXCEEDED, "limit_exceeded"},
    {TIDE_EXHAUSTED, "exhausted"},
    {TIDE_LEAKED, "leaked"},
    {TIDE_CLEANUP_FAILED, "cleanup_failed"},
    {TIDE_DIFFERENT_ROOT, "different_root"},
    {TIDE_UNSUPPORTED, "unsupported"},
    {TIDE_UNAVAILABLE, "unavailable"},
    {TIDE_IO, "io"},
    {TIDE_VETOED, "vetoed"},
};

const char *outcome_kind(tide_status status)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (kinds[i].status == status)
            return kinds[i].kind;
    }
    return status == TIDE_OK ? "ok" : "unknown";
}

json_t *outcome_of(tide_status status)
{
    if (status == TIDE_OK)
        return json_pack("{s:b}", "ok", 1);
    return json_pack("{s:s}", "error", outcome_kind(status));
}

/* The status that a kind means; TIDE_OK when there is no such kind. */
static tide_status kind_status(const json_t *kind)
{
    const char *name = json_string_value(kind);
    for (size_t i = 0; name != NULL && i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(kinds[i].kind, name) == 0)
            return kinds[i].status;
    }
    return TIDE_OK;
}

static bool kinds_equal(const json_t *expected, const json_t *got)
{
    tide_status status = kind_status(expected);
    return status != TIDE_OK && status == kind_status(got);
}

static bool values_equal(const json_t *expected, const json_t *got)
{
    int64_t a;
    int64_t b;
    if (json_is_integer(expected) != json_is_integer(got) && value_to_int64(expected, &a) &&
        value_to_int64(got, &b))
        return a == b;
    return json_equal(expected, got);
}

/* Two objects whose fields, the same in both, are pairwise equal. */
static bool fields_equal(const json_t *expected, const json_t *got, bool of_kinds)
{
    if (!json_is_object(expected) || !json_is_object(got) ||
        json_object_size(expected) != json_object_size(got))
        return false;
    const char *name;
    const json_t *value;
    json_object_foreach((json_t *)expected, name, value)
    {
        const json_t *other = json_object_get(got, name);
        bool equal;
        if (of_kinds || strcmp(name, "error") == 0)
            equal = kinds_equal(value, other);
        else if (strcmp(name, "tried") == 0)
            equal = fields_equal(value, other, true);
        else
            equal = values_equal(value, other);
        if (!equal)
            return false;
    }
    return true;
}

bool outcome_equal(const json_t *expected, const json_t *got)
{
    return fields_equal(expected, got, false);
}
