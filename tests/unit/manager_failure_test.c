/* SPDX-License-Identifier: Apache-2.0 */
/* The system manager when the C library's calls fail. */
#include "test.h"

#include "failing.h"

static void each_kind_of_request_that_fails_is_out_of_memory(void **state)
{
    (void)state;
    const tide_manager *system = tide_manager_system();
    const struct {
        size_t alignment;
        unsigned request;
    } rows[] = {{8, 0}, {8, TIDE_REQUEST_ZEROED}, {64, 0}, {64, TIDE_REQUEST_ZEROED}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        failing_from(0);
        void *block = tide_manager_allocate(system, 100, rows[i].alignment, rows[i].request);
        long failures = failing_stop();
        assert_null(block);
        assert_int_equal(failures, 1);
        assert_int_equal(tide_last_error(), TIDE_OUT_OF_MEMORY);
        assert_error_names("no memory for 100 bytes");
    }
}

static void a_reallocation_that_fails_leaves_the_block_as_it_was(void **state)
{
    (void)state;
    const tide_manager *system = tide_manager_system();
    const size_t alignments[] = {8, 64};
    for (size_t i = 0; i < COUNT_OF(alignments); i++) {
        void *block = tide_manager_allocate(system, 4, alignments[i], 0);
        void *old = block;
        assert_non_null(block);
        memcpy(block, "abcd", 4);
        failing_from(0);
        tide_status status = tide_manager_reallocate(system, &block, 4, 1000, alignments[i]);
        assert_int_equal(failing_stop(), 1);
        assert_status(TIDE_OUT_OF_MEMORY, status);
        assert_ptr_equal(block, old);
        assert_memory_equal(block, "abcd", 4);
        assert_ok(tide_manager_free(system, block, 4, alignments[i]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_of_request_that_fails_is_out_of_memory),
        cmocka_unit_test(a_reallocation_that_fails_leaves_the_block_as_it_was),
    };
    return cmocka_run_group_tests_name("manager-failure", tests, NULL, NULL);
}
