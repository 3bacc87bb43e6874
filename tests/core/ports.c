#include "sim/core/port.h"
#include "sim/core/rate.h"
#include "tests/ct.h"

struct pair {
  struct component sender, receiver;
  struct port port;
};

static cycle_t no_step(void *self, cycle_t now) {
  (void)self, (void)now;
  return NEVER;
}

static void make(struct pair *pair, uint32_t capacity, cycle_t latency) {
  *pair = (struct pair){0};
  pair->sender = pair->receiver = (struct component){.step = no_step, .next = NEVER};
  port_init(&pair->port, sizeof(uint32_t), capacity, latency, &pair->sender, &pair->receiver);
}

static void send(struct pair *pair, uint32_t message, cycle_t now) { port_send(&pair->port, &message, now); }

TEST(port, a_message_arrives_exactly_latency_cycles_after_sending) {
  for (cycle_t latency = 1; latency < 20; latency++) {
    struct pair pair;
    make(&pair, 4, latency);
    send(&pair, 42, 100);
    EXPECT_TRUE(port_peek(&pair.port, 100 + latency - 1) == NULL);
    const uint32_t *message = port_peek(&pair.port, 100 + latency);
    if (EXPECT_TRUE(message != NULL))
      EXPECT_EQ(*message, 42);
    EXPECT_EQ(port_next(&pair.port), 100 + latency);
    EXPECT_EQ(pair.receiver.next, 100 + latency);
    port_free(&pair.port);
  }
}

TEST(port, a_freed_slot_is_usable_exactly_latency_cycles_later) {
  for (cycle_t latency = 1; latency < 20; latency++) {
    struct pair pair;
    make(&pair, 1, latency);
    send(&pair, 1, 0);
    EXPECT_FALSE(port_can_send(&pair.port, 1000));
    EXPECT_TRUE(port_free_at(&pair.port) == NEVER);
    port_take(&pair.port, 50);
    EXPECT_FALSE(port_can_send(&pair.port, 50 + latency - 1));
    EXPECT_TRUE(port_can_send(&pair.port, 50 + latency));
    EXPECT_EQ(pair.sender.next, 50 + latency); /* it was full: the sender is woken */
    EXPECT_TRUE(port_next(&pair.port) == NEVER);
    port_free(&pair.port);
  }
}

TEST(port, a_sender_is_not_woken_while_the_port_has_room) {
  struct pair pair;
  make(&pair, 2, 1);
  send(&pair, 1, 0);
  port_take(&pair.port, 1);
  EXPECT_TRUE(pair.sender.next == NEVER);
  port_free(&pair.port);
}

TEST(port, widening_a_port_keeps_messages_and_credits) {
  for (uint32_t taken = 0; taken < 4; taken++) {
    struct pair pair;
    make(&pair, 4, 10);
    for (uint32_t i = 0; i < 4; i++)
      send(&pair, i, i);
    for (uint32_t i = 0; i < taken; i++)
      port_take(&pair.port, 20);
    port_widen(&pair.port, taken);
    EXPECT_EQ(pair.port.capacity, 4); /* the same amount of room */
    port_widen(&pair.port, taken + 1);
    EXPECT_GE(pair.port.capacity - pair.port.count, taken + 1);
    for (uint32_t i = 4; i < pair.port.capacity; i++) { /* the new slots first: a credit for the others arrives in 30 */
      EXPECT_TRUE(port_can_send(&pair.port, 21));
      send(&pair, i, 21);
    }
    EXPECT_EQ(port_free_at(&pair.port), taken ? 30 : NEVER);
    for (uint32_t i = taken, all = pair.port.capacity; i < all; i++) {
      const uint32_t *message = port_peek(&pair.port, i < 4 ? 20 : 31);
      if (EXPECT_TRUE(message != NULL))
        EXPECT_EQ(*message, i);
      port_take(&pair.port, 31);
    }
    EXPECT_TRUE(port_next(&pair.port) == NEVER);
    port_free(&pair.port);
  }
}

TEST(port, a_message_can_be_delayed) {
  struct pair pair;
  make(&pair, 2, 1);
  uint32_t message = 7;
  port_send_at(&pair.port, &message, 3, 10);
  EXPECT_TRUE(port_peek(&pair.port, 9) == NULL);
  EXPECT_TRUE(port_peek(&pair.port, 10) != NULL);
  port_free(&pair.port);
}

TEST(port, messages_keep_their_order_over_many_laps_of_the_ring) {
  for (uint32_t capacity = 1; capacity <= 5; capacity++) {
    struct pair pair;
    uint64_t random = capacity;
    uint32_t sent = 0, taken = 0;
    make(&pair, capacity, 1);
    for (cycle_t now = 0; now < 2000; now++) {
      bool receiver_first = ct_random(&random) % 2;
      for (unsigned side = 0; side < 2; side++)
        if ((side == 0) == receiver_first) {
          const uint32_t *message = ct_random(&random) % 2 ? port_peek(&pair.port, now) : NULL;
          if (message) {
            EXPECT_EQ(*message, taken++);
            port_take(&pair.port, now);
          }
        } else if (ct_random(&random) % 3 && port_can_send(&pair.port, now)) {
          send(&pair, sent++, now);
        }
      EXPECT_LE(pair.port.count, capacity);
    }
    EXPECT_EQ(sent - taken, pair.port.count);
    EXPECT_LT(100, taken);
    port_free(&pair.port);
  }
}

/* In one cycle, whichever side goes first: the same messages are visible and the same slots are free. */
TEST(port, neither_side_sees_the_others_actions_of_the_same_cycle) {
  for (unsigned first = 0; first < 2; first++) {
    struct pair pair;
    make(&pair, 2, 1);
    send(&pair, 0, 0);
    send(&pair, 1, 0);
    for (unsigned turn = 0; turn < 2; turn++)
      if (turn == first) {
        EXPECT_FALSE(port_can_send(&pair.port, 1));
      } else {
        EXPECT_EQ(*(const uint32_t *)port_peek(&pair.port, 1), 0);
        port_take(&pair.port, 1);
      }
    EXPECT_TRUE(port_can_send(&pair.port, 2));
    port_free(&pair.port);
  }
}

/* ---- islands ---------------------------------------------------------------------------------- */

struct ticker {
  struct component component;
  cycle_t period, last;
  unsigned steps;
};

static cycle_t tick(void *self, cycle_t now) {
  struct ticker *ticker = self;
  ticker->last = now;
  ticker->steps++;
  return now + ticker->period;
}

TEST(island, components_are_stepped_when_due_and_only_before_until) {
  struct island island = {0};
  struct ticker a = {.period = 3}, b = {.period = 5};
  a.component = (struct component){.name = "a", .step = tick, .self = &a};
  b.component = (struct component){.name = "b", .step = tick, .self = &b};
  island_add(&island, &a.component);
  island_add(&island, &b.component);
  EXPECT_EQ(island_run(&island, 15), 15);
  EXPECT_EQ(a.steps, 5); /* 0 3 6 9 12 */
  EXPECT_EQ(b.steps, 3); /* 0 5 10 */
  EXPECT_EQ(a.last, 12);
  EXPECT_EQ(island_run(&island, 15), 15);
  EXPECT_EQ(a.steps, 5);
}

static void note_wake(void *host, cycle_t at) { *(cycle_t *)host = at; }

TEST(island, a_wake_only_moves_the_next_step_earlier_and_notifies_the_host) {
  struct island island = {0};
  struct ticker a = {.period = 100};
  cycle_t woken = 0;
  a.component = (struct component){.name = "a", .step = tick, .self = &a};
  island.host = &woken;
  island.woken = note_wake;
  island_add(&island, &a.component);
  EXPECT_EQ(island_run(&island, 50), 100);
  component_wake(&a.component, 120);
  EXPECT_EQ(a.component.next, 100);
  EXPECT_EQ(woken, 0);
  component_wake(&a.component, 60);
  EXPECT_EQ(woken, 60);
  EXPECT_EQ(island_run(&island, 61), 160);
  EXPECT_EQ(a.last, 60);
}

TEST(island, the_order_permutes_the_components) {
  struct island island = {0};
  struct component part[3] = {{.step = no_step}, {.step = no_step}, {.step = no_step}};
  static const size_t order[] = {2, 0, 1};
  for (unsigned i = 0; i < 3; i++)
    island_add(&island, &part[i]);
  island_order(&island, order);
  for (unsigned i = 0; i < 3; i++)
    EXPECT_TRUE(island.part[i] == &part[order[i]]);
}

/* ---- rates ------------------------------------------------------------------------------------ */

TEST(rate, small_transfers_share_a_cycle_and_none_is_lost) {
  struct rate rate = {.per_cycle = 32};
  EXPECT_EQ(rate_take(&rate, 0, 48), 2); /* as drawn in rate.h */
  EXPECT_EQ(rate_take(&rate, 0, 16), 2);
  EXPECT_EQ(rate.cycle, 2);
  EXPECT_EQ(rate_take(&rate, 10, 1), 11);
  EXPECT_EQ(rate_take(&rate, 10, 31), 11);
  EXPECT_EQ(rate_take(&rate, 10, 1), 12);
}

TEST(rate, a_busy_rate_passes_exactly_its_bytes_per_cycle) {
  for (uint64_t per_cycle = 1; per_cycle <= 300; per_cycle += 13) {
    struct rate rate = {.per_cycle = per_cycle};
    uint64_t random = per_cycle, bytes = 0;
    for (unsigned i = 0; i < 1000; i++) {
      uint64_t more = 1 + ct_random(&random) % 500;
      bytes += more;
      EXPECT_EQ(rate_take(&rate, 7, more), 7 + div_up(bytes, per_cycle));
    }
  }
}
