/* Records a kernel once and replays it on machines with 1 to 8 DMA channels. */
#include <stdio.h>
#include <stdlib.h>
#include <warpwait/analyse.h>

static const char source[] = "kernel void gather(global const float *in, global float *out) {\n"
                             "  local float tile[4][64];\n"
                             "  event_t loaded = 0;\n"
                             "  for (int row = 0; row < 4; row++)\n"
                             "    loaded = async_work_group_strided_copy(tile[row], in + row, 64, 4, loaded);\n"
                             "  wait_group_events(1, &loaded);\n"
                             "  size_t i = get_local_id(0);\n"
                             "  out[get_global_id(0)] = tile[0][i] + tile[1][i] + tile[2][i] + tile[3][i];\n"
                             "}\n";

static ww_error error;

static void expect(ww_status status) {
  if (status == WW_OK)
    return;
  fprintf(stderr, "%s\n", error.text);
  exit(2);
}

struct bytes {
  char *at;
  size_t size;
};

static bool keep(void *self, const void *data, size_t size) {
  struct bytes *bytes = self;
  char *more = realloc(bytes->at, bytes->size + size);
  if (!more)
    return false;
  memcpy(more + bytes->size, data, size);
  bytes->at = more;
  bytes->size += size;
  return true;
}

static const char *const channels[] = {"1", "2", "4", "8"};

/* Points arrive in any order, so results are stored by number. */
static bool take(void *self, const ww_point *point) {
  double *cycles = self;
  if (point->error)
    fprintf(stderr, "dma.channels=%s: %s\n", channels[point->index[0]], point->error->text);
  return ww_report_number(point->report, "launches[0].cycles", &cycles[point->number], NULL) || point->error;
}

static ww_trace *record(ww_context *context, ww_machine *machine) {
  const uint64_t global = 256, local = 64;
  struct bytes bytes = {NULL, 0};
  ww_watch watch = {.size = sizeof watch, .trace = {keep, &bytes}};
  ww_program *program;
  const ww_kernel *kernel;
  ww_device *device;
  ww_buffer *in, *out;
  ww_launch *launch;
  ww_trace *trace;
  expect(ww_program_build(context, ww_text(source), NULL, &program, &error));
  expect(ww_program_kernel(program, NULL, &kernel, &error));
  expect(ww_device_new(machine, &device, &error));
  expect(ww_buffer_new(device, "in", 4096, &in, &error));
  expect(ww_buffer_new(device, "out", 1024, &out, &error));
  expect(ww_launch_new(device, program, kernel, &launch, &error));
  expect(ww_launch_range(launch, 1, NULL, &global, &local, &error));
  expect(ww_launch_buffer(launch, 0, in, 0, &error));
  expect(ww_launch_buffer(launch, 1, out, 0, &error));
  expect(ww_run(device, &launch, 1, &watch, NULL, &error));
  expect(ww_trace_open(context, (ww_bytes){bytes.at, bytes.size, "gather"}, false, &trace, &error));
  free(bytes.at);
  ww_launch_unref(launch);
  ww_buffer_unref(out);
  ww_buffer_unref(in);
  ww_device_unref(device);
  ww_program_unref(program);
  return trace;
}

int main(void) {
  enum { COUNT = sizeof channels / sizeof *channels };
  const ww_axis axis = {"dma.channels", channels, COUNT};
  double cycles[COUNT] = {0};
  ww_context *context;
  ww_machine *machine;
  expect(ww_context_new(NULL, &context, &error));
  expect(ww_machine_load(context, "teaching", &machine, &error));
  ww_trace *trace = record(context, machine);
  expect(ww_sweep(trace, NULL, &axis, 1, NULL, take, cycles, &error));
  for (size_t i = 0; i < COUNT; i++)
    printf("dma.channels = %s: %.0f cycles\n", channels[i], cycles[i]);
  ww_trace_unref(trace);
  ww_machine_unref(machine);
  ww_context_unref(context);
  return 0;
}
