#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "isa/pipe.h"
#include "sim/base/reads.h"
#include "sim/base/text.h"
#include "sim/launch/launch_file_parts.h"

static bool buffer_values(struct launch_reader *reader, const struct place *place, const json_t *values,
                          size_t buffer) {
  struct isa_buffer *target = &reader->job->memory.buffers[buffer];
  struct type type = reader->job->elements[buffer];
  uint64_t elements = target->bytes / type_size(type);
  if (!json_is(&reader->document, place, values, JSON_ARRAY))
    return false;
  if (json_array_size(values) != elements)
    return json_fail(&reader->document, place, "has %zu elements, but the buffer holds %" PRIu64 "",
                     json_array_size(values), elements);
  struct text words = {0};
  bool good = true;
  for (size_t i = 0; good && i < elements; i++) {
    const struct place at = {place, NULL, i};
    words.length = 0;
    good = launch_words(reader, &at, json_array_get(values, i), &words) &&
           (type_read(type, "the buffer's elements", words.data, target->data + i * type_size(type),
                      reader->document.message) ||
            launch_refuse(reader, &at));
  }
  free(words.data);
  return good;
}

bool launch_fill(struct launch_reader *reader, const struct place *place, const json_t *object, size_t buffer) {
  const struct place at = {place, "fill", 0}, seed_at = {place, "seed", 0};
  const json_t *fill = json_object_get(object, "fill"), *seed = json_object_get(object, "seed");
  const struct reads *reads = reader->request->build.reads;
  uint64_t number = 1;
  const char *word = json_word(&reader->document, &at, fill);
  if (!word || (seed && !json_whole(&reader->document, &seed_at, seed, 0, UINT64_MAX, "", &number)))
    return false;
  for (size_t i = 0; i < COUNT(job_fill_names); i++)
    if (strcmp(word, job_fill_names[i]) == 0) {
      if (seed && i != FILL_RANDOM)
        return json_fail(&reader->document, &seed_at, "only fill 'random' has one");
      return (reads && reads->listed) ||
             job_fill(reader->job, buffer, (enum job_fill)i, number, reader->document.message) ||
             launch_refuse(reader, &at);
    }
  char hint[200];
  message_suggest(hint, sizeof hint, word, job_fill_names, COUNT(job_fill_names));
  return json_fail(&reader->document, &at, "no fill '%.40s'%s", word, hint);
}

/* `file` wins; `fill` and `values` beside it are comments for the reader. */
static bool buffer_contents(struct launch_reader *reader, const struct place *place, const json_t *object,
                            size_t buffer) {
  const json_t *file = json_object_get(object, "file"), *values = json_object_get(object, "values");
  struct isa_buffer *target = &reader->job->memory.buffers[buffer];
  const struct place values_at = {place, "values", 0};
  if (file) {
    uint8_t *data = NULL;
    if (!launch_bytes(reader, &(struct place){place, "file", 0}, file, target->bytes, &data))
      return false;
    if (data) {
      free(target->data);
      target->data = data;
    }
    return true;
  }
  if (values && json_object_get(object, "fill"))
    return json_fail(&reader->document, &values_at, "a buffer cannot have both 'fill' and 'values'");
  if (values)
    return buffer_values(reader, &values_at, values, buffer);
  if (json_object_get(object, "fill"))
    return launch_fill(reader, place, object, buffer);
  if (json_object_get(object, "seed"))
    return json_fail(&reader->document, &(struct place){place, "seed", 0}, "only fill 'random' has one");
  return true;
}

bool launch_buffer(struct launch_reader *reader, const struct place *place, const json_t *object) {
  static const char *const keys[] = {"bytes", "elem", "file", "fill", "seed", "values"};
  const struct place bytes_at = {place, "bytes", 0}, elem_at = {place, "elem", 0};
  struct type type = {TYPE_UNSIGNED, 4, 1};
  uint64_t bytes = 0;
  if (!json_is(&reader->document, place, object, JSON_OBJECT) ||
      !json_keys(&reader->document, place, object, keys, COUNT(keys)))
    return false;
  const json_t *size = json_object_get(object, "bytes"), *elem = json_object_get(object, "elem");
  if (!size)
    return json_fail(&reader->document, place, "'bytes' is missing: the buffer's size");
  if (!json_whole(&reader->document, &bytes_at, size, 1, JOB_MEMORY_BYTES, "bytes", &bytes) ||
      (elem && !launch_type(reader, &elem_at, elem, &type)))
    return false;
  if (elem && bytes % type_size(type))
    return json_fail(&reader->document, &bytes_at, "%" PRIu64 " is not a multiple of the %u bytes of '%s'", bytes,
                     type_size(type), json_string_value(elem));
  if (!job_buffer(reader->job, place->key, bytes, type, reader->document.message))
    return launch_refuse(reader, &bytes_at);
  return buffer_contents(reader, place, object, reader->job->memory.count - 1);
}

/* ---- pipes -------------------------------------------------------------------------------------- */

static bool read_number(struct launch_reader *reader, const struct place *parent, const json_t *object, const char *key,
                        uint64_t most, const char *unit, uint32_t *number) {
  const struct place place = {parent, key, 0};
  const json_t *value = json_object_get(object, key);
  uint64_t whole = 0;
  if (!value)
    return json_fail(&reader->document, parent, "'%s' is missing", key);
  if (!json_whole(&reader->document, &place, value, 1, most, unit, &whole))
    return false;
  *number = (uint32_t)whole;
  return true;
}

bool launch_pipe(struct launch_reader *reader, const struct place *place, const json_t *object) {
  static const char *const keys[] = {"packet_size", "max_packets"};
  uint32_t size = 0, count = 0;
  if (!json_is(&reader->document, place, object, JSON_OBJECT) ||
      !json_keys(&reader->document, place, object, keys, COUNT(keys)) ||
      !read_number(reader, place, object, "packet_size", ISA_MOST_PACKET_BYTES, "bytes", &size) ||
      !read_number(reader, place, object, "max_packets", ISA_MOST_PACKETS, "packets", &count))
    return false;
  return job_pipe(reader->job, place->key, size, count, reader->document.message) ? true : launch_refuse(reader, place);
}
