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

/* Whether something watches memory, so that every allocation must go through the slow path. */
bool tide_checker_watches_memory(void);

/* Nobody may touch the range: idle, or a red zone. */
void tide_checker_forbid(const void *address, size_t size);

/* The range may be read and written; its content is known, or is not. */
void tide_checker_allow_defined(const void *address, size_t size);
void tide_checker_allow_undefined(const void *address, size_t size);

/* What one thread did before release is seen by the one that acquires the same address. */
void tide_checker_release(const void *address);
void tide_checker_acquire(const void *address);

#endif
