#include <stdlib.h>
#include <string.h>

#include "sim/launch/direct.h"
#include "sim/launch/job_images.h"
#include "sim/launch/launch_file_parts.h"

/* ---- arguments -------------------------------------------------------------------------------- */

static bool hex_argument(struct launch_reader *reader, const struct place *place, const json_t *value, size_t index) {
  const char *hex = json_word(&reader->document, place, value);
  if (!hex)
    return false;
  size_t count = 0;
  uint8_t *bytes = type_bytes(hex, &count);
  if (!bytes)
    return json_fail(&reader->document, place, "'%.40s' is not hexadecimal bytes, two digits each", hex);
  const struct job_argument argument = {.kind = ARGUMENT_VALUE, .bytes = count, .value = bytes, .type = "bytes"};
  bool good = job_argument(reader->job, index, &argument, reader->document.message);
  free(bytes);
  return good ? true : launch_refuse(reader, place);
}

static bool typed_argument(struct launch_reader *reader, const struct place *place, const json_t *value, size_t index) {
  uint8_t bytes[TYPE_BYTES];
  struct type type;
  type_find(place->key, &type);
  if (!launch_value(reader, place, value, type, bytes))
    return false;
  const struct job_argument argument = job_value(type, bytes, place->key);
  return job_argument(reader->job, index, &argument, reader->document.message) ? true : launch_refuse(reader, place);
}

static bool buffer_argument(struct launch_reader *reader, const struct place *parent, const json_t *object,
                            size_t index) {
  const struct place place = {parent, "buffer", 0}, offset_at = {parent, "offset", 0};
  const json_t *offset = json_object_get(object, "offset");
  struct job_argument argument = {.kind = ARGUMENT_BUFFER};
  if (json_is_null(json_object_get(object, "buffer"))) {
    if (offset)
      return json_fail(&reader->document, &offset_at, "null has no offset: it is address 0");
    argument.kind = ARGUMENT_NULL;
    return job_argument(reader->job, index, &argument, reader->document.message) ? true : launch_refuse(reader, &place);
  }
  if (!launch_find_buffer(reader, &place, json_object_get(object, "buffer"), &argument.buffer) ||
      (offset && !json_whole(&reader->document, &offset_at, offset, 0,
                             reader->job->memory.buffers[argument.buffer].bytes - 1, "bytes", &argument.bytes)))
    return false;
  return job_argument(reader->job, index, &argument, reader->document.message) ? true : launch_refuse(reader, &place);
}

static bool local_argument(struct launch_reader *reader, const struct place *place, const json_t *value, size_t index) {
  struct job_argument argument = {.kind = ARGUMENT_LOCAL};
  if (!json_whole(&reader->document, place, value, 1, reader->job->machine.lds.size, "bytes", &argument.bytes))
    return false;
  return job_argument(reader->job, index, &argument, reader->document.message) ? true : launch_refuse(reader, place);
}

static bool pipe_argument(struct launch_reader *reader, const struct place *place, const json_t *value, size_t index) {
  struct job_argument argument = {.kind = ARGUMENT_PIPE};
  if (!launch_find_pipe(reader, place, value, &argument.buffer))
    return false;
  return job_argument(reader->job, index, &argument, reader->document.message) ? true : launch_refuse(reader, place);
}

static bool image_argument(struct launch_reader *reader, const struct place *place, const json_t *value, size_t index) {
  struct job_argument argument = {.kind = ARGUMENT_IMAGE};
  if (!launch_find_image(reader, place, value, &argument.buffer))
    return false;
  return job_argument(reader->job, index, &argument, reader->document.message) ? true : launch_refuse(reader, place);
}

static bool sampler_argument(struct launch_reader *reader, const struct place *place, const json_t *value,
                             size_t index) {
  struct job_argument argument = {.kind = ARGUMENT_SAMPLER};
  const char *words = json_word(&reader->document, place, value);
  if (!words)
    return false;
  return (job_sampler(words, &argument.sampler, reader->document.message) &&
          job_argument(reader->job, index, &argument, reader->document.message)) ||
         launch_refuse(reader, place);
}

static bool read_argument(struct launch_reader *reader, const struct place *place, const json_t *object, size_t index) {
  if (!json_is(&reader->document, place, object, JSON_OBJECT))
    return false;
  if (json_object_get(object, "buffer")) {
    static const char *const keys[] = {"buffer", "offset"};
    return json_keys(&reader->document, place, object, keys, COUNT(keys)) &&
           buffer_argument(reader, place, object, index);
  }
  if (json_object_size(object) != 1)
    return json_fail(&reader->document, place,
                     "an argument has exactly one key, such as {\"int\": 7} or {\"buffer\": \"a\"}");
  void *it = json_object_iter((json_t *)object);
  const struct place at = {place, json_object_iter_key(it), 0};
  const json_t *value = json_object_iter_value(it);
  struct type type;
  if (strcmp(at.key, "local") == 0)
    return local_argument(reader, &at, value, index);
  if (strcmp(at.key, "bytes") == 0)
    return hex_argument(reader, &at, value, index);
  if (strcmp(at.key, "pipe") == 0)
    return pipe_argument(reader, &at, value, index);
  if (strcmp(at.key, "image") == 0)
    return image_argument(reader, &at, value, index);
  if (strcmp(at.key, "sampler") == 0)
    return sampler_argument(reader, &at, value, index);
  if (type_find(at.key, &type))
    return typed_argument(reader, &at, value, index);
  job_refuse_kind(at.key, reader->document.message);
  return launch_refuse(reader, &at);
}

/* ---- the NDRange ------------------------------------------------------------------------------ */

/* A list of 1 to 3 whole numbers. It must have *count entries; if *count is 0, it receives the number. */
static bool read_range(struct launch_reader *reader, const struct place *place, const json_t *list, uint32_t minimum,
                       uint32_t range[3], uint32_t *count) {
  if (!json_is(&reader->document, place, list, JSON_ARRAY))
    return false;
  size_t size = json_array_size(list);
  if (*count && size != *count)
    return json_fail(&reader->document, place, "has %zu entries, but 'global' has %u", size, *count);
  if (size < 1 || size > 3)
    return json_fail(&reader->document, place, "has %zu entries, outside [1, 3]", size);
  *count = (uint32_t)size;
  for (size_t i = 0; i < size; i++) {
    uint64_t number = 0;
    if (!json_whole(&reader->document, &(struct place){place, NULL, i}, json_array_get(list, i), minimum, UINT32_MAX,
                    "work-items", &number))
      return false;
    range[i] = (uint32_t)number;
  }
  return true;
}

static bool read_ndrange(struct launch_reader *reader, const struct place *place, const json_t *object) {
  struct isa_launch *launch = &reader->job->launches[reader->job->launch_count - 1].isa;
  const json_t *global = json_object_get(object, "global"), *local = json_object_get(object, "local");
  const json_t *offset = json_object_get(object, "offset");
  if (!global)
    return json_fail(&reader->document, place, "'global' is missing: the number of work-items");
  if (!read_range(reader, &(struct place){place, "global", 0}, global, 1, launch->global, &launch->dimensions))
    return false;
  if (local) {
    launch->local[1] = launch->local[2] = 1;
    if (!read_range(reader, &(struct place){place, "local", 0}, local, 1, launch->local, &launch->dimensions))
      return false;
  }
  return !offset ||
         read_range(reader, &(struct place){place, "offset", 0}, offset, 0, launch->offset, &launch->dimensions);
}

/* Applies --global or --local. It must have as many entries as the file's keys that remain. */
static bool resize(struct launch_reader *reader, const char *option, const char *text, const char *other,
                   bool other_stays, uint32_t range[3], uint32_t *dimensions) {
  struct message *message = reader->document.message;
  range[1] = range[2] = 1;
  const uint32_t count = direct_range(option, text, 1, range, message);
  if (count && other_stays && count != *dimensions)
    return message_fail(message, "%s: %u entries, but the launch file's '%s' has %u", option, count, other,
                        *dimensions);
  *dimensions = count;
  return count;
}

/* `has_local`, `has_offset`: the file's launch has these keys. */
static bool resize_ndrange(struct launch_reader *reader, bool has_local, bool has_offset) {
  const struct job_request *request = reader->request;
  struct isa_launch *launch = &reader->job->launches[reader->job->launch_count - 1].isa;
  const bool local_stays = has_local && !request->local;
  if (request->global && !resize(reader, "--global", request->global, local_stays ? "local" : "offset",
                                 local_stays || has_offset, launch->global, &launch->dimensions))
    return false;
  return !request->local ||
         resize(reader, "--local", request->local, "global", true, launch->local, &launch->dimensions);
}

static bool read_arguments(struct launch_reader *reader, const struct place *place, const json_t *list) {
  if (!json_is(&reader->document, place, list, JSON_ARRAY))
    return false;
  for (size_t i = 0; i < json_array_size(list); i++)
    if (!read_argument(reader, &(struct place){place, NULL, i}, json_array_get(list, i), i))
      return false;
  return true;
}

static bool read_launch(struct launch_reader *reader, const struct place *place, const json_t *object) {
  static const char *const keys[] = {"kernel", "global", "local", "offset", "args"};
  const struct place kernel_at = {place, "kernel", 0}, args_at = {place, "args", 0};
  if (!json_is(&reader->document, place, object, JSON_OBJECT) ||
      !json_keys(&reader->document, place, object, keys, COUNT(keys)))
    return false;
  const json_t *kernel = json_object_get(object, "kernel"), *args = json_object_get(object, "args");
  if (!kernel)
    return json_fail(&reader->document, place, "'kernel' is missing: the name of what to run");
  const char *name = json_word(&reader->document, &kernel_at, kernel);
  if (!name)
    return false;
  if (!job_launch(reader->job, NULL, name, reader->document.message))
    return launch_refuse(reader, &kernel_at);
  if (!read_ndrange(reader, place, object) ||
      !resize_ndrange(reader, json_object_get(object, "local"), json_object_get(object, "offset")) ||
      (args && !read_arguments(reader, &args_at, args)))
    return false;
  const char *field = NULL;
  if (job_ready(reader->job, &field, reader->document.message))
    return true;
  const struct job_request *request = reader->request;
  if (request->global && strcmp(field, "global") == 0)
    return message_within(reader->document.message, "--global");
  if (request->local && strcmp(field, "local") == 0)
    return message_within(reader->document.message, "--local");
  return launch_refuse(reader, &(struct place){place, field, 0});
}

/* An entry with several launches, which run at once. */
static bool read_together(struct launch_reader *reader, const struct place *place, const json_t *object) {
  static const char *const keys[] = {"together"};
  const struct place list_at = {place, "together", 0};
  const json_t *list = json_object_get(object, "together");
  if (!json_keys(&reader->document, place, object, keys, COUNT(keys)) ||
      !json_is(&reader->document, &list_at, list, JSON_ARRAY))
    return false;
  const size_t count = json_array_size(list);
  if (count < 2 || count > RESULT_TOGETHER)
    return json_fail(&reader->document, &list_at, "has %zu entries, outside [2, %d] launches", count, RESULT_TOGETHER);
  for (size_t i = 0; i < count; i++)
    if (!read_launch(reader, &(struct place){&list_at, NULL, i}, json_array_get(list, i)))
      return false;
  return true;
}

static bool read_entry(struct launch_reader *reader, const struct place *place, const json_t *object) {
  const bool together = json_is_object(object) && json_object_get(object, "together");
  const struct place list_at = {place, "together", 0};
  const size_t first = reader->job->launch_count;
  size_t launch = 0;
  if (!(together ? read_together(reader, place, object) : read_launch(reader, place, object)))
    return false;
  if (job_together(reader->job, first, &launch, reader->document.message))
    return true;
  return launch_refuse(reader, together ? &(struct place){&list_at, NULL, launch - first} : place);
}

/* The options cannot say which of several launches they mean. */
static bool may_resize(const struct launch_reader *reader, const json_t *launches) {
  const struct job_request *request = reader->request;
  const char *option = request->global ? "--global" : "--local";
  return !(request->global || request->local) ||
         (json_array_size(launches) == 1 && !json_object_get(json_array_get(launches, 0), "together")) ||
         message_fail(reader->document.message, "%s: needs a launch file with one launch; this one has several",
                      option);
}

bool launch_launches(struct launch_reader *reader, const struct place *place, const json_t *launches) {
  if (!json_is(&reader->document, place, launches, JSON_ARRAY))
    return false;
  if (!json_array_size(launches))
    return json_fail(&reader->document, place, "is empty, so there is nothing to run");
  if (!may_resize(reader, launches))
    return false;
  for (size_t i = 0; i < json_array_size(launches); i++)
    if (!read_entry(reader, &(struct place){place, NULL, i}, json_array_get(launches, i)))
      return false;
  return true;
}
