/* Sums, products, quotients, selects. Constants move to the right and merge, neutral elements disappear, powers of two
 * become shifts. Every rule is exact modulo the width. */
#include "opencl/passes/identity.h"

/* no_wrap of (x + c) + d as one sum: what both had in common, if the constants have the same sign and their sum does
 * not wrap. */
static uint8_t together(const struct rewrite *rw, const struct term *t) {
  const uint64_t one = bits_of(rw, arg(rw, t->a, 1)), two = bits_of(rw, t->b);
  const uint64_t sum = (one + two) & kind_mask(t->bits);
  const bool negative = kind_signed(one, t->bits) < 0, both = negative == (kind_signed(two, t->bits) < 0);
  uint8_t no_wrap = rw->ir->inst[t->ref].no_wrap & rw->ir->inst[t->a].no_wrap;
  if (!both || negative != (kind_signed(sum, t->bits) < 0))
    no_wrap &= (uint8_t)~IR_NO_WRAP_SIGNED;
  if (sum < one)
    no_wrap &= (uint8_t)~IR_NO_WRAP_UNSIGNED;
  return no_wrap;
}

static ir_ref add(struct rewrite *rw, const struct term *t) {
  const ir_ref a = t->a, b = t->b;
  if (is_value(rw->ir, b, 0))
    return a;
  if (known(rw, b) && is_kind(rw, t, a, KIND_ADD) && known(rw, arg(rw, a, 1))) {
    const uint8_t no_wrap = together(rw, t);
    const ir_ref sum =
        term_as(rw, t, KIND_ADD, arg(rw, a, 0), term_const(rw, t, bits_of(rw, b) + bits_of(rw, arg(rw, a, 1))));
    rw->ir->inst[sum].no_wrap = no_wrap;
    return sum;
  }
  if (is_kind(rw, t, b, KIND_NEG))
    return term_as(rw, t, KIND_SUB, a, arg(rw, b, 0));
  if (is_kind(rw, t, a, KIND_NEG))
    return term_as(rw, t, KIND_SUB, b, arg(rw, a, 0));
  if (is_kind(rw, t, a, KIND_SUB) && arg(rw, a, 1) == b)
    return arg(rw, a, 0);
  if (is_kind(rw, t, b, KIND_SUB) && arg(rw, b, 1) == a)
    return arg(rw, b, 0);
  return 0;
}

static ir_ref sub(struct rewrite *rw, const struct term *t) {
  const ir_ref a = t->a, b = t->b;
  if (a == b)
    return term_const(rw, t, 0);
  if (known(rw, b)) {
    const bool least = bits_of(rw, b) == UINT64_C(1) << (t->bits - 1);
    const uint8_t no_wrap = least ? 0 : rw->ir->inst[t->ref].no_wrap & IR_NO_WRAP_SIGNED;
    const ir_ref sum = term_as(rw, t, KIND_ADD, a, term_const(rw, t, 0 - bits_of(rw, b)));
    rw->ir->inst[sum].no_wrap = no_wrap;
    return sum;
  }
  if (is_value(rw->ir, a, 0))
    return term_as(rw, t, KIND_NEG, b, 0);
  if (is_kind(rw, t, b, KIND_NEG))
    return term_as(rw, t, KIND_ADD, a, arg(rw, b, 0));
  if (is_kind(rw, t, a, KIND_ADD) && arg(rw, a, 1) == b)
    return arg(rw, a, 0);
  if (is_kind(rw, t, a, KIND_ADD) && arg(rw, a, 0) == b)
    return arg(rw, a, 1);
  return 0;
}

static ir_ref mul(struct rewrite *rw, const struct term *t) {
  const ir_ref a = t->a, b = t->b;
  if (!known(rw, b))
    return 0;
  const uint64_t factor = bits_of(rw, b);
  if (factor == 0)
    return b;
  if (factor == 1)
    return a;
  if (factor == kind_mask(t->bits))
    return term_as(rw, t, KIND_NEG, a, 0);
  if (power_of(factor) > 0)
    return term_as(rw, t, KIND_SHL, a, rewrite_32(rw, (unsigned)power_of(factor)));
  if (is_kind(rw, t, a, KIND_MUL) && known(rw, arg(rw, a, 1)))
    return term_as(rw, t, KIND_MUL, arg(rw, a, 0), term_const(rw, t, factor * bits_of(rw, arg(rw, a, 1))));
  if (is_kind(rw, t, a, KIND_SHL) && known(rw, arg(rw, a, 1)))
    return term_as(rw, t, KIND_MUL, arg(rw, a, 0), term_const(rw, t, factor << bits_of(rw, arg(rw, a, 1))));
  return 0;
}

static ir_ref mad(struct rewrite *rw, const struct term *t) {
  if (known(rw, t->a) && known(rw, t->b))
    return term_as(rw, t, KIND_ADD, t->c, term_const(rw, t, bits_of(rw, t->a) * bits_of(rw, t->b)));
  if (is_value(rw->ir, t->b, 0))
    return t->c;
  if (is_value(rw->ir, t->c, 0))
    return term_as(rw, t, KIND_MUL, t->a, t->b);
  if (is_value(rw->ir, t->b, 1))
    return term_as(rw, t, KIND_ADD, t->a, t->c);
  return 0;
}

static ir_ref neg(struct rewrite *rw, const struct term *t) {
  if (is_kind(rw, t, t->a, KIND_NEG))
    return arg(rw, t->a, 0);
  if (is_kind(rw, t, t->a, KIND_SUB))
    return term_put(rw, t, KIND_SUB, arg(rw, t->a, 1), arg(rw, t->a, 0));
  return 0;
}

/* Adds what a negative dividend needs so that a plain shift rounds toward zero. */
static ir_ref towards_zero(struct rewrite *rw, const struct term *t, unsigned shift) {
  const ir_ref sign = term_put(rw, t, KIND_SHR_S, t->a, rewrite_32(rw, t->bits - 1));
  const ir_ref rest = term_put(rw, t, KIND_SHR_U, sign, rewrite_32(rw, t->bits - shift));
  return term_put(rw, t, KIND_ADD, t->a, rest);
}

static ir_ref divide(struct rewrite *rw, const struct term *t) {
  if (!known(rw, t->b))
    return 0;
  const uint64_t by = bits_of(rw, t->b);
  const int shift = power_of(by);
  if (by == 1)
    return t->a;
  if (t->kind == KIND_DIV_U)
    return shift < 0 ? 0 : term_as(rw, t, KIND_SHR_U, t->a, rewrite_32(rw, (unsigned)shift));
  if (by == kind_mask(t->bits))
    return term_as(rw, t, KIND_NEG, t->a, 0);
  if (shift < 0 || (unsigned)shift == t->bits - 1)
    return 0;
  return term_as(rw, t, KIND_SHR_S, towards_zero(rw, t, (unsigned)shift), rewrite_32(rw, (unsigned)shift));
}

/* Also right if the divisor is the smallest integer: `whole` is then that number for itself and 0 for all others. */
static ir_ref remainder_of(struct rewrite *rw, const struct term *t) {
  if (!known(rw, t->b))
    return 0;
  const uint64_t by = bits_of(rw, t->b);
  const int shift = power_of(by);
  if (by == 1 || (t->kind == KIND_REM_S && by == kind_mask(t->bits)))
    return term_const(rw, t, 0);
  if (shift < 0)
    return 0;
  if (t->kind == KIND_REM_U)
    return term_as(rw, t, KIND_AND, t->a, term_const(rw, t, by - 1));
  const ir_ref whole = term_put(rw, t, KIND_AND, towards_zero(rw, t, (unsigned)shift), term_const(rw, t, 0 - by));
  return term_as(rw, t, KIND_SUB, t->a, whole);
}

/* The largest number changes no minimum, and the smallest no maximum. */
static ir_ref extreme(const struct rewrite *rw, const struct term *t) {
  const uint64_t all = kind_mask(t->bits), top = UINT64_C(1) << (t->bits - 1);
  const uint64_t neutral = t->kind == KIND_MIN_U   ? all
                           : t->kind == KIND_MIN_S ? all ^ top
                           : t->kind == KIND_MAX_S ? top
                                                   : 0;
  return t->a == t->b || is_value(rw->ir, t->b, neutral) ? t->a : 0;
}

/* A select between two integers by their own comparison is a minimum or maximum. */
static ir_ref select_extreme(struct rewrite *rw, const struct term *t) {
  static const struct {
    uint8_t compare, extreme;
  } table[] = {
      {KIND_LT_S, KIND_MIN_S}, {KIND_LE_S, KIND_MIN_S}, {KIND_GT_S, KIND_MAX_S}, {KIND_GE_S, KIND_MAX_S},
      {KIND_LT_U, KIND_MIN_U}, {KIND_LE_U, KIND_MIN_U}, {KIND_GT_U, KIND_MAX_U}, {KIND_GE_U, KIND_MAX_U},
  };
  const uint16_t op = rw->ir->inst[t->c].op;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    const bool straight = arg(rw, t->c, 0) == t->a && arg(rw, t->c, 1) == t->b;
    const bool crossed = arg(rw, t->c, 0) == t->b && arg(rw, t->c, 1) == t->a;
    if (straight && op == kind_op((enum kind)table[i].compare, t->bits))
      return term_as(rw, t, (enum kind)table[i].extreme, t->a, t->b);
    if (crossed && op == kind_op(kind_swapped((enum kind)table[i].compare), t->bits))
      return term_as(rw, t, (enum kind)table[i].extreme, t->a, t->b);
  }
  return 0;
}

static ir_ref flag(struct rewrite *rw, const struct term *t, ir_ref predicate) {
  const ir_ref word = rewrite_put(rw, ISA_CVT_U32_P, predicate, 0, 0);
  return t->bits == 32 ? word : rewrite_put(rw, ISA_CVT_U64_U32, word, 0, 0);
}

static ir_ref simplify_select(struct rewrite *rw, const struct term *t) {
  const ir_ref a = t->a, b = t->b, p = t->c;
  if (known(rw, p))
    return bits_of(rw, p) ? a : b;
  if (a == b || is_op(rw->ir, b, IR_UNDEF))
    return a;
  if (is_op(rw->ir, a, IR_UNDEF))
    return b;
  if (is_op(rw->ir, p, ISA_NOT_P))
    return rewrite_as(rw, t->ref, t->op, b, a, arg(rw, p, 0));
  if (is_value(rw->ir, a, 1) && is_value(rw->ir, b, 0))
    return flag(rw, t, p);
  if (is_value(rw->ir, a, 0) && is_value(rw->ir, b, 1))
    return flag(rw, t, rewrite_put(rw, ISA_NOT_P, p, 0, 0));
  return select_extreme(rw, t);
}

ir_ref identity_integer(struct rewrite *rw, const struct term *t) {
  switch (t->kind) {
  case KIND_MOV:
    return t->a;
  case KIND_ADD:
    return add(rw, t);
  case KIND_SUB:
    return sub(rw, t);
  case KIND_MUL:
    return mul(rw, t);
  case KIND_MAD:
    return mad(rw, t);
  case KIND_NEG:
    return neg(rw, t);
  case KIND_DIV_S:
  case KIND_DIV_U:
    return divide(rw, t);
  case KIND_REM_S:
  case KIND_REM_U:
    return remainder_of(rw, t);
  case KIND_MIN_S:
  case KIND_MIN_U:
  case KIND_MAX_S:
  case KIND_MAX_U:
    return extreme(rw, t);
  case KIND_SEL:
    return simplify_select(rw, t);
  default:
    return kind_is_compare(t->kind) ? identity_compare(rw, t) : identity_bits(rw, t);
  }
}
