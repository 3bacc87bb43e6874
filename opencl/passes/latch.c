/* Loops compare their counter's next value:
 *
 *     n = i + c; if (i == k) ...   becomes   n = i + c; if (n == k + c) ...
 *
 * where n is the next value of the loop's phi i. Then i and n are never live at the same time and share a register;
 * otherwise each iteration ends with a copy and a branch around it. Simplification does the opposite, which is right
 * everywhere else, so this is the last pass. Only for equality, which is exact even if the sum wraps. */
#include "opencl/passes/identity.h"
#include "opencl/passes/passes.h"

#include <stdlib.h>

/* The phi's next value on a back edge, if it is the phi plus a constant and is available at the end of `block`. */
static ir_ref next_value(const struct ir *ir, ir_ref phi, uint32_t block) {
  const struct ir_inst *inst = &ir->inst[phi];
  for (uint32_t i = 1; inst->op == IR_PHI && i < inst->count; i += 2) {
    const ir_ref next = ir->operand[inst->operands + i];
    if (kind_of(ir->inst[next].op) == KIND_ADD && ir_operand(ir, next, 0) == phi &&
        ir_is_const(ir, ir_operand(ir, next, 1)) && ir_dominates(ir, ir->inst[next].block, block))
      return next;
  }
  return 0;
}

/* Moves an instruction to the end of its block: the sum may come after the comparison, which only the block's end uses.
 */
static void to_end(struct ir *ir, uint32_t number, ir_ref ref) {
  struct ir_block *block = &ir->block[number];
  uint32_t kept = 0;
  for (uint32_t k = 0; k < block->count; k++)
    if (block->inst[k] != ref)
      block->inst[kept++] = block->inst[k];
  block->inst[kept] = ref;
}

static void ask_about_next(struct ir *ir, uint32_t number, const uint32_t *uses) {
  const ir_ref question = ir->block[number].condition;
  const enum kind kind = question ? kind_of(ir->inst[question].op) : KIND_OTHER;
  if ((kind != KIND_EQ_U && kind != KIND_NE_U) || uses[question] != 1 || ir->inst[question].block != number)
    return;
  const ir_ref counter = ir_operand(ir, question, 0), with = ir_operand(ir, question, 1);
  const ir_ref next = next_value(ir, counter, number);
  if (!next || !ir_is_const(ir, with))
    return;
  const unsigned bits = kind_bits(ir->inst[question].op);
  const uint64_t step = ir->inst[ir_operand(ir, next, 1)].imm;
  const ir_ref sum = ir_const(ir, kind_width(bits), (ir->inst[with].imm + step) & kind_mask(bits));
  ir->operand[ir->inst[question].operands] = next;
  ir->operand[ir->inst[question].operands + 1] = sum;
  to_end(ir, number, question);
}

void pass_latch(struct ir *ir) {
  ir_analyze(ir);
  uint32_t *uses = count_uses(ir);
  for (uint32_t i = 0; i < ir->ordered; i++)
    if (ir->block[ir->order[i]].end == IR_END_IF)
      ask_about_next(ir, ir->order[i], uses);
  free(uses);
}
