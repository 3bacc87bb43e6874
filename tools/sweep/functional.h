/* Replays points from recordings: one recording serves all points of a functional configuration (sweep_function()).
 *
 *     points ──► configurations, 64 at a time ──► 1. run and record one point of each
 *                                                 2. open the recordings, and replay all other points
 *                                                    of these configurations
 *
 * Workers (workers.h) carry out both steps. Recordings are unnamed files, so nothing is left behind, however the sweep
 * ends.
 *
 * Invariant: the outcome of a point does not depend on which other points run. */
#ifndef TOOLS_SWEEP_FUNCTIONAL_H
#define TOOLS_SWEEP_FUNCTIONAL_H

#include "tools/sweep/replay.h"

struct sweep_task {
  uint64_t number; /* of the point */
  struct sweep_function function;
};

/* Tasks [first, first + count), with the same function. */
struct sweep_group {
  size_t first, count;
  struct recording recording;
  int file;        /* of the recording; -1: none */
  size_t recorded; /* the task that was run for it; `first + count`: none */
};

struct sweep_run {
  struct sweep_bench bench;
  const struct worker_pool *pool; /* supplies the workers; NULL: threads */
  unsigned jobs;
  struct sweep_task *task;
  size_t tasks, task_room;
  struct sweep_group *group;
  size_t groups, group_room;

  /* Receives outcomes; false ends the run. `seconds` of the outcome include recording, if the point was recorded. */
  bool (*take)(void *self, uint64_t number, const struct sweep_outcome *outcome);
  bool (*tick)(void *self);
  void *self;
  double recording_seconds; /* of all workers together */
};

void sweep_add(struct sweep_run *run, uint64_t number, const uint32_t *value);

/* Groups points with the same function; groups are in the order of their first points. */
void sweep_group_all(struct sweep_run *run);

/* Runs all added points. False when take() or tick() ends it, or with the message filled. */
bool sweep_run_all(struct sweep_run *run, struct message *message);
void sweep_run_free(struct sweep_run *run);

#endif
