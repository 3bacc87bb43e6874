#include "models/dispatcher.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "models/machine.h"
#include "sim/base/need.h"

/* ---- the LDS of a CU: pieces in use, lowest first ----------------------------------------------- */

static struct lds_piece *pieces_of(const struct dispatcher *dispatcher, uint32_t index) {
  return &dispatcher->pieces[(size_t)index * dispatcher->all.groups];
}

/* The lowest place where `bytes` fit, and its index among the pieces; false: they fit nowhere. */
static bool find_lds(const struct dispatcher *dispatcher, uint32_t index, uint32_t bytes, uint32_t *base,
                     uint32_t *place) {
  const struct lds_piece *pieces = pieces_of(dispatcher, index);
  const uint32_t count = dispatcher->piece_count[index];
  *base = 0;
  for (*place = 0; bytes && *place < count && pieces[*place].base - *base < bytes; ++*place)
    *base = pieces[*place].base + pieces[*place].bytes;
  return bytes <= dispatcher->all.lds - *base;
}

static uint32_t take_lds(struct dispatcher *dispatcher, uint32_t index, uint32_t bytes) {
  struct lds_piece *pieces = pieces_of(dispatcher, index);
  uint32_t base = 0, place = 0;
  if (!find_lds(dispatcher, index, bytes, &base, &place) || !bytes)
    return 0;
  memmove(&pieces[place + 1], &pieces[place], (dispatcher->piece_count[index]++ - place) * sizeof *pieces);
  pieces[place] = (struct lds_piece){base, bytes};
  return base;
}

static void free_lds(struct dispatcher *dispatcher, uint32_t index, uint32_t base, uint32_t bytes) {
  struct lds_piece *pieces = pieces_of(dispatcher, index);
  uint32_t place = 0;
  if (!bytes)
    return;
  while (place < dispatcher->piece_count[index] && pieces[place].base != base)
    place++;
  assert(place < dispatcher->piece_count[index] && "a group gives back what it was given");
  memmove(&pieces[place], &pieces[place + 1], (--dispatcher->piece_count[index] - place) * sizeof *pieces);
}

/* ---- room ----------------------------------------------------------------------------------- */

static bool fits(const struct dispatcher *dispatcher, uint32_t index, const struct dispatched *launch) {
  const struct cu_room *room = &dispatcher->free[index], *need = &launch->need;
  uint32_t base = 0, place = 0;
  return launch->sent < launch->groups && need->warps <= room->warps && need->groups <= room->groups &&
         need->registers <= room->registers && need->lds <= room->lds &&
         find_lds(dispatcher, index, need->lds, &base, &place);
}

/* The launch whose group the CU gets next; launch_count if none fits. */
static uint32_t choose(const struct dispatcher *dispatcher, uint32_t index) {
  for (uint32_t i = 0; i < dispatcher->launch_count; i++) {
    uint32_t number = (dispatcher->launch_turn + i) % dispatcher->launch_count;
    if (fits(dispatcher, index, &dispatcher->launches[number]))
      return number;
  }
  return dispatcher->launch_count;
}

/* ---- step ----------------------------------------------------------------------------------- */

static void take_finished(struct dispatcher *dispatcher, uint32_t index, cycle_t now) {
  struct port *port = &dispatcher->cus[index]->to_dispatcher;
  struct cu_room *room = &dispatcher->free[index];
  const struct cu_finish *message;
  while ((message = port_peek(port, now))) {
    const struct dispatched *launch = &dispatcher->launches[message->launch];
    dispatcher->last_end = cycle_max(dispatcher->last_end, message->at);
    dispatcher->done++;
    room->warps += launch->need.warps;
    room->groups += launch->need.groups;
    room->registers += launch->need.registers;
    room->lds += launch->need.lds;
    free_lds(dispatcher, index, message->lds, launch->need.lds);
    port_take(port, now);
  }
}

static void send(struct dispatcher *dispatcher, uint32_t index, uint32_t number, cycle_t now) {
  struct dispatched *launch = &dispatcher->launches[number];
  struct cu_room *room = &dispatcher->free[index];
  struct cu_start message = {.launch = number,
                             .linear = (uint32_t)(launch->first + launch->sent++),
                             .lds = take_lds(dispatcher, index, launch->need.lds)};
  port_send(&dispatcher->cus[index]->from_dispatcher, &message, now);
  room->warps -= launch->need.warps;
  room->groups -= launch->need.groups;
  room->registers -= launch->need.registers;
  room->lds -= launch->need.lds;
  dispatcher->sent++;
  dispatcher->passed = cycle_max(dispatcher->passed, now * dispatcher->rate) + 100;
  dispatcher->turn = (index + 1) % dispatcher->cu_count;
  dispatcher->launch_turn = (number + 1) % dispatcher->launch_count;
}

/* Whether another work-group may be sent in this cycle. Each takes 100, of which `rate` pass in a cycle. */
static bool within_rate(const struct dispatcher *dispatcher, cycle_t now) {
  return !dispatcher->rate || dispatcher->passed < (now + 1) * dispatcher->rate;
}

/* One round over the CUs; returns whether there is room for another. */
static bool send_round(struct dispatcher *dispatcher, cycle_t now) {
  uint32_t first = dispatcher->turn;
  bool more = false;
  for (uint32_t i = 0; i < dispatcher->cu_count && dispatcher->sent < dispatcher->groups; i++) {
    uint32_t index = (first + i) % dispatcher->cu_count, number = choose(dispatcher, index);
    if (number == dispatcher->launch_count)
      continue;
    if (!within_rate(dispatcher, now))
      return true;
    send(dispatcher, index, number, now);
    more |= choose(dispatcher, index) < dispatcher->launch_count;
  }
  return more && dispatcher->sent < dispatcher->groups;
}

static cycle_t dispatcher_step(void *self, cycle_t now) {
  struct dispatcher *dispatcher = self;
  cycle_t next = NEVER;
  for (uint32_t i = 0; i < dispatcher->cu_count; i++) {
    if (dispatcher->arrivals[i] <= now)
      take_finished(dispatcher, i, now);
    next = cycle_min(next, dispatcher->arrivals[i]);
  }
  if (send_round(dispatcher, now))
    next = now + 1;
  dispatcher->probe_left = (uint32_t)(dispatcher->groups - dispatcher->sent);
  return next;
}

/* ---- construction --------------------------------------------------------------------------- */

void dispatcher_init(struct dispatcher *dispatcher, struct cu **cus, const struct machine *machine) {
  const uint32_t count = machine->cu.count;
  *dispatcher = (struct dispatcher){
      .component = {.name = "dispatcher", .step = dispatcher_step, .self = dispatcher},
      .cus = cus,
      .rate = machine->cu.dispatch_rate,
      .all = {machine->cu.warps, machine->cu.groups, machine->cu.registers, machine->lds.size},
      .arrivals = need(count, sizeof *dispatcher->arrivals),
      .free = need(count, sizeof *dispatcher->free),
      .pieces = need((size_t)count * machine->cu.groups, sizeof *dispatcher->pieces),
      .piece_count = need(count, sizeof *dispatcher->piece_count),
  };
}

void dispatcher_free(struct dispatcher *dispatcher) {
  free(dispatcher->arrivals);
  free(dispatcher->free);
  free(dispatcher->pieces);
  free(dispatcher->piece_count);
  *dispatcher = (struct dispatcher){0};
}

void dispatcher_set_cus(struct dispatcher *dispatcher, uint32_t cus) {
  for (; dispatcher->cu_count < cus; dispatcher->cu_count++)
    port_next_at(&dispatcher->cus[dispatcher->cu_count]->to_dispatcher, &dispatcher->arrivals[dispatcher->cu_count]);
}

void dispatcher_launch(struct dispatcher *dispatcher, cycle_t start) {
  for (uint32_t i = 0; i < dispatcher->cu_count; i++) {
    dispatcher->free[i] = dispatcher->all;
    dispatcher->piece_count[i] = 0;
  }
  dispatcher->turn = dispatcher->launch_turn = 0;
  dispatcher->passed = 0;
  dispatcher->launch_count = 0;
  dispatcher->groups = dispatcher->sent = dispatcher->done = 0;
  dispatcher->last_end = start;
  component_wake(&dispatcher->component, start);
}

void dispatcher_add(struct dispatcher *dispatcher, uint64_t first, uint64_t groups, const struct cu_room *need) {
  assert(dispatcher->launch_count < RESULT_TOGETHER && "the caller has counted them");
  dispatcher->launches[dispatcher->launch_count++] =
      (struct dispatched){.need = *need, .first = first, .groups = groups};
  dispatcher->groups += groups;
}
