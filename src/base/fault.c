/* SPDX-License-Identifier: Apache-2.0 */
#include <tidepool/fault.h>

#include <stdlib.h>

#include "base/error.h"
#include "base/error_text.h"
#include "base/lock.h"
#include "base/os.h"

/* NULL: complain(). Released by the setter and acquired by the thread that faults, so that a
 * handler finds what its program prepared before it was set. */
static tide_fault_handler handler;

static void complain(const tide_fault *fault)
{
    char line[400];
    snprintf(line, sizeof line, "tidepool: %s: %s", tide_status_name(fault->status), fault->text);
    tide_os_complain(line);
}

tide_fault_handler tide_fault_handler_set(tide_fault_handler replacement)
{
    return __atomic_exchange_n(&handler, replacement, __ATOMIC_ACQ_REL);
}

/* The text is the fault's own copy: the handler may fail itself, and ask what it was. */
_Noreturn void tide_fault_raise(void)
{
    char text[TIDE_ERROR_TEXT_BYTES]; /* and so the sentence is whole also without memory */
    const tide_fault fault = {
        .struct_size = sizeof fault,
        .status = tide_last_error(),
        .operation = tide_last_error_operation(),
        .text = tide_error_text_for_fault(text),
    };
    tide_assert_unlocked();
    tide_fault_handler chosen = __atomic_load_n(&handler, __ATOMIC_ACQUIRE);
    (chosen != NULL ? chosen : complain)(&fault);
    abort();
}
