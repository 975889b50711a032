/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "coverage.h"

_Noreturn void stress_fail(const char *file, int line, const char *what)
{
    fprintf(stderr, "%s:%d: failed: %s (last error: %s)\n", file, line, what,
            tide_last_error_text());
    abort();
}

_Noreturn void stress_fail_status(const char *file, int line, const char *call, tide_status got,
                                  tide_status expected)
{
    fprintf(stderr, "%s:%d: %s is %s, expected %s (last error: %s)\n", file, line, call,
            tide_status_name(got), tide_status_name(expected), tide_last_error_text());
    abort();
}

unsigned long stress_count(unsigned long count)
{
    unsigned long divisor = STRESS_TSAN ? 50 : STRESS_ASAN ? 10 : 1;
    if (strcmp(tide_checker(), "valgrind") == 0)
        divisor = 200;
    const char *set = getenv("TIDE_STRESS_DIVISOR");
    if (set != NULL && strtoul(set, NULL, 10) > 0)
        divisor = strtoul(set, NULL, 10);
    return count / divisor > 0 ? count / divisor : 1;
}

unsigned long stress_processes(unsigned long count)
{
    unsigned long most = stress_count(100 * count);
    return count < most ? count : most;
}

uint64_t stress_random(uint64_t *state)
{
    uint64_t x = *state;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    *state = x;
    return x >> 8;
}

pthread_t stress_start(void *(*body)(void *argument), void *argument)
{
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, body, argument) == 0);
    return thread;
}

void stress_join(pthread_t thread)
{
    CHECK(pthread_join(thread, NULL) == 0);
}

void stress_on_thread(void *(*body)(void *argument), void *argument)
{
    stress_join(stress_start(body, argument));
}

bool stress_all_bytes(const void *block, size_t size, unsigned char value)
{
    const unsigned char *bytes = block;
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != value)
            return false;
    }
    return true;
}

tide_pool_statistics stress_statistics(void)
{
    tide_pool_statistics statistics = {.struct_size = sizeof statistics};
    CHECK_OK(tide_pool_statistics_get(&statistics));
    return statistics;
}

void stress_in_child(void (*body)(void *argument), void *argument)
{
    fflush(NULL);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        alarm(120); /* a deadlock becomes a failure */
        body(argument);
        coverage_keep();
        _exit(0);
    }
    int status;
    while (waitpid(child, &status, 0) < 0)
        CHECK(errno == EINTR);
    if (WIFSIGNALED(status))
        fprintf(stderr, "the child ended by signal %d\n", WTERMSIG(status));
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int stress_run(const char *const arguments[], char *output, size_t output_size)
{
    int ends[2];
    CHECK(pipe(ends) == 0);
    fflush(NULL);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        alarm(120);
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        execv(arguments[0], (char *const *)(uintptr_t)arguments);
        _exit(127);
    }
    close(ends[1]);
    size_t length = 0;
    for (;;) {
        ssize_t got = read(ends[0], output + length, output_size - 1 - length);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        length += (size_t)got;
        CHECK(length < output_size - 1);
    }
    output[length] = 0;
    close(ends[0]);
    int status;
    while (waitpid(child, &status, 0) < 0)
        CHECK(errno == EINTR);
    return status;
}

static const char *count_up(void *counter)
{
    ++*(unsigned *)counter;
    return NULL;
}

static void use_memory(tide_arena *arena)
{
    static const size_t sizes[] = {0, 1, 20, 64, 65, 100, 1000, 5000, 70000, 1000000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        char *zeroed = tide_arena_allocate(arena, sizes[i], 8);
        CHECK(zeroed != NULL && stress_all_bytes(zeroed, sizes[i], 0));
        memset(zeroed, 0xA5, sizes[i]);
        char *raw = tide_arena_allocate_uninitialized(arena, sizes[i], 64);
        CHECK(raw != NULL && ((uintptr_t)raw & 63) == 0);
        memset(raw, 0x5A, sizes[i]);
        CHECK(stress_all_bytes(zeroed, sizes[i], 0xA5));
    }
    CHECK(strcmp(tide_arena_strdup(arena, "tide"), "tide") == 0);
    CHECK(strcmp(tide_arena_strndup(arena, "tidepool", 4), "tide") == 0);
    CHECK(strcmp(tide_arena_printf(arena, "%d-%s", 7, "x"), "7-x") == 0);
    CHECK(memcmp(tide_arena_memdup(arena, "bytes", 5, 1), "bytes", 5) == 0);
    uint64_t *array = tide_arena_make_array(arena, uint64_t, 9);
    CHECK(array != NULL && array[8] == 0);
    CHECK(tide_arena_used(arena) > 2000000);
}

static void use_segments(tide_arena *arena)
{
    tide_segment a, b, part;
    CHECK_OK(tide_arena_segment(arena, 40, 8, &a));
    CHECK_OK(tide_arena_segment_uninitialized(arena, 300, 8, &b));
    CHECK_OK(tide_store_u32(&a, 4, 77));
    CHECK_OK(tide_segment_fill(&b, 3));
    CHECK_OK(tide_segment_copy(&a, 0, &b, 8, 40));
    CHECK_OK(tide_segment_slice(&b, 8, 40, &part));
    CHECK(tide_get_u32(&part, 4) == 77);
    int64_t difference = 0;
    CHECK_OK(tide_segment_mismatch(&a, 0, 40, &part, 0, 40, &difference));
    CHECK(difference == -1);
    tide_hold hold;
    CHECK_OK(tide_scope_hold(tide_segment_scope(&a), &hold));
    CHECK_STATUS(TIDE_BUSY, tide_arena_close(arena));
    CHECK_OK(tide_hold_release(&hold));
}

void stress_use_everything(void)
{
    unsigned cleaned = 0;
    tide_arena arena, inner;
    CHECK_OK(tide_arena_open(&arena));
    use_memory(&arena);
    use_segments(&arena);
    CHECK_OK(tide_arena_attach(&arena, count_up, &cleaned));
    CHECK(tide_arena_open_allocate(&inner, 30, 8) != NULL);
    CHECK_OK(tide_arena_attach(&inner, count_up, &cleaned));
    CHECK_OK(tide_arena_reset(&inner));
    CHECK(cleaned == 1);
    tide_owner other = tide_owner_new();
    CHECK(tide_arena_allocate(&inner, 24, 8) != NULL);
    CHECK_OK(tide_arena_hand_over(&inner, other));
    tide_owner own = tide_owner_set(other);
    CHECK_OK(tide_arena_close(&inner));
    CHECK(tide_owner_set(own) == other);

    tide_mark_point mark = tide_mark();
    CHECK_OK(tide_arena_open(&inner));
    CHECK_OK(tide_arena_attach(&inner, count_up, &cleaned));
    CHECK(tide_arena_allocate(&inner, 700, 8) != NULL);
    CHECK_OK(tide_close_to(mark));
    CHECK(cleaned == 2 && tide_arena_is_alive(&arena));

    tide_arena_options options = TIDE_ARENA_OPTIONS_INIT;
    options.name = "everything";
    options.zero = TIDE_ZERO_WIPE;
    tide_arena *heap = tide_arena_new(&options);
    CHECK(heap != NULL && tide_arena_allocate(heap, 2000, 16) != NULL);
    CHECK_OK(tide_arena_delete(heap));

    CHECK_OK(tide_arena_close(&arena));
    CHECK(cleaned == 3);
    CHECK(stress_statistics().open_arenas <= stress_statistics().cells);
    (void)tide_trim();
}
