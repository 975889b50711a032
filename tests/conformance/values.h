/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers and bytes as the traces write them. */
#ifndef VALUES_H
#define VALUES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A JSON integer or a decimal string. False: neither, or out of range. */
bool value_to_int64(const json_t *value, int64_t *number);

/* A JSON integer when |number| < 2^53, else a decimal string. */
json_t *value_of_int64(int64_t number);

/* Always a decimal string. */
json_t *value_of_decimal(int64_t number);

/* "0x" and exactly that many lower-case digits. */
bool value_to_bits(const json_t *value, unsigned digits, uint64_t *bits);
json_t *value_of_bits(uint64_t bits, unsigned digits);

/* Lower-case hex. value_to_bytes() leaves a block for the caller to free, never NULL. */
bool value_to_bytes(const json_t *value, unsigned char **bytes, size_t *size);
json_t *value_of_bytes(const unsigned char *bytes, size_t size);

/* FNV-1a of 64 bits as 16 hex digits. */
json_t *value_of_hash(const unsigned char *bytes, size_t size);

#endif
