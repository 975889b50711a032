/* SPDX-License-Identifier: Apache-2.0 */
/* A segment of every kind of scope, for tests of what must hold in all of them. */
#ifndef TIDEPOOL_TESTS_SCOPES_H
#define TIDEPOOL_TESTS_SCOPES_H

#include "test.h"

typedef enum scope_kind { CONFINED, SHARED, COUNTED, GLOBAL, SCOPE_KINDS } scope_kind;

/* The arena stays where it was opened. */
typedef struct scoped {
    scope_kind kind;
    tide_arena confined;
    tide_shared_arena shared; /* of every other kind */
    tide_segment segment;
} scoped;

#define for_each_scope_kind(kind) for (scope_kind kind = CONFINED; kind < SCOPE_KINDS; kind++)

TEST_HELPER void open_scoped(scoped *it, scope_kind kind, size_t size, size_t alignment)
{
    it->kind = kind;
    if (kind == CONFINED) {
        assert_ok(tide_arena_open(&it->confined));
        assert_ok(tide_arena_segment(&it->confined, size, alignment, &it->segment));
        return;
    }
    it->shared = tide_global_arena();
    if (kind == SHARED)
        assert_ok(tide_shared_open(&it->shared));
    if (kind == COUNTED)
        assert_ok(tide_counted_open(&it->shared));
    assert_ok(tide_shared_segment(it->shared, size, alignment, &it->segment));
}

/* Ends the scope, if it can end. */
TEST_HELPER tide_status end_scoped(scoped *it)
{
    switch (it->kind) {
    case CONFINED:
        return tide_arena_close(&it->confined);
    case SHARED:
        return tide_shared_close(it->shared);
    case COUNTED:
        return tide_counted_release(it->shared);
    default:
        return TIDE_OK;
    }
}

/* What a session of the kind is refused with after its end, and from another owner. */
TEST_HELPER bool can_end(scope_kind kind)
{
    return kind != GLOBAL;
}

#endif
