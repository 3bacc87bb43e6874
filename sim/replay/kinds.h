/* What a trace keeps of an instruction: which of its kinds (traces/rows.def) each format of the ISA is.
 *
 * Invariant: a kind has everything that models/ reads of isa_access and isa_result after a step. Whoever adds a format
 * says here what that is; the compiler asks for it. */
#ifndef SIM_REPLAY_KINDS_H
#define SIM_REPLAY_KINDS_H

#include "isa/isa.h"
#include "traces/trace.h"

enum trace_kind replay_kind(enum isa_op op);

/* The kinds of all of a program's instructions. The caller frees it. */
uint8_t *replay_kinds(const struct isa_program *program);

#endif
