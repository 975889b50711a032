/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts the lines of a log file by their level, without reading the file into memory: it is
 * mapped, and every access to it is checked. A line is a time, a space, a level, a space, and a
 * text; what a line really has is data, so no offset that comes from it is trusted.
 *
 *     log_reader FILE      without FILE, a log of its own
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <tidepool/tidepool.h>
#include <unistd.h>

enum { LEVELS = 3 };
static const char *const levels[LEVELS] = {"INFO", "WARN", "ERROR"};

typedef struct counts {
    size_t lines;
    size_t of_level[LEVELS];
    size_t other; /* lines with no level, or another one */
    size_t longest;
} counts;

/* The first `wanted` from `offset` on, or the end of the segment. */
static size_t find(const tide_segment *text, size_t offset, char wanted)
{
    size_t size = tide_segment_size(text);
    while (offset < size && tide_get_u8(text, offset) != (uint8_t)wanted)
        offset++;
    return offset;
}

/* The index of the level that a line names, or LEVELS. */
static size_t level_of(const tide_segment *line)
{
    char word[8] = "";
    size_t start = find(line, 0, ' ') + 1; /* a line without a space: behind its end */
    size_t length = find(line, start, ' ') - start;
    if (length >= sizeof word || tide_segment_read(line, start, word, length) != TIDE_OK)
        return LEVELS;
    size_t level = 0;
    while (level < LEVELS && strcmp(word, levels[level]) != 0)
        level++;
    return level;
}

static tide_status count(const tide_segment *log, counts *result)
{
    size_t size = tide_segment_size(log);
    for (size_t start = 0; start < size;) {
        tide_segment line;
        size_t end = find(log, start, '\n');
        tide_status status = tide_segment_slice(log, start, end - start, &line);
        if (status != TIDE_OK)
            return status;
        size_t level = level_of(&line);
        if (level < LEVELS)
            result->of_level[level]++;
        else
            result->other++;
        if (end - start > result->longest)
            result->longest = end - start;
        result->lines++;
        start = end + 1;
    }
    return TIDE_OK;
}

static int fail(const char *path, const char *reason)
{
    fprintf(stderr, "%s: %s\n", path, reason);
    return 1;
}

/* Maps the whole file and counts; the mapping needs no descriptor once it is made. */
static tide_status count_file(tide_arena *arena, int descriptor, size_t size, counts *result)
{
    tide_segment log;
    tide_status status = tide_arena_map(arena, descriptor, TIDE_MAP_READ_ONLY, 0, size, &log);
    close(descriptor);
    return status == TIDE_OK ? count(&log, result) : status;
}

static int report(const char *path, counts *result)
{
    tide_arena arena;
    struct stat about;
    int descriptor = open(path, O_RDONLY);
    if (descriptor < 0 || fstat(descriptor, &about) != 0)
        return fail(path, strerror(errno));
    if (tide_arena_open(&arena) != TIDE_OK)
        return fail(path, tide_last_error_text());
    tide_status status = count_file(&arena, descriptor, (size_t)about.st_size, result);
    if (status != TIDE_OK)
        fail(path, tide_last_error_text());
    if (tide_arena_close(&arena) != TIDE_OK) /* the file is unmapped here */
        return fail(path, tide_last_error_text());
    if (status != TIDE_OK)
        return 1;
    printf("%s: %zu lines, the longest of %zu bytes\n", path, result->lines, result->longest);
    for (size_t i = 0; i < LEVELS; i++)
        printf("%6zu %s\n", result->of_level[i], levels[i]);
    printf("%6zu other\n", result->other);
    return 0;
}

static int write_example(const char *path)
{
    FILE *file = fopen(path, "w");
    if (file == NULL)
        return 1;
    for (int i = 0; i < 1000; i++)
        fprintf(file, "12:%02d:%02d %s request %d took %d ms\n", i / 60, i % 60,
                i % 100 == 99 ? "ERROR"
                : i % 10 == 9 ? "WARN"
                              : "INFO",
                i, i * 7 % 90);
    fputs("no-level\n\n12:16:40 A-WORD-THAT-IS-LONGER-THAN-ANY-LEVEL\n12:16:40 INFO", file);
    return fclose(file);
}

int main(int argument_count, char **arguments)
{
    counts result = {.lines = 0};
    if (argument_count > 1)
        return report(arguments[1], &result);
    if (write_example("server.log") != 0 || report("server.log", &result) != 0)
        return 1;
    bool right = result.lines == 1004 && result.of_level[0] == 901 && result.of_level[1] == 90 &&
                 result.of_level[2] == 10 && result.other == 3;
    if (report("no-such.log", &result) == 0)
        return 1;
    return right ? 0 : 1;
}
