/* Atomic operations and printf, from OpenCL C to the results. */
#include "isa/ops.h"
#include "tests/ct.h"
#include "tests/opencl/group_rig.h"

#include <string.h>

TEST(opencl_atomic, operations_on_global_and_local_memory_count_every_work_item) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (group_rig_open(&rig, "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"
                           "kernel void k(volatile global int *p, global float *f, volatile global long *q,\n"
                           "              global int *old) {\n"
                           "  local int l[1]; local uint m[1];\n"
                           "  int i = get_global_id(0);\n"
                           "  if (get_local_id(0) == 0) l[0] = m[0] = 0;\n"
                           "  barrier(CLK_LOCAL_MEM_FENCE);\n"
                           "  old[i] = atomic_inc(p); atomic_dec(p + 1); atomic_sub(p + 2, i); atomic_max(p + 3, i);\n"
                           "  atomic_min(p + 4, -i); atomic_xor(p + 5, 1 << (i & 31)); atomic_or(p + 6, i);\n"
                           "  atomic_cmpxchg(p + 7, i, i + 1); atom_add(q, 1L << 33); atomic_xchg(f, 2.5f);\n"
                           "  atomic_add(l, 3); atomic_max(m, (uint)i);\n"
                           "  barrier(CLK_LOCAL_MEM_FENCE);\n"
                           "  if (get_local_id(0) == 0) { atomic_add(p + 8, l[0]); atomic_max(p + 9, (int)m[0]); }\n"
                           "}\n")) {
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
  if (group_rig_open(&rig,
                     "int bump(volatile atomic_int *a, int by) {\n"
                     "  int seen = 0;\n"
                     "  while (!atomic_compare_exchange_strong(a, &seen, seen + by)) {}\n"
                     "  return atomic_fetch_add(a, 1) - seen;\n"
                     "}\n"
                     "kernel void k(global atomic_int *g, global int *out, global int *which) {\n"
                     "  local atomic_int l; atomic_int mine;\n"
                     "  int i = get_local_id(0);\n"
                     "  if (i == 0) atomic_init(&l, 10);\n"
                     "  atomic_init(&mine, 100);\n"
                     "  barrier(CLK_LOCAL_MEM_FENCE);\n"
                     "  volatile atomic_int *a = which[i] == 0 ? (volatile atomic_int *)g\n"
                     "                           : which[i] == 1 ? (volatile atomic_int *)&l : &mine;\n"
                     "  atomic_fetch_add(a, 2); atomic_fetch_max(a, 3); atomic_exchange(a, atomic_load(a));\n"
                     "  out[i] = atomic_load(&mine);\n"
                     "  barrier(CLK_LOCAL_MEM_FENCE);\n"
                     "  if (i == 0) { out[64] = atomic_load(&l); out[65] = bump(&mine, 5); out[66] = bump(&l, 7);\n"
                     "                out[67] = bump(g, 9); out[68] = atomic_load(&l); }\n"
                     "}\n")) {
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
  if (group_rig_open(&rig, "kernel void k(global atomic_flag *f, global int *out) {\n"
                           "  out[get_global_id(0)] = atomic_flag_test_and_set(f);\n"
                           "  barrier(CLK_GLOBAL_MEM_FENCE);\n"
                           "  if (get_global_id(0) == 0) atomic_flag_clear(f + 1);\n"
                           "}\n")) {
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
  if (group_rig_open(&rig, "kernel void k(global atomic_int *a, global int *out) {\n"
                           "  out[0] = atomic_fetch_add_explicit(a, 1, memory_order_relaxed);\n"
                           "  atomic_store_explicit(a + 1, 1, memory_order_release);\n"
                           "  out[1] = atomic_load_explicit(a + 2, memory_order_acquire);\n"
                           "  out[2] = atomic_fetch_or_explicit(a + 3, 1, memory_order_acq_rel);\n"
                           "}\n"))
    EXPECT_EQ(group_rig_count(&rig, ISA_FENCE_ALL), 4);
}

/* A plain access to the same word would be a race, so atomic loads and stores must be distinguishable. Private memory
 * is not shared. */
TEST(opencl_atomic, atomic_loads_and_stores_are_separate_operations) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (group_rig_open(&rig, "kernel void k(global atomic_int *a, global atomic_long *w, global atomic_flag *f,\n"
                           "              global int *out) {\n"
                           "  local atomic_uint l[64]; local atomic_double d[64]; atomic_int mine;\n"
                           "  int i = get_local_id(0);\n"
                           "  atomic_init(&l[i], 5); atomic_init(&mine, 3);\n"
                           "  atomic_store_explicit(&d[i], 1.5, memory_order_relaxed);\n"
                           "  atomic_store_explicit(&l[i], 6, memory_order_relaxed);\n"
                           "  atomic_store_explicit(a + i, i, memory_order_relaxed);\n"
                           "  atomic_store_explicit(w + i, (long)i << 32, memory_order_relaxed);\n"
                           "  atomic_flag_clear_explicit(f + i, memory_order_relaxed);\n"
                           "  out[i] = atomic_load_explicit(&l[i], memory_order_relaxed)\n"
                           "         + (int)atomic_load_explicit(&d[i], memory_order_relaxed)\n"
                           "         + atomic_load_explicit(a + i, memory_order_relaxed)\n"
                           "         + (int)(atomic_load_explicit(w + i, memory_order_relaxed) >> 32)\n"
                           "         + atomic_load(&mine);\n"
                           "}\n")) {
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
  if (group_rig_open(&rig, "kernel void k(volatile global atomic_float *f, volatile global atomic_double *d,\n"
                           "              global float *out) {\n"
                           "  local atomic_float l;\n"
                           "  int i = get_local_id(0);\n"
                           "  if (i == 0) atomic_init(&l, 0.5f);\n"
                           "  barrier(CLK_LOCAL_MEM_FENCE);\n"
                           "  atomic_fetch_add_explicit(f, 0.25f, memory_order_relaxed);\n"
                           "  atomic_fetch_max_explicit(f + 1, (float)i, memory_order_relaxed);\n"
                           "  atomic_fetch_min_explicit(f + 2, -(float)i, memory_order_relaxed);\n"
                           "  atomic_fetch_add_explicit(&l, 2.0f, memory_order_relaxed, memory_scope_work_group);\n"
                           "  atomic_fetch_add_explicit(d, 1.5, memory_order_relaxed);\n"
                           "  barrier(CLK_LOCAL_MEM_FENCE);\n"
                           "  out[i] = atomic_load(&l);\n"
                           "}\n")) {
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
  for (int route = 0; route < OPENCL_ROUTES; route++) {
    ct_freed(group_rig_close) struct group_rig rig;
    struct isa_error error;
    ct_note("%s", opencl_route_names[route]);
    if (EXPECT_TRUE(group_rig_compile(&rig, source, "CL2.0", (enum opencl_route)route, &error))) {
      static const int expected[] = {0, 0, 1, 1, 0, 1, 2};
      float *f = (float *)(void *)rig.buffers[0].data, *seen = (float *)(void *)rig.buffers[2].data;
      f[1] = 7, f[2] = -0.0f, seen[0] = 1;
      group_rig_run(&rig);
      EXPECT_TRUE(f[0] == 32 && f[1] == 7 && seen[0] == 7 && f[2] == 0);
      EXPECT_EQ(memcmp(group_rig_words(&rig, 3), expected, sizeof expected), 0);
      EXPECT_EQ(*(double *)(void *)rig.buffers[1].data, 9);
    }
  }
}

/* The largest unsigned number has its sign bit set, in private memory as elsewhere. */
TEST(opencl_atomic, private_minimum_and_maximum_respect_the_sign) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (group_rig_open(&rig,
                     "kernel void k(global uint *in, global uint *out) {\n"
                     "  atomic_uint u[2]; atomic_int s[2];\n"
                     "  for (int i = 0; i < 2; i++) { atomic_init(&u[i], 1); atomic_init(&s[i], 1); }\n"
                     "  atomic_fetch_max(&u[0], in[0]); atomic_fetch_min(&u[1], in[0]);\n"
                     "  atomic_fetch_max(&s[0], (int)in[0]); atomic_fetch_min(&s[1], (int)in[0]);\n"
                     "  for (int i = 0; i < 2; i++) { out[i] = atomic_load(&u[i]); out[2 + i] = atomic_load(&s[i]); }\n"
                     "}\n")) {
    group_rig_range(&rig, 1, 1, 16);
    group_rig_words(&rig, 0)[0] = 0xfffffffb;
    group_rig_run(&rig);
    static const uint32_t expected[] = {0xfffffffb, 1, 1, 0xfffffffb};
    EXPECT_EQ(memcmp(group_rig_words(&rig, 1), expected, sizeof expected), 0);
  }
}

TEST(opencl_printf, printf_prints_numbers_vectors_and_strings) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (group_rig_open(&rig, "void say(constant char *who, int i) { printf(\"%s says %d\\n\", who, i); }\n"
                           "kernel void k(global int *out) {\n"
                           "  char4 c = (char4)(1, -2, 3, -4); double3 d = (double3)(0.5, 1.5, 2.5);\n"
                           "  printf(\"%d %u %ld %x %c|\", -5, 7u, 1L << 40, 255, 'z');\n"
                           "  printf(\"%v4hhd %.1f %s %v3lf %5.2f%%|\", c, 2.25f, \"str\", d, 3.14159);\n"
                           "  say(\"me\", 1); say(\"you\", 2);\n"
                           "  out[0] = printf(\"end\");\n"
                           "}\n")) {
    group_rig_range(&rig, 1, 1, 16);
    group_rig_words(&rig, 0)[0] = 77;
    group_rig_run(&rig);
    EXPECT_STREQ(rig.printed, "-5 7 1099511627776 ff z|1,-2,3,-4 2.2 str 0.500000,1.500000,2.500000  3.14%|me says 1\n"
                              "you says 2\nend");
    EXPECT_EQ(group_rig_words(&rig, 0)[0], 0);
  }
}
