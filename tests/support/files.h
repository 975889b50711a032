/* SPDX-License-Identifier: Apache-2.0 */
/* Files to map: made, looked at from outside, and gone with the test. Include behind test.h. */
#ifndef TIDEPOOL_TESTS_FILES_H
#define TIDEPOOL_TESTS_FILES_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"

/* A file under a name that no other file of the process has had. */
typedef struct test_file {
    char path[64];
    int descriptor; /* open for reading and writing */
} test_file;

/* What the file has at an offset. */
TEST_HELPER unsigned char file_pattern(size_t offset)
{
    return (unsigned char)(offset * 31 % 251);
}

TEST_HELPER test_file make_file(size_t size)
{
    test_file file = {.path = "/tmp/tidepool-test-XXXXXX"};
    file.descriptor = mkstemp(file.path);
    assert_true(file.descriptor >= 0);
    unsigned char *bytes = malloc(size + 1);
    assert_non_null(bytes);
    for (size_t i = 0; i < size; i++)
        bytes[i] = file_pattern(i);
    assert_int_equal(write(file.descriptor, bytes, size), size);
    free(bytes);
    return file;
}

TEST_HELPER void drop_file(test_file *file)
{
    assert_int_equal(close(file->descriptor), 0);
    assert_int_equal(unlink(file->path), 0);
}

/* Another descriptor of it, with flags as open() takes them. */
TEST_HELPER int open_again(const test_file *file, int flags)
{
    int descriptor = open(file->path, flags);
    assert_true(descriptor >= 0);
    return descriptor;
}

TEST_HELPER size_t file_size(const test_file *file)
{
    struct stat about;
    assert_int_equal(fstat(file->descriptor, &about), 0);
    return (size_t)about.st_size;
}

TEST_HELPER unsigned char file_byte(const test_file *file, size_t offset)
{
    unsigned char byte = 0;
    assert_int_equal(pread(file->descriptor, &byte, 1, (off_t)offset), 1);
    return byte;
}

/* Whether all bytes of the file from `from` up to `to`, without, are as they were made. */
TEST_HELPER bool file_is_untouched(const test_file *file, size_t from, size_t to)
{
    for (; from < to; from++) {
        if (file_byte(file, from) != file_pattern(from))
            return false;
    }
    return true;
}

/* How many mappings of it the process has. */
TEST_HELPER size_t file_mappings(const test_file *file)
{
    char line[512];
    size_t found = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    assert_non_null(maps);
    while (fgets(line, sizeof line, maps) != NULL)
        found += strstr(line, file->path) != NULL;
    fclose(maps);
    return found;
}

/* Whether the process has anything at the address. */
TEST_HELPER bool is_mapped(const void *address)
{
    uintptr_t page = (uintptr_t)address & ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
    unsigned char resident = 0;
    return mincore((void *)page, 1, &resident) == 0 || errno != ENOMEM;
}

/* The segment has what the file had at `offset` when it was made, and zeros behind its end. */
TEST_HELPER void assert_shows_file_(const tide_segment *segment, size_t offset, size_t made_size,
                                    const char *name, int line)
{
    for (size_t i = 0; i < tide_segment_size(segment); i++) {
        size_t place = offset + i;
        unsigned char wanted = place < made_size ? file_pattern(place) : 0;
        if (tide_get_u8(segment, i) != wanted)
            _fail(name, line);
    }
}

#define assert_shows_file(segment, offset, made_size) \
    assert_shows_file_((segment), (offset), (made_size), __FILE__, __LINE__)

/* Every mode, for tests that hold for each. */
static const tide_map_mode every_mode[]
    __attribute__((unused)) = {TIDE_MAP_READ_ONLY, TIDE_MAP_READ_WRITE, TIDE_MAP_PRIVATE};

#endif
