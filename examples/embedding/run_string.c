/* Runs a kernel from a string and prints what it cost. */
#include <stdio.h>
#include <stdlib.h>
#include <warpwait.h>

static const char source[] = "kernel void scale(global float *data, float by) {\n"
                             "  local float tile[64];\n"
                             "  size_t first = 64 * get_group_id(0), i = get_local_id(0);\n"
                             "  event_t loaded = async_work_group_copy(tile, data + first, 64, 0);\n"
                             "  wait_group_events(1, &loaded);\n"
                             "  data[first + i] = by * tile[i];\n"
                             "}\n";

static ww_error error;

/* On an error, prints the library's message and exits. */
static void expect(ww_status status) {
  if (status == WW_OK)
    return;
  fprintf(stderr, "%s\n", error.text);
  exit(2);
}

static bool print(void *self, const void *data, size_t size) { return fwrite(data, 1, size, self) == size; }

int main(void) {
  const uint64_t global = 1024, local = 64;
  const float by = 3;
  ww_context *context;
  ww_machine *machine;
  ww_program *program;
  const ww_kernel *kernel;
  ww_device *device;
  ww_buffer *data;
  ww_launch *launch;
  ww_report *report;

  expect(ww_context_new(NULL, &context, &error));
  expect(ww_machine_load(context, "h200", &machine, &error));
  expect(ww_program_build(context, ww_text(source), NULL, &program, &error));
  expect(ww_program_kernel(program, "scale", &kernel, &error));
  expect(ww_device_new(machine, &device, &error));

  expect(ww_buffer_new(device, "data", global * sizeof(float), &data, &error));
  float *value = ww_buffer_data(data);
  for (size_t i = 0; i < global; i++)
    value[i] = (float)i;

  expect(ww_launch_new(device, program, kernel, &launch, &error));
  expect(ww_launch_range(launch, 1, NULL, &global, &local, &error));
  expect(ww_launch_buffer(launch, 0, data, 0, &error));
  expect(ww_launch_value(launch, 1, &by, sizeof by, &error));
  expect(ww_run(device, &launch, 1, NULL, &report, &error));

  double cycles = 0, waited = 0;
  ww_report_number(report, "launches[0].cycles", &cycles, NULL);
  ww_report_number(report, "launches[0].stalls.copy_wait", &waited, NULL);
  printf("data[1000] = %g; %.0f cycles, %.0f warp-cycles of waiting for copies\n\n", value[1000], cycles, waited);
  expect(ww_report_write(report, WW_SOURCE, (ww_sink){print, stdout}, &error));

  ww_report_unref(report);
  ww_launch_unref(launch);
  ww_buffer_unref(data);
  ww_device_unref(device);
  ww_program_unref(program);
  ww_machine_unref(machine);
  ww_context_unref(context);
  return 0;
}
