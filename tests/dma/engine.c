/* The engine's timing and counters, with the parameters that every machine sets. */
#include <stdlib.h>
#include <string.h>

#include "tests/dma/rig.h"

/* ---- closed forms ----------------------------------------------------------------------------- */

TEST(dma, one_request_takes_exactly_the_sum_of_its_stages) {
  for (unsigned to_lds = 0; to_lds < 2; to_lds++)
    for (uint32_t bytes = 1; bytes <= 64; bytes++)
      for (unsigned widths = 0; widths < 9; widths++) {
        struct dma_params params = usual_dma();
        params.read_width = widths % 3 == 0 ? 64 : widths % 3 == 1 ? 16 : 7;
        params.write_width = widths / 3 == 0 ? 64 : widths / 3 == 1 ? 16 : 7;
        cycle_t sides = div_up(bytes, params.read_width) + div_up(bytes, params.write_width);
        struct rig *rig = make_rig(params);
        plan_plain(rig, 4, to_lds, 0, 0, bytes);
        cycle_t done = 4 + 1 + params.setup + rig->read + sides + params.completion;
        ct_note("to_lds %u, %u bytes, widths %u and %u", to_lds, bytes, params.read_width, params.write_width);
        island_run(&rig->island, done);
        EXPECT_EQ(rig->completed, 0);
        run(rig);
        EXPECT_EQ(rig->done[0], done);
        EXPECT_EQ(rig->dma.latency->maximum, done - 4);
        free_rig(rig);
      }
}

/* docs/closed-forms.md: the formula for n equal requests, none of which waits for another to land. */
static cycle_t streaming(const struct dma_params *params, uint64_t bytes, cycle_t memory) {
  uint64_t g = params->granularity, n = bytes / g;
  uint64_t read = div_up(g, params->read_width), write = div_up(g, params->write_width);
  uint64_t slowest = cycle_max(1, cycle_max(read, write));
  return 1 + params->setup + (n - 1) * slowest + read + memory + write + params->completion;
}

TEST(dma, a_long_copy_runs_at_the_rate_of_its_narrowest_stage) {
  static const struct {
    const char *narrowest;
    uint32_t granularity, read_width, write_width;
  } rows[] = {{"one request a cycle", 64, 128, 128},
              {"one request a cycle, equal widths", 64, 64, 64},
              {"one request a cycle, short ones", 16, 64, 64},
              {"read width", 64, 16, 64},
              {"read width", 128, 32, 64},
              {"write width", 64, 64, 8},
              {"write width", 128, 128, 64},
              {"write width", 32, 16, 1}};
  for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
    for (unsigned to_lds = 0; to_lds < 2; to_lds++)
      for (uint32_t bytes = rows[i].granularity; bytes <= 65536; bytes *= 4) {
        struct dma_params params = usual_dma();
        params.granularity = rows[i].granularity;
        params.read_width = rows[i].read_width;
        params.write_width = rows[i].write_width;
        params.outstanding = 4096;
        ct_note("%s, to_lds %u, %u bytes", rows[i].narrowest, to_lds, bytes);
        EXPECT_EQ(alone(params, plain(to_lds, 4096, 0, bytes), 100), streaming(&params, bytes, 100));
      }
}

/* If `outstanding` requests do not cover the round trip, requests go in rounds of `outstanding`. */
TEST(dma, outstanding_requests_can_limit_the_rate_of_a_long_copy) {
  for (unsigned to_lds = 0; to_lds < 2; to_lds++)
    for (uint32_t outstanding = 1; outstanding <= 24; outstanding++)
      for (uint32_t n = 1; n <= 100; n += 3) {
        struct dma_params params = usual_dma();
        params.outstanding = outstanding;
        params.read_width = n % 2 ? 64 : 32;
        params.write_width = n % 5 ? 64 : 16;
        cycle_t read = 64 / params.read_width, write = 64 / params.write_width;
        cycle_t trip = read + 100 + write, slowest = cycle_max(read, write); /* 24 x 4 cycles do not cover a trip */
        cycle_t last = (n - 1) / outstanding * trip + (n - 1) % outstanding * slowest;
        ct_note("to_lds %u, %u outstanding, %u requests", to_lds, outstanding, n);
        EXPECT_EQ(alone(params, plain(to_lds, 0, 0, 64 * n), 100), 1 + params.setup + last + trip + params.completion);
      }
}

TEST(dma, the_copy_drawn_in_the_header_takes_17_cycles) {
  struct dma_params params = usual_dma();
  params.granularity = 128;
  params.write_width = 32;
  params.setup = 2;
  params.completion = 3;
  EXPECT_EQ(alone(params, plain(true, 0, 0, 128), 5), 17);
}

TEST(dma, an_empty_copy_completes_after_setup_and_completion) {
  static const struct flat_copy nothing[] = {
      {.line_bytes = 0, .planes = 1, .lines = 5}, {.line_bytes = 64, .planes = 1, .lines = 0}, {.to_lds = true}};
  for (unsigned i = 0; i < 3; i++)
    for (uint32_t setup = 0; setup < 3; setup++)
      for (uint32_t completion = 0; completion < 3; completion++) {
        struct dma_params params = usual_dma();
        params.setup = setup;
        params.completion = completion;
        cycle_t done = 1 + setup + completion;
        ct_note("setup %u, completion %u", setup, completion);
        EXPECT_EQ(alone(params, nothing[i], 30), completion ? done : done + 1); /* a link takes a cycle */
      }
}

/* ---- every parameter changes the result -------------------------------------------------------- */

TEST(dma, each_parameter_makes_a_copy_slower_or_faster_as_expected) {
  struct flat_copy copy = {
      .to_lds = true, .line_bytes = 256, .planes = 1, .lines = 8, .global_pitch = 512, .lds_pitch = 256};
  struct dma_params base = usual_dma(), p;
  base.outstanding = 8;
  base.read_width = base.write_width = 32;
  cycle_t usually = alone(base, copy, 60);
  p = base, p.setup++;
  EXPECT_EQ(alone(p, copy, 60), usually + 1);
  p = base, p.setup = 0;
  EXPECT_EQ(alone(p, copy, 60), usually - base.setup);
  p = base, p.completion++;
  EXPECT_EQ(alone(p, copy, 60), usually + 1);
  p = base, p.outstanding = 16;
  EXPECT_LT(alone(p, copy, 60), usually);
  p = base, p.granularity = 16;
  EXPECT_LT(usually, alone(p, copy, 60));
  p = base, p.read_width = 4;
  EXPECT_LT(usually, alone(p, copy, 60));
  p = base, p.write_width = 4;
  EXPECT_LT(usually, alone(p, copy, 60));
  p = base, p.line_cycles = 64;
  EXPECT_LT(usually, alone(p, copy, 60));
}

TEST(dma, following_lines_start_line_cycles_later) {
  struct dma_params params = usual_dma();
  struct flat_copy copy = {
      .to_lds = true, .line_bytes = 4, .planes = 1, .lines = 10, .global_pitch = 64, .lds_pitch = 4};
  cycle_t without = alone(params, copy, 30);
  for (uint32_t cycles = 1; cycles < 20; cycles++) {
    params.line_cycles = cycles;
    EXPECT_EQ(alone(params, copy, 30), without + 9 * cycles);
  }
}

TEST(dma, descriptors_are_accepted_issue_gap_cycles_apart) {
  for (uint32_t gap = 1; gap < 30; gap += 7) {
    struct dma_params params = usual_dma();
    params.issue_gap = gap;
    params.channels = 64;
    struct rig *rig = make_rig(params);
    for (unsigned i = 0; i < 8; i++)
      plan_plain(rig, 0, true, 64 * i, 64 * i, 64);
    run(rig);
    for (unsigned i = 0; i < 8; i++)
      EXPECT_EQ(rig->done[i], rig->done[0] + i * gap);
    /* Descriptor i arrives in cycle 1 and waits i gaps. */
    EXPECT_EQ(rig->dma.stats.queue_cycles, 28 * gap);
    EXPECT_EQ(rig->dma.queue_peak, 7); /* one is accepted when they arrive */
    free_rig(rig);
  }
}

TEST(dma, a_full_queue_blocks_the_sender_until_a_channel_takes_a_descriptor) {
  struct dma_params params = usual_dma();
  params.channels = 1;
  params.queue = 2;
  struct rig *rig = make_rig(params);
  for (unsigned i = 0; i < 5; i++)
    plan_plain(rig, 0, true, 64 * i, 64 * i, 64);
  run(rig);
  /* The channel is held from acceptance to landing; a free slot is visible a cycle after acceptance. */
  cycle_t held = params.setup + 30 + 1 + 1;
  EXPECT_EQ(rig->sent[0], 0);
  EXPECT_EQ(rig->sent[1], 0);
  for (unsigned i = 2; i < 5; i++) {
    EXPECT_EQ(rig->sent[i], 1 + (i - 2) * held + 1);
    EXPECT_EQ(rig->done[i], 1 + (i + 1) * held + params.completion);
  }
  free_rig(rig);
}

TEST(dma, more_channels_overlap_more_copies) {
  cycle_t before = NEVER;
  for (uint32_t channels = 1; channels <= 8; channels *= 2) {
    struct dma_params params = usual_dma();
    params.channels = channels;
    struct rig *rig = make_rig(params);
    for (unsigned i = 0; i < 8; i++)
      plan_plain(rig, 0, i % 2, 64 * i, 64 * i, 64);
    run(rig);
    EXPECT_TRUE(rig->done[7] < before);
    before = rig->done[7];
    free_rig(rig);
  }
}

/* ---- arbitration -------------------------------------------------------------------------------- */

enum { ROUND_ROBIN, OLDEST, PRIORITY };

/* Three copies of 512 bytes in three channels: their order of completion, and where each one's last request comes. */
static struct rig *three(uint32_t arbitration, uint32_t burst) {
  struct dma_params params = usual_dma();
  params.arbitration = arbitration;
  params.burst = burst;
  struct rig *rig = make_rig(params);
  for (unsigned i = 0; i < 3; i++)
    plan_plain(rig, 0, true, 4096 * i, 4096 * i, 512);
  run(rig);
  return rig;
}

TEST(dma, arbitration_decides_who_sends_the_next_burst) {
  /* Channel i is ready i cycles after the first. Each has eight requests; requests leave in cycles 0 .. 23 after the
   * first. Round robin with bursts of 4: a a a a b b b b c c c c a a a a b b b b c c c c. */
  cycle_t first = 1 + usual_dma().setup, rest = 30 + 1 + 1 + usual_dma().completion;
  static const struct {
    uint32_t arbitration, burst, last[3];
  } rows[] = {{ROUND_ROBIN, 256, {15, 19, 23}},
              {ROUND_ROBIN, 4096, {7, 15, 23}},
              {OLDEST, 256, {7, 15, 23}},
              {PRIORITY, 256, {7, 15, 23}},
              /* bursts of one: a b c a b c ... */
              {ROUND_ROBIN, 64, {21, 22, 23}},
              {ROUND_ROBIN, 4, {21, 22, 23}}};
  for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct rig *rig = three(rows[i].arbitration, rows[i].burst);
    for (unsigned copy = 0; copy < 3; copy++) {
      ct_note("row %u, copy %u", i, copy);
      EXPECT_EQ(rig->done[copy], first + rows[i].last[copy] + rest);
    }
    EXPECT_EQ(rig->dma.stats.bursts, 3 * (rows[i].burst < 64 ? 8 : 512 / cycle_min(rows[i].burst, 512)));
    free_rig(rig);
  }
}

/* Channel 0 is free first and takes the youngest descriptor: the lowest channel is not the oldest. */
TEST(dma, oldest_and_priority_differ_when_a_low_channel_holds_a_young_descriptor) {
  cycle_t done[3][3];
  for (uint32_t arbitration = ROUND_ROBIN; arbitration <= PRIORITY; arbitration++) {
    struct dma_params params = usual_dma();
    params.arbitration = arbitration;
    params.channels = 2;
    params.setup = 0;
    struct rig *rig = make_rig(params);
    rig->read = 3;
    plan_plain(rig, 0, true, 0, 0, 64);
    plan_plain(rig, 0, true, 4096, 4096, 4096);
    plan_plain(rig, 0, true, 8192, 8192, 2048);
    run(rig);
    for (unsigned i = 0; i < 3; i++)
      done[arbitration][i] = rig->done[i];
    free_rig(rig);
  }
  EXPECT_LT(done[OLDEST][1], done[OLDEST][2]);
  EXPECT_LT(done[PRIORITY][2], done[PRIORITY][1]);
  EXPECT_LT(done[PRIORITY][2], done[ROUND_ROBIN][2]);
  EXPECT_LT(done[ROUND_ROBIN][2], done[OLDEST][2]);
}

TEST(dma, bursts_end_at_multiples_of_burst_and_at_line_ends) {
  struct dma_params params = usual_dma();
  struct rig *rig = make_rig(params);
  plan_plain(rig, 0, true, 200, 0, 400); /* 200-255 | 256-511 | 512-599 */
  plan(rig, 500,
       (struct flat_copy){
           .to_lds = true, .line_bytes = 33, .planes = 1, .lines = 5, .global_pitch = 64, .lds_pitch = 48});
  run(rig);
  EXPECT_EQ(rig->dma.stats.bursts, 3 + 5);
  EXPECT_EQ(rig->dma.stats.requests, 1 + 4 + 2 + 5);
  free_rig(rig);
}

/* ---- counters ------------------------------------------------------------------------------------ */

/* 0-255 | 256, and zeros to 511 | zeros. */
TEST(dma, a_burst_continues_beyond_the_end_of_the_buffer) {
  struct dma_params params = usual_dma();
  params.out_of_bounds = DMA_ZERO;
  struct rig *rig = make_rig(params);
  plan_plain(rig, 0, true, 0, 0, 600)->global_to = 257;
  run(rig);
  EXPECT_EQ(rig->dma.stats.bursts, 3);
  EXPECT_EQ(rig->dma.stats.requests, 5);
  EXPECT_EQ(rig->dma.stats.zero_bytes, 600 - 257);
  free_rig(rig);
}

TEST(dma, every_counter_is_zero_on_an_idle_engine) {
  struct rig *rig = make_rig(usual_dma());
  run(rig);
  for (size_t i = 0; i < dma_stat_group.count; i++)
    EXPECT_EQ(stat_value(&dma_stat_group.rows[i], &rig->dma.stats), 0);
  EXPECT_EQ(rig->dma.latency->count, 0);
  EXPECT_EQ(rig->dma.queue_peak, 0);
  free_rig(rig);
}

/* One channel, at most two requests in flight, memory 10 cycles: 12 cycles from sending to landing.
 *
 *     cycle        1    21  22   33  34   45      46
 *     copy 0       acc  r0  r1   r2  r3   r2 lands r3 lands: acceptance 1, finished 46
 *     copy 1       (arrives at 1, waits)           acc 46, 66 r0, lands 78 */
TEST(dma, counters_match_hand_calculation) {
  struct dma_params params = usual_dma();
  params.channels = 1;
  params.outstanding = 2;
  struct rig *rig = make_rig(params);
  rig->read = 10;
  plan_plain(rig, 0, true, 0, 0, 256);
  plan_plain(rig, 0, true, 256, 256, 64);
  run(rig);
  const struct dma_stats *stats = &rig->dma.stats;
  EXPECT_EQ(stats->descriptors, 2);
  EXPECT_EQ(stats->lines, 2);
  EXPECT_EQ(stats->bursts, 2);
  EXPECT_EQ(stats->requests, 5);
  EXPECT_EQ(stats->bytes, 320);
  EXPECT_EQ(stats->busy_cycles, 78 - 1);
  EXPECT_EQ(stats->channel_cycles, 45 + 32);
  EXPECT_EQ(stats->setup_cycles, 20 + 20);
  EXPECT_EQ(stats->sending_cycles, 4 + 1);
  EXPECT_EQ(stats->room_cycles, 33 - 23); /* r2 */
  EXPECT_EQ(stats->data_cycles, (46 - 35) + (78 - 67));
  EXPECT_EQ(stats->turn_cycles, 0);
  EXPECT_EQ(stats->queue_cycles, 45);
  EXPECT_EQ(stats->outstanding_cycles, 5 * 12);
  EXPECT_EQ(stats->outstanding_full_cycles, 33 - 23); /* r2 is ready in 23 and leaves in 33; r3 in 34 */
  EXPECT_EQ(rig->dma.queue_peak, 1);
  EXPECT_EQ(rig->dma.latency->minimum, 46 + 10);
  EXPECT_EQ(rig->dma.latency->maximum, 78 + 10);
  EXPECT_EQ(rig->done[1], 78 + 10);
  free_rig(rig);
}

/* One request in flight, memory 10 cycles: 12 cycles from sending to landing. */
TEST(dma, waiting_for_outstanding_requests_counts_cycles_with_a_ready_request) {
  struct dma_params params = usual_dma();
  params.outstanding = 1;
  params.line_cycles = 5;
  struct rig *rig = make_rig(params);
  rig->read = 10;
  plan(rig, 0,
       (struct flat_copy){
           .to_lds = true, .line_bytes = 64, .planes = 1, .lines = 2, .global_pitch = 128, .lds_pitch = 64});
  run(rig);
  EXPECT_EQ(rig->dma.stats.outstanding_full_cycles, 33 - 27); /* sent in 21; the second line is ready in 27 */
  free_rig(rig);
  rig = make_rig(params);
  rig->read = 10;
  plan_plain(rig, 0, true, 0, 0, 128);    /* sent in 21 and 33, in one burst */
  plan_plain(rig, 0, true, 256, 256, 64); /* ready in 22; in 33 it loses the turn, not a slot; sent in 45 */
  run(rig);
  EXPECT_EQ(rig->dma.stats.outstanding_full_cycles, (33 - 22) + (45 - 34));
  EXPECT_EQ(rig->done[1], 45 + 12 + 10);
  free_rig(rig);
}

TEST(dma, the_older_of_two_copies_that_land_in_one_cycle_completes_first) {
  for (unsigned to_lds = 0; to_lds < 2; to_lds++) {
    struct rig *rig = make_rig(usual_dma());
    rig->read = to_lds ? 30 : 29; /* the second is accepted a cycle later */
    rig->write = to_lds ? 29 : 30;
    plan_plain(rig, 0, to_lds, 0, 0, 64);
    plan_plain(rig, 0, !to_lds, 64, 64, 64);
    run(rig);
    EXPECT_EQ(rig->done[0], rig->done[1]);
    EXPECT_EQ(rig->order[0], 0);
    free_rig(rig);
  }
}

TEST(dma, a_descriptor_that_finds_a_free_channel_does_not_count_as_waiting) {
  struct rig *rig = make_rig(usual_dma());
  plan_plain(rig, 0, true, 0, 0, 64);
  run(rig);
  EXPECT_EQ(rig->dma.stats.queue_cycles, 0);
  EXPECT_EQ(rig->dma.stats.outstanding_full_cycles, 0);
  EXPECT_EQ(rig->dma.queue_peak, 0);
  EXPECT_EQ(rig->dma.stats.busy_cycles, 20 + 30 + 2);
  free_rig(rig);
}

TEST(dma, a_completion_reports_the_requests_and_bytes_of_its_copy) {
  struct rig *rig = make_rig(usual_dma());
  for (uint32_t n = 0; n < 8; n++)
    plan_plain(rig, 0, n & 1, 4096 * n, 4096 * n, 100 * n);
  run(rig);
  for (uint32_t n = 0; n < 8; n++) {
    ct_note("%u bytes", 100 * n);
    EXPECT_EQ(rig->requests[n], div_up(100 * n, 64));
    EXPECT_EQ(rig->asked[n], 100 * n);
  }
  free_rig(rig);
}
