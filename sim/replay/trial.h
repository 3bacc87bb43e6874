/* Trials: runs of one kernel on many machines, by a run or by the replay of a recording.
 *
 *     recording ──recording_fits()──► trial_replay() ─┐
 *     job ──────────────────────────► trial_run() ────┴─► outcome, and what `take` keeps of the results
 *
 * Sweeps and explanations are made of trials, which workers compute side by side.
 *
 * Invariant: a trial that finishes is what `warpwait run` gives on the machine. */
#ifndef SIM_REPLAY_TRIAL_H
#define SIM_REPLAY_TRIAL_H

#include "sim/replay/trace_job.h"
#include "sim/session/run.h"

/* An open trace and its job. */
struct recording {
  struct trace *trace;
  struct job job; /* without launches: not read so far */
  cycle_t max_cycles;
};

/* Reads the job, on the recorded machine; `path` names the trace in messages. */
bool recording_read(struct recording *recording, const char *path, struct message *message);
void recording_close(struct recording *recording);

/* Prepares a replay on the machine. False with the message filled when the recording does not serve there. */
bool recording_fits(struct recording *recording, const struct machine *machine, struct message *message);

/* How a trial ended. */
#define OUTCOMES(X)                                                                                                    \
  X(finished, "all launches ended")                                                                                    \
  X(deadlock, "warps waited for one another forever")                                                                  \
  X(cycle_limit, "a launch reached the cycle limit")                                                                   \
  X(refused, "the machine, or the launch on it, is not legal")                                                         \
  X(failed, "the process that ran it died, twice")
enum trial_outcome {
#define OUTCOME(name, ...) OUTCOME_##name,
  OUTCOMES(OUTCOME)
#undef OUTCOME
      OUTCOME_COUNT
};
extern const char *const outcome_names[OUTCOME_COUNT];

enum { TRIAL_REASON = 400 };

/* Plain data, which can pass through a pipe between processes. */
struct trial_end {
  enum trial_outcome outcome;
  char reason[TRIAL_REASON]; /* "" if it finished */
};

void trial_conclude(struct trial_end *end, enum trial_outcome outcome, const char *reason);

struct trial {
  cycle_t max_cycles;
  const struct caller *caller;       /* may stop it; NULL: nobody can */
  const struct run_watcher *watcher; /* NULL: none */
  /* Receives the results of all launches, once all have finished. */
  void (*take)(void *self, const struct job *job, const struct launch_result *results, size_t count);
  void *self;
};

/* Runs the job. `subject` supplies the warps' operations or records them; NULL: executors. */
void trial_run(const struct trial *trial, struct job *job, const struct run_watcher *subject, struct trial_end *end);

/* Replays a recording that fits. False when the replay is not what a run would be; the reason says why. */
bool trial_replay(const struct trial *trial, struct recording *recording, struct trial_end *end);

#endif
