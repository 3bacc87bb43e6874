/* mbarriers, inside a compute unit: what happens when the LDS replies to an access to one.
 *
 * Initializations, arrivals and tests use the path of LDS accesses, one after the other at the banks. A scheduler
 * issues the next access to an mbarrier phase_interval cycles after a test; the CU sends the LDS the next one
 * phase_turn cycles after a test. A test's result is ready phase_latency after the LDS's reply. A warp that
 * mbarrier.try_wait suspends issues nothing. Its access stays allocated until the LDS replies to the arrival that ends
 * the wait:
 *
 *     cycle    0   1   2   3   4   5   6   7      phase_wake_latency = 4, phase_wake_interval = 1
 *     arrival  a                                  the LDS replies to it: the phase is complete
 *     warp 1   ................    x
 *     warp 2   ....................    x
 *
 * Invariant: a suspended warp has an LDS access in flight, so it is neither drained nor done. A work-group whose
 * arrivals never come ends in a deadlock that names the instruction.
 *
 * Not modeled: the time limit after which hardware lets a suspended warp try again. */
#ifndef MODELS_MBARRIER_H
#define MODELS_MBARRIER_H

#include "models/cu.h"

static inline bool is_mbarrier(const struct isa_info *info) {
  return info->class_ == ISA_CLASS_MBARRIER || info->class_ == ISA_CLASS_PHASE;
}

/* The warp has issued an access to an mbarrier, with active lanes. */
void mbarrier_issued(struct cu_warp *warp, const struct isa_result *result);

/* The LDS has replied to it. */
void mbarrier_reply(struct cu *cu, uint32_t index, cycle_t now);

#endif
