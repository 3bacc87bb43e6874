/* Planes, lines and places: how copies are joined, packed, split, cut and laid out. */
#include <stdlib.h>

#include "tests/dma/rig.h"

enum { MEMORY = 30 };

static struct flat_copy lines(bool to_lds, uint32_t bytes, uint32_t count, uint64_t global_pitch, uint32_t lds_pitch) {
  return (struct flat_copy){.to_lds = to_lds,
                            .element_bytes = 1,
                            .line_bytes = bytes,
                            .lines = count,
                            .planes = 1,
                            .global_pitch = global_pitch,
                            .lds_pitch = lds_pitch};
}

/* Runs one copy and returns its rig, for its counters. */
static struct rig *after(struct dma_params params, struct flat_copy copy) {
  struct rig *rig = make_rig(params);
  rig->read = rig->write = MEMORY;
  plan(rig, 0, copy);
  run(rig);
  return rig;
}

/* ---- normal form ------------------------------------------------------------------------------------ */

static void expect_equal(struct flat_copy a, struct flat_copy b) {
  struct rig *first = after(usual_dma(), a), *second = after(usual_dma(), b);
  EXPECT_EQ(first->done[0], second->done[0]);
  EXPECT_EQ(first->hash, second->hash);
  EXPECT_EQ(first->dma.stats.requests, second->dma.stats.requests);
  EXPECT_EQ(first->dma.stats.lines, second->dma.stats.lines);
  free_rig(first);
  free_rig(second);
}

TEST(dma, adjacent_lines_are_timed_like_a_plain_copy) {
  for (unsigned to_lds = 0; to_lds < 2; to_lds++) {
    struct flat_copy planes = lines(to_lds, 12, 5, 12, 12), spread = lines(to_lds, 12, 1, 999, 999);
    planes.planes = 7;
    planes.global_plane = planes.lds_plane = 60;
    spread.planes = 35; /* planes of one line */
    spread.global_plane = 40;
    spread.lds_plane = 12;
    expect_equal(lines(to_lds, 12, 35, 12, 12), plain(to_lds, 0, 0, 420));
    expect_equal(lines(to_lds, 100, 1, 777, 888), plain(to_lds, 0, 0, 100));
    expect_equal(planes, plain(to_lds, 0, 0, 420));
    expect_equal(spread, lines(to_lds, 12, 35, 40, 12));
    planes = lines(to_lds, 12, 5, 20, 16);
    planes.planes = 3;
    planes.global_plane = 100;
    planes.lds_plane = 80;
    expect_equal(planes, lines(to_lds, 12, 15, 20, 16)); /* planes that are just more lines */
  }
}

TEST(dma, descriptors_are_counted_by_their_normalized_dimensions) {
  struct flat_copy cube = lines(true, 8, 4, 16, 8);
  cube.planes = 3;
  cube.global_plane = 100;
  cube.lds_plane = 32;
  const struct {
    struct flat_copy copy;
    uint64_t two, three, planes, lines;
  } rows[] = {{plain(true, 0, 0, 64), 0, 0, 1, 1},
              {lines(true, 8, 4, 8, 8), 0, 0, 1, 1},
              {lines(true, 8, 4, 16, 8), 1, 0, 1, 4},
              {cube, 0, 1, 3, 12},
              {{.to_lds = true}, 0, 0, 0, 0}};
  for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct rig *rig = after(usual_dma(), rows[i].copy);
    ct_note("row %u", i);
    EXPECT_EQ(rig->dma.stats.descriptors, 1);
    EXPECT_EQ(rig->dma.stats.descriptors_2d, rows[i].two);
    EXPECT_EQ(rig->dma.stats.descriptors_3d, rows[i].three);
    EXPECT_EQ(rig->dma.stats.planes, rows[i].planes);
    EXPECT_EQ(rig->dma.stats.lines, rows[i].lines);
    EXPECT_EQ(rig->dma.stats.parts, 0);
    free_rig(rig);
  }
}

/* ---- packs ------------------------------------------------------------------------------------------ */

TEST(dma, short_lines_are_packed_and_take_one_address_a_cycle) {
  for (unsigned to_lds = 0; to_lds < 2; to_lds++)
    for (uint32_t count = 2; count <= 70; count += 17) {
      struct dma_params params = usual_dma();
      params.read_width = params.write_width = 256;
      struct rig *rig = after(params, lines(to_lds, 4, count, 8, 4)); /* 16 lines of 4 bytes fill 64 */
      uint32_t packs = (uint32_t)div_up(count, 16);
      ct_note("to_lds %u, %u lines", to_lds, count);
      EXPECT_EQ(rig->dma.stats.requests, packs);
      EXPECT_EQ(rig->dma.stats.packs, packs - (count % 16 == 1));
      EXPECT_EQ(rig->dma.stats.addresses, count);
      EXPECT_EQ(rig->lds.stats.dma_beats, packs); /* adjacent in the LDS */
      /* The last address is the count-th; after that as with a single request. */
      EXPECT_EQ(rig->done[0], 1 + params.setup + (count - 1) + MEMORY + 2 + params.completion);
      free_rig(rig);
    }
}

TEST(dma, a_packed_line_across_a_boundary_takes_two_addresses) {
  struct flat_copy copy = lines(true, 8, 6, 60, 8); /* 0, 60-67, 120-127, 180-187, 240-247, 300-307 */
  struct rig *rig = after(usual_dma(), copy);
  EXPECT_EQ(rig->dma.stats.requests, 1);
  EXPECT_EQ(rig->dma.stats.addresses, 6 + 1);
  EXPECT_EQ(rig->done[0], 1 + 20 + 6 + MEMORY + 2 + 10);
  free_rig(rig);
  copy.global_pitch = 64;
  rig = after(usual_dma(), copy);
  EXPECT_EQ(rig->dma.stats.addresses, 6);
  EXPECT_EQ(rig->done[0], 1 + 20 + 5 + MEMORY + 2 + 10);
  free_rig(rig);
}

TEST(dma, the_packs_of_the_header_have_6_and_8_addresses) {
  struct rig *rig = after(usual_dma(), lines(true, 10, 12, 32, 10));
  EXPECT_EQ(rig->dma.stats.requests, 2);
  EXPECT_EQ(rig->dma.stats.addresses, 12);
  free_rig(rig);
  rig = after(usual_dma(), lines(true, 10, 6, 30, 10));
  EXPECT_EQ(rig->dma.stats.addresses, 8);
  free_rig(rig);
}

TEST(dma, lines_of_more_than_half_a_request_are_not_packed) {
  struct rig *rig = after(usual_dma(), lines(true, 33, 5, 64, 36));
  EXPECT_EQ(rig->dma.stats.packs, 0);
  EXPECT_EQ(rig->dma.stats.requests, 5);
  free_rig(rig);
  rig = after(usual_dma(), lines(true, 32, 5, 64, 36));
  EXPECT_EQ(rig->dma.stats.packs, 2);
  EXPECT_EQ(rig->dma.stats.requests, 3);
  EXPECT_EQ(rig->lds.stats.dma_beats,
            5 + 2); /* gaps in the LDS: a beat for each; 36-67 crosses 64, 108-139 crosses 128 */
  free_rig(rig);
}

TEST(dma, a_burst_of_packs_counts_bytes_of_data) {
  struct dma_params params = usual_dma();
  params.burst = 128;
  struct rig *rig = make_rig(params);
  for (unsigned i = 0; i < 2; i++) { /* 4 packs each: a a b b a a b b, 16 cycles a pack */
    struct flat_copy copy = lines(true, 4, 64, 8, 4);
    copy.global = 4096 * i;
    copy.lds = 4096 * i;
    plan(rig, 0, copy);
  }
  run(rig);
  EXPECT_EQ(rig->dma.stats.bursts, 4);
  EXPECT_EQ(rig->done[0] + 32, rig->done[1]);
  EXPECT_EQ(rig->done[1], 1 + 20 + 127 + 30 + 2 + 10);
  free_rig(rig);
}

TEST(dma, line_and_plane_cycles_precede_each_but_the_first) {
  for (uint32_t bytes = 4; bytes <= 64; bytes *= 16) { /* packed and not */
    struct flat_copy copy = lines(true, bytes, 5, 128, 64);
    copy.planes = 3;
    copy.global_plane = 1024;
    copy.lds_plane = 512;
    cycle_t usually = alone(usual_dma(), copy, MEMORY);
    for (uint32_t line = 0; line < 4; line++)
      for (uint32_t plane = 0; plane < 4; plane++) {
        struct dma_params params = usual_dma();
        params.line_cycles = line;
        params.plane_cycles = plane;
        EXPECT_EQ(alone(params, copy, MEMORY), usually + 14 * line + 2 * plane);
      }
  }
}

TEST(dma, a_line_shorter_than_gather_takes_gather_bytes_on_the_memory_side) {
  for (unsigned to_lds = 0; to_lds < 2; to_lds++)
    for (uint32_t gather = 1; gather <= 64; gather *= 2) {
      struct dma_params params = usual_dma();
      params.gather = gather;
      params.read_width = params.write_width = 16;
      /* One pack of 16 lines of 4 bytes: 4 beats in the LDS, 16 x max(4, gather) / 16 cycles on the other side. */
      cycle_t side = gather < 4 ? 4 : gather;
      cycle_t done = 1 + params.setup + 15 + MEMORY + 4 + side + params.completion;
      ct_note("to_lds %u, gather %u", to_lds, gather);
      EXPECT_EQ(alone(params, lines(to_lds, 4, 16, 8, 4), MEMORY), done);
      EXPECT_EQ(alone(params, plain(to_lds, 0, 0, 64), MEMORY), 1 + params.setup + MEMORY + 4 + 4 + params.completion);
    }
}

/* ---- separate lines, rows and sectors ----------------------------------------------------------------- */

static struct dma_params separate_dma(void) {
  struct dma_params params = usual_dma();
  params.lines = DMA_SEPARATE;
  params.granularity = params.read_width = params.write_width = 128;
  return params;
}

TEST(dma, separate_lines_take_one_request_and_one_cycle_each) {
  for (unsigned to_lds = 0; to_lds < 2; to_lds++)
    for (uint32_t bytes = 16; bytes <= 128; bytes *= 2)
      for (uint64_t pitch = bytes; pitch <= 256; pitch += 256 - bytes) { /* adjacent, or far apart */
        struct dma_params params = separate_dma();
        struct flat_copy copy = lines(to_lds, bytes, 40, pitch, bytes);
        params.outstanding = 256;
        struct rig *rig = after(params, copy);
        ct_note("to_lds %u, %u bytes, pitch %u", to_lds, bytes, (unsigned)pitch);
        EXPECT_EQ(rig->dma.stats.requests, 40);
        EXPECT_EQ(rig->dma.stats.lines, 40);
        EXPECT_EQ(rig->dma.stats.packs, 0);
        EXPECT_EQ(rig->done[0], 1 + params.setup + 39 + MEMORY + 2 + params.completion);
        free_rig(rig);
      }
}

TEST(dma, fetching_a_descriptor_delays_its_copy) {
  for (uint32_t fetch = 0; fetch <= 41; fetch += 41) {
    struct dma_params params = usual_dma();
    params.descriptor_fetch = fetch;
    struct flat_copy copy = lines(true, 64, 4, 128, 64);
    cycle_t known = alone(params, copy, MEMORY);
    EXPECT_EQ(known, alone(usual_dma(), copy, MEMORY));
    copy.fetch = true;
    EXPECT_EQ(alone(params, copy, MEMORY), known + fetch);
  }
}

TEST(dma, a_request_cut_at_lds_rows_is_one_beat) {
  for (uint32_t apart = 0; apart < 128; apart += 32) {
    struct dma_params params = separate_dma();
    params.cut = DMA_CUT_BOTH;
    struct rig *rig = after(params, plain(true, 1024 + apart, 0, 1024));
    uint32_t requests = apart ? 16 : 8;
    ct_note("%u apart", apart);
    EXPECT_EQ(rig->dma.stats.requests, requests);
    EXPECT_EQ(rig->lds.stats.dma_beats, requests);
    EXPECT_EQ(rig->done[0], 1 + params.setup + requests - 1 + MEMORY + 2 + params.completion);
    free_rig(rig);
  }
}

/* 128 bytes of global memory are cut at a row of the LDS, and where a sector starts in one piece and ends in the
 * next. */
TEST(dma, inbound_partial_sectors_are_separate_requests) {
  static const struct {
    uint32_t apart, requests; /* of 128 bytes */
  } rows[] = {{0, 1}, {16, 3}, {32, 2}, {48, 4}, {64, 2}, {96, 2}, {112, 3}};
  for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct dma_params params = separate_dma();
    params.cut = DMA_CUT_BOTH;
    params.sector = 32;
    uint64_t more = 1024 / 128 * rows[i].requests;
    struct rig *small = after(params, plain(true, rows[i].apart, 0, 1024)),
               *large = after(params, plain(true, rows[i].apart, 0, 2048));
    ct_note("%u apart", rows[i].apart);
    EXPECT_EQ(large->dma.stats.requests - small->dma.stats.requests, more);
    EXPECT_EQ(large->dma.stats.addresses - small->dma.stats.addresses, more);
    free_rig(small);
    free_rig(large);
  }
}

TEST(dma, outbound_partial_sectors_carry_a_mask) {
  static const struct {
    uint64_t global;
    uint32_t bytes, sectors; /* that pass, including masks */
  } rows[] = {{0, 32, 1}, {0, 16, 2}, {16, 16, 2}, {0, 48, 3}, {16, 48, 3}, {8, 112, 5}, {0, 128, 4}, {24, 16, 3}};
  for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct dma_params params = separate_dma();
    params.sector = params.write_width = 32;
    ct_note("%u bytes from %u", rows[i].bytes, (unsigned)rows[i].global);
    EXPECT_EQ(alone(params, plain(false, rows[i].global, 0, rows[i].bytes), MEMORY),
              1 + params.setup + 1 + rows[i].sectors + MEMORY + params.completion);
  }
}

TEST(dma, each_line_of_an_outbound_pack_carries_its_mask) {
  struct dma_params params = separate_dma();
  params.lines = usual_dma().lines;
  params.sector = params.write_width = 32;
  for (uint32_t count = 2; count <= 4; count++) {
    struct rig *rig = after(params, lines(false, 16, count, 64, 16));
    ct_note("%u lines", count);
    EXPECT_EQ(rig->dma.stats.packs, 1);
    EXPECT_EQ(rig->done[0], 1 + params.setup + (count - 1) + 1 + 2 * count + MEMORY + params.completion);
    free_rig(rig);
  }
}

TEST(dma, freeing_an_engine_twice_or_before_creation_is_harmless) {
  struct dma dma = {0};
  dma_free(&dma);
  EXPECT_TRUE(dma.work == NULL);
  struct rig *rig = make_rig(usual_dma());
  dma_free(&rig->dma);
  EXPECT_TRUE(rig->dma.work == NULL);
  free_rig(rig);
}

/* On an idle engine, lines in trains and single lines take the same time. */
TEST(dma, a_train_takes_the_cycles_of_its_lines) {
  for (uint32_t bytes = 4; bytes <= 128; bytes *= 2)
    for (uint32_t count = 2; count <= 50; count += 3)
      for (uint64_t pitch = bytes; pitch <= 256; pitch += 256 - bytes) {
        struct dma_params params = separate_dma();
        params.cut = DMA_CUT_BOTH;
        params.sector = 32;
        params.outstanding = 1024;
        params.buffer = 256;
        struct rig *lone = after(params, lines(true, bytes, count, pitch, bytes));
        params.train = 16;
        struct rig *train = after(params, lines(true, bytes, count, pitch, bytes));
        ct_note("%u lines of %u bytes, pitch %u", count, bytes, (unsigned)pitch);
        EXPECT_EQ(train->done[0], lone->done[0]);
        EXPECT_EQ(train->dma.stats.requests, lone->dma.stats.requests);
        EXPECT_EQ(train->dma.stats.addresses, lone->dma.stats.addresses);
        EXPECT_EQ(train->dma.stats.bursts, lone->dma.stats.bursts);
        EXPECT_EQ(train->dma.stats.packs, 0); /* its lines are separate requests */
        EXPECT_EQ(train->dma.stats.outstanding_cycles, lone->dma.stats.outstanding_cycles);
        EXPECT_EQ(train->lds.stats.dma_beats, lone->lds.stats.dma_beats);
        EXPECT_EQ(train->lds.stats.dma_bytes, lone->lds.stats.dma_bytes);
        EXPECT_EQ(train->read_requests, (count + 15) / 16);
        free_rig(lone);
        free_rig(train);
      }
}

TEST(dma, limits_on_single_requests_prevent_trains) {
  struct dma_params usual = separate_dma();
  usual.outstanding = 1024;
  usual.buffer = 256;
  usual.train = 16;
  usual.sector = 32;
  struct dma_params few = usual, quota = usual, spaced = usual, coupled = usual, joined = usual, wide = usual;
  few.outstanding = 127;
  quota.quota = 8;
  spaced.line_cycles = 1;
  coupled.decoupling = DMA_COUPLED;
  joined.lines = DMA_JOINED;
  wide.granularity = 128;
  const struct {
    struct dma_params params;
    struct flat_copy copy;
    uint64_t messages;
  } rows[] = {
      {usual, lines(true, 16, 16, 32, 16), 1},   {usual, lines(false, 16, 16, 32, 16), 16},
      {usual, lines(true, 16, 16, 40, 16), 20},  {usual, lines(true, 48, 16, 64, 64), 32},
      {few, lines(true, 16, 16, 32, 16), 16},    {quota, lines(true, 16, 16, 32, 16), 16},
      {spaced, lines(true, 16, 16, 32, 16), 16}, {coupled, lines(true, 16, 16, 32, 16), 16},
      {joined, lines(true, 16, 16, 32, 16), 2},  {usual, lines(true, 24, 16, 32, 32), 1}, /* within a sector */
      {wide, lines(true, 96, 16, 128, 128), 1},                                           /* whole sectors */
      {wide, lines(true, 72, 16, 128, 128), 32},
  };
  for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct rig *rig = after(rows[i].params, rows[i].copy);
    ct_note("row %u", i);
    EXPECT_EQ(rig->read_requests + rig->write_requests, rows[i].messages);
    free_rig(rig);
  }
}

/* Lines from 64 to 560. The buffer starts and ends with them, or is one byte short at either end; then each line must
 * be checked against the buffer. */
TEST(dma, a_copy_of_a_whole_buffer_uses_trains) {
  struct dma_params params = separate_dma();
  params.outstanding = 1024;
  params.buffer = 256;
  params.train = 16;
  params.out_of_bounds = DMA_ZERO;
  static const struct {
    uint64_t from, to, messages, zero_bytes;
  } rows[] = {{64, 560, 1, 0}, {65, 560, 16, 1}, {64, 559, 16, 1}};
  for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct flat_copy copy = lines(true, 16, 16, 32, 16);
    copy.global = 64;
    copy.global_from = rows[i].from;
    copy.global_to = rows[i].to;
    struct rig *rig = after(params, copy);
    ct_note("buffer from %u to %u", (unsigned)rows[i].from, (unsigned)rows[i].to);
    EXPECT_EQ(rig->read_requests, rows[i].messages);
    EXPECT_EQ(rig->dma.stats.zero_bytes, rows[i].zero_bytes);
    free_rig(rig);
  }
}

TEST(dma, the_line_in_the_header_is_cut_as_described) {
  for (unsigned to_lds = 0; to_lds < 2; to_lds++) {
    struct dma_params params = separate_dma();
    params.cut = DMA_CUT_BOTH;
    params.sector = params.write_width = 32;
    struct rig *rig = after(params, plain(to_lds, 0, 240, 48));
    EXPECT_EQ(rig->dma.stats.requests, to_lds ? 3 : 2);
    if (!to_lds) /* a beat, then 64 + 96 bytes at 32 a cycle */
      EXPECT_EQ(rig->done[0], 1 + params.setup + 1 + 5 + MEMORY + params.completion);
    free_rig(rig);
  }
}

/* ---- dimensions ------------------------------------------------------------------------------------- */

TEST(dma, a_copy_with_more_dimensions_than_the_engine_supports_is_split) {
  struct flat_copy cube = lines(true, 64, 4, 128, 64);
  cube.planes = 3;
  cube.global_plane = 1024;
  cube.lds_plane = 320;
  for (uint32_t dimensions = 1; dimensions <= 5; dimensions++) {
    struct dma_params params = usual_dma();
    params.dimensions = dimensions;
    params.issue_gap = 7;
    params.channels = 64;
    struct rig *rig = after(params, cube);
    uint32_t parts = dimensions == 1 ? 12 : dimensions == 2 ? 3 : 1, last = 12 / parts;
    ct_note("%u dimensions", dimensions);
    EXPECT_EQ(rig->dma.stats.parts, parts > 1 ? parts : 0);
    EXPECT_EQ(rig->dma.stats.splits, parts > 1);
    EXPECT_EQ(rig->dma.stats.descriptors, 1);
    EXPECT_EQ(rig->dma.stats.lines, 12);
    EXPECT_EQ(rig->dma.stats.bytes, 12 * 64);
    EXPECT_EQ(rig->dma.stats.queue_cycles, (parts - 1) * 7); /* at the head until the last part is accepted */
    cycle_t done = 1 + (parts - 1) * 7 + params.setup + (last - 1) + MEMORY + 2 + params.completion;
    EXPECT_EQ(rig->done[0], done);
    free_rig(rig);
  }
}

TEST(dma, parts_share_channels_with_later_descriptors) {
  struct dma_params params = usual_dma();
  params.dimensions = 1;
  params.channels = 2;
  struct rig *rig = make_rig(params);
  plan(rig, 0, lines(true, 64, 5, 128, 64));
  plan_plain(rig, 0, true, 8192, 8192, 64);
  run(rig);
  EXPECT_EQ(rig->dma.stats.parts, 5);
  EXPECT_EQ(rig->order[0], 0);
  EXPECT_EQ(rig->done[0] + 1, rig->done[1]); /* the last part and the plain copy are accepted one after the other */
  free_rig(rig);
}

/* ---- alignment -------------------------------------------------------------------------------------- */

TEST(dma, an_engine_that_cannot_shift_splits_unaligned_copies) {
  static const struct {
    uint64_t global;
    uint32_t lds, bytes, alignment, requests;
  } rows[] = {
      {0, 0, 256, 16, 4},        /* aligned */
      {4, 20, 120, 16, 4},       /* both 4 beyond 16: 4-15 | 16-63 | 64-111 | 112-123 */
      {0, 8, 128, 16, 16},       /* 8 apart: 8 bytes per request */
      {0, 4, 128, 16, 32},       /* 4 apart */
      {0, 1, 128, 16, 128},      /* odd: one byte per request */
      {0, 8, 128, 8, 2},         /* only 8 is required */
      {3, 3, 10, 16, 1},         /* inside one unit */
      {0, 0, 20, 16, 2},         /* 0-15 | 16-19 */
      {0, 1, 8, 2, 8},           /* 1 apart: one byte per request */
      {1, 1, 4, 2, 3},           /* 1 | 2-3 | 4 */
      {0, 64, 256, 128, 32 / 8}, /* 64 apart: requests of 64 anyway */
  };
  for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
    for (unsigned to_lds = 0; to_lds < 2; to_lds++) {
      struct dma_params params = usual_dma();
      params.alignment = rows[i].alignment;
      struct flat_copy copy = plain(to_lds, rows[i].global, rows[i].lds, rows[i].bytes);
      cycle_t shifted = alone(params, copy, MEMORY);
      ct_note("row %u, to_lds %u", i, to_lds);
      EXPECT_EQ(shifted, alone(usual_dma(), copy, MEMORY)); /* shifting costs nothing */
      params.misaligned = DMA_SPLIT;
      struct rig *rig = after(params, copy);
      EXPECT_EQ(rig->dma.stats.requests, rows[i].requests);
      EXPECT_LE(shifted, rig->done[0]);
      free_rig(rig);
    }
}

static bool aligned(const struct dma_params *params, struct flat_copy copy) {
  const struct dma_descriptor descriptor = descriptor_of(&copy);
  return dma_aligned(params, &descriptor.global, &descriptor.lds);
}

TEST(dma, unaligned_copies_can_be_refused) {
  struct dma_params params = usual_dma();
  params.alignment = 16;
  params.misaligned = DMA_REFUSE;
  struct flat_copy cube = lines(true, 32, 4, 64, 32), one;
  cube.planes = 2;
  cube.global_plane = 256;
  cube.lds_plane = 128;
  EXPECT_TRUE(aligned(&params, cube));
  one = cube, one.global = 8;
  EXPECT_FALSE(aligned(&params, one));
  one = cube, one.lds = 4;
  EXPECT_FALSE(aligned(&params, one));
  one = cube, one.line_bytes = 40;
  EXPECT_FALSE(aligned(&params, one));
  one = cube, one.global_pitch = 72;
  EXPECT_FALSE(aligned(&params, one));
  one = cube, one.lds_plane = 136;
  EXPECT_FALSE(aligned(&params, one));
  one = cube, one.lds = 4, one.lines = 0; /* an empty copy is always aligned */
  EXPECT_TRUE(aligned(&params, one));
  one = plain(true, 16, 32, 64), one.global_pitch = 3; /* the pitch of a single line does not matter */
  EXPECT_TRUE(aligned(&params, one));
  EXPECT_EQ(alone(params, cube, MEMORY), alone(usual_dma(), cube, MEMORY));
}

/* ---- limits of the buffer --------------------------------------------------------------------------- */

TEST(dma, bytes_outside_the_buffer_are_zero_or_skipped) {
  for (unsigned to_lds = 0; to_lds < 2; to_lds++)
    for (uint32_t policy = DMA_ZERO; policy <= DMA_SKIP; policy++) {
      struct dma_params params = usual_dma();
      params.out_of_bounds = policy;
      struct flat_copy copy = plain(to_lds, 1024, 0, 256); /* requests at 1024, 1088, 1152, 1216 */
      copy.element_bytes = 4;
      copy.global_from = 1030; /* the element at 1028 is incomplete */
      copy.global_to = 1160;
      struct rig *rig = after(params, copy);
      bool zero = to_lds && policy == DMA_ZERO;
      ct_note("to_lds %u, policy %u", to_lds, policy);
      EXPECT_EQ(rig->dma.stats.requests, 3); /* 1032-1087 | 1088-1151 | 1152-1159 */
      EXPECT_EQ(rig->dma.stats.zero_bytes, zero ? 8 + 56 + 64 : 0);
      EXPECT_EQ(rig->dma.stats.skipped_bytes, zero ? 0 : 8 + 56 + 64);
      EXPECT_EQ(rig->dma.stats.bytes, 256);
      EXPECT_EQ(rig->touched_global[1031], 0);
      EXPECT_EQ(rig->touched_global[1032], 1);
      EXPECT_EQ(rig->touched_global[1159], 1);
      EXPECT_EQ(rig->touched_global[1160], 0);
      EXPECT_EQ(rig->touched_lds[0], zero);
      EXPECT_EQ(rig->touched_lds[255], zero);
      EXPECT_EQ(rig->touched_lds[100], 1);
      /* 1024-1031, the three, 1160-1215, 1216-1279: six in all, one cycle each; memory's last is the fourth. */
      EXPECT_EQ(rig->done[0], 1 + params.setup + 3 + MEMORY + 2 + params.completion);
      free_rig(rig);
    }
}

TEST(dma, a_copy_outside_its_buffer_makes_no_requests) {
  for (uint32_t policy = DMA_ZERO; policy <= DMA_SKIP; policy++) {
    struct dma_params params = usual_dma();
    params.out_of_bounds = policy;
    struct flat_copy copy = plain(true, 1024, 0, 128);
    copy.global_from = 64;
    copy.global_to = 128;
    struct rig *rig = after(params, copy);
    EXPECT_EQ(rig->dma.stats.requests, 0);
    /* Two requests' cycles. Zeros: at the far side a cycle later, a beat, landed. */
    cycle_t last = 1 + params.setup + 1;
    EXPECT_EQ(rig->done[0], (policy == DMA_ZERO ? last + 1 + 2 : last + 1) + params.completion);
    free_rig(rig);
    copy.global_from = 1024; /* all inside: as if no limits were given */
    copy.global_to = 1152;
    EXPECT_EQ(alone(params, copy, MEMORY), alone(usual_dma(), plain(true, 1024, 0, 128), MEMORY));
  }
}

TEST(dma, limits_do_not_apply_if_the_sender_has_cut_the_copy) {
  struct flat_copy copy = plain(true, 1024, 0, 128);
  copy.global_to = 1;
  struct rig *rig = after(usual_dma(), copy);
  EXPECT_EQ(rig->dma.stats.requests, 2);
  free_rig(rig);
}

/* ---- places in the LDS ------------------------------------------------------------------------------ */

TEST(dma, places_match_hand_calculation) {
  struct dma_params params = usual_dma();
  EXPECT_EQ(dma_place(&params, 100, 5), 105);
  params.pad_interval = 128;
  params.pad = 16;
  EXPECT_EQ(dma_place(&params, 100, 127), 227);
  EXPECT_EQ(dma_place(&params, 100, 128), 100 + 128 + 16);
  EXPECT_EQ(dma_place(&params, 100, 300), 100 + 300 + 32);
  params.pad_interval = 0; /* never */
  EXPECT_EQ(dma_place(&params, 100, 300), 400);
  params.swizzle = DMA_SWIZZLE_32; /* two pieces a row: swapped in odd rows */
  EXPECT_EQ(dma_place(&params, 0, 20), 20);
  EXPECT_EQ(dma_place(&params, 0, 32 + 3), 48 + 3);
  EXPECT_EQ(dma_place(&params, 0, 48 + 3), 32 + 3);
  params.swizzle = DMA_SWIZZLE_64;                  /* row 3: piece p at p ^ 3 */
  EXPECT_EQ(dma_place(&params, 64, 128), 192 + 48); /* address 192: row 3, piece 0 */
  EXPECT_EQ(dma_place(&params, 192, 18), 192 + 34); /* piece 1 at 2 */
  EXPECT_EQ(dma_place(&params, 256, 18), 256 + 18); /* row 4: as row 0 */
  params.swizzle = DMA_SWIZZLE_128;
  EXPECT_EQ(dma_place(&params, 0, 5 * 128 + 2 * 16 + 1), 5 * 128 + 7 * 16 + 1); /* 2 ^ 5 */
  EXPECT_EQ(dma_place(&params, 0, 9 * 128 + 2 * 16), 9 * 128 + 3 * 16);         /* row 9: as row 1 */
  params.pad_interval = 128;
  params.pad = 16;
  EXPECT_EQ(dma_place(&params, 0, 128), 128); /* pads to 144: row 1, piece 1, to 0 */
}

TEST(dma, requests_end_where_the_lds_skips_bytes) {
  struct dma_params params = usual_dma();
  params.pad_interval = 96;
  params.pad = 32;
  struct rig *rig = after(params, plain(true, 0, 0, 256)); /* 0-63 | 64-95 | 96-127 | 128-191 | 192-255 */
  EXPECT_EQ(rig->dma.stats.requests, 5);
  EXPECT_EQ(rig->touched_lds[95], 1);
  EXPECT_EQ(rig->touched_lds[96], 0);
  EXPECT_EQ(rig->touched_lds[127], 0);
  EXPECT_EQ(rig->touched_lds[128], 1);
  EXPECT_EQ(rig->touched_lds[255 + 64], 1);
  free_rig(rig);
  params.pad_interval = params.pad = 64; /* where requests end anyway, so it costs nothing */
  EXPECT_EQ(alone(params, plain(true, 0, 0, 256), MEMORY), alone(usual_dma(), plain(true, 0, 0, 256), MEMORY));
}

TEST(dma, a_swizzle_permutes_bytes_and_takes_no_time) {
  for (uint32_t swizzle = DMA_SWIZZLE_32; swizzle <= DMA_SWIZZLE_128; swizzle++) {
    struct dma_params params = usual_dma();
    bool hit[1024] = {0};
    params.swizzle = swizzle;
    EXPECT_EQ(alone(params, plain(true, 0, 0, 1024), MEMORY), alone(usual_dma(), plain(true, 0, 0, 1024), MEMORY));
    for (uint32_t i = 0; i < 1024; i++)
      hit[dma_place(&params, 0, i)] = true;
    for (uint32_t i = 0; i < 1024; i++)
      EXPECT_TRUE(hit[i]);
  }
}
