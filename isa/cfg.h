/* Control flow: the join of each branch, where its two sides meet again (the immediate post-dominator), and which
 * instructions are in a loop.
 *
 * A kernel may end in several places. If all exits were one node, an early `exit` inside an `if` would push the join of
 * that `if` to the very end. So a side that only leads to an exit must not count. The nodes that reach the last exit of
 * the kernel form one region; of the others, those that reach the last remaining exit form the next; and so on.
 * Post-dominance is computed inside each region, over the edges that stay in it. A guarded exit is not an end: the
 * lanes that exit are removed from the stack, and the others continue. Nodes that reach no exit loop forever; their
 * branches have the join ISA_NEVER.
 *
 * Lanes that leave a region never return to it and end by exit. So the joins of one region that are on the stack form a
 * chain in its post-dominator tree. step.c says what follows from that. */
#ifndef ISA_CFG_H
#define ISA_CFG_H

#include "isa/isa.h"

/* For the kernel [entry, end) of `code`: writes join[pc - entry] for every guarded branch and ISA_NEVER for everything
 * else. *depth gets the most joins that can be nested. All branch targets must be inside, and the kernel must not run
 * off its end. */
void cfg_joins(const struct isa_inst *code, uint32_t entry, uint32_t end, uint32_t *join, uint32_t *depth);

/* Writes the instructions that can follow `pc`, up to two, to `to`. Returns how many. */
uint32_t cfg_successors(const struct isa_inst *code, uint32_t pc, uint32_t to[2]);

/* Sets in_loop of the kernel's instructions, after isa_describe(). */
void cfg_loops(struct isa_program *program, const struct isa_kernel *kernel);

#endif
