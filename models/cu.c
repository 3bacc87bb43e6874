#include "models/cu.h"
#include "dma/dma.h"
#include "models/emit.h"
#include "models/lane_copy.h"
#include "models/machine.h"
#include "models/mbarrier.h"
#include "models/texture.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"

void cu_report(void *context, const struct isa_hazard *hazard) {
  struct cu_kernel *kernel = context;
  for (size_t i = 0; i < kernel->hazard_count; i++)
    if (kernel->hazards[i].first.rule == hazard->rule && kernel->hazards[i].first.pc == hazard->pc) {
      kernel->hazards[i].count++;
      return;
    }
  if (kernel->hazard_count == RESULT_HAZARDS) {
    kernel->hazards_dropped++;
    return;
  }
  kernel->hazard_cycle[kernel->hazard_count] = kernel->cu->now;
  kernel->hazards[kernel->hazard_count++] = (struct hazard_result){.first = *hazard, .count = 1};
}

/* ---- replies ---------------------------------------------------------------------------- */

/* Divides the cycles that the warp waited for an LDS result: those due to contention and to bank conflicts, of its own
 * access or of accesses before it, are the cycles that it would not have waited without them. */
static void split_lds(struct cu_warp *warp, const struct lds_reply *reply, cycle_t now) {
  uint64_t waited = now > warp->since ? now - warp->since : 0;
  uint64_t contention = waited < reply->contention_cycles ? waited : reply->contention_cycles;
  uint64_t conflicts = (uint64_t)reply->conflict_cycles + reply->queued_conflicts;
  uint64_t conflict = cycle_min(waited - contention, conflicts);
  cu_charge(warp, STALL_LDS_CONTENTION, contention);
  cu_charge(warp, STALL_LDS_CONFLICT, conflict);
  warp->since += contention + conflict;
}

void cu_access_done(struct cu *cu, uint32_t index, enum stall producer, cycle_t ready, cycle_t now) {
  const struct cu_access *access = cu->lsu.accesses[index];
  struct cu_warp *warp = cu_warp(cu, access->warp);
  cu->last_active = now;
  cu_set_results(warp, &warp->kernel->info[access->isa.pc], ready, CU_NO_UNIT, producer);
  if (warp->exited) {
    if (cu_drained(warp))
      cu_finish_warp(cu, access->warp, now);
  } else if (warp->state == WARP_BLOCKED && !warp->task && !cu_waits_at_call(cu, access->warp)) {
    cu_plan(cu, access->warp, now, now);
  }
}

static void take_lds_replies(struct cu *cu, cycle_t now) {
  const struct lds_reply *message;
  while ((message = port_peek(cu->lsu.from_lds, now))) {
    struct lds_reply reply = *message;
    const struct cu_access *access = cu->lsu.accesses[reply.tag];
    struct cu_warp *warp = cu_warp(cu, access->warp);
    struct pc_result *result = &warp->kernel->by_pc[access->isa.pc];
    bool copy = access->isa.copy;
    port_take(cu->lsu.from_lds, now);
    if (cu->emitter)
      emit_lds_reply(cu, &reply, now);
    result->lds_passes += reply.passes;
    result->lds_conflict_cycles += reply.conflict_cycles;
    result->lds_contention_cycles += reply.contention_cycles;
    if (reply.ways > result->lds_max_ways)
      result->lds_max_ways = reply.ways;
    if (reply.ways > cu->lds_max_ways)
      cu->lds_max_ways = reply.ways;
    if (copy) {
      lane_copy_reply(cu, reply.tag, now);
      continue;
    }
    if (warp->state == WARP_BLOCKED && warp->stall == STALL_LDS)
      split_lds(warp, &reply, now);
    if (is_mbarrier(&warp->kernel->info[access->isa.pc])) {
      mbarrier_reply(cu, reply.tag, now);
      continue;
    }
    warp->lds_in_flight--;
    cu_access_done(cu, reply.tag, STALL_DEPENDENCY, now, now);
    cu_free_access(&cu->lsu.lds_pool, reply.tag);
  }
}

/* Reports what the memory found wrong with an operation on a pipe. If the pipe refused or held it, the warp's wait is
 * charged to the pipe. */
static void take_pipe_reply(struct cu *cu, struct cu_access *access, cycle_t now) {
  struct isa_access *isa = &access->isa;
  struct cu_warp *warp = cu_warp(cu, access->warp);
  isa_pipe_report(isa);
  if (cu->source->replied.call)
    cu->source->replied.call(cu->source->replied.self, isa);
  if (!isa->pipe.refused && !isa->pipe.held)
    return;
  const enum stall stall = isa_is_pipe_write(isa->inst->op) ? STALL_PIPE_FULL : STALL_PIPE_EMPTY;
  if (warp->state == WARP_BLOCKED && warp->stall == STALL_PIPE && now > warp->since) {
    cu_charge(warp, stall, now - warp->since);
    warp->since = now;
  }
  if (isa->pipe.refused) {
    warp->tries |= isa->pc == warp->tried_pc;
    warp->refused_at = now;
    warp->refused_pc = isa->pc;
    warp->refused_by = isa->address[__builtin_ctzll(isa->pipe.refused)];
  }
}

/* Whether a load that joined fills of others must wait for another one. */
static bool waits_for_others(struct cu *cu, uint32_t tag) {
  const struct cu_access *access = cu->lsu.accesses[tag];
  return access->joined && l1_wait(access->cache, access->lines + access->fills, access->joined, tag);
}

/* Bank passes of a load's words. */
static uint32_t bank_passes(const struct cu *cu, const struct isa_access *access) {
  const struct lds_request words = {.kind = LDS_READ,
                                    .bytes = (uint8_t)access->bytes,
                                    .lanes = (uint8_t)cu->params->warp_size,
                                    .mask = access->mask,
                                    .address = access->address};
  struct lds_schedule schedule;
  lds_plan(cu->lsu.lds->params, &words, &schedule);
  return schedule.passes;
}

cycle_t cu_read_l1(struct cu *cu, struct cu_access *access, uint32_t lines, uint64_t bytes, cycle_t now) {
  const uint32_t width = cu->mem->l1_width;
  commit_cached(cu->source, &access->isa, &cu->lsu.l1.cache);
  const uint64_t tags = (uint64_t)cu_l1_tags(cu, lines) * width;
  uint64_t data = bytes > tags ? bytes : tags;
  if (cu->mem->l1_banks == L1_LDS_BANKS) /* words of one line are in different banks */
    data = lines > 1 ? (uint64_t)bank_passes(cu, &access->isa) * width : width > bytes ? width : bytes;
  lds_yield(cu->lsu.lds, now, div_up(data, width));
  return rate_take(&cu->lsu.l1.width, now, data > tags ? data : tags);
}

/* The last reply of an access has arrived. */
static void end_access(struct cu *cu, uint32_t tag, cycle_t now) {
  struct cu_access *access = cu->lsu.accesses[tag];
  const bool reads = access->joined && !access->fills; /* all that it needs is in the cache now */
  const bool texels = access->isa.image && isa_is_image_read(&access->isa);
  const cycle_t ready = texels  ? texture_ready(cu, access, reads, now)
                        : reads ? cu_read_l1(cu, access, access->all, access->moved, now)
                                : now;
  if (access->joined)
    l1_release(access->cache, access->lines + access->fills, access->joined);
  if (texels)
    texture_end(access);
  if (cu->emitter)
    emit_access_end(cu, tag, ready);
  if (!access->prefetch) { /* a prefetch may outlive its warp */
    struct cu_warp *warp = cu_warp(cu, access->warp);
    if (warp->kernel->info[access->isa.pc].class_ == ISA_CLASS_PIPE) {
      cu_clear_caches(cu);
      take_pipe_reply(cu, access, now);
    }
    cu->lsu.stored_bytes -= access->stored;
    warp->global_in_flight--;
    cu_access_done(cu, tag, texels ? STALL_TEXTURE : STALL_DEPENDENCY, ready, now);
  }
  cu_free_access(&cu->lsu.global_pool, tag);
}

/* Ends an access whose reply has arrived, and the loads that waited only for that. */
static void take_memory_reply(struct cu *cu, uint32_t tag, cycle_t now) {
  const struct cu_access *access = cu->lsu.accesses[tag];
  uint32_t waiting = access->fills ? l1_filled(access->cache, access->lines, access->fills) : 0;
  if (!waits_for_others(cu, tag))
    end_access(cu, tag, now);
  while (waiting) {
    const uint32_t load = waiting - 1;
    waiting = access->cache->next[load];
    if (!waits_for_others(cu, load))
      end_access(cu, load, now);
  }
}

/* Brings the data of the next reply into the host's caches. 132 compute units do not fit there. */
static void fetch_ahead(const struct cu *cu) {
  const struct mem_reply *reply = port_coming(cu->lsu.from_memory);
  if (!reply)
    return;
  const struct cu_access *access = cu->lsu.accesses[reply->tag];
  __builtin_prefetch(&access->isa);
  __builtin_prefetch(&access->index);
  __builtin_prefetch((const uint64_t *)(access + 1) + cu->params->warp_size); /* its lines: see add_chunk() */
}

static void take_memory_replies(struct cu *cu, cycle_t now) {
  const struct mem_reply *message;
  while ((message = port_peek(cu->lsu.from_memory, now))) {
    uint32_t tag = message->tag;
    port_take(cu->lsu.from_memory, now);
    if (!cu->lsu.accesses[tag]->isa.copy) {
      take_memory_reply(cu, tag, now);
      continue;
    }
    if (cu->emitter)
      emit_access_end(cu, tag, now);
    lane_copy_reply(cu, tag, now);
  }
}

static void count_copy(const struct cu_kernel *kernel, const struct dma_done *done) {
  struct pc_result *result = &kernel->by_pc[done->origin];
  result->copies_done++;
  result->copy_requests += done->requests;
  result->copy_moved += done->bytes;
  result->copy_cycles += done->latency;
  result->copy_max = cycle_max(result->copy_max, done->latency);
}

static void take_notice(struct cu *cu, const struct dma_done *done, cycle_t now) {
  const struct cu_kernel *kernel = group_of_copy(cu, done->tag)->kernel;
  cu->last_active = now;
  if (kernel->info[done->origin].to_global)
    cu_clear_caches(cu);
  if (cu->emitter)
    emit_copy_notice(cu, done, now);
  if (done->notice != DMA_LANDED)
    group_copy_complete(cu, done->tag, now);
  if (done->notice == DMA_LEFT)
    return;
  count_copy(kernel, done);
  group_copy_landed(cu, done->tag, now);
}

static void take_dma_replies(struct cu *cu, cycle_t now) {
  for (unsigned engine = 0; engine < cu->copy.engines; engine++) {
    const struct dma_done *message;
    while ((message = port_peek(cu->copy.from_dma[engine], now))) {
      const struct dma_done done = *message;
      port_take(cu->copy.from_dma[engine], now);
      take_notice(cu, &done, now);
    }
  }
}

/* ---- new work-groups ---------------------------------------------------------------------- */

static uint32_t operands_of(const struct cu_kernel *kernel) {
  return ISA_PREDICATES + kernel->launch->kernel->registers;
}

/* A warp's first values were not made by a unit: no forwarding, no wait. */
static void set_first_operands(struct cu_warp *warp) {
  const uint32_t count = operands_of(warp->kernel);
  for (uint32_t i = 0; i < count; i++)
    warp->operand[i] = (struct cu_operand){.maker = CU_NO_UNIT};
}

static void start_warp(struct cu *cu, uint32_t slot, uint32_t group_slot, uint32_t index, cycle_t now) {
  struct cu_warp *warp = cu_warp(cu, slot);
  struct cu_scheduler *scheduler = &cu->issue.schedulers[slot % cu->params->schedulers];
  struct cu_kernel *kernel = cu->groups[group_slot].kernel;
  *warp = (struct cu_warp){
      .kernel = kernel, .scheduler = scheduler, .since = now, .started = now, .group = group_slot, .index = index};
  cu_give_operands(cu, slot);
  set_first_operands(warp);
  cu_note_turn(cu, slot, now);
  warp->pc = cu->source->start_warp.call(cu->source->start_warp.self, slot, group_slot, index);
  scheduler->age[scheduler->age_count++] = (uint8_t)slot;
  cu->groups[group_slot].warps |= cu_bit(slot);
  cu->resident++;
  if (!kernel->resident++)
    kernel->resident_since = now;
  cu_plan(cu, slot, now, now);
  if (cu->emitter)
    emit_warp_start(cu, slot);
}

static uint32_t free_warp(const struct cu *cu) {
  uint32_t slot = 0;
  while (cu->warps[slot].state != WARP_FREE)
    slot++;
  return slot;
}

/* If a launch runs alone, a group's LDS is at its slot's place, so that a group finds what the previous group of its
 * slot left there. The dispatcher's places, which may differ, are for launches that share the LDS. */
static uint32_t lds_of(const struct cu *cu, uint32_t slot, const struct cu_start *start) {
  return cu->kernel_count == 1 ? slot * cu->kernels[0].lds_per_group : start->lds;
}

const struct isa_group *cu_open_group(struct cu *cu, uint32_t slot, const struct cu_start *start, cycle_t now) {
  const struct isa_group *shape = cu->source->start_group.call(cu->source->start_group.self, slot, start->launch,
                                                               start->linear, lds_of(cu, slot, start), now);
  struct cu_group *group = &cu->groups[slot];
  *group = (struct cu_group){
      .active = true,
      .kernel = &cu->kernels[start->launch],
      .lds_given = start->lds,
      .linear = start->linear,
      .started = now,
      .warp_count = shape->warps,
      .id = {shape->id[0], shape->id[1], shape->id[2]},
      .lds_base = shape->lds_base,
      .events = group->events,
      .event_room = group->event_room,
  };
  if (!cu->held++)
    cu->held_since = now;
  return shape;
}

static void start_group(struct cu *cu, const struct cu_start *start, cycle_t now) {
  uint32_t slot = 0;
  while (cu->groups[slot].active)
    slot++;
  assert(slot < cu->params->groups && "the dispatcher sends a group when there is room");
  const struct isa_group *shape = cu_open_group(cu, slot, start, now);
  for (uint32_t index = 0; index < shape->warps; index++)
    start_warp(cu, free_warp(cu), slot, index, now);
}

static void take_groups(struct cu *cu, cycle_t now) {
  const struct cu_start *message;
  while ((message = port_peek(&cu->from_dispatcher, now))) {
    const struct cu_start start = *message;
    port_take(&cu->from_dispatcher, now);
    start_group(cu, &start, now);
  }
}

/* ---- step ------------------------------------------------------------------------------- */

static cycle_t cu_step(void *self, cycle_t now) {
  struct cu *cu = self;
  cycle_t next = NEVER;
  uint32_t issued = 0;
  cu->now = now;
  commit_waiting(cu->lsu.commits, cu->index);

  /* (1) replies, oldest stage first */
  take_lds_replies(cu, now);
  take_memory_replies(cu, now);
  take_dma_replies(cu, now);
  if (cu->copy.queued_stores)
    lane_copy_pass_on(cu, now);
  /* (2) warps whose results are due */
  cu_turn_wheel(cu, now);
  /* (3) new work-groups */
  take_groups(cu, now);
  /* (4) issue */
  for (uint32_t i = 0; i < cu->params->schedulers; i++)
    if (cu->issue.schedulers[i].ready)
      issued += cu_schedule(cu, &cu->issue.schedulers[i], now, &next);
  if (issued)
    cu->last_active = now;
  /* (5) copies that all warps have reached */
  if (cu->copy.queued)
    next = cycle_min(next, group_submit_copies(cu, now));
  if (cu->copy.queued_stores)
    next = cycle_min(next, lane_copy_next(cu, now));

  fetch_ahead(cu);
  cu->probe_resident = cu->resident;
  cu->probe_issued = issued;
  /* What other schedulers issue may change what holds a warp's share of a copy. */
  if (issued && (cu->every_cycle || cu->dma_params->copy != DMA_BY_ENGINE))
    next = cycle_min(next, now + 1);
  next = cycle_min(next, cu_next_waking(cu));
  next = cycle_min(next, port_next(cu->lsu.from_lds));
  next = cycle_min(next, port_next(cu->lsu.from_memory));
  next = cycle_min(next, port_next(&cu->from_dispatcher));
  for (unsigned engine = 0; engine < cu->copy.engines; engine++)
    next = cycle_min(next, port_next(cu->copy.from_dma[engine]));
  return next;
}

/* ---- construction ----------------------------------------------------------------------- */

/* Sets up a class that is part of another one. If it has an interval, it runs in `unit`. */
static void split_class(struct cu_issue *issue, enum isa_class part, enum isa_class whole, enum isa_class unit,
                        uint32_t latency, uint32_t interval) {
  issue->latency[part] = latency ? latency : issue->latency[whole];
  issue->interval[part] = interval ? interval : issue->interval[whole];
  issue->unit[part] = (uint8_t)(interval ? unit : whole);
}

/* Forwarding latencies between execution units. Accesses that leave them read operands without a forwarding latency. */
static void set_forwards(struct cu_issue *issue, const struct cu_params *params) {
  for (unsigned user = 0; user < ISA_CLASSES; user++)
    for (unsigned maker = 0; maker < ISA_CLASSES; maker++)
      if (isa_on_unit(user) && maker != issue->unit[user]) {
        const bool steers = user == ISA_CLASS_BRANCH && params->guard_latency;
        issue->forward[user][maker] = steers ? params->guard_latency : params->forward_latency;
      }
}

static void set_classes(struct cu_issue *issue, const struct cu_params *params) {
  for (unsigned i = 0; i < ISA_CLASSES; i++)
    issue->latency[i] = issue->interval[i] = 1;
/* clang-format off */
#define UNIT(ID, name) \
  issue->latency[ISA_CLASS_##ID] = params->name##_latency; \
  issue->interval[ISA_CLASS_##ID] = params->name##_interval;
  UNIT(INT, int) UNIT(MUL, mul) UNIT(DIV, div) UNIT(LONG, long) UNIT(HALF, half) UNIT(FLOAT, float)
  UNIT(DOUBLE, double) UNIT(CONVERT, convert) UNIT(SPECIAL, special) UNIT(MATH, math) UNIT(LANE, lane)
  UNIT(BRANCH, branch) UNIT(CONSTANT, constant) UNIT(PRIVATE, private)
#undef UNIT
      /* clang-format on */
      for (unsigned i = 0; i < ISA_CLASSES; i++) {
    issue->follow[i] = 1;
    issue->unit[i] = (uint8_t)i;
  }
  issue->unit[ISA_CLASS_PREFETCH] = issue->unit[ISA_CLASS_PIPE] = issue->unit[ISA_CLASS_COPY_LANE] = ISA_CLASS_GLOBAL;
  split_class(issue, ISA_CLASS_ADD, ISA_CLASS_INT, ISA_CLASS_ADD, params->add_latency, params->add_interval);
  split_class(issue, ISA_CLASS_COUNT, ISA_CLASS_INT, ISA_CLASS_COUNT, params->count_latency, params->count_interval);
  split_class(issue, ISA_CLASS_VOTE, ISA_CLASS_LANE, ISA_CLASS_INT, params->vote_latency, params->vote_interval);
  for (unsigned i = 0; i < ISA_CLASSES; i++)
    if (isa_on_unit(i) && params->dependence == CU_FIXED)
      issue->follow[i] = issue->latency[i] = params->dependence_latency;
  issue->follow[ISA_CLASS_BRANCH] = params->branch_latency;
  issue->unit[ISA_CLASS_FENCE] = ISA_CLASS_GLOBAL; /* it uses the path of the accesses before it */
  issue->interval[ISA_CLASS_FENCE] = params->fence_interval;
  issue->follow[ISA_CLASS_LANE_WAIT] = params->lane_wait_latency;
  issue->follow[ISA_CLASS_YIELD] = params->yield_latency;
  issue->interval[ISA_CLASS_LDS] = issue->interval[ISA_CLASS_MBARRIER] = params->lds_interval;
  issue->unit[ISA_CLASS_PHASE] = ISA_CLASS_MBARRIER;
  issue->interval[ISA_CLASS_PHASE] = params->phase_interval;
  issue->interval[ISA_CLASS_GLOBAL] = issue->interval[ISA_CLASS_TEXTURE] = issue->interval[ISA_CLASS_PREFETCH] =
      issue->interval[ISA_CLASS_PIPE] = issue->interval[ISA_CLASS_COPY_LANE] = params->global_interval;
  set_forwards(issue, params);
}

void cu_clear_caches(struct cu *cu) {
  l1_clear(&cu->lsu.l1);
  l1_clear(&cu->lsu.texels);
}

void cu_written(struct cu *cu, const struct mem_line *lines, uint32_t count) {
  if (cu->lsu.l1.sets)
    l1_written(&cu->lsu.l1, lines, count);
  if (cu->lsu.texels.taken)
    l1_written(&cu->lsu.texels, lines, count);
}

static void pool_init(struct cu_pool *pool, uint32_t first, uint32_t count) {
  pool->unused = need(count, sizeof *pool->unused);
  for (pool->count = 0; pool->count < count; pool->count++)
    pool->unused[pool->count] = first + count - 1 - pool->count;
}

/* Data of a load are close together in an access, to touch few cache lines and pages of the host. Data to store are
 * behind all accesses of the chunk. */
static void add_chunk(struct cu *cu) {
  enum { HOST_LINE = 64, WORDS = 4, LINES = 2 };
  const size_t lanes = cu->params->warp_size, head = sizeof(struct cu_access);
  const size_t bytes = head + lanes * (sizeof(uint64_t) + LINES * sizeof(struct mem_line)),
               behind = lanes * (WORDS + 1) * sizeof(uint32_t);
  struct cu_chunk *chunk = need_more(NULL, 1, sizeof *chunk + HOST_LINE + CU_CHUNK * (bytes + behind));
  const uintptr_t end = (uintptr_t)(chunk + 1) + HOST_LINE - 1;
  uint8_t *at = (uint8_t *)(end & ~(uintptr_t)(HOST_LINE - 1));
  uint32_t *data = (uint32_t *)(void *)(at + CU_CHUNK * bytes);
  *chunk = (struct cu_chunk){.next = cu->lsu.chunks};
  for (uint32_t i = 0; i < CU_CHUNK; i++, at += bytes, data += lanes * (WORDS + 1)) {
    struct cu_access *access = chunk->access[i] = (struct cu_access *)(void *)at;
    uint64_t *const address = (uint64_t *)(void *)(at + head);
    memset(address, 0, lanes * sizeof *address); /* lanes that are off are compared, too: lds/memo.h */
    *access = (struct cu_access){.isa = {.address = address, .data = data, .lds = data + lanes * WORDS},
                                 .lines = (struct mem_line *)(void *)(address + lanes)};
  }
  cu->lsu.chunks = chunk;
}

void cu_make_access(struct cu *cu, uint32_t index) {
  if (!cu->lsu.chunks || cu->lsu.chunks->used == CU_CHUNK)
    add_chunk(cu);
  cu->lsu.accesses[index] = cu->lsu.chunks->access[cu->lsu.chunks->used++];
  cu->lsu.accesses[index]->index = index;
}

void cu_free_accesses(struct cu *cu) {
  while (cu->lsu.chunks) {
    struct cu_chunk *chunk = cu->lsu.chunks;
    cu->lsu.chunks = chunk->next;
    for (uint32_t i = 0; i < CU_CHUNK; i++)
      free(chunk->access[i]->texels);
    free(chunk);
  }
  free(cu->lsu.accesses);
}

void cu_init(struct cu *cu, uint32_t index, const struct machine *machine, struct component *dispatcher,
             struct lds *lds, struct mem_port *port, const struct warp_source *source) {
  /* An LDS access is in flight from issue to reply: in the queue, at the banks, or on its way back. An access of a warp
   * that waits for a phase of an mbarrier is in flight longer. */
  uint32_t lds_accesses = lds_capacity(&machine->lds) + machine->cu.warps;
  *cu = (struct cu){
      .component = {.name = "cu", .step = cu_step, .self = cu},
      .index = index,
      .params = &machine->cu,
      .all_lanes = machine->cu.warp_size == 64 ? UINT64_MAX : (UINT64_C(1) << machine->cu.warp_size) - 1,
      .mem = &machine->mem,
      .texture = &machine->texture,
      .dma_params = &machine->dma,
      .source = source,
      .warps = need(machine->cu.warps, sizeof *cu->warps),
      .groups = need(machine->cu.groups, sizeof *cu->groups),
      .lsu = {.to_lds = &lds->from_cu,
              .lds = lds,
              .from_lds = &lds->to_cu,
              .to_memory = &port->from_cu,
              .texture = {.per_cycle = machine->texture.quad_rate},
              .accesses = need(lds_accesses + machine->cu.accesses, sizeof *cu->lsu.accesses)},
      .copy.engines = machine->dma.engines,
  };
  set_classes(&cu->issue, cu->params);
  port_init(&cu->from_dispatcher, sizeof(struct cu_start), machine->cu.groups, machine->cu.dispatch_latency, dispatcher,
            &cu->component);
  port_init(&cu->to_dispatcher, sizeof(struct cu_finish), machine->cu.groups, machine->cu.dispatch_latency,
            &cu->component, dispatcher);
  const struct mem_params *mem = &machine->mem;
  const struct l1_geometry l1 = {.size = mem->l1_size, .ways = mem->l1_ways, .step = mem->l1_step};
  const struct l1_geometry texels = {.size = machine->texture.cache_size, .ways = machine->texture.cache_ways};
  l1_init(&cu->lsu.l1, mem, l1, lds_accesses + machine->cu.accesses);
  l1_init(&cu->lsu.texels, mem, texels, lds_accesses + machine->cu.accesses);
  lane_copies_init(cu, machine->cu.accesses);
  pool_init(&cu->lsu.lds_pool, 0, lds_accesses);
  pool_init(&cu->lsu.global_pool, lds_accesses, machine->cu.accesses);
}

void cu_free(struct cu *cu) {
  port_free(&cu->from_dispatcher);
  port_free(&cu->to_dispatcher);
  for (uint32_t i = 0; cu->groups && i < cu->params->groups; i++)
    free(cu->groups[i].events);
  lane_copies_free(cu);
  emit_close(cu);
  l1_free(&cu->lsu.l1);
  l1_free(&cu->lsu.texels);
  cu_free_accesses(cu);
  free(cu->warps);
  free(cu->operands);
  free(cu->groups);
  free(cu->kernels);
  free(cu->lsu.lds_pool.unused);
  free(cu->lsu.global_pool.unused);
  *cu = (struct cu){0};
}

void cu_launch(struct cu *cu, uint32_t count, uint64_t lds) {
  if (count > cu->kernel_room) {
    free(cu->kernels);
    cu->kernels = need(count, sizeof *cu->kernels);
    cu->kernel_room = count;
  }
  l1_share(&cu->lsu.l1, lds);
  l1_share(&cu->lsu.texels, 0);
  cu->kernel_count = 0;
  cu->barriers_noted = 0;
  cu->active_cycles = 0;
  cu->lds_max_ways = 0;
  cu->last_active = 0;
  for (unsigned i = 0; i < CU_SCHEDULERS; i++)
    cu->issue.schedulers[i].last = CU_WARPS; /* the lowest slot has the first turn */
}

/* Called while no warp is resident. */
static void make_room_for_operands(struct cu *cu, uint32_t room) {
  if (room <= cu->operand_room)
    return;
  free(cu->operands);
  cu->operands = need((size_t)cu->params->warps * room, sizeof *cu->operands);
  cu->operand_room = room;
}

void cu_launch_kernel(struct cu *cu, const struct isa_launch *launch, uint32_t lds_per_group, bool copies,
                      struct pc_result *by_pc) {
  struct cu_kernel *kernel = &cu->kernels[cu->kernel_count++];
  memset(kernel, 0, offsetof(struct cu_kernel, hazard_cycle));
  kernel->cu = cu;
  kernel->launch = launch;
  kernel->program = launch->program;
  kernel->info = launch->program->info;
  kernel->lds_per_group = lds_per_group;
  kernel->ordered = cu->params->local_fence == CU_FENCE_ORDERS && !copies;
  kernel->by_pc = by_pc;
  kernel->trace_hash = cu->index;
  make_room_for_operands(cu, operands_of(kernel));
}
