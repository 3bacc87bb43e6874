/* The code of real kernels, instruction by instruction. It shows effects of the passes and of register allocation that
 * no result shows. corpus.def has one row per file. After an intended change,
 *
 *     CORPUS_WRITE=1 build/tests/corpus
 *
 * rewrites the file, and the difference in its counts is the effect of the change. */
#include "opencl/emit/emit.h"
#include "opencl/opencl.h"
#include "opencl/passes/passes.h"
#include "tests/ct.h"
#include "tests/opencl/emit_rig.h"
#include "tests/opencl/program.h"

#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Registers that a lane may have: plenty, and too few. */
enum { MANY = 255, FEW = 16 };

struct code {
  uint32_t instructions, registers, spilled; /* registers: of the kernel with the most; spilled: words of all kernels */
  uint64_t digest;                           /* of all instructions */
};

struct row {
  const char *file;
  struct code many, few;
};

static const struct row rows[] = {
#define ROW(file, ...) {file, __VA_ARGS__},
#define RANDOM(...)
#include "tests/corpus/corpus.def"
#undef ROW
#undef RANDOM
};

#define DIGEST UINT64_C(0xcbf29ce484222325) /* FNV-1a */

static void add(struct code *code, const struct isa_program *program) {
  code->instructions += program->count;
  for (size_t i = 0; i < program->kernel_count; i++) {
    const struct isa_kernel *kernel = &program->kernels[i];
    code->registers = kernel->registers > code->registers ? kernel->registers : code->registers;
    code->spilled += kernel->spilled;
  }
  const uint8_t *bytes = (const uint8_t *)program->code;
  for (size_t i = 0; i < program->count * sizeof *program->code; i++)
    code->digest = (code->digest ^ bytes[i]) * UINT64_C(0x100000001b3);
}

static struct code lowered(const uint8_t *spirv, size_t size, const char *file, uint32_t registers) {
  struct code code = {.digest = DIGEST};
  struct isa_error error = {""};
  const struct opencl_limits limits = {.target = {.registers = registers, .optimize = 0}};
  struct isa_program *program = opencl_lower(spirv, size, file, &limits, &error);
  ct_true(program != NULL, error.text, __FILE__, __LINE__);
  if (program)
    add(&code, program);
  isa_program_free(program);
  return code;
}

/* Random kernels, PER_ROW to a row, unchanged and after the passes. */
enum { PER_ROW = 8, RANDOM_ROWS = 24, LIVE = 30, SIZE = 60 };

static const struct code random_rows[] = {
#define RANDOM(...) {__VA_ARGS__},
#define ROW(...)
#include "tests/corpus/corpus.def"
#undef ROW
#undef RANDOM
};

static void add_random(struct code *code, struct ir *ir, uint32_t registers) {
  struct isa_error error = {""};
  ir->target = (struct opencl_target){.registers = registers, .optimize = 0};
  struct isa_program *program = isa_program_new("made.cl");
  ct_true(emit_kernel(ir, program, &error), error.text, __FILE__, __LINE__);
  add(code, program);
  isa_program_free(program);
  ir_free(ir);
}

static struct code random_code(uint32_t row) {
  struct code code = {.digest = DIGEST};
  for (uint64_t seed = row * PER_ROW; seed < (row + 1) * PER_ROW; seed++) {
    for (unsigned few = 0; few < 2; few++) {
      struct ir *ir = program_random(seed, SIZE);
      ir->target.optimize = 0;
      opencl_passes(ir);
      add_random(&code, ir, few ? FEW : MANY);
      add_random(&code, emit_random(seed, LIVE), few ? FEW : MANY);
    }
  }
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

TEST(corpus, the_code_of_the_examples_is_unchanged) { hold("examples/"); }
TEST(corpus, the_code_of_the_bench_kernels_is_unchanged) { hold("tests/bench/"); }
TEST(corpus, the_code_of_the_differential_kernels_is_unchanged) { hold("tests/differential/"); }

TEST(corpus, the_code_of_random_kernels_is_unchanged) {
  for (uint32_t row = 0; row < sizeof random_rows / sizeof *random_rows; row++) {
    const struct code code = random_code(row);
    ct_note("random kernels from seed %u on", row * PER_ROW);
    expect_same(&code, &random_rows[row]);
  }
}

static void write_code(FILE *out, struct code code) {
  fprintf(out, "%u, %u, %u, UINT64_C(0x%016" PRIx64 ")", code.instructions, code.registers, code.spilled, code.digest);
}

static void write_rows(glob_t found) {
  FILE *const out = fopen("tests/corpus/corpus.def", "w");
  if (!EXPECT_TRUE(out != NULL))
    return;
  fputs("/* ROW(file, {instructions, registers, words spilled, digest}, the same with few registers), and\n"
        " * RANDOM(instructions, registers, words spilled, digest): corpus_test.c */\n/* clang-format off */\n",
        out);
  for (size_t i = 0; i < found.gl_pathc; i++) {
    struct code many, few;
    if (!make(found.gl_pathv[i], &many, &few))
      continue;
    fprintf(out, "ROW(\"%s\",\n    {", found.gl_pathv[i]);
    write_code(out, many);
    fputs("}, {", out);
    write_code(out, few);
    fputs("})\n", out);
  }
  for (uint32_t row = 0; row < RANDOM_ROWS; row++) {
    fputs("RANDOM(", out);
    write_code(out, random_code(row));
    fputs(")\n", out);
  }
  fclose(out);
}

TEST(corpus, every_kernel_has_a_row) {
  static const char *const where[] = {"examples/*/*.cl", "tests/bench/*.cl", "tests/differential/kernels/*.cl"};
  glob_t found = {0};
  for (size_t i = 0; i < sizeof where / sizeof *where; i++)
    glob(where[i], i ? GLOB_APPEND : 0, NULL, &found);
  if (getenv("CORPUS_WRITE"))
    write_rows(found);
  else
    EXPECT_EQ(found.gl_pathc, sizeof rows / sizeof *rows);
  globfree(&found);
}
