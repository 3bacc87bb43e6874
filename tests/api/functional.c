/* Functional runs: the same memory as after a timed run, and nothing that looks like a measurement. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/api/rig.h"
#include "tests/ct.h"

static const ww_watch untimed = {.size = sizeof untimed, .functional = true};

static uint32_t at(ww_buffer *data, size_t i) { return ((uint32_t *)ww_buffer_data(data))[i]; }

TEST(functional, writes_the_same_memory_as_a_timed_run_and_leaves_time_and_caches_alone) {
  struct rig rig = rig_new("teaching"), other = rig_new("teaching");
  ww_buffer *data[2];
  ww_launch *launch[2] = {rig_plus(&rig, &data[0], 5), rig_plus(&other, &data[1], 5)};
  ww_report *report[2] = {NULL, NULL}, *executed = NULL;
  for (int round = 0; round < 2; round++) { /* the second round starts with warm caches */
    const uint64_t now = ww_device_now(rig.device);
    rig_fine(&rig, ww_run(rig.device, &launch[0], 1, &untimed, &executed, &rig.error));
    EXPECT_EQ(at(data[0], 63), 63 + 10 * (uint32_t)round + 5);
    EXPECT_EQ(ww_device_now(rig.device), now);
    EXPECT_EQ(ww_report_start(executed, 0), now);
    EXPECT_TRUE(ww_report_finished(executed));
    ww_report_unref(executed);
    rig_fine(&rig, ww_run(rig.device, &launch[0], 1, NULL, &report[0], &rig.error));
    rig_fine(&other, ww_run(other.device, &launch[1], 1, NULL, &report[1], &other.error));
    char *text[2] = {rig_write(&rig, report[0], WW_JSON), rig_write(&other, report[1], WW_JSON)};
    EXPECT_STREQ(text[0], text[1]);
    for (int i = 0; i < 2; i++) {
      free(text[i]);
      ww_report_unref(report[i]);
    }
  }
  for (int i = 0; i < 2; i++) {
    ww_launch_unref(launch[i]);
    ww_buffer_unref(data[i]);
  }
  rig_free(&rig);
  rig_free(&other);
}

static bool no_metric(void *self, const ww_metric *metric) {
  (void)self, (void)metric;
  return true;
}

TEST(functional, reports_are_flagged_and_have_no_cycles) {
  ct_freed(rig_free) struct rig rig = rig_new("teaching");
  ct_freed(ww_buffer_unref_at) ww_buffer *data = NULL;
  ct_freed(ww_launch_unref_at) ww_launch *launch = rig_plus(&rig, &data, 5);
  ct_freed(ww_report_unref_at) ww_report *report = NULL;
  const char *end = NULL;
  double number = 0;
  rig_fine(&rig, ww_run(rig.device, &launch, 1, &untimed, &report, &rig.error));
  EXPECT_EQ(rig_number(report, "launches[0].functional"), 1);
  EXPECT_TRUE(ww_report_text(report, "launches[0].end", &end));
  EXPECT_STREQ(end, "finished");
  EXPECT_EQ(rig_number(report, "launches[0].warp_instructions"), 2 * 8);
  EXPECT_EQ(rig_number(report, "launches[0].cu.lane_instructions"), 64 * 8);
  EXPECT_EQ(rig_number(report, "launches[0].cu.work_groups"), 1);
  EXPECT_EQ(ww_report_count(report, "launches[0].by_instruction"), 8);
  EXPECT_EQ(rig_number(report, "launches[0].by_instruction[0].issues"), 2);
  static const char *const timed[] = {
      "cycles",      "together_cycles", "microseconds", "event_cycles", "stalls",         "cu.l1_hits",
      "utilization", "bottleneck",      "fidelity",     "lds",          "cu.copy_cycles", "dma",
      "memory",      "trace_hash",      "by_line"};
  for (size_t i = 0; i < sizeof timed / sizeof *timed; i++) {
    char key[64];
    snprintf(key, sizeof key, "launches[0].%s", timed[i]);
    EXPECT_FALSE(ww_report_number(report, key, &number, NULL));
    EXPECT_EQ(ww_report_count(report, key), 0);
    EXPECT_FALSE(ww_report_text(report, key, &end));
  }
  ct_freed(ct_free) char *text = rig_write(&rig, report, WW_TEXT);
  EXPECT_CONTAINS(text, "timing         none, so cycles, stalls and traffic are unknown\n");
  EXPECT_CONTAINS(text, "instructions   16 of warps; 100.0 % of their lanes were active\n");
  EXPECT_TRUE(!strstr(text, "a cycle") && !strstr(text, "resident") && !strstr(text, "Bound by"));
  rig_refused(&rig, ww_report_write(report, WW_SOURCE, rig_sink(&(struct kept){NULL, 0}), &rig.error), WW_UNSUPPORTED,
              "needs a run with timing");
  rig_refused(&rig, ww_report_metrics(report, no_metric, NULL, &rig.error), WW_UNSUPPORTED,
              "a finished run with timing");
  rig_refused(&rig, ww_diff(report, report, WW_TEXT, rig_sink(&(struct kept){NULL, 0}), NULL, &rig.error),
              WW_UNSUPPORTED, "a: the run had no timing");
}

static void ignore_event(void *self, const ww_event *event) { (void)self, (void)event; }

TEST(functional, options_about_time_are_refused) {
  ct_freed(rig_free) struct rig rig = rig_new("teaching");
  ct_freed(ww_buffer_unref_at) ww_buffer *data = NULL;
  ct_freed(ww_launch_unref_at) ww_launch *launch = rig_plus(&rig, &data, 5);
  const ww_sink sink = rig_sink(&(struct kept){NULL, 0});
  const struct {
    ww_watch watch;
    const char *said;
  } rows[] = {{{.size = sizeof(ww_watch), .functional = true, .check = true}, "check: needs a run with timing"},
              {{.size = sizeof(ww_watch), .functional = true, .trace = sink}, "trace: needs a run with timing"},
              {{.size = sizeof(ww_watch), .functional = true, .page = true}, "page: needs a run with timing"},
              {{.size = sizeof(ww_watch), .functional = true, .timeline = sink}, "timeline: needs a run with timing"},
              {{.size = sizeof(ww_watch), .functional = true, .event = ignore_event, .event_kinds = 1},
               "event: needs a run with timing"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    rig_refused(&rig, ww_run(rig.device, &launch, 1, &rows[i].watch, NULL, &rig.error), WW_BAD_INPUT, rows[i].said);
  EXPECT_EQ(at(data, 63), 63);
  ct_freed(ww_trace_unref_at) ww_trace *trace = rig_record(&rig, launch);
  rig_refused(&rig, ww_trace_replay(trace, NULL, &untimed, NULL, &rig.error), WW_BAD_INPUT, "functional: a replay");
}

/* Runs a kernel of one work-group and checks how it ended and that the device stays usable. */
static void expect_end(const char *kernel, const ww_watch *watch, const char *end, const char *said) {
  ct_freed(rig_free) struct rig rig = rig_new("teaching");
  ww_launch *launch = rig_launch(&rig, kernel, 64, 64);
  ct_freed(ww_report_unref_at) ww_report *report = NULL;
  ct_freed(ww_buffer_unref_at) ww_buffer *data = NULL;
  const char *told = NULL;
  rig_fine(&rig, ww_run(rig.device, &launch, 1, watch, &report, &rig.error));
  EXPECT_FALSE(ww_report_finished(report));
  EXPECT_TRUE(ww_report_text(report, "launches[0].end", &told));
  EXPECT_STREQ(told, end);
  ct_freed(ct_free) char *text = rig_write(&rig, report, WW_TEXT);
  EXPECT_CONTAINS(text, said);
  ww_launch_unref(launch);
  EXPECT_EQ(ww_device_now(rig.device), 0);
  launch = rig_plus(&rig, &data, 7);
  rig_fine(&rig, ww_run(rig.device, &launch, 1, &untimed, NULL, &rig.error));
  rig_fine(&rig, ww_run(rig.device, &launch, 1, NULL, NULL, &rig.error));
  EXPECT_EQ(at(data, 1), 1 + 14);
  ww_launch_unref(launch);
}

TEST(functional, a_deadlock_is_reported_and_the_device_stays_usable) {
  expect_end("hang", &untimed, "deadlock", "Deadlock: 2 warps wait forever.\n  CU 0, work-group (0, 0, 0), warp 0 at ");
}

TEST(functional, an_endless_loop_ends_at_the_instruction_limit) {
  const ww_watch watch = {.size = sizeof watch, .functional = true, .cycle_limit = 12345};
  expect_end("spin", &watch, "cycle_limit", "Stopped: without timing, the cycle limit counts a warp's instructions");
}

static bool count_down(void *self, uint64_t now, uint64_t done, uint64_t groups) {
  int *left = self;
  EXPECT_EQ(done, 0);
  EXPECT_EQ(groups, 1);
  EXPECT_EQ(now, 0);
  return --*left > 0;
}

TEST(functional, a_tick_can_cancel_a_run) {
  ct_freed(rig_free) struct rig rig = rig_new("teaching");
  ct_freed(ww_launch_unref_at) ww_launch *launch = rig_launch(&rig, "spin", 64, 64);
  ww_report *report = NULL;
  int ticks = 3;
  const ww_watch watch = {.size = sizeof watch, .self = &ticks, .tick = count_down, .functional = true};
  rig_refused(&rig, ww_run(rig.device, &launch, 1, &watch, &report, &rig.error), WW_CANCELLED,
              "interrupted in launch 1 of 1, kernel 'spin': 0 of 1 work-groups had finished");
  EXPECT_EQ(ticks, 0);
  EXPECT_TRUE(report == NULL);
}

struct told {
  char printed[200];
  char rule[40];
};

static void take_print(void *self, uint32_t launch, const char *text, size_t size) {
  struct told *told = self;
  (void)launch;
  snprintf(told->printed, sizeof told->printed, "%.*s", (int)size, text);
}

static void take_hazard(void *self, const ww_hazard *hazard) {
  struct told *told = self;
  snprintf(told->rule, sizeof told->rule, "%s", hazard->rule);
}

TEST(functional, prints_hazards_and_program_scope_variables_equal_those_of_a_timed_run) {
  struct rig rig = rig_with("teaching", "global int count = 5;\n"
                                        "kernel void k(global int *data) {\n"
                                        "  printf(\"%d \", (int)get_global_id(0));\n"
                                        "  if (get_global_id(0) == 3) { data[get_global_id(0) + 100] = 1; count++; }\n"
                                        "  if (get_global_id(0) == 0) data[0] = count;\n"
                                        "}\n");
  ct_freed(ww_buffer_unref_at) ww_buffer *data = NULL;
  struct told told = {"", ""};
  const ww_watch watch = {
      .size = sizeof watch, .self = &told, .print = take_print, .hazard = take_hazard, .functional = true};
  ct_freed(ww_launch_unref_at) ww_launch *launch = rig_launch(&rig, "k", 4, 1);
  rig_fine(&rig, ww_buffer_new(rig.device, "data", 64, &data, &rig.error));
  rig_fine(&rig, ww_launch_buffer(launch, 0, data, 0, &rig.error));
  for (uint32_t run = 0; run < 3; run++) {
    rig_fine(&rig, ww_run(rig.device, &launch, 1, run == 1 ? NULL : &watch, NULL, &rig.error));
    EXPECT_EQ(at(data, 0), 5 + run);
  }
  EXPECT_STREQ(told.printed, "0 1 2 3 ");
  EXPECT_STREQ(told.rule, "M1-access-out-of-bounds");
  rig_free(&rig);
}

TEST(functional, a_launch_file_passes_its_checks) {
  static const char path[] = "examples/05_double_buffer/launch.json";
  ct_freed(rig_free) struct rig rig = rig_new("teaching");
  char text[4096] = "";
  FILE *file = fopen(path, "rb");
  bool passed = false;
  ct_freed(ww_report_unref_at) ww_report *report = NULL;
  ASSERT_TRUE(file != NULL);
  const ww_bytes bytes = {text, fread(text, 1, sizeof text, file), path};
  fclose(file);
  rig_fine(&rig, ww_file_run(rig.context, bytes, NULL, &untimed, true, &passed, &report, &rig.error));
  EXPECT_TRUE(passed);
  EXPECT_EQ(rig_number(report, "launches[0].functional"), 1);
}
