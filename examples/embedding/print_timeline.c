/* Prints what the DMA engine does and when: one line per copy, while the kernel runs. */
#include <stdio.h>
#include <stdlib.h>
#include <warpwait.h>

/* Assembly needs no compiler: two copies into the LDS, and a wait for each. */
static const char source[] = ".kernel two_copies\n"
                             ".arg   a global\n"
                             ".arg   b global\n"
                             ".reg   first, second\n"
                             ".reg64 p, q\n"
                             ".lds   tile 2048\n"
                             "  ld.arg.b64  p, a\n"
                             "  ld.arg.b64  q, b\n"
                             "  copy.to_lds first, [tile], [p], 256, size=4\n"
                             "  copy.to_lds second, [tile+1024], [q], 256, size=4\n"
                             "  wait first\n"
                             "  wait second\n"
                             "  exit\n";

static ww_error error;

static void expect(ww_status status) {
  if (status == WW_OK)
    return;
  fprintf(stderr, "%s\n", error.text);
  exit(2);
}

static void print(void *self, const ww_event *event) {
  enum { WIDTH = 60 };
  const double scale = *(const double *)self;
  const int from = (int)((double)event->from * scale), to = (int)((double)event->to * scale);
  printf("cu %u  %6llu ..%6llu  |", event->cu, (unsigned long long)event->from, (unsigned long long)event->to);
  for (int i = 0; i < WIDTH; i++)
    putchar(i >= from && i <= to ? '#' : '.');
  puts("|");
}

int main(void) {
  const uint64_t global = 128, local = 64;
  double scale = 60.0 / 800;
  ww_watch watch = {.size = sizeof watch, .self = &scale, .event = print};
  ww_context *context;
  ww_machine *machine;
  ww_program *program;
  const ww_kernel *kernel;
  ww_device *device;
  ww_buffer *from[2];
  ww_launch *launch;
  watch.event_kinds = UINT64_C(1) << ww_event_kind("copy");
  expect(ww_context_new(NULL, &context, &error));
  expect(ww_machine_load(context, "teaching", &machine, &error));
  expect(ww_program_build(context, ww_text(source), NULL, &program, &error));
  expect(ww_program_kernel(program, "two_copies", &kernel, &error));
  expect(ww_device_new(machine, &device, &error));
  expect(ww_launch_new(device, program, kernel, &launch, &error));
  expect(ww_launch_range(launch, 1, NULL, &global, &local, &error));
  for (uint32_t i = 0; i < 2; i++) {
    expect(ww_buffer_new(device, i ? "b" : "a", 1024, &from[i], &error));
    expect(ww_launch_buffer(launch, i, from[i], 0, &error));
  }
  expect(ww_run(device, &launch, 1, &watch, NULL, &error));
  ww_launch_unref(launch);
  ww_buffer_unref(from[0]);
  ww_buffer_unref(from[1]);
  ww_device_unref(device);
  ww_program_unref(program);
  ww_machine_unref(machine);
  ww_context_unref(context);
  return 0;
}
