#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "isa/pipe.h"
#include "sim/base/need.h"
#include "sim/launch/job_images.h"
#include "sim/launch/launch_file_parts.h"

static bool read_limit(struct launch_reader *reader, const struct place *parent, const json_t *object, const char *key,
                       bool *given, double *limit) {
  const struct place place = {parent, key, 0};
  const json_t *value = json_object_get(object, key);
  *given = value != NULL;
  if (!value)
    return true;
  *limit = json_number_value(value);
  return json_is_number(value) && *limit >= 0 ? true
                                              : json_fail(&reader->document, &place, "is not a number of at least 0");
}

/* A pipe has the element type of its buffer. */
static struct type element_of(const struct launch_reader *reader, const struct job_check *check) {
  return reader->job->elements[check->buffer];
}

static bool tolerance(struct launch_reader *reader, const struct place *place, const json_t *object,
                      struct job_check *check) {
  const struct place type_at = {place, "type", 0}, ulp_at = {place, "ulp", 0};
  const json_t *type = json_object_get(object, "type"), *ulp = json_object_get(object, "ulp");
  check->type = element_of(reader, check);
  if (type && !launch_type(reader, &type_at, type, &check->type))
    return false;
  if (!read_limit(reader, place, object, "abs", &check->by_abs, &check->abs) ||
      !read_limit(reader, place, object, "rel", &check->by_rel, &check->rel))
    return false;
  check->by_ulp = ulp != NULL;
  if (ulp && !json_whole(&reader->document, &ulp_at, ulp, 0, INT64_MAX, "units in the last place", &check->ulp))
    return false;
  if (ulp && check->type.kind != TYPE_FLOATING)
    return json_fail(&reader->document, &ulp_at, "only half, float and double have units in the last place");
  return check->by_abs || check->by_rel || check->by_ulp
             ? true
             : json_fail(&reader->document, place, "'abs', 'rel' or 'ulp' is missing");
}

static bool multiset(struct launch_reader *reader, const struct place *place, const json_t *object,
                     struct job_check *check) {
  const struct place at = {place, "packet", 0};
  const json_t *packet = json_object_get(object, "packet");
  const struct isa_pipe *pipe = job_pipe_of(reader->job, check->buffer);
  uint64_t bytes = pipe ? pipe->packet_size : reader->job->memory.buffers[check->buffer].bytes;
  check->packet = bytes;
  if (!packet && pipe)
    return true;
  if (!packet)
    return json_fail(&reader->document, place, "'packet' is missing: the packet's bytes");
  if (!json_whole(&reader->document, &at, packet, 1, bytes, "bytes", &check->packet))
    return false;
  return bytes % check->packet
             ? json_fail(&reader->document, &at, "%" PRIu64 " does not divide the %s %" PRIu64 " bytes", check->packet,
                         pipe ? "packets'" : "buffer's", bytes)
             : true;
}

static bool elements(struct launch_reader *reader, const struct place *place, const json_t *object,
                     struct job_check *check) {
  const struct place elem_at = {place, "elem", 0}, at = {place, "components", 0};
  const json_t *elem = json_object_get(object, "elem"), *components = json_object_get(object, "components");
  check->type = reader->job->elements[check->buffer];
  if (elem && !launch_type(reader, &elem_at, elem, &check->type))
    return false;
  if (!components)
    return json_fail(&reader->document, place, "'components' is missing: the list of components to compare");
  if (!json_is(&reader->document, &at, components, JSON_ARRAY))
    return false;
  for (size_t i = 0; i < json_array_size(components); i++) {
    uint64_t component = 0;
    if (!json_whole(&reader->document, &(struct place){&at, NULL, i}, json_array_get(components, i), 0,
                    type_size(check->type) / check->type.bytes - 1, "", &component))
      return false;
    check->components |= UINT32_C(1) << component;
  }
  return check->components ? true : json_fail(&reader->document, &at, "is empty, so nothing would be compared");
}

typedef bool mode_reader(struct launch_reader *reader, const struct place *place, const json_t *object,
                         struct job_check *check);

static bool exact(struct launch_reader *reader, const struct place *place, const json_t *object,
                  struct job_check *check) {
  (void)reader, (void)place, (void)object, (void)check;
  return true;
}

static const struct mode {
  const char *name;
  mode_reader *read;
  const char *key[9]; /* the legal keys of this mode */
  size_t keys;
} modes[] = {
    [CHECK_EXACT] = {"exact", exact, {"buffer", "pipe", "image", "mode", "expected"}, 5},
    [CHECK_TOLERANCE] = {"tolerance",
                         tolerance,
                         {"buffer", "pipe", "image", "mode", "expected", "type", "abs", "rel", "ulp"},
                         9},
    [CHECK_MULTISET] = {"multiset", multiset, {"buffer", "pipe", "mode", "expected", "packet"}, 5},
    [CHECK_ELEMENTS] = {"elements", elements, {"buffer", "pipe", "image", "mode", "expected", "elem", "components"}, 7},
};

static bool find_mode(struct launch_reader *reader, const struct place *place, const json_t *value,
                      enum check_mode *mode) {
  const char *names[COUNT(modes)];
  const char *word = value ? json_word(&reader->document, place, value) : "exact";
  char hint[200];
  if (!word)
    return false;
  for (size_t i = 0; i < COUNT(modes); i++) {
    names[i] = modes[i].name;
    if (strcmp(word, modes[i].name) == 0) {
      *mode = (enum check_mode)i;
      return true;
    }
  }
  message_suggest(hint, sizeof hint, word, names, COUNT(modes));
  return json_fail(&reader->document, place, "no mode '%.40s'%s", word, hint);
}

static bool find_pipe(struct launch_reader *reader, const struct place *place, const json_t *value,
                      struct job_check *check) {
  const struct isa_memory *memory = &reader->job->memory;
  size_t number = 0;
  if (!launch_find(reader, &(struct place){place, "pipe", 0}, value, job_find_pipe, &number))
    return false;
  for (check->buffer = 0; memory->buffers[check->buffer].base != memory->pipes[number].base; check->buffer++)
    continue;
  return true;
}

static bool find_image(struct launch_reader *reader, const struct place *place, const json_t *value,
                       struct job_check *check) {
  size_t number = 0;
  if (!launch_find(reader, &(struct place){place, "image", 0}, value, job_find_image, &number))
    return false;
  check->image = &reader->job->memory.images[number];
  check->buffer = job_image_buffer(reader->job, check->image);
  return true;
}

/* Any number of whole packets. */
static bool expected_packets(struct launch_reader *reader, const struct place *place, const json_t *name,
                             struct job_check *check) {
  const char *word = json_word(&reader->document, place, name);
  size_t bytes = 0;
  char *raw = NULL;
  if (!word || !launch_file(reader, place, word, &raw, &bytes))
    return false;
  check->expected = (uint8_t *)raw;
  check->expected_bytes = bytes;
  const uint32_t packet_size = job_pipe_of(reader->job, check->buffer)->packet_size;
  return bytes % packet_size == 0 ||
         json_fail(&reader->document, place, "'%.200s' has %zu bytes, which is not a multiple of a packet's %u", word,
                   bytes, packet_size);
}

static bool read_check(struct launch_reader *reader, const struct place *place, const json_t *object,
                       struct job_check *check) {
  const struct place buffer_at = {place, "buffer", 0}, mode_at = {place, "mode", 0},
                     expected_at = {place, "expected", 0};
  if (!json_is(&reader->document, place, object, JSON_OBJECT) ||
      !find_mode(reader, &mode_at, json_object_get(object, "mode"), &check->mode))
    return false;
  const struct mode *mode = &modes[check->mode];
  const json_t *buffer = json_object_get(object, "buffer"), *expected = json_object_get(object, "expected");
  const json_t *pipe = json_object_get(object, "pipe"), *image = json_object_get(object, "image");
  if (!json_keys(&reader->document, place, object, mode->key, mode->keys))
    return false;
  if ((buffer != NULL) + (pipe != NULL) + (image != NULL) > 1)
    return json_fail(&reader->document, place, "a check names only one of 'buffer', 'pipe' and 'image'");
  if ((!buffer && !pipe && !image) || !expected)
    return json_fail(&reader->document, place, "'%s' is missing", expected ? "buffer" : "expected");
  if (!(pipe    ? find_pipe(reader, place, pipe, check)
        : image ? find_image(reader, place, image, check)
                : launch_find(reader, &buffer_at, buffer, job_find_buffer, &check->buffer)) ||
      !mode->read(reader, place, object, check))
    return false;
  if (!reader->request->verify)
    return json_word(&reader->document, &expected_at, expected) != NULL;
  if (pipe)
    return expected_packets(reader, &expected_at, expected, check);
  if (image)
    return launch_texels(reader, &expected_at, expected, check->image, &check->expected);
  return launch_bytes(reader, &expected_at, expected, reader->job->memory.buffers[check->buffer].bytes,
                      &check->expected);
}

bool launch_checks(struct launch_reader *reader, const struct place *place, const json_t *checks) {
  struct job *job = reader->job;
  if (!json_is(&reader->document, place, checks, JSON_ARRAY))
    return false;
  job->check_count = json_array_size(checks);
  job->checks = need(job->check_count, sizeof *job->checks);
  for (size_t i = 0; i < job->check_count; i++)
    if (!read_check(reader, &(struct place){place, NULL, i}, json_array_get(checks, i), &job->checks[i]))
      return false;
  return true;
}

/* "X1" or "X1-stride-zero". Rules that this version does not know are legal: they are never reported. */
static bool is_rule(const char *word) {
  size_t letters = 0, digits = 0;
  while (isupper((unsigned char)word[letters]))
    letters++;
  while (isdigit((unsigned char)word[letters + digits]))
    digits++;
  char next = word[letters + digits];
  return letters && digits && (!next || next == '-');
}

bool launch_diagnostics(struct launch_reader *reader, const struct place *place, const json_t *rules) {
  struct job *job = reader->job;
  if (!json_is(&reader->document, place, rules, JSON_ARRAY))
    return false;
  job->diagnostics = need(json_array_size(rules), sizeof *job->diagnostics);
  for (size_t i = 0; i < json_array_size(rules); i++) {
    const struct place at = {place, NULL, i};
    const char *word = json_word(&reader->document, &at, json_array_get(rules, i));
    if (!word)
      return false;
    if (!is_rule(word))
      return json_fail(&reader->document, &at, "'%.60s' is not a rule, such as X1 or X1-stride-zero", word);
    job->diagnostics[job->diagnostic_count++] = need_copy(word);
  }
  return true;
}
