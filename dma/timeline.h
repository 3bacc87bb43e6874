/* How full an engine's queue and channels were during a launch, in constant memory.
 *
 * A launch is divided into at most TIMELINE intervals of equal width. They start one cycle wide. When the launch
 * outgrows them, pairs are merged and all become twice as wide. Each holds an exact sum over its cycles: the
 * descriptors that waited, and the channels in use. The engine reports these numbers only when they change:
 *
 *     width 4        cycle    0   1   2   3 | 4   5   6   7 | 8  ...
 *     waiting                 0   0   2   2 | 2   1   0   0 |
 *     waiting[]                           4 |             3 |            divided by 4: the means, 1.0 and 0.75
 *
 * Invariant: the sum of all intervals is the sum over all cycles up to the last change, whatever the width. For a
 * launch that finished, it is `queue_cycles` (`channel_cycles`). */
#ifndef DMA_TIMELINE_H
#define DMA_TIMELINE_H

#include "sim/core/time.h"

enum { TIMELINE = 60 };

struct dma_timeline {
  cycle_t start; /* of the launch */
  cycle_t since; /* when these two last changed */
  uint32_t now_waiting, now_held;
  uint64_t shift; /* intervals are 1 << shift cycles wide */
  uint64_t waiting[TIMELINE], held[TIMELINE];
};

void dma_timeline_start(struct dma_timeline *timeline, cycle_t start);

/* From `now` on, `waiting` descriptors wait and `held` channels are in use. */
void dma_timeline_change(struct dma_timeline *timeline, cycle_t now, uint32_t waiting, uint32_t held);

static inline void dma_timeline_note(struct dma_timeline *timeline, cycle_t now, uint32_t waiting, uint32_t held) {
  if (waiting != timeline->now_waiting || held != timeline->now_held)
    dma_timeline_change(timeline, now, waiting, held);
}

/* Adds the timeline of an engine to `into`, for a launch of `cycles`. Intervals become as wide as the wider of both. */
void dma_timeline_add(struct dma_timeline *into, const struct dma_timeline *from, cycle_t cycles);

/* The number of intervals of a launch of `cycles`, and the length of one: the last may be shorter. */
uint32_t dma_timeline_intervals(const struct dma_timeline *timeline, cycle_t cycles);
cycle_t dma_timeline_length(const struct dma_timeline *timeline, cycle_t cycles, uint32_t interval);

#endif
