/* SPDX-License-Identifier: Apache-2.0 */
#include "lifetime/report.h"

#include <stdio.h>

#include "base/error.h"
#include "base/os.h"
#include "base/tokens.h"
#include "lifetime/cells.h"
#include "lifetime/check.h"
#include "lifetime/chunk.h"
#include "lifetime/extra.h"
#include "lifetime/retire.h"
#include "lifetime/thread.h"
#include <tidepool/pool.h>

#define REPORT_LINES 16u

/* Under the lock. Only a thread's own token can be lost: a fiber's may be set again anywhere. The
 * mark is looked at first (tide_cell_mark): a living thread may be taking a dead one's cell. */
static bool is_lost(const tide_cell *cell)
{
    if (tide_cell_mark(cell) == 0)
        return false;
    tide_owner owner = tide_relaxed_(&cell->owner);
    return tide_token_is_threads(owner) && !tide_thread_token_lives(owner);
}

static void count(tide_cell *cell, void *context)
{
    tide_pool_statistics *statistics = context;
    statistics->cells++;
    if (tide_relaxed_(&cell->mark) != 0)
        statistics->open_arenas++;
    if (is_lost(cell))
        statistics->lost_arenas++;
}

tide_status tide_pool_statistics_get(tide_pool_statistics *statistics)
{
    if (statistics == NULL)
        return TIDE_ERROR_PLAIN(TIDE_INVALID_ARGUMENT, "statistics", TIDE_NO_OBJECT,
                                "no place for the figures: NULL");
    TIDE_TRY(tide_check_struct_size(TIDE_NO_OBJECT, statistics->struct_size, sizeof *statistics,
                                    "statistics"));
    *statistics = (tide_pool_statistics){.struct_size = sizeof *statistics};
    tide_cells_visit(count, statistics);
    tide_cells_lock();
    statistics->threads = tide_thread_count();
    tide_cells_unlock();
    const tide_home_thread *thread = tide_thread_current();
    if (thread == NULL)
        return TIDE_OK;
    statistics->idle_pools =
        thread->fast.idle_count + thread->kept_count + (thread->fast.home->mark == 0 ? 1 : 0);
    statistics->cached_chunk_bytes = thread->cached_bytes;
    if (thread->fast.home_chunk->bump != NULL)
        statistics->cached_chunk_bytes -= thread->fast.chunk_room;
    return TIDE_OK;
}

size_t tide_trim(void)
{
    size_t freed = tide_retire_drain(false);
    tide_home_thread *thread = tide_thread_current();
    return freed + (thread != NULL ? tide_chunks_trim(thread) : 0);
}

static void name_lost(tide_cell *cell, void *context)
{
    size_t *lost = context;
    if (!is_lost(cell) || tide_thread_token_is_inherited(tide_relaxed_(&cell->owner)) ||
        ++*lost > REPORT_LINES)
        return;
    const tide_extra *extra = tide_extra_of(cell);
    char name[TIDE_NAME_BYTES + sizeof " \"\""] = "";
    if (extra != NULL && extra->name[0] != '\0')
        (void)snprintf(name, sizeof name, " \"%s\"", extra->name);
    char line[160];
    (void)snprintf(line, sizeof line,
                   "tidepool: the arena%s at %p was left open by a thread that ended", name,
                   (void *)(uintptr_t)(cell->arena & ~TIDE_ARENA_COLD));
    tide_os_complain(line);
}

void tide_report_at_exit(void)
{
    size_t lost = 0;
    tide_cells_visit(name_lost, &lost);
    if (lost <= REPORT_LINES)
        return;
    char line[80];
    (void)snprintf(line, sizeof line, "tidepool: … and %zu more arenas", lost - REPORT_LINES);
    tide_os_complain(line);
}
