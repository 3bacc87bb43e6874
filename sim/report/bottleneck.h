/* The bottleneck of a launch: of all limits that were lifted one at a time, the one that costs it most.
 *
 *   one limit lifted (each) ──► cycles ──► rank[0] binds; rank[1] is the runner-up
 *
 * Invariant: the order is explain_rank()'s, so that a report never names another limit than `warpwait explain`.
 *
 * Not modelled: limits that bind together only, so that lifting either alone saves nothing; what no parameter lifts. */
#ifndef SIM_REPORT_BOTTLENECK_H
#define SIM_REPORT_BOTTLENECK_H

#include "sim/session/limits.h"

struct bottleneck_limit {
  enum limit limit;
  cycle_t cycles; /* of the step without it */
};

struct bottleneck {
  cycle_t cycles; /* of the step as it is; 0: no limit was lifted */
  struct bottleneck_limit rank[LIMITS];
  size_t count;
  uint32_t groups; /* all this is of so many work-groups, the launch's first; 0: of all */
};

/* What may come of chance alone, in cycles, of a launch that takes so many. */
cycle_t bottleneck_tolerance(cycle_t base);

/* What lifting a limit of the rank saves, in cycles: less than nothing when the launch takes longer without it. */
int64_t bottleneck_saved(const struct bottleneck *bottleneck, size_t rank);

/* The limits at the head of the rank that save more than chance may: 0, 1 or 2. */
size_t bottleneck_known(const struct bottleneck *bottleneck);

/* There is a runner-up, and it saves as much to within 2 % of the cycles. */
bool bottleneck_close(const struct bottleneck *bottleneck);

#endif
