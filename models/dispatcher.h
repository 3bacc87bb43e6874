/* The dispatcher: hands the work-groups of a launch to compute units.
 *
 * Each CU has as many group slots as its occupancy allows. In every cycle the dispatcher sends at most
 * one work-group to each CU that has a free slot, lowest-numbered group first, beginning with the CU
 * after the one served last; a slot is free again dispatch_latency after its group has ended.
 *
 * Invariant: every work-group is sent exactly once, and the launch is over when all have come back.
 *
 * Not modelled: several launches at a time, priorities, launch overhead of a driver. */
#ifndef MODELS_DISPATCHER_H
#define MODELS_DISPATCHER_H

#include "models/cu.h"

struct dispatcher {
  struct component component;
  struct cu **cus;
  uint32_t cu_count;
  uint32_t *free; /* group slots of each CU */
  uint32_t turn;  /* CU that is served first */
  uint64_t groups, sent, done;
  cycle_t last_end;    /* when the last group to end has ended */
  uint32_t probe_left; /* groups not yet sent */
};

bool dispatcher_init(struct dispatcher *dispatcher, struct cu **cus, uint32_t cu_count);
void dispatcher_free(struct dispatcher *dispatcher);

/* Begins a launch of `groups` work-groups at cycle `start`, `slots` at a time in each CU. */
void dispatcher_launch(struct dispatcher *dispatcher, uint64_t groups, uint32_t slots, cycle_t start);

static inline bool dispatcher_finished(const struct dispatcher *dispatcher) {
  return dispatcher->done == dispatcher->groups;
}

#endif
