/* SPDX-License-Identifier: Apache-2.0 */
/* The one definition of each inline function that the library exports: for function pointers, for
 * dlsym, and for languages that can't read headers. */
#define TIDE_BUILD_EXPORTS 1

#include <tidepool/tidepool.h>
