/* SPDX-License-Identifier: Apache-2.0 */
/* The `tidepool` command: finds the command that was asked for and hands over to it. */
#include "commands.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <tidepool/tidepool.h>

typedef struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
} command;

#ifndef TIDEPOOL_HAVE_BENCH
int tide_bench_main(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    fputs("tidepool bench: this tidepool was built without its benchmarks\n", stderr);
    return 1;
}
#endif

static const command commands[] = {
    {"info", tide_info_main, "version, settings and where they come from, machine"},
    {"bench", tide_bench_main, "measures tidepool against its contenders"},
};

static void print_usage(FILE *file)
{
    fputs("usage: tidepool COMMAND [ARGUMENT…]\n"
          "       tidepool --help | --version\n"
          "commands:\n",
          file);
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        fprintf(file, "    %-8s%s\n", commands[i].name, commands[i].summary);
}

/* What was printed has arrived: a full disk must not look like success. */
static int finished(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    perror("tidepool: stdout");
    return 1;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        print_usage(stderr);
        return 2;
    }
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "help") == 0) {
        print_usage(stdout);
        return finished(0);
    }
    if (strcmp(name, "--version") == 0) {
        printf("tidepool %s\n", tide_version());
        return finished(0);
    }
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        if (strcmp(name, commands[i].name) == 0)
            return finished(commands[i].run(argc - 1, argv + 1));
    }
    fprintf(stderr, "tidepool: no command '%s'\n", name);
    print_usage(stderr);
    return 2;
}
