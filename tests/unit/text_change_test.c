/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text that changes between being measured and being read. Memory for it is asked of the arena's
 * manager in between, which here is the program's own, and changes the text.
 */
#include "test.h"

#define ROOM 65536u

static unsigned char memory[ROOM + 4];
static tide_segment segment;
static tide_arena arena, source_arena;

/* What the manager does before it serves. */
static void (*meanwhile)(void);
static size_t asked;

static void *allocate(void *context, size_t size, size_t alignment, unsigned request)
{
    (void)context;
    (void)request;
    asked++;
    meanwhile();
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static tide_status give_back(void *context, void *block, size_t size, size_t alignment)
{
    (void)context;
    (void)size;
    (void)alignment;
    free(block);
    return TIDE_OK;
}

static const tide_manager manager = {
    .struct_size = sizeof(tide_manager),
    .name = "meddling",
    .allocate = allocate,
    .free = give_back,
};

/* Text of so many characters, each of which is two bytes here and as UTF-8. */
static void set_text(size_t count)
{
    for (size_t i = 0; i < count; i++)
        memcpy(memory + 2 * i, "\xC3\xA9", 2);
    memory[2 * count] = 0;
}

static void nothing(void)
{
}

static int set_up(void **state)
{
    (void)state;
    tide_arena_options options = TIDE_ARENA_OPTIONS_INIT;
    options.manager = &manager;
    options.chunk_min = options.chunk_max = 1024; /* a longer text gets a block of its own */
    meanwhile = nothing;
    asked = 0;
    memset(memory, 0xEE, sizeof memory);
    segment = segment_over(memory, ROOM);
    return tide_arena_open_with(&arena, &options) == TIDE_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    return tide_arena_close(&arena) == TIDE_OK ? 0 : -1;
}

static void assert_is_text(const char *text, size_t length, size_t count)
{
    assert_int_equal(length, 2 * count);
    for (size_t i = 0; i < count; i++)
        assert_memory_equal(text + 2 * i, "\xC3\xA9", 2);
    assert_int_equal(text[length], '\0');
}

static void grow_once(void)
{
    set_text(2000);
    meanwhile = nothing;
}

static void text_that_grew_is_measured_again(void **state)
{
    (void)state;
    char *text = NULL;
    size_t length = 0;
    set_text(1000);
    meanwhile = grow_once;
    assert_ok(tide_text_read_into(&segment, 0, TIDE_UTF8, &arena, &text, &length));
    assert_is_text(text, length, 2000);
    assert_true(asked >= 2);
}

static void shrink(void)
{
    set_text(3);
}

static void text_that_shrank_is_as_long_as_it_is_now(void **state)
{
    (void)state;
    char *text = NULL;
    size_t length = 0;
    set_text(1000);
    meanwhile = shrink;
    assert_ok(tide_text_read_into(&segment, 0, TIDE_UTF8, &arena, &text, &length));
    assert_is_text(text, length, 3);
}

/* By less than any padding, if there were some. */
static void grow_a_little(void)
{
    set_text(strlen((char *)memory) / 2 + 1);
}

static void text_that_always_grows_is_given_up(void **state)
{
    (void)state;
    char *text = NULL;
    size_t length = 7;
    set_text(20000);
    meanwhile = grow_a_little;
    assert_refused(TIDE_EXHAUSTED,
                   tide_text_read_into(&segment, 0, TIDE_UTF8, &arena, &text, &length));
    assert_error_names("grew while it was read, 8 times");
    assert_null(text);
    assert_int_equal(length, 7);
    assert_int_equal(asked, 8);
    meanwhile = nothing;
    assert_ok(tide_text_read_into(&segment, 0, TIDE_UTF8, &arena, &text, &length));
    assert_is_text(text, length, 20008);
}

static void lose_the_terminator(void)
{
    memset(memory, 'x', ROOM);
}

static void text_whose_terminator_went_is_out_of_bounds(void **state)
{
    (void)state;
    char *text = NULL;
    set_text(1000);
    meanwhile = lose_the_terminator;
    assert_refused(TIDE_OUT_OF_BOUNDS,
                   tide_text_read_into(&segment, 0, TIDE_UTF8, &arena, &text, NULL));
    assert_null(text);
}

static void close_source(void)
{
    meanwhile = nothing;
    assert_ok(tide_arena_close(&source_arena));
}

static void text_whose_arena_was_closed_meanwhile_is_closed(void **state)
{
    (void)state;
    char *text = NULL;
    static char long_text[3000];
    memset(long_text, 'x', sizeof long_text - 1);
    assert_ok(tide_arena_open(&source_arena));
    assert_ok(tide_arena_text(&source_arena, long_text, TIDE_TEXT_LENGTH, TIDE_UTF16, &segment));
    meanwhile = close_source;
    assert_refused(TIDE_CLOSED, tide_text_read_into(&segment, 0, TIDE_UTF16, &arena, &text, NULL));
    assert_null(text);
}

#define CHANGE_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CHANGE_TEST(text_that_grew_is_measured_again),
        CHANGE_TEST(text_that_shrank_is_as_long_as_it_is_now),
        CHANGE_TEST(text_that_always_grows_is_given_up),
        CHANGE_TEST(text_whose_terminator_went_is_out_of_bounds),
        CHANGE_TEST(text_whose_arena_was_closed_meanwhile_is_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
