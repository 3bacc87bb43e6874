/* Points by what they do: those of one functional configuration (sweep_function()) are replayed from one recording.
 *
 *     points ──► configurations, some dozens at a time ──► 1. one point of each is run and recorded
 *                                                          2. the recordings are opened, and all other points
 *                                                             of these configurations replayed
 *
 * Both steps are dealt to workers (workers.h). Recordings are files without a name: nothing is left behind,
 * however the sweep ends.
 *
 * Invariant: what is told of a point does not depend on which points are asked for besides it. */
#ifndef SIM_SWEEP_FUNCTIONAL_H
#define SIM_SWEEP_FUNCTIONAL_H

#include "sim/sweep/replay.h"

struct sweep_task {
  uint64_t number; /* of the point */
  struct sweep_function function;
};

/* Tasks [first, first + count). */
struct sweep_group {
  size_t first, count;
  struct sweep_recording recording;
  int file;        /* of the recording; -1: none */
  size_t recorded; /* the task that was run for it; `first + count`: none */
};

struct sweep_run {
  struct sweep_bench bench;
  const struct dealer *dealer; /* whose workers run points; NULL: threads */
  unsigned jobs;
  struct sweep_task *task;
  size_t tasks;
  struct sweep_group *group;
  size_t groups;

  /* False ends the run. `seconds` of the outcome are of a whole run when it was recorded. */
  bool (*take)(void *self, uint64_t number, const struct sweep_outcome *outcome);
  bool (*tick)(void *self);
  void *self;
  double recording_seconds; /* of all workers together */
};

void sweep_add(struct sweep_run *run, uint64_t number, const uint32_t *value);

/* Puts points that do the same into groups; groups are in the order of their first points. */
void sweep_group_all(struct sweep_run *run);

/* Runs all points that were added. False when take() or tick() has ended it, or with the message filled. */
bool sweep_run_all(struct sweep_run *run, struct message *message);
void sweep_run_free(struct sweep_run *run);

#endif
