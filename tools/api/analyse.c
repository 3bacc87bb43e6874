/* warpwait/analyse.h: diff, explain, sweep. */
#include "include/warpwait/analyse.h"

#include "models/machine.h"
#include "sim/api/api.h"
#include "sim/base/workers.h"
#include "sim/launch/machines.h"
#include "tools/diff/diff.h"
#include "tools/explain/report.h"
#include "tools/sweep/metrics.h"

enum { SHOWN_LINES = 20 /* of a diff, like the command line */ };

static ww_status refuse_form(ww_error *error) { return api_fail(error, WW_UNSUPPORTED, "form: must be text or JSON"); }

/* ---- diff -------------------------------------------------------------------------------------------------------- */

struct diff_call {
  const ww_report *report[DIFF_SIDES];
  ww_form form;
  struct api_sink sink;
  bool differ;
};

static ww_status compare(void *self, struct message *message) {
  static const char *const names[DIFF_SIDES] = {"A", "B"};
  struct diff_call *call = self;
  struct diff_side side[DIFF_SIDES] = {0};
  for (int i = 0; i < DIFF_SIDES; i++) {
    const struct report view = api_report(call->report[i]);
    side[i] = (struct diff_side){.path = names[i], .report = report_json_tree(&view)};
  }
  const size_t all[DIFF_SIDES] = {0};
  const struct diff_view view = {.top = SHOWN_LINES};
  struct diff diff = {0};
  bool good = diff_compare(&diff, side, all, message);
  if (good) {
    char *text = call->form == WW_JSON ? diff_json(&diff) : diff_text(&diff, &view);
    call->differ = diff.differ;
    good = call->sink.sink.write(call->sink.sink.self, text, strlen(text), message);
    free(text);
  }
  diff_free(&diff);
  for (int i = 0; i < DIFF_SIDES; i++)
    json_decref(side[i].report);
  return good ? WW_OK : call->sink.ended ? WW_CANCELLED : WW_BAD_INPUT;
}

ww_status ww_diff(const ww_report *a, const ww_report *b, ww_form form, ww_sink sink, bool *differ, ww_error *error) {
  struct diff_call call = {.report = {a, b}, .form = form};
  API_GIVEN(a);
  API_GIVEN(b);
  API_GIVEN(sink.write);
  if (form != WW_TEXT && form != WW_JSON)
    return refuse_form(error);
  if (!api_has_timing(a) || !api_has_timing(b))
    return api_fail(error, WW_UNSUPPORTED, "%s: the run had no timing", api_has_timing(a) ? "b" : "a");
  api_sink(&call.sink, sink);
  const ww_status status = api_try(NULL, compare, &call, error);
  if (differ)
    *differ = call.differ;
  return status;
}

/* ---- work that takes long ---------------------------------------------------------------------------------------- */

unsigned api_threads(const struct ww_work *work) {
  return !work->threads ? workers_online() : work->threads < MOST_WORKERS ? work->threads : MOST_WORKERS;
}

/* ---- explain ------------------------------------------------------------------------------------------------- */

struct explain_call {
  const ww_trace *trace;
  const ww_machine *machine;
  ww_work work;
  ww_form form;
  struct api_sink sink;
  size_t done;
  bool stopped;
  struct explain_run run;
};

static bool stops(void *self) {
  struct explain_call *call = self;
  struct recovery *recovery = heap_suspend();
  call->stopped = call->stopped || (call->work.tick && !call->work.tick(call->work.self, call->run.done, 0));
  heap_resume(recovery);
  return call->stopped;
}

static ww_status fail_explain(const struct explain_call *call, int status, struct message *message) {
  if (call->stopped)
    return WW_CANCELLED;
  if (status != STATUS_FINE)
    return WW_BAD_INPUT;
  message_fail(message, "a launch of the trace does not finish on machine '%s', so there is nothing to explain",
               call->run.job.machine->name);
  return WW_UNSUPPORTED;
}

/* Fails if any worker could not try its machine: the report would lack that machine. */
static ww_status judge_cases(const struct explain_run *run, struct message *message) {
  for (size_t i = 1; i < run->explain.count; i++)
    if (run->explain.cases[i].status == OUTCOME_failed) {
      message_fail(message, "%s", run->explain.cases[i].reason);
      return run->broken ? WW_DEFECT : WW_NO_MEMORY;
    }
  return WW_OK;
}

static ww_status explain_job(struct explain_call *call, struct message *message) {
  const struct explain_tries tries = {0};
  struct explain_run *run = &call->run;
  int status = STATUS_FINE;
  if (!explain_run_base(run, &status) || !explain_run_machines(run, &status))
    return fail_explain(call, status, message);
  const ww_status lost = judge_cases(run, message);
  if (lost != WW_OK)
    return lost;
  char *text = call->form == WW_JSON ? explain_json(run, &tries, 0) : explain_text(run, &tries, 0);
  const bool good = call->sink.sink.write(call->sink.sink.self, text, strlen(text), message);
  free(text);
  return good ? WW_OK : WW_CANCELLED;
}

static ww_status explain(void *self, struct message *message) {
  struct explain_call *call = self;
  const struct caller caller = {.self = call, .stops = stops};
  struct explain_run *run = &call->run;
  *run = (struct explain_run){
      .how = {.caller = &caller}, .message = message, .path = call->trace->name, .workers = api_threads(&call->work)};
  ww_status status = WW_UNSUPPORTED;
  run->trace = api_trace_open(call->trace, message);
  if (!run->trace)
    status = WW_BAD_INPUT;
  else if (api_trace_job(run->trace, call->trace, call->machine, &run->job, &run->how.max_cycles, message))
    status = explain_job(call, message);
  explain_run_free(run);
  return status;
}

ww_status ww_explain(const ww_trace *trace, const ww_machine *machine, const ww_work *work, ww_form form, ww_sink sink,
                     ww_error *error) {
  struct explain_call call = {.trace = trace, .machine = machine, .form = form};
  API_GIVEN(trace);
  API_GIVEN(sink.write);
  API_TAKE(call.work, work);
  if (form != WW_TEXT && form != WW_JSON)
    return refuse_form(error);
  api_sink(&call.sink, sink);
  return api_try(NULL, explain, &call, error);
}

/* ---- sweep ------------------------------------------------------------------------------------------------- */

enum { SWEEP_AXES = 64 };
#define SWEEP_POINTS (UINT64_C(1) << 32)

struct sweep_call {
  const ww_trace *trace;
  ww_machine *machine; /* a reference to the machine that the points change */
  const ww_axis *axes;
  size_t axis_count, points, done;
  ww_work work;
  bool (*point)(void *self, const ww_point *point);
  void *self;
  bool stopped;
};

/* What a worker returns for a point. */
struct outcome {
  ww_report *report;
  ww_error error;
};

static void find_index(const struct sweep_call *call, size_t number, size_t index[SWEEP_AXES]) {
  for (size_t i = call->axis_count; i-- > 0; number /= call->axes[i].count)
    index[i] = number % call->axes[i].count;
}

struct changes {
  const struct sweep_call *call;
  size_t number;
  ww_machine *made;
};

static ww_status change(void *self, struct message *message) {
  struct changes *changes = self;
  const struct sweep_call *call = changes->call;
  size_t index[SWEEP_AXES];
  struct machine machine = *call->machine->machine;
  find_index(call, changes->number, index);
  for (size_t i = 0; i < call->axis_count; i++)
    if (!machine_put(&machine, call->axes[i].key, call->axes[i].values[index[i]], message))
      return WW_BAD_INPUT;
  if (!machine_settle(&machine, message))
    return WW_BAD_INPUT;
  changes->made = api_machine_new(&machine, call->machine->file);
  return WW_OK;
}

static void run_point(void *self, void *own, size_t task, void *answer) {
  struct changes changes = {.call = self, .number = task};
  struct outcome *outcome = answer;
  (void)own;
  if (api_try(NULL, change, &changes, &outcome->error) == WW_OK)
    ww_trace_replay(changes.call->trace, changes.made, NULL, &outcome->report, &outcome->error);
  ww_machine_unref(changes.made);
}

static bool take_point(void *self, size_t task, const void *answer) {
  struct sweep_call *call = self;
  const struct outcome *outcome = answer;
  size_t index[SWEEP_AXES];
  find_index(call, task, index);
  const ww_point point = {task, index, outcome->report, outcome->report ? NULL : &outcome->error};
  struct recovery *recovery = heap_suspend();
  call->stopped = call->stopped || !call->point(call->self, &point);
  heap_resume(recovery);
  ww_report_unref(outcome->report);
  call->done++;
  return !call->stopped;
}

static void drop_point(void *self, const void *answer) {
  const struct outcome *outcome = answer;
  (void)self;
  ww_report_unref(outcome->report);
}

static bool lose_point(void *self, size_t task, const char *why, bool defect) {
  struct outcome outcome = {.report = NULL};
  api_fail(&outcome.error, defect ? WW_DEFECT : WW_NO_MEMORY, "%s", why);
  return take_point(self, task, &outcome);
}

static bool tick(void *self) {
  struct sweep_call *call = self;
  struct recovery *recovery = heap_suspend();
  call->stopped = call->stopped || (call->work.tick && !call->work.tick(call->work.self, call->done, call->points));
  heap_resume(recovery);
  return !call->stopped;
}

static ww_status sweep(void *self, struct message *message) {
  struct sweep_call *call = self;
  const struct workload work = {.tasks = call->points,
                                .answer_bytes = sizeof(struct outcome),
                                .self = call,
                                .work = run_point,
                                .take = take_point,
                                .lost = lose_point,
                                .tick = tick,
                                .drop = drop_point};
  if (workers_run(NULL, &work, api_threads(&call->work), message))
    return WW_OK;
  message_fail(message, "ended by its caller");
  return WW_CANCELLED;
}

/* Checks that each axis names a parameter and has legal values. */
static ww_status check_axes(void *self, struct message *message) {
  struct sweep_call *call = self;
  call->points = 1;
  for (size_t i = 0; i < call->axis_count; i++) {
    const ww_axis *axis = &call->axes[i];
    struct machine machine = *call->machine->machine;
    if (!axis->key || !axis->values || !axis->count)
      return api_judge(message_fail(message, "axes[%zu]: has no %s", i, axis->key ? "values" : "key"));
    for (size_t v = 0; v < axis->count; v++)
      if (!(axis->values[v] ? machine_put(&machine, axis->key, axis->values[v], message)
                            : message_fail(message, "axes: a value is NULL")))
        return WW_BAD_INPUT;
    if (call->points > SWEEP_POINTS / axis->count)
      return api_judge(message_fail(message, "axes: more than %zu points", (size_t)SWEEP_POINTS));
    call->points *= axis->count;
  }
  return WW_OK;
}

ww_status ww_sweep(const ww_trace *trace, const ww_machine *machine, const ww_axis *axes, size_t axis_count,
                   const ww_work *work, bool (*point)(void *self, const ww_point *point), void *self, ww_error *error) {
  struct sweep_call call = {.trace = trace, .axes = axes, .axis_count = axis_count, .point = point, .self = self};
  API_GIVEN(trace);
  API_GIVEN(point);
  if (axis_count)
    API_GIVEN(axes);
  if (axis_count > SWEEP_AXES)
    return api_fail(error, WW_BAD_INPUT, "axes: more than 64");
  API_TAKE(call.work, work);
  ww_status status = WW_OK;
  if (machine)
    call.machine = ww_machine_ref((ww_machine *)(uintptr_t)machine);
  else
    status = ww_trace_machine(trace, &call.machine, error);
  if (status == WW_OK)
    status = api_try(NULL, check_axes, &call, error);
  if (status == WW_OK)
    status = api_try(NULL, sweep, &call, error);
  ww_machine_unref(call.machine);
  return status;
}

/* ---- metrics ------------------------------------------------------------------------------------------------ */

struct metrics_call {
  const ww_report *report;
  bool (*metric)(void *self, const ww_metric *metric);
  void *self;
};

static bool report_metric(const struct metrics_call *call, const struct store_metric *row, double value) {
  const ww_metric metric = {row->name, row->unit, row->text, value};
  struct recovery *recovery = heap_suspend();
  const bool goes_on = call->metric(call->self, &metric);
  heap_resume(recovery);
  return goes_on;
}

static ww_status report_metrics(void *self, struct message *message) {
  const struct metrics_call *call = self;
  const ww_report *report = call->report;
  double value[SWEEP_METRICS];
  struct sweep_metrics metrics = sweep_metrics_new(false);
  sweep_metrics_take(report->job.machine, report->results, report->count, value);
  bool goes_on = true;
  for (size_t i = 0; goes_on && i < metrics.count; i++)
    goes_on = report_metric(call, &metrics.row[i], value[i]);
  sweep_metrics_free(&metrics);
  if (goes_on)
    return WW_OK;
  message_fail(message, "ended by its caller");
  return WW_CANCELLED;
}

ww_status ww_report_metrics(const ww_report *report, bool (*metric)(void *self, const ww_metric *metric), void *self,
                            ww_error *error) {
  struct metrics_call call = {report, metric, self};
  API_GIVEN(report);
  API_GIVEN(metric);
  if (!ww_report_finished(report) || (report->count && report->results[0].functional))
    return api_fail(error, WW_UNSUPPORTED, "metrics need a finished run with timing");
  return api_try(NULL, report_metrics, &call, error);
}
