/* Short arms run unconditionally instead of behind branches, innermost first:
 *
 *     diamond   A ? {T} : {F}, both to J     the arms move into A, J's phis become selects
 *     triangle  A ? {T} : J, T to J          the same with one arm empty
 *     chain     A ? B : X, B ? Y : X         B moves into A, the two conditions become one: a && b; also the
 *                                            forms for || and for complements
 *
 * Arms hold a few cheap operations that need no memory, so running them unnecessarily does no harm. An arm may also
 * have a few loads or stores, which then run with the arm's condition as a guard. A warp that diverges runs both sides
 * anyway: flattening costs at most the arm's price, in warps in which no lane needs it. So divergent arms may be longer
 * than arms of a uniform branch: from level 2 on, as long as the arms that NVIDIA's compiler for an H100 was seen to
 * flatten.
 *
 * Left alone: operations that depend on other lanes, atomics, slow units, arms with more than one entry. */
#include "opencl/passes/passes.h"
#include "opencl/passes/rewrite.h"
#include "opencl/passes/uniform.h"

#include <stdlib.h>

/* Of both arms: issue slots, and memory operations of each. */
struct limits {
  uint32_t cost, guarded;
};
static const struct limits uniform_limits = {6, 2}, divergence_limits = {20, 4};

enum { MOST_SELECTS = 4 };

struct flatten {
  struct ir *ir;
  bool *uniform; /* computed before the pass changes anything */
  uint32_t known;
};

static const struct limits *limits_of(const struct flatten *flatten, uint32_t above) {
  const ir_ref condition = flatten->ir->block[above].condition;
  const bool uniform = condition < flatten->known && flatten->uniform[condition];
  return uniform || flatten->ir->target.optimize < 2 ? &uniform_limits : &divergence_limits;
}

static ir_ref append_op(struct ir *ir, uint32_t block, uint16_t op, ir_ref a, ir_ref b, ir_ref c) {
  const ir_ref operand[] = {a, b, c};
  const ir_ref ref = ir_make(ir, op, ir_width_of((enum isa_op)op), operand,
                             c   ? 3
                             : b ? 2
                                 : 1,
                             0, ir->block[block].place);
  ir_append(ir, block, ref);
  return ref;
}

/* ---- what an arm may hold --------------------------------------------------------------------------- */

static bool may_guard(const struct ir *ir, ir_ref ref) {
  const struct ir_inst *inst = &ir->inst[ref];
  if (inst->op >= ISA_OPS || inst->guard)
    return false;
  const uint8_t space = isa_rows[inst->op].space;
  return space != ISA_SPACE_NONE && space != ISA_SPACE_ARG;
}

/* Quotients and roots cost what the few instructions of a GPU compiler's expansion cost: not too slow for an arm. */
static uint32_t price_of(const struct ir *ir, ir_ref ref) {
  switch (ir->inst[ref].op) {
  case ISA_FDIV_F32:
  case ISA_RCP_F32:
    return 8;
  case ISA_SQRT_F32:
  case ISA_RSQRT_F32:
  case ISA_EXP2_F32:
    return 4;
  default:
    return cost_of(ir, ref);
  }
}

/* The price of running a block unconditionally; above the limit if that is not allowed. */
static uint32_t price(const struct ir *ir, uint32_t number, const struct limits *limits, bool guards) {
  const struct ir_block *block = &ir->block[number];
  uint32_t cost = 0, guarded = 0;
  for (uint32_t k = 0; k < block->count && cost <= limits->cost; k++) {
    if (may_speculate(ir, block->inst[k]))
      cost += price_of(ir, block->inst[k]);
    else if (guards && may_guard(ir, block->inst[k]) && guarded++ < limits->guarded)
      cost++;
    else
      return limits->cost + 1;
  }
  return cost;
}

/* Reachable only from `above`, and in the same loop, so that it runs no more often. */
static bool is_arm(const struct ir *ir, uint32_t block, uint32_t above) {
  return block && block != above && ir->block[block].from_count == 1 && ir->block[block].from[0] == above &&
         ir->block[block].loop == ir->block[above].loop;
}

/* ---- diamonds and triangles -------------------------------------------------------------------------- */

/* condition ? yes : no, of any width. */
static ir_ref chosen(struct ir *ir, uint32_t block, ir_ref condition, ir_ref yes, ir_ref no) {
  const enum ir_width width = (enum ir_width)ir->inst[yes].width;
  if (yes == no)
    return yes;
  if (width != IR_PRED)
    return append_op(ir, block, width == IR_W2 ? ISA_SEL_64 : ISA_SEL_32, yes, no, condition);
  const ir_ref one = append_op(ir, block, ISA_AND_P, yes, condition, 0);
  return append_op(ir, block, ISA_OR_P, one, append_op(ir, block, ISA_ANDN_P, no, condition, 0), 0);
}

/* How many selects the phis of `join` would become; above the limit if one cannot become a select. */
static uint32_t selects(const struct ir *ir, uint32_t join, uint32_t yes, uint32_t no) {
  const struct ir_block *block = &ir->block[join];
  uint32_t count = 0;
  for (uint32_t k = 0; k < block->count && ir->inst[block->inst[k]].op == IR_PHI; k++) {
    count += phi_value(ir, block->inst[k], yes) != phi_value(ir, block->inst[k], no);
    if (ir->inst[block->inst[k]].width == IR_W4)
      return MOST_SELECTS + 1;
  }
  return count;
}

static void select_phis(struct ir *ir, uint32_t join, uint32_t above, uint32_t yes, uint32_t no) {
  const ir_ref condition = ir->block[above].condition;
  for (uint32_t k = 0; k < ir->block[join].count; k++) {
    const ir_ref phi = ir->block[join].inst[k];
    if (ir->inst[phi].op != IR_PHI)
      break;
    const ir_ref value = chosen(ir, above, condition, phi_value(ir, phi, yes), phi_value(ir, phi, no));
    phi_set(ir, phi, yes, value);
    phi_set(ir, phi, no, value);
  }
  if (yes != above)
    phis_drop(ir, join, yes);
  if (no != above && yes != above) {
    phis_rename(ir, join, no, above);
    return;
  }
  if (no != above)
    phis_drop(ir, join, no);
}

static void move_arm(struct ir *ir, uint32_t above, uint32_t arm, bool taken) {
  for (uint32_t k = 0; k < ir->block[arm].count; k++) {
    struct ir_inst *inst = &ir->inst[ir->block[arm].inst[k]];
    if (may_speculate(ir, ir->block[arm].inst[k]))
      continue;
    inst->guard = ir->block[above].condition;
    inst->guard_not = !taken;
  }
  append_all(ir, above, arm);
}

static void drop_from(struct ir *ir, uint32_t block, uint32_t from) {
  struct ir_block *in = &ir->block[block];
  uint32_t kept = 0;
  for (uint32_t k = 0; k < in->from_count; k++)
    if (in->from[k] != from)
      in->from[kept++] = in->from[k];
  in->from_count = kept;
}

static void retire(struct ir *ir, uint32_t arm, uint32_t join) {
  drop_from(ir, join, arm);
  ir->block[arm].from_count = 0;
  ir_exit(ir, arm, ir->block[arm].place);
}

/* yes and no: the blocks that lead to the join, each an arm or `above` itself. */
static bool join_arms(const struct flatten *flatten, uint32_t above, uint32_t yes, uint32_t no, uint32_t join) {
  struct ir *ir = flatten->ir;
  const struct limits *limits = limits_of(flatten, above);
  const uint32_t cost =
      (yes == above ? 0 : price(ir, yes, limits, true)) + (no == above ? 0 : price(ir, no, limits, true));
  if (cost > limits->cost || selects(ir, join, yes, no) > MOST_SELECTS || join == above)
    return false;
  if (yes != above)
    move_arm(ir, above, yes, true);
  if (no != above)
    move_arm(ir, above, no, false);
  select_phis(ir, join, above, yes, no);
  if (yes != above)
    retire(ir, yes, join);
  if (no != above)
    retire(ir, no, join);
  if (yes != above && no != above)
    ir->block[join].from[ir->block[join].from_count++] = above; /* replaces the two retired edges */
  ir_goto(ir, above, join, ir->block[above].place);
  return true;
}

static bool leads_only_to(const struct ir *ir, uint32_t block, uint32_t to) {
  return ir->block[block].end == IR_END_GOTO && ir->block[block].to[0] == to;
}

static bool flatten_arms(const struct flatten *flatten, uint32_t above) {
  const struct ir *ir = flatten->ir;
  const uint32_t yes = ir->block[above].to[0], no = ir->block[above].to[1];
  const bool yes_arm = is_arm(ir, yes, above) && ir->block[yes].end == IR_END_GOTO;
  const bool no_arm = is_arm(ir, no, above) && ir->block[no].end == IR_END_GOTO;
  if (yes_arm && leads_only_to(ir, yes, no))
    return join_arms(flatten, above, yes, above, no);
  if (no_arm && leads_only_to(ir, no, yes))
    return join_arms(flatten, above, above, no, yes);
  if (yes_arm && no_arm && leads_only_to(ir, no, ir->block[yes].to[0]))
    return join_arms(flatten, above, yes, no, ir->block[yes].to[0]);
  return false;
}

/* ---- chains of conditions ---------------------------------------------------------------------------- */

/* Which edge of `below` leads to `to`: 0, 1, or -1 for none. */
static int edge_to(const struct ir_block *below, uint32_t to) {
  return below->to[0] == to ? 0 : below->to[1] == to ? 1 : -1;
}

static void merge_phis(struct ir *ir, uint32_t above, uint32_t below, uint32_t shared, uint32_t other, bool through) {
  const ir_ref condition = ir->block[above].condition; /* `through`: the edge to take to reach `below` */
  for (uint32_t k = 0; k < ir->block[shared].count; k++) {
    const ir_ref phi = ir->block[shared].inst[k];
    if (ir->inst[phi].op != IR_PHI)
      break;
    const ir_ref mine = phi_value(ir, phi, above), its = phi_value(ir, phi, below);
    phi_set(ir, phi, above, chosen(ir, above, condition, through ? its : mine, through ? mine : its));
  }
  phis_drop(ir, shared, below);
  phis_rename(ir, other, below, above);
}

/* The condition under which the shared edge is not taken; its complement if both conditions are negated. */
static ir_ref both(struct ir *ir, uint32_t above, ir_ref first, bool first_not, ir_ref second, bool second_not) {
  if (!first_not && second_not)
    return append_op(ir, above, ISA_ANDN_P, first, second, 0);
  if (first_not && !second_not)
    return append_op(ir, above, ISA_ANDN_P, second, first, 0);
  if (first_not)
    return append_op(ir, above, ISA_OR_P, first, second, 0); /* the complement: flatten_chain() swaps the edges */
  return append_op(ir, above, ISA_AND_P, first, second, 0);
}

static bool flatten_chain(const struct flatten *flatten, uint32_t above, bool through) {
  struct ir *ir = flatten->ir;
  const uint32_t below = ir->block[above].to[!through], shared = ir->block[above].to[through];
  if (!is_arm(ir, below, above) || ir->block[below].end != IR_END_IF || shared == above)
    return false;
  const int edge = edge_to(&ir->block[below], shared);
  if (edge < 0 || price(ir, below, &uniform_limits, false) > uniform_limits.cost)
    return false;
  const uint32_t other = ir->block[below].to[!edge];
  if (other == below || shared == below || selects(ir, shared, above, below) > 1)
    return false;
  const ir_ref first = ir->block[above].condition, second = ir->block[below].condition;
  append_all(ir, above, below);
  merge_phis(ir, above, below, shared, other, through);
  const bool first_not = !through, second_not = edge == 0;
  const ir_ref condition = both(ir, above, first, first_not, second, second_not);
  const bool complement = first_not && second_not;
  const struct ir_place place = ir->block[above].place;
  ir_if(ir, above, condition, complement ? shared : other, complement ? other : shared, place);
  drop_from(ir, shared, below);
  for (uint32_t k = 0; k < ir->block[other].from_count; k++)
    if (ir->block[other].from[k] == below)
      ir->block[other].from[k] = above;
  ir->block[below].from_count = 0;
  ir_exit(ir, below, place);
  return true;
}

static bool flatten_one(const struct flatten *flatten, uint32_t above) {
  if (flatten->ir->block[above].end != IR_END_IF)
    return false;
  return flatten_arms(flatten, above) || flatten_chain(flatten, above, true) || flatten_chain(flatten, above, false);
}

/* Merges a block with its only successor, whose only predecessor it is, so that the next arm outward is one block. */
static void pull_up(struct ir *ir, uint32_t above) {
  struct ir_block *block = &ir->block[above];
  const uint32_t next = block->to[0];
  if (block->end != IR_END_GOTO || !next || next == above || ir->block[next].from_count != 1)
    return;
  const struct ir_block *below = &ir->block[next];
  for (uint32_t k = 0; k < below->count; k++)
    if (ir->inst[below->inst[k]].op == IR_PHI)
      return; /* simplification removes the phi, and the next round continues */
  append_all(ir, above, next);
  block->place = below->place;
  block->end = below->end;
  block->condition = below->condition;
  block->to[0] = below->to[0];
  block->to[1] = below->to[1];
  for (uint32_t k = 0; k < ends(block); k++) {
    phis_rename(ir, block->to[k], next, above);
    for (uint32_t i = 0; i < ir->block[block->to[k]].from_count; i++)
      if (ir->block[block->to[k]].from[i] == next)
        ir->block[block->to[k]].from[i] = above;
  }
  ir->block[next].from_count = 0;
  ir_exit(ir, next, block->place);
}

void pass_flatten(struct ir *ir) {
  ir_analyze(ir);
  const struct flatten flatten = {ir, uniform_values(ir), ir->count};
  for (uint32_t i = ir->ordered; i--;)
    while (flatten_one(&flatten, ir->order[i]))
      pull_up(ir, ir->order[i]);
  free(flatten.uniform);
  ir_analyze(ir);
}
