/* The life of a copy in the engine: queue, parts in channels, fences, completion. */
#include <assert.h>

#include "dma/work.h"

/* ---- queue ---------------------------------------------------------------------------------- */

/* When the first descriptor that is not counted yet arrives; or NEVER. */
cycle_t dma_next_arrival(const struct dma *dma) {
  const struct port *queue = &dma->from_cu;
  uint32_t at = queue->head + dma->work->waiting;
  if (dma->work->waiting == queue->count)
    return NEVER;
  return queue->stamp[at < queue->capacity ? at : at - queue->capacity];
}

/* Counts the descriptors that have arrived since the last step. */
void dma_count_waiting(struct dma *dma, cycle_t now) {
  struct dma_work *work = dma->work;
  while (dma_next_arrival(dma) <= now)
    work->waiting++;
  if (work->waiting && work->busy_from == NEVER)
    work->busy_from = now;
}

static uint64_t free_channels(const struct dma *dma) {
  return ~dma->work->held & (UINT64_MAX >> (CHANNELS - dma->params->channels));
}

cycle_t dma_next_acceptance(const struct dma *dma) {
  const struct dma_work *work = dma->work;
  uint32_t walkers = dma->params->walkers;
  if (!dma->from_cu.count || !free_channels(dma))
    return NEVER;
  if (walkers && (uint32_t)__builtin_popcountll(work->pending) >= walkers)
    return NEVER;
  cycle_t gap_over = work->accepted ? work->last_acceptance + dma->params->issue_gap : 0;
  return cycle_max(port_next(&dma->from_cu), gap_over);
}

/* ---- copies and their parts ----------------------------------------------------------------- */

/* The descriptor at the head of the queue becomes a copy, in normal form: one part, or one for each plane or line that
 * has more dimensions than the engine. */
static void begin_copy(struct dma *dma, cycle_t now) {
  struct dma_work *work = dma->work;
  const unsigned word = work->copies[0] == UINT64_MAX, bit = (unsigned)__builtin_ctzll(~work->copies[word]);
  struct copy *copy = &work->copy[work->splitting = word * 64 + bit];
  struct dma_descriptor *descriptor = &copy->descriptor;
  const struct rect *normal = &descriptor->global;
  work->copies[word] |= UINT64_C(1) << bit;
  *copy = (struct copy){.descriptor = *(const struct dma_descriptor *)port_peek(&dma->from_cu, now), .parts = 1};
  assert((dma->params->misaligned != DMA_REFUSE || dma_aligned(dma->params, normal, &descriptor->lds)) &&
         "the sender refuses what is not aligned");
  assert(descriptor->owner < OWNERS && "an owner is a work-group's slot");
  dma_normalize(dma->params, descriptor);
  copy->bytes = rect_all(normal);
  if (dma_dimensions(normal) > dma->params->dimensions)
    copy->parts = dma->params->dimensions == 2 ? normal->planes : (uint64_t)normal->planes * normal->lines;
  /* Older copies of the owner that this one waits for: a fence orders all before it and all after it. */
  for (unsigned space = 0; space < SPACES; space++) {
    uint64_t *fence = &work->fence[space][descriptor->owner];
    if (descriptor->after >> space & 1)
      *fence = work->accepted_copies;
    copy->fence[space] = *fence;
  }
  work->accepted_copies++;
}

static bool touches(const struct channel *channel, unsigned space, const struct dma_work *work, uint64_t bit) {
  bool destination = channel->walk.to_lds == (space == LDS_SPACE);
  return (work->pending & bit) || (destination ? channel->in_flight : channel->unread);
}

/* Whether a fence holds the channel back, because an older copy of the same owner still uses a space. */
static bool held_back(const struct dma_work *work, const struct channel *channel) {
  const uint64_t *fence = work->copy[channel->copy].fence;
  if (!(fence[LDS_SPACE] | fence[GLOBAL_SPACE]))
    return false;
  for (uint64_t held = work->held; held; held &= held - 1) {
    const struct channel *other = &work->channel[__builtin_ctzll(held)];
    if (other->walk.owner != channel->walk.owner)
      continue;
    for (unsigned space = 0; space < SPACES; space++)
      if (other->order < fence[space] && touches(other, space, work, held & -held))
        return true;
  }
  return false;
}

/* The free channel with the lowest number takes the next part of the oldest descriptor. */
static void fill_channel(struct dma *dma, unsigned index, cycle_t now) {
  struct dma_work *work = dma->work;
  struct channel *channel = &work->channel[index];
  struct copy *copy = &work->copy[work->splitting];
  uint64_t bit = channel_bit(index);
  *channel = (struct channel){.copy = work->splitting,
                              .accepted = now,
                              .order = work->accepted_copies - 1,
                              .age = work->accepted++,
                              .ready = now + dma->params->setup};
  if (copy->descriptor.fetch && !copy->accepted)
    channel->ready += dma->params->descriptor_fetch;
  struct dma_descriptor *walk = &channel->walk;
  *walk = copy->descriptor;
  if (copy->parts > 1) {
    const uint64_t size = walk->global.bytes * (copy->parts == walk->global.planes ? walk->global.lines : 1);
    const uint64_t from = copy->accepted * size;
    walk->global = rect_part(&walk->global, from, size);
    channel->lds_offset = (uint32_t)(rect_part(&walk->lds, from, size).base - walk->lds.base);
    walk->lds.planes = 1;
    walk->lds.lines = walk->global.lines;
  }
  copy->accepted++;
  dma_prepare(dma, channel);
  copy->held++;
  work->last_acceptance = now;
  work->held |= bit;
  work->to_lds = channel->walk.to_lds ? work->to_lds | bit : work->to_lds & ~bit;
  dma->probe_channels++;
  dma->stats.parts += copy->parts > 1;
  if (!channel->walk.global.bytes)
    work->finished |= bit;
  else
    work->pending |= bit;
  if (channel->walk.global.bytes && held_back(work, channel))
    work->fenced |= bit;
}

bool dma_accept(struct dma *dma, cycle_t now) {
  struct dma_work *work = dma->work;
  if (dma_next_acceptance(dma) > now)
    return false;
  if (work->splitting == COPY_SLOTS)
    begin_copy(dma, now);
  const struct copy *copy = &work->copy[work->splitting];
  fill_channel(dma, (unsigned)__builtin_ctzll(free_channels(dma)), now);
  if (copy->accepted < copy->parts)
    return true;
  dma->stats.queue_cycles += now - port_next(&dma->from_cu);
  if (dma->tap.timeline)
    dma_emit_queued(dma, &copy->descriptor, port_next(&dma->from_cu), now, now);
  port_take(&dma->from_cu, now);
  work->waiting--;
  work->splitting = COPY_SLOTS;
  return true;
}

void dma_pass_fences(struct dma *dma, cycle_t now) {
  struct dma_work *work = dma->work;
  for (uint64_t left = work->fenced; left; left &= left - 1) {
    struct channel *channel = &work->channel[__builtin_ctzll(left)];
    if (held_back(work, channel))
      continue;
    work->fenced &= ~(left & -left);
    if (channel->ready <= now)
      channel->ready = now + 1;
  }
}

/* ---- completion ----------------------------------------------------------------------------- */

/* The finished channel to complete first: the earliest, then the oldest. */
static unsigned first_finished(const struct dma_work *work) {
  unsigned first = (unsigned)__builtin_ctzll(work->finished);
  for (uint64_t left = work->finished & (work->finished - 1); left; left &= left - 1) {
    const struct channel *a = &work->channel[__builtin_ctzll(left)], *b = &work->channel[first];
    if (a->ready < b->ready || (a->ready == b->ready && a->age < b->age))
      first = (unsigned)__builtin_ctzll(left);
  }
  return first;
}

cycle_t dma_next_completion(const struct dma *dma) {
  const struct dma_work *work = dma->work;
  if (!work->finished)
    return NEVER;
  return cycle_max(work->channel[first_finished(work)].ready, port_free_at(&dma->to_cu));
}

/* Notices take `completion` cycles, but at least one. A posted copy's latency ends with DMA_LEFT. */
static void send_notice(struct dma *dma, struct copy *copy, enum dma_notice notice, cycle_t ready, cycle_t now) {
  const struct dma_descriptor *descriptor = &copy->descriptor;
  cycle_t arrival = cycle_max(cycle_max(ready + dma->params->completion, now + 1), dma->to_cu.last);
  cycle_t latency = (copy->left_at ? copy->left_at : arrival) - descriptor->issued;
  const struct dma_done done = {descriptor->tag, notice,      descriptor->origin, latency,
                                copy->requests,  copy->asked, descriptor->number};
  port_send_at(&dma->to_cu, &done, now, arrival);
  port_widen(&dma->to_cu, dma_notice_room(dma->params));
  if (!copy->left_at)
    histogram_add(dma->latency, latency);
  if (notice == DMA_LEFT)
    copy->left_at = arrival;
}

void dma_leave(struct dma *dma, unsigned index, cycle_t now) {
  struct dma_work *work = dma->work;
  struct channel *channel = &work->channel[index];
  struct copy *copy = &work->copy[channel->copy];
  if (--channel->unsent || (work->pending & channel_bit(index)) || !dma->params->posted)
    return;
  if (++copy->left == copy->parts)
    send_notice(dma, copy, DMA_LEFT, now, now);
}

/* The channel is free at once. The last part of a copy sends its notice. */
static void complete(struct dma *dma, unsigned index, cycle_t now) {
  struct dma_work *work = dma->work;
  const struct channel *channel = &work->channel[index];
  struct copy *copy = &work->copy[channel->copy];
  dma->stats.channel_cycles += now - channel->accepted;
  if (dma->tap.timeline)
    dma_emit_channel(dma, index, now, now);
  work->held &= ~channel_bit(index);
  work->finished &= ~channel_bit(index);
  dma->probe_channels--;
  if (--copy->held || copy->accepted < copy->parts)
    return;
  send_notice(dma, copy, copy->left_at ? DMA_LANDED : DMA_DONE, channel->ready, now);
  const struct rect *normal = &copy->descriptor.global;
  const uint32_t dimensions = dma_dimensions(normal);
  dma->stats.descriptors++;
  dma->stats.descriptors_2d += dimensions == 2;
  dma->stats.descriptors_3d += dimensions == 3;
  dma->stats.splits += copy->parts > 1;
  dma->stats.lines += (uint64_t)normal->lines * normal->planes;
  dma->stats.planes += normal->planes;
  dma->stats.bytes += copy->bytes;
  dma->out_bytes += copy->descriptor.to_lds ? 0 : copy->bytes;
  work->copies[channel->copy / 64] &= ~(UINT64_C(1) << channel->copy % 64);
}

void dma_complete_finished(struct dma *dma, cycle_t now) {
  while (dma_next_completion(dma) <= now)
    complete(dma, first_finished(dma->work), now);
}
