/* Edits of OpenCL C text: where each applies, what it produces, and that line numbers stay. */
#include <stdlib.h>
#include <string.h>

#include "tests/ct.h"
#include "tests/opencl/group_rig.h"
#include "tools/explain/edits.h"

static void expect_edit(const char *text, enum opencl_edit edit, const char *wanted) {
  ct_freed(ct_free) char *made = opencl_edit(text, edit);
  ct_note("%s of %s", opencl_edit_names[edit], text);
  if (wanted)
    EXPECT_STREQ(made, wanted);
  else
    EXPECT_TRUE(!made);
}

static size_t lines_of(const char *text) {
  size_t lines = 0;
  for (; *text; text++)
    lines += *text == '\n';
  return lines;
}

TEST(edits, a_loop_is_unrolled_and_the_remainder_stays_a_loop) {
  expect_edit("for (uint i = a; i < n; i += s) x += p[i];", OPENCL_EDIT_UNROLL_2,
              "{ uint i = a; for (; i < n && (n) - i > 1 * (s);) { { x += p[i]; } i += s; { x += p[i]; } i += s; } "
              "for (; i < n; i += s) x += p[i]; }");
  expect_edit(
      "for (i = 0; i < 9; ++i) { f(i); }", OPENCL_EDIT_UNROLL_2,
      "{ i = 0; for (; i < 9 && (9) - i > 1 * (1);) { { { f(i); } } ++i; { { f(i); } } ++i; } for (; i < 9; ++i) "
      "{ f(i); } }");
}

TEST(edits, loops_of_other_forms_are_left_alone) {
  static const char *const others[] = {
      "for (uint i = 0; i <= n; i++) x += i;",
      "for (uint i = n; i > 0; i--) x += i;",
      "for (uint i = 0; i < n && x; i++) x += i;",
      "for (uint i = 0, j = 0; i < n; i++) x += i;",
      "for (uint i = 0; i < n; i++) { if (x) break; }",
      "for (uint i = 0; i < n; i++) { i += x; }",
      "for (uint i = 0; i < n; i++) { f(&i); }",
      "for (uint i = 0; i < n; i *= 2) x += i;",
      "#pragma unroll 2\nfor (uint i = 0; i < n; i++) x += i;",
      "for (uint i = 0; i < n; i++) {\n#if A\n x += i;\n#endif\n}",
      "// for (uint i = 0; i < n; i++) x += i;",
      "\"for (uint i = 0; i < n; i++) x += i;\"",
      "for (;;) x++;",
      "for (uint i = 0; i < n; i++",
  };
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    expect_edit(others[i], OPENCL_EDIT_UNROLL_4, NULL);
}

/* Only the inner of two nested loops, whose body spans several lines with comments. */
TEST(edits, line_numbers_stay) {
  static const char text[] =
      "kernel void k(global int *p) {\n  for (int j = 0; j < 4; j++)\n    for (int i = 0; i < 8; i++) "
      "{ // remark\n      p[i] += j; /* another\n one */\n    }\n  last();\n}\n";
  for (enum opencl_edit edit = OPENCL_EDIT_UNROLL_2; edit <= OPENCL_EDIT_UNROLL_8; edit++) {
    ct_freed(ct_free) char *made = opencl_edit(text, edit);
    ASSERT_TRUE(made);
    EXPECT_EQ(lines_of(made), lines_of(text));
    EXPECT_EQ(lines_of(strstr(made, "last()")), lines_of(strstr(text, "last()")));
    EXPECT_TRUE(!strstr(made, "remark"));
    EXPECT_TRUE(strstr(made, "for (int j = 0; j < 4; j++)\n    { int i = 0;"));
  }
}

TEST(edits, rows_of_local_arrays_are_padded) {
  expect_edit("local float a[8][N * 2], b[4], c[2][3][4];", OPENCL_EDIT_PAD,
              "local float a[8][(N * 2) + 1], b[4], c[2][3][(4) + 1];");
  expect_edit("__local int a[4];", OPENCL_EDIT_PAD, NULL);
  expect_edit("float a[4][4];", OPENCL_EDIT_PAD, NULL);
  expect_edit("void f(local float (*a)[4][4]);", OPENCL_EDIT_PAD, NULL);
  expect_edit("local float *p = q[1][2];", OPENCL_EDIT_PAD, NULL);
  expect_edit("local char a[5], b; local int c[2][2];", OPENCL_EDIT_ALIGN,
              "local char a[5] __attribute__((aligned(16))), b; local int c[2][2] __attribute__((aligned(16)));");
}

TEST(edits, a_loop_of_copies_becomes_one_copy_of_lines) {
  expect_edit(
      "for (int j = 0; j < 16; j++) e = async_work_group_copy(t + j * 8, g + j * p, 8, e);", OPENCL_EDIT_COPY_2D,
      "e = async_work_group_copy_2D2D(t + (0) * 8, 0, g + (0) * p, 0, sizeof(*(g + (0) * p)), 8, (16) - (0), (g + "
      "((0) + 1) * p) - (g + (0) * p), (t + ((0) + 1) * 8) - (t + (0) * 8), e);");
  /* Lines of different lengths; another statement in the loop; a separate event each. */
  expect_edit("for (int j = 0; j < 4; j++) e = async_work_group_copy(t, g + j, j, e);", OPENCL_EDIT_COPY_2D, NULL);
  expect_edit("for (int j = 0; j < 4; j++) { e = async_work_group_copy(t + j, g + j, 1, e); x++; }",
              OPENCL_EDIT_COPY_2D, NULL);
  expect_edit("for (int j = 0; j < 4; j++) e[j] = async_work_group_copy(t + j, g + j, 1, 0);", OPENCL_EDIT_COPY_2D,
              NULL);
  /* A copy within a copy's arguments disappears with it. */
  expect_edit(
      "for (int j = 0; j < 4; j++) e = async_work_group_copy(t, g, 8, async_work_group_strided_copy(t, g, 1, 2, "
      "0));",
      OPENCL_EDIT_COPY_2D,
      "e = async_work_group_copy_2D2D(t, 0, g, 0, sizeof(*(g)), 8, (4) - (0), (g) - (g), (t) - (t), "
      "async_work_group_strided_copy(t, g, 1, 2, 0));");
  expect_edit("e = async_work_group_strided_copy(t, g, n, s, 0);", OPENCL_EDIT_COPY_2D,
              "e = async_work_group_copy_2D2D(t, 0, g, 0, sizeof(*(g)), 1, n, s, 1, 0);");
}

TEST(edits, the_next_iterations_loads_are_prefetched_and_its_stores_are_not) {
  expect_edit("kernel void k(global const int *p, global int *q) { for (int i = a; i < n; i += 2) q[i] = p[i] + p[i] + "
              "r[i]; }",
              OPENCL_EDIT_PREFETCH,
              "kernel void k(global const int *p, global int *q) { for (int i = a; i < n; i += 2) { "
              "prefetch((const global uchar *)&p[(i + (2))], sizeof(*p)); q[i] = p[i] + p[i] + r[i]; } }");
  expect_edit("kernel void k(global int *p) { for (int i = 0; i < n; i++) x += p[7]; }", OPENCL_EDIT_PREFETCH, NULL);
}

static unsigned prefetches_in(const char *text) {
  unsigned count = 0;
  for (; text && (text = strstr(text, "prefetch(")); text++)
    count++;
  return count;
}

/* Edits the text, counts its prefetches, and compiles it. */
static void expect_prefetches(const char *text, size_t count) {
  static const char *const standards[] = {"CL1.2", "CL2.0", "CL3.0"};
  ct_freed(ct_free) char *made = opencl_edit(text, OPENCL_EDIT_PREFETCH);
  ct_note("%s", text);
  EXPECT_EQ(prefetches_in(made), count);
  for (size_t i = 0; made && i < sizeof standards / sizeof *standards; i++) {
    ct_freed(group_rig_close) struct group_rig rig;
    struct isa_error error = {""};
    const bool good = group_rig_compile(&rig, made, standards[i], &error);
    ct_note("%s: %s: %s", standards[i], error.text, made);
    EXPECT_TRUE(good);
  }
}

TEST(edits, elements_of_every_type_are_prefetched) {
  static const char *const types[] = {"struct pair", "union word", "pair_t",    "row_t",         "enum color",
                                      "half",        "uchar",      "char3",     "float3",        "ulong4",
                                      "double",      "size_t",     "ptrdiff_t", "global float *"};
  static const char *const qualifiers[] = {"global %s *", "const global %s *restrict ", "global volatile %s *",
                                           "__global %s const *const ", "volatile __global const %s *\n"};
  struct {
    char text[16384];
    size_t length;
  } made = {.length = 0};
#define ADD(...) made.length += (size_t)snprintf(made.text + made.length, sizeof made.text - made.length, __VA_ARGS__)
  ADD("struct pair { float a; int b[3]; };\ntypedef struct { uchar c; struct pair p; } pair_t;\n"
      "typedef float row_t[4];\nunion word { int i; float f; };\nenum color { RED, GREEN };\nvoid use(const void *p) "
      "{}\n");
  unsigned count = 0;
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    for (size_t j = 0; j < sizeof qualifiers / sizeof *qualifiers; j++) {
      char declared[80];
      snprintf(declared, sizeof declared, qualifiers[j], types[i]);
      ADD("int f%u(%sp, int n) { int sum = 0; for (int i = 0; i < n; i++) sum += sizeof(p[i * 2 + n]); return sum; }\n",
          count++, declared);
    }
#undef ADD
  /* A pointer to a pointer has two stars, one too many to tell which memory the name points to by words alone. */
  ASSERT_TRUE(made.length < sizeof made.text - 1);
  strcat(made.text, "kernel void k(global int *o) { o[0] = 1; }\n");
  expect_prefetches(made.text, count - sizeof qualifiers / sizeof *qualifiers);
}

TEST(edits, only_loads_from_global_memory_through_names_of_the_same_function_are_prefetched) {
  expect_prefetches("struct s { int a; }; kernel void k(global struct s *in, global int *o, int n) {\n"
                    "  for (int i = 0; i < n; i++) { in[i].a = i; o[i] += 1; in[i].a++; } }",
                    0);
  /* Other functions' parameters of the same name are in other memories. */
  expect_prefetches("int f(local int *in, int n) { int s = 0; for (int i = 0; i < n; i++) s += in[i]; return s; }\n"
                    "int g(constant int *in, int n) { int s = 0; for (int i = 0; i < n; i++) s += in[i]; return s; }\n"
                    "int h(int *in, int n) { int s = 0; for (int i = 0; i < n; i++) s += in[i]; return s; }\n"
                    "kernel void k(global int *in, local int *l, constant int *c, int n) {\n"
                    "  int t[4]; for (int i = 0; i < n; i++) in[n] += f(l, i) + g(c, i) + h(t, i) + in[i]; }",
                    1);
  expect_prefetches("struct s { int in[4]; }; kernel void k(global int *in, global int *o, int n) {\n"
                    "  struct s x; int s = 0; for (int i = 0; i < n; i++) s += x.in[i]; o[0] = s; }",
                    0);
  expect_prefetches("kernel void k(global int *in, int n) {\n"
                    "  int s = 0; for (int i = 0; i < n; i++) { global int *q = in + i; s += q[i]; } in[0] = s; }",
                    0);
}

TEST(edits, an_index_with_a_variable_of_the_body_is_not_prefetched) {
  static const char *const bodies[] = {"int j = i * 2; s += in[i + j];", "int j; j = n; s += in[i + j];",
                                       "int t[2]; t[0] = i; s += in[t[0] + i];",
                                       "int *q, j = 0; q = &j; s += in[*q + i];"};
  for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
    char text[400];
    snprintf(text, sizeof text,
             "kernel void k(global int *in, global int *o, int m, int n) { int s = 0; for (int i = 0; i < m; i++) { %s "
             "} o[0] = s; }",
             bodies[i]);
    expect_prefetches(text, 0);
  }
  expect_prefetches("kernel void k(global int *in, global int *o, int m) {\n"
                    "  int s = 0; for (int i = 0; i < m; i++) { int j = in[(i + 7 + s) & m]; s += j; } o[0] = s; }",
                    1);
}

TEST(edits, types_are_widened_only_where_they_are_whole_identifiers) {
  expect_edit("global float *floats; float x;", OPENCL_EDIT_FLOAT4, "global float4 *floats; float4 x;");
  expect_edit("global float2 *p;", OPENCL_EDIT_FLOAT4, NULL);
  EXPECT_TRUE(opencl_edit_widens(OPENCL_EDIT_UINT4) && !opencl_edit_widens(OPENCL_EDIT_PREFETCH));
}

TEST(edits, defines_of_small_numbers_are_found_and_changed) {
  static const char text[] =
      "#define DEPTH 2\n # define PAD 0 // none\n#define NAME \"a\"\n#define F(x) 1\n#define BIG 65\n"
      "#define HALF 2.5\n#define LAST 7u";
  const char *at = text;
  struct opencl_define define;
  ASSERT_TRUE(opencl_define_next(&at, &define));
  EXPECT_STREQ(define.name, "DEPTH");
  EXPECT_EQ(define.value, 2);
  ASSERT_TRUE(opencl_define_next(&at, &define));
  EXPECT_STREQ(define.name, "PAD");
  EXPECT_FALSE(opencl_define_next(&at, &define));
  char *made = opencl_define_set("#ifndef DEPTH\n#define DEPTH 2\n#endif\nint x[DEPTH];", "DEPTH", 13);
  EXPECT_STREQ(made, "#ifndef DEPTH\n#define DEPTH 13\n#endif\nint x[DEPTH];");
  free(made);
}

/* Text that ends anywhere, in the middle of anything. */
TEST(edits, truncated_text_is_left_alone_or_changed_within_its_lines) {
  static const char whole[] =
      "#define N 4\nkernel void k(global const int *p) {\n  local float t[4][N * 2];\n"
      "  for (int j = 0; j < 16; j++) { // remark\n    e = async_work_group_copy(t + j, p + j * 4, "
      "8, e);\n  }\n  e = async_work_group_strided_copy(t, p, 4, 5, 0);\n  for (int i = 0; i < N; i "
      "+= 2)\n    x += p[i] + \"text\"[0];\n}\n";
  for (size_t length = 0; length < sizeof whole; length++) {
    ct_freed(ct_free) char *text = strndup(whole, length);
    for (enum opencl_edit edit = 0; edit < OPENCL_EDIT_COUNT; edit++) {
      ct_freed(ct_free) char *made = opencl_edit(text, edit);
      ct_note("%s of the first %zu bytes", opencl_edit_names[edit], length);
      if (made)
        EXPECT_EQ(lines_of(made), lines_of(text));
    }
  }
}
