/* The event wheel compared with a plain list. */
#include "sim/core/wheel.h"

#include <stdlib.h>

#include "tests/ct.h"

enum { ITEMS = 500 };

TEST(wheel, an_empty_wheel_is_never_due) {
  ct_freed(wheel_free) struct wheel wheel;
  wheel_init(&wheel, 4);
  EXPECT_EQ(wheel_next(&wheel), NEVER);
  EXPECT_EQ(wheel_take(&wheel, 1000), WHEEL_NONE);
}

TEST(wheel, an_item_is_not_due_early) {
  for (cycle_t at = 1; at < 20000; at = at * 3 + 1) {
    ct_freed(wheel_free) struct wheel wheel;
    ct_note("due at %llu", (unsigned long long)at);
    wheel_init(&wheel, 1);
    wheel_add(&wheel, 0, at);
    EXPECT_EQ(wheel_take(&wheel, at - 1), WHEEL_NONE);
    EXPECT_EQ(wheel_next(&wheel), at); /* now within reach of the last turn */
    EXPECT_EQ(wheel_take(&wheel, at), 0);
    EXPECT_EQ(wheel_next(&wheel), NEVER);
  }
}

TEST(wheel, items_of_a_cycle_come_out_in_the_order_added) {
  ct_freed(wheel_free) struct wheel wheel;
  wheel_init(&wheel, 8);
  for (uint32_t item = 0; item < 8; item++)
    wheel_add(&wheel, (item * 3) % 8, 77);
  for (uint32_t item = 0; item < 8; item++)
    EXPECT_EQ(wheel_take(&wheel, 77), (item * 3) % 8);
}

TEST(wheel, items_of_a_cycle_keep_their_order_even_if_some_were_added_far_ahead) {
  const cycle_t due = 3 * WHEEL_SLOTS;
  ct_freed(wheel_free) struct wheel wheel;
  wheel_init(&wheel, 8);
  for (uint32_t item = 0; item < 7; item++) {
    wheel_add(&wheel, item, due);
    EXPECT_EQ(wheel_take(&wheel, (item + 1) * WHEEL_SLOTS / 3), WHEEL_NONE);
  }
  wheel_add(&wheel, 7, due); /* within reach; all earlier ones are in the slots of several turns */
  for (uint32_t item = 0; item < 8; item++)
    EXPECT_EQ(wheel_take(&wheel, due), item);
}

TEST(wheel, random_items_come_out_once_and_when_due) {
  ct_freed(wheel_free) struct wheel wheel;
  cycle_t due[ITEMS];
  uint64_t number[ITEMS], added = 0;
  bool in[ITEMS] = {false};
  uint64_t random = 99;
  unsigned held = 0;
  wheel_init(&wheel, ITEMS);
  for (cycle_t now = 0, steps = 0; steps < 50000; steps++) {
    uint64_t last = 0;
    for (uint32_t item; (item = wheel_take(&wheel, now)) != WHEEL_NONE; held--) {
      EXPECT_TRUE(in[item]);
      EXPECT_TRUE(number[item] > last);
      last = number[item];
      EXPECT_EQ(due[item], now); /* steps stop at every cycle that wheel_next() returns */
      in[item] = false;
    }
    for (unsigned i = 0; i < 3; i++) {
      uint32_t item = (uint32_t)(ct_random(&random) % ITEMS);
      if (in[item])
        continue;
      unsigned range = ct_random(&random) % 8 ? 300 : 30000;         /* some beyond the reach of the wheel */
      due[item] = (now + 40 + ct_random(&random) % range) / 40 * 40; /* many in one cycle */
      in[item] = true;
      held++;
      number[item] = ++added;
      wheel_add(&wheel, item, due[item]);
    }
    cycle_t next = wheel_next(&wheel);
    if (!EXPECT_TRUE(next > now && (held == 0) == (next == NEVER)))
      break;
    now = cycle_min(next, now + 1 + ct_random(&random) % 50);
  }
}
