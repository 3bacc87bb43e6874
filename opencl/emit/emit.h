/* From ir.h to instructions: phis become copies, values get registers, blocks an order and branches.
 *
 * A value is one, two or four 32-bit *words*, or a predicate. Words that an instruction wants in consecutive
 * registers (a pair, a quad) form a *bundle*; IR_WORD and IR_JOIN cost nothing where bundles agree, and copies where
 * they cannot. Live ranges are exact, per word, with holes; phis and tied operands (a copy's event, the kept value of a
 * guarded load) are coalesced where ranges do not meet. What does not fit is spilled to private memory, cheapest
 * first by uses weighted with loop depth; constants, slots' addresses and argument loads are made again instead.
 * Predicates beyond the sixteen live in registers. */
#ifndef OPENCL_EMIT_EMIT_H
#define OPENCL_EMIT_EMIT_H

#include "opencl/ir/ir.h"

/* Makes kernel `ir` the only one of `program`, which is empty: code, lines, and the kernel's row with registers,
 * private bytes and spilled words. The kernel's target bounds what it may use. False with *error filled when it cannot
 * be done: private memory beyond the ISA's bounds. The caller runs isa_validate() on the whole. */
bool emit_kernel(struct ir *ir, struct isa_program *program, struct isa_error *error);

#endif
