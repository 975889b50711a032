/* SPDX-License-Identifier: Apache-2.0 */
/* Atomic access by several threads at once: nothing is lost, and all see one order. */
#include "test.h"

#include <sched.h>

#include "scopes.h"

#define THREADS 4
#define LINES   4u
#define ROUNDS  4000u

/* Where the machine is busy, threads take turns and don't meet: those that count go on until they
 * have met so often, or give up after so many rounds. */
#define MEETINGS    500u
#define MOST_ROUNDS 500000u

typedef struct team {
    pthread_barrier_t start;
    tide_segment segment; /* LINES of 64 bytes */
    uint64_t taken[THREADS];
    unsigned rounds[THREADS];
} team;

typedef struct worker {
    team *crew;
    unsigned number;
    void (*work)(team *crew, unsigned number);
} worker;

static void *run_worker(void *argument)
{
    const worker *self = (const worker *)argument;
    pthread_barrier_wait(&self->crew->start);
    self->work(self->crew, self->number);
    return NULL;
}

/* All begin at once; returns when all have ended. */
static void run_crew(team *it, unsigned count, void (*work)(team *crew, unsigned number))
{
    pthread_t threads[THREADS];
    worker workers[THREADS];
    assert_int_equal(pthread_barrier_init(&it->start, NULL, count), 0);
    for (unsigned i = 0; i < count; i++) {
        workers[i] = (worker){it, i, work};
        assert_int_equal(pthread_create(&threads[i], NULL, run_worker, &workers[i]), 0);
    }
    for (unsigned i = 0; i < count; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    pthread_barrier_destroy(&it->start);
}

static void on_each_shared_scope(void (*work)(team *crew, unsigned number),
                                 void (*check)(const team *crew))
{
    for (scope_kind kind = SHARED; kind < SCOPE_KINDS; kind++) {
        scoped it;
        team crew = {.taken = {0}};
        open_scoped(&it, kind, LINES * 64, 64);
        crew.segment = it.segment;
        run_crew(&crew, THREADS, work);
        check(&crew);
        assert_ok(end_scoped(&it));
    }
}

/* ------------------------------------------------------------------------------- counting */

/* Adds with every operation that can; whoever finds what another thread has added has met it. */
static void count_up(team *crew, unsigned number)
{
    const tide_segment *segment = &crew->segment;
    unsigned round = 0, meetings = 0;
    uint64_t last = 0;
    for (; round < ROUNDS || (meetings < MEETINGS && round < MOST_ROUNDS); round++) {
        int64_t before;
        uint32_t expected = tide_atomic_get_u32(segment, 16);
        const uint64_t found = tide_atomic_fetch_add_u64(segment, 0, number + 1);
        meetings += found != last + number + 1;
        last = found;
        assert_ok(tide_atomic_try_fetch_add_i64(segment, 8, -1, &before));
        while (!tide_atomic_compare_exchange_u32(segment, 16, &expected, expected + 3))
            ;
        tide_atomic_fetch_xor_i32(segment, 20, (int32_t)round << number);
        tide_atomic_fetch_add_i32(segment, 24, round % 2 == 0 ? INT32_MAX : INT32_MIN);
    }
    crew->rounds[number] = round;
}

static void counts_are_right(const team *crew)
{
    const tide_segment *segment = &crew->segment;
    uint64_t all = 0, weighted = 0;
    uint32_t turned = 0, halves = 0;
    for (unsigned number = 0; number < THREADS; number++) {
        const unsigned rounds = crew->rounds[number];
        all += rounds;
        weighted += (uint64_t)rounds * (number + 1);
        for (unsigned round = 0; round < rounds; round++)
            turned ^= (uint32_t)round << number;
        halves -= rounds / 2 - (rounds % 2 != 0 ? (uint32_t)INT32_MAX : 0);
    }
    assert_int_equal(tide_atomic_get_u64(segment, 0), weighted);
    assert_int_equal(tide_atomic_get_i64(segment, 8), -(int64_t)all);
    assert_int_equal(tide_atomic_get_u32(segment, 16), (uint32_t)(3 * all));
    assert_int_equal((uint32_t)tide_atomic_get_i32(segment, 20), turned);
    assert_int_equal((uint32_t)tide_atomic_get_i32(segment, 24), halves);
}

static void counters_add_up(void **state)
{
    (void)state;
    on_each_shared_scope(count_up, counts_are_right);
}

/* ------------------------------------------------------------------------------- bits */

/* Each thread sets and clears its own bits of a word that all share. */
static void turn_own_bits(team *crew, unsigned number)
{
    const uint32_t own = UINT32_C(0x11111111) << number;
    for (unsigned i = 0; i < ROUNDS; i++) {
        assert_int_equal(tide_atomic_fetch_or_u32(&crew->segment, 4, own) & own, 0);
        assert_int_equal(tide_atomic_fetch_and_u32(&crew->segment, 4, ~own) & own, own);
    }
    tide_atomic_fetch_or_u32(&crew->segment, 4, own);
}

static void all_bits_are_set(const team *crew)
{
    assert_int_equal(tide_atomic_get_u32(&crew->segment, 4), UINT32_MAX);
    assert_int_equal(tide_atomic_get_u32(&crew->segment, 0), 0);
    assert_int_equal(tide_atomic_get_u32(&crew->segment, 8), 0);
}

static void bits_of_one_word_are_each_thread_s_own(void **state)
{
    (void)state;
    on_each_shared_scope(turn_own_bits, all_bits_are_set);
}

/* ------------------------------------------------------------------------------- tokens */

/* Tokens are put in by one exchange and taken out by another: none is seen twice. */
static void pass_tokens(team *crew, unsigned number)
{
    uint64_t sum = 0;
    for (unsigned i = 1; i <= ROUNDS; i++)
        sum += tide_atomic_exchange_u64(&crew->segment, 32, (uint64_t)i * THREADS + number);
    crew->taken[number] = sum;
}

static void every_token_was_taken_once(const team *crew)
{
    uint64_t put = 0, taken = tide_atomic_get_u64(&crew->segment, 32);
    for (unsigned number = 0; number < THREADS; number++) {
        taken += crew->taken[number];
        for (unsigned i = 1; i <= ROUNDS; i++)
            put += (uint64_t)i * THREADS + number;
    }
    assert_int_equal(taken, put);
}

static void what_is_exchanged_is_seen_by_one_thread_only(void **state)
{
    (void)state;
    on_each_shared_scope(pass_tokens, every_token_was_taken_once);
}

/* ------------------------------------------------------------------------------- order */

typedef struct node {
    struct node *next;
    uint64_t value;
} node;

static node nodes[THREADS][ROUNDS];

/* A stack: what a node holds was written before it could be found. */
static void push_nodes(team *crew, unsigned number)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        node *own = &nodes[number][i];
        void *head = tide_atomic_get_ptr(&crew->segment, 40);
        own->value = 1;
        do {
            own->next = (node *)head;
        } while (!tide_atomic_compare_exchange_ptr(&crew->segment, 40, &head, own));
        head = tide_atomic_get_ptr(&crew->segment, 40);
        assert_int_equal(((const node *)head)->value, 1);
    }
}

static void all_nodes_are_there(const team *crew)
{
    size_t count = 0;
    for (const node *one = tide_atomic_get_ptr(&crew->segment, 40); one != NULL; one = one->next)
        count += one->value;
    assert_int_equal(count, (size_t)THREADS * ROUNDS);
}

static void what_a_pointer_leads_to_is_there_when_the_pointer_is_seen(void **state)
{
    (void)state;
    on_each_shared_scope(push_nodes, all_nodes_are_there);
}

static void await(const tide_segment *segment, size_t offset, uint32_t value)
{
    for (unsigned looks = 1; tide_atomic_get_u32(segment, offset) < value; looks++) {
        if (looks % 256 == 0)
            sched_yield();
    }
}

/* Each of two announces itself and looks for the other; the second to look finds the first. What
 * each writes has a line of its own: the round announced, whether it was alone, and two turns. */
static void announce_and_look(team *crew, unsigned number)
{
    const tide_segment *segment = &crew->segment;
    const size_t own = number * 64, other = 64 - own;
    unsigned meetings = 0;
    for (uint32_t round = 1; meetings < 10 * MEETINGS && round < 5 * ROUNDS; round++) {
        tide_atomic_set_u32(segment, own, round);
        const bool alone = tide_atomic_get_u32(segment, other) < round;
        tide_atomic_set_u32(segment, own + 8, alone);
        tide_atomic_set_u32(segment, own + 16, round);
        await(segment, other + 16, round);
        const bool other_alone = tide_atomic_get_u32(segment, other + 8) != 0;
        crew->taken[number] += alone && other_alone;
        meetings += !alone && !other_alone;
        tide_atomic_set_u32(segment, own + 24, round);
        await(segment, other + 24, round);
    }
}

static void of_two_threads_that_announce_themselves_one_sees_the_other(void **state)
{
    (void)state;
    scoped it;
    team crew = {.taken = {0}};
    open_scoped(&it, SHARED, LINES * 64, 64);
    crew.segment = it.segment;
    run_crew(&crew, 2, announce_and_look);
    assert_int_equal(crew.taken[0], 0);
    assert_int_equal(crew.taken[1], 0);
    assert_ok(end_scoped(&it));
}

/* ------------------------------------------------------------------------------- raw addresses */

static void count_by_address(team *crew, unsigned number)
{
    uint64_t *counter = (uint64_t *)tide_segment_address(&crew->segment);
    for (unsigned i = 0; i < ROUNDS; i++)
        __atomic_fetch_add(counter, number + 1, __ATOMIC_SEQ_CST);
}

static void count_as_owner(team *crew, unsigned number)
{
    if (number > 0) {
        count_by_address(crew, number);
        return;
    }
    tide_arena arena;
    tide_segment segment;
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_segment_attach(&crew->segment, 64, &arena, NULL, NULL, &segment));
    for (unsigned i = 0; i < ROUNDS; i++)
        tide_atomic_fetch_add_u64(&segment, 0, 1);
    assert_ok(tide_arena_close(&arena));
}

static void a_confined_segment_counts_with_those_who_have_its_address(void **state)
{
    (void)state;
    uint64_t words[8] = {0};
    team crew = {.segment = segment_over(words, sizeof words)};
    run_crew(&crew, THREADS, count_as_owner);
    assert_int_equal(words[0], ROUNDS * (THREADS * (THREADS + 1) / 2));
}

/* ------------------------------------------------------------------------------- closing */

static void count_until_closed(team *crew, unsigned number)
{
    tide_status status;
    uint64_t before = 0;
    do {
        status = tide_atomic_try_fetch_add_u64(&crew->segment, 8 * number, 1, &before);
    } while (status == TIDE_OK);
    assert_status(TIDE_CLOSED, status);
}

static void close_in_the_middle(team *crew, unsigned number)
{
    if (number > 0) {
        count_until_closed(crew, number);
        return;
    }
    const tide_scope scope = tide_segment_scope(&crew->segment);
    const tide_shared_arena arena = {scope.cell_, scope.epoch_};
    for (unsigned i = 0; i < 1000; i++)
        tide_atomic_fetch_add_u64(&crew->segment, 0, 1);
    assert_ok(tide_shared_close(arena));
}

static void whoever_operates_while_the_arena_closes_is_told(void **state)
{
    (void)state;
    for (int round = 0; round < 10; round++) {
        tide_shared_arena arena;
        team crew = {.taken = {0}};
        assert_ok(tide_shared_open(&arena));
        assert_ok(tide_shared_segment(arena, 64, 8, &crew.segment));
        run_crew(&crew, THREADS, close_in_the_middle);
        tide_trim();
    }
}

static int report_at_once(void **state)
{
    (void)state;
    setenv("CMOCKA_TEST_ABORT", "1", 1); /* checks run on other threads: they must say so at once */
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counters_add_up),
        cmocka_unit_test(bits_of_one_word_are_each_thread_s_own),
        cmocka_unit_test(what_is_exchanged_is_seen_by_one_thread_only),
        cmocka_unit_test(what_a_pointer_leads_to_is_there_when_the_pointer_is_seen),
        cmocka_unit_test(of_two_threads_that_announce_themselves_one_sees_the_other),
        cmocka_unit_test(a_confined_segment_counts_with_those_who_have_its_address),
        cmocka_unit_test(whoever_operates_while_the_arena_closes_is_told),
    };
    return cmocka_run_group_tests(tests, report_at_once, NULL);
}
