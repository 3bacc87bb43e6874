/* Copies that lanes make by themselves (copy.lane), in batches: bytes, and times calculated by hand. */
#include <stdio.h>

#include "tests/ct.h"
#include "tests/models/rig.h"

/* Lane i copies 16 bytes from offset 16 i of global memory to offset 16 i of the LDS; word i of the LDS is written
 * out. */
#define HEAD                                                                                                           \
  ".kernel k\n.arg src global\n.arg all global\n.arg out global\n.lds t 16384\n.reg i, at, word, v\n"                  \
  ".reg64 p, q, r, c[4]\n ld.arg.b64 p, src\n ld.arg.b64 q, all\n ld.arg.b64 r, out\n get.local_id i, x\n"             \
  " shl.b32 at, i, 4\n shl.b32 word, i, 2\n"

TEST(lane_own, bytes_are_stale_until_the_wait) {
  ct_freed(rig_free) struct rig rig;
  rig_run(&rig, "", 64, 64,
          HEAD " copy.lane.b128 [at], [p + at + 64]\n copy.lane.commit\n ld.lds.b32 v, [word]\n"
               " st.global.b32 [q + word], v\n copy.lane.wait 0\n bar.lds\n ld.lds.b32 v, [word]\n"
               " st.global.b32 [r + word], v\n exit\n");
  EXPECT_EQ(rig.result.end, END_FINISHED);
  EXPECT_EQ(rig.result.hazard_count, 0);
  for (uint32_t i = 0; i < 64; i++) {
    EXPECT_EQ(rig_word(&rig, 1, i), 0);
    EXPECT_EQ(rig_word(&rig, 2, i), i + 16);
  }
  EXPECT_EQ(rig.result.cu.copy_accesses, 2);
}

/* Cycles from the copy's issue to the issue of the instruction after its wait. */
static uint64_t wait_cycles(const char *settings, const char *copies, unsigned left) {
  char kernel[32768];
  ct_freed(rig_free) struct rig rig;
  snprintf(kernel, sizeof kernel,
           HEAD " prefetch [p], 16384\n bar\n get.clock c[0]\n%s copy.lane.wait %u\n get.clock c[1]\n"
                " sub.i64 c[0], c[1], c[0]\n st.global.b64 [q], c[0]\n exit\n",
           copies, left);
  rig_run(&rig, settings, 32, 32, kernel);
  uint64_t cycles = rig_word(&rig, 1, 0);
  return cycles;
}

/* A load's round trip plus the LDS's passes and latency. */
static uint64_t expected(const struct machine *machine, uint64_t bytes) {
  const struct mem_params *mem = &machine->mem;
  uint64_t fetched = 1 + mem->link_latency + div_up(bytes, mem->l2_width) - 1 + mem->l2_latency +
                     div_up(bytes, mem->link_width) + mem->link_latency;
  return fetched + div_up(bytes, machine->lds.banks * machine->lds.bank_bytes) + machine->lds.latency;
}

#define BATCH " copy.lane.b128 [at], [p + at]\n copy.lane.commit\n"

TEST(lane_own, a_wait_ends_when_the_bytes_are_in_the_lds) {
  struct machine machine;
  ASSERT_TRUE(rig_machine(&machine, ""));
  /* the copy issues a cycle after the clock was read */
  EXPECT_EQ(wait_cycles("mem.dram_latency=1 mem.dram_width=65536", BATCH, 0), 1 + expected(&machine, 512) + 1);
  EXPECT_EQ(wait_cycles("mem.dram_latency=1 mem.dram_width=65536 cu.lane_wait_latency=40", BATCH, 0),
            1 + expected(&machine, 512) + 40);
}

TEST(lane_own, a_wait_does_not_wait_for_the_last_batches) {
  const char *settings = "mem.dram_latency=1 mem.dram_width=65536";
  uint64_t one = wait_cycles(settings, BATCH, 0), first = wait_cycles(settings, BATCH BATCH, 1),
           both = wait_cycles(settings, BATCH BATCH, 0);
  EXPECT_EQ(first, one);
  EXPECT_GT(both, one);
  EXPECT_EQ(wait_cycles(settings, BATCH BATCH, 2), 6); /* five instructions, none of which waits */
  EXPECT_EQ(wait_cycles(settings, " copy.lane.commit\n copy.lane.commit\n", 0), 4);
  /* copies that no commit has ended are not a batch */
  EXPECT_EQ(wait_cycles(settings, " copy.lane.b128 [at], [p + at]\n", 0), 3);
}

TEST(lane_own, a_batch_beyond_the_limit_of_open_ones_waits_for_the_oldest) {
  char copies[16384] = "";
  size_t length = 0;
  for (unsigned i = 0; i < ISA_LANE_BATCHES; i++)
    length += (size_t)snprintf(copies + length, sizeof copies - length, "%s", BATCH);
  const char *settings = "cu.accesses=128 mem.link_latency=1000";
  uint64_t most = wait_cycles(settings, copies, ISA_LANE_BATCHES);
  snprintf(copies + length, sizeof copies - length, "%s", BATCH);
  EXPECT_EQ(most, 1 + 2 * ISA_LANE_BATCHES + 1);
  EXPECT_GT(wait_cycles(settings, copies, ISA_LANE_BATCHES), most + 2000);
}

TEST(lane_own, a_warp_ends_after_its_copies) {
  ct_freed(rig_free) struct rig rig;
  rig_run(&rig, "", 32, 32, HEAD " copy.lane.b128 [at], [p + at]\n exit\n");
  EXPECT_EQ(rig.result.end, END_FINISHED);
  EXPECT_GT(rig.result.cycles, 2 * rig.machine.mem.link_latency + rig.machine.mem.l2_latency);
}
