/* SPDX-License-Identifier: Apache-2.0 */
/* What the default fault handler says of shared arenas before it aborts, and of a thread that ends
 * where none may. */
#include "death.h"

#include <pthread.h>
#include <stdint.h>

#include <tidepool/tidepool.h>

#include "lifetime/grace.h"

static void demand(bool condition)
{
    if (!condition)
        _exit(99);
}

/* The result of a call that never returns one. */
static void use(const void *pointer)
{
    if (pointer == &pointer)
        _exit(98);
}

static tide_shared_arena arena;
static tide_segment segment;

static void open_victim(void)
{
    demand(tide_shared_open(&arena) == TIDE_OK);
    demand(tide_shared_segment(arena, 64, 8, &segment) == TIDE_OK);
}

static void open_closed(void)
{
    open_victim();
    demand(tide_shared_close(arena) == TIDE_OK);
}

static void allocate_from_zeroed(void)
{
    use(tide_shared_allocate(arena, 8, 8));
}

static void allocate_from_closed(void)
{
    open_closed();
    use(tide_shared_allocate(arena, 8, 8));
}

static void allocate_uninitialized_from_closed(void)
{
    open_closed();
    use(tide_shared_allocate_uninitialized(arena, 8, 8));
}

static void allocate_negative(void)
{
    volatile size_t size = (size_t)-1;
    open_victim();
    use(tide_shared_allocate(arena, size, 8));
}

static void allocate_at_48(void)
{
    volatile size_t alignment = 48;
    open_victim();
    use(tide_shared_allocate(arena, 8, alignment));
}

static void used_of_closed(void)
{
    open_closed();
    (void)tide_shared_used(arena);
}

static void get_from_closed(void)
{
    open_closed();
    (void)tide_get_u32(&segment, 4);
}

static void set_outside(void)
{
    open_victim();
    tide_set_u32(&segment, 62, 1);
}

/* Faults that are returned abort when the environment says so. */
static void close_twice(void)
{
    open_closed();
    (void)(tide_shared_close(arena) == TIDE_OK);
}

static void retain_shared(void)
{
    open_victim();
    (void)(tide_counted_retain(arena) == TIDE_OK);
}

/* A failure comes back whatever the environment says. */
static void close_held(void)
{
    tide_hold hold;
    open_victim();
    demand(tide_shared_hold(arena, &hold) == TIDE_OK);
    demand(tide_shared_close(arena) == TIDE_BUSY);
    demand(tide_hold_release(&hold) == TIDE_OK);
    demand(tide_shared_close(arena) == TIDE_OK);
}

/* Only the library's own operations are inside an access, and none ends a thread: if it happens all
 * the same, debug builds say so, and others wait for that thread no more. */
static void *end_inside(void *unused)
{
    tide_section section;
    demand(tide_section_open(&segment, "read", &section) == TIDE_OK);
    return unused;
}

static const char *nothing(void *unused)
{
    (void)unused;
    return NULL;
}

static void thread_ends_inside_an_access(void)
{
    pthread_t thread;
    open_victim();
    demand(tide_shared_attach(arena, nothing, NULL) == TIDE_OK);
    demand(pthread_create(&thread, NULL, end_inside, NULL) == 0);
    demand(pthread_join(thread, NULL) == 0);
    demand(tide_shared_close(arena) == TIDE_OK); /* waits for nobody */
    exit(42);
}

static const death_case cases[] = {
    {.name = "allocate_from_zeroed",
     .deed = allocate_from_zeroed,
     .dies = DEATH_BY_ABORT,
     .says = {"tidepool: INVALID_ARGUMENT: allocate", "zeroed"}},
    {.name = "allocate_from_closed",
     .deed = allocate_from_closed,
     .dies = DEATH_BY_ABORT,
     .says = {"tidepool: CLOSED: allocate", "epoch"}},
    {.name = "allocate_uninitialized_from_closed",
     .deed = allocate_uninitialized_from_closed,
     .dies = DEATH_BY_ABORT,
     .says = {"tidepool: CLOSED: allocate"}},
    {.name = "allocate_negative",
     .deed = allocate_negative,
     .dies = DEATH_BY_ABORT,
     .says = {"tidepool: INVALID_ARGUMENT: allocate", "18446744073709551615"}},
    {.name = "allocate_at_48",
     .deed = allocate_at_48,
     .dies = DEATH_BY_ABORT,
     .says = {"tidepool: INVALID_ARGUMENT: allocate", "48"}},
    {.name = "used_of_closed",
     .deed = used_of_closed,
     .dies = DEATH_BY_ABORT,
     .says = {"tidepool: CLOSED: used"}},
    {.name = "get_from_closed",
     .deed = get_from_closed,
     .dies = DEATH_BY_ABORT,
     .says = {"tidepool: CLOSED: read"}},
    {.name = "set_outside",
     .deed = set_outside,
     .dies = DEATH_BY_ABORT,
     .says = {"tidepool: OUT_OF_BOUNDS: write of 4 bytes at 62 in a segment of 64 bytes"}},
    {.name = "close_twice",
     .deed = close_twice,
     .dies = DEATH_BY_ABORT,
     .says = {"tidepool: CLOSED: close"},
     .environment = {"TIDEPOOL_FAULTS=abort"}},
    {.name = "retain_shared",
     .deed = retain_shared,
     .dies = DEATH_BY_ABORT,
     .says = {"tidepool: UNSUPPORTED: retain"},
     .environment = {"TIDEPOOL_FAULTS=abort"}},
    {.name = "close_held",
     .deed = close_held,
     .dies = 0,
     .not_says = "tidepool: ",
     .environment = {"TIDEPOOL_FAULTS=abort"}},
    {
        .name = "thread_ends_inside_an_access",
        .deed = thread_ends_inside_an_access,
#ifdef TIDE_DEBUG
        .dies = DEATH_BY_ABORT,
        .says = {"tidepool: INVALID_ARGUMENT: thread exit", "inside a checked access"},
#else
        .dies = 42,
        .not_says = "tidepool: ",
#endif
    },
};

int main(int count, char **arguments)
{
    return death_main(cases, sizeof cases / sizeof cases[0], count, arguments);
}
