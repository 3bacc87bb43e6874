/* Turns a watch into watchers of a run, and collects their results afterwards. */

#include "sim/api/api.h"
#include "sim/base/file.h"
#include "sim/base/need.h"
#include "sim/replay/recorder.h"
#include "sim/replay/trace_job.h"

struct api_watchers {
  ww_watch watch;
  cycle_t before;
  bool cancelled;
  struct timeline events;
  struct run_watcher own, checking, recording;
  struct checker *checker;
  const struct check_hazard *hazards; /* owned by the checker */
  size_t hazard_count;
  struct recorder *recorder;
  struct api_sink trace;
  struct api_page *page; /* the timeline and the page; NULL: neither */
};

/* ---- callbacks ------------------------------------------------------------------------------------------------- */

struct timeline_event api_event_since(const struct timeline_event *event, cycle_t before) {
  const struct timeline_field_row *row = timeline_kind_rows[event->kind].field;
  struct timeline_event shifted = *event;
  shifted.from += before;
  shifted.to += before;
  for (unsigned i = 0; before && row[i].name; i++)
    if (event->field[i] && strcmp(row[i].type, "cycle") == 0)
      shifted.field[i] += before;
  return shifted;
}

static void take_event(void *self, uint32_t stream, cycle_t now, const struct timeline_event *event) {
  const struct api_watchers *watchers = self;
  const struct timeline_event shifted = api_event_since(event, watchers->before);
  const ww_event reported = {.kind = event->kind,
                             .cu = event->cu,
                             .unit = event->unit,
                             .from = shifted.from,
                             .to = shifted.to,
                             .launch = watchers->events.launch,
                             .field_count = timeline_kind_rows[event->kind].fields,
                             .fields = shifted.field};
  (void)stream, (void)now;
  struct recovery *recovery = heap_suspend();
  watchers->watch.event(watchers->watch.self, &reported);
  heap_resume(recovery);
}

static bool tick(void *self, cycle_t now, uint64_t done, uint64_t groups) {
  struct api_watchers *watchers = self;
  const ww_watch *watch = &watchers->watch;
  struct recovery *recovery = heap_suspend();
  watchers->cancelled =
      watchers->cancelled || (watch->tick && !watch->tick(watch->self, watchers->before + now, done, groups));
  heap_resume(recovery);
  return !watchers->cancelled;
}

uint32_t ww_event_kind(const char *name) {
  for (uint32_t kind = 0; name && kind < TIMELINE_KINDS; kind++)
    if (strcmp(timeline_kind_rows[kind].name, name) == 0)
      return kind;
  return UINT32_MAX;
}

const char *ww_event_name(uint32_t kind) { return kind < TIMELINE_KINDS ? timeline_kind_rows[kind].name : NULL; }

const char *ww_event_field(uint32_t kind, uint32_t field) {
  return kind < TIMELINE_KINDS && field < timeline_kind_rows[kind].fields ? timeline_kind_rows[kind].field[field].name
                                                                          : NULL;
}

/* ---- before the run ---------------------------------------------------------------------------------------------- */

static void watch_own(struct api_watchers *watchers, struct run_options *options) {
  const ww_watch *watch = &watchers->watch;
  watchers->own = (struct run_watcher){.self = watchers, .settle = tick};
  if (watch->event && watch->event_kinds) {
    watchers->events = (struct timeline){.take = take_event,
                                         .self = watchers,
                                         .kinds = (uint32_t)watch->event_kinds & ((UINT32_C(1) << TIMELINE_KINDS) - 1)};
    watchers->own.timeline = &watchers->events;
  }
  run_watch(options, &watchers->own);
}

static bool record(struct api_watchers *watchers, const struct job *job, struct run_options *options,
                   struct message *message) {
  api_sink(&watchers->trace, watchers->watch.trace);
  watchers->recorder = recorder_new(trace_writer_open_sink(&watchers->trace.sink, "the trace", message));
  if (!watchers->recorder)
    return false;
  trace_job_write(job, options->max_cycles, recorder_writer(watchers->recorder));
  watchers->recording = recorder_watcher(watchers->recorder);
  run_watch(options, &watchers->recording);
  return true;
}

/* The first of the watch's requests that needs timing, or that watches how warps get their operations. */
static const char *timed(const ww_watch *watch) {
  return watch->event && watch->event_kinds ? "event"
         : watch->check                     ? "check"
         : watch->trace.write               ? "trace"
         : watch->page                      ? "page"
         : watch->timeline.write            ? "timeline"
                                            : NULL;
}

bool api_watch_fits(const ww_watch *watch, const struct job *job, struct message *message) {
  if (watch->functional && timed(watch))
    return message_fail(message, "%s: needs a run with timing; `functional` is set", timed(watch));
  if (watch->threads > WW_THREADS)
    return message_fail(message, "threads: %u is not in [0, %u]", watch->threads, WW_THREADS);
  if (watch->check && watch->trace.write)
    return message_fail(message, "trace: a checked run cannot be recorded; run it twice");
  return !watch->trace.write || trace_job_possible(job, message);
}

/* Whether a sink of the caller refused more bytes. */
static bool is_ended(const struct api_watchers *watchers) {
  return watchers->trace.ended || (watchers->page && api_page_ended(watchers->page));
}

ww_status api_watch_begin(const ww_watch *watch, const struct job *job, cycle_t before, struct run_options *options,
                          struct api_watchers **watchers, struct message *message) {
  struct api_watchers *made = *watchers = need(1, sizeof *made);
  made->watch = *watch;
  made->before = before;
  options->max_cycles = watch->cycle_limit ? watch->cycle_limit : RUN_MAX_CYCLES;
  options->functional = watch->functional;
  options->threads = watch->threads ? watch->threads : RUN_BEST_THREADS;
  watch_own(made, options);
  if (made->watch.check) {
    made->checker = checker_new();
    made->checking = checker_watcher(made->checker);
    run_watch(options, &made->checking);
  }
  if (made->watch.trace.write && !record(made, job, options, message))
    return is_ended(made) ? WW_CANCELLED : WW_BAD_INPUT;
  if ((made->watch.page || made->watch.timeline.write) &&
      !api_page_begin(&made->watch, job, before, options, &made->page, message))
    return is_ended(made) ? WW_CANCELLED : WW_BAD_INPUT;
  return WW_OK;
}

/* ---- after it ------------------------------------------------------------------------------------------------- */

static bool end_recording(struct api_watchers *watchers, bool good, struct message *message) {
  struct recorder *recorder = watchers->recorder;
  watchers->recorder = NULL;
  if (!good && trace_writer_good(recorder_writer(recorder))) {
    recorder_abandon(recorder);
    return false;
  }
  return recorder_close(recorder, message) && good;
}

ww_status api_watch_end(struct api_watchers *watchers, const struct job *job, const struct launch_result *results,
                        size_t count, ww_status status, struct message *message) {
  bool good = status == WW_OK;
  for (size_t i = 0; watchers->checker && i < count; i++)
    checker_take(watchers->checker, (uint32_t)i, &job->launches[i].isa, &results[i]);
  if (watchers->checker)
    watchers->hazards = checker_hazards(watchers->checker, &watchers->hazard_count);
  if (watchers->recorder)
    good = end_recording(watchers, good, message);
  if (watchers->page)
    good = api_page_end(watchers->page, job, results, count, good, message);
  if (watchers->cancelled && !*message->text) /* stopped near its end */
    message_fail(message, "the run was ended by its caller");
  if (watchers->cancelled || is_ended(watchers))
    return WW_CANCELLED;
  return good ? WW_OK : status == WW_OK ? WW_BAD_INPUT : status;
}

void api_watch_keep(const struct api_watchers *watchers, ww_report *report) {
  if (watchers->checker) {
    report->checked = true;
    report->counts = checker_counts(watchers->checker);
    report->hazards = need(watchers->hazard_count, sizeof *report->hazards);
    report->hazard_count = watchers->hazard_count;
    if (report->hazard_count)
      memcpy(report->hazards, watchers->hazards, report->hazard_count * sizeof *report->hazards);
  }
  if (watchers->page)
    api_page_keep(watchers->page, &report->page);
  heap_disown(report->hazards);
  heap_disown(report->page.data);
}

void api_watch_free(struct api_watchers *watchers) {
  if (!watchers)
    return;
  if (watchers->recorder)
    recorder_abandon(watchers->recorder);
  if (watchers->checker)
    checker_free(watchers->checker);
  if (watchers->page)
    api_page_free(watchers->page);
  free(watchers);
}

/* ---- callbacks for a report ----------------------------------------------------------------------------- */

static ww_hazard found_by_run(const ww_report *report, uint32_t launch, const struct hazard_result *found) {
  const struct isa_hazard *hazard = &found->first;
  const struct isa_program *program = report->job.launches[launch].isa.program;
  const char *source = isa_source_name(program, hazard->pc);
  return (ww_hazard){.rule = isa_hazard_rows[hazard->rule].rule,
                     .message = isa_hazard_rows[hazard->rule].text,
                     .detail = hazard->detail,
                     .file = file_base(source ? source : program->file),
                     .line = program_line(program, hazard->pc),
                     .launch = launch,
                     .work_group = {hazard->group[0], hazard->group[1], hazard->group[2]},
                     .work_item = hazard->item,
                     .count = found->count};
}

static ww_hazard found_by_check(const struct check_hazard *hazard) {
  const struct check_side *here = &hazard->here;
  const struct check_place place = check_place(here);
  return (ww_hazard){.rule = isa_hazard_rows[hazard->rule].rule,
                     .message = isa_hazard_rows[hazard->rule].text,
                     .detail = hazard->detail,
                     .file = place.name,
                     .line = place.line,
                     .launch = hazard->launch,
                     .work_group = {here->group[0], here->group[1], here->group[2]},
                     .work_item = here->item,
                     .count = hazard->count};
}

bool ww_report_hazard(const ww_report *report, size_t i, ww_hazard *hazard) {
  if (!report || !hazard)
    return false;
  if (report->checked) {
    if (i < report->hazard_count)
      *hazard = found_by_check(&report->hazards[i]);
    return i < report->hazard_count;
  }
  for (uint32_t launch = 0; launch < report->count; i -= report->results[launch++].hazard_count)
    if (i < report->results[launch].hazard_count) {
      *hazard = found_by_run(report, launch, &report->results[launch].hazards[i]);
      return true;
    }
  return false;
}

void api_notify(const ww_watch *watch, const ww_report *report) {
  ww_hazard hazard;
  for (uint32_t i = 0; watch->print && i < report->count; i++) {
    const struct printed *printed = &report->job.launches[i].printed;
    if (printed->length)
      watch->print(watch->self, i, printed->text, printed->length);
  }
  for (size_t i = 0; watch->hazard && ww_report_hazard(report, i, &hazard); i++)
    watch->hazard(watch->self, &hazard);
}
