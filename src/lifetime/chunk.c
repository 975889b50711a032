/* SPDX-License-Identifier: Apache-2.0 */
#include "lifetime/chunk.h"

#include <string.h>

#include "base/checker.h"
#include "base/lock.h"
#include "base/settings.h"
#include "lifetime/cells.h"
#include "lifetime/thread.h"
#include "lifetime/valid.h"
#include <tidepool/bytes.h>

#define LINE 64u /* alignment of a chunk's payload, and the size of its header */

_Static_assert(sizeof(tide_chunk) == LINE, "the payload starts one line behind the header");

void *tide_system_allocate(size_t size, size_t alignment, unsigned request)
{
    const tide_manager *manager = tide_manager_system();
    return manager->allocate(manager->context, size, alignment, request);
}

void tide_system_free(void *block, size_t size, size_t alignment)
{
    const tide_manager *manager = tide_manager_system();
    (void)manager->free(manager->context, block, size, alignment); /* it never refuses its own */
}

bool tide_chunk_has_memory(const tide_chunk *chunk)
{
    return chunk->manager == NULL || (chunk->manager->flags & TIDE_MANAGER_NO_MEMORY) == 0;
}

static size_t red_zone(void)
{
    return tide_settings_get()->watched ? TIDE_CHUNK_RED_ZONE : 0;
}

static uint32_t log2_of(size_t power)
{
    return (uint32_t)__builtin_ctzll(power);
}

/* A chunk of the system: header, payload, and under a checker a red zone. */
static tide_chunk *make_system_chunk(size_t payload, size_t alignment, unsigned request)
{
    /* Zeroed blocks come cheapest at the C library's own alignment; the rest is padding. */
    size_t asked = (request & TIDE_REQUEST_ZEROED) != 0 ? _Alignof(max_align_t) : LINE;
    if (alignment < LINE)
        alignment = LINE;
    size_t size = LINE + payload + red_zone() + (alignment - asked);
    char *base = tide_system_allocate(size, asked, request);
    if (base == NULL)
        return NULL;
    tide_chunk *chunk = (tide_chunk *)(void *)base;
    uintptr_t start = ((uintptr_t)base + LINE + alignment - 1) & ~(uintptr_t)(alignment - 1);
    chunk->start = base + (start - (uintptr_t)base);
    chunk->limit = chunk->start + payload;
    chunk->dirty = (request & TIDE_REQUEST_ZEROED) != 0 ? chunk->start : chunk->limit;
    chunk->manager = NULL;
    chunk->size = size;
    chunk->alignment_log2 = log2_of(asked);
    tide_checker_forbid(chunk->start, payload + red_zone());
    return chunk;
}

/* A chunk of another manager: its header is the system's, its payload all the manager's. */
static tide_chunk *make_foreign_chunk(const tide_manager *manager, size_t payload, size_t alignment,
                                      unsigned request)
{
    if (alignment < LINE)
        alignment = LINE;
    tide_chunk *chunk = tide_system_allocate(sizeof *chunk, LINE, 0);
    if (chunk == NULL)
        return NULL;
    tide_assert_unlocked();
    chunk->start = manager->allocate(manager->context, payload, alignment, request);
    if (chunk->start == NULL) {
        tide_system_free(chunk, sizeof *chunk, LINE);
        return NULL;
    }
    bool zeroed = ((request & TIDE_REQUEST_ZEROED) | (manager->flags & TIDE_MANAGER_ZEROED)) != 0;
    chunk->limit = chunk->start + payload;
    chunk->dirty = zeroed ? chunk->start : chunk->limit;
    chunk->manager = manager;
    chunk->size = payload;
    chunk->alignment_log2 = log2_of(alignment);
    if (tide_chunk_has_memory(chunk))
        tide_checker_forbid(chunk->start, payload);
    return chunk;
}

tide_chunk *tide_chunk_wrap(const tide_manager *manager, void *start, size_t size)
{
    tide_chunk *chunk = tide_system_allocate(sizeof *chunk, LINE, 0);
    if (chunk != NULL)
        *chunk = (tide_chunk){
            .bump = start,
            .limit = start,
            .dirty = start,
            .start = start,
            .manager = manager,
            .size = size,
        };
    return chunk;
}

static tide_chunk *make(const tide_manager *manager, size_t payload, size_t alignment,
                        unsigned request)
{
    tide_chunk *chunk = manager == NULL ? make_system_chunk(payload, alignment, request)
                                        : make_foreign_chunk(manager, payload, alignment, request);
    if (chunk != NULL) {
        chunk->next = NULL;
        chunk->bump = chunk->start;
    }
    return chunk;
}

static __attribute__((noinline)) tide_status destroy(tide_chunk *chunk)
{
    const tide_manager *manager = chunk->manager;
    size_t alignment = (size_t)1 << chunk->alignment_log2;
    /* A manager of the program's own may look at what it gets back. */
    if (manager == NULL)
        tide_checker_allow_undefined(chunk->start, tide_chunk_payload(chunk) + red_zone());
    else if (tide_chunk_has_memory(chunk))
        tide_checker_allow_defined(chunk->start, tide_chunk_payload(chunk));
    if (manager == NULL) {
        tide_system_free(chunk, chunk->size, alignment);
        return TIDE_OK;
    }
    tide_assert_unlocked();
    tide_status status = manager->free(manager->context, chunk->start, chunk->size, alignment);
    tide_system_free(chunk, sizeof *chunk, LINE);
    return status;
}

/* Where chunks of a payload of the row are in the thread's lists. */
static uint32_t row_of(size_t payload)
{
    return log2_of(payload) - TIDE_CHUNK_ROW_LOG2;
}

static bool is_of_row(size_t payload)
{
    return (payload & (payload - 1)) == 0 && payload >> TIDE_CHUNK_ROW_LOG2 != 0 &&
           payload >> (TIDE_CHUNK_ROW_LOG2 + TIDE_CHUNK_ROWS) == 0;
}

/* A fork may catch the thread in the middle of these; its child leaves such lists alone. What the
 * lists' heads are stored with is release, so the child sees none of it without the mark. */
static void begin_change(tide_home_thread *thread)
{
    __atomic_store_n(&thread->mutating, 1, __ATOMIC_RELAXED);
}

static void end_change(tide_home_thread *thread)
{
    __atomic_store_n(&thread->mutating, 0, __ATOMIC_RELEASE);
}

static inline tide_chunk *pop(tide_home_thread *thread, uint32_t row)
{
    tide_chunk *chunk = thread->cached[row];
    begin_change(thread);
    __atomic_store_n(&thread->cached[row], chunk->next, __ATOMIC_RELEASE);
    thread->cached_bytes -= tide_chunk_payload(chunk);
    end_change(thread);
    chunk->next = NULL;
    chunk->bump = chunk->start;
    return chunk;
}

static inline void push(tide_home_thread *thread, tide_chunk *chunk)
{
    uint32_t row = row_of(tide_chunk_payload(chunk));
    chunk->bump = NULL;
    begin_change(thread);
    chunk->next = thread->cached[row];
    __atomic_store_n(&thread->cached[row], chunk, __ATOMIC_RELEASE);
    thread->cached_bytes += tide_chunk_payload(chunk);
    end_change(thread);
}

static bool home_is_idle(const tide_home_thread *thread)
{
    return thread->fast.home_chunk->bump == NULL;
}

static void set_home(tide_home_thread *thread, tide_chunk *chunk)
{
    begin_change(thread);
    thread->cached_bytes -= thread->fast.chunk_room;
    __atomic_store_n(&thread->fast.home_chunk, chunk, __ATOMIC_RELEASE);
    thread->fast.chunk_room = chunk != &tide_no_chunk ? tide_chunk_payload(chunk) : 0;
    thread->cached_bytes += thread->fast.chunk_room;
    end_change(thread);
}

/* Takes the idle home chunk out of its slot. */
static tide_chunk *evict_home(tide_home_thread *thread)
{
    tide_chunk *chunk = thread->fast.home_chunk;
    set_home(thread, &tide_no_chunk);
    return chunk;
}

void tide_chunk_detach_home(tide_home_thread *thread)
{
    set_home(thread, &tide_no_chunk);
}

static void settle(tide_home_thread *thread, tide_chunk *chunk)
{
    chunk->bump = NULL;
    chunk->next = NULL;
    chunk->dirty = chunk->limit; /* the inline path clears all that it hands out */
    set_home(thread, chunk);
}

/* A cached chunk of at least `payload` bytes, a size of the row, or the home chunk if it may be
 * that, or NULL. */
static inline tide_chunk *find_idle(tide_home_thread *thread, size_t payload, bool may_be_home)
{
    if (may_be_home && home_is_idle(thread) && thread->fast.chunk_room >= payload) {
        tide_chunk *chunk = thread->fast.home_chunk;
        chunk->bump = chunk->start;
        return chunk;
    }
    for (uint32_t row = row_of(payload); row < TIDE_CHUNK_ROWS; row++) {
        if (thread->cached[row] != NULL)
            return pop(thread, row);
    }
    return NULL;
}

static size_t row_payload(const tide_chunk_request *request, size_t need)
{
    size_t payload = request->row_min > request->last ? request->row_min : request->last;
    while (payload < need)
        payload *= 2;
    return payload;
}

tide_chunk *tide_chunk_obtain(tide_home_thread *thread, const tide_chunk_request *request)
{
    size_t need = request->size;
    if (request->alignment > LINE)
        need += request->alignment - LINE;
    if (need <= request->row_max) {
        size_t payload = row_payload(request, need);
        bool is_system = request->manager == NULL;
        tide_chunk *chunk =
            is_system && thread != NULL ? find_idle(thread, payload, !request->shared) : NULL;
        if (chunk != NULL)
            return chunk;
        /* An arena's first chunk is to become the home chunk when it comes back. */
        bool may_be_home =
            is_system && !request->shared && request->last == 0 && tide_settings_get()->ready;
        size_t ready = tide_settings_get()->chunk_ready;
        if (may_be_home && payload < ready && request->row_max >= ready)
            payload = ready;
        chunk = make(request->manager, payload, LINE, 0);
        if (chunk != NULL)
            return chunk;
    }
    return make(request->manager, request->size, request->alignment,
                request->zeroed ? TIDE_REQUEST_ZEROED : 0);
}

/* Frees the largest idle chunk, if it has `least` bytes. */
static bool evict_one(tide_home_thread *thread, size_t least)
{
    uint32_t rows = TIDE_CHUNK_ROWS;
    while (rows > 0 && thread->cached[rows - 1] == NULL)
        rows--;
    size_t cached = rows > 0 ? tide_chunk_payload(thread->cached[rows - 1]) : 0;
    bool home = home_is_idle(thread) && thread->fast.chunk_room > cached;
    size_t largest = home ? thread->fast.chunk_room : cached;
    if (largest == 0 || largest < least)
        return false;
    (void)destroy(home ? evict_home(thread) : pop(thread, rows - 1));
    return true;
}

/* Whether a smaller chunk would not have done: an arena filled more than half of it. */
static bool was_needed(const tide_chunk *chunk)
{
    return chunk->bump != NULL &&
           (size_t)(chunk->bump - chunk->start) > tide_chunk_payload(chunk) / 2;
}

/* How many chunks that could be the home chunk come back before an arena that has it loses it. The
 * close of that arena takes the slow path then: rarely enough not to count where arenas nest but
 * briefly, and soon where one stays open for long. */
#define PATIENCE 16u

static bool outlasts(tide_home_thread *thread, size_t payload, const tide_settings *settings)
{
    if (payload < settings->chunk_ready || ++thread->passed < PATIENCE)
        return false;
    thread->passed = 0;
    return true;
}

/* Keeps a chunk in the cache while an arena has the home chunk; false: there is more to do. A home
 * chunk in use counts as an idle one, since the inline close makes it so without a look. */
static inline bool keep_beside_home(tide_home_thread *thread, tide_chunk *chunk)
{
    const tide_settings *settings = tide_settings_get();
    size_t payload = tide_chunk_payload(chunk);
    if (thread->fast.chunk_room == 0 || home_is_idle(thread) ||
        thread->cached_bytes + payload > settings->chunk_cache ||
        outlasts(thread, payload, settings))
        return false;
    push(thread, chunk);
    return true;
}

/* Frees idle chunks until this one fits in, or else this one. */
static bool make_room(tide_home_thread *thread, tide_chunk *chunk)
{
    size_t payload = tide_chunk_payload(chunk);
    size_t least = was_needed(chunk) ? 0 : payload;
    while (thread->cached_bytes + payload > tide_settings_get()->chunk_cache) {
        if (!evict_one(thread, least)) {
            (void)destroy(chunk);
            return false;
        }
    }
    return true;
}

static void keep_as_home(tide_home_thread *thread, tide_chunk *chunk)
{
    tide_chunk *before = home_is_idle(thread) ? evict_home(thread) : NULL;
    settle(thread, chunk);
    if (before != NULL)
        push(thread, before);
}

/* Keeps a chunk of a row size within the knob's bytes, or frees it. A home chunk that an arena has
 * becomes an ordinary chunk of that arena. */
static __attribute__((noinline)) void keep(tide_home_thread *thread, tide_chunk *chunk)
{
    const tide_settings *settings = tide_settings_get();
    size_t payload = tide_chunk_payload(chunk);
    if (payload > settings->chunk_cache) {
        (void)destroy(chunk);
        return;
    }
    if (thread->fast.chunk_room != 0 && !home_is_idle(thread)) {
        tide_thread_detach_home(thread);
        tide_thread_find_home(thread);
    }
    if (!make_room(thread, chunk))
        return;
    if (payload >= settings->chunk_ready && settings->ready)
        keep_as_home(thread, chunk);
    else
        push(thread, chunk);
}

bool tide_chunk_is_cacheable(const tide_chunk *chunk)
{
    return chunk->manager == NULL && is_of_row(tide_chunk_payload(chunk)) &&
           chunk->start == (const char *)(chunk + 1);
}

tide_status tide_chunk_give_back(tide_home_thread *thread, tide_chunk *chunk)
{
    TIDE_ASSERT(tide_chunk_is_valid(chunk));
    if (chunk->manager != NULL)
        return destroy(chunk);
    if (thread != NULL && chunk == thread->fast.home_chunk) {
        chunk->bump = NULL;
        chunk->next = NULL;
        return TIDE_OK;
    }
    if (thread == NULL || !tide_chunk_is_cacheable(chunk))
        return destroy(chunk);
    tide_checker_forbid(chunk->start, tide_chunk_payload(chunk));
    if (!keep_beside_home(thread, chunk))
        keep(thread, chunk);
    return TIDE_OK;
}

/* Clears [start, end) as far as it may hold old bytes, and lets nobody take them for zero again. */
static inline void count_as_used(tide_chunk *chunk, char *start, char *end, bool zeroed)
{
    char *dirty = chunk->dirty;
    if (zeroed && start < dirty && tide_chunk_has_memory(chunk))
        memset(start, 0, (size_t)((end < dirty ? end : dirty) - start));
    if (end > dirty)
        chunk->dirty = end;
    chunk->bump = end;
}

void *tide_chunk_carve(tide_chunk *chunk, size_t size, size_t alignment, bool zeroed)
{
    bool watched = tide_settings_get()->watched && tide_chunk_has_memory(chunk);
    size_t gap = watched && chunk->bump != chunk->start ? TIDE_CHUNK_RED_ZONE : 0;
    size_t room = (size_t)(chunk->limit - chunk->bump);
    size_t padding = gap + (-((uintptr_t)chunk->bump + gap) & (alignment - 1));
    size_t taken = size == 0 ? 1 : size;
    if (padding > room || taken > room - padding)
        return NULL;
    char *block = chunk->bump + padding;
    if (watched && zeroed)
        tide_checker_allow_defined(block, size);
    else if (watched)
        tide_checker_allow_undefined(block, size);
    count_as_used(chunk, block, block + (watched ? size : taken), zeroed);
    if (watched)
        chunk->bump = block + taken;
    return block;
}

void tide_chunk_clear_to(tide_chunk *chunk, char *end)
{
    count_as_used(chunk, chunk->bump, end, true);
}

tide_chunk *tide_chunk_take_idle(tide_home_thread *thread, size_t size, bool zeroed)
{
    const tide_settings *settings = tide_settings_get();
    size_t payload = settings->chunk_min;
    if (size > settings->chunk_max)
        return NULL;
    if (size > payload)
        payload = (size_t)1 << (64 - __builtin_clzll(size - 1));
    tide_chunk *chunk = find_idle(thread, payload, true);
    if (chunk != NULL)
        count_as_used(chunk, chunk->start, chunk->start + size, zeroed);
    return chunk;
}

void tide_resizing_bytes(const tide_resizing *block, bool has_memory)
{
    if (!has_memory)
        return;
    if (block->new_size > block->old_size) {
        tide_checker_allow_defined(block->start + block->old_size,
                                   block->new_size - block->old_size);
        if (block->old_size == 0)
            *block->start = 0;
    } else if (block->new_size < block->old_size) {
        char *rest = block->start + block->new_size;
        tide_bytes_wipe(rest, 0, block->old_size - block->new_size);
        tide_checker_forbid(rest, block->old_size - block->new_size);
    }
}

void tide_chunk_move_end(tide_chunk *chunk, char *end)
{
    if (end >= chunk->bump)
        tide_chunk_clear_to(chunk, end);
    else
        chunk->bump = end;
}

size_t tide_chunks_trim(tide_home_thread *thread)
{
    size_t freed = 0;
    for (uint32_t row = 0; row < TIDE_CHUNK_ROWS; row++) {
        while (thread->cached[row] != NULL) {
            tide_chunk *chunk = pop(thread, row);
            freed += tide_chunk_payload(chunk);
            (void)destroy(chunk);
        }
    }
    if (home_is_idle(thread)) {
        tide_chunk *chunk = evict_home(thread);
        freed += tide_chunk_payload(chunk);
        (void)destroy(chunk);
    }
    return freed;
}
