/* Loops whose number of turns is known become that many copies of their body, where the source asks: `#pragma unroll`,
 * `opencl_unroll_hint`. Not otherwise: it would be faster, but a report names instructions, and the one load of a
 * loop that somebody wrote would be eight in it, each with an eighth of the conflicts.
 *
 * A header that asks and one body that leads back to it; flattening has made most small loops so. The number of turns
 * is found by running the loop on constants: whatever follows from the phis' first values is folded, turn by turn,
 * until the condition says no. If it ever depends on something else, the loop stays.
 *
 * The copies go in front of the header's own instructions, which remain as the last question, so that what is used
 * behind the loop keeps its name. Left alone: whatever looks at other lanes, loops of more turns than copies were asked
 * for, and what would grow beyond MOST_COPIES instructions. */
#include "opencl/passes/passes.h"
#include "opencl/passes/rewrite.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"

enum { MOST_TURNS = 64, MOST_COPIES = 2048 };

struct unroll {
  struct ir *ir;
  uint32_t header, body, entry; /* entry: the predecessor outside */
  ir_ref *now;                  /* what stands for a value of the loop in this turn; 0: itself */
  ir_ref *with, *next;
  uint32_t room;
};

/* ---- the shape -------------------------------------------------------------------------------------- */

static bool may_copy(const struct ir *ir, uint32_t number) {
  const struct ir_block *block = &ir->block[number];
  for (uint32_t k = 0; k < block->count; k++)
    if (ir_is_convergent(ir, block->inst[k]))
      return false;
  return true;
}

static bool find_shape(struct unroll *unroll, uint32_t header) {
  const struct ir *ir = unroll->ir;
  const struct ir_block *block = &ir->block[header];
  if (!block->copies || block->loop != header || block->end != IR_END_IF || block->from_count != 2)
    return false;
  for (uint32_t side = 0; side < 2; side++) {
    const uint32_t body = block->to[side];
    const struct ir_block *in = &ir->block[body];
    if (body == header || in->from_count != 1 || in->end != IR_END_GOTO || in->to[0] != header)
      continue;
    unroll->header = header;
    unroll->body = body;
    unroll->entry = block->from[block->from[0] == body];
    return may_copy(ir, header) && may_copy(ir, body);
  }
  return false;
}

/* ---- counting --------------------------------------------------------------------------------------- */

static ir_ref standing_for(const struct unroll *unroll, ir_ref ref) {
  return ref < unroll->room && unroll->now[ref] ? unroll->now[ref] : ref;
}

/* The constant that an instruction gives in this turn. */
static void fold_inst(struct unroll *unroll, ir_ref ref) {
  struct ir *ir = unroll->ir;
  const struct ir_inst *inst = &ir->inst[ref];
  uint64_t operand[3] = {0}, result;
  for (uint32_t i = 0; i < inst->count && i < 3; i++) {
    const ir_ref value = standing_for(unroll, ir->operand[inst->operands + i]);
    if (value && !ir_is_const(ir, value))
      return;
    operand[i] = value ? ir->inst[value].imm : 0;
  }
  if (fold_alu(inst->op, operand, &result))
    unroll->now[ref] = ir_const(ir, (enum ir_width)inst->width, result);
}

/* New values of all phis at once, from what `from` brings. */
static void turn_phis(struct unroll *unroll, uint32_t from, bool constants) {
  const struct ir *ir = unroll->ir;
  const struct ir_block *block = &ir->block[unroll->header];
  uint32_t count = 0;
  for (; count < block->count && ir->inst[block->inst[count]].op == IR_PHI; count++) {
    const ir_ref value = standing_for(unroll, phi_value(ir, block->inst[count], from));
    unroll->next[count] = !constants || ir_is_const(ir, value) ? value : 0;
  }
  for (uint32_t k = 0; k < count; k++)
    unroll->now[block->inst[k]] = unroll->next[k];
}

static void forget_turn(struct unroll *unroll, uint32_t number) {
  const struct ir_block *block = &unroll->ir->block[number];
  for (uint32_t k = 0; k < block->count; k++)
    if (unroll->ir->inst[block->inst[k]].op != IR_PHI)
      unroll->now[block->inst[k]] = 0;
}

static void fold_block(struct unroll *unroll, uint32_t number) {
  forget_turn(unroll, number);
  for (uint32_t k = 0; k < unroll->ir->block[number].count; k++)
    if (unroll->ir->inst[unroll->ir->block[number].inst[k]].op != IR_PHI)
      fold_inst(unroll, unroll->ir->block[number].inst[k]);
}

/* How often the body runs; more than MOST_TURNS if that is not known. */
static uint32_t count_turns(struct unroll *unroll) {
  const struct ir_block *header = &unroll->ir->block[unroll->header];
  turn_phis(unroll, unroll->entry, true);
  for (uint32_t turn = 0; turn <= MOST_TURNS; turn++) {
    fold_block(unroll, unroll->header);
    const ir_ref condition = standing_for(unroll, header->condition);
    if (!ir_is_const(unroll->ir, condition))
      break;
    if (header->to[!unroll->ir->inst[condition].imm] != unroll->body)
      return turn;
    fold_block(unroll, unroll->body);
    turn_phis(unroll, unroll->body, true);
  }
  return MOST_TURNS + 1;
}

/* ---- copying ---------------------------------------------------------------------------------------- */

static ir_ref copy_of(struct unroll *unroll, ir_ref ref) {
  struct ir *ir = unroll->ir;
  const struct ir_inst inst = ir->inst[ref];
  ir_ref *operand = need(inst.count + 1, sizeof *operand);
  for (uint32_t i = 0; i < inst.count; i++)
    operand[i] = standing_for(unroll, ir->operand[inst.operands + i]);
  const ir_ref copy = ir_make(ir, inst.op, (enum ir_width)inst.width, operand, inst.count, inst.imm, inst.place);
  ir->inst[copy].guard = standing_for(unroll, inst.guard);
  ir->inst[copy].guard_not = inst.guard_not;
  ir->inst[copy].is_volatile = inst.is_volatile;
  ir->inst[copy].keep = standing_for(unroll, inst.keep);
  free(operand);
  return copy;
}

static void copy_block(struct unroll *unroll, const ir_ref *list, uint32_t count) {
  for (uint32_t k = 0; k < count; k++) {
    const ir_ref copy = copy_of(unroll, list[k]);
    unroll->now[list[k]] = copy;
    ir_append(unroll->ir, unroll->header, copy);
  }
}

static void copy_turns(struct unroll *unroll, uint32_t turns) {
  struct ir *ir = unroll->ir;
  struct ir_block *header = &ir->block[unroll->header];
  const uint32_t count = header->count;
  ir_ref *own = need(count + 1, sizeof *own);
  memcpy(own, header->inst, count * sizeof *own);
  uint32_t phis = 0;
  while (phis < count && ir->inst[own[phis]].op == IR_PHI)
    phis++;
  turn_phis(unroll, unroll->entry, false);
  header->count = phis; /* they are asked by turn_phis() */
  for (uint32_t turn = 0; turn < turns; turn++) {
    copy_block(unroll, own + phis, count - phis);
    copy_block(unroll, ir->block[unroll->body].inst, ir->block[unroll->body].count);
    turn_phis(unroll, unroll->body, false);
  }
  for (uint32_t k = 0; k < phis; k++) {
    unroll->with[own[k]] = unroll->now[own[k]];
    ir->inst[own[k]].block = IR_NOWHERE;
  }
  for (uint32_t k = phis; k < count; k++)
    ir_append(ir, unroll->header, own[k]);
  free(own);
}

/* Nothing stands for anything once a loop is done with. */
static void forget_all(struct unroll *unroll, uint32_t number) {
  const struct ir_block *block = &unroll->ir->block[number];
  for (uint32_t k = 0; k < block->count; k++)
    if (block->inst[k] < unroll->room)
      unroll->now[block->inst[k]] = 0;
}

static bool unroll_loop(struct unroll *unroll) {
  struct ir *ir = unroll->ir;
  const uint32_t header = unroll->header, body = unroll->body;
  const uint32_t turns = count_turns(unroll), size = ir->block[header].count + ir->block[body].count;
  const bool few = turns <= MOST_TURNS && turns <= ir->block[header].copies && turns * size <= MOST_COPIES;
  forget_all(unroll, header);
  forget_all(unroll, body);
  if (!few)
    return false;
  copy_turns(unroll, turns);
  forget_all(unroll, header);
  forget_all(unroll, body);
  const uint32_t after = ir->block[header].to[ir->block[header].to[0] == body];
  ir_goto(ir, header, after, ir->block[header].place);
  return true;
}

static void replace_phis(struct ir *ir, const struct unroll *unroll) {
  ir_ref *with = need(ir->count, sizeof *with);
  memcpy(with, unroll->with, unroll->room * sizeof *with);
  ir_replace(ir, with);
  free(with);
  ir_sweep(ir);
  ir_analyse(ir);
}

void pass_unroll(struct ir *ir) {
  ir_analyse(ir);
  struct unroll unroll = {.ir = ir,
                          .now = need(ir->count, sizeof(ir_ref)),
                          .next = need(ir->count, sizeof(ir_ref)),
                          .with = need(ir->count, sizeof(ir_ref)),
                          .room = ir->count};
  bool any = false;
  for (uint32_t i = ir->ordered; i--;)
    if (find_shape(&unroll, ir->order[i]))
      any |= unroll_loop(&unroll);
  if (any)
    replace_phis(ir, &unroll);
  free(unroll.now);
  free(unroll.next);
  free(unroll.with);
}
