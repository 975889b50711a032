/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on elements with several things wrong at once: every mix of them is refused with the
 * one that the contract names first, and nothing has been written. */
#include "test.h"

#include "scopes.h"

/* What is wrong, in the order in which it is told, and the status: bit i of a mix is wrongs[i]. */
typedef struct wrong {
    const char *what;
    tide_status status;
} wrong;

static tide_status first_of(const wrong *wrongs, unsigned mix)
{
    return wrongs[__builtin_ctz(mix)].status;
}

#define has(mix, number) (((mix) >> (number)&1u) != 0)

static const tide_segment zeroed_segment;
static const tide_layout no_layouts[] = {3, 7, 8, 12, 256, ~0u};
static const size_t no_sizes[] = {0,
                                  3,
                                  5,
                                  6,
                                  7,
                                  9,
                                  16,
                                  SIZE_MAX,
                                  (size_t)PTRDIFF_MAX,
                                  (size_t)PTRDIFF_MAX + 1,
                                  (size_t)1 << 62,
                                  256 + 8};
static const size_t huge_counts[] = {SIZE_MAX, (size_t)PTRDIFF_MAX + 1, (size_t)-8, SIZE_MAX - 1};

/* Segments of 64 bytes: one to use, and two that the caller may not. */
static tide_owner own, other;
static tide_arena open_arena, closed_arena, foreign_arena;
static tide_shared_arena ended_arena;
static tide_segment open, closed, ended, foreign;

static tide_segment filled(tide_arena *arena)
{
    tide_segment segment;
    assert_ok(tide_arena_open(arena));
    assert_ok(tide_arena_segment(arena, 64, 8, &segment));
    assert_ok(tide_segment_fill(&segment, 0x77));
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
    assert_ok(tide_shared_open(&ended_arena));
    assert_ok(tide_shared_segment(ended_arena, 64, 8, &ended));
    assert_ok(tide_shared_close(ended_arena));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    const bool unharmed = all_bytes_are(tide_segment_address(&open), 0x77, 64) &&
                          all_bytes_are(tide_segment_address(&foreign), 0x77, 64);
    assert_ok(tide_arena_close(&open_arena));
    tide_owner_set(other);
    assert_ok(tide_arena_close(&foreign_arena));
    tide_owner_set(own);
    return unharmed ? 0 : -1;
}

/* A segment that the caller may not use, and how that is told. */
typedef struct barred {
    const tide_segment *segment;
    tide_status status;
} barred;

static const barred all_barred[] = {
    {&foreign, TIDE_WRONG_OWNER}, {&closed, TIDE_CLOSED}, {&ended, TIDE_CLOSED}};

/* ------------------------------------------------------------------------------- copy */

static void refuse_copies(const barred *source_barred, const barred *target_barred, size_t choice)
{
    const wrong wrongs[] = {
        {"no source", TIDE_INVALID_ARGUMENT},
        {"no target", TIDE_INVALID_ARGUMENT},
        {"no layout of the source", TIDE_INVALID_ARGUMENT},
        {"no layout of the target", TIDE_INVALID_ARGUMENT},
        {"no element size", TIDE_INVALID_ARGUMENT},
        {"a huge count", TIDE_OUT_OF_BOUNDS},
        {"two element sizes", TIDE_INVALID_ARGUMENT},
        {"a misaligned source", TIDE_MISALIGNED},
        {"a misaligned target", TIDE_MISALIGNED},
        {"the source's bounds", TIDE_OUT_OF_BOUNDS},
        {"a read-only target", TIDE_READ_ONLY},
        {"the target's bounds", TIDE_OUT_OF_BOUNDS},
        {"the source's session", source_barred->status},
        {"the target's session", target_barred->status},
    };
    for (unsigned mix = 1; mix < 1u << COUNT_OF(wrongs); mix++) {
        tide_segment source = has(mix, 12) ? *source_barred->segment : open;
        tide_segment target = has(mix, 13) ? *target_barred->segment : open;
        if (has(mix, 10))
            target = read_only_of(target);
        const tide_layout none = no_layouts[choice % COUNT_OF(no_layouts)];
        const size_t no_size = no_sizes[choice % COUNT_OF(no_sizes)];
        const size_t count = has(mix, 5) ? huge_counts[choice % COUNT_OF(huge_counts)] : choice % 2;
        const tide_status status = tide_segment_copy_elements(
            has(mix, 0) ? NULL : &source, has(mix, 2) ? none : TIDE_BIG_ENDIAN,
            has(mix, 4) ? no_size : 8, 8 + (has(mix, 7) ? 1u : 0) + (has(mix, 9) ? 64u : 0),
            has(mix, 1) ? &zeroed_segment : &target, has(mix, 3) ? none : TIDE_LITTLE_ENDIAN,
            has(mix, 6) ? 4 : 8, 16 + (has(mix, 8) ? 4u : 0) + (has(mix, 11) ? 64u : 0), count);
        if (status == first_of(wrongs, mix))
            continue;
        print_error("mix %x, first: %s\n", mix, wrongs[__builtin_ctz(mix)].what);
        assert_status(first_of(wrongs, mix), status);
    }
}

static void copies_are_refused_with_what_comes_first(void **state)
{
    (void)state;
    size_t choice = 0;
    for (size_t source = 0; source < COUNT_OF(all_barred); source++) {
        for (size_t target = 0; target < COUNT_OF(all_barred); target++) {
            refuse_copies(&all_barred[source], &all_barred[target], choice++);
            refuse_copies(&all_barred[source], &all_barred[target], choice++);
        }
    }
}

static void what_is_no_element_is_invalid(void **state)
{
    (void)state;
    size_t count = 1234;
    char to[64];
    tide_segment made = canary_segment();
    for (size_t i = 0; i < COUNT_OF(no_sizes); i++) {
        const size_t size = opaque(no_sizes[i]);
        assert_refused(TIDE_INVALID_ARGUMENT,
                       tide_segment_copy_elements(&open, 0, size, 0, &open, 0, size, 8, 1));
        assert_refused(TIDE_INVALID_ARGUMENT,
                       tide_segment_copy_elements(&open, 0, 8, 0, &open, 0, size, 8, 1));
        assert_refused(TIDE_INVALID_ARGUMENT, tide_segment_elements(&open, 0, size, &count));
        assert_refused(TIDE_INVALID_ARGUMENT,
                       tide_segment_to_array(&open, 0, size, to, 64, &count));
        assert_refused(TIDE_INVALID_ARGUMENT, tide_arena_array(&open_arena, 0, size, to, 1, &made));
        assert_refused(TIDE_INVALID_ARGUMENT,
                       tide_shared_array(tide_global_arena(), 0, size, to, 1, &made));
    }
    assert_int_equal(count, 1234);
    assert_true(is_canary(&made));
}

static void ranges_and_counts_that_are_too_large_are_out_of_bounds(void **state)
{
    (void)state;
    static const size_t rows[][2] = {{0, 9},
                                     {8, 8},
                                     {64, 1},
                                     {72, 0},
                                     {0, (size_t)1 << 61},
                                     {0, ((size_t)1 << 61) + 1},
                                     {0, (size_t)1 << 62},
                                     {8, (size_t)PTRDIFF_MAX},
                                     {0, (size_t)PTRDIFF_MAX / 8},
                                     {0, (size_t)PTRDIFF_MAX + 1},
                                     {0, SIZE_MAX},
                                     {SIZE_MAX - 7, 1},
                                     {SIZE_MAX - 7, 2},
                                     {(size_t)1 << 62, 1},
                                     {(size_t)1 << 63, (size_t)1 << 60}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const size_t offset = opaque(rows[i][0]), count = opaque(rows[i][1]);
        assert_refused(TIDE_OUT_OF_BOUNDS,
                       tide_segment_copy_elements(&open, 0, 8, offset, &open, 0, 8, 0, count));
        assert_refused(TIDE_OUT_OF_BOUNDS,
                       tide_segment_copy_elements(&open, 0, 8, 0, &open, 0, 8, offset, count));
    }
    assert_refused(TIDE_OUT_OF_BOUNDS,
                   tide_segment_copy_elements(&open, 0, 8, 32, &open, 0, 8, 0, 5));
    assert_error_names("copy of 5 elements of 8 bytes at 32 in a segment of 64 bytes");
    assert_ok(tide_segment_copy_elements(&open, 0, 8, 64, &open, 0, 8, 64, 0));
    assert_ok(tide_segment_copy_elements(&open, 0, 8, 0, &open, 0, 8, 0, 8));
}

/* ------------------------------------------------------------------------------- elements */

static void counting_is_refused_with_what_comes_first(void **state)
{
    (void)state;
    static const wrong wrongs[] = {
        {"no segment", TIDE_INVALID_ARGUMENT},     {"no place", TIDE_INVALID_ARGUMENT},
        {"no layout", TIDE_INVALID_ARGUMENT},      {"no element size", TIDE_INVALID_ARGUMENT},
        {"a misaligned segment", TIDE_MISALIGNED}, {"no multiple", TIDE_INVALID_ARGUMENT},
    };
    for (unsigned mix = 1; mix < 1u << COUNT_OF(wrongs); mix++) {
        size_t count = 1234;
        tide_segment segment;
        assert_ok(tide_segment_slice(&open, has(mix, 4) ? 2 : 8, has(mix, 5) ? 33 : 32, &segment));
        assert_refused(first_of(wrongs, mix),
                       tide_segment_elements(
                           has(mix, 0) ? (mix % 3 == 0 ? NULL : &zeroed_segment) : &segment,
                           has(mix, 2) ? no_layouts[mix % COUNT_OF(no_layouts)] : TIDE_BIG_ENDIAN,
                           has(mix, 3) ? no_sizes[mix % COUNT_OF(no_sizes)] : 8,
                           has(mix, 1) ? NULL : &count));
        assert_int_equal(count, 1234);
    }
}

/* ------------------------------------------------------------------------------- to array */

static void refuse_arrays(const barred *segment_barred)
{
    const wrong wrongs[] = {
        {"no segment", TIDE_INVALID_ARGUMENT},      {"no layout", TIDE_INVALID_ARGUMENT},
        {"no element size", TIDE_INVALID_ARGUMENT}, {"no array", TIDE_INVALID_ARGUMENT},
        {"no multiple", TIDE_INVALID_ARGUMENT},     {"a misaligned segment", TIDE_MISALIGNED},
        {"the session", segment_barred->status},    {"too small an array", TIDE_EXHAUSTED},
    };
    for (unsigned mix = 1; mix < 1u << COUNT_OF(wrongs); mix++) {
        size_t count = 1234;
        char array[64];
        tide_segment segment = has(mix, 6) ? *segment_barred->segment : open;
        memset(array, 0xEE, sizeof array);
        assert_ok(
            tide_segment_slice(&segment, has(mix, 5) ? 2 : 8, has(mix, 4) ? 33 : 32, &segment));
        assert_refused(first_of(wrongs, mix),
                       tide_segment_to_array(
                           has(mix, 0) ? (mix % 3 == 0 ? NULL : &zeroed_segment) : &segment,
                           has(mix, 1) ? no_layouts[mix % COUNT_OF(no_layouts)] : TIDE_BIG_ENDIAN,
                           has(mix, 2) ? no_sizes[mix % COUNT_OF(no_sizes)] : 8,
                           has(mix, 3) ? NULL : array, has(mix, 7) ? 3 : 4, &count));
        assert_int_equal(count, 1234);
        assert_true(all_bytes_are(array, 0xEE, sizeof array));
    }
}

static void arrays_are_refused_with_what_comes_first(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(all_barred); i++) {
        tide_segment empty;
        refuse_arrays(&all_barred[i]);
        assert_ok(tide_segment_slice(all_barred[i].segment, 64, 0, &empty));
        assert_refused(all_barred[i].status, tide_segment_to_array(&empty, 0, 8, NULL, 0, NULL));
    }
}

/* ------------------------------------------------------------------------------- arena arrays */

typedef tide_status array_maker(void *arena, tide_layout layout, size_t element_size,
                                const void *elements, size_t count, tide_segment *segment);

static tide_status make_confined(void *arena, tide_layout layout, size_t element_size,
                                 const void *elements, size_t count, tide_segment *segment)
{
    return tide_arena_array(arena, layout, element_size, elements, count, segment);
}

static tide_status make_shared(void *arena, tide_layout layout, size_t element_size,
                               const void *elements, size_t count, tide_segment *segment)
{
    return tide_shared_array(*(tide_shared_arena *)arena, layout, element_size, elements, count,
                             segment);
}

/* `arena` is refused with `status`, an open one with what else is wrong only. */
static void refuse_arena_arrays(array_maker *make, void *good_arena, void *arena,
                                tide_status status)
{
    static const size_t counts[] = {SIZE_MAX,
                                    (size_t)PTRDIFF_MAX,
                                    (size_t)PTRDIFF_MAX + 1,
                                    (size_t)PTRDIFF_MAX / 8 + 1,
                                    (size_t)1 << 61,
                                    ((size_t)1 << 61) + 1,
                                    (size_t)1 << 62,
                                    (size_t)-1 / 8};
    const wrong wrongs[] = {
        {"no place", TIDE_INVALID_ARGUMENT},        {"no layout", TIDE_INVALID_ARGUMENT},
        {"no element size", TIDE_INVALID_ARGUMENT}, {"no elements", TIDE_INVALID_ARGUMENT},
        {"a huge count", TIDE_INVALID_ARGUMENT},    {"the arena", status},
    };
    for (unsigned mix = 1; mix < 1u << COUNT_OF(wrongs); mix++) {
        for (size_t i = 0; i < (has(mix, 4) ? COUNT_OF(counts) : 1); i++) {
            static const char elements[64];
            tide_segment segment = canary_segment();
            assert_refused(
                first_of(wrongs, mix),
                make(has(mix, 5) ? arena : good_arena,
                     has(mix, 1) ? no_layouts[mix % COUNT_OF(no_layouts)] : TIDE_BIG_ENDIAN,
                     has(mix, 2) ? no_sizes[mix % COUNT_OF(no_sizes)] : 8,
                     has(mix, 3) ? NULL : elements, has(mix, 4) ? counts[i] : 8,
                     has(mix, 0) ? NULL : &segment));
            assert_true(is_canary(&segment));
        }
    }
    tide_segment segment = canary_segment();
    assert_refused(status, make(arena, TIDE_BIG_ENDIAN, 8, NULL, 0, &segment));
    assert_true(is_canary(&segment));
}

static void an_arena_that_is_none_or_closed_or_foreign_comes_last(void **state)
{
    (void)state;
    tide_arena zeroed = {0};
    tide_shared_arena none = {NULL, 0}, good = tide_global_arena(), counted;
    refuse_arena_arrays(make_confined, &open_arena, &closed_arena, TIDE_CLOSED);
    refuse_arena_arrays(make_confined, &open_arena, &foreign_arena, TIDE_WRONG_OWNER);
    refuse_arena_arrays(make_confined, &open_arena, &zeroed, TIDE_INVALID_ARGUMENT);
    refuse_arena_arrays(make_confined, &open_arena, NULL, TIDE_INVALID_ARGUMENT);
    refuse_arena_arrays(make_shared, &good, &ended_arena, TIDE_CLOSED);
    refuse_arena_arrays(make_shared, &good, &none, TIDE_INVALID_ARGUMENT);
    assert_ok(tide_counted_open(&counted));
    assert_ok(tide_counted_release(counted));
    refuse_arena_arrays(make_shared, &good, &counted, TIDE_CLOSED);
}

/* The most that can be asked for reaches the manager. */
static void the_largest_array_is_out_of_memory(void **state)
{
    (void)state;
    static const char elements[8];
    tide_segment segment = canary_segment();
    const size_t most = (size_t)PTRDIFF_MAX / 8;
    assert_refused(TIDE_OUT_OF_MEMORY,
                   tide_arena_array(&open_arena, 0, 8, elements, opaque(most), &segment));
    assert_refused(TIDE_OUT_OF_MEMORY,
                   tide_shared_array(tide_global_arena(), 0, 8, elements, opaque(most), &segment));
    assert_true(is_canary(&segment));
}

#define with_segments(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_segments(copies_are_refused_with_what_comes_first),
        with_segments(what_is_no_element_is_invalid),
        with_segments(ranges_and_counts_that_are_too_large_are_out_of_bounds),
        with_segments(counting_is_refused_with_what_comes_first),
        with_segments(arrays_are_refused_with_what_comes_first),
        with_segments(an_arena_that_is_none_or_closed_or_foreign_comes_last),
        with_segments(the_largest_array_is_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
