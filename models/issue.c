/* Issue: which warp issues, what holds it, and what its instruction does. */
#include <assert.h>

#include "isa/ops.h"
#include "isa/rows.h"
#include "models/cu.h"
#include "models/emit.h"
#include "models/lane_copy.h"
#include "models/mbarrier.h"
#include "models/texture.h"
#include "sim/base/map.h"

#define NO_ACCESS UINT32_MAX

/* ---- accesses --------------------------------------------------------------------------- */

void cu_set_results(struct cu_warp *warp, const struct isa_info *info, cycle_t ready, uint8_t maker,
                    enum stall producer) {
  for (unsigned i = 0; i < info->writes; i++) {
    struct cu_operand *operand = &warp->operand[cu_operand_of(info->slot[i])];
    operand->ready = ready & CU_LATER; /* NEVER becomes CU_LATER */
    operand->maker = maker;
    operand->producer = producer;
  }
}

/* Cycles that an access, and those behind it, wait for its data, or for an mbarrier's turn. */
static uint16_t delay_of(struct cu *cu, const struct isa_info *info, cycle_t now) {
  if (!is_mbarrier(info) || !cu->params->phase_turn)
    return (uint16_t)(cu->params->lds_data_interval * info->sent);
  const cycle_t at = cycle_max(now, cu->phase_free);
  cu->phase_free = at + (info->class_ == ISA_CLASS_PHASE ? cu->params->phase_turn : 1);
  return (uint16_t)(at - now);
}

static void send_lds(struct cu *cu, uint32_t index, const struct isa_info *info, cycle_t now) {
  struct cu_access *access = cu->lsu.accesses[index];
  struct cu_warp *warp = cu_warp(cu, access->warp);
  struct lds_request request = {
      .tag = index,
      .kind = info->atomic  ? LDS_ATOMIC
              : info->store ? LDS_WRITE
                            : LDS_READ,
      .bytes = info->bytes,
      .lanes = (uint8_t)cu->params->warp_size,
      .swap = info->atomic && info->sent > info->bytes / 4,
      .warp = (uint8_t)access->warp,
      .group = (uint8_t)warp->group,
      .phase = warp->calls,
      .even = access->isa.whole && access->isa.heads == 1 &&
              (access->isa.run || access->isa.address[0] == access->isa.address[cu->params->warp_size - 1]),
      .delay = delay_of(cu, info, now),
      .mask = access->isa.mask,
      .address = access->isa.address,
  };
  if (cu->emitter)
    request.origin = emit_lds_access(cu, warp->kernel, index, request.kind, now);
  port_send(cu->lsu.to_lds, &request, now);
  warp->lds_in_flight++;
  cu_set_results(warp, info, NEVER, CU_NO_UNIT, STALL_LDS);
  warp->kernel->by_pc[access->isa.pc].lds_accesses++;
}

static enum mem_kind kind_of(const struct isa_info *info) {
  if (info->class_ == ISA_CLASS_PREFETCH)
    return MEM_PREFETCH;
  return info->atomic ? MEM_ATOMIC : info->store ? MEM_STORE : MEM_LOAD;
}

/* A load for which all that it needs is in the L1 or on its way for others. */
static void join(struct cu *cu, uint32_t index, const struct isa_info *info, uint32_t lines, uint64_t bytes,
                 cycle_t now) {
  struct cu_access *access = cu->lsu.accesses[index];
  struct cu_warp *warp = cu_warp(cu, access->warp);
  access->cache = &cu->lsu.l1;
  const bool waits = l1_wait(&cu->lsu.l1, access->lines, access->joined, index);
  assert(waits && "a load that misses nothing and joins nothing hits");
  (void)waits;
  access->all = lines;
  access->moved = bytes;
  if (cu->emitter)
    emit_global_access(cu, warp->kernel, index, (enum emit_global)MEM_LOAD, 0, now);
  warp->global_in_flight++;
  cu_set_results(warp, info, NEVER, CU_NO_UNIT, STALL_MEMORY);
}

/* Looks up a load in the L1. True: the L1 serves it, now or after fills that are on their way. Otherwise, the message
 * keeps the lines that are missing. */
static bool served_by_l1(struct cu *cu, uint32_t index, const struct isa_info *info, struct mem_message *message,
                         cycle_t now) {
  struct cu_access *access = cu->lsu.accesses[index];
  struct cu_warp *warp = cu_warp(cu, access->warp);
  const uint32_t all = message->count, sectors = (uint32_t)(message->moved / cu->mem->sector);
  if (l1_hit(&cu->lsu.l1, access->lines, all)) {
    warp->kernel->stats.l1_hits += sectors;
    const cycle_t passed = cu_read_l1(cu, access, all, message->moved, now) - 1;
    cu_set_results(warp, info, passed + cu->mem->l1_latency, CU_NO_UNIT, STALL_MEMORY);
    if (cu->emitter)
      emit_l1_hit(cu, index, passed + cu->mem->l1_latency, now);
    cu_free_access(&cu->lsu.global_pool, index);
    return true;
  }
  message->count = access->fills = l1_miss(&cu->lsu.l1, access->lines, all, &access->joined);
  if (!access->fills) {
    warp->kernel->stats.l1_hits += sectors;
    join(cu, index, info, all, message->moved, now);
    return true;
  }
  uint32_t missing = 0;
  for (uint32_t i = 0; i < message->count; i++)
    missing += sector_count(access->lines[i].sectors);
  warp->kernel->stats.l1_hits += sectors - missing;
  warp->kernel->stats.l1_misses += missing;
  message->fills = access->cache = &cu->lsu.l1;
  message->moved = (uint64_t)missing * cu->mem->sector;
  const uint32_t tags = cu_l1_tags(cu, all);
  message->passes = cu_passes(cu, MEM_LOAD, message->count);
  message->passes = message->passes > tags ? message->passes : tags;
  return false;
}

/* Offers an access to the L1; true if the L1 serves it. */
static bool pass_l1(struct cu *cu, uint32_t index, const struct isa_info *info, struct mem_message *message,
                    cycle_t now) {
  struct cu_access *access = cu->lsu.accesses[index];
  return message->kind == MEM_LOAD && !info->past_l1 && mem_aligned(&access->isa) &&
         served_by_l1(cu, index, info, message, now);
}

/* Counts a retry of a reservation in a pipe. An access to a packet makes a reservation, too. */
static void note_try(struct cu_warp *warp, const struct isa_access *access, cycle_t now) {
  if (isa_rows[access->inst->op].format != FORMAT_PIPE_RESERVE)
    return;
  if (warp->tries) {
    warp->kernel->stats.pipe_retries++;
    warp->kernel->stats.pipe_retry_cycles += now - warp->tried_at;
  }
  warp->tries = false;
  warp->tried_at = now;
  warp->tried_pc = access->pc;
}

static void send_global(struct cu *cu, uint32_t index, const struct isa_info *info, cycle_t now) {
  struct cu_access *access = cu->lsu.accesses[index];
  struct cu_warp *warp = cu_warp(cu, access->warp);
  const bool pipe = info->class_ == ISA_CLASS_PIPE;
  if (pipe)
    note_try(warp, &access->isa, now);
  struct mem_message message = {.kind = kind_of(info),
                                .pipe = pipe,
                                .returns = info->writes > 0,
                                .tag = index,
                                .lines = access->lines,
                                .access = &access->isa};
  uint32_t sectors = 0;
  if (message.kind != MEM_PREFETCH)
    message.count = mem_merge(cu->mem, &access->isa, access->lines, &sectors);
  message.moved = (uint64_t)sectors * cu->mem->sector;
  message.passes = cu_passes(cu, message.kind, message.count);
  warp->kernel->by_pc[access->isa.pc].sectors += sectors;
  access->fills = access->joined = 0;
  access->stored = 0;
  access->prefetch = message.kind == MEM_PREFETCH;
  if (cu->lsu.l1.sets && pass_l1(cu, index, info, &message, now))
    return;
  if (mem_writes(message.kind))
    cu_written(cu, access->lines, message.count);
  if (cu->params->store_room && message.kind == MEM_STORE)
    cu->lsu.stored_bytes += access->stored = (uint32_t)mem_bytes_up(cu->mem, &message);
  cycle_t from = now;
  if (message.fills) /* tag look-ups come after those of earlier loads */
    from = rate_take(&cu->lsu.l1.width, now, (uint64_t)message.passes * cu->mem->l1_width) - message.passes;
  cu_send_memory(cu, &message, from, now);
  if (!access->prefetch)
    lds_yield(cu->lsu.lds, now, message.passes);
  if (cu->emitter)
    emit_global_access(cu, warp->kernel, index, pipe ? EMIT_PIPE : (enum emit_global)message.kind, message.moved, now);
  if (access->prefetch)
    return; /* no warp waits for it, not even at its end */
  warp->global_in_flight++;
  cu_set_results(warp, info, NEVER, CU_NO_UNIT, pipe ? STALL_PIPE : STALL_MEMORY);
}

/* ---- issue ------------------------------------------------------------------------------ */

/* Uses the banks of the LDS. */
static bool is_of_lds(enum isa_class class_) {
  return class_ == ISA_CLASS_LDS || class_ == ISA_CLASS_MBARRIER || class_ == ISA_CLASS_PHASE;
}

static bool is_lds(const struct isa_info *info) { return is_of_lds((enum isa_class)info->class_); }

static bool is_of_global(enum isa_class class_) {
  return class_ == ISA_CLASS_GLOBAL || class_ == ISA_CLASS_PREFETCH || class_ == ISA_CLASS_PIPE ||
         class_ == ISA_CLASS_COPY_LANE || class_ == ISA_CLASS_TEXTURE;
}

static bool is_global(const struct isa_info *info) { return is_of_global((enum isa_class)info->class_); }

/* What keeps an instruction from issuing, or STALL_ISSUED. Lowers *until to the cycle in which that may change. */
static enum stall structural(const struct cu *cu, const struct cu_scheduler *scheduler, uint8_t wants, cycle_t now,
                             cycle_t *until) {
  const enum isa_class class_ = wants == CU_WANTS_STORE ? ISA_CLASS_GLOBAL : (enum isa_class)wants;
  cycle_t unit_free = scheduler->unit_free[cu->issue.unit[class_]];
  if (unit_free > now) {
    *until = cycle_min(*until, unit_free);
    return STALL_UNIT;
  }
  if (isa_on_unit(class_))
    return STALL_ISSUED;
  if (is_of_lds(class_) && (!cu->lsu.lds_pool.count || !port_can_send(cu->lsu.to_lds, now))) {
    *until = cycle_min(*until, port_free_at(cu->lsu.to_lds) > now ? port_free_at(cu->lsu.to_lds) : NEVER);
    return STALL_LDS_QUEUE;
  }
  if (is_of_global(class_) && (!cu->lsu.global_pool.count || !port_can_send(cu->lsu.to_memory, now))) {
    *until = cycle_min(*until, port_free_at(cu->lsu.to_memory) > now ? port_free_at(cu->lsu.to_memory) : NEVER);
    return STALL_MEMORY_QUEUE;
  }
  if (wants == CU_WANTS_STORE && cu->params->store_room && cu->lsu.stored_bytes >= cu->params->store_room)
    return STALL_MEMORY_QUEUE;
  return STALL_ISSUED;
}

static uint64_t mix(uint64_t hash, uint64_t value) {
  hash = hash_join(hash, value);
  return hash ^ hash >> 29;
}

static void note_issue(const struct cu *cu, struct cu_kernel *kernel, uint32_t slot, const struct isa_result *result,
                       cycle_t now) {
  struct pc_result *by_pc = &kernel->by_pc[result->pc];
  uint64_t lanes = result->mask == cu->all_lanes ? cu->params->warp_size : (uint64_t)__builtin_popcountll(result->mask);
  kernel->stats.warp_instructions++;
  kernel->stats.lane_instructions += lanes;
  kernel->stats.divergent_branches += result->diverged;
  by_pc->issues++;
  by_pc->lanes += lanes;
  kernel->trace_hash = mix(mix(kernel->trace_hash, now), result->mask);
  kernel->trace_hash = mix(kernel->trace_hash, (uint64_t)result->pc << 32 | slot);
}

/* Executes an instruction that has issued and times its results, `late` cycles later than those of its class. Returns
 * whether the warp may continue with its next instruction. */
static bool execute(struct cu *cu, uint32_t slot, const struct isa_info *info, uint32_t access,
                    const struct isa_result *result, uint32_t late, cycle_t now) {
  struct cu_warp *warp = cu_warp(cu, slot);
  cycle_t ready = now + cu->issue.latency[info->class_] + late;
  if (cu_on_unit(info)) {
    cu_set_results(warp, info, ready, cu->issue.unit[info->class_], STALL_DEPENDENCY);
    return true;
  }
  bool in_flight = access != NO_ACCESS && (cu->lsu.accesses[access]->isa.mask ||
                                           (cu->params->lds_off == CU_OFF_PASS && info->class_ == ISA_CLASS_LDS));
  if (access != NO_ACCESS && !in_flight)
    cu_free_access(is_lds(info) ? &cu->lsu.lds_pool : &cu->lsu.global_pool, access);
  switch ((enum isa_class)info->class_) {
  case ISA_CLASS_LDS:
    warp->lds_next = now + cu->params->lds_spacing; /* even if all its lanes are off */
    if (in_flight)
      send_lds(cu, access, info, now);
    return true;
  case ISA_CLASS_MBARRIER:
  case ISA_CLASS_PHASE:
    if (in_flight) {
      send_lds(cu, access, info, now);
      mbarrier_issued(warp, result);
    }
    return true;
  case ISA_CLASS_GLOBAL:
  case ISA_CLASS_PREFETCH:
  case ISA_CLASS_PIPE:
    if (in_flight)
      send_global(cu, access, info, now);
    return true;
  case ISA_CLASS_TEXTURE:
    if (in_flight)
      texture_issue(cu, access, info, now);
    return true;
  case ISA_CLASS_COPY_LANE:
    if (in_flight)
      lane_copy_own(cu, access, now);
    return true;
  case ISA_CLASS_LANE_COMMIT:
    lane_copy_commit(warp);
    return true;
  case ISA_CLASS_BARRIER:
  case ISA_CLASS_COPY_FENCE:
  case ISA_CLASS_COPY:
  case ISA_CLASS_WAIT:
    cu_set_results(warp, info, now + 1, CU_NO_UNIT, STALL_DEPENDENCY);
    if (!result->mask)
      return true;
    group_arrive(cu, slot, result->pc, result, now);
    return false;
  case ISA_CLASS_FENCE:
    if (info->global_fence)
      cu_clear_caches(cu);
    cu_set_results(warp, info, ready, CU_NO_UNIT, STALL_DEPENDENCY);
    return true;
  default:
    cu_set_results(warp, info, ready, cu->issue.unit[info->class_], STALL_DEPENDENCY);
    return true;
  }
}

static void exit_warp(struct cu *cu, uint32_t slot, cycle_t now) {
  group_exit(cu, slot);
  if (cu_drained(cu_warp(cu, slot)))
    cu_finish_warp(cu, slot, now + 1);
  else
    cu_block(cu, slot, STALL_DRAIN, now);
}

/* The warp gets the scheduler's issue slot of this cycle. */
static inline void take_slot(struct cu *cu, struct cu_scheduler *scheduler, uint32_t slot, uint32_t pc, cycle_t now) {
  struct cu_warp *warp = cu_warp(cu, slot);
  cu_account(warp, STALL_ISSUED, now);
  warp->charged =
      pc; /* a warp that waited for a barrier's release was charged to the barrier; this slot is the instruction's */
  cu_charge(warp, STALL_ISSUED, 1);
  warp->issued = pc;
  warp->since = now + 1;
  warp->kernel->stats.issue_cycles += warp->kernel->issued_at != now + 1;
  warp->kernel->issued_at = now + 1;
  const uint8_t wanted = cu->issue.wants[slot];
  scheduler->ready &= ~cu_bit(slot);
  scheduler->held &= ~cu_bit(slot);
  scheduler->by_want[wanted] &= ~cu_bit(slot);
  if (!scheduler->by_want[wanted])
    scheduler->wanted &= ~cu_bit(wanted);
  scheduler->last = slot;
  cu_note_turn(cu, slot, now);
}

/* The slot is for a copy, not for an instruction of the warp. */
static void issue_task(struct cu *cu, struct cu_scheduler *scheduler, uint32_t slot, cycle_t now) {
  struct cu_warp *warp = cu_warp(cu, slot);
  take_slot(cu, scheduler, slot, warp->charged, now);
  uint64_t *hash = &warp->kernel->trace_hash;
  *hash = mix(mix(*hash, now), (uint64_t)warp->task << 32 | slot);
  if (warp->task == TASK_RETRY)
    group_retry(cu, slot, now);
  else
    lane_copy_issue(cu, scheduler, slot, now);
}

/* Holds the registers that an access reads after its issue. */
static void hold_operands(const struct cu *cu, struct cu_warp *warp, const struct isa_info *info, cycle_t now) {
  const uint32_t data = info->class_ == ISA_CLASS_LDS ? cu->params->lds_data_interval * info->sent : 0;
  const uint32_t near = cu->params->operand_latency + data, far = cu->params->global_operand_latency;
  for (unsigned i = info->writes; i < info->slots; i++) {
    /* the first operand of a copy.lane is its LDS address */
    const bool global = is_global(info) && !(info->class_ == ISA_CLASS_COPY_LANE && i == info->writes);
    const cycle_t until = now + (global && far > near ? far : near);
    warp->operand[cu_operand_of(info->slot[i])].held = until;
    warp->held_last = cycle_max(warp->held_last, until);
  }
}

static uint32_t follow_of(const struct cu *cu, const struct isa_info *info) {
  return info->class_ == ISA_CLASS_FENCE && info->global_fence ? cu->params->fence_latency
                                                               : cu->issue.follow[info->class_];
}

/* Takes the further issue slots of a function that consists of several instructions. Returns their number; *late is the
 * delay that they add to the result. */
static uint32_t take_more_slots(const struct cu *cu, struct cu_scheduler *scheduler, const struct cu_warp *warp,
                                cycle_t now, uint32_t *late) {
#define FUNCTION(op, slots) [ISA_##op] = (slots)-1,
  static const uint8_t further[ISA_OPS] = {
#include "models/functions.def"
  };
#undef FUNCTION
  const enum isa_op op = warp->kernel->program->code[warp->pc].op;
  if (cu->params->functions == CU_SINGLE)
    return 0;
  const bool is_double = isa_types[isa_rows[op].a].bytes == 8;
  *late = further[op] * (is_double ? cu->params->double_latency : cu->params->float_latency);
  scheduler->free = now + 1 + further[op] * (is_double ? cu->params->double_interval : 1);
  warp->kernel->stats.function_slots += further[op];
  return (uint32_t)(scheduler->free - now - 1);
}

/* A load of constants whose address is in a register reads the addresses of its lanes one after the other, on a path
 * that all loads share. Constants whose address is in the instruction do not use it. Returns the delay of the last
 * address. */
static uint32_t read_constants(struct cu *cu, uint32_t addresses, cycle_t now) {
  const struct cu_params *params = cu->params;
  if (!addresses)
    return 0;
  cu->lsu.constants_free =
      cycle_max(now, cu->lsu.constants_free) + (cycle_t)addresses * params->constant_address_interval;
  return (uint32_t)cycle_max(cu->lsu.constants_free - now,
                             params->constant_index_latency +
                                 (cycle_t)(addresses - 1) * params->constant_address_latency);
}

static inline void issue(struct cu *cu, struct cu_scheduler *scheduler, uint32_t slot, cycle_t now) {
  struct cu_warp *warp = cu_warp(cu, slot);
  const struct isa_info *info = &warp->kernel->info[warp->pc];
  struct isa_result result;
  uint32_t access = NO_ACCESS, more = 0, late = 0;

  result.addresses = 0;
  take_slot(cu, scheduler, slot, warp->pc, now);
  scheduler->unit_free[cu->issue.unit[info->class_]] = now + cu_interval(cu, info);
  if (info->class_ == ISA_CLASS_SPECIAL || info->class_ == ISA_CLASS_MATH)
    more = take_more_slots(cu, scheduler, warp, now, &late);

  if (!cu_on_unit(info) && (is_lds(info) || is_global(info))) {
    access = cu_take_access(cu, is_lds(info) ? &cu->lsu.lds_pool : &cu->lsu.global_pool);
    cu->lsu.accesses[access]->warp = slot;
  }
  warp->pc = cu->source->step.call(cu->source->step.self, slot, now,
                                   access == NO_ACCESS ? NULL : &cu->lsu.accesses[access]->isa, &result);
  if (info->class_ == ISA_CLASS_CONSTANT)
    late = read_constants(cu, result.addresses, now);
  note_issue(cu, warp->kernel, slot, &result, now);
  bool goes_on = execute(cu, slot, info, access, &result, late, now);
  if (access != NO_ACCESS && cu->params->operand_latency)
    hold_operands(cu, warp, info, now);
  if (result.done)
    exit_warp(cu, slot, now);
  else if (goes_on)
    cu_plan(cu, slot, now + follow_of(cu, info) + more + (result.diverged ? cu->params->divergence_latency : 0), now);
}

/* The candidate whose last issue, or start, was longest ago; the lowest slot among equals. */
static uint32_t least_recently_issued(const struct cu *cu, uint64_t candidates) {
  uint64_t longest = UINT64_MAX;
  for (; candidates; candidates &= candidates - 1) {
    uint64_t turn = cu->issue.turn[__builtin_ctzll(candidates)];
    longest = turn < longest ? turn : longest;
  }
  return (uint32_t)(longest % CU_WARPS);
}

/* The policy's choice among `candidates`, at least one. */
static uint32_t pick(const struct cu *cu, const struct cu_scheduler *scheduler, uint64_t candidates, cycle_t now) {
  if (!(candidates & (candidates - 1)))
    return (uint32_t)__builtin_ctzll(candidates);
  uint64_t after = scheduler->last >= CU_WARPS - 1 ? 0 : candidates & (UINT64_MAX << (scheduler->last + 1));
  if (cu->params->policy == CU_ROUND_ROBIN)
    return (uint32_t)__builtin_ctzll(after ? after : candidates);
  const bool again = scheduler->last < CU_WARPS && candidates & cu_bit(scheduler->last);
  if (again && cu->params->policy == CU_GREEDY_OLDEST)
    return scheduler->last;
  if (cu->params->policy == CU_GREEDY_FAIR)
    return again && cu->issue.turn[scheduler->last] / CU_WARPS + 1 == now ? scheduler->last
                                                                          : least_recently_issued(cu, candidates);
  for (uint32_t i = 0; i < scheduler->age_count; i++)
    if (candidates & cu_bit(scheduler->age[i]))
      return scheduler->age[i];
  assert(false && "a ready warp is resident");
  return 0;
}

static void wait_in(struct cu *cu, uint32_t slot, enum stall stall, cycle_t now) {
  if (cu->issue.waits[slot] != stall)
    cu_account(cu_warp(cu, slot), stall, now);
  cu->issue.waits[slot] = (uint8_t)stall;
}

/* Another warp has issued. Warps that were held before and were not asked now have only lost their turn. */
static void lose_turn(struct cu *cu, struct cu_scheduler *scheduler, uint64_t asked, cycle_t now) {
  for (uint64_t left = scheduler->held & ~asked; left; left &= left - 1)
    wait_in(cu, (uint32_t)__builtin_ctzll(left), STALL_NOT_SELECTED, now);
  scheduler->held &= asked;
}

/* What keeps a ready warp from issuing, like structural(). */
static enum stall held_by(struct cu *cu, const struct cu_scheduler *scheduler, uint32_t slot, cycle_t now,
                          cycle_t *until) {
  if (__builtin_expect(cu->issue.wants[slot] != CU_WANTS_TASK, 1))
    return structural(cu, scheduler, cu->issue.wants[slot], now, until);
  return cu_warp(cu, slot)->task == TASK_COPY ? lane_copy_held(cu, scheduler, slot, now, until) : STALL_ISSUED;
}

/* The first warp, in the policy's order, that nothing holds; or CU_WARPS. `asked`: the warps before it. A share of a
 * copy may change its state when asked, so warps are asked one by one. */
static uint32_t select_one_by_one(struct cu *cu, struct cu_scheduler *scheduler, cycle_t now, uint64_t *asked,
                                  cycle_t *until) {
  uint8_t why[CU_WARPS];
  uint32_t chosen = CU_WARPS;
  *asked = 0;
  for (uint64_t left = scheduler->ready; left && chosen == CU_WARPS; left = scheduler->ready & ~*asked) {
    const uint32_t slot = pick(cu, scheduler, left, now);
    why[slot] = (uint8_t)held_by(cu, scheduler, slot, now, until);
    if (why[slot] == STALL_ISSUED)
      chosen = slot;
    else
      *asked |= cu_bit(slot);
  }
  for (uint64_t left = *asked; left; left &= left - 1) {
    const uint32_t slot = (uint32_t)__builtin_ctzll(left);
    wait_in(cu, slot, (enum stall)why[slot], now);
  }
  return chosen;
}

/* Those of `others` that come before `chosen` in the policy's order. */
static uint64_t before(const struct cu *cu, const struct cu_scheduler *scheduler, uint32_t chosen, uint64_t others,
                       cycle_t now) {
  uint64_t first = others;
  for (; others; others &= others - 1)
    if (pick(cu, scheduler, (others & -others) | cu_bit(chosen), now) == chosen)
      first &= ~(others & -others);
  return first;
}

/* The same without tasks. The order does not matter then, so one question covers all warps that want the same. */
static uint32_t select_by_want(struct cu *cu, struct cu_scheduler *scheduler, cycle_t now, uint64_t *asked,
                               cycle_t *until) {
  uint8_t why[CU_WANTS];
  uint64_t may = 0, held = 0; /* slots; wants */
  for (uint64_t left = scheduler->wanted; left; left &= left - 1) {
    const uint32_t want = (uint32_t)__builtin_ctzll(left);
    why[want] = (uint8_t)structural(cu, scheduler, (uint8_t)want, now, until);
    if (why[want] == STALL_ISSUED)
      may |= scheduler->by_want[want];
    else
      held |= cu_bit(want);
  }
  const uint64_t others = scheduler->ready & ~may;
  const uint32_t chosen = may ? pick(cu, scheduler, may, now) : CU_WARPS;
  *asked = may && others ? before(cu, scheduler, chosen, others, now) : others;
  for (; held; held &= held - 1) {
    const uint32_t want = (uint32_t)__builtin_ctzll(held);
    for (uint64_t left = scheduler->by_want[want] & *asked; left; left &= left - 1)
      wait_in(cu, (uint32_t)__builtin_ctzll(left), (enum stall)why[want], now);
  }
  return chosen;
}

/* Asks the ready warps in the order of the policy until one may issue: returns its slot, or CU_WARPS. The warps asked
 * in vain change their bucket; others keep NOT_SELECTED. If there is none, *until is when to ask again. */
static uint32_t choose(struct cu *cu, struct cu_scheduler *scheduler, cycle_t now, uint64_t *asked, cycle_t *until) {
  const uint32_t first = pick(cu, scheduler, scheduler->ready, now);
  *asked = 0;
  if (held_by(cu, scheduler, first, now, until) == STALL_ISSUED) /* the common case */
    return first;
  const uint32_t chosen = scheduler->wanted & cu_bit(CU_WANTS_TASK)
                              ? select_one_by_one(cu, scheduler, now, asked, until)
                              : select_by_want(cu, scheduler, now, asked, until);
  scheduler->held |= *asked;
  return chosen;
}

bool cu_schedule(struct cu *cu, struct cu_scheduler *scheduler, cycle_t now, cycle_t *next) {
  uint64_t asked;
  cycle_t until = NEVER;
  if (scheduler->free > now) {
    *next = scheduler->ready ? cycle_min(*next, scheduler->free) : *next;
    return false;
  }
  if (!scheduler->ready)
    return false;
  const uint32_t slot = choose(cu, scheduler, now, &asked, &until);
  if (slot == CU_WARPS) {
    *next = cycle_min(*next, until);
    return false;
  }
  if (__builtin_expect(cu->issue.wants[slot] == CU_WANTS_TASK, 0))
    issue_task(cu, scheduler, slot, now);
  else
    issue(cu, scheduler, slot, now);
  lose_turn(cu, scheduler, asked, now);
  *next = scheduler->ready ? cycle_min(*next, cycle_max(now + 1, scheduler->free)) : *next;
  return true;
}
