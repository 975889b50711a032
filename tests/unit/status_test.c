/* SPDX-License-Identifier: Apache-2.0 */
/* Statuses and the last error: what a refusal leaves behind, and the sentence made of it. */
#include "test.h"

#include "base/error.h"

static const struct {
    tide_status status;
    int number;
    const char *name;
    bool is_fault;
} rows[] = {
    {TIDE_OK, 0, "OK", false},
    {TIDE_INVALID_ARGUMENT, 1, "INVALID_ARGUMENT", true},
    {TIDE_OUT_OF_BOUNDS, 2, "OUT_OF_BOUNDS", true},
    {TIDE_MISALIGNED, 3, "MISALIGNED", true},
    {TIDE_READ_ONLY, 4, "READ_ONLY", true},
    {TIDE_WRONG_OWNER, 5, "WRONG_OWNER", true},
    {TIDE_CLOSED, 6, "CLOSED", true},
    {TIDE_BUSY, 7, "BUSY", false},
    {TIDE_OUT_OF_MEMORY, 8, "OUT_OF_MEMORY", false},
    {TIDE_LIMIT_EXCEEDED, 9, "LIMIT_EXCEEDED", false},
    {TIDE_EXHAUSTED, 10, "EXHAUSTED", false},
    {TIDE_LEAKED, 11, "LEAKED", false},
    {TIDE_CLEANUP_FAILED, 12, "CLEANUP_FAILED", false},
    {TIDE_DIFFERENT_ROOT, 13, "DIFFERENT_ROOT", true},
    {TIDE_UNSUPPORTED, 14, "UNSUPPORTED", true},
    {TIDE_UNAVAILABLE, 15, "UNAVAILABLE", false},
    {TIDE_IO, 16, "IO", false},
    {TIDE_VETOED, 17, "VETOED", false},
};

static void every_status_has_its_number_name_and_kind(void **state)
{
    (void)state;
    assert_int_equal(COUNT_OF(rows), TIDE_STATUS_COUNT);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_int_equal(rows[i].status, i);
        assert_int_equal(rows[i].number, i);
        assert_string_equal(tide_status_name(rows[i].status), rows[i].name);
        assert_int_equal(tide_status_is_fault(rows[i].status), rows[i].is_fault);
    }
}

static void a_number_that_is_no_status_is_unknown_and_no_fault(void **state)
{
    (void)state;
    const int numbers[] = {TIDE_STATUS_COUNT, -1, 1000, INT32_MAX, INT32_MIN};
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        assert_string_equal(tide_status_name((tide_status)numbers[i]), "UNKNOWN");
        assert_false(tide_status_is_fault((tide_status)numbers[i]));
    }
}

static void expect_clean_slate(void *context)
{
    (void)context;
    if (tide_last_error() != TIDE_OK || tide_last_error_operation() != NULL ||
        tide_last_error_text() == NULL || strcmp(tide_last_error_text(), "") != 0)
        abort();
}

static void a_thread_that_never_failed_has_an_empty_text(void **state)
{
    (void)state;
    on_new_thread(expect_clean_slate, NULL);
}

static void fail_otherwise(void *context)
{
    (void)context;
    (void)TIDE_ERROR_PLAIN(TIDE_IO, "open", TIDE_NO_OBJECT, "no such file");
    if (tide_last_error() != TIDE_IO)
        abort();
}

static void each_thread_has_its_own_last_error(void **state)
{
    (void)state;
    assert_status(TIDE_BUSY, TIDE_ERROR_PLAIN(TIDE_BUSY, "close", TIDE_NO_OBJECT, "held"));
    on_new_thread(expect_clean_slate, NULL);
    on_new_thread(fail_otherwise, NULL);
    assert_int_equal(tide_last_error(), TIDE_BUSY);
    assert_string_equal(tide_last_error_text(), "close: held");
    assert_string_equal(tide_last_error_operation(), "close");
}

static void the_sentence_has_operation_numbers_and_object(void **state)
{
    (void)state;
    char expected[128];
    int place;
    tide_object object = {"arena", &place, "parser"};
    assert_status(TIDE_BUSY,
                  TIDE_ERROR(TIDE_BUSY, "close", object, "%" PRIu64 " holds are out", UINT64_C(2)));
    snprintf(expected, sizeof expected, "close: 2 holds are out (arena \"parser\" at %p)",
             (void *)&place);
    assert_string_equal(tide_last_error_text(), expected);
}

static void an_object_without_a_name_is_shown_by_its_address(void **state)
{
    (void)state;
    char expected[128];
    int place;
    (void)TIDE_ERROR_PLAIN(TIDE_CLOSED, "close", ((tide_object){"arena", &place, NULL}), "closed");
    snprintf(expected, sizeof expected, "close: closed (arena at %p)", (void *)&place);
    assert_string_equal(tide_last_error_text(), expected);
    (void)TIDE_ERROR_PLAIN(TIDE_CLOSED, "close", ((tide_object){"arena", &place, ""}), "closed");
    assert_string_equal(tide_last_error_text(), expected);
}

static void an_object_without_an_address_is_shown_by_its_name(void **state)
{
    (void)state;
    (void)TIDE_ERROR_PLAIN(TIDE_UNAVAILABLE, "choose", ((tide_object){"manager", NULL, "fast"}),
                           "not installed");
    assert_string_equal(tide_last_error_text(), "choose: not installed (manager \"fast\")");
}

static void nothing_is_added_when_there_is_no_object(void **state)
{
    (void)state;
    (void)TIDE_ERROR_PLAIN(TIDE_IO, "open", TIDE_NO_OBJECT, "refused");
    assert_string_equal(tide_last_error_text(), "open: refused");
    (void)TIDE_ERROR_PLAIN(TIDE_IO, "slice", ((tide_object){"segment", NULL, NULL}), "is NULL");
    assert_string_equal(tide_last_error_text(), "slice: is NULL");
}

static void a_format_that_begins_with_a_space_continues_the_operation(void **state)
{
    (void)state;
    (void)TIDE_ERROR(TIDE_OUT_OF_BOUNDS, "read", TIDE_NO_OBJECT,
                     " of %" PRIu64 " bytes at %" PRIu64 " in a segment of %" PRIu64 " bytes",
                     UINT64_C(4), UINT64_C(62), UINT64_C(64));
    assert_string_equal(tide_last_error_text(), "read of 4 bytes at 62 in a segment of 64 bytes");
}

static void five_numbers_of_any_size_find_room(void **state)
{
    (void)state;
    (void)TIDE_ERROR(TIDE_EXHAUSTED, "count", TIDE_NO_OBJECT,
                     "%" PRIu64 " %" PRIu64 " 0x%" PRIx64 " %" PRIu64 " %" PRIu64, UINT64_MAX,
                     UINT64_C(0), UINT64_MAX, UINT64_C(1) << 63, UINT64_C(7));
    assert_string_equal(tide_last_error_text(), "count: 18446744073709551615 0 0xffffffffffffffff "
                                                "9223372036854775808 7");
}

static void a_text_without_numbers_is_taken_as_it_is(void **state)
{
    (void)state;
    (void)TIDE_ERROR_PLAIN(TIDE_IO, "read", TIDE_NO_OBJECT, "100%s of %n");
    assert_string_equal(tide_last_error_text(), "read: 100%s of %n");
}

static void a_newer_failure_replaces_text_and_object(void **state)
{
    (void)state;
    int place;
    (void)TIDE_ERROR(TIDE_BUSY, "close", ((tide_object){"arena", &place, "first"}), "%" PRIu64,
                     UINT64_C(1));
    assert_error_names("first");
    (void)TIDE_ERROR(TIDE_EXHAUSTED, "hold", TIDE_NO_OBJECT, "%" PRIu64 " are out", UINT64_C(3));
    assert_int_equal(tide_last_error(), TIDE_EXHAUSTED);
    assert_string_equal(tide_last_error_text(), "hold: 3 are out");
    assert_string_equal(tide_last_error_text(), "hold: 3 are out");
}

static void a_long_name_is_cut_after_31_bytes(void **state)
{
    (void)state;
    char name[] = "0123456789012345678901234567890123456789";
    (void)TIDE_ERROR_PLAIN(TIDE_IO, "open", ((tide_object){"arena", NULL, name}), "no");
    memset(name, 'x', sizeof name - 1); /* it was copied */
    assert_string_equal(tide_last_error_text(),
                        "open: no (arena \"0123456789012345678901234567890\")");
}

static void a_name_is_never_cut_within_a_character(void **state)
{
    (void)state;
    /* The two bytes of the last character are the 31st and the 32nd. */
    (void)TIDE_ERROR_PLAIN(TIDE_IO, "open",
                           ((tide_object){"arena", NULL, "012345678901234567890123456789\xC3\xA9"}),
                           "no");
    assert_string_equal(tide_last_error_text(),
                        "open: no (arena \"012345678901234567890123456789\")");
}

static void a_message_follows_the_numbers(void **state)
{
    (void)state;
    int place;
    char message[] = "disk full";
    char expected[128];
    assert_status(TIDE_CLEANUP_FAILED,
                  tide_error_note_message(TIDE_CLEANUP_FAILED, "close",
                                          (tide_object){"arena", &place, "log"},
                                          "%" PRIu64 " cleanups failed, first: ",
                                          (const uint64_t[TIDE_ERROR_NUMBERS]){3}, message));
    message[0] = 'x'; /* it was copied */
    snprintf(expected, sizeof expected,
             "close: 3 cleanups failed, first: disk full (arena \"log\" at %p)", (void *)&place);
    assert_string_equal(tide_last_error_text(), expected);
    assert_int_equal(tide_last_error(), TIDE_CLEANUP_FAILED);
}

static void a_message_may_be_the_last_error_s_own_text(void **state)
{
    (void)state;
    (void)TIDE_ERROR_PLAIN(TIDE_IO, "flush", TIDE_NO_OBJECT, "disk full");
    (void)tide_error_note_message(TIDE_CLEANUP_FAILED, "close", TIDE_NO_OBJECT,
                                  "a cleanup failed: ", NULL, tide_last_error_text());
    assert_string_equal(tide_last_error_text(), "close: a cleanup failed: flush: disk full");
}

static void a_message_is_cut_after_127_bytes(void **state)
{
    (void)state;
    char message[400];
    char expected[400] = "close: ";
    memset(message, 'm', sizeof message - 1);
    message[sizeof message - 1] = '\0';
    memset(expected + 7, 'm', 127);
    (void)tide_error_note_message(TIDE_CLEANUP_FAILED, "close", TIDE_NO_OBJECT, "", NULL, message);
    assert_string_equal(tide_last_error_text(), expected);
}

static void a_text_that_is_too_long_is_cut_and_ended(void **state)
{
    (void)state;
    static char text[1000];
    int place;
    memset(text, 't', sizeof text - 1);
    (void)TIDE_ERROR_PLAIN(TIDE_IO, "read", ((tide_object){"arena", &place, "x"}), text);
    size_t length = strlen(tide_last_error_text());
    assert_true(length > 200 && length < 400);
    assert_memory_equal(tide_last_error_text(), "read: ttt", 9);
    assert_int_equal(tide_last_error_text()[length - 1], 't');
}

static void an_answer_that_ends_a_loop_is_noted_too(void **state)
{
    (void)state;
    assert_refused(TIDE_INVALID_ARGUMENT,
                   tide_error_note_end(TIDE_INVALID_ARGUMENT, "knob", TIDE_NO_OBJECT,
                                       "index %" PRIu64, (const uint64_t[TIDE_ERROR_NUMBERS]){9}));
    assert_string_equal(tide_last_error_text(), "knob: index 9");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_status_has_its_number_name_and_kind),
        cmocka_unit_test(a_number_that_is_no_status_is_unknown_and_no_fault),
        cmocka_unit_test(a_thread_that_never_failed_has_an_empty_text),
        cmocka_unit_test(each_thread_has_its_own_last_error),
        cmocka_unit_test(the_sentence_has_operation_numbers_and_object),
        cmocka_unit_test(an_object_without_a_name_is_shown_by_its_address),
        cmocka_unit_test(an_object_without_an_address_is_shown_by_its_name),
        cmocka_unit_test(nothing_is_added_when_there_is_no_object),
        cmocka_unit_test(a_format_that_begins_with_a_space_continues_the_operation),
        cmocka_unit_test(five_numbers_of_any_size_find_room),
        cmocka_unit_test(a_text_without_numbers_is_taken_as_it_is),
        cmocka_unit_test(a_newer_failure_replaces_text_and_object),
        cmocka_unit_test(a_long_name_is_cut_after_31_bytes),
        cmocka_unit_test(a_name_is_never_cut_within_a_character),
        cmocka_unit_test(a_message_follows_the_numbers),
        cmocka_unit_test(a_message_may_be_the_last_error_s_own_text),
        cmocka_unit_test(a_message_is_cut_after_127_bytes),
        cmocka_unit_test(a_text_that_is_too_long_is_cut_and_ended),
        cmocka_unit_test(an_answer_that_ends_a_loop_is_noted_too),
    };
    return cmocka_run_group_tests_name("status", tests, NULL, NULL);
}
