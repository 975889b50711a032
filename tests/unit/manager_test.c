/* SPDX-License-Identifier: Apache-2.0 */
/* The checked calls on managers: the program's own, and the C library's. */
#include "test.h"

#include "counting_manager.h"

static const tide_manager *built_in(size_t index)
{
    return index == 0 ? tide_manager_system() : tide_manager_null();
}

static void *never(void *context, size_t size, size_t alignment, unsigned request)
{
    (void)context;
    (void)size;
    (void)alignment;
    (void)request;
    fail_msg("a refused call reached the manager");
    return NULL;
}

static tide_status never_free(void *context, void *block, size_t size, size_t alignment)
{
    never(context, size, alignment, 0);
    return block != NULL ? TIDE_OK : TIDE_IO;
}

/* Nothing may come through to this one. */
static const tide_manager unreachable = {
    .struct_size = sizeof unreachable,
    .name = "unreachable",
    .allocate = never,
    .free = never_free,
};

/* ----------------------------------------------------------------------------- the table */

static void the_built_in_tables_are_good(void **state)
{
    (void)state;
    assert_ok(tide_manager_check(tide_manager_system()));
    assert_ok(tide_manager_check(tide_manager_null()));
    assert_string_equal(tide_manager_system()->name, "system");
    assert_string_equal(tide_manager_null()->name, "null");
    assert_int_equal(tide_manager_system()->flags, 0);
    assert_int_equal(tide_manager_null()->flags, TIDE_MANAGER_NO_MEMORY);
    for (size_t i = 0; i < 2; i++)
        assert_ptr_equal(built_in(i), built_in(i));
}

static void a_bad_table_is_refused_by_every_call(void **state)
{
    (void)state;
    tide_manager no_size = unreachable;
    tide_manager small = unreachable;
    tide_manager large = unreachable;
    tide_manager nameless = unreachable;
    tide_manager unnamed = unreachable;
    tide_manager flagged = unreachable;
    tide_manager no_allocate = unreachable;
    tide_manager no_free = unreachable;
    no_size.struct_size = 0;
    small.struct_size = sizeof small - 8;
    large.struct_size = sizeof large + 8;
    nameless.name = NULL;
    unnamed.name = "";
    flagged.flags = 8;
    no_allocate.allocate = NULL;
    no_free.free = NULL;
    const struct {
        const tide_manager *table;
        const char *says;
    } rows[] = {
        {NULL, "the manager's table is NULL"},
        {&no_size, "the table's struct_size is 0, this library knows 88"},
        {&small, "the table's struct_size is 80, this library knows 88"},
        {&large, "the table's struct_size is 96, this library knows 88"},
        {&nameless, "the table has no name"},
        {&unnamed, "the table has no name"},
        {&flagged, "the table's flags are 0x8, this library knows 0x7 (manager \"unreachable\""},
        {&no_allocate, "allocate and free are required"},
        {&no_free, "allocate and free are required"},
    };
    char memory[8] = "";
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        void *block = memory;
        tide_manager_statistics statistics = {.struct_size = sizeof statistics, .used = 7};
        assert_refused(TIDE_INVALID_ARGUMENT, tide_manager_check(rows[i].table));
        assert_error_names(rows[i].says);
        assert_null(tide_manager_allocate(rows[i].table, 8, 8, 0));
        assert_error_names(rows[i].says);
        assert_refused(TIDE_INVALID_ARGUMENT, tide_manager_free(rows[i].table, memory, 8, 8));
        assert_error_names(rows[i].says);
        assert_refused(TIDE_INVALID_ARGUMENT, tide_manager_free(rows[i].table, NULL, 8, 8));
        assert_refused(TIDE_INVALID_ARGUMENT,
                       tide_manager_reallocate(rows[i].table, &block, 8, 16, 8));
        assert_ptr_equal(block, memory);
        assert_error_names("reallocate: ");
        assert_int_equal(tide_manager_good_size(rows[i].table, 8, 8), 0);
        assert_error_names("good size: ");
        assert_int_equal(tide_manager_usable_size(rows[i].table, memory, 8, 8), 0);
        assert_error_names("usable size: ");
        assert_int_equal(tide_manager_trim(rows[i].table), 0);
        assert_error_names("trim: ");
        assert_refused(TIDE_INVALID_ARGUMENT,
                       tide_manager_statistics_get(rows[i].table, &statistics));
        assert_int_equal(statistics.used, 7);
    }
}

/* ----------------------------------------------------------------------------- arguments */

static void a_size_above_ptrdiff_max_never_reaches_a_manager(void **state)
{
    (void)state;
    const size_t sizes[] = HUGE_SIZES;
    char memory[8] = "";
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        void *block = memory;
        assert_null(tide_manager_allocate(&unreachable, sizes[i], 8, 0));
        assert_int_equal(tide_last_error(), TIDE_INVALID_ARGUMENT);
        assert_error_names("the most is 9223372036854775807 (manager \"unreachable\" at ");
        assert_refused(TIDE_INVALID_ARGUMENT, tide_manager_free(&unreachable, memory, sizes[i], 8));
        assert_refused(TIDE_INVALID_ARGUMENT,
                       tide_manager_reallocate(&unreachable, &block, 8, sizes[i], 8));
        assert_refused(TIDE_INVALID_ARGUMENT,
                       tide_manager_reallocate(&unreachable, &block, sizes[i], 8, 8));
        assert_ptr_equal(block, memory);
        assert_int_equal(tide_manager_good_size(&unreachable, sizes[i], 8), 0);
        assert_int_equal(tide_manager_usable_size(&unreachable, memory, sizes[i], 8), 0);
    }
}

static void an_alignment_that_is_no_power_of_two_never_reaches_a_manager(void **state)
{
    (void)state;
    const size_t alignments[] = {0, 3, 12, ((size_t)1 << 62) + 1, (size_t)1 << 63, SIZE_MAX};
    char memory[8] = "";
    for (size_t i = 0; i < COUNT_OF(alignments); i++) {
        void *block = memory;
        assert_null(tide_manager_allocate(&unreachable, 8, alignments[i], 0));
        assert_int_equal(tide_last_error(), TIDE_INVALID_ARGUMENT);
        assert_error_names("good is a power of two up to 2^62");
        assert_refused(TIDE_INVALID_ARGUMENT,
                       tide_manager_free(&unreachable, memory, 8, alignments[i]));
        assert_refused(TIDE_INVALID_ARGUMENT,
                       tide_manager_reallocate(&unreachable, &block, 8, 16, alignments[i]));
        assert_int_equal(tide_manager_good_size(&unreachable, 8, alignments[i]), 0);
        assert_int_equal(tide_manager_usable_size(&unreachable, memory, 8, alignments[i]), 0);
    }
}

static void an_unknown_request_never_reaches_a_manager(void **state)
{
    (void)state;
    const unsigned requests[] = {2, 3, 0x80000000, UINT32_MAX};
    for (size_t i = 0; i < COUNT_OF(requests); i++) {
        assert_null(tide_manager_allocate(&unreachable, 8, 8, requests[i]));
        assert_int_equal(tide_last_error(), TIDE_INVALID_ARGUMENT);
        assert_error_names("this library knows 0x1");
    }
}

static void a_null_block_can_be_freed_but_nothing_else(void **state)
{
    (void)state;
    void *block = NULL;
    assert_ok(tide_manager_free(&unreachable, NULL, 8, 8));
    assert_refused(TIDE_INVALID_ARGUMENT, tide_manager_reallocate(&unreachable, &block, 8, 16, 8));
    assert_error_names("reallocate of a NULL block (manager \"unreachable\"");
    assert_refused(TIDE_INVALID_ARGUMENT, tide_manager_reallocate(&unreachable, NULL, 8, 16, 8));
    assert_int_equal(tide_manager_usable_size(&unreachable, NULL, 8, 8), 0);
    assert_int_equal(tide_last_error(), TIDE_INVALID_ARGUMENT);
    assert_error_names("usable size of a NULL block");
}

static void statistics_need_a_place_of_known_size(void **state)
{
    (void)state;
    tide_manager_statistics statistics = {.struct_size = 8, .used = 7};
    assert_refused(TIDE_INVALID_ARGUMENT,
                   tide_manager_statistics_get(tide_manager_system(), &statistics));
    assert_error_names("struct_size is 8, this library knows 56");
    assert_int_equal(statistics.used, 7);
    assert_refused(TIDE_INVALID_ARGUMENT, tide_manager_statistics_get(tide_manager_system(), NULL));
}

/* ----------------------------------------------------------------------------- the program's own
 */

static void size_alignment_and_request_come_through(void **state)
{
    (void)state;
    counting_manager mine;
    counting_manager_init(&mine);
    unsigned char *zeroed =
        (unsigned char *)tide_manager_allocate(&mine.table, 100, 64, TIDE_REQUEST_ZEROED);
    unsigned char *raw = (unsigned char *)tide_manager_allocate(&mine.table, 200, 8, 0);
    assert_non_null(zeroed);
    assert_non_null(raw);
    assert_zeroed(zeroed, 100);
    assert_true(all_bytes_are(raw, 0xEE, 200));
    assert_int_equal(mine.blocks[0].alignment, 64);
    assert_int_equal(mine.asked_sizes[0], 100);
    assert_ok(tide_manager_free(&mine.table, zeroed, 100, 64));
    assert_ok(tide_manager_free(&mine.table, raw, 200, 8));
    assert_true(counting_manager_is_balanced(&mine));
}

static void a_size_of_0_counts_as_1(void **state)
{
    (void)state;
    counting_manager mine;
    counting_manager_init(&mine);
    void *block = tide_manager_allocate(&mine.table, 0, 1, 0);
    assert_non_null(block);
    assert_int_equal(mine.asked_sizes[0], 1);
    assert_int_equal(tide_manager_good_size(&mine.table, 0, 1), 1);
    assert_int_equal(tide_manager_usable_size(&mine.table, block, 0, 1), 1);
    assert_ok(tide_manager_reallocate(&mine.table, &block, 0, 0, 1));
    assert_int_equal(mine.asked_sizes[1], 1);
    assert_ok(tide_manager_free(&mine.table, block, 0, 1));
    assert_true(counting_manager_is_balanced(&mine));
}

static void a_refusal_names_manager_and_size(void **state)
{
    (void)state;
    counting_manager mine;
    counting_manager_init(&mine);
    mine.refuse_above = 10;
    assert_out_of_memory(tide_manager_allocate(&mine.table, 11, 8, 0));
    assert_error_names("allocate: no memory for 11 bytes aligned to 8 (manager \"counting\" at 0x");
}

static void the_manager_s_status_of_a_free_comes_back(void **state)
{
    (void)state;
    const tide_status statuses[] = {
        TIDE_INVALID_ARGUMENT,
        TIDE_IO,
        TIDE_VETOED,
#ifndef __cplusplus /* there an enumeration holds nothing that it does not list */
        (tide_status)77,
#endif
    };
    for (size_t i = 0; i < COUNT_OF(statuses); i++) {
        counting_manager mine;
        counting_manager_init(&mine);
        void *block = tide_manager_allocate(&mine.table, 8, 8, 0);
        mine.free_status = statuses[i];
        assert_refused(statuses[i], tide_manager_free(&mine.table, block, 8, 8));
        assert_error_names("free of 8 bytes at 0x");
        assert_error_names("was refused by the manager (manager \"counting\" at 0x");
    }
}

static void without_reallocate_the_content_is_moved(void **state)
{
    (void)state;
    counting_manager mine;
    counting_manager_init(&mine);
    void *block = tide_manager_allocate(&mine.table, 4, 8, 0);
    void *old = block;
    memcpy(block, "abcd", 4);
    assert_ok(tide_manager_reallocate(&mine.table, &block, 4, 1000, 8));
    assert_ptr_not_equal(block, old);
    assert_memory_equal(block, "abcd", 4);
    assert_true(all_bytes_are((char *)block + 4, 0xEE, 996)); /* and nothing behind it */
    assert_int_equal(mine.out, 1);
    assert_ok(tide_manager_reallocate(&mine.table, &block, 1000, 2, 8));
    assert_memory_equal(block, "ab", 2);
    assert_ok(tide_manager_free(&mine.table, block, 2, 8));
    assert_true(counting_manager_is_balanced(&mine));
}

static void a_reallocation_that_is_refused_changes_nothing(void **state)
{
    (void)state;
    counting_manager mine;
    counting_manager_init(&mine);
    void *block = tide_manager_allocate(&mine.table, 4, 8, 0);
    void *old = block;
    memcpy(block, "abcd", 4);
    mine.refuse_above = 4;
    assert_refused(TIDE_OUT_OF_MEMORY, tide_manager_reallocate(&mine.table, &block, 4, 5, 8));
    assert_error_names("reallocate: no memory for 5 bytes");
    assert_ptr_equal(block, old);
    assert_memory_equal(block, "abcd", 4);
    assert_int_equal(mine.freed, 0);
    assert_ok(tide_manager_free(&mine.table, block, 4, 8));
}

static void a_reallocation_stands_when_the_old_block_is_not_taken_back(void **state)
{
    (void)state;
    counting_manager mine;
    counting_manager_init(&mine);
    void *block = tide_manager_allocate(&mine.table, 4, 8, 0);
    void *old = block;
    memcpy(block, "abcd", 4);
    mine.free_status = TIDE_IO;
    assert_refused(TIDE_IO, tide_manager_reallocate(&mine.table, &block, 4, 8, 8));
    assert_ptr_not_equal(block, old);
    assert_memory_equal(block, "abcd", 4);
    mine.free_status = TIDE_OK;
    assert_ok(tide_manager_free(&mine.table, block, 8, 8));
    assert_true(counting_manager_is_balanced(&mine));
}

/* Every optional operation, each answering what nobody could guess. */

static void *their_reallocate(void *context, void *block, size_t old_size, size_t new_size,
                              size_t alignment)
{
    (void)alignment;
    return old_size < new_size ? NULL : (char *)context + ((char *)block - (char *)context) + 1;
}

static size_t their_good_size(void *context, size_t size, size_t alignment)
{
    (void)context;
    return size + alignment;
}

static size_t their_usable_size(void *context, const void *block, size_t size, size_t alignment)
{
    return size + alignment + (block == context);
}

static size_t their_trim(void *context)
{
    return strlen((const char *)context);
}

static void their_statistics(void *context, tide_manager_statistics *statistics)
{
    statistics->used = 1;
    statistics->cached = 2;
    statistics->committed = 3;
    statistics->allocations = 4;
    statistics->frees = 5;
    statistics->failures = strlen((const char *)context);
}

static void optional_operations_are_asked_when_there_are_any(void **state)
{
    (void)state;
    char context[] = "context";
    const tide_manager rich = {
        .struct_size = sizeof rich,
        .name = "rich",
        .context = context,
        .allocate = never,
        .free = never_free,
        .reallocate = their_reallocate,
        .good_size = their_good_size,
        .usable_size = their_usable_size,
        .trim = their_trim,
        .statistics = their_statistics,
    };
    void *block = context;
    assert_ok(tide_manager_reallocate(&rich, &block, 8, 8, 8));
    assert_ptr_equal(block, context + 1);
    assert_refused(TIDE_OUT_OF_MEMORY, tide_manager_reallocate(&rich, &block, 8, 9, 8));
    assert_ptr_equal(block, context + 1);
    assert_int_equal(tide_manager_good_size(&rich, 10, 4), 14);
    assert_int_equal(tide_manager_usable_size(&rich, context, 10, 4), 15);
    assert_int_equal(tide_manager_trim(&rich), 7);
    tide_manager_statistics statistics = {.struct_size = sizeof statistics};
    assert_ok(tide_manager_statistics_get(&rich, &statistics));
    assert_int_equal(statistics.used, 1);
    assert_int_equal(statistics.cached, 2);
    assert_int_equal(statistics.committed, 3);
    assert_int_equal(statistics.allocations, 4);
    assert_int_equal(statistics.frees, 5);
    assert_int_equal(statistics.failures, 7);
}

static void without_optional_operations_the_answers_are_exact_or_nothing(void **state)
{
    (void)state;
    tide_manager_statistics statistics;
    memset(&statistics, 0xFF, sizeof statistics);
    statistics.struct_size = sizeof statistics;
    char block[8] = "";
    assert_int_equal(tide_manager_good_size(&unreachable, 10, 4), 10);
    assert_int_equal(tide_manager_usable_size(&unreachable, block, 10, 4), 10);
    assert_int_equal(tide_manager_trim(&unreachable), 0);
    assert_ok(tide_manager_statistics_get(&unreachable, &statistics));
    assert_int_equal(statistics.struct_size, sizeof statistics);
    assert_zeroed(&statistics.used, sizeof statistics - offsetof(tide_manager_statistics, used));
}

/* ----------------------------------------------------------------------------- system */

static void the_system_gives_aligned_memory_zeroed_when_asked(void **state)
{
    (void)state;
    const tide_manager *system = tide_manager_system();
    const size_t sizes[] = {0, 1, 7, 8, 9, 64, 65, 4096, 100000};
    for (size_t alignment = 1; alignment <= 1 << 16; alignment *= 2) {
        for (size_t i = 0; i < COUNT_OF(sizes); i++) {
            /* What was freed dirty may come again. */
            unsigned char *dirty =
                (unsigned char *)tide_manager_allocate(system, sizes[i], alignment, 0);
            assert_non_null(dirty);
            assert_aligned(dirty, alignment);
            memset(dirty, 0xA5, sizes[i]);
            assert_ok(tide_manager_free(system, dirty, sizes[i], alignment));
            unsigned char *clean = (unsigned char *)tide_manager_allocate(
                system, sizes[i], alignment, TIDE_REQUEST_ZEROED);
            assert_non_null(clean);
            assert_aligned(clean, alignment);
            assert_zeroed(clean, sizes[i]);
            assert_ok(tide_manager_free(system, clean, sizes[i], alignment));
        }
    }
}

static void a_system_block_keeps_content_and_alignment_when_it_changes(void **state)
{
    (void)state;
    const tide_manager *system = tide_manager_system();
    const size_t sizes[] = {1, 10, 100, 100000, 50, 3};
    for (size_t alignment = 1; alignment <= 8192; alignment *= 2) {
        size_t size = 6;
        void *block = tide_manager_allocate(system, size, alignment, 0);
        assert_non_null(block);
        memset(block, 0x77, size);
        for (size_t i = 0; i < COUNT_OF(sizes); i++) {
            assert_ok(tide_manager_reallocate(system, &block, size, sizes[i], alignment));
            assert_aligned(block, alignment);
            assert_true(all_bytes_are(block, 0x77, size < sizes[i] ? size : sizes[i]));
            size = sizes[i];
            memset(block, 0x77, size);
        }
        assert_ok(tide_manager_free(system, block, size, alignment));
    }
}

static void what_no_machine_has_is_out_of_memory(void **state)
{
    (void)state;
    const tide_manager *system = tide_manager_system();
    const struct {
        size_t size, alignment;
    } rows[] = {
        {PTRDIFF_MAX, 1},        {PTRDIFF_MAX - 1, 16},
        {PTRDIFF_MAX, 64}, /* overflows with its alignment */
        {PTRDIFF_MAX - 63, 64},  {PTRDIFF_MAX, (size_t)1 << 62},
        {(size_t)1 << 62, 4096}, {1, (size_t)1 << 62},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        size_t size = opaque(rows[i].size);
        assert_out_of_memory(tide_manager_allocate(system, size, rows[i].alignment, 0));
        assert_out_of_memory(
            tide_manager_allocate(system, size, rows[i].alignment, TIDE_REQUEST_ZEROED));
    }
    /* Who asks the table itself is checked by nobody: such numbers must not wrap around there. */
    assert_null(system->allocate(system->context, opaque(SIZE_MAX), 64, 0));
    assert_null(system->allocate(system->context, opaque(SIZE_MAX - 62), 64, 0));
    const size_t alignments[] = {8, 64};
    for (size_t i = 0; i < COUNT_OF(alignments); i++) {
        void *block = tide_manager_allocate(system, 4, alignments[i], 0);
        void *old = block;
        assert_non_null(block);
        memcpy(block, "abcd", 4);
        assert_refused(
            TIDE_OUT_OF_MEMORY,
            tide_manager_reallocate(system, &block, 4, opaque(PTRDIFF_MAX), alignments[i]));
        assert_ptr_equal(block, old);
        assert_memory_equal(block, "abcd", 4);
        assert_ok(tide_manager_free(system, block, 4, alignments[i]));
    }
}

static void the_system_keeps_no_figures(void **state)
{
    (void)state;
    tide_manager_statistics statistics = {.struct_size = sizeof statistics, .used = 7};
    assert_ok(tide_manager_statistics_get(tide_manager_system(), &statistics));
    assert_zeroed(&statistics.used, sizeof statistics - offsetof(tide_manager_statistics, used));
    assert_int_equal(tide_manager_trim(tide_manager_system()), 0);
    assert_int_equal(tide_manager_good_size(tide_manager_system(), 100, 64), 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_built_in_tables_are_good),
        cmocka_unit_test(a_bad_table_is_refused_by_every_call),
        cmocka_unit_test(a_size_above_ptrdiff_max_never_reaches_a_manager),
        cmocka_unit_test(an_alignment_that_is_no_power_of_two_never_reaches_a_manager),
        cmocka_unit_test(an_unknown_request_never_reaches_a_manager),
        cmocka_unit_test(a_null_block_can_be_freed_but_nothing_else),
        cmocka_unit_test(statistics_need_a_place_of_known_size),
        cmocka_unit_test(size_alignment_and_request_come_through),
        cmocka_unit_test(a_size_of_0_counts_as_1),
        cmocka_unit_test(a_refusal_names_manager_and_size),
        cmocka_unit_test(the_manager_s_status_of_a_free_comes_back),
        cmocka_unit_test(without_reallocate_the_content_is_moved),
        cmocka_unit_test(a_reallocation_that_is_refused_changes_nothing),
        cmocka_unit_test(a_reallocation_stands_when_the_old_block_is_not_taken_back),
        cmocka_unit_test(optional_operations_are_asked_when_there_are_any),
        cmocka_unit_test(without_optional_operations_the_answers_are_exact_or_nothing),
        cmocka_unit_test(the_system_gives_aligned_memory_zeroed_when_asked),
        cmocka_unit_test(a_system_block_keeps_content_and_alignment_when_it_changes),
        cmocka_unit_test(what_no_machine_has_is_out_of_memory),
        cmocka_unit_test(the_system_keeps_no_figures),
    };
    return cmocka_run_group_tests_name("manager", tests, NULL, NULL);
}
