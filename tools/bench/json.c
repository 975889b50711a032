/* SPDX-License-Identifier: Apache-2.0 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* mkstemp, fchmod, fdopen */
#endif
#include "json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The names are the plan's own: nothing in them needs to be escaped. */
static void print_rows(FILE *file, const bench_rows *rows)
{
    const char *separator = "";
    fputs("[", file);
    for (size_t i = 0; i < rows->count; i++) {
        const bench_row *row = &rows->row[i];
        if (row->missing[0] != '\0')
            continue;
        fprintf(file,
                "%s\n  {\"bench\": \"%s\", \"case\": \"%s\", \"contender\": \"%s\", "
                "\"unit\": \"ns\", \"median\": %.4f, \"low\": %.4f, \"high\": %.4f, "
                "\"samples\": %zu}",
                separator, row->plan->name, row->name, row->contender->name, row->median, row->low,
                row->high, row->count);
        separator = ",";
    }
    fputs("\n]\n", file);
}

static bool write_and_close(FILE *file, const bench_rows *rows)
{
    mode_t mask = umask(0);
    umask(mask);
    print_rows(file, rows);
    bool good = fchmod(fileno(file), 0666 & ~mask) == 0 && ferror(file) == 0;
    if (fclose(file) != 0)
        good = false;
    return good;
}

bool bench_json_write(const bench_rows *rows, const char *path)
{
    static const char suffix[] = ".XXXXXX";
    size_t bytes = strlen(path) + sizeof suffix;
    char *temporary = malloc(bytes);
    if (temporary == NULL)
        return false;
    snprintf(temporary, bytes, "%s%s", path, suffix);
    int descriptor = mkstemp(temporary);
    if (descriptor < 0) {
        free(temporary);
        return false;
    }
    FILE *file = fdopen(descriptor, "w");
    if (file == NULL)
        close(descriptor);
    bool good = file != NULL && write_and_close(file, rows) && rename(temporary, path) == 0;
    int error = errno;
    if (!good)
        unlink(temporary);
    free(temporary);
    errno = error;
    return good;
}
