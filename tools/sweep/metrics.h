/* Metrics of a point: numbers for all launches of a job together.
 *
 * Counters are sums of the report's: `cu.*`, `lds.*`, `dma.*`, `mem.*` and `stalls.*`. Counters that launches share
 * because they run at once are added once. A counter with the same name as a parameter has the suffix `_count`, so that
 * each name in a row has one meaning.
 *
 * Invariant: a metric is a whole number below 2^53, or computed from such numbers by one operation. So rows of
 * different runs compare exactly. */
#ifndef TOOLS_SWEEP_METRICS_H
#define TOOLS_SWEEP_METRICS_H

#include "models/result.h"
#include "sim/launch/job.h"
#include "tools/sweep/store.h"

enum { SWEEP_METRICS = 192 /* most of a point */ };

struct sweep_metrics {
  struct store_metric *row;
  size_t count, room;
};

/* `cost`: the plan has a cost, which is then the last row. */
struct sweep_metrics sweep_metrics_new(bool cost);
void sweep_metrics_free(struct sweep_metrics *metrics);

/* The index of a row, which must exist. */
size_t sweep_metrics_find(const struct sweep_metrics *metrics, const char *name);

/* Fills metrics->count values from `count` finished launches, except the cost. */
void sweep_metrics_take(const struct machine *machine, const struct launch_result *results, size_t count,
                        double *value);

#endif
