/* SPDX-License-Identifier: Apache-2.0 */
/* What a reset arena hands out. */
#include "test.h"

#include <tidepool/arena.h>

static void *zeroed_allocate(void *context, size_t size, size_t alignment, unsigned request)
{
    (void)context;
    (void)request;
    void *block = aligned_alloc(alignment, (size + alignment - 1) & ~(alignment - 1));
    if (block != NULL)
        memset(block, 0, size);
    return block;
}

static tide_status zeroed_free(void *context, void *block, size_t size, size_t alignment)
{
    (void)context;
    (void)size;
    (void)alignment;
    free(block);
    return TIDE_OK;
}

/* The fresh chunk is zero, so nothing is cleared the first time; after the reset it is not zero any
 * more. */
static void a_reset_chunk_of_a_zeroed_manager_is_cleared(void **state)
{
    (void)state;
    static const tide_manager manager = {
        .struct_size = sizeof manager,
        .name = "zeroed",
        .flags = TIDE_MANAGER_ZEROED,
        .allocate = zeroed_allocate,
        .free = zeroed_free,
    };
    tide_arena_options options = TIDE_ARENA_OPTIONS_INIT;
    options.manager = &manager;
    tide_arena arena;
    assert_ok(tide_arena_open_with(&arena, &options));
    unsigned char *block = (unsigned char *)tide_arena_allocate(&arena, 700, 8);
    assert_non_null(block);
    memset(block, 0xAB, 700);
    assert_ok(tide_arena_reset(&arena));
    block = (unsigned char *)tide_arena_allocate(&arena, 700, 8);
    assert_non_null(block);
    for (size_t i = 0; i < 700; i++)
        assert_int_equal(block[i], 0);
    assert_ok(tide_arena_close(&arena));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reset_chunk_of_a_zeroed_manager_is_cleared),
    };
    return cmocka_run_group_tests_name("arena-reset", tests, NULL, NULL);
}
