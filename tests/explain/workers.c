/* The explanation is byte-identical whatever kind and number of workers compute the cases. */
#include "sim/base/workers.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"
#include "sim/cli/processes.h"
#include "tests/ct.h"
#include "tools/explain/report.h"
#include "tools/explain/why.h"

/* What is explained, and which workers compute it. */
struct asked {
  const char *path, *vary;
  bool changes;
  const struct worker_pool *pool;
  unsigned workers;
};

/* Lifts single limits, pairs, and all. */
static bool try_machines(struct explain_run *run, int *status) {
  size_t count = 0;
  if (!explain_run_singles(run, status))
    return false;
  limit_set *sets = explain_pairs(&run->explain, &count);
  sets = need_more(sets, count + 1, sizeof *sets);
  sets[count++] = limits_all();
  const bool good = explain_run_cases(run, sets, count, status);
  free(sets);
  return good;
}

static bool try_all(const struct asked *asked, struct subject *subject, struct explain_run *run,
                    struct explain_tries *tries) {
  int status = 0;
  if (!subject_load(subject, &(struct machine_request){0}, false, &run->job, run->message))
    return false;
  if (asked->vary && !(tries->vary = explain_vary_new(asked->vary, subject, &run->job, run->message)))
    return false;
  if (!explain_run_base(run, &status) || !try_machines(run, &status))
    return false;
  if (asked->changes)
    tries->changes = explain_changes_new(run, subject, asked->vary ? tries->vary->name : NULL);
  return (!tries->changes || explain_changes_run(tries->changes, run, &status)) &&
         (!tries->vary || explain_vary_run(tries->vary, run, &status));
}

/* The whole report; the caller frees it. */
static char *explained(const struct asked *asked) {
  const struct caller caller = {.pool = asked->pool};
  struct message message = {""};
  struct subject subject = {.direct.program = asked->path};
  struct explain_run run = {.how = {.max_cycles = RUN_MAX_CYCLES, .caller = &caller},
                            .message = &message,
                            .load_on = subject_load_on,
                            .self = &subject,
                            .workers = asked->workers};
  struct explain_tries tries = {0};
  subject.build.reads = &subject.reads;
  const bool good = try_all(asked, &subject, &run, &tries);
  ct_note("%s: %s", asked->path, message.text);
  EXPECT_TRUE(good);
  char *report = good ? explain_json(&run, &tries, 0) : need_copy("");
  explain_vary_free(tries.vary);
  explain_changes_free(tries.changes);
  explain_run_free(&run);
  subject_free(&subject);
  return report;
}

static void same_whoever_works(struct asked asked) {
  asked.pool = &serial_workers;
  ct_freed(ct_free) char *expected = explained(&asked);
  EXPECT_CONTAINS(expected, "\"limits\"");
  asked.pool = NULL;
  asked.workers = 4;
  ct_freed(ct_free) char *threads = explained(&asked);
  EXPECT_STREQ(threads, expected);
  asked.pool = &processes;
  ct_freed(ct_free) char *forked = explained(&asked);
  EXPECT_STREQ(forked, expected);
}

TEST(explain_workers, any_number_of_workers_explains_launches_the_same) {
  same_whoever_works((struct asked){.path = "examples/05_double_buffer/launch.json", .vary = "arg.tiles=8,16,32"});
  same_whoever_works((struct asked){.path = "examples/10_contention/launch.json"});
}

/* Several programs are compiled in parallel. */
TEST(explain_workers, any_number_of_workers_explains_changed_programs_the_same) {
  same_whoever_works((struct asked){.path = "examples/06_deep_buffer/launch_opencl.json", .changes = true});
}

/* Pipes are left as by a replay, and a kernel that depends on time is run. */
TEST(explain_workers, any_number_of_workers_explains_pipes_the_same) {
  same_whoever_works((struct asked){.path = "tests/explain/kernels/pipe.json"});
  same_whoever_works((struct asked){.path = "examples/13_pipe/launch_in_turn_opencl.json"});
}

/* ---- the sentence of a run ---------------------------------------------------------------------------- */

/* The report, which names the bottleneck; the caller frees it. */
static char *reported(const char *path, const struct worker_pool *pool) {
  const struct caller caller = {.pool = pool};
  const struct run_options how = {.max_cycles = RUN_MAX_CYCLES, .caller = &caller};
  struct message message = {""};
  struct subject subject = {.direct.program = path};
  ct_freed(job_free) struct job job = {0};
  struct report report = {.job = &job};
  struct launch_result *results = NULL;
  const struct why_subject again = {.load_on = subject_load_on, .self = &subject};
  int status = 0;
  bool good = subject_load(&subject, &(struct machine_request){0}, false, &job, &message) &&
              run_job(&job, &how, &results, &report.count, &message);
  report.results = results;
  good = good && why_find(WHY_ALWAYS, &how, &report, &again, &status, &message);
  ct_note("%s: %s", path, message.text);
  EXPECT_TRUE(good && report.bottlenecks);
  char *text = report_text(&report);
  why_free(&report);
  run_free(results, report.count);
  subject_free(&subject);
  return text;
}

TEST(explain_workers, run_names_the_same_bottleneck) {
  const char *path = "examples/05_double_buffer/launch.json";
  char *expected = reported(path, &serial_workers), *threads = reported(path, &thread_workers);
  EXPECT_STREQ(threads, expected);
  free(expected);
  free(threads);
}
