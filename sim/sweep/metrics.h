/* Metrics of a point: numbers that stand for all launches of a job together.
 *
 * Counters are those of the report, added up: `cu.*`, `lds.*`, `dma.*`, `mem.*` and `stalls.*`. What launches that run
 * at once share is taken once. A counter that has a parameter's name has `_count` behind it, so that every name of a
 * row is one thing.
 *
 * Invariant: a metric is a whole number below 2^53, or follows from such by one operation: rows compare exactly. */
#ifndef SIM_SWEEP_METRICS_H
#define SIM_SWEEP_METRICS_H

#include "models/result.h"
#include "sim/session/job.h"
#include "sim/sweep/store.h"

enum { SWEEP_METRICS = 192 /* most of a point */ };

struct sweep_metrics {
  struct store_metric *row;
  size_t count;
};

/* `cost`: whether the plan has one; it is the last row then. */
struct sweep_metrics sweep_metrics_new(bool cost);
void sweep_metrics_free(struct sweep_metrics *metrics);

/* The number of the row, which is there. */
size_t sweep_metrics_find(const struct sweep_metrics *metrics, const char *name);

/* Of `count` launches that have finished: fills metrics->count values, but for the cost. */
void sweep_metrics_take(const struct machine *machine, const struct launch_result *results, size_t count,
                        double *value);

#endif
