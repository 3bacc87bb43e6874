/* What callers cannot see: an internal error of the library, and what a device keeps. */
#include <assert.h>

#include "sim/api/api.h"
#include "sim/base/need.h"
#include "tests/api/rig.h"
#include "tests/ct.h"

static ww_status break_one(void *self, struct message *message) {
  need(10, 1);
  assert(self == message);
  return WW_OK;
}

static ww_status say_so(void *self, struct message *message) {
  (void)self;
  message_fail(message, "a worker has met a defect");
  return WW_DEFECT;
}

TEST(inside, an_internal_error_reports_its_location) {
  ww_error error = {.text = ""};
  struct heap_pool pool = {0};
  EXPECT_EQ(api_try(&pool, break_one, NULL, &error), WW_DEFECT);
  EXPECT_EQ(error.status, WW_DEFECT);
  EXPECT_CONTAINS(error.text, "a defect of Warpwait, please report it: tests/api/inside.c:");
  EXPECT_CONTAINS(error.text, "self == message");
  EXPECT_EQ(pool.count, 0);
  EXPECT_EQ(api_try(NULL, say_so, NULL, &error), WW_DEFECT);
  EXPECT_STREQ(error.text, "a worker has met a defect");
}

TEST(inside, a_device_forgets_variables_of_freed_programs) {
  static const char source[] = "global int count = 5;\nkernel void k(void) { count++; }";
  ct_freed(rig_free) struct rig rig = rig_with("teaching", source);
  for (int i = 0; i < 5; i++) {
    ct_freed(ww_program_unref_at) ww_program *program = NULL;
    ct_freed(ww_launch_unref_at) ww_launch *launch = NULL;
    rig_fine(&rig, ww_program_build(rig.context, ww_text(source), NULL, &program, &rig.error));
    rig_fine(&rig, ww_launch_new(rig.device, program, ww_program_kernel_at(program, 0), &launch, &rig.error));
    rig_fine(&rig, ww_launch_range(launch, 1, NULL, &(uint64_t){1}, NULL, &rig.error));
    rig_fine(&rig, ww_run(rig.device, &launch, 1, NULL, NULL, &rig.error));
    EXPECT_EQ(rig.device->variable_count, 1);
  }
}

/* Calls of a caller's functions, and how many of them were behind a recovery point, which they may not leave open by
 * throwing or not returning. */
struct visits {
  unsigned ticks, events, prints, hazards, points, metrics, pieces, guarded;
};

static bool visit(struct visits *visits, unsigned *calls) {
  visits->guarded += heap_guarded();
  return ++*calls;
}

static bool on_tick(void *self, uint64_t now, uint64_t done, uint64_t groups) {
  struct visits *visits = self;
  (void)now, (void)done, (void)groups;
  return visit(visits, &visits->ticks);
}

static void on_event(void *self, const ww_event *event) {
  struct visits *visits = self;
  (void)event;
  visit(visits, &visits->events);
}

static void on_print(void *self, uint32_t launch, const char *text, size_t size) {
  struct visits *visits = self;
  (void)launch, (void)text, (void)size;
  visit(visits, &visits->prints);
}

static void on_hazard(void *self, const ww_hazard *hazard) {
  struct visits *visits = self;
  (void)hazard;
  visit(visits, &visits->hazards);
}

static bool on_work(void *self, size_t done, size_t of) { return on_tick(self, 0, done, of); }

static bool on_point(void *self, const ww_point *point) {
  struct visits *visits = self;
  (void)point;
  return visit(visits, &visits->points);
}

static bool on_metric(void *self, const ww_metric *metric) {
  struct visits *visits = self;
  (void)metric;
  return visit(visits, &visits->metrics);
}

static bool on_piece(void *self, const void *data, size_t size) {
  struct visits *visits = self;
  (void)data, (void)size;
  return visit(visits, &visits->pieces);
}

TEST(inside, a_caller_s_functions_are_called_without_a_recovery_point) {
  struct visits visits = {.guarded = 0};
  struct rig rig = rig_with("teaching", "kernel void k(void) { local int shared[4]; printf(\"%d\", shared[0]); }");
  const ww_sink sink = {on_piece, &visits};
  const ww_watch watch = {.size = sizeof watch,
                          .self = &visits,
                          .tick = on_tick,
                          .event = on_event,
                          .event_kinds = UINT64_MAX,
                          .print = on_print,
                          .hazard = on_hazard,
                          .check = true};
  const ww_work work = {.size = sizeof work, .tick = on_work, .self = &visits};
  const ww_axis axis = {"dma.channels", (const char *const[]){"1", "2"}, 2};
  ww_report *report = NULL;
  ww_launch *launch = rig_launch(&rig, "k", 64, 64);
  rig_fine(&rig, ww_run(rig.device, &launch, 1, &watch, &report, &rig.error));
  rig_fine(&rig, ww_report_write(report, WW_JSON, sink, &rig.error));
  rig_fine(&rig, ww_report_metrics(report, on_metric, &visits, &rig.error));
  ww_trace *trace = rig_record(&rig, launch);
  rig_fine(&rig, ww_sweep(trace, NULL, &axis, 1, &work, on_point, &visits, &rig.error));
  EXPECT_TRUE(visits.ticks && visits.events && visits.prints && visits.hazards && visits.pieces);
  EXPECT_EQ(visits.points, 2);
  EXPECT_GT(visits.metrics, 0);
  EXPECT_EQ(visits.guarded, 0);
  ww_trace_unref(trace);
  ww_report_unref(report);
  ww_launch_unref(launch);
  rig_free(&rig);
}
