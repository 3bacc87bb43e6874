/* Exports of timelines with made-up events; tests/timeline exports those of runs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/cli/output.h"
#include "tests/cli/tool.h"
#include "tests/ct.h"
#include "tools/timeline/export.h"
#include "tools/timeline/tracks.h"

/* A kernel that copies, waits and reads, on a machine with a quote in its name. */
static const char run[] =
    "{\"version\": \"1\", \"machine\": {\"name\": \"a \\\"b\\\"\", \"parameters\": {\"cu.clock_mhz\": 500}},"
    " \"stalls\": [{\"name\": \"issued\"}, {\"name\": \"copy_wait\"}, {\"name\": \"lds\"}],"
    " \"programs\": [{\"code\": [{\"text\": \"copy\\t1\", \"line\": 3, \"file\": \"k.cl\"}, {\"text\": \"wait\"}]}],"
    " \"launches\": [{\"kernel\": \"k\", \"program\": 0, \"start\": 10, \"cycles\": 90}]}";

static const struct timeline_event made[] = {
    {TIMELINE_WARP, 0, 2, 10, 11, {0, 0, 0, 7}},
    {TIMELINE_WARP, 0, 2, 11, 50, {1, 1, 0, 7}},
    {TIMELINE_WARP, 0, 2, 50, 51, {0, 1, 0, 7}},
    {TIMELINE_QUEUE, 0, 0, 12, 14, {1}},
    {TIMELINE_CHANNEL, 0, 65, 14, 30, {1, 256, 4}},
    {TIMELINE_REQUEST, 0, 65, 15, 40, {1, 1, 64, 30}},
    {TIMELINE_REQUEST, 0, 65, 16, 42, {1, 1, 64, 31}},
    {TIMELINE_WAITED, 0, 0, 11, 50, {1, 0, 7, 4}},
    {TIMELINE_COPY, 0, 0, 10, 45, {1, 0, 0, 7, 4, 2, 1, 256, 12, 45}},
    {TIMELINE_ACCESS, 0, 2, 60, 80, {0, 1, 0, 0xff, 4, 3, 0}},
    {TIMELINE_ACCESS, 0, 2, 70, 90, {0, 1, 0, 0xff, 1, 0, 0}},
    {TIMELINE_BANKS, 0, 0, 62, 63, {0x10001, 2, 1, 0, 3}},
    {TIMELINE_MEET, 0, 0, 11, 50, {3, 1, 0, 7, 11}},
    {TIMELINE_PASSED, 0, 1, 1024, 1026, {4, 64}},
};
enum { MADE = sizeof made / sizeof *made };

static char made_path[128], out_path[160];

/* Makes a fresh folder for the timeline and its exports. */
static void start(const char *out) {
  snprintf(made_path, sizeof made_path, "%s/made.wtl", tool_folder());
  snprintf(out_path, sizeof out_path, "%s/%s", tool_folder(), out);
}

static void write_timeline(const char *meta, const struct timeline_event *events, size_t count) {
  const struct timeline_window window = {.to = NEVER, .kinds = UINT32_MAX};
  struct message error;
  struct timeline_writer *writer = timeline_writer_open(made_path, &window, &error);
  ASSERT_TRUE(writer != NULL);
  struct timeline *timeline = timeline_writer_listener(writer);
  for (size_t i = 0; i < count; i++) {
    timeline->streams = 2;
    timeline->take(timeline->self, events[i].cu % 2, 2000, &events[i]);
  }
  if (meta)
    timeline_write_meta(writer, "run", meta, strlen(meta));
  EXPECT_TRUE(timeline_writer_close(writer, &error));
}

typedef bool exporter(struct timeline_file *file, const char *name, FILE *stream, struct message *message);

static bool export(exporter *to, struct message *message) {
  struct message error = {.text = ""};
  struct timeline_file *file = timeline_open_file(made_path, TRACE_WHOLE, &error);
  EXPECT_STREQ(error.text, "");
  struct output output;
  const bool good = file && output_begin(&output, out_path, message) &&
                    output_end(&output, to(file, out_path, output.stream, message), message);
  if (file)
    timeline_close(file);
  return good;
}

/* Exports the made-up events as JSON; the caller frees it. */
static char *made_json(void) {
  struct message message = {.text = ""};
  start("made.json");
  write_timeline(run, made, MADE);
  EXPECT_TRUE(export(timeline_export_perfetto, &message));
  EXPECT_STREQ(message.text, "");
  return tool_read("made.json");
}

/* The number of the track with this name; 0 if there is none. */
static unsigned track_of(const char *json, const char *name) {
  char wanted[200];
  snprintf(wanted, sizeof wanted, "\"name\":\"thread_name\",\"args\":{\"name\":\"%s\"}", name);
  const char *found = strstr(json, wanted);
  while (found && found > json && *found != '\n')
    found--;
  const char *track = found ? strstr(found, "\"tid\":") : NULL;
  return track ? (unsigned)strtoul(track + strlen("\"tid\":"), NULL, 10) : 0;
}

/* A line of the JSON begins with the format, which contains the number of a track. */
#define EXPECT_ON(json, track, format)                                                                                 \
  do {                                                                                                                 \
    char line[300];                                                                                                    \
    snprintf(line, sizeof line, format, track_of(json, track));                                                        \
    EXPECT_NE(track_of(json, track), 0);                                                                               \
    EXPECT_CONTAINS(json, line);                                                                                       \
  } while (0)

TEST(timeline_export, a_warps_slice_names_its_instruction_or_its_wait) {
  ct_freed(ct_free) char *json = made_json();
  EXPECT_ON(
      json, "warp 2",
      "\n{\"ph\":\"X\",\"pid\":2,\"tid\":%u,\"ts\":0.010,\"cat\":\"warp\",\"name\":\"copy\\u00091\",\"dur\":0.001,");
  EXPECT_CONTAINS(json,
                  "\"args\":{\"stall\":\"issued\",\"pc\":0,\"instruction\":\"copy\\u00091\",\"line\":\"k.cl:3\",");
  EXPECT_ON(json, "warp 2",
            "\n{\"ph\":\"X\",\"pid\":2,\"tid\":%u,\"ts\":0.011,\"cat\":\"warp\",\"name\":\"copy_wait\",\"dur\":0.039,");
}

TEST(timeline_export, an_arrow_runs_from_the_copys_issue_to_the_last_cycle_of_the_wait) {
  ct_freed(ct_free) char *json = made_json();
  EXPECT_ON(json, "warp 2",
            "\n{\"ph\":\"s\",\"pid\":2,\"tid\":%u,\"ts\":0.010,\"cat\":\"copy\",\"name\":\"copy\",\"id\":1}");
  EXPECT_ON(
      json, "warp 2",
      "\n{\"ph\":\"f\",\"pid\":2,\"tid\":%u,\"ts\":0.049,\"cat\":\"copy\",\"name\":\"copy\",\"id\":1,\"bp\":\"e\"}");
}

TEST(timeline_export, a_copy_lasts_until_its_wait_is_released_and_has_steps) {
  ct_freed(ct_free) char *json = made_json();
  EXPECT_CONTAINS(json, "\"ts\":0.010,\"cat\":\"copy\",\"name\":\"copy to LDS\",\"id\":\"0x");
  EXPECT_CONTAINS(json, "\"form\":\"2d\",\"to_lds\":1,\"bytes\":256,\"handed\":12,\"done\":45,\"landed\":45,"
                        "\"waited_from\":11,\"waited_to\":50}}");
  EXPECT_CONTAINS(json, "\"ts\":0.012,\"cat\":\"copy\",\"name\":\"copy 1 in the queue\"");
  EXPECT_CONTAINS(json, "\"ts\":0.014,\"cat\":\"copy\",\"name\":\"copy 1 in channels\"");
  EXPECT_CONTAINS(json, "\"ts\":0.030,\"cat\":\"copy\",\"name\":\"copy 1 in flight\"");
  EXPECT_CONTAINS(json, "\"ts\":0.045,\"cat\":\"copy\",\"name\":\"copy 1 has arrived\"");
}

TEST(timeline_export, a_copy_carried_out_by_warps_has_no_steps_in_channels) {
  /* A timeline without channel events has no array of them, and bsearch() must not get NULL: sanitizers object. */
  const struct timeline_event copy = {TIMELINE_COPY, 0, 0, 10, 45, {1, 0, 0, 7, 4, 2, 1, 256, 12, 45}};
  struct message message = {.text = ""};
  start("lanes.json");
  write_timeline(run, &copy, 1);
  EXPECT_TRUE(export(timeline_export_perfetto, &message));
  ct_freed(ct_free) char *json = tool_read("lanes.json");
  EXPECT_CONTAINS(json, "\"cat\":\"copy\",\"name\":\"copy to LDS\"");
  EXPECT_TRUE(strstr(json, "in channels") == NULL);
}

TEST(timeline_export, a_copy_may_be_in_an_engine_that_another_compute_unit_reports) {
  const struct timeline_event events[] = {{TIMELINE_CHANNEL, 0, 0, 14, 30, {1, 256, 4, 1}},
                                          {TIMELINE_COPY, 1, 0, 10, 45, {1, 0, 0, 7, 4, 2, 1, 256, 12, 45}}};
  struct message message = {.text = ""};
  start("shared.json");
  write_timeline(run, events, 2);
  EXPECT_TRUE(export(timeline_export_perfetto, &message));
  ct_freed(ct_free) char *json = tool_read("shared.json");
  EXPECT_CONTAINS(json, "\"pid\":2,\"tid\":1,\"ts\":0.014,\"cat\":\"channel\",\"name\":\"copy 1 of CU 1\"");
  EXPECT_CONTAINS(json, "\"pid\":3,\"tid\":2,\"ts\":0.014,\"cat\":\"copy\",\"name\":\"copy 1 in channels\"");
}

TEST(timeline_export, overlapping_accesses_are_in_separate_lanes) {
  ct_freed(ct_free) char *json = made_json();
  EXPECT_ON(json, "warp 2, LDS",
            "\n{\"ph\":\"X\",\"pid\":2,\"tid\":%u,\"ts\":0.060,\"cat\":\"access\",\"name\":\"read, passes 4\"");
  EXPECT_ON(json, "warp 2, LDS (2)",
            "\n{\"ph\":\"X\",\"pid\":2,\"tid\":%u,\"ts\":0.070,\"cat\":\"access\",\"name\":\"read, passes 1\"");
}

TEST(timeline_export, a_pass_is_shown_at_each_active_group_of_banks) {
  ct_freed(ct_free) char *json = made_json();
  EXPECT_ON(json, "LDS banks 0-7, warps", "\"tid\":%u,\"ts\":0.062,\"cat\":\"banks\",\"name\":\"warp 2 pass 3\"");
  EXPECT_ON(json, "LDS banks 16-23, warps", "\"tid\":%u,\"ts\":0.062,\"cat\":\"banks\",\"name\":\"warp 2 pass 3\"");
  EXPECT_EQ(track_of(json, "LDS banks 8-15, warps"), 0);
}

TEST(timeline_export, counters_show_what_is_in_flight_in_each_cycle) {
  ct_freed(ct_free) char *json = made_json();
  static const char head[] = "{\"ph\":\"C\",\"pid\":2,\"tid\":0,\"ts\":%s,\"name\":\"%s\",\"args\":{\"%s\":%s}}";
  static const char *const rows[][4] = {
      {"0.015", "DMA requests in flight", "requests", "1.000"},
      {"0.016", "DMA requests in flight", "requests", "2.000"},
      {"0.040", "DMA requests in flight", "requests", "1.000"},
      {"0.042", "DMA requests in flight", "requests", "0.000"},
      {"0.012", "descriptors in DMA queues", "descriptors", "1.000"},
      {"0.014", "descriptors in DMA queues", "descriptors", "0.000"},
      {"0.079", "LDS passes lost to bank conflicts", "passes a cycle", "3.000"},
      {"0.080", "LDS passes lost to bank conflicts", "passes a cycle", "0.000"},
      {"1.024", "memory port", "bytes a cycle", "64.000"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char line[300];
    snprintf(line, sizeof line, head, rows[i][0], rows[i][1], rows[i][2], rows[i][3]);
    EXPECT_CONTAINS(json, line);
  }
}

TEST(timeline_export, counters_of_long_timelines_are_means_over_windows) {
  /* Half of the first 512 cycles of 2^20, which are 2048 windows of 512. */
  const struct timeline_event events[] = {{TIMELINE_WARP, 0, 0, 0, 256, {0}},
                                          {TIMELINE_WARP, 0, 0, 1024, 1 << 20, {0}}};
  struct message message = {.text = ""};
  start("long.json");
  write_timeline(run, events, 2);
  EXPECT_TRUE(export(timeline_export_perfetto, &message));
  ct_freed(ct_free) char *json = tool_read("long.json");
  EXPECT_CONTAINS(json, "\"ts\":0.000,\"name\":\"warps resident\",\"args\":{\"warps\":0.500}}");
  EXPECT_CONTAINS(json, "\"ts\":0.512,\"name\":\"warps resident\",\"args\":{\"warps\":0.000}}");
  EXPECT_CONTAINS(json, "\"ts\":1.024,\"name\":\"warps resident\",\"args\":{\"warps\":1.000}}");
  EXPECT_CONTAINS(json, "means over 512 cycles");
}

TEST(timeline_export, the_end_names_the_machine_and_the_length_of_a_cycle) {
  ct_freed(ct_free) char *json = made_json();
  EXPECT_CONTAINS(json, "\"otherData\":{\"warpwait\":\"1\",\"machine\":\"a \\\"b\\\"\",\"clock\":\"500 MHz\","
                        "\"time\":\"a cycle is shown as a nanosecond\",\"counters\":\"means over 1 cycle\"}}\n");
}

TEST(timeline_export, a_failed_export_is_one_message_and_no_file) {
  const struct {
    const char *meta, *says;
  } rows[] = {
      {NULL, "out.json: cannot be created: the timeline has no meta 'run', which says what ran"},
      {"7", "out.json: cannot be created: the timeline's meta 'run': "},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct message message = {.text = ""};
    start("out.json");
    write_timeline(rows[i].meta, made, 1);
    EXPECT_FALSE(export(timeline_export_perfetto, &message));
    EXPECT_CONTAINS(message.text, rows[i].says);
    EXPECT_FALSE(tool_exists("out.json"));
  }
}

TEST(timeline_export, more_concurrent_events_than_any_machine_has_are_refused) {
  static struct timeline_event events[TIMELINE_LANES + 1];
  for (size_t i = 0; i <= TIMELINE_LANES; i++)
    events[i] = (struct timeline_event){.kind = TIMELINE_ACCESS, .from = 5, .to = 6};
  for (size_t count = TIMELINE_LANES; count <= TIMELINE_LANES + 1; count++) {
    struct message message = {.text = ""};
    start("many.json");
    write_timeline(run, events, count);
    EXPECT_EQ(export(timeline_export_perfetto, &message), count == TIMELINE_LANES);
    EXPECT_EQ(tool_exists("many.json"), count == TIMELINE_LANES);
    EXPECT_CONTAINS(message.text,
                    count == TIMELINE_LANES ? "" : "more than 8192 events of one place overlap at cycle 5");
  }
}

TEST(timeline_export, a_full_disk_and_a_missing_folder_are_reported) {
  exporter *const exporters[] = {timeline_export_perfetto, timeline_export_vcd};
  start("");
  write_timeline(run, made, MADE);
  for (size_t i = 0; i < 2; i++) {
    struct message message = {.text = ""};
    strcpy(out_path, "/nonexistent/file");
    EXPECT_FALSE(export(exporters[i], &message));
    EXPECT_STREQ(message.text, "/nonexistent/file: cannot be written: No such file or directory");
    snprintf(out_path, sizeof out_path, "%s.full", made_path);
    EXPECT_EQ(symlink("/dev/full", out_path), 0);
    EXPECT_FALSE(export(exporters[i], &message));
    EXPECT_CONTAINS(message.text, "made.wtl.full: cannot be written: No space left on device");
    unlink(out_path);
  }
}

TEST(timeline_export, waves_equal_the_sum_of_events) {
  struct message message = {.text = ""};
  start("made.vcd");
  write_timeline(run, made, MADE);
  EXPECT_TRUE(export(timeline_export_vcd, &message));
  EXPECT_STREQ(message.text, "");
  ct_freed(ct_free) char *vcd = tool_read("made.vcd");
  EXPECT_CONTAINS(vcd, "states: 0 no warp, 1 issued, 2 copy_wait, 3 lds\n");
  EXPECT_CONTAINS(vcd, "$scope module cu0 $end");
  EXPECT_CONTAINS(vcd, "$scope module warp2 $end");
  EXPECT_CONTAINS(vcd, "channel1");
}

/* Any event that a file can hold; cycles and fields have at most these numbers of bits. */
static struct timeline_event make_any(uint64_t *state, unsigned cycle_bits, unsigned field_bits) {
  const uint64_t dice = ct_random(state);
  struct timeline_event event = {.kind = (enum timeline_kind)(dice % TIMELINE_KINDS),
                                 .cu = dice >> 16 & 1,
                                 .unit = (uint32_t)(dice >> 20) % TIMELINE_UNITS,
                                 .from = ct_random(state) >> (64 - cycle_bits)};
  event.to = event.from + (ct_random(state) >> (64 - cycle_bits));
  if (event.to < event.from)
    event.to = event.from;
  for (unsigned i = 0; i < timeline_kind_rows[event.kind].fields; i++) {
    const uint64_t number = ct_random(state) >> (64 - field_bits);
    event.field[i] = number >> ct_random(state) % field_bits;
  }
  return event;
}

TEST(timeline_export, any_events_are_exported_or_refused) {
  enum { EVENTS = 3000 };
  static struct timeline_event events[EVENTS];
  static const unsigned bits[][2] = {{16, 3}, {16, 64}, {40, 64}, {63, 64}};
  uint64_t state = 5;
  for (size_t row = 0; row < sizeof bits / sizeof *bits; row++) {
    for (size_t i = 0; i < EVENTS; i++)
      events[i] = make_any(&state, bits[row][0], bits[row][1]);
    ct_note("row %zu", row);
    struct message message = {.text = ""};
    start("any.json");
    write_timeline(run, events, EVENTS);
    EXPECT_TRUE(export(timeline_export_perfetto, &message));
    strcpy(strrchr(out_path, '.'), ".vcd");
    EXPECT_EQ(export(timeline_export_vcd, &message), bits[row][0] < 43);
    EXPECT_EQ(message.text[0] != 0, bits[row][0] >= 43);
  }
}
