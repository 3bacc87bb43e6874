#include "models/cu.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define NO_ACCESS UINT32_MAX

static uint64_t bit(uint32_t slot) { return UINT64_C(1) << slot; }

static struct cu_scheduler *scheduler_of(struct cu *cu, uint32_t slot) {
  return &cu->schedulers[slot % cu->params.schedulers];
}

/* ---- accounts --------------------------------------------------------------------------- */

static void charge(struct cu *cu, struct cu_warp *warp, enum stall stall, uint64_t cycles) {
  warp->stalls[stall] += cycles;
  cu->by_pc[warp->charged].stalls[stall] += cycles;
}

void cu_account(struct cu *cu, struct cu_warp *warp, enum stall stall, cycle_t now) {
  if (now > warp->since) { /* a warp that issues at `now` is already paid up to now + 1 */
    charge(cu, warp, warp->stall, now - warp->since);
    warp->since = now;
  }
  warp->stall = stall;
}

/* Of the cycles that the warp waited for an LDS result, some are due to conflicts or to the DMA engine. */
static void split_lds(struct cu *cu, struct cu_warp *warp, const struct lds_reply *reply, cycle_t now) {
  uint64_t waited = now > warp->since ? now - warp->since : 0;
  uint64_t contention = waited < reply->contention_cycles ? waited : reply->contention_cycles;
  uint64_t conflict = waited - contention < reply->conflict_cycles ? waited - contention : reply->conflict_cycles;
  charge(cu, warp, STALL_LDS_CONTENTION, contention);
  charge(cu, warp, STALL_LDS_CONFLICT, conflict);
  warp->since += contention + conflict;
}

void cu_report(void *context, const struct isa_hazard *hazard) {
  struct cu *cu = context;
  for (size_t i = 0; i < cu->hazard_count; i++)
    if (cu->hazards[i].first.rule == hazard->rule && cu->hazards[i].first.pc == hazard->pc) {
      cu->hazards[i].count++;
      return;
    }
  if (cu->hazard_count == RESULT_HAZARDS) {
    cu->hazards_dropped++;
    return;
  }
  cu->hazard_cycle[cu->hazard_count] = cu->now;
  cu->hazards[cu->hazard_count++] = (struct hazard_result){.first = *hazard, .count = 1};
}

/* ---- timing wheel ----------------------------------------------------------------------- */

static void sleep_until(struct cu *cu, uint32_t slot, cycle_t at) {
  cu_warp(cu, slot)->wake = at;
  /* Farther than the wheel reaches: it turns once more. */
  cycle_t turn = cycle_min(at, cu->wheel_at + CU_WHEEL - 1);
  cu->wheel[turn % CU_WHEEL] |= bit(slot);
  cu->wheel_slots |= bit(turn % CU_WHEEL);
}

static cycle_t next_waking(const struct cu *cu) {
  if (!cu->wheel_slots)
    return NEVER;
  unsigned by = (unsigned)(cu->wheel_at % CU_WHEEL);
  uint64_t turned = cu->wheel_slots >> by | cu->wheel_slots << (-by & (CU_WHEEL - 1));
  return cu->wheel_at + (unsigned)__builtin_ctzll(turned);
}

static void make_ready(struct cu *cu, uint32_t slot, cycle_t now) {
  struct cu_warp *warp = cu_warp(cu, slot);
  warp->state = WARP_READY;
  cu_account(cu, warp, STALL_NOT_SELECTED, now);
  scheduler_of(cu, slot)->ready |= bit(slot);
}

static void turn_wheel(struct cu *cu, cycle_t now) {
  for (cycle_t at = next_waking(cu); at <= now; at = next_waking(cu)) {
    uint64_t waking = cu->wheel[at % CU_WHEEL];
    cu->wheel[at % CU_WHEEL] = 0;
    cu->wheel_slots &= ~bit(at % CU_WHEEL);
    cu->wheel_at = at + 1;
    for (; waking; waking &= waking - 1) {
      uint32_t slot = (uint32_t)__builtin_ctzll(waking);
      const struct cu_warp *warp = cu_warp(cu, slot);
      if (warp->wake > now)
        sleep_until(cu, slot, warp->wake);
      else if (warp->state == WARP_RESTING)
        cu_plan(cu, slot, now, now);
      else
        make_ready(cu, slot, now);
    }
  }
  cu->wheel_at = now + 1;
}

/* ---- planning: when may the next instruction issue? ---------------------------------------- */

static void block(struct cu *cu, uint32_t slot, enum stall stall, cycle_t now) {
  cu_warp(cu, slot)->state = WARP_BLOCKED;
  cu_account(cu, cu_warp(cu, slot), stall, now);
}

void cu_plan(struct cu *cu, uint32_t slot, cycle_t from, cycle_t now) {
  struct cu_warp *warp = cu_warp(cu, slot);
  const struct isa_info *info = &cu->program->info[warp->pc];
  enum stall stall = STALL_DEPENDENCY;
  cycle_t at = from;
  cu_account(cu, warp, warp->stall, now); /* what it waited for so far was the old instruction's business */
  warp->charged = warp->pc;
  for (unsigned i = 0; i < info->slots; i++) {
    cycle_t ready = warp->ready[info->slot[i]];
    if (ready > at) {
      at = ready;
      stall = (enum stall)warp->producer[info->slot[i]];
    }
  }
  bool fenced = (info->local_fence && warp->lds_under_way) || (info->global_fence && warp->global_under_way);
  if (at == NEVER)
    block(cu, slot, stall, now);
  else if (fenced)
    block(cu, slot, STALL_FENCE, now);
  else if (at <= now)
    make_ready(cu, slot, now);
  else {
    cu_account(cu, warp, stall, now);
    warp->state = WARP_ASLEEP;
    sleep_until(cu, slot, at);
  }
}

void cu_rest(struct cu *cu, uint32_t slot, enum stall stall, cycle_t until, cycle_t now) {
  cu_account(cu, cu_warp(cu, slot), stall, now);
  cu_warp(cu, slot)->state = WARP_RESTING;
  sleep_until(cu, slot, until);
}

/* ---- accesses --------------------------------------------------------------------------- */

static uint32_t take_access(struct cu_pool *pool) { return pool->unused[--pool->count]; }

static void free_access(struct cu_pool *pool, uint32_t index) { pool->unused[pool->count++] = index; }

static void set_results(struct cu_warp *warp, const struct isa_info *info, cycle_t ready, enum stall producer) {
  for (unsigned i = 0; i < info->writes; i++) {
    warp->ready[info->slot[i]] = ready;
    warp->producer[info->slot[i]] = (uint8_t)producer;
  }
}

static void send_lds(struct cu *cu, uint32_t index, const struct isa_info *info, cycle_t now) {
  struct cu_access *access = &cu->accesses[index];
  struct cu_warp *warp = cu_warp(cu, access->warp);
  struct lds_request request = {
      .tag = index,
      .kind = info->atomic ? LDS_ATOMIC : info->store ? LDS_WRITE : LDS_READ,
      .bytes = access->isa.bytes,
      .lanes = (uint8_t)cu->params.warp_size,
      .mask = access->isa.mask,
      .address = access->isa.address,
  };
  port_send(cu->to_lds, &request, now);
  warp->lds_under_way++;
  set_results(warp, info, NEVER, STALL_LDS);
  cu->by_pc[access->isa.pc].lds_accesses++;
}

static enum mem_kind kind_of(const struct isa_info *info) {
  if (info->class_ == ISA_CLASS_PREFETCH)
    return MEM_PREFETCH;
  return info->atomic ? MEM_ATOMIC : info->store ? MEM_STORE : MEM_LOAD;
}

static void send_global(struct cu *cu, uint32_t index, const struct isa_info *info, cycle_t now) {
  struct cu_access *access = &cu->accesses[index];
  struct cu_warp *warp = cu_warp(cu, access->warp);
  struct mem_message message = {
      .kind = kind_of(info), .tag = index, .lines = access->lines, .access = &access->isa};
  uint32_t sectors = 0;
  if (message.kind != MEM_PREFETCH)
    message.count = mem_merge(&cu->mem, &access->isa, access->lines, &sectors);
  message.moved = (uint64_t)sectors * cu->mem.sector;
  port_send(cu->to_memory, &message, now);
  access->prefetch = message.kind == MEM_PREFETCH;
  if (access->prefetch)
    return; /* nobody waits for it, its warp's end included */
  warp->global_under_way++;
  set_results(warp, info, NEVER, STALL_MEMORY);
  cu->by_pc[access->isa.pc].sectors += sectors;
}

/* ---- the end of warps -------------------------------------------------------------------- */

static void forget_age(struct cu_scheduler *scheduler, uint32_t slot) {
  uint32_t i = 0;
  while (scheduler->age[i] != slot)
    i++;
  memmove(&scheduler->age[i], &scheduler->age[i + 1], --scheduler->aged - i);
}

/* Adds the warp's account, up to `end`, to the launch's. */
static void close_account(struct cu *cu, struct cu_warp *warp, cycle_t end) {
  uint64_t sum = 0;
  cu_account(cu, warp, warp->stall, end);
  for (unsigned i = 0; i < STALLS; i++) {
    sum += warp->stalls[i];
    cu->stalls[i] += warp->stalls[i];
  }
  assert(sum == end - warp->started && "a warp's buckets sum to its residency");
  cu->resident_cycles += sum;
}

/* The warp's last cycle was `end` - 1. */
static void finish_warp(struct cu *cu, uint32_t slot, cycle_t end) {
  struct cu_warp *warp = cu_warp(cu, slot);
  close_account(cu, warp, end);
  warp->state = WARP_DONE;
  forget_age(scheduler_of(cu, slot), slot);
  if (!--cu->resident)
    cu->stats.active_cycles += end - cu->resident_since;
  cu->groups[warp->group].finished++;
  group_finish(cu, warp->group, end);
}

static bool drained(const struct cu_warp *warp) { return !warp->lds_under_way && !warp->global_under_way; }

void cu_abandon(struct cu *cu, cycle_t end) {
  if (!cu->resident)
    return;
  for (uint32_t slot = 0; slot < cu->params.warps; slot++)
    if (cu->warps[slot].state != WARP_FREE && cu->warps[slot].state != WARP_DONE)
      close_account(cu, cu_warp(cu, slot), end);
  cu->stats.active_cycles += end - cu->resident_since;
  for (uint32_t slot = 0; slot < cu->params.groups; slot++)
    group_abandon(cu, slot, end);
}

/* ---- replies ---------------------------------------------------------------------------- */

/* A warp's access is performed: what it loaded may be used, and what waited for it looks again. */
static void access_done(struct cu *cu, uint32_t index, enum stall producer, cycle_t now) {
  const struct cu_access *access = &cu->accesses[index];
  struct cu_warp *warp = cu_warp(cu, access->warp);
  cu->last_active = now;
  set_results(warp, &cu->program->info[access->isa.pc], now, producer);
  if (warp->exited) {
    if (drained(warp))
      finish_warp(cu, access->warp, now);
  } else if (warp->state == WARP_BLOCKED && !(cu->groups[warp->group].arrived & bit(access->warp))) {
    cu_plan(cu, access->warp, now, now);
  }
}

static void take_lds_replies(struct cu *cu, cycle_t now) {
  const struct lds_reply *message;
  while ((message = port_peek(cu->from_lds, now))) {
    struct lds_reply reply = *message;
    const struct cu_access *access = &cu->accesses[reply.tag];
    struct cu_warp *warp = cu_warp(cu, access->warp);
    struct pc_result *result = &cu->by_pc[access->isa.pc];
    port_take(cu->from_lds, now);
    result->lds_passes += reply.passes;
    result->lds_conflict_cycles += reply.conflict_cycles;
    result->lds_contention_cycles += reply.contention_cycles;
    if (reply.ways > result->lds_max_ways)
      result->lds_max_ways = reply.ways;
    if (reply.ways > cu->lds_max_ways)
      cu->lds_max_ways = reply.ways;
    if (warp->state == WARP_BLOCKED && warp->stall == STALL_LDS)
      split_lds(cu, warp, &reply, now);
    warp->lds_under_way--;
    access_done(cu, reply.tag, STALL_DEPENDENCY, now);
    free_access(&cu->lds_pool, reply.tag);
  }
}

static void take_memory_replies(struct cu *cu, cycle_t now) {
  const struct mem_reply *message;
  while ((message = port_peek(cu->from_memory, now))) {
    uint32_t tag = message->tag;
    port_take(cu->from_memory, now);
    if (!cu->accesses[tag].prefetch) {
      cu_warp(cu, cu->accesses[tag].warp)->global_under_way--;
      access_done(cu, tag, STALL_DEPENDENCY, now);
    }
    free_access(&cu->global_pool, tag);
  }
}

static void take_dma_replies(struct cu *cu, cycle_t now) {
  for (unsigned engine = 0; engine < cu->engines; engine++) {
    const struct dma_done *message;
    while ((message = port_peek(&cu->dma[engine].to_cu, now))) {
      uint64_t tag = message->tag;
      port_take(&cu->dma[engine].to_cu, now);
      cu->last_active = now;
      group_copy_done(cu, tag, now);
    }
  }
}

/* ---- new work-groups ---------------------------------------------------------------------- */

static void start_warp(struct cu *cu, uint32_t slot, uint32_t group_slot, uint32_t index, cycle_t now) {
  struct cu_warp *warp = cu_warp(cu, slot);
  struct cu_scheduler *scheduler = scheduler_of(cu, slot);
  *warp = (struct cu_warp){.since = now, .started = now, .group = group_slot, .index = index};
  warp->pc = cu->source->start_warp(cu->source->self, slot, group_slot, index);
  scheduler->age[scheduler->aged++] = (uint8_t)slot;
  cu->groups[group_slot].warps |= bit(slot);
  if (!cu->resident++)
    cu->resident_since = now;
  cu_plan(cu, slot, now, now);
}

static uint32_t free_warp(const struct cu *cu) {
  uint32_t slot = 0;
  while (cu->warps[slot].state != WARP_FREE)
    slot++;
  return slot;
}

static void start_group(struct cu *cu, uint32_t linear, cycle_t now) {
  uint32_t slot = 0;
  while (cu->groups[slot].active)
    slot++;
  assert(slot < cu->granted_groups && "the dispatcher sends a group when there is room");
  const struct isa_group *shape = cu->source->start_group(cu->source->self, slot, linear);
  struct cu_group *group = &cu->groups[slot];
  *group = (struct cu_group){
      .active = true,
      .warp_count = shape->warps,
      .id = {shape->id[0], shape->id[1], shape->id[2]},
      .lds_base = shape->lds_base,
      .events = group->events,
      .event_room = group->event_room,
  };
  for (uint32_t index = 0; index < shape->warps; index++)
    start_warp(cu, free_warp(cu), slot, index, now);
}

static void take_groups(struct cu *cu, cycle_t now) {
  const struct cu_start *message;
  while ((message = port_peek(&cu->from_dispatcher, now))) {
    uint32_t linear = message->linear;
    port_take(&cu->from_dispatcher, now);
    start_group(cu, linear, now);
  }
}

/* ---- issue ------------------------------------------------------------------------------ */

static bool is_lds(const struct isa_info *info) { return info->class_ == ISA_CLASS_LDS; }

static bool is_global(const struct isa_info *info) {
  return info->class_ == ISA_CLASS_GLOBAL || info->class_ == ISA_CLASS_PREFETCH;
}

/* What keeps a ready warp from issuing, or ISSUED if nothing does. *until is when to look again. */
static enum stall structural(const struct cu *cu, const struct cu_scheduler *scheduler, const struct isa_info *info,
                             cycle_t now, cycle_t *until) {
  cycle_t unit_free = scheduler->unit_free[cu->unit[info->class_]];
  if (unit_free > now) {
    *until = cycle_min(*until, unit_free);
    return STALL_UNIT;
  }
  if (is_lds(info) && (!cu->lds_pool.count || !port_can_send(cu->to_lds, now))) {
    *until = cycle_min(*until, port_free_at(cu->to_lds) > now ? port_free_at(cu->to_lds) : NEVER);
    return STALL_LDS_QUEUE;
  }
  if (is_global(info) && (!cu->global_pool.count || !port_can_send(cu->to_memory, now))) {
    *until = cycle_min(*until, port_free_at(cu->to_memory) > now ? port_free_at(cu->to_memory) : NEVER);
    return STALL_MEMORY_QUEUE;
  }
  return STALL_ISSUED;
}

static uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
  return hash ^ hash >> 29;
}

static void note_issue(struct cu *cu, uint32_t slot, const struct isa_result *result, cycle_t now) {
  struct pc_result *by_pc = &cu->by_pc[result->pc];
  uint64_t lanes = (uint64_t)__builtin_popcountll(result->mask);
  cu->stats.warp_instructions++;
  cu->stats.lane_instructions += lanes;
  cu->stats.divergent_branches += result->diverged;
  by_pc->issues++;
  by_pc->lanes += lanes;
  cu->trace_hash = mix(mix(cu->trace_hash, now), result->mask);
  cu->trace_hash = mix(cu->trace_hash, (uint64_t)result->pc << 32 | slot);
}

/* What becomes of an instruction that left the scheduler; its results are not timed yet. Returns
 * whether the warp may go on to its next instruction. */
static bool execute(struct cu *cu, uint32_t slot, const struct isa_info *info, uint32_t access,
                    const struct isa_result *result, cycle_t now) {
  struct cu_warp *warp = cu_warp(cu, slot);
  cycle_t ready = now + cu->latency[info->class_];
  bool under_way = access != NO_ACCESS && cu->accesses[access].isa.mask;
  if (access != NO_ACCESS && !under_way)
    free_access(is_lds(info) ? &cu->lds_pool : &cu->global_pool, access);
  switch ((enum isa_class)info->class_) {
  case ISA_CLASS_LDS:
    if (under_way)
      send_lds(cu, access, info, now);
    return true;
  case ISA_CLASS_GLOBAL:
  case ISA_CLASS_PREFETCH:
    if (under_way)
      send_global(cu, access, info, now);
    return true;
  case ISA_CLASS_BARRIER:
  case ISA_CLASS_COPY:
  case ISA_CLASS_WAIT:
    set_results(warp, info, now + 1, STALL_DEPENDENCY);
    if (!result->mask)
      return true;
    group_arrive(cu, slot, result->pc, result, now);
    return false;
  default:
    set_results(warp, info, ready, STALL_DEPENDENCY);
    return true;
  }
}

static void exit_warp(struct cu *cu, uint32_t slot, cycle_t now) {
  group_exit(cu, slot);
  if (drained(cu_warp(cu, slot)))
    finish_warp(cu, slot, now + 1);
  else
    block(cu, slot, STALL_DRAIN, now);
}

static void issue(struct cu *cu, struct cu_scheduler *scheduler, uint32_t slot, cycle_t now) {
  struct cu_warp *warp = cu_warp(cu, slot);
  const struct isa_info *info = &cu->program->info[warp->pc];
  struct isa_result result;
  uint32_t access = NO_ACCESS;

  cu_account(cu, warp, STALL_ISSUED, now);
  charge(cu, warp, STALL_ISSUED, 1);
  warp->since = now + 1;
  scheduler->ready &= ~bit(slot);
  scheduler->held &= ~bit(slot);
  scheduler->last = slot;
  scheduler->unit_free[cu->unit[info->class_]] = now + cu->interval[info->class_];

  if (is_lds(info) || is_global(info)) {
    access = take_access(is_lds(info) ? &cu->lds_pool : &cu->global_pool);
    cu->accesses[access].warp = slot;
  }
  warp->pc = cu->source->step(cu->source->self, slot, access == NO_ACCESS ? NULL : &cu->accesses[access].isa, &result);
  note_issue(cu, slot, &result, now);
  bool goes_on = execute(cu, slot, info, access, &result, now);
  if (result.done)
    exit_warp(cu, slot, now);
  else if (goes_on)
    cu_plan(cu, slot, now + cu->follow[info->class_], now);
}

/* The policy's choice among `candidates`, which are not empty. */
static uint32_t pick(const struct cu *cu, const struct cu_scheduler *scheduler, uint64_t candidates) {
  uint64_t after = scheduler->last >= CU_WARPS - 1 ? 0 : candidates & (UINT64_MAX << (scheduler->last + 1));
  if (cu->params.policy == CU_ROUND_ROBIN)
    return (uint32_t)__builtin_ctzll(after ? after : candidates);
  if (cu->params.policy == CU_GREEDY_OLDEST && scheduler->last < CU_WARPS && candidates & bit(scheduler->last))
    return scheduler->last;
  for (uint32_t i = 0; i < scheduler->aged; i++)
    if (candidates & bit(scheduler->age[i]))
      return scheduler->age[i];
  assert(false && "a ready warp is resident");
  return 0;
}

/* Warps that are held by something structural change bucket; others keep NOT_SELECTED. */
static void hold(struct cu *cu, struct cu_scheduler *scheduler, uint32_t slot, enum stall stall, cycle_t now) {
  scheduler->held |= bit(slot);
  if (cu_warp(cu, slot)->stall != stall)
    cu_account(cu, cu_warp(cu, slot), stall, now);
}

/* Another warp was issued: those that were held before but not asked now have only lost their turn. */
static void let_go(struct cu *cu, struct cu_scheduler *scheduler, uint64_t asked, cycle_t now) {
  for (uint64_t left = scheduler->held & ~asked; left; left &= left - 1)
    cu_account(cu, cu_warp(cu, (uint32_t)__builtin_ctzll(left)), STALL_NOT_SELECTED, now);
  scheduler->held &= asked;
}

/* Issues at most one instruction; lowers *next to the cycle in which the scheduler wants to look again. */
static bool schedule(struct cu *cu, struct cu_scheduler *scheduler, cycle_t now, cycle_t *next) {
  uint64_t candidates = scheduler->ready, asked = 0;
  cycle_t until = NEVER;
  while (candidates) {
    uint32_t slot = pick(cu, scheduler, candidates);
    enum stall stall = structural(cu, scheduler, &cu->program->info[cu_warp(cu, slot)->pc], now, &until);
    if (stall == STALL_ISSUED) {
      issue(cu, scheduler, slot, now);
      let_go(cu, scheduler, asked, now);
      *next = scheduler->ready ? now + 1 : *next;
      return true;
    }
    hold(cu, scheduler, slot, stall, now);
    asked |= bit(slot);
    candidates &= ~bit(slot);
  }
  *next = cycle_min(*next, until);
  return false;
}

/* ---- step ------------------------------------------------------------------------------- */

static cycle_t cu_step(void *self, cycle_t now) {
  struct cu *cu = self;
  cycle_t next = NEVER;
  uint32_t issued = 0;
  cu->now = now;

  /* (1) replies, oldest stage first */
  take_lds_replies(cu, now);
  take_memory_replies(cu, now);
  take_dma_replies(cu, now);
  /* (2) warps whose results are due */
  turn_wheel(cu, now);
  /* (3) new work-groups */
  take_groups(cu, now);
  /* (4) issue */
  for (uint32_t i = 0; i < cu->params.schedulers; i++)
    if (cu->schedulers[i].ready)
      issued += schedule(cu, &cu->schedulers[i], now, &next);
  cu->stats.issue_cycles += issued > 0;
  if (issued)
    cu->last_active = now;
  /* (5) copies that all warps have reached */
  if (cu->queued)
    next = cycle_min(next, group_hand_over(cu, now));

  cu->probe_resident = cu->resident;
  cu->probe_issued = issued;
  if (cu->every_cycle && issued)
    next = cycle_min(next, now + 1);
  next = cycle_min(next, next_waking(cu));
  next = cycle_min(next, port_next(cu->from_lds));
  next = cycle_min(next, port_next(cu->from_memory));
  next = cycle_min(next, port_next(&cu->from_dispatcher));
  for (unsigned engine = 0; engine < cu->engines; engine++)
    next = cycle_min(next, port_next(&cu->dma[engine].to_cu));
  return next;
}

/* ---- construction ----------------------------------------------------------------------- */

static void set_classes(struct cu *cu) {
  const struct cu_params *params = &cu->params;
  for (unsigned i = 0; i < ISA_CLASSES; i++)
    cu->latency[i] = cu->interval[i] = 1;
/* clang-format off */
#define UNIT(ID, name) \
  cu->latency[ISA_CLASS_##ID] = params->name##_latency; \
  cu->interval[ISA_CLASS_##ID] = params->name##_interval;
  UNIT(INT, int) UNIT(MUL, mul) UNIT(DIV, div) UNIT(LONG, long) UNIT(HALF, half) UNIT(FLOAT, float)
  UNIT(DOUBLE, double) UNIT(CONVERT, convert) UNIT(SPECIAL, special) UNIT(LANE, lane) UNIT(BRANCH, branch)
  UNIT(CONSTANT, constant) UNIT(PRIVATE, private)
#undef UNIT
  /* clang-format on */
  for (unsigned i = 0; i < ISA_CLASSES; i++) {
    cu->follow[i] = 1;
    cu->unit[i] = (uint8_t)i;
  }
  cu->unit[ISA_CLASS_PREFETCH] = ISA_CLASS_GLOBAL;
  /* Execution units are the classes before LDS. */
  for (unsigned i = 0; i < ISA_CLASS_LDS && params->dependence == CU_FIXED; i++)
    cu->follow[i] = cu->latency[i] = params->dependence_latency;
  cu->follow[ISA_CLASS_BRANCH] = params->branch_latency;
  cu->interval[ISA_CLASS_LDS] = params->lds_interval;
  cu->interval[ISA_CLASS_GLOBAL] = cu->interval[ISA_CLASS_PREFETCH] = params->global_interval;
}

static bool pool_init(struct cu_pool *pool, uint32_t first, uint32_t count) {
  pool->unused = calloc(count, sizeof *pool->unused);
  if (!pool->unused)
    return false;
  for (pool->count = 0; pool->count < count; pool->count++)
    pool->unused[pool->count] = first + count - 1 - pool->count;
  return true;
}

bool cu_init(struct cu *cu, uint32_t index, const struct machine *machine, struct component *dispatcher,
             struct lds *lds, struct dma *dma, struct mem_port *port, const struct warp_source *source) {
  /* An LDS access is under way from its issue to its reply: in the queue, in the banks, or on its way back. */
  uint32_t lds_accesses = machine->lds.queue + machine->lds.latency + 2;
  *cu = (struct cu){
      .component = {.name = "cu", .step = cu_step, .self = cu},
      .index = index,
      .params = machine->cu,
      .mem = machine->mem,
      .source = source,
      .to_lds = &lds->from_cu,
      .from_lds = &lds->to_cu,
      .to_memory = &port->from_cu,
      .dma = dma,
      .engines = machine->dma.engines,
      .warps = calloc(machine->cu.warps, sizeof *cu->warps),
      .groups = calloc(machine->cu.groups, sizeof *cu->groups),
      .accesses = calloc(lds_accesses + machine->cu.accesses, sizeof *cu->accesses),
  };
  set_classes(cu);
  bool ports = port_init(&cu->from_dispatcher, sizeof(struct cu_start), machine->cu.groups,
                         machine->cu.dispatch_latency, dispatcher, &cu->component) &&
               port_init(&cu->to_dispatcher, sizeof(struct cu_finish), machine->cu.groups,
                         machine->cu.dispatch_latency, &cu->component, dispatcher);
  if (cu->warps && cu->groups && cu->accesses && ports && pool_init(&cu->lds_pool, 0, lds_accesses) &&
      pool_init(&cu->global_pool, lds_accesses, machine->cu.accesses))
    return true;
  cu_free(cu);
  return false;
}

void cu_free(struct cu *cu) {
  port_free(&cu->from_dispatcher);
  port_free(&cu->to_dispatcher);
  for (uint32_t i = 0; cu->groups && i < cu->params.groups; i++)
    free(cu->groups[i].events);
  free(cu->warps);
  free(cu->groups);
  free(cu->accesses);
  free(cu->lds_pool.unused);
  free(cu->global_pool.unused);
  *cu = (struct cu){0};
}

void cu_launch(struct cu *cu, const struct isa_launch *launch, uint32_t groups, struct pc_result *by_pc) {
  cu->launch = launch;
  cu->program = launch->program;
  cu->granted_groups = groups;
  cu->by_pc = by_pc;
  cu->stats = (struct cu_stats){0};
  memset(cu->stalls, 0, sizeof cu->stalls);
  cu->resident_cycles = 0;
  cu->lds_max_ways = 0;
  cu->trace_hash = cu->index;
  cu->hazard_count = 0;
  cu->hazards_dropped = 0;
  cu->last_active = 0;
  for (unsigned i = 0; i < CU_SCHEDULERS; i++)
    cu->schedulers[i].last = CU_WARPS; /* the first turn is the lowest slot's */
}
