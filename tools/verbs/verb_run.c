/* warpwait run: from a job to a report.
 *
 * Order matters: every refusal comes before the run, and nothing is written before everything is known. */
#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"
#include "sim/cli/cli.h"
#include "sim/cli/output.h"
#include "sim/replay/recorder.h"
#include "sim/replay/trace_job.h"
#include "sim/session/dump.h"
#include "tools/explain/why.h"
#include "tools/sweep/vary.h"
#include "tools/verbs/job_options.h"

struct invocation {
  struct run_call common;
  struct subject job;
  struct words dumps;
  const char *trace;
  bool verify;
  struct vary vary;       /* for --html-vary with an argument as its axis */
  const struct job *base; /* the run as requested */
};

/* ---- before the run ---------------------------------------------------------------------------- */

static bool files_apart(struct invocation *call) {
  struct run_file *files = need(call->dumps.count + 2, sizeof *files);
  files[0] = (struct run_file){"the input", call->job.direct.program};
  files[1] = (struct run_file){"--trace", call->trace};
  for (size_t i = 0; i < call->dumps.count; i++)
    files[i + 2] = (struct run_file){"--dump", strchr(call->dumps.word[i], '=') + 1};
  const bool good = run_files_apart(&call->common, files, 1, call->dumps.count + 2);
  free(files);
  return good;
}

/* Each output can be written, and no two are the same file. */
static bool outputs_possible(struct invocation *call, const struct job *job) {
  for (size_t i = 0; i < call->dumps.count; i++) {
    struct job_dump dump;
    if (!job_dump_find(job, call->dumps.word[i], &dump, &call->common.message) ||
        !run_can_write(&call->common, "--dump", dump.path))
      return false;
  }
  if (call->trace && !trace_job_possible(job, &call->common.message))
    return message_within(&call->common.message, "--trace");
  return files_apart(call) && run_outputs_possible(&call->common, job) &&
         run_can_write(&call->common, "--trace", call->trace);
}

/* ---- after the run ----------------------------------------------------------------------------- */

static bool write_dump(const struct job *job, const char *word, struct message *message) {
  struct job_dump dump;
  uint64_t bytes = 0;
  uint8_t *owned = NULL;
  if (!job_dump_find(job, word, &dump, message))
    return false;
  const uint8_t *data = job_dump_bytes(job, &dump, &bytes, &owned, message);
  const bool good = data && output_write(dump.path, data, (size_t)bytes, message);
  free(owned);
  return good || message_within(message, "--dump");
}

static bool write_outputs(struct invocation *call, const struct report *report) {
  for (size_t i = 0; i < call->dumps.count; i++)
    if (!write_dump(report->job, call->dumps.word[i], &call->common.message))
      return false;
  return run_write(&call->common, report);
}

/* ---- recording --------------------------------------------------------------------------------- */

static bool record(struct invocation *call, struct job *job, const struct output *trace, struct launch_result **results,
                   size_t *count) {
  struct run_options *how = &call->common.run;
  struct message *message = &call->common.message;
  struct recorder *recorder = recorder_new(trace_writer_open_on(output_duplicate(trace), call->trace, message));
  if (!recorder)
    return message_within(message, "--trace");
  trace_job_write(job, how->max_cycles, recorder_writer(recorder));
  const struct run_watcher watcher = recorder_watcher(recorder);
  run_watch(how, &watcher);
  const bool good = run_call_job(&call->common, job, results, count);
  run_unwatch(how);
  if (good || !trace_writer_good(recorder_writer(recorder)))
    return recorder_close(recorder, message) ? good : message_within(message, "--trace");
  recorder_abandon(recorder);
  return false;
}

/* Runs the job, and records it if requested. */
static bool run_and_record(struct invocation *call, struct job *job, struct launch_result **results, size_t *count) {
  struct message *message = &call->common.message;
  struct output trace;
  if (!call->trace)
    return run_call_job(&call->common, job, results, count);
  if (!output_begin(&trace, call->trace, message))
    return message_within(message, "--trace");
  const bool good = record(call, job, &trace, results, count);
  return output_end(&trace, good, message) || (good && message_within(message, "--trace"));
}

/* ---- more points of the page -------------------------------------------------------------------- */

static bool open_vary(struct invocation *call, const struct job *job) {
  struct page *page = &call->common.page;
  return !page_varies_arguments(page) ||
         vary_open(&call->vary, "--html-vary", page->vary, PAGE_POINTS, &call->job, job, &call->common.message);
}

static bool load_again(struct invocation *call, size_t number, struct job *job) {
  if (!page_varies_arguments(&call->common.page))
    return job_load(&call->job, &call->common, false, job);
  const bool good =
      vary_job(&call->vary, number, call->base->machine, call->common.run.caller, job, &call->common.message);
  if (good) /* the report lists what was set on it */
    job_set_machine(job, job->machine, call->base->machine_file);
  return good;
}

/* The job of one point, for finding what bounds it. */
struct point {
  struct invocation *call;
  size_t number;
};

static bool load_point_on(void *self, const struct machine *machine, const struct caller *caller, struct job *job,
                          struct message *message) {
  const struct point *point = self;
  return page_varies_arguments(&point->call->common.page)
             ? vary_job(&point->call->vary, point->number, machine, caller, job, message)
             : subject_load_on(&point->call->job, machine, caller, job, message);
}

static bool run_again(void *self, size_t number, const char *define) {
  struct invocation *call = self;
  struct point point = {call, number};
  const struct why_subject subject = {.load_on = load_point_on, .self = &point};
  int status = STATUS_FINE;
  struct program_words *defines = &call->job.build.defines;
  struct launch_result *results = NULL;
  struct job job = {0};
  struct report report = {.job = &job};
  if (define)
    program_say(defines, define);
  bool good = load_again(call, number, &job) && run_call_job(&call->common, &job, &results, &report.count);
  report.results = results;
  good = good && run_find_why(&call->common, &report, &subject, &status);
  if (define)
    program_drop_last(defines);
  if (good)
    page_add(&call->common.page, call->common.page.axis.value[number], &report);
  why_free(&report);
  run_free(results, report.count);
  job_free(&job);
  return good;
}

static int run_and_report(struct invocation *call, struct job *job) {
  const struct why_subject subject = {.load_on = subject_load_on, .self = &call->job};
  struct launch_result *results = NULL;
  struct report report = {.job = job};
  int status = STATUS_BAD_INPUT;
  bool good = run_and_record(call, job, &results, &report.count);
  report.results = results;
  struct verdict *verdicts = NULL;
  if (good && call->verify)
    report.verdicts = verdicts = verify_job(job, results, report.count, &report.verdict_count);
  const struct run_again again = {run_again, call};
  good = good && run_find_why(&call->common, &report, &subject, &status) && run_points(&call->common, &report, &again);
  if (good && write_outputs(call, &report))
    status = run_conclude(&call->common, &report);
  else
    message_print(&call->common.message);
  why_free(&report);
  free(verdicts);
  run_free(results, report.count);
  return status;
}

int verb_run(struct command *command) {
  struct invocation call = {.dumps = command_words(command, OPTION_DUMP),
                            .trace = command_word(command, OPTION_TRACE),
                            .verify = command_has(command, OPTION_VERIFY)};
  struct job job = {0};
  bool good = run_take(command, &call.common) && job_take(command, &call.job, &call.common.message) &&
              job_load(&call.job, &call.common, call.verify, &job) && open_vary(&call, &job) &&
              outputs_possible(&call, &job);
  call.base = &job;
  int status = !good                   ? console_bad_input(&call.common.message)
               : call.job.reads.listed ? job_options_list(&call.job.reads, &call.common.message)
                                       : run_and_report(&call, &job);
  vary_close(&call.vary);
  job_free(&job);
  run_call_free(&call.common);
  free(call.dumps.word);
  subject_free(&call.job);
  return status;
}
