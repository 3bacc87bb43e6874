/* Rules for one instruction: first constant folding by the executor, then rules by kind of operation. This file also
 * has the rules for words and pairs, for conversions between them, and for floats, where a rule must be exact for every
 * operand. */
#include "opencl/passes/identity.h"

struct term term_of(const struct ir *ir, ir_ref ref) {
  const uint16_t op = ir->inst[ref].op;
  return (struct term){
      ref, op, kind_of(op), kind_bits(op), ir_operand(ir, ref, 0), ir_operand(ir, ref, 1), ir_operand(ir, ref, 2)};
}

/* ---- constants ------------------------------------------------------------------------------------- */

/* An undefined operand becomes 0. A select has a better rule (identity_integer.c). */
static void settle_undef(struct rewrite *rw, ir_ref ref) {
  const struct ir_inst *inst = &rw->ir->inst[ref];
  if (kind_of(inst->op) == KIND_SEL && !is_op(rw->ir, ir_operand(rw->ir, ref, 2), IR_UNDEF))
    return;
  for (uint32_t i = 0; i < inst->count; i++) {
    const ir_ref operand = rw->ir->operand[inst->operands + i];
    if (!is_op(rw->ir, operand, IR_UNDEF))
      continue;
    const ir_ref zero = ir_const(rw->ir, (enum ir_width)rw->ir->inst[operand].width, 0);
    inst = &rw->ir->inst[ref];
    rw->ir->operand[inst->operands + i] = zero;
  }
}

static ir_ref constant(struct rewrite *rw, ir_ref ref) {
  const struct ir_inst *inst = &rw->ir->inst[ref];
  uint64_t operand[3] = {0}, result;
  for (uint32_t i = 0; i < inst->count && i < 3; i++) {
    const ir_ref value = rw->ir->operand[inst->operands + i];
    if (value && !known(rw, value))
      return 0;
    operand[i] = value ? bits_of(rw, value) : 0;
  }
  const enum ir_width width = (enum ir_width)inst->width;
  return fold_alu(inst->op, operand, &result) ? ir_const(rw->ir, width, result) : 0;
}

static void constant_right(struct rewrite *rw, ir_ref ref) {
  struct ir_inst *inst = &rw->ir->inst[ref];
  ir_ref *operand = rw->ir->operand + inst->operands;
  if (!op_commutes(inst->op) || inst->count < 2)
    return;
  const bool a = known(rw, operand[0]), b = known(rw, operand[1]);
  if ((a && !b) || (a == b && operand[0] > operand[1])) {
    const ir_ref other = operand[0];
    operand[0] = operand[1];
    operand[1] = other;
  }
}

/* ---- words and pairs ------------------------------------------------------------------------------- */

static ir_ref fold_word(struct rewrite *rw, ir_ref ref) {
  const ir_ref of = arg(rw, ref, 0);
  const uint64_t number = rw->ir->inst[ref].imm;
  switch (rw->ir->inst[of].op) {
  case IR_CONST:
    return rewrite_32(rw, bits_of(rw, of) >> (32 * number));
  case IR_UNDEF:
    return ir_undef(rw->ir, IR_W1);
  case IR_JOIN: {
    const ir_ref part = arg(rw, of, (uint32_t)number);
    return part ? part : ir_undef(rw->ir, IR_W1);
  }
  case ISA_CVT_U64_U32:
    return number ? rewrite_32(rw, 0) : arg(rw, of, 0);
  case ISA_CVT_S64_S32:
    return number ? rewrite_put(rw, ISA_SHR_S32, arg(rw, of, 0), rewrite_32(rw, 31), 0) : arg(rw, of, 0);
  default:
    return 0;
  }
}

/* A join of all words of one value, in order, is that value. */
static ir_ref joined_whole(const struct rewrite *rw, ir_ref ref) {
  const struct ir_inst *inst = &rw->ir->inst[ref];
  const ir_ref whole = arg(rw, arg(rw, ref, 0), 0);
  if (!is_op(rw->ir, arg(rw, ref, 0), IR_WORD) || rw->ir->inst[whole].width != inst->width)
    return 0;
  for (uint32_t i = 0; i < inst->count; i++) {
    const ir_ref part = arg(rw, ref, i);
    if (!is_op(rw->ir, part, IR_WORD) || rw->ir->inst[part].imm != i || arg(rw, part, 0) != whole)
      return 0;
  }
  return whole;
}

static ir_ref join(struct rewrite *rw, ir_ref ref) {
  const struct ir_inst *inst = &rw->ir->inst[ref];
  for (uint32_t i = 0; i < inst->count; i++)
    if (is_op(rw->ir, arg(rw, ref, i), IR_UNDEF))
      rw->ir->operand[inst->operands + i] = 0;
  const ir_ref low = arg(rw, ref, 0), high = arg(rw, ref, 1);
  if (low && inst->count == 2 && known(rw, low) && (!high || known(rw, high)))
    return rewrite_64(rw, bits_of(rw, low) | (high ? bits_of(rw, high) << 32 : 0));
  if (low && inst->count == 2 && is_value(rw->ir, high, 0))
    return rewrite_put(rw, ISA_CVT_U64_U32, low, 0, 0);
  if (inst->count == 2 && low && is_op(rw->ir, high, ISA_SHR_S32) && arg(rw, high, 0) == low &&
      is_value(rw->ir, arg(rw, high, 1), 31))
    return rewrite_put(rw, ISA_CVT_S64_S32, low, 0, 0);
  return low ? joined_whole(rw, ref) : 0;
}

/* ---- conversions ----------------------------------------------------------------------------------- */

static ir_ref extension(struct rewrite *rw, const struct term *t) {
  const bool byte = t->op == ISA_EXT_S8;
  const uint16_t inner = rw->ir->inst[t->a].op;
  if (inner == ISA_EXT_S8 || inner == t->op) /* the narrower one decides, and it is signed */
    return inner == t->op || !byte ? t->a : 0;
  if (inner == ISA_EXT_S16 && byte)
    return rewrite_as(rw, t->ref, t->op, arg(rw, t->a, 0), 0, 0);
  if (inner == ISA_AND_32 && known(rw, arg(rw, t->a, 1))) {
    const uint64_t mask = bits_of(rw, arg(rw, t->a, 1)), low = byte ? UINT8_MAX : UINT16_MAX;
    if ((mask & low) == low)
      return rewrite_as(rw, t->ref, t->op, arg(rw, t->a, 0), 0, 0);
    if (mask <= low / 2)
      return t->a;
  }
  return 0;
}

/* A NaN in memory may have any bits; a NaN that an operation returns is the one quiet NaN. So removing an operation
 * that returns its operand unchanged is exact only if the operand is itself an operation's result. */
static bool has_quiet_nans(const struct ir *ir, ir_ref ref) {
  const uint16_t op = ir->inst[ref].op;
  if (op >= ISA_OPS || isa_rows[op].format != FORMAT_ALU)
    return false;
  const uint8_t type = isa_rows[op].d;
  return type == TYPE_F16 || type == TYPE_F32 || type == TYPE_F64;
}

/* A conversion and its inverse cancel, if the first one is exact. */
static ir_ref float_round_trip(const struct rewrite *rw, const struct term *t) {
  static const uint16_t exact[][2] = {
      {ISA_CVT_F32_F64, ISA_CVT_F64_F32}, {ISA_CVT_F16_F32, ISA_CVT_F32_F16}, {ISA_CVT_F16_F64, ISA_CVT_F64_F16}};
  for (size_t i = 0; i < sizeof exact / sizeof *exact; i++)
    if (t->op == exact[i][0] && is_op(rw->ir, t->a, exact[i][1]) && has_quiet_nans(rw->ir, arg(rw, t->a, 0)))
      return arg(rw, t->a, 0);
  return 0;
}

/* ---- floats ---------------------------------------------------------------------------------------- */

/* x * 1 and x - 0 are x for every x, including -0 and infinities. x + 0 is not, for -0. */
static ir_ref float_neutral(struct rewrite *rw, const struct term *t) {
  static const struct {
    uint16_t op;
    uint64_t neutral;
  } table[] = {
      {ISA_FMUL_F16, 0x3c00}, {ISA_FMUL_F32, 0x3f800000}, {ISA_FMUL_F64, UINT64_C(0x3ff0000000000000)},
      {ISA_FDIV_F16, 0x3c00}, {ISA_FDIV_F32, 0x3f800000}, {ISA_FDIV_F64, UINT64_C(0x3ff0000000000000)},
      {ISA_FSUB_F16, 0},      {ISA_FSUB_F32, 0},          {ISA_FSUB_F64, 0},
      {ISA_FADD_F16, 0x8000}, {ISA_FADD_F32, 0x80000000}, {ISA_FADD_F64, UINT64_C(1) << 63},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (t->op == table[i].op && is_value(rw->ir, t->b, table[i].neutral) && has_quiet_nans(rw->ir, t->a))
      return t->a;
  return 0;
}

/* Double negations, absolute values, and negated operands of sums. */
static ir_ref float_sign(struct rewrite *rw, const struct term *t) {
#define SIGNS(type)                                                                                                    \
  if (t->op == ISA_FNEG_##type && is_op(rw->ir, t->a, ISA_FNEG_##type) && has_quiet_nans(rw->ir, arg(rw, t->a, 0)))    \
    return arg(rw, t->a, 0);                                                                                           \
  if (t->op == ISA_FABS_##type && is_op(rw->ir, t->a, ISA_FABS_##type))                                                \
    return t->a;                                                                                                       \
  if (t->op == ISA_FABS_##type && is_op(rw->ir, t->a, ISA_FNEG_##type))                                                \
    return rewrite_as(rw, t->ref, t->op, arg(rw, t->a, 0), 0, 0);                                                      \
  if (t->op == ISA_FADD_##type && is_op(rw->ir, t->b, ISA_FNEG_##type))                                                \
    return rewrite_as(rw, t->ref, ISA_FSUB_##type, t->a, arg(rw, t->b, 0), 0);                                         \
  if (t->op == ISA_FADD_##type && is_op(rw->ir, t->a, ISA_FNEG_##type))                                                \
    return rewrite_as(rw, t->ref, ISA_FSUB_##type, t->b, arg(rw, t->a, 0), 0);                                         \
  if (t->op == ISA_FSUB_##type && is_op(rw->ir, t->b, ISA_FNEG_##type))                                                \
    return rewrite_as(rw, t->ref, ISA_FADD_##type, t->a, arg(rw, t->b, 0), 0);
  SIGNS(F16)
  SIGNS(F32)
  SIGNS(F64)
#undef SIGNS
  return 0;
}

static ir_ref floating(struct rewrite *rw, const struct term *t) {
  ir_ref result = float_neutral(rw, t);
  if (!result)
    result = float_sign(rw, t);
  return result ? result : float_round_trip(rw, t);
}

/* ---- the pass -------------------------------------------------------------------------------------- */

ir_ref identity_other(struct rewrite *rw, const struct term *t) {
  switch (t->op) {
  case ISA_PACK: {
    const ir_ref words[] = {t->a, t->b};
    return rewrite_make(rw, IR_JOIN, IR_W2, words, 2, 0);
  }
  case ISA_CVT_U32_U64:
    return rewrite_word(rw, t->a, 0);
  case ISA_EXT_U8:
    return rewrite_put(rw, ISA_AND_32, t->a, rewrite_32(rw, UINT8_MAX), 0);
  case ISA_EXT_U16:
    return rewrite_put(rw, ISA_AND_32, t->a, rewrite_32(rw, UINT16_MAX), 0);
  case ISA_EXT_S8:
  case ISA_EXT_S16:
    return extension(rw, t);
  case ISA_MULW_S32:
  case ISA_MULW_U32:
    return is_value(rw->ir, t->b, 0) ? rewrite_64(rw, 0) : 0;
  case ISA_MADW_S32:
  case ISA_MADW_U32:
    return is_value(rw->ir, t->b, 0) ? t->c : 0;
  default:
    return isa_rows[t->op].d == TYPE_PRED ? identity_predicate(rw, t) : floating(rw, t);
  }
}

ir_ref identity_of(struct rewrite *rw, ir_ref ref) {
  const uint16_t op = rw->ir->inst[ref].op;
  if (op == IR_WORD)
    return fold_word(rw, ref);
  if (op == IR_JOIN)
    return join(rw, ref);
  if (op >= ISA_OPS || isa_rows[op].format != FORMAT_ALU)
    return 0;
  settle_undef(rw, ref);
  const ir_ref folded = constant(rw, ref);
  if (folded)
    return folded;
  constant_right(rw, ref);
  const struct term term = term_of(rw->ir, ref);
  return term.kind == KIND_OTHER ? identity_other(rw, &term) : identity_integer(rw, &term);
}
