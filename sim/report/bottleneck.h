/* The bottleneck of a launch: of all limits lifted one at a time, the one that costs the most.
 *
 *   one limit lifted (each) ──► cycles ──► rank[0] binds; rank[1] is the runner-up
 *
 * Invariant: explain_rank() sorts the limits, so a report never names another limit than `warpwait explain`.
 *
 * Not modeled: limits that bind only together, so that lifting either alone saves nothing; limits that no parameter
 * lifts. */
#ifndef SIM_REPORT_BOTTLENECK_H
#define SIM_REPORT_BOTTLENECK_H

#include "sim/session/limits.h"

struct bottleneck_limit {
  enum limit limit;
  cycle_t cycles; /* of the step without the limit */
};

struct bottleneck {
  cycle_t cycles; /* of the step with all limits; 0: no limit was lifted */
  struct bottleneck_limit rank[LIMITS];
  size_t count;
  uint32_t groups; /* measured over only this many work-groups, the launch's first; 0: over all */
};

/* A difference of up to this many cycles may be chance, in a launch that takes `base` cycles. */
cycle_t bottleneck_tolerance(cycle_t base);

/* Cycles that lifting the limit at this rank saves; negative if the launch takes longer without it. */
int64_t bottleneck_saved(const struct bottleneck *bottleneck, size_t rank);

/* The number of top-ranked limits that save more than chance explains: 0, 1 or 2. */
size_t bottleneck_known(const struct bottleneck *bottleneck);

/* Whether there is a runner-up whose savings differ by less than 2 % of the cycles. */
bool bottleneck_close(const struct bottleneck *bottleneck);

#endif
