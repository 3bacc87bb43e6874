/* cl_khr_integer_dot_product and cl_arm_integer_dot_product_*: all functions, compared with 64-bit sums.
 */
#include "tests/ct.h"
#include "tests/kernels.h"
#include "tests/opencl/group_rig.h"

enum { ITEMS = 64, FORMS = 16 };

static int64_t byte_of(uint32_t word, int i, bool is_signed) {
  const uint8_t byte = (uint8_t)(word >> 8 * i);
  return is_signed ? (int8_t)byte : byte;
}

/* Form i: signs uu, ss, us, su; in every group of eight, the last four saturate. */
static uint32_t expected(unsigned form, uint32_t x, uint32_t y, uint32_t z) {
  const bool left = form % 4 == 1 || form % 4 == 3, right = form % 4 == 1 || form % 4 == 2, is_signed = left || right;
  int64_t sum = 0;
  for (int i = 0; i < 4; i++)
    sum += byte_of(x, i, left) * byte_of(y, i, right);
  if (form / 4 % 2 == 0)
    return (uint32_t)sum;
  sum += is_signed ? (int64_t)(int32_t)z : (int64_t)z;
  const int64_t least = is_signed ? INT32_MIN : 0, most = is_signed ? INT32_MAX : UINT32_MAX;
  return (uint32_t)(sum < least ? least : sum > most ? most : sum);
}

static void fill(struct group_rig *rig) {
  static const uint32_t edges[] = {0,          0xffffffff, 0x80808080, 0x7f7f7f7f,
                                   0x80000000, 0x7fffffff, 0x01ff807f, 0xfffffff0};
  enum { EDGES = sizeof edges / sizeof *edges };
  group_rig_range(rig, ITEMS, ITEMS, 32);
  for (uint32_t i = 0; i < ITEMS; i++) {
    group_rig_words(rig, 0)[i] = edges[i % EDGES];
    group_rig_words(rig, 1)[i] = edges[i / EDGES];
    group_rig_words(rig, 2)[i] = edges[(i + i / EDGES * 3) % EDGES];
  }
  EXPECT_TRUE(group_rig_run(rig));
}

static void expect_sums(const char *standard) {
  ct_freed(group_rig_close) struct group_rig rig;
  struct isa_error error = {""};
  if (ct_true(group_rig_compile(&rig, CT_KERNEL(source), standard, &error), error.text, __FILE__, __LINE__)) {
    fill(&rig);
    for (uint32_t i = 0; i < ITEMS; i++)
      for (unsigned form = 0; form < FORMS; form++) {
        ct_note("%s, item %u, form %u", standard, i, form);
        EXPECT_EQ(
            group_rig_words(&rig, 3)[i * FORMS + form],
            expected(form, group_rig_words(&rig, 0)[i], group_rig_words(&rig, 1)[i], group_rig_words(&rig, 2)[i]));
      }
  }
}

TEST(opencl_dot, products_of_four_bytes_are_summed_exactly_and_saturate) { expect_sums("CL2.0"); }

TEST(opencl_dot, opencl_c_1_2_has_them_beside_the_float_dot_products) {
  ct_freed(group_rig_close) struct group_rig rig;
  expect_sums("CL1.2");
  struct isa_error error = {""};
  if (ct_true(group_rig_compile(&rig, "kernel void k(global float4 *a, global float *o) { o[0] = dot(a[0], a[1]); }",
                                "CL1.2", &error),
              error.text, __FILE__, __LINE__)) {
    for (int i = 0; i < 8; i++)
      ((float *)(void *)rig.buffers[0].data)[i] = (float)i;
    EXPECT_TRUE(group_rig_run(&rig));
    EXPECT_EQ(((float *)(void *)rig.buffers[1].data)[0], 0 * 4 + 1 * 5 + 2 * 6 + 3 * 7);
  }
}

/* The sum of two 16-bit products and z, modulo 2^32. */
static uint32_t of_shorts(uint32_t x, uint32_t y, uint32_t z, bool is_signed) {
  uint32_t sum = z;
  for (int i = 0; i < 2; i++) {
    const uint16_t a = (uint16_t)(x >> 16 * i), b = (uint16_t)(y >> 16 * i);
    sum += is_signed ? (uint32_t)((int16_t)a * (int16_t)b) : (uint32_t)a * b;
  }
  return sum;
}

TEST(opencl_dot, arms_functions_add_with_and_without_saturation_and_accept_shorts) {
  static const char arm[] =
      "kernel void k(global const uint *a, global const uint *b, global const uint *c, global uint *o) {\n"
      "  size_t i = get_global_id(0);\n"
      "  uint x = a[i], y = b[i], z = c[i];\n"
      "  o += 8 * i;\n"
      "  o[0] = arm_dot(as_uchar4(x), as_uchar4(y));\n"
      "  o[1] = arm_dot(as_char4(x), as_char4(y));\n"
      "  o[2] = arm_dot_acc(as_uchar4(x), as_uchar4(y), z);\n"
      "  o[3] = arm_dot_acc(as_char4(x), as_char4(y), (int)z);\n"
      "  o[4] = arm_dot_acc(as_ushort2(x), as_ushort2(y), z);\n"
      "  o[5] = arm_dot_acc(as_short2(x), as_short2(y), (int)z);\n"
      "  o[6] = arm_dot_acc_sat(as_uchar4(x), as_uchar4(y), z);\n"
      "  o[7] = arm_dot_acc_sat(as_char4(x), as_char4(y), (int)z);\n"
      "}\n";
  ct_freed(group_rig_close) struct group_rig rig;
  if (group_rig_open(&rig, arm)) {
    fill(&rig);
    for (uint32_t i = 0; i < ITEMS; i++) {
      const uint32_t x = group_rig_words(&rig, 0)[i], y = group_rig_words(&rig, 1)[i], z = group_rig_words(&rig, 2)[i];
      const uint32_t *out = group_rig_words(&rig, 3) + 8 * i;
      ct_note("item %u", i);
      EXPECT_EQ(out[0], expected(0, x, y, z));
      EXPECT_EQ(out[1], expected(1, x, y, z));
      EXPECT_EQ(out[2], expected(0, x, y, z) + z);
      EXPECT_EQ(out[3], expected(1, x, y, z) + z);
      EXPECT_EQ(out[4], of_shorts(x, y, z, false));
      EXPECT_EQ(out[5], of_shorts(x, y, z, true));
      EXPECT_EQ(out[6], expected(4, x, y, z));
      EXPECT_EQ(out[7], expected(5, x, y, z));
    }
  }
}
