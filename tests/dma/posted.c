/* Outbound copies: their width, their data's way from the LDS, and copies that do not wait for memory. */
#include "tests/dma/rig.h"

static struct dma_params outbound_dma(uint32_t posted) {
  struct dma_params params = usual_dma();
  params.out_width = 32;
  params.lds_latency = 22;
  params.posted = posted;
  params.outstanding = 4096;
  return params;
}

TEST(dma, an_outbound_copy_has_separate_widths_on_both_sides) {
  for (uint32_t width = 1; width <= 64; width *= 2) {
    struct dma_params params = usual_dma();
    params.out_width = width;
    cycle_t pace = 64 / width;
    ct_note("width %u", width);
    EXPECT_EQ(alone(params, plain(false, 0, 0, 64 * 8), 30),
              1 + params.setup + (8 + 1) * pace + 30 + params.completion);
    EXPECT_EQ(alone(params, plain(true, 0, 0, 64 * 8), 30), 1 + params.setup + 8 + 1 + 30 + params.completion);
  }
}

TEST(dma, a_posted_copy_completes_exactly_when_its_data_leave_for_memory) {
  for (uint32_t bytes = 16; bytes <= 4096; bytes *= 2)
    for (cycle_t memory = 30; memory < 400; memory += 300) {
      struct dma_params params = outbound_dma(1 << 20);
      cycle_t last = bytes < 64 ? bytes : 64; /* size of the last request */
      cycle_t left = 1 + params.setup + div_up(bytes, 32) + params.lds_latency + div_up(last, 32);
      struct rig *rig = make_rig(params);
      rig->write = memory;
      plan_plain(rig, 0, false, 0, 0, bytes);
      ct_note("%u bytes, memory takes %lu cycles", bytes, (unsigned long)memory);
      island_run(&rig->island, left + params.completion);
      EXPECT_EQ(rig->completed, 0);
      run(rig);
      EXPECT_EQ(rig->done[0], left + params.completion);
      EXPECT_EQ(rig->landed[0], left + memory + params.completion);
      EXPECT_EQ(rig->dma.latency->maximum, rig->done[0]);
      EXPECT_EQ(rig->dma.stats.descriptors, 1);
      free_rig(rig);
    }
}

/* n requests of 64 bytes, two cycles each: each request waits for the acknowledgment of the one `posted` before it. */
TEST(dma, posted_requests_in_flight_stay_within_their_limit) {
  for (uint32_t posted = 1; posted <= 6; posted++) {
    struct dma_params params = outbound_dma(64 * posted);
    uint32_t n = 12;
    cycle_t trip = 2 + params.lds_latency + 2 + 100, last = (n - 1) / posted * trip + (n - 1) % posted * 2;
    struct rig *rig = make_rig(params);
    rig->write = 100;
    plan_plain(rig, 0, false, 0, 0, 64 * n);
    run(rig);
    ct_note("%u posted", posted);
    EXPECT_EQ(rig->landed[0], 1 + params.setup + last + trip + params.completion);
    EXPECT_EQ(rig->done[0], rig->landed[0] - 100);
    free_rig(rig);
  }
}

TEST(dma, an_inbound_copy_is_never_posted) {
  struct dma_params params = outbound_dma(512);
  struct rig *rig = make_rig(params);
  plan_plain(rig, 0, true, 0, 0, 256);
  run(rig);
  EXPECT_EQ(rig->done[0], rig->landed[0]);
  EXPECT_EQ(rig->done[0], 1 + params.setup + 3 + rig->read + 2 + params.completion);
  free_rig(rig);
}

/* For an engine of one dimension, the lines of a 2D copy are parts: the event waits for the last of them. */
TEST(dma, a_posted_copy_in_parts_completes_with_its_last_part) {
  struct dma_params params = outbound_dma(1 << 20);
  params.dimensions = 1;
  struct rig *rig = make_rig(params);
  rig->write = 500;
  plan(rig, 0, (struct flat_copy){.line_bytes = 64, .planes = 1, .lines = 3, .global_pitch = 128, .lds_pitch = 64});
  run(rig);
  EXPECT_EQ(rig->completed, 1);
  EXPECT_EQ(rig->done[0], 1 + params.setup + 3 * 2 + params.lds_latency + 2 + params.completion);
  EXPECT_LT(rig->done[0], rig->landed[0]);
  free_rig(rig);
}

/* Requests of 4 beats. With one at the LDS, the next is read 2 cycles after its reply; with more there is no gap. */
TEST(dma, outbound_requests_at_the_lds_stay_within_their_limit) {
  for (uint32_t reads = 0; reads <= 3; reads++) {
    struct dma_params params = usual_dma();
    params.out_width = 16;
    params.lds_reads = reads;
    cycle_t gap = reads == 1 ? 1 : 0;
    ct_note("%u at a time", reads);
    EXPECT_EQ(alone(params, plain(false, 0, 0, 64 * 8), 30),
              1 + params.setup + 8 * 4 + 7 * gap + 4 + 30 + params.completion);
  }
}
