/* Launches without timing: they are executed as fast as the host can, and leave the bytes that they may leave on the
 * machine, but take no cycles.
 *
 *     work-groups, in order ──► group slots of units ──► turns: warp by warp, until it waits, or for TURN instructions
 *                                     ▲                     │
 *                                     └──── rounds over all of them, twice as many slots each time, up to ────┘
 *                                           what the machine holds at once
 *
 * A *unit* is a compute unit that nobody steps (struct cu with `carry`): what work-groups do together, hazards and
 * copies are the files of models/cu.h, in which nothing takes time. An access is committed as soon as it is issued, a
 * copy is carried out when its last warp has come, and a wait never waits for it.
 *
 * Work-groups begin in order, and one runs to its end if nothing keeps it. Only when all that are there wait, or have
 * used up their turns, are others taken in besides them: so there are few at a time, and yet as many as the machine
 * holds make progress if they wait for each other.
 *
 * Invariant: in a round each warp that can go on executes at least an instruction. A round without one in which no
 * group was taken in is a deadlock.
 *
 * An endless loop ends at a limit of instructions that a warp executes: on a machine, where it issues one a cycle at
 * most, it would have taken as many cycles. A kernel that spins on pipes ends as models/pipes.h says, with its cycles
 * counted in instructions of a warp.
 *
 * Not modelled: time. get.clock reads how many instructions have been executed; who reads what nobody has made him wait
 * for may see bytes that are newer, or older, than on the machine. */
#ifndef MODELS_FUNCTIONAL_H
#define MODELS_FUNCTIONAL_H

#include "models/simulation.h"

struct functional;

/* What executes launches of a machine. It may be asked again and again; what it has allocated is kept. */
struct functional *functional_new(const struct machine *machine);
void functional_free(struct functional *functional);

/* As simulation_run_together(), but no warp executes more than `limit` instructions, and progress is told of cycle 0.
 * Unless all have finished, it is only good for functional_free(). */
bool functional_run(struct functional *functional, struct isa_launch *const *launches, size_t count, uint64_t limit,
                    const struct progress *progress, struct launch_result *results);

#endif
