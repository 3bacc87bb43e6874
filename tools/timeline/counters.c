#include "tools/timeline/counters.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"

const struct timeline_counter_row timeline_counter_rows[TIMELINE_COUNTERS] = {
#define COUNTER(id, name, unit, text) {name, unit, text},
    TIMELINE_COUNTER_ROWS
#undef COUNTER
};

void timeline_counters_start(struct timeline_counters *counters, struct timeline_extent extent) {
  *counters = (struct timeline_counters){.from = extent.from, .window = 1};
  const cycle_t cycles = extent.to > extent.from ? extent.to - extent.from : 1;
  while ((cycles - 1) / counters->window >= TIMELINE_WINDOWS)
    counters->window *= 2;
  counters->windows = (size_t)((cycles - 1) / counters->window + 1);
}

static uint64_t *steps_of(struct timeline_counters *counters, uint32_t cu, enum timeline_counter counter) {
  if (cu >= counters->cus) {
    const size_t old = (size_t)counters->cus * TIMELINE_COUNTERS, count = ((size_t)cu + 1) * TIMELINE_COUNTERS;
    counters->steps = need_more(counters->steps, count, sizeof *counters->steps);
    memset(counters->steps + old, 0, (count - old) * sizeof *counters->steps);
    counters->cus = cu + 1;
  }
  uint64_t **steps = &counters->steps[(size_t)cu * TIMELINE_COUNTERS + counter];
  if (!*steps)
    *steps = need(counters->windows + 1, sizeof **steps);
  return *steps;
}

/* Adds `weight` in each cycle of [from, to) that the windows cover. */
static void count(struct timeline_counters *counters, uint32_t cu, enum timeline_counter counter, cycle_t from,
                  cycle_t to, uint64_t weight) {
  from = from < counters->from ? counters->from : from;
  to = cycle_min(to, counters->from + counters->windows * counters->window);
  if (from >= to || !weight)
    return;
  uint64_t *step = steps_of(counters, cu, counter);
  const cycle_t window = counters->window, begin = from - counters->from, end = to - counters->from;
  const size_t first = (size_t)(begin / window), last = (size_t)((end - 1) / window);
  /* Counts the first to the last window in full, then subtracts the cycles outside [from, to). */
  const uint64_t whole = weight * window, early = weight * (begin - first * window),
                 late = weight * ((last + 1) * window - end);
  step[first] += whole - early;
  step[first + 1] += early;
  step[last] -= late;
  step[last + 1] += late - whole;
}

void timeline_counters_take(struct timeline_counters *counters, const struct timeline_event *event) {
  const uint64_t *field = event->field;
  const cycle_t from = event->from, to = event->to;
  const uint32_t cu = event->cu;
  switch (event->kind) {
  case TIMELINE_WARP:
    count(counters, cu, TIMELINE_COUNTER_WARPS, from, to, 1);
    break;
  case TIMELINE_ACCESS:
    count(counters, cu, TIMELINE_COUNTER_CONFLICTS, to - 1, to, field[TIMELINE_ACCESS_CONFLICTS]);
    break;
  case TIMELINE_QUEUE:
    count(counters, cu, TIMELINE_COUNTER_QUEUE, from, to, 1);
    break;
  case TIMELINE_REQUEST:
    count(counters, cu, TIMELINE_COUNTER_REQUESTS, from, to, 1);
    break;
  case TIMELINE_PASSED:
    count(counters, cu, TIMELINE_COUNTER_PORT, from, from + 1, field[TIMELINE_PASSED_BYTES]);
    break;
  default:
    break;
  }
}

void timeline_counters_free(struct timeline_counters *counters) {
  for (size_t i = 0; i < (size_t)counters->cus * TIMELINE_COUNTERS; i++)
    free(counters->steps[i]);
  free(counters->steps);
}

const uint64_t *timeline_counters_steps(const struct timeline_counters *counters, uint32_t cu,
                                        enum timeline_counter counter) {
  return cu < counters->cus ? counters->steps[(size_t)cu * TIMELINE_COUNTERS + counter] : NULL;
}
