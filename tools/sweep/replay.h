/* Runs a point, or replays it from a recording of another point.
 *
 * Invariant: both give the same outcome. A recording that depends on time (sim/replay/marks.h) is not used, and one
 * that does not fit a point's machine is not used for that point. */
#ifndef TOOLS_SWEEP_REPLAY_H
#define TOOLS_SWEEP_REPLAY_H

#include "sim/replay/trial.h"
#include "tools/sweep/metrics.h"
#include "tools/sweep/point.h"

/* Plain data, which can pass through a pipe between processes. */
struct sweep_outcome {
  struct trial_end end;
  bool replayed;
  double seconds;
  double metric[SWEEP_METRICS]; /* without the cost */
};

/* What a worker needs to run points. */
struct sweep_bench {
  const struct sweep_target *target;
  cycle_t max_cycles;
  const struct caller *caller; /* may stop a run; NULL: nobody can */
};

/* Runs a point and records it to a file. True when all its launches finish; the outcome is filled then. */
bool sweep_record(const struct sweep_bench *bench, const uint32_t *value, const char *path,
                  struct sweep_outcome *outcome);

/* False when the file cannot serve for replays. */
bool sweep_recording_open(struct recording *recording, const char *path);

/* Replays a point if possible, else runs it. `recording` has no trace if there is none. */
void sweep_point(const struct sweep_bench *bench, struct recording *recording, const uint32_t *value,
                 struct sweep_outcome *outcome);

#endif
