// SPDX-License-Identifier: Apache-2.0
//
// tidepool from C++17: an arena that closes with its block, and objects of types that have nothing
// to destroy. An arena stays where it was opened, so the class can be neither copied nor moved.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string_view>
#include <tidepool/tidepool.h>
#include <type_traits>
#include <utility>

class Scratch
{
  public:
    Scratch()
    {
        if (tide_arena_open(&arena_) != TIDE_OK)
            throw std::bad_alloc();
    }

    // Only a program that is wrong can fail here: a hold that is out, another owner.
    ~Scratch()
    {
        if (tide_arena_close(&arena_) != TIDE_OK) {
            std::fprintf(stderr, "%s\n", tide_last_error_text());
            std::abort();
        }
    }

    Scratch(const Scratch &) = delete;
    Scratch &operator=(const Scratch &) = delete;

    template <typename T, typename... Arguments> T *make(Arguments &&...arguments)
    {
        static_assert(std::is_trivially_destructible_v<T>, "an arena calls no destructors");
        void *room = tide_arena_allocate_uninitialized(&arena_, sizeof(T), alignof(T));
        if (room == nullptr)
            throw std::bad_alloc();
        return new (room) T{std::forward<Arguments>(arguments)...};
    }

    std::string_view copy(std::string_view text)
    {
        char *bytes = static_cast<char *>(tide_arena_memdup(&arena_, text.data(), text.size(), 1));
        if (bytes == nullptr)
            throw std::bad_alloc();
        return {bytes, text.size()};
    }

    tide_segment segment(std::size_t size, std::size_t alignment)
    {
        tide_segment result;
        if (tide_arena_segment(&arena_, size, alignment, &result) != TIDE_OK)
            throw std::bad_alloc();
        return result;
    }

  private:
    tide_arena arena_;
};

struct Node {
    std::string_view word;
    Node *next;
};

static std::size_t count_words(std::string_view text, tide_segment *leaked)
{
    Scratch scratch;
    *leaked = scratch.segment(8, 8);
    Node *words = nullptr;
    while (!text.empty()) {
        std::size_t end = std::min(text.find(' '), text.size());
        if (end == 0)
            throw std::invalid_argument("two blanks"); // the arena closes on this way out too
        words = scratch.make<Node>(scratch.copy(text.substr(0, end)), words);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    std::size_t count = 0;
    for (const Node *node = words; node != nullptr; node = node->next)
        count += node->word.empty() ? 0 : 1;
    return count;
}

int main()
{
    tide_segment stale;
    if (count_words("low water and high water", &stale) != 5)
        return 1;

    bool thrown = false;
    try {
        count_words("slack  water", &stale);
    } catch (const std::invalid_argument &) {
        thrown = true;
    }

    std::uint64_t value = 0;
    tide_status status = tide_load_u64(&stale, 0, &value);
    std::printf("the segment that got out: %s\n", tide_status_name(status));
    return thrown && status == TIDE_CLOSED ? 0 : 1;
}
