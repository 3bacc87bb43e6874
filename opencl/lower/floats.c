/* Floating-point instructions that take several operations or work on whole vectors: remainders, classification, dot
 * products, any and all. */
#include "opencl/lower/build_core.h"

/* What differs between the three formats. */
struct format {
  enum isa_op add, mul, abs, neg, flt, fge, feq, fne, nan, rem;
  uint64_t infinity, least_normal;
};

/* A half's remainder is computed in float: both operands fit, and the remainder is exact in a half. */
static const struct format formats[] = {
    {ISA_FADD_F16, ISA_FMUL_F16, ISA_FABS_F16, ISA_FNEG_F16, ISA_SETP_FLT_F16, ISA_SETP_FGE_F16, ISA_SETP_FEQ_F16,
     ISA_SETP_FNE_F16, ISA_SETP_NAN_F16, ISA_FREM_F32, 0x7c00, 0x0400},
    {ISA_FADD_F32, ISA_FMUL_F32, ISA_FABS_F32, ISA_FNEG_F32, ISA_SETP_FLT_F32, ISA_SETP_FGE_F32, ISA_SETP_FEQ_F32,
     ISA_SETP_FNE_F32, ISA_SETP_NAN_F32, ISA_FREM_F32, 0x7f800000, 0x00800000},
    {ISA_FADD_F64, ISA_FMUL_F64, ISA_FABS_F64, ISA_FNEG_F64, ISA_SETP_FLT_F64, ISA_SETP_FGE_F64, ISA_SETP_FEQ_F64,
     ISA_SETP_FNE_F64, ISA_SETP_NAN_F64, ISA_FREM_F64, UINT64_C(0x7ff0000000000000), UINT64_C(0x0010000000000000)},
};

static const struct format *format_of(unsigned bits) { return &formats[bits == 64 ? 2 : bits == 32]; }

static ir_ref number(struct build *b, unsigned bits, uint64_t value) {
  return ir_const(b->ir, bits == 64 ? IR_W2 : IR_W1, value);
}

/* ---- remainders ---------------------------------------------------------------------------------- */

static ir_ref remainder_of(struct build *b, unsigned bits, ir_ref left, ir_ref right) {
  if (bits != 16)
    return build_op(b, format_of(bits)->rem, left, right, 0);
  const ir_ref a = build_op(b, ISA_CVT_F32_F16, left, 0, 0);
  const ir_ref rest = build_op(b, ISA_FREM_F32, a, build_op(b, ISA_CVT_F32_F16, right, 0, 0), 0);
  return build_op(b, ISA_CVT_F16_F32, rest, 0, 0);
}

/* The remainder with the sign of the divisor. */
static ir_ref modulo_of(struct build *b, unsigned bits, ir_ref left, ir_ref right) {
  const struct format *format = format_of(bits);
  const ir_ref zero = number(b, bits, 0), rest = remainder_of(b, bits, left, right);
  const ir_ref rest_negative = build_op(b, format->flt, rest, zero, 0);
  const ir_ref right_negative = build_op(b, format->flt, right, zero, 0);
  const ir_ref differ = build_op(b, ISA_XOR_P, rest_negative, right_negative, 0);
  const ir_ref some = build_op(b, format->fne, rest, zero, 0);
  const ir_ref more = build_op(b, format->add, rest, right, 0);
  return build_select(b, build_op(b, ISA_AND_P, differ, some, 0), more, rest);
}

/* ---- classification ------------------------------------------------------------------------------ */

static ir_ref sign_bit(struct build *b, unsigned bits, ir_ref value) {
  if (bits == 16)
    return build_op(b, ISA_SETP_GE_U32, value, build_32(b, 0x8000), 0);
  return build_op(b, ISA_SETP_LT_S32, bits == 64 ? build_word(b, value, 1) : value, build_32(b, 0), 0);
}

static ir_ref is_what(struct build *b, uint16_t op, unsigned bits, ir_ref value) {
  const struct format *format = format_of(bits);
  if (op == OpIsNan)
    return build_op(b, format->nan, value, value, 0);
  if (op == OpSignBitSet)
    return sign_bit(b, bits, value);
  const ir_ref size = build_op(b, format->abs, value, 0, 0), infinity = number(b, bits, format->infinity);
  if (op == OpIsInf)
    return build_op(b, format->feq, size, infinity, 0);
  const ir_ref finite = build_op(b, format->flt, size, infinity, 0);
  if (op == OpIsFinite)
    return finite;
  const ir_ref large = build_op(b, format->fge, size, number(b, bits, format->least_normal), 0);
  return build_op(b, ISA_AND_P, finite, large, 0);
}

/* ---- instructions --------------------------------------------------------------------------------- */

static const struct spirv_type *float_of(struct build *b, uint32_t id) {
  const struct spirv_type *scalar = build_scalar(b, build_type(b, id));
  return scalar && scalar->kind == SPIRV_FLOAT ? scalar : NULL;
}

bool lower_remainder(struct build *b, const struct spirv_inst *inst) {
  const struct spirv_type *scalar = float_of(b, inst->word[2]), *type = build_type(b, inst->word[2]);
  if (!scalar || !core_same_shape(type, build_type(b, inst->word[3])) ||
      !core_same_shape(type, build_type(b, inst->word[4])))
    return core_misfit(b, inst);
  const ir_ref *left = build_parts(b, inst->word[3]), *right = build_parts(b, inst->word[4]);
  ir_ref *result = build_define(b, inst->word[2]);
  for (uint32_t i = 0; left && right && i < type->parts; i++)
    result[i] = (inst->op == OpFRem ? remainder_of : modulo_of)(b, scalar->bits, left[i], right[i]);
  return !b->failed;
}

bool lower_float_test(struct build *b, const struct spirv_inst *inst) {
  const struct spirv_type *scalar = float_of(b, inst->word[3]), *type = build_type(b, inst->word[2]);
  if (!scalar || !type || type->parts != build_type(b, inst->word[3])->parts)
    return core_misfit(b, inst);
  const ir_ref *from = build_parts(b, inst->word[3]);
  ir_ref *result = build_define(b, inst->word[2]);
  for (uint32_t i = 0; from && i < type->parts; i++)
    result[i] = is_what(b, inst->op, scalar->bits, from[i]);
  return !b->failed;
}

bool lower_scaled(struct build *b, const struct spirv_inst *inst) {
  const struct spirv_type *scalar = float_of(b, inst->word[4]), *type = build_type(b, inst->word[2]);
  if (!scalar || !core_same_shape(type, build_type(b, inst->word[3])) || !float_of(b, inst->word[2]) ||
      build_type(b, inst->word[4])->kind == SPIRV_VECTOR)
    return core_misfit(b, inst);
  const ir_ref *from = build_parts(b, inst->word[3]);
  const ir_ref by = build_value(b, inst->word[4]);
  ir_ref *result = build_define(b, inst->word[2]);
  for (uint32_t i = 0; from && i < type->parts; i++)
    result[i] = build_op(b, format_of(scalar->bits)->mul, from[i], by, 0);
  return !b->failed;
}

/* Each product and each sum is rounded, from the first component on. */
bool lower_dot(struct build *b, const struct spirv_inst *inst) {
  const struct spirv_type *scalar = float_of(b, inst->word[3]), *type = build_type(b, inst->word[3]);
  if (!scalar || !core_same_shape(type, build_type(b, inst->word[4])) || !float_of(b, inst->word[2]))
    return core_misfit(b, inst);
  const struct format *format = format_of(scalar->bits);
  const ir_ref *left = build_parts(b, inst->word[3]), *right = build_parts(b, inst->word[4]);
  ir_ref sum = 0;
  for (uint32_t i = 0; left && right && i < type->parts; i++) {
    const ir_ref product = build_op(b, format->mul, left[i], right[i], 0);
    sum = sum ? build_op(b, format->add, sum, product, 0) : product;
  }
  *build_define(b, inst->word[2]) = sum;
  return !b->failed;
}

bool lower_any_all(struct build *b, const struct spirv_inst *inst) {
  const struct spirv_type *type = build_type(b, inst->word[3]), *scalar = build_scalar(b, type);
  if (!scalar || scalar->kind != SPIRV_BOOL)
    return core_misfit(b, inst);
  const ir_ref *from = build_parts(b, inst->word[3]);
  ir_ref result = from ? from[0] : 0;
  for (uint32_t i = 1; from && i < type->parts; i++)
    result = build_op(b, inst->op == OpAny ? ISA_OR_P : ISA_AND_P, result, from[i], 0);
  *build_define(b, inst->word[2]) = result;
  return !b->failed;
}

bool lower_logical_equal(struct build *b, const struct spirv_inst *inst) {
  const struct spirv_type *type = build_type(b, inst->word[2]), *scalar = build_scalar(b, type);
  if (!scalar || scalar->kind != SPIRV_BOOL || !core_same_shape(type, build_type(b, inst->word[3])) ||
      !core_same_shape(type, build_type(b, inst->word[4])))
    return core_misfit(b, inst);
  const ir_ref *left = build_parts(b, inst->word[3]), *right = build_parts(b, inst->word[4]);
  ir_ref *result = build_define(b, inst->word[2]);
  for (uint32_t i = 0; left && right && i < type->parts; i++)
    result[i] = build_op(b, ISA_NOT_P, build_op(b, ISA_XOR_P, left[i], right[i], 0), 0, 0);
  return !b->failed;
}
