#include "tools/sweep/metrics.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/machine_groups.h"
#include "sim/base/need.h"
#include "sim/base/vector.h"

#define ROWS(table) (sizeof(table) / sizeof *(table))

/* ---- metrics that are not counters of a group -------------------------------------------------- */

/* All launches of a job. */
struct all {
  const struct machine *machine;
  const struct launch_result *results;
  size_t count;
};

/* Launches that run at once count once. */
static double cycles(const struct all *all) {
  double sum = 0;
  for (size_t i = 0; i < all->count; i += all->results[i].together)
    sum += (double)all->results[i].together_cycles;
  return sum;
}

static double microseconds(const struct all *all) { return cycles(all) / machine_cu(all->machine)->clock_mhz; }

static double warp_instructions(const struct all *all) {
  double sum = 0;
  for (size_t i = 0; i < all->count; i++)
    sum += (double)all->results[i].cu.warp_instructions;
  return sum;
}

static double resident_cycles(const struct all *all) {
  double sum = 0;
  for (size_t i = 0; i < all->count; i++)
    sum += (double)all->results[i].resident_cycles;
  return sum;
}

static double exposed_cycles(const struct all *all) {
  double sum = 0;
  for (size_t i = 0; i < all->count; i++)
    sum += (double)all->results[i].cu.exposed_cycles;
  return sum;
}

static double hazards(const struct all *all) {
  double sum = 0;
  for (size_t i = 0; i < all->count; i++) {
    sum += (double)all->results[i].hazards_dropped;
    for (size_t j = 0; j < all->results[i].hazard_count; j++)
      sum += (double)all->results[i].hazards[j].count;
  }
  return sum;
}

static double max_ways(const struct all *all) {
  uint64_t most = 0;
  for (size_t i = 0; i < all->count; i++)
    most = all->results[i].lds_max_ways > most ? all->results[i].lds_max_ways : most;
  return (double)most;
}

static double queue_peak(const struct all *all) {
  uint32_t most = 0;
  for (size_t i = 0; i < all->count; i++)
    most = all->results[i].dma_queue_peak > most ? all->results[i].dma_queue_peak : most;
  return most;
}

static double groups_per_cu(const struct all *all) {
  uint32_t least = all->results[0].occupancy.groups_per_cu;
  for (size_t i = 1; i < all->count; i++)
    least = all->results[i].occupancy.groups_per_cu < least ? all->results[i].occupancy.groups_per_cu : least;
  return least;
}

static const struct metric {
  struct store_metric row;
  double (*value)(const struct all *all);
} singles[] = {
    {{"cycles", "cycles", "Of all launches, added up; of launches that run at once, to the end of the last."}, cycles},
    {{"microseconds", "us", "`cycles` at `cu.clock_mhz`."}, microseconds},
    {{"warp_instructions", "instructions", "Instructions that warps issued, over all launches."}, warp_instructions},
    {{"resident_cycles", "warp-cycles", "Cycles times warps in a slot of a CU: the sum of all `stalls.*`."},
     resident_cycles},
    {{"hazards", "hazards", "Occurrences of all hazards, which `warpwait run` reports one by one."}, hazards},
    {{"lds.max_ways", "passes", "Most passes of one phase of an LDS access, of all launches."}, max_ways},
    {{"dma.queue_peak", "descriptors", "Most descriptors that waited at once in any engine."}, queue_peak},
    {{"hiding.exposed_cycles", "group-cycles", "`cu.exposed_cycles`: time of copies that nothing hid."},
     exposed_cycles},
    {{"occupancy.groups_per_cu", "work-groups", "Work-groups that a CU can hold; of several launches, the fewest."},
     groups_per_cu},
};

/* ---- counters ------------------------------------------------------------------------------------ */

static const struct counters {
  const struct stat_group *group;
  const char *prefix;
  size_t offset; /* in struct launch_result */
  bool shared;   /* the same for launches that run at once */
} counters[] = {
    {&cu_stat_group, "cu", offsetof(struct launch_result, cu), false},
    {&lds_stat_group, "lds", offsetof(struct launch_result, lds), true},
    {&dma_stat_group, "dma", offsetof(struct launch_result, dma), true},
    {&mem_stat_group, "mem", offsetof(struct launch_result, mem), true},
};

static double count_of(const struct all *all, const struct counters *of, const struct stat_row *row) {
  double sum = 0;
  for (size_t i = 0; i < all->count; i += of->shared ? all->results[i].together : 1)
    sum += (double)stat_value(row, (const char *)&all->results[i] + of->offset);
  return sum;
}

static double stall_of(const struct all *all, unsigned stall) {
  double sum = 0;
  for (size_t i = 0; i < all->count; i++)
    sum += (double)all->results[i].stalls[stall];
  return sum;
}

/* ---- the table ------------------------------------------------------------------------------------ */

static void add_row(struct sweep_metrics *metrics, const char *name, const char *unit, const char *text) {
  assert(metrics->count < SWEEP_METRICS && "an outcome has room for all");
  *vector_next(metrics->row, metrics->count, metrics->room) =
      (struct store_metric){need_copy(name), need_copy(unit), need_copy(text)};
}

static void add_counters(struct sweep_metrics *metrics, const struct counters *of) {
  for (size_t i = 0; i < of->group->count; i++) {
    const struct stat_row *row = &of->group->rows[i];
    char name[96];
    snprintf(name, sizeof name, "%s.%s", of->prefix, row->name);
    const bool taken = param_find(machine_groups, MACHINE_GROUPS, name, NULL, NULL);
    if (taken)
      snprintf(name, sizeof name, "%s.%s_count", of->prefix, row->name);
    add_row(metrics, name, row->unit, row->text);
  }
}

struct sweep_metrics sweep_metrics_new(bool cost) {
  struct sweep_metrics metrics = {0};
  char name[96], text[256];
  for (size_t i = 0; i < ROWS(singles); i++)
    add_row(&metrics, singles[i].row.name, singles[i].row.unit, singles[i].row.text);
  for (unsigned i = 0; i < STALLS; i++) {
    snprintf(name, sizeof name, "stalls.%s", stall_rows[i].name);
    snprintf(text, sizeof text, "Cycles of warps that waited for %s.", stall_rows[i].text);
    add_row(&metrics, name, "warp-cycles", text);
  }
  for (size_t i = 0; i < ROWS(counters); i++)
    add_counters(&metrics, &counters[i]);
  if (cost)
    add_row(&metrics, "cost", "", "The plan's `cost` of the point.");
  return metrics;
}

void sweep_metrics_free(struct sweep_metrics *metrics) {
  for (size_t i = 0; i < metrics->count; i++) {
    free((char *)metrics->row[i].name);
    free((char *)metrics->row[i].unit);
    free((char *)metrics->row[i].text);
  }
  free(metrics->row);
  *metrics = (struct sweep_metrics){0};
}

size_t sweep_metrics_find(const struct sweep_metrics *metrics, const char *name) {
  size_t i = 0;
  while (i < metrics->count && strcmp(metrics->row[i].name, name) != 0)
    i++;
  assert(i < metrics->count && "a metric is one of the rows");
  return i;
}

void sweep_metrics_take(const struct machine *machine, const struct launch_result *results, size_t count,
                        double *value) {
  const struct all all = {machine, results, count};
  for (size_t i = 0; i < ROWS(singles); i++)
    *value++ = singles[i].value(&all);
  for (unsigned i = 0; i < STALLS; i++)
    *value++ = stall_of(&all, i);
  for (size_t i = 0; i < ROWS(counters); i++)
    for (size_t j = 0; j < counters[i].group->count; j++)
      *value++ = count_of(&all, &counters[i], &counters[i].group->rows[j]);
}
