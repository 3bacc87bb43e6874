/* `warpwait explain --vary NAME=VALUES`: runs the launch with each value of a define or an argument
 * (tools/sweep/vary.h).
 *
 * Invariant: the cycles of a value are those of `warpwait run` with it, on the explained machine. */
#ifndef TOOLS_EXPLAIN_VARY_H
#define TOOLS_EXPLAIN_VARY_H

#include "tools/explain/run.h"
#include "tools/sweep/vary.h"

struct explain_vary {
  const char *name;
  struct explain_case *cases; /* of each value */
  size_t count;
  struct vary axis;
  const struct machine *machine; /* the explained machine */
};

/* Reads NAME=VALUES, before the base runs. NULL with the message filled. */
struct explain_vary *explain_vary_new(const char *word, struct subject *subject, const struct job *base,
                                      struct message *message);
void explain_vary_free(struct explain_vary *vary);

/* Runs all values. False with the message filled, and *status as in explain_run_base(). */
bool explain_vary_run(struct explain_vary *vary, struct explain_run *run, int *status);

/* The first value with the same results that is within 1 % of the best; NULL: there is none. */
const struct explain_case *explain_vary_best(const struct explain_vary *vary, size_t step);

/* Were at least two values tried, all with the cycles and results of the unchanged launch? Then perhaps nothing uses
 * the name. */
bool explain_vary_idle(const struct explain_vary *vary, size_t step, cycle_t cycles);

#endif
