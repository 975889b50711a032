/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dlopen LIBRARY: loads tidepool late, from several threads at once that were there before it was,
 * and uses it through what dlsym() finds. Each thread lets go of the library before it ends, so
 * what the library does at a thread's end runs when nobody refers to it any more. Twice: the second
 * time the library is there already.
 */
#define _POSIX_C_SOURCE 200809L
#define TIDE_NO_INLINE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tidepool/tidepool.h>

#define THREADS 8
#define ROUNDS  1000

static const char *library_path;
static pthread_barrier_t barrier;

static void expect(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "not so: %s\n", what);
        exit(1);
    }
}

typedef struct calls {
    __typeof__(&tide_arena_open) open;
    __typeof__(&tide_arena_allocate) allocate;
    __typeof__(&tide_arena_segment) segment;
    __typeof__(&tide_arena_close) close;
    __typeof__(&tide_load_i64) load;
    __typeof__(&tide_store_i64) store;
} calls;

static void find(void *library, const char *name, void *function)
{
    void *address = dlsym(library, name);
    expect(address != NULL, name);
    memcpy(function, &address, sizeof address);
}

static void use_once(const calls *call, int64_t number)
{
    tide_arena arena;
    tide_segment segment;
    int64_t value = 0;
    expect(call->open(&arena) == TIDE_OK, "an arena opens");
    char *bytes = call->allocate(&arena, 20, 4);
    expect(bytes != NULL && bytes[0] == 0 && bytes[19] == 0, "memory is zeroed");
    memset(bytes, 0xA5, 20);
    expect(call->segment(&arena, 1000, 8, &segment) == TIDE_OK, "a segment is given");
    expect(call->store(&segment, 992, number) == TIDE_OK, "a value is stored");
    expect(call->load(&segment, 992, &value) == TIDE_OK && value == number, "and loaded");
    expect(call->close(&arena) == TIDE_OK, "the arena closes");
    expect(call->load(&segment, 992, &value) == TIDE_CLOSED, "a stale segment is recognised");
}

static void *run(void *argument)
{
    const int64_t *first = argument;
    pthread_barrier_wait(&barrier);
    void *library = dlopen(library_path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    calls call;
    find(library, "tide_arena_open", &call.open);
    find(library, "tide_arena_allocate", &call.allocate);
    find(library, "tide_arena_segment", &call.segment);
    find(library, "tide_arena_close", &call.close);
    find(library, "tide_load_i64", &call.load);
    find(library, "tide_store_i64", &call.store);
    for (int64_t i = 0; i < ROUNDS; i++)
        use_once(&call, *first + i);
    expect(dlclose(library) == 0, "the library is let go");
    return NULL;
}

int main(int argc, char **argv)
{
    expect(argc == 2, "one argument");
    library_path = argv[1];
    for (int round = 0; round < 2; round++) {
        pthread_t threads[THREADS];
        int64_t first[THREADS];
        expect(pthread_barrier_init(&barrier, NULL, THREADS) == 0, "a barrier");
        for (int i = 0; i < THREADS; i++) {
            first[i] = (int64_t)i << 32;
            expect(pthread_create(&threads[i], NULL, run, &first[i]) == 0, "a thread");
        }
        for (int i = 0; i < THREADS; i++)
            expect(pthread_join(threads[i], NULL) == 0, "its end");
        pthread_barrier_destroy(&barrier);
    }
    return 0;
}
