/* libFuzzer: any bytes as LLVM IR. What the reader makes of them must be a module that SPIR-V's reader accepts, or at
 * least refuses in one line. The seeds are what clang writes, made by tests/fuzz/compiled_seeds. Most changes are made
 * to whole words and lines: files with changed bytes rarely get past the lexer. */
#include "tests/fuzz/lowered.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most); /* libFuzzer's own */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct isa_error error = {""};
  uint8_t *spirv = NULL;
  size_t bytes = 0;
  if (llvm_to_spirv((const char *)data, size, "fuzz.ll", &spirv, &bytes, &error)) {
    check(bytes / 64 <= size + 1024); /* a small file makes no large module */
    lower_and_check(spirv, bytes, "fuzz.ll");
  } else {
    check_line(&error);
    check(!spirv);
  }
  free(spirv);
  return 0;
}

static uint32_t next(uint32_t *state) { return *state = *state * 1664525 + 1013904223, *state >> 8; }

struct piece {
  size_t at, length;
};

static bool ends(uint8_t byte, bool line) { return byte == '\n' || (!line && strchr(" ,()", byte)); }

/* A line, or a word up to a blank, around a random place. */
static struct piece choose(const uint8_t *data, size_t size, uint32_t *state, bool line) {
  size_t begin = next(state) % size, end = begin;
  while (begin && !ends(data[begin - 1], line))
    begin--;
  while (end < size && !ends(data[end], line))
    end++;
  return (struct piece){begin, end - begin};
}

/* Replaces one piece by another, repeats it, or removes it. */
static size_t change(uint8_t *data, size_t size, size_t most, uint32_t *state) {
  const bool line = next(state) % 3 == 0;
  const struct piece a = choose(data, size, state, line), b = choose(data, size, state, line);
  uint8_t *copy = malloc(b.length + 1);
  memcpy(copy, data + b.at, b.length);
  const uint32_t what = next(state) % 4;
  const size_t with = what == 0 ? 0 : b.length, without = what == 1 ? 0 : a.length;
  if (size - without + with <= most) {
    memmove(data + a.at + with, data + a.at + without, size - a.at - without);
    memcpy(data + a.at, copy, with);
    size += with - without;
  }
  free(copy);
  return size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
  uint32_t state = seed;
  if (size < 8 || next(&state) % 4 == 0)
    return LLVMFuzzerMutate(data, size, most);
  for (uint32_t i = next(&state) % 4 + 1; i && size; i--)
    size = change(data, size, most, &state);
  return size;
}
