/* mbarriers, inside a compute unit: what becomes of an access to one when the LDS has answered it.
 *
 * Initialisations, arrivals and tests go the way of LDS accesses, one after the other at the banks; a scheduler issues
 * a test every phase_interval cycles and other accesses to mbarriers behind it, all of them together one every
 * phase_turn. A test's result may be used phase_latency after the LDS's answer. A warp that mbarrier.try_wait suspends
 * issues nothing; its access is kept until the LDS answers the arrival that has ended its wait:
 *
 *     cycle    0   1   2   3   4   5   6   7      phase_wake_latency = 4, phase_wake_interval = 1
 *     arrival  a                                  the LDS's answer to it: the phase is complete
 *     warp 1   ................    x
 *     warp 2   ....................    x
 *
 * Invariant: a suspended warp has that access under way in the LDS's sense, so it is neither drained nor done, and a
 * work-group whose arrivals never come ends in a deadlock that names the instruction.
 *
 * Not modelled: the time limit after which hardware lets a suspended warp try again. */
#ifndef MODELS_MBARRIER_H
#define MODELS_MBARRIER_H

#include "models/cu.h"

static inline bool is_mbarrier(const struct isa_info *info) {
  return info->class_ == ISA_CLASS_MBARRIER || info->class_ == ISA_CLASS_PHASE;
}

/* The warp has issued an access to an mbarrier that does something. */
void mbarrier_issued(struct cu_warp *warp, const struct isa_result *result);

/* The LDS has answered it. */
void mbarrier_reply(struct cu *cu, uint32_t index, cycle_t now);

#endif
