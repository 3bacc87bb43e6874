/* Edge cases of the library functions, from OpenCL C's tables, and directed conversions. */
#include "isa/lanes.h"
#include "isa/ops.h"
#include "isa/rows.h"
#include "tests/ct.h"
#include "tests/isa/rig.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static struct rig rig;

static bool open_rig(void) { return rig_open(&rig, ".kernel k\n.registers 16\nexit\n", 16, 16); }

static uint64_t bits_of(enum isa_type type, double value) {
  const float f = (float)value;
  uint32_t narrow;
  uint64_t bits;
  memcpy(&narrow, &f, 4);
  memcpy(&bits, &value, 8);
  return type == TYPE_F32 ? narrow : type == TYPE_F64 ? bits : (uint32_t)(int32_t)value;
}

static void put(uint8_t reg, uint64_t bits) {
  rig.warp[0].reg[reg * 16] = (uint32_t)bits;
  rig.warp[0].reg[(reg + 1) * 16] = (uint32_t)(bits >> 32);
}

/* The result bits of `op` for these operand bits, in one lane. */
static uint64_t apply(enum isa_op op, uint64_t a, uint64_t b) {
  const struct isa_row *row = &isa_rows[op];
  const struct isa_inst inst = {
      .op = (uint16_t)op, .d = 0, .a = 2, .b = row->b == TYPE_NONE ? ISA_NO_REGISTER : 4, .c = ISA_NO_REGISTER};
  put(2, a);
  put(4, b);
  isa_lanes()[op](&rig.warp[0], &inst, 1, 16);
  return isa_types[row->d].registers == 2 ? rig_pair(&rig, 0, 0) : rig_reg(&rig, 0, 0);
}

/* Compares both widths, which are adjacent rows, with one line of a table. Any NaN is the one quiet NaN. */
static void expect(enum isa_op op32, double a, double b, double result) {
  for (enum isa_op op = op32; op <= op32 + 1; op++) {
    const struct isa_row *row = &isa_rows[op];
    const uint64_t quiet = row->d == TYPE_F32 ? 0x7fc00000 : UINT64_C(0x7ff8000000000000);
    ct_note("%s of %g, %g", row->mnemonic, a, b);
    EXPECT_EQ(apply(op, bits_of(row->a, a), bits_of(row->b, b)), isnan(result) ? quiet : bits_of(row->d, result));
  }
}

struct line {
  enum isa_op op; /* the F32 row; F64 follows it */
  double a, b, result;
};

static void expect_all(const struct line *lines, size_t count) {
  ASSERT_TRUE(open_rig());
  for (size_t i = 0; i < count; i++)
    expect(lines[i].op, lines[i].a, lines[i].b, lines[i].result);
  rig_close(&rig);
}
#define EXPECT_ALL(lines) expect_all(lines, sizeof lines / sizeof lines[0])

TEST(math, circular_functions_over_pi_are_exact_at_halves) {
  static const struct line lines[] = {
      {ISA_SINPI_F32, 0, 0, 0},
      {ISA_SINPI_F32, -0.0, 0, -0.0},
      {ISA_SINPI_F32, 0.5, 0, 1},
      {ISA_SINPI_F32, 1, 0, 0},
      {ISA_SINPI_F32, -1, 0, -0.0},
      {ISA_SINPI_F32, 1.5, 0, -1},
      {ISA_SINPI_F32, -2.5, 0, -1},
      {ISA_SINPI_F32, 1048577, 0, 0},
      {ISA_SINPI_F32, 0x1p100, 0, 0},
      {ISA_SINPI_F32, INFINITY, 0, NAN},
      {ISA_COSPI_F32, 0, 0, 1},
      {ISA_COSPI_F32, 0.5, 0, 0},
      {ISA_COSPI_F32, -0.5, 0, 0},
      {ISA_COSPI_F32, 1.5, 0, 0},
      {ISA_COSPI_F32, 1, 0, -1},
      {ISA_COSPI_F32, -3, 0, -1},
      {ISA_COSPI_F32, 0x1p100, 0, 1},
      {ISA_COSPI_F32, -INFINITY, 0, NAN},
      {ISA_TANPI_F32, 0, 0, 0},
      {ISA_TANPI_F32, -0.0, 0, -0.0},
      {ISA_TANPI_F32, 1, 0, -0.0},
      {ISA_TANPI_F32, 2, 0, 0},
      {ISA_TANPI_F32, -1, 0, 0},
      {ISA_TANPI_F32, -2, 0, -0.0},
      {ISA_TANPI_F32, 0.5, 0, INFINITY},
      {ISA_TANPI_F32, 1.5, 0, -INFINITY},
      {ISA_TANPI_F32, -0.5, 0, -INFINITY},
      {ISA_TANPI_F32, -1.5, 0, INFINITY},
      {ISA_TANPI_F32, INFINITY, 0, NAN},
      {ISA_ASINPI_F32, 1, 0, 0.5},
      {ISA_ASINPI_F32, -0.0, 0, -0.0},
      {ISA_ASINPI_F32, 2, 0, NAN},
      {ISA_ACOSPI_F32, 1, 0, 0},
      {ISA_ACOSPI_F32, 0, 0, 0.5},
      {ISA_ACOSPI_F32, -1, 0, 1},
      {ISA_ATANPI_F32, INFINITY, 0, 0.5},
      {ISA_ATANPI_F32, -1, 0, -0.25},
      {ISA_ATAN2PI_F32, 0, -0.0, 1},
      {ISA_ATAN2PI_F32, -0.0, -1, -1},
      {ISA_ATAN2PI_F32, 1, 0, 0.5},
      {ISA_ATAN2PI_F32, INFINITY, -INFINITY, 0.75},
      {ISA_ATAN2PI_F32, -1, INFINITY, -0.0},
  };
  EXPECT_ALL(lines);
}

TEST(math, circular_and_hyperbolic_functions_have_their_limits) {
  static const struct line lines[] = {
      {ISA_TAN_F32, -0.0, 0, -0.0},
      {ISA_TAN_F32, INFINITY, 0, NAN},
      {ISA_ASIN_F32, 0, 0, 0},
      {ISA_ASIN_F32, 1.5, 0, NAN},
      {ISA_ACOS_F32, 1, 0, 0},
      {ISA_ACOS_F32, -1, 0, M_PI},
      {ISA_ATAN_F32, INFINITY, 0, M_PI_2},
      {ISA_ATAN2_F32, 0, -1, M_PI},
      {ISA_ATAN2_F32, -0.0, 1, -0.0},
      {ISA_SINH_F32, -INFINITY, 0, -INFINITY},
      {ISA_COSH_F32, 0, 0, 1},
      {ISA_COSH_F32, -INFINITY, 0, INFINITY},
      {ISA_TANH_F32, INFINITY, 0, 1},
      {ISA_ASINH_F32, -0.0, 0, -0.0},
      {ISA_ACOSH_F32, 1, 0, 0},
      {ISA_ACOSH_F32, 0.5, 0, NAN},
      {ISA_ATANH_F32, 1, 0, INFINITY},
      {ISA_ATANH_F32, 2, 0, NAN},
  };
  EXPECT_ALL(lines);
}

TEST(math, exponentials_logarithms_and_gamma_have_their_exact_values) {
  static const struct line lines[] = {
      {ISA_EXP10_F32, 0, 0, 1},
      {ISA_EXP10_F32, 400, 0, INFINITY},
      {ISA_EXPM1_F32, -0.0, 0, -0.0},
      {ISA_EXPM1_F32, -INFINITY, 0, -1},
      {ISA_LOG10_F32, 1000, 0, 3},
      {ISA_LOG10_F32, 0, 0, -INFINITY},
      {ISA_LOG10_F32, -1, 0, NAN},
      {ISA_LOG1P_F32, -1, 0, -INFINITY},
      {ISA_LOG1P_F32, -0.0, 0, -0.0},
      {ISA_CBRT_F32, -27, 0, -3},
      {ISA_CBRT_F32, 1000, 0, 10},
      {ISA_CBRT_F32, 0x1p-147, 0, 0x1p-49},
      {ISA_CBRT_F32, -INFINITY, 0, -INFINITY},
      {ISA_CBRT_F32, -0.0, 0, -0.0},
      {ISA_ERF_F32, INFINITY, 0, 1},
      {ISA_ERF_F32, -0.0, 0, -0.0},
      {ISA_ERFC_F32, -INFINITY, 0, 2},
      {ISA_ERFC_F32, 0, 0, 1},
      {ISA_TGAMMA_F32, 5, 0, 24},
      {ISA_TGAMMA_F32, -0.0, 0, -INFINITY},
      {ISA_TGAMMA_F32, -2, 0, NAN},
      {ISA_LGAMMA_F32, 1, 0, 0},
      {ISA_LGAMMA_F32, -2, 0, INFINITY},
      {ISA_LGAMMA_F32, -INFINITY, 0, INFINITY},
      {ISA_LGAMMA_SIGN_F32, 3, 0, 1},
      {ISA_LGAMMA_SIGN_F32, -0.5, 0, -1},
      {ISA_LGAMMA_SIGN_F32, -1.5, 0, 1},
      {ISA_HYPOT_F32, 3, 4, 5},
      {ISA_HYPOT_F32, -INFINITY, NAN, INFINITY},
  };
  EXPECT_ALL(lines);
}

TEST(math, powers_and_roots_follow_the_table) {
  static const struct line lines[] = {
      {ISA_POWR_F32, 2, 10, 1024},
      {ISA_POWR_F32, -1, 2, NAN},
      {ISA_POWR_F32, 0, 0, NAN},
      {ISA_POWR_F32, -0.0, -1, INFINITY},
      {ISA_POWR_F32, -0.0, 3, 0},
      {ISA_POWR_F32, INFINITY, 0, NAN},
      {ISA_POWR_F32, 1, INFINITY, NAN},
      {ISA_POWR_F32, 1, 5, 1},
      {ISA_POWR_F32, 3, 0, 1},
      {ISA_POWR_F32, 2, NAN, NAN},
      {ISA_POWR_F32, NAN, 0, NAN},
      {ISA_POWN_F32, NAN, 0, 1},
      {ISA_POWN_F32, -2, 3, -8},
      {ISA_POWN_F32, -0.0, -3, -INFINITY},
      {ISA_POWN_F32, -0.0, -2, INFINITY},
      {ISA_POWN_F32, -0.0, 3, -0.0},
      {ISA_POWN_F32, -1, INT_MAX, -1},
      {ISA_POWN_F32, -1, INT_MIN, 1},
      {ISA_ROOTN_F32, 8, 3, 2},
      {ISA_ROOTN_F32, -8, 3, -2},
      {ISA_ROOTN_F32, 0x1p-120, -120, 2},
      {ISA_ROOTN_F32, -8, 2, NAN},
      {ISA_ROOTN_F32, 8, 0, NAN},
      {ISA_ROOTN_F32, -0.0, 3, -0.0},
      {ISA_ROOTN_F32, -0.0, 2, 0},
      {ISA_ROOTN_F32, -0.0, -3, -INFINITY},
      {ISA_ROOTN_F32, -0.0, -2, INFINITY},
      {ISA_ROOTN_F32, INFINITY, -1, 0},
      {ISA_ROOTN_F32, -INFINITY, 5, -INFINITY},
      {ISA_ROOTN_F32, 3.5, 1, 3.5},
      {ISA_ROOTN_F32, 4, -1, 0.25},
      {ISA_ROOTN_F32, 1, INT_MIN, 1},
      {ISA_LDEXP_F32, 1, INT_MAX, INFINITY},
      {ISA_LDEXP_F32, -1, INT_MIN, -0.0},
      {ISA_LDEXP_F32, 0.75, 3, 6},
      {ISA_LDEXP_F32, NAN, 3, NAN},
  };
  EXPECT_ALL(lines);
}

TEST(math, parts_of_numbers_cover_zeros_infinities_and_nans) {
  static const struct line lines[] = {
      {ISA_FREXP_F32, 12, 0, 0.75},
      {ISA_FREXP_F32, -0.0, 0, -0.0},
      {ISA_FREXP_F32, -INFINITY, 0, -INFINITY},
      {ISA_FREXP_F32, NAN, 0, NAN},
      {ISA_FREXP_EXP_F32, 12, 0, 4},
      {ISA_FREXP_EXP_F32, 0x1p-149, 0, -148},
      {ISA_FREXP_EXP_F32, 0, 0, 0},
      {ISA_FREXP_EXP_F32, INFINITY, 0, 0},
      {ISA_FREXP_EXP_F32, NAN, 0, 0},
      {ISA_ILOGB_F32, 12, 0, 3},
      {ISA_ILOGB_F32, 0x1p-149, 0, -149},
      {ISA_ILOGB_F32, 0, 0, INT_MIN},
      {ISA_ILOGB_F32, -INFINITY, 0, INT_MAX},
      {ISA_ILOGB_F32, NAN, 0, INT_MAX},
      {ISA_LOGB_F32, -12, 0, 3},
      {ISA_LOGB_F32, 0x1p-149, 0, -149},
      {ISA_LOGB_F32, 0, 0, -INFINITY},
      {ISA_LOGB_F32, -INFINITY, 0, INFINITY},
      {ISA_REMAINDER_F32, 7, 2, -1},
      {ISA_REMAINDER_F32, 5, 2, 1},
      {ISA_REMAINDER_F32, -6, 3, -0.0},
      {ISA_REMAINDER_F32, 1, 0, NAN},
      {ISA_REMAINDER_F32, 1, INFINITY, 1},
      {ISA_REMQUO_F32, 7, 2, 4},
      {ISA_REMQUO_F32, 5, 2, 2},
      {ISA_REMQUO_F32, -7, 2, -4},
      {ISA_REMQUO_F32, 130, 1, 2},
      {ISA_REMQUO_F32, 255.5, 1, 0},    /* 256 */
      {ISA_REMQUO_F32, 0x1p127, 3, 43}, /* (2^127 + 1) / 3, and 3 * 43 is 1 modulo 128 */
      {ISA_REMQUO_F32, 3e38, 2e38, 2},
      {ISA_REMQUO_F32, INFINITY, 1, 0},
      {ISA_REMQUO_F32, 1, INFINITY, 0},
      {ISA_REMQUO_F32, 1, 0, 0},
      {ISA_NEXTAFTER_F32, 1, 1, 1},
      {ISA_NEXTAFTER_F32, 0, -0.0, -0.0},
      {ISA_NEXTAFTER_F32, 1, NAN, NAN},
      {ISA_ROUND_F32, 2.5, 0, 3},
      {ISA_ROUND_F32, -0.5, 0, -1},
      {ISA_ROUND_F32, -0.25, 0, -0.0},
      {ISA_ROUND_F32, INFINITY, 0, INFINITY},
  };
  EXPECT_ALL(lines);
  ASSERT_TRUE(open_rig());
  EXPECT_EQ(apply(ISA_REMAINDER_F64, UINT64_C(0x0509e30376bdf82c), 1), 0); /* by the smallest subnormal */
  EXPECT_EQ(apply(ISA_REMAINDER_F64, UINT64_C(0x7fefffffffffffff), UINT64_C(0x7fe0000000000000)),
            UINT64_C(0xfca0000000000000)); /* 2^1024 - 2^971, by 2^1023: -2^971 */
  EXPECT_EQ(apply(ISA_HYPOT_F64, UINT64_C(0xfff0000000000001), UINT64_C(0x7ff0000000000000)),
            UINT64_C(0x7ff0000000000000)); /* any NaN */
  EXPECT_EQ(apply(ISA_POWN_F64, UINT64_C(0x7ff0000000000001), 0), UINT64_C(0x3ff0000000000000));
  EXPECT_EQ(apply(ISA_NEXTAFTER_F32, 0x3f800000, 0x40000000), 0x3f800001);
  EXPECT_EQ(apply(ISA_NEXTAFTER_F32, 0, 0xbf800000), 0x80000001);
  EXPECT_EQ(apply(ISA_NEXTAFTER_F32, 0x7f7fffff, 0x7f800000), 0x7f800000);
  EXPECT_EQ(apply(ISA_NEXTAFTER_F64, UINT64_C(0x3ff0000000000000), 0), UINT64_C(0x3fefffffffffffff));
  EXPECT_EQ(apply(ISA_ROUND_F32, 0x3effffff, 0), 0); /* just below 0.5 */
  EXPECT_EQ(apply(ISA_ROUND_F64, UINT64_C(0x3fdfffffffffffff), 0), 0);
  EXPECT_EQ(apply(ISA_ROUND_F16, 0x4100, 0), 0x4200); /* 2.5 */
  rig_close(&rig);
}

static void expect_directed(enum isa_op rz, uint64_t a, uint64_t towards_zero, uint64_t up, uint64_t down) {
  const enum isa_op step = ISA_CVT_F16_S32_RU - ISA_CVT_F16_S32_RZ;
  ct_note("%s of %#llx", isa_rows[rz].mnemonic, (unsigned long long)a);
  EXPECT_EQ(apply(rz, a, 0), towards_zero);
  EXPECT_EQ(apply(rz + step, a, 0), up);
  EXPECT_EQ(apply(rz + 2 * step, a, 0), down);
}

TEST(math, directed_conversions_round_to_the_next_float_on_that_side) {
  ASSERT_TRUE(open_rig());
  const uint64_t minus_one = UINT64_MAX;
  expect_directed(ISA_CVT_F32_S32_RZ, 16777217, 0x4b800000, 0x4b800001, 0x4b800000);
  expect_directed(ISA_CVT_F32_S32_RZ, (uint32_t)-16777217, 0xcb800000, 0xcb800000, 0xcb800001);
  expect_directed(ISA_CVT_F32_U32_RZ, UINT32_MAX, 0x4f7fffff, 0x4f800000, 0x4f7fffff);
  expect_directed(ISA_CVT_F32_U32_RZ, 0, 0, 0, 0);
  expect_directed(ISA_CVT_F32_S64_RZ, INT64_MAX, 0x5effffff, 0x5f000000, 0x5effffff);
  expect_directed(ISA_CVT_F32_U64_RZ, UINT64_C(0x8000000000000001), 0x5f000000, 0x5f000001, 0x5f000000);
  expect_directed(ISA_CVT_F64_S64_RZ, INT64_MAX, UINT64_C(0x43dfffffffffffff), UINT64_C(0x43e0000000000000),
                  UINT64_C(0x43dfffffffffffff));
  expect_directed(ISA_CVT_F64_S64_RZ, minus_one, UINT64_C(0xbff0000000000000), UINT64_C(0xbff0000000000000),
                  UINT64_C(0xbff0000000000000));
  expect_directed(ISA_CVT_F64_U64_RZ, UINT64_MAX, UINT64_C(0x43efffffffffffff), UINT64_C(0x43f0000000000000),
                  UINT64_C(0x43efffffffffffff));
  expect_directed(ISA_CVT_F16_S32_RZ, 65519, 0x7bff, 0x7c00, 0x7bff);
  expect_directed(ISA_CVT_F16_S32_RZ, (uint32_t)-70000, 0xfbff, 0xfbff, 0xfc00);
  expect_directed(ISA_CVT_F16_U32_RZ, 2049, 0x6800, 0x6801, 0x6800);
  expect_directed(ISA_CVT_F16_S64_RZ, minus_one, 0xbc00, 0xbc00, 0xbc00);
  expect_directed(ISA_CVT_F16_U64_RZ, UINT64_MAX, 0x7bff, 0x7c00, 0x7bff);
  expect_directed(ISA_CVT_F16_F32_RZ, 0x7f7fffff, 0x7bff, 0x7c00, 0x7bff);
  expect_directed(ISA_CVT_F16_F32_RZ, 0x7f800000, 0x7c00, 0x7c00, 0x7c00);
  expect_directed(ISA_CVT_F16_F32_RZ, 0x80000001, 0x8000, 0x8000, 0x8001);
  expect_directed(ISA_CVT_F16_F32_RZ, 0x00000001, 0, 1, 0);
  expect_directed(ISA_CVT_F16_F64_RZ, UINT64_C(0x3ff0000000000001), 0x3c00, 0x3c01, 0x3c00);
  expect_directed(ISA_CVT_F16_F64_RZ, UINT64_C(0x7ff0000000000001), 0x7e00, 0x7e00, 0x7e00);
  expect_directed(ISA_CVT_F32_F64_RZ, UINT64_C(0xbff0000000000001), 0xbf800000, 0xbf800000, 0xbf800001);
  expect_directed(ISA_CVT_F32_F64_RZ, UINT64_C(0x7fefffffffffffff), 0x7f7fffff, 0x7f800000, 0x7f7fffff);
  expect_directed(ISA_CVT_F32_F64_RZ, UINT64_C(0x8000000000000001), 0x80000000, 0x80000000, 0x80000001);
  expect_directed(ISA_CVT_F32_F64_RZ, UINT64_C(0x8000000000000000), 0x80000000, 0x80000000, 0x80000000);
  rig_close(&rig);
}
