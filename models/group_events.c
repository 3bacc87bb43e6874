/* Events of a work-group: which are live, and what a wait for them says. */
#include <stdio.h>
#include <stdlib.h>

#include "models/group.h"
#include "sim/base/need.h"

struct cu_event *group_find_event(struct cu_group *group, uint32_t id) {
  for (uint32_t i = 0; i < group->event_count; i++)
    if (group->events[i].id == id)
      return &group->events[i];
  return NULL;
}

/* Live events are few, so they are kept in a list; a kernel that piles them up makes it longer. */
struct cu_event *group_add_event(struct cu_group *group, uint32_t id) {
  if (group->event_count == group->event_room) {
    uint32_t room = group->event_room ? 2 * group->event_room : 8;
    group->events = need_more(group->events, room, sizeof *group->events);
    group->event_room = room;
  }
  struct cu_event *event = &group->events[group->event_count++];
  *event = (struct cu_event){.id = id};
  return event;
}

/* The events of the wait are released; those of a part of a list once the wait comes that ends it. */
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

/* An event that no copy has made yet cannot complete; a null or released one never holds a wait up. */
static bool never_made(const struct cu_group *group, uint32_t id) { return id > group->events_made; }

/* Whether a copy of event `id` comes before the call and its last warp has yet to come to it: where warps meet at
 * barriers alone, one may stand at the wait already, and what is complete of the event so far is not all of it. */
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
    if ((event ? event->under_way > 0 : never_made(group, id)) || to_come(group, call, id))
      return true;
  }
  return false;
}

/* Whether work-items are missing: in another arm of a branch some may have waited before, and that is told. */
static bool parted(const struct cu_group *group) {
  struct isa_group place;
  isa_group_place(&place, group->kernel->launch, group->linear);
  return group->call.lanes < place.items;
}

void group_check_wait(struct cu *cu, struct cu_group *group) {
  for (uint32_t i = 0; i < group->call.wait.count; i++) {
    uint32_t id = group->call.wait.event[i];
    char detail[96];
    if (group_find_event(group, id) || parted(group))
      continue;
    snprintf(detail, sizeof detail, "event %u %s", id,
             !id                     ? "is null"
             : never_made(group, id) ? "was never created, so nothing completes it"
                                     : "is already released");
    group_hazard(cu, group, HAZARD_X12, group->call.pc, detail);
  }
}

/* An event that is no longer live says nothing; a wait for none of outbound copies is like any other. */
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
  const struct isa_wait wait = group->call.wait; /* the next call takes its place */
  group_release(cu, group, STALL_WAIT_JOIN, now);
  release_events(group, &wait);
}
