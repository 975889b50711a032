/* SPDX-License-Identifier: Apache-2.0 */
#include "values.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay.h"

static bool decimal_to_int64(const char *text, int64_t *number)
{
    const char *digits = *text == '-' ? text + 1 : text;
    if (digits[strspn(digits, "0123456789")] != '\0' || *digits == '\0')
        return false;
    if (*digits == '0' && (digits[1] != '\0' || digits != text))
        return false;
    errno = 0;
    *number = strtoll(text, NULL, 10);
    return errno == 0;
}

bool value_to_int64(const json_t *value, int64_t *number)
{
    if (json_is_string(value))
        return decimal_to_int64(json_string_value(value), number);
    if (!json_is_integer(value))
        return false;
    *number = json_integer_value(value);
    return true;
}

json_t *value_of_int64(int64_t number)
{
    const int64_t exact = INT64_C(1) << 53;
    return number > -exact && number < exact ? json_integer(number) : value_of_decimal(number);
}

json_t *value_of_decimal(int64_t number)
{
    return json_sprintf("%" PRId64, number);
}

/* -1 for what is no lower-case hex digit. */
static int hex_digit(char digit)
{
    if (digit >= '0' && digit <= '9')
        return digit - '0';
    if (digit >= 'a' && digit <= 'f')
        return digit - 'a' + 10;
    return -1;
}

bool value_to_bits(const json_t *value, unsigned digits, uint64_t *bits)
{
    const char *text = json_string_value(value);
    if (text == NULL || json_string_length(value) != digits + 2 || strncmp(text, "0x", 2) != 0)
        return false;
    uint64_t sum = 0;
    for (unsigned i = 0; i < digits; i++) {
        int digit = hex_digit(text[2 + i]);
        if (digit < 0)
            return false;
        sum = sum << 4 | (uint64_t)digit;
    }
    *bits = sum;
    return true;
}

json_t *value_of_bits(uint64_t bits, unsigned digits)
{
    return json_sprintf("0x%0*" PRIx64, (int)digits, bits);
}

bool value_to_bytes(const json_t *value, unsigned char **bytes, size_t *size)
{
    const char *text = json_string_value(value);
    size_t length = json_string_length(value);
    if (text == NULL || length % 2 != 0)
        return false;
    unsigned char *block = replay_memory(length / 2);
    for (size_t i = 0; i < length / 2; i++) {
        int high = hex_digit(text[2 * i]);
        int low = hex_digit(text[2 * i + 1]);
        if (high < 0 || low < 0) {
            free(block);
            return false;
        }
        block[i] = (unsigned char)(high << 4 | low);
    }
    *bytes = block;
    *size = length / 2;
    return true;
}

json_t *value_of_bytes(const unsigned char *bytes, size_t size)
{
    char *text = replay_memory(2 * size + 1);
    for (size_t i = 0; i < size; i++) {
        text[2 * i] = "0123456789abcdef"[bytes[i] >> 4];
        text[2 * i + 1] = "0123456789abcdef"[bytes[i] & 15];
    }
    json_t *value = json_stringn(text, 2 * size);
    free(text);
    return value;
}

json_t *value_of_hash(const unsigned char *bytes, size_t size)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    return json_sprintf("%016" PRIx64, hash);
}
