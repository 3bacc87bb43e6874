/* Kernels without timing: their results, what waits for what, and how they end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/ops.h"
#include "models/functional.h"
#include "tests/ct.h"
#include "tests/kernels.h"
#include "tests/models/random_kernel.h"
#include "tests/models/rig.h"

/* rig_run() with or without timing. */
static void run(struct rig *rig, bool functional, const char *settings, uint32_t global, uint32_t local,
                const char *text) {
  *rig = (struct rig){.order = ORDER_ASCENDING, .functional = functional};
  if (rig_build(rig, settings, global, local, text))
    rig_start(rig);
}

/* ---- the same bytes as with timing ------------------------------------------------------------------- */

static void compare(const char *settings, uint32_t global, uint32_t local, const char *text) {
  ct_freed(rig_free) struct rig timed, plain;
  run(&timed, false, settings, global, local, text);
  run(&plain, true, settings, global, local, text);
  EXPECT_EQ(plain.result.end, timed.result.end);
  for (unsigned i = 0; i < RIG_BUFFERS; i++)
    EXPECT_EQ(memcmp(plain.buffers[i].data, timed.buffers[i].data, RIG_BUFFER), 0);
  EXPECT_EQ(plain.result.hazard_count, timed.result.hazard_count);
  EXPECT_EQ(plain.result.cu.warp_instructions, timed.result.cu.warp_instructions);
  EXPECT_EQ(plain.result.cu.lane_instructions, timed.result.cu.lane_instructions);
  EXPECT_EQ(plain.result.cu.divergent_branches, timed.result.cu.divergent_branches);
  EXPECT_EQ(plain.result.cu.barriers, timed.result.cu.barriers);
  EXPECT_EQ(plain.result.cu.copies, timed.result.cu.copies);
  EXPECT_EQ(plain.result.cu.copy_bytes, timed.result.cu.copy_bytes);
  EXPECT_EQ(plain.result.cu.waits, timed.result.cu.waits);
}

TEST(kernels, random_kernels_without_races_give_the_same_results_with_timing) {
  ct_freed(ct_free) char *text = malloc(RANDOM_TEXT);
  for (unsigned machine = 0; machine < sizeof machines / sizeof *machines; machine++)
    for (unsigned i = 0; i < 5; i++) {
      *text = '\0';
      tame_kernel(text, "k", machine * 5 + i + 1);
      ct_note("machine %u, kernel %u", machine, i);
      compare(machines[machine], 64 + 32 * (i % 9), 64, text);
    }
}

TEST(kernels, random_kernels_with_races_end) {
  ct_freed(ct_free) char *text = malloc(RANDOM_TEXT);
  for (unsigned machine = 0; machine < sizeof machines / sizeof *machines; machine++)
    for (unsigned i = 0; i < 5; i++) {
      ct_freed(rig_free) struct rig rig;
      *text = '\0';
      random_kernel(text, "k", machine * 5 + i + 1);
      run(&rig, true, machines[machine], 64 + 32 * (i % 9), 64, text);
      EXPECT_EQ(rig.result.end, END_FINISHED);
    }
}

/* Copies in and out, every stride-th element, and shows 256 words of the LDS in buffer 2. */
#define PLACES                                                                                                         \
  ".kernel k\n.arg src global\n.arg dst global\n.arg all global\n.lds t 1024\n.reg e, i, v\n.reg64 p, q, r\n"          \
  " ld.arg.b64 p, src\n ld.arg.b64 q, dst\n ld.arg.b64 r, all\n get.local_id i, x\n shl.b32 i, i, 2\n"                 \
  " st.lds.b32 [t + i], i\n bar\n copy.to_lds.strided e, [t + 16], [p], 61, %u, size=4\n wait e\n mov.b32 e, 0\n"      \
  " copy.to_global.strided e, [q], [t + 32], 47, %u, size=4\n wait e\n ld.lds.b32 v, [t + i]\n"                        \
  " st.global.b32 [r + i], v\n exit\n"

TEST(kernels, padding_and_swizzles_put_bytes_where_a_dma_engine_puts_them) {
  static const char *const layouts[] = {"",
                                        "dma.pad_interval=64 dma.pad=16",
                                        "dma.pad_interval=12 dma.pad=4",
                                        "dma.swizzle=32",
                                        "dma.swizzle=64",
                                        "dma.swizzle=128",
                                        "dma.swizzle=128 dma.pad_interval=128 dma.pad=16",
                                        "lds.size=1024 dma.pad_interval=16 dma.pad=64",
                                        "dma.copy=lanes",
                                        "dma.copy=blocking"};
  for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
    for (unsigned stride = 1; stride <= 3; stride++) {
      char text[1024];
      snprintf(text, sizeof text, PLACES, stride, stride);
      ct_note("%s, stride %u", layouts[i], stride);
      compare(layouts[i], 256, 256, text);
    }
}

/* ---- what waits for what ------------------------------------------------------------------------------- */

/* The first work-group spins until the last has stored; then every group adds 1. */
#define FIRST_WAITS_FOR_LAST                                                                                           \
  ".kernel k\n.arg in global\n.arg out global\n.reg g, n, v, one\n.reg64 p\n.pred c\n ld.arg.b64 p, out\n"             \
  " get.group_id g, x\n get.num_groups n, x\n sub.i32 n, n, 1\n mov.b32 one, 1\n setp.ne.u32 c, g, n\n@c bra rest\n"   \
  " st.global.b32 [p + 4], one\nrest: setp.ne.u32 c, g, 0\n@c bra add\n"                                               \
  "again: ld.global.b32 v, [p + 4]\n setp.eq.u32 c, v, 0\n@c bra again\n"                                              \
  "add: atom.global.add.i32 _, [p], one\n exit\n"

TEST(kernels, a_group_may_wait_for_any_group_that_the_machine_holds_at_once) {
  ct_freed(rig_free) struct rig rig;
  run(&rig, true, "cu.count=3 cu.groups=8 cu.warps=16", 24, 1, FIRST_WAITS_FOR_LAST);
  EXPECT_EQ(rig.result.end, END_FINISHED);
  EXPECT_EQ(rig_word(&rig, 1, 0), 24);
}

TEST(kernels, a_group_that_waits_for_one_that_does_not_fit_ends_at_the_limit) {
  ct_freed(rig_free) struct rig rig = {.order = ORDER_ASCENDING, .functional = true, .limit = 20000};
  ASSERT_TRUE(rig_build(&rig, "cu.count=1 cu.groups=1", 24, 1, FIRST_WAITS_FOR_LAST));
  rig_start(&rig);
  EXPECT_EQ(rig.result.end, END_CYCLE_LIMIT);
  EXPECT_EQ(rig.result.cu.warp_instructions, 20000);
  EXPECT_EQ(rig.result.never_started, 23);
  EXPECT_EQ(rig_word(&rig, 1, 0), 0);
}

/* All groups meet at a counter again and again. */
TEST(kernels, all_groups_of_a_full_machine_can_meet) {
  ct_freed(rig_free) struct rig rig;
  run(&rig, true, "cu.count=16 cu.warps=32 cu.groups=16", 16 * 16 * 64, 64, CT_KERNEL(all_groups_of_a));
  EXPECT_EQ(rig.result.end, END_FINISHED);
  EXPECT_EQ(rig.result.hazard_count, 0);
  EXPECT_EQ(rig_word(&rig, 1, 0), 5 * 256);
}

/* Warp 0 spins on a word in the LDS that warp 1 stores much later; no barrier is involved. */
TEST(kernels, a_warp_may_spin_on_another_of_its_group) {
  ct_freed(rig_free) struct rig rig;
  run(&rig, true, "", 64, 64, CT_KERNEL(a_warp_may_spin));
  EXPECT_EQ(rig.result.end, END_FINISHED);
  EXPECT_EQ(rig_word(&rig, 1, 0), 7);
}

#define MBARRIER                                                                                                       \
  ".kernel k\n.arg in global\n.arg out global\n.lds l 64\n.reg i, w, n, v\n.reg64 p\n.pred one, first, t\n"            \
  " ld.arg.b64 p, out\n get.local_id i, x\n get.warp w\n setp.eq.u32 one, i, 0\n setp.eq.u32 first, w, 0\n"            \
  " mov.b32 n, 1\n@one mbarrier.init [8], n\n mov.b32 n, 0\n bar.lds\n@first bra arrive\n"

TEST(kernels, an_arrival_wakes_the_warps_that_wait_for_a_phase) {
  ct_freed(rig_free) struct rig rig;
  run(&rig, true, "", 256, 256,
      MBARRIER " mbarrier.try_wait t, [8], n\n ld.lds.b32 v, [16]\n shl.b32 i, i, 2\n st.global.b32 [p + i], v\n exit\n"
               "arrive: mov.b32 v, 5\n st.lds.b32 [16], v\n@one mbarrier.arrive [8]\n exit\n");
  EXPECT_EQ(rig.result.end, END_FINISHED);
  for (uint32_t i = 32; i < 256; i++)
    EXPECT_EQ(rig_word(&rig, 1, i), 5);
}

/* ---- how they end ------------------------------------------------------------------------------------ */

TEST(kernels, missing_arrivals_are_a_deadlock_that_names_the_wait) {
  ct_freed(rig_free) struct rig rig;
  run(&rig, true, "", 64, 64, MBARRIER " mbarrier.try_wait t, [8], n\n exit\narrive: exit\n");
  EXPECT_EQ(rig.result.end, END_DEADLOCK);
  ASSERT_EQ(rig.result.stuck_count, 1);
  EXPECT_TRUE(rig.result.stuck[0].phase);
  EXPECT_EQ(rig.result.stuck[0].warp, 1);
  EXPECT_EQ(rig.program->code[rig.result.stuck[0].pc].op, ISA_MBARRIER_TRY_WAIT);
}

TEST(kernels, an_event_without_a_copy_is_a_deadlock_that_names_it) {
  ct_freed(rig_free) struct rig rig;
  run(&rig, true, "", 256, 64, ".kernel k\n.reg e\n mov.b32 e, 7\n wait e\n exit\n");
  EXPECT_EQ(rig.result.end, END_DEADLOCK);
  EXPECT_EQ(rig.result.stuck_count, 8);
  EXPECT_EQ(rig.result.stuck[0].event, 7);
  EXPECT_EQ(rig.result.stuck[0].stall, STALL_COPY_WAIT);
  EXPECT_EQ(rig_hazards(&rig, HAZARD_X12), 4);
}

TEST(kernels, diverged_warps_are_a_deadlock_that_says_where_the_others_are) {
  ct_freed(rig_free) struct rig rig;
  run(&rig, true, "", 64, 64,
      ".kernel k\n.reg w, e\n.pred c\n get.warp w\n setp.eq.u32 c, w, 0\n@c bra other\n bar\n exit\nother: wait e\n "
      "exit\n");
  EXPECT_EQ(rig.result.end, END_DEADLOCK);
  ASSERT_EQ(rig.result.stuck_count, 2);
  EXPECT_TRUE(rig.result.stuck[0].mismatched && rig.result.stuck[1].mismatched);
  EXPECT_EQ(rig.result.stuck[1].missing, 1);
  EXPECT_EQ(rig.result.hazard_count, 1);
}

TEST(kernels, an_endless_loop_ends_at_the_limit_of_instructions_per_warp) {
  ct_freed(rig_free) struct rig rig = {.order = ORDER_ASCENDING, .functional = true, .limit = 54321};
  ASSERT_TRUE(rig_build(&rig, "", 64, 64, ".kernel k\nagain: bra again\n exit\n"));
  rig_start(&rig);
  EXPECT_EQ(rig.result.end, END_CYCLE_LIMIT);
  EXPECT_GE(rig.result.cu.warp_instructions, 54321);
  EXPECT_LE(rig.result.cu.warp_instructions, 2 * 54321);
}

struct ticks {
  unsigned left;
  uint64_t done;
};

static bool tick(void *self, cycle_t cycles, uint64_t done, uint64_t groups) {
  struct ticks *ticks = self;
  EXPECT_EQ(cycles, 0);
  EXPECT_EQ(groups, 100);
  ticks->done = done;
  return --ticks->left > 0;
}

TEST(kernels, a_progress_callback_can_end_a_launch) {
  ct_freed(rig_free) struct rig rig = {.order = ORDER_ASCENDING, .functional = true};
  struct ticks ticks = {.left = 3};
  ASSERT_TRUE(rig_build(&rig, "", 100 * 32, 32,
                        ".kernel k\n.reg n\n.pred c\n get.group_id n, x\n setp.eq.u32 c, n, 50\n@c bra again\n exit\n"
                        "again: bra again\n exit\n"));
  struct functional *functional = functional_new(&rig.machine);
  struct isa_launch *launch = &rig.launch;
  const struct progress progress = {tick, &ticks};
  functional_run(functional, &launch, 1, UINT64_MAX, &progress, &rig.result);
  EXPECT_EQ(rig.result.end, END_STOPPED);
  EXPECT_EQ(rig.result.cu.work_groups, 99);
  EXPECT_EQ(ticks.done, 99);
  functional_free(functional);
}

/* ---- pipes, concurrent launches, the clock ------------------------------------------------------------- */

#define PIPES ".arg p pipe\n.reg i, n, v\n.reg64 o, id, at, s, q\n.pred c\n ld.arg.b64 o, p\n get.global_id i, x\n"

/* Runs launches of a program's kernels at once, on one memory. */
static void run_together(struct rig *rig, const char *settings, const char *text, uint32_t global, uint32_t local,
                         struct launch_result results[2]) {
  struct isa_launch launches[2], *const both[2] = {&launches[0], &launches[1]};
  *rig = (struct rig){.order = ORDER_ASCENDING, .functional = true};
  ASSERT_TRUE(rig_build(rig, settings, global, local, text));
  for (unsigned i = 0; i < 2; i++) {
    launches[i] = rig->launch;
    launches[i].kernel = &rig->program->kernels[i];
  }
  struct functional *functional = functional_new(&rig->machine);
  functional_run(functional, both, 2, rig->limit, NULL, results);
  functional_free(functional);
}

/* Far more packets than the pipe holds, on one CU that has no room for both launches. */
TEST(kernels, concurrent_launches_pass_packets_to_each_other) {
  ct_freed(rig_free) struct rig rig;
  struct launch_result results[2];
  run_together(&rig, "cu.count=1 cu.warps=2 cu.groups=1",
               ".kernel write\n.arg out global\n" PIPES
               " pipe.reserve.write.wait id, [o], 1, kind=packet\n pipe.slot.write at, [o], id, 0, size=4\n"
               " st.global.b32 [at], i\n fence.global\n pipe.commit.write [o], id, kind=packet\n exit\n"
               ".kernel read\n.arg out global\n" PIPES
               " pipe.reserve.read.wait id, [o], 1, kind=packet\n pipe.slot.read at, [o], id, 0, size=4\n"
               " ld.global.b32 v, [at]\n pipe.commit.read [o], id, kind=packet\n ld.arg.b64 q, out\n shl.b32 v, v, 2\n"
               " mov.b32 i, 1\n atom.global.add.i32 _, [q + v], i\n exit\n",
               4096, 64, results);
  for (unsigned i = 0; i < 2; i++) {
    EXPECT_EQ(results[i].end, END_FINISHED);
    EXPECT_EQ(results[i].cu.work_groups, 64);
    EXPECT_EQ(results[i].hazard_count, 0);
    launch_result_free(&results[i]);
  }
  for (uint32_t i = 1; i < 4096; i++) /* buffer 0 counts from the start: packet i adds 1 to word i */
    EXPECT_EQ(rig_word(&rig, 0, i), i + 1);
}

TEST(kernels, one_of_two_launches_may_finish_while_the_other_is_stuck) {
  ct_freed(rig_free) struct rig rig;
  struct launch_result results[2];
  run_together(&rig, "", ".kernel hang\n.reg e\n mov.b32 e, 7\n wait e\n exit\n.kernel fine\n exit\n", 64, 64, results);
  EXPECT_EQ(results[0].end, END_DEADLOCK);
  EXPECT_EQ(results[0].stuck_count, 2);
  EXPECT_EQ(results[1].end, END_FINISHED);
  EXPECT_EQ(results[1].stuck_count, 0);
  launch_result_free(&results[0]);
  launch_result_free(&results[1]);
}

TEST(kernels, a_reservation_that_nothing_fulfills_is_a_deadlock_that_names_the_pipe) {
  ct_freed(rig_free) struct rig rig;
  run(&rig, true, "", 64, 64, ".kernel k\n" PIPES " pipe.reserve.read.wait id, [o], 1, kind=item\n exit\n");
  EXPECT_EQ(rig.result.end, END_DEADLOCK);
  ASSERT_EQ(rig.result.stuck_count, 2);
  EXPECT_EQ(rig.result.stuck[0].stall, STALL_PIPE_EMPTY);
  EXPECT_TRUE(rig.result.stuck[0].pipe == &rig.pipes[0]);
  EXPECT_FALSE(rig.result.stuck[0].spins);
}

TEST(kernels, spinning_on_a_pipe_that_nothing_changes_is_a_deadlock) {
  ct_freed(rig_free) struct rig rig;
  run(&rig, true, "", 64, 64,
      ".kernel k\n" PIPES "again: pipe.reserve.read id, [o], 1, kind=item\n mov.b64 s, 0\n setp.eq.u64 c, id, s\n"
      "@c bra again\n exit\n");
  EXPECT_EQ(rig.result.end, END_DEADLOCK);
  ASSERT_EQ(rig.result.stuck_count, 2);
  EXPECT_TRUE(rig.result.stuck[0].spins);
  EXPECT_GT(rig.result.cu.warp_instructions, 2 * 900000);
  EXPECT_LT(rig.result.cu.warp_instructions, 2 * 1200000);
}

TEST(kernels, the_clock_never_goes_backward) {
  static const char text[] = ".kernel k\n.arg in global\n.arg out global\n.reg i, n\n.reg64 p, c\n.pred more\n"
                             " ld.arg.b64 p, out\n get.group_id i, x\n shl.b32 i, i, 6\n"
                             "again: get.clock c\n st.global.b64 [p + i], c\n add.i32 i, i, 8\n add.i32 n, n, 1\n"
                             " setp.lt.u32 more, n, 8\n@more bra again\n exit\n";
  ct_freed(rig_free) struct rig rig = {.order = ORDER_ASCENDING, .functional = true};
  ASSERT_TRUE(rig_build(&rig, "", 64, 1, text));
  struct functional *functional = functional_new(&rig.machine);
  struct isa_launch *launch = &rig.launch;
  uint64_t last = 0, first = 1;
  for (unsigned round = 0; round < 2; round++) {
    functional_run(functional, &launch, 1, UINT64_MAX, NULL, &rig.result);
    for (uint32_t i = 0; i < 512; i++) {
      const uint64_t clock = rig_word(&rig, 1, 2 * i) | (uint64_t)rig_word(&rig, 1, 2 * i + 1) << 32;
      EXPECT_GT(clock + first, last);
      last = clock;
      first = 0;
    }
    launch_result_free(&rig.result);
  }
  functional_free(functional);
}
