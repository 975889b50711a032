/* SPDX-License-Identifier: Apache-2.0 */
#include "lifetime/thread.h"

#include <string.h>

#include "base/assert.h"
#include "base/error.h"
#include "base/os.h"
#include "base/settings.h"
#include "base/thread_local.h"
#include "base/tokens.h"
#include "lifetime/cells.h"
#include "lifetime/chunk.h"
#include "lifetime/grace.h"
#include "lifetime/report.h"
#include "lifetime/retire.h"
#include "lifetime/valid.h"

/* What a slot holds that has nothing: taken for ever, so that the inline path needs no test for
 * NULL. */
tide_cell tide_no_cell = {.epoch = 2, .mark = TIDE_MARK_NONE};
tide_chunk tide_no_chunk = {.bump = (char *)&tide_no_chunk};

tide_home_thread tide_start_thread = {
    .fast = {.owner = TIDE_OWNER_NOBODY,
             .word = TIDE_MARK_NOBODYS, /* no arena's */
             .home = &tide_no_cell,
             .home_chunk = &tide_no_chunk},
};

/* The symbol that names the layout; see detail/layout.h. */
TIDE_API TIDE_THREAD_LOCAL tide_thread *volatile tide_thread_layout2_ = &tide_start_thread.fast;

/* The tokens outlive the block: a destructor may need another one. 0 before the first. */
static TIDE_THREAD_LOCAL tide_owner own_token;
static TIDE_THREAD_LOCAL tide_owner current_token;

tide_home_thread *tide_threads;
static uint64_t mark_number = 1; /* relaxed: it orders nothing, it only grows */

#if !TIDE_STATIC_TLS_
tide_thread *tide_thread_self_layout2_(void)
{
    return tide_thread_layout2_;
}
#endif

/* Not inlined, so that no caller's compiler sees the store next to an assembly read of the same
 * variable and orders them at will. */
static __attribute__((noinline)) void set_self(tide_home_thread *thread)
{
    tide_thread_layout2_ = &thread->fast;
    __asm__ volatile("" ::: "memory");
}

uint64_t tide_mark_next(void)
{
    return __atomic_add_fetch(&mark_number, 1, __ATOMIC_RELAXED);
}

static void enroll(tide_home_thread *thread)
{
    tide_cells_lock();
    thread->next = tide_threads;
    if (tide_threads != NULL)
        tide_threads->previous = thread;
    tide_threads = thread;
    tide_grace_enroll(thread);
    tide_cells_unlock();
}

/* Under the lock. */
static void strike_off(tide_home_thread *thread)
{
    if (thread->previous != NULL)
        thread->previous->next = thread->next;
    else
        tide_threads = thread->next;
    if (thread->next != NULL)
        thread->next->previous = thread->previous;
}

/* A section that the thread never ended must not be waited for: it ends with the thread's block. */
static void end_section(tide_home_thread *thread)
{
    if (tide_relaxed_(&thread->fast.reading) == 0)
        return;
#ifdef TIDE_DEBUG
    (void)TIDE_ERROR(TIDE_INVALID_ARGUMENT, "thread exit", TIDE_NO_OBJECT,
                     "the thread %" PRIu64 " is inside a checked access", thread->number);
    tide_fault_raise();
#endif
    __atomic_store_n(&thread->fast.reading, 0, __ATOMIC_RELEASE);
}

/* A home cell that an arena has stays that arena's: a fiber may close it on another thread. */
static void leave(void *value)
{
    tide_home_thread *thread = value;
    end_section(thread);
    (void)tide_retire_drain(false);
    current_token = thread->fast.owner;
    set_self(&tide_start_thread);
    tide_cells_lock();
    strike_off(thread);
    tide_cells_unlock();
    if (thread->fast.home->mark == 0)
        tide_cell_surrender(thread->fast.home);
    for (uint32_t i = 0; i < thread->fast.idle_count; i++)
        tide_cell_surrender(thread->fast.idle[i]);
    for (uint32_t i = 0; i < thread->kept_count; i++)
        tide_cell_surrender(thread->kept[i]);
    tide_chunks_trim(thread);
    tide_system_free(thread, sizeof *thread, _Alignof(tide_home_thread));
}

/* The order in which locks nest: the lists of shared cells, those cells, the process-wide list. */
static void fork_prepare(void)
{
    tide_retire_fork_prepare();
    tide_cells_lock();
}

static void fork_parent(void)
{
    tide_cells_unlock();
    tide_retire_fork_parent();
}

static void adopt_chunks(tide_home_thread *survivor, tide_home_thread *vanished)
{
    tide_chunk *home = vanished->fast.home_chunk;
    if (home->bump == NULL)
        (void)tide_chunk_give_back(survivor, home);
    for (uint32_t row = 0; row < TIDE_CHUNK_ROWS; row++) {
        while (vanished->cached[row] != NULL) {
            tide_chunk *chunk = vanished->cached[row];
            vanished->cached[row] = chunk->next;
            (void)tide_chunk_give_back(survivor, chunk);
        }
    }
}

static tide_owner tokens_before_fork; /* under the lock of cells.h; 0: this is no fork's child */
static tide_owner own_token_at_fork;

/* Only the forking thread goes on. What the others had idle becomes everybody's; a list that one of
 * them was changing stays lost. */
static void fork_child(void)
{
    tokens_before_fork = tide_token_for_thread();
    own_token_at_fork = own_token;
    tide_home_thread *survivor = tide_thread_current();
    tide_home_thread *thread = tide_threads;
    tide_cells_adopt(survivor != NULL ? survivor : &tide_start_thread);
    tide_threads = survivor;
    tide_cells_unlock();
    tide_grace_forked();
    tide_retire_fork_child();
    while (thread != NULL) {
        tide_home_thread *next = thread->next;
        if (thread != survivor) {
            if (survivor != NULL && __atomic_load_n(&thread->mutating, __ATOMIC_ACQUIRE) == 0)
                adopt_chunks(survivor, thread);
            tide_system_free(thread, sizeof *thread, _Alignof(tide_home_thread));
        }
        thread = next;
    }
    if (survivor != NULL) {
        survivor->next = survivor->previous = NULL;
        survivor->number = tide_os_thread_number();
    }
}

bool tide_thread_token_is_inherited(tide_owner own)
{
    return own < tokens_before_fork && own != own_token_at_fork;
}

/* Handlers that were registered before run while the library's locks are taken, and would wait for
 * them for ever: so it is done when the library is loaded, unless the first call comes earlier. */
static bool register_forks(void)
{
    static uint32_t registered; /* 1 also while another thread is about it */
    if (__atomic_exchange_n(&registered, 1, __ATOMIC_ACQ_REL) != 0)
        return true;
    if (tide_os_at_fork(fork_prepare, fork_parent, fork_child))
        return true;
    __atomic_store_n(&registered, 0, __ATOMIC_RELEASE);
    return false;
}

__attribute__((constructor)) static void register_forks_early(void)
{
    (void)register_forks();
}

/* A report that can't be registered now is tried again by the next thread, and stops nobody. */
static void register_report(void)
{
    static bool registered;
    if (!tide_settings_get()->exit_report ||
        __atomic_exchange_n(&registered, true, __ATOMIC_RELAXED))
        return;
    if (!tide_os_at_exit(tide_report_at_exit))
        __atomic_store_n(&registered, false, __ATOMIC_RELAXED);
}

/* What the process needs before its first block; NULL, or what it lacks. A step that failed is
 * tried again by the next call, and none is done twice. Nobody waits for another thread, which a
 * fork's child may be without. */
static const char *prepare(void)
{
    if (!tide_os_thread_exit_init(leave))
        return "the process has no thread-specific key left";
    if (!register_forks())
        return "no memory for a fork handler";
    register_report();
    return NULL;
}

static void fill(tide_home_thread *thread)
{
    const tide_settings *settings = tide_settings_get();
    bool ready = settings->ready;
    thread->own = own_token;
    thread->number = tide_os_thread_number();
    thread->fast.owner = current_token;
    thread->fast.word = tide_mark_word(tide_mark_next());
    thread->fast.home = &tide_no_cell;
    thread->fast.home_chunk = &tide_no_chunk;
    thread->fast.idle_limit = ready ? settings->pool_count - 1 : 0;
    thread->kept_limit = ready ? 0 : settings->pool_count;
}

/* Makes the thread's block; NULL, or what it lacks. */
static const char *make_block(void)
{
    const char *lacking = prepare();
    if (lacking != NULL)
        return lacking;
    tide_home_thread *thread =
        tide_system_allocate(sizeof *thread, _Alignof(tide_home_thread), TIDE_REQUEST_ZEROED);
    if (thread == NULL)
        return "no memory for the thread's block";
    if (!tide_os_thread_exit_arm(thread)) {
        tide_system_free(thread, sizeof *thread, _Alignof(tide_home_thread));
        return "no memory to note the thread's end";
    }
    if (own_token == 0)
        own_token = current_token = tide_token_for_thread();
    fill(thread);
    TIDE_ASSERT(tide_home_thread_is_valid(thread));
    enroll(thread);
    set_self(thread);
    return NULL;
}

tide_home_thread *tide_thread_enter(const char *operation)
{
    if (tide_thread_current() == NULL) {
        const char *lacking = make_block();
        if (lacking != NULL)
            (void)TIDE_ERROR_PLAIN(TIDE_OUT_OF_MEMORY, operation, TIDE_NO_OBJECT, lacking);
    }
    return tide_thread_current();
}

tide_home_thread *tide_thread_enter_quietly(void)
{
    if (tide_thread_current() == NULL)
        (void)make_block();
    return tide_thread_current();
}

void tide_thread_return(void)
{
    if (tide_thread_current() == NULL && own_token != 0)
        (void)make_block();
}

bool tide_thread_token_lives(tide_owner own)
{
    for (tide_home_thread *thread = tide_threads; thread != NULL; thread = thread->next) {
        if (thread->own == own || tide_relaxed_(&thread->fast.owner) == own)
            return true;
    }
    return false;
}

size_t tide_thread_count(void)
{
    size_t count = 0;
    for (tide_home_thread *thread = tide_threads; thread != NULL; thread = thread->next)
        count++;
    return count;
}

/* Takes out of the array a cell that this owner had last, or NULL. */
static tide_cell *find_own(tide_home_thread *thread)
{
    for (uint32_t i = 0; i < thread->fast.idle_count; i++) {
        tide_cell *cell = thread->fast.idle[i];
        if (cell->owner == thread->fast.owner) {
            thread->fast.idle[i] = thread->fast.idle[--thread->fast.idle_count];
            return cell;
        }
    }
    return NULL;
}

/* Makes room in a full array; one without slots stays as it is. */
static void drop_oldest(tide_home_thread *thread)
{
    tide_cell **idle = thread->fast.idle;
    if (thread->fast.idle_count == 0)
        return;
    tide_cell_surrender(idle[0]);
    thread->fast.idle_count--;
    memmove(idle, idle + 1, thread->fast.idle_count * sizeof *idle);
}

/* Another owner's cell becomes this one's only as an arena takes it: until then a stale segment of
 * the other must be told apart from one of nobody's. So it waits in the array. */
void tide_thread_find_home(tide_home_thread *thread)
{
    tide_cell *home = thread->fast.home;
    if (home != &tide_no_cell && home->owner == thread->fast.owner)
        return;
    tide_cell *own = find_own(thread);
    thread->fast.home = own != NULL ? own : &tide_no_cell;
    if (home == &tide_no_cell)
        return;
    if (thread->fast.idle_count == thread->fast.idle_limit)
        drop_oldest(thread);
    if (thread->fast.idle_limit != 0)
        thread->fast.idle[thread->fast.idle_count++] = home;
    else
        tide_cell_surrender(home);
}

static tide_cell *pop_or_obtain(tide_home_thread *thread)
{
    tide_cell *cell = tide_idle_pop_(&thread->fast, thread->fast.owner);
    if (cell != NULL)
        return cell;
    cell = thread->kept_count != 0 ? thread->kept[--thread->kept_count] : tide_cell_obtain();
    if (cell != NULL)
        tide_cell_set_owner(cell, thread->fast.owner);
    return cell;
}

tide_cell *tide_thread_take_cell(tide_home_thread *thread)
{
    TIDE_ASSERT(tide_home_thread_is_valid(thread));
    tide_cell *cell = thread->fast.home;
    if (cell->mark == 0)
        return cell;
    cell = pop_or_obtain(thread);
    if (cell != NULL && !tide_thread_has_home(&thread->fast) && tide_settings_get()->ready)
        thread->fast.home = cell;
    return cell;
}

void tide_thread_give_cell(tide_home_thread *thread, tide_cell *cell)
{
    cell->special = 0;
    cell->arena &= ~TIDE_ARENA_COLD;
    tide_relaxed_store_(&cell->mark, 0);
    TIDE_ASSERT(tide_cell_is_valid(cell) && tide_home_thread_is_valid(thread));
    if (cell == thread->fast.home)
        return;
    if (!tide_thread_has_home(&thread->fast) && tide_settings_get()->ready)
        thread->fast.home = cell;
    else if (thread->fast.idle_count < thread->fast.idle_limit)
        thread->fast.idle[thread->fast.idle_count++] = cell;
    else if (thread->kept_count < thread->kept_limit)
        thread->kept[thread->kept_count++] = cell;
    else
        tide_cell_surrender(cell);
}

void tide_thread_detach_home(tide_home_thread *thread)
{
    if (thread->fast.home->mark != 0)
        thread->fast.home = &tide_no_cell;
    if (thread->fast.home_chunk->bump != NULL)
        tide_chunk_detach_home(thread);
}

tide_owner tide_owner_current(void)
{
    const tide_home_thread *thread = tide_thread_enter("owner");
    return thread != NULL ? thread->fast.owner : 0;
}

#ifdef TIDE_DEBUG
/* One token is current on one thread at a time. */
static bool is_current_elsewhere(const tide_home_thread *self, tide_owner token)
{
    bool found = false;
    tide_cells_lock();
    for (tide_home_thread *thread = tide_threads; thread != NULL && !found; thread = thread->next)
        found = thread != self && tide_relaxed_(&thread->fast.owner) == token;
    tide_cells_unlock();
    return found;
}
#endif

tide_owner tide_owner_set(tide_owner token)
{
    if (!tide_token_exists(token)) {
        (void)TIDE_ERROR(TIDE_INVALID_ARGUMENT, "owner", TIDE_NO_OBJECT,
                         "no such owner token: %" PRIu64, token);
        tide_fault_raise();
    }
    tide_home_thread *thread = tide_thread_enter("owner");
    if (thread == NULL)
        return 0;
#ifdef TIDE_DEBUG
    if (is_current_elsewhere(thread, token)) {
        (void)TIDE_ERROR(TIDE_INVALID_ARGUMENT, "owner", TIDE_NO_OBJECT,
                         "owner token %" PRIu64 " is current on another thread", token);
        tide_fault_raise();
    }
#endif
    tide_owner before = thread->fast.owner;
    if (token != before) {
        tide_thread_detach_home(thread);
        tide_relaxed_store_(&thread->fast.owner, token);
        tide_thread_find_home(thread);
        thread->fast.word = tide_mark_word(tide_mark_next());
    }
    return before;
}
