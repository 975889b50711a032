/* SPDX-License-Identifier: Apache-2.0 */
/* What the default fault handler says before it aborts: for every function that cannot return a
 * status, and every misuse of it. */
#include "death.h"

#include <pthread.h>
#include <stdarg.h>
#include <wchar.h>

#include <tidepool/tidepool.h>

static void demand(bool condition)
{
    if (!condition)
        _exit(99);
}

/* The result of a call that never returns one. */
static void use(const void *pointer)
{
    if (pointer == &pointer)
        _exit(98);
}

/* ------------------------------------------------------------------------------- arenas */

static tide_arena arena;
static tide_segment segment;

/* An open arena called "victim" with one segment of 64 bytes. */
static void open_victim(void)
{
    tide_arena_options options = TIDE_ARENA_OPTIONS_INIT;
    options.name = "victim";
    demand(tide_arena_open_with(&arena, &options) == TIDE_OK);
    demand(tide_arena_segment(&arena, 64, 8, &segment) == TIDE_OK);
}

static void open_closed(void)
{
    open_victim();
    demand(tide_arena_close(&arena) == TIDE_OK);
}

static void open_foreign(void)
{
    open_victim();
    tide_owner_set(tide_owner_new());
}

static size_t hidden(size_t value)
{
    volatile size_t copy = value;
    return copy;
}

static void allocate_negative(void)
{
    open_victim();
    use(tide_arena_allocate(&arena, hidden((size_t)-1), 8));
}

static void allocate_beyond_ptrdiff_max(void)
{
    open_victim();
    use(tide_arena_allocate(&arena, hidden((size_t)PTRDIFF_MAX + 1), 8));
}

static void allocate_at_0(void)
{
    open_victim();
    use(tide_arena_allocate(&arena, 8, hidden(0)));
}

static void allocate_at_48(void)
{
    open_victim();
    use(tide_arena_allocate(&arena, 8, hidden(48)));
}

static void allocate_at_2_to_the_63(void)
{
    open_victim();
    use(tide_arena_allocate(&arena, 8, hidden((size_t)1 << 63)));
}

static void allocate_in_null(void)
{
    tide_arena *volatile none = NULL;
    use(tide_arena_allocate(none, 8, 8));
}

static void allocate_in_zeroed(void)
{
    static tide_arena zeroed;
    use(tide_arena_allocate(&zeroed, 8, 8));
}

static void allocate_in_copy(void)
{
    open_victim();
    static tide_arena copy;
    memcpy(&copy, &arena, sizeof copy);
    use(tide_arena_allocate(&copy, 8, 8));
}

static void allocate_in_closed(void)
{
    open_closed();
    use(tide_arena_allocate(&arena, 8, 8));
}

static void allocate_in_foreign(void)
{
    open_foreign();
    use(tide_arena_allocate(&arena, 8, 8));
}

static void *allocate_on_thread(void *context)
{
    (void)context;
    use(tide_arena_allocate(&arena, 8, 8));
    return NULL;
}

static void allocate_on_another_thread(void)
{
    pthread_t thread;
    open_victim();
    demand(pthread_create(&thread, NULL, allocate_on_thread, NULL) == 0);
    pthread_join(thread, NULL);
}

static void allocate_uninitialized_in_closed(void)
{
    open_closed();
    use(tide_arena_allocate_uninitialized(&arena, 8, 8));
}

static void open_allocate_negative(void)
{
    use(tide_arena_open_allocate(&arena, hidden((size_t)-1), 8));
}

static void allocate_array_that_overflows(void)
{
    open_victim();
    use(tide_arena_allocate_array(&arena, (size_t)1 << 62, 8, 8));
}

static void strdup_of_null(void)
{
    open_victim();
    const char *volatile nothing = NULL;
    use(tide_arena_strdup(&arena, nothing));
}

static void strndup_of_null(void)
{
    open_victim();
    const char *volatile nothing = NULL;
    use(tide_arena_strndup(&arena, nothing, 3));
}

static void memdup_of_null(void)
{
    open_victim();
    const char *volatile nothing = NULL;
    use(tide_arena_memdup(&arena, nothing, 3, 1));
}

static void strdup_in_closed(void)
{
    open_closed();
    use(tide_arena_strdup(&arena, "text"));
}

static void printf_that_is_refused(void)
{
    const wchar_t strange[] = {0x4E2D, 0};
    open_victim();
    use(tide_arena_printf(&arena, "%ls", strange));
}

static void printf_in_foreign(void)
{
    open_foreign();
    use(tide_arena_printf(&arena, "%d", 1));
}

static void used_of_closed(void)
{
    open_closed();
    use((const void *)tide_arena_used(&arena));
}

static void scope_of_foreign(void)
{
    open_foreign();
    tide_scope scope = tide_arena_scope(&arena);
    use(scope.cell_);
}

static void new_with_bad_options(void)
{
    tide_arena_options options = TIDE_ARENA_OPTIONS_INIT;
    options.chunk_min = 1000;
    use(tide_arena_new(&options));
}

static void set_owner_that_is_none(void)
{
    tide_owner_set(UINT64_C(1) << 40);
}

/* ------------------------------------------------------------------------------- access */

static void get_out_of_bounds(void)
{
    open_victim();
    use((const void *)(uintptr_t)tide_get_u32(&segment, 62));
}

static void get_at_negative_offset(void)
{
    open_victim();
    use((const void *)(uintptr_t)tide_get_u8(&segment, hidden((size_t)-1)));
}

static void get_at_index_that_overflows(void)
{
    open_victim();
    use((const void *)(uintptr_t)tide_get_u64_at(&segment, hidden((size_t)1 << 61)));
}

static void get_misaligned(void)
{
    open_victim();
    use((const void *)(uintptr_t)tide_get_u32(&segment, 6));
}

static void get_from_null(void)
{
    const tide_segment *volatile none = NULL;
    use((const void *)(uintptr_t)tide_get_u32(none, 0));
}

static void get_in_no_layout(void)
{
    open_victim();
    use((const void *)(uintptr_t)tide_get_u32_as(&segment, 0, 99));
}

static void get_from_closed(void)
{
    open_closed();
    use((const void *)(uintptr_t)tide_get_u32(&segment, 0));
}

static void get_from_foreign(void)
{
    open_foreign();
    use((const void *)(uintptr_t)tide_get_u32(&segment, 0));
}

static void set_read_only(void)
{
    open_victim();
    demand(tide_segment_read_only(&segment, &segment) == TIDE_OK);
    tide_set_u32(&segment, 8, 1);
}

static void set_out_of_bounds(void)
{
    open_victim();
    tide_set_f64_at(&segment, 8, 1.0);
}

static void set_in_closed(void)
{
    open_closed();
    tide_set_bool(&segment, 3, true);
}

#define ABORTS(function, ...)                                                                \
    {                                                                                        \
        .name = #function, .deed = function, .dies = DEATH_BY_ABORT, .says = { __VA_ARGS__ } \
    }

static const death_case cases[] = {
    ABORTS(allocate_negative, "tidepool: INVALID_ARGUMENT: ", "allocate", "18446744073709551615",
           "9223372036854775807"),
    ABORTS(allocate_beyond_ptrdiff_max, "INVALID_ARGUMENT", "9223372036854775808"),
    ABORTS(allocate_at_0, "INVALID_ARGUMENT", "alignment", "0"),
    ABORTS(allocate_at_48, "INVALID_ARGUMENT", "alignment", "48", "power of two"),
    ABORTS(allocate_at_2_to_the_63, "INVALID_ARGUMENT", "9223372036854775808"),
    ABORTS(allocate_in_null, "INVALID_ARGUMENT", "allocate", "arena"),
    ABORTS(allocate_in_zeroed, "INVALID_ARGUMENT", "allocate", "arena"),
    ABORTS(allocate_in_copy, "INVALID_ARGUMENT", "allocate", "copied or moved"),
    ABORTS(allocate_in_closed, "tidepool: CLOSED: ", "allocate", "arena"),
    ABORTS(allocate_in_foreign, "tidepool: WRONG_OWNER: ", "allocate", "arena"),
    ABORTS(allocate_on_another_thread, "tidepool: WRONG_OWNER: ", "allocate", "arena"),
    ABORTS(allocate_uninitialized_in_closed, "CLOSED", "allocate", "arena"),
    ABORTS(open_allocate_negative, "INVALID_ARGUMENT", "18446744073709551615"),
    ABORTS(allocate_array_that_overflows, "INVALID_ARGUMENT", "4611686018427387904", "8"),
    ABORTS(strdup_of_null, "INVALID_ARGUMENT", "NULL", "victim"),
    ABORTS(strndup_of_null, "INVALID_ARGUMENT", "NULL", "victim"),
    ABORTS(memdup_of_null, "INVALID_ARGUMENT", "NULL", "victim"),
    ABORTS(strdup_in_closed, "CLOSED", "arena"),
    ABORTS(printf_that_is_refused, "INVALID_ARGUMENT", "printf"),
    ABORTS(printf_in_foreign, "WRONG_OWNER", "arena"),
    ABORTS(used_of_closed, "CLOSED", "used", "arena"),
    ABORTS(scope_of_foreign, "WRONG_OWNER", "scope", "arena"),
    ABORTS(new_with_bad_options, "INVALID_ARGUMENT", "1000"),
    ABORTS(set_owner_that_is_none, "INVALID_ARGUMENT", "owner", "1099511627776"),
    ABORTS(get_out_of_bounds,
           "tidepool: OUT_OF_BOUNDS: read of 4 bytes at 62 in a segment of 64 bytes"),
    ABORTS(get_at_negative_offset, "OUT_OF_BOUNDS", "18446744073709551615", "64 bytes"),
    ABORTS(get_at_index_that_overflows, "OUT_OF_BOUNDS", "2305843009213693952", "64 bytes"),
    ABORTS(get_misaligned, "tidepool: MISALIGNED: ", "read of 4 bytes at 6", "4"),
    ABORTS(get_from_null, "INVALID_ARGUMENT", "read"),
    ABORTS(get_in_no_layout, "INVALID_ARGUMENT", "read", "99"),
    ABORTS(get_from_closed, "tidepool: CLOSED: ", "read"),
    ABORTS(get_from_foreign, "tidepool: WRONG_OWNER: ", "read"),
    ABORTS(set_read_only, "tidepool: READ_ONLY: ", "write of 4 bytes at 8", "read-only"),
    ABORTS(set_out_of_bounds, "OUT_OF_BOUNDS", "write of 8 bytes", "64 bytes"),
    ABORTS(set_in_closed, "CLOSED", "write"),
};

int main(int count, char **arguments)
{
    return death_main(cases, sizeof cases / sizeof cases[0], count, arguments);
}
