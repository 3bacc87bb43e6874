/* Explaining and sweeping in several threads: the same result as in one, and the caller can end it at any time. */
#include <stdlib.h>
#include <string.h>

#include "tests/api/rig.h"
#include "tests/ct.h"

enum { THREADS = 4, POINTS = 12 };

static ww_work work_of(uint32_t threads) { return (ww_work){.size = sizeof(ww_work), .threads = threads}; }

static ww_trace *recorded(struct rig *rig) {
  ct_freed(ww_buffer_unref_at) ww_buffer *data = NULL;
  ct_freed(ww_launch_unref_at) ww_launch *launch = rig_plus(rig, &data, 3);
  ww_trace *trace = rig_record(rig, launch);
  return trace;
}

static char *explained(struct rig *rig, const ww_trace *trace, uint32_t threads) {
  struct kept kept = {NULL, 0};
  const ww_work work = work_of(threads);
  rig_fine(rig, ww_explain(trace, NULL, &work, WW_JSON, rig_sink(&kept), &rig->error));
  return kept.text ? kept.text : calloc(1, 1);
}

TEST(workers_api, any_number_of_threads_explains_the_same) {
  ct_freed(rig_free) struct rig rig = rig_new("teaching");
  ct_freed(ww_trace_unref_at) ww_trace *trace = recorded(&rig);
  char *one = explained(&rig, trace, 1), *several = explained(&rig, trace, THREADS);
  EXPECT_CONTAINS(one, "dram_latency");
  EXPECT_STREQ(several, one);
  free(one);
  free(several);
}

struct points {
  struct rig *rig;
  char *report[POINTS];
  size_t count, most;
};

static bool take(void *self, const ww_point *point) {
  struct points *points = self;
  if (EXPECT_TRUE(point->report))
    points->report[point->number] = rig_write(points->rig, point->report, WW_JSON);
  return ++points->count < points->most;
}

static ww_status sweep(struct points *points, const ww_trace *trace, uint32_t threads) {
  const ww_axis axes[] = {{"mem.dram_latency", (const char *[]){"100", "200", "300", "400"}, 4},
                          {"cu.schedulers", (const char *[]){"1", "2", "4"}, 3}};
  const ww_work work = work_of(threads);
  return ww_sweep(trace, NULL, axes, 2, &work, take, points, &points->rig->error);
}

static void free_points(struct points *points) {
  for (size_t i = 0; i < POINTS; i++)
    free(points->report[i]);
}

TEST(workers_api, any_number_of_threads_sweeps_the_same) {
  ct_freed(rig_free) struct rig rig = rig_new("teaching");
  ct_freed(ww_trace_unref_at) ww_trace *trace = recorded(&rig);
  struct points one = {.rig = &rig, .most = POINTS + 1}, several = one;
  rig_fine(&rig, sweep(&one, trace, 1));
  rig_fine(&rig, sweep(&several, trace, THREADS));
  EXPECT_EQ(one.count, POINTS);
  EXPECT_EQ(several.count, POINTS);
  for (size_t i = 0; i < POINTS; i++)
    EXPECT_STREQ(several.report[i], one.report[i]);
  free_points(&one);
  free_points(&several);
}

TEST(workers_api, a_caller_can_end_a_sweep_after_any_point) {
  ct_freed(rig_free) struct rig rig = rig_new("teaching");
  ct_freed(ww_trace_unref_at) ww_trace *trace = recorded(&rig);
  for (uint32_t threads = 1; threads <= THREADS; threads += 3) {
    struct points points = {.rig = &rig, .most = 2};
    rig_refused(&rig, sweep(&points, trace, threads), WW_CANCELLED, "ended by its caller");
    EXPECT_EQ(points.count, 2);
    free_points(&points);
  }
}

/* ---- metrics ------------------------------------------------------------------------------------------------- */

struct named {
  const char *name, *key;
  double value;
};

static bool take_metric(void *self, const ww_metric *metric) {
  for (struct named *named = self; named->name; named++)
    if (strcmp(metric->name, named->name) == 0)
      named->value = metric->value;
  return true;
}

TEST(workers_api, metrics_equal_the_numbers_in_the_report) {
  ct_freed(rig_free) struct rig rig = rig_new("teaching");
  ct_freed(ww_trace_unref_at) ww_trace *trace = recorded(&rig);
  ct_freed(ww_report_unref_at) ww_report *report = NULL;
  struct named named[] = {{"cycles", "launches[0].cycles", -1},
                          {"stalls.memory", "launches[0].stalls.memory", -1},
                          {"mem.l2_misses", "launches[0].memory.l2_misses", -1},
                          {NULL, NULL, 0}};
  rig_fine(&rig, ww_trace_replay(trace, NULL, NULL, &report, &rig.error));
  rig_fine(&rig, ww_report_metrics(report, take_metric, named, &rig.error));
  for (size_t i = 0; named[i].name; i++) {
    double value = 0;
    EXPECT_TRUE(ww_report_number(report, named[i].key, &value, NULL));
    EXPECT_TRUE(value > 0);
    EXPECT_EQ(named[i].value, value);
  }
}
