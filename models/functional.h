/* Launches without timing: executed as fast as the host can. They leave bytes that a timed run could leave, and take no
 * cycles.
 *
 *     work-groups, in order ──► group slots of units ──► turns: a warp runs until it waits, or for TURN instructions
 *                                     ▲                     │
 *                                     └──── rounds over all slots; each doubles their number, up to ────┘
 *                                           what the machine holds at once
 *
 * A *unit* is a compute unit that nothing steps (struct cu with `copy_now`). The files of models/cu.h do what
 * work-groups do together, hazards and copies, but nothing takes time. An access commits as soon as it issues, a copy
 * is carried out when its last warp arrives, and a wait never waits for a copy.
 *
 * Work-groups start in order, and a group runs to its end if nothing holds it. More groups start only when all that
 * have started wait or have used up their turns. So few run at a time, but up to as many as the machine holds make
 * progress if they wait for each other.
 *
 * Invariant: in a round, each warp that can continue executes at least one instruction. A round in which no instruction
 * executes and no slot is added is a deadlock.
 *
 * An endless loop ends when a warp has executed `limit` instructions: the machine, with at most one per cycle and warp,
 * would have taken that many cycles. Kernels that spin on pipes end as in models/pipes.h, with instructions of a warp
 * in place of cycles.
 *
 * Not modeled: time. get.clock returns the number of instructions executed so far. A read that does not wait for its
 * data may see bytes that are newer or older than on the machine. */
#ifndef MODELS_FUNCTIONAL_H
#define MODELS_FUNCTIONAL_H

#include "models/simulation.h"

struct functional;

/* Executes launches of a machine, one call after the other; it keeps its allocations. */
struct functional *functional_new(const struct machine *machine);
void functional_free(struct functional *functional);

/* Like simulation_run_together(), but `limit` is the most instructions of a warp, and progress reports cycle 0. Unless
 * all have finished, functional_free() must follow. */
void functional_run(struct functional *functional, struct isa_launch *const *launches, size_t count, uint64_t limit,
                    const struct progress *progress, struct launch_result *results);

#endif
