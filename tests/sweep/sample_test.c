/* Samples: distinct, allowed, evenly spread, and the same on every host. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/sweep/fixture.h"
#include "tools/sweep/plan_parts.h"

TEST(sweep_sample, a_shuffle_contains_each_number_once) {
  for (uint64_t count = 1; count < 400; count++) {
    bool seen[400] = {false};
    const struct shuffle shuffle = shuffle_of(count, count % 7, 1);
    ct_note("of %d", (int)count);
    for (uint64_t i = 0; i < count; i++) {
      const uint64_t at = shuffle_at(&shuffle, i);
      ASSERT_TRUE(at < count && !seen[at]);
      seen[at] = true;
    }
  }
}

TEST(sweep_sample, a_shuffle_of_2_to_the_63_stays_below_it) {
  const struct shuffle shuffle = shuffle_of(UINT64_C(1) << 63, 1, 1);
  uint64_t upper = 0;
  for (uint64_t i = 0; i < 1000; i++) {
    const uint64_t at = shuffle_at(&shuffle, i);
    EXPECT_TRUE(at < UINT64_C(1) << 63);
    upper += at >> 62;
  }
  EXPECT_TRUE(upper > 400 && upper < 600);
}

static int by_value(const void *a, const void *b) {
  const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
  return (left > right) - (left < right);
}

static bool distinct(const struct sweep_plan *plan) {
  ct_freed(ct_free) uint64_t *sorted = malloc(plan->points * sizeof *sorted);
  memcpy(sorted, plan->drawn, plan->points * sizeof *sorted);
  qsort(sorted, plan->points, sizeof *sorted, by_value);
  bool good = true;
  for (uint64_t i = 1; i < plan->points; i++)
    good = good && sorted[i - 1] != sorted[i];
  return good;
}

/* Counts the points that have each value of an axis. */
static void tally(const struct sweep_plan *plan, size_t axis, uint32_t *count) {
  uint32_t value[PLAN_AXES];
  memset(count, 0, plan->axis[axis].count * sizeof *count);
  for (uint64_t i = 0; i < plan->points; i++) {
    EXPECT_TRUE(plan_point(plan, i, value));
    count[value[axis]]++;
  }
}

#define CUBE "[axes]\na = 0..9\nb = 0..9\nc = 0..9\n"

TEST(sweep_sample, random_points_are_distinct_and_spread) {
  for (int seed = 0; seed < 5; seed++) {
    char text[200];
    ct_freed(plan_free) struct sweep_plan plan;
    snprintf(text, sizeof text, SWEEP "sample = random 500\nseed = %d\n" CUBE, seed);
    ASSERT_TRUE(fixture_plan(text, &plan));
    EXPECT_EQ(plan.points, 500);
    EXPECT_EQ(plan.excluded, 0);
    EXPECT_TRUE(distinct(&plan));
    for (size_t axis = 0; axis < 3; axis++) {
      uint32_t count[10];
      tally(&plan, axis, count);
      for (int i = 0; i < 10; i++)
        EXPECT_TRUE(count[i] >= 30 && count[i] <= 70); /* 50 of 500; 6 standard deviations are 28 */
    }
  }
}

TEST(sweep_sample, excluded_random_points_are_drawn_again) {
  ct_freed(plan_free) struct sweep_plan plan;
  ASSERT_TRUE(fixture_plan(SWEEP "sample = random 45\n[axes]\na = 0..9\nb = 0..9\n[constraints]\nc = a < b\n", &plan));
  EXPECT_EQ(plan.points, 45); /* all points of the plan */
  EXPECT_TRUE(plan.excluded > 0 && plan.excluded <= 55);
  EXPECT_TRUE(distinct(&plan));
  EXPECT_EQ(plan_count(&plan).points, 45);
  EXPECT_TRUE(plan_count(&plan).exact);
  for (uint64_t i = 0; i < plan.points; i++) {
    uint32_t value[PLAN_AXES];
    EXPECT_TRUE(plan_point(&plan, i, value) && value[0] < value[1]);
  }
}

TEST(sweep_sample, too_few_allowed_points_in_a_large_grid_are_reported) {
  struct message message[1];
  ct_freed(plan_free) struct sweep_plan plan;
  EXPECT_TRUE(plan_parse(SWEEP "sample = random 1000\n[axes]\na = 1..65536\nb = 1..65536\n[constraints]\nc = a < 2\n",
                         "d/s.ini", &plan, message));
  EXPECT_FALSE(plan_settle(&plan, NULL, NULL, message));
  EXPECT_CONTAINS(message->text, "d/s.ini:3: sample: 1000 points, but of 10000000 drawn");
  EXPECT_CONTAINS(message->text, " satisfy the constraints");
}

TEST(sweep_sample, latin_points_are_stratified_over_each_axis) {
  struct sweep_plan plan;
  ASSERT_TRUE(fixture_plan(SWEEP "sample = latin 28\n[axes]\na = 1..4\nb = 1..7\n[zip z]\nc = 1..100\nd = 101..200\n"
                                 "[axes]\ne = 1..5\n",
                           &plan));
  ASSERT_EQ(plan.points, 28);
  uint32_t count[100];
  tally(&plan, 0, count);
  for (int i = 0; i < 4; i++)
    EXPECT_EQ(count[i], 28 / 4);
  tally(&plan, 1, count);
  for (int i = 0; i < 7; i++)
    EXPECT_EQ(count[i], 28 / 7);
  tally(&plan, 4, count);
  for (int i = 0; i < 5; i++)
    EXPECT_TRUE(count[i] == 28 / 5 || count[i] == 28 / 5 + 1);
  for (size_t axis = 2; axis < 4; axis++) { /* more levels than points: one in each 28th of them */
    tally(&plan, axis, count);
    for (int stratum = 0; stratum < 28; stratum++) {
      uint32_t in = 0;
      for (int level = stratum * 100 / 28; level < (stratum + 1) * 100 / 28; level++)
        in += count[level];
      EXPECT_EQ(in, 1);
    }
  }
  plan_free(&plan);
}

TEST(sweep_sample, excluded_or_repeated_latin_rows_are_reported) {
  ct_freed(plan_free) struct sweep_plan plan;
  ASSERT_TRUE(fixture_plan(SWEEP "sample = latin 60\n[axes]\na = 0..9\nb = 0..9\n[constraints]\nc = a < b\n", &plan));
  EXPECT_EQ(plan.points + plan.excluded + plan.repeated, 60);
  EXPECT_TRUE(plan.points > 10 && plan.excluded > 10 && plan.repeated > 2);
  EXPECT_TRUE(distinct(&plan));
  for (uint64_t i = 0; i < plan.points; i++) {
    uint32_t value[PLAN_AXES];
    EXPECT_TRUE(plan_point(&plan, i, value) && value[0] < value[1]);
  }
}

/* FNV-1a of the keys of all points. */
static uint64_t digest(const char *text) {
  ct_freed(plan_free) struct sweep_plan plan;
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  if (!fixture_plan(text, &plan))
    return 0;
  for (uint64_t i = 0; i < plan.points; i++) {
    uint32_t value[PLAN_AXES];
    plan_point(&plan, i, value);
    ct_freed(ct_free) char *key = plan_key(&plan, value);
    for (const char *at = key; *at; at++)
      hash = (hash ^ (unsigned char)*at) * UINT64_C(0x100000001b3);
  }
  return hash;
}

/* Another digest means another sample for every existing sweep, whose results would no longer be found. */
TEST(sweep_sample, points_never_change_between_versions) {
  EXPECT_EQ(digest(SWEEP CUBE), INT64_C(2847159540949479485));
  EXPECT_EQ(digest(SWEEP "sample = random 100\n" CUBE "[constraints]\nc = a <= b\n"), INT64_C(4357743063501102097));
  EXPECT_EQ(digest(SWEEP "sample = latin 100\n" CUBE "[constraints]\nc = a <= b\n"), INT64_C(3520824838288267697));
  EXPECT_EQ(digest(SWEEP "sample = latin 5\n" CUBE), INT64_C(1393117690155336938)); /* two values in each stratum */
  EXPECT_TRUE(digest(SWEEP "sample = random 100\n" CUBE) != digest(SWEEP "sample = random 100\nseed = 2\n" CUBE));
  EXPECT_TRUE(digest(SWEEP "sample = latin 100\n" CUBE) != digest(SWEEP "sample = latin 100\nseed = 2\n" CUBE));
}
