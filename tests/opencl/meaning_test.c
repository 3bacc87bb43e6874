/* What the way from OpenCL C to instructions must not lose or change: the meaning that a value carries besides its
 * operation, wherever it flows, and which work-items reach a call. */
#include <string.h>

#include "isa/ops.h"
#include "opencl/spirv/spirv.h"
#include "tests/ct.h"
#include "tests/kernels.h"
#include "tests/opencl/group_rig.h"
#include "tests/opencl/words.h"

CT_FREES(struct spirv, spirv_free)

static bool open_source(struct group_rig *rig, const char *source) {
  struct isa_error error = {""};
  const bool good = group_rig_compile(rig, source, "CL2.0", &error);
  ct_note("%s", error.text);
  return EXPECT_TRUE(good);
}

/* A kernel that computes `value` (T) from itself and i, in ways that differ in how the value flows. */
#define FLOWS(type, call, first)                                                                                       \
  type " once(" type " v, int i) { return " call "; }\n"                                                               \
       "kernel void k(global const int *in, global " type " *out) {\n"                                                 \
       "  int g = get_global_id(0), n = in[64]; " type " v = " first ";\n"                                             \
       "  for (int i = 0; i < n; i++) v = " call ";\n"                                                                 \
       "  out[g] = v; v = " first ";\n"                                                                                \
       "  for (int i = 0; i < n; i++) v = i & 1 ? " call " : once(v, i);\n"                                            \
       "  out[64 + g] = v; v = " first "; int i = 0;\n"                                                                \
       "  do { if (i & 1) { v = once(v, i); } else { v = " call "; if (g < 0) break; } } while (++i < n);\n"           \
       "  out[128 + g] = v; v = " first ";\n"                                                                          \
       "  for (int i = 0, j = n; i < j; i++, j--) { v = once(v, i); v = " call "; }\n"                                 \
       "  out[192 + g] = v;\n"                                                                                         \
       "}\n"

enum { TURNS = 4 };

static void expect_flows(const char *source, const char *type, int64_t (*once)(int64_t v), int64_t first) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (open_source(&rig, source)) {
    int64_t expected = first;
    for (int i = 0; i < TURNS; i++)
      expected = once(expected);
    group_rig_words(&rig, 0)[64] = TURNS;
    EXPECT_TRUE(group_rig_run(&rig));
    for (unsigned flow = 0; flow < 4; flow++) {
      const unsigned at = 64 * flow + 63;
      const int64_t got = strcmp(type, "uchar") == 0   ? rig.buffers[1].data[at]
                          : strcmp(type, "short") == 0 ? ((const int16_t *)(const void *)rig.buffers[1].data)[at]
                                                       : (int32_t)group_rig_words(&rig, 1)[at];
      ct_note("flow %u", flow);
      EXPECT_EQ(got, expected);
    }
  }
}

static int64_t clamp(int64_t v, int64_t low, int64_t high) { return v < low ? low : v > high ? high : v; }
static int64_t to_uchar(int64_t v) { return clamp(v + 101, 0, 255); }
static int64_t to_short(int64_t v) { return clamp(v * 3 - 1000, -32768, 32767); }

TEST(opencl_meaning, saturation_survives_loops_selects_and_calls) {
  expect_flows(FLOWS("uchar", "convert_uchar_sat(v + 101u)", "(uchar)17"), "uchar", to_uchar, 17);
  expect_flows(FLOWS("short", "convert_short_sat(v * 3 - 1000)", "(short)-900"), "short", to_short, -900);
  expect_flows(FLOWS("short", "convert_short_sat((float)v * 3.0f - 1000.0f)", "(short)-900"), "short", to_short, -900);
}

/* v * 0.75 as an integer; the residue is in quarters. */
static int64_t nearest(int64_t v) { return v * 3 / 4 + (v * 3 % 4 > 2 || (v * 3 % 4 == 2 && v * 3 / 4 & 1)); }
static int64_t down(int64_t v) { return v * 3 / 4; }
static int64_t up(int64_t v) { return (v * 3 + 3) / 4; }

TEST(opencl_meaning, rounding_survives_loops_selects_and_calls) {
  for (int first = 10; first < 100; first += 37) {
    char nearest_source[2048], down_source[2048], up_source[2048], zero_source[2048];
    snprintf(nearest_source, sizeof nearest_source, FLOWS("int", "convert_int_rte(v * 0.75f)", "%d"), first, first,
             first, first);
    snprintf(down_source, sizeof down_source, FLOWS("int", "convert_int_rtn(v * 0.75f)", "%d"), first, first, first,
             first);
    snprintf(up_source, sizeof up_source, FLOWS("int", "convert_int_rtp(v * 0.75f)", "%d"), first, first, first, first);
    snprintf(zero_source, sizeof zero_source, FLOWS("int", "convert_int_rtz(v * 0.75f)", "%d"), first, first, first,
             first);
    expect_flows(nearest_source, "int", nearest, first);
    expect_flows(down_source, "int", down, first);
    expect_flows(up_source, "int", up, first);
    expect_flows(zero_source, "int", down, first);
  }
}

/* A float of 24 bits rounds odd numbers above 2^24: up by rtp, down by rtn. */
static int64_t float_up(int64_t v) { return 2 * ((v + 2) / 2); }
static int64_t float_down(int64_t v) { return 2 * ((v + 1) / 2); }

TEST(opencl_meaning, rounding_to_floats_survives_loops_selects_and_calls) {
  expect_flows(FLOWS("int", "(int)convert_float_rtp(v + 1)", "0x1000000"), "int", float_up, 0x1000000);
  expect_flows(FLOWS("int", "(int)convert_float_rtn(v + 1)", "0x1000001"), "int", float_down, 0x1000001);
}

/* A product that is rounded before the sum differs from a fused one: 2^-24 + 2^-23 is lost in the product's rounding.
 */
TEST(opencl_meaning, a_product_and_a_sum_are_not_contracted_if_the_source_says_so) {
  static const char source[] = "#pragma OPENCL FP_CONTRACT OFF\n"
                               "kernel void k(global const float *in, global float *out) {\n"
                               "  float v = 0; int i = 0;\n"
                               "  do v = in[0] * in[0] + in[1]; while (++i < (int)in[2]);\n"
                               "  out[get_global_id(0)] = v;\n"
                               "}\n";
  ct_freed(group_rig_close) struct group_rig rig;
  const float x = 1 + 0x1p-12f, in[] = {x, -(1 + 0x1p-11f), 3};
  if (open_source(&rig, source)) {
    memcpy(rig.buffers[0].data, in, sizeof in);
    EXPECT_TRUE(group_rig_run(&rig));
    EXPECT_EQ(group_rig_words(&rig, 1)[0], 0); /* fused: 2^-24 */
  }
}

TEST(opencl_meaning, each_volatile_load_and_store_remains_in_a_loop) {
  static const char source[] = "kernel void k(global const int *in, local volatile int *l, global int *out) {\n"
                               "  int sum = 0;\n"
                               "  for (int i = 0; i < in[0]; i++) { l[0] = i; sum += l[0] + l[0]; }\n"
                               "  out[0] = sum;\n"
                               "}\n";
  ct_freed(group_rig_close) struct group_rig rig;
  if (open_source(&rig, source)) {
    EXPECT_TRUE(group_rig_count(&rig, ISA_LD_LDS_32) >= 2);
    EXPECT_TRUE(group_rig_count(&rig, ISA_ST_LDS_32) >= 1);
  }
}

TEST(opencl_meaning, an_alignment_survives_loops_and_calls) {
  static const char source[] =
      "typedef int word __attribute__((aligned(2)));\n"
      "int get(global const char *p) { return *(global const word *)p; }\n"
      "kernel void k(global const char *in, global int *out) {\n"
      "  int sum = 0; global const char *p = in + 2;\n"
      "  for (int i = 0; i < 3; i++, p += 6) sum += i & 1 ? get(p) : *(global const word *)p;\n"
      "  out[get_global_id(0)] = sum;\n"
      "}\n";
  ct_freed(group_rig_close) struct group_rig rig;
  if (open_source(&rig, source)) {
    int32_t sum = 0;
    for (uint32_t i = 0; i < 32; i++)
      rig.buffers[0].data[i] = (uint8_t)i; /* no sum overflows */
    for (uint32_t i = 0, word; i < 3; i++, sum += (int32_t)word)
      memcpy(&word, rig.buffers[0].data + 2 + 6 * i, 4);
    EXPECT_TRUE(group_rig_run(&rig));
    EXPECT_EQ(rig.hazards, 0);
    EXPECT_EQ((int32_t)group_rig_words(&rig, 1)[0], sum);
  }
}

/* ---- a decoration of nothing ------------------------------------------------------------------------- */

/* Changes the id in the module's first OpDecorate with this decoration to one that nothing defines, as llvm-spirv does
 * in loops. */
static bool orphan(uint32_t *word, size_t words, uint32_t decoration) {
  enum { HEADER = 5, DECORATE = 71 };
  for (size_t at = HEADER; at < words && word[at] >> 16; at += word[at] >> 16)
    if ((word[at] & 0xffff) == DECORATE && word[at + 2] == decoration) {
      word[at + 1] = word[3]++; /* the bound */
      return true;
    }
  return false;
}

TEST(opencl_meaning, a_decoration_of_an_undefined_id_is_refused) {
  static const char source[] =
      "kernel void k(global const int *in, global uchar *out, global int *more) {\n"
      "  out[0] = convert_uchar_sat((uint)in[0]); more[0] = convert_int_rte(in[1] * 0.5f) + 1;\n"
      "}\n";
  enum { SATURATED = 28, ROUNDING = 39, ALIGNMENT = 44 };
  static const uint32_t decorations[] = {SATURATED, ROUNDING, ALIGNMENT};
  for (unsigned i = 0; i < 3; i++) {
    ct_freed(ct_free) uint8_t *spirv;
    size_t size;
    struct isa_error error = {""};
    if (!EXPECT_TRUE(group_rig_spirv(source, "CL2.0", &spirv, &size, &error)))
      return;
    ct_note("decoration %u", decorations[i]);
    EXPECT_TRUE(orphan((uint32_t *)(void *)spirv, size / 4, decorations[i]));
    ct_freed(spirv_free_at) struct spirv *module = spirv_read(spirv, size, "k.spv", &error);
    EXPECT_TRUE(!module);
    EXPECT_TRUE(strstr(error.text, "is decorated but not defined") != NULL);
  }
}

/* ---- convergent calls --------------------------------------------------------------------------------- */

TEST(opencl_meaning, equal_calls_in_both_arms_of_a_branch_stay_two_calls) {
  static const char source[] =
      "uint vote(void) { return sub_group_ballot(1).x; }\n"
      "kernel void k(global const int *in, global uint *out) {\n"
      "  uint s = get_local_id(0);\n"
      "  if (s & 1) out[s] = sub_group_ballot(1).x; else out[s] = sub_group_ballot(1).x;\n"
      "  uint v = s & 2 ? vote() : vote(); out[64 + s] = v;\n"
      "  switch (s & 3) {\n"
      "  case 0: v = sub_group_ballot(1).x; break; case 1: v = sub_group_ballot(1).x; break;\n"
      "  default: v = sub_group_ballot(1).x;\n"
      "  }\n"
      "  out[128 + s] = v;\n"
      "  for (int i = 0; i < 2; i++) { if (s & 4) v = sub_group_ballot(1).x + i; else v = sub_group_ballot(1).x + i; "
      "}\n"
      "  out[192 + s] = v;\n"
      "  if (s & 8) { v = sub_group_non_uniform_reduce_add(1u); } else { v = sub_group_non_uniform_reduce_add(1u); }\n"
      "  out[256 + s] = v;\n"
      "}\n";
  static const uint32_t thirds[] = {0x11111111, 0x22222222, 0xcccccccc, 0xcccccccc};
  ct_freed(group_rig_close) struct group_rig rig;
  if (open_source(&rig, source)) {
    EXPECT_TRUE(group_rig_run(&rig));
    const uint32_t *out = group_rig_words(&rig, 1);
    for (uint32_t s = 0; s < 64; s++) {
      ct_note("work-item %u", s);
      EXPECT_EQ(out[s], s & 1 ? 0xaaaaaaaa : 0x55555555);
      EXPECT_EQ(out[64 + s], s & 2 ? 0xcccccccc : 0x33333333);
      EXPECT_EQ(out[128 + s], thirds[s & 3]);
      EXPECT_EQ(out[192 + s], (s & 4 ? 0xf0f0f0f0 : 0x0f0f0f0f) + 1u);
      EXPECT_EQ(out[256 + s], 16);
    }
  }
}

TEST(opencl_meaning, a_barrier_in_each_arm_stays_two_barriers) {
  static const char source[] = "kernel void k(global const int *in, global int *out) {\n"
                               "  local int l[64]; int i = get_local_id(0); l[i] = i;\n"
                               "  if (in[0]) { barrier(CLK_LOCAL_MEM_FENCE); out[i] = l[63 - i]; }\n"
                               "  else { barrier(CLK_LOCAL_MEM_FENCE); out[i] = l[i ^ 1]; }\n"
                               "}\n";
  ct_freed(group_rig_close) struct group_rig rig;
  if (open_source(&rig, source))
    EXPECT_EQ(group_rig_count(&rig, ISA_BAR_LDS), 2);
}

/* ---- order of local memory ------------------------------------------------------------------------------ */

enum { WARP = 32 };

/* Each statement reads what other lanes of the warp wrote in the statement before. */

static void expect_lockstep(const uint32_t *out) {
  uint32_t s[64] = {0}, sum[WARP];
  for (uint32_t i = 0; i < WARP; i++)
    s[i] = i;
  for (uint32_t far = WARP / 2; far; far /= 2) {
    for (uint32_t i = 0; i < WARP; i++)
      sum[i] = s[i] + s[i + far];
    memcpy(s, sum, sizeof sum);
  }
  for (uint32_t i = 0; i < WARP; i++) {
    const uint32_t x = i ? 5 * (i - 1) : 0;
    EXPECT_EQ(out[i], s[i]);
    EXPECT_EQ(out[32 + i], (i + 1 < WARP ? 3 * (i + 1) : i) + 3 * i);
    EXPECT_EQ(out[64 + i], x + 2 * i);
    EXPECT_EQ(out[96 + i], i < 2 ? x : 7 * (i - 2));
    EXPECT_EQ(out[128 + i], i & 1 ? 3 * (i / 2) : i ? 2 * (i / 2 - 1) : 0);
  }
}

TEST(opencl_meaning, lanes_of_a_warp_see_local_memory_in_program_order) {
  for (uint32_t level = 0; level < OPENCL_LEVELS; level++) {
    struct opencl_limits limits = {.target = {.optimize = level, .isa.vector_bytes = 16}};
    struct isa_error error = {""};
    ct_freed(group_rig_close) struct group_rig rig;
    const bool good = group_rig_limits(&rig, CT_KERNEL(lockstep), limits, &error);
    ct_note("level %u: %s", level, error.text);
    if (EXPECT_TRUE(good)) {
      group_rig_range(&rig, WARP, WARP, WARP);
      EXPECT_TRUE(group_rig_run(&rig));
      expect_lockstep(group_rig_words(&rig, 1));
    }
  }
}

/* ---- offset 0 ------------------------------------------------------------------------------------------ */

/* In a module without null pointers, the first local variable is at offset 0, which must not pass for null when a
 * pointer to it was in memory. */
TEST(opencl_meaning, a_local_pointer_to_offset_0_survives_memory_and_becomes_generic) {
  static const char source[] = "struct both { local uint *p; int n; };\n"
                               "kernel void k(global const int *in, global uint *out) {\n"
                               "  local uint l[64]; uint mine[2] = {0, 0}; int i = get_local_id(0);\n"
                               "  struct both s[2]; s[0].p = l + i; s[1].p = l + (i ^ 1); s[0].n = s[1].n = i;\n"
                               "  l[i] = 100 + i; barrier(CLK_LOCAL_MEM_FENCE);\n"
                               "  uint *p = in[i] & 1 ? (uint *)s[in[i] >> 1].p : (uint *)mine;\n"
                               "  *p += 1000; barrier(CLK_LOCAL_MEM_FENCE);\n"
                               "  out[i] = l[i] + mine[0];\n"
                               "}\n";
  ct_freed(group_rig_close) struct group_rig rig;
  if (open_source(&rig, source)) {
    for (uint32_t i = 0; i < 64; i++)
      group_rig_words(&rig, 0)[i] = i % 3 ? 0 : 1;
    EXPECT_TRUE(group_rig_run(&rig));
    EXPECT_EQ(rig.hazards, 0);
    for (uint32_t i = 0; i < 64; i++)
      EXPECT_EQ(group_rig_words(&rig, 1)[i], 1100 + i);
  }
}

/* The module has no null pointer, only memory that is set to 0. */
TEST(opencl_meaning, a_null_pointer_of_a_zeroed_struct_is_the_number_0) {
  static const char source[] = "struct both { local uint *p; ulong n; };\n"
                               "kernel void k(global const int *in, global ulong *out) {\n"
                               "  local uint l[64]; int i = get_local_id(0);\n"
                               "  struct both s[2] = {{0}}; s[in[i] & 1].p = l + i; l[i] = i;\n"
                               "  out[i] = (ulong)s[0].p; out[64 + i] = (ulong)s[1].p - (ulong)(l + i);\n"
                               "}\n";
  ct_freed(group_rig_close) struct group_rig rig;
  if (open_source(&rig, source)) {
    for (uint32_t i = 0; i < 64; i++)
      group_rig_words(&rig, 0)[i] = 1;
    EXPECT_TRUE(group_rig_run(&rig));
    for (uint32_t i = 0; i < 256; i++)
      EXPECT_EQ(group_rig_words(&rig, 1)[i], 0);
  }
}

/* Templates, classes, references, lambdas, overloads by address space, and constant expressions. */

TEST(opencl_meaning, cpp_for_opencl_runs) {
  ct_freed(group_rig_close) struct group_rig rig;
  struct isa_error error = {""};
  const bool good = group_rig_compile(&rig, CT_KERNEL(cpp), "CLC++", &error);
  ct_note("%s", error.text);
  if (EXPECT_TRUE(good)) {
    for (uint32_t i = 0; i < 64; i++)
      group_rig_words(&rig, 0)[i] = 10 * i;
    EXPECT_TRUE(group_rig_run(&rig));
    for (uint32_t i = 0; i < 64; i++)
      EXPECT_EQ(group_rig_words(&rig, 1)[i], 2 * i + (i + 10 * i) + (i % 4 + 1) + 4 + 16 + 3 + 5 + 7 + 21 + 1 + 2);
  }
}

TEST(opencl_meaning, a_variable_that_code_initializes_is_refused) {
  const char *texts[] = {"struct s { int v; s(int x) : v(2 * x) {} };\n"
                         "__global s g(21);\n"
                         "kernel void k(global const int *in, global int *out) { out[0] = g.v; }\n",
                         "int f(int x) { return x + 1; }\n"
                         "__global int g = f(41);\n"
                         "kernel void k(global const int *in, global int *out) { out[0] = g; }\n"};
  for (size_t i = 0; i < 2; i++) {
    ct_freed(group_rig_close) struct group_rig rig;
    struct isa_error error = {""};
    EXPECT_FALSE(group_rig_compile(&rig, texts[i], "CLC++", &error));
    EXPECT_CONTAINS(error.text, "is initialized or destroyed by code; legal: constant initializers");
  }
}

/* ---- after LLVM's passes -------------------------------------------------------------------------------- */

/* Closed forms of loops multiply in 33 bits, switches shrink to 3 bits, divisions hoisted out of loops get a freeze,
 * and unions and gaps in structs become integers of 24 bits. */
TEST(opencl_meaning, numbers_of_odd_widths_are_read) {
  const char *kernels[] = {CT_KERNEL(optimized_code_loses_what), CT_KERNEL(optimized_code_computes_in),
                           CT_KERNEL(code_optimized_into_24)};
  for (size_t i = 0; i < 3; i++) {
    ct_freed(group_rig_close) struct group_rig rig;
    struct isa_error error = {""};
    EXPECT_TRUE(group_rig_clang(&rig, kernels[i], "CL2.0", "-O2", &error));
    EXPECT_STREQ(error.text, "");
  }
}
