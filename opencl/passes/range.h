/* What integers can be: an interval of each value, read as unsigned and as signed.
 *
 * The intervals are exact statements about values, in every lane and every iteration: a pass that relies on one may
 * replace a value only by an equal one, until it asks again. */
#ifndef OPENCL_PASSES_RANGE_H
#define OPENCL_PASSES_RANGE_H

#include "opencl/passes/rewrite.h"

struct range {
  uint64_t low, high;  /* unsigned; low > high: nothing known to reach here yet */
  int64_t least, most; /* signed */
};

struct ranges {
  const struct ir *ir;
  struct range *of; /* by ref */
  uint32_t refs;
};

/* Of all words and pairs of an analysed ir. */
void ranges_find(struct ranges *ranges, const struct ir *ir);
/* A new value is equal to an old one. */
void ranges_same(struct ranges *ranges, ir_ref ref, ir_ref old);
void ranges_free(struct ranges *ranges);

/* Of any ref, also of one that was made since. */
struct range range_of(const struct ranges *ranges, ir_ref ref);

struct range range_full(unsigned bits);
bool range_is_unsigned(struct range range, unsigned bits); /* fits into that many bits, zero-extended */
bool range_is_signed(struct range range, unsigned bits);   /* sign-extended */

/* ---- range_op.c ------------------------------------------------------------------------------------- */

struct range range_of_op(const struct ranges *ranges, ir_ref ref);
/* A binary operation of kinds.def on intervals. */
struct range range_binary(enum kind kind, unsigned bits, struct range a, struct range b);
/* Of `ref`, if its operands are these: what the source says of sums counts, from level 1 on. */
struct range range_kept(const struct ir *ir, ir_ref ref, struct range a, struct range b);
struct range range_const(uint64_t value, unsigned bits);
struct range range_hull(struct range a, struct range b);
struct range range_meet(struct range a, struct range b);
/* 1: `a kind b` always holds; 0: never; -1: it depends. */
int range_compare(enum kind kind, struct range a, struct range b);

static inline bool range_empty(struct range range) { return range.low > range.high; }

#endif
