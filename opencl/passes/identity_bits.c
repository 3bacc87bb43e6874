/* Logic, shifts and rotations. A zero-extension of 8 or 16 bits is an `and`, so all rules of `and` apply to it. A
 * sign-extension that the source writes as two shifts is one `ext`. 64-bit logic that leaves one half constant or
 * unchanged works on the other half only. */
#include "opencl/passes/identity.h"

/* The operation on each word of a pair, joined again. */
static ir_ref by_words(struct rewrite *rw, const struct term *t) {
  const uint16_t op = kind_op(t->kind, 32);
  const uint64_t bits = bits_of(rw, t->b);
  const ir_ref low = rewrite_put(rw, op, rewrite_word(rw, t->a, 0), rewrite_32(rw, bits), 0);
  const ir_ref high = rewrite_put(rw, op, rewrite_word(rw, t->a, 1), rewrite_32(rw, bits >> 32), 0);
  const ir_ref words[] = {low, high};
  return rewrite_make(rw, IR_JOIN, IR_W2, words, 2, 0);
}

/* Does this half of the constant make a word of the result constant or equal to the operand's? */
static bool easy_half(enum kind kind, uint32_t half) { return half == 0 || (half == UINT32_MAX && kind != KIND_XOR); }

static bool splits(const struct rewrite *rw, const struct term *t) {
  if (t->bits != 64 || !known(rw, t->b))
    return false;
  const uint64_t bits = bits_of(rw, t->b);
  return easy_half(t->kind, (uint32_t)bits) || easy_half(t->kind, (uint32_t)(bits >> 32));
}

/* Merges two successive operations of the same kind with constants. */
static ir_ref gather(struct rewrite *rw, const struct term *t) {
  if (!known(rw, t->b) || !is_kind(rw, t, t->a, t->kind) || !known(rw, arg(rw, t->a, 1)))
    return 0;
  const uint64_t one = bits_of(rw, t->b), two = bits_of(rw, arg(rw, t->a, 1));
  const uint64_t both = t->kind == KIND_AND ? one & two : t->kind == KIND_OR ? one | two : one ^ two;
  return term_as(rw, t, t->kind, arg(rw, t->a, 0), term_const(rw, t, both));
}

/* The operand of an extension of which an `and` with `mask` sees only the low bits; 0 if x is no such extension. */
static ir_ref below_mask(const struct rewrite *rw, ir_ref x, uint64_t mask) {
  const bool byte = mask <= UINT8_MAX, half = mask <= UINT16_MAX;
  if ((is_op(rw->ir, x, ISA_EXT_S8) && byte) || (is_op(rw->ir, x, ISA_EXT_S16) && half))
    return arg(rw, x, 0);
  return 0;
}

/* ---- numbers side by side in a word ---------------------------------------------------------------- */

enum { DEEPEST = 6 /* operations that are looked through */ };

/* The bits that can be set in a value; all, where that is not seen at once. */
static uint64_t possible_bits(const struct rewrite *rw, ir_ref ref, unsigned depth) {
  const uint16_t op = rw->ir->inst[ref].op;
  if (known(rw, ref))
    return bits_of(rw, ref);
  if (op == ISA_CVT_U32_P)
    return 1;
  if (op == ISA_CVT_U64_U32)
    return depth ? possible_bits(rw, arg(rw, ref, 0), depth - 1) : UINT32_MAX;
  const enum kind kind = kind_of(op);
  const uint64_t all = kind_mask(kind_bits(op) ? kind_bits(op) : 64);
  if (!depth || (kind != KIND_AND && kind != KIND_OR && kind != KIND_XOR && kind != KIND_SHL && kind != KIND_SHR_U))
    return all;
  const uint64_t a = possible_bits(rw, arg(rw, ref, 0), depth - 1);
  if (kind == KIND_SHL || kind == KIND_SHR_U) {
    if (!known(rw, arg(rw, ref, 1)))
      return all;
    const unsigned by = (unsigned)(bits_of(rw, arg(rw, ref, 1)) & (kind_bits(op) - 1));
    return kind == KIND_SHL ? a << by & all : (a & all) >> by;
  }
  const uint64_t b = possible_bits(rw, arg(rw, ref, 1), depth - 1);
  return all & (kind == KIND_AND ? a & b : a | b);
}

/* x of x | y if none of y's bits is among `wanted`; 0: there is no such x. */
static ir_ref part_of(const struct rewrite *rw, const struct term *t, ir_ref sum, uint64_t wanted) {
  for (uint32_t side = 0; side < 2 && is_kind(rw, t, sum, KIND_OR); side++)
    if (!(possible_bits(rw, arg(rw, sum, side), DEEPEST) & wanted))
      return arg(rw, sum, !side);
  return 0;
}

/* Of the right shift of an `or`, or of an `or` itself, only the part of which `mask` sees bits. */
static ir_ref masked_part(struct rewrite *rw, const struct term *t, uint64_t mask) {
  const bool shifted = is_kind(rw, t, t->a, KIND_SHR_U) && known(rw, arg(rw, t->a, 1));
  const ir_ref amount = shifted ? arg(rw, t->a, 1) : 0;
  const unsigned by = shifted ? (unsigned)(bits_of(rw, amount) & (t->bits - 1)) : 0;
  const ir_ref part = part_of(rw, t, shifted ? arg(rw, t->a, 0) : t->a, mask << by & kind_mask(t->bits));
  if (!part)
    return 0;
  return term_as(rw, t, KIND_AND, shifted ? term_put(rw, t, KIND_SHR_U, part, amount) : part, t->b);
}

/* (x & c) | (x & d) is x & (c | d). */
static ir_ref same_masked(struct rewrite *rw, const struct term *t) {
  const bool a = is_kind(rw, t, t->a, KIND_AND) && known(rw, arg(rw, t->a, 1)),
             b = is_kind(rw, t, t->b, KIND_AND) && known(rw, arg(rw, t->b, 1));
  if (!a || !b || arg(rw, t->a, 0) != arg(rw, t->b, 0))
    return 0;
  return term_as(rw, t, KIND_AND, arg(rw, t->a, 0),
                 term_const(rw, t, bits_of(rw, arg(rw, t->a, 1)) | bits_of(rw, arg(rw, t->b, 1))));
}

/* A part that was moved down to be alone and is moved back: ((x >> 8) & 255) << 8 is x & 0xff00. */
static ir_ref put_back(struct rewrite *rw, const struct term *t, unsigned by) {
  const ir_ref mask = is_kind(rw, t, t->a, KIND_AND) ? arg(rw, t->a, 1) : 0,
               shifted = mask && known(rw, mask) ? arg(rw, t->a, 0) : 0;
  if (t->kind != KIND_SHL || !is_kind(rw, t, shifted, KIND_SHR_U) || !is_value(rw->ir, arg(rw, shifted, 1), by))
    return 0;
  return term_as(rw, t, KIND_AND, arg(rw, shifted, 0), term_const(rw, t, bits_of(rw, mask) << by));
}

/* ---- logic ------------------------------------------------------------------------------------------ */

static ir_ref and (struct rewrite * rw, const struct term *t) {
  if (t->a == t->b || is_value(rw->ir, t->b, kind_mask(t->bits)))
    return t->a;
  if (is_value(rw->ir, t->b, 0))
    return t->b;
  if (is_op(rw->ir, t->a, ISA_CVT_U32_P) && is_op(rw->ir, t->b, ISA_CVT_U32_P))
    return rewrite_put(rw, ISA_CVT_U32_P, rewrite_put(rw, ISA_AND_P, arg(rw, t->a, 0), arg(rw, t->b, 0), 0), 0, 0);
  if (is_op(rw->ir, t->a, ISA_CVT_U32_P) && known(rw, t->b))
    return bits_of(rw, t->b) & 1 ? t->a : term_const(rw, t, 0);
  if (known(rw, t->b)) {
    const uint64_t mask = bits_of(rw, t->b), possible = possible_bits(rw, t->a, DEEPEST);
    if (!(possible & ~mask))
      return t->a;
    const ir_ref part = possible & mask ? masked_part(rw, t, mask) : term_const(rw, t, 0);
    if (part)
      return part;
  }
  if (t->bits == 32 && known(rw, t->b)) {
    const ir_ref inner = below_mask(rw, t->a, bits_of(rw, t->b));
    if (inner)
      return term_as(rw, t, KIND_AND, inner, t->b);
  }
  return gather(rw, t);
}

static ir_ref or (struct rewrite * rw, const struct term *t) {
  if (t->a == t->b || is_value(rw->ir, t->b, 0))
    return t->a;
  if (is_value(rw->ir, t->b, kind_mask(t->bits)))
    return t->b;
  if (is_op(rw->ir, t->a, ISA_CVT_U32_P) && is_op(rw->ir, t->b, ISA_CVT_U32_P))
    return rewrite_put(rw, ISA_CVT_U32_P, rewrite_put(rw, ISA_OR_P, arg(rw, t->a, 0), arg(rw, t->b, 0), 0), 0, 0);
  const ir_ref same = same_masked(rw, t);
  return same ? same : gather(rw, t);
}

static ir_ref xor
    (struct rewrite * rw, const struct term *t) {
      if (t->a == t->b)
        return term_const(rw, t, 0);
      if (is_value(rw->ir, t->b, 0))
        return t->a;
      if (is_value(rw->ir, t->b, kind_mask(t->bits)))
        return term_as(rw, t, KIND_NOT, t->a, 0);
      if (is_op(rw->ir, t->a, ISA_CVT_U32_P) && is_value(rw->ir, t->b, 1))
        return rewrite_put(rw, ISA_CVT_U32_P, rewrite_put(rw, ISA_NOT_P, arg(rw, t->a, 0), 0, 0), 0, 0);
      return gather(rw, t);
    }

    static ir_ref logic(struct rewrite *rw, const struct term *t) {
  const ir_ref result = t->kind == KIND_AND ? and(rw, t) : t->kind == KIND_OR ? or (rw, t) : xor(rw, t);
  return result || !splits(rw, t) ? result : by_words(rw, t);
}

/* ---- shifts ---------------------------------------------------------------------------------------- */

/* Shifting a pair by 32 or more moves words. */
static ir_ref long_shift(struct rewrite *rw, const struct term *t, unsigned by) {
  const ir_ref rest = rewrite_32(rw, by - 32);
  if (t->kind == KIND_SHL) {
    const ir_ref high = rewrite_put(rw, ISA_SHL_32, rewrite_word(rw, t->a, 0), rest, 0);
    const ir_ref words[] = {rewrite_32(rw, 0), high};
    return rewrite_make(rw, IR_JOIN, IR_W2, words, 2, 0);
  }
  const bool sign = t->kind == KIND_SHR_S;
  const ir_ref low = rewrite_put(rw, sign ? ISA_SHR_S32 : ISA_SHR_U32, rewrite_word(rw, t->a, 1), rest, 0);
  return rewrite_put(rw, sign ? ISA_CVT_S64_S32 : ISA_CVT_U64_U32, low, 0, 0);
}

/* Merges two shifts in the same direction by constants. */
static ir_ref shift_twice(struct rewrite *rw, const struct term *t, unsigned by) {
  if (!is_kind(rw, t, t->a, t->kind) || !known(rw, arg(rw, t->a, 1)))
    return 0;
  unsigned sum = by + (unsigned)(bits_of(rw, arg(rw, t->a, 1)) & (t->bits - 1));
  if (sum >= t->bits && t->kind != KIND_SHR_S)
    return term_const(rw, t, 0);
  sum = sum >= t->bits ? t->bits - 1 : sum;
  return term_as(rw, t, t->kind, arg(rw, t->a, 0), rewrite_32(rw, sum));
}

/* A shift and its inverse by the same amount are a mask or a sign-extension. In 64 bits, long_shift() has already
 * replaced left shifts by 32 or more. */
static ir_ref shift_back(struct rewrite *rw, const struct term *t, unsigned by) {
  const bool left_first = t->kind != KIND_SHL;
  const bool right_first = is_kind(rw, t, t->a, KIND_SHR_U) || is_kind(rw, t, t->a, KIND_SHR_S);
  if (left_first ? !is_kind(rw, t, t->a, KIND_SHL) : !right_first)
    return 0;
  if (!is_value(rw->ir, arg(rw, t->a, 1), by))
    return 0;
  const ir_ref x = arg(rw, t->a, 0);
  const uint64_t all = kind_mask(t->bits);
  if (t->kind == KIND_SHL)
    return term_as(rw, t, KIND_AND, x, term_const(rw, t, all << by));
  if (t->kind == KIND_SHR_U)
    return term_as(rw, t, KIND_AND, x, term_const(rw, t, all >> by));
  if (t->bits == 32 && (by == 24 || by == 16))
    return rewrite_as(rw, t->ref, by == 24 ? ISA_EXT_S8 : ISA_EXT_S16, x, 0, 0);
  return 0;
}

static ir_ref shift(struct rewrite *rw, const struct term *t) {
  if (is_value(rw->ir, t->a, 0))
    return t->a;
  if (!known(rw, t->b))
    return 0;
  const unsigned by = (unsigned)(bits_of(rw, t->b) & (t->bits - 1));
  if (by == 0)
    return t->a;
  if (by != bits_of(rw, t->b))
    return term_as(rw, t, t->kind, t->a, rewrite_32(rw, by));
  if (t->kind == KIND_ROTL || t->kind == KIND_ROTR)
    return 0;
  const uint64_t all = kind_mask(t->bits);
  const ir_ref part = t->kind == KIND_SHR_U ? part_of(rw, t, t->a, all << by & all)
                      : t->kind == KIND_SHL ? part_of(rw, t, t->a, all >> by)
                                            : 0;
  if (part)
    return term_as(rw, t, t->kind, part, t->b);
  ir_ref result = shift_back(rw, t, by);
  if (!result)
    result = put_back(rw, t, by);
  if (!result)
    result = shift_twice(rw, t, by);
  if (!result && t->bits == 64 && by >= 32)
    result = long_shift(rw, t, by);
  if (!result && t->kind == KIND_SHL && is_kind(rw, t, t->a, KIND_MUL) && known(rw, arg(rw, t->a, 1)))
    result = term_as(rw, t, KIND_MUL, arg(rw, t->a, 0), term_const(rw, t, bits_of(rw, arg(rw, t->a, 1)) << by));
  return result;
}

ir_ref identity_bits(struct rewrite *rw, const struct term *t) {
  switch (t->kind) {
  case KIND_AND:
  case KIND_OR:
  case KIND_XOR:
    return logic(rw, t);
  case KIND_NOT:
    return is_kind(rw, t, t->a, KIND_NOT) ? arg(rw, t->a, 0) : 0;
  case KIND_SHL:
  case KIND_SHR_U:
  case KIND_SHR_S:
  case KIND_ROTL:
  case KIND_ROTR:
    return shift(rw, t);
  default:
    return 0;
  }
}
