/* Warp sources that count issues, around those that know what the warps do. */
#include <stdlib.h>

#include "models/executor.h"
#include "sim/core/need.h"
#include "sim/explain/pace.h"

struct pace_unit {
  struct warp_source source;
  const struct warp_source *inner;
  struct pace_log *log;
  uint32_t launch, count; /* the first of those that run at once, and how many */
};

static bool launch(void *self, const struct isa_launch *launches, size_t count) {
  struct pace_unit *unit = self;
  unit->launch += unit->count;
  unit->count = (uint32_t)count;
  return unit->inner->launch(unit->inner->self, launches, count);
}

static const struct isa_group *start_group(void *self, uint32_t slot, uint32_t number, uint32_t linear,
                                           uint32_t lds_base, cycle_t now) {
  const struct pace_unit *unit = self;
  return unit->inner->start_group(unit->inner->self, slot, number, linear, lds_base, now);
}

static uint32_t start_warp(void *self, uint32_t slot, uint32_t group_slot, uint32_t index) {
  const struct pace_unit *unit = self;
  return unit->inner->start_warp(unit->inner->self, slot, group_slot, index);
}

static uint32_t step(void *self, uint32_t slot, cycle_t now, struct isa_access *access, struct isa_result *result) {
  const struct pace_unit *unit = self;
  pace_issue(unit->log, unit->launch, now);
  return unit->inner->step(unit->inner->self, slot, now, access, result);
}

static void commit(void *self, struct isa_access *access) {
  const struct pace_unit *unit = self;
  unit->inner->commit(unit->inner->self, access);
}

static void commit_dma_lds(void *self, unsigned engine, uint32_t tag) {
  const struct pace_unit *unit = self;
  unit->inner->commit_dma_lds(unit->inner->self, engine, tag);
}

static void commit_dma_memory(void *self, unsigned engine, uint32_t tag) {
  const struct pace_unit *unit = self;
  unit->inner->commit_dma_memory(unit->inner->self, engine, tag);
}

static void replied(void *self, struct isa_access *access) {
  const struct pace_unit *unit = self;
  unit->inner->replied(unit->inner->self, access);
}

static const struct warp_source *make(void *self, uint32_t cu, const struct machine *machine,
                                      const struct executor *executor) {
  struct pace_log *log = self;
  const struct warp_source *inner =
      log->inner ? log->inner->make(log->inner->self, cu, machine, executor) : &executor->source;
  if (!inner)
    return NULL;
  struct pace_unit *unit = need(1, sizeof *unit);
  *unit = (struct pace_unit){.source = {.self = unit,
                                        .launch = launch,
                                        .start_group = start_group,
                                        .start_warp = start_warp,
                                        .step = step,
                                        .commit = inner->commit ? commit : NULL,
                                        .commit_dma_lds = inner->commit_dma_lds ? commit_dma_lds : NULL,
                                        .commit_dma_memory = inner->commit_dma_memory ? commit_dma_memory : NULL,
                                        .replied = inner->replied ? replied : NULL},
                             .inner = inner,
                             .log = log};
  log->units = need_more(log->units, log->unit_count + 1, sizeof(void *));
  log->units[log->unit_count++] = unit;
  return &unit->source;
}

struct source_maker pace_sources(struct pace_log *log, const struct source_maker *inner) {
  log->inner = inner;
  return (struct source_maker){.self = log, .executes = inner ? inner->executes : true, .make = make};
}

void pace_log_end(struct pace_log *log) {
  for (size_t i = 0; i < log->unit_count; i++)
    free(log->units[i]);
  free(log->units);
  log->units = NULL;
  log->unit_count = 0;
}
