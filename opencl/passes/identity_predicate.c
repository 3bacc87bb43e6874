/* Integer comparisons and predicate logic. A predicate that was converted to a number and compared with 0 or 1 becomes
 * the predicate again. Complements move into comparisons. */
#include "opencl/passes/identity.h"

/* An unsigned comparison with 0 is constant or an equality. */
static ir_ref compare_zero(struct rewrite *rw, const struct term *t) {
  switch (t->kind) {
  case KIND_LT_U:
    return ir_const(rw->ir, IR_PRED, 0);
  case KIND_GE_U:
    return ir_const(rw->ir, IR_PRED, 1);
  case KIND_GT_U:
    return term_as(rw, t, KIND_NE_U, t->a, t->b);
  case KIND_LE_U:
    return term_as(rw, t, KIND_EQ_U, t->a, t->b);
  default:
    return 0;
  }
}

/* Compares a predicate's number, 0 or 1, with a constant. */
static ir_ref compare_flag(struct rewrite *rw, const struct term *t) {
  const ir_ref p = arg(rw, t->a, 0);
  const uint64_t with = bits_of(rw, t->b);
  const bool equal = t->kind == KIND_EQ_U;
  if (with > 1)
    return ir_const(rw->ir, IR_PRED, !equal);
  return equal == (with == 1) ? p : rewrite_put(rw, ISA_NOT_P, p, 0, 0);
}

/* Compares two predicates' numbers, that is, the predicates. */
static ir_ref compare_flags(struct rewrite *rw, const struct term *t) {
  const ir_ref differ = rewrite_put(rw, ISA_XOR_P, arg(rw, t->a, 0), arg(rw, t->b, 0), 0);
  return t->kind == KIND_NE_U ? differ : rewrite_put(rw, ISA_NOT_P, differ, 0, 0);
}

/* Equality of two flags, or of a sum, a difference or a flag with a constant. */
static ir_ref compare_equal(struct rewrite *rw, const struct term *t) {
  if (is_op(rw->ir, t->a, ISA_CVT_U32_P) && is_op(rw->ir, t->b, ISA_CVT_U32_P))
    return compare_flags(rw, t);
  if (!known(rw, t->b))
    return 0;
  if (is_op(rw->ir, t->a, ISA_CVT_U32_P))
    return compare_flag(rw, t);
  if (is_kind(rw, t, t->a, KIND_ADD) && known(rw, arg(rw, t->a, 1)))
    return term_as(rw, t, t->kind, arg(rw, t->a, 0),
                   term_const(rw, t, bits_of(rw, t->b) - bits_of(rw, arg(rw, t->a, 1))));
  if (is_value(rw->ir, t->b, 0) && (is_kind(rw, t, t->a, KIND_SUB) || is_kind(rw, t, t->a, KIND_XOR)))
    return term_as(rw, t, t->kind, arg(rw, t->a, 0), arg(rw, t->a, 1));
  return 0;
}

/* Compares a value with itself. */
static ir_ref compare_same(struct rewrite *rw, const struct term *t) {
  switch (t->kind) {
  case KIND_EQ_S:
  case KIND_EQ_U:
  case KIND_LE_S:
  case KIND_LE_U:
  case KIND_GE_S:
  case KIND_GE_U:
    return ir_const(rw->ir, IR_PRED, 1);
  default:
    return ir_const(rw->ir, IR_PRED, 0);
  }
}

ir_ref identity_compare(struct rewrite *rw, const struct term *t) {
  if (t->kind == KIND_EQ_S || t->kind == KIND_NE_S) /* one canonical form */
    return term_as(rw, t, t->kind == KIND_EQ_S ? KIND_EQ_U : KIND_NE_U, t->a, t->b);
  if (t->a == t->b)
    return compare_same(rw, t);
  if (known(rw, t->a) && !known(rw, t->b))
    return term_as(rw, t, kind_swapped(t->kind), t->b, t->a);
  ir_ref result = is_value(rw->ir, t->b, 0) ? compare_zero(rw, t) : 0;
  if (!result && (t->kind == KIND_EQ_U || t->kind == KIND_NE_U))
    result = compare_equal(rw, t);
  return result;
}

/* ---- predicates ------------------------------------------------------------------------------------ */

static ir_ref not_p(struct rewrite *rw, const struct term *t) {
  if (is_op(rw->ir, t->a, ISA_NOT_P))
    return arg(rw, t->a, 0);
  const enum isa_op complement = op_complement(rw->ir->inst[t->a].op);
  return complement == ISA_OPS ? 0 : rewrite_put(rw, (uint16_t)complement, arg(rw, t->a, 0), arg(rw, t->a, 1), 0);
}

static ir_ref and_p(struct rewrite *rw, const struct term *t) {
  if (known(rw, t->b))
    return bits_of(rw, t->b) ? t->a : t->b;
  if (t->a == t->b)
    return t->a;
  if (is_op(rw->ir, t->b, ISA_NOT_P))
    return rewrite_as(rw, t->ref, ISA_ANDN_P, t->a, arg(rw, t->b, 0), 0);
  if (is_op(rw->ir, t->a, ISA_NOT_P))
    return rewrite_as(rw, t->ref, ISA_ANDN_P, t->b, arg(rw, t->a, 0), 0);
  return 0;
}

static ir_ref andn_p(struct rewrite *rw, const struct term *t) {
  if (known(rw, t->b))
    return bits_of(rw, t->b) ? ir_const(rw->ir, IR_PRED, 0) : t->a;
  if (known(rw, t->a))
    return bits_of(rw, t->a) ? rewrite_put(rw, ISA_NOT_P, t->b, 0, 0) : t->a;
  if (t->a == t->b)
    return ir_const(rw->ir, IR_PRED, 0);
  if (is_op(rw->ir, t->b, ISA_NOT_P))
    return rewrite_as(rw, t->ref, ISA_AND_P, t->a, arg(rw, t->b, 0), 0);
  return 0;
}

static ir_ref or_p(struct rewrite *rw, const struct term *t) {
  if (known(rw, t->b))
    return bits_of(rw, t->b) ? t->b : t->a;
  return t->a == t->b ? t->a : 0;
}

static ir_ref xor_p(struct rewrite *rw, const struct term *t) {
  if (known(rw, t->b))
    return bits_of(rw, t->b) ? rewrite_put(rw, ISA_NOT_P, t->a, 0, 0) : t->a;
  return t->a == t->b ? ir_const(rw->ir, IR_PRED, 0) : 0;
}

ir_ref identity_predicate(struct rewrite *rw, const struct term *t) {
  switch (t->op) {
  case ISA_MOV_P:
    return t->a;
  case ISA_NOT_P:
    return not_p(rw, t);
  case ISA_AND_P:
    return and_p(rw, t);
  case ISA_ANDN_P:
    return andn_p(rw, t);
  case ISA_OR_P:
    return or_p(rw, t);
  case ISA_XOR_P:
    return xor_p(rw, t);
  default:
    return 0;
  }
}
