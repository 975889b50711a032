/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fibers over ucontext, with the owner token switched as owner.h says. Switching is inline on
 * purpose: a fiber's body, the fast path of the library and the switch end up in one function,
 * which is where a compiler could keep the address of a thread-local over the switch.
 */
#ifndef TIDEPOOL_TESTS_STRESS_FIBER_H
#define TIDEPOOL_TESTS_STRESS_FIBER_H

#include <stdlib.h>
#include <ucontext.h>

#include "support.h"

#if STRESS_TSAN
#include <sanitizer/tsan_interface.h>
#endif
#if STRESS_ASAN
#include <sanitizer/common_interface_defs.h>
#endif
#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#else
#define VALGRIND_STACK_REGISTER(start, end) 0u
#define VALGRIND_STACK_DEREGISTER(id)       (void)(id)
#endif

#define FIBER_STACK ((size_t)256 * 1024)

typedef struct fiber {
    ucontext_t context;
    ucontext_t caller; /* of the thread that runs it now */
    void (*body)(struct fiber *self);
    void *argument;
    tide_owner owner;
    bool done;
    char *stack;
    unsigned stack_id;
    /* for the checkers: what they know of this stack and of the caller's */
    void *tsan_self, *tsan_caller;
    void *asan_self, *asan_caller;
    const void *asan_caller_stack;
    size_t asan_caller_size;
} fiber;

static inline __attribute__((always_inline)) void fiber_leave_(fiber *self, bool for_ever)
{
    (void)for_ever;
#if STRESS_TSAN
    __tsan_switch_to_fiber(self->tsan_caller, 0);
#endif
#if STRESS_ASAN
    __sanitizer_start_switch_fiber(for_ever ? NULL : &self->asan_self, self->asan_caller_stack,
                                   self->asan_caller_size);
#endif
    swapcontext(&self->context, &self->caller);
#if STRESS_ASAN
    __sanitizer_finish_switch_fiber(self->asan_self, &self->asan_caller_stack,
                                    &self->asan_caller_size);
#endif
}

/* Gives the thread back; returns when some thread resumes the fiber. */
static inline __attribute__((always_inline)) void fiber_yield(fiber *self)
{
    fiber_leave_(self, false);
}

static inline void fiber_start_(unsigned high, unsigned low)
{
    fiber *self = (fiber *)(uintptr_t)((uint64_t)high << 32 | low);
#if STRESS_ASAN
    __sanitizer_finish_switch_fiber(NULL, &self->asan_caller_stack, &self->asan_caller_size);
#endif
    self->body(self);
    self->done = true;
    fiber_leave_(self, true);
    abort(); /* a fiber that is done is not resumed */
}

static inline fiber *fiber_new(void (*body)(fiber *self), void *argument)
{
    fiber *self = calloc(1, sizeof *self);
    CHECK(self != NULL);
    self->stack = malloc(FIBER_STACK);
    CHECK(self->stack != NULL && getcontext(&self->context) == 0);
    self->body = body;
    self->argument = argument;
    self->owner = tide_owner_new();
    self->stack_id = VALGRIND_STACK_REGISTER(self->stack, self->stack + FIBER_STACK);
#if STRESS_TSAN
    self->tsan_self = __tsan_create_fiber(0);
#endif
    self->context.uc_stack.ss_sp = self->stack;
    self->context.uc_stack.ss_size = FIBER_STACK;
    self->context.uc_link = NULL;
    uint64_t address = (uintptr_t)self;
    makecontext(&self->context, (void (*)(void))fiber_start_, 2, (unsigned)(address >> 32),
                (unsigned)address);
    return self;
}

/* Runs the fiber on the calling thread, under its own token, until it yields or is done. */
static inline void fiber_resume(fiber *self)
{
    tide_owner before = tide_owner_set(self->owner);
    CHECK(before != 0);
#if STRESS_TSAN
    self->tsan_caller = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(self->tsan_self, 0);
#endif
#if STRESS_ASAN
    __sanitizer_start_switch_fiber(&self->asan_caller, self->stack, FIBER_STACK);
#endif
    swapcontext(&self->caller, &self->context);
#if STRESS_ASAN
    __sanitizer_finish_switch_fiber(self->asan_caller, NULL, NULL);
#endif
    CHECK(tide_owner_set(before) == self->owner);
}

static inline void fiber_delete(fiber *self)
{
    CHECK(self->done);
#if STRESS_TSAN
    __tsan_destroy_fiber(self->tsan_self);
#endif
    VALGRIND_STACK_DEREGISTER(self->stack_id);
    free(self->stack);
    free(self);
}

#endif
