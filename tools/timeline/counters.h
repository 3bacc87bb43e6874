/* Counters of a timeline for viewers that draw them: means over windows of cycles.
 *
 * The window is the smallest power of two for which TIMELINE_WINDOWS windows cover the timeline. So memory and the
 * number of points do not grow with the timeline, and a short one shows each cycle. */
#ifndef TOOLS_TIMELINE_COUNTERS_H
#define TOOLS_TIMELINE_COUNTERS_H

#include "traces/timeline_file.h"

enum { TIMELINE_WINDOWS = 2048 };

/* COUNTER(id, "name", "unit", "sentence"): every compute unit has one of each. */
#define TIMELINE_COUNTER_ROWS                                                                                          \
  COUNTER(WARPS, "warps resident", "warps", "warps that have started but not ended")                                   \
  COUNTER(CONFLICTS, "LDS passes lost to bank conflicts", "passes a cycle", "counted where the access ends")           \
  COUNTER(QUEUE, "descriptors in DMA queues", "descriptors", "those waiting for a channel")                            \
  COUNTER(REQUESTS, "DMA requests in flight", "requests", "those that have not landed")                                \
  COUNTER(PORT, "memory port", "bytes a cycle", "bytes of the sectors that its messages move")

enum timeline_counter {
#define COUNTER(id, ...) TIMELINE_COUNTER_##id,
  TIMELINE_COUNTER_ROWS
#undef COUNTER
      TIMELINE_COUNTERS
};

struct timeline_counter_row {
  const char *name, *unit, *text;
};
extern const struct timeline_counter_row timeline_counter_rows[TIMELINE_COUNTERS];

struct timeline_counters {
  cycle_t from, window;
  size_t windows;
  uint32_t cus;     /* compute units with events */
  uint64_t **steps; /* for each CU and counter: the difference between a window's sum and that of the previous window,
                       modulo 2^64 */
};

void timeline_counters_start(struct timeline_counters *counters, struct timeline_extent extent);
void timeline_counters_take(struct timeline_counters *counters, const struct timeline_event *event);
void timeline_counters_free(struct timeline_counters *counters);

/* The counter's `windows` steps; NULL: no event was counted. */
const uint64_t *timeline_counters_steps(const struct timeline_counters *counters, uint32_t cu,
                                        enum timeline_counter counter);

#endif
