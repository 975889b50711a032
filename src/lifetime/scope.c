/* SPDX-License-Identifier: Apache-2.0 */
#include <tidepool/scope.h>

#include "base/error.h"
#include "lifetime/arena.h"
#include "lifetime/cells.h"
#include "lifetime/retire.h"
#include "lifetime/shared.h"

tide_scope tide_scope_global(void)
{
    return (tide_scope){&tide_cell_global, TIDE_GLOBAL_EPOCH};
}

bool tide_scope_is_alive(tide_scope scope)
{
    return scope.cell_ != NULL && tide_cell_epoch(scope.cell_) == scope.epoch_;
}

bool tide_scope_equal(tide_scope a, tide_scope b)
{
    return a.cell_ == b.cell_ && a.epoch_ == b.epoch_;
}

bool tide_scope_is_accessible_by(tide_scope scope, tide_owner owner)
{
    if (scope.cell_ == NULL)
        return false;
    if (tide_cell_is_shared(scope.cell_))
        return true;
    return scope.epoch_ >= tide_relaxed_(&scope.cell_->since) &&
           tide_relaxed_(&scope.cell_->owner) == owner;
}

static tide_status add_hold(tide_cell *cell, tide_object object)
{
    if (cell->special > UINT64_MAX - TIDE_CELL_HOLD)
        return TIDE_ERROR(TIDE_EXHAUSTED, "hold", object, "holds that are out: %" PRIu64,
                          cell->special / TIDE_CELL_HOLD);
    tide_cell_add_hold(cell);
    return TIDE_OK;
}

static tide_status drop_hold(tide_cell *cell)
{
    if (cell->special < TIDE_CELL_HOLD)
        return TIDE_ERROR_PLAIN(TIDE_INVALID_ARGUMENT, "release",
                                ((tide_object){"scope", cell, NULL}),
                                "no hold of this scope is out: it was a copy");
    tide_cell_drop_hold(cell);
    return TIDE_OK;
}

tide_status tide_scope_hold(tide_scope scope, tide_hold *hold)
{
    tide_object object = {"scope", scope.cell_, NULL};
    if (hold == NULL)
        return TIDE_ERROR_PLAIN(TIDE_INVALID_ARGUMENT, "hold", object,
                                "no place for the hold: NULL");
    tide_status status = tide_scope_check(scope.cell_, scope.epoch_, "hold");
    if (status == TIDE_OK)
        status = tide_cell_is_shared(scope.cell_) ? tide_shared_add_hold(scope, "hold")
                                                  : add_hold(scope.cell_, object);
    if (status == TIDE_OK)
        hold->scope_ = scope;
    return status;
}

tide_status tide_hold_release(tide_hold *hold)
{
    if (hold == NULL)
        return TIDE_ERROR_PLAIN(TIDE_INVALID_ARGUMENT, "release", TIDE_NO_OBJECT, "no hold: NULL");
    tide_cell *cell = hold->scope_.cell_;
    tide_status status = tide_scope_check(cell, hold->scope_.epoch_, "release");
    if (status != TIDE_OK)
        return status;
    if (tide_cell_is_shared(cell))
        return tide_shared_drop_hold(hold);
    status = drop_hold(cell);
    if (status == TIDE_OK)
        *hold = (tide_hold){{NULL, 0}};
    return status;
}

tide_scope tide_arena_scope(tide_arena *arena)
{
    if (tide_arena_check(arena, "scope") != TIDE_OK)
        tide_fault_raise();
    tide_cell *cell = tide_arena_take_cell(arena);
    if (cell != NULL)
        return (tide_scope){cell, tide_relaxed_(&cell->epoch)};
    (void)tide_arena_no_memory(arena, "scope");
    return (tide_scope){NULL, 0};
}

tide_status tide_arena_hold(tide_arena *arena, tide_hold *hold)
{
    tide_status status = tide_arena_check(arena, "hold");
    if (status != TIDE_OK)
        return status;
    tide_cell *cell = tide_arena_take_cell(arena);
    if (cell == NULL)
        return tide_arena_no_memory(arena, "hold");
    return tide_scope_hold((tide_scope){cell, tide_relaxed_(&cell->epoch)}, hold);
}
