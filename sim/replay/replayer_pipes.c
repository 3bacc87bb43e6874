/* Pipes and mbarriers in a replay: their state is the replay's, not the recording's. */
#include "isa/rows.h"
#include "sim/base/need.h"
#include "sim/replay/replayer_parts.h"

/* ---- ids of pipes' reservations -------------------------------------------------------------------- */

/* Positions of fields in an id; isa/pipe.h defines its layout. */
enum { ID_WRITE = 54, ID_PIPE = 57 };

static struct isa_pipe *pipe_of_id(const struct isa_memory *memory, uint64_t id) {
  for (size_t i = 0; i < memory->pipe_count; i++)
    if (memory->pipes[i].number == id >> ID_PIPE)
      return &memory->pipes[i];
  return NULL;
}

static struct renamed *place_of(struct replayer *replayer, const struct isa_memory *memory, uint64_t id) {
  const struct isa_pipe *pipe = pipe_of_id(memory, id);
  const uint64_t position = id & ISA_MOST_PACKETS;
  if (!pipe || position >= pipe->max_packets)
    return NULL;
  struct renamed **ids = &replayer->pipes[pipe->number - 1].id[id >> ID_WRITE & 1];
  if (!*ids)
    *ids = need(pipe->max_packets, sizeof **ids);
  return *ids + position;
}

static void rename_id(struct replayer *replayer, const struct isa_memory *memory, uint64_t recorded,
                      uint64_t replayed) {
  struct renamed *place = place_of(replayer, memory, recorded);
  if (place)
    *place = (struct renamed){recorded, replayed};
}

uint64_t replayer_id_here(struct replayer *replayer, const struct isa_memory *memory, uint64_t recorded) {
  const struct renamed *place = place_of(replayer, memory, recorded);
  return place && place->recorded == recorded ? place->replayed : recorded;
}

/* ---- operands --------------------------------------------------------------------------------------- */

static const struct trace_note *outcome_of(const struct trace_op *op) {
  for (uint32_t i = 0; i < op->notes; i++)
    if (op->note[i].kind == TRACE_NOTE_OUTCOME && op->note[i].values >= 2)
      return &op->note[i];
  return NULL;
}

/* Stores the recorded outcome in the access, after its operands in `data`, until the operation is carried out. */
void replayer_give_pipe(struct unit *unit, struct isa_access *access, const struct trace_op *op,
                        const struct isa_launch *launch) {
  const struct isa_memory *memory = launch->memory;
  const uint32_t lanes = launch->warp_size;
  const struct trace_note *outcome = outcome_of(op);
  const bool ids = isa_rows[access->inst->op].c == TYPE_U64;
  uint64_t operand[TRACE_LANES];
  uint32_t at = 2;
  trace_spread(&op->vector[TRACE_PIPE_OPERAND], lanes, operand);
  access->pipe = (struct isa_pipe_access){0};
  access->lds[0] = outcome != NULL;
  for (uint64_t left = access->mask; left; left &= left - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctzll(left);
    const uint64_t value = ids ? replayer_id_here(unit->replayer, memory, operand[lane]) : operand[lane];
    const uint64_t got = outcome && at < outcome->values ? outcome->value[at++] : 0;
    access->data[2 * lane] = (uint32_t)value;
    access->data[2 * lane + 1] = (uint32_t)(value >> 32);
    access->data[2 * (lanes + lane)] = (uint32_t)got;
    access->data[2 * (lanes + lane) + 1] = (uint32_t)(got >> 32);
    if (!isa_pipe_find(memory, access->address[lane])) {
      replayer_damage(unit->replayer, "a pipe operation in the trace has an address without a pipe");
      access->mask &= ~(UINT64_C(1) << lane);
    }
  }
}

void replayer_name_slots(struct unit *unit, const struct trace_op *op, const struct isa_launch *launch) {
  uint64_t id[TRACE_LANES], index[TRACE_LANES];
  if (!trace_lanes(op))
    return;
  trace_spread(&op->vector[TRACE_PIPE_SLOT_ID], launch->warp_size, id);
  trace_spread(&op->vector[TRACE_PIPE_SLOT_INDEX], launch->warp_size, index);
  for (uint64_t left = trace_lanes(op); left; left &= left - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctzll(left);
    const uint64_t here = replayer_id_here(unit->replayer, launch->memory, id[lane]);
    const struct isa_pipe *pipe = pipe_of_id(launch->memory, here);
    enum isa_hazard_rule rule;
    if (pipe)
      isa_pipe_slot(pipe, here >> ID_WRITE & 1 ? ISA_PIPE_WRITE : ISA_PIPE_READ, here, (uint32_t)index[lane], &rule);
  }
}

/* ---- carrying out operations on pipes and mbarriers ---------------------------------------------------- */

static uint64_t id_in(const struct isa_access *access) {
  const uint32_t lanes = access->warp->group->launch->warp_size;
  const uint64_t lane = (uint64_t)__builtin_ctzll(access->mask);
  const uint32_t *row = access->warp->reg + (size_t)access->inst->d * lanes + lane;
  return (uint64_t)row[lanes] << 32 | row[0];
}

static void set_id(const struct isa_access *access, uint64_t lane, uint64_t id) {
  const uint32_t lanes = access->warp->group->launch->warp_size;
  uint32_t *row = access->warp->reg + (size_t)access->inst->d * lanes + lane;
  row[0] = (uint32_t)id;
  row[lanes] = (uint32_t)(id >> 32);
}

static bool is_single(const struct isa_inst *inst) {
  return isa_is_pipe_wait(inst->op) && (enum isa_pipe_kind)(inst->imm >> 32) == ISA_PIPE_PACKET;
}

/* Carries out a reservation lane by lane, with the recorded outcomes: a lane that succeeded waits until it can succeed,
 * one that was refused is refused, and one that waited until it was dismissed does so here. */
static void commit_reservation(struct unit *unit, struct isa_access *access) {
  const enum isa_pipe_direction direction = isa_is_pipe_write(access->inst->op) ? ISA_PIPE_WRITE : ISA_PIPE_READ;
  const struct isa_launch *launch = access->warp->group->launch;
  const struct isa_memory *memory = launch->memory;
  const uint64_t all = access->mask, lanes = access->pipe.waiting ? access->pipe.waiting : all;
  const bool waits = isa_is_pipe_wait(access->inst->op);
  access->pipe.waiting = 0;
  for (uint64_t left = lanes; left; left &= left - 1) {
    const uint64_t lane = (uint64_t)__builtin_ctzll(left), bit = UINT64_C(1) << lane;
    const uint32_t *words = access->data + 2 * (launch->warp_size + lane);
    const uint64_t id = (uint64_t)words[1] << 32 | words[0];
    const bool dismissed = id == ISA_PIPE_DISMISSED;
    const uint64_t recorded = dismissed && !waits ? 0 : id; /* an operation that does not wait was refused */
    struct isa_pipe *pipe = isa_pipe_find(memory, access->address[lane]);
    const bool room = access->data[2 * lane] <= isa_pipe_available(pipe, direction);
    if (access->lds[0] && !recorded && left != all && is_single(access->inst)) { /* after a lane that got the single
                                                                                  * packet */
      set_id(access, lane, 0);
      access->pipe.refused |= bit;
      continue;
    }
    if (recorded && (dismissed || !room)) {
      access->pipe.waiting = lanes & (UINT64_MAX << lane);
      pipe->stats.held += !access->pipe.held;
      access->pipe.held = true;
      return;
    }
    if (access->lds[0] && !recorded && room && access->data[2 * lane] &&
        !(access->pipe.rule || pipe->open >= pipe->limit)) {
      access->pipe.refused |= bit;
      continue;
    }
    access->mask = bit;
    isa_access_commit(access);
    if (recorded)
      rename_id(unit->replayer, memory, recorded, id_in(access));
    access->mask = all;
    if (access->pipe.waiting) { /* its recorded outcome is unknown */
      access->pipe.waiting = lanes & (UINT64_MAX << lane);
      return;
    }
  }
}

void replayer_commit(void *self, struct isa_access *access) {
  struct unit *unit = self;
  if (access->copy)
    return;
  switch ((enum isa_format)isa_rows[access->inst->op].format) {
  case FORMAT_PIPE_RESERVE:
    commit_reservation(unit, access);
    break;
  case FORMAT_PIPE_COMMIT:
  case FORMAT_PIPE_NUM:
  case FORMAT_MBARRIER_INIT:
  case FORMAT_MBARRIER_ARRIVE:
  case FORMAT_MBARRIER_TEST:
    isa_access_commit(access);
    break;
  default:
    break;
  }
}
