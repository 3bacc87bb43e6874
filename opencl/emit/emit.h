/* From ir.h to instructions: phis become copies, values get registers, blocks get an order and branches.
 *
 * A value is one, two or four 32-bit *words*, or a predicate. Words that an instruction needs in consecutive registers
 * (a pair, a quad) form a *bundle*. IR_WORD and IR_JOIN are free where bundles agree and become copies where they
 * cannot. Live ranges are exact, per word, with holes. Phis and tied operands (a copy's event, the kept value of a
 * guarded load) are coalesced if their ranges do not overlap. What does not fit is spilled to private memory, cheapest
 * first, by uses weighted with loop depth. Constants, slots' addresses and argument loads are recomputed instead.
 * Predicates beyond the sixteen live in registers. */
#ifndef OPENCL_EMIT_EMIT_H
#define OPENCL_EMIT_EMIT_H

#include "opencl/ir/ir.h"

/* Makes kernel `ir` the only one of `program`, which must be empty: code, lines, and the kernel's row with registers,
 * private bytes and spilled words. The kernel's target bounds what it may use. Returns false and fills *error if that
 * is impossible, for example if it needs more private memory than the ISA allows. The caller runs isa_validate() on the
 * whole. */
bool emit_kernel(struct ir *ir, struct isa_program *program, struct isa_error *error);

#endif
