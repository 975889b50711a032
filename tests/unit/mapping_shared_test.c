/* SPDX-License-Identifier: Apache-2.0 */
/* Mapped files of arenas that several threads use. */
#include "test.h"

#include <sched.h>
#include <stdatomic.h>

#include "files.h"

#define MADE 100000u

static test_file file;
static tide_shared_arena arena;

static int open_all(void **state)
{
    (void)state;
    file = make_file(MADE);
    assert_ok(tide_shared_open(&arena));
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    if (tide_shared_is_alive(arena))
        assert_ok(tide_shared_close(arena));
    assert_int_equal(file_mappings(&file), 0);
    drop_file(&file);
    return 0;
}

static tide_segment map(tide_shared_arena of, tide_map_mode mode)
{
    tide_segment segment;
    assert_ok(tide_shared_map(of, file.descriptor, mode, 10, MADE - 10, &segment));
    assert_int_equal(file_mappings(&file), 1);
    return segment;
}

static void read_all(void *segment)
{
    for (size_t i = 0; i < 1000; i++)
        assert_int_equal(tide_get_u8(segment, i), file_pattern(10 + i));
}

static void every_thread_reads_a_mapping_of_a_shared_arena(void **state)
{
    (void)state;
    for (size_t m = 0; m < COUNT_OF(every_mode); m++) {
        tide_segment segment = map(arena, every_mode[m]);
        assert_true(tide_segment_is_mapped(&segment));
        assert_int_equal(tide_segment_is_read_only(&segment), every_mode[m] == TIDE_MAP_READ_ONLY);
        on_new_thread(read_all, &segment);
        assert_ok(tide_shared_reset(&arena));
        assert_int_equal(file_mappings(&file), 0);
    }
}

/* The file is the program's own again when close returns: nothing waits in the retire list. */
static void close_unmaps_before_it_returns(void **state)
{
    (void)state;
    tide_grace_statistics before = {.struct_size = sizeof before};
    tide_grace_statistics after = {.struct_size = sizeof after};
    assert_ok(tide_grace_statistics_get(&before));
    tide_segment segment = map(arena, TIDE_MAP_READ_WRITE);
    assert_ok(tide_shared_close(arena));
    assert_int_equal(file_mappings(&file), 0);
    assert_refused(TIDE_CLOSED, tide_load_u8(&segment, 0, &(uint8_t){0}));
    assert_ok(tide_grace_statistics_get(&after));
    assert_int_equal(after.retired_arenas, before.retired_arenas);
    assert_int_equal(after.ready_arenas, before.ready_arenas);
}

/* A named arena's name is in its extra, one without has none. */
static void close_unmaps_whatever_else_the_arena_has(void **state)
{
    (void)state;
    tide_arena_options options = TIDE_ARENA_OPTIONS_INIT;
    options.name = "files";
    static const size_t sizes[] = {0, 100, 70000};
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        for (size_t j = 0; j < COUNT_OF(sizes); j++) {
            tide_shared_arena one;
            assert_ok((i + j) % 2 == 0 ? tide_shared_open(&one)
                                       : tide_shared_open_with(&one, &options));
            if (sizes[i] != 0)
                assert_zeroed(tide_shared_allocate(one, sizes[i], 8), sizes[i]);
            size_t used = tide_shared_used(one);
            map(one, TIDE_MAP_READ_WRITE);
            assert_int_equal(tide_shared_used(one), used);
            if (sizes[j] != 0)
                assert_zeroed(tide_shared_allocate(one, sizes[j], 8), sizes[j]);
            assert_ok(tide_shared_close(one));
            assert_int_equal(file_mappings(&file), 0);
        }
    }
    assert_true(file_is_untouched(&file, 0, MADE));
}

/* The cell that had a mapping serves the next arena, which closes as cheaply as any other. */
static void an_arena_that_was_reset_has_no_mappings_to_wait_for(void **state)
{
    (void)state;
    tide_grace_statistics before = {.struct_size = sizeof before};
    tide_grace_statistics after = {.struct_size = sizeof after};
    map(arena, TIDE_MAP_READ_ONLY);
    assert_ok(tide_shared_reset(&arena));
    assert_int_equal(file_mappings(&file), 0);
    assert_non_null(tide_shared_allocate(arena, 100, 8));
    assert_ok(tide_grace_statistics_get(&before));
    assert_ok(tide_shared_close(arena));
    assert_ok(tide_grace_statistics_get(&after));
    assert_int_equal(after.periods, before.periods);
}

static void the_last_release_of_a_counted_arena_unmaps(void **state)
{
    (void)state;
    tide_shared_arena counted;
    tide_hold hold;
    assert_ok(tide_counted_open(&counted));
    tide_segment segment = map(counted, TIDE_MAP_READ_WRITE);
    assert_ok(tide_segment_force(&segment));
    assert_ok(tide_scope_hold(tide_segment_scope(&segment), &hold));
    assert_ok(tide_counted_release(counted));
    assert_shows_file(&segment, 10, MADE);
    assert_ok(tide_hold_release(&hold));
    assert_int_equal(file_mappings(&file), 0);
    assert_refused(TIDE_CLOSED,
                   tide_shared_map(counted, file.descriptor, TIDE_MAP_READ_ONLY, 0, 1, &segment));
}

static void what_the_global_arena_maps_stays(void **state)
{
    (void)state;
    tide_segment segment = map(tide_global_arena(), TIDE_MAP_READ_ONLY);
    assert_refused(TIDE_UNSUPPORTED, tide_shared_close(tide_global_arena()));
    on_new_thread(read_all, &segment);
    assert_ok(tide_segment_force(&segment));
    char *base = (char *)tide_segment_address(&segment) - 10;
    assert_int_equal(munmap(base, MADE), 0); /* for the other tests, which count */
}

typedef struct witness {
    const unsigned char *address;
    bool saw;
} witness;

static const char *look(void *context)
{
    witness *self = context;
    self->saw = self->address[MADE - 11] == file_pattern(MADE - 1);
    return NULL;
}

static void cleanups_see_the_mapped_bytes(void **state)
{
    (void)state;
    tide_segment segment = map(arena, TIDE_MAP_READ_ONLY);
    witness self = {tide_segment_address(&segment), false};
    assert_ok(tide_shared_attach(arena, look, &self));
    assert_ok(tide_shared_close(arena));
    assert_true(self.saw);
}

static void an_arena_that_wipes_leaves_the_file_as_it_is(void **state)
{
    (void)state;
    tide_arena_options options = TIDE_ARENA_OPTIONS_INIT;
    options.zero = TIDE_ZERO_WIPE;
    tide_shared_arena wiping;
    assert_ok(tide_shared_open_with(&wiping, &options));
    map(wiping, TIDE_MAP_READ_WRITE);
    assert_ok(tide_shared_close(wiping));
    assert_true(file_is_untouched(&file, 0, MADE));
}

/* ------------------------------------------------------------------------------- threads */

#define READERS 3u

typedef struct reading {
    tide_segment segment;
    atomic_uint inside; /* threads that have read once */
    atomic_bool wrong;
} reading;

/* Scalars, which the inline path reads, and whole ranges, in one section each. */
static void *read_until_closed(void *context)
{
    reading *all = context;
    bool counted = false;
    for (size_t i = 0;; i++) {
        uint8_t byte = 0;
        unsigned char bytes[64];
        size_t place = i * 977 % (MADE - 10 - sizeof bytes);
        if (tide_load_u8(&all->segment, place, &byte) != TIDE_OK)
            break;
        if (tide_segment_read(&all->segment, place, bytes, sizeof bytes) != TIDE_OK)
            break;
        if (byte != file_pattern(10 + place) || bytes[63] != file_pattern(10 + place + 63))
            atomic_store(&all->wrong, true);
        if (!counted)
            atomic_fetch_add(&all->inside, 1);
        counted = true;
    }
    if (tide_last_error() != TIDE_CLOSED)
        atomic_store(&all->wrong, true);
    return NULL;
}

static void closing_waits_for_readers_and_then_they_are_refused(void **state)
{
    (void)state;
    for (size_t round = 0; round < 20; round++) {
        tide_shared_arena one;
        pthread_t threads[READERS];
        assert_ok(tide_shared_open(&one));
        reading all = {.segment = map(one, TIDE_MAP_READ_ONLY)};
        for (size_t i = 0; i < READERS; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, read_until_closed, &all), 0);
        while (atomic_load(&all.inside) < READERS)
            sched_yield();
        assert_ok(tide_shared_close(one));
        assert_int_equal(file_mappings(&file), 0);
        for (size_t i = 0; i < READERS; i++)
            assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_false(atomic_load(&all.wrong));
    }
}

#define MAPPERS 4u
#define PARTS   50u

/* Each maps its own parts, in another order than the others, so that ends that lie further forward
 * are asked for after ends that lie further back. */
static void *map_parts(void *context)
{
    size_t self = (size_t)(uintptr_t)context;
    for (size_t i = 0; i < PARTS; i++) {
        tide_segment segment;
        size_t part = i * 37 % PARTS * MAPPERS + self;
        tide_status status = tide_shared_map(arena, file.descriptor, TIDE_MAP_READ_WRITE,
                                             MADE + part * 5000, 5000, &segment);
        if (status != TIDE_OK || tide_segment_fill(&segment, (uint8_t)(1 + self)) != TIDE_OK)
            return context;
    }
    return NULL;
}

static void threads_that_extend_one_file_do_not_cut_off_each_others_parts(void **state)
{
    (void)state;
    pthread_t threads[MAPPERS];
    for (size_t i = 0; i < MAPPERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, map_parts, (void *)(uintptr_t)i), 0);
    for (size_t i = 0; i < MAPPERS; i++) {
        void *failed = NULL;
        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
    }
    assert_int_equal(file_size(&file), MADE + MAPPERS * PARTS * 5000);
    for (size_t part = 0; part < MAPPERS * PARTS; part++) {
        assert_int_equal(file_byte(&file, MADE + part * 5000), 1 + part % MAPPERS);
        assert_int_equal(file_byte(&file, MADE + part * 5000 + 4999), 1 + part % MAPPERS);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_all, close_all)
    const struct CMUnitTest tests[] = {
        TEST(every_thread_reads_a_mapping_of_a_shared_arena),
        TEST(close_unmaps_before_it_returns),
        TEST(close_unmaps_whatever_else_the_arena_has),
        TEST(an_arena_that_was_reset_has_no_mappings_to_wait_for),
        TEST(the_last_release_of_a_counted_arena_unmaps),
        TEST(what_the_global_arena_maps_stays),
        TEST(cleanups_see_the_mapped_bytes),
        TEST(an_arena_that_wipes_leaves_the_file_as_it_is),
        TEST(closing_waits_for_readers_and_then_they_are_refused),
        TEST(threads_that_extend_one_file_do_not_cut_off_each_others_parts),
    };
    return cmocka_run_group_tests_name("mapping-shared", tests, NULL, NULL);
}
