/* `warpwait explain --vary NAME=VALUES`: what a define or an argument of the launch costs, by running each value
 * (vary.h).
 *
 * Invariant: a value's cycles are those of `warpwait run` with it, on the machine that is explained. */
#ifndef SIM_EXPLAIN_VARY_H
#define SIM_EXPLAIN_VARY_H

#include "sim/explain/run.h"
#include "sim/sweep/vary.h"

struct explain_value {
  const char *word;
  enum explain_status status;
  char reason[EXPLAIN_REASON];
  bool same_results;         /* buffers end up as those of the launch as it is: the same work was done */
  struct explain_time *time; /* of each step */
};

struct explain_vary {
  const char *name;
  struct explain_value *value;
  size_t count;
  struct vary axis;
  struct machine machine; /* that is explained */
};

/* Reads NAME=VALUES, before the base is run. NULL with the message filled. */
struct explain_vary *explain_vary_new(const char *word, struct subject *subject, const struct job *base,
                                      struct message *message);
void explain_vary_free(struct explain_vary *vary);

/* Runs all values. False with the message filled; *status as of explain_run_base(). */
bool explain_vary_run(struct explain_vary *vary, struct explain_run *run, int *status);

/* Of the values with the same results the first that is within 1 % of the best; NULL: there is none. */
const struct explain_value *explain_vary_best(const struct explain_vary *vary, size_t step);

/* Whether two values and more were tried, and each took as many cycles as the launch takes as it is, with the same
 * results: perhaps nothing uses the name. */
bool explain_vary_idle(const struct explain_vary *vary, size_t step, cycle_t cycles);

#endif
