/* Specialization constants: numbers in a SPIR-V module that a program sets before it builds the module.
 *
 *      OpDecorate %n SpecId 7        ──►   constant 7 is %n
 *      %n = OpSpecConstant %uint 64  ──►   the literal, or a boolean's opcode, is changed in place
 *
 * This file scans the words without checking the module; spirv_read() later rejects a broken one. */
#include <string.h>

#include "opencl/opencl.h"
#include "opencl/spirv/spirv.h"

enum { HEADER_WORDS = 5 };

struct words {
  uint8_t *at;
  size_t count;
  bool big;
};

static struct words words_of(const uint8_t *spirv, size_t size) {
  return (struct words){(uint8_t *)(uintptr_t)spirv, size / 4, size >= 4 && spirv[0] == 0x07};
}

static uint32_t get(const struct words *words, size_t i) {
  const uint8_t *b = words->at + 4 * i;
  return words->big ? (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3]
                    : (uint32_t)b[3] << 24 | (uint32_t)b[2] << 16 | (uint32_t)b[1] << 8 | b[0];
}

static void put(const struct words *words, size_t i, uint32_t value) {
  for (unsigned byte = 0; byte < 4; byte++)
    words->at[4 * i + byte] = (uint8_t)(value >> 8 * (words->big ? 3 - byte : byte));
}

/* Words of instruction `i`; 0: the module ends. */
static size_t length_at(const struct words *words, size_t i) {
  const size_t length = i < words->count ? get(words, i) >> 16 : 0;
  return length <= words->count - i ? length : 0;
}

static uint16_t op_at(const struct words *words, size_t i) { return (uint16_t)get(words, i); }

/* The instruction with result `id` in word `position`; 0: none. */
static size_t find(const struct words *words, uint32_t id, size_t position, bool (*is)(uint16_t op)) {
  size_t length;
  for (size_t i = HEADER_WORDS; (length = length_at(words, i)); i += length)
    if (is(op_at(words, i)) && length > position && get(words, i + position) == id)
      return i;
  return 0;
}

static bool is_constant(uint16_t op) {
  return op == OpSpecConstantTrue || op == OpSpecConstantFalse || op == OpSpecConstant;
}

static bool is_number(uint16_t op) { return op == OpTypeInt || op == OpTypeFloat; }

static bool is_name(const struct words *words, size_t i, uint32_t spec_id) {
  return op_at(words, i) == OpDecorate && length_at(words, i) == 4 && get(words, i + 2) == DecorationSpecId &&
         get(words, i + 3) == spec_id;
}

/* Where constant `spec_id` is defined, and its size in bytes; 0: it is not defined. */
static size_t find_constant(const struct words *words, uint32_t spec_id, size_t *bytes) {
  size_t length, i = HEADER_WORDS;
  while ((length = length_at(words, i)) && !is_name(words, i, spec_id))
    i += length;
  const size_t at = length ? find(words, get(words, i + 1), 2, is_constant) : 0;
  *bytes = 1;
  if (!at || op_at(words, at) != OpSpecConstant)
    return at;
  const size_t type = find(words, get(words, at + 1), 1, is_number);
  const uint32_t bits = type && length_at(words, type) > 2 ? get(words, type + 2) : 0;
  *bytes = bits / 8;
  return bits && bits <= 64 && length_at(words, at) == (bits > 32 ? 5 : 4) ? at : 0;
}

size_t opencl_constant_bytes(const uint8_t *spirv, size_t size, uint32_t id) {
  const struct words words = words_of(spirv, size);
  size_t bytes = 0;
  return find_constant(&words, id, &bytes) ? bytes : 0;
}

void opencl_specialize(uint8_t *spirv, size_t size, uint32_t id, const void *value) {
  const struct words words = words_of(spirv, size);
  size_t bytes = 0;
  const size_t at = find_constant(&words, id, &bytes);
  uint64_t number = 0;
  if (!at)
    return;
  memcpy(&number, value, bytes);
  if (op_at(&words, at) != OpSpecConstant) {
    put(&words, at, (get(&words, at) & 0xffff0000) | (number ? OpSpecConstantTrue : OpSpecConstantFalse));
    return;
  }
  put(&words, at + 3, (uint32_t)number);
  if (bytes == 8)
    put(&words, at + 4, (uint32_t)(number >> 32));
}
