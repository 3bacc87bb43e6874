/* What a trace keeps of an instruction: the kind (traces/rows.def) of each of the ISA's formats.
 *
 * Invariant: a kind has everything that models/ reads of isa_access and isa_result after a step. A new format needs a
 * case here; the compiler warns if it is missing. */
#ifndef SIM_REPLAY_KINDS_H
#define SIM_REPLAY_KINDS_H

#include "isa/isa.h"
#include "traces/trace.h"

enum trace_kind replay_kind(unsigned op);

/* The kinds of all instructions of a program. The caller frees them. */
uint8_t *replay_kinds(const struct isa_program *program);

#endif
