/* Timelines on the command line: their contents, selecting parts, and refusals. */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/cli/fixture.h"
#include "tests/cli/tool.h"
#include "tests/ct.h"
#include "tools/page/timeline.h"
#include "traces/timeline_file.h"

CT_FREES(struct timeline_file, timeline_close)

#define MANY "--set cu.count=2 --global 256 --local 64 --arg buffer:data=1024:uint:iota --arg uint:5 --arg local:64"

static const char spin[] = ".kernel spin\n.pred c\nagain: bra again\n exit\n";

static void expect(const char *arguments, int status, const char *err) {
  ct_freed(outcome_free) struct outcome outcome = tool(arguments);
  ct_note("warpwait %s", arguments);
  EXPECT_EQ(outcome.status, status);
  EXPECT_CONTAINS(outcome.err, err);
  EXPECT_TRUE(!*outcome.err || strchr(outcome.err, '\n') == outcome.err + strlen(outcome.err) - 1);
}

static const char *here; /* the test's folder */

static void folder(void) {
  char text[1000];
  here = tool_folder();
  tool_file("kernel.wws", fixture_kernel);
  tool_file("spin.wws", spin);
  snprintf(text, sizeof text, fixture_launch, ", \"set\": {\"cu.count\": 2}");
  tool_file("l.json", text);
}

/* Runs `command`, whose first %s is the launch file. */
static void run(const char *command, const char *launch) {
  char arguments[1000];
  snprintf(arguments, sizeof arguments, command, launch);
  expect(arguments, 0, "");
}

static struct timeline_file *open_file(const char *name) {
  char path[500];
  struct message error;
  snprintf(path, sizeof path, "%s/%s", here, name);
  return timeline_open_file(path, TRACE_WHOLE, &error);
}

/* ---- laws -------------------------------------------------------------------------------------- */

static void expect_same_file(const char *a, const char *b) {
  char command[1000];
  snprintf(command, sizeof command, "cmp %s/%s %s/%s", here, a, here, b);
  EXPECT_EQ(system(command), 0);
}

TEST(timelines, hosts_orders_and_replays_write_the_same_bytes_and_the_report_is_the_same) {
  char pattern[500];
  ct_freed(globfree) glob_t examples = {0};
  folder();
  getcwd(pattern, sizeof pattern - 40);
  strcat(pattern, "/examples/*/launch.json");
  ASSERT_EQ(glob(pattern, 0, NULL, &examples), 0);
  EXPECT_GT(examples.gl_pathc, 5);
  for (size_t i = 0; i < examples.gl_pathc; i++) {
    const char *example = examples.gl_pathv[i];
    run("run %s --out r", example);
    run("run %s --timeline a.wtl --trace t.wwt --out s", example);
    expect_same_file("r", "s");
    run("run %s --timeline b.wtl --host plain --order descending --out s", example);
    expect_same_file("a.wtl", "b.wtl");
    run("replay t.wwt --timeline c.wtl --out s", "");
    expect_same_file("a.wtl", "c.wtl");
    run("trace validate a.wtl", "");
  }
}

static bool same_event(const struct timeline_event *a, const struct timeline_event *b) {
  return a->kind == b->kind && a->cu == b->cu && a->unit == b->unit && a->from == b->from && a->to == b->to &&
         memcmp(a->field, b->field, sizeof a->field) == 0;
}

/* The events of `part` are those of `whole` in the window. Each stream has few enough events for one batch, so the
 * order is also the same. */
static void expect_window(const struct timeline_window *window, const char *part, const char *whole) {
  struct timeline_file *some = open_file(part), *all = open_file(whole);
  struct timeline_event event, other;
  uint64_t expected = 0, found = 0, missed = 0;
  ASSERT_TRUE(some && all);
  while (timeline_next(all, &event)) {
    if (!timeline_window_has(window, &event))
      continue;
    expected++;
    bool there = timeline_next(some, &other) && same_event(&event, &other);
    missed += !there;
    found += there;
  }
  EXPECT_GT(expected, 0);
  EXPECT_EQ(found, expected);
  EXPECT_EQ(missed, 0);
  EXPECT_FALSE(timeline_next(some, &other));
  timeline_close(some);
  timeline_close(all);
}

TEST(timelines, a_partial_timeline_equals_the_filtered_whole) {
  static const uint8_t second[] = {0, 1};
  static const struct {
    const char *options;
    struct timeline_window window;
  } rows[] = {
      {"--from 100 --to 400", {100, 400, 0, 0, NULL, 0, UINT32_MAX}},
      {"--from 300", {300, NEVER, 0, 0, NULL, 0, UINT32_MAX}},
      {"--cu 1", {0, NEVER, 0, 0, second, 2, UINT32_MAX}},
      {"--cu 0-1,1 --sample 5/100", {0, NEVER, 5, 100, NULL, 0, UINT32_MAX}},
      {"--events warp,group", {0, NEVER, 0, 0, NULL, 0, 1 << TIMELINE_WARP | 1 << TIMELINE_GROUP}},
      {"--events scheduler --events group", {0, NEVER, 0, 0, NULL, 0, 1 << TIMELINE_SCHEDULER | 1 << TIMELINE_GROUP}},
  };
  folder();
  run("run kernel.wws " MANY " --timeline all.wtl --out %s", "r");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char command[1000];
    snprintf(command, sizeof command, "run kernel.wws " MANY " --timeline part.wtl --out r %s", rows[i].options);
    expect(command, 0, "");
    ct_note("%s", rows[i].options);
    expect_window(&rows[i].window, "part.wtl", "all.wtl");
  }
}

/* ---- what is refused --------------------------------------------------------------------------- */

TEST(timelines, bad_options_are_refused_before_the_run) {
  static const struct {
    const char *options, *err;
  } rows[] = {
      {"--from 5", "--from: needs --timeline"},
      {"--events warp", "--events: needs --timeline"},
      {"--timeline t", "--timeline: 't' does not end in one of: .wtl .json .vcd .csv"},
      {"--timeline t.txt", "--timeline: 't.txt' does not end in one of: "},
      {"--timeline /nowhere/t.wtl", "--timeline: /nowhere/t.wtl: cannot be written: "},
      {"--timeline t.wtl --cu 2", "--cu: 2 is outside [0, 1], the machine's compute units"},
      {"--timeline t.wtl --cu 1,0-7", "--cu: 7 is outside [0, 1]"},
      {"--timeline t.wtl --cu 0-18446744073709551616", "--cu: '0-18446744073709551616' is not a list"},
      {"--timeline t.wtl --cu 1-0", "--cu: '1-0' is not a list of numbers and ranges, such as 0,2,5-7"},
      {"--timeline t.wtl --cu 1,", "--cu: '1,' is not a list"},
      {"--timeline t.wtl --from 5 --to 5", "--to: 5 is not after --from, 5"},
      {"--timeline t.wtl --from -5", "--from: '-5' is not a whole number in [0, "},
      {"--timeline t.wtl --to 5k", "--to: '5k' is not a whole number in [0, "},
      {"--timeline t.wtl --sample 5", "--sample: '5' is not LENGTH/PERIOD, cycles with 1 <= LENGTH <= PERIOD"},
      {"--timeline t.wtl --sample 6/5", "--sample: '6/5' is not LENGTH/PERIOD"},
      {"--timeline t.wtl --sample 0/5", "--sample: '0/5' is not LENGTH/PERIOD"},
      {"--timeline t.wtl --events wrap",
       "--events: 'wrap' is neither a block nor a kind of event; did you mean 'warp'?"},
      {"--timeline t.wtl --events lds,", "--events: '' is neither a block nor a kind of event; legal: cu, lds, dma, "},
  };
  folder();
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char command[500];
    snprintf(command, sizeof command, "run l.json %s", rows[i].options);
    expect(command, 2, rows[i].err);
  }
  EXPECT_FALSE(tool_exists("t.wtl"));
}

TEST(timelines, a_file_name_that_is_not_utf_8_is_reported_and_cannot_be_recorded) {
  const char *const arguments = "run k\xe9.wws " MANY;
  char command[1000];
  folder();
  tool_file("k\xe9.wws", fixture_kernel);
  snprintf(command, sizeof command, "%s --timeline t.wtl --out r", arguments);
  expect(command, 0, "");
  run("trace convert t.wtl t.csv", "");
  ct_freed(ct_free) char *csv = tool_read("t.csv");
  EXPECT_CONTAINS(csv, ",\"(not UTF-8)\",");
  snprintf(command, sizeof command, "%s --trace t.wwt", arguments);
  expect(command, 2, "warpwait: --trace: the name 'k\xe9.wws' is not UTF-8, which a trace's names must be\n");
  EXPECT_FALSE(tool_exists("t.wwt"));
}

TEST(timelines, a_csv_has_no_cell_that_a_spreadsheet_runs) {
  folder();
  tool_file("=cmd|x.wws", fixture_kernel);
  run("run =cmd|x.wws " MANY " --timeline t.csv --out r", "");
  ct_freed(ct_free) char *csv = tool_read("t.csv");
  EXPECT_CONTAINS(csv, ",\"'=cmd|x.wws\",");
}

TEST(timelines, a_full_disk_is_reported) {
  char path[500];
  folder();
  snprintf(path, sizeof path, "%s/full.wtl", here);
  EXPECT_EQ(symlink("/dev/full", path), 0);
  expect("run l.json --timeline full.wtl --out r", 2,
         "--timeline: full.wtl: cannot be written: No space left on device");
  unlink(path);
}

TEST(timelines, an_interrupted_run_leaves_the_old_file) {
  static const char *const names[] = {"t.wtl", "t.csv", "t.json", "t.vcd", "t.wwt"};
  folder();
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const char *option = i == 4 ? "trace" : "timeline";
    char command[200];
    ct_note("%s", names[i]);
    snprintf(command, sizeof command, "run spin.wws --global 64 --local 64 --%s %s -q", option, names[i]);
    tool_file(names[i], "as it was");
    ct_freed(outcome_free) struct outcome outcome = tool_interrupted(command);
    EXPECT_EQ(outcome.status, 130);
    ct_freed(ct_free) char *text = tool_read(names[i]);
    EXPECT_STREQ(text, "as it was");
  }
}

TEST(timelines, an_unfinished_run_has_a_complete_timeline) {
  folder();
  expect("run spin.wws --global 64 --local 64 --max-cycles 1000 --timeline t.wtl --out r", 1, "not finished");
  expect("trace validate t.wtl", 0, "");
}

/* ---- looking inside ---------------------------------------------------------------------------- */

TEST(timelines, info_and_head_show_the_contents) {
  folder();
  run("run %s --timeline t.wtl --out r", "l.json");
  ct_freed(outcome_free) struct outcome info = tool("trace info t.wtl");
  EXPECT_EQ(info.status, 0);
  EXPECT_CONTAINS(info.out, "machine        teaching\nlaunch 1       kernel 'plus', cycles 0 to ");
  EXPECT_CONTAINS(info.out, "bytes an event\n");
  EXPECT_CONTAINS(info.out, "  cu      warp\n");
  struct outcome head = tool("trace head t.wtl -n 1 ");
  EXPECT_EQ(head.status, 0);
  EXPECT_CONTAINS(head.out, "  cu      warp ");
  EXPECT_CONTAINS(head.out, "stall=");
  EXPECT_CONTAINS(head.out, "  kernel.wws:");
  outcome_free(&head);
  expect("trace head t.wtl --warp 1", 2, "a timeline's events are shown in the file's order");
  expect("replay t.wtl", 2, "expected a trace (89 57 57 54 0d 0a 1a 0a), found a timeline");
}

/* docs/timeline.md shows the timeline of an example. */
TEST(timelines, the_page_shows_the_events_of_its_example) {
  static char page[40000];
  char example[500];
  FILE *file = fopen("docs/timeline.md", "r");
  ASSERT_TRUE(file);
  page[fread(page, 1, sizeof page - 1, file)] = 0;
  fclose(file);
  folder();
  EXPECT_TRUE(getcwd(example, sizeof example - 60));
  strcat(example, "/examples/05_double_buffer/launch.json");
  run("run %s --timeline t.wtl --out r", example);
  struct outcome info = tool("trace info t.wtl"), head = tool("trace head t.wtl -n 3");
  EXPECT_CONTAINS(page, strstr(info.out, "\n      events"));
  EXPECT_CONTAINS(page, head.out);
  outcome_free(&info);
  outcome_free(&head);
}

/* A line of the text, to be freed; NULL after the last. */
static char *line_of(const char *text, unsigned number) {
  while (number-- && text)
    text = strchr(text, '\n') ? strchr(text, '\n') + 1 : NULL;
  return text && *text ? strndup(text, strcspn(text, "\n")) : NULL;
}

TEST(timelines, a_csv_has_one_row_for_each_event_and_each_column_once) {
  folder();
  run("run %s --timeline t.wtl --out r", "l.json");
  run("run %s --timeline t.csv --out r", "l.json");
  expect("trace convert t.wtl u.csv", 0, "");
  expect_same_file("t.csv", "u.csv");
  expect("trace convert t.wtl u.txt", 2, "t.wtl: a timeline cannot be converted to 'u.txt'; legal: .json .vcd .csv");
  ct_freed(timeline_close_at) struct timeline_file *file = open_file("t.wtl");
  char *csv = tool_read("t.csv"), *head = line_of(csv, 0), *names = head;
  uint64_t rows = 0, columns = 0;
  for (char *name; (name = strsep(&names, ",")); columns++) {
    EXPECT_TRUE(*name);
    for (char *other = names; other && (other = strstr(other, name)); other++)
      EXPECT_FALSE(other[-1] == ',' && (other[strlen(name)] == ',' || !other[strlen(name)]));
  }
  for (const char *at = csv; (at = strchr(at, '\n')); at++)
    rows++;
  EXPECT_EQ(rows, timeline_extent_of(file).events + 1);
  EXPECT_GT(columns, 20);
  EXPECT_CONTAINS(csv, "\ncu,warp,0,0,");
  EXPECT_CONTAINS(csv, ",issued,");
  EXPECT_CONTAINS(csv, ",\"kernel.wws\",");
  free(head);
  free(csv);
}

/* A window of a long run has more slices than the page holds: it is divided, and the page is not empty. */
TEST(timelines, a_page_limits_its_slices_for_runs_of_any_length) {
  char path[500];
  folder();
  expect("run spin.wws --global 32 --local 32 --max-cycles 300000 --timeline long.wtl --events warp --out r.txt", 1,
         "not finished");
  snprintf(path, sizeof path, "%s/long.wtl", here);
  for (size_t most = 1; most < 40; most += 12) {
    struct text text = {0};
    struct message message;
    EXPECT_TRUE(page_timeline_print(&(struct trace_place){.name = path}, most, &text, &message));
    const char *slices = strstr(text.data, "\"slices\":");
    EXPECT_TRUE(slices != NULL);
    EXPECT_EQ(strtoul(slices + strlen("\"slices\":"), NULL, 10), most);
    free(text.data);
  }
}
