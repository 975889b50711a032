/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading a packet that may lie. Offsets and lengths come from the packet itself; tide_load_… and
 * tide_segment_slice return what is wrong with them, so there is not one comparison of bounds here.
 *
 * The packet: magic "TP" (2 bytes), count (1 byte), then `count` records, each a type (1 byte), a
 * length (2 bytes, big endian) and that many bytes. Type 1 is a name, type 2 a number of 4 bytes.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <tidepool/tidepool.h>

#define WIRE (TIDE_BIG_ENDIAN | TIDE_UNALIGNED)

typedef struct contents {
    char *name;
    uint32_t number;
} contents;

/* One record at `*offset`, which moves behind it. */
static tide_status parse_record(tide_arena *arena, const tide_segment *packet, size_t *offset,
                                contents *found)
{
    uint8_t type;
    uint16_t length;
    tide_segment body;
    tide_status status = tide_load_u8(packet, *offset, &type);
    if (status == TIDE_OK)
        status = tide_load_u16_as(packet, *offset + 1, WIRE, &length);
    if (status == TIDE_OK)
        status = tide_segment_slice(packet, *offset + 3, length, &body);
    if (status != TIDE_OK)
        return status;
    *offset += 3 + (size_t)length;

    if (type == 2)
        return tide_load_u32_as(&body, 0, WIRE, &found->number);
    if (type != 1)
        return TIDE_OK; /* of a later version: skipped */
    found->name = tide_arena_allocate(arena, (size_t)length + 1, 1);
    if (found->name == NULL)
        return TIDE_OUT_OF_MEMORY;
    return tide_segment_read(&body, 0, found->name, length);
}

static tide_status parse(tide_arena *arena, const tide_segment *packet, contents *found)
{
    uint16_t magic;
    uint8_t count;
    tide_status status = tide_load_u16_as(packet, 0, WIRE, &magic);
    if (status == TIDE_OK)
        status = magic == 0x5450 ? tide_load_u8(packet, 2, &count) : TIDE_UNSUPPORTED;
    if (status != TIDE_OK)
        return status;
    size_t offset = 3;
    for (int i = 0; i < count && status == TIDE_OK; i++)
        status = parse_record(arena, packet, &offset, found);
    return status;
}

/* Parses bytes as they came, and says whether the outcome is the expected one. */
static int check(const char *what, const char *bytes, size_t size, tide_status expected)
{
    tide_arena arena;
    tide_segment packet;
    contents found = {NULL, 0};
    if (tide_arena_open(&arena) != TIDE_OK ||
        tide_arena_segment_uninitialized(&arena, size, 1, &packet) != TIDE_OK ||
        tide_segment_write(&packet, 0, bytes, size) != TIDE_OK ||
        tide_segment_read_only(&packet, &packet) != TIDE_OK)
        return 1;

    tide_status status = parse(&arena, &packet, &found);
    if (status == TIDE_OK)
        printf("%s: %s %" PRIu32 "\n", what, found.name, found.number);
    else
        printf("%s: %s\n", what, tide_last_error_text());
    if (tide_arena_close(&arena) != TIDE_OK)
        return 1;
    return status == expected ? 0 : 1;
}

#define CHECK(what, bytes, expected) check(what, bytes, sizeof(bytes) - 1, expected)

int main(void)
{
    int wrong = 0;
    wrong += CHECK("honest", "TP\2\1\0\6urchin\2\0\4\0\0\1\1", TIDE_OK);
    wrong += CHECK("cut off in a number", "TP\2\1\0\6urchin\2\0\4\0\0", TIDE_OUT_OF_BOUNDS);
    wrong += CHECK("longer than the packet", "TP\1\1\xff\xffurchin", TIDE_OUT_OF_BOUNDS);
    wrong += CHECK("a number that is too short", "TP\1\2\0\2\0\1", TIDE_OUT_OF_BOUNDS);
    wrong += CHECK("more records than there are", "TP\xff\2\0\4\0\0\0\7", TIDE_OUT_OF_BOUNDS);
    return wrong;
}
