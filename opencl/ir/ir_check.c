/* Checks the IR against its own rules. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opencl/ir/ir.h"
#include "sim/base/need.h"

struct checker {
  struct ir *ir;
  uint32_t *position; /* of an instruction in its block */
  ir_ref *mark;       /* for a predecessor: the phi being checked, until it names that predecessor */
  char text[IR_FAULT];
  bool failed;
};

__attribute__((format(printf, 2, 3))) static void fault(struct checker *check, const char *format, ...) {
  va_list arguments;
  if (check->failed)
    return;
  check->failed = true;
  va_start(arguments, format);
  vsnprintf(check->text, sizeof check->text, format, arguments);
  va_end(arguments);
}

/* Constants and undef are available everywhere; other definitions must come before the use. */
static void check_use(struct checker *check, ir_ref user, ir_ref used, uint32_t block, uint32_t at) {
  const struct ir *ir = check->ir;
  if (used >= ir->count) {
    fault(check, "v%u names v%u, and there are %u", user, used, ir->count);
    return;
  }
  const struct ir_inst *inst = &ir->inst[used];
  if (inst->op == IR_CONST || inst->op == IR_UNDEF)
    return;
  if (inst->width == IR_NOTHING)
    fault(check, "v%u uses v%u, which has no result", user, used);
  else if (inst->block == IR_NOWHERE)
    fault(check, "v%u uses v%u, which is nowhere", user, used);
  else if (inst->block == block ? check->position[used] >= at : !ir_dominates(ir, inst->block, block))
    fault(check, "v%u, in block %u, uses v%u, of block %u, which does not come before", user, block, used, inst->block);
}

static enum ir_width width_of(enum isa_type type) {
  const unsigned registers = isa_types[type].registers;
  return type == TYPE_NONE   ? IR_NOTHING
         : type == TYPE_PRED ? IR_PRED
         : registers == 1    ? IR_W1
         : registers == 2    ? IR_W2
                             : IR_W4;
}

/* Operands of ISA operations follow their row; those of enum ir_op follow their meaning. */
static enum ir_width wanted(const struct ir_inst *inst, uint32_t position) {
  switch (inst->op) {
  case IR_JOIN:
    return IR_W1;
  case IR_COPY:
    return (enum ir_width)inst->width;
  case IR_WORD:
    return IR_NOTHING; /* a pair or a quad */
  default:
    return inst->op < ISA_OPS ? width_of(ir_operand_type((enum isa_op)inst->op, position)) : IR_NOTHING;
  }
}

static void check_operands(struct checker *check, ir_ref ref, uint32_t block, uint32_t at) {
  const struct ir *ir = check->ir;
  const struct ir_inst *inst = &ir->inst[ref];
  for (uint32_t i = 0; i < inst->count; i++) {
    const ir_ref used = ir->operand[inst->operands + i];
    if (!used)
      continue;
    check_use(check, ref, used, block, at);
    if (check->failed)
      return;
    const enum ir_width want = wanted(inst, i), is = (enum ir_width)ir->inst[used].width;
    if (inst->op == IR_WORD ? is != IR_W2 && is != IR_W4 : is != want)
      fault(check, "v%u: operand %u, v%u, has width %u, not %u", ref, i, used, is, want);
  }
}

static void check_phi(struct checker *check, ir_ref ref, uint32_t block) {
  const struct ir *ir = check->ir;
  const struct ir_inst *phi = &ir->inst[ref];
  const ir_ref *pair = ir->operand + phi->operands;
  if (phi->count != 2 * ir->block[block].from_count)
    fault(check, "v%u has %u operands, and block %u %u predecessors", ref, phi->count / 2, block,
          ir->block[block].from_count);
  for (uint32_t k = 0; k < ir->block[block].from_count; k++)
    check->mark[ir->block[block].from[k]] = ref;
  for (uint32_t i = 0; i < phi->count && !check->failed; i += 2) {
    const bool found = pair[i] < ir->blocks && check->mark[pair[i]] == ref;
    if (found)
      check->mark[pair[i]] = 0;
    if (!found || !pair[i + 1])
      fault(check, "v%u: block %u is no predecessor of block %u, or twice, or brings nothing", ref, pair[i], block);
    else
      check_use(check, ref, pair[i + 1], pair[i], UINT32_MAX);
    if (!check->failed && ir->inst[pair[i + 1]].width != phi->width)
      fault(check, "v%u: v%u has another width", ref, pair[i + 1]);
  }
}

static void check_inst(struct checker *check, ir_ref ref, uint32_t block, uint32_t at, bool *phis) {
  const struct ir *ir = check->ir;
  const struct ir_inst *inst = &ir->inst[ref];
  *phis &= inst->op == IR_PHI;
  if (inst->op == IR_PHI) {
    if (!*phis)
      fault(check, "v%u is a phi behind others", ref);
    check_phi(check, ref, block);
    return;
  }
  if (inst->op < ISA_OPS && inst->width != ir_width_of((enum isa_op)inst->op))
    fault(check, "v%u has width %u, not its row's", ref, inst->width);
  if (inst->op == IR_JOIN && inst->count != (inst->width == IR_W2 ? 2u : 4u))
    fault(check, "v%u joins %u words", ref, inst->count);
  check_operands(check, ref, block, at);
  if (inst->guard)
    check_use(check, ref, inst->guard, block, at);
  if (inst->keep)
    check_use(check, ref, inst->keep, block, at);
}

static void check_block(struct checker *check, uint32_t number) {
  const struct ir *ir = check->ir;
  const struct ir_block *block = &ir->block[number];
  bool phis = true;
  for (uint32_t k = 0; k < block->count && !check->failed; k++) {
    if (ir->inst[block->inst[k]].block != number)
      fault(check, "v%u stands in block %u and believes to be in %u", block->inst[k], number,
            ir->inst[block->inst[k]].block);
    check_inst(check, block->inst[k], number, k, &phis);
  }
  if (block->end == IR_END_OPEN)
    fault(check, "block %u has no end", number);
  if (block->end == IR_END_IF && !check->failed) {
    check_use(check, 0, block->condition, number, UINT32_MAX);
    if (ir->inst[block->condition].width != IR_PRED)
      fault(check, "block %u asks v%u, which is no predicate", number, block->condition);
    if (block->to[0] == block->to[1])
      fault(check, "block %u goes to block %u either way", number, block->to[0]);
  }
}

const char *ir_fault(struct ir *ir, char text[IR_FAULT]) {
  struct checker check = {.ir = ir};
  ir->known_blocks = 0; /* forces a fresh analysis: the check trusts nothing */
  ir_analyze(ir);
  if (ir->block[0].from_count)
    fault(&check, "the entry has predecessors");
  check.position = need(ir->count, sizeof *check.position);
  check.mark = need(ir->blocks, sizeof *check.mark);
  for (uint32_t i = 0; i < ir->ordered; i++) {
    const struct ir_block *block = &ir->block[ir->order[i]];
    for (uint32_t k = 0; k < block->count; k++)
      check.position[block->inst[k]] = k;
  }
  for (uint32_t i = 0; i < ir->ordered && !check.failed; i++)
    check_block(&check, ir->order[i]);
  free(check.position);
  free(check.mark);
  memcpy(text, check.text, IR_FAULT);
  return check.failed ? text : NULL;
}
