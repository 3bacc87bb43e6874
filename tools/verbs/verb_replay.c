/* warpwait replay: from a trace to a report. */
#include <inttypes.h>
#include <string.h>

#include "sim/cli/cli.h"
#include "sim/replay/replayer.h"
#include "tools/explain/why.h"
#include "tools/trace/opened.h"
#include "tools/verbs/run_call.h"

struct invocation {
  struct run_call common;
  const char *trace;
  bool salvage;
};

static int report_cut_short(const struct replayer *replayer, struct message *message) {
  const uint64_t warps = replayer_cut_short(replayer);
  message_fail(message, "%" PRIu64 " warp%s where the recording was cut off", warps, warps == 1 ? " ends" : "s end");
  message_print(message);
  return STATUS_WENT_WRONG;
}

/* An error in the file already begins with its path; an error in its contents does not. */
static int report_fault(struct invocation *call, const struct replayer *replayer) {
  struct message *message = &call->common.message;
  const char *fault = replayer_fault(replayer);
  if (!replayer_damaged(replayer))
    message_fail(message, "%s (`run` has the whole kernel)", fault);
  else
    message_fail(message, strncmp(fault, call->trace, strlen(call->trace)) == 0 ? "%.0s%s" : "%.300s: %s", call->trace,
                 fault);
  message_print(message);
  return replayer_damaged(replayer) ? STATUS_BAD_INPUT : STATUS_WENT_WRONG;
}

static bool read_job(struct invocation *call, struct trace *trace, struct job *job, cycle_t *max_cycles) {
  const struct job_request request = {
      .machine = {.name = call->common.machine, .set = call->common.sets.word, .set_count = call->common.sets.count}};
  return trace_job_read(trace, call->trace, &request, job, max_cycles, &call->common.message);
}

/* ---- more points of the page -------------------------------------------------------------------- */

struct again {
  struct invocation *call;
  struct trace *trace;
};

/* A recording that was cut short is not a complete run. */
static bool find_why(struct invocation *call, struct trace *trace, const struct replayer *replayer,
                     struct report *report, int *status) {
  const struct why_subject subject = {.trace = trace, .path = call->trace};
  return call->salvage || replayer_cut_short(replayer) || run_find_why(&call->common, report, &subject, status);
}

static bool replay_again(void *self, size_t number, const char *define) {
  const struct again *again = self;
  struct run_call *call = &again->call->common;
  struct launch_result *results = NULL;
  struct job job = {0};
  struct report report = {.job = &job};
  int status = STATUS_FINE;
  (void)define;
  cycle_t max_cycles = 0;
  struct replayer *replayer = read_job(again->call, again->trace, &job, &max_cycles)
                                  ? replayer_of_job(again->trace, &job, again->call->salvage, &call->message)
                                  : NULL;
  bool good = replayer;
  if (good) {
    const struct run_watcher watcher = replayer_watcher(replayer);
    run_watch(&call->run, &watcher);
    good = run_call_job(call, &job, &results, &report.count);
    run_unwatch(&call->run);
    report.results = results;
    if (replayer_fault(replayer))
      good = message_fail(&call->message, "%s", replayer_fault(replayer));
    good = good && find_why(again->call, again->trace, replayer, &report, &status);
    replayer_free(replayer);
  }
  if (good)
    page_add(&call->page, call->page.axis.value[number], &report);
  why_free(&report);
  run_free(results, report.count);
  job_free(&job);
  return good;
}

static int replay_and_report(struct invocation *call, struct trace *trace, struct job *job, struct replayer *replayer) {
  const struct run_watcher watcher = replayer_watcher(replayer);
  struct launch_result *results = NULL;
  struct report report = {.job = job};
  struct message *message = &call->common.message;
  struct again again = {call, trace};
  const struct run_again further = {replay_again, &again};
  int status = STATUS_BAD_INPUT;
  run_watch(&call->common.run, &watcher);
  bool good = run_call_job(&call->common, job, &results, &report.count);
  run_unwatch(&call->common.run);
  report.results = results;
  if (replayer_fault(replayer)) {
    status = report_fault(call, replayer);
  } else if (good && find_why(call, trace, replayer, &report, &status) &&
             run_points(&call->common, &report, &further) && run_write(&call->common, &report)) {
    status = run_conclude(&call->common, &report);
    if (replayer_cut_short(replayer))
      status = report_cut_short(replayer, message);
  } else {
    message_print(message);
  }
  why_free(&report);
  run_free(results, report.count);
  return status;
}

static int replay(struct invocation *call, struct trace *trace) {
  struct job job = {0};
  cycle_t max_cycles = 0;
  bool good = read_job(call, trace, &job, &max_cycles) &&
              run_files_apart(&call->common, &(struct run_file){"the input", call->trace}, 1, 1) &&
              run_outputs_possible(&call->common, &job);
  if (good && !call->common.cycles_given)
    call->common.run.max_cycles = max_cycles;
  struct replayer *replayer = good ? replayer_of_job(trace, &job, call->salvage, &call->common.message) : NULL;
  if (replayer)
    trace_job_warn(trace, &job, call->common.run.caller);
  int status = replayer ? replay_and_report(call, trace, &job, replayer) : console_bad_input(&call->common.message);
  if (replayer)
    replayer_free(replayer);
  job_free(&job);
  return status;
}

int verb_replay(struct command *command) {
  struct invocation call = {.common.page.built = true, .salvage = command_has(command, OPTION_SALVAGE)};
  struct message *message = &call.common.message;
  bool good = run_take(command, &call.common) && console_input(command_operand(command, 0), &call.trace, message);
  struct trace *trace = good ? trace_open(call.trace, call.salvage ? TRACE_SALVAGE : TRACE_WHOLE, message) : NULL;
  if (trace)
    trace_report_prefix(trace, message, &console_caller);
  int status = trace ? replay(&call, trace) : console_bad_input(message);
  if (trace)
    trace_close(trace);
  run_call_free(&call.common);
  return status;
}
