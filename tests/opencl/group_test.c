/* What work-groups do together, from OpenCL C to results: collectives, barriers, asynchronous copies. Expected values
 * are computed here, in the order that opencl/lower/workgroup.c promises. */
#include "isa/ops.h"
#include "tests/ct.h"
#include "tests/kernels.h"
#include "tests/opencl/group_rig.h"

#include <string.h>

/* Group and warp sizes with full, partly filled and single warps, and with more warps than lanes (63 warps of 16). */
static const struct shape {
  uint32_t items, local, warp;
} shapes[] = {
    {1, 1, 16},     {5, 5, 32},     {16, 16, 16},     {34, 17, 16},   {128, 64, 64},
    {200, 100, 32}, {300, 128, 32}, {1000, 1000, 16}, {600, 256, 16}, {1500, 1024, 32},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static void use_shape(struct group_rig *rig, const struct shape *shape) {
  ct_note("%u items in groups of %u, warps of %u", shape->items, shape->local, shape->warp);
  group_rig_range(rig, shape->items, shape->local, shape->warp);
}

/* The range of items in the group of item i. */
static uint32_t group_first(const struct shape *shape, uint32_t i) { return i / shape->local * shape->local; }
static uint32_t group_end(const struct shape *shape, uint32_t i) {
  const uint32_t end = group_first(shape, i) + shape->local;
  return end < shape->items ? end : shape->items;
}

static uint32_t mixed(uint32_t i) { return i * 2654435761u ^ i >> 3; }

TEST(opencl_group, integer_collectives_are_right_for_groups_of_all_shapes) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (group_rig_open(&rig, CT_KERNEL(integer_collectives_are_right)))
    for (uint32_t s = 0; s < SHAPES; s++) {
      const struct shape *shape = &shapes[s];
      use_shape(&rig, shape);
      for (uint32_t i = 0; i < shape->items; i++)
        group_rig_words(&rig, 0)[i] = mixed(i);
      group_rig_run(&rig);
      const uint32_t *out = group_rig_words(&rig, 1);
      unsigned wrong = 0;
      for (uint32_t i = 0; i < shape->items; i++) {
        uint32_t sum = 0, most = 0, before = 0;
        int32_t least = INT32_MAX;
        for (uint32_t j = group_first(shape, i); j < group_end(shape, i); j++) {
          sum += mixed(j);
          if (j <= i && mixed(j) > most)
            most = mixed(j);
          before += j < i ? mixed(j) : 0;
          if (j < i && (int32_t)mixed(j) < least)
            least = (int32_t)mixed(j);
        }
        wrong += out[4 * i] != sum || out[4 * i + 1] != most || out[4 * i + 2] != before ||
                 out[4 * i + 3] != (uint32_t)least;
      }
      EXPECT_EQ(wrong, 0);
    }
  EXPECT_EQ(rig.hazards, 0);
}

static float value_of(uint32_t i) { return (float)(int32_t)mixed(i) * 1e-3f; }

/* Sums lanes within a warp, then warps. */
static float sum_below(const struct shape *shape, uint32_t first, uint32_t end) {
  float total = 0;
  for (uint32_t warp = first; warp < end; warp += shape->warp) {
    float part = value_of(warp);
    for (uint32_t i = warp + 1; i < end && i < warp + shape->warp; i++)
      part += value_of(i);
    total = warp == first ? part : total + part;
  }
  return total;
}

TEST(opencl_group, float_sums_go_by_lanes_then_by_warps_and_scans_agree_with_them) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (group_rig_open(&rig, CT_KERNEL(float_sums_go_by)))
    for (uint32_t s = 0; s < SHAPES; s++) {
      const struct shape *shape = &shapes[s];
      use_shape(&rig, shape);
      for (uint32_t i = 0; i < shape->items; i++)
        memcpy(rig.buffers[0].data + 4 * i, &(float){value_of(i)}, 4);
      group_rig_run(&rig);
      unsigned wrong = 0;
      for (uint32_t i = 0; i < shape->items; i++) {
        float out[3];
        memcpy(out, rig.buffers[1].data + 12 * i, 12);
        const uint32_t first = group_first(shape, i);
        const float sums[] = {sum_below(shape, first, group_end(shape, i)), sum_below(shape, first, i + 1),
                              sum_below(shape, first, i)};
        wrong += memcmp(out, sums, sizeof sums) != 0;
      }
      EXPECT_EQ(wrong, 0);
    }
}

TEST(opencl_group, collectives_of_different_widths_follow_each_other_in_loops) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (group_rig_open(&rig, CT_KERNEL(collectives_of_different_widths))) {
    enum { ITEMS = 100, TURNS = 5 };
    uint64_t wide[ITEMS], narrow[ITEMS], real[ITEMS];
    for (uint32_t i = 0; i < ITEMS; i++)
      wide[i] = narrow[i] = real[i] = i;
    for (uint32_t t = 0; t < TURNS; t++) {
      uint64_t sum = 0, most = 0, top = 0;
      bool any = false, all = true;
      for (uint32_t i = 0; i < ITEMS; i++) {
        sum += wide[i];
        wide[i] = sum & 0xffffffffffu;
        most = (narrow[i] ^ t) > most ? narrow[i] ^ t : most;
        top = real[i] > top ? real[i] : top;
      }
      for (uint32_t i = 0; i < ITEMS; i++) {
        narrow[i] = most + i;
        real[i] = top + i;
        any |= narrow[i] == t;
        all &= narrow[i] > 1;
      }
      for (uint32_t i = 0; i < ITEMS; i++)
        wide[i] += narrow[t] + any + 2u * all;
    }
    group_rig_range(&rig, ITEMS, ITEMS, 16);
    group_rig_words(&rig, 1)[0] = TURNS;
    group_rig_run(&rig);
    for (uint32_t i = 0; i < ITEMS; i++) {
      uint64_t out;
      memcpy(&out, rig.buffers[0].data + 8 * i, 8);
      if (!EXPECT_EQ(out, wide[i] + narrow[i] + real[i]))
        break;
    }
    EXPECT_EQ(rig.hazards, 0);
  }
}

TEST(opencl_group, every_type_has_its_own_identity) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (group_rig_open(&rig, CT_KERNEL(every_type_has_its))) {
    /* A sum of -0 stays -0, because no padding is added; the first value of an exclusive scan is +0. */
    for (uint32_t i = 0; i < 40; i++)
      group_rig_words(&rig, 1)[i] = 0x80000000;
    group_rig_range(&rig, 40, 40, 16);
    group_rig_run(&rig);
    const uint64_t first[] = {
        INT64_MAX, 0, (uint64_t)INT64_MIN, 0x7ff0000000000000, 0xff800000, 0, 0x80000000, 0x80000000, 0x7c00, 0x7f};
    const uint64_t last[] = {0, 38, 0, 0, 0x80000000, 0x80000000, 0x80000000, 0x80000000, 0, (uint8_t)-38};
    for (int j = 0; j < 10; j++) {
      uint64_t out[2];
      memcpy(&out[0], rig.buffers[0].data + 8 * j, 8);
      memcpy(&out[1], rig.buffers[0].data + 8 * (390 + j), 8);
      ct_note("value %d", j);
      EXPECT_EQ(out[0], first[j]);
      EXPECT_EQ(out[1], last[j]);
    }
    group_rig_words(&rig, 1)[17] = 0x7fc00000; /* minimum and maximum ignore a NaN; a sum does not */
    group_rig_run(&rig);
    EXPECT_EQ(*(uint64_t *)(void *)(rig.buffers[0].data + 8 * 6), 0x7fc00000);
    EXPECT_EQ(*(uint64_t *)(void *)(rig.buffers[0].data + 8 * 7), 0x80000000);
  }
}

TEST(opencl_group, broadcast_accepts_local_ids_of_one_to_three_dimensions) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (group_rig_open(&rig, CT_KERNEL(broadcast_accepts_local_ids))) {
    rig.dimensions = 3;
    rig.warp_size = 16;
    memcpy(rig.global, (uint32_t[]){10, 6, 2}, 12);
    memcpy(rig.local, (uint32_t[]){5, 3, 2}, 12);
    group_rig_run(&rig);
    for (uint32_t i = 0; i < 120; i++) {
      const uint64_t x = i % 10 / 5 * 5 + 1, y = i / 10 % 6 / 3 * 3 + 2, from = x + 10 * (y + 6);
      uint64_t out;
      memcpy(&out, rig.buffers[0].data + 8 * i, 8);
      if (!EXPECT_EQ(out, from * 1000000007u))
        break;
    }
  }
}

TEST(opencl_group, a_required_size_of_one_warp_needs_no_lds) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (group_rig_open(&rig, "kernel __attribute__((reqd_work_group_size(16, 1, 1))) void k(global int *out) {\n"
                           "  out[get_global_id(0)] = work_group_reduce_add((int)get_global_id(0));\n"
                           "}\n")) {
    EXPECT_EQ(rig.program->kernels[0].lds_bytes, 0);
    EXPECT_EQ(rig.program->kernels[0].scratch_bytes, 0);
    EXPECT_EQ(group_rig_count(&rig, ISA_BAR_GROUP), 0);
    group_rig_range(&rig, 32, 16, 64);
    group_rig_run(&rig);
    EXPECT_EQ(group_rig_words(&rig, 0)[3], 120);
    EXPECT_EQ(group_rig_words(&rig, 0)[20], 120 + 16 * 16);
  }
}

TEST(opencl_group, barriers_and_scratch_memory_of_collectives_are_distinct_from_the_programs) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (group_rig_open(&rig, CT_KERNEL(barriers_and_scratch_memory))) {
    const struct isa_kernel *kernel = &rig.program->kernels[0];
    EXPECT_EQ(group_rig_count(&rig, ISA_BAR_LDS), 1);
    EXPECT_EQ(group_rig_count(&rig, ISA_BAR_GROUP), 4);
    EXPECT_EQ(kernel->scratch_bytes, 520);
    ASSERT_TRUE(kernel->lds_count == 2);
    for (size_t i = 0; i < kernel->lds_count; i++)
      EXPECT_TRUE(kernel->lds[i].offset + kernel->lds[i].bytes <= kernel->scratch ||
                  kernel->lds[i].offset >= kernel->scratch + kernel->scratch_bytes);
  }
}

TEST(opencl_group, barriers_and_fences_are_as_strong_as_their_flags) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (group_rig_open(&rig, CT_KERNEL(barriers_and_fences_are))) {
    static const enum isa_op ops[] = {ISA_BAR,          ISA_BAR_LDS,      ISA_BAR_GLOBAL,
                                      ISA_BAR_ALL,      ISA_FENCE_LDS,    ISA_FENCE_GLOBAL,
                                      ISA_BAR_WARP_ALL, ISA_BAR_WARP_LDS, ISA_BAR_WARP_GLOBAL};
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
      ct_note("%s", isa_op_name(ops[i]));
      EXPECT_EQ(group_rig_count(&rig, ops[i]), 1);
    }
    EXPECT_EQ(group_rig_count(&rig, ISA_FENCE_ALL), 0);
  }
}

TEST(opencl_group, image_fences_are_separate_fences_and_those_of_one_work_item_stay) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (group_rig_open(&rig, CT_KERNEL(image_fences_are_separate))) {
    EXPECT_EQ(group_rig_count(&rig, ISA_BAR_IMAGE), 2);
    EXPECT_EQ(group_rig_count(&rig, ISA_BAR_ALL_IMAGE), 1);
    EXPECT_EQ(group_rig_count(&rig, ISA_BAR_WARP_LDS), 1);
    EXPECT_EQ(group_rig_count(&rig, ISA_BAR_WARP_IMAGE), 1);
    EXPECT_EQ(group_rig_count(&rig, ISA_FENCE_IMAGE), 1);
    EXPECT_EQ(group_rig_count(&rig, ISA_FENCE_GLOBAL), 0);
  }
}

TEST(opencl_group, barriers_and_fences_with_variable_flags_are_the_strongest) {
  static const char source[] = "kernel void k(global int *a, int n) {\n"
                               "  barrier(n); work_group_barrier(n & 1 ? CLK_LOCAL_MEM_FENCE : CLK_GLOBAL_MEM_FENCE);\n"
                               "  work_group_barrier(n, n & 2 ? memory_scope_device : memory_scope_work_group);\n"
                               "  barrier(CLK_LOCAL_MEM_FENCE);\n"
                               "  mem_fence(n);\n"
                               "  a[0] = n;\n"
                               "  sub_group_barrier(n);\n"
                               "  a[1] = n;\n"
                               "  atomic_work_item_fence(n, memory_order_acquire, memory_scope_device);\n"
                               "}\n";
  ct_freed(group_rig_close) struct group_rig rig;
  struct isa_error error;
  if (EXPECT_TRUE(group_rig_compile(&rig, source, "CL2.0", &error))) {
    EXPECT_EQ(group_rig_count(&rig, ISA_BAR_ALL_IMAGE), 3);
    EXPECT_EQ(group_rig_count(&rig, ISA_BAR_LDS), 1);
    EXPECT_EQ(group_rig_count(&rig, ISA_BAR_WARP_ALL), 1);
    EXPECT_EQ(group_rig_count(&rig, ISA_BAR_WARP_IMAGE), 1);
    EXPECT_EQ(group_rig_count(&rig, ISA_FENCE_ALL), 2);
    EXPECT_EQ(group_rig_count(&rig, ISA_FENCE_IMAGE), 2);
  }
}

TEST(opencl_group, a_fence_beside_a_sub_group_barrier_of_the_same_memory_is_left_out) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (group_rig_open(&rig, CT_KERNEL(a_fence_beside_a))) {
    EXPECT_EQ(group_rig_count(&rig, ISA_BAR_WARP_LDS), 2);
    EXPECT_EQ(group_rig_count(&rig, ISA_FENCE_LDS), 0);
    EXPECT_EQ(group_rig_count(&rig, ISA_FENCE_GLOBAL), 1);
  }
}

TEST(opencl_group, copies_work_both_ways_with_strides_and_shared_events) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (group_rig_open(&rig, CT_KERNEL(copies_work_both_ways))) {
    for (uint32_t i = 0; i < 64 * 3; i++)
      group_rig_words(&rig, 0)[i] = i;
    for (uint32_t i = 0; i < 32; i++)
      group_rig_words(&rig, 2)[i] = mixed(i);
    group_rig_run(&rig);
    for (uint32_t i = 0; i < 64; i++)
      EXPECT_EQ(group_rig_words(&rig, 1)[2 * i], i * 1000 + 3 * i);
    for (uint32_t i = 0; i < 32; i++)
      EXPECT_EQ(group_rig_words(&rig, 3)[i], mixed(i));
    EXPECT_EQ(group_rig_count(&rig, ISA_WAIT), 2);
    EXPECT_EQ(rig.hazards, 0);
  }
}

TEST(opencl_group, waits_cover_as_many_events_as_the_run_time_count_says) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (group_rig_open(&rig, CT_KERNEL(waits_cover_as_many))) {
    for (uint32_t i = 0; i < 48; i++)
      group_rig_words(&rig, 0)[i] = mixed(i);
    group_rig_words(&rig, 2)[0] = 11;
    group_rig_range(&rig, 44, 44, 16);
    group_rig_run(&rig);
    for (uint32_t i = 0; i < 44; i++)
      EXPECT_EQ(group_rig_words(&rig, 1)[i], mixed(i));
    EXPECT_EQ(rig.hazards, 0);
  }
}

TEST(opencl_group, prefetch_counts_bytes) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (group_rig_open(&rig, "kernel void k(global float3 *v, global uint *n) {\n"
                           "  prefetch(v, 5); prefetch(v, (size_t)n[0]);\n"
                           "}\n"))
    EXPECT_EQ(group_rig_count(&rig, ISA_PREFETCH), 2);
}

TEST(opencl_group, results_do_not_depend_on_how_much_clang_optimizes) {
  static const char source[] = "kernel void k(global float *in, global float *out, volatile global int *count) {\n"
                               "  local float l[64]; event_t e = async_work_group_copy(l, in, 64, 0);\n"
                               "  wait_group_events(1, &e);\n"
                               "  size_t i = get_local_id(0);\n"
                               "  for (int t = 0; t < 3; t++)\n"
                               "    l[i] = work_group_scan_inclusive_add(l[i]) * work_group_broadcast(l[i], 3);\n"
                               "  if (l[i] < sub_group_reduce_max(l[i])) atomic_inc(count);\n"
                               "  out[i] = l[i];\n"
                               "}\n";
  static const char *const levels[] = {NULL, "-O0", "-O2"};
  enum { LEVELS = sizeof levels / sizeof *levels };
  uint8_t results[LEVELS][256] = {{0}};
  uint32_t counts[LEVELS] = {0};
  for (size_t i = 0; i < LEVELS; i++) {
    ct_freed(group_rig_close) struct group_rig rig;
    struct isa_error error = {""};
    const bool good = levels[i] ? group_rig_clang(&rig, source, "CL2.0", levels[i], &error)
                                : group_rig_compile(&rig, source, "CL2.0", &error);
    ct_note("%s: %s", levels[i] ? levels[i] : "", error.text);
    if (EXPECT_TRUE(good)) {
      for (uint32_t k = 0; k < 64; k++)
        memcpy(rig.buffers[0].data + 4 * k, &(float){value_of(k) * 1e-6f}, 4);
      group_rig_run(&rig);
      memcpy(results[i], rig.buffers[1].data, 256);
      counts[i] = group_rig_words(&rig, 2)[0];
    }
    EXPECT_EQ(memcmp(results[i], results[0], 256), 0);
    EXPECT_EQ(counts[i], counts[0]);
  }
}

/* The message of a kernel that cannot be lowered. */
static void expect_refusal(const char *source, const char *message) {
  ct_freed(group_rig_close) struct group_rig rig;
  struct isa_error error = {""};
  ct_note("%s", source);
  EXPECT_FALSE(group_rig_compile(&rig, source, "CL2.0", &error));
  EXPECT_CONTAINS(error.text, message);
}

TEST(opencl_group, missing_features_are_refused_by_name_and_line) {
  expect_refusal("int other(int);\n"
                 "kernel void k(global int *p) {\n"
                 "  p[0] = other(p[1]);\n"
                 "}\n",
                 ":3: calls other, which is neither defined");
}

TEST(opencl_group, too_large_work_groups_are_refused_by_their_size) {
  expect_refusal("kernel __attribute__((reqd_work_group_size(512, 256, 1))) void k() {}\n",
                 "kernel 'k' requires work-groups of 512 x 256 x 1 work-items; legal: 1 to 65536");
}

/* ---- reconvergence --------------------------------------------------------------------------------- */

TEST(opencl_group, lanes_reconverge_before_a_barrier_despite_a_break_that_none_takes) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (group_rig_open(&rig, CT_KERNEL(lanes_reconverge_before_a))) {
    int32_t in[129], sum[64] = {0}, shared[64];
    for (int i = 0; i < 129; i++)
      in[i] = (int32_t)(mixed((uint32_t)i) >> 8 | 8); /* none is 7 */
    memcpy(group_rig_words(&rig, 0), in, sizeof in);
    EXPECT_TRUE(group_rig_run(&rig));
    EXPECT_EQ(rig.hazards, 0);
    for (int i = 0; i < 4; i++) {
      for (int own = 0; own < 64; own++)
        shared[own] = sum[own] += in[own] >> i & 1 ? i * in[own + 64] + in[own + 65] : 0;
      for (int own = 0; own < 64; own++)
        sum[own] += shared[own ^ 1];
    }
    EXPECT_EQ(memcmp(group_rig_words(&rig, 1), sum, sizeof sum), 0);
  }
}

TEST(opencl_group, a_copy_after_an_exit_that_some_lanes_take_is_still_a_hazard) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (group_rig_open(&rig, CT_KERNEL(a_copy_after_an))) {
    for (uint32_t i = 0; i < 128; i++)
      group_rig_words(&rig, 0)[i] = i < 64 ? i : 0;
    group_rig_run(&rig);
    EXPECT_TRUE(rig.hazards > 0);
  }
}

TEST(opencl_group, a_sub_group_sum_after_a_break_that_none_takes_covers_all_lanes) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (group_rig_open(&rig, CT_KERNEL(a_sub_group_sum))) {
    uint32_t *in = group_rig_words(&rig, 0);
    for (uint32_t i = 0; i <= 200; i++)
      in[i] = mixed(i) | 8; /* none is 7 */
    EXPECT_TRUE(group_rig_run(&rig));
    for (uint32_t own = 0; own < 64; own++) {
      uint32_t whole = 0, sum = 0;
      for (uint32_t lane = own / 32 * 32; lane < own / 32 * 32 + 32; lane++)
        whole += in[lane] & 15;
      for (uint32_t i = 0; i < 6; i++)
        sum = (in[own] >> i & 1 ? (sum + in[own + i]) ^ in[own & 7] : sum) + whole;
      ct_note("item %u", own);
      EXPECT_EQ(group_rig_words(&rig, 1)[own], sum);
    }
  }
}

TEST(opencl_group, a_broadcast_waits_until_all_warps_have_read_the_one_before) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (group_rig_open(&rig, CT_KERNEL(a_broadcast_waits_until))) {
    uint32_t expected = 0;
    for (uint32_t i = 0; i < 64; i++)
      group_rig_words(&rig, 0)[i] = mixed(i);
    for (uint32_t from = 0; from < 64; from += 9)
      expected = expected * 3 + mixed(63 - from);
    group_rig_range(&rig, 64, 64, 16);
    EXPECT_TRUE(group_rig_run(&rig));
    for (uint32_t i = 0; i < 64; i++) {
      ct_note("item %u", i);
      EXPECT_EQ(group_rig_words(&rig, 1)[i], expected);
    }
  }
}

TEST(opencl_group, a_negative_number_of_events_is_no_events) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (group_rig_open(&rig, CT_KERNEL(a_negative_number_of))) {
    group_rig_words(&rig, 0)[1] = UINT32_MAX;
    EXPECT_TRUE(group_rig_run(&rig));
    EXPECT_EQ(group_rig_words(&rig, 1)[1], UINT32_MAX);
  }
}

/* Pointers reached through pointers to pointers may come to point into another space. */
TEST(opencl_group, a_pointer_that_is_set_through_its_address_may_point_anywhere) {
  static const char source[] = "kernel void k(global int *in, global int *out) {\n"
                               "  local int shared[64];\n"
                               "  int i = get_local_id(0);\n"
                               "  shared[i] = 1000 + i;\n"
                               "  int *p = shared + i, *q = shared;\n"
                               "  int *private *private list[2] = {&p, &q};\n"
                               "  *list[in[i] & 1] = in + 64 + i;\n"
                               "  out[i] = *p;\n"
                               "}\n";
  ct_freed(group_rig_close) struct group_rig rig;
  struct isa_error error = {""};
  /* At this level, variables have no lifetime markers: only the list uses them. */
  const bool good = group_rig_clang(&rig, source, "CL3.0", "-O0", &error);
  EXPECT_STREQ(error.text, "");
  if (good) {
    for (uint32_t i = 0; i < 128; i++)
      group_rig_words(&rig, 0)[i] = i;
    EXPECT_TRUE(group_rig_run(&rig));
    for (uint32_t i = 0; i < 64; i++) {
      ct_note("item %u", i);
      EXPECT_EQ(group_rig_words(&rig, 1)[i], i & 1 ? 1000 + i : 64 + i);
    }
  }
}

TEST(opencl_group, null_stays_null_from_generic_to_local_and_to_a_number) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (group_rig_open(&rig, CT_KERNEL(null_stays_null_from))) {
    group_rig_range(&rig, 1, 1, 16);
    group_rig_words(&rig, 0)[0] = 0;
    EXPECT_TRUE(group_rig_run(&rig));
    EXPECT_EQ(group_rig_words(&rig, 1)[0] | group_rig_words(&rig, 1)[1], 0);
    group_rig_words(&rig, 0)[0] = 1;
    EXPECT_TRUE(group_rig_run(&rig));
    EXPECT_TRUE(group_rig_words(&rig, 1)[0] != 0);
  }
}

TEST(opencl_group, a_kernel_may_start_with_a_loop_over_a_barrier_or_printf) {
  struct group_rig rig;
  if (group_rig_open(&rig, "kernel void k(void) { for (int i = 0; i < 4; i++) barrier(CLK_LOCAL_MEM_FENCE); }")) {
    EXPECT_TRUE(group_rig_run(&rig));
    EXPECT_EQ(rig.meetings, 4);
  }
  group_rig_close(&rig);
  if (group_rig_open(&rig, "kernel void k(void) { for (int i = 0; i < 4; i++) printf(\"%d\\n\", i); }")) {
    group_rig_range(&rig, 1, 1, 16);
    EXPECT_TRUE(group_rig_run(&rig));
    EXPECT_STREQ(rig.printed, "0\n1\n2\n3\n");
  }
  group_rig_close(&rig);
}

/* ---- constants in private memory ------------------------------------------------------------------- */

/* clang copies the array from a constant of its own; optimized, literals are read in place. */
static void reads_constants_of_clang(const char *level) {
  static const char source[] =
      "static int pick(const int *p, int at) { return p[at & 7]; }\n"
      "kernel void k(global int *in, global int *out) {\n"
      "  int i = get_local_id(0), x = in[i];\n"
      "  int b[2][9] = {{x, 0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 1, 2, 3, 4, 5, 6, 7}};\n"
      "  const int *p = (int[9]){10, 20, 30, 40, 50, 60, 70, 80, 90}, own[9] = {x, 1, 2, 3, 4, 5, 6, 7, 8};\n"
      "  const int *q = own;\n"
      "  if (x & 8)\n"
      "    q = (int[9]){11, 12, 13, 14, 15, 16, 17, 18, 19};\n"
      "  out[i] = b[x & 1][x >> 1 & 7];\n"
      "  out[64 + i] = p[x & 7];\n"
      "  out[128 + i] = q[x & 7] + pick(x & 16 ? p : own, x + 1);\n"
      "}\n";
  ct_freed(group_rig_close) struct group_rig rig;
  struct isa_error error = {""};
  const bool good =
      level ? group_rig_clang(&rig, source, "CL2.0", level, &error) : group_rig_compile(&rig, source, "CL2.0", &error);
  EXPECT_STREQ(error.text, "");
  if (good) {
    for (uint32_t i = 0; i < 64; i++)
      group_rig_words(&rig, 0)[i] = i;
    EXPECT_TRUE(group_rig_run(&rig));
    for (uint32_t i = 0; i < 64; i++) {
      const uint32_t at = i & 7, next = (i + 1) & 7, column = i >> 1 & 7;
      ct_note("%s, item %u", level ? level : "", i);
      EXPECT_EQ(group_rig_words(&rig, 1)[i], column ? column - 1 : i & 1 ? 1 : i);
      EXPECT_EQ(group_rig_words(&rig, 1)[64 + i], 10 * (at + 1));
      EXPECT_EQ(group_rig_words(&rig, 1)[128 + i], (i & 8 ? 11 + at
                                                    : at  ? at
                                                          : i) +
                                                       (i & 16 ? 10 * (next + 1)
                                                        : next ? next
                                                               : i));
    }
  }
}

TEST(opencl_group, a_constant_initializer_of_a_private_array_is_not_a_builtin_variable) {
  reads_constants_of_clang(NULL);
  reads_constants_of_clang("-O0");
  reads_constants_of_clang("-O2");
}
