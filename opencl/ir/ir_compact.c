/* Removes what passes leave behind: unused instructions and unreachable blocks. They are more than half of a large
 * kernel, and every pass pays for the memory between live ones. */
#include "opencl/ir/ir.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"

static bool is_somewhere(const struct ir_inst *inst) {
  return inst->op == IR_CONST || inst->op == IR_UNDEF || inst->block != IR_NOWHERE;
}

/* Returns the blocks' new numbers. */
static uint32_t *compact_blocks(struct ir *ir) {
  uint32_t *number = need(ir->blocks, sizeof *number), kept = 0;
  for (uint32_t i = 0; i < ir->blocks; i++) {
    struct ir_block *block = &ir->block[i];
    number[i] = kept;
    if (block->order != IR_NOWHERE) {
      ir->block[kept++] = *block;
      continue;
    }
    ir_free_lists(block);
  }
  ir->blocks = kept;
  return number;
}

/* Returns the instructions' new numbers, 0 for removed ones. Operands keep the old numbers for now. */
static ir_ref *compact_insts(struct ir *ir) {
  ir_ref *number = need(ir->count, sizeof *number);
  ir_ref kept = 1;
  for (ir_ref ref = 1; ref < ir->count; ref++)
    if (is_somewhere(&ir->inst[ref])) {
      ir->inst[kept] = ir->inst[ref];
      number[ref] = kept++;
    }
  ir->count = kept;
  return number;
}

static void renumber_insts(struct ir *ir, const ir_ref *inst, const uint32_t *block) {
  ir_ref *pool = need(ir->operand_room + 1, sizeof *pool);
  uint32_t used = 0;
  for (ir_ref ref = 1; ref < ir->count; ref++) {
    struct ir_inst *at = &ir->inst[ref];
    const ir_ref *operand = ir->operand + at->operands;
    at->operands = used;
    for (uint32_t i = 0; i < at->count; i++)
      pool[used++] = at->op == IR_PHI && i % 2 == 0 ? block[operand[i]] : inst[operand[i]];
    at->guard = inst[at->guard];
    at->keep = inst[at->keep];
    at->block = at->block == IR_NOWHERE ? IR_NOWHERE : block[at->block];
  }
  free(ir->operand);
  ir->operand = pool;
  ir->operand_count = used;
}

static void renumber_blocks(struct ir *ir, const ir_ref *inst, const uint32_t *block) {
  for (uint32_t i = 0; i < ir->blocks; i++) {
    struct ir_block *at = &ir->block[i];
    for (uint32_t k = 0; k < at->count; k++)
      at->inst[k] = inst[at->inst[k]];
    at->condition = inst[at->condition];
    const uint32_t ways = at->end == IR_END_IF ? 2 : at->end == IR_END_GOTO ? 1 : 0;
    for (uint32_t k = 0; k < 2; k++) /* an unused successor may name a removed block */
      at->to[k] = k < ways ? block[at->to[k]] : 0;
  }
  for (size_t i = 0; i < ir->shared.room; i++)
    if (ir->shared.slot[i].number)
      ir->shared.slot[i].number = inst[ir->shared.slot[i].number - 1] + 1;
}

/* Stores the lists one after another, so that a walk over all blocks is faster. */
static void gather_lists(struct ir *ir) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < ir->blocks; i++)
    count += ir->block[i].count;
  ir_ref *list = need(count + 1u, sizeof *list), *next = list;
  for (uint32_t i = 0; i < ir->ordered; i++) {
    struct ir_block *block = &ir->block[ir->order[i]];
    const uint32_t size = block->count;
    if (size)
      memcpy(next, block->inst, size * sizeof *next);
    if (block->own_inst)
      free(block->inst);
    block->inst = next;
    block->room = size;
    block->own_inst = false;
    next += size;
  }
  free(ir->list);
  ir->list = list;
}

void ir_compact(struct ir *ir) {
  ir_analyze(ir); /* finds what is reachable */
  uint32_t *block = compact_blocks(ir);
  ir_ref *inst = compact_insts(ir);
  renumber_insts(ir, inst, block);
  renumber_blocks(ir, inst, block);
  free(inst);
  free(block);
  ir->known_blocks = 0;
  ir_analyze(ir);
  gather_lists(ir);
}
