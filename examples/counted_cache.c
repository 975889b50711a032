/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cache whose entry is replaced while readers use it. Each version lies in a counted arena of its
 * own: the cache has one reference, each reader takes one for as long as it reads, and the version
 * ends, cleanup and all, with whoever lets go of it last.
 *
 * The lock guards the place where the handle lies and nothing else: a reader may come to retain a
 * version that has just ended. It is told so, for ever, and looks again.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <tidepool/tidepool.h>

enum { READERS = 3, VERSIONS = 200, WORDS = 512 };

/* One version: a value of 48 bytes, copied freely. */
typedef struct entry {
    tide_shared_arena arena;
    tide_segment words; /* WORDS of uint64_t, each of them the version's number */
} entry;

typedef struct cache {
    pthread_mutex_t lock; /* guards current */
    entry current;
    atomic_size_t ended;   /* versions */
    atomic_size_t reads;   /* of a whole version */
    atomic_size_t retries; /* retains that came too late */
    atomic_size_t failed;  /* calls that should not have */
    atomic_bool done;
} cache;

/* ---- Versions */

static const char *version_ended(void *context)
{
    cache *self = context;
    atomic_fetch_add(&self->ended, 1);
    return NULL;
}

/* A new version, its one reference the caller's. */
static tide_status make_version(cache *self, uint64_t number, entry *made)
{
    tide_status status = tide_counted_open(&made->arena);
    if (status != TIDE_OK)
        return status;
    status = tide_shared_segment(made->arena, WORDS * sizeof(uint64_t), 64, &made->words);
    for (size_t i = 0; i < WORDS && status == TIDE_OK; i++)
        status = tide_store_u64_at(&made->words, i, number);
    if (status == TIDE_OK)
        status = tide_shared_attach(made->arena, version_ended, self);
    if (status != TIDE_OK)
        return tide_counted_release(made->arena) == TIDE_OK ? status : TIDE_CLEANUP_FAILED;
    /* Readers get a view that nobody can write through. */
    return tide_segment_read_only(&made->words, &made->words);
}

/* ---- Readers and the writer */

static entry look(cache *self)
{
    pthread_mutex_lock(&self->lock);
    entry found = self->current;
    pthread_mutex_unlock(&self->lock);
    return found;
}

/* The present version, with a reference of the caller's. */
static tide_status acquire(cache *self, entry *acquired)
{
    for (;;) {
        entry found = look(self);
        tide_status status = tide_counted_retain(found.arena);
        if (status == TIDE_OK)
            *acquired = found;
        if (status != TIDE_CLOSED)
            return status;
        atomic_fetch_add(&self->retries, 1); /* it was replaced, and its last reader has left */
    }
}

static tide_status read_version(cache *self)
{
    entry mine;
    tide_status status = acquire(self, &mine);
    if (status != TIDE_OK)
        return status;
    uint64_t first = tide_get_u64_at(&mine.words, 0);
    for (size_t i = 1; i < WORDS; i++)
        if (tide_get_u64_at(&mine.words, i) != first)
            atomic_fetch_add(&self->failed, 1); /* half of one version, half of another: never */
    atomic_fetch_add(&self->reads, 1);
    return tide_counted_release(
        mine.arena); /* may be the last: what its cleanups say is said here */
}

static void *read_on(void *context)
{
    cache *self = context;
    while (!atomic_load(&self->done))
        if (read_version(self) != TIDE_OK)
            atomic_fetch_add(&self->failed, 1);
    return NULL;
}

/* The cache's reference goes to the next version; readers of the one before keep theirs. */
static tide_status replace(cache *self, uint64_t number)
{
    entry next;
    tide_status status = make_version(self, number, &next);
    if (status != TIDE_OK)
        return status;
    pthread_mutex_lock(&self->lock);
    entry before = self->current;
    self->current = next;
    pthread_mutex_unlock(&self->lock);
    return tide_counted_release(before.arena);
}

int main(void)
{
    cache shelf = {.lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_t readers[READERS];
    if (make_version(&shelf, 0, &shelf.current) != TIDE_OK)
        return 1;
    for (size_t i = 0; i < READERS; i++)
        if (pthread_create(&readers[i], NULL, read_on, &shelf) != 0)
            return 1;

    for (uint64_t number = 1; number < VERSIONS; number++)
        if (replace(&shelf, number) != TIDE_OK)
            return 1;
    atomic_store(&shelf.done, true);
    for (size_t i = 0; i < READERS; i++)
        pthread_join(readers[i], NULL);

    /* Only the cache's own reference to the last version is left. */
    if (atomic_load(&shelf.ended) != VERSIONS - 1 || read_version(&shelf) != TIDE_OK ||
        tide_counted_release(shelf.current.arena) != TIDE_OK)
        return 1;
    printf("%zu versions ended, read %zu times, %zu retains came too late\n",
           atomic_load(&shelf.ended), atomic_load(&shelf.reads), atomic_load(&shelf.retries));
    if (atomic_load(&shelf.ended) != VERSIONS || atomic_load(&shelf.failed) != 0)
        return 1;
    return tide_counted_retain(shelf.current.arena) == TIDE_CLOSED ? 0 : 1;
}
