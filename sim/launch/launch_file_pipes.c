#include <string.h>

#include "isa/pipe.h"
#include "sim/launch/launch_file_parts.h"

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

static bool read_pipe(struct launch_reader *reader, const struct place *place, const json_t *object) {
  static const char *const keys[] = {"packet_size", "max_packets"};
  uint32_t size = 0, count = 0;
  if (!json_is(&reader->document, place, object, JSON_OBJECT) ||
      !json_keys(&reader->document, place, object, keys, COUNT(keys)) ||
      !read_number(reader, place, object, "packet_size", ISA_MOST_PACKET_BYTES, "bytes", &size) ||
      !read_number(reader, place, object, "max_packets", ISA_MOST_PACKETS, "packets", &count))
    return false;
  return job_pipe(reader->job, place->key, size, count, reader->document.message) ? true : launch_refuse(reader, place);
}

bool launch_pipes(struct launch_reader *reader, const struct place *place, const json_t *pipes) {
  if (!json_is(&reader->document, place, pipes, JSON_OBJECT))
    return false;
  json_t *all = (json_t *)pipes; /* jansson's iterators take no const */
  for (void *it = json_object_iter(all); it; it = json_object_iter_next(all, it))
    if (!read_pipe(reader, &(struct place){place, json_object_iter_key(it), 0}, json_object_iter_value(it)))
      return false;
  return true;
}
