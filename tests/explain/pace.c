/* Paces from hand-made events, and the phases that two of them give. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/ct.h"
#include "tools/explain/explain.h"

static struct pace_log telling;
static struct pace paces[2];
static struct pace_stalls stalls[2];

static void begin(void) {
  memset(paces, 0, sizeof paces);
  memset(stalls, 0, sizeof stalls);
  pace_log_begin(&telling, paces, stalls, 2);
}

static void report(cycle_t from, cycle_t to, enum stall stall) {
  const struct timeline_event event = {
      .kind = TIMELINE_WARP, .from = from, .to = to, .field = {[TIMELINE_WARP_STALL] = stall}};
  for (cycle_t now = from; stall == STALL_ISSUED && now < to; now++)
    pace_issue(&telling, telling.timeline.launch, now);
  if (telling.stalls)
    telling.timeline.take(telling.timeline.self, 0, to, &event);
}

TEST(pace, a_share_of_the_issues_ends_when_that_many_were_made) {
  begin();
  report(0, 100, STALL_MEMORY);
  report(100, 110, STALL_ISSUED);
  report(110, 190, STALL_COPY_WAIT);
  report(190, 200, STALL_ISSUED);
  pace_log_end(&telling);
  EXPECT_EQ(pace_when(&paces[0], 0, 0, 250), 0);
  EXPECT_EQ(pace_when(&paces[0], 4, 0, 250), 105);
  EXPECT_EQ(pace_when(&paces[0], 8, 0, 250), 110);
  EXPECT_EQ(pace_when(&paces[0], 12, 0, 250), 195);
  EXPECT_EQ(pace_when(&paces[0], PACE_PARTS, 0, 250), 250);
}

TEST(pace, bins_widen_without_losing_a_cycle) {
  begin();
  for (cycle_t at = 0; at < 100000; at += 10) {
    report(at, at + 1, STALL_ISSUED);
    report(at + 1, at + 10, STALL_DEPENDENCY);
  }
  uint64_t issues = 0;
  for (size_t i = 0; i < PACE_BINS; i++)
    issues += telling.bins.issues[i];
  EXPECT_EQ(issues, 10000);
  EXPECT_EQ(telling.bins.width, 256);
  pace_log_end(&telling);
  EXPECT_LE(pace_when(&paces[0], 8, 0, 100000), 50256);
  EXPECT_GE(pace_when(&paces[0], 8, 0, 100000), 49744);
  double sum[STALLS] = {0};
  pace_between(&stalls[0], 0, PACE_PARTS, sum);
  EXPECT_EQ(llround(sum[STALL_DEPENDENCY]), 90000);
  EXPECT_EQ(llround(sum[STALL_ISSUED]), 10000);
  memset(sum, 0, sizeof sum);
  pace_between(&stalls[0], 4, 8, sum);
  EXPECT_EQ(llround(sum[STALL_DEPENDENCY] + sum[STALL_ISSUED]),
            llround(pace_when(&paces[0], 8, 0, 100000) - pace_when(&paces[0], 4, 0, 100000)));
}

TEST(pace, a_later_launch_begins_where_the_previous_one_ended) {
  begin();
  report(0, 1000, STALL_ISSUED);
  telling.timeline.launch = 1;
  report(1010, 1050, STALL_MEMORY);
  report(1050, 1060, STALL_ISSUED);
  pace_log_end(&telling);
  EXPECT_EQ(pace_when(&paces[0], 8, 0, 1000), 500);
  EXPECT_EQ(pace_when(&paces[1], 8, 1005, 60), 50);
  double sum[STALLS] = {0};
  pace_between(&stalls[1], 0, PACE_PARTS, sum);
  EXPECT_EQ(llround(sum[STALL_MEMORY]), 40);
  EXPECT_EQ(llround(sum[STALL_ISSUED]), 10);
}

/* A kernel that waits for copies in its first half and computes in its second, and the same without either wait. */
static struct pace_stalls base_stalls[1];
static struct pace pace_of[3];
static struct explain_time time_of[3];
static struct explain_case cases[3];
static size_t first_launch[1];

static cycle_t make_case(size_t number, limit_set lifted, cycle_t copies, cycle_t waits) {
  cycle_t at = 0;
  memset(&pace_of[number], 0, sizeof *pace_of);
  pace_log_begin(&telling, &pace_of[number], number ? NULL : base_stalls, 1);
  for (size_t i = 0; i < 200; i++) {
    report(at, at + 1, STALL_ISSUED);
    const cycle_t wait = i < 100 ? copies : waits;
    if (wait)
      report(at + 1, at + 1 + wait, i < 100 ? STALL_COPY_WAIT : STALL_DEPENDENCY);
    at += 1 + wait;
  }
  pace_log_end(&telling);
  time_of[number] = (struct explain_time){0, at};
  cases[number] = (struct explain_case){
      .lifted = lifted, .status = OUTCOME_finished, .time = &time_of[number], .pace = &pace_of[number]};
  return at;
}

TEST(phases, each_phase_of_a_kernel_names_the_limit_that_helps_it) {
  memset(base_stalls, 0, sizeof base_stalls);
  const cycle_t cycles = make_case(0, 0, 29, 9);
  make_case(1, limit_bit(LIFT_DMA_SETUP), 9, 9);
  make_case(2, limit_bit(LIFT_EXECUTION), 29, 2);
  const struct explain explain = {
      .steps = 1, .launches = 1, .first = first_launch, .cases = cases, .count = 3, .stalls = base_stalls};
  struct explain_phase phase[EXPLAIN_PHASES];
  const struct explain_case *rank[LIMITS];
  ASSERT_TRUE(explain_phases(&explain, 0, phase) == 2);
  EXPECT_EQ(phase[0].limit, LIFT_DMA_SETUP);
  EXPECT_EQ(phase[0].stall, STALL_COPY_WAIT);
  EXPECT_EQ(phase[1].limit, LIFT_EXECUTION);
  EXPECT_EQ(phase[1].stall, STALL_DEPENDENCY);
  EXPECT_LE(phase[0].to, 3010);
  EXPECT_GE(phase[0].to, 2970);
  EXPECT_EQ(phase[1].to, cycles);
  EXPECT_EQ(explain_rank(&explain, 0, rank), 2);
  EXPECT_EQ(rank[0]->lifted, limit_bit(LIFT_DMA_SETUP));
  EXPECT_EQ(explain_saved(&explain, rank[0], 0), 2000);
  EXPECT_EQ(explain_saved(&explain, rank[1], 0), 700);
  size_t count = 0;
  ct_freed(ct_free) limit_set *pairs = explain_pairs(&explain, &count);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(pairs[0], limit_bit(LIFT_DMA_SETUP) | limit_bit(LIFT_EXECUTION));
}
