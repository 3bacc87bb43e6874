/* A load that repeats an earlier load becomes that load's value.
 *
 * Only along straight lines: within a block, and into a block from its only predecessor. And only if nothing in between
 * may change that memory (a store to the same space) or wait for someone who does (atomics, barriers, copies). So a
 * loop that waits for another work-item loads again in every iteration. Volatile loads stay as they are. By now,
 * generic pointers have become accesses to each space (build_spaces()). */
#include "opencl/passes/passes.h"
#include "opencl/passes/rewrite.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"

enum { MOST_LOADS = 16 }; /* remembered; the oldest is dropped */

struct memory {
  ir_ref load[MOST_LOADS];
  uint32_t count;
};

static bool same(const struct ir *ir, ir_ref one, ir_ref two) {
  const struct ir_inst *a = &ir->inst[one], *b = &ir->inst[two];
  return a->op == b->op && a->imm == b->imm && ir_operand(ir, one, 0) == ir_operand(ir, two, 0) &&
         ir_operand(ir, one, 1) == ir_operand(ir, two, 1);
}

static void forget(struct memory *memory, const struct ir *ir, ir_ref ref) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < memory->count; i++)
    if (!may_change(ir, ref, memory->load[i]))
      memory->load[kept++] = memory->load[i];
  memory->count = kept;
}

static void enter(struct rewrite *rw, uint32_t block) {
  struct memory *memory = rw->context;
  const struct ir_block *in = &rw->ir->block[block];
  memory[block].count = 0;
  if (in->from_count == 1)
    memory[block] = memory[in->from[0]];
}

static void remember(struct memory *memory, ir_ref ref) {
  if (memory->count == MOST_LOADS)
    memmove(memory->load, memory->load + 1, --memory->count * sizeof *memory->load);
  memory->load[memory->count++] = ref;
}

static ir_ref load_rule(struct rewrite *rw, ir_ref ref) {
  struct memory *memory = (struct memory *)rw->context + rw->block;
  if (!ir_is_removable(rw->ir, ref))
    forget(memory, rw->ir, ref);
  if (!is_plain_load(rw->ir, ref))
    return ref;
  for (uint32_t i = 0; i < memory->count; i++)
    if (same(rw->ir, memory->load[i], ref))
      return memory->load[i];
  remember(memory, ref);
  return ref;
}

void pass_loads(struct ir *ir) {
  ir_analyze(ir);
  struct memory *memory = need(ir->blocks, sizeof *memory);
  struct rewrite rewrite = {.rule = load_rule, .enter = enter, .context = memory};
  rewrite_run(&rewrite, ir);
  free(memory);
}
