/* Linking modules: what one unit imports from another, and that ids and names of different units stay apart. */
#include <stdlib.h>
#include <string.h>

#include "isa/ops.h"
#include "opencl/opencl.h"
#include "tests/ct.h"
#include "tests/kernels.h"
#include "tests/opencl/group_rig.h"

enum { MOST_UNITS = 4 };

struct made {
  uint8_t *unit[MOST_UNITS];
  size_t size[MOST_UNITS], count;
};

static void made_free(struct made *made) {
  for (size_t i = 0; i < made->count; i++)
    free(made->unit[i]);
}

static struct made made_of(const char *const *sources, size_t count, const char *standard) {
  struct made made = {.count = count};
  struct isa_error error = {""};
  for (size_t i = 0; i < count; i++) {
    EXPECT_TRUE(group_rig_spirv(sources[i], standard, &made.unit[i], &made.size[i], &error));
    EXPECT_STREQ(error.text, "");
  }
  return made;
}

/* Links the units in this order; false with the message in *error. */
static bool link_all(const struct made *made, struct group_rig *rig, struct isa_error *error) {
  struct spirv_unit units[MOST_UNITS];
  ct_freed(ct_free) uint8_t *spirv = NULL;
  size_t size = 0;
  *rig = (struct group_rig){0};
  for (size_t i = 0; i < made->count; i++)
    units[i] = (struct spirv_unit){made->unit[i], made->size[i]};
  return spirv_link(units, made->count, &spirv, &size, error) && group_rig_lower(rig, spirv, size, error);
}

static void expect_words(const struct made *made, uint32_t (*expected)(uint32_t i)) {
  ct_freed(group_rig_close) struct group_rig rig;
  struct isa_error error = {""};
  EXPECT_TRUE(link_all(made, &rig, &error));
  EXPECT_STREQ(error.text, "");
  if (!rig.program)
    return;
  for (uint32_t i = 0; i < 64; i++)
    group_rig_words(&rig, 0)[i] = i;
  EXPECT_TRUE(group_rig_run(&rig));
  EXPECT_EQ(rig.hazards, 0);
  for (uint32_t i = 0; i < 64; i++) {
    ct_note("item %u", i);
    EXPECT_EQ(group_rig_words(&rig, 1)[i], expected(i));
  }
}

/* ---- what is linked ------------------------------------------------------------------------------------- */

static uint32_t of_both(uint32_t i) {
  static const uint32_t cases[] = {100, 7, 900};
  return 3 * (i + 2) + 5 + 40 + (i < 3 ? cases[i] : i) + (i % 8) * 10 + 1000;
}

/* Static functions, constants and structs of one name, functions in both directions, variables, a switch over 64 bits,
 * and built-ins with literals, one of which decides how a number is rounded. */
TEST(spirv_link, functions_and_variables_of_other_units_are_used_and_static_ones_are_not) {
  static const char *const sources[] = {
      "struct pair { int a, b; };\n"
      "extern constant int table[8]; int outside(struct pair p, ulong n);\n"
      "static int own(int x) { return 3 * x; }\n"
      "int back(int x) { return x + 2; }\n"
      "kernel void k(global int *in, global int *out) {\n"
      "  int i = get_global_id(0); struct pair p = {5, 40};\n"
      "  out[i] = own(back(in[i])) + outside(p, (ulong)i) + table[i & 7] + 1000;\n"
      "}\n",
      "struct pair { int a, b; };\n"
      "int back(int x);\n"
      "constant int table[8] = {0, 10, 20, 30, 40, 50, 60, 70};\n"
      "static int own(int x) { return back(x) - 2; }\n"
      "int outside(struct pair p, ulong n) {\n"
      "  int2 v = vload2(0, &p.a); int r; ushort h;\n"
      "  vstore_half_rtp(2049.0f, 0, (private half *)&h); /* 0x6801, of which 2049 is a little below */\n"
      "  switch (n) { case 0: r = 100; break; case 1: r = 7; break; case 2: r = 900; "
      "break; default: r = own((int)n); }\n"
      "  return v.x + v.y + r + (h - 0x6801);\n"
      "}\n"};
  ct_freed(made_free) struct made made = made_of(sources, 2, "CL2.0");
  expect_words(&made, of_both);
  const struct made turned = {{made.unit[1], made.unit[0]}, {made.size[1], made.size[0]}, 2};
  expect_words(&turned, of_both);
}

static uint32_t of_one(uint32_t i) { return 2 * (i + 3) + 6; }

/* Each unit has the same instance of a template. */
TEST(spirv_link, an_instance_of_a_template_in_two_units_is_one) {
  static const char *const sources[] = {"template <typename T> T twice(T x) { return x + x; }\n"
                                        "int more(int x);\n"
                                        "kernel void k(global int *in, global int *out) { int i = get_global_id(0); "
                                        "out[i] = twice(in[i] + 3) + more(i); }\n",
                                        "template <typename T> T twice(T x) { return x + x; }\n"
                                        "int more(int x) { return twice(3); }\n"};
  ct_freed(made_free) struct made made = made_of(sources, 2, "CLC++");
  expect_words(&made, of_one);
}

static uint32_t of_next(uint32_t i) { return i + 1; }

TEST(spirv_link, one_unit_is_enough_and_lines_stay) {
  static const char *const sources[] = {
      "kernel void k(global int *in, global int *out) {\n  out[get_global_id(0)] = in[get_global_id(0)] + 1;\n}\n"};
  ct_freed(made_free) struct made made = made_of(sources, 1, "CL1.2");
  expect_words(&made, of_next);
  ct_freed(group_rig_close) struct group_rig rig;
  struct isa_error error = {""};
  if (EXPECT_TRUE(link_all(&made, &rig, &error)))
    for (uint32_t pc = 0; pc + 1 < rig.program->count; pc++)
      EXPECT_EQ(rig.program->line[pc], 2);
}

/* ---- what is refused ------------------------------------------------------------------------------------ */

TEST(spirv_link, clashes_and_misfits_are_named) {
  static const struct {
    const char *sources[2], *message;
  } rows[] = {
      {{"int f(int x) { return x; }\nkernel void k(global int *o) { *o = f(1); }\n",
        "int f(int x) { return 2 * x; }\n"},
       "units[1]: 'f' is also defined in units[0]"},
      {{"kernel void k(global int *o) { *o = 1; }\n", "kernel void k(global int *o) { *o = 2; }\n"},
       "units[1]: 'k' is also defined in units[0]"},
      {{"int f(int x);\nkernel void k(global int *o) { *o = f(1); }\n", "int g(int x) { return 2 * x; }\n"},
       "calls f, which is neither defined nor built in"},
      {{"int f(int x);\nkernel void k(global int *o) { *o = f(1); }\n", "int f(int x, int y) { return x * y; }\n"},
       "kernel.cl:2: "},
      {{"int f(int x);\nkernel void k(global int *o) { *o = f(1); }\n", "int f(float2 x) { return (int)x.y; }\n"},
       "a call's arguments do not fit its function"},
      {{"int f(int x);\nkernel void k(global int *o) { *o = f(1); }\n", "float2 f(int x) { return x; }\n"},
       "OpReturnValue has operands of the wrong type"},
      {{"extern global int g;\nkernel void k(global int *o) { *o = g; }\n", "int f(int x) { return 2 * x; }\n"}, "'g'"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ct_freed(made_free) struct made made = made_of(rows[i].sources, 2, "CL2.0");
    ct_freed(group_rig_close) struct group_rig rig;
    struct isa_error error = {""};
    ct_note("%s", rows[i].message);
    EXPECT_FALSE(link_all(&made, &rig, &error));
    EXPECT_CONTAINS(error.text, rows[i].message);
  }
}

/* A unit with any one word changed is refused or linked. */
TEST(spirv_link, damaged_units_are_refused_in_one_line) {
  static const char *const sources[] = {
      "extern constant int table[4]; int f(int x);\n"
      "kernel void k(global int *o, read_only image2d_t p, sampler_t s) {\n"
      "  int i = get_global_id(0);\n"
      "  for (int n = 0; n < 3; n++) o[i] += f(n) + (int)read_imagef(p, s, (float2)(0.5f, n)).x + table[n];\n"
      "}\n",
      "constant int table[4] = {1, 2, 3, 4};\nint f(int x) { switch (x) { case 1: return 9; default: return x + 1; } "
      "}\n"};
  static const uint32_t values[] = {0, 1, 3, 0x7fffffff, 0xffffffff};
  ct_freed(made_free) struct made made = made_of(sources, 2, "CL2.0");
  for (size_t i = 0; i < made.count; i++)
    for (size_t at = 0; at + 4 <= made.size[i]; at += 4)
      for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
        ct_freed(group_rig_close) struct group_rig rig;
        struct isa_error error = {""};
        uint32_t before;
        memcpy(&before, made.unit[i] + at, 4);
        memcpy(made.unit[i] + at, &values[v], 4);
        const bool good = link_all(&made, &rig, &error);
        EXPECT_EQ(good, !*error.text);
        EXPECT_TRUE(!strchr(error.text, '\n'));
        memcpy(made.unit[i] + at, &before, 4);
      }
}
