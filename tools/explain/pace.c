#include "tools/explain/pace.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"

/* ---- the end of a launch ---------------------------------------------------------------------------- */

/* The simulation's cycle in which `share` of `all` issues were complete. */
static double when(const struct pace_bins *bins, double share, uint64_t all) {
  const double wanted = share * (double)all;
  double before = 0;
  size_t bin = 0;
  while (before + (double)bins->issues[bin] < wanted)
    before += (double)bins->issues[bin++];
  const double within = (wanted - before) / (double)bins->issues[bin];
  return (double)bins->origin + ((double)bin + within) * (double)bins->width;
}

/* Distributes stalls to parts; within a bin they are spread evenly. */
static void share_out(const struct pace_log *log, const struct pace *pace, struct pace_stalls *stalls) {
  const struct pace_bins *bins = &log->bins;
  const double width = (double)bins->width, end = (double)bins->origin + PACE_BINS * width;
  for (size_t i = 0; i < PACE_BINS; i++) {
    const double first = (double)bins->origin + (double)i * width, last = first + width;
    for (size_t p = 0; p < PACE_PARTS; p++) {
      const double from = p ? pace->over[p - 1] : first, to = p < PACE_PARTS - 1 ? pace->over[p] : end;
      const double low = first > from ? first : from, high = last < to ? last : to;
      for (size_t s = 0; high > low && s < STALLS; s++)
        stalls->part[p][s] += (double)log->bin_stalls[i][s] * (high - low) / width;
    }
  }
}

static void conclude(struct pace_log *log) {
  const struct pace_bins *bins = &log->bins;
  struct pace *pace = &log->pace[log->launch];
  uint64_t all = 0;
  for (size_t i = 0; i < PACE_BINS; i++)
    all += bins->issues[i];
  for (size_t i = 0; all && i < PACE_PARTS - 1; i++)
    pace->over[i] = when(bins, (double)(i + 1) / PACE_PARTS, all);
  if (all && log->stalls)
    share_out(log, pace, &log->stalls[log->launch]);
}

/* ---- accumulation ---------------------------------------------------------------------------------- */

static void widen(struct pace_bins *bins, uint64_t (*stalls)[STALLS]) {
  for (size_t i = 0; i < PACE_BINS / 2; i++) {
    bins->issues[i] = bins->issues[2 * i] + bins->issues[2 * i + 1];
    for (size_t s = 0; stalls && s < STALLS; s++)
      stalls[i][s] = stalls[2 * i][s] + stalls[2 * i + 1][s];
  }
  memset(bins->issues + PACE_BINS / 2, 0, sizeof bins->issues / 2);
  if (stalls)
    memset(stalls + PACE_BINS / 2, 0, PACE_BINS / 2 * sizeof *stalls);
  bins->width *= 2;
}

/* The bins of a launch, widened to reach cycle `end`. Launches do not overlap in time. */
static struct pace_bins *bins_until(struct pace_log *log, uint32_t launch, cycle_t end) {
  struct pace_bins *bins = &log->bins;
  if (launch != log->launch || !bins->width) {
    assert(launch >= log->launch && "launches are reported one after the other");
    conclude(log);
    *bins = (struct pace_bins){.origin = log->end, .width = 1};
    if (log->bin_stalls)
      memset(log->bin_stalls, 0, PACE_BINS * sizeof *log->bin_stalls);
    log->launch = launch;
  }
  while (end - bins->origin > bins->width * PACE_BINS)
    widen(bins, log->bin_stalls);
  log->end = cycle_max(log->end, end);
  return bins;
}

void pace_issue(struct pace_log *log, uint32_t launch, cycle_t now) {
  if (launch >= log->launches)
    return;
  struct pace_bins *bins = bins_until(log, launch, now + 1);
  bins->issues[(now - bins->origin) / bins->width]++;
}

static uint32_t step(void *self, uint32_t slot, cycle_t now, struct isa_access *access, struct isa_result *result) {
  const struct source_filter *unit = self;
  pace_issue(unit->filters->watcher, unit->filters->first, now);
  return warp_source_call(unit->inner, step, slot, now, access, result);
}

static void take(void *self, uint32_t stream, cycle_t now, const struct timeline_event *event) {
  struct pace_log *log = self;
  const uint32_t launch = log->timeline.launch;
  (void)stream, (void)now;
  if (launch >= log->launches || event->kind != TIMELINE_WARP)
    return;
  struct pace_bins *bins = bins_until(log, launch, event->to);
  const cycle_t end = event->to - bins->origin;
  for (cycle_t at = event->from - bins->origin; at < end;) {
    const size_t bin = (size_t)(at / bins->width);
    const cycle_t until = cycle_min((bin + 1) * bins->width, end);
    log->bin_stalls[bin][event->field[TIMELINE_WARP_STALL]] += until - at;
    at = until;
  }
}

void pace_log_begin(struct pace_log *log, struct pace *pace, struct pace_stalls *stalls, uint32_t launches) {
  *log = (struct pace_log){
      .pace = pace,
      .stalls = stalls,
      .launches = launches,
      .filters = {.watcher = log, .unit_bytes = sizeof(struct source_filter), .calls = {.step.call = step}}};
  log->bin_stalls = stalls ? need(PACE_BINS, sizeof *log->bin_stalls) : NULL;
  log->timeline = (struct timeline){.take = take, .self = log, .kinds = UINT32_C(1) << TIMELINE_WARP};
}

static struct source_maker sources(void *self, const struct source_maker *inner) {
  struct pace_log *log = self;
  return source_filters_maker(&log->filters, inner);
}

struct run_watcher pace_watcher(struct pace_log *log) {
  return (struct run_watcher){.self = log, .sources = sources, .timeline = log->stalls ? &log->timeline : NULL};
}

void pace_log_end(struct pace_log *log) {
  conclude(log);
  free(log->bin_stalls);
  log->bin_stalls = NULL;
  source_filters_free(&log->filters);
}

/* ---- queries --------------------------------------------------------------------------------------- */

double pace_when(const struct pace *pace, size_t parts, cycle_t start, cycle_t cycles) {
  if (parts == 0 || parts == PACE_PARTS)
    return parts ? (double)cycles : 0;
  const double at = pace->over[parts - 1] - (double)start;
  if (pace->over[parts - 1] == 0)
    return (double)parts / PACE_PARTS * (double)cycles;
  return at < 0 ? 0 : at > (double)cycles ? (double)cycles : at;
}

void pace_between(const struct pace_stalls *stalls, size_t from, size_t to, double sum[STALLS]) {
  for (size_t i = from; i < to; i++)
    for (size_t s = 0; s < STALLS; s++)
      sum[s] += stalls->part[i][s];
}
