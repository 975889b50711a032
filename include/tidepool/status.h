/* SPDX-License-Identifier: Apache-2.0 */
/**
 * tide_status: what a call reports.
 *
 * A *failure* can happen to a correct program: memory runs out, an arena is held. A *fault* means
 * that the program is wrong: an offset outside its segment, a closed arena. A function that can
 * return a status returns both kinds, and when it fails it leaves its outputs and the object
 * untouched. A function that cannot (a scalar read, an allocation that returns a pointer) reports
 * a failure as NULL and hands a fault to the fault handler; see fault.h.
 *
 *     tide_segment part;
 *     if (tide_segment_slice(&whole, offset, 16, &part) != TIDE_OK)
 *         fprintf(stderr, "%s\n", tide_last_error_text());
 *
 * A failing call leaves its status, operation and numbers in the calling thread's *last error*; a
 * successful call leaves the last error alone. The text is made only when it is asked for, so a
 * refusal in a try-and-evict loop costs a few stores.
 *
 * Threads: each thread has its own last error; every function here may be called from any thread.
 */
#ifndef TIDEPOOL_STATUS_H
#define TIDEPOOL_STATUS_H

#include "detail/platform.h"

TIDE_BEGIN_DECLS

/** Everything a call can report. The values are part of the ABI and never change. */
typedef enum tide_status {
    TIDE_OK = 0,               /**< done */
    TIDE_INVALID_ARGUMENT = 1, /**< fault: an argument no call could accept */
    TIDE_OUT_OF_BOUNDS = 2,    /**< fault: offset, length, count or index outside the segment */
    TIDE_MISALIGNED = 3,       /**< fault: the address does not meet the alignment */
    TIDE_READ_ONLY = 4,        /**< fault: a write through a read-only segment */
    TIDE_WRONG_OWNER = 5,      /**< fault: a confined arena used by another owner */
    TIDE_CLOSED = 6,           /**< fault: the arena was closed */
    TIDE_BUSY = 7,             /**< failure: held; the object stays open and usable */
    TIDE_OUT_OF_MEMORY = 8,    /**< failure: no memory to be had; nothing changed */
    TIDE_LIMIT_EXCEEDED = 9,   /**< failure: a budget refused */
    TIDE_EXHAUSTED = 10,       /**< failure: a count or a fixed region is full */
    TIDE_LEAKED = 11,          /**< failure: closed while memory of it was still in use */
    TIDE_CLEANUP_FAILED = 12,  /**< failure: closed, but a cleanup reported a failure */
    TIDE_DIFFERENT_ROOT = 13,  /**< fault: the two objects belong to different trees */
    TIDE_UNSUPPORTED = 14,     /**< fault: this kind of object has no such operation */
    TIDE_UNAVAILABLE = 15,     /**< failure: not on this machine, or not installed */
    TIDE_IO = 16,              /**< failure: the system refused a file operation */
    TIDE_VETOED = 17           /**< failure: a listener said no */
} tide_status;

/** How many statuses there are; they are numbered from 0 without gaps. */
#define TIDE_STATUS_COUNT 18

/** The name without its prefix, such as "OUT_OF_BOUNDS"; "UNKNOWN" for any other number. */
TIDE_API const char *tide_status_name(tide_status status);

/** Whether the status means that the program is wrong (true) or that it was refused (false). */
TIDE_API bool tide_status_is_fault(tide_status status);

/** The status of this thread's newest failing call; TIDE_OK when none has failed yet. */
TIDE_API tide_status tide_last_error(void);

/**
 * One sentence on this thread's newest failing call: operation, object, numbers and both sides of
 * the rule ("slice: 16 bytes at 60 of a segment of 64 bytes"). Good until this thread's next
 * failure; the empty string when none has failed yet. Never NULL: a thread that asks for its first
 * sentence when there is no memory for one may get the rule or the status alone.
 */
TIDE_API const char *tide_last_error_text(void);

TIDE_END_DECLS

#endif
