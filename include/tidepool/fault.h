/* SPDX-License-Identifier: Apache-2.0 */
/**
 * tide_fault: what happens when the program is wrong and the call has no status to return.
 *
 * The fault handler is called on the faulting thread. By default it writes one line to stderr that
 * names operation, object, numbers and both sides of the rule, and aborts:
 *
 *     tidepool: OUT_OF_BOUNDS: read of 4 bytes at 62 in a segment of 64 bytes (segment at 0x5581…)
 *
 * A handler of the program's own may exit, abort or longjmp away: it is called with no lock held
 * and nothing changed. If it returns, the library aborts.
 *
 *     static void on_fault(const tide_fault *fault)
 *     {
 *         log_error("%s", fault->text);
 *         longjmp(request_frame, 1);
 *     }
 *     ...
 *     tide_fault_handler_set(on_fault);
 *
 * With TIDEPOOL_FAULTS=abort in the environment a fault that a call would have returned as a status
 * goes to the handler on the spot as well, which is useful for finding code that ignores them.
 *
 * Threads: the handler is process-wide and set atomically; it may run on several threads at once.
 */
#ifndef TIDEPOOL_FAULT_H
#define TIDEPOOL_FAULT_H

#include "status.h"

TIDE_BEGIN_DECLS

/** One fault. Good until the handler returns or leaves. */
typedef struct tide_fault {
    size_t struct_size;    /**< sizeof(tide_fault) of the library: later releases only append */
    tide_status status;    /**< for which tide_status_is_fault() is true */
    const char *operation; /**< a string that never goes away, such as "read" */
    const char *text;      /**< the sentence of tide_last_error_text() */
} tide_fault;

/** Called on the faulting thread; must not return (if it does, the library aborts). */
typedef void (*tide_fault_handler)(const tide_fault *fault);

/**
 * Makes `handler` the process's fault handler and returns the one before; NULL, as argument or
 * result, is the default one (a line on stderr, then abort). Never fails.
 */
TIDE_API tide_fault_handler tide_fault_handler_set(tide_fault_handler handler);

TIDE_END_DECLS

#endif
