/* 32-bit quotients and remainders by a constant become products: the upper half of a product with the constant's
 * reciprocal, shifted (Granlund and Montgomery, Division by Invariant Integers using Multiplication, figures 4.1 and
 * 5.2). Powers of two are shifts already. Runs after pass_narrow(), which knows the range of a quotient but not of
 * these products. Left alone: 64-bit operands and negative divisors. */
#include "opencl/passes/identity.h"
#include "opencl/passes/passes.h"
#include "opencl/passes/range.h"

/* The upper half of n times m, shifted, is exact for all n up to `most` if m = (2^(32 + shift) + e) / by is so close to
 * the reciprocal that most * e < 2^(32 + shift) (their theorem 4.2, with the known range of n). Returns 0 if no 32-bit
 * m is. */
static ir_ref short_quotient(struct rewrite *rw, const struct term *t, uint64_t by, unsigned l, uint64_t most) {
  for (unsigned shift = 0; shift < l; shift++) {
    const uint64_t whole = UINT64_C(1) << (32 + shift), m = whole / by + 1, e = m * by - whole;
    if (m > UINT32_MAX || most >= whole / e)
      continue;
    const ir_ref high = term_put(rw, t, KIND_MULHI_U, t->a, term_const(rw, t, m));
    return shift ? term_put(rw, t, KIND_SHR_U, high, rewrite_32(rw, shift)) : high;
  }
  return 0;
}

/* n / by: with h the upper half of n times m, (h + (n - h) / 2) >> (l - 1), where 2^(l - 1) < by < 2^l. */
static ir_ref unsigned_quotient(struct rewrite *rw, const struct term *t, uint64_t by, unsigned l) {
  const uint64_t m = (((UINT64_C(1) << l) - by) << 32) / by + 1;
  const ir_ref high = term_put(rw, t, KIND_MULHI_U, t->a, term_const(rw, t, m & UINT32_MAX));
  const ir_ref rest = term_put(rw, t, KIND_SUB, t->a, high);
  const ir_ref half = term_put(rw, t, KIND_SHR_U, rest, rewrite_32(rw, 1));
  return term_put(rw, t, KIND_SHR_U, term_put(rw, t, KIND_ADD, half, high), rewrite_32(rw, l - 1));
}

/* Rounds down, then adds one if n is negative. */
static ir_ref signed_quotient(struct rewrite *rw, const struct term *t, uint64_t by, unsigned l) {
  const uint64_t m = (UINT64_C(1) << (31 + l)) / by + 1;
  const ir_ref high = term_put(rw, t, KIND_MULHI_S, t->a, term_const(rw, t, m & UINT32_MAX));
  const ir_ref down = term_put(rw, t, KIND_SHR_S, term_put(rw, t, KIND_ADD, t->a, high), rewrite_32(rw, l - 1));
  return term_put(rw, t, KIND_SUB, down, term_put(rw, t, KIND_SHR_S, t->a, rewrite_32(rw, 31)));
}

/* The divisor of a quotient or remainder that becomes products, or 0. */
static uint64_t divides_by(const struct rewrite *rw, const struct term *t) {
  const bool is_signed = t->kind == KIND_DIV_S || t->kind == KIND_REM_S;
  const bool is_unsigned = t->kind == KIND_DIV_U || t->kind == KIND_REM_U;
  if ((!is_signed && !is_unsigned) || t->bits != 32 || known(rw, t->a) || !known(rw, t->b))
    return 0;
  const uint64_t by = bits_of(rw, t->b) & UINT32_MAX;
  return by < 3 || !(by & (by - 1)) || (is_signed && by > INT32_MAX) ? 0 : by;
}

static ir_ref divide_rule(struct rewrite *rw, ir_ref ref) {
  const struct term t = term_of(rw->ir, ref);
  const uint64_t by = divides_by(rw, &t);
  if (!by)
    return ref;
  const bool is_unsigned = t.kind == KIND_DIV_U || t.kind == KIND_REM_U;
  const unsigned l = 64 - (unsigned)__builtin_clzll(by);
  const struct range range = range_of(rw->context, t.a);
  ir_ref quotient = is_unsigned && rw->ir->target.optimize ? short_quotient(rw, &t, by, l, range.high) : 0;
  if (!quotient)
    quotient = is_unsigned ? unsigned_quotient(rw, &t, by, l) : signed_quotient(rw, &t, by, l);
  if (t.kind == KIND_DIV_S || t.kind == KIND_DIV_U)
    return quotient;
  return term_put(rw, &t, KIND_SUB, t.a, term_put(rw, &t, KIND_MUL, quotient, t.b));
}

static bool divides(struct ir *ir) {
  const struct rewrite rewrite = {.ir = ir};
  for (uint32_t i = 0; i < ir->ordered; i++)
    for (uint32_t k = 0; k < ir->block[ir->order[i]].count; k++) {
      const struct term t = term_of(ir, ir->block[ir->order[i]].inst[k]);
      if (divides_by(&rewrite, &t))
        return true;
    }
  return false;
}

void pass_divide(struct ir *ir) {
  ir_analyze(ir);
  if (!divides(ir))
    return;
  struct ranges ranges;
  ranges_find(&ranges, ir);
  struct rewrite rewrite = {.rule = divide_rule, .context = &ranges};
  rewrite_run(&rewrite, ir);
  ranges_free(&ranges);
}
