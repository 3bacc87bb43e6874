/* A machine in operation: the islands, their connections, and the launches that run on them.
 *
 *      dispatcher ──groups──► cu 0 ┐                   ┌─────────┐
 *          ▲                  cu 1 ├──links──► memory ─┤ L2, DRAM│
 *          └──────done─────── cu n ┘                   └─────────┘
 *      └─ island "uncore": dispatcher and memory;  islands "cu0"...: CU, LDS, DMA, memory port
 *
 * Several launches may run at once: all start in one cycle, share the whole machine, and end independently. The next
 * ones start when all have ended.
 *
 * Invariant: simulated time and the L2's contents continue from launch to launch. The result of a launch does not
 * depend on the host that steps the islands. */
#ifndef MODELS_SIMULATION_H
#define MODELS_SIMULATION_H

#include "models/result.h"
#include "models/warp_source.h"
#include "sim/core/host.h"
#include "sim/core/outside.h"
#include "sim/core/timeline.h"

/* Called from time to time with the progress of a launch, for a terminal or to stop it. False stops the launch. */
struct progress {
  bool (*report)(void *context, cycle_t cycles, uint64_t groups_done, uint64_t groups);
  void *context;
};

struct simulation;

/* Builds a machine. Its compute units are built when the first launch reaches them. */
struct simulation *simulation_new(const struct machine *machine);

/* The same with other warp sources, which `sources` makes as compute units are built. What `sources` points to is used
 * while the simulation lives, or until simulation_watch(). NULL: each compute unit has its executor. */
struct simulation *simulation_new_with(const struct machine *machine, const struct source_maker *sources);
void simulation_free(struct simulation *simulation);

/* Builds all compute units now, for callers that read islands before the first launch. */
void simulation_build(struct simulation *simulation);

/* The islands, for a host: `*count` of them. Islands whose compute units are not built are empty and never due. */
struct island **simulation_islands(struct simulation *simulation, size_t *count);

/* The cycle in which the next launch starts. */
cycle_t simulation_start(const struct simulation *simulation);

/* Replaces the L2 and DRAM by an outside memory. Call it before a host is made. */
void simulation_attach(struct simulation *simulation, struct outside *outside);

/* Makes probes show every cycle of work, for waveforms; changes nothing else. */
void simulation_show_every_cycle(struct simulation *simulation);

/* Opens the taps of all blocks, so that `timeline` receives the events that it wants. Call it before the first launch.
 * Launches are numbered from timeline->launch on, which the caller sets before each run. Progress is reported about
 * every thousand cycles, so that few events must be kept to sort them. */
void simulation_emit(struct simulation *simulation, struct timeline *timeline);

/* Between two launches of a simulation with executors: changes the warp sources (NULL: only executors) and the timeline
 * (NULL: none). The previous timeline receives no more events. */
void simulation_watch(struct simulation *simulation, const struct source_maker *sources, struct timeline *timeline);

/* How many groups of `launch` fit into a CU. groups_per_cu is 0 if none fits. */
struct occupancy simulation_occupancy(const struct machine *machine, const struct isa_launch *launch);

/* Runs one launch until it ends, deadlocks, reaches `limit` cycles, or is stopped by progress. Sets launch->report.
 * A group must fit into a CU. Unless the launch has finished, simulation_free() must follow. The caller frees *result
 * with launch_result_free(). */
void simulation_run(struct simulation *simulation, struct host *host, struct isa_launch *launch, cycle_t limit,
                    const struct progress *progress, struct launch_result *result);

/* The same for `count` launches at once, 1 to RESULT_TOGETHER, which share one memory. `limit` and progress cover all
 * of them. A deadlock or the limit ends all that have not finished. The caller frees each of results[]. */
void simulation_run_together(struct simulation *simulation, struct host *host, struct isa_launch *const *launches,
                             size_t count, cycle_t limit, const struct progress *progress,
                             struct launch_result *results);

#endif
