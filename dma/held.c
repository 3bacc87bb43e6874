/* What channels do while they hold a part: each of its cycles has one account. */
#include "dma/work.h"

/* Cycles [from, to), in which nothing happened to the channel. */
static void count_channel(struct dma *dma, unsigned index, cycle_t from, cycle_t to) {
  const struct dma_work *work = dma->work;
  const struct channel *channel = &work->channel[index];
  struct dma_stats *stats = &dma->stats;
  const uint64_t bit = channel_bit(index);
  if (work->sending.channel == index && (work->sending.active || work->last_sent == from + 1)) {
    const cycle_t sent = work->sending.active ? to : from + 1;
    stats->sending_cycles += sent - from;
    from = sent;
  }
  if (!(work->pending & bit)) {
    stats->data_cycles += to - from;
    return;
  }
  const cycle_t ready = cycle_min(to, cycle_max(from, channel->ready));
  uint64_t *const waits = work->fenced & bit     ? &stats->fence_cycles
                          : work->at_quota & bit ? &stats->quota_cycles
                          : dma_is_full(dma)     ? &stats->room_cycles
                                                 : &stats->turn_cycles;
  stats->setup_cycles += ready - from;
  *waits += to - ready;
}

void dma_count_held(struct dma *dma, cycle_t now) {
  struct dma_work *work = dma->work;
  if (work->held_from < now)
    for (uint64_t held = work->held; held; held &= held - 1)
      count_channel(dma, (unsigned)__builtin_ctzll(held), work->held_from, now);
  work->held_from = now;
}
