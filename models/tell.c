#include "models/tell.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A warp's account as far as it has been looked at, and the last cycles of it, which have yet to be told since more may
 * come to them. */
struct account {
  uint64_t stalls[STALLS];
  uint32_t charged; /* as the warp's */
  cycle_t from, to; /* to be told */
  enum stall stall;
  uint32_t pc;
};

/* The cycles in which a scheduler has issued last, one after the other. */
struct issues {
  cycle_t from, to;
  uint32_t warp; /* slot of the last one */
};

struct tell {
  struct timeline_tap tap;
  cycle_t (*step)(void *cu, cycle_t now); /* the CU's own */
  struct account accounts[CU_WARPS];
  struct issues issues[CU_SCHEDULERS];
};

static bool wanted(const struct cu *cu, enum timeline_kind kind) { return timeline_wants(&cu->tell->tap, kind); }

static void tell(const struct cu *cu, struct timeline_event event) { timeline_tell(&cu->tell->tap, cu->now, event); }

static uint32_t launch_of(const struct cu *cu, const struct cu_kernel *kernel) {
  return cu->tell->tap.timeline->launch + kernel->launch->number;
}

static bool resident(const struct cu *cu, uint32_t slot) {
  return cu->warps[slot].state != WARP_FREE && cu->warps[slot].state != WARP_DONE;
}

/* ---- schedulers ------------------------------------------------------------------------------ */

static void tell_scheduler(const struct cu *cu, uint32_t scheduler, cycle_t from, cycle_t to, enum stall stall,
                           uint32_t warp) {
  if (from < to && wanted(cu, TIMELINE_SCHEDULER))
    tell(cu, (struct timeline_event){.kind = TIMELINE_SCHEDULER,
                                     .unit = scheduler,
                                     .from = from,
                                     .to = to,
                                     .field = {[TIMELINE_SCHEDULER_STALL] = stall, [TIMELINE_SCHEDULER_WARP] = warp}});
}

static void tell_issues(const struct cu *cu, uint32_t scheduler) {
  struct issues *issues = &cu->tell->issues[scheduler];
  tell_scheduler(cu, scheduler, issues->from, issues->to, STALL_ISSUED, issues->warp);
  issues->from = issues->to;
}

/* Why the scheduler has not issued up to `now`, in which warp `slot` issues. */
static void tell_gap(const struct cu *cu, uint32_t scheduler, uint32_t slot, cycle_t now) {
  const struct account *account = &cu->tell->accounts[slot];
  const struct cu_warp *oldest = &cu->warps[cu->schedulers[scheduler].age[0]];
  const cycle_t from = cu->tell->issues[scheduler].to;
  if (account->from < account->to && account->stall != STALL_ISSUED)
    tell_scheduler(cu, scheduler, from, now, account->stall, slot);
  else if (oldest->started < now)
    tell_scheduler(cu, scheduler, from, now, oldest->stall, slot);
}

static void note_issue(struct cu *cu, uint32_t slot, cycle_t now) {
  const uint32_t scheduler = slot % cu->params.schedulers;
  struct issues *issues = &cu->tell->issues[scheduler];
  if (issues->to != now) {
    tell_issues(cu, scheduler);
    tell_gap(cu, scheduler, slot, now);
    issues->from = now;
  }
  issues->to = now + 1;
  issues->warp = slot;
}

/* ---- warps ----------------------------------------------------------------------------------- */

static void tell_account(const struct cu *cu, uint32_t slot) {
  const struct account *account = &cu->tell->accounts[slot];
  const struct cu_warp *warp = &cu->warps[slot];
  if (account->from == account->to || !wanted(cu, TIMELINE_WARP))
    return;
  tell(cu, (struct timeline_event){.kind = TIMELINE_WARP,
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
  struct account *account = &cu->tell->accounts[slot];
  if (!cycles)
    return;
  if (stall == STALL_ISSUED || account->stall != stall || account->pc != pc) {
    tell_account(cu, slot);
    account->from = account->to;
    account->stall = stall;
    account->pc = pc;
  }
  account->to += cycles;
}

/* What its buckets have grown by since the last look, in the order of time. */
static void look_at_buckets(struct cu *cu, uint32_t slot) {
  const struct cu_warp *warp = &cu->warps[slot];
  struct account *account = &cu->tell->accounts[slot];
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
  assert(account->to == warp->since && "what is told of a warp is its account");
  memcpy(account->stalls, warp->stalls, sizeof account->stalls);
}

static void look_at(struct cu *cu, uint32_t slot) {
  if (cu->warps[slot].since != cu->tell->accounts[slot].to)
    look_at_buckets(cu, slot);
  cu->tell->accounts[slot].charged = cu->warps[slot].charged;
}

static cycle_t step_and_tell(void *self, cycle_t now) {
  struct cu *cu = self;
  const cycle_t next = cu->tell->step(cu, now);
  for (uint32_t slot = 0; slot < cu->params.warps; slot++)
    if (resident(cu, slot))
      look_at(cu, slot);
  return next;
}

void tell_warp_start(struct cu *cu, uint32_t slot) {
  const struct cu_warp *warp = &cu->warps[slot];
  cu->tell->accounts[slot] =
      (struct account){.charged = warp->charged, .from = warp->started, .to = warp->started, .stall = STALL_ISSUED};
}

void tell_warp_end(struct cu *cu, uint32_t slot) {
  look_at(cu, slot);
  tell_account(cu, slot);
}

/* ---- work-groups ----------------------------------------------------------------------------- */

void tell_group(const struct cu *cu, uint32_t group_slot, cycle_t end) {
  const struct cu_group *group = &cu->groups[group_slot];
  if (wanted(cu, TIMELINE_GROUP))
    tell(cu, (struct timeline_event){.kind = TIMELINE_GROUP,
                                     .unit = group_slot,
                                     .from = group->started,
                                     .to = end,
                                     .field = {[TIMELINE_GROUP_LAUNCH] = launch_of(cu, group->kernel),
                                               [TIMELINE_GROUP_GROUP] = group->linear,
                                               [TIMELINE_GROUP_WARPS] = group->warp_count}});
}

/* ---- the tap ----------------------------------------------------------------------------------- */

bool tell_open(struct cu *cu, struct timeline_tap tap) {
  cu->tell = calloc(1, sizeof *cu->tell);
  if (!cu->tell)
    return false;
  cu->tell->tap = tap;
  cu->tell->step = cu->component.step;
  cu->component.step = step_and_tell;
  return true;
}

void tell_close(struct cu *cu) {
  free(cu->tell);
  cu->tell = NULL;
}

/* ---- launches -------------------------------------------------------------------------------- */

void tell_launch(struct cu *cu, cycle_t start) {
  for (unsigned i = 0; i < CU_SCHEDULERS; i++)
    cu->tell->issues[i] = (struct issues){.from = start, .to = start};
}

void tell_launch_end(struct cu *cu, cycle_t now) {
  cu->now = now;
  for (uint32_t i = 0; i < cu->params.schedulers; i++)
    tell_issues(cu, i);
}

/* The scheduler's cycles since its last issue are as the oldest of its warps has spent its last. */
static void cut_scheduler(const struct cu *cu, uint32_t index, cycle_t end) {
  const struct cu_scheduler *scheduler = &cu->schedulers[index];
  tell_issues(cu, index);
  if (scheduler->aged && cu->warps[scheduler->age[0]].started < end)
    tell_scheduler(cu, index, cu->tell->issues[index].to, end, cu->warps[scheduler->age[0]].stall, scheduler->age[0]);
}

void tell_cut(struct cu *cu, cycle_t end) {
  for (uint32_t slot = 0; slot < cu->params.warps; slot++)
    if (resident(cu, slot))
      tell_warp_end(cu, slot);
  for (uint32_t i = 0; i < cu->params.schedulers; i++)
    cut_scheduler(cu, i, end);
  for (uint32_t slot = 0; slot < cu->params.groups; slot++)
    if (cu->groups[slot].active)
      tell_group(cu, slot, end);
}
