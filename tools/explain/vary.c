#include "tools/explain/vary.h"

#include <stdio.h>
#include <stdlib.h>

#include "sim/base/need.h"

enum { MOST_VALUES = 256 };

struct explain_vary *explain_vary_new(const char *word, struct subject *subject, const struct job *base,
                                      struct message *message) {
  struct explain_vary *vary = need(1, sizeof *vary);
  if (!vary_open(&vary->axis, "--vary", word, MOST_VALUES, subject, base, message)) {
    explain_vary_free(vary);
    return NULL;
  }
  vary->name = vary->axis.name;
  vary->count = vary->axis.count;
  vary->value = need(vary->count, sizeof *vary->value);
  for (size_t i = 0; i < vary->count; i++)
    vary->value[i].word = vary->axis.word[i];
  return vary;
}

void explain_vary_free(struct explain_vary *vary) {
  if (!vary)
    return;
  for (size_t i = 0; i < vary->count; i++)
    free(vary->value[i].time);
  vary_close(&vary->axis);
  free(vary->value);
  free(vary);
}

/* ---- running --------------------------------------------------------------------------------------- */

static bool load(void *self, size_t number, const struct caller *caller, struct job *job, struct message *message) {
  const struct explain_vary *vary = self;
  return vary_job(&vary->axis, number, vary->machine, caller, job, message);
}

bool explain_vary_run(struct explain_vary *vary, struct explain_run *run, int *status) {
  struct explain_case *cases = need(vary->count, sizeof *cases);
  vary->machine = run->job.machine;
  const bool good = explain_run_jobs(run, load, vary, cases, vary->count, status);
  for (size_t i = 0; i < vary->count; i++) {
    vary->value[i].status = cases[i].status;
    snprintf(vary->value[i].reason, EXPLAIN_REASON, "%s", cases[i].reason);
    vary->value[i].same_results = cases[i].left == run->explain.cases[0].left;
    vary->value[i].time = cases[i].time;
    free(cases[i].pace);
    free(cases[i].wait);
  }
  free(cases);
  return good;
}

static bool counts(const struct explain_value *value) {
  return value->status == EXPLAIN_FINISHED && value->same_results;
}

const struct explain_value *explain_vary_best(const struct explain_vary *vary, size_t step) {
  cycle_t least = NEVER;
  for (size_t i = 0; i < vary->count; i++)
    if (counts(&vary->value[i]))
      least = cycle_min(least, vary->value[i].time[step].cycles);
  for (size_t i = 0; i < vary->count; i++)
    if (counts(&vary->value[i]) && vary->value[i].time[step].cycles <= least + least / 100)
      return &vary->value[i];
  return NULL;
}

bool explain_vary_idle(const struct explain_vary *vary, size_t step, cycle_t cycles) {
  for (size_t i = 0; i < vary->count; i++)
    if (!counts(&vary->value[i]) || vary->value[i].time[step].cycles != cycles)
      return false;
  return vary->count > 1;
}
