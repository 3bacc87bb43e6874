#include "sim/launch/direct.h"
#include "sim/launch/job_images.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/pipe.h"
#include "models/machine.h"
#include "sim/base/file.h"
#include "sim/base/need.h"
#include "sim/base/reads.h"
#include "sim/launch/argument.h"
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

/* Cuts `text` at the first `at`; returns the text after it, or NULL when there is none. */
static char *cut(char *text, char at) {
  char *found = strchr(text, at);
  if (found)
    *found++ = '\0';
  return found;
}

/* NAME=BYTES[:ELEM[:FILL]] */
static bool make_buffer(struct job *job, const char *name, char *bytes, struct message *message) {
  char *elem = cut(bytes, ':'), *fill = elem ? cut(elem, ':') : NULL;
  struct type type = {TYPE_UNSIGNED, 4, 1};
  struct message ignored;
  uint64_t size = 0;
  size_t other;
  if (job_find_buffer(job, name, &other, &ignored))
    return message_fail(message, "buffer '%s' is already defined", name);
  if (job_find_pipe(job, name, &other, &ignored))
    return message_fail(message, "'%s' is already a pipe", name);
  if (!whole(bytes, '\0', &size))
    return message_fail(message, "'%.40s' is not a whole number of bytes", bytes);
  if (elem && !type_find(elem, &type))
    return type_refuse(elem, message);
  return job_buffer(job, name, size, type, message) &&
         (!fill || fill_buffer(job, job->memory.count - 1, fill, message));
}

/* NAME=SIZE:COUNT */
static bool make_pipe(struct job *job, const char *name, char *size, struct message *message) {
  const char *count = cut(size, ':');
  uint64_t bytes = 0, packets = 0;
  if (!count || !whole(size, '\0', &bytes) || !whole(count, '\0', &packets) || !bytes || !packets ||
      bytes > ISA_MOST_PACKET_BYTES || packets > ISA_MOST_PACKETS)
    return message_fail(
        message,
        "a pipe is NAME=SIZE:COUNT, with SIZE in [1, %d] bytes and COUNT in [1, %d] packets, not '%.40s%s%.40s'",
        ISA_MOST_PACKET_BYTES, ISA_MOST_PACKETS, size, count ? ":" : "", count ? count : "");
  return job_pipe(job, name, (uint32_t)bytes, (uint32_t)packets, message);
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

/* NAME=SIZE[:FORMAT[:FILL]] or NAME=@PICTURE[:FORMAT]; the kernel's argument says of what kind the image is. */
static bool make_image(struct job *job, const struct isa_arg *argument, const char *name, char *size,
                       struct message *message) {
  struct isa_image shape = {.kind = ISA_IMAGE_2D, .height = 1, .depth = 1, .layers = 1};
  char *format = cut(size, ':'), *fill = format ? cut(format, ':') : NULL;
  if (argument && argument->kind == ISA_ARG_IMAGE)
    shape.kind = isa_image_argument(argument->type, strlen(argument->type));
  if (!job_image_format(format ? format : "rgba.unorm_int8", &shape, message))
    return false;
  if (*size == '@')
    return image_of_picture(job, name, size + 1, &shape, message);
  return image_size(size, &shape, message) && job_image(job, name, &shape, message) &&
         (!fill || fill_buffer(job, job->memory.count - 1, fill, message));
}

/* Makes what NAME=... describes. */
static bool make_object(struct job *job, const struct isa_arg *argument, const char *kind, const char *name,
                        char *description, struct message *message) {
  return strcmp(kind, "buffer") == 0 ? make_buffer(job, name, description, message)
         : strcmp(kind, "pipe") == 0 ? make_pipe(job, name, description, message)
                                     : make_image(job, argument, name, description, message);
}

static bool read_argument(struct job *job, const struct isa_arg *wanted, char *kind, struct job_argument *argument,
                          struct message *message) {
  char *value = cut(kind, ':');
  const bool object = strcmp(kind, "buffer") == 0 || strcmp(kind, "pipe") == 0 || strcmp(kind, "image") == 0;
  char *description = object && value ? cut(value, '=') : NULL;
  if (!value && strcmp(kind, "null") != 0)
    return message_fail(message, "is not KIND:VALUE; `warpwait run --help` shows the kinds");
  return (!description || make_object(job, wanted, kind, value, description, message)) &&
         argument_read(job, kind, value, argument, message);
}

static bool within_argument(const struct direct *direct, size_t index, struct message *message) {
  char prefix[120];
  snprintf(prefix, sizeof prefix, "--arg %.100s", direct->args[index]);
  return message_within(message, prefix);
}

/* ---- jobs ------------------------------------------------------------------------------------- */

static bool ndrange(const struct direct *direct, struct launch *launch, struct message *message) {
  for (unsigned i = 0; i < 3; i++)
    launch->global[i] = 1;
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

/* The requested kernel, or the only one. */
static const struct isa_kernel *find_kernel(const struct direct *direct, struct job *job, struct message *message) {
  const char *kernel = direct->kernel ? direct->kernel : program_only_kernel(&job->program);
  char names[400];
  list_kernels(job->program.isa, names, sizeof names);
  if (!kernel) {
    message_fail(message, "--kernel is missing: %zu kernels are in %s; legal: %s",
                 job->program.isa->kernel_count + job->program.refusals.count, file_base(direct->program), names);
    return NULL;
  }
  const struct isa_kernel *found = program_kernel(&job->program, kernel, message);
  if (!found)
    message_within(message, "--kernel");
  return found;
}

/* Points a message of job_add() to the option. */
static bool refuse_launch(const struct direct *direct, const struct launch_fault *fault, struct message *message) {
  static const char *const options[] = {[LAUNCH_KERNEL] = "--kernel",
                                        [LAUNCH_ARGUMENTS] = "--arg",
                                        [LAUNCH_GLOBAL] = "--global",
                                        [LAUNCH_LOCAL] = "--local",
                                        [LAUNCH_OFFSET] = "--offset"};
  return fault->field == LAUNCH_ARGUMENT
             ? within_argument(direct, fault->argument, message)
             : message_within(message, fault->field == LAUNCH_FIT ? file_base(direct->program) : options[fault->field]);
}

static bool add_launch(const struct direct *direct, const struct isa_kernel *kernel, struct job *job,
                       struct message *message) {
  struct job_argument *arguments = need(direct->arg_count, sizeof *arguments);
  char **words = need(direct->arg_count, sizeof *words);
  struct launch launch = {.kernel = kernel->name, .arguments = arguments, .argument_count = direct->arg_count};
  struct launch_fault fault = {0};
  size_t later;
  bool good = ndrange(direct, &launch, message);
  for (size_t i = 0; good && i < direct->arg_count; i++) {
    words[i] = need_copy(direct->args[i]);
    good = read_argument(job, i < kernel->arg_count ? &kernel->args[i] : NULL, words[i], &arguments[i], message) ||
           within_argument(direct, i, message);
  }
  good = good && (job_add(job, &launch, &fault, message) || refuse_launch(direct, &fault, message)) &&
         job_together(job, 0, &later, message);
  for (size_t i = 0; i < direct->arg_count; i++)
    free(words[i]);
  free(words);
  arguments_free(arguments, direct->arg_count);
  return good;
}

bool direct_job(const struct direct *direct, const struct job_request *request, struct job *job,
                struct message *message) {
  bool inside = false;
  job->file = need_copy(direct->program);
  job->change = request->change;
  struct machine machine;
  if (!machine_choose(&request->machine, NULL, NULL, request->build.reads, &machine, message))
    return false;
  job_set_machine(job, &machine, &machine);
  program_build_add(&job->build, &request->build);
  char *before = reads_begin(request->build.reads, direct->program);
  const bool loaded = program_load(&job->program, direct->program, &job->build, &inside, message);
  reads_end(request->build.reads, before);
  if (!loaded)
    return job->program.blamed != OPENCL_SOURCE && message_within(message, program_option(job->program.blamed));
  if (!direct->global)
    return message_fail(message, "--global is missing: the number of work-items, X[,Y[,Z]]");
  if (!machine_adjust(&request->machine, job->machine, message))
    return false;
  const struct isa_kernel *kernel = find_kernel(direct, job, message);
  return kernel && add_launch(direct, kernel, job, message);
}
