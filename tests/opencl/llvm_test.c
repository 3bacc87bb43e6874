/* The reader of LLVM IR: what it makes of files as different versions of clang write them, and how it refuses others.
 */
#include "opencl/llvm/llvm.h"

#include <stdlib.h>
#include <string.h>

#include "tests/ct.h"
#include "tests/kernels.h"
#include "tests/opencl/group_rig.h"

static bool open_text(struct group_rig *rig, const char *text, struct isa_error *error) {
  ct_freed(ct_free) uint8_t *spirv = NULL;
  size_t size = 0;
  *rig = (struct group_rig){0};
  return llvm_to_spirv(text, strlen(text), "k.ll", &spirv, &size, error) && group_rig_lower(rig, spirv, size, error);
}

static bool open(struct group_rig *rig, const char *text) {
  struct isa_error error = {""};
  const bool good = open_text(rig, text, &error);
  if (!good)
    ct_true(false, error.text, __FILE__, __LINE__);
  return good;
}

/* Runs one work-item with these words as input. The caller closes the rig in any case; it is empty if this fails. */
static bool run_one(struct group_rig *rig, const char *text, uint32_t a, uint32_t b) {
  if (!open(rig, text))
    return false;
  group_rig_range(rig, 1, 1, 32);
  group_rig_words(rig, 0)[0] = a;
  group_rig_words(rig, 0)[1] = b;
  return EXPECT_TRUE(group_rig_run(rig));
}

/* ---- results ------------------------------------------------------------------------------------- */

static uint32_t low24(uint32_t value) { return value & 0xffffff; }
static int32_t signed24(uint32_t value) { return (int32_t)(value << 8) >> 8; }

TEST(llvm, integers_of_any_width_compute_as_llvm_says) {
  ct_freed(group_rig_close) struct group_rig rig;
  const uint32_t a = 0x00f12345, b = 0x00fff123; /* their sum has a 25th bit, and both are negative */
  if (!run_one(&rig, CT_KERNEL(odd_widths), a, b))
    return;
  const uint32_t *out = group_rig_words(&rig, 1);
  EXPECT_EQ(out[0], low24(a + b));
  EXPECT_EQ((int32_t)out[1], signed24(a));
  EXPECT_EQ((int32_t)out[2], signed24(a) / signed24(b));
  EXPECT_EQ(out[3], ((signed24(a) < signed24(b)) + (low24(a) < low24(b))) & 1);
  const uint64_t square = ((uint64_t)((int64_t)(int32_t)a * (int32_t)a)) & ((UINT64_C(1) << 33) - 1);
  EXPECT_EQ(out[4], (uint32_t)(square >> 1));
  EXPECT_EQ((int32_t)out[5], signed24(a) >> 3);
  EXPECT_EQ(out[6] >> 8, low24(a)); /* three bytes, and no fourth */
  EXPECT_EQ(out[6] & 0xff, 0);
  EXPECT_EQ(out[7], low24(a));
}

/* SPIR-V keeps each element in a number of its own. */
TEST(llvm, elements_of_odd_widths_lie_beside_each_other_when_they_are_read_as_one_number) {
  ct_freed(group_rig_close) struct group_rig rig;
  const uint32_t a = 0x9a345678;
  if (!run_one(&rig, CT_KERNEL(odd_bitcasts), a, 0))
    return;
  const uint32_t *out = group_rig_words(&rig, 1);
  EXPECT_EQ(out[0], 0x59); /* 0x9a, the last bit first */
  EXPECT_EQ(out[1], 0x56);
  EXPECT_EQ(out[2], 0x345678);
  EXPECT_EQ(out[3], 0x5678);
}

TEST(llvm, vectors_have_any_number_of_components) {
  ct_freed(group_rig_close) struct group_rig rig;
  const uint32_t a = 0x89abcdef, b = 0x01234567;
  if (!run_one(&rig, CT_KERNEL(odd_vectors), a, b))
    return;
  const uint32_t *out = group_rig_words(&rig, 1), expected[] = {a + 1, b + 2, 3, 4, 5, 0x4567cdef, 0x0123};
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    ct_note("word %zu", i);
    EXPECT_EQ(out[i], expected[i]);
  }
  EXPECT_EQ(out[7], 0xff & ~a); /* eight bits of one byte */
}

/* What the float with these bits is as a bfloat. */
static uint16_t narrowed(uint32_t a) {
  ct_freed(group_rig_close) struct group_rig rig;
  const uint32_t pair = 0xc0403f81; /* 1.0078125 and -3 */
  if (!run_one(&rig, CT_KERNEL(bfloats), a, pair))
    return 0;
  const uint16_t *out = (const uint16_t *)(const void *)rig.buffers[1].data;
  EXPECT_EQ(out[1], 0xbfff); /* -1.9921875 */
  EXPECT_EQ(group_rig_words(&rig, 1)[1], 0x3f810000);
  EXPECT_EQ(group_rig_words(&rig, 1)[2], 0xc0400000);
  EXPECT_EQ(out[6], 0xbf81);
  EXPECT_EQ(out[7], 0xc002); /* 1 - 3.0234375, a tie */
  EXPECT_EQ(out[8], 0x4040);
  EXPECT_EQ(group_rig_words(&rig, 1)[5], (uint32_t)-3);
  return out[0];
}

TEST(llvm, bfloats_are_computed_in_float_and_rounded_to_the_nearest) {
  EXPECT_EQ(narrowed(0x3f808000), 0x3f80); /* a tie: to the even one */
  EXPECT_EQ(narrowed(0x3f818000), 0x3f82);
  EXPECT_EQ(narrowed(0x3f808001), 0x3f81);
  EXPECT_EQ(narrowed(0x7f7fffff), 0x7f80); /* the largest float becomes infinite */
  EXPECT_EQ(narrowed(0x7f800001), 0x7fc0); /* a signaling NaN whose bits are all in the lower half */
  EXPECT_EQ(narrowed(0x80000000), 0x8000);
}

/* The forms that Triton and XLA write. The module does not name its target. */
TEST(llvm, inline_ptx_accesses_memory_under_predicates) {
  ct_freed(group_rig_close) struct group_rig rig;
  struct isa_error error = {""};
  const bool good = open_text(&rig, CT_KERNEL(inline_ptx), &error);
  EXPECT_STREQ(error.text, "");
  if (!good)
    return;
  uint32_t *in = group_rig_words(&rig, 0);
  for (uint32_t i = 0; i < 200; i++)
    in[i] = 0x3f80 + i;
  in[200] = 40;
  EXPECT_EQ(rig.program->kernels[0].required_local[0], 32);
  EXPECT_EQ(rig.program->kernels[0].required_local[1], 2);
  group_rig_range(&rig, 64, 64, 32);
  EXPECT_TRUE(group_rig_run(&rig));
  EXPECT_EQ(rig.hazards, 0);
  for (uint32_t i = 0; i < 64; i++) {
    const uint32_t *out = group_rig_words(&rig, 1) + 4 * (size_t)i, low = i < 40 ? 0x3f80 + 2 * i + 2 : 7,
                   expected[] = {low, i < 40 ? low + 1 : 8, i < 40 ? 100 + (i ^ 1) : 9, low};
    ct_note("item %u", i);
    EXPECT_EQ(memcmp(out, expected, sizeof expected), 0);
  }
}

/* As the PTX manual describes shfl.sync. */
static uint32_t shuffled(unsigned mode, uint32_t item, uint32_t b, uint32_t c) {
  const int lane = (int)item % 32, segment = (int)(c >> 8 & 31), first = lane & segment,
            end = first | ((int)(c & 31) & ~segment);
  const int from = mode == 0   ? lane - (int)b
                   : mode == 1 ? lane + (int)b
                   : mode == 2 ? lane ^ (int)b
                               : first | ((int)b & ~segment);
  const bool legal = mode == 0 ? from >= end : from <= end;
  return 1000 + item - (uint32_t)lane + (uint32_t)(legal ? from : lane);
}

TEST(llvm, cuda_s_shuffles_stay_in_their_segment) {
  static const uint32_t rows[][2] = {{1, 0x001f}, {5, 0x001f}, {16, 0x001f}, {3, 0x181f}, {9, 0x101f}, {2, 0x1c1f}};
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
    ct_freed(group_rig_close) struct group_rig rig;
    struct isa_error error = {""};
    const bool good = open_text(&rig, CT_KERNEL(cuda_shuffles), &error);
    EXPECT_STREQ(error.text, "");
    if (!good)
      return;
    memcpy(group_rig_words(&rig, 0) + 200, rows[r], sizeof rows[r]);
    group_rig_range(&rig, 64, 64, 32);
    EXPECT_TRUE(group_rig_run(&rig));
    for (uint32_t i = 0; i < 64; i++)
      for (unsigned mode = 0; mode < 4; mode++) {
        ct_note("b %u, c %x, item %u, mode %u", rows[r][0], rows[r][1], i, mode);
        EXPECT_EQ(group_rig_words(&rig, 1)[4 * i + mode],
                  shuffled(mode, i, rows[r][0], mode ? rows[r][1] : rows[r][1] & ~255u));
      }
  }
}

TEST(llvm, inline_ptx_that_is_not_known_refuses_its_kernel_with_the_text) {
  static const char *const rows[][2] = {
      {"wgmma.fence.sync.aligned;", "\"~{memory}\"()"},
      {"mov.u32 $0, %no_register;", "\"=r\"()"},
      {"mov.u32 $1, 0;", "\"=r\"()"},
      {"mov.u32 $0, ;", "\"=r\"()"},
      {"@$9 mov.u32 $0, 0;", "\"=r\"()"},
      {"ld.global.v4.b32 { $0, $0 }, [ $1 ];", "\"=r,l\"(ptr addrspace(1) %out)"},
      {"ld.local.b32 $0, [ $1 ];", "\"=r,l\"(ptr addrspace(1) %out)"},
      {"ld.global.b24 $0, [ $1 ];", "\"=r,l\"(ptr addrspace(1) %out)"},
      {"ld.global.b32 $0, [ $1 + ];", "\"=r,l\"(ptr addrspace(1) %out)"},
      {"mov.u32 $0, 1; mov.u32 $0, 2 mov.u32 $0, 3;", "\"=r\"()"},
      {"mov.u32 $0, 1;", "\"=x\"()"},
      {"mov.u32 $0, 1;", "\"=r,r\"()"},
      {"mov.u32 $0, 1;", "\"=l\"()"},
      {"bar.sync 3;", "\"~{memory}\"()"},
  };
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
    ct_freed(group_rig_close) struct group_rig rig;
    struct isa_error error = {""};
    char text[800];
    const bool nothing = rows[r][1][1] == '~';
    snprintf(text, sizeof text,
             "target triple = \"nvptx64\"\ndefine ptx_kernel void @k(ptr addrspace(1) %%out) {\n"
             "  %scall %s asm sideeffect \"%s\", %s\n  ret void\n}\n",
             nothing ? "" : "%v = ", nothing ? "void" : "i32", rows[r][0], rows[r][1]);
    ct_note("%s", rows[r][0]);
    EXPECT_FALSE(open_text(&rig, text, &error));
    EXPECT_CONTAINS(error.text, "inline assembly '");
  }
}

/* A name that is used before the block that defines it may be that of a phi which has a name. */
TEST(llvm, a_phi_may_have_several_names) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (run_one(&rig, CT_KERNEL(name_of_a_phi), 0, 0))
    EXPECT_TRUE(group_rig_words(&rig, 1)[0] == 5 && group_rig_words(&rig, 1)[1] == 5);
}

TEST(llvm, its_own_intrinsics_have_their_meaning) {
  ct_freed(group_rig_close) struct group_rig rig;
  const uint32_t a = 0x12345678, b = 0x9abcdef0;
  if (!run_one(&rig, CT_KERNEL(intrinsics), a, b))
    return;
  const uint32_t *out = group_rig_words(&rig, 1);
  EXPECT_EQ(out[0], a << 4 | a >> 28); /* shifts count modulo 32 */
  EXPECT_EQ(out[1], a << 8 | b >> 24);
  EXPECT_EQ(out[2], __builtin_bswap32(a));
  EXPECT_EQ(out[3], 3);
  EXPECT_EQ(out[4], a + 3 * 0x03030303u);
}

static bool reads_the_table(struct group_rig *rig, const char *text) {
  if (!run_one(rig, text, 2, 0))
    return false;
  float value;
  memcpy(&value, group_rig_words(rig, 1), sizeof value);
  return EXPECT_EQ(value, 11);
}

TEST(llvm, pointers_of_old_and_new_versions_make_the_same_program) {
  ct_freed(group_rig_close) struct group_rig old, new;
  const bool good = reads_the_table(&old, CT_KERNEL(old_pointers));
  if (reads_the_table(&new, CT_KERNEL(opaque_pointers)) && good && EXPECT_EQ(old.program->count, new.program->count))
    EXPECT_EQ(memcmp(old.program->code, new.program->code, old.program->count * sizeof(struct isa_inst)), 0);
}

TEST(llvm, phis_take_what_their_edges_bring) {
  static const struct {
    int32_t in;
    uint32_t out;
  } rows[] = {{1, 10}, {2, 10}, {-3, 110}, {5, 7}};
  ct_freed(group_rig_close) struct group_rig rig;
  if (!open(&rig, CT_KERNEL(flow)))
    return;
  group_rig_range(&rig, 1, 1, 32);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    group_rig_words(&rig, 0)[0] = (uint32_t)rows[i].in;
    EXPECT_TRUE(group_rig_run(&rig));
    EXPECT_EQ(group_rig_words(&rig, 1)[0], rows[i].out);
  }
}

TEST(llvm, constants_contain_addresses_of_later_variables) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (!run_one(&rig, CT_KERNEL(constants), 0, 0))
    return;
  const uint32_t *out = group_rig_words(&rig, 1);
  EXPECT_EQ(out[0], 258);
  EXPECT_EQ(out[1], 0x3fc00000); /* 1.5 */
  EXPECT_EQ(out[2], 1);
  EXPECT_EQ(out[3], 0x005c6101);
  EXPECT_EQ(out[4], 36);
}

static void turns_around(const char *text) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (!open(&rig, text))
    return;
  for (uint32_t i = 0; i < 64; i++)
    group_rig_words(&rig, 0)[i] = 3 * i;
  EXPECT_TRUE(group_rig_run(&rig));
  for (uint32_t i = 0; i < 64; i++)
    EXPECT_EQ(group_rig_words(&rig, 1)[i], 3 * (63 - i));
}

TEST(llvm, kernels_for_nvptx_and_amdgcn_run) {
  turns_around(CT_KERNEL(nvptx));
  turns_around(CT_KERNEL(amdgcn));
}

/* HIP passes structs in what its types call constant memory. Here, the struct is the address of buffer 1. */
TEST(llvm, structs_of_amdgcn_kernels_are_arguments) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (run_one(&rig, CT_KERNEL(amdgcn_struct), 0, 0))
    EXPECT_EQ(group_rig_words(&rig, 0)[0], (uint32_t)rig.buffers[1].base);
}

/* ---- refusals ------------------------------------------------------------------------------------ */

TEST(llvm, only_kernels_that_reach_something_unsupported_are_refused) {
  const char *text = CT_KERNEL(some_unsupported);
  ct_freed(ct_free) uint8_t *spirv = NULL;
  size_t size = 0;
  struct isa_error error = {""};
  struct opencl_refusals refusals;
  const struct opencl_limits limits = {.target.registers = 32};
  if (!EXPECT_TRUE(llvm_to_spirv(text, strlen(text), "k.ll", &spirv, &size, &error)))
    return;
  struct isa_program *program = opencl_lower_each(spirv, size, "k.ll", &limits, &refusals, &error);
  if (EXPECT_TRUE(program != NULL))
    EXPECT_TRUE(isa_find_kernel(program, "good") != NULL);
  if (EXPECT_EQ(refusals.count, 1))
    EXPECT_STREQ(refusals.row[0].error.text, "kernel.cl:4: inline assembly 'bar.sync 0;' is not supported");
  isa_program_free(program);
  opencl_refusals_free(&refusals);
}

TEST(llvm, bad_text_is_refused_with_its_line) {
#define BODY(lines) "define spir_kernel void @k(ptr addrspace(1) %p) {\n" lines "}\n"
  static const struct {
    const char *text, *why;
  } rows[] = {
      {"target triple = \"x86_64-linux-gnu\"\n",
       "k.ll:1: target 'x86_64-linux-gnu'; legal: spir64, spirv64, nvptx64 and amdgcn"},
      {BODY("  ret\n"), "k.ll:3: a type is expected, not '}'"},
      {BODY("  %x = frob i32 1\n  ret void\n"), "k.ll:2: 'frob' is not an instruction that is supported"},
      {BODY("  %x = add i32 1, %y\n  ret void\n"), "k.ll:2: '%y' is not defined in this function"},
      {BODY("  br label %there\n"), "k.ll:2: there is no label 'there' in this function"},
      {BODY("  %x = add i32 1, 2\n  %x = add i32 1, 2\n  ret void\n"), "k.ll:3: '%x' is already defined"},
      {BODY("  store i32 1, ptr addrspace(1) @none\n  ret void\n"), "k.ll:2: '@none' is defined nowhere"},
      {BODY("  store i32 1, ptr addrspace(9) null\n  ret void\n"), "k.ll:2: address space 9; legal: 0 to 5"},
      {BODY("  store %t 1, ptr addrspace(1) %p\n  ret void\n"), "k.ll:2: type '%t' is defined nowhere"},
      {"%t = type { %t }\n" BODY("  store %t undef, ptr addrspace(1) %p\n  ret void\n"),
       "k.ll:1: type '%t' contains itself"},
      {"@a = addrspace(1) global ptr addrspace(1) @b\n@b = addrspace(1) global ptr addrspace(1) @a\n",
       "k.ll:2: '@a' contains itself"},
      {BODY("  %v = load <99 x i32>, ptr addrspace(1) %p\n  ret void\n"),
       "k.ll:2: a vector of 99 components; legal: 1 to 64"},
      {BODY("  store [2 x i8] c\"abc\", ptr addrspace(1) %p\n  ret void\n"),
       "k.ll:2: a text of 3 bytes for another type"},
      {BODY("  ret void\n  ret void\n"), "k.ll:3: a label is expected, because the block before has ended"},
      {BODY("  %s = alloca i32\n"), "k.ll:3: a function ends within a block, or has none"},
      {"define void @f() {\n", "k.ll:2: a bracket does not close"},
      {"@x = global i32 1\n@x = global i32 1\n", "k.ll:2: '@x' is already defined"},
      {"@x = global i32 \"\n", "k.ll:1: a quoted text does not end"},
  };
#undef BODY
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ct_freed(ct_free) uint8_t *spirv = NULL;
    size_t size = 0;
    struct isa_error error = {""};
    ct_note("row %zu", i);
    EXPECT_FALSE(llvm_to_spirv(rows[i].text, strlen(rows[i].text), "k.ll", &spirv, &size, &error));
    EXPECT_STREQ(error.text, rows[i].why);
    EXPECT_TRUE(spirv == NULL);
  }
}

/* A long node that each of many instructions names would take hours. */
TEST(llvm, metadata_is_not_read_without_end) {
  enum { BRANCHES = 2000, WORDS = 20000 };
  ct_freed(ct_free) char *text = malloc(64 * BRANCHES + 8 * WORDS + 1000);
  char *to = text;
  ct_freed(ct_free) uint8_t *spirv = NULL;
  size_t size = 0;
  struct isa_error error = {""};
  to += sprintf(to, "define spir_kernel void @k() {\n  br label %%b0\n");
  for (int i = 0; i < BRANCHES; i++)
    to += sprintf(to, "b%d:\n  br label %%b%d, !llvm.loop !0\n", i, i + 1);
  to += sprintf(to, "b%d:\n  ret void\n}\n!0 = !{", BRANCHES);
  for (int i = 0; i < WORDS; i++)
    to += sprintf(to, "!1, ");
  sprintf(to, "!1}\n!1 = !{}\n");
  EXPECT_FALSE(llvm_to_spirv(text, strlen(text), "k.ll", &spirv, &size, &error));
  EXPECT_CONTAINS(error.text, "long metadata or annotations are named too often");
}

TEST(llvm, a_function_may_return_a_struct) {
  const char *text = "define spir_func { i32, i32 } @f(i32 %a) {\n  %x = insertvalue { i32, i32 } poison, i32 %a, 1\n"
                     "  ret { i32, i32 } %x\n}\n"
                     "define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out) {\n"
                     "  %x = call spir_func { i32, i32 } @f(i32 noundef 7)\n  %y = extractvalue { i32, i32 } %x, 1\n"
                     "  store i32 %y, ptr addrspace(1) %out, align 4\n  ret void\n}\n";
  ct_freed(group_rig_close) struct group_rig rig;
  if (run_one(&rig, text, 0, 0))
    EXPECT_EQ(group_rig_words(&rig, 1)[0], 7);
}

/* Every prefix of a file, and every file with a line or a word missing, is read or refused in one line. */
TEST(llvm, damaged_files_are_read_or_refused_in_one_line) {
  const char *texts[] = {CT_KERNEL(odd_widths), CT_KERNEL(odd_bitcasts), CT_KERNEL(odd_vectors),
                         CT_KERNEL(bfloats),    CT_KERNEL(intrinsics),   CT_KERNEL(constants),
                         CT_KERNEL(nvptx),      CT_KERNEL(inline_ptx),   CT_KERNEL(cuda_shuffles)};
  unsigned refused = 0;
  for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
    const size_t length = strlen(texts[t]);
    for (size_t cut = 0; cut < length; cut += 7)
      for (int gap = 0; gap < 2; gap++) {
        ct_freed(ct_free) char *text = malloc(length + 1);
        ct_freed(ct_free) uint8_t *spirv = NULL;
        struct group_rig rig;
        struct isa_error error = {""};
        const size_t skipped = gap ? strcspn(texts[t] + cut, " \n") + 1 : length;
        memcpy(text, texts[t], cut);
        strcpy(text + cut, cut + skipped <= length ? texts[t] + cut + skipped : "");
        const bool good = open_text(&rig, text, &error);
        group_rig_close(&rig);
        refused += !good;
        if (!good)
          EXPECT_TRUE(*error.text && !strchr(error.text, '\n'));
      }
  }
  EXPECT_GT(refused, 300);
}
