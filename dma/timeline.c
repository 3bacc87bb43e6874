#include "dma/timeline.h"

void dma_timeline_start(struct dma_timeline *timeline, cycle_t start) {
  *timeline = (struct dma_timeline){.start = start, .since = start};
}

static void join_pairs(uint64_t sum[TIMELINE]) {
  for (uint32_t i = 0; i < TIMELINE; i++)
    sum[i] = i < TIMELINE / 2 ? sum[2 * i] + sum[2 * i + 1] : 0;
}

/* Makes intervals wide enough for a launch of `cycles`. */
static void cover(struct dma_timeline *timeline, cycle_t cycles) {
  for (; (cycle_t)TIMELINE << timeline->shift < cycles; timeline->shift++) {
    join_pairs(timeline->waiting);
    join_pairs(timeline->held);
  }
}

void dma_timeline_change(struct dma_timeline *timeline, cycle_t now, uint32_t waiting, uint32_t held) {
  uint64_t was_waiting = timeline->now_waiting, was_held = timeline->now_held;
  cycle_t from = timeline->since - timeline->start, to = now - timeline->start;
  timeline->since = now;
  timeline->now_waiting = waiting;
  timeline->now_held = held;
  if (!was_waiting && !was_held)
    return;
  cover(timeline, to);
  for (cycle_t i = from >> timeline->shift, next; from < to; from = next, i++) {
    next = cycle_min(to, (i + 1) << timeline->shift);
    timeline->waiting[i] += was_waiting * (next - from);
    timeline->held[i] += was_held * (next - from);
  }
}

void dma_timeline_add(struct dma_timeline *into, const struct dma_timeline *from, cycle_t cycles) {
  cover(into, cycle_max(cycles, (cycle_t)TIMELINE << from->shift));
  if (from->since == from->start) /* an engine that did nothing */
    return;
  struct dma_timeline other = *from;
  cover(&other, (cycle_t)TIMELINE << into->shift);
  for (uint32_t i = 0; i < TIMELINE; i++) {
    into->waiting[i] += other.waiting[i];
    into->held[i] += other.held[i];
  }
}

uint32_t dma_timeline_intervals(const struct dma_timeline *timeline, cycle_t cycles) {
  return (uint32_t)div_up(cycles, (uint64_t)1 << timeline->shift);
}

cycle_t dma_timeline_length(const struct dma_timeline *timeline, cycle_t cycles, uint32_t interval) {
  cycle_t from = (cycle_t)interval << timeline->shift;
  return cycle_min((cycle_t)1 << timeline->shift, cycles - from);
}
