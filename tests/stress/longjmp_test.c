/* SPDX-License-Identifier: Apache-2.0 */
/* longjmp out of a fault handler over frames with open arenas, then tide_close_to(). */
#include "support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FRAMES 5u

static jmp_buf recovery;
static tide_status faulted;

static void leave_by_longjmp(const tide_fault *fault)
{
    faulted = fault->status;
    longjmp(recovery, 1);
}

/* --- what the arenas on the way leave behind --- */

static unsigned order[64]; /* ids of the cleanups in the order they ran */
static size_t order_count;
static unsigned ids[64];

static const char *note_cleanup(void *id)
{
    CHECK(order_count < 64);
    order[order_count++] = *(unsigned *)id;
    return NULL;
}

static const char *fail_cleanup(void *id)
{
    note_cleanup(id);
    return "the socket was gone";
}

/* A manager that knows what is out. */
static size_t bytes_out;

static void *counted_allocate(void *context, size_t size, size_t alignment, unsigned request)
{
    (void)context;
    void *block = tide_manager_allocate(tide_manager_system(), size, alignment, request);
    if (block != NULL)
        bytes_out += size;
    return block;
}

static tide_status counted_free(void *context, void *block, size_t size, size_t alignment)
{
    (void)context;
    bytes_out -= size;
    return tide_manager_free(tide_manager_system(), block, size, alignment);
}

static const tide_manager counted = {
    .struct_size = sizeof(tide_manager),
    .name = "counted",
    .allocate = counted_allocate,
    .free = counted_free,
};

/* Where the five arenas lie: a block that stands for the five frames. After the jump it is
 * overwritten, as frames are. */
typedef struct frames {
    tide_arena arenas[FRAMES];
    tide_hold hold;
    tide_segment segments[FRAMES];
} frames;

static void fault_now(frames *in, unsigned kind)
{
    tide_segment view;
    switch (kind % 4) {
    case 0: /* bounds */
        (void)tide_get_u32(&in->segments[2], tide_segment_size(&in->segments[2]) - 1);
        break;
    case 1: /* read-only */
        CHECK_OK(tide_segment_read_only(&in->segments[1], &view));
        tide_set_u8(&view, 0, 1);
        break;
    case 2: /* a size that no call accepts */
        CHECK(tide_arena_strdup(&in->arenas[4], NULL) == NULL);
        break;
    default: /* misaligned */
        (void)tide_get_u64(&in->segments[3], 1);
        break;
    }
}

/* Each level opens one arena and calls the next; the last one faults. */
static void descend(frames *in, unsigned level, unsigned kind)
{
    static const size_t sizes[FRAMES] = {40, 64, 700, 9000, 16};
    tide_arena *arena = &in->arenas[level];
    if (level == 3) {
        tide_arena_options options = TIDE_ARENA_OPTIONS_INIT;
        options.manager = &counted;
        options.zero = TIDE_ZERO_WIPE;
        options.name = "frame";
        CHECK_OK(tide_arena_open_with(arena, &options));
    } else {
        CHECK_OK(tide_arena_open(arena));
    }
    CHECK_OK(tide_arena_segment(arena, sizes[level], 8, &in->segments[level]));
    CHECK_OK(tide_segment_fill(&in->segments[level], 0x66));
    CHECK_OK(tide_arena_attach(arena, note_cleanup, &ids[level]));
    if (level == 2)
        CHECK_OK(tide_arena_hold(arena, &in->hold));
    if (level + 1 == FRAMES) {
        CHECK_OK(tide_arena_attach(&in->arenas[1], note_cleanup, &ids[10]));
        CHECK_OK(tide_arena_attach(&in->arenas[0], note_cleanup, &ids[11]));
        fault_now(in, kind);
    } else {
        descend(in, level + 1, kind);
    }
}

static int set_up(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 64; i++)
        ids[i] = i;
    tide_fault_handler_set(leave_by_longjmp);
    return 0;
}

/* Faults through five arenas and closes to the mark; `volatile` outlives the jump. */
static void fail_through_five_arenas(unsigned kind)
{
    static const tide_status expected[4] = {TIDE_OUT_OF_BOUNDS, TIDE_READ_ONLY,
                                            TIDE_INVALID_ARGUMENT, TIDE_MISALIGNED};
    frames *volatile lost = malloc(sizeof(frames));
    CHECK(lost != NULL);
    tide_segment segments[FRAMES];
    order_count = 0;
    faulted = TIDE_OK;
    tide_mark_point mark = tide_mark();
    if (setjmp(recovery) == 0) {
        descend(lost, 0, kind);
        stress_fail(__FILE__, __LINE__, "the fault came back");
    }
    CHECK(faulted == expected[kind % 4]);
    CHECK(order_count == 0 && bytes_out > 0);
    memcpy(segments, lost->segments, sizeof segments);
    memset(lost, 0xA5, sizeof(frames));
    CHECK_OK(tide_close_to(mark));

    static const unsigned last_first[] = {11, 10, 4, 3, 2, 1, 0};
    CHECK(order_count == 7 && memcmp(order, last_first, sizeof last_first) == 0);
    CHECK(stress_all_bytes(lost, sizeof(frames), 0xA5)); /* dead frames were not touched */
    CHECK(bytes_out == 0);
    for (size_t i = 0; i < FRAMES; i++)
        CHECK_STATUS(TIDE_CLOSED, tide_store_u8(&segments[i], 0, 1));
    free(lost);
    CHECK_OK(tide_close_to(mark)); /* nothing is left to close */
    CHECK(order_count == 7);
}

static void close_to_ends_five_arenas_and_leaves_those_before_the_mark(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < 4; kind++) {
        tide_arena outer[3];
        tide_segment segments[3];
        static const size_t sizes[3] = {30, 5000, 0};
        for (size_t i = 0; i < 3; i++) {
            CHECK_OK(tide_arena_open(&outer[i]));
            if (i == 2)
                break; /* has taken nothing yet */
            CHECK_OK(tide_arena_segment(&outer[i], sizes[i], 8, &segments[i]));
            CHECK_OK(tide_segment_fill(&segments[i], 0x42));
            CHECK_OK(tide_arena_attach(&outer[i], note_cleanup, &ids[20 + i]));
        }
        tide_hold hold;
        CHECK_OK(tide_arena_hold(&outer[0], &hold));
        fail_through_five_arenas(kind);
        for (size_t i = 0; i < 2; i++) {
            CHECK(stress_all_bytes(tide_segment_address(&segments[i]), sizes[i], 0x42));
            CHECK(tide_get_u8(&segments[i], 1) == 0x42);
            char *more = tide_arena_allocate(&outer[i], 100, 8);
            CHECK(more != NULL && stress_all_bytes(more, 100, 0));
        }
        char *first = tide_arena_allocate(&outer[2], 64, 8);
        CHECK(first != NULL && stress_all_bytes(first, 64, 0));
        CHECK_STATUS(TIDE_BUSY, tide_arena_close(&outer[0]));
        CHECK_OK(tide_hold_release(&hold));
        order_count = 0;
        for (size_t i = 0; i < 3; i++)
            CHECK_OK(tide_arena_close(&outer[i]));
        CHECK(order_count == 2 && order[0] == 20 && order[1] == 21);
    }
}

static void ten_thousand_jumps_leave_nothing_behind(void **state)
{
    (void)state;
    tide_pool_statistics settled = {0};
    unsigned count = (unsigned)stress_count(10000);
    for (unsigned i = 0; i < count + 8; i++) {
        fail_through_five_arenas(i);
        if (i == 7)
            settled = stress_statistics();
    }
    tide_pool_statistics after = stress_statistics();
    assert_int_equal(after.cells, settled.cells);
    assert_int_equal(after.open_arenas, settled.open_arenas);
    assert_int_equal(after.idle_pools, settled.idle_pools);
    assert_int_equal(after.cached_chunk_bytes, settled.cached_chunk_bytes);
}

static void a_closed_pool_is_clear_for_the_next_arena(void **state)
{
    (void)state;
    fail_through_five_arenas(0);
    tide_arena arenas[2 * FRAMES];
    const size_t count = sizeof arenas / sizeof arenas[0];
    for (size_t i = 0; i < count; i++) {
        CHECK_OK(tide_arena_open(&arenas[i]));
        char *bytes = tide_arena_allocate(&arenas[i], 64, 8);
        CHECK(bytes != NULL && stress_all_bytes(bytes, 64, 0));
    }
    for (size_t i = 0; i < count; i++)
        CHECK_OK(tide_arena_close(&arenas[i]));
}

static void marks_nest(void **state)
{
    (void)state;
    tide_arena a, b, c;
    tide_segment of_a, of_b, of_c;
    tide_mark_point outer = tide_mark();
    CHECK_OK(tide_arena_open(&a));
    CHECK_OK(tide_arena_segment(&a, 20, 8, &of_a));
    tide_mark_point inner = tide_mark();
    CHECK_OK(tide_arena_open(&b));
    CHECK_OK(tide_arena_segment(&b, 20, 8, &of_b));
    tide_mark_point innermost = tide_mark();
    CHECK_OK(tide_arena_open(&c));
    CHECK_OK(tide_arena_segment(&c, 200, 8, &of_c));
    CHECK_OK(tide_close_to(innermost));
    CHECK_STATUS(TIDE_CLOSED, tide_store_u8(&of_c, 0, 1));
    CHECK_OK(tide_store_u8(&of_b, 0, 1));
    CHECK_OK(tide_close_to(inner));
    CHECK_STATUS(TIDE_CLOSED, tide_store_u8(&of_b, 0, 1));
    CHECK_OK(tide_store_u8(&of_a, 0, 1));
    CHECK_OK(tide_close_to(outer));
    CHECK_STATUS(TIDE_CLOSED, tide_store_u8(&of_a, 0, 1));
}

/* An arena that was open before the mark and takes its memory after it is not of this mark. */
static void an_arena_opened_before_the_mark_stays_although_it_allocates_after_it(void **state)
{
    (void)state;
    tide_arena early;
    tide_segment segment;
    CHECK_OK(tide_arena_open(&early));
    tide_mark_point mark = tide_mark();
    CHECK_OK(tide_arena_segment(&early, 20, 8, &segment));
    CHECK_OK(tide_close_to(mark));
    CHECK_OK(tide_store_u8(&segment, 0, 1));
    CHECK_OK(tide_arena_close(&early));
}

static void a_failing_cleanup_is_reported_and_all_the_others_run(void **state)
{
    (void)state;
    tide_arena arenas[3];
    order_count = 0;
    tide_mark_point mark = tide_mark();
    for (size_t i = 0; i < 3; i++) {
        CHECK_OK(tide_arena_open(&arenas[i]));
        CHECK(tide_arena_allocate(&arenas[i], 20, 8) != NULL);
        CHECK_OK(tide_arena_attach(&arenas[i], note_cleanup, &ids[3 * i]));
        CHECK_OK(tide_arena_attach(&arenas[i], fail_cleanup, &ids[3 * i + 1]));
        CHECK_OK(tide_arena_attach(&arenas[i], note_cleanup, &ids[3 * i + 2]));
    }
    CHECK_STATUS(TIDE_CLEANUP_FAILED, tide_close_to(mark));
    assert_non_null(strstr(tide_last_error_text(), "the socket was gone"));
    assert_non_null(strchr(tide_last_error_text(), '3'));
    assert_int_equal(order_count, 9);
    for (unsigned i = 0; i < 9; i++)
        assert_int_equal(order[i], 8 - i);
    CHECK_OK(tide_close_to(mark));
}

static void *use_a_foreign_mark(void *mark)
{
    CHECK_STATUS(TIDE_WRONG_OWNER, tide_close_to(*(tide_mark_point *)mark));
    return NULL;
}

static void a_mark_is_its_owners(void **state)
{
    (void)state;
    tide_arena arena;
    tide_segment segment;
    tide_mark_point mark = tide_mark();
    CHECK_OK(tide_arena_open(&arena));
    CHECK_OK(tide_arena_segment(&arena, 20, 8, &segment));
    stress_on_thread(use_a_foreign_mark, &mark);
    CHECK_OK(tide_store_u8(&segment, 0, 1));
    CHECK_OK(tide_close_to(mark));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(close_to_ends_five_arenas_and_leaves_those_before_the_mark),
        cmocka_unit_test(ten_thousand_jumps_leave_nothing_behind),
        cmocka_unit_test(a_closed_pool_is_clear_for_the_next_arena),
        cmocka_unit_test(marks_nest),
        cmocka_unit_test(an_arena_opened_before_the_mark_stays_although_it_allocates_after_it),
        cmocka_unit_test(a_failing_cleanup_is_reported_and_all_the_others_run),
        cmocka_unit_test(a_mark_is_its_owners),
    };
    return cmocka_run_group_tests_name("longjmp over arenas", tests, set_up, NULL);
}
