/* The runs and replays of `warpwait explain`.
 *
 *   launch file, kernel ─run, recorded─► base ─┬─► trace, in an unnamed file or in memory
 *   trace ──────────────replayed───────► base  │
 *                                              └─replayed, or run─► a case for each set of limits
 *
 * The caller's thread computes the base, and workers (sim/base/workers.h) compute the cases.
 *
 * Invariant: a case is what `warpwait run` gives on the lifted machine. A recording that depends on time
 * (sim/replay/marks.h) or does not fit the machine is not replayed. Then the launch is run, or, if there is only a
 * trace, the case says why it has no result. */
#ifndef TOOLS_EXPLAIN_RUN_H
#define TOOLS_EXPLAIN_RUN_H

#include "sim/base/text.h"
#include "sim/replay/trace_job.h"
#include "tools/explain/explain.h"
#include "tools/explain/places.h"

/* Makes the job to explain, on a machine. `caller` may stop it (NULL: nobody can). Several threads may call it at the
 * same time. The caller frees the job, also after a failure. */
typedef bool explain_load_on(void *self, const struct machine *machine, const struct caller *caller, struct job *job,
                             struct message *message);

struct explain_run {
  struct run_options how;   /* of the base; cases have the same cycle limit */
  struct message *message;  /* receives errors */
  explain_load_on *load_on; /* NULL: there is only a trace */
  void *self;               /* the context of load_on() */
  const char *path;         /* of the given trace */
  unsigned workers;
  bool in_memory;                /* record to memory, not to an unnamed file */
  uint32_t part_groups;          /* run only this many work-groups of the first launch; 0: all */
  bool broken;                   /* a worker ended by a defect, so its result is missing */
  struct job job;                /* the base's job; its machine is the base of all cases */
  struct launch_result *results; /* of the base's `count` launches; NULL once all of them have finished */
  size_t count;
  bool timed;             /* the kernel's behavior depends on time, */
  char why[TRIAL_REASON]; /* at this place */
  limit_set idle;         /* limits of units that no launched kernel uses */
  struct explain explain;
  struct trace *trace;
  struct text recorded;         /* the data of `trace`, if it is in memory */
  struct explain_places places; /* of the base */
  size_t done;
};

/* Runs and records run->job, or replays the open trace. True when all launches finish. Otherwise run->results say how
 * they ended, or *status is not STATUS_FINE and the message is filled. */
bool explain_run_base(struct explain_run *run, int *status);

/* Computes a case for each set of which the machine has a limit. False with the message filled, and *status as
 * above. */
bool explain_run_cases(struct explain_run *run, const limit_set *sets, size_t count, int *status);

/* Computes a case for each single limit. */
bool explain_run_singles(struct explain_run *run, int *status);

/* Computes all cases of `explain`: single limits, pairs of those that help most, those of each cause, and all
 * together. */
bool explain_run_machines(struct explain_run *run, int *status);

/* Runs `count` other jobs with the same number of launches, which `load` makes like an explain_load_on. Otherwise like
 * explain_run_cases(). The caller frees the cases. */
typedef bool explain_load(void *self, size_t number, const struct caller *caller, struct job *job,
                          struct message *message);
bool explain_run_jobs(struct explain_run *run, explain_load *load, void *self, struct explain_case **cases,
                      size_t count, int *status);
void explain_cases_free(struct explain_case *cases, size_t count);

/* Did it finish with the base's results? */
static inline bool explain_counts(const struct explain_case *tried) {
  return tried->status == OUTCOME_finished && tried->same_results;
}

void explain_run_free(struct explain_run *run);

#endif
