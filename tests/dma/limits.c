/* Quotas, the engine's two sides, fences, bypassing the L2. */
#include <stdlib.h>

#include "tests/dma/rig.h"

/* ---- long latencies ---------------------------------------------------------------------------------- */

/* An SoC's engine that signals completion by an interrupt: room limits the copies in flight, not the latency. */
TEST(dma, a_long_completion_latency_blocks_no_copy_and_needs_no_memory) {
  struct dma_params params = usual_dma();
  params.completion = 1000000;
  struct rig *rig = make_rig(params);
  EXPECT_LT(rig->dma.to_cu.capacity, 200);
  for (uint32_t i = 0; i < 100; i++)
    plan_plain(rig, 0, true, 64 * i, 64 * i, 64);
  run(rig);
  EXPECT_EQ(rig->done[0], alone(params, plain(true, 0, 0, 64), 30));
  EXPECT_LT(rig->done[99] - rig->done[0], 2000); /* all are in flight at once */
  EXPECT_LT(rig->dma.to_cu.capacity, 400);
  free_rig(rig);
}

TEST(dma, setup_takes_the_specified_time) {
  struct dma_params params = usual_dma(), slow = usual_dma();
  slow.setup += 1000000 - params.setup;
  EXPECT_EQ(alone(slow, plain(true, 0, 0, 640), 30),
            alone(params, plain(true, 0, 0, 640), 30) + 1000000 - params.setup);
}

/* ---- quota ------------------------------------------------------------------------------------------ */

TEST(dma, a_channel_at_its_quota_waits_until_a_request_lands) {
  for (uint32_t quota = 1; quota <= 8; quota++) {
    struct dma_params params = usual_dma(), fewer = usual_dma();
    params.quota = quota;
    fewer.outstanding = quota;
    struct rig *rig = make_rig(params);
    plan_plain(rig, 0, true, 0, 0, 640);
    run(rig);
    EXPECT_EQ(rig->done[0], alone(fewer, plain(true, 0, 0, 640), 30));
    free_rig(rig);
  }
}

/* One request in flight per copy, memory 10, so 12 cycles from sending to landing. Copy 0 sends in 21 and 33; its
 * second request is ready in 22. Copy 1's first request is ready in 22 and leaves then; its second is ready in 23 and
 * leaves in 34. */
TEST(dma, waiting_for_the_quota_is_counted_and_blocks_no_other_channel) {
  struct dma_params params = usual_dma();
  params.quota = 1;
  struct rig *rig = make_rig(params);
  rig->read = 10;
  plan_plain(rig, 0, true, 0, 0, 128);
  plan_plain(rig, 0, true, 256, 256, 128);
  run(rig);
  EXPECT_EQ(rig->done[0], 33 + 12 + 10);
  EXPECT_EQ(rig->done[1], 34 + 12 + 10);
  EXPECT_EQ(rig->dma.stats.quota_cycles, (33 - 22) + (34 - 23));
  EXPECT_EQ(rig->dma.stats.outstanding_full_cycles, 0);
  free_rig(rig);
}

/* Copy 0 has four requests, two of them in flight when copy 1 arrives, which then has fewer: 0 0 1 1 0 1 0 1. Strict
 * alternation would be 0 0 1 0 1 0 1 1. */
TEST(dma, under_quota_the_channel_with_the_fewest_requests_in_flight_sends) {
  struct dma_params params = usual_dma();
  params.arbitration = DMA_QUOTA;
  params.burst = 64;
  struct rig *rig = make_rig(params);
  plan_plain(rig, 0, true, 0, 0, 256);
  plan_plain(rig, 2, true, 4096, 4096, 256); /* ready in 23 */
  run(rig);
  cycle_t rest = 30 + 2 + params.completion;
  EXPECT_EQ(rig->done[0] - rest, 21 + 6);
  EXPECT_EQ(rig->done[1] - rest, 21 + 7);
  free_rig(rig);
}

/* ---- the engine's sides ------------------------------------------------------------------------------- */

/* A request of 64 bytes takes r cycles on the memory side and B beats. */
TEST(dma, an_engine_with_one_data_path_alternates_between_its_sides) {
  for (unsigned to_lds = 0; to_lds < 2; to_lds++)
    for (uint32_t n = 1; n <= 9; n += 4)
      for (uint32_t width = 4; width <= 64; width *= 4) {
        struct dma_params params = usual_dma();
        params.decoupling = DMA_COUPLED;
        params.read_width = width;
        params.write_width = 32;
        cycle_t read = 64 / width, write = 2;
        /* Outbound, the request's way to the LDS is one cycle, hidden behind the last cycle of writing. */
        cycle_t each = read + write;
        cycle_t done = 1 + params.setup + 30 + n * each + params.completion;
        ct_note("to_lds %u, %u requests, width %u", to_lds, n, width);
        EXPECT_EQ(alone(params, plain(to_lds, 0, 0, 64 * n), 30), done);
      }
}

TEST(dma, copies_in_both_directions_share_the_data_path) {
  cycle_t last[2];
  for (uint32_t decoupling = 0; decoupling < 2; decoupling++) {
    struct dma_params params = usual_dma();
    params.decoupling = decoupling;
    struct rig *rig = make_rig(params);
    plan_plain(rig, 0, true, 0, 0, 4096);
    plan_plain(rig, 0, false, 8192, 8192, 4096);
    run(rig);
    last[decoupling] = cycle_max(rig->done[0], rig->done[1]);
    EXPECT_EQ(rig->dma.stats.buffer_full_cycles > 0, decoupling);
    free_rig(rig);
  }
  EXPECT_LE(last[0] + 2 * 64, last[1]); /* 128 requests of two cycles each, not 64 of one */
}

/* 8 requests of 4 beats, then 8 requests of 4 cycles of reading and one beat. With room for all, the second copy is
 * read while the first is still being written. */
static struct rig *two_paces(uint32_t buffer) {
  struct dma_params params = usual_dma();
  params.buffer = buffer;
  params.read_width = 16;
  struct rig *rig = make_rig(params);
  plan(rig, 0,
       (struct flat_copy){.to_lds = true,
                          .line_bytes = 2,
                          .lines = 32 * 8,
                          .planes = 1,
                          .global_pitch = 4,
                          .lds_pitch = 64}); /* a pack of 32 lines has 32 beats */
  plan_plain(rig, 0, true, 8192, 65536, 64 * 8);
  run(rig);
  return rig;
}

TEST(dma, a_full_buffer_accepts_no_data) {
  struct rig *room = two_paces(256), *small = two_paces(2);
  EXPECT_EQ(room->dma.stats.buffer_full_cycles, 0);
  EXPECT_LT(0, small->dma.stats.buffer_full_cycles);
  EXPECT_LT(room->done[1], small->done[1]);
  free_rig(room);
  free_rig(small);
}

/* Two slots; the LDS takes 64 cycles per request, the memory side one. Requests leave in 21 .. 25. Request i is read in
 * 21 + i + 10 if there is room, otherwise when i - 2 has landed: 0 lands in 31 + 65, each later one 64 cycles later. */
TEST(dma, waiting_for_the_buffer_is_counted) {
  struct dma_params params = usual_dma();
  params.buffer = 2;
  params.write_width = 1;
  struct rig *rig = make_rig(params);
  rig->read = 10;
  plan_plain(rig, 0, true, 0, 0, 64 * 5);
  run(rig);
  EXPECT_EQ(rig->done[0], 31 + 65 + 4 * 64 + 10);
  EXPECT_EQ(rig->dma.stats.buffer_full_cycles, 96 + 2 * 64 - 33); /* 2 waits from 33 on; 4 is accepted when 2 lands */
  free_rig(rig);
}

/* A slot that is left is free from the next cycle on: at one request a cycle, three slots are as good as many. */
TEST(dma, an_outbound_copy_at_full_rate_needs_few_buffer_slots) {
  cycle_t many = 0;
  for (uint32_t buffer = 256; buffer; buffer = buffer == 256 ? 8 : buffer > 3 ? buffer - 1 : 0) {
    struct dma_params params = usual_dma();
    params.buffer = buffer;
    params.outstanding = 64;
    const cycle_t done = alone(params, plain(false, 0, 0, 64 * 60), 10);
    many = buffer == 256 ? done : many;
    ct_note("%u places", buffer);
    EXPECT_EQ(done, many);
  }
}

/* Every component is stepped twice in each cycle, as in random.c: the second step sees the slot that was just freed. */
TEST(dma, a_freed_buffer_slot_is_never_reused_in_the_same_cycle) {
  struct dma_params params = usual_dma();
  params.buffer = 2;
  struct rig *once = make_rig(params), *twice = make_rig(params);
  once->gap = twice->gap = 4; /* memory accepts requests slowly: data wait in the buffer and in front of it */
  plan_plain(once, 0, false, 0, 0, 64 * 30);
  plan_plain(twice, 0, false, 0, 0, 64 * 30);
  run(once);
  for (cycle_t now = 0; !twice->completed && now < 10000; now++)
    for (unsigned i = 0; i < 8; i++)
      twice->island.part[i % 4]->step(twice->island.part[i % 4]->self, now);
  EXPECT_EQ(twice->done[0], once->done[0]);
  EXPECT_EQ(twice->hash, once->hash);
  EXPECT_LT(0, once->dma.stats.buffer_full_cycles);
  EXPECT_EQ(twice->dma.stats.buffer_full_cycles, once->dma.stats.buffer_full_cycles);
  free_rig(once);
  free_rig(twice);
}

/* ---- fences ------------------------------------------------------------------------------------------- */

enum { LDS = DMA_FENCE_LDS, GLOBAL = DMA_FENCE_GLOBAL };

static struct flat_copy owned(struct flat_copy copy, uint32_t owner, unsigned after) {
  copy.owner = owner;
  copy.after = (uint8_t)after;
  return copy;
}

/* Two copies of one request each, accepted in 1 and 2, ready in 21 and 22. Returns when the second one's request
 * leaves. */
static cycle_t second_leaves(bool first_to_lds, uint32_t owner, unsigned after, uint64_t *held) {
  struct rig *rig = make_rig(usual_dma());
  rig->read = 40;
  rig->write = 50;
  plan(rig, 0, owned(plain(first_to_lds, 0, 0, 64), 0, 0));
  plan(rig, 0, owned(plain(true, 4096, 4096, 64), owner, after));
  run(rig);
  cycle_t leaves = rig->diary[1].first[1] - 1 - 1; /* memory sees it a cycle later */
  *held = rig->dma.stats.fence_cycles;
  free_rig(rig);
  return leaves;
}

TEST(dma, a_fence_holds_a_copy_until_earlier_accesses_of_the_flagged_spaces_finish) {
  static const struct {
    bool to_lds;
    uint32_t owner;
    unsigned after;
    cycle_t over; /* when the first copy has finished with the spaces */
  } rows[] = {
      {true, 0, LDS, 21 + 40 + 2},          /* landed */
      {true, 0, GLOBAL, 21 + 40},           /* its data have arrived */
      {true, 0, LDS | GLOBAL, 21 + 40 + 2}, /* both */
      {false, 0, LDS, 21 + 2},              /* read */
      {false, 0, GLOBAL, 21 + 2 + 50},      /* acknowledged */
      {false, 0, LDS | GLOBAL, 21 + 2 + 50},
      {true, 0, 0, 0},            /* no fence */
      {true, 1, LDS | GLOBAL, 0}, /* of another work-group */
  };
  for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
    uint64_t held;
    cycle_t leaves = second_leaves(rows[i].to_lds, rows[i].owner, rows[i].after, &held);
    ct_note("row %u", i);
    EXPECT_EQ(leaves, rows[i].over ? rows[i].over + 1 : 22); /* the cycle after */
    EXPECT_EQ(held, rows[i].over ? rows[i].over - 22 : 0);
  }
}

TEST(dma, a_fence_orders_all_copies_before_it_and_all_after_it) {
  struct rig *rig = make_rig(usual_dma());
  plan(rig, 0, owned(plain(true, 0, 0, 8192), 0, 0));
  plan(rig, 0, owned(plain(true, 16384, 16384, 64), 0, 0)); /* no fence between these two */
  plan(rig, 0, owned(plain(true, 20480, 20480, 64), 0, LDS));
  plan(rig, 0, owned(plain(true, 24576, 24576, 64), 0, 0)); /* nor between these */
  run(rig);
  EXPECT_LT(rig->diary[1].last[0], rig->diary[0].last[0]);
  for (unsigned later = 2; later < 4; later++)
    for (unsigned earlier = 0; earlier < 2; earlier++)
      EXPECT_LT(rig->diary[earlier].last[0], rig->diary[later].first[0]);
  free_rig(rig);
}

TEST(dma, an_empty_copy_passes_a_fence_on) {
  struct rig *rig = make_rig(usual_dma());
  plan(rig, 0, owned(plain(true, 0, 0, 8192), 0, 0));
  plan(rig, 0, owned(plain(true, 0, 0, 0), 0, LDS));
  plan(rig, 0, owned(plain(true, 24576, 24576, 64), 0, 0));
  run(rig);
  EXPECT_EQ(rig->order[0], 1);
  EXPECT_LT(rig->diary[0].last[0], rig->diary[2].first[0]);
  free_rig(rig);
}

TEST(dma, channels_full_of_fenced_copies_drain_oldest_first) {
  for (uint32_t channels = 1; channels <= 4; channels++) {
    struct dma_params params = usual_dma();
    params.channels = channels;
    params.dimensions = 1; /* also for copies in parts */
    struct rig *rig = make_rig(params);
    for (unsigned i = 0; i < 8; i++)
      plan(rig, 0,
           owned((struct flat_copy){.to_lds = i % 2,
                                    .line_bytes = 64,
                                    .lines = 1 + i % 3,
                                    .planes = 1,
                                    .global_pitch = 128,
                                    .lds_pitch = 64},
                 0, LDS | GLOBAL));
    run(rig);
    for (unsigned i = 0; i < 8; i++)
      EXPECT_EQ(rig->order[i], i);
    free_rig(rig);
  }
}

/* ---- unfinished work ----------------------------------------------------------------------------------- */

/* Memory does not answer before cycle 100, when the launch is cut short. */
TEST(dma, endless_waiting_is_counted_until_the_end) {
  struct dma_params params = usual_dma();
  params.quota = 1;
  struct rig *rig = make_rig(params);
  rig->read = 1000;
  plan(rig, 0, owned(plain(true, 0, 0, 128), 0, 0));           /* sent in 21; ready again in 22 */
  plan(rig, 0, owned(plain(true, 4096, 4096, 64), 0, GLOBAL)); /* ready in 22 */
  island_run(&rig->island, 100);
  dma_abandon(&rig->dma, 100);
  EXPECT_EQ(rig->dma.stats.quota_cycles, 100 - 22);
  EXPECT_EQ(rig->dma.stats.fence_cycles, 100 - 22);
  EXPECT_EQ(rig->dma.stats.channel_cycles, (100 - 1) + (100 - 2));
  EXPECT_EQ(rig->dma.stats.setup_cycles, (21 - 1) + (22 - 2));
  EXPECT_EQ(rig->dma.stats.sending_cycles, 1);
  EXPECT_EQ(rig->dma.stats.busy_cycles, 100 - 1);
  free_rig(rig);
  params = usual_dma();
  params.buffer = 2;
  params.write_width = 1; /* a request takes 64 cycles in the LDS */
  rig = make_rig(params);
  rig->read = 10;
  plan_plain(rig, 0, true, 0, 0, 192); /* arrive in 31, 32, 33; the first lands in 96 */
  island_run(&rig->island, 50);
  dma_abandon(&rig->dma, 50);
  EXPECT_EQ(rig->dma.stats.buffer_full_cycles, 50 - 33);
  free_rig(rig);
}

/* ---- the L2 ------------------------------------------------------------------------------------------- */

TEST(dma, requests_report_whether_they_bypass_the_l2) {
  for (uint32_t l2 = DMA_ALLOCATE; l2 <= DMA_BYPASS; l2++) {
    struct dma_params params = usual_dma();
    params.l2 = l2;
    struct rig *rig = make_rig(params);
    plan_plain(rig, 0, true, 0, 0, 640);
    plan_plain(rig, 0, false, 4096, 4096, 640);
    run(rig);
    EXPECT_EQ(rig->bypasses, l2 == DMA_BYPASS ? 20 : 0);
    free_rig(rig);
  }
}

/* A copy of 32 requests occupies the way out for 32 cycles; with one walker the next copy is set up after the last
 * left. */
TEST(dma, a_descriptor_waits_while_walkers_descriptors_have_requests_to_send) {
  for (uint32_t walkers = 1; walkers <= 3; walkers++) {
    struct dma_params params = usual_dma();
    params.walkers = walkers;
    params.outstanding = 4096;
    params.arbitration = DMA_OLDEST;
    struct rig *rig = make_rig(params);
    rig->read = 200; /* channels are held much longer */
    for (unsigned i = 0; i < 3; i++)
      plan_plain(rig, 0, true, i * 4096, i * 4096, 32 * 64);
    run(rig);
    cycle_t first = 1 + params.setup + 31 + rig->read + 2 + params.completion;
    ct_note("%u walkers", walkers);
    EXPECT_EQ(rig->done[0], first);
    EXPECT_EQ(rig->done[1], first + 32 + (walkers == 1 ? params.setup : 0));
    EXPECT_EQ(rig->done[2], first + 64 + (walkers == 1 ? 2 * params.setup : 0));
    free_rig(rig);
  }
}
