/* SPDX-License-Identifier: Apache-2.0 */
/* `tidepool info`: what this installation is, how it is set, and on what it runs. */
#include "commands.h"

#include <features.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include <tidepool/tidepool.h>

static const char *libc_name(void)
{
#ifdef __GLIBC__
    return "glibc";
#else
    return "not glibc (musl, or another)";
#endif
}

static const char *libc_version(void)
{
#ifdef __GLIBC__
    return gnu_get_libc_version();
#else
    return "";
#endif
}

/* Whether the program could be handed a library of another version than its headers. */
static void print_library(void)
{
    printf("tidepool %s", tide_version());
    if (strcmp(tide_version(), TIDE_VERSION_STRING) != 0)
        printf(" (this command was built with %s)", TIDE_VERSION_STRING);
    printf("\n\nlibrary\n");
    printf("    %-24s%zu bytes\n", "arena", sizeof(tide_arena));
    printf("    %-24s%zu bytes\n", "segment", sizeof(tide_segment));
    printf("    %-24s%s\n", "memory checker", tide_checker());
}

static void print_machine(void)
{
    struct utsname system;
    printf("\nmachine\n");
    if (uname(&system) == 0)
        printf("    %-24s%s %s, %s\n", "kernel", system.sysname, system.release, system.machine);
    printf("    %-24s%s %s\n", "C library", libc_name(), libc_version());
    printf("    %-24s%ld\n", "processors", sysconf(_SC_NPROCESSORS_ONLN));
    printf("    %-24s%ld bytes\n", "page", sysconf(_SC_PAGESIZE));
}

static void print_knobs(void)
{
    tide_knob knob = {.struct_size = sizeof knob};
    printf("\nsettings\n");
    for (size_t i = 0; tide_knob_at(i, &knob) == TIDE_OK; i++) {
        printf("    %s=%s (%s)\n", knob.name, knob.value, knob.source);
        printf("        %s; %s; default %s\n", knob.meaning, knob.good, knob.initial);
    }
}

/* The thread opens an arena first: a process that never did has nothing to show. */
static bool print_pools(void)
{
    tide_arena arena;
    if (tide_arena_open(&arena) != TIDE_OK)
        return false;
    bool served = tide_arena_allocate(&arena, 1, 1) != NULL;
    if (tide_arena_close(&arena) != TIDE_OK || !served)
        return false;
    tide_pool_statistics pools = {.struct_size = sizeof pools};
    if (tide_pool_statistics_get(&pools) != TIDE_OK)
        return false;
    printf("\nthis process, after one arena\n");
    printf("    %-24s%zu\n", "threads", pools.threads);
    printf("    %-24s%zu\n", "cells", pools.cells);
    printf("    %-24s%zu\n", "idle pools", pools.idle_pools);
    printf("    %-24s%zu bytes\n", "idle chunks", pools.cached_chunk_bytes);
    return true;
}

int tide_info_main(int argc, char **argv)
{
    if (argc > 1) {
        fprintf(stderr, "tidepool info: takes no arguments, got '%s'\n", argv[1]);
        return 2;
    }
    print_library();
    print_machine();
    print_knobs();
    if (!print_pools()) {
        fprintf(stderr, "tidepool info: %s\n", tide_last_error_text());
        return 1;
    }
    return 0;
}
