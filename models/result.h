/* What a launch cost: all data of a report. Times are in cycles. */
#ifndef MODELS_RESULT_H
#define MODELS_RESULT_H

#include "dma/stats.h"
#include "dma/timeline.h"
#include "isa/pipe.h"
#include "lds/lds.h"
#include "models/mem/params.h"
#include "sim/core/stats.h"
#include "sim/core/time.h"

struct histogram;

enum stall {
#define STALL(id, ...) STALL_##id,
#include "models/stalls.def"
#undef STALL
  STALLS
};

struct stall_row {
  const char *name;
  const char *text;  /* reads after "waiting for" */
  const char *limit; /* reads after "Bound by" */
};
extern const struct stall_row stall_rows[STALLS];

/* Totals of one instruction of the program. */
struct pc_result {
  uint64_t issues;         /* times a warp issued it */
  uint64_t lanes;          /* lanes that ran it, summed over issues */
  uint64_t stalls[STALLS]; /* warp-cycles spent before it could issue; ISSUED: `issues`, and slots of its copies */
  uint64_t lds_accesses, lds_passes, lds_conflict_cycles, lds_contention_cycles;
  uint64_t lds_max_ways; /* most passes of one phase */
  uint64_t sectors;      /* global memory: sectors touched */
  uint64_t copies, copy_bytes;
  uint64_t copy_forms;                         /* enum isa_copy_form of these copies, one bit each */
  uint64_t copies_done, copy_cycles, copy_max; /* copies that completed: number, sum and maximum of their latencies */
  uint64_t copy_requests, copy_moved;          /* of these: requests of engines, or accesses of warps; their bytes */
};

/* Adds the counts of the same instruction elsewhere. */
void pc_result_add(struct pc_result *sum, const struct pc_result *at);

/* What limits the work-groups in a CU. */
enum occupancy_limit { LIMIT_WARPS, LIMIT_GROUPS, LIMIT_REGISTERS, LIMIT_LDS, LIMIT_WORK, OCCUPANCY_LIMITS };

struct occupancy {
  uint32_t warps_per_group;
  uint32_t groups[OCCUPANCY_LIMITS]; /* groups per CU that each limit allows; WORK: work-groups per CU in the launch */
  uint32_t groups_per_cu;            /* the smallest of them; 0: no group fits */
  enum occupancy_limit limit;        /* the first of the smallest, in the enum's order */
  uint32_t registers_per_warp;       /* allocated, rounded to register_unit x warp_size */
  uint32_t lds_per_group;            /* allocated, rounded to lds_unit */
};

struct cu_stats {
#define STAT STAT_FIELD
#include "models/cu.stats.def"
#undef STAT
};
extern const struct stat_group cu_stat_group;

/* A hazard, with all its occurrences at one instruction. */
struct hazard_result {
  struct isa_hazard first;
  uint64_t count;
};

/* A pipe at the end of a launch. */
struct pipe_result {
  const struct isa_pipe *pipe;
  struct isa_pipe_stats stats;
  uint64_t left; /* readable packets */
};

enum { RESULT_HAZARDS = 64, RESULT_TOGETHER = 8 /* most launches that run at once */ };

/* What a warp reads again and again (models/polls.h). */
struct warp_poll {
  uint32_t pc;
  uint64_t lanes;      /* that poll; 0: the warp does not */
  uint64_t waiting;    /* lanes that wait for these to reconverge */
  bool exchange;       /* by an atomic exchange, as of a lock: the waiting lanes got what these want */
  bool local;          /* in the LDS */
  bool same;           /* all lanes read the same bytes */
  char name[64];       /* of the buffer, the local variable or the local argument, cut; "": none */
  uint64_t offset;     /* of the first byte in it, or in the LDS or global memory if there is no name */
  uint64_t bytes;      /* from there to the last byte */
  uint32_t first_item; /* work-item of lane 0, in its group */
};

/* A warp that waits forever, in a deadlock; or, if some warps poll at the cycle limit, one that polls or waits for
 * others of its work-group. */
struct stuck_warp {
  uint32_t cu, group[3], warp;
  uint32_t pc; /* of the instruction that it cannot issue or leave */
  enum stall stall;
  uint32_t missing;            /* barrier, copy, wait: warps of its group that have not arrived */
  uint32_t exited;             /* of these: warps that never will, because they have exited */
  bool phase;                  /* it waits for arrivals at an mbarrier */
  uint32_t event;              /* COPY_WAIT: the event that no copy completes, or 0 */
  bool mismatched;             /* warps of its group wait at different calls, */
  uint32_t elsewhere_pc;       /* and the first to arrive is at this one */
  const struct isa_pipe *pipe; /* PIPE_EMPTY, PIPE_FULL: the pipe that it waits for */
  bool spins;                  /* it tries again and again */
  struct warp_poll poll;
};

enum { RESULT_STUCK = 64 };

enum launch_end { END_FINISHED, END_DEADLOCK, END_CYCLE_LIMIT, END_STOPPED };
extern const char *const launch_end_names[]; /* "finished" and so on, for reports */

struct launch_result {
  enum launch_end end;
  bool functional; /* executed without timing (models/functional.h): only the CUs' counts are valid */
  cycle_t start;   /* in simulated time, which continues from launch to launch */
  cycle_t cycles;  /* from the launch's start to the end of its last work-group, or to where it was cut short */
  /* Launches that run at once share blocks. The totals of lds, dma, mem, pipes, lds_max_ways, dma_queue_peak and
   * dma_latency cover all of them together. */
  uint32_t together;        /* launches that ran at once, including this one */
  cycle_t together_cycles;  /* from their common start to the end of the last one */
  uint64_t together_active; /* CU-cycles in which a CU had work-groups of any of them */
  uint64_t work_groups;
  uint64_t never_started; /* work-groups for which no CU had room until the end */
  uint64_t trace_hash;    /* hash of every issue: cycle, CU, warp slot, pc, lanes, in CU order */
  struct occupancy occupancy;
  struct cu_stats cu; /* of this launch, all CUs added up */
  struct lds_stats lds;
  struct dma_stats dma;
  struct mem_stats mem;
  uint64_t lds_max_ways;
  uint32_t dma_queue_peak;           /* maximum of all engines */
  uint64_t dma_out_bytes;            /* bytes of outbound copies, among dma.bytes */
  struct dma_timeline dma_timeline;  /* of all engines, added up */
  struct histogram *dma_latency;     /* of copies, in engines or not; NULL: none has completed */
  uint64_t unit_cycles[ISA_CLASSES]; /* scheduler-cycles in which the unit was busy, for all classes that use it */
  bool unit_holds[ISA_CLASSES];      /* an instruction occupied it for more than a cycle */
  uint64_t stalls[STALLS];           /* warp-cycles */
  uint64_t resident_cycles;          /* warp-cycles in which warps were resident: the sum of stalls[] */
  struct pc_result *by_pc;           /* program->count of them */
  struct pipe_result *pipes;         /* in the order of the launch's memory */
  size_t pipe_count;
  size_t hazard_count;      /* hazards in hazards[] */
  uint64_t hazards_dropped; /* occurrences at further instructions, beyond RESULT_HAZARDS */
  bool all_stuck;           /* at the cycle limit: all resident warps of the launch are in stuck[] */
  size_t stuck_count;       /* all of them; only the first RESULT_STUCK are in stuck[] */
  /* Large and mostly empty: only the first entries, as counted above, are valid. */
  struct hazard_result hazards[RESULT_HAZARDS];
  struct stuck_warp stuck[RESULT_STUCK];
};

/* The latency of copies; an empty histogram if none has completed. */
const struct histogram *launch_copy_latency(const struct launch_result *result);

void launch_result_clear(struct launch_result *result);

/* Frees what the result points to. */
void launch_result_free(struct launch_result *result);

#endif
