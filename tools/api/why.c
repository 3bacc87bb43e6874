/* Reports that explain what bounds a launch by lifting limits. */
#include "tools/explain/why.h"

#include <inttypes.h>

#include "include/warpwait/analyse.h"
#include "sim/api/api.h"
#include "sim/launch/launch_file.h"
#include "sim/replay/trace_job.h"

struct why_call {
  ww_report *report; /* of the original run */
  const ww_trace *trace;
  bool always, stopped, lost;
  ww_work work;
  ww_report **made;
};

static bool stops(void *self) {
  struct why_call *call = self;
  struct recovery *recovery = heap_suspend();
  call->stopped = call->stopped || (call->work.tick && !call->work.tick(call->work.self, 0, 0));
  heap_resume(recovery);
  return call->stopped;
}

/* ---- the trace --------------------------------------------------------------------------------------------------- */

static bool is_same_launch(const struct isa_launch *a, const struct isa_launch *b) {
  return strcmp(a->kernel->name, b->kernel->name) == 0 && memcmp(a->global, b->global, sizeof a->global) == 0 &&
         memcmp(a->local, b->local, sizeof a->local) == 0 && memcmp(a->offset, b->offset, sizeof a->offset) == 0;
}

/* Checks that the trace has the report's launches. */
static bool check_launches(const struct job *report, const struct job *trace, struct message *message) {
  if (report->launch_count != trace->launch_count)
    return message_fail(message, "trace: belongs to another run: it has %zu launch%s, the report has %zu",
                        trace->launch_count, trace->launch_count == 1 ? "" : "es", report->launch_count);
  for (size_t i = 0; i < report->launch_count; i++)
    if (report->launches[i].together != trace->launches[i].together ||
        !is_same_launch(&report->launches[i].isa, &trace->launches[i].isa))
      return message_fail(message, "trace: belongs to another run: its launch %zu differs from the report's", i + 1);
  return true;
}

static ww_status check_trace(const struct why_call *call, struct trace *trace, cycle_t *max_cycles,
                             struct message *message) {
  struct job job = {0};
  const bool good = api_trace_job(trace, call->trace, NULL, &job, max_cycles, message) &&
                    check_launches(&call->report->job, &job, message);
  job_free(&job);
  return api_judge(good);
}

/* ---- the launch file --------------------------------------------------------------------------------------------- */

static bool load_on(void *self, const struct machine *machine, const struct caller *caller, struct job *job,
                    struct message *message) {
  const struct api_file *file = self;
  const struct job_request request = {.machine.made = machine,
                                      .build = {.caller = caller, .tools = &file->context->tools}};
  return launch_parse(file->text, file->size, file->name, &request, job, message);
}

/* ---- limits ------------------------------------------------------------------------------------------------------ */

static ww_status fail(const struct why_call *call, int status, struct message *message) {
  if (call->stopped)
    return WW_CANCELLED;
  if (status == STATUS_FINE) /* it exceeded twice the report's cycles */
    message_fail(message, "%s: belongs to another run: it takes more cycles", call->trace ? "trace" : "report");
  return status == STATUS_DEFECT ? WW_DEFECT : call->lost ? WW_NO_MEMORY : WW_BAD_INPUT;
}

/* Checks that the limits were lifted from the report's own run. */
static bool check_cycles(const struct why_call *call, const struct report *view, struct message *message) {
  const struct bottleneck *found = view->bottlenecks;
  for (size_t i = 0; i < view->count; i++)
    if (!found[0].groups && found[i].cycles != view->results[i].together_cycles)
      return message_fail(message, "%s: launch %zu takes %" PRIu64 " cycles, but %" PRIu64 " in the report: %s",
                          call->trace ? "trace" : "report", i + 1, found[i].cycles, view->results[i].together_cycles,
                          call->trace ? "that run started with warm caches, or it is another run"
                                      : "files named by its launch file have changed");
  return true;
}

/* Fills view->bottlenecks, or leaves it NULL. `trace` NULL: runs the launch file. */
static ww_status lift(struct why_call *call, struct trace *trace, struct report *view, struct message *message) {
  const struct caller caller = {.self = call, .stops = stops};
  const struct why_subject subject = {.load_on = trace ? NULL : load_on,
                                      .self = &call->report->file,
                                      .trace = trace,
                                      .path = trace ? call->trace->name : NULL,
                                      .workers = api_threads(&call->work),
                                      .in_memory = true,
                                      .lost = &call->lost};
  struct run_options how = {.max_cycles = RUN_MAX_CYCLES, .caller = &caller};
  int status = STATUS_FINE;
  cycle_t max_cycles = 0;
  const ww_status checked = trace ? check_trace(call, trace, &max_cycles, message) : WW_OK;
  if (checked != WW_OK)
    return checked;
  how.max_cycles = max_cycles ? max_cycles : how.max_cycles;
  if (!why_find(call->always ? WHY_ALWAYS : WHY_SHORT, &how, view, &subject, &status, message))
    return fail(call, status, message);
  return !view->bottlenecks || check_cycles(call, view, message) ? WW_OK : WW_UNSUPPORTED;
}

/* ---- another report ---------------------------------------------------------------------------------------------- */

/* Takes over the bottlenecks. */
static ww_report *view_of(ww_report *report, struct report *view) {
  ww_report *made = api_report_new();
  made->machine = report->machine;
  made->job = report->job;
  made->results = report->results;
  made->count = report->count;
  made->verdicts = report->verdicts;
  made->verdict_count = report->verdict_count;
  made->programs = report->programs;
  made->program_count = report->program_count;
  made->checked = report->checked;
  made->hazards = report->hazards;
  made->hazard_count = report->hazard_count;
  made->counts = report->counts;
  made->page = report->page;
  made->bottlenecks = (struct bottleneck *)(uintptr_t)view->bottlenecks;
  made->why = view->why;
  made->of = ww_report_ref(report);
  return made;
}

static ww_status find_why(void *self, struct message *message) {
  struct why_call *call = self;
  struct report view = api_report(call->report);
  struct trace *trace = call->trace ? api_trace_open(call->trace, message) : NULL;
  ww_status status = trace || !call->trace ? WW_OK : WW_BAD_INPUT;
  if (status == WW_OK && !(trace && call->trace->salvage)) /* a salvaged trace is not a complete run */
    status = lift(call, trace, &view, message);
  trace_close(trace);
  if (status == WW_OK)
    *call->made = view_of(call->report, &view);
  else
    why_free(&view);
  return status;
}

ww_status ww_report_why(const ww_report *report, const ww_trace *trace, bool always, const ww_work *work,
                        ww_report **lifted, ww_error *error) {
  struct why_call call = {.trace = trace, .always = always, .made = lifted};
  API_MADE(lifted);
  API_GIVEN(report);
  API_TAKE(call.work, work);
  call.report = (ww_report *)(uintptr_t)(report->of ? report->of : report);
  if (!trace && !call.report->file.context)
    return api_fail(error, WW_BAD_INPUT, "trace: is NULL; only the report of a launch file can do without");
  if (!api_has_timing(report))
    return api_fail(error, WW_UNSUPPORTED, "report: the run had no timing");
  return api_try(NULL, find_why, &call, error);
}
