/* Finds private accesses at constant offsets, slots that must stay in memory, and the pieces of the other slots.
 *
 * An address is a slot plus constants. If it is used for anything but an unguarded, naturally aligned access inside its
 * slot, it *escapes* and the slot stays in memory: a computed index may reach any byte of it. */
#include "opencl/passes/promote.h"

#include <stdlib.h>

#include "sim/base/need.h"

enum {           /* struct pieces.touched */
       WORD = 1, /* whole, or as part of a 16-byte access */
       LOW = 2,  /* the low word of an 8-byte access */
       HIGH = 4,
       BYTE = 8,   /* << byte 0 to 3 */
       HALF = 128, /* << byte 0 or 2 */
};

static bool is_private(const struct ir *ir, ir_ref ref) { return ir_row(ir, ref)->space == ISA_SPACE_PRIVATE; }

static uint32_t access_bytes(const struct ir *ir, ir_ref ref) { return isa_types[isa_rows[ir->inst[ref].op].a].bytes; }

static void find_address(struct pieces *pieces, ir_ref ref) {
  const struct ir *ir = pieces->ir;
  const struct ir_inst *inst = &ir->inst[ref];
  if (inst->op == IR_SLOT) {
    pieces->slot[ref] = (uint32_t)inst->imm + 1;
    return;
  }
  if (inst->op != ISA_ADD_32)
    return;
  for (uint32_t side = 0; side < 2; side++) {
    const ir_ref base = ir_operand(ir, ref, side), plus = ir_operand(ir, ref, !side);
    if (!pieces->slot[base] || !ir_is_const(ir, plus))
      continue;
    pieces->slot[ref] = pieces->slot[base];
    pieces->offset[ref] = pieces->offset[base] + (uint32_t)ir->inst[plus].imm;
  }
}

/* May `user` have this address as its operand `position`? */
static bool harmless(const struct pieces *pieces, ir_ref user, uint32_t position, ir_ref address) {
  const struct ir_inst *inst = &pieces->ir->inst[user];
  if (pieces->slot[user])
    return true; /* itself an address */
  if (!is_private(pieces->ir, user) || position || inst->guard)
    return false;
  const uint32_t offset = pieces->offset[address] + (uint32_t)inst->imm, bytes = access_bytes(pieces->ir, user);
  const uint32_t room = pieces->ir->slot[pieces->slot[address] - 1].bytes;
  return offset <= room && bytes <= room - offset && !(offset & ((bytes < 4 ? bytes : 4) - 1));
}

static void find_escapes(struct pieces *pieces, ir_ref user) {
  const struct ir_inst *inst = &pieces->ir->inst[user];
  for (uint32_t i = first_value(inst); i < inst->count; i += value_step(inst)) {
    const ir_ref operand = pieces->ir->operand[inst->operands + i];
    if (pieces->slot[operand] && !harmless(pieces, user, i, operand))
      pieces->stays[pieces->slot[operand] - 1] = true;
  }
}

static void each_inst(struct pieces *pieces, void (*visit)(struct pieces *, ir_ref)) {
  const struct ir *ir = pieces->ir;
  for (uint32_t i = 0; i < ir->ordered; i++) {
    const struct ir_block *block = &ir->block[ir->order[i]];
    for (uint32_t k = 0; k < block->count; k++)
      visit(pieces, block->inst[k]);
  }
}

bool pieces_access(const struct pieces *pieces, ir_ref ref, struct piece_access *access) {
  const struct ir *ir = pieces->ir;
  if (ref >= pieces->refs || !is_private(ir, ref))
    return false;
  const ir_ref address = ir_operand(ir, ref, 0);
  if (!address || !pieces->slot[address] || pieces->stays[pieces->slot[address] - 1])
    return false;
  const uint32_t offset = pieces->offset[address] + (uint32_t)ir->inst[ref].imm;
  *access = (struct piece_access){.store = ir_row(ir, ref)->access == ISA_ACCESS_STORE,
                                  .word = pieces->first[pieces->slot[address] - 1] + offset / 4,
                                  .byte = offset % 4,
                                  .bytes = access_bytes(ir, ref)};
  return true;
}

static void touch(struct pieces *pieces, ir_ref ref) {
  struct piece_access access;
  if (!pieces_access(pieces, ref, &access))
    return;
  uint16_t *touched = pieces->touched + access.word;
  if (access.bytes == 1)
    *touched |= (uint16_t)(BYTE << access.byte);
  else if (access.bytes == 2)
    *touched |= (uint16_t)(HALF << access.byte);
  else if (access.bytes == 8) {
    touched[0] |= LOW;
    touched[1] |= HIGH;
  } else
    for (uint32_t i = 0; i < access.bytes / 4; i++)
      touched[i] |= WORD;
}

bool pieces_is_pair(const struct pieces *pieces, uint32_t word) {
  return pieces->touched[word] == LOW && pieces->touched[word + 1] == HIGH;
}

bool pieces_is_split(const struct pieces *pieces, uint32_t word) {
  const uint16_t touched = pieces->touched[word];
  const bool low = (touched & HALF) && (touched & (BYTE | BYTE << 1));
  const bool high = (touched & HALF << 2) && (touched & (BYTE << 2 | BYTE << 3));
  return !(touched & (WORD | LOW | HIGH)) && !low && !high;
}

uint32_t pieces_number(const struct pieces *pieces, uint32_t word, const struct piece_access *access) {
  return 4 * word + (pieces_is_split(pieces, word) ? access->byte : 0);
}

void pieces_find(struct pieces *pieces, const struct ir *ir) {
  *pieces = (struct pieces){.ir = ir,
                            .slot = need(ir->count, sizeof(uint32_t)),
                            .offset = need(ir->count, sizeof(uint32_t)),
                            .refs = ir->count,
                            .stays = need(ir->slots + 1, sizeof(bool)),
                            .first = need(ir->slots + 1, sizeof(uint32_t))};
  each_inst(pieces, find_address);
  each_inst(pieces, find_escapes);
  for (uint32_t i = 0; i < ir->slots; i++) {
    pieces->first[i] = pieces->words;
    pieces->words += pieces->stays[i] ? 0 : (ir->slot[i].bytes + 3) / 4;
  }
  pieces->touched = need(pieces->words + 1, sizeof *pieces->touched);
  each_inst(pieces, touch);
}

void pieces_free(struct pieces *pieces) {
  free(pieces->slot);
  free(pieces->offset);
  free(pieces->stays);
  free(pieces->first);
  free(pieces->touched);
}
