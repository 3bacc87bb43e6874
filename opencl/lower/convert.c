/* Conversions between numbers: width, sign, float and integer, with rounding modes and saturation.
 *
 * The ISA's conversions from float to integer truncate, and saturate at the result's width. Other rounding modes first
 * round to a whole number, which is exact in the float's own width. Conversions from an integer or a wider float have a
 * row for each rounding mode. Where the result is exact in any mode, there is only one row. */
#include "opencl/lower/std.h"

enum { TO_NEAREST, TO_ZERO, UP, DOWN, MODES }; /* FPRoundingMode */

/* One component's conversion. */
struct conversion {
  struct build *b;
  unsigned from, to; /* bits */
  bool saturated;
  int mode; /* FPRoundingMode; -1: the instruction's default */
};

typedef ir_ref converter(const struct conversion *c, ir_ref value);

static ir_ref unary(const struct conversion *c, enum isa_op op, ir_ref value) {
  return build_op(c->b, op, value, 0, 0);
}

static unsigned log_of(unsigned bits) { return bits == 8 ? 0 : bits == 16 ? 1 : bits == 32 ? 2 : 3; }

/* ---- integers -------------------------------------------------------------------------------------- */

/* Changes the width, modulo the result's width; the upper bits of narrow results are undefined. */
static ir_ref resized(const struct conversion *c, ir_ref value, bool is_signed) {
  if (c->to <= c->from)
    return c->from == 64 && c->to < 64 ? build_word(c->b, value, 0) : value;
  const ir_ref whole = build_extended(c->b, value, c->from, is_signed);
  return c->to == 64 ? unary(c, is_signed ? ISA_CVT_S64_S32 : ISA_CVT_U64_U32, whole) : whole;
}

static ir_ref number(const struct conversion *c, uint64_t value) {
  return c->from == 64 ? build_64(c->b, value) : build_32(c->b, (uint32_t)value);
}

/* Clamps a signed number to between `low` and `high`, which have its own width. */
static ir_ref limited(const struct conversion *c, ir_ref value, int64_t low, int64_t high) {
  const bool wide = c->from == 64;
  const ir_ref whole = build_extended(c->b, value, c->from, true);
  const ir_ref above = build_op(c->b, wide ? ISA_MAX_S64 : ISA_MAX_S32, whole, number(c, (uint64_t)low), 0);
  if (high == INT64_MAX)
    return above;
  return build_op(c->b, wide ? ISA_MIN_S64 : ISA_MIN_S32, above, number(c, (uint64_t)high), 0);
}

static ir_ref limited_above(const struct conversion *c, ir_ref value, uint64_t high) {
  const ir_ref whole = build_extended(c->b, value, c->from, false);
  return build_op(c->b, c->from == 64 ? ISA_MIN_U64 : ISA_MIN_U32, whole, number(c, high), 0);
}

static int64_t signed_most(unsigned bits) { return (int64_t)((UINT64_C(1) << (bits - 1)) - 1); }
static uint64_t unsigned_most(unsigned bits) { return UINT64_MAX >> (64 - bits); }

static ir_ref s_convert(const struct conversion *c, ir_ref value) {
  if (c->saturated && c->to < c->from)
    value = limited(c, value, -signed_most(c->to) - 1, signed_most(c->to));
  return resized(c, value, true);
}

static ir_ref u_convert(const struct conversion *c, ir_ref value) {
  if (c->saturated && c->to < c->from)
    value = limited_above(c, value, unsigned_most(c->to));
  return resized(c, value, false);
}

/* The largest unsigned number is beyond the source's range unless the result is narrower. */
static ir_ref sat_s_to_u(const struct conversion *c, ir_ref value) {
  const int64_t high = c->to < c->from ? (int64_t)unsigned_most(c->to) : INT64_MAX;
  return resized(c, limited(c, value, 0, high), true);
}

static ir_ref sat_u_to_s(const struct conversion *c, ir_ref value) {
  if (c->to <= c->from)
    value = limited_above(c, value, (uint64_t)signed_most(c->to));
  return resized(c, value, false);
}

/* ---- float to integer ------------------------------------------------------------------------------ */

#define FROM_ALL(D)                                                                                                    \
  { ISA_CVT_##D##_F16, ISA_CVT_##D##_F32, ISA_CVT_##D##_F64 }
static const uint16_t to_signed[4][3] = {FROM_ALL(S8), FROM_ALL(S16), FROM_ALL(S32), FROM_ALL(S64)};
static const uint16_t to_unsigned[4][3] = {FROM_ALL(U8), FROM_ALL(U16), FROM_ALL(U32), FROM_ALL(U64)};
#undef FROM_ALL

static ir_ref to_integer(const struct conversion *c, ir_ref value, const uint16_t row[4][3]) {
  static const uint16_t whole[MODES][3] = {
      [TO_NEAREST] = {ISA_RINT_F16, ISA_RINT_F32, ISA_RINT_F64},
      [UP] = {ISA_CEIL_F16, ISA_CEIL_F32, ISA_CEIL_F64},
      [DOWN] = {ISA_FLOOR_F16, ISA_FLOOR_F32, ISA_FLOOR_F64},
  };
  const unsigned form = log_of(c->from) - 1;
  if (c->mode >= 0 && c->mode != TO_ZERO)
    value = unary(c, (enum isa_op)whole[c->mode][form], value);
  return unary(c, (enum isa_op)row[log_of(c->to)][form], value);
}

static ir_ref float_to_s(const struct conversion *c, ir_ref value) { return to_integer(c, value, to_signed); }
static ir_ref float_to_u(const struct conversion *c, ir_ref value) { return to_integer(c, value, to_unsigned); }

/* ---- to float -------------------------------------------------------------------------------------- */

#define DIRECTED(D, A)                                                                                                 \
  { ISA_CVT_##D##_##A, ISA_CVT_##D##_##A##_RZ, ISA_CVT_##D##_##A##_RU, ISA_CVT_##D##_##A##_RD }
#define EXACT(D, A)                                                                                                    \
  { ISA_CVT_##D##_##A, ISA_CVT_##D##_##A, ISA_CVT_##D##_##A, ISA_CVT_##D##_##A }
/* [half, float, double][32, 64 bits] */
static const uint16_t from_signed[3][2][MODES] = {
    {DIRECTED(F16, S32), DIRECTED(F16, S64)},
    {DIRECTED(F32, S32), DIRECTED(F32, S64)},
    {EXACT(F64, S32), DIRECTED(F64, S64)},
};
static const uint16_t from_unsigned[3][2][MODES] = {
    {DIRECTED(F16, U32), DIRECTED(F16, U64)},
    {DIRECTED(F32, U32), DIRECTED(F32, U64)},
    {EXACT(F64, U32), DIRECTED(F64, U64)},
};
/* [to][from]; the diagonal needs no conversion. */
static const uint16_t from_float[3][3][MODES] = {
    {{0}, DIRECTED(F16, F32), DIRECTED(F16, F64)},
    {EXACT(F32, F16), {0}, DIRECTED(F32, F64)},
    {EXACT(F64, F16), EXACT(F64, F32), {0}},
};
#undef DIRECTED
#undef EXACT

static unsigned mode_of(const struct conversion *c) { return c->mode < 0 ? TO_NEAREST : (unsigned)c->mode; }

static ir_ref from_integer(const struct conversion *c, ir_ref value, bool is_signed) {
  const ir_ref whole = build_extended(c->b, value, c->from, is_signed);
  const unsigned form = log_of(c->to) - 1, wide = c->from == 64;
  return unary(c, (enum isa_op)(is_signed ? from_signed : from_unsigned)[form][wide][mode_of(c)], whole);
}

static ir_ref s_to_float(const struct conversion *c, ir_ref value) { return from_integer(c, value, true); }
static ir_ref u_to_float(const struct conversion *c, ir_ref value) { return from_integer(c, value, false); }

static ir_ref float_convert(const struct conversion *c, ir_ref value) {
  if (c->from == c->to)
    return value;
  return unary(c, (enum isa_op)from_float[log_of(c->to) - 1][log_of(c->from) - 1][mode_of(c)], value);
}

ir_ref std_round_to_half(struct build *b, ir_ref value, unsigned bits, unsigned mode) {
  const struct conversion c = {.b = b, .from = bits, .to = 16, .mode = (int)mode};
  return float_convert(&c, value);
}

/* Rounds to what a half can hold, as a float. A subnormal half becomes a zero of the same sign. */
static ir_ref quantize(const struct conversion *c, ir_ref value) {
  struct build *b = c->b;
  const ir_ref rounded = unary(c, ISA_CVT_F32_F16, unary(c, ISA_CVT_F16_F32, value));
  const ir_ref size = unary(c, ISA_FABS_F32, rounded);
  const ir_ref tiny = build_op(b, ISA_SETP_FLT_F32, size, build_32(b, 0x38800000), 0); /* 2^-14 */
  const ir_ref zero = build_op(b, ISA_AND_32, value, build_32(b, 0x80000000), 0);
  return build_select(b, tiny, zero, rounded);
}

/* ---- instructions ---------------------------------------------------------------------------------- */

struct conversion_row {
  uint16_t op;
  uint8_t from, to; /* SPIRV_INT or SPIRV_FLOAT */
  converter *run;
};

static const struct conversion_row rows[] = {
    {OpConvertFToU, SPIRV_FLOAT, SPIRV_INT, float_to_u},   {OpConvertFToS, SPIRV_FLOAT, SPIRV_INT, float_to_s},
    {OpConvertSToF, SPIRV_INT, SPIRV_FLOAT, s_to_float},   {OpConvertUToF, SPIRV_INT, SPIRV_FLOAT, u_to_float},
    {OpUConvert, SPIRV_INT, SPIRV_INT, u_convert},         {OpSConvert, SPIRV_INT, SPIRV_INT, s_convert},
    {OpFConvert, SPIRV_FLOAT, SPIRV_FLOAT, float_convert}, {OpQuantizeToF16, SPIRV_FLOAT, SPIRV_FLOAT, quantize},
    {OpSatConvertSToU, SPIRV_INT, SPIRV_INT, sat_s_to_u},  {OpSatConvertUToS, SPIRV_INT, SPIRV_INT, sat_u_to_s},
};

static const struct conversion_row *row_of(uint16_t op) {
  for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
    if (rows[i].op == op)
      return &rows[i];
  return NULL;
}

/* Word 1 is the result's type, 2 the result, 3 the operand. */
static bool fits(struct build *b, const struct spirv_inst *inst, const struct conversion_row *row) {
  const struct spirv_type *to = inst->words == 4 ? spirv_type(b->module, inst->word[1]) : NULL;
  const struct spirv_type *from = to ? build_type(b, inst->word[3]) : NULL;
  const struct spirv_type *to_scalar = build_scalar(b, to), *from_scalar = build_scalar(b, from);
  const bool quantize_only = row->op != OpQuantizeToF16 || (from_scalar && from_scalar->bits == 32);
  char room[32];
  return (to_scalar && from_scalar && to_scalar->kind == row->to && from_scalar->kind == row->from && quantize_only &&
          build_components(to) == build_components(from)) ||
         build_fail(b, "%s cannot convert between these types", spirv_op_name(inst->op, room));
}

bool build_convert(struct build *b, const struct spirv_inst *inst) {
  const struct conversion_row *row = row_of(inst->op);
  char room[32];
  if (!row)
    return build_fail(b, "%s is not a conversion", spirv_op_name(inst->op, room));
  if (!fits(b, inst, row))
    return false;
  const struct spirv_type *to = spirv_type(b->module, inst->word[1]), *from = build_type(b, inst->word[3]);
  const struct spirv_decoration *decoration = &b->module->id[inst->word[2]].decoration;
  const struct conversion c = {.b = b,
                               .from = build_scalar(b, from)->bits,
                               .to = build_scalar(b, to)->bits,
                               .saturated = decoration->saturated,
                               .mode = decoration->rounding};
  if (c.mode >= MODES)
    return build_fail(b, "%s has rounding mode %d; legal: 0 to 3", spirv_op_name(inst->op, room), c.mode);
  const ir_ref *parts = build_parts(b, inst->word[3]);
  if (!parts)
    return false;
  ir_ref *result = build_define(b, inst->word[2]);
  for (uint32_t i = 0; i < build_components(to); i++)
    result[i] = row->run(&c, parts[i]);
  return !b->failed;
}
