/* Data on their way through the engine: the side that reads, the buffer, the side that writes. */
#include <assert.h>
#include <stdlib.h>

#include "dma/work.h"
#include "sim/base/need.h"

void dma_side_init(struct side *side, uint32_t entries, uint32_t width) {
  *side = (struct side){.rate = {.per_cycle = width},
                        .request = need_more(NULL, entries, sizeof *side->request),
                        .ready = need_more(NULL, entries, sizeof *side->ready),
                        .freed_at = NEVER,
                        .blocked_from = NEVER};
}

void dma_side_free(struct side *side) {
  free(side->request);
  free(side->ready);
}

/* ---- room ----------------------------------------------------------------------------------- */

/* From which cycle on a reply's data can enter: the buffer has room or, with decoupling off, the only data path is
 * idle. */
static cycle_t data_at(const struct dma *dma, const struct side *side, cycle_t now) {
  if (dma_coupled(dma))
    return side == &dma->work->inbound ? dma->work->path_free : 0;
  if (side->freed_at == now)
    return now + 1;
  return side->buffered < dma->params->buffer ? now : NEVER;
}

cycle_t dma_lds_free_at(const struct dma *dma) {
  cycle_t port = port_free_at(dma->to_lds), path = dma->work->path_free;
  if (!dma_coupled(dma))
    return port;
  return path == NEVER ? NEVER : cycle_max(port, path ? path - 1 : 0); /* the first beat is a cycle later */
}

cycle_t dma_zeros_free_at(const struct dma *dma, cycle_t now) { return data_at(dma, &dma->work->inbound, now); }

/* ---- through a side -------------------------------------------------------------------------- */

static void side_append(struct dma *dma, struct side *side, uint32_t tag, cycle_t ready) {
  uint32_t size = dma->params->outstanding, at = side->head + side->count++;
  at = at < size ? at : at - size;
  side->request[at] = tag;
  side->ready[at] = ready;
  side->buffered += dma_count(&dma->work->request[tag].covers);
  dma->work->channel[dma->work->request[tag].channel].unread--;
  dma->work->reading -= side == &dma->work->outbound;
  if (dma_coupled(dma))
    dma->work->path_free = NEVER;
}

static void side_push(struct dma *dma, struct side *side, uint32_t tag, cycle_t now) {
  dma->work->request[tag].read = now;
  if (dma_coupled(dma)) /* the sides take turns by whole cycles */
    side->rate.cycle = side->rate.used = 0;
  cycle_t here = side == &dma->work->outbound ? now + dma->params->lds_latency : now;
  uint32_t span = dma_span(&dma->work->request[tag].covers);
  cycle_t last = rate_take(&side->rate, here, dma->work->request[tag].passes) - 1;
  side_append(dma, side, tag, cycle_max(here, last - cycle_min(last, span)));
}

/* There is nothing to read: zeros reach the other side a cycle later. */
void dma_side_zeros(struct dma *dma, uint32_t tag, cycle_t now) {
  dma->work->request[tag].read = now;
  side_append(dma, &dma->work->inbound, tag, now + 1);
}

static cycle_t side_next(const struct side *side, const struct port *port) {
  return side->count ? cycle_max(side->ready[side->head], port_free_at(port)) : NEVER;
}

struct transfer dma_transfer(const struct dma *dma, const struct dma_request *covers, uint32_t tag, bool lds) {
  const struct dma_descriptor *walk = &dma->work->channel[dma->work->request[tag].channel].walk;
  const struct rect *side = lds ? &covers->lds : &covers->global;
  return (struct transfer){.tag = tag,
                           .rect = covers->train ? *side : rect_joined(*side),
                           .train = covers->train,
                           .launch = walk->launch,
                           .origin = walk->origin};
}

/* Sends the requests that have all their bytes on the other side. */
static void side_drain(struct dma *dma, struct side *side, struct port *port, cycle_t now) {
  while (side_next(side, port) <= now) {
    uint32_t tag = side->request[side->head];
    const struct dma_request *covers = &dma->work->request[tag].covers;
    struct transfer transfer = dma_transfer(dma, covers, tag, covers->to_lds);
    transfer.write = true;
    transfer.width = covers->to_lds ? dma->params->write_width : 0;
    transfer.bypass = !covers->to_lds && dma->params->l2 == DMA_BYPASS;
    port_send(port, &transfer, now);
    side->head = side->head + 1 == dma->params->outstanding ? 0 : side->head + 1;
    side->count--;
    if (covers->to_lds)
      continue;
    side->freed_at = now;
    side->buffered--; /* inbound data stay until their last beat in the LDS */
    dma_leave(dma, dma->work->request[tag].channel, now);
    if (dma_coupled(dma))
      dma->work->path_free = now + 1;
  }
}

/* ---- replies -------------------------------------------------------------------------------- */

/* Takes the replies of memory or the LDS: one to a write means that it has landed, one to a read brings data. Data
 * without room stay in the port and block the replies behind them. */
static void take_replies(struct dma *dma, struct port *port, struct side *side, bool inbound, cycle_t now) {
  const struct transfer_reply *reply;
  while ((reply = port_peek(port, now))) {
    uint32_t tag = reply->tag;
    const bool to_lds = dma->work->request[tag].covers.to_lds, data = to_lds == inbound;
    if (data && data_at(dma, side, now) > now)
      return;
    port_take(port, now);
    if (data) {
      side_push(dma, side, tag, now);
      continue;
    }
    if (to_lds) {
      dma->work->inbound.buffered -= dma_count(&dma->work->request[tag].covers);
      if (dma_coupled(dma))
        dma->work->path_free = now;
    }
    dma_land(dma, tag, now);
  }
}

void dma_move_data(struct dma *dma, cycle_t now) {
  struct dma_work *work = dma->work;
  /* What has landed in the LDS makes room for data from memory. */
  if (port_next(dma->from_lds) <= now)
    take_replies(dma, dma->from_lds, &work->outbound, false, now);
  if (port_next(&dma->from_memory) <= now)
    take_replies(dma, &dma->from_memory, &work->inbound, true, now);
  if (work->inbound.count)
    side_drain(dma, &work->inbound, dma->to_lds, now);
  if (work->outbound.count)
    side_drain(dma, &work->outbound, &dma->to_memory, now);
}

/* A reply that waits for room needs no step of its own: room appears when data land or leave, which is a step. */
static cycle_t next_reply(const struct dma *dma, const struct port *port, const struct side *side, cycle_t now) {
  return port_peek(port, now) ? cycle_max(now + 1, data_at(dma, side, now)) : port_next(port);
}

cycle_t dma_next_data(const struct dma *dma, cycle_t now) {
  const struct dma_work *work = dma->work;
  cycle_t next = cycle_min(next_reply(dma, &dma->from_memory, &work->inbound, now),
                           next_reply(dma, dma->from_lds, &work->outbound, now));
  next = cycle_min(next, side_next(&work->inbound, dma->to_lds));
  return cycle_min(next, side_next(&work->outbound, &dma->to_memory));
}

/* ---- cycles in which data waited for room ----------------------------------------------------- */

static void count_blocked(struct dma *dma, struct side *side, cycle_t now) {
  if (side->blocked_from < now) {
    dma->stats.buffer_full_cycles += now - side->blocked_from;
    side->blocked_from = now;
  }
}

void dma_count_blocked(struct dma *dma, cycle_t now) {
  count_blocked(dma, &dma->work->inbound, now);
  count_blocked(dma, &dma->work->outbound, now);
}

void dma_note_blocked(struct dma *dma, cycle_t now) {
  dma->work->inbound.blocked_from = port_peek(&dma->from_memory, now) ? now : NEVER;
  dma->work->outbound.blocked_from = port_peek(dma->from_lds, now) ? now : NEVER;
}
