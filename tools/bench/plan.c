/* SPDX-License-Identifier: Apache-2.0 */
#include "plan.h"

#include <stdlib.h>
#include <string.h>

static const char *const scratch_cases[] = {
    "0",           "5",           "20",           "64",         "65",          "100",
    "200",         "451",         "500",          "1000",       "2000",        "4096",
    "8000",        "65536",       "5-uninit",     "20-uninit",  "64-uninit",   "65-uninit",
    "100-uninit",  "200-uninit",  "451-uninit",   "500-uninit", "1000-uninit", "2000-uninit",
    "4096-uninit", "8000-uninit", "65536-uninit", NULL};
static const char *const nested_cases[] = {"5x4", NULL};
static const char *const strlen_cases[] = {"5", "20", "100", "451", NULL};
static const char *const access_cases[] = {"sequential", "random", NULL};

enum { SCRATCH = 1u << 0, NESTED = 1u << 1, STRLEN = 1u << 2, ACCESS = 1u << 3 };
enum { LIFETIMES = SCRATCH | NESTED | STRLEN };

const bench_plan bench_plans[] = {
    {"scratch", "open + allocate + close, by bytes", scratch_cases},
    {"nested", "five nested lifetimes of four longs each", nested_cases},
    {"strlen", "copy a string of so many bytes, measure it, release", strlen_cases},
    {"access", "read one 32-bit integer of 16 KiB", access_cases},
};
const size_t bench_plan_count = sizeof bench_plans / sizeof bench_plans[0];

const bench_contender bench_contenders[] = {
    {"tidepool", BENCH_GLIBC, "tidepool", BENCH_OTHER, LIFETIMES | ACCESS},
    {"tidepool-exported", BENCH_GLIBC, "tidepool-exported", BENCH_OTHER, LIFETIMES},
    {"glibc-malloc", BENCH_GLIBC, "malloc", BENCH_MALLOC, LIFETIMES},
    {"glibc-calloc", BENCH_GLIBC, "calloc", BENCH_CALLOC, LIFETIMES},
    {"mimalloc", BENCH_MIMALLOC, "malloc", BENCH_MALLOC, LIFETIMES},
    {"mimalloc-calloc", BENCH_MIMALLOC, "calloc", BENCH_CALLOC, LIFETIMES},
    {"jemalloc", BENCH_JEMALLOC, "malloc", BENCH_MALLOC, LIFETIMES},
    {"jemalloc-calloc", BENCH_JEMALLOC, "calloc", BENCH_CALLOC, LIFETIMES},
    {"tcmalloc", BENCH_TCMALLOC, "malloc", BENCH_MALLOC, LIFETIMES},
    {"tcmalloc-calloc", BENCH_TCMALLOC, "calloc", BENCH_CALLOC, LIFETIMES},
    {"obstack", BENCH_GLIBC, "obstack", BENCH_OTHER, LIFETIMES},
    {"talloc", BENCH_GLIBC, "talloc", BENCH_OTHER, LIFETIMES},
    {"apr", BENCH_GLIBC, "apr", BENCH_OTHER, LIFETIMES},
    {"pmr", BENCH_GLIBC, "pmr", BENCH_OTHER, LIFETIMES},
    {"bespoke-pool", BENCH_GLIBC, "bespoke-pool", BENCH_OTHER, LIFETIMES},
    {"bespoke-clearing", BENCH_GLIBC, "bespoke-clearing", BENCH_OTHER, LIFETIMES},
    {"memset", BENCH_GLIBC, "memset", BENCH_OTHER, SCRATCH},
    {"raw", BENCH_GLIBC, "raw", BENCH_OTHER, ACCESS},
};
const size_t bench_contender_count = sizeof bench_contenders / sizeof bench_contenders[0];

const bench_plan *bench_plan_find(const char *name, size_t length)
{
    for (size_t i = 0; i < bench_plan_count; i++)
        if (strlen(bench_plans[i].name) == length &&
            strncmp(bench_plans[i].name, name, length) == 0)
            return &bench_plans[i];
    return NULL;
}

bool bench_case_is_uninitialized(const char *name)
{
    return strstr(name, "-uninit") != NULL;
}

/* memset shows what clearing alone costs: nothing where nothing is cleared. */
static bool takes_part(const bench_contender *contender, size_t plan, const char *name)
{
    if ((contender->benches & 1u << plan) == 0)
        return false;
    if (strcmp(contender->name, "memset") != 0)
        return true;
    return !bench_case_is_uninitialized(name) && strcmp(name, "0") != 0;
}

/* Fills `rows` if it is not NULL; returns how many there are. */
static size_t list_rows(unsigned wanted, bench_row *rows)
{
    size_t count = 0;
    for (size_t plan = 0; plan < bench_plan_count; plan++) {
        if ((wanted & 1u << plan) == 0)
            continue;
        for (const char *const *name = bench_plans[plan].cases; *name != NULL; name++)
            for (size_t i = 0; i < bench_contender_count; i++) {
                if (!takes_part(&bench_contenders[i], plan, *name))
                    continue;
                if (rows != NULL) {
                    rows[count].plan = &bench_plans[plan];
                    rows[count].name = *name;
                    rows[count].contender = &bench_contenders[i];
                }
                count++;
            }
    }
    return count;
}

bool bench_rows_make(bench_rows *rows, unsigned wanted)
{
    rows->count = list_rows(wanted, NULL);
    rows->row = calloc(rows->count + 1, sizeof rows->row[0]);
    if (rows->row == NULL)
        return false;
    list_rows(wanted, rows->row);
    return true;
}

void bench_rows_free(bench_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++)
        free(rows->row[i].samples);
    free(rows->row);
    rows->row = NULL;
    rows->count = 0;
}

const bench_row *bench_rows_find(const bench_rows *rows, const char *bench, const char *name,
                                 const char *contender)
{
    for (size_t i = 0; i < rows->count; i++)
        if (strcmp(rows->row[i].plan->name, bench) == 0 && strcmp(rows->row[i].name, name) == 0 &&
            strcmp(rows->row[i].contender->name, contender) == 0)
            return &rows->row[i];
    return NULL;
}
