#include <stdlib.h>
#include <string.h>

#include "models/result.h"
#include "sim/base/need.h"
#include "sim/base/text.h"
#include "sim/launch/argument.h"
#include "sim/launch/direct.h"
#include "sim/launch/launch_file_parts.h"

/* A launch while it is read. */
struct reading {
  struct launch launch;
  struct job_argument *arguments;
  size_t count;
};

/* ---- arguments -------------------------------------------------------------------------------- */

/* An argument has one key, its kind; {"buffer": "a"} may also have an "offset". */
static bool read_argument(struct launch_reader *reader, const struct place *place, const json_t *object,
                          struct job_argument *argument) {
  static const char *const of_buffer[] = {"buffer", "offset"};
  const struct place offset_at = {place, "offset", 0};
  if (!json_is(&reader->document, place, object, JSON_OBJECT) ||
      (json_object_get(object, "buffer") && !json_keys(&reader->document, place, object, of_buffer, COUNT(of_buffer))))
    return false;
  const json_t *offset = json_object_get(object, "buffer") ? json_object_get(object, "offset") : NULL;
  if (json_object_size(object) != (offset ? 2 : 1))
    return json_fail(&reader->document, place,
                     "an argument has exactly one key, such as {\"int\": 7} or {\"buffer\": \"a\"}");
  const char *kind = offset ? "buffer" : json_object_iter_key(json_object_iter((json_t *)object));
  const struct place at = {place, kind, 0};
  const json_t *value = json_object_get(object, kind);
  struct text words = {0};
  struct type type;
  const bool number = type_find(kind, &type) || strcmp(kind, "local") == 0;
  bool good = true;
  if (strcmp(kind, "buffer") == 0 && json_is_null(value)) {
    argument->kind = ARGUMENT_NULL;
    good = !offset || json_fail(&reader->document, &offset_at, "null has no offset: it is address 0");
  } else {
    good = (number || json_word(&reader->document, &at, value)) && launch_words(reader, &at, value, &words) &&
           (argument_read(reader->job, kind, words.data, argument, reader->document.message) ||
            launch_refuse(reader, &at)) &&
           (!offset || json_whole(&reader->document, &offset_at, offset, 0,
                                  reader->job->memory.buffers[argument->buffer].bytes - 1, "bytes", &argument->bytes));
  }
  free(words.data);
  return good;
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

static bool read_ndrange(struct launch_reader *reader, const struct place *place, const json_t *object,
                         struct launch *launch) {
  const json_t *global = json_object_get(object, "global"), *local = json_object_get(object, "local");
  const json_t *offset = json_object_get(object, "offset");
  for (unsigned i = 0; i < 3; i++)
    launch->global[i] = 1;
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
static bool resize_ndrange(struct launch_reader *reader, bool has_local, bool has_offset, struct launch *launch) {
  const struct job_request *request = reader->request;
  const bool local_stays = has_local && !request->local;
  if (request->global && !resize(reader, "--global", request->global, local_stays ? "local" : "offset",
                                 local_stays || has_offset, launch->global, &launch->dimensions))
    return false;
  return !request->local ||
         resize(reader, "--local", request->local, "global", true, launch->local, &launch->dimensions);
}

static bool read_arguments(struct launch_reader *reader, const struct place *place, const json_t *list,
                           struct reading *reading) {
  if (!json_is(&reader->document, place, list, JSON_ARRAY))
    return false;
  reading->arguments = need(json_array_size(list), sizeof *reading->arguments);
  for (; reading->count < json_array_size(list); reading->count++)
    if (!read_argument(reader, &(struct place){place, NULL, reading->count}, json_array_get(list, reading->count),
                       &reading->arguments[reading->count])) {
      reading->count++; /* it may have a value */
      return false;
    }
  return true;
}

static bool read_description(struct launch_reader *reader, const struct place *place, const json_t *object,
                             struct reading *reading) {
  static const char *const keys[] = {"kernel", "global", "local", "offset", "args"};
  const struct place kernel_at = {place, "kernel", 0}, args_at = {place, "args", 0};
  if (!json_is(&reader->document, place, object, JSON_OBJECT) ||
      !json_keys(&reader->document, place, object, keys, COUNT(keys)))
    return false;
  const json_t *kernel = json_object_get(object, "kernel"), *args = json_object_get(object, "args");
  if (!kernel)
    return json_fail(&reader->document, place, "'kernel' is missing: the name of what to run");
  reading->launch.kernel = json_word(&reader->document, &kernel_at, kernel);
  if (!reading->launch.kernel)
    return false;
  if (!program_kernel(&reader->job->program, reading->launch.kernel, reader->document.message))
    return launch_refuse(reader, &kernel_at);
  return read_ndrange(reader, place, object, &reading->launch) &&
         resize_ndrange(reader, json_object_get(object, "local"), json_object_get(object, "offset"),
                        &reading->launch) &&
         (!args || read_arguments(reader, &args_at, args, reading));
}

/* Points a message of job_add() to the key, or to the option that replaced it. */
static bool refuse_launch(struct launch_reader *reader, const struct place *place, const json_t *object,
                          const struct launch_fault *fault) {
  const struct job_request *request = reader->request;
  const struct place at = {place, launch_field_names[fault->field], 0}, argument = {&at, NULL, fault->argument};
  if (request->global && fault->field == LAUNCH_GLOBAL)
    return message_within(reader->document.message, "--global");
  if (request->local && fault->field == LAUNCH_LOCAL)
    return message_within(reader->document.message, "--local");
  if (fault->field != LAUNCH_ARGUMENT)
    return launch_refuse(reader, &at);
  const json_t *given = json_array_get(json_object_get(object, "args"), fault->argument);
  const char *kind =
      json_object_get(given, "buffer") ? "buffer" : json_object_iter_key(json_object_iter((json_t *)given));
  return launch_refuse(reader, &(struct place){&argument, kind, 0});
}

static bool read_launch(struct launch_reader *reader, const struct place *place, const json_t *object) {
  struct reading reading = {.count = 0};
  struct launch_fault fault = {0};
  bool good = read_description(reader, place, object, &reading);
  if (good) {
    reading.launch.arguments = reading.arguments;
    reading.launch.argument_count = reading.count;
    good = job_add(reader->job, &reading.launch, &fault, reader->document.message) ||
           refuse_launch(reader, place, object, &fault);
  }
  arguments_free(reading.arguments, reading.count);
  return good;
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
