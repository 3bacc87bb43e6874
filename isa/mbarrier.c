/* mbarriers: objects of 8 bytes in the LDS at which lanes arrive, phase after phase. A phase is complete when as many
 * lanes have arrived as the initialization said; the next one begins at once.
 *
 *     bits   63 .. 44   43 .. 20            19 .. 0
 *            count      phases complete     arrivals that the current phase still needs
 *
 * A test names a phase by its parity, so it can only tell the current phase from the previous one. A suspended warp
 * waits for the end of the phase that was current when it was suspended. Each arrival that completes a phase checks all
 * waits of its work-group, oldest first.
 *
 * Not modeled: byte counts of copies (transactions), arrivals that do not complete a phase, that come from other
 * work-groups or that carry a count, and the time limit after which hardware lets a suspended warp try again. */
#include "isa/ops.h"
#include "isa/step.h"

#include <string.h>

enum { COUNT_BITS = 20, PHASE_BITS = 24, COUNT_SHIFT = COUNT_BITS + PHASE_BITS };

#define MOST_COUNT ((UINT32_C(1) << COUNT_BITS) - 1)

static uint64_t with_pending(uint32_t count, uint32_t phase, uint32_t pending) {
  const uint32_t kept = phase & ((UINT32_C(1) << PHASE_BITS) - 1);
  return (uint64_t)count << COUNT_SHIFT | (uint64_t)kept << COUNT_BITS | pending;
}

static uint32_t count_of(uint64_t state) { return (uint32_t)(state >> COUNT_SHIFT); }

static uint32_t phase_of(uint64_t state) { return (uint32_t)(state >> COUNT_BITS) & ((UINT32_C(1) << PHASE_BITS) - 1); }

static uint64_t arrived(uint64_t state) {
  const uint32_t pending = (uint32_t)state & MOST_COUNT, count = count_of(state);
  return pending > 1 ? state - 1 : with_pending(count, phase_of(state) + 1, count);
}

/* ---- at issue: drops lanes outside the LDS; their predicates become 0 ---------------------------- */

void access_mbarrier(struct isa_warp *warp, const struct isa_inst *inst, struct isa_access *access) {
  const uint64_t asked = access->mask;
  access->waiting = access->broken = 0;
  access->suspended = false;
  access->waits = NULL;
  access_lds(warp, inst, access);
  if (isa_rows[inst->op].d == TYPE_PRED)
    warp->pred[inst->d] &= ~(asked & ~access->mask);
}

/* ---- at commit ------------------------------------------------------------------------------------- */

static uint8_t *place(const struct isa_access *access, uint64_t lane) {
  const struct isa_group *group = access->warp->group;
  return group->lds + (access->address[lane] - group->lds_base);
}

static uint64_t state_at(const struct isa_access *access, uint64_t lane) {
  uint64_t state;
  memcpy(&state, place(access, lane), sizeof state);
  return state;
}

static void set_predicate(struct isa_access *access, uint64_t value) {
  uint64_t *pred = &access->warp->pred[access->inst->d];
  *pred = (*pred & ~access->mask) | value;
}

static void initialize(struct isa_access *access) {
  EACH_LANE(lane, access->mask) {
    const uint32_t count = access->data[lane];
    const uint64_t state = with_pending(count, 0, count);
    if (count == 0 || count > MOST_COUNT)
      access->broken |= UINT64_C(1) << lane;
    else
      memcpy(place(access, lane), &state, sizeof state);
  }
}

/* Moves the waits that this arrival ended from the work-group's list to the arrival's, in order. */
static void end_waits(struct isa_access *arrival) {
  struct isa_access **at = &arrival->warp->group->waits, **last = &arrival->waits;
  while (*at) {
    struct isa_access *wait = *at;
    EACH_LANE(lane, wait->waiting)
    if (phase_of(state_at(wait, lane)) != wait->data[lane])
      wait->waiting &= ~(UINT64_C(1) << lane);
    if (wait->waiting) {
      at = &wait->waits;
      continue;
    }
    *at = wait->waits;
    wait->waits = NULL;
    set_predicate(wait, wait->mask);
    *last = wait;
    last = &wait->waits;
  }
}

static void arrive(struct isa_access *access) {
  EACH_LANE(lane, access->mask) {
    const uint64_t old = state_at(access, lane), state = arrived(old);
    if (count_of(old) == 0) {
      access->broken |= UINT64_C(1) << lane;
      continue;
    }
    memcpy(place(access, lane), &state, sizeof state);
    if (access->warp->group->waits && phase_of(state) != phase_of(old))
      end_waits(access);
  }
}

/* The lanes whose phase is complete. For the others, data[] becomes the current phase. */
static uint64_t complete_lanes(struct isa_access *access) {
  uint64_t complete = 0;
  EACH_LANE(lane, access->mask) {
    const uint64_t state = state_at(access, lane), bit = UINT64_C(1) << lane;
    if (count_of(state) == 0)
      access->broken |= bit;
    else if ((phase_of(state) ^ access->data[lane]) & 1)
      complete |= bit;
    access->data[lane] = phase_of(state);
  }
  return complete;
}

static void test(struct isa_access *access) {
  const uint64_t complete = complete_lanes(access);
  if (access->inst->op == ISA_MBARRIER_TEST || complete == access->mask) {
    set_predicate(access, complete);
    return;
  }
  access->suspended = true;
  access->waiting = access->mask & ~complete;
  struct isa_access **last = &access->warp->group->waits;
  while (*last)
    last = &(*last)->waits;
  *last = access;
}

void mbarrier_commit(struct isa_access *access) {
  switch (access->inst->op) {
  case ISA_MBARRIER_INIT:
    initialize(access);
    break;
  case ISA_MBARRIER_ARRIVE:
    arrive(access);
    break;
  default:
    test(access);
  }
}

void isa_mbarrier_report(const struct isa_access *access) {
  if (!access->broken)
    return;
  const uint32_t lane = first_lane(access->broken);
  const uint64_t offset = access->address[lane] - access->warp->group->lds_base;
  if (access->inst->op == ISA_MBARRIER_INIT)
    step_report(access->warp, access->pc, HAZARD_M4, lane, "a count of %u, at LDS offset %u", access->data[lane],
                (uint32_t)offset);
  else
    step_report(access->warp, access->pc, HAZARD_M4, lane, "no mbarrier at LDS offset %u", (uint32_t)offset);
}
