#include "models/dispatcher.h"

#include <stdlib.h>

static void take_finished(struct dispatcher *dispatcher, uint32_t index, cycle_t now) {
  struct port *port = &dispatcher->cus[index]->to_dispatcher;
  const struct cu_finish *message;
  while ((message = port_peek(port, now))) {
    dispatcher->last_end = cycle_max(dispatcher->last_end, message->at);
    dispatcher->free[index]++;
    dispatcher->done++;
    port_take(port, now);
  }
}

/* One round over the CUs; returns whether a slot is left for another. */
static bool send_round(struct dispatcher *dispatcher, cycle_t now) {
  uint32_t first = dispatcher->turn;
  bool more = false;
  for (uint32_t i = 0; i < dispatcher->cu_count && dispatcher->sent < dispatcher->groups; i++) {
    uint32_t index = (first + i) % dispatcher->cu_count;
    if (!dispatcher->free[index])
      continue;
    struct cu_start message = {.linear = (uint32_t)dispatcher->sent++};
    port_send(&dispatcher->cus[index]->from_dispatcher, &message, now);
    dispatcher->turn = (index + 1) % dispatcher->cu_count;
    more |= --dispatcher->free[index] > 0;
  }
  return more && dispatcher->sent < dispatcher->groups;
}

static cycle_t dispatcher_step(void *self, cycle_t now) {
  struct dispatcher *dispatcher = self;
  cycle_t next = NEVER;
  for (uint32_t i = 0; i < dispatcher->cu_count; i++) {
    take_finished(dispatcher, i, now);
    next = cycle_min(next, port_next(&dispatcher->cus[i]->to_dispatcher));
  }
  if (send_round(dispatcher, now))
    next = now + 1;
  dispatcher->probe_left = (uint32_t)(dispatcher->groups - dispatcher->sent);
  return next;
}

bool dispatcher_init(struct dispatcher *dispatcher, struct cu **cus, uint32_t cu_count) {
  *dispatcher = (struct dispatcher){
      .component = {.name = "dispatcher", .step = dispatcher_step, .self = dispatcher},
      .cus = cus,
      .cu_count = cu_count,
      .free = calloc(cu_count, sizeof *dispatcher->free),
  };
  return dispatcher->free;
}

void dispatcher_free(struct dispatcher *dispatcher) {
  free(dispatcher->free);
  *dispatcher = (struct dispatcher){0};
}

void dispatcher_launch(struct dispatcher *dispatcher, uint64_t groups, uint32_t slots, cycle_t start) {
  for (uint32_t i = 0; i < dispatcher->cu_count; i++)
    dispatcher->free[i] = slots;
  dispatcher->turn = 0;
  dispatcher->groups = groups;
  dispatcher->sent = dispatcher->done = 0;
  dispatcher->last_end = start;
  component_wake(&dispatcher->component, start);
}
