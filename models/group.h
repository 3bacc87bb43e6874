/* What a work-group does together, inside a compute unit.
 *
 *     warps ──arrive──► rendezvous ──all there──► barrier, copy fence: continue
 *                       (group.c)            ├──► copy: checked (copy_check.c), then given to the group's engine
 *                                            │    (group_copy.c) or divided among its warps (lane_copy.c)
 *                                            └──► wait: until its events are complete (group_events.c)
 *
 * Who waits. With cu.meet `calls`, all warps wait at each call until the last one arrives. With `barriers` (and
 * engines, not dma.copy lanes or blocking), they wait for each other only at barriers. At a copy or copy fence, a warp
 * continues with its next instruction; the last warp to arrive gives the copy to the engine and stays for the latency.
 * At a wait, each warp stays until the events are complete. So warps may be at several calls of their group, up to
 * CU_AHEAD calls ahead of the first one that is not over; at the last of these they stay. The group acts when its last
 * warp arrives at a call: descriptors are sent and events are released in the order of the calls.
 *
 *     meet       calls                                      barriers
 *     warp 0     ......copy|  wait                          ......copy|  wait      the last to arrive
 *     warp 1     copy.......  |wait                         copy wait...........   until the events are complete
 *
 * A work-group always uses the same engine, group slot modulo engines: a copy fence orders the copies of one
 * work-group, so one engine must see them all.
 *
 * Full queues. With dma.full `stall`, a copy waits in line: when an engine has room, it takes the copy that has waited
 * longest, and the lowest slot among equals. With `retry` there is no line: the warp that arrived last issues the copy
 * again every retry_gap cycles, and the first one to try while there is room gets it:
 *
 *     cycle   0    1 .. 15   16   17 .. 31   32      retry_gap = 16, room from cycle 20 on
 *     warp    i    queue      i   queue       i      first attempt: the copy's own issue
 *
 * Invariant: until a copy is complete, it is counted in `in_flight` of its event and in copies_in_flight of its group.
 * A work-group's slot is free when its warps are done and none of its copies is in flight.
 *
 * Not modeled: the descriptor's way through registers or a descriptor memory; fairness between retrying groups. */
#ifndef MODELS_GROUP_H
#define MODELS_GROUP_H

#include "models/cu.h"

static inline enum isa_class group_class_at(const struct cu_group *group, uint32_t pc) {
  return (enum isa_class)group->kernel->info[pc].class_;
}

/* Reports a hazard of the group, at the call at which its warps wait. */
void group_hazard(struct cu *cu, const struct cu_group *group, enum isa_hazard_rule rule, uint32_t pc,
                  const char *detail);

/* Changes the bucket of all warps that wait at the call. */
void group_set_stall(struct cu *cu, const struct cu_group *group, enum stall stall, cycle_t now);

/* The call is over: after its latency from `now`, the warps that wait at it issue again. The next call that warps have
 * reached, if any, takes its place. */
void group_release(struct cu *cu, struct cu_group *group, enum stall stall, cycle_t now);

/* A copy is complete: releases the warps that waited only for it. */
void group_recheck_waits(struct cu *cu, struct cu_group *group, cycle_t now);

/* ---- events: group_events.c */

struct cu_event *group_find_event(struct cu_group *group, uint32_t id);
struct cu_event *group_add_event(struct cu_group *group, uint32_t id);

/* Whether the call is a wait and names an event that is not complete. */
bool group_wait_holds(struct cu_group *group, const struct cu_call *call);
/* Whether all copies that it waits for are outbound, including complete ones. */
bool group_wait_outbound(struct cu_group *group, const struct cu_call *call);
void group_check_wait(struct cu *cu, struct cu_group *group);
void group_release_wait(struct cu *cu, struct cu_group *group, cycle_t now);

/* ---- copies: copy_check.c, group_copy.c */

/* Reports what is wrong with the copy of the group's current call; returns how much of it moves. */
struct copy_scope copy_check(struct cu *cu, struct cu_group *group);

/* All warps have arrived at a copy; at a copy fence. */
void group_start_copy(struct cu *cu, uint32_t group_slot, cycle_t now);
void group_pass_fence(struct cu *cu, uint32_t group_slot, cycle_t now);

#endif
