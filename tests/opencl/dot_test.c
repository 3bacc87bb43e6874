/* cl_khr_integer_dot_product: all functions, on each route, against sums in 64 bits. */
#include "tests/ct.h"
#include "tests/opencl/group_rig.h"

enum { ITEMS = 64, FORMS = 16 };

static const char source[] =
    "kernel void k(global const uint *a, global const uint *b, global const uint *c, global uint *o) {\n"
    "  size_t i = get_global_id(0);\n"
    "  uint x = a[i], y = b[i], z = c[i];\n"
    "  o += 16 * i;\n"
    "  o[0] = dot(as_uchar4(x), as_uchar4(y));\n"
    "  o[1] = dot(as_char4(x), as_char4(y));\n"
    "  o[2] = dot(as_uchar4(x), as_char4(y));\n"
    "  o[3] = dot(as_char4(x), as_uchar4(y));\n"
    "  o[4] = dot_acc_sat(as_uchar4(x), as_uchar4(y), z);\n"
    "  o[5] = dot_acc_sat(as_char4(x), as_char4(y), (int)z);\n"
    "  o[6] = dot_acc_sat(as_uchar4(x), as_char4(y), (int)z);\n"
    "  o[7] = dot_acc_sat(as_char4(x), as_uchar4(y), (int)z);\n"
    "  o[8] = dot_4x8packed_uu_uint(x, y);\n"
    "  o[9] = dot_4x8packed_ss_int(x, y);\n"
    "  o[10] = dot_4x8packed_us_int(x, y);\n"
    "  o[11] = dot_4x8packed_su_int(x, y);\n"
    "  o[12] = dot_acc_sat_4x8packed_uu_uint(x, y, z);\n"
    "  o[13] = dot_acc_sat_4x8packed_ss_int(x, y, (int)z);\n"
    "  o[14] = dot_acc_sat_4x8packed_us_int(x, y, (int)z);\n"
    "  o[15] = dot_acc_sat_4x8packed_su_int(x, y, (int)z);\n"
    "}\n";

static int64_t byte_of(uint32_t word, int i, bool is_signed) {
  const uint8_t byte = (uint8_t)(word >> 8 * i);
  return is_signed ? (int8_t)byte : byte;
}

/* Form i: signs uu, ss, us, su; every second four saturate. */
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

TEST(opencl_dot, products_of_four_bytes_are_summed_exactly_and_saturate) {
  static const uint32_t edges[] = {0,          0xffffffff, 0x80808080, 0x7f7f7f7f,
                                   0x80000000, 0x7fffffff, 0x01ff807f, 0xfffffff0};
  enum { EDGES = sizeof edges / sizeof *edges };
  for (unsigned route = 0; route < OPENCL_ROUTES; route++) {
    struct group_rig rig;
    struct isa_error error = {""};
    ct_note("route %s", opencl_route_names[route]);
    if (!ct_true(group_rig_compile(&rig, source, "CL2.0", (enum opencl_route)route, &error), error.text, __FILE__,
                 __LINE__))
      continue;
    group_rig_range(&rig, ITEMS, ITEMS, 32);
    for (uint32_t i = 0; i < ITEMS; i++) {
      group_rig_words(&rig, 0)[i] = edges[i % EDGES];
      group_rig_words(&rig, 1)[i] = edges[i / EDGES];
      group_rig_words(&rig, 2)[i] = edges[(i + i / EDGES * 3) % EDGES];
    }
    EXPECT_TRUE(group_rig_run(&rig));
    for (uint32_t i = 0; i < ITEMS; i++)
      for (unsigned form = 0; form < FORMS; form++) {
        ct_note("route %s, item %u, form %u", opencl_route_names[route], i, form);
        EXPECT_EQ(
            group_rig_words(&rig, 3)[i * FORMS + form],
            expected(form, group_rig_words(&rig, 0)[i], group_rig_words(&rig, 1)[i], group_rig_words(&rig, 2)[i]));
      }
    group_rig_close(&rig);
  }
}
