#include "tools/sweep/replay.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "models/machine.h"
#include "sim/base/file.h"
#include "sim/replay/recorder.h"

/* Removes the launch file's folder from the message, so that the reason is the same wherever the file lies. */
static void refuse(const struct sweep_bench *bench, struct sweep_outcome *outcome, struct message *message) {
  const char *launch = bench->target->plan->launch;
  const size_t folder = launch ? strlen(launch) - strlen(file_base(launch)) : 0;
  char *at = message->text;
  while (folder && (at = memmem(at, strlen(at), launch, folder)))
    memmove(at, at + folder, strlen(at + folder) + 1);
  trial_conclude(&outcome->end, OUTCOME_refused, message->text);
}

static void take(void *self, const struct job *job, const struct launch_result *results, size_t count) {
  struct sweep_outcome *outcome = self;
  sweep_metrics_take(job->machine, results, count, outcome->metric);
}

static struct trial trial_of(const struct sweep_bench *bench, struct sweep_outcome *outcome) {
  return (struct trial){.max_cycles = bench->max_cycles, .caller = bench->caller, .take = take, .self = outcome};
}

/* ---- runs -------------------------------------------------------------------------------------------- */

static void run_point(const struct sweep_bench *bench, const uint32_t *value, const struct machine *machine,
                      struct sweep_outcome *outcome) {
  const struct trial trial = trial_of(bench, outcome);
  struct message message;
  struct job job = {0};
  if (sweep_job(bench->target, value, machine, bench->caller, &job, &message))
    trial_run(&trial, &job, NULL, &outcome->end);
  else
    refuse(bench, outcome, &message);
  job_free(&job);
}

static bool record(const struct sweep_bench *bench, struct job *job, const char *path, struct sweep_outcome *outcome) {
  const struct trial trial = trial_of(bench, outcome);
  struct message error;
  struct recorder *recorder = recorder_new(trace_writer_open(path, &error));
  if (!recorder)
    return false;
  trace_job_write(job, bench->max_cycles, recorder_writer(recorder));
  const struct run_watcher recording = recorder_watcher(recorder);
  trial_run(&trial, job, &recording, &outcome->end);
  return recorder_close(recorder, &error) && outcome->end.outcome == OUTCOME_finished;
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

bool sweep_record(const struct sweep_bench *bench, const uint32_t *value, const char *path,
                  struct sweep_outcome *outcome) {
  const double start = seconds();
  struct message message;
  struct machine machine;
  struct job job = {0};
  const bool good = sweep_machine(bench->target, value, &machine, &message) &&
                    sweep_job(bench->target, value, &machine, bench->caller, &job, &message) &&
                    record(bench, &job, path, outcome);
  job_free(&job);
  outcome->seconds = seconds() - start;
  return good;
}

/* ---- replays ------------------------------------------------------------------------------------------- */

bool sweep_recording_open(struct recording *recording, const char *path) {
  struct message error;
  struct message message;
  size_t marks = 0;
  *recording = (struct recording){.trace = trace_open(path, TRACE_WHOLE, &error)};
  if (!recording->trace)
    return false;
  const bool good = recording_read(recording, "the recording", &message);
  if (good)
    free(trace_job_marks(recording->trace, &recording->job, &marks));
  if (good && !marks)
    return true;
  recording_close(recording);
  return false;
}

/* False when the point must be run instead; the outcome has the reason. */
static bool replay_point(const struct sweep_bench *bench, struct recording *recording, const struct machine *machine,
                         struct sweep_outcome *outcome) {
  const struct trial trial = trial_of(bench, outcome);
  struct message message;
  const bool fits = recording_fits(recording, machine, &message);
  if (!fits)
    trial_conclude(&outcome->end, OUTCOME_refused, message.text);
  outcome->replayed = fits && trial_replay(&trial, recording, &outcome->end);
  return outcome->replayed;
}

void sweep_point(const struct sweep_bench *bench, struct recording *recording, const uint32_t *value,
                 struct sweep_outcome *outcome) {
  const double start = seconds();
  struct message message;
  struct machine machine;
  if (!sweep_machine(bench->target, value, &machine, &message))
    trial_conclude(&outcome->end, OUTCOME_refused, message.text);
  else if (!recording->trace && bench->target->trace)
    trial_conclude(&outcome->end, OUTCOME_failed, "the trace could not be read again");
  else if (!(recording->trace && replay_point(bench, recording, &machine, outcome)) && !bench->target->trace)
    run_point(bench, value, &machine, outcome);
  outcome->seconds = seconds() - start;
}
