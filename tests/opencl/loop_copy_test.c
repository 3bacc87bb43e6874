/* Asynchronous copies that become loops of loads and stores. */
#include "isa/ops.h"
#include "tests/ct.h"
#include "tests/opencl/group_rig.h"

#include <string.h>

static bool open_loops(struct group_rig *rig, const char *source) {
  struct isa_error error = {""};
  const bool good = group_rig_limits(rig, source, (struct opencl_limits){.copies = OPENCL_COPIES_LOOP}, &error);
  ct_note("%s", error.text);
  return EXPECT_TRUE(good);
}

static unsigned copies_and_waits(const struct group_rig *rig) {
  unsigned count = 0;
  for (uint32_t pc = 0; pc < rig->program->count; pc++) {
    const uint8_t class_ = rig->program->info[pc].class_;
    count += class_ == ISA_CLASS_COPY || class_ == ISA_CLASS_WAIT || class_ == ISA_CLASS_COPY_FENCE;
  }
  return count;
}

/* in[0 .. n - 1] to out[0], every s-th of n to out[1000], and n to every s-th from out[2000] on; for each type. */
#define SOURCE(type)                                                                                                   \
  "kernel void k(global " type " *in, global " type " *out, global ulong *n) {\n"                                      \
  "  local " type " tile[256];\n"                                                                                      \
  "  event_t e = async_work_group_copy(tile, in, n[0], 0);\n"                                                          \
  "  wait_group_events(1, &e);\n"                                                                                      \
  "  e = async_work_group_copy(out, tile, n[0], 0);\n"                                                                 \
  "  wait_group_events(1, &e);\n"                                                                                      \
  "  event_t f[2];\n"                                                                                                  \
  "  f[n[0] & 1] = async_work_group_strided_copy(tile, in, n[0], n[1], 0);\n"                                          \
  "  wait_group_events(1, &f[n[0] & 1]);\n"                                                                            \
  "  e = async_work_group_copy(out + 300, tile, n[0], f[n[0] & 1]);\n"                                                 \
  "  e = async_work_group_strided_copy(out + 600, tile, n[0], n[1], e);\n"                                             \
  "  wait_group_events(1, &e);\n"                                                                                      \
  "}\n"

static void oracle(uint8_t *out, const uint8_t *in, uint64_t count, uint64_t stride, size_t bytes) {
  for (uint64_t i = 0; i < count; i++) {
    memcpy(out + bytes * i, in + bytes * i, bytes);
    memcpy(out + bytes * (300 + i), in + bytes * i * stride, bytes);
    memcpy(out + bytes * (600 + i * stride), in + bytes * i * stride, bytes);
  }
}

static void expect_loops(const char *source, size_t bytes, uint64_t count, uint64_t stride, uint32_t items) {
  static uint8_t expected[GROUP_RIG_BYTES];
  ct_freed(group_rig_close) struct group_rig rig;
  if (open_loops(&rig, source)) {
    EXPECT_EQ(copies_and_waits(&rig), 0);
    EXPECT_EQ(group_rig_count(&rig, ISA_BAR_LDS), 4);
    for (uint32_t i = 0; i < GROUP_RIG_BYTES; i++)
      rig.buffers[0].data[i] = (uint8_t)(1 + i * 37 % 251);
    memset(expected, 0, sizeof expected);
    oracle(expected, rig.buffers[0].data, count, stride, bytes);
    memcpy(rig.buffers[2].data, (const uint64_t[]){count, stride}, 16);
    group_rig_range(&rig, items, items, 32);
    EXPECT_TRUE(group_rig_run(&rig));
    EXPECT_EQ(memcmp(rig.buffers[1].data, expected, GROUP_RIG_BYTES), 0);
    EXPECT_EQ(rig.hazards, 0);
  }
}

TEST(opencl_loop_copy, elements_of_all_sizes_are_copied_both_ways_with_strides) {
  expect_loops(SOURCE("uchar"), 1, 200, 3, 64);
  expect_loops(SOURCE("short"), 2, 65, 2, 64);
  expect_loops(SOURCE("float"), 4, 256, 1, 40);
  expect_loops(SOURCE("float4"), 16, 33, 7, 32);
  expect_loops(SOURCE("double8"), 64, 5, 2, 3);
}

/* OpenCL C: for vectors of three components, these copies behave as for vectors of four. */
TEST(opencl_loop_copy, vectors_of_three_components_are_copied_with_their_padding) {
  expect_loops(SOURCE("float3"), 16, 33, 2, 32);
  expect_loops(SOURCE("char3"), 4, 77, 3, 64);
  expect_loops(SOURCE("ulong3"), 32, 20, 2, 8);
}

TEST(opencl_loop_copy, no_elements_and_fewer_than_work_items_are_copied_once) {
  expect_loops(SOURCE("int"), 4, 0, 1, 64);
  expect_loops(SOURCE("int"), 4, 1, 5, 96);
  expect_loops(SOURCE("int"), 4, 63, 5, 64);
}

TEST(opencl_loop_copy, work_items_of_three_axes_share_the_elements_by_linear_id) {
  static uint8_t expected[GROUP_RIG_BYTES];
  ct_freed(group_rig_close) struct group_rig rig;
  if (open_loops(&rig, SOURCE("int"))) {
    for (uint32_t i = 0; i < GROUP_RIG_BYTES; i++)
      rig.buffers[0].data[i] = (uint8_t)(1 + i * 37 % 251);
    memset(expected, 0, sizeof expected);
    oracle(expected, rig.buffers[0].data, 131, 2, 4);
    memcpy(rig.buffers[2].data, (const uint64_t[]){131, 2}, 16);
    rig.dimensions = 3;
    for (int axis = 0; axis < 3; axis++)
      rig.global[axis] = rig.local[axis] = (uint32_t)(5 - axis);
    EXPECT_TRUE(group_rig_run(&rig));
    EXPECT_EQ(memcmp(rig.buffers[1].data, expected, GROUP_RIG_BYTES), 0);
  }
}

TEST(opencl_loop_copy, a_fence_between_copies_is_a_barrier_with_its_memories) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (open_loops(&rig, "kernel void k(global uint *flags) {\n"
                       "  async_work_group_copy_fence(CLK_LOCAL_MEM_FENCE);\n"
                       "  async_work_group_copy_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n"
                       "  async_work_group_copy_fence(flags[0]);\n"
                       "}\n")) {
    static const enum isa_op expected[] = {ISA_BAR_LDS, ISA_BAR_ALL, ISA_BAR_GLOBAL, ISA_OPS};
    memcpy(rig.buffers[0].data, (const uint32_t[]){2}, 4);
    EXPECT_TRUE(group_rig_run(&rig));
    for (unsigned i = 0; i < sizeof expected / sizeof *expected; i++)
      EXPECT_EQ(group_rig_met(&rig, i), expected[i]);
  }
}

TEST(opencl_loop_copy, copies_of_lines_are_refused_by_name_and_line) {
  ct_freed(group_rig_close) struct group_rig rig;
  struct isa_error error = {""};
  EXPECT_FALSE(group_rig_limits(&rig,
                                "kernel void k(global int *in, local int *tile) {\n"
                                "  event_t e = async_work_group_copy_2D2D(tile, 0, in, 0, 4, 4, 4, 8, 4, 0);\n"
                                "  wait_group_events(1, &e);\n"
                                "}\n",
                                (struct opencl_limits){.copies = OPENCL_COPIES_LOOP}, &error));
  EXPECT_CONTAINS(error.text, ":2: async_work_group_copy_2D2D cannot become a loop; only copies of elements can");
}
