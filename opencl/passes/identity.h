/* Algebra on one instruction and its operands. */
#ifndef OPENCL_PASSES_IDENTITY_H
#define OPENCL_PASSES_IDENTITY_H

#include "opencl/passes/rewrite.h"

/* An instruction as rules see it. */
struct term {
  ir_ref ref;
  uint16_t op;
  enum kind kind;
  unsigned bits; /* of operands 0 and 1; 0 where kinds.def has no row */
  ir_ref a, b, c;
};

struct term term_of(const struct ir *ir, ir_ref ref);

/* Returns 0 if no rule applies; `ref` if it became another instruction in place (call again); otherwise the value that
 * replaces it. */
ir_ref identity_of(struct rewrite *rewrite, ir_ref ref);

/* Its parts, by kind of operation; same results. */
ir_ref identity_integer(struct rewrite *rewrite, const struct term *term); /* identity_integer.c: kinds.def */
ir_ref identity_bits(struct rewrite *rewrite, const struct term *term);    /* identity_bits.c: logic and shifts */
ir_ref identity_compare(struct rewrite *rewrite, const struct term *term); /* identity_predicate.c */
ir_ref identity_predicate(struct rewrite *rewrite, const struct term *term);
ir_ref identity_other(struct rewrite *rewrite, const struct term *term); /* identity.c: words, conversions, floats */

/* An integer constant of the term's width. */
static inline ir_ref term_const(struct rewrite *rewrite, const struct term *term, uint64_t value) {
  return ir_const(rewrite->ir, kind_width(term->bits), value);
}
static inline ir_ref term_put(struct rewrite *rewrite, const struct term *term, enum kind kind, ir_ref a, ir_ref b) {
  return rewrite_put(rewrite, kind_op(kind, term->bits), a, b, 0);
}
static inline ir_ref term_as(struct rewrite *rewrite, const struct term *term, enum kind kind, ir_ref a, ir_ref b) {
  return rewrite_as(rewrite, term->ref, kind_op(kind, term->bits), a, b, 0);
}
/* Is `ref` an operation of this kind and width? */
static inline bool is_kind(const struct rewrite *rewrite, const struct term *term, ir_ref ref, enum kind kind) {
  return ref && rewrite->ir->inst[ref].op == kind_op(kind, term->bits);
}
static inline ir_ref arg(const struct rewrite *rewrite, ir_ref ref, uint32_t position) {
  return ir_operand(rewrite->ir, ref, position);
}
static inline bool known(const struct rewrite *rewrite, ir_ref ref) { return ir_is_const(rewrite->ir, ref); }
static inline uint64_t bits_of(const struct rewrite *rewrite, ir_ref ref) { return rewrite->ir->inst[ref].imm; }
/* k if value is 2^k, else -1. */
static inline int power_of(uint64_t value) { return value && !(value & (value - 1)) ? __builtin_ctzll(value) : -1; }

#endif
