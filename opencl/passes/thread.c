/* Cleans up after early returns and `break`s out of several scopes:
 *
 *     A: x = 8, goto J     B: x = 0, goto J     J: x = phi(A: 8, B: 0); if (x == 0) T else U
 *
 * A leads to U, B leads to T, and J disappears. Only if J has two predecessors that lead to different sides: lanes that
 * run T together also ran B together, so nothing reconverges later than before. With more predecessors for one side,
 * their lanes would run that side one group after the other, and J is worth its price. */
#include "opencl/passes/identity.h"
#include "opencl/passes/passes.h"

#include <stdlib.h>

#include "sim/base/need.h"

enum {
  MOST_INSTS = 6,  /* in J, not counting phis */
  MOST_LOOKS = 64, /* scans of the whole kernel: one per junction that might be removed */
};

struct thread {
  struct ir *ir;
  uint32_t junction, from[2], to[2];
  ir_ref *now[2]; /* by way: a junction's value if the junction is entered that way */
};

/* The constant that `ref` is on `way`, if selects take operand `arm`; or 0. All selects must have the same condition.
 */
static ir_ref constant_on(struct thread *thread, ir_ref ref, uint32_t way, uint32_t arm, ir_ref *selected) {
  const struct ir *ir = thread->ir;
  if (ref && ir->inst[ref].block == thread->junction)
    ref = thread->now[way][ref];
  if (!ref || ir_is_const(ir, ref))
    return ref;
  const ir_ref condition = ir_operand(ir, ref, 2), value = ir_operand(ir, ref, arm);
  if (kind_of(ir->inst[ref].op) != KIND_SEL || !ir_is_const(ir, value) || (*selected && *selected != condition))
    return 0;
  *selected = condition;
  return value;
}

/* Evaluates the junction for one way. Returns the constant that the condition is, or 0. */
static ir_ref outcome(struct thread *thread, uint32_t way, uint32_t arm) {
  struct ir *ir = thread->ir;
  const struct ir_block *block = &ir->block[thread->junction];
  ir_ref selected = 0;
  for (uint32_t k = 0; k < block->count; k++) {
    const ir_ref ref = block->inst[k];
    const struct ir_inst *inst = &ir->inst[ref];
    uint64_t operand[3] = {0}, result;
    bool known = inst->op < ISA_OPS && inst->count <= 3;
    thread->now[way][ref] = 0;
    for (uint32_t i = 0; known && i < inst->count; i++) {
      const ir_ref value = constant_on(thread, ir->operand[inst->operands + i], way, arm, &selected);
      known = value != 0;
      operand[i] = value ? ir->inst[value].imm : 0;
    }
    if (inst->op == IR_PHI)
      thread->now[way][ref] = phi_value(ir, ref, thread->from[way]);
    else if (known && fold_alu(inst->op, operand, &result))
      thread->now[way][ref] = ir_const(ir, (enum ir_width)ir->inst[ref].width, result);
  }
  return constant_on(thread, block->condition, way, arm, &selected);
}

static bool is_junction(const struct ir *ir, uint32_t number) {
  const struct ir_block *block = &ir->block[number];
  uint32_t others = 0;
  if (block->end != IR_END_IF || block->from_count != 2 || block->to[0] == number || block->to[1] == number)
    return false;
  for (uint32_t k = 0; k < block->count; k++) {
    const bool phi = ir->inst[block->inst[k]].op == IR_PHI;
    others += !phi;
    if (others > MOST_INSTS || (!phi && !ir_is_pure(ir, block->inst[k])))
      return false;
  }
  return !ir_dominates(ir, number, block->from[0]) && !ir_dominates(ir, number, block->from[1]);
}

/* Does each way lead to a different side? */
static bool find_ways(struct thread *thread) {
  const struct ir *ir = thread->ir;
  for (uint32_t way = 0; way < 2; way++) {
    const struct ir_block *from = &ir->block[thread->from[way]];
    const ir_ref one = outcome(thread, way, 0), two = outcome(thread, way, 1);
    if (!one || one != two)
      return false;
    thread->to[way] = ir->block[thread->junction].to[!ir->inst[one].imm];
    for (uint32_t i = 0; i < ends(from); i++)
      if (from->to[i] == thread->to[way])
        return false;
  }
  return thread->to[0] != thread->to[1];
}

/* What a junction's value becomes in `block` or at its end: its value on the way that leads there; 0 if both lead
 * there. */
static ir_ref stands_for(const struct thread *thread, ir_ref ref, uint32_t block) {
  const struct ir *ir = thread->ir;
  for (uint32_t way = 0; way < 2; way++)
    if (ir->block[thread->to[way]].from_count == 1 && ir_dominates(ir, thread->to[way], block))
      return thread->now[way][ref];
  return 0;
}

/* Replaces one use in `block`, or, without `change`, only checks whether that is possible. */
static bool replace_use(const struct thread *thread, ir_ref *use, uint32_t block, bool change) {
  if (!*use || thread->ir->inst[*use].block != thread->junction)
    return true;
  const ir_ref value = stands_for(thread, *use, block);
  if (value && change)
    *use = value;
  return value != 0;
}

/* A phi uses its values at the ends of its predecessors. If the junction is the predecessor, the value is that of the
 * way that leads to the phi's block. */
static bool replace_phi(const struct thread *thread, ir_ref phi, bool change) {
  struct ir *ir = thread->ir;
  ir_ref *operand = ir->operand + ir->inst[phi].operands;
  for (uint32_t i = 0; i < ir->inst[phi].count; i += 2) {
    const uint32_t way = thread->to[1] == ir->inst[phi].block;
    const bool here = operand[i + 1] && ir->inst[operand[i + 1]].block == thread->junction;
    if (operand[i] != thread->junction) {
      if (!replace_use(thread, &operand[i + 1], operand[i], change))
        return false;
    } else if (here) {
      if (!thread->now[way][operand[i + 1]])
        return false;
      operand[i + 1] = change ? thread->now[way][operand[i + 1]] : operand[i + 1];
    }
  }
  return true;
}

static bool replace_in(const struct thread *thread, uint32_t number, bool change) {
  struct ir *ir = thread->ir;
  bool good = true;
  for (uint32_t k = 0; k < ir->block[number].count && good; k++) {
    struct ir_inst *inst = &ir->inst[ir->block[number].inst[k]];
    if (inst->op == IR_PHI) {
      good = replace_phi(thread, ir->block[number].inst[k], change);
      continue;
    }
    for (uint32_t i = 0; i < inst->count && good; i++)
      good = replace_use(thread, &ir->operand[inst->operands + i], number, change);
    good =
        good && replace_use(thread, &inst->guard, number, change) && replace_use(thread, &inst->keep, number, change);
  }
  return good && replace_use(thread, &ir->block[number].condition, number, change);
}

static bool replace_all(const struct thread *thread, bool change) {
  const struct ir *ir = thread->ir;
  for (uint32_t i = 0; i < ir->ordered; i++)
    if (ir->order[i] != thread->junction && !replace_in(thread, ir->order[i], change))
      return false;
  return true;
}

static void remove_junction(const struct thread *thread) {
  struct ir *ir = thread->ir;
  for (uint32_t way = 0; way < 2; way++) {
    struct ir_block *from = &ir->block[thread->from[way]];
    phis_rename(ir, thread->to[way], thread->junction, thread->from[way]);
    for (uint32_t i = 0; i < ends(from); i++)
      if (from->to[i] == thread->junction)
        from->to[i] = thread->to[way];
  }
  for (uint32_t k = 0; k < ir->block[thread->junction].count; k++)
    ir->inst[ir->block[thread->junction].inst[k]].block = IR_NOWHERE;
  ir->block[thread->junction].count = 0;
  ir_exit(ir, thread->junction, ir->block[thread->junction].place);
  ir_analyze(ir);
}

/* Returns whether it scanned the whole kernel. */
static bool thread_one(struct thread *thread, uint32_t number) {
  const struct ir_block *block = &thread->ir->block[number];
  if (!is_junction(thread->ir, number))
    return false;
  thread->junction = number;
  thread->from[0] = block->from[0];
  thread->from[1] = block->from[1];
  if (!find_ways(thread))
    return false;
  if (replace_all(thread, false)) {
    replace_all(thread, true);
    remove_junction(thread);
  }
  return true;
}

void pass_thread(struct ir *ir) {
  ir_analyze(ir);
  struct thread thread = {.ir = ir};
  for (uint32_t way = 0; way < 2; way++)
    thread.now[way] = need(ir->count, sizeof(ir_ref)); /* existing refs only: the pass makes only constants */
  uint32_t looks = 0;
  for (uint32_t number = 1; number < ir->blocks && looks < MOST_LOOKS; number++)
    if (ir->block[number].order != IR_NOWHERE)
      looks += thread_one(&thread, number);
  free(thread.now[0]);
  free(thread.now[1]);
}
