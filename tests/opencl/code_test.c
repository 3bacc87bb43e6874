/* How good the code from OpenCL C is: numbers of instructions compared with what a person would write. */
#include <string.h>

#include "isa/ops.h"
#include "tests/ct.h"
#include "tests/opencl/group_rig.h"

/* Counts one operation in the program of `source`. */
static unsigned count(const char *source, enum isa_op op) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (!group_rig_open(&rig, source))
    return UINT32_MAX;
  return group_rig_count(&rig, op);
}

static unsigned instructions(const char *source) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (!group_rig_open(&rig, source))
    return UINT32_MAX;
  return (unsigned)rig.program->count;
}

#define SUM_OF_8(hint)                                                                                                 \
  "kernel void k(global uint *in, global uint *out) { uint sum = 0;\n" hint                                            \
  "\nfor (uint i = 0; i < 8; i++) sum += in[i * 5]; out[0] = sum; }"

TEST(code, a_loop_is_unrolled_only_on_request) {
  EXPECT_EQ(count(SUM_OF_8(""), ISA_LD_GLOBAL_32), 1);
  EXPECT_EQ(count(SUM_OF_8("#pragma unroll 1"), ISA_LD_GLOBAL_32), 1);
  EXPECT_EQ(count(SUM_OF_8("__attribute__((opencl_unroll_hint(1)))"), ISA_LD_GLOBAL_32), 1);
  EXPECT_EQ(count(SUM_OF_8("#pragma unroll"), ISA_LD_GLOBAL_32), 8);
  EXPECT_EQ(count(SUM_OF_8("#pragma unroll 8"), ISA_LD_GLOBAL_32), 8);
  EXPECT_EQ(count(SUM_OF_8("__attribute__((opencl_unroll_hint))"), ISA_LD_GLOBAL_32), 8);
}

TEST(code, fewer_copies_than_iterations_leave_the_loop) {
  EXPECT_EQ(count(SUM_OF_8("#pragma unroll 4"), ISA_LD_GLOBAL_32), 1);
}

TEST(code, a_private_array_in_an_unrolled_loop_lives_in_registers) {
  EXPECT_EQ(count("kernel void k(global uint *in, global uint *out) { uint a[4] = {1, 2, 3, 4}, i;\n"
                  "#pragma unroll\nfor (i = 0; i < 4; i++) a[i] += in[i];\n"
                  "#pragma unroll\nfor (i = 0; i < 4; i++) out[i] = a[i] * a[3 - i]; }",
                  ISA_LD_PRIVATE_32),
            0);
}

/* The inner loops are unrolled first. Only then is the outer index the array's only variable index, and the loop small.
 */
TEST(code, a_private_array_in_nested_loops_lives_in_registers) {
  const char *source =
      "kernel void k(global float *in, global float *out) { float a[4][4], x[4], y[4]; int i, j, n;\n"
      "for (i = 0; i < 4; i++) for (j = 0; j < 4; j++) a[i][j] = 0;\n"
      "for (n = 0; n < 16; n++) { for (i = 0; i < 4; i++) { x[i] = in[16 * n + i]; y[i] = in[16 * n + 4 + i]; }\n"
      "for (i = 0; i < 4; i++) for (j = 0; j < 4; j++) a[i][j] += x[i] * y[j]; }\n"
      "for (i = 0; i < 4; i++) for (j = 0; j < 4; j++) out[4 * i + j] = a[i][j]; }";
  struct isa_error error = {""};
  ct_freed(group_rig_close) struct group_rig rig;
  ASSERT_TRUE(group_rig_limits(&rig, source, (struct opencl_limits){.target.optimize = 2}, &error));
  EXPECT_EQ(group_rig_count(&rig, ISA_LD_PRIVATE_32) + group_rig_count(&rig, ISA_ST_PRIVATE_32), 0);
  EXPECT_EQ(group_rig_count(&rig, ISA_BRA), 0);
}

/* The longest sequence of consecutive operations of one kind. */
static unsigned longest_run(const struct isa_program *program, enum isa_op op) {
  unsigned longest = 0, run = 0;
  for (size_t i = 0; i < program->count; i++) {
    run = program->code[i].op == op ? run + 1 : 0;
    longest = run > longest ? run : longest;
  }
  return longest;
}

/* Rounds of a hash after loads that would take too many registers. The order of the loads changes, not that of the
 * rounds, whose four words are loaded together. */
TEST(code, a_crowded_block_does_not_change_the_order_of_others) {
  const char *source =
      "#define R(x, n) rotate((uint)(x), (uint)(32 - n))\n"
      "kernel void k(global uint *in, global uint *out, uint turns) {\n"
      "uint id = get_global_id(0), n = get_global_size(0), w[16], s[8];\n"
      "for (int i = 0; i < 16; i++) w[i] = in[i * n + id];\n"
      "for (uint t = 0; t < turns; t++) {\n"
      "uint a = 0x6a09e667, b = 0xbb67ae85, c = 0x3c6ef372, d = 0xa54ff53a, e = 0x510e527f, f = 0x9b05688c, g = "
      "0x1f83d9ab,\n"
      "h = 0x5be0cd19;\n"
      "for (int i = 0; i < 64; i++) { if (i >= 16) { uint x = w[(i + 1) & 15], y = w[(i + 14) & 15];\n"
      "w[i & 15] += (R(x, 7) ^ R(x, 18) ^ (x >> 3)) + w[(i + 9) & 15] + (R(y, 17) ^ R(y, 19) ^ (y >> 10)); }\n"
      "uint t1 = h + (R(e, 6) ^ R(e, 11) ^ R(e, 25)) + ((e & f) ^ (~e & g)) + w[i & 15];\n"
      "uint t2 = (R(a, 2) ^ R(a, 13) ^ R(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));\n"
      "h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2; }\n"
      "s[0] = a, s[1] = b, s[2] = c, s[3] = d, s[4] = e, s[5] = f, s[6] = g, s[7] = h;\n"
      "for (int i = 0; i < 8; i++) w[i] = s[i], w[i + 8] = s[i] ^ i; }\n"
      "for (int i = 0; i < 8; i++) out[i * n + id] = s[i]; }";
  struct opencl_limits limits = {.target.optimize = 2};
  struct isa_error error = {""};
  ct_freed(group_rig_close) struct group_rig rig;
  limits.target.isa = (struct isa_features){.lop3 = 1, .add3 = 1, .shift_add = 1, .mad = 1, .vector_bytes = 16};
  ASSERT_TRUE(group_rig_limits(&rig, source, limits, &error));
  EXPECT_LE(rig.program->kernels[0].registers, 32);
  EXPECT_GE(longest_run(rig.program, ISA_LD_PRIVATE_32), 4);
}

/* Pairs where the address is known to be even, and nothing wider. */
TEST(code, neighboring_constants_are_loaded_as_pairs) {
  const char *source = "constant uint t[4][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}, {13, 14, 15, 16}};\n"
                       "kernel void k(global uint *in, global uint *out) { uint i = in[0] & 3;\n"
                       "out[0] = t[i][0] * t[i][1] + t[i][2] * t[i][3]; out[1] = t[i][1]; }";
  struct opencl_limits limits = {.target.optimize = 2};
  struct isa_error error = {""};
  ct_freed(group_rig_close) struct group_rig rig;
  limits.target.isa.vector_bytes = 16;
  ASSERT_TRUE(group_rig_limits(&rig, source, limits, &error));
  EXPECT_EQ(group_rig_count(&rig, ISA_LD_CONST_64), 2);
  EXPECT_EQ(group_rig_count(&rig, ISA_LD_CONST_32) + group_rig_count(&rig, ISA_LD_CONST_128), 0);
  group_rig_words(&rig, 0)[0] = 2;
  group_rig_run(&rig);
  EXPECT_EQ(group_rig_words(&rig, 1)[0], 9 * 10 + 11 * 12);
  EXPECT_EQ(group_rig_words(&rig, 1)[1], 10);
}

TEST(code, native_functions_use_the_approximations) {
#define NATIVE_OF(call) "kernel void k(global float *a) { a[0] = " call "; }"
  EXPECT_EQ(count(NATIVE_OF("native_sin(a[1])"), ISA_SIN_NATIVE), 1);
  EXPECT_EQ(count(NATIVE_OF("native_divide(a[1], a[2])"), ISA_FDIV_NATIVE), 1);
  EXPECT_EQ(count(NATIVE_OF("native_powr(a[1], a[2])"), ISA_POWR_NATIVE), 1);
  EXPECT_EQ(count(NATIVE_OF("native_sqrt(a[1])"), ISA_SQRT_F32), 1);
  EXPECT_EQ(count(NATIVE_OF("half_sin(a[1])"), ISA_SIN_F32), 1);
  EXPECT_EQ(count(NATIVE_OF("sin(a[1])"), ISA_SIN_F32), 1);
}

/* The low two bits of i * 4 are zero, so adding up to 3 never carries. */
TEST(code, elements_of_an_aligned_group_share_an_address) {
  EXPECT_EQ(count("kernel void k(global uint *in, global uint *out) { uint i = 4 * (uint)get_global_id(0);\n"
                  "out[i / 4] = in[i] + in[i + 1] + in[i + 2] + in[i + 3]; }",
                  ISA_ADD_32),
            3); /* the sums */
  ct_freed(group_rig_close) struct group_rig rig;
  if (!group_rig_open(&rig, "kernel void k(global uint *in, global uint *out) { uint i = 4 * out[0];\n"
                            "out[1] = in[(uchar)(i + 3)] + in[(uint)(i + 4)]; }"))
    return;
  for (uint32_t i = 0; i < 64; i++)
    group_rig_words(&rig, 0)[i] = i;
  group_rig_words(&rig, 1)[0] = 0x3fffffff; /* i + 4 wraps */
  group_rig_range(&rig, 1, 1, 16);
  group_rig_words(&rig, 0)[255] = 1000;
  group_rig_run(&rig);
  EXPECT_EQ(group_rig_words(&rig, 1)[1], 1000);
}

TEST(code, the_same_word_is_loaded_once_unless_it_is_volatile) {
#define TWICE(type)                                                                                                    \
  "kernel void k(global " type " *in, global uint *out) { uint i = get_global_id(0); if (in[i] > 5) out[i] = in[i]; }"
  EXPECT_EQ(count(TWICE("uint"), ISA_LD_GLOBAL_32), 1);
  EXPECT_EQ(count(TWICE("volatile uint"), ISA_LD_GLOBAL_L2_32), 2);
}

TEST(code, a_volatile_word_is_loaded_even_if_unused) {
  EXPECT_EQ(count("kernel void k(global volatile uint *in) { in[0]; in[0]; }", ISA_LD_GLOBAL_L2_32), 2);
}

TEST(code, a_word_is_loaded_again_after_a_barrier_and_a_store) {
  EXPECT_EQ(count("kernel void k(global uint *in, global uint *out) { uint a = in[1]; barrier(CLK_GLOBAL_MEM_FENCE);\n"
                  "uint b = in[1]; out[0] = 7; out[1] = in[1] + a * b; }",
                  ISA_LD_GLOBAL_32),
            3);
}

/* One address for all three loads: the argument, the index, an address, three loads. The same again for the result. */
TEST(code, neighbors_of_a_signed_index_share_an_address) {
  EXPECT_EQ(count("kernel void k(global uint *in, global uint *out) { int i = get_global_id(0);\n"
                  "out[i] = in[i - 1] + in[i] + in[i + 1]; }",
                  ISA_MADW_S32),
            2);
}

TEST(code, an_unsigned_index_that_may_wrap_is_exact) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (!group_rig_open(&rig, "kernel void k(global uint *in, global uint *out) { uint i = get_global_id(0);\n"
                            "out[i] = in[(i - 1) & 7] + in[(uint)(i * 0x10000000u - 1u) >> 28] ; }"))
    return;
  for (uint32_t i = 0; i < 64; i++)
    group_rig_words(&rig, 0)[i] = 100 + i;
  group_rig_run(&rig);
  for (uint32_t i = 0; i < 64; i++)
    EXPECT_EQ(group_rig_words(&rig, 1)[i], 200 + ((i - 1) & 7) + ((i * 0x10000000u - 1u) >> 28));
}

/* For each k: two addresses in the LDS, two loads, one fma, k + 1, the comparison, the branch. */
TEST(code, an_iteration_of_a_matrix_product_takes_eight_instructions) {
#define PRODUCT(turns)                                                                                                 \
  "kernel void k(global float *out, local float *a, local float *b) {\n"                                               \
  "int x = get_local_id(0), y = get_local_id(1); float sum = 0;\n"                                                     \
  "for (int k = 0; k < 16; k++) " turns "out[y * 16 + x] = sum; }"
  const unsigned with = instructions(PRODUCT("sum = fma(a[y * 16 + k], b[k * 16 + x], sum);"));
  ct_freed(group_rig_close) struct group_rig rig;
  if (!group_rig_open(&rig, PRODUCT("sum = fma(a[y * 16 + k], b[k * 16 + x], sum);")))
    return;
  unsigned first = 0, last = 0;
  for (unsigned at = 0; at < with; at++) {
    first = rig.program->code[at].op == ISA_LD_LDS_32 && !first ? at : first;
    last = rig.program->code[at].op == ISA_BRA ? at : last;
  }
  EXPECT_EQ(last - (first - 1) + 1, 8);
}

TEST(code, a_linear_congruence_in_a_loop_is_one_multiply_add) {
  EXPECT_EQ(count("kernel void k(global uint *in, global uint *out) { uint x = in[0];\n"
                  "for (uint i = 0; i < in[1]; i++) x = x * 1664525u + 1013904223u; out[0] = x; }",
                  ISA_MUL_32),
            0);
}

/* x = x * 3 + n; n - 1; the comparison; the branch. */
TEST(code, a_counter_that_is_compared_after_its_step_needs_no_copy) {
  EXPECT_EQ(
      count("kernel void k(global uint *out, uint n) { uint x = 1; do x = x * 3 + n; while (--n != 0); out[0] = x; }",
            ISA_MOV_32),
      1);
}

/* Into the loop and back; the return is a guarded exit. No condition is tested twice. */
TEST(code, a_return_from_an_inner_scope_tests_once) {
  const char *source =
      "kernel void k(global int *a, int n) {\n"
      "for (int i = 0; i < n; i++) { int v = a[i]; if (v < 0) return; if (v == 7) continue; a[i] = v * 2; }\n"
      "a[get_global_id(0)] = 1; }";
  EXPECT_EQ(count(source, ISA_BRA), 2);
  EXPECT_EQ(count(source, ISA_EXIT), 2);
  EXPECT_EQ(count(source, ISA_SETP_EQ_U32), 1);
}

TEST(code, booleans_are_compared_as_predicates) {
  const char *source = "kernel void k(global int *in, global int *out) { bool p = in[0] > 3, q = in[1] > 4;\n"
                       "if (p == q) out[0] = 1; if (p != q) out[1] = 2; }";
  EXPECT_EQ(count(source, ISA_CVT_U32_P), 0);
  EXPECT_EQ(count(source, ISA_XOR_P), 1);
}

/* get_local_id() is below the required size, so the condition is constant. */
TEST(code, a_local_index_is_below_the_required_size) {
  EXPECT_EQ(count("kernel __attribute__((reqd_work_group_size(64, 1, 1))) void k(global uint *out) {\n"
                  "uint i = get_local_id(0); if (i < 64 && get_local_size(0) <= 64) out[i] = i; }",
                  ISA_SETP_LT_U32),
            0);
}

TEST(code, an_index_that_is_a_wrapping_product_is_exact) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (!group_rig_open(&rig, "kernel void k(global uint *in, global uint *out) { uint i = get_global_id(0);\n"
                            "out[i] = in[in[i] * 0x40000001u] + in[in[i] * 0x40000000u]; }"))
    return;
  for (uint32_t i = 0; i < 64; i++)
    group_rig_words(&rig, 0)[i] = 4 * (i & 15);
  group_rig_run(&rig);
  for (uint32_t i = 0; i < 64; i++)
    EXPECT_EQ(group_rig_words(&rig, 1)[i], 4 * (4 * (i & 15) & 15));
}

/* A prefetch has no offset, so the constant stays in its address. */
TEST(code, a_prefetch_with_an_offset_adds_to_its_address) {
  EXPECT_EQ(count("kernel void k(global uint *in) { prefetch(in + 16, 4); }", ISA_ADD_64), 1);
}

TEST(code, a_loop_with_a_barrier_is_not_unrolled) {
  EXPECT_EQ(count("kernel void k(global uint *out, local uint *l) {\n#pragma unroll\nfor (uint i = 0; i < 4; i++) {\n"
                  "l[get_local_id(0)] = i; barrier(CLK_LOCAL_MEM_FENCE); out[i] = l[i]; } }",
                  ISA_BAR_LDS),
            1);
}

/* Lanes that return do not delay reconvergence: they exit at once, and no predicate for them is tested later. */
TEST(code, a_return_before_a_barrier_is_not_redirected_to_it) {
  const char *source = "kernel void k(global int *a, local int *l, int n) { int i = get_local_id(0);\n"
                       "if (a[i] > 3) { a[i] = 1; if (a[i + 64] == n) return; a[i] = l[i + 1]; }\n"
                       "l[i] = i; barrier(CLK_LOCAL_MEM_FENCE); a[i] = l[i ^ 1]; }";
  EXPECT_EQ(count(source, ISA_EXIT), 2);
  EXPECT_EQ(count(source, ISA_BRA), 1);
}

/* A shift amount is not a factor: n << (i + m) is not (n << i) + (n << m). */
TEST(code, a_shift_by_a_sum_in_a_loop_is_exact) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (!group_rig_open(&rig, "kernel void k(global uint *in, global uint *out) { uint n = in[0], m = in[1], s = 0;\n"
                            "for (uint i = 0; i < in[2]; i++) s += n << (i + m); out[0] = s; }"))
    return;
  uint32_t *in = group_rig_words(&rig, 0);
  in[0] = 5;
  in[1] = 3;
  in[2] = 4;
  group_rig_run(&rig);
  EXPECT_EQ(group_rig_words(&rig, 1)[0], (5 << 3) + (5 << 4) + (5 << 5) + (5 << 6));
}

TEST(code, an_atomic_load_is_a_load_each_time) {
  EXPECT_EQ(
      count("kernel void k(global atomic_int *a, global int *out) {\n"
            "out[0] = atomic_load_explicit(a, memory_order_relaxed) + atomic_load_explicit(a, memory_order_relaxed); }",
            ISA_LD_GLOBAL_ATOMIC_32),
      2);
}

/* (int)(u + 2) of an unsigned u may wrap: it is not (long)(int)u + 2. */
TEST(code, a_signed_index_of_an_unsigned_sum_wraps) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (!group_rig_open(&rig, "kernel void k(global uchar *in, global uint *out) { uint u = out[0];\n"
                            "global uchar *p = in + 0x80000000ul; out[1] = p[(int)(u + 2u)]; }"))
    return;
  rig.buffers[0].data[1] = 77;
  group_rig_words(&rig, 1)[0] = 0x7fffffff;
  group_rig_range(&rig, 1, 1, 16);
  group_rig_run(&rig);
  EXPECT_EQ(group_rig_words(&rig, 1)[1], 77);
}

/* Quotients and remainders by these divisors, of numbers of both signs at the edges, compared with the host's. */
#define DIVISORS(row) row(3) row(5) row(6) row(7) row(10) row(25) row(641) row(1000) row(65537) row(2147483647)
#define UNSIGNED_DIVISORS(row) row(2147483649u) row(3000000000u) row(4294967295u)

TEST(code, division_by_a_constant_is_an_exact_product) {
#define BY(d) "*s++ = n / " #d "; *s++ = n % " #d "; *u++ = (uint)n / " #d "u; *u++ = (uint)n % " #d "u;\n"
#define BY_UNSIGNED(d) "*u++ = (uint)n / " #d "; *u++ = (uint)n % " #d ";\n"
  static const int32_t divisors[] = {
#define ROW(d) d,
      DIVISORS(ROW)
#undef ROW
  };
  static const uint32_t more[] = {2147483649u, 3000000000u, 4294967295u};
  enum { COUNT = sizeof divisors / sizeof *divisors, MORE = sizeof more / sizeof *more, ITEMS = 64 };
  ct_freed(group_rig_close) struct group_rig rig;
  if (group_rig_open(&rig, "kernel void k(global int *in, global int *s, global uint *u) {\n"
                           "  size_t i = get_global_id(0); int n = in[i];\n"
                           "  s += 20 * i; u += 26 * i;\n" DIVISORS(BY) UNSIGNED_DIVISORS(BY_UNSIGNED) "}\n")) {
    uint32_t *in = group_rig_words(&rig, 0);
    EXPECT_EQ(group_rig_count(&rig, ISA_DIV_S32) + group_rig_count(&rig, ISA_REM_S32), 0);
    EXPECT_EQ(group_rig_count(&rig, ISA_DIV_U32) + group_rig_count(&rig, ISA_REM_U32), 0);
    for (uint32_t i = 0; i < ITEMS; i++)
      in[i] = i < 32   ? (UINT32_C(1) << i) - (i & 1)
              : i < 48 ? i * 0x12345677u
                       : 0u - (uint32_t)divisors[i % COUNT] * (i - 47);
    EXPECT_TRUE(group_rig_run(&rig));
    for (uint32_t i = 0; i < ITEMS; i++)
      for (int k = 0; k < COUNT + MORE; k++) {
        const uint32_t n = in[i], d = k < COUNT ? (uint32_t)divisors[k] : more[k - COUNT];
        const uint32_t *s = group_rig_words(&rig, 1) + 2 * COUNT * i + 2 * k;
        const uint32_t *u = group_rig_words(&rig, 2) + 2 * (COUNT + MORE) * i + 2 * k;
        ct_note("%u by %u", n, d);
        EXPECT_EQ(u[0], n / d);
        EXPECT_EQ(u[1], n % d);
        if (k < COUNT)
          EXPECT_EQ(s[0], (uint32_t)((int32_t)n / (int32_t)d));
        if (k < COUNT)
          EXPECT_EQ(s[1], (uint32_t)((int32_t)n % (int32_t)d));
      }
  }
}

/* ---- numbers side by side in a word --------------------------------------------------------------------- */

static unsigned logic(const struct group_rig *rig) {
  return group_rig_count(rig, ISA_AND_32) + group_rig_count(rig, ISA_OR_32) + group_rig_count(rig, ISA_SHL_32) +
         group_rig_count(rig, ISA_SHR_U32);
}

TEST(code, a_word_that_is_taken_apart_and_put_together_is_itself) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (!group_rig_open(
          &rig, "kernel void k(global const uchar *in, global uint *out) {\n"
                "  uint x = ((global const uint *)in)[get_local_id(0)];\n"
                "  out[get_local_id(0)] = (x & 255) | (x >> 8 & 255) << 8 | (x >> 16 & 255) << 16 | (x >> 24) << 24;\n"
                "}\n"))
    return;
  EXPECT_EQ(logic(&rig), 0);
  for (uint32_t i = 0; i < 64; i++)
    group_rig_words(&rig, 0)[i] = 0x9e3779b9 * (i + 1);
  EXPECT_TRUE(group_rig_run(&rig));
  EXPECT_EQ(memcmp(rig.buffers[1].data, rig.buffers[0].data, 4 * 64), 0);
}

/* Neighbors of a part, and bits of its own beyond the mask, must not leak. */
TEST(code, a_part_of_a_word_that_was_put_together_is_the_part) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (!group_rig_open(&rig, "kernel void k(global const uint *in, global uint *out) {\n"
                            "  uint i = get_local_id(0), a = in[i], b = in[i + 64], c = in[i + 128];\n"
                            "  uint w = (a & 255) | (b & 0xfff) << 8 | c << 20;\n"
                            "  out[9 * i] = w & 255; out[9 * i + 1] = w >> 8 & 0xfff; out[9 * i + 2] = w >> 20;\n"
                            "  out[9 * i + 3] = w >> 12 & 255; out[9 * i + 4] = w << 24; out[9 * i + 5] = w & 0x1ff;\n"
                            "  out[9 * i + 6] = w >> 4 & 255; out[9 * i + 7] = min(a, 0xffffffff) + max(b, 0u);\n"
                            "  out[9 * i + 8] = (a >> 20 | b << 12) & 0x7ff;\n"
                            "}\n"))
    return;
  EXPECT_EQ(group_rig_count(&rig, ISA_MIN_U32) + group_rig_count(&rig, ISA_MAX_U32), 0);
  for (uint32_t i = 0; i < 192; i++)
    group_rig_words(&rig, 0)[i] = 0x9e3779b9 * (i + 1);
  EXPECT_TRUE(group_rig_run(&rig));
  for (uint32_t i = 0; i < 64; i++) {
    const uint32_t *in = group_rig_words(&rig, 0), *out = group_rig_words(&rig, 1) + 9 * (size_t)i;
    const uint32_t a = in[i], b = in[i + 64], c = in[i + 128], w = (a & 255) | (b & 0xfff) << 8 | c << 20;
    const uint32_t expected[] = {w & 255,   w >> 8 & 0xfff, w >> 20, w >> 12 & 255,  w << 24,
                                 w & 0x1ff, w >> 4 & 255,   a + b,   a >> 20 & 0x7ff};
    ct_note("item %u", i);
    EXPECT_EQ(memcmp(out, expected, sizeof expected), 0);
  }
}
