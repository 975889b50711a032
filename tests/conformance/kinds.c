/* SPDX-License-Identifier: Apache-2.0 */
/* Arenas of every kind: the one call of the public interface that an operation is. */
#include "replay.h"

tide_status kind_open(replay_arena *arena)
{
    switch (arena->kind) {
    case CONFINED:
        return tide_arena_open(&arena->arena);
    case SHARED:
        return tide_shared_open(&arena->shared);
    case COUNTED:
        return tide_counted_open(&arena->shared);
    case GLOBAL:
        break;
    }
    arena->shared = tide_global_arena();
    return TIDE_OK;
}

tide_status kind_close(replay_arena *arena)
{
    return arena->kind == CONFINED ? tide_arena_close(&arena->arena)
                                   : tide_shared_close(arena->shared);
}

bool kind_is_alive(const replay_arena *arena)
{
    return arena->kind == CONFINED ? tide_arena_is_alive(&arena->arena)
                                   : tide_shared_is_alive(arena->shared);
}

tide_status kind_segment(replay_arena *arena, size_t size, size_t alignment, tide_segment *segment)
{
    return arena->kind == CONFINED ? tide_arena_segment(&arena->arena, size, alignment, segment)
                                   : tide_shared_segment(arena->shared, size, alignment, segment);
}

tide_status kind_attach(replay_arena *arena, tide_cleanup cleanup, void *context)
{
    return arena->kind == CONFINED ? tide_arena_attach(&arena->arena, cleanup, context)
                                   : tide_shared_attach(arena->shared, cleanup, context);
}

tide_status kind_hold(replay_arena *arena, tide_hold *hold)
{
    return arena->kind == CONFINED ? tide_arena_hold(&arena->arena, hold)
                                   : tide_shared_hold(arena->shared, hold);
}

tide_status kind_attach_segment(replay_arena *arena, const tide_segment *segment, size_t size,
                                tide_cleanup cleanup, void *context, tide_segment *attached)
{
    return arena->kind == CONFINED
               ? tide_segment_attach(segment, size, &arena->arena, cleanup, context, attached)
               : tide_segment_attach_shared(segment, size, arena->shared, cleanup, context,
                                            attached);
}

tide_status kind_array(replay_arena *arena, tide_layout layout, size_t size, const void *elements,
                       size_t count, tide_segment *segment)
{
    return arena->kind == CONFINED
               ? tide_arena_array(&arena->arena, layout, size, elements, count, segment)
               : tide_shared_array(arena->shared, layout, size, elements, count, segment);
}

tide_status kind_text(replay_arena *arena, const char *text, size_t length, tide_charset charset,
                      tide_segment *segment)
{
    return arena->kind == CONFINED
               ? tide_arena_text(&arena->arena, text, length, charset, segment)
               : tide_shared_text(arena->shared, text, length, charset, segment);
}

tide_status kind_map(replay_arena *arena, int descriptor, tide_map_mode mode, size_t offset,
                     size_t size, tide_segment *segment)
{
    return arena->kind == CONFINED
               ? tide_arena_map(&arena->arena, descriptor, mode, offset, size, segment)
               : tide_shared_map(arena->shared, descriptor, mode, offset, size, segment);
}
