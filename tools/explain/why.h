/* What bounds the launches of a run. Like `warpwait explain`, it lifts limits of the machine one at a time, and
 * replays.
 *
 * Invariant: a report names the limit that `explain` ranks first.
 *
 * A long launch that fills the machine many times over is judged by its first work-groups, and its report says so.
 *
 * Not covered: other runs that are too long (WHY_INSTRUCTIONS, WHY_BYTES), unless --why requests it, and runs that did
 * not finish. Their reports use stall accounts instead, and say so. */
#ifndef TOOLS_EXPLAIN_WHY_H
#define TOOLS_EXPLAIN_WHY_H

#include "sim/report/report.h"
#include "tools/explain/run.h"

/* Most warp-instructions, and most bytes in buffers, of a run whose limits are lifted by default. A replay has no
 * buffers to fill. */
#define WHY_INSTRUCTIONS 200000
#define WHY_BYTES (UINT64_C(256) << 20)
#define WHY_ROUNDS 3 /* a part of a launch fills the machine at least this many times */

/* For which runs to lift limits. */
enum why { WHY_SHORT, WHY_ALWAYS, WHY_NEVER };

/* What to run or replay again. */
struct why_subject {
  explain_load_on *load_on; /* NULL: a trace */
  struct trace *trace;      /* else NULL */
  const char *path;         /* of the trace */
  void *self;
  unsigned workers; /* 0: one for each processor */
  bool in_memory;   /* see struct explain_run */
  bool *lost;       /* set when a worker could not try a limit; NULL: the message suggests --why=no */
};

/* Fills report->bottlenecks, or leaves it NULL. `how` is that of the run. False with the message and *status filled;
 * otherwise *status does not change. */
bool why_find(enum why why, const struct run_options *how, struct report *report, const struct why_subject *subject,
              int *status, struct message *message);
void why_free(struct report *report);

#endif
