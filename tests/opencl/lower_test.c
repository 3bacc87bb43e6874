/* From SPIR-V to a whole program: what happens to kernels that cannot be lowered, and to source lines. */
#include "isa/asm/asm.h"
#include "isa/rows.h"
#include "opencl/opencl.h"
#include "tests/ct.h"
#include "tests/opencl/group_rig.h"
#include "tests/opencl/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

CT_FREES(struct isa_program, isa_program_free)

enum { QUEUE = 20, QUEUE_ARG, GOOD, BAD };

static const struct opencl_limits limits = {.target.registers = 64};

/* The kernels "ok", which does nothing, and "que", which takes a queue. */
static void two_kernels(struct words *w) {
  begin(w);
  PUT(w, OpEntryPoint, KERNEL, BAD, text("que"));
  PUT(w, OpEntryPoint, KERNEL, GOOD, text("ok"));
  begin_types(w);
  PUT(w, OpTypeQueue, QUEUE);
  PUT(w, OpTypeFunction, QUEUE_ARG, VOID, QUEUE);
  PUT(w, OpFunction, VOID, GOOD, 0, NO_ARGS);
  PUT(w, OpLabel, 30);
  PUT0(w, OpReturn);
  PUT0(w, OpFunctionEnd);
  PUT(w, OpFunction, VOID, BAD, 0, QUEUE_ARG);
  PUT(w, OpFunctionParameter, QUEUE, 31);
  PUT(w, OpLabel, 32);
  PUT0(w, OpReturn);
  PUT0(w, OpFunctionEnd);
}

TEST(lower, a_kernel_that_takes_a_queue_does_not_affect_the_others) {
  struct words w;
  struct isa_error error = {""};
  struct opencl_refusals refusals;
  two_kernels(&w);
  struct isa_program *program =
      opencl_lower_each((const uint8_t *)w.word, w.count * 4ul, "t.spv", &limits, &refusals, &error);
  ASSERT_TRUE(program != NULL);
  EXPECT_EQ(program->kernel_count, 1);
  EXPECT_TRUE(isa_find_kernel(program, "ok") != NULL);
  EXPECT_EQ(refusals.count, 1);
  EXPECT_TRUE(!opencl_refused(&refusals, "ok"));
  const struct isa_error *why = opencl_refused(&refusals, "que");
  ASSERT_TRUE(why != NULL);
  EXPECT_CONTAINS(why->text, "queue_t");
  opencl_refusals_free(&refusals);
  EXPECT_EQ(refusals.count, 0);
  isa_program_free(program);
}

TEST(lower, if_no_kernel_can_be_lowered_the_reason_is_given) {
  struct words w;
  struct isa_error error = {""};
  two_kernels(&w);
  EXPECT_TRUE(!opencl_lower((const uint8_t *)w.word, w.count * 4ul, "t.spv", &limits, &error));
  EXPECT_CONTAINS(error.text, "queue_t");
}

/* Kernels of different lengths, with loops, branches, barriers, printf texts and a table; one is refused. */
static const char many_kernels[] =
    "constant uint t[4] = {2, 3, 5, 7};\n"
    "#define KERNEL(n) kernel void k##n(global uint *a, local uint *l) { uint x = a[get_global_id(0)];\\\n"
    "for (uint i = 0; i < x; i++) { x += t[i & 3]; if (x & n) a[i] = x; l[i] = x; barrier(CLK_LOCAL_MEM_FENCE); }\\\n"
    "printf(#n \" %u\\n\", l[x]); _Pragma(\"unroll\") for (uint i = 0; i < 8 * n; i++) a[i] ^= x * i; }\n"
    "KERNEL(7) KERNEL(1) KERNEL(5) KERNEL(2)\n"
    "kernel void refused(global uint *a, queue_t q) { a[0] = 1; }\n"
    "KERNEL(6) KERNEL(3) KERNEL(4)\n";

static struct isa_program *lower_many(const uint8_t *spirv, size_t size, unsigned threads,
                                      struct opencl_refusals *refusals, struct opencl_explanation *explanation) {
  const struct opencl_limits many = {
      .target = {.registers = 64, .optimize = 2}, .explanation = explanation, .threads = threads};
  struct isa_error error = {""};
  struct isa_program *program = opencl_lower_each(spirv, size, "many.cl", &many, refusals, &error);
  EXPECT_STREQ(error.text, "");
  return program;
}

static void expect_same(const struct isa_program *one, const struct isa_program *other) {
  char *text = isa_disassemble(one), *same = isa_disassemble(other);
  EXPECT_STREQ(text, same);
  EXPECT_TRUE(!memcmp(one->line, other->line, one->count * sizeof *one->line));
  EXPECT_TRUE(!memcmp(one->column, other->column, one->count * sizeof *one->column));
  EXPECT_TRUE(!memcmp(one->source, other->source, one->count * sizeof *one->source));
  free(text);
  free(same);
}

TEST(lower, several_threads_make_the_same_program_as_one) {
  ct_freed(ct_free) uint8_t *spirv = NULL;
  size_t size = 0;
  struct isa_error error = {""};
  ASSERT_TRUE(group_rig_spirv(many_kernels, "CL3.0", &spirv, &size, &error));
  struct opencl_refusals refusals;
  struct opencl_explanation explanation = {0};
  ct_freed(isa_program_free_at) struct isa_program *program = lower_many(spirv, size, 1, &refusals, &explanation);
  ASSERT_TRUE(program && program->kernel_count == 7);
  EXPECT_EQ(program->kernels[0].entry, 0);
  EXPECT_EQ(program->kernels[6].end, program->count);
  for (size_t i = 1; i < 7; i++)
    EXPECT_EQ(program->kernels[i].entry, program->kernels[i - 1].end);
  for (unsigned threads = 2; threads <= 9; threads++) {
    struct opencl_refusals others;
    struct opencl_explanation same = {0};
    ct_freed(isa_program_free_at) struct isa_program *other = lower_many(spirv, size, threads, &others, &same);
    ASSERT_TRUE(other && other->kernel_count == 7 && other->count == program->count);
    expect_same(program, other);
    ASSERT_TRUE(others.count == 1);
    EXPECT_STREQ(others.row[0].error.text, refusals.row[0].error.text);
    ASSERT_TRUE(same.count == 7);
    for (size_t i = 0; i < 7; i++) {
      EXPECT_STREQ(same.row[i].kernel, explanation.row[i].kernel);
      EXPECT_EQ(same.row[i].log.count, explanation.row[i].log.count);
    }
    opencl_refusals_free(&others);
    opencl_explanation_free(&same);
  }
  opencl_refusals_free(&refusals);
  opencl_explanation_free(&explanation);
}

/* Lowers an access chain to member `index` of a struct of two words. */
static bool lowers_member(uint32_t index, struct isa_error *error) {
  enum { PAIR = 20, TO_PAIR, TO_WORD, INDEX, VARIABLE, MEMBER };
  struct words w;
  begin(&w);
  PUT(&w, OpEntryPoint, KERNEL, KERNEL_ID, text("k"));
  begin_types(&w);
  PUT(&w, OpTypeStruct, PAIR, U32, U32);
  PUT(&w, OpTypePointer, TO_PAIR, FUNCTION, PAIR);
  PUT(&w, OpTypePointer, TO_WORD, FUNCTION, U32);
  PUT(&w, OpConstant, U32, INDEX, index);
  PUT(&w, OpFunction, VOID, KERNEL_ID, 0, NO_ARGS);
  PUT(&w, OpLabel, FREE);
  PUT(&w, OpVariable, TO_PAIR, VARIABLE, FUNCTION);
  PUT(&w, OpInBoundsAccessChain, TO_WORD, MEMBER, VARIABLE, INDEX);
  PUT(&w, OpStore, MEMBER, ONE);
  PUT0(&w, OpReturn);
  PUT0(&w, OpFunctionEnd);
  ct_freed(isa_program_free_at) struct isa_program *program =
      opencl_lower((const uint8_t *)w.word, w.count * 4ul, "t.spv", &limits, error);
  return program != NULL;
}

TEST(lower, the_member_after_the_last_one_does_not_exist) {
  struct isa_error error = {""};
  EXPECT_TRUE(lowers_member(1, &error));
  EXPECT_STREQ(error.text, "");
  EXPECT_FALSE(lowers_member(2, &error));
  EXPECT_CONTAINS(error.text, "a chain of indices names no member of its struct");
}

/* clang never generates this: it keeps an array where an address is taken. */
TEST(lower, the_address_of_a_private_constant_in_memory_is_refused) {
  enum { TO_WORD = 20, TO_POINTER, PRIVATE_CONSTANT, VARIABLE };
  struct words w;
  struct isa_error error = {""};
  begin(&w);
  PUT(&w, OpEntryPoint, KERNEL, KERNEL_ID, text("k"));
  begin_types(&w);
  PUT(&w, OpTypePointer, TO_WORD, FUNCTION, U32);
  PUT(&w, OpTypePointer, TO_POINTER, FUNCTION, TO_WORD);
  PUT(&w, OpVariable, TO_WORD, PRIVATE_CONSTANT, FUNCTION, ONE);
  PUT(&w, OpFunction, VOID, KERNEL_ID, 0, NO_ARGS);
  PUT(&w, OpLabel, FREE);
  PUT(&w, OpVariable, TO_POINTER, VARIABLE, FUNCTION);
  PUT(&w, OpStore, VARIABLE, PRIVATE_CONSTANT);
  PUT0(&w, OpReturn);
  PUT0(&w, OpFunctionEnd);
  EXPECT_TRUE(!opencl_lower((const uint8_t *)w.word, w.count * 4ul, "t.spv", &limits, &error));
  EXPECT_CONTAINS(error.text, "a private constant's address in memory is not supported");
}

TEST(lower, a_module_without_kernels_is_refused) {
  struct words w;
  struct isa_error error = {""};
  begin(&w);
  EXPECT_TRUE(!opencl_lower((const uint8_t *)w.word, w.count * 4ul, "t.spv", &limits, &error));
  EXPECT_STREQ(error.text, "t.spv: has no kernel");
}

/* For longer names than text() supports. */
static void put_string(struct words *w, uint32_t id, const char *string) {
  uint32_t operand[64] = {id};
  const uint32_t count = (uint32_t)strlen(string) / 4 + 2;
  for (uint32_t i = 0; string[i]; i++)
    operand[1 + i / 4] |= (uint32_t)(unsigned char)string[i] << i % 4 * 8;
  add(w, OpString, operand, count);
}

/* A kernel all of whose code comes from line 2 of `path`. */
static struct isa_program *lower_from(const char *path) {
  struct words w;
  struct isa_error error = {""};
  begin(&w);
  PUT(&w, OpEntryPoint, KERNEL, KERNEL_ID, text("k"));
  put_string(&w, FILE_NAME, path);
  begin_types(&w);
  PUT(&w, OpFunction, VOID, KERNEL_ID, 0, NO_ARGS);
  PUT(&w, OpLabel, FREE);
  PUT(&w, OpLine, FILE_NAME, 2, 1);
  PUT0(&w, OpReturn);
  PUT0(&w, OpFunctionEnd);
  struct isa_program *program = opencl_lower((const uint8_t *)w.word, w.count * 4ul, "t.spv", &limits, &error);
  EXPECT_STREQ(error.text, "");
  return program;
}

/* A stranger's module may name any file in its lines. */
TEST(lower, the_text_of_a_file_that_is_not_named_like_a_source_is_not_read) {
  char secret[] = "/tmp/warpwait_lower_XXXXXX", link[64];
  const int file = mkstemp(secret);
  ASSERT_TRUE(file >= 0);
  EXPECT_EQ(write(file, "root:x\n", 7), 7);
  close(file);
  snprintf(link, sizeof link, "%s.cl", secret);
  EXPECT_EQ(symlink(secret, link), 0);
  const char *const paths[] = {secret, link};
  for (size_t i = 0; i < 2; i++) {
    ct_freed(isa_program_free_at) struct isa_program *program = lower_from(paths[i]);
    ASSERT_TRUE(program && program->source_count == 1);
    EXPECT_EQ(program->sources[0].lines, 0);
  }
  remove(link);
  remove(secret);
}

TEST(lower, the_text_of_a_source_is_read_for_its_lines) {
  char path[] = "/tmp/warpwait_lower_XXXXXX.cl";
  const int file = mkstemps(path, 3);
  ASSERT_TRUE(file >= 0);
  EXPECT_EQ(write(file, "one\ntwo\r\nthree", 14), 14);
  close(file);
  ct_freed(isa_program_free_at) struct isa_program *program = lower_from(path);
  ASSERT_TRUE(program && program->source_count == 1);
  EXPECT_STREQ(program->sources[0].name, path + sizeof "/tmp/" - 1);
  ASSERT_EQ(program->sources[0].lines, 3);
  EXPECT_STREQ(program->sources[0].text[1], "two");
  EXPECT_STREQ(program->sources[0].text[2], "three");
  EXPECT_EQ(program->line[0], 2);
  EXPECT_EQ(program->column[0], 1);
  remove(path);
}

TEST(lower, sources_that_are_not_regular_files_are_left_alone) {
  static const char *const paths[] = {"/nowhere/k.cl", "/dev/zero", "/tmp"};
  for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
    ct_note("%s", paths[i]);
    ct_freed(isa_program_free_at) struct isa_program *program = lower_from(paths[i]);
    ASSERT_TRUE(program && program->source_count == 1);
    EXPECT_TRUE(!program->sources[0].text);
  }
}
