/* mbarriers in time: tests, waits, and when warps continue. */
#include <stdio.h>
#include <string.h>

#include "isa/ops.h"
#include "tests/ct.h"
#include "tests/models/rig.h"

/* Lane 0 of warp 0 makes the mbarrier at 8; then all warps read the clock at once. */
#define HEAD                                                                                                           \
  ".kernel k\n.arg in global\n.arg out global\n.lds l 64\n.reg i, warp, even\n.reg64 p, c[2]\n.pred one, first, t, "   \
  "u\n"                                                                                                                \
  " ld.arg.b64 p, out\n get.local_id i, x\n get.warp warp\n setp.eq.u32 one, i, 0\n setp.eq.u32 first, warp, 0\n"      \
  " mov.b32 even, 1\n@one mbarrier.init [8], even\n mov.b32 even, 0\n bar.lds\n get.clock c[0]\n"
#define TAIL " sub.i64 c[0], c[1], c[0]\n shl.b32 i, i, 3\n st.global.b64 [p + i], c[0]\n exit\n"

/* Cycles between the two clocks of warp `warp` of `warps`. */
static uint64_t cycles(const char *settings, unsigned warps, unsigned warp, const char *body) {
  char kernel[4096];
  ct_freed(rig_free) struct rig rig;
  snprintf(kernel, sizeof kernel, HEAD "%s" TAIL, body);
  rig_run(&rig, settings, 32 * warps, 32 * warps, kernel);
  EXPECT_EQ(rig.result.end, END_FINISHED);
  EXPECT_EQ(rig.result.hazard_count, 0);
  return rig_word(&rig, 1, 64 * warp);
}

/* From the issue of an access, by all lanes of a warp or by one, to its end: its passes are two if each lane has 64
 * bits. */
static uint64_t access_cycles(unsigned passes) {
  struct machine machine;
  EXPECT_TRUE(rig_machine(&machine, ""));
  return passes + machine.lds.latency;
}

TEST(mbarrier, a_test_takes_the_time_of_a_load_plus_its_own_latency) {
  const char *body = " mbarrier.test t, [8], even\n@!t get.clock c[1]\n";
  EXPECT_EQ(cycles("", 1, 0, body), 1 + access_cycles(2));
  EXPECT_EQ(cycles("cu.phase_latency=7", 1, 0, body), 1 + access_cycles(2) + 7);
}

TEST(mbarrier, a_scheduler_waits_one_interval_after_issuing_a_test) {
  const char *tests = " mbarrier.test t, [8], even\n mbarrier.test u, [8], even\n get.clock c[1]\n";
  const char *others = " mbarrier.test t, [8], even\n@one mbarrier.arrive [8]\n get.clock c[1]\n";
  const char *loads = " mbarrier.test t, [8], even\n ld.lds.b32 even, [8]\n get.clock c[1]\n";
  EXPECT_EQ(cycles("cu.phase_interval=9", 1, 0, tests), 1 + 9 + 1);
  EXPECT_EQ(cycles("cu.phase_interval=9", 1, 0, others), 1 + 9 + 1);
  EXPECT_EQ(cycles("cu.phase_interval=9", 1, 0, loads), 1 + 1 + 1);
}

TEST(mbarrier, a_cu_executes_tests_one_turn_apart_across_schedulers) {
  const char *body = " mbarrier.test t, [8], even\n@!t get.clock c[1]\n";
  for (unsigned warp = 0; warp < 4; warp++) {
    EXPECT_EQ(cycles("cu.schedulers=4 cu.phase_turn=9", 4, warp, body), 1 + access_cycles(2) + 9 * warp);
    EXPECT_EQ(cycles("cu.schedulers=4", 4, warp, body), 1 + access_cycles(2) + 2 * warp); /* the banks */
  }
}

TEST(mbarrier, a_yield_delays_its_warp_by_its_latency) {
  EXPECT_EQ(cycles("", 1, 0, " yield\n get.clock c[1]\n"), 2);
  EXPECT_EQ(cycles("cu.yield_latency=30", 1, 0, " yield\n get.clock c[1]\n"), 1 + 30);
}

TEST(mbarrier, a_try_wait_for_a_complete_phase_is_a_test_that_keeps_the_warp) {
  const char *body = " mov.b32 even, 1\n mbarrier.try_wait t, [8], even\n get.clock c[1]\n";
  const uint64_t move = 4; /* int_latency */
  EXPECT_EQ(cycles("cu.phase_latency=7 cu.phase_wake_latency=5", 1, 0, body), 1 + move + access_cycles(2) + 7 + 5);
}

/* Warp 0 arrives 100 instructions after the others start to wait. */
static uint64_t wakes(const char *settings, unsigned warp) {
  char body[2048] = "@first bra arrive\n mbarrier.try_wait t, [8], even\n@t get.clock c[1]\n bra both\narrive:\n";
  for (unsigned i = 0; i < 100; i++)
    strcat(body, " mov.b32 i, i\n");
  strcat(body, " get.clock c[0]\n@one mbarrier.arrive [8]\n mov.b64 c[1], c[0]\nboth:\n");
  char kernel[4096];
  ct_freed(rig_free) struct rig rig;
  snprintf(kernel, sizeof kernel, HEAD "%s shl.b32 i, warp, 3\n st.global.b64 [p + i], c[1]\n exit\n", body);
  rig_run(&rig, settings, 128, 128, kernel);
  EXPECT_EQ(rig.result.end, END_FINISHED);
  return rig_word(&rig, 1, 2 * warp) - rig_word(&rig, 1, 0);
}

TEST(mbarrier, the_arrival_that_ends_a_phase_wakes_waiters_one_at_a_time) {
  const char *settings = "cu.schedulers=4 cu.phase_latency=9 cu.phase_wake_latency=6 cu.phase_wake_interval=3";
  for (unsigned warp = 1; warp < 4; warp++)
    EXPECT_EQ(wakes(settings, warp), 1 + access_cycles(1) + 6 + 3 * (warp - 1));
  EXPECT_EQ(wakes("cu.schedulers=4 cu.phase_wake_latency=5", 3), 1 + access_cycles(1) + 5);
}

TEST(mbarrier, arrivals_that_never_come_are_a_deadlock_that_names_the_wait) {
  ct_freed(rig_free) struct rig rig;
  rig_run(&rig, "", 64, 64, HEAD "@first exit\n mbarrier.try_wait t, [8], even\n exit\n");
  EXPECT_EQ(rig.result.end, END_DEADLOCK);
  ASSERT_EQ(rig.result.stuck_count, 1);
  EXPECT_EQ(rig.result.stuck[0].warp, 1);
  EXPECT_TRUE(rig.result.stuck[0].phase);
  EXPECT_EQ(rig.result.stuck[0].stall, STALL_BARRIER);
  EXPECT_EQ(rig.program->code[rig.result.stuck[0].pc].op, ISA_MBARRIER_TRY_WAIT);
  EXPECT_GT(rig.result.stalls[STALL_BARRIER], 0);
}

TEST(mbarrier, a_wait_that_cannot_end_is_reported_as_a_hazard) {
  ct_freed(rig_free) struct rig rig;
  rig_run(&rig, "", 32, 32, HEAD " mbarrier.try_wait t, [16], even\n exit\n");
  EXPECT_EQ(rig.result.end, END_DEADLOCK);
  EXPECT_EQ(rig_hazards(&rig, HAZARD_M4), 1);
}

TEST(mbarrier, waiting_warps_leave_the_lds_to_others) {
  ct_freed(rig_free) struct rig rig;
  rig_run(&rig, "cu.warps=64 lds.queue=1 lds.latency=1", 2048, 2048,
          HEAD
          "@!first mbarrier.try_wait t, [8], even\n@first ld.lds.b32 even, [8]\n@one mbarrier.arrive [8]\n exit\n");
  EXPECT_EQ(rig.result.end, END_FINISHED);
}
