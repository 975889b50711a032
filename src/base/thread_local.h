/* SPDX-License-Identifier: Apache-2.0 */
/* The library's thread-locals: static ones with glibc, which keeps room for them also for a library
 * that is loaded late; the default model with musl, which refuses to load such a library. */
#ifndef TIDEPOOL_BASE_THREAD_LOCAL_H
#define TIDEPOOL_BASE_THREAD_LOCAL_H

#include <stdint.h>

#ifdef __GLIBC__
#define TIDE_THREAD_LOCAL _Thread_local __attribute__((tls_model("initial-exec")))
#else
#define TIDE_THREAD_LOCAL _Thread_local
#endif

#endif
