/* SPDX-License-Identifier: Apache-2.0 */
/* Text with something wrong, and with several things wrong at once: which is told first, and that
 * nothing has been written or allocated. */
#include "test.h"

static const tide_segment zeroed_segment;

/* What is no charset, and a length that was negative. */
#define NO_CHARSET  ((tide_charset)opaque(7))
#define HUGE_LENGTH opaque((size_t)PTRDIFF_MAX + 1)

/* Segments of 64 bytes of every state: `…_view` are read-only views, `full` has no terminator. */
static tide_owner own, other;
static tide_arena open_arena, closed_arena, foreign_arena;
static tide_segment open, open_view, closed, closed_view, foreign, foreign_view, full;
static char text[64];
static size_t length;
static char *block;
static size_t used;

static tide_segment filled(tide_arena *arena)
{
    tide_segment segment;
    assert_ok(tide_arena_open(arena));
    assert_ok(tide_arena_segment(arena, 64, 8, &segment));
    assert_ok(tide_segment_fill(&segment, 0x77));
    assert_ok(tide_segment_write(&segment, 8, "\0\0\0\0", 4));
    return segment;
}

static int set_up(void **state)
{
    (void)state;
    own = tide_owner_current();
    other = tide_owner_new();
    open = filled(&open_arena);
    closed = filled(&closed_arena);
    tide_owner_set(other);
    foreign = filled(&foreign_arena);
    tide_owner_set(own);
    assert_ok(tide_arena_close(&closed_arena));
    open_view = read_only_of(open);
    closed_view = read_only_of(closed);
    foreign_view = read_only_of(foreign);
    assert_ok(tide_segment_slice(&open, 12, 52, &full));
    memset(text, 0x11, sizeof text);
    length = 7;
    block = text;
    used = tide_arena_used(&open_arena);
    return 0;
}

static bool is_as_filled(const tide_segment *segment)
{
    const char *bytes = tide_segment_address(segment);
    return all_bytes_are(bytes, 0x77, 8) && all_bytes_are(bytes + 8, 0, 4) &&
           all_bytes_are(bytes + 12, 0x77, 52);
}

static int tear_down(void **state)
{
    (void)state;
    const bool unharmed = is_as_filled(&open) && is_as_filled(&foreign) &&
                          all_bytes_are(text, 0x11, sizeof text) && length == 7 && block == text &&
                          tide_arena_used(&open_arena) == used;
    assert_ok(tide_arena_close(&open_arena));
    tide_owner_set(other);
    assert_ok(tide_arena_close(&foreign_arena));
    tide_owner_set(own);
    return unharmed ? 0 : -1;
}

/* ------------------------------------------------------------------------------- read */

static tide_status read(const tide_segment *segment, size_t offset, tide_charset charset)
{
    return tide_text_read(segment, offset, charset, text, sizeof text, &length);
}

static tide_status read_into(const tide_segment *segment, size_t offset, tide_charset charset)
{
    return tide_text_read_into(segment, offset, charset, &open_arena, &block, &length);
}

static void read_tells_arguments_offset_owner_liveness_terminator(void **state)
{
    (void)state;
    tide_status (*const calls[])(const tide_segment *, size_t, tide_charset) = {read, read_into};
    for (size_t i = 0; i < COUNT_OF(calls); i++) {
        assert_refused(TIDE_INVALID_ARGUMENT, calls[i](NULL, 0, TIDE_UTF8));
        assert_refused(TIDE_INVALID_ARGUMENT, calls[i](&zeroed_segment, 0, TIDE_UTF8));
        assert_refused(TIDE_INVALID_ARGUMENT, calls[i](&open, 0, NO_CHARSET));
        assert_refused(TIDE_INVALID_ARGUMENT, calls[i](&foreign, 65, NO_CHARSET));
        assert_refused(TIDE_INVALID_ARGUMENT, calls[i](&closed, 65, NO_CHARSET));
        assert_refused(TIDE_OUT_OF_BOUNDS, calls[i](&open, 65, TIDE_UTF8));
        assert_refused(TIDE_OUT_OF_BOUNDS, calls[i](&foreign, 65, TIDE_UTF8));
        assert_refused(TIDE_OUT_OF_BOUNDS, calls[i](&closed, 65, TIDE_UTF8));
        assert_refused(TIDE_WRONG_OWNER, calls[i](&foreign, 64, TIDE_UTF8));
        assert_refused(TIDE_WRONG_OWNER, calls[i](&foreign, 12, TIDE_UTF8));
        assert_refused(TIDE_WRONG_OWNER, calls[i](&foreign_view, 0, TIDE_UTF8));
        assert_refused(TIDE_CLOSED, calls[i](&closed, 64, TIDE_UTF8));
        assert_refused(TIDE_CLOSED, calls[i](&closed_view, 0, TIDE_UTF8));
        assert_refused(TIDE_OUT_OF_BOUNDS, calls[i](&open, 64, TIDE_UTF8));
        assert_refused(TIDE_OUT_OF_BOUNDS, calls[i](&full, 0, TIDE_UTF8));
    }
}

static void offsets_of_any_size_are_out_of_bounds(void **state)
{
    (void)state;
    const size_t offsets[] = HUGE_SIZES;
    for (size_t i = 0; i < COUNT_OF(offsets); i++) {
        const size_t offset = opaque(offsets[i]);
        assert_refused(TIDE_OUT_OF_BOUNDS, read(&open, offset, TIDE_UTF16LE));
        assert_refused(TIDE_OUT_OF_BOUNDS, read_into(&open, offset, TIDE_UTF16LE));
        assert_refused(TIDE_OUT_OF_BOUNDS, tide_text_write(&open, offset, "", 0, TIDE_UTF16LE));
        assert_refused(TIDE_OUT_OF_BOUNDS, tide_text_write(&open, offset, "a", 1, TIDE_UTF8));
    }
}

static void read_tells_a_null_target_first_and_a_small_one_last(void **state)
{
    (void)state;
    assert_refused(TIDE_INVALID_ARGUMENT,
                   tide_text_read(&foreign, 65, TIDE_UTF8, NULL, 1, &length));
    assert_refused(TIDE_OUT_OF_BOUNDS, tide_text_read(&open, 65, TIDE_UTF8, NULL, 0, &length));
    assert_refused(TIDE_WRONG_OWNER, tide_text_read(&foreign, 0, TIDE_UTF8, NULL, 0, &length));
    assert_refused(TIDE_CLOSED, tide_text_read(&closed, 0, TIDE_UTF8, text, 0, &length));
    assert_refused(TIDE_OUT_OF_BOUNDS, tide_text_read(&full, 0, TIDE_UTF8, text, 0, &length));
    assert_refused(TIDE_EXHAUSTED, tide_text_read(&open, 0, TIDE_UTF8, text, 8, &length));
    assert_refused(TIDE_EXHAUSTED, tide_text_read(&open_view, 0, TIDE_UTF8, text, 0, &length));
}

static void read_into_tells_null_first_and_the_arena_last(void **state)
{
    (void)state;
    assert_refused(TIDE_INVALID_ARGUMENT,
                   tide_text_read_into(&foreign, 65, TIDE_UTF8, NULL, &block, &length));
    assert_refused(TIDE_INVALID_ARGUMENT,
                   tide_text_read_into(&foreign, 65, TIDE_UTF8, &open_arena, NULL, &length));
    tide_arena zeroed;
    memset(&zeroed, 0, sizeof zeroed);
    tide_arena *const arenas[] = {&zeroed, &foreign_arena, &closed_arena};
    const tide_status statuses[] = {TIDE_INVALID_ARGUMENT, TIDE_WRONG_OWNER, TIDE_CLOSED};
    for (size_t i = 0; i < COUNT_OF(arenas); i++) {
        assert_refused(TIDE_OUT_OF_BOUNDS,
                       tide_text_read_into(&open, 65, TIDE_UTF8, arenas[i], &block, &length));
        assert_refused(TIDE_WRONG_OWNER,
                       tide_text_read_into(&foreign, 0, TIDE_UTF8, arenas[i], &block, &length));
        assert_refused(TIDE_CLOSED,
                       tide_text_read_into(&closed, 0, TIDE_UTF8, arenas[i], &block, &length));
        assert_refused(TIDE_OUT_OF_BOUNDS,
                       tide_text_read_into(&full, 0, TIDE_UTF8, arenas[i], &block, &length));
        assert_refused(statuses[i],
                       tide_text_read_into(&open, 0, TIDE_UTF8, arenas[i], &block, &length));
    }
}

/* ------------------------------------------------------------------------------- write */

static void write_tells_arguments_read_only_bounds_owner_liveness(void **state)
{
    (void)state;
    const tide_segment *const segments[] = {&open, &foreign_view, &closed};
    for (size_t i = 0; i < COUNT_OF(segments); i++) {
        const tide_segment *segment = segments[i];
        assert_refused(TIDE_INVALID_ARGUMENT, tide_text_write(segment, 65, "a", 1, NO_CHARSET));
        assert_refused(TIDE_INVALID_ARGUMENT, tide_text_write(segment, 65, NULL, 1, TIDE_UTF8));
        assert_refused(TIDE_INVALID_ARGUMENT,
                       tide_text_write(segment, 65, NULL, TIDE_TEXT_LENGTH, TIDE_UTF8));
        assert_refused(TIDE_INVALID_ARGUMENT,
                       tide_text_write(segment, 65, "a", HUGE_LENGTH, TIDE_UTF8));
        assert_refused(TIDE_INVALID_ARGUMENT,
                       tide_text_write(segment, 65, "a", opaque(SIZE_MAX - 1), TIDE_UTF8));
    }
    assert_refused(TIDE_INVALID_ARGUMENT, tide_text_write(NULL, 0, "a", 1, TIDE_UTF8));
    assert_refused(TIDE_INVALID_ARGUMENT, tide_text_write(&zeroed_segment, 0, "a", 1, TIDE_UTF8));
    for (size_t count = 0; count < 2; count++) {
        assert_refused(TIDE_READ_ONLY, tide_text_write(&open_view, 0, "a", count, TIDE_UTF8));
        assert_refused(TIDE_READ_ONLY, tide_text_write(&open_view, 65, "a", count, TIDE_UTF8));
        assert_refused(TIDE_READ_ONLY, tide_text_write(&foreign_view, 65, "a", count, TIDE_UTF8));
        assert_refused(TIDE_READ_ONLY, tide_text_write(&closed_view, 0, "a", count, TIDE_UTF8));
        assert_refused(TIDE_OUT_OF_BOUNDS, tide_text_write(&open, 64, "a", count, TIDE_UTF8));
        assert_refused(TIDE_OUT_OF_BOUNDS, tide_text_write(&foreign, 64, "a", count, TIDE_UTF8));
        assert_refused(TIDE_OUT_OF_BOUNDS, tide_text_write(&closed, 61, "a", count, TIDE_UTF32LE));
        assert_refused(TIDE_WRONG_OWNER, tide_text_write(&foreign, 0, "a", count, TIDE_UTF8));
        assert_refused(TIDE_CLOSED, tide_text_write(&closed, 0, "a", count, TIDE_UTF8));
    }
}

/* ------------------------------------------------------------------------------- allocate */

static void arena_text_tells_arguments_then_the_arena(void **state)
{
    (void)state;
    tide_segment segment = canary_segment();
    tide_arena zeroed;
    memset(&zeroed, 0, sizeof zeroed);
    tide_arena *const arenas[] = {&open_arena, &zeroed, &foreign_arena, &closed_arena};
    const tide_status statuses[] = {TIDE_OK, TIDE_INVALID_ARGUMENT, TIDE_WRONG_OWNER, TIDE_CLOSED};
    for (size_t i = 0; i < COUNT_OF(arenas); i++) {
        tide_arena *arena = arenas[i];
        assert_refused(TIDE_INVALID_ARGUMENT, tide_arena_text(arena, "a", 1, NO_CHARSET, &segment));
        assert_refused(TIDE_INVALID_ARGUMENT, tide_arena_text(arena, NULL, 1, TIDE_UTF8, &segment));
        assert_refused(TIDE_INVALID_ARGUMENT,
                       tide_arena_text(arena, NULL, TIDE_TEXT_LENGTH, TIDE_UTF8, &segment));
        assert_refused(TIDE_INVALID_ARGUMENT,
                       tide_arena_text(arena, "a", HUGE_LENGTH, TIDE_UTF8, &segment));
        assert_refused(TIDE_INVALID_ARGUMENT,
                       tide_arena_text(arena, "a", opaque(SIZE_MAX - 1), TIDE_UTF8, &segment));
        assert_refused(TIDE_INVALID_ARGUMENT, tide_arena_text(arena, "a", 1, TIDE_UTF8, NULL));
        if (i != 0)
            assert_refused(statuses[i], tide_arena_text(arena, "a", 1, TIDE_UTF8, &segment));
    }
    assert_refused(TIDE_INVALID_ARGUMENT, tide_arena_text(NULL, "a", 1, TIDE_UTF8, &segment));
    assert_true(is_canary(&segment));
}

#define TEXT_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEXT_TEST(read_tells_arguments_offset_owner_liveness_terminator),
        TEXT_TEST(offsets_of_any_size_are_out_of_bounds),
        TEXT_TEST(read_tells_a_null_target_first_and_a_small_one_last),
        TEXT_TEST(read_into_tells_null_first_and_the_arena_last),
        TEXT_TEST(write_tells_arguments_read_only_bounds_owner_liveness),
        TEXT_TEST(arena_text_tells_arguments_then_the_arena),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
