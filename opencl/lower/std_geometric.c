/* Geometric functions of OpenCL.std: their operands are vectors, their result is a number or a vector. dot is OpDot, in
 * floats.c.
 *
 * Lengths must not overflow or lose small components on the way. Halves and floats are squared and summed in the next
 * wider precision, where neither happens. Doubles have no wider precision, so the vector is scaled by a power of two if
 * its sum of squares is too large or too small. The fast_ forms skip this. */
#include "opencl/lower/std.h"

#include <math.h>

enum { MOST = 16 };

/* A vector's components, in the width of the computation. */
struct vector {
  struct std_lane lane; /* holds the width for STD_FLOAT */
  unsigned from;        /* bits of the operands */
  uint32_t count;
  ir_ref part[MOST];
};

static ir_ref widened(struct build *b, ir_ref value, unsigned from, unsigned to) {
  if (from == to)
    return value;
  if (from == 16)
    return build_op(b, to == 32 ? ISA_CVT_F32_F16 : ISA_CVT_F64_F16, value, 0, 0);
  return build_op(b, ISA_CVT_F64_F32, value, 0, 0);
}

static ir_ref narrowed(const struct vector *v, ir_ref value) {
  struct build *b = v->lane.b;
  if (v->from == v->lane.bits)
    return value;
  if (v->from == 16)
    return build_op(b, v->lane.bits == 32 ? ISA_CVT_F16_F32 : ISA_CVT_F16_F64, value, 0, 0);
  return build_op(b, ISA_CVT_F32_F64, value, 0, 0);
}

/* The width for computing with `count` components of `bits`. A scalar is not squared. */
static unsigned working_bits(unsigned bits, uint32_t count, bool fast) {
  if (count == 1)
    return bits;
  return bits == 16 || (fast && bits == 32) ? 32 : 64;
}

/* Operand 0, minus operand 1 for a distance. As in the definition length(p0 - p1), the difference is computed in the
 * operands' width, but in float for halves. False after build_fail(). */
static bool vector_of(const struct std_call *call, bool distance, bool fast, struct vector *v) {
  struct build *b = call->b;
  const struct spirv_type *type = build_type(b, call->operand[0]);
  const unsigned bits = build_scalar(b, type)->bits;
  const uint32_t count = build_components(type);
  if (count > MOST)
    return build_fail(b, "a vector has more than %d components", MOST);
  *v = (struct vector){.lane = {.b = b, .bits = working_bits(bits, count, fast)}, .from = bits, .count = count};
  const unsigned subtracted = bits == 16 ? v->lane.bits : bits;
  const struct std_lane own = {.b = b, .bits = subtracted};
  const ir_ref *p = build_parts(b, call->operand[0]);
  const ir_ref *q = distance ? build_parts(b, call->operand[1]) : NULL;
  if (!p || (distance && !q))
    return false;
  for (uint32_t i = 0; i < v->count; i++) {
    ir_ref part = widened(b, p[i], bits, subtracted);
    if (q) {
      const ir_ref other = widened(b, q[i], bits, subtracted);
      part = build_op(b, STD_FLOAT(&own, FSUB), part, other, 0);
    }
    v->part[i] = widened(b, part, subtracted, v->lane.bits);
  }
  return true;
}

static ir_ref sum_of_squares(const struct vector *v) {
  struct build *b = v->lane.b;
  ir_ref sum = build_op(b, STD_FLOAT(&v->lane, FMUL), v->part[0], v->part[0], 0);
  for (uint32_t i = 1; i < v->count; i++)
    sum = build_op(b, STD_FLOAT(&v->lane, FMA), v->part[i], v->part[i], sum);
  return sum;
}

static void multiply(struct vector *v, ir_ref by) {
  for (uint32_t i = 0; i < v->count; i++)
    v->part[i] = build_op(v->lane.b, STD_FLOAT(&v->lane, FMUL), v->part[i], by, 0);
}

/* Doubles: finds whether the sum of squares is too small or too large to be exact. A sum above 2^-900 has lost nothing
 * that matters. If it overflowed, some component is at least 2^510; if it is below 2^-900, no component is above
 * 2^-450. 2^600 brings both into the middle of the range. */
static void judge(struct vector *v, ir_ref *small, ir_ref *large) {
  const ir_ref sum = sum_of_squares(v);
  *small = build_op(v->lane.b, ISA_SETP_FLT_F64, sum, std_float(&v->lane, 0x1p-900), 0);
  *large = build_op(v->lane.b, ISA_SETP_FEQ_F64, sum, std_float(&v->lane, (double)INFINITY), 0);
}

/* Multiplies the vector by the necessary power of two; returns the factor that corrects a length afterward. */
static ir_ref rescale(struct vector *v) {
  struct build *b = v->lane.b;
  ir_ref small, large;
  judge(v, &small, &large);
  const ir_ref up = std_float(&v->lane, 0x1p600), down = std_float(&v->lane, 0x1p-600), one = std_float(&v->lane, 1);
  const ir_ref less = build_select(b, large, down, one), more = build_select(b, large, up, one);
  const ir_ref scale = build_select(b, small, up, less), back = build_select(b, small, down, more);
  multiply(v, scale);
  return back;
}

static bool define(const struct std_call *call, const ir_ref *parts, uint32_t count) {
  if (call->b->failed)
    return false;
  ir_ref *result = build_define(call->b, call->result);
  for (uint32_t i = 0; i < count; i++)
    result[i] = parts[i];
  return true;
}

static bool length(const struct std_call *call, bool distance, bool fast) {
  struct build *b = call->b;
  struct vector v;
  if (!vector_of(call, distance, fast, &v))
    return false;
  ir_ref result;
  if (v.count == 1) {
    result = build_op(b, STD_FLOAT(&v.lane, FABS), v.part[0], 0, 0);
  } else {
    const ir_ref back = v.from == 64 && !fast ? rescale(&v) : 0;
    const ir_ref sum = sum_of_squares(&v);
    result = build_op(b, STD_FLOAT(&v.lane, SQRT), sum, 0, 0);
    if (back)
      result = build_op(b, ISA_FMUL_F64, result, back, 0);
  }
  result = narrowed(&v, result);
  return define(call, &result, 1);
}

bool std_length(const struct std_call *call) { return length(call, false, false); }
bool std_distance(const struct std_call *call) { return length(call, true, false); }
bool std_fast_length(const struct std_call *call) { return length(call, false, true); }
bool std_fast_distance(const struct std_call *call) { return length(call, true, true); }

/* Infinite components become 1 with their sign, finite ones 0. */
static void replace_infinities(struct vector *v) {
  struct build *b = v->lane.b;
  const ir_ref infinity = std_float(&v->lane, (double)INFINITY), one = std_float(&v->lane, 1);
  const ir_ref zero = std_float(&v->lane, 0);
  for (uint32_t i = 0; i < v->count; i++) {
    const ir_ref size = build_op(b, STD_FLOAT(&v->lane, FABS), v->part[i], 0, 0);
    const ir_ref is_infinite = build_op(b, STD_FLOAT(&v->lane, SETP_FEQ), size, infinity, 0);
    struct std_lane sign = v->lane;
    sign.arg[0] = build_select(b, is_infinite, one, zero);
    sign.arg[1] = v->part[i];
    v->part[i] = std_copysign(&sign);
  }
}

static void store_parts(struct vector *v, const uint32_t *slot, ir_ref sum, ir_ref scale) {
  for (uint32_t i = 0; i < v->count; i++)
    build_set(v->lane.b, slot[i], v->part[i]);
  build_set(v->lane.b, slot[v->count], sum);
  build_set(v->lane.b, slot[v->count + 1], scale);
}

/* The sum of squares of the vector times `scale`. Infinite components are tamed first, behind a branch that is rarely
 * taken. In the wider or scaled width, the sum is infinite only if a component is; with a NaN among the components it
 * is a NaN. A tamed vector needs no scale: *scale becomes 1. */
static ir_ref finite_sum(struct vector *v, ir_ref *scale) {
  struct build *b = v->lane.b;
  const enum ir_width width = v->lane.bits == 64 ? IR_W2 : IR_W1;
  uint32_t slot[MOST + 2];
  for (uint32_t i = 0; i <= v->count + 1; i++)
    slot[i] = build_variable(b, width);
  struct vector scaled = *v;
  if (v->from == 64)
    multiply(&scaled, *scale);
  const ir_ref sum = sum_of_squares(&scaled);
  store_parts(v, slot, sum, *scale);
  const ir_ref infinity = std_float(&v->lane, (double)INFINITY);
  const ir_ref any = build_op(b, STD_FLOAT(&v->lane, SETP_FEQ), sum, infinity, 0);
  const uint32_t infinite = build_block(b), on = build_block(b);
  build_if(b, any, infinite, on);
  build_enter(b, infinite);
  replace_infinities(v);
  store_parts(v, slot, sum_of_squares(v), std_float(&v->lane, 1));
  build_goto(b, on);
  build_enter(b, on);
  for (uint32_t i = 0; i < v->count; i++)
    v->part[i] = build_get(b, slot[i], width);
  *scale = build_get(b, slot[v->count + 1], width);
  return build_get(b, slot[v->count], width);
}

/* A scalar becomes 1 with its sign; zeros and NaNs stay. */
static void normalize_scalar(struct vector *v) {
  struct build *b = v->lane.b;
  struct std_lane sign = v->lane;
  sign.arg[0] = std_float(&v->lane, 1);
  sign.arg[1] = v->part[0];
  const ir_ref one = std_copysign(&sign);
  const ir_ref stays = build_op(b, STD_FLOAT(&v->lane, SETP_EQU), v->part[0], std_float(&v->lane, 0), 0);
  v->part[0] = build_select(b, stays, v->part[0], one);
}

/* Divides each component by the length; a zero vector, whose sum of squares is 0, is divided by 1. If a vector of
 * doubles is scaled down, that happens after the division. Before it, small components would lose bits that the result
 * has. */
static void normalize_vector(struct vector *v, bool fast) {
  struct build *b = v->lane.b;
  const bool scales = v->from == 64 && !fast;
  ir_ref scale = std_float(&v->lane, 1), small, large;
  if (scales) {
    judge(v, &small, &large);
    multiply(v, build_select(b, small, std_float(&v->lane, 0x1p600), scale));
    scale = build_select(b, large, std_float(&v->lane, 0x1p-600), scale);
  }
  const ir_ref sum = fast ? sum_of_squares(v) : finite_sum(v, &scale);
  const ir_ref is_zero = build_op(b, STD_FLOAT(&v->lane, SETP_FEQ), sum, std_float(&v->lane, 0), 0);
  const ir_ref rest = build_op(b, STD_FLOAT(&v->lane, RSQRT), sum, 0, 0);
  const ir_ref factor = build_select(b, is_zero, std_float(&v->lane, 1), rest);
  multiply(v, factor);
  if (scales)
    multiply(v, scale);
}

static bool normalize(const struct std_call *call, bool fast) {
  struct vector v;
  if (!vector_of(call, false, fast, &v))
    return false;
  if (v.count == 1)
    normalize_scalar(&v);
  else
    normalize_vector(&v, fast);
  for (uint32_t i = 0; i < v.count; i++)
    v.part[i] = narrowed(&v, v.part[i]);
  return define(call, v.part, v.count);
}

bool std_normalize(const struct std_call *call) { return normalize(call, false); }
bool std_fast_normalize(const struct std_call *call) { return normalize(call, true); }

/* One component of a cross product, p[i] q[j] - p[j] q[i]. Both products are rounded, so that cross(a, a) is 0. */
static ir_ref cross_part(struct build *b, const struct std_lane *lane, const ir_ref *p, const ir_ref *q, unsigned i,
                         unsigned j) {
  const ir_ref left = build_op(b, STD_FLOAT(lane, FMUL), p[i], q[j], 0);
  const ir_ref right = build_op(b, STD_FLOAT(lane, FMUL), p[j], q[i], 0);
  return build_op(b, STD_FLOAT(lane, FSUB), left, right, 0);
}

/* Halves are computed in float, where their products are exact. */
bool std_cross(const struct std_call *call) {
  struct build *b = call->b;
  const unsigned bits = build_scalar(b, call->type)->bits;
  const uint32_t count = build_components(call->type);
  const ir_ref *p = build_parts(b, call->operand[0]), *q = build_parts(b, call->operand[1]);
  if (!p || !q)
    return false;
  if (count != 3 && count != 4)
    return build_fail(b, "cross() takes vectors of 3 or 4 components, not %u", count);
  struct vector v = {.lane = {.b = b, .bits = bits == 16 ? 32 : bits}, .from = bits, .count = count};
  ir_ref left[3], right[3];
  for (unsigned i = 0; i < 3; i++) {
    left[i] = widened(b, p[i], bits, v.lane.bits);
    right[i] = widened(b, q[i], bits, v.lane.bits);
  }
  for (unsigned i = 0; i < 3; i++) {
    const ir_ref part = cross_part(b, &v.lane, left, right, (i + 1) % 3, (i + 2) % 3);
    v.part[i] = narrowed(&v, part);
  }
  v.part[3] = std_float(&(struct std_lane){.b = b, .bits = bits}, 0);
  return define(call, v.part, count);
}
