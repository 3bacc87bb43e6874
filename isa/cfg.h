/* Where the two sides of each branch meet again, its immediate post-dominator; and what lies in a loop.
 *
 * A kernel may end in several places. Were all exits one point, an early `exit` inside an `if` would
 * push the join of that `if` to the very end. So an arm that only ends does not count: the nodes
 * that reach the last exit of the kernel form one region, those of the rest that reach the last exit
 * among them the next, and so on; post-dominance is taken inside each region, over the edges that stay
 * in it. A guarded exit simply goes on: the lanes that leave are taken off the stack. What reaches no
 * exit loops for ever, and its branches have the join ISA_NEVER.
 *
 * The lanes that leave a region never come back to it and end by exit, so on the stack the joins of one region
 * form a chain in its post-dominator tree: see step.c for what follows. */
#ifndef ISA_CFG_H
#define ISA_CFG_H

#include "isa/isa.h"

/* For the kernel [entry, end) of `code`, whose branch targets are all inside and which does not run off
 * its end, writes join[pc - entry] for every guarded branch and ISA_NEVER for all else. *depth gets the
 * most joins that can be nested. False when memory is out. */
bool cfg_joins(const struct isa_inst *code, uint32_t entry, uint32_t end, uint32_t *join, uint32_t *depth);

/* Where control flow may go from `pc`: up to two instructions; returns how many. */
uint32_t cfg_successors(const struct isa_inst *code, uint32_t pc, uint32_t to[2]);

/* Sets in_loop of the kernel's instructions, which isa_describe() has described. False when memory is out. */
bool cfg_loops(struct isa_program *program, const struct isa_kernel *kernel);

#endif
