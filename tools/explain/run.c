#include "tools/explain/run.h"

#include <fcntl.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "models/machine.h"
#include "sim/base/file.h"
#include "sim/base/need.h"
#include "sim/base/workers.h"
#include "sim/replay/recorder.h"
#include "sim/replay/replayer.h"
#include "sim/report/report.h"

/* ---- the base -------------------------------------------------------------------------------------- */

/* Runs the job and stores its pace in the first case. `subject` supplies the warps' operations, or records them. */
static bool run_base(struct explain_run *run, const struct run_watcher *subject) {
  struct explain *explain = &run->explain;
  struct pace_log log;
  struct run_options how = run->how;
  pace_log_begin(&log, explain->cases[0].pace, explain->stalls, (uint32_t)run->job.launch_count);
  const struct run_watcher counting = pace_watcher(&log);
  run_watch(&how, subject);
  run_watch(&how, &counting);
  const bool good = run_job(&run->job, &how, &run->results, &run->count, run->message);
  pace_log_end(&log);
  return good;
}

/* Applies part_groups to a new job. */
static void cut(const struct explain_run *run, struct job *job) {
  if (run->part_groups)
    job->launches[0].isa.part_groups = run->part_groups;
}

static void find_marks(struct explain_run *run) {
  size_t count = 0;
  char place[PROGRAM_PLACE];
  struct trace_mark *marks = trace_job_marks(run->trace, &run->job, &count);
  run->timed = count > 0;
  if (count) {
    program_place(run->job.launches[marks->launch].isa.program, marks->pc, place);
    snprintf(run->why, sizeof run->why, "%.200s %.190s", place, marks->text);
  }
  free(marks);
}

/* Runs the base and closes the writer. If the writer is NULL, the message says why. */
static bool record_into(struct explain_run *run, struct trace_writer *writer) {
  struct recorder *recorder = recorder_new(writer);
  if (!recorder)
    return false;
  trace_job_write(&run->job, run->how.max_cycles, recorder_writer(recorder));
  const struct run_watcher recording = recorder_watcher(recorder);
  const bool good = run_base(run, &recording);
  if (!good && trace_writer_good(recorder_writer(recorder))) {
    recorder_abandon(recorder);
    return false;
  }
  return recorder_close(recorder, run->message) && good;
}

static bool record_in_file(struct explain_run *run) {
  struct message *message = run->message;
  char path[FILE_NAMELESS_PATH], name[FILE_NAMELESS_NAME];
  const int file = file_nameless("recordings", message);
  if (file < 0)
    return false;
  file_nameless_path(file, path);
  file_nameless_name("recordings", name);
  if (record_into(run, trace_writer_open_on(fcntl(file, F_DUPFD_CLOEXEC, 0), name, message)))
    run->trace = trace_open(path, TRACE_WHOLE, message);
  close(file);
  return run->trace;
}

static bool record_in_memory(struct explain_run *run) {
  const struct sink sink = sink_into(&run->recorded);
  if (!record_into(run, trace_writer_open_sink(&sink, "the recording", run->message)))
    return false;
  const struct trace_place place = {"the recording", run->recorded.data, run->recorded.length};
  run->trace = trace_open_at(&place, TRACE_WHOLE, run->message);
  return run->trace;
}

static bool record(struct explain_run *run) {
  if (!(run->in_memory ? record_in_memory(run) : record_in_file(run)))
    return false;
  find_marks(run);
  return true;
}

/* ---- replays --------------------------------------------------------------------------------------- */

/* The caller has already read the trace's job, on the requested machine. */
static bool replay_base(struct explain_run *run, int *status) {
  struct message *message = run->message;
  struct replayer *replayer = replayer_of_job(run->trace, &run->job, false, message);
  if (!replayer)
    return false;
  const struct run_watcher replay = replayer_watcher(replayer);
  bool good = run_base(run, &replay);
  const char *fault = replayer_fault(replayer);
  if (fault || replayer_cut_short(replayer)) {
    good = message_fail(message, "%.300s: %.300s", run->path, fault ? fault : "is incomplete");
    *status = fault && replayer_damaged(replayer) ? STATUS_BAD_INPUT : STATUS_WENT_WRONG;
  }
  replayer_free(replayer);
  if (good)
    find_marks(run);
  return good;
}

/* ---- steps and cases -------------------------------------------------------------------------------- */

static void find_steps(struct explain_run *run) {
  struct explain *explain = &run->explain;
  const struct job *job = &run->job;
  explain->launches = job->launch_count;
  explain->first = need(job->launch_count, sizeof *explain->first);
  for (size_t i = 0; i < job->launch_count; i += job->launches[i].together)
    explain->first[explain->steps++] = i;
}

static struct explain_case new_case(const struct explain_run *run, limit_set lifted) {
  return (struct explain_case){.lifted = lifted,
                               .time = need(run->explain.steps, sizeof(struct explain_time)),
                               .pace = need(run->explain.launches, sizeof(struct pace)),
                               .wait = need(run->explain.steps * EXPLAIN_PLACES, sizeof(uint64_t))};
}

/* Takes from the results what a case keeps. */
static void keep_times(const struct explain_run *run, const struct job *job, const struct launch_result *results,
                       struct explain_time *time, uint64_t *wait, bool *same_program) {
  for (size_t step = 0; step < run->explain.steps; step++) {
    const struct launch_result *result = &results[run->explain.first[step]];
    time[step] = (struct explain_time){result->start, result->together_cycles};
  }
  *same_program = true;
  for (size_t i = 0; i < job->launch_count; i++)
    *same_program &= explain_places_fit(run->job.launches[i].isa.program, job->launches[i].isa.program);
  if (*same_program)
    explain_places_wait(&run->places, &run->explain, job, results, wait);
}

static uint64_t hazards_of(const struct launch_result *results, size_t count) {
  uint64_t hazards = 0;
  for (size_t i = 0; i < count; i++)
    for (size_t h = 0; h < results[i].hazard_count; h++)
      hazards += results[i].hazards[h].count;
  return hazards;
}

bool explain_run_base(struct explain_run *run, int *status) {
  struct explain *explain = &run->explain;
  *status = STATUS_BAD_INPUT;
  cut(run, &run->job);
  find_steps(run);
  explain->cases = need(1, sizeof *explain->cases);
  explain->cases[0] = new_case(run, 0);
  explain->count = 1;
  explain->stalls = need(explain->launches, sizeof *explain->stalls);
  const bool good = run->load_on ? record(run) : replay_base(run, status);
  if (!good)
    return false;
  *status = STATUS_FINE;
  if (!run_finished(&run->job, run->results, run->count))
    return false;
  explain->cases[0].replayed = !run->load_on;
  explain->cases[0].left = run->load_on ? job_hash_buffers(&run->job) : 0;
  explain->cases[0].hazards = hazards_of(run->results, run->count);
  run->places = explain_places_new(explain, &run->job, run->results);
  keep_times(run, &run->job, run->results, explain->cases[0].time, explain->cases[0].wait,
             &explain->cases[0].same_program);
  run_free(run->results, run->count);
  run->results = NULL;
  run->count = 0;
  return true;
}

/* ---- a case, by a worker ----------------------------------------------------------------------------- */

/* A worker's own state. */
struct worker {
  const struct caller *caller;
  struct recording recording; /* shares the run's trace; NULL: no replay so far */
};

/* A worker's answer: this, then the arrays of a case. */
struct answer {
  alignas(uint64_t) struct trial_end end;
  bool replayed, same_program;
  uint64_t left, hazards;
};

struct parts {
  struct explain_time *time;
  struct pace *pace;
  uint64_t *wait;
};

static size_t answer_bytes(const struct explain_run *run) {
  return sizeof(struct answer) + run->explain.steps * sizeof(struct explain_time) +
         run->explain.launches * sizeof(struct pace) + run->explain.steps * EXPLAIN_PLACES * sizeof(uint64_t);
}

/* Each array is aligned because the answer is. */
static struct parts parts_of(const struct explain_run *run, const struct answer *answer) {
  struct parts parts;
  parts.time = (struct explain_time *)(void *)(answer + 1);
  parts.pace = (struct pace *)(void *)(parts.time + run->explain.steps);
  parts.wait = (uint64_t *)(void *)(parts.pace + run->explain.launches);
  return parts;
}

/* Where a case's results go. */
struct keeping {
  const struct explain_run *run;
  struct answer *answer;
};

static void keep_finished(void *self, const struct job *job, const struct launch_result *results, size_t count) {
  const struct keeping *keeping = self;
  struct answer *answer = keeping->answer;
  const struct parts parts = parts_of(keeping->run, answer);
  answer->hazards = hazards_of(results, count);
  keep_times(keeping->run, job, results, parts.time, parts.wait, &answer->same_program);
}

/* Runs a case, or replays it if there is no job, and fills the answer. */
static void run_case(const struct explain_run *run, struct worker *worker, struct job *job, struct answer *answer) {
  struct pace_log log;
  struct keeping keeping = {run, answer};
  pace_log_begin(&log, parts_of(run, answer).pace, NULL, (uint32_t)run->explain.launches);
  const struct run_watcher counting = pace_watcher(&log);
  const struct trial trial = {.max_cycles = run->how.max_cycles,
                              .caller = worker->caller,
                              .watcher = &counting,
                              .take = keep_finished,
                              .self = &keeping};
  answer->replayed = !job;
  if (job)
    trial_run(&trial, job, NULL, &answer->end);
  else
    trial_replay(&trial, &worker->recording, &answer->end);
  pace_log_end(&log);
}

static void run_again(const struct explain_run *run, struct worker *worker, const struct machine *machine,
                      struct answer *answer) {
  struct message message;
  struct job job = {0};
  if (!run->load_on(run->self, machine, worker->caller, &job, &message)) {
    trial_conclude(&answer->end, OUTCOME_refused, message.text);
  } else {
    cut(run, &job);
    run_case(run, worker, &job, answer);
  }
  job_free(&job);
}

struct batch {
  struct explain_run *run;
  struct explain_case **cases; /* the case of each task */
  explain_load *load;          /* makes other jobs; NULL: cases of limits */
  void *self;
};

static void *begin(void *self, const struct caller *caller) {
  struct worker *worker = need(1, sizeof *worker);
  (void)self;
  worker->caller = caller;
  return worker;
}

static void end(void *self, void *own) {
  struct worker *worker = own;
  (void)self;
  recording_close(&worker->recording);
  free(worker);
}

static void work_on_job(void *self, void *own, size_t task, void *bytes) {
  const struct batch *batch = self;
  struct worker *worker = own;
  struct answer *answer = bytes;
  struct message message;
  struct job job = {0};
  if (!batch->load(batch->self, task, worker->caller, &job, &message))
    trial_conclude(&answer->end, OUTCOME_refused, message.text);
  else if (job.launch_count != batch->run->job.launch_count)
    trial_conclude(&answer->end, OUTCOME_refused, "has other launches");
  else
    run_case(batch->run, worker, &job, answer);
  if (answer->end.outcome == OUTCOME_finished)
    answer->left = job_hash_buffers(&job);
  job_free(&job);
}

/* dma.copy decides whether warps carry out copies, which changes their instructions. */
static bool same_copies(const struct explain_run *run, const struct machine *machine, struct message *message) {
  return machine->dma.copy == run->job.machine->dma.copy ||
         message_fail(message, "with another dma.copy, warps behave differently than in the recording");
}

/* If it fits, the recording is ready for a replay on the machine. */
static bool can_replay(const struct explain_run *run, struct worker *worker, const struct machine *machine,
                       struct message *message) {
  if ((run->timed && run->load_on) || !same_copies(run, machine, message))
    return false;
  if (!worker->recording.trace)
    worker->recording.trace = trace_share(run->trace);
  if (!recording_fits(&worker->recording, machine, message))
    return false;
  cut(run, &worker->recording.job);
  return true;
}

/* Replays the case if the recording fits the machine. Else runs it, if there is a launch. */
static void work(void *self, void *own, size_t task, void *bytes) {
  const struct batch *batch = self;
  const struct explain_run *run = batch->run;
  struct worker *worker = own;
  struct answer *answer = bytes;
  struct message message = {{0}};
  struct machine machine = *run->job.machine;
  limits_lift(batch->cases[task]->lifted, &machine);
  const bool fits = can_replay(run, worker, &machine, &message);
  if (fits)
    run_case(run, worker, NULL, answer);
  else if (run->load_on)
    run_again(run, worker, &machine, answer);
  else
    trial_conclude(&answer->end, OUTCOME_refused, message.text);
  if (!fits && answer->end.outcome == OUTCOME_finished)
    trial_conclude(&answer->end, OUTCOME_finished, run->timed ? run->why : message.text);
}

/* ---- all cases ------------------------------------------------------------------------------------- */

static bool take_answer(void *self, size_t task, const void *bytes) {
  struct batch *batch = self;
  struct explain_run *run = batch->run;
  struct explain_case *to = batch->cases[task];
  const struct answer *answer = bytes;
  const struct parts parts = parts_of(run, answer);
  to->status = answer->end.outcome;
  to->replayed = answer->replayed;
  to->same_program = answer->same_program;
  to->left = answer->left;
  to->hazards = answer->hazards;
  memcpy(to->reason, answer->end.reason, sizeof to->reason);
  memcpy(to->time, parts.time, run->explain.steps * sizeof *to->time);
  memcpy(to->pace, parts.pace, run->explain.launches * sizeof *to->pace);
  memcpy(to->wait, parts.wait, run->explain.steps * EXPLAIN_PLACES * sizeof *to->wait);
  run->done++;
  return true;
}

static bool lost(void *self, size_t task, const char *why, bool defect) {
  struct batch *batch = self;
  batch->run->broken |= defect;
  batch->cases[task]->status = OUTCOME_failed;
  snprintf(batch->cases[task]->reason, TRIAL_REASON, "%s", why);
  batch->run->done++;
  return true;
}

static bool tick(void *self) {
  struct batch *batch = self;
  struct explain_run *run = batch->run;
  if (caller_due(run->how.caller))
    caller_progress(run->how.caller, "%zu machines tried", run->done);
  return !caller_stops(run->how.caller);
}

/* Limits of units that the launched kernels do not use: lifting them changes nothing. */
static limit_set idle_limits(const struct job *job) {
  limit_set idle = limit_bit(LIFT_TEXTURE_LATENCY) | limit_bit(LIFT_TEXTURE_RATE) | limit_bit(LIFT_TEXTURE_SIZE);
  limit_set copies = limit_bit(LIFT_DMA_SETUP) | limit_bit(LIFT_DMA_WIDTH) | limit_bit(LIFT_DMA_LINES) |
                     limit_bit(LIFT_DMA_REQUESTS) | limit_bit(LIFT_DMA_CHANNELS) | limit_bit(LIFT_DMA_QUEUE);
  for (size_t i = 0; i < job->launch_count; i++) {
    const struct isa_launch *launch = &job->launches[i].isa;
    for (uint32_t pc = launch->kernel->entry; pc < launch->kernel->end; pc++)
      switch (launch->program->info[pc].class_) {
      case ISA_CLASS_TEXTURE:
        idle = 0;
        break;
      case ISA_CLASS_COPY_FENCE:
      case ISA_CLASS_COPY:
      case ISA_CLASS_WAIT:
      case ISA_CLASS_COPY_LANE:
      case ISA_CLASS_LANE_COMMIT:
      case ISA_CLASS_LANE_WAIT:
        copies = 0;
        break;
      default:
        break;
      }
  }
  return idle | copies;
}

/* A copy of the base's results, for a case that cannot differ from the base. */
static void copy_base(const struct explain_run *run, struct explain_case *to) {
  const struct explain_case *base = &run->explain.cases[0];
  to->status = base->status;
  to->replayed = !(run->timed && run->load_on);
  to->same_program = base->same_program;
  to->left = base->left;
  to->hazards = base->hazards;
  memcpy(to->time, base->time, run->explain.steps * sizeof *to->time);
  memcpy(to->pace, base->pace, run->explain.launches * sizeof *to->pace);
  memcpy(to->wait, base->wait, run->explain.steps * EXPLAIN_PLACES * sizeof *to->wait);
}

/* Adds cases of the sets of which the machine has a limit. Those that do not affect the kernels get the base's results.
 * Returns the number of cases left to compute. */
static size_t add_cases(struct explain_run *run, const limit_set *sets, size_t count, struct explain_case **to_do) {
  struct explain *explain = &run->explain;
  const size_t before = explain->count;
  size_t left = 0;
  run->idle = idle_limits(&run->job);
  explain->cases = need_more(explain->cases, before + count, sizeof *explain->cases);
  for (size_t i = 0; i < count; i++) {
    struct machine machine = *run->job.machine;
    if (limits_lift(sets[i], &machine))
      explain->cases[explain->count++] = new_case(run, sets[i]);
  }
  for (size_t i = before; i < explain->count; i++)
    if (explain->cases[i].lifted & ~run->idle)
      to_do[left++] = &explain->cases[i];
    else
      copy_base(run, &explain->cases[i]);
  return left;
}

/* Deals the cases of a batch to workers. */
static bool work_all(struct batch *batch, size_t count, int *status) {
  struct explain_run *run = batch->run;
  const struct workload step = {.tasks = count,
                                .answer_bytes = answer_bytes(run),
                                .self = batch,
                                .begin = begin,
                                .work = batch->load ? work_on_job : work,
                                .end = end,
                                .take = take_answer,
                                .lost = lost,
                                .tick = tick};
  caller_busy(run->how.caller, true);
  const bool good = workers_run(caller_pool(run->how.caller), &step, run->workers, run->message);
  caller_busy(run->how.caller, false);
  *status = good ? STATUS_FINE : STATUS_BAD_INPUT;
  if (!good && caller_stops(run->how.caller))
    message_fail(run->message, "interrupted; nothing is reported");
  return good;
}

bool explain_run_cases(struct explain_run *run, const limit_set *sets, size_t count, int *status) {
  struct batch batch = {.run = run, .cases = need(count, sizeof *batch.cases)};
  const bool good = work_all(&batch, add_cases(run, sets, count, batch.cases), status);
  free(batch.cases);
  return good;
}

bool explain_run_singles(struct explain_run *run, int *status) {
  limit_set single[LIMITS];
  for (enum limit i = 0; i < LIMITS; i++)
    single[i] = limit_bit(i);
  return explain_run_cases(run, single, LIMITS, status);
}

bool explain_run_machines(struct explain_run *run, int *status) {
  size_t count = 0;
  if (!explain_run_singles(run, status))
    return false;
  limit_set *sets = explain_pairs(&run->explain, &count);
  sets = need_more(sets, count + CAUSES + 2, sizeof *sets);
  for (enum limit_cause cause = 0; cause < CAUSES; cause++)
    sets[count++] = limits_of(cause);
  sets[count++] = limits_outside();
  sets[count++] = limits_all();
  const bool good = explain_run_cases(run, sets, count, status);
  free(sets);
  return good;
}

bool explain_run_jobs(struct explain_run *run, explain_load *load, void *self, struct explain_case **cases,
                      size_t count, int *status) {
  struct batch batch = {run, need(count, sizeof *batch.cases), load, self};
  struct explain_case *made = *cases = need(count, sizeof *made);
  for (size_t i = 0; i < count; i++) {
    made[i] = new_case(run, 0);
    batch.cases[i] = &made[i];
  }
  const bool good = work_all(&batch, count, status);
  for (size_t i = 0; i < count; i++)
    made[i].same_results = made[i].left == run->explain.cases[0].left;
  free(batch.cases);
  return good;
}

void explain_cases_free(struct explain_case *cases, size_t count) {
  for (size_t i = 0; cases && i < count; i++) {
    free(cases[i].time);
    free(cases[i].pace);
    free(cases[i].wait);
  }
  free(cases);
}

void explain_run_free(struct explain_run *run) {
  explain_cases_free(run->explain.cases, run->explain.count);
  free(run->explain.first);
  free(run->explain.stalls);
  explain_places_free(&run->places);
  run_free(run->results, run->count);
  job_free(&run->job);
  if (run->trace)
    trace_close(run->trace);
  free(run->recorded.data);
}
