#include <assert.h>
#include <stdlib.h>

#include "dma/work.h"
#include "sim/base/need.h"

/* clang-format off */
const struct param_row dma_param_rows[] = {
#define PARAMS_FILE "dma/dma.params.def"
#define PARAMS_STRUCT dma_params
#include "sim/core/params_rows.def"
};
const size_t dma_param_count = sizeof dma_param_rows / sizeof *dma_param_rows;

static const struct stat_row stat_rows[] = {
#define STAT(...) STAT_ROW(struct dma_stats, __VA_ARGS__)
#include "dma/dma.stats.def"
#undef STAT
};
/* clang-format on */
const struct stat_group dma_stat_group = {"dma", "DMA engines", stat_rows, sizeof stat_rows / sizeof *stat_rows};

enum { TO_MEMORY = 4 }; /* slots of the port; two sustain one message a cycle, credits included */

static cycle_t dma_step(void *self, cycle_t now);

/* to_cu holds notices about copies for `completion` cycles; send_notice() widens it as needed. from_memory: a slot's
 * credit takes memory_latency to return. In that time each request can get one reply and, if its entry is used again,
 * another one. */
static void make_ports(struct dma *dma, struct component *cu, struct component *memory, cycle_t memory_latency) {
  const struct dma_params *params = dma->params;
  struct component *me = &dma->component;
  port_init(&dma->from_cu, sizeof(struct dma_descriptor), params->queue, 1, cu, me);
  port_init(&dma->to_cu, sizeof(struct dma_done), dma_notice_room(params), 1, me, cu);
  port_init(&dma->to_memory, sizeof(struct transfer), TO_MEMORY, 1, me, memory);
  port_init(&dma->from_memory, sizeof(struct transfer_reply), 2 * params->outstanding, memory_latency, memory, me);
}

static void make_work(struct dma *dma) {
  struct dma_work *work = dma->work = need(1, sizeof *work);
  uint32_t requests = dma->params->outstanding;
  work->request = need_more(NULL, requests, sizeof *work->request);
  work->unused = need_more(NULL, requests, sizeof *work->unused);
  uint32_t out_width = dma->params->out_width ? dma->params->out_width : dma->params->write_width;
  dma_side_init(&work->inbound, requests, dma->params->read_width);
  dma_side_init(&work->outbound, requests, out_width);
  work->owner = NOBODY;
  work->splitting = COPY_SLOTS;
  work->full_from = work->busy_from = NEVER;
}

void dma_init(struct dma *dma, const struct dma_params *params, struct component *cu, struct component *memory,
              cycle_t memory_latency, struct port *to_lds, struct port *from_lds) {
  assert(params->channels <= CHANNELS && "a channel is a bit of a word");
  *dma = (struct dma){.component = {.name = "dma", .step = dma_step, .self = dma},
                      .params = params,
                      .to_lds = to_lds,
                      .from_lds = from_lds};
  make_work(dma);
  make_ports(dma, cu, memory, memory_latency);
}

void dma_free(struct dma *dma) {
  port_free(&dma->from_cu);
  port_free(&dma->to_cu);
  port_free(&dma->to_memory);
  port_free(&dma->from_memory);
  if (!dma->work)
    return;
  dma_side_free(&dma->work->inbound);
  dma_side_free(&dma->work->outbound);
  free(dma->work->request);
  free(dma->work->unused);
  free(dma->work);
  dma->work = NULL;
}

uint32_t dma_owner(const struct dma *dma, uint32_t tag) {
  return dma->work->channel[dma->work->request[tag].channel].walk.owner;
}

const struct dma_request *dma_covers(const struct dma *dma, uint32_t tag) { return &dma->work->request[tag].covers; }

static void count_busy(struct dma *dma, cycle_t now) {
  struct dma_work *work = dma->work;
  if (work->held || work->waiting || work->busy_from == NEVER)
    return;
  dma->stats.busy_cycles += now - work->busy_from;
  work->busy_from = NEVER;
}

static void show(struct dma *dma, cycle_t now) {
  dma->probe_queue = dma->work->waiting;
  dma->probe_outstanding = dma->work->in_flight;
  if (dma->work->waiting > dma->queue_peak)
    dma->queue_peak = dma->work->waiting;
  dma_timeline_note(&dma->timeline, now, dma->probe_queue, dma->probe_channels);
}

/* Counts the wait of descriptors that will not be accepted. */
static void abandon_queue(struct dma *dma, cycle_t end) {
  const struct port *queue = &dma->from_cu;
  for (uint32_t i = 0; i < dma->work->waiting; i++) {
    cycle_t arrived = queue->stamp[(queue->head + i) % queue->capacity];
    dma->stats.queue_cycles += end > arrived ? end - arrived : 0;
  }
}

/* Counts the time of parts that will not finish. */
static void abandon_channel(struct dma *dma, unsigned index, cycle_t end) {
  const struct channel *channel = &dma->work->channel[index];
  dma->stats.channel_cycles += end > channel->accepted ? end - channel->accepted : 0;
}

void dma_abandon(struct dma *dma, cycle_t end) {
  struct dma_work *work = dma->work;
  dma_count_held(dma, end);
  dma_count_full(dma, end);
  dma_count_blocked(dma, end);
  if (work->busy_from < end)
    dma->stats.busy_cycles += end - work->busy_from;
  for (uint64_t held = work->held; held; held &= held - 1)
    abandon_channel(dma, (unsigned)__builtin_ctzll(held), end);
  abandon_queue(dma, end);
  if (dma->timeline.since < end)
    dma_timeline_note(&dma->timeline, end, 0, 0);
}

static cycle_t next_step(struct dma *dma, cycle_t now) {
  cycle_t next = cycle_min(dma_next_data(dma, now), dma_next_completion(dma));
  next = cycle_min(next, cycle_min(dma_next_arrival(dma), dma_next_acceptance(dma)));
  return cycle_max(now + 1, cycle_min(next, dma_next_request(dma, now)));
}

static cycle_t dma_step(void *self, cycle_t now) {
  struct dma *dma = self;
  dma_count_held(dma, now);
  dma_count_full(dma, now);
  dma_count_blocked(dma, now);
  dma_count_waiting(dma, now);
  /* (1) replies: writes have landed, read data arrive, and data that have passed a side leave */
  dma_move_data(dma, now);
  /* (2) completions */
  dma_complete_finished(dma, now);
  /* (3) acceptance, before the requests, so that a setup of 0 cycles works. A copy of nothing may be finished then. */
  if (dma_accept(dma, now))
    dma_complete_finished(dma, now);
  /* (4) one address; (5) fences that are now satisfied: channels behind them start in the next cycle */
  dma_send_requests(dma, now);
  if (dma->work->fenced)
    dma_pass_fences(dma, now);
  dma_note_full(dma, now);
  dma_note_blocked(dma, now);
  count_busy(dma, now);
  show(dma, now);
  return next_step(dma, now);
}
