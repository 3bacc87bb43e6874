/* Where warps meet (cu.meet): of two warps, one late, which one waits at a copy and at a wait, and for how long. */
#include <stdio.h>

#include "models/cu.h"
#include "tests/ct.h"
#include "tests/models/rig.h"

enum { COPY = 11, WAIT = 13, ROUNDS = 100, BUFFER = 1 };

#define LATENCIES "cu.schedulers=2 cu.copy_latency=11 cu.wait_latency=13 "
#define APART LATENCIES "cu.meet=barriers "

/* Warp 0 counts ROUNDS, either before the copy or before the wait. Each warp records the cycles of its copy and its
 * wait, and when the wait ended. */
static const char turns[] = "@!late bra %s\n mov.b32 i, 100\n%s: sub.i32 i, i, 1\n setp.ne.u32 more, i, 0\n"
                            "@more bra %s\n%s:\n";

struct times {
  uint32_t copy, wait, end;
};

static void run(const char *settings, bool late_at_copy, struct times times[2]) {
  char kernel[1024], before[256];
  ct_freed(rig_free) struct rig rig;
  snprintf(before, sizeof before, turns, "on", "turn", "turn", "on");
  snprintf(kernel, sizeof kernel,
           ".kernel k\n.arg in global\n.arg out global\n.lds t 256\n.reg w, e, i, at\n.reg64 p, o, s, f, g\n"
           ".pred late, more\n ld.arg.b64 p, in\n ld.arg.b64 o, out\n get.warp w\n setp.eq.u32 late, w, 0\n"
           " mul.i32 at, w, 12\n%s get.clock s\n copy.to_lds e, [0], [p], 64, size=4\n get.clock f\n%s wait e\n"
           " get.clock g\n sub.i32 s.lo, f.lo, s.lo\n sub.i32 f.lo, g.lo, f.lo\n st.global.b32 [o + at], s.lo\n"
           " st.global.b32 [o + at + 4], f.lo\n st.global.b32 [o + at + 8], g.lo\n exit\n",
           late_at_copy ? before : "", late_at_copy ? "" : before);
  rig_run(&rig, settings, 64, 64, kernel);
  EXPECT_EQ(rig.result.hazard_count, 0);
  EXPECT_EQ(rig.result.cu.waits, 1);
  EXPECT_EQ(rig.result.cu.copies, 1);
  for (uint32_t warp = 0; warp < 2; warp++)
    times[warp] = (struct times){rig_word(&rig, BUFFER, 3 * warp), rig_word(&rig, BUFFER, 3 * warp + 1),
                                 rig_word(&rig, BUFFER, 3 * warp + 2)};
}

TEST(meet, a_late_warp_delays_the_others_at_a_copy_unless_they_meet_at_barriers) {
  struct times calls[2], barriers[2];
  run(LATENCIES, true, calls);
  run(APART, true, barriers);
  EXPECT_EQ(calls[0].copy, 1 + COPY);
  EXPECT_EQ(calls[1].copy > ROUNDS, true);
  EXPECT_EQ(barriers[0].copy, 1 + COPY); /* the last to arrive submits it */
  EXPECT_EQ(barriers[1].copy, 1 + 1);
  EXPECT_EQ(barriers[0].end, calls[0].end);
  EXPECT_EQ(barriers[1].end, barriers[0].end); /* the copy's end releases both */
}

TEST(meet, a_late_warp_delays_the_others_at_a_wait_unless_they_meet_at_barriers) {
  struct times calls[2], barriers[2];
  run(LATENCIES, false, calls);
  run(APART, false, barriers);
  EXPECT_EQ(calls[1].end, calls[0].end);
  EXPECT_EQ(barriers[0].wait > ROUNDS, true);
  EXPECT_EQ(barriers[1].end < calls[1].end, true);
  EXPECT_EQ(barriers[0].end,
            calls[0].end - (COPY - 1)); /* the first at the copy; its wait is complete when it arrives */
}

TEST(meet, a_warp_is_at_most_a_few_calls_ahead) {
  enum { COPIES = 2 * CU_AHEAD };
  char kernel[2048];
  int length = snprintf(kernel, sizeof kernel,
                        ".kernel k\n.arg in global\n.arg out global\n.lds t 256\n.reg w, e, i\n.reg64 p, o, s, f\n"
                        ".pred late, more\n ld.arg.b64 p, in\n ld.arg.b64 o, out\n get.warp w\n"
                        " setp.eq.u32 late, w, 0\n");
  length += snprintf(kernel + length, sizeof kernel - (size_t)length, turns, "on", "turn", "turn", "on");
  for (int i = 0; i < COPIES; i++) {
    const char *clock = i == CU_AHEAD ? " get.clock s\n" : i == CU_AHEAD + 1 ? " get.clock f\n" : "";
    length += snprintf(kernel + length, sizeof kernel - (size_t)length, "%s copy.to_lds e, [%d], [p], 1, size=4\n",
                       clock, 4 * i);
  }
  snprintf(kernel + length, sizeof kernel - (size_t)length,
           " wait e\n sub.i64 f, f, s\n shl.b32 w, w, 2\n ld.lds.b32 i, [28]\n st.global.b32 [o + w], f.lo\n"
           " st.global.b32 [o + 8], i\n exit\n");
  ct_freed(rig_free) struct rig rig;
  rig_run(&rig, APART, 64, 64, kernel);
  EXPECT_EQ(rig.result.hazard_count, 0);
  EXPECT_EQ(rig.result.cu.copies, COPIES);
  EXPECT_EQ(rig_word(&rig, BUFFER, 0), 1 + COPY);
  EXPECT_EQ(rig_word(&rig, BUFFER, 1) > COPY + ROUNDS, true); /* the first at which it waits */
  EXPECT_EQ(rig_word(&rig, BUFFER, 2), rig_word(&rig, 0, 0)); /* the last of the copies has arrived */
}

TEST(meet, warps_that_differ_at_a_copy_are_reported_wherever_they_meet) {
  const char *text = ".kernel k\n.arg in global\n.lds t 256\n.reg w, e\n.reg64 p\n ld.arg.b64 p, in\n get.warp w\n"
                     " copy.to_lds e, [0], [p], w, size=4\n wait e\n exit\n";
  const char *settings[] = {LATENCIES, APART};
  for (size_t i = 0; i < 2; i++) {
    ct_freed(rig_free) struct rig rig;
    rig_run(&rig, settings[i], 64, 64, text);
    EXPECT_EQ(rig_hazards(&rig, HAZARD_G1), 1);
  }
}

TEST(meet, copies_by_lanes_meet_at_calls_whatever_the_setting) {
  struct times calls[2], barriers[2];
  run(LATENCIES "dma.copy=lanes", true, calls);
  run(APART "dma.copy=lanes", true, barriers);
  for (size_t warp = 0; warp < 2; warp++) {
    EXPECT_EQ(barriers[warp].copy, calls[warp].copy);
    EXPECT_EQ(barriers[warp].end, calls[warp].end);
  }
}

TEST(meet, a_wait_covers_copies_of_its_event_not_yet_submitted) {
  /* The last warp to arrive stays at the first copy for copy_latency; the copy is complete by then. */
  ct_freed(rig_free) struct rig rig;
  rig_run(
      &rig, "cu.meet=barriers cu.copy_latency=1000", 64, 64,
      ".kernel k\n.arg in global\n.arg out global\n.lds t 128\n.reg e, i, v\n.reg64 p, o, q\n ld.arg.b64 p, in\n"
      " ld.arg.b64 o, out\n add.i64 q, p, 64\n get.local_id i, x\n mov.b32 e, 0\n copy.to_lds e, [t], [p], 16, size=4\n"
      " copy.to_lds e, [t + 64], [q], 16, size=4\n wait e\n and.b32 v, i, 15\n shl.b32 v, v, 2\n"
      " ld.lds.b32 v, [t + v + 64]\n shl.b32 i, i, 2\n st.global.b32 [o + i], v\n exit\n");
  for (uint32_t i = 0; i < 64; i++)
    EXPECT_EQ(rig_word(&rig, BUFFER, i), 16 + i % 16);
  EXPECT_EQ(rig.result.hazard_count, 0);
}

TEST(meet, a_warp_at_a_wait_for_complete_copies_waits_for_the_other_warps) {
  /* warp 0 counts ROUNDS, more than 1000 cycles, before it reaches the wait; after that the copy takes less than 100 */
  char kernel[1024], late[256];
  ct_freed(rig_free) struct rig rig;
  snprintf(late, sizeof late, turns, "on", "turn", "turn", "on");
  snprintf(kernel, sizeof kernel,
           ".kernel k\n.arg in global\n.lds t 256\n.reg w, e, i\n.reg64 p\n.pred late, more\n ld.arg.b64 p, in\n"
           " get.warp w\n setp.eq.u32 late, w, 0\n copy.to_lds e, [0], [p], 1, size=4\n mov.b32 i, 100\n"
           "both: sub.i32 i, i, 1\n setp.ne.u32 more, i, 0\n@more bra both\n%s wait e\n exit\n",
           late);
  rig_run(&rig, LATENCIES, 64, 64, kernel);
  EXPECT_EQ(rig.result.hazard_count, 0);
  EXPECT_EQ(rig.result.stalls[STALL_COPY_WAIT], 0);
  EXPECT_GT(rig.result.stalls[STALL_WAIT_JOIN], 10 * ROUNDS);
}
