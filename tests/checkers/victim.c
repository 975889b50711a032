/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program with one memory error, chosen by its argument, that a memory checker must report; and
 * the same program without. It goes through raw pointers: checked access would never get so far.
 *
 *     victim pool|chunk read|write over 1|8|64    touches one byte so far behind an allocation
 *     victim pool|chunk read|write after close    touches an allocation of a closed arena
 *     victim pool|chunk read before write         lets uninitialised memory decide
 *     victim clean                                makes none of these errors, and reuses everything
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tidepool/tidepool.h>

#define POOL_BYTES  20u
#define CHUNK_BYTES 700u

static void require(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "victim: not so: %s (%s)\n", what, tide_last_error_text());
    exit(3);
}

#define REQUIRE(condition) require((condition), #condition)

static volatile unsigned char seen;

/* One byte, in a way that no compiler drops; nor memcheck, which has no eye for a load that nothing
 * comes of. */
static void touch(volatile unsigned char *byte, bool write)
{
    if (write)
        *byte = 1;
    else
        seen = *byte;
}

static unsigned char *allocate(tide_arena *arena, bool from_pool)
{
    return tide_arena_allocate(arena, from_pool ? POOL_BYTES : CHUNK_BYTES, 8);
}

static void touch_behind(bool from_pool, bool write, size_t distance)
{
    tide_arena arena;
    REQUIRE(tide_arena_open(&arena) == TIDE_OK);
    unsigned char *block = allocate(&arena, from_pool);
    unsigned char *neighbour = allocate(&arena, from_pool);
    REQUIRE(block != NULL && neighbour != NULL);
    touch(block + (from_pool ? POOL_BYTES : CHUNK_BYTES) - 1, write);
    touch(neighbour, write);
    touch(block + (from_pool ? POOL_BYTES : CHUNK_BYTES) - 1 + distance, write);
    REQUIRE(tide_arena_close(&arena) == TIDE_OK);
}

static void touch_after_close(bool from_pool, bool write)
{
    tide_arena arena;
    REQUIRE(tide_arena_open(&arena) == TIDE_OK);
    unsigned char *block = allocate(&arena, from_pool);
    REQUIRE(block != NULL);
    touch(block, write);
    REQUIRE(tide_arena_close(&arena) == TIDE_OK);
    touch(block, write);
}

static void decide_by_uninitialised(bool from_pool)
{
    tide_arena arena;
    for (int round = 0; round < 2; round++) { /* the second time in memory that was in use before */
        REQUIRE(tide_arena_open(&arena) == TIDE_OK);
        volatile unsigned char *block =
            tide_arena_allocate_uninitialized(&arena, from_pool ? POOL_BYTES : CHUNK_BYTES, 8);
        REQUIRE(block != NULL);
        if (round == 1 && block[5] == 7)
            puts("seven");
        block[5] = 7;
        REQUIRE(tide_arena_close(&arena) == TIDE_OK);
    }
}

/* --- without errors --- */

static const char *count_up(void *counter)
{
    ++*(unsigned *)counter;
    return NULL;
}

static bool is_zero(const unsigned char *block, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (block[i] != 0)
            return false;
    }
    return true;
}

static void fill_arena(tide_arena *arena)
{
    static const size_t sizes[] = {0, 1, 7, 8, 20, 64, 65, 100, 700, 1000, 5000, 65536, 300000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        unsigned char *zeroed = tide_arena_allocate(arena, sizes[i], 8);
        REQUIRE(zeroed != NULL && is_zero(zeroed, sizes[i]));
        memset(zeroed, 0xA5, sizes[i]);
        unsigned char *raw = tide_arena_allocate_uninitialized(arena, sizes[i], 1);
        REQUIRE(raw != NULL);
        memset(raw, 0x5A, sizes[i]);
        REQUIRE(sizes[i] == 0 || (zeroed[sizes[i] - 1] == 0xA5 && raw[0] == 0x5A));
    }
    REQUIRE(strcmp(tide_arena_printf(arena, "%s-%d", "pool", 64), "pool-64") == 0);
    char *text = tide_arena_strdup(arena, "tide");
    REQUIRE(strcmp(text, "tide") == 0);
}

static void grow_in_place(tide_arena *arena)
{
    unsigned char *block = tide_arena_allocate(arena, 100, 8);
    REQUIRE(block != NULL);
    memset(block, 1, 100);
    tide_status status = tide_arena_extend(arena, block, 100, 300);
    REQUIRE(status == TIDE_OK || status == TIDE_EXHAUSTED);
    if (status == TIDE_OK) {
        REQUIRE(is_zero(block + 100, 200));
        memset(block, 2, 300);
        REQUIRE(tide_arena_extend(arena, block, 300, 50) == TIDE_OK);
        memset(block, 3, 50);
        REQUIRE(tide_arena_extend(arena, block, 50, 200) == TIDE_OK);
        REQUIRE(is_zero(block + 50, 150));
    }
}

static void use_segments(tide_arena *arena)
{
    tide_segment a, b;
    int64_t difference = 0;
    REQUIRE(tide_arena_segment(arena, 40, 8, &a) == TIDE_OK);
    REQUIRE(tide_arena_segment_uninitialized(arena, 400, 8, &b) == TIDE_OK);
    REQUIRE(tide_segment_fill(&b, 9) == TIDE_OK);
    REQUIRE(tide_segment_copy(&b, 10, &a, 0, 40) == TIDE_OK);
    REQUIRE(tide_segment_mismatch(&a, 0, 40, &b, 0, 40, &difference) == TIDE_OK);
    REQUIRE(difference == -1);
    for (size_t i = 0; i < 40; i++)
        tide_set_u8(&a, i, (uint8_t)(tide_get_u8(&a, i) + 1));
}

static void make_no_error(void)
{
    unsigned cleaned = 0;
    for (unsigned round = 0; round < 20; round++) {
        tide_arena arenas[6];
        tide_arena_options options = TIDE_ARENA_OPTIONS_INIT;
        options.zero = round % 2 == 0 ? TIDE_ZERO_WIPE : TIDE_ZERO_DEFAULT;
        for (size_t i = 0; i < 6; i++) {
            REQUIRE((i < 3 ? tide_arena_open(&arenas[i])
                           : tide_arena_open_with(&arenas[i], &options)) == TIDE_OK);
            unsigned char *first = tide_arena_allocate(&arenas[i], 1 + 11 * i, 8);
            REQUIRE(first != NULL && is_zero(first, 1 + 11 * i));
            memset(first, 0x77, 1 + 11 * i);
        }
        for (size_t i = 0; i < 6; i += 2) {
            fill_arena(&arenas[i]);
            REQUIRE(tide_arena_attach(&arenas[i], count_up, &cleaned) == TIDE_OK);
        }
        use_segments(&arenas[0]);
        grow_in_place(&arenas[1]);
        grow_in_place(&arenas[4]);
        REQUIRE(tide_arena_reset(&arenas[2]) == TIDE_OK);
        fill_arena(&arenas[2]);
        tide_mark_point mark = tide_mark();
        tide_arena left;
        REQUIRE(tide_arena_open(&left) == TIDE_OK);
        fill_arena(&left);
        REQUIRE(tide_close_to(mark) == TIDE_OK);
        for (size_t i = 0; i < 6; i++)
            REQUIRE(tide_arena_close(&arenas[(i * 5 + 2) % 6]) == TIDE_OK);
        if (round % 5 == 0)
            (void)tide_trim();
    }
    REQUIRE(cleaned == 20 * 3);
}

static bool is(int count, char **arguments, int index, const char *word)
{
    return index < count && strcmp(arguments[index], word) == 0;
}

int main(int count, char **arguments)
{
    bool from_pool = is(count, arguments, 1, "pool");
    bool write = is(count, arguments, 2, "write");
    if (is(count, arguments, 1, "clean"))
        make_no_error();
    else if (is(count, arguments, 3, "over"))
        touch_behind(from_pool, write, count == 5 ? strtoul(arguments[4], NULL, 10) : 1);
    else if (is(count, arguments, 3, "after"))
        touch_after_close(from_pool, write);
    else if (is(count, arguments, 3, "before"))
        decide_by_uninitialised(from_pool);
    else
        return 2;
    puts("survived");
    return 0;
}
