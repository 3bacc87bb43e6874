/* Hazards that every run reports, and deadlocks. Each wrong kernel has a correct twin. */
#include <stdio.h>
#include <string.h>

#include "tests/ct.h"
#include "tests/models/rig.h"

#define HEAD                                                                                                           \
  ".kernel k\n.arg src global\n.arg dst global\n.lds t 1024\n.reg e, f, i, n, j, k, l, m\n.reg64 p, q\n.pred c\n"      \
  " ld.arg.b64 p, src\n ld.arg.b64 q, dst\n get.local_id i, x\n setp.lt.u32 c, i, 16\n"

/* An image of floats, 64 x 64. Sampler 4 reads the border outside. */
#define IMAGE                                                                                                          \
  ".kernel k\n.arg src image2d\n.reg v[4], c[4], s, x, y\n.reg64 i, at\n ld.arg.b64 i, src\n get.local_id x, x\n"      \
  " pack.b64 at, x, y\n"

/* Two planes of three lines. */
#define LINES(ELEMENTS, LINE, PLANE)                                                                                   \
  " mov.b32 i, 2\n mov.b32 j, 3\n mov.b32 f, 4\n mov.b32 l, " #LINE "\n mov.b32 k, " #PLANE "\n mov.b32 n, " #ELEMENTS \
  "\n mov.b32 e, 0\n mov.b32 m, 0\n copy.to_lds.3d e, [m], [p], n, size=f, lines=j, planes=i, global_line=l, "         \
  "lds_line=l, global_plane=k, lds_plane=k\n wait e\n exit\n"

static const struct {
  enum isa_hazard_rule rule;
  const char *wrong, *right;
} twins[] = {
    {HAZARD_G1, HEAD " copy.to_lds e, [t], [p], i, size=4\n wait e\n exit\n",
     HEAD " mov.b32 i, 5\n copy.to_lds e, [t], [p], i, size=4\n wait e\n exit\n"},
    /* every lane of a warp agrees, but the two warps do not */
    {HAZARD_G1, HEAD " shr.u32 i, i, 5\n copy.to_lds e, [t], [p], i, size=4\n wait e\n exit\n",
     HEAD " shr.u32 i, i, 6\n copy.to_lds e, [t], [p], i, size=4\n wait e\n exit\n"},
    {HAZARD_G2,
     HEAD " get.lane i\n setp.lt.u32 c, i, 16\n@c copy.to_lds e, [t], [p], 4, size=4\n mov.b32 e, 1\n wait e\n exit\n",
     HEAD " copy.to_lds e, [t], [p], 4, size=4\n wait e\n exit\n"},
    {HAZARD_G3,
     HEAD " get.lane i\n mov.b32 n, 0\nagain: setp.ge.u32 c, i, 16\n@c bra over\n copy.to_lds e, [t], [p], 4, size=4\n"
          "over: mov.b32 e, 1\n wait e\n setp.ne.u32 c, n, 0\n@c bra again\n exit\n",
     HEAD " mov.b32 n, 2\nagain: mov.b32 e, 0\n copy.to_lds e, [t], [p], 4, size=4\n wait e\n sub.i32 n, n, 1\n"
          " setp.ne.u32 c, n, 0\n@c bra again\n exit\n"},
    /* all lanes of a warp iterate equally often, but the two warps differ */
    {HAZARD_G3,
     HEAD " shr.u32 n, i, 5\nagain: mov.b32 e, 0\n copy.to_lds e, [t], [p], 4, size=4\n wait e\n sub.i32 n, n, 1\n"
          " setp.ge.s32 c, n, 0\n@c bra again\n bar\n exit\n",
     HEAD " shr.u32 n, i, 6\nagain: mov.b32 e, 0\n copy.to_lds e, [t], [p], 4, size=4\n wait e\n sub.i32 n, n, 1\n"
          " setp.ge.s32 c, n, 0\n@c bra again\n bar\n exit\n"},
    {HAZARD_N3, HEAD " get.lane i\n setp.lt.u32 c, i, 16\n@c copy.fence.lds\n exit\n", HEAD " copy.fence.lds\n exit\n"},
    /* all warps fence, but with different fences */
    {HAZARD_N3, HEAD " setp.lt.u32 c, i, 32\n@c bra low\n copy.fence.lds\n exit\nlow: copy.fence.all\n exit\n",
     HEAD " setp.lt.u32 c, i, 64\n@c bra low\n copy.fence.lds\n exit\nlow: copy.fence.all\n exit\n"},
    {HAZARD_M8, HEAD " get.lane i\n setp.lt.u32 c, i, 16\n@c bar.lds\n exit\n", HEAD " bar.lds\n exit\n"},
    {HAZARD_M8, HEAD " get.lane n\nagain: bar\n sub.i32 n, n, 1\n setp.ge.s32 c, n, 0\n@c bra again\n exit\n",
     HEAD " mov.b32 n, 3\nagain: bar\n sub.i32 n, n, 1\n setp.ge.s32 c, n, 0\n@c bra again\n exit\n"},
    {HAZARD_X1, HEAD " copy.to_lds.strided e, [t], [p], 4, 0, size=4\n wait e\n exit\n",
     HEAD " copy.to_lds.strided e, [t], [p], 4, 1, size=4\n wait e\n exit\n"},
    {HAZARD_X2, HEAD " copy.to_lds e, [t], [p], 257, size=4\n wait e\n exit\n",
     HEAD " copy.to_lds e, [t], [p], 256, size=4\n wait e\n exit\n"},
    {HAZARD_X2,
     HEAD
     " mov.b32 n, 262140\n cvt.u64.u32 q, n\n add.i64 p, p, q\n copy.to_lds e, [t], [p], 2, size=4\n wait e\n exit\n",
     HEAD
     " mov.b32 n, 262140\n cvt.u64.u32 q, n\n add.i64 p, p, q\n copy.to_lds e, [t], [p], 1, size=4\n wait e\n exit\n"},
    {HAZARD_X3, HEAD LINES(8, 7, 60), HEAD LINES(8, 8, 60)},
    {HAZARD_X4, HEAD LINES(8, 8, 23), HEAD LINES(8, 8, 24)},
    {HAZARD_X10, HEAD " copy.to_lds e, [t], [p], 4, size=4\n exit\n",
     HEAD " copy.to_lds e, [t], [p], 4, size=4\n wait e\n exit\n"},
    {HAZARD_X11, HEAD " mov.b32 e, 5\n copy.to_lds e, [t], [p], 4, size=4\n wait e\n exit\n",
     HEAD " mov.b32 e, 0\n copy.to_lds e, [t], [p], 4, size=4\n wait e\n exit\n"},
    /* the first wait releases the event; then a copy uses it again */
    {HAZARD_X11,
     HEAD " copy.to_lds e, [t], [p], 4, size=4\n wait e\n copy.to_lds e, [t], [p], 4, size=4\n wait e\n exit\n",
     HEAD " copy.to_lds e, [t], [p], 4, size=4\n wait e\n mov.b32 e, 0\n copy.to_lds e, [t], [p], 4, size=4\n wait e\n "
          "exit\n"},
    {HAZARD_X12, HEAD " wait e\n exit\n", HEAD " copy.to_lds e, [t], [p], 4, size=4\n wait e\n exit\n"},
    {HAZARD_X12, HEAD " copy.to_lds e, [t], [p], 4, size=4\n wait e\n wait e\n exit\n",
     HEAD " copy.to_lds e, [t], [p], 4, size=4\n wait e, e\n exit\n"},
    /* partial waits of a list release nothing before its end */
    {HAZARD_X12, HEAD " copy.to_lds e, [t], [p], 4, size=4\n wait.more e\n wait e\n wait e\n exit\n",
     HEAD " copy.to_lds e, [t], [p], 4, size=4\n wait.more e\n wait.more e, e\n wait e\n exit\n"},
    {HAZARD_X13, HEAD " mov.b32 n, 2\n copy.to_lds e, [t], [p], 4, size=4\n wait.first n, e\n exit\n",
     HEAD " mov.b32 n, 1\n copy.to_lds e, [t], [p], 4, size=4\n wait.first n, e, i\n exit\n"},
    {HAZARD_X13, HEAD " mov.b32 n, -1\n wait.first n, e\n exit\n", HEAD " mov.b32 n, 0\n wait.first n, e\n exit\n"},
    {HAZARD_X14, HEAD " copy.to_lds e, [t + 2], [p], 4, size=4\n wait e\n exit\n",
     HEAD " copy.to_lds e, [t + 2], [p], 4, size=1\n wait e\n exit\n"},
    {HAZARD_X15, HEAD " mov.b64 p, 0\n copy.to_lds e, [t], [p], 4, size=4\n wait e\n exit\n",
     HEAD " mov.b64 p, 0\n copy.to_lds e, [t], [p], 0, size=4\n wait e\n exit\n"},
    {HAZARD_M3, HEAD " copy.to_lds e, [t], [p], 6, size=4\n wait e\n exit\n",
     HEAD " copy.to_lds e, [t], [p], 8, size=4\n wait e\n exit\n"},
    {HAZARD_M4, HEAD " mov.b32 n, 0\n mbarrier.init [t], n\n exit\n",
     HEAD " mov.b32 n, 0xfffff\n mbarrier.init [t], n\n exit\n"},
    {HAZARD_M4, HEAD " mbarrier.arrive [t]\n exit\n",
     HEAD " mov.b32 n, 64\n mbarrier.init [t], n\n bar.lds\n mbarrier.arrive [t]\n exit\n"},
    {HAZARD_M1, HEAD " shl.b32 i, i, 5\n st.lds.b32 [t + i], i\n exit\n",
     HEAD " shl.b32 i, i, 4\n st.lds.b32 [t + i], i\n exit\n"},
    {HAZARD_M1, HEAD " shl.b32 i, i, 12\n add.i32 i, i, 8192\n st.global.b32 [q + i], i\n exit\n",
     HEAD " shl.b32 i, i, 12\n st.global.b32 [q + i], i\n exit\n"},
    {HAZARD_M2, HEAD " st.lds.b32 [t + i], i\n exit\n", HEAD " shl.b32 i, i, 2\n st.lds.b32 [t + i], i\n exit\n"},
    {HAZARD_I1, IMAGE " image.load.1d v, [i], s, x, as=float\n exit\n",
     IMAGE " image.load.2d v, [i], s, at, as=float\n exit\n"},
    {HAZARD_I1, IMAGE " image.store.3d [i], c, v, as=float\n exit\n",
     IMAGE " image.store.2d [i], at, v, as=float\n exit\n"},
    {HAZARD_I2, IMAGE " image.load.2d v, [i], s, at, as=int\n exit\n",
     IMAGE " image.load.2d v, [i], s, at, as=float\n exit\n"},
    {HAZARD_I2, IMAGE " image.store.2d [i], at, v, as=int\n exit\n",
     IMAGE " image.store.2d [i], at, v, as=float\n exit\n"},
    {HAZARD_I3, IMAGE " add.i32 x, x, 1\n pack.b64 at, x, y\n image.load.2d v, [i], s, at, as=float\n exit\n",
     IMAGE " add.i32 x, x, 1\n pack.b64 at, x, y\n mov.b32 s, 4\n image.load.2d v, [i], s, at, as=float\n exit\n"},
    {HAZARD_I6, IMAGE " mov.b32 s, 16\n image.load.2d v, [i], s, at, as=float\n exit\n",
     IMAGE " image.load.2d v, [i], s, at, as=float\n exit\n"},
    /* a linear filter between the last texel and the border; at the center of the last texel, the border has no
     * weight */
    {HAZARD_I3,
     IMAGE " add.i32 x, x, 1\n cvt.f32.u32 x, x\n mov.b32 y, 0x3f800000\n pack.b64 at, x, y\n mov.b32 s, 16\n"
           " image.sample.2d v, [i], s, at, as=float\n exit\n",
     IMAGE " cvt.f32.u32 x, x\n add.f32 x, x, 0.5\n mov.b32 y, 0x3f800000\n pack.b64 at, x, y\n mov.b32 s, 16\n"
           " image.sample.2d v, [i], s, at, as=float\n exit\n"},
};

TEST(hazards, a_run_does_not_report_what_only_check_finds) {
  ct_freed(rig_free) struct rig rig;
  rig_run(&rig, "", 64, 64,
          HEAD "@!c bra join, join=join\n expect.warp\n expect.same.b32 i\n expect.lane.u32 40\njoin: exit\n");
  EXPECT_EQ(rig_hazards(&rig, HAZARD_S1), 0);
  EXPECT_EQ(rig_hazards(&rig, HAZARD_S2), 0);
}

TEST(hazards, each_rule_is_reported_for_the_wrong_kernel_alone) {
  bool seen[HAZARDS] = {false};
  for (unsigned rule = 0; rule < HAZARDS; rule++) /* those of pipes are in pipe_test.c */
    seen[rule] = isa_hazard_rows[rule].by == ISA_BY_CHECK || (rule >= HAZARD_Q10 && rule <= HAZARD_R12);
  for (size_t i = 0; i < sizeof twins / sizeof *twins; i++) {
    ct_freed(rig_free) struct rig wrong, right;
    const char *settings = twins[i].rule == HAZARD_M3 ? "dma.alignment=16 dma.misaligned=refuse" : "";
    ct_note("%s, twin %zu", isa_hazard_rows[twins[i].rule].rule, i);
    rig_run(&wrong, settings, 64, 64, twins[i].wrong);
    EXPECT_GT(rig_hazards(&wrong, twins[i].rule), 0);
    EXPECT_EQ(wrong.result.hazard_count, 1);
    rig_run(&right, settings, 64, 64, twins[i].right);
    EXPECT_EQ(right.result.hazard_count, 0);
    EXPECT_EQ(right.result.end, END_FINISHED);
    seen[twins[i].rule] = true;
  }
  for (unsigned rule = 0; rule < HAZARDS; rule++) {
    ct_note("%s", isa_hazard_rows[rule].rule);
    EXPECT_TRUE(seen[rule]); /* every rule that a run finds has a pair of kernels above */
  }
}

TEST(hazards, an_out_of_bounds_copy_moves_exactly_the_existing_bytes) {
  ct_freed(rig_free) struct rig rig;
  rig_run(&rig, "", 64, 64, HEAD " copy.to_lds e, [t], [p], 300, size=4\n wait e\n exit\n");
  EXPECT_EQ(rig.result.dma.bytes, 1024);
  EXPECT_CONTAINS(rig.result.hazards[0].first.detail, "256 fit");
}

TEST(hazards, a_copy_of_misaligned_lines_reports_their_place_and_length) {
  ct_freed(rig_free) struct rig rig;
  rig_run(&rig, "dma.alignment=16 dma.misaligned=refuse", 64, 64,
          HEAD " copy.to_lds e, [t + 32], [p], 6, size=4\n wait e\n exit\n");
  EXPECT_STREQ(rig.result.hazards[0].first.detail,
               "lines of 24 bytes at global address 0x100000000, LDS offset 32; dma.alignment is 16");
}

/* Warp 2 reaches the first copy before warp 0 does; warp 1 is at the other copy. */
TEST(hazards, the_first_warp_at_the_earlier_of_two_copies_is_named_whenever_it_arrived) {
  ct_freed(rig_free) struct rig rig;
  rig_run(&rig, "", 96, 96,
          HEAD " setp.ge.u32 c, i, 64\n@c bra here\n setp.ge.u32 c, i, 32\n@c bra other\n add.i32 n, n, 1\n"
               " mul.i32 n, n, n\n mul.i32 n, n, n\n mul.i32 n, n, n\n mul.i32 n, n, n\n mul.i32 n, n, n\n"
               "here: copy.to_lds e, [t], [p], 4, size=4\n wait e\n exit\n"
               "other: copy.to_lds e, [t], [p], 4, size=4\n wait e\n exit\n");
  EXPECT_CONTAINS(rig.result.hazards[0].first.detail, "warp 0 is here, but others are at line");
  EXPECT_EQ(rig.result.hazards[0].first.item, 0);
}

/* Warps 1 and 2 reach the copy with other arguments than warp 0, one after the other, in either order. */
TEST(hazards, the_first_warp_with_other_arguments_is_named_whenever_it_arrived) {
  for (unsigned later = 1; later <= 2; later++) {
    ct_freed(rig_free) struct rig rig;
    char text[1024];
    snprintf(text, sizeof text,
             HEAD
             " mov.b32 n, 4\n setp.lt.u32 c, i, 32\n@c bra here\n mov.b32 n, 8\n setp.lt.u32 c, i, 64\n@%sc bra here\n"
             " mul.i32 m, m, m\n mul.i32 m, m, m\n mul.i32 m, m, m\nhere: copy.to_lds e, [t], [p], n, size=1\n"
             " wait e\n exit\n",
             later == 1 ? "!" : "");
    rig_run(&rig, "", 96, 96, text);
    ct_note("warp %u comes last", later);
    EXPECT_EQ(rig_hazards(&rig, HAZARD_G1), 1);
    EXPECT_CONTAINS(rig.result.hazards[0].first.detail, "warps 0 and 1 call it with different arguments");
  }
}

/* Both groups store outside the LDS, at more instructions than the report holds. */
TEST(hazards, hazards_that_do_not_fit_are_counted) {
  enum { STORES = RESULT_HAZARDS + 3 };
  char text[STORES * 32 + 1024];
  ct_freed(rig_free) struct rig rig;
  size_t used = (size_t)snprintf(text, sizeof text, HEAD);
  for (unsigned i = 0; i < STORES; i++)
    used += (size_t)snprintf(text + used, sizeof text - used, " st.lds.b32 [t + %u], i\n", 4096 + 4 * i);
  snprintf(text + used, sizeof text - used, " exit\n");
  rig_run(&rig, "", 64, 32, text);
  EXPECT_EQ(rig.result.hazard_count, RESULT_HAZARDS);
  for (unsigned i = 0; i < RESULT_HAZARDS; i++)
    EXPECT_EQ(rig.result.hazards[i].count, 2);
  EXPECT_EQ(rig.result.hazards_dropped, 2 * 3);
}

TEST(hazards, a_barrier_that_some_warps_never_reach_is_a_deadlock_that_names_them) {
  ct_freed(rig_free) struct rig rig;
  rig_run(&rig, "", 64, 64, HEAD " setp.ge.u32 c, i, 32\n@c bra out\n bar\nout: exit\n");
  EXPECT_EQ(rig.result.end, END_DEADLOCK);
  ASSERT_EQ(rig.result.stuck_count, 1);
  EXPECT_EQ(rig.result.stuck[0].stall, STALL_BARRIER);
  EXPECT_EQ(rig.result.stuck[0].warp, 0);
  EXPECT_EQ(rig.result.stuck[0].missing, 1);
  EXPECT_EQ(rig.result.stuck[0].exited, 1);
  /* The accounts end where nothing moves any more. For each warp, in turn: three loads and queries from 10 on, setp 4
   * after the third, its twin 4 later, the branch 4 later, then 4 more: the barrier at 30, the exit at 31. */
  EXPECT_EQ(rig.result.cycles, 32);
  EXPECT_EQ(rig.result.stalls[STALL_BARRIER], 1);
}

TEST(hazards, warps_at_different_barriers_do_not_meet) {
  ct_freed(rig_free) struct rig rig;
  rig_run(&rig, "", 64, 64, HEAD " setp.ge.u32 c, i, 32\n@c bra other\n bar\n exit\nother: bar\n exit\n");
  EXPECT_EQ(rig.result.end, END_DEADLOCK);
  EXPECT_EQ(rig.result.stuck_count, 2);
}

TEST(hazards, a_wait_for_an_event_that_no_copy_creates_is_a_deadlock_that_names_it) {
  ct_freed(rig_free) struct rig rig;
  rig_run(&rig, "", 64, 64, HEAD " mov.b32 e, 7\n wait e\n exit\n");
  EXPECT_EQ(rig.result.end, END_DEADLOCK);
  EXPECT_EQ(rig_hazards(&rig, HAZARD_X12), 1);
  ASSERT_EQ(rig.result.stuck_count, 2);
  EXPECT_EQ(rig.result.stuck[0].stall, STALL_COPY_WAIT);
  EXPECT_EQ(rig.result.stuck[0].event, 7);
}

TEST(hazards, an_endless_loop_ends_at_the_cycle_limit) {
  ct_freed(rig_free) struct rig rig = {.order = ORDER_ASCENDING, .limit = 250000};
  ASSERT_TRUE(rig_build(&rig, "", 32, 32, ".kernel k\nagain: bra again\n"));
  rig_start(&rig);
  EXPECT_EQ(rig.result.end, END_CYCLE_LIMIT);
  EXPECT_EQ(rig.result.cycles, 250000);
}

struct asked {
  unsigned times, last;
  cycle_t cycles;
};

static bool go_on(void *context, cycle_t cycles, uint64_t done, uint64_t groups) {
  struct asked *asked = context;
  EXPECT_EQ(done, 0);
  EXPECT_EQ(groups, 1);
  EXPECT_GT(cycles, asked->cycles);
  asked->cycles = cycles;
  return ++asked->times < asked->last;
}

/* The accounts end where the launch stopped, so that buckets still sum to residency. */
TEST(hazards, a_launch_ends_when_its_progress_callback_requests_it) {
  ct_freed(rig_free) struct rig rig = {.order = ORDER_ASCENDING};
  struct asked asked = {.last = 3};
  const struct progress progress = {go_on, &asked};
  ASSERT_TRUE(rig_build(&rig, "", 32, 32, ".kernel k\nagain: bra again\n"));
  simulation_run(rig.simulation, rig.host, &rig.launch, 100000000, &progress, &rig.result);
  EXPECT_EQ(rig.result.end, END_STOPPED);
  EXPECT_EQ(asked.times, 3);
  EXPECT_EQ(rig.result.cycles, asked.cycles);
  EXPECT_EQ(rig.result.resident_cycles, asked.cycles - 10); /* dispatch_latency */
}

TEST(hazards, a_launch_that_ends_at_the_limit_counts_as_finished) {
  const char *text = HEAD " copy.to_lds e, [t], [p], 4, size=4\n wait e\n exit\n";
  uint64_t cycles = rig_cycles("", 64, 64, text);
  for (cycle_t limit = cycles - 1; limit <= cycles + 1; limit++) {
    ct_freed(rig_free) struct rig rig = {.order = ORDER_ASCENDING, .limit = limit};
    ASSERT_TRUE(rig_build(&rig, "", 64, 64, text));
    rig_start(&rig);
    EXPECT_EQ(rig.result.end, limit < cycles ? END_CYCLE_LIMIT : END_FINISHED);
    EXPECT_EQ(rig.result.cycles, limit < cycles ? limit : cycles);
  }
}

TEST(hazards, a_launch_cut_short_reports_its_work_so_far) {
  ct_freed(rig_free) struct rig rig = {.order = ORDER_ASCENDING, .limit = 200};
  ASSERT_TRUE(rig_build(&rig, "", 32, 32, HEAD " copy.to_lds e, [t], [p], 256, size=4\n wait e\n exit\n"));
  rig_start(&rig);
  /* loads and queries from 10 on, one a cycle; setp waits for its query, and the copy for ld.arg's 10 cycles */
  uint64_t copy = 20, arrived = copy + 4;
  EXPECT_EQ(rig.result.end, END_CYCLE_LIMIT);
  EXPECT_EQ(rig.result.cu.active_cycles, 200 - 10);
  EXPECT_EQ(rig.result.resident_cycles, 200 - 10);
  EXPECT_EQ(rig.result.cu.copy_cycles, 200 - copy);
  EXPECT_EQ(rig.result.cu.exposed_cycles, 200 - arrived);
  EXPECT_EQ(rig.result.stalls[STALL_COPY_WAIT], 200 - arrived - 1);
  EXPECT_EQ(rig.result.dma.busy_cycles, 200 - (copy + 1));
  EXPECT_EQ(rig.result.dma.channel_cycles, 200 - (copy + 1));
}

TEST(hazards, a_warp_at_a_wait_for_a_finished_copy_waits_only_for_its_group) {
  /* warp 0 is at the wait and warp 1 at a barrier: no event is missing */
  ct_freed(rig_free) struct rig rig;
  rig_run(
      &rig, "", 64, 64,
      HEAD
      " copy.to_lds e, [t], [p], 64, size=4\n setp.ge.u32 c, i, 32\n@c bra other\n wait e\n exit\nother: bar\n exit\n");
  EXPECT_EQ(rig.result.end, END_DEADLOCK);
  ASSERT_EQ(rig.result.stuck_count, 2);
  for (unsigned i = 0; i < 2; i++) {
    EXPECT_TRUE(rig.result.stuck[i].mismatched);
    EXPECT_EQ(rig.result.stuck[i].missing, 1);
    EXPECT_EQ(rig.result.stuck[i].event, 0);
    EXPECT_EQ(rig.result.stuck[i].elsewhere_pc, rig.result.stuck[0].pc);
  }
  EXPECT_EQ(rig.result.stuck[0].stall, STALL_WAIT_JOIN);
  EXPECT_EQ(rig.result.stuck[1].stall, STALL_BARRIER);
}

TEST(hazard, a_copy_to_a_work_group_whose_lds_is_not_aligned_is_refused) {
  /* Slot 0's LDS starts at 0, slot 1's at 144. The engine, with an alignment of 128, used to take that for a defect of
   * the simulator. */
  ct_freed(rig_free) struct rig rig;
  rig_run(&rig, "cu.lds_unit=16 lds.banks=1 dma.alignment=128 dma.misaligned=refuse", 64, 32,
          ".kernel k\n.arg in global\n.lds t 144\n.reg e\n.reg64 p\n ld.arg.b64 p, in\n mov.b32 e, 0\n"
          " copy.to_lds e, [t], [p], 32, size=4\n wait e\n exit\n");
  EXPECT_EQ(rig.result.end, END_FINISHED);
  EXPECT_EQ(rig_hazards(&rig, HAZARD_M3), 1);
  EXPECT_CONTAINS(rig.result.hazards[0].first.detail,
                  "LDS offset 0 of a work-group's LDS at byte 144; dma.alignment is 128");
  EXPECT_EQ(rig.result.cu.copy_bytes, 128);
}

TEST(hazards, a_work_group_does_not_inherit_events_of_the_previous_one) {
  /* of four groups that run one after the other, only the first leaves an event unawaited */
  ct_freed(rig_free) struct rig rig;
  rig_run(&rig, "cu.count=1 cu.groups=1", 4 * 32, 32,
          HEAD
          " get.group_id n, x\n setp.ne.u32 c, n, 0\n@c bra out\n copy.to_lds e, [t], [p], 4, size=4\nout: exit\n");
  EXPECT_EQ(rig_hazards(&rig, HAZARD_X10), 1);
  EXPECT_EQ(rig.result.hazard_count, 1);
}
