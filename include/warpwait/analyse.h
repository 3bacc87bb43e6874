/* warpwait/analyse.h: what to make of reports and traces. Rules of warpwait.h hold.
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

/* Compares two reports: by stall bucket, source line and counter (docs/diff.md). `form` is WW_TEXT or WW_JSON; *differ
 * (it may be NULL) says whether there is any difference. Of a run without timing: WW_UNSUPPORTED. */
WW_API ww_status ww_diff(const ww_report *a, const ww_report *b, ww_form form, ww_sink sink, bool *differ,
                         ww_error *error);

/* Who is told, and how much may be used. Begin with = {.size = sizeof(ww_work)}. */
typedef struct ww_work {
  uint32_t size;
  uint32_t threads; /* 0: one for each processor */
  void *self;
  /* Told now and then, in the thread of the call; `of` is 0 while nobody knows. False: WW_CANCELLED. */
  bool (*tick)(void *self, size_t done, size_t of);
} ww_work;

/* Lifts one limit of the machine after the other, replays the trace on each such machine, and says what each limit
 * costs (docs/explain.md). `machine` NULL: the recording's. `form` is WW_TEXT or WW_JSON. `work` may be NULL. */
WW_API ww_status ww_explain(const ww_trace *trace, const ww_machine *machine, const ww_work *work, ww_form form,
                            ww_sink sink, ww_error *error);

/* Finds what bounds the launches of a report as `warpwait run` does without --why=no: lifts the machine's limits one at
 * a time and runs the launches again on each such machine. *lifted is another report. Its WW_TEXT, WW_JSON and keys
 * name the limit that costs most ("launches[0].bottleneck"); the rest is that of `report`.
 *
 * `trace` is one of the same run or replay (ww_watch.trace, ww_trace_replay()). NULL: the report is of ww_file_run(),
 * and its launch file is run again, with the files that it names as they are now. A launch file gives the bytes of
 * `warpwait run`, a trace those of `warpwait replay`: it leaves out limits without which warps would do other things
 * than in the recording, those of kernels with pipes for one.
 *
 * Runs of up to 200,000 warp-instructions are tried; of a longer launch that fills the machine many times over, its
 * first work-groups. Of other runs, of those that did not finish, and of what is left of a damaged trace, *lifted says
 * what `report` does. `always`: as --why, tries a run however long it is, and shows the two limits that help most.
 * `work` may be NULL; its tick gets zeros.
 *
 * WW_BAD_INPUT if the trace is of other launches. WW_UNSUPPORTED if it takes other cycles than the run, which may have
 * found caches that earlier runs had filled, or without timing. */
WW_API ww_status ww_report_why(const ww_report *report, const ww_trace *trace, bool always, const ww_work *work,
                               ww_report **lifted, ww_error *error);

/* An axis of a sweep: a parameter of the machine and the values it goes through, as words. */
typedef struct ww_axis {
  const char *key;
  const char *const *values;
  size_t count;
} ww_axis;

/* A point of a sweep: its number, and the index of its value on each axis (the last one runs fastest). A point that
 * cannot be run has no report but an error. The report is the sweep's: ww_report_ref() keeps it. */
typedef struct ww_point {
  size_t number;
  const size_t *index;
  const ww_report *report;
  const ww_error *error;
} ww_point;

/* Replays the trace at every point of the axes, up to 2^32 points, changed from `machine` (NULL: the recording's).
 * `point` is called in the thread of the call, once for each, in any order; false: WW_CANCELLED. */
WW_API ww_status ww_sweep(const ww_trace *trace, const ww_machine *machine, const ww_axis *axes, size_t axis_count,
                          const ww_work *work, bool (*point)(void *self, const ww_point *point), void *self,
                          ww_error *error);

/* A number of a sweep's row (docs/sweep.md), which stands for all launches of a report together. Its strings live until
 * the callback returns. */
typedef struct ww_metric {
  const char *name, *unit, *text; /* "dma.busy_cycles", "cycles", one sentence */
  double value;
} ww_metric;

/* Calls `metric` with each metric of the report, in the thread of the call: the same names in the same order for every
 * report. False from it: WW_CANCELLED. WW_UNSUPPORTED of a run that has not finished, or had no timing. */
WW_API ww_status ww_report_metrics(const ww_report *report, bool (*metric)(void *self, const ww_metric *metric),
                                   void *self, ww_error *error);

/* An expression in the notation of sweep files' constraints and costs (docs/sweep.md): numbers, names of columns, words
 * in quotes, + - * / % ^, comparisons, && || !, min, max, abs, log2, ceil, floor. It never changes, and any number of
 * threads may use it at once. */
typedef struct ww_expression ww_expression;

/* Reads one. WW_BAD_INPUT says what was expected where; error->column is that place, in characters from 1. */
WW_API ww_status ww_expression_new(const char *text, ww_expression **expression, ww_error *error);
WW_API ww_expression *ww_expression_ref(ww_expression *expression);
WW_API void ww_expression_unref(ww_expression *expression);

/* Names that it uses, each once, in the order of their first use. They live as long as the expression; NULL when i is
 * not below the count. */
WW_API size_t ww_expression_name_count(const ww_expression *expression);
WW_API const char *ww_expression_name_at(const ww_expression *expression, size_t i);

/* A name's values, one for each row: either numbers, of which NaN is no value, or words, of which NULL is none. The
 * caller's, until the call returns. */
typedef struct ww_column {
  const double *numbers;
  const char *const *words;
} ww_column;

/* Stores the expression's value for each of `rows` rows, with a column for each of its names, in their order. A word is
 * also the number that it says (ww_number()), but not where a name begins with "define." and C would read 010 by
 * eights. A word in quotes beside a column of numbers is meant as the number that it says. Comparisons are 1 or 0. A
 * division by zero, what has no value, and a word where a number is wanted, is NaN: no comparison holds for it, != and
 * all. A value holds if it is below or above 0. Takes no memory for each row. */
WW_API ww_status ww_expression_value(const ww_expression *expression, const ww_column *columns, size_t rows,
                                     double *values, ww_error *error);

/* Whether a text is a number as expressions have them, and which: "64K" is 65536, "0x40" 64, "-1.5e3" -1500. Not if
 * there is anything else in it, blanks too. *number is left alone if it is none; `number` may be NULL. */
WW_API bool ww_number(const char *text, double *number);

#ifdef __cplusplus
}
#endif

#endif
