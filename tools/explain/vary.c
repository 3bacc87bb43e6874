#include "tools/explain/vary.h"

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
  return vary;
}

void explain_vary_free(struct explain_vary *vary) {
  if (!vary)
    return;
  explain_cases_free(vary->cases, vary->count);
  vary_close(&vary->axis);
  free(vary);
}

/* ---- running --------------------------------------------------------------------------------------- */

static bool load(void *self, size_t number, const struct caller *caller, struct job *job, struct message *message) {
  const struct explain_vary *vary = self;
  return vary_job(&vary->axis, number, vary->machine, caller, job, message);
}

bool explain_vary_run(struct explain_vary *vary, struct explain_run *run, int *status) {
  vary->machine = run->job.machine;
  const bool good = explain_run_jobs(run, load, vary, &vary->cases, vary->count, status);
  for (size_t i = 0; i < vary->count; i++)
    vary->cases[i].name = vary->axis.word[i];
  return good;
}

const struct explain_case *explain_vary_best(const struct explain_vary *vary, size_t step) {
  cycle_t least = NEVER;
  for (size_t i = 0; i < vary->count; i++)
    if (explain_counts(&vary->cases[i]))
      least = cycle_min(least, vary->cases[i].time[step].cycles);
  for (size_t i = 0; i < vary->count; i++)
    if (explain_counts(&vary->cases[i]) && vary->cases[i].time[step].cycles <= least + least / 100)
      return &vary->cases[i];
  return NULL;
}

bool explain_vary_idle(const struct explain_vary *vary, size_t step, cycle_t cycles) {
  for (size_t i = 0; i < vary->count; i++)
    if (!explain_counts(&vary->cases[i]) || vary->cases[i].time[step].cycles != cycles)
      return false;
  return vary->count > 1;
}
