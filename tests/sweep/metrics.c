#include "tools/sweep/metrics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/machine.h"
#include "tests/ct.h"
#include "tests/sweep/fixture.h"

TEST(sweep_metrics, names_are_unique_and_differ_from_parameters) {
  struct sweep_metrics metrics = sweep_metrics_new(true);
  for (size_t i = 0; i < metrics.count; i++) {
    EXPECT_EQ(sweep_metrics_find(&metrics, metrics.row[i].name), i);
    EXPECT_TRUE(!param_find(machine_groups, MACHINE_GROUPS, metrics.row[i].name, NULL, NULL));
    EXPECT_TRUE(*metrics.row[i].text);
  }
  EXPECT_STREQ(metrics.row[0].name, "cycles");
  EXPECT_STREQ(metrics.row[metrics.count - 1].name, "cost");
  sweep_metrics_free(&metrics);
}

TEST(sweep_metrics, the_page_lists_metrics_that_are_not_counters_as_in_the_rows) {
  struct sweep_metrics metrics = sweep_metrics_new(false);
  ct_freed(ct_free) char *page = fixture_page("docs/sweep.md");
  for (size_t i = 0; strncmp(metrics.row[i].name, "stalls.", 7) != 0; i++) {
    char line[400];
    snprintf(line, sizeof line, "\n| `%s` | %s | %s |\n", metrics.row[i].name, metrics.row[i].unit,
             metrics.row[i].text);
    EXPECT_CONTAINS(page, line);
  }
  sweep_metrics_free(&metrics);
}

/* Two concurrent launches, then one alone: counters that the first two share count once. */
TEST(sweep_metrics, launches_are_added_up_and_shared_counters_count_once) {
  struct sweep_metrics metrics = sweep_metrics_new(false);
  struct machine machine = {.cu.clock_mhz = 1000};
  double value[SWEEP_METRICS];
  struct launch_result results[3] = {
      {.together = 2, .cycles = 70, .together_cycles = 100, .cu.barriers = 1, .lds.passes = 30, .lds_max_ways = 4},
      {.together = 2, .cycles = 100, .together_cycles = 100, .cu.barriers = 2, .lds.passes = 30, .lds_max_ways = 4},
      {.together = 1, .cycles = 50, .together_cycles = 50, .cu.barriers = 4, .lds.passes = 5, .lds_max_ways = 2}};
  for (size_t i = 0; i < 3; i++) {
    results[i].stalls[STALL_BARRIER] = 10;
    results[i].occupancy.groups_per_cu = (uint32_t)(3 - i);
  }
  sweep_metrics_take(&machine, results, 3, value);
  EXPECT_EQ(value[sweep_metrics_find(&metrics, "cycles")], 100 + 50);
  EXPECT_EQ(value[sweep_metrics_find(&metrics, "microseconds")] * 1000, 150);
  EXPECT_EQ(value[sweep_metrics_find(&metrics, "cu.barriers")], 1 + 2 + 4);
  EXPECT_EQ(value[sweep_metrics_find(&metrics, "lds.passes")], 30 + 5);
  EXPECT_EQ(value[sweep_metrics_find(&metrics, "lds.max_ways")], 4);
  EXPECT_EQ(value[sweep_metrics_find(&metrics, "stalls.barrier")], 30);
  EXPECT_EQ(value[sweep_metrics_find(&metrics, "occupancy.groups_per_cu")], 1);
  sweep_metrics_free(&metrics);
}
