/* What a work-group does together: its rendezvous and its end. */
#include <stdio.h>
#include <string.h>

#include "dma/params.h"
#include "isa/ops.h"
#include "models/emit.h"
#include "models/group.h"

/* Reports a hazard of the group, at the first work-item of its warp number `warp`. */
static void hazard_of(struct cu *cu, const struct cu_group *group, uint32_t warp, enum isa_hazard_rule rule,
                      uint32_t pc, const char *detail) {
  struct isa_hazard found = {.rule = rule,
                             .pc = pc,
                             .group = {group->id[0], group->id[1], group->id[2]},
                             .item = warp * cu->params->warp_size};
  snprintf(found.detail, sizeof found.detail, "%s", detail);
  cu_report(group->kernel, &found);
}

void group_hazard(struct cu *cu, const struct cu_group *group, enum isa_hazard_rule rule, uint32_t pc,
                  const char *detail) {
  hazard_of(cu, group, 0, rule, pc, detail);
}

/* ---- whether the warps agree ------------------------------------------------------------ */

static bool same_wait(const struct isa_wait *a, const struct isa_wait *b) {
  bool same = a->count == b->count;
  for (uint32_t i = 0; same && i < a->count; i++)
    same = a->event[i] == b->event[i];
  return same;
}

static bool is_pipe_barrier(const struct cu_group *group, uint32_t pc) {
  const uint16_t op = group->kernel->program->code[pc].op;
  return op == ISA_BAR_PIPE || op == ISA_BAR_PIPE_GLOBAL;
}

static void compare(const struct cu_group *group, struct cu_call *call, const struct isa_result *result,
                    const struct cu_warp *warp) {
  enum isa_class class_ = group_class_at(group, call->pc);
  bool same = class_ == ISA_CLASS_COPY           ? isa_same_copy(&call->copy, &result->copy)
              : class_ == ISA_CLASS_WAIT         ? same_wait(&call->wait, &result->wait)
              : is_pipe_barrier(group, call->pc) ? memcmp(call->pipe, result->pipe, sizeof call->pipe) == 0
                                                 : true;
  if (!same && warp->index < call->differs - 1) /* differs - 1 is the largest number while there is none */
    call->differs = 1 + warp->index;
}

/* Notes where warps are, so that the result does not depend on which one arrived first. */
static void note_place(struct cu_call *call, uint32_t pc, const struct cu_warp *warp) {
  if (pc < call->least) {
    call->other = call->least;
    call->least = pc;
    call->least_warp = warp->index;
  } else if (pc > call->least)
    call->other = pc < call->other ? pc : call->other;
  else if (warp->index < call->least_warp)
    call->least_warp = warp->index;
}

static enum isa_hazard_rule divergence_rule(const struct cu_group *group, uint32_t pc) {
  return isa_divergence_rule(group->kernel->program, pc);
}

/* If warps are at different calls, reports the earliest one in the program: only some warps reached it. */
static void report_diverged(struct cu *cu, const struct cu_group *group, const struct cu_call *call) {
  char detail[96];
  snprintf(detail, sizeof detail, "warp %u is here, but others are at line %u", call->least_warp,
           group->kernel->program->line[call->other]);
  hazard_of(cu, group, call->least_warp, divergence_rule(group, call->least), call->least, detail);
}

static void report_differs(struct cu *cu, const struct cu_group *group, const struct cu_call *call) {
  const uint32_t first = call->first_warp, differs = call->differs - 1;
  char detail[96];
  snprintf(detail, sizeof detail, "warps %u and %u call it with different arguments", first < differs ? first : differs,
           first < differs ? differs : first);
  hazard_of(cu, group, first < differs ? first : differs, is_pipe_barrier(group, call->pc) ? HAZARD_R10 : HAZARD_G1,
            call->pc, detail);
}

/* Reports the error of a call to which no more warps will come. It is reported once, and only then, so that the report
 * does not depend on the order of arrival. */
static void report_call(struct cu *cu, const struct cu_group *group, struct cu_call *call) {
  if (call->reported || !call->count)
    return;
  call->reported = true;
  if (call->mismatched)
    report_diverged(cu, group, call);
  else if (call->differs)
    report_differs(cu, group, call);
}

/* Warps that have exited without reaching the call of the others. */
static uint32_t count_gone(const struct cu *cu, const struct cu_group *group) {
  uint32_t count = 0;
  for (uint64_t left = group->exited ? group->warps : 0; left; left &= left - 1) {
    const struct cu_warp *warp = &cu->warps[__builtin_ctzll(left)];
    count += warp->exited && warp->calls == group->calls;
  }
  return count;
}

/* Reports an error if every warp is either at the call or has exited. */
static void check_exited(struct cu *cu, struct cu_group *group) {
  struct cu_call *call = &group->call;
  const uint32_t exited = count_gone(cu, group);
  char detail[96];
  if (!call->count || call->reported || call->count + exited < group->warp_count)
    return;
  if (call->mismatched || !exited) {
    report_call(cu, group, call);
    return;
  }
  call->reported = true;
  snprintf(detail, sizeof detail, "%u of %u warps have exited", exited, group->warp_count);
  group_hazard(cu, group, divergence_rule(group, call->pc), call->pc, detail);
}

/* ---- rendezvous ------------------------------------------------------------------------- */

static uint32_t wait_latency(const struct cu *cu, struct cu_group *group, const struct cu_call *call) {
  uint32_t outbound = cu->params->wait_out_latency;
  return outbound && group_wait_outbound(group, call) ? outbound : cu->params->wait_latency;
}

/* When the warps at the call may issue again, if from `now` on only the latency is left. At a barrier, barriers_noted
 * already includes the last arrival. */
static cycle_t release_at(const struct cu *cu, struct cu_group *group, const struct cu_call *call, cycle_t now) {
  switch (group_class_at(group, call->pc)) {
  case ISA_CLASS_COPY:
  case ISA_CLASS_COPY_FENCE:
    return now + cu->params->copy_latency;
  case ISA_CLASS_WAIT:
    return now + wait_latency(cu, group, call);
  default:
    return cu->barriers_noted + cu->params->barrier_latency;
  }
}

static void release_warp(struct cu *cu, uint32_t slot, enum stall stall, cycle_t at, cycle_t now) {
  struct cu_warp *warp = cu_warp(cu, slot);
  if (warp->released != NEVER) {
    cu_rest(cu, slot, stall, at, now);
    return;
  }
  warp->released = at;
  if (warp->state == WARP_BLOCKED && warp->stall == STALL_BARRIER)
    cu_plan(cu, slot, now, now);
}

/* Releases the warps that wait at the call. */
static void release_warps(struct cu *cu, struct cu_group *group, struct cu_call *call, enum stall stall, cycle_t now) {
  uint64_t waiting = call->waiting;
  cycle_t at = release_at(cu, group, call, now);
  call->waiting = 0;
  group->waiting &= ~waiting;
  for (; waiting; waiting &= waiting - 1)
    release_warp(cu, (uint32_t)__builtin_ctzll(waiting), stall, at, now);
}

void group_release(struct cu *cu, struct cu_group *group, enum stall stall, cycle_t now) {
  if (cu->emitter)
    emit_meeting(cu, group, &group->call, release_at(cu, group, &group->call, now));
  release_warps(cu, group, &group->call, stall, now);
  group->calls++;
  group->call.count = 0;
  if (!group->ahead_count)
    return;
  group->call = group->ahead[0];
  memmove(group->ahead, group->ahead + 1, --group->ahead_count * sizeof group->ahead[0]);
  check_exited(cu, group);
}

void group_set_stall(struct cu *cu, const struct cu_group *group, enum stall stall, cycle_t now) {
  for (uint64_t waiting = group->call.waiting; waiting; waiting &= waiting - 1)
    cu_account(cu_warp(cu, (uint32_t)__builtin_ctzll(waiting)), stall, now);
}

static void complete(struct cu *cu, uint32_t group_slot, cycle_t now) {
  struct cu_group *group = &cu->groups[group_slot];
  group->call.complete_at = now;
  report_call(cu, group, &group->call);
  switch (group_class_at(group, group->call.pc)) {
  case ISA_CLASS_COPY:
    group_start_copy(cu, group_slot, now);
    break;
  case ISA_CLASS_COPY_FENCE:
    group_pass_fence(cu, group_slot, now);
    break;
  case ISA_CLASS_WAIT:
    group_check_wait(cu, group);
    if (!group_wait_holds(group, &group->call))
      group_release_wait(cu, group, now);
    break;
  default:
    group->kernel->stats.barriers++;
    group_release(cu, group, STALL_BARRIER, now);
  }
}

/* Warps of a work-group are at different calls. They will never meet, whichever copies complete. */
static void mark_mismatch(struct cu *cu, struct cu_group *group, struct cu_call *call, cycle_t now) {
  call->mismatched = true;
  if (call == &group->call && group_class_at(group, call->pc) == ISA_CLASS_WAIT)
    group_set_stall(cu, group, STALL_WAIT_JOIN, now);
}

static enum stall arrival_stall(struct cu_group *group, const struct cu_call *call, uint32_t pc) {
  switch (group_class_at(group, pc)) {
  case ISA_CLASS_COPY:
  case ISA_CLASS_COPY_FENCE:
    return STALL_COPY_JOIN;
  case ISA_CLASS_WAIT:
    return call->mismatched || !group_wait_holds(group, call) ? STALL_WAIT_JOIN : STALL_COPY_WAIT;
  default:
    return STALL_BARRIER;
  }
}

/* The call `place` calls after the group's first one that is not over. */
static struct cu_call *call_at(struct cu_group *group, uint32_t place) {
  return place ? &group->ahead[place - 1] : &group->call;
}

static void open_call(struct cu_group *group, uint32_t place, uint32_t warp, const struct isa_result *result,
                      cycle_t now) {
  const uint32_t pc = result->pc;
  struct cu_call *call = call_at(group, place);
  if (place)
    group->ahead_count = place;
  *call = (struct cu_call){.pc = pc, .first_warp = warp, .opened = now, .least = UINT32_MAX, .other = UINT32_MAX};
  if (group_class_at(group, pc) == ISA_CLASS_COPY)
    call->copy = result->copy;
  if (group_class_at(group, pc) == ISA_CLASS_WAIT)
    call->wait = result->wait;
  if (is_pipe_barrier(group, pc))
    memcpy(call->pipe, result->pipe, sizeof call->pipe);
}

/* Whether warps wait for each other only at barriers. */
static bool meet_at_barriers(const struct cu *cu) {
  return cu->params->meet == MEET_BARRIERS && cu->dma_params->copy == DMA_BY_ENGINE;
}

/* Whether a warp continues from a call at which not all warps have arrived. */
static bool goes_on(struct cu *cu, struct cu_group *group, const struct cu_call *call, uint32_t place) {
  if (!meet_at_barriers(cu) || place == CU_AHEAD || call->mismatched)
    return false;
  enum isa_class class_ = group_class_at(group, call->pc);
  return class_ == ISA_CLASS_COPY || class_ == ISA_CLASS_COPY_FENCE ||
         (class_ == ISA_CLASS_WAIT && !group_wait_holds(group, call));
}

static void wait_at_call(struct cu *cu, uint32_t slot, struct cu_call *call, uint32_t pc, cycle_t now) {
  struct cu_warp *warp = cu_warp(cu, slot);
  struct cu_group *group = &cu->groups[warp->group];
  call->waiting |= cu_bit(slot);
  group->waiting |= cu_bit(slot);
  if (cu_computes_on(cu, group_class_at(group, pc))) {
    warp->barrier = pc;
    warp->released = NEVER;
    return;
  }
  warp->state = WARP_BLOCKED;
  warp->charged = pc;
  cu_account(warp, arrival_stall(group, call, pc), now);
}

/* The warp waits for no other one: after a wait it takes the latency, after a copy it continues with the next
 * instruction. */
static void pass_call(struct cu *cu, uint32_t slot, const struct cu_call *call, cycle_t now) {
  struct cu_warp *warp = cu_warp(cu, slot);
  if (group_class_at(&cu->groups[warp->group], call->pc) == ISA_CLASS_WAIT)
    cu_rest(cu, slot, STALL_WAIT_JOIN, now + wait_latency(cu, &cu->groups[warp->group], call), now);
  else
    cu_plan(cu, slot, now + 1, now);
}

void group_arrive(struct cu *cu, uint32_t slot, uint32_t pc, const struct isa_result *result, cycle_t now) {
  struct cu_warp *warp = cu_warp(cu, slot);
  struct cu_group *group = &cu->groups[warp->group];
  uint32_t place = warp->calls++ - group->calls;
  struct cu_call *call = call_at(group, place);
  if (place ? place > group->ahead_count : !call->count)
    open_call(group, place, warp->index, result, now);
  else if (pc != call->pc)
    mark_mismatch(cu, group, call, now);
  else
    compare(group, call, result, warp);
  note_place(call, pc, warp);
  if (group_class_at(group, pc) == ISA_CLASS_BARRIER)
    cu->barriers_noted = cycle_max(cu->barriers_noted, now) + cu->params->barrier_interval;
  call->count++;
  call->lanes += (uint32_t)__builtin_popcountll(result->mask);
  call->last_arrived = slot;
  bool last = call->count == group->warp_count && !call->mismatched;
  if (!last && goes_on(cu, group, call, place)) {
    pass_call(cu, slot, call, now);
    return;
  }
  wait_at_call(cu, slot, call, pc, now);
  if (last)
    complete(cu, warp->group, now);
  else
    check_exited(cu, group);
  if (cu_computes_on(cu, group_class_at(group, pc))) /* it continues until something must wait for the release */
    cu_plan(cu, slot, now + 1, now);
}

/* ---- waits ------------------------------------------------------------------------------- */

/* Releases warps from a wait whose events are complete. Without all of the group, only with cu.meet barriers. */
static void recheck_wait(struct cu *cu, struct cu_group *group, struct cu_call *call, cycle_t now) {
  if (!call->waiting || call->mismatched || group_class_at(group, call->pc) != ISA_CLASS_WAIT ||
      group_wait_holds(group, call))
    return;
  if (call->count == group->warp_count)
    group_release_wait(cu, group, now);
  else if (meet_at_barriers(cu))
    release_warps(cu, group, call, STALL_WAIT_JOIN, now);
  else
    group_set_stall(cu, group, STALL_WAIT_JOIN, now);
}

void group_recheck_waits(struct cu *cu, struct cu_group *group, cycle_t now) {
  for (uint32_t place = group->ahead_count; place; place--)
    recheck_wait(cu, group, call_at(group, place), now);
  recheck_wait(cu, group, &group->call, now);
}

/* ---- the end ---------------------------------------------------------------------------- */

void group_exit(struct cu *cu, uint32_t slot) {
  struct cu_warp *warp = cu_warp(cu, slot);
  struct cu_group *group = &cu->groups[warp->group];
  warp->exited = true;
  group->exited++;
  check_exited(cu, group);
  const bool diverged =
      group->call.count > 0; /* the others left without a call that some have made, which is reported */
  if (group->exited < group->warp_count || !group->event_count || diverged)
    return;
  char detail[96];
  snprintf(detail, sizeof detail, "%u event%s not waited for, %u cop%s in flight", group->event_count,
           group->event_count == 1 ? "" : "s", group->copies_in_flight, group->copies_in_flight == 1 ? "y" : "ies");
  group_hazard(cu, group, HAZARD_X10, warp->charged, detail);
}

void group_abandon(struct cu *cu, uint32_t group_slot, cycle_t end) {
  struct cu_group *group = &cu->groups[group_slot];
  if (!group->active)
    return;
  for (uint32_t place = 0; place <= group->ahead_count && !group->call.reported; place++)
    report_call(cu, group, call_at(group, place));
  if (!group->copies_in_flight)
    return;
  group->kernel->stats.copy_cycles += end - group->copies_since;
  if (cu->dma_params->copy == DMA_BLOCKING)
    group->kernel->stats.exposed_cycles += end - group->copies_since;
  bool together = group->call.count == group->warp_count && !group->call.mismatched;
  if (together && end > group->call.complete_at)
    group->kernel->stats.exposed_cycles += end - group->call.complete_at;
}

void group_finish(struct cu *cu, uint32_t group_slot, cycle_t now) {
  struct cu_group *group = &cu->groups[group_slot];
  if (group->finished < group->warp_count || group->copies_in_flight)
    return;
  struct cu_finish message = {.at = now, .launch = (uint32_t)(group->kernel - cu->kernels), .lds = group->lds_given};
  for (uint64_t left = group->warps; left; left &= left - 1)
    cu_warp(cu, (uint32_t)__builtin_ctzll(left))->state = WARP_FREE;
  if (cu->emitter)
    emit_group(cu, group_slot, now);
  if (!--cu->held)
    cu->active_cycles += now - cu->held_since;
  group->active = false;
  group->kernel->stats.work_groups++;
  group->kernel->last_end = cycle_max(group->kernel->last_end, now);
  if (!cu->copy.copy_now)
    port_send(&cu->to_dispatcher, &message, now);
}
