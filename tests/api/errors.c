/* What each function refuses, and its message. */
#include <stdlib.h>

#include "tests/api/rig.h"
#include "tests/ct.h"

#define HUGE_BYTES UINT64_MAX

/* ---- contexts and machines -------------------------------------------------------------------------------------- */

TEST(errors, of_contexts_and_machines) {
  ct_freed(rig_free) struct rig rig = rig_new("teaching");
  ww_machine *machine = NULL;
  ww_error *error = &rig.error;
  rig_refused(&rig, ww_context_new(NULL, NULL, error), WW_BAD_INPUT, "context: is NULL");
  rig_refused(&rig, ww_machine_load(NULL, "h200", &machine, error), WW_BAD_INPUT, "context: is NULL");
  rig_refused(&rig, ww_machine_load(rig.context, NULL, &machine, error), WW_BAD_INPUT, "name: is NULL");
  rig_refused(&rig, ww_machine_load(rig.context, "h200", NULL, error), WW_BAD_INPUT, "machine: is NULL");
  machine = rig.machine;
  rig_refused(&rig, ww_machine_load(rig.context, "h20", &machine, error), WW_BAD_INPUT, "did you mean 'h200'?");
  EXPECT_TRUE(machine == NULL);
  rig_refused(&rig, ww_machine_load(rig.context, "no/such.ini", &machine, error), WW_BAD_INPUT,
              "no/such.ini: No such file or directory");
  EXPECT_EQ(ww_machine_load(rig.context, "h20", &machine, NULL), WW_BAD_INPUT); /* the error is optional */
}

TEST(errors, of_machine_texts_have_file_line_and_key) {
  ct_freed(rig_free) struct rig rig = rig_new("teaching");
  ww_machine *machine = NULL;
  ww_bytes ini = ww_text("base = teaching\n[lds]\nbanks = 500\n");
  ini.name = "mine.ini";
  rig_refused(&rig, ww_machine_parse(rig.context, ini, &machine, &rig.error), WW_BAD_INPUT, "mine.ini:3: lds.banks: ");
  EXPECT_STREQ(rig.error.file, "mine.ini");
  EXPECT_EQ(rig.error.line, 3);
  EXPECT_EQ(rig.error.column, 0);
  EXPECT_STREQ(rig.error.key, "lds.banks");
  rig_refused(&rig, ww_machine_parse(rig.context, (ww_bytes){"[cu]\0count = 3", 14, NULL}, &machine, &rig.error),
              WW_BAD_INPUT, "machine.ini: contains a zero byte");
  rig_refused(&rig, ww_machine_parse(rig.context, (ww_bytes){NULL, 0, NULL}, &machine, &rig.error), WW_BAD_INPUT,
              "ini.data: is NULL");
  rig_refused(&rig, ww_machine_parse(rig.context, (ww_bytes){"", SIZE_MAX, NULL}, &machine, &rig.error), WW_BAD_INPUT,
              "larger than 1 MiB");
}

TEST(errors, of_changes_and_values) {
  ct_freed(rig_free) struct rig rig = rig_new("teaching");
  ww_machine *machine = NULL;
  uint64_t value = 0;
  rig_refused(&rig, ww_machine_with(rig.machine, (const char *[]){"dma.channel=2"}, 1, &machine, &rig.error),
              WW_BAD_INPUT, "did you mean 'dma.channels'?");
  rig_refused(&rig, ww_machine_with(rig.machine, (const char *[]){"dma.channels"}, 1, &machine, &rig.error),
              WW_BAD_INPUT, "'dma.channels' is not KEY=VALUE");
  rig_refused(&rig, ww_machine_with(rig.machine, (const char *[]){NULL}, 1, &machine, &rig.error), WW_BAD_INPUT,
              "changes[0]: is NULL");
  rig_refused(&rig, ww_machine_with(rig.machine, NULL, 1, &machine, &rig.error), WW_BAD_INPUT, "changes: is NULL");
  rig_refused(&rig, ww_machine_with(NULL, NULL, 0, &machine, &rig.error), WW_BAD_INPUT, "machine: is NULL");
  EXPECT_TRUE(machine == NULL);
  rig_refused(&rig, ww_machine_value(rig.machine, "dma.chanels", &value, NULL, &rig.error), WW_BAD_INPUT,
              "dma.chanels: no such parameter; did you mean 'dma.channels'?");
  rig_refused(&rig, ww_machine_value(rig.machine, NULL, &value, NULL, &rig.error), WW_BAD_INPUT, "key: is NULL");
}

/* ---- programs ------------------------------------------------------------------------------------------------------
 */

static void refuse_program(struct rig *rig, const void *data, size_t size, const ww_build *build, const char *part) {
  ww_program *program = rig->program;
  rig_refused(rig, ww_program_build(rig->context, (ww_bytes){data, size, NULL}, build, &program, &rig->error),
              WW_BAD_INPUT, part);
  EXPECT_TRUE(program == NULL);
}

TEST(errors, of_programs) {
  ct_freed(rig_free) struct rig rig = rig_new("teaching");
  ww_program *program = NULL;
  const ww_kernel *kernel = NULL;
  struct kept kept = {NULL, 0};
  rig_refused(&rig, ww_program_build(NULL, ww_text("x"), NULL, &program, &rig.error), WW_BAD_INPUT, "context: is NULL");
  rig_refused(&rig, ww_program_build(rig.context, ww_text("x"), NULL, NULL, &rig.error), WW_BAD_INPUT,
              "program: is NULL");
  refuse_program(&rig, NULL, 0, NULL, "source.data: is NULL");
  refuse_program(&rig, "", 0, NULL, "has no kernel");
  refuse_program(&rig, "k\0", 2, NULL, "a zero byte");
  refuse_program(&rig, "", SIZE_MAX, NULL, "larger than");
  refuse_program(&rig, ".kernel k\n  nop nop\n", 20, NULL, "kernel.wws:2");
  EXPECT_EQ(rig.error.line, 2);
  refuse_program(&rig, "\x03\x02\x23\x07", 4, NULL, "kernel.spv");
  refuse_program(&rig, "\x03\x02\x23\x07\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 20, NULL,
                 "kernel.spv");
  refuse_program(&rig, "WWO\3\xff\xff\xff\xff\xff\xff\xff\xff", 12, NULL, "kernel.wwo");
  const ww_build bad[] = {
      {.size = sizeof *bad, .options = "-D \"N"}, {.size = sizeof *bad, .options = "-fplugin=evil.so"},
      {.size = sizeof *bad, .copies = "both"},    {.size = sizeof *bad, .registers = 3},
      {.size = sizeof *bad, .optimize = "4"},     {.size = sizeof *bad, .without = "unrol"}};
  const char *const says[] = {"a quote is not closed",
                              "-fplugin",
                              "no copy mode 'both'",
                              "registers: 3 is outside [16, 255]",
                              "optimize: '4' is not an optimization level, 0 to 3",
                              "without: no pass 'unrol'; did you mean 'unroll'?"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    refuse_program(&rig, "kernel void k(void) {}", 22, &bad[i], says[i]);
  rig_refused(&rig, ww_program_kernel(rig.program, NULL, &kernel, &rig.error), WW_BAD_INPUT, "which kernel?");
  rig_refused(&rig, ww_program_kernel(rig.program, "pluss", &kernel, &rig.error), WW_BAD_INPUT, "did you mean 'plus'?");
  rig_refused(&rig, ww_program_kernel(NULL, "plus", &kernel, &rig.error), WW_BAD_INPUT, "program: is NULL");
  EXPECT_TRUE(kernel == NULL);
  EXPECT_TRUE(ww_program_kernel_at(rig.program, 5) == NULL);
  EXPECT_EQ(ww_program_kernel_count(rig.program), 5);
  rig_refused(&rig, ww_program_write(rig.program, WW_PROGRAM_SPIRV, rig_sink(&kept), &rig.error), WW_UNSUPPORTED,
              "only OpenCL C is compiled to SPIR-V");
  rig_refused(&rig, ww_program_write(rig.program, (ww_program_form)77, rig_sink(&kept), &rig.error), WW_BAD_INPUT,
              "form: 77");
  rig_refused(&rig, ww_program_write(rig.program, WW_PROGRAM_OBJECT, (ww_sink){NULL, NULL}, &rig.error), WW_BAD_INPUT,
              "sink.write: is NULL");
}

TEST(errors, give_the_place_in_a_source_of_any_name) {
  ct_freed(rig_free) struct rig rig = rig_new("teaching");
  ww_program *program = NULL;
  ww_bytes source = {".kernel k\n  nop nop\n", 20, "folder/a: b\xc3\xa9\xff.wws"};
  rig_refused(&rig, ww_program_build(rig.context, source, NULL, &program, &rig.error), WW_BAD_INPUT,
              "folder/a: b\xc3\xa9?.wws:2:");
  EXPECT_STREQ(rig.error.file, "folder/a: b\xc3\xa9?.wws");
  EXPECT_EQ(rig.error.line, 2);
  source.name = "two\nlines";
  rig_refused(&rig, ww_program_build(rig.context, source, NULL, &program, &rig.error), WW_BAD_INPUT,
              "name: has a control character");
}

/* ---- structures of options ----------------------------------------------------------------------------------------
 */

TEST(errors, of_structures_that_are_smaller_or_larger_than_known) {
  ct_freed(rig_free) struct rig rig = rig_new("teaching");
  ww_program *program = NULL;
  const ww_build unset = {.registers = 32};
  rig_refused(&rig, ww_program_build(rig.context, ww_text(rig_source), &unset, &program, &rig.error), WW_BAD_INPUT,
              "build.size: 0 is less than the");
  struct {
    ww_build known;
    uint64_t more[2];
  } newer = {.known = {.size = sizeof newer}};
  rig_fine(&rig, ww_program_build(rig.context, ww_text(rig_source), &newer.known, &program, &rig.error));
  ww_program_unref(program);
  newer.more[1] = 1;
  rig_refused(&rig, ww_program_build(rig.context, ww_text(rig_source), &newer.known, &program, &rig.error),
              WW_UNSUPPORTED, "build: sets fields beyond the");
  EXPECT_TRUE(program == NULL);
}

static bool never(void *self) {
  ++*(int *)self;
  return false;
}

TEST(errors, a_build_can_be_cancelled) {
  ct_freed(rig_free) struct rig rig = rig_new("teaching");
  ww_program *program = NULL;
  int asked = 0;
  const ww_build build = {.size = sizeof build, .options = "-DN=1 -Wall", .go_on = never, .self = &asked};
  rig_refused(&rig, ww_program_build(rig.context, ww_text("kernel void k(void) {}"), &build, &program, &rig.error),
              WW_CANCELLED, "");
  EXPECT_EQ(asked, 1);
}

/* ---- devices -------------------------------------------------------------------------------------------- */

TEST(errors, of_buffers_over_the_callers_memory) {
  ct_freed(rig_free) struct rig rig = rig_new("teaching");
  ww_buffer *buffer = NULL, *shared = NULL;
  uint32_t own = 3;
  ww_error *error = &rig.error;
  rig_refused(&rig, ww_buffer_new_over(NULL, NULL, &own, 4, &buffer, error), WW_BAD_INPUT, "device: is NULL");
  rig_refused(&rig, ww_buffer_new_over(rig.device, NULL, NULL, 4, &buffer, error), WW_BAD_INPUT, "data: is NULL");
  rig_refused(&rig, ww_buffer_new_over(rig.device, NULL, &own, 4, NULL, error), WW_BAD_INPUT, "buffer: is NULL");
  rig_refused(&rig, ww_buffer_new_over(rig.device, NULL, &own, 0, &buffer, error), WW_BAD_INPUT, "bytes: 0 is outside");
  rig_refused(&rig, ww_buffer_new_over(rig.device, NULL, &own, HUGE_BYTES, &buffer, error), WW_BAD_INPUT,
              "bytes: 18446744073709551615 is outside");
  rig_refused(&rig, ww_buffer_new_over(rig.device, "", &own, 4, &buffer, error), WW_BAD_INPUT, "name: ");
  EXPECT_TRUE(buffer == NULL);
  rig_fine(&rig, ww_buffer_new_over(rig.device, NULL, &own, 4, &buffer, error));
  rig_refused(&rig, ww_buffer_new_shared(rig.device, NULL, 4, buffer, &shared, error), WW_BAD_INPUT,
              "with: must be a shared buffer");
  EXPECT_EQ(own, 3);
  ww_buffer_unref(buffer);
}

TEST(errors, of_devices_buffers_and_pipes) {
  ct_freed(rig_free) struct rig rig = rig_new("teaching");
  ww_device *device = NULL;
  ww_buffer *buffer = NULL;
  ww_pipe *pipe = NULL;
  rig_refused(&rig, ww_device_new(NULL, &device, &rig.error), WW_BAD_INPUT, "machine: is NULL");
  rig_refused(&rig, ww_device_new(rig.machine, NULL, &rig.error), WW_BAD_INPUT, "device: is NULL");
  rig_refused(&rig, ww_buffer_new(NULL, NULL, 4, &buffer, &rig.error), WW_BAD_INPUT, "device: is NULL");
  rig_refused(&rig, ww_buffer_new(rig.device, NULL, 4, NULL, &rig.error), WW_BAD_INPUT, "buffer: is NULL");
  rig_refused(&rig, ww_buffer_new(rig.device, NULL, 0, &buffer, &rig.error), WW_BAD_INPUT,
              "bytes: 0 is outside [1, 1099511627776] bytes");
  rig_refused(&rig, ww_buffer_new(rig.device, NULL, HUGE_BYTES, &buffer, &rig.error), WW_BAD_INPUT,
              "bytes: 18446744073709551615 is outside");
  rig_refused(&rig, ww_buffer_new(rig.device, "", 4, &buffer, &rig.error), WW_BAD_INPUT, "name: must have 1 to 63");
  EXPECT_TRUE(buffer == NULL);
  rig_refused(&rig, ww_pipe_new(NULL, NULL, 4, 4, &pipe, &rig.error), WW_BAD_INPUT, "device: is NULL");
  rig_refused(&rig, ww_pipe_new(rig.device, NULL, 0, 4, &pipe, &rig.error), WW_BAD_INPUT, "packet_bytes: 0 is outside");
  rig_refused(&rig, ww_pipe_new(rig.device, NULL, 4, UINT32_MAX, &pipe, &rig.error), WW_BAD_INPUT,
              "packets: 4294967295 is outside [1, 16777215]");
  EXPECT_TRUE(pipe == NULL);
  ww_pipe *all[126];
  for (int i = 0; i < 126; i++)
    rig_fine(&rig, ww_pipe_new(rig.device, NULL, 4, 1, &all[i], &rig.error));
  rig_refused(&rig, ww_pipe_new(rig.device, NULL, 4, 1, &pipe, &rig.error), WW_BAD_INPUT, "more than 126 pipes");
  ww_pipe_unref(all[20]);
  rig_fine(&rig, ww_pipe_new(rig.device, NULL, 4, 1, &all[20], &rig.error));
  for (int i = 0; i < 126; i++)
    ww_pipe_unref(all[i]);
}

TEST(errors, a_device_limits_the_number_of_buffers) {
  enum { MOST = 4096 };
  ct_freed(rig_free) struct rig rig = rig_new("teaching");
  ww_buffer *buffer[MOST], *more = NULL;
  for (int i = 0; i < MOST; i++)
    rig_fine(&rig, ww_buffer_new(rig.device, NULL, 1, &buffer[i], &rig.error));
  rig_refused(&rig, ww_buffer_new(rig.device, NULL, 1, &more, &rig.error), WW_BAD_INPUT, "more than 4096 buffers");
  for (int i = 0; i < MOST; i++)
    ww_buffer_unref(buffer[i]);
  rig_fine(&rig, ww_buffer_new(rig.device, NULL, 1, &more, &rig.error));
  ww_buffer_unref(more);
}

/* ---- launches ------------------------------------------------------------------------------------------- */

TEST(errors, of_launches) {
  struct rig rig = rig_new("teaching"), other = rig_new("teaching");
  ct_freed(ww_launch_unref_at) ww_launch *launch = NULL;
  ww_error *error = &rig.error;
  const ww_kernel *plus = ww_program_kernel_at(rig.program, 0), *foreign = ww_program_kernel_at(other.program, 0);
  rig_refused(&rig, ww_launch_new(NULL, rig.program, plus, &launch, error), WW_BAD_INPUT, "device: is NULL");
  rig_refused(&rig, ww_launch_new(rig.device, NULL, plus, &launch, error), WW_BAD_INPUT, "program: is NULL");
  rig_refused(&rig, ww_launch_new(rig.device, rig.program, NULL, &launch, error), WW_BAD_INPUT, "kernel: is NULL");
  rig_refused(&rig, ww_launch_new(rig.device, rig.program, foreign, &launch, error), WW_BAD_INPUT,
              "kernel: belongs to another program");
  EXPECT_TRUE(launch == NULL);
  launch = rig_launch(&rig, "plus", 64, 64);
  const uint64_t good[] = {64, 1, 1}, zero[] = {0}, huge[] = {HUGE_BYTES};
  rig_refused(&rig, ww_launch_range(NULL, 1, NULL, good, NULL, error), WW_BAD_INPUT, "launch: is NULL");
  rig_refused(&rig, ww_launch_range(launch, 1, NULL, NULL, NULL, error), WW_BAD_INPUT, "global: is NULL");
  rig_refused(&rig, ww_launch_range(launch, 0, NULL, good, NULL, error), WW_BAD_INPUT,
              "dimensions: 0 is outside [1, 3]");
  rig_refused(&rig, ww_launch_range(launch, 4, NULL, good, NULL, error), WW_BAD_INPUT,
              "dimensions: 4 is outside [1, 3]");
  rig_refused(&rig, ww_launch_range(launch, 1, NULL, zero, NULL, error), WW_BAD_INPUT, "global[0]: 0 is outside");
  rig_refused(&rig, ww_launch_range(launch, 1, NULL, huge, NULL, error), WW_BAD_INPUT,
              "global[0]: 18446744073709551615 is outside");
  rig_refused(&rig, ww_launch_range(launch, 1, huge, good, NULL, error), WW_BAD_INPUT, "offset[0]: ");
  rig_refused(&rig, ww_launch_range(launch, 1, NULL, good, zero, error), WW_BAD_INPUT, "local[0]: 0 is outside");
  rig_free(&rig);
  rig_free(&other);
}

TEST(errors, of_arguments) {
  struct rig rig = rig_new("teaching"), other = rig_new("teaching");
  ww_launch *launch = rig_launch(&rig, "plus", 64, 64), *room = rig_launch(&rig, "room", 64, 64);
  ww_buffer *buffer = NULL, *foreign = NULL;
  ct_freed(ww_pipe_unref_at) ww_pipe *pipe = NULL;
  ww_error *error = &rig.error;
  const uint32_t value = 5;
  rig_fine(&rig, ww_buffer_new(rig.device, "b", 100, &buffer, error));
  rig_fine(&rig, ww_buffer_new(other.device, "b", 100, &foreign, error));
  rig_fine(&rig, ww_pipe_new(rig.device, "p", 4, 4, &pipe, error));
  rig_refused(&rig, ww_launch_value(NULL, 1, &value, 4, error), WW_BAD_INPUT, "launch: is NULL");
  rig_refused(&rig, ww_launch_value(launch, 1, NULL, 4, error), WW_BAD_INPUT, "value: is NULL");
  rig_refused(&rig, ww_launch_value(launch, 2, &value, 4, error), WW_BAD_INPUT,
              "index: 2: kernel 'plus' has 2 arguments");
  rig_refused(&rig, ww_launch_value(launch, 1, &value, 8, error), WW_BAD_INPUT,
              "kernel 'plus': argument 2, 'add': a value (8 bytes) does not fit");
  rig_refused(&rig, ww_launch_value(launch, 0, &value, 8, error), WW_BAD_INPUT, "does not fit");
  rig_refused(&rig, ww_launch_buffer(launch, 1, buffer, 0, error), WW_BAD_INPUT, "a buffer does not fit");
  rig_refused(&rig, ww_launch_buffer(launch, 0, buffer, 100, error), WW_BAD_INPUT,
              "offset: 100 is outside [0, 99] bytes of buffer 'b'");
  rig_refused(&rig, ww_launch_buffer(launch, 0, buffer, HUGE_BYTES, error), WW_BAD_INPUT,
              "offset: 18446744073709551615");
  rig_refused(&rig, ww_launch_buffer(launch, 0, foreign, 0, error), WW_BAD_INPUT, "buffer: belongs to another device");
  rig_refused(&rig, ww_launch_local(launch, 0, 64, error), WW_BAD_INPUT, "a local size does not fit");
  rig_refused(&rig, ww_launch_local(room, 1, 0, error), WW_BAD_INPUT, "bytes: 0 is outside [1, ");
  rig_refused(&rig, ww_launch_local(room, 1, HUGE_BYTES, error), WW_BAD_INPUT,
              "bytes: 18446744073709551615 is outside");
  rig_refused(&rig, ww_launch_pipe(launch, 0, pipe, error), WW_BAD_INPUT, "a pipe does not fit");
  rig_refused(&rig, ww_launch_pipe(launch, 0, NULL, error), WW_BAD_INPUT, "pipe: is NULL");
  ww_launch_unref(launch);
  ww_launch_unref(room);
  ww_buffer_unref(buffer);
  ww_buffer_unref(foreign);
  rig_free(&rig);
  rig_free(&other);
}

/* ---- runs ----------------------------------------------------------------------------------------------- */

static ww_status run(struct rig *rig, ww_launch *launch) {
  return ww_run(rig->device, &launch, 1, NULL, NULL, &rig->error);
}

TEST(errors, of_runs) {
  struct rig rig = rig_new("teaching"), other = rig_new("teaching");
  ww_buffer *data = NULL, *foreign_data = NULL;
  ww_launch *launch = rig_plus(&rig, &data, 5), *foreign = rig_plus(&other, &foreign_data, 5), *empty = NULL;
  ww_launch *many[9] = {launch, launch, launch, launch, launch, launch, launch, launch, launch};
  rig_refused(&rig, ww_run(NULL, &launch, 1, NULL, NULL, &rig.error), WW_BAD_INPUT, "device: is NULL");
  rig_refused(&rig, ww_run(rig.device, NULL, 1, NULL, NULL, &rig.error), WW_BAD_INPUT, "launches: is NULL");
  rig_refused(&rig, ww_run(rig.device, many, 0, NULL, NULL, &rig.error), WW_BAD_INPUT, "count: 0 is outside [1, 8]");
  rig_refused(&rig, ww_run(rig.device, many, 9, NULL, NULL, &rig.error), WW_BAD_INPUT, "count: 9 is outside [1, 8]");
  rig_refused(&rig, run(&rig, NULL), WW_BAD_INPUT, "launches[0]: is NULL");
  rig_refused(&rig, run(&rig, foreign), WW_BAD_INPUT, "launches[0]: is from another device");
  uint64_t size[3];
  rig_fine(&rig, ww_launch_new(rig.device, rig.program, ww_program_kernel_at(rig.program, 0), &empty, &rig.error));
  rig_refused(&rig, run(&rig, empty), WW_BAD_INPUT, "kernel 'plus': its NDRange is not set");
  rig_refused(&rig, ww_launch_local_size(empty, size, &rig.error), WW_BAD_INPUT, "its NDRange is not set");
  rig_fine(&rig, ww_launch_range(empty, 1, NULL, (const uint64_t[]){64}, NULL, &rig.error));
  rig_refused(&rig, run(&rig, empty), WW_BAD_INPUT, "argument 1, 'data', a buffer (global), is missing");
  rig_refused(&rig, ww_launch_local_size(empty, size, &rig.error), WW_BAD_INPUT, "argument 1, 'data', a buffer");
  rig_refused(&rig, ww_launch_local_size(NULL, size, &rig.error), WW_BAD_INPUT, "launch: is NULL");
  rig_refused(&rig, ww_launch_local_size(launch, NULL, &rig.error), WW_BAD_INPUT, "local: is NULL");
  const uint64_t wide[] = {UINT32_MAX, UINT32_MAX, UINT32_MAX}, large[] = {1024};
  rig_fine(&rig, ww_launch_range(launch, 3, NULL, wide, NULL, &rig.error));
  rig_refused(&rig, run(&rig, launch), WW_BAD_INPUT, "kernel 'plus': global: ");
  rig_fine(&rig, ww_launch_range(launch, 1, NULL, large, large, &rig.error));
  rig_refused(&rig, run(&rig, launch), WW_BAD_INPUT, "kernel 'plus': local: ");
  const ww_watch both = {.size = sizeof both, .check = true, .trace = rig_sink(&(struct kept){NULL, 0})};
  rig_fine(&rig, ww_launch_range(launch, 1, NULL, (const uint64_t[]){64}, NULL, &rig.error));
  rig_refused(&rig, ww_run(rig.device, &launch, 1, &both, NULL, &rig.error), WW_BAD_INPUT, "trace: ");
  rig_fine(&rig, run(&rig, launch));
  ww_launch_unref(launch);
  ww_launch_unref(foreign);
  ww_launch_unref(empty);
  ww_buffer_unref(data);
  ww_buffer_unref(foreign_data);
  rig_free(&rig);
  rig_free(&other);
}

static bool run_again(void *self, uint64_t now, uint64_t done, uint64_t groups) {
  struct rig *rig = self;
  ct_freed(ww_launch_unref_at) ww_launch *launch = rig_launch(rig, "hang", 64, 64);
  (void)now, (void)done, (void)groups;
  rig_refused(rig, run(rig, launch), WW_BAD_INPUT, "device: is running launches");
  return false;
}

TEST(errors, a_run_inside_a_run_of_the_same_device_is_refused) {
  ct_freed(rig_free) struct rig rig = rig_new("teaching");
  ct_freed(ww_launch_unref_at) ww_launch *launch = rig_launch(&rig, "spin", 64, 64);
  const ww_watch watch = {.size = sizeof watch, .self = &rig, .tick = run_again};
  EXPECT_EQ(ww_run(rig.device, &launch, 1, &watch, NULL, NULL), WW_CANCELLED);
}

/* ---- reports and traces --------------------------------------------------------------------------------- */

static bool no_metric(void *self, const ww_metric *metric) {
  (void)self, (void)metric;
  return false;
}

TEST(errors, of_reports) {
  ct_freed(rig_free) struct rig rig = rig_new("teaching");
  ct_freed(ww_buffer_unref_at) ww_buffer *data = NULL;
  ct_freed(ww_launch_unref_at) ww_launch *launch = rig_plus(&rig, &data, 5);
  ct_freed(ww_report_unref_at) ww_report *report = NULL;
  struct kept kept = {NULL, 0};
  const char *text = NULL, *unit = NULL;
  double value = 0;
  rig_fine(&rig, ww_run(rig.device, &launch, 1, NULL, &report, &rig.error));
  static const char *const none[] = {"",
                                     "launches",
                                     "launches[1].cycles",
                                     "launches[0]",
                                     "launches[",
                                     "launches[0]cycles",
                                     "launches[99999999999999999999].cycles",
                                     "..",
                                     "launches[0].cycles.more",
                                     "launches[-1].cycles"};
  for (size_t i = 0; i < sizeof none / sizeof *none; i++)
    if (!EXPECT_FALSE(ww_report_number(report, none[i], &value, &unit)))
      ct_note("%s", none[i]);
  EXPECT_FALSE(ww_report_number(NULL, "launches[0].cycles", &value, NULL));
  EXPECT_FALSE(ww_report_number(report, NULL, &value, NULL));
  EXPECT_FALSE(ww_report_text(report, "launches[0].cycles", &text));
  EXPECT_FALSE(ww_report_number(report, "launches[0].kernel", &value, NULL));
  EXPECT_EQ(ww_report_count(report, "launches[0].cycles"), 0);
  EXPECT_EQ(ww_report_count(report, "launches[1]"), 0);
  EXPECT_TRUE(ww_report_member(report, "launches", 0) == NULL);
  EXPECT_TRUE(ww_report_member(report, "", 1000) == NULL);
  EXPECT_TRUE(ww_report_member(report, NULL, 0) == NULL);
  rig_refused(&rig, ww_report_write(NULL, WW_TEXT, rig_sink(&kept), &rig.error), WW_BAD_INPUT, "report: is NULL");
  rig_refused(&rig, ww_report_write(report, WW_CHECK, rig_sink(&kept), &rig.error), WW_UNSUPPORTED, "ww_watch.check");
  rig_refused(&rig, ww_report_write(report, WW_SARIF, rig_sink(&kept), &rig.error), WW_UNSUPPORTED, "ww_watch.check");
  rig_refused(&rig, ww_report_write(report, WW_HTML, rig_sink(&kept), &rig.error), WW_UNSUPPORTED, "ww_watch.page");
  rig_refused(&rig, ww_report_write(report, (ww_form)99, rig_sink(&kept), &rig.error), WW_BAD_INPUT, "form: 99");
  rig_refused(&rig, ww_diff(report, NULL, WW_TEXT, rig_sink(&kept), NULL, &rig.error), WW_BAD_INPUT, "b: is NULL");
  rig_refused(&rig, ww_diff(report, report, WW_HTML, rig_sink(&kept), NULL, &rig.error), WW_UNSUPPORTED, "form: ");
  rig_refused(&rig, ww_report_metrics(NULL, no_metric, NULL, &rig.error), WW_BAD_INPUT, "report: is NULL");
  rig_refused(&rig, ww_report_metrics(report, NULL, NULL, &rig.error), WW_BAD_INPUT, "metric: is NULL");
  rig_refused(&rig, ww_report_metrics(report, no_metric, NULL, &rig.error), WW_CANCELLED, "ended by its caller");
  EXPECT_TRUE(kept.text == NULL);
}

static bool no_point(void *self, const ww_point *point) {
  (void)self, (void)point;
  return true;
}

TEST(errors, of_traces) {
  ct_freed(rig_free) struct rig rig = rig_new("teaching");
  ct_freed(ww_buffer_unref_at) ww_buffer *data = NULL;
  ct_freed(ww_launch_unref_at) ww_launch *launch = rig_plus(&rig, &data, 5);
  ww_trace *trace = rig_record(&rig, launch), *none = NULL;
  ct_freed(ww_machine_unref_at) ww_machine *wide = NULL;
  ww_report *report = NULL;
  ww_error *error = &rig.error;
  struct kept kept = {NULL, 0};
  rig_refused(&rig, ww_trace_open(rig.context, (ww_bytes){NULL, 0, NULL}, false, &none, error), WW_BAD_INPUT,
              "bytes.data: is NULL");
  rig_refused(&rig, ww_trace_open(rig.context, (ww_bytes){"no trace at all, that is", 24, "t"}, false, &none, error),
              WW_BAD_INPUT, "t: offset 0: expected");
  rig_refused(&rig, ww_trace_open(rig.context, (ww_bytes){"", 0, NULL}, true, &none, error), WW_BAD_INPUT,
              "the trace: ");
  EXPECT_TRUE(none == NULL);
  const ww_watch checked = {.size = sizeof checked, .check = true};
  rig_refused(&rig, ww_trace_replay(trace, NULL, &checked, &report, error), WW_BAD_INPUT, "a trace has no data");
  rig_fine(&rig, ww_machine_with(rig.machine, (const char *[]){"cu.warp_size=16"}, 1, &wide, error));
  rig_refused(&rig, ww_trace_replay(trace, wide, NULL, &report, error), WW_UNSUPPORTED, "");
  rig_refused(&rig, ww_trace_replay(NULL, NULL, NULL, &report, error), WW_BAD_INPUT, "trace: is NULL");
  EXPECT_TRUE(report == NULL);
  rig_refused(&rig, ww_explain(trace, wide, NULL, WW_TEXT, rig_sink(&kept), error), WW_UNSUPPORTED, "");
  rig_refused(&rig, ww_explain(trace, NULL, NULL, WW_SARIF, rig_sink(&kept), error), WW_UNSUPPORTED, "form: ");
  rig_refused(&rig, ww_explain(NULL, NULL, NULL, WW_TEXT, rig_sink(&kept), error), WW_BAD_INPUT, "trace: is NULL");
  const ww_axis bad = {"dma.chanels", (const char *[]){"1"}, 1}, value = {"dma.channels", (const char *[]){"no"}, 1},
                empty = {"dma.channels", NULL, 0};
  rig_refused(&rig, ww_sweep(trace, NULL, &bad, 1, NULL, no_point, NULL, error), WW_BAD_INPUT, "dma.chanels");
  rig_refused(&rig, ww_sweep(trace, NULL, &value, 1, NULL, no_point, NULL, error), WW_BAD_INPUT, "dma.channels");
  rig_refused(&rig, ww_sweep(trace, NULL, &empty, 1, NULL, no_point, NULL, error), WW_BAD_INPUT,
              "axes[0]: has no values");
  rig_refused(&rig, ww_sweep(trace, NULL, &bad, 65, NULL, no_point, NULL, error), WW_BAD_INPUT, "more than 64");
  rig_refused(&rig, ww_sweep(trace, NULL, &bad, 1, NULL, NULL, NULL, error), WW_BAD_INPUT, "point: is NULL");
  ww_trace_unref(trace);
  free(kept.text);
}

TEST(errors, of_lifting_the_limits_of_reports) {
  ct_freed(rig_free) struct rig rig = rig_new("teaching");
  const ww_watch untimed = {.size = sizeof untimed, .functional = true};
  ww_buffer *data = NULL, *other_data = NULL;
  ww_launch *launch = rig_plus(&rig, &data, 5), *other = rig_plus(&rig, &other_data, 5);
  ct_freed(ww_trace_unref_at) ww_trace *trace = rig_record(&rig, launch);
  ww_report *report = NULL, *executed = NULL, *lifted = NULL;
  ww_error *error = &rig.error;
  const uint64_t wide[] = {128}, local[] = {64};
  rig_fine(&rig, ww_launch_range(other, 1, NULL, wide, local, error));
  rig_fine(&rig, ww_run(rig.device, &other, 1, NULL, &report, error));
  rig_fine(&rig, ww_run(rig.device, &launch, 1, &untimed, &executed, error));
  rig_refused(&rig, ww_report_why(NULL, trace, false, NULL, &lifted, error), WW_BAD_INPUT, "report: is NULL");
  rig_refused(&rig, ww_report_why(report, trace, false, NULL, NULL, error), WW_BAD_INPUT, "lifted: is NULL");
  rig_refused(&rig, ww_report_why(report, NULL, false, NULL, &lifted, error), WW_BAD_INPUT,
              "trace: is NULL; only the report of a launch file can do without");
  rig_refused(&rig, ww_report_why(executed, trace, false, NULL, &lifted, error), WW_UNSUPPORTED,
              "report: the run had no timing");
  rig_refused(&rig, ww_report_why(report, trace, false, NULL, &lifted, error), WW_BAD_INPUT,
              "trace: belongs to another run: its launch 1 differs from the report's");
  ww_report_unref(report);
  rig_fine(&rig, ww_run(rig.device, (ww_launch *[]){launch, other}, 2, NULL, &report, error));
  rig_refused(&rig, ww_report_why(report, trace, false, NULL, &lifted, error), WW_BAD_INPUT,
              "trace: belongs to another run: it has 1 launch, the report has 2");
  rig_refused(&rig, ww_report_why(report, trace, false, &(ww_work){.size = 4}, &lifted, error), WW_BAD_INPUT,
              "work.size: 4 is less");
  EXPECT_TRUE(lifted == NULL);
  ww_report_unref(report);
  ww_report_unref(executed);
  ww_launch_unref(launch);
  ww_launch_unref(other);
  ww_buffer_unref(data);
  ww_buffer_unref(other_data);
}

TEST(errors, of_expressions) {
  ct_freed(rig_free) struct rig rig = rig_new("teaching");
  ct_freed(ww_expression_unref_at) ww_expression *expression = NULL;
  ww_error *error = &rig.error;
  double value = 0;
  rig_refused(&rig, ww_expression_new("a", NULL, error), WW_BAD_INPUT, "expression: is NULL");
  rig_refused(&rig, ww_expression_new(NULL, &expression, error), WW_BAD_INPUT, "text: is NULL");
  rig_refused(&rig, ww_expression_new("a +", &expression, error), WW_BAD_INPUT, "column 4: expected a number");
  EXPECT_EQ(rig.error.column, 4);
  EXPECT_TRUE(expression == NULL);
  EXPECT_EQ(ww_expression_new("a +", &expression, NULL), WW_BAD_INPUT);
  rig_fine(&rig, ww_expression_new("a + 1", &expression, error));
  rig_refused(&rig, ww_expression_value(NULL, NULL, 0, NULL, error), WW_BAD_INPUT, "expression: is NULL");
  rig_refused(&rig, ww_expression_value(expression, NULL, 1, &value, error), WW_BAD_INPUT, "columns: is NULL");
  rig_refused(&rig, ww_expression_value(expression, &(ww_column){.numbers = &value}, 1, NULL, error), WW_BAD_INPUT,
              "values: is NULL");
  rig_refused(&rig, ww_expression_value(expression, &(ww_column){NULL, NULL}, 1, &value, error), WW_BAD_INPUT,
              "columns[0]: 'a' has neither");
}

TEST(errors, of_recordings) {
  ct_freed(rig_free) struct rig rig = rig_new("teaching");
  struct kept kept = {NULL, 0}, unwanted = {NULL, 0};
  ct_freed(ww_buffer_unref_at) ww_buffer *data = NULL;
  ct_freed(ww_launch_unref_at) ww_launch *launch = rig_plus(&rig, &data, 5);
  ww_error *error = &rig.error;
  const ww_watch check = {.size = sizeof check, .check = true},
                 trace = {.size = sizeof trace, .trace = rig_sink(&unwanted)};
  rig_refused(&rig, ww_device_record(NULL, rig_sink(&kept), error), WW_BAD_INPUT, "device: is NULL");
  rig_refused(&rig, ww_device_record(rig.device, (ww_sink){NULL, NULL}, error), WW_BAD_INPUT, "sink.write: is NULL");
  rig_refused(&rig, ww_device_record_end(NULL, error), WW_BAD_INPUT, "device: is NULL");
  rig_refused(&rig, ww_device_record_end(rig.device, error), WW_BAD_INPUT, "device: is not being recorded");
  rig_fine(&rig, ww_device_record(rig.device, rig_sink(&kept), error));
  rig_refused(&rig, ww_device_record(rig.device, rig_sink(&unwanted), error), WW_BAD_INPUT,
              "device: is already being recorded");
  rig_refused(&rig, ww_run(rig.device, &launch, 1, &check, NULL, error), WW_BAD_INPUT,
              "check: the device is being recorded");
  rig_refused(&rig, ww_run(rig.device, &launch, 1, &trace, NULL, error), WW_BAD_INPUT,
              "trace: the device is being recorded");
  rig_refused(&rig, ww_device_record_end(rig.device, error), WW_UNSUPPORTED,
              "the trace has no launch: nothing was run");
  rig_fine(&rig, ww_run(rig.device, &launch, 1, &check, NULL, error));
  EXPECT_EQ(unwanted.length, 0);
  free(kept.text);
}

TEST(errors, of_launch_files) {
  ct_freed(rig_free) struct rig rig = rig_new("teaching");
  ww_report *report = NULL;
  ww_bytes file = ww_text("{\n  \"program\": \"kernel.wws\",\n  \"launches\": [ { \"kernel\": 5 } ]\n}");
  rig_refused(&rig, ww_file_run(rig.context, ww_text("{"), NULL, NULL, false, NULL, &report, &rig.error), WW_BAD_INPUT,
              "launch.json:1");
  file.name = "examples/05_double_buffer/mine.json";
  rig_refused(&rig, ww_file_run(rig.context, file, NULL, NULL, false, NULL, &report, &rig.error), WW_BAD_INPUT,
              "mine.json:3: launches[0].kernel: ");
  EXPECT_EQ(rig.error.line, 3);
  EXPECT_STREQ(rig.error.key, "launches[0].kernel");
  rig_refused(&rig, ww_file_run(NULL, file, NULL, NULL, false, NULL, &report, &rig.error), WW_BAD_INPUT,
              "context: is NULL");
  EXPECT_TRUE(report == NULL);
}

/* ---- functions that take NULL --------------------------------------------------------------------------- */

TEST(errors, null_is_harmless_to_release_and_query) {
  ww_context_unref(NULL);
  ww_machine_unref(NULL);
  ww_program_unref(NULL);
  ww_device_unref(NULL);
  ww_buffer_unref(NULL);
  ww_pipe_unref(NULL);
  ww_launch_unref(NULL);
  ww_report_unref(NULL);
  ww_trace_unref(NULL);
  ww_expression_unref(NULL);
  EXPECT_TRUE(!ww_context_ref(NULL) && !ww_machine_ref(NULL) && !ww_program_ref(NULL) && !ww_device_ref(NULL) &&
              !ww_buffer_ref(NULL) && !ww_pipe_ref(NULL) && !ww_launch_ref(NULL) && !ww_report_ref(NULL) &&
              !ww_trace_ref(NULL) && !ww_expression_ref(NULL));
  EXPECT_TRUE(!ww_buffer_data(NULL) && !ww_buffer_bytes(NULL) && !ww_buffer_address(NULL) && !ww_pipe_packets(NULL) &&
              !ww_pipe_packet(NULL, 0) && !ww_device_now(NULL) && !ww_device_machine(NULL) && !ww_launch_device(NULL) &&
              !ww_program_kernel_count(NULL) && !ww_program_kernel_at(NULL, 0) && !ww_report_finished(NULL) &&
              ww_report_end(NULL, 0) == WW_END_STOPPED && !ww_report_hazard(NULL, 0, NULL) &&
              !ww_report_start(NULL, 0) && !ww_report_cycles(NULL, 0) && !ww_report_count(NULL, "launches") &&
              !ww_report_member(NULL, "", 0) && !ww_kernel_argument(NULL, 0) && !ww_event_name(1000) &&
              !ww_event_field(0, 1000) && !ww_event_field(1000, 0) && !ww_expression_name_count(NULL) &&
              !ww_expression_name_at(NULL, 0) && !ww_number(NULL, NULL));
  EXPECT_STREQ(ww_machine_name(NULL), "");
  EXPECT_EQ(ww_event_kind(NULL), UINT32_MAX);
  EXPECT_EQ(ww_event_kind("no such kind"), UINT32_MAX);
  EXPECT_FALSE(ww_parameter_at(0, NULL));
  EXPECT_STREQ(ww_status_name((ww_status)99), "unknown status");
}
