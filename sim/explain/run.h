/* The runs and replays of `warpwait explain`.
 *
 *   launch file, kernel ─run, recorded─► base ─┬─► trace, without a name or in memory
 *   trace ──────────────replayed───────► base  │
 *                                              └─replayed, or run─► a case for each set of limits
 *
 * The base is worked out by the caller, cases by workers (sim/sweep/workers.h).
 *
 * Invariant: a case is what `warpwait run` has on the lifted machine. A recording that depends on time
 * (sim/replay/marks.h) or does not fit the machine is no recording of that: then the launch is run, or if there is only
 * a trace, the case says why there is nothing. */
#ifndef SIM_EXPLAIN_RUN_H
#define SIM_EXPLAIN_RUN_H

#include "sim/base/text.h"
#include "sim/explain/explain.h"
#include "sim/explain/places.h"
#include "sim/replay/job.h"

/* Makes the job that is explained, as it is on the machine, for a caller that may stop that (NULL: nobody). Several
 * threads may ask at once. The caller frees the job, whatever comes back. */
typedef bool explain_load_on(void *self, const struct machine *machine, const struct caller *caller, struct job *job,
                             struct message *message);

struct explain_run {
  struct run_options how;   /* the base's; cases have its cycle limit */
  struct message *message;  /* what to say when something is wrong */
  explain_load_on *load_on; /* NULL: the trace is all there is */
  void *self;               /* of load_on() */
  const char *path;         /* of the trace that was given */
  unsigned workers;
  bool in_memory;                /* keep what is recorded there, and not in a file without a name */
  uint32_t part_groups;          /* the first launch has so many work-groups alone; 0: all of them */
  bool broken;                   /* a worker ended by a defect: what it was to find out is missing */
  struct job job;                /* the base, as it was run; its machine is the base of all */
  struct launch_result *results; /* the base's, of `count` launches; gone once all of them have finished */
  size_t count;
  bool timed;               /* what the kernel does depends on time: */
  char why[EXPLAIN_REASON]; /* where */
  struct explain explain;
  struct trace *trace;
  struct text recorded;         /* what `trace` reads, if it is in memory */
  struct explain_places places; /* of the base */
  size_t done;
};

/* Runs and records the job that has been loaded into run->job, or replays the trace that is open. True when all
 * launches have finished. False: run->results say what became of them, or *status is not STATUS_FINE and the message is
 * filled. */
bool explain_run_base(struct explain_run *run, int *status);

/* Works out a case for each of the sets that the machine has. False with the message filled; *status as above. */
bool explain_run_cases(struct explain_run *run, const limit_set *sets, size_t count, int *status);

/* The same of every limit by itself. */
bool explain_run_singles(struct explain_run *run, int *status);

/* All that `explain` asks of machines: the single limits, pairs of those that help most, those of a cause, and all
 * together. */
bool explain_run_machines(struct explain_run *run, int *status);

/* Runs `count` other jobs of as many launches, which `load` makes, as an explain_load_on does, and fills as many cases.
 * As explain_run_cases(). */
typedef bool explain_load(void *self, size_t number, const struct caller *caller, struct job *job,
                          struct message *message);
bool explain_run_jobs(struct explain_run *run, explain_load *load, void *self, struct explain_case *cases, size_t count,
                      int *status);

void explain_run_free(struct explain_run *run);

#endif
