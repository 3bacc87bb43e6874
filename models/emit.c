#include "models/emit.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "dma/dma.h"
#include "sim/base/need.h"
#include "sim/base/vector.h"

/* Cycles that a warp waited in one bucket. */
struct wait {
  enum stall stall;
  cycle_t from, to;
};

/* A warp's account as of the last check, and the event in [from, to), which is not reported yet because it may grow. */
struct account {
  uint64_t stalls[STALLS];
  uint32_t charged; /* cu_warp.charged */
  cycle_t from, to; /* of the event to report */
  enum stall stall;
  uint32_t pc;
  struct wait longest; /* longest wait since the scheduler's last issue */
};

/* The latest consecutive cycles in which a scheduler issued. */
struct issues {
  cycle_t from, to;
  uint32_t warp; /* slot that issued last */
};

/* A copy that has not landed. */
struct copy {
  struct timeline_event event;
  uint32_t parts; /* descriptors that have been made and have not landed */
};

struct emitter {
  struct timeline_tap tap;
  cycle_t (*step)(void *cu, cycle_t now); /* the CU's own step */
  struct account accounts[CU_WARPS];
  struct issues issues[CU_SCHEDULERS];
  struct timeline_event *accesses; /* by index; `from` 0: not in flight, because nothing begins in cycle 0 */
  uint32_t access_count;
  struct copy *copies; /* in the order of their numbers */
  size_t copy_count, copy_room;
};

static bool has_listener(const struct cu *cu, enum timeline_kind kind) {
  return timeline_wants(&cu->emitter->tap, kind);
}

static void emit(const struct cu *cu, struct timeline_event event) { timeline_emit(&cu->emitter->tap, cu->now, event); }

static uint32_t launch_of(const struct cu *cu, const struct cu_kernel *kernel) {
  return cu->emitter->tap.timeline->launch + kernel->launch->number;
}

static bool resident(const struct cu *cu, uint32_t slot) { return cu_is_resident(&cu->warps[slot]); }

/* ---- schedulers ------------------------------------------------------------------------------ */

static void emit_scheduler(const struct cu *cu, uint32_t scheduler, cycle_t from, cycle_t to, enum stall stall,
                           uint32_t warp) {
  if (from < to && has_listener(cu, TIMELINE_SCHEDULER))
    emit(cu, (struct timeline_event){.kind = TIMELINE_SCHEDULER,
                                     .unit = scheduler,
                                     .from = from,
                                     .to = to,
                                     .field = {[TIMELINE_SCHEDULER_STALL] = stall, [TIMELINE_SCHEDULER_WARP] = warp}});
}

static void emit_issues(const struct cu *cu, uint32_t scheduler) {
  struct issues *issues = &cu->emitter->issues[scheduler];
  emit_scheduler(cu, scheduler, issues->from, issues->to, STALL_ISSUED, issues->warp);
  issues->from = issues->to;
}

/* Cycles of a wait that are after cycle `from`. */
static cycle_t within(const struct wait *wait, cycle_t from) {
  return wait->to > from ? wait->to - cycle_max(wait->from, from) : 0;
}

static void note_wait(const struct cu *cu, uint32_t slot) {
  struct account *account = &cu->emitter->accounts[slot];
  const cycle_t gap = cu->emitter->issues[slot % cu->params->schedulers].to;
  const struct wait wait = {account->stall, account->from, account->to};
  if (within(&wait, gap) >= within(&account->longest, gap))
    account->longest = wait;
}

/* Reports why the scheduler did not issue up to `now`, when warp `slot` issues. */
static void emit_gap(const struct cu *cu, uint32_t scheduler, uint32_t slot, cycle_t now) {
  const struct account *account = &cu->emitter->accounts[slot];
  const struct cu_warp *oldest = &cu->warps[cu->issue.schedulers[scheduler].age[0]];
  const cycle_t from = cu->emitter->issues[scheduler].to;
  if (within(&account->longest, from))
    emit_scheduler(cu, scheduler, from, now, account->longest.stall, slot);
  else if (oldest->started < now)
    emit_scheduler(cu, scheduler, from, now, oldest->stall, slot);
}

static void note_issue(struct cu *cu, uint32_t slot, cycle_t now) {
  const uint32_t scheduler = slot % cu->params->schedulers;
  struct issues *issues = &cu->emitter->issues[scheduler];
  if (issues->to != now) {
    emit_issues(cu, scheduler);
    emit_gap(cu, scheduler, slot, now);
    issues->from = now;
  }
  issues->to = now + 1;
  issues->warp = slot;
}

/* ---- warps ----------------------------------------------------------------------------------- */

static void emit_account(const struct cu *cu, uint32_t slot) {
  const struct account *account = &cu->emitter->accounts[slot];
  const struct cu_warp *warp = &cu->warps[slot];
  if (account->from == account->to || !has_listener(cu, TIMELINE_WARP))
    return;
  emit(cu, (struct timeline_event){.kind = TIMELINE_WARP,
                                   .unit = slot,
                                   .from = account->from,
                                   .to = account->to,
                                   .field = {[TIMELINE_WARP_STALL] = account->stall,
                                             [TIMELINE_WARP_PC] = account->pc,
                                             [TIMELINE_WARP_LAUNCH] = launch_of(cu, warp->kernel),
                                             [TIMELINE_WARP_GROUP] = cu->groups[warp->group].linear,
                                             [TIMELINE_WARP_INDEX] = warp->index}});
}

static void add_cycles(const struct cu *cu, uint32_t slot, enum stall stall, uint32_t pc, uint64_t cycles) {
  struct account *account = &cu->emitter->accounts[slot];
  if (!cycles)
    return;
  if (stall == STALL_ISSUED || account->stall != stall || account->pc != pc) {
    emit_account(cu, slot);
    account->from = account->to;
    account->stall = stall;
    account->pc = pc;
  }
  account->to += cycles;
  if (stall != STALL_ISSUED)
    note_wait(cu, slot);
}

/* Adds the growth of the warp's buckets since the last check, in order of time. */
static void look_at_buckets(struct cu *cu, uint32_t slot) {
  const struct cu_warp *warp = &cu->warps[slot];
  struct account *account = &cu->emitter->accounts[slot];
  uint64_t grown[STALLS];
  for (unsigned i = 0; i < STALLS; i++)
    grown[i] = warp->stalls[i] - account->stalls[i];
  add_cycles(cu, slot, STALL_LDS_CONTENTION, account->charged, grown[STALL_LDS_CONTENTION]);
  add_cycles(cu, slot, STALL_LDS_CONFLICT, account->charged, grown[STALL_LDS_CONFLICT]);
  for (unsigned i = 0; i < STALLS; i++)
    if (i != STALL_ISSUED && i != STALL_LDS_CONTENTION && i != STALL_LDS_CONFLICT)
      add_cycles(cu, slot, (enum stall)i, account->charged, grown[i]);
  assert(grown[STALL_ISSUED] <= 1 && "a warp issues once in a step");
  if (grown[STALL_ISSUED]) {
    note_issue(cu, slot, account->to);
    add_cycles(cu, slot, STALL_ISSUED, warp->issued, 1);
  }
  assert(account->to == warp->since && "a warp's account has no gap");
  memcpy(account->stalls, warp->stalls, sizeof account->stalls);
}

static void look_at(struct cu *cu, uint32_t slot) {
  if (cu->warps[slot].since != cu->emitter->accounts[slot].to)
    look_at_buckets(cu, slot);
  cu->emitter->accounts[slot].charged = cu->warps[slot].charged;
}

static cycle_t step_and_emit(void *self, cycle_t now) {
  struct cu *cu = self;
  const cycle_t next = cu->emitter->step(cu, now);
  for (uint32_t slot = 0; slot < cu->params->warps; slot++)
    if (resident(cu, slot))
      look_at(cu, slot);
  return next;
}

void emit_warp_start(struct cu *cu, uint32_t slot) {
  const struct cu_warp *warp = &cu->warps[slot];
  cu->emitter->accounts[slot] =
      (struct account){.charged = warp->charged, .from = warp->started, .to = warp->started, .stall = STALL_ISSUED};
}

void emit_warp_end(struct cu *cu, uint32_t slot) {
  look_at(cu, slot);
  emit_account(cu, slot);
}

/* ---- accesses -------------------------------------------------------------------------------- */

struct lds_origin emit_lds_access(struct cu *cu, const struct cu_kernel *kernel, uint32_t index, unsigned kind,
                                  cycle_t now) {
  const struct cu_access *access = cu->lsu.accesses[index];
  cu->emitter->accesses[index] = (struct timeline_event){.kind = TIMELINE_ACCESS,
                                                         .unit = access->warp,
                                                         .from = now,
                                                         .field = {[TIMELINE_ACCESS_KIND] = kind,
                                                                   [TIMELINE_ACCESS_PC] = access->isa.pc,
                                                                   [TIMELINE_ACCESS_LAUNCH] = launch_of(cu, kernel),
                                                                   [TIMELINE_ACCESS_LANES] = access->isa.mask}};
  return (struct lds_origin){access->isa.pc, (uint16_t)kernel->launch->number, (uint16_t)access->warp};
}

void emit_global_access(struct cu *cu, const struct cu_kernel *kernel, uint32_t index, enum emit_global kind,
                        uint64_t bytes, cycle_t now) {
  const struct cu_access *access = cu->lsu.accesses[index];
  cu->emitter->accesses[index] = (struct timeline_event){.kind = TIMELINE_GLOBAL,
                                                         .unit = access->warp,
                                                         .from = now,
                                                         .field = {[TIMELINE_GLOBAL_KIND] = kind,
                                                                   [TIMELINE_GLOBAL_PC] = access->isa.pc,
                                                                   [TIMELINE_GLOBAL_LAUNCH] = launch_of(cu, kernel),
                                                                   [TIMELINE_GLOBAL_LANES] = access->isa.mask,
                                                                   [TIMELINE_GLOBAL_BYTES] = bytes}};
}

void emit_access_end(struct cu *cu, uint32_t index, cycle_t end) {
  struct timeline_event *event = &cu->emitter->accesses[index];
  event->to = end;
  if (has_listener(cu, event->kind))
    emit(cu, *event);
  event->from = 0;
}

void emit_lds_reply(struct cu *cu, const struct lds_reply *reply, cycle_t now) {
  struct timeline_event *event = &cu->emitter->accesses[reply->tag];
  event->field[TIMELINE_ACCESS_PASSES] = reply->passes;
  event->field[TIMELINE_ACCESS_CONFLICTS] = reply->conflict_cycles;
  event->field[TIMELINE_ACCESS_CONTENTION] = reply->contention_cycles;
  emit_access_end(cu, reply->tag, now);
}

void emit_l1_hit(struct cu *cu, uint32_t index, cycle_t at, cycle_t now) {
  emit_global_access(cu, cu->warps[cu->lsu.accesses[index]->warp].kernel, index, (enum emit_global)MEM_LOAD, 0, now);
  emit_access_end(cu, index, at);
}

/* ---- meetings -------------------------------------------------------------------------------- */

enum { MEET_BARRIER, MEET_COPY, MEET_FENCE, MEET_WAIT }; /* in the order of the words in the row */

static unsigned kind_of(const struct cu_group *group, const struct cu_call *call) {
  switch (group->kernel->info[call->pc].class_) {
  case ISA_CLASS_COPY:
    return MEET_COPY;
  case ISA_CLASS_COPY_FENCE:
    return MEET_FENCE;
  case ISA_CLASS_WAIT:
    return MEET_WAIT;
  default:
    return MEET_BARRIER;
  }
}

static void emit_waits(const struct cu *cu, const struct cu_group *group, const struct cu_call *call, cycle_t end) {
  for (uint32_t i = 0; i < call->wait.count && has_listener(cu, TIMELINE_WAITED); i++)
    emit(cu, (struct timeline_event){.kind = TIMELINE_WAITED,
                                     .unit = (uint32_t)(group - cu->groups),
                                     .from = call->complete_at,
                                     .to = end,
                                     .field = {[TIMELINE_WAITED_PC] = call->pc,
                                               [TIMELINE_WAITED_LAUNCH] = launch_of(cu, group->kernel),
                                               [TIMELINE_WAITED_GROUP] = group->linear,
                                               [TIMELINE_WAITED_EVENT] = call->wait.event[i]}});
}

static void emit_meet(const struct cu *cu, const struct cu_group *group, const struct cu_call *call, cycle_t last,
                      cycle_t end) {
  if (has_listener(cu, TIMELINE_MEET))
    emit(cu, (struct timeline_event){.kind = TIMELINE_MEET,
                                     .unit = (uint32_t)(group - cu->groups),
                                     .from = call->opened,
                                     .to = end,
                                     .field = {[TIMELINE_MEET_KIND] = kind_of(group, call),
                                               [TIMELINE_MEET_PC] = call->pc,
                                               [TIMELINE_MEET_LAUNCH] = launch_of(cu, group->kernel),
                                               [TIMELINE_MEET_GROUP] = group->linear,
                                               [TIMELINE_MEET_LAST] = last}});
}

void emit_meeting(const struct cu *cu, const struct cu_group *group, const struct cu_call *call, cycle_t end) {
  emit_meet(cu, group, call, call->complete_at, end);
  if (kind_of(group, call) == MEET_WAIT)
    emit_waits(cu, group, call, end);
}

/* ---- copies ---------------------------------------------------------------------------------- */

/* A linear list, because copies in flight are few, except in a kernel that never waits. */
static struct copy *add_copy(struct emitter *to) { return vector_next(to->copies, to->copy_count, to->copy_room); }

static struct copy *find_copy(const struct emitter *in, uint64_t number) {
  uint32_t i = 0;
  while (i < in->copy_count && in->copies[i].event.field[TIMELINE_COPY_COPY] != number)
    i++;
  assert(i < in->copy_count && "a copy that has not landed is in the list");
  return &in->copies[i];
}

void emit_copy(struct cu *cu, const struct cu_group *group, cycle_t now) {
  const struct isa_copy *copy = &group->call.copy;
  *add_copy(cu->emitter) = (struct copy){.parts = 1,
                                         .event = {.kind = TIMELINE_COPY,
                                                   .unit = (uint32_t)(group - cu->groups),
                                                   .from = now,
                                                   .field = {[TIMELINE_COPY_COPY] = group->number,
                                                             [TIMELINE_COPY_PC] = group->call.pc,
                                                             [TIMELINE_COPY_LAUNCH] = launch_of(cu, group->kernel),
                                                             [TIMELINE_COPY_GROUP] = group->linear,
                                                             [TIMELINE_COPY_EVENT] = copy->event,
                                                             [TIMELINE_COPY_FORM] = copy->form,
                                                             [TIMELINE_COPY_TO_LDS] = copy->to_lds,
                                                             [TIMELINE_COPY_BYTES] = group->scope.bytes}}};
}

void emit_copy_part(struct cu *cu, uint64_t number) { find_copy(cu->emitter, number)->parts++; }

void emit_copy_handed(struct cu *cu, uint64_t number, cycle_t now) {
  find_copy(cu->emitter, number)->event.field[TIMELINE_COPY_HANDED] = now;
}

static void end_copy(struct cu *cu, struct copy *copy, cycle_t end) {
  struct emitter *to = cu->emitter;
  copy->event.to = end;
  if (has_listener(cu, TIMELINE_COPY))
    emit(cu, copy->event);
  memmove(copy, copy + 1, (size_t)(to->copies + to->copy_count - (copy + 1)) * sizeof *copy);
  to->copy_count--;
}

void emit_copy_notice(struct cu *cu, const struct dma_done *done, cycle_t now) {
  struct copy *copy = find_copy(cu->emitter, done->number);
  if (done->notice != DMA_LANDED)
    copy->event.field[TIMELINE_COPY_DONE] = now;
  if (done->notice != DMA_LEFT && --copy->parts == 0)
    end_copy(cu, copy, now);
}

void emit_copy_landed(struct cu *cu, uint64_t number, cycle_t now) {
  struct copy *copy = find_copy(cu->emitter, number);
  copy->event.field[TIMELINE_COPY_DONE] = now;
  end_copy(cu, copy, now);
}

/* ---- work-groups ----------------------------------------------------------------------------- */

void emit_group(const struct cu *cu, uint32_t group_slot, cycle_t end) {
  const struct cu_group *group = &cu->groups[group_slot];
  if (has_listener(cu, TIMELINE_GROUP))
    emit(cu, (struct timeline_event){.kind = TIMELINE_GROUP,
                                     .unit = group_slot,
                                     .from = group->started,
                                     .to = end,
                                     .field = {[TIMELINE_GROUP_LAUNCH] = launch_of(cu, group->kernel),
                                               [TIMELINE_GROUP_GROUP] = group->linear,
                                               [TIMELINE_GROUP_WARPS] = group->warp_count}});
}

/* ---- the tap ----------------------------------------------------------------------------------- */

void emit_open(struct cu *cu, struct timeline_tap tap) {
  const uint32_t accesses = cu->lsu.lds_pool.count + cu->lsu.global_pool.count;
  cu->emitter = need(1, sizeof *cu->emitter);
  cu->emitter->accesses = need(accesses, sizeof *cu->emitter->accesses);
  cu->emitter->access_count = accesses;
  cu->emitter->tap = tap;
  cu->emitter->step = cu->component.step;
  cu->component.step = step_and_emit;
}

void emit_close(struct cu *cu) {
  if (!cu->emitter)
    return;
  if (cu->emitter->step)
    cu->component.step = cu->emitter->step;
  free(cu->emitter->accesses);
  free(cu->emitter->copies);
  free(cu->emitter);
  cu->emitter = NULL;
}

/* ---- launches -------------------------------------------------------------------------------- */

void emit_launch(struct cu *cu, cycle_t start) {
  for (unsigned i = 0; i < CU_SCHEDULERS; i++)
    cu->emitter->issues[i] = (struct issues){.from = start, .to = start};
}

void emit_launch_end(struct cu *cu, cycle_t now) {
  cu->now = now;
  for (uint32_t i = 0; i < cu->params->schedulers; i++)
    emit_issues(cu, i);
}

/* The scheduler's cycles since its last issue get the current bucket of its oldest warp. */
static void cut_scheduler(const struct cu *cu, uint32_t index, cycle_t end) {
  const struct cu_scheduler *scheduler = &cu->issue.schedulers[index];
  emit_issues(cu, index);
  if (scheduler->age_count && cu->warps[scheduler->age[0]].started < end)
    emit_scheduler(cu, index, cu->emitter->issues[index].to, end, cu->warps[scheduler->age[0]].stall,
                   scheduler->age[0]);
}

static void cut_group(const struct cu *cu, uint32_t slot, cycle_t end) {
  const struct cu_group *group = &cu->groups[slot];
  const bool all = group->call.count == group->warp_count && !group->call.mismatched;
  if (all)
    emit_meeting(cu, group, &group->call, end);
  else if (group->call.count)
    emit_meet(cu, group, &group->call, end, end);
  for (uint32_t i = 0; i < group->ahead_count; i++)
    emit_meet(cu, group, &group->ahead[i], end, end);
  emit_group(cu, slot, end);
}

void emit_cut(struct cu *cu, cycle_t end, cycle_t now) {
  cu->now = now;
  for (uint32_t slot = 0; slot < cu->params->warps; slot++)
    if (resident(cu, slot))
      emit_warp_end(cu, slot);
  for (uint32_t i = 0; i < cu->params->schedulers; i++)
    cut_scheduler(cu, i, end);
  for (uint32_t slot = 0; slot < cu->params->groups; slot++)
    if (cu->groups[slot].active)
      cut_group(cu, slot, end);
  for (uint32_t i = 0; i < cu->emitter->access_count; i++)
    if (cu->emitter->accesses[i].from)
      emit_access_end(cu, i, end);
  while (cu->emitter->copy_count)
    end_copy(cu, &cu->emitter->copies[0], end);
}
