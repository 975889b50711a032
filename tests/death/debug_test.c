/* SPDX-License-Identifier: Apache-2.0 */
/* What debug builds check of the library itself: no lock is held where the program is called, and
 * the structures keep what their fields promise. The deeds look at internals to break a rule;
 * another build does not notice. */
#include "death.h"

#include "lifetime/arena.h"
#include "lifetime/cells.h"
#include "lifetime/chunk.h"

#ifdef TIDE_DEBUG
#define DIES DEATH_BY_ABORT
#define SAYS(...)                      \
    {                                  \
        "does not hold: ", __VA_ARGS__ \
    }
#define SAYS_UNLOCKED  SAYS("tide_locks_held == 0")
#define SAYS_VALID(of) SAYS("tide_" of "_is_valid")
#else
#define DIES 0
#define SAYS_UNLOCKED \
    {                 \
        NULL          \
    }
#define SAYS_VALID(of) \
    {                  \
        NULL           \
    }
#endif

static void demand(bool condition)
{
    if (!condition)
        _exit(99);
}

/* Nothing here ends in the ordinary way: what is broken stays so. */
static void leave(const tide_fault *fault)
{
    (void)fault;
    _exit(0);
}

/* ------------------------------------------------------------------------------- locks */

static void *plain_allocate(void *context, size_t size, size_t alignment, unsigned request)
{
    (void)context;
    return tide_system_allocate(size, alignment, request);
}

static tide_status plain_free(void *context, void *block, size_t size, size_t alignment)
{
    (void)context;
    tide_system_free(block, size, alignment);
    return TIDE_OK;
}

static const tide_manager plain = {
    .struct_size = sizeof plain,
    .name = "plain",
    .allocate = plain_allocate,
    .free = plain_free,
};

static tide_arena arena;

static void open_on_plain(void)
{
    tide_arena_options options = TIDE_ARENA_OPTIONS_INIT;
    options.manager = &plain;
    demand(tide_arena_open_with(&arena, &options) == TIDE_OK);
}

static const char *stay_silent(void *context)
{
    (void)context;
    return NULL;
}

static void run_a_cleanup_under_the_lock(void)
{
    open_on_plain();
    demand(tide_arena_attach(&arena, stay_silent, NULL) == TIDE_OK);
    tide_ending ending = {0};
    tide_cells_lock();
    tide_cleanups_run(tide_extra_of(tide_arena_cell(&arena)), &ending);
    _exit(0);
}

static void call_a_manager_under_the_lock(void)
{
    tide_cells_lock();
    demand(tide_manager_allocate(&plain, 8, 8, 0) != NULL);
    _exit(0);
}

static void take_a_chunk_under_the_lock(void)
{
    open_on_plain();
    tide_cells_lock();
    demand(tide_arena_allocate(&arena, 100, 8) != NULL);
    _exit(0);
}

static void give_a_chunk_back_under_the_lock(void)
{
    open_on_plain();
    demand(tide_arena_allocate(&arena, 100, 8) != NULL);
    tide_cells_lock();
    (void)tide_chunk_give_back(tide_thread_current(), tide_cell_chunks(tide_arena_cell(&arena)));
    _exit(0);
}

static void fault_under_the_lock(void)
{
    tide_fault_handler_set(leave);
    tide_cells_lock();
    (void)tide_owner_set(0);
}

static void call_without_the_lock(void)
{
    open_on_plain();
    demand(tide_arena_attach(&arena, stay_silent, NULL) == TIDE_OK);
    demand(tide_arena_allocate(&arena, 100, 8) != NULL);
    tide_cells_lock();
    tide_cells_unlock();
    demand(tide_arena_close(&arena) == TIDE_OK);
    tide_fault_handler_set(leave);
    (void)tide_owner_set(0);
}

/* ------------------------------------------------------------------------------- structures */

static void reset_with_a_broken_cell(void)
{
    demand(tide_arena_open(&arena) == TIDE_OK);
    tide_cell *cell = tide_arena_scope(&arena).cell_;
    cell->since = cell->epoch + 2;
    demand(tide_arena_reset(&arena) == TIDE_OK);
    _exit(0);
}

static void go_on_with_a_broken_window(void)
{
    demand(tide_arena_open(&arena) == TIDE_OK);
    demand(tide_arena_scope(&arena).cell_ != NULL);
    arena.bump_ -= 64;
    demand(tide_arena_take_cell(&arena) != NULL);
    _exit(0);
}

static void give_back_a_broken_chunk(void)
{
    open_on_plain();
    demand(tide_arena_allocate(&arena, 100, 8) != NULL);
    tide_chunk *chunk = tide_cell_chunks(tide_arena_cell(&arena));
    chunk->dirty = chunk->limit + 1;
    (void)tide_chunk_give_back(tide_thread_current(), chunk);
    _exit(0);
}

static void close_on_a_broken_thread(void)
{
    open_on_plain();
    tide_thread_current()->cached_bytes++;
    demand(tide_arena_close(&arena) == TIDE_OK);
    _exit(0);
}

#define DEED(function, words)                                            \
    {                                                                    \
        .name = #function, .deed = function, .dies = DIES, .says = words \
    }

static const death_case cases[] = {
    DEED(run_a_cleanup_under_the_lock, SAYS_UNLOCKED),
    DEED(call_a_manager_under_the_lock, SAYS_UNLOCKED),
    DEED(take_a_chunk_under_the_lock, SAYS_UNLOCKED),
    DEED(give_a_chunk_back_under_the_lock, SAYS_UNLOCKED),
    DEED(fault_under_the_lock, SAYS_UNLOCKED),
    {.name = "call_without_the_lock", .deed = call_without_the_lock, .not_says = "does not hold"},
    DEED(reset_with_a_broken_cell, SAYS_VALID("arena")),
    DEED(go_on_with_a_broken_window, SAYS_VALID("arena")),
    DEED(give_back_a_broken_chunk, SAYS_VALID("chunk")),
    DEED(close_on_a_broken_thread, SAYS_VALID("home_thread")),
};

int main(int count, char **arguments)
{
    return death_main(cases, sizeof cases / sizeof cases[0], count, arguments);
}
