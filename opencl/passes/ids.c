/* Some machines provide a work-item's place in its work-group and the work-group's number, and nothing else. There:
 *
 *     get.global_id   becomes   group id * enqueued local size + (local id + global offset)
 *
 * Runs after all passes that use ranges, because the range of get.global_id is known more precisely. */
#include "opencl/passes/identity.h"
#include "opencl/passes/passes.h"

static ir_ref query(struct rewrite *rw, enum isa_op op, uint64_t axis) {
  return rewrite_make(rw, (uint16_t)op, IR_W1, NULL, 0, axis);
}

static ir_ref id_rule(struct rewrite *rw, ir_ref ref) {
  if (!is_op(rw->ir, ref, ISA_GET_GLOBAL_ID))
    return ref;
  const uint64_t axis = rw->ir->inst[ref].imm;
  const ir_ref offset = query(rw, ISA_GET_GLOBAL_OFFSET, axis), local = query(rw, ISA_GET_LOCAL_ID, axis);
  const ir_ref in_group = rewrite_put(rw, ISA_ADD_32, local, offset, 0);
  const ir_ref group = query(rw, ISA_GET_GROUP_ID, axis), size = query(rw, ISA_GET_ENQUEUED_LOCAL_SIZE, axis);
  if (rw->ir->target.isa.mad)
    return rewrite_put(rw, ISA_MAD_32, group, size, in_group);
  return rewrite_put(rw, ISA_ADD_32, rewrite_put(rw, ISA_MUL_32, group, size, 0), in_group, 0);
}

void pass_ids(struct ir *ir) {
  if (ir->target.isa.global_id)
    return;
  ir_analyze(ir);
  struct rewrite rewrite = {.rule = id_rule};
  rewrite_run(&rewrite, ir);
}
