/* Puts SPIR-V together word by word, for tests. */
#ifndef TESTS_OPENCL_WORDS_H
#define TESTS_OPENCL_WORDS_H

#include "opencl/spirv/spirv.h"

#include <string.h>

struct words {
  uint32_t word[4096];
  uint32_t count;
};

static inline void add(struct words *w, uint32_t op, const uint32_t *operand, uint32_t count) {
  w->word[w->count++] = (count + 1) << 16 | op;
  for (uint32_t i = 0; i < count; i++)
    w->word[w->count++] = operand[i];
}

#define PUT(w, op, ...)                                                                                                \
  add(w, op, (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))
#define PUT0(w, op) add(w, op, NULL, 0)

/* Up to three characters in one word, as in a string. */
static inline uint32_t text(const char *characters) {
  uint32_t word = 0;
  for (unsigned i = 0; characters[i]; i++)
    word |= (uint32_t)(unsigned char)characters[i] << 8 * i;
  return word;
}

enum { PHYSICAL64 = 2, OPENCL = 2, KERNEL = 6, FUNCTION = 7, GLOBAL = 5, CONSTANT = 0, LOCAL_SIZE = 17 };

/* IDs that most of these modules use. */
enum { VOID = 1, U32, U64, FLOAT, BOOL, ZERO, ONE, NO_ARGS, FILE_NAME, KERNEL_ID, FREE };

static inline void begin(struct words *w) {
  *w = (struct words){.word = {0x07230203, 0x10000, 0, 200, 0}, .count = 5};
  PUT(w, OpMemoryModel, PHYSICAL64, OPENCL);
}

static inline void begin_types(struct words *w) {
  PUT(w, OpTypeVoid, VOID);
  PUT(w, OpTypeInt, U32, 32, 0);
  PUT(w, OpTypeInt, U64, 64, 0);
  PUT(w, OpTypeFloat, FLOAT, 32);
  PUT(w, OpTypeBool, BOOL);
  PUT(w, OpConstant, U32, ZERO, 0);
  PUT(w, OpConstant, U32, ONE, 1);
  PUT(w, OpTypeFunction, NO_ARGS, VOID);
}

#endif
