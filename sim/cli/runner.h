/* Running a job: the machine is built once, the launches go through it one after the other. */
#ifndef SIM_CLI_RUNNER_H
#define SIM_CLI_RUNNER_H

#include "sim/cli/job.h"
#include "sim/host/host.h"

/* Who gives warps their operations, if not executors, or besides them. */
struct run_sources {
  struct source_maker maker;
  void *self;
  /* Told from time to time that all before cycle `now` is over. False ends the run. */
  bool (*watch)(void *self, cycle_t now);
};

/* Who listens to what the machine does. */
struct run_timeline {
  struct timeline *timeline;
  void *self;
  /* As run_sources.watch: all that happens before cycle `now` has been told. False ends the run. */
  bool (*settle)(void *self, cycle_t now);
};

struct run_options {
  bool systemc;
  enum host_order order;
  uint32_t seed;
  const char *vcd;
  cycle_t max_cycles; /* of each launch */
  bool quiet;
  const struct run_sources *sources;   /* NULL: executors alone */
  const struct run_timeline *timeline; /* NULL: nobody */
};

/* Runs launches until one does not finish. *results has job->launch_count elements, of which the first
 * *count are filled; the caller frees each and the array. False: the machine could not be had, or
 * a signal came (interrupt.h), and the message says how far the run was, or the sources or the timeline have ended it.
 */
bool run_job(struct job *job, const struct run_options *options, struct launch_result **results, size_t *count,
             struct message *message);

/* All launches have come to their end. */
bool run_finished(const struct job *job, const struct launch_result *results, size_t count);

/* Says of a launch that has not finished why, in a line. */
void run_unfinished(const struct job *job, const struct launch_result *results, size_t index, cycle_t max_cycles,
                    struct message *message);

void run_free(struct launch_result *results, size_t count);

#endif
