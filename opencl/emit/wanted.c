/* Finds which values are wanted: everything with an effect and its operands, after the folding that select.c does, so a
 * complement that is only used as a guard is not computed. */
#include "opencl/emit/select.h"
#include "sim/base/need.h"

#include <assert.h>
#include <stdlib.h>

ir_ref select_plain(const struct ir *ir, ir_ref ref, bool * not ) {
  while (ir->inst[ref].op == ISA_NOT_P && !ir->inst[ref].guard) {
    ref = ir_operand(ir, ref, 0);
    *not = !*not ;
  }
  return ref;
}

static void swap(ir_ref *a, ir_ref *b) {
  const ir_ref old = *a;
  *a = *b;
  *b = old;
}

/* and, and-not: only one side can be a complement. */
static void fold_and(const struct ir *ir, struct folded *f) {
  bool not_a = false, not_b = f->op == ISA_ANDN_P;
  const ir_ref a = select_plain(ir, f->operand[0], &not_a), b = select_plain(ir, f->operand[1], &not_b);
  if (not_a && not_b)
    return;
  f->op = not_a || not_b ? ISA_ANDN_P : ISA_AND_P;
  f->operand[0] = not_a ? b : a;
  f->operand[1] = not_a ? a : b;
}

static void fold_select(const struct ir *ir, struct folded *f) {
  bool not = false;
  f->operand[2] = select_plain(ir, f->operand[2], &not );
  if (not )
    swap(&f->operand[0], &f->operand[1]);
}

struct folded select_fold(const struct ir *ir, ir_ref ref) {
  const struct ir_inst *inst = &ir->inst[ref];
  struct folded f = {.op = inst->op, .count = inst->count};
  assert(inst->count <= IR_MOST_OPERANDS && "no operation of the ISA has more operands");
  for (uint32_t i = 0; i < inst->count; i++)
    f.operand[i] = ir->operand[inst->operands + i];
  if (f.op == ISA_AND_P || f.op == ISA_ANDN_P)
    fold_and(ir, &f);
  else if (f.op == ISA_SEL_32 || f.op == ISA_SEL_64)
    fold_select(ir, &f);
  return f;
}

bool select_is_join(const struct ir_inst *inst) {
  return inst->op == IR_JOIN || ((inst->op == ISA_PACK || inst->op == ISA_CVT_U64_U32) && !inst->guard);
}

struct folded select_join(const struct ir *ir, ir_ref ref) {
  const struct ir_inst *inst = &ir->inst[ref];
  struct folded f = {.op = IR_JOIN, .count = inst->width == IR_W4 ? 4 : 2, .zero_above = inst->op == ISA_CVT_U64_U32};
  for (uint32_t i = 0; i < f.count; i++)
    f.operand[i] = ir_operand(ir, ref, i);
  return f;
}

bool select_is_word(const struct ir *ir, ir_ref ref, ir_ref *of, uint32_t *number) {
  const struct ir_inst *inst = &ir->inst[ref];
  if (inst->op != IR_WORD && (inst->op != ISA_CVT_U32_U64 || inst->guard))
    return false;
  *of = ir_operand(ir, ref, 0);
  *number = inst->op == IR_WORD ? (uint32_t)inst->imm : 0;
  if (ir->inst[*of].op == IR_JOIN) {
    *of = ir_operand(ir, *of, *number);
    *number = 0;
  }
  return true;
}

/* ---- marking ------------------------------------------------------------------------------------------ */

struct marking {
  struct select *s;
  ir_ref *stack;
  uint32_t depth;
};

static void want(struct marking *k, ir_ref ref, bool run) {
  struct value *value = &k->s->value[ref];
  if (!ref)
    return;
  value->run |= run;
  if (value->wanted)
    return;
  value->wanted = true;
  k->stack[k->depth++] = ref;
}

/* An operation of the ISA takes all words of a value, side by side. */
static void want_operands(struct marking *k, ir_ref ref) {
  const struct ir *ir = k->s->ir;
  const struct ir_inst *inst = &ir->inst[ref];
  bool not = false;
  ir_ref of;
  uint32_t number;
  if (inst->guard)
    want(k, select_plain(ir, inst->guard, &not ), false);
  want(k, inst->keep, false);
  if (select_is_word(ir, ref, &of, &number)) {
    want(k, of, false);
  } else if (inst->op >= ISA_OPS || select_is_join(inst)) {
    const uint32_t phi = inst->op == IR_PHI;
    for (uint32_t i = phi; i < inst->count; i += 1 + phi)
      want(k, ir_operand(ir, ref, i), false);
  } else {
    const struct folded f = select_fold(ir, ref);
    for (uint32_t i = 0; i < f.count; i++)
      want(k, f.operand[i], true);
  }
}

static void want_block(struct marking *k, const struct ir_block *block) {
  const struct ir *ir = k->s->ir;
  bool not = false;
  if (block->end == IR_END_IF)
    want(k, select_plain(ir, block->condition, &not ), false);
  for (uint32_t i = 0; i < block->count; i++)
    if (ir_is_kept(ir, block->inst[i]))
      want_operands(k, block->inst[i]);
  while (k->depth)
    want_operands(k, k->stack[--k->depth]);
}

void select_wanted(struct select *s) {
  struct marking k = {s, need(s->ir->count, sizeof *k.stack), 0};
  for (uint32_t i = 0; i < s->ir->ordered; i++)
    want_block(&k, &s->ir->block[s->ir->order[i]]);
  free(k.stack);
}
