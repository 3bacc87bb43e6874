/* Timeline events of the engine. */
#include "dma/work.h"

static void emit(const struct dma *dma, struct timeline_event event, cycle_t now) {
  if (timeline_wants(&dma->tap, event.kind))
    timeline_emit(&dma->tap, now, event);
}

static uint32_t unit_of(const struct dma *dma, unsigned channel) { return dma->number * TIMELINE_CHANNELS + channel; }

/* The compute unit that issued the copy. */
static uint32_t cu_of(const struct dma *dma, const struct dma_descriptor *descriptor) {
  return dma->tap.cu + descriptor->owner / DMA_CU_OWNERS;
}

void dma_emit_queued(const struct dma *dma, const struct dma_descriptor *descriptor, cycle_t from, cycle_t to,
                     cycle_t now) {
  if (from < to)
    emit(dma,
         (struct timeline_event){
             .kind = TIMELINE_QUEUE,
             .unit = dma->number,
             .from = from,
             .to = to,
             .field = {[TIMELINE_QUEUE_COPY] = descriptor->number, [TIMELINE_QUEUE_OF] = cu_of(dma, descriptor)}},
         now);
}

void dma_emit_channel(const struct dma *dma, unsigned index, cycle_t to, cycle_t now) {
  const struct channel *channel = &dma->work->channel[index];
  const struct dma_descriptor *walk = &channel->walk;
  emit(dma,
       (struct timeline_event){.kind = TIMELINE_CHANNEL,
                               .unit = unit_of(dma, index),
                               .from = channel->accepted,
                               .to = to,
                               .field = {[TIMELINE_CHANNEL_COPY] = walk->number,
                                         [TIMELINE_CHANNEL_BYTES] = rect_all(&walk->global),
                                         [TIMELINE_CHANNEL_REQUESTS] = channel->requests,
                                         [TIMELINE_CHANNEL_OF] = cu_of(dma, walk)}},
       now);
}

void dma_emit_request(const struct dma *dma, uint32_t tag, cycle_t to, cycle_t now) {
  const struct request *request = &dma->work->request[tag];
  const struct dma_descriptor *walk = &dma->work->channel[request->channel].walk;
  emit(dma,
       (struct timeline_event){.kind = TIMELINE_REQUEST,
                               .unit = unit_of(dma, request->channel),
                               .from = request->sent,
                               .to = to,
                               .field = {[TIMELINE_REQUEST_COPY] = walk->number,
                                         [TIMELINE_REQUEST_TO_LDS] = walk->to_lds,
                                         [TIMELINE_REQUEST_BYTES] = dma_bytes(&request->covers),
                                         [TIMELINE_REQUEST_READ] = request->read,
                                         [TIMELINE_REQUEST_OF] = cu_of(dma, walk)}},
       now);
}

/* ---- a run that is cut short ------------------------------------------------------------------- */

static void emit_waiting(const struct dma *dma, cycle_t end, cycle_t now) {
  const struct port *queue = &dma->from_cu;
  for (uint32_t i = 0; i < dma->work->waiting; i++) {
    const uint32_t slot = (queue->head + i) % queue->capacity;
    const struct dma_descriptor *descriptor = (const void *)(queue->slots + slot * queue->bytes);
    dma_emit_queued(dma, descriptor, queue->stamp[slot], end, now);
  }
}

/* Skips requests that have landed: dma_land() sets `sent` to NEVER. */
void dma_emit_cut(const struct dma *dma, cycle_t end, cycle_t now) {
  const struct dma_work *work = dma->work;
  for (uint32_t tag = 0; tag < work->used; tag++)
    if (work->request[tag].sent < end)
      dma_emit_request(dma, tag, end, now);
  for (uint64_t held = work->held; held; held &= held - 1)
    if (work->channel[__builtin_ctzll(held)].accepted < end)
      dma_emit_channel(dma, (unsigned)__builtin_ctzll(held), end, now);
  emit_waiting(dma, end, now);
}
