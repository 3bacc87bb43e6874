/* Concurrent launches: what launch files may contain, which errors are reported, what reports show. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/cli/tool.h"
#include "tests/ct.h"
#include "tests/kernels.h"

/* Ordinary OpenCL C: a work-item that finds the pipe full or empty tries again. The compiler cannot remove the work. */

#define PUT(PIPE, ITEMS, COUNT, WORK)                                                                                  \
  "{\"kernel\": \"put\", \"global\": [" ITEMS "], \"local\": [1], \"args\": [{\"pipe\": \"" PIPE                       \
  "\"}, {\"uint\": " COUNT "}, {\"uint\": " WORK "}]}"
#define TAKE(PIPE, ITEMS, COUNT, WORK)                                                                                 \
  "{\"kernel\": \"take\", \"global\": [" ITEMS "], \"local\": [1], \"args\": [{\"pipe\": \"" PIPE                      \
  "\"}, {\"buffer\": \"out\"}, {\"uint\": " COUNT "}, {\"uint\": " WORK "}]}"
#define PASS "{\"kernel\": \"pass\", \"global\": [1], \"args\": [{\"pipe\": \"p\"}, {\"pipe\": \"q\"}, {\"uint\": 64}]}"
#define TOGETHER(...) "{\"together\": [" __VA_ARGS__ "]}"
#define AND ", "

static void write_launch(const char *launches, const char *more) {
  char text[4000];
  const uint32_t count = 64;
  uint32_t expected[64];
  for (uint32_t i = 0; i < count; i++)
    expected[i] = i;
  tool_folder();
  tool_file("kernel.cl", CT_KERNEL(kernels));
  tool_bytes("expected.bin", expected, sizeof expected);
  snprintf(text, sizeof text,
           "{\"program\": \"kernel.cl\", \"buffers\": {\"out\": {\"bytes\": 256, \"elem\": \"uint\"}},\n\"pipes\": "
           "{\"p\": {\"packet_size\": 4, \"max_packets\": 16}, \"q\": {\"packet_size\": 4, \"max_packets\": 4}},\n"
           "\"launches\": [%s]%s}",
           launches, more);
  tool_file("l.json", text);
}

#define EXACT ", \"check\": [{\"buffer\": \"out\", \"expected\": \"expected.bin\"}]"
#define MULTISET                                                                                                       \
  ", \"check\": [{\"buffer\": \"out\", \"mode\": \"multiset\", \"packet\": 4, \"expected\": \"expected.bin\"}]"

static json_t *launch_of(const json_t *root, size_t index) {
  return json_array_get(json_object_get(root, "launches"), index);
}

static json_int_t number(const json_t *object, const char *key) {
  EXPECT_TRUE(json_is_integer(json_object_get(object, key)));
  return json_integer_value(json_object_get(object, key));
}

TEST(together, a_kernel_that_spins_on_a_pipe_gets_every_packet_in_order_at_any_rate) {
  static const struct {
    const char *launches, *check;
  } rows[] = {
      {TOGETHER(PUT("p", "1", "64", "1") AND TAKE("p", "1", "64", "1")), EXACT},
      {TOGETHER(PUT("p", "1", "64", "20") AND TAKE("p", "1", "64", "80")), EXACT},
      {TOGETHER(PUT("p", "1", "64", "80") AND TAKE("p", "1", "64", "20")), EXACT},
      {TOGETHER(TAKE("q", "1", "64", "1") AND PUT("p", "1", "64", "1") AND PASS), EXACT},
      {TOGETHER(PUT("p", "8", "8", "3") AND TAKE("p", "1", "64", "1")), MULTISET},
      {TOGETHER(PUT("p", "1", "64", "1") AND TAKE("p", "4", "16", "2")), MULTISET},
      {TOGETHER(PUT("p", "4", "16", "1") AND TAKE("p", "2", "32", "1")), MULTISET},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    write_launch(rows[i].launches, rows[i].check);
    for (unsigned cus = 1; cus <= 4; cus += 3) {
      char line[100];
      snprintf(line, sizeof line, "run l.json --verify --set cu.count=%u", cus);
      ct_freed(outcome_free) struct outcome outcome = tool(line);
      ct_note("row %zu, %u CUs: %s", i, cus, outcome.err);
      EXPECT_EQ(outcome.status, 0);
      EXPECT_STREQ(outcome.err, "");
    }
  }
}

TEST(together, the_report_names_the_other_launches_and_the_shared_counters) {
  write_launch(PUT("q", "1", "1", "1") AND TOGETHER(PUT("p", "1", "64", "1") AND TAKE("p", "1", "64", "30")), EXACT);
  ct_freed(outcome_free) struct outcome outcome = tool("run l.json --verify");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_CONTAINS(outcome.out, "======== launch 2 of 3 ========");
  EXPECT_CONTAINS(outcome.out, "together       with launch 3, take: ");
  EXPECT_CONTAINS(outcome.out, "together       with launch 2, put: ");
  EXPECT_CONTAINS(outcome.out, "memory, of these launches: ");
  EXPECT_CONTAINS(outcome.out,
                  "pipe p, of these launches: room for 16 packets of 4 bytes; 64 written, 64 read, 0 left");
  EXPECT_CONTAINS(outcome.out, "put 1\nput 64\ntake 64\n"); /* by launch, in any order of time */
  tool_again(&outcome, "run l.json --report json");
  json_t *root = json_loads(outcome.out, 0, NULL), *one = launch_of(root, 0), *put = launch_of(root, 1);
  json_t *take = launch_of(root, 2);
  EXPECT_EQ(json_array_size(json_object_get(one, "together")), 0);
  EXPECT_EQ(number(one, "together_cycles"), number(one, "cycles"));
  EXPECT_EQ(json_integer_value(json_array_get(json_object_get(put, "together"), 0)), 3);
  EXPECT_EQ(json_integer_value(json_array_get(json_object_get(take, "together"), 0)), 2);
  EXPECT_EQ(number(put, "together_cycles"), number(take, "cycles"));
  EXPECT_EQ(number(take, "together_cycles"), number(take, "cycles"));
  EXPECT_LT(number(put, "cycles"), number(take, "cycles"));
  EXPECT_TRUE(json_equal(json_object_get(put, "memory"), json_object_get(take, "memory")));
  EXPECT_TRUE(json_equal(json_object_get(put, "pipes"), json_object_get(take, "pipes")));
  EXPECT_FALSE(json_equal(json_object_get(put, "by_line"), json_object_get(take, "by_line")));
  EXPECT_FALSE(json_equal(json_object_get(put, "stalls"), json_object_get(take, "stalls")));
  json_decref(root);
}

TEST(together, both_hosts_and_all_orders_report_the_same) {
  write_launch(TOGETHER(PUT("p", "4", "16", "1") AND TAKE("p", "2", "32", "1")), "");
  ct_freed(outcome_free) struct outcome systemc = tool("run l.json --set cu.count=3 --host systemc");
  static const char *const orders[] = {"ascending", "descending", "shuffled:5"};
  for (size_t i = 0; i < 3; i++) {
    char line[100];
    snprintf(line, sizeof line, "run l.json --set cu.count=3 --order %s", orders[i]);
    ct_freed(outcome_free) struct outcome plain = tool(line);
    EXPECT_STREQ(plain.out, systemc.out);
  }
}

TEST(together, a_deadlock_names_kernel_and_pipe_and_spares_the_finished_kernel) {
  write_launch(TOGETHER(PUT("p", "1", "3", "1") AND TAKE("p", "1", "4", "1")), "");
  struct outcome outcome = tool("run l.json");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_CONTAINS(outcome.err, "launch 2, kernel 'take': deadlock at cycle ");
  EXPECT_TRUE(strstr(outcome.err, "launch 1") == NULL);
  EXPECT_CONTAINS(outcome.out, "spins on pipe 'p', which stays empty");
  outcome_free(&outcome);
  write_launch(TOGETHER(TAKE("p", "1", "4", "1") AND PUT("p", "1", "4", "1")), "");
  outcome = tool("run l.json --set cu.warps=1");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_CONTAINS(outcome.out, " 1 of its work-groups was");
  outcome_free(&outcome);
}

/* Each error is one line that names the place. */
TEST(together, errors_about_concurrent_launches_are_reported_in_one_line) {
  static const struct {
    const char *launches, *parts;
  } rows[] = {
      {TOGETHER(PUT("p", "1", "1", "1")), "launches[0].together: has 1 entries, outside [2, 8] launches"},
      {TOGETHER(""), "launches[0].together: has 0 entries"},
      {TOGETHER(PASS AND PASS AND PASS AND PASS AND PASS AND PASS AND PASS AND PASS AND PASS), "has 9 entries"},
      {"{\"together\": 7}", "launches[0].together|list"},
      {"{\"together\": [7, 8]}", "launches[0].together[0]|object"},
      {"{\"kernel\": \"put\", \"together\": []}", "launches[0].kernel|together"},
      {TOGETHER(PUT("p", "1", "1", "1") AND "{\"kernel\": \"putt\"}"), "launches[0].together[1].kernel|'put'"},
      {TOGETHER(PUT("p", "1", "1", "1") AND "{\"together\": []}"), "launches[0].together[1].together"},
      {TOGETHER(PUT("p", "1", "1", "1") AND PUT("p", "1", "1", "1")),
       "launches[0].together[1]: pipe 'p' is also written by kernel 'put'; only one kernel at a time may do so"},
      {TOGETHER(PUT("p", "1", "1", "1") AND TAKE("p", "1", "1", "1") AND PASS),
       "launches[0].together[2]: pipe 'p' is also read by kernel 'take'"},
      {TOGETHER(PASS AND TAKE("q", "1", "1", "1") AND PUT("q", "1", "1", "1")),
       "launches[0].together[2]: pipe 'q' is also written by kernel 'pass'"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char parts[300];
    write_launch(rows[i].launches, "");
    ct_freed(outcome_free) struct outcome outcome = tool("run l.json");
    ct_note("%s\n%s", rows[i].launches, outcome.err);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_TRUE(strchr(outcome.err, '\n') == outcome.err + strlen(outcome.err) - 1);
    snprintf(parts, sizeof parts, "%s", rows[i].parts);
    for (char *part = strtok(parts, "|"); part; part = strtok(NULL, "|"))
      EXPECT_CONTAINS(outcome.err, part);
  }
}
