/* Comparing traces: the report of the first difference, and the exit status. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/cli/tool.h"
#include "tests/ct.h"
#include "tests/kernels.h"

/* Work-item i of two work-groups reads element `step` * i if i is below `limit`, and copies as many bytes. */

static void record(const char *name, const char *step, const char *limit, const char *more) {
  char command[300];
  snprintf(command, sizeof command,
           "run hop.wws --global 128 --local 64 --arg buffer:data=4096 --arg uint:%s --arg uint:%s --arg local:1024 "
           "--out o --trace %s %s",
           step, limit, name, more);
  ct_freed(outcome_free) struct outcome outcome = tool(command);
  ct_note("%s: %s", command, outcome.err);
  EXPECT_EQ(outcome.status, 0);
}

static void folder(void) {
  tool_folder();
  tool_file("hop.wws", CT_KERNEL(kernel));
  record("a.wwt", "1", "128", "");
}

/* The output equals `out`, or begins with it if `out` ends with "...". */
static void expect(const char *arguments, int status, const char *out) {
  ct_freed(outcome_free) struct outcome outcome = tool(arguments);
  const size_t length = strlen(out);
  ct_note("warpwait %s: %s", arguments, outcome.err);
  EXPECT_EQ(outcome.status, status);
  if (length > 3 && strcmp(out + length - 3, "...") == 0 && strlen(outcome.out) >= length - 3)
    strcpy(outcome.out + length - 3, "...");
  EXPECT_STREQ(outcome.out, out);
}

TEST(diffs, equal_traces_produce_no_output) {
  folder();
  record("b.wwt", "1", "128", "");
  expect("trace diff a.wwt b.wwt", 0, "");
  expect("trace diff a.wwt b.wwt --all --time", 0, "");
}

TEST(diffs, a_different_address_is_reported_with_its_lane_and_the_operations_before) {
  folder();
  record("b.wwt", "2", "128", "");
  expect("trace diff a.wwt b.wwt --context 1", 1,
         "launch 1, work-group 0, warp 0, operation 8, pc 8, hop.wws:17, address of lane 1: 0x100000004 | 0x100000008\n"
         "         7       7  ffffffff  hop.wws:16           mad.wide.u32   r3, r1, 4, r3\n"
         "         8       8  ffffffff  hop.wws:17           ld.global.b32  r1, [r3]\n");
}

TEST(diffs, a_warp_on_another_path_is_reported_by_its_lanes) {
  folder();
  record("b.wwt", "1", "96", "");
  expect("trace diff a.wwt b.wwt --context 0", 1,
         "launch 1, work-group 1, warp 1, operation 4, pc 4, hop.wws:13, mask: 0 | ffffffff\n"
         "         4       4  00000000  hop.wws:13           @p0     bra            L10, join=L10\n");
}

/* Lane 0 reads element 0 in both, so warps first differ in lane 1, except for the copies of groups. */
TEST(diffs, all_lists_one_difference_for_each_warp) {
  folder();
  record("b.wwt", "2", "128", "");
  struct outcome all = tool("trace diff a.wwt b.wwt --all --context 0"), two = tool("trace diff a.wwt b.wwt -n 2");
  size_t lines = 0;
  for (const char *at = all.out; (at = strstr(at, "address of lane ")); at++)
    lines++;
  EXPECT_EQ(lines, 4);
  EXPECT_CONTAINS(all.out, "work-group 1, warp 1, ");
  EXPECT_CONTAINS(two.out, "work-group 0, warp 1, ");
  EXPECT_TRUE(!strstr(two.out, "work-group 1, warp 0, "));
  outcome_free(&all);
  outcome_free(&two);
}

TEST(diffs, a_different_field_of_a_copy_is_named) {
  folder();
  record("a.wwt", "1", "0", "");
  record("b.wwt", "2", "0", "");
  expect("trace diff a.wwt b.wwt --context 0", 1,
         "launch 1, work-group 0, warp 0, operation 8, pc 13, hop.wws:23, elements: 1 | 2\n...");
}

TEST(diffs, machines_are_compared_by_parameter_and_time_only_on_request) {
  folder();
  record("b.wwt", "1", "128", "--set mem.link_latency=99 --set lds.latency=77");
  expect("trace diff a.wwt b.wwt", 1, "machine, lds.latency: ...");
  expect("trace diff a.wwt b.wwt --any-machine", 0, "");
  expect("trace diff a.wwt b.wwt --any-machine --time", 1, "launch 1, work-group 0, batch to cycle ...");
}

TEST(diffs, different_programs_and_launches_are_reported) {
  folder();
  tool_file("other.wws", CT_KERNEL(kernel));
  expect(
      "run hop.wws --global 64 --local 64 --arg buffer:data=4096 --arg uint:1 --arg uint:128 --arg local:1024 --out o "
      "--trace b.wwt",
      0, "");
  expect("trace diff a.wwt b.wwt", 1,
         "launch 1, work-items: 128 x 1 x 1 | 64 x 1 x 1\n"
         "launches: 1 more; --all shows them\n"
         "launch 1, work-group 1, warps: 2 | 0\n");
  char *text = strdup(CT_KERNEL(kernel)), *at = strstr(text, "mul.i32");
  memcpy(at, "add.i32", 7);
  tool_file("hop.wws", text);
  free(text);
  record("b.wwt", "1", "128", "");
  expect("trace diff a.wwt b.wwt --context 0", 1,
         "program 1, instruction 6, hop.wws:15, instruction: mul.i32        r1, r1, r0 | add.i32        r1, r1, r0\n"
         "launch 1, work-group 0, warp 0, operation 8, ...");
}

TEST(diffs, warps_of_different_sizes_are_reported_and_not_compared) {
  folder();
  record("b.wwt", "1", "128", "--set cu.warp_size=64");
  ct_freed(outcome_free) struct outcome outcome = tool("trace diff a.wwt b.wwt --any-machine --all");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_CONTAINS(outcome.out, "launch 1, lanes of a warp: 32 | 64\n");
  EXPECT_TRUE(!strstr(outcome.out, "operation "));
}

TEST(diffs, bad_input_is_not_reported_as_a_difference) {
  folder();
  expect("trace diff a.wwt", 2, "");
  expect("trace diff a.wwt nothing.wwt", 2, "");
  expect("trace diff a.wwt a.wwt a.wwt", 2, "");
  expect("trace diff a.wwt a.wwt --context 65", 2, "");
  ct_freed(ct_free) char *bytes = tool_read("hop.wws");
  tool_bytes("cut.wwt", bytes, 10);
  expect("trace diff cut.wwt a.wwt", 2, "");
}
