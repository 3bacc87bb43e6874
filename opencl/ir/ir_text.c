/* The IR as text, one instruction a line, for people and tests:
 *
 *     block 2 from 0 2:
 *       v9 = phi 0:v3 2:v11
 *       v10 = ld.lds.b32 v9 +16
 *       if v12 2 else 3 */
#include <inttypes.h>
#include <stdlib.h>

#include "opencl/ir/ir.h"
#include "sim/base/text.h"

static const char *const own_names[IR_OPS - ISA_OPS] = {
    [IR_CONST - ISA_OPS] = "const", [IR_UNDEF - ISA_OPS] = "undef", [IR_PHI - ISA_OPS] = "phi",
    [IR_WORD - ISA_OPS] = "word",   [IR_JOIN - ISA_OPS] = "join",   [IR_SLOT - ISA_OPS] = "slot",
    [IR_COPY - ISA_OPS] = "copy",
};

static void print_value(struct text *out, const struct ir *ir, ir_ref ref) {
  const struct ir_inst *inst = &ir->inst[ref];
  if (!ref)
    text_print(out, " _");
  else if (inst->op == IR_CONST)
    text_print(out, inst->imm > 0xffff ? " 0x%" PRIx64 : " %" PRIu64, inst->imm);
  else if (inst->op == IR_UNDEF)
    text_print(out, " undef");
  else
    text_print(out, " v%u", ref);
}

static void print_operands(struct text *out, const struct ir *ir, const struct ir_inst *inst) {
  const ir_ref *operand = ir->operand + inst->operands;
  if (inst->op == IR_PHI)
    for (uint32_t i = 0; i < inst->count; i += 2) {
      text_print(out, " %u:", operand[i]);
      print_value(out, ir, operand[i + 1]);
    }
  else
    for (uint32_t i = 0; i < inst->count; i++)
      print_value(out, ir, operand[i]);
}

static void print_inst(struct text *out, const struct ir *ir, ir_ref ref) {
  const struct ir_inst *inst = &ir->inst[ref];
  text_print(out, "  ");
  if (inst->guard)
    text_print(out, "@%sv%u ", inst->guard_not ? "!" : "", inst->guard);
  if (inst->width != IR_NOTHING)
    text_print(out, "v%u = ", ref);
  text_print(out, "%s", inst->op < ISA_OPS ? isa_op_name(inst->op) : own_names[inst->op - ISA_OPS]);
  print_operands(out, ir, inst);
  if (inst->imm)
    text_print(out, " +%" PRIu64, inst->imm);
  if (inst->keep) {
    text_print(out, " keep");
    print_value(out, ir, inst->keep);
  }
  text_print(out, "\n");
}

static void print_end(struct text *out, const struct ir *ir, const struct ir_block *block) {
  if (block->end == IR_END_GOTO)
    text_print(out, "  goto %u\n", block->to[0]);
  else if (block->end == IR_END_IF) {
    text_print(out, "  if");
    print_value(out, ir, block->condition);
    text_print(out, " %u else %u\n", block->to[0], block->to[1]);
  } else
    text_print(out, "%s", block->end == IR_END_EXIT ? "  exit\n" : "  open\n");
}

char *ir_text(const struct ir *ir) {
  struct text out = {0};
  text_print(&out, "kernel %s\n", ir->name);
  for (uint32_t i = 0; i < ir->blocks; i++) {
    const struct ir_block *block = &ir->block[i];
    if (!block->count && block->end == IR_END_EXIT && block->order == IR_NOWHERE && i)
      continue; /* unreachable */
    text_print(&out, "block %u:\n", i);
    for (uint32_t k = 0; k < block->count; k++)
      print_inst(&out, ir, block->inst[k]);
    print_end(&out, ir, block);
  }
  return out.data;
}
