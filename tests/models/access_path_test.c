/* How a warp's accesses leave its compute unit: lines, partial stores, fences, operands that are read late. */
#include <stdio.h>

#include "tests/ct.h"
#include "tests/models/rig.h"

/* Cycles between the two clocks around `code`. r7 is the lane's number, r8 is r7 times `pitch`. */
static uint64_t cycles(const char *settings, unsigned pitch, const char *code) {
  char kernel[4096], all[256];
  ct_freed(rig_free) struct rig rig;
  snprintf(kernel, sizeof kernel,
           ".kernel k\n.arg out global\n.arg data global\n.lds t 4096\n ld.arg.b64 r0, out\n ld.arg.b64 r2, data\n"
           " get.local_id r7, x\n mul.i32 r8, r7, %u\n ld.global.b32 r10, [r2 + r8]\n add.i32 r10, r10, 0\n"
           " get.clock r4\n%s get.clock r12\n"
           " sub.i64 r4, r12, r4\n st.global.b64 [r0], r4\n exit\n",
           pitch, code);
  snprintf(all, sizeof all, "mem.dram_latency=1 mem.dram_width=65536 mem.l2_width=65536 mem.link_width=1024 %s",
           settings);
  rig_run(&rig, all, 32, 32, kernel);
  uint64_t found = rig_word(&rig, 0, 0);
  return found;
}

#define LOAD " ld.global.b32 r10, [r2 + r8]\n add.i32 r10, r10, 0\n"
#define STORE " st.global.b32 [r2 + r8], r10\n"

TEST(access_path, each_line_of_a_load_is_an_interval_of_the_port) {
  for (unsigned lines = 1; lines <= 32; lines *= 2)
    for (unsigned interval = 1; interval <= 3; interval++) {
      char settings[64];
      ct_note("%u lines of %u", lines, interval);
      snprintf(settings, sizeof settings, "cu.line_interval=%u", interval);
      /* a line is 128 bytes: this pitch makes the lanes touch `lines` lines */
      uint64_t one = cycles("", 4 * lines, LOAD);
      EXPECT_EQ(cycles(settings, 4 * lines, LOAD), one + lines * interval - 1);
    }
}

TEST(access_path, loads_follow_each_other_at_the_rate_of_their_lines) {
  const char *settings = "cu.line_interval=1";
  const char *two = " ld.global.b32 r10, [r2 + r8]\n ld.global.b32 r11, [r2 + r8]\n add.i32 r10, r10, r11\n";
  EXPECT_EQ(cycles(settings, 128, two), cycles(settings, 128, LOAD) + 32);
  EXPECT_EQ(cycles("", 128, two), cycles("", 128, LOAD) + 1);
}

#define DRAINED " fence.global\n"

TEST(access_path, a_partly_written_line_carries_its_mask) {
  /* 32 lanes of 4 bytes: whole sectors of one line. 8 bytes apart: two lines in which all sectors are partial. */
  const char *mask = "mem.write_mask=32 mem.link_up_width=32", *none = "mem.link_up_width=32";
  EXPECT_EQ(cycles(mask, 4, STORE DRAINED), cycles(none, 4, STORE DRAINED));
  EXPECT_EQ(cycles(mask, 8, STORE DRAINED), cycles(none, 8, STORE DRAINED) + 2);
  EXPECT_EQ(cycles(mask, 32, STORE DRAINED), cycles(none, 32, STORE DRAINED) + 8);
  EXPECT_EQ(cycles(mask, 128, STORE DRAINED), cycles(none, 128, STORE DRAINED) + 32);
}

TEST(access_path, stores_stop_when_the_queue_for_the_link_is_full) {
  char code[2048] = "";
  size_t length = 0;
  for (unsigned i = 0; i < 32; i++)
    length += (size_t)snprintf(code + length, sizeof code - length, STORE);
  /* 32 stores of 32 sectors: 32 cycles each */
  const char *narrow = "mem.link_up_width=32";
  uint64_t free_way = cycles(narrow, 128, code);
  EXPECT_LE(free_way, 36); /* one a cycle, except for the port's credits */
  for (unsigned kept = 4; kept <= 16; kept *= 2) {
    char settings[96];
    snprintf(settings, sizeof settings, "%s mem.link_up_queue=%u", narrow, kept);
    uint64_t issued = cycles(settings, 128, code);
    ct_note("%u stores wait", kept);
    /* the last store issues when all but those that wait and those in the port's queue have passed */
    EXPECT_LE(issued, (32 - kept) * 32u);
    EXPECT_GT(issued, (32 - kept - 6) * 32u);
  }
}

TEST(access_path, stores_stop_when_the_limit_of_bytes_in_flight_is_reached) {
  char code[2048] = "";
  size_t length = 0;
  for (unsigned i = 0; i < 32; i++)
    length += (size_t)snprintf(code + length, sizeof code - length, STORE);
  const char *narrow = "mem.link_up_width=32";
  for (unsigned kept = 8; kept <= 16; kept += 4) { /* more than a round trip takes, so the link is always busy */
    char settings[96];
    snprintf(settings, sizeof settings, "%s cu.store_room=%u", narrow, kept * 1024);
    uint64_t issued = cycles(settings, 128, code), more = cycles(settings, 128, code + strlen(STORE));
    ct_note("%u stores of 32 sectors in flight", kept);
    EXPECT_EQ(issued - more, 32); /* the rate of the link */
    snprintf(settings, sizeof settings, "%s cu.store_room=%u", narrow, kept * 1024 - 1023);
    EXPECT_EQ(cycles(settings, 128, code), issued); /* room for one byte is enough */
    snprintf(settings, sizeof settings, "%s cu.store_room=%u", narrow, kept * 1024 + 1);
    EXPECT_EQ(cycles(settings, 128, code), issued - 32);
  }
}

TEST(access_path, a_write_takes_as_many_queue_slots_as_its_data_need) {
  char code[2048] = "";
  size_t length = 0;
  for (unsigned i = 0; i < 32; i++)
    length += (size_t)snprintf(code + length, sizeof code - length, STORE);
  static const char *const queue = "mem.link_up_width=32 mem.link_up_queue=%u mem.link_up_place=%u";
  uint64_t issued[5];
  /* a store has 128 bytes: it takes one slot, one, two, all four, and one if slots have no size */
  static const unsigned places[5][2] = {{8, 256}, {8, 128}, {8, 127}, {4, 1}, {4, 0}};
  for (int i = 0; i < 5; i++) {
    char settings[96];
    snprintf(settings, sizeof settings, queue, places[i][0], places[i][1]);
    issued[i] = cycles(settings, 128, code);
  }
  EXPECT_EQ(issued[0], issued[1]);
  EXPECT_EQ(issued[2], issued[4]);          /* twice as many slots, and each store takes two */
  EXPECT_EQ(issued[3], issued[4] + 3 * 32); /* one store waits instead of four */
}

TEST(access_path, a_fence_of_global_memory_has_its_latency) {
  uint64_t fence = cycles("", 4, STORE DRAINED);
  EXPECT_EQ(cycles("cu.fence_latency=100", 4, STORE DRAINED), fence + 99);
  EXPECT_EQ(cycles("cu.fence_latency=100", 4, STORE " fence.lds\n"), cycles("", 4, STORE " fence.lds\n"));
  EXPECT_EQ(cycles("cu.fence_interval=50", 4, " fence.lds\n fence.lds\n"),
            cycles("", 4, " fence.lds\n fence.lds\n") + 49);
}

TEST(access_path, registers_are_overwritten_only_after_an_access_has_read_them) {
  const char *address = STORE " add.i32 r8, r8, 4\n", *data = STORE " add.i32 r10, r10, 4\n";
  const char *other = STORE " add.i32 r11, r8, 4\n";
  uint64_t at_issue = cycles("", 4, address);
  EXPECT_EQ(cycles("cu.operand_latency=12", 4, address), at_issue + 11);
  EXPECT_EQ(cycles("cu.operand_latency=12", 4, data), at_issue + 11);
  EXPECT_EQ(cycles("cu.operand_latency=12", 4, other), at_issue);
  const char *farther = "cu.operand_latency=12 cu.global_operand_latency=22";
  EXPECT_EQ(cycles(farther, 4, address), at_issue + 21);
  EXPECT_EQ(cycles(farther, 4, data), at_issue + 21);
  const char *lds = " ld.lds.b32 r9, [r7]\n add.i32 r7, r7, 4\n";
  EXPECT_EQ(cycles(farther, 4, lds), cycles("", 4, lds) + 11);
  const char *stored = " st.lds.b32 [r7], r9\n add.i32 r7, r7, 4\n";
  EXPECT_EQ(cycles("cu.operand_latency=12 cu.lds_data_interval=3", 4, stored),
            cycles("cu.operand_latency=12", 4, stored) + 3); /* until its data have left */
  const char *place = " copy.lane.b32 [r7], [r2 + r8]\n add.i32 r7, r7, 4\n";
  const char *from = " copy.lane.b32 [r7], [r2 + r8]\n add.i32 r8, r8, 4\n";
  EXPECT_EQ(cycles(farther, 4, place), cycles("", 4, place) + 11);
  EXPECT_EQ(cycles(farther, 4, from), cycles("", 4, from) + 21);
}

TEST(access_path, a_lane_copy_occupies_the_port_for_its_minimum_time) {
  const char *copies = " copy.lane.b32 [r8], [r2 + r8]\n copy.lane.b32 [r8], [r2 + r8]\n copy.lane.commit\n"
                       " copy.lane.wait 0\n";
  uint64_t one = cycles("", 4, copies);
  EXPECT_EQ(cycles("cu.copy_lane_interval=4", 4, copies), one + 3 + 3);
}

TEST(access_path, copies_of_16_bytes_that_bypass_the_tags_take_one_sector_at_a_time) {
  /* 32 lanes of 16 bytes. Adjacent: 4 whole lines. 32 bytes apart: 8 lines of 4 half sectors. 128 bytes apart: 32
   * lines. */
  const char *copy = " copy.lane.b128 [r7], [r2 + r8]\n copy.lane.commit\n copy.lane.wait 0\n";
  const char *tags = "cu.line_interval=1", *past = "cu.line_interval=1 cu.copy_lane_past=16";
  EXPECT_EQ(cycles(past, 16, copy), cycles(tags, 16, copy));
  EXPECT_EQ(cycles(past, 32, copy), cycles(tags, 32, copy) + 32 - 8);
  EXPECT_EQ(cycles(past, 128, copy), cycles(tags, 128, copy));
  const char *narrow = " copy.lane.b64 [r7], [r2 + r8]\n copy.lane.commit\n copy.lane.wait 0\n";
  EXPECT_EQ(cycles(past, 32, narrow), cycles(tags, 32, narrow));
}

TEST(access_path, a_lane_copy_does_not_wait_for_registers_to_be_filled) {
  const char *copy = " copy.lane.b32 [r8], [r2 + r8]\n copy.lane.commit\n copy.lane.wait 0\n";
  EXPECT_EQ(cycles("mem.fill_latency=50", 4, LOAD), cycles("", 4, LOAD) + 50);
  EXPECT_EQ(cycles("mem.fill_latency=50", 4, copy), cycles("", 4, copy));
}

TEST(access_path, the_ports_queue_lets_warps_continue) {
  char code[1024] = "";
  for (size_t i = 0, length = 0; i < 8; i++)
    length += (size_t)snprintf(code + length, sizeof code - length, " ld.global.b32 r%zu, [r2 + r8]\n", 20 + i);
  /* eight loads of 32 lines: the last issues when the queue has room behind the waiting ones */
  EXPECT_EQ(cycles("cu.line_interval=1 cu.global_queue=16", 128, code), 9);
  uint64_t four = cycles("cu.line_interval=1 cu.global_queue=4", 128, code);
  EXPECT_GT(four, 2 * 32);
  EXPECT_LE(four, 4 * 32);
}
