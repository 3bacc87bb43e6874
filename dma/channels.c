/* Channels: which one sends the next request, and when. */
#include <assert.h>

#include "dma/work.h"

/* ---- arbitration ---------------------------------------------------------------------------- */

/* From which cycle on an outbound request can start. NEVER: posted copies wait for an acknowledgment, or dma.lds_reads
 * for data from the LDS. Both arrive in a step. */
static cycle_t outbound_at(const struct dma *dma) {
  uint32_t posted = dma->params->posted;
  uint32_t reads = dma->params->lds_reads;
  if ((posted && dma->work->writes >= posted) || (reads && dma->work->reading >= reads))
    return NEVER;
  return dma_lds_free_at(dma);
}

/* The channels whose port has room at `now`. All inbound channels share one port, all outbound ones another. */
static uint64_t with_room(const struct dma *dma, uint64_t channels, cycle_t now) {
  uint64_t to_lds = dma->work->to_lds;
  return channels & ((port_can_send(&dma->to_memory, now) ? to_lds : 0) | (outbound_at(dma) <= now ? ~to_lds : 0));
}

static cycle_t start_at(const struct dma *dma, unsigned channel) {
  cycle_t room = dma->work->to_lds >> channel & 1 ? port_free_at(&dma->to_memory) : outbound_at(dma);
  return cycle_max(dma->work->channel[channel].ready, room);
}

/* The lowest-numbered ready channel of `channels`; or NOBODY. */
static unsigned first_ready(const struct dma_work *work, uint64_t channels, cycle_t now) {
  for (; channels; channels &= channels - 1) {
    unsigned channel = (unsigned)__builtin_ctzll(channels);
    if (work->channel[channel].ready <= now)
      return channel;
  }
  return NOBODY;
}

static unsigned oldest_ready(const struct dma_work *work, uint64_t channels, cycle_t now) {
  unsigned oldest = NOBODY;
  for (; channels; channels &= channels - 1) {
    unsigned channel = (unsigned)__builtin_ctzll(channels);
    bool older = oldest == NOBODY || work->channel[channel].age < work->channel[oldest].age;
    if (older && work->channel[channel].ready <= now)
      oldest = channel;
  }
  return oldest;
}

/* The ready channel of `channels` with the fewest requests in flight; `best` if none has fewer. */
static unsigned least_busy(const struct dma_work *work, uint64_t channels, unsigned best, cycle_t now) {
  for (; channels; channels &= channels - 1) {
    unsigned channel = (unsigned)__builtin_ctzll(channels);
    bool fewer = best == NOBODY || work->channel[channel].in_flight < work->channel[best].in_flight;
    if (fewer && work->channel[channel].ready <= now)
      best = channel;
  }
  return best;
}

/* Chooses the channel of the next burst, among those whose port has room. */
static unsigned arbitrate(const struct dma *dma, cycle_t now) {
  const struct dma_work *work = dma->work;
  uint64_t channels = with_room(dma, dma_eligible(work), now), from_turn = UINT64_MAX << work->turn;
  if (dma->params->lds_reads && first_ready(work, channels & ~work->to_lds, now) != NOBODY)
    channels &= ~work->to_lds;
  switch (dma->params->arbitration) {
  case DMA_OLDEST:
    return oldest_ready(work, channels, now);
  case DMA_PRIORITY:
    return first_ready(work, channels, now);
  case DMA_QUOTA:
    return least_busy(work, channels & ~from_turn, least_busy(work, channels & from_turn, NOBODY, now), now);
  default: {
    unsigned channel = first_ready(work, channels & from_turn, now);
    return channel == NOBODY ? first_ready(work, channels & ~from_turn, now) : channel;
  }
  }
}

/* ---- sending -------------------------------------------------------------------------------- */

/* Bytes that count on the side that faces memory. Written bytes are rounded to whole sectors; each line with partial
 * sectors adds one sector for its byte mask. A line shorter than `gather` counts as `gather` bytes: its last request
 * adds what is missing. */
static uint32_t counted(const struct dma *dma, const struct channel *channel, const struct dma_request *covers) {
  const uint64_t line = channel->walk.global.bytes, gather = dma->params->gather, sector = dma->params->sector;
  const bool small = line < gather && channel->sent + covers->global.bytes == line;
  uint32_t bytes = small ? covers->global.lines * (uint32_t)(gather - line) : 0;
  if (sector <= 1 || covers->to_lds)
    return bytes + dma_bytes(covers);
  for (uint32_t i = 0; i < covers->global.lines; i++) {
    const uint64_t from = rect_line(&covers->global, 0, i), to = from + covers->global.bytes;
    const uint64_t first = from & -sector, last = (to + sector - 1) & -sector;
    bytes += (uint32_t)(last - first + (first < from || to < last ? sector : 0));
  }
  return bytes;
}

/* Sends the request to memory or to the LDS. Zeros go directly to the side that leads to the LDS. */
static void dispatch(struct dma *dma, cycle_t now) {
  struct sending *sending = &dma->work->sending;
  const struct dma_request *covers = &sending->covers;
  const uint64_t bytes = dma_bytes(covers);
  if (sending->dropped) {
    dma->stats.skipped_bytes += bytes;
    return;
  }
  if (covers->zero) {
    dma->stats.zero_bytes += bytes;
    dma_side_zeros(dma, sending->tag, now);
    return;
  }
  struct copy *copy = &dma->work->copy[dma->work->channel[sending->channel].copy];
  copy->requests += dma_count(covers);
  dma->work->channel[sending->channel].requests += dma_count(covers);
  copy->asked += bytes;
  dma->stats.requests += dma_count(covers);
  dma->stats.packs += covers->global.lines > 1 && !covers->train;
  dma->stats.addresses += sending->addresses;
  struct transfer transfer = dma_transfer(dma, covers, sending->tag, !covers->to_lds);
  transfer.width = covers->to_lds ? 0 : dma->params->out_width ? dma->params->out_width : dma->params->read_width;
  transfer.bypass = covers->to_lds && dma->params->l2 == DMA_BYPASS;
  port_send(covers->to_lds ? &dma->to_memory : dma->to_lds, &transfer, now);
  if (dma_coupled(dma) && !covers->to_lds)
    dma->work->path_free = NEVER;
}

/* Sends the first address of the channel's next request, which takes the free entry that was used last or, without one,
 * the lowest that was never used. A train leaves with it. */
static void start_request(struct dma *dma, unsigned index, cycle_t now) {
  struct dma_work *work = dma->work;
  struct sending *sending = &work->sending;
  struct channel *channel = &work->channel[index];
  const struct dma_request *covers = &sending->covers;
  *sending = (struct sending){.active = true, .channel = index};
  dma_cut(dma, channel, sending);
  sending->leaves = now + sending->addresses - 1 + (covers->global.lines - 1) * dma->params->line_cycles;
  if (!sending->dropped) {
    const uint32_t left = work->used - work->entries++;
    sending->tag = left ? work->unused[left - 1] : work->used++;
    work->in_flight += dma_count(covers);
    work->request[sending->tag] =
        (struct request){.covers = *covers, .channel = index, .passes = counted(dma, channel, covers), .sent = now};
    channel->unread++;
    if (!covers->to_lds) {
      channel->unsent++;
      work->reading++;
      work->writes += dma_bytes(covers);
    }
    if (++channel->in_flight == dma->params->quota)
      work->at_quota |= channel_bit(index);
  }
  if (work->owner == NOBODY)
    dma->stats.bursts += dma_count(covers);
  work->owner = index;
  if (covers->train)
    dispatch(dma, now);
}

/* Sends the request's last address. */
static void end_request(struct dma *dma, cycle_t now) {
  struct dma_work *work = dma->work;
  unsigned index = work->sending.channel;
  struct channel *channel = &work->channel[index];
  bool more;
  if (!work->sending.covers.train)
    dispatch(dma, now);
  work->sending.active = false;
  channel->ready = now + 1;
  bool ends = dma_advance(dma, channel, &work->sending.covers, &more);
  if (!more)
    work->pending &= ~channel_bit(index);
  if (!more && !channel->in_flight)
    dma_settle(dma, index, now + 1);
  if (ends || !more || (work->at_quota & channel_bit(index))) { /* the burst is over */
    work->owner = NOBODY;
    work->turn = index + 1 == dma->params->channels ? 0 : index + 1;
    channel->burst = 0;
  }
  work->last_sent = now + 1;
}

/* From which cycle on the request whose addresses are sent can leave. */
static cycle_t leaves_at(const struct dma *dma, cycle_t now) {
  const struct sending *sending = &dma->work->sending;
  if (sending->dropped || sending->covers.train)
    return sending->leaves;
  cycle_t room = sending->covers.zero     ? dma_zeros_free_at(dma, now)
                 : sending->covers.to_lds ? port_free_at(&dma->to_memory)
                                          : dma_lds_free_at(dma);
  return cycle_max(sending->leaves, room);
}

void dma_send_requests(struct dma *dma, cycle_t now) {
  struct dma_work *work = dma->work;
  if (!work->pending || work->last_sent == now + 1)
    return;
  if (!work->sending.active && !dma_is_full(dma)) {
    unsigned channel = work->owner;
    if (channel == NOBODY)
      channel = arbitrate(dma, now);
    if (channel != NOBODY && start_at(dma, channel) <= now)
      start_request(dma, channel, now);
  }
  if (work->sending.active && leaves_at(dma, now) <= now)
    end_request(dma, now);
}

cycle_t dma_next_request(struct dma *dma, cycle_t now) {
  struct dma_work *work = dma->work;
  if (work->sending.active)
    return leaves_at(dma, now);
  uint64_t left = dma_eligible(work);
  if (!left || dma_is_full(dma))
    return NEVER;
  if (work->owner != NOBODY)
    return start_at(dma, work->owner);
  /* A full port wakes the engine when it has room again. */
  cycle_t memory = port_free_at(&dma->to_memory), lds = outbound_at(dma), next = NEVER;
  left &= (memory == NEVER ? 0 : work->to_lds) | (lds == NEVER ? 0 : ~work->to_lds);
  for (; left && next > now + 1; left &= left - 1) {
    unsigned channel = (unsigned)__builtin_ctzll(left);
    next = cycle_min(next, cycle_max(work->channel[channel].ready, work->to_lds >> channel & 1 ? memory : lds));
  }
  return next;
}

/* ---- landing -------------------------------------------------------------------------------- */

void dma_settle(struct dma *dma, unsigned channel, cycle_t at) {
  dma->work->channel[channel].ready = at;
  dma->work->finished |= channel_bit(channel);
}

void dma_land(struct dma *dma, uint32_t tag, cycle_t now) {
  struct dma_work *work = dma->work;
  const struct request *request = &work->request[tag];
  unsigned index = request->channel;
  dma->stats.outstanding_cycles += dma_count(&request->covers) * (now - request->sent - dma_span(&request->covers));
  if (dma->tap.timeline) {
    dma_emit_request(dma, tag, now, now);
    work->request[tag].sent = NEVER;
  }
  if (!request->covers.to_lds)
    work->writes -= dma_bytes(&request->covers);
  work->unused[work->used - work->entries--] = tag;
  work->in_flight -= dma_count(&request->covers);
  work->at_quota &= ~channel_bit(index);
  if (--work->channel[index].in_flight == 0 && !(work->pending & channel_bit(index)))
    dma_settle(dma, index, now);
}

/* ---- cycles in which requests waited because too many were in flight --------------------------- */

static cycle_t earliest_ready(const struct dma_work *work, uint64_t channels) {
  cycle_t ready = NEVER;
  for (; channels; channels &= channels - 1)
    ready = cycle_min(ready, work->channel[__builtin_ctzll(channels)].ready);
  return ready;
}

/* Counts these cycles when they are over. */
void dma_count_full(struct dma *dma, cycle_t now) {
  struct dma_work *work = dma->work;
  if (work->full_from < now) {
    dma->stats.outstanding_full_cycles += now - work->full_from;
    work->full_from = now;
  }
}

void dma_note_full(struct dma *dma, cycle_t now) {
  struct dma_work *work = dma->work;
  uint64_t waiting = dma_eligible(work);
  work->full_from = NEVER;
  if (waiting && dma_is_full(dma) && !work->sending.active)
    work->full_from = cycle_max(cycle_max(now, work->last_sent), earliest_ready(work, waiting));
}

/* ---- held channels: each cycle is in one account --------------------------------------------- */

/* Counts cycles [from, to), in which the channel did not change. */
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
