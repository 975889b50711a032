/* SPDX-License-Identifier: Apache-2.0 */
/* Writing mapped bytes back. What the system is asked for, and when it refuses, is in
 * mapping_failure_test.c. */
#include "test.h"

#include "files.h"

#define MADE 12289u

static tide_arena arena;
static test_file file;

static int open_all(void **state)
{
    (void)state;
    file = make_file(MADE);
    assert_ok(tide_arena_open(&arena));
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    if (tide_arena_is_alive(&arena))
        assert_ok(tide_arena_close(&arena));
    drop_file(&file);
    return 0;
}

static tide_segment map(tide_map_mode mode)
{
    tide_segment segment;
    assert_ok(tide_arena_map(&arena, file.descriptor, mode, 1, MADE - 1, &segment));
    return segment;
}

static void a_mapping_of_any_mode_can_be_forced(void **state)
{
    (void)state;
    for (size_t m = 0; m < COUNT_OF(every_mode); m++) {
        tide_segment segment = map(every_mode[m]);
        assert_ok(tide_segment_force(&segment));
        segment = read_only_of(segment);
        assert_ok(tide_segment_force(&segment));
    }
}

static void any_slice_can_be_forced(void **state)
{
    (void)state;
    static const size_t offsets[] = {0, 1, 4094, 4095, 4096, 8191, MADE - 2, MADE - 1};
    static const size_t sizes[] = {0, 1, 2, 4096, 4097};
    tide_segment whole = map(TIDE_MAP_READ_WRITE);
    tide_segment slice;
    assert_ok(tide_segment_fill(&whole, 0xEE));
    for (size_t i = 0; i < COUNT_OF(offsets); i++) {
        for (size_t j = 0; j < COUNT_OF(sizes); j++) {
            if (offsets[i] + sizes[j] > MADE - 1)
                continue;
            assert_ok(tide_segment_slice(&whole, offsets[i], sizes[j], &slice));
            assert_ok(tide_segment_force(&slice));
        }
    }
    assert_int_equal(file_byte(&file, MADE - 1), 0xEE);
}

static void what_is_no_segment_is_an_invalid_argument(void **state)
{
    (void)state;
    const tide_segment zeroed = {NULL, 0, NULL, 0};
    assert_refused(TIDE_INVALID_ARGUMENT, tide_segment_force(NULL));
    assert_refused(TIDE_INVALID_ARGUMENT, tide_segment_force(&zeroed));
}

static void force_as_stranger(void *segment)
{
    assert_int_equal(tide_segment_force(segment), TIDE_WRONG_OWNER);
}

static void a_segment_that_is_not_mapped_is_refused_before_its_scope_is_looked_at(void **state)
{
    (void)state;
    static char outside[100];
    tide_segment segment = segment_over(outside, sizeof outside);
    assert_refused(TIDE_UNSUPPORTED, tide_segment_force(&segment));
    segment = map(TIDE_MAP_READ_WRITE);
    assert_ok(tide_segment_resize(&segment, 100, &segment));
    assert_refused(TIDE_UNSUPPORTED, tide_segment_force(&segment));
    assert_ok(tide_arena_segment(&arena, 100, 8, &segment));
    assert_refused(TIDE_UNSUPPORTED, tide_segment_force(&segment));
    assert_ok(tide_arena_close(&arena));
    assert_refused(TIDE_UNSUPPORTED, tide_segment_force(&segment));
}

static void only_the_owner_of_an_open_arena_forces(void **state)
{
    (void)state;
    tide_segment segment = map(TIDE_MAP_READ_WRITE);
    tide_segment none;
    assert_ok(tide_segment_slice(&segment, 0, 0, &none));
    on_new_thread(force_as_stranger, &segment);
    on_new_thread(force_as_stranger, &none);
    assert_ok(tide_arena_close(&arena));
    on_new_thread(force_as_stranger, &segment);
    assert_refused(TIDE_CLOSED, tide_segment_force(&segment));
    assert_error_names("force: ");
    assert_refused(TIDE_CLOSED, tide_segment_force(&none));
}

static void forcing_a_segment_of_a_shared_arena_leaves_no_hold_behind(void **state)
{
    (void)state;
    tide_shared_arena shared;
    tide_segment segment;
    assert_ok(tide_shared_open(&shared));
    assert_ok(tide_shared_map(shared, file.descriptor, TIDE_MAP_READ_WRITE, 0, MADE, &segment));
    for (int i = 0; i < 3; i++)
        assert_ok(tide_segment_force(&segment));
    assert_ok(tide_shared_close(shared));
    assert_refused(TIDE_CLOSED, tide_segment_force(&segment));
    assert_error_names("force: ");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_all, close_all)
    const struct CMUnitTest tests[] = {
        TEST(a_mapping_of_any_mode_can_be_forced),
        TEST(any_slice_can_be_forced),
        TEST(what_is_no_segment_is_an_invalid_argument),
        TEST(a_segment_that_is_not_mapped_is_refused_before_its_scope_is_looked_at),
        TEST(only_the_owner_of_an_open_arena_forces),
        TEST(forcing_a_segment_of_a_shared_arena_leaves_no_hold_behind),
    };
    return cmocka_run_group_tests_name("mapping-force", tests, NULL, NULL);
}
