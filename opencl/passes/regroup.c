/* Regroups sums in loops so that their invariant parts are together and pass_hoist() moves them out as one:
 *
 *     (x + a) + b        becomes  x + (a + b)            a, b: the same in every iteration
 *     (x + a) + y        becomes  (x + y) + a            on the way to the first form
 *     (x + a) * m        becomes  x * m + a * m          m invariant, too; also shifts: one multiply-add, not two
 *
 * in[row * n + k + column] then costs one addition per iteration instead of two. Exact modulo the width. Only sums with
 * a single use. Constants stay outermost, where pass_spread() has put them. */
#include "opencl/passes/identity.h"
#include "opencl/passes/passes.h"

#include <stdlib.h>

enum {
  MOST_DEPTH = 3,  /* levels of operands examined for invariance */
  MOST_ROUNDS = 4, /* a sum moves outward by one level in each */
};

struct regroup {
  uint32_t *uses, refs;
};

static bool may_leave(const struct rewrite *rw, ir_ref ref, uint32_t depth) {
  const struct ir_inst *inst = &rw->ir->inst[ref];
  if (!ir_in_loop(rw->ir, home_of(rw->ir, ref), rw->ir->block[rw->block].loop))
    return true;
  if (!depth || inst->op == IR_PHI || !may_speculate(rw->ir, ref))
    return false;
  for (uint32_t i = 0; i < inst->count; i++)
    if (!may_leave(rw, rw->ir->operand[inst->operands + i], depth - 1))
      return false;
  return true;
}

/* Is it invariant, and no constant? */
static bool stays(const struct rewrite *rw, ir_ref ref) { return !known(rw, ref) && may_leave(rw, ref, MOST_DEPTH); }

/* A sum with a single use, of a part that changes and an invariant part. */
static bool split(const struct rewrite *rw, const struct term *t, ir_ref sum, ir_ref *changes, ir_ref *same) {
  const struct regroup *regroup = rw->context;
  if (!is_kind(rw, t, sum, KIND_ADD) || sum >= regroup->refs || regroup->uses[sum] != 1 || stays(rw, sum))
    return false;
  for (uint32_t side = 0; side < 2; side++) {
    *changes = arg(rw, sum, side);
    *same = arg(rw, sum, !side);
    if (stays(rw, *same) && !known(rw, *changes))
      return true;
  }
  return false;
}

static ir_ref regroup_sum(struct rewrite *rw, const struct term *t) {
  ir_ref changes, same;
  for (uint32_t side = 0; side < 2; side++) {
    const ir_ref sum = side ? t->b : t->a, other = side ? t->a : t->b;
    if (known(rw, other) || !split(rw, t, sum, &changes, &same))
      continue;
    if (stays(rw, other))
      return term_put(rw, t, KIND_ADD, changes, term_put(rw, t, KIND_ADD, same, other));
    return term_put(rw, t, KIND_ADD, term_put(rw, t, KIND_ADD, changes, other), same);
  }
  return 0;
}

static ir_ref regroup_product(struct rewrite *rw, const struct term *t) {
  ir_ref changes, same;
  for (uint32_t side = 0; side < 2; side++) {
    const ir_ref sum = side ? t->b : t->a, by = side ? t->a : t->b;
    if ((side && t->kind == KIND_SHL) || !may_leave(rw, by, MOST_DEPTH) || !split(rw, t, sum, &changes, &same))
      continue;
    const ir_ref product = term_put(rw, t, t->kind, changes, by);
    return term_put(rw, t, KIND_ADD, product, term_put(rw, t, t->kind, same, by));
  }
  return 0;
}

/* Uses of new values are only counted in the next round. */
static ir_ref regroup_rule(struct rewrite *rw, ir_ref ref) {
  const struct regroup *regroup = rw->context;
  const struct term t = term_of(rw->ir, ref);
  ir_ref result = 0;
  if (ref >= regroup->refs || rw->ir->block[rw->block].loop == IR_NOWHERE)
    return ref;
  if (t.kind == KIND_ADD)
    result = regroup_sum(rw, &t);
  else if (t.kind == KIND_MUL || t.kind == KIND_SHL)
    result = regroup_product(rw, &t);
  return result ? result : ref;
}

static bool run(struct ir *ir) {
  struct regroup regroup = {count_uses(ir), ir->count};
  struct rewrite rewrite = {.rule = regroup_rule, .context = &regroup};
  const bool changed = rewrite_run(&rewrite, ir);
  free(regroup.uses);
  remove_unused(ir);
  return changed;
}

void pass_regroup(struct ir *ir) {
  ir_analyze(ir);
  for (int round = 0; round < MOST_ROUNDS && run(ir); round++)
    ;
}
