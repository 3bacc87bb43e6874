/* Pipes in time: the cost of operations, waiting, rules that every run checks, kernels that never end.
 * tests/isa/pipe_test.c tests the meaning of the operations. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/pipes.h"
#include "tests/ct.h"
#include "tests/kernels.h"
#include "tests/models/rig.h"

#define HEAD                                                                                                           \
  ".kernel k\n.arg fifo pipe\n.arg other pipe\n.arg out global\n.reg i, n, w\n.reg64 p, o, q, id, at\n.pred c\n"       \
  " ld.arg.b64 p, fifo\n ld.arg.b64 o, other\n ld.arg.b64 q, out\n get.local_id i, x\n"
#define RESERVE " pipe.reserve.write id, [p], 1, kind=item\n"
#define WRITE " pipe.slot.write at, [p], id, 0, size=4\n st.global.b32 [at], i\n"
#define COMMIT " fence.global\n pipe.commit.write [p], id, kind=item\n"

static const struct {
  enum isa_hazard_rule rule;
  const char *settings, *wrong, *right;
} twins[] = {
    {HAZARD_Q10, "mem.pipe_reservations=31",
     HEAD " setp.lt.u32 c, i, 32\n@!c exit\n" RESERVE " setp.ne.u64 c, id, 0\n@!c exit\n" WRITE COMMIT " exit\n",
     HEAD " setp.lt.u32 c, i, 31\n@!c exit\n" RESERVE " setp.ne.u64 c, id, 0\n@!c exit\n" WRITE COMMIT " exit\n"},
    {HAZARD_R2, "", HEAD " pipe.commit.write [p], id, kind=item\n exit\n", HEAD RESERVE WRITE COMMIT " exit\n"},
    {HAZARD_R2, "", HEAD " mov.b64 id, -1\n pipe.slot.write at, [p], id, 0, size=4\n exit\n",
     HEAD RESERVE WRITE COMMIT " exit\n"},
    {HAZARD_R3, "", HEAD RESERVE WRITE " pipe.slot.write at, [p], id, 1, size=4\n" COMMIT " exit\n",
     HEAD RESERVE WRITE WRITE COMMIT " exit\n"},
    {HAZARD_R4, "", HEAD RESERVE WRITE COMMIT COMMIT " exit\n", HEAD RESERVE WRITE COMMIT " exit\n"},
    {HAZARD_R4, "", HEAD RESERVE WRITE COMMIT " pipe.slot.write at, [p], id, 0, size=4\n exit\n",
     HEAD RESERVE WRITE COMMIT " exit\n"},
    {HAZARD_R5, "",
     HEAD RESERVE WRITE COMMIT
     " fence.global\n bar\n pipe.reserve.read id, [p], 1, kind=item\n mov.b64 id, id\n exit\n",
     HEAD RESERVE WRITE COMMIT " fence.global\n bar\n pipe.reserve.read id, [p], 1, kind=item\n"
                               " pipe.commit.read [p], id, kind=item\n exit\n"},
    {HAZARD_R6, "", HEAD RESERVE WRITE " exit\n", HEAD RESERVE WRITE COMMIT " exit\n"},
    {HAZARD_R7, "", HEAD RESERVE COMMIT " exit\n", HEAD RESERVE WRITE COMMIT " exit\n"},
    {HAZARD_R9, "", HEAD RESERVE WRITE " pipe.slot.write at, [o], id, 0, size=4\n" COMMIT " exit\n",
     HEAD RESERVE WRITE COMMIT " exit\n"},
    {HAZARD_R9, "", HEAD RESERVE WRITE " pipe.commit.read [p], id, kind=item\n" COMMIT " exit\n",
     HEAD RESERVE WRITE COMMIT " exit\n"},
    {HAZARD_R10, "", HEAD " setp.lt.u32 c, i, 16\n@c bar.pipe [p], id\n exit\n", HEAD " bar.pipe [p], id\n exit\n"},
    {HAZARD_R10, "", HEAD " cvt.u64.u32 id, i\n bar.pipe [p], id\n exit\n", HEAD " bar.pipe [p], id\n exit\n"},
    /* every lane of a warp agrees, but the two warps do not */
    {HAZARD_R10, "", HEAD " shr.u32 i, i, 5\n cvt.u64.u32 id, i\n bar.pipe [p], id\n exit\n",
     HEAD " shr.u32 i, i, 6\n cvt.u64.u32 id, i\n bar.pipe [p], id\n exit\n"},
    /* one lane of a sub-group reserves for all lanes that have not exited */
    {HAZARD_R10, "",
     HEAD " get.lane i\n setp.ge.u32 c, i, 16\n@c exit\n setp.eq.u32 c, i, 0\n"
          "@c pipe.reserve.write id, [p], 1, kind=subgroup\n@c pipe.slot.write at, [p], id, 0, size=4\n"
          "@c st.global.b32 [at], i\n fence.global\n@c pipe.commit.write [p], id, kind=subgroup\n exit\n",
     HEAD " get.lane i\n setp.ge.u32 c, i, 32\n@c exit\n setp.eq.u32 c, i, 0\n"
          "@c pipe.reserve.write id, [p], 1, kind=subgroup\n@c pipe.slot.write at, [p], id, 0, size=4\n"
          "@c st.global.b32 [at], i\n fence.global\n@c pipe.commit.write [p], id, kind=subgroup\n exit\n"},
    {HAZARD_R11, "", HEAD RESERVE WRITE " fence.global\n pipe.commit.write [p], id, kind=group\n exit\n",
     HEAD RESERVE WRITE COMMIT " exit\n"},
    {HAZARD_R12, "", HEAD RESERVE " pipe.slot.write at, [p], id, 0, size=8\n" COMMIT " exit\n",
     HEAD RESERVE " pipe.slot.write at, [p], id, 0, size=4\n" COMMIT " exit\n"},
    {HAZARD_M1, "", HEAD " pipe.num n, [q]\n exit\n", HEAD " pipe.num n, [p]\n exit\n"},
};

TEST(pipes, each_rule_is_reported_for_the_wrong_kernel_alone) {
  bool seen[HAZARDS] = {[HAZARD_R8] = true}; /* takes two launches: below */
  for (size_t i = 0; i < sizeof twins / sizeof *twins; i++) {
    ct_freed(rig_free) struct rig wrong, right;
    ct_note("%s, twin %zu", isa_hazard_rows[twins[i].rule].rule, i);
    rig_run(&wrong, twins[i].settings, 64, 64, twins[i].wrong);
    EXPECT_GT(rig_hazards(&wrong, twins[i].rule), 0);
    EXPECT_EQ(wrong.result.hazard_count, 1);
    rig_run(&right, twins[i].settings, 64, 64, twins[i].right);
    EXPECT_EQ(right.result.hazard_count, 0);
    EXPECT_EQ(right.result.end, END_FINISHED);
    seen[twins[i].rule] = true;
  }
  for (unsigned rule = HAZARD_Q10; rule <= HAZARD_R12; rule++) {
    ct_note("%s", isa_hazard_rows[rule].rule);
    EXPECT_TRUE(seen[rule] || isa_hazard_rows[rule].by == ISA_BY_CHECK);
  }
}

TEST(pipes, a_hazard_names_the_reservation) {
  struct rig rig;
  rig_run(&rig, "", 1, 1, HEAD " pipe.commit.write [p], id, kind=item\n exit\n");
  EXPECT_STREQ(rig.result.hazards[0].first.detail, "the id of a failed reservation (0), in pipe 'fifo'");
  rig_free(&rig);
  rig_run(&rig, "", 1, 1, HEAD " pipe.reserve.write id, [p], 3, kind=item\n" WRITE COMMIT " exit\n");
  EXPECT_STREQ(rig.result.hazards[0].first.detail, "a write of 3 packets from position 0, used with pipe 'fifo'");
  rig_free(&rig);
}

TEST(pipes, an_operation_costs_as_much_as_an_atomic_on_the_header) {
  static const char *const settings[] = {"", "mem.link_latency=3", "mem.l2_latency=17 mem.dram_latency=31",
                                         "mem.link_width=8 mem.l2_width=16", "mem.atomic_interval=5"};
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
    const uint64_t atomic =
        rig_cycles(settings[i], 32, 32, HEAD " atom.global.add.i64 id, [p + 64], at\n mov.b64 id, id\n exit\n");
    ct_note("%s", settings[i]);
    EXPECT_EQ(rig_cycles(settings[i], 32, 32, HEAD " pipe.num n, [p]\n mov.b32 n, n\n exit\n"), atomic);
    EXPECT_EQ(
        rig_cycles(settings[i], 32, 32, HEAD " pipe.reserve.read id, [p], 1, kind=item\n mov.b64 id, id\n exit\n"),
        atomic);
  }
}

/* Group 0 reads and waits; group 1 writes after a chain of `delay` loads that miss. */

TEST(pipes, a_waiting_reservation_is_served_by_the_commit_it_waits_for) {
  ct_freed(rig_free) struct rig rig;
  rig_run(&rig, "", 64, 32, CT_KERNEL(waiting));
  EXPECT_EQ(rig.result.end, END_FINISHED);
  for (uint32_t i = 0; i < 32; i++)
    EXPECT_EQ(rig_word(&rig, 1, i), i + 7);
  const struct isa_pipe_stats *stats = &rig.result.pipes[0].stats;
  EXPECT_EQ(stats->held, 1);
  EXPECT_EQ(stats->empty, 0);
  EXPECT_EQ(stats->reservations, 64);
  EXPECT_EQ(stats->written, 32);
  EXPECT_EQ(stats->read, 32);
  EXPECT_EQ(stats->most, 32);
  EXPECT_EQ(rig.result.pipes[0].left, 0);
  EXPECT_GT(rig.result.stalls[STALL_PIPE_EMPTY], 302);
  EXPECT_EQ(rig.result.stalls[STALL_PIPE_FULL], 0);
}

TEST(pipes, a_waiting_reservations_time_follows_the_writer) {
  ct_freed(rig_free) struct rig fast, slow;
  rig_run(&fast, "mem.l2_size=0 mem.dram_latency=100", 64, 32, CT_KERNEL(waiting));
  rig_run(&slow, "mem.l2_size=0 mem.dram_latency=200", 64, 32, CT_KERNEL(waiting));
  /* without an L2 each access takes 100 cycles more, an atomic one only once: load, reserve, store before the commit */
  EXPECT_EQ(slow.result.stalls[STALL_PIPE_EMPTY] - fast.result.stalls[STALL_PIPE_EMPTY] >= 300, true);
}

TEST(pipes, packets_in_the_pipe_are_integrated_over_cycles) {
  /* one packet is committed and stays, from the commit's acceptance after a fence until the end of the launch. That is
   * the commit's reply: l2_latency, then the sector's way back. */
  ct_freed(rig_free) struct rig rig;
  rig_run(&rig, "mem.l2_latency=60 mem.link_latency=20 mem.link_width=64", 1, 1, HEAD RESERVE WRITE COMMIT " exit\n");
  EXPECT_EQ(rig.result.pipes[0].stats.packet_cycles, 60 + 1 + 20);
  EXPECT_EQ(rig.result.pipes[0].left, 1);
  EXPECT_EQ(rig.result.pipes[1].stats.packet_cycles, 0);
}

/* ---- kernels that never end ----------------------------------------------------------------------- */

TEST(pipes, a_reservation_that_is_never_served_is_a_deadlock_that_names_the_pipe) {
  struct rig rig;
  rig_run(&rig, "", 64, 64, HEAD " pipe.reserve.read.wait id, [o], 1, kind=item\n mov.b64 id, id\n exit\n");
  EXPECT_EQ(rig.result.end, END_DEADLOCK);
  ASSERT_EQ(rig.result.stuck_count, 2);
  for (unsigned i = 0; i < 2; i++) {
    EXPECT_EQ(rig.result.stuck[i].stall, STALL_PIPE_EMPTY);
    EXPECT_TRUE(rig.result.stuck[i].pipe == &rig.pipes[1]);
    EXPECT_FALSE(rig.result.stuck[i].spins);
  }
  rig_free(&rig);
  /* 64 packets are room for two warps of 32, not for a third */
  rig_run(&rig, "", 96, 32, HEAD " pipe.reserve.write.wait id, [p], 1, kind=item\n mov.b64 id, id\n exit\n");
  EXPECT_EQ(rig.result.end, END_DEADLOCK);
  ASSERT_EQ(rig.result.stuck_count, 1);
  EXPECT_EQ(rig.result.stuck[0].stall, STALL_PIPE_FULL);
  EXPECT_TRUE(rig.result.stuck[0].pipe == &rig.pipes[0]);
  rig_free(&rig);
}

#define SPIN "again: pipe.reserve.read id, [p], 1, kind=item\n setp.eq.u64 c, id, 0\n@c bra again\n"

TEST(pipes, a_deadlocked_launch_ends_when_its_last_warp_starts_to_wait) {
  ct_freed(rig_free) struct rig rig;
  rig_run(&rig, "cu.barrier_latency=900", 64, 64,
          HEAD " pipe.reserve.read.wait id, [o], 1, kind=item\n bar.lds\n mov.b64 id, id\n exit\n");
  EXPECT_EQ(rig.result.end, END_DEADLOCK);
  EXPECT_GT(rig.result.cycles, 900);
  EXPECT_LT(rig.result.cycles, 1000);
  EXPECT_GE(rig.result.stalls[STALL_BARRIER], 2 * 890);
  EXPECT_EQ(rig.result.stuck_count, 2);
}

TEST(pipes, a_kernel_that_spins_on_an_empty_pipe_is_a_deadlock_after_a_million_cycles) {
  ct_freed(rig_free) struct rig rig;
  rig_run(&rig, "", 64, 64, HEAD SPIN " exit\n");
  EXPECT_EQ(rig.result.end, END_DEADLOCK);
  ASSERT_EQ(rig.result.stuck_count, 2);
  EXPECT_EQ(rig.result.stuck[0].stall, STALL_PIPE_EMPTY);
  EXPECT_TRUE(rig.result.stuck[0].pipe == &rig.pipes[0]);
  EXPECT_TRUE(rig.result.stuck[0].spins);
  EXPECT_GT(rig.result.cycles, 1000000 - 500);
  EXPECT_LT(rig.result.cycles, 1200000);
}

TEST(pipes, a_kernel_that_spins_while_the_other_warps_are_blocked_is_a_deadlock) {
  ct_freed(rig_free) struct rig rig;
  rig_run(&rig, "cu.count=2", 4 * 64, 64,
          HEAD " get.group_id n, x\n setp.eq.u32 c, n, 0\n@c bra again\n setp.eq.u32 c, n, 1\n@c bra held\n"
               " setp.lt.u32 c, i, 32\n@c bra again\n bar\n exit\n"
               "held: pipe.reserve.read.wait id, [o], 1, kind=item\n mov.b64 id, id\n exit\n" SPIN " exit\n");
  unsigned spins = 0, held = 0, barrier = 0;
  EXPECT_EQ(rig.result.end, END_DEADLOCK);
  EXPECT_EQ(rig.result.stuck_count, 8);
  for (size_t i = 0; i < rig.result.stuck_count; i++) {
    spins += rig.result.stuck[i].spins;
    held += rig.result.stuck[i].pipe && !rig.result.stuck[i].spins;
    barrier += rig.result.stuck[i].stall == STALL_BARRIER && !rig.result.stuck[i].pipe;
  }
  EXPECT_EQ(spins, 2 + 1 + 1);
  EXPECT_EQ(held, 2);
  EXPECT_EQ(barrier, 2);
}

TEST(pipes, a_kernel_that_spins_while_another_work_group_computes_is_no_deadlock) {
  /* group 1 counts for more than a million cycles, 13 a round, and then writes the packet for which group 0 spins */
  ct_freed(rig_free) struct rig rig;
  rig_run(&rig, "", 2, 1,
          HEAD " get.group_id n, x\n setp.eq.u32 c, n, 0\n@c bra again\n mov.b32 n, 120000\n"
               "count: sub.i32 n, n, 1\n setp.ne.u32 c, n, 0\n@c bra count\n" RESERVE WRITE COMMIT " exit\n" SPIN
               " pipe.commit.read [p], id, kind=item\n exit\n");
  EXPECT_EQ(rig.result.end, END_FINISHED);
  EXPECT_GT(rig.result.cycles, 1200000);
  EXPECT_GT(rig.result.pipes[0].stats.empty, 1000);
  EXPECT_EQ(rig.result.pipes[0].stats.read, 1);
}

TEST(pipes, a_parked_warp_that_computes_again_prevents_a_deadlock_of_spinning_warps) {
  /* Warp 0 waits for warp 1's packet, counts for more than a million cycles, and then writes the packet for which warp
   * 1 spins. */
  ct_freed(rig_free) struct rig rig;
  rig_run(&rig, "", 64, 64,
          HEAD
          ".reg first\n get.warp first\n get.lane n\n setp.ne.u32 c, n, 0\n@c exit\n setp.ne.u32 c, first, 0\n@c bra "
          "other\n"
          " pipe.reserve.read.wait id, [o], 1, kind=item\n pipe.commit.read [o], id, kind=item\n mov.b32 n, 120000\n"
          "count: sub.i32 n, n, 1\n setp.ne.u32 c, n, 0\n@c bra count\n" RESERVE WRITE COMMIT " exit\n"
          "other: mov.b32 n, 1000\nslow: sub.i32 n, n, 1\n setp.ne.u32 c, n, 0\n@c bra slow\n"
          " pipe.reserve.write id, [o], 1, kind=item\n pipe.slot.write at, [o], id, 0, size=4\n"
          " st.global.b32 [at], i\n fence.global\n pipe.commit.write [o], id, kind=item\n" SPIN
          " pipe.commit.read [p], id, kind=item\n exit\n");
  EXPECT_EQ(rig.result.end, END_FINISHED);
  EXPECT_GT(rig.result.cycles, 1200000);
  EXPECT_EQ(rig.result.pipes[1].stats.held, 1);
  EXPECT_EQ(rig.result.pipes[0].stats.read, 1);
}

/* ---- launches, laws -------------------------------------------------------------------------------- */

TEST(pipes, packets_persist_between_launches_and_ids_do_not) {
  ct_freed(rig_free) struct rig rig;
  uint64_t id = 0;
  rig_run(&rig, "", 1, 1, HEAD RESERVE WRITE " st.global.b64 [q], id\n exit\n");
  EXPECT_EQ(rig_hazards(&rig, HAZARD_R6), 1);
  memcpy(&id, rig.buffers[0].data, sizeof id);
  EXPECT_NE(id, 0);
  isa_pipe_launch(&rig.pipes[0], 1024);
  EXPECT_EQ(isa_pipe_commit(&rig.pipes[0], ISA_PIPE_WRITE, ISA_PIPE_ITEM, id), HAZARD_R8);
  EXPECT_EQ(isa_pipe_available(&rig.pipes[0], ISA_PIPE_READ), 1);
}

/* Eight groups write packets, eight read what is there in eight attempts, and all store what they got: timing decides
 * who gets what. */

TEST(pipes, the_order_of_evaluation_does_not_decide_who_gets_which_packet) {
  static const char *const machines[] = {"cu.count=3 mem.link_latency=3",
                                         "cu.count=5 cu.groups=2 cu.dispatch_latency=1",
                                         "cu.count=2 mem.l2_size=0 mem.link_latency=1"};
  for (size_t m = 0; m < sizeof machines / sizeof *machines; m++) {
    struct rig rig[3] = {{.order = ORDER_ASCENDING}, {.order = ORDER_DESCENDING}, {.order = ORDER_SHUFFLED}};
    for (size_t i = 0; i < 3; i++) {
      ASSERT_TRUE(rig_build(&rig[i], machines[m], 16 * 32, 32, CT_KERNEL(contended)));
      rig_start(&rig[i]);
    }
    EXPECT_GT(rig[0].result.pipes[0].stats.read, 0);
    for (size_t i = 1; i < 3; i++) {
      ct_note("%s, order %zu", machines[m], i);
      EXPECT_EQ(rig[i].result.trace_hash, rig[0].result.trace_hash);
      EXPECT_EQ(memcmp(&rig[i].result.pipes[0].stats, &rig[0].result.pipes[0].stats, sizeof(struct isa_pipe_stats)), 0);
      EXPECT_EQ(memcmp(rig[i].buffers[0].data, rig[0].buffers[0].data, RIG_BUFFER), 0);
      EXPECT_EQ(memcmp(rig[i].result.stalls, rig[0].result.stalls, sizeof rig[0].result.stalls), 0);
    }
    for (size_t i = 0; i < 3; i++)
      rig_free(&rig[i]);
  }
}

TEST(pipes, the_next_launch_reuses_parking_memory_and_one_without_pipes_has_none) {
  struct mem_pipes pipes = {0}, none = {0};
  ct_freed(rig_free) struct rig rig = {.order = ORDER_ASCENDING};
  ASSERT_TRUE(rig_build(&rig, "", 32, 32, ".kernel k\n.arg a pipe\n exit\n"));
  pipes_launch(&pipes, &rig.memory, 4, 8, 0);
  const void *const parked = pipes.parked;
  EXPECT_TRUE(parked != NULL);
  pipes_launch(&pipes, &rig.memory, 4, 8, 100);
  EXPECT_TRUE(pipes.parked == parked);
  pipes_launch(&none, NULL, 4, 8, 0);
  EXPECT_TRUE(none.parked == NULL);
  pipes_free(&pipes);
  pipes_free(&none);
}
