/* Runs a point, or replays it from a recording of another point.
 *
 * Invariant: both give the same outcome. A recording that depends on time (sim/replay/marks.h) is not used, and one
 * that does not fit a point's machine is not used for that point. */
#ifndef TOOLS_SWEEP_REPLAY_H
#define TOOLS_SWEEP_REPLAY_H

#include "tools/sweep/metrics.h"
#include "tools/sweep/point.h"

enum sweep_status {
#define STATUS(name, ...) SWEEP_##name,
  STORE_STATUSES(STATUS)
#undef STATUS
};
extern const char *const sweep_statuses[];

enum { SWEEP_REASON = 400 };

/* Plain data, which can pass through a pipe between processes. */
struct sweep_outcome {
  enum sweep_status status;
  bool replayed;
  double seconds;
  char reason[SWEEP_REASON];
  double metric[SWEEP_METRICS]; /* without the cost */
};

/* What a worker needs to run points. */
struct sweep_bench {
  const struct sweep_target *target;
  cycle_t max_cycles;
  const struct caller *caller; /* may stop a run; NULL: nobody can */
};

/* An open recording; `trace` is NULL when there is none. */
struct sweep_recording {
  struct trace *trace;
  struct job job;
};

/* Runs a point and records it to a file. True when all its launches finish; the outcome is filled then. */
bool sweep_record(const struct sweep_bench *bench, const uint32_t *value, const char *path,
                  struct sweep_outcome *outcome);

/* False when the file cannot serve for replays. */
bool sweep_recording_open(struct sweep_recording *recording, const char *path);
/* Another reader of an open trace, for one worker. Its `trace` is NULL on failure. */
void sweep_recording_share(struct sweep_recording *recording, const struct trace *trace);
void sweep_recording_close(struct sweep_recording *recording);

/* Replays a point if possible, else runs it. */
void sweep_point(const struct sweep_bench *bench, struct sweep_recording *recording, const uint32_t *value,
                 struct sweep_outcome *outcome);

#endif
