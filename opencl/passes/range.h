/* The possible values of integers: one interval per value, read as unsigned and as signed.
 *
 * The intervals hold in every lane and every iteration. A pass that relies on one may only replace values by equal ones
 * until it computes the ranges again. */
#ifndef OPENCL_PASSES_RANGE_H
#define OPENCL_PASSES_RANGE_H

#include "opencl/passes/rewrite.h"

struct range {
  uint64_t low, high;  /* unsigned; low > high: not reached so far */
  int64_t least, most; /* signed */
};

struct ranges {
  const struct ir *ir;
  struct range *of; /* by ref */
  size_t refs;
};

/* Finds the ranges of all words and pairs of an analyzed ir. */
void ranges_find(struct ranges *ranges, const struct ir *ir);
/* Declares that the new value `ref` equals `old`. */
void ranges_same(struct ranges *ranges, ir_ref ref, ir_ref old);
void ranges_free(struct ranges *ranges);

/* The range of any ref, including one made later. */
struct range range_of(const struct ranges *ranges, ir_ref ref);

struct range range_full(unsigned bits);
bool range_is_unsigned(struct range range, unsigned bits); /* fits into `bits` bits, zero-extended */
bool range_is_signed(struct range range, unsigned bits);   /* the same, sign-extended */

/* ---- range_op.c ------------------------------------------------------------------------------------- */

struct range range_of_op(const struct ranges *ranges, ir_ref ref);
/* An operation of kinds.def on intervals. */
struct range range_binary(enum kind kind, unsigned bits, struct range a, struct range b);
/* The range of `ref` for these operands. From level 1 on, uses the source's guarantee that a sum does not wrap. */
struct range range_kept(const struct ir *ir, ir_ref ref, struct range a, struct range b);
struct range range_const(uint64_t value, unsigned bits);
struct range range_hull(struct range a, struct range b);
struct range range_meet(struct range a, struct range b);
/* 1: `a kind b` always holds; 0: never; -1: it depends. */
int range_compare(enum kind kind, struct range a, struct range b);

static inline bool range_empty(struct range range) { return range.low > range.high; }

#endif
