/* SPDX-License-Identifier: Apache-2.0 */
/* `pmr`: std::pmr::monotonic_buffer_resource, one for each lifetime, over a buffer that the thread
 * keeps; what the buffer can't hold comes from operator new. Zeroed by hand. */
#include <cstring>
#include <memory_resource>

#include "loops.h"

namespace
{

using resource = std::pmr::monotonic_buffer_resource;

constexpr std::size_t buffer_bytes = 4096;

/* One buffer for each level of nesting. */
alignas(64) char buffers[BENCH_NEST_DEPTH][buffer_bytes];

void empty(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        resource memory(buffers[0], buffer_bytes);
        bench_escape(&memory);
    }
}

void zeroed(size_t size, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        resource memory(buffers[0], buffer_bytes);
        void *block = memory.allocate(size, BENCH_ALIGNMENT);
        std::memset(block, 0, size);
        bench_touch(block);
    }
}

void uninitialized(size_t size, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        resource memory(buffers[0], buffer_bytes);
        bench_touch(memory.allocate(size, BENCH_ALIGNMENT));
    }
}

void nest(size_t depth)
{
    if (depth == BENCH_NEST_DEPTH)
        return;
    resource memory(buffers[depth], buffer_bytes);
    for (size_t block = 0; block < BENCH_NEST_BLOCKS; block++) {
        void *value = memory.allocate(sizeof(long), alignof(long));
        std::memset(value, 0, sizeof(long));
        bench_touch(value);
    }
    nest(depth + 1);
}

void nested(size_t count)
{
    for (size_t i = 0; i < count; i++)
        nest(0);
}

void string(const char *text, size_t size, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        resource memory(buffers[0], buffer_bytes);
        char *copy = static_cast<char *>(memory.allocate(size, 1));
        std::memcpy(copy, text, size);
        if (bench_string_length(copy) != size - 1)
            bench_refused();
    }
}

} // namespace

const bench_loops bench_pmr = {"pmr",  empty,   zeroed,  uninitialized, nested,
                               string, nullptr, nullptr, nullptr};
