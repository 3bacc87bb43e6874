/* The sentence that says what bounds a launch; docs/report.md states the rule. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/machine.h"
#include "sim/base/text.h"
#include "sim/report/report.h"
#include "tests/cli/fixture.h"
#include "tests/cli/tool.h"
#include "tests/ct.h"
#include "tests/kernels.h"

enum { CYCLES = 1000 };

/* One CU of the default machine, with one warp for a thousand cycles. */
static struct launch_result result_of(struct machine *machine) {
  machine_defaults(machine);
  return (struct launch_result){.cycles = CYCLES,
                                .resident_cycles = CYCLES,
                                .cu.active_cycles = CYCLES,
                                .together = 1,
                                .together_cycles = CYCLES,
                                .together_active = CYCLES};
}

static void expect_sentence(const struct machine *machine, const struct launch_result *result, const char *wanted) {
  ct_freed(ct_free) char *text = report_bottleneck(machine, result, NULL);
  EXPECT_STREQ(text, wanted);
}

TEST(bounds, the_resource_nearest_its_peak_is_named_from_80_percent_on) {
  struct machine machine;
  struct launch_result result = result_of(&machine);
  result.cu.warp_instructions = 810;
  result.unit_cycles[ISA_CLASS_DOUBLE] = 999;
  result.stalls[STALL_COPY_WAIT] = 900;
  expect_sentence(&machine, &result, "Likely bound by the double unit: 99.9 % of peak.");
  result.unit_cycles[ISA_CLASS_DOUBLE] = 1004; /* the last interval ends after the warp */
  expect_sentence(&machine, &result, "Likely bound by the double unit: 100.0 % of peak.");
  result.unit_cycles[ISA_CLASS_DOUBLE] = 0;
  expect_sentence(&machine, &result, "Likely bound by issue slots: 81.0 % of peak.");
  result.lds.passes = 900;
  result.lds.conflict_cycles = 450;
  expect_sentence(&machine, &result,
                  "Likely bound by LDS passes: 90.0 % of peak. Bank conflicts added 50.0 % of the passes.");
}

TEST(bounds, outbound_copies_are_compared_with_the_peak_of_their_width) {
  struct machine machine;
  struct launch_result result = result_of(&machine);
  machine.dma.engines = machine.dma.cus = 1;
  machine.dma.read_width = machine.dma.write_width = 1;
  machine.dma.out_width = 4;
  result.dma.bytes = result.dma_out_bytes = 4 * 900; /* of 4 * CYCLES, not of CYCLES */
  expect_sentence(&machine, &result, "Likely bound by the DMA engines: 90.0 % of peak.");
  result.dma.bytes += 50; /* inbound, a cycle each */
  expect_sentence(&machine, &result, "Likely bound by the DMA engines: 95.0 % of peak.");
}

/* Each CU's LDS is a separate side of the engine; all CUs share the side toward memory. */
TEST(bounds, a_shared_engine_is_as_wide_towards_each_lds) {
  struct machine machine;
  struct launch_result result = result_of(&machine);
  machine.cu.count = 3;
  machine.dma.cus = 8;
  machine.dma.engines = 1;
  machine.dma.read_width = 256;
  machine.dma.write_width = 1;
  result.dma.bytes = 2700; /* of 3 * CYCLES */
  expect_sentence(&machine, &result, "Likely bound by the DMA engines: 90.0 % of peak.");
  machine.dma.read_width = 2;
  result.dma.bytes = 1700; /* of 2 * CYCLES */
  expect_sentence(&machine, &result, "Likely bound by the DMA engines: 85.0 % of peak.");
  result.dma_out_bytes = result.dma.bytes = 900; /* to memory: of CYCLES */
  expect_sentence(&machine, &result, "Likely bound by the DMA engines: 90.0 % of peak.");
}

/* A resource that concurrent launches share may be busy with the others' work only. */
TEST(bounds, a_shared_resource_is_named_for_the_concurrent_launches_that_wait_for_it) {
  struct machine machine;
  struct launch_result result = result_of(&machine);
  result.together = 2;
  result.together_cycles = result.together_active = 2 * CYCLES;
  result.lds.passes = 2 * 900;
  result.stalls[STALL_BARRIER] = 600;
  result.stalls[STALL_LDS] = 300;
  expect_sentence(
      &machine, &result,
      "Likely bound by barriers: warps spend 60.0 % of their time waiting for the other warps of the work-group at "
      "a barrier, and the barrier's latency. The busiest resource, LDS passes, is at 90.0 % of peak.");
  result.stalls[STALL_LDS] = 700;
  expect_sentence(
      &machine, &result,
      "Likely bound by LDS passes, at 90.0 % of peak: warps spend 70.0 % of their time waiting for the result of an "
      "LDS access: latency, queue and passes, without conflicts.");
  result.cu.warp_instructions = 810; /* its own */
  expect_sentence(&machine, &result, "Likely bound by issue slots: 81.0 % of peak.");
}

/* Slow copies hold their channels for a long time; only a queue shows that there are too few channels. */
TEST(bounds, channels_are_the_bound_only_if_copies_wait_for_them) {
  struct machine machine;
  struct launch_result result = result_of(&machine);
  machine.dma.engines = 1;
  machine.dma.channels = 2;
  result.dma.channel_cycles = 1900;
  result.dma.busy_cycles = 1000;
  result.dma.queue_cycles = 499;
  result.stalls[STALL_COPY_WAIT] = 700;
  expect_sentence(&machine, &result,
                  "Likely bound by asynchronous copy latency: warps spend 70.0 % of their time waiting for "
                  "asynchronous copies to complete. The busiest resource, the DMA channels, is at 95.0 % of peak, but "
                  "copies rarely waited for one.");
  result.dma.queue_cycles = 500;
  expect_sentence(&machine, &result, "Likely bound by the DMA channels: 95.0 % of peak.");
}

/* Channels whose requests wait for room are held, but what limits the requests is the bound. */
TEST(bounds, a_channel_that_waits_for_room_is_not_busy) {
  struct machine machine;
  struct launch_result result = result_of(&machine);
  machine.dma.engines = 1;
  machine.dma.channels = 2;
  result.dma.channel_cycles = 1900;
  result.dma.busy_cycles = result.dma.queue_cycles = 1000;
  result.stalls[STALL_COPY_WAIT] = 700;
  result.dma.outstanding_full_cycles = 850;
  expect_sentence(&machine, &result, "Likely bound by the DMA channels: 95.0 % of peak.");
  result.dma.room_cycles = 300; /* 80 % are left */
  expect_sentence(&machine, &result, "Likely bound by dma.outstanding: 85.0 % of peak.");
}

TEST(bounds, below_80_percent_the_longest_wait_and_its_unit_are_named) {
  struct machine machine;
  struct launch_result result = result_of(&machine);
  result.cu.warp_instructions = 790;
  result.lds.passes = 610;
  result.stalls[STALL_MEMORY] = 300; /* the largest bucket, but smaller than the LDS's buckets together */
  result.stalls[STALL_LDS_QUEUE] = 250;
  result.stalls[STALL_LDS_CONTENTION] = 150;
  expect_sentence(
      &machine, &result,
      "Likely bound by LDS passes, at 61.0 % of peak: warps spend 40.0 % of their time waiting for the LDS, mostly "
      "for room in the LDS queue.");
  result.lds.passes = 590;
  expect_sentence(
      &machine, &result,
      "Likely bound by the LDS queue: warps spend 40.0 % of their time waiting for the LDS, mostly for room in "
      "the LDS queue. The busiest resource, issue slots, is at 79.0 % of peak.");
  memset(result.stalls, 0, sizeof result.stalls);
  expect_sentence(&machine, &result, "Nothing waits: every warp issues in every cycle in which it is resident.");
}

/* A warp waits for something, never for nothing, and a sentence ends once. */
TEST(bounds, every_bucket_has_a_sentence) {
  for (enum stall i = STALL_ISSUED + 1; i < STALLS; i++) {
    struct machine machine;
    struct launch_result result = result_of(&machine);
    char wanted[400];
    ct_note("%s", stall_rows[i].name);
    result.stalls[i] = 500;
    snprintf(wanted, sizeof wanted,
             "Likely bound by %s: warps spend 50.0 %% of their time waiting for %s. The busiest resource, issue slots, "
             "is at "
             "0.0 %% of peak.",
             stall_rows[i].limit, stall_rows[i].text);
    expect_sentence(&machine, &result, wanted);
    EXPECT_TRUE(strncmp(stall_rows[i].text, "nothing", 7) != 0);
    EXPECT_TRUE(strncmp(stall_rows[i].text, "its ", 4) != 0); /* reads well for several warps too */
    EXPECT_TRUE(!strchr(stall_rows[i].text, '.') && !strchr(stall_rows[i].limit, '.'));
  }
}

/* ---- by lifted limits ---------------------------------------------------------------- */

/* The cycles that remain of CYCLES * 10 without some limits. */
static struct bottleneck tried_of(cycle_t first, cycle_t second) {
  return (struct bottleneck){
      .cycles = 10 * CYCLES, .rank = {{LIFT_DMA_REQUESTS, first}, {LIFT_DMA_SETUP, second}}, .count = 2};
}

static void expect_tried(cycle_t first, cycle_t second, const char *wanted) {
  struct machine machine;
  struct launch_result result = result_of(&machine);
  const struct bottleneck tried = tried_of(first, second);
  ct_freed(ct_free) char *text = report_bottleneck(&machine, &result, &tried);
  ct_note("%llu, %llu", (unsigned long long)first, (unsigned long long)second);
  EXPECT_STREQ(text, wanted);
}

TEST(bounds, the_limit_that_saves_most_is_named_with_the_runner_up) {
  expect_tried(6000, 9000,
               "Bound by DMA request limit: lifting this limit saves 40.0 % of the cycles. The runner-up, "
               "DMA setup latency, costs 10.0 %.");
  expect_tried(6000, 9900, /* within the noise */
               "Bound by DMA request limit: lifting this limit saves 40.0 % of the cycles.");
  expect_tried(6000, 6200,
               "Bound by DMA request limit and DMA setup latency alike: lifting the first limit saves "
               "40.0 % of the cycles, lifting the second 38.0 %.");
  expect_tried(9900, 10000,
               "Bound by no single limit of the machine: the costliest, DMA request limit, costs 1.0 % of "
               "the cycles.");
  expect_tried(10000, 10100, "Bound by no single limit of the machine: lifting any of them saves nothing.");
}

TEST(bounds, limits_that_cost_the_same_cycles_are_one) {
  struct machine machine;
  struct launch_result result = result_of(&machine);
  struct bottleneck tried = {.cycles = 10 * CYCLES,
                             .rank = {{LIFT_DRAM_LATENCY, 3000}, {LIFT_L2_LATENCY, 4000}, {LIFT_DMA_REQUESTS, 5000}},
                             .count = 3,
                             .same = 1,
                             .both = 2500};
  char *text = report_bottleneck(&machine, &result, &tried);
  EXPECT_STREQ(text,
               "Bound by DRAM latency: lifting this limit saves 70.0 % of the cycles. The runner-up, L2 round-trip "
               "latency, costs 60.0 %. The two are one limit: lifting both saves 75.0 %.");
  free(text);
  tried.same = 2;
  text = report_bottleneck(&machine, &result, &tried);
  EXPECT_CONTAINS(text, "costs 60.0 %. The first is one limit with DMA request limit, which costs 50.0 %: lifting both "
                        "saves 75.0 %.");
  free(text);
  struct text why = {0};
  report_why(&machine, &tried, &why);
  EXPECT_CONTAINS(why.data, "DRAM latency, lifted: 3,000 of");
  EXPECT_CONTAINS(why.data, "L2 round-trip latency, lifted: 4,000 of");
  EXPECT_CONTAINS(why.data, "DMA request limit, lifted: 5,000 of");
  free(why.data);
  EXPECT_TRUE(bottleneck_same(80, 60, 90));   /* 50 of the 60 are the same */
  EXPECT_TRUE(bottleneck_same(60, 80, 80));   /* all are */
  EXPECT_TRUE(!bottleneck_same(80, 60, 105)); /* 35 of 60 */
  EXPECT_TRUE(!bottleneck_same(80, 30, 80));  /* the other is too cheap to be the same limit */
  EXPECT_TRUE(!bottleneck_same(80, 60, 140));
}

TEST(bounds, the_limit_is_shown_with_the_longest_wait) {
  struct machine machine;
  struct launch_result result = result_of(&machine);
  const struct bottleneck tried = tried_of(10000, 10000);
  result.stalls[STALL_COPY_WAIT] = 600;
  ct_freed(ct_free) char *text = report_bottleneck(&machine, &result, &tried);
  EXPECT_STREQ(text,
               "Bound by no single limit of the machine: lifting any of them saves nothing. Warps spend 60.0 % of "
               "their time waiting for asynchronous copies to complete.");
}

/* `explain` names the same bottleneck as the report: a kernel that waits for requests while it holds all channels. */
TEST(bounds, a_resource_held_while_waiting_for_another_is_not_named) {
  tool_folder();
  tool_file("k.cl", CT_KERNEL(a_resource_held_while));
  const char *const job = "k.cl --global 256 --local 64 --arg buffer:in=65536:float:iota "
                          "--arg buffer:out=1024:float --arg int:16";
  char command[400];
  snprintf(command, sizeof command, "run %s --optimize 0 --why", job);
  struct outcome outcome = tool(command);
  EXPECT_CONTAINS(outcome.out, "\nBound by DRAM latency and DMA request limit alike");
  EXPECT_CONTAINS(outcome.out, " 95.6           41,420          43,348  DMA channels (channel-cycles)\n");
  EXPECT_CONTAINS(outcome.out, " --set dma.outstanding=4096\n");
  outcome_free(&outcome);
  snprintf(command, sizeof command, "run %s --report json", job);
  outcome = tool(command);
  json_t *report = json_loads(outcome.out, 0, NULL);
  const json_t *of = json_object_get(json_array_get(json_object_get(report, "launches"), 0), "bottleneck");
  EXPECT_STREQ(json_string_value(json_object_get(of, "limit")), "dram_latency");
  EXPECT_STREQ(json_string_value(json_object_get(of, "by")), "lifting");
  EXPECT_STREQ(json_string_value(json_array_get(json_object_get(of, "set"), 0)), "mem.dram_latency=1");
  EXPECT_TRUE(json_real_value(json_object_get(of, "share")) > 0.2);
  EXPECT_STREQ(json_string_value(json_object_get(json_object_get(of, "runner_up"), "limit")), "dma_requests");
  const char *const by[][2] = {{"run %s --report json --why=no", "accounts"},
                               {"run %s --report json --max-cycles 99", "none"}};
  outcome_free(&outcome);
  json_decref(report);
  for (size_t i = 0; i < 2; i++) {
    snprintf(command, sizeof command, by[i][0], job);
    outcome = tool(command);
    report = json_loads(outcome.out, 0, NULL);
    of = json_object_get(json_array_get(json_object_get(report, "launches"), 0), "bottleneck");
    EXPECT_STREQ(json_string_value(json_object_get(of, "by")), by[i][1]);
    EXPECT_TRUE(json_is_null(json_object_get(of, "runner_up")));
    outcome_free(&outcome);
    json_decref(report);
  }
}

/* 16,384 work-groups of 20 instructions: more than lifting tries by default. */
TEST(bounds, a_long_launch_is_judged_by_its_first_work_groups) {
  char text[2000] = ".kernel k\n.reg64 a\n";
  tool_folder();
  for (unsigned i = 0; i < 19; i++)
    strcat(text, "  add.f64 a, a, a\n");
  strcat(text, "  exit\n");
  tool_file("k.wws", text);
  static const char *const calls[] = {"run k.wws --global 524288 --local 32 --report json --trace t.wwt",
                                      "replay t.wwt --report json",
                                      "run k.wws --global 524288 --local 32 --report json --why",
                                      "run k.wws --global 524288 --local 32 --report json --why=no"};
  char *limit[4];
  for (size_t i = 0; i < 4; i++) {
    ct_freed(outcome_free) struct outcome outcome = tool(calls[i]);
    json_t *report = json_loads(outcome.out, 0, NULL);
    const json_t *of = json_object_get(json_array_get(json_object_get(report, "launches"), 0), "bottleneck");
    limit[i] = strdup(json_string_value(json_object_get(of, "limit")));
    EXPECT_EQ(json_integer_value(json_object_get(of, "work_groups")), i < 2 ? 10000 : i == 2 ? 16384 : 0);
    EXPECT_EQ(strstr(json_string_value(json_object_get(of, "sentence")),
                     "(Tried on the first 10,000 of 16,384 work-groups.)") != NULL,
              i < 2);
    json_decref(report);
  }
  EXPECT_STREQ(limit[0], limit[1]);
  EXPECT_STREQ(limit[0], limit[2]);
  for (size_t i = 0; i < 4; i++)
    free(limit[i]);
}

/* ---- in the whole report ----------------------------------------------------------------------- */

/* Eight warps with four multiply-adds in flight each: a double unit accepts one every two cycles. */
/* Waiting for a pipe's replies counts like waiting for room: fences do not bound a writer that mostly waits at a full
 * pipe. */
TEST(bounds, all_waits_at_pipes_are_one_cause) {
  struct machine machine;
  struct launch_result result = result_of(&machine);
  result.stalls[STALL_PIPE_FULL] = 270;
  result.stalls[STALL_PIPE] = 140;
  result.stalls[STALL_FENCE] = 200;
  result.stalls[STALL_DRAIN] = 100;
  expect_sentence(&machine, &result,
                  "Likely bound by a full pipe: warps spend 41.0 % of their time waiting for pipes, mostly for room in "
                  "a pipe, after a "
                  "reservation was refused or held. The busiest resource, issue slots, is at 0.0 % "
                  "of peak.");
}

TEST(bounds, a_saturated_unit_has_a_row_and_is_named) {
  char text[4000] = ".kernel k\n.reg64 a, b, c, d\n";
  tool_folder();
  for (unsigned i = 0; i < 60; i++)
    strcat(text, "  add.f64 a, a, a\n  add.f64 b, b, b\n  add.f64 c, c, c\n");
  strcat(text, "  exit\n");
  tool_file("k.wws", text);
  ct_freed(outcome_free) struct outcome outcome = tool("run k.wws --global 256 --local 256 --why=no");
  EXPECT_CONTAINS(outcome.out, "\nLikely bound by the double unit: 100.0 % of peak.");
  EXPECT_CONTAINS(outcome.out, " double unit (busy cycles)\n");
  EXPECT_TRUE(!strstr(outcome.out, "int unit"));
  tool_again(&outcome, "run k.wws --global 256 --local 256 --why=no --set cu.double_interval=1");
  EXPECT_CONTAINS(outcome.out, "\nLikely bound by issue slots: 100.0 % of peak.");
  EXPECT_TRUE(!strstr(outcome.out, "double unit"));
}

/* Two copies at a time through one channel: the second is always in the queue. */
TEST(bounds, the_only_channel_is_named_when_copies_queue_for_it) {
  tool_folder();
  tool_file("k.wws", ".kernel k\n.arg data global\n.lds a 1024\n.lds b 1024\n.reg64 p\n.reg e, f\n"
                     "  ld.arg.b64 p, data\n  copy.to_lds e, [a], [p], 256, size=4\n"
                     "  copy.to_lds f, [b], [p], 256, size=4\n  wait e\n  wait f\n  exit\n");
  struct outcome outcome =
      tool("run k.wws --global 640 --local 32 --arg buffer:data=4096 --set dma.channels=1 --why=no");
  EXPECT_CONTAINS(outcome.out, "\nLikely bound by the DMA channels: 9");
  EXPECT_CONTAINS(outcome.out, " DMA channels (channel-cycles)\n");
  outcome_free(&outcome);
}
