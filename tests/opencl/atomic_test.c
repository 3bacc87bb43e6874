/* Atomic operations and printf, from OpenCL C to the results. */
#include "isa/ops.h"
#include "tests/ct.h"
#include "tests/kernels.h"
#include "tests/opencl/group_rig.h"

#include <string.h>

TEST(opencl_atomic, operations_on_global_and_local_memory_count_every_work_item) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (group_rig_open(&rig, CT_KERNEL(operations_on_global_and))) {
    group_rig_range(&rig, 100, 50, 32);
    group_rig_run(&rig);
    const uint32_t *p = group_rig_words(&rig, 0);
    const int32_t expected[] = {100, -100, -4950, 99, -99, -16, 0x7f, 100, 300, 99};
    for (int i = 0; i < 10; i++) {
      ct_note("p[%d]", i);
      EXPECT_EQ((int32_t)p[i], expected[i]);
    }
    EXPECT_EQ(group_rig_words(&rig, 2)[1], 200);
    EXPECT_EQ(group_rig_words(&rig, 1)[0], 0x40200000);
    uint32_t seen = 0;
    for (int i = 0; i < 100; i++)
      seen += group_rig_words(&rig, 3)[i];
    EXPECT_EQ(seen, 4950);
  }
}

TEST(opencl_atomic, c11_operations_work_through_generic_pointers_to_any_space) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (group_rig_open(&rig, CT_KERNEL(c11_operations_work_through))) {
    for (uint32_t i = 0; i < 64; i++)
      group_rig_words(&rig, 2)[i] = i % 3;
    group_rig_range(&rig, 64, 64, 64);
    group_rig_run(&rig);
    const uint32_t *out = group_rig_words(&rig, 1);
    for (uint32_t i = 0; i < 64; i++)
      EXPECT_EQ(out[i], i % 3 == 2 ? 102 : 100);
    EXPECT_EQ(out[64], 10 + 21 * 2);
    EXPECT_EQ(out[65], 5);
    EXPECT_EQ(out[66], 7);
    EXPECT_EQ(out[67], 9);
    EXPECT_EQ(out[68], 10 + 21 * 2 + 8);
    EXPECT_EQ(group_rig_words(&rig, 0)[0], 22 * 2 + 10);
    EXPECT_EQ(rig.hazards, 0);
  }
}

TEST(opencl_atomic, flags_are_set_once) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (group_rig_open(&rig, CT_KERNEL(flags_are_set_once))) {
    group_rig_words(&rig, 0)[1] = 1;
    group_rig_run(&rig);
    uint32_t set = 0;
    for (uint32_t i = 0; i < 64; i++)
      set += group_rig_words(&rig, 1)[i];
    EXPECT_EQ(set, 63);
    EXPECT_EQ(group_rig_words(&rig, 0)[1], 0);
  }
}

TEST(opencl_atomic, orders_become_fences_unless_relaxed) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (group_rig_open(&rig, CT_KERNEL(orders_become_fences_unless)))
    EXPECT_EQ(group_rig_count(&rig, ISA_FENCE_ALL), 4);
}

/* A plain access to the same word would be a race, so atomic loads and stores must be distinguishable. Private memory
 * is not shared. */
TEST(opencl_atomic, atomic_loads_and_stores_are_separate_operations) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (group_rig_open(&rig, CT_KERNEL(atomic_loads_and_stores))) {
    static const struct {
      enum isa_op op;
      unsigned count;
    } ops[] = {{ISA_ST_LDS_ATOMIC_32, 1},    {ISA_ST_LDS_ATOMIC_64, 1},    {ISA_LD_LDS_ATOMIC_32, 1},
               {ISA_LD_LDS_ATOMIC_64, 1},    {ISA_ST_GLOBAL_ATOMIC_32, 2}, {ISA_ST_GLOBAL_ATOMIC_64, 1},
               {ISA_LD_GLOBAL_ATOMIC_32, 1}, {ISA_LD_GLOBAL_ATOMIC_64, 1}, {ISA_ST_LDS_32, 1},
               {ISA_ST_GLOBAL_32, 1},        {ISA_LD_GLOBAL_L2_32, 0},     {ISA_LD_LDS_32, 0}};
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
      ct_note("%s", isa_op_name(ops[i].op));
      EXPECT_EQ(group_rig_count(&rig, ops[i].op), ops[i].count);
    }
    group_rig_words(&rig, 2)[63] = 1;
    group_rig_run(&rig);
    for (uint32_t i = 0; i < 64; i++)
      EXPECT_EQ(group_rig_words(&rig, 3)[i], 6 + 1 + 2 * i + 3);
    EXPECT_EQ(group_rig_words(&rig, 2)[63], 0);
    EXPECT_EQ(rig.hazards, 0);
  }
}

TEST(opencl_atomic, floats_and_doubles_are_added_and_compared) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (group_rig_open(&rig, CT_KERNEL(floats_and_doubles_are))) {
    group_rig_run(&rig);
    float f[3], last;
    double d;
    memcpy(f, rig.buffers[0].data, sizeof f);
    memcpy(&d, rig.buffers[1].data, sizeof d);
    memcpy(&last, rig.buffers[2].data + 63 * 4, sizeof last);
    EXPECT_TRUE(f[0] == 16 && f[1] == 63 && f[2] == -63);
    EXPECT_TRUE(d == 96 && last == 128.5f);
  }
}

TEST(opencl_atomic, floats_are_compared_by_their_bits_and_exchanged) {
  static const char source[] =
      "#define RELAXED memory_order_relaxed, memory_order_relaxed\n"
      "kernel void k(volatile global atomic_float *f, volatile global atomic_double *d, global float *seen,\n"
      "              global int *out) {\n"
      "  local atomic_double l;\n"
      "  float sum, zero = 0; double one = 1, two = 2;\n"
      "  int i = get_local_id(0);\n"
      "  do sum = atomic_load(f); while (!atomic_compare_exchange_weak(f, &sum, sum + 0.5f));\n"
      "  if (i) return;\n"
      "  out[0] = atomic_compare_exchange_strong(f + 1, seen, 5.0f);\n"
      "  out[1] = atomic_compare_exchange_strong_explicit(f + 2, &zero, 6.0f, RELAXED);\n"
      "  out[2] = zero == 0 && as_int(zero);\n"
      "  atomic_init(&l, 1.0);\n"
      "  out[3] = atomic_compare_exchange_weak_explicit(&l, &one, 4.0, RELAXED, memory_scope_work_group);\n"
      "  out[4] = atomic_compare_exchange_strong_explicit(&l, &two, 3.0, RELAXED, memory_scope_work_item);\n"
      "  out[5] = one == 1 && two == 4 && atomic_load(&l) == 4;\n"
      "  out[6] = atomic_compare_exchange_strong(d, &one, 9.0) + 2 * atomic_compare_exchange_strong(d, &one, 9.0);\n"
      "}\n";
  ct_freed(group_rig_close) struct group_rig rig;
  struct isa_error error;
  if (EXPECT_TRUE(group_rig_compile(&rig, source, "CL2.0", &error))) {
    static const int expected[] = {0, 0, 1, 1, 0, 1, 2};
    float *f = (float *)(void *)rig.buffers[0].data, *seen = (float *)(void *)rig.buffers[2].data;
    f[1] = 7, f[2] = -0.0f, seen[0] = 1;
    group_rig_run(&rig);
    EXPECT_TRUE(f[0] == 32 && f[1] == 7 && seen[0] == 7 && f[2] == 0);
    EXPECT_EQ(memcmp(group_rig_words(&rig, 3), expected, sizeof expected), 0);
    EXPECT_EQ(*(double *)(void *)rig.buffers[1].data, 9);
  }
}

/* The largest unsigned number has its sign bit set, in private memory as elsewhere. */
TEST(opencl_atomic, private_minimum_and_maximum_respect_the_sign) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (group_rig_open(&rig, CT_KERNEL(private_minimum_and_maximum))) {
    group_rig_range(&rig, 1, 1, 16);
    group_rig_words(&rig, 0)[0] = 0xfffffffb;
    group_rig_run(&rig);
    static const uint32_t expected[] = {0xfffffffb, 1, 1, 0xfffffffb};
    EXPECT_EQ(memcmp(group_rig_words(&rig, 1), expected, sizeof expected), 0);
  }
}

TEST(opencl_printf, printf_prints_numbers_vectors_and_strings) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (group_rig_open(&rig, CT_KERNEL(printf_prints_numbers_vectors))) {
    group_rig_range(&rig, 1, 1, 16);
    group_rig_words(&rig, 0)[0] = 77;
    group_rig_run(&rig);
    EXPECT_STREQ(rig.printed, "-5 7 1099511627776 ff z|1,-2,3,-4 2.2 str 0.500000,1.500000,2.500000  3.14%|me says 1\n"
                              "you says 2\nend");
    EXPECT_EQ(group_rig_words(&rig, 0)[0], 0);
  }
}
