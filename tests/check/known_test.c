#include "sim/check/known.h"
#include "tests/ct.h"

TEST(known, covers_each_set_time_and_all_before_it) {
  struct known known = {0};
  EXPECT_TRUE(known_is_empty(&known));
  known_set(&known, 7, 5);
  known_set(&known, UINT64_C(1) << 39, 9);
  EXPECT_FALSE(known_is_empty(&known));
  EXPECT_TRUE(known_has(&known, 7, 5) && known_has(&known, 7, 4) && known_has(&known, UINT64_C(1) << 39, 9));
  EXPECT_FALSE(known_has(&known, 7, 6) || known_has(&known, 8, 1) || known_has(&known, 0, 1));
  known_set(&known, 7, 3);
  EXPECT_TRUE(known_has(&known, 7, 5));
  known_free(&known);
  EXPECT_TRUE(known_is_empty(&known));
}

TEST(known, joined_sets_change_independently) {
  struct known from = {0}, into = {0};
  known_set(&from, 100, 1);
  known_join(&into, &from);
  EXPECT_EQ(into.root, from.root);
  known_set(&into, 100, 2);
  known_set(&from, 101, 3);
  EXPECT_TRUE(known_has(&into, 100, 2) && !known_has(&into, 101, 1));
  EXPECT_TRUE(known_has(&from, 101, 3) && !known_has(&from, 100, 2));
  known_free(&from);
  EXPECT_TRUE(known_has(&into, 100, 2));
  known_free(&into);
}

TEST(known, a_join_has_the_later_time_of_each_part) {
  struct known a = {0}, b = {0};
  uint32_t times[2][400];
  uint32_t random = 1;
  for (uint32_t part = 0; part < 400; part++)
    for (uint32_t i = 0; i < 2; i++) {
      random = random * 1664525 + 1013904223;
      times[i][part] = random >> 28;
      known_set(i ? &b : &a, (uint64_t)part * part * part, times[i][part]);
    }
  known_join(&a, &b);
  for (uint32_t part = 0; part < 400; part++) {
    const uint32_t later = times[0][part] > times[1][part] ? times[0][part] : times[1][part];
    EXPECT_TRUE(known_has(&a, (uint64_t)part * part * part, later));
    EXPECT_FALSE(known_has(&a, (uint64_t)part * part * part, later + 1));
    EXPECT_FALSE(known_has(&b, (uint64_t)part * part * part, times[1][part] + 1));
  }
  known_free(&a);
  known_free(&b);
}
