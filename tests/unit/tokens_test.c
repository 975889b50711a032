/* SPDX-License-Identifier: Apache-2.0 */
/* The tokens under the owners: numbers of two kinds, none given twice. */
#include "test.h"

#include "base/tokens.h"

static void the_lowest_bit_tells_a_threads_token_from_a_given_one(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        assert_true(tide_token_is_threads(tide_token_for_thread()));
        assert_false(tide_token_is_threads(tide_owner_new()));
    }
}

static void no_token_is_0_or_1_or_has_the_top_bit(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        tide_owner tokens[] = {tide_token_for_thread(), tide_owner_new()};
        for (size_t j = 0; j < COUNT_OF(tokens); j++)
            assert_true(tokens[j] >= 2 && tokens[j] >> 63 == 0);
    }
}

static void a_token_exists_once_it_was_given(void **state)
{
    (void)state;
    tide_owner given = tide_owner_new();
    tide_owner threads = tide_token_for_thread();
    assert_true(tide_token_exists(given));
    assert_true(tide_token_exists(threads));
    assert_false(tide_token_exists(given + 2));
    assert_false(tide_token_exists(threads + 2));
    assert_int_equal(tide_owner_new(), given + 2);
    assert_int_equal(tide_token_for_thread(), threads + 2);
    assert_true(tide_token_exists(given + 2));
    assert_true(tide_token_exists(threads + 2));
}

static void numbers_that_are_no_tokens_do_not_exist(void **state)
{
    (void)state;
    const tide_owner none[] = {0, 1, UINT64_C(1) << 62, UINT64_C(1) << 63, UINT64_MAX};
    for (size_t i = 0; i < COUNT_OF(none); i++)
        assert_false(tide_token_exists(none[i]));
}

enum { THREADS = 4, TOKENS = 1000 };

static void *take_tokens(void *argument)
{
    tide_owner *tokens = argument;
    for (size_t i = 0; i < TOKENS; i++)
        tokens[i] = i % 2 == 0 ? tide_owner_new() : tide_token_for_thread();
    return NULL;
}

static int compare(const void *a, const void *b)
{
    const tide_owner *left = a;
    const tide_owner *right = b;
    return (*left > *right) - (*left < *right);
}

static void threads_never_get_the_same_token(void **state)
{
    (void)state;
    static tide_owner tokens[THREADS * TOKENS];
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, take_tokens, &tokens[i * TOKENS]), 0);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    qsort(tokens, COUNT_OF(tokens), sizeof tokens[0], compare);
    for (size_t i = 1; i < COUNT_OF(tokens); i++)
        assert_true(tokens[i - 1] != tokens[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lowest_bit_tells_a_threads_token_from_a_given_one),
        cmocka_unit_test(no_token_is_0_or_1_or_has_the_top_bit),
        cmocka_unit_test(a_token_exists_once_it_was_given),
        cmocka_unit_test(numbers_that_are_no_tokens_do_not_exist),
        cmocka_unit_test(threads_never_get_the_same_token),
    };
    return cmocka_run_group_tests_name("tokens", tests, NULL, NULL);
}
