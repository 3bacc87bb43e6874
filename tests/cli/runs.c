/* What the verbs do when all is well, and when the simulated kernel is wrong. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/cli/fixture.h"
#include "tests/cli/tool.h"
#include "tests/ct.h"
#include "tools/docs/manual.h"

static void launch_with(const char *keys) {
  char text[2000];
  fixture_folder();
  fixture_expected();
  snprintf(text, sizeof text, fixture_launch, keys);
  tool_file("l.json", text);
}

/* Runs, and checks the status and what stderr contains ("": nothing at all). */
static void expect(const char *arguments, int status, const char *err) {
  ct_freed(outcome_free) struct outcome outcome = tool(arguments);
  ct_note("warpwait %s\n%s", arguments, outcome.err);
  EXPECT_EQ(outcome.status, status);
  if (*err)
    EXPECT_CONTAINS(outcome.err, err);
  else
    EXPECT_STREQ(outcome.err, "");
}

static json_t *report(const char *arguments) {
  ct_freed(outcome_free) struct outcome outcome = tool(arguments);
  json_error_t error;
  json_t *root = json_loads(outcome.out, 0, &error);
  EXPECT_TRUE(root != NULL);
  return root;
}

TEST(cli, verify_passes_on_correct_bytes_and_fails_on_one_wrong_element) {
  static const struct {
    const char *check;
    int status;
    const char *err;
  } rows[] = {
      {"{\"buffer\": \"data\", \"expected\": \"good.bin\"}", 0, ""},
      {"{\"buffer\": \"data\", \"expected\": \"bad.bin\", \"mode\": \"exact\"}", 1,
       "element 17 (byte 68): got 22, expected 1000"},
      {"{\"buffer\": \"data\", \"expected\": \"bad.bin\", \"mode\": \"tolerance\", \"type\": \"uint\", \"abs\": 978}",
       0, ""},
      {"{\"buffer\": \"data\", \"expected\": \"bad.bin\", \"mode\": \"tolerance\", \"type\": \"uint\", \"abs\": 977}",
       1, "element 17"},
      {"{\"buffer\": \"data\", \"expected\": \"bad.bin\", \"mode\": \"tolerance\", \"type\": \"uint\", \"abs\": 1, "
       "\"rel\": 0.978}",
       0, ""},
      {"{\"buffer\": \"data\", \"expected\": \"bad.bin\", \"mode\": \"tolerance\", \"type\": \"uint\", \"rel\": "
       "0.9779}",
       1, "element 17"},
      {"{\"buffer\": \"data\", \"expected\": \"good.bin\", \"mode\": \"multiset\", \"packet\": 4}", 0, ""},
      {"{\"buffer\": \"data\", \"expected\": \"bad.bin\", \"mode\": \"multiset\", \"packet\": 4}", 1, "packet 17"},
      /* Element 17 of 4-byte words is component 1 of the fifth int4 or int3. */
      {"{\"buffer\": \"data\", \"expected\": \"bad.bin\", \"mode\": \"elements\", \"elem\": \"int3\", \"components\": "
       "[0, 2]}",
       0, ""},
      {"{\"buffer\": \"data\", \"expected\": \"bad.bin\", \"mode\": \"elements\", \"elem\": \"int3\", \"components\": "
       "[0, 1]}",
       1, "element 4 component 1 (byte 68): got 22, expected 1000"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char keys[400];
    snprintf(keys, sizeof keys, ",\n\"check\": [ %s ]", rows[i].check);
    launch_with(keys);
    expect("run l.json --verify", rows[i].status, rows[i].err);
    expect("run l.json", 0, ""); /* without --verify nothing is compared */
  }
}

TEST(cli, expected_diagnostics_are_compared_with_reported_hazards) {
  launch_with(",\n\"expect_diagnostic\": [\"M1\"]");
  expect("run l.json --verify", 1, "expect_diagnostic (hazards): no hazard was reported of rule M1");
  /* One work-item too many: element 64 is outside. */
  fixture_folder();
  tool_file(
      "l.json",
      "{\"program\": \"kernel.wws\", \"buffers\": {\"data\": {\"bytes\": 256}}, \"launches\": [{\"kernel\": \"plus\","
      "\"global\": [65], \"args\": [{\"buffer\": \"data\"}, {\"uint\": 1}, {\"local\": 4}]}],"
      "\"expect_diagnostic\": [\"X1-stride-zero\", \"M1-access-out-of-bounds\"]}");
  expect("run l.json --verify", 0, "warpwait: 2 hazards, the first at kernel.wws:10: M1-access-out-of-bounds");
  json_t *root = report("run l.json --report json");
  json_t *hazard = json_array_get(json_object_get(json_array_get(json_object_get(root, "launches"), 0), "hazards"), 0);
  EXPECT_STREQ(json_string_value(json_object_get(hazard, "rule")), "M1-access-out-of-bounds");
  EXPECT_STREQ(json_string_value(json_object_get(hazard, "file")), "kernel.wws");
  EXPECT_EQ(json_integer_value(json_object_get(hazard, "line")), 10); /* the load */
  EXPECT_EQ(json_array_size(json_object_get(hazard, "work_group")), 3);
  EXPECT_EQ(json_integer_value(json_array_get(json_object_get(hazard, "work_items"), 0)), 64);
  EXPECT_TRUE(*json_string_value(json_object_get(hazard, "message")) != '\0');
  json_decref(root);
}

TEST(cli, dump_writes_final_bytes_and_out_the_report) {
  launch_with("");
  expect("run l.json --dump data=data.bin --out report.txt --report text", 0, "");
  char *data = tool_read("data.bin"), *good = tool_read("good.bin"), *text = tool_read("report.txt");
  ASSERT_TRUE(data && good && text);
  EXPECT_EQ(memcmp(data, good, 256), 0);
  EXPECT_CONTAINS(text, "kernel         plus in kernel.wws");
  free(data);
  free(good);
  free(text);
}

static void expect_keys(json_t *object, const char *keys) {
  char key[64];
  for (const char *at = keys; *at; at += strlen(key) + (at[strlen(key)] == ' ')) {
    snprintf(key, sizeof key, "%.*s", (int)strcspn(at, " "), at);
    ct_note("key %s", key);
    EXPECT_TRUE(json_object_get(object, key) != NULL);
  }
}

TEST(cli, the_json_report_has_the_documented_structure) {
  launch_with("");
  json_t *root = report("run l.json --report json");
  expect_keys(root, "warpwait machine launches hazards units");
  json_t *launch = json_array_get(json_object_get(root, "launches"), 0);
  expect_keys(launch,
              "kernel cycles warp_instructions work_groups stalls lds dma memory hiding hazards trace_hash occupancy");
  expect_keys(json_object_get(launch, "lds"), "accesses passes conflict_cycles max_ways by_instruction");
  json_t *dma = json_object_get(launch, "dma");
  expect_keys(dma, "descriptors bytes busy_cycles bytes_per_cycle latency queue_full_cycles");
  expect_keys(json_object_get(dma, "latency"), "min mean p50 p99 max");
  expect_keys(json_object_get(launch, "hiding"), "copy_cycles hidden_cycles exposed_cycles");
  /* 64 work-items are 2 warps of 8 instructions. */
  EXPECT_EQ(json_integer_value(json_object_get(launch, "warp_instructions")), 16);
  EXPECT_EQ(json_integer_value(json_object_get(launch, "work_groups")), 1);
  json_t *parameters = json_object_get(json_object_get(root, "machine"), "parameters");
  json_t *channels = json_object_get(parameters, "dma.channels");
  EXPECT_EQ(json_integer_value(json_object_get(channels, "value")), 4);
  EXPECT_STREQ(json_string_value(json_object_get(channels, "unit")), "channels");
  int64_t sum = 0;
  const char *key;
  json_t *value;
  json_object_foreach(json_object_get(launch, "stalls"), key, value) sum += json_integer_value(value);
  EXPECT_EQ(sum, json_integer_value(json_object_get(launch, "resident_cycles")));
  json_decref(root);
}

TEST(cli, hosts_and_orders_write_the_same_report) {
  static const char *const rows[] = {"run l.json --report json --host plain",
                                     "run l.json --report json --order descending",
                                     "run l.json --report json --order shuffled:5",
                                     "run l.json --report json --threads 3", "run l.json --report json --vcd w.vcd"};
  launch_with("");
  ct_freed(outcome_free) struct outcome first = tool("run l.json --report json --host systemc");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ct_freed(outcome_free) struct outcome other = tool(rows[i]);
    EXPECT_STREQ(other.out, first.out);
  }
  ct_freed(ct_free) char *vcd = tool_read("w.vcd");
  EXPECT_CONTAINS(vcd, "$enddefinitions");
  EXPECT_FALSE(tool_exists("w.vcd.part.vcd"));
}

TEST(cli, any_number_of_threads_writes_the_same_report_and_prints_in_the_same_order) {
  tool_folder();
  tool_file("k.cl", "kernel void k(global uint *a) {\n"
                    "  uint sum = 0;\n"
                    "  for (uint i = 0; i <= get_group_id(0) % 7; i++)\n"
                    "    sum += a[(get_global_id(0) * 37 + i) % get_global_size(0)];\n"
                    "  if (get_local_id(0) % 32 == 5)\n"
                    "    printf(\"%u: %u\\n\", (uint)get_global_id(0), sum);\n"
                    "}\n");
  static const char run[] =
      "run k.cl --global 16384 --local 64 --arg buffer:a=65536:uint:iota --machine h200 --report json --threads";
  char one[200], four[200];
  snprintf(one, sizeof one, "%s 1", run);
  snprintf(four, sizeof four, "%s 4", run);
  struct outcome expected = tool(one), got = tool(four);
  EXPECT_EQ(expected.status, 0);
  EXPECT_CONTAINS(expected.out, "\"printf\": \"5: ");
  EXPECT_STREQ(got.out, expected.out);
  outcome_free(&expected);
  outcome_free(&got);
}

TEST(cli, the_command_line_can_express_what_a_launch_file_does) {
  launch_with("");
  expect("run l.json --dump data=a.bin", 0, "");
  expect("run kernel.wws --kernel plus --global 64 --local 64 --arg buffer:data=256:uint:iota --arg uint:5 "
         "--arg local:64 --dump data=b.bin",
         0, "");
  char *a = tool_read("a.bin"), *b = tool_read("b.bin");
  ASSERT_TRUE(a && b);
  EXPECT_EQ(memcmp(a, b, 256), 0);
  free(a);
  free(b);
}

/* The file says 64 work-items in groups of 64. */
TEST(cli, the_size_of_a_files_only_launch_can_be_given) {
  static const struct {
    const char *options, *range;
  } rows[] = {{"--global 32", "32 work-items in groups of 64: 1 work-group\n"},
              {"--global 64 --local 16", "64 work-items in groups of 16: 4 work-groups\n"},
              {"--local 32", "64 work-items in groups of 32: 2 work-groups\n"},
              {"--global 32,2 --local 32,1", "32 x 2 work-items in groups of 32 x 1: 2 work-groups\n"}};
  launch_with("");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char line[200];
    snprintf(line, sizeof line, "run l.json %s", rows[i].options);
    ct_freed(outcome_free) struct outcome outcome = tool(line);
    EXPECT_EQ(outcome.status, 0);
    EXPECT_CONTAINS(outcome.out, rows[i].range);
  }
}

TEST(cli, a_size_that_does_not_fit_the_launch_file_is_refused) {
  static const struct {
    const char *arguments, *err;
  } rows[] = {
      {"run l.json --global 0", "warpwait: --global: '0' is not X[,Y[,Z]]"},
      {"run l.json --global 32,2", "warpwait: --global: 2 entries, but the launch file's 'local' has 1\n"},
      {"run l.json --local 32,2", "warpwait: --local: 2 entries, but the launch file's 'global' has 1\n"},
      {"run l.json --local 4096", "warpwait: --local: 4096 x 1 x 1 is outside [1, "},
      {"run l.json --offset 1", "warpwait: --offset: not allowed here, because the launch file sets it\n"},
      {"explain l.json --local 32 --vary arg.add=1,2",
       "warpwait: --vary: cannot be combined with --local, which the launch file"},
      {"run two.json --global 32", "warpwait: --global: needs a launch file with one launch; this one has several\n"},
      {"run two.json --local 32", "warpwait: --local: needs a launch file with one launch; this one has several\n"},
  };
  launch_with("");
  tool_file("two.json", "{\"launches\": [{\"kernel\": \"plus\", \"global\": [64]}, {\"kernel\": \"plus\", "
                        "\"global\": [64]}]}");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    expect(rows[i].arguments, 2, rows[i].err);
}

static int64_t launch_number(const char *arguments, const char *key) {
  json_t *root = report(arguments);
  int64_t number = json_integer_value(json_object_get(json_array_get(json_object_get(root, "launches"), 0), key));
  json_decref(root);
  return number;
}

TEST(cli, host_overhead_of_a_launch_shows_only_in_its_event) {
  launch_with("");
  int64_t cycles = launch_number("run l.json --report json", "cycles");
  EXPECT_EQ(launch_number("run l.json --report json", "event_cycles"), cycles);
  EXPECT_EQ(launch_number("run l.json --report json --set cu.launch_overhead=1000", "event_cycles"), cycles + 1000);
  EXPECT_EQ(launch_number("run l.json --report json --set cu.launch_overhead=1000", "cycles"), cycles);
}

TEST(cli, machine_and_set_on_the_command_line_win) {
  launch_with(",\n\"machine\": \"dsp\", \"set\": { \"dma.channels\": 3, \"dma.queue\": \"7\" }");
  json_t *root = report("run l.json --report json --machine h200 --set dma.channels=5");
  json_t *machine = json_object_get(root, "machine"), *parameters = json_object_get(machine, "parameters");
  EXPECT_STREQ(json_string_value(json_object_get(machine, "name")), "h200");
  EXPECT_EQ(json_integer_value(json_object_get(json_object_get(parameters, "dma.channels"), "value")), 5);
  EXPECT_EQ(json_integer_value(json_object_get(json_object_get(parameters, "dma.queue"), "value")), 7);
  EXPECT_EQ(json_integer_value(json_object_get(json_object_get(parameters, "cu.count"), "value")), 132);
  json_decref(root);
}

TEST(cli, machine_file_inherits_and_is_named_after_itself) {
  fixture_folder();
  tool_file("mine.ini", "base = dsp\n[dma]\nchannels = 1 ; one\n");
  tool_file(
      "l.json",
      "{\"program\": \"kernel.wws\", \"machine\": \"mine.ini\", \"buffers\": {\"d\": {\"bytes\": 256}}, \"launches\": "
      "[{\"kernel\": \"plus\", \"global\": [64], \"args\": [{\"buffer\": \"d\"}, {\"uint\": 1}, {\"local\": 4}]}]}");
  json_t *root = report("run l.json --report json");
  json_t *machine = json_object_get(root, "machine"), *parameters = json_object_get(machine, "parameters");
  EXPECT_STREQ(json_string_value(json_object_get(machine, "name")), "mine");
  EXPECT_EQ(json_integer_value(json_object_get(json_object_get(parameters, "dma.channels"), "value")), 1);
  EXPECT_EQ(json_integer_value(json_object_get(json_object_get(parameters, "cu.warp_size"), "value")), 16);
  json_decref(root);
}

TEST(cli, cycle_limit_and_deadlock_exit_1_with_a_reason) {
  launch_with("");
  expect("run l.json --max-cycles 20", 1, "not finished after 20 cycles (--max-cycles)");
  expect("run l.json --max-cycles 20 --host plain", 1, "not finished after 20 cycles");
  tool_file(
      "stuck.wws",
      ".kernel k\n.reg i\n.pred p\n  get.local_id i, x\n  setp.lt.u32 p, i, 32\n@p bra out\n  bar.lds\nout: exit\n");
  ct_freed(outcome_free) struct outcome outcome = tool("run stuck.wws --global 64 --local 64");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_CONTAINS(outcome.err, "deadlock at cycle");
  EXPECT_CONTAINS(outcome.out, "stuck.wws:7 waits at a barrier for 1 warp of its work-group, of which 1 has exited");
}

TEST(cli, asm_and_dis_are_inverse) {
  fixture_folder();
  expect("asm kernel.wws -o a.wwo", 0, "");
  expect("dis a.wwo -o b.wws", 0, "");
  expect("asm b.wws -o b.wwo", 0, "");
  struct outcome first = tool("dis a.wwo"), second = tool("dis b.wwo"), listing = tool("asm kernel.wws");
  EXPECT_STREQ(first.out, second.out);
  EXPECT_CONTAINS(listing.out, "kernel plus:");
  EXPECT_CONTAINS(listing.out, "st.global.b32");
  outcome_free(&first);
  outcome_free(&second);
  outcome_free(&listing);
  expect("run a.wwo --global 64 --arg buffer:data=256 --arg uint:1 --arg local:4", 0, "");
}

TEST(cli, a_failed_write_leaves_the_old_file) {
  launch_with("");
  tool_file("report.txt", "old");
  expect("run l.json --out report.txt --dump data=none/x", 2, "none/x");
  ct_freed(ct_free) char *text = tool_read("report.txt");
  EXPECT_STREQ(text, "old");
}

/* Parameters set by the machine file are not listed; those that the run changed are. */
TEST(cli, reports_list_changed_machine_parameters) {
  launch_with(",\n\"set\": { \"dma.channels\": 3, \"lds.priority\": \"warps\", \"dma.setup\": 99 }");
  struct outcome outcome = tool("run l.json --set dma.setup=20 --set mem.dram_latency=900");
  EXPECT_CONTAINS(outcome.out, "\nchanged        lds.priority=warps, dma.channels=3, mem.dram_latency=900\n");
  outcome_free(&outcome);
  json_t *root = report("run l.json --report json --set dma.setup=20");
  const json_t *changed = json_object_get(json_object_get(root, "machine"), "changed");
  EXPECT_EQ(json_object_size(changed), 2);
  EXPECT_EQ(json_integer_value(json_object_get(changed, "dma.channels")), 3);
  EXPECT_STREQ(json_string_value(json_object_get(changed, "lds.priority")), "warps");
  json_decref(root);
  launch_with("");
  outcome = tool("run l.json");
  EXPECT_TRUE(strstr(outcome.out, "changed") == NULL);
  outcome_free(&outcome);
}

TEST(cli, an_unfinished_launch_has_no_bottleneck) {
  launch_with("");
  ct_freed(outcome_free) struct outcome outcome = tool("run l.json --max-cycles 20");
  EXPECT_CONTAINS(outcome.out, "\nStopped at the cycle limit: the figures are for an unfinished launch.\n");
  EXPECT_TRUE(strstr(outcome.out, "Bound by") == NULL);
  json_t *root = report("run l.json --max-cycles 20 --report json");
  const json_t *launch = json_array_get(json_object_get(root, "launches"), 0);
  EXPECT_CONTAINS(json_string_value(json_object_get(json_object_get(launch, "bottleneck"), "sentence")),
                  "Stopped at the cycle limit");
  EXPECT_EQ(json_integer_value(json_object_get(launch, "work_groups")), 1); /* of the NDRange */
  json_decref(root);
}

/* One warp waits at line 7, the other at line 9. */
TEST(cli, a_deadlock_at_different_barriers_shows_where_each_warp_waits) {
  tool_folder();
  tool_file("stuck.wws", ".kernel k\n.reg i\n.pred p\n  get.local_id i, x\n  setp.lt.u32 p, i, 32\n@p bra out\n"
                         "  bar.lds\n  exit\nout: bar.lds\n  exit\n");
  ct_freed(outcome_free) struct outcome outcome = tool("run stuck.wws --global 64 --local 64");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_CONTAINS(outcome.out, "Deadlock: 2 warps wait forever. The figures are for an unfinished launch.");
  EXPECT_CONTAINS(outcome.out,
                  "at stuck.wws:7 waits at a barrier, while others of its work-group wait at stuck.wws:9\n");
  EXPECT_CONTAINS(outcome.out,
                  "at stuck.wws:9 waits at a barrier, while others of its work-group wait at stuck.wws:7\n");
  json_t *root = report("run stuck.wws --global 64 --local 64 --report json");
  const json_t *launch = json_array_get(json_object_get(root, "launches"), 0);
  size_t told = 0, index = 0;
  json_t *warp = NULL;
  json_array_foreach(json_object_get(launch, "stuck"), index, warp) told +=
      json_is_string(json_object_get(json_object_get(warp, "elsewhere"), "file"));
  EXPECT_EQ(told, 2);
  json_decref(root);
}

/* Both calls are on one line of OpenCL C. */
TEST(cli, calls_on_one_line_are_distinguished_by_instruction) {
  tool_folder();
  tool_file("two.cl", "kernel void two(void) {\n  if (get_local_id(0) < 32) barrier(CLK_LOCAL_MEM_FENCE); else "
                      "barrier(CLK_LOCAL_MEM_FENCE);\n}\n");
  ct_freed(outcome_free) struct outcome outcome = tool("run two.cl --global 64 --local 64");
  EXPECT_EQ(outcome.status, 1);
  unsigned first = 0, second = 0;
  const char *at = strstr(outcome.out, "at two.cl:2 (instruction ");
  ASSERT_TRUE(at);
  EXPECT_EQ(sscanf(at,
                   "at two.cl:2 (instruction %u) waits at a barrier, while others of its work-group wait at two.cl:2 "
                   "(instruction %u)",
                   &first, &second),
            2);
  EXPECT_TRUE(first != second);
  json_t *root = report("run two.cl --global 64 --local 64 --report json");
  const json_t *warp =
      json_array_get(json_object_get(json_array_get(json_object_get(root, "launches"), 0), "stuck"), 0);
  EXPECT_EQ(json_integer_value(json_object_get(warp, "pc")), first);
  EXPECT_EQ(json_integer_value(json_object_get(json_object_get(warp, "elsewhere"), "pc")), second);
  json_decref(root);
}

/* No buffer has address 0: a kernel that tests for null does not use it; for another one the place is reported. */
TEST(cli, a_pointer_may_be_null) {
  fixture_folder();
  tool_file("null.cl", "kernel void k(global int *a, global int *b) { b[get_global_id(0)] = a ? 7 : 9; }\n");
  tool_file("n.json", "{ \"program\": \"null.cl\", \"buffers\": { \"b\": { \"bytes\": 4 } },\n"
                      "\"launches\": [{ \"kernel\": \"k\", \"global\": [1], \"args\": [{ \"buffer\": null }, "
                      "{ \"buffer\": \"b\" }] }] }\n");
  static const char *const runs[] = {"run n.json --dump b=out.bin",
                                     "run null.cl --global 1 --arg null --arg buffer:b=4 --dump b=out.bin"};
  for (size_t i = 0; i < 2; i++) {
    ct_freed(outcome_free) struct outcome outcome = tool(runs[i]);
    ct_note("%s", outcome.err);
    EXPECT_EQ(outcome.status, 0);
    EXPECT_STREQ(outcome.err, "");
    ct_freed(ct_free) char *bytes = tool_read("out.bin");
    EXPECT_EQ(bytes[0], 9);
  }
  ct_freed(outcome_free) struct outcome outcome =
      tool("run kernel.wws --global 64 --arg null --arg uint:1 --arg local:4");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_CONTAINS(outcome.err, "M1-access-out-of-bounds");
}

TEST(cli, an_interrupted_run_reports_its_progress_and_writes_nothing) {
  tool_folder();
  tool_file("k.wws", ".kernel k\n.arg data global\nagain: bra again\n  exit\n");
  static const char *const hosts[] = {"plain", "systemc"};
  for (size_t i = 0; i < 2; i++) {
    char arguments[200], stranger[100] = "";
    unsigned long long cycle = 0;
    snprintf(
        arguments, sizeof arguments,
        "run k.wws --global 64 --local 32 --arg buffer:data=64 --max-cycles 1000000000000000 --host %s --out r.txt "
        "--dump data=d.bin",
        hosts[i]);
    ct_freed(outcome_free) struct outcome outcome = tool_interrupted(arguments);
    ct_note("%s: %s", hosts[i], outcome.err);
    EXPECT_EQ(outcome.status, 130);
    EXPECT_STREQ(outcome.out, "");
    EXPECT_EQ(sscanf(outcome.err, "warpwait: interrupted in launch 1 of 1, kernel 'k', at cycle %llu: 0 of 2 ", &cycle),
              1);
    EXPECT_GT(cycle, 0);
    EXPECT_CONTAINS(outcome.err, "work-groups had finished; nothing is reported\n");
    EXPECT_EQ(tool_strangers(stranger, sizeof stranger), 0);
  }
}

/* 81 characters are cut to 79 and an ellipsis, never within a character. */
TEST(cli, long_source_lines_are_cut_visibly) {
  static const char head[] = ".kernel k\n.lds t 256\n.reg a, b\n", op[] = "  ld.lds.b32 b, [t] ; ";
  char text[400], wanted[100];
  tool_folder();
  snprintf(text, sizeof text, "%s%s%.*s\n  ld.lds.b32 a, [t] ; %.*s\n  exit\n", head, op, 60,
           "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", 58 + 2 + 1,
           "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\u00e9zzzzzzzz");
  tool_file("k.wws", text);
  ct_freed(outcome_free) struct outcome outcome = tool("run k.wws --global 32");
  snprintf(wanted, sizeof wanted, "4  %s%.*s\n", op + 2, 60,
           "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
  EXPECT_CONTAINS(outcome.out, wanted); /* 80 characters: all of them */
  EXPECT_CONTAINS(outcome.out, "yy\u2026\n");
  EXPECT_TRUE(!strstr(outcome.out, "\u00e9"));
}

TEST(cli, a_copy_without_a_wait_does_not_count_as_hidden) {
  tool_folder();
  tool_file("k.wws", ".kernel k\n.arg data global\n.lds room 256\n.reg64 p\n.reg e\n  ld.arg.b64 p, data\n"
                     "  copy.to_lds e, [room], [p], 64, size=4\n  exit\n");
  ct_freed(outcome_free) struct outcome outcome = tool("run k.wws --global 64 --local 64 --arg buffer:data=256");
  ct_note("%s", outcome.err);
  EXPECT_EQ(outcome.status, 0);
  EXPECT_CONTAINS(outcome.out, "(copies that no warp waited for count as hidden)");
  EXPECT_CONTAINS(outcome.err, "warpwait: 1 hazard, the first at k.wws:8: X10-exit-with-copy-in-flight\n");
}

static bool is_identifier(const char *word) {
  return *word && strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(word);
}

/* Programs read `report.utilization.lds_passes`; people read "LDS passes". */
TEST(cli, keys_of_the_json_report_are_identifiers) {
  launch_with("");
  json_t *root = report("run l.json --report json"), *value;
  json_t *launch = json_array_get(json_object_get(root, "launches"), 0),
         *occupancy = json_object_get(launch, "occupancy");
  const char *key;
  expect_keys(
      json_object_get(launch, "utilization"),
      "issue_slots lds_passes dma_engines dma_channels dma_outstanding link_down link_up l2 dram unit_int unit_mul "
      "unit_div unit_long unit_half unit_float unit_double unit_convert unit_special unit_math unit_lane "
      "unit_branch unit_constant unit_private unit_lds unit_global");
  expect_keys(json_object_get(launch, "unit_cycles"),
              "int mul div long half float double convert special math lane branch constant private lds global");
  expect_keys(json_object_get(occupancy, "groups_allowed"), "warps groups registers lds work");
  json_object_foreach(launch, key, value) EXPECT_TRUE(is_identifier(key));
  json_object_foreach(json_object_get(launch, "utilization"), key, value) EXPECT_TRUE(is_identifier(key));
  EXPECT_TRUE(is_identifier(json_string_value(json_object_get(occupancy, "limit"))));
  json_decref(root);
}

static void each_number_has_a_unit(const json_t *units, const json_t *object, const char *prefix) {
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)object, key, value) {
    char name[100];
    snprintf(name, sizeof name, "%s%s%s", prefix, *prefix ? "." : "", key);
    ct_note("%s", name);
    if (json_object_get(units, name) || strcmp(key, "count") == 0)
      continue;
    if (json_is_object(value))
      each_number_has_a_unit(units, value, name);
    else
      EXPECT_FALSE(json_is_real(value) || (json_is_integer(value) && !strstr(" hazards_dropped stuck_count ", key)));
  }
}

TEST(cli, every_number_of_a_launch_has_a_unit) {
  launch_with("");
  json_t *root = report("run l.json --report json");
  each_number_has_a_unit(json_object_get(root, "units"), json_array_get(json_object_get(root, "launches"), 0), "");
  json_decref(root);
}

/* "$var wire 7 aaaac resident_warps [6:0] $end" */
TEST(cli, every_signal_of_a_waveform_is_in_the_manual) {
  launch_with("");
  expect("run l.json --vcd w.vcd", 0, "");
  char *vcd = tool_read("w.vcd"), *manual = report_manual();
  size_t signals = 0;
  ASSERT_TRUE(vcd && manual);
  for (const char *at = vcd; (at = strstr(at, "$var")); at++, signals++) {
    char name[64] = "", cell[80];
    EXPECT_EQ(sscanf(at, "$var wire %*d %*s %60s", name), 1);
    snprintf(cell, sizeof cell, ".%s` |", name);
    EXPECT_CONTAINS(manual, cell);
  }
  EXPECT_EQ(signals, 10);
  free(vcd);
  free(manual);
}

TEST(cli, version_is_shown_before_and_after_a_verb) {
  static const char *const rows[] = {"--version", "-V", "run --version", "machines -V", "params --version"};
  tool_folder();
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ct_freed(outcome_free) struct outcome outcome = tool(rows[i]);
    ct_note("%s", rows[i]);
    EXPECT_EQ(outcome.status, 0);
    EXPECT_TRUE(strncmp(outcome.out, "warpwait ", 9) == 0);
  }
}

TEST(cli, naming_a_folder_suggests_its_launch_file) {
  launch_with("");
  tool_file("launch.json", "{}");
  expect("run .", 2, "warpwait: .: is a directory; its launch file is ./launch.json\n");
}
