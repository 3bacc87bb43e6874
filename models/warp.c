/* A warp in its compute unit: its account, its sleep, when it may issue, its end. */
#include <assert.h>
#include <string.h>

#include "isa/ops.h"
#include "models/cu.h"
#include "models/emit.h"
#include "models/lane_copy.h"

/* ---- timing wheel ----------------------------------------------------------------------- */

static uint8_t wanted_by(const struct cu_warp *warp) {
  const struct isa_info *info = &warp->kernel->info[warp->pc];
  if (warp->task)
    return CU_WANTS_TASK;
  return info->class_ == ISA_CLASS_GLOBAL && info->store && !info->atomic ? CU_WANTS_STORE : info->class_;
}

static void make_ready(struct cu *cu, uint32_t slot, cycle_t now) {
  struct cu_warp *warp = cu_warp(cu, slot);
  struct cu_scheduler *scheduler = warp->scheduler;
  const uint8_t wants = wanted_by(warp);
  warp->state = WARP_READY;
  cu_account(warp, STALL_NOT_SELECTED, now);
  cu->issue.wants[slot] = wants;
  cu->issue.waits[slot] = STALL_NOT_SELECTED;
  assert(!(scheduler->ready & cu_bit(slot)) && "what a ready warp wants does not change");
  scheduler->ready |= cu_bit(slot);
  scheduler->wanted |= cu_bit(wants);
  scheduler->by_want[wants] |= cu_bit(slot);
}

static void sleep_until(struct cu *cu, uint32_t slot, cycle_t at, cycle_t now) {
  if (cu->copy.copy_now) { /* functional mode: nothing takes time */
    make_ready(cu, slot, now);
    return;
  }
  cu_warp(cu, slot)->wake = at;
  /* If the wheel does not reach that far, the warp sleeps again at its end. */
  cycle_t turn = cycle_min(at, cu->issue.wheel_at + CU_WHEEL - 1);
  cu->issue.wheel[turn % CU_WHEEL] |= cu_bit(slot);
  cu->issue.wheel_slots |= cu_bit(turn % CU_WHEEL);
}

cycle_t cu_next_waking(const struct cu *cu) {
  if (!cu->issue.wheel_slots)
    return NEVER;
  unsigned by = (unsigned)(cu->issue.wheel_at % CU_WHEEL);
  uint64_t turned = cu->issue.wheel_slots >> by | cu->issue.wheel_slots << (-by & (CU_WHEEL - 1));
  return cu->issue.wheel_at + (unsigned)__builtin_ctzll(turned);
}

void cu_turn_wheel(struct cu *cu, cycle_t now) {
  for (cycle_t at = cu_next_waking(cu); at <= now; at = cu_next_waking(cu)) {
    uint64_t waking = cu->issue.wheel[at % CU_WHEEL];
    cu->issue.wheel[at % CU_WHEEL] = 0;
    cu->issue.wheel_slots &= ~cu_bit(at % CU_WHEEL);
    cu->issue.wheel_at = at + 1;
    for (; waking; waking &= waking - 1) {
      uint32_t slot = (uint32_t)__builtin_ctzll(waking);
      const struct cu_warp *warp = cu_warp(cu, slot);
      if (warp->wake > now)
        sleep_until(cu, slot, warp->wake, now);
      else if (warp->task == TASK_COPY)
        lane_copy_plan(cu, slot, now, now);
      else if (warp->state == WARP_RESTING)
        cu_plan(cu, slot, now, now);
      else
        make_ready(cu, slot, now);
    }
  }
  cu->issue.wheel_at = now + 1;
}

/* ---- planning: when may the next instruction issue? ---------------------------------------- */

void cu_block(struct cu *cu, uint32_t slot, enum stall stall, cycle_t now) {
  cu_warp(cu, slot)->state = WARP_BLOCKED;
  cu_account(cu_warp(cu, slot), stall, now);
}

static inline void ready_at(struct cu *cu, uint32_t slot, enum stall stall, cycle_t at, cycle_t now) {
  if (at <= now) {
    make_ready(cu, slot, now);
    return;
  }
  cu_account(cu_warp(cu, slot), stall, now);
  cu_warp(cu, slot)->state = WARP_ASLEEP;
  sleep_until(cu, slot, at, now);
}

void cu_ready_at(struct cu *cu, uint32_t slot, enum stall stall, cycle_t at, cycle_t now) {
  ready_at(cu, slot, stall, at, now);
}

/* Whether accesses of the warp are in flight that a barrier or a fence waits for. A copy fence orders only copies. */
static bool fenced(const struct cu_warp *warp, const struct isa_info *info) {
  const bool local = info->local_fence && warp->lds_in_flight && !warp->kernel->ordered;
  return (local || (info->global_fence && warp->global_in_flight)) && info->class_ != ISA_CLASS_COPY_FENCE;
}

/* Whether the warp's next instruction must not issue before the warp's last barrier releases it. */
static bool kept_by_barrier(const struct cu_warp *warp, const struct isa_info *info) {
  return !cu_on_unit(info) || warp->kernel->program->code[warp->pc].op == ISA_EXIT;
}

void cu_plan(struct cu *cu, uint32_t slot, cycle_t from, cycle_t now) {
  struct cu_warp *warp = cu_warp(cu, slot);
  const struct isa_info *info = &warp->kernel->info[warp->pc];
  enum stall stall = STALL_DEPENDENCY;
  cycle_t at = from;
  cu_account(warp, warp->stall, now); /* the wait so far belongs to the previous instruction */
  warp->charged = warp->pc;
  const uint32_t *forward = cu->issue.forward[info->class_];
  for (unsigned i = 0; i < info->slots; i++) {
    const struct cu_operand *operand = &warp->operand[cu_operand_of(info->slot[i])];
    cycle_t usable = operand->ready + forward[operand->maker];
    if (usable > at) {
      at = usable;
      stall = (enum stall)operand->producer;
    }
  }
  const bool leaves = !cu_on_unit(info);
  if (info->class_ == ISA_CLASS_LDS && warp->lds_next > at) {
    at = warp->lds_next;
    stall = STALL_UNIT;
  }
  for (unsigned i = 0; warp->held_last > at && i < info->writes; i++)
    if (warp->operand[cu_operand_of(info->slot[i])].held > at) {
      at = warp->operand[cu_operand_of(info->slot[i])].held;
      stall = STALL_DEPENDENCY;
    }
  if (warp->released > at && kept_by_barrier(warp, info)) {
    at = warp->released;
    stall = STALL_BARRIER;
    warp->charged = warp->barrier;
  }
  if (warp->phase_wait) {
    warp->charged = warp->phase_wait - 1;
    cu_block(cu, slot, warp->suspended ? STALL_BARRIER : STALL_LDS, now);
  } else if (at >= CU_LATER)
    cu_block(cu, slot, stall, now);
  else if (leaves && fenced(warp, info))
    cu_block(cu, slot, STALL_FENCE, now);
  else if (leaves && lane_copy_waits(warp, info))
    cu_block(cu, slot, STALL_COPY_DATA, now);
  else
    ready_at(cu, slot, stall, at, now);
}

void cu_rest(struct cu *cu, uint32_t slot, enum stall stall, cycle_t until, cycle_t now) {
  cu_account(cu_warp(cu, slot), stall, now);
  cu_warp(cu, slot)->state = WARP_RESTING;
  sleep_until(cu, slot, until, now);
}

/* ---- the end of warps -------------------------------------------------------------------- */

static void forget_age(struct cu_scheduler *scheduler, uint32_t slot) {
  uint32_t i = 0;
  while (scheduler->age[i] != slot)
    i++;
  memmove(&scheduler->age[i], &scheduler->age[i + 1], --scheduler->age_count - i);
}

/* Ends the warp's account at `end` and adds it to the launch's. */
static void close_account(struct cu_warp *warp, cycle_t end) {
  struct cu_kernel *kernel = warp->kernel;
  uint64_t sum = 0;
  cu_account(warp, warp->stall, end);
  for (unsigned i = 0; i < STALLS; i++) {
    sum += warp->stalls[i];
    kernel->stalls[i] += warp->stalls[i];
  }
  assert(sum == end - warp->started && "a warp's buckets sum to its residency");
  kernel->resident_cycles += sum;
}

void cu_finish_warp(struct cu *cu, uint32_t slot, cycle_t end) {
  struct cu_warp *warp = cu_warp(cu, slot);
  close_account(warp, end);
  if (cu->emitter)
    emit_warp_end(cu, slot);
  warp->state = WARP_DONE;
  forget_age(warp->scheduler, slot);
  cu->resident--;
  if (!--warp->kernel->resident)
    warp->kernel->stats.active_cycles += end - warp->kernel->resident_since;
  cu->groups[warp->group].finished++;
  group_finish(cu, warp->group, end);
}

bool cu_only_refused(const struct cu *cu, cycle_t since, uint64_t parked, bool *refused) {
  for (uint32_t slot = 0; slot < cu->params->warps; slot++) {
    const struct cu_warp *warp = &cu->warps[slot];
    const struct cu_group *group = &cu->groups[warp->group];
    if (!cu_is_resident(warp))
      continue;
    const bool lately = warp->refused_at && warp->refused_at >= since;
    const bool waits =
        parked & cu_bit(slot) || warp->suspended || (group->waiting & cu_bit(slot) && !group->copies_in_flight);
    if (!lately && !waits)
      return false;
    *refused |= lately;
  }
  return true;
}

cycle_t cu_last_end(const struct cu *cu) {
  cycle_t end = cu->last_active + 1;
  for (uint32_t slot = 0; slot < cu->params->warps; slot++)
    if (cu_is_resident(&cu->warps[slot]))
      end = cycle_max(end, cu->warps[slot].since);
  return end;
}

void cu_abandon(struct cu *cu, cycle_t end) {
  if (!cu->held)
    return;
  for (uint32_t slot = 0; slot < cu->params->warps; slot++)
    if (cu_is_resident(&cu->warps[slot]))
      close_account(cu_warp(cu, slot), end);
  cu->active_cycles += end - cu->held_since;
  for (uint32_t i = 0; i < cu->kernel_count; i++)
    if (cu->kernels[i].resident)
      cu->kernels[i].stats.active_cycles += end - cu->kernels[i].resident_since;
  for (uint32_t slot = 0; slot < cu->params->groups; slot++)
    group_abandon(cu, slot, end);
}
