/* What a work-group does together, inside a compute unit.
 *
 *     warps ──arrive──► rendezvous ──all there──► barrier, copy fence: go on
 *                       (group.c)            ├──► copy: checked (copy_check.c), then handed to the group's engine
 *                                            │    (group_copy.c) or dealt to its warps (lane_copy.c)
 *                                            └──► wait: until its events are complete (group_events.c)
 *
 * Who meets. With cu.meet calls all warps stand at each of these until the last has arrived. With barriers (and
 * engines, not dma.copy lanes or blocking) they meet at barriers alone: at a copy or a copy fence a warp goes on with
 * its next instruction and the last to arrive hands the copy over and stays for its latency; at a wait each warp stays
 * until the events are complete. Warps are then at several calls of their group, as many as CU_AHEAD beyond the first
 * that one of them has not reached; at the last of these they stay. What happens to the group happens when
 * its last warp arrives at the call: descriptors go out and events are released in the order of the calls.
 *
 *     meet       calls                                      barriers
 *     warp 0     ......copy|  wait                          ......copy|  wait      the last to arrive
 *     warp 1     copy.......  |wait                         copy wait...........   until the events are complete
 *
 * A work-group keeps to one engine, group slot modulo engines: a copy fence orders the copies of one work-group, and
 * so needs to see them all in one place.
 *
 * Invariant: from its note to its completion a copy is in `under_way` of its event and in copies_under_way of its
 * group; a work-group's slot is free again when its warps have finished and it has none under way.
 *
 * Full queues. With dma.full stall a copy stands in line: an engine with room takes the one that has waited
 * longest, ties go to the lowest slot. With retry nobody keeps a line: the group's warp that arrived last issues the
 * copy again every retry_gap cycles, and whoever asks when there is room gets it:
 *
 *     cycle   0    1 .. 15   16   17 .. 31   32      retry_gap = 16, room from cycle 20 on
 *     warp    i    queue      i   queue       i      first attempt: the copy's own issue
 *
 * Not modelled: the descriptor's way through registers or a descriptor memory; fairness between retrying groups. */
#ifndef MODELS_GROUP_H
#define MODELS_GROUP_H

#include "models/cu.h"

static inline enum isa_class group_class_at(const struct cu_group *group, uint32_t pc) {
  return (enum isa_class)group->kernel->info[pc].class_;
}

/* A hazard of the group, at the call its warps stand at. */
void group_hazard(struct cu *cu, const struct cu_group *group, enum isa_hazard_rule rule, uint32_t pc,
                  const char *detail);

/* Changes the bucket of all warps that stand at the rendezvous. */
void group_set_stall(struct cu *cu, const struct cu_group *group, enum stall stall, cycle_t now);

/* All warps that stand at the rendezvous leave it, the latency of what they stand at after `now`; the next call, if
 * some are there already, takes its place. */
void group_release(struct cu *cu, struct cu_group *group, enum stall stall, cycle_t now);

/* A copy is complete: lets those go that wait for no more. */
void group_look_at_waits(struct cu *cu, struct cu_group *group, cycle_t now);

/* ---- events: group_events.c */

struct cu_event *group_find_event(struct cu_group *group, uint32_t id);
struct cu_event *group_add_event(struct cu_group *group, uint32_t id);

/* Whether the call, if it is a wait, names an event that is not complete. */
bool group_wait_holds(struct cu_group *group, const struct cu_call *call);
/* Whether all copies that it waits for are, or were, outbound ones. */
bool group_wait_outbound(struct cu_group *group, const struct cu_call *call);
void group_check_wait(struct cu *cu, struct cu_group *group);
void group_release_wait(struct cu *cu, struct cu_group *group, cycle_t now);

/* ---- copies: copy_check.c, group_copy.c */

/* Reports what is wrong with the copy at which the group stands, and says what of it is to be moved. */
struct copy_scope copy_check(struct cu *cu, struct cu_group *group);

/* The copy that the work-group is at, as lines: what of a descriptor does not depend on how much of it is moved. */
struct dma_descriptor copy_lines(const struct cu_group *group);

/* All warps have arrived at a copy, or at a copy fence. */
void group_start_copy(struct cu *cu, uint32_t group_slot, cycle_t now);
void group_pass_fence(struct cu *cu, uint32_t group_slot, cycle_t now);

#endif
