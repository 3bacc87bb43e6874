/* OpenCL C and SPIR-V programs: run, disassembled, built with options, and refused. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "opencl/opencl.h"
#include "tests/cli/tool.h"
#include "tests/ct.h"
#include "tests/kernels.h"

#define ACCEPTED                                                                                                       \
  "legal: -D, -U, -I, -include, -isystem, -iquote, -cl-std=, OpenCL's other -cl-..., -w, -W..., -f... of floating "    \
  "point"

static const char launch[] =
    "{ %s\n"
    "  \"buffers\": { \"data\": { \"bytes\": 256, \"elem\": \"uint\", \"fill\": \"iota\" } },\n"
    "  \"launches\": [ { \"kernel\": \"plus\", \"global\": [64], \"local\": [64],\n"
    "    \"args\": [ { \"buffer\": \"data\" }, { \"int\": 5 }, { \"bytes\": \"0000000002000000\" }, { \"local\": 256 } "
    "] } ],\n"
    "  \"check\": [ { \"buffer\": \"data\", \"expected\": \"good.bin\" } ]\n"
    "}\n";

/* Makes a folder with kernel.cl and good.bin, which holds i + `sum` for each i; nothing is cached outside it. */
static void fresh(const char *kernel, uint32_t sum) {
  uint32_t data[64];
  for (uint32_t i = 0; i < 64; i++)
    data[i] = i + sum;
  tool_folder();
  setenv("WARPWAIT_CACHE", "/dev/null/none", 1);
  tool_file("kernel.cl", kernel);
  tool_bytes("good.bin", data, sizeof data);
}

static void launch_with(const char *keys) {
  char text[2000];
  snprintf(text, sizeof text, launch, keys);
  tool_file("l.json", text);
}

static void expect(const char *arguments, int status, const char *err) {
  ct_freed(outcome_free) struct outcome outcome = tool(arguments);
  ct_note("warpwait %s", arguments);
  EXPECT_EQ(outcome.status, status);
  EXPECT_STREQ(outcome.err, err);
}

static json_int_t number(const char *arguments, const char *key) {
  ct_freed(outcome_free) struct outcome outcome = tool(arguments);
  json_t *root = json_loads(outcome.out, 0, NULL);
  json_t *value = json_object_get(json_array_get(json_object_get(root, "launches"), 0), key);
  ct_note("%s: %s", arguments, outcome.err);
  EXPECT_TRUE(json_is_integer(value));
  json_int_t result = json_integer_value(value);
  json_decref(root);
  return result;
}

/* ---- compiling ----------------------------------------------------------------------------------- */

static void stand_in(const char *folder, const char *variable, const char *name) {
  char text[200], path[400];
  snprintf(text, sizeof text, "#!/bin/sh\necho x >>%s.log\nexec %s-15 \"$@\"\n", name, name);
  tool_file(name, text);
  snprintf(text, sizeof text, "%s.log", name);
  tool_file(text, "");
  snprintf(path, sizeof path, "%s/%s", folder, name);
  chmod(path, 0700);
  setenv(variable, path, 1);
}

static size_t length_of(const char *name) {
  ct_freed(ct_free) char *text = tool_read(name);
  return strlen(text);
}

/* Lifting limits for the bottleneck, and each variant of a page, start further runs. With an include, clang is called
 * for three things: to expand the source, to list its own header folders, and to compile. */
TEST(opencl, a_command_compiles_a_source_once) {
  static const char *const verbs[] = {"run l.json", "check l.json", "run l.json --why", "run l.json --no-cache",
                                      "run l.json --html p.html --html-vary dma.setup=0,20"};
  const char *folder = tool_folder();
  for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
    fresh("#include \"n.h\"\nkernel void plus(global uint *data, uint add, ulong b, local int *l) "
          "{ data[get_global_id(0)] += N; }\n",
          30);
    tool_file("n.h", "#define N 10\n");
    launch_with("");
    stand_in(folder, "WARPWAIT_CLANG", "clang");
    ct_freed(outcome_free) struct outcome outcome = tool(verbs[i]);
    unsetenv("WARPWAIT_CLANG");
    ct_note("warpwait %s", verbs[i]);
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(length_of("clang.log"), 3 * strlen("x\n"));
  }
}

/* ---- runs ---------------------------------------------------------------------------------------- */

TEST(opencl, a_launch_file_without_program_uses_kernel_cl) {
  fresh(CT_KERNEL(plus), 7);
  tool_file("kernel.wws", "  this is no program\n");
  launch_with("");
  expect("run l.json --verify", 0, "");
}

TEST(opencl, build_keys_and_options_reach_the_kernel) {
  static const struct {
    const char *keys, *options;
    uint32_t sum;
  } rows[] = {
      {"\"build\": { \"defines\": { \"N\": \"3\" } },", "", 10},
      {"\"build\": { \"defines\": { \"N\": 3 } },", "", 10},
      {"\"build\": { \"defines\": { \"N\": true } },", "", 8},
      {"\"build\": { \"options\": \"-DN=4 -cl-mad-enable\" },", "", 11},
      {"\"build\": { \"options\": [\"-D\", \"N=4\"], \"std\": \"CL1.2\", \"extensions\": [\"cl_khr_fp16\"] },", "", 11},
      {"\"build\": { \"defines\": { \"N\": 3 }, \"registers\": 32 },", "", 10},
      {"\"build\": { \"defines\": { \"N\": 3 } },", " -D N=9", 16},
      {"\"build\": { \"optimize\": 3 },", " --build-option -DN=9 --cl-std CL3.0 --no-cache", 16},
      {"", " --define=N=1 --optimize 0", 8},
      {"\"build\": { \"defines\": { \"N\": 3 }, \"copies\": \"loop\" },", "", 10},
      {"\"build\": { \"defines\": { \"N\": 3 }, \"copies\": \"loop\" },", " --copies machine", 10},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char arguments[200];
    fresh(CT_KERNEL(plus), rows[i].sum);
    launch_with(rows[i].keys);
    snprintf(arguments, sizeof arguments, "run l.json --verify%s", rows[i].options);
    ct_note("%s", rows[i].keys);
    expect(arguments, 0, "");
  }
}

/* It is 0 in structs, volatile variables and numbers, and null again however it comes back. */
TEST(opencl, a_null_lds_pointer_stays_null_everywhere) {
  static const char kernel[] =
      "struct s { local uint *p; uint n; };\n"
      "uint pick(local uint *p, uint i) { return p ? p[i] : 7; }\n"
      "kernel void plus(global uint *data, uint add, ulong unused, local uint *l) {\n"
      "  uint i = get_local_id(0);\n"
      "  l[i] = 3;\n"
      "  struct s all[2] = {{0, 1}, {l, 2}}, zero = {0}, one = all[i & 1];\n"
      "  local uint *volatile kept = 0;\n"
      "  local uint *empty = kept, *x = add ? one.p : l;\n"
      "  uint *any = x;\n"
      "  bool null = !(i & 1);\n"
      "  bool good = !empty && !zero.p && !x == null && !any == null && to_local(any) == x &&\n"
      "              !(ulong)x == null && (local uint *)(ulong)x == x && one.n == (null ? 1 : 2) && !to_local((uint "
      "*)0);\n"
      "  data[i] += pick(one.p, i) == (null ? 7 : 3) && good ? 30 : 0;\n"
      "}\n";
  fresh(kernel, 30);
  launch_with("");
  expect("run l.json --verify", 0, "");
}

TEST(opencl, include_folders_are_relative_to_the_launch_file) {
  fresh("#include <n.h>\nkernel void plus(global uint *data, uint add, ulong b, local int *l) "
        "{ data[get_global_id(0)] += N + M; }\n",
        30);
  tool_file("n.h", "#define N 10\n");
  launch_with("\"build\": { \"include\": [\".\"], \"defines\": { \"M\": 20 } },");
  expect("run l.json --verify", 0, "");
  launch_with("\"build\": { \"defines\": { \"M\": 20 } },");
  expect("run l.json --verify", 2,
         "warpwait: kernel.cl:1:10: error: 'n.h' file not found with <angled> include; use \"quotes\" instead\n");
  expect("run l.json --verify -I .", 0, "");
}

TEST(opencl, spir_v_runs_like_its_source) {
  ct_freed(ct_free) uint8_t *spirv = NULL;
  size_t size = 0;
  char path[200];
  struct isa_error error = {""};
  snprintf(path, sizeof path, "%s/kernel.cl", tool_folder()); /* fresh() empties the folder */
  fresh(CT_KERNEL(plus), 7);
  EXPECT_TRUE(opencl_compile(path, &(struct opencl_build){0}, &spirv, &size, &error));
  EXPECT_STREQ(error.text, "");
  tool_bytes("k.spv", spirv, size);
  launch_with("\"program\": \"k.spv\", \"build\": { \"registers\": 16 },");
  expect("run l.json --verify", 0, "");
  expect("run k.spv --global 4 -D N=3", 2,
         "warpwait: 'k.spv' is SPIR-V, which defines cannot change; only .cl is compiled\n");
}

TEST(opencl, an_object_file_runs_like_its_source) {
  fresh(CT_KERNEL(plus), 7);
  expect("asm kernel.cl -o k.wwo", 0, "");
  launch_with("\"program\": \"k.wwo\",");
  expect("run l.json --verify", 0, "");
}

TEST(opencl, instructions_are_shown_below_their_source_lines) {
  fresh(CT_KERNEL(plus), 7);
  ct_freed(outcome_free) struct outcome outcome = tool("dis kernel.cl");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_CONTAINS(outcome.out, "kernel plus: ");
  EXPECT_CONTAINS(outcome.out, "\nkernel.cl:6:   uint i = get_global_id(0);\n       0  ");
  EXPECT_CONTAINS(outcome.out, "\nkernel.cl:7:   room[get_local_id(0)] = data[i];\n");
  EXPECT_TRUE(strstr(outcome.out, "no source line") == NULL); /* the exit belongs to the closing brace */
  tool_again(&outcome, "asm kernel.cl");
  EXPECT_CONTAINS(outcome.out, "  argument 2  u32      add\n");
  EXPECT_CONTAINS(outcome.out, "    pc   line  class      instruction\n");
}

/* Whatever form the program had, its assembly is the same and assembles to the same program. */
/* The launch file's defines and those of the command line apply to its program. */
TEST(opencl, dis_builds_a_launch_files_program_with_its_options) {
  fresh(CT_KERNEL(plus), 7);
  launch_with("\"build\": { \"defines\": { \"N\": 3000 } },");
  struct outcome file = tool("dis l.json"), alone = tool("dis kernel.cl -D N=3000");
  EXPECT_EQ(file.status, 0);
  EXPECT_STREQ(file.out, alone.out);
  EXPECT_CONTAINS(file.out, "3000");
  outcome_free(&file);
  outcome_free(&alone);
  file = tool("asm l.json -D N=4000");
  EXPECT_CONTAINS(file.out, "4000");
  outcome_free(&file);
  tool_file("l.json", "{\n");
  expect("dis l.json", 2, "warpwait: l.json:2:1: string or '}' expected near end of file\n");
}

TEST(opencl, a_define_that_the_kernel_never_uses_is_reported) {
  static const struct {
    const char *define, *told;
  } rows[] = {
      {"-D N=3", ""},
      {"-D NN=3", "warpwait: -D NN: kernel.cl does not mention this macro; did you mean 'N'?\n"},
      {"-D WIDTH", "warpwait: -D WIDTH: kernel.cl does not mention this macro\n"},
      {"-D dat=3", "warpwait: -D dat: kernel.cl does not mention this macro\n"}}; /* a part of the word `data` */
  fresh(CT_KERNEL(plus), 7);
  launch_with("\"build\": { \"defines\": { \"N\": 1 } },");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char command[100];
    snprintf(command, sizeof command, "run l.json %s", rows[i].define);
    expect(command, 0, rows[i].told);
    snprintf(command, sizeof command, "dis l.json %s", rows[i].define);
    expect(command, 0, rows[i].told);
  }
  tool_file("kernel.cl",
            "#include \"n.h\"\nkernel void plus(global uint *d, uint a, ulong b, local int *l) { d[0] = F; }\n");
  tool_file("n.h", "#define F N + WIDTH\n");
  expect("run l.json -D WIDTH=2", 0, ""); /* mentioned in the included file */
}

TEST(opencl, reports_of_runs_and_replays_show_the_defines) {
  fresh(CT_KERNEL(plus), 7);
  launch_with("\"build\": { \"defines\": { \"N\": 1, \"M\": 2 } },");
  struct outcome run = tool("run l.json -D N=4 -D OF_NO_USE --trace t.wwt"), replay = tool("replay t.wwt");
  EXPECT_CONTAINS(run.out, "\ndefined        M=2, N=4, OF_NO_USE\n");
  EXPECT_STREQ(replay.out, run.out);
  outcome_free(&run);
  outcome_free(&replay);
  run = tool("run l.json -D N=4 --report json");
  replay = tool("replay t.wwt --report json");
  EXPECT_CONTAINS(run.out, "\"defines\": [\n    \"M=2\",\n    \"N=4\"\n  ]");
  EXPECT_CONTAINS(replay.out, "\"OF_NO_USE\"\n  ]");
  outcome_free(&run);
  outcome_free(&replay);
  launch_with("");
  run = tool("run l.json --trace u.wwt");
  EXPECT_FALSE(strstr(run.out, "defined"));
  outcome_free(&run);
  expect("trace merge t.wwt t.wwt -o same.wwt", 0, "");
  expect("trace merge t.wwt u.wwt -o mixed.wwt", 0, "");
  run = tool("replay same.wwt");
  replay = tool("replay mixed.wwt");
  EXPECT_CONTAINS(run.out, "M=2, N=4");
  EXPECT_FALSE(strstr(replay.out, "defined"));
  outcome_free(&run);
  outcome_free(&replay);
}

TEST(opencl, its_assembly_can_be_assembled) {
  fresh(CT_KERNEL(plus), 7);
  expect("asm kernel.cl -o k.wwo --spirv k.spv", 0, "");
  expect("dis kernel.cl --assembly -o a.wws", 0, "");
  expect("asm a.wws -o a.wwo", 0, "");
  ct_freed(ct_free) char *text = tool_read("a.wws");
  static const char *const others[] = {"dis k.wwo --assembly", "dis k.spv --assembly", "dis a.wwo --assembly",
                                       "dis a.wws --assembly", "dis a.wwo"};
  EXPECT_CONTAINS(text, ".kernel plus\n");
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    ct_freed(outcome_free) struct outcome outcome = tool(others[i]);
    ct_note("%s", others[i]);
    EXPECT_STREQ(outcome.out, text);
    EXPECT_EQ(outcome.status, 0);
  }
  launch_with("\"program\": \"a.wws\",");
  expect("run l.json --verify", 0, "");
}

TEST(opencl, an_array_indexed_only_in_unrolled_loops_needs_no_memory) {
  fresh("kernel void k(global float *o) {\n  float a[8];\n"
        "#pragma unroll\n  for (int i = 0; i < 8; i++)\n    a[i] = o[i];\n"
        "#pragma unroll\n  for (int i = 0; i < 8; i++)\n    o[i] = a[i] * a[7 - i];\n}\n",
        0);
  ct_freed(outcome_free) struct outcome outcome = tool("dis kernel.cl");
  EXPECT_CONTAINS(outcome.out, " 0 private bytes a lane\n");
}

/* 1.2 MB per work-item. A work-item reads 0 there, even if another one of the same slot has written before. */
TEST(opencl, private_arrays_may_be_too_large_for_all_warps_of_a_machine) {
  fresh(CT_KERNEL(private_arrays_may_be), 3);
  tool_file("l.json", "{ \"buffers\": { \"data\": { \"bytes\": 256, \"fill\": \"iota\", \"elem\": \"uint\" } },\n"
                      "\"launches\": [ { \"kernel\": \"plus\", \"global\": [64], \"local\": [8],\n"
                      "\"args\": [ { \"buffer\": \"data\" } ] } ],\n"
                      "\"check\": [ { \"buffer\": \"data\", \"expected\": \"good.bin\" } ] }\n");
  expect("run l.json --verify --set cu.warps=1 --set cu.groups=1", 0, "");
  expect("run l.json --verify --machine h200", 0, "");
  EXPECT_EQ(number("run l.json --report json", "private_bytes"), 1200000);
}

/* C leaves it to another unit to define such a function. */
TEST(opencl, an_inline_only_function_is_called) {
  fresh(CT_KERNEL(an_inline_only_function), 7);
  launch_with("");
  expect("run l.json --verify", 0, "");
}

TEST(opencl, a_program_may_have_a_suffix_other_than_cl) {
  static const char *const names[] = {"scale.ocl", "scale.opencl"};
  static const char *const calls[] = {"asm %s -D N=2 -o k.wwo", "explain %s --global 64 --arg buffer:data=256",
                                      "dis %s --explain-passes"};
  fresh("", 0);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    tool_file(names[i], "#ifndef N\n#define N 1\n#endif\n"
                        "kernel void scale(global uint *data) { data[get_global_id(0)] *= N; }\n");
    for (size_t k = 0; k < sizeof calls / sizeof *calls; k++) {
      char arguments[100];
      snprintf(arguments, sizeof arguments, calls[k], names[i]);
      expect(arguments, 0, "");
    }
  }
}

TEST(opencl, names_may_be_as_long_as_those_of_code_generators) {
  enum { LETTERS = 60000, TEXT = 10 * LETTERS + 1000 };
  char *text = malloc(TEXT), *many = malloc(LETTERS + 1);
  memset(many, 'n', LETTERS);
  many[LETTERS] = '\0';
  snprintf(text, TEXT,
           "uint f%s(uint x) { return x + 3; }\n"
           "kernel void k%s(global uint *a%s) {\n  local uint l%s[64];\n"
           "  uint i = get_local_id(0); l%s[i] = a%s[i]; a%s[i] = f%s(l%s[i]);\n}\n",
           many, many, many, many, many, many, many, many, many);
  fresh(text, 3);
  expect("asm kernel.cl -o k.wwo", 0, "");
  struct outcome one = tool("dis kernel.cl --assembly"), other = tool("dis k.wwo --assembly");
  EXPECT_EQ(one.status, 0);
  EXPECT_TRUE(strstr(one.out, many) != NULL);
  EXPECT_TRUE(strcmp(one.out, other.out) == 0); /* too long to be shown */
  outcome_free(&one);
  outcome_free(&other);
  free(many);
  free(text);
}

TEST(opencl, a_load_does_not_wait_for_unread_words_of_another) {
  fresh("kernel void k(global float4 *o) {\n  volatile local float4 *l = 0;\n"
        "  float4 a = l[1], b = l[2];\n  o[0] = a.x + b.x;\n}\n",
        0);
  ct_freed(outcome_free) struct outcome outcome = tool("dis kernel.cl");
  const char *one = strstr(outcome.out, "ld.lds.b128"), *two = one ? strstr(one + 1, "ld.lds.b128") : NULL;
  unsigned first = 0, second = 0;
  if (EXPECT_TRUE(two != NULL)) {
    EXPECT_EQ(sscanf(one, "ld.lds.b128 r%u", &first), 1);
    EXPECT_EQ(sscanf(two, "ld.lds.b128 r%u", &second), 1);
    EXPECT_TRUE(first + 4 <= second || second + 4 <= first);
  }
}

TEST(opencl, program_scope_variables_persist_across_launches_and_have_no_name) {
  fresh("global uint sum = 4;\n"
        "kernel void plus(global uint *data) { atomic_add(&sum, 1); }\n"
        "kernel void get(global uint *data) { data[get_global_id(0)] += sum; }\n",
        68);
  tool_file("l.json", "{ \"buffers\": { \"data\": { \"bytes\": 256, \"fill\": \"iota\" } },\n\"launches\": [\n"
                      "{ \"kernel\": \"plus\", \"global\": [64], \"args\": [ { \"buffer\": \"data\" } ] },\n"
                      "{ \"kernel\": \"get\", \"global\": [64], \"args\": [ { \"buffer\": \"data\" } ] } ],\n"
                      "\"check\": [ { \"buffer\": \"data\", \"expected\": \"good.bin\" } ] }\n");
  expect("run l.json --verify", 0, "");
  ct_freed(outcome_free) struct outcome outcome = tool("run l.json --dump program=x");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_CONTAINS(outcome.err, "--dump: no buffer 'program'");
}

/* ---- registers ----------------------------------------------------------------------------------- */

/* Forty values that are all live until the end. */

TEST(opencl, a_work_group_that_does_not_fit_gets_fewer_registers) {
  /* 1024 registers are 32 per lane for one warp of 32, and 16 for two. */
  static const char run[] = "run kernel.wide.cl --global 64 --arg buffer:a=16384 --report json --optimize 3 ";
  char text[2000], arguments[300], *at = text;
  at += sprintf(at, "kernel void plus(global float *a) {\n  uint i = get_global_id(0);\n");
  for (int i = 0; i < 40; i++)
    at += sprintf(at, "  float v%d = a[%d + i];\n", i, 64 * i);
  at += sprintf(at, "  barrier(CLK_GLOBAL_MEM_FENCE);\n  a[i] = 0");
  for (int i = 0; i < 40; i++)
    at += sprintf(at, " + v%d", 39 - i);
  sprintf(at, ";\n}\n");
  fresh(CT_KERNEL(wide), 0);
  tool_file("kernel.wide.cl", text);
  snprintf(arguments, sizeof arguments, "%s--local 64", run);
  EXPECT_GT(number(arguments, "registers"), 32);
  EXPECT_EQ(number(arguments, "spilled_words"), 0);
  snprintf(arguments, sizeof arguments, "%s--local 64 --set cu.registers=1024", run);
  EXPECT_EQ(number(arguments, "registers"), 16);
  EXPECT_GT(number(arguments, "spilled_words"), 0);
  snprintf(arguments, sizeof arguments, "%s--local 64 --registers 24", run);
  EXPECT_LE(number(arguments, "registers"), 24);
  EXPECT_GT(number(arguments, "spilled_words"), 0);
  struct outcome outcome =
      tool("run kernel.wide.cl --global 64 --local 64 --arg buffer:a=16384 --set cu.registers=1024");
  EXPECT_CONTAINS(outcome.out, "kernel         plus in kernel.wide.cl: registers 16, ");
  EXPECT_CONTAINS(outcome.out, " spilled to fit cu.registers\n");
  outcome_free(&outcome);
}

TEST(opencl, a_work_group_that_does_not_fit_with_16_registers_is_refused) {
  fresh(CT_KERNEL(wide), 0);
  struct outcome outcome =
      tool("run kernel.cl --optimize 0 --global 512 --local 512 --arg buffer:a=131072 --set cu.registers=1024");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_CONTAINS(outcome.err, "--local: a work-group of 16 warps needs ");
  EXPECT_CONTAINS(outcome.err, "more than the 1024 of cu.registers\n");
  outcome_free(&outcome);
}

/* ---- printf -------------------------------------------------------------------------------------- */

static const char talkative[] = "kernel void plus(global uint *data) {\n"
                                "  printf(\"%d.\", (int)get_global_id(0));\n"
                                "  if (get_local_id(0) == 1) printf(\"(%s)\\n\", \"one\");\n"
                                "}\n";

TEST(opencl, output_of_work_items_precedes_the_report_in_their_order) {
  fresh(talkative, 0);
  ct_freed(outcome_free) struct outcome outcome = tool("run kernel.cl --global 4 --local 2 --arg buffer:a=16");
  EXPECT_EQ(strncmp(outcome.out, "0.1.(one)\n2.3.(one)\nkernel         plus", 38), 0);
  tool_again(&outcome, "run kernel.cl --global 3 --local 1 --arg buffer:a=16 --out report.txt");
  EXPECT_STREQ(outcome.out, "0.1.2.\n");
  tool_again(&outcome, "run kernel.cl --global 4 --local 2 --arg buffer:a=16 --report json");
  EXPECT_CONTAINS(outcome.out, "\"printf\": \"0.1.(one)\\n2.3.(one)\\n\"");
  EXPECT_EQ(outcome.out[0], '{');
}

TEST(opencl, the_opencl_version_decides_whether_the_local_size_must_divide_the_global_size) {
  static const struct {
    const char *options;
    int status;
  } rows[] = {
      {"--local 64", 0},
      {"--local 64 --cl-std CL3.0", 0},
      {"--local 64 --cl-std CL1.0", 2},
      {"--local 64 --build-option -cl-std=cl1.1", 2},
      {"--local 64 --build-option -cl-std=CL1.2 --build-option -cl-std=CL2.0", 0},
      {"--local 50 --cl-std CL1.2", 0},
      {"--cl-std CL1.2", 0}, /* the machine chooses a size that divides */
  };
  fresh("kernel void k(void) {}\n", 0);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char arguments[200];
    snprintf(arguments, sizeof arguments, "run kernel.cl -q --global 100 %s", rows[i].options);
    ct_note("%s", arguments);
    ct_freed(outcome_free) struct outcome outcome = tool(arguments);
    EXPECT_EQ(outcome.status, rows[i].status);
  }
}

/* ---- bad input ----------------------------------------------------------------------------------- */

TEST(opencl, bad_programs_are_reported_in_one_line_with_their_place) {
  static const struct {
    const char *kernel, *arguments, *message;
  } rows[] = {
      {"kernel void k(global int *a) {\n  a[0] = x;\n}\n", "run kernel.cl --global 1",
       "kernel.cl:2:10: error: use of undeclared identifier 'x'"},
      {"kernel void k(global int *a) {\n  a[0] = x;\n}\n", "dis kernel.cl",
       "kernel.cl:2:10: error: use of undeclared identifier 'x'"},
      {"#include \"gone.h\"\n", "dis kernel.cl", "kernel.cl:1:10: fatal error: 'gone.h' file not found"},
      {"", "dis kernel.cl", "kernel.cl: has no kernel"},
      {"int f(int x) { return x; }\n", "dis kernel.cl", "kernel.cl: has no kernel"},
      {"kernel void k(void) {}\n", "run kernel.cl", "--global is missing: the number of work-items, X[,Y[,Z]]"},
      {"kernel void k(void) {}\nkernel void l(void) {}\n", "run kernel.cl --global 1",
       "--kernel is missing: 2 kernels are in kernel.cl; legal: k, l"},
      {"kernel void kay(void) {}\nkernel void l(void) {}\n", "run kernel.cl --global 1 --kernel key",
       "--kernel: no kernel 'key' in kernel.cl; did you mean 'kay'?"},
      {"kernel void k(void) {}\n", "run kernel.cl --global 1 --build-option -O3",
       "--build-option: build option '-O3' is not allowed: choose `optimize`, 0 to 3, instead"},
      {"kernel void k(void) {}\n", "run kernel.cl --global 1 --build-option other.cl",
       "--build-option: build option 'other.cl' is not allowed: the program must be the only input"},
      {"kernel void k(void) {}\n", "run kernel.cl --global 1 --cl-std CL9",
       "--cl-std: invalid value 'CL9' in '-cl-std=CL9'; legal: CL1.0, CL1.1, CL1.2, CL2.0, CL3.0"},
      {"kernel void k(void) {}\n", "run kernel.cl --global 100 --local 64 --cl-std CL1.2",
       "--local: 64 x 1 x 1 does not divide the 100 x 1 x 1 work-items, as OpenCL C 1.x and "
       "-cl-uniform-work-group-size require"},
      {"kernel void k(void) {}\n",
       "check kernel.cl --global 8,6 --local 4,4 --build-option -cl-uniform-work-group-size",
       "--local: 4 x 4 x 1 does not divide the 8 x 6 x 1 work-items, as OpenCL C 1.x and "
       "-cl-uniform-work-group-size require"},
      {"kernel void k(float x) {}\n", "run kernel.cl --global 1 --arg int:1",
       "--arg int:1: int (4 bytes) does not fit: the kernel's argument 'x' is a value (f32, 4 bytes)"},
      {"kernel void k(int x) {}\n", "run kernel.cl --global 1",
       "--arg: argument 1, 'x', a value (u32), is missing: kernel 'k' has 1"},
      {"kernel void k(read_only image2d_t i) {}\n", "run kernel.cl --global 1",
       "--arg: argument 1, 'i', an image (image2d), is missing: kernel 'k' has 1"},
      {"kernel void k(read_only image2d_msaa_t i) {}\n", "run kernel.cl --global 1",
       "kernel.cl:1: a cube, a rectangle or a multisampled image as the type of a kernel's argument is not supported"},
      {"kernel void k(void) {\n", "asm kernel.cl", "kernel.cl:1:22: error: expected '}'"},
      {"kernel void k(global int *a);\n", "asm kernel.cl", "kernel.cl: has no kernel"},
      {"int f(int n) {\n  return n ? f(n - 1) : 0;\n}\nkernel void k(global int *a) { a[0] = f(a[1]); }\n",
       "asm kernel.cl", "kernel.cl:2: 'f' calls itself; recursion is not supported"},
      {"int f(int);\nkernel void k(global int *a) {\n  a[0] = f(1);\n}\n", "asm kernel.cl",
       "kernel.cl:3: calls f, which is neither defined nor built in"},
      {"kernel void k(global int *a) {\n  printf(\"%d %d\", a[0]);\n}\n", "asm kernel.cl",
       "kernel.cl:2:15: error: more '%' conversions than data arguments [-Werror,-Wformat-insufficient-args]"},
      {"kernel void k(constant char *f) {\n  printf(f);\n}\n", "asm kernel.cl",
       "kernel.cl:2: the format of printf must be a string literal"},
      {"kernel void k(global int *a, int n) {\n  int x[n];\n  a[0] = x[1];\n}\n", "asm kernel.cl",
       "kernel.cl:2:9: error: variable length arrays are not supported in OpenCL"},
      {"kernel void k(void) {\n  global int x;\n}\n", "asm kernel.cl",
       "kernel.cl:2:14: error: function scope variable cannot be declared in global address space"},
      {"kernel void k(global int *a) {\n  int x[100000000];\n  x[a[0]] = 3;\n  a[1] = x[a[2]];\n}\n", "asm kernel.cl",
       "kernel.cl:2: a private variable of 400000000 bytes; legal: at most 268435456"},
      {"kernel void k(void) {}\n", "run kernel.cl --global 1 -D 1X",
       "-D or --build-option: build option '-D': '1X' is not NAME, NAME=VALUE or NAME(X)=VALUE"},
      {"kernel void k(global int *a) {}\n", "run kernel.cl --global 1 --arg buffer:a=4 --arg int:1",
       "--arg int:1: kernel 'k' has 1 argument"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char whole[400];
    fresh(rows[i].kernel, 0);
    snprintf(whole, sizeof whole, "warpwait: %s\n", rows[i].message);
    expect(rows[i].arguments, 2, whole);
  }
}

TEST(opencl, each_of_several_errors_has_its_own_line) {
  static const char wrong[] = "kernel void k(global int *a) {\n"
                              "  a[0] = x;\n"
                              "  unsigned u = -1.5;\n"
                              "  enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{ a[0] = 1; });\n"
                              "  a[1] = z\n"
                              "}\n";
  fresh(wrong, 0);
  expect("run kernel.cl --global 1", 2,
         "kernel.cl:2:10: error: use of undeclared identifier 'x'\n"
         "kernel.cl:4:18: error: use of undeclared identifier 'get_default_queue'\n"
         "kernel.cl:4:42: error: use of undeclared identifier 'ndrange_1D'\n"
         "kernel.cl:5:11: error: expected ';' after expression\n"
         "kernel.cl:5:10: error: use of undeclared identifier 'z'\n"
         "warpwait: kernel.cl:2:10: error: use of undeclared identifier 'x' (the first of 5 errors)\n");
  ct_freed(outcome_free) struct outcome outcome = tool("run kernel.cl --global 1 --build-option -Wall");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_CONTAINS(outcome.err, "kernel.cl:3:16: warning: implicit conversion");
  EXPECT_CONTAINS(outcome.err, "'z'\nwarpwait: kernel.cl:2:10: ");
}

TEST(opencl, bad_build_keys_name_their_place) {
  static const struct {
    const char *keys, *message;
  } rows[] = {
      {"\"build\": [],", "l.json:1: build: is not an object, { ... }"},
      {"\"build\": { \"sdt\": \"CL2.0\" },", "l.json:1: build.sdt: no such key; did you mean 'std'?"},
      {"\"build\": {\n\"std\": 2 },", "l.json:2: build.std: is not a string"},
      {"\"build\": { \"defines\": [\"N=3\"] },", "l.json:1: build.defines: is not an object, { ... }"},
      {"\"build\": { \"defines\": {\n\"N\": null } },", "l.json:2: build.defines.N: is not a string, a number or true"},
      {"\"build\": { \"include\": \".\" },", "l.json:1: build.include: is not a list, [ ... ]"},
      {"\"build\": { \"extensions\": [\"cl_khr_fp16\", 3] },", "l.json:1: build.extensions[1]: is not a string"},
      {"\"build\": { \"extensions\": [\"cl_khr_fp61\"] },", "l.json:1: build.extensions: no extension 'cl_khr_fp61'"},
      {"\"build\": { \"options\": 3 },", "l.json:1: build.options: is not a list, [ ... ]"},
      {"\"build\": { \"options\": \"-c\" },",
       "l.json:1: build.options: build option '-c' is not allowed: Warpwait decides what clang produces"},
      {"\"build\": { \"registers\": 256 },",
       "l.json:1: build.registers: 256 is not a whole number in [16, 255] registers a lane"},
      {"\"build\": { \"optimize\": 4 },", "l.json:1: build.optimize: 4 is not a whole number in [0, 3]"},
      {"\"build\": { \"without\": \"hoist\" },", "l.json:1: build.without: is not a list, [ ... ]"},
      {"\"build\": { \"without\": [\"meet\"] },",
       "l.json:1: build.without[0]: pass 'meet' cannot be skipped: without it, warps would not meet at barriers"},
      {"\"build\": { \"std\": \"CL9\" },",
       "l.json:1: build.std: invalid value 'CL9' in '-cl-std=CL9'; legal: CL1.0, CL1.1, CL1.2, CL2.0, CL3.0"},
      {"\"build\": { \"defines\": { \"1X\": 2 } },",
       "l.json:1: build.defines.1X: build option '-D': '1X=2' is not NAME, NAME=VALUE or NAME(X)=VALUE"},
      {"\"build\": { \"options\": \"-include gone.h\" },",
       "l.json:1: build: in the options of the build: 'gone.h' file not found"},
      {"\"build\": {\n\"options\": \"-w -O3\" },",
       "l.json:2: build.options: build option '-O3' is not allowed: choose `optimize`, 0 to 3, instead"},
      {"\"build\": {\n\"options\": \"-cl-nope\" },",
       "l.json:2: build.options: build option '-cl-nope' is not allowed: " ACCEPTED},
      {"\"build\": {\n\"options\": \"-cl-std=CL9\" },",
       "l.json:2: build.options: invalid value 'CL9' in '-cl-std=CL9'; legal: CL1.0, CL1.1, CL1.2, CL2.0, CL3.0"},
      {"\"build\": {\n\"extensions\": [\"no name\"] },",
       "l.json:2: build.extensions: 'no name' is not the name of an extension, such as cl_khr_fp16"},
      {"\"program\": \"gone.cl\",", "l.json:1: program: gone.cl: No such file or directory"},
      {"\"program\": \"k.wws\", \"build\": {},", "l.json:1: build: is only for OpenCL C, which 'k.wws' is not"},
      {"\"program\": \"bad.spv\", \"build\": { \"std\": \"CL2.0\" },",
       "l.json:1: program: 'bad.spv' is SPIR-V, which a standard cannot change; only .cl is compiled"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char whole[400];
    fresh(CT_KERNEL(plus), 0);
    tool_file("bad.spv", "this is no SPIR-V\n");
    launch_with(rows[i].keys);
    ct_note("%s", rows[i].keys);
    snprintf(whole, sizeof whole, "warpwait: %s\n", rows[i].message);
    expect("run l.json", 2, whole);
  }
}

/* Build options of the command line are named as such, with or without a launch file that adds more. */
TEST(opencl, bad_build_options_name_the_option) {
  static const struct {
    const char *arguments, *message;
  } rows[] = {
      {"run l.json --cl-std CL8",
       "--cl-std: invalid value 'CL8' in '-cl-std=CL8'; legal: CL1.0, CL1.1, CL1.2, CL2.0, CL3.0"},
      {"run l.json --build-option -cl-foo", "--build-option: build option '-cl-foo' is not allowed: " ACCEPTED},
      {"run kernel.cl --global 4 --build-option -O3",
       "--build-option: build option '-O3' is not allowed: choose `optimize`, 0 to 3, instead"},
      {"dis kernel.cl --build-option -cl-foo", "--build-option: build option '-cl-foo' is not allowed: " ACCEPTED},
      {"asm kernel.cl -D 1X=2",
       "-D or --build-option: build option '-D': '1X=2' is not NAME, NAME=VALUE or NAME(X)=VALUE"},
  };
  fresh(CT_KERNEL(plus), 0);
  launch_with("\"build\": { \"options\": \"-w\", \"std\": \"CL2.0\" },");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char whole[400];
    snprintf(whole, sizeof whole, "warpwait: %s\n", rows[i].message);
    ct_note("%s", rows[i].arguments);
    expect(rows[i].arguments, 2, whole);
  }
}

TEST(opencl, spir_v_is_written_on_request_even_if_it_cannot_be_lowered) {
  fresh(CT_KERNEL(plus), 7);
  expect("asm kernel.cl --spirv k.spv", 0, "");
  launch_with("\"program\": \"k.spv\",");
  expect("run l.json --verify", 0, "");
  tool_file("bad.cl", "int f(int);\nkernel void k(global int *a) { a[0] = f(1); }\n");
  expect("asm bad.cl --spirv bad.spv", 2, "warpwait: bad.cl:2: calls f, which is neither defined nor built in\n");
  EXPECT_TRUE(tool_exists("bad.spv"));
  tool_file("k.wws", ".kernel k\n  exit\n");
  expect("asm k.wws --spirv none.spv", 2, "warpwait: --spirv: 'k.wws' has no SPIR-V; only .cl is compiled to SPIR-V\n");
  EXPECT_TRUE(!tool_exists("none.spv"));
  expect("asm kernel.cl --spirv none/k.spv", 2, "warpwait: none/k.spv: cannot be written: No such file or directory\n");
}

TEST(opencl, truncated_or_foreign_spir_v_is_reported_by_what_it_lacks) {
  enum { MAGIC = 0x07230203, MEMORY_MODEL = 3 << 16 | 14 };
  static const struct {
    uint32_t word[8];
    size_t bytes;
    const char *message;
  } rows[] = {
      {{0x464c457f}, 32, "not a SPIR-V file, which begins with the number 0x07230203"},
      {{MAGIC, 0x10000}, 8, "cut off: SPIR-V has a whole number of 4-byte words, at least five"},
      {{MAGIC, 0x10000, 0, 20}, 31, "cut off: SPIR-V has a whole number of 4-byte words, at least five"},
      {{MAGIC, 0x10000, 0, 20}, 20, "not for OpenCL: OpMemoryModel with physical addresses, as in spir64, is missing"},
      {{MAGIC, 0x10000, 0, 20, 0, MEMORY_MODEL, 0, 1},
       32,
       "not for OpenCL: OpMemoryModel with physical addresses, as in spir64, is missing"},
      {{MAGIC, 0x10000, 0, 20, 0, MEMORY_MODEL, 1, 2}, 32, "made for 32-bit addresses; compile it for spir64"},
      {{MAGIC, 0x10000, 0, 20, 0, MEMORY_MODEL, 2, 2}, 32, "has no kernel"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char whole[200];
    fresh(CT_KERNEL(plus), 0);
    tool_bytes("k.spv", rows[i].word, rows[i].bytes);
    snprintf(whole, sizeof whole, "warpwait: k.spv: %s\n", rows[i].message);
    expect("run k.spv --global 1", 2, whole);
  }
}

TEST(opencl, every_instruction_up_to_the_last_exit_has_a_source_line) {
  fresh(CT_KERNEL(every_instruction_up_to), 0);
  ct_freed(outcome_free) struct outcome outcome = tool("dis kernel.cl");
  EXPECT_TRUE(!strstr(outcome.out, "(no source line)"));
  EXPECT_CONTAINS(outcome.out, "\nkernel.cl:6: }\n");
}

TEST(opencl, bad_spir_v_is_reported_in_one_line) {
  static const char *const rows[] = {"", "this is no SPIR-V\n", "\3\2\43\7", "\3\2\43\7garbage that follows a magic"};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    fresh(CT_KERNEL(plus), 0);
    tool_file("bad.spv", rows[i]);
    ct_freed(outcome_free) struct outcome outcome = tool("run bad.spv --global 1");
    ct_note("row %zu: %s", i, outcome.err);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_CONTAINS(outcome.err, "warpwait: bad.spv");
    EXPECT_EQ(strcspn(outcome.err, "\n") + 1, strlen(outcome.err));
  }
}

/* ---- how much is optimized ----------------------------------------------------------------------- */

static const char mixing[] = "kernel void mix(global uint *a, uint b, uint c) {\n"
                             "  uint i = get_global_id(0);\n"
                             "  a[i] = ((i & b) ^ (~i & c)) + b - c;\n"
                             "}\n";

TEST(opencl, levels_passes_and_machines_change_the_code) {
  static const struct {
    const char *options;
    bool lop3;
  } rows[] = {{"--machine h200", true},
              {"--machine h200 --optimize 1", true},
              {"--machine h200 --optimize 0", false},
              {"--machine h200 --without hoist,fuse", false},
              {"--machine h200 --without hoist", true},
              {"--machine h200 --build-option -cl-opt-disable", false},
              {"--machine h200 --build-option -cl-opt-disable --optimize 2", true},
              {"--machine h200 --set isa.lop3=off", false},
              {"--set isa.lop3=on", true},
              {"", false}};
  fresh(mixing, 0);
  tool_file("kernel.mix.cl", mixing);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char command[200];
    snprintf(command, sizeof command, "dis kernel.mix.cl %s", rows[i].options);
    ct_freed(outcome_free) struct outcome outcome = tool(command);
    ct_note("%s", command);
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(strstr(outcome.out, "lop3.b32") != NULL, rows[i].lop3);
  }
}

/* The same result, with fewer instructions on a machine that has them. */
TEST(opencl, a_launch_runs_code_compiled_for_its_machine) {
  static const char run[] = "run kernel.mix.cl --global 64 --arg buffer:a=256 --arg uint:5 --arg uint:9 --report json ";
  char one[400], other[400];
  fresh(mixing, 0);
  tool_file("kernel.mix.cl", mixing);
  snprintf(one, sizeof one, "%s--set isa.lop3=on --set isa.add3=on --dump a=on.bin", run);
  snprintf(other, sizeof other, "%s--dump a=off.bin", run);
  EXPECT_EQ(number(other, "warp_instructions") - number(one, "warp_instructions"), 2 * 4); /* two warps, four less */
  struct outcome outcome = tool("explain kernel.mix.cl --global 64 --arg buffer:a=256 --arg uint:5 --arg uint:9 "
                                "--no-changes --set isa.lop3=on");
  EXPECT_EQ(outcome.status, 0);
  outcome_free(&outcome);
}

TEST(opencl, effects_of_passes_are_shown_line_by_line) {
  fresh(mixing, 0);
  tool_file("kernel.mix.cl", mixing);
  ct_freed(outcome_free) struct outcome outcome = tool("dis kernel.mix.cl --machine h200 --explain-passes");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_CONTAINS(outcome.out, "kernel.mix.cl:3:   a[i] = ((i & b) ^ (~i & c)) + b - c;\n");
  EXPECT_CONTAINS(outcome.out, "  fuse                        lop3.b32 with table 0x");
  EXPECT_CONTAINS(outcome.out, "\n  fuse       Fuses logic and sums of three values");
  tool_again(&outcome, "dis kernel.mix.cl --optimize 0 --machine h200 --explain-passes");
  EXPECT_TRUE(!strstr(outcome.out, "fuse"));
}

TEST(opencl, a_hazard_of_an_unrolled_line_is_one_hazard) {
  fresh(mixing, 0);
  tool_file("over.cl", "kernel void f(global int *out, local int *t) {\n  for (int i = 0; i < 8; i++)\n"
                       "    t[get_local_id(0) * 64 + 3 * i] = i;\n  out[get_global_id(0)] = t[0];\n}\n");
  ct_freed(outcome_free) struct outcome outcome =
      tool("run over.cl --global 64 --local 64 --arg buffer:out=256 --arg local:64");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_CONTAINS(outcome.out, "hazard M1-access-out-of-bounds at over.cl:3, 16 times at 8 instructions: ");
  EXPECT_CONTAINS(outcome.err, "warpwait: 1 hazard, the first at over.cl:3: M1-access-out-of-bounds\n");
}
