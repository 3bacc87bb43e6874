/* 64-bit integers word by word, for machines whose units compute 32 bits at a time:
 *
 *     and, or, exclusive or, not    one each for the low and the high words
 *     shifts by constants           a shift of one word, and a funnel shift of both (shf.r)
 *     products                      the full product of the low words, and two multiply-adds into its high word
 *
 * Runs after pass_address(), which has already absorbed the 64-bit arithmetic of addresses, and before pass_fuse(),
 * which merges logic on words. Left alone: sums and comparisons, whose words are linked by a carry, shifts by variable
 * amounts, and division. */
#include "opencl/passes/identity.h"
#include "opencl/passes/passes.h"

static ir_ref joined(struct rewrite *rw, ir_ref low, ir_ref high) {
  const ir_ref words[] = {low, high};
  return rewrite_make(rw, IR_JOIN, IR_W2, words, 2, 0);
}

static ir_ref word_of(struct rewrite *rw, ir_ref pair, unsigned number) {
  if (known(rw, pair))
    return rewrite_32(rw, (uint32_t)(bits_of(rw, pair) >> 32 * number));
  if (is_op(rw->ir, pair, IR_JOIN) && arg(rw, pair, number))
    return arg(rw, pair, number);
  return rewrite_word(rw, pair, number);
}

static ir_ref split_logic(struct rewrite *rw, const struct term *t) {
  ir_ref word[2];
  for (unsigned i = 0; i < 2; i++) { /* C leaves open which argument of a call comes first */
    const ir_ref b = t->b ? word_of(rw, t->b, i) : 0, a = word_of(rw, t->a, i);
    word[i] = rewrite_put(rw, kind_op(t->kind, 32), a, b, 0);
  }
  return joined(rw, word[0], word[1]);
}

/* The 32 bits of the pair from bit `by` on, 1 to 31. */
static ir_ref middle(struct rewrite *rw, ir_ref low, ir_ref high, unsigned by) {
  const ir_ref operand[] = {low, high};
  return rewrite_make(rw, ISA_SHF_R, IR_W1, operand, 2, by);
}

static ir_ref split_shift(struct rewrite *rw, const struct term *t) {
  const unsigned by = known(rw, t->b) ? (unsigned)(bits_of(rw, t->b) & 63) : 0;
  if (by < 1 || by > 31)
    return 0;
  const ir_ref low = word_of(rw, t->a, 0), high = word_of(rw, t->a, 1), number = rewrite_32(rw, by);
  const bool left = t->kind == KIND_SHL;
  const ir_ref second = left ? middle(rw, low, high, 32 - by) : rewrite_put(rw, kind_op(t->kind, 32), high, number, 0);
  return joined(rw, left ? rewrite_put(rw, ISA_SHL_32, low, number, 0) : middle(rw, low, high, by), second);
}

static ir_ref split_product(struct rewrite *rw, const struct term *t) {
  const ir_ref second = word_of(rw, t->b, 0), low = rewrite_put(rw, ISA_MULW_U32, word_of(rw, t->a, 0), second, 0);
  ir_ref high = word_of(rw, low, 1);
  for (unsigned i = 0; i < 2; i++) {
    const ir_ref a = word_of(rw, t->a, i), b = word_of(rw, t->b, !i);
    if (!is_value(rw->ir, a, 0) && !is_value(rw->ir, b, 0))
      high = rewrite_put(rw, ISA_MAD_32, a, b, high);
  }
  return joined(rw, word_of(rw, low, 0), high);
}

static ir_ref split_rule(struct rewrite *rw, ir_ref ref) {
  const struct term t = term_of(rw->ir, ref);
  ir_ref result = 0;
  if (t.bits != 64)
    return ref;
  switch (t.kind) {
  case KIND_AND:
  case KIND_OR:
  case KIND_XOR:
  case KIND_NOT:
    result = split_logic(rw, &t);
    break;
  case KIND_SHL:
  case KIND_SHR_U:
  case KIND_SHR_S:
    result = split_shift(rw, &t);
    break;
  case KIND_MUL:
    result = split_product(rw, &t);
    break;
  default:
    break;
  }
  return result ? result : ref;
}

void pass_split(struct ir *ir) {
  if (ir->target.isa.wide)
    return;
  ir_analyze(ir);
  struct rewrite rewrite = {.rule = split_rule};
  rewrite_run(&rewrite, ir);
}
