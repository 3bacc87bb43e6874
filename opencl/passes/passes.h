/* The passes over ir.h between build and emit, in the order of opencl_passes(). After each pass, ir_fault() finds no
 * fault. Each file says what its pass does and what it leaves alone. */
#ifndef OPENCL_PASSES_PASSES_H
#define OPENCL_PASSES_PASSES_H

#include "opencl/ir/ir.h"

/* Runs all passes that the kernel's target enables. PASS_ahead and PASS_schedule belong to emit. */
void opencl_passes(struct ir *ir);

/* Private variables that are only loaded and stored at constant offsets become values (scalar replacement of
 * aggregates, then SSA construction). */
void pass_promote(struct ir *ir);

/* Folds constants, applies identities, merges equal instructions (dominator-based) and phis of one value, resolves
 * branches with known conditions, skips blocks that only lead on, and removes everything unused. */
void pass_simplify(struct ir *ir);

/* A load that repeats an earlier one becomes its value. */
void pass_loads(struct ir *ir);

/* Removes blocks that only test which block they were reached from. */
void pass_thread(struct ir *ir);

/* Short arms without side effects run with guards and selects instead of branches. */
void pass_flatten(struct ir *ir);

/* Lanes reconverge before operations that they execute together (barriers, copies, sub-group operations), even if a
 * branch before has an exit. */
void pass_meet(struct ir *ir);

/* Loops with a known number of iterations become copies of their body, where the source requests it. */
void pass_unroll(struct ir *ir);

/* 64-bit integers become 32-bit ones if their values fit or if only 32 bits are used. */
void pass_narrow(struct ir *ir);

/* Computes addresses that differ by a multiple of one value from each other. Runs before pass_address(). */
void pass_chain(struct ir *ir);

/* Constants in address arithmetic move outward, to where pass_address() can use them as offsets. pass_narrow() would
 * undo this, so it must not run later. */
void pass_spread(struct ir *ir);

/* Division by a constant becomes multiplication. */
void pass_divide(struct ir *ir);

/* Sums in loops are regrouped so that pass_hoist() finds their invariant part. */
void pass_regroup(struct ir *ir);

/* Pure loop invariants move out of the loop. */
void pass_hoist(struct ir *ir);

/* Loops compare only their counter's next value. Runs last: pass_simplify() would undo it. */
void pass_latch(struct ir *ir);

/* Constants and indices in sums move into addressing modes; multiply-adds form. */
void pass_address(struct ir *ir);

/* get.global_id is computed from the work-group's number and size, on machines that have no such instruction. */
void pass_ids(struct ir *ir);

/* Neighboring words are loaded and stored together. Runs after pass_address(). */
void pass_widen(struct ir *ir);

/* 64-bit integer operations work word by word, on machines that have no others. */
void pass_split(struct ir *ir);

/* Three-input operations, on machines that have them: logic, sums, shift-and-add. */
void pass_fuse(struct ir *ir);

#endif
