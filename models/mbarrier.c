#include "models/mbarrier.h"
#include "isa/ops.h"

#include <assert.h>

void mbarrier_issued(struct cu_warp *warp, const struct isa_result *result) {
  if (warp->kernel->program->code[result->pc].op == ISA_MBARRIER_TRY_WAIT)
    warp->phase_wait = result->pc + 1;
}

/* A mbarrier.try_wait is over: its warp continues at cycle `at`. */
static void resume(struct cu *cu, uint32_t index, cycle_t at, cycle_t now) {
  const struct cu_access *access = cu->lsu.accesses[index];
  struct cu_warp *warp = cu_warp(cu, access->warp);
  cu->last_active = now;
  warp->lds_in_flight--;
  warp->phase_wait = 0;
  warp->suspended = false;
  cu_set_results(warp, &warp->kernel->info[access->isa.pc], at, CU_NO_UNIT, STALL_DEPENDENCY);
  cu_plan(cu, access->warp, at, now);
  cu_free_access(&cu->lsu.lds_pool, index);
}

/* Another access is over; its result is ready in cycle `ready`. */
static void end(struct cu *cu, uint32_t index, cycle_t ready, cycle_t now) {
  cu_warp(cu, cu->lsu.accesses[index]->warp)->lds_in_flight--;
  cu_access_done(cu, index, STALL_DEPENDENCY, ready, now);
  cu_free_access(&cu->lsu.lds_pool, index);
}

/* An arrival has ended these waits: their warps continue one after the other. */
static void wake(struct cu *cu, struct isa_access *wait, cycle_t now) {
  cycle_t at = now + cu->params->phase_wake_latency;
  while (wait) {
    struct isa_access *next = wait->waits;
    const uint32_t index = ((struct cu_access *)(void *)wait)->index;
    assert(cu_warp(cu, cu->lsu.accesses[index]->warp)->suspended && "the LDS answers in the order of its commits");
    resume(cu, index, at, now);
    at += cu->params->phase_wake_interval;
    wait = next;
  }
}

static void suspend(struct cu *cu, uint32_t slot, cycle_t now) {
  cu->last_active = now;
  cu_warp(cu, slot)->suspended = true;
  cu_account(cu_warp(cu, slot), STALL_BARRIER, now);
}

void mbarrier_reply(struct cu *cu, uint32_t index, cycle_t now) {
  const struct cu_access *access = cu->lsu.accesses[index];
  const cycle_t tested = now + cu->params->phase_latency;
  struct isa_access *ended = access->isa.waits;
  isa_mbarrier_report(&access->isa);
  switch (access->isa.inst->op) {
  case ISA_MBARRIER_TRY_WAIT:
    if (access->isa.suspended)
      suspend(cu, access->warp, now);
    else
      resume(cu, index, tested + cu->params->phase_wake_latency, now);
    break;
  case ISA_MBARRIER_TEST:
    end(cu, index, tested, now);
    break;
  case ISA_MBARRIER_ARRIVE:
    end(cu, index, now, now);
    wake(cu, ended, now);
    break;
  default:
    end(cu, index, now, now);
  }
}
