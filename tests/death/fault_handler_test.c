/* SPDX-License-Identifier: Apache-2.0 */
/* How a process ends by its own fault handler, by none, and with TIDEPOOL_FAULTS=abort. */
#include "death.h"

#include <setjmp.h>
#include <stdint.h>

#include <tidepool/tidepool.h>

static uint32_t words[4];
static jmp_buf frame;

static void demand(bool condition)
{
    if (!condition)
        _exit(99);
}

static tide_segment segment_of_words(void)
{
    tide_segment segment = tide_segment_of_address(words);
    demand(tide_segment_resize(&segment, sizeof words, &segment) == TIDE_OK);
    return segment;
}

static void fault(void)
{
    tide_segment segment = segment_of_words();
    tide_set_u32(&segment, 14, 1);
}

/* ------------------------------------------------------------------------------- handlers */

static void return_from(const tide_fault *it)
{
    (void)it;
    fprintf(stderr, "handled and returned\n");
}

static void exit_from(const tide_fault *it)
{
    demand(it->struct_size == sizeof *it && it->status == TIDE_OUT_OF_BOUNDS);
    demand(strcmp(it->operation, "write") == 0);
    demand(strcmp(it->text, tide_last_error_text()) == 0);
    demand(tide_last_error() == TIDE_OUT_OF_BOUNDS);
    fprintf(stderr, "own words: %s\n", it->text);
    exit(42);
}

static void jump_from(const tide_fault *it)
{
    (void)it;
    longjmp(frame, 1);
}

static void fault_twice_from(const tide_fault *it)
{
    (void)it;
    tide_fault_handler_set(exit_from);
    fault();
}

static void a_handler_that_returns(void)
{
    tide_fault_handler_set(return_from);
    fault();
}

static void a_handler_that_exits(void)
{
    tide_fault_handler_set(exit_from);
    fault();
}

static void a_handler_that_jumps(void)
{
    tide_fault_handler_set(jump_from);
    for (volatile int i = 0; i < 1000; i++) {
        if (setjmp(frame) == 0) {
            fault();
            _exit(98);
        }
    }
    demand(words[3] == 0);
    tide_arena arena;
    demand(tide_arena_open(&arena) == TIDE_OK);
    demand(tide_arena_allocate(&arena, 8, 8) != NULL);
    demand(tide_arena_close(&arena) == TIDE_OK);
    fprintf(stderr, "still working\n");
    exit(0);
}

static void a_handler_that_faults_itself(void)
{
    tide_fault_handler_set(fault_twice_from);
    fault();
}

static void the_default_set_back(void)
{
    demand(tide_fault_handler_set(exit_from) == NULL);
    demand(tide_fault_handler_set(NULL) == exit_from);
    fault();
}

static void no_handler_of_its_own(void)
{
    fault();
}

/* ------------------------------------------------------------------------------- knob */

static void a_returned_fault(void)
{
    tide_segment segment = segment_of_words();
    demand(tide_store_u32(&segment, 14, 1) == TIDE_OUT_OF_BOUNDS);
    fprintf(stderr, "returned: %s\n", tide_last_error_text());
    exit(0);
}

static void a_returned_slice(void)
{
    tide_segment segment = segment_of_words();
    demand(tide_segment_slice(&segment, 12, 8, &segment) == TIDE_OUT_OF_BOUNDS);
    exit(0);
}

static void a_second_close(void)
{
    tide_arena arena;
    demand(tide_arena_open(&arena) == TIDE_OK);
    demand(tide_arena_close(&arena) == TIDE_OK);
    demand(tide_arena_close(&arena) == TIDE_CLOSED);
    exit(0);
}

static const char *report_failure(void *context)
{
    return (const char *)context;
}

static void failures_that_are_no_faults(void)
{
    tide_arena arena;
    tide_hold hold;
    demand(tide_arena_open(&arena) == TIDE_OK);
    demand(tide_arena_hold(&arena, &hold) == TIDE_OK);
    demand(tide_arena_close(&arena) == TIDE_BUSY);
    demand(tide_hold_release(&hold) == TIDE_OK);
    volatile size_t huge = (size_t)1 << 62;
    demand(tide_arena_allocate(&arena, huge, 8) == NULL);
    char *block = tide_arena_allocate(&arena, 8, 8);
    demand(block != NULL && tide_arena_extend(&arena, block, 8, 100) == TIDE_EXHAUSTED);
    demand(tide_arena_attach(&arena, report_failure, "failed") == TIDE_OK);
    demand(tide_arena_close(&arena) == TIDE_CLEANUP_FAILED);
    fprintf(stderr, "no fault so far\n");
    exit(0);
}

static void a_returned_fault_with_a_handler_that_exits(void)
{
    tide_fault_handler_set(exit_from);
    tide_segment segment = segment_of_words();
    demand(tide_store_u32(&segment, 14, 1) == TIDE_OUT_OF_BOUNDS);
    exit(0);
}

static void a_returned_fault_with_a_handler_that_returns(void)
{
    tide_fault_handler_set(return_from);
    tide_segment segment = segment_of_words();
    demand(tide_store_u32(&segment, 14, 1) == TIDE_OUT_OF_BOUNDS);
    exit(0);
}

#define WRITE_AT_14 "write of 4 bytes at 14 in a segment of 16 bytes"

/* ------------------------------------------------------------------------------- managers */

static void *plain_allocate(void *context, size_t size, size_t alignment, unsigned request)
{
    (void)context;
    return tide_manager_allocate(tide_manager_system(), size, alignment, request);
}

static tide_status complain_at_free(void *context, void *block, size_t size, size_t alignment)
{
    (void)context;
    demand(tide_manager_free(tide_manager_system(), block, size, alignment) == TIDE_OK);
    return TIDE_INVALID_ARGUMENT;
}

/* What a manager says when all is done comes back: no handler may be called with something changed.
 */
static void a_manager_that_complains_at_the_end(void)
{
    const tide_manager manager = {
        .struct_size = sizeof manager,
        .name = "complaining",
        .allocate = plain_allocate,
        .free = complain_at_free,
    };
    tide_arena arena;
    tide_arena_options options = TIDE_ARENA_OPTIONS_INIT;
    options.manager = &manager;
    demand(tide_arena_open_with(&arena, &options) == TIDE_OK);
    demand(tide_arena_allocate(&arena, 100, 8) != NULL);
    demand(tide_arena_close(&arena) == TIDE_CLEANUP_FAILED && !tide_arena_is_alive(&arena));
    void *block = tide_manager_allocate(&manager, 8, 8, 0);
    void *before = block;
    demand(tide_manager_reallocate(&manager, &block, 8, 1000, 8) == TIDE_INVALID_ARGUMENT);
    demand(block != before && tide_last_error() == TIDE_INVALID_ARGUMENT);
    demand(tide_manager_free(tide_manager_system(), block, 1000, 8) == TIDE_OK);
    fprintf(stderr, "returned both\n");
}

static const death_case cases[] = {
    {.name = "without_a_handler_it_aborts_with_a_line",
     .deed = no_handler_of_its_own,
     .dies = DEATH_BY_ABORT,
     .says = {"tidepool: OUT_OF_BOUNDS: " WRITE_AT_14}},
    {.name = "a_handler_may_exit",
     .deed = a_handler_that_exits,
     .dies = 42,
     .says = {"own words: " WRITE_AT_14},
     .not_says = "tidepool: "},
    {.name = "a_handler_may_jump_out_a_thousand_times",
     .deed = a_handler_that_jumps,
     .dies = 0,
     .says = {"still working"},
     .not_says = "tidepool: "},
    {.name = "a_handler_that_returns_is_followed_by_abort",
     .deed = a_handler_that_returns,
     .dies = DEATH_BY_ABORT,
     .says = {"handled and returned\n"}},
    {.name = "a_handler_may_be_entered_again",
     .deed = a_handler_that_faults_itself,
     .dies = 42,
     .says = {"own words: " WRITE_AT_14}},
    {.name = "null_sets_the_default_back",
     .deed = the_default_set_back,
     .dies = DEATH_BY_ABORT,
     .says = {"tidepool: OUT_OF_BOUNDS: " WRITE_AT_14},
     .not_says = "own words"},
    {.name = "by_default_a_fault_with_a_status_is_returned",
     .deed = a_returned_fault,
     .dies = 0,
     .says = {"returned: " WRITE_AT_14},
     .not_says = "tidepool: "},
    {.name = "faults_return_means_the_same",
     .deed = a_returned_fault,
     .dies = 0,
     .says = {"returned: " WRITE_AT_14},
     .not_says = "tidepool: ",
     .environment = {"TIDEPOOL_FAULTS=return"}},
    {.name = "faults_abort_makes_a_returned_fault_fatal",
     .deed = a_returned_fault,
     .dies = DEATH_BY_ABORT,
     .says = {"tidepool: OUT_OF_BOUNDS: " WRITE_AT_14},
     .not_says = "returned",
     .environment = {"TIDEPOOL_FAULTS=abort"}},
    {.name = "faults_abort_makes_a_bad_slice_fatal",
     .deed = a_returned_slice,
     .dies = DEATH_BY_ABORT,
     .says = {"tidepool: OUT_OF_BOUNDS: slice", "8 bytes at 12", "16 bytes"},
     .environment = {"TIDEPOOL_FAULTS=abort"}},
    {.name = "faults_abort_makes_a_second_close_fatal",
     .deed = a_second_close,
     .dies = DEATH_BY_ABORT,
     .says = {"tidepool: CLOSED: close", "arena"},
     .environment = {"TIDEPOOL_FAULTS=abort"}},
    {.name = "faults_abort_leaves_failures_alone",
     .deed = failures_that_are_no_faults,
     .dies = 0,
     .says = {"no fault so far"},
     .not_says = "tidepool: ",
     .environment = {"TIDEPOOL_FAULTS=abort"}},
    {.name = "faults_abort_leaves_what_a_manager_says_at_the_end_alone",
     .deed = a_manager_that_complains_at_the_end,
     .dies = 0,
     .says = {"returned both"},
     .not_says = "tidepool: ",
     .environment = {"TIDEPOOL_FAULTS=abort"}},
    {.name = "faults_abort_calls_the_programs_handler",
     .deed = a_returned_fault_with_a_handler_that_exits,
     .dies = 42,
     .says = {"own words: " WRITE_AT_14},
     .environment = {"TIDEPOOL_FAULTS=abort"}},
    {.name = "faults_abort_aborts_after_a_handler_that_returns",
     .deed = a_returned_fault_with_a_handler_that_returns,
     .dies = DEATH_BY_ABORT,
     .says = {"handled and returned\n"},
     .environment = {"TIDEPOOL_FAULTS=abort"}},
    {.name = "a_bad_value_warns_with_the_good_ones_and_means_return",
     .deed = a_returned_fault,
     .dies = 0,
     .says = {"TIDEPOOL_FAULTS", "return", "abort", "returned: " WRITE_AT_14},
     .environment = {"TIDEPOOL_FAULTS=sometimes"}},
};

int main(int count, char **arguments)
{
    return death_main(cases, sizeof cases / sizeof cases[0], count, arguments);
}
