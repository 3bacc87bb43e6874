/* What bounds the launches of a run, found as `warpwait explain` finds it: limits of the machine are lifted one at a
 * time, and the rest is replayed.
 *
 * Invariant: a report names the limit that `explain` ranks first.
 *
 * A long launch that fills the machine many times over is judged by its first work-groups, which its report says.
 *
 * Not covered: other runs that are too long for it (WHY_INSTRUCTIONS, WHY_BYTES), unless --why asks for it, and those
 * that did not finish. Their reports go by accounts, and say so. */
#ifndef SIM_EXPLAIN_WHY_H
#define SIM_EXPLAIN_WHY_H

#include "sim/explain/run.h"
#include "sim/report/report.h"

/* Runs of so many warp-instructions, with so many bytes in buffers, have limits lifted without being asked to. A replay
 * has no buffers to fill. */
#define WHY_INSTRUCTIONS 200000
#define WHY_BYTES (UINT64_C(256) << 20)
#define WHY_ROUNDS 3 /* a part of a launch fills the machine at least so often */

/* Of which runs limits are lifted, one at a time, to say what bounds them. */
enum why { WHY_SHORT, WHY_ALWAYS, WHY_NEVER };

/* What is run or replayed again. */
struct why_subject {
  explain_load_on *load_on; /* NULL: of a trace */
  struct trace *trace;      /* else NULL */
  const char *path;         /* of the trace */
  void *self;
  unsigned workers; /* 0: one for each processor */
  bool in_memory;   /* as in struct explain_run */
  bool *lost;       /* gets whether a worker could not try a limit; NULL: the message says what does without */
};

/* Fills report->bottlenecks, or leaves NULL there. `how` is that of the run. False with the message filled; *status
 * says what that is, and is left alone otherwise. */
bool why_find(enum why why, const struct run_options *how, struct report *report, const struct why_subject *subject,
              int *status, struct message *message);
void why_free(struct report *report);

#endif
