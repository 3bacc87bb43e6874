/* The passes over ir.h between build and emit, in the order of opencl_passes(). Each leaves a form that
 * ir_fault() finds nothing wrong with, and says in its file what it does and what it leaves alone. */
#ifndef OPENCL_PASSES_PASSES_H
#define OPENCL_PASSES_PASSES_H

#include "opencl/ir/ir.h"

/* All that the target of the kernel wants, to the end; PASS_ahead and PASS_schedule are of emit. */
void opencl_passes(struct ir *ir);

/* Private variables that are only loaded and stored at known places become values (scalar replacement of
 * aggregates, then SSA construction). */
void pass_promote(struct ir *ir);

/* Constants, identities, one instruction for equal ones (dominator-based), phis of one value, branches whose
 * condition is known, blocks that only lead on, everything unused. */
void pass_simplify(struct ir *ir);

/* A load of what was loaded just before is its value. */
void pass_loads(struct ir *ir);

/* Removes blocks that only ask which block they were reached from. */
void pass_thread(struct ir *ir);

/* Guarded or selected instead of branched around: short arms without side effects. */
void pass_flatten(struct ir *ir);

/* Lanes meet in front of what they do together (barriers, copies, sub-groups), also where ways lead out of a branch
 * before. */
void pass_meet(struct ir *ir);

/* Loops that turn a known number of times become copies of their body, where the source asks. */
void pass_unroll(struct ir *ir);

/* 64-bit integers of which 32 bits are all that can be set, or all that is asked for, become 32-bit ones. */
void pass_narrow(struct ir *ir);

/* Addresses a multiple of one value apart are computed from one another; in front of pass_address(). */
void pass_chain(struct ir *ir);

/* Constants in address arithmetic move outwards, to where the addressing modes of pass_address() take them. After it,
 * pass_narrow() would undo it. */
void pass_spread(struct ir *ir);

/* Division by a known number becomes multiplication. */
void pass_divide(struct ir *ir);

/* Sums in loops put what does not change together, for pass_hoist(). */
void pass_regroup(struct ir *ir);

/* What does not change in a loop leaves it, if it is pure. */
void pass_hoist(struct ir *ir);

/* Loops ask about their counter's next value, not about both. The last: pass_simplify() would undo it. */
void pass_latch(struct ir *ir);

/* Sums with constants and indices move into the addressing modes; multiply-adds form. */
void pass_address(struct ir *ir);

/* get.global_id in terms of the work-group's number and size, where the machine has no such instruction. */
void pass_ids(struct ir *ir);

/* Neighbouring words are loaded and stored together; behind pass_address(). */
void pass_widen(struct ir *ir);

/* 64-bit integers word by word, where the machine has no other operations. */
void pass_split(struct ir *ir);

/* Operations of three inputs, which the machine has: logic, sums, a shift with a sum. */
void pass_fuse(struct ir *ir);

#endif
