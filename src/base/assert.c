/* SPDX-License-Identifier: Apache-2.0 */
#include "base/assert.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/os.h"

_Noreturn void tide_assertion_failed(const char *condition)
{
    char line[200];
    snprintf(line, sizeof line, "tidepool: does not hold: %s", condition);
    tide_os_complain(line);
    abort();
}
