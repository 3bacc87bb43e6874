#include "opencl/passes/uniform.h"

#include "isa/rows.h"
#include "opencl/passes/rewrite.h"
#include "sim/base/need.h"

/* Does the result depend on the operands only, not on the lane? */
static bool follows_operands(const struct ir_inst *inst) {
  if (inst->op >= ISA_OPS)
    return true;
  switch ((enum isa_format)isa_rows[inst->op].format) {
  case FORMAT_ALU:
  case FORMAT_LOGIC:
  case FORMAT_SHIFT:
  case FORMAT_LOAD_CONST:
    return true;
  default:
    return false;
  }
}

static bool is_same_for_all(const struct ir_inst *inst) {
  switch (inst->op) {
  case ISA_GET_GROUP_ID:
  case ISA_GET_LOCAL_SIZE:
  case ISA_GET_ENQUEUED_LOCAL_SIZE:
  case ISA_GET_GLOBAL_SIZE:
  case ISA_GET_NUM_GROUPS:
  case ISA_GET_GLOBAL_OFFSET:
  case ISA_GET_WORK_DIM:
  case ISA_GET_WARP:
  case ISA_GET_NUM_WARPS:
  case ISA_GET_WARP_SIZE:
  case ISA_GET_MAX_WARP_SIZE:
    return true;
  default:
    return inst->op < ISA_OPS &&
           (isa_rows[inst->op].format == FORMAT_LOAD_ARG || isa_rows[inst->op].format == FORMAT_VOTE ||
            isa_rows[inst->op].format == FORMAT_REDUCE);
  }
}

static bool stays_uniform(const struct ir *ir, const bool *uniform, ir_ref ref) {
  const struct ir_inst *inst = &ir->inst[ref];
  if (is_same_for_all(inst))
    return true;
  if (!follows_operands(inst))
    return false;
  for (uint32_t i = first_value(inst); i < inst->count; i += value_step(inst)) {
    const ir_ref operand = ir->operand[inst->operands + i];
    if (operand && !uniform[operand])
      return false;
  }
  return true;
}

/* Starts with all values uniform and removes those that are not, because a phi in a loop depends on itself. */
bool *uniform_values(const struct ir *ir) {
  bool *uniform = need(ir->count, sizeof *uniform);
  for (ir_ref ref = 0; ref < ir->count; ref++)
    uniform[ref] = true;
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = 0; i < ir->ordered; i++) {
      const struct ir_block *block = &ir->block[ir->order[i]];
      for (uint32_t k = 0; k < block->count; k++)
        if (uniform[block->inst[k]] && !stays_uniform(ir, uniform, block->inst[k])) {
          uniform[block->inst[k]] = false;
          changed = true;
        }
    }
  }
  return uniform;
}
