#include "sim/launch/direct.h"
#include "sim/launch/job_images.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/file.h"
#include "sim/base/need.h"
#include "sim/base/reads.h"
#include "sim/launch/machines.h"

/* ---- numbers ---------------------------------------------------------------------------------- */

/* Reads a whole number up to `stop` or the end; NULL when there is none. */
static const char *whole(const char *text, char stop, uint64_t *number) {
  char *end = NULL;
  errno = 0;
  *number = isdigit((unsigned char)*text) ? strtoull(text, &end, 0) : 0;
  return end && !errno && (*end == stop || !*end) ? end : NULL;
}

uint32_t direct_range(const char *option, const char *text, uint32_t minimum, uint32_t range[3],
                      struct message *message) {
  const char *at = text;
  for (uint32_t i = 0; i < 3; i++) {
    uint64_t number = 0;
    at = whole(at, ',', &number);
    if (!at || number < minimum || number > UINT32_MAX)
      break;
    range[i] = (uint32_t)number;
    if (!*at)
      return i + 1;
    at++;
  }
  message_fail(message, "%s: '%.60s' is not X[,Y[,Z]], whole numbers in [%u, %u]", option, text, minimum, UINT32_MAX);
  return 0;
}

/* ---- arguments -------------------------------------------------------------------------------- */

static bool fill_file(struct job *job, size_t buffer, const char *path, struct message *message) {
  struct isa_buffer *target = &job->memory.buffers[buffer];
  char *data = NULL;
  size_t size = 0;
  if (!file_read(path, need_size(JOB_MEMORY_BYTES), &data, &size, message))
    return false;
  if (size != target->bytes) {
    free(data);
    return message_fail(message, "'%.200s' has %zu bytes, not the buffer's %llu", path, size,
                        (unsigned long long)target->bytes);
  }
  free(target->data);
  target->data = (uint8_t *)data;
  return true;
}

static bool fill_buffer(struct job *job, size_t buffer, const char *fill, struct message *message) {
  char hint[200];
  if (*fill == '@')
    return fill_file(job, buffer, fill + 1, message);
  for (size_t i = 0; i < 3; i++)
    if (strcmp(fill, job_fill_names[i]) == 0)
      return job_fill(job, buffer, (enum job_fill)i, 1, message);
  message_suggest(hint, sizeof hint, fill, job_fill_names, 3);
  return message_fail(message, "no fill '%.40s' (nor @FILE)%s", fill, hint);
}

static bool find_type(const char *name, struct type *type, struct message *message) {
  return type_find(name, type) || type_refuse(name, message);
}

/* Cuts `text` at the first `at`; returns the text after it, or NULL when there is none. */
static char *cut(char *text, char at) {
  char *found = strchr(text, at);
  if (found)
    *found++ = '\0';
  return found;
}

/* NAME=BYTES[:ELEM[:FILL]] makes a buffer, NAME refers to one. */
static bool buffer_argument(struct job *job, char *text, struct job_argument *argument, struct message *message) {
  char *bytes = cut(text, '='), *elem = bytes ? cut(bytes, ':') : NULL, *fill = elem ? cut(elem, ':') : NULL;
  struct type type = {TYPE_UNSIGNED, 4, 1};
  uint64_t size = 0;
  argument->kind = ARGUMENT_BUFFER;
  if (!bytes)
    return job_find_buffer(job, text, &argument->buffer, message);
  struct message ignored;
  if (job_find_buffer(job, text, &argument->buffer, &ignored))
    return message_fail(message, "buffer '%s' is already defined", text);
  if (job_find_pipe(job, text, &argument->buffer, &ignored))
    return message_fail(message, "'%s' is already a pipe", text);
  if (!whole(bytes, '\0', &size))
    return message_fail(message, "'%.40s' is not a whole number of bytes", bytes);
  if ((elem && !find_type(elem, &type, message)) || !job_buffer(job, text, size, type, message))
    return false;
  argument->buffer = job->memory.count - 1;
  return !fill || fill_buffer(job, argument->buffer, fill, message);
}

/* NAME=SIZE:COUNT makes a pipe, NAME refers to one. */
static bool pipe_argument(struct job *job, char *text, struct job_argument *argument, struct message *message) {
  char *size = cut(text, '='), *count = size ? cut(size, ':') : NULL;
  uint64_t bytes = 0, packets = 0;
  argument->kind = ARGUMENT_PIPE;
  if (!size)
    return job_find_pipe(job, text, &argument->buffer, message);
  if (!count || !whole(size, '\0', &bytes) || !whole(count, '\0', &packets) || !bytes || !packets ||
      bytes > ISA_MOST_PACKET_BYTES || packets > ISA_MOST_PACKETS)
    return message_fail(
        message,
        "a pipe is NAME=SIZE:COUNT, with SIZE in [1, %d] bytes and COUNT in [1, %d] packets, not '%.40s%s%.40s'",
        ISA_MOST_PACKET_BYTES, ISA_MOST_PACKETS, size, count ? ":" : "", count ? count : "");
  argument->buffer = job->memory.pipe_count;
  return job_pipe(job, text, (uint32_t)bytes, (uint32_t)packets, message);
}

/* WIDTH[xHEIGHT[xDEPTH or LAYERS]], a number for each coordinate of the kind. */
static bool image_size(char *text, struct isa_image *shape, struct message *message) {
  const unsigned coordinates = isa_image_kinds[shape->kind].coordinates;
  const bool layers = shape->kind == ISA_IMAGE_1D_ARRAY || shape->kind == ISA_IMAGE_2D_ARRAY;
  uint32_t *const size[3] = {&shape->width, shape->kind == ISA_IMAGE_1D_ARRAY ? &shape->layers : &shape->height,
                             layers ? &shape->layers : &shape->depth};
  unsigned count = 0;
  for (char *number = text, *next; number; number = next, count++) {
    uint64_t value = 0;
    next = cut(number, 'x');
    if (!whole(number, '\0', &value) || value < 1 || value > ISA_MOST_IMAGE_SIZE)
      return message_fail(message, "'%.40s' is not a number of [1, %d] texels", number, ISA_MOST_IMAGE_SIZE);
    if (count < coordinates)
      *size[count] = (uint32_t)value;
  }
  return count == coordinates ||
         message_fail(message, "%u sizes, but a %s image has %u: %s", count, isa_image_kinds[shape->kind].name,
                      coordinates, isa_image_kinds[shape->kind].text);
}

static bool image_of_picture(struct job *job, const char *name, const char *path, struct isa_image *shape,
                             struct message *message) {
  struct picture picture;
  char *bytes = NULL;
  size_t size = 0;
  if (!file_read(path, need_size(JOB_MEMORY_BYTES), &bytes, &size, message))
    return false;
  bool good = picture_read((const uint8_t *)bytes, size, &picture, message) || message_within(message, path);
  free(bytes);
  if (!good)
    return false;
  shape->width = picture.width;
  shape->height = picture.height;
  good = job_image(job, name, shape, message) && job_image_picture(job, job->memory.image_count - 1, &picture, message);
  free(picture.sample);
  return good;
}

/* NAME=SIZE[:FORMAT[:FILL]] or NAME=@PICTURE[:FORMAT] makes an image, NAME refers to one. */
static bool image_argument(struct job *job, size_t index, char *text, struct job_argument *argument,
                           struct message *message) {
  const struct isa_kernel *kernel = job->launches[job->launch_count - 1].isa.kernel;
  struct isa_image shape = {.kind = ISA_IMAGE_2D, .height = 1, .depth = 1, .layers = 1};
  char *size = cut(text, '='), *format = size ? cut(size, ':') : NULL, *fill = format ? cut(format, ':') : NULL;
  argument->kind = ARGUMENT_IMAGE;
  if (!size)
    return job_find_image(job, text, &argument->buffer, message);
  if (index < kernel->arg_count && kernel->args[index].kind == ISA_ARG_IMAGE)
    shape.kind = isa_image_argument(kernel->args[index].type, strlen(kernel->args[index].type));
  if (!job_image_format(format ? format : "rgba.unorm_int8", &shape, message))
    return false;
  argument->buffer = job->memory.image_count;
  if (*size == '@')
    return image_of_picture(job, text, size + 1, &shape, message);
  return image_size(size, &shape, message) && job_image(job, text, &shape, message) &&
         (!fill || fill_buffer(job, job->memory.count - 1, fill, message));
}

static bool typed_value(const char *name, char *text, uint8_t to[TYPE_BYTES], struct job_argument *argument,
                        struct message *message) {
  struct type type;
  if (!type_find(name, &type))
    return job_refuse_kind(name, message);
  unsigned count = 0;
  for (char *rest = text; rest; count++) {
    char *component = rest;
    rest = cut(component, ',');
    if (count < type.components && !type_parse(type, component, to + count * type.bytes, message))
      return false;
  }
  *argument = job_value(type, to, name);
  return count == type.components
             ? true
             : message_fail(message, "%u components, not the %u of %s", count, type.components, name);
}

static bool give_bytes(struct job *job, size_t index, const char *hex, struct message *message) {
  size_t count = 0;
  uint8_t *bytes = type_bytes(hex, &count);
  if (!bytes)
    return message_fail(message, "'%.40s' is not hexadecimal bytes, two digits each", hex);
  const struct job_argument argument = {.kind = ARGUMENT_VALUE, .bytes = count, .value = bytes, .type = "bytes"};
  bool good = job_argument(job, index, &argument, message);
  free(bytes);
  return good;
}

static bool give_argument(struct job *job, size_t index, char *text, struct message *message) {
  char *rest = cut(text, ':');
  uint8_t value[TYPE_BYTES] = {0};
  struct job_argument argument = {0};
  if (strcmp(text, "null") == 0 && !rest)
    return job_argument(job, index, &(struct job_argument){.kind = ARGUMENT_NULL}, message);
  if (!rest)
    return message_fail(message, "is not KIND:VALUE; `warpwait run --help` shows the kinds");
  if (strcmp(text, "bytes") == 0)
    return give_bytes(job, index, rest, message);
  if (strcmp(text, "buffer") == 0) {
    if (!buffer_argument(job, rest, &argument, message))
      return false;
  } else if (strcmp(text, "pipe") == 0) {
    if (!pipe_argument(job, rest, &argument, message))
      return false;
  } else if (strcmp(text, "image") == 0) {
    if (!image_argument(job, index, rest, &argument, message))
      return false;
  } else if (strcmp(text, "sampler") == 0) {
    argument.kind = ARGUMENT_SAMPLER;
    if (!job_sampler(rest, &argument.sampler, message))
      return false;
  } else if (strcmp(text, "local") == 0) {
    argument.kind = ARGUMENT_LOCAL;
    if (!whole(rest, '\0', &argument.bytes))
      return message_fail(message, "'%.40s' is not a whole number of bytes", rest);
  } else if (!typed_value(text, rest, value, &argument, message)) {
    return false;
  }
  return job_argument(job, index, &argument, message);
}

static bool give_arguments(const struct direct *direct, struct job *job, struct message *message) {
  for (size_t i = 0; i < direct->arg_count; i++) {
    char *text = need_copy(direct->args[i]), prefix[120];
    bool good = give_argument(job, i, text, message);
    free(text);
    snprintf(prefix, sizeof prefix, "--arg %.100s", direct->args[i]);
    if (!good)
      return message_within(message, prefix);
  }
  return true;
}

/* ---- jobs ------------------------------------------------------------------------------------- */

static bool ndrange(const struct direct *direct, struct isa_launch *launch, struct message *message) {
  launch->dimensions = direct_range("--global", direct->global, 1, launch->global, message);
  uint32_t count = launch->dimensions;
  if (count && direct->local) {
    launch->local[1] = launch->local[2] = 1;
    count = direct_range("--local", direct->local, 1, launch->local, message);
    if (count && count != launch->dimensions)
      return message_fail(message, "--local: %u entries, but --global has %u", count, launch->dimensions);
  }
  if (count && direct->offset) {
    count = direct_range("--offset", direct->offset, 0, launch->offset, message);
    if (count && count != launch->dimensions)
      return message_fail(message, "--offset: %u entries, but --global has %u", count, launch->dimensions);
  }
  return count > 0;
}

/* As many names as fit. */
static void list_kernels(const struct isa_program *program, char *text, size_t size) {
  size_t used = 0;
  text[0] = '\0';
  for (size_t i = 0; i < program->kernel_count && used < size; i++)
    used += (size_t)snprintf(text + used, size - used, "%s%.60s", i ? ", " : "", program->kernels[i].name);
}

static bool find_kernel(const struct direct *direct, struct job *job, struct message *message) {
  const char *kernel = direct->kernel;
  char names[400];
  if (!kernel)
    kernel = program_only_kernel(&job->program);
  list_kernels(job->program.isa, names, sizeof names);
  if (!kernel)
    return message_fail(message, "--kernel is missing: %zu kernels are in %s; legal: %s",
                        job->program.isa->kernel_count + job->program.refusals.count, file_base(direct->program),
                        names);
  return job_launch(job, NULL, kernel, message) ? true : message_within(message, "--kernel");
}

bool direct_job(const struct direct *direct, const struct job_request *request, struct job *job,
                struct message *message) {
  bool inside = false;
  job->file = need_copy(direct->program);
  job->change = request->change;
  if (!machine_choose(&request->machine, NULL, NULL, request->build.reads, &job->machine, message))
    return false;
  job->machine_file = job->machine;
  program_build_add(&job->build, &request->build);
  char *before = reads_begin(request->build.reads, direct->program);
  const bool loaded = program_load(&job->program, direct->program, &job->build, &inside, message);
  reads_end(request->build.reads, before);
  if (!loaded)
    return job->program.blamed != OPENCL_SOURCE && message_within(message, program_option(job->program.blamed));
  if (!direct->global)
    return message_fail(message, "--global is missing: the number of work-items, X[,Y[,Z]]");
  if (!machine_adjust(&request->machine, &job->machine, message) || !find_kernel(direct, job, message))
    return false;
  if (!ndrange(direct, &job->launches[0].isa, message) || !give_arguments(direct, job, message))
    return false;
  const char *field = NULL;
  char option[32];
  size_t launch;
  if (job_ready(job, &field, message))
    return job_together(job, 0, &launch, message);
  snprintf(option, sizeof option, "--%s", strcmp(field, "args") == 0 ? "arg" : field);
  return message_within(message, strcmp(field, "kernel") == 0 ? file_base(direct->program) : option);
}
