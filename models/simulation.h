/* A machine at work: the islands, what connects them, and launches that run on them.
 *
 *      dispatcher ──groups──► cu 0 ┐                   ┌─────────┐
 *          ▲                  cu 1 ├──links──► memory ─┤ L2, DRAM│
 *          └──────done─────── cu n ┘                   └─────────┘
 *      └─ island "uncore": dispatcher and memory;  islands "cu0"...: CU, LDS, DMA, memory port
 *
 * Several launches may run at once: all of them begin in one cycle, share all that the machine has, and end each for
 * itself. The next ones begin when all have ended.
 *
 * Invariant: simulated time and the L2's contents go on from launch to launch; the result of a
 * launch does not depend on the host that steps the islands. */
#ifndef MODELS_SIMULATION_H
#define MODELS_SIMULATION_H

#include "models/result.h"
#include "models/warp_source.h"
#include "sim/core/host.h"
#include "sim/core/outside.h"
#include "sim/core/timeline.h"

/* Told from time to time how far a launch is: for progress on a terminal, and for a way out. False ends the launch. */
struct progress {
  bool (*tell)(void *context, cycle_t cycles, uint64_t groups_done, uint64_t groups);
  void *context;
};

struct simulation;

/* Builds a machine: its compute units when the first launch comes that reaches them. NULL when memory runs out. */
struct simulation *simulation_new(const struct machine *machine);

/* The same with warp sources that somebody else makes, as compute units are built: what `sources` leads to is used for
 * as long as the simulation lives, or until simulation_watch(). NULL: each compute unit has its executor. */
struct simulation *simulation_new_with(const struct machine *machine, const struct source_maker *sources);
void simulation_free(struct simulation *simulation);

/* Builds all compute units now, for whoever looks into islands before the first launch. False when memory runs out;
 * then it is only good for simulation_free(). */
bool simulation_build(struct simulation *simulation);

/* The islands, for a host: `*count` of them. Those of compute units that have not been built are empty and never due.
 */
struct island **simulation_islands(struct simulation *simulation, size_t *count);

/* The cycle in which the next launch starts. */
cycle_t simulation_start(const struct simulation *simulation);

/* Lets an outside memory take the place of the L2 and DRAM. Call it before a host is made. */
void simulation_attach(struct simulation *simulation, struct outside *outside);

/* Lets probes show every cycle of work, for waveforms; it changes nothing else. As simulation_build(). */
bool simulation_show_every_cycle(struct simulation *simulation);

/* Opens the taps of all blocks, so that `timeline` hears of everything it wants. Call it before the first launch. Its
 * events are then numbered from timeline->launch on, which whoever runs launches sets before each; progress is told
 * every thousand cycles or so, so that little has to be kept for the order of events. False when memory runs out. */
bool simulation_tell(struct simulation *simulation, struct timeline *timeline);

/* Between two launches of a simulation that has executors: gives warps their operations through other sources (NULL:
 * executors alone) and tells another timeline (NULL: none). What it told before hears no more. False when memory runs
 * out; then it goes on without either. */
bool simulation_watch(struct simulation *simulation, const struct source_maker *sources, struct timeline *timeline);

/* Groups of `launch` that fit a CU. groups_per_cu is 0 when one does not fit at all. */
struct occupancy simulation_occupancy(const struct machine *machine, const struct isa_launch *launch);

/* Runs one launch to its end, its deadlock, `limit` cycles from its start, or until progress ends it. launch->report is
 * set by this function. False when memory runs out or a group does not fit a CU. Unless it has finished, the simulation
 * is only good for simulation_free(). The caller frees *result with launch_result_free(). */
bool simulation_run(struct simulation *simulation, struct host *host, struct isa_launch *launch, cycle_t limit,
                    const struct progress *progress, struct launch_result *result);

/* The same for `count` launches at once, 1 to RESULT_TOGETHER, which share one memory; `limit` and progress are of all
 * of them. A deadlock or the limit ends all that have not finished. The caller frees each of results[]. */
bool simulation_run_together(struct simulation *simulation, struct host *host, struct isa_launch *const *launches,
                             size_t count, cycle_t limit, const struct progress *progress,
                             struct launch_result *results);

#endif
