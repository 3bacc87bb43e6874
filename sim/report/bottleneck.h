/* The bottleneck of a launch: of all limits lifted one at a time, the one that costs the most.
 *
 *   one limit lifted (each) ──► cycles ──► rank[0] binds; rank[1] is the runner-up
 *
 * Invariant: explain_rank() sorts the limits, so a report never names another limit than `warpwait explain`.
 *
 * A latency and room for what waits for it are one limit: with N requests in flight that take L cycles each, one ends
 * every L / N cycles (Little's law). Lifting either then saves the same cycles, so the one that binds is named together
 * with the other, if lifting both shows that.
 *
 * Not modeled: limits that bind only together, so that lifting either alone saves nothing; limits that no parameter
 * lifts. */
#ifndef SIM_REPORT_BOTTLENECK_H
#define SIM_REPORT_BOTTLENECK_H

#include "sim/core/time.h"
#include "sim/session/limits.h"

struct bottleneck_limit {
  enum limit limit;
  cycle_t cycles; /* of the step without the limit */
};

struct bottleneck {
  cycle_t cycles; /* of the step with all limits; 0: no limit was lifted */
  struct bottleneck_limit rank[LIMITS];
  size_t count;
  size_t same;     /* the rank of the limit that costs the same cycles as the first; 0: none was found */
  cycle_t both;    /* of the step without these two */
  uint32_t groups; /* measured over only this many work-groups, the launch's first; 0: over all */
};

/* A difference of up to this many cycles may be chance, in a launch that takes `base` cycles. */
cycle_t bottleneck_tolerance(cycle_t base);

/* Cycles that lifting the limit at this rank saves; negative if the launch takes longer without it. */
int64_t bottleneck_saved(const struct bottleneck *bottleneck, size_t rank);

/* The number of top-ranked limits that save more than chance explains: 0, 1 or 2. */
size_t bottleneck_known(const struct bottleneck *bottleneck);

/* Whether limits that save so many cycles each, and so many together, are one: they save about as much, and most of
 * what the cheaper one saves is saved by the other, too. */
bool bottleneck_same(int64_t one, int64_t other, int64_t both);

/* Whether there is a runner-up whose savings differ by less than 2 % of the cycles. */
bool bottleneck_close(const struct bottleneck *bottleneck);

#endif
