/* The order of the passes. Promotion runs first, because every other pass works on values. Narrowing runs before the
 * passes on addresses, because a 64-bit index hides that the 32-bit one is an induction variable or fits an addressing
 * mode. Hoisting runs before multiply-adds form, because half of one may be invariant. */
#include "opencl/passes/passes.h"

#include <stdlib.h>

#include "opencl/ir/log.h"
#include "opencl/passes/rewrite.h"
#include "sim/base/need.h"

enum { FLATTEN_ROUNDS = 3 }; /* nested conditions become arms of one another, nested loops bodies of one another */

/* Slots that no instruction uses any more take no memory. */
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

typedef void run_of_pass(struct ir *ir);

static run_of_pass *const run_pass[OPENCL_PASSES] = {
    [PASS_promote] = pass_promote, [PASS_simplify] = pass_simplify, [PASS_loads] = pass_loads,
    [PASS_thread] = pass_thread,   [PASS_flatten] = pass_flatten,   [PASS_meet] = pass_meet,
    [PASS_unroll] = pass_unroll,   [PASS_narrow] = pass_narrow,     [PASS_spread] = pass_spread,
    [PASS_divide] = pass_divide,   [PASS_regroup] = pass_regroup,   [PASS_hoist] = pass_hoist,
    [PASS_chain] = pass_chain,     [PASS_widen] = pass_widen,       [PASS_latch] = pass_latch,
    [PASS_split] = pass_split,     [PASS_address] = pass_address,   [PASS_fuse] = pass_fuse,
    [PASS_ids] = pass_ids,
};

static void run(struct ir *ir, enum opencl_pass pass) {
  if (!opencl_pass_runs(&ir->target, pass))
    return;
  struct ir_lines *before = ir_log_begin(ir, pass);
  run_pass[pass](ir);
  ir_log_end(ir, before);
}

static void run_all(struct ir *ir, const enum opencl_pass *pass, size_t count) {
  for (size_t i = 0; i < count; i++)
    run(ir, pass[i]);
}

#define RUN(...)                                                                                                       \
  run_all(ir, (const enum opencl_pass[]){__VA_ARGS__},                                                                 \
          sizeof((const enum opencl_pass[]){__VA_ARGS__}) / sizeof(enum opencl_pass))

void opencl_passes(struct ir *ir) {
  RUN(PASS_simplify); /* slot addresses become slots and constants */
  ir_compact(ir);
  RUN(PASS_promote, PASS_simplify, PASS_narrow, PASS_loads, PASS_simplify);
  ir_compact(ir);
  for (int round = 0; round < FLATTEN_ROUNDS; round++)
    RUN(PASS_thread, PASS_flatten, PASS_simplify, PASS_unroll, PASS_simplify);
  ir_compact(ir);
  RUN(PASS_loads,   /* blocks and iterations have been merged */
      PASS_meet,    /* after thread, which would undo it */
      PASS_promote, /* unrolled loops index arrays by constants now */
      PASS_simplify, PASS_narrow, PASS_simplify, PASS_chain, PASS_spread, PASS_simplify, PASS_divide, PASS_regroup,
      PASS_hoist, PASS_simplify, PASS_address, PASS_simplify, PASS_widen, PASS_ids, PASS_split, PASS_simplify,
      PASS_fuse, PASS_simplify, PASS_latch);
  forget_slots(ir);
}
