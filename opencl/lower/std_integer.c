/* Integer functions of OpenCL.std, one component at a time.
 *
 * Operands of 8 and 16 bits arrive extended to 32 (std.def says how), so their sums and products are exact there; the
 * upper bits of the result are undefined. 32 and 64 bits need forms that do not overflow. */
#include "opencl/lower/std.h"

static bool is_narrow(const struct std_lane *lane) { return lane->bits < 32; }
static bool is_signed(const struct std_lane *lane) { return lane->row->extend == STD_SIGNED; }

static uint64_t largest_signed(const struct std_lane *lane) { return (UINT64_C(1) << (lane->bits - 1)) - 1; }
static uint64_t largest_unsigned(const struct std_lane *lane) {
  return lane->bits == 64 ? UINT64_MAX : (UINT64_C(1) << lane->bits) - 1;
}

static ir_ref op(const struct std_lane *lane, enum isa_op op, ir_ref a, ir_ref x) {
  return build_op(lane->b, op, a, x, 0);
}

/* The shift amount has 32 bits at any width. */
static ir_ref shifted_right(const struct std_lane *lane, ir_ref value, unsigned by) {
  return op(lane, STD_SU(lane, SHR), value, build_32(lane->b, by));
}

/* A 32-bit count, in the result's width. */
static ir_ref as_wide(const struct std_lane *lane, ir_ref count) {
  return lane->bits == 64 ? op(lane, ISA_CVT_U64_U32, count, 0) : count;
}

ir_ref std_same(struct std_lane *lane) { return lane->arg[0]; }

ir_ref std_abs_diff(struct std_lane *lane) {
  const ir_ref larger = op(lane, STD_SU(lane, MAX), lane->arg[0], lane->arg[1]);
  const ir_ref smaller = op(lane, STD_SU(lane, MIN), lane->arg[0], lane->arg[1]);
  return op(lane, STD_INT(lane, SUB), larger, smaller);
}

/* ---- saturation ------------------------------------------------------------------------------------ */

/* Clamps a narrow number, exact in 32 bits, to the range of its type. */
static ir_ref saturated(const struct std_lane *lane, ir_ref value) {
  if (!is_signed(lane))
    return op(lane, ISA_MIN_U32, value, std_int(lane, largest_unsigned(lane)));
  const ir_ref above = op(lane, ISA_MAX_S32, value, std_int(lane, ~largest_signed(lane)));
  return op(lane, ISA_MIN_S32, above, std_int(lane, largest_signed(lane)));
}

/* Clamps b so that a + b does not overflow: from MIN - min(a, 0) to MAX - max(a, 0). */
ir_ref std_s_add_sat(struct std_lane *lane) {
  const ir_ref a = lane->arg[0];
  if (is_narrow(lane))
    return saturated(lane, op(lane, ISA_ADD_32, a, lane->arg[1]));
  const ir_ref zero = std_int(lane, 0), least = std_int(lane, largest_signed(lane) + 1);
  const ir_ref most = std_int(lane, largest_signed(lane));
  const ir_ref negative = op(lane, STD_S(lane, MIN), a, zero), positive = op(lane, STD_S(lane, MAX), a, zero);
  const ir_ref low = op(lane, STD_INT(lane, SUB), least, negative);
  const ir_ref high = op(lane, STD_INT(lane, SUB), most, positive);
  const ir_ref above = op(lane, STD_S(lane, MAX), lane->arg[1], low);
  return op(lane, STD_INT(lane, ADD), a, op(lane, STD_S(lane, MIN), above, high));
}

/* The same for a - b: b from max(a, -1) - MAX to min(a, -1) - MIN. */
ir_ref std_s_sub_sat(struct std_lane *lane) {
  const ir_ref a = lane->arg[0];
  if (is_narrow(lane))
    return saturated(lane, op(lane, ISA_SUB_32, a, lane->arg[1]));
  const ir_ref ones = std_int(lane, UINT64_MAX), least = std_int(lane, largest_signed(lane) + 1);
  const ir_ref most = std_int(lane, largest_signed(lane));
  const ir_ref positive = op(lane, STD_S(lane, MAX), a, ones), negative = op(lane, STD_S(lane, MIN), a, ones);
  const ir_ref low = op(lane, STD_INT(lane, SUB), positive, most);
  const ir_ref high = op(lane, STD_INT(lane, SUB), negative, least);
  const ir_ref above = op(lane, STD_S(lane, MAX), lane->arg[1], low);
  return op(lane, STD_INT(lane, SUB), a, op(lane, STD_S(lane, MIN), above, high));
}

static ir_ref u_add_sat(const struct std_lane *lane, ir_ref a, ir_ref b) {
  const ir_ref room = op(lane, STD_INT(lane, NOT), a, 0);
  return op(lane, STD_INT(lane, ADD), a, op(lane, STD_U(lane, MIN), b, room));
}

ir_ref std_u_add_sat(struct std_lane *lane) {
  if (is_narrow(lane))
    return saturated(lane, op(lane, ISA_ADD_32, lane->arg[0], lane->arg[1]));
  return u_add_sat(lane, lane->arg[0], lane->arg[1]);
}

ir_ref std_u_sub_sat(struct std_lane *lane) {
  const ir_ref larger = op(lane, STD_U(lane, MAX), lane->arg[0], lane->arg[1]);
  return op(lane, STD_INT(lane, SUB), larger, lane->arg[1]);
}

ir_ref std_clamp(struct std_lane *lane) {
  const ir_ref above = op(lane, STD_SU(lane, MAX), lane->arg[0], lane->arg[1]);
  return op(lane, STD_SU(lane, MIN), above, lane->arg[2]);
}

/* ---- averages -------------------------------------------------------------------------------------- */

/* x + y = 2 (x & y) + (x ^ y) = 2 (x | y) - (x ^ y) */
ir_ref std_hadd(struct std_lane *lane) {
  const ir_ref x = lane->arg[0], y = lane->arg[1];
  if (is_narrow(lane))
    return shifted_right(lane, op(lane, ISA_ADD_32, x, y), 1);
  const ir_ref both = op(lane, STD_INT(lane, AND), x, y), one = op(lane, STD_INT(lane, XOR), x, y);
  return op(lane, STD_INT(lane, ADD), both, shifted_right(lane, one, 1));
}

ir_ref std_rhadd(struct std_lane *lane) {
  const ir_ref x = lane->arg[0], y = lane->arg[1];
  const ir_ref any = op(lane, STD_INT(lane, OR), x, y), one = op(lane, STD_INT(lane, XOR), x, y);
  return op(lane, STD_INT(lane, SUB), any, shifted_right(lane, one, 1));
}

/* ---- bits ------------------------------------------------------------------------------------------ */

ir_ref std_clz(struct std_lane *lane) {
  const ir_ref zeros = op(lane, STD_INT(lane, CLZ), lane->arg[0], 0);
  if (is_narrow(lane))
    return op(lane, ISA_SUB_32, zeros, build_32(lane->b, 32 - lane->bits));
  return as_wide(lane, zeros);
}

/* For 0, a one above the narrow number stops the count. */
ir_ref std_ctz(struct std_lane *lane) {
  ir_ref value = lane->arg[0];
  if (is_narrow(lane))
    value = op(lane, ISA_OR_32, value, build_32(lane->b, 1u << lane->bits));
  return as_wide(lane, op(lane, STD_INT(lane, CTZ), value, 0));
}

ir_ref std_popcount(struct std_lane *lane) { return as_wide(lane, op(lane, STD_INT(lane, POPC), lane->arg[0], 0)); }

/* A narrow number is repeated over 32 bits. Rotating those by any amount rotates it by the amount modulo its width. */
ir_ref std_rotate(struct std_lane *lane) {
  struct build *b = lane->b;
  if (lane->bits == 64)
    return op(lane, ISA_ROTL_64, lane->arg[0], build_word(b, lane->arg[1], 0));
  ir_ref value = lane->arg[0];
  if (is_narrow(lane))
    value = op(lane, ISA_MUL_32, value, build_32(b, lane->bits == 8 ? 0x01010101 : 0x00010001));
  return op(lane, ISA_ROTL_32, value, lane->arg[1]);
}

/* The first operand in the upper bits, the second below; lane->bits is the operands' width. */
ir_ref std_upsample(struct std_lane *lane) {
  if (lane->bits == 32)
    return build_pair(lane->b, lane->arg[1], lane->arg[0]);
  const ir_ref high = op(lane, ISA_SHL_32, lane->arg[0], build_32(lane->b, lane->bits));
  return op(lane, ISA_OR_32, high, lane->arg[1]);
}

/* Bitwise: a ^ ((a ^ b) & c) takes b where c has ones. */
ir_ref std_bitselect(struct std_lane *lane) {
  const ir_ref differ = op(lane, STD_INT(lane, XOR), lane->arg[0], lane->arg[1]);
  const ir_ref chosen = op(lane, STD_INT(lane, AND), differ, lane->arg[2]);
  return op(lane, STD_INT(lane, XOR), lane->arg[0], chosen);
}

/* ---- products -------------------------------------------------------------------------------------- */

ir_ref std_mul_hi(struct std_lane *lane) {
  if (is_narrow(lane))
    return shifted_right(lane, op(lane, ISA_MUL_32, lane->arg[0], lane->arg[1]), lane->bits);
  return op(lane, STD_SU(lane, MULHI), lane->arg[0], lane->arg[1]);
}

ir_ref std_mad_hi(struct std_lane *lane) {
  const ir_ref high = std_mul_hi(lane);
  return op(lane, STD_INT(lane, ADD), high, lane->arg[2]);
}

/* 16 bits: the largest unsigned sum is 65535 * 65536, which fits in 32 bits; the largest signed one is below 2^30 +
 * 2^15. */
static ir_ref narrow_mad_sat(const struct std_lane *lane) {
  return saturated(lane, build_op(lane->b, ISA_MAD_32, lane->arg[0], lane->arg[1], lane->arg[2]));
}

/* 32 bits: the sum is exact in 64. 64 bits: the product saturates if its high half is not 0, and the addition saturates
 * too. */
ir_ref std_u_mad_sat(struct std_lane *lane) {
  struct build *b = lane->b;
  const ir_ref x = lane->arg[0], y = lane->arg[1], z = lane->arg[2];
  if (is_narrow(lane))
    return narrow_mad_sat(lane);
  if (lane->bits == 32) {
    const ir_ref sum = build_op(b, ISA_MADW_U32, x, y, op(lane, ISA_CVT_U64_U32, z, 0));
    return build_word(b, op(lane, ISA_MIN_U64, sum, build_64(b, UINT32_MAX)), 0);
  }
  const ir_ref high = op(lane, ISA_MULHI_U64, x, y), low = op(lane, ISA_MUL_64, x, y);
  const ir_ref fits = op(lane, ISA_SETP_EQ_U64, high, build_64(b, 0));
  const ir_ref product = build_select(b, fits, low, build_64(b, UINT64_MAX));
  return u_add_sat(lane, product, z);
}

/* The sum in 128 bits as (high, low). It fits if `high` is only the sign of `low`. */
static ir_ref s64_mad_sat(const struct std_lane *lane) {
  struct build *b = lane->b;
  const ir_ref x = lane->arg[0], y = lane->arg[1], z = lane->arg[2], by = build_32(b, 63);
  const ir_ref product = op(lane, ISA_MUL_64, x, y), product_high = op(lane, ISA_MULHI_S64, x, y);
  const ir_ref low = op(lane, ISA_ADD_64, product, z);
  const ir_ref carries = op(lane, ISA_SETP_LT_U64, low, product);
  const ir_ref sign = op(lane, ISA_SHR_S64, z, by);
  const ir_ref above = op(lane, ISA_ADD_64, product_high, sign);
  const ir_ref more = op(lane, ISA_ADD_64, above, build_64(b, 1));
  const ir_ref high = build_select(b, carries, more, above);
  const ir_ref fits = op(lane, ISA_SETP_EQ_S64, high, op(lane, ISA_SHR_S64, low, by));
  const ir_ref below = op(lane, ISA_SHR_S64, high, by);
  const ir_ref bound = op(lane, ISA_XOR_64, below, build_64(b, largest_signed(lane)));
  return build_select(b, fits, low, bound);
}

ir_ref std_s_mad_sat(struct std_lane *lane) {
  struct build *b = lane->b;
  if (is_narrow(lane))
    return narrow_mad_sat(lane);
  if (lane->bits == 64)
    return s64_mad_sat(lane);
  const ir_ref wide = op(lane, ISA_CVT_S64_S32, lane->arg[2], 0);
  const ir_ref sum = build_op(b, ISA_MADW_S32, lane->arg[0], lane->arg[1], wide);
  const ir_ref above = op(lane, ISA_MAX_S64, sum, build_64(b, (uint64_t)INT32_MIN));
  return build_word(b, op(lane, ISA_MIN_S64, above, build_64(b, INT32_MAX)), 0);
}
