#include "tools/sweep/functional.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "models/machine.h"
#include "sim/base/file.h"
#include "sim/base/need.h"
#include "sim/base/vector.h"
#include "sim/base/workers.h"

enum { GROUPS_AT_ONCE = 64, CANDIDATES = 4 /* points of a group that are tried as its recording */ };

/* ---- groups -------------------------------------------------------------------------------------- */

void sweep_add(struct sweep_run *run, uint64_t number, const uint32_t *value) {
  struct message ignored;
  struct machine machine;
  struct sweep_task task = {.number = number};
  /* A point without a legal machine has function 0. So have all points of a trace, whose function is fixed. */
  if (!run->bench.target->trace && sweep_machine(run->bench.target, value, &machine, &ignored))
    task.function = sweep_function(run->bench.target, value, &machine);
  *vector_next(run->task, run->tasks, run->task_room) = task;
}

static int compare(uint64_t a, uint64_t b) { return a < b ? -1 : a > b; }

static int by_function(const void *a, const void *b) {
  const struct sweep_task *one = a, *other = b;
  const int high = compare(one->function.high, other->function.high);
  const int low = compare(one->function.low, other->function.low);
  return high ? high : low ? low : compare(one->number, other->number);
}

static bool same_function(const struct sweep_task *a, const struct sweep_task *b) {
  return a->function.high == b->function.high && a->function.low == b->function.low;
}

static int by_first(const void *a, const void *b, void *tasks) {
  const struct sweep_group *one = a, *other = b;
  const struct sweep_task *task = tasks;
  return compare(task[one->first].number, task[other->first].number);
}

void sweep_group_all(struct sweep_run *run) {
  if (!run->tasks)
    return;
  qsort(run->task, run->tasks, sizeof *run->task, by_function);
  for (size_t i = 0; i < run->tasks; i++) {
    if (!i || !same_function(&run->task[i], &run->task[i - 1]))
      *vector_next(run->group, run->groups, run->group_room) = (struct sweep_group){.first = i, .file = -1};
    run->group[run->groups - 1].count++;
  }
  for (size_t i = 0; i < run->groups; i++)
    run->group[i].recorded = run->group[i].first + run->group[i].count;
  qsort_r(run->group, run->groups, sizeof *run->group, by_first, run->task);
}

/* ---- a batch of groups ----------------------------------------------------------------------------- */

struct batch {
  struct sweep_run *run;
  struct sweep_group *group;
  size_t groups;
  size_t *task, *group_of; /* of the second step: the task's number, and its group */
  size_t tasks;
};

/* A worker's own state. */
struct worker {
  struct sweep_bench bench;
  struct recording recording; /* open for the last task, */
  const struct trace *of;     /* and the trace that it shares */
};

static void *begin(void *self, const struct caller *caller) {
  const struct batch *batch = self;
  struct worker *worker = need(1, sizeof *worker);
  worker->bench = batch->run->bench;
  worker->bench.caller = caller;
  return worker;
}

static void end(void *self, void *own) {
  struct worker *worker = own;
  (void)self;
  recording_close(&worker->recording);
  free(worker);
}

/* An answer of the first step. */
struct recorded {
  bool good;
  size_t task;
  struct sweep_outcome outcome;
};

/* Records the first of a few points, spread over the group, that finishes. */
static void record(void *self, void *own, size_t number, void *answer) {
  const struct batch *batch = self;
  const struct worker *worker = own;
  const struct sweep_group *group = &batch->group[number];
  struct recorded *recorded = answer;
  const size_t tries = group->count < CANDIDATES ? group->count : CANDIDATES;
  char path[FILE_NAMELESS_PATH];
  file_nameless_path(group->file, path);
  for (size_t i = 0; group->file >= 0 && !recorded->good && i < tries; i++) {
    uint32_t value[PLAN_AXES];
    recorded->task = group->first + i * group->count / tries;
    plan_point(batch->run->bench.target->plan, batch->run->task[recorded->task].number, value);
    recorded->good = sweep_record(&worker->bench, value, path, &recorded->outcome);
  }
}

static bool take_recorded(void *self, size_t number, const void *answer) {
  struct batch *batch = self;
  struct sweep_run *run = batch->run;
  const struct recorded *recorded = answer;
  if (!recorded->good)
    return true;
  batch->group[number].recorded = recorded->task;
  run->recording_seconds += recorded->outcome.seconds;
  return run->take(run->self, run->task[recorded->task].number, &recorded->outcome);
}

/* If recording fails, the points are run instead. */
static bool lose_recorded(void *self, size_t number, const char *why, bool defect) {
  (void)self, (void)number, (void)why, (void)defect;
  return true;
}

static bool tick(void *self) {
  struct batch *batch = self;
  return batch->run->tick(batch->run->self);
}

/* Tasks arrive group by group, so the decompressed data of the previous recording can go. */
static void take_recording(struct worker *worker, const struct sweep_group *group) {
  const struct trace *trace = group->recording.trace;
  if (worker->of == trace)
    return;
  struct message message;
  recording_close(&worker->recording);
  worker->of = trace;
  worker->recording.trace = trace ? trace_share(trace) : NULL;
  if (trace && !recording_read(&worker->recording, "the recording", &message))
    recording_close(&worker->recording);
}

static void work(void *self, void *own, size_t number, void *answer) {
  const struct batch *batch = self;
  const struct sweep_run *run = batch->run;
  struct worker *worker = own;
  uint32_t value[PLAN_AXES];
  take_recording(worker, &batch->group[batch->group_of[number]]);
  plan_point(run->bench.target->plan, run->task[batch->task[number]].number, value);
  sweep_point(&worker->bench, &worker->recording, value, answer);
}

static bool forward_answer(void *self, size_t number, const void *answer) {
  const struct batch *batch = self;
  return batch->run->take(batch->run->self, batch->run->task[batch->task[number]].number, answer);
}

static bool lose(void *self, size_t number, const char *why, bool defect) {
  (void)defect;
  struct sweep_outcome outcome = {.replayed = false};
  trial_conclude(&outcome.end, OUTCOME_failed, why);
  return forward_answer(self, number, &outcome);
}

/* ---- the steps --------------------------------------------------------------------------------------- */

/* A single point is not worth a recording. Points without a legal machine cannot be recorded. */
static bool worth_recording(const struct batch *batch, const struct sweep_group *group) {
  const struct sweep_function *function = &batch->run->task[group->first].function;
  return group->count > 1 && (function->high || function->low);
}

static bool record_all(struct batch *batch, struct message *message) {
  const struct workload step = {.tasks = batch->groups,
                                .answer_bytes = sizeof(struct recorded),
                                .self = batch,
                                .begin = begin,
                                .work = record,
                                .end = end,
                                .take = take_recorded,
                                .lost = lose_recorded,
                                .tick = tick};
  for (size_t i = 0; i < batch->groups; i++)
    if (worth_recording(batch, &batch->group[i]) && (batch->group[i].file = file_nameless("recordings", message)) < 0)
      return false;
  return workers_run(batch->run->pool, &step, batch->run->jobs, message);
}

static void open_all(struct batch *batch) {
  char path[FILE_NAMELESS_PATH];
  for (size_t i = 0; i < batch->groups; i++) {
    struct sweep_group *group = &batch->group[i];
    file_nameless_path(group->file, path);
    if (group->recorded < group->first + group->count)
      sweep_recording_open(&group->recording, path);
    if (group->file >= 0)
      close(group->file);
    group->file = -1;
  }
}

static bool replay_all(struct batch *batch, struct message *message) {
  struct workload step = {.answer_bytes = sizeof(struct sweep_outcome),
                          .self = batch,
                          .begin = begin,
                          .work = work,
                          .end = end,
                          .take = forward_answer,
                          .lost = lose,
                          .tick = tick};
  for (size_t i = 0; i < batch->groups; i++) {
    const struct sweep_group *group = &batch->group[i];
    batch->task = need_more(batch->task, batch->tasks + group->count, sizeof *batch->task);
    batch->group_of = need_more(batch->group_of, batch->tasks + group->count, sizeof *batch->group_of);
    for (size_t j = group->first; j < group->first + group->count; j++) {
      if (j == group->recorded)
        continue;
      batch->group_of[batch->tasks] = i;
      batch->task[batch->tasks++] = j;
    }
  }
  step.tasks = batch->tasks;
  return workers_run(batch->run->pool, &step, batch->run->jobs, message);
}

/* If the plan names a trace, that serves all groups. */
static bool run_batch(struct batch *batch, struct message *message) {
  const struct sweep_target *target = batch->run->bench.target;
  bool good = true;
  if (!target->trace)
    good = record_all(batch, message);
  open_all(batch);
  for (size_t i = 0; target->trace && i < batch->groups; i++)
    batch->group[i].recording = (struct recording){.trace = target->trace};
  good = good && replay_all(batch, message);
  for (size_t i = 0; !target->trace && i < batch->groups; i++)
    recording_close(&batch->group[i].recording);
  free(batch->task);
  free(batch->group_of);
  return good;
}

bool sweep_run_all(struct sweep_run *run, struct message *message) {
  bool good = true;
  message->text[0] = '\0';
  for (size_t i = 0; good && i < run->groups; i += GROUPS_AT_ONCE) {
    struct batch batch = {.run = run, .group = run->group + i, .groups = run->groups - i};
    batch.groups = batch.groups < GROUPS_AT_ONCE ? batch.groups : GROUPS_AT_ONCE;
    good = run_batch(&batch, message);
  }
  return good;
}

void sweep_run_free(struct sweep_run *run) {
  free(run->task);
  free(run->group);
  *run = (struct sweep_run){0};
}
