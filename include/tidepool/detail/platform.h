/* SPDX-License-Identifier: Apache-2.0 */
/* What the public headers need of compiler and platform. Nothing here is for programs to call. */
#ifndef TIDEPOOL_DETAIL_PLATFORM_H
#define TIDEPOOL_DETAIL_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define TIDE_BEGIN_DECLS extern "C" {
#define TIDE_END_DECLS   }
#else
#define TIDE_BEGIN_DECLS
#define TIDE_END_DECLS
#endif

#define TIDE_API      __attribute__((visibility("default")))
#define TIDE_MUST_USE __attribute__((warn_unused_result))
#define TIDE_COLD     __attribute__((cold, noinline))
#define TIDE_SLOW     __attribute__((noinline)) /* off the inlined path, yet not rare */
#define TIDE_PRINTF(format_index, first_index) \
    __attribute__((format(printf, format_index, first_index)))
#define TIDE_LIKELY(condition)   __builtin_expect(!!(condition), 1)
#define TIDE_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

/*
 * Functions marked TIDE_INLINE have one definition that serves in three ways:
 *   - by default it is inlined into the program (the fast way);
 *   - the library also exports each under the same name, for function pointers, dlsym and other
 *     languages (TIDE_BUILD_EXPORTS, set by the one source file that makes them);
 *   - a program that defines TIDE_NO_INLINE sees prototypes only and calls the exported ones.
 */
#if defined(TIDE_BUILD_EXPORTS)
#define TIDE_INLINE TIDE_API
#elif defined(TIDE_NO_INLINE)
#define TIDE_INLINE TIDE_API
#else
#define TIDE_INLINE static inline __attribute__((always_inline, unused))
#endif

/*
 * Stands behind the prototype of an inline function of an arena. A program that inlines them refers
 * to tide_thread_layout2_ (layout.h); one that calls them refers to each under a second name, which
 * names the layout as well: a library with another layout has neither, and the loader refuses it.
 */
#if defined(TIDE_NO_INLINE) && !defined(TIDE_BUILD_EXPORTS)
#define TIDE_OF_LAYOUT_(name) __asm__(TIDE_QUOTED_(name##_layout2_))
#define TIDE_QUOTED_(name)    #name
#else
#define TIDE_OF_LAYOUT_(name)
#endif

/* Helpers of the inline functions: never exported. */
#define TIDE_HELPER static inline __attribute__((always_inline, unused))

#endif
