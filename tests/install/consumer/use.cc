/* SPDX-License-Identifier: Apache-2.0 */
/* The same in C++17: the headers' functions and macros are usable there. */
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <tidepool/tidepool.h>

namespace
{

struct point {
    double x, y;
};

void expect(bool holds, const char *what)
{
    if (!holds) {
        std::fprintf(stderr, "not so: %s (%s)\n", what, tide_last_error_text());
        std::exit(1);
    }
}

} // namespace

int main()
{
    expect(std::strcmp(tide_version(), TIDE_VERSION_STRING) == 0,
           "library and headers are of a version");

    tide_arena arena;
    expect(tide_arena_open(&arena) == TIDE_OK, "an arena opens");
    point *points = tide_arena_make_array(&arena, point, 100);
    expect(points != nullptr && points[99].y == 0.0, "objects are made in the arena");

    tide_segment segment;
    double value = 0;
    expect(tide_arena_segment(&arena, 64, 8, &segment) == TIDE_OK, "a segment is given");
    tide_set_f64(&segment, 56, 4.25);
    expect(tide_load_f64(&segment, 56, &value) == TIDE_OK && value == 4.25, "a value is kept");
    expect(tide_load_f64(&segment, 64, &value) == TIDE_OUT_OF_BOUNDS, "bounds are checked");

    expect(tide_arena_close(&arena) == TIDE_OK, "the arena closes");
    expect(tide_load_f64(&segment, 56, &value) == TIDE_CLOSED, "a stale segment is recognised");
    return 0;
}
