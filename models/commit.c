#include "models/commit.h"

#include <stdlib.h>

#include "models/memory.h"
#include "sim/base/need.h"

void commits_init(struct commits *commits, uint32_t compute_units) {
  *commits = (struct commits){.source = need(compute_units, sizeof *commits->source)};
  late_init(&commits->late, compute_units);
}

void commits_free(struct commits *commits) {
  free(commits->source);
  late_free(&commits->late);
  *commits = (struct commits){0};
}

void commit_now(struct commits *commits, uint32_t cu, const struct mem_message *message) {
  const struct warp_source *source = commits->source[cu];
  if (mem_is_dma(message->kind)) {
    source->commit_dma_memory.call(source->commit_dma_memory.self, message->engine, message->tag, &message->rect,
                                   message->kind == MEM_DMA_WRITE);
    return;
  }
  if (message->kind != MEM_PREFETCH)
    source->commit.call(source->commit.self, message->access);
  if (message->fills)
    l1_capture(message->fills, commits->memory, message->lines, message->count);
}

void commit_cached(const struct warp_source *source, struct isa_access *access, const struct isa_cache *cache) {
  access->cache = cache;
  source->commit.call(source->commit.self, access);
  access->cache = NULL;
}

/* ---- loads that wait ------------------------------------------------------------------------- */

void commit_all_waiting(struct commits *commits, uint32_t cu) {
  const struct warp_source *source = commits->source[cu];
  struct late_queue *queue = &commits->late.queue[cu];
  for (uint32_t i = 0; i < queue->count; i++) {
    const struct late_load *load = &queue->load[i];
    source->commit.call(source->commit.self, load->access);
    if (load->fills)
      l1_capture(load->fills, commits->memory, load->lines, load->count);
  }
  queue->count = 0;
}

static void commit_all(struct commits *commits) {
  for (uint32_t cu = 0; cu < commits->late.queues; cu++)
    commit_waiting(commits, cu);
  late_end_round(&commits->late);
}

void commit_accept(struct commits *commits, uint32_t cu, const struct mem_message *message) {
  struct late_loads *late = &commits->late;
  if (late->wanted && message->kind == MEM_LOAD) {
    late_add(late, cu, &(struct late_load){message->access, message->lines, message->count, message->fills});
    return;
  }
  if (late->wanted && mem_is_dma(message->kind))
    commit_all(commits);
  for (uint32_t i = 0; late->wanted && i < message->count; i++) { /* of an engine's request: none */
    const uint32_t whose = late_reader(late, &message->lines[i]);
    if (whose == LATE_SEVERAL)
      commit_all(commits);
    else if (whose != LATE_NOBODY)
      commit_all_waiting(commits, whose);
  }
  commit_now(commits, cu, message);
}

void commits_end_round(struct commits *commits, cycle_t now, cycle_t window) {
  if (!commits->late.wanted || now < commits->tried_at + window)
    return;
  commits->tried_at = now;
  late_end_round(&commits->late);
}
