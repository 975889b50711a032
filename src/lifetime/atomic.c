/* SPDX-License-Identifier: Apache-2.0 */
/* The slow path of atomic access: says what is wrong, in the order of the contract, or makes the
 * operation where the inline path can't begin a read section. */
#include <tidepool/atomic.h>

#include "lifetime/check.h"
#include "lifetime/grace.h"

/* By TIDE_ATOMIC_…_. */
static const char *const operations[] = {"atomic read",      "atomic write", "exchange",
                                         "compare-exchange", "fetch-add",    "fetch-and",
                                         "fetch-or",         "fetch-xor"};

static tide_status check(const tide_segment *segment, size_t offset, size_t size,
                         unsigned operation, const uint64_t *found)
{
    const char *name = operations[operation];
    TIDE_TRY(tide_check_segment(segment, name));
    TIDE_TRY(tide_check_place(segment, found, name));
    if (operation != TIDE_ATOMIC_GET_)
        TIDE_TRY(tide_check_writable(segment, name));
    TIDE_TRY(tide_check_range(segment, offset, size, name));
    return tide_check_aligned(segment, offset, size, name);
}

tide_status tide_atomic_slow_(const tide_segment *segment, size_t offset, unsigned word,
                              uint64_t value, uint64_t expected, uint64_t *found)
{
    size_t size = word & 0xff;
    unsigned operation = word >> 8;
    tide_section section;
    TIDE_TRY(check(segment, offset, size, operation, found));
    TIDE_TRY(tide_section_open(segment, operations[operation], &section));
    char *address = segment->base_ + offset;
    if (size == sizeof(uint32_t))
        *found =
            tide_atomic_make_uint32_t_(address, operation, (uint32_t)value, (uint32_t)expected);
    else
        *found = tide_atomic_make_uint64_t_(address, operation, value, expected);
    tide_section_close(&section);
    return TIDE_OK;
}

void tide_atomic_or_fault_(const tide_segment *segment, size_t offset, unsigned word,
                           uint64_t value, uint64_t expected, uint64_t *found)
{
    if (tide_atomic_slow_(segment, offset, word, value, expected, found) != TIDE_OK)
        tide_fault_raise();
}
