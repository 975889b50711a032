/* SPDX-License-Identifier: Apache-2.0 */
#include "lifetime/grace.h"

#include <pthread.h>

#include "base/error.h"
#include "base/os.h"
#include "base/settings.h"
#include "lifetime/cells.h"
#include "lifetime/check.h"
#include "lifetime/retire.h"
#include "lifetime/segment.h"
#include "lifetime/thread.h"
#include <tidepool/detail/check_inline.h>
#include <tidepool/grace.h>

/* The number of the present phase; 0 is nobody's stamp. Written under the lock of cells.h. */
static uint64_t phase = 1;

/* Sections of threads that have no block, because there was no memory for one. */
static uint64_t strays;

/* For the statistics only: relaxed. */
static uint64_t periods;
static uint64_t closers;
static uint64_t stuck_thread;

/* Whether the system makes all threads pass a barrier; asked once, before the first thread is told
 * a phase. */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool has_barrier;

static void ask_for_barrier(void)
{
    has_barrier = tide_settings_get()->barrier && tide_os_barrier_prepare();
}

static bool inline_sections(void)
{
    pthread_once(&once, ask_for_barrier);
    return has_barrier;
}

void tide_grace_enroll(tide_home_thread *thread)
{
    tide_relaxed_store_(&thread->fast.phase, inline_sections() ? phase : 0);
}

void tide_grace_forked(void)
{
    strays = 0;
    closers = 0;
    stuck_thread = 0;
    if (has_barrier)
        (void)tide_os_barrier_prepare();
}

/*
 * With a barrier for all threads the stamp is a plain store, as in tide_section_enter_(). Without,
 * exchange, then load of the epoch, are sequentially consistent, as are the closer's exchange of
 * the epoch, then load of the stamp.
 */
static void stamp(tide_thread *thread)
{
    uint64_t now = __atomic_load_n(&phase, __ATOMIC_ACQUIRE);
    if (inline_sections())
        tide_relaxed_store_(&thread->reading, now);
    else
        (void)__atomic_exchange_n(&thread->reading, now, __ATOMIC_SEQ_CST);
    tide_compiler_barrier_();
}

static void enter(tide_section *section)
{
    tide_home_thread *thread = tide_thread_enter_quietly();
    if (thread == NULL) {
        section->kind = TIDE_SECTION_STRAY;
        (void)__atomic_add_fetch(&strays, 1, __ATOMIC_SEQ_CST);
        return;
    }
    section->kind = TIDE_SECTION_OWN;
    section->thread = &thread->fast;
    section->outer = tide_relaxed_(&thread->fast.reading);
    if (section->outer == 0)
        stamp(&thread->fast);
}

void tide_section_close(const tide_section *section)
{
    if (section->kind == TIDE_SECTION_OWN)
        __atomic_store_n(&section->thread->reading, section->outer, __ATOMIC_RELEASE);
    else if (section->kind == TIDE_SECTION_STRAY)
        (void)__atomic_sub_fetch(&strays, 1, __ATOMIC_RELEASE);
}

static bool is_alive(const tide_cell *cell, uint64_t epoch)
{
    uint64_t word = __atomic_load_n(&cell->epoch, __ATOMIC_SEQ_CST);
    return ((word ^ epoch) & TIDE_SHARED_EPOCH) == 0;
}

bool tide_section_try(const tide_segment *segment, tide_section *section)
{
    const tide_cell *cell = segment->cell_;
    uint64_t epoch = tide_segment_epoch(segment);
    section->kind = TIDE_SECTION_NONE;
    if (cell == NULL)
        return false;
    if (!tide_cell_is_shared(cell))
        return tide_scope_status(cell, epoch) == TIDE_OK;
    if (cell == &tide_cell_global)
        return true;
    enter(section);
    if (is_alive(cell, epoch))
        return true;
    tide_section_close(section);
    section->kind = TIDE_SECTION_NONE;
    return false;
}

tide_status tide_section_refuse(const tide_segment *segment, const char *operation)
{
    return tide_scope_check(segment->cell_, tide_segment_epoch(segment), operation);
}

tide_status tide_section_open(const tide_segment *segment, const char *operation,
                              tide_section *section)
{
    if (tide_section_try(segment, section))
        return TIDE_OK;
    return tide_section_refuse(segment, operation);
}

tide_status tide_section_open_both(const tide_segment *first, const tide_segment *second,
                                   const char *operation, tide_section_pair *pair)
{
    tide_status status = tide_section_open(first, operation, &pair->first);
    if (status != TIDE_OK || tide_section_try(second, &pair->second))
        return status;
    tide_section_close(&pair->first);
    return tide_section_refuse(second, operation);
}

void tide_section_close_both(const tide_section_pair *pair)
{
    tide_section_close(&pair->second);
    tide_section_close(&pair->first);
}

bool tide_section_is_inside(void)
{
    return tide_relaxed_(&tide_thread_self_()->reading) != 0;
}

/* Begins a new phase; says whether there is another thread that could read. Release: a reader who
 * stamps with the new phase, and is not waited for, sees the epochs that moved before it. */
static bool begin_phase(uint64_t *begun)
{
    const tide_home_thread *self = tide_thread_current();
    bool others = false;
    tide_cells_lock();
    __atomic_store_n(&phase, phase + 1, __ATOMIC_RELEASE);
    *begun = phase;
    for (tide_home_thread *thread = tide_threads; thread != NULL; thread = thread->next) {
        others |= thread != self;
        if (tide_relaxed_(&thread->fast.phase) != 0)
            __atomic_store_n(&thread->fast.phase, phase, __ATOMIC_RELEASE);
    }
    tide_cells_unlock();
    return others;
}

/* A thread that is inside a section of an earlier phase, by its number in the system; 0: none. */
static uint64_t find_reader(uint64_t begun)
{
    uint64_t found = 0;
    tide_cells_lock();
    for (tide_home_thread *thread = tide_threads; thread != NULL && found == 0;
         thread = thread->next) {
        /* Acquire: the end of a section comes with all its accesses done. */
        uint64_t reading = __atomic_load_n(&thread->fast.reading, __ATOMIC_SEQ_CST);
        if (reading != 0 && reading < begun)
            found = thread->number;
    }
    tide_cells_unlock();
    return found;
}

#define LOOKS_IMPATIENT 64u

/* Waits for the readers of earlier phases and for a moment without strays. */
static bool wait_for_readers(uint64_t begun, bool patience)
{
    for (uint32_t looks = 0;; looks++) {
        uint64_t reader = find_reader(begun);
        if (reader == 0 && __atomic_load_n(&strays, __ATOMIC_SEQ_CST) == 0) {
            if (looks > LOOKS_IMPATIENT)
                tide_relaxed_store_(&stuck_thread, 0);
            return true;
        }
        if (looks >= LOOKS_IMPATIENT) {
            if (!patience)
                return false;
            tide_relaxed_store_(&stuck_thread, reader);
        }
        tide_os_wait_a_little(looks);
    }
}

/* The caller has moved epochs by sequentially consistent exchanges. */
bool tide_grace_wait(bool patience)
{
    uint64_t begun;
    (void)__atomic_add_fetch(&closers, 1, __ATOMIC_RELAXED);
    bool others = begin_phase(&begun);
    if (others && inline_sections())
        tide_os_barrier();
    bool passed = wait_for_readers(begun, patience);
    (void)__atomic_sub_fetch(&closers, 1, __ATOMIC_RELAXED);
    if (passed)
        (void)__atomic_add_fetch(&periods, 1, __ATOMIC_RELAXED);
    return passed;
}

tide_status tide_grace_statistics_get(tide_grace_statistics *statistics)
{
    if (statistics == NULL)
        return TIDE_ERROR_PLAIN(TIDE_INVALID_ARGUMENT, "statistics", TIDE_NO_OBJECT,
                                "no place for the figures: NULL");
    TIDE_TRY(tide_check_struct_size(TIDE_NO_OBJECT, statistics->struct_size, sizeof *statistics,
                                    "statistics"));
    tide_retired_figures figures = tide_retired_now();
    *statistics = (tide_grace_statistics){
        .struct_size = sizeof *statistics,
        .periods = tide_relaxed_(&periods),
        .closers = tide_relaxed_(&closers),
        .stuck_thread = tide_relaxed_(&stuck_thread),
        .retired_arenas = figures.retired,
        .retired_bytes = figures.retired_bytes,
        .ready_arenas = figures.ready,
        .ready_bytes = figures.ready_bytes,
        .barrier = inline_sections() ? "membarrier" : "fences",
    };
    return TIDE_OK;
}
