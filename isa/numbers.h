/* Arithmetic that C leaves open, defined to be the same with every compiler: halves, NaNs, saturation.
 *
 * Halves are converted in software and computed in float. For + - * / and sqrt that is exact: float has 24 bits, at
 * least 2 * 11 + 2, so rounding twice gives the same as rounding once (Figueroa, "When is double rounding innocuous?",
 * 1995). For fma see half_fma().
 *
 * Compilers may swap operands, and x86 returns the NaN of the first operand. So every NaN that is written becomes the
 * one quiet NaN of its width. */
#ifndef ISA_NUMBERS_H
#define ISA_NUMBERS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

#define NAN_F16 0x7e00u
#define NAN_F32 0x7fc00000u
#define NAN_F64 UINT64_C(0x7ff8000000000000)

static inline float float_of(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static inline double double_of(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static inline uint32_t float_raw(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static inline uint64_t double_raw(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static inline uint32_t float_bits(float value) { return value != value ? NAN_F32 : float_raw(value); }
static inline uint64_t double_bits(double value) { return value != value ? NAN_F64 : double_raw(value); }

/* A multiplication moves the exponent from bias 15 to bias 127, which also normalizes subnormals. */
static inline float half_of(uint32_t bits) {
  uint32_t magnitude = (bits & 0x7fffu) << 13, sign = (bits & 0x8000u) << 16;
  uint32_t finite = float_raw(float_of(magnitude) * 0x1p112f);
  uint32_t special = magnitude | 0x7f800000u;
  return float_of((magnitude >= 0x0f800000u ? special : finite) | sign);
}

/* The nearest half, ties to even, of a double. A float converts to double exactly, so this also serves floats. */
static inline uint32_t half_bits(double value) {
  const uint64_t one = 1, magnitude = double_raw(value) & ~(one << 63);
  const uint32_t sign = (uint32_t)(double_raw(value) >> 48) & 0x8000u;
  /* Subnormal halves are multiples of 2^-24: adding 1.5 * 2^28 rounds to those bits. */
  const double magic = 0x1.8p28;
  const uint64_t small = double_raw(double_of(magnitude) + magic) - double_raw(magic);
  const uint64_t rounded = magnitude + ((one << 41) - 1) + (magnitude >> 42 & 1);
  const uint64_t normal = (rounded >> 42) - ((UINT64_C(1023) - 15) << 10);
  uint32_t result = (uint32_t)(magnitude < double_raw(0x1p-14) ? small : normal);
  if (magnitude >= double_raw(65520.0))
    result = 0x7c00u;
  return value != value ? NAN_F16 : result | sign;
}

static inline float half_round(double value) { return half_of(half_bits(value)); }

/* The product has at most 22 bits and is exact in double. The sum can be inexact only if the operands are more than 53
 * bits apart. Either c, which is a half, is then more than 2^31 times the product and is the result; or the product is
 * more than 2^42 times c, which is at least 2^-24, and overflows. So here, too, rounding twice gives the same as
 * rounding once. */
static inline float half_fma(float a, float b, float c) { return half_round((double)a * b + c); }

static inline float float_min(float a, float b) {
  const float equal = float_of(float_raw(a) | float_raw(b)); /* may differ in the sign of zero */
  return a != a ? b : b != b ? a : a < b ? a : b < a ? b : equal;
}

static inline float float_max(float a, float b) {
  const float equal = float_of(float_raw(a) & float_raw(b));
  return a != a ? b : b != b ? a : a > b ? a : b > a ? b : equal;
}

static inline double double_min(double a, double b) {
  const double equal = double_of(double_raw(a) | double_raw(b));
  return a != a ? b : b != b ? a : a < b ? a : b < a ? b : equal;
}

static inline double double_max(double a, double b) {
  const double equal = double_of(double_raw(a) & double_raw(b));
  return a != a ? b : b != b ? a : a > b ? a : b > a ? b : equal;
}

/* Every comparison with a NaN is false, so a NaN gives 0. */
static inline int32_t saturate_s32(double value, int32_t low, int32_t high) {
  return value >= high ? high : value <= low ? low : value == value ? (int32_t)value : 0;
}

static inline uint32_t saturate_u32(double value) {
  return value >= 4294967295.0 ? UINT32_MAX : value > 0 ? (uint32_t)value : 0;
}

static inline int64_t saturate_s64(double value) {
  return value >= 0x1p63 ? INT64_MAX : value <= -0x1p63 ? INT64_MIN : value == value ? (int64_t)value : 0;
}

static inline uint64_t saturate_u64(double value) {
  return value >= 0x1p64 ? UINT64_MAX : value > 0 ? (uint64_t)value : 0;
}

/* Directed rounding that does not touch the host's rounding mode: round to the nearest, then step one ulp if that is on
 * the wrong side. */
enum direction { TOWARDS_ZERO, UPWARDS, DOWNWARDS };

/* What to add to the bits of `near`, the value nearest to one that is `below` or `above` it. A zero already has the
 * sign of the value, so a step from it goes in the right direction. */
static inline int direction_step(bool below, bool above, bool negative, enum direction way) {
  const bool down = way == DOWNWARDS || (way == TOWARDS_ZERO && !negative);
  return down ? (below ? (negative ? 1 : -1) : 0) : (above ? (negative ? -1 : 1) : 0);
}

static inline float half_directed(double value, enum direction way) {
  const uint32_t bits = half_bits(value);
  const double near = half_of(bits);
  return half_of(bits + (uint32_t)direction_step(value<near, value> near, value < 0, way));
}

static inline float float_directed(double value, enum direction way) {
  const float near = (float)value;
  const double wide = near;
  return float_of(float_raw(near) + (uint32_t)direction_step(value<wide, value> wide, value < 0, way));
}

static inline double double_directed(int128 value, enum direction way) {
  const double near = (double)value;
  const int128 wide = (int128)near; /* at most 2^64: exact */
  return double_of(double_raw(near) + (uint64_t)direction_step(value<wide, value> wide, value < 0, way));
}

/* For each bit: bit 4 a + 2 b + c of the table. Without branches, so that the compiler can vectorize over lanes. */
static inline uint32_t logic_of_three(uint32_t table, uint32_t a, uint32_t b, uint32_t c) {
  uint32_t of_c[4], of_bc[2];
  for (unsigned i = 0; i < 4; i++) {
    const uint32_t one = 0u - (table >> (2 * i + 1) & 1), zero = 0u - (table >> (2 * i) & 1);
    of_c[i] = (c & one) | (~c & zero);
  }
  for (unsigned i = 0; i < 2; i++)
    of_bc[i] = (b & of_c[2 * i + 1]) | (~b & of_c[2 * i]);
  return (a & of_bc[1]) | (~a & of_bc[0]);
}

static inline uint64_t bits_reversed(uint64_t bits) {
  bits = (bits & UINT64_C(0x5555555555555555)) << 1 | (bits >> 1 & UINT64_C(0x5555555555555555));
  bits = (bits & UINT64_C(0x3333333333333333)) << 2 | (bits >> 2 & UINT64_C(0x3333333333333333));
  bits = (bits & UINT64_C(0x0f0f0f0f0f0f0f0f)) << 4 | (bits >> 4 & UINT64_C(0x0f0f0f0f0f0f0f0f));
  return __builtin_bswap64(bits);
}

#endif
