/* Filters: warp sources around others, through which watchers see the operations of warps.
 *
 *     compute unit ──step──► filter ──step──► inner source        what a watcher replaces, it calls itself;
 *                  ──live───────────────────► inner source        the rest goes directly to the inner source
 *
 * A watcher has one struct source_filters. It makes a unit for each compute unit: a struct of the watcher's own, whose
 * first member is a struct source_filter.
 *
 * Invariant: a filter changes no result. */
#ifndef MODELS_SOURCE_FILTER_H
#define MODELS_SOURCE_FILTER_H

#include "models/result.h"
#include "models/warp_source.h"

struct source_filters;

/* A launch whose hazards and output a unit receives before those who gave the launch. */
struct filtered_launch {
  struct source_filter *unit;
  const struct isa_launch *outer;
};

struct source_filter {
  struct warp_source source;
  const struct warp_source *inner;
  const struct executor *executor; /* NULL: the inner source is not an executor's */
  struct source_filters *filters;
  uint32_t cu;
  struct isa_launch *launches; /* as the inner source sees them; NULL: like those that were given */
  struct filtered_launch *filtered;
};

struct source_filters {
  void *watcher;
  size_t unit_bytes;
  struct warp_source calls; /* without `self`, which is the unit, and without `launch`; NULL: the inner source's */
  /* A new compute unit; may be NULL. */
  void (*start)(void *unit, const struct machine *machine);
  /* Launches begin; may be NULL. */
  void (*launch)(void *unit, const struct isa_launch *launches, size_t count);
  /* Hazards and output of launches; may be NULL. source_filter_report() and _print() pass them on. */
  void (*report)(void *unit, const struct isa_launch *launch, const struct isa_hazard *hazard);
  void (*print)(void *unit, const struct isa_launch *launch, const struct isa_group *group, uint32_t item,
                const char *text, size_t length);
  bool checked; /* launches report the rules of ISA_BY_CHECK, too */
  /* Frees what a unit owns; may be NULL. */
  void (*end)(void *unit);

  /* Set by the filters themselves. */
  const struct source_maker *inner; /* NULL: executors */
  struct source_filter **unit;
  size_t count, room;
  uint32_t first, next; /* numbers of the first launch that runs now, and of the first one after those that run */
};

/* Makes a filter around each source of `inner`, or around each executor if it is NULL. Both stay at their addresses. */
struct source_maker source_filters_maker(struct source_filters *filters, const struct source_maker *inner);

void source_filter_report(const struct isa_launch *launch, const struct isa_hazard *hazard);
void source_filter_print(const struct isa_launch *launch, const struct isa_group *group, uint32_t item,
                         const char *text, size_t length);

/* Frees all units. The simulation must have ended. */
void source_filters_free(struct source_filters *filters);

#endif
