/* What a work-group does together: its rendezvous and its end. */
#include <stdio.h>
#include <string.h>

#include "models/group.h"

/* A hazard of the group's `warp`, or of the whole group. */
static void hazard_of(struct cu *cu, const struct cu_group *group, const struct cu_warp *warp,
                      enum isa_hazard_rule rule, uint32_t pc, const char *detail) {
  struct isa_hazard found = {.rule = rule,
                             .pc = pc,
                             .group = {group->id[0], group->id[1], group->id[2]},
                             .item = warp ? warp->index * cu->params.warp_size : 0};
  snprintf(found.detail, sizeof found.detail, "%s", detail);
  cu_report(group->kernel, &found);
}

void group_hazard(struct cu *cu, const struct cu_group *group, enum isa_hazard_rule rule, uint32_t pc,
                  const char *detail) {
  hazard_of(cu, group, NULL, rule, pc, detail);
}

/* ---- rendezvous ------------------------------------------------------------------------- */

static uint32_t wait_latency(const struct cu *cu, struct cu_group *group) {
  uint32_t outbound = cu->params.wait_out_latency;
  return outbound && group_wait_outbound(group) ? outbound : cu->params.wait_latency;
}

/* When the warps that stand at the rendezvous may issue again, if nothing but its latency is left from `now` on. At a
 * barrier the last arrival has just been given its time for being noted. */
static cycle_t release_at(const struct cu *cu, struct cu_group *group, cycle_t now) {
  switch (group_class_at(group, group->arrived_pc)) {
  case ISA_CLASS_COPY:
  case ISA_CLASS_COPY_FENCE:
    return now + cu->params.copy_latency;
  case ISA_CLASS_WAIT:
    return now + wait_latency(cu, group);
  default:
    return cu->barriers_noted + cu->params.barrier_latency;
  }
}

void group_release(struct cu *cu, struct cu_group *group, enum stall stall, cycle_t now) {
  uint64_t arrived = group->arrived;
  cycle_t at = release_at(cu, group, now);
  group->arrived = 0;
  group->arrived_count = 0;
  for (; arrived; arrived &= arrived - 1) {
    uint32_t slot = (uint32_t)__builtin_ctzll(arrived);
    cu_rest(cu, slot, stall, at, now);
  }
}

void group_set_stall(struct cu *cu, const struct cu_group *group, enum stall stall, cycle_t now) {
  for (uint64_t arrived = group->arrived; arrived; arrived &= arrived - 1)
    cu_account(cu_warp(cu, (uint32_t)__builtin_ctzll(arrived)), stall, now);
}

static void complete(struct cu *cu, uint32_t group_slot, cycle_t now) {
  struct cu_group *group = &cu->groups[group_slot];
  group->complete_at = now;
  switch (group_class_at(group, group->arrived_pc)) {
  case ISA_CLASS_COPY:
    group_start_copy(cu, group_slot, now);
    break;
  case ISA_CLASS_COPY_FENCE:
    group_pass_fence(cu, group_slot, now);
    break;
  case ISA_CLASS_WAIT:
    group_check_wait(cu, group);
    if (!group_wait_holds(group))
      group_release_wait(cu, group, now);
    break;
  default:
    group->kernel->stats.barriers++;
    group_release(cu, group, STALL_BARRIER, now);
  }
}

static bool same_copy(const struct isa_copy *a, const struct isa_copy *b) {
  return a->form == b->form && a->to_lds == b->to_lds && a->global == b->global && a->lds == b->lds &&
         a->element_bytes == b->element_bytes && a->elements == b->elements && a->lines == b->lines &&
         a->planes == b->planes && a->global_line == b->global_line && a->lds_line == b->lds_line &&
         a->global_plane == b->global_plane && a->lds_plane == b->lds_plane && a->event_in == b->event_in;
}

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

/* Who is missing at a barrier of a pipe's call has broken a rule of pipes. */
static enum isa_hazard_rule missing_rule(const struct cu_group *group, uint32_t pc) {
  return is_pipe_barrier(group, pc) ? HAZARD_R10 : HAZARD_G2;
}

static void compare(struct cu *cu, const struct cu_group *group, uint32_t pc, const struct isa_result *result,
                    const struct cu_warp *warp) {
  enum isa_class class_ = group_class_at(group, pc);
  bool same = class_ == ISA_CLASS_COPY     ? same_copy(&group->copy, &result->copy)
              : class_ == ISA_CLASS_WAIT   ? same_wait(&group->wait, &result->wait)
              : is_pipe_barrier(group, pc) ? memcmp(group->pipe, result->pipe, sizeof group->pipe) == 0
                                           : true;
  if (same)
    return;
  char detail[96];
  snprintf(detail, sizeof detail, "warp %u differs from the first warp to arrive", warp->index);
  hazard_of(cu, group, warp, is_pipe_barrier(group, pc) ? HAZARD_R10 : HAZARD_G1, pc, detail);
}

/* Warps of a work-group stand at different calls: they will never meet, whatever copies complete. */
static void part(struct cu *cu, struct cu_group *group, uint32_t pc, const struct cu_warp *warp, cycle_t now) {
  char detail[96];
  snprintf(detail, sizeof detail, "warp %u is here while others are at line %u", warp->index,
           group->kernel->program->line[group->arrived_pc]);
  hazard_of(cu, group, warp, missing_rule(group, pc), pc, detail);
  group->mismatched = true;
  if (group_class_at(group, group->arrived_pc) == ISA_CLASS_WAIT)
    group_set_stall(cu, group, STALL_WAIT_JOIN, now);
}

/* The warps that stand at a call are all that are left: the others have exited. */
static void note_exited(struct cu *cu, const struct cu_group *group) {
  char detail[96];
  if (!group->arrived_count || !group->exited || group->mismatched ||
      group->arrived_count + group->exited < group->warp_count)
    return;
  snprintf(detail, sizeof detail, "%u of %u warps have exited", group->exited, group->warp_count);
  group_hazard(cu, group, missing_rule(group, group->arrived_pc), group->arrived_pc, detail);
}

static enum stall arrival_stall(struct cu_group *group, uint32_t pc) {
  switch (group_class_at(group, pc)) {
  case ISA_CLASS_COPY:
  case ISA_CLASS_COPY_FENCE:
    return STALL_COPY_JOIN;
  case ISA_CLASS_WAIT:
    return group->mismatched || !group_wait_holds(group) ? STALL_WAIT_JOIN : STALL_COPY_WAIT;
  default:
    return STALL_BARRIER;
  }
}

void group_arrive(struct cu *cu, uint32_t slot, uint32_t pc, const struct isa_result *result, cycle_t now) {
  struct cu_warp *warp = cu_warp(cu, slot);
  struct cu_group *group = &cu->groups[warp->group];
  if (!group->arrived_count) {
    group->arrived_pc = pc;
    group->copy = group_class_at(group, pc) == ISA_CLASS_COPY ? result->copy : (struct isa_copy){0};
    group->wait = group_class_at(group, pc) == ISA_CLASS_WAIT ? result->wait : (struct isa_wait){0};
    if (is_pipe_barrier(group, pc))
      memcpy(group->pipe, result->pipe, sizeof group->pipe);
    group->mismatched = false;
  } else if (pc != group->arrived_pc) {
    part(cu, group, pc, warp, now);
  } else {
    compare(cu, group, pc, result, warp);
  }
  if (group_class_at(group, pc) == ISA_CLASS_BARRIER)
    cu->barriers_noted = cycle_max(cu->barriers_noted, now) + cu->params.barrier_interval;
  group->arrived |= UINT64_C(1) << slot;
  group->arrived_count++;
  group->last_arrived = slot;
  warp->state = WARP_BLOCKED;
  warp->charged = pc;
  cu_account(warp, arrival_stall(group, pc), now);
  if (group->arrived_count == group->warp_count && !group->mismatched)
    complete(cu, warp->group, now);
  else
    note_exited(cu, group);
}

/* ---- the end ---------------------------------------------------------------------------- */

void group_exit(struct cu *cu, uint32_t slot) {
  struct cu_warp *warp = cu_warp(cu, slot);
  struct cu_group *group = &cu->groups[warp->group];
  warp->exited = true;
  group->exited++;
  note_exited(cu, group);
  if (group->exited < group->warp_count || !group->event_count)
    return;
  char detail[96];
  snprintf(detail, sizeof detail, "%u event%s not waited for, %u cop%s under way", group->event_count,
           group->event_count == 1 ? "" : "s", group->copies_under_way, group->copies_under_way == 1 ? "y" : "ies");
  group_hazard(cu, group, HAZARD_X10, warp->charged, detail);
}

void group_abandon(struct cu *cu, uint32_t group_slot, cycle_t end) {
  struct cu_group *group = &cu->groups[group_slot];
  if (!group->active || !group->copies_under_way)
    return;
  group->kernel->stats.copy_cycles += end - group->copies_since;
  if (cu->dma_params.copy == DMA_BLOCKING)
    group->kernel->stats.exposed_cycles += end - group->copies_since;
  bool together = group->arrived_count == group->warp_count && !group->mismatched;
  if (together && end > group->complete_at)
    group->kernel->stats.exposed_cycles += end - group->complete_at;
}

void group_finish(struct cu *cu, uint32_t group_slot, cycle_t now) {
  struct cu_group *group = &cu->groups[group_slot];
  if (group->finished < group->warp_count || group->copies_under_way)
    return;
  struct cu_finish message = {.at = now, .launch = (uint32_t)(group->kernel - cu->kernels), .lds = group->lds_given};
  for (uint64_t left = group->warps; left; left &= left - 1)
    cu_warp(cu, (uint32_t)__builtin_ctzll(left))->state = WARP_FREE;
  group->active = false;
  group->event_count = 0;
  group->events_made = 0;
  group->kernel->stats.work_groups++;
  group->kernel->last_end = cycle_max(group->kernel->last_end, now);
  port_send(&cu->to_dispatcher, &message, now);
}
