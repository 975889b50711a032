/* SPDX-License-Identifier: Apache-2.0 */
/* What a map refuses, and what it refuses first. */
#include "test.h"

#include <sys/socket.h>

#include "files.h"

#define MADE 5000u

static tide_arena arena;
static tide_shared_arena shared;
static test_file file;
static int for_reading;

static int open_all(void **state)
{
    (void)state;
    file = make_file(MADE);
    for_reading = open_again(&file, O_RDONLY);
    assert_ok(tide_arena_open(&arena));
    assert_ok(tide_shared_open(&shared));
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    assert_int_equal(file_mappings(&file), 0);
    assert_int_equal(file_size(&file), MADE);
    assert_ok(tide_arena_close(&arena));
    assert_ok(tide_shared_close(shared));
    assert_int_equal(close(for_reading), 0);
    drop_file(&file);
    return 0;
}

/* Both kinds of arena refuse the same for the same reasons, and leave the segment as it was. */
static void assert_refuses(tide_status expected, int descriptor, tide_map_mode mode, size_t offset,
                           size_t size)
{
    tide_segment segment = canary_segment();
    assert_refused(expected, tide_arena_map(&arena, descriptor, mode, offset, size, &segment));
    assert_error_names("map: ");
    assert_refused(expected, tide_shared_map(shared, descriptor, mode, offset, size, &segment));
    assert_error_names("map: ");
    assert_true(is_canary(&segment));
}

/* What is wrong further down the list, whatever that is, is not looked at. */
#define NOWHERE (size_t) - 1, (size_t)-1
#define BEYOND  0, MADE + 1

/* ------------------------------------------------------------------------------- arguments */

static void no_place_for_the_segment_and_no_such_mode_come_first(void **state)
{
    (void)state;
    tide_segment segment = canary_segment();
    tide_arena closed;
    assert_ok(tide_arena_open(&closed));
    assert_ok(tide_arena_close(&closed));
    tide_shared_arena zeroed = {NULL, 0};
    assert_refused(TIDE_INVALID_ARGUMENT,
                   tide_arena_map(&closed, -1, TIDE_MAP_READ_WRITE, NOWHERE, NULL));
    assert_refused(TIDE_INVALID_ARGUMENT,
                   tide_shared_map(zeroed, -1, TIDE_MAP_READ_WRITE, NOWHERE, NULL));
    static const int modes[] = {3, 4, 256, INT32_MAX, -1, INT32_MIN};
    for (size_t i = 0; i < COUNT_OF(modes); i++) {
        assert_refused(TIDE_INVALID_ARGUMENT,
                       tide_arena_map(&closed, -1, (tide_map_mode)modes[i], NOWHERE, &segment));
        assert_refused(TIDE_INVALID_ARGUMENT,
                       tide_shared_map(zeroed, -1, (tide_map_mode)modes[i], NOWHERE, &segment));
    }
    assert_true(is_canary(&segment));
}

static void what_is_no_arena_is_an_invalid_argument(void **state)
{
    (void)state;
    tide_segment segment = canary_segment();
    tide_arena never;
    memset(&never, 0, sizeof never);
    assert_refused(TIDE_INVALID_ARGUMENT,
                   tide_arena_map(NULL, -1, TIDE_MAP_READ_ONLY, 0, 0, &segment));
    assert_refused(TIDE_INVALID_ARGUMENT,
                   tide_arena_map(&never, -1, TIDE_MAP_READ_ONLY, 0, 0, &segment));
    assert_refused(TIDE_INVALID_ARGUMENT, tide_shared_map((tide_shared_arena){NULL, 0}, -1,
                                                          TIDE_MAP_READ_ONLY, 0, 0, &segment));
    assert_non_null(tide_arena_allocate(&arena, 8, 8));
    tide_arena copy = arena;
    assert_refused(TIDE_INVALID_ARGUMENT,
                   tide_arena_map(&copy, file.descriptor, TIDE_MAP_READ_ONLY, 0, 1, &segment));
    assert_true(is_canary(&segment));
}

static void a_closed_arena_is_closed_before_the_range_is_looked_at(void **state)
{
    (void)state;
    tide_segment segment = canary_segment();
    tide_arena closed;
    assert_ok(tide_arena_open(&closed));
    assert_ok(tide_arena_close(&closed));
    tide_shared_arena over;
    assert_ok(tide_shared_open(&over));
    assert_ok(tide_shared_close(over));
    for (size_t m = 0; m < COUNT_OF(every_mode); m++) {
        assert_refused(TIDE_CLOSED, tide_arena_map(&closed, -1, every_mode[m], NOWHERE, &segment));
        assert_refused(TIDE_CLOSED, tide_shared_map(over, -1, every_mode[m], NOWHERE, &segment));
        assert_refused(TIDE_CLOSED,
                       tide_arena_map(&closed, file.descriptor, every_mode[m], BEYOND, &segment));
        assert_refused(TIDE_CLOSED,
                       tide_shared_map(over, file.descriptor, every_mode[m], BEYOND, &segment));
    }
    assert_true(is_canary(&segment));
}

static void map_as_stranger(void *mine)
{
    tide_segment segment = canary_segment();
    tide_status status = tide_arena_map(mine, -1, TIDE_MAP_READ_WRITE, NOWHERE, &segment);
    assert_int_equal(status, TIDE_WRONG_OWNER);
    status = tide_arena_map(mine, file.descriptor, TIDE_MAP_READ_WRITE, BEYOND, &segment);
    assert_int_equal(status, TIDE_WRONG_OWNER);
    assert_true(is_canary(&segment));
}

static void a_stranger_is_refused_before_the_arena_is_found_closed(void **state)
{
    (void)state;
    tide_arena mine;
    assert_ok(tide_arena_open(&mine));
    on_new_thread(map_as_stranger, &mine);
    assert_ok(tide_arena_close(&mine));
    on_new_thread(map_as_stranger, &mine);
}

/* ------------------------------------------------------------------------------- the range */

static void a_range_that_no_file_could_have_is_an_invalid_argument(void **state)
{
    (void)state;
    static const size_t huge[] = HUGE_SIZES;
    const size_t most = PTRDIFF_MAX;
    for (size_t m = 0; m < COUNT_OF(every_mode); m++) {
        for (size_t i = 0; i < COUNT_OF(huge); i++) {
            assert_refuses(TIDE_INVALID_ARGUMENT, -1, every_mode[m], huge[i], 0);
            assert_refuses(TIDE_INVALID_ARGUMENT, -1, every_mode[m], 0, huge[i]);
            assert_refuses(TIDE_INVALID_ARGUMENT, -1, every_mode[m], huge[i], huge[i]);
        }
        assert_refuses(TIDE_INVALID_ARGUMENT, -1, every_mode[m], most, 1);
        assert_refuses(TIDE_INVALID_ARGUMENT, -1, every_mode[m], 1, most);
        assert_refuses(TIDE_INVALID_ARGUMENT, -1, every_mode[m], (size_t)1 << 62, (size_t)1 << 62);
        assert_error_names("4611686018427387904 bytes at 4611686018427387904");
    }
}

/* No file system here has such files; where one had, their bytes would find no addresses. */
static void a_range_that_no_file_has_is_refused_by_the_system(void **state)
{
    (void)state;
    static const struct {
        size_t offset, size;
    } ranges[] = {
        {0, PTRDIFF_MAX},           {0, PTRDIFF_MAX - 1},         {1, PTRDIFF_MAX - 1},
        {4096, PTRDIFF_MAX - 4096}, {0, (size_t)1 << 62},         {4097, (size_t)1 << 62},
        {(size_t)1 << 62, 4096},    {((size_t)1 << 62) + 1, 100},
    };
    for (size_t i = 0; i < COUNT_OF(ranges); i++) {
        assert_refuses(TIDE_IO, for_reading, TIDE_MAP_READ_ONLY, ranges[i].offset, ranges[i].size);
        tide_segment segment = canary_segment();
        for (size_t m = 1; m < COUNT_OF(every_mode); m++) {
            tide_status status = tide_arena_map(&arena, file.descriptor, every_mode[m],
                                                ranges[i].offset, ranges[i].size, &segment);
            assert_true(status == TIDE_IO || status == TIDE_OUT_OF_MEMORY);
            assert_true(is_canary(&segment));
            assert_int_equal(file_size(&file), MADE);
        }
    }
}

static void a_read_only_range_must_lie_inside_the_file(void **state)
{
    (void)state;
    static const struct {
        size_t offset, size;
    } ranges[] = {{BEYOND}, {MADE, 1}, {MADE + 1, 0}, {4096, MADE - 4095}, {8192, 0}, {8192, 1}};
    for (size_t i = 0; i < COUNT_OF(ranges); i++) {
        assert_refuses(TIDE_IO, for_reading, TIDE_MAP_READ_ONLY, ranges[i].offset, ranges[i].size);
        assert_error_names("of a file of 5000 bytes");
        assert_refuses(TIDE_IO, file.descriptor, TIDE_MAP_READ_ONLY, ranges[i].offset,
                       ranges[i].size);
    }
}

/* ------------------------------------------------------------------------------- descriptors */

/* For no bytes nothing is mapped, and yet the same is refused. */
static void assert_refuses_in_every_mode(int descriptor, const char *words)
{
    for (size_t m = 0; m < COUNT_OF(every_mode); m++) {
        assert_refuses(TIDE_IO, descriptor, every_mode[m], 0, 0);
        assert_error_names(words);
        assert_refuses(TIDE_IO, descriptor, every_mode[m], 0, 100);
        assert_error_names(words);
    }
}

static void what_is_no_open_descriptor_is_refused(void **state)
{
    (void)state;
    int closed = open_again(&file, O_RDWR);
    assert_int_equal(close(closed), 0);
    assert_refuses_in_every_mode(closed, strerror(EBADF));
    assert_refuses_in_every_mode(-1, strerror(EBADF));
    assert_refuses_in_every_mode(INT32_MIN, strerror(EBADF));
    assert_refuses_in_every_mode(INT32_MAX, strerror(EBADF));
    int name = open_again(&file, O_PATH);
    assert_refuses_in_every_mode(name, strerror(EBADF));
    assert_int_equal(close(name), 0);
}

static void what_is_no_regular_file_is_refused(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_refuses_in_every_mode(ends[0], strerror(ENODEV));
    assert_refuses_in_every_mode(ends[1], strerror(ENODEV));
    assert_int_equal(close(ends[0]), 0);
    assert_int_equal(close(ends[1]), 0);

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    assert_refuses_in_every_mode(ends[0], strerror(ENODEV));
    assert_int_equal(close(ends[0]), 0);
    assert_int_equal(close(ends[1]), 0);

    int directory = open("/tmp", O_RDONLY | O_DIRECTORY);
    assert_refuses_in_every_mode(directory, strerror(EISDIR));
    assert_int_equal(close(directory), 0);

    int device = open("/dev/zero", O_RDWR);
    assert_refuses_in_every_mode(device, strerror(ENODEV));
    assert_int_equal(close(device), 0);
}

static void a_descriptor_must_be_open_for_what_the_mode_needs(void **state)
{
    (void)state;
    int for_writing = open_again(&file, O_WRONLY);
    assert_refuses_in_every_mode(for_writing, strerror(EACCES));
    assert_int_equal(close(for_writing), 0);
    for (size_t m = 1; m < COUNT_OF(every_mode); m++) {
        assert_refuses(TIDE_IO, for_reading, every_mode[m], 0, 0);
        assert_refuses(TIDE_IO, for_reading, every_mode[m], 0, 100);
        assert_refuses(TIDE_IO, for_reading, every_mode[m], BEYOND);
        assert_error_names(strerror(EACCES));
    }
    int appending = open_again(&file, O_RDWR | O_APPEND);
    tide_segment segment;
    assert_ok(tide_arena_map(&arena, appending, TIDE_MAP_READ_WRITE, 0, 100, &segment));
    assert_int_equal(close(appending), 0);
    assert_ok(tide_arena_reset(&arena));
}

static void refusals_name_the_range_the_descriptor_and_the_systems_reason(void **state)
{
    (void)state;
    tide_segment segment;
    char text[200];
    tide_arena_options options = TIDE_ARENA_OPTIONS_INIT;
    options.name = "logs";
    tide_arena named;
    assert_ok(tide_arena_open_with(&named, &options));
    assert_refused(TIDE_IO,
                   tide_arena_map(&named, for_reading, TIDE_MAP_PRIVATE, 12, 345, &segment));
    snprintf(text, sizeof text,
             "map: 345 bytes at 12 of the file with descriptor %d: %s (arena \"logs\"", for_reading,
             strerror(EACCES));
    assert_error_names(text);
    assert_ok(tide_arena_close(&named));
}

/* A sealed file can't be extended, or not be written: nobody has mapped or extended
 * anything then. */
static void a_file_that_may_not_grow_is_refused_and_not_mapped(void **state)
{
    (void)state;
    int sealed = memfd_create("tidepool-sealed", MFD_ALLOW_SEALING);
    assert_true(sealed >= 0);
    assert_int_equal(ftruncate(sealed, 100), 0);
    assert_int_equal(fcntl(sealed, F_ADD_SEALS, F_SEAL_GROW), 0);
    for (size_t m = 1; m < COUNT_OF(every_mode); m++) {
        assert_refuses(TIDE_IO, sealed, every_mode[m], 0, 101);
        assert_error_names(strerror(EPERM));
        assert_refuses(TIDE_IO, sealed, every_mode[m], 101, 0);
    }
    test_file as_file = {.path = "tidepool-sealed"};
    assert_int_equal(file_mappings(&as_file), 0);
    assert_int_equal(fcntl(sealed, F_ADD_SEALS, F_SEAL_WRITE), 0);
    assert_refuses(TIDE_IO, sealed, TIDE_MAP_READ_WRITE, 0, 100);
    assert_error_names(strerror(EPERM));
    assert_int_equal(close(sealed), 0);
}

static void an_arena_is_unharmed_by_refusals(void **state)
{
    (void)state;
    tide_segment segment;
    char *block = tide_arena_allocate(&arena, 40, 8);
    assert_refuses(TIDE_IO, -1, TIDE_MAP_READ_WRITE, 0, 10);
    assert_refuses(TIDE_IO, for_reading, TIDE_MAP_READ_ONLY, BEYOND);
    assert_zeroed(block, 40);
    assert_ok(tide_arena_map(&arena, for_reading, TIDE_MAP_READ_ONLY, 1, 10, &segment));
    assert_shows_file(&segment, 1, MADE);
    assert_ok(tide_arena_reset(&arena));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_all, close_all)
    const struct CMUnitTest tests[] = {
        TEST(no_place_for_the_segment_and_no_such_mode_come_first),
        TEST(what_is_no_arena_is_an_invalid_argument),
        TEST(a_closed_arena_is_closed_before_the_range_is_looked_at),
        TEST(a_stranger_is_refused_before_the_arena_is_found_closed),
        TEST(a_range_that_no_file_could_have_is_an_invalid_argument),
        TEST(a_range_that_no_file_has_is_refused_by_the_system),
        TEST(a_read_only_range_must_lie_inside_the_file),
        TEST(what_is_no_open_descriptor_is_refused),
        TEST(what_is_no_regular_file_is_refused),
        TEST(a_descriptor_must_be_open_for_what_the_mode_needs),
        TEST(refusals_name_the_range_the_descriptor_and_the_systems_reason),
        TEST(a_file_that_may_not_grow_is_refused_and_not_mapped),
        TEST(an_arena_is_unharmed_by_refusals),
    };
    return cmocka_run_group_tests_name("mapping-misuse", tests, NULL, NULL);
}
