/* From OpenCL C to SPIR-V: the tools' command lines and messages, and the cache. */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "opencl/clang/cache.h"
#include "opencl/clang/key.h"
#include "opencl/opencl.h"
#include "sim/base/file.h"
#include "tests/ct.h"
#include "tests/kernels.h"

#define ACCEPTED                                                                                                       \
  "legal: -D, -U, -I, -include, -isystem, -iquote, -cl-std=, OpenCL's other -cl-..., -w, -W..., -f... of floating "    \
  "point"

/* ---- the test's own folder, with the cache and temporary files in it --------------------------------- */

enum { FIRST = 600 }; /* room for the path of a file */

static char folder[64];

static char *path_of(const char *name) {
  static char path[4][256];
  static unsigned turn;
  snprintf(path[turn = (turn + 1) % 4], sizeof path[0], "%s/%s", folder, name);
  return path[turn];
}

static void remove_all(void) {
  char command[128];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  if (system(command) != 0)
    perror(command);
}

static void write_text(const char *name, const char *text) {
  FILE *file = fopen(path_of(name), "w");
  if (!file || fputs(text, file) < 0 || fclose(file) != 0)
    abort();
}

/* Counts the files of a sub-folder; copies the first one's path to `first` unless it is NULL. */
static unsigned files_in(const char *name, char *first) {
  unsigned count = 0;
  DIR *directory = opendir(path_of(name));
  for (struct dirent *at; directory && (at = readdir(directory));)
    if (at->d_name[0] != '.' && !count++ && first)
      snprintf(first, FIRST, "%s/%s", path_of(name), at->d_name);
  if (directory)
    closedir(directory);
  return count;
}

static void fresh(void) {
  if (*folder) {
    remove_all();
    mkdir(folder, 0700);
  } else {
    strcpy(folder, "/tmp/warpwait-clang-XXXXXX");
    if (!mkdtemp(folder))
      abort();
    atexit(remove_all);
  }
  mkdir(path_of("tmp"), 0700);
  setenv("TMPDIR", path_of("tmp"), 1);
  setenv("WARPWAIT_CACHE", path_of("cache"), 1);
  unsetenv("WARPWAIT_CLANG");
  if (chdir(folder) != 0)
    abort();
}

/* A stand-in for a tool. */
static void write_script(const char *variable, const char *name, const char *text) {
  write_text(name, text);
  chmod(path_of(name), 0700);
  setenv(variable, path_of(name), 1);
}

/* clang with a wrapper that adds a line to "log" for each run that compiles. */
static void count_compilations(void) {
  write_script("WARPWAIT_CLANG", "compiler",
               "#!/bin/sh\ncase \"$*\" in *-emit-llvm*) echo run >>log ;; esac\nexec clang-15 \"$@\"\n");
}

static unsigned compilations(void) {
  unsigned lines = 0;
  FILE *file = fopen(path_of("log"), "r");
  for (int c; file && (c = fgetc(file)) != EOF;)
    lines += c == '\n';
  if (file)
    fclose(file);
  return lines;
}

static struct isa_error failure;

/* Compiles. Returns the size of the SPIR-V; 0 with `failure` filled on errors. */
static size_t compile(const char *path, const struct opencl_build *build) {
  ct_freed(ct_free) uint8_t *spirv = NULL;
  size_t size = 0;
  failure.text[0] = '\0';
  bool good = opencl_compile(path, build, &spirv, &size, &failure);
  if (good && (size < 20 || memcmp(spirv, "\3\2\43\7", 4) != 0))
    ct_true(false, "the result starts as SPIR-V does", __FILE__, __LINE__);
  EXPECT_EQ(files_in("tmp", NULL), 0);
  return good ? size : 0;
}

static bool holds(const char *path, const struct opencl_build *build, const char *text) {
  ct_freed(ct_free) uint8_t *spirv = NULL;
  size_t size = 0;
  bool found = opencl_compile(path, build, &spirv, &size, &failure) && memmem(spirv, size, text, strlen(text));
  return found;
}

/* ---- programs ------------------------------------------------------------------------------------ */

TEST(clang, compiles_and_leaves_no_files) {
  fresh();
  write_text("k.cl", CT_KERNEL(kernel));
  EXPECT_GT(compile("k.cl", &(struct opencl_build){.no_cache = true}), 0);
  EXPECT_STREQ(failure.text, "");
  EXPECT_EQ(files_in("cache", NULL), 0);
}

TEST(clang, options_reach_the_compiler) {
  static const char *const defines[] = {"N=3", "FLAG", NULL}, *const includes[] = {"inc", NULL};
  static const char *const extensions[] = {"cl_khr_fp16", "cl_khr_extended_async_copies", NULL};
  static const char *const newer[] = {"-cl-std=CL3.0", "-D",         "OPTION=7", "-U",  "NONE",    "-I",  "inc",
                                      "-include",      "inc/part.h", "-isystem", "inc", "-iquote", "inc", NULL};
  fresh();
  mkdir(path_of("inc"), 0700);
  write_text("inc/part.h", "#define PART 1\n");
  write_text("k.cl", "#include \"part.h\"\n#if N == 3 && FLAG && PART && OPTION == 7 && __OPENCL_C_VERSION__ == 300\n"
                     "kernel void right(global half *a) { a[0] += 1; }\n#endif\n");
  const struct opencl_build build = {
      .standard = "CL1.2", .defines = defines, .includes = includes, .extensions = extensions, .options = newer};
  EXPECT_TRUE(holds("k.cl", &build, "right"));
  EXPECT_STREQ(failure.text, "");
}

TEST(clang, extended_copies_are_declared_and_line_numbers_stay) {
  static const char text[] = "kernel void k(global int *a, local int *l) {\n"
                             "  event_t e = async_work_group_copy_2D2D(l, 0, a, 0, 4, 4, 4, 8, 4, (event_t)0);\n"
                             "  e = async_work_group_copy_3D3D(a, 0, l, 0, 4, 4, 4, 2, 8, 4, 8, 8, e);\n"
                             "  async_work_group_copy_fence(CLK_LOCAL_MEM_FENCE);\n"
                             "  wait_group_events(1, &e);\n";
  static const char *const names[] = {"_Z26async_work_group_copy_2D2DPU3AS3vmPU3AS1Kvmmmmmm9ocl_event",
                                      "_Z26async_work_group_copy_3D3DPU3AS1vmPU3AS3Kvmmmmmmmmm9ocl_event",
                                      "_Z27async_work_group_copy_fencej"};
  char whole[1000];
  fresh();
  snprintf(whole, sizeof whole, "%s}\n", text);
  write_text("k.cl", whole);
  for (size_t i = 0; i < 3; i++)
    EXPECT_TRUE(holds("k.cl", &(struct opencl_build){0}, names[i]));
  snprintf(whole, sizeof whole, "%s  x = 1;\n}\n", text);
  write_text("k.cl", whole);
  EXPECT_EQ(compile("k.cl", &(struct opencl_build){0}), 0);
  EXPECT_STREQ(failure.text, "k.cl:6:3: error: use of undeclared identifier 'x'");
}

TEST(clang, scalar_constants_can_be_read_as_vectors) {
  fresh();
  write_text("k.cl", CT_KERNEL(scalar_constants_can_be));
  EXPECT_GT(compile("k.cl", &(struct opencl_build){0}), 0);
  EXPECT_STREQ(failure.text, "");
}

/* ---- messages ------------------------------------------------------------------------------------ */

static char heard[1000];

static void hear(void *self, const char *line) {
  (void)self;
  snprintf(heard + strlen(heard), sizeof heard - strlen(heard), "%s|", line);
}

TEST(clang, say_is_called_for_several_errors_and_for_requested_warnings) {
  static const char *const all[] = {"-Wall", NULL};
  static const struct {
    const char *text, *lines;
    const char *const *options;
  } rows[] = {
      {"kernel void k(global int *a) {\n  a[0] = x;\n  a[1] = y;\n}\n",
       "k.cl:2:10: error: use of undeclared identifier 'x'|k.cl:3:10: error: use of undeclared identifier 'y'|", NULL},
      {"kernel void k(global int *a) {\n  a[0] = x;\n}\n", "", NULL}, /* the message already has it */
      {"kernel void k(global int *a) {\n  int x;\n}\n", "k.cl:2:7: warning: unused variable 'x' [-Wunused-variable]|",
       all},
      {"kernel void k(global int *a) {\n#line 7 \"\x1b[2J\tk.cl\"\n  a[0] = x;\n  a[1] = y;\n}\n",
       "\\x1b[2J\tk.cl:7:10: error: use of undeclared identifier 'x'|"
       "\\x1b[2J\tk.cl:8:10: error: use of undeclared identifier 'y'|",
       NULL},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    fresh();
    write_text("k.cl", rows[i].text);
    ct_note("%s", rows[i].text);
    *heard = '\0';
    compile("k.cl", &(struct opencl_build){.options = rows[i].options, .say = hear});
    EXPECT_STREQ(heard, rows[i].lines);
    compile("k.cl", &(struct opencl_build){.options = rows[i].options}); /* without say() */
  }
}

/* Also if an earlier compilation could have been cached. Variables that are set on some paths or in parts are right. */
TEST(clang, variables_that_are_not_initialized_are_warned_of_each_time) {
  static const char *const none[] = {"-w", NULL}, *const no[] = {"-Wno-uninitialized", NULL};
  static const char *const strict[] = {"-Werror", NULL}, *const all[] = {"-Wall", "-Werror", NULL};
  static const char warning[] = "k.cl:2:34: warning: variable 'x' is uninitialized when used here [-Wuninitialized]|";
  static const char error[] =
      "k.cl:2:34: error: variable 'x' is uninitialized when used here [-Werror,-Wuninitialized]|";
  static const struct {
    const char *const *options;
    const char *line;
  } rows[] = {{NULL, warning}, {none, ""}, {no, ""}, {strict, warning}, {all, error}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    fresh();
    write_text("k.cl", "kernel void k(global int *a) {\n  int x, y; y = a[1]; a[0] = y + x;\n}\n");
    for (int again = 0; again < 2; again++) {
      *heard = '\0';
      EXPECT_EQ(compile("k.cl", &(struct opencl_build){.options = rows[i].options, .say = hear}) > 0,
                rows[i].line != error);
      EXPECT_TRUE(*rows[i].line ? strstr(heard, rows[i].line) == heard : !*heard); /* clang's notes may follow */
    }
  }
  fresh();
  *heard = '\0';
  write_text("k.cl", CT_KERNEL(variables_that_are_not));
  EXPECT_TRUE(compile("k.cl", &(struct opencl_build){.say = hear}));
  EXPECT_STREQ(heard, "");
}

TEST(clang, errors_are_in_clangs_words) {
  static const struct {
    const char *text, *message;
  } rows[] = {
      {"kernel void k(global int *a) {\n  a[0] = x;\n}\n", "k.cl:2:10: error: use of undeclared identifier 'x'"},
      {"kernel void k(global int *a) {\n  a[0] = x;\n  a[1] = y;\n  a[2] = z;\n}\n",
       "k.cl:2:10: error: use of undeclared identifier 'x' (the first of 3 errors)"},
      {"kernel void k(global int *a, local int *l) {\n  event_t e[2] = {0, 0};\n"
       "  e[0] = e[1] = async_work_group_copy(l, a, 16, 0);\n  wait_group_events(2, e);\n}\n",
       "k.cl:2:18: error: cannot compile this aggregate expression yet; declare an array of events without a value, "
       "and "
       "assign its elements"},
      {"\nchannel int c __attribute__((depth(8)));\n", "k.cl:2:1: error: unknown type name 'channel'; channels need "
                                                       "#pragma OPENCL EXTENSION cl_intel_channels : enable"},
      {"kernel void k(global int *a) {\n  a[0] = read_channel_altera(a);\n}\n",
       "k.cl:2:10: error: use of undeclared identifier 'read_channel_altera'; channels need #pragma OPENCL EXTENSION "
       "cl_intel_channels : enable"},
      {"#include \"none.h\"\n", "k.cl:1:10: fatal error: 'none.h' file not found"},
      {"\n#error not today\n", "k.cl:2:2: error: not today"},
      {"#include \"bad.h\"\n", "./bad.h:2:1: error: unknown type name 'nonsense'"},
      {"kernel int k(void) { return 0; }\n", "k.cl:1:12: error: kernel must have void return type"},
      {"kernel void k(global int *a) {\n  a[0] = 1\n}\n", "k.cl:2:11: error: expected ';' after expression"},
      {"kernel void k(global int *a) {\n  printf(\"%d %d\", a[0]);\n}\n",
       "k.cl:2:15: error: more '%' conversions than data arguments [-Werror,-Wformat-insufficient-args]"},
      {"kernel void k(global int *a) {\n  __asm__(\"nop\");\n}\n",
       "k.cl:2:10: error: GNU-style inline assembly is disabled"},
      {"kernel void k(int *a) {}\n",
       "k.cl:1:20: error: pointer arguments to kernel functions must reside in '__global', '__constant' or '__local' "
       "address space"},
  };
  fresh();
  write_text("bad.h", "\nnonsense x;\n");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    write_text("k.cl", rows[i].text);
    EXPECT_EQ(compile("k.cl", &(struct opencl_build){0}), 0);
    EXPECT_STREQ(failure.text, rows[i].message);
  }
}

/* Macros must not promise refused features, so that a portable kernel takes its other branch. */
TEST(clang, macros_promise_only_what_is_supported) {
  static const char *const standards[] = {"CL1.2", "CL2.0", "CL3.0"};
  fresh();
  write_text("k.cl", CT_KERNEL(macros_promise_only_what));
  for (size_t i = 0; i < sizeof standards / sizeof *standards; i++)
    EXPECT_GT(compile("k.cl", &(struct opencl_build){.standard = standards[i]}), 0);
}

TEST(clang, the_path_in_an_error_is_the_one_given) {
  char whole[200];
  fresh();
  mkdir(path_of("below"), 0700);
  write_text("below/k.cl", "x\n");
  write_text("@k.cl", "y\n");
  snprintf(whole, sizeof whole, "%s:1:1: error: unknown type name 'x'", path_of("below/k.cl"));
  EXPECT_EQ(compile("below/k.cl", &(struct opencl_build){0}), 0);
  EXPECT_CONTAINS(failure.text, "below/k.cl:1:1: error: unknown type name 'x'");
  EXPECT_EQ(compile(path_of("below/k.cl"), &(struct opencl_build){0}), 0);
  EXPECT_CONTAINS(failure.text, whole);
  EXPECT_EQ(compile("@k.cl", &(struct opencl_build){0}), 0);
  EXPECT_CONTAINS(failure.text, "@k.cl:1:1: error: unknown type name 'y'");
  EXPECT_EQ(compile("none.cl", &(struct opencl_build){0}), 0);
  EXPECT_STREQ(failure.text, "none.cl: No such file or directory");
}

TEST(clang, options_that_would_break_the_pipeline_are_refused_by_name) {
  static const struct {
    const char *word, *message;
  } rows[] = {
      {"-o", "k.cl: build option '-o' is not allowed: Warpwait decides what clang produces"},
      {"-c", "k.cl: build option '-c' is not allowed: Warpwait decides what clang produces"},
      {"-S", "k.cl: build option '-S' is not allowed: Warpwait decides what clang produces"},
      {"-emit-llvm", "k.cl: build option '-emit-llvm' is not allowed: Warpwait decides what clang produces"},
      {"-target", "k.cl: build option '-target' is not allowed: the target is always spir64"},
      {"-O3", "k.cl: build option '-O3' is not allowed: choose `optimize`, 0 to 3, instead"},
      {"-x", "k.cl: build option '-x' needs a value"},
      {"-xc++", "k.cl: build option '-x': 'c++' is not cl, clc++ or clcpp"},
      {"--language=cl", "k.cl: build option '--language=cl' is not allowed: use -cl-std"},
      {"-xcl", ""},
      {"@words", "k.cl: build option '@words' is not allowed: files of options are not allowed"},
      {"other.cl", "k.cl: build option 'other.cl' is not allowed: the program must be the only input"},
      {"-D", "k.cl: build option '-D' needs a value"},
      {"-Wp,-MD,stolen",
       "k.cl: build option '-Wp,-MD,stolen' is not allowed: options that bypass clang's driver are not allowed"},
      {"--serialize-diagnostics=x", "k.cl: build option '--serialize-diagnostics=x' is not allowed: " ACCEPTED},
      {"-ffp-contract=off", ""},
      {"-cl-nonsense", "k.cl: build option '-cl-nonsense' is not allowed: " ACCEPTED},
      {"-cl-std=CL7", "k.cl: invalid value 'CL7' in '-cl-std=CL7'; legal: CL1.0, CL1.1, CL1.2, CL2.0, CL3.0"},
      {"-D1X", "k.cl: build option '-D': '1X' is not NAME, NAME=VALUE or NAME(X)=VALUE"},
      {"-include=none.h", "k.cl: in the options of the build: '=none.h' file not found"},
      {"-Werror", ""},
      {"-cl-fast-relaxed-math", ""},
      {"-w", ""},
      {"-DX=1", ""},
      {"-cl-mad-enable", ""},
  };
  fresh();
  write_text("k.cl", CT_KERNEL(kernel));
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const char *const words[] = {rows[i].word, NULL};
    bool good = compile("k.cl", &(struct opencl_build){.options = words});
    EXPECT_EQ(good, !*rows[i].message);
    EXPECT_STREQ(failure.text, rows[i].message);
  }
}

TEST(clang, unknown_extensions_are_reported_by_name) {
  static const char *const unknown[] = {"cl_khr_fp16", "cl_khr_fp61", NULL}, *const odd[] = {"fp16;", NULL};
  fresh();
  write_text("k.cl", CT_KERNEL(kernel));
  EXPECT_EQ(compile("k.cl", &(struct opencl_build){.extensions = unknown}), 0);
  EXPECT_STREQ(failure.text, "k.cl: no extension 'cl_khr_fp61'");
  EXPECT_EQ(compile("k.cl", &(struct opencl_build){.extensions = odd}), 0);
  EXPECT_STREQ(failure.text, "k.cl: 'fp16;' is not the name of an extension, such as cl_khr_fp16");
}

TEST(clang, channels_can_be_enabled_for_a_program_without_the_pragma) {
  static const char *const intel[] = {"cl_intel_channels", NULL}, *const altera[] = {"cl_altera_channels", NULL},
                           *const other[] = {"cl_khr_fp16", NULL};
  fresh();
  write_text("k.cl", "channel int c;\nkernel void k(void) { write_channel_intel(c, 1); }\n");
  EXPECT_GT(compile("k.cl", &(struct opencl_build){.extensions = intel}), 0);
  EXPECT_GT(compile("k.cl", &(struct opencl_build){.extensions = altera}), 0);
  EXPECT_EQ(compile("k.cl", &(struct opencl_build){.extensions = other}), 0);
  EXPECT_CONTAINS(failure.text, "channels need #pragma OPENCL EXTENSION cl_intel_channels : enable");
}

/* A program in bin that writes its name to a log and runs clang 15 from the usual path. */
static void write_clang(const char *name, const char *path) {
  char file[64], script[2 * PATH_MAX];
  snprintf(file, sizeof file, "bin/%s", name);
  snprintf(script, sizeof script, "#!/bin/sh\necho %s >>%s\nPATH='%s' exec clang-15 \"$@\"\n", name, path_of("log"),
           path);
  write_text(file, script);
  chmod(path_of(file), 0700);
}

static void expect_compiler(const char *name) {
  char *log = NULL;
  size_t size = 0;
  EXPECT_GT(compile("k.cl", &(struct opencl_build){.no_cache = true}), 0);
  EXPECT_STREQ(failure.text, "");
  EXPECT_TRUE(!file_read_regular(path_of("log"), 1 << 16, &log, &size));
  EXPECT_CONTAINS(log, name);
  free(log);
  remove(path_of("log"));
}

TEST(clang, the_newest_compiler_on_the_path_is_used) {
  char before[PATH_MAX];
  snprintf(before, sizeof before, "%s", getenv("PATH"));
  fresh();
  write_text("k.cl", CT_KERNEL(kernel));
  mkdir(path_of("bin"), 0700);
  setenv("PATH", path_of("bin"), 1);
  EXPECT_EQ(compile("k.cl", &(struct opencl_build){0}), 0);
  EXPECT_CONTAINS(failure.text, "k.cl: clang-15 is not installed: ");
  write_clang("clang", before);
  expect_compiler("clang\n");
  write_clang("clang-17", before);
  expect_compiler("clang-17\n");
  write_clang("clang-21", before);
  expect_compiler("clang-21\n");
  write_clang("clang-15", before);
  expect_compiler("clang-15\n");
  setenv("PATH", before, 1);
}

/* A module of each target, as bitcode. */
TEST(clang, bitcode_is_printed_for_the_target_that_it_was_made_for) {
  static const char *const modules[] = {
      "target triple = \"spir64\"\n"
      "define spir_kernel void @k(ptr addrspace(1) %p) {\n  store i32 7, ptr addrspace(1) %p\n  ret void\n}\n",
      "target triple = \"nvptx64\"\ndeclare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
      "define ptx_kernel void @k(ptr addrspace(1) %p) {\n  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
      "  store i32 %i, ptr addrspace(1) %p\n  ret void\n}\n",
      "target triple = \"amdgcn\"\ndeclare i32 @llvm.amdgcn.workitem.id.x()\n"
      "define amdgpu_kernel void @k(ptr addrspace(1) %p) {\n  %i = call i32 @llvm.amdgcn.workitem.id.x()\n"
      "  store i32 %i, ptr addrspace(1) %p\n  ret void\n}\n"};
  for (size_t i = 0; i < sizeof modules / sizeof *modules; i++) {
    char command[FIRST + 128], *data = NULL;
    size_t size = 0;
    fresh();
    write_text("k.ll", modules[i]);
    snprintf(command, sizeof command, "clang-15 -Xclang -opaque-pointers -w -x ir -emit-llvm -c -o %s %s",
             path_of("k.bc"), path_of("k.ll"));
    EXPECT_EQ(system(command), 0);
    EXPECT_TRUE(!file_read_regular(path_of("k.bc"), 1 << 20, &data, &size));
    EXPECT_TRUE(llvm_is_bitcode((const uint8_t *)data, size));
    const struct opencl_bitcode bitcode = {data, size};
    ct_note("module %zu", i);
    EXPECT_TRUE(holds("k.bc", &(struct opencl_build){.bitcode = &bitcode}, "k"));
    EXPECT_TRUE(holds("k.bc", &(struct opencl_build){.bitcode = &bitcode}, "k")); /* from the cache */
    for (size_t at = 4; at < size; at += 37)
      data[at] ^= 0x55;
    EXPECT_EQ(compile("k.bc", &(struct opencl_build){.bitcode = &bitcode}), 0);
    EXPECT_CONTAINS(failure.text, "k.bc: ");
    free(data);
  }
}

TEST(clang, missing_and_crashing_tools_are_named) {
  fresh();
  write_text("k.cl", CT_KERNEL(kernel));
  setenv("WARPWAIT_CLANG", "clang-of-another-day", 1);
  EXPECT_EQ(compile("k.cl", &(struct opencl_build){0}), 0);
  EXPECT_STREQ(failure.text, "k.cl: clang-of-another-day is not installed: apt-get install clang-15, or give "
                             "a .spv or .ll file");
  write_script("WARPWAIT_CLANG", "broken", "#!/bin/sh\necho 'no such plugin' >&2\nexit 7\n");
  EXPECT_EQ(compile("k.cl", &(struct opencl_build){0}), 0);
  EXPECT_CONTAINS(failure.text, "/broken failed with exit status 7: no such plugin");
  write_script("WARPWAIT_CLANG", "broken", "#!/bin/sh\necho 'Assertion x failed.' >&2\nkill -ABRT $$\n");
  EXPECT_EQ(compile("k.cl", &(struct opencl_build){0}), 0);
  EXPECT_CONTAINS(failure.text, "/broken was killed by signal 6: Assertion x failed.");
  write_script("WARPWAIT_CLANG", "broken",
               "#!/bin/sh\nexec >&2\necho 'PLEASE submit a bug report'\necho 'Stack dump:'\nprintf '0.\\tProgram "
               "arguments: x\\n'\n"
               "echo ' #0 0x1234'\nkill -SEGV $$\n");
  EXPECT_EQ(compile("k.cl", &(struct opencl_build){0}), 0);
  EXPECT_CONTAINS(failure.text, "/broken was killed by signal 11: it gives no reason; it cannot compile something");
}

/* ---- the cache ------------------------------------------------------------------------------------ */

TEST(cache, a_program_is_compiled_once) {
  static const char *const define[] = {"N=1", NULL}, *const loud[] = {"-Wall", NULL};
  fresh();
  count_compilations();
  write_text("k.cl", CT_KERNEL(kernel));
  size_t size = compile("k.cl", &(struct opencl_build){0});
  EXPECT_EQ(compile("k.cl", &(struct opencl_build){0}), size);
  EXPECT_EQ(compilations(), 1);
  EXPECT_EQ(compile("k.cl", &(struct opencl_build){.no_cache = true}), size);
  EXPECT_EQ(compilations(), 2);
  EXPECT_EQ(compile("k.cl", &(struct opencl_build){.options = loud}), size);
  EXPECT_EQ(compile("k.cl", &(struct opencl_build){.options = loud}), size);
  EXPECT_EQ(compilations(), 4); /* warnings need a run of the compiler */
  compile("k.cl", &(struct opencl_build){.defines = define});
  compile(path_of("k.cl"), &(struct opencl_build){0}); /* another path, other debug lines */
  EXPECT_EQ(compilations(), 6);
}

TEST(cache, another_tool_gives_another_result) {
  fresh();
  count_compilations();
  write_text("k.cl", CT_KERNEL(kernel));
  compile("k.cl", &(struct opencl_build){0});
  write_script("WARPWAIT_CLANG", "other", "#!/bin/sh\necho run >>log\nexec clang-15 \"$@\"\n");
  compile("k.cl", &(struct opencl_build){0});
  EXPECT_EQ(compilations(), 2);
}

TEST(cache, included_text_is_part_of_the_key) {
  fresh();
  count_compilations();
  write_text("part.h", "#define PART 1\n");
  write_text("k.cl", "#include \"part.h\"\nkernel void k(global int *a) { a[0] = PART; }\n");
  compile("k.cl", &(struct opencl_build){0});
  write_text("part.h", "#define PART 2\n");
  compile("k.cl", &(struct opencl_build){0});
  EXPECT_EQ(compilations(), 2);
  write_text("part.h", "#define PART 1\n");
  compile("k.cl", &(struct opencl_build){0});
  EXPECT_EQ(compilations(), 2);
}

/* If it did not return false, the text of the included file would not count. */
TEST(cache, a_text_is_whole_if_it_includes_nothing) {
  static const char *const plain[] = {"-DN=1", "-Ifolder", NULL}, *const more[] = {"-include", "part.h", NULL};
  static const struct {
    const char *text;
    bool whole;
  } cases[] = {
      {"kernel void k() {}", true},
      {"#define A \\\n 1\n", true},
      {"# include <a.h>", false},
      {"#inc\\\nlude <a.h>", false},
      {"#i\\\n\\ \t\r\nnclude <a.h>", false},
      {"#inc\?\?/\nlude <a.h>", false},
      {"#inc\\\rlude <a.h>", false},
      {"#inc\\\n\rlude <a.h>", false},
      {"#define P(a, b) a##b\n#if P(__has_inc, lude)(<a.h>)", false},
      {"#define P(a, b) a%:%:b\n#if P(__has_inc, lude)(<a.h>)", false},
      {"#define P(a, b) a\?\?=\?\?=b\n#if P(__has_inc, lude)(<a.h>)", false},
      {"#if __has_include(\"a.h\")", false},
      {"#import \"a.h\"", false},
      {"constant char day[] = __DATE__;", false},
      {"constant char now[] = __TIMESTAMP__;", false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    EXPECT_EQ(key_is_whole(cases[i].text, strlen(cases[i].text), NULL, NULL), cases[i].whole);
    EXPECT_EQ(key_is_whole(cases[i].text, strlen(cases[i].text), plain, NULL), cases[i].whole);
    EXPECT_FALSE(key_is_whole(cases[i].text, strlen(cases[i].text), more, NULL));
  }
  EXPECT_FALSE(key_is_whole("#if A", 5, NULL, (const char *const[]){"A=__has_include(<a.h>)", NULL}));
  EXPECT_FALSE(key_is_whole("a\0#include <b.h>", 16, NULL, NULL));
}

TEST(cache, damaged_entries_are_ignored_and_written_again) {
  char path[FIRST] = "";
  fresh();
  count_compilations();
  write_text("k.cl", CT_KERNEL(kernel));
  size_t size = compile("k.cl", &(struct opencl_build){0});
  EXPECT_EQ(files_in("cache", path), 1);
  for (long at = 0; at < 40; at += 13) {
    FILE *file = fopen(path, "r+");
    fseek(file, at, SEEK_SET);
    int byte = fgetc(file);
    fseek(file, at, SEEK_SET);
    fputc(byte ^ 1, file);
    fclose(file);
    EXPECT_EQ(compile("k.cl", &(struct opencl_build){0}), size);
  }
  EXPECT_EQ(compilations(), 5);
  EXPECT_EQ(truncate(path, 50), 0);
  EXPECT_EQ(compile("k.cl", &(struct opencl_build){0}), size);
  EXPECT_EQ(truncate(path, 0), 0);
  EXPECT_EQ(compile("k.cl", &(struct opencl_build){0}), size);
  EXPECT_EQ(compilations(), 7);
  EXPECT_EQ(compile("k.cl", &(struct opencl_build){0}), size);
  EXPECT_EQ(compilations(), 7);
}

TEST(cache, an_entry_under_another_name_is_ignored) {
  char first[FIRST] = "", second[FIRST] = "", kept[FIRST] = "";
  fresh();
  count_compilations();
  write_text("k.cl", "kernel void other(global float *a) { a[0] = 1; }\n");
  compile("k.cl", &(struct opencl_build){0});
  EXPECT_EQ(files_in("cache", first), 1);
  snprintf(kept, sizeof kept, "%s", path_of("kept"));
  EXPECT_EQ(rename(first, kept), 0);
  write_text("k.cl", CT_KERNEL(kernel));
  const size_t size = compile("k.cl", &(struct opencl_build){0});
  EXPECT_EQ(files_in("cache", second), 1);
  EXPECT_EQ(rename(kept, second), 0);
  EXPECT_EQ(compile("k.cl", &(struct opencl_build){0}), size);
  EXPECT_EQ(compilations(), 3);
}

TEST(cache, a_read_only_cache_folder_is_not_an_error) {
  fresh();
  write_text("k.cl", CT_KERNEL(kernel));
  write_text("plain", "");
  setenv("WARPWAIT_CACHE", path_of("plain/cache"), 1);
  EXPECT_GT(compile("k.cl", &(struct opencl_build){0}), 0);
  setenv("WARPWAIT_CACHE", "/proc/nowhere", 1);
  EXPECT_GT(compile("k.cl", &(struct opencl_build){0}), 0);
}

TEST(cache, the_oldest_results_are_removed_and_foreign_files_are_not) {
  const uint8_t bytes[100] = {1, 2, 3};
  char name[4][CACHE_NAME];
  uint8_t *data = NULL;
  size_t size = 0;
  fresh();
  for (unsigned i = 0; i < 4; i++) {
    const struct cache_part part = {&i, sizeof i};
    cache_name(&part, 1, name[i]);
    cache_keep(NULL, name[i], bytes, sizeof bytes);
    char path[300];
    snprintf(path, sizeof path, "%s/%s.ll", path_of("cache"), name[i]);
    utimensat(AT_FDCWD, path, (const struct timespec[]){{1000 + i, 0}, {1000 + i, 0}}, 0);
  }
  write_text("cache/mine.ll", "a file that happens to lie there");
  EXPECT_TRUE(cache_find(NULL, name[0], &data, &size)); /* just used: the newest */
  EXPECT_EQ(size, sizeof bytes);
  EXPECT_EQ(memcmp(data, bytes, sizeof bytes), 0);
  free(data);
  cache_trim(NULL, 2 * (sizeof bytes + 32)); /* room for two results with their heads */
  EXPECT_EQ(files_in("cache", NULL), 3);
  for (unsigned i = 0; i < 4; i++) {
    bool found = cache_find(NULL, name[i], &data, &size);
    EXPECT_EQ(found, i == 0 || i == 3);
    if (found)
      free(data);
  }
}

/* An old result is a hole of CACHE_BYTES, so any other result is too much. */
TEST(cache, one_result_in_256_triggers_trimming) {
  static const char old[] = "ffffffffffffffffffffffffffffffff", *const kept[] = {"01ffffffffffffffffffffffffffffff",
                                                                                 "00ffffffffffffffffffffffffffffff"};
  char path[300];
  fresh();
  cache_keep(NULL, old, (const uint8_t *)"old", 3);
  snprintf(path, sizeof path, "%s/%s.ll", path_of("cache"), old);
  EXPECT_EQ(truncate(path, (off_t)CACHE_BYTES), 0);
  utimensat(AT_FDCWD, path, (const struct timespec[]){{1000, 0}, {1000, 0}}, 0);
  for (int i = 0; i < 2; i++) {
    cache_keep(NULL, kept[i], (const uint8_t *)"new", 3);
    EXPECT_EQ(access(path, F_OK) == 0, i == 0);
  }
  EXPECT_EQ(files_in("cache", NULL), 2);
}

TEST(cache, names_depend_on_the_division_into_parts) {
  const struct cache_part one[] = {{"ab", 2}, {"c", 1}}, other[] = {{"a", 1}, {"bc", 2}};
  char first[CACHE_NAME], second[CACHE_NAME];
  cache_name(one, 2, first);
  cache_name(other, 2, second);
  EXPECT_EQ(strlen(first), CACHE_NAME - 1);
  EXPECT_NE(strcmp(first, second), 0);
}
