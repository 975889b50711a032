/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A work queue over one shared arena. Its jobs and results are segments that every worker reads and
 * writes; a worker that gives a raw address to code that knows nothing of tidepool holds the arena
 * meanwhile; whoever finishes last closes it, and a cleanup reports before the memory goes.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <tidepool/tidepool.h>

enum { WORKERS = 4, JOBS = 64, NUMBERS = 1000 };

/* What the workers share: handles and segments are values, so every worker could have a copy. */
typedef struct queue {
    tide_shared_arena batch;
    tide_segment numbers; /* JOBS × NUMBERS of uint32_t */
    tide_segment sums;    /* JOBS of uint64_t */
    atomic_size_t next;   /* job to be taken */
    atomic_size_t left;   /* workers that have not finished */
    atomic_size_t busy;   /* closes that were refused */
    atomic_size_t failed; /* calls that should not have */
    uint64_t total;       /* written by the cleanup */
} queue;

/* ---- Code that knows nothing of tidepool: it takes an address and calls back. */

typedef void progress(void *context);

static uint64_t native_sum(const uint32_t *numbers, size_t count, progress *halfway, void *context)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        if (i == count / 2)
            halfway(context);
        sum += numbers[i];
    }
    return sum;
}

/* Somebody tries to close the batch while the address is in use. BUSY is a failure and no fault:
 * the arena is open as before, and the one who wanted to close it does something else first. */
static void try_to_close(void *context)
{
    queue *self = context;
    if (tide_shared_close(self->batch) == TIDE_BUSY)
        atomic_fetch_add(&self->busy, 1);
    else
        atomic_fetch_add(&self->failed, 1);
}

/* ---- The workers */

static tide_status do_job(queue *self, size_t job)
{
    tide_segment part;
    tide_hold hold;
    size_t bytes = NUMBERS * sizeof(uint32_t);
    tide_status status = tide_segment_slice(&self->numbers, job * bytes, bytes, &part);
    if (status == TIDE_OK)
        status = tide_shared_hold(self->batch, &hold);
    if (status != TIDE_OK)
        return status;

    /* A checked access protects itself; a raw address is good while the hold lasts. */
    uint64_t sum = native_sum(tide_segment_address(&part), NUMBERS, try_to_close, self);
    status = tide_hold_release(&hold);
    if (status == TIDE_OK)
        status = tide_store_u64_at(&self->sums, job, sum);
    return status;
}

static void *work(void *context)
{
    queue *self = context;
    size_t job;
    while ((job = atomic_fetch_add(&self->next, 1)) < JOBS)
        if (do_job(self, job) != TIDE_OK)
            atomic_fetch_add(&self->failed, 1);

    /* The last one closes. Nobody holds it any more, so it can't be BUSY; had another thread closed
     * it already, this would be CLOSED. */
    if (atomic_fetch_sub(&self->left, 1) == 1 && tide_shared_close(self->batch) != TIDE_OK)
        atomic_fetch_add(&self->failed, 1);
    return NULL;
}

/* ---- The batch */

/* Runs in the close: the segments are dead already, the memory is not, so it goes by the
 * address. */
static const char *report(void *context)
{
    queue *self = context;
    const uint64_t *sums = tide_segment_address(&self->sums);
    for (size_t job = 0; job < JOBS; job++)
        self->total += sums[job];
    return NULL;
}

static tide_status prepare(queue *self)
{
    tide_arena_options options = TIDE_ARENA_OPTIONS_INIT;
    options.name = "batch";
    tide_status status = tide_shared_open_with(&self->batch, &options);
    if (status != TIDE_OK)
        return status;
    size_t bytes = (size_t)JOBS * NUMBERS * sizeof(uint32_t);
    status = tide_shared_segment_uninitialized(self->batch, bytes, 64, &self->numbers);
    if (status == TIDE_OK)
        status = tide_shared_segment(self->batch, JOBS * sizeof(uint64_t), 64, &self->sums);
    if (status == TIDE_OK)
        status = tide_shared_attach(self->batch, report, self);
    for (size_t i = 0; i < (size_t)JOBS * NUMBERS && status == TIDE_OK; i++)
        status = tide_store_u32_at(&self->numbers, i, (uint32_t)i);
    return status;
}

int main(void)
{
    queue jobs = {.left = WORKERS};
    pthread_t workers[WORKERS];
    if (prepare(&jobs) != TIDE_OK) {
        fprintf(stderr, "%s\n", tide_last_error_text());
        return 1;
    }
    for (size_t i = 0; i < WORKERS; i++)
        if (pthread_create(&workers[i], NULL, work, &jobs) != 0)
            return 1;
    for (size_t i = 0; i < WORKERS; i++)
        pthread_join(workers[i], NULL);

    uint64_t count = (uint64_t)JOBS * NUMBERS;
    printf("sum %" PRIu64 ", %zu closes refused, %zu calls failed\n", jobs.total,
           atomic_load(&jobs.busy), atomic_load(&jobs.failed));
    if (jobs.total != count * (count - 1) / 2 || atomic_load(&jobs.busy) != JOBS ||
        atomic_load(&jobs.failed) != 0)
        return 1;

    /* What is left of the batch is recognised for ever. */
    uint64_t sum;
    return tide_load_u64(&jobs.sums, 0, &sum) == TIDE_CLOSED ? 0 : 1;
}
