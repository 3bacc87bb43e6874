/* warpwait/analyse.h: analysis of reports and traces. The rules of warpwait.h apply.
 *
 *     two reports ──ww_diff()──► where the cycles went
 *     a trace ──ww_explain()──► which limit of the machine costs what
 *     a report, its trace ──ww_report_why()──► the report with the limit that costs most
 *     a trace x values of parameters ──ww_sweep()──► a report for each point
 *
 *     an expression x columns of numbers and words ──ww_expression_value()──► a number for each row
 *
 * A trace is replayed (ww_trace_replay()), so that explaining and sweeping need neither the kernel nor its data. */
#ifndef WARPWAIT_ANALYSE_H
#define WARPWAIT_ANALYSE_H

#include <warpwait.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Compares two reports by stall bucket, source line and counter (docs/diff.md). `form` is WW_TEXT or WW_JSON. *differ
 * says whether there is any difference; `differ` may be NULL. WW_UNSUPPORTED for a run without timing. */
WW_API ww_status ww_diff(const ww_report *a, const ww_report *b, ww_form form, ww_sink sink, bool *differ,
                         ww_error *error);

/* Progress and threads of a long call. Begin with = {.size = sizeof(ww_work)}. */
typedef struct ww_work {
  uint32_t size;
  uint32_t threads; /* 0: one per processor */
  void *self;
  /* Reports progress from time to time, in the thread of the call; `of` is 0 if not known yet. False: WW_CANCELLED. */
  bool (*tick)(void *self, size_t done, size_t of);
} ww_work;

/* Lifts the machine's limits one at a time, replays the trace on each changed machine, and reports what each limit
 * costs (docs/explain.md). `machine` NULL: the recording's. `form` is WW_TEXT or WW_JSON. `work` may be NULL. */
WW_API ww_status ww_explain(const ww_trace *trace, const ww_machine *machine, const ww_work *work, ww_form form,
                            ww_sink sink, ww_error *error);

/* Finds what bounds the launches of a report, like `warpwait run` without --why=no: lifts the machine's limits one at a
 * time and runs the launches again on each changed machine. *lifted is a new report. Its WW_TEXT, WW_JSON and keys name
 * the limit that costs most ("launches[0].bottleneck"); everything else is as in `report`.
 *
 * `trace` is a trace of the same run or replay (ww_watch.trace, ww_trace_replay()). NULL: the report is from
 * ww_file_run(), and its launch file runs again, with the files that it names as they are now. With a launch file the
 * output is that of `warpwait run`, with a trace that of `warpwait replay`. A trace excludes limits without which warps
 * would act differently than in the recording, such as those of kernels with pipes.
 *
 * Only runs of up to 200,000 warp-instructions are tried, or the first work-groups of a longer launch that fills the
 * machine many times over. *lifted equals `report` for other runs, for unfinished runs and for salvaged traces.
 * `always`, like --why, tries a run of any length and shows the two limits that help most. `work` may be NULL; its tick
 * receives zeros.
 *
 * WW_BAD_INPUT: the trace is of other launches. WW_UNSUPPORTED: the run had no timing, or the trace's replay takes
 * other cycles than the run, whose caches may have been filled by earlier runs. */
WW_API ww_status ww_report_why(const ww_report *report, const ww_trace *trace, bool always, const ww_work *work,
                               ww_report **lifted, ww_error *error);

/* An axis of a sweep: a parameter of the machine and its values, as text. */
typedef struct ww_axis {
  const char *key;
  const char *const *values;
  size_t count;
} ww_axis;

/* A point of a sweep: its number, and the index of its value on each axis (the last axis varies fastest). A point that
 * cannot run has an error instead of a report. The sweep owns the report: keep it with ww_report_ref(). */
typedef struct ww_point {
  size_t number;
  const size_t *index;
  const ww_report *report;
  const ww_error *error;
} ww_point;

/* Replays the trace at every combination of the axes' values, up to 2^32 points, each a change to `machine` (NULL: the
 * recording's). Calls `point` once for each, in any order, in the thread of the call; false: WW_CANCELLED. */
WW_API ww_status ww_sweep(const ww_trace *trace, const ww_machine *machine, const ww_axis *axes, size_t axis_count,
                          const ww_work *work, bool (*point)(void *self, const ww_point *point), void *self,
                          ww_error *error);

/* A number of a sweep's row (docs/sweep.md), for all launches of a report together. Its strings live until the callback
 * returns. */
typedef struct ww_metric {
  const char *name, *unit, *text; /* "dma.busy_cycles", "cycles", one sentence */
  double value;
} ww_metric;

/* Calls `metric` with each metric of the report, in the thread of the call; every report has the same names in the same
 * order. If it returns false: WW_CANCELLED. WW_UNSUPPORTED for a run that did not finish or had no timing. */
WW_API ww_status ww_report_metrics(const ww_report *report, bool (*metric)(void *self, const ww_metric *metric),
                                   void *self, ww_error *error);

/* An expression in the notation of sweep files' constraints and costs (docs/sweep.md): numbers, names of columns, words
 * in quotes, + - * / % ^, comparisons, && || !, min, max, abs, log2, ceil, floor. It never changes, and any number of
 * threads may use it at once. */
typedef struct ww_expression ww_expression;

/* Parses an expression. WW_BAD_INPUT: the message says what was expected, and error->column where, in characters from
 * 1. */
WW_API ww_status ww_expression_new(const char *text, ww_expression **expression, ww_error *error);
WW_API ww_expression *ww_expression_ref(ww_expression *expression);
WW_API void ww_expression_unref(ww_expression *expression);

/* The names that it uses, each once, in the order of their first use. They live as long as the expression; NULL if i is
 * not below the count. */
WW_API size_t ww_expression_name_count(const ww_expression *expression);
WW_API const char *ww_expression_name_at(const ww_expression *expression, size_t i);

/* A name's values, one per row: either numbers, where NaN is a missing value, or words, where NULL is one. The caller
 * keeps them until the call returns. */
typedef struct ww_column {
  const double *numbers;
  const char *const *words;
} ww_column;

/* Stores the expression's value for each of `rows` rows; `columns` has one column per name, in the names' order.
 *
 * A word that spells a number (ww_number()) counts as that number. The exception is 010 in a column whose name begins
 * with "define.", because C reads it as octal. A quoted word beside a column of numbers counts as the number that it
 * spells. Comparisons are 1 or 0. A division by zero, a missing value, and a word where a number is needed are NaN.
 * Every comparison with NaN is false, even !=. A condition is true if its value is below or above 0. No memory is
 * allocated per row. */
WW_API ww_status ww_expression_value(const ww_expression *expression, const ww_column *columns, size_t rows,
                                     double *values, ww_error *error);

/* Whether a text is a number in the notation of expressions, and which: "64K" is 65536, "0x40" 64, "-1.5e3" -1500.
 * False if it contains anything else, even blanks; *number is then unchanged. `number` may be NULL. */
WW_API bool ww_number(const char *text, double *number);

#ifdef __cplusplus
}
#endif

#endif
