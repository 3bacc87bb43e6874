/* The sentence that says what bounds a launch: docs/report.md has the rule. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cli/report.h"
#include "tests/cli/fixture.h"
#include "tests/cli/tool.h"
#include "tests/ct.h"

enum { CYCLES = 1000 };

/* One CU of the default machine with a warp for a thousand cycles. */
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
  char *text = report_bottleneck(machine, result);
  EXPECT_STREQ(text, wanted);
  free(text);
}

TEST(bounds, the_resource_nearest_to_its_peak_from_four_fifths_on) {
  struct machine machine;
  struct launch_result result = result_of(&machine);
  result.cu.warp_instructions = 810;
  result.unit_cycles[ISA_CLASS_DOUBLE] = 999;
  result.stalls[STALL_COPY_WAIT] = 900;
  expect_sentence(&machine, &result, "Bound by the double unit: 99.9 % of peak.");
  result.unit_cycles[ISA_CLASS_DOUBLE] = 1004; /* the last interval ends after the warp */
  expect_sentence(&machine, &result, "Bound by the double unit: 100.0 % of peak.");
  result.unit_cycles[ISA_CLASS_DOUBLE] = 0;
  expect_sentence(&machine, &result, "Bound by issue slots: 81.0 % of peak.");
  result.lds.passes = 900;
  result.lds.conflict_cycles = 450;
  expect_sentence(&machine, &result, "Bound by LDS passes: 90.0 % of peak. Bank conflicts added 50.0 % of the passes.");
}

TEST(bounds, outbound_copies_have_the_peak_of_their_own_width) {
  struct machine machine;
  struct launch_result result = result_of(&machine);
  machine.dma.engines = machine.dma.cus = 1;
  machine.dma.read_width = machine.dma.write_width = 1;
  machine.dma.out_width = 4;
  result.dma.bytes = result.dma_out_bytes = 4 * 900; /* of 4 * CYCLES, not of CYCLES */
  expect_sentence(&machine, &result, "Bound by the DMA engines: 90.0 % of peak.");
  result.dma.bytes += 50; /* inbound, a cycle each */
  expect_sentence(&machine, &result, "Bound by the DMA engines: 95.0 % of peak.");
}

/* What launches at once share may be busy with the others' work alone. */
TEST(bounds, of_launches_at_once_a_shared_resource_is_named_for_those_that_wait_for_it) {
  struct machine machine;
  struct launch_result result = result_of(&machine);
  result.together = 2;
  result.together_cycles = result.together_active = 2 * CYCLES;
  result.lds.passes = 2 * 900;
  result.stalls[STALL_BARRIER] = 600;
  result.stalls[STALL_LDS] = 300;
  expect_sentence(
      &machine, &result,
      "Bound by barriers: warps spend 60.0 % of their time waiting for the other warps of the work-group at "
      "a barrier, and the barrier's latency. The busiest resource, LDS passes, is at 90.0 % of peak.");
  result.stalls[STALL_LDS] = 700;
  expect_sentence(
      &machine, &result,
      "Bound by LDS passes, at 90.0 % of peak: warps spend 70.0 % of their time waiting for the result of an "
      "LDS access: latency, queue and passes, but for conflicts.");
  result.cu.warp_instructions = 810; /* its own */
  expect_sentence(&machine, &result, "Bound by issue slots: 81.0 % of peak.");
}

/* Copies that are slow hold their channels for long; only a queue says that there are too few of them. */
TEST(bounds, channels_bound_only_if_copies_wait_for_them) {
  struct machine machine;
  struct launch_result result = result_of(&machine);
  machine.dma.engines = 1;
  machine.dma.channels = 2;
  result.dma.channel_cycles = 1900;
  result.dma.busy_cycles = 1000;
  result.dma.queue_cycles = 499;
  result.stalls[STALL_COPY_WAIT] = 700;
  expect_sentence(&machine, &result,
                  "Bound by the latency of asynchronous copies: warps spend 70.0 % of their time waiting for "
                  "asynchronous copies to complete. The busiest resource, the DMA channels, is at 95.0 % of peak, but "
                  "copies hardly waited for one.");
  result.dma.queue_cycles = 500;
  expect_sentence(&machine, &result, "Bound by the DMA channels: 95.0 % of peak.");
}

TEST(bounds, below_it_what_warps_wait_for_most_and_what_serves_that) {
  struct machine machine;
  struct launch_result result = result_of(&machine);
  result.cu.warp_instructions = 790;
  result.lds.passes = 610;
  result.stalls[STALL_MEMORY] = 300; /* the largest bucket, but less than the LDS's together */
  result.stalls[STALL_LDS_QUEUE] = 250;
  result.stalls[STALL_LDS_CONTENTION] = 150;
  expect_sentence(
      &machine, &result,
      "Bound by LDS passes, at 61.0 % of peak: warps spend 40.0 % of their time waiting for the LDS, mostly "
      "for room in the LDS's queue.");
  result.lds.passes = 590;
  expect_sentence(&machine, &result,
                  "Bound by the LDS's queue: warps spend 40.0 % of their time waiting for the LDS, mostly for room in "
                  "the LDS's queue. The busiest resource, issue slots, is at 79.0 % of peak.");
  memset(result.stalls, 0, sizeof result.stalls);
  expect_sentence(&machine, &result, "Nothing waits: every warp issues in every cycle in which it is resident.");
}

/* A warp waits for something, never for nothing, and a sentence has one end. */
TEST(bounds, every_bucket_makes_a_sentence) {
  for (enum stall i = STALL_ISSUED + 1; i < STALLS; i++) {
    struct machine machine;
    struct launch_result result = result_of(&machine);
    char wanted[400];
    ct_note("%s", stall_rows[i].name);
    result.stalls[i] = 500;
    snprintf(wanted, sizeof wanted,
             "Bound by %s: warps spend 50.0 %% of their time waiting for %s. The busiest resource, issue slots, is at "
             "0.0 %% of peak.",
             stall_rows[i].limit, stall_rows[i].text);
    expect_sentence(&machine, &result, wanted);
    EXPECT_TRUE(strncmp(stall_rows[i].text, "nothing", 7) != 0);
    EXPECT_TRUE(strncmp(stall_rows[i].text, "its ", 4) != 0); /* of many warps, too */
    EXPECT_TRUE(!strchr(stall_rows[i].text, '.') && !strchr(stall_rows[i].limit, '.'));
  }
}

/* ---- in the whole report ----------------------------------------------------------------------- */

/* Eight warps, four multiply-adds in flight each: a double unit takes one in two cycles. */
/* Answers of a pipe are waited for as its room is: a writer that mostly stands at a full pipe is not bound by fences.
 */
TEST(bounds, what_warps_wait_for_at_pipes_is_one_cause) {
  struct machine machine;
  struct launch_result result = result_of(&machine);
  result.stalls[STALL_PIPE_FULL] = 270;
  result.stalls[STALL_PIPE] = 140;
  result.stalls[STALL_FENCE] = 200;
  result.stalls[STALL_DRAIN] = 100;
  expect_sentence(
      &machine, &result,
      "Bound by a full pipe: warps spend 41.0 % of their time waiting for pipes, mostly for room in a pipe: a "
      "reservation that was refused, or held, for want of it. The busiest resource, issue slots, is at 0.0 % "
      "of peak.");
}

TEST(bounds, a_saturated_unit_has_a_row_and_is_named) {
  char text[4000] = ".kernel k\n.reg64 a, b, c, d\n";
  tool_folder();
  for (unsigned i = 0; i < 60; i++)
    strcat(text, "  add.f64 a, a, a\n  add.f64 b, b, b\n  add.f64 c, c, c\n");
  strcat(text, "  exit\n");
  tool_file("k.wws", text);
  struct outcome outcome = tool("run k.wws --global 256 --local 256");
  EXPECT_CONTAINS(outcome.out, "\nBound by the double unit: 100.0 % of peak.");
  EXPECT_CONTAINS(outcome.out, " double unit (busy cycles)\n");
  EXPECT_TRUE(!strstr(outcome.out, "int unit"));
  outcome_free(&outcome);
  outcome = tool("run k.wws --global 256 --local 256 --set cu.double_interval=1");
  EXPECT_CONTAINS(outcome.out, "\nBound by issue slots: 100.0 % of peak.");
  EXPECT_TRUE(!strstr(outcome.out, "double unit"));
  outcome_free(&outcome);
}

/* Two copies at a time through one channel: the second always stands in the queue. */
TEST(bounds, the_only_channel_is_named_when_copies_queue_for_it) {
  tool_folder();
  tool_file("k.wws", ".kernel k\n.arg data global\n.lds a 1024\n.lds b 1024\n.reg64 p\n.reg e, f\n"
                     "  ld.arg.b64 p, data\n  copy.to_lds e, [a], [p], 256, size=4\n"
                     "  copy.to_lds f, [b], [p], 256, size=4\n  wait e\n  wait f\n  exit\n");
  struct outcome outcome = tool("run k.wws --global 640 --local 32 --arg buffer:data=4096 --set dma.channels=1");
  EXPECT_CONTAINS(outcome.out, "\nBound by the DMA channels: 9");
  EXPECT_CONTAINS(outcome.out, " DMA channels (channel-cycles)\n");
  outcome_free(&outcome);
}
