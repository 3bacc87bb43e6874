/* Launches that reach the cycle limit: the message says which lanes poll what, and who waits for them. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/cli/fixture.h"
#include "tests/cli/tool.h"
#include "tests/ct.h"
#include "tests/kernels.h"

#define LIMIT " --max-cycles 30000"

/* Runs a kernel to the limit; the rest of the message must be this. */
static void expect_polls(const char *options, const char *wanted) {
  char command[300], line[600];
  tool_folder();
  tool_file("k.cl", CT_KERNEL(kernels));
  snprintf(command, sizeof command, "run k.cl --kernel %s" LIMIT, options);
  ct_freed(outcome_free) struct outcome outcome = tool(command);
  ct_note("%s", command);
  EXPECT_EQ(outcome.status, 1);
  snprintf(line, sizeof line, "warpwait: launch 1, kernel '%.*s': not finished after 30000 cycles (--max-cycles)%s%s\n",
           (int)strcspn(options, " "), options, *wanted ? ": " : "", wanted);
  EXPECT_STREQ(outcome.err, line);
  EXPECT_CONTAINS(outcome.out,
                  *wanted ? "Stopped at the cycle limit: lane" : "Stopped at the cycle limit: the figures");
}

#define ONE " --global 32 --local 32 "
#define TWO " --global 64 --local 64 "
#define GLOBALS(name) "--arg buffer:" name "=256:int --arg buffer:out=256:int"

TEST(polls, a_lock_that_a_lane_of_the_same_warp_holds_is_named_with_its_holder) {
  expect_polls("lock" ONE GLOBALS("lock"),
               "lanes 1-31 of warp 0 poll byte 0 of 'lock'; work-item 0, which holds it, waits for them to reconverge");
  expect_polls(
      "lock --global 4096 --local 64 " GLOBALS("lock"),
      "lanes 1-31 of warp 0 of work-group (0, 0, 0) poll byte 0 of 'lock'; work-item 0, which holds it, waits for "
      "them to reconverge; 15 more warps poll or wait; 56 work-groups have not started, because none of these "
      "ends");
  expect_polls("here" ONE "--arg buffer:out=4:int",
               "lanes 1-31 of warp 0 poll byte 0 of local 'lock'; work-item 0, which holds it, waits for them to "
               "reconverge");
}

TEST(polls, plain_loads_poll_too) {
  expect_polls("flag" ONE GLOBALS("flag"),
               "lanes 0-31 of warp 0 poll byte 12 of 'flag'; no other warp is left to change it");
  expect_polls("each" TWO GLOBALS("flag"), "lanes 0-31 of warp 0 poll bytes 0 to 127 of 'flag'; 1 more warp polls or "
                                           "waits; no other warp is left to change it");
  expect_polls("given" ONE "--arg local:64 --arg buffer:out=4:int",
               "lanes 0-31 of warp 0 poll byte 4 of local 'room'; no other warp is left to change it");
  expect_polls("twice" ONE GLOBALS("lock"),
               "lanes 1-31 of warp 0 poll byte 8 of 'lock'; work-item 0 waits for them to reconverge");
}

TEST(polls, work_groups_that_have_no_room_are_counted) {
  expect_polls("late --global 4096 --local 64 " GLOBALS("flag"),
               "lanes 0-31 of warp 0 of work-group (0, 0, 0) poll byte 0 of 'flag'; 15 more warps poll or wait; 56 "
               "work-groups have not started, because none of these ends");
}

/* Lanes 0 to 7 have exited. In warp 1, lane 32 polls for the others, which wait for it. */
TEST(polls, exited_lanes_wait_for_nobody) {
  expect_polls("some" TWO GLOBALS("flag"), "lane 0 of warp 1 polls byte 0 of 'flag'; work-items 33-63 wait for it to "
                                           "reconverge; 1 more warp polls or waits");
}

TEST(polls, a_long_launch_that_makes_progress_does_not_poll) { expect_polls("sums" ONE GLOBALS("a"), ""); }

/* Everything but the warning that the kernel depends on time. */
static void expect_same(const char *command, const struct outcome *wanted) {
  ct_freed(outcome_free) struct outcome outcome = tool(command);
  const char *last = strstr(outcome.err, "warpwait: launch 1, kernel 'lock': not finished");
  ct_note("%s", command);
  EXPECT_STREQ(outcome.out, wanted->out);
  EXPECT_STREQ(last ? last : outcome.err, wanted->err);
}

TEST(polls, all_hosts_orders_and_replays_say_the_same) {
  tool_folder();
  tool_file("k.cl", CT_KERNEL(kernels));
#define RUN "run k.cl --kernel lock --global 4096 --local 64 --set cu.count=5 " GLOBALS("lock") LIMIT
  ct_freed(outcome_free) struct outcome outcome = tool(RUN " --trace t.wwt");
  EXPECT_CONTAINS(outcome.err, "which holds it");
  expect_same(RUN " --order shuffled:7", &outcome);
  expect_same(RUN " --threads 2", &outcome);
  expect_same(RUN " --host systemc", &outcome);
  expect_same("replay t.wwt", &outcome);
}

TEST(polls, the_json_report_has_lanes_bytes_and_waiting_work_items) {
  tool_folder();
  tool_file("k.cl", CT_KERNEL(kernels));
  ct_freed(outcome_free) struct outcome outcome =
      tool("run k.cl --kernel here" TWO "--arg buffer:out=4:int --report json" LIMIT);
  json_t *report = json_loads(outcome.out, 0, NULL);
  const json_t *launch = json_array_get(json_object_get(report, "launches"), 0),
               *stuck = json_object_get(launch, "stuck");
  EXPECT_EQ(json_integer_value(json_object_get(launch, "stuck_count")), 2);
  const json_t *poll = NULL, *holder = NULL;
  for (size_t i = 0; i < json_array_size(stuck); i++) {
    poll = json_object_get(json_array_get(stuck, i), "poll");
    holder = json_array_size(json_object_get(poll, "waiting")) ? poll : holder;
  }
  ASSERT_TRUE(holder);
  EXPECT_STREQ(json_string_value(json_object_get(holder, "name")), "lock");
  EXPECT_EQ(json_array_size(json_object_get(holder, "lanes")), 31);
  EXPECT_EQ(json_array_size(json_object_get(holder, "waiting")), 1);
  EXPECT_EQ(json_integer_value(json_object_get(holder, "offset")), 0);
  EXPECT_EQ(json_integer_value(json_object_get(holder, "bytes")), 4);
  EXPECT_TRUE(json_is_true(json_object_get(holder, "local")) && json_is_true(json_object_get(holder, "exchange")));
  json_decref(report);
}
