/* Recording and replaying on the command line: results, refusals and their reasons. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/cli/fixture.h"
#include "tests/cli/tool.h"
#include "tests/ct.h"

static const char kernels[] =
    ".kernel spin\n.pred c\nagain: bra again\n exit\n"
    ".kernel stuck\n.reg i\n.pred c\n get.local_id i, x\n setp.ge.u32 c, i, 32\n@c bra out\n bar\n"
    "out: exit\n"
    ".kernel clock\n.reg64 t\n.pred c\n get.clock t\n setp.eq.u64 c, t, 0\n@c exit\n exit\n"
    ".kernel end\n exit\n";

static const char printing[] = "kernel void k(void) {\n"
                               "  printf(\"%d of %s\\n\", (int)get_global_id(0), \"a few\");\n"
                               "  if (get_global_id(0) == 1)\n"
                               "    printf(\"%c%c%c\", 'a', 0, 'b');\n"
                               "}\n";

/* Records with these options and replays: both must print and write the same. */
static void expect_same(const char *run, const char *options) {
  char command[600];
  snprintf(command, sizeof command, "run %s %s --trace t.wwt", run, options);
  ct_freed(outcome_free) struct outcome ran = tool(command);
  snprintf(command, sizeof command, "replay t.wwt %s", options);
  ct_freed(outcome_free) struct outcome replayed = tool(command);
  ct_note("%s, with %s", run, options);
  EXPECT_EQ(replayed.status, ran.status);
  EXPECT_STREQ(replayed.out, ran.out);
  EXPECT_STREQ(replayed.err, ran.err);
}

static void expect(const char *arguments, int status, const char *err) {
  ct_freed(outcome_free) struct outcome outcome = tool(arguments);
  ct_note("warpwait %s", arguments);
  EXPECT_EQ(outcome.status, status);
  EXPECT_CONTAINS(outcome.err, err);
  EXPECT_TRUE(!*outcome.err || strchr(outcome.err, '\n') == outcome.err + strlen(outcome.err) - 1);
}

static void folder(void) {
  char text[1000];
  fixture_folder();
  tool_file("all.wws", kernels);
  snprintf(text, sizeof text, fixture_launch, ", \"set\": {\"dma.channels\": 2}");
  tool_file("l.json", text);
}

TEST(replays, a_replay_reports_what_the_run_reported) {
  static const char *const forms[] = {
      "", "--report json", "--annotate", "--machine h200 --set cu.count=2", "--host plain --report json", "--out o"};
  folder();
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
    expect_same("l.json", forms[i]);
}

TEST(replays, deadlocks_and_limits_are_replayed_too) {
  folder();
  expect_same("all.wws --kernel stuck --global 64 --local 64", "");
  expect_same("all.wws --kernel spin --global 64 --local 64", "--max-cycles 1000 --report json");
}

TEST(replays, the_machine_and_the_limit_default_to_the_recordings) {
  folder();
  expect("run all.wws --kernel spin --global 64 --local 64 --machine h200 --set cu.schedulers=2 --max-cycles 1000 "
         "--out a "
         "--trace t.wwt",
         1, "not finished after 1000 cycles");
  expect("replay t.wwt --out b", 1, "not finished after 1000 cycles");
  char *a = tool_read("a"), *b = tool_read("b");
  EXPECT_STREQ(b, a);
  free(a);
  free(b);
}

TEST(replays, output_of_work_items_is_in_the_trace) {
  tool_folder();
  tool_file("kernel.cl", printing);
  expect_same("kernel.cl --global 3 --local 3", "");
  expect_same("kernel.cl --global 3 --local 3", "--report json");
}

TEST(replays, a_replay_beyond_the_recording_reports_where_it_ends) {
  folder();
  expect("run all.wws --kernel spin --global 64 --local 64 --max-cycles 1000 --trace t.wwt --out o", 1, "");
  expect("replay t.wwt --max-cycles 2000", 1,
         "launch 1, work-group (0, 0, 0), warp 0: the recording ends here, but the replay does not");
}

TEST(replays, machines_on_which_the_run_would_differ_are_refused) {
  folder();
  expect("run l.json --trace t.wwt --out o", 0, "");
  expect("replay t.wwt --set cu.warp_size=64", 2,
         "launch 1: was recorded with warps of 32 lanes, but cu.warp_size is 64; record on this machine, or set "
         "cu.warp_size=32");
  expect("replay t.wwt --machine dsp", 2, "but cu.warp_size is 16; record on this machine, or set cu.warp_size=32");
  expect("replay t.wwt --machine dsp --set cu.warp_size=32", 0, "");
  expect("replay t.wwt --set cu.warps=1", 2, "outside [1, 32] work-items of a work-group (cu.warps x cu.warp_size)");
  expect("replay t.wwt --set cu.group_size=63", 2,
         "64 x 1 x 1 is outside [1, 63] work-items of a work-group (cu.group_size)");
  expect("replay t.wwt --set cu.group_size=64", 0, "");
  expect("replay t.wwt --set cu.registers=1K", 0, "");
  expect("replay t.wwt --set lds.nothing=1", 2, "--set: ");
  expect("replay t.wwt --machine nothing", 2, "--machine: no machine 'nothing'");
  expect("run all.wws --kernel end --global 256 --trace t.wwt --out o", 0, "");
  expect("replay t.wwt", 0, "");
  expect("replay t.wwt --set cu.warps=2", 2, "work-groups of 128 x 1 x 1 were chosen for the recording's machine");
}

TEST(replays, a_report_suggests_a_replay_on_h200_only_where_that_is_possible) {
  folder();
  expect("run l.json --trace t.wwt --out o", 0, "");
  expect("run l.json --machine dsp --trace d.wwt --out d", 0, "");
  struct outcome run = tool("run l.json --machine dsp"), fits = tool("replay t.wwt"), lacks = tool("replay d.wwt");
  EXPECT_CONTAINS(run.out, "models no real GPU; try --machine h200.");
  EXPECT_CONTAINS(fits.out, "models no real GPU; try --machine h200.");
  EXPECT_CONTAINS(lacks.out, "models no real GPU; record with --machine h200.");
  outcome_free(&run);
  outcome_free(&fits);
  outcome_free(&lacks);
  expect("replay t.wwt --machine h200", 0, "");
  expect("replay d.wwt --machine h200", 2, "record on this machine");
}

TEST(replays, a_kernel_that_depends_on_time_is_reported) {
  folder();
  expect("run all.wws --kernel clock --global 64 --local 64 --trace t.wwt --out o", 0, "");
  expect("replay t.wwt --out p", 0,
         "launch 1, kernel 'clock', depends on time: all.wws:16: what it reads of the clock");
  ct_freed(outcome_free) struct outcome info = tool("trace info t.wwt");
  EXPECT_CONTAINS(info.out, "depends on time  launch 1, all.wws:16: what it reads of the clock");
}

TEST(replays, a_parameter_that_changes_bytes_that_steer_a_kernel_is_reported) {
  static const char copying[] = ".kernel goes\n.arg a global\n.lds t 1024\n.reg e, v\n.reg64 p\n.pred c\n"
                                " ld.arg.b64 p, a\n copy.to_lds e, [t], [p], 256, size=4\n wait e\n ld.lds.b32 v, [t]\n"
                                " setp.eq.u32 c, v, 7\n@c exit\n exit\n";
  fixture_folder();
  tool_file("copy.wws", copying);
  expect("run copy.wws --global 32 --local 32 --arg buffer:b=1024 --trace t.wwt --out o", 0, "");
  expect("replay t.wwt --set dma.setup=1 --out o", 0, "");
  expect("replay t.wwt --set dma.swizzle=32 --out o", 0, "dma.swizzle differs from the recording");
}

TEST(replays, damaged_traces_and_other_files_are_reported_in_one_line) {
  folder();
  expect("replay nothing.wwt", 2, "nothing.wwt");
  expect("replay l.json", 2, "l.json");
  expect("replay", 2, "a trace is missing");
  expect("replay a.wwt b.wwt", 2, "only one trace is allowed");
  expect("trace", 2, "a verb is missing");
  expect("trace info", 2, "a trace is missing");
  expect("trace show t.wwt", 2, "no verb 'show'; legal: info, ");
  expect("trace inf t.wwt", 2, "no verb 'inf'; did you mean 'info'?");
  expect("run l.json --trace /nowhere/t.wwt", 2, "--trace: ");
  expect("run l.json --trace t.wwt --out o", 0, "");
  expect("trace validate t.wwt", 0, "");
  ct_freed(ct_free) char *bytes = tool_read("t.wwt");
  tool_bytes("cut.wwt", bytes, 200);
  expect("replay cut.wwt", 2, "cut.wwt");
  expect("trace validate cut.wwt", 2, "cut.wwt");
}

TEST(replays, head_shows_a_warps_first_operations) {
  folder();
  expect("run l.json --trace t.wwt --out o", 0, "");
  struct outcome head = tool("trace head t.wwt -n 4");
  EXPECT_EQ(head.status, 0);
  EXPECT_CONTAINS(head.out, "3  ffffffff  kernel.wws:10        ld.global.b32  r1, [r2]  address=0x100000000+4*lane\n");
  outcome_free(&head);
  tool_file("lines.wwtt",
            "wwtt 1\nassembly {\n  .kernel k\n  .reg v, at\n  .lds tile 4096\n    ld.lds.b32 v, [at]\n    exit\n}\n"
            "job {\n  {\"launches\": [{\"kernel\": \"k\", \"global\": [32], \"local\": [32]}]}\n}\ngroup\nwarp 0\n"
            "0 address=4*lane\n0 address=256-4*lane\n0 mask=4 address=[8]\n0 mask=7 address=[8 0 64]\n1 mask=7 done\n");
  expect("trace convert lines.wwtt lines.wwt", 0, "");
  head = tool("trace head lines.wwt");
  EXPECT_CONTAINS(head.out, "  address=4*lane\n");
  EXPECT_CONTAINS(head.out, "  address=256-4*lane\n");
  EXPECT_CONTAINS(head.out, "  address=8\n");
  EXPECT_CONTAINS(head.out, "  address=[8 ...]\n");
  outcome_free(&head);
  expect("trace head t.wwt --warp 2", 2, "has no warp 2 of work-group 0 of launch 1");
}
