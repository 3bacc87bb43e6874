/* Reports: what a run has shown, for people and for programs.
 *
 * Both say the same facts. Neither holds a time of day, a host's path or anything else that could
 * differ between two runs of the same job. docs/report.md defines every number; it is made from the
 * rows and from report_manual(). */
#ifndef SIM_CLI_REPORT_H
#define SIM_CLI_REPORT_H

#include "sim/cli/job.h"
#include "sim/cli/verify.h"

struct report {
  const struct job *job;
  const struct launch_result *results; /* of the first `count` launches: those that were run */
  size_t count;
  const struct verdict *verdicts; /* NULL unless checks were asked for */
  size_t verdict_count;
};

/* The caller frees what they return. */
char *report_text(const struct report *report);
char *report_json(const struct report *report);

/* ---- what both work out from a result ---- */

/* How much of its peak a resource delivered. `peak` is what it could have in the time of the launch:
 * for a CU's own resources in the cycles in which the CU held warps, for shared ones in all cycles. */
struct utilisation {
  const char *name; /* "issue slots", "LDS passes", ... */
  const char *unit;
  double used, peak;
};

enum { UTILISATIONS = 8 };

void report_utilisations(const struct machine *machine, const struct launch_result *result,
                         struct utilisation all[UTILISATIONS]);

/* One sentence that names what bounds the launch: the caller frees it. */
char *report_bottleneck(const struct machine *machine, const struct launch_result *result);

static inline double per(double count, double whole) { return whole > 0 ? count / whole : 0; }

extern const char *const occupancy_limit_names[OCCUPANCY_LIMITS];

#endif
