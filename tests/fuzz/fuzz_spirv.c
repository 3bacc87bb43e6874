/* libFuzzer: any bytes as SPIR-V, alone and linked with itself. The seeds are real modules, made by
 * tests/fuzz/compiled_seeds. Most changes are made to whole words and instructions: modules with changed bytes rarely
 * get past the reader. */
#include "tests/fuzz/lowered.h"

enum { HEADER_WORDS = 5 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most); /* libFuzzer's own */

static void link_and_lower(const uint8_t *data, size_t size, size_t copies) {
  const struct spirv_unit units[] = {{data, size}, {data, size}};
  struct isa_error error;
  uint8_t *linked = NULL;
  size_t bytes = 0;
  if (spirv_link(units, copies, &linked, &bytes, &error))
    lower_and_check(linked, bytes, "linked.spv");
  free(linked);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  lower_and_check(data, size, "fuzz.spv");
  link_and_lower(data, size, 1);
  link_and_lower(data, size, 2);
  return 0;
}

/* ---- changes of words and instructions ------------------------------------------------------------- */

static uint32_t next(uint32_t *state) { return *state = *state * 1664525 + 1013904223, *state >> 8; }

/* Finds the start and the number of words of an instruction chosen by `state`; false if there is none. */
static bool choose(const uint32_t *words, size_t count, uint32_t *state, size_t *at, size_t *length) {
  const size_t beyond = HEADER_WORDS + next(state) % (count - HEADER_WORDS);
  *length = 0;
  for (*at = HEADER_WORDS; *at < count; *at += *length) {
    *length = words[*at] >> 16;
    if (!*length || *length > count - *at)
      return false;
    if (*at + *length > beyond)
      return true;
  }
  return false;
}

/* Replaces a word by another word of the module, which may be a suitable id, or by a small number. */
static void change_word(uint32_t *words, size_t count, uint32_t *state) {
  const size_t at = next(state) % count, from = next(state) % count;
  words[at] = next(state) % 3 ? words[from] : next(state) % 40;
}

static size_t remove_instruction(uint32_t *words, size_t count, uint32_t *state) {
  size_t at, length;
  if (!choose(words, count, state, &at, &length))
    return count;
  memmove(words + at, words + at + length, (count - at - length) * sizeof *words);
  return count - length;
}

/* Copies an instruction to a place before another one. */
static size_t copy_instruction(uint32_t *words, size_t count, size_t most, uint32_t *state) {
  size_t from, at, length, other;
  uint32_t copy[64];
  if (!choose(words, count, state, &from, &length) || !choose(words, count, state, &at, &other) ||
      length > sizeof copy / sizeof *copy || length > most - count)
    return count;
  memcpy(copy, words + from, length * sizeof *words);
  memmove(words + at + length, words + at, (count - at) * sizeof *words);
  memcpy(words + at, copy, length * sizeof *words);
  return count + length;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
  uint32_t state = seed;
  size_t count = size / 4;
  const uint32_t kind = next(&state) % 8;
  if (!kind || count <= HEADER_WORDS)
    return LLVMFuzzerMutate(data, size, most);
  uint32_t *words = malloc(most + 4);
  memcpy(words, data, 4 * count);
  if (kind == 1)
    count = remove_instruction(words, count, &state);
  else if (kind == 2)
    count = copy_instruction(words, count, most / 4, &state);
  else
    change_word(words, count, &state);
  memcpy(data, words, 4 * count);
  free(words);
  return 4 * count;
}
