#include "tests/dma/rig.h"

#include <stdlib.h>
#include <string.h>

struct dma_descriptor descriptor_of(const struct flat_copy *copy) {
  const struct rect lines = {.bytes = copy->line_bytes, .lines = copy->lines, .planes = copy->planes};
  struct dma_descriptor descriptor = {.tag = copy->tag,
                                      .number = copy->number,
                                      .owner = copy->owner,
                                      .after = copy->after,
                                      .to_lds = copy->to_lds,
                                      .fetch = copy->fetch,
                                      .global = lines,
                                      .lds = lines,
                                      .element_bytes = copy->element_bytes,
                                      .from = copy->global_from,
                                      .to = copy->global_to,
                                      .issued = copy->issued};
  descriptor.global.base = copy->global;
  descriptor.global.pitch = copy->global_pitch;
  descriptor.global.plane = copy->global_plane;
  descriptor.lds.base = copy->lds;
  descriptor.lds.pitch = copy->lds_pitch;
  descriptor.lds.plane = copy->lds_plane;
  return descriptor;
}

static cycle_t cu_step(void *self, cycle_t now) {
  struct rig *rig = self;
  const struct dma_done *done;
  while ((done = port_peek(&rig->dma.to_cu, now))) {
    if (done->notice != DMA_LANDED) {
      rig->done[done->tag] = now;
      rig->order[rig->completed++] = (uint32_t)done->tag;
    }
    if (done->notice != DMA_LEFT)
      rig->landed[done->tag] = now;
    rig->requests[done->tag] = done->requests;
    rig->asked[done->tag] = done->bytes;
    port_take(&rig->dma.to_cu, now);
  }
  while (rig->next_copy < rig->planned && rig->at[rig->next_copy] <= now && port_can_send(&rig->dma.from_cu, now)) {
    rig->sent[rig->next_copy] = now;
    const struct dma_descriptor descriptor = descriptor_of(&rig->copy[rig->next_copy++]);
    port_send(&rig->dma.from_cu, &descriptor, now);
  }
  cycle_t next = port_next(&rig->dma.to_cu);
  if (rig->next_copy < rig->planned)
    next = cycle_min(next, cycle_max(rig->at[rig->next_copy], port_free_at(&rig->dma.from_cu)));
  return next;
}

/* space 0: the LDS, 1: global memory */
static void note_touch(struct rig *rig, const struct dma_request *covers, unsigned space, cycle_t now) {
  cycle_t *first = &rig->diary[covers->tag].first[space];
  *first = *first ? *first : now + 1;
  rig->diary[covers->tag].last[space] = now + 1;
}

static cycle_t memory_step(void *self, cycle_t now) {
  struct rig *rig = self;
  const struct transfer *transfer;
  while ((transfer = port_peek(&rig->dma.to_memory, now)) && (!rig->gap || now >= rig->last_taken + rig->gap)) {
    const struct dma_request *covers = dma_covers(&rig->dma, transfer->tag);
    EXPECT_EQ(covers->to_lds, !transfer->write);
    EXPECT_EQ(covers->global.base, transfer->rect.base);
    EXPECT_EQ(covers->global.bytes * covers->global.lines, transfer->rect.bytes * transfer->rect.lines);
    for (uint32_t line = 0; line < covers->global.lines; line++)
      for (uint64_t i = 0; i < covers->global.bytes; i++)
        rig->touched_global[rect_line(&covers->global, 0, line) + i]++;
    note_touch(rig, covers, 1, now);
    rig->hash = (rig->hash ^ now ^ transfer->rect.base << 20 ^ transfer->tag) * UINT64_C(1099511628211);
    rig->largest = cycle_max(rig->largest, transfer->rect.bytes * transfer->rect.lines);
    rig->bypasses += transfer->bypass;
    rig->read_requests += !transfer->write;
    rig->write_requests += transfer->write;
    cycle_t arrival = now - 1 + (transfer->write ? rig->write : rig->read);
    struct transfer_reply reply = {.tag = transfer->tag};
    EXPECT_TRUE(port_can_send(&rig->dma.from_memory, now));
    port_take(&rig->dma.to_memory, now);
    rig->last_taken = now;
    port_send_at(&rig->dma.from_memory, &reply, now, cycle_max(arrival, rig->dma.from_memory.last));
  }
  return cycle_max(now + 1, cycle_max(port_next(&rig->dma.to_memory), rig->gap ? rig->last_taken + rig->gap : 0));
}

static void commit_dma(void *context, unsigned engine, uint32_t tag) {
  struct rig *rig = context;
  const struct dma_request *covers = dma_covers(&rig->dma, tag);
  EXPECT_EQ(engine, 0);
  note_touch(rig, covers, 0, rig->lds_now);
  for (uint32_t line = 0; line < covers->lds.lines; line++)
    for (uint64_t i = 0; i < covers->lds.bytes; i++)
      rig->touched_lds[rect_line(&covers->lds, 0, line) + i]++;
}

static cycle_t watched_lds(void *self, cycle_t now) {
  struct rig *rig = self;
  rig->lds_now = now;
  return rig->lds_step(&rig->lds, now);
}

struct dma_params usual_dma(void) {
  return (struct dma_params){.engines = 1,
                             .channels = 4,
                             .queue = 8,
                             .issue_gap = 1,
                             .setup = 20,
                             .completion = 10,
                             .outstanding = 64,
                             .granularity = 64,
                             .sector = 1,
                             .burst = 256,
                             .read_width = 64,
                             .write_width = 64,
                             .buffer = 256,
                             .dimensions = 5,
                             .gather = 1,
                             .alignment = 1,
                             .lane_bytes = 16};
}

struct rig *make_rig(struct dma_params params) {
  struct rig *rig = calloc(1, sizeof *rig);
  rig->dma_params = params;
  rig->lds_params = (struct lds_params){
      .banks = 32, .bank_bytes = 4, .size = LDS_BYTES, .latency = 10, .queue = 8, .interleave = 1, .swap_passes = 1};
  struct lds_commit commit = {.context = rig, .dma = commit_dma};
  struct component *engine = &rig->dma.component;
  rig->read = rig->write = 30;
  rig->cu = (struct component){.name = "cu", .step = cu_step, .self = rig};
  rig->memory = (struct component){.name = "memory", .step = memory_step, .self = rig};
  lds_init(&rig->lds, &rig->lds_params, &commit, &rig->cu, &engine, 1);
  dma_init(&rig->dma, &rig->dma_params, &rig->cu, &rig->memory, MEMORY_LATENCY, &rig->lds.from_dma[0],
           &rig->lds.to_dma[0]);
  rig->dma.latency = &rig->latency;
  rig->lds_step = rig->lds.component.step;
  rig->lds.component.step = watched_lds;
  rig->lds.component.self = rig;
  struct component *parts[] = {&rig->cu, &rig->dma.component, &rig->lds.component, &rig->memory};
  for (unsigned i = 0; i < 4; i++)
    island_add(&rig->island, parts[i]);
  return rig;
}

void free_rig(struct rig *rig) {
  dma_free(&rig->dma);
  lds_free(&rig->lds);
  free(rig);
}

struct flat_copy *plan(struct rig *rig, cycle_t at, struct flat_copy copy) {
  copy.tag = rig->planned;
  copy.issued = at;
  rig->at[rig->planned] = at;
  rig->copy[rig->planned] = copy;
  return &rig->copy[rig->planned++];
}

struct flat_copy *plan_plain(struct rig *rig, cycle_t at, bool to_lds, uint64_t global, uint32_t lds, uint32_t bytes) {
  return plan(
      rig, at,
      (struct flat_copy){.to_lds = to_lds, .global = global, .lds = lds, .line_bytes = bytes, .planes = 1, .lines = 1});
}

void run(struct rig *rig) {
  EXPECT_EQ(island_run(&rig->island, 10000000), NEVER);
  EXPECT_EQ(rig->completed, rig->planned);
}

cycle_t alone(struct dma_params params, struct flat_copy copy, cycle_t memory) {
  struct rig *rig = make_rig(params);
  rig->read = rig->write = memory;
  plan(rig, 0, copy);
  run(rig);
  cycle_t done = rig->done[0];
  free_rig(rig);
  return done;
}

struct flat_copy plain(bool to_lds, uint64_t global, uint32_t lds, uint32_t bytes) {
  return (struct flat_copy){
      .to_lds = to_lds, .global = global, .lds = lds, .line_bytes = bytes, .planes = 1, .lines = 1};
}
