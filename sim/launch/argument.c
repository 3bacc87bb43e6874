#include "sim/launch/argument.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/nearest.h"
#include "sim/base/need.h"
#include "sim/launch/job_images.h"

static bool fail_kind(const char *word, struct message *message) {
  static const char *const words[] = {"buffer", "null", "local", "pipe", "image", "sampler", "bytes"};
  char near[32], hint[MESSAGE_HINT];
  type_nearest(word, near);
  const char *kind = nearest_word(word, words, sizeof words / sizeof *words, sizeof *words);
  return message_fail(message,
                      "unknown kind of argument '%.40s'%s; legal: buffer, null, local, pipe, image, sampler, bytes, or "
                      "a type: " TYPE_LEGAL,
                      word, message_hint(hint, *near ? near : kind));
}

static bool read_bytes(const char *value, uint64_t *bytes, struct message *message) {
  char *end = NULL;
  errno = 0;
  *bytes = isdigit((unsigned char)*value) ? strtoull(value, &end, 0) : 0;
  return (end && !*end && !errno) || message_fail(message, "'%.40s' is not a whole number of bytes", value);
}

static bool read_hex(const char *value, struct job_argument *argument, struct message *message) {
  size_t count = 0;
  argument->kind = ARGUMENT_VALUE;
  argument->type = "bytes";
  argument->value = type_bytes(value, &count);
  argument->bytes = count;
  return argument->value || message_fail(message, "'%.40s' is not hexadecimal bytes, two digits each", value);
}

static bool read_typed(const char *name, const char *value, struct job_argument *argument, struct message *message) {
  struct type type;
  if (!type_find(name, &type))
    return fail_kind(name, message);
  uint8_t *bytes = need(1, TYPE_BYTES);
  *argument = (struct job_argument){.kind = ARGUMENT_VALUE,
                                    .bytes = type_size(type),
                                    .value = bytes,
                                    .type = name,
                                    .floating = type.kind == TYPE_FLOATING,
                                    .whole = type.kind != TYPE_FLOATING};
  return type_read(type, name, value, bytes, message);
}

bool argument_read(const struct job *job, const char *kind, const char *value, struct job_argument *argument,
                   struct message *message) {
  *argument = (struct job_argument){.kind = ARGUMENT_NULL};
  if (strcmp(kind, "null") == 0)
    return true;
  if (strcmp(kind, "buffer") == 0) {
    argument->kind = ARGUMENT_BUFFER;
    return job_find_buffer(job, value, &argument->buffer, message);
  }
  if (strcmp(kind, "pipe") == 0) {
    argument->kind = ARGUMENT_PIPE;
    return job_find_pipe(job, value, &argument->buffer, message);
  }
  if (strcmp(kind, "image") == 0) {
    argument->kind = ARGUMENT_IMAGE;
    return job_find_image(job, value, &argument->buffer, message);
  }
  if (strcmp(kind, "sampler") == 0) {
    argument->kind = ARGUMENT_SAMPLER;
    return job_sampler(value, &argument->sampler, message);
  }
  if (strcmp(kind, "local") == 0) {
    argument->kind = ARGUMENT_LOCAL;
    return read_bytes(value, &argument->bytes, message);
  }
  return strcmp(kind, "bytes") == 0 ? read_hex(value, argument, message) : read_typed(kind, value, argument, message);
}

void arguments_free(struct job_argument *arguments, size_t count) {
  for (size_t i = 0; i < count; i++)
    free((void *)(uintptr_t)arguments[i].value);
  free(arguments);
}
