/* Runs kernels and handles their reports. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bindings/icd/icd.h"

void icd_free_launch(struct icd_launch *launch) {
  if (!launch)
    return;
  const size_t count = launch->kernel->kernel->argument_count;
  for (size_t i = 0; i < count; i++)
    icd_unref(launch->arguments[i].memory);
  icd_unset_arguments(launch->arguments, count);
  icd_unref(launch->kernel);
  free(launch->outcome.bound);
  free(launch);
}

void icd_drop_launch(struct icd_command *command) { icd_free_launch(command->launch); }

/* ---- preparing -------------------------------------------------------------------------------------------- */

/* The buffer into which a pointer to shared virtual memory points; NULL: it has been freed. */
static ww_buffer *on_pointer(const struct icd_launch *launch, const void *pointer, cl_device_id device,
                             uint64_t *offset) {
  const struct icd_svm *svm = icd_find_svm(launch->kernel->program->context, pointer, 1);
  *offset = svm ? (uint64_t)((const uint8_t *)pointer - svm->at) : 0;
  return svm ? icd_svm_on_device(svm, device) : NULL;
}

/* Unless the launch is `to_run`, buffers stay where they are, and null pointers replace them. */
static ww_status set_on(ww_launch *to, uint32_t i, const struct icd_launch *from, cl_device_id device, bool to_run,
                        ww_error *error) {
  const struct icd_argument *argument = &from->arguments[i];
  uint64_t offset = 0;
  ww_buffer *buffer = NULL;
  ww_image *image = NULL;
  switch (argument->kind) {
  case WW_ARGUMENT_BUFFER:
    if (!to_run)
      return ww_launch_buffer(to, i, NULL, 0, error);
    buffer = argument->memory    ? icd_on_device(argument->memory, device, &offset)
             : argument->pointer ? on_pointer(from, argument->pointer, device, &offset)
                                 : NULL;
    if ((argument->memory || argument->pointer) && !buffer)
      return WW_NO_MEMORY;
    return ww_launch_buffer(to, i, buffer, offset, error);
  case WW_ARGUMENT_PIPE:
    return ww_launch_pipe(to, i, argument->memory->pipe, error);
  case WW_ARGUMENT_LOCAL:
    return ww_launch_local(to, i, argument->size, error);
  case WW_ARGUMENT_VALUE:
    return ww_launch_value(to, i, argument->value, argument->size, error);
  case WW_ARGUMENT_IMAGE:
    image = icd_image_on(argument->memory, device);
    return image ? ww_launch_image(to, i, image, error) : WW_NO_MEMORY;
  case WW_ARGUMENT_SAMPLER:
    return ww_launch_sampler(to, i, argument->sampler, error);
  }
  return WW_DEFECT;
}

static ww_status prepare(const struct icd_launch *from, cl_device_id device, bool to_run, ww_launch **made,
                         ww_error *error) {
  ww_status status = ww_launch_new(device->device, from->kernel->built, from->kernel->kernel, made, error);
  if (status == WW_OK)
    status = ww_launch_range(*made, from->dimensions, from->offset, from->global, from->has_local ? from->local : NULL,
                             error);
  for (uint32_t i = 0; status == WW_OK && i < from->kernel->kernel->argument_count; i++)
    status = set_on(*made, i, from, device, to_run, error);
  return status;
}

cl_int icd_find_local(const struct icd_launch *launch, cl_device_id device, uint64_t local[3], ww_error *error) {
  ww_launch *made = NULL;
  *error = (ww_error){.text = "out of memory"};
  ww_status status = prepare(launch, device, false, &made, error);
  if (status == WW_OK)
    status = ww_launch_local_size(made, local, error);
  ww_launch_unref(made);
  return status == WW_OK ? CL_SUCCESS : status == WW_NO_MEMORY ? CL_OUT_OF_HOST_MEMORY : CL_OUT_OF_RESOURCES;
}

/* ---- watching --------------------------------------------------------------------------------------------- */

/* Launches that run at once. Hazards and output of autorun kernels are attributed to the last of them. */
struct batch {
  struct icd_command *const *commands;
  size_t count;
  bool wanted; /* icd_is_wanted() is true for one of the kernels */
};

static struct icd_launch *launch_of(const struct batch *batch, size_t number) {
  return batch->commands[number < batch->count ? number : batch->count - 1]->launch;
}

static void print(void *self, uint32_t launch, const char *text, size_t size) {
  (void)self, (void)launch;
  if (fwrite(text, 1, size, stdout) != size)
    icd_report_lost("standard output", errno);
}

static void take_hazard(void *self, const ww_hazard *hazard) {
  struct icd_launch *launch = launch_of(self, hazard->launch);
  launch->outcome.hazards += hazard->count;
  icd_log_hazard(launch, hazard);
}

/* A run without timing is neither checked nor has a page. */
static ww_watch watch_of(struct batch *batch) {
  const struct icd_settings *settings = icd_settings();
  const bool wanted = batch->wanted, functional = settings->functional && (!wanted || !settings->only);
  const bool check = settings->check && wanted && !functional;
  for (size_t i = 0; i < batch->count; i++) {
    batch->commands[i]->launch->outcome.functional = functional;
    batch->commands[i]->launch->outcome.checked = check;
  }
  return (ww_watch){.size = sizeof(ww_watch),
                    .self = batch,
                    .print = print,
                    .hazard = wanted ? take_hazard : NULL,
                    .functional = functional,
                    .check = check,
                    .page = settings->html && wanted && !functional,
                    .threads = settings->threads};
}

/* ---- reporting -------------------------------------------------------------------------------------------- */

/* Writes DIR/saxpy-0.html (0 is the device's number). */
static void write_page(const struct icd_launch *launch, const struct _cl_device_id *device, const ww_report *report) {
  const char *folder = icd_settings()->html;
  char path[ICD_PATH];
  struct icd_text page = {NULL, 0};
  mkdir(folder, 0777); /* if this fails, so does writing */
  snprintf(path, sizeof path, "%.3000s/%.200s-%u.html", folder, launch->kernel->kernel->name, device->number);
  if (ww_report_write(report, WW_HTML, (ww_sink){icd_add, &page}, NULL) == WW_OK)
    icd_write_file(path, page.text, page.length);
  else
    icd_report_lost(path, ENOMEM);
  free(page.text);
}

/* Logs the report if this is the kernel's longest launch, and stores what bounds it. */
static void log_report(struct icd_launch *launch, size_t number, const struct _cl_device_id *device,
                       const ww_report *report) {
  const char *bound = NULL;
  char key[64];
  if ((!icd_settings()->log && !icd_settings()->html) || !icd_is_longest(launch, device->machine))
    return;
  snprintf(key, sizeof key, "launches[%zu].bottleneck.sentence", number);
  if (ww_report_text(report, key, &bound))
    launch->outcome.bound = strdup(bound);
  icd_log_report(launch, device->machine, report);
  if (icd_settings()->html)
    write_page(launch, device, report);
}

/* Launches that run at once fail together. */
static void explain(const struct batch *batch, const char *reason) {
  for (size_t i = 0; i < batch->count; i++)
    icd_explain(batch->commands[i], reason);
}

static void report_unfinished(const struct batch *batch, const ww_report *report) {
  char text[ICD_REASON], key[64];
  size_t which = 0;
  while (which + 1 < batch->count && ww_report_end(report, which) == WW_END_FINISHED)
    which++;
  const bool stuck = ww_report_end(report, which) == WW_END_DEADLOCK;
  const char *sentence = "";
  snprintf(key, sizeof key, "launches[%zu].bottleneck.sentence", which);
  ww_report_text(report, key, &sentence);
  const char *figures = strstr(sentence, ". The figures");
  snprintf(text, sizeof text, "kernel %.200s does not finish: %.*s", launch_of(batch, which)->kernel->kernel->name,
           stuck || !figures ? (int)sizeof text : (int)(figures - sentence),
           stuck      ? "deadlock: its warps wait forever; `warpwait exec` reports where"
           : !figures ? "the cycle limit is reached"
                      : sentence);
  explain(batch, text);
}

/* ---- running ---------------------------------------------------------------------------------------------- */

bool icd_has_channels(const struct icd_launch *launch) { return ww_program_channels(launch->kernel->built); }

static ww_status run_batch(struct batch *batch, cl_device_id device, const ww_watch *watch, ww_report **report,
                           ww_error *error) {
  ww_launch *made[WW_TOGETHER] = {NULL};
  const struct icd_launch *first = batch->commands[0]->launch;
  struct icd_capture *captured = NULL;
  ww_status status = WW_OK;
  for (size_t i = 0; status == WW_OK && i < batch->count; i++)
    status = prepare(batch->commands[i]->launch, device, true, &made[i], error);
  /* A launch file of one launch alone would not reproduce a run of several that channels connect. */
  if (status == WW_OK && batch->wanted && !icd_has_channels(first))
    captured = icd_capture_begin(first, device);
  icd_record(device);
  if (status == WW_OK)
    status = ww_run(device->device, made, batch->count, watch, report, error);
  for (size_t i = 0; i < batch->count; i++)
    ww_launch_unref(made[i]);
  icd_capture_end(captured, status == WW_OK && ww_report_finished(*report));
  return status;
}

cl_int icd_run_launches(struct icd_command *const *commands, size_t count, struct icd_work *works) {
  struct batch batch = {commands, count, false};
  for (size_t i = 0; i < count; i++)
    batch.wanted |= icd_is_wanted(commands[i]->launch->kernel->kernel->name);
  const cl_device_id device = commands[0]->event->queue->device;
  const ww_watch watch = watch_of(&batch);
  ww_report *report = NULL;
  ww_error error = {.text = "out of memory"};
  const ww_status status = run_batch(&batch, device, &watch, &report, &error);
  if (status != WW_OK) {
    explain(&batch, error.text);
    return status == WW_NO_MEMORY ? CL_OUT_OF_HOST_MEMORY : CL_OUT_OF_RESOURCES;
  }
  const bool finished = ww_report_finished(report);
  if (!finished)
    report_unfinished(&batch, report);
  if (fflush(stdout) != 0)
    icd_report_lost("standard output", errno);
  for (size_t i = 0; i < count; i++) {
    struct icd_launch *launch = commands[i]->launch;
    if (!launch->outcome.functional)
      launch->outcome.cycles = (double)(ww_report_cycles(report, i) + device->host.launch_cycles);
    if (batch.wanted)
      log_report(launch, i, device, report);
    works[i] = (struct icd_work){ICD_COMPUTE, launch->outcome.cycles / device->clock_ghz, 0};
  }
  ww_report_unref(report);
  return finished ? CL_COMPLETE : CL_OUT_OF_RESOURCES;
}

cl_int icd_run_launch(struct icd_command *command, struct icd_work *work) {
  return icd_run_launches(&command, 1, work);
}
