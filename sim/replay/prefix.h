/* Where the warps of an incomplete trace end, so that none waits forever for another.
 *
 * Where bytes were lost, each stream ends at a different operation. All warps of a work-group must make a call that
 * they make together (a barrier, a copy, a wait), or none: a warp ends before the first such call that is missing in
 * another warp's stream.
 *
 * Not modeled: other things that warps wait for, such as an mbarrier or packets of a pipe. */
#ifndef SIM_REPLAY_PREFIX_H
#define SIM_REPLAY_PREFIX_H

#include "isa/isa.h"
#include "traces/trace.h"

/* Is an operation such a call? */
bool prefix_is_call(const struct isa_program *program, uint32_t pc, uint64_t mask);

/* The number of calls that all warps of the group reach; UINT64_MAX when all of its streams are complete. */
uint64_t prefix_calls(struct trace_warp *decoder, const struct isa_program *program, uint32_t launch, uint32_t group,
                      uint32_t warps);

#endif
