/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Marks: closing the arenas of frames that longjmp left.
 *
 * The fast path keeps no order. A mark is a number that the process has not used before; from then
 * on the thread's arenas start with it, and an arena's cell notes the number its arena started
 * with. Closing to a mark looks through all cells for those of the owner with that number or a
 * later one. Nothing here touches an arena: its frame may be gone, or be another function's by now.
 */
#include "base/settings.h"
#include "lifetime/arena.h"
#include "lifetime/cells.h"

tide_mark_point tide_mark(void)
{
    tide_home_thread *thread = tide_thread_enter("mark");
    if (thread == NULL)
        return (tide_mark_point){0, 0};
    tide_mark_point mark = {thread->fast.owner, tide_mark_next()};
    thread->fast.word = tide_mark_word(mark.number_);
    return mark;
}

/* The cells to end, linked through `special`, where no holds are counted any more; its
 * flags stay. */
typedef struct selection {
    tide_mark_point mark;
    tide_cell *first;
} selection;

static tide_cell *next_of(const tide_cell *cell)
{
    return (tide_cell *)(uintptr_t)(cell->special & TIDE_STATE_CELL);
}

/* An arena on the heap is there still, and must not pass for an open one. */
static void close_struct(const tide_cell *cell)
{
    tide_arena *arena = (tide_arena *)(uintptr_t)(cell->arena & ~TIDE_ARENA_COLD);
    tide_arena_set_state(arena, TIDE_STATE_CLOSED);
}

/*
 * Whether the calling owner has the cell, since the mark. Other owners' cells change meanwhile.
 * Whoever takes a cell stores its owner before its mark, whoever hands one over its mark before its
 * owner, each with release: so a mark of one owner is not seen with another owner both before and
 * after.
 */
static bool is_meant(const tide_cell *cell, const tide_mark_point *since)
{
    uint64_t mark = tide_cell_mark(cell);
    if (mark == 0 || mark < tide_mark_word(since->number_))
        return false;
    return __atomic_load_n(&cell->owner, __ATOMIC_ACQUIRE) == since->owner_ &&
           tide_relaxed_(&cell->mark) == mark;
}

/* A selected cell is dead at once, and no other call selects it again. */
static void select_cell(tide_cell *cell, void *context)
{
    selection *chosen = context;
    if (!is_meant(cell, &chosen->mark))
        return;
    tide_cell_set_mark(cell, TIDE_MARK_NONE);
    tide_epoch_advance_(&cell->epoch);
    if ((cell->special & TIDE_CELL_HEAP) != 0)
        close_struct(cell);
    /* The frames that held it are gone, and their holds with them. */
    cell->arena &= TIDE_ARENA_COLD; /* no struct is this cell's arena any more */
    uint64_t flags = cell->special & (TIDE_CELL_COLD | TIDE_CELL_HEAP | TIDE_CELL_CHUNKS);
    cell->special = (uint64_t)(uintptr_t)chosen->first | flags;
    chosen->first = cell;
}

static tide_extra *with_newest_cleanup(tide_cell *cell)
{
    tide_extra *newest = NULL;
    for (; cell != NULL; cell = next_of(cell)) {
        tide_extra *extra = tide_extra_of(cell);
        if (tide_cleanup_newest(extra) > tide_cleanup_newest(newest))
            newest = extra;
    }
    return newest;
}

static void release(tide_cell *cell, tide_ending *ending)
{
    if (tide_cell_is_wiped(cell))
        tide_cell_wipe(cell);
    tide_cell_drop_chunks(cell, ending);
    tide_cell_clear_pool(cell, tide_settings_get()->pool_size);
    tide_thread_give_cell(tide_thread_current(), cell);
}

tide_status tide_close_to(tide_mark_point mark)
{
    if (mark.number_ == 0)
        return TIDE_ERROR_PLAIN(TIDE_INVALID_ARGUMENT, "close to", TIDE_NO_OBJECT,
                                "no mark: it was zeroed or never made");
    tide_thread_return();
    if (mark.owner_ != tide_thread_self_()->owner)
        return TIDE_ERROR(TIDE_WRONG_OWNER, "close to", TIDE_NO_OBJECT,
                          "a mark of token %" PRIu64 ", the current one is %" PRIu64, mark.owner_,
                          tide_thread_self_()->owner);
    selection chosen = {mark, NULL};
    tide_ending ending = {0};
    tide_cells_visit(select_cell, &chosen);
    tide_extra *extra;
    while ((extra = with_newest_cleanup(chosen.first)) != NULL)
        tide_cleanup_run_newest(extra, &ending);
    while (chosen.first != NULL) {
        tide_cell *cell = chosen.first;
        chosen.first = next_of(cell);
        release(cell, &ending);
    }
    return tide_ending_report(&ending, "close to", TIDE_NO_OBJECT);
}
