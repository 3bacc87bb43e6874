/* What the lanes of a warp do together, and the built-in variables, from OpenCL C to results. */
#include "tests/ct.h"
#include "tests/kernels.h"
#include "tests/opencl/group_rig.h"

#include <math.h>
#include <string.h>

enum { ITEMS = 80 };

/* Runs `source` over one group of ITEMS (the last warp of 32 has 16 lanes) with in[i] = i * i + 7. */
static bool run(struct group_rig *rig, const char *source, uint32_t warp) {
  if (!group_rig_open(rig, source))
    return false;
  group_rig_range(rig, ITEMS, ITEMS, warp);
  for (uint32_t i = 0; i < ITEMS; i++)
    group_rig_words(rig, 0)[i] = i * i + 7;
  return group_rig_run(rig);
}

static uint32_t in(uint32_t i) { return i * i + 7; }

TEST(opencl_subgroup, shuffles_of_all_widths_move_between_lanes) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (run(&rig, CT_KERNEL(shuffles_of_all_widths), 32)) {
    for (uint32_t i = 0; i < ITEMS; i++) {
      const uint32_t *out = group_rig_words(&rig, 1) + 8 * i;
      const uint32_t l = i % 32, base = i - l, n = base == 64 ? 16 : 32;
      const uint64_t wide = (uint64_t)in(base + (l ^ 5)) << 30;
      ct_note("item %u", i);
      EXPECT_EQ(out[0], in(base + n - 1 - l));
      EXPECT_EQ(out[1], (uint32_t)wide);
      EXPECT_EQ(out[2], wide >> 32);
      EXPECT_EQ(out[3], in(base + 3));
      EXPECT_EQ(out[4], (uint32_t)(int16_t)(in(base)-9));
      if (l < n - 4)
        EXPECT_EQ(out[5], in(i + 2) & 0xff);
      EXPECT_EQ(out[6], base + 4);
      EXPECT_EQ(out[7], l == 0);
    }
  }
}

TEST(opencl_subgroup, ballots_are_four_words) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (run(&rig, CT_KERNEL(ballots_are_four_words), 64)) {
    for (uint32_t i = 0; i < ITEMS; i++) {
      const uint32_t *out = group_rig_words(&rig, 1) + 12 * i;
      const uint32_t l = i % 64, base = i - l, n = base ? 16 : 64;
      uint64_t b = 0;
      bool all = true, any = false;
      for (uint32_t j = 0; j < n; j++) {
        b |= (uint64_t)(in(base + j) % 3 == 1) << j;
        all &= in(base + j) < 4000;
        any |= in(base + j) == 8;
      }
      ct_note("item %u", i);
      EXPECT_EQ(out[0], (uint32_t)b);
      EXPECT_EQ(out[1], b >> 32);
      EXPECT_EQ(out[2], 0);
      EXPECT_EQ(out[3], b >> l & 1);
      EXPECT_EQ(out[4], b >> 7 & 1);
      EXPECT_EQ(out[5], __builtin_popcountll(b));
      EXPECT_EQ(out[6], __builtin_popcountll(b & ((UINT64_C(2) << l) - 1)));
      EXPECT_EQ(out[7], __builtin_popcountll(b & ((UINT64_C(1) << l) - 1)));
      EXPECT_EQ(out[8], __builtin_ctzll(b));
      EXPECT_EQ(out[9], 63 - __builtin_clzll(b));
      EXPECT_EQ(out[10], any);
      EXPECT_EQ(out[11], all);
    }
  }
}

TEST(opencl_subgroup, reductions_use_the_active_lanes_only) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (run(&rig, CT_KERNEL(reductions_use_the_active), 16)) {
    for (uint32_t i = 0; i < ITEMS; i++) {
      const uint32_t *out = group_rig_words(&rig, 1) + 8 * i, base = i / 16 * 16;
      uint32_t sum = 0, product = 1, cluster = 0, both = ~0u;
      int least = 127;
      bool odd = false;
      float most = -INFINITY;
      for (uint32_t j = base; j < base + 16; j++) {
        if (j % 3 == 1)
          continue;
        sum += in(j);
        odd ^= (in(j)&2) != 0;
        cluster += j / 4 == i / 4 ? in(j) : 0;
        product *= j <= i ? in(j) : 1;
        if (j < i) {
          least = (int8_t)in(j) < least ? (int8_t)in(j) : least;
          most = (float)in(j) > most ? (float)in(j) : most;
          both &= in(j) | 4;
        }
      }
      if (i % 3 == 1)
        continue;
      ct_note("item %u", i);
      EXPECT_EQ(out[0], sum);
      EXPECT_EQ(out[1], (uint32_t)least);
      EXPECT_EQ(out[2], product);
      EXPECT_EQ(out[3], odd);
      EXPECT_EQ(out[4], cluster);
      uint32_t bits;
      memcpy(&bits, &most, 4);
      EXPECT_EQ(out[5], bits);
      EXPECT_EQ(out[6], 1);
      EXPECT_EQ(out[7], both);
    }
  }
}

TEST(opencl_subgroup, rotation_wraps_around_the_warp_or_the_cluster) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (run(&rig, CT_KERNEL(rotation_wraps_around_the), 16))
    for (uint32_t i = 0; i < ITEMS; i++) {
      EXPECT_EQ(group_rig_words(&rig, 1)[2 * i], in(i / 16 * 16 + (i + 3) % 16));
      EXPECT_EQ(group_rig_words(&rig, 1)[2 * i + 1], in(i / 8 * 8 + (i + 5) % 8));
    }
}

TEST(opencl_subgroup, a_cluster_larger_than_the_warp_is_the_warp) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (run(&rig, CT_KERNEL(a_cluster_larger_than), 16))
    for (uint32_t i = 0; i < ITEMS; i++)
      EXPECT_EQ(group_rig_words(&rig, 1)[2 * i], group_rig_words(&rig, 1)[2 * i + 1]);
}

/* A block consists of rows with as many elements as a sub-group has lanes, 16 here. */
TEST(opencl_subgroup, intel_blocks_are_read_and_written_lane_by_lane_and_row_by_row) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (run(&rig, CT_KERNEL(intel_blocks_are_read), 16))
    for (uint32_t i = 0; i < ITEMS; i++) {
      const uint32_t *in = group_rig_words(&rig, 0), *out = group_rig_words(&rig, 1);
      EXPECT_EQ(out[2 * i], in[2 * i % 32] + 1);
      EXPECT_EQ(out[2 * i + 1], in[(2 * i + 1) % 32] + 1);
      EXPECT_EQ(out[160 + i], ((const uint16_t *)in)[i % 16]);
    }
}

TEST(opencl_subgroup, intel_shuffles_move_halves) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (run(&rig, CT_KERNEL(intel_shuffles_move_halves), 16))
    for (uint32_t i = 0; i < ITEMS; i++) {
      EXPECT_EQ(group_rig_words(&rig, 1)[2 * i], in(i ^ 1) & 0x3ff);
      EXPECT_EQ(group_rig_words(&rig, 1)[2 * i + 1], in(i / 16 * 16 + (i + 3) % 16) & 0x3ff);
    }
}

TEST(opencl_subgroup, intel_shuffles_reach_into_the_next_and_the_previous_value) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (run(&rig, CT_KERNEL(intel_shuffles_reach_into), 16))
    for (uint32_t i = 0; i < ITEMS; i++) {
      const uint32_t *out = group_rig_words(&rig, 1) + 4 * i, l = i % 16, base = i - l;
      EXPECT_EQ(out[0], in(base + (i & 7)));
      EXPECT_EQ(out[1], in(i ^ 3));
      EXPECT_EQ(out[2], l < 14 ? in(i + 2) : in(base + l - 14) + 1000);
      EXPECT_EQ(out[3], l >= 2 ? in(i - 2) : in(base + l + 14) + 1000);
    }
}

TEST(opencl_builtin, every_query_is_right_in_three_dimensions_with_smaller_last_groups) {
  static const uint32_t global[3] = {11, 5, 3}, local[3] = {4, 3, 2}, offset[3] = {100, 20, 3};
  ct_freed(group_rig_close) struct group_rig rig;
  if (group_rig_open(&rig, CT_KERNEL(every_query_is_right))) {
    rig.dimensions = 3;
    rig.warp_size = 16;
    memcpy(rig.global, global, sizeof global);
    memcpy(rig.local, local, sizeof local);
    memcpy(rig.offset, offset, sizeof offset);
    group_rig_run(&rig);
    for (uint32_t i = 0; i < 11 * 5 * 3; i++) {
      const uint32_t *out = group_rig_words(&rig, 0) + 40 * i;
      const uint32_t at[3] = {i % 11, i / 11 % 5, i / 55};
      uint32_t size[3], in_group[3];
      ct_note("item %u", i);
      for (int d = 0; d < 3; d++) {
        const uint32_t group = at[d] / local[d];
        size[d] = global[d] - group * local[d] < local[d] ? global[d] - group * local[d] : local[d];
        in_group[d] = at[d] % local[d];
        EXPECT_EQ(out[d], at[d] + offset[d]);
        EXPECT_EQ(out[3 + d], in_group[d]);
        EXPECT_EQ(out[6 + d], group);
        EXPECT_EQ(out[9 + d], size[d]);
        EXPECT_EQ(out[12 + d], local[d]);
        EXPECT_EQ(out[15 + d], global[d]);
        EXPECT_EQ(out[18 + d], (global[d] + local[d] - 1) / local[d]);
        EXPECT_EQ(out[21 + d], offset[d]);
      }
      const uint32_t items = size[0] * size[1] * size[2];
      const uint32_t linear = in_group[0] + size[0] * (in_group[1] + size[1] * in_group[2]), lane = linear % 16;
      EXPECT_EQ(out[24], 3);
      EXPECT_EQ(out[25], linear);
      EXPECT_EQ(out[26], items - linear / 16 * 16 < 16 ? items - linear / 16 * 16 : 16);
      EXPECT_EQ(out[27], 16);
      EXPECT_EQ(out[28], (items + 15) / 16);
      EXPECT_EQ(out[29], 2); /* 24 items in warps of 16 */
      EXPECT_EQ(out[30], linear / 16);
      EXPECT_EQ(out[31], lane);
      EXPECT_EQ(out[32], 1u << lane);
      EXPECT_EQ(out[33], 0xffffu & ~((1u << lane) - 1));
      EXPECT_EQ(out[34], 0xffffu & ~((2u << lane) - 1));
      EXPECT_EQ(out[35], (2u << lane) - 1);
      EXPECT_EQ(out[36], (1u << lane) - 1);
      EXPECT_EQ(out[37], 0);
    }
  }
}

TEST(opencl_builtin, a_fourth_dimension_has_size_1_and_id_0) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (group_rig_open(&rig, CT_KERNEL(a_fourth_dimension_has))) {
    static const uint32_t expected[] = {1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0};
    rig.offset[0] = 5;
    for (uint32_t d = 3; d < 6; d++) {
      group_rig_words(&rig, 0)[0] = d;
      group_rig_run(&rig);
      for (int i = 0; i < 14; i++) {
        ct_note("dimension %u, query %d", d, i);
        EXPECT_EQ(group_rig_words(&rig, 1)[i], expected[i]);
      }
    }
  }
}
