/* How long it takes to launch a small kernel repeatedly on one device of this process.
 *
 * usage: launches MACHINE COUNT [KEY]    prints the microseconds per launch; with KEY, reads that number from each
 * report and also prints the sum */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <warpwait.h>

static const char source[] = "kernel void add(global uint *x) { x[get_global_id(0)] += 1; }\n";

static ww_error error;

static void expect(ww_status status) {
  if (status == WW_OK)
    return;
  fprintf(stderr, "%s\n", error.text);
  exit(2);
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int argc, char **argv) {
  const uint64_t global = 64;
  const unsigned long count = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
  const char *key = argc > 3 ? argv[3] : NULL;
  ww_context *context;
  ww_machine *machine;
  ww_program *program;
  const ww_kernel *kernel;
  ww_device *device;
  ww_buffer *data;
  ww_launch *launch;
  double sum = 0;
  if (!count) {
    fprintf(stderr, "usage: launches MACHINE COUNT [KEY]\n");
    return 2;
  }
  expect(ww_context_new(NULL, &context, &error));
  expect(ww_machine_load(context, argv[1], &machine, &error));
  expect(ww_program_build(context, ww_text(source), NULL, &program, &error));
  expect(ww_program_kernel(program, NULL, &kernel, &error));
  expect(ww_device_new(machine, &device, &error));
  expect(ww_buffer_new(device, "x", 4 * global, &data, &error));
  expect(ww_launch_new(device, program, kernel, &launch, &error));
  expect(ww_launch_range(launch, 1, NULL, &global, &global, &error));
  expect(ww_launch_buffer(launch, 0, data, 0, &error));
  const double begun = seconds();
  for (unsigned long i = 0; i < count; i++) {
    ww_report *report = NULL;
    double value = 0;
    expect(ww_run(device, &launch, 1, NULL, &report, &error));
    if (key && !ww_report_number(report, key, &value, NULL))
      return 2;
    sum += value;
    ww_report_unref(report);
  }
  const double taken = seconds() - begun;
  if (*(uint32_t *)ww_buffer_data(data) != (uint32_t)count) {
    fprintf(stderr, "x[0] is %u after %lu launches\n", *(uint32_t *)ww_buffer_data(data), count);
    return 2;
  }
  printf("%.2f %.0f\n", 1e6 * taken / (double)count, sum);
  ww_launch_unref(launch);
  ww_buffer_unref(data);
  ww_device_unref(device);
  ww_program_unref(program);
  ww_machine_unref(machine);
  ww_context_unref(context);
  return 0;
}
