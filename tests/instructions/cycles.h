/* SPDX-License-Identifier: Apache-2.0 */
/* The loops whose instructions are counted. Each runs `count` times: open, allocate 8 bytes, close.
 */
#ifndef TIDEPOOL_TESTS_CYCLES_H
#define TIDEPOOL_TESTS_CYCLES_H

#include <stddef.h>

void tide_cycle_loop_alone(size_t count); /* what the loops themselves take */
void tide_cycle_inline(size_t count);
void tide_cycle_nothing(size_t count); /* open and close, nothing allocated */
void tide_cycle_exported(size_t count);
void tide_cycle_open_allocate(size_t count); /* exported, open and allocate in one call */

/* The address of a thing on the stack escapes, and memory is as it must be for whoever has it. */
static inline void tide_cycle_escape(void *address)
{
    __asm__ volatile("" : : "r"(address) : "memory");
}

#endif
