/* The code of real kernels, instruction by instruction. It shows effects of the passes and of register allocation that
 * no result shows. corpus.txt has one row per file, and some for random kernels. A test that fails says which rows have
 * changed, and by how many instructions; `make corpus` records an intended change. */
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

CT_FREES(struct isa_program, isa_program_free)

/* Registers that a lane may have: plenty, and too few. */
enum { MANY = 255, FEW = 16 };

struct code {
  uint32_t instructions, registers, spilled; /* registers: of the kernel with the most; spilled: words of all kernels */
  uint64_t digest;                           /* of all instructions */
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
  ct_freed(isa_program_free_at) struct isa_program *program = opencl_lower(spirv, size, file, &limits, &error);
  ct_true(program != NULL, error.text, __FILE__, __LINE__);
  if (program)
    add(&code, program);
  return code;
}

/* Random kernels, PER_ROW to a row, unchanged and after the passes. Their rows are called random/0, random/1 ... */
enum { PER_ROW = 8, RANDOM_ROWS = 24, LIVE = 30, SIZE = 60 };

static void add_random(struct code *code, struct ir *ir, uint32_t registers) {
  struct isa_error error = {""};
  ir->target = (struct opencl_target){.registers = registers, .optimize = 0};
  ct_freed(isa_program_free_at) struct isa_program *program = isa_program_new("made.cl");
  ct_true(emit_kernel(ir, program, &error), error.text, __FILE__, __LINE__);
  add(code, program);
  ir_free(ir);
}

static struct code random_code(uint64_t row) {
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

struct row {
  char name[128];
  struct code many, few;
};

static struct row made(const char *name) {
  const struct opencl_build build = {.standard = "CL3.0"};
  struct isa_error error = {""};
  struct row row = {.many.digest = DIGEST};
  ct_freed(ct_free) uint8_t *spirv = NULL;
  size_t size = 0;
  snprintf(row.name, sizeof row.name, "%s", name);
  if (strncmp(name, "random/", 7) == 0)
    row.many = row.few = random_code(strtoull(name + 7, NULL, 10));
  else if (ct_true(opencl_compile(name, &build, &spirv, &size, &error), error.text, __FILE__, __LINE__)) {
    row.many = lowered(spirv, size, name, MANY);
    row.few = lowered(spirv, size, name, FEW);
  }
  return row;
}

static const char *const path = "tests/corpus/corpus.txt";

/* The next row of the file. */
static bool next(FILE *file, struct row *row) {
  struct code *many = &row->many, *few = &row->few;
  return file &&
         fscanf(file, "%127s %u %u %u %" SCNx64 " %u %u %u %" SCNx64, row->name, &many->instructions, &many->registers,
                &many->spilled, &many->digest, &few->instructions, &few->registers, &few->spilled, &few->digest) == 9;
}

/* Describes a change in words that end with `after`; returns by how many instructions. */
static int64_t change(char *text, size_t size, const struct code *now, const struct code *before, const char *after) {
  const int64_t more = (int64_t)now->instructions - before->instructions;
  const size_t used = strlen(text);
  if (memcmp(now, before, sizeof *now) != 0)
    snprintf(text + used, size - used,
             "%s %+" PRId64 " instructions (%u), %+" PRId64 " registers, %+" PRId64 " words spilled", after, more,
             now->instructions, (int64_t)now->registers - before->registers, (int64_t)now->spilled - before->spilled);
  return more;
}

/* Compares the rows whose names begin with `part`. */
static void hold(const char *part) {
  char report[1 << 16] = "";
  unsigned changed = 0, rows = 0;
  int64_t more = 0;
  FILE *const file = fopen(path, "r");
  for (struct row before; next(file, &before);) {
    if (strncmp(before.name, part, strlen(part)) != 0)
      continue;
    const struct row now = made(before.name);
    char line[512] = "";
    more += change(line, sizeof line, &now.many, &before.many, ":");
    change(line, sizeof line, &now.few, &before.few, *line ? "; with few registers" : ": with few registers");
    const size_t used = strlen(report);
    if (*line)
      snprintf(report + used, sizeof report - used, "%s%s\n", now.name, line);
    changed += *line != 0;
    rows++;
  }
  if (file)
    fclose(file);
  ct_note("\n%s%u of %u rows changed, by %+" PRId64 " instructions. If you intended that: make corpus", report, changed,
          rows, more);
  EXPECT_EQ(changed, 0);
  EXPECT_GT(rows, 0);
}

TEST(corpus, the_code_of_the_examples_is_unchanged) { hold("examples/"); }
TEST(corpus, the_code_of_the_bench_kernels_is_unchanged) { hold("tests/bench/"); }
TEST(corpus, the_code_of_the_differential_kernels_is_unchanged) { hold("tests/differential/"); }
TEST(corpus, the_code_of_random_kernels_is_unchanged) { hold("random/"); }

static void write_code(FILE *out, const struct code *code) {
  fprintf(out, " %u %u %u %016" PRIx64, code->instructions, code->registers, code->spilled, code->digest);
}

static void write_row(FILE *out, const char *name) {
  const struct row row = made(name);
  fputs(name, out);
  write_code(out, &row.many);
  write_code(out, &row.few);
  fputc('\n', out);
}

static void write_rows(glob_t found) {
  FILE *const out = fopen(path, "w");
  ASSERT_TRUE(out != NULL);
  for (size_t i = 0; i < found.gl_pathc; i++)
    write_row(out, found.gl_pathv[i]);
  for (uint32_t row = 0; row < RANDOM_ROWS; row++) {
    char name[32];
    snprintf(name, sizeof name, "random/%u", row);
    write_row(out, name);
  }
  fclose(out);
}

TEST(corpus, every_kernel_has_a_row) {
  static const char *const where[] = {"examples/*/*.cl", "tests/bench/*.cl", "tests/differential/kernels/*.cl"};
  ct_freed(globfree) glob_t found = {0};
  for (size_t i = 0; i < sizeof where / sizeof *where; i++)
    glob(where[i], i ? GLOB_APPEND : 0, NULL, &found);
  if (getenv("CORPUS_WRITE"))
    write_rows(found);
  FILE *const file = fopen(path, "r");
  struct row row;
  size_t rows = 0;
  while (next(file, &row))
    rows++;
  EXPECT_EQ(rows, found.gl_pathc + RANDOM_ROWS);
  if (file)
    fclose(file);
}
