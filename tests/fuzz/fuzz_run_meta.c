/* libFuzzer: any bytes in the meta `run` of an otherwise intact trace. The job is refused in one line, or has the
 * trace's launches. Runs from the root of the project. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sim/replay/recorder.h"
#include "sim/replay/trace_job.h"
#include "sim/session/run.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char launch[] =
    "{\"program\": \"kernel.wws\", \"buffers\": {\"data\": {\"bytes\": 512}}, \"launches\": [{\"kernel\": \"seed\", "
    "\"global\": [128], \"local\": [64], \"args\": [{\"buffer\": \"data\"}]}]}";

static char recorded[64], changed[64];

static void make_file(char path[64]) {
  const int file = memfd_create("trace", 0);
  if (file < 0)
    abort();
  snprintf(path, 64, "/proc/self/fd/%d", file);
}

static void check(bool good, const char *text) {
  if (good)
    return;
  fprintf(stderr, "%s\n", text);
  abort();
}

static void record(void) {
  const struct job_request request = {0};
  struct message error = {0};
  struct message message = {""};
  struct job job = {0};
  struct launch_result *results = NULL;
  size_t count = 0;
  make_file(recorded);
  make_file(changed);
  check(launch_parse(launch, sizeof launch - 1, "examples/01_seed/launch.json", &request, &job, &message),
        message.text);
  struct recorder *recorder = recorder_new(trace_writer_open(recorded, &error));
  check(recorder, error.text);
  const struct run_watcher watcher = recorder_watcher(recorder);
  struct run_options how = {.max_cycles = 100000};
  run_watch(&how, &watcher);
  trace_job_write(&job, how.max_cycles, recorder_writer(recorder));
  check(run_job(&job, &how, &results, &count, &message), message.text);
  check(recorder_close(recorder, &error), error.text);
  run_free(results, count);
  job_free(&job);
}

/* Writes the trace with another `run`. */
static void change(const uint8_t *data, size_t size) {
  struct message error = {0};
  struct trace *trace = trace_open(recorded, TRACE_WHOLE, &error);
  struct trace_writer *writer = trace ? trace_writer_open(changed, &error) : NULL;
  const char *name;
  check(writer, error.text);
  for (uint32_t i = 0; (name = trace_meta_name(trace, i)); i++) {
    size_t bytes = 0;
    const char *meta = trace_meta(trace, name, &bytes);
    const bool own = strcmp(name, "run") == 0;
    trace_write_meta(writer, name, own ? (const char *)data : meta, own ? size : bytes);
  }
  for (uint32_t i = 0; i < trace_programs(trace); i++) {
    uint32_t count = 0;
    const uint8_t *kinds = trace_program(trace, i, &count);
    trace_write_program(writer, kinds, count);
  }
  for (uint32_t i = 0; i < trace_launches(trace); i++)
    trace_write_launch(writer, trace_launch(trace, i));
  check(trace_writer_close(writer, &error), error.text);
  trace_close(trace);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const struct job_request request = {0};
  struct message error = {0};
  struct message message = {""};
  struct job job = {0};
  cycle_t cycles = 0;
  if (!*recorded)
    record();
  change(data, size);
  struct trace *trace = trace_open(changed, TRACE_WHOLE, &error);
  check(trace, error.text);
  const bool good = trace_job_read(trace, "fuzz.wwt", &request, &job, &cycles, &message);
  if (good ? job.launch_count != trace_launches(trace) : !message.text[0])
    abort();
  job_free(&job);
  trace_close(trace);
  return 0;
}
