/* Tidies the graph: branches whose condition is known, empty blocks that only lead on, blocks that follow their only
 * predecessor. One walk skips all empty blocks and updates the predecessor lists by hand. Merging two blocks does not
 * change how many predecessors a block has. */
#include "opencl/passes/rewrite.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"

static void from_drop(struct ir *ir, uint32_t block, uint32_t from) {
  struct ir_block *in = &ir->block[block];
  for (uint32_t k = 0; k < in->from_count; k++)
    if (in->from[k] == from) {
      memmove(in->from + k, in->from + k + 1, (in->from_count - k - 1) * sizeof *in->from);
      in->from_count--;
      return;
    }
}

static bool comes_from(const struct ir *ir, uint32_t block, uint32_t from) {
  for (uint32_t k = 0; k < ir->block[block].from_count; k++)
    if (ir->block[block].from[k] == from)
      return true;
  return false;
}

static bool has_phis(const struct ir *ir, uint32_t block) {
  return ir->block[block].count && ir->inst[ir->block[block].inst[0]].op == IR_PHI;
}

/* ---- known branches -------------------------------------------------------------------------------- */

static bool known_branch(struct ir *ir, uint32_t number) {
  const struct ir_block *block = &ir->block[number];
  if (block->end != IR_END_IF)
    return false;
  const ir_ref condition = block->condition;
  if (is_op(ir, condition, ISA_NOT_P)) {
    ir_if(ir, number, ir_operand(ir, condition, 0), block->to[1], block->to[0], block->place);
    return true;
  }
  const bool undef = is_op(ir, condition, IR_UNDEF); /* either edge is right */
  if (!undef && !ir_is_const(ir, condition))
    return false;
  const bool yes = !undef && ir->inst[condition].imm;
  const uint32_t taken = block->to[!yes], other = block->to[yes];
  phis_drop(ir, other, number);
  ir_goto(ir, number, taken, block->place);
  return true;
}

/* ---- empty blocks ---------------------------------------------------------------------------------- */

/* May all edges into the empty block bypass it? Not if a predecessor also has another edge to the successor whose phis
 * need to distinguish the two. */
static bool may_skip(const struct ir *ir, uint32_t empty) {
  const struct ir_block *block = &ir->block[empty];
  return !has_phis(ir, block->to[0]) || (block->from_count == 1 && !comes_from(ir, block->to[0], block->from[0]));
}

static void skip(struct ir *ir, uint32_t empty, uint32_t from) {
  const uint32_t to = ir->block[empty].to[0];
  struct ir_block *block = &ir->block[from];
  if (has_phis(ir, to))
    phis_rename(ir, to, empty, from);
  if (!comes_from(ir, to, from))
    ir_from_add(ir, to, from);
  from_drop(ir, empty, from);
  for (uint32_t k = 0; k < ends(block); k++)
    if (block->to[k] == empty)
      block->to[k] = to;
  if (block->end == IR_END_IF && block->to[0] == block->to[1])
    ir_goto(ir, from, to, block->place);
}

/* An empty latch that joins several back edges to a header keeps the loop simple, so it stays. */
static bool gathers(const struct ir *ir, uint32_t empty) {
  return ir->block[empty].from_count > 1 && ir_dominates(ir, ir->block[empty].to[0], empty);
}

static bool skip_empty(struct ir *ir, uint32_t number) {
  struct ir_block *block = &ir->block[number];
  if (!number || block->count || block->end != IR_END_GOTO || block->to[0] == number || gathers(ir, number))
    return false;
  if (!may_skip(ir, number))
    return false;
  while (block->from_count)
    skip(ir, number, block->from[block->from_count - 1]);
  if (block->copies > ir->block[block->to[0]].copies)
    ir->block[block->to[0]].copies = block->copies; /* `number` was a loop's header; its successor is the header now */
  from_drop(ir, block->to[0], number);
  ir_exit(ir, number, block->place);
  return true;
}

/* ---- chains ---------------------------------------------------------------------------------------- */

static void take_end(struct ir *ir, uint32_t block, uint32_t next) {
  struct ir_block *above = &ir->block[block], *below = &ir->block[next];
  above->end = below->end;
  above->condition = below->condition;
  above->to[0] = below->to[0];
  above->to[1] = below->to[1];
  above->place = below->place;
  for (uint32_t k = 0; k < ends(above); k++)
    phis_rename(ir, above->to[k], next, block);
  ir_exit(ir, next, (struct ir_place){0});
}

/* Merges a block with its only successor, whose only predecessor it is. The successor's phis become their one value. */
static bool merge(struct ir *ir, uint32_t number, ir_ref *with, bool *replaced) {
  const struct ir_block *block = &ir->block[number];
  const uint32_t next = block->to[0];
  if (block->end != IR_END_GOTO || !next || next == number || ir->block[next].from_count != 1)
    return false;
  struct ir_block *below = &ir->block[next];
  for (uint32_t k = 0; k < below->count; k++) {
    const ir_ref ref = below->inst[k];
    if (ir->inst[ref].op == IR_PHI) {
      with[ref] = phi_value(ir, ref, number);
      *replaced = true;
      ir->inst[ref].block = IR_NOWHERE;
    } else
      ir_append(ir, number, ref);
  }
  below->count = 0;
  take_end(ir, number, next);
  return true;
}

enum tidy simplify_branches(struct ir *ir) {
  ir_ref *with = need(ir->count, sizeof *with);
  bool known = false, skipped = false, merged = false, replaced = false;
  for (uint32_t i = 0; i < ir->ordered; i++)
    known |= known_branch(ir, ir->order[i]);
  if (known)
    ir_analyze(ir);
  for (uint32_t i = ir->ordered; i--;)
    skipped |= skip_empty(ir, ir->order[i]);
  for (uint32_t i = 0; i < ir->ordered; i++)
    while (ir->block[ir->order[i]].end == IR_END_GOTO && merge(ir, ir->order[i], with, &replaced))
      merged = true;
  if (replaced)
    ir_replace(ir, with);
  free(with);
  if (!known && !skipped && !merged)
    return TIDY_NOTHING;
  ir_analyze(ir);
  return known || replaced ? TIDY_VALUES : TIDY_BLOCKS;
}
