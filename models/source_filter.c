#include "models/source_filter.h"

#include <stdlib.h>

#include "models/executor.h"
#include "sim/base/need.h"
#include "sim/base/vector.h"

void warp_source_wrap(struct warp_source *source, const struct warp_source *inner, const struct warp_source *calls,
                      void *self) {
#define WRAP(name)                                                                                                     \
  source->name = calls->name.call ? calls->name : inner->name;                                                         \
  if (calls->name.call)                                                                                                \
    source->name.self = self;
  WRAP(launch)
  WRAP(start_group)
  WRAP(start_warp)
  WRAP(step)
  WRAP(commit)
  WRAP(commit_dma_lds)
  WRAP(commit_dma_memory)
  WRAP(live)
  WRAP(replied)
#undef WRAP
}

/* ---- launches ------------------------------------------------------------------------------------- */

static void report(void *context, const struct isa_hazard *hazard) {
  const struct filtered_launch *filtered = context;
  filtered->unit->filters->report(filtered->unit, filtered->outer, hazard);
}

static void print(void *context, const struct isa_group *group, uint32_t item, const char *text, size_t length) {
  const struct filtered_launch *filtered = context;
  filtered->unit->filters->print(filtered->unit, filtered->outer, group, item, text, length);
}

void source_filter_report(const struct isa_launch *launch, const struct isa_hazard *hazard) {
  if (launch->report)
    launch->report(launch->report_context, hazard);
}

void source_filter_print(const struct isa_launch *launch, const struct isa_group *group, uint32_t item,
                         const char *text, size_t length) {
  if (launch->print)
    launch->print(launch->print_context, group, item, text, length);
}

/* The launches that the inner source sees, with the filter as their listener. */
static const struct isa_launch *listen(struct source_filter *unit, const struct isa_launch *launches, size_t count) {
  const struct source_filters *filters = unit->filters;
  if (!unit->launches)
    return launches;
  for (size_t i = 0; i < count; i++) {
    struct isa_launch *launch = &unit->launches[i];
    unit->filtered[i] = (struct filtered_launch){unit, &launches[i]};
    *launch = launches[i];
    launch->checked |= filters->checked;
    if (filters->report) {
      launch->report = report;
      launch->report_context = &unit->filtered[i];
    }
    if (filters->print) {
      launch->print = print;
      launch->print_context = &unit->filtered[i];
    }
  }
  return unit->launches;
}

static void launch(void *self, const struct isa_launch *launches, size_t count) {
  struct source_filter *unit = self;
  struct source_filters *filters = unit->filters;
  if (unit->cu == 0) {
    filters->first = filters->next;
    filters->next += (uint32_t)count;
  }
  if (filters->launch)
    filters->launch(unit, launches, count);
  warp_source_call(unit->inner, launch, listen(unit, launches, count), count);
}

/* ---- units ---------------------------------------------------------------------------------------- */

static const struct warp_source *make(void *self, uint32_t cu, const struct machine *machine,
                                      const struct executor *executor) {
  struct source_filters *filters = self;
  const struct source_maker *maker = filters->inner;
  const struct warp_source *inner = maker ? maker->make(maker->self, cu, machine, executor) : &executor->source;
  struct source_filter *unit = need(1, filters->unit_bytes);
  *unit = (struct source_filter){.inner = inner, .executor = maker ? NULL : executor, .filters = filters, .cu = cu};
  if (filters->report || filters->print) {
    unit->launches = need(RESULT_TOGETHER, sizeof *unit->launches);
    unit->filtered = need(RESULT_TOGETHER, sizeof *unit->filtered);
  }
  warp_source_wrap(&unit->source, inner, &filters->calls, unit);
  *vector_next(filters->unit, filters->count, filters->room) = unit;
  if (filters->start)
    filters->start(unit, machine);
  return &unit->source;
}

struct source_maker source_filters_maker(struct source_filters *filters, const struct source_maker *inner) {
  filters->inner = inner;
  filters->calls.launch.call = launch;
  return (struct source_maker){.self = filters, .executes = !inner || inner->executes, .make = make};
}

void source_filters_free(struct source_filters *filters) {
  for (size_t i = 0; i < filters->count; i++) {
    if (filters->end)
      filters->end(filters->unit[i]);
    free(filters->unit[i]->launches);
    free(filters->unit[i]->filtered);
    free(filters->unit[i]);
  }
  free(filters->unit);
  filters->unit = NULL;
  filters->count = filters->room = 0;
}
