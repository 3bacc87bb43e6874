/* The code of real kernels, instruction by instruction: what the passes and the allocation of registers make better,
 * and no result shows, shows here. corpus.def has a row for each file; after a change that is meant,
 *
 *     CORPUS_WRITE=1 build/tests/opencl --gtest_filter='corpus.*'
 *
 * writes it anew, and the difference of its counts says what the change has brought. */
#include "opencl/opencl.h"
#include "tests/ct.h"

#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Registers that a lane may have: as many as it wants, and too few. */
enum { MANY = 255, FEW = 20 };

struct code {
  uint32_t instructions, registers, spilled; /* registers: of the kernel with most; spilled: words of all kernels */
  uint64_t digest;                           /* of all instructions */
};

struct row {
  const char *file;
  struct code many, few;
};

static const struct row rows[] = {
#define ROW(file, ...) {file, __VA_ARGS__},
#include "tests/opencl/corpus.def"
#undef ROW
};

static struct code lowered(const uint8_t *spirv, size_t size, const char *file, uint32_t registers) {
  struct code code = {.digest = UINT64_C(0xcbf29ce484222325)}; /* FNV-1a */
  struct isa_error error = {""};
  const struct opencl_limits limits = {.registers = registers};
  struct isa_program *program = opencl_lower(spirv, size, file, &limits, &error);
  ct_true(program != NULL, error.text, __FILE__, __LINE__);
  if (!program)
    return code;
  code.instructions = program->count;
  for (size_t i = 0; i < program->kernel_count; i++) {
    const struct isa_kernel *kernel = &program->kernels[i];
    code.registers = kernel->registers > code.registers ? kernel->registers : code.registers;
    code.spilled += kernel->spilled;
  }
  const uint8_t *bytes = (const uint8_t *)program->code;
  for (size_t i = 0; i < program->count * sizeof *program->code; i++)
    code.digest = (code.digest ^ bytes[i]) * UINT64_C(0x100000001b3);
  isa_program_free(program);
  return code;
}

static bool make(const char *file, struct code *many, struct code *few) {
  struct isa_error error = {""};
  const struct opencl_build build = {.standard = "CL3.0"};
  uint8_t *spirv = NULL;
  size_t size = 0;
  const bool good = opencl_compile(file, &build, &spirv, &size, &error);
  ct_true(good, error.text, __FILE__, __LINE__);
  if (good) {
    *many = lowered(spirv, size, file, MANY);
    *few = lowered(spirv, size, file, FEW);
  }
  free(spirv);
  return good;
}

static void expect_same(const struct code *code, const struct code *before) {
  EXPECT_EQ(code->instructions, before->instructions);
  EXPECT_EQ(code->registers, before->registers);
  EXPECT_EQ(code->spilled, before->spilled);
  EXPECT_EQ((int64_t)code->digest, (int64_t)before->digest);
}

static void hold(const char *part) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct code many, few;
    if (strncmp(rows[i].file, part, strlen(part)) != 0 || !make(rows[i].file, &many, &few))
      continue;
    ct_note("%s", rows[i].file);
    expect_same(&many, &rows[i].many);
    ct_note("%s, with %d registers", rows[i].file, FEW);
    expect_same(&few, &rows[i].few);
  }
}

TEST(corpus, the_code_of_the_examples_is_as_it_was) { hold("examples/"); }
TEST(corpus, the_code_of_the_bench_kernels_is_as_it_was) { hold("tests/bench/"); }
TEST(corpus, the_code_of_the_kernels_with_many_results_is_as_it_was) { hold("tests/differential/"); }

TEST(corpus, every_kernel_has_its_row) {
  static const char *const where[] = {"examples/*/*.cl", "tests/bench/*.cl", "tests/differential/kernels/*.cl"};
  glob_t found = {0};
  for (size_t i = 0; i < sizeof where / sizeof *where; i++)
    glob(where[i], i ? GLOB_APPEND : 0, NULL, &found);
  FILE *const out = getenv("CORPUS_WRITE") ? fopen("tests/opencl/corpus.def", "w") : NULL;
  for (size_t i = 0; out && i < found.gl_pathc; i++) {
    struct code c[2];
    if (i == 0)
      fputs("/* ROW(file, {instructions, registers, words spilled, digest}, the same with few registers): "
            "corpus_test.c */\n"
            "/* clang-format off */\n",
            out);
    if (make(found.gl_pathv[i], &c[0], &c[1]))
      fprintf(out,
              "ROW(\"%s\",\n    {%u, %u, %u, UINT64_C(0x%016" PRIx64 ")}, {%u, %u, %u, UINT64_C(0x%016" PRIx64 ")})\n",
              found.gl_pathv[i], c[0].instructions, c[0].registers, c[0].spilled, c[0].digest, c[1].instructions,
              c[1].registers, c[1].spilled, c[1].digest);
  }
  if (out)
    fclose(out);
  else
    EXPECT_EQ(found.gl_pathc, sizeof rows / sizeof *rows);
  globfree(&found);
}
