/* What the files that make up a simulation share; nobody else includes it. simulation.c builds the machine and runs it,
 * result.c takes from its blocks what becomes of a launch. */
#ifndef MODELS_SIMULATION_PARTS_H
#define MODELS_SIMULATION_PARTS_H

#include "models/dispatcher.h"
#include "models/dma_hub.h"
#include "models/executor.h"
#include "models/simulation.h"
#include "models/tell.h"

/* A compute unit with all that advances together with it. Of those that share their engines, the first one has them,
 * and all advance in one island. */
struct node {
  struct cu cu;
  struct lds lds;
  unsigned engines; /* that it has */
  struct dma dma[LDS_ENGINES];
  struct dma_hub hub[LDS_ENGINES]; /* in front of them, when they are shared */
  /* of components, when there are several of a kind in an island */
  char hub_name[LDS_ENGINES][16], cu_name[3][24];
  struct mem_port port;
  struct executor executor; /* empty when somebody else makes the sources and wants none */
  const struct warp_source *source;
  struct isa_memory memory;                    /* the launches', with a buffer of its own that was found last */
  struct isa_launch launches[RESULT_TOGETHER]; /* copies of its own: `report` leads to this compute unit */
};

/* What the islands of a share of the host's (sim/core/host.h) count together: sums and maxima, so that those of all
 * shares are added up when the launches have ended. */
struct tally {
  struct histogram copy_latency;
  struct pc_result *by_pc[RESULT_TOGETHER]; /* of each launch; the first tally's are the results' */
};

/* Invariant: of the compute units only the first `built` exist. A launch of G work-groups reaches the first G alone:
 * the dispatcher begins with the first, gives each one group a round, and an empty one has room for any. So whoever
 * runs few work-groups pays for few compute units, and no step has to look for those that are not there. */
struct simulation {
  struct machine machine;
  struct source_maker sources; /* without make(): executors alone */
  bool executes;               /* compute units have executors */
  struct island uncore, *units;
  struct memory memory;
  struct dispatcher dispatcher;
  struct node **nodes; /* NULL: not built so far */
  uint32_t built;
  struct cu **cus; /* of the nodes, for the dispatcher */
  struct island **islands;
  struct tally *tallies;
  unsigned tally_count;      /* that there are */
  cycle_t start;             /* of the next launch */
  cycle_t stepped;           /* all steps before this cycle have been */
  struct timeline *timeline; /* who is told, or NULL: from tap `first_tap` on */
  uint32_t first_tap;
  bool every_cycle; /* a waveform shows it */
};

/* Launches that run at once, and what becomes of them. */
struct at_once {
  struct isa_launch *const *launches;
  struct launch_result *results;
  size_t count;
  bool copies[RESULT_TOGETHER]; /* of each, whether its program has any to the LDS or from it */
};

/* Makes room for the result of launch `index`. False when memory is out, or no CU has room for a work-group. */
bool simulation_prepare_result(const struct machine *machine, const struct at_once *all, size_t index);

/* The warp's access waits for a pipe, and is marked as refused for ever. */
void simulation_mark_refused(struct cu_warp *warp, const struct isa_access *access);

/* Warps whose requests are parked have been waiting for the pipe, and are marked likewise. */
void simulation_mark_parked(struct simulation *simulation);

/* Adds what a CU has counted of a launch. `changed`: when a pipe or global memory was changed last. Hazards are of when
 * `hazard_cycles` says: RESULT_HAZARDS of them, zeros at first. */
void simulation_collect_kernel(struct launch_result *result, cycle_t *hazard_cycles, const struct cu *cu,
                               const struct cu_kernel *kernel, cycle_t changed);

/* Room for what so many shares count, all zero. False when memory runs out. simulation_close_tallies() must follow. */
bool simulation_open_tallies(struct simulation *simulation, const struct at_once *all, unsigned shares);

/* Adds them up in the first one, and so in the results. */
void simulation_add_tallies(struct simulation *simulation, const struct at_once *all);

/* Gives the room back, but for the results'. */
void simulation_close_tallies(struct simulation *simulation);

/* Fills the result of launch `index`, whose end and cycles are known. False when memory runs out. */
bool simulation_collect(struct simulation *simulation, const struct at_once *all, size_t index);

#endif
