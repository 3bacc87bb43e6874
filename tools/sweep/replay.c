#include "tools/sweep/replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "models/machine.h"
#include "sim/base/file.h"
#include "sim/base/need.h"
#include "sim/replay/recorder.h"
#include "sim/replay/replayer.h"
#include "sim/session/run.h"

const char *const sweep_statuses[] = {
#define STATUS(name, ...) #name,
    STORE_STATUSES(STATUS)
#undef STATUS
};

static void conclude(struct sweep_outcome *outcome, enum sweep_status status, const struct message *message) {
  outcome->status = status;
  snprintf(outcome->reason, sizeof outcome->reason, "%.*s", SWEEP_REASON - 1, message ? message->text : "");
}

/* Removes the launch file's folder from the message, so that the reason is the same wherever the file lies. */
static void refuse(const struct sweep_bench *bench, struct sweep_outcome *outcome, struct message *message) {
  const char *launch = bench->target->plan->launch;
  const size_t folder = launch ? strlen(launch) - strlen(file_base(launch)) : 0;
  char *at = message->text;
  while (folder && (at = memmem(at, strlen(at), launch, folder)))
    memmove(at, at + folder, strlen(at + folder) + 1);
  conclude(outcome, SWEEP_refused, message);
}

/* Derives the outcome from the results of the launches. */
static void judge(const struct sweep_bench *bench, const struct job *job, const struct launch_result *results,
                  size_t count, struct sweep_outcome *outcome) {
  struct message message;
  size_t at = 0;
  while (at < count && results[at].end == END_FINISHED)
    at++;
  if (at == count) {
    sweep_metrics_take(job->machine, results, count, outcome->metric);
    conclude(outcome, SWEEP_finished, NULL);
    return;
  }
  run_unfinished(job, results, at, bench->max_cycles, &message);
  conclude(outcome, results[at].end == END_DEADLOCK ? SWEEP_deadlock : SWEEP_cycle_limit, &message);
}

/* Runs the job's launches, with the watcher's operations if there is one. */
static void run(const struct sweep_bench *bench, struct job *job, const struct run_watcher *watcher,
                struct sweep_outcome *outcome) {
  struct run_options options = {.max_cycles = bench->max_cycles, .caller = bench->caller};
  struct launch_result *results = NULL;
  struct message message;
  size_t count = 0;
  if (watcher)
    run_watch(&options, watcher);
  if (run_job(job, &options, &results, &count, &message))
    judge(bench, job, results, count, outcome);
  else
    conclude(outcome, SWEEP_failed, &message);
  run_free(results, count);
  for (size_t i = 0; i < job->launch_count; i++)
    printed_free(&job->launches[i].printed);
}

/* ---- runs -------------------------------------------------------------------------------------------- */

static void run_point(const struct sweep_bench *bench, const uint32_t *value, const struct machine *machine,
                      struct sweep_outcome *outcome) {
  struct message message;
  struct job job = {0};
  if (sweep_job(bench->target, value, machine, bench->caller, &job, &message))
    run(bench, &job, NULL, outcome);
  else
    refuse(bench, outcome, &message);
  job_free(&job);
}

static bool record(const struct sweep_bench *bench, struct job *job, const char *path, struct sweep_outcome *outcome) {
  struct trace_error error;
  struct recorder *recorder = recorder_new(trace_writer_open(path, &error));
  if (!recorder)
    return false;
  trace_job_write(job, bench->max_cycles, recorder_writer(recorder));
  const struct run_watcher recording = recorder_watcher(recorder);
  run(bench, job, &recording, outcome);
  return recorder_close(recorder, &error) && outcome->status == SWEEP_finished;
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

static bool read_recording(struct sweep_recording *recording, struct message *message) {
  const struct job_request request = {0};
  cycle_t max_cycles = 0;
  job_free(&recording->job);
  return trace_job_read(recording->trace, "the recording", &request, &recording->job, &max_cycles, message);
}

bool sweep_recording_open(struct sweep_recording *recording, const char *path) {
  struct trace_error error;
  struct message message;
  size_t marks = 0;
  *recording = (struct sweep_recording){.trace = trace_open(path, TRACE_WHOLE, &error)};
  if (!recording->trace)
    return false;
  const bool good = read_recording(recording, &message);
  if (good)
    free(trace_job_marks(recording->trace, &recording->job, &marks));
  if (good && !marks)
    return true;
  sweep_recording_close(recording);
  return false;
}

void sweep_recording_share(struct sweep_recording *recording, const struct trace *trace) {
  struct message message;
  *recording = (struct sweep_recording){.trace = need_made(trace_share(trace))};
  if (!read_recording(recording, &message))
    sweep_recording_close(recording);
}

void sweep_recording_close(struct sweep_recording *recording) {
  job_free(&recording->job);
  if (recording->trace)
    trace_close(recording->trace);
  recording->trace = NULL;
}

/* False when the replay is not valid as a run; the outcome has the reason. */
static bool replay(const struct sweep_bench *bench, struct sweep_recording *recording, struct sweep_outcome *outcome) {
  struct message message;
  struct replayer *replayer = replayer_of_job(recording->trace, &recording->job, false, &message);
  if (!replayer) {
    conclude(outcome, SWEEP_failed, &message);
    return false;
  }
  const struct run_watcher watcher = replayer_watcher(replayer);
  run(bench, &recording->job, &watcher, outcome);
  const char *fault = replayer_fault(replayer);
  if (fault) {
    message_fail(&message, "%s", fault);
    conclude(outcome, SWEEP_refused, &message);
  }
  replayer_free(replayer);
  return !fault;
}

/* False when the point must be run instead; the outcome has the reason. */
static bool replay_point(const struct sweep_bench *bench, struct sweep_recording *recording,
                         const struct machine *machine, struct sweep_outcome *outcome) {
  struct message message;
  /* The previous replay left packets in the pipes. */
  bool good = !recording->job.memory.pipe_count || read_recording(recording, &message);
  if (good)
    job_set_machine(&recording->job, machine, NULL);
  good = good && trace_job_fits(&recording->job, &message);
  if (!good)
    conclude(outcome, SWEEP_refused, &message);
  outcome->replayed = good && replay(bench, recording, outcome);
  return outcome->replayed;
}

void sweep_point(const struct sweep_bench *bench, struct sweep_recording *recording, const uint32_t *value,
                 struct sweep_outcome *outcome) {
  static const struct message unread = {"the trace could not be read again"};
  const double start = seconds();
  struct message message;
  struct machine machine;
  if (!sweep_machine(bench->target, value, &machine, &message))
    conclude(outcome, SWEEP_refused, &message);
  else if (!recording->trace && bench->target->trace)
    conclude(outcome, SWEEP_failed, &unread);
  else if (!(recording->trace && replay_point(bench, recording, &machine, outcome)) && !bench->target->trace)
    run_point(bench, value, &machine, outcome);
  outcome->seconds = seconds() - start;
}
