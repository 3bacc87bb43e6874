/* Traces and launch files: runs without a device. */

#include "sim/api/api.h"
#include "sim/base/need.h"
#include "sim/launch/launch_file.h"
#include "sim/replay/replayer.h"
#include "sim/replay/trace_job.h"

/* ---- traces ------------------------------------------------------------------------------------------------------ */

struct trace *api_trace_open(const ww_trace *trace, struct message *message) {
  const struct trace_place place = {trace->name, trace->bytes, trace->size};
  return trace_open_at(&place, trace->salvage ? TRACE_SALVAGE : TRACE_WHOLE, message);
}

struct open_call {
  ww_bytes bytes;
  bool salvage;
  ww_trace **made;
};

/* Checks that the trace opens and describes a run. */
static bool check_trace(const ww_trace *made, struct message *message) {
  const struct job_request request = {0};
  struct job job = {0};
  cycle_t max_cycles = 0;
  struct trace *trace = api_trace_open(made, message);
  const bool good = trace && trace_job_read(trace, made->name, &request, &job, &max_cycles, message);
  job_free(&job);
  trace_close(trace);
  return good;
}

static ww_status open_trace(void *self, struct message *message) {
  struct open_call *call = self;
  ww_trace *made = need(1, sizeof *made);
  atomic_init(&made->references, 1);
  made->salvage = call->salvage;
  made->size = call->bytes.size;
  made->name = need_copy(call->bytes.name);
  made->bytes = need(made->size, 1);
  memcpy(made->bytes, call->bytes.data, made->size);
  if (check_trace(made, message)) {
    *call->made = made;
    return WW_OK;
  }
  ww_trace_unref(made);
  return WW_BAD_INPUT;
}

ww_status ww_trace_open(ww_context *context, ww_bytes bytes, bool salvage, ww_trace **trace, ww_error *error) {
  struct open_call call = {.bytes = api_named(bytes, "the trace"), .salvage = salvage, .made = trace};
  API_MADE(trace);
  API_GIVEN(context);
  API_GIVEN(bytes.data);
  return api_try_named(call.bytes.name, open_trace, &call, error);
}

API_REF(ww_trace)

void ww_trace_unref(ww_trace *trace) {
  if (!trace || !api_unref(&trace->references))
    return;
  free(trace->name);
  free(trace->bytes);
  free(trace);
}

struct machine_call {
  const ww_trace *trace;
  ww_machine **made;
};

static ww_status find_machine(void *self, struct message *message) {
  struct machine_call *call = self;
  const struct job_request request = {0};
  struct job job = {0};
  struct trace *trace = api_trace_open(call->trace, message);
  const bool good = trace && trace_job_machine(trace, call->trace->name, &request, &job, message);
  if (good)
    *call->made = api_machine_new(job.machine, job.machine_file);
  job_free(&job);
  trace_close(trace);
  return api_judge(good);
}

ww_status ww_trace_machine(const ww_trace *trace, ww_machine **machine, ww_error *error) {
  struct machine_call call = {trace, machine};
  API_MADE(machine);
  API_GIVEN(trace);
  return api_try(NULL, find_machine, &call, error);
}

bool api_trace_job(struct trace *opened, const ww_trace *trace, const ww_machine *machine, struct job *job,
                   cycle_t *max_cycles, struct message *message) {
  const struct job_request request = {.machine = {.made = machine ? machine->machine : NULL, .made_elsewhere = true}};
  const bool good = trace_job_read(opened, trace->name, &request, job, max_cycles, message);
  if (good && machine)
    job_set_machine(job, job->machine, machine->file);
  return good;
}

/* ---- replays ------------------------------------------------------------------------------------------------- */

/* A report's job that runs to its end in one call. */
struct whole_call {
  ww_watch watch;
  ww_report *report;
};

/* Runs the job with its watchers. `subject` supplies the warps' operations, or is NULL. */
static ww_status run_whole(struct whole_call *call, const struct run_watcher *subject, cycle_t max_cycles,
                           struct message *message) {
  ww_report *report = call->report;
  struct run_options options = {0};
  struct api_watchers *watchers = NULL;
  if (subject)
    run_watch(&options, subject);
  if (!api_watch_fits(&call->watch, &report->job, message))
    return WW_BAD_INPUT;
  ww_status status = api_watch_begin(&call->watch, &report->job, 0, &options, &watchers, message);
  if (max_cycles && !call->watch.cycle_limit)
    options.max_cycles = max_cycles;
  if (status == WW_OK)
    status = api_judge(run_job(&report->job, &options, &report->results, &report->count, message));
  status = api_watch_end(watchers, &report->job, report->results, report->count, status, message);
  if (status == WW_OK)
    api_watch_keep(watchers, report);
  api_watch_free(watchers);
  return status;
}

struct replay_call {
  struct whole_call whole; /* first */
  const ww_trace *trace;
  const ww_machine *machine;
};

static ww_status run_replayer(struct replay_call *call, struct replayer *replayer, cycle_t max_cycles,
                              struct message *message) {
  const struct run_watcher watcher = replayer_watcher(replayer);
  const ww_status status = run_whole(&call->whole, &watcher, max_cycles, message);
  if (status == WW_CANCELLED || !replayer_fault(replayer))
    return status;
  message_fail(message, "%s", replayer_fault(replayer));
  return replayer_damaged(replayer) ? WW_BAD_INPUT : WW_UNSUPPORTED;
}

static ww_status replay_job(struct replay_call *call, struct trace *trace, struct message *message) {
  cycle_t max_cycles = 0;
  if (!api_trace_job(trace, call->trace, call->machine, &call->whole.report->job, &max_cycles, message))
    return WW_UNSUPPORTED; /* on its own machine, reading it has succeeded before */
  struct replayer *replayer = replayer_of_job(trace, &call->whole.report->job, call->trace->salvage, message);
  if (!replayer)
    return WW_BAD_INPUT;
  const ww_status status = run_replayer(call, replayer, max_cycles, message);
  replayer_free(replayer);
  return status;
}

static ww_status replay(void *self, struct message *message) {
  struct replay_call *call = self;
  struct trace *trace = api_trace_open(call->trace, message);
  call->whole.report = api_report_new();
  const ww_status status = trace ? replay_job(call, trace, message) : WW_BAD_INPUT;
  trace_close(trace);
  return status;
}

/* Passes the report to the caller, or frees it. */
static ww_status return_report(struct whole_call *call, ww_status status, ww_report **report) {
  if (status == WW_OK)
    api_notify(&call->watch, call->report);
  if (status == WW_OK && report)
    *report = call->report;
  else if (!api_lost(status)) /* else the recovery point has freed it */
    ww_report_unref(call->report);
  return status;
}

ww_status ww_trace_replay(const ww_trace *trace, const ww_machine *machine, const ww_watch *watch, ww_report **report,
                          ww_error *error) {
  struct replay_call call = {.trace = trace, .machine = machine};
  if (report)
    *report = NULL;
  API_GIVEN(trace);
  API_TAKE_WATCH(call.whole.watch, watch);
  if (call.whole.watch.check || call.whole.watch.trace.write)
    return api_fail(error, WW_BAD_INPUT, "watch: a replay cannot be checked or recorded, because a trace has no data");
  if (call.whole.watch.functional)
    return api_fail(error, WW_BAD_INPUT, "functional: a replay has only timing, because a trace has no data");
  return return_report(&call.whole, api_try(NULL, replay, &call, error), report);
}

/* ---- launch files --------------------------------------------------------------------------------------- */

struct file_call {
  struct whole_call whole; /* first */
  ww_context *context;
  ww_bytes file;
  const ww_machine *machine;
  bool verify, passed, stopped;
};

/* Called before anything runs. */
static bool stops(void *self) {
  struct file_call *call = self;
  const ww_watch *watch = &call->whole.watch;
  struct recovery *recovery = heap_suspend();
  call->stopped = call->stopped || (watch->tick && !watch->tick(watch->self, 0, 0, 0));
  heap_resume(recovery);
  return call->stopped;
}

static bool verify(ww_report *report) {
  bool passed = ww_report_finished(report);
  report->verdicts = verify_job(&report->job, report->results, report->count, &report->verdict_count);
  for (size_t i = 0; i < report->verdict_count; i++)
    passed = passed && report->verdicts[i].passed;
  return passed;
}

/* For running the file again from the report. */
static void keep_file(const struct file_call *call, struct api_file *file) {
  file->name = need_copy(call->file.name);
  file->text = need(call->file.size, 1);
  file->size = call->file.size;
  if (file->size)
    memcpy(file->text, call->file.data, file->size);
  file->context = ww_context_ref(call->context);
}

static ww_status run_file(void *self, struct message *message) {
  struct file_call *call = self;
  const char *name = call->file.name;
  const struct caller caller = {.self = call, .stops = stops};
  const struct job_request request = {.machine.made = call->machine ? call->machine->machine : NULL,
                                      .verify = call->verify,
                                      .build = {.caller = &caller, .tools = &call->context->tools}};
  ww_report *report = call->whole.report = api_report_new();
  if (!launch_parse(call->file.data, call->file.size, name, &request, &report->job, message))
    return call->stopped ? WW_CANCELLED : WW_BAD_INPUT;
  if (call->machine)
    job_set_machine(&report->job, report->job.machine, call->machine->file);
  const ww_status status = run_whole(&call->whole, NULL, 0, message);
  if (status == WW_OK && call->verify)
    call->passed = verify(report);
  if (status == WW_OK)
    keep_file(call, &report->file);
  return status;
}

ww_status ww_file_run(ww_context *context, ww_bytes launch_file, const ww_machine *machine, const ww_watch *watch,
                      bool verify, bool *passed, ww_report **report, ww_error *error) {
  struct file_call call = {
      .context = context, .file = api_named(launch_file, "launch.json"), .machine = machine, .verify = verify};
  if (report)
    *report = NULL;
  if (passed)
    *passed = false;
  API_GIVEN(context);
  API_GIVEN(launch_file.data);
  API_TAKE_WATCH(call.whole.watch, watch);
  const ww_status status = api_try_named(call.file.name, run_file, &call, error);
  if (passed)
    *passed = status == WW_OK && call.passed;
  return return_report(&call.whole, status, report);
}
