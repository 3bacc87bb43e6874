/* One side of a comparison: a report read from a file, or made here by replaying a trace. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/file.h"
#include "sim/replay/replayer.h"
#include "sim/report/report.h"
#include "sim/session/run.h"
#include "tools/diff/diff.h"
#include "tools/explain/why.h"
#include "traces/block.h"

enum { REPORT_BYTES = 1 << 30 };

static bool begins_with(const char *data, size_t size, const void *magic, size_t length) {
  return size >= length && memcmp(data, magic, length) == 0;
}

/* A pipe cannot be a trace: traces are read more than once. */
bool diff_is_trace(const char *path) {
  char begin[sizeof trace_format.magic];
  FILE *file = file_is_same(path, path) ? fopen(path, "rbe") : NULL;
  const bool is = file && fread(begin, 1, sizeof begin, file) == sizeof begin &&
                  begins_with(begin, sizeof begin, trace_format.magic, sizeof trace_format.magic);
  if (file)
    fclose(file);
  return is;
}

/* ---- reports ------------------------------------------------------------------------------------------ */

/* The kind of a file that is not JSON, by its first bytes. */
static const char *kind_of(const char *data, size_t size) {
  static const char sqlite[] = "SQLite format 3";
  const size_t blanks = strspn(data, " \t\r\n");
  if (begins_with(data, size, timeline_format.magic, sizeof timeline_format.magic))
    return "a timeline; only reports, traces and logs are compared";
  if (begins_with(data, size, sqlite, sizeof sqlite))
    return "a sweep's store; only reports, traces and logs are compared, and `warpwait sweep query` compares points";
  return data[blanks] == '{' ? NULL : "neither a trace, a log of `exec`, nor a JSON report; `--report json` makes one";
}

static bool parse_report(struct diff_side *side, const char *text, size_t length, struct message *message) {
  json_error_t error;
  if (diff_is_log(text, length))
    return diff_read_log(side, text, length, message);
  side->report = json_loadb(text, length, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
  if (!side->report)
    return message_fail(message, "%.300s:%d:%d: %s", side->path, error.line < 1 ? 1 : error.line,
                        error.column < 1 ? 1 : error.column, error.text);
  return diff_check(side->report, side->path, text, length, message);
}

static bool read_report(struct diff_side *side, struct message *message) {
  char *text = NULL;
  size_t length = 0;
  if (!file_read(side->path, REPORT_BYTES, &text, &length, message))
    return false;
  const char *kind = kind_of(text, length);
  const bool good =
      kind ? message_fail(message, "%.300s: is %s", side->path, kind) : parse_report(side, text, length, message);
  free(text);
  return good;
}

/* ---- traces --------------------------------------------------------------------------------------------- */

/* Runs the launches and makes the report, which includes unfinished launches. */
static bool report_replay(struct diff_side *side, struct job *job, struct trace *trace, struct replayer *replayer,
                          struct run_options *how, struct message *message) {
  const struct run_watcher watcher = replayer_watcher(replayer);
  const struct why_subject subject = {.trace = trace, .path = side->path};
  struct launch_result *results = NULL;
  struct report report = {.job = job};
  int status = 0;
  run_watch(how, &watcher);
  bool good = run_job(job, how, &results, &report.count, message);
  run_unwatch(how);
  report.results = results;
  if (replayer_fault(replayer))
    good = message_fail(message, "%s", replayer_fault(replayer));
  good = good && why_find(WHY_SHORT, how, &report, &subject, &status, message);
  if (good) {
    char *text = report_json(&report);
    good = parse_report(side, text, strlen(text), message);
    free(text);
  }
  why_free(&report);
  run_free(results, report.count);
  return good;
}

static bool replay(struct diff_side *side, struct trace *trace, const struct job_request *request,
                   const struct caller *caller, struct message *message) {
  struct job job = {0};
  struct run_options how = {.caller = caller};
  bool good = trace_job_read(trace, side->path, request, &job, &how.max_cycles, message);
  struct replayer *replayer = good ? replayer_of_job(trace, &job, false, message) : NULL;
  if (replayer)
    trace_job_warn(trace, &job, caller);
  good = replayer && report_replay(side, &job, trace, replayer, &how, message);
  if (replayer)
    replayer_free(replayer);
  job_free(&job);
  return good;
}

bool diff_read(struct diff_side *side, const struct job_request *request, const struct caller *caller,
               struct message *message) {
  side->replayed = diff_is_trace(side->path);
  if (!side->replayed)
    return read_report(side, message);
  struct trace *trace = trace_open(side->path, TRACE_WHOLE, message);
  const bool good = trace && replay(side, trace, request, caller, message);
  if (trace)
    trace_close(trace);
  /* Errors in the file already begin with its path, and errors in an option with the option. */
  if (!good && strncmp(message->text, side->path, strlen(side->path)) != 0 && message->text[0] != '-')
    message_within(message, side->path);
  return good;
}
