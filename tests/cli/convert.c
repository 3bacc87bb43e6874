/* warpwait trace convert: traces to text and back, text written by hand, and refusals. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/cli/fixture.h"
#include "tests/cli/tool.h"
#include "tests/ct.h"

static void expect(const char *arguments, int status, const char *err) {
  ct_freed(outcome_free) struct outcome outcome = tool(arguments);
  ct_note("warpwait %s", arguments);
  EXPECT_EQ(outcome.status, status);
  EXPECT_STREQ(outcome.err, err);
  EXPECT_STREQ(outcome.out, "");
}

static void folder(void) {
  char text[1000];
  fixture_folder();
  snprintf(text, sizeof text, fixture_launch, "");
  tool_file("l.json", text);
}

static void expect_same_report(const char *trace) {
  char command[100];
  ct_freed(outcome_free) struct outcome run = tool("run l.json");
  snprintf(command, sizeof command, "replay %s", trace);
  ct_freed(outcome_free) struct outcome replay = tool(command);
  EXPECT_STREQ(replay.out, run.out);
  EXPECT_STREQ(replay.err, run.err);
}

TEST(convert, a_trace_from_text_replays_as_it_ran) {
  folder();
  ct_freed(outcome_free) struct outcome run = tool("run l.json --trace t.wwt");
  expect("trace convert t.wwt t.wwtt", 0, "");
  expect("trace convert t.wwtt u.wwt", 0, "");
  expect_same_report("u.wwt");
  ct_freed(ct_free) char *text = tool_read("t.wwtt");
  EXPECT_CONTAINS(text, "meta program0 assembly {\n  file kernel.wws\n  code\n");
  EXPECT_CONTAINS(text, "  # ld.arg.b64 ");
}

/* The minimum for a replay: a program and a launch. */
static const char by_hand[] = "wwtt 1\nassembly {\n  .kernel k\n   bar\n   exit\n}\n"
                              "job {\n  {\"launches\": [{\"kernel\": \"k\", \"global\": [128], \"local\": [64]}]}\n}\n"
                              "group 0..1\nwarp 0..1\n0\n1 done\n";

TEST(convert, a_program_and_a_launch_are_enough_for_a_replay) {
  folder();
  tool_file("h.wwtt", by_hand);
  expect("trace convert h.wwtt h.wwt", 0, "");
  ct_freed(outcome_free) struct outcome outcome = tool("replay h.wwt");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_CONTAINS(outcome.out, "kernel         k in kernel.wws");
  EXPECT_CONTAINS(outcome.out, "instructions   8 of warps");
}

TEST(convert, the_replay_reports_a_path_that_the_program_does_not_have) {
  static const struct {
    const char *warp, *err;
  } rows[] = {
      {"warp 0..1\n0\n1\n",
       "warpwait: h.wwt: launch 1, work-group (0, 0, 0), warp 0 continues at pc 2 after pc 1; legal: pc 0 to 1, "
       "and an exit at the end\n"},
      {"warp 0..1\n0 done\n",
       "warpwait: h.wwt: launch 1, work-group (0, 0, 0), warp 0 ends at pc 0, which is not an exit; legal: pc 0 to 1, "
       "and an exit at the end\n"},
  };
  folder();
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char text[500];
    snprintf(text, sizeof text, "%.*s%s", (int)(strstr(by_hand, "warp 0..1") - by_hand), by_hand, rows[i].warp);
    tool_file("h.wwtt", text);
    expect("trace convert h.wwtt h.wwt", 0, "");
    expect("replay h.wwt", 2, rows[i].err);
  }
}

TEST(convert, a_job_may_name_the_same_files_as_a_launch_file) {
  folder();
  tool_file("h.wwtt", "wwtt 1\njob {\n  {\"program\": \"kernel.wws\", \"machine\": \"h200\",\n"
                      "   \"buffers\": {\"data\": {\"bytes\": 256}},\n   \"launches\": [{\"kernel\": \"plus\", "
                      "\"global\": [64], \"args\": [{\"buffer\": \"data\"}, {\"uint\": 5}, {\"local\": 64}]}]}\n}\n");
  ct_freed(outcome_free) struct outcome outcome = tool("trace convert h.wwtt h.wwt");
  EXPECT_STREQ(outcome.err, "");
  tool_again(&outcome, "trace info h.wwt");
  EXPECT_CONTAINS(outcome.out, "h.wwtt, on machine h200");
}

TEST(convert, bad_text_is_reported_in_one_line_and_leaves_no_file) {
  static const struct {
    const char *text, *message;
  } bad[] = {
      {"wwtt 1\nassembly {\n  .kernel k\n   bat\n}\n",
       "warpwait: b.wwtt:4:2: unknown operation 'bat'; did you mean 'bar'?"},
      {"wwtt 1\nmeta program0 assembly {\n  file k.wws\n  code\n  .kernel k\n   bat\n}\n",
       "warpwait: b.wwtt:6:2: unknown operation 'bat'; did you mean 'bar'?"},
      {"wwtt 1\nmeta program0 assembly {\n  file k.wws\n  lines 0:1\n  code\n}\n",
       "warpwait: b.wwtt:4: expected SOURCE:LINE*N or SOURCE:LINE:COLUMN*N, with a source from above, a column "
       "below 65536 and no more instructions than there are"},
      {"wwtt 1\nmeta program0 assembly {\n  file k.wws\n  lines 0:1:65536*1\n  code\n}\n",
       "warpwait: b.wwtt:4: expected SOURCE:LINE*N or SOURCE:LINE:COLUMN*N, with a source from above, a column "
       "below 65536 and no more instructions than there are"},
      {"wwtt 1\nmeta program0 assembly {\n  file k.wws\n  lines 0:1*7\n  code\n  .kernel k\n   exit\n}\n",
       "warpwait: b.wwtt:6: 'lines' of the program's head do not cover its instructions"},
      {"wwtt 1\nmeta program0 assembly {\n  file k.wws\n  |text\n  code\n}\n",
       "warpwait: b.wwtt:4: a source's line without a 'source' before it"},
      {"wwtt 1\nmeta program0 assembly {\n  file k.wws\n  exit\n}\n",
       "warpwait: b.wwtt:4: does not belong in a program's head; legal: file NAME, source NAME, |TEXT, lines "
       "SOURCE:LINE:COLUMN*N, code"},
      {"wwtt 1\nmeta program0 assembly {\n  file k.wws\n}\n",
       "warpwait: b.wwtt:4: the line 'code', which ends a program's head, is missing"},
      {"wwtt 1\njob {\n  {\"launches\": 3}\n}\n", "warpwait: b.wwtt:3: launches: is not a list, [ ... ]"},
      {"wwtt 1\nassembly {\n  .kernel k\n   exit\n}\njob {\n  {\"launches\": [{\"kernel\": \"l\"}]}\n}\n",
       "warpwait: b.wwtt:7: launches[0].kernel: no kernel 'l' in kernel.wws; legal: k"},
      {"wwtt 1\njob {\n  {\"program\": \"none.wws\", \"launches\": []}\n}\n",
       "warpwait: b.wwtt:3: program: none.wws: No such file or directory"},
      {"wwtt 1\ngrop\n",
       "warpwait: b.wwtt:2: field 'line': 'grop' is not one of them; legal: meta program launch group "
       "warp note repeat } assembly job"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    folder();
    tool_file("b.wwtt", bad[i].text);
    ct_freed(outcome_free) struct outcome outcome = tool("trace convert b.wwtt b.wwt");
    char stranger[64];
    outcome.err[strcspn(outcome.err, "\n")] = '\0';
    EXPECT_STREQ(outcome.err, bad[i].message);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(tool_strangers(stranger, sizeof stranger), 0);
  }
}

TEST(convert, a_failed_conversion_leaves_the_output_unchanged) {
  folder();
  tool_file("h.wwtt", by_hand);
  expect("trace convert h.wwtt h.wwt", 0, "");
  tool_file("h.wwtt", "wwtt 1\ngroup\n");
  expect("trace convert h.wwtt h.wwt", 2, "warpwait: h.wwtt:2: a work-group needs a launch before it\n");
  expect("trace validate h.wwt", 0, "");
  tool_file("h.wwtt", "as it was");
  expect("trace convert h.wwt no/h.wwtt", 2, "warpwait: no/h.wwtt: cannot be written: No such file or directory\n");
  tool_file("t.wwt", "\x89WWT\r\n\x1a\nand no more");
  ct_freed(outcome_free) struct outcome outcome = tool("trace convert t.wwt h.wwtt");
  EXPECT_EQ(outcome.status, 2);
  ct_freed(ct_free) char *text = tool_read("h.wwtt");
  EXPECT_STREQ(text, "as it was");
}

TEST(convert, the_input_and_the_output_suffix_choose_the_conversion) {
  folder();
  tool_file("h.wwtt", by_hand);
  expect("trace convert h.wwtt h.wwt", 0, "");
  expect("trace convert h.wwt h.csv", 2,
         "warpwait: h.wwt: is a trace, which cannot be converted to 'h.csv'; legal: .wwtt\n");
  expect("trace convert h.wwtt i.wwtt", 2,
         "warpwait: h.wwtt: is the text of a trace, which cannot be converted to 'i.wwtt'; legal: .wwt\n");
  expect("trace convert l.json l.wwt", 2, "warpwait: l.json: is not a trace, the text of one, or a timeline\n");
  expect("trace convert none.wwt l.wwtt", 2, "warpwait: none.wwt: cannot be read: No such file or directory\n");
  expect("trace convert h.wwt", 2, "warpwait: an input and an output are needed; --help says more\n");
  expect("trace convert h.wwt a.wwtt b.wwtt", 2, "warpwait: b.wwtt: only an input and an output are allowed\n");
  tool_file("text.wwt", by_hand);
  expect("trace convert text.wwt text.wwt", 2, "warpwait: text.wwt: is also the input\n");
}
