/* Recorded devices: replays of all their runs, on this machine and others, and where a recording ends. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/api/rig.h"
#include "tests/ct.h"
#include "tests/kernels.h"

enum { LAUNCHES = 24, TRACE_HEAD = 3000 /* more bytes than there are before the first run */ };

/* `spread` has its own table and copies it; `put` and `take` share a pipe; `wide` needs many registers; the path of
 * `steer` depends on bytes that other work-groups write. */

/* An application on a device, and the cycles of its launches. */
struct app {
  struct rig rig;
  ww_program *other;
  double cycles[LAUNCHES];
  size_t count;
  struct kept trace;
};

static struct app app_new(const char *const *changes, size_t count) {
  struct app app = {.rig = rig_new("teaching"), .count = 0};
  struct rig *rig = &app.rig;
  ww_machine *changed = NULL;
  rig_fine(rig, ww_machine_with(rig->machine, changes, count, &changed, &rig->error));
  ww_device_unref(rig->device);
  ww_machine_unref(rig->machine);
  rig->machine = changed;
  rig_fine(rig, ww_device_new(changed, &rig->device, &rig->error));
  rig_fine(rig, ww_program_build(rig->context, ww_text(CT_KERNEL(other_source)), NULL, &app.other, &rig->error));
  return app;
}

static void app_free(struct app *app) {
  ww_program_unref(app->other);
  rig_free(&app->rig);
  free(app->trace.text);
}

static ww_launch *launch_of(struct app *app, ww_program *program, const char *name, uint64_t global) {
  struct rig *rig = &app->rig;
  const ww_kernel *kernel = NULL;
  ww_launch *launch = NULL;
  const uint64_t local = 64;
  (void)(rig_fine(rig, ww_program_kernel(program, name, &kernel, &rig->error)) &&
         rig_fine(rig, ww_launch_new(rig->device, program, kernel, &launch, &rig->error)) &&
         rig_fine(rig, ww_launch_range(launch, 1, NULL, &global, &local, &rig->error)));
  return launch;
}

static ww_launch *plus(struct app *app, ww_buffer *data, uint64_t global) {
  ww_launch *launch = launch_of(app, app->rig.program, "plus", global);
  rig_fine(&app->rig, ww_launch_buffer(launch, 0, data, 0, &app->rig.error));
  rig_fine(&app->rig, ww_launch_value(launch, 1, &(uint32_t){3}, 4, &app->rig.error));
  return launch;
}

static ww_buffer *buffer_of(struct app *app, const char *name, uint64_t bytes) {
  ww_buffer *buffer = NULL;
  rig_fine(&app->rig, ww_buffer_new(app->rig.device, name, bytes, &buffer, &app->rig.error));
  return buffer;
}

static ww_pipe *pipe_of(struct app *app, const char *name, uint32_t packets) {
  ww_pipe *pipe = NULL;
  rig_fine(&app->rig, ww_pipe_new(app->rig.device, name, 4, packets, &pipe, &app->rig.error));
  return pipe;
}

static double cycles_of(const ww_report *report, size_t launch) {
  char key[60];
  snprintf(key, sizeof key, "launches[%zu].cycles", launch);
  return rig_number(report, key);
}

/* Runs the launches concurrently and releases them. */
static void run_both(struct app *app, ww_launch *first, ww_launch *second) {
  ww_launch *launches[] = {first, second};
  ct_freed(ww_report_unref_at) ww_report *report = NULL;
  const size_t count = second ? 2 : 1;
  rig_fine(&app->rig, ww_run(app->rig.device, launches, count, NULL, &report, &app->rig.error));
  for (size_t i = 0; i < count; i++) {
    app->cycles[app->count++] = cycles_of(report, i);
    ww_launch_unref(launches[i]);
  }
}

static void run(struct app *app, ww_launch *launch) { run_both(app, launch, NULL); }

static void run_on(struct app *app, const char *kernel, ww_buffer *data, uint64_t global) {
  ww_launch *launch = launch_of(app, app->other, kernel, global);
  rig_fine(&app->rig, ww_launch_buffer(launch, 0, data, 0, &app->rig.error));
  run(app, launch);
}

static void run_pipe(struct app *app, const char *kernel, ww_pipe *pipe, ww_buffer *out) {
  ww_launch *launch = launch_of(app, app->other, kernel, 64);
  rig_fine(&app->rig, ww_launch_pipe(launch, 0, pipe, &app->rig.error));
  if (out)
    rig_fine(&app->rig, ww_launch_buffer(launch, 1, out, 0, &app->rig.error));
  run(app, launch);
}

static void begin(struct app *app) {
  rig_fine(&app->rig, ww_device_record(app->rig.device, rig_sink(&app->trace), &app->rig.error));
}

/* A replay of the recording must take the same cycles as the launches of `app`. `machine` NULL: the recording's. */
static ww_report *expect_replayed(struct rig *rig, const struct kept *bytes, const ww_machine *machine,
                                  const struct app *app) {
  ct_freed(ww_trace_unref_at) ww_trace *trace = NULL;
  ww_report *report = NULL;
  (void)(rig_fine(rig, ww_trace_open(rig->context, (ww_bytes){bytes->text, bytes->length, NULL}, false, &trace,
                                     &rig->error)) &&
         rig_fine(rig, ww_trace_replay(trace, machine, NULL, &report, &rig->error)));
  EXPECT_EQ(ww_report_count(report, "launches"), app->count);
  for (size_t i = 0; report && i < app->count; i++) {
    ct_note("launch %zu", i);
    EXPECT_EQ(cycles_of(report, i), app->cycles[i]);
  }
  return report;
}

/* ---- replays ------------------------------------------------------------------------------------------------- */

/* Buffers and pipes are made and freed between runs of two programs. */
static void play(struct app *app) {
  ww_buffer *data = buffer_of(app, "first", 4096);
  run(app, plus(app, data, 1024));
  run(app, plus(app, data, 1024));
  run_on(app, "steer", data, 128);
  ww_buffer_unref(data);
  ww_buffer *small = buffer_of(app, "small", 256), *large = buffer_of(app, "large", 300000);
  run_on(app, "spread", small, 64);
  ww_launch *copies = launch_of(app, app->rig.program, "copies", 64);
  rig_fine(&app->rig, ww_launch_buffer(copies, 0, small, 0, &app->rig.error));
  rig_fine(&app->rig, ww_launch_buffer(copies, 1, large, 0, &app->rig.error));
  run(app, copies);
  ww_launch *spread = launch_of(app, app->other, "spread", 256);
  rig_fine(&app->rig, ww_launch_buffer(spread, 0, large, 4096, &app->rig.error));
  run_both(app, plus(app, large, 4096), spread);
  ww_pipe *gone = pipe_of(app, "gone", 4), *pipe = pipe_of(app, "pipe", 100);
  ww_pipe_unref(gone); /* the other one gets number 2 */
  run_pipe(app, "put", pipe, NULL);
  run_pipe(app, "put", pipe, NULL); /* some work-items find it full */
  run_pipe(app, "take", pipe, large);
  ww_buffer_unref(small);
  run_on(app, "wide", large, 128);
  run_on(app, "wide", large, 128);
  run_on(app, "steer", large, 128);
  run_pipe(app, "put", pipe, NULL);
  ww_pipe_unref(pipe);
  ww_buffer_unref(large);
}

/* Two of the wide launches must be compiled for fewer registers. */
static const char *const here[] = {"cu.registers=1280"}, *const there[] = {"cu.registers=1280", "dma.setup=90",
                                                                           "dma.channels=1", "mem.l2_latency=70",
                                                                           "cu.count=1"};

TEST(record, functional_runs_are_left_out) {
  ct_freed(app_free) struct app app = app_new(NULL, 0);
  ct_freed(ww_buffer_unref_at) ww_buffer *data = buffer_of(&app, "data", 4096);
  const ww_watch functional = {.size = sizeof functional, .functional = true};
  begin(&app);
  run(&app, plus(&app, data, 1024));
  ww_launch *between = plus(&app, data, 512);
  rig_fine(&app.rig, ww_run(app.rig.device, &between, 1, &functional, NULL, &app.rig.error));
  ww_launch_unref(between);
  run(&app, plus(&app, data, 256));
  rig_fine(&app.rig, ww_device_record_end(app.rig.device, &app.rig.error));
  ww_report_unref(expect_replayed(&app.rig, &app.trace, NULL, &app));
}

TEST(record, a_replay_matches_the_cycles_of_runs_on_this_and_another_machine) {
  struct app recorded = app_new(here, 1), plain = app_new(here, 1), other = app_new(there, 5);
  begin(&recorded);
  play(&recorded);
  rig_fine(&recorded.rig, ww_device_record_end(recorded.rig.device, &recorded.rig.error));
  play(&plain);
  play(&other);
  ww_report *report = expect_replayed(&recorded.rig, &recorded.trace, NULL, &recorded);
  ww_report_unref(report);
  report = expect_replayed(&recorded.rig, &recorded.trace, NULL, &plain); /* recording changes nothing */
  ww_report_unref(report);
  report = expect_replayed(&recorded.rig, &recorded.trace, other.rig.machine, &other);
  EXPECT_NE(recorded.cycles[2], other.cycles[2]);
  EXPECT_EQ(recorded.cycles[1] < recorded.cycles[0], true); /* caches stay warm */
  ww_report_unref(report);
  app_free(&recorded);
  app_free(&plain);
  app_free(&other);
}

/* The output of the command's replay of these bytes; the caller frees it. */
static char *replay_by_command(const struct kept *bytes) {
  const char *tool = getenv("WARPWAIT");
  char path[] = "/tmp/warpwait-record-XXXXXX", command[200];
  FILE *file = fdopen(mkstemp(path), "wb");
  EXPECT_EQ(fwrite(bytes->text, 1, bytes->length, file), bytes->length);
  fclose(file);
  snprintf(command, sizeof command, "%s replay %s --report json 2>&1", tool ? tool : "build/warpwait", path);
  struct kept kept = {NULL, 0};
  char line[1000];
  FILE *pipe = popen(command, "r");
  while (fgets(line, sizeof line, pipe))
    rig_sink(&kept).write(&kept, line, strlen(line));
  EXPECT_EQ(pclose(pipe), 0);
  remove(path);
  return kept.text;
}

/* Also for a buffer that did not exist in the previous run. */
TEST(record, dependence_on_time_is_reported_for_each_run) {
  ct_freed(app_free) struct app app = app_new(NULL, 0);
  begin(&app);
  for (int i = 0; i < 2; i++) {
    ww_buffer *before = buffer_of(&app, "before", i ? 40960 : 4096), *data = buffer_of(&app, "data", 4096);
    memset(ww_buffer_data(data), 1, 4096);
    run_on(&app, "steer", data, 128);
    ww_buffer_unref(before);
    ww_buffer_unref(data);
  }
  rig_fine(&app.rig, ww_device_record_end(app.rig.device, &app.rig.error));
  ct_freed(ct_free) char *told = replay_by_command(&app.trace);
  EXPECT_CONTAINS(told, "launch 1, kernel 'steer', depends on time");
  EXPECT_CONTAINS(told, "launch 2, kernel 'steer', depends on time");
}

/* Most of them get the address of the previous one. */
TEST(record, programs_made_and_freed_between_runs_are_distinguished) {
  ct_freed(app_free) struct app app = app_new(NULL, 0);
  struct rig *rig = &app.rig;
  begin(&app);
  for (int i = 0; i < 16; i++) {
    char source[400] = ".kernel k\n.reg i\n  get.global_id i, x\n";
    for (int more = 0; more < i % 8; more++)
      strcat(source, "  add.i32 i, i, 1\n");
    strcat(source, "  exit\n");
    ct_freed(ww_program_unref_at) ww_program *program = NULL;
    rig_fine(rig, ww_program_build(rig->context, ww_text(source), NULL, &program, &rig->error));
    run(&app, launch_of(&app, program, "k", 64));
  }
  rig_fine(rig, ww_device_record_end(rig->device, &rig->error));
  EXPECT_LT(app.cycles[0], app.cycles[7]);
  ww_report_unref(expect_replayed(rig, &app.trace, NULL, &app));
}

TEST(record, caches_are_empty_when_a_recording_begins) {
  ct_freed(app_free) struct app app = app_new(NULL, 0);
  ct_freed(ww_buffer_unref_at) ww_buffer *data = buffer_of(&app, "data", 4096);
  run(&app, plus(&app, data, 1024));
  run(&app, plus(&app, data, 1024));
  const uint64_t now = ww_device_now(app.rig.device);
  const double cold = app.cycles[0], warm = app.cycles[1];
  begin(&app);
  EXPECT_EQ(ww_device_now(app.rig.device), now);
  app.count = 0;
  run(&app, plus(&app, data, 1024));
  run(&app, plus(&app, data, 1024));
  EXPECT_EQ(app.cycles[0], cold);
  EXPECT_EQ(app.cycles[1], warm);
  rig_fine(&app.rig, ww_device_record_end(app.rig.device, &app.rig.error));
  ww_report_unref(expect_replayed(&app.rig, &app.trace, NULL, &app));
  run(&app, plus(&app, data, 1024)); /* the recording has ended */
  EXPECT_EQ(app.cycles[2], warm);
}

/* ---- where a recording ends ---------------------------------------------------------------------------------- */

static bool stop(void *self, uint64_t now, uint64_t done, uint64_t groups) {
  (void)self, (void)now, (void)done, (void)groups;
  return false;
}

/* The last launch of the trace is one of `kernel`; its run does not finish, and its replay ends as `end` says. */
static void expect_cut(const char *kernel, const ww_watch *watch, ww_status status, const char *end) {
  ct_freed(app_free) struct app app = app_new(NULL, 0);
  struct rig *rig = &app.rig;
  ct_freed(ww_buffer_unref_at) ww_buffer *data = buffer_of(&app, "data", 400000);
  const char *ended = NULL;
  begin(&app);
  run(&app, plus(&app, data, 64 * 1024)); /* takes longer than the later launches may */
  ct_freed(ww_launch_unref_at) ww_launch *launch = launch_of(&app, rig->program, kernel, 64);
  const uint64_t start = ww_device_now(rig->device);
  ww_report *report = NULL;
  EXPECT_EQ(ww_run(rig->device, &launch, 1, watch, &report, &rig->error), status);
  app.cycles[app.count++] = report ? cycles_of(report, 0) : (double)(ww_device_now(rig->device) - start);
  ww_report_unref(report);
  run(&app, plus(&app, data, 64));
  run(&app, plus(&app, data, 64));
  rig_refused(rig, ww_device_record_end(rig->device, &rig->error), WW_UNSUPPORTED,
              "the trace ends with launch 2: its run did not finish; later runs are missing: 2");
  app.count = 2;
  report = expect_replayed(rig, &app.trace, NULL, &app);
  EXPECT_TRUE(ww_report_text(report, "launches[1].end", &ended));
  EXPECT_STREQ(ended, end);
  ww_report_unref(report);
}

TEST(record, a_run_that_does_not_finish_is_the_last_one) {
  const ww_watch limit = {.size = sizeof limit, .cycle_limit = 1000}, stopped = {.size = sizeof stopped, .tick = stop};
  expect_cut("spin", &limit, WW_OK, "cycle_limit");
  expect_cut("hang", NULL, WW_OK, "deadlock");
  expect_cut("spin", &stopped, WW_CANCELLED, "cycle_limit");
}

TEST(record, a_recording_may_consist_of_one_deadlock) {
  ct_freed(app_free) struct app app = app_new(NULL, 0);
  begin(&app);
  run(&app, launch_of(&app, app.rig.program, "hang", 64));
  rig_fine(&app.rig, ww_device_record_end(app.rig.device, &app.rig.error));
  ww_report_unref(expect_replayed(&app.rig, &app.trace, NULL, &app));
}

/* `again` makes something that the trace cannot hold. */
static void expect_end(void (*again)(struct app *app, ww_buffer *data), const char *why) {
  ct_freed(app_free) struct app app = app_new(NULL, 0);
  ct_freed(ww_buffer_unref_at) ww_buffer *data = buffer_of(&app, "data", 4096);
  ww_pipe *pipe = pipe_of(&app, "pipe", 100);
  begin(&app);
  run(&app, plus(&app, data, 1024));
  run_pipe(&app, "put", pipe, NULL);
  run_pipe(&app, "take", pipe, data);
  ww_pipe_unref(pipe);
  again(&app, data);
  rig_refused(&app.rig, ww_device_record_end(app.rig.device, &app.rig.error), WW_UNSUPPORTED, why);
  app.count = 3;
  ww_report_unref(expect_replayed(&app.rig, &app.trace, NULL, &app));
}

static void other_pipe(struct app *app, ww_buffer *data) {
  ct_freed(ww_pipe_unref_at) ww_pipe *pipe = pipe_of(app, "other", 100);
  run_pipe(app, "put", pipe, NULL);
  run(app, plus(app, data, 64));
}

static void in_its_place(struct app *app, ww_buffer *data) {
  ct_freed(ww_buffer_unref_at) ww_buffer *large = buffer_of(app, "large", 100000);
  run(app, plus(app, data, 64));
}

static void no_name(struct app *app, ww_buffer *data) {
  ct_freed(ww_buffer_unref_at) ww_buffer *named = buffer_of(app, "\xff", 64);
  run(app, plus(app, data, 64));
}

TEST(record, a_run_that_a_trace_cannot_hold_ends_the_recording_only) {
  expect_end(other_pipe,
             "the trace ends with launch 3: pipe 'other' has the address or the number of something released; later "
             "runs are missing: 2");
  expect_end(in_its_place,
             "the trace ends with launch 3: a buffer has the address of pipe 'pipe', which was released; later "
             "runs are missing: 1");
  expect_end(no_name,
             "the trace ends with launch 3: the name '?' is not UTF-8, which a trace's names must be; later runs");
}

static bool take_some(void *self, const void *data, size_t size) {
  size_t *left = self;
  (void)data;
  *left -= *left < size ? *left : size;
  return *left > 0;
}

TEST(record, runs_continue_when_the_sink_refuses_data) {
  ct_freed(app_free) struct app app = app_new(NULL, 0);
  struct rig *rig = &app.rig;
  ct_freed(ww_buffer_unref_at) ww_buffer *data = buffer_of(&app, "data", 4096);
  size_t left = 1;
  begin(&app);
  run(&app, plus(&app, data, 1024));
  run(&app, plus(&app, data, 1024));
  rig_fine(rig, ww_device_record_end(rig->device, &rig->error));
  rig_refused(rig, ww_device_record(rig->device, (ww_sink){take_some, &left}, &rig->error), WW_CANCELLED,
              "the sink refused more data");
  EXPECT_LT(TRACE_HEAD, app.trace.length);
  for (size_t most = TRACE_HEAD; most < app.trace.length; most += 50) {
    left = most;
    const double cold = app.cycles[0], warm = app.cycles[1];
    app.count = 0;
    rig_fine(rig, ww_device_record(rig->device, (ww_sink){take_some, &left}, &rig->error));
    run(&app, plus(&app, data, 1024));
    run(&app, plus(&app, data, 1024));
    EXPECT_EQ(app.cycles[0], cold);
    EXPECT_EQ(app.cycles[1], warm);
    rig_refused(rig, ww_device_record_end(rig->device, &rig->error), WW_CANCELLED, "the sink refused more data");
  }
  free(app.trace.text);
  app.trace = (struct kept){NULL, 0};
  begin(&app);
  app.count = 0;
  run(&app, plus(&app, data, 1024));
  rig_fine(rig, ww_device_record_end(rig->device, &rig->error));
  ww_report_unref(expect_replayed(rig, &app.trace, NULL, &app));
}

TEST(record, a_released_device_leaves_its_trace_unfinished) {
  ct_freed(app_free) struct app app = app_new(NULL, 0);
  struct rig *rig = &app.rig;
  ww_trace *trace = NULL;
  ww_buffer *data = buffer_of(&app, "data", 4096);
  begin(&app);
  run(&app, plus(&app, data, 1024));
  ww_buffer_unref(data);
  ww_device_unref(rig->device);
  rig->device = NULL;
  rig_refused(
      rig, ww_trace_open(rig->context, (ww_bytes){app.trace.text, app.trace.length, NULL}, false, &trace, &rig->error),
      WW_BAD_INPUT, "the trace");
}
