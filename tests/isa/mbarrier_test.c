/* mbarriers: phases, counts and errors. */
#include "tests/ct.h"
#include "tests/isa/rig.h"

#include <stdio.h>
#include <string.h>

/* `one` is lane 0's predicate, `t` that of a test; b[0] and b[1] are the parities. */
#define HEAD                                                                                                           \
  ".kernel k\n.arg a global\n.arg b global\n.lds bytes 64\n.reg lane, n, odd\n.pred one, t, u\n"                       \
  " get.local_id lane, x\n setp.eq.u32 one, lane, 0\n mov.b32 odd, 1\n"

static bool run(struct rig *rig, const char *source) {
  return rig_open(rig, source, 32, 32) && EXPECT_TRUE(rig_run(rig, 1000));
}

enum { T = 1, U = 2 };

TEST(mbarrier, a_phase_completes_after_the_expected_number_of_arrivals) {
  static const struct {
    unsigned arrivals;
    bool even, odd; /* whether the last phase of this parity is complete */
  } cases[] = {{0, false, true}, {1, false, true}, {2, false, true},
               {3, true, false}, {5, true, false}, {6, false, true}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char source[2048] = HEAD " mov.b32 n, 3\n mbarrier.init [8], n\n mov.b32 n, 0\n";
    for (unsigned k = 0; k < cases[i].arrivals; k++)
      strcat(source, "@one mbarrier.arrive [8]\n");
    strcat(source, " mbarrier.test t, [8], n\n mbarrier.test u, [8], odd\n exit\n");
    ct_freed(rig_close) struct rig rig;
    ct_note("%u arrivals", cases[i].arrivals);
    ASSERT_TRUE(run(&rig, source));
    EXPECT_EQ(rig_pred(&rig, T, 31), cases[i].even);
    EXPECT_EQ(rig_pred(&rig, U, 31), cases[i].odd);
    EXPECT_EQ(rig.hazards, 0);
  }
}

TEST(mbarrier, each_lane_arrives_and_tests_separately) {
  ct_freed(rig_close) struct rig rig;
  /* Two mbarriers, one for even and one for odd lanes; the even one expects 16 arrivals, the odd one 17. */
  ASSERT_TRUE(run(&rig, HEAD " and.b32 n, lane, 1\n add.i32 n, n, 16\n and.b32 lane, lane, 1\n shl.b32 lane, lane, 3\n"
                             " mbarrier.init [lane + 8], n\n mbarrier.arrive [lane + 8]\n mov.b32 n, 0\n"
                             " mbarrier.test t, [lane + 8], n\n exit\n"));
  for (uint32_t lane = 0; lane < 32; lane++)
    EXPECT_EQ(rig_pred(&rig, T, lane), lane % 2 == 0);
}

TEST(mbarrier, lanes_outside_the_lds_do_nothing_and_their_tests_are_false) {
  ct_freed(rig_close) struct rig rig;
  ASSERT_TRUE(run(&rig, HEAD " mov.b32 n, 1\n mov.pred t, 1\n mbarrier.init [4096], n\n mbarrier.arrive [4096]\n"
                             " mbarrier.try_wait t, [4096], n\n exit\n"));
  EXPECT_EQ(rig.hazards, 3);
  EXPECT_FALSE(rig_pred(&rig, T, 5));
  for (unsigned i = 0; i < rig.hazards; i++)
    EXPECT_EQ(rig.hazard[i].rule, HAZARD_M1);
}

/* One instruction of a warp with its own access, which a waiting warp keeps. */
static void step(struct rig *rig, uint32_t warp, struct isa_access *access) {
  const uint8_t class_ = rig->program->info[rig->warp[warp].pc].class_;
  isa_step(&rig->warp[warp], access, &rig->last);
  if (class_ == ISA_CLASS_MBARRIER || class_ == ISA_CLASS_PHASE) {
    isa_access_commit(access);
    isa_mbarrier_report(access);
  }
}

TEST(mbarrier, an_arrival_ends_the_waits_for_its_phase_in_order_of_start) {
  ct_freed(rig_close) struct rig rig;
  static struct isa_access_lanes lanes[4];
  struct isa_access wait[3], arrival = isa_access_with(&lanes[3]);
  for (unsigned i = 0; i < 3; i++)
    wait[i] = isa_access_with(&lanes[i]);
  ASSERT_TRUE(rig_open(&rig,
                       HEAD " mov.b32 n, 1\n mbarrier.init [8], n\n mbarrier.arrive [8]\n"
                            " mbarrier.try_wait t, [8], odd\n exit\n",
                       128, 32));
  for (unsigned i = 0; i < 5; i++) /* the mbarrier exists; 32 lanes of warp 3 have yet to arrive */
    step(&rig, 3, &arrival);
  for (uint32_t warp = 2; warp < 3; warp--) {
    rig.warp[warp].pc = 6;
    for (uint32_t lane = 0; lane < 32; lane++) /* registers: odd is 2; wait for phase 0 */
      rig.warp[warp].reg[2 * 32 + lane] = 0;
    step(&rig, warp, &wait[warp]);
    EXPECT_TRUE(wait[warp].suspended && wait[warp].waiting == UINT32_MAX);
  }
  step(&rig, 3, &arrival); /* 32 phases pass: no wait misses its own */
  EXPECT_TRUE(arrival.waits == &wait[2] && wait[2].waits == &wait[1] && wait[1].waits == &wait[0] && !wait[0].waits);
  for (uint32_t lane = 0; lane < 96; lane++)
    EXPECT_TRUE(rig_pred(&rig, T, lane));
  EXPECT_TRUE(rig.group.waits == NULL);
}

TEST(mbarrier, a_wait_ends_when_the_phases_of_all_its_lanes_are_complete) {
  ct_freed(rig_close) struct rig rig;
  static struct isa_access_lanes lanes[2];
  struct isa_access wait = isa_access_with(&lanes[0]), arrival = isa_access_with(&lanes[1]);
  ASSERT_TRUE(rig_open(&rig,
                       HEAD " mov.b32 n, 1\n shl.b32 lane, lane, 3\n and.b32 lane, lane, 8\n"
                            " mbarrier.init [lane], n\n mbarrier.arrive [lane]\n exit\n"
                            " mov.b32 n, 0\n mbarrier.try_wait t, [lane], n\n exit\n",
                       64, 32));
  for (unsigned i = 0; i < 7; i++)
    step(&rig, 0, &arrival);
  for (unsigned i = 0; i < 6; i++)
    step(&rig, 1, &wait);
  rig.warp[1].pc = 9;
  step(&rig, 1, &wait);
  step(&rig, 1, &wait);
  EXPECT_EQ(wait.waiting, UINT32_MAX);
  rig.warp[0].active = 1; /* only lane 0 arrives: at the even lanes' mbarrier */
  step(&rig, 0, &arrival);
  EXPECT_EQ(wait.waiting, 0xaaaaaaaa);
  EXPECT_TRUE(arrival.waits == NULL);
  rig.warp[0].pc = 7;
  rig.warp[0].active = 2;
  step(&rig, 0, &arrival);
  EXPECT_TRUE(arrival.waits == &wait);
  EXPECT_TRUE(rig_pred(&rig, T, 32) && rig_pred(&rig, T, 63));
}

TEST(mbarrier, invalid_uses_are_reported_and_change_nothing) {
  static const char *const wrong[] = {
      " mbarrier.arrive [8]\n",
      " mbarrier.test t, [8], odd\n",
      " mov.b32 n, 0\n mbarrier.init [8], n\n",
      " mov.b32 n, 0x100000\n mbarrier.init [8], n\n",
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    char source[512];
    ct_freed(rig_close) struct rig rig;
    static struct isa_access_lanes lanes;
    struct isa_access access = isa_access_with(&lanes);
    snprintf(source, sizeof source, HEAD "%s exit\n", wrong[i]);
    ct_note("%s", wrong[i]);
    ASSERT_TRUE(rig_open(&rig, source, 32, 32));
    while (rig.warp[0].live)
      step(&rig, 0, &access);
    ASSERT_EQ(rig.hazards, 1);
    EXPECT_EQ(rig.hazard[0].rule, HAZARD_M4);
    EXPECT_CONTAINS(rig.hazard[0].detail, "LDS offset 8");
    EXPECT_EQ(rig.lds[8] | rig.lds[15], 0);
    EXPECT_FALSE(rig_pred(&rig, T, 0));
  }
}

TEST(mbarrier, the_maximum_number_of_arrivals_is_counted) {
  ct_freed(rig_close) struct rig rig;
  ASSERT_TRUE(run(&rig, HEAD " mov.b32 n, 0xfffff\n mbarrier.init [8], n\n mbarrier.arrive [8]\n mov.b32 n, 0\n"
                             " mbarrier.test t, [8], n\n mbarrier.test u, [8], odd\n exit\n"));
  EXPECT_FALSE(rig_pred(&rig, T, 0));
  EXPECT_TRUE(rig_pred(&rig, U, 0));
  EXPECT_EQ(rig.lds[8] | rig.lds[9] << 8 | rig.lds[10] << 16, 0xfffff - 32);
}
