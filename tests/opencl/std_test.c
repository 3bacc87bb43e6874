/* OpenCL.std and the conversions: all rows, refusals, and values, from OpenCL C to memory. */
#include "isa/numbers.h"
#include "opencl/lower/std.h"
#include "opencl/opencl.h"
#include "tests/ct.h"
#include "tests/kernels.h"
#include "tests/opencl/group_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

CT_FREES(struct isa_program, isa_program_free)

/* ---- the rows -------------------------------------------------------------------------------------- */

static bool is_defined(uint32_t number) {
  return number <= 110 || (number >= 141 && number <= 187) || (number >= 201 && number <= 204);
}

TEST(std, every_number_of_the_extended_set_is_a_row_and_no_other_is) {
  for (uint32_t number = 0; number < 300; number++) {
    ct_note("number %u", number);
    EXPECT_EQ(std_find(number) != NULL, is_defined(number));
  }
}

TEST(std, rows_are_in_order_with_unique_names) {
  for (unsigned i = 1; i < std_row_count; i++) {
    ct_note("row %s", std_rows[i].name);
    EXPECT_LT(std_rows[i - 1].number, std_rows[i].number);
    for (unsigned k = 0; k < i; k++)
      EXPECT_TRUE(strcmp(std_rows[k].name, std_rows[i].name) != 0);
  }
}

TEST(std, a_row_has_one_implementation_that_fits_its_signature) {
  for (unsigned i = 0; i < std_row_count; i++) {
    const struct std_row *row = &std_rows[i];
    ct_note("row %s", row->name);
    EXPECT_EQ((row->op[1] != 0) + (row->lane != NULL) + (row->whole != NULL), 1);
    EXPECT_EQ(strspn(row->signature, "fFnwxckpPKolXv."), strlen(row->signature));
    EXPECT_TRUE(!(row->wide && row->op[0]));
    for (unsigned form = 0; form < 3; form++) {
      const struct isa_row *op = &isa_rows[row->op[form]];
      if (row->op[form])
        EXPECT_EQ((op->a != TYPE_NONE) + (op->b != TYPE_NONE) + (op->c != TYPE_NONE), strlen(row->signature) - 1);
    }
  }
}

/* ---- refusals -------------------------------------------------------------------------------------- */

/* SPIR-V of a kernel that takes a square root on its third line, with that instruction replaced by another. */
static void refusal(uint32_t number, struct isa_error *error) {
  ct_freed(ct_free) uint8_t *spirv = NULL;
  size_t size = 0;
  const char *source = "kernel void k(global float *a) {\n  a[0] = 1;\n  a[1] = sqrt(a[2]);\n}\n";
  const struct opencl_build build = {.text = source, .in_memory = true};
  ASSERT_TRUE(opencl_compile("root.cl", &build, &spirv, &size, error));
  uint32_t *word = (uint32_t *)(void *)spirv;
  for (size_t at = 5; at < size / 4 && word[at] >> 16; at += word[at] >> 16)
    if ((word[at] & 0xffff) == OpExtInst && word[at + 4] == std_find(61)->number)
      word[at + 4] = number;
  const struct opencl_limits limits = {.target.registers = 64};
  ct_freed(isa_program_free_at) struct isa_program *program = opencl_lower(spirv, size, "root.cl", &limits, error);
  EXPECT_TRUE(program == NULL);
}

TEST(std, a_number_without_a_row_is_refused_with_its_line) {
  struct isa_error error = {""};
  refusal(120, &error);
  EXPECT_CONTAINS(error.text, "root.cl:3: the OpenCL.std instruction 120");
}

TEST(std, a_row_with_wrong_types_or_operands_is_refused_by_name) {
  struct isa_error error = {""};
  refusal(151, &error);
  EXPECT_CONTAINS(error.text, "root.cl:3: the OpenCL built-in 'clz' cannot have a result of this type");
  refusal(48, &error);
  EXPECT_CONTAINS(error.text, "root.cl:3: the OpenCL built-in 'pow' has 2 operands, not 1");
}

/* ---- integers, all widths -------------------------------------------------------------------------- */

struct integer {
  const char *name;
  unsigned bits;
  bool is_signed;
};
static const struct integer integers[] = {{"char", 8, true},     {"uchar", 8, false}, {"short", 16, true},
                                          {"ushort", 16, false}, {"int", 32, true},   {"uint", 32, false},
                                          {"long", 64, true},    {"ulong", 64, false}};

enum { ITEMS = 64, RESULTS = 16 };

static int128 as_number(uint64_t bits, const struct integer *type) {
  const uint64_t mask = UINT64_MAX >> (64 - type->bits);
  const bool negative = type->is_signed && bits >> (type->bits - 1) & 1;
  return negative ? (int128)(bits & mask) - ((int128)mask + 1) : (int128)(bits & mask);
}

static int128 saturated(int128 value, const struct integer *type) {
  const int128 most = ((int128)1 << (type->bits - type->is_signed)) - 1, least = type->is_signed ? -most - 1 : 0;
  return value > most ? most : value < least ? least : value;
}

static const char integer_source[] = /* T is the type */
    "kernel void k(global T *a, global T *b, global T *c, global T *o) {\n"
    "  size_t i = get_global_id(0); T x = a[i], y = b[i], z = c[i]; o += i * 16;\n"
    "  o[0] = add_sat(x, y); o[1] = sub_sat(x, y); o[2] = hadd(x, y); o[3] = rhadd(x, y);\n"
    "  o[4] = mul_hi(x, y); o[5] = mad_hi(x, y, z); o[6] = mad_sat(x, y, z); o[7] = (T)abs_diff(x, y);\n"
    "  o[8] = rotate(x, y); o[9] = clz(x); o[10] = popcount(x); o[11] = (T)abs(x);\n"
    "  o[12] = max(x, y); o[13] = min(x, y); o[14] = bitselect(x, y, z); o[15] = ctz(x);\n"
    "}\n";

static void expected(const struct integer *type, uint64_t xb, uint64_t yb, uint64_t zb, int128 result[RESULTS]) {
  const int128 x = as_number(xb, type), y = as_number(yb, type), z = as_number(zb, type);
  const unsigned bits = type->bits, turn = (unsigned)(yb % bits);
  const uint64_t mask = UINT64_MAX >> (64 - bits), u = xb & mask;
  const int128 product = type->is_signed ? x * y : (int128)((uint128)x * (uint128)y);
  const int128 high = type->is_signed ? product >> bits : (int128)((uint128)product >> bits);
  const bool beyond = !type->is_signed && (uint128)product >> bits;
  const int128 results[RESULTS] = {
      saturated(x + y, type),
      saturated(x - y, type),
      (x + y) >> 1,
      (x + y + 1) >> 1,
      high,
      high + z,
      beyond ? (int128)mask : saturated(product + z, type),
      x > y ? x - y : y - x,
      (int128)(turn ? u << turn | u >> (bits - turn) : u),
      u ? __builtin_clzll(u) - (int)(64 - bits) : (int)bits,
      __builtin_popcountll(u),
      x < 0 ? -x : x,
      x > y ? x : y,
      x < y ? x : y,
      (int128)((xb & ~zb) | (yb & zb)),
      u ? __builtin_ctzll(u) : (int)bits,
  };
  memcpy(result, results, sizeof results);
}

static uint64_t corner(uint64_t *seed, unsigned bits) {
  const uint64_t random = ct_random(seed), top = UINT64_C(1) << (bits - 1);
  const uint64_t corners[] = {0, 1, UINT64_MAX, top, top - 1, top + 1, 2, UINT64_MAX - 1};
  return random % 3 ? ct_random(seed) >> (random >> 8) % bits : corners[random / 3 % 8];
}

static void put(struct group_rig *rig, unsigned buffer, unsigned at, unsigned bits, uint64_t value) {
  memcpy(rig->buffers[buffer].data + at * (bits / 8), &value, bits / 8);
}

static uint64_t get(const struct group_rig *rig, unsigned buffer, unsigned at, unsigned bits) {
  uint64_t value = 0;
  memcpy(&value, rig->buffers[buffer].data + at * (bits / 8), bits / 8);
  return value;
}

static void check_integers(const struct integer *type) {
  char source[1200];
  snprintf(source, sizeof source, "#define T %s\n%s", type->name, integer_source);
  ct_freed(group_rig_close) struct group_rig rig;
  uint64_t seed = 1 + type->bits, in[3][ITEMS];
  ASSERT_TRUE(group_rig_open(&rig, source));
  for (unsigned i = 0; i < 3 * ITEMS; i++) {
    in[i / ITEMS][i % ITEMS] = corner(&seed, type->bits);
    put(&rig, i / ITEMS, i % ITEMS, type->bits, in[i / ITEMS][i % ITEMS]);
  }
  ASSERT_TRUE(group_rig_run(&rig));
  for (unsigned i = 0; i < ITEMS * RESULTS; i++) {
    int128 result[RESULTS];
    const unsigned item = i / RESULTS;
    expected(type, in[0][item], in[1][item], in[2][item], result);
    ct_note("%s, result %u of item %u", type->name, i % RESULTS, item);
    EXPECT_EQ(get(&rig, 3, i, type->bits), (uint64_t)result[i % RESULTS] & (UINT64_MAX >> (64 - type->bits)));
  }
}

TEST(std, integer_functions_are_exact_at_every_width_and_sign) {
  for (unsigned i = 0; i < sizeof integers / sizeof integers[0]; i++)
    check_integers(&integers[i]);
}

/* ---- floats ---------------------------------------------------------------------------------------- */

/* Runs `source` over floats in buffer 0. */
static bool run_floats(struct group_rig *rig, const char *source, const float *in, unsigned count) {
  if (!group_rig_open(rig, source))
    return false;
  memcpy(rig->buffers[0].data, in, count * sizeof *in);
  group_rig_range(rig, 1, 1, 32);
  return group_rig_run(rig);
}

static float float_at(const struct group_rig *rig, unsigned buffer, unsigned at) {
  return float_of((uint32_t)get(rig, buffer, at, 32));
}

TEST(std, second_results_go_through_pointers_to_private_and_global_memory) {
  static const float in[] = {-2.75f, 10.5f, 3};
  ct_freed(group_rig_close) struct group_rig rig;
  ASSERT_TRUE(run_floats(&rig, CT_KERNEL(second_results_go_through), in, 3));
  static const float out[] = {0.25f, -3, -0.75f, -2, -0.6875f, -1.5f};
  for (unsigned i = 0; i < 6; i++)
    EXPECT_EQ(get(&rig, 1, i, 32), float_raw(out[i]));
  EXPECT_EQ(get(&rig, 2, 0, 32), 2);
  EXPECT_EQ(get(&rig, 2, 1, 32), 4);
  EXPECT_EQ((int32_t)get(&rig, 2, 2, 32), -1); /* gamma is negative between -3 and -2 */
  EXPECT_EQ(get(&rig, 1, 7, 32), float_raw(0));
  EXPECT_EQ(get(&rig, 1, 8, 32), float_raw(1));
}

TEST(std, lengths_of_huge_and_tiny_vectors_neither_overflow_nor_vanish) {
  static const float in[] = {3e30f, 4e30f, 3e-40f, 4e-40f};
  ct_freed(group_rig_close) struct group_rig rig;
  ASSERT_TRUE(run_floats(&rig,
                         "kernel void k(global float2 *a, global float2 *o, global double *d) {\n"
                         "  o[0] = (float2)(length(a[0]), length(a[1])); o[1] = normalize(a[0]);\n"
                         "  double2 big = convert_double2(a[0]) * 1e270; d[0] = length(big) / 1e300;\n"
                         "}\n",
                         in, 4));
  EXPECT_EQ(get(&rig, 1, 0, 32), float_raw((float)hypot((double)in[0], (double)in[1])));
  EXPECT_EQ(get(&rig, 1, 1, 32), float_raw((float)hypot((double)in[2], (double)in[3])));
  EXPECT_TRUE(fabs((double)float_at(&rig, 1, 2) - 0.6) < 1e-7);
  EXPECT_TRUE(fabs((double)float_at(&rig, 1, 3) - 0.8) < 1e-7);
  EXPECT_TRUE(fabs(double_of(get(&rig, 2, 0, 64)) - 5) < 1e-6);
}

TEST(std, normalize_keeps_zero_vectors_and_points_at_infinite_components) {
  static const float in[] = {0, 0, 0, 0, INFINITY, -2, -INFINITY, 5};
  ct_freed(group_rig_close) struct group_rig rig;
  ASSERT_TRUE(run_floats(&rig,
                         "kernel void k(global float4 *a, global float4 *o) {\n"
                         "  o[0] = normalize(a[0]); o[1] = normalize(a[1]);\n}\n",
                         in, 8));
  const float half = (float)sqrt(0.5);
  const float out[] = {0, 0, 0, 0, half, -0.0f, -half, 0};
  for (unsigned i = 0; i < 8; i++) {
    ct_note("component %u", i);
    EXPECT_EQ(get(&rig, 1, i, 32), float_raw(out[i]));
  }
}

TEST(std, normalize_of_doubles_keeps_the_bits_of_small_components_beside_large_ones) {
  static const float in[] = {1};
  ct_freed(group_rig_close) struct group_rig rig;
  ASSERT_TRUE(run_floats(&rig,
                         "kernel void k(global float *a, global double2 *o) {\n"
                         "  o[0] = normalize(a[0] * (double2)(0x1p600, 0x1.23456789abcdep-421));\n"
                         "  o[1] = normalize(a[0] * (double2)(0x1p-600, 0x1.23456789abcdep-1022));\n"
                         "  o[2] = normalize(a[0] * (double2)(-1 / 0.0, 0x1p600));\n}\n",
                         in, 1));
  const double out[] = {1, 0x1.23456789abcdep-1021, 1, 0x1.23456789abcdep-422, -1, 0};
  for (unsigned i = 0; i < 6; i++) {
    ct_note("component %u", i);
    EXPECT_TRUE(double_of(get(&rig, 1, i, 64)) == out[i]);
  }
}

TEST(std, halves_are_computed_in_float_and_rounded_once) {
  static const float in[] = {0.3f, 2, 7};
  struct group_rig rig;
  ASSERT_TRUE(
      run_floats(&rig,
                 "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
                 "kernel void k(global float *a, global half *o) {\n"
                 "  half x = (half)a[0]; o[0] = sin(x); o[1] = pow(x, (half)a[1]); o[2] = nextafter(x, (half)0);\n"
                 "  o[3] = fma(x, x, (half)a[2]); o[4] = length((half2)(x, (half)a[2]));\n}\n",
                 in, 3));
  const double x = (double)half_of(half_bits((double)in[0]));
  EXPECT_EQ(get(&rig, 1, 0, 16), half_bits(sin(x)));
  EXPECT_EQ(get(&rig, 1, 1, 16), half_bits(x * x));
  EXPECT_EQ(get(&rig, 1, 2, 16), half_bits(x) - 1);
  EXPECT_EQ(get(&rig, 1, 3, 16), half_bits(x * x + 7));
  EXPECT_EQ(get(&rig, 1, 4, 16), half_bits(sqrt(x * x + 49)));
  group_rig_close(&rig);
}

/* ---- vectors --------------------------------------------------------------------------------------- */

TEST(std, vload3_and_vstore3_touch_three_elements_anywhere) {
  ct_freed(group_rig_close) struct group_rig rig;
  ASSERT_TRUE(group_rig_open(&rig, "kernel void k(global int *a, global int *o) {\n"
                                   "  vstore3(vload3(1, a + 1) * 10, 1, o);\n}\n"));
  for (unsigned i = 0; i < 8; i++)
    put(&rig, 0, i, 32, i), put(&rig, 1, i, 32, 77);
  group_rig_range(&rig, 1, 1, 32);
  ASSERT_TRUE(group_rig_run(&rig));
  static const uint32_t out[] = {77, 77, 77, 40, 50, 60, 77, 77};
  for (unsigned i = 0; i < 8; i++)
    EXPECT_EQ(get(&rig, 1, i, 32), out[i]);
}

TEST(std, half_vectors_of_three_have_a_stride_of_three_or_four_if_aligned) {
  ct_freed(group_rig_close) struct group_rig rig;
  ASSERT_TRUE(group_rig_open(&rig,
                             "kernel void k(global half *a, global half *o) {\n"
                             "  vstore_half3(vload_half3(1, a), 0, o); vstorea_half3(vloada_half3(1, a), 1, o);\n}\n"));
  for (unsigned i = 0; i < 8; i++)
    put(&rig, 0, i, 16, half_bits(i)), put(&rig, 1, i, 16, 1);
  group_rig_range(&rig, 1, 1, 32);
  ASSERT_TRUE(group_rig_run(&rig));
  const uint32_t out[] = {half_bits(3), half_bits(4), half_bits(5), 1, half_bits(4), half_bits(5), half_bits(6), 1};
  for (unsigned i = 0; i < 8; i++)
    EXPECT_EQ(get(&rig, 1, i, 16), out[i]);
}

TEST(std, vstore_half_rounds_as_its_name_says) {
  static const float in[] = {1.0004f, -1.0004f};
  ct_freed(group_rig_close) struct group_rig rig;
  ASSERT_TRUE(run_floats(&rig,
                         "kernel void k(global float *a, global half *o) { float2 x = (float2)(a[0], a[1]);\n"
                         "  vstore_half2(x, 0, o); vstore_half2_rte(x, 1, o); vstore_half2_rtz(x, 2, o);\n"
                         "  vstore_half2_rtp(x, 3, o); vstore_half2_rtn(convert_double2(x), 4, o);\n}\n",
                         in, 2));
  static const uint32_t one = 0x3c00, minus = 0xbc00; /* the next halves differ by one in their bits */
  const uint32_t out[] = {one, minus, one, minus, one, minus, one + 1, minus, one, minus + 1};
  for (unsigned i = 0; i < 10; i++)
    EXPECT_EQ(get(&rig, 1, i, 16), out[i]);
}

TEST(std, shuffles_accept_masks_known_only_at_run_time) {
  ct_freed(group_rig_close) struct group_rig rig;
  ASSERT_TRUE(group_rig_open(&rig, "kernel void k(global uint4 *a, global uint4 *m, global uint4 *o) {\n"
                                   "  o[0] = shuffle(a[0], m[0]); o[1] = shuffle2(a[0], a[1], m[0]);\n"
                                   "  o[2] = shuffle2(a[0], a[1], (uint4)(7, 0, 4, 3));\n}\n"));
  static const uint32_t mask[] = {5, 2, 0xfffffff8u, 7}, constant[] = {7, 0, 4, 3};
  for (unsigned i = 0; i < 8; i++)
    put(&rig, 0, i, 32, 100 + i), put(&rig, 1, i, 32, mask[i % 4]);
  group_rig_range(&rig, 1, 1, 32);
  ASSERT_TRUE(group_rig_run(&rig));
  for (unsigned i = 0; i < 4; i++) {
    EXPECT_EQ(get(&rig, 2, i, 32), 100 + (mask[i] & 3));
    EXPECT_EQ(get(&rig, 2, 4 + i, 32), 100 + (mask[i] & 7));
    EXPECT_EQ(get(&rig, 2, 8 + i, 32), 100 + constant[i]);
  }
}

TEST(std, select_tests_a_scalar_for_nonzero_and_a_vector_for_its_sign) {
  ct_freed(group_rig_close) struct group_rig rig;
  ASSERT_TRUE(group_rig_open(&rig, "kernel void k(global int2 *c, global int2 *o) {\n"
                                   "  o[0] = select((int2)(1, 2), (int2)(3, 4), c[0]);\n"
                                   "  o[1].x = select(1, 3, c[0].x); o[1].y = select(2, 4, c[0].y);\n}\n"));
  put(&rig, 0, 0, 32, 5);
  put(&rig, 0, 1, 32, UINT32_MAX);
  group_rig_range(&rig, 1, 1, 32);
  ASSERT_TRUE(group_rig_run(&rig));
  static const uint32_t out[] = {1, 4, 3, 4};
  for (unsigned i = 0; i < 4; i++)
    EXPECT_EQ(get(&rig, 1, i, 32), out[i]);
}

/* ---- conversions ----------------------------------------------------------------------------------- */

TEST(convert, saturated_conversions_stop_at_the_ends_and_turn_nan_into_zero) {
  static const float in[] = {300, -5, NAN, 2.5f, -INFINITY, 1e20f};
  struct group_rig rig;
  ASSERT_TRUE(run_floats(&rig, CT_KERNEL(saturated_conversions_stop_at), in, 6));
  static const int32_t out[6][8] = {{255, 127, 300, 300, 127, 255, 127, 300},
                                    {0, -5, -5, -5, -5, 0, 0, -5},
                                    {0, 0, 0, 0, 0, 0, 0, 0},
                                    {2, 2, 2, 3, 2, 2, 2, 2},
                                    {0, -128, INT32_MIN, -32768, -128, 0, 0, INT32_MIN},
                                    {255, 127, INT32_MAX, 32767, 127, 255, 127, INT32_MAX}};
  for (unsigned i = 0; i < 48; i++) {
    ct_note("conversion %u of input %u", i % 8, i / 8);
    EXPECT_EQ((int32_t)get(&rig, 1, i, 32), out[i / 8][i % 8]);
  }
  group_rig_close(&rig);
}

TEST(convert, integers_become_floats_in_the_requested_rounding_direction) {
  ct_freed(group_rig_close) struct group_rig rig;
  ASSERT_TRUE(group_rig_open(&rig, CT_KERNEL(integers_become_floats_in)));
  put(&rig, 0, 0, 32, (1 << 24) + 1);
  put(&rig, 2, 0, 64, (UINT64_C(1) << 53) + 1);
  group_rig_range(&rig, 1, 1, 32);
  ASSERT_TRUE(group_rig_run(&rig));
  static const float out[] = {0x1p24f, 0x1p24f, 0x1.000002p24f, -0x1.000002p24f};
  for (unsigned i = 0; i < 4; i++)
    EXPECT_EQ(get(&rig, 1, i, 32), float_raw(out[i]));
  EXPECT_EQ(get(&rig, 3, 0, 64), double_raw(0x1p53 + 2));
  EXPECT_EQ(get(&rig, 3, 1, 64), double_raw(0x1p53));
  EXPECT_EQ(get(&rig, 3, 2, 64), double_raw(-0x1p53 - 2));
}

TEST(convert, narrow_integers_are_extended_by_their_own_sign) {
  struct group_rig rig;
  ASSERT_TRUE(
      group_rig_open(&rig, "kernel void k(global char *a, global long *o) {\n"
                           "  char x = a[0] * 3; uchar y = x; short s = x * 100;\n"
                           "  o[0] = x; o[1] = y; o[2] = s; o[3] = (ushort)s; o[4] = (uint)x; o[5] = (float)y;\n}\n"));
  put(&rig, 0, 0, 8, 60); /* times 3 is 180, -76 as a char; times 100, -7600 */
  group_rig_range(&rig, 1, 1, 32);
  ASSERT_TRUE(group_rig_run(&rig));
  static const int64_t out[] = {-76, 180, -7600, 65536 - 7600, (INT64_C(1) << 32) - 76, 180};
  for (unsigned i = 0; i < 6; i++)
    EXPECT_EQ(get(&rig, 1, i, 64), out[i]);
  group_rig_close(&rig);
}
