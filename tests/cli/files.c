/* The files of a command: how they are named, and names that must be a mistake. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/cli/fixture.h"
#include "tests/cli/tool.h"
#include "tests/ct.h"

static void expect(const char *arguments, int status, const char *err) {
  ct_freed(outcome_free) struct outcome outcome = tool(arguments);
  ct_note("warpwait %s", arguments);
  EXPECT_EQ(outcome.status, status);
  if (*err)
    EXPECT_CONTAINS(outcome.err, err);
  else
    EXPECT_STREQ(outcome.err, "");
}

static const char *here; /* the test's folder */

/* Makes l.json, its trace t.wwt and its timeline t.wtl. */
static void folder(void) {
  char text[1000];
  here = tool_folder();
  fixture_folder();
  snprintf(text, sizeof text, fixture_launch, "");
  tool_file("l.json", text);
  expect("run l.json --trace t.wwt --timeline t.wtl --out r", 0, "");
}

static void other_name(const char *name, const char *other) {
  char path[2][200];
  snprintf(path[0], sizeof path[0], "%s/%s", here, name);
  snprintf(path[1], sizeof path[1], "%s/%s", here, other);
  EXPECT_EQ(link(path[0], path[1]), 0);
}

/* Removes the file's last byte. */
static void cut(const char *name) {
  char path[200];
  struct stat status;
  snprintf(path, sizeof path, "%s/%s", here, name);
  EXPECT_EQ(stat(path, &status), 0);
  EXPECT_EQ(truncate(path, status.st_size - 1), 0);
}

TEST(files, every_verb_that_writes_a_file_accepts_o_and_out) {
  static const char *const rows[] = {"run l.json",          "replay t.wwt",       "dis kernel.wws",
                                     "trace slice t.wwt",   "asm kernel.wws",     "trace merge t.wwt t.wwt",
                                     "trace convert t.wwt", "trace convert t.wtl"};
  static const char *const suffixes[] = {"", "", "", ".wwt", ".wwo", ".wwt", ".wwtt", ".csv"};
  folder();
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char command[200], name[40];
    snprintf(name, sizeof name, "short%zu%s", i, suffixes[i]);
    snprintf(command, sizeof command, "%s -o %s", rows[i], name);
    expect(command, 0, "");
    EXPECT_TRUE(tool_exists(name));
    snprintf(name, sizeof name, "long%zu%s", i, suffixes[i]);
    snprintf(command, sizeof command, "%s --out=%s", rows[i], name);
    expect(command, 0, "");
    EXPECT_TRUE(tool_exists(name));
  }
}

TEST(files, an_output_may_be_named_only_once) {
  folder();
  expect("trace convert t.wwt a.wwtt -o b.wwtt", 2, "a.wwtt: only an input and an output are allowed");
  expect("trace convert -o b.wwtt t.wwt a.wwtt", 2, "a.wwtt: only an input and an output are allowed");
  expect("trace convert -o b.wwtt", 2, "an input and an output are needed");
  expect("trace import list a.wwt -o b.wwt", 2, "a.wwt: only one list and one trace are allowed");
}

TEST(files, help_is_always_given) {
  static const char *const rows[] = {"--help",       "-h",       "-?",       "help",
                                     "trace --help", "trace -h", "trace -?", "trace help"};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ct_freed(outcome_free) struct outcome outcome = tool(rows[i]);
    EXPECT_EQ(outcome.status, 0);
    EXPECT_CONTAINS(outcome.out, "Usage: warpwait ");
  }
}

TEST(files, an_output_that_is_also_an_input_or_another_output_is_refused) {
  static const struct {
    const char *command, *err;
  } rows[] = {
      {"run l.json --out l.json", "--out: l.json: is also the input"},
      {"run l.json --trace ./l.json", "--trace: ./l.json: is also the input"},
      {"run l.json --out a --trace ./a", "--out: a: is also the file of --trace"},
      {"run l.json --timeline a.vcd --vcd a.vcd", "--timeline: a.vcd: is also the file of --vcd"},
      {"run l.json --dump data=a --dump data=./a", "--dump: ./a: is also the file of --dump"},
      {"replay t.wwt --out t.wwt", "--out: t.wwt: is also the input"},
      {"replay t.wwt --out a.csv --timeline a.csv", "--timeline: a.csv: is also the file of --out"},
      {"trace convert t.json t.json", "t.json: is also the input"},
      {"trace convert t.wwt t.wwt", "t.wwt: is also the input"},
      {"trace slice t.wwt -o t.wwt", "t.wwt: is also an input"},
      {"trace merge t.wwt link.wwt -o link.wwt", "link.wwt: is also an input"},
      {"trace import l.json l.json", "l.json: is also the input"},
  };
  folder();
  other_name("t.wtl", "t.json");
  other_name("t.wwt", "link.wwt");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    expect(rows[i].command, 2, rows[i].err);
  expect("trace validate t.wwt", 0, "");
  expect("run l.json --out /dev/null --trace /dev/null", 0, "");
}

TEST(files, the_kind_of_a_wrong_file_is_reported) {
  char path[200];
  folder();
  expect("trace convert t.wwt t.wwtt", 0, "");
  expect("replay t.wwtt", 2, "found the text of a trace, which `warpwait trace convert` turns into a trace\n");
  expect("trace diff t.wwt t.wtl", 2, "expected a trace (89 57 57 54 0d 0a 1a 0a), found a timeline\n");
  expect("trace convert . a.wwt", 2, "warpwait: .: cannot be read: Is a directory\n");
  snprintf(path, sizeof path, "%s/full.wwt", here);
  EXPECT_EQ(symlink("/dev/full", path), 0);
  expect("trace convert t.wwtt full.wwt", 2, "warpwait: full.wwt: cannot be written: No space left on device\n");
  unlink(path);
}

TEST(files, an_interrupted_command_leaves_no_partial_file) {
  char stranger[300] = "";
  tool_folder();
  tool_file("long.wwtt", "wwtt 1\nassembly {\n  .kernel k\n  again:\n    bra again\n    exit\n}\n"
                         "job {\n  {\"launches\": [{\"kernel\": \"k\", \"global\": [32], \"local\": [32]}]}\n}\n"
                         "group 0\nwarp 0\nrepeat 900000000 {\n  0\n}\n1 done\n");
  ct_freed(outcome_free) struct outcome outcome = tool_interrupted("trace convert long.wwtt long.wwt");
  EXPECT_EQ(outcome.status, 130);
  EXPECT_STREQ(outcome.err, "warpwait: interrupted\n");
  EXPECT_EQ(tool_strangers(stranger, sizeof stranger), 0);
  EXPECT_STREQ(stranger, "");
}

TEST(files, empty_traces_and_timelines_have_complete_info) {
  tool_folder();
  tool_file("k.wws", ".kernel k\n  exit\n");
  expect("run k.wws --global 32 --max-cycles 1 --trace z.wwt --timeline z.wtl --out r", 1,
         "not finished after 1 cycles");
  struct outcome trace = tool("trace info z.wwt"), timeline = tool("trace info z.wtl");
  EXPECT_CONTAINS(trace.out, "\noperations     0 in ");
  EXPECT_CONTAINS(trace.out, " bytes\nblocks ");
  EXPECT_CONTAINS(timeline.out, "\nevents         0 in ");
  outcome_free(&trace);
  outcome_free(&timeline);
}

static size_t lines_of(const char *text) {
  size_t lines = 0;
  for (; (text = strchr(text, '\n')); text++)
    lines++;
  return lines;
}

TEST(files, head_prints_all_lines_when_written_in_pieces) {
  tool_folder();
  tool_file("spin.wws", ".kernel k\nagain:\n  bra again\n  exit\n");
  expect("run spin.wws --global 64 --local 64 --max-cycles 9000 --trace t.wwt --timeline t.wtl --out r", 1,
         "not finished");
  expect("trace convert t.wtl t.csv", 0, "");
  ct_freed(ct_free) char *rows = tool_read("t.csv");
  struct outcome events = tool("trace head t.wtl -n 1000000"), operations = tool("trace head t.wwt -n 2000");
  EXPECT_TRUE(strlen(events.out) > 1 << 16 && strlen(operations.out) > 1 << 16);
  EXPECT_EQ(lines_of(events.out), lines_of(rows));
  EXPECT_TRUE(lines_of(operations.out) > 1000);
  EXPECT_TRUE(strstr(operations.out, "    pc") == operations.out);
  outcome_free(&events);
  outcome_free(&operations);
}

TEST(files, every_verb_reports_salvage) {
  static const char *const rows[] = {"trace info c.wwt --brief", "trace validate c.wwt", "trace convert c.wwt c.wwtt",
                                     "trace validate c.wtl", "trace convert c.wtl c.csv"};
  folder();
  expect("run l.json --trace c.wwt --timeline c.wtl --out r", 0, "");
  cut("c.wwt");
  cut("c.wtl");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char command[100];
    snprintf(command, sizeof command, "%s --salvage", rows[i]);
    expect(command, 0, "before it");
  }
}
