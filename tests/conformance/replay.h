/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The replayer of arena and segment traces: traces/FORMAT.md says what a line means. It decides
 * nothing: each operation is one call of the public interface, and what the call answers is put
 * beside what the trace expects.
 *
 *     replay.c      one trace: its lines, their fields, expected against got entities.c    the
 *     arenas, segments, holds and cleanups of a trace, by their numbers arguments.c   the arguments
 *     of a line kinds.c       an arena of any kind: one call of the interface for each operation
 *     arenas.c, views.c, scalars.c, bulk.c, elements.c, strings.c, carvers.c, files.c   the
 *     operations outcome.c     status -> kind, and when two outcomes are the same values.c
 *     numbers and bytes as JSON crew.c        the threads
 */
#ifndef REPLAY_H
#define REPLAY_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tidepool/tidepool.h>

#include "crew.h"

/* Entities by their numbers; a number is used once. */
typedef struct replay_table {
    const char *noun;
    void **entries; /* malloc'ed each, NULL where there is none */
    size_t count;
} replay_table;

typedef enum replay_kind { CONFINED, SHARED, COUNTED, GLOBAL } replay_kind;

/* An arena, and what its cleanups did so far, in the order in which they did it. */
typedef struct replay_arena {
    replay_kind kind;
    tide_arena arena;         /* CONFINED */
    tide_shared_arena shared; /* every other kind */
    unsigned opener;          /* the thread that opened it */
    bool open;                /* opened and not closed, by the statuses that came back */
    bool has_segment;
    tide_segment segment; /* the first that it gave, without those of no bytes */
    json_t *ran;
    json_t *failed;
    json_t *saw;
    json_t *tried;
} replay_arena;

typedef struct replay_hold {
    tide_hold hold;
    replay_arena *arena;
    unsigned thread;
} replay_hold;

/* A zero-length allocation must be unlike every other live one. */
typedef struct replay_allocation {
    const replay_arena *arena;
    const void *address;
} replay_allocation;

typedef struct replay_trace {
    const char *file;
    size_t line;
    unsigned thread;   /* of the operation being carried out */
    tide_owner target; /* the token of the thread that it asks about */
    bool failed;       /* something was printed */
    bool stopped;      /* the rest of the trace can't be replayed */
    char problem[200]; /* why the operation can't be carried out; empty: it can */
    replay_table arenas;
    replay_table segments;
    replay_table cleanups;
    replay_table holds;
    replay_table carvers;
    replay_table files;
    replay_allocation *allocations;
    size_t allocation_count;
    size_t allocation_room;
    replay_crew crew;
} replay_trace;

/* An operation of the format. It runs on the thread of its line and returns the outcome, or NULL
 * with a problem noted. */
typedef json_t *replay_run(replay_trace *replay, const json_t *line);

typedef struct replay_operation {
    const char *name;
    const char *fields; /* separated by blanks; "?" behind those that may be missing */
    replay_run *run;    /* NULL: the library doesn't have it yet */
} replay_operation;

/* The operation of that name, or NULL. */
const replay_operation *replay_operation_find(const char *name);

/* Replays one file, prints what is wrong with it, adds the lines compared. Whether all was right.
 */
bool replay_file(const char *file, size_t *lines_compared);

/* Notes why the line can't be carried out; the first note of a line stays. */
void replay_problem(replay_trace *replay, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static inline bool replay_has_problem(const replay_trace *replay)
{
    return replay->problem[0] != '\0';
}

/* Memory of the replayer's own; ends the process when there is none. */
void *replay_memory(size_t size);
void *replay_memory_grow(void *block, size_t size);

/* entities.c: lookups note a problem and return NULL when there is no such entity. */
void *replay_table_find(replay_trace *replay, const replay_table *table, const json_t *number);
/* Whether `number` may name a new entity: unused, or null where `null_is_fine`. */
bool replay_table_is_new(replay_trace *replay, const replay_table *table, const json_t *number,
                         bool null_is_fine);
/* Takes the entry over; for null, frees it. */
void replay_table_put(replay_table *table, const json_t *number, void *entry);
void replay_allocation_add(replay_trace *replay, const replay_arena *arena, const void *address);
bool replay_allocation_is_new(const replay_trace *replay, const void *address);
void replay_allocations_drop(replay_trace *replay, const replay_arena *arena);
void replay_entities_begin(replay_trace *replay);
/* Ends all holds and closes all arenas that the trace left, and frees everything. How many arenas
 * there were to close. */
size_t replay_entities_end(replay_trace *replay);

/* arguments.c: each notes a problem, and returns something harmless, for what is not as the format
 * says. */
const json_t *argument_any(replay_trace *replay, const json_t *line, const char *name);
const char *argument_text(replay_trace *replay, const json_t *line, const char *name);
bool argument_bool(replay_trace *replay, const json_t *line, const char *name);
bool argument_flag(replay_trace *replay, const json_t *line, const char *name); /* missing: false */
size_t argument_size(replay_trace *replay, const json_t *line, const char *name);
uint8_t argument_byte(replay_trace *replay, const json_t *line, const char *name);
uint64_t argument_bits(replay_trace *replay, const json_t *line, const char *name, unsigned digits);
tide_layout argument_layout(replay_trace *replay, const json_t *line);
replay_arena *argument_arena(replay_trace *replay, const json_t *line);
/* NULL without a problem for null. */
const tide_segment *argument_segment(replay_trace *replay, const json_t *line, const char *name);
/* Whether the line names a new segment by `name`, or null. */
bool argument_is_new_segment(replay_trace *replay, const json_t *line, const char *name);

/* kinds.c */
tide_status kind_open(replay_arena *arena);
tide_status kind_close(replay_arena *arena);
bool kind_is_alive(const replay_arena *arena);
tide_status kind_segment(replay_arena *arena, size_t size, size_t alignment, tide_segment *segment);
tide_status kind_attach(replay_arena *arena, tide_cleanup cleanup, void *context);
tide_status kind_hold(replay_arena *arena, tide_hold *hold);
tide_status kind_attach_segment(replay_arena *arena, const tide_segment *segment, size_t size,
                                tide_cleanup cleanup, void *context, tide_segment *attached);
tide_status kind_array(replay_arena *arena, tide_layout layout, size_t size, const void *elements,
                       size_t count, tide_segment *segment);
tide_status kind_text(replay_arena *arena, const char *text, size_t length, tide_charset charset,
                      tide_segment *segment);
tide_status kind_map(replay_arena *arena, int descriptor, tide_map_mode mode, size_t offset,
                     size_t size, tide_segment *segment);

/* scalars.c: the types, by the name in a field. */
typedef struct scalar_type scalar_type;
const scalar_type *argument_type_named(replay_trace *replay, const json_t *line, const char *field);
size_t scalar_type_size(const scalar_type *type);
/* An element of an array in native order, at `at`, from JSON or as JSON. */
void scalar_parse_element(replay_trace *replay, const scalar_type *type, const json_t *value,
                          void *at);
json_t *scalar_print_element(const scalar_type *type, const void *at);
tide_layout argument_order_named(replay_trace *replay, const json_t *line, const char *name);

/* views.c: also the bytes that lie in a new segment. */
json_t *outcome_of_new_segment(replay_trace *replay, tide_status status,
                               const tide_segment *segment, const json_t *number);

/* The operations. */
replay_run operation_open, operation_close, operation_alive, operation_cleanup, operation_hold,
    operation_unhold, operation_alloc;
replay_run operation_of_address, operation_slice, operation_read_only, operation_reinterpret,
    operation_info, operation_overlap, operation_segment_equal, operation_scope_equal,
    operation_is_accessible_by;
replay_run operation_get, operation_set, operation_get_at_index, operation_set_at_index;
replay_run operation_read, operation_write, operation_hash, operation_fill, operation_copy,
    operation_mismatch;
replay_run operation_alloc_from_array, operation_elements, operation_to_array,
    operation_copy_elements;
replay_run operation_alloc_from_string, operation_get_string, operation_set_string;
replay_run operation_slicing_allocator, operation_prefix_allocator, operation_carver_alloc;
replay_run operation_file, operation_map, operation_force, operation_file_hash;
void replay_files_end(replay_trace *replay);

/* views.c: a result that is a segment: its size, and its place in the table. */
json_t *outcome_of_segment(replay_trace *replay, tide_status status, const tide_segment *segment,
                           const json_t *number);

/* arenas.c: a cleanup of `arena` as the line describes it: under the number of its field
 * `number_name`. NULL with a problem noted. */
struct replay_cleanup *replay_cleanup_new(replay_trace *replay, const json_t *line,
                                          replay_arena *arena, const char *number_name);
const char *replay_cleanup_run(void *context);

/* Makes the must-use of a status explicit where nothing depends on it. */
static inline void replay_ignore(tide_status status)
{
    (void)status;
}

#endif
