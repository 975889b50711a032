/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The constant of detail/layout.h that is none. Programs see it as one and may copy it into their own
 * memory before it has its value, so here it is a variable, defined where no header that says
 * otherwise is included, and written through the table that leads to the program's copy.
 */
#include <stdint.h>

#if defined(__GLIBC__) && defined(__x86_64__) && defined(__LP64__)

extern uint64_t tide_thread_offset_layout1_;
__attribute__((visibility("default"))) uint64_t tide_thread_offset_layout1_;

/* Before every constructor that can use an arena: a library's run before those of what needs it, and
 * among one program's the lower number runs first. */
__attribute__((constructor(101))) static void find_offset(void)
{
    __asm__("movq tide_thread_layout1_@gottpoff(%%rip), %0" : "=r"(tide_thread_offset_layout1_));
}

#endif
