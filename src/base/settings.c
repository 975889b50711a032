/* SPDX-License-Identifier: Apache-2.0 */
#include "base/settings.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <tidepool/config.h>

#include "base/checker.h"
#include "base/error.h"
#include "base/os.h"

/* In the order of config.h, which is tide_knob_at()'s. */
enum {
    POOL_SIZE,
    POOL_COUNT,
    POOLING,
    CHUNK_MIN,
    CHUNK_MAX,
    CHUNK_CACHE,
    CHUNK_READY,
    FAULTS,
    EXIT_REPORT,
    RETIRE_BLOCKS,
    RETIRE_BYTES,
    BARRIER,
    KNOB_COUNT
};

/* What a knob may be: a number within bounds or, when `words` is set, one of two words: 0 or 1. */
typedef struct knob_rule {
    const char *name;
    const char *initial;
    const char *good;
    const char *meaning;
    const char *const *words;
    uint64_t least;
    uint64_t most;
    bool power_of_two;
    bool zero_too; /* 0 is good besides what the bounds say */
} knob_rule;

static const char *const off_on[2] = {"off", "on"};
static const char *const return_abort[2] = {"return", "abort"};
static const char *const fences_membarrier[2] = {"fences", "membarrier"};

static const knob_rule rules[KNOB_COUNT] = {
    [POOL_SIZE] = {.name = "TIDEPOOL_POOL_SIZE",
                   .initial = "64",
                   .good = "0, or a power of two from 8 to 1048576",
                   .meaning = "bytes of a thread's pools; 0: no pools; any other size than 64 "
                              "makes every allocation take the slow path",
                   .least = 8,
                   .most = 1048576,
                   .power_of_two = true,
                   .zero_too = true},
    [POOL_COUNT] = {.name = "TIDEPOOL_POOL_COUNT",
                    .initial = "4",
                    .good = "1, 2, 4, 8",
                    .meaning = "idle pools a thread keeps",
                    .least = 1,
                    .most = 8,
                    .power_of_two = true},
    [POOLING] = {.name = "TIDEPOOL_POOLING",
                 .initial = "on",
                 .good = "on, off",
                 .meaning = "off: no pool or chunk is kept ready for the inline path",
                 .words = off_on},
    [CHUNK_MIN] = {.name = "TIDEPOOL_CHUNK_MIN",
                   .initial = "1024",
                   .good = "a power of two from 1024 to TIDEPOOL_CHUNK_MAX",
                   .meaning = "bytes of the smallest chunk",
                   .least = 1024,
                   .most = 1048576,
                   .power_of_two = true},
    [CHUNK_MAX] = {.name = "TIDEPOOL_CHUNK_MAX",
                   .initial = "65536",
                   .good = "a power of two from TIDEPOOL_CHUNK_MIN to 1048576",
                   .meaning = "bytes of the largest chunk",
                   .least = 1024,
                   .most = 1048576,
                   .power_of_two = true},
    [CHUNK_CACHE] = {.name = "TIDEPOOL_CHUNK_CACHE",
                     .initial = "65536",
                     .good = "0 to 67108864",
                     .meaning = "bytes of idle chunks that a thread keeps",
                     .most = 67108864},
    [CHUNK_READY] = {.name = "TIDEPOOL_CHUNK_READY",
                     .initial = "4096",
                     .good = "a power of two from 1024 to 1048576",
                     .meaning = "bytes of the ready chunk at least; no more than CHUNK_MAX and "
                                "CHUNK_CACHE let it have",
                     .least = 1024,
                     .most = 1048576,
                     .power_of_two = true},
    [FAULTS] = {.name = "TIDEPOOL_FAULTS",
                .initial = "return",
                .good = "return, abort",
                .meaning = "abort: a fault that would be returned goes to the handler",
                .words = return_abort},
    [EXIT_REPORT] = {.name = "TIDEPOOL_EXIT_REPORT",
                     .initial = "on",
                     .good = "on, off",
                     .meaning = "name at exit the arenas that ended threads left open",
                     .words = off_on},
    [RETIRE_BLOCKS] = {.name = "TIDEPOOL_RETIRE_BLOCKS",
                       .initial = "1024",
                       .good = "0 to 1048576",
                       .meaning = "closed shared arenas whose memory waits or is kept ready",
                       .most = 1048576},
    [RETIRE_BYTES] = {.name = "TIDEPOOL_RETIRE_BYTES",
                      .initial = "1048576",
                      .good = "0 to 1073741824",
                      .meaning = "bytes of that memory",
                      .most = 1073741824},
    [BARRIER] = {.name = "TIDEPOOL_BARRIER",
                 .initial = "membarrier",
                 .good = "membarrier, fences",
                 .meaning = "fences: readers pay for what closers otherwise ask the kernel for",
                 .words = fences_membarrier},
};

/* What is in force. Written once, under `once`, and read by everybody afterwards. */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct {
    uint64_t value;
    const char *source;
    char text[24];
} in_force[KNOB_COUNT];
tide_settings tide_settings_in_force;
uint32_t tide_settings_known;

/* Decimal digits only: no sign, no blank, no prefix. */
static bool parse_number(const char *text, uint64_t *value)
{
    uint64_t number = 0;
    if (*text == '\0')
        return false;
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9' || __builtin_mul_overflow(number, 10, &number) ||
            __builtin_add_overflow(number, (uint64_t)(*text - '0'), &number))
            return false;
    }
    *value = number;
    return true;
}

static bool parse(const knob_rule *rule, const char *text, uint64_t most, uint64_t *value)
{
    if (rule->words != NULL) {
        *value = strcmp(text, rule->words[1]) == 0;
        return *value == 1 || strcmp(text, rule->words[0]) == 0;
    }
    if (!parse_number(text, value))
        return false;
    if (*value == 0 && rule->zero_too)
        return true;
    return *value >= rule->least && *value <= most &&
           (!rule->power_of_two || (*value & (*value - 1)) == 0);
}

/* The value is shown cut and without control characters: nobody knows where it came from. */
static void warn(const knob_rule *rule, const char *text)
{
    char shown[36];
    size_t length = 0;
    for (; text[length] != '\0' && length < sizeof shown - 4; length++)
        shown[length] = (char)(text[length] >= ' ' && text[length] <= '~' ? text[length] : '?');
    snprintf(shown + length, sizeof shown - length, "%s", text[length] != '\0' ? "..." : "");

    char line[240];
    snprintf(line, sizeof line, "tidepool: %s=\"%s\" cannot be used (good: %s); using %s",
             rule->name, shown, rule->good, rule->initial);
    tide_os_complain(line);
}

static void show(size_t index)
{
    const char *const *words = rules[index].words;
    uint64_t value = in_force[index].value;
    if (words != NULL)
        snprintf(in_force[index].text, sizeof in_force[index].text, "%s", words[value]);
    else
        snprintf(in_force[index].text, sizeof in_force[index].text, "%" PRIu64, value);
}

static void read_knob(size_t index, uint64_t most)
{
    const knob_rule *rule = &rules[index];
    const char *text = tide_os_environment(rule->name);
    in_force[index].source = "environment";
    if (text == NULL || !parse(rule, text, most, &in_force[index].value)) {
        if (text != NULL)
            warn(rule, text);
        parse(rule, rule->initial, rule->most, &in_force[index].value);
        in_force[index].source = "default";
    }
    show(index);
}

/* A ready chunk that no chunk can be, or that the cache may not keep, would never be there. */
static void fit_chunk_ready(void)
{
    uint64_t *ready = &in_force[CHUNK_READY].value;
    while (*ready > rules[CHUNK_READY].least &&
           (*ready > in_force[CHUNK_MAX].value || *ready > in_force[CHUNK_CACHE].value))
        *ready /= 2;
    show(CHUNK_READY);
}

static void read_all(void)
{
    for (size_t index = 0; index < KNOB_COUNT; index++)
        if (index != CHUNK_MIN)
            read_knob(index, rules[index].most);
    /* The default of CHUNK_MIN is the least that CHUNK_MAX can be: where the two contradict each
     * other, CHUNK_MIN was set, and is what is refused. */
    read_knob(CHUNK_MIN, in_force[CHUNK_MAX].value);
    bool watched = tide_checker_watches_memory();
    fit_chunk_ready();
    if (in_force[POOLING].value != 0 && watched) {
        in_force[POOLING].value = 0;
        in_force[POOLING].source = "checker";
        show(POOLING);
    }

    size_t pool_size = in_force[POOL_SIZE].value;
    bool pooling = in_force[POOLING].value != 0;
    tide_settings_in_force = (tide_settings){
        .pool_size = pool_size,
        .pool_count = (uint32_t)in_force[POOL_COUNT].value,
        .pooling = pooling,
        .chunk_min = in_force[CHUNK_MIN].value,
        .chunk_max = in_force[CHUNK_MAX].value,
        .chunk_cache = in_force[CHUNK_CACHE].value,
        .chunk_ready = in_force[CHUNK_READY].value,
        .faults_abort = in_force[FAULTS].value != 0,
        .exit_report = in_force[EXIT_REPORT].value != 0,
        .retire_blocks = in_force[RETIRE_BLOCKS].value,
        .retire_bytes = in_force[RETIRE_BYTES].value,
        .barrier = in_force[BARRIER].value != 0,
        .watched = watched,
        .pools_apart = pool_size != 0 && (watched || pool_size > TIDE_PLAIN_POOL_SIZE),
        .ready = pooling && pool_size == TIDE_PLAIN_POOL_SIZE,
    };
    __atomic_store_n(&tide_settings_known, 1, __ATOMIC_RELEASE);
}

const tide_settings *tide_settings_read(void)
{
    pthread_once(&once, read_all);
    return &tide_settings_in_force;
}

tide_status tide_knob_at(size_t index, tide_knob *knob)
{
    if (knob == NULL)
        return TIDE_ERROR_PLAIN(TIDE_INVALID_ARGUMENT, "knob", TIDE_NO_OBJECT,
                                "the place to fill is NULL");
    if (knob->struct_size != sizeof *knob)
        return TIDE_ERROR(TIDE_INVALID_ARGUMENT, "knob", TIDE_NO_OBJECT,
                          "struct_size is %" PRIu64 ", this library knows %" PRIu64,
                          knob->struct_size, sizeof *knob);
    if (index >= KNOB_COUNT)
        return tide_error_note_end(TIDE_INVALID_ARGUMENT, "knob", TIDE_NO_OBJECT,
                                   "index %" PRIu64 ", there are %" PRIu64 " knobs",
                                   (const uint64_t[TIDE_ERROR_NUMBERS]){index, KNOB_COUNT});
    (void)tide_settings_get();
    *knob = (tide_knob){
        .struct_size = sizeof *knob,
        .name = rules[index].name,
        .value = in_force[index].text,
        .initial = rules[index].initial,
        .source = in_force[index].source,
        .good = rules[index].good,
        .meaning = rules[index].meaning,
    };
    return TIDE_OK;
}

const char *tide_version(void)
{
    return TIDE_VERSION_STRING;
}
