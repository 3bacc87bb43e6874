/* What building a kernel must not get wrong. Each test is a C function that runs twice, compiled for the host and
 * through OpenCL C, and must return the same for every input. Features that C does not have (address spaces, vectors)
 * are compared with numbers computed here. */
#include "isa/ops.h"
#include "tests/ct.h"
#include "tests/kernels.h"
#include "tests/opencl/group_rig.h"
#include "tests/opencl/words.h"

#include <string.h>

enum { ITEMS = 128 };

/* A function for the host, and its text for the device. */
#define BOTH(name, ...) /* NOLINT: the text must be the code */                                                        \
  __VA_ARGS__                                                                                                          \
  static const char name##_text[] = #__VA_ARGS__;

static int32_t input(uint32_t i) {
  const uint32_t mixed = (i + 1) * 2654435761u;
  return (int32_t)(i % 4 == 0 ? i : i % 4 == 1 ? mixed : i % 4 == 2 ? mixed % 200 : 0 - mixed % 50);
}

/* Compiled as always if `level` is NULL, otherwise as clang does at this level. */
static bool open_text(struct group_rig *rig, const char *text, const char *kernel, const char *level) {
  char source[8192];
  struct isa_error error = {""};
  snprintf(source, sizeof source, "%s\n%s\n", text, kernel);
  ct_note("%s", level ? level : "");
  if (!(level ? group_rig_clang(rig, source, "CL2.0", level, &error)
              : group_rig_compile(rig, source, "CL2.0", &error))) {
    ct_true(false, error.text, __FILE__, __LINE__);
    return false;
  }
  group_rig_range(rig, ITEMS, 64, 32);
  for (uint32_t i = 0; i < ITEMS; i++)
    group_rig_words(rig, 0)[i] = (uint32_t)input(i);
  return true;
}

static void compare_at(const char *text, int (*expected)(int n, int i), const char *level) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (!open_text(&rig, text,
                 "kernel void k(global int *in, global int *out) {\n"
                 "  int i = (int)get_global_id(0); out[i] = f(in[i], i);\n"
                 "}",
                 level))
    return;
  group_rig_run(&rig);
  EXPECT_EQ(rig.hazards, 0);
  for (uint32_t i = 0; i < ITEMS; i++) {
    ct_note("%s, item %u, input %d", level ? level : "", i, input(i));
    EXPECT_EQ((int32_t)group_rig_words(&rig, 1)[i], expected(input(i), (int)i));
  }
}

/* As always, and with what clang makes of variables without lifetimes and by LLVM's passes. The input differs a lot. */
static void compare(const char *text, int (*expected)(int n, int i)) {
  static const char *const levels[] = {NULL, "-O0", "-O2"};
  for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
    compare_at(text, expected, levels[i]);
}

/* clang-format off */
BOTH(flow,
  int flow_inner(int n, int i) {
    for (int j = 0; j < 20; j++) { if ((j ^ i) == 3) continue; if (j * (n & 7) > 60) return j; if (j > (i & 15)) break; }
    return -i;
  }
  int flow(int n, int i) {
    int r = 0;
    switch (n) { case 0: case 4: case 8: r = 1; break; case 12: r = 2; __attribute__((fallthrough)); case 16: r += 3; break; case -5: return 7; default: r = 9; }
    switch (i) { case 1: r += 5; break; case 3: r += 6; break; case 17: r += 7; break; case 19: r += 8; break; case 30: r += 9; break;
                 case 31: r += 10; break; case 60: r += 11; break; case 61: r += 12; break; case 90: r += 13; break; case 100: r += 14; }
    for (int x = 0; x < i; x++) { if (x * i > 900) goto out; for (int y = x; y < 30; y += 7) { if (y == n) goto out; r ^= y * x; } }
  out:
    do { r += flow_inner(n, i) + flow_inner(i, r & 31); } while (++i % 3 != 0);
    return r;
  })

BOTH(narrow,
  int narrow(int n, int i) {
    unsigned char u = (unsigned char)n; signed char c = (signed char)n; short s = (short)(n * 3); unsigned short w = (unsigned short)(n - i);
    unsigned r = (unsigned)((u + 200) / 3 + (c >> 2) + s / 7 % 100 + w % 13 + (unsigned char)(u * 3) + (signed char)(c + c) + (short)(s * s) + (w << 3));
    r += (unsigned)((u < 100) + 2 * (c < 3) + 4 * (s > c) + 8 * ((unsigned char)(u + 1) == 0) + 16 * ((signed char)(c - 100) < 0));
    long l = (long)n * i; unsigned long m = (unsigned long)n * 77u;
    r ^= (unsigned)(l / 1000) ^ (unsigned)(l % 1001) ^ (unsigned)(m / 1003) ^ (unsigned)(m % 999) ^ (unsigned)(l >> (i & 63)) ^ (unsigned)(m >> (i & 63)) ^ (unsigned)(m << (i & 31));
    r += (unsigned)((l > 7) + (m > 1000000));
    return (int)(r + (unsigned)(n > 3 ? u : c) + (unsigned)(int)(float)(i * 3) + (unsigned)(int)((double)n / 3.0));
  })

BOTH(records,
  struct record { char a; int b; double d; short s[3]; };
  struct __attribute__((packed)) tight { char a; int b; long c; short q[3]; };
  struct large { int x[100]; char tail[3]; };
  struct record make_record(int x) { struct record p; p.a = (char)x; p.b = x * 2; p.d = x * 0.5; p.s[0] = (short)x; p.s[1] = 2; p.s[2] = 3; return p; }
  struct large make_large(int x) { struct large l; for (int i = 0; i < 100; i++) l.x[i] = i * x; l.tail[0] = 1; l.tail[1] = 2; l.tail[2] = (char)x; return l; }
  int use_large(struct large l, int i) { l.x[0] = 5; return l.x[i % 100] + l.tail[i % 3]; }
  int records(int n, int i) {
    int x = n & 15;
    struct record r[3]; r[0] = make_record(x); r[1] = make_record(3); r[2] = r[1]; r[x % 3].b = 7;
    struct tight q[2]; q[0].a = (char)x; q[0].b = x * 3; q[0].c = x * 1000000007L; q[0].q[1] = 77; q[0].q[0] = 1; q[0].q[2] = (short)x; q[1] = q[0]; q[x & 1].c += 5;
    struct large a = make_large(i); struct large b = a; b.x[3] = 4;
    int z[40] = {0}; z[i % 40] = 5; z[i % 7] += 2; const int t[4] = {3, 1, 4, 1};
    unsigned sum = 0; for (int k = 0; k < 40; k++) sum = sum * 3 + (unsigned)z[k];
    int rest = r[x % 3].b + r[(x + 1) % 3].s[x % 3] + (int)r[2].d + q[1].q[2] + q[1].b + use_large(a, i) + use_large(b, i + 3) + a.x[0] + b.tail[x % 3] + t[i & 3];
    return (int)((unsigned)rest + (unsigned)(q[1].c ^ q[0].c) + sum);
  })
/* clang-format on */

TEST(opencl_build, loops_switches_gotos_and_returns_behave_as_in_c) {
  char text[4096] = "#define flow f\n";
  compare(strcat(text, flow_text), flow);
}

TEST(opencl_build, integers_of_all_widths_wrap_divide_shift_and_compare_as_in_c) {
  char text[4096] = "#define narrow f\n";
  compare(strcat(text, narrow_text), narrow);
}

TEST(opencl_build, structs_and_arrays_pass_through_calls_by_value_with_all_their_bytes) {
  char text[4096] = "#define records f\n";
  compare(strcat(text, records_text), records);
}

/* ---- spaces -------------------------------------------------------------------------------------- */

TEST(opencl_build, a_generic_pointer_finds_its_space_and_null_is_in_none) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (!open_text(&rig, "", CT_KERNEL(spaces_kernel), NULL))
    return;
  group_rig_run(&rig);
  EXPECT_EQ(rig.hazards, 0);
  for (uint32_t i = 0; i < ITEMS; i++) {
    const int in_lds = 50 + (int)i + 7;
    const int expected[] = {2 + 7 + 1000 + 10000 + 900000, (int)(uint32_t)((uint32_t)input(i) + 7u + 2000u + 200000u),
                            200000, in_lds + 4000 + in_lds % 10 + 200000};
    ct_note("item %u", i);
    EXPECT_EQ((int32_t)group_rig_words(&rig, 1)[i], expected[i % 4]);
  }
}

static unsigned global_loads(const struct group_rig *rig) { return group_rig_count(rig, ISA_LD_GLOBAL_32); }

TEST(opencl_build, a_helper_with_a_generic_pointer_loads_from_the_space_that_it_is_given) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (!group_rig_open(&rig, CT_KERNEL(a_helper_with_a)))
    return;
  EXPECT_EQ(global_loads(&rig), 0);
  EXPECT_EQ(rig.program->kernels[0].private_bytes, 0);
}

/* ---- vectors ------------------------------------------------------------------------------------- */

TEST(opencl_build, vectors_are_reinterpreted_bit_by_bit_and_indexed_by_variables) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (!open_text(&rig, "", CT_KERNEL(vectors_are_reinterpreted_bit), NULL))
    return;
  group_rig_run(&rig);
  for (uint32_t i = 0; i < ITEMS; i++) {
    const uint32_t n = (uint32_t)input(i), swapped = __builtin_bswap32(n), shift = 8 * (i & 3);
    uint32_t v[3] = {i, n, 5};
    v[i % 3] = 1;
    const int16_t s[8] = {(int16_t)n, (int16_t)i, 2, 3, 4, 5, 6, 7};
    const int picked = s[i & 7];
    const uint32_t wide = n << 16 | i >> 16, total = v[0] + v[1] * 3 + v[2] * 5 + (uint32_t)picked + wide + 100;
    ct_note("item %u", i);
    EXPECT_EQ(group_rig_words(&rig, 2)[i], (swapped & ~(255u << shift)) | 9u << shift);
    EXPECT_EQ(group_rig_words(&rig, 1)[i], total);
  }
}

/* With clang's full optimization: a `freeze` of a bool before the loop, and eight or sixteen bools that are compared as
 * one number. */
TEST(opencl_build, bools_are_frozen_and_compared_as_one_number) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (!open_text(&rig, "", CT_KERNEL(bools_are_frozen_and), "-O2"))
    return;
  group_rig_run(&rig);
  for (int32_t i = 0; i < ITEMS; i++) {
    const int32_t n = input((uint32_t)i);
    ct_note("item %d", i);
    EXPECT_EQ((int32_t)group_rig_words(&rig, 1)[i], (n > i) + 2 * (n > 2 && i > 2));
  }
}

enum { U8 = 20, HALF, U32_2, BOOL_8, BOOL_16, TO_U32, TWO, THREE, ARGS, IN, OUT, LABEL, NEXT_ID };

static void put_store(struct words *w, uint32_t to, uint32_t index, uint32_t value, uint32_t id) {
  PUT(w, OpInBoundsPtrAccessChain, TO_U32, id, to, index);
  PUT(w, OpStore, id, value);
}

/* Bools to their own type, to a number and back, a half from bools, and a pointer through a vector. */
static void put_casts(struct words *w) {
  const uint32_t id = NEXT_ID;
  PUT(w, OpLoad, U32, id, IN);
  PUT(w, OpUConvert, U8, id + 1, id);
  PUT(w, OpUGreaterThan, BOOL, id + 2, id, TWO);
  PUT(w, OpBitcast, BOOL, id + 3, id + 2);
  PUT(w, OpSelect, U32, id + 4, id + 3, THREE, ONE);
  put_store(w, OUT, ZERO, id + 4, id + 5);
  PUT(w, OpBitcast, BOOL_8, id + 6, id + 1);
  PUT(w, OpBitcast, BOOL_8, id + 7, id + 6);
  PUT(w, OpVectorShuffle, BOOL_8, id + 8, id + 7, id + 7, 1, 2, 3, 4, 5, 6, 7, 0);
  PUT(w, OpBitcast, U8, id + 9, id + 8);
  PUT(w, OpUConvert, U32, id + 10, id + 9);
  PUT(w, OpBitcast, U32_2, id + 11, OUT);
  PUT(w, OpBitcast, TO_U32, id + 12, id + 11);
  put_store(w, id + 12, ONE, id + 10, id + 13);
  PUT(w, OpCompositeConstruct, BOOL_16, id + 14, id + 6, id + 8);
  PUT(w, OpBitcast, HALF, id + 15, id + 14);
  PUT(w, OpFConvert, FLOAT, id + 16, id + 15);
  PUT(w, OpBitcast, U32, id + 17, id + 16);
  put_store(w, OUT, TWO, id + 17, id + 18);
}

static void casts_module(struct words *w) {
  begin(w);
  PUT(w, OpEntryPoint, KERNEL, KERNEL_ID, text("k"));
  begin_types(w);
  PUT(w, OpTypeInt, U8, 8, 0);
  PUT(w, OpTypeFloat, HALF, 16);
  PUT(w, OpTypeVector, U32_2, U32, 2);
  PUT(w, OpTypeVector, BOOL_8, BOOL, 8);
  PUT(w, OpTypeVector, BOOL_16, BOOL, 16);
  PUT(w, OpTypePointer, TO_U32, GLOBAL, U32);
  PUT(w, OpConstant, U32, TWO, 2);
  PUT(w, OpConstant, U32, THREE, 3);
  PUT(w, OpTypeFunction, ARGS, VOID, TO_U32, TO_U32);
  PUT(w, OpFunction, VOID, KERNEL_ID, 0, ARGS);
  PUT(w, OpFunctionParameter, TO_U32, IN);
  PUT(w, OpFunctionParameter, TO_U32, OUT);
  PUT(w, OpLabel, LABEL);
  put_casts(w);
  PUT0(w, OpReturn);
  PUT0(w, OpFunctionEnd);
}

TEST(opencl_build, bit_casts_accept_bools_and_pointers) {
  struct words w;
  ct_freed(group_rig_close) struct group_rig rig = {0};
  struct isa_error error = {""};
  casts_module(&w);
  const bool good = group_rig_lower(&rig, (const uint8_t *)w.word, w.count * 4ul, &error);
  EXPECT_STREQ(error.text, "");
  ASSERT_TRUE(good);
  group_rig_range(&rig, 1, 1, 32);
  group_rig_words(&rig, 0)[0] = 0x3d;
  group_rig_run(&rig);
  EXPECT_EQ(rig.hazards, 0);
  EXPECT_EQ(group_rig_words(&rig, 1)[0], 3);
  EXPECT_EQ(group_rig_words(&rig, 1)[1], 0x9e);       /* 0x3d rotated right by one bit */
  EXPECT_EQ(group_rig_words(&rig, 1)[2], 0xbbc7a000); /* the half 0x9e3d */
}

/* ---- the kernel's tables ------------------------------------------------------------------------ */

TEST(opencl_build, arguments_have_their_natural_alignment_and_types_that_hosts_can_check) {
  static const struct {
    const char *type;
    enum isa_arg_kind kind;
    uint32_t offset, bytes;
  } expected[] = {{"global", ISA_ARG_GLOBAL, 0, 8}, {"local", ISA_ARG_LOCAL, 8, 4},   {"f32x3", ISA_ARG_VALUE, 16, 16},
                  {"u8", ISA_ARG_VALUE, 32, 1},     {"f64", ISA_ARG_VALUE, 40, 8},    {"bytes", ISA_ARG_VALUE, 48, 12},
                  {"u16x2", ISA_ARG_VALUE, 60, 4},  {"global", ISA_ARG_GLOBAL, 64, 8}};
  ct_freed(group_rig_close) struct group_rig rig;
  if (!group_rig_open(&rig,
                      "typedef struct { int a; char c; short s[3]; } S;\n"
                      "kernel void k(global int *a, local int *l, float3 f, char c, double d, S s, short2 h,\n"
                      "              constant int *t) { a[0] = s.a + l[0] + c + (int)(d + f.x) + h.x + t[0]; }\n"))
    return;
  const struct isa_kernel *kernel = &rig.program->kernels[0];
  EXPECT_EQ(kernel->arg_count, sizeof expected / sizeof *expected);
  for (size_t i = 0; i < kernel->arg_count; i++) {
    ct_note("argument %zu", i);
    EXPECT_TRUE(strcmp(kernel->args[i].type, expected[i].type) == 0);
    EXPECT_EQ(kernel->args[i].kind, expected[i].kind);
    EXPECT_EQ(kernel->args[i].offset, expected[i].offset);
    EXPECT_EQ(kernel->args[i].bytes, expected[i].bytes);
  }
  EXPECT_EQ(kernel->arg_bytes, 72);
}

TEST(opencl_build, only_local_variables_that_a_kernel_uses_take_lds) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (!group_rig_open(&rig,
                      "kernel void k(global int *a) { local int x[16]; x[get_local_id(0) & 15] = 1; a[0] = x[3]; }\n"
                      "kernel void other(global int *a) { local int y[64]; y[0] = 1; a[0] = y[0]; }\n"))
    return;
  EXPECT_EQ(isa_find_kernel(rig.program, "k")->lds_bytes, 64);
  EXPECT_EQ(isa_find_kernel(rig.program, "other")->lds_bytes, 256);
}

static void expect_lds(const struct isa_kernel *kernel, size_t i, const char *name, uint32_t offset, uint32_t bytes) {
  ct_note("%s", name);
  ASSERT_TRUE(i < kernel->lds_count);
  EXPECT_STREQ(kernel->lds[i].name, name);
  EXPECT_EQ(kernel->lds[i].offset, offset);
  EXPECT_EQ(kernel->lds[i].bytes, bytes);
}

TEST(opencl_build, local_variables_are_known_by_name) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (!group_rig_open(&rig, CT_KERNEL(local_variables_are_known)))
    return;
  const struct isa_kernel *called = isa_find_kernel(rig.program, "called"), *k = isa_find_kernel(rig.program, "k");
  EXPECT_EQ(called->lds_count, 2);
  expect_lds(called, 0, "x", 0, 3);
  expect_lds(called, 1, "tile", 16, 64);
  EXPECT_EQ(k->lds_count, 4);
  expect_lds(k, 0, "tile", 0, 4);
  expect_lds(k, 1, "p1_2", 4, 32);
  expect_lds(k, 2, "x", 36, 3);
  expect_lds(k, 3, "tile_4", 48, 64);
  EXPECT_EQ(isa_find_kernel(rig.program, "none")->lds_count, 0);
}

static uint32_t column_of(const struct isa_program *program, enum isa_op op) {
  for (uint32_t pc = 0; pc < program->count; pc++)
    if (program->code[pc].op == op)
      return 100 * program->line[pc] + program->column[pc];
  return 0;
}

TEST(opencl_build, an_instruction_knows_its_line_and_column) {
  ct_freed(group_rig_close) struct group_rig rig;
  if (!group_rig_open(&rig, "kernel void k(global int *a, global short *b) {\n"
                            "  a[0] = b[3]; barrier(CLK_LOCAL_MEM_FENCE);\n"
                            "    atomic_add(a, 1);\n"
                            "}\n"))
    return;
  EXPECT_EQ(column_of(rig.program, ISA_LD_GLOBAL_S16), 210);
  EXPECT_EQ(column_of(rig.program, ISA_ST_GLOBAL_32), 208);
  EXPECT_EQ(column_of(rig.program, ISA_BAR_LDS), 216);
  EXPECT_EQ(column_of(rig.program, ISA_ATOM_GLOBAL_ADD_32), 305);
  EXPECT_EQ(column_of(rig.program, ISA_EXIT), 401);
}

static void expect_refused(const char *source, const char *line, const char *what) {
  struct group_rig rig;
  struct isa_error error = {""};
  ct_note("%s", source);
  if (!EXPECT_TRUE(!group_rig_compile(&rig, source, "CL2.0", &error))) {
    group_rig_close(&rig);
    return;
  }
  ct_note("%s", error.text);
  EXPECT_TRUE(strstr(error.text, line) != NULL);
  EXPECT_TRUE(strstr(error.text, what) != NULL);
}

TEST(opencl_build, unsupported_kernels_are_refused_by_name_with_their_line) {
  expect_refused("int f(int n) {\n  return n < 2 ? n : f(n - 1) + f(n - 2);\n}\n"
                 "kernel void k(global int *a) { a[0] = f(a[1]); }\n",
                 "kernel.cl:2:", "'f' calls itself");
  expect_refused("kernel void k(\n  global int *a) { queue_t q = get_default_queue(); a[0] = q == 0; }\n",
                 "kernel.cl:", "get_default_queue");
}
