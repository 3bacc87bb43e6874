#include "sim/check/clock.h"
#include "tests/ct.h"

TEST(clock, covers_each_set_time_and_all_before_it) {
  struct vector_clock clock = {0};
  EXPECT_TRUE(clock_is_empty(&clock));
  clock_set(&clock, 7, 5);
  clock_set(&clock, UINT64_C(1) << 39, 9);
  EXPECT_FALSE(clock_is_empty(&clock));
  EXPECT_TRUE(clock_covers(&clock, 7, 5) && clock_covers(&clock, 7, 4) && clock_covers(&clock, UINT64_C(1) << 39, 9));
  EXPECT_FALSE(clock_covers(&clock, 7, 6) || clock_covers(&clock, 8, 1) || clock_covers(&clock, 0, 1));
  clock_set(&clock, 7, 3);
  EXPECT_TRUE(clock_covers(&clock, 7, 5));
  clock_free(&clock);
  EXPECT_TRUE(clock_is_empty(&clock));
}

TEST(clock, joined_sets_change_independently) {
  struct vector_clock from = {0}, into = {0};
  clock_set(&from, 100, 1);
  clock_join(&into, &from);
  EXPECT_EQ(into.root, from.root);
  clock_set(&into, 100, 2);
  clock_set(&from, 101, 3);
  EXPECT_TRUE(clock_covers(&into, 100, 2) && !clock_covers(&into, 101, 1));
  EXPECT_TRUE(clock_covers(&from, 101, 3) && !clock_covers(&from, 100, 2));
  clock_free(&from);
  EXPECT_TRUE(clock_covers(&into, 100, 2));
  clock_free(&into);
}

TEST(clock, a_join_has_the_later_time_of_each_part) {
  struct vector_clock a = {0}, b = {0};
  uint32_t times[2][400];
  uint32_t random = 1;
  for (uint32_t part = 0; part < 400; part++)
    for (uint32_t i = 0; i < 2; i++) {
      random = random * 1664525 + 1013904223;
      times[i][part] = random >> 28;
      clock_set(i ? &b : &a, (uint64_t)part * part * part, times[i][part]);
    }
  clock_join(&a, &b);
  for (uint32_t part = 0; part < 400; part++) {
    const uint32_t later = times[0][part] > times[1][part] ? times[0][part] : times[1][part];
    EXPECT_TRUE(clock_covers(&a, (uint64_t)part * part * part, later));
    EXPECT_FALSE(clock_covers(&a, (uint64_t)part * part * part, later + 1));
    EXPECT_FALSE(clock_covers(&b, (uint64_t)part * part * part, times[1][part] + 1));
  }
  clock_free(&a);
  clock_free(&b);
}
