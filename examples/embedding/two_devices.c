/* Runs two devices in two threads. Threads share contexts, machines and programs, but each device belongs to one
 * thread. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <warpwait.h>

static const char source[] = "kernel void iterate(global uint *data, uint times) {\n"
                             "  uint x = data[get_global_id(0)];\n"
                             "  for (uint i = 0; i < times; i++)\n"
                             "    x = x * 1664525u + 1013904223u;\n"
                             "  data[get_global_id(0)] = x;\n"
                             "}\n";

/* One per thread, because calls from different threads need separate error objects. */
struct work {
  ww_machine *machine;
  ww_program *program;
  double cycles;
  uint64_t now;
  ww_error error;
};

static ww_status run(struct work *work, ww_device *device, ww_buffer *data, ww_launch *launch) {
  const uint64_t global = 1024, local = 128;
  const uint32_t times = 100;
  ww_error *error = &work->error;
  ww_status status = ww_launch_range(launch, 1, NULL, &global, &local, error);
  if (!status)
    status = ww_launch_buffer(launch, 0, data, 0, error);
  if (!status)
    status = ww_launch_value(launch, 1, &times, sizeof times, error);
  for (int i = 0; !status && i < 10; i++) {
    ww_report *report = NULL;
    double cycles = 0;
    status = ww_run(device, &launch, 1, NULL, &report, error);
    if (ww_report_number(report, "launches[0].cycles", &cycles, NULL))
      work->cycles += cycles;
    ww_report_unref(report);
  }
  work->now = ww_device_now(device);
  return status;
}

static void *work_on(void *self) {
  struct work *work = self;
  const ww_kernel *kernel;
  ww_device *device = NULL;
  ww_buffer *data = NULL;
  ww_launch *launch = NULL;
  if (!ww_program_kernel(work->program, NULL, &kernel, &work->error) &&
      !ww_device_new(work->machine, &device, &work->error) &&
      !ww_buffer_new(device, "data", 4096, &data, &work->error) &&
      !ww_launch_new(device, work->program, kernel, &launch, &work->error))
    run(work, device, data, launch);
  ww_launch_unref(launch);
  ww_buffer_unref(data);
  ww_device_unref(device);
  return NULL;
}

int main(void) {
  static const char *const names[2] = {"teaching", "h200"};
  struct work work[2] = {{.cycles = 0}};
  pthread_t thread[2];
  ww_context *context = NULL;
  ww_program *program = NULL;
  ww_error error = {.status = WW_OK};
  int status = 0;
  if (ww_context_new(NULL, &context, &error) || ww_program_build(context, ww_text(source), NULL, &program, &error) ||
      ww_machine_load(context, names[0], &work[0].machine, &error) ||
      ww_machine_load(context, names[1], &work[1].machine, &error)) {
    fprintf(stderr, "%s\n", error.text);
    return 2;
  }
  for (int i = 0; i < 2; i++) {
    work[i].program = program;
    if (pthread_create(&thread[i], NULL, work_on, &work[i]) != 0)
      return 2;
  }
  for (int i = 0; i < 2; i++) {
    pthread_join(thread[i], NULL);
    if (work[i].error.status) {
      fprintf(stderr, "%s: %s\n", names[i], work[i].error.text);
      status = 2;
    }
    printf("%-8s  10 launches of %.0f cycles in all; it is cycle %llu there\n", names[i], work[i].cycles,
           (unsigned long long)work[i].now);
    ww_machine_unref(work[i].machine);
  }
  ww_program_unref(program);
  ww_context_unref(context);
  return status;
}
