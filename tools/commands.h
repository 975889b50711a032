/* SPDX-License-Identifier: Apache-2.0 */
/* The commands of `tidepool`. Each gets its own arguments, its name first, and returns the exit
 * status of the process: 0 done, 1 could not be done, 2 wrong usage. */
#ifndef TIDEPOOL_TOOLS_COMMANDS_H
#define TIDEPOOL_TOOLS_COMMANDS_H

int tide_info_main(int argc, char **argv);

/* In tools/bench/; only with TIDEPOOL_HAVE_BENCH. */
int tide_bench_main(int argc, char **argv);

#endif
