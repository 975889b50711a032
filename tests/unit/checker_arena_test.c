/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a memory checker is told of an arena's memory: exactly the bytes of open allocations may be
 * touched. AddressSanitizer is played by this file, in a program built without it, so that what it
 * was told can be asked byte by byte.
 */
#include "test.h"

#include "counting_manager.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)

int main(void)
{
    puts("the sanitizer itself is there: the tests in death- ask it");
    return 0;
}

#else

/* ------------------------------------------------------------------------------- the checker */

typedef struct told {
    uintptr_t start;
    size_t size;
    bool forbidden;
} told;

static told history[1 << 14];
static size_t history_length;

static void note(const volatile void *address, size_t size, bool forbidden)
{
    if (history_length == COUNT_OF(history))
        abort();
    history[history_length++] = (told){(uintptr_t)address, size, forbidden};
}

void __asan_poison_memory_region(const volatile void *address, size_t size);
void __asan_unpoison_memory_region(const volatile void *address, size_t size);

void __asan_poison_memory_region(const volatile void *address, size_t size)
{
    note(address, size, true);
}

void __asan_unpoison_memory_region(const volatile void *address, size_t size)
{
    note(address, size, false);
}

/* What was said of a byte last holds. */
static bool is_forbidden(const unsigned char *byte)
{
    for (size_t i = history_length; i-- > 0;) {
        if ((uintptr_t)byte - history[i].start < history[i].size)
            return history[i].forbidden;
    }
    return false;
}

static size_t count_forbidden(const unsigned char *start, size_t size)
{
    size_t count = 0;
    for (size_t i = 0; i < size; i++)
        count += is_forbidden(start + i);
    return count;
}

/* The block may be touched, and what lies around it may not. */
static void assert_exactly_allowed(const unsigned char *block, size_t size)
{
    assert_int_equal(count_forbidden(block, size), 0);
    assert_true(is_forbidden(block + size));
    assert_true(is_forbidden(block + size + 7));
}

/* ------------------------------------------------------------------------------- the tests */

static int forget_history(void **state)
{
    (void)state;
    history_length = 0;
    return 0;
}

static const size_t sizes[] = {1, 8, 24, 63, 64, 65, 100, 1000, 5000, 100000};

static void the_bytes_of_an_allocation_are_allowed_and_those_behind_are_not(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        tide_arena arena;
        unsigned char *blocks[4];
        assert_ok(tide_arena_open(&arena));
        for (size_t j = 0; j < COUNT_OF(blocks); j++) {
            const bool zeroed = (i + j) % 2 == 0;
            blocks[j] = zeroed ? tide_arena_allocate(&arena, sizes[i], 8)
                               : tide_arena_allocate_uninitialized(&arena, sizes[i], 8);
            assert_exactly_allowed(blocks[j], sizes[i]);
            if (zeroed)
                assert_zeroed(blocks[j], sizes[i]);
            memset(blocks[j], 0xAB, sizes[i]);
        }
        for (size_t j = 0; j < COUNT_OF(blocks); j++)
            assert_exactly_allowed(blocks[j], sizes[i]);
        assert_ok(tide_arena_close(&arena));
    }
}

static void an_allocation_of_nothing_allows_nothing(void **state)
{
    (void)state;
    tide_arena arena;
    assert_ok(tide_arena_open(&arena));
    for (size_t i = 0; i < 4; i++) {
        assert_true(is_forbidden(tide_arena_allocate(&arena, 0, 1)));
        assert_true(is_forbidden(tide_arena_allocate_uninitialized(&arena, 0, 1)));
    }
    assert_ok(tide_arena_close(&arena));
}

/* Small ones and chunks of the row stay with the thread; what is larger goes back to the system,
 * which must find it allowed. */
static void closing_forbids_what_the_thread_keeps_and_allows_what_it_gives_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        tide_arena arena;
        assert_ok(tide_arena_open(&arena));
        unsigned char *block = tide_arena_allocate(&arena, sizes[i], 8);
        assert_ok(tide_arena_close(&arena));
        assert_int_equal(count_forbidden(block, sizes[i]), sizes[i] <= 65536 ? sizes[i] : 0);
    }
    assert_true(tide_trim() > 0);
}

static void a_reset_forbids_everything_until_it_is_handed_out_again(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(sizes) - 1; i++) {
        tide_arena arena;
        assert_ok(tide_arena_open(&arena));
        unsigned char *block = tide_arena_allocate(&arena, sizes[i], 8);
        memset(block, 0xAB, sizes[i]);
        assert_ok(tide_arena_reset(&arena));
        assert_int_equal(count_forbidden(block, sizes[i]), sizes[i]);
        assert_ptr_equal(tide_arena_allocate(&arena, sizes[i], 8), block);
        assert_exactly_allowed(block, sizes[i]);
        assert_zeroed(block, sizes[i]);
        assert_ok(tide_arena_close(&arena));
    }
}

static void growing_allows_the_new_bytes_and_shrinking_forbids_what_it_gives_back(void **state)
{
    (void)state;
    for (size_t large = 0; large < 2; large++) { /* in the pool, and in a chunk */
        tide_arena arena;
        const size_t most = large != 0 ? 900 : 60;
        assert_ok(tide_arena_open(&arena));
        if (large != 0)
            assert_non_null(tide_arena_allocate(&arena, 64, 8));
        const size_t steps[] = {0, 1, 20, 20, most, 19, 0, 0, most, 8, 0, 5};
        unsigned char *block = tide_arena_allocate(&arena, steps[0], 8);
        for (size_t i = 1; i < COUNT_OF(steps); i++) {
            size_t kept = steps[i - 1] < steps[i] ? steps[i - 1] : steps[i];
            memset(block, 0xAB, steps[i - 1]);
            assert_ok(tide_arena_extend(&arena, block, steps[i - 1], steps[i]));
            assert_int_equal(count_forbidden(block, steps[i]), 0);
            assert_true(is_forbidden(block + steps[i]));
            assert_true(all_bytes_are(block, 0xAB, kept));
            assert_zeroed(block + kept, steps[i] - kept);
        }
        assert_ok(tide_arena_close(&arena));
    }
}

static void a_manager_of_the_programs_own_may_look_at_what_it_gets_back(void **state)
{
    (void)state;
    counting_manager counting;
    counting_manager_init(&counting);
    tide_arena_options options = TIDE_ARENA_OPTIONS_INIT;
    options.manager = &counting.table;
    tide_arena arena;
    assert_ok(tide_arena_open_with(&arena, &options));
    unsigned char *block = tide_arena_allocate(&arena, 3000, 8);
    assert_exactly_allowed(block, 3000);
    assert_ok(tide_arena_close(&arena));
    assert_int_equal(count_forbidden(block, 4096), 0);
    assert_true(counting_manager_is_balanced(&counting));
}

/* Nobody can touch it anyway, and a checker may know such addresses as nobody's. */
static void addresses_without_memory_are_not_spoken_of(void **state)
{
    (void)state;
    tide_arena_options options = TIDE_ARENA_OPTIONS_INIT;
    options.manager = tide_manager_null();
    tide_arena arena;
    assert_ok(tide_arena_open_with(&arena, &options));
    char *block = tide_arena_allocate(&arena, 600, 8);
    assert_ok(tide_arena_extend(&arena, block, 600, 1000));
    assert_ok(tide_arena_extend(&arena, block, 1000, 10));
    assert_ok(tide_arena_reset(&arena));
    assert_ok(tide_arena_close(&arena));
    for (size_t i = 0; i < history_length; i++)
        assert_false((uintptr_t)block - history[i].start < history[i].size);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_bytes_of_an_allocation_are_allowed_and_those_behind_are_not,
                               forget_history),
        cmocka_unit_test(an_allocation_of_nothing_allows_nothing),
        cmocka_unit_test(closing_forbids_what_the_thread_keeps_and_allows_what_it_gives_back),
        cmocka_unit_test(a_reset_forbids_everything_until_it_is_handed_out_again),
        cmocka_unit_test(growing_allows_the_new_bytes_and_shrinking_forbids_what_it_gives_back),
        cmocka_unit_test(a_manager_of_the_programs_own_may_look_at_what_it_gets_back),
        cmocka_unit_test(addresses_without_memory_are_not_spoken_of),
    };
    return cmocka_run_group_tests_name("checker-arena", tests, NULL, NULL);
}

#endif
