/* Walks backward from whatever has effects until nothing changes: an instruction demands of its operands the bits that
 * its own demanded bits depend on. An instruction without demanded bits passes nothing on. */
#include "opencl/passes/demand.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"

static uint64_t up_to_highest(uint64_t bits) { return bits ? UINT64_MAX >> __builtin_clzll(bits) : 0; }

static bool constant_operand(const struct ir *ir, ir_ref ref, uint32_t position, uint64_t *value) {
  const ir_ref operand = ir_operand(ir, ref, position);
  *value = ir_is_const(ir, operand) ? ir->inst[operand].imm : 0;
  return ir_is_const(ir, operand);
}

static uint64_t of_shift(enum kind kind, uint64_t wanted, unsigned by, unsigned bits) {
  if (kind == KIND_SHL)
    return wanted >> by;
  const uint64_t low = wanted << by & kind_mask(bits);
  const bool sign = kind == KIND_SHR_S && by && wanted >> (bits - by);
  return low | (sign ? UINT64_C(1) << (bits - 1) : 0);
}

/* The demanded bits of operand `position`, for an operation of kinds.def. */
static uint64_t of_kind(const struct ir *ir, ir_ref ref, uint32_t position, uint64_t wanted) {
  const enum kind kind = kind_of(ir->inst[ref].op);
  const unsigned bits = kind_bits(ir->inst[ref].op);
  uint64_t other;
  const bool known = constant_operand(ir, ref, 1, &other);
  switch (kind) {
  case KIND_ADD:
  case KIND_SUB:
  case KIND_MUL:
  case KIND_MAD:
  case KIND_NEG:
    return up_to_highest(wanted);
  case KIND_AND:
    return known ? wanted & other : wanted;
  case KIND_OR:
    return known ? wanted & ~other : wanted;
  case KIND_MOV:
  case KIND_XOR:
  case KIND_NOT:
    return wanted;
  case KIND_SEL:
    return position == 2 ? 1 : wanted;
  case KIND_SHL:
  case KIND_SHR_U:
  case KIND_SHR_S:
    if (position == 0 && known)
      return of_shift(kind, wanted, (unsigned)(other & (bits - 1)), bits);
    return position == 0 ? UINT64_MAX : bits - 1;
  case KIND_ROTL:
  case KIND_ROTR:
    return position == 0 ? UINT64_MAX : bits - 1;
  default:
    return UINT64_MAX;
  }
}

static uint64_t of_extension(uint64_t wanted, unsigned bits) {
  const uint64_t mask = kind_mask(bits);
  return (wanted & mask) | (wanted & ~mask ? UINT64_C(1) << (bits - 1) : 0);
}

static bool is_store(const struct isa_row *row, uint32_t position, unsigned bytes) {
  return row->access == ISA_ACCESS_STORE && position == 2 && isa_types[row->a].bytes == bytes;
}

static uint64_t of_operand(const struct ir *ir, ir_ref ref, uint32_t position, uint64_t wanted) {
  const struct ir_inst *inst = &ir->inst[ref];
  switch (inst->op) {
  case IR_PHI:
  case IR_COPY:
    return wanted;
  case IR_WORD:
    return ir->inst[ir_operand(ir, ref, 0)].width == IR_W2 ? wanted << 32 * inst->imm : UINT64_MAX;
  case IR_JOIN:
    return inst->width == IR_W2 ? wanted >> 32 * position & UINT32_MAX : UINT32_MAX;
  case ISA_CVT_U64_U32:
    return wanted & UINT32_MAX;
  case ISA_CVT_S64_S32:
    return of_extension(wanted, 32);
  case ISA_EXT_U8:
    return wanted & UINT8_MAX;
  case ISA_EXT_U16:
    return wanted & UINT16_MAX;
  case ISA_EXT_S8:
    return of_extension(wanted, 8);
  case ISA_EXT_S16:
    return of_extension(wanted, 16);
  default:
    break;
  }
  if (kind_of(inst->op) != KIND_OTHER)
    return of_kind(ir, ref, position, wanted);
  if (inst->op < ISA_OPS && is_store(&isa_rows[inst->op], position, 1))
    return UINT8_MAX;
  if (inst->op < ISA_OPS && is_store(&isa_rows[inst->op], position, 2))
    return UINT16_MAX;
  return UINT64_MAX;
}

/* The bits demanded so far, and whether the instruction has passed them on to its operands. */
struct asking {
  const struct ir *ir;
  uint64_t *of;
  bool *extended, *told;
};

static bool ask(const struct asking *asking, ir_ref ref, uint64_t bits) {
  const uint64_t old = asking->of[ref];
  asking->of[ref] |= asking->ir->inst[ref].width == IR_W1 ? bits & UINT32_MAX : bits;
  if (asking->of[ref] == old)
    return false;
  asking->told[ref] = false;
  return true;
}

static bool pass_on(const struct asking *asking, ir_ref ref) {
  const struct ir *ir = asking->ir;
  const struct ir_inst *inst = &ir->inst[ref];
  const uint64_t wanted = ir_is_kept(ir, ref) ? UINT64_MAX : asking->of[ref];
  bool changed = false;
  asking->told[ref] = true;
  if (!wanted)
    return false;
  for (uint32_t i = first_value(inst); i < inst->count; i += value_step(inst)) {
    const ir_ref operand = ir->operand[inst->operands + i];
    changed |= ask(asking, operand, of_operand(ir, ref, i, wanted));
    asking->extended[operand] |= inst->op == ISA_EXT_S8 || inst->op == ISA_EXT_S16;
  }
  changed |= ask(asking, inst->guard, 1);
  return changed | ask(asking, inst->keep, wanted);
}

static bool each(const struct asking *asking) {
  const struct ir *ir = asking->ir;
  bool changed = false;
  for (uint32_t i = ir->ordered; i--;) {
    const struct ir_block *block = &ir->block[ir->order[i]];
    changed |= ask(asking, block->condition, 1);
    for (uint32_t k = block->count; k--;)
      if (!asking->told[block->inst[k]])
        changed |= pass_on(asking, block->inst[k]);
  }
  return changed;
}

void demands_find(struct demands *demands, const struct ir *ir) {
  *demands = (struct demands){need(ir->count, sizeof(uint64_t)), need(ir->count, sizeof(bool)), ir->count};
  const struct asking asking = {ir, demands->of, demands->extended, need(ir->count, sizeof(bool))};
  while (each(&asking))
    ; /* about one extra round per level of loop nesting */
  free(asking.told);
}

void demands_free(struct demands *demands) {
  free(demands->of);
  free(demands->extended);
}
