/* Launches: a kernel, its NDRange and its arguments, as the caller set them. run.c turns them into jobs. */
#include <inttypes.h>
#include <stdio.h>

#include "models/machine.h"
#include "sim/api/api.h"
#include "sim/base/need.h"
#include "sim/launch/job_images.h"

struct new_call {
  ww_device *device;
  ww_program *program;
  const ww_kernel *kernel;
  ww_launch **made;
};

static bool has_kernel(const ww_program *program, const ww_kernel *kernel) {
  size_t i = 0;
  while (i < program->kernel_count && &program->kernels[i].face != kernel)
    i++;
  return i < program->kernel_count;
}

static ww_status make_launch(void *self, struct message *message) {
  struct new_call *call = self;
  if (!has_kernel(call->program, call->kernel))
    return api_judge(message_fail(message, "kernel: belongs to another program"));
  if (call->kernel->refused)
    return api_judge(message_fail(message, "%s", call->kernel->refused));
  ww_launch *launch = need(1, sizeof *launch);
  launch->arguments = need(call->kernel->argument_count, sizeof *launch->arguments);
  atomic_init(&launch->references, 1);
  launch->device = ww_device_ref(call->device);
  launch->program = ww_program_ref(call->program);
  launch->kernel = call->kernel;
  launch->as_set = (struct launch){.program = &call->program->program, .kernel = call->kernel->name};
  *call->made = launch;
  return WW_OK;
}

ww_status ww_launch_new(ww_device *device, ww_program *program, const ww_kernel *kernel, ww_launch **launch,
                        ww_error *error) {
  struct new_call call = {device, program, kernel, launch};
  API_MADE(launch);
  API_GIVEN(device);
  API_GIVEN(program);
  API_GIVEN(kernel);
  return api_try(NULL, make_launch, &call, error);
}

API_REF(ww_launch)

static void unset(struct api_argument *argument) {
  if (argument->is_pipe)
    ww_pipe_unref((ww_pipe *)argument->buffer);
  else
    ww_buffer_unref(argument->buffer);
  ww_image_unref(argument->image);
  free((void *)(uintptr_t)argument->value.value);
  *argument = (struct api_argument){0};
}

void ww_launch_unref(ww_launch *launch) {
  if (!launch || !api_unref(&launch->references))
    return;
  for (size_t i = 0; i < launch->kernel->argument_count; i++)
    unset(&launch->arguments[i]);
  free(launch->arguments);
  ww_program_unref(launch->program);
  ww_device_unref(launch->device);
  free(launch);
}

ww_device *ww_launch_device(const ww_launch *launch) { return launch ? launch->device : NULL; }

/* ---- the NDRange ------------------------------------------------------------------------------------------------ */

struct range_call {
  ww_launch *launch;
  uint32_t dimensions;
  const uint64_t *offset, *global, *local;
};

/* Each number must fit 32 bits, the size of the kernel's counters. */
static bool read_range(const char *what, const uint64_t *from, uint32_t dimensions, uint32_t least, uint32_t to[3],
                       struct message *message) {
  for (uint32_t i = 0; i < dimensions; i++) {
    if (from[i] < least || from[i] > UINT32_MAX)
      return message_fail(message, "%s[%u]: %" PRIu64 " is outside [%u, %u] work-items", what, i, from[i], least,
                          UINT32_MAX);
    to[i] = (uint32_t)from[i];
  }
  return true;
}

static ww_status set_range(void *self, struct message *message) {
  struct range_call *call = self;
  const uint32_t dimensions = call->dimensions;
  struct launch made = call->launch->as_set;
  made.dimensions = dimensions;
  for (unsigned i = 0; i < 3; i++) {
    made.global[i] = made.local[i] = 1;
    made.offset[i] = 0;
  }
  if (!dimensions || dimensions > 3)
    return api_judge(message_fail(message, "dimensions: %u is outside [1, 3]", dimensions));
  if ((call->offset && !read_range("offset", call->offset, dimensions, 0, made.offset, message)) ||
      !read_range("global", call->global, dimensions, 1, made.global, message) ||
      (call->local && !read_range("local", call->local, dimensions, 1, made.local, message)))
    return WW_BAD_INPUT;
  if (!call->local)
    made.local[0] = 0;
  call->launch->as_set = made;
  return WW_OK;
}

ww_status ww_launch_range(ww_launch *launch, uint32_t dimensions, const uint64_t *offset, const uint64_t *global,
                          const uint64_t *local, ww_error *error) {
  struct range_call call = {launch, dimensions, offset, global, local};
  API_GIVEN(launch);
  API_GIVEN(global);
  return api_try(NULL, set_range, &call, error);
}

/* ---- arguments -------------------------------------------------------------------------------------------------- */

struct set_call {
  ww_launch *launch;
  uint32_t index;
  struct api_argument made; /* `value` still points to the caller's data */
};

/* Adds "argument 2, 'n': " before the message. */
static ww_status refuse(const struct set_call *call, struct message *message) {
  char place[160];
  snprintf(place, sizeof place, "kernel '%.60s': argument %u, '%.60s'", call->launch->kernel->name, call->index + 1,
           ww_kernel_argument(call->launch->kernel, call->index)->name);
  message_within(message, place);
  return WW_BAD_INPUT;
}

static ww_status set_argument(void *self, struct message *message) {
  struct set_call *call = self;
  const ww_kernel *kernel = call->launch->kernel;
  struct job_argument *value = &call->made.value;
  if (call->index >= kernel->argument_count)
    return api_judge(message_fail(message, "index: %u: kernel '%.60s' has %zu argument%s", call->index, kernel->name,
                                  kernel->argument_count, text_s(kernel->argument_count)));
  const struct isa_kernel *isa = isa_find_kernel(call->launch->program->program.isa, kernel->name);
  const ww_image *image = call->made.image;
  if (!job_argument_fits(&isa->args[call->index], value, message) ||
      (image && !job_image_fits(&isa->args[call->index], &image->shape, message)))
    return refuse(call, message);
  if (value->value) {
    uint8_t *copy = need(value->bytes, 1);
    memcpy(copy, value->value, value->bytes);
    value->value = copy;
  }
  if (call->made.is_pipe)
    ww_pipe_ref((ww_pipe *)call->made.buffer);
  else
    ww_buffer_ref(call->made.buffer);
  ww_image_ref(call->made.image);
  struct api_argument before = call->launch->arguments[call->index];
  call->launch->arguments[call->index] = call->made;
  call->made = before; /* dropped by set() */
  return WW_OK;
}

static ww_status set(struct set_call *call, ww_error *error) {
  const ww_status status = api_try(NULL, set_argument, call, error);
  if (status == WW_OK)
    unset(&call->made);
  return status;
}

ww_status ww_launch_value(ww_launch *launch, uint32_t index, const void *value, size_t size, ww_error *error) {
  API_GIVEN(launch);
  API_GIVEN(value);
  struct set_call call = {
      launch, index, {.value = {.kind = ARGUMENT_VALUE, .bytes = size, .value = value, .type = "a value"}}};
  return set(&call, error);
}

ww_status ww_launch_buffer(ww_launch *launch, uint32_t index, ww_buffer *buffer, uint64_t offset, ww_error *error) {
  API_GIVEN(launch);
  struct set_call call = {launch, index, {.value = {.kind = ARGUMENT_NULL}}};
  if (buffer && buffer->device != launch->device)
    return api_fail(error, WW_BAD_INPUT, "buffer: belongs to another device");
  if (buffer && offset >= buffer->bytes)
    return api_fail(error, WW_BAD_INPUT, "offset: %" PRIu64 " is outside [0, %" PRIu64 "] bytes of buffer '%s'", offset,
                    buffer->bytes - 1, buffer->name);
  if (buffer) {
    call.made.value = (struct job_argument){.kind = ARGUMENT_BUFFER, .bytes = offset};
    call.made.buffer = buffer;
  }
  return set(&call, error);
}

ww_status ww_launch_local(ww_launch *launch, uint32_t index, uint64_t bytes, ww_error *error) {
  API_GIVEN(launch);
  struct set_call call = {launch, index, {.value = {.kind = ARGUMENT_LOCAL, .bytes = bytes}}};
  const uint32_t most = launch->device->machine->machine->lds.size;
  if (!bytes || bytes > most)
    return api_fail(error, WW_BAD_INPUT, "bytes: %" PRIu64 " is outside [1, %u] bytes, the lds.size of machine '%.40s'",
                    bytes, most, launch->device->machine->machine->name);
  return set(&call, error);
}

ww_status ww_launch_pipe(ww_launch *launch, uint32_t index, ww_pipe *pipe, ww_error *error) {
  API_GIVEN(launch);
  API_GIVEN(pipe);
  if (pipe->buffer.device != launch->device)
    return api_fail(error, WW_BAD_INPUT, "pipe: belongs to another device");
  struct set_call call = {launch, index, {.is_pipe = true, .value = {.kind = ARGUMENT_PIPE}, .buffer = &pipe->buffer}};
  return set(&call, error);
}

ww_status ww_launch_image(ww_launch *launch, uint32_t index, ww_image *image, ww_error *error) {
  API_GIVEN(launch);
  API_GIVEN(image);
  if (image->buffer->device != launch->device)
    return api_fail(error, WW_BAD_INPUT, "image: belongs to another device");
  struct set_call call = {launch, index, {.value = {.kind = ARGUMENT_IMAGE}, .image = image}};
  return set(&call, error);
}

struct sampler_call {
  const char *words;
  uint32_t sampler;
};

static ww_status read_sampler(void *self, struct message *message) {
  struct sampler_call *call = self;
  return api_judge(!*call->words || job_sampler(call->words, &call->sampler, message) ||
                   message_within(message, "sampler"));
}

ww_status ww_launch_sampler(ww_launch *launch, uint32_t index, const char *sampler, ww_error *error) {
  API_GIVEN(launch);
  API_GIVEN(sampler);
  struct sampler_call read = {.words = sampler};
  const ww_status status = api_try(NULL, read_sampler, &read, error);
  struct set_call call = {launch, index, {.value = {.kind = ARGUMENT_SAMPLER, .sampler = read.sampler}}};
  return status == WW_OK ? set(&call, error) : status;
}
