#include "sim/replay/trial.h"

#include <stdio.h>

#include "models/result.h"
#include "sim/replay/replayer.h"

const char *const outcome_names[OUTCOME_COUNT] = {
#define OUTCOME(name, ...) #name,
    OUTCOMES(OUTCOME)
#undef OUTCOME
};

bool recording_read(struct recording *recording, const char *path, struct message *message) {
  const struct job_request request = {0};
  job_free(&recording->job);
  if (trace_job_read(recording->trace, path, &request, &recording->job, &recording->max_cycles, message))
    return true;
  job_free(&recording->job);
  return false;
}

void recording_close(struct recording *recording) {
  job_free(&recording->job);
  trace_close(recording->trace);
  recording->trace = NULL;
}

bool recording_fits(struct recording *recording, const struct machine *machine, struct message *message) {
  /* The previous replay left packets in the pipes. */
  const bool ready = recording->job.launch_count && !recording->job.memory.pipe_count;
  if (!ready && !recording_read(recording, "the recording", message))
    return false;
  job_set_machine(&recording->job, machine, NULL);
  return trace_job_fits(&recording->job, message);
}

void trial_conclude(struct trial_end *end, enum trial_outcome outcome, const char *reason) {
  end->outcome = outcome;
  snprintf(end->reason, sizeof end->reason, "%.*s", TRIAL_REASON - 1, reason);
}

void trial_run(const struct trial *trial, struct job *job, const struct run_watcher *subject, struct trial_end *end) {
  struct run_options options = {.max_cycles = trial->max_cycles, .caller = trial->caller};
  struct launch_result *results = NULL;
  struct message message = {{0}};
  size_t count = 0, at = 0;
  if (subject)
    run_watch(&options, subject);
  if (trial->watcher)
    run_watch(&options, trial->watcher);
  if (!run_job(job, &options, &results, &count, &message)) {
    trial_conclude(end, OUTCOME_failed, message.text);
  } else if (run_finished(job, results, count)) {
    trial_conclude(end, OUTCOME_finished, "");
    trial->take(trial->self, job, results, count);
  } else {
    while (results[at].end == END_FINISHED)
      at++;
    run_unfinished(job, results, at, trial->max_cycles, &message);
    trial_conclude(end, results[at].end == END_DEADLOCK ? OUTCOME_deadlock : OUTCOME_cycle_limit, message.text);
  }
  run_free(results, count);
  for (size_t i = 0; i < job->launch_count; i++)
    printed_free(&job->launches[i].printed);
}

bool trial_replay(const struct trial *trial, struct recording *recording, struct trial_end *end) {
  struct message message;
  struct replayer *replayer = replayer_of_job(recording->trace, &recording->job, false, &message);
  if (!replayer) {
    trial_conclude(end, OUTCOME_failed, message.text);
    return false;
  }
  const struct run_watcher watcher = replayer_watcher(replayer);
  trial_run(trial, &recording->job, &watcher, end);
  const char *fault = replayer_fault(replayer);
  if (fault)
    trial_conclude(end, OUTCOME_refused, fault);
  replayer_free(replayer);
  return !fault;
}
