/* Devices: memory, time and caches that persist; runs that end abnormally. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/api/rig.h"
#include "tests/ct.h"

static uint32_t at(ww_buffer *data, size_t i) { return ((uint32_t *)ww_buffer_data(data))[i]; }

TEST(device, memory_persists_between_runs_and_is_accessed_in_place) {
  ct_freed(rig_free) struct rig rig = rig_new("teaching");
  ct_freed(ww_buffer_unref_at) ww_buffer *data = NULL;
  ct_freed(ww_launch_unref_at) ww_launch *launch = rig_plus(&rig, &data, 5);
  for (int i = 0; i < 3; i++)
    rig_fine(&rig, ww_run(rig.device, &launch, 1, NULL, NULL, &rig.error));
  EXPECT_EQ(at(data, 0), 15);
  EXPECT_EQ(at(data, 63), 63 + 15);
  ((uint32_t *)ww_buffer_data(data))[63] = 1000;
  rig_fine(&rig, ww_launch_value(launch, 1, &(uint32_t){7}, 4, &rig.error));
  rig_fine(&rig, ww_run(rig.device, &launch, 1, NULL, NULL, &rig.error));
  EXPECT_EQ(at(data, 63), 1007);
}

TEST(device, time_and_caches_continue_from_run_to_run) {
  ct_freed(rig_free) struct rig rig = rig_new("teaching");
  ct_freed(ww_buffer_unref_at) ww_buffer *data = NULL;
  ct_freed(ww_launch_unref_at) ww_launch *launch = rig_plus(&rig, &data, 5);
  ww_report *cold = NULL, *warm = NULL;
  EXPECT_EQ(ww_device_now(rig.device), 0);
  rig_fine(&rig, ww_run(rig.device, &launch, 1, NULL, &cold, &rig.error));
  const uint64_t now = ww_device_now(rig.device);
  rig_fine(&rig, ww_run(rig.device, &launch, 1, NULL, &warm, &rig.error));
  EXPECT_EQ(ww_report_start(cold, 0), 0);
  EXPECT_EQ(ww_report_start(warm, 0), now);
  EXPECT_GT(ww_device_now(rig.device), now);
  EXPECT_GT(rig_number(cold, "launches[0].memory.l2_misses"), 0);
  EXPECT_EQ(rig_number(warm, "launches[0].memory.l2_misses"), 0);
  EXPECT_LT(rig_number(warm, "launches[0].cycles"), rig_number(cold, "launches[0].cycles"));
  EXPECT_EQ(ww_report_cycles(warm, 0), rig_number(warm, "launches[0].cycles"));
  ww_report_unref(cold);
  ww_report_unref(warm);
}

TEST(device, watching_changes_no_result_and_can_start_or_stop_at_any_run) {
  struct rig plain = rig_new("teaching"), watched = rig_new("teaching");
  ww_buffer *data[2];
  ww_launch *launch[2] = {rig_plus(&plain, &data[0], 5), rig_plus(&watched, &data[1], 5)};
  for (int i = 0; i < 6; i++) {
    struct kept trace = {NULL, 0};
    ww_report *report[2] = {NULL, NULL};
    ww_watch watch = {.size = sizeof watch};
    if (i % 3 == 1)
      watch.trace = rig_sink(&trace);
    watch.check = i % 3 == 2;
    watch.page = i % 2;
    ct_note("run %d", i);
    rig_fine(&plain, ww_run(plain.device, &launch[0], 1, NULL, &report[0], &plain.error));
    rig_fine(&watched, ww_run(watched.device, &launch[1], 1, &watch, &report[1], &watched.error));
    char *a = rig_write(&plain, report[0], WW_JSON), *b = rig_write(&watched, report[1], WW_JSON);
    EXPECT_STREQ(a, b);
    EXPECT_EQ(trace.length > 0, i % 3 == 1);
    free(a);
    free(b);
    free(trace.text);
    ww_report_unref(report[0]);
    ww_report_unref(report[1]);
  }
  ww_launch_unref(launch[0]);
  ww_launch_unref(launch[1]);
  ww_buffer_unref(data[0]);
  ww_buffer_unref(data[1]);
  rig_free(&plain);
  rig_free(&watched);
}

TEST(device, concurrent_launches_start_together_and_have_separate_statistics) {
  ct_freed(rig_free) struct rig rig = rig_new("teaching");
  ww_buffer *data[2];
  ww_launch *launch[2] = {rig_plus(&rig, &data[0], 1), rig_plus(&rig, &data[1], 2)};
  ct_freed(ww_report_unref_at) ww_report *report = NULL;
  rig_fine(&rig, ww_run(rig.device, launch, 2, NULL, &report, &rig.error));
  EXPECT_EQ(ww_report_count(report, "launches"), 2);
  EXPECT_EQ(ww_report_start(report, 1), 0);
  EXPECT_EQ(rig_number(report, "launches[0].warp_instructions"), 2 * 8);
  EXPECT_EQ(rig_number(report, "launches[1].warp_instructions"), 2 * 8);
  EXPECT_EQ(at(data[0], 9), 10);
  EXPECT_EQ(at(data[1], 9), 11);
  for (int i = 0; i < 2; i++) {
    ww_launch_unref(launch[i]);
    ww_buffer_unref(data[i]);
  }
}

static void expect_local(struct rig *rig, ww_launch *launch, uint64_t x, uint64_t y, uint64_t z) {
  uint64_t local[3] = {0, 0, 0};
  ct_freed(ww_report_unref_at) ww_report *report = NULL;
  rig_fine(rig, ww_launch_local_size(launch, local, &rig->error));
  EXPECT_EQ(local[0], x);
  EXPECT_EQ(local[1], y);
  EXPECT_EQ(local[2], z);
  rig_fine(rig, ww_run(rig->device, &launch, 1, NULL, &report, &rig->error));
  EXPECT_EQ(rig_number(report, "launches[0].local[0]"), x);
  EXPECT_EQ(rig_number(report, "launches[0].local[1]"), y);
  EXPECT_EQ(rig_number(report, "launches[0].local[2]"), z);
}

TEST(device, a_launch_reports_the_work_group_size_of_a_run) {
  ct_freed(rig_free) struct rig rig = rig_new("teaching");
  ct_freed(ww_buffer_unref_at) ww_buffer *data = NULL;
  ct_freed(ww_launch_unref_at) ww_launch *launch = rig_plus(&rig, &data, 1);
  const uint64_t global[] = {48, 4, 2}, local[] = {8, 2, 1};
  rig_fine(&rig, ww_launch_range(launch, 3, NULL, global, local, &rig.error));
  expect_local(&rig, launch, 8, 2, 1);
  rig_fine(&rig, ww_launch_range(launch, 3, NULL, global, NULL, &rig.error));
  expect_local(&rig, launch, 48, 1, 1);
  rig_fine(&rig, ww_launch_range(launch, 1, NULL, (const uint64_t[]){64}, NULL, &rig.error));
  expect_local(&rig, launch, 64, 1, 1);
}

/* ---- ends ------------------------------------------------------------------------------------------------------- */

static void expect_goes_on(struct rig *rig) {
  ct_freed(ww_buffer_unref_at) ww_buffer *data = NULL;
  ct_freed(ww_launch_unref_at) ww_launch *launch = rig_plus(rig, &data, 3);
  ct_freed(ww_report_unref_at) ww_report *report = NULL;
  const uint64_t now = ww_device_now(rig->device);
  rig_fine(rig, ww_run(rig->device, &launch, 1, NULL, &report, &rig->error));
  EXPECT_TRUE(ww_report_finished(report));
  EXPECT_EQ(ww_report_end(report, 0), WW_END_FINISHED);
  EXPECT_EQ(ww_report_start(report, 0), now);
  EXPECT_EQ(at(data, 9), 12);
}

TEST(device, a_deadlock_is_reported_and_the_device_stays_usable) {
  ct_freed(rig_free) struct rig rig = rig_new("teaching");
  ct_freed(ww_launch_unref_at) ww_launch *launch = rig_launch(&rig, "hang", 64, 64);
  ct_freed(ww_report_unref_at) ww_report *report = NULL;
  const char *end = NULL;
  rig_fine(&rig, ww_run(rig.device, &launch, 1, NULL, &report, &rig.error));
  EXPECT_FALSE(ww_report_finished(report));
  EXPECT_TRUE(ww_report_text(report, "launches[0].end", &end));
  EXPECT_STREQ(end, "deadlock");
  EXPECT_EQ(ww_report_end(report, 0), WW_END_DEADLOCK);
  EXPECT_EQ(ww_report_end(report, 1), WW_END_STOPPED);
  EXPECT_GE(ww_device_now(rig.device), rig_number(report, "launches[0].cycles"));
  expect_goes_on(&rig);
}

TEST(device, reaching_the_cycle_limit_is_reported_and_the_device_stays_usable) {
  ct_freed(rig_free) struct rig rig = rig_new("teaching");
  ct_freed(ww_launch_unref_at) ww_launch *launch = rig_launch(&rig, "spin", 64, 64);
  ct_freed(ww_report_unref_at) ww_report *report = NULL;
  const char *end = NULL;
  const ww_watch watch = {.size = sizeof watch, .cycle_limit = 12345};
  rig_fine(&rig, ww_run(rig.device, &launch, 1, &watch, &report, &rig.error));
  EXPECT_TRUE(ww_report_text(report, "launches[0].end", &end));
  EXPECT_STREQ(end, "cycle_limit");
  EXPECT_EQ(rig_number(report, "launches[0].cycles"), 12345);
  EXPECT_EQ(ww_device_now(rig.device), 12345);
  expect_goes_on(&rig);
}

static bool count_down(void *self, uint64_t now, uint64_t done, uint64_t groups) {
  int *left = self;
  EXPECT_EQ(done, 0);
  EXPECT_EQ(groups, 1);
  EXPECT_GT(now, 0);
  return --*left > 0;
}

TEST(device, a_tick_can_cancel_a_run_and_the_device_stays_usable) {
  ct_freed(rig_free) struct rig rig = rig_new("teaching");
  ct_freed(ww_launch_unref_at) ww_launch *launch = rig_launch(&rig, "spin", 64, 64);
  ww_report *report = NULL;
  int ticks = 3;
  struct kept trace = {NULL, 0};
  const ww_watch watch = {
      .size = sizeof watch, .self = &ticks, .tick = count_down, .trace = rig_sink(&trace), .page = true};
  rig_refused(&rig, ww_run(rig.device, &launch, 1, &watch, &report, &rig.error), WW_CANCELLED,
              "interrupted in launch 1 of 1, kernel 'spin'");
  EXPECT_EQ(ticks, 0);
  EXPECT_TRUE(report == NULL);
  expect_goes_on(&rig);
  free(trace.text);
}

static bool take_some(void *self, const void *data, size_t size) {
  size_t *left = self;
  (void)data;
  *left -= *left < size ? *left : size;
  return *left > 0;
}

TEST(device, a_sink_that_refuses_data_cancels_what_writes_into_it) {
  ct_freed(rig_free) struct rig rig = rig_new("teaching");
  ct_freed(ww_buffer_unref_at) ww_buffer *data = NULL;
  ct_freed(ww_launch_unref_at) ww_launch *launch = rig_plus(&rig, &data, 5);
  for (size_t most = 1; most < 4000; most += 400) {
    size_t left = most;
    const ww_watch watch = {.size = sizeof watch, .trace = {take_some, &left}};
    EXPECT_EQ(ww_run(rig.device, &launch, 1, &watch, NULL, &rig.error), WW_CANCELLED);
    EXPECT_CONTAINS(rig.error.text, "the sink refused more data");
  }
  expect_goes_on(&rig);
  ct_freed(ww_report_unref_at) ww_report *report = NULL;
  size_t left = 1;
  rig_fine(&rig, ww_run(rig.device, &launch, 1, NULL, &report, &rig.error));
  EXPECT_EQ(ww_report_write(report, WW_TEXT, (ww_sink){take_some, &left}, &rig.error), WW_CANCELLED);
}

/* ---- reports and events ------------------------------------------------------------------------------------------ */

TEST(device, a_report_names_its_members_and_their_units) {
  ct_freed(rig_free) struct rig rig = rig_new("teaching");
  ct_freed(ww_buffer_unref_at) ww_buffer *data = NULL;
  ct_freed(ww_launch_unref_at) ww_launch *launch = rig_plus(&rig, &data, 5);
  ct_freed(ww_report_unref_at) ww_report *report = NULL;
  size_t numbers = 0, seen = 0;
  rig_fine(&rig, ww_run(rig.device, &launch, 1, NULL, &report, &rig.error));
  EXPECT_STREQ(ww_report_member(report, "", 0), "warpwait");
  for (size_t i = 0; i < ww_report_count(report, "launches[0].memory"); i++) {
    char key[200];
    double value = -1;
    const char *unit = NULL, *name = ww_report_member(report, "launches[0].memory", i);
    if (!EXPECT_TRUE(name))
      break;
    snprintf(key, sizeof key, "launches[0].memory.%s", name);
    if (ww_report_number(report, key, &value, &unit)) {
      numbers++;
      EXPECT_TRUE(unit);
      seen += strcmp(name, "l2_misses") == 0;
    }
  }
  EXPECT_GT(numbers, 5);
  EXPECT_EQ(seen, 1);
  double cycles = 0;
  const char *unit = NULL;
  EXPECT_TRUE(ww_report_number(report, "launches[0].cycles", &cycles, &unit));
  EXPECT_STREQ(unit, "cycles");
}

struct seen {
  uint64_t first, last, fields;
};

/* All its cycles are in device time, including those in its fields. */
static void look_at(void *self, const ww_event *event) {
  struct seen *seen = self;
  seen->first = event->from < seen->first ? event->from : seen->first;
  seen->last = event->to > seen->last ? event->to : seen->last;
  for (uint32_t i = 0; i < event->field_count; i++) {
    if (strcmp(ww_event_name(event->kind), "copy") != 0 || strcmp(ww_event_field(event->kind, i), "done") != 0)
      continue;
    seen->fields++;
    EXPECT_GE(event->fields[i], event->from);
    EXPECT_LE(event->fields[i], event->to);
  }
}

TEST(device, event_times_are_device_times) {
  ct_freed(rig_free) struct rig rig = rig_new("teaching");
  ct_freed(ww_launch_unref_at) ww_launch *launch = rig_launch(&rig, "copies", 64, 64);
  ww_buffer *buffer[2];
  uint64_t start = 0;
  for (uint32_t i = 0; i < 2; i++) {
    rig_fine(&rig, ww_buffer_new(rig.device, NULL, 256, &buffer[i], &rig.error));
    rig_fine(&rig, ww_launch_buffer(launch, i, buffer[i], 0, &rig.error));
  }
  for (int i = 0; i < 3; i++) {
    struct seen seen = {UINT64_MAX, 0, 0};
    const ww_watch watch = {.size = sizeof watch, .self = &seen, .event = look_at, .event_kinds = UINT64_MAX};
    start = ww_device_now(rig.device);
    rig_fine(&rig, ww_run(rig.device, &launch, 1, &watch, NULL, &rig.error));
    EXPECT_GE(seen.first, start);
    EXPECT_LE(seen.last, ww_device_now(rig.device));
    EXPECT_GT(seen.last, seen.first);
    EXPECT_GT(seen.fields, 0);
  }
  ww_buffer_unref(buffer[0]);
  ww_buffer_unref(buffer[1]);
}

TEST(device, a_trace_with_a_buffer_too_large_for_a_launch_file_replays) {
  ct_freed(rig_free) struct rig rig = rig_new("teaching");
  ww_buffer *data = NULL, *large = NULL;
  ct_freed(ww_launch_unref_at) ww_launch *launch = rig_plus(&rig, &data, 5);
  ct_freed(ww_report_unref_at) ww_report *report = NULL;
  rig_fine(&rig, ww_buffer_new(rig.device, "large", UINT64_C(5) << 30, &large, &rig.error));
  ct_freed(ww_trace_unref_at) ww_trace *trace = rig_record(&rig, launch);
  const ww_watch watch = {.size = sizeof watch, .page = true};
  rig_fine(&rig, ww_trace_replay(trace, NULL, &watch, &report, &rig.error));
  ct_freed(ct_free) char *page = rig_write(&rig, report, WW_HTML);
  EXPECT_CONTAINS(page, "</html>");
  ww_buffer_unref(large);
  ww_buffer_unref(data);
}

/* ---- shared memory
 * ------------------------------------------------------------------------------------------------- */

#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__ /* the sanitizers use these addresses */
TEST(device, shared_buffers_have_one_address_on_the_host_and_all_devices) {
  struct rig rig = rig_with("teaching", "kernel void follow(global ulong *list, global int *out) {\n"
                                        "  global int *at = (global int *)list[1];\n"
                                        "  out[0] = at[3];\n"
                                        "  at[3] = 99;\n"
                                        "}\n");
  ct_freed(ww_device_unref_at) ww_device *other = NULL;
  ww_buffer *list = NULL, *numbers = NULL, *again = NULL, *out = NULL, *none = NULL;
  rig_fine(&rig, ww_device_new(rig.machine, &other, &rig.error));
  rig_fine(&rig, ww_buffer_new_shared(rig.device, NULL, 64, NULL, &list, &rig.error));
  rig_fine(&rig, ww_buffer_new_shared(rig.device, "numbers", 64, NULL, &numbers, &rig.error));
  rig_fine(&rig, ww_buffer_new_shared(other, NULL, 0, numbers, &again, &rig.error));
  rig_fine(&rig, ww_buffer_new(rig.device, NULL, 4, &out, &rig.error));
  int *const host = ww_buffer_data(numbers);
  EXPECT_EQ(ww_buffer_address(numbers), (uintptr_t)host);
  EXPECT_EQ(ww_buffer_address(again), (uintptr_t)host);
  EXPECT_EQ(ww_buffer_bytes(again), 64);
  ((uint64_t *)ww_buffer_data(list))[1] = (uintptr_t)host;
  host[3] = 42;
  ct_freed(ww_launch_unref_at) ww_launch *launch = rig_launch(&rig, "follow", 1, 1);
  rig_fine(&rig, ww_launch_buffer(launch, 0, list, 0, &rig.error));
  rig_fine(&rig, ww_launch_buffer(launch, 1, out, 0, &rig.error));
  rig_fine(&rig, ww_run(rig.device, &launch, 1, NULL, NULL, &rig.error));
  EXPECT_EQ(*(int *)ww_buffer_data(out), 42);
  EXPECT_EQ(host[3], 99);
  ww_buffer_unref(numbers);
  EXPECT_EQ(((int *)ww_buffer_data(again))[3], 99); /* the memory is still alive */
  rig_refused(&rig, ww_buffer_new_shared(rig.device, NULL, 4, out, &none, &rig.error), WW_BAD_INPUT,
              "with: must be a shared buffer of another device");
  rig_refused(&rig, ww_buffer_new_shared(rig.device, NULL, UINT64_MAX, NULL, &none, &rig.error), WW_BAD_INPUT,
              "is outside [1, ");
  rig_refused(&rig, ww_buffer_new_shared(NULL, NULL, 4, NULL, &none, &rig.error), WW_BAD_INPUT, "device: is NULL");
  EXPECT_TRUE(none == NULL);
  ww_buffer_unref(list);
  ww_buffer_unref(again);
  ww_buffer_unref(out);
  rig_free(&rig);
}
#endif

/* ---- lifetimes of objects --------------------------------------------------------------------------------------- */

TEST(device, objects_live_until_everything_made_from_them_is_freed) {
  struct rig rig = rig_new("teaching");
  ct_freed(ww_buffer_unref_at) ww_buffer *data = NULL;
  ct_freed(ww_report_unref_at) ww_report *report = NULL;
  ct_freed(ww_launch_unref_at) ww_launch *launch = rig_plus(&rig, &data, 5);
  rig_free(&rig);
  rig_fine(&rig, ww_run(ww_launch_device(launch), &launch, 1, NULL, &report, &rig.error));
  EXPECT_EQ(at(data, 9), 14);
  EXPECT_EQ(at(data, 9), 14);
  ct_freed(ct_free) char *text = rig_write(&rig, report, WW_SOURCE);
  EXPECT_CONTAINS(text, "add.i32 v, v, i");
}

TEST(device, memory_of_a_freed_buffer_is_reused) {
  ct_freed(rig_free) struct rig rig = rig_new("teaching");
  ww_buffer *buffer[3];
  uint64_t address[3];
  for (int i = 0; i < 3; i++) {
    rig_fine(&rig, ww_buffer_new(rig.device, NULL, 5000, &buffer[i], &rig.error));
    address[i] = ww_buffer_address(buffer[i]);
    EXPECT_EQ(ww_buffer_bytes(buffer[i]), 5000);
  }
  EXPECT_GT(address[1], address[0] + 5000);
  ww_buffer_unref(buffer[1]);
  rig_fine(&rig,
           ww_buffer_new(rig.device, NULL, 70000, &buffer[1], &rig.error)); /* does not fit between the other two */
  EXPECT_GT(ww_buffer_address(buffer[1]), address[2]);
  ww_buffer_unref(buffer[1]);
  rig_fine(&rig, ww_buffer_new(rig.device, NULL, 4000, &buffer[1], &rig.error));
  EXPECT_EQ(ww_buffer_address(buffer[1]), address[1]);
  for (int i = 0; i < 3; i++)
    ww_buffer_unref(buffer[i]);
}
