/* Timelines of runs: the bytes equal those of the command line, whatever else watches, and cycles are in device
 * time. */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/api/rig.h"
#include "tests/ct.h"
#include "traces/timeline_file.h"

CT_FREES(struct timeline_file, timeline_close)

/* ---- compared with the command line ---------------------------------------------------------------------------- */

static struct kept read_file(const char *path) {
  struct kept kept = {NULL, 0};
  char piece[4096];
  FILE *file = fopen(path, "rb");
  for (size_t got = 1; file && got;) {
    got = fread(piece, 1, sizeof piece, file);
    rig_sink(&kept).write(&kept, piece, got);
  }
  if (file)
    fclose(file);
  return kept;
}

/* The timeline that `warpwait VERB FILE` writes. */
static struct kept timeline_of_command(const char *verb, const char *file) {
  const char *tool = getenv("WARPWAIT");
  char path[] = "/tmp/warpwait-timeline-XXXXXX.wtl", command[700];
  const int made = mkstemps(path, 4);
  snprintf(command, sizeof command, "%s %s %s --why=no -q --timeline %s >/dev/null 2>&1",
           tool ? tool : "build/warpwait", verb, file, path);
  EXPECT_GE(made, 0);
  EXPECT_EQ(system(command), 0);
  const struct kept kept = read_file(path);
  close(made);
  unlink(path);
  return kept;
}

static void expect_same(struct kept *a, struct kept *b) {
  EXPECT_GT(a->length, 0);
  EXPECT_EQ(a->length, b->length);
  EXPECT_TRUE(a->length == b->length && memcmp(a->text, b->text, a->length) == 0);
  free(a->text);
  free(b->text);
}

static void run_file(struct rig *rig, const char *path, const ww_watch *watch) {
  struct kept text = read_file(path);
  rig_fine(rig, ww_file_run(rig->context, (ww_bytes){text.text, text.length, path}, NULL, watch, false, NULL, NULL,
                            &rig->error));
  free(text.text);
}

TEST(timeline, of_a_launch_file_equals_that_of_the_command_line) {
  ct_freed(rig_free) struct rig rig = rig_new("teaching");
  ct_freed(globfree) glob_t found;
  glob("examples/0*/launch.json", 0, NULL, &found);
  EXPECT_GE(found.gl_pathc, 8);
  for (size_t i = 0; i < found.gl_pathc; i++) {
    struct kept timeline = {NULL, 0}, wanted = timeline_of_command("run", found.gl_pathv[i]);
    const ww_watch watch = {.size = sizeof watch, .timeline = rig_sink(&timeline)};
    ct_note("%s", found.gl_pathv[i]);
    run_file(&rig, found.gl_pathv[i], &watch);
    expect_same(&timeline, &wanted);
  }
}

TEST(timeline, of_a_replay_equals_those_of_the_command_line_and_the_run) {
  static const char path[] = "examples/05_double_buffer/launch.json";
  ct_freed(rig_free) struct rig rig = rig_new("teaching");
  struct kept recorded = {NULL, 0}, timeline = {NULL, 0}, again = {NULL, 0};
  ct_freed(ww_trace_unref_at) ww_trace *trace = NULL;
  const ww_watch run = {.size = sizeof run, .trace = rig_sink(&recorded), .timeline = rig_sink(&timeline)},
                 replay = {.size = sizeof replay, .timeline = rig_sink(&again)};
  run_file(&rig, path, &run);
  rig_fine(&rig,
           ww_trace_open(rig.context, (ww_bytes){recorded.text, recorded.length, NULL}, false, &trace, &rig.error));
  rig_fine(&rig, ww_trace_replay(trace, NULL, &replay, NULL, &rig.error));
  char name[] = "/tmp/warpwait-timeline-XXXXXX.wwt";
  const int file = mkstemps(name, 4);
  EXPECT_EQ(write(file, recorded.text, recorded.length), (ssize_t)recorded.length);
  struct kept wanted = timeline_of_command("replay", name), copy = {NULL, 0};
  rig_sink(&copy).write(&copy, again.text, again.length);
  expect_same(&timeline, &copy);
  expect_same(&again, &wanted);
  close(file);
  unlink(name);
  free(recorded.text);
}

TEST(timeline, and_page_of_one_run_do_not_disturb_each_other) {
  struct kept timeline[2] = {{NULL, 0}, {NULL, 0}};
  char *page[2] = {NULL, NULL};
  for (int i = 0; i < 3; i++) { /* only the timeline, both, only the page */
    ct_freed(rig_free) struct rig rig = rig_new("teaching");
    ct_freed(ww_buffer_unref_at) ww_buffer *data = NULL;
    ct_freed(ww_launch_unref_at) ww_launch *launch = rig_plus(&rig, &data, 5);
    ct_freed(ww_report_unref_at) ww_report *report = NULL;
    ww_watch watch = {.size = sizeof watch, .page = i > 0};
    if (i < 2)
      watch.timeline = rig_sink(&timeline[i]);
    rig_fine(&rig, ww_run(rig.device, &launch, 1, &watch, &report, &rig.error));
    if (i > 0)
      page[i - 1] = rig_write(&rig, report, WW_HTML);
  }
  expect_same(&timeline[0], &timeline[1]);
  EXPECT_TRUE(page[0] && page[1] && strcmp(page[0], page[1]) == 0);
  free(page[0]);
  free(page[1]);
}

/* ---- time -------------------------------------------------------------------------------------------------------- */

/* The sum over all events, in any order. */
struct sum {
  uint64_t events, from, to, fields, first;
};

static void add(struct sum *sum, uint64_t from, uint64_t to, const uint64_t *fields, uint32_t count) {
  sum->events++;
  sum->from += from;
  sum->to += to;
  sum->first = from < sum->first ? from : sum->first;
  for (uint32_t i = 0; i < count; i++)
    sum->fields += fields[i] * (i + 1);
}

static void count_event(void *self, const ww_event *event) {
  add(self, event->from, event->to, event->fields, event->field_count);
}

static struct sum sum_of(const struct kept *timeline, uint64_t start) {
  struct sum sum = {.first = UINT64_MAX};
  struct message error;
  struct timeline_event event;
  char place[40];
  const struct trace_place at = {"timeline", (const uint8_t *)timeline->text, timeline->length};
  ct_freed(timeline_close_at) struct timeline_file *file = timeline_open_at(&at, TRACE_WHOLE, &error);
  if (!EXPECT_TRUE(file))
    return sum;
  while (timeline_next(file, &event))
    add(&sum, event.from, event.to, event.field, timeline_kind_rows[event.kind].fields);
  EXPECT_TRUE(!timeline_failed(file));
  snprintf(place, sizeof place, "\"start\":%llu,", (unsigned long long)start);
  EXPECT_CONTAINS(timeline_meta(file, "run", NULL), place);
  return sum;
}

TEST(timeline, is_in_device_time_like_events) {
  ct_freed(rig_free) struct rig rig = rig_new("teaching");
  ww_launch *launch = rig_launch(&rig, "copies", 64, 64), *spin = rig_launch(&rig, "spin", 64, 64);
  ww_buffer *buffer[2];
  for (uint32_t i = 0; i < 2; i++) {
    rig_fine(&rig, ww_buffer_new(rig.device, NULL, 256, &buffer[i], &rig.error));
    rig_fine(&rig, ww_launch_buffer(launch, i, buffer[i], 0, &rig.error));
  }
  for (int i = 0; i < 4; i++) {
    struct sum told = {.first = UINT64_MAX};
    struct kept timeline = {NULL, 0};
    const uint64_t start = ww_device_now(rig.device);
    const ww_watch watch = {.size = sizeof watch,
                            .self = &told,
                            .event = count_event,
                            .event_kinds = UINT64_MAX,
                            .timeline = rig_sink(&timeline)};
    rig_fine(&rig, ww_run(rig.device, &launch, 1, &watch, NULL, &rig.error));
    const struct sum written = sum_of(&timeline, start);
    EXPECT_GT(written.events, 0);
    EXPECT_GE(written.first, start);
    EXPECT_TRUE(memcmp(&written, &told, sizeof told) == 0);
    free(timeline.text);
    if (i == 1) { /* after an unfinished run, the device continues with another engine */
      const ww_watch limit = {.size = sizeof limit, .cycle_limit = 1000};
      rig_fine(&rig, ww_run(rig.device, &spin, 1, &limit, NULL, &rig.error));
    }
  }
  ww_launch_unref(launch);
  ww_launch_unref(spin);
  ww_buffer_unref(buffer[0]);
  ww_buffer_unref(buffer[1]);
}

/* ---- ends -------------------------------------------------------------------------------------------------------- */

static bool take_some(void *self, const void *data, size_t size) {
  size_t *left = self;
  (void)data;
  *left -= *left < size ? *left : size;
  return *left > 0;
}

TEST(timeline, ends_the_run_when_its_sink_refuses_data) {
  ct_freed(rig_free) struct rig rig = rig_new("teaching");
  ct_freed(ww_buffer_unref_at) ww_buffer *data = NULL;
  ct_freed(ww_launch_unref_at) ww_launch *launch = rig_plus(&rig, &data, 5);
  for (size_t most = 1; most < 4000; most += 400) {
    size_t left = most;
    const ww_watch watch = {.size = sizeof watch, .page = most % 800 == 1, .timeline = {take_some, &left}};
    EXPECT_EQ(ww_run(rig.device, &launch, 1, &watch, NULL, &rig.error), WW_CANCELLED);
    EXPECT_CONTAINS(rig.error.text, "the sink refused more data");
  }
}

static bool stop(void *self, uint64_t now, uint64_t done, uint64_t groups) {
  (void)self, (void)now, (void)done, (void)groups;
  return false;
}

TEST(timeline, of_a_cancelled_run_is_valid_up_to_its_last_block) {
  ct_freed(rig_free) struct rig rig = rig_new("teaching");
  ct_freed(ww_launch_unref_at) ww_launch *launch = rig_launch(&rig, "spin", 64, 64);
  struct kept timeline = {NULL, 0};
  struct message error;
  const ww_watch watch = {.size = sizeof watch, .tick = stop, .timeline = rig_sink(&timeline)};
  EXPECT_EQ(ww_run(rig.device, &launch, 1, &watch, NULL, NULL), WW_CANCELLED);
  const struct trace_place at = {"timeline", (const uint8_t *)timeline.text, timeline.length};
  EXPECT_TRUE(!timeline_open_at(&at, TRACE_WHOLE, &error));
  ct_freed(timeline_close_at) struct timeline_file *file = timeline_open_at(&at, TRACE_SALVAGE, &error);
  EXPECT_TRUE(file && timeline_meta(file, "run", NULL));
  free(timeline.text);
}

/* ---- older callers ----------------------------------------------------------------------------------------------- */

static bool never(void *self, const void *data, size_t size) {
  (void)self, (void)data, (void)size;
  ct_note("a watch of version 0.1 has no timeline");
  EXPECT_TRUE(false);
  return false;
}

TEST(timeline, is_ignored_in_watches_of_version_0_1) {
  ct_freed(rig_free) struct rig rig = rig_new("teaching");
  ct_freed(ww_buffer_unref_at) ww_buffer *data = NULL;
  ct_freed(ww_launch_unref_at) ww_launch *launch = rig_plus(&rig, &data, 5);
  ww_watch old = {.size = offsetof(ww_watch, timeline), .cycle_limit = 7, .timeline = {never, NULL}};
  ct_freed(ww_report_unref_at) ww_report *report = NULL;
  rig_fine(&rig, ww_run(rig.device, &launch, 1, &old, &report, &rig.error));
  EXPECT_EQ(ww_report_cycles(report, 0), 7);
  old.size--;
  rig_refused(&rig, ww_run(rig.device, &launch, 1, &old, NULL, &rig.error), WW_BAD_INPUT, "bytes of version 0.1; set");
}
