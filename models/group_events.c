/* Events of a work-group: which are live, and when a wait for them ends. */
#include <stdio.h>
#include <stdlib.h>

#include "models/group.h"
#include "sim/base/vector.h"

struct cu_event *group_find_event(struct cu_group *group, uint32_t id) {
  for (uint32_t i = 0; i < group->event_count; i++)
    if (group->events[i].id == id)
      return &group->events[i];
  return NULL;
}

/* A linear list, because live events are few, except in a kernel that never waits. */
struct cu_event *group_add_event(struct cu_group *group, uint32_t id) {
  struct cu_event *event = vector_next(group->events, group->event_count, group->event_room);
  *event = (struct cu_event){.id = id};
  return event;
}

/* Releases the events of the wait. A wait for part of a list releases them later, with the last part of the list. */
static void release_events(struct cu_group *group, const struct isa_wait *wait) {
  for (uint32_t i = 0; i < wait->count; i++) {
    struct cu_event *event = group_find_event(group, wait->event[i]);
    if (event)
      event->leaving = true;
  }
  for (uint32_t i = wait->more ? 0 : group->event_count; i--;)
    if (group->events[i].leaving)
      group->events[i] = group->events[--group->event_count];
}

/* An event that no copy has made yet cannot be complete. A null or released event never holds a wait. */
static bool never_made(const struct cu_group *group, uint32_t id) { return id > group->events_made; }

/* Whether a copy of event `id` is at an earlier call that not all warps have reached. With cu.meet barriers, a warp may
 * be at the wait before that; what is complete of the event then is not all of it. */
static bool to_come(const struct cu_group *group, const struct cu_call *call, uint32_t id) {
  const uint32_t place = call == &group->call ? 0 : (uint32_t)(call - group->ahead) + 1;
  for (uint32_t i = 0; i < place; i++) {
    const struct cu_call *before = i ? &group->ahead[i - 1] : &group->call;
    if (group_class_at(group, before->pc) == ISA_CLASS_COPY && before->copy.event == id)
      return true;
  }
  return false;
}

bool group_wait_holds(struct cu_group *group, const struct cu_call *call) {
  for (uint32_t i = 0; i < call->wait.count; i++) {
    uint32_t id = call->wait.event[i];
    const struct cu_event *event = group_find_event(group, id);
    if ((event ? event->in_flight > 0 : never_made(group, id)) || to_come(group, call, id))
      return true;
  }
  return false;
}

/* Whether work-items are missing at the call. They may have waited in another arm of a branch, which is reported
 * elsewhere. */
static bool diverged(const struct cu_group *group) {
  struct isa_group place;
  isa_group_place(&place, group->kernel->launch, group->linear);
  return group->call.lanes < place.items;
}

void group_check_wait(struct cu *cu, struct cu_group *group) {
  for (uint32_t i = 0; i < group->call.wait.count; i++) {
    uint32_t id = group->call.wait.event[i];
    char detail[96];
    if (group_find_event(group, id) || diverged(group))
      continue;
    snprintf(detail, sizeof detail, "event %u %s", id,
             !id                     ? "is null"
             : never_made(group, id) ? "was never created, so nothing completes it"
                                     : "is already released");
    group_hazard(cu, group, HAZARD_X12, group->call.pc, detail);
  }
}

/* Events that are no longer live do not count. Without any live event of outbound copies, it is an ordinary wait. */
bool group_wait_outbound(struct cu_group *group, const struct cu_call *call) {
  bool outbound = false;
  for (uint32_t i = 0; i < call->wait.count; i++) {
    const struct cu_event *event = group_find_event(group, call->wait.event[i]);
    if (event && event->to_lds)
      return false;
    outbound |= event != NULL;
  }
  return outbound;
}

void group_release_wait(struct cu *cu, struct cu_group *group, cycle_t now) {
  group->kernel->stats.exposed_cycles += now - group->call.complete_at;
  group->kernel->stats.waits++;
  const struct isa_wait wait = group->call.wait; /* a copy, because group_release() reuses the call */
  group_release(cu, group, STALL_WAIT_JOIN, now);
  release_events(group, &wait);
}
