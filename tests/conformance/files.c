/* SPDX-License-Identifier: Apache-2.0 */
/* Files and their mappings. The files themselves are the replayer's: made, opened for each mapping
 * in the mode it asks for, hashed, and gone at the end of the trace. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "outcome.h"
#include "replay.h"
#include "values.h"

/* A file without a name that others could find; opened anew by the path of its descriptor. */
typedef struct replay_file_entry {
    FILE *stream;
    char path[64];
} replay_file_entry;

static bool write_all(int descriptor, const unsigned char *bytes, size_t size)
{
    while (size != 0) {
        ssize_t written = write(descriptor, bytes, size);
        if (written < 0)
            return false;
        bytes += written;
        size -= (size_t)written;
    }
    return true;
}

static bool fill_file(int descriptor, size_t size)
{
    unsigned char *bytes = replay_memory(size);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(i * 31 % 251);
    bool written = write_all(descriptor, bytes, size);
    free(bytes);
    return written;
}

json_t *operation_file(replay_trace *replay, const json_t *line)
{
    const json_t *number = argument_any(replay, line, "file");
    size_t size = argument_size(replay, line, "size");
    if (size > (size_t)1 << 28)
        replay_problem(replay, "a file of %zu bytes", size);
    if (!replay_table_is_new(replay, &replay->files, number, false) || replay_has_problem(replay))
        return NULL;
    replay_file_entry *file = replay_memory(sizeof *file);
    replay_table_put(&replay->files, number, file);
    file->stream = tmpfile();
    if (file->stream == NULL || !fill_file(fileno(file->stream), size))
        replay_problem(replay, "a file of %zu bytes can't be made", size);
    else
        snprintf(file->path, sizeof file->path, "/proc/self/fd/%d", fileno(file->stream));
    return replay_has_problem(replay) ? NULL : outcome_of(TIDE_OK);
}

void replay_files_end(replay_trace *replay)
{
    for (size_t i = 0; i < replay->files.count; i++) {
        const replay_file_entry *file = replay->files.entries[i];
        if (file != NULL && file->stream != NULL)
            fclose(file->stream);
    }
}

static tide_map_mode argument_mode(replay_trace *replay, const json_t *line)
{
    const char *name = argument_text(replay, line, "mode");
    if (strcmp(name, "ro") == 0)
        return TIDE_MAP_READ_ONLY;
    if (strcmp(name, "rw") == 0)
        return TIDE_MAP_READ_WRITE;
    if (strcmp(name, "private") != 0)
        replay_problem(replay, "unknown mode \"%s\"", name);
    return TIDE_MAP_PRIVATE;
}

json_t *operation_map(replay_trace *replay, const json_t *line)
{
    replay_arena *arena = argument_arena(replay, line);
    const replay_file_entry *file =
        replay_table_find(replay, &replay->files, argument_any(replay, line, "file"));
    tide_map_mode mode = argument_mode(replay, line);
    size_t offset = argument_size(replay, line, "offset");
    size_t size = argument_size(replay, line, "size");
    if (!argument_is_new_segment(replay, line, "seg") || replay_has_problem(replay))
        return NULL;
    int descriptor = open(file->path, mode == TIDE_MAP_READ_ONLY ? O_RDONLY : O_RDWR);
    if (descriptor < 0) {
        replay_problem(replay, "%s can't be opened", file->path);
        return NULL;
    }
    tide_segment segment;
    tide_status status = kind_map(arena, descriptor, mode, offset, size, &segment);
    close(descriptor);
    json_t *outcome = outcome_of_segment(replay, status, &segment, json_object_get(line, "seg"));
    if (status == TIDE_OK)
        json_object_set_new(outcome, "read_only",
                            json_boolean(tide_segment_is_read_only(&segment)));
    return outcome;
}

json_t *operation_force(replay_trace *replay, const json_t *line)
{
    const tide_segment *segment = argument_segment(replay, line, "seg");
    if (replay_has_problem(replay))
        return NULL;
    return outcome_of(tide_segment_force(segment));
}

json_t *operation_file_hash(replay_trace *replay, const json_t *line)
{
    const replay_file_entry *file =
        replay_table_find(replay, &replay->files, argument_any(replay, line, "file"));
    if (replay_has_problem(replay))
        return NULL;
    FILE *stream = fopen(file->path, "rb");
    struct stat about;
    if (stream == NULL || fstat(fileno(stream), &about) != 0) {
        replay_problem(replay, "%s can't be read", file->path);
        if (stream != NULL)
            fclose(stream);
        return NULL;
    }
    size_t size = (size_t)about.st_size;
    unsigned char *bytes = replay_memory(size);
    if (fread(bytes, 1, size, stream) != size)
        replay_problem(replay, "%s can't be read to its end", file->path);
    fclose(stream);
    json_t *outcome = outcome_of(TIDE_OK);
    json_object_set_new(outcome, "size", value_of_int64((int64_t)size));
    json_object_set_new(outcome, "value", value_of_hash(bytes, size));
    free(bytes);
    return outcome;
}
