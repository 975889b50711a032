/* SPDX-License-Identifier: Apache-2.0 */
/* A process whose threads, or which itself, end in the middle of things. thread_end_test.c runs it,
 * one mode a run, and reads its stderr. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

/* --- threads that end with arenas open --- */

static tide_owner ended_token;
static tide_arena *left_open[3];

static void *leave_arenas_open(void *argument)
{
    (void)argument;
    tide_arena_options options = TIDE_ARENA_OPTIONS_INIT;
    options.name = "left-behind";
    ended_token = tide_owner_current();
    left_open[0] = tide_arena_new(&options);
    CHECK(tide_arena_allocate(left_open[0], 500, 8) != NULL);
    left_open[1] = tide_arena_new(NULL);
    CHECK(tide_arena_allocate(left_open[1], 20, 8) != NULL);
    left_open[2] = tide_arena_new(&options);
    char *bytes = tide_arena_allocate(left_open[2], 60, 8);
    CHECK(bytes != NULL);
    memset(bytes, 0x42, 60);
    return NULL;
}

static void end_with_lost_arenas(void)
{
    tide_pool_statistics before = stress_statistics();
    CHECK(before.lost_arenas == 0);
    stress_on_thread(leave_arenas_open, NULL);
    tide_pool_statistics after = stress_statistics();
    CHECK(after.lost_arenas == 3);
    CHECK(after.open_arenas == before.open_arenas + 3);
    CHECK(after.threads == before.threads);
    for (size_t i = 0; i < 3; i++) {
        CHECK(tide_arena_is_alive(left_open[i]));
        CHECK_STATUS(TIDE_WRONG_OWNER, tide_arena_close(left_open[i]));
    }
}

static void *leave_twenty_arenas_open(void *argument)
{
    (void)argument;
    for (size_t i = 0; i < 20; i++) {
        tide_arena *left = tide_arena_new(NULL);
        CHECK(tide_arena_allocate(left, 20, 8) != NULL);
    }
    return NULL;
}

static void end_with_many_lost_arenas(void)
{
    stress_on_thread(leave_twenty_arenas_open, NULL);
    CHECK(stress_statistics().lost_arenas == 20);
}

/* Whoever takes up the token of the thread that ended may still close them. */
static void end_with_adopted_arenas(void)
{
    end_with_lost_arenas();
    tide_owner own = tide_owner_set(ended_token);
    CHECK(stress_statistics().lost_arenas == 0); /* they have an owner again */
    char *more = tide_arena_allocate(left_open[2], 200, 8);
    CHECK(more != NULL && stress_all_bytes(more, 200, 0));
    for (size_t i = 0; i < 3; i++)
        CHECK_OK(tide_arena_delete(left_open[i]));
    CHECK(tide_owner_set(own) == ended_token);
    CHECK(stress_statistics().lost_arenas == 0);
}

static void end_with_own_arenas_open(void)
{
    static tide_arena own;
    CHECK_OK(tide_arena_open(&own));
    CHECK(tide_arena_allocate(&own, 20, 8) != NULL);
    CHECK(stress_statistics().lost_arenas == 0);
}

/* A fiber's arenas are not lost with the thread that opened them. */
static void *open_for_a_fiber(void *token)
{
    tide_owner own = tide_owner_set(*(tide_owner *)token);
    left_open[0] = tide_arena_new(NULL);
    CHECK(tide_arena_allocate(left_open[0], 500, 8) != NULL);
    CHECK(tide_owner_set(own) == *(tide_owner *)token);
    return NULL;
}

static void end_with_a_fibers_arenas(void)
{
    tide_owner token = tide_owner_new();
    stress_on_thread(open_for_a_fiber, &token);
    CHECK(stress_statistics().lost_arenas == 0);
    tide_owner own = tide_owner_set(token);
    CHECK_OK(tide_arena_delete(left_open[0]));
    CHECK(tide_owner_set(own) == token);
}

/* --- arenas in thread-specific destructors --- */

/* One key made before the library's first use and one after it, so that one destructor runs before
 * and one behind the library's own, whatever the order. */
static pthread_key_t keys[2];
static unsigned destructor_runs; /* of the thread that ended last; it was joined */

static void destructor(size_t key, void *rounds_left)
{
    tide_arena arenas[6];
    for (size_t i = 0; i < 6; i++) {
        CHECK_OK(tide_arena_open(&arenas[i]));
        size_t size = 20 + 90 * i;
        char *bytes = tide_arena_allocate(&arenas[i], size, 8);
        CHECK(bytes != NULL && stress_all_bytes(bytes, size, 0));
        memset(bytes, 0x66, size);
    }
    for (size_t i = 0; i < 6; i++)
        CHECK_OK(tide_arena_close(&arenas[i]));
    destructor_runs++;
    char *left = rounds_left;
    if (*left > 0) {
        --*left;
        CHECK(pthread_setspecific(keys[key], left) == 0);
    }
}

static void destroy_early(void *rounds_left)
{
    destructor(0, rounds_left);
}

static void destroy_late(void *rounds_left)
{
    destructor(1, rounds_left);
}

static void *use_and_set_keys(void *argument)
{
    char *rounds = argument;
    CHECK(pthread_setspecific(keys[0], &rounds[0]) == 0);
    CHECK(pthread_setspecific(keys[1], &rounds[1]) == 0);
    if (rounds[2] != 0) {
        tide_arena arena;
        CHECK_OK(tide_arena_open(&arena));
        CHECK(tide_arena_allocate(&arena, 20, 8) != NULL);
        CHECK_OK(tide_arena_close(&arena));
    }
    return NULL;
}

static void end_threads_with_destructors(void)
{
    CHECK(pthread_key_create(&keys[0], destroy_early) == 0);
    (void)stress_statistics(); /* the library's first use */
    CHECK(pthread_key_create(&keys[1], destroy_late) == 0);
    tide_pool_statistics settled = {0};
    unsigned long count = stress_count(1000);
    for (unsigned long i = 0; i < count + 10; i++) {
        destructor_runs = 0;
        char rounds[3] = {(char)(i % 3), (char)(i / 3 % 3), (char)(i % 2)};
        unsigned expected = 2u + (unsigned)rounds[0] + (unsigned)rounds[1];
        stress_on_thread(use_and_set_keys, rounds);
        CHECK(destructor_runs == expected);
        if (i == 9)
            settled = stress_statistics();
    }
    tide_pool_statistics after = stress_statistics();
    CHECK(after.threads == settled.threads);
    CHECK(after.cells == settled.cells);
    CHECK(after.lost_arenas == 0 && after.open_arenas == settled.open_arenas);
}

/* --- arenas in atexit handlers --- */

static tide_arena closed_at_exit;
static char *bytes_at_exit;

static void use_at_exit(void)
{
    stress_use_everything();
}

static void close_at_exit(void)
{
    CHECK(stress_all_bytes(bytes_at_exit, 200, 0x42));
    CHECK_OK(tide_arena_close(&closed_at_exit));
}

static void *use_on_a_thread(void *argument)
{
    (void)argument;
    stress_use_everything();
    return NULL;
}

static void use_threads_at_exit(void)
{
    stress_on_thread(use_on_a_thread, NULL);
}

static void end_with_handlers(void)
{
    CHECK(atexit(use_at_exit) == 0); /* registered first: runs behind the library's own */
    CHECK(atexit(close_at_exit) == 0);
    CHECK_OK(tide_arena_open(&closed_at_exit));
    bytes_at_exit = tide_arena_allocate(&closed_at_exit, 200, 8);
    CHECK(bytes_at_exit != NULL);
    memset(bytes_at_exit, 0x42, 200);
    CHECK(atexit(use_threads_at_exit) == 0);
    CHECK(atexit(use_at_exit) == 0);
}

static void *exit_from_a_thread(void *argument)
{
    (void)argument;
    end_with_handlers(); /* they run on this thread, which owns what they close */
    exit(0);
}

static void end_by_exit_on_a_thread(void)
{
    stress_on_thread(exit_from_a_thread, NULL);
    abort(); /* not reached */
}

/* --- */

static const struct {
    const char *name;
    void (*run)(void);
} modes[] = {
    {"lost", end_with_lost_arenas},       {"many", end_with_many_lost_arenas},
    {"adopted", end_with_adopted_arenas}, {"own", end_with_own_arenas_open},
    {"fiber", end_with_a_fibers_arenas},  {"keys", end_threads_with_destructors},
    {"atexit", end_with_handlers},        {"exit-on-thread", end_by_exit_on_a_thread},
};

int main(int count, char **arguments)
{
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        if (count == 2 && strcmp(arguments[1], modes[i].name) == 0) {
            modes[i].run();
            return 0;
        }
    }
    return 2;
}
