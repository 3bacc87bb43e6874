/* Traces made from parts of others: how they replay, and what is refused. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/cli/fixture.h"
#include "tests/cli/tool.h"
#include "tests/ct.h"

#define LAUNCH(KERNEL, SHAPE)                                                                                          \
  "{\"kernel\": \"" KERNEL "\", " SHAPE ", \"local\": [64], \"args\": [{\"buffer\": \"data\"}, {\"uint\": 5}, "        \
  "{\"local\": 64}]}"
#define ALL "\"global\": [1024]"
#define SOME "\"global\": [256], \"offset\": [256]"
#define AND ", "

/* A replay must depend on more than one launch's shape. */
static const char kernels[] = ".kernel plus\n.arg data global\n.arg add u32\n.arg room local\n.reg i, v\n.reg64 p\n"
                              "  ld.arg.b64 p, data\n  get.global_id i, x\n  mad.wide.u32 p, i, 4, p\n"
                              "  ld.global.b32 v, [p]\n  add.i32 v, v, i\n  st.global.b32 [p], v\n  exit\n"
                              ".kernel apart\n.arg data global\n.arg add u32\n.arg room local\n.reg i, v\n.reg64 p\n"
                              "  ld.arg.b64 p, data\n  get.global_id i, x\n  mad.wide.u32 p, i, 4, p\n"
                              "  st.global.b32 [p], i\n  bar\n  st.lds.b32 [room], i\n  exit\n";

static void launch_file(const char *name, const char *buffer, const char *launches) {
  char text[2000];
  snprintf(text, sizeof text,
           "{\"name\": \"both\", \"program\": \"kernels.wws\", \"buffers\": {\"%s\": {\"bytes\": 4096}}, \"launches\": "
           "[%s]}",
           buffer, launches);
  tool_file(name, text);
}

static void folder(void) {
  tool_folder();
  tool_file("kernels.wws", kernels);
  launch_file("both.json", "data", LAUNCH("plus", ALL) AND LAUNCH("apart", ALL) AND LAUNCH("plus", ALL));
}

static void expect(const char *arguments, int status, const char *err) {
  ct_freed(outcome_free) struct outcome outcome = tool(arguments);
  ct_note("warpwait %s", arguments);
  EXPECT_EQ(outcome.status, status);
  EXPECT_CONTAINS(outcome.err, err);
  EXPECT_TRUE(!*outcome.err == (status == 0));
  EXPECT_TRUE(!*outcome.err || strchr(outcome.err, '\n') == outcome.err + strlen(outcome.err) - 1);
}

static void expect_equal(const char *a, const char *b) {
  char *of_a = tool_read(a), *of_b = tool_read(b);
  EXPECT_TRUE(of_a && *of_a);
  EXPECT_STREQ(of_a, of_b);
  free(of_a);
  free(of_b);
}

/* The first launch of a JSON report, without the keys that say which part of an NDRange it is. */
static json_t *launch_of(const char *report, size_t number) {
  static const char *const shape[] = {"global", "offset", "first_work_group"};
  ct_freed(ct_free) char *text = tool_read(report);
  json_t *root = json_loads(text, 0, NULL);
  json_t *launch = json_incref(json_array_get(json_object_get(root, "launches"), number));
  for (size_t i = 0; i < sizeof shape / sizeof *shape; i++)
    json_object_del(launch, shape[i]);
  json_decref(root);
  return launch;
}

TEST(slices, a_slice_of_everything_equals_the_trace) {
  folder();
  expect("run both.json --trace t.wwt --report json --out run", 0, "");
  expect("trace slice t.wwt -o s.wwt", 0, "");
  expect("trace validate s.wwt", 0, "");
  expect("trace diff t.wwt s.wwt", 0, "");
  expect("replay s.wwt --report json --out replayed", 0, "");
  expect_equal("run", "replayed");
}

TEST(slices, a_single_launch_replays_like_a_run_of_it_alone) {
  folder();
  launch_file("second.json", "data", LAUNCH("apart", ALL));
  expect("run both.json --trace t.wwt --out o", 0, "");
  expect("run second.json --report json --out run", 0, "");
  expect("trace slice t.wwt --launch 2 -o s.wwt", 0, "");
  expect("replay s.wwt --report json --out replayed", 0, "");
  expect_equal("run", "replayed");
}

/* With an offset, a smaller NDRange has the same global ids, and this kernel uses no other ids. */
TEST(slices, selected_work_groups_replay_like_a_run_of_them_alone) {
  folder();
  launch_file("all.json", "data", LAUNCH("plus", ALL));
  launch_file("some.json", "data", LAUNCH("plus", SOME));
  expect("run all.json --trace t.wwt --out o --set cu.count=2", 0, "");
  expect("run some.json --report json --out run --set cu.count=2", 0, "");
  expect("trace slice t.wwt --group 2-9 -o wide.wwt", 0, "");
  expect("trace slice wide.wwt --group 4-7 -o s.wwt", 0, "");
  expect("trace validate s.wwt", 0, "");
  expect("replay s.wwt --report json --out replayed", 0, "");
  json_t *run = launch_of("run", 0), *replayed = launch_of("replayed", 0);
  EXPECT_EQ(json_integer_value(json_object_get(replayed, "work_groups")), 4);
  EXPECT_TRUE(json_equal(run, replayed));
  json_decref(run);
  json_decref(replayed);
  ct_freed(outcome_free) struct outcome text = tool("replay s.wwt");
  EXPECT_CONTAINS(text.out, "NDRange        1,024 work-items in groups of 64: 4 work-groups, starting at number 4\n");
}

/* One CU with room for four of these groups at once: the first four begin within the window. */
TEST(slices, a_time_window_contains_the_groups_that_began_in_it) {
  folder();
  launch_file("all.json", "data", LAUNCH("plus", ALL));
  expect("run all.json --trace t.wwt --out o --set cu.groups=4", 0, "");
  expect("trace slice t.wwt --to 40 -o s.wwt", 0, "");
  expect("trace slice t.wwt --from 40 -o rest.wwt", 0, "");
  struct outcome first = tool("replay s.wwt"), rest = tool("replay rest.wwt");
  EXPECT_CONTAINS(first.out, ": 4 work-groups, starting at number 0\n");
  EXPECT_CONTAINS(rest.out, ": 12 work-groups, starting at number 4\n");
  outcome_free(&first);
  outcome_free(&rest);
  expect("trace slice t.wwt --from 40 --to 40 -o none.wwt", 2, "--to: 40 is not after --from, 40");
  EXPECT_FALSE(tool_exists("none.wwt"));
}

/* Unpredictable addresses, so that a work-group has several batches, which begin one after the other. */
static const char wild[] = ".kernel wild\n.arg data global\n.reg i, r, n\n.reg64 p, q\n.pred c\n"
                           "  ld.arg.b64 p, data\n  get.global_id i, x\n  mov.b32 r, 400\n"
                           "again:\n  mul.i32 i, i, 1664525\n  add.i32 i, i, 1013904223\n  shr.u32 n, i, 20\n"
                           "  mad.wide.u32 q, n, 4, p\n  ld.global.b32 n, [q]\n  sub.i32 r, r, 1\n"
                           "  setp.ne.u32 c, r, 0\n@c bra again\n  exit\n";

TEST(slices, a_group_with_several_batches_began_with_the_first) {
  tool_folder();
  tool_file("wild.wws", wild);
  expect("run wild.wws --global 64 --local 64 --arg buffer:data=16384 --trace t.wwt --out o", 0, "");
  ct_freed(outcome_free) struct outcome info = tool("trace info t.wwt --json");
  json_t *root = json_loads(info.out, 0, NULL);
  EXPECT_GT(json_integer_value(json_object_get(root, "raw_bytes")), 2 * (16 << 10));
  json_decref(root);
  expect("trace slice t.wwt --from 1000 -o s.wwt", 2, "t.wwt: has none of these work-groups");
  expect("trace slice t.wwt --to 1000 -o s.wwt", 0, "");
}

TEST(slices, merged_slices_of_launches_equal_the_whole) {
  folder();
  expect("run both.json --trace t.wwt --out run", 0, "");
  expect("trace slice t.wwt --launch 1 -o a.wwt", 0, "");
  expect("trace slice t.wwt --launch 2-3 -o b.wwt", 0, "");
  expect("trace merge a.wwt b.wwt -o m.wwt", 0, "");
  expect("trace validate m.wwt", 0, "");
  expect("trace diff t.wwt m.wwt --time", 0, "");
  expect("replay m.wwt --out replayed", 0, "");
  expect_equal("run", "replayed");
}

static json_int_t dram_bytes(const char *report, size_t number) {
  json_t *launch = launch_of(report, number);
  const json_int_t bytes = json_integer_value(json_object_get(json_object_get(launch, "memory"), "dram_bytes"));
  json_decref(launch);
  return bytes;
}

/* The second launch finds in the L2 what the first has left there, if they use the same buffer. */
TEST(slices, buffers_of_merged_traces_are_shared_or_separate) {
  folder();
  launch_file("a.json", "data", LAUNCH("plus", ALL));
  launch_file("b.json", "data", LAUNCH("plus", ALL) AND LAUNCH("plus", ALL));
  expect("run a.json --trace a.wwt --report json --out one", 0, "");
  expect("run b.json --report json --out run", 0, "");
  expect("trace merge a.wwt a.wwt -o m.wwt", 0, "");
  expect("replay m.wwt --report json --out shared", 0, "");
  expect_equal("run", "shared");
  expect("trace merge a.wwt a.wwt --memory apart -o m.wwt", 0, "");
  expect("replay m.wwt --report json --out apart", 0, "");
  EXPECT_EQ(dram_bytes("apart", 1), dram_bytes("one", 0));
  EXPECT_EQ(dram_bytes("shared", 1), 0);
  expect("trace merge a.wwt a.wwt --memory mine -o m.wwt", 2, "--memory: 'mine' is not one of: shared apart");
}

TEST(slices, merged_traces_can_run_concurrently) {
  folder();
  launch_file("a.json", "data", LAUNCH("plus", ALL));
  tool_file("b.json", "{\"program\": \"kernels.wws\", \"buffers\": {\"data\": {\"bytes\": 4096}, \"more\": {\"bytes\": "
                      "64}}, \"launches\": [" LAUNCH("apart", ALL) "]}");
  expect("run a.json --trace a.wwt --report json --out first", 0, "");
  expect("run b.json --trace b.wwt --report json --out second", 0, "");
  expect("trace merge --together a.wwt b.wwt -o m.wwt", 0, "");
  ct_freed(outcome_free) struct outcome text = tool("replay m.wwt");
  EXPECT_CONTAINS(text.out, "together       with launch 2, apart: ");
  expect("replay m.wwt --report json --out both", 0, "");
  EXPECT_EQ(dram_bytes("both", 0), dram_bytes("first", 0) + dram_bytes("second", 0));
  expect("trace merge a.wwt b.wwt --memory shared -o n.wwt", 2,
         "--memory: the buffers of b.wwt differ from those of a.wwt");
  expect("trace merge --together m.wwt m.wwt m.wwt m.wwt m.wwt m.wwt m.wwt m.wwt m.wwt -o n.wwt", 2,
         "--together: 18 launches would run at once");
  expect("trace slice m.wwt --launch 2 -o s.wwt", 0, "");
  expect("replay s.wwt --report json --out alone", 0, "");
  EXPECT_EQ(dram_bytes("alone", 0), dram_bytes("second", 0));
}

TEST(slices, impossible_slices_are_refused_and_leave_no_file) {
  folder();
  launch_file("a.json", "data", LAUNCH("plus", ALL));
  expect("run a.json --trace t.wwt --out o", 0, "");
  expect("run a.json --trace wide.wwt --out o --set cu.warp_size=64", 0, "");
  expect("trace merge t.wwt wide.wwt -o s.wwt", 2, "wide.wwt: has warps of 64 lanes, but t.wwt of 32");
  expect("run a.json --trace more.wwt --out o --set dma.channels=3", 0, "");
  ct_freed(outcome_free) struct outcome told = tool("trace merge t.wwt more.wwt -o m.wwt");
  EXPECT_EQ(told.status, 0);
  EXPECT_STREQ(told.err, "warpwait: more.wwt: was recorded on another machine than t.wwt; the latter's machine "
                         "'teaching' is kept\n");
  expect("trace merge t.wwt -o s.wwt", 2, "traces are missing");
  expect("trace merge t.wwt nothing.wwt -o s.wwt", 2, "nothing.wwt");
  expect("trace slice t.wwt", 2, "-o FILE is missing");
  expect("trace slice t.wwt -o s.wwt --launch 2", 2, "t.wwt: has none of these work-groups");
  expect("trace slice t.wwt -o s.wwt --group 16-20", 2, "it has launches 1 to 1, work-groups 0 to 15\n");
  expect("trace slice t.wwt -o s.wwt --group 3-2", 2, "--group: '3-2' ends before it begins");
  expect("trace slice t.wwt -o s.wwt --group x", 2, "--group: 'x' is not a whole number");
  expect("trace slice t.wwt -o s.wwt --group -1", 2,
         "--group: '-1' is not a whole number in [0, 4294967295], or a range");
  expect("trace slice t.wwt -o s.wwt --launch 1-", 2, "--launch: '1-' is not a whole number in [1, 4294967295], or a");
  expect("trace slice t.wwt -o s.wwt --from then", 2,
         "--from: 'then' is not a whole number in [0, 18446744073709551615] cycles");
  expect("trace slice t.wwt -o /nowhere/s.wwt", 2, "/nowhere/s.wwt: cannot be written");
  expect("trace slice t.wwt -o .", 2, ".: cannot be written");
  EXPECT_FALSE(tool_exists("s.wwt"));
}

static const char pipes[] = "kernel void put(write_only pipe uint p) { uint x = 1; write_pipe(p, &x); }\n"
                            "kernel void take(read_only pipe uint p) { uint x; read_pipe(p, &x); }\n";

TEST(slices, packets_in_pipes_are_not_cut_away) {
  tool_folder();
  tool_file("k.cl", pipes);
  tool_file("l.json", "{\"program\": \"k.cl\", \"pipes\": {\"p\": {\"packet_size\": 4, \"max_packets\": 64}}, "
                      "\"launches\": [{\"kernel\": \"put\", \"global\": [64], \"args\": [{\"pipe\": \"p\"}]}, "
                      "{\"kernel\": \"take\", \"global\": [64], \"args\": [{\"pipe\": \"p\"}]}]}");
  expect("run l.json --trace t.wwt --out o", 0, "");
  expect("trace slice t.wwt --launch 1 -o a.wwt", 0, "");
  expect("trace slice t.wwt --launch 2 -o b.wwt", 2, "t.wwt: has pipes or channels, which keep packets");
  expect("trace merge a.wwt t.wwt -o m.wwt", 2, "t.wwt: has pipes or channels, which only the first trace may have");
  tool_file("k.cl", "#pragma OPENCL EXTENSION cl_intel_channels : enable\nchannel int c;\n"
                    "kernel void put(void) { write_channel_intel(c, 5); }\n"
                    "kernel void take(void) { read_channel_intel(c); }\n");
  tool_file("l.json", "{\"program\": \"k.cl\", \"launches\": [{\"kernel\": \"put\", \"global\": [1]}, "
                      "{\"kernel\": \"take\", \"global\": [1]}]}");
  expect("run l.json --trace t.wwt --out o", 0, "");
  expect("trace slice t.wwt --launch 1 -o a.wwt", 0, "");
  expect("trace slice t.wwt --launch 2 -o b.wwt", 2, "t.wwt: has pipes or channels, which keep packets");
  expect("trace merge a.wwt t.wwt -o m.wwt", 2, "t.wwt: has pipes or channels, which only the first trace may have");
}
