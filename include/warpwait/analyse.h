/* warpwait/analyse.h: what to make of reports and traces. Rules of warpwait.h hold.
 *
 *     two reports ──ww_diff()──► where the cycles went
 *     a trace ──ww_explain()──► which limit of the machine costs what
 *     a trace x values of parameters ──ww_sweep()──► a report for each point
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

#ifdef __cplusplus
}
#endif

#endif
