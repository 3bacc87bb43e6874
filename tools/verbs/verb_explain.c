/* warpwait explain: from a launch or a trace to why it takes so long, and what would help.
 *
 * Order matters as in `run`: every refusal comes before the run, and nothing is written before everything is known. */
#include <stdlib.h>
#include <string.h>

#include "sim/base/file.h"
#include "sim/base/need.h"
#include "sim/base/workers.h"
#include "sim/cli/cli.h"
#include "sim/cli/help.h"
#include "tools/explain/report.h"
#include "tools/verbs/job_options.h"

struct invocation {
  struct run_call common;
  struct subject job;
  const char *vary;
  bool unchanged;
  uint64_t launch, jobs;
};

/* ---- before the run -------------------------------------------------------------------------------- */

static bool is_trace(const struct invocation *call) {
  return strcmp(file_extension(call->job.direct.program), ".wwt") == 0;
}

static bool load_trace(struct invocation *call, struct explain_run *run) {
  const struct job_request request = {
      .machine = {.name = call->common.machine, .set = call->common.sets.word, .set_count = call->common.sets.count}};
  struct message *message = &call->common.message;
  cycle_t max_cycles = 0;
  run->path = call->job.direct.program;
  if (call->vary)
    return message_fail(message, "--vary: needs a kernel; a trace has one program and one set of arguments");
  if (!subject_for_trace(&call->job, message))
    return false;
  run->trace = trace_open(run->path, TRACE_WHOLE, message);
  if (!run->trace || !trace_job_read(run->trace, run->path, &request, &run->job, &max_cycles, message))
    return false;
  if (!call->common.cycles_given)
    run->how.max_cycles = max_cycles;
  trace_job_warn(run->trace, &run->job, call->common.run.caller);
  return true;
}

static bool load_job(struct invocation *call, struct explain_run *run, struct explain_vary **vary) {
  struct message *message = &call->common.message;
  run->load_on = subject_load_on;
  run->self = &call->job;
  if (!job_load(&call->job, &call->common, false, &run->job) || !trace_job_possible(&run->job, message))
    return false;
  return !call->vary || (*vary = explain_vary_new(call->vary, &call->job, &run->job, message));
}

static bool load(struct invocation *call, struct explain_run *run, struct explain_vary **vary) {
  struct message *message = &call->common.message;
  if (!(is_trace(call) ? load_trace(call, run) : load_job(call, run, vary)))
    return false;
  if (call->launch > run->job.launch_count)
    return message_fail(message, "--launch: %llu is outside [1, %zu]", (unsigned long long)call->launch,
                        run->job.launch_count);
  const struct run_file files[] = {{"the input", call->job.direct.program}, {"the program", run->job.program.path}};
  return run_files_apart(&call->common, files, 2, 2) && run_outputs_possible(&call->common, &run->job);
}

/* ---- the runs -------------------------------------------------------------------------------------- */

/* Makes and runs the source changes that apply to the kernel. */
static bool try_changes(struct invocation *call, struct explain_run *run, struct explain_tries *tries, int *status) {
  if (call->unchanged || !run->load_on)
    return true;
  tries->changes = explain_changes_new(run, &call->job, tries->vary ? tries->vary->name : NULL);
  return explain_changes_run(tries->changes, run, status);
}

static int explain(struct invocation *call, struct explain_run *run, struct explain_tries *tries) {
  struct message *message = &call->common.message;
  int status = STATUS_FINE;
  *message->text = '\0';
  if (!explain_run_base(run, &status) || !explain_run_machines(run, &status) ||
      !try_changes(call, run, tries, &status) || (tries->vary && !explain_vary_run(tries->vary, run, &status))) {
    if (status != STATUS_FINE)
      message_print(message);
    else if (run_report_unfinished(&call->common, &run->job, run->results, run->count))
      status = STATUS_WENT_WRONG;
    return status;
  }
  const size_t launch = need_size(call->launch);
  char *text = call->common.json ? explain_json(run, tries, launch)
                                 : help_report(VERB_EXPLAIN, explain_text(run, tries, launch));
  const bool good = console_output(call->common.out, text, strlen(text), message);
  free(text);
  if (!good)
    return console_bad_input(message);
  if (!explain_missing(run, tries, message))
    return STATUS_FINE;
  message_print(message);
  return run->broken ? STATUS_DEFECT : STATUS_BAD_INPUT;
}

static bool take(struct command *command, struct invocation *call) {
  struct message *message = &call->common.message;
  const struct words vary = command_words(command, OPTION_VARY);
  const char *second = vary.count > 1 ? vary.word[1] : NULL;
  call->vary = vary.count ? vary.word[0] : NULL;
  free(vary.word);
  call->unchanged = command_has(command, OPTION_NO_CHANGES);
  command_number(command, OPTION_LAUNCH, &call->launch);
  command_number(command, OPTION_JOBS, &call->jobs);
  if (second)
    return message_fail(message, "--vary: '%.60s' is a second name; use `warpwait sweep` to vary several", second);
  return run_take(command, &call->common) && job_take(command, &call->job, message);
}

int verb_explain(struct command *command) {
  struct invocation call = {.jobs = workers_online()};
  struct explain_run run = {.message = &call.common.message};
  struct explain_tries tries = {0};
  bool good = take(command, &call);
  run.how = call.common.run;
  run.workers = (unsigned)call.jobs;
  good = good && load(&call, &run, &tries.vary);
  const int status = !good                   ? console_bad_input(&call.common.message)
                     : call.job.reads.listed ? job_options_list(&call.job.reads, &call.common.message)
                                             : explain(&call, &run, &tries);
  explain_vary_free(tries.vary);
  explain_changes_free(tries.changes);
  explain_run_free(&run);
  run_call_free(&call.common);
  subject_free(&call.job);
  return status;
}
