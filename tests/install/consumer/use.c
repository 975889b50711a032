/* SPDX-License-Identifier: Apache-2.0 */
/* A program that uses an installed tidepool: a confined arena, a segment of it, and what happens to
 * an access outside it and after its arena's end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tidepool/tidepool.h>

static void expect(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "not so: %s (%s)\n", what, tide_last_error_text());
        exit(1);
    }
}

int main(void)
{
    expect(strcmp(tide_version(), TIDE_VERSION_STRING) == 0,
           "library and headers are of a version");

    tide_arena arena;
    expect(tide_arena_open(&arena) == TIDE_OK, "an arena opens");
    char *name = tide_arena_printf(&arena, "%s-%d", "tide", 1);
    expect(name != NULL && strcmp(name, "tide-1") == 0, "text is made in the arena");

    tide_segment segment;
    int32_t value = 0;
    expect(tide_arena_segment(&arena, 64, 8, &segment) == TIDE_OK, "a segment is given");
    tide_set_i32(&segment, 60, 42);
    expect(tide_load_i32(&segment, 60, &value) == TIDE_OK && value == 42, "a value is kept");
    expect(tide_load_i32(&segment, 62, &value) == TIDE_OUT_OF_BOUNDS, "bounds are checked");

    expect(tide_arena_close(&arena) == TIDE_OK, "the arena closes");
    expect(tide_load_i32(&segment, 60, &value) == TIDE_CLOSED, "a stale segment is recognised");
    return 0;
}
