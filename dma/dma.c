#include "dma/dma.h"

#include <assert.h>
#include <stdlib.h>

/* clang-format off */
const struct param_row dma_param_rows[] = {
#define PARAM(...) PARAM_ROW(struct dma_params, __VA_ARGS__)
#define POW2(...) POW2_ROW(struct dma_params, __VA_ARGS__)
#define ENUM(...) ENUM_ROW(struct dma_params, __VA_ARGS__)
#include "dma/dma.params.def"
#undef PARAM
#undef POW2
#undef ENUM
};
const size_t dma_param_count = sizeof dma_param_rows / sizeof *dma_param_rows;

static const struct stat_row stat_rows[] = {
#define STAT(...) STAT_ROW(struct dma_stats, __VA_ARGS__)
#include "dma/dma.stats.def"
#undef STAT
};
/* clang-format on */
const struct stat_group dma_stat_group = {"dma", "DMA engines", stat_rows, sizeof stat_rows / sizeof *stat_rows};

enum { CHANNELS = 64, NOBODY = 64 };
enum { TO_MEMORY = 4 }; /* slots of the port; two hold the rate of one a cycle, credits included */

struct channel {
  struct dma_descriptor descriptor;
  cycle_t accepted;
  uint64_t order;     /* of acceptance */
  uint32_t line;      /* being cut into requests */
  uint32_t plane;     /* that it is in */
  uint32_t sent;      /* bytes of that line in requests so far */
  cycle_t ready;      /* its next request leaves no earlier; when there is none, when it has finished */
  uint32_t under_way; /* requests */
};

struct request {
  struct dma_request covers;
  uint32_t channel;
  cycle_t sent;
};

/* Requests whose data pass one side of the engine, in order. Entry: a request, and the cycle in which
 * its last byte passes and it moves on. */
struct side {
  struct rate rate;
  uint32_t *request;
  cycle_t *ready;
  uint32_t head, count;
};

struct dma_work {
  struct channel channel[CHANNELS];
  uint64_t held;     /* channels with a descriptor */
  uint64_t to_lds;   /* of these: inbound */
  uint64_t pending;  /* of these: with a request still to send */
  uint64_t finished; /* of these: all has landed (or will have at `ready`, when there was nothing to move) */
  uint64_t accepted; /* descriptors, ever */
  cycle_t last_acceptance;
  uint32_t waiting; /* descriptors in the queue, those on their way to it not counted */
  unsigned owner;   /* channel in the middle of a burst, or NOBODY */
  unsigned turn;    /* round robin: asked first */
  struct request *request;
  uint32_t *unused; /* stack of unused requests */
  uint32_t under_way;
  struct side inbound, outbound; /* data on their way to the LDS, to memory */
  cycle_t last_sent;             /* + 1: 0 is never */
  cycle_t full_from;             /* since when a request has been ready and all under way, or NEVER */
  cycle_t busy_from;             /* or NEVER */
};

static cycle_t dma_step(void *self, cycle_t now);

static bool side_init(struct side *side, uint32_t entries, uint32_t width) {
  *side = (struct side){.rate = {.per_cycle = width},
                        .request = calloc(entries, sizeof *side->request),
                        .ready = calloc(entries, sizeof *side->ready)};
  return side->request && side->ready;
}

static void side_free(struct side *side) {
  free(side->request);
  free(side->ready);
}

/* to_cu: descriptors that have finished are in it for `completion` cycles, at most one a cycle but for
 * those that channels held. from_memory: a slot's credit takes memory_latency to get back, and in that
 * time each request can be answered once and, sent again, once more. */
static bool make_ports(struct dma *dma, struct component *cu, struct component *memory, cycle_t memory_latency) {
  const struct dma_params *params = &dma->params;
  struct component *me = &dma->component;
  uint32_t done = params->completion + params->channels + 4;
  return port_init(&dma->from_cu, sizeof(struct dma_descriptor), params->queue, 1, cu, me) &&
         port_init(&dma->to_cu, sizeof(struct dma_done), done, 1, me, cu) &&
         port_init(&dma->to_memory, sizeof(struct transfer), TO_MEMORY, 1, me, memory) &&
         port_init(&dma->from_memory, sizeof(struct transfer_reply), 2 * params->outstanding, memory_latency, memory,
                   me);
}

static bool make_work(struct dma *dma) {
  struct dma_work *work = dma->work = calloc(1, sizeof *work);
  uint32_t requests = dma->params.outstanding;
  if (!work)
    return false;
  work->request = calloc(requests, sizeof *work->request);
  work->unused = calloc(requests, sizeof *work->unused);
  bool sides = side_init(&work->inbound, requests, dma->params.read_width);
  if (!side_init(&work->outbound, requests, dma->params.write_width) || !sides || !work->request || !work->unused)
    return false;
  for (uint32_t i = 0; i < requests; i++)
    work->unused[i] = requests - 1 - i;
  work->owner = NOBODY;
  work->full_from = work->busy_from = NEVER;
  return true;
}

bool dma_init(struct dma *dma, const struct dma_params *params, struct component *cu, struct component *memory,
              cycle_t memory_latency, struct port *to_lds, struct port *from_lds) {
  assert(params->channels <= CHANNELS && "a channel is a bit of a word");
  *dma = (struct dma){.component = {.name = "dma", .step = dma_step, .self = dma},
                      .params = *params,
                      .to_lds = to_lds,
                      .from_lds = from_lds};
  if (make_work(dma) && make_ports(dma, cu, memory, memory_latency))
    return true;
  dma_free(dma);
  return false;
}

void dma_free(struct dma *dma) {
  port_free(&dma->from_cu);
  port_free(&dma->to_cu);
  port_free(&dma->to_memory);
  port_free(&dma->from_memory);
  if (!dma->work)
    return;
  side_free(&dma->work->inbound);
  side_free(&dma->work->outbound);
  free(dma->work->request);
  free(dma->work->unused);
  free(dma->work);
  dma->work = NULL;
}

struct dma_request dma_covers(const struct dma *dma, uint32_t tag) {
  return dma->work->request[tag].covers;
}

/* ---- acceptance ----------------------------------------------------------------------------- */

/* When the first descriptor arrives that has not been counted, or NEVER. */
static cycle_t next_arrival(const struct dma *dma) {
  const struct port *queue = &dma->from_cu;
  uint32_t at = queue->head + dma->work->waiting;
  if (dma->work->waiting == queue->count)
    return NEVER;
  return queue->stamp[at < queue->capacity ? at : at - queue->capacity];
}

/* Descriptors that have arrived since the last step. */
static void count_waiting(struct dma *dma, cycle_t now) {
  struct dma_work *work = dma->work;
  while (next_arrival(dma) <= now)
    work->waiting++;
  if (work->waiting && work->busy_from == NEVER)
    work->busy_from = now;
}

static uint64_t free_channels(const struct dma *dma) {
  return ~dma->work->held & (UINT64_MAX >> (CHANNELS - dma->params.channels));
}

static cycle_t next_acceptance(const struct dma *dma) {
  const struct dma_work *work = dma->work;
  if (!dma->from_cu.count || !free_channels(dma))
    return NEVER;
  cycle_t gap_over = work->accepted ? work->last_acceptance + dma->params.issue_gap : 0;
  return cycle_max(port_next(&dma->from_cu), gap_over);
}

/* The lowest-numbered free channel takes the oldest descriptor. */
static bool accept_descriptor(struct dma *dma, cycle_t now) {
  struct dma_work *work = dma->work;
  if (next_acceptance(dma) > now)
    return false;
  unsigned index = (unsigned)__builtin_ctzll(free_channels(dma));
  uint64_t bit = UINT64_C(1) << index;
  dma->stats.queue_cycles += now - port_next(&dma->from_cu);
  struct channel *channel = &work->channel[index];
  *channel = (struct channel){.descriptor = *(const struct dma_descriptor *)port_peek(&dma->from_cu, now),
                              .accepted = now,
                              .order = work->accepted++,
                              .ready = now + dma->params.setup};
  port_take(&dma->from_cu, now);
  work->waiting--;
  work->last_acceptance = now;
  work->held |= bit;
  work->to_lds = channel->descriptor.to_lds ? work->to_lds | bit : work->to_lds & ~bit;
  dma->probe_channels++;
  if (channel->descriptor.line_bytes && channel->descriptor.lines)
    work->pending |= bit;
  else
    work->finished |= bit;
  return true;
}

/* ---- channel requests ----------------------------------------------------------------------- */

static struct port *request_port(struct dma *dma, unsigned channel) {
  return dma->work->channel[channel].descriptor.to_lds ? &dma->to_memory : dma->to_lds;
}

/* The earliest cycle in which the channel's next request can leave, but for the limit of those under way. */
static cycle_t request_at(struct dma *dma, unsigned channel) {
  return cycle_max(dma->work->channel[channel].ready, port_free_at(request_port(dma, channel)));
}

/* Of `channels`, those whose port has room at `now`; the inbound ones share one, the outbound ones another. */
static uint64_t with_room(const struct dma *dma, uint64_t channels, cycle_t now) {
  uint64_t to_lds = dma->work->to_lds;
  return channels &
         ((port_can_send(&dma->to_memory, now) ? to_lds : 0) | (port_can_send(dma->to_lds, now) ? ~to_lds : 0));
}

/* The lowest-numbered of `channels` that is ready, or NOBODY. */
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
    bool older = oldest == NOBODY || work->channel[channel].order < work->channel[oldest].order;
    if (older && work->channel[channel].ready <= now)
      oldest = channel;
  }
  return oldest;
}

/* Who sends the next burst. A channel whose port is full does not take part. */
static unsigned arbitrate(const struct dma *dma, cycle_t now) {
  const struct dma_work *work = dma->work;
  uint64_t channels = with_room(dma, work->pending, now);
  if (dma->params.arbitration == DMA_OLDEST)
    return oldest_ready(work, channels, now);
  if (dma->params.arbitration == DMA_PRIORITY)
    return first_ready(work, channels, now);
  uint64_t from_turn = UINT64_MAX << work->turn;
  unsigned channel = first_ready(work, channels & from_turn, now);
  return channel == NOBODY ? first_ready(work, channels & ~from_turn, now) : channel;
}

/* The request with which a channel goes on: to the next multiple of `granularity`, or to the line's end. */
static struct dma_request cut(const struct dma *dma, const struct channel *channel) {
  const struct dma_descriptor *copy = &channel->descriptor;
  uint64_t global =
      copy->global + channel->plane * copy->global_plane + channel->line * copy->global_pitch + channel->sent;
  uint32_t left = copy->line_bytes - channel->sent;
  uint32_t to_boundary = dma->params.granularity - (uint32_t)(global & (dma->params.granularity - 1));
  return (struct dma_request){.to_lds = copy->to_lds,
                              .global = global,
                              .lds = copy->lds + channel->plane * copy->lds_plane + channel->line * copy->lds_pitch +
                                     channel->sent,
                              .bytes = left < to_boundary ? left : to_boundary};
}

/* Moves the channel past a request it has sent; says whether the burst ends with it. */
static bool advance(struct dma *dma, unsigned index, const struct dma_request *sent, cycle_t now) {
  struct channel *channel = &dma->work->channel[index];
  const struct dma_descriptor *copy = &channel->descriptor;
  channel->sent += sent->bytes;
  channel->ready = now + 1;
  if (channel->sent < copy->line_bytes)
    return ((sent->global + sent->bytes) & (dma->params.burst - 1)) == 0;
  channel->sent = 0;
  channel->ready += dma->params.line_cycles;
  if (++channel->line < copy->lines)
    return true;
  channel->line = 0;
  if (++channel->plane >= copy->planes)
    dma->work->pending &= ~(UINT64_C(1) << index);
  return true;
}

static void send_request(struct dma *dma, unsigned channel, cycle_t now) {
  struct dma_work *work = dma->work;
  struct dma_request covers = cut(dma, &work->channel[channel]);
  uint32_t tag = work->unused[dma->params.outstanding - 1 - work->under_way++];
  work->request[tag] = (struct request){.covers = covers, .channel = channel, .sent = now};
  work->channel[channel].under_way++;
  struct transfer transfer = {.tag = tag, .bytes = covers.bytes, .lines = 1};
  transfer.address = covers.to_lds ? covers.global : covers.lds;
  transfer.width = covers.to_lds ? 0 : dma->params.read_width;
  port_send(request_port(dma, channel), &transfer, now);
  dma->stats.requests++;
  if (work->owner == NOBODY)
    dma->stats.bursts++;
  work->owner = channel;
  if (advance(dma, channel, &covers, now)) {
    work->owner = NOBODY;
    work->turn = channel + 1 == dma->params.channels ? 0 : channel + 1;
  }
  work->last_sent = now + 1;
}

static void send_requests(struct dma *dma, cycle_t now) {
  struct dma_work *work = dma->work;
  if (!work->pending || work->under_way == dma->params.outstanding || work->last_sent == now + 1)
    return;
  unsigned channel = work->owner;
  if (channel == NOBODY)
    channel = arbitrate(dma, now);
  if (channel != NOBODY && request_at(dma, channel) <= now)
    send_request(dma, channel, now);
}

static cycle_t earliest_ready(const struct dma_work *work) {
  cycle_t ready = NEVER;
  for (uint64_t left = work->pending; left; left &= left - 1)
    ready = cycle_min(ready, work->channel[__builtin_ctzll(left)].ready);
  return ready;
}

/* Cycles with all requests under way and one more ready are counted when they are over. */
static void count_full(struct dma *dma, cycle_t now) {
  struct dma_work *work = dma->work;
  if (work->full_from < now) {
    dma->stats.outstanding_full_cycles += now - work->full_from;
    work->full_from = now;
  }
}

static void note_full(struct dma *dma, cycle_t now) {
  struct dma_work *work = dma->work;
  work->full_from = NEVER;
  if (work->pending && work->under_way == dma->params.outstanding)
    work->full_from = cycle_max(cycle_max(now, work->last_sent), earliest_ready(work));
}

static cycle_t next_request(struct dma *dma, cycle_t now) {
  struct dma_work *work = dma->work;
  if (!work->pending || work->under_way == dma->params.outstanding)
    return NEVER;
  if (work->owner != NOBODY)
    return request_at(dma, work->owner);
  /* A full port wakes the engine when it has room again. */
  cycle_t memory = port_free_at(&dma->to_memory), lds = port_free_at(dma->to_lds), next = NEVER;
  uint64_t left = work->pending & ((memory == NEVER ? 0 : work->to_lds) | (lds == NEVER ? 0 : ~work->to_lds));
  for (; left && next > now + 1; left &= left - 1) {
    unsigned channel = (unsigned)__builtin_ctzll(left);
    next = cycle_min(next, cycle_max(work->channel[channel].ready, work->to_lds >> channel & 1 ? memory : lds));
  }
  return next;
}

/* ---- data ----------------------------------------------------------------------------------- */

static void side_push(const struct dma *dma, struct side *side, uint32_t tag, cycle_t now) {
  uint32_t size = dma->params.outstanding, at = side->head + side->count++;
  at = at < size ? at : at - size;
  side->request[at] = tag;
  side->ready[at] = rate_take(&side->rate, now, dma->work->request[tag].covers.bytes) - 1;
}

static cycle_t side_next(const struct side *side, const struct port *port) {
  return side->count ? cycle_max(side->ready[side->head], port_free_at(port)) : NEVER;
}

/* Passes on what has all its bytes on the far side. */
static void side_drain(struct dma *dma, struct side *side, struct port *port, cycle_t now) {
  while (side_next(side, port) <= now) {
    uint32_t tag = side->request[side->head];
    const struct dma_request *covers = &dma->work->request[tag].covers;
    struct transfer transfer = {.tag = tag, .bytes = covers->bytes, .lines = 1, .write = true};
    transfer.address = covers->to_lds ? covers->lds : covers->global;
    transfer.width = covers->to_lds ? dma->params.write_width : 0;
    port_send(port, &transfer, now);
    side->head = side->head + 1 == dma->params.outstanding ? 0 : side->head + 1;
    side->count--;
  }
}

static void land(struct dma *dma, uint32_t tag, cycle_t now) {
  struct dma_work *work = dma->work;
  const struct request *request = &work->request[tag];
  struct channel *channel = &work->channel[request->channel];
  uint64_t bit = UINT64_C(1) << request->channel;
  dma->stats.outstanding_cycles += now - request->sent;
  work->unused[dma->params.outstanding - work->under_way--] = tag;
  if (--channel->under_way || (work->pending & bit))
    return;
  channel->ready = now;
  work->finished |= bit;
}

/* Replies of memory or of the LDS: those to a write are landings, those to a read bring data. */
static void take_replies(struct dma *dma, struct port *port, struct side *side, bool inbound, cycle_t now) {
  const struct transfer_reply *reply;
  while ((reply = port_peek(port, now))) {
    uint32_t tag = reply->tag;
    port_take(port, now);
    if (dma->work->request[tag].covers.to_lds == inbound)
      side_push(dma, side, tag, now);
    else
      land(dma, tag, now);
  }
}

/* ---- completion ----------------------------------------------------------------------------- */

/* The finished channel that comes first: by cycle, then by age. */
static unsigned first_finished(const struct dma_work *work) {
  unsigned first = (unsigned)__builtin_ctzll(work->finished);
  for (uint64_t left = work->finished & (work->finished - 1); left; left &= left - 1) {
    const struct channel *a = &work->channel[__builtin_ctzll(left)], *b = &work->channel[first];
    if (a->ready < b->ready || (a->ready == b->ready && a->order < b->order))
      first = (unsigned)__builtin_ctzll(left);
  }
  return first;
}

static cycle_t next_completion(const struct dma *dma) {
  const struct dma_work *work = dma->work;
  if (!work->finished)
    return NEVER;
  return cycle_max(work->channel[first_finished(work)].ready, port_free_at(&dma->to_cu));
}

/* The channel is free at once; the news is `completion` cycles under way, or the one of the link. */
static void complete(struct dma *dma, unsigned index, cycle_t now) {
  struct dma_work *work = dma->work;
  const struct channel *channel = &work->channel[index];
  const struct dma_descriptor *copy = &channel->descriptor;
  cycle_t arrival = cycle_max(channel->ready + dma->params.completion, now + 1);
  const struct dma_done done = {copy->tag, copy->origin, arrival - copy->issued};
  port_send_at(&dma->to_cu, &done, now, arrival);
  histogram_add(&dma->latency, done.latency);
  dma->stats.descriptors++;
  dma->stats.lines += copy->line_bytes ? copy->lines : 0;
  dma->stats.bytes += (uint64_t)copy->line_bytes * copy->lines * (copy->planes ? copy->planes : 1);
  dma->stats.channel_cycles += now - channel->accepted;
  work->held &= ~(UINT64_C(1) << index);
  dma->probe_channels--;
  work->finished &= ~(UINT64_C(1) << index);
}

static void count_busy(struct dma *dma, cycle_t now) {
  struct dma_work *work = dma->work;
  if (work->held || work->waiting || work->busy_from == NEVER)
    return;
  dma->stats.busy_cycles += now - work->busy_from;
  work->busy_from = NEVER;
}

static void complete_finished(struct dma *dma, cycle_t now) {
  while (next_completion(dma) <= now)
    complete(dma, first_finished(dma->work), now);
}

static void show(struct dma *dma) {
  dma->probe_queue = dma->work->waiting;
  dma->probe_outstanding = dma->work->under_way;
  if (dma->work->waiting > dma->queue_peak)
    dma->queue_peak = dma->work->waiting;
}

void dma_abandon(struct dma *dma, cycle_t end) {
  struct dma_work *work = dma->work;
  count_full(dma, end);
  if (work->busy_from < end)
    dma->stats.busy_cycles += end - work->busy_from;
  for (uint64_t held = work->held; held; held &= held - 1) {
    cycle_t accepted = work->channel[__builtin_ctzll(held)].accepted;
    dma->stats.channel_cycles += end > accepted ? end - accepted : 0;
  }
}

static cycle_t next_step(struct dma *dma, cycle_t now) {
  const struct dma_work *work = dma->work;
  cycle_t next = cycle_min(port_next(&dma->from_memory), port_next(dma->from_lds));
  next = cycle_min(next, side_next(&work->inbound, dma->to_lds));
  next = cycle_min(next, side_next(&work->outbound, &dma->to_memory));
  next = cycle_min(next, next_completion(dma));
  next = cycle_min(next, cycle_min(next_arrival(dma), next_acceptance(dma)));
  return cycle_max(now + 1, cycle_min(next, next_request(dma, now)));
}

static cycle_t dma_step(void *self, cycle_t now) {
  struct dma *dma = self;
  struct dma_work *work = dma->work;
  count_full(dma, now);
  count_waiting(dma, now);
  /* (1) memory's replies: data come in, written data have landed */
  take_replies(dma, &dma->from_memory, &work->inbound, true, now);
  side_drain(dma, &work->inbound, dma->to_lds, now);
  /* (2) the LDS's replies: data have landed, read data go out */
  take_replies(dma, dma->from_lds, &work->outbound, false, now);
  side_drain(dma, &work->outbound, &dma->to_memory, now);
  /* (3) completions */
  complete_finished(dma, now);
  /* (4) acceptance; before the requests, so that a set-up of 0 cycles is one. A copy of nothing may then
   * have finished, too. */
  if (accept_descriptor(dma, now))
    complete_finished(dma, now);
  /* (5) one request */
  send_requests(dma, now);
  note_full(dma, now);
  count_busy(dma, now);
  show(dma);
  return next_step(dma, now);
}
