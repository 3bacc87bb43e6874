/* Engines that several compute units share: the cost of the hub, whose LDS gets which data, and that one shared engine
 * is slower than private ones. */
#include <stdio.h>

#include "tests/ct.h"
#include "tests/models/rig.h"

static const char one_copy[] = ".kernel k\n.arg src global\n.lds t 1024\n.reg e\n.reg64 p\n ld.arg.b64 p, src\n"
                               " copy.to_lds e, [t], [p], 1024, size=1\n wait e\n exit\n";

TEST(shared_engine, a_copy_takes_four_cycles_more_than_with_a_private_engine) {
  ct_freed(rig_free) struct rig own, shared;
  rig_run(&own, "cu.count=2", 32, 32, one_copy);
  rig_run(&shared, "cu.count=2 dma.cus=2", 32, 32, one_copy);
  EXPECT_EQ(shared.result.cycles, own.result.cycles + 4);
  /* The fourth cycle is the completion's way from the hub to the CU. */
  EXPECT_EQ(shared.result.dma_latency->maximum, own.result.dma_latency->maximum + 3);
  EXPECT_EQ(shared.result.dma.requests, own.result.dma.requests);
  EXPECT_EQ(shared.result.dma.bytes, 1024);
}

/* Each group copies its own kilobyte in, adds 1, and copies it out again, twice in each loop. */
static const char own_block[] =
    ".kernel k\n.arg src global\n.arg dst global\n.lds t 1024\n.reg e\n.reg v\n.reg g\n.reg l\n.reg64 p\n.reg64 q\n"
    " get.group_id g, x\n shl.b32 g, g, 10\n ld.arg.b64 p, src\n ld.arg.b64 q, dst\n"
    " mad.wide.u32 p, g, 1, p\n mad.wide.u32 q, g, 1, q\n get.local_id l, x\n shl.b32 l, l, 2\n"
    " copy.to_lds e, [t], [p], 1024, size=1\n wait e\n"
    " ld.lds.b32 v, [l + t]\n add.i32 v, v, 1\n st.lds.b32 [l + t], v\n bar.lds\n"
    " mov.b32 e, 0\n copy.to_global e, [q], [t], 1024, size=1\n wait e\n exit\n";

enum { GROUPS = 24 };

static uint64_t run_blocks(const char *settings) {
  ct_freed(rig_free) struct rig rig;
  rig_run(&rig, settings, GROUPS * 32, 32, own_block);
  EXPECT_EQ(rig.result.dma.descriptors, 2 * GROUPS);
  EXPECT_EQ(rig.result.dma.bytes, 2 * GROUPS * 1024);
  for (uint32_t word = 0; word < GROUPS * 256; word++) {
    ct_note("%s, word %u", settings, word);
    EXPECT_EQ(rig_word(&rig, 1, word), word + (word % 256 < 32));
  }
  uint64_t cycles = rig.result.cycles;
  return cycles;
}

TEST(shared_engine, data_go_to_the_lds_of_the_requesting_unit) {
  run_blocks("cu.count=2 dma.cus=2");
  run_blocks("cu.count=8 dma.cus=8 dma.engines=3");
  run_blocks("cu.count=7 dma.cus=4 dma.queue=1 dma.channels=1 lds.dma_port=separate"); /* the last three units share an
                                                                                          engine */
  run_blocks("cu.count=4 dma.cus=4 dma.outstanding=1 dma.decoupling=off");
}

TEST(shared_engine, copies_take_longer_with_more_units_per_engine) {
  uint64_t one = run_blocks("cu.count=8 dma.channels=1"), two = run_blocks("cu.count=8 dma.channels=1 dma.cus=2"),
           all = run_blocks("cu.count=8 dma.channels=1 dma.cus=8");
  EXPECT_GT(two, one);
  EXPECT_GT(all, two);
  /* One channel for all: its copies run one after the other. */
  EXPECT_GT(all, 3 * one);
  /* Eight engines for eight units are one each, plus the hub. */
  EXPECT_LT(run_blocks("cu.count=8 dma.channels=1 dma.cus=8 dma.engines=8"), all / 2);
}

/* Total cycles that the requests of an outbound copy are in flight; the LDS takes 64 cycles for each. */
static uint64_t in_flight(const char *settings, unsigned requests) {
  char all[128], text[400];
  ct_freed(rig_free) struct rig rig;
  snprintf(all, sizeof all, "dma.read_width=1 dma.outstanding=256 %s", settings);
  snprintf(text, sizeof text,
           ".kernel k\n.arg src global\n.arg dst global\n.lds t 4096\n.reg e\n.reg64 p\n ld.arg.b64 p, dst\n"
           " copy.to_global e, [p], [t], %u, size=1\n wait e\n exit\n",
           64 * requests);
  rig_run(&rig, all, 32, 32, text);
  EXPECT_EQ(rig.result.dma.requests, requests);
  return rig.result.dma.outstanding_cycles;
}

/* If the LDS is slow, each request leaves the engine as many services early as there are slots on the way: those of the
 * LDS's port, and the hub's four. */
TEST(shared_engine, the_hub_buffers_four_more_requests_for_a_slow_lds) {
  const uint64_t own = in_flight("", 40) - in_flight("", 30);
  const uint64_t shared = in_flight("cu.count=2 dma.cus=2", 40) - in_flight("cu.count=2 dma.cus=2", 30);
  EXPECT_EQ(shared - own, 10 * 4 * 64);
}

/* A unit whose queue is never empty cannot lock out the others: they take turns. */
TEST(shared_engine, units_are_served_in_turn) {
  ct_freed(rig_free) struct rig rig;
  static const char loops[] = ".kernel k\n.arg src global\n.lds t 256\n.reg e\n.reg n\n.reg64 p\n.pred c\n"
                              " ld.arg.b64 p, src\n mov.b32 n, 16\n"
                              "again:\n mov.b32 e, 0\n copy.to_lds e, [t], [p], 256, size=1\n wait e\n"
                              " sub.i32 n, n, 1\n setp.ne.u32 c, n, 0\n @c bra again\n exit\n";
  rig_run(&rig, "cu.count=4 dma.cus=4 dma.channels=1 dma.queue=1", 4 * 32, 32, loops);
  EXPECT_EQ(rig.result.dma.descriptors, 64);
  /* Served in turn, all end at about the same time: no copy waits for more than three copies of others. */
  EXPECT_LT(rig.result.dma_latency->maximum, 6 * rig.result.dma_latency->minimum);
}
