/* warpwait check: from a job to its hazards.
 *
 * Order matters as in `run`: every refusal comes before the run, and nothing is written before everything is known. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/need.h"
#include "sim/check/report.h"
#include "sim/cli/cli.h"
#include "sim/cli/help.h"
#include "tools/verbs/job_options.h"

struct invocation {
  struct run_call common;
  struct subject job;
  struct words suppress;
  const char *sarif;
  uint64_t most;
};

/* ---- before the run ---------------------------------------------------------------------------- */

static bool read_suppressions(struct invocation *call, struct suppressions *all) {
  for (size_t i = 0; i < call->suppress.count; i++)
    if (!suppressions_read(all, call->suppress.word[i], &call->common.message))
      return false;
  return true;
}

static bool files_apart(struct invocation *call, const struct job *job) {
  const size_t inputs = call->suppress.count + 2;
  struct run_file *files = need(inputs + 1, sizeof *files);
  files[0] = (struct run_file){"the input", call->job.direct.program};
  files[1] = (struct run_file){"the program", job->program.path};
  for (size_t i = 0; i < call->suppress.count; i++)
    files[i + 2] = (struct run_file){"a file of --suppress", call->suppress.word[i]};
  files[inputs] = (struct run_file){"--sarif", call->sarif};
  const bool good = run_files_apart(&call->common, files, inputs, inputs + 1);
  free(files);
  return good;
}

static bool outputs_possible(struct invocation *call, const struct job *job) {
  return files_apart(call, job) && run_outputs_possible(&call->common, job) &&
         run_can_write(&call->common, "--sarif", call->sarif);
}

/* ---- after the run ----------------------------------------------------------------------------- */

static bool wants_colors(const struct invocation *call) {
  const char *no = getenv("NO_COLOR"), *terminal = getenv("TERM");
  return !call->common.out && isatty(STDOUT_FILENO) && !(no && *no) && terminal && strcmp(terminal, "dumb") != 0;
}

static bool write_text(const char *path, const char *option, char *text, struct message *message) {
  const bool good = path ? console_output(path, text, strlen(text), message) : console_output_painted(text, message);
  free(text);
  return good ? true : option && message_within(message, option);
}

static bool write_outputs(struct invocation *call, const struct check_report *report) {
  struct message *message = &call->common.message;
  if (call->sarif && !write_text(call->sarif, "--sarif", check_sarif(report), message))
    return false;
  char *text = call->common.json ? check_json(report) : check_text(report, wants_colors(call));
  if (!call->common.json && check_suppressed(report) == report->hazard_count)
    text = help_report(VERB_CHECK, text);
  return write_text(call->common.out, NULL, text, message);
}

static int conclude(struct invocation *call, struct suppressions *all, struct check_report *report) {
  bool *suppressed = check_find_suppressed(report, all);
  int status = STATUS_BAD_INPUT;
  report->suppressed = suppressed;
  if (write_outputs(call, report)) {
    const bool unfinished = run_report_unfinished(&call->common, report->job, report->results, report->count);
    status = unfinished || check_suppressed(report) < report->hazard_count ? STATUS_WENT_WRONG : STATUS_FINE;
    suppressions_report_unused(all, call->common.run.caller);
  } else {
    message_print(&call->common.message);
  }
  free(suppressed);
  return status;
}

/* ---- the run ----------------------------------------------------------------------------------- */

static int run_and_report(struct invocation *call, struct job *job, struct suppressions *all) {
  struct checker *checker = checker_new();
  const struct run_watcher watcher = checker_watcher(checker);
  struct check_report report = {.job = job, .most = need_size(call->most)};
  struct launch_result *results = NULL;
  int status = STATUS_BAD_INPUT;
  run_watch(&call->common.run, &watcher);
  if (run_job(job, &call->common.run, &results, &report.count, &call->common.message)) {
    for (size_t i = 0; i < report.count; i++)
      checker_take(checker, (uint32_t)i, &job->launches[i].isa, &results[i]);
    report.results = results;
    report.hazards = checker_hazards(checker, &report.hazard_count);
    report.checked = checker_counts(checker);
    status = conclude(call, all, &report);
  } else {
    message_print(&call->common.message);
  }
  run_free(results, report.count);
  checker_free(checker);
  return status;
}

int verb_check(struct command *command) {
  struct invocation call = {
      .sarif = command_word(command, OPTION_SARIF), .suppress = command_words(command, OPTION_SUPPRESS), .most = 100};
  struct suppressions all = {0};
  struct job job = {0};
  command_number(command, OPTION_MAX_HAZARDS, &call.most);
  call.job.build.near_source = true;
  const bool good = run_take(command, &call.common) && job_take(command, &call.job, &call.common.message) &&
                    read_suppressions(&call, &all) && job_load(&call.job, &call.common, false, &job) &&
                    outputs_possible(&call, &job);
  const int status = !good                   ? console_bad_input(&call.common.message)
                     : call.job.reads.listed ? job_options_list(&call.job.reads, &call.common.message)
                                             : run_and_report(&call, &job, &all);
  job_free(&job);
  suppressions_free(&all);
  run_call_free(&call.common);
  free(call.suppress.word);
  subject_free(&call.job);
  return status;
}
