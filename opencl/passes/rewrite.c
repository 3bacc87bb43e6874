/* The walk over all instructions that passes share, and queries about the form. */
#include "opencl/passes/rewrite.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"
#include "sim/base/vector.h"

ir_ref rewrite_find(struct rewrite *rewrite, ir_ref ref) {
  while (ref < rewrite->with_room && rewrite->with[ref]) {
    const ir_ref next = rewrite->with[ref];
    if (next < rewrite->with_room && rewrite->with[next])
      rewrite->with[ref] = rewrite->with[next]; /* halves the chain for the next lookup */
    ref = next;
  }
  return ref;
}

static void replace(struct rewrite *rewrite, ir_ref old, ir_ref new) {
  const size_t room = rewrite->with_room;
  rewrite->with = vector_room(rewrite->with, &rewrite->with_room, rewrite->ir->count, sizeof *rewrite->with);
  if (rewrite->with_room > room)
    memset(rewrite->with + room, 0, (rewrite->with_room - room) * sizeof *rewrite->with);
  rewrite->with[old] = new;
  rewrite->changed = true;
}

static void place_inst(struct rewrite *rewrite, ir_ref ref) {
  *vector_next(rewrite->list, rewrite->count, rewrite->room) = ref;
  rewrite->ir->inst[ref].block = rewrite->block;
}

ir_ref rewrite_make(struct rewrite *rewrite, uint16_t op, enum ir_width width, const ir_ref *operand, uint32_t count,
                    uint64_t imm) {
  const ir_ref ref = ir_make(rewrite->ir, op, width, operand, count, imm, rewrite->place);
  const ir_ref result = rewrite->rule(rewrite, ref);
  if (result == ref)
    place_inst(rewrite, ref);
  rewrite->changed = true;
  return result;
}

ir_ref rewrite_put(struct rewrite *rewrite, uint16_t op, ir_ref a, ir_ref b, ir_ref c) {
  const ir_ref operand[] = {a, b, c};
  return rewrite_make(rewrite, op, ir_width_of((enum isa_op)op), operand, c ? 3 : b ? 2 : 1, 0);
}

ir_ref rewrite_word(struct rewrite *rewrite, ir_ref pair, unsigned word) {
  return rewrite_make(rewrite, IR_WORD, IR_W1, &pair, 1, word);
}

ir_ref rewrite_as(struct rewrite *rewrite, ir_ref ref, uint16_t op, ir_ref a, ir_ref b, ir_ref c) {
  struct ir_inst *inst = &rewrite->ir->inst[ref];
  const ir_ref operand[] = {a, b, c};
  inst->op = op;
  inst->no_wrap = 0;
  inst->count = c ? 3 : b ? 2 : 1;
  memcpy(rewrite->ir->operand + inst->operands, operand, inst->count * sizeof *operand);
  rewrite->changed = true;
  return ref;
}

static void find_operands(struct rewrite *rewrite, ir_ref ref) {
  struct ir_inst *inst = &rewrite->ir->inst[ref];
  for (uint32_t i = first_value(inst); i < inst->count; i += value_step(inst)) {
    ir_ref *operand = &rewrite->ir->operand[inst->operands + i];
    *operand = rewrite_find(rewrite, *operand);
  }
  inst->guard = rewrite_find(rewrite, inst->guard);
  inst->keep = rewrite_find(rewrite, inst->keep);
}

static bool are_phis_first(const struct rewrite *rewrite) {
  uint32_t i = 0;
  while (i < rewrite->count && rewrite->ir->inst[rewrite->list[i]].op == IR_PHI)
    i++;
  while (i < rewrite->count && rewrite->ir->inst[rewrite->list[i]].op != IR_PHI)
    i++;
  return i == rewrite->count;
}

/* Phis stay first. An instruction that replaces a phi may come after other phis. */
static void phis_first(struct rewrite *rewrite) {
  const struct ir *ir = rewrite->ir;
  if (are_phis_first(rewrite))
    return;
  ir_ref *sorted = need(rewrite->count, sizeof *sorted);
  uint32_t count = 0;
  for (int phis = 1; phis >= 0; phis--)
    for (uint32_t i = 0; i < rewrite->count; i++)
      if ((ir->inst[rewrite->list[i]].op == IR_PHI) == phis)
        sorted[count++] = rewrite->list[i];
  memcpy(rewrite->list, sorted, count * sizeof *sorted);
  free(sorted);
}

static void rewrite_block(struct rewrite *rewrite, uint32_t number) {
  struct ir *ir = rewrite->ir;
  rewrite->block = number;
  rewrite->count = 0;
  if (rewrite->enter)
    rewrite->enter(rewrite, number);
  for (uint32_t i = 0; i < ir->block[number].count; i++) {
    const ir_ref ref = ir->block[number].inst[i];
    if (ir->inst[ref].block != number)
      continue;
    find_operands(rewrite, ref);
    rewrite->place = ir->inst[ref].place;
    const ir_ref result = rewrite->rule(rewrite, ref);
    if (result == ref) {
      place_inst(rewrite, ref);
      continue;
    }
    replace(rewrite, ref, result);
    ir->inst[ref].block = IR_NOWHERE;
  }
  phis_first(rewrite);
  ir_make_room(ir, number, rewrite->count);
  struct ir_block *block = &ir->block[number];
  block->condition = rewrite_find(rewrite, block->condition);
  if (rewrite->count)
    memcpy(block->inst, rewrite->list, rewrite->count * sizeof *block->inst);
  block->count = rewrite->count;
}

/* Blocks in pre-order of the dominator tree. */
static uint32_t *tree_order(const struct ir *ir) {
  uint32_t *order = need(ir->blocks, sizeof *order);
  for (uint32_t i = 0; i < ir->ordered; i++)
    order[ir->block[ir->order[i]].enter] = ir->order[i];
  return order;
}

bool rewrite_run(struct rewrite *rewrite, struct ir *ir) {
  uint32_t *order = tree_order(ir);
  const uint32_t ordered = ir->ordered;
  rewrite->ir = ir;
  for (uint32_t i = 0; i < ordered; i++)
    rewrite_block(rewrite, order[i]);
  free(order);
  for (uint32_t i = 0; rewrite->with && i < ir->blocks; i++) { /* on back edges, phis still name replaced values */
    const struct ir_block *block = &ir->block[i];
    for (uint32_t k = 0; k < block->count && ir->inst[block->inst[k]].op == IR_PHI; k++)
      find_operands(rewrite, block->inst[k]);
  }
  free(rewrite->with);
  free(rewrite->list);
  ir->simple = ir->simple && !rewrite->changed;
  return rewrite->changed;
}

/* ---- queries ------------------------------------------------------------------------------------ */

uint32_t *count_uses(const struct ir *ir) {
  uint32_t *uses = need(ir->count, sizeof *uses);
  for (uint32_t i = 0; i < ir->blocks; i++) {
    const struct ir_block *block = &ir->block[i];
    for (uint32_t k = 0; k < block->count; k++) {
      const struct ir_inst *inst = &ir->inst[block->inst[k]];
      for (uint32_t o = first_value(inst); o < inst->count; o += value_step(inst))
        uses[ir->operand[inst->operands + o]]++;
      uses[inst->guard]++;
      uses[inst->keep]++;
    }
    uses[block->condition]++;
  }
  return uses;
}

bool may_speculate(const struct ir *ir, ir_ref ref) {
  return ir_is_pure(ir, ref) && ir_row(ir, ref)->space != ISA_SPACE_CONSTANT;
}

bool is_plain_load(const struct ir *ir, ir_ref ref) {
  const struct ir_inst *inst = &ir->inst[ref];
  const struct isa_row *row = ir_row(ir, ref);
  return row->access == ISA_ACCESS_LOAD && row->space != ISA_SPACE_ARG && row->space != ISA_SPACE_CONSTANT &&
         !inst->guard && !inst->is_volatile;
}

bool may_change(const struct ir *ir, ir_ref ref, ir_ref load) {
  const struct isa_row *row = ir_row(ir, ref);
  return row->access == ISA_ACCESS_STORE ? row->space == ir_row(ir, load)->space : !ir_is_removable(ir, ref);
}

uint32_t cost_of(const struct ir *ir, ir_ref ref) {
  const struct ir_inst *inst = &ir->inst[ref];
  if (inst->op >= ISA_OPS)
    return inst->op == IR_JOIN ? 1 : 0;
  switch ((enum isa_class)isa_rows[inst->op].class_) {
  case ISA_CLASS_INT:
  case ISA_CLASS_ADD:
  case ISA_CLASS_COUNT:
  case ISA_CLASS_MUL:
  case ISA_CLASS_HALF:
  case ISA_CLASS_FLOAT:
  case ISA_CLASS_CONVERT:
  case ISA_CLASS_CONSTANT:
    return 1;
  case ISA_CLASS_LONG:
    return 2;
  default:
    return 16;
  }
}

/* ---- what is known of a value ------------------------------------------------------------------------- */

static unsigned least(unsigned a, unsigned b) { return a < b ? a : b; }

static unsigned zero_bits_within(const struct ir *ir, ir_ref ref, unsigned deep) {
  enum { ALL = 64, MOST_DEEP = 16 };
  const struct ir_inst *inst = &ir->inst[ref];
  const ir_ref a = ir_operand(ir, ref, 0), b = ir_operand(ir, ref, 1), c = ir_operand(ir, ref, 2);
  if (!ref)
    return ALL;
  if (inst->op == IR_CONST)
    return inst->imm ? (unsigned)__builtin_ctzll(inst->imm) : ALL;
  if (deep == MOST_DEEP)
    return 0;
  switch (inst->op) {
  case ISA_CVT_U64_U32:
  case ISA_CVT_S64_S32:
    return zero_bits_within(ir, a, deep + 1);
  case ISA_MULW_S32:
  case ISA_MULW_U32:
    return least(ALL, zero_bits_within(ir, a, deep + 1) + zero_bits_within(ir, b, deep + 1));
  case ISA_MADW_S32:
  case ISA_MADW_U32:
    return least(zero_bits_within(ir, a, deep + 1) + zero_bits_within(ir, b, deep + 1),
                 zero_bits_within(ir, c, deep + 1));
  default:
    break;
  }
  switch (kind_of(inst->op)) {
  case KIND_ADD:
  case KIND_SUB:
  case KIND_OR:
    return least(zero_bits_within(ir, a, deep + 1), zero_bits_within(ir, b, deep + 1));
  case KIND_AND: {
    const unsigned one = zero_bits_within(ir, a, deep + 1), two = zero_bits_within(ir, b, deep + 1);
    return one > two ? one : two;
  }
  case KIND_MUL:
    return least(ALL, zero_bits_within(ir, a, deep + 1) + zero_bits_within(ir, b, deep + 1));
  case KIND_MAD:
    return least(zero_bits_within(ir, a, deep + 1) + zero_bits_within(ir, b, deep + 1),
                 zero_bits_within(ir, c, deep + 1));
  case KIND_SHL:
    return ir_is_const(ir, b) ? least(ALL, zero_bits_within(ir, a, deep + 1) +
                                               (unsigned)(ir->inst[b].imm & (inst->width == IR_W2 ? 63 : 31)))
                              : 0;
  default:
    return 0;
  }
}

unsigned zero_bits(const struct ir *ir, ir_ref ref) { return zero_bits_within(ir, ref, 0); }

/* ---- unused values ----------------------------------------------------------------------------------- */

/* Walks backward over all instructions. Uses come after their value, so all uses of a value are visited before it. The
 * exception is a value that a phi takes from a back edge: it has been passed already, so it and its operands go through
 * the stack. */
struct marks {
  const struct ir *ir;
  bool *used, *passed;
  ir_ref *stack;
  uint32_t depth;
};

static void mark(struct marks *marks, ir_ref ref) {
  if (marks->used[ref])
    return;
  marks->used[ref] = true;
  if (marks->passed[ref])
    marks->stack[marks->depth++] = ref;
}

static void mark_operands(struct marks *marks, ir_ref ref) {
  const struct ir_inst *inst = &marks->ir->inst[ref];
  for (uint32_t i = first_value(inst); i < inst->count; i += value_step(inst))
    mark(marks, marks->ir->operand[inst->operands + i]);
  mark(marks, inst->guard);
  mark(marks, inst->keep);
}

static void mark_block(struct marks *marks, const struct ir_block *block) {
  mark(marks, block->condition);
  for (uint32_t k = block->count; k--;) {
    const ir_ref ref = block->inst[k];
    marks->passed[ref] = true;
    if (!marks->used[ref] && !ir_is_kept(marks->ir, ref))
      continue;
    marks->used[ref] = true;
    mark_operands(marks, ref);
    while (marks->depth)
      mark_operands(marks, marks->stack[--marks->depth]);
  }
}

static bool drop_unused(struct ir *ir, const bool *used) {
  bool any = false;
  for (uint32_t i = 0; i < ir->ordered; i++) {
    struct ir_block *block = &ir->block[ir->order[i]];
    uint32_t kept = 0;
    for (uint32_t k = 0; k < block->count; k++)
      if (used[block->inst[k]])
        block->inst[kept++] = block->inst[k];
      else
        ir->inst[block->inst[k]].block = IR_NOWHERE;
    any |= kept < block->count;
    block->count = kept;
  }
  return any;
}

bool remove_unused(struct ir *ir) {
  bool *flags = need(2 * (size_t)ir->count, sizeof *flags);
  struct marks marks = {ir, flags, flags + ir->count, need(ir->count, sizeof(ir_ref)), 0};
  marks.used[0] = true;
  for (uint32_t i = ir->ordered; i--;)
    mark_block(&marks, &ir->block[ir->order[i]]);
  const bool any = drop_unused(ir, marks.used);
  ir->simple = ir->simple && !any;
  free(flags);
  free(marks.stack);
  return any;
}

/* ---- the graph ------------------------------------------------------------------------------------ */

/* The phi's operand pair for predecessor `from`: the block and the value. */
static ir_ref *pair_of(const struct ir *ir, ir_ref phi, uint32_t from) {
  const struct ir_inst *inst = &ir->inst[phi];
  uint32_t at = inst->operands;
  for (; ir->operand[at] != from; at += 2)
    assert(at + 2 < inst->operands + inst->count && "a phi has a pair for each block that leads to its own");
  return ir->operand + at;
}

ir_ref phi_value(const struct ir *ir, ir_ref phi, uint32_t from) { return pair_of(ir, phi, from)[1]; }

void phi_set(struct ir *ir, ir_ref phi, uint32_t from, ir_ref value) { pair_of(ir, phi, from)[1] = value; }

void phis_rename(struct ir *ir, uint32_t block, uint32_t old, uint32_t from) {
  const struct ir_block *in = &ir->block[block];
  for (uint32_t k = 0; k < in->count && ir->inst[in->inst[k]].op == IR_PHI; k++)
    pair_of(ir, in->inst[k], old)[0] = from;
}

void phis_drop(struct ir *ir, uint32_t block, uint32_t from) {
  const struct ir_block *in = &ir->block[block];
  for (uint32_t k = 0; k < in->count && ir->inst[in->inst[k]].op == IR_PHI; k++) {
    struct ir_inst *inst = &ir->inst[in->inst[k]];
    ir_ref *pair = ir->operand + inst->operands;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < inst->count; i += 2)
      if (pair[i] != from) {
        pair[kept] = pair[i];
        pair[kept + 1] = pair[i + 1];
        kept += 2;
      }
    inst->count = kept;
  }
}

void append_all(struct ir *ir, uint32_t to, uint32_t from) {
  for (uint32_t k = 0; k < ir->block[from].count; k++)
    ir_append(ir, to, ir->block[from].inst[k]);
  ir->block[from].count = 0;
}

void prepend(struct ir *ir, uint32_t block, const ir_ref *phi, uint32_t count) {
  struct ir_block *in = &ir->block[block];
  ir_make_room(ir, block, in->count + count);
  memmove(in->inst + count, in->inst, in->count * sizeof *in->inst);
  memcpy(in->inst, phi, count * sizeof *phi);
  in->count += count;
  for (uint32_t i = 0; i < count; i++)
    ir->inst[phi[i]].block = block;
}
