/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TIDEPOOL_TOOLS_BENCH_BENCH_H
#define TIDEPOOL_TOOLS_BENCH_BENCH_H

/* `tidepool bench`: `argv[0]` is "bench", its options follow. Returns the exit status. */
int tide_bench_main(int argc, char **argv);

#endif
