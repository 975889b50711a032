/* SPDX-License-Identifier: Apache-2.0 */
/* Segments: what they are, of bare addresses, resized, attached to an arena. */
#include "test.h"

static const tide_segment zeroed_segment = {0};

static char ran[64];

static const char *note(void *context)
{
    strcat(ran, (const char *)context);
    return NULL;
}

static const char *report_failure(void *context)
{
    return (const char *)context;
}

static tide_segment_information info_of(const tide_segment *segment)
{
    tide_segment_information information = {.struct_size = sizeof information};
    assert_ok(tide_segment_info(segment, &information));
    return information;
}

/* ------------------------------------------------------------------------------- info */

static void info_tells_everything_at_one_look(void **state)
{
    (void)state;
    tide_arena arena;
    tide_segment segment, view;
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_arena_segment(&arena, 24, 8, &segment));
    assert_ok(tide_segment_read_only(&segment, &view));
    tide_segment_information information = info_of(&segment);
    assert_ptr_equal(information.address, tide_segment_address(&segment));
    assert_int_equal(information.size, 24);
    assert_false(information.read_only);
    assert_false(information.mapped);
    assert_true(information.alive);
    assert_true(info_of(&view).read_only);
    assert_int_equal(info_of(&view).size, 24);
    assert_ok(tide_arena_close(&arena));
    information = info_of(&segment);
    assert_false(information.alive);
    assert_int_equal(information.size, 24);
    assert_int_equal(tide_segment_size(&segment), 24);
}

static void info_refuses_null_and_unknown_sizes(void **state)
{
    (void)state;
    tide_segment_information information;
    tide_segment segment = tide_segment_of_address(ran);
    const size_t strange[] = {0, 8, sizeof information - 1, sizeof information + 1, SIZE_MAX};
    for (size_t i = 0; i < COUNT_OF(strange); i++) {
        memset(&information, 0x5A, sizeof information);
        information.struct_size = strange[i];
        assert_refused(TIDE_INVALID_ARGUMENT, tide_segment_info(&segment, &information));
        assert_true(all_bytes_are((char *)&information + sizeof(size_t), 0x5A,
                                  sizeof information - sizeof(size_t)));
    }
    information.struct_size = sizeof information;
    assert_refused(TIDE_INVALID_ARGUMENT, tide_segment_info(&segment, NULL));
    assert_refused(TIDE_INVALID_ARGUMENT, tide_segment_info(NULL, &information));
    assert_refused(TIDE_INVALID_ARGUMENT, tide_segment_info(&zeroed_segment, &information));
    assert_int_equal(information.struct_size, sizeof information);
}

static void questions_about_null_have_harmless_answers(void **state)
{
    (void)state;
    tide_scope scope = tide_segment_scope(NULL);
    assert_int_equal(tide_segment_size(NULL), 0);
    assert_null(tide_segment_address(NULL));
    assert_false(tide_segment_is_read_only(NULL));
    assert_false(tide_segment_is_mapped(NULL));
    assert_zeroed(&scope, sizeof scope);
    assert_false(tide_segment_is_accessible_by(NULL, tide_owner_current()));
}

static void questions_about_a_zeroed_segment_have_harmless_answers(void **state)
{
    (void)state;
    assert_int_equal(tide_segment_size(&zeroed_segment), 0);
    assert_null(tide_segment_address(&zeroed_segment));
    assert_false(tide_segment_is_read_only(&zeroed_segment));
    assert_false(tide_segment_is_mapped(&zeroed_segment));
    assert_false(tide_segment_is_accessible_by(&zeroed_segment, tide_owner_current()));
    assert_false(tide_scope_is_alive(tide_segment_scope(&zeroed_segment)));
}

static void a_segment_is_accessible_by_its_arenas_owner_only(void **state)
{
    (void)state;
    tide_arena arena;
    tide_segment segment;
    tide_owner own = tide_owner_current();
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_arena_segment(&arena, 8, 8, &segment));
    assert_true(tide_segment_is_accessible_by(&segment, own));
    assert_false(tide_segment_is_accessible_by(&segment, tide_owner_new()));
    assert_false(tide_segment_is_accessible_by(&segment, 0));
    assert_ok(tide_arena_close(&arena));
    assert_true(tide_segment_is_accessible_by(&segment, own));
}

/* ------------------------------------------------------------------------------- bare addresses */

static void a_bare_address_is_a_segment_of_no_bytes_in_the_global_scope(void **state)
{
    (void)state;
    char byte;
    const void *const addresses[] = {NULL, &byte, (const void *)UINTPTR_MAX};
    for (size_t i = 0; i < COUNT_OF(addresses); i++) {
        tide_segment segment = tide_segment_of_address(addresses[i]);
        tide_segment_information information = info_of(&segment);
        assert_ptr_equal(information.address, addresses[i]);
        assert_int_equal(information.size, 0);
        assert_false(information.read_only);
        assert_true(information.alive);
        assert_true(tide_scope_equal(tide_segment_scope(&segment), tide_scope_global()));
        assert_true(tide_segment_is_accessible_by(&segment, tide_owner_current()));
        assert_true(tide_segment_is_accessible_by(&segment, tide_owner_new()));
    }
}

static void any_access_to_a_bare_address_is_out_of_bounds_until_it_has_a_size(void **state)
{
    (void)state;
    uint32_t word = 7, value = 0;
    tide_segment segment = tide_segment_of_address(&word);
    assert_refused(TIDE_OUT_OF_BOUNDS, tide_load_u32(&segment, 0, &value));
    assert_refused(TIDE_OUT_OF_BOUNDS, tide_load_u8(&segment, 0, (uint8_t *)&value));
    assert_refused(TIDE_OUT_OF_BOUNDS, tide_segment_read(&segment, 0, &value, 1));
    assert_ok(tide_segment_read(&segment, 0, &value, 0));
    assert_int_equal(value, 0);
    assert_ok(tide_segment_resize(&segment, sizeof word, &segment));
    assert_ok(tide_load_u32(&segment, 0, &value));
    assert_int_equal(value, 7);
}

static void use_global_segment(void *context)
{
    const tide_segment *segment = (const tide_segment *)context;
    tide_set_u32(segment, 0, tide_get_u32(segment, 0) + 1);
    assert_ok(tide_segment_fill(segment, 9));
}

static void a_segment_of_the_global_scope_can_be_used_by_any_thread(void **state)
{
    (void)state;
    uint32_t word = 7;
    tide_segment segment = segment_over(&word, sizeof word);
    on_new_thread(use_global_segment, &segment);
    assert_true(all_bytes_are(&word, 9, sizeof word));
}

/* ------------------------------------------------------------------------------- resize */

static void resizing_keeps_address_scope_and_read_only(void **state)
{
    (void)state;
    tide_arena arena;
    tide_segment segment, view, resized;
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_arena_segment(&arena, 64, 8, &segment));
    assert_ok(tide_segment_slice(&segment, 8, 8, &view));
    assert_ok(tide_segment_read_only(&view, &view));
    const size_t lengths[] = {0, 1, 8, 56, (size_t)PTRDIFF_MAX};
    for (size_t i = 0; i < COUNT_OF(lengths); i++) {
        assert_ok(tide_segment_resize(&view, lengths[i], &resized));
        assert_int_equal(tide_segment_size(&resized), lengths[i]);
        assert_true(tide_segment_is_read_only(&resized));
        assert_true(tide_segment_same_address(&resized, &view));
        assert_true(tide_segment_same_scope(&resized, &segment));
    }
    assert_ok(tide_arena_close(&arena));
    uint8_t value;
    assert_refused(TIDE_CLOSED, tide_load_u8(&resized, 0, &value));
}

static void the_result_of_a_resize_may_be_its_source(void **state)
{
    (void)state;
    char bytes[16] = {0};
    tide_segment segment = tide_segment_of_address(bytes);
    assert_ok(tide_segment_resize(&segment, 16, &segment));
    assert_int_equal(tide_segment_size(&segment), 16);
    assert_ok(tide_segment_resize(&segment, 4, &segment));
    assert_int_equal(tide_segment_size(&segment), 4);
}

static void a_resize_loses_mapped(void **state)
{
    (void)state;
    char bytes[16] = {0};
    tide_segment segment = segment_over(bytes, 16);
    segment.epoch_ |= 1; /* as if mapped from a file */
    assert_true(tide_segment_is_mapped(&segment));
    assert_true(info_of(&segment).mapped);
    tide_segment slice, view;
    assert_ok(tide_segment_slice(&segment, 4, 4, &slice));
    assert_ok(tide_segment_read_only(&segment, &view));
    assert_true(tide_segment_is_mapped(&slice));
    assert_true(tide_segment_is_mapped(&view));
    assert_ok(tide_store_u8(&slice, 0, 1));
    assert_ok(tide_segment_resize(&segment, 16, &segment));
    assert_false(tide_segment_is_mapped(&segment));
}

static void resize_as_stranger(void *context)
{
    tide_segment resized = canary_segment();
    assert_refused(TIDE_WRONG_OWNER,
                   tide_segment_resize((const tide_segment *)context, 8, &resized));
    assert_true(is_canary(&resized));
}

static void resize_checks_the_size_then_the_owner_then_liveness(void **state)
{
    (void)state;
    const size_t huge[] = HUGE_SIZES;
    tide_arena arena;
    tide_segment segment, resized = canary_segment();
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_arena_segment(&arena, 64, 8, &segment));
    tide_owner own = tide_owner_set(tide_owner_new());
    for (size_t i = 0; i < COUNT_OF(huge); i++)
        assert_refused(TIDE_INVALID_ARGUMENT, tide_segment_resize(&segment, huge[i], &resized));
    assert_refused(TIDE_WRONG_OWNER, tide_segment_resize(&segment, 8, &resized));
    tide_owner_set(own);
    assert_ok(tide_arena_close(&arena));
    assert_refused(TIDE_INVALID_ARGUMENT, tide_segment_resize(&segment, SIZE_MAX, &resized));
    assert_refused(TIDE_CLOSED, tide_segment_resize(&segment, 8, &resized));
    on_new_thread(resize_as_stranger, &segment);
    assert_refused(TIDE_INVALID_ARGUMENT, tide_segment_resize(NULL, 8, &resized));
    assert_refused(TIDE_INVALID_ARGUMENT, tide_segment_resize(&zeroed_segment, 8, &resized));
    assert_refused(TIDE_INVALID_ARGUMENT, tide_segment_resize(&segment, 8, NULL));
    assert_true(is_canary(&resized));
}

/* ------------------------------------------------------------------------------- attach */

static void attaching_puts_foreign_memory_under_an_arenas_lifetime(void **state)
{
    (void)state;
    uint32_t words[4] = {1, 2, 3, 4};
    tide_arena arena;
    tide_segment bare = tide_segment_of_address(words), attached;
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_segment_attach(&bare, sizeof words, &arena, NULL, NULL, &attached));
    assert_int_equal(tide_segment_size(&attached), sizeof words);
    assert_ptr_equal(tide_segment_address(&attached), words);
    assert_true(tide_scope_equal(tide_segment_scope(&attached), tide_arena_scope(&arena)));
    assert_int_equal(tide_get_u32_at(&attached, 3), 4);
    assert_int_equal(tide_arena_used(&arena), 0);
    assert_ok(tide_arena_close(&arena));
    assert_refused(TIDE_CLOSED, tide_store_u32(&attached, 0, 1));
    assert_int_equal(words[0], 1);
}

static void an_attached_cleanup_runs_in_order_with_the_others(void **state)
{
    (void)state;
    char bytes[8] = {0};
    tide_arena arena;
    tide_segment bare = tide_segment_of_address(bytes), attached;
    ran[0] = '\0';
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_arena_attach(&arena, note, context_of("a")));
    assert_ok(tide_segment_attach(&bare, 8, &arena, note, context_of("b"), &attached));
    assert_ok(tide_arena_attach(&arena, note, context_of("c")));
    assert_ok(tide_arena_close(&arena));
    assert_string_equal(ran, "cba");
}

static void an_attached_cleanup_may_fail(void **state)
{
    (void)state;
    char bytes[8] = {0};
    tide_arena arena;
    tide_segment segment = tide_segment_of_address(bytes);
    assert_ok(tide_arena_open(&arena));
    assert_ok(
        tide_segment_attach(&segment, 8, &arena, report_failure, context_of("no unmap"), &segment));
    assert_refused(TIDE_CLEANUP_FAILED, tide_arena_close(&arena));
    assert_error_names("no unmap");
}

static void attaching_keeps_read_only_and_loses_mapped(void **state)
{
    (void)state;
    char bytes[8] = {0};
    tide_arena arena;
    tide_segment segment = segment_over(bytes, 8), attached;
    segment.epoch_ |= 1; /* as if mapped from a file */
    segment = read_only_of(segment);
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_segment_attach(&segment, 8, &arena, NULL, NULL, &attached));
    assert_true(tide_segment_is_read_only(&attached));
    assert_false(tide_segment_is_mapped(&attached));
    assert_refused(TIDE_READ_ONLY, tide_store_u8(&attached, 0, 1));
    assert_ok(tide_arena_close(&arena));
}

static void attaching_does_not_check_the_old_scope(void **state)
{
    (void)state;
    tide_arena old, arena;
    tide_segment closed, foreign, attached;
    char bytes[8] = {0};
    tide_owner other = tide_owner_new();
    assert_ok(tide_arena_open(&old));
    closed = tide_segment_of_address(bytes);
    assert_ok(tide_segment_attach(&closed, 8, &old, NULL, NULL, &closed));
    assert_ok(tide_arena_close(&old));
    tide_owner own = tide_owner_set(other);
    assert_ok(tide_arena_open(&old));
    foreign = tide_segment_of_address(bytes);
    assert_ok(tide_segment_attach(&foreign, 8, &old, NULL, NULL, &foreign));
    tide_owner_set(own);

    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_segment_attach(&closed, 8, &arena, NULL, NULL, &attached));
    assert_ok(tide_store_u8(&attached, 0, 1));
    assert_ok(tide_segment_attach(&foreign, 8, &arena, NULL, NULL, &attached));
    assert_ok(tide_store_u8(&attached, 1, 2));
    assert_ok(tide_arena_close(&arena));
    assert_int_equal(bytes[1], 2);
    tide_owner_set(other);
    assert_ok(tide_arena_close(&old));
    tide_owner_set(own);
}

static void attach_refuses_bad_arguments_then_a_foreign_then_a_closed_arena(void **state)
{
    (void)state;
    const size_t huge[] = HUGE_SIZES;
    char bytes[8] = {0};
    tide_arena arena;
    tide_segment bare = tide_segment_of_address(bytes), attached = canary_segment();
    ran[0] = '\0';
    assert_ok(tide_arena_open(&arena));
    assert_non_null(tide_arena_allocate(&arena, 8, 8));
    tide_owner own = tide_owner_set(tide_owner_new());
    for (size_t i = 0; i < COUNT_OF(huge); i++)
        assert_refused(TIDE_INVALID_ARGUMENT, tide_segment_attach(&bare, huge[i], &arena, note,
                                                                  context_of("x"), &attached));
    assert_refused(TIDE_WRONG_OWNER,
                   tide_segment_attach(&bare, 8, &arena, note, context_of("x"), &attached));
    tide_owner_set(own);
    assert_refused(TIDE_INVALID_ARGUMENT,
                   tide_segment_attach(NULL, 8, &arena, note, context_of("x"), &attached));
    assert_refused(TIDE_INVALID_ARGUMENT, tide_segment_attach(&zeroed_segment, 8, &arena, note,
                                                              context_of("x"), &attached));
    assert_refused(TIDE_INVALID_ARGUMENT,
                   tide_segment_attach(&bare, 8, NULL, note, context_of("x"), &attached));
    assert_refused(TIDE_INVALID_ARGUMENT,
                   tide_segment_attach(&bare, 8, &arena, note, context_of("x"), NULL));
    assert_ok(tide_arena_close(&arena));
    assert_string_equal(ran, ""); /* no refused call has registered its cleanup */
    assert_refused(TIDE_INVALID_ARGUMENT,
                   tide_segment_attach(&bare, SIZE_MAX, &arena, note, context_of("x"), &attached));
    assert_refused(TIDE_CLOSED,
                   tide_segment_attach(&bare, 8, &arena, note, context_of("x"), &attached));
    assert_refused(TIDE_CLOSED, tide_segment_attach(&bare, 8, &arena, NULL, NULL, &attached));
    assert_true(is_canary(&attached));
}

static void a_segment_may_be_attached_to_its_own_arena(void **state)
{
    (void)state;
    tide_arena arena;
    tide_segment segment;
    ran[0] = '\0';
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_arena_segment(&arena, 64, 8, &segment));
    assert_ok(tide_segment_attach(&segment, 16, &arena, note, context_of("s"), &segment));
    assert_int_equal(tide_segment_size(&segment), 16);
    assert_ok(tide_store_u8(&segment, 0, 1));
    assert_ok(tide_arena_close(&arena));
    assert_string_equal(ran, "s");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(info_tells_everything_at_one_look),
        cmocka_unit_test(info_refuses_null_and_unknown_sizes),
        cmocka_unit_test(questions_about_null_have_harmless_answers),
        cmocka_unit_test(questions_about_a_zeroed_segment_have_harmless_answers),
        cmocka_unit_test(a_segment_is_accessible_by_its_arenas_owner_only),
        cmocka_unit_test(a_bare_address_is_a_segment_of_no_bytes_in_the_global_scope),
        cmocka_unit_test(any_access_to_a_bare_address_is_out_of_bounds_until_it_has_a_size),
        cmocka_unit_test(a_segment_of_the_global_scope_can_be_used_by_any_thread),
        cmocka_unit_test(resizing_keeps_address_scope_and_read_only),
        cmocka_unit_test(the_result_of_a_resize_may_be_its_source),
        cmocka_unit_test(a_resize_loses_mapped),
        cmocka_unit_test(resize_checks_the_size_then_the_owner_then_liveness),
        cmocka_unit_test(attaching_puts_foreign_memory_under_an_arenas_lifetime),
        cmocka_unit_test(an_attached_cleanup_runs_in_order_with_the_others),
        cmocka_unit_test(an_attached_cleanup_may_fail),
        cmocka_unit_test(attaching_keeps_read_only_and_loses_mapped),
        cmocka_unit_test(attaching_does_not_check_the_old_scope),
        cmocka_unit_test(attach_refuses_bad_arguments_then_a_foreign_then_a_closed_arena),
        cmocka_unit_test(a_segment_may_be_attached_to_its_own_arena),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
