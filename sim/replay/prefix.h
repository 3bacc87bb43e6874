/* Where warps of a trace that is not whole end, so that none waits for another for ever.
 *
 * Streams were cut where their bytes were lost, each at an operation of its own. A call that all warps of a work-group
 * come to (a barrier, a copy, a wait) is made by all of them or by none: a warp ends before the first one that is not
 * in each of the others' streams.
 *
 * Not modelled: other things that warps wait for: an mbarrier, packets of a pipe. */
#ifndef SIM_REPLAY_PREFIX_H
#define SIM_REPLAY_PREFIX_H

#include "isa/isa.h"
#include "traces/trace.h"

/* Whether an operation is such a call. */
bool prefix_is_call(const struct isa_program *program, uint32_t pc, uint64_t mask);

/* The calls that all warps of the group come to; UINT64_MAX when all of its streams are whole. */
uint64_t prefix_calls(struct trace_warp *decoder, const struct isa_program *program, uint32_t launch, uint32_t group,
                      uint32_t warps);

#endif
