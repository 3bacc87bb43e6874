#include "sim/session/dump.h"

#include <stdlib.h>
#include <string.h>

#include "isa/pipe.h"
#include "sim/base/need.h"
#include "sim/launch/job_images.h"

bool job_dump_find(const struct job *job, const char *word, struct job_dump *dump, struct message *message) {
  const char *equals = strchr(word, '=');
  struct message ignored;
  if (!equals || !equals[1])
    return message_fail(message, "--dump: '%.60s' is not BUFFER=FILE", word);
  char *name = need_copy(word);
  name[equals - word] = '\0';
  bool found = true;
  if (job_find_pipe(job, name, &dump->number, &ignored))
    dump->what = DUMP_PIPE;
  else if (job_find_image(job, name, &dump->number, &ignored))
    dump->what = DUMP_IMAGE;
  else {
    dump->what = DUMP_BUFFER;
    found = job_find_buffer(job, name, &dump->number, message);
  }
  free(name);
  dump->path = equals + 1;
  return found || message_within(message, "--dump");
}

static uint8_t *picture_bytes(const struct job *job, const struct job_dump *dump, uint64_t *bytes,
                              struct message *message) {
  struct picture picture;
  uint8_t *file = NULL;
  size_t size = 0;
  if (!job_picture_of(job, &job->memory.images[dump->number], &picture, message))
    return NULL;
  const bool good = picture_write(&picture, dump->path, &file, &size, message);
  free(picture.sample);
  *bytes = size;
  return good ? file : NULL;
}

const uint8_t *job_dump_bytes(const struct job *job, const struct job_dump *dump, uint64_t *bytes, uint8_t **owned,
                              struct message *message) {
  *owned = NULL;
  if (dump->what == DUMP_PIPE)
    return *owned = job_packets(&job->memory.pipes[dump->number], bytes);
  if (dump->what == DUMP_IMAGE && picture_named(dump->path))
    return *owned = picture_bytes(job, dump, bytes, message);
  if (dump->what == DUMP_IMAGE)
    return *owned = job_image_bytes(job, &job->memory.images[dump->number], bytes);
  *bytes = job->memory.buffers[dump->number].bytes;
  return job->memory.buffers[dump->number].data;
}
