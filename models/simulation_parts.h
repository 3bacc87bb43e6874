/* What the files of a simulation share; only they include it. simulation.c builds the machine and runs it; result.c
 * collects the results of a launch from its blocks. */
#ifndef MODELS_SIMULATION_PARTS_H
#define MODELS_SIMULATION_PARTS_H

#include "models/dispatcher.h"
#include "models/dma_hub.h"
#include "models/emit.h"
#include "models/executor.h"
#include "models/machine.h"
#include "models/polls.h"
#include "models/simulation.h"

/* A compute unit with all that advances together with it. If CUs share engines, the first one has the engines, and all
 * of them are in one island. */
struct node {
  struct cu cu;
  struct lds lds;
  unsigned engines; /* that it owns */
  struct dma dma[LDS_ENGINES];
  struct dma_hub hub[LDS_ENGINES]; /* in front of shared engines */
  /* component names, for several of a kind in an island */
  char hub_name[LDS_ENGINES][16], cu_name[3][24];
  struct mem_port port;
  struct executor executor; /* empty if `sources` needs no executors */
  const struct warp_source *source;
  struct polls *polls;                         /* while a launch is near its limit, else NULL */
  struct isa_memory memory;                    /* the launches' memory, with its own cache of the last buffer found */
  struct isa_launch launches[RESULT_TOGETHER]; /* copies, whose `report` leads to this compute unit */
};

/* What the islands of one share of the host (sim/core/host.h) count together. These are sums and maxima, so they can be
 * added when the launches have ended. */
struct tally {
  struct histogram copy_latency;
  struct pc_result *by_pc[RESULT_TOGETHER]; /* per launch; those of the first tally are the results' */
};

/* Invariant: only the first `built` compute units exist. A launch of G work-groups uses only the first G: the
 * dispatcher starts with the first, gives each CU one group a round, and an empty CU has room for any group. So a run
 * with few work-groups pays for few compute units, and no step has to check the others. */
struct simulation {
  struct machine machine;
  struct source_maker sources; /* no make(): only executors */
  bool executes;               /* compute units have executors */
  struct island uncore, *units;
  struct memory memory;
  struct dispatcher dispatcher;
  struct node **nodes; /* NULL: not built yet */
  uint32_t built;
  struct cu **cus; /* of the nodes, for the dispatcher */
  struct island **islands;
  struct tally *tallies;
  unsigned tally_count;
  cycle_t start;             /* of the next launch */
  cycle_t stepped;           /* all steps before this cycle are done */
  struct timeline *timeline; /* receives events from tap `first_tap` on, or NULL */
  uint32_t first_tap;
  bool every_cycle; /* for a waveform */
};

/* Launches that run at once, and their results. */
struct at_once {
  struct isa_launch *const *launches;
  struct launch_result *results;
  size_t count;
  bool copies[RESULT_TOGETHER]; /* per launch: whether its program has copies to or from the LDS */
};

/* Allocates the result of launch `index`, whose work-groups fit into a CU. */
void simulation_prepare_result(const struct machine *machine, const struct at_once *all, size_t index);

/* The warp's access waits for a pipe: marks the warp as refused forever. */
void simulation_mark_refused(struct cu_warp *warp, const struct isa_access *access);

/* Marks warps with parked requests the same way: they have been waiting for the pipe. */
void simulation_mark_parked(struct simulation *simulation);

/* Adds what a CU counted for a launch. `changed`: last change of a pipe or of global memory. hazard_cycles has
 * RESULT_HAZARDS entries, initially 0, with the cycles of the hazards in the result. */
void simulation_collect_kernel(struct launch_result *result, cycle_t *hazard_cycles, const struct cu *cu,
                               const struct cu_kernel *kernel, cycle_t changed);

/* Opens a tally for each share, all zero. simulation_close_tallies() must follow. */
void simulation_open_tallies(struct simulation *simulation, const struct at_once *all, unsigned shares);

/* Adds all tallies to the first one, and so to the results. */
void simulation_add_tallies(struct simulation *simulation, const struct at_once *all);

/* Frees the tallies, without the results. */
void simulation_close_tallies(struct simulation *simulation);

/* Fills in the result of launch `index`, whose end and cycles are known. */
void simulation_collect(struct simulation *simulation, const struct at_once *all, size_t index);

#endif
