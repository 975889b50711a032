/* SPDX-License-Identifier: Apache-2.0 */
/* tide-replay FILE...: replays recorded traces against the library. A trace is one case; each
 * mismatch is a line, and the last line counts. Exit status 0 when no trace failed. */
#include <stdio.h>

#include "replay.h"

int main(int argument_count, char **arguments)
{
    if (argument_count < 2) {
        fputs("usage: tide-replay FILE...\n", stderr);
        return 2;
    }
    size_t passed = 0;
    size_t failed = 0;
    size_t lines_compared = 0;
    for (int i = 1; i < argument_count; i++) {
        if (replay_file(arguments[i], &lines_compared))
            passed++;
        else
            failed++;
    }
    printf("%zu passed, %zu failed, %zu lines compared\n", passed, failed, lines_compared);
    return failed == 0 ? 0 : 1;
}
