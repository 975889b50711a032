/* SPDX-License-Identifier: Apache-2.0 */
/* The null manager: addresses without memory. */
#include "test.h"

#include <signal.h>

#include "child.h"

#define WHOLE_RANGE ((size_t)1 << 46)

static tide_manager_statistics figures(void)
{
    tide_manager_statistics statistics = {.struct_size = sizeof statistics};
    assert_ok(tide_manager_statistics_get(tide_manager_null(), &statistics));
    return statistics;
}

static void *take(size_t size, size_t alignment)
{
    void *block = tide_manager_allocate(tide_manager_null(), size, alignment, 0);
    assert_non_null(block);
    return block;
}

static void give(void *block, size_t size, size_t alignment)
{
    assert_ok(tide_manager_free(tide_manager_null(), block, size, alignment));
}

static void addresses_are_distinct_and_aligned_as_asked(void **state)
{
    (void)state;
    uintptr_t end = 0;
    size_t sizes[30];
    void *blocks[30];
    for (size_t bit = 0; bit < COUNT_OF(blocks); bit++) {
        size_t alignment = (size_t)1 << bit;
        sizes[bit] = bit * 3;
        blocks[bit] = take(sizes[bit], alignment);
        assert_aligned(blocks[bit], alignment);
        assert_true((uintptr_t)blocks[bit] >= end);
        end = (uintptr_t)blocks[bit] + (sizes[bit] != 0 ? sizes[bit] : 1);
    }
    for (size_t bit = COUNT_OF(blocks); bit-- > 0;)
        give(blocks[bit], sizes[bit], (size_t)1 << bit);
}

static void an_alignment_of_half_the_range_is_met(void **state)
{
    (void)state;
    void *low = take(1, 1);
    void *block = take(WHOLE_RANGE / 2, WHOLE_RANGE / 2);
    assert_aligned(block, WHOLE_RANGE / 2);
    assert_true((uintptr_t)block > (uintptr_t)low);
    give(block, WHOLE_RANGE / 2, WHOLE_RANGE / 2);
    give(low, 1, 1);
}

static void a_touch_ends_the_process(void **state)
{
    (void)state;
    child_result result = child_run("--child", "read", NULL);
    assert_string_equal(result.output, "taken\n");
    assert_false(child_exited(&result, 0));
    result = child_run("--child", "write", NULL);
    assert_string_equal(result.output, "taken\n");
    assert_false(child_exited(&result, 0));
}

static void it_counts(void **state)
{
    (void)state;
    tide_manager_statistics before = figures();
    void *first = take(100, 8);
    void *second = take(0, 8);
    tide_manager_statistics during = figures();
    assert_int_equal(during.used - before.used, 101);
    assert_int_equal(during.allocations - before.allocations, 2);
    assert_int_equal(during.frees, before.frees);
    assert_int_equal(during.cached, 0);
    assert_int_equal(during.committed, 0);
    give(first, 100, 8);
    give(second, 0, 8);
    tide_manager_statistics after = figures();
    assert_int_equal(after.used, before.used);
    assert_int_equal(after.frees - before.frees, 2);
    assert_int_equal(after.failures, before.failures);
}

static void the_newest_block_s_addresses_serve_again(void **state)
{
    (void)state;
    void *first = take((size_t)1 << 40, 4096);
    for (int i = 0; i < 1000; i++) {
        void *next = take((size_t)1 << 40, 4096);
        give(next, (size_t)1 << 40, 4096);
    }
    give(first, (size_t)1 << 40, 4096);
    assert_ptr_equal(take(16, 4096), first);
    give(first, 16, 4096);
}

static void an_older_block_s_addresses_do_not_come_while_a_newer_lives(void **state)
{
    (void)state;
    char *first = (char *)take(64, 64);
    char *second = (char *)take(64, 64);
    give(first, 64, 64);
    char *third = (char *)take(64, 64);
    assert_true(third >= second + 64);
    give(third, 64, 64);
    give(second, 64, 64);
}

static void what_exceeds_its_range_is_out_of_memory(void **state)
{
    (void)state;
    const tide_manager *null = tide_manager_null();
    tide_manager_statistics before = figures();
    assert_out_of_memory(tide_manager_allocate(null, WHOLE_RANGE + 1, 1, 0));
    assert_out_of_memory(tide_manager_allocate(null, PTRDIFF_MAX, 1, 0));
    assert_error_names("no memory for 9223372036854775807 bytes aligned to 1 (manager \"null\"");
    for (unsigned bit = 56; bit <= 62; bit++)
        assert_out_of_memory(tide_manager_allocate(null, 1, (size_t)1 << bit, 0));
    void *half = take(WHOLE_RANGE / 2, 1);
    assert_out_of_memory(tide_manager_allocate(null, WHOLE_RANGE / 2 + 1, 1, 0));
    give(half, WHOLE_RANGE / 2, 1);
    tide_manager_statistics after = figures();
    assert_int_equal(after.failures - before.failures, 10);
    assert_int_equal(after.used, before.used);
}

static void refused(const void *block, size_t size, size_t alignment)
{
    void *address = (void *)(uintptr_t)block;
    tide_manager_statistics before = figures();
    assert_refused(TIDE_INVALID_ARGUMENT,
                   tide_manager_free(tide_manager_null(), address, size, alignment));
    assert_error_names("was refused by the manager (manager \"null\"");
    tide_manager_statistics after = figures();
    assert_int_equal(after.used, before.used);
    assert_int_equal(after.frees, before.frees);
}

static void a_free_of_what_it_did_not_give_is_refused(void **state)
{
    (void)state;
    int place = 0;
    char *block = (char *)take(64, 64);
    refused(&place, sizeof place, 4);
    refused((void *)UINTPTR_MAX, 1, 1);
    refused(block + 64, 1, 1);  /* behind all that was given */
    refused(block + 32, 64, 1); /* reaches behind it */
    refused(block, 65, 64);
    refused(block + 8, 8, 64); /* not aligned as it says */
    refused(block, PTRDIFF_MAX, 64);
    give(block, 64, 64);
    refused(block, 64, 64); /* twice */
}

static void more_than_is_out_cannot_come_back(void **state)
{
    (void)state;
    child_result result = child_run("--child", "free-twice", NULL);
    assert_string_equal(result.output, "OK\nOK\nINVALID_ARGUMENT\nused 0\n");
}

static void a_block_can_change_its_size_without_memory_to_copy(void **state)
{
    (void)state;
    tide_manager_statistics before = figures();
    void *block = take(100, 16);
    assert_ok(tide_manager_reallocate(tide_manager_null(), &block, 100, 1000, 16));
    assert_aligned(block, 16);
    assert_int_equal(figures().used - before.used, 1000);
    void *kept = block;
    assert_refused(TIDE_OUT_OF_MEMORY,
                   tide_manager_reallocate(tide_manager_null(), &block, 1000, PTRDIFF_MAX, 16));
    assert_ptr_equal(block, kept);
    give(block, 1000, 16);
    assert_int_equal(figures().used, before.used);
}

static void a_zeroed_request_is_met(void **state)
{
    (void)state;
    void *block = tide_manager_allocate(tide_manager_null(), 64, 8, TIDE_REQUEST_ZEROED);
    assert_non_null(block);
    give(block, 64, 8);
}

enum { THREADS = 4, BLOCKS = 2000 };

static void *take_many(void *argument)
{
    uintptr_t *addresses = (uintptr_t *)argument;
    for (size_t i = 0; i < BLOCKS; i++) {
        void *passing = tide_manager_allocate(tide_manager_null(), 48, 16, 0);
        addresses[i] = (uintptr_t)tide_manager_allocate(tide_manager_null(), 64, 64, 0);
        if (tide_manager_free(tide_manager_null(), passing, 48, 16) != TIDE_OK)
            abort();
    }
    return NULL;
}

static int compare(const void *a, const void *b)
{
    const uintptr_t *left = (const uintptr_t *)a;
    const uintptr_t *right = (const uintptr_t *)b;
    return (*left > *right) - (*left < *right);
}

static void threads_never_get_overlapping_addresses(void **state)
{
    (void)state;
    static uintptr_t addresses[THREADS * BLOCKS];
    pthread_t threads[THREADS];
    tide_manager_statistics before = figures();
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, take_many, &addresses[i * BLOCKS]), 0);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(figures().used - before.used, sizeof addresses / sizeof addresses[0] * 64);
    qsort(addresses, COUNT_OF(addresses), sizeof addresses[0], compare);
    for (size_t i = 1; i < COUNT_OF(addresses); i++)
        assert_true(addresses[i] - addresses[i - 1] >= 64);
    for (size_t i = COUNT_OF(addresses); i-- > 0;)
        give((void *)addresses[i], 64, 64);
    assert_int_equal(figures().used, before.used);
}

/* ----------------------------------------------------------------------------- children */

static int touch(bool write)
{
    volatile char *block =
        (volatile char *)tide_manager_allocate(tide_manager_null(), 4096, 4096, 0);
    puts(block != NULL ? "taken" : "refused");
    fflush(stdout);
    if (write)
        block[100] = 1;
    return block[100];
}

static int free_twice(void)
{
    const tide_manager *null = tide_manager_null();
    void *older = tide_manager_allocate(null, 64, 64, 0);
    void *newer = tide_manager_allocate(null, 64, 64, 0);
    puts(tide_status_name(tide_manager_free(null, older, 64, 64)));
    puts(tide_status_name(tide_manager_free(null, older, 64, 64))); /* nobody can tell yet */
    puts(tide_status_name(tide_manager_free(null, newer, 64, 64)));
    printf("used %d\n", (int)figures().used);
    return 0;
}

int main(int count, char **arguments)
{
    if (count == 3 && strcmp(arguments[1], "--child") == 0)
        return strcmp(arguments[2], "free-twice") == 0 ? free_twice()
                                                       : touch(strcmp(arguments[2], "write") == 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_are_distinct_and_aligned_as_asked),
        cmocka_unit_test(a_touch_ends_the_process),
        cmocka_unit_test(it_counts),
        cmocka_unit_test(the_newest_block_s_addresses_serve_again),
        cmocka_unit_test(an_older_block_s_addresses_do_not_come_while_a_newer_lives),
        cmocka_unit_test(what_exceeds_its_range_is_out_of_memory),
        cmocka_unit_test(a_free_of_what_it_did_not_give_is_refused),
        cmocka_unit_test(more_than_is_out_cannot_come_back),
        cmocka_unit_test(a_block_can_change_its_size_without_memory_to_copy),
        cmocka_unit_test(a_zeroed_request_is_met),
        cmocka_unit_test(threads_never_get_overlapping_addresses),
        /* Last: the addresses before such a block are lost. */
        cmocka_unit_test(an_alignment_of_half_the_range_is_met),
    };
    return cmocka_run_group_tests_name("null-manager", tests, NULL, NULL);
}
