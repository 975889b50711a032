/* SPDX-License-Identifier: Apache-2.0 */
/* A confined arena among other threads: who it isn't for is told so, whatever it calls and whatever
 * the owner is doing; and an owner may give it away. */
#include "support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* --- a fault becomes a status: of the thread that faults --- */

static _Thread_local jmp_buf recovery;
static _Thread_local tide_status faulted;

static void leave_by_longjmp(const tide_fault *fault)
{
    faulted = fault->status;
    longjmp(recovery, 1);
}

#define CHECK_FAULT(expected, call)                                             \
    do {                                                                        \
        faulted = TIDE_OK;                                                      \
        if (setjmp(recovery) == 0) {                                            \
            __auto_type ignored_ = (call);                                      \
            (void)ignored_;                                                     \
        }                                                                       \
        if (faulted != (expected))                                              \
            stress_fail_status(__FILE__, __LINE__, #call, faulted, (expected)); \
    } while (0)

static int set_up(void **state)
{
    (void)state;
    tide_fault_handler_set(leave_by_longjmp);
    return 0;
}

/* --- strangers hammer --- */

#define STRANGERS 3u

/* What the owner has laid open to the strangers; everything was made before they started. */
typedef struct exposed {
    tide_arena *arena; /* open as long as strangers are about, but reset now and then */
    tide_arena *idle;  /* open, has taken nothing */
    tide_segment dead; /* of an arena that is closed */
    tide_segment live; /* of an arena that stays open */
    tide_scope scope;  /* of the same */
    tide_hold hold;    /* on the same */
    char block[64];
    tide_owner owner;
    atomic_bool enough;
    atomic_ulong calls;
} exposed;

static const char *no_cleanup(void *context)
{
    (void)context;
    return NULL;
}

/* Every call that takes an arena, but those that make one. */
static void call_arena(tide_arena *arena, exposed *on)
{
    tide_segment segment;
    tide_hold hold;
    CHECK_FAULT(TIDE_WRONG_OWNER, tide_arena_allocate(arena, 20, 8));
    CHECK_FAULT(TIDE_WRONG_OWNER, tide_arena_allocate(arena, 2000, 8));
    CHECK_FAULT(TIDE_WRONG_OWNER, tide_arena_allocate_uninitialized(arena, 20, 128));
    CHECK_FAULT(TIDE_WRONG_OWNER, tide_arena_allocate_array(arena, 5, 20, 8));
    CHECK_FAULT(TIDE_WRONG_OWNER, tide_arena_strdup(arena, "tide"));
    CHECK_FAULT(TIDE_WRONG_OWNER, tide_arena_strndup(arena, "tide", 2));
    CHECK_FAULT(TIDE_WRONG_OWNER, tide_arena_memdup(arena, "tide", 4, 1));
    CHECK_FAULT(TIDE_WRONG_OWNER, tide_arena_printf(arena, "%d", 4));
    CHECK_FAULT(TIDE_WRONG_OWNER, tide_arena_used(arena));
    CHECK_FAULT(TIDE_WRONG_OWNER, tide_arena_scope(arena).epoch_);
    CHECK_STATUS(TIDE_WRONG_OWNER, tide_arena_segment(arena, 20, 8, &segment));
    CHECK_STATUS(TIDE_WRONG_OWNER, tide_arena_segment_uninitialized(arena, 20, 8, &segment));
    CHECK_STATUS(TIDE_WRONG_OWNER, tide_arena_extend(arena, on->block, 8, 16));
    CHECK_STATUS(TIDE_WRONG_OWNER, tide_arena_attach(arena, no_cleanup, NULL));
    CHECK_STATUS(TIDE_WRONG_OWNER, tide_arena_hold(arena, &hold));
    CHECK_STATUS(TIDE_WRONG_OWNER, tide_arena_hand_over(arena, tide_owner_current()));
    CHECK_STATUS(TIDE_WRONG_OWNER, tide_arena_reset(arena));
    CHECK_STATUS(TIDE_WRONG_OWNER, tide_arena_close(arena));
    CHECK_STATUS(TIDE_WRONG_OWNER, tide_arena_delete(arena));
    tide_segment bare = tide_segment_of_address(on->block);
    CHECK_STATUS(TIDE_WRONG_OWNER, tide_segment_attach(&bare, 8, arena, NULL, NULL, &segment));
}

static void call_live_segment(exposed *on)
{
    tide_segment own_copy = on->live, made;
    tide_hold copy_of_hold = on->hold, hold;
    tide_overlap overlap;
    tide_segment_information information = {.struct_size = sizeof information};
    int64_t difference;
    uint32_t value = 0;
    char bytes[8];
    CHECK_STATUS(TIDE_WRONG_OWNER, tide_load_u32(&own_copy, 0, &value));
    CHECK_STATUS(TIDE_WRONG_OWNER, tide_store_u32(&own_copy, 0, 1));
    CHECK_STATUS(TIDE_WRONG_OWNER, tide_load_u32_at(&own_copy, 1, &value));
    CHECK_FAULT(TIDE_WRONG_OWNER, tide_get_u32(&own_copy, 0));
    CHECK_FAULT(TIDE_WRONG_OWNER, (tide_set_u32(&own_copy, 0, 1), 0));
    CHECK_STATUS(TIDE_WRONG_OWNER, tide_segment_read(&own_copy, 0, bytes, 8));
    CHECK_STATUS(TIDE_WRONG_OWNER, tide_segment_write(&own_copy, 0, "nothing", 8));
    CHECK_STATUS(TIDE_WRONG_OWNER, tide_segment_fill(&own_copy, 1));
    CHECK_STATUS(TIDE_WRONG_OWNER, tide_segment_copy(&own_copy, 0, &own_copy, 8, 8));
    CHECK_STATUS(TIDE_WRONG_OWNER,
                 tide_segment_mismatch(&own_copy, 0, 8, &own_copy, 8, 16, &difference));
    CHECK_STATUS(TIDE_WRONG_OWNER, tide_segment_resize(&own_copy, 1000, &made));
    CHECK_STATUS(TIDE_WRONG_OWNER, tide_scope_hold(on->scope, &hold));
    CHECK_STATUS(TIDE_WRONG_OWNER, tide_hold_release(&copy_of_hold));

    /* What anyone may ask. */
    CHECK_OK(tide_segment_slice(&own_copy, 4, 8, &made));
    CHECK_OK(tide_segment_slice_from(&own_copy, 4, &made));
    CHECK_OK(tide_segment_slice_aligned(&own_copy, 8, 8, 8, &made));
    CHECK_OK(tide_segment_read_only(&own_copy, &made));
    CHECK_OK(tide_segment_overlap(&own_copy, &made, &overlap));
    CHECK(overlap.exists && overlap.size == 40);
    CHECK_OK(tide_segment_info(&own_copy, &information));
    CHECK(information.alive && information.size == 40 && !information.read_only);
    CHECK(tide_scope_is_alive(on->scope));
    CHECK(tide_scope_equal(on->scope, tide_segment_scope(&own_copy)));
    CHECK(tide_scope_is_accessible_by(on->scope, on->owner));
    CHECK(!tide_segment_is_accessible_by(&own_copy, tide_owner_current()));
}

static void call_dead_segment(exposed *on)
{
    tide_segment own_copy = on->dead;
    uint8_t value = 0;
    tide_status status = tide_load_u8(&own_copy, 0, &value);
    CHECK(status == TIDE_WRONG_OWNER || status == TIDE_CLOSED);
    CHECK(!tide_scope_is_alive(tide_segment_scope(&own_copy)));
}

static void *hammer(void *argument)
{
    exposed *on = argument;
    do {
        call_arena(on->arena, on);
        (void)tide_arena_is_alive(on->arena); /* not in the middle of a reset */
        call_arena(on->idle, on);
        CHECK(tide_arena_is_alive(on->idle));
        call_live_segment(on);
        call_dead_segment(on);
        atomic_fetch_add_explicit(&on->calls, 1, memory_order_relaxed);
    } while (!atomic_load_explicit(&on->enough, memory_order_relaxed));
    return NULL;
}

/* A turn of the owner's work on the arena the strangers are at. */
static void work(exposed *on, uint64_t *random)
{
    tide_hold hold;
    size_t size = stress_below(random, 8) == 0 ? 3000 : 24;
    char *bytes = tide_arena_allocate(on->arena, size, 8);
    CHECK(bytes != NULL && stress_all_bytes(bytes, size, 0));
    memset(bytes, 0x66, size);
    CHECK_OK(tide_arena_hold(on->arena, &hold));
    CHECK_STATUS(TIDE_BUSY, tide_arena_reset(on->arena));
    CHECK_OK(tide_hold_release(&hold));
    CHECK_OK(tide_arena_attach(on->arena, no_cleanup, NULL));
    CHECK(stress_all_bytes(bytes, size, 0x66));
    CHECK(tide_get_u32(&on->live, 0) == 0x42424242);
    if (stress_below(random, 4) == 0)
        CHECK_OK(tide_arena_reset(on->arena));

    /* Arenas of the owner's that take and give back the dead segment's cell meanwhile. */
    tide_arena own[3];
    for (size_t i = 0; i < 3; i++) {
        CHECK_OK(tide_arena_open(&own[i]));
        char *small = tide_arena_allocate(&own[i], 40, 8);
        CHECK(small != NULL && stress_all_bytes(small, 40, 0));
        memset(small, 0x33, 40);
    }
    for (size_t i = 0; i < 3; i++)
        CHECK_OK(tide_arena_close(&own[i]));
}

static void strangers_get_wrong_owner_from_every_call_while_the_owner_works(void **state)
{
    (void)state;
    static exposed on;
    tide_arena arena, idle, keeper;
    on.owner = tide_owner_current();
    CHECK_OK(tide_arena_open(&keeper));
    CHECK_OK(tide_arena_segment(&keeper, 40, 8, &on.dead));
    CHECK_OK(tide_arena_close(&keeper));
    CHECK_OK(tide_arena_open(&keeper));
    CHECK_OK(tide_arena_open(&arena));
    CHECK_OK(tide_arena_open(&idle));
    CHECK(tide_arena_allocate(&arena, 20, 8) != NULL);
    CHECK_OK(tide_arena_segment(&keeper, 40, 8, &on.live));
    CHECK_OK(tide_segment_fill(&on.live, 0x42));
    on.scope = tide_arena_scope(&keeper);
    CHECK_OK(tide_arena_hold(&keeper, &on.hold));
    on.arena = &arena;
    on.idle = &idle;

    pthread_t strangers[STRANGERS];
    for (size_t i = 0; i < STRANGERS; i++)
        strangers[i] = stress_start(hammer, &on);
    uint64_t random = 2463534242;
    unsigned long wanted = stress_count(20000);
    for (unsigned long i = 0; i < wanted || atomic_load(&on.calls) < wanted / 10; i++)
        work(&on, &random);
    atomic_store(&on.enough, true);
    for (size_t i = 0; i < STRANGERS; i++)
        stress_join(strangers[i]);

    CHECK(stress_all_bytes(tide_segment_address(&on.live), 40, 0x42));
    CHECK_OK(tide_arena_close(&idle));
    CHECK_OK(tide_arena_close(&arena));
    CHECK_OK(tide_hold_release(&on.hold));
    CHECK_OK(tide_arena_close(&keeper));
}

/* The owner closes under the strangers' hands; what they get changes kind at no moment. */
static void *hammer_until_closed(void *argument)
{
    tide_arena *arena = argument;
    while (tide_arena_is_alive(arena))
        CHECK_STATUS(TIDE_WRONG_OWNER, tide_arena_close(arena));
    CHECK_STATUS(TIDE_WRONG_OWNER, tide_arena_close(arena));
    CHECK_STATUS(TIDE_WRONG_OWNER, tide_arena_attach(arena, no_cleanup, NULL));
    CHECK_FAULT(TIDE_WRONG_OWNER, tide_arena_allocate(arena, 20, 8));
    return NULL;
}

static void a_close_under_strangers_hands_ends_the_arena_for_all(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 20, 200, 90000};
    unsigned long count = stress_count(2000);
    for (unsigned long i = 0; i < count; i++) {
        tide_arena arena;
        CHECK_OK(tide_arena_open(&arena));
        if (i % 5 != 0) {
            char *bytes = tide_arena_allocate(&arena, sizes[i % 4], 8);
            CHECK(bytes != NULL && stress_all_bytes(bytes, sizes[i % 4], 0));
        }
        pthread_t strangers[2];
        for (size_t k = 0; k < 2; k++)
            strangers[k] = stress_start(hammer_until_closed, &arena);
        for (size_t k = 0; k < 20; k++)
            CHECK(tide_arena_allocate(&arena, 8, 8) != NULL);
        CHECK_OK(tide_arena_close(&arena));
        CHECK(!tide_arena_is_alive(&arena));
        for (size_t k = 0; k < 2; k++)
            stress_join(strangers[k]);
        CHECK_STATUS(TIDE_CLOSED, tide_arena_close(&arena));
    }
}

/* --- hand-over --- */

#define RUNNERS 4u

/* A baton goes round the runners: a heap arena, a segment in it for each hand it went through. */
typedef struct baton {
    tide_arena *arena;
    tide_segment first;
    unsigned cleaned;
    unsigned long hops;
} baton;

typedef struct runner {
    pthread_mutex_t lock; /* guards `waiting` and `owner` */
    pthread_cond_t changed;
    baton *waiting;
    tide_owner owner;
    struct runner *next;
    unsigned long hops; /* a baton's life */
} runner;

static const char *count_cleanup(void *counter)
{
    ++*(unsigned *)counter;
    return NULL;
}

static void pass_on(runner *to, baton *what)
{
    tide_segment first = what->first;
    pthread_mutex_lock(&to->lock);
    while (to->owner == 0 || to->waiting != NULL)
        pthread_cond_wait(&to->changed, &to->lock);
    CHECK_OK(tide_arena_hand_over(what->arena, to->owner));
    /* Not ours from here on, though nobody has it in hand yet. */
    CHECK_STATUS(TIDE_WRONG_OWNER, tide_arena_close(what->arena));
    CHECK_STATUS(TIDE_WRONG_OWNER, tide_store_u64(&first, 0, 0));
    to->waiting = what;
    pthread_cond_broadcast(&to->changed);
    pthread_mutex_unlock(&to->lock);
}

static void *run(void *argument)
{
    runner *self = argument;
    pthread_mutex_lock(&self->lock);
    self->owner = tide_owner_current();
    pthread_cond_broadcast(&self->changed);
    pthread_mutex_unlock(&self->lock);
    for (;;) {
        pthread_mutex_lock(&self->lock);
        while (self->waiting == NULL)
            pthread_cond_wait(&self->changed, &self->lock);
        baton *mine = self->waiting;
        self->waiting = NULL;
        pthread_cond_broadcast(&self->changed);
        pthread_mutex_unlock(&self->lock);

        CHECK(tide_get_u64(&mine->first, 0) == mine->hops);
        CHECK(mine->cleaned == 0);
        mine->hops++;
        CHECK_OK(tide_store_u64(&mine->first, 0, mine->hops));
        size_t size = mine->hops % 7 == 0 ? 500 : 12;
        char *bytes = tide_arena_allocate(mine->arena, size, 4);
        CHECK(bytes != NULL && stress_all_bytes(bytes, size, 0));
        memset(bytes, 0x66, size);
        /* An arena of this thread's own beside it, in the cells that are left. */
        tide_arena own;
        CHECK_OK(tide_arena_open(&own));
        bytes = tide_arena_allocate(&own, 64, 8);
        CHECK(bytes != NULL && stress_all_bytes(bytes, 64, 0));
        memset(bytes, 0x33, 64);
        CHECK_OK(tide_arena_close(&own));

        bool last_lap = mine->hops > self->hops;
        if (last_lap && mine->arena != NULL) {
            /* The last one to have it closes it; each runner sees one baton's end and leaves. */
            tide_segment first = mine->first;
            CHECK_OK(tide_arena_delete(mine->arena));
            CHECK_STATUS(TIDE_CLOSED, tide_store_u64(&first, 0, 1));
            CHECK(mine->cleaned == 1);
            return NULL;
        }
        pass_on(self->next, mine);
    }
}

static void an_arena_goes_from_hand_to_hand(void **state)
{
    (void)state;
    static runner runners[RUNNERS];
    baton one = {0};
    tide_pool_statistics before = stress_statistics();
    for (size_t i = 0; i < RUNNERS; i++) {
        runners[i] = (runner){.lock = PTHREAD_MUTEX_INITIALIZER,
                              .changed = PTHREAD_COND_INITIALIZER,
                              .next = &runners[(i + 1) % RUNNERS],
                              .hops = stress_count(40000)};
    }
    /* The baton's last runner is known by arithmetic; the others are let go by short batons. */
    pthread_t threads[RUNNERS];
    for (size_t i = 0; i < RUNNERS; i++)
        threads[i] = stress_start(run, &runners[i]);
    one.arena = tide_arena_new(NULL);
    assert_non_null(one.arena);
    CHECK_OK(tide_arena_segment(one.arena, 8, 8, &one.first));
    CHECK_OK(tide_arena_attach(one.arena, count_cleanup, &one.cleaned));
    size_t last = runners[0].hops % RUNNERS;
    pass_on(&runners[0], &one);
    stress_join(threads[last]);
    for (size_t i = 0; i < RUNNERS; i++) {
        if (i == last)
            continue;
        baton dismissal = {.hops = runners[i].hops};
        dismissal.arena = tide_arena_new(NULL);
        assert_non_null(dismissal.arena);
        CHECK_OK(tide_arena_segment(dismissal.arena, 8, 8, &dismissal.first));
        CHECK_OK(tide_store_u64(&dismissal.first, 0, dismissal.hops));
        CHECK_OK(tide_arena_attach(dismissal.arena, count_cleanup, &dismissal.cleaned));
        pass_on(&runners[i], &dismissal);
        stress_join(threads[i]);
    }
    tide_pool_statistics after = stress_statistics();
    assert_int_equal(after.open_arenas, before.open_arenas);
    assert_int_equal(after.lost_arenas, before.lost_arenas);
    assert_int_equal(after.threads, before.threads);
}

/* A hold goes with its arena. */
static void *release_and_close(void *argument)
{
    struct given {
        tide_arena *arena;
        tide_hold hold;
        tide_owner owner;
        pthread_barrier_t here, there;
    } *given = argument;
    given->owner = tide_owner_current();
    pthread_barrier_wait(&given->here);
    pthread_barrier_wait(&given->there);
    CHECK_STATUS(TIDE_BUSY, tide_arena_close(given->arena));
    CHECK_OK(tide_hold_release(&given->hold));
    CHECK_OK(tide_arena_close(given->arena));
    return NULL;
}

static void holds_stay_with_a_handed_over_arena(void **state)
{
    (void)state;
    struct given {
        tide_arena *arena;
        tide_hold hold;
        tide_owner owner;
        pthread_barrier_t here, there;
    } given = {0};
    tide_arena arena;
    given.arena = &arena;
    CHECK_OK(tide_arena_open(&arena));
    CHECK_OK(tide_arena_hold(&arena, &given.hold));
    CHECK(pthread_barrier_init(&given.here, NULL, 2) == 0);
    CHECK(pthread_barrier_init(&given.there, NULL, 2) == 0);
    pthread_t other = stress_start(release_and_close, &given);
    pthread_barrier_wait(&given.here);
    CHECK_OK(tide_arena_hand_over(&arena, given.owner));
    CHECK_STATUS(TIDE_WRONG_OWNER, tide_hold_release(&given.hold));
    pthread_barrier_wait(&given.there);
    stress_join(other);
    CHECK(!tide_arena_is_alive(&arena));
    pthread_barrier_destroy(&given.here);
    pthread_barrier_destroy(&given.there);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strangers_get_wrong_owner_from_every_call_while_the_owner_works),
        cmocka_unit_test(a_close_under_strangers_hands_ends_the_arena_for_all),
        cmocka_unit_test(an_arena_goes_from_hand_to_hand),
        cmocka_unit_test(holds_stay_with_a_handed_over_arena),
    };
    return cmocka_run_group_tests_name("strangers", tests, set_up, NULL);
}
