/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The façade for AddressSanitizer, valgrind and ThreadSanitizer: what they must be told of memory
 * that the library hands out, takes back and keeps. Found at run time: a library built without a
 * sanitizer serves a program built with one. Every call does nothing when no checker is there.
 */
#ifndef TIDEPOOL_BASE_CHECKER_H
#define TIDEPOOL_BASE_CHECKER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/settings.h"

/* Whether something watches memory, so that every allocation must go through the slow path. Asks
 * anew each time: tide_settings_get()->watched remembers. */
bool tide_checker_watches_memory(void);

void tide_checker_tell_forbidden(const void *address, size_t size);
void tide_checker_tell_defined(const void *address, size_t size);
void tide_checker_tell_undefined(const void *address, size_t size);

/* Nobody may touch the range: idle, or a red zone. */
static inline void tide_checker_forbid(const void *address, size_t size)
{
    if (tide_settings_get()->watched)
        tide_checker_tell_forbidden(address, size);
}

/* The range may be read and written; its content is known, or is not. */
static inline void tide_checker_allow_defined(const void *address, size_t size)
{
    if (tide_settings_get()->watched)
        tide_checker_tell_defined(address, size);
}

static inline void tide_checker_allow_undefined(const void *address, size_t size)
{
    if (tide_settings_get()->watched)
        tide_checker_tell_undefined(address, size);
}

/* What one thread did before release is seen by the one that acquires the same address. */
void tide_checker_release(const void *address);
void tide_checker_acquire(const void *address);

#endif
