/* SPDX-License-Identifier: Apache-2.0 */
#include "lifetime/extra.h"

#include "base/lock.h"
#include "base/settings.h"
#include "base/text.h"
#include "lifetime/cells.h"
#include "lifetime/chunk.h"

static uint64_t serials; /* relaxed: one owner's cleanups are ordered by its own program */

tide_extra *tide_extra_of(const tide_cell *cell)
{
    return (cell->special & TIDE_CELL_COLD) != 0 ? cell->extra : NULL;
}

bool tide_cell_is_wiped(const tide_cell *cell)
{
    const tide_extra *extra = tide_extra_of(cell);
    return extra != NULL && extra->zero == TIDE_ZERO_WIPE;
}

tide_extra *tide_extra_obtain(tide_cell *cell)
{
    tide_extra *extra = tide_extra_of(cell);
    if (extra != NULL)
        return extra;
    extra = tide_system_allocate(sizeof *extra, _Alignof(tide_extra), TIDE_REQUEST_ZEROED);
    if (extra == NULL)
        return NULL;
    extra->chunk_min = tide_settings_get()->chunk_min;
    extra->chunk_max = tide_settings_get()->chunk_max;
    tide_cell_make_cold(cell);
    cell->extra = extra;
    return extra;
}

tide_chunk *tide_extra_take_spare(tide_extra *extra, size_t need)
{
    tide_chunk **link = &extra->spare;
    while (*link != NULL && tide_chunk_payload(*link) < need)
        link = &(*link)->next;
    tide_chunk *chunk = *link;
    if (chunk != NULL)
        *link = chunk->next;
    return chunk;
}

void tide_extra_free(tide_extra *extra)
{
    tide_system_free(extra, sizeof *extra, _Alignof(tide_extra));
}

static size_t batch_size(uint32_t capacity)
{
    return sizeof(tide_cleanup_batch) + capacity * sizeof(tide_cleanup_entry);
}

static bool add_batch(tide_extra *extra)
{
    uint32_t capacity = extra->newest == NULL ? TIDE_CLEANUPS_FIRST : TIDE_CLEANUPS_BATCH;
    tide_cleanup_batch *batch =
        tide_system_allocate(batch_size(capacity), _Alignof(tide_cleanup_batch), 0);
    if (batch == NULL)
        return false;
    batch->older = extra->newest;
    batch->count = 0;
    batch->capacity = capacity;
    extra->newest = batch;
    return true;
}

bool tide_cleanup_push(tide_extra *extra, tide_cleanup run, void *context)
{
    tide_cleanup_batch *batch = extra->newest;
    if ((batch == NULL || batch->count == batch->capacity) && !add_batch(extra))
        return false;
    batch = extra->newest;
    batch->entries[batch->count++] =
        (tide_cleanup_entry){run, context, __atomic_add_fetch(&serials, 1, __ATOMIC_RELAXED)};
    return true;
}

uint64_t tide_cleanup_newest(const tide_extra *extra)
{
    const tide_cleanup_batch *batch = extra != NULL ? extra->newest : NULL;
    return batch == NULL ? 0 : batch->entries[batch->count - 1].serial;
}

/* A batch is never empty: its last entry takes it along. */
void tide_cleanup_run_newest(tide_extra *extra, tide_ending *ending)
{
    tide_cleanup_batch *batch = extra->newest;
    tide_cleanup_entry entry = batch->entries[--batch->count];
    if (batch->count == 0) {
        extra->newest = batch->older;
        tide_system_free(batch, batch_size(batch->capacity), _Alignof(tide_cleanup_batch));
    }
    tide_assert_unlocked();
    const char *message = entry.run(entry.context);
    if (message == NULL)
        return;
    if (ending->failures++ != 0)
        return;
    /* A copy: the next cleanup may be the end of it. */
    size_t length = tide_bounded_length(message, sizeof ending->first_message - 1);
    memcpy(ending->first_message, message, length);
    ending->first_message[length] = '\0';
}

void tide_cleanups_run(tide_extra *extra, tide_ending *ending)
{
    while (extra != NULL && extra->newest != NULL)
        tide_cleanup_run_newest(extra, ending);
}
