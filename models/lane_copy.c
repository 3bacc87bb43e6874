#include "models/lane_copy.h"

#include <stdlib.h>

#include "dma/dma.h"
#include "models/emit.h"
#include "models/group.h"
#include "sim/base/need.h"

enum { UNROLL = 16 };

/* A copy that is divided among warps and not complete. */
struct lane_copy {
  bool active, to_lds;
  bool clipped; /* some of its elements are outside [from, to) */
  bool free;    /* no fence holds it */
  uint32_t group, origin;
  uint64_t tag, number; /* number among the group's copies */
  uint64_t cu_number;   /* number among the CU's copies */
  uint64_t fenced_lds, fenced_global;
  cycle_t issued;
  struct rect global, lds;
  uint64_t from, to, element_bytes;
  uint32_t piece;
  uint64_t line_pieces, pieces;   /* of a line; of all that moves */
  uint64_t lds_left, global_left; /* accesses that have not left this side */
};

/* A warp's share of a copy. */
struct share {
  uint32_t copy, stride;
  uint64_t next, accesses; /* number of its next access; all accesses of the copy */
  uint32_t addresses;      /* slots for addresses that are left before that access */
  /* blocking: loads whose store has not issued, in order */
  uint32_t batch[UNROLL], loads, stores;
  bool storing;
  uint32_t in_flight; /* accesses in flight */
};

/* Accesses that have been read and wait for room on the second side, in order. */
struct access_queue {
  uint32_t *access, size, head, count;
};

struct lane_copies {
  struct lane_copy *copy;
  uint32_t copies;
  struct share *share; /* by warp slot */
  struct access_queue to_lds, to_memory;
};

/* ---- construction ----------------------------------------------------------------------- */

void lane_copies_init(struct cu *cu, uint32_t accesses) {
  struct lane_copies *copies = cu->copy.lanes = need(1, sizeof *copies);
  *copies = (struct lane_copies){
      .share = need(cu->params->warps, sizeof *copies->share),
      .to_lds = {.access = need(accesses, sizeof *copies->to_lds.access), .size = accesses},
      .to_memory = {.access = need(accesses, sizeof *copies->to_memory.access), .size = accesses},
  };
}

void lane_copies_free(struct cu *cu) {
  if (!cu->copy.lanes)
    return;
  free(cu->copy.lanes->copy);
  free(cu->copy.lanes->share);
  free(cu->copy.lanes->to_lds.access);
  free(cu->copy.lanes->to_memory.access);
  free(cu->copy.lanes);
  cu->copy.lanes = NULL;
}

static bool blocking(const struct cu *cu) { return cu->dma_params->copy == DMA_BLOCKING; }

/* ---- addresses of pieces ------------------------------------------------------------------- */

static uint64_t mask_of(uint64_t lanes) { return lanes ? UINT64_MAX >> (64 - lanes) : 0; }

/* Lanes of access `number` that have a piece. */
static uint64_t lanes_of(const struct cu *cu, const struct lane_copy *copy, uint64_t number) {
  return mask_of(cycle_min(cu->params->warp_size, copy->pieces - number * cu->params->warp_size));
}

/* Whether the element of a piece is in the buffer. The piece is `offset` bytes from the start of a line at `line`. */
static bool in_buffer(const struct lane_copy *copy, uint64_t line, uint64_t offset) {
  uint64_t at = line + offset / copy->element_bytes * copy->element_bytes;
  return at >= copy->from && at <= copy->to && copy->to - at >= copy->element_bytes;
}

/* Sets the addresses of the lanes' pieces on one side. Returns those of `lanes` whose element exists. */
static uint64_t set_addresses(const struct cu *cu, const struct lane_copy *copy, uint64_t number, bool global,
                              uint64_t lanes, uint64_t *address) {
  const struct rect *side = global ? &copy->global : &copy->lds;
  uint64_t first = number * cu->params->warp_size, line = first / copy->line_pieces, there = lanes;
  uint64_t at = first % copy->line_pieces * copy->piece, base = rect_line(side, line / side->lines, line % side->lines);
  line %= side->lines;
  for (unsigned lane = 0; lanes >> lane; lane++, at += copy->piece) {
    if (at == side->bytes) {
      at = 0;
      base += side->pitch;
      if (++line == side->lines) {
        line = 0;
        base += side->plane - side->lines * side->pitch;
      }
    }
    address[lane] = base + at;
    if (global && copy->clipped && !in_buffer(copy, base, at))
      there &= ~cu_bit(lane);
    if (lane == 63)
      break;
  }
  return there;
}

/* ---- the start ------------------------------------------------------------------------------ */

static struct lane_copy describe(const struct cu *cu, uint32_t group_slot, uint64_t tag, cycle_t now) {
  const struct cu_group *group = &cu->groups[group_slot];
  const struct copy_scope *scope = &group->scope;
  struct lane_copy to = {
      .active = true,
      .to_lds = group->call.copy.to_lds,
      .clipped = scope->clipped,
      .group = group_slot,
      .origin = group->call.pc,
      .tag = tag,
      .number = group->copy_number,
      .cu_number = group->number,
      .fenced_lds = group->fenced_lds,
      .fenced_global = group->fenced_global,
      .issued = now,
      .global = scope->global,
      .lds = scope->lds,
      .from = scope->from,
      .to = scope->to,
      .element_bytes = group->call.copy.element_bytes,
  };
  if (!scope->bytes)
    return to;
  /* The piece size: the largest power of two, up to dma.lane_bytes, that divides all addresses, pitches and line
   * lengths. If some elements are missing, it also divides the element. */
  uint64_t all = to.global.base | to.lds.base | to.global.bytes | scope->bytes;
  if (to.global.lines > 1)
    all |= to.global.pitch | to.lds.pitch;
  if (to.global.planes > 1)
    all |= to.global.plane | to.lds.plane;
  if (to.clipped)
    all |= to.element_bytes;
  to.piece = (uint32_t)cycle_min(all & -all, cu->dma_params->lane_bytes);
  to.line_pieces = to.global.bytes / to.piece;
  to.pieces = scope->bytes / to.piece;
  to.lds_left = to.global_left = div_up(to.pieces, cu->params->warp_size);
  return to;
}

/* A linear list, because copies in flight are few, except in a kernel that never waits. */
static uint32_t add_copy(struct lane_copies *copies, const struct lane_copy *copy) {
  uint32_t index = 0;
  while (index < copies->copies && copies->copy[index].active)
    index++;
  if (index == copies->copies) {
    uint32_t room = index ? 2 * index : 8;
    copies->copy = need_more(copies->copy, room, sizeof *copies->copy);
    for (copies->copies = room; room-- > index;)
      copies->copy[room].active = false;
  }
  copies->copy[index] = *copy;
  return index;
}

/* The copy is complete, and so is its part of the event. */
static void finish(struct cu *cu, struct lane_copy *copy, cycle_t now) {
  struct cu_kernel *kernel = cu->groups[copy->group].kernel;
  struct pc_result *result = &kernel->by_pc[copy->origin];
  cycle_t latency = now - copy->issued;
  copy->active = false;
  result->copies_done++;
  result->copy_cycles += latency;
  result->copy_max = cycle_max(result->copy_max, latency);
  histogram_add(cu->copy.latency, latency);
  if (blocking(cu))
    kernel->stats.exposed_cycles += latency;
  if (cu->emitter)
    emit_copy_landed(cu, copy->cu_number, now);
  group_copy_complete(cu, copy->tag, now);
  group_copy_landed(cu, copy->tag, now);
}

void lane_copy_start(struct cu *cu, uint32_t group_slot, uint64_t tag, cycle_t now) {
  struct cu_group *group = &cu->groups[group_slot];
  struct lane_copy copy = describe(cu, group_slot, tag, now);
  uint64_t warps = group->call.waiting;
  group->kernel->stats.warp_copies++;
  if (cu->emitter)
    emit_copy_handed(cu, group->number, now);
  group_release(cu, group, STALL_COPY_JOIN, now);
  if (!copy.lds_left) {
    finish(cu, &copy, now);
    return;
  }
  uint32_t index = add_copy(cu->copy.lanes, &copy);
  for (; warps; warps &= warps - 1) {
    uint32_t slot = (uint32_t)__builtin_ctzll(warps);
    struct cu_warp *warp = cu_warp(cu, slot);
    if (warp->index >= copy.lds_left)
      continue;
    warp->task = TASK_COPY;
    cu->copy.lanes->share[slot] = (struct share){.copy = index,
                                                 .stride = group->warp_count,
                                                 .next = warp->index,
                                                 .accesses = copy.lds_left,
                                                 .addresses = cu->params->copy_overhead};
  }
}

/* ---- a share -------------------------------------------------------------------------------- */

static struct share *share_of(const struct cu *cu, uint32_t slot) { return &cu->copy.lanes->share[slot]; }

static bool all_issued(const struct share *share) { return share->next >= share->accesses && !share->loads; }

/* Whether earlier copies of the group still use a space that a fence before this copy names. */
static bool fence_holds(const struct cu *cu, struct lane_copy *copy) {
  const struct lane_copies *copies = cu->copy.lanes;
  for (uint32_t i = 0; i < copies->copies && !copy->free; i++) {
    const struct lane_copy *other = &copies->copy[i];
    if (!other->active || other->group != copy->group)
      continue;
    if ((other->number <= copy->fenced_lds && other->lds_left) ||
        (other->number <= copy->fenced_global && other->global_left))
      return true;
  }
  copy->free = true;
  return false;
}

/* The data of the next store have not arrived. */
static bool data_missing(const struct cu *cu, const struct share *share) {
  return share->storing && !cu->lsu.accesses[share->batch[share->stores]]->loaded;
}

void lane_copy_plan(struct cu *cu, uint32_t slot, cycle_t from, cycle_t now) {
  struct share *share = share_of(cu, slot);
  if (all_issued(share) && !share->in_flight) {
    cu_warp(cu, slot)->task = TASK_NONE;
    cu_plan(cu, slot, from, now);
  } else if (all_issued(share) || data_missing(cu, share) || fence_holds(cu, &cu->copy.lanes->copy[share->copy])) {
    cu_block(cu, slot, STALL_COPY_DATA, now);
  } else {
    cu_ready_at(cu, slot, STALL_NOT_SELECTED, from, now);
  }
}

/* Whether the next access, or its store, goes to global memory. */
static bool goes_to_memory(const struct cu *cu, const struct share *share) {
  return cu->copy.lanes->copy[share->copy].to_lds != share->storing;
}

enum stall lane_copy_held(struct cu *cu, const struct cu_scheduler *scheduler, uint32_t slot, cycle_t now,
                          cycle_t *until) {
  struct share *share = share_of(cu, slot);
  if (share->addresses && !share->storing)
    return STALL_ISSUED;
  /* Only accesses that end make room, perhaps those of this warp: it continues with the stores that it has. */
  if (!cu->lsu.global_pool.count && share->loads)
    share->storing = true;
  if ((!share->storing && !cu->lsu.global_pool.count) || data_missing(cu, share))
    return STALL_MEMORY_QUEUE;
  bool memory = goes_to_memory(cu, share);
  const struct port *port = memory ? cu->lsu.to_memory : cu->lsu.to_lds;
  cycle_t unit_free = scheduler->unit_free[memory ? ISA_CLASS_GLOBAL : ISA_CLASS_LDS];
  if (unit_free > now) {
    *until = cycle_min(*until, unit_free);
    return STALL_UNIT;
  }
  if (!port_can_send(port, now)) {
    *until = cycle_min(*until, port_free_at(port) > now ? port_free_at(port) : NEVER);
    return memory ? STALL_MEMORY_QUEUE : STALL_LDS_QUEUE;
  }
  return STALL_ISSUED;
}

/* ---- accesses ------------------------------------------------------------------------------- */

/* The kernel of the access; its group outlives its copies. */
static struct cu_kernel *kernel_of(const struct cu *cu, uint32_t index) {
  if (cu->lsu.accesses[index]->copy == CU_OWN_COPY)
    return cu->warps[cu->lsu.accesses[index]->warp].kernel;
  return cu->groups[cu->copy.lanes->copy[cu->lsu.accesses[index]->copy].group].kernel;
}

static void send_to_lds(struct cu *cu, uint32_t index, cycle_t now) {
  const struct isa_access *access = &cu->lsu.accesses[index]->isa;
  struct lds_request request = {
      .tag = index,
      .kind = access->copy & ISA_COPY_STORE ? LDS_WRITE : LDS_READ,
      .bytes = access->bytes,
      .lanes = (uint8_t)cu->params->warp_size,
      .warp = LDS_NO_WARP,
      .mask = access->mask,
      .address = access->address,
  };
  if (cu->emitter)
    request.origin = emit_lds_access(cu, kernel_of(cu, index), index, request.kind, now);
  port_send(cu->lsu.to_lds, &request, now);
  kernel_of(cu, index)->by_pc[access->pc].lds_accesses++;
}

/* Passes of a copy.lane: one for each line, or sector of a line read in part, and one for the write to the LDS. */
static uint32_t own_passes(const struct cu *cu, const struct cu_access *access, const struct mem_message *message) {
  const struct cu_params *params = cu->params;
  uint32_t wanted = message->count, sectors;
  if (params->copy_lane_past && access->isa.bytes >= params->copy_lane_past) {
    wanted -= mem_partial_lines(cu->mem, &access->isa, access->lines, message->count, &sectors);
    wanted += sectors;
  }
  uint32_t passes = params->line_interval ? wanted * params->line_interval + 1 : 1;
  return passes < params->copy_lane_interval ? params->copy_lane_interval : passes;
}

static void send_to_memory(struct cu *cu, uint32_t index, cycle_t now) {
  struct cu_access *access = cu->lsu.accesses[index];
  struct mem_message message = {.kind = access->isa.copy & ISA_COPY_STORE ? MEM_STORE : MEM_LOAD,
                                .tag = index,
                                .lines = access->lines,
                                .access = &access->isa};
  uint32_t sectors = 0;
  message.count = mem_merge(cu->mem, &access->isa, access->lines, &sectors);
  message.moved = (uint64_t)sectors * cu->mem->sector;
  message.past = message.kind == MEM_LOAD;
  message.passes =
      access->copy == CU_OWN_COPY ? own_passes(cu, access, &message) : cu_passes(cu, message.kind, message.count);
  access->fills = 0;
  if (message.kind == MEM_STORE)
    cu_written(cu, access->lines, message.count);
  cu_send_memory(cu, &message, now, now);
  struct cu_kernel *kernel = kernel_of(cu, index);
  if (cu->emitter)
    emit_global_access(cu, kernel, index, EMIT_COPY, message.moved, now);
  struct pc_result *by_pc = &kernel->by_pc[access->isa.pc];
  kernel->stats.copy_accesses++;
  by_pc->sectors += sectors;
  by_pc->copy_requests++;
  by_pc->copy_moved += (uint64_t)__builtin_popcountll(access->isa.mask) * access->isa.bytes;
}

static void send(struct cu *cu, uint32_t index, cycle_t now) {
  if (cu->lsu.accesses[index]->isa.copy & ISA_COPY_GLOBAL)
    send_to_memory(cu, index, now);
  else
    send_to_lds(cu, index, now);
}

/* Plans the warps of the group again that wait for a fence, or for this copy's data. */
static void wake(struct cu *cu, uint32_t group_slot, cycle_t now) {
  for (uint64_t left = cu->groups[group_slot].warps; left; left &= left - 1) {
    uint32_t slot = (uint32_t)__builtin_ctzll(left);
    if (cu_warp(cu, slot)->state == WARP_BLOCKED && cu_warp(cu, slot)->task == TASK_COPY)
      lane_copy_plan(cu, slot, now, now);
  }
}

/* The access has left one side of its copy. */
static void side_done(struct cu *cu, struct lane_copy *copy, bool global, cycle_t now) {
  if (!--*(global ? &copy->global_left : &copy->lds_left))
    wake(cu, copy->group, now);
  if (!copy->global_left && !copy->lds_left)
    finish(cu, copy, now);
}

static void enqueue(struct cu *cu, struct access_queue *queue, uint32_t index) {
  cu->copy.queued_stores++;
  uint32_t at = queue->head + queue->count++;
  queue->access[at < queue->size ? at : at - queue->size] = index;
}

/* The access has been read, and its second side begins. */
static void start_store(struct cu *cu, uint32_t index, cycle_t now) {
  struct cu_access *access = cu->lsu.accesses[index];
  struct lane_copy *copy = &cu->copy.lanes->copy[access->copy];
  struct access_queue *queue = copy->to_lds ? &cu->copy.lanes->to_lds : &cu->copy.lanes->to_memory;
  access->loaded = true;
  access->isa.copy = (uint8_t)(ISA_COPY_STEP | ISA_COPY_STORE | (copy->to_lds ? 0 : ISA_COPY_GLOBAL));
  access->isa.mask |= access->isa.zeros;
  set_addresses(cu, copy, access->number, !copy->to_lds, lanes_of(cu, copy, access->number), access->isa.address);
  if (!blocking(cu))
    enqueue(cu, queue, index);
  side_done(cu, copy, copy->to_lds, now);
}

static void give_back(struct cu *cu, uint32_t index) {
  cu->lsu.accesses[index]->isa.copy = 0;
  cu_free_access(&cu->lsu.global_pool, index);
}

/* ---- copies of lanes (copy.lane) ----------------------------------------------------------- */

static uint32_t *batch_count(struct cu_batches *batches, uint64_t number) {
  return &batches->in_flight[number % (ISA_LANE_BATCHES + 1)];
}

static void turn_own(struct cu *cu, uint32_t index) {
  struct cu_access *access = cu->lsu.accesses[index];
  access->loaded = true;
  access->isa.copy = ISA_COPY_STEP | ISA_COPY_STORE;
  access->isa.run = access->isa.whole = false;
  for (uint32_t lane = 0; lane < cu->params->warp_size; lane++)
    access->isa.address[lane] = access->isa.lds[lane];
  enqueue(cu, &cu->copy.lanes->to_lds, index);
}

/* The data are in the LDS; the warp may have waited for them. */
static void end_own(struct cu *cu, uint32_t index, cycle_t now) {
  uint32_t slot = cu->lsu.accesses[index]->warp;
  struct cu_warp *warp = cu_warp(cu, slot);
  struct cu_batches *batches = &warp->batches;
  --*batch_count(batches, cu->lsu.accesses[index]->number);
  while (batches->oldest < batches->open && !*batch_count(batches, batches->oldest))
    batches->oldest++;
  give_back(cu, index);
  if (warp->exited) {
    if (cu_drained(warp))
      cu_finish_warp(cu, slot, now);
  } else if (warp->state == WARP_BLOCKED && !warp->task && !cu_waits_at_call(cu, slot)) {
    cu_plan(cu, slot, now, now);
  }
}

void lane_copy_own(struct cu *cu, uint32_t index, cycle_t now) {
  struct cu_access *access = cu->lsu.accesses[index];
  struct cu_batches *batches = &cu_warp(cu, access->warp)->batches;
  access->copy = CU_OWN_COPY;
  access->number = batches->open;
  access->prefetch = access->loaded = false;
  access->isa.copy = ISA_COPY_STEP | ISA_COPY_GLOBAL;
  access->isa.zeros = 0;
  ++*batch_count(batches, batches->open);
  send(cu, index, now);
}

void lane_copy_commit(struct cu_warp *warp) {
  struct cu_batches *batches = &warp->batches;
  batches->oldest += batches->oldest == batches->open && !*batch_count(batches, batches->open);
  batches->open++;
}

/* ---- replies ---------------------------------------------------------------------------------- */

static void reply_to_own(struct cu *cu, uint32_t index, cycle_t now) {
  if (cu->lsu.accesses[index]->loaded)
    end_own(cu, index, now);
  else
    turn_own(cu, index);
}

void lane_copy_reply(struct cu *cu, uint32_t index, cycle_t now) {
  const struct cu_access *access = cu->lsu.accesses[index];
  uint32_t slot = access->warp, copy = access->copy;
  bool done = access->loaded;
  cu->last_active = now;
  if (copy == CU_OWN_COPY) {
    reply_to_own(cu, index, now);
    return;
  }
  if (done) {
    bool to_lds = cu->copy.lanes->copy[copy].to_lds;
    give_back(cu, index);
    if (blocking(cu))
      share_of(cu, slot)->in_flight--;
    side_done(cu, &cu->copy.lanes->copy[copy], !to_lds, now);
  } else {
    start_store(cu, index, now);
  }
  if (cu_warp(cu, slot)->state == WARP_BLOCKED && cu_warp(cu, slot)->task == TASK_COPY)
    lane_copy_plan(cu, slot, now, now);
}

static void send_queued(struct cu *cu, struct access_queue *queue, const struct port *port, cycle_t now) {
  while (queue->count && port_can_send(port, now)) {
    send(cu, queue->access[queue->head], now);
    queue->head = queue->head + 1 == queue->size ? 0 : queue->head + 1;
    queue->count--;
    cu->copy.queued_stores--;
  }
}

void lane_copy_pass_on(struct cu *cu, cycle_t now) {
  send_queued(cu, &cu->copy.lanes->to_lds, cu->lsu.to_lds, now);
  send_queued(cu, &cu->copy.lanes->to_memory, cu->lsu.to_memory, now);
}

cycle_t lane_copy_next(const struct cu *cu, cycle_t now) {
  const struct lane_copies *copies = cu->copy.lanes;
  cycle_t next = NEVER;
  if (copies->to_lds.count)
    next = cycle_min(next, cycle_max(now + 1, port_free_at(cu->lsu.to_lds)));
  if (copies->to_memory.count)
    next = cycle_min(next, cycle_max(now + 1, port_free_at(cu->lsu.to_memory)));
  return next;
}

/* ---- issue ---------------------------------------------------------------------------------- */

/* Issues the warp's next access: its load. Lanes whose element is missing are off, or write zeros. */
static void load(struct cu *cu, uint32_t slot, cycle_t now) {
  struct share *share = share_of(cu, slot);
  struct lane_copy *copy = &cu->copy.lanes->copy[share->copy];
  uint32_t index = cu_take_access(cu, &cu->lsu.global_pool);
  struct cu_access *access = cu->lsu.accesses[index];
  uint64_t lanes = lanes_of(cu, copy, share->next);
  access->warp = slot;
  access->prefetch = access->loaded = false;
  access->copy = share->copy;
  access->number = share->next;
  access->isa.pc = copy->origin;
  access->isa.bytes = (uint8_t)copy->piece;
  access->isa.run = access->isa.whole = false;
  access->isa.copy = (uint8_t)(ISA_COPY_STEP | (copy->to_lds ? ISA_COPY_GLOBAL : 0));
  access->isa.mask = set_addresses(cu, copy, share->next, true, lanes, access->isa.address);
  access->isa.zeros = copy->to_lds && cu->dma_params->out_of_bounds == DMA_ZERO ? lanes & ~access->isa.mask : 0;
  share->next += share->stride;
  if (!(access->isa.mask | access->isa.zeros)) {
    give_back(cu, index);
    side_done(cu, copy, true, now); /* the copy is not over before the other side is left, too */
    side_done(cu, copy, false, now);
    return;
  }
  if (blocking(cu)) {
    share->batch[share->loads++] = index;
    share->in_flight++;
  }
  if (!access->isa.mask) {
    start_store(cu, index, now);
    return;
  }
  if (!copy->to_lds)
    set_addresses(cu, copy, access->number, false, lanes, access->isa.address);
  send(cu, index, now);
}

static void store(struct cu *cu, struct share *share, cycle_t now) {
  send(cu, share->batch[share->stores++], now);
  if (share->stores < share->loads)
    return;
  share->storing = false;
  share->loads = share->stores = 0;
}

void lane_copy_issue(struct cu *cu, struct cu_scheduler *scheduler, uint32_t slot, cycle_t now) {
  struct share *share = share_of(cu, slot);
  cu_warp(cu, slot)->kernel->stats.copy_slots++;
  if (share->addresses && !share->storing) {
    share->addresses--;
  } else {
    enum isa_class unit = goes_to_memory(cu, share) ? ISA_CLASS_GLOBAL : ISA_CLASS_LDS;
    scheduler->unit_free[unit] = now + cu->issue.interval[unit];
    if (share->storing) {
      store(cu, share, now);
    } else {
      load(cu, slot, now);
      share->addresses = cu->params->copy_overhead;
      share->storing = share->loads && (share->loads == cu->params->copy_unroll || share->next >= share->accesses);
    }
  }
  lane_copy_plan(cu, slot, now + 1, now);
}
