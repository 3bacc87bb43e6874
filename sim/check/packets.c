/* Ids of pipes' reservations, and the packets that they name. */
#include <stdlib.h>

#include "sim/check/check_parts.h"

/* Who asked for packets of a pipe, and what became of it: of a warp, its lanes. */
struct reserve_call {
  uint64_t pipe;
  uint64_t tried, failed; /* lanes, as of each one's last call */
  uint32_t warp, site;
  bool write;
};

/* Packets of a reservation for writing, by index: who named each last. */
struct named_packet {
  uint32_t group, when, item, site; /* group 0: nobody */
};

struct named_packets {
  uint64_t id;
  struct named_packet *packet;
};

/* As isa/pipe.h lays an id out. */
static uint32_t count_of(uint64_t id) { return (uint32_t)(id >> 24) & 0xffffff; }

static uint64_t pair_of(const struct isa_warp *warp, uint8_t reg, uint32_t lane) {
  const uint32_t lanes = warp->group->launch->warp_size, *row = warp->reg + (size_t)reg * lanes + lane;
  return (uint64_t)row[lanes] << 32 | row[0];
}

static uint32_t index_of(const struct isa_warp *warp, const struct isa_inst *inst, uint32_t lane) {
  return inst->flags & ISA_FLAG_IMM_C ? (uint32_t)inst->imm
                                      : warp->reg[(size_t)inst->c * warp->group->launch->warp_size + lane];
}

void packets_operands(struct check_warp *warp, const struct isa_warp *isa, const struct isa_inst *inst) {
  for (uint32_t lane = 0; lane < isa->group->launch->warp_size; lane++) {
    warp->pipe[lane] = pair_of(isa, inst->a, lane);
    warp->id[lane] = pair_of(isa, inst->b, lane);
    warp->index_of_packet[lane] = index_of(isa, inst, lane);
  }
}

/* ---- packets that two work-items name --------------------------------------------------------- */

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
  if (checker->packet_count == checker->packet_room) {
    checker->packet_room = 2 * checker->packet_room + 16;
    checker->packets = need_more(checker->packets, checker->packet_room, sizeof *checker->packets);
  }
  found = &checker->packets[checker->packet_count++];
  *found = (struct named_packets){.id = id, .packet = need(count_of(id), sizeof *found->packet)};
  return found;
}

/* Any barrier between the two will do, of the work-group or of their sub-group. */
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
                                      .launch = checker->first_launch + checker->sites[site].launch,
                                      .here = check_side_of(checker, site, group->number, item, false),
                                      .other = check_side_of(checker, last->site, last->group, last->item, false)};
  hazards_add(checker, &hazard);
}

void packets_slot(struct check_unit *unit, struct check_group *group, const struct check_warp *warp, uint32_t site,
                  const struct isa_warp *isa, const struct isa_result *result) {
  const struct isa_launch *launch = group->shape->launch;
  const struct isa_inst *inst = &launch->program->code[result->pc];
  if (!isa_is_pipe_write((enum isa_op)inst->op))
    return;
  for (uint64_t left = result->mask; left; left &= left - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctzll(left), item = warp->index * launch->warp_size + lane;
    if (!pair_of(isa, inst->d, lane)) /* there is no such packet */
      continue;
    struct named_packet *packet = &packets_of(unit->checker, warp->id[lane])->packet[warp->index_of_packet[lane]];
    if (packet->group && !is_ordered(group, warp, packet, item))
      report_race(unit, group, packet, site, item);
    *packet = (struct named_packet){group->number, group->time, item, site};
  }
}

void packets_commit(struct check_unit *unit, struct check_warp *warp, const struct isa_access *access) {
  struct checker *checker = unit->checker;
  for (uint64_t left = access->mask; left; left &= left - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctzll(left);
    warp->pipe[lane] = access->address[lane];
    warp->id[lane] = (uint64_t)access->data[2 * lane + 1] << 32 | access->data[2 * lane];
    struct named_packets *packets = find_packets(checker, warp->id[lane]);
    if (!packets)
      continue;
    free(packets->packet);
    *packets = checker->packets[--checker->packet_count];
  }
}

/* ---- what an invalid id is --------------------------------------------------------------------- */

static struct reserve_call *call_of(struct check_group *group, uint64_t pipe, bool write, uint32_t warp) {
  for (uint32_t i = 0; i < group->reserve_count; i++) {
    struct reserve_call *call = &group->reserves[i];
    if (call->pipe == pipe && call->write == write && call->warp == warp)
      return call;
  }
  if (group->reserve_count == group->reserve_room) {
    group->reserve_room = 2 * group->reserve_room + 4;
    group->reserves = need_more(group->reserves, group->reserve_room, sizeof *group->reserves);
  }
  struct reserve_call *call = &group->reserves[group->reserve_count++];
  *call = (struct reserve_call){.pipe = pipe, .write = write, .warp = warp};
  return call;
}

void packets_reserve(struct check_group *group, const struct check_warp *warp, uint32_t site,
                     const struct isa_access *access) {
  for (uint64_t left = access->mask; left; left &= left - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctzll(left);
    struct reserve_call *call =
        call_of(group, access->address[lane], isa_is_pipe_write((enum isa_op)access->inst->op), warp->index);
    call->tried |= UINT64_C(1) << lane;
    call->failed &= ~(UINT64_C(1) << lane);
    call->site = site;
  }
}

void packets_reserved(struct check_group *group, const struct check_warp *warp, const struct isa_access *access) {
  for (uint64_t left = access->mask; left; left &= left - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctzll(left);
    if (!pair_of(access->warp, access->inst->d, lane))
      call_of(group, access->address[lane], isa_is_pipe_write((enum isa_op)access->inst->op), warp->index)->failed |=
          UINT64_C(1) << lane;
  }
}

/* The call whose failure the work-item has not looked at; *any is set when there was a call at all. */
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

bool packets_invalid(struct check_unit *unit, struct check_group *group, const struct check_warp *warp,
                     const struct isa_hazard *hazard) {
  const struct isa_launch *launch = group->shape->launch;
  const uint32_t lane = hazard->item % launch->warp_size;
  const bool write = isa_is_pipe_write((enum isa_op)launch->program->code[hazard->pc].op);
  bool any = false;
  const struct reserve_call *failed =
      failed_call(group, warp->pipe[lane], write, warp->index, UINT64_C(1) << lane, &any);
  if (any && (!failed || warp->id[lane]))
    return false;
  struct checker *checker = unit->checker;
  struct check_hazard found = {
      .rule = any ? HAZARD_R14 : HAZARD_R1,
      .launch = checker->first_launch + launch->number,
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

void packets_free(struct checker *checker) {
  for (uint32_t i = 0; i < checker->packet_count; i++)
    free(checker->packets[i].packet);
  free(checker->packets);
  checker->packets = NULL;
  checker->packet_count = checker->packet_room = 0;
}
