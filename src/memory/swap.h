/* SPDX-License-Identifier: Apache-2.0 */
/* Elements copied from one byte order to the other. */
#ifndef TIDEPOOL_MEMORY_SWAP_H
#define TIDEPOOL_MEMORY_SWAP_H

#include <stddef.h>

/* Copies `size` bytes, a multiple of `element_size`, as if through a temporary however the two
 * ranges overlap, and reverses the bytes of each element of 2, 4 or 8 bytes; one of 1 byte has
 * nothing to reverse. No range needs an alignment; an empty one needs no address. */
void tide_bytes_copy_swapped(void *to, const void *from, size_t size, size_t element_size);

#endif
