/* Intervals of all values. They start empty and grow until nothing changes; phis that keep growing become unbounded. A
 * few more rounds then shrink the intervals, and a counted loop gets its bound:
 *
 *     for (i = a; i < n; i += c)
 *
 * i is a phi of a and i + c, and i + c is only computed where i < n holds. So the phi evaluates the sum with its own
 * interval, cut by the conditions between the loop's header and the sum: i + c is at most n - 1 + c and, unless that
 * wraps, i is in [a, n - 1 + c]. */
#include "opencl/passes/range.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"
#include "sim/base/vector.h"

enum {
  MOST_ROUNDS = 24, /* growing; nested loops take a few rounds per level */
  GROWING = 2,      /* rounds in which a phi may grow before it becomes unbounded */
  DOWN_ROUNDS = 3,
  MOST_CONDITIONS = 12, /* checked on the way up the dominator tree */
};

static unsigned bits_of_width(uint8_t width) { return width == IR_W2 ? 64 : width == IR_W1 ? 32 : 0; }

/* Refs made later and never given a range: they may be anything. */
static const struct range unset = {0, 0, 1, 0};
static bool is_unset(struct range range) { return !range_empty(range) && range.least > range.most; }

struct range range_of(const struct ranges *ranges, ir_ref ref) {
  const struct ir_inst *inst = &ranges->ir->inst[ref];
  const unsigned bits = bits_of_width(inst->width);
  if (inst->op == IR_CONST)
    return range_const(inst->imm, bits ? bits : 32);
  if (ref && ref < ranges->refs && inst->op != IR_UNDEF && !is_unset(ranges->of[ref]))
    return ranges->of[ref];
  return range_full(bits ? bits : 32);
}

/* ---- conditions ------------------------------------------------------------------------------------ */

/* The interval that `x kind y` leaves for x, one bound at a time. */
static struct range cut(struct range x, enum kind kind, struct range y) {
  struct range limit = x;
  if (range_empty(x) || range_empty(y))
    return x;
  switch (kind) {
  case KIND_LT_U:
    limit.high = y.high ? y.high - 1 : 0;
    break;
  case KIND_LE_U:
    limit.high = y.high;
    break;
  case KIND_GT_U:
    limit.low = y.low < UINT64_MAX ? y.low + 1 : y.low;
    break;
  case KIND_GE_U:
    limit.low = y.low;
    break;
  case KIND_LT_S:
    limit.most = y.most > INT64_MIN ? y.most - 1 : y.most;
    break;
  case KIND_LE_S:
    limit.most = y.most;
    break;
  case KIND_GT_S:
    limit.least = y.least < INT64_MAX ? y.least + 1 : y.least;
    break;
  case KIND_GE_S:
    limit.least = y.least;
    break;
  case KIND_EQ_U:
    limit = y;
    break;
  case KIND_NE_U: /* removes an end */
    if (y.low == y.high && y.low == x.low)
      limit.low++;
    if (y.low == y.high && y.low == x.high)
      limit.high--;
    break;
  default:
    break;
  }
  return range_meet(x, limit);
}

/* Makes both readings agree again after one was cut. */
static struct range settled(struct range range, unsigned bits) {
  return range_empty(range) ? range : range_binary(KIND_ADD, bits, range, range_const(0, bits));
}

static struct range cut_by(const struct ranges *ranges, struct range range, ir_ref ref, ir_ref condition, bool holds) {
  const struct ir *ir = ranges->ir;
  uint16_t op = ir->inst[condition].op;
  if (op == ISA_AND_P && holds) {
    range = cut_by(ranges, range, ref, ir_operand(ir, condition, 0), true);
    return cut_by(ranges, range, ref, ir_operand(ir, condition, 1), true);
  }
  if (!kind_is_compare(kind_of(op)))
    return range;
  if (!holds)
    op = (uint16_t)op_complement(op);
  const ir_ref a = ir_operand(ir, condition, 0), b = ir_operand(ir, condition, 1);
  const unsigned bits = kind_bits(op);
  if (a == ref)
    range = settled(cut(range, kind_of(op), range_of(ranges, b)), bits);
  if (b == ref)
    range = settled(cut(range, kind_swapped(kind_of(op)), range_of(ranges, a)), bits);
  return range;
}

/* Cuts the interval of `ref` on the edge from one block to another by the branch's condition. */
static struct range on_edge(const struct ranges *ranges, struct range range, ir_ref ref, uint32_t from, uint32_t to) {
  const struct ir_block *block = &ranges->ir->block[from];
  if (block->end != IR_END_IF)
    return range;
  return cut_by(ranges, range, ref, block->condition, block->to[0] == to);
}

/* The interval of `ref` in `block`, cut by the conditions on the way there from the block that defines it. */
static struct range in_block(const struct ranges *ranges, ir_ref ref, uint32_t block) {
  const struct ir *ir = ranges->ir;
  struct range range = range_of(ranges, ref);
  const uint32_t home = home_of(ir, ref);
  for (int i = 0; i < MOST_CONDITIONS && block != home; i++) {
    const struct ir_block *at = &ir->block[block];
    if (at->from_count == 1)
      range = on_edge(ranges, range, ref, at->from[0], block);
    if (at->dominator == block)
      break;
    block = at->dominator;
  }
  return range;
}

/* ---- phis ------------------------------------------------------------------------------------------ */

/* The interval of phi + x or phi - x, with the phi's interval at that place, which is tighter than in general. */
static struct range step_range(const struct ranges *ranges, ir_ref value, ir_ref phi) {
  const struct ir *ir = ranges->ir;
  const enum kind kind = kind_of(ir->inst[value].op);
  const bool right = kind == KIND_ADD && ir_operand(ir, value, 1) == phi;
  if ((kind != KIND_ADD && kind != KIND_SUB) || (ir_operand(ir, value, 0) != phi && !right))
    return range_of(ranges, value);
  const struct range before = in_block(ranges, phi, home_of(ir, value));
  return range_kept(ir, value, before, range_of(ranges, ir_operand(ir, value, !right)));
}

static struct range phi_range(const struct ranges *ranges, ir_ref phi) {
  const struct ir *ir = ranges->ir;
  const struct ir_inst *inst = &ir->inst[phi];
  struct range range = {1, 0, 1, 0};
  for (uint32_t i = 0; i < inst->count; i += 2) {
    const uint32_t from = ir->operand[inst->operands + i];
    const ir_ref value = ir->operand[inst->operands + i + 1];
    if (value == phi)
      continue;
    const struct range brought = step_range(ranges, value, phi);
    range = range_hull(range, on_edge(ranges, brought, value, from, inst->block));
  }
  return range;
}

/* ---- the pass -------------------------------------------------------------------------------------- */

static bool same(struct range a, struct range b) {
  return a.low == b.low && a.high == b.high && a.least == b.least && a.most == b.most;
}

/* Bounds that moved become unbounded. */
static struct range widened(struct range old, struct range new, unsigned bits) {
  const struct range full = range_full(bits);
  return (struct range){new.low < old.low ? full.low : old.low, new.high > old.high ? full.high : old.high,
                        new.least < old.least ? full.least : old.least, new.most > old.most ? full.most : old.most};
}

static bool shrink(struct ranges *ranges, ir_ref ref) {
  const struct range old = ranges->of[ref];
  ranges->of[ref] = ranges->ir->inst[ref].op == IR_PHI ? phi_range(ranges, ref) : range_of_op(ranges, ref);
  return !same(old, ranges->of[ref]);
}

static bool grow(struct ranges *ranges, ir_ref ref, int round) {
  const struct ir_inst *inst = &ranges->ir->inst[ref];
  const bool phi = inst->op == IR_PHI;
  const struct range old = ranges->of[ref];
  struct range new = range_hull(old, phi ? phi_range(ranges, ref) : range_of_op(ranges, ref));
  if (phi && round > GROWING && !range_empty(old))
    new = widened(old, new, bits_of_width(inst->width));
  ranges->of[ref] = new;
  return !same(old, new);
}

/* Did an operand's interval move in this round? A value's operands come before it, so it has already used the results
 * of earlier rounds. Phis are evaluated in every round: their operands may come later, and conditions on the way to
 * them count, too. */
static bool has_moved(const struct ir *ir, const struct ir_inst *inst, const uint8_t *moved, uint8_t round) {
  bool any = inst->op == IR_PHI;
  for (uint32_t i = 0; i < inst->count && !any; i++)
    any = moved[ir->operand[inst->operands + i]] == round;
  return any;
}

/* Rounds count from 1. */
static bool propagate_round(struct ranges *ranges, uint8_t *moved, uint8_t round, bool up) {
  const struct ir *ir = ranges->ir;
  bool changed = false;
  for (uint32_t i = 0; i < ir->ordered; i++) {
    const struct ir_block *block = &ir->block[ir->order[i]];
    for (uint32_t k = 0; k < block->count; k++) {
      const ir_ref ref = block->inst[k];
      const struct ir_inst *inst = &ir->inst[ref];
      if (!bits_of_width(inst->width) || (round > 1 && !has_moved(ir, inst, moved, round)))
        continue;
      if (up ? !grow(ranges, ref, round) : !shrink(ranges, ref))
        continue;
      moved[ref] = round;
      changed = true;
    }
  }
  return changed;
}

static void fill(struct ranges *ranges, bool everything) {
  for (uint32_t i = 0; i < ranges->refs; i++) {
    const unsigned bits = bits_of_width(ranges->ir->inst[i].width);
    ranges->of[i] = everything ? range_full(bits ? bits : 32) : (struct range){1, 0, 1, 0};
  }
}

void ranges_find(struct ranges *ranges, const struct ir *ir) {
  *ranges = (struct ranges){.ir = ir, .of = need(ir->count, sizeof(struct range)), .refs = ir->count};
  fill(ranges, false);
  uint8_t *moved = need(ir->count, sizeof *moved); /* by ref: the last round in which it changed */
  uint8_t round = 1;
  while (round <= MOST_ROUNDS && propagate_round(ranges, moved, round, true))
    round++;
  if (round > MOST_ROUNDS) /* not finished: intermediate intervals are not valid */
    fill(ranges, true);
  memset(moved, 0, ir->count * sizeof *moved);
  for (round = 1; round <= DOWN_ROUNDS; round++)
    propagate_round(ranges, moved, round, false);
  free(moved);
}

void ranges_same(struct ranges *ranges, ir_ref ref, ir_ref old) {
  const size_t known = ranges->refs;
  ranges->of = vector_room(ranges->of, &ranges->refs, (size_t)ref + 1, sizeof *ranges->of);
  for (size_t i = known; i < ranges->refs; i++)
    ranges->of[i] = unset;
  ranges->of[ref] = ranges->of[old];
}

void ranges_free(struct ranges *ranges) { free(ranges->of); }
