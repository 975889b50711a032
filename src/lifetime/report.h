/* SPDX-License-Identifier: Apache-2.0 */
/* What became of the arenas: figures, and the report at exit. */
#ifndef TIDEPOOL_LIFETIME_REPORT_H
#define TIDEPOOL_LIFETIME_REPORT_H

/* Names on stderr the arenas that ended threads left open, if there are any. What a process was
 * born with by fork() is its parent's to report. */
void tide_report_at_exit(void);

#endif
