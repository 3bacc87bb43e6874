/* Ids of pipes' reservations, and the packets that they refer to. */
#include <stdio.h>
#include <stdlib.h>

#include "sim/check/check_parts.h"

/* The lanes of a warp that tried to reserve packets of a pipe, and the result. */
struct reserve_call {
  uint64_t pipe;
  uint64_t tried, failed; /* lanes, by each one's last call */
  uint32_t warp, site;
  bool write;
};

/* Packets of a reservation for writing, by index: the work-item that last referred to each. */
struct named_packet {
  uint32_t group, when, item, site; /* group 0: none */
};

struct named_packets {
  uint64_t id;
  struct named_packet *packet;
};

/* The launch that last reserved from a position in a pipe's ring. It stays after the commit, because a later launch may
 * still have the id. There are at most as many as packets in the pipes. */
struct reserved_by {
  uint64_t id;
  uint32_t launch;
};

/* Fields of an id; isa/pipe.h defines its layout. */
static uint32_t count_of(uint64_t id) { return (uint32_t)(id >> 24) & 0xffffff; }
static uint64_t place_of(uint64_t id) { return id & (UINT64_C(0xffffff) | UINT64_C(1) << 54 | UINT64_C(63) << 57); }

/* ---- ids of other launches --------------------------------------------------------------------- */

/* NULL: nothing was reserved from the position of this id. */
static struct reserved_by *find_reserved(const struct checker *checker, uint64_t id) {
  for (size_t at = 0, i; map_next(&checker->reserved_map, hash_number(place_of(id)), &at, &i);)
    if (place_of(checker->reserved[i].id) == place_of(id))
      return &checker->reserved[i];
  return NULL;
}

static void note_reserved(struct checker *checker, uint64_t id, uint32_t launch) {
  struct reserved_by *reserved = find_reserved(checker, id);
  if (!reserved) {
    map_add(&checker->reserved_map, hash_number(place_of(id)), checker->reserved_count);
    reserved = vector_next(checker->reserved, checker->reserved_count, checker->reserved_room);
  }
  *reserved = (struct reserved_by){id, launch};
}

static bool is_foreign(const struct checker *checker, const struct check_group *group, uint64_t id) {
  const struct reserved_by *reserved = id ? find_reserved(checker, id) : NULL;
  return reserved && reserved->id == id && reserved->launch != checker->filters.first + group->launch;
}

static void report_foreign(struct checker *checker, const struct check_group *group, uint32_t pc, uint32_t item,
                           uint64_t id) {
  const uint32_t *at = group->shape->id;
  struct check_hazard found = {.rule = HAZARD_R8,
                               .launch = checker->filters.first + group->launch,
                               .here = {group->shape->launch->program, pc, {at[0], at[1], at[2]}, item, false}};
  snprintf(found.detail, sizeof found.detail, "launch %u reserved these packets, but this is launch %u",
           find_reserved(checker, id)->launch + 1, found.launch + 1);
  hazards_add(checker, &found);
}

static uint64_t pair_of(const struct isa_warp *warp, uint8_t reg, uint32_t lane) {
  const uint32_t lanes = warp->group->launch->warp_size, *row = warp->reg + (size_t)reg * lanes + lane;
  return (uint64_t)row[lanes] << 32 | row[0];
}

static uint32_t index_of(const struct isa_warp *warp, const struct isa_inst *inst, uint32_t lane) {
  return inst->flags & ISA_FLAG_IMM_C ? (uint32_t)inst->imm
                                      : warp->reg[(size_t)inst->c * warp->group->launch->warp_size + lane];
}

/* Replies, and hazards of their ids, arrive some operations later. */
enum { STEPS_KEPT = 8 };

/* An operation on a packet, or a commit: its operands, per lane. */
struct pipe_step {
  uint32_t pc;
  uint64_t pipe[ISA_LANES], id[ISA_LANES];
  uint32_t index[ISA_LANES]; /* of the packet */
};

static struct pipe_step *next_step(struct check_warp *warp, uint32_t pc) {
  if (!warp->pipe_steps)
    warp->pipe_steps = need(STEPS_KEPT, sizeof *warp->pipe_steps);
  struct pipe_step *step = &warp->pipe_steps[warp->pipe_step_count++ % STEPS_KEPT];
  step->pc = pc;
  return step;
}

/* The warp's last step at this instruction; NULL when it is too long ago. */
static const struct pipe_step *last_step(const struct check_warp *warp, uint32_t pc) {
  for (uint32_t back = 1; back <= STEPS_KEPT && back <= warp->pipe_step_count; back++) {
    const struct pipe_step *step = &warp->pipe_steps[(warp->pipe_step_count - back) % STEPS_KEPT];
    if (step->pc == pc)
      return step;
  }
  return NULL;
}

void packets_operands(struct check_warp *warp, const struct isa_warp *isa) {
  const struct isa_inst *inst = &isa->group->launch->program->code[isa->pc];
  struct pipe_step *step = next_step(warp, isa->pc);
  for (uint32_t lane = 0; lane < isa->group->launch->warp_size; lane++) {
    step->pipe[lane] = pair_of(isa, inst->a, lane);
    step->id[lane] = pair_of(isa, inst->b, lane);
    step->index[lane] = index_of(isa, inst, lane);
  }
}

/* ---- packets that two work-items use ------------------------------------------------------------- */

static struct named_packets *find_packets(struct checker *checker, uint64_t id) {
  for (uint32_t i = 0; i < checker->packet_count; i++)
    if (checker->packets[i].id == id)
      return &checker->packets[i];
  return NULL;
}

static struct named_packets *packets_of(struct checker *checker, uint64_t id) {
  struct named_packets *found = find_packets(checker, id);
  if (found)
    return found;
  found = vector_next(checker->packets, checker->packet_count, checker->packet_room);
  *found = (struct named_packets){.id = id, .packet = need(count_of(id), sizeof *found->packet)};
  return found;
}

/* Any barrier between the two orders them, of the work-group or of their sub-group. */
static bool is_ordered(const struct check_group *group, const struct check_warp *warp, const struct named_packet *last,
                       uint32_t item) {
  const uint32_t lanes = group->shape->launch->warp_size;
  if (last->group != group->number)
    return false;
  if (last->item == item || last->when < group->barrier)
    return true;
  return last->item / lanes == warp->index &&
         (last->when < warp->epoch[CHECK_LDS] || last->when < warp->epoch[CHECK_GLOBAL]);
}

static void report_race(struct check_unit *unit, const struct check_group *group, const struct named_packet *last,
                        uint32_t site, uint32_t item) {
  struct checker *checker = unit->checker;
  const struct check_hazard hazard = {.rule = HAZARD_R13,
                                      .launch = checker->filters.first + checker->sites[site].launch,
                                      .here = check_side_of(checker, site, group->number, item, false),
                                      .other = check_side_of(checker, last->site, last->group, last->item, false)};
  hazards_add(checker, &hazard);
}

void packets_slot(struct check_unit *unit, struct check_group *group, const struct check_warp *warp, uint32_t site,
                  const struct isa_warp *isa, const struct isa_result *result) {
  const struct isa_launch *launch = group->shape->launch;
  const struct isa_inst *inst = &launch->program->code[result->pc];
  const bool write = isa_is_pipe_write(inst->op);
  const struct pipe_step *step = last_step(warp, result->pc);
  for (uint64_t left = result->mask; left; left &= left - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctzll(left), item = warp->index * launch->warp_size + lane;
    if (!pair_of(isa, inst->d, lane)) /* there is no such packet */
      continue;
    if (is_foreign(unit->checker, group, step->id[lane]))
      report_foreign(unit->checker, group, result->pc, item, step->id[lane]);
    if (!write)
      continue;
    struct named_packet *packet = &packets_of(unit->checker, step->id[lane])->packet[step->index[lane]];
    if (packet->group && !is_ordered(group, warp, packet, item))
      report_race(unit, group, packet, site, item);
    *packet = (struct named_packet){group->number, group->time, item, site};
  }
}

void packets_commit(struct check_unit *unit, struct check_warp *warp, const struct isa_access *access) {
  struct checker *checker = unit->checker;
  struct pipe_step *step = next_step(warp, access->pc);
  for (uint64_t left = access->mask; left; left &= left - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctzll(left);
    step->pipe[lane] = access->address[lane];
    step->id[lane] = (uint64_t)access->data[2 * lane + 1] << 32 | access->data[2 * lane];
    struct named_packets *packets = find_packets(checker, step->id[lane]);
    if (!packets)
      continue;
    free(packets->packet);
    *packets = checker->packets[--checker->packet_count];
  }
}

/* ---- causes of invalid ids --------------------------------------------------------------------------- */

static struct reserve_call *call_of(struct check_group *group, uint64_t pipe, bool write, uint32_t warp) {
  for (uint32_t i = 0; i < group->reserve_count; i++) {
    struct reserve_call *call = &group->reserves[i];
    if (call->pipe == pipe && call->write == write && call->warp == warp)
      return call;
  }
  struct reserve_call *call = vector_next(group->reserves, group->reserve_count, group->reserve_room);
  *call = (struct reserve_call){.pipe = pipe, .write = write, .warp = warp};
  return call;
}

void packets_reserve(struct check_group *group, const struct check_warp *warp, uint32_t site,
                     const struct isa_access *access) {
  for (uint64_t left = access->mask; left; left &= left - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctzll(left);
    struct reserve_call *call = call_of(group, access->address[lane], isa_is_pipe_write(access->inst->op), warp->index);
    call->tried |= UINT64_C(1) << lane;
    call->failed &= ~(UINT64_C(1) << lane);
    call->site = site;
  }
}

void packets_reserved(struct check_unit *unit, struct check_group *group, const struct check_warp *warp,
                      const struct isa_access *access) {
  for (uint64_t left = access->mask; left; left &= left - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctzll(left);
    const uint64_t id = pair_of(access->warp, access->inst->d, lane);
    if (id)
      note_reserved(unit->checker, id, unit->checker->filters.first + group->launch);
    else
      call_of(group, access->address[lane], isa_is_pipe_write(access->inst->op), warp->index)->failed |= UINT64_C(1)
                                                                                                         << lane;
  }
}

/* The failed call whose result the work-item did not check. Sets *any if there was a call at all. */
static const struct reserve_call *failed_call(const struct check_group *group, uint64_t pipe, bool write, uint32_t warp,
                                              uint64_t lane, bool *any) {
  const struct reserve_call *others = NULL;
  bool own = false;
  for (uint32_t i = 0; i < group->reserve_count; i++) {
    const struct reserve_call *call = &group->reserves[i];
    if (call->pipe != pipe || call->write != write)
      continue;
    *any = true;
    if (call->warp == warp && call->tried & lane) {
      own = true;
      others = call->failed & lane ? call : NULL;
    } else if (!own && call->failed) {
      others = call;
    }
  }
  return others;
}

bool packets_take(struct check_unit *unit, struct check_group *group, const struct check_warp *warp,
                  const struct isa_hazard *hazard) {
  const struct isa_launch *launch = group->shape->launch;
  const uint32_t lane = hazard->item % launch->warp_size;
  const struct pipe_step *step = last_step(warp, hazard->pc);
  if (!step)
    return false;
  if (is_foreign(unit->checker, group, step->id[lane])) {
    report_foreign(unit->checker, group, hazard->pc, hazard->item, step->id[lane]);
    return true;
  }
  if (hazard->rule != HAZARD_R2)
    return false;
  const bool write = isa_is_pipe_write(launch->program->code[hazard->pc].op);
  bool any = false;
  const struct reserve_call *failed =
      failed_call(group, step->pipe[lane], write, warp->index, UINT64_C(1) << lane, &any);
  if (any && (step->id[lane] || !failed))
    return false;
  struct checker *checker = unit->checker;
  struct check_hazard found = {
      .rule = any ? HAZARD_R2 : HAZARD_R1,
      .launch = checker->filters.first + launch->number,
      .here = {
          launch->program, hazard->pc, {hazard->group[0], hazard->group[1], hazard->group[2]}, hazard->item, false}};
  if (failed)
    found.other = check_side_of(checker, failed->site, group->number, hazard->item, false);
  for (size_t i = 0; i < sizeof found.detail; i++)
    found.detail[i] = hazard->detail[i];
  hazards_add(checker, &found);
  return true;
}

void packets_free_group(struct check_group *group) { free(group->reserves); }

void packets_free_warp(struct check_warp *warp) { free(warp->pipe_steps); }

void packets_free(struct checker *checker) {
  for (uint32_t i = 0; i < checker->packet_count; i++)
    free(checker->packets[i].packet);
  free(checker->packets);
  checker->packets = NULL;
  checker->packet_count = checker->packet_room = 0;
}

void packets_free_reserved(struct checker *checker) {
  map_free(&checker->reserved_map);
  free(checker->reserved);
}
