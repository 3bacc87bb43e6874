/* A work-group's copies on their way to an engine, and back; copy fences. */
#include <assert.h>

#include "dma/dma.h"
#include "models/emit.h"
#include "models/group.h"
#include "models/lane_copy.h"

/* ---- descriptors ------------------------------------------------------------------------ */

/* A tag holds the group slot and the event. */
static uint64_t copy_tag(uint32_t group_slot, uint32_t event) { return group_slot | (uint64_t)event << 8; }

struct cu_group *group_of_copy(struct cu *cu, uint64_t tag) {
  return &cu->groups[tag & 0xff];
}

/* The next descriptor: the most that one can take of the copy. A copy that is not clipped is one descriptor. The engine
 * must fetch a descriptor of lines from memory, unless it keeps it: it has those of the launch's last copies. */
static struct dma_descriptor next_descriptor(const struct cu *cu, uint32_t group_slot) {
  const struct cu_group *group = &cu->groups[group_slot];
  const struct isa_copy *copy = &group->call.copy;
  const struct copy_scope *scope = &group->scope;
  const uint64_t left = scope->bytes - group->submitted;
  uint32_t *kept = &group->kernel->descriptors[group->call.pc % CU_DESCRIPTORS], name = group->call.pc + 1;
  const bool fetch = copy->form >= ISA_COPY_2D && *kept != name;
  if (fetch)
    *kept = name;
  return (struct dma_descriptor){
      .tag = copy_tag(group_slot, copy->event),
      .origin = group->call.pc,
      .launch = (uint16_t)group->kernel->launch->number,
      .number = group->number,
      .owner = group_slot,
      .after = group->submitted ? 0 : group->after,
      .to_lds = copy->to_lds,
      .global = rect_part(&scope->global, group->submitted, left),
      .lds = rect_part(&scope->lds, group->submitted, left),
      .element_bytes = copy->element_bytes,
      .from = scope->from,
      .to = scope->to,
      .fetch = fetch,
      .issued = group->call.complete_at,
  };
}

/* ---- hand-over -------------------------------------------------------------------------- */

/* Each descriptor counts as a copy in flight, also in the copy's event. */
static void note_in_flight(struct cu_group *group, cycle_t now) {
  struct cu_event *event = group_find_event(group, group->call.copy.event);
  event->in_flight++;
  event->to_lds |= group->call.copy.to_lds;
  if (!group->copies_in_flight++)
    group->copies_since = now;
}

/* Gives the engine as much of the copy as it has room for; true if that was all. */
static bool submit_copy(struct cu *cu, uint32_t group_slot, cycle_t now) {
  struct cu_group *group = &cu->groups[group_slot];
  struct port *queue = cu->copy.to_dma[group_slot % cu->copy.engines];
  while (cu->copy.copy_now || port_can_send(queue, now)) {
    const struct dma_descriptor descriptor = next_descriptor(cu, group_slot);
    if (cu->copy.copy_now)
      cu->copy.copy_now(cu, &descriptor);
    else
      port_send(queue, &descriptor, now);
    group->submitted += rect_all(&descriptor.global);
    group->after = 0;
    if (group->submitted == group->scope.bytes)
      return true;
    note_in_flight(group, now);
    if (cu->emitter)
      emit_copy_part(cu, group->number);
  }
  return false;
}

static void copy_submitted(struct cu *cu, uint32_t group_slot, cycle_t now) {
  struct cu_group *group = &cu->groups[group_slot];
  group->kernel->stats.exposed_cycles += now - group->call.complete_at;
  if (cu->emitter)
    emit_copy_handed(cu, group->number, now);
  group_release(cu, group, STALL_COPY_JOIN, now);
}

/* The group of `engine` whose copy has waited longest, and the lowest slot among equals. CU_WARPS: none. */
static uint32_t oldest_queued(const struct cu *cu, unsigned engine) {
  uint32_t oldest = CU_WARPS;
  for (uint64_t left = cu->copy.queued; left; left &= left - 1) {
    uint32_t slot = (uint32_t)__builtin_ctzll(left);
    if (slot % cu->copy.engines != engine)
      continue;
    if (oldest == CU_WARPS || cu->groups[slot].call.complete_at < cu->groups[oldest].call.complete_at)
      oldest = slot;
  }
  return oldest;
}

cycle_t group_submit_copies(struct cu *cu, cycle_t now) {
  cycle_t next = NEVER;
  for (unsigned engine = 0; engine < cu->copy.engines; engine++) {
    const struct port *queue = cu->copy.to_dma[engine];
    uint32_t slot = 0;
    while (port_can_send(queue, now) && (slot = oldest_queued(cu, engine)) != CU_WARPS && submit_copy(cu, slot, now)) {
      cu->copy.queued &= ~cu_bit(slot);
      copy_submitted(cu, slot, now);
    }
    if (slot != CU_WARPS)
      next = cycle_min(next, port_free_at(queue));
  }
  return next;
}

/* The warp that arrived last tries again. */
static void try_submit(struct cu *cu, uint32_t group_slot, cycle_t now) {
  uint32_t slot = cu->groups[group_slot].call.last_arrived;
  if (submit_copy(cu, group_slot, now)) {
    cu_warp(cu, slot)->task = TASK_NONE;
    copy_submitted(cu, group_slot, now);
    return;
  }
  cu_warp(cu, slot)->task = TASK_RETRY;
  cu_ready_at(cu, slot, STALL_DMA_QUEUE, now + cu->dma_params->retry_gap, now);
}

void group_retry(struct cu *cu, uint32_t slot, cycle_t now) {
  cu_warp(cu, slot)->kernel->stats.copy_retries++;
  try_submit(cu, cu_warp(cu, slot)->group, now);
}

/* ---- issue ------------------------------------------------------------------------------ */

/* Functional mode: nothing takes time, so all copies of the group in flight are parts of this one. */
static void finish_copy_now(struct cu *cu, uint32_t group_slot, cycle_t now) {
  struct cu_group *group = &cu->groups[group_slot];
  const uint64_t tag = copy_tag(group_slot, group->call.copy.event);
  submit_copy(cu, group_slot, now);
  copy_submitted(cu, group_slot, now);
  while (group->copies_in_flight) {
    group_copy_complete(cu, tag, now);
    group_copy_landed(cu, tag, now);
  }
}

void group_start_copy(struct cu *cu, uint32_t group_slot, cycle_t now) {
  struct cu_group *group = &cu->groups[group_slot];
  group->scope = copy_check(cu, group);
  group->submitted = 0;
  const struct isa_copy *copy = &group->call.copy;
  if (!group_find_event(group, copy->event))
    group_add_event(group, copy->event);
  note_in_flight(group, now);
  if (!copy->event_in)
    group->events_made = copy->event;
  group->copy_number++;
  group->number = ++cu->copy.issued;
  struct pc_result *by_pc = &group->kernel->by_pc[group->call.pc];
  struct cu_stats *stats = &group->kernel->stats;
  uint64_t *const form[ISA_COPY_FORMS] = {
      [ISA_COPY_PLAIN] = &stats->copies_plain,
      [ISA_COPY_STRIDED] = &stats->copies_strided,
      [ISA_COPY_2D] = &stats->copies_2d,
      [ISA_COPY_3D] = &stats->copies_3d,
  };
  stats->copies++;
  stats->copy_bytes += group->scope.bytes;
  ++*form[copy->form];
  by_pc->copies++;
  by_pc->copy_bytes += group->scope.bytes;
  by_pc->copy_forms |= UINT64_C(1) << copy->form;
  if (cu->emitter)
    emit_copy(cu, group, now);
  if (cu->copy.copy_now) {
    finish_copy_now(cu, group_slot, now);
    return;
  }
  if (cu->dma_params->copy != DMA_BY_ENGINE) {
    lane_copy_start(cu, group_slot, copy_tag(group_slot, group->call.copy.event), now);
    return;
  }
  group_set_stall(cu, group, STALL_DMA_QUEUE, now);
  if (cu->dma_params->full == DMA_RETRY)
    try_submit(cu, group_slot, now);
  else
    cu->copy.queued |= cu_bit(group_slot); /* group_submit_copies() follows in this step */
}

/* The fence itself does not wait. The engine or lane_copy.c holds the next copy. */
void group_pass_fence(struct cu *cu, uint32_t group_slot, cycle_t now) {
  struct cu_group *group = &cu->groups[group_slot];
  const struct isa_info *info = &group->kernel->info[group->call.pc];
  group->kernel->stats.copy_fences++;
  if (group->copies_in_flight)
    group->after |= (uint8_t)((info->local_fence ? DMA_FENCE_LDS : 0) | (info->global_fence ? DMA_FENCE_GLOBAL : 0));
  if (info->local_fence)
    group->fenced_lds = group->copy_number;
  if (info->global_fence)
    group->fenced_global = group->copy_number;
  group_release(cu, group, STALL_COPY_JOIN, now);
}

/* ---- completion ------------------------------------------------------------------------- */

void group_copy_complete(struct cu *cu, uint64_t tag, cycle_t now) {
  struct cu_group *group = group_of_copy(cu, tag);
  struct cu_event *event = group_find_event(group, (uint32_t)(tag >> 8));
  assert(event && event->in_flight && "a copy in flight holds its event");
  event->in_flight--;
  group_recheck_waits(cu, group, now);
}

void group_copy_landed(struct cu *cu, uint64_t tag, cycle_t now) {
  struct cu_group *group = group_of_copy(cu, tag);
  if (!--group->copies_in_flight)
    group->kernel->stats.copy_cycles += now - group->copies_since;
  group_finish(cu, (uint32_t)(tag & 0xff), now);
}
