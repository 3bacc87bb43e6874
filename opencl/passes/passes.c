/* The order of the passes. Promotion comes first, because everything else looks at values; narrowing before what looks
 * at addresses, because a 64-bit index hides that its 32-bit one is an induction variable or fits an addressing
 * mode; hoisting before multiply-adds are formed, because half of one may be invariant. */
#include "opencl/passes/passes.h"

#include <stdlib.h>

#include "opencl/passes/rewrite.h"
#include "sim/base/need.h"

enum { FLATTEN_ROUNDS = 3 }; /* nested conditions become one another's arms, nested loops one another's bodies */

/* Slots that no instruction names any more need no room. */
static void forget_slots(struct ir *ir) {
  bool *named = need(ir->slots + 1, sizeof *named);
  for (uint32_t i = 0; i < ir->ordered; i++)
    for (uint32_t k = 0; k < ir->block[ir->order[i]].count; k++) {
      const struct ir_inst *inst = &ir->inst[ir->block[ir->order[i]].inst[k]];
      if (inst->op == IR_SLOT)
        named[inst->imm] = true;
    }
  for (uint32_t i = 0; i < ir->slots; i++)
    ir->slot[i].gone = !named[i];
  free(named);
}

void opencl_passes(struct ir *ir) {
  pass_simplify(ir); /* addresses of slots become slots and constants */
  pass_promote(ir);
  pass_simplify(ir);
  pass_narrow(ir);
  pass_loads(ir);
  pass_simplify(ir);
  for (int round = 0; round < FLATTEN_ROUNDS; round++) {
    pass_thread(ir);
    pass_flatten(ir);
    pass_simplify(ir);
    pass_unroll(ir);
    pass_simplify(ir);
  }
  pass_loads(ir);   /* of what was several blocks, or several iterations */
  pass_meet(ir);    /* behind pass_thread(), which would undo it */
  pass_promote(ir); /* arrays that only copies of loops index are indexed by constants now */
  pass_simplify(ir);
  pass_narrow(ir);
  pass_simplify(ir);
  pass_spread(ir);
  pass_simplify(ir);
  pass_divide(ir);
  pass_regroup(ir);
  pass_hoist(ir);
  pass_simplify(ir);
  pass_address(ir);
  pass_simplify(ir);
  pass_latch(ir);
  forget_slots(ir);
}
