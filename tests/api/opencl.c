/* OpenCL C through the library: builds, logs, printf, program-scope variables, pipes. */
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/api/rig.h"
#include "tests/ct.h"

static void print(void *self, uint32_t launch, const char *text, size_t size) {
  struct kept *kept = self;
  EXPECT_EQ(launch, 0);
  rig_sink(kept).write(kept, text, size);
}

TEST(opencl_api, work_items_print_in_their_order) {
  struct rig rig = rig_with("teaching", "kernel void k(void) { printf(\"item %d\\n\", (int)get_global_id(0)); }");
  struct kept kept = {NULL, 0};
  ct_freed(ww_launch_unref_at) ww_launch *launch = rig_launch(&rig, "k", 3, 1);
  const ww_watch watch = {.size = sizeof watch, .self = &kept, .print = print};
  rig_fine(&rig, ww_run(rig.device, &launch, 1, &watch, NULL, &rig.error));
  EXPECT_STREQ(kept.text, "item 0\nitem 1\nitem 2\n");
  free(kept.text);
  rig_free(&rig);
}

TEST(opencl_api, program_scope_variables_live_as_long_as_the_device) {
  static const char source[] = "global int count = 5;\nkernel void k(global int *out) { *out = count++; }";
  ct_freed(rig_free) struct rig rig = rig_with("teaching", source);
  EXPECT_EQ(ww_program_variable_bytes(rig.program), 4);
  EXPECT_EQ(ww_program_variable_bytes(NULL), 0);
  ct_freed(ww_launch_unref_at) ww_launch *launch = rig_launch(&rig, "k", 1, 1);
  ct_freed(ww_buffer_unref_at) ww_buffer *out = NULL;
  rig_fine(&rig, ww_buffer_new(rig.device, "out", 4, &out, &rig.error));
  rig_fine(&rig, ww_launch_buffer(launch, 0, out, 0, &rig.error));
  for (int i = 0; i < 3; i++) {
    rig_fine(&rig, ww_run(rig.device, &launch, 1, NULL, NULL, &rig.error));
    EXPECT_EQ(*(int *)ww_buffer_data(out), 5 + i);
  }
  ct_freed(ww_program_unref_at) ww_program *other = NULL;
  const ww_kernel *kernel = NULL;
  ww_launch *both[2] = {launch, NULL};
  rig_fine(&rig, ww_program_build(rig.context, ww_text(source), NULL, &other, &rig.error));
  rig_fine(&rig, ww_program_kernel(other, "k", &kernel, &rig.error));
  rig_fine(&rig, ww_launch_new(rig.device, other, kernel, &both[1], &rig.error));
  rig_fine(&rig, ww_launch_range(both[1], 1, NULL, &(uint64_t){1}, NULL, &rig.error));
  rig_fine(&rig, ww_launch_buffer(both[1], 0, out, 0, &rig.error));
  rig_fine(&rig, ww_run(rig.device, &both[1], 1, NULL, NULL, &rig.error));
  EXPECT_EQ(*(int *)ww_buffer_data(out), 5); /* each device has its own variable */
  rig_refused(&rig, ww_run(rig.device, both, 2, NULL, NULL, &rig.error), WW_UNSUPPORTED,
              "cannot run at once: only one program of them");
  ww_launch_unref(both[1]);
}

static const char pipe_source[] =
    "kernel void put(write_only pipe uint p, uint from) { uint x = from + get_global_id(0); write_pipe(p, &x); }\n"
    "kernel void take(read_only pipe uint p, global uint *out) {\n"
    "  uint x = 0;\n  read_pipe(p, &x);\n  out[get_global_id(0)] = x;\n}\n";

TEST(opencl_api, pipes_keep_their_packets_from_run_to_run) {
  ct_freed(rig_free) struct rig rig = rig_with("teaching", pipe_source);
  ww_launch *put = rig_launch(&rig, "put", 3, 1), *take = rig_launch(&rig, "take", 2, 1);
  ct_freed(ww_pipe_unref_at) ww_pipe *pipe = NULL;
  ct_freed(ww_buffer_unref_at) ww_buffer *out = NULL;
  rig_fine(&rig, ww_pipe_new(rig.device, "p", 4, 16, &pipe, &rig.error));
  rig_fine(&rig, ww_buffer_new(rig.device, "out", 8, &out, &rig.error));
  rig_fine(&rig, ww_launch_pipe(put, 0, pipe, &rig.error));
  rig_fine(&rig, ww_launch_value(put, 1, &(uint32_t){100}, 4, &rig.error));
  rig_fine(&rig, ww_launch_pipe(take, 0, pipe, &rig.error));
  rig_fine(&rig, ww_launch_buffer(take, 1, out, 0, &rig.error));
  rig_fine(&rig, ww_run(rig.device, &put, 1, NULL, NULL, &rig.error));
  EXPECT_EQ(ww_pipe_packets(pipe), 3);
  EXPECT_EQ(*(const uint32_t *)ww_pipe_packet(pipe, 2), 102);
  EXPECT_TRUE(ww_pipe_packet(pipe, 3) == NULL);
  rig_fine(&rig, ww_run(rig.device, &put, 1, NULL, NULL, &rig.error));
  rig_fine(&rig, ww_run(rig.device, &take, 1, NULL, NULL, &rig.error));
  EXPECT_EQ(ww_pipe_packets(pipe), 4);
  EXPECT_EQ(((uint32_t *)ww_buffer_data(out))[0] + ((uint32_t *)ww_buffer_data(out))[1], 100 + 101);
  EXPECT_EQ(*(const uint32_t *)ww_pipe_packet(pipe, 0), 102);
  ct_freed(ww_report_unref_at) ww_report *report = NULL;
  ww_launch *both[2] = {put, take};
  rig_fine(&rig, ww_run(rig.device, both, 2, NULL, &report, &rig.error));
  EXPECT_EQ(ww_pipe_packets(pipe), 5);
  const char *name = NULL;
  EXPECT_TRUE(ww_report_text(report, "launches[0].pipes[0].name", &name));
  EXPECT_STREQ(name, "p");
  ww_launch_unref(put);
  ww_launch_unref(take);
}

TEST(opencl_api, the_build_log_has_clangs_messages_on_success_and_failure) {
  ct_freed(rig_free) struct rig rig = rig_new("teaching");
  struct kept log = {NULL, 0};
  ww_program *program = NULL;
  const ww_build build = {.size = sizeof build, .options = "-Wall", .log = rig_sink(&log)};
  rig_fine(&rig,
           ww_program_build(rig.context, ww_text("kernel void k(void) { int unused; }"), &build, &program, &rig.error));
  EXPECT_CONTAINS(log.text, "kernel.cl:1:27: warning: unused variable 'unused'");
  ww_program_unref(program);
  free(log.text);
  log = (struct kept){NULL, 0};
  ww_bytes broken = ww_text("kernel void k(void) {\n  x = 1;\n  y = 2;\n}");
  broken.name = "mine.cl";
  rig_refused(&rig, ww_program_build(rig.context, broken, &build, &program, &rig.error), WW_BAD_INPUT,
              "mine.cl:2:3: error: use of undeclared identifier 'x'");
  EXPECT_TRUE(program == NULL);
  EXPECT_STREQ(rig.error.file, "mine.cl");
  EXPECT_EQ(rig.error.line, 2);
  EXPECT_EQ(rig.error.column, 3);
  EXPECT_CONTAINS(log.text, "mine.cl:3:3: error: use of undeclared identifier 'y'");
  free(log.text);
}

TEST(opencl_api, options_define_macros_and_the_report_quotes_source_text_in_memory) {
  ct_freed(rig_free) struct rig rig = rig_new("teaching");
  const ww_bytes source = ww_text("kernel void k(global int *out) {\n  *out = N; // the answer\n}\n");
  const ww_build build = {.size = sizeof build, .options = "-D N=42 -cl-std=CL3.0"};
  ww_program *program = NULL;
  rig_fine(&rig, ww_program_build(rig.context, source, &build, &program, &rig.error));
  ww_program_unref(rig.program);
  rig.program = program;
  ct_freed(ww_launch_unref_at) ww_launch *launch = rig_launch(&rig, "k", 1, 0);
  ct_freed(ww_buffer_unref_at) ww_buffer *out = NULL;
  ct_freed(ww_report_unref_at) ww_report *report = NULL;
  rig_fine(&rig, ww_buffer_new(rig.device, "out", 4, &out, &rig.error));
  rig_fine(&rig, ww_launch_buffer(launch, 0, out, 0, &rig.error));
  rig_fine(&rig, ww_run(rig.device, &launch, 1, NULL, &report, &rig.error));
  EXPECT_EQ(*(int *)ww_buffer_data(out), 42);
  ct_freed(ct_free) char *text = rig_write(&rig, report, WW_SOURCE);
  EXPECT_CONTAINS(text, "*out = N; // the answer");
}

TEST(opencl_api, programs_can_be_read_from_every_form_that_they_are_written_in) {
  static const char source[] = "kernel void k(global int *out, int n) { out[get_global_id(0)] = n; }";
  ct_freed(rig_free) struct rig rig = rig_with("teaching", source);
  for (ww_program_form form = WW_PROGRAM_OBJECT; form <= WW_PROGRAM_SPIRV; form++) {
    struct kept kept = {NULL, 0};
    ct_freed(ww_program_unref_at) ww_program *again = NULL;
    const ww_kernel *kernel = NULL;
    ct_note("form %d", (int)form);
    rig_fine(&rig, ww_program_write(rig.program, form, rig_sink(&kept), &rig.error));
    rig_fine(&rig, ww_program_build(rig.context, (ww_bytes){kept.text, kept.length, NULL}, NULL, &again, &rig.error));
    rig_fine(&rig, ww_program_kernel(again, NULL, &kernel, &rig.error));
    if (kernel) {
      EXPECT_STREQ(kernel->name, "k");
      EXPECT_EQ(kernel->argument_count, 2);
      EXPECT_STREQ(ww_kernel_argument(kernel, 1)->name, "n");
      EXPECT_EQ(ww_kernel_argument(kernel, 0)->kind, WW_ARGUMENT_BUFFER);
      EXPECT_EQ(ww_kernel_argument(kernel, 1)->kind, WW_ARGUMENT_VALUE);
      EXPECT_EQ(ww_kernel_argument(kernel, 1)->bytes, 4);
    }
    free(kept.text);
  }
}

TEST(opencl_api, text_in_memory_is_quoted_whatever_its_name) {
  ct_freed(rig_free) struct rig rig = rig_new("teaching");
  ww_program *program = NULL;
  struct kept log = {NULL, 0};
  ww_bytes source = ww_text("kernel void k(void) {\n  x = 1;\n}");
  const ww_build build = {.size = sizeof build, .log = rig_sink(&log)};
  source.name = "of a notebook";
  rig_refused(&rig, ww_program_build(rig.context, source, &build, &program, &rig.error), WW_BAD_INPUT,
              "of a notebook:2:3: error: use of undeclared identifier 'x'");
  EXPECT_STREQ(rig.error.file, "of a notebook");
  EXPECT_CONTAINS(log.text, "of a notebook:2:3: error: use of undeclared identifier 'x'");
  free(log.text);
}

static struct kept compiled(struct rig *rig, const char *source, const ww_build *build) {
  struct kept unit = {NULL, 0};
  rig_fine(rig, ww_unit_compile(rig->context, ww_text(source), build, rig_sink(&unit), &rig->error));
  return unit;
}

TEST(opencl_api, units_are_compiled_with_headers_and_linked) {
  ct_freed(rig_free) struct rig rig = rig_new("teaching");
  const ww_bytes headers[] = {{"int twice(int x);", 17, "lib/twice.h"}};
  ww_build build = {.size = sizeof build, .headers = headers, .header_count = 1};
  struct kept user = compiled(&rig, "#include <lib/twice.h>\nkernel void k(global int *d) { *d = twice(*d); }", &build),
              maker = compiled(&rig, "#include \"lib/twice.h\"\nint twice(int x) { return 2 * x; }", &build);
  const ww_bytes units[] = {{user.text, user.length, NULL}, {maker.text, maker.length, NULL}};
  ww_program *program = NULL;
  rig_fine(&rig, ww_program_link(rig.context, units, 2, NULL, &program, &rig.error));
  EXPECT_EQ(ww_program_kernel_count(program), 1);
  ww_program_unref(program);
  rig_refused(&rig, ww_program_link(rig.context, units, 1, NULL, &program, &rig.error), WW_BAD_INPUT, "twice");
  const ww_bytes broken[] = {units[0], {"no module", 9, NULL}}, twice[] = {units[0], units[1], units[1]};
  rig_refused(&rig, ww_program_link(rig.context, broken, 2, NULL, &program, &rig.error), WW_BAD_INPUT,
              "units[1]: not a SPIR-V file, which begins with the number 0x07230203");
  rig_refused(&rig, ww_program_link(rig.context, twice, 3, NULL, &program, &rig.error), WW_BAD_INPUT,
              "units[2]: 'twice' is also defined in units[1]");
  EXPECT_TRUE(program == NULL);
  rig_refused(&rig, ww_program_link(rig.context, units, 0, NULL, &program, &rig.error), WW_BAD_INPUT,
              "count: 0; a program needs at least one unit");
  rig_refused(&rig, ww_program_link(rig.context, &(ww_bytes){NULL, 0, NULL}, 1, NULL, &program, &rig.error),
              WW_BAD_INPUT, "units[0]: is empty");
  const ww_bytes outside = {"", 1, "../a.h"};
  struct kept none = {NULL, 0};
  build.headers = &outside;
  rig_refused(&rig, ww_unit_compile(rig.context, ww_text("int x;"), &build, rig_sink(&none), &rig.error), WW_BAD_INPUT,
              "header '../a.h'");
  build.headers = NULL;
  rig_refused(&rig, ww_unit_compile(rig.context, ww_text("int x;"), &build, rig_sink(&none), &rig.error), WW_BAD_INPUT,
              "headers[0]: has no data");
  EXPECT_TRUE(none.text == NULL);
  free(user.text);
  free(maker.text);
}

TEST(opencl_api, specialization_constants_are_set_by_number) {
  static const char source[] = "int __attribute__((overloadable)) __spirv_SpecConstant(int id, int usual);\n"
                               "kernel void k(global int *out) { *out = __spirv_SpecConstant(7, 10); }";
  ct_freed(rig_free) struct rig rig = rig_with("teaching", source);
  struct kept spirv = {NULL, 0};
  rig_fine(&rig, ww_program_write(rig.program, WW_PROGRAM_SPIRV, rig_sink(&spirv), &rig.error));
  const ww_bytes bytes = {spirv.text, spirv.length, NULL};
  EXPECT_EQ(ww_constant_bytes(bytes, 7), 4);
  EXPECT_EQ(ww_constant_bytes(bytes, 8), 0);
  EXPECT_EQ(ww_constant_bytes((ww_bytes){spirv.text, 30, NULL}, 7), 0);
  EXPECT_EQ(ww_constant_bytes((ww_bytes){NULL, 0, NULL}, 7), 0);
  ww_constant constant = {7, &(int){42}, 4};
  const ww_build build = {.size = sizeof build, .constants = &constant, .constant_count = 1};
  ww_program_unref(rig.program);
  rig_fine(&rig, ww_program_build(rig.context, bytes, &build, &rig.program, &rig.error));
  ct_freed(ww_launch_unref_at) ww_launch *launch = rig_launch(&rig, "k", 1, 1);
  ct_freed(ww_buffer_unref_at) ww_buffer *out = NULL;
  rig_fine(&rig, ww_buffer_new(rig.device, "out", 4, &out, &rig.error));
  rig_fine(&rig, ww_launch_buffer(launch, 0, out, 0, &rig.error));
  rig_fine(&rig, ww_run(rig.device, &launch, 1, NULL, NULL, &rig.error));
  EXPECT_EQ(*(int *)ww_buffer_data(out), 42);
  ww_program *none = NULL;
  constant.size = 8;
  rig_refused(&rig, ww_program_build(rig.context, bytes, &build, &none, &rig.error), WW_BAD_INPUT,
              "constants[0]: constant 7 has 4 bytes, not 8");
  constant.id = 8;
  rig_refused(&rig, ww_program_build(rig.context, bytes, &build, &none, &rig.error), WW_BAD_INPUT,
              "constants[0]: the program has no specialization constant 8");
  constant.value = NULL;
  rig_refused(&rig, ww_program_build(rig.context, bytes, &build, &none, &rig.error), WW_BAD_INPUT,
              "constants[0]: has no value");
  free(spirv.text);
}

TEST(opencl_api, units_of_different_versions_are_linked) {
  ct_freed(rig_free) struct rig rig = rig_new("teaching");
  const ww_build old = {.size = sizeof old, .options = "-cl-std=CL1.2"},
                 new = {.size = sizeof new, .options = "-cl-std=CL3.0"};
  struct kept user = compiled(&rig, "int twice(int x);\nkernel void k(global int *d) { *d = twice(*d); }", &old),
              maker = compiled(&rig, "int twice(int x) { return 2 * x; }", &new);
  const ww_bytes units[] = {{user.text, user.length, NULL}, {maker.text, maker.length, NULL}};
  ww_program *program = NULL;
  rig_fine(&rig, ww_program_link(rig.context, units, 2, NULL, &program, &rig.error));
  ww_program_unref(program);
  free(user.text);
  free(maker.text);
}

TEST(opencl_api, a_program_reports_types_qualifiers_and_attributes_of_its_source) {
  struct rig rig = rig_with("teaching", "kernel __attribute__((reqd_work_group_size(8, 1, 1)))\n"
                                        "void k(global const float4 *restrict a, constant uint *b, int n) {}\n");
  const ww_kernel *kernel = ww_program_kernel_at(rig.program, 0);
  const ww_argument *a = ww_kernel_argument(kernel, 0), *b = ww_kernel_argument(kernel, 1);
  EXPECT_STREQ(kernel->attributes, "reqd_work_group_size(8,1,1)");
  EXPECT_STREQ(a->source_type, "float4*");
  EXPECT_STREQ(a->source_qualifiers, "restrict const");
  EXPECT_FALSE(a->constant);
  EXPECT_TRUE(b->constant);
  EXPECT_STREQ(ww_kernel_argument(kernel, 2)->source_type, "int");
  rig_free(&rig);
}

/* In that case nothing reports how a compiler has ended. */
TEST(opencl_api, kernels_can_be_built_in_a_process_that_ignores_sigchld) {
  struct rig rig = {.context = NULL};
  ww_program *program = NULL;
  const ww_options options = {.size = sizeof options, .cache = ""};
  void (*before)(int) = signal(SIGCHLD, SIG_IGN);
  rig_fine(&rig, ww_context_new(&options, &rig.context, &rig.error));
  rig_fine(&rig, ww_program_build(rig.context, ww_text("kernel void k() {}"), NULL, &program, &rig.error));
  ww_program_unref(program);
  rig_refused(&rig, ww_program_build(rig.context, ww_text("kernel void k() { x; }"), NULL, &program, &rig.error),
              WW_BAD_INPUT, "kernel.cl:1:19: error: use of undeclared identifier 'x'");
  ww_context_unref(rig.context);
  signal(SIGCHLD, before);
}

static bool refuse_at_once(void *self, uint64_t now, uint64_t done, uint64_t groups) {
  (void)self;
  EXPECT_EQ(now + done + groups, 0); /* the build is compiling */
  return false;
}

TEST(opencl_api, a_launch_file_is_cancelled_while_its_program_is_compiled) {
  struct rig rig = {.context = NULL};
  ct_freed(ww_report_unref_at) ww_report *report = NULL;
  const ww_options options = {.size = sizeof options, .cache = ""};
  const ww_watch watch = {.size = sizeof watch, .tick = refuse_at_once};
  ww_bytes file = ww_text("{ \"program\": \"kernel.cl\", \"launches\": [ { \"kernel\": \"k\", \"global\": [64] } ] }");
  char folder[] = "/tmp/warpwait-file-XXXXXX", path[80], kernel[80];
  EXPECT_TRUE(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/launch.json", folder);
  snprintf(kernel, sizeof kernel, "%s/kernel.cl", folder);
  FILE *made = fopen(kernel, "w");
  fputs("kernel void k(void) {}\n", made);
  fclose(made);
  file.name = path;
  rig_fine(&rig, ww_context_new(&options, &rig.context, &rig.error));
  EXPECT_EQ(ww_file_run(rig.context, file, NULL, &watch, false, NULL, &report, &rig.error), WW_CANCELLED);
  EXPECT_TRUE(report == NULL);
  rig_fine(&rig, ww_file_run(rig.context, file, NULL, NULL, false, NULL, &report, &rig.error));
  ww_context_unref(rig.context);
  remove(kernel);
  rmdir(folder);
}

static void count_hazard(void *self, const ww_hazard *hazard) {
  struct kept *kept = self;
  rig_sink(kept).write(kept, hazard->rule, strlen(hazard->rule));
  EXPECT_STREQ(hazard->file, "kernel.cl");
  EXPECT_EQ(hazard->line, 5);
  EXPECT_EQ(hazard->count, 64);
}

TEST(opencl_api, a_check_reports_hazards_and_writes_them) {
  struct rig rig = rig_with("teaching", "kernel void scale(global const float *in, global float *out) {\n"
                                        "  local float tile[64];\n"
                                        "  uint i = get_local_id(0);\n"
                                        "  event_t loaded = async_work_group_copy(tile, in, 64, 0);\n"
                                        "  out[i] = 2 * tile[i];\n"
                                        "  wait_group_events(1, &loaded);\n"
                                        "}\n");
  ct_freed(ww_launch_unref_at) ww_launch *launch = rig_launch(&rig, "scale", 64, 64);
  ww_buffer *buffer[2];
  struct kept kept = {NULL, 0};
  ct_freed(ww_report_unref_at) ww_report *report = NULL;
  for (uint32_t i = 0; i < 2; i++) {
    rig_fine(&rig, ww_buffer_new(rig.device, "b", 256, &buffer[i], &rig.error));
    rig_fine(&rig, ww_launch_buffer(launch, i, buffer[i], 0, &rig.error));
  }
  const ww_watch watch = {.size = sizeof watch, .self = &kept, .hazard = count_hazard, .check = true};
  rig_fine(&rig, ww_run(rig.device, &launch, 1, &watch, &report, &rig.error));
  EXPECT_STREQ(kept.text, "X5-destination-read-in-flight");
  ww_hazard hazard = {.rule = NULL};
  EXPECT_TRUE(ww_report_hazard(report, 0, &hazard));
  EXPECT_STREQ(hazard.rule, "X5-destination-read-in-flight");
  EXPECT_EQ(hazard.line, 5);
  EXPECT_FALSE(ww_report_hazard(report, 1, &hazard));
  char *text = rig_write(&rig, report, WW_CHECK), *sarif = rig_write(&rig, report, WW_SARIF);
  EXPECT_CONTAINS(text, "kernel.cl:5:16: error: a work-item or another copy reads what a copy is still writing");
  EXPECT_CONTAINS(sarif, "\"ruleId\": \"X5-destination-read-in-flight\"");
  free(text);
  free(sarif);
  free(kept.text);
  for (int i = 0; i < 2; i++)
    ww_buffer_unref(buffer[i]);
  rig_free(&rig);
}

static size_t files_of(const char *path) {
  DIR *folder = opendir(path);
  size_t count = 0;
  for (struct dirent *at; folder && (at = readdir(folder));)
    count += at->d_name[0] != '.';
  closedir(folder);
  return count;
}

/* Builds a small program in a separate context and checks the result. */
static void build_with(const ww_options *options, ww_status status, const char *part) {
  struct rig rig = {.context = NULL};
  ct_freed(ww_program_unref_at) ww_program *program = NULL;
  rig_fine(&rig, ww_context_new(options, &rig.context, &rig.error));
  const ww_status got =
      ww_program_build(rig.context, ww_text("kernel void of_options() {}"), NULL, &program, &rig.error);
  if (status)
    rig_refused(&rig, got, status, part);
  else
    rig_fine(&rig, got);
  ww_context_unref(rig.context);
}

TEST(opencl_api, a_context_sets_the_compiler_and_its_folders) {
  char cache[] = "/tmp/warpwait-cache-XXXXXX", temporary[] = "/tmp/warpwait-temporary-XXXXXX";
  ww_options options = {.size = sizeof options, .cache = cache, .temporary = temporary};
  EXPECT_TRUE(mkdtemp(cache) && mkdtemp(temporary));
  build_with(&options, WW_OK, NULL);
  EXPECT_EQ(files_of(cache), 1);
  EXPECT_EQ(files_of(temporary), 0);
  options.clang = "no-such-clang";
  build_with(&options, WW_BAD_INPUT, "no-such-clang");
  options.clang = NULL;
  options.temporary = "/no/such/folder";
  build_with(&options, WW_BAD_INPUT, "no temporary folder in /no/such/folder");
  options.temporary = temporary;
  options.cache = ""; /* nothing is stored or found in a cache */
  build_with(&options, WW_OK, NULL);
  EXPECT_EQ(files_of(cache), 1);
  char kept[300];
  snprintf(kept, sizeof kept, "rm -r %s %s", cache, temporary);
  EXPECT_EQ(system(kept), 0);
}
