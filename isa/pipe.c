#include "isa/pipe.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/ops.h"
#include "isa/step.h"
#include "sim/base/map.h"
#include "sim/base/need.h"

const char *const isa_pipe_kinds[ISA_PIPE_KINDS] = {"item", "group", "subgroup", "packet"};

static const struct stat_row stat_rows[] = {
#define STAT(...) STAT_ROW(struct isa_pipe_stats, __VA_ARGS__)
#include "isa/pipe.stats.def"
#undef STAT
};
const struct stat_group isa_pipe_stat_group = {"pipes", "Pipes", stat_rows, sizeof stat_rows / sizeof *stat_rows};

/* ---- ids ---------------------------------------------------------------------------------------- */

enum { COUNT_SHIFT = 24, LAP_SHIFT = 48, WRITE_SHIFT = 54, KIND_SHIFT = 55, PIPE_SHIFT = 57, LAPS = 64 };

static uint64_t make_id(const struct isa_pipe *pipe, enum isa_pipe_direction direction, enum isa_pipe_kind kind,
                        uint64_t first, uint32_t count) {
  return first % pipe->max_packets | (uint64_t)count << COUNT_SHIFT | first / pipe->max_packets % LAPS << LAP_SHIFT |
         (uint64_t)direction << WRITE_SHIFT | (uint64_t)kind << KIND_SHIFT | (uint64_t)pipe->number << PIPE_SHIFT;
}

static uint32_t id_position(uint64_t id) { return id & ISA_MOST_PACKETS; }
static uint32_t id_count(uint64_t id) { return id >> COUNT_SHIFT & ISA_MOST_PACKETS; }
static enum isa_pipe_kind id_kind(uint64_t id) { return (enum isa_pipe_kind)(id >> KIND_SHIFT & 3); }

/* Any 64 bits may arrive as an id. Returns HAZARDS if they belong to a reservation that this pipe may have made. */
static enum isa_hazard_rule check_id(const struct isa_pipe *pipe, enum isa_pipe_direction direction, uint64_t id) {
  if (id + 1 <= 1 || id >> PIPE_SHIFT > ISA_MOST_PIPES || !(id >> PIPE_SHIFT) || !id_count(id))
    return HAZARD_R2;
  if (id >> PIPE_SHIFT != pipe->number || (id >> WRITE_SHIFT & 1) != (uint64_t)direction)
    return HAZARD_R9;
  return id_position(id) < pipe->max_packets && id_count(id) <= pipe->max_packets ? HAZARDS : HAZARD_R2;
}

/* Describes an id in words. */
enum { ID_TEXT = 120 };
static void describe_id(const struct isa_pipe *pipe, uint64_t id, char text[ID_TEXT]) {
  const bool made = id + 1 > 1 && id >> PIPE_SHIFT <= ISA_MOST_PIPES && id >> PIPE_SHIFT && id_count(id);
  if (id == UINT64_MAX)
    snprintf(text, ID_TEXT, "the null id, in pipe '%.40s'", pipe->name);
  else if (!id)
    snprintf(text, ID_TEXT, "the id of a failed reservation (0), in pipe '%.40s'", pipe->name);
  else if (!made)
    snprintf(text, ID_TEXT, "0x%" PRIx64 ", which is not a reservation's id, in pipe '%.40s'", id, pipe->name);
  else
    snprintf(text, ID_TEXT, "%s of %u packet%s from position %u, used with pipe '%.40s'",
             id >> WRITE_SHIFT & 1 ? "a write" : "a read", id_count(id), id_count(id) == 1 ? "" : "s", id_position(id),
             pipe->name);
}

/* ---- construction ------------------------------------------------------------------------------- */

uint64_t isa_pipe_bytes(uint32_t packet_size, uint32_t max_packets) {
  return ISA_PIPE_HEADER + (uint64_t)packet_size * max_packets;
}

/* Writes the counters to memory, too, so that a memory dump shows them. */
static void mirror(const struct isa_pipe *pipe) {
  const uint64_t counters[4] = {pipe->reserved[ISA_PIPE_WRITE], pipe->done[ISA_PIPE_WRITE],
                                pipe->reserved[ISA_PIPE_READ], pipe->done[ISA_PIPE_READ]};
  memcpy(pipe->data, counters, sizeof counters);
}

void isa_pipe_init(struct isa_pipe *pipe, const char *name, uint32_t number, uint64_t base, uint8_t *data,
                   uint32_t packet_size, uint32_t max_packets) {
  assert(max_packets && max_packets <= ISA_MOST_PACKETS && number && number <= ISA_MOST_PIPES && "ids have room");
  const uint32_t sizes[2] = {packet_size, max_packets};
  *pipe = (struct isa_pipe){.base = base,
                            .data = data,
                            .packet_size = packet_size,
                            .max_packets = max_packets,
                            .number = number,
                            .limit = UINT32_MAX};
  snprintf(pipe->name, sizeof pipe->name, "%s", name);
  memcpy(data + ISA_PIPE_SIZES, sizes, sizeof sizes);
  mirror(pipe);
  pipe->written = need(max_packets / 8 + 1, 1);
}

void isa_pipe_free(struct isa_pipe *pipe) {
  free(pipe->queue[ISA_PIPE_READ].at);
  free(pipe->queue[ISA_PIPE_WRITE].at);
  free(pipe->written);
  *pipe = (struct isa_pipe){0};
}

size_t isa_channel_pipes(const struct isa_program *program) {
  size_t count = 0;
  for (size_t i = 0; i < program->channel_count; i++)
    count += program->channels[i].count;
  return count;
}

void isa_channels_init(const struct isa_program *program, uint8_t *variables, struct isa_pipe *pipes) {
  enum { SHOWN = 50 };
  size_t made = 0;
  memset(pipes, 0, isa_channel_pipes(program) * sizeof *pipes);
  for (size_t i = 0; i < program->channel_count; i++) {
    const struct isa_channel *channel = &program->channels[i];
    for (uint32_t k = 0; k < channel->count; k++, made++) {
      char name[sizeof pipes->name];
      snprintf(name, sizeof name, channel->count > 1 ? "%.*s[%u]" : "%.*s", SHOWN, channel->name, k);
      const uint64_t offset = channel->offset + k * channel->pitch;
      isa_pipe_init(&pipes[made], name, ISA_MOST_PIPES - (uint32_t)made, ISA_VARIABLE_BASE + offset, variables + offset,
                    channel->packet_size, channel->max_packets);
    }
  }
}

struct isa_pipe *isa_pipe_find(const struct isa_memory *memory, uint64_t address) {
  for (size_t i = 0; i < memory->pipe_count; i++)
    if (memory->pipes[i].base == address)
      return &memory->pipes[i];
  return NULL;
}

/* ---- queues ------------------------------------------------------------------------------------- */

static struct isa_reservation *in_queue(const struct isa_pipe_queue *queue, uint32_t i) {
  return &queue->at[(queue->first + i) & (queue->room - 1)];
}

/* Few reservations are open at a time. A kernel that accumulates them makes the list grow. */
static struct isa_reservation *append(struct isa_pipe_queue *queue) {
  if (queue->count == queue->room) {
    struct isa_pipe_queue larger = {.room = queue->room ? 2 * queue->room : 16, .count = queue->count};
    larger.at = need(larger.room, sizeof *larger.at);
    for (uint32_t i = 0; i < queue->count; i++)
      larger.at[i] = *in_queue(queue, i);
    free(queue->at);
    *queue = larger;
  }
  return in_queue(queue, queue->count++);
}

/* The reservation with this id. Binary search, because reservations are in the order of their packets. */
static struct isa_reservation *find(const struct isa_pipe *pipe, const struct isa_pipe_queue *queue, uint64_t id) {
  if (!queue->count)
    return NULL;
  const uint64_t oldest = in_queue(queue, 0)->first, size = pipe->max_packets;
  const uint64_t first = oldest + (id_position(id) + size - oldest % size) % size;
  uint32_t low = 0, high = queue->count;
  while (high - low > 1) {
    const uint32_t middle = low + (high - low) / 2;
    if (in_queue(queue, middle)->first <= first)
      low = middle;
    else
      high = middle;
  }
  return in_queue(queue, low)->id == id ? in_queue(queue, low) : NULL;
}

/* ---- written packets, for R7 -------------------------------------------------------------------- */

static bool is_written(const struct isa_pipe *pipe, uint64_t packet) {
  const uint32_t position = (uint32_t)(packet % pipe->max_packets);
  return pipe->written[position / 8] >> position % 8 & 1;
}

static void set_written(const struct isa_pipe *pipe, uint64_t packet, bool written) {
  const uint32_t position = (uint32_t)(packet % pipe->max_packets);
  const uint8_t bit = (uint8_t)(1u << position % 8);
  pipe->written[position / 8] = (uint8_t)((pipe->written[position / 8] & ~bit) | (written ? bit : 0));
}

static bool all_written(const struct isa_pipe *pipe, const struct isa_reservation *reservation) {
  for (uint32_t i = 0; i < reservation->count; i++)
    if (!is_written(pipe, reservation->first + i))
      return false;
  return true;
}

/* ---- the operations ------------------------------------------------------------------------------ */

uint64_t isa_pipe_available(const struct isa_pipe *pipe, enum isa_pipe_direction direction) {
  if (direction == ISA_PIPE_READ)
    return pipe->done[ISA_PIPE_WRITE] - pipe->reserved[ISA_PIPE_READ];
  return pipe->max_packets - (pipe->reserved[ISA_PIPE_WRITE] - pipe->done[ISA_PIPE_READ]);
}

/* Why a request cannot be served now: the counter for it, or NULL. */
static uint64_t *refusal(struct isa_pipe *pipe, enum isa_pipe_direction direction, enum isa_pipe_kind kind,
                         uint32_t count) {
  if (!count || count > isa_pipe_available(pipe, direction))
    return direction == ISA_PIPE_READ ? &pipe->stats.empty : &pipe->stats.full;
  return kind != ISA_PIPE_PACKET && pipe->open >= pipe->limit ? &pipe->stats.over_limit : NULL;
}

uint64_t isa_pipe_reserve(struct isa_pipe *pipe, enum isa_pipe_direction direction, enum isa_pipe_kind kind,
                          uint32_t count, const struct isa_pipe_user *user) {
  uint64_t *refused = refusal(pipe, direction, kind, count);
  if (refused) {
    ++*refused;
    return 0;
  }
  const uint64_t first = pipe->reserved[direction];
  struct isa_reservation *made = append(&pipe->queue[direction]);
  *made = (struct isa_reservation){.id = make_id(pipe, direction, kind, first, count),
                                   .first = first,
                                   .count = count,
                                   .launch = pipe->launch,
                                   .user = *user};
  pipe->reserved[direction] += count;
  if (kind != ISA_PIPE_PACKET) {
    pipe->open++;
    pipe->stats.reservations++;
  }
  for (uint32_t i = 0; i < count && direction == ISA_PIPE_WRITE && kind != ISA_PIPE_PACKET; i++)
    set_written(pipe, first + i, false);
  mirror(pipe);
  return made->id;
}

/* Lets the committed reservations take effect that have no open one before them. */
static void retire(struct isa_pipe *pipe, enum isa_pipe_direction direction) {
  struct isa_pipe_queue *queue = &pipe->queue[direction];
  uint64_t packets = 0;
  while (queue->count && in_queue(queue, 0)->committed) {
    packets += in_queue(queue, 0)->count;
    queue->first = (queue->first + 1) & (queue->room - 1);
    queue->count--;
  }
  pipe->done[direction] += packets;
  *(direction == ISA_PIPE_READ ? &pipe->stats.read : &pipe->stats.written) += packets;
  if (isa_pipe_present(pipe) > pipe->stats.most)
    pipe->stats.most = isa_pipe_present(pipe);
}

enum isa_hazard_rule isa_pipe_commit(struct isa_pipe *pipe, enum isa_pipe_direction direction, enum isa_pipe_kind kind,
                                     uint64_t id) {
  enum isa_hazard_rule rule = check_id(pipe, direction, id);
  if (rule != HAZARDS)
    return rule;
  struct isa_reservation *reservation = find(pipe, &pipe->queue[direction], id);
  if (!reservation || reservation->committed)
    return HAZARD_R4;
  const bool packet = id_kind(id) == ISA_PIPE_PACKET;
  if (reservation->launch != pipe->launch)
    rule = HAZARD_R8;
  else if (id_kind(id) != kind)
    rule = HAZARD_R11;
  else if (direction == ISA_PIPE_WRITE && !packet && !all_written(pipe, reservation))
    rule = HAZARD_R7;
  reservation->committed = true;
  pipe->open -= !packet;
  retire(pipe, direction);
  mirror(pipe);
  return rule;
}

static uint8_t *packet_at(const struct isa_pipe *pipe, uint64_t packet) {
  return pipe->data + ISA_PIPE_HEADER + packet % pipe->max_packets * pipe->packet_size;
}

uint64_t isa_pipe_slot(const struct isa_pipe *pipe, enum isa_pipe_direction direction, uint64_t id, uint32_t index,
                       enum isa_hazard_rule *rule) {
  *rule = check_id(pipe, direction, id);
  if (*rule == HAZARDS && index >= id_count(id))
    *rule = HAZARD_R3;
  if (*rule != HAZARDS)
    return 0;
  const uint64_t packet = (uint64_t)id_position(id) + index;
  if (direction == ISA_PIPE_WRITE && id_kind(id) != ISA_PIPE_PACKET)
    set_written(pipe, packet, true);
  return pipe->base + (uint64_t)(packet_at(pipe, packet) - pipe->data);
}

const uint8_t *isa_pipe_packet(const struct isa_pipe *pipe, uint64_t number) {
  return packet_at(pipe, pipe->reserved[ISA_PIPE_READ] + number);
}

/* ---- launches ----------------------------------------------------------------------------------- */

void isa_pipe_launch(struct isa_pipe *pipe, uint32_t limit) {
  pipe->launch++;
  pipe->limit = limit;
  pipe->stats = (struct isa_pipe_stats){.most = isa_pipe_present(pipe)};
}

void isa_pipe_end(const struct isa_pipe *pipe, uint32_t kernel,
                  void (*report)(void *context, const struct isa_hazard *hazard), void *context) {
  for (unsigned direction = ISA_PIPE_READ; direction <= ISA_PIPE_WRITE; direction++) {
    const struct isa_pipe_queue *queue = &pipe->queue[direction];
    for (uint32_t i = 0; i < queue->count; i++) {
      const struct isa_reservation *left = in_queue(queue, i);
      const struct isa_pipe_user *user = &left->user;
      struct isa_hazard hazard = {.rule = direction == ISA_PIPE_READ ? HAZARD_R5 : HAZARD_R6,
                                  .pc = user->pc,
                                  .group = {user->group[0], user->group[1], user->group[2]},
                                  .item = user->item};
      if (left->committed || left->launch != pipe->launch || user->kernel != kernel)
        continue;
      snprintf(hazard.detail, sizeof hazard.detail, "%u packet%s of pipe '%s'", left->count,
               left->count == 1 ? "" : "s", pipe->name);
      report(context, &hazard);
    }
  }
}

bool isa_is_pipe_write(unsigned op) {
  return op == ISA_PIPE_RESERVE_WRITE || op == ISA_PIPE_RESERVE_WRITE_WAIT || op == ISA_PIPE_COMMIT_WRITE ||
         op == ISA_PIPE_SLOT_WRITE;
}

bool isa_is_pipe_wait(unsigned op) { return op == ISA_PIPE_RESERVE_READ_WAIT || op == ISA_PIPE_RESERVE_WRITE_WAIT; }

/* ---- an instruction, at issue -------------------------------------------------------------------- */

static uint64_t pair(const struct isa_warp *warp, uint8_t reg, uint64_t lane) {
  const uint32_t stride = warp->group->launch->warp_size;
  const uint32_t *row = register_row(warp, reg, stride) + lane;
  return (uint64_t)row[stride] << 32 | row[0];
}

static void set_pair(const struct isa_warp *warp, uint8_t reg, uint64_t lane, uint64_t value) {
  const uint32_t stride = warp->group->launch->warp_size;
  uint32_t *row = warp->reg + (size_t)reg * stride + lane;
  row[0] = (uint32_t)value;
  row[stride] = (uint32_t)(value >> 32);
}

static uint32_t operand_word(const struct isa_warp *warp, const struct isa_inst *inst, uint64_t lane) {
  return inst->flags & ISA_FLAG_IMM_C ? (uint32_t)inst->imm
                                      : register_row(warp, inst->c, warp->group->launch->warp_size)[lane];
}

/* The result in lanes in which the operation is impossible. A wait must not return 0, because the program would
 * retry. */
static void give_nothing(const struct isa_warp *warp, const struct isa_inst *inst, uint64_t lane) {
  const enum isa_type type = isa_rows[inst->op].d;
  if (type == TYPE_U64)
    set_pair(warp, inst->d, lane, isa_is_pipe_wait(inst->op) ? ISA_PIPE_DISMISSED : 0);
  else if (type == TYPE_U32)
    warp->reg[(size_t)inst->d * warp->group->launch->warp_size + lane] = 0;
}

/* The lane's pipe. Reports an address that is not a pipe's. */
static struct isa_pipe *pipe_of(const struct isa_warp *warp, const struct isa_inst *inst, uint32_t pc, uint64_t lane,
                                bool *reported) {
  const uint64_t address = pair(warp, inst->a, lane);
  struct isa_pipe *pipe = isa_pipe_find(warp->group->launch->memory, address);
  if (!pipe && !*reported) {
    step_report(warp, pc, HAZARD_M1, (uint32_t)lane, "address 0x%" PRIx64 " is not a pipe's", address);
    *reported = true;
  }
  return pipe;
}

/* Ids that the work-group committed recently. With this table, a later use is detected without accessing the memory. */
static uint64_t *committed_entry(const struct isa_warp *warp, uint64_t id) {
  return &warp->group->committed[hash_number(id) >> 32 & (ISA_GROUP_COMMITTED - 1)];
}

void pipe_access(struct isa_warp *warp, const struct isa_inst *inst, struct isa_access *access) {
  const enum isa_pipe_direction direction = isa_is_pipe_write(inst->op) ? ISA_PIPE_WRITE : ISA_PIPE_READ;
  const bool commits = isa_rows[inst->op].format == FORMAT_PIPE_COMMIT;
  bool reported = false;
  access->bytes = sizeof(uint64_t);
  access->pipe = (struct isa_pipe_access){0};
  if (access->mask && inst->op != ISA_PIPE_NUM && pipe_kind(inst) == ISA_PIPE_SUBGROUP)
    step_missing(warp, access->pc, warp->active); /* one lane executes it for all active lanes */
  EACH_LANE(lane, access->mask) {
    access->address[lane] = pair(warp, inst->a, lane);
    const struct isa_pipe *pipe = pipe_of(warp, inst, access->pc, lane, &reported);
    if (!pipe) {
      give_nothing(warp, inst, lane);
      access->mask &= ~(UINT64_C(1) << lane);
    } else if (commits) {
      const uint64_t id = pair(warp, inst->c, lane);
      access->data[2 * lane] = (uint32_t)id;
      access->data[2 * lane + 1] = (uint32_t)(id >> 32);
      if (check_id(pipe, direction, id) == HAZARDS) /* otherwise it commits nothing */
        *committed_entry(warp, id) = id;
    } else if (isa_rows[inst->op].c != TYPE_NONE) {
      access->data[2 * lane] = operand_word(warp, inst, lane);
    }
  }
}

static void report_slot(const struct isa_warp *warp, uint32_t pc, enum isa_hazard_rule rule, uint64_t lane,
                        const struct isa_pipe *pipe, uint64_t id, uint32_t index) {
  if (rule == HAZARD_R3)
    step_report(warp, pc, rule, (uint32_t)lane, "index %u of %u packet%s reserved in pipe '%s'", index, id_count(id),
                id_count(id) == 1 ? "" : "s", pipe->name);
  else {
    char text[ID_TEXT];
    describe_id(pipe, id, text);
    step_report(warp, pc, rule, (uint32_t)lane, "%s", text);
  }
}

/* One lane's address; sets *rule if something is wrong with it. */
static uint64_t slot_of(const struct isa_warp *warp, const struct isa_inst *inst, const struct isa_pipe *pipe,
                        uint64_t lane, enum isa_hazard_rule *rule) {
  const enum isa_pipe_direction direction = isa_is_pipe_write(inst->op) ? ISA_PIPE_WRITE : ISA_PIPE_READ;
  const uint64_t id = pair(warp, inst->b, lane);
  const bool gone = id && *committed_entry(warp, id) == id;
  const uint64_t address = isa_pipe_slot(pipe, direction, id, operand_word(warp, inst, lane), rule);
  if (*rule == HAZARDS && gone)
    *rule = HAZARD_R4;
  return address;
}

void pipe_slot(struct isa_warp *warp, const struct isa_inst *inst, uint32_t pc, uint64_t mask) {
  bool no_pipe = false, reported = false, sized = false;
  EACH_LANE(lane, mask) {
    enum isa_hazard_rule rule = HAZARDS;
    const struct isa_pipe *pipe = pipe_of(warp, inst, pc, lane, &no_pipe);
    set_pair(warp, inst->d, lane, pipe ? slot_of(warp, inst, pipe, lane, &rule) : 0);
    if (rule != HAZARDS && !reported) {
      report_slot(warp, pc, rule, lane, pipe, pair(warp, inst->b, lane), operand_word(warp, inst, lane));
      reported = true;
    }
    if (pipe && pipe_size(inst) != pipe->packet_size && !sized) {
      step_report(warp, pc, HAZARD_R12, (uint32_t)lane, "%u bytes, but pipe '%s' has packets of %u", pipe_size(inst),
                  pipe->name, pipe->packet_size);
      sized = true;
    }
  }
}

/* ---- at commit ----------------------------------------------------------------------------------- */

static void record_fault(struct isa_access *access, enum isa_hazard_rule rule, uint64_t lane, uint64_t value) {
  if (access->pipe.rule)
    return;
  access->pipe.rule = (uint8_t)(1 + rule);
  access->pipe.lane = (uint8_t)lane;
  access->pipe.value = value;
}

static struct isa_pipe_user user_of(const struct isa_access *access, uint64_t lane) {
  const struct isa_group *group = access->warp->group;
  return (struct isa_pipe_user){access->pc,
                                {group->id[0], group->id[1], group->id[2]},
                                (uint32_t)(access->warp->index * group->launch->warp_size + lane),
                                group->launch->number};
}

/* A lane whose reservation must wait keeps its turn, and the lanes after it wait behind it. */
static bool must_wait(struct isa_access *access, const struct isa_pipe *pipe, enum isa_pipe_direction direction,
                      uint32_t count) {
  return isa_is_pipe_wait(access->inst->op) && count && count <= pipe->max_packets &&
         count > isa_pipe_available(pipe, direction);
}

static void reserve_lane(struct isa_access *access, struct isa_pipe *pipe, uint64_t lane) {
  const struct isa_inst *inst = access->inst;
  const enum isa_pipe_direction direction = isa_is_pipe_write(inst->op) ? ISA_PIPE_WRITE : ISA_PIPE_READ;
  const uint32_t count = access->data[2 * lane];
  const uint64_t limited = pipe->stats.over_limit;
  const struct isa_pipe_user user = user_of(access, lane);
  const uint64_t id = isa_pipe_reserve(pipe, direction, pipe_kind(inst), count, &user);
  if (!id && pipe->stats.over_limit > limited)
    record_fault(access, HAZARD_Q10, lane, pipe->limit);
  else if (!id)
    access->pipe.refused |= UINT64_C(1) << lane;
  access->pipe.changed |= id != 0;
  set_pair(access->warp, inst->d, lane, id);
}

/* These lanes get no reservation, and none of them waits. */
static void refuse_lanes(struct isa_access *access, uint64_t lanes, uint64_t id) {
  access->pipe.refused |= lanes;
  EACH_LANE(lane, lanes) set_pair(access->warp, access->inst->d, lane, id);
}

/* Lanes that got a single packet commit it before other lanes can get room. So if some lanes have one, the others do
 * not wait, and the warp continues. */
static void reserve_lanes(struct isa_access *access, uint64_t lanes) {
  const enum isa_pipe_direction direction = isa_is_pipe_write(access->inst->op) ? ISA_PIPE_WRITE : ISA_PIPE_READ;
  access->pipe.waiting = 0;
  EACH_LANE(lane, lanes) {
    struct isa_pipe *pipe = isa_pipe_find(access->warp->group->launch->memory, access->address[lane]);
    const uint64_t rest = lanes & (UINT64_MAX << lane);
    const bool waits = must_wait(access, pipe, direction, access->data[2 * lane]);
    if (waits && pipe_kind(access->inst) == ISA_PIPE_PACKET && access->pipe.changed) {
      refuse_lanes(access, rest, 0);
      return;
    }
    if (waits) {
      access->pipe.waiting = rest;
      pipe->stats.held += !access->pipe.held;
      access->pipe.held = true;
      return;
    }
    reserve_lane(access, pipe, lane);
  }
}

static void commit_lanes(struct isa_access *access) {
  const enum isa_pipe_direction direction = isa_is_pipe_write(access->inst->op) ? ISA_PIPE_WRITE : ISA_PIPE_READ;
  EACH_LANE(lane, access->mask) {
    struct isa_pipe *pipe = isa_pipe_find(access->warp->group->launch->memory, access->address[lane]);
    const uint64_t id = (uint64_t)access->data[2 * lane + 1] << 32 | access->data[2 * lane];
    const enum isa_hazard_rule rule = isa_pipe_commit(pipe, direction, pipe_kind(access->inst), id);
    access->pipe.changed |= rule != HAZARD_R2 && rule != HAZARD_R4 && rule != HAZARD_R9;
    if (rule != HAZARDS)
      record_fault(access, rule, lane, id);
  }
}

static void count_lanes(struct isa_access *access) {
  EACH_LANE(lane, access->mask) {
    const struct isa_pipe *pipe = isa_pipe_find(access->warp->group->launch->memory, access->address[lane]);
    access->warp->reg[(size_t)access->inst->d * access->warp->group->launch->warp_size + lane] =
        (uint32_t)isa_pipe_available(pipe, ISA_PIPE_READ);
  }
}

void pipe_commit(struct isa_access *access) {
  switch (isa_rows[access->inst->op].format) {
  case FORMAT_PIPE_RESERVE:
    reserve_lanes(access, access->pipe.waiting ? access->pipe.waiting : access->mask);
    break;
  case FORMAT_PIPE_COMMIT:
    commit_lanes(access);
    break;
  default:
    count_lanes(access);
  }
}

void isa_pipe_refuse(struct isa_access *access) {
  refuse_lanes(access, access->pipe.waiting, 0);
  access->pipe.waiting = 0;
}

void isa_pipe_dismiss(struct isa_access *access) {
  refuse_lanes(access, access->pipe.waiting | access->pipe.refused, ISA_PIPE_DISMISSED);
  access->pipe.waiting = 0;
}

void isa_pipe_report(const struct isa_access *access) {
  const struct isa_pipe_access *found = &access->pipe;
  if (!found->rule)
    return;
  const struct isa_pipe *pipe = isa_pipe_find(access->warp->group->launch->memory, access->address[found->lane]);
  const enum isa_hazard_rule rule = (enum isa_hazard_rule)(found->rule - 1);
  char text[ID_TEXT];
  if (rule == HAZARD_Q10)
    snprintf(text, sizeof text, "%" PRIu64 " are open in pipe '%.40s'", found->value, pipe->name);
  else
    describe_id(pipe, found->value, text);
  step_report(access->warp, access->pc, rule, found->lane, "%s", text);
}
