#include "tools/explain/why.h"

#include <stdlib.h>

#include "models/machine_groups.h"
#include "sim/base/need.h"
#include "sim/base/workers.h"

/* ---- which runs ---------------------------------------------------------------------------------- */

static uint64_t instructions_of(const struct report *report) {
  uint64_t instructions = 0;
  for (size_t i = 0; i < report->count; i++)
    instructions += report->results[i].cu.warp_instructions;
  return instructions;
}

static uint64_t bytes_of(const struct report *report) {
  uint64_t bytes = 0;
  for (size_t i = 0; i < report->job->memory.count; i++)
    bytes += report->job->memory.buffers[i].bytes;
  return bytes;
}

/* The number of work-groups that represent one long launch: as many as WHY_INSTRUCTIONS allow, if they fill the machine
 * several times, else 0. */
static uint32_t part_of(const struct report *report) {
  const struct launch_result *result = &report->results[0];
  const uint64_t groups = result->work_groups, instructions = result->cu.warp_instructions;
  const uint64_t held = (uint64_t)result->occupancy.groups_per_cu * machine_cu(report->job->machine)->count;
  if (report->count != 1 || report->job->launches[0].isa.part_groups || !held)
    return 0;
  const uint64_t rounds = WHY_INSTRUCTIONS * groups / instructions / held;
  return rounds < WHY_ROUNDS ? 0 : (uint32_t)(rounds * held);
}

/* Should limits be lifted, and for which part of the run? *part_groups is as in struct explain_run. */
static bool is_wanted(enum why why, const struct report *report, const struct why_subject *subject,
                      uint32_t *part_groups) {
  struct message ignored;
  *part_groups = 0;
  if (why == WHY_NEVER || !run_finished(report->job, report->results, report->count) ||
      !trace_job_possible(report->job, &ignored))
    return false;
  if (why == WHY_ALWAYS)
    return true;
  if (subject->load_on && bytes_of(report) > WHY_BYTES)
    return false;
  if (instructions_of(report) > WHY_INSTRUCTIONS)
    *part_groups = part_of(report);
  return *part_groups || instructions_of(report) <= WHY_INSTRUCTIONS;
}

/* A launch that takes twice as long without a limit is stopped: no limit is worth a longer wait. */
static cycle_t cycle_budget(const struct report *report) {
  cycle_t longest = 0;
  for (size_t i = 0; i < report->count; i++)
    longest = cycle_max(longest, report->results[i].cycles);
  return 2 * longest + 1000;
}

/* ---- the search ---------------------------------------------------------------------------------- */

static bool load_base(const struct report *report, struct explain_run *run, int *status) {
  struct message *message = run->message;
  const struct machine *machine = report->job->machine;
  const struct job_request request = {0};
  cycle_t max_cycles = 0;
  *status = STATUS_BAD_INPUT;
  if (run->load_on)
    return run->load_on(run->self, machine, run->how.caller, &run->job, message);
  const bool good = trace_job_read(run->trace, run->path, &request, &run->job, &max_cycles, message);
  if (good)
    job_set_machine(&run->job, machine, NULL);
  return good;
}

static struct bottleneck *bottlenecks_of(const struct explain_run *run) {
  const struct explain *explain = &run->explain;
  struct bottleneck *all = need(explain->launches, sizeof *all);
  for (size_t step = 0; step < explain->steps; step++)
    for (size_t i = explain->first[step]; i < explain->first[step] + run->job.launches[explain->first[step]].together;
         i++)
      all[i] = explain_bottleneck(explain, step);
  all[0].groups = run->part_groups;
  return all;
}

/* Fails unless every limit was tried, because the missing one may be the bottleneck. */
static bool all_tried(const struct explain_run *run, const struct why_subject *subject, int *status) {
  size_t i = 1;
  while (i < run->explain.count && run->explain.cases[i].status != OUTCOME_failed)
    i++;
  if (i == run->explain.count)
    return true;
  *status = run->broken ? STATUS_DEFECT : STATUS_BAD_INPUT;
  if (subject->lost)
    *subject->lost = true;
  return message_fail(run->message, "%.300s: no bottleneck was found: %.200s%s", run->job.file,
                      run->explain.cases[i].reason, subject->lost ? "" : "; --why=no skips the search");
}

static bool run_partners(struct explain_run *run, int *status) {
  size_t count = 0;
  limit_set *pairs = explain_partners(&run->explain, &count);
  const bool good = !count || explain_run_cases(run, pairs, count, status);
  free(pairs);
  return good;
}

bool why_find(enum why why, const struct run_options *how, struct report *report, const struct why_subject *subject,
              int *status, struct message *message) {
  report->why = why == WHY_ALWAYS;
  uint32_t part_groups = 0;
  if (!is_wanted(why, report, subject, &part_groups))
    return true;
  const int before = *status;
  struct explain_run run = {.how = {.order = how->order,
                                    .seed = how->seed,
                                    .max_cycles = cycle_min(how->max_cycles, cycle_budget(report)),
                                    .caller = how->caller},
                            .message = message,
                            .load_on = subject->load_on,
                            .self = subject->self,
                            .path = subject->path,
                            .trace = subject->trace,
                            .in_memory = subject->in_memory,
                            .part_groups = part_groups,
                            .workers = subject->workers ? subject->workers : workers_online()};
  const bool good = load_base(report, &run, status) && explain_run_base(&run, status) &&
                    explain_run_singles(&run, status) && run_partners(&run, status) && all_tried(&run, subject, status);
  if (good) {
    report->bottlenecks = bottlenecks_of(&run);
    *status = before;
  }
  if (subject->trace)
    run.trace = NULL; /* the caller's */
  explain_run_free(&run);
  return good;
}

void why_free(struct report *report) {
  free((void *)report->bottlenecks);
  report->bottlenecks = NULL;
}
