/* Floating-point functions of OpenCL.std that are not one ISA operation, one component at a time. The expansions are
 * exact where the function is. Comments say where a NaN, the sign of a zero or an infinity matters. */
#include "opencl/lower/std.h"
#include <math.h>

/* ---- signs, as bits -------------------------------------------------------------------------------- */

/* `magnitude` with the sign of `sign`. A double's sign is in its high word; the low word stays. */
static ir_ref with_sign(const struct std_lane *lane, ir_ref magnitude, ir_ref sign) {
  struct build *b = lane->b;
  const bool is_double = lane->bits == 64;
  const uint32_t bit = lane->bits == 16 ? 0x8000u : 0x80000000u;
  const ir_ref high = is_double ? build_word(b, magnitude, 1) : magnitude;
  const ir_ref from = is_double ? build_word(b, sign, 1) : sign;
  const ir_ref bits = build_op(b, ISA_AND_32, high, build_32(b, bit - 1), 0);
  const ir_ref sign_bit = build_op(b, ISA_AND_32, from, build_32(b, bit), 0);
  const ir_ref both = build_op(b, ISA_OR_32, bits, sign_bit, 0);
  return is_double ? build_pair(b, build_word(b, magnitude, 0), both) : both;
}

static ir_ref zero_like(const struct std_lane *lane, ir_ref sign) { return with_sign(lane, std_float(lane, 0), sign); }

ir_ref std_copysign(struct std_lane *lane) { return with_sign(lane, lane->arg[0], lane->arg[1]); }

ir_ref std_nan(struct std_lane *lane) {
  struct build *b = lane->b;
  if (lane->bits == 64) {
    const ir_ref code = build_op(b, ISA_AND_64, lane->arg[0], build_64(b, UINT64_C(0x7ffffffffffff)), 0);
    return build_op(b, ISA_OR_64, code, build_64(b, UINT64_C(0x7ff8000000000000)), 0);
  }
  const bool half = lane->bits == 16;
  const ir_ref code = build_op(b, ISA_AND_32, lane->arg[0], build_32(b, half ? 0x1ff : 0x3fffff), 0);
  return build_op(b, ISA_OR_32, code, build_32(b, half ? 0x7e00 : 0x7fc00000), 0);
}

/* ---- parts of a number ----------------------------------------------------------------------------- */

/* x minus its whole part. The fraction of a whole number or an infinity is a zero with its sign. */
static ir_ref fraction(const struct std_lane *lane, ir_ref whole) {
  struct build *b = lane->b;
  const ir_ref x = lane->arg[0];
  const ir_ref rest = build_op(b, STD_FLOAT(lane, FSUB), x, whole, 0);
  const ir_ref is_whole = build_op(b, STD_FLOAT(lane, SETP_FEQ), x, whole, 0);
  const ir_ref zero = zero_like(lane, x);
  return build_select(b, is_whole, zero, rest);
}

ir_ref std_fract(struct std_lane *lane) {
  struct build *b = lane->b;
  lane->second = build_op(b, STD_FLOAT(lane, FLOOR), lane->arg[0], 0, 0);
  const ir_ref rest = fraction(lane, lane->second);
  /* The fraction of a tiny negative number rounds to 1, which fract() must not return. A NaN stays a NaN. */
  const double most = lane->bits == 16 ? 0x1.ffcp-1 : lane->bits == 32 ? 0x1.fffffep-1 : 0x1.fffffffffffffp-1;
  const ir_ref is_one = build_op(b, STD_FLOAT(lane, SETP_FEQ), rest, std_float(lane, 1), 0);
  return build_select(b, is_one, std_float(lane, most), rest);
}

ir_ref std_modf(struct std_lane *lane) {
  lane->second = build_op(lane->b, STD_FLOAT(lane, TRUNC), lane->arg[0], 0, 0);
  return fraction(lane, lane->second);
}

ir_ref std_frexp(struct std_lane *lane) {
  lane->second = build_op(lane->b, STD_MATH(lane, FREXP_EXP), lane->arg[0], 0, 0);
  return build_op(lane->b, STD_MATH(lane, FREXP), lane->arg[0], 0, 0);
}

ir_ref std_lgamma_r(struct std_lane *lane) {
  lane->second = build_op(lane->b, STD_MATH(lane, LGAMMA_SIGN), lane->arg[0], 0, 0);
  return build_op(lane->b, STD_MATH(lane, LGAMMA), lane->arg[0], 0, 0);
}

ir_ref std_remquo(struct std_lane *lane) {
  lane->second = build_op(lane->b, STD_MATH(lane, REMQUO), lane->arg[0], lane->arg[1], 0);
  return build_op(lane->b, STD_MATH(lane, REMAINDER), lane->arg[0], lane->arg[1], 0);
}

ir_ref std_sincos(struct std_lane *lane) {
  lane->second = build_op(lane->b, STD_MATH(lane, COS), lane->arg[0], 0, 0);
  return build_op(lane->b, STD_MATH(lane, SIN), lane->arg[0], 0, 0);
}

/* The ISA has nextafter for float and double. A half's bits move by one, away from zero or toward it. */
static ir_ref nextafter_half(const struct std_lane *lane) {
  struct build *b = lane->b;
  const ir_ref x = lane->arg[0], y = lane->arg[1];
  const ir_ref up = build_op(b, ISA_SETP_FLT_F16, x, y, 0);
  const ir_ref negative = build_op(b, ISA_SETP_GE_U32, x, build_32(b, 0x8000), 0);
  const ir_ref away = build_op(b, ISA_XOR_P, up, negative, 0);
  const ir_ref step = build_select(b, away, build_32(b, 1), build_32(b, UINT32_MAX));
  const ir_ref stepped = build_op(b, ISA_ADD_32, x, step, 0);
  const ir_ref smallest = build_select(b, up, build_32(b, 0x0001), build_32(b, 0x8001));
  const ir_ref is_zero = build_op(b, ISA_SETP_FEQ_F16, x, build_32(b, 0), 0);
  const ir_ref moved = build_select(b, is_zero, smallest, stepped);
  const ir_ref equal = build_op(b, ISA_SETP_FEQ_F16, x, y, 0);
  const ir_ref number = build_select(b, equal, y, moved);
  const ir_ref is_nan = build_op(b, ISA_SETP_NAN_F16, x, y, 0);
  return build_select(b, is_nan, std_float(lane, (double)NAN), number);
}

ir_ref std_nextafter(struct std_lane *lane) {
  if (lane->bits == 16)
    return nextafter_half(lane);
  return build_op(lane->b, STD_MATH(lane, NEXTAFTER), lane->arg[0], lane->arg[1], 0);
}

/* ---- comparison ------------------------------------------------------------------------------------ */

/* A NaN compares false, so the result is the difference, which is a NaN. */
ir_ref std_fdim(struct std_lane *lane) {
  struct build *b = lane->b;
  const ir_ref difference = build_op(b, STD_FLOAT(lane, FSUB), lane->arg[0], lane->arg[1], 0);
  const ir_ref below = build_op(b, STD_FLOAT(lane, SETP_FLE), lane->arg[0], lane->arg[1], 0);
  return build_select(b, below, std_float(lane, 0), difference);
}

/* The operand that `compare` prefers by magnitude; `otherwise`, fmax or fmin, if it prefers neither. */
static ir_ref by_magnitude(const struct std_lane *lane, enum isa_op compare, enum isa_op otherwise) {
  struct build *b = lane->b;
  const ir_ref x = lane->arg[0], y = lane->arg[1];
  const ir_ref x_size = build_op(b, STD_FLOAT(lane, FABS), x, 0, 0);
  const ir_ref y_size = build_op(b, STD_FLOAT(lane, FABS), y, 0, 0);
  const ir_ref x_wins = build_op(b, compare, x_size, y_size, 0);
  const ir_ref y_wins = build_op(b, compare, y_size, x_size, 0);
  const ir_ref equal = build_op(b, otherwise, x, y, 0);
  const ir_ref y_or_equal = build_select(b, y_wins, y, equal);
  return build_select(b, x_wins, x, y_or_equal);
}

ir_ref std_maxmag(struct std_lane *lane) {
  return by_magnitude(lane, STD_FLOAT(lane, SETP_FGT), STD_FLOAT(lane, FMAX));
}

ir_ref std_minmag(struct std_lane *lane) {
  return by_magnitude(lane, STD_FLOAT(lane, SETP_FLT), STD_FLOAT(lane, FMIN));
}

static ir_ref clamped(const struct std_lane *lane, ir_ref x, ir_ref low, ir_ref high) {
  const ir_ref above = build_op(lane->b, STD_FLOAT(lane, FMAX), x, low, 0);
  return build_op(lane->b, STD_FLOAT(lane, FMIN), above, high, 0);
}

ir_ref std_fclamp(struct std_lane *lane) { return clamped(lane, lane->arg[0], lane->arg[1], lane->arg[2]); }

/* x < edge ? 0 : 1, so 1 for a NaN. */
ir_ref std_step(struct std_lane *lane) {
  struct build *b = lane->b;
  const ir_ref below = build_op(b, STD_FLOAT(lane, SETP_FLT), lane->arg[1], lane->arg[0], 0);
  const ir_ref zero = std_float(lane, 0);
  return build_select(b, below, zero, std_float(lane, 1));
}

/* 1 with the sign of x; a zero stays itself, and a NaN gives +0. */
ir_ref std_sign(struct std_lane *lane) {
  struct build *b = lane->b;
  const ir_ref x = lane->arg[0], zero = std_float(lane, 0);
  const ir_ref one = with_sign(lane, std_float(lane, 1), x);
  const ir_ref not_zero = build_op(b, STD_FLOAT(lane, SETP_FNE), x, zero, 0);
  const ir_ref number = build_select(b, not_zero, one, x);
  const ir_ref is_nan = build_op(b, STD_FLOAT(lane, SETP_NAN), x, x, 0);
  return build_select(b, is_nan, zero, number);
}

/* ---- scaling and blending -------------------------------------------------------------------------- */

/* The rounding of the factor and of the product stays within the allowed 2 ulp. */
ir_ref std_degrees(struct std_lane *lane) {
  return build_op(lane->b, STD_FLOAT(lane, FMUL), lane->arg[0], std_float(lane, 57.295779513082320877), 0);
}

ir_ref std_radians(struct std_lane *lane) {
  return build_op(lane->b, STD_FLOAT(lane, FMUL), lane->arg[0], std_float(lane, 0.017453292519943295769), 0);
}

/* x + (y - x) * a */
ir_ref std_mix(struct std_lane *lane) {
  const ir_ref span = build_op(lane->b, STD_FLOAT(lane, FSUB), lane->arg[1], lane->arg[0], 0);
  return build_op(lane->b, STD_FLOAT(lane, FMA), span, lane->arg[2], lane->arg[0]);
}

/* t * t * (3 - 2 t) with t = (x - edge0) / (edge1 - edge0), clamped to [0, 1]. */
ir_ref std_smoothstep(struct std_lane *lane) {
  struct build *b = lane->b;
  const ir_ref low = lane->arg[0], high = lane->arg[1];
  const ir_ref above = build_op(b, STD_FLOAT(lane, FSUB), lane->arg[2], low, 0);
  const ir_ref span = build_op(b, STD_FLOAT(lane, FSUB), high, low, 0);
  const ir_ref ratio = build_op(b, STD_FLOAT(lane, FDIV), above, span, 0);
  const ir_ref zero = std_float(lane, 0);
  const ir_ref t = clamped(lane, ratio, zero, std_float(lane, 1));
  const ir_ref minus_two = std_float(lane, -2);
  const ir_ref slope = build_op(b, STD_FLOAT(lane, FMA), t, minus_two, std_float(lane, 3));
  const ir_ref square = build_op(b, STD_FLOAT(lane, FMUL), t, t, 0);
  return build_op(b, STD_FLOAT(lane, FMUL), square, slope, 0);
}
