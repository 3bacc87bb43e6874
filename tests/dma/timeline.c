/* Queue and channels over time. */
#include "dma/timeline.h"

#include "tests/ct.h"
#include "tests/dma/rig.h"

static uint64_t sum_of(const uint64_t values[TIMELINE]) {
  uint64_t sum = 0;
  for (unsigned i = 0; i < TIMELINE; i++)
    sum += values[i];
  return sum;
}

TEST(timeline, is_empty_without_copies) {
  struct dma_timeline total = {0};
  struct rig *rig = make_rig(usual_dma());
  dma_timeline_start(&rig->dma.timeline, 0);
  run(rig);
  dma_timeline_add(&total, &rig->dma.timeline, 121);
  EXPECT_EQ(sum_of(total.waiting), 0);
  EXPECT_EQ(sum_of(total.held), 0);
  EXPECT_EQ(dma_timeline_intervals(&total, 121), 31); /* of 4 cycles: 60 of 2 are too few */
  EXPECT_EQ(dma_timeline_length(&total, 121, 29), 4);
  EXPECT_EQ(dma_timeline_length(&total, 121, 30), 1);
  free_rig(rig);
}

TEST(timeline, the_example_in_the_header_has_its_sums) {
  struct dma_timeline timeline, total = {0};
  dma_timeline_start(&timeline, 1000);
  dma_timeline_note(&timeline, 1002, 2, 0);
  dma_timeline_note(&timeline, 1003, 2, 0);
  dma_timeline_note(&timeline, 1005, 1, 0);
  dma_timeline_note(&timeline, 1006, 0, 3);
  dma_timeline_note(&timeline, 1009, 0, 0);
  EXPECT_EQ(timeline.waiting[2], 2);
  dma_timeline_add(&total, &timeline, 240); /* 60 intervals of 4 */
  EXPECT_EQ(dma_timeline_intervals(&total, 240), TIMELINE);
  EXPECT_EQ(total.waiting[0], 4);
  EXPECT_EQ(total.waiting[1], 3);
  EXPECT_EQ(total.waiting[2], 0);
  EXPECT_EQ(total.held[0], 0);
  EXPECT_EQ(total.held[1], 6);
  EXPECT_EQ(total.held[2], 3);
}

/* engine.c calculates when: copy 0 holds the one channel from 1 to 46; copy 1 waits from 1 and holds it from 46 to
 * 78. */
TEST(timeline, two_copies_on_one_channel_match_hand_calculation) {
  struct dma_params params = usual_dma();
  struct dma_timeline total = {0};
  params.channels = 1;
  params.outstanding = 2;
  struct rig *rig = make_rig(params);
  rig->read = 10;
  plan_plain(rig, 0, true, 0, 0, 256);
  plan_plain(rig, 0, true, 256, 256, 64);
  run(rig);
  dma_timeline_add(&total, &rig->dma.timeline, 88); /* intervals of 2 */
  for (unsigned i = 0; i < TIMELINE; i++) {
    ct_note("interval %u", i);
    EXPECT_EQ(total.waiting[i], i == 0 ? 1 : i < 23 ? 2 : 0);
    EXPECT_EQ(total.held[i], i == 0 ? 1 : i < 39 ? 2 : 0);
  }
  free_rig(rig);
}

struct ear {
  struct timeline timeline;
  struct timeline_event event[4];
  unsigned heard;
};

static void take(void *self, uint32_t stream, cycle_t now, const struct timeline_event *event) {
  struct ear *ear = self;
  EXPECT_EQ(stream, 0);
  EXPECT_LE(event->to, now);
  if (EXPECT_TRUE(ear->heard < 4))
    ear->event[ear->heard++] = *event;
}

/* The first copy starts in the middle of a request; it holds the only channel from 1 on. */
TEST(timeline, a_channel_reports_its_bytes_and_requests) {
  struct dma_params params = usual_dma();
  struct ear ear = {.timeline = {.take = take, .self = &ear, .kinds = 1u << TIMELINE_CHANNEL}};
  params.channels = 1;
  struct rig *rig = make_rig(params);
  rig->dma.tap = (struct timeline_tap){.timeline = &ear.timeline};
  plan_plain(rig, 0, true, 32, 32, 256); /* 32 + 64 + 64 + 64 + 32 */
  plan_plain(rig, 0, false, 4096, 4096, 128);
  run(rig);
  ASSERT_EQ(ear.heard, 2);
  for (unsigned i = 0; i < 2; i++) {
    ct_note("copy %u", i);
    EXPECT_EQ(ear.event[i].unit, 0);
    EXPECT_EQ(ear.event[i].from, i ? ear.event[0].to : 1);
    EXPECT_EQ(ear.event[i].to, rig->done[i] - params.completion);
    EXPECT_EQ(ear.event[i].field[TIMELINE_CHANNEL_BYTES], i ? 128 : 256);
    EXPECT_EQ(ear.event[i].field[TIMELINE_CHANNEL_REQUESTS], i ? 2 : 5);
  }
  free_rig(rig);
}

/* The engine is busy until 500, because its copies outlive the launch of 100 cycles. 16 is the smallest power of two of
 * which 60 intervals cover 500. */
TEST(timeline, an_engine_that_outlives_its_launch_widens_the_intervals) {
  struct dma_timeline timeline, total = {0};
  dma_timeline_start(&timeline, 0);
  dma_timeline_note(&timeline, 40, 1, 2);
  dma_timeline_note(&timeline, 500, 0, 0);
  dma_timeline_add(&total, &timeline, 100);
  EXPECT_EQ(dma_timeline_length(&total, 100, 0), 16);
  for (unsigned i = 0; i < TIMELINE; i++) {
    const uint64_t cycles = i < 2 ? 0 : i == 2 ? 48 - 40 : i < 31 ? 16 : i == 31 ? 500 - 31 * 16 : 0;
    ct_note("interval %u", i);
    EXPECT_EQ(total.waiting[i], cycles);
    EXPECT_EQ(total.held[i], 2 * cycles);
  }
}

/* Random changes compared with a record of every cycle, at any length; the timelines of engines of different widths add
 * up. */
TEST(timeline, sums_are_exact_at_any_width) {
  enum { LONGEST = 4000 };
  uint64_t random = 5;
  for (unsigned i = 0; i < 300; i++) {
    uint32_t cycles = 1 + (uint32_t)(ct_random(&random) % LONGEST), width = 1;
    uint64_t expected[2][TIMELINE] = {{0}};
    struct dma_timeline total = {0};
    while (width * TIMELINE < cycles)
      width *= 2;
    for (unsigned engine = 0; engine < 2; engine++) {
      struct dma_timeline timeline;
      uint32_t until = engine ? cycles : cycles / 3, waiting = 0, held = 0;
      dma_timeline_start(&timeline, 77);
      for (uint32_t now = 0; now < until; now++) {
        if (ct_random(&random) % 8 == 0) {
          waiting = (uint32_t)(ct_random(&random) % 3);
          held = (uint32_t)(ct_random(&random) % 5);
          dma_timeline_note(&timeline, 77 + now, waiting, held);
        }
        expected[0][now / width] += waiting;
        expected[1][now / width] += held;
      }
      dma_timeline_note(&timeline, 77 + until, 0, 0);
      dma_timeline_add(&total, &timeline, cycles);
    }
    for (unsigned k = 0; k < TIMELINE; k++) {
      ct_note("%u cycles, interval %u", cycles, k);
      EXPECT_EQ(total.waiting[k], expected[0][k]);
      EXPECT_EQ(total.held[k], expected[1][k]);
    }
  }
}

/* One channel, and memory that does not answer before cycle 50: one copy holds the channel, one waits. */
TEST(timeline, abandoned_work_counts_until_the_end) {
  struct dma_params params = usual_dma();
  params.channels = 1;
  struct rig *rig = make_rig(params);
  rig->read = 1000;
  plan_plain(rig, 0, true, 0, 0, 64);
  plan_plain(rig, 0, true, 64, 64, 64);
  island_run(&rig->island, 50);
  dma_abandon(&rig->dma, 50);
  EXPECT_EQ(sum_of(rig->dma.timeline.held), 50 - 1);
  EXPECT_EQ(sum_of(rig->dma.timeline.waiting), 50 - 1);
  EXPECT_EQ(rig->dma.stats.queue_cycles, 50 - 1);
  EXPECT_EQ(rig->dma.stats.channel_cycles, 50 - 1);
  free_rig(rig);
}
