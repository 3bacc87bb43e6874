/* One instruction of one warp: the guard, the dispatch, the branch stack.
 *
 * The stack. A divergent branch pushes { join, the previous join, all active lanes }, unless the warp already runs
 * toward this join. Then it pushes { the side that waits, join, its lanes }, unless that side starts at the join. The
 * side that is lower in the program runs first, so that lanes leave loops late and meet early.
 *
 * Its depth. Waiting sides have disjoint, non-empty masks without the running lanes: there are at most lanes - 1 of
 * them. Joins on the stack all post-dominate the running instruction (isa_validate() accepts only immediate
 * post-dominators), each one strictly closer than the one below: there are at most as many as in the longest chain of
 * joins in the post-dominator tree. isa_validate() puts the sum of both into stack_entries, so no validated program can
 * overflow the stack, whatever its loops. */
#include "isa/step.h"
#include "isa/lanes.h"
#include "isa/ops.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

static const uint8_t formats[ISA_OPS] = {
#define OP(id, mnemonic, format, ...) FORMAT_##format,
#include "isa/ops.def"
#undef OP
};

static void push(struct isa_warp *warp, uint32_t pc, uint32_t join, uint64_t mask) {
  assert(warp->depth < warp->group->launch->program->stack_entries && "stack_entries bounds every nesting");
  warp->stack[warp->depth++] = (struct isa_frame){pc, join, mask};
}

/* Pops the stack until the warp has active lanes that are not at their join. */
static void pop_reconverged(struct isa_warp *warp) {
  while ((warp->pc == warp->join || !warp->active) && warp->live) {
    assert(warp->depth && "live lanes are running or on the stack");
    const struct isa_frame *top = &warp->stack[--warp->depth];
    warp->pc = top->pc;
    warp->join = top->join;
    warp->active = top->mask;
  }
}

static void branch(struct isa_warp *warp, const struct isa_inst *inst, struct isa_result *result) {
  const uint32_t target = isa_branch_target(inst), join = isa_branch_join(inst), next = warp->pc;
  const uint64_t taken = result->mask, rest = warp->active & ~taken;
  if (!taken)
    return;
  if (!rest) {
    warp->pc = target;
    return;
  }
  result->diverged = true;
  if (join != warp->join) {
    push(warp, join, warp->join, warp->active);
    warp->join = join;
  }
  const bool taken_first = next == join || (target != join && target < next);
  if (target != join && next != join)
    push(warp, taken_first ? next : target, join, taken_first ? rest : taken);
  warp->pc = taken_first ? target : next;
  warp->active = taken_first ? taken : rest;
}

static void exit_lanes(struct isa_warp *warp, struct isa_result *result) {
  warp->active &= ~result->mask;
  warp->live &= ~result->mask;
  for (uint32_t i = 0; i < warp->depth; i++)
    warp->stack[i].mask &= ~result->mask;
  result->done = !warp->live;
}

static void describe_access(struct isa_warp *warp, const struct isa_inst *inst, const struct isa_result *result,
                            struct isa_access *access) {
  access->warp = warp;
  access->inst = inst;
  access->pc = result->pc;
  access->mask = result->mask;
  access->run = access->whole = false;
  access->image = NULL;
}

void isa_step(struct isa_warp *warp, struct isa_access *access, struct isa_result *result) {
  const struct isa_launch *launch = warp->group->launch;
  const uint32_t pc = warp->pc;
  const struct isa_inst *inst = &launch->program->code[pc];
  uint64_t mask = warp->active;
  if (inst->guard) {
    const uint64_t holds = warp->pred[(inst->guard - 1) >> 1];
    mask &= (inst->guard - 1) & 1 ? ~holds : holds;
  }
  result->pc = pc;
  result->mask = mask;
  result->done = result->diverged = false;
  warp->pc = pc + 1;
  switch ((enum isa_format)formats[inst->op]) {
  case FORMAT_ALU:
  case FORMAT_LOGIC:
  case FORMAT_SHIFT:
  case FORMAT_QUERY:
  case FORMAT_QUERY_AXIS:
  case FORMAT_CLOCK:
  case FORMAT_SHUFFLE:
  case FORMAT_VOTE:
  case FORMAT_REDUCE:
  case FORMAT_SCAN:
  case FORMAT_SCAN_BEFORE:
    if (mask)
      isa_lanes()[inst->op](warp, inst, mask, launch->warp_size);
    break;
  case FORMAT_EXPECT:
    step_expect(warp, inst, result);
    break;
  case FORMAT_BRANCH:
    branch(warp, inst, result);
    break;
  case FORMAT_EXIT:
    exit_lanes(warp, result);
    break;
  case FORMAT_LOAD_ARG:
    access_arg(warp, inst, mask);
    break;
  case FORMAT_LOAD_CONST:
    access_const(warp, inst, result, mask);
    break;
  case FORMAT_LOAD_PRIVATE:
  case FORMAT_STORE_PRIVATE:
    access_private(warp, inst, pc, mask);
    break;
  case FORMAT_PRINTF:
    print_lanes(warp, inst, pc, mask);
    break;
  case FORMAT_LOAD_LDS:
  case FORMAT_STORE_LDS:
  case FORMAT_ATOMIC_LDS:
  case FORMAT_CAS_LDS:
    describe_access(warp, inst, result, access);
    access_lds(warp, inst, access);
    break;
  case FORMAT_LOAD_GLOBAL:
  case FORMAT_STORE_GLOBAL:
  case FORMAT_ATOMIC_GLOBAL:
  case FORMAT_CAS_GLOBAL:
    describe_access(warp, inst, result, access);
    access_global(warp, inst, access);
    break;
  case FORMAT_COPY_LANE:
    describe_access(warp, inst, result, access);
    access_copy_lane(warp, inst, access);
    break;
  case FORMAT_MBARRIER_INIT:
  case FORMAT_MBARRIER_ARRIVE:
  case FORMAT_MBARRIER_TEST:
    describe_access(warp, inst, result, access);
    access_mbarrier(warp, inst, access);
    break;
  case FORMAT_LANE_COMMIT: /* batches and turns exist only in the timing model */
  case FORMAT_LANE_WAIT:
  case FORMAT_YIELD:
    break;
  case FORMAT_PREFETCH:
    describe_access(warp, inst, result, access);
    access_prefetch(warp, inst, access);
    break;
  case FORMAT_SYNC:
    step_barrier(warp, result);
    break;
  case FORMAT_COPY_IN:
  case FORMAT_COPY_OUT:
  case FORMAT_COPY_IN_STRIDED:
  case FORMAT_COPY_OUT_STRIDED:
  case FORMAT_COPY_IN_2D:
  case FORMAT_COPY_OUT_2D:
  case FORMAT_COPY_IN_3D:
  case FORMAT_COPY_OUT_3D:
    step_copy(warp, inst, result);
    break;
  case FORMAT_WAIT:
  case FORMAT_WAIT_FIRST:
    step_wait(warp, inst, result);
    break;
  case FORMAT_PIPE_RESERVE:
  case FORMAT_PIPE_COMMIT:
  case FORMAT_PIPE_NUM:
    describe_access(warp, inst, result, access);
    pipe_access(warp, inst, access);
    break;
  case FORMAT_PIPE_SLOT:
    pipe_slot(warp, inst, pc, mask);
    break;
  case FORMAT_IMAGE_READ:
    describe_access(warp, inst, result, access);
    image_read(warp, inst, access);
    break;
  case FORMAT_IMAGE_STORE:
    describe_access(warp, inst, result, access);
    image_store(warp, inst, access);
    break;
  case FORMAT_IMAGE_QUERY:
    image_query(warp, inst, pc, mask);
    break;
  case FORMAT_PIPE_BAR:
    step_pipe_barrier(warp, inst, result);
    break;
  case ISA_FORMATS:
    break;
  }
  if (__builtin_expect(warp->pc == warp->join || !warp->active, 0))
    pop_reconverged(warp);
}

void step_report(const struct isa_warp *warp, uint32_t pc, enum isa_hazard_rule rule, uint32_t lane, const char *format,
                 ...) {
  const struct isa_group *group = warp->group;
  const struct isa_launch *launch = group->launch;
  if (!launch->report || (isa_hazard_rows[rule].by == ISA_BY_CHECK && !launch->checked))
    return;
  struct isa_hazard hazard = {.rule = rule,
                              .pc = pc,
                              .group = {group->id[0], group->id[1], group->id[2]},
                              .item = warp->index * launch->warp_size + lane};
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(hazard.detail, sizeof hazard.detail, format, arguments);
  va_end(arguments);
  launch->report(launch->report_context, &hazard);
}
