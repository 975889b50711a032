/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The 1st, 2nd, … n-th allocation fails while text is allocated in an arena or read into one, until
 * no more is needed. A call that fails leaves arena, segment and results as they were; it is made
 * again with memory to be had and must succeed.
 *
 * Each attempt runs on a thread of its own, which has nothing ready.
 */
#include "test.h"

#include "failing.h"

enum { LONG = 3000 };

static char long_text[LONG + 1];
static tide_segment source;

/* One attempt of one of the two calls. */
typedef struct attempt {
    bool (*call)(tide_arena *arena); /* whether it succeeded; checks what came of it */
    long n;
    bool once;
    long failures;
} attempt;

static bool allocate_text(tide_arena *arena)
{
    tide_segment segment = canary_segment();
    const tide_status status = tide_arena_text(arena, long_text, LONG, TIDE_UTF16BE, &segment);
    if (status != TIDE_OK) {
        assert_int_equal(status, TIDE_OUT_OF_MEMORY);
        assert_true(is_canary(&segment));
        return false;
    }
    assert_int_equal(tide_segment_size(&segment), 2 * LONG + 2);
    return true;
}

static bool read_text(tide_arena *arena)
{
    char *text = long_text;
    size_t length = 7;
    const tide_status status = tide_text_read_into(&source, 0, TIDE_UTF16BE, arena, &text, &length);
    if (status != TIDE_OK) {
        assert_int_equal(status, TIDE_OUT_OF_MEMORY);
        assert_ptr_equal(text, long_text);
        assert_int_equal(length, 7);
        return false;
    }
    assert_int_equal(length, LONG);
    assert_string_equal(text, long_text);
    return true;
}

static void try_on_this_thread(void *context)
{
    attempt *it = (attempt *)context;
    tide_arena arena;
    assert_ok(tide_arena_open(&arena));
    unsigned char *block = tide_arena_allocate(&arena, 64, 8);
    assert_non_null(block);
    memset(block, 7, 64);
    if (it->once)
        failing_only(it->n);
    else
        failing_from(it->n);
    const bool done = it->call(&arena);
    it->failures = failing_stop();
    if (!done) {
        assert_true(it->failures > 0);
        assert_int_equal(tide_last_error(), TIDE_OUT_OF_MEMORY);
        assert_true(tide_last_error_text()[0] != '\0');
        assert_int_equal(tide_arena_used(&arena), 64);
        assert_true(it->call(&arena));
    }
    assert_true(all_bytes_are(block, 7, 64));
    assert_ok(tide_arena_close(&arena));
}

static int set_up(void **state)
{
    (void)state;
    static unsigned char memory[2 * LONG + 2];
    setenv("CMOCKA_TEST_ABORT", "1", 1); /* checks run on other threads: they must say so at once */
    memset(long_text, 'x', LONG);
    source = segment_over(memory, sizeof memory);
    assert_ok(tide_text_write(&source, 0, long_text, LONG, TIDE_UTF16BE));
    return 0;
}

static void try_every_n(bool (*call)(tide_arena *), bool once)
{
    long n = 0;
    for (;; n++) {
        attempt it = {.call = call, .n = n, .once = once};
        on_new_thread(try_on_this_thread, &it);
        if (it.failures == 0)
            break;
    }
    assert_true(n > 0); /* something was refused */
}

static void a_text_may_find_no_memory_in_its_arena(void **state)
{
    (void)state;
    try_every_n(allocate_text, false);
    try_every_n(allocate_text, true);
}

static void a_text_that_is_read_may_find_no_memory(void **state)
{
    (void)state;
    try_every_n(read_text, false);
    try_every_n(read_text, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_may_find_no_memory_in_its_arena),
        cmocka_unit_test(a_text_that_is_read_may_find_no_memory),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
