/* Warp sources that count issues, and wrap those that supply the warps' operations. */
#include <stdlib.h>

#include "models/executor.h"
#include "sim/base/need.h"
#include "tools/explain/pace.h"

struct pace_unit {
  struct warp_source source;
  const struct warp_source *inner;
  struct pace_log *log;
};

static bool launch(void *self, const struct isa_launch *launches, size_t count) {
  const struct pace_unit *unit = self;
  struct pace_log *log = unit->log;
  if (unit == log->units[0]) {
    log->first += log->together;
    log->together = (uint32_t)count;
  }
  return unit->inner->launch.call(unit->inner->launch.self, launches, count);
}

static uint32_t step(void *self, uint32_t slot, cycle_t now, struct isa_access *access, struct isa_result *result) {
  const struct pace_unit *unit = self;
  pace_issue(unit->log, unit->log->first, now);
  return unit->inner->step.call(unit->inner->step.self, slot, now, access, result);
}

static const struct warp_source *make(void *self, uint32_t cu, const struct machine *machine,
                                      const struct executor *executor) {
  struct pace_log *log = self;
  const struct warp_source *inner =
      log->inner ? log->inner->make(log->inner->self, cu, machine, executor) : &executor->source;
  if (!inner)
    return NULL;
  struct pace_unit *unit = need(1, sizeof *unit);
  *unit = (struct pace_unit){.source = *inner, .inner = inner, .log = log};
  warp_source_take(&unit->source, launch, launch, unit);
  warp_source_take(&unit->source, step, step, unit);
  log->units = need_more(log->units, log->unit_count + 1, sizeof(void *));
  log->units[log->unit_count++] = unit;
  return &unit->source;
}

struct source_maker pace_sources(struct pace_log *log, const struct source_maker *inner) {
  log->inner = inner;
  return (struct source_maker){.self = log, .executes = inner ? inner->executes : true, .make = make};
}

static struct source_maker watcher_sources(void *self, const struct source_maker *inner) {
  return pace_sources(self, inner);
}

struct run_watcher pace_watcher(struct pace_log *log) {
  return (struct run_watcher){.self = log, .sources = watcher_sources, .timeline = log->stalls ? &log->timeline : NULL};
}
