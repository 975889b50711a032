// SPDX-License-Identifier: Apache-2.0
// The public headers as C++17: every inline function compiles, and the core calls work.
#include <tidepool/tidepool.h>

#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>

static_assert(__cplusplus >= 201703L, "the headers are promised to C++17");
static_assert(std::is_standard_layout<tide_arena>::value, "an arena is a plain struct");
static_assert(std::is_trivially_copyable<tide_segment>::value, "a segment is a value");
static_assert(sizeof(tide_segment) == 32, "of 32 bytes");

namespace
{

void check(bool condition, const char *what, int line)
{
    if (condition)
        return;
    std::fprintf(stderr, "line %d: %s (last error: %s)\n", line, what, tide_last_error_text());
    std::exit(1);
}

#define CHECK(condition) check((condition), #condition, __LINE__)

struct point {
    double x;
    double y;
};

extern "C" const char *count_cleanup(void *context)
{
    ++*static_cast<int *>(context);
    return nullptr;
}

void an_arena_serves_scratch_memory()
{
    tide_arena arena;
    int cleanups = 0;
    CHECK(tide_arena_open(&arena) == TIDE_OK);
    auto *one = tide_arena_make(&arena, point);
    auto *many = tide_arena_make_array(&arena, point, 100);
    CHECK(one != nullptr && one->x == 0 && many != nullptr && many[99].y == 0);
    CHECK(std::strcmp(tide_arena_printf(&arena, "%s/%d", "tide", 42), "tide/42") == 0);
    CHECK(tide_arena_attach(&arena, count_cleanup, &cleanups) == TIDE_OK);
    CHECK(tide_arena_reset(&arena) == TIDE_OK);
    CHECK(cleanups == 1);
    CHECK(tide_arena_allocate_uninitialized(&arena, 1000, 64) != nullptr);
    CHECK(tide_arena_close(&arena) == TIDE_OK);
    CHECK(tide_arena_close(&arena) == TIDE_CLOSED);
}

void options_start_from_their_initializer()
{
    tide_arena_options options = TIDE_ARENA_OPTIONS_INIT;
    options.name = "from C++";
    options.zero = TIDE_ZERO_WIPE;
    options.manager = tide_manager_system();
    tide_arena *arena = tide_arena_new(&options);
    CHECK(arena != nullptr);
    CHECK(tide_arena_allocate(arena, 5000, 8) != nullptr);
    CHECK(tide_arena_delete(arena) == TIDE_OK);
}

// One call of every form of every type.
#define GO_ROUND(T, type, bits)                                                               \
    {                                                                                         \
        type value{};                                                                         \
        const tide_layout layout = TIDE_BIG_ENDIAN | TIDE_UNALIGNED;                          \
        tide_set_##T(&segment, 8, tide_get_##T(&segment, 0));                                 \
        tide_set_##T##_as(&segment, 9, layout, tide_get_##T##_as(&segment, 1, layout));       \
        tide_set_##T##_at(&segment, 2, tide_get_##T##_at(&segment, 1));                       \
        tide_set_##T##_at_as(&segment, 3, layout, tide_get_##T##_at_as(&segment, 2, layout)); \
        CHECK(tide_load_##T(&segment, 8, &value) == TIDE_OK);                                 \
        CHECK(tide_store_##T(&segment, 16, value) == TIDE_OK);                                \
        CHECK(tide_load_##T##_as(&segment, 9, layout, &value) == TIDE_OK);                    \
        CHECK(tide_store_##T##_as(&segment, 17, layout, value) == TIDE_OK);                   \
        CHECK(tide_load_##T##_at(&segment, 1, &value) == TIDE_OK);                            \
        CHECK(tide_store_##T##_at(&segment, 2, value) == TIDE_OK);                            \
        CHECK(tide_load_##T##_at_as(&segment, 1, layout, &value) == TIDE_OK);                 \
        CHECK(tide_store_##T##_at_as(&segment, 2, layout, value) == TIDE_OK);                 \
        CHECK(tide_load_##T(&segment, 1000, &value) == TIDE_OUT_OF_BOUNDS);                   \
    }

void every_scalar_goes_round()
{
    tide_arena arena;
    tide_segment segment;
    CHECK(tide_arena_open(&arena) == TIDE_OK);
    CHECK(tide_arena_segment(&arena, 256, 8, &segment) == TIDE_OK);
    TIDE_SCALARS_(GO_ROUND)
    tide_set_f64(&segment, 0, 2.5);
    CHECK(tide_get_f64(&segment, 0) == 2.5);
    tide_set_ptr(&segment, 8, &arena);
    CHECK(tide_get_ptr(&segment, 8) == &arena);
    CHECK(tide_arena_close(&arena) == TIDE_OK);
    CHECK(tide_store_u8(&segment, 0, 1) == TIDE_CLOSED);
}

void segments_are_sliced_filled_copied_and_compared()
{
    tide_arena arena;
    tide_segment a, b, view;
    int64_t difference = 0;
    char buffer[16];
    CHECK(tide_arena_open(&arena) == TIDE_OK);
    CHECK(tide_arena_segment(&arena, 64, 8, &a) == TIDE_OK);
    CHECK(tide_arena_segment_uninitialized(&arena, 64, 8, &b) == TIDE_OK);
    CHECK(tide_segment_fill(&a, 7) == TIDE_OK);
    CHECK(tide_segment_copy(&a, 0, &b, 0, 64) == TIDE_OK);
    CHECK(tide_segment_mismatch(&a, 0, 64, &b, 0, 64, &difference) == TIDE_OK);
    CHECK(difference == -1);
    CHECK(tide_segment_write(&b, 3, "tide", 4) == TIDE_OK);
    CHECK(tide_segment_read(&b, 3, buffer, 4) == TIDE_OK);
    CHECK(std::memcmp(buffer, "tide", 4) == 0);
    CHECK(tide_segment_slice(&b, 3, 4, &view) == TIDE_OK);
    CHECK(tide_segment_read_only(&view, &view) == TIDE_OK);
    CHECK(tide_store_u8(&view, 0, 1) == TIDE_READ_ONLY);
    tide_segment_information information{};
    information.struct_size = sizeof information;
    CHECK(tide_segment_info(&view, &information) == TIDE_OK);
    CHECK(information.size == 4 && information.read_only && information.alive);
    CHECK(tide_arena_close(&arena) == TIDE_OK);
}

// One call of every form of every type.
#define OPERATE(T, type, bits)                                                                \
    {                                                                                         \
        type value = tide_atomic_get_##T(&segment, 0);                                        \
        bool exchanged = false;                                                               \
        tide_atomic_set_##T(&segment, 0, value);                                              \
        CHECK(tide_atomic_exchange_##T(&segment, 0, value) == value);                         \
        CHECK(tide_atomic_compare_exchange_##T(&segment, 0, &value, value));                  \
        CHECK(tide_atomic_try_get_##T(&segment, 0, &value) == TIDE_OK);                       \
        CHECK(tide_atomic_try_set_##T(&segment, 0, value) == TIDE_OK);                        \
        CHECK(tide_atomic_try_exchange_##T(&segment, 0, value, &value) == TIDE_OK);           \
        CHECK(tide_atomic_try_compare_exchange_##T(&segment, 0, &value, value, &exchanged) == \
              TIDE_OK);                                                                       \
        CHECK(exchanged);                                                                     \
        CHECK(tide_atomic_try_get_##T(&segment, 1, &value) == TIDE_MISALIGNED);               \
    }

void atomics_work()
{
    tide_arena arena;
    tide_segment segment;
    CHECK(tide_arena_open(&arena) == TIDE_OK);
    CHECK(tide_arena_segment(&arena, 16, 8, &segment) == TIDE_OK);
    TIDE_ATOMICS_(OPERATE)
    CHECK(tide_atomic_fetch_add_u32(&segment, 0, 3) == 0);
    CHECK(tide_atomic_fetch_and_i32(&segment, 0, 6) == 3);
    CHECK(tide_atomic_fetch_or_i64(&segment, 0, 5) == 2);
    CHECK(tide_atomic_fetch_xor_u64(&segment, 0, 1) == 7);
    CHECK(tide_arena_close(&arena) == TIDE_OK);
}

void elements_spans_and_carvers_work()
{
    tide_arena arena;
    tide_segment array, part;
    tide_carver carver{};
    tide_const_span span{};
    const uint16_t numbers[] = {1, 2, 3};
    uint16_t back[3] = {};
    std::size_t count = 0;
    CHECK(tide_arena_open(&arena) == TIDE_OK);
    CHECK(tide_arena_array(&arena, TIDE_BIG_ENDIAN, 2, numbers, 3, &array) == TIDE_OK);
    CHECK(tide_segment_to_array(&array, TIDE_BIG_ENDIAN, 2, back, 3, &count) == TIDE_OK);
    CHECK(count == 3 && back[2] == 3);
    CHECK(tide_segment_const_span(&array, 0, 6, 2, nullptr, &span) == TIDE_OK);
    CHECK(span.size == 6 && static_cast<const unsigned char *>(span.address)[1] == 1);
    CHECK(tide_carver_slicing(&array, &carver) == TIDE_OK);
    CHECK(tide_carver_allocate(&carver, 4, 2, &part) == TIDE_OK);
    CHECK(tide_carver_used(&carver) == 4);
    CHECK(tide_arena_close(&arena) == TIDE_OK);
}

void holds_and_marks_work()
{
    tide_arena arena;
    tide_hold hold;
    tide_mark_point mark = tide_mark();
    CHECK(tide_arena_open(&arena) == TIDE_OK);
    CHECK(tide_arena_hold(&arena, &hold) == TIDE_OK);
    CHECK(tide_arena_close(&arena) == TIDE_BUSY);
    CHECK(tide_hold_release(&hold) == TIDE_OK);
    CHECK(tide_close_to(mark) == TIDE_OK);
    CHECK(tide_scope_is_alive(tide_scope_global()));
}

tide_status fault_status;
std::jmp_buf frame;

extern "C" void jump_out(const tide_fault *fault)
{
    fault_status = fault->status;
    std::longjmp(frame, 1);
}

void a_fault_handler_may_jump_out()
{
    tide_segment segment = tide_segment_of_address(&fault_status);
    tide_fault_handler before = tide_fault_handler_set(jump_out);
    CHECK(before == nullptr);
    if (setjmp(frame) == 0)
        tide_set_u8(&segment, 0, 1);
    CHECK(fault_status == TIDE_OUT_OF_BOUNDS);
    CHECK(tide_fault_handler_set(before) == jump_out);
}

void the_library_says_what_it_is()
{
    tide_knob knob{};
    knob.struct_size = sizeof knob;
    CHECK(tide_knob_at(0, &knob) == TIDE_OK);
    CHECK(std::strcmp(tide_version(), TIDE_VERSION_STRING) == 0);
    CHECK(std::strcmp(tide_status_name(TIDE_BUSY), "BUSY") == 0);
    CHECK(tide_bytes_get_u16("\x01\x02", TIDE_BIG_ENDIAN) == 0x0102);
    CHECK(tide_text_unit(TIDE_UTF16) == sizeof(char16_t));
}

} // namespace

int main()
{
    an_arena_serves_scratch_memory();
    options_start_from_their_initializer();
    every_scalar_goes_round();
    segments_are_sliced_filled_copied_and_compared();
    atomics_work();
    elements_spans_and_carvers_work();
    holds_and_marks_work();
    a_fault_handler_may_jump_out();
    the_library_says_what_it_is();
    return 0;
}
